//! No secret that a call carries reaches the history, the states, an answer, stderr, a replay or a classification; and
//! ordinary text is not taken for one.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "starts the executables and reads what they wrote")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

#[path = "../secrets/kinds.rs"]
mod kinds;
#[path = "../secrets/ordinary.rs"]
mod ordinary;

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use failwise::hook::{Outside, answer};
use failwise::redact::redact;
use kinds::{Form, Planted};
use serde_json::{Value, json};

/// Which call ids a payload has: the same call three times, each under another id.
const TIMES: usize = 3;

/// A payload of every event, each with the planted text in every field that it has.
fn payloads(text: &str, project: &Path) -> Vec<Value> {
    let mut payloads = Vec::new();
    for time in 0..TIMES {
        let id = format!("toolu_{time}{text}");
        payloads.push(shell_failure(text, project, &id));
        payloads.push(masked_run(text, project, &format!("m{id}")));
        payloads.push(tool_failure(text, project, &format!("o{id}")));
        payloads.push(odd_tool(text, project, &format!("x{id}")));
    }
    payloads.extend([
        with_ids(text, json!({"cwd": project, "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": "c1",
            "tool_input": {"command": format!("git commit -m '{text}'")}, "tool_response": {"stdout": text, "stderr": ""}})),
        file_failure(text, project),
        background_launch(text, project),
        background_end(text, project),
        batch(text, project),
        with_ids(text, json!({"cwd": project, "hook_event_name": "StopFailure", "error": text,
            "last_assistant_message": format!("API Error: 529 {text}"), "error_details": text})),
        with_ids(text, json!({"cwd": project, "hook_event_name": "UserPromptSubmit", "prompt": text})),
        with_ids(text, json!({"cwd": project, "hook_event_name": "SessionStart", "source": "compact"})),
        with_ids(text, json!({"cwd": project, "hook_event_name": "Stop", "stop_hook_active": false,
            "last_assistant_message": text})),
        report(text, project),
        json!({"hook_event_name": text, "session_id": text, "cwd": project}),
    ]);
    payloads
}

fn with_ids(text: &str, mut payload: Value) -> Value {
    payload["session_id"] = json!(format!("s{text}"));
    payload["agent_id"] = json!(format!("a{text}"));
    payload["agent_type"] = json!(format!("helper {text}"));
    payload["transcript_path"] = json!(format!("/home/ann/{text}.jsonl"));
    payload["permission_mode"] = json!(text);
    payload
}

fn shell_failure(text: &str, project: &Path, id: &str) -> Value {
    with_ids(
        text,
        json!({"cwd": project, "hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_use_id": id,
        "tool_input": {"command": format!("make ship NOTE={text}"), "description": text},
        "error": format!("Exit code 2\nmake: *** [Makefile:3: {text}] Error 2\nerror: {text}\n{text}"),
        "is_interrupt": false}),
    )
}

fn masked_run(text: &str, project: &Path, id: &str) -> Value {
    let stdout =
        format!("test {text} ... FAILED\nFAILED tests/test_tides.py::test_{text} - {text}\n=== 1 failed in 0.1s ===");
    with_ids(
        text,
        json!({"cwd": project, "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": id,
        "tool_input": {"command": "pytest -q | tail -5", "description": text},
        "tool_response": {"stdout": stdout, "stderr": text, "interrupted": false,
            "returnCodeInterpretation": text, "persistedOutputPath": text}}),
    )
}

/// A tool server's call: its input is summed up by its scalar fields.
fn tool_failure(text: &str, project: &Path, id: &str) -> Value {
    let far = format!("{}{text}", "far away ".repeat(10));
    with_ids(
        text,
        json!({"cwd": project, "hook_event_name": "PostToolUseFailure", "tool_name": "mcp__harbour__publish",
        "tool_use_id": id, "mcp_server": {"name": text},
        "tool_input": {"summary": text, "description": far, "query": format!("{far}{text}"), text: 1,
            "deep": {"note": text}, "prompt": text},
        "error": format!("503 Service Unavailable: {text}")}),
    )
}

