//! Lines of `history.jsonl` of every shape that was ever written, as events.

use std::borrow::Cow;

use serde::{Deserialize, Serialize, Serializer};
use serde::{Deserializer, de::Error as _};
use serde_json::value::RawValue;

use super::event::{Body, Effect, Event, EventKind, Execution, PlanEvent, StateChange};
use super::event::{CaseNote, StepSummary};
use super::recovery::Reflection;
use super::recovery::{RecoveryAttempt, RecoveryComplete};
use crate::model::{Decision, Host, Ids, Outcome, Phase};
use crate::redact::redact;
use crate::text::tail;

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
    // Looked at once as a whole, and not text by text.
    let Ok(line) = str::from_utf8(line.trim_ascii()) else { return Line::Unreadable };
    if line.is_empty() {
        return Line::Blank;
    }
    // A torn line that was healed holds a fragment before its newline; only a whole object is an event.
    let event = match serde_json::from_str::<Flat<'_>>(line) {
        Ok(flat) if flat.v > Event::VERSION => return Line::Newer,
        Ok(flat) => body(flat.event, line).ok().map(|body| flat.into_event(body)),
        Err(_) => match serde_json::from_str::<Versioned>(line).map(|versioned| versioned.v) {
            Ok(Some(v)) if v > Event::VERSION => return Line::Newer,
            Ok(None) => serde_json::from_str::<Older>(line).ok().and_then(Older::into_event),
            _ => None,
        },
    };
    event.map_or(Line::Unreadable, |event| Line::Event(Box::new(event)))
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
    #[serde(default)]
    files_touched: Vec<String>,
    stderr_tail: Option<String>,
}

/// The end of a foreign text, as the history keeps its own.
fn kept_tail(text: &str) -> String {
    tail(&redact(text), Execution::TEXT_LIMIT).to_owned()
}

impl Older {
    fn into_event(self) -> Option<Event> {
        let node = self.node.or(self.target)?;
        let word = self.event.as_deref().or(self.verb.as_deref()).or(self.to.as_ref().map(|_| "state_changed"))?;
        let message = match (self.from, self.to) {
            (Some(from), Some(to)) => Some(format!("{from} -> {to}")),
            (_, to) => to.or(self.reason),
        };
        let ended = |outcome: Outcome, conflict_id: Option<String>| Execution {
            tool: self.tool,
            exit_code: self.exit_code,
            conflict_id,
            effect: if self.files_touched.is_empty() { Effect::None } else { Effect::Files },
            files_touched: self.files_touched,
            text: self.stderr_tail.as_deref().map(kept_tail),
            phase: Some(Phase::Call),
            outcome: Some(outcome),
            ..Execution::default()
        };
        let plan = |message: Option<String>, conflict_id: Option<String>| PlanEvent {
            target: None,
            conflict_id,
            reason: message,
        };
        let body = match word {
            "execution_completed" => Body::ExecutionCompleted(Box::new(ended(Outcome::Succeeded, self.conflict_id))),
            "execution_failed" => Body::ExecutionFailed(Box::new(ended(Outcome::Failed, self.conflict_id))),
            "conflict_detected" => Body::ConflictDetected(plan(message, self.conflict_id)),
            "conflict_arbitrated" | "conflicts.resolve" => Body::ConflictArbitrated(plan(message, self.conflict_id)),
            "replan" | "replan_proposed" => Body::ReplanProposed(plan(message, self.conflict_id)),
            "replan_refused_budget" => Body::ReplanRefusedBudget(plan(message, self.conflict_id)),
            "freeze" | "freeze_applied" => Body::FreezeApplied(plan(message, self.conflict_id)),
            "thaw" | "thaw_applied" => Body::ThawApplied(plan(message, self.conflict_id)),
            "state_changed" => Body::StateChanged { change: message.map(StateChange::parse), reason: None },
            _ => Body::Foreign,
        };
        let ts = self.ts.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default();
        Some(Event::new(String::new(), ts, &node, &Ids::default(), body))
    }
}

/// A line as it stands in the file: one flat object, in this order. The fields of the kind stand in the midst of those that
/// every line may have, and are read by themselves: a line has none but its own, and unknown ones are ignored.
#[derive(Serialize, Deserialize)]
struct Flat<'a> {
    v: u32,
    id: Cow<'a, str>,
    ts: Cow<'a, str>,
    event: EventKind,
    node: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Host::is_unnamed")]
    host: Host,
    #[serde(skip_serializing_if = "Option::is_none")]
    worktree: Option<Cow<'a, str>>,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    tool: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_use_id: Option<Cow<'a, str>>,
    #[serde(skip_deserializing, flatten)]
    body: Option<&'a Body>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    unlocked: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    read_to: Option<u64>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    history_truncated: bool,
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let lent = |text: Option<_>| text.map(Cow::Borrowed);
        let line = Flat {
            v: self.v,
            id: Cow::Borrowed(&self.id),
            ts: Cow::Borrowed(&self.ts),
            event: self.kind(),
            node: Cow::Borrowed(&self.node),
            session: lent(self.session.as_deref()),
            agent: lent(self.agent.as_deref()),
            host: self.host,
            worktree: lent(self.worktree.as_deref()),
            tool: self.tool(),
            tool_use_id: lent(self.tool_use_id.as_deref()),
            body: Some(&self.body),
            unlocked: self.unlocked,
            read_to: self.read_to,
            history_truncated: self.history_truncated,
        };
        line.serialize(serializer)
    }
}

