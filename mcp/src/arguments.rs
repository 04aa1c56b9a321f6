//! The arguments of tools. A client need not check them against a schema, so they are checked here.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::answer::{Code, ToolError, camel};

/// Arguments as a tool takes them. A client that passes `null` for what it leaves out means nothing by it,
/// and `run_id` is read as `runId`.
pub(crate) fn read<T: DeserializeOwned>(given: Map<String, Value>) -> Result<T, ToolError> {
    let given = given.into_iter().filter(|(_, value)| !value.is_null());
    let given: Map<String, Value> = given.map(|(name, value)| (camel(&name), value)).collect();
    serde_json::from_value(Value::Object(given))
        .map_err(|error| ToolError::new(Code::InvalidArguments, &format!("invalid arguments: {error}")))
}
