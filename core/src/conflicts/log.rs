//! What the lines of `conflicts.jsonl` say: of one node, as the hook asks, and of all conflicts, as commands ask. The last
//! line of an id is its state.

use serde::Deserialize;
use serde_json::Value;

use super::{ArbitrationDecision, Conflict, ConflictRole};
use crate::model::{KnownConflict, is_node_id};

/// The most conflicts of one node that are kept apart; the oldest gives way.
const MOST_OPEN: usize = 64;
/// The most files of a conflict that are kept.
const MOST_FILES: usize = 8;

#[derive(Deserialize)]
struct LogLine {
    conflict_id: String,
    #[serde(default)]
    participants: Option<Vec<LoggedParticipant>>,
    #[serde(default)]
    resolution: Option<Value>,
    #[serde(default)]
    resolved_at: Option<Value>,
    #[serde(default)]
    arbitration: Option<Value>,
    #[serde(default)]
    overlap: Option<Value>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum LoggedParticipant {
    Record {
        #[serde(alias = "node", alias = "node_id", alias = "id")]
        task: String,
        #[serde(default)]
        role: Option<Value>,
    },
    Id(String),
}

impl LoggedParticipant {
    fn id(&self) -> &str {
        match self {
            Self::Record { task, .. } => task,
            Self::Id(id) => id,
        }
    }

    fn is_blocker(&self) -> bool {
        let Self::Record { role: Some(role), .. } = self else { return false };
        ConflictRole::deserialize(role).is_ok_and(|role| role == ConflictRole::Blocker)
    }
}

impl LogLine {
    /// The files that it is about.
    fn files(&self) -> Vec<String> {
        let files = self.overlap.as_ref().and_then(|overlap| overlap.get("files")).and_then(Value::as_array);
        files.into_iter().flatten().filter_map(Value::as_str).take(MOST_FILES).map(str::to_owned).collect()
    }

    /// Whether the other side waits because of it: then this blocker goes on, and its failures are its own.
    fn frees(&self, node: &str) -> bool {
        let decision = self.arbitration.as_ref().and_then(|arbitration| arbitration.get("decision"));
        let decision = decision.and_then(|decision| ArbitrationDecision::deserialize(decision).ok());
        let is_blocker = |one: &LoggedParticipant| one.id() == node && one.is_blocker();
        decision.is_some_and(ArbitrationDecision::holds_the_proposed)
            && self.participants.iter().flatten().any(is_blocker)
    }
}

struct OpenConflict {
    conflict: KnownConflict,
    /// Whether it ended or, for this node, is no longer in the way.
    resolved: bool,
}

/// The latest unresolved conflict that names `node`, from the lines of the log. The last line of a conflict decides
/// whether it is resolved; a resolution repeats no participants, so they are kept from the line that named them.
pub fn unresolved(log: &str, node: &str) -> Option<KnownConflict> {
    open(log, node).into_iter().rev().find(|open| !open.resolved).map(|open| open.conflict)
}

/// The conflict that a frozen node says it is frozen by; None where the log knows that it ended. Of one that the log does
/// not know, the other side is not known either.
pub fn frozen_by(log: &str, node: &str, conflict_id: &str) -> Option<KnownConflict> {
    match open(log, node).into_iter().find(|open| open.conflict.id == conflict_id) {
        Some(open) => (!open.resolved).then_some(open.conflict),
        None => Some(KnownConflict { id: conflict_id.to_owned(), with: None, blocks: false, files: Vec::new() }),
    }
}

/// Whether a conflict is resolved; None where no line speaks of it.
pub fn is_resolved(log: &str, conflict_id: &str) -> Option<bool> {
    let lines = log.lines().rev().filter(|line| line.contains(conflict_id));
    let mut records = lines.filter_map(|line| serde_json::from_str::<LogLine>(line).ok());
    let last = records.find(|line| line.conflict_id == conflict_id)?;
    Some(is_filled(last.resolution.as_ref()) || is_filled(last.resolved_at.as_ref()))
}

fn open(log: &str, node: &str) -> Vec<OpenConflict> {
    let mut conflicts: Vec<OpenConflict> = Vec::new();
    if !log.contains(node) {
        return conflicts;
    }
    for line in log.lines().filter_map(|line| serde_json::from_str::<LogLine>(line).ok()) {
        if is_node_id(&line.conflict_id) {
            note(&mut conflicts, line, node);
        }
    }
    conflicts
}

fn note(conflicts: &mut Vec<OpenConflict>, line: LogLine, node: &str) {
    let resolved = is_filled(line.resolution.as_ref()) || is_filled(line.resolved_at.as_ref());
    let resolved = resolved || line.frees(node);
    let known = conflicts.iter().position(|open| open.conflict.id == line.conflict_id);
    let files = line.files();
    let Some(participants) = line.participants else {
        known.and_then(|at| conflicts.get_mut(at)).into_iter().for_each(|open| open.resolved = resolved);
        return;
    };
    // Named again: the line takes the place of what was known, and of its rank.
    known.map(|at| conflicts.remove(at));
    if participants.iter().any(|one| one.id() == node) {
        let with =
            participants.iter().map(LoggedParticipant::id).find(|id| *id != node && is_node_id(id)).map(str::to_owned);
        let blocks = participants.iter().any(|one| one.id() == node && one.is_blocker());
        push(
            conflicts,
            OpenConflict { conflict: KnownConflict { id: line.conflict_id, with, blocks, files }, resolved },
        );
    }
}

fn push(conflicts: &mut Vec<OpenConflict>, open: OpenConflict) {
    if conflicts.len() == MOST_OPEN {
        conflicts.remove(0);
    }
    conflicts.push(open);
}

fn is_filled(value: Option<&Value>) -> bool {
    value.is_some_and(|value| !matches!(value, Value::Null | Value::Bool(false)) && value.as_str() != Some(""))
}

/// The line that older scripts write when a conflict ends: it repeats nothing else.
#[derive(Deserialize)]
struct EndLine {
    conflict_id: String,
    resolution: String,
    #[serde(default)]
    resolved_by: Option<String>,
    #[serde(default, alias = "ts")]
    resolved_at: Option<String>,
}

/// The state of each conflict. The last line of an id is its state; an end keeps what the lines before it told. Lines that
/// are neither, and ends of conflicts whose other lines are gone, are stepped over.
pub fn states(log: &str) -> Vec<Conflict> {
    let mut conflicts: Vec<Conflict> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for line in log.lines() {
        if let Ok(conflict) = serde_json::from_str::<Conflict>(line) {
            if !conflict.is_sound() {
                continue;
            }
            let place = *places.entry(conflict.conflict_id.clone()).or_insert(conflicts.len());
            match conflicts.get_mut(place) {
                Some(known) => *known = conflict,
                None => conflicts.push(conflict),
            }
        } else if let Ok(ended) = serde_json::from_str::<EndLine>(line)
            && let Some(known) = places.get(&ended.conflict_id).and_then(|place| conflicts.get_mut(*place))
        {
            known.resolution = Some(ended.resolution);
            known.resolved_by = ended.resolved_by;
            known.resolved_at = ended.resolved_at;
        }
    }
    conflicts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Conflict, MOST_OPEN, frozen_by, states, unresolved};

