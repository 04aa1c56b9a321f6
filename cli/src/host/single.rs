//! Single calls as scripts write them down: `{"command", "args", "stdout", "stderr", "exit_code"}`.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::phrases;
use super::tree::{self, TreeNode};
use crate::model::{Output, Status, TIMED_OUT, Tool, ToolInput, TracedCall};
use crate::shell::quoted_word;

/// How the fields are called by those who write calls down.
const COMMAND: &[&str] = &["command", "cmd", "command_line", "argv"];
const STDOUT: &[&str] = &["stdout", "output", "result", "aggregated_output"];
const STDERR: &[&str] = &["stderr", "error", "stderr_tail"];
const EXIT: &[&str] = &["exit_code", "exit", "exitCode", "returncode", "return_code", "code", "status_code"];
const HANG: &[&str] = &["timed_out", "timedOut", "hang", "timeout_reached", "interrupted"];
const LIMIT: &[&str] = &["timedOutAfterMs", "timed_out_after_ms", "timeout_ms"];

/// Whether an object tells of one call: by one field that no other shape has.
pub(super) fn is_call(node: &Value) -> bool {
    let tells = ["stdout", "stderr", "exit_code", "exitCode", "returncode", "exit"];
    COMMAND.iter().chain(&tells).any(|name| node.has(name))
}

/// Reads a call.
pub(super) fn read(node: &Value) -> TracedCall<'static> {
    ended(TracedCall { input: command(node), ..TracedCall::new() }, node)
}

/// What a call was asked to do.
pub(super) fn command(node: &Value) -> ToolInput<'static> {
    let mut line = node.any(COMMAND).map(command_line).unwrap_or_default();
    for word in node.there("args").map(arguments).unwrap_or_default() {
        line.push(' ');
        line.push_str(&word);
    }
    let background = node.any(&["background", "run_in_background"]).is_some_and(TreeNode::is_true);
    ToolInput::Command { command: Cow::Owned(line.trim().to_owned()), background }
}

/// A command line, or the words of one.
fn command_line(node: &Value) -> String {
    match (node.text(), node.words().as_slice()) {
        (Some(text), _) => text.to_owned(),
        // What an agent hands to a shell is the line.
        (None, [shell, option, line]) if shell.ends_with("sh") && option.ends_with('c') => (*line).to_owned(),
        (None, words) => words.iter().map(|word| quoted_word(word)).collect::<Vec<_>>().join(" "),
    }
}

fn arguments(node: &Value) -> Vec<String> {
    match node.text() {
        Some(text) => vec![text.to_owned()],
        None => node.words().into_iter().map(quoted_word).collect(),
    }
}

/// The call with what an object says of its end.
pub(super) fn ended(call: TracedCall<'static>, node: &Value) -> TracedCall<'static> {
    let text = |names| node.any(names).map(block_text).unwrap_or_default();
    let exit_code = node.any(EXIT).and_then(TreeNode::whole).and_then(phrases::whole).map(of_signal);
    let limit_ms = node.any(LIMIT).and_then(TreeNode::whole).and_then(|limit| u64::try_from(limit).ok());
    let hang = exit_code == Some(TIMED_OUT)
        || node.any(HANG).is_some_and(TreeNode::is_true)
        || node.has("timedOutAfterMs")
        || node.text_of("signal").is_some_and(|_| node.there("killed").is_some_and(TreeNode::is_true));
    let output = match call.output {
        Output::Merged(text) if !text.is_empty() => Output::Merged(text),
        _ => Output::Apart { stdout: Cow::Owned(text(STDOUT)), stderr: Cow::Owned(text(STDERR)) },
    };
    let truncated = output.streams().iter().any(|(_, text)| phrases::is_truncated(text));
    let printed = node.any(&["persistedOutputSize", "total_size"]).and_then(TreeNode::whole);
    TracedCall {
        status: if exit_code == Some(0) && !hang { Status::Succeeded } else { Status::Failed },
        exit_code,
        hang,
        limit_ms: limit_ms.filter(|_| hang),
        truncated: truncated || node.has("persistedOutputPath"),
        printed: printed.and_then(|size| u64::try_from(size).ok()),
        exit_meaning: node.text_of("returnCodeInterpretation").map(str::to_owned),
        output,
        ..call
    }
}

/// A text, or the texts in lists of blocks; of anything else nothing.
pub(super) fn block_text(node: &Value) -> String {
    match node {
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            items.iter().map(block_text).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
        }
        Value::Object(_) => node.any(&["text", "content", "message", "output"]).map(block_text).unwrap_or_default(),
        _ => String::new(),
    }
}

/// A signal's number below zero is the status that a shell makes of it.
fn of_signal(code: i32) -> i32 {
    if (-64..0).contains(&code) { 128 - code } else { code }
}

/// A call by the name of its tool and its arguments.
pub(super) fn begun(name: &str, input: &Value) -> TracedCall<'static> {
    let mut tool = Tool::named(name);
    let has_line = COMMAND.iter().any(|field| input.has(field)) || input.has("script");
    if !name.starts_with("mcp__") && has_line {
        tool = Tool::named("Bash");
    }
    let file = input.any(&["file_path", "path", "notebook_path"]).and_then(TreeNode::text);
    let input = match file {
        _ if has_line => command(input),
        Some(path) => ToolInput::file(Cow::Owned(path.to_owned())),
        None => ToolInput::Other { summary: telling_values(input) },
    };
    TracedCall { tool, input, ..TracedCall::new() }
}

/// The same of arguments that may be a value, or one that is written as a text; a text that is no object is the command itself.
pub(super) fn begun_as_written(name: &str, given: Option<&Value>) -> TracedCall<'static> {
    match given {
        Some(Value::String(text)) => match tree::parse(text) {
            Some(value @ Value::Object(_)) => begun(name, &value),
            _ => begun(name, &json!({ "command": text })),
        },
        given => begun(name, given.unwrap_or(&Value::Null)),
    }
}

/// The few values that tell one call from another.
fn telling_values(input: &Value) -> String {
    let Value::Object(fields) = input else { return String::new() };
    let words = fields.iter().filter_map(|(name, value)| {
        let value = value.text().map(str::to_owned).or_else(|| value.whole().map(|number| number.to_string()))?;
        Some(format!("{name}={}", crate::text::start(&value, 80)))
    });
    crate::text::start(&words.collect::<Vec<_>>().join(" "), 300).to_owned()
}
