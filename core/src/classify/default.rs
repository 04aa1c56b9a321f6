//! The ruleset `default`: the inherited questions, each made answerable. Conditions stand in the table's order.

use std::borrow::Cow;

use super::conditions::{self, REPLANNED, deviation, is_planned};
use super::rule::{RuleFinding, Ruleset, rule};
use super::{Facts, NO_HISTORY, constraints};
use crate::history::implicated;
use crate::model::Action::{
    Arbitrate, FreezeAndEscalate, ReplanFeature, ReplanStory, RetryWithBackoff, SelfHeal, SingleRetryThenEscalate,
};
use crate::model::Class::{F1, F2, F3, F4, F5, F6};
use crate::model::{
    Category, Dependency, ForeignArtifact, KnownConflict, NodeStatus, Outcome, SiblingEdit, Tool, ToolKind,
};

impl Default for &'static Ruleset {
    fn default() -> Self {
        &DEFAULT
    }
}

/// The ruleset that the hook uses. How sure each row is was measured where it could be: `rules/confidence.md`.
#[rustfmt::skip]
pub const DEFAULT: Ruleset = Ruleset { name: "default", rules: &[
    //   id                            class     sure  advises                  asks                                                         when
    rule("not-a-failure",              None,       98, SelfHeal,                "did the work fail at all?",                                 not_a_failure),
    rule("conflict-reported",          Some(F6),   95, Arbitrate,               "is the other node known?",                                  conflict_reported),
    rule("transient-failure",          Some(F1),   97, RetryWithBackoff,        "does the output say that a retry may pass?",                transient_failure),
    rule("constraint-violated",        Some(F5),   65, FreezeAndEscalate,       "does it contradict a constraint of the plan?",              constraint_violated),
    rule("repeated-failure",           Some(F3),   75, ReplanStory,             "third time the same, or drifted from the plan?",            repeated_failure),
    rule("sibling-change",             Some(F4),   80, ReplanFeature,           "did a sibling change what fails, or is a dependency broken?", sibling_change),
    rule("recognised-error",           Some(F2),   99, SelfHeal,                "is it a known kind of error, new or changed?",              recognised_error),
    rule("plan-deviation",             Some(F4),   80, ReplanFeature,           "is the node far off its plan (deviation 0.7 or more)?",     plan_deviation),
    rule("recognised-error-unchanged", Some(F2),   75, SelfHeal,                "is it a known kind of error, unchanged?",                   recognised_error_unchanged),
    rule("unknown-local",              Some(F2),   85, SelfHeal,                "did a local program fail for a reason that nobody knows?",  unknown_local),
    rule("unrecognised",               Some(F2),   55, SingleRetryThenEscalate, "anything else",                                             unrecognised),
], is_literal: false, deviation: saturating_deviation };

/// More than this share of changed files outside the plan is drift: the inherited "output drift > 50 %".
const DRIFT_SHARE: f64 = 0.5;
/// Fewer changed files than this say nothing about drift: one stray file of one is no drift.
const DRIFT_FILES: usize = 3;
/// The attempt from which the same failure again means that the design, not the code, is wrong.
const REPEATED_ATTEMPT: u32 = 3;

fn not_a_failure(facts: &Facts<'_>) -> RuleFinding {
    match facts.event.outcome {
        outcome if !outcome.is_failure() => RuleFinding::fires(format!("outcome={}", outcome.as_str())),
        Outcome::MaskedFailure => RuleFinding::silent("the status was 0, but the run inside failed"),
        _ => RuleFinding::silent("the call failed"),
    }
}

/// The sender says so, the plan holds an unresolved conflict that names the node, or an edit was refused because another
/// agent changed the file since this one read it. A merge conflict names no other node, so it is none of these.
fn conflict_reported(facts: &Facts<'_>) -> RuleFinding {
    let id = facts.event.conflict_id.as_deref().filter(|id| !id.is_empty());
    if let fires @ RuleFinding::Fires(_) = conditions::conflict_reported(facts, id) {
        return fires;
    }
    // Who the other one waits for goes on: of its failures only those over a shared file are of the conflict.
    let is_of = |conflict: &&KnownConflict| {
        let over = |file: &Cow<'_, str>| is_planned(facts.plan.in_project(file), &conflict.files);
        !conflict.blocks || implicated(facts.event, facts.plan).iter().any(over)
    };
    if let Some(conflict) = facts.plan.conflict.as_ref().filter(is_of) {
        let with = conflict.with.as_ref().map(|node| format!(" with {node}")).unwrap_or_default();
        return RuleFinding::fires(format!("the plan has the unresolved conflict {}{with}", conflict.id));
    }
    let stale_edit = facts.event.reading.category == Category::ReadBeforeEdit;
    match &facts.history.sibling_change {
        Some(change) if stale_edit => {
            let file = as_named(facts, &change.file);
            RuleFinding::fires(format!("`{file}` was changed by {} since it was read", change.node))
        }
        _ => RuleFinding::silent("the other node is not known"),
    }
}

