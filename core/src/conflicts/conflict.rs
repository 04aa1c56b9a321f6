//! Two nodes in each other's way.

use serde::{Deserialize, Deserializer, Serialize};
use sha2::{Digest, Sha256};

use crate::digest;
use crate::model::{is_node_id, words};

/// A conflict between two nodes, as each line of `conflicts.jsonl` holds it in full: the last line of an id is its state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Conflict {
    /// Made from what the conflict is, by [`Conflict::id_of`], so that finding it again gives the same id. Older logs
    /// hold counted ids.
    pub conflict_id: String,
    /// When it was found first, RFC 3339 UTC.
    #[serde(default)]
    pub detected_at: String,
    /// What found it.
    #[serde(default)]
    pub detected_by: String,
    /// How deep the two are in each other's way.
    #[serde(alias = "level")]
    pub layer: Layer,
    /// What the two share.
    #[serde(rename = "type", default)]
    pub kind: ConflictKind,
    /// Who is in it: one blocker and one that would start or change later.
    #[serde(deserialize_with = "both_shapes")]
    pub participants: Vec<Participant>,
    /// Where.
    #[serde(default, deserialize_with = "or_default")]
    pub overlap: Overlap,
    /// How sure the finding is, 0 to 1.
    #[serde(default = "certain")]
    pub confidence: f64,
    /// How often it was arbitrated.
    #[serde(default)]
    pub arbitrations: u32,
    /// The last arbitration.
    #[serde(default, deserialize_with = "or_default")]
    pub arbitration: Option<Arbitrated>,
    /// What was changed in the tree because of it, in words.
    #[serde(default, deserialize_with = "or_default")]
    pub actions_taken: Vec<String>,
    /// How it ended; None while it is open.
    #[serde(default)]
    pub resolution: Option<String>,
    /// Who ended it: `user`, or `arbiter` by the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_by: Option<String>,
    /// When it ended, RFC 3339 UTC.
    #[serde(default)]
    pub resolved_at: Option<String>,
    /// The conflict of the same two nodes and layer that ended before this one began; the same id where the very same
    /// conflict came back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prior: Option<String>,
}

impl Conflict {
    /// The id of a conflict, made from what it is: neither the order of the participants nor that of the files or
    /// functions matters.
    pub fn id_of<'a>(participants: [&str; 2], layer: Layer, kind: ConflictKind, overlap: &'a Overlap) -> String {
        let sorted = |mut words: Vec<&'a str>| {
            words.sort_unstable();
            words.dedup();
            words
        };
        let mut participants = participants;
        participants.sort_unstable();
        let files = sorted(overlap.files.iter().map(String::as_str).collect());
        let functions = sorted(overlap.functions.iter().flatten().map(String::as_str).collect());
        let mut hasher = Sha256::new();
        for list in [&participants[..], &[layer.as_str(), kind.as_str()], &files, &functions] {
            for word in list {
                hasher.update(word.as_bytes());
                hasher.update([0]);
            }
            hasher.update([1]);
        }
        format!("CONFLICT-{}", digest::hex(&hasher.finalize(), 4))
    }

    /// What the history says of how a conflict was found.
    pub fn found_in(layer: Layer, kind: ConflictKind, files: &[&str]) -> String {
        format!("{layer} {}: {}", kind.as_str(), files.join(", "))
    }

    /// The only file of a conflict that a failure was found to lie in, from the words of [`Conflict::found_in`].
    pub fn file_in(words: &str) -> Option<&str> {
        words.strip_prefix("L1 file_overlap: ")
    }

    /// Whether it names ids only, which may be looked up in the tree, and no node that would wait for itself.
    pub fn is_sound(&self) -> bool {
        let waits_for_itself = self.proposed().is_some_and(|id| self.blocker() == Some(id));
        let are_ids = is_node_id(&self.conflict_id) && self.participants.iter().all(|one| is_node_id(&one.task));
        are_ids && !waits_for_itself
    }

    /// Whether it ended.
    pub fn is_resolved(&self) -> bool {
        self.resolution.as_deref().is_some_and(|resolution| !resolution.is_empty()) || self.resolved_at.is_some()
    }

    /// Who was there first: the node that the other one waits for.
    pub fn blocker(&self) -> Option<&str> {
        self.with_role(ConflictRole::Blocker)
    }

    /// Who would start or change later: the node that is stopped, where one is.
    pub fn proposed(&self) -> Option<&str> {
        self.with_role(ConflictRole::Proposed)
    }

    /// Whether the conflict is between these two nodes.
    pub fn is_between(&self, one: &str, other: &str) -> bool {
        let names = |node: &str| self.participants.iter().any(|participant| participant.task == node);
        names(one) && names(other)
    }

    fn with_role(&self, role: ConflictRole) -> Option<&str> {
        self.participants.iter().find(|participant| participant.role == role).map(|found| found.task.as_str())
    }
}

