//! Conflicts between nodes: what one is, how it is found, which side gives way, and what the lines of their log say. Pure:
//! `arbiter` looks at the project and carries out what is decided here.

pub mod board;
mod conflict;
mod log;
pub mod overlap;
pub mod policy;
pub mod regions;

pub use conflict::{
    Arbitrated, ArbitrationDecision, Conflict, ConflictKind, ConflictRole, Layer, Overlap, Participant,
};
pub use log::{frozen_by, is_resolved, states, unresolved};

/// The file's name of the log, in the folder of a plan tree.
pub const CONFLICTS: &str = "conflicts.jsonl";
