//! Who acts next.

use super::words;
use serde::{Deserialize, Serialize};

words! {
    /// Failure class: who acts next.
    #[derive(Default)]
    pub enum Class {
        /// Transient: a retry may pass.
        F1 = "F1",
        /// Local logic: the agent fixes it.
        #[default]
        F2 = "F2",
        /// Local design: the story is replanned.
        F3 = "F3",
        /// Story level: the feature is replanned.
        F4 = "F4",
        /// Architectural: freeze, and ask a person.
        F5 = "F5",
        /// Conflict-induced: arbitration between nodes.
        F6 = "F6",
    }
}

impl Class {
    /// The class's name as it appears in a verdict.
    pub fn name(self) -> &'static str {
        match self {
            Self::F1 => "transient",
            Self::F2 => "local-logic",
            Self::F3 => "local-design",
            Self::F4 => "story-level",
            Self::F5 => "architectural",
            Self::F6 => "conflict-induced",
        }
    }
}

/// What a verdict recommends to the planner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Try the same call again later.
    RetryWithBackoff,
    /// Fix the cause and go on.
    SelfHeal,
    /// Fix the cause and run the same call again: a second attempt or later.
    FixAndRerun,
    /// Only a person can help.
    Escalate,
    /// Try once more, then ask: the cause is not known well enough.
    SingleRetryThenEscalate,
    /// Decompose the story again.
    ReplanStory,
    /// Decompose the feature again.
    ReplanFeature,
    /// Stop the branch and ask a person.
    FreezeAndEscalate,
    /// Let the conflict arbiter decide.
    Arbitrate,
}

/// How sure a verdict is: between 0 and 1, in hundredths, so that it prints the same everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Confidence(u8);

impl Confidence {
    /// A confidence in hundredths.
    ///
    /// # Panics
    /// Over 100; in a const table that does not compile.
    pub const fn hundredths(value: u8) -> Self {
        assert!(value <= 100, "a confidence is at most 100 hundredths");
        Self(value)
    }

    /// The same confidence lowered by some hundredths.
    #[must_use]
    pub fn lowered_by(self, hundredths: u8) -> Self {
        Self(self.0.saturating_sub(hundredths))
    }

    /// The value between 0 and 1.
    pub fn value(self) -> f64 {
        f64::from(self.0) / 100.0
    }
}

impl Serialize for Confidence {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.value())
    }
}

impl<'de> Deserialize<'de> for Confidence {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = f64::deserialize(deserializer)?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 0..=100 first")]
        Ok(Self((value.clamp(0.0, 1.0) * 100.0).round() as u8))
    }
}
