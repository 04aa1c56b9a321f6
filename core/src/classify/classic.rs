//! The ruleset `classic`: the inherited nine rules to the letter, for comparison. Its faults are kept on purpose: a bare
//! `429` in a line number is F1, rule 6 is case-sensitive, the deviation does not saturate, rule 8 never fires.

use super::Facts;
use super::conditions::{REPLANNED, conflict_reported};
use super::rule::{RuleFinding, Ruleset, rule};
use crate::model::Action::{Arbitrate, FreezeAndEscalate, ReplanFeature, ReplanStory, RetryWithBackoff, SelfHeal};
use crate::model::Class::{F1, F2, F3, F4, F5, F6};
use crate::model::Outcome;

/// The inherited rules, literally.
#[rustfmt::skip]
pub const CLASSIC: Ruleset = Ruleset { name: "classic", rules: &[
    //   id                         class     sure  advises            asks                                                        when
    rule("classic-exit-zero",       None,      100, SelfHeal,          "exit_code == 0",                                           exit_zero),
    rule("classic-conflict",        Some(F6),   95, Arbitrate,         "cause == conflict, or conflict_id is set",                 conflict_set),
    rule("classic-transient-text",  Some(F1),   95, RetryWithBackoff,  "text contains ECONNRESET, ETIMEDOUT, EAI_AGAIN, 429, 503 or rate limit", transient_text),
    rule("classic-same-hash",       Some(F3),   75, ReplanStory,       "failed_attempts >= 3 and the same hash as the last 2",     same_hash),
    rule("classic-sibling-files",   Some(F4),   80, ReplanFeature,     "files_touched meets a sibling's",                          sibling_files),
    rule("classic-first-keyword",   Some(F2),   85, SelfHeal,          "failed_attempts == 1 and a keyword of code",               first_keyword),
    rule("classic-deviation",       Some(F4),   80, ReplanFeature,     "deviation_score >= 0.7",                                   deviation_high),
    rule("classic-intent",          Some(F5),   65, FreezeAndEscalate, "the initiative's intent is contradicted",                  intent_contradicted),
    rule("classic-otherwise",       Some(F2),   85, SelfHeal,          "anything else",                                            otherwise),
], is_literal: true, deviation: unsaturated_deviation };

const TRANSIENT: &[&str] = &["econnreset", "etimedout", "eai_again", "429", "503", "rate limit"];
const KEYWORDS: &[&str] = &["TypeError", "SyntaxError", "test failed", "assertion"];

fn exit_zero(facts: &Facts<'_>) -> RuleFinding {
    // A success without a stated code has the code 0 by its event: the only place where the two words meet.
    let succeeded = matches!(facts.event.outcome, Outcome::Succeeded | Outcome::MaskedFailure);
    if facts.event.exit_code == Some(0) || (succeeded && facts.event.exit_code.is_none()) {
        return RuleFinding::fires("exit_code=0");
    }
    RuleFinding::silent("the exit code is not 0, or unknown")
}

/// Set is what is not null: an empty id as well.
fn conflict_set(facts: &Facts<'_>) -> RuleFinding {
    conflict_reported(facts, facts.event.conflict_id.as_deref())
}

fn transient_text(facts: &Facts<'_>) -> RuleFinding {
    let text = facts.event.text.to_ascii_lowercase();
    match TRANSIENT.iter().find(|word| text.contains(**word)) {
        Some(word) => RuleFinding::fires(format!("stderr matches {word}")),
        None => RuleFinding::silent("the text has none of the words"),
    }
}

fn same_hash(facts: &Facts<'_>) -> RuleFinding {
    let history = facts.history;
    let attempts = failed_attempts(facts);
    let same = history.last_stderr_hashes.len() == 2
        && history.last_stderr_hashes.iter().all(|hash| Some(hash) == history.stderr_hash.as_ref());
    if attempts >= 3 && same {
        return RuleFinding::Fires(vec![
            format!("failed_attempts={attempts}"),
            "stderr_hash matches last 2 attempts".to_owned(),
        ]);
    }
    RuleFinding::silent(format!("failed_attempts={attempts}, or another hash"))
}

fn sibling_files(facts: &Facts<'_>) -> RuleFinding {
    match &facts.history.sibling_touch {
        Some(change) => RuleFinding::fires(format!("`{}` was also touched by {}", change.file, change.node)),
        None => RuleFinding::silent("no file is shared with a sibling"),
    }
}

fn first_keyword(facts: &Facts<'_>) -> RuleFinding {
    let attempts = failed_attempts(facts);
    match KEYWORDS.iter().find(|word| facts.event.text.contains(**word)) {
        Some(word) if attempts == 1 && facts.history.is_unread => RuleFinding::fires(format!("stderr matches {word}")),
        Some(word) if attempts == 1 => RuleFinding::fires(format!("first attempt, stderr matches {word}")),
        _ => RuleFinding::silent("not the first attempt, or no keyword"),
    }
}

fn deviation_high(facts: &Facts<'_>) -> RuleFinding {
    match unsaturated_deviation(facts) {
        (score, words) if score >= REPLANNED => RuleFinding::Fires(words),
        (_, words) => RuleFinding::silent(words.concat()),
    }
}

/// The formula as written: only the total is capped, so that a second failure alone reaches 0.8.
fn unsaturated_deviation(facts: &Facts<'_>) -> (f64, Vec<String>) {
    // A story's attempts are its tasks that failed.
    let attempts = facts.plan.failed_children.unwrap_or_else(|| failed_attempts(facts));
    let attempts = f64::from(attempts) * 0.4;
    let revisions = f64::from(facts.plan.revisions.unwrap_or(0)) * 0.3;
    let tokens = facts.plan.token_overrun.unwrap_or(0.0).max(0.0) * 0.3;
    let score = (attempts + revisions + tokens).min(1.0);
    (score, vec![format!("deviation_score={score:.2}")])
}

fn intent_contradicted(_facts: &Facts<'_>) -> RuleFinding {
    RuleFinding::silent("the inherited text gives no way to tell")
}

fn otherwise(_facts: &Facts<'_>) -> RuleFinding {
    RuleFinding::fires("no other rule fired")
}

/// From the event, else from history, else from the front matter.
fn failed_attempts(facts: &Facts<'_>) -> u32 {
    let from_history = facts.history.node_failures;
    let from_plan = facts.plan.failed_attempts.unwrap_or(1);
    facts.event.failed_attempts.unwrap_or(if from_history > 1 { from_history } else { from_plan.max(1) })
}
