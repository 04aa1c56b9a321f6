//! What tools answer: the contract's envelope around data, or around a code and a message.

use chrono::Utc;
use failwise::gate::{GateContext, prose};
use failwise::redact::redact_printed;
use failwise::store::StoreFault;
use failwise::text::one_line;
use serde::Serialize;
use serde_json::{Map, Value, json};

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

/// Fields that quote what programs printed, agents wrote or sessions did.
#[rustfmt::skip]
const QUOTES: &[&str] = &[
    "description", "error", "evidence", "fixDescription", "pattern", "patternToLearn", "reason", "suggestedFix",
    "summary", "what", "why", "why1", "why2", "why3", "why4", "why5", "words",
];

/// Data as a tool's answer.
pub(crate) fn data(value: &impl Serialize) -> ToolAnswer {
    serde_json::to_value(value).map_err(ToolError::internal)
}

/// Lets the texts of these fields pass the gate of what leaves the history.
pub(crate) fn gate_fields(value: &mut Value, fields: &[&str]) {
    let mut left = vec![(value, false)];
    while let Some((next, is_quote)) = left.pop() {
        match next {
            Value::String(text) if is_quote => *text = through_gate(text),
            Value::Array(values) => left.extend(values.iter_mut().map(|value| (value, is_quote))),
            // A pattern is a text here, and an object with an id there.
            Value::Object(named) => {
                left.extend(named.iter_mut().map(|(name, value)| (value, fields.contains(&name.as_str()))));
            }
            _ => {}
        }
    }
}

/// Data of ours, whose fields are named as the contract's are: `hasMore`, whatever the command calls them. Names of a program,
/// such as those of test cases, stand in values and stay as they are.
pub(crate) fn in_camel_case(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (camel(&name), in_camel_case(value))).collect::<Map<_, _>>().into()
        }
        Value::Array(values) => values.into_iter().map(in_camel_case).collect(),
        other => other,
    }
}

/// `has_more` as `hasMore`.
pub(crate) fn camel(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |name, part| {
        let (head, rest) = part.split_at_checked(1).unwrap_or((part, ""));
        [&name, head.to_ascii_uppercase().as_str(), rest].concat()
    })
}

/// A text with marks for the words that look random.
pub(crate) fn through_gate(text: &str) -> String {
    prose(text, &GateContext::default()).into_owned()
}

/// The envelope, with the time in milliseconds since 1970. What the data quote passes the gate here, whichever tool answers.
pub(crate) fn envelope(answer: ToolAnswer) -> Value {
    let timestamp = Utc::now().timestamp_millis();
    match answer {
        Ok(mut data) => {
            gate_fields(&mut data, QUOTES);
            json!({ "success": true, "data": data, "timestamp": timestamp })
        }
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
        let shown = envelope(Err(error));
        assert_eq!(shown["error"]["code"], "RUN_NOT_FOUND");
        assert_eq!(shown["success"], false);
        assert!(shown["timestamp"].is_i64());
    }

    #[test]
    fn whatever_tool_answers_its_quotes_pass_the_gate() {
        let odd = "Zq8wL0xR41bTn9";
        let shown = envelope(Ok(json!({
            "runs": [{ "id": odd, "error": format!("refused {odd}") }],
            "verdict": { "evidence": [format!("line: {odd} is wrong")], "signature": { "fine": odd } },
            "recall": { "words": format!("`login {odd}` worked") }, "whyChain": { "why1": odd },
        })));
        assert_eq!(shown.to_string().matches(odd).count(), 2, "ids alone: {shown}");
        assert_eq!(shown["data"]["verdict"]["evidence"][0], "line: … is wrong");
    }
}
