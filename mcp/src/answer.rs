//! What tools answer: the contract's envelope around data, or around a code and a message.

use chrono::Utc;
use failwise::gate::{GateContext, prose};
use failwise::redact::redact_printed;
use failwise::store::StoreFault;
use failwise::text::one_line;
use serde::Serialize;
use serde_json::{Value, json};

/// The longest message of an error, in characters.
const LONGEST_MESSAGE: usize = 500;

/// Why a tool has no data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ToolError {
    code: Code,
    message: String,
}

/// What is wrong, in the words of the contract; the last two are ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Code {
    SessionNotFound,
    HistoryDisabled,
    RunNotFound,
    CaseNotFound,
    CaseNotFailed,
    InternalError,
    InvalidArguments,
    PatternNotFound,
}

impl Code {
    fn as_str(self) -> &'static str {
        match self {
            Self::SessionNotFound => "SESSION_NOT_FOUND",
            Self::HistoryDisabled => "HISTORY_DISABLED",
            Self::RunNotFound => "RUN_NOT_FOUND",
            Self::CaseNotFound => "CASE_NOT_FOUND",
            Self::CaseNotFailed => "CASE_NOT_FAILED",
            Self::InternalError => "INTERNAL_ERROR",
            Self::InvalidArguments => "INVALID_ARGUMENTS",
            Self::PatternNotFound => "PATTERN_NOT_FOUND",
        }
    }
}

impl ToolError {
    /// An error. What a message quotes came from outside: it is redacted and on one line.
    pub(crate) fn new(code: Code, message: &str) -> Self {
        Self { code, message: one_line(&redact_printed(message), LONGEST_MESSAGE) }
    }

    /// Whether this is what is wrong.
    pub(crate) fn is(&self, code: Code) -> bool {
        self.code == code
    }

    pub(crate) fn internal(why: impl std::fmt::Display) -> Self {
        Self::new(Code::InternalError, &why.to_string())
    }
}

impl std::fmt::Display for ToolError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.code.as_str(), self.message)
    }
}

impl From<StoreFault> for ToolError {
    fn from(fault: StoreFault) -> Self {
        let hint = match fault {
            StoreFault::Broken { .. } => "; `failwise kb rebuild` keeps it aside and rebuilds it",
            StoreFault::Newer { .. } => "; update Failwise",
            StoreFault::Io(_) => "",
        };
        Self::internal(format!("{fault}{hint}"))
    }
}

impl From<std::io::Error> for ToolError {
    fn from(error: std::io::Error) -> Self {
        Self::internal(error)
    }
}

/// What a tool answers.
pub(crate) type ToolAnswer = Result<Value, ToolError>;

/// Fields that quote what programs printed or agents wrote.
const QUOTES: &[&str] =
    &["description", "error", "fixDescription", "pattern", "suggestedFix", "summary", "what", "words"];

/// Data as a tool's answer: what its fields quote passes the gate of what leaves the history.
pub(crate) fn data(value: &impl Serialize) -> ToolAnswer {
    let mut value = serde_json::to_value(value).map_err(ToolError::internal)?;
    let mut left = vec![&mut value];
    while let Some(next) = left.pop() {
        match next {
            Value::Array(values) => left.extend(values),
            Value::Object(fields) => {
                for (name, value) in fields {
                    match value {
                        Value::String(text) if QUOTES.contains(&name.as_str()) => *text = through_gate(text),
                        value => left.push(value),
                    }
                }
            }
            _ => {}
        }
    }
    Ok(value)
}

/// A text with marks for the words that look random.
pub(crate) fn through_gate(text: &str) -> String {
    prose(text, &GateContext::default()).into_owned()
}

/// The envelope, with the time in milliseconds since 1970.
pub(crate) fn envelope(answer: &ToolAnswer) -> Value {
    let timestamp = Utc::now().timestamp_millis();
    match answer {
        Ok(data) => json!({ "success": true, "data": data, "timestamp": timestamp }),
        Err(ToolError { code, message }) => {
            json!({ "success": false, "error": { "code": code.as_str(), "message": message }, "timestamp": timestamp })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_message_quotes_is_on_one_line_and_without_secrets() {
        let error =
            ToolError::new(Code::RunNotFound, "Test run 'a\nb ghp_0123456789abcdefghijklmnopqrstuvwxyzAB' \u{202e}");
        assert!(!error.message.contains(['\n', '\u{202e}']) && !error.message.contains("ghp_"), "{}", error.message);
        let shown = envelope(&Err(error));
        assert_eq!(shown["error"]["code"], "RUN_NOT_FOUND");
        assert_eq!(shown["success"], false);
        assert!(shown["timestamp"].is_i64());
    }
}
