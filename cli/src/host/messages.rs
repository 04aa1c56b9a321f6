//! Histories of messages: Anthropic's, `OpenAI`'s chat and its responses. A call and its result stand in two messages.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::{Value, json};

use super::tree::{self, TreeNode};
use super::{call, single};
use crate::model::{Output, Status, ToolKind, TracedCall};

/// What the items of a history are that tell of calls.
const ITEMS: &[&str] = &[
    "tool_use",
    "tool_result",
    "function_call",
    "function_call_output",
    "custom_tool_call",
    "custom_tool_call_output",
    "local_shell_call",
    "local_shell_call_output",
];

/// Whether an object is a message, or an item of one.
pub(super) fn is_message(node: &Value) -> bool {
    node.text_of("role").is_some() || node.text_of("type").is_some_and(|kind| ITEMS.contains(&kind))
}

/// Joins each result with its call.
#[derive(Default)]
pub(super) struct Messages {
    calls: Vec<TracedCall<'static>>,
    /// The place of each call that waits for its result.
    waiting: HashMap<String, usize>,
}

impl Messages {
    /// Reads the next message, or an item of one.
    pub(super) fn read(&mut self, message: &Value) {
        if let Some(kind) = message.text_of("type").filter(|kind| ITEMS.contains(kind)) {
            return self.item(kind, message);
        }
        for call in message.there("tool_calls").map_or(&[][..], TreeNode::items) {
            self.called(call);
        }
        if let Some(call) = message.there("function_call") {
            self.begin(None, call.text_of("name"), call.there("arguments"));
        }
        match message.text_of("role") {
            Some("tool" | "function") => self.end(message.text_of("tool_call_id"), message.there("content"), None),
            _ => {
                for item in message.there("content").map_or(&[][..], TreeNode::items) {
                    if let Some(kind) = item.text_of("type") {
                        self.item(kind, item);
                    }
                }
            }
        }
    }

    /// The calls. One that never got its result says nothing of its end.
    pub(super) fn finish(self) -> Vec<TracedCall<'static>> {
        let Self { mut calls, waiting } = self;
        for at in waiting.into_values() {
            if let Some(call) = calls.get_mut(at) {
                call.status = Status::Cascade;
            }
        }
        calls
    }

    fn item(&mut self, kind: &str, item: &Value) {
        let id = item.any(&["call_id", "tool_use_id", "id"]).and_then(TreeNode::text);
        match kind {
            "tool_use" => self.begin(item.text_of("id"), item.text_of("name"), item.there("input")),
            "function_call" => self.begin(id, item.text_of("name"), item.there("arguments")),
            "custom_tool_call" => self.begin(id, item.text_of("name"), item.there("input")),
            "local_shell_call" => self.begin(id, Some("shell"), item.there("action")),
            "tool_result" => {
                let failed = item.there("is_error").is_some_and(TreeNode::is_true);
                self.end(item.text_of("tool_use_id"), item.there("content"), Some(failed));
            }
            "function_call_output" | "custom_tool_call_output" | "local_shell_call_output" => {
                self.end(id, item.there("output"), None);
            }
            _ => {}
        }
    }

    /// `{"id", "function": {"name", "arguments"}}`, also flat.
    fn called(&mut self, call: &Value) {
        let function = call.there("function").unwrap_or(call);
        let given = function.any(&["arguments", "args", "input"]);
        self.begin(call.text_of("id"), function.text_of("name"), given);
    }

    fn begin(&mut self, id: Option<&str>, name: Option<&str>, given: Option<&Value>) {
        let call = single::begun_as_written(name.unwrap_or("Bash"), given);
        if let Some(id) = id {
            self.waiting.insert(id.to_owned(), self.calls.len());
        }
        self.calls.push(call);
    }

    fn end(&mut self, id: Option<&str>, content: Option<&Value>, failed: Option<bool>) {
        let at = match id {
            Some(id) => self.waiting.remove(id),
            None => self.calls.len().checked_sub(1),
        };
        // A history that was cut may begin with a result.
        let at = at.filter(|at| *at < self.calls.len()).unwrap_or_else(|| {
            self.calls.push(TracedCall::new());
            self.calls.len() - 1
        });
        let Some(call) = self.calls.get_mut(at) else { return };
        let begun = std::mem::take(call);
        *call = match content {
            Some(value @ Value::Object(_)) if single::is_call(value) => single::ended(begun, value),
            Some(value) => result(begun, &single::block_text(value), failed),
            None => result(begun, "", failed),
        };
    }
}

/// The call with the text that the model read. `failed`: what the host says of its end, where it says anything.
pub(super) fn result(begun: TracedCall<'static>, text: &str, failed: Option<bool>) -> TracedCall<'static> {
    if let Some(value) = tree::parse(text).filter(single::is_call)
        && begun.tool.kind == ToolKind::Shell
    {
        return single::ended(begun, &value);
    }
    if let Some(call) = streams(&begun, text) {
        return call;
    }
    let text = Cow::Owned(text.to_owned());
    let as_call = call::begun(begun.tool.clone(), begun.input.clone(), crate::model::Ids::default(), None);
    let told = match failed {
        Some(true) => call::failed(as_call, text),
        Some(false) => call::passed_with(as_call, text),
        None => call::unstated(as_call, text),
    };
    let moved = told.status == Status::InBackground && told.timed_out_after_ms.is_some();
    let mut call = TracedCall::of(told.into_owned());
    call.hang |= moved;
    call
}

/// `exit_code=1`, `stdout=...`, `stderr=...`, each at the beginning of a line.
fn streams(begun: &TracedCall<'static>, text: &str) -> Option<TracedCall<'static>> {
    let (code, rest) = text.strip_prefix("exit_code=")?.split_once('\n').unwrap_or((text, ""));
    let exit_code: i64 = code.trim().parse().ok()?;
    let rest = rest.strip_prefix("stdout=").unwrap_or(rest);
    let (stdout, stderr) = match rest.strip_prefix("stderr=") {
        Some(stderr) => ("", stderr),
        None => rest.split_once("\nstderr=").unwrap_or((rest, "")),
    };
    let fields = json!({ "exit_code": exit_code, "stdout": stdout, "stderr": stderr });
    let empty = TracedCall { output: Output::Merged(Cow::Borrowed("")), ..begun.clone() };
    Some(single::ended(empty, &fields))
}
