//! A turn of the model, as far as its cost matters.

use serde::{Deserialize, Serialize};

use super::Money;

/// One answer of the model and what it cost. A transcript repeats the same usage in every line of one answer: the
/// answer's id says which lines are one turn.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Turn {
    /// The answer's id.
    pub message: String,
    /// The model, where the data names it; in fast mode, which has prices of its own, with [`Turn::FAST`] behind it.
    pub model: Option<String>,
    /// What it cost.
    pub usage: Usage,
}

impl Turn {
    /// What stands behind the name of a model that answered in fast mode.
    pub const FAST: &'static str = " fast";
}

/// Tokens, as the host counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Read and not from the cache.
    pub input: u64,
    /// Written by the model.
    pub output: u64,
    /// Read from the cache.
    pub cache_read: u64,
    /// Written to the cache.
    pub cache_write: u64,
    /// The part of it that was written for an hour; the rest is kept for five minutes.
    #[serde(default)]
    pub cache_write_1h: u64,
}

impl Usage {
    /// All tokens together.
    pub fn total(&self) -> u64 {
        self.input.saturating_add(self.output).saturating_add(self.cache_read).saturating_add(self.cache_write)
    }

    /// What the model was given to read.
    pub fn prompt(&self) -> u64 {
        self.input.saturating_add(self.cache_read).saturating_add(self.cache_write)
    }

    /// Each count with that of another.
    fn each(self, other: Self, of: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            input: of(self.input, other.input),
            output: of(self.output, other.output),
            cache_read: of(self.cache_read, other.cache_read),
            cache_write: of(self.cache_write, other.cache_write),
            cache_write_1h: of(self.cache_write_1h, other.cache_write_1h),
        }
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        self.each(other, u64::saturating_add)
    }

    /// Of each count the larger one.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        self.each(other, Ord::max)
    }

    /// What was added since an earlier count.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        self.each(before, u64::saturating_sub)
    }
}

/// What a stretch of a node's work cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Cost {
    /// Calls that ended in it.
    pub calls: u64,
    /// Answers of the model.
    pub turns: u64,
    /// Their tokens.
    pub tokens: Usage,
    /// What these cost, as far as prices are known.
    #[serde(default)]
    pub money: Money,
    /// The time that was worked, in milliseconds.
    pub wall_ms: u64,
}

impl Cost {
    /// What two stretches cost that do not overlap.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            calls: self.calls + other.calls,
            turns: self.turns + other.turns,
            tokens: self.tokens.plus(other.tokens),
            money: self.money.plus(other.money),
            wall_ms: self.wall_ms + other.wall_ms,
        }
    }

    /// What is left of it without a part of it.
    #[must_use]
    pub fn since(self, part: Self) -> Self {
        Self {
            calls: self.calls.saturating_sub(part.calls),
            turns: self.turns.saturating_sub(part.turns),
            tokens: self.tokens.since(part.tokens),
            money: self.money.since(part.money),
            wall_ms: self.wall_ms.saturating_sub(part.wall_ms),
        }
    }
}