fn odd_tool(text: &str, project: &Path, id: &str) -> Value {
    with_ids(
        text,
        json!({"cwd": format!("{}/{text}", project.display()), "hook_event_name": "PostToolUseFailure",
        "tool_name": format!("mcp__{text}__run {text}"), "tool_use_id": id, "tool_input": {"url": text},
        "error": format!("connect ECONNREFUSED {text}")}),
    )
}

fn file_failure(text: &str, project: &Path) -> Value {
    with_ids(
        text,
        json!({"cwd": project, "hook_event_name": "PostToolUseFailure", "tool_name": "Write", "tool_use_id": "w1",
        "tool_input": {"file_path": format!("/srv/{text}/a.txt"), "content": text},
        "error": format!("EACCES: permission denied, open '/srv/{text}/a.txt'")}),
    )
}

fn background_launch(text: &str, project: &Path) -> Value {
    with_ids(
        text,
        json!({"cwd": project, "hook_event_name": "PostToolUse", "tool_name": "Bash",
        "tool_use_id": format!("b{text}"),
        "tool_input": {"command": format!("serve {text}"), "run_in_background": true},
        "tool_response": {"stdout": "", "stderr": "", "backgroundTaskId": format!("t{text}")}}),
    )
}

fn background_end(text: &str, project: &Path) -> Value {
    let file = project.join("tasks/b1.output");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, format!("listening\n{text}\nerror: {text}\n[exited with code 7]\n")).unwrap();
    let prompt = format!(
        "<task-notification>\n<task-id>t{text}</task-id>\n<tool-use-id>b{text}</tool-use-id>\n<output-file>{}</output-file>\n\
         <status>failed</status>\n<summary>Background command \"{text}\" failed with exit code 7</summary>\n\
         <event>{text}</event>\n</task-notification>",
        file.display()
    );
    with_ids(text, json!({"cwd": project, "hook_event_name": "UserPromptSubmit", "prompt": prompt}))
}

fn batch(text: &str, project: &Path) -> Value {
    let line = text.replace('\n', " ");
    let refusal = format!("<tool_use_error>String to replace not found in file.\nString: {text}</tool_use_error>");
    with_ids(
        text,
        json!({"cwd": project, "hook_event_name": "PostToolBatch", "tool_calls": [
        {"tool_name": "Edit", "tool_use_id": format!("e{text}"), "tool_response": refusal,
            "tool_input": {"file_path": format!("/srv/{text}"), "old_string": text, "new_string": text}},
        {"tool_name": text, "tool_use_id": "n1", "tool_input": {"note": text},
            "tool_response": format!("<tool_use_error>Error: No such tool available: {text}</tool_use_error>")},
        {"tool_name": "Bash", "tool_use_id": "d1", "tool_input": {"command": format!("rm {text}")},
            "tool_response": format!("Permission to use Bash with command rm {line} has been denied.")}]}),
    )
}

fn report(text: &str, project: &Path) -> Value {
    json!({"tool": "Bash", "command": format!("ship {text}"), "exit_code": 3, "stderr_tail": format!("error: {text}\n{text}"),
        "files_touched": [text, format!("/srv/{text}")], "cause": text, "conflict_id": text, "node_id": text,
        "node": text, "failed_attempts": 1, "session_id": text, "agent_id": text, "tool_use_id": text, "cwd": project})
}

/// A place for a history, and what was said while it was written.
struct Stage {
    home: tempfile::TempDir,
    said: String,
    answers: usize,
}

impl Stage {
    fn new() -> Self {
        let stage = Self { home: tempfile::tempdir().unwrap(), said: String::new(), answers: 0 };
        fs::create_dir_all(stage.project().join(".git")).unwrap();
        stage
    }

    fn project(&self) -> PathBuf {
        self.home.path().join("project")
    }

    fn history(&self) -> PathBuf {
        self.home.path().join("history")
    }

    /// Answers a payload in this process, as the hook does.
    fn play(&mut self, payload: &Value, second: usize) {
        let folder = self.history();
        let env = move |name: &str| (name == "FAILWISE_DIR").then(|| OsString::from(&folder));
        let now = format!("2026-03-01T08:{:02}:{:02}.000Z", second / 60, second % 60);
        let reply = answer(payload.to_string().as_bytes(), &Outside { env: &env, now: &now });
        self.answers += usize::from(reply.stdout.is_some());
        self.said.push_str(&reply.stdout.unwrap_or_default());
        self.said.push_str(&reply.stderr.unwrap_or_default());
    }

