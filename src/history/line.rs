//! Lines of `history.jsonl` of every shape that was ever written, as events.

use serde::Deserialize;

use super::{Event, EventKind};
use crate::model::{Ids, Outcome, Phase};

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
        let ts = self.ts.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
        let mut event = Event::new(kind, String::new(), &ts, &node, &Ids::default());
        event.tool = self.tool;
        event.exit_code = self.exit_code;
        event.conflict_id = self.conflict_id;
        event.message = match (self.from, self.to) {
            (Some(from), Some(to)) => Some(format!("{from} -> {to}")),
            (_, to) => to.or(self.reason),
        };
        event.outcome = match kind {
            EventKind::ExecutionCompleted => Some(Outcome::Succeeded),
            EventKind::ExecutionFailed => Some(Outcome::Failed),
            _ => None,
        };
        event.phase = event.outcome.map(|_| Phase::Call);
        Some(event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(line: &str) -> Option<EventKind> {
        match parse(line.as_bytes()) {
            Line::Event(event) => Some(event.event),
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
