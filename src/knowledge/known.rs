//! What is known of a failure, in the order in which it helps.

use super::lesson::Fix;
use super::row::Pattern;
use crate::model::Cost;

/// A known failure with everything that was tried against it.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    /// The failure, as it was met last.
    pub pattern: Pattern,
    /// How often it was met.
    pub occurrences: u64,
    /// In how many sessions.
    pub sessions: u64,
    /// When it was met first and last, in milliseconds since 1970.
    pub first_seen: u64,
    /// When it was met last.
    pub last_seen: u64,
    /// What it cost.
    pub cost: Cost,
    /// What was tried, the best first. Those with an object are counted over all failures of the kind.
    pub fixes: Vec<KnownFix>,
}

/// A fix with its counts.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownFix {
    /// The fix.
    pub fix: Fix,
    /// How often it was tried.
    pub tried: u64,
    /// How often it worked.
    pub worked: u64,
    /// (worked + 1) / (tried + 2), where what is 90 days old counts half.
    pub confidence: f64,
    /// In how many sessions it was tried.
    pub sessions: u64,
    /// When it worked last, in milliseconds since 1970.
    pub last_worked: Option<u64>,
    /// How often an agent was told.
    pub told: u64,
    /// How often the agent did it then.
    pub followed: u64,
    /// Why no agent is told; None where it may be.
    pub why_not: Option<&'static str>,
}

impl KnownFix {
    /// Whether an agent may be told.
    pub fn tellable(&self) -> bool {
        self.why_not.is_none()
    }
}
