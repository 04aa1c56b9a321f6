//! From a tool call to what the history keeps of it, and to what the rules say of that.

use super::checks::checks_of;
use super::deeds::{Deeds, written_files};
use super::intent::intent_of;
use crate::classify::{Answer, Facts, Ruleset, classify, noted_deviation};
use crate::diagnose;
use crate::digest::hex16;
use crate::guard;
use crate::history::{Body, Effect, Event, Execution, HistoryFacts, State, absolute, is_session};
use crate::model::{
    Category, FailureEvent, Operation, Outcome, Phase, PlanFacts, Signature, Status, ToolCall, ToolInput, ToolKind,
};
use crate::own::Readings;
use crate::programs::Trait;
use crate::reading::{CallPart, End, Judgement, delay_until, judge_by_own, script_of};
use crate::redact::call::{PATH_LIMIT, short, shown_input, without_secrets};
use crate::shell::{At, Script};
use crate::signature::{self, CallContext};
use crate::text::tail;

/// Where and when a call happened, as the caller knows it.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    /// The plan node, session or subagent that the call belongs to.
    pub node: &'a str,
    /// The time, RFC 3339 UTC; passed in, so that a replay gives the same bytes.
    pub ts: &'a str,
    /// The linked git worktree, outside the main one.
    pub worktree: Option<&'a str>,
    /// Whether the plan is in the red phase, where a failing test is meant to fail.
    pub red_phase: bool,
    /// Beginnings of operations whose non-zero status is an answer, by the project's settings.
    pub expected_failures: &'a [String],
}

/// Judges a call: redacts it, reads its output, decides its outcome, fingerprints its error. What the history keeps of it,
/// before any rule looked at it: `execution_completed` or `execution_failed`.
pub fn observe(call: &ToolCall<'_>, scene: &Scene<'_>) -> Event {
    observe_by(call, scene, || None)
}

