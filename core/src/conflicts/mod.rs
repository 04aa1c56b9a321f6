//! Conflicts between nodes: what one is, and what the lines of their log say. Pure: `arbiter` looks at the project and carries out
//! what the commands' part of this room decides.

mod conflict;
mod log;

pub use conflict::{
    Arbitrated, ArbitrationDecision, Conflict, ConflictKind, ConflictRole, Layer, Overlap, Participant,
};
pub use log::{frozen_by, is_resolved, states, unresolved};

/// The file's name of the log, in the folder of a plan tree.
pub const CONFLICTS: &str = "conflicts.jsonl";
