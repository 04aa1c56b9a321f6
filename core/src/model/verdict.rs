//! The answer of the rules.

use serde::{Deserialize, Deserializer, Serialize};

use super::{Action, Basis, Category, Class, Confidence, Intent, Operation, Outcome, Signature};

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
    /// What kind of error it is; `unknown` where nothing but a program's name speaks.
    pub category: Category,
    /// What `category` rests on. None where the call's reading does not say, and in records of versions that did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
    /// What the error may be: a category for a guess, else `Some(None)`, null on the wire. None only in records of versions
    /// that did not say.
    #[serde(default, deserialize_with = "said", skip_serializing_if = "Option::is_none")]
    pub likely: Option<Option<Category>>,
    /// How often, on labelled calls, `category` was right on this basis; for a guess, how often `likely` was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category_confidence: Option<Confidence>,
    /// Why the failure says nothing of the work, where the call was announced so or made so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub announced: Option<Intent>,
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

    /// What the error is known or, for a guess, likely to be: for questions about the kind of run, never to be stated.
    pub fn kind(&self) -> Category {
        self.likely.flatten().unwrap_or(self.category)
    }
}

/// A field that stands there, be it null.
#[expect(clippy::option_option, reason = "absent and null are told apart")]
fn said<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Option<Category>>, D::Error> {
    Option::deserialize(value).map(Some)
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
