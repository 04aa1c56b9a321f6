//! The call that a plan is asked for.

use serde_json::{Map, Value};

use crate::model::{Category, ToolCall};

/// The names of the argument that holds a command line.
pub const COMMAND_KEYS: &[&str] = &["script", "command", "cmd"];

/// A failed call with what a plan needs besides.
#[derive(Debug, Clone)]
pub struct AskedCall {
    /// The call.
    pub call: ToolCall<'static>,
    /// The tool, as the input names it.
    pub tool: String,
    /// Its arguments, as they were given.
    pub args: Map<String, Value>,
    /// The system's word for the error, such as `EACCES`.
    pub code: Option<String>,
    /// What the contract's error says of the category, and how sure that is.
    pub says: Option<(Category, f64)>,
    /// Whether the input has the contract's shape.
    pub is_contract: bool,
    /// Which attempt it was, where the input says so.
    pub iteration: Option<u32>,
    /// The tools that are there, where the input lists them.
    pub tools: Option<Vec<String>>,
    /// Strategies that were tried for this failure.
    pub tried: Vec<String>,
}
