//! The object that `failwise recover` prints: the inherited contract's fields, and those that Failwise adds.

use serde::Serialize;
use serde_json::{Map, Value};

/// How often a failure is met by strategies that act, before only a question is left.
pub const MAX_ATTEMPTS: u32 = 2;

/// The most strategies that are named among those that are not offered.
pub const MOST_DROPPED: usize = 5;

/// A diagnosis and the plan against it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecoveryPlan {
    /// 26 signs, sorted by time: the same failure at the same time has the same.
    pub id: String,
    /// When it was made, RFC 3339 UTC.
    pub timestamp: String,
    /// Which attempt of its episode failed, or what the input says.
    pub iteration: u32,
    /// Why it failed, in five steps, each from what was seen.
    pub why_chain: WhyChain,
    /// The cause.
    pub root_cause: RootCause,
    /// The same in the contract's words.
    pub error_classification: ErrorClassification,
    /// Whether there is a strategy.
    pub has_recovery_plan: bool,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether the person is to be asked: only where there is no plan.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub suggest_user_action: bool,
    /// The first strategy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub primary_strategy: Option<PlannedStrategy>,
    /// The others, by rank.
    pub fallback_strategies: Vec<PlannedStrategy>,
    /// [`MAX_ATTEMPTS`].
    pub max_recovery_attempts: u32,
    /// What there is to be learned, in one sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern_to_learn: Option<String>,
    /// Strategies of this category that came close, at most [`MOST_DROPPED`], each with the reason why it is not offered.
    pub dropped: Vec<Dropped>,
    /// The fingerprint of the failure.
    pub signature: String,
}

/// Why it failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WhyChain {
    /// The command and its status.
    pub why1: String,
    /// The line that matters.
    pub why2: String,
    /// The state of the environment that explains it.
    pub why3: String,
    /// What the call took for granted.
    pub why4: String,
    /// The check that would have shown it.
    pub why5: String,
}

/// The cause.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RootCause {
    /// The category's word.
    pub category: String,
    /// In words.
    pub description: String,
    /// From 0 to 1.
    pub confidence: f64,
}

/// The failure in the contract's words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ErrorClassification {
    /// The contract's word for the category.
    #[serde(rename = "type")]
    pub kind: String,
    /// `recoverable` or `user_action_required`.
    pub severity: String,
    /// Whether a strategy is left that asks nobody.
    pub can_recover: bool,
}

/// A strategy with its steps.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedStrategy {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// How sure it is to help, from 0 to 1.
    pub confidence: f64,
    /// How many turns it takes.
    pub estimated_iterations: u32,
    /// What it is ranked by.
    pub score: f64,
    /// What is done, in this order.
    pub steps: Vec<PlannedStep>,
    /// Why it is offered.
    pub why: String,
}

/// A step.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedStep {
    /// What is done.
    pub action: String,
    /// The tool; null for a question.
    pub tool: Option<String>,
    /// Its arguments; of a question `question`, `failedTool` and `error`.
    pub args: Map<String, Value>,
    /// How one sees that it worked.
    pub expected_outcome: String,
    /// `operation` for the step that does what failed, in its mended form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub performs: Option<String>,
}

/// A strategy that is not offered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Dropped {
    /// Its name.
    pub name: String,
    /// Why not.
    pub reason: String,
}
