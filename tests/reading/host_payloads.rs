//! The client's payloads, streams and session files: own examples under `golden/host`, and recorded ones where they are
//! at hand.

#![expect(clippy::unwrap_used, reason = "helpers of tests: a panic is the message")]

use std::path::{Path, PathBuf};

use crate::data_folder::data_folder;
use failwise::host::payload::{MAX_BYTES, Payload, PayloadError, PayloadKind, parse};
use failwise::host::transcript::{Skip, Summary, Transcript, TranscriptEntry};
use failwise::model::{Phase, Status, ToolCall, ToolInput};
use proptest::prelude::*;
use serde_json::{Value, json};

#[expect(clippy::disallowed_methods, reason = "a test reads its own examples")]
fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[expect(clippy::disallowed_methods, reason = "a test reads its own examples")]
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// Recorded files, which are not part of the project: beside the folder of the data.
fn recorded(folder: &str) -> Vec<PathBuf> {
    data_folder().map(|data| files(&data.join("..").join(folder))).unwrap_or_default()
}

fn golden() -> Vec<PathBuf> {
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/host"))
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap().to_string_lossy().into_owned()
}

fn status_word(status: Status) -> &'static str {
    match status {
        Status::Succeeded => "succeeded",
        Status::Failed => "failed",
        Status::Refused => "refused",
        Status::Denied => "denied",
        Status::Cascade => "cascade",
        Status::Interrupted => "interrupted",
        Status::Unstated => "unstated",
        Status::InBackground => "in_background",
    }
}

fn seen_call(call: &ToolCall<'_>) -> Value {
    let input = match &call.input {
        ToolInput::Command { command, background: false } => json!({ "command": command }),
        ToolInput::Command { command, background: true } => json!({ "command": command, "background": true }),
        ToolInput::File { path, .. } => json!({ "file": path }),
        ToolInput::Other { summary } => json!({ "summary": summary }),
    };
    json!({
        "tool": call.tool.name,
        "input": input,
        "session": call.ids.session,
        "agent": call.ids.agent,
        "tool_use": call.ids.tool_use,
        "cwd": call.cwd,
        "phase": if call.phase == Phase::Background { "background" } else { "call" },
        "status": status_word(call.status),
        "exit_code": call.exit_code,
        "text": call.text,
        "timed_out_after_ms": call.timed_out_after_ms,
        "truncated": call.truncated,
        "background_task": call.background_task,
        "exit_meaning": call.exit_meaning,
        "ended": call.ended.as_deref().map(seen_call),
        "cause": call.reported.cause,
        "conflict_id": call.reported.conflict_id,
        "node": call.reported.node,
        "failed_attempts": call.reported.failed_attempts,
        "files_touched": call.reported.files_touched,
    })
}

fn seen(payload: &Payload<'_>) -> Value {
    match &payload.kind {
        PayloadKind::Before(call) => json!({ "kind": "before", "call": seen_call(call) }),
        PayloadKind::Call(call) => json!({ "kind": "call", "call": seen_call(call) }),
        PayloadKind::Batch(calls) => {
            json!({ "kind": "batch", "calls": calls.iter().map(seen_call).collect::<Vec<_>>() })
        }
        PayloadKind::Background { call, output_file } => {
            json!({ "kind": "background", "call": seen_call(call), "output_file": output_file })
        }
        PayloadKind::Prompt { red_phase: false } => json!({ "kind": "prompt" }),
        PayloadKind::Prompt { red_phase: true } => json!({ "kind": "prompt", "red_phase": true }),
        PayloadKind::SessionStart { source } => json!({ "kind": "session_start", "source": source }),
        PayloadKind::Stop { subagent, already_held, .. } => {
            json!({ "kind": "stop", "subagent": subagent, "already_held": already_held })
        }
        PayloadKind::ApiError(call) => json!({ "kind": "api_error", "call": seen_call(call) }),
        PayloadKind::Report(call) => json!({ "kind": "report", "call": seen_call(call) }),
        PayloadKind::Other => json!({ "kind": "other" }),
    }
}

