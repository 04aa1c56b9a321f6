//! Lines of `history.jsonl` of every shape that was ever written, as events.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::event::{Body, Classified, Effect, Event, EventKind, Execution, GuardedCall, PlanEvent, StateChange};
#[cfg(feature = "cli")]
use super::event::{CaseNote, StepSummary};
#[cfg(feature = "cli")]
use super::recovery::Reflection;
use super::recovery::{RecoveryAttempt, RecoveryComplete};
use crate::model::NearName;
use crate::model::{
    Check, Decision, Ids, Intent, MetMode, Misfit, Operation, Outcome, Phase, PlanFacts, Reading, Signature, Stash,
    Topic, Verdict,
};

/// What a line of a history is.
#[derive(Debug, Clone, PartialEq)]
pub enum Line {
    /// An event of this version or an older one.
    Event(Box<Event>),
    /// A blank line.
    Blank,
    /// A line of a higher version: skipped and counted, never guessed at.
    Newer,
    /// A line that is no event: torn, damaged or foreign.
    Unreadable,
}

/// Reads one line. Accepts this project's events and the four record shapes of older plan trees: `event` + `node`,
/// `verb` + `target`, a state transition (`from`, `to`), and `verb` + `node`.
pub fn parse(line: &[u8]) -> Line {
    let line = line.trim_ascii();
    if line.is_empty() {
        return Line::Blank;
    }
    // A torn line that was healed holds a fragment before its newline; only a whole object is an event.
    let Ok(version) = serde_json::from_slice::<Versioned>(line) else { return Line::Unreadable };
    match version.v {
        Some(v) if v > Event::VERSION => Line::Newer,
        Some(_) => match serde_json::from_slice::<Event>(line) {
            Ok(event) => Line::Event(Box::new(event)),
            Err(_) => Line::Unreadable,
        },
        None => serde_json::from_slice::<Older>(line)
            .ok()
            .and_then(Older::into_event)
            .map_or(Line::Unreadable, |event| Line::Event(Box::new(event))),
    }
}

#[derive(Deserialize)]
struct Versioned {
    v: Option<u32>,
}

/// The fields that the older shapes have between them.
#[derive(Deserialize)]
struct Older {
    /// Text, or a number of seconds or milliseconds, by who wrote it.
    ts: Option<serde_json::Value>,
    event: Option<String>,
    verb: Option<String>,
    node: Option<String>,
    target: Option<String>,
    from: Option<String>,
    to: Option<String>,
    tool: Option<String>,
    exit_code: Option<i32>,
    conflict_id: Option<String>,
    reason: Option<String>,
}

impl Older {
    fn into_event(self) -> Option<Event> {
        let node = self.node.or(self.target)?;
        let word = self.event.as_deref().or(self.verb.as_deref()).or(self.to.as_ref().map(|_| "state_changed"))?;
        let kind = match word {
            "execution_completed" => EventKind::ExecutionCompleted,
            "execution_failed" => EventKind::ExecutionFailed,
            "conflict_detected" => EventKind::ConflictDetected,
            "conflict_arbitrated" | "conflicts.resolve" => EventKind::ConflictArbitrated,
            "replan" | "replan_proposed" => EventKind::ReplanProposed,
            "replan_refused_budget" => EventKind::ReplanRefusedBudget,
            "freeze" | "freeze_applied" => EventKind::FreezeApplied,
            "thaw" | "thaw_applied" => EventKind::ThawApplied,
            "state_changed" => EventKind::StateChanged,
            _ => EventKind::Foreign,
        };
        let ts = self.ts.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default();
        let message = match (self.from, self.to) {
            (Some(from), Some(to)) => Some(format!("{from} -> {to}")),
            (_, to) => to.or(self.reason),
        };
        let outcome = match kind {
            EventKind::ExecutionCompleted => Some(Outcome::Succeeded),
            EventKind::ExecutionFailed => Some(Outcome::Failed),
            _ => None,
        };
        // What an older line says of the plan is all in one field; this project's state changes and reasons are two.
        let is_change = kind == EventKind::StateChanged;
        let (message, reason) = if is_change { (message, None) } else { (None, message) };
        let line = Wide {
            event: kind,
            tool: self.tool.map(Cow::Owned),
            exit_code: self.exit_code,
            conflict_id: self.conflict_id.map(Cow::Owned),
            message: message.map(Cow::Owned),
            reason: reason.map(Cow::Owned),
            phase: outcome.map(|_| Phase::Call),
            outcome,
            ..Wide::default()
        };
        Some(Event::new(String::new(), ts, &node, &Ids::default(), line.into_body()))
    }
}

