//! What became of a call, before any class.

use super::words;

words! {
    /// What became of a tool call. The definitions and their shares in real data are in ARCHITECTURE.md, "Outcomes".
    pub enum Outcome {
        /// The work was done.
        Succeeded = "succeeded",
        /// The work failed.
        Failed = "failed",
        /// The status was 0, yet the test, build or lint run inside failed.
        MaskedFailure = "masked_failure",
        /// The non-zero status is an answer: a search without a hit, a `diff` with differences, a probe.
        BenignNonZero = "benign_non_zero",
        /// A person, a rule, a hook or a permission said no.
        Denied = "denied",
        /// Cancelled because a call that ran in parallel failed.
        Cascade = "cascade",
        /// Aborted by the person.
        Interrupted = "interrupted",
    }
}

impl Outcome {
    /// Whether the work failed, so that the call is classified.
    pub fn is_failure(self) -> bool {
        matches!(self, Self::Failed | Self::MaskedFailure)
    }
}