/// A side of a conflict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Participant {
    /// The node.
    #[serde(alias = "node", alias = "node_id", alias = "id")]
    pub task: String,
    /// Which side it is.
    pub role: ConflictRole,
}

/// Which side of a conflict a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConflictRole {
    /// It would start, or change the shared part, later: it is the one that waits.
    Proposed,
    /// It was there first. Older logs call it `pending-confirm` or `active`.
    #[serde(alias = "pending-confirm", alias = "active")]
    Blocker,
}

words! {
    /// How deep two nodes are in each other's way.
    pub enum Layer {
        /// The same file.
        L1 = "L1",
        /// The same function or region of a file.
        L2 = "L2",
        /// The same intention.
        L3 = "L3",
        /// The same part of the architecture.
        L4 = "L4",
    }
}

words! {
    /// What two nodes share.
    #[derive(Default)]
    pub enum ConflictKind {
        /// A file, and nothing more is known.
        #[default]
        FileOverlap = "file_overlap",
        /// A function or region of a file.
        FunctionOverlap = "function_overlap",
        /// A file, in which each plans functions that the other does not: the weaker conflict.
        OtherFunctions = "other_functions",
        /// A word that this version does not know.
        #[serde(other)]
        Other = "other",
    }
}

/// Where two nodes are in each other's way.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Overlap {
    /// Paths relative to the project.
    #[serde(default, deserialize_with = "or_default")]
    pub files: Vec<String>,
    /// Functions in them, where both sides are known so closely.
    #[serde(default)]
    pub functions: Option<Vec<String>>,
}

/// The last arbitration of a conflict, as its record keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arbitrated {
    /// What was decided.
    pub decision: ArbitrationDecision,
    /// Whether it was carried out without a person.
    pub automatic: bool,
    /// When, RFC 3339 UTC.
    pub at: String,
    /// The `conflict_arbitrated` event of the history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// The event of the arbitration before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prior: Option<String>,
}

words! {
    /// What an arbitration decides.
    pub enum ArbitrationDecision {
        /// The proposed node and its descendants stop until the blocker is done.
        Freeze = "freeze",
        /// The proposed node goes on as planned: nothing is in its way any more.
        AutoThaw = "auto_thaw",
        /// The proposed node's plan no longer fits: it goes back to planned and must be replanned before it runs.
        AutoDiscard = "auto_discard",
        /// The proposed node depends on the blocker from now on: both keep their plans.
        SequentialReorder = "sequential_reorder",
        /// The story is replanned; until then the proposed node is frozen.
        Replan = "replan",
        /// A person chooses the side.
        UserPriority = "user_priority",
        /// A person has to look: arbitration goes in circles, or its means are used up.
        Escalate = "escalate",
    }
}

impl ArbitrationDecision {
    /// Whether the conflict is over once the decision is carried out.
    pub fn ends_the_conflict(self) -> bool {
        matches!(self, Self::AutoThaw | Self::AutoDiscard | Self::SequentialReorder)
    }

    /// Whether the proposed node waits while the conflict stays open, so that the blocker may go on.
    pub fn holds_the_proposed(self) -> bool {
        matches!(self, Self::Freeze | Self::Replan)
    }
}

fn certain() -> f64 {
    1.0
}

/// Older logs write `null` where nothing is known yet, and words of their own where a value is wanted.
fn or_default<'de, D: Deserializer<'de>, T: serde::de::DeserializeOwned + Default>(input: D) -> Result<T, D::Error> {
    let value = serde_json::Value::deserialize(input)?;
    Ok(serde_json::from_value(value).unwrap_or_default())
}

