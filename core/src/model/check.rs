//! A check as a line ran it.

use serde::{Deserialize, Serialize};

/// A test, lint, type or build run, or a task that may be one, as one command of a line ran it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// The program and its words, without those that only change what is shown.
    pub words: Vec<String>,
    /// The directory that it ran in, as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dir: Option<String>,
    /// What became of it.
    pub end: CheckEnd,
    /// The runners whose passed result it printed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runners: Vec<String>,
    /// Whether it changes what it finds: a formatter, or a linter that fixes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fixes: bool,
}

/// What became of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckEnd {
    /// It passed.
    Passed,
    /// It failed.
    Failed,
    /// Nothing tells.
    Unknown,
}

/// Why neither a failure nor a pass of a call says anything of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Intent {
    /// It looks at the project without the work: `git stash && make test; git stash pop`.
    Baseline,
    /// It is meant to fail: what it checks is not written yet, or is broken on purpose.
    Red,
}

/// What a call did with the work as a whole, by the stash of version control.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stash {
    /// It put the work away: what is checked from now on is the project without it.
    Away,
    /// The work is there again.
    Back,
    /// What was put away is thrown away.
    Dropped,
}