/// A line within another document.
impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match parse(Box::<RawValue>::deserialize(deserializer)?.get().as_bytes()) {
            Line::Event(event) => Ok(*event),
            _ => Err(D::Error::custom("an event of another version, or none")),
        }
    }
}

impl Flat<'_> {
    fn into_event(self, body: Body) -> Event {
        let owned = |text: Option<Cow<'_, str>>| text.map(Cow::into_owned);
        Event {
            v: self.v,
            id: self.id.into_owned(),
            ts: self.ts.into_owned(),
            node: self.node.into_owned(),
            session: owned(self.session),
            agent: owned(self.agent),
            host: self.host,
            worktree: owned(self.worktree),
            tool_use_id: owned(self.tool_use_id),
            unlocked: self.unlocked,
            read_to: self.read_to,
            history_truncated: self.history_truncated,
            body,
        }
    }
}

/// The fields of the kinds that have few.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Few {
    verdict_id: Option<String>,
    reason: Option<String>,
    episodes: Vec<String>,
    decision: Option<Box<Decision>>,
    target: Option<String>,
    message: Option<String>,
    step: Box<StepSummary>,
    case: Option<Box<CaseNote>>,
    reflection: Box<Reflection>,
    attempt: Box<RecoveryAttempt>,
    complete: Box<RecoveryComplete>,
    history_id: Option<String>,
}

/// The fields of the kind; others that the line may hold are nobody's.
fn body(kind: EventKind, line: &str) -> serde_json::Result<Body> {
    let few = || serde_json::from_str::<Few>(line);
    let plan = || serde_json::from_str::<PlanEvent>(line);
    Ok(match kind {
        EventKind::ExecutionCompleted => Body::ExecutionCompleted(serde_json::from_str(line)?),
        EventKind::ExecutionFailed => Body::ExecutionFailed(serde_json::from_str(line)?),
        EventKind::FailureClassified => Body::FailureClassified(serde_json::from_str(line)?),
        EventKind::CallRefused => Body::CallRefused(serde_json::from_str(line)?),
        EventKind::GuardOpened => Body::GuardOpened(serde_json::from_str(line)?),
        EventKind::PatternMuted => Body::PatternMuted(plan()?),
        EventKind::PatternUnmuted => Body::PatternUnmuted(plan()?),
        EventKind::ConstraintViolated => Body::ConstraintViolated(plan()?),
        EventKind::ConflictDetected => Body::ConflictDetected(plan()?),
        EventKind::ConflictArbitrated => Body::ConflictArbitrated(plan()?),
        EventKind::ReplanProposed => Body::ReplanProposed(plan()?),
        EventKind::ReplanRefusedBudget => Body::ReplanRefusedBudget(plan()?),
        EventKind::FreezeApplied => Body::FreezeApplied(plan()?),
        EventKind::ThawApplied => Body::ThawApplied(plan()?),
        EventKind::FixReported => match few()?.case {
            Some(case) => Body::CaseFixReported { case },
            None => Body::FixReported(plan()?),
        },
        EventKind::VerdictInDoubt => {
            few().map(|few| Body::VerdictInDoubt { verdict_id: few.verdict_id, reason: few.reason })?
        }
        EventKind::AdviceGiven => Body::AdviceGiven { episodes: few()?.episodes },
        EventKind::PersonTold => few().map(|few| Body::PersonTold { episodes: few.episodes, reason: few.reason })?,
        EventKind::Decision => Body::Decision { decision: few()?.decision },
        EventKind::NodeBound => Body::NodeBound { target: few()?.target },
        EventKind::AgentEnded => Body::AgentEnded { target: few()?.target },
        EventKind::StateChanged => {
            few().map(|few| Body::StateChanged { change: few.message.map(StateChange::parse), reason: few.reason })?
        }
        EventKind::HookError => Body::HookError { message: few()?.message },
        EventKind::StepEnded => Body::StepEnded { step: few()?.step },
        EventKind::CaseDiagnosed => Body::CaseDiagnosed { case: few()?.case.unwrap_or_default() },
        EventKind::DiagnosticReflection => Body::DiagnosticReflection { reflection: few()?.reflection },
        EventKind::RecoveryAttempt => Body::RecoveryAttempt { attempt: few()?.attempt },
        EventKind::RecoveryComplete => Body::RecoveryComplete { complete: few()?.complete },
        EventKind::HistoryBegun => Body::HistoryBegun { history_id: few()?.history_id },
        EventKind::Foreign => Body::Foreign,
    })
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
