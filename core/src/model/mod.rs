//! The values that everything else speaks in: one type a file, no behaviour beyond their own invariants.

mod category;
mod check;
mod class;
mod decision;
mod failure_event;
mod finding;
mod gate_reason;
mod host;
mod met_mode;
mod misfit;
mod mode;
mod money;
mod near_name;
mod node_id;
mod node_status;
mod operation;
mod outcome;
mod path_pattern;
mod plan_facts;
mod reading;
mod recalled;
mod signature;
mod tool;
mod tool_call;
mod topic;
mod trace;
mod turn;
mod unreached;
mod verdict;
mod word;

pub use category::Category;
pub use check::{Check, CheckEnd, Intent, Stash};
pub use class::{Action, Class, Confidence};
pub use decision::{Budgets, Decision, DecisionAction, Mutation, NextCommand};
pub use failure_event::FailureEvent;
pub use finding::{Finding, FindingKind};
pub use gate_reason::GateReason;
pub use host::Host;
pub use met_mode::MetMode;
pub use misfit::{Difference, Misfit, Unit, indentation};
pub use mode::{MODES, Mode, Severity};
pub use money::Money;
pub use near_name::NearName;
pub use node_id::is_node_id;
pub use node_status::{NodeStatus, TRANSITIONS, Transition};
pub use operation::Operation;
pub use outcome::Outcome;
pub use path_pattern::{path_matches, pattern_problem};
pub use plan_facts::{
    Ancestor, Constraint, ConstraintKind, Dependency, ForeignArtifact, KnownConflict, PlanFacts, SiblingEdit,
    overrun_of,
};
pub use reading::{Basis, Object, ObjectKind, Proof, Reading, RunResult, Transient};
pub use recalled::{Recalled, Sought};
pub use signature::Signature;
pub use tool::{Tool, ToolKind};
pub use tool_call::{AskedLines, Ids, Phase, Reported, Status, SubagentAnswer, ToolCall, ToolInput};
pub use topic::Topic;
pub use trace::{Output, Stream, TIMED_OUT, Trace, TracedCall};
pub use turn::{Cost, Turn, Usage};
pub use unreached::Unreached;
pub use verdict::{NotFailure, Verdict};
pub use word::words;
