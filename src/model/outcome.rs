//! What became of a call, before any class.

use serde::{Deserialize, Serialize};

/// What became of a tool call. The definitions and their shares in real data are in ARCHITECTURE.md, "Outcomes".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The work was done.
    Succeeded,
    /// The work failed.
    Failed,
    /// The status was 0, yet the test, build or lint run inside failed.
    MaskedFailure,
    /// The non-zero status is an answer: a search without a hit, a `diff` with differences, a probe.
    BenignNonZero,
    /// A person, a rule, a hook or a permission said no.
    Denied,
    /// Cancelled because a call that ran in parallel failed.
    Cascade,
    /// Aborted by the person.
    Interrupted,
}

impl Outcome {
    /// Whether the work failed, so that the call is classified.
    pub fn is_failure(self) -> bool {
        matches!(self, Self::Failed | Self::MaskedFailure)
    }

    /// The word used on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::MaskedFailure => "masked_failure",
            Self::BenignNonZero => "benign_non_zero",
            Self::Denied => "denied",
            Self::Cascade => "cascade",
            Self::Interrupted => "interrupted",
        }
    }
}
