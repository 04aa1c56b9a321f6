//! Everything a rule may look at.

use crate::history::HistoryFacts;
use crate::model::{FailureEvent, PlanFacts};

/// Everything a rule may look at: the call, what its node's history says, what the plan says.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    /// The call that failed.
    pub event: &'a FailureEvent,
    /// What the history says about it.
    pub history: &'a HistoryFacts,
    /// What the plan says about its node.
    pub plan: &'a PlanFacts,
}