/// Whether everything that is expected was seen; fields that are not expected do not matter.
fn holds(expected: &Value, seen: &Value) -> bool {
    match (expected, seen) {
        (Value::Object(expected), Value::Object(seen)) => {
            expected.iter().all(|(key, value)| seen.get(key).is_some_and(|seen| holds(value, seen)))
        }
        (Value::Array(expected), Value::Array(seen)) => {
            expected.len() == seen.len() && expected.iter().zip(seen).all(|(expected, seen)| holds(expected, seen))
        }
        (expected, seen) => expected == seen,
    }
}

/// The bytes of an example: a JSON value, or a string that stands for the raw input.
fn input(case: &Value) -> Vec<u8> {
    match &case["payload"] {
        Value::String(raw) => raw.clone().into_bytes(),
        payload => payload.to_string().into_bytes(),
    }
}

#[test]
fn own_examples_are_read_as_expected() {
    let cases = golden();
    assert!(cases.len() > 40, "{} examples", cases.len());
    for path in cases {
        let case: Value = serde_json::from_str(&read(&path)).unwrap();
        let input = input(&case);
        match parse(&input) {
            Ok(payload) => {
                let seen = seen(&payload);
                assert!(holds(&case["expect"], &seen), "{}: expected {} saw {seen}", stem(&path), case["expect"]);
            }
            Err(error) => {
                let wanted = case["expect"]["error"].as_str();
                assert!(wanted.is_some_and(|word| error.to_string().contains(word)), "{}: {error}", stem(&path));
            }
        }
    }
}

#[test]
fn every_prefix_of_an_example_is_an_error_or_a_payload() {
    for path in golden() {
        let case: Value = serde_json::from_str(&read(&path)).unwrap();
        let input = input(&case);
        if case["expect"]["error"].is_string() {
            continue;
        }
        let document = input.trim_ascii_end().len();
        for end in 0..input.len() {
            let result = parse(&input[..end]);
            assert!(end >= document || result.is_err(), "{} cut at {end}", stem(&path));
        }
    }
}

