//! Sessions of other clients, as their hooks are given them: what is recorded of each call, and what is answered.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "lays out session files and reads the history")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]
#![expect(clippy::print_stdout, reason = "says what was skipped")]

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use failwise::hook::{Outside, Reply, answer};
use failwise::model::Host;
use serde_json::{Value, json};

use crate::data_folder::data_folder;

/// A project, its history, and the session file of a client.
struct Bench {
    home: tempfile::TempDir,
    events: usize,
    /// Whether the history is where a person's is, and not in a folder of its own.
    is_usual: bool,
}

/// What became of a call: its outcome, exit code, category and input.
type Ended = (String, Option<i64>, String, String);

impl Bench {
    fn new() -> Self {
        let bench = Self { home: tempfile::tempdir().unwrap(), events: 0, is_usual: false };
        fs::create_dir_all(bench.project().join(".git")).unwrap();
        bench
    }

    fn project(&self) -> PathBuf {
        self.home.path().join("project")
    }

    fn rollout(&self) -> PathBuf {
        self.home.path().join("rollout-1.jsonl")
    }

    fn hook(&mut self, payload: &Value) -> Reply {
        self.events += 1;
        let now = format!("2026-03-01T08:{:02}:{:02}.000Z", self.events / 60, self.events % 60);
        let (variable, folder) = if self.is_usual { ("HOME", "") } else { ("FAILWISE_DIR", "history") };
        let folder = self.home.path().join(folder);
        let env = move |name: &str| (name == variable).then(|| OsString::from(&folder));
        answer(payload.to_string().as_bytes(), &Outside { env: &env, now: &now })
    }

    /// What a command of the person prints in the project.
    fn failwise(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_failwise"));
        command.args(arguments).env_clear().env("HOME", self.home.path()).current_dir(self.project());
        command
    }