/// A line as it stands in the file: one flat object with the fields of all kinds, in this order. Only here, where lines are
/// read and written, they stand side by side; [`Body`] says which belong to which kind. Unknown fields are ignored. What is
/// rare and large is boxed, because each line that is written copies all fields.
#[derive(Default, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of its own on the wire")]
struct Wide<'a> {
    v: u32,
    id: Cow<'a, str>,
    ts: Cow<'a, str>,
    event: EventKind,
    node: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    worktree: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_use_id: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    phase: Option<Phase>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<Outcome>,
    #[serde(default, skip_serializing_if = "is_empty")]
    evidence: Cow<'a, [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<Cow<'a, Operation>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    input_altered: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    cwd: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Effect::is_none")]
    effect: Effect,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reading: Option<Cow<'a, Reading>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<Cow<'a, Signature>>,
    #[serde(default, skip_serializing_if = "is_empty")]
    files_touched: Cow<'a, [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    conflict_id: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failed_attempts: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    background_task: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<Cow<'a, PlanFacts>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<Cow<'a, Verdict>>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    advised: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    topic: Option<Topic>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    told: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    near: Option<Cow<'a, NearName>>,
    #[serde(default, skip_serializing_if = "is_empty")]
    episodes: Cow<'a, [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<Cow<'a, Decision>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeout_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    met: Option<Cow<'a, MetMode>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    took_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answered: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "is_empty")]
    checks: Cow<'a, [Check]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    intent: Option<Intent>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    parallel: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stash: Option<Stash>,
    #[serde(default, skip_serializing_if = "is_empty")]
    restored: Cow<'a, [String]>,
    #[serde(default, skip_serializing_if = "is_empty")]
    changed: Cow<'a, [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    misfit: Option<Cow<'a, Box<Misfit>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Cow<'a, str>>,
    #[cfg(feature = "cli")]
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<Cow<'a, StepSummary>>,
    #[cfg(feature = "cli")]
    #[serde(skip_serializing_if = "Option::is_none")]
    case: Option<Cow<'a, CaseNote>>,
    #[cfg(feature = "cli")]
    #[serde(skip_serializing_if = "Option::is_none")]
    reflection: Option<Cow<'a, Reflection>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    attempt: Option<Cow<'a, Box<RecoveryAttempt>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    complete: Option<Cow<'a, Box<RecoveryComplete>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    history_id: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict_id: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    unlocked: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    read_to: Option<u64>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    history_truncated: bool,
}

fn is_empty<T>(list: &[T]) -> bool {
    list.is_empty()
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Wide::of(self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Wide::deserialize(deserializer).map(Wide::into_event)
    }
}

