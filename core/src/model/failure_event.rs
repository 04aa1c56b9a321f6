//! A call that failed.

use serde::{Deserialize, Serialize};

use super::{Check, Ids, Operation, Outcome, Phase, Reading, Signature};

/// A call that failed: every field that a rule may read about the call itself. It knows nothing of the host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureEvent {
    /// The tool's canonical name.
    pub tool: String,
    /// Which end of the call failed.
    #[serde(default)]
    pub phase: Phase,
    /// `failed` or `masked_failure`.
    pub outcome: Outcome,
    /// What was being done.
    pub operation: Operation,
    /// The exit code; absent when unknown, never 0 for unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The end of the output, redacted, at most 4 KiB.
    pub text: String,
    /// What the output says.
    pub reading: Reading,
    /// Its fingerprint.
    pub signature: Signature,
    /// The files that the call touched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files_touched: Vec<String>,
    /// The files that the line of the call wrote before it failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wrote: Vec<String>,
    /// Why it failed, where the sender knows: `conflict`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// The conflict that stopped the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conflict_id: Option<String>,
    /// How often this node failed, this failure included, where the sender says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_attempts: Option<u32>,
    /// The check that failed, where it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<Check>,
    /// How long it took in milliseconds, where that is known and was long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<u64>,
    /// Whether it was made together with a call before it that failed in the same operation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub parallel: bool,
    /// Who called.
    pub ids: Ids,
    /// The plan node, session or subagent that the failure belongs to.
    pub node: String,
}