    fn run(&mut self, executable: &str, arguments: &[&str], input: &[u8]) -> Output {
        let mut command = Command::new(executable);
        command.args(arguments).env_clear().env("HOME", self.home.path()).env("FAILWISE_DIR", self.history());
        let output = feed(command.current_dir(self.home.path()), input);
        self.said.push_str(&String::from_utf8_lossy(&output.stdout));
        self.said.push_str(&String::from_utf8_lossy(&output.stderr));
        output
    }

    /// Everything that was written or said, names of files included.
    fn everything(&self) -> String {
        let mut all = self.said.clone();
        let mut open: Vec<PathBuf> = Some(self.history()).into_iter().filter(|dir| dir.exists()).collect();
        while let Some(dir) = open.pop() {
            for entry in fs::read_dir(&dir).unwrap() {
                let path = entry.unwrap().path();
                all.push_str(&path.to_string_lossy());
                if path.is_dir() { open.push(path) } else { all.push_str(&fs::read_to_string(&path).unwrap()) }
            }
        }
        all
    }
}

fn feed(command: &mut Command, input: &[u8]) -> Output {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

/// The length of a part of a secret that must not stand anywhere.
const SLICE: usize = 12;

/// The slices of all secrets, and which two bytes begin one: most places of a text are passed over by that.
struct Slices<'a> {
    begin: Vec<bool>,
    of: HashMap<&'a [u8], &'static str>,
}

impl<'a> Slices<'a> {
    fn of(planted: &'a [Planted]) -> Self {
        let mut slices = Self { begin: vec![false; 1 << 16], of: HashMap::new() };
        for planted in planted {
            for slice in planted.secret.iter().flat_map(|part| part.as_bytes().windows(SLICE)) {
                slices.begin[pair(slice)] = true;
                slices.of.insert(slice, planted.kind);
            }
        }
        slices
    }

    /// The kinds that leaked, each with the place where it stands first.
    fn in_text(&self, text: &str) -> BTreeMap<&'static str, String> {
        let mut leaks = BTreeMap::new();
        for (at, slice) in text.as_bytes().windows(SLICE).enumerate().filter(|(_, slice)| self.begin[pair(slice)]) {
            if let Some(kind) = self.of.get(slice) {
                leaks.entry(*kind).or_insert_with(|| place_of(text, at).to_owned());
            }
        }
        leaks
    }
}

fn pair(slice: &[u8]) -> usize {
    usize::from(slice[0]) << 8 | usize::from(slice[1])
}

fn place_of(text: &str, at: usize) -> &str {
    &text[text.floor_char_boundary(at.saturating_sub(160))..text.ceil_char_boundary((at + 80).min(text.len()))]
}

fn assert_clean(planted: &[Planted], form: Form, text: &str, what: &str) {
    let leaks = Slices::of(planted).in_text(text);
    let lines: Vec<String> = leaks.iter().map(|(kind, place)| format!("{kind}: ...{place}...")).collect();
    assert!(leaks.is_empty(), "{form:?} in {what}, {} kinds:\n{}", leaks.len(), lines.join("\n"));
}

#[test]
fn sixty_kinds_are_planted() {
    let kinds = kinds::all();
    assert!(kinds.len() >= 60, "{}", kinds.len());
    let names: std::collections::BTreeSet<&str> = kinds.iter().map(|planted| planted.kind).collect();
    assert_eq!(names.len(), kinds.len(), "a kind stands twice");
    for planted in &kinds {
        let leaks = Slices::of(&kinds).in_text(&Form::Plain.of(planted));
        assert!(leaks.contains_key(planted.kind), "{} plants nothing", planted.kind);
    }
}

/// Redaction alone, so that a kind that is missed is named at once.
#[test]
fn every_kind_is_redacted_in_every_form() {
    let kinds = kinds::all();
    for form in Form::ALL.iter().filter(|form| **form != Form::Coloured) {
        let clean: Vec<String> = kinds.iter().map(|planted| redact(&form.of(planted)).into_owned()).collect();
        assert_clean(&kinds, *form, &clean.join("\n\n"), "redacted text");
    }
}