    fn detected(id: &str, a: &str, b: &str) -> String {
        format!(
            r#"{{"conflict_id":"{id}","detected_at":"2031-01-05T10:00:00.100Z","layer":"L1","type":"file_overlap","participants":[{{"task":"{a}","role":"proposed"}},{{"task":"{b}","role":"pending-confirm"}}],"overlap":{{"files":["src/scale.rs"]}},"resolution":null,"resolved_at":null}}"#
        ) + "\n"
    }

    fn resolved(id: &str) -> String {
        format!(
            r#"{{"ts":"2031-01-05T11:00:00Z","conflict_id":"{id}","resolution":"sequential","resolved_by":"user"}}"#
        ) + "\n"
    }

    fn found(log: &str, node: &str) -> Option<(String, Option<String>)> {
        unresolved(log, node).map(|conflict| (conflict.id, conflict.with))
    }

    #[test]
    fn an_open_conflict_names_both_sides() {
        let log = detected("CONFLICT-00001", "TASK-00001", "TASK-00002");
        let both = |with: &str| Some(("CONFLICT-00001".to_owned(), Some(with.to_owned())));
        assert_eq!(found(&log, "TASK-00001"), both("TASK-00002"));
        assert_eq!(found(&log, "TASK-00002"), both("TASK-00001"));
        assert_eq!(found(&log, "TASK-00003"), None);
        assert_eq!(found(&log, "TASK-0000"), None);
    }

    #[test]
    fn a_conflict_is_open_until_a_line_says_otherwise() {
        let open = detected("C-1", "T-1", "T-2");
        assert_eq!(super::is_resolved(&(open.clone() + &resolved("C-1")), "C-1"), Some(true));
        assert_eq!(super::is_resolved(&open, "C-1"), Some(false));
        assert_eq!(super::is_resolved(&open, "C-2"), None);
    }

    #[test]
    fn the_last_line_of_a_conflict_decides() {
        let open = detected("C-1", "T-1", "T-2");
        let closed = open.clone() + &resolved("C-1");
        assert_eq!(found(&closed, "T-1"), None);
        assert_eq!(found(&(closed.clone() + &open), "T-1"), Some(("C-1".into(), Some("T-2".into()))));
        assert_eq!(frozen_by(&closed, "T-1", "C-1"), None, "frozen still, but the conflict is over");
        assert_eq!(frozen_by(&open, "T-1", "C-1").and_then(|conflict| conflict.with).as_deref(), Some("T-2"));
        assert_eq!(frozen_by(&closed, "T-1", "C-7").map(|conflict| conflict.with), Some(None), "the log forgot it");
    }

