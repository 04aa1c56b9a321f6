//! Session files of all clients: hostile ones, and recorded ones beside what the same client's hooks told of the same calls.

#![expect(clippy::unwrap_used, reason = "helpers of tests: a panic is the message")]

use std::path::{Path, PathBuf};

use failwise::host::payload::{PayloadKind, parse};
use failwise::host::transcript::Transcript;
use failwise::model::{Host, ToolCall, ToolInput};
use failwise_core::host::codex;
use proptest::prelude::*;

use crate::data_folder::data_folder;

#[expect(clippy::disallowed_methods, reason = "a test reads recorded files")]
fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

/// Recorded by running the clients, where they are at hand.
fn recorded() -> Option<PathBuf> {
    data_folder().map(|data| data.join("../reference/hosts-recorded")).filter(|folder| folder.is_dir())
}

/// The calls that ended in a session file.
fn replayed(host: Host, file: &Path) -> Vec<ToolCall<'static>> {
    let mut transcript = Transcript::of(host);
    let text = read(file);
    let entries = text.lines().flat_map(|line| transcript.line(line));
    let call = |kind: &PayloadKind<'static>| match kind {
        PayloadKind::Call(call) => Some(call.clone()),
        _ => None,
    };
    entries.filter_map(|entry| entry.told.event().and_then(call)).collect()
}

/// The calls whose ends a hook was told of, as it reads them.
fn live(payloads: &Path, rollout: Option<&str>) -> Vec<ToolCall<'static>> {
    let text = read(payloads);
    let mut calls = Vec::new();
    for line in text.lines() {
        let Ok(payload) = parse(line.as_bytes()) else { continue };
        if let PayloadKind::Call(call) = payload.into_owned().kind {
            let mut call = call;
            if let Some(rollout) = rollout {
                codex::complete(&mut call, |most| {
                    Some(rollout[rollout.floor_char_boundary(rollout.len().saturating_sub(most))..].to_owned())
                });
            }
            calls.push(call);
        }
    }
    calls
}

/// What rules read of a call.
fn told(call: &ToolCall<'_>) -> (String, String, String, Option<i32>, String) {
    let input = match &call.input {
        ToolInput::Command { command, .. } => command.to_string(),
        ToolInput::File { path, .. } => path.to_string(),
        ToolInput::Other { summary } => summary.clone(),
    };
    let text = call.text.trim().to_owned();
    (call.tool.name.clone(), input, format!("{:?}", call.status), call.exit_code, text)
}

#[test]
fn recorded_calls_are_the_same_live_and_replayed() {
    let Some(folder) = recorded() else { return };
    let files = [
        (Host::Codex, "hook-payloads.jsonl", "rollout.jsonl", 11),
        (Host::Codex, "hook-payloads-edits.jsonl", "rollout-edits.jsonl", 2),
        (Host::Copilot, "hook-payloads-claude-names.jsonl", "events.jsonl", 6),
        (Host::Gemini, "hook-payloads.jsonl", "session.jsonl", 8),
        // Its hooks were told of commands only.
        (Host::Qwen, "hook-payloads.jsonl", "session.jsonl", 5),
    ];
    for (host, payloads, session, expected) in files {
        let folder = folder.join(host.as_str());
        let rollout = (host == Host::Codex).then(|| read(&folder.join(session)));
        let of_file = replayed(host, &folder.join(session));
        let mut left = of_file.iter();
        let live = live(&folder.join(payloads), rollout.as_deref());
        for call in &live {
            // Some ends have no event, so the next one of the same is meant.
            let same = left.find(|other| told(other).0 == told(call).0 && told(other).1 == told(call).1);
            let same = same.unwrap_or_else(|| panic!("{host} {payloads}: {call:?} is not in {of_file:?}"));
            assert_eq!(told(same), told(call), "{host} {payloads}");
            assert_eq!(same.ids.host, call.ids.host);
        }
        assert_eq!(live.len(), expected, "{host} {payloads}");
    }
}