/// Participants are records or, in older logs, bare ids, of which the first one proposed. A role that nobody knows is
/// taken from the place as well.
fn both_shapes<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<Participant>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Shape {
        Record(Participant),
        Task {
            #[serde(alias = "node", alias = "node_id", alias = "id")]
            task: String,
        },
        Id(String),
    }
    let by_place = |place| if place == 0 { ConflictRole::Proposed } else { ConflictRole::Blocker };
    let shapes = Vec::<Shape>::deserialize(input)?;
    let participant = |(place, shape)| match shape {
        Shape::Record(participant) => participant,
        Shape::Task { task } | Shape::Id(task) => Participant { task, role: by_place(place) },
    };
    Ok(shapes.into_iter().enumerate().map(participant).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn older_records_are_read_with_their_roles() {
        let line = r#"{"conflict_id":"CONFLICT-00004","detected_at":"2031-01-05T10:00:00Z","detected_by":"x","layer":"L1",
            "type":"file_overlap","participants":[{"task":"T-1","role":"proposed"},{"task":"T-2","role":"pending-confirm"}],
            "overlap":{"files":["a.rs"],"functions":null,"schema_elements":null},"confidence":1.0,"arbitration":null,
            "actions_taken":[],"resolution":null,"resolved_at":null}"#;
        let conflict: Conflict = serde_json::from_str(line).unwrap();
        assert_eq!((conflict.proposed(), conflict.blocker()), (Some("T-1"), Some("T-2")));
        assert!(!conflict.is_resolved());
        let line = line.replace("\"layer\"", "\"level\"").replace("pending-confirm", "active");
        let conflict: Conflict = serde_json::from_str(&line).unwrap();
        assert_eq!((conflict.layer, conflict.blocker()), (Layer::L1, Some("T-2")));
        let bare = r#"{"conflict_id":"C-9","level":"L2","participants":["T-1",{"node":"T-4","role":"waiting"}]}"#;
        let conflict: Conflict = serde_json::from_str(bare).unwrap();
        assert_eq!((conflict.proposed(), conflict.blocker()), (Some("T-1"), Some("T-4")));
    }

    #[test]
    fn another_layer_kind_file_or_function_is_another_conflict() {
        let overlap = |files: &[&str], functions: Option<&[&str]>| Overlap {
            files: files.iter().map(|file| (*file).to_owned()).collect(),
            functions: functions.map(|names| names.iter().map(|name| (*name).to_owned()).collect()),
        };
        let id = |layer, kind, overlap: &Overlap| Conflict::id_of(["T-1", "T-2"], layer, kind, overlap);
        let one = id(Layer::L1, ConflictKind::FileOverlap, &overlap(&["a"], None));
        let (l2, function) = (Layer::L2, ConflictKind::FunctionOverlap);
        let others = [
            id(Layer::L1, ConflictKind::FileOverlap, &overlap(&["b"], None)),
            id(l2, function, &overlap(&["a"], Some(&["f"]))),
            id(l2, function, &overlap(&["a"], Some(&["g"]))),
            // The joint between files and functions counts.
            id(l2, function, &overlap(&["a", "f"], None)),
            id(l2, ConflictKind::OtherFunctions, &overlap(&["a"], None)),
            Conflict::id_of(["T-1", "T-3"], Layer::L1, ConflictKind::FileOverlap, &overlap(&["a"], None)),
        ];
        let all: std::collections::BTreeSet<&String> = others.iter().chain([&one]).collect();
        assert_eq!(all.len(), 7);
        assert!(
            one.strip_prefix("CONFLICT-")
                .is_some_and(|hex| hex.len() == 8 && hex.bytes().all(|b| b.is_ascii_hexdigit()))
        );
    }

    proptest! {
        #[test]
        fn an_id_does_not_depend_on_any_order(
            pair in prop::array::uniform2("[A-Z]{1,4}-[0-9]{1,5}"),
            files in prop::collection::vec("[a-z/.]{1,12}", 0..6).prop_shuffle(),
            functions in prop::option::of(prop::collection::vec("[a-z_]{1,8}", 0..4)),
            turn in 0_usize..6,
        ) {
            let overlap = Overlap { files, functions };
            let mut turned = overlap.clone();
            let by = turn.min(turned.files.len());
            turned.files.rotate_left(by);
            turned.functions.iter_mut().for_each(|names| names.reverse());
            let [one, other] = [pair[0].as_str(), pair[1].as_str()];
            let id = |pair, overlap| Conflict::id_of(pair, Layer::L2, ConflictKind::FunctionOverlap, overlap);
            prop_assert_eq!(id([one, other], &overlap), id([other, one], &turned));
        }
    }
}
