//! Sessions written for tests of failure memory, as transcripts that are read as any other.

#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "a helper of tests, which may fail them")]

use std::fs;
use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A call that failed or printed something, a person's prompt, or what a person said of a lesson.
#[derive(Debug, Deserialize, Serialize, Default, Clone)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Step {
    /// A command for the shell tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) bash: Option<String>,
    /// A file that is changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) edit: Option<String>,
    /// A file that is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) read: Option<String>,
    /// Another tool, and its input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tool: Option<(String, Value)>,
    /// What a person says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) prompt: Option<String>,
    /// A person's note on the failure before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
    /// A person confirms what was learned in this session.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) confirms: bool,
    /// The error, where it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fails: Option<String>,
    /// The output, where it did not.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) prints: String,
    /// Whether the answer that made the call before made this one, too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) beside: bool,
    /// The folder that it ran in, below the session's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) at: Option<String>,
}

/// The folder that a session lies in: each belongs to another person.
pub(crate) fn root(session: usize) -> String {
    format!("/home/user{session}/shop")
}

/// What stands in a page for the session's folder.
const ROOT: &str = "{root}";

/// Writes a session as a transcript. Session `n` begins on day `n`.
pub(crate) fn write(file: &Path, session: usize, steps: &[Step]) {
    let mut out = fs::File::create(file).unwrap();
    let mut line = |value: Value| writeln!(out, "{value}").unwrap();
    let id = format!("session-{session:02}");
    let root = root(session);
    let (mut seconds, mut answer) = (0, 0);
    let mut stamp = || {
        seconds += 5;
        format!("2026-03-{:02}T08:{:02}:{:02}.000Z", session + 1, seconds / 60, seconds % 60)
    };
    let head = |kind: &str, ts: String, cwd: &str, message: Value| {
        json!({
            "type": kind, "uuid": format!("{id}-{ts}"), "timestamp": ts, "cwd": cwd, "sessionId": id, "isSidechain": false,
            "message": message,
        })
    };
    line(head("user", stamp(), &root, json!({ "role": "user", "content": "go on" })));
    for (number, step) in steps.iter().enumerate() {
        let cwd = step.at.as_ref().map_or_else(|| root.clone(), |at| format!("{root}/{at}"));
        if let Some(prompt) = &step.prompt {
            line(head("user", stamp(), &cwd, json!({ "role": "user", "content": prompt })));
            continue;
        }
        let Some((tool, input)) = call_of(step, &root, number) else { continue };
        let call = format!("call-{session:02}-{number:02}");
        answer = if step.beside { answer } else { number };
        let used = json!({ "type": "tool_use", "id": call, "name": tool, "input": input });
        let message = json!({ "role": "assistant", "id": format!("message-{session:02}-{answer:02}"), "model": "m", "content": [used] });
        line(head("assistant", stamp(), &cwd, message));
        let text = step.fails.clone().unwrap_or_else(|| step.prints.clone()).replace(ROOT, &root);
        let result = json!({
            "type": "tool_result", "tool_use_id": call, "content": text, "is_error": step.fails.is_some(),
        });
        line(head("user", stamp(), &cwd, json!({ "role": "user", "content": [result] })));
    }
}

fn call_of(step: &Step, root: &str, number: usize) -> Option<(String, Value)> {
    let at = |path: &str| if path.starts_with('/') { path.to_owned() } else { format!("{root}/{path}") };
    Some(match (&step.bash, &step.edit, &step.read, &step.tool) {
        (Some(command), ..) => ("Bash".to_owned(), json!({ "command": command.replace(ROOT, root) })),
        (_, Some(path), ..) => {
            let input = json!({ "file_path": at(path), "old_string": number.to_string(), "new_string": "x" });
            ("Edit".to_owned(), input)
        }
        (_, _, Some(path), _) => ("Read".to_owned(), json!({ "file_path": at(path) })),
        (.., Some((tool, input))) => {
            let input = input.to_string().replace(ROOT, root);
            (tool.clone(), serde_json::from_str(&input).unwrap())
        }
        _ => return None,
    })
}