    fn history(&self) -> Vec<Value> {
        let own = self.home.path().join("history");
        let usual = || fs::read_dir(self.home.path().join(".local/state/failwise/projects")).unwrap().next();
        let folder = if self.is_usual { usual().unwrap().unwrap().path() } else { own };
        let text = fs::read_to_string(folder.join("history.jsonl")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// What became of each call, in the order of the history.
    fn ended(&self, host: Host) -> Vec<Ended> {
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let lines = self.history();
        for line in &lines {
            assert_eq!(line["host"], host.as_str(), "{line}");
        }
        let calls = lines.iter().filter(|line| line["event"].as_str().unwrap().starts_with("execution_"));
        let ended = |line: &Value| {
            let category = word(&line["reading"]["category"]);
            (word(&line["outcome"]), line["exit_code"].as_i64(), category, word(&line["input"]))
        };
        calls.map(ended).collect()
    }

    /// Plays a recorded session; of Codex with the rollout as it stood at each event.
    fn play(&mut self, payloads: &str, rollout: Option<&str>) -> Vec<Reply> {
        let lines: Vec<&str> = rollout.unwrap_or_default().lines().collect();
        let mut replies = Vec::new();
        for line in payloads.lines().filter(|line| !line.is_empty()) {
            let mut payload: Value = serde_json::from_str(line).unwrap();
            payload["cwd"] = json!(self.project());
            if rollout.is_some() {
                let written = written_before(&payload, &lines);
                fs::write(self.rollout(), lines[..written].join("\n") + "\n").unwrap();
                payload["transcript_path"] = json!(self.rollout());
            }
            replies.push(self.hook(&payload));
        }
        replies
    }
}

/// How many lines of a rollout stand there when a hook is started: at a call those up to its own, at its end those up to the
/// item that tells of it.
fn written_before(payload: &Value, lines: &[&str]) -> usize {
    let Some(id) = payload["tool_use_id"].as_str() else { return lines.len() };
    let is_end = payload["hook_event_name"] == "PostToolUse";
    let own = |line: &&str| {
        let line: Value = serde_json::from_str(line).unwrap();
        let entry = &line["payload"];
        let (kind, of) = (entry["type"].as_str().unwrap_or_default(), &entry["call_id"]);
        if is_end { entry["item"]["id"] == id } else { of == id && kind.ends_with("_call") }
    };
    lines.iter().position(own).map_or(0, |at| at + 1)
}

/// A file of the recorded sessions, which are no part of the project.
fn recorded(name: &str) -> Option<String> {
    let folder = data_folder()?.parent()?.join("reference/hosts-recorded");
    let text = fs::read_to_string(folder.join(name)).ok();
    if text.is_none() {
        println!("skipped: no {name} beside the folder that FAILWISE_DATA names");
    }
    text
}

fn count(ended: &[Ended], outcome: &str) -> usize {
    ended.iter().filter(|(of, ..)| of == outcome).count()
}

#[test]
fn every_recorded_failure_of_codex_is_found() {
    let Some((payloads, rollout)) = recorded("codex/hook-payloads.jsonl").zip(recorded("codex/rollout.jsonl")) else {
        return;
    };
    let mut bench = Bench::new();
    bench.play(&payloads, Some(&rollout));
    let ended = bench.ended(Host::Codex);
    let outcomes = ["failed", "masked_failure", "benign_non_zero", "succeeded"].map(|outcome| count(&ended, outcome));
    assert_eq!(outcomes, [8, 2, 1, 0], "{ended:?}");
    let codes: Vec<_> = ended.iter().map(|call| call.1).collect();
    assert_eq!(codes, [2, 1, 1, 1, 1, 1, 1, 1, 0, 3, 0].map(Some));
    let Some((payloads, rollout)) =
        recorded("codex/hook-payloads-edits.jsonl").zip(recorded("codex/rollout-edits.jsonl"))
    else {
        return;
    };
    let mut bench = Bench::new();
    bench.play(&payloads, Some(&rollout));
    let ended = bench.ended(Host::Codex);
    let told: Vec<_> = ended.iter().map(|(outcome, exit, category, _)| (&**outcome, *exit, &**category)).collect();
    let patch = ("failed", None, "edit_no_match");
    assert_eq!(told[0], patch, "{ended:?}");
    assert_eq!(told[1].0, "succeeded");
    // The command in the background ended while this one ran, and is told at the next.
    assert_eq!((told[2].0, told[2].1), ("succeeded", Some(0)));
    assert_eq!((told[3].0, told[3].1), ("failed", Some(4)));
    assert_eq!((told[4], told.len()), (patch, 5));
}

#[test]
fn every_recorded_failure_of_copilot_is_found() {
    let Some(payloads) = recorded("copilot/hook-payloads-claude-names.jsonl") else { return };
    let mut bench = Bench::new();
    bench.play(&payloads.lines().filter(|line| line.contains("hook_event_name")).collect::<Vec<_>>().join("\n"), None);
    let ended = bench.ended(Host::Copilot);
    let told: Vec<_> = ended.iter().map(|(outcome, exit, category, _)| (&**outcome, *exit, &**category)).collect();
    let expected = [
        ("failed", Some(2), "path_not_found"),
        ("failed", Some(1), "dependency_missing"),
        ("failed", None, "path_not_found"),
        ("failed", None, "edit_no_match"),
        ("failed", None, "tool_unavailable"),
        ("succeeded", Some(0), "unknown"),
    ];
    assert_eq!(told, expected);
}

#[test]
fn every_recorded_failure_of_gemini_and_qwen_is_found() {
    let (mut gemini, mut qwen) = (Bench::new(), Bench::new());
    let Some((first, second)) = recorded("gemini/hook-payloads.jsonl").zip(recorded("qwen/hook-payloads.jsonl")) else {
        return;
    };
    gemini.play(&first, None);
    qwen.play(&second, None);
    let told = |ended: &[Ended]| ended.iter().map(|call| (call.0.clone(), call.2.clone())).collect::<Vec<_>>();
    let named =
        |pairs: &[(&str, &str)]| pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect::<Vec<_>>();
    let of_gemini = [
        ("failed", "path_not_found"),
        ("failed", "dependency_missing"),
        ("succeeded", "unknown"),
        ("failed", "path_not_found"),
        ("failed", "edit_no_match"),
        ("succeeded", "unknown"),
    ];
    let ended = gemini.ended(Host::Gemini);
    assert_eq!(told(&ended[..6]), named(&of_gemini));
    assert_eq!((&*ended[6].0, &*ended[7].0, ended[7].1), ("masked_failure", "failed", Some(137)), "{ended:?}");
    let ended = qwen.ended(Host::Qwen);
    assert_eq!(told(&ended[..3]), named(&of_gemini[..3]));
    assert_eq!((&*ended[3].0, &*ended[4].0, ended[4].1), ("masked_failure", "failed", Some(137)), "{ended:?}");
}

/// The verdicts of a recorded session, live and by a replay of the file that the client wrote of it. Events of a call that has
/// none, such as one of an unknown tool, are in the file alone; `all`: whether there are no such calls.
fn agree(host: Host, payloads: &str, file: &str, all: bool) {
    const COMPARED: &[&str] =
        &["outcome", "class", "rule", "category", "basis", "confidence", "recommended_action", "operation"];
    let Some((played, written)) = recorded(payloads).zip(recorded(file)) else { return };
    let mut bench = Bench::new();
    let played: Vec<&str> = played.lines().filter(|line| line.contains("hook_event_name")).collect();
    bench.play(&played.join("\n"), (host == Host::Codex).then_some(&written));
    let copy = bench.home.path().join("rollout-2.jsonl");
    fs::write(&copy, &written).unwrap();
    let replayed = bench.failwise(&["replay", "--settings", "none", "--format", "jsonl", copy.to_str().unwrap()]);
    let compared = |verdict: &Value| COMPARED.iter().map(|field| verdict[field].to_string()).collect::<Vec<_>>();
    let live: Vec<_> = bench
        .history()
        .iter()
        .filter(|event| event["event"] == "failure_classified")
        .map(|event| compared(&event["verdict"]))
        .collect();
    let rows: Vec<Value> = replayed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut rows: Vec<_> = rows.iter().filter(|row| !row["class"].is_null()).map(compared).collect();
    if !all {
        rows.retain(|row| live.contains(row));
    }
    assert!(!live.is_empty());
    assert_eq!(rows, live, "{host}");
}

#[test]
fn a_replay_of_the_recorded_files_gives_the_verdicts_of_the_hook() {
    agree(Host::Codex, "codex/hook-payloads.jsonl", "codex/rollout.jsonl", true);
    agree(Host::Codex, "codex/hook-payloads-edits.jsonl", "codex/rollout-edits.jsonl", true);
    agree(Host::Copilot, "copilot/hook-payloads-claude-names.jsonl", "copilot/events.jsonl", false);
    agree(Host::Gemini, "gemini/hook-payloads.jsonl", "gemini/session.jsonl", false);
    agree(Host::Qwen, "qwen/hook-payloads.jsonl", "qwen/session.jsonl", false);
}

// ---- sessions of our own, in the clients' shapes ----

/// A payload of Codex about a shell's call; with the response where it is the end.
fn codex(bench: &Bench, id: &str, command: &str, response: Option<&str>) -> Value {
    let mut payload = json!({
        "session_id": "s", "turn_id": "t", "model": "m", "cwd": bench.project(), "transcript_path": bench.rollout(),
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": id,
    });
    if let Some(response) = response {
        payload["hook_event_name"] = json!("PostToolUse");
        payload["tool_response"] = json!(response);
    }
    payload
}

/// The lines of a rollout about a shell's call that ended so.
fn rollout_lines(id: &str, command: &str, exit: i64, output: &str) -> [Value; 3] {
    let item = json!({"type": "CommandExecution", "id": id, "command": ["/bin/bash", "-lc", command], "exit_code": exit,
        "status": if exit == 0 { "completed" } else { "failed" }, "aggregated_output": output, "duration": {"secs": 12}});
    let arguments = json!({"cmd": command}).to_string();
    let call = json!({"type": "function_call", "name": "exec_command", "arguments": arguments, "call_id": id});
    let shown = format!("Chunk ID: 1\nWall time: 12.0 seconds\nProcess exited with code {exit}\nOutput:\n{output}");
    [
        json!({"type": "response_item", "payload": call}),
        json!({"type": "event_msg", "payload": {"type": "item_completed", "item": item}}),
        json!({"type": "response_item", "payload": {"type": "function_call_output", "call_id": id, "output": shown}}),
    ]
}

impl Bench {
    fn write_rollout(&self, lines: &[Value]) {
        let text: Vec<String> = lines.iter().map(Value::to_string).collect();
        fs::write(self.rollout(), text.join("\n") + "\n").unwrap();
    }

    /// A shell's call of Codex, from its beginning to its end; says what its beginning was answered.
    fn codex_call(
        &mut self,
        lines: &mut Vec<Value>,
        id: &str,
        command: &str,
        exit: i64,
        output: &str,
    ) -> (Reply, Reply) {
        let [call, item, shown] = rollout_lines(id, command, exit, output);
        lines.push(call);
        self.write_rollout(lines);
        let before = codex(self, id, command, None);
        let before = self.hook(&before);
        lines.push(item);
        self.write_rollout(lines);
        let after = codex(self, id, command, Some(output));
        let after = self.hook(&after);
        lines.push(shown);
        (before, after)
    }
}

fn said(reply: &Reply) -> Value {
    reply.stdout.as_deref().map_or(Value::Null, |line| serde_json::from_str(line).unwrap())
}

#[test]
fn codex_is_told_its_status_by_the_end_of_the_rollout() {
    let mut bench = Bench::new();
    // Far more than is read, and a line cut where the reading begins.
    let mut lines = vec![json!({"type": "response_item", "payload": {"type": "message", "text": "x".repeat(600_000)}})];
    let wrong = "git: 'comit' is not a git command. See 'git --help'.";
    for id in ["a", "b", "c"] {
        bench.codex_call(&mut lines, &format!("call_{id}"), "git comit -m x", 1, wrong);
    }
    let long = "y".repeat(40_000);
    bench.codex_call(&mut lines, "call_long", "cat notes", 0, &long);
    let ended = bench.ended(Host::Codex);
    let told: Vec<_> = ended.iter().map(|call| (&*call.0, call.1)).collect();
    assert_eq!(told, [("failed", Some(1)), ("failed", Some(1)), ("failed", Some(1)), ("succeeded", Some(0))]);
    let (before, _) = bench.codex_call(&mut lines, "call_d", "git comit -m x", 1, wrong);
    assert_eq!(said(&before)["hookSpecificOutput"]["permissionDecision"], "deny", "{before:?}");
}

#[test]
fn a_status_that_nobody_states_is_no_pass() {
    let mut bench = Bench::new();
    let mut lines = Vec::new();
    bench.codex_call(&mut lines, "call_1", "cargo test", 101, "error[E0425]: cannot find value `x` in this scope");
    let open = |bench: &Bench| {
        bench.history().iter().filter(|line| line["event"] == "execution_completed").cloned().collect::<Vec<_>>()
    };
    let after = codex(&bench, "call_2", "cargo test", Some("Finished"));
    bench.hook(&after);
    let unstated = open(&bench);
    assert_eq!(unstated.len(), 1);
    assert_eq!((&unstated[0]["outcome"], &unstated[0]["exit_code"]), (&json!("succeeded"), &Value::Null));
    assert_eq!(unstated[0]["evidence"], json!(["how it ended is not stated"]));
    assert_ne!(unstated[0]["reading"]["proof"], "status");
    let failing = codex(&bench, "call_3", "cargo test", Some("test result: FAILED. 1 passed; 2 failed; 0 ignored"));
    bench.hook(&failing);
    assert_eq!(count(&bench.ended(Host::Codex), "failed"), 2);
}

#[test]
fn ends_without_an_event_are_recorded_once() {
    let mut bench = Bench::new();
    let patch = "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-x\n+y\n*** Update File: b.rs\n*** End Patch\n";
    let mut lines = vec![
        json!({"payload": {"type": "task_started"}}),
        json!({"payload": {"type": "custom_tool_call", "name": "apply_patch", "input": patch, "call_id": "call_p"}}),
        json!({"payload": {"type": "function_call", "name": "view_image", "arguments": "{\"path\":\"a.png\"}", "call_id": "call_i"}}),
        json!({"payload": {"type": "function_call", "name": "update_plan", "arguments": "{}", "call_id": "call_u"}}),
        json!({"payload": {"type": "function_call", "name": "exec_command", "arguments": "{\"cmd\":\"make serve\"}", "call_id": "call_s"}}),
        json!({"payload": {"type": "custom_tool_call_output", "call_id": "call_p",
            "output": "apply_patch verification failed: Failed to find expected lines in src/a.rs:\nx"}}),
        json!({"payload": {"type": "function_call_output", "call_id": "call_i", "output": "unable to locate image at `a.png`: No such file or directory"}}),
        json!({"payload": {"type": "function_call_output", "call_id": "call_u", "output": "Plan updated"}}),
        json!({"payload": {"type": "function_call_output", "call_id": "call_s", "output": "Chunk ID: 1\nProcess running with session ID 7"}}),
    ];
    for id in ["call_1", "call_2"] {
        bench.codex_call(&mut lines, id, "true", 0, "");
    }
    let stop = json!({"session_id": "s", "turn_id": "t", "model": "m", "cwd": bench.project(), "transcript_path": bench.rollout(),
        "hook_event_name": "Stop", "stop_hook_active": false, "last_assistant_message": "Done."});
    bench.hook(&stop);
    let ended = bench.ended(Host::Codex);
    let failed: Vec<_> = ended.iter().filter(|call| call.0 == "failed").map(|call| (&*call.2, &*call.3)).collect();
    assert_eq!(failed, [("edit_no_match", "src/a.rs"), ("path_not_found", "path=a.png")], "{ended:?}");
    assert_eq!(ended.len(), 4);
    let touched = bench.history()[0]["files_touched"].clone();
    assert_eq!(touched, json!([bench.project().join("src/a.rs"), bench.project().join("b.rs")]));
}

#[test]
fn no_other_file_is_read_for_a_rollout() {
    let mut bench = Bench::new();
    let outside = bench.home.path().join("outside");
    fs::create_dir_all(&outside).unwrap();
    let [_, item, _] = rollout_lines("call_1", "make", 2, "");
    for name in ["notes.jsonl", "rollout-1.txt", "rollout-link.jsonl", "rollout-folder.jsonl/rollout-1.jsonl"] {
        let path = outside.join(name);
        if name.contains("link") {
            std::os::unix::fs::symlink(outside.join("notes.jsonl"), &path).unwrap();
        } else if name.contains("folder") {
            fs::create_dir_all(&path).unwrap();
        } else {
            fs::write(&path, item.to_string()).unwrap();
        }
        let mut payload = codex(&bench, "call_1", "make", Some(""));
        payload["transcript_path"] = json!(path);
        bench.hook(&payload);
    }
    let mut payload = codex(&bench, "call_2", "make", Some(""));
    payload["transcript_path"] = json!(outside.join("../outside/rollout-1.jsonl"));
    bench.hook(&payload);
    assert_eq!(count(&bench.ended(Host::Codex), "failed"), 0);
}

/// What a command prints is no word of the client.
#[test]
fn a_pass_that_speaks_of_a_status_is_a_pass() {
    let text = "Exit code 1\nCommand failed";
    let mut bench = Bench::new();
    bench.codex_call(&mut Vec::new(), "call_1", "cat notes", 0, text);
    assert_eq!((&*bench.ended(Host::Codex)[0].0, bench.ended(Host::Codex)[0].1), ("succeeded", Some(0)));
    let mut bench = Bench::new();
    let mut payload = copilot(&bench, "PostToolUse", 1, "cat notes");
    let framed = format!("{text}\n<shellId: 0 completed with exit code 0>");
    payload["tool_result"] = json!({"result_type": "success", "text_result_for_llm": framed});
    bench.hook(&payload);
    assert_eq!(&*bench.ended(Host::Copilot)[0].0, "succeeded");
    let mut bench = Bench::new();
    let mut payload = copilot(&bench, "AfterTool", 1, "cat notes");
    let framed = format!("<untrusted_context>\nOutput: {text}\nProcess Group PGID: 7\n</untrusted_context>");
    payload["tool_response"] = json!({"llmContent": framed});
    bench.hook(&payload);
    assert_eq!(&*bench.ended(Host::Gemini)[0].0, "succeeded");
}

/// A payload of Copilot CLI: no id, no session file.
fn copilot(bench: &Bench, event: &str, seconds: usize, command: &str) -> Value {
    json!({"hook_event_name": event, "session_id": "s", "timestamp": format!("2026-03-01T08:00:{seconds:02}.000Z"),
        "cwd": bench.project(), "tool_name": "Bash", "tool_input": {"command": command, "description": "d"}})
}

#[test]
fn copilots_calls_are_told_apart_without_ids() {
    let mut bench = Bench::new();
    let mut replies = Vec::new();
    for second in 0..3 {
        let mut payload = copilot(&bench, "PostToolUse", second, "git comit");
        payload["tool_result"] = json!({"result_type": "success",
            "text_result_for_llm": "git: 'comit' is not a git command.\n<shellId: 0 completed with exit code 1>"});
        replies.push(bench.hook(&payload));
        // The same event again is the same call.
        bench.hook(&payload);
    }
    let ended = bench.ended(Host::Copilot);
    assert_eq!((ended.len(), count(&ended, "failed")), (3, 3), "{ended:?}");
    assert!(bench.history()[0]["text"].as_str().is_some_and(|text| !text.contains("shellId")));
    let told: Vec<Value> = replies.iter().map(said).filter(|said| !said.is_null()).collect();
    assert!(!told.is_empty() && told.iter().all(|said| said["additionalContext"].is_string()), "{told:?}");
    let before = bench.hook(&copilot(&bench, "PreToolUse", 9, "git comit"));
    assert_eq!(said(&before)["hookSpecificOutput"]["permissionDecision"], "deny");
}

#[test]
fn gemini_refuses_in_its_own_words_and_is_not_counted_between() {
    let mut bench = Bench::new();
    let call = |event: &str, second: usize| {
        json!({"session_id": "s", "transcript_path": "/h/.gemini/tmp/p/chats/session-1.jsonl", "cwd": bench.project(),
            "hook_event_name": event, "timestamp": format!("2026-03-01T08:00:{second:02}.000Z"),
            "tool_name": "run_shell_command", "tool_input": {"command": "git comit"}})
    };
    let mut events = Vec::new();
    for second in 0..3 {
        let mut payload = call("AfterTool", second);
        payload["tool_response"] = json!({"returnDisplay": "", "llmContent":
            "<untrusted_context>\nOutput: git: 'comit' is not a git command.\nExit Code: 1\nProcess Group PGID: 7\n</untrusted_context>"});
        events.push(payload);
        events.push(json!({"session_id": "s", "hook_event_name": "PreCompress", "timestamp": "t", "trigger": "auto"}));
        events.push(json!({"session_id": "s", "hook_event_name": "BeforeAgent", "timestamp": "t", "prompt": ""}));
    }
    events.push(call("BeforeTool", 9));
    let replies: Vec<Value> = events.iter().map(|event| said(&bench.hook(event))).collect();
    assert_eq!(count(&bench.ended(Host::Gemini), "failed"), 3);
    let refused = &replies[9];
    assert_eq!(refused["decision"], "deny", "{replies:?}");
    assert!(refused["reason"].is_string() && refused["hookSpecificOutput"].is_null());
}

#[test]
fn a_stranger_is_named_once_and_nothing_of_it_is_recorded() {
    let mut bench = Bench { is_usual: true, ..Bench::new() };
    for _ in 0..3 {
        let payload = json!({"hook_event_name": "afterShellExecution", "conversation_id": "c", "cwd": bench.project(), "command": "make", "output": "x"});
        let reply = bench.hook(&payload);
        assert!(reply.stdout.is_none() && reply.stderr.is_some_and(|line| line.contains("`afterShellExecution`")));
    }
    let lines = bench.history();
    assert_eq!((lines.len(), &lines[0]["event"]), (1, &json!("hook_error")));
    // It ends with 1 where something is wrong.
    let said = String::from_utf8(bench.command(&["doctor"]).output().unwrap().stdout).unwrap();
    assert!(said.contains("`afterShellExecution` came from a client that is none of"), "{said}");
}

#[test]
fn odd_payloads_of_every_client_end_well() {
    let mut bench = Bench::new();
    let [_, item, _] = rollout_lines("call_1", "make", 2, "");
    let deep = serde_json::from_str::<Value>(&format!("{}1{}", "[".repeat(100), "]".repeat(100))).unwrap();
    let mut copilots = copilot(&bench, "PostToolUse", 1, "make");
    copilots["tool_result"] = json!({"result_type": "failure", "text_result_for_llm": "x"});
    let mut geminis = copilot(&bench, "AfterTool", 1, "make");
    geminis["tool_response"] =
        json!({"llmContent": "Output: x\nExit Code: 1\nProcess Group PGID: 7", "error": {"message": "m"}});
    let mut qwens = geminis.clone();
    qwens["hook_event_name"] = json!("PostToolUse");
    qwens["transcript_path"] = json!("/h/.qwen/projects/p/chats/1.jsonl");
    let payloads =
        [codex(&bench, "call_1", "make", Some("x")), codex(&bench, "call_1", "make", None), copilots, geminis, qwens];
    let odd = [
        Value::Null,
        json!(7),
        json!(true),
        json!(""),
        json!("*** Begin Patch\n*** Add File: "),
        json!({"command": 7}),
        json!([]),
        deep,
    ];
    for payload in payloads {
        for field in payload.as_object().unwrap().keys() {
            for value in &odd {
                let mut broken = payload.clone();
                broken[field] = value.clone();
                let reply = bench.hook(&broken);
                assert!(
                    reply
                        .stdout
                        .is_none_or(|line| serde_json::from_str::<Value>(&line).is_ok_and(|said| said.is_object()))
                );
            }
        }
    }
    // Lines of a rollout that are cut, huge, odd or none.
    for field in ["id", "command", "exit_code", "status", "aggregated_output", "duration", "type"] {
        for value in &odd {
            let mut broken = item.clone();
            broken["payload"]["item"][field] = value.clone();
            bench.write_rollout(&[broken, json!("\u{0}"), json!({"payload": value})]);
            let before = codex(&bench, "call_9", "make", None);
            bench.hook(&before);
            let after = codex(&bench, "call_1", "make", Some(""));
            bench.hook(&after);
        }
    }
}

impl Bench {
    /// A call of a session of a client that ended so; what its agent hears of it.
    fn ends(&mut self, host: Host, tool: &str, given: &Value, exit: i64, output: &str) -> Option<String> {
        let is_shell = tool == "Bash";
        let mut payload = json!({"session_id": format!("s-{host}"), "cwd": self.project(), "hook_event_name": "PostToolUse",
            "tool_name": tool, "tool_input": given, "timestamp": format!("2026-03-01T08:00:00.{:06}Z", self.events)});
        let id = format!("call_{}", self.events);
        let framed = format!("Output: {output}\nExit Code: {exit}\nProcess Group PGID: 7");
        match host {
            Host::Claude => {
                payload.as_object_mut().unwrap().remove("timestamp");
                payload["tool_use_id"] = json!(id);
                payload["tool_response"] = json!({"stdout": output, "stderr": ""});
            }
            Host::Codex => {
                let [call, item, shown] = rollout_lines(&id, given["command"].as_str().unwrap(), exit, output);
                self.write_rollout(&[call, item, shown]);
                let own = codex(self, &id, given["command"].as_str().unwrap(), Some(output));
                payload = json!({"session_id": "s-codex"});
                payload
                    .as_object_mut()
                    .unwrap()
                    .extend(own.as_object().unwrap().clone().into_iter().filter(|(name, _)| name != "session_id"));
            }
            Host::Copilot => {
                let text = format!("{output}\n<shellId: 0 completed with exit code {exit}>");
                payload["tool_result"] =
                    json!({"result_type": "success", "text_result_for_llm": if is_shell { &text } else { output }});
            }
            Host::Gemini | Host::Qwen => {
                let (file, event) =
                    if host == Host::Gemini { ("session-1", "AfterTool") } else { ("1", "PostToolUse") };
                payload["transcript_path"] = json!(format!("/h/p/chats/{file}.jsonl"));
                payload["hook_event_name"] = json!(event);
                payload["tool_response"] = match exit {
                    _ if is_shell => json!({"llmContent": framed}),
                    0 => json!({"llmContent": output}),
                    _ => json!({"llmContent": output, "error": {"message": output}}),
                };
            }
        }
        if exit != 0 && (host == Host::Claude || host == Host::Copilot && !is_shell) {
            payload["hook_event_name"] = json!("PostToolUseFailure");
            payload["error"] = json!(if is_shell { format!("Exit code {exit}\n{output}") } else { output.to_owned() });
            payload
                .as_object_mut()
                .unwrap()
                .retain(|name, _| !matches!(name.as_str(), "tool_result" | "tool_response"));
        }
        let said = said(&self.hook(&payload));
        let context = said["hookSpecificOutput"]["additionalContext"].as_str().or(said["additionalContext"].as_str());
        context.map(str::to_owned)
    }

    /// A session that meets an unknown option and finds another one.
    fn mends(&mut self, host: Host) -> Option<String> {
        let mut run = |command: &str, exit: i64, output: &str| {
            self.ends(host, "Bash", &json!({"command": command}), exit, output)
        };
        let heard = run("gh pr diff 104 --stat", 1, "unknown flag: --stat\n\nUsage:  gh pr diff [flags]");
        run("ls", 0, "src");
        run("gh pr diff 104 --name-only", 0, "src/a.go");
        heard
    }

    /// A session that reads a file where it is not, and then where it is.
    fn reads(&mut self, host: Host) -> Option<String> {
        let at = |bench: &Self, folder: &str| json!({"file_path": bench.project().join(folder).join("guide.md")});
        let (wrong, right) = (at(self, "docs"), at(self, "manual"));
        let heard = self.ends(host, "Read", &wrong, 1, "File does not exist.");
        self.ends(host, "Bash", &json!({"command": "ls"}), 0, "manual");
        self.ends(host, "Read", &right, 0, "text");
        heard
    }
}

#[test]
fn clients_share_a_project_and_what_they_learn_of_commands() {
    const WORKED: &str = "`--name-only` in its place worked";
    let mut bench = Bench { is_usual: true, ..Bench::new() };
    assert_eq!(bench.mends(Host::Codex), None);
    for host in [Host::Claude, Host::Copilot, Host::Gemini, Host::Qwen] {
        bench.failwise(&["kb", "learn"]);
        let heard = bench.mends(host);
        assert!(heard.as_deref().is_some_and(|text| text.contains(WORKED)), "{host}: {heard:?}");
    }
    let projects = bench.home.path().join(".local/state/failwise/projects");
    assert_eq!(fs::read_dir(&projects).unwrap().count(), 1);
    let watched = bench.failwise(&["watch", "--once", "--last", "100"]);
    assert_eq!(watched.matches("gh pr diff 104 --stat").count(), Host::ALL.len(), "{watched}");
    let report = |format: &str| bench.failwise(&["report", "--since", "2020-01-01", "--format", format]);
    let whole: Value = serde_json::from_str(&report("json")).unwrap();
    let hosts = whole["hosts"].as_array().unwrap();
    assert_eq!(hosts.len(), Host::ALL.len(), "{hosts:?}");
    for (field, each) in [("calls", 3), ("failed", 1), ("masked", 0)] {
        assert!(hosts.iter().all(|host| host["totals"][field] == json!(each)), "{field}: {hosts:?}");
        assert_eq!(whole["totals"][field], json!(each * hosts.len()), "{field}");
    }
    let (text, markdown, table, page) = (report("text"), report("md"), report("csv"), report("html"));
    for host in Host::ALL {
        let told = format!("{} 33 % of 3 calls", host.title());
        assert!(text.contains(&told) && markdown.contains(&told), "{host}: {text} {markdown}");
        let column = |line: &&str| line.split(',').any(|field| field.trim_matches('"') == host.as_str());
        assert_eq!(table.lines().skip(1).filter(column).count(), 1, "{host}: {table}");
        assert!(page.contains(&format!("\"{}\"", host.title())), "{host}");
    }
}

#[test]
fn what_worked_for_a_file_tool_stays_in_its_client() {
    let mut bench = Bench { is_usual: true, ..Bench::new() };
    bench.reads(Host::Gemini);
    bench.failwise(&["kb", "learn"]);
    assert_eq!(bench.reads(Host::Claude), None, "taught by another client");
    bench.failwise(&["kb", "learn"]);
    assert_eq!(bench.reads(Host::Copilot), None, "told to another client");
    bench.failwise(&["kb", "learn"]);
    let heard = {
        let given = json!({"file_path": bench.project().join("docs/guide.md")});
        let mut payload =
            json!({"session_id": "s-2", "cwd": bench.project(), "tool_name": "Read", "tool_use_id": "toolu_9"});
        payload["hook_event_name"] = json!("PostToolUseFailure");
        (payload["tool_input"], payload["error"]) = (given, json!("File does not exist."));
        said(&bench.hook(&payload))["hookSpecificOutput"]["additionalContext"].to_string()
    };
    assert!(heard.contains("manual"), "{heard}");
}

#[test]
fn a_plan_uses_the_tools_of_the_client() {
    for host in Host::ALL {
        let mut bench = Bench { is_usual: true, ..Bench::new() };
        let output = "ls: cannot access 'nosuchdir': No such file or directory";
        bench.ends(host, "Bash", &json!({"command": "ls nosuchdir"}), 2, output);
        let plan = bench.failwise(&["why", "--format", "text"]);
        assert!(plan.contains("List parent directory"), "{host}: {plan}");
        assert_eq!(plan.contains("`Glob "), host == Host::Claude, "{host}: {plan}");
    }
}
