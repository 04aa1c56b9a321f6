//! Runs and spans of tracing services: `LangSmith`'s and Langfuse's.

use std::borrow::Cow;

use serde_json::Value;

use super::tree::TreeNode;
use super::{messages, single};
use crate::model::{Output, Status, TracedCall};

/// What Langfuse calls the things that it observes.
const KINDS: &[&str] = &["SPAN", "GENERATION", "EVENT", "TRACE", "TOOL", "AGENT", "CHAIN", "RETRIEVER", "GUARDRAIL"];

/// Whether an object is a run of `LangSmith`.
pub(super) fn is_run(node: &Value) -> bool {
    node.text_of("run_type").is_some()
}

/// Whether an object is an observation of Langfuse.
pub(super) fn is_span(node: &Value) -> bool {
    node.text_of("type").is_some_and(|kind| KINDS.contains(&kind))
}

/// The calls of a run and of the runs in it.
pub(super) fn run(node: &Value, calls: &mut Vec<TracedCall<'static>>) {
    let (inputs, outputs) = (node.there("inputs"), node.there("outputs"));
    let is_tool = node.text_of("run_type") == Some("tool") || inputs.is_some_and(single::is_call);
    if is_tool {
        let failed = node.there("error").map(single::block_text).filter(|error| !error.is_empty());
        calls.push(span_call(node, inputs, outputs, failed.as_deref()));
    }
    for child in node.any(&["child_runs", "runs"]).map_or(&[][..], TreeNode::items) {
        run(child, calls);
    }
}

/// The calls of an observation and of the observations in it.
pub(super) fn span(node: &Value, calls: &mut Vec<TracedCall<'static>>) {
    let (input, output) = (node.there("input"), node.there("output"));
    let level = node.text_of("level").unwrap_or_default();
    let message = node.any(&["statusMessage", "status_message"]).map(single::block_text).unwrap_or_default();
    let tells = input.is_some() || output.is_some() || !message.is_empty();
    if node.text_of("type") != Some("GENERATION") && node.text_of("type") != Some("TRACE") && tells {
        let failed = matches!(level, "ERROR" | "WARNING").then_some(message.as_str());
        let mut read = span_call(node, input, output, failed);
        if message.eq_ignore_ascii_case("timeout") {
            read.hang = true;
        }
        calls.push(read);
    }
    for child in node.any(&["observations", "spans", "children"]).map_or(&[][..], TreeNode::items) {
        span(child, calls);
    }
}

fn span_call<'n>(
    node: &'n Value,
    input: Option<&'n Value>,
    output: Option<&Value>,
    failed: Option<&str>,
) -> TracedCall<'static> {
    let name = node.text_of("name").unwrap_or("Bash");
    // What a tool is given may stand one level down.
    let inner = |value: &'n Value| value.any(&["input", "args", "kwargs"]).filter(|inner| single::is_call(inner));
    let begun = single::begun_as_written(name, input.map(|value| inner(value).unwrap_or(value)));
    let stated = |value: &Value| single::is_call(value) || value.has("error") || value.has("result");
    let mut call = match output {
        Some(value) if stated(value) => single::ended(begun, value),
        Some(value) => messages::result(begun, &single::block_text(value), failed.map(|_| true)),
        None => single::ended(begun, &Value::Null),
    };
    match failed {
        Some(error) => {
            call.status = Status::Failed;
            call.exit_code = call.exit_code.filter(|code| *code != 0);
            let unsaid = call.output.streams().iter().all(|(_, text)| !text.contains(error));
            if unsaid && !error.is_empty() && !error.eq_ignore_ascii_case("timeout") {
                call.output = with_error(call.output, error);
            }
        }
        // What is not marked and states no status passed.
        None if call.exit_code.is_none() && !call.hang => call.status = Status::Succeeded,
        None => {}
    }
    call
}

fn with_error(output: Output<'static>, error: &str) -> Output<'static> {
    match output {
        Output::Apart { stdout, stderr } if stderr.is_empty() => {
            Output::Apart { stdout, stderr: Cow::Owned(error.to_owned()) }
        }
        Output::Apart { stdout, stderr } => Output::Apart { stdout, stderr: Cow::Owned(format!("{stderr}\n{error}")) },
        Output::Merged(text) => Output::Apart { stdout: text, stderr: Cow::Owned(error.to_owned()) },
    }
}