fn transient_failure(facts: &Facts<'_>) -> RuleFinding {
    let Some(transient) = &facts.event.reading.transient else {
        return RuleFinding::silent("nothing in the output says that a retry may pass");
    };
    let mut evidence = vec![format!("{} seen in the output", transient.hint)];
    evidence.extend(facts.event.reading.line.iter().map(|line| format!("error line: {line}")));
    evidence.extend(transient.retry_after_ms.map(|ms| format!("asked to wait {} s", ms.div_ceil(1000))));
    RuleFinding::Fires(evidence)
}

fn constraint_violated(facts: &Facts<'_>) -> RuleFinding {
    match constraints::contradicted(facts) {
        Some(evidence) => RuleFinding::fires(evidence),
        None if facts.plan.constraints.is_empty() => RuleFinding::silent("the plan states no constraints"),
        None => RuleFinding::silent("no constraint is touched"),
    }
}

fn repeated_failure(facts: &Facts<'_>) -> RuleFinding {
    let history = facts.history;
    let fine = &facts.event.signature.fine;
    let same = history.previous_fines.iter().rev().take_while(|previous| *previous == fine).count();
    if history.attempt >= REPEATED_ATTEMPT && same >= 2 && !facts.event.signature.vague {
        let line = facts.event.reading.line.iter().map(|line| format!(": {line}"));
        let failed = format!("`{}` failed {} times in the same way", facts.event.operation, history.attempt);
        let mut evidence =
            vec![failed + &line.collect::<String>(), format!("same signature {fine} as the last 2 attempts")];
        evidence.extend(history.edited_tests.iter().map(|file| format!("test_ref {file} was edited in between")));
        return RuleFinding::Fires(evidence);
    }
    drift(facts).unwrap_or_else(|| RuleFinding::silent(format!("attempt {}, {same} equal before it", history.attempt)))
}

fn drift(facts: &Facts<'_>) -> Option<RuleFinding> {
    let (outside, changed) = (facts.history.changed_outside, facts.history.changed);
    #[expect(clippy::cast_precision_loss, reason = "at most 64 files")]
    let share = outside as f64 / changed.max(1) as f64;
    (changed >= DRIFT_FILES && share > DRIFT_SHARE)
        .then(|| RuleFinding::fires(format!("{outside} of {changed} changed files lie outside the planned artifacts")))
}

/// A file as a plan names it, for its pages are read on other machines; without a plan as it is.
fn as_named<'f>(facts: &Facts<'_>, file: &'f str) -> &'f str {
    if facts.plan.ancestors.is_empty() { file } else { facts.plan.in_project(file) }
}

fn sibling_change(facts: &Facts<'_>) -> RuleFinding {
    if let Some(change) = &facts.history.sibling_change {
        let file = as_named(facts, &change.file);
        return RuleFinding::fires(format!("`{file}` was last changed by {}", change.node));
    }
    if let Some((file, foreign)) = foreign_file(facts).filter(|(_, foreign)| foreign.active) {
        let ForeignArtifact { task, feature, .. } = foreign;
        return RuleFinding::fires(format!("`{file}` is planned by {task} of {feature}, which is being worked on"));
    }
    match broken_dependency(facts) {
        Some((file, on)) => RuleFinding::fires(format!("`{file}` belongs to {on}, which was done and is broken")),
        None => RuleFinding::silent("no implicated file was changed by a sibling, no done dependency is broken"),
    }
}

/// The file that fails and that another feature plans, or a task at work wherever it is, where this node did not change it:
/// one in the hands of a task at work first.
fn foreign_file<'a>(facts: &Facts<'a>) -> Option<(String, &'a ForeignArtifact)> {
    let plan = facts.plan;
    if plan.foreign_artifacts.is_empty() || facts.history.own_change {
        return None;
    }
    let of_others = plan.foreign_artifacts.iter().filter(|foreign| foreign.active || !plan.is_below(&foreign.feature));
    let failing = implicated(facts.event, plan);
    let failing = failing.iter().map(|file| plan.in_project(file)).filter(|file| !is_planned(file, &plan.artifacts));
    let met = failing.flat_map(|file| {
        let plans = move |foreign: &&ForeignArtifact| is_planned(file, std::slice::from_ref(&foreign.path));
        of_others.clone().filter(plans).map(move |foreign| (file, foreign))
    });
    let first = met.clone().find(|(_, foreign)| foreign.active).or_else(|| met.clone().next());
    first.map(|(file, foreign)| (file.to_owned(), foreign))
}