/// How many kinds share a session where the form is what matters.
const TOGETHER: usize = 12;

/// What is planted: few kinds a session in the plain form, more in the others.
fn texts(kinds: &[Planted], form: Form) -> Vec<String> {
    let together = if form == Form::Plain { 3 } else { TOGETHER };
    let text = |kinds: &[Planted]| kinds.iter().map(|planted| form.of(planted)).collect::<Vec<_>>().join("\n");
    kinds.chunks(together).map(text).collect()
}

/// Plays every kind in one form through the hook, and looks at all that came of it.
fn plays_clean(form: Form) {
    let kinds = kinds::all();
    let mut stage = Stage::new();
    let project = stage.project();
    let mut all = Vec::new();
    for text in texts(&kinds, form) {
        for (second, payload) in payloads(&text, &project).into_iter().enumerate() {
            stage.play(&payload, second);
            all.push(payload);
        }
    }
    let history = stage.history().join("history.jsonl");
    let lines = fs::read_to_string(&history).unwrap().lines().count();
    let sessions = texts(&kinds, form).len();
    assert!(lines >= sessions * 15, "only {lines} lines were written");
    assert!(stage.answers >= sessions, "only {} answers were given", stage.answers);
    assert_clean(&kinds, form, &stage.everything(), "history, states or answers of the hook");
    stage.said.clear();
    let history = history.to_str().unwrap().to_owned();
    for format in ["table", "jsonl"] {
        let output = stage.run(FAILWISE, &["replay", "--format", format, &history], b"");
        assert!(output.status.success() && !output.stdout.is_empty());
    }
    assert_clean(&kinds, form, &stage.everything(), "the replay of a history");
    stage.said.clear();
    let settings = stage.home.path().join(".config/failwise/config.toml");
    fs::create_dir_all(settings.parent().unwrap()).unwrap();
    for content in ["ids", "names", "lines"] {
        fs::write(&settings, format!("[ship]\nto = \"https://collector.example\"\ncontent = \"{content}\"\n")).unwrap();
        for format in ["otlp", "jsonl"] {
            let output = stage.run(FAILWISE, &["ship", "-o", "-", "--format", format, &history], b"");
            assert!(output.status.success() && output.stdout.len() > 10_000, "{content}");
        }
    }
    assert_clean(&kinds, form, &stage.said, "what is shipped");
    let few: Vec<&Value> =
        all.iter().enumerate().filter(|(index, _)| index % 2 == 0).map(|(_, payload)| payload).collect();
    let input: Vec<String> = few.iter().map(ToString::to_string).collect();
    stage.said.clear();
    let output = stage.run(FAILWISE, &["classify", "--explain", "--jsonl"], input.join("\n").as_bytes());
    assert!(output.status.success() && !output.stdout.is_empty());
    assert_clean(&kinds, form, &stage.said, "classify --explain");
    stage.said.clear();
    replay_transcript(&mut stage, &kinds, form);
    assert_clean(&kinds, form, &stage.said, "the replay of a transcript");
}

const FAILWISE: &str = env!("CARGO_BIN_EXE_failwise");
const HOOK: &str = env!("CARGO_BIN_EXE_failwise-hook");

fn replay_transcript(stage: &mut Stage, kinds: &[Planted], form: Form) {
    let mut lines = String::new();
    for planted in kinds {
        for line in transcript(&form.of(planted)) {
            lines.push_str(&line.to_string());
            lines.push('\n');
        }
    }
    let path = stage.home.path().join("session.jsonl");
    fs::write(&path, lines).unwrap();
    for format in ["table", "jsonl"] {
        let output = stage.run(FAILWISE, &["replay", "--format", format, path.to_str().unwrap()], b"");
        assert!(output.status.success() && !output.stdout.is_empty());
    }
}

