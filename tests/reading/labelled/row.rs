//! A call that a person labelled by reading it.

use serde::Deserialize;

use failwise::model::{Category, words};

/// A call and what a person says of it; `schemas/labelled-call.schema.json` is the same in JSON Schema.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Labelled {
    /// Names the row.
    pub(crate) id: String,
    /// The tool; Bash where there is none.
    #[serde(default)]
    pub(crate) tool_name: Option<String>,
    /// What replaces `tool_name` in files that have no such field.
    #[serde(default)]
    pub(crate) tool: Option<String>,
    /// The command of a shell tool, the path of a file tool, or the whole input as an object.
    #[serde(default)]
    pub(crate) input: Option<serde_json::Value>,
    /// What the model saw.
    pub(crate) error_text: String,
    /// Whether the client reported an error; false is a masked failure or a success.
    pub(crate) marked_failed: bool,
    /// What became of the call, and who acts next.
    #[serde(rename = "class_single")]
    pub(crate) label: Label,
    /// What kind of error it is; where the work did not fail, a word of the person's own.
    #[serde(default)]
    pub(crate) root_cause: Option<String>,
}

words! {
    /// What a person says of a call.
    pub(crate) enum Label {
        /// Transient.
        F1 = "F1",
        /// Local logic.
        F2 = "F2",
        /// Local design.
        F3 = "F3",
        /// Story level.
        F4 = "F4",
        /// Architectural.
        F5 = "F5",
        /// Conflict-induced.
        F6 = "F6",
        /// The environment is at fault: class F2.
        Env = "ENV",
        /// The call itself is wrong: class F2.
        Usage = "USAGE",
        /// Denied.
        Policy = "POLICY",
        /// The status is an answer.
        NotFail = "NOTFAIL",
        /// Interrupted or cancelled.
        Interrupt = "INTERRUPT",
        /// A success.
        Ok = "OK",
    }
}

impl Label {
    /// The label used instead where classes are compared: ENV and USAGE are F2.
    #[must_use]
    pub(crate) fn class(self) -> Self {
        match self {
            Self::Env | Self::Usage => Self::F2,
            label => label,
        }
    }

    /// Whether the work failed.
    pub(crate) fn is_failure(self) -> bool {
        !matches!(self, Self::Policy | Self::NotFail | Self::Interrupt | Self::Ok)
    }
}

impl Labelled {
    /// Reads a line of a file of labelled calls; the error says what is wrong with it.
    pub(crate) fn parse(line: &[u8]) -> Result<Self, String> {
        let row: Self = serde_json::from_slice(line).map_err(|error| {
            // The reader of a line has no use for serde's "line 1".
            error.to_string().replace(" at line 1 column ", ", column ")
        })?;
        if row.label.is_failure() && row.category().is_none() {
            let cause = row.root_cause.as_deref().unwrap_or("null");
            return Err(format!("{} is a failure, and its `root_cause` `{cause}` is no category", row.id));
        }
        if row.label == Label::Ok && row.marked_failed {
            return Err(format!("{} is labelled OK, yet `marked_failed` is true", row.id));
        }
        Ok(row)
    }

    /// The category of a call that failed.
    pub(crate) fn category(&self) -> Option<Category> {
        self.root_cause.as_deref().filter(|_| self.label.is_failure()).and_then(Category::from_word)
    }

    /// The tool's name.
    pub(crate) fn tool(&self) -> &str {
        self.tool_name.as_deref().or(self.tool.as_deref()).unwrap_or("Bash")
    }
}

#[cfg(test)]
mod tests {
    use super::{Category, Label, Labelled};

    fn parse(change: &str, to: &str) -> Result<Labelled, String> {
        let line = r#"{"id":"r1","tool":"bash","input":"make","error_text":"Exit code 2","marked_failed":true,"class_single":"ENV","root_cause":"path_not_found","note":null}"#;
        assert!(line.contains(change), "{change}");
        Labelled::parse(line.replace(change, to).as_bytes())
    }

    #[test]
    fn a_row_is_read_and_fields_that_nobody_knows_are_left() {
        let row = parse("", "").unwrap();
        assert_eq!((row.tool(), row.label, row.label.class()), ("bash", Label::Env, Label::F2));
        assert_eq!(row.category(), Some(Category::PathNotFound));
        assert_eq!(parse(r#""tool":"bash""#, r#""tool":"make","tool_name":"Bash""#).unwrap().tool(), "Bash");
    }

    #[test]
    fn what_did_not_fail_has_a_reason_of_its_own_words() {
        let row = parse(r#""ENV","root_cause":"path_not_found""#, r#""NOTFAIL","root_cause":"no_match""#).unwrap();
        assert_eq!((row.category(), row.root_cause.as_deref()), (None, Some("no_match")));
    }

    #[test]
    fn a_row_that_says_too_little_or_contradicts_itself_is_refused() {
        for (change, to, names) in [
            ("\"ENV\"", "\"ENVIRONMENT\"", "ENVIRONMENT"),
            ("path_not_found", "path_missing", "path_missing"),
            ("\"path_not_found\"", "null", "root_cause"),
            ("\"ENV\"", "\"OK\"", "marked_failed"),
            ("\"error_text\"", "\"text\"", "missing field `error_text`, column"),
        ] {
            let error = parse(change, to).unwrap_err();
            assert!(error.contains(names), "{error}");
        }
    }
}