/// The same by the project's own readings as well, which are asked for where the call failed.
pub(super) fn observe_by<'o>(
    call: &ToolCall<'_>,
    scene: &Scene<'_>,
    own: impl FnOnce() -> Option<&'o Readings>,
) -> Event {
    let given = call;
    let call = without_secrets(given);
    let script = script_of(&call);
    let judgement = judge_by_own(&call, script.as_ref(), scene.red_phase, own);
    let Judgement { mut outcome, mut reading, mut evidence, parts } = judgement;
    if let Some(transient) = reading.transient.as_mut().filter(|t| t.retry_after_ms.is_none()) {
        transient.retry_after_ms = delay_until(&call.text, scene.ts);
    }
    let operation = signature::operation(&call, script.as_ref());
    // Failed tests are no answer that a command line could have been expected to give.
    let reports_failed_tests = reading.runner.is_some() && reading.category == Category::TestFailure;
    if outcome.is_failure() && !reports_failed_tests && expects_failure(scene.expected_failures, &operation) {
        outcome = Outcome::BenignNonZero;
        evidence = vec!["the project's settings expect this operation to fail".to_owned()];
    }
    let failed = outcome.is_failure();
    let checks = checks_of(&call, script.as_ref(), &parts);
    let intent = if checks.is_empty() { None } else { intent_of(&call, script.as_ref()) };
    let Deeds { stash, restored, changed } = Deeds::of(&call, script.as_ref(), !checks.is_empty());
    let (mut files_touched, mut wrote) = (files_of(&call), Vec::new());
    if let Some(script) = script.as_ref().filter(|_| !is_session(scene.node)) {
        let cwd = call.cwd.as_deref();
        if failed {
            wrote = written_before_failure(script, cwd, &parts);
        } else {
            files_touched.extend(written_files(script, cwd, |at| script.surely_ran(at)));
        }
    }
    let mut execution = Execution {
        tool: Some(call.tool.name.clone()),
        phase: Some(call.phase),
        outcome: Some(outcome),
        // Of a plain failure the reading says it all.
        evidence: if outcome == Outcome::Failed { Vec::new() } else { evidence },
        input: shown_input(&call),
        exit_code: call.exit_code,
        effect: effect_of(&call, script.as_ref(), outcome),
        files_touched,
        wrote,
        background_task: call.background_task.clone(),
        cause: call.reported.cause.clone(),
        conflict_id: call.reported.conflict_id.clone(),
        failed_attempts: call.reported.failed_attempts,
        checks,
        intent,
        stash,
        restored,
        changed,
        ..Execution::default()
    };
    if failed || !matches!(call.status, Status::Succeeded | Status::Unstated | Status::InBackground) {
        execution.text = Some(tail(&call.text, Execution::TEXT_LIMIT).to_owned());
    }
    if failed {
        let target = match &call.input {
            ToolInput::File { path, .. } => Some(&**path),
            _ => None,
        };
        let program = script.as_ref().and_then(|script| failed_program(script, &parts));
        let origin = CallContext { operation: &operation.0, program, target, cwd: call.cwd.as_deref() };
        execution.signature = Some(signature::sign(&origin, &reading, &call.text));
        execution.cwd.clone_from(&call.cwd);
        execution.took_ms = call.took_ms.filter(|took| *took >= Execution::LONG_MS);
    }
    execution.met = diagnose::met(&call, script.as_ref(), outcome, &reading);
    let waits = execution.met.as_ref().zip(script.as_ref()).is_some_and(|(met, script)| guard::waits(script, met.id));
    if waits || failed && guard::counts(reading.category) {
        execution.call = guard::identity(&call);
        execution.timeout_ms = call.timeout_ms.filter(|_| waits);
    }
    // Where a commit was made says whose work it hands over.
    if !failed && script.as_ref().is_some_and(|script| script.programs().any(|(_, part)| part.is(Trait::HandsOver))) {
        execution.cwd.clone_from(&call.cwd);
    }
    execution.input_altered = given.command().is_some_and(|command| execution.input.as_deref() != Some(command));
    execution.operation = Some(operation);
    execution.reading = Some(reading);
    let execution = Box::new(execution);
    let body = if failed { Body::ExecutionFailed(execution) } else { Body::ExecutionCompleted(execution) };
    let mut event = Event::new(event_id(&call, scene, failed), scene.ts, scene.node, &call.ids, body);
    event.worktree = scene.worktree.map(|worktree| short(worktree, PATH_LIMIT));
    event
}

/// Whether a setting names this operation: written as a person types it, compared as operations are.
fn expects_failure(expected: &[String], operation: &Operation) -> bool {
    expected.iter().any(|command| operation.begins_with(&signature::operation_of_command(command).0))
}

/// The failure that an event tells of, as the rules see it; of a call that did not fail it carries that outcome, which
/// their first rule answers. None for events that tell of no call, or of an older shape.
pub fn failure_of(event: &Event) -> Option<FailureEvent> {
    let execution = event.execution()?;
    Some(FailureEvent {
        tool: execution.tool.clone()?,
        phase: execution.phase.unwrap_or_default(),
        outcome: execution.outcome?,
        operation: execution.operation.clone()?,
        exit_code: execution.exit_code,
        text: execution.text.clone().unwrap_or_default(),
        reading: execution.reading.clone()?,
        signature: execution.signature.clone().unwrap_or_else(Signature::none),
        files_touched: execution.files_touched.clone(),
        wrote: execution.wrote.clone(),
        cause: execution.cause.clone(),
        conflict_id: execution.conflict_id.clone(),
        failed_attempts: execution.failed_attempts,
        check: execution.failed_check().cloned(),
        took_ms: execution.took_ms,
        parallel: execution.parallel,
        ids: event.ids(),
        node: event.node.clone(),
    })
}

/// What the rules say of an event, and what they looked at.
#[derive(Debug, Clone)]
pub struct Examined {
    /// The verdict, or why there is none.
    pub answer: Answer,
    /// The failure as the rules saw it.
    pub failure: FailureEvent,
    /// What the history said.
    pub history: HistoryFacts,
    /// How far the node is off its plan, in words, where that is worth noting.
    pub deviation: Option<String>,
}