fn transcript(text: &str) -> Vec<Value> {
    let ids = json!({"sessionId": text, "agentId": text, "cwd": format!("/srv/{text}"), "timestamp": text});
    let line = |kind: &str, content: Value, result: Value| {
        let mut line = ids.clone();
        line["type"] = json!(kind);
        line["message"] = json!({"role": kind, "content": content});
        line["toolUseResult"] = result;
        line
    };
    let call = |name: &str, input: Value| {
        line(
            "assistant",
            json!([{"type": "tool_use", "id": format!("{name}{text}"), "name": name, "input": input}]),
            json!(null),
        )
    };
    let end = |name: &str, told: String| {
        let block =
            json!([{"type": "tool_result", "tool_use_id": format!("{name}{text}"), "is_error": true, "content": told}]);
        line("user", block, json!(format!("Error: {told}")))
    };
    vec![
        call("Bash", json!({"command": format!("ship {text}"), "description": text})),
        end("Bash", format!("Exit code 1\nerror: {text}\n{text}")),
        call(text, json!({"query": text})),
        end(text, format!("{text} failed")),
        call("Read", json!({"file_path": text})),
        end("Read", format!("File does not exist. {text}")),
    ]
}

macro_rules! forms {
    ($($name:ident = $form:ident,)*) => {
        $(#[test]
        fn $name() {
            plays_clean(Form::$form);
        })*
    };
}

forms! {
    plain_secrets_stay_out = Plain,
    quoted_secrets_stay_out = Quoted,
    secrets_in_json_stay_out = Json,
    secrets_on_their_own_lines_stay_out = Lines,
    secrets_that_a_search_coloured_stay_out = Coloured,
    secrets_cut_by_the_client_stay_out = CutInside,
    beginnings_of_secrets_stay_out = CutAfter,
    ends_of_secrets_stay_out = CutBefore,
}

/// The same through the real executable: each kind with one of the payloads, each form in a history of its own.
#[test]
fn the_real_hook_keeps_secrets_out() {
    let kinds = kinds::all();
    for form in Form::ALL {
        let mut stage = Stage::new();
        let project = stage.project();
        for (index, planted) in kinds.iter().enumerate().filter(|(index, _)| index % 4 == *form as usize % 4) {
            let payloads = payloads(&form.of(planted), &project);
            for payload in payloads.iter().skip(index % 4).step_by(4) {
                let output = stage.run(HOOK, &[], payload.to_string().as_bytes());
                assert_eq!(output.status.code(), Some(0));
            }
        }
        assert_clean(&kinds, *form, &stage.everything(), "what the executable wrote");
    }
}

/// What cannot be read is reported without what it held, wherever the text was cut.
#[test]
fn unreadable_payloads_are_reported_without_their_words() {
    let kinds = kinds::all();
    let mut stage = Stage::new();
    let project = stage.project();
    for planted in &kinds {
        let text = Form::Plain.of(planted);
        let whole = shell_failure(&text, &project, "t").to_string();
        let odd = format!("{{\"hook_event_name\":\"PostToolUse\",\"{text}\":{text},\"tool_name\":\"{text}\"");
        for input in [&whole[..whole.floor_char_boundary(whole.len() / 2)], &odd, &text, &format!("{whole}{text}")] {
            let folder = stage.history();
            let env = move |name: &str| (name == "FAILWISE_DIR").then(|| OsString::from(&folder));
            let reply = answer(input.as_bytes(), &Outside { env: &env, now: "2026-03-01T08:00:00.000Z" });
            assert_eq!(reply.stdout, None);
            stage.said.push_str(&reply.stderr.expect("it is reported"));
        }
    }
    assert_clean(&kinds, Form::Plain, &stage.everything(), "the report of an unreadable payload");
}

#[test]
fn ordinary_lines_are_not_redacted() {
    const LINES: usize = 10_000;
    let taken: Vec<String> = ordinary::lines(LINES)
        .into_iter()
        .filter(|line| redact(line) != line.as_str())
        .map(|line| format!("{line}\n  -> {}", redact(&line)))
        .collect();
    assert!(taken.len() * 1000 < LINES, "{} of {LINES} lines lost something:\n{}", taken.len(), taken.join("\n"));
}