impl<'a> Wide<'a> {
    fn of(event: &'a Event) -> Self {
        let line = Self {
            v: event.v,
            id: Cow::Borrowed(&event.id),
            ts: Cow::Borrowed(&event.ts),
            event: event.kind(),
            node: Cow::Borrowed(&event.node),
            session: lent(event.session.as_deref()),
            agent: lent(event.agent.as_deref()),
            worktree: lent(event.worktree.as_deref()),
            tool_use_id: lent(event.tool_use_id.as_deref()),
            unlocked: event.unlocked,
            read_to: event.read_to,
            history_truncated: event.history_truncated,
            ..Self::default()
        };
        match &event.body {
            Body::ExecutionCompleted(execution) | Body::ExecutionFailed(execution) => line.with_execution(execution),
            Body::FailureClassified(classified) => Self {
                phase: classified.phase,
                plan: lent(classified.plan.as_ref()),
                verdict: lent(classified.verdict.as_ref()),
                advised: classified.advised,
                topic: classified.topic,
                mode: classified.mode,
                told: lent(classified.told.as_deref()),
                near: lent(classified.near.as_ref()),
                ..line
            },
            Body::VerdictInDoubt { verdict_id, reason } => {
                Self { verdict_id: lent(verdict_id.as_deref()), reason: lent(reason.as_deref()), ..line }
            }
            Body::AdviceGiven { episodes } => Self { episodes: Cow::Borrowed(episodes), ..line },
            Body::PersonTold { episodes, reason } => {
                Self { episodes: Cow::Borrowed(episodes), reason: lent(reason.as_deref()), ..line }
            }
            Body::Decision(decision) => Self { decision: lent(decision.as_deref()), ..line },
            Body::NodeBound { target } => Self { target: lent(target.as_deref()), ..line },
            Body::FixReported(plan)
            | Body::PatternMuted(plan)
            | Body::PatternUnmuted(plan)
            | Body::ConflictDetected(plan)
            | Body::ConflictArbitrated(plan)
            | Body::ReplanProposed(plan)
            | Body::ReplanRefusedBudget(plan)
            | Body::FreezeApplied(plan)
            | Body::ThawApplied(plan) => Self {
                target: lent(plan.target.as_deref()),
                conflict_id: lent(plan.conflict_id.as_deref()),
                reason: lent(plan.reason.as_deref()),
                ..line
            },
            Body::StateChanged { change, reason } => Self {
                message: change.as_ref().map(|change| Cow::Borrowed(change.words())),
                reason: lent(reason.as_deref()),
                ..line
            },
            Body::CallRefused(call) | Body::GuardOpened(call) => line.with_guarded_call(call),
            Body::HookError { message } => Self { message: lent(message.as_deref()), ..line },
            #[cfg(feature = "cli")]
            Body::StepEnded(step) => Self { step: lent(Some(step.as_ref())), ..line },
            #[cfg(feature = "cli")]
            Body::CaseDiagnosed(case) | Body::CaseFixReported(case) => Self { case: lent(Some(case.as_ref())), ..line },
            #[cfg(feature = "cli")]
            Body::DiagnosticReflection(reflection) => Self { reflection: lent(Some(reflection.as_ref())), ..line },
            Body::RecoveryAttempt(attempt) => Self { attempt: lent(Some(attempt)), ..line },
            Body::RecoveryComplete(complete) => Self { complete: lent(Some(complete)), ..line },
            Body::HistoryBegun { history_id } => Self { history_id: lent(history_id.as_deref()), ..line },
            Body::Foreign => line,
        }
    }

    fn with_execution(self, execution: &'a Execution) -> Self {
        Self {
            tool: lent(execution.tool.as_deref()),
            phase: execution.phase,
            outcome: execution.outcome,
            evidence: Cow::Borrowed(&execution.evidence),
            operation: lent(execution.operation.as_ref()),
            input: lent(execution.input.as_deref()),
            input_altered: execution.input_altered,
            cwd: lent(execution.cwd.as_deref()),
            effect: execution.effect,
            exit_code: execution.exit_code,
            text: lent(execution.text.as_deref()),
            reading: lent(execution.reading.as_ref()),
            signature: lent(execution.signature.as_ref()),
            files_touched: Cow::Borrowed(&execution.files_touched),
            cause: lent(execution.cause.as_deref()),
            conflict_id: lent(execution.conflict_id.as_deref()),
            failed_attempts: execution.failed_attempts,
            background_task: lent(execution.background_task.as_deref()),
            call: lent(execution.call.as_deref()),
            timeout_ms: execution.timeout_ms,
            met: lent(execution.met.as_ref()),
            took_ms: execution.took_ms,
            answered: lent(execution.answered.as_deref()),
            checks: Cow::Borrowed(&execution.checks),
            intent: execution.intent,
            parallel: execution.parallel,
            stash: execution.stash,
            restored: Cow::Borrowed(&execution.restored),
            changed: Cow::Borrowed(&execution.changed),
            misfit: lent(execution.misfit.as_ref()),
            ..self
        }
    }

