//! stub
use crate::model::*;
/// s
pub struct Judgement {
    /// s
    pub outcome: Outcome,
    /// s
    pub reading: Reading,
    /// s
    pub evidence: Vec<String>,
}
/// s
pub fn judge(_c: &ToolCall<'_>, _r: bool) -> Judgement {
    Judgement { outcome: Outcome::Failed, reading: Reading::unrecognised(), evidence: vec![] }
}