/// Pieces of which lines of every client are made, whole and torn.
const PIECES: &str = "\\PC{0,12}|\\{|\\}|\\[|\\]|,|:|\"(type|payload|data|message|parts|content|toolCalls|functionCall|functionResponse|response|output|error|id|call_id|toolCallId|name|arguments|item|exit_code|usage|\\$set|sessionId|projectHash)\"|\"(response_item|event_msg|item_completed|function_call|function_call_output|CommandExecution|exec_command|tool.execution_start|tool.execution_complete|session.start|gemini|user|assistant|tool_result|system|success|a|make)\"|1|true|null";

fn line() -> impl Strategy<Value = String> {
    let torn = proptest::collection::vec(PIECES, 0..24).prop_map(|pieces| pieces.concat());
    let field =
        "(id|call_id|toolCallId|name|toolName|arguments|args|output|result|content|text|status|exit_code|success)";
    let value = "(\"(a|b|bash|exec_command|apply_patch|error|success|[{]\\\\\"cmd\\\\\":\\\\\"make\\\\\"[}])\"|1|-1|true|null|[{][}]|\\[\\]|\"\\\\ud800\")";
    let fields = proptest::collection::vec((field, value), 0..5).prop_map(|fields| {
        let fields: Vec<String> = fields.into_iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
        fields.join(",")
    });
    let shape = proptest::sample::select(vec![
        "{\"type\":\"response_item\",\"payload\":{\"type\":\"function_call\",@}}",
        "{\"type\":\"response_item\",\"payload\":{\"type\":\"function_call_output\",@}}",
        "{\"type\":\"event_msg\",\"payload\":{\"type\":\"item_completed\",\"item\":{\"type\":\"CommandExecution\",@}}}",
        "{\"type\":\"tool.execution_start\",\"data\":{@}}",
        "{\"type\":\"tool.execution_complete\",\"data\":{@}}",
        "{\"type\":\"gemini\",\"id\":\"m\",\"toolCalls\":[{@}]}",
        "{\"$set\":{\"messages\":[{\"toolCalls\":[{@}]}]}}",
        "{\"type\":\"assistant\",\"message\":{\"parts\":[{\"functionCall\":{@}}]}}",
        "{\"type\":\"tool_result\",\"message\":{\"parts\":[{\"functionResponse\":{@}}]}}",
    ]);
    let whole = (shape, fields).prop_map(|(shape, fields)| {
        let fields = if fields.is_empty() { "\"x\":0".to_owned() } else { fields };
        shape.replace('@', &fields)
    });
    prop_oneof![torn, whole]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_lines_of_any_client_are_counted(lines in proptest::collection::vec(line(), 0..24)) {
        for host in Host::ALL {
            let mut transcript = Transcript::of(host);
            let mut calls = 0;
            for line in &lines {
                for entry in transcript.line(line) {
                    prop_assert!(entry.ids.host == host);
                    calls += usize::from(matches!(entry.told.event(), Some(PayloadKind::Call(_))));
                }
            }
            let summary = transcript.finish();
            prop_assert_eq!(summary.lines, lines.len());
            prop_assert_eq!(summary.calls, calls);
        }
    }
}

#[test]
fn a_session_of_many_open_calls_stays_small() {
    let open = [
        (
            Host::Codex,
            r#"{"type":"response_item","payload":{"type":"function_call","name":"write_stdin","call_id":"c@","arguments":"{\"session_id\":@}"}}"#,
        ),
        (
            Host::Copilot,
            r#"{"type":"tool.execution_start","data":{"toolCallId":"c@","toolName":"bash","arguments":{"command":"make"}}}"#,
        ),
        (
            Host::Qwen,
            r#"{"type":"assistant","message":{"parts":[{"functionCall":{"id":"c@","name":"run_shell_command","args":{}}}]}}"#,
        ),
    ];
    for (host, line) in open {
        let mut transcript = Transcript::of(host);
        for number in 0..3000 {
            assert!(transcript.line(&line.replace('@', &number.to_string())).is_empty(), "{host}");
        }
        // What was forgotten is counted like what still waits.
        assert_eq!(transcript.finish().without_result, 3000, "{host}");
    }
}
