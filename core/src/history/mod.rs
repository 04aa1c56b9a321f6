//! The history as values: its events, the state they fold into, and the facts that rules read from that state.
//! Pure: the file itself belongs to `journal`.

mod bucket;
mod episode;
mod event;
mod facts;
mod guarded;
mod hosts;
mod line;
mod node;
mod recovery;
mod state;

pub use bucket::Bucket;
pub use episode::{Episode, FailingCall, below, filters_of, is_whole, run_of};
pub use event::{Body, Classified, Effect, Event, EventKind, Execution, GuardedCall, PlanEvent, StateChange};
pub use event::{CaseNote, StepSummary};
pub use facts::{
    ALWAYS_IGNORED, HistoryFacts, SiblingChange, absolute, covers, implicated, is_ignored, is_pattern, is_scratch,
};
pub use guarded::{Guarded, Repeated};
pub use hosts::KnownHost;
pub use line::{Line, parse};
pub use node::{HISTORY_NODE, PROJECT, agents_of, is_session, session_node, session_parent};
pub use recovery::{OpenPlan, Proposed, RecoveryAttempt, RecoveryComplete};
pub use recovery::{Reflection, Whys};
pub use state::{Attempt, Background, LastDecision, Recent, State, StoppedNode, ToldAdvice, seen_key};
