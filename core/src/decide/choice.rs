//! What is decided, while it is being decided.

use super::{DecisionFacts, Question};
use crate::model::{DecisionAction, Mutation, NextCommand};

/// Everything that a rule of a decision may look at.
#[derive(Clone, Copy)]
pub(super) struct DecisionInput<'a> {
    pub(super) question: &'a Question,
    pub(super) facts: &'a DecisionFacts<'a>,
    /// RFC 3339 UTC; empty where no time is known.
    pub(super) now: &'a str,
}

/// What one rule chose.
#[derive(Debug, Clone)]
pub(super) struct RuleChoice {
    pub(super) action: DecisionAction,
    /// The node that it is about, where that is not the node that failed.
    pub(super) target: Option<String>,
    pub(super) delay_ms: u64,
    pub(super) mutation: Option<Mutation>,
    /// Replans that the target has left.
    pub(super) replans: Option<u32>,
    pub(super) reasons: Vec<String>,
    pub(super) next: Vec<NextCommand>,
    /// Nodes whose replan budget was found used up.
    pub(super) refused: Vec<String>,
}

impl RuleChoice {
    pub(super) fn new(action: DecisionAction) -> Self {
        Self {
            action,
            target: None,
            delay_ms: 0,
            mutation: None,
            replans: None,
            reasons: Vec::new(),
            next: Vec::new(),
            refused: Vec::new(),
        }
    }

    pub(super) fn because(mut self, reason: String) -> Self {
        self.reasons.push(reason);
        self
    }

    pub(super) fn about(mut self, target: &str) -> Self {
        self.target = Some(target.to_owned());
        self
    }

    pub(super) fn after(mut self, delay_ms: u64) -> Self {
        self.delay_ms = delay_ms;
        self
    }

    pub(super) fn then_run(mut self, next: impl IntoIterator<Item = NextCommand>) -> Self {
        self.next.extend(next);
        self
    }
}
