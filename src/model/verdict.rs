//! The answer of the rules.

use serde::{Deserialize, Serialize};

use super::{Action, Category, Class, Confidence, Operation, Outcome, Signature};

/// The answer of the rules to one failure. The inherited fields come first; same input and history, same bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Who acts next.
    pub class: Class,
    /// The class's name.
    pub class_name: String,
    /// How sure the rule is.
    pub confidence: Confidence,
    /// What the rule saw.
    pub evidence: Vec<String>,
    /// What the planner should do.
    pub recommended_action: Action,
    /// The plan node, session or subagent that the failure belongs to.
    pub node_id: String,
    /// The node above it, where there is one.
    pub parent_node_id: Option<String>,
    /// The agent that takes over (F6 only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub routes_to: Option<String>,
    /// The version of this shape.
    pub schema_version: u32,
    /// `failed` or `masked_failure`.
    pub outcome: Outcome,
    /// The rule that fired.
    pub rule: String,
    /// The ruleset that it belongs to.
    pub ruleset: String,
    /// What kind of error it is.
    pub category: Category,
    /// The error's fingerprint.
    pub signature: Signature,
    /// What was being done.
    pub operation: Operation,
    /// The episode that the failure belongs to: 8 hexadecimal digits.
    pub episode: String,
    /// How often the episode has failed, this failure included.
    pub attempt: u32,
    /// How many of these failures in a row were the same call with the same error and nothing changed in between.
    pub unchanged_retries: u32,
    /// The delay in milliseconds that the other side asked for, where it did.
    pub retry_after_ms: Option<u64>,
    /// The call.
    pub tool_use_id: Option<String>,
    /// The id of the `execution_failed` event in `history.jsonl`, or that it would have.
    pub history_ref: Option<String>,
}

impl Verdict {
    /// The version of the verdict's shape.
    pub const SCHEMA_VERSION: u32 = 1;
}

/// The answer for a call that is no failure of the work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NotFailure {
    /// Always null: nothing was classified.
    pub class: Option<Class>,
    /// Why it is no failure.
    pub outcome: Outcome,
    /// What was seen.
    pub evidence: Vec<String>,
    /// The version of this shape.
    pub schema_version: u32,
    /// The call.
    pub tool_use_id: Option<String>,
}