/// Applies a ruleset to an event that is not folded into `state` yet. `has_history` is whether there was a history that
/// `state` was made from.
pub fn examine(
    event: &Event,
    plan: &PlanFacts,
    state: &State,
    siblings: &[State],
    has_history: bool,
    ruleset: &Ruleset,
) -> Option<Examined> {
    let failure = failure_of(event)?;
    let cwd = event.execution().and_then(|execution| execution.cwd.as_deref());
    let history = HistoryFacts::gather(&failure, &event.id, plan, state, siblings, cwd);
    let history = HistoryFacts { is_unread: !has_history, ..history };
    let facts = Facts { event: &failure, history: &history, plan };
    let mut answer = classify(&facts, ruleset, Some(&event.id));
    if let Answer::Verdict(verdict) = &mut answer {
        verdict.announced = event.execution().and_then(|execution| execution.intent);
    }
    // Without a plan there is nothing to deviate from.
    let deviation = plan.tier.and_then(|_| noted_deviation(&facts));
    Some(Examined { answer, failure, history, deviation })
}

/// The same end of the same call has the same id; an end without a call id is known by what it holds.
fn event_id(call: &ToolCall<'_>, scene: &Scene<'_>, failed: bool) -> String {
    let session = call.ids.session.as_deref().unwrap_or_default();
    let phase = if call.phase == Phase::Background { "background" } else { "call" };
    let kind = if failed { "failed" } else { "completed" };
    match &call.ids.tool_use {
        Some(id) => hex16(&[session, id, phase, kind]),
        // The model's API has no call id, and the same error may come again: there the time tells them apart.
        None if call.tool.kind == ToolKind::ModelApi => hex16(&[session, &call.text, scene.ts, kind]),
        None => {
            let input = call.command().or(call.file()).unwrap_or_default();
            hex16(&[session, &call.tool.name, input, &call.text, phase, kind])
        }
    }
}

/// The program whose words a failed line printed: the part that is known to have failed, else the only one.
fn failed_program<'s>(script: &'s Script, parts: &[CallPart]) -> Option<&'s str> {
    let failed = parts.iter().find(|part| part.end == End::Failed).map(|part| part.at);
    let only = || script.programs().map(|(at, _)| at).next().filter(|_| script.programs().nth(1).is_none());
    script.get(failed.or_else(only)?).map(signature::program_name)
}

fn effect_of(call: &ToolCall<'_>, script: Option<&Script>, outcome: Outcome) -> Effect {
    let ran = !matches!(outcome, Outcome::Denied | Outcome::Cascade | Outcome::Interrupted);
    match call.tool.kind {
        ToolKind::Edit | ToolKind::Write if call.status == Status::Succeeded => Effect::Files,
        ToolKind::Shell if ran && !script.is_some_and(Script::is_read_only) => Effect::Shell,
        _ => Effect::None,
    }
}

/// What a line wrote before its command that failed: where that is not known, before the first that writes nothing.
fn written_before_failure(script: &Script, cwd: Option<&str>, parts: &[CallPart]) -> Vec<String> {
    let mut writers = Vec::new();
    written_files(script, cwd, |at| {
        writers.push(at);
        false
    });
    let failed = parts.iter().find(|part| part.end == End::Failed);
    let failed = failed.or_else(|| parts.iter().find(|part| !writers.contains(&part.at)));
    let Some(failed) = failed.filter(|_| !writers.is_empty()).map(|part| part.at) else { return Vec::new() };
    let ran = |at: At| script.leads_to(at, failed) || at.pipeline < failed.pipeline && script.surely_ran(at);
    written_files(script, cwd, ran)
}

fn files_of(call: &ToolCall<'_>) -> Vec<String> {
    let cwd = call.cwd.as_deref();
    match (call.tool.kind, call.file()) {
        (ToolKind::Edit | ToolKind::Write, Some(path)) => {
            // A patch has several.
            let others = call.reported.files_touched.iter().map(String::as_str);
            std::iter::once(path).chain(others).map(|file| absolute(file, cwd)).collect()
        }
        _ => call.reported.files_touched.iter().map(|file| absolute(file, cwd)).collect(),
    }
}