/// What the file names of recorded payloads promise.
const PROMISED: &[(&str, &str)] = &[
    (
        "PostToolUseFailure-Bash-exit-143-timeout",
        r#"{"call":{"exit_code":143,"timed_out_after_ms":1000,"text":"begin\nerr"}}"#,
    ),
    ("PostToolUseFailure-Bash-shell-killed", r#"{"call":{"exit_code":1,"text":""}}"#),
    ("PostToolUseFailure-Bash-truncated", r#"{"call":{"truncated":true,"status":"failed"}}"#),
    ("PostToolUseFailure-Bash-in-subagent", r#"{"call":{"exit_code":6,"agent":"a0000000000000001"}}"#),
    ("PostToolUseFailure-Bash-main-thread", r#"{"call":{"exit_code":3,"agent":null}}"#),
    ("PostToolUseFailure-Agent", r#"{"kind":"call","call":{"tool":"Agent","status":"failed","exit_code":null}}"#),
    ("PostToolUseFailure-mcp", r#"{"kind":"call","call":{"status":"failed","exit_code":null}}"#),
    ("PostToolUseFailure-", r#"{"kind":"call","call":{"status":"failed"}}"#),
    ("PostToolUse-Bash-run-in-background", r#"{"call":{"status":"in_background","background_task":"b00000001"}}"#),
    ("PostToolUse-Bash-timeout-moved", r#"{"call":{"status":"in_background","timed_out_after_ms":1500}}"#),
    ("PostToolUse-Bash-grep", r#"{"call":{"status":"succeeded","exit_meaning":"No matches found"}}"#),
    ("PostToolUse-Bash-find", r#"{"call":{"status":"succeeded","exit_meaning":"Some directories were inaccessible"}}"#),
    ("PostToolUse-Bash-large-output", r#"{"call":{"status":"succeeded","truncated":true}}"#),
    ("PostToolUse-Bash-stdout-and-stderr", r#"{"call":{"status":"succeeded","text":"out\nerr"}}"#),
    ("PostToolUse-Agent-async", r#"{"call":{"status":"in_background","background_task":"a0000000000000001"}}"#),
    ("PostToolUse-Read", r#"{"call":{"status":"succeeded","text":""}}"#),
    ("PostToolUse-NotebookEdit", r#"{"call":{"input":{"file":"/home/dev/project/n.ipynb"},"text":""}}"#),
    ("PostToolUse-", r#"{"kind":"call","call":{"status":"succeeded","exit_code":null}}"#),
    ("PostToolBatch-none-one-failure", r#"{"calls":[{"status":"failed","exit_code":3,"text":"out1\nerr1"}]}"#),
    ("PostToolBatch-none-one-success", r#"{"calls":[{"status":"succeeded","text":"out\nerr"}]}"#),
    (
        "PostToolBatch-none-parallel-mixed",
        r#"{"calls":[{"status":"succeeded"},{"status":"failed"},{"status":"succeeded"}]}"#,
    ),
    ("PostToolBatch-none-parallel-with-unknown-tool", r#"{"kind":"batch"}"#),
    ("PostToolBatch-none-permission", r#"{"calls":[{"status":"denied"}]}"#),
    ("PostToolBatch-none-denied", r#"{"calls":[{"status":"denied"}]}"#),
    ("PostToolBatch-none-legacy-tool-name", r#"{"calls":[{"tool":"Agent","status":"in_background"}]}"#),
    ("PostToolBatch-none-mcp-is-error", r#"{"calls":[{"status":"succeeded"}]}"#),
    ("PostToolBatch-", r#"{"kind":"batch","calls":[{"status":"refused"}]}"#),
    ("StopFailure-none-api-429", r#"{"call":{"input":{"summary":"rate_limit"}}}"#),
    ("StopFailure-none-in-subagent", r#"{"call":{"agent":"a0000000000000001"}}"#),
    ("StopFailure-", r#"{"kind":"api_error","call":{"tool":"model_api","status":"failed","exit_code":null}}"#),
    ("Stop-none-hook-active", r#"{"kind":"stop","subagent":false,"already_held":true}"#),
    ("Stop-", r#"{"kind":"stop","subagent":false,"already_held":false}"#),
    ("SubagentStop-none-compaction-helper", r#"{"kind":"other"}"#),
    ("SubagentStop-", r#"{"kind":"stop","subagent":true,"already_held":false}"#),
    ("SessionStart-none-compact", r#"{"kind":"session_start","source":"compact"}"#),
    ("SessionStart-", r#"{"kind":"session_start"}"#),
    (
        "UserPromptSubmit-none-task-notification-background-agent",
        r#"{"kind":"background","call":{"tool":"Agent","status":"succeeded"}}"#,
    ),
    (
        "UserPromptSubmit-none-task-notification-background-completed",
        r#"{"call":{"tool":"Bash","status":"succeeded","exit_code":0}}"#,
    ),
    (
        "UserPromptSubmit-none-task-notification-background-failed",
        r#"{"call":{"status":"failed","exit_code":7,"phase":"background"}}"#,
    ),
    (
        "UserPromptSubmit-none-task-notification-monitor-failed",
        r#"{"call":{"tool":"Monitor","exit_code":3,"text":"line1"}}"#,
    ),
    ("UserPromptSubmit-", r#"{"kind":"prompt"}"#),
    ("PreToolUse-Bash-", r#"{"kind":"before","call":{"tool":"Bash"}}"#),
    ("PreToolUse-Edit-", r#"{"kind":"before","call":{"tool":"Edit"}}"#),
    ("PreToolUse-Write-", r#"{"kind":"before","call":{"tool":"Write"}}"#),
    ("", r#"{"kind":"other"}"#),
];

#[test]
fn recorded_payloads_are_what_their_names_say() {
    for path in recorded("hook-payloads").into_iter().filter(|path| path.extension().is_some_and(|ext| ext == "json")) {
        let text = read(&path);
        let payload = parse(text.as_bytes()).unwrap();
        let raw: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(raw["hook_event_name"], payload.event.as_str());
        assert_eq!(raw["session_id"], payload.ids.session.as_deref().unwrap());
        let name = stem(&path);
        let (_, promised) = PROMISED.iter().find(|(start, _)| name.starts_with(start)).unwrap();
        let promised: Value = serde_json::from_str(promised).unwrap();
        let seen = seen(&payload);
        assert!(holds(&promised, &seen), "{name}: promised {promised} saw {seen}");
        exit_code_of_the_name(&name, &seen);
    }
}

/// `…-exit-127-…` in the name of a failure is its exit code.
fn exit_code_of_the_name(name: &str, seen: &Value) {
    let Some((_, rest)) = name.strip_prefix("PostToolUseFailure-Bash").and_then(|rest| rest.split_once("exit-")) else {
        return;
    };
    let code: i64 = rest.split('-').next().unwrap().parse().unwrap();
    assert_eq!(seen["call"]["exit_code"], code, "{name}");
}

#[test]
fn a_payload_that_is_too_large_is_refused() {
    let large = vec![b' '; MAX_BYTES + 1];
    assert_eq!(parse(&large).unwrap_err(), PayloadError::TooLarge(MAX_BYTES + 1));
}

#[test]
fn deep_nesting_does_not_overflow() {
    for depth in [200, 100_000] {
        let nested = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let inside = format!(
            r#"{{"hook_event_name":"PostToolUse","tool_name":"mcp__x__y","tool_input":{nested},"tool_response":{nested}}}"#
        );
        assert!(matches!(parse(inside.as_bytes()).unwrap().kind, PayloadKind::Call(_)));
        let unknown = format!(r#"{{"hook_event_name":"Stop","odd":{nested},"cwd":{nested}}}"#);
        assert!(matches!(parse(unknown.as_bytes()).unwrap().kind, PayloadKind::Stop { .. }));
        assert!(parse(nested.as_bytes()).is_err());
        assert!(parse("[".repeat(depth).as_bytes()).is_err());
    }
}

proptest! {
    #[test]
    fn any_bytes_give_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        if let Ok(payload) = parse(&bytes) {
            let nothing_much = matches!(payload.kind, PayloadKind::Report(_) | PayloadKind::Other);
            prop_assert!(nothing_much);
        }
    }

    #[test]
    fn any_text_of_a_failure_keeps_the_call(error in ".{0,200}", tool in "Bash|Edit|mcp__a__b") {
        let payload = json!({"hook_event_name": "PostToolUseFailure", "tool_name": tool, "tool_use_id": "t1", "error": error});
        let bytes = payload.to_string().into_bytes();
        let PayloadKind::Call(call) = parse(&bytes).unwrap().kind else { panic!("not a call") };
        prop_assert_eq!(call.ids.tool_use.as_deref(), Some("t1"));
        prop_assert!(call.status != Status::Succeeded && error.contains(&*call.text));
    }

    #[test]
    fn a_damaged_payload_never_becomes_another_event(at in 0usize..220, byte: u8) {
        let mut bytes = json!({"hook_event_name": "PostToolUseFailure", "session_id": "s", "tool_name": "Bash",
            "tool_input": {"command": "make \u{1F600}"}, "tool_use_id": "t1", "error": "Exit code 2\nno rule"}).to_string().into_bytes();
        let at = at % bytes.len();
        bytes[at] = byte;
        if let Ok(payload) = parse(&bytes) {
            let other = matches!(payload.kind, PayloadKind::Prompt { .. } | PayloadKind::Stop { .. } | PayloadKind::Batch(_));
            prop_assert!(!other);
        }
    }
}

/// The lines of a transcript as values, and what was made of them.
fn replayed(path: &Path) -> (Vec<Value>, Vec<TranscriptEntry>, Summary) {
    let text = read(path);
    let mut transcript = Transcript::default();
    let entries = text.lines().flat_map(|line| transcript.line(line)).collect();
    (text.lines().map(|line| serde_json::from_str(line).unwrap()).collect(), entries, transcript.finish())
}

/// All results in a transcript, also those of subagents inside progress lines: id and error mark.
fn results(lines: &[Value]) -> Vec<(String, bool)> {
    let bodies =
        lines.iter().flat_map(|line| [&line["message"]["content"], &line["data"]["message"]["message"]["content"]]);
    let blocks = bodies.filter_map(Value::as_array).flatten().filter(|block| block["type"] == "tool_result");
    blocks.map(|block| (block["tool_use_id"].as_str().unwrap().to_owned(), block["is_error"] == true)).collect()
}

fn calls(entries: &[TranscriptEntry]) -> Vec<(&TranscriptEntry, &ToolCall<'static>)> {
    let calls = entries.iter().filter_map(|entry| match entry.told.event() {
        Some(PayloadKind::Call(call)) => Some((entry, call)),
        _ => None,
    });
    calls.collect()
}

#[test]
fn recorded_transcripts_keep_every_result_and_its_mark() {
    let folders = ["client-rig/fixtures/transcripts", "client-rig/fixtures/streams", "data/transcripts"];
    for path in folders.iter().flat_map(|folder| recorded(folder)) {
        let (lines, entries, summary) = replayed(&path);
        let seen: Vec<_> = calls(&entries)
            .iter()
            .map(|(entry, call)| (call.ids.tool_use.clone().unwrap(), entry.marked_error))
            .collect();
        assert_eq!(seen, results(&lines), "{}", path.display());
        assert_eq!(summary.calls, seen.len());
        assert_eq!(summary.lines, lines.len());
        let odd = [Skip::NotJson, Skip::UnknownType, Skip::ResultWithoutCall, Skip::TooLong];
        assert!(odd.iter().all(|reason| !summary.skipped.contains_key(reason)), "{}: {summary:?}", path.display());
        for (entry, call) in calls(&entries) {
            let worked = matches!(call.status, Status::Succeeded | Status::InBackground);
            assert_eq!(worked, !entry.marked_error, "{}: {call:?}", path.display());
            assert!(call.ids.session.is_some() && call.cwd.is_some(), "{}: {call:?}", path.display());
        }
    }
}

/// The two lines that a session file holds of the call that a payload tells of.
fn as_transcript(payload: &Value) -> [Value; 2] {
    let place = json!({ "sessionId": payload["session_id"], "cwd": payload["cwd"], "agentId": payload["agent_id"] });
    let failed = payload["hook_event_name"] == "PostToolUseFailure";
    let response = &payload[if failed { "error" } else { "tool_response" }];
    let shown = json!({ "type": "tool_result", "tool_use_id": payload["tool_use_id"], "content": response, "is_error": failed });
    let call = json!({ "type": "tool_use", "id": payload["tool_use_id"], "name": payload["tool_name"], "input": payload["tool_input"] });
    let mut lines = [place.clone(), place];
    lines[0]["type"] = json!("assistant");
    lines[0]["message"] = json!({ "role": "assistant", "content": [call] });
    lines[1]["type"] = json!("user");
    lines[1]["message"] = json!({ "role": "user", "content": [shown] });
    lines[1]["toolUseResult"] = response.clone();
    lines
}

/// Payloads of single calls that stand in a session file with the same words. Interruptions are told in another way there.
fn single_calls() -> Vec<(String, Value)> {
    let own = golden()
        .into_iter()
        .map(|path| (stem(&path), serde_json::from_str::<Value>(&read(&path)).unwrap()["payload"].clone()));
    let recorded =
        recorded("hook-payloads").into_iter().filter(|path| path.extension().is_some_and(|ext| ext == "json"));
    let recorded = recorded.map(|path| (stem(&path), serde_json::from_str(&read(&path)).unwrap()));
    let single = |(_, payload): &(String, Value)| {
        let event = payload["hook_event_name"].as_str().unwrap_or_default();
        ["PostToolUse", "PostToolUseFailure"].contains(&event) && payload["is_interrupt"] != true
    };
    own.chain(recorded).filter(single).collect()
}

#[test]
fn a_call_is_the_same_live_and_replayed() {
    let payloads = single_calls();
    assert!(payloads.len() > 30, "{} calls", payloads.len());
    for (name, payload) in payloads {
        let bytes = payload.to_string().into_bytes();
        let PayloadKind::Call(live) = parse(&bytes).unwrap().kind else { panic!("{name} is not a call") };
        let mut transcript = Transcript::default();
        let entries: Vec<_> =
            as_transcript(&payload).iter().flat_map(|line| transcript.line(&line.to_string())).collect();
        let [(_, replayed)] = calls(&entries)[..] else { panic!("{name}: {entries:?}") };
        assert_eq!(seen_call(replayed), seen_call(&live), "{name}");
    }
}

proptest! {
    #[test]
    fn any_lines_are_counted(lines in proptest::collection::vec("\\PC{0,60}|\\{\"type\":\"(user|assistant|progress|system|attachment|queue-operation)\",\"(message|data|content|attachment)\":[\\[\\]{}\":,a1]{0,30}\\}", 0..20)) {
        let mut transcript = Transcript::default();
        let entries: usize = lines.iter().map(|line| transcript.line(line).len()).sum();
        let summary = transcript.finish();
        prop_assert_eq!(summary.lines, lines.len());
        prop_assert_eq!(entries + summary.skipped.values().sum::<usize>(), lines.len());
    }
}