    fn with_guarded_call(self, call: &'a GuardedCall) -> Self {
        Self {
            tool: lent(call.tool.as_deref()),
            operation: lent(call.operation.as_ref()),
            input: lent(call.input.as_deref()),
            call: lent(call.call.as_deref()),
            reason: lent(call.reason.as_deref()),
            until: lent(call.until.as_deref()),
            ..self
        }
    }

    fn into_event(mut self) -> Event {
        let [id, ts, node] = [&mut self.id, &mut self.ts, &mut self.node].map(|text| std::mem::take(text).into_owned());
        let optional = [&mut self.session, &mut self.agent, &mut self.worktree, &mut self.tool_use_id];
        let [session, agent, worktree, tool_use_id] = optional.map(|text| owned(text.take()));
        Event {
            v: self.v,
            id,
            ts,
            node,
            session,
            agent,
            worktree,
            tool_use_id,
            unlocked: self.unlocked,
            read_to: self.read_to,
            history_truncated: self.history_truncated,
            body: self.into_body(),
        }
    }

    /// The fields of the kind; others that the line may hold are nobody's.
    fn into_body(self) -> Body {
        match self.event {
            EventKind::ExecutionCompleted => Body::ExecutionCompleted(self.into_execution()),
            EventKind::ExecutionFailed => Body::ExecutionFailed(self.into_execution()),
            EventKind::FailureClassified => Body::FailureClassified(Box::new(Classified {
                phase: self.phase,
                plan: owned(self.plan),
                verdict: owned(self.verdict),
                advised: self.advised,
                topic: self.topic,
                mode: self.mode,
                told: owned(self.told),
                near: owned(self.near),
            })),
            EventKind::VerdictInDoubt => {
                Body::VerdictInDoubt { verdict_id: owned(self.verdict_id), reason: owned(self.reason) }
            }
            EventKind::AdviceGiven => Body::AdviceGiven { episodes: self.episodes.into_owned() },
            EventKind::PersonTold => {
                Body::PersonTold { episodes: self.episodes.into_owned(), reason: owned(self.reason) }
            }
            EventKind::Decision => Body::Decision(owned(self.decision).map(Box::new)),
            EventKind::NodeBound => Body::NodeBound { target: owned(self.target) },
            #[cfg(feature = "cli")]
            EventKind::FixReported if self.case.is_some() => {
                Body::CaseFixReported(Box::new(owned(self.case).unwrap_or_default()))
            }
            EventKind::FixReported => Body::FixReported(self.into_plan_event()),
            EventKind::PatternMuted => Body::PatternMuted(self.into_plan_event()),
            EventKind::PatternUnmuted => Body::PatternUnmuted(self.into_plan_event()),
            EventKind::ConflictDetected => Body::ConflictDetected(self.into_plan_event()),
            EventKind::ConflictArbitrated => Body::ConflictArbitrated(self.into_plan_event()),
            EventKind::ReplanProposed => Body::ReplanProposed(self.into_plan_event()),
            EventKind::ReplanRefusedBudget => Body::ReplanRefusedBudget(self.into_plan_event()),
            EventKind::FreezeApplied => Body::FreezeApplied(self.into_plan_event()),
            EventKind::ThawApplied => Body::ThawApplied(self.into_plan_event()),
            EventKind::StateChanged => {
                Body::StateChanged { change: owned(self.message).map(StateChange::parse), reason: owned(self.reason) }
            }
            EventKind::CallRefused => Body::CallRefused(self.into_guarded_call()),
            EventKind::GuardOpened => Body::GuardOpened(self.into_guarded_call()),
            EventKind::HookError => Body::HookError { message: owned(self.message) },
            #[cfg(feature = "cli")]
            EventKind::StepEnded => Body::StepEnded(Box::new(owned(self.step).unwrap_or_default())),
            #[cfg(feature = "cli")]
            EventKind::CaseDiagnosed => Body::CaseDiagnosed(Box::new(owned(self.case).unwrap_or_default())),
            #[cfg(feature = "cli")]
            EventKind::DiagnosticReflection => {
                Body::DiagnosticReflection(Box::new(owned(self.reflection).unwrap_or_default()))
            }
            EventKind::RecoveryAttempt => Body::RecoveryAttempt(owned(self.attempt).unwrap_or_default()),
            EventKind::RecoveryComplete => Body::RecoveryComplete(owned(self.complete).unwrap_or_default()),
            EventKind::HistoryBegun => Body::HistoryBegun { history_id: owned(self.history_id) },
            EventKind::Foreign => Body::Foreign,
        }
    }