/// Base, recall, counts, export and team's file of what histories and transcripts taught.
#[test]
fn what_is_learned_and_shared_holds_no_secret() {
    let kinds = kinds::all();
    for form in [Form::Plain, Form::Quoted, Form::Lines] {
        let mut stage = Stage::new();
        let project = stage.project();
        let mut lines = String::new();
        for (number, planted) in kinds.iter().enumerate() {
            let text = form.of(planted);
            for (second, payload) in mended(&text, &project, number).iter().enumerate() {
                stage.play(payload, second);
            }
            for line in mended_transcript(&text, &project, number) {
                lines.push_str(&line.to_string());
                lines.push('\n');
            }
        }
        let transcripts = stage.home.path().join(".claude/projects/p");
        fs::create_dir_all(&transcripts).unwrap();
        fs::write(transcripts.join("session.jsonl"), lines).unwrap();
        stage.said.clear();
        let team = stage.project().join(".claude/failwise-known.jsonl");
        for arguments in [
            &["kb", "learn"][..],
            &["kb", "learn", "--transcripts"],
            &["kb", "list", "--format", "json"],
            &["kb", "list", "--all"],
            &["kb", "lessons"],
            &["kb", "export"],
            &["kb", "export", "--team", "--recurring"],
        ] {
            let mut command = Command::new(FAILWISE);
            command.args(arguments).env_clear().env("HOME", stage.home.path()).env("FAILWISE_DIR", stage.history());
            let output = feed(command.current_dir(&project), b"");
            assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
            stage.said.push_str(&String::from_utf8_lossy(&output.stdout));
            stage.said.push_str(&String::from_utf8_lossy(&output.stderr));
        }
        let kept = stage.home.path().join(".local/state/failwise");
        let base = failwise::store::Base::open(&kept.join("base.sqlite")).unwrap();
        assert!(base.rows(None).unwrap().len() > kinds.len(), "{form:?}: too little was learned to say anything");
        assert!(team.exists());
        let mut files = vec![team];
        let mut open = vec![kept];
        while let Some(dir) = open.pop() {
            for entry in fs::read_dir(&dir).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() { open.push(path) } else { files.push(path) }
            }
        }
        let said = stage.said.clone();
        assert_clean(&kinds, form, &said, "what the commands print");
        for file in files {
            let text = String::from_utf8_lossy(&fs::read(&file).unwrap()).into_owned();
            assert_clean(&kinds, form, &text, &file.to_string_lossy());
        }
    }
}

/// A call that fails and one that does its work in another form, each with the planted text in it.
fn mended(text: &str, project: &Path, number: usize) -> Vec<Value> {
    let call = |id: usize, flag: &str| {
        json!({"session_id": format!("s{number}"), "cwd": project, "tool_name": "Bash",
            "tool_use_id": format!("t{number}-{id}"), "tool_input": {"command": format!("ship --note={text} {flag}")}})
    };
    let (mut failed, mut passed) = (call(1, "--fast"), call(2, "--quick"));
    failed["hook_event_name"] = json!("PostToolUseFailure");
    failed["error"] = json!(format!("Exit code 2\nship: unknown flag: --fast ({text})\n{text}"));
    passed["hook_event_name"] = json!("PostToolUse");
    passed["tool_response"] = json!({"stdout": text, "stderr": ""});
    vec![failed.clone(), passed, failed]
}

fn mended_transcript(text: &str, project: &Path, number: usize) -> Vec<Value> {
    let line = |kind: &str, content: Value| {
        json!({"type": kind, "sessionId": format!("w{number}"), "cwd": project, "timestamp": "2026-03-02T08:00:00.000Z",
            "message": {"role": kind, "content": content}})
    };
    let call = |id: usize, flag: &str| {
        let input = json!({"command": format!("ship --note={text} {flag}")});
        line(
            "assistant",
            json!([{"type": "tool_use", "id": format!("w{number}-{id}"), "name": "Bash", "input": input}]),
        )
    };
    let end = |id: usize, told: String, is_error: bool| {
        let id = format!("w{number}-{id}");
        line("user", json!([{"type": "tool_result", "tool_use_id": id, "is_error": is_error, "content": told}]))
    };
    vec![
        call(1, "--fast"),
        end(1, format!("Exit code 2\nship: unknown flag: --fast ({text})\n{text}"), true),
        call(2, "--quick"),
        end(2, text.to_owned(), false),
    ]
}
