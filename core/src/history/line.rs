//! Lines of `history.jsonl` of every shape that was ever written, as events.

use std::borrow::Cow;
use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Error as _, IgnoredAny, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
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
    let event = whole(line, None).or_else(|_| {
        // Another writer may name the kind behind its fields; or it is of another version.
        let KindOfLine { v, event } = serde_json::from_str(line)?;
        match v {
            Some(v) if v > Event::VERSION => {
                Ok(Event { v, ..Event::new(String::new(), "", "", &Ids::default(), Body::Foreign) })
            }
            Some(_) => whole(line, event.and_then(|word| serde_json::from_value(word).ok())),
            None => {
                serde_json::from_str::<Older>(line)?.into_event().ok_or_else(|| serde_json::Error::custom("no node"))
            }
        }
    });
    match event {
        Ok(event) if event.v > Event::VERSION => Line::Newer,
        Ok(event) => Line::Event(Box::new(event)),
        Err(_) => Line::Unreadable,
    }
}

/// What a line says that is no event of this version, or not in the usual order.
#[derive(Deserialize)]
struct KindOfLine {
    v: Option<u32>,
    event: Option<serde_json::Value>,
}

/// Reads a line at once: its head, and the fields of its kind, which stands before them unless it is given.
fn whole(line: &str, kind: Option<EventKind>) -> serde_json::Result<Event> {
    let mut json = serde_json::Deserializer::from_str(line);
    let event = json.deserialize_map(WholeLine(kind))?;
    json.end().map(|()| event)
}

struct WholeLine(Option<EventKind>);

impl<'de> Visitor<'de> for WholeLine {
    type Value = Event;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an event")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Event, A::Error> {
        let mut head = Event::new(String::new(), "", "", &Ids::default(), Body::Foreign);
        let mut fields = LineFields { map, head: &mut head, kind: self.0, met: 0, next: None };
        fields.next = fields.own_key()?;
        let kind = fields.kind.ok_or_else(|| A::Error::custom("no kind"))?;
        let body = body(kind, MapAccessDeserializer::new(&mut fields))?;
        // Those that nobody may lack come first.
        if fields.met & 0b1_1111 != 0b1_1111 {
            return Err(A::Error::custom("no whole head"));
        }
        head.body = body;
        Ok(head)
    }
}

/// The fields of a line: those that every line may have are put into the head, the others are told on.
struct LineFields<'h, 'de, A> {
    map: A,
    head: &'h mut Event,
    kind: Option<EventKind>,
    /// Which of the head were met, a bit each.
    met: u16,
    /// The key that is told next.
    next: Option<FieldKey<'de>>,
}

/// The name of a field: a part of the line, save where it is escaped.
#[derive(Deserialize)]
struct FieldKey<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de, A: MapAccess<'de>> LineFields<'_, 'de, A> {
    /// The next key that is none of the head's.
    fn own_key(&mut self) -> Result<Option<FieldKey<'de>>, A::Error> {
        let Self { map, head, kind, met, .. } = self;
        while let Some(key) = map.next_key::<FieldKey<'_>>()? {
            match &*key.0 {
                "v" => head.v = told_once(map, met, 0)?,
                "id" => head.id = told_once(map, met, 1)?,
                "ts" => head.ts = told_once(map, met, 2)?,
                "event" => *kind = Some(told_once(map, met, 3)?),
                "node" => head.node = told_once(map, met, 4)?,
                "session" => head.session = told_once(map, met, 5)?,
                "agent" => head.agent = told_once(map, met, 6)?,
                "host" => head.host = told_once(map, met, 7)?,
                "worktree" => head.worktree = told_once(map, met, 8)?,
                "tool_use_id" => head.tool_use_id = told_once(map, met, 9)?,
                "unlocked" => head.unlocked = told_once(map, met, 10)?,
                "read_to" => head.read_to = told_once(map, met, 11)?,
                "history_truncated" => head.history_truncated = told_once(map, met, 12)?,
                _ => return Ok(Some(key)),
            }
        }
        Ok(None)
    }
}