    #[test]
    fn the_winner_of_an_arbitration_is_in_no_conflict() {
        let record = |decision: &str| {
            format!(
                r#"{{"conflict_id":"C-1","layer":"L1","participants":[{{"task":"T-1","role":"proposed"}},{{"task":"T-2","role":"blocker"}}],"arbitration":{{"decision":"{decision}","automatic":true,"at":""}},"resolution":null}}"#
            )
        };
        for (decision, frees) in [("freeze", true), ("replan", true), ("user_priority", false), ("???", false)] {
            assert!(found(&record(decision), "T-1").is_some(), "{decision}");
            assert_eq!(found(&record(decision), "T-2").is_none(), frees, "{decision}");
        }
        // The other way round it would be the frozen one that goes on.
        let turned =
            record("freeze").replace("proposed", "x").replace("blocker", "proposed").replace("\"x\"", "\"active\"");
        assert!(found(&turned, "T-2").is_some() && found(&turned, "T-1").is_none());
    }

    #[test]
    fn the_latest_open_conflict_is_told() {
        let log = detected("C-1", "T-1", "T-2") + &detected("C-2", "T-3", "T-1") + &resolved("C-1");
        assert_eq!(found(&log, "T-1"), Some(("C-2".into(), Some("T-3".into()))));
        let log = detected("C-1", "T-1", "T-2") + &detected("C-2", "T-3", "T-1") + &resolved("C-2");
        assert_eq!(found(&log, "T-1"), Some(("C-1".into(), Some("T-2".into()))));
    }

    #[test]
    fn broken_lines_and_strange_shapes_are_stepped_over() {
        let log = String::from(
            "{\"conflict_id\":\"C-0\",\"partic\n[]\n\nnull\n{\"conflict_id\":\"../x\",\"participants\":[\"T-1\"]}\n",
        ) + "{\"conflict_id\":\"C-9\",\"level\":\"L2\",\"participants\":[\"T-1\",\"T-4\"]}\n";
        assert_eq!(found(&log, "T-1"), Some(("C-9".into(), Some("T-4".into()))));
        let alone = "{\"conflict_id\":\"C-9\",\"participants\":[{\"task\":\"T-1\"}]}";
        assert_eq!(found(alone, "T-1"), Some(("C-9".into(), None)));
    }

    #[test]
    fn conflicts_of_one_node_are_bounded() {
        let log = (0..200).map(|n| detected(&format!("C-{n}"), "T-1", "T-2")).collect::<Vec<_>>().concat();
        assert_eq!(super::open(&log, "T-1").len(), MOST_OPEN);
        assert_eq!(found(&log, "T-1").unwrap().0, "C-199");
    }

    /// The predecessor's resolution line held four fields, and took the place of the whole record.
    #[test]
    fn a_resolution_loses_no_participants() {
        let folded = states(&(detected("C-4", "TASK-1", "TASK-2") + &resolved("C-4")));
        assert_eq!(folded.len(), 1);
        assert_eq!((folded[0].proposed(), folded[0].blocker()), (Some("TASK-1"), Some("TASK-2")));
        assert_eq!(folded[0].resolution.as_deref(), Some("sequential"));
        assert_eq!(states(&resolved("C-4")), [], "an end without a beginning");
    }

    #[test]
    fn hostile_lines_have_no_state() {
        for line in [
            "",
            "null",
            "[]",
            "{}",
            r#"{"conflict_id":"../x","layer":"L1","participants":[]}"#,
            r#"{"conflict_id":"C-1","layer":"L9","participants":[]}"#,
            r#"{"conflict_id":"C-1","layer":"L1","participants":["../../etc"]}"#,
            &detected("C-1", "TASK-1", "TASK-1"),
        ] {
            assert_eq!(states(line), [], "{line}");
        }
    }

    proptest! {
        #[test]
        fn any_interleaving_gives_one_state_an_id(lines in prop::collection::vec((0_usize..4, 0_usize..3), 0..40)) {
            let line = |(id, what): &(usize, usize)| match what {
                0 => detected(&format!("C-{id}"), "TASK-1", "TASK-2"),
                1 => resolved(&format!("C-{id}")),
                _ => detected(&format!("C-{id}"), "TASK-8", "TASK-9"),
            };
            let folded = states(&lines.iter().map(line).collect::<String>());
            for id in 0..4 {
                let own: Vec<usize> = lines.iter().filter(|(of, _)| *of == id).map(|(_, what)| *what).collect();
                let named = own.iter().position(|what| *what != 1);
                let found: Vec<&Conflict> = folded.iter().filter(|one| one.conflict_id == format!("C-{id}")).collect();
                prop_assert_eq!(found.len(), usize::from(named.is_some()));
                if let (Some(state), Some(named)) = (found.first(), named) {
                    prop_assert_eq!(state.is_resolved(), own[named..].last() == Some(&1));
                    prop_assert_eq!(state.participants.len(), 2);
                }
            }
        }
    }
}