/// The node that has a hand in what fails, where that is another one than its own: it changed the file last, or plans it
/// and is being worked on.
pub fn beside(facts: &Facts<'_>) -> Option<SiblingEdit> {
    if let Some(change) = &facts.history.sibling_change {
        return Some(facts.plan.edit_by(&change.node, &change.file));
    }
    if let Some((file, foreign)) = foreign_file(facts).filter(|(_, foreign)| foreign.active) {
        return Some(facts.plan.edit_by(&foreign.task, &file));
    }
    // A dependency in the same story that is done and broken again is a sibling that is done.
    let (file, on) = broken_dependency(facts).filter(|(_, on)| facts.plan.siblings.iter().any(|one| one == on))?;
    Some(facts.plan.edit_by(on, &file))
}

/// A file that fails of a dependency that was done, and the dependency.
fn broken_dependency<'a>(facts: &Facts<'a>) -> Option<(String, &'a str)> {
    if facts.history.own_change {
        return None;
    }
    let is_done = |it: &&Dependency| NodeStatus::from_word(&it.status) == Some(NodeStatus::Done);
    let mut done = facts.plan.depends_on.iter().filter(is_done).peekable();
    done.peek()?;
    let failing = implicated(facts.event, facts.plan);
    done.find_map(|dependency| {
        let mut failing = failing.iter().map(|file| facts.plan.in_project(file));
        let file = failing.find(|file| is_planned(file, &dependency.artifacts))?;
        Some((file.to_owned(), dependency.id.as_str()))
    })
}

fn recognised_error(facts: &Facts<'_>) -> RuleFinding {
    let category = facts.event.reading.category;
    if category == Category::Unknown {
        return RuleFinding::silent("the kind of error is not known");
    }
    let previous = facts.history.previous_fines.last();
    match previous {
        _ if facts.history.is_unread => RuleFinding::Fires(describe(facts, NO_HISTORY)),
        _ if facts.history.attempt == 1 => RuleFinding::Fires(describe(facts, "first attempt")),
        Some(previous) if *previous != facts.event.signature.fine && !facts.event.signature.vague => {
            RuleFinding::Fires(describe(facts, "the signature changed since the last attempt"))
        }
        _ => RuleFinding::silent("not the first attempt, and the signature did not change"),
    }
}

/// Each term saturates at its own weight.
fn saturating_deviation(facts: &Facts<'_>) -> (f64, Vec<String>) {
    let deviation = deviation(facts);
    (deviation.score, deviation.evidence())
}

fn plan_deviation(facts: &Facts<'_>) -> RuleFinding {
    let deviation = deviation(facts);
    if deviation.score >= REPLANNED {
        return RuleFinding::Fires(deviation.evidence());
    }
    RuleFinding::silent(format!("deviation {:.2} is below {REPLANNED}", deviation.score))
}

fn recognised_error_unchanged(facts: &Facts<'_>) -> RuleFinding {
    if facts.event.reading.category == Category::Unknown {
        return RuleFinding::silent("the kind of error is not known");
    }
    let unknown = facts.event.signature.vague || facts.history.previous_fines.is_empty();
    let why = if unknown { "whether the error changed is not known" } else { "unchanged since the last attempt" };
    RuleFinding::Fires(describe(facts, why))
}

/// An identical retry of a local program that failed for an unknown reason helped in 2 of 28 real cases; a tool of a
/// server may have had a bad moment.
fn unknown_local(facts: &Facts<'_>) -> RuleFinding {
    match Tool::named(&facts.event.tool).kind {
        ToolKind::Mcp | ToolKind::Web | ToolKind::Agent | ToolKind::ModelApi => {
            RuleFinding::silent("a tool of a server failed, or the server itself")
        }
        _ => unrecognised(facts),
    }
}

fn unrecognised(facts: &Facts<'_>) -> RuleFinding {
    let code = facts.event.exit_code.map_or_else(|| "exit code unknown".to_owned(), |code| format!("exit code {code}"));
    let likely = facts.event.reading.likely.map(|likely| format!("by its name perhaps {}", likely.as_str()));
    let evidence = ["no recogniser knows this output".to_owned(), code].into_iter().chain(likely);
    RuleFinding::Fires(evidence.chain(of_another_feature(facts)).collect())
}

/// What was recognised, as evidence: category, runner, object, line.
fn describe(facts: &Facts<'_>, why: &str) -> Vec<String> {
    let reading = &facts.event.reading;
    let runner = reading.runner.as_deref().map(|runner| format!(" ({runner})")).unwrap_or_default();
    let mut evidence = vec![format!("category={}{runner}", reading.category.as_str()), why.to_owned()];
    evidence.extend(reading.primary_object().map(|object| format!("object: {}", object.name)));
    evidence.extend(reading.line.as_ref().map(|line| format!("error line: {line}")));
    evidence.extend(of_another_feature(facts));
    evidence
}

/// That what fails is planned by a feature nobody of which has a hand in it now.
fn of_another_feature(facts: &Facts<'_>) -> Option<String> {
    let (file, foreign) = foreign_file(facts)?;
    Some(format!("`{file}` belongs to {}, none of whose tasks is at work on it or changed it last", foreign.feature))
}