/// The value of a field that a line has once.
fn told_once<'de, T: Deserialize<'de>, A: MapAccess<'de>>(
    map: &mut A,
    met: &mut u16,
    place: u8,
) -> Result<T, A::Error> {
    if *met & (1 << place) != 0 {
        return Err(A::Error::custom("a field twice"));
    }
    *met |= 1 << place;
    map.next_value()
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for &mut LineFields<'_, 'de, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        let key = match self.next.take() {
            None => self.own_key()?,
            key => key,
        };
        key.map(|FieldKey(key)| seed.deserialize(key.into_deserializer())).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(seed)
    }
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
/// every line may have: a line has none but its own, and unknown ones are ignored.
#[derive(Serialize)]
struct Flat<'a> {
    v: u32,
    id: &'a str,
    ts: &'a str,
    event: EventKind,
    node: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<&'a str>,
    #[serde(skip_serializing_if = "Host::is_unnamed")]
    host: Host,
    #[serde(skip_serializing_if = "Option::is_none")]
    worktree: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_use_id: Option<&'a str>,
    #[serde(flatten)]
    body: &'a Body,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unlocked: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    read_to: Option<u64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    history_truncated: bool,
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let line = Flat {
            v: self.v,
            id: &self.id,
            ts: &self.ts,
            event: self.kind(),
            node: &self.node,
            session: self.session.as_deref(),
            agent: self.agent.as_deref(),
            host: self.host,
            worktree: self.worktree.as_deref(),
            tool: self.tool(),
            tool_use_id: self.tool_use_id.as_deref(),
            body: &self.body,
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

/// The fields of the kinds that have few.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Few {
    verdict_id: Option<String>,
    conflict_id: Option<String>,
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
fn body<'de, D: Deserializer<'de>>(kind: EventKind, from: D) -> Result<Body, D::Error> {
    let few = Few::deserialize;
    let plan = PlanEvent::deserialize;
    Ok(match kind {
        EventKind::ExecutionCompleted => Body::ExecutionCompleted(Deserialize::deserialize(from)?),
        EventKind::ExecutionFailed => Body::ExecutionFailed(Deserialize::deserialize(from)?),
        EventKind::FailureClassified => Body::FailureClassified(Deserialize::deserialize(from)?),
        EventKind::CallRefused => Body::CallRefused(Deserialize::deserialize(from)?),
        EventKind::GuardOpened => Body::GuardOpened(Deserialize::deserialize(from)?),
        EventKind::PatternMuted => Body::PatternMuted(plan(from)?),
        EventKind::PatternUnmuted => Body::PatternUnmuted(plan(from)?),
        EventKind::ConstraintViolated => Body::ConstraintViolated(plan(from)?),
        EventKind::ConflictDetected => Body::ConflictDetected(plan(from)?),
        EventKind::ConflictArbitrated => Body::ConflictArbitrated(plan(from)?),
        EventKind::ReplanProposed => Body::ReplanProposed(plan(from)?),
        EventKind::ReplanRefusedBudget => Body::ReplanRefusedBudget(plan(from)?),
        EventKind::FreezeApplied => Body::FreezeApplied(plan(from)?),
        EventKind::ThawApplied => Body::ThawApplied(plan(from)?),
        EventKind::FixReported => {
            let Few { case, target, conflict_id, reason, .. } = few(from)?;
            let plan = PlanEvent { target, conflict_id, reason };
            case.map_or(Body::FixReported(plan), |case| Body::CaseFixReported { case })
        }
        EventKind::VerdictInDoubt => {
            few(from).map(|few| Body::VerdictInDoubt { verdict_id: few.verdict_id, reason: few.reason })?
        }
        EventKind::AdviceGiven => Body::AdviceGiven { episodes: few(from)?.episodes },
        EventKind::PersonTold => {
            few(from).map(|few| Body::PersonTold { episodes: few.episodes, reason: few.reason })?
        }
        EventKind::Decision => Body::Decision { decision: few(from)?.decision },
        EventKind::NodeBound => Body::NodeBound { target: few(from)?.target },
        EventKind::AgentEnded => Body::AgentEnded { target: few(from)?.target },
        EventKind::StateChanged => few(from)
            .map(|few| Body::StateChanged { change: few.message.map(StateChange::parse), reason: few.reason })?,
        EventKind::HookError => Body::HookError { message: few(from)?.message },
        EventKind::StepEnded => Body::StepEnded { step: few(from)?.step },
        EventKind::CaseDiagnosed => Body::CaseDiagnosed { case: few(from)?.case.unwrap_or_default() },
        EventKind::DiagnosticReflection => Body::DiagnosticReflection { reflection: few(from)?.reflection },
        EventKind::RecoveryAttempt => Body::RecoveryAttempt { attempt: few(from)?.attempt },
        EventKind::RecoveryComplete => Body::RecoveryComplete { complete: few(from)?.complete },
        EventKind::HistoryBegun => Body::HistoryBegun { history_id: few(from)?.history_id },
        EventKind::Foreign => IgnoredAny::deserialize(from).map(|_| Body::Foreign)?,
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
    fn the_kind_may_stand_behind_its_fields_and_no_field_stands_twice() {
        let usual =
            r#"{"v":1,"id":"a","ts":"t","event":"hook_error","node":"n","message":"m","other":[1],"read_to":7}"#;
        let turned =
            r#"{"message":"m","read_to":7,"node":"n","other":[1],"v":1,"ts":"t","event":"hook_error","id":"a"}"#;
        let Line::Event(event) = parse(usual.as_bytes()) else { panic!("{usual}") };
        assert_eq!((event.read_to, &event.body), (Some(7), &Body::HookError { message: Some("m".to_owned()) }));
        let same = event.clone();
        assert_eq!(parse(turned.as_bytes()), Line::Event(event));
        for odd in ["\"node\":\"n\",", "\"message\":\"m\",", "\"v\":1,"] {
            assert_eq!(parse(usual.replacen('{', &format!("{{{odd}"), 1).as_bytes()), Line::Unreadable, "{odd}");
        }
        // Another writer may escape a key.
        assert_eq!(
            parse(usual.replace("other", "oth\\u0065r").replace("node", "nod\\u0065").as_bytes()),
            Line::Event(same)
        );
        for lacking in ["\"id\":\"a\",", "\"ts\":\"t\",", "\"node\":\"n\","] {
            assert_eq!(parse(usual.replace(lacking, "").as_bytes()), Line::Unreadable, "{lacking}");
        }
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
