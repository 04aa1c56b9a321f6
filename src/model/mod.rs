//! The values that everything else speaks in: one type a file, no behaviour beyond their own invariants.

mod category;
mod check;
mod class;
mod decision;
mod failure_event;
mod node_id;
mod node_status;
mod operation;
mod outcome;
mod path_pattern;
mod plan_facts;
mod reading;
mod signature;
mod tool;
mod tool_call;
mod topic;
mod turn;
mod verdict;

pub use category::Category;
pub use check::{Check, CheckEnd, Intent, Stash};
pub use class::{Action, Class, Confidence};
pub use decision::{Budgets, Decision, DecisionAction, Mutation, NextCommand};
pub use failure_event::FailureEvent;
pub use node_id::is_node_id;
pub use node_status::{NodeStatus, TRANSITIONS, Transition};
pub use operation::Operation;
pub use outcome::Outcome;
pub use path_pattern::{path_matches, pattern_problem};
pub use plan_facts::{Ancestor, Constraint, ConstraintKind, Dependency, ForeignArtifact, KnownConflict, PlanFacts};
pub use reading::{Basis, Object, ObjectKind, Proof, Reading, RunResult, Transient};
pub use signature::Signature;
pub use tool::{Tool, ToolKind};
pub use tool_call::{Ids, Phase, Reported, Status, SubagentAnswer, ToolCall, ToolInput};
pub use topic::Topic;
pub use turn::{Turn, Usage};
pub use verdict::{NotFailure, Verdict};
