//! A case of a failure mode's page: a trace, and the mode that is told of it first, or is not told of it at all.

use std::borrow::Cow;

use serde_json::Value;

use super::case::known;
use super::{FIRES, PageCase};
use crate::diagnose::diagnose;
use crate::model::{Output, Status, TIMED_OUT, Tool, ToolInput, ToolKind, Trace, TracedCall};

/// The fields that a case and a call may have.
const FIELDS: &[&str] = &["calls", "expect", "not", "ran"];
const CALL_FIELDS: &[&str] = &["tool", "command", "path", "stdout", "stderr", "exit", "hang", "timeout_ms", "printed"];

/// Whether the trace is diagnosed as its page says; the error says what differs.
pub(super) fn check(case: &PageCase, mode: u8) -> Result<(), String> {
    known(&case.json, FIELDS)?;
    let calls = case.json["calls"].as_array().ok_or("a case has a list `calls`")?;
    for call in calls {
        known(call, CALL_FIELDS)?;
    }
    let key = if case.heading == FIRES { "expect" } else { "not" };
    let wanted = format!("§{mode}");
    if case.json[key] != *wanted {
        return Err(format!("the case has to say `{key}`: `{wanted}`"));
    }
    let trace = Trace { calls: calls.iter().map(traced_call).collect() };
    let found: Vec<u8> = diagnose(&trace).findings.iter().map(|finding| finding.mode.id()).collect();
    let told = || found.iter().map(|id| format!("§{id}")).collect::<Vec<_>>().join(", ");
    match (key, found.first() == Some(&mode), found.contains(&mode)) {
        ("expect", true, _) | ("not", _, false) => Ok(()),
        ("expect", ..) => Err(format!("{wanted} is not the first of: {}", told())),
        _ => Err(format!("{wanted} is among: {}", told())),
    }
}

/// The call that a case tells of.
fn traced_call(json: &Value) -> TracedCall<'_> {
    let text = |key: &str| Cow::Borrowed(json[key].as_str().unwrap_or_default());
    let exit_code = json["exit"].as_i64().and_then(|code| i32::try_from(code).ok());
    let limit_ms = json["timeout_ms"].as_u64();
    let hang = json["hang"].as_bool().unwrap_or_default() || exit_code == Some(TIMED_OUT);
    // A call of a tool server stands there as its name and its arguments.
    let server =
        json["command"].as_str().and_then(|line| line.split(' ').next()).filter(|name| name.starts_with("mcp__"));
    let tool = Tool::named(json["tool"].as_str().or(server).unwrap_or("Bash"));
    let input = match tool.kind {
        ToolKind::Shell => ToolInput::Command { command: text("command"), background: false },
        ToolKind::Read => ToolInput::file(text("path")),
        _ => ToolInput::Other { summary: text("command").into_owned() },
    };
    TracedCall {
        input,
        status: if exit_code == Some(0) && !hang { Status::Succeeded } else { Status::Failed },
        tool,
        exit_code,
        hang,
        limit_ms,
        printed: json["printed"].as_u64(),
        output: Output::Apart { stdout: text("stdout"), stderr: text("stderr") },
        ..TracedCall::new()
    }
}