    fn into_execution(self) -> Box<Execution> {
        Box::new(Execution {
            tool: owned(self.tool),
            phase: self.phase,
            outcome: self.outcome,
            evidence: self.evidence.into_owned(),
            operation: owned(self.operation),
            input: owned(self.input),
            input_altered: self.input_altered,
            cwd: owned(self.cwd),
            effect: self.effect,
            exit_code: self.exit_code,
            text: owned(self.text),
            reading: owned(self.reading),
            signature: owned(self.signature),
            files_touched: self.files_touched.into_owned(),
            cause: owned(self.cause),
            conflict_id: owned(self.conflict_id),
            failed_attempts: self.failed_attempts,
            background_task: owned(self.background_task),
            call: owned(self.call),
            timeout_ms: self.timeout_ms,
            met: owned(self.met),
            took_ms: self.took_ms,
            answered: owned(self.answered),
            checks: self.checks.into_owned(),
            intent: self.intent,
            parallel: self.parallel,
            stash: self.stash,
            restored: self.restored.into_owned(),
            changed: self.changed.into_owned(),
            misfit: owned(self.misfit),
        })
    }

    fn into_plan_event(self) -> PlanEvent {
        PlanEvent { target: owned(self.target), conflict_id: owned(self.conflict_id), reason: owned(self.reason) }
    }

    fn into_guarded_call(self) -> Box<GuardedCall> {
        Box::new(GuardedCall {
            tool: owned(self.tool),
            operation: owned(self.operation),
            input: owned(self.input),
            call: owned(self.call),
            reason: owned(self.reason),
            until: owned(self.until),
        })
    }
}

fn lent<T: ?Sized + ToOwned>(value: Option<&T>) -> Option<Cow<'_, T>> {
    value.map(Cow::Borrowed)
}

fn owned<T: ?Sized + ToOwned>(value: Option<Cow<'_, T>>) -> Option<T::Owned> {
    value.map(Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(line: &str) -> Option<EventKind> {
        match parse(line.as_bytes()) {
            Line::Event(event) => Some(event.kind()),
            _ => None,
        }
    }

    #[test]
    fn older_plan_trees_are_read() {
        let failed = r#"{"ts":"2026-09-02T08:31:02.114Z","node":"TASK-00412","event":"execution_failed","tool":"Bash","exit_code":101}"#;
        assert_eq!(kind(failed), Some(EventKind::ExecutionFailed));
        assert_eq!(
            kind(r#"{"ts":"t","verb":"replan","target":"STORY-1","reason":"r"}"#),
            Some(EventKind::ReplanProposed)
        );
        assert_eq!(kind(r#"{"ts":"t","node":"TASK-1","from":"active","to":"frozen"}"#), Some(EventKind::StateChanged));
        assert_eq!(kind(r#"{"ts":"t","verb":"plan_create","node":"FEAT-1","agent":"a"}"#), Some(EventKind::Foreign));
    }

    #[test]
    fn a_higher_version_is_not_guessed_at() {
        assert_eq!(parse(br#"{"v":2,"id":"x","event":"execution_failed"}"#), Line::Newer);
    }

    #[test]
    fn a_torn_line_is_unreadable() {
        assert_eq!(parse(br#"{"v":1,"id":"a","ts":"#), Line::Unreadable);
        assert_eq!(parse(b"  \n"), Line::Blank);
    }
}
