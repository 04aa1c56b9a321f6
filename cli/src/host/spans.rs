//! Runs and spans of tracing services: `LangSmith`'s and Langfuse's.

use std::borrow::Cow;

use super::tree::TreeNode;
use super::{messages, single};
use crate::model::{Output, Status, TracedCall};

/// What Langfuse calls the things that it observes.
const KINDS: &[&str] = &["SPAN", "GENERATION", "EVENT", "TRACE", "TOOL", "AGENT", "CHAIN", "RETRIEVER", "GUARDRAIL"];

/// Whether an object is a run of `LangSmith`.
pub(super) fn is_run(node: &TreeNode<'_>) -> bool {
    node.text_of("run_type").is_some()
}

/// Whether an object is an observation of Langfuse.
pub(super) fn is_span(node: &TreeNode<'_>) -> bool {
    node.text_of("type").is_some_and(|kind| KINDS.contains(&kind))
}

/// The calls of a run and of the runs in it.
pub(super) fn run(node: &TreeNode<'_>, calls: &mut Vec<TracedCall<'static>>) {
    let (inputs, outputs) = (node.get("inputs"), node.get("outputs"));
    let is_tool = node.text_of("run_type") == Some("tool") || inputs.is_some_and(single::is_call);
    if is_tool {
        let failed = node.get("error").map(single::block_text).filter(|error| !error.is_empty());
        calls.push(span_call(node, inputs, outputs, failed.as_deref()));
    }
    for child in node.any(&["child_runs", "runs"]).map_or(&[][..], TreeNode::items) {
        run(child, calls);
    }
}

/// The calls of an observation and of the observations in it.
pub(super) fn span(node: &TreeNode<'_>, calls: &mut Vec<TracedCall<'static>>) {
    let (input, output) = (node.get("input"), node.get("output"));
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

fn span_call(
    node: &TreeNode<'_>,
    input: Option<&TreeNode<'_>>,
    output: Option<&TreeNode<'_>>,
    failed: Option<&str>,
) -> TracedCall<'static> {
    let name = node.text_of("name").unwrap_or("Bash");
    let line =
        |text: &str| TreeNode::Map(vec![(Cow::Borrowed("command"), TreeNode::Text(Cow::Owned(text.to_owned())))]);
    let begun = match input {
        Some(TreeNode::Text(text)) => match TreeNode::parse(text).filter(|value| matches!(value, TreeNode::Map(_))) {
            Some(value) => single::begun(name, &value),
            None => single::begun(name, &line(text)),
        },
        // What a tool is given may stand one level down.
        Some(value) => {
            single::begun(name, value.any(&["input", "args", "kwargs"]).filter(|v| single::is_call(v)).unwrap_or(value))
        }
        None => single::begun(name, &TreeNode::Null),
    };
    let stated = |value: &TreeNode<'_>| single::is_call(value) || value.has("error") || value.has("result");
    let mut call = match output {
        Some(value) if stated(value) => single::ended(begun, value),
        Some(value) => messages::result(begun, &single::block_text(value), failed.map(|_| true)),
        None => single::ended(begun, &TreeNode::Null),
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
