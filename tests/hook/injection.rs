//! Text from outside reaches neither model nor terminal raw: what is quoted is one fenced line, bounded, without signs that
//! could end the fence, hide, reorder or draw, and is said to be data.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "starts the executables and reads the cases")]
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a helper of a test may fail it")]

mod texts;

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use failwise::advice::agent::LIMIT;
use failwise::hook::{Outside, answer};
use failwise::text::{is_invisible, one_line, quoted};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Stands before what a program printed, so that its quotation is recognised.
const PRINTED: &str = "zebra";

struct Stage {
    home: tempfile::TempDir,
    second: usize,
    env: Vec<(&'static str, String)>,
}

impl Stage {
    fn new() -> Self {
        let stage = Self { home: tempfile::tempdir().unwrap(), second: 0, env: Vec::new() };
        fs::create_dir_all(stage.project().join(".git")).unwrap();
        stage
    }

    fn project(&self) -> PathBuf {
        self.home.path().join("project")
    }

    fn history(&self) -> PathBuf {
        self.home.path().join("history")
    }

    /// What the hook answers to a payload, as one JSON object; null when it is silent.
    fn hook(&mut self, mut payload: Value) -> Value {
        payload["session_id"] = json!("s-1");
        payload["cwd"] = json!(self.project());
        self.second += 1;
        let (second, home) = (self.second, self.home.path().as_os_str().to_owned());
        let mut known: Vec<(&str, OsString)> = vec![("HOME", home)];
        known.extend(self.env.iter().map(|(name, value)| (*name, OsString::from(value))));
        if !self.project().join(".claude/plans/active.json").exists() {
            known.push(("FAILWISE_DIR", self.history().into_os_string()));
        }
        let env = move |name: &str| known.iter().find(|(key, _)| *key == name).map(|(_, value)| value.clone());
        let now = format!("2026-03-01T08:00:{second:02}.000Z");
        let reply = answer(payload.to_string().as_bytes(), &Outside { env: &env, now: &now });
        assert_eq!(reply.stderr, None);
        let answer = reply.stdout.map(|json| json.replace(self.project().to_str().unwrap(), "${PROJECT}"));
        answer.map_or(Value::Null, |json| serde_json::from_str(&json).expect("one JSON object"))
    }

    fn fails(&mut self, command: &str, error: &str) -> Value {
        let id = format!("t{}", self.second);
        self.hook(json!({"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_use_id": id,
            "tool_input": {"command": command}, "error": error, "is_interrupt": false}))
    }

    fn prints(&mut self, command: &str, stdout: &str) -> Value {
        let id = format!("t{}", self.second);
        self.hook(json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": id,
            "tool_input": {"command": command}, "tool_response": {"stdout": stdout, "stderr": ""}}))
    }

    fn stops(&mut self) -> Value {
        self.hook(json!({"hook_event_name": "Stop", "stop_hook_active": false}))
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.project().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// A way in which a hostile text reaches the hook, and what the hook then says.
type Scenario = fn(&str) -> Vec<Value>;

const SCENARIOS: &[(&str, Scenario)] = &[
    ("repeated", repeated),
    ("transient", transient),
    ("masked", masked),
    ("unexplained", unexplained),
    ("held", held),
    ("mcp", tool_server),
    ("plan", plan_tree),
    ("history", foreign_history),
];

/// The same command and error three times: the command and its file are hostile.
fn repeated(text: &str) -> Vec<Value> {
    let mut stage = Stage::new();
    let error = format!("Exit code 2\nmake: *** No rule to make target '{PRINTED} {text}'.  Stop.");
    (0..3).map(|_| stage.fails(&format!("make {text}"), &error)).collect()
}

fn transient(text: &str) -> Vec<Value> {
    let mut stage = Stage::new();
    let line = format!("curl: (6) Could not resolve host: {PRINTED} {text}");
    vec![
        stage.fails("curl -sf https://tides.example", &format!("Exit code 6\n{line}")),
        stage.fails(text, &format!("Exit code 1\n{line}")),
    ]
}

/// A test with a hostile name fails behind a pipe, and a commit follows.
fn masked(text: &str) -> Vec<Value> {
    let mut stage = Stage::new();
    stage.env.push(("FAILWISE_STOP_CHECK", "tell".to_owned()));
    let stdout = format!("FAILED tests/test_a.py::test_{PRINTED}_{text} - assert 1 == 2\n=== 1 failed in 0.1s ===");
    vec![
        stage.prints("pytest -q | tail -5", &stdout),
        stage.prints("git commit -m x", "[main 1a2b3c4] x"),
        stage.prints(&format!("pytest '{text}' | tail -5"), &stdout),
        stage.hook(json!({"hook_event_name": "SessionStart", "source": "compact"})),
        stage.stops(),
    ]
}

fn unexplained(text: &str) -> Vec<Value> {
    let mut stage = Stage::new();
    stage.env.push(("FAILWISE_STOP_CHECK", "tell".to_owned()));
    vec![stage.fails(&format!("./run {text}"), &format!("Exit code 9\n{PRINTED} {text}")), stage.stops()]
}

fn held(text: &str) -> Vec<Value> {
    let mut stage = Stage::new();
    stage.env.push(("FAILWISE_STOP_CHECK", "hold".to_owned()));
    let error = format!(
        "Exit code 101\nerror[E0425]: cannot find value `{PRINTED} {text}` in this scope\n --> src/{text}.rs:3:5"
    );
    vec![stage.fails(&format!("cargo build {text}"), &error), stage.stops()]
}

fn tool_server(text: &str) -> Vec<Value> {
    let mut stage = Stage::new();
    let call = |number: usize| {
        json!({"hook_event_name": "PostToolUseFailure", "tool_name": format!("mcp__{text}__run"),
            "tool_use_id": format!("{number}{text}"), "agent_id": text, "tool_input": {"note": text, text: "x"},
            "error": format!("{PRINTED} {text}")})
    };
    (0..3).map(|number| stage.hook(call(number))).collect()
}

/// A plan that somebody else wrote: constraints, ids, a conflict and statuses are hostile.
fn plan_tree(text: &str) -> Vec<Value> {
    let mut stage = Stage::new();
    let safe = json!(text.replace('\n', " ")).to_string();
    stage.write(
        ".claude/plans/active.json",
        r#"{"active": {"mission": "M", "feature": "F-1", "story": "S-1", "task": "T-1"}}"#,
    );
    stage.write(".claude/plans/mission/mission.md", &format!(
        "---\nid: M\ntier: 0\nintent: {safe}\nchildren: [F-1]\nconstraints:\n  forbidden_commands: [\"git push\", {safe}]\n  protected_files: [\"data/**\", {safe}]\n---\n"));
    stage.write(".claude/plans/features/F-1_a/feature.md", "---\nid: F-1\ntier: 2\nparent: M\nstatus: active\n---\n");
    stage.write(
        ".claude/plans/features/F-1_a/stories/S-1_b/story.md",
        "---\nid: S-1\ntier: 3\nparent: F-1\nstatus: active\n---\n",
    );
    stage.write(
        ".claude/plans/features/F-1_a/stories/S-1_b/tasks/T-1_c/task.md",
        &format!("---\nid: T-1\ntier: 4\nparent: S-1\nstatus: {safe}\nartifacts: [{safe}]\n---\n"),
    );
    crate::trusting::trust(stage.home.path(), &stage.project());
    let refused = stage.fails("git push origin main", &format!("Exit code 1\n ! [rejected] main ({PRINTED} {text})"));
    let touched = stage.hook(json!({"hook_event_name": "PostToolUseFailure", "tool_name": "Write", "tool_use_id": "w",
        "tool_input": {"file_path": format!("data/{text}")}, "error": format!("EACCES: permission denied, open '{text}'")}));
    let built = stage.fails(
        "cargo build",
        &format!("Exit code 101\nerror[E0425]: cannot find value `{PRINTED} {text}` in this scope"),
    );
    let record = json!({"conflict_id": "C-1", "participants": ["T-1", text]});
    let odd = json!({"conflict_id": text, "participants": ["T-1", "T-2"]});
    stage.write(".claude/plans/conflicts.jsonl", &format!("{odd}\n{record}\n"));
    vec![refused, touched, built, stage.fails("cargo test", "Exit code 101\nerror: test failed")]
}

/// A history that came with somebody's repository.
fn foreign_history(text: &str) -> Vec<Value> {
    let mut stage = Stage::new();
    stage.env.push(("FAILWISE_STOP_CHECK", "tell".to_owned()));
    fs::create_dir_all(stage.history()).unwrap();
    let object = json!({"kind": "test", "name": format!("{PRINTED} {text}")});
    let reading =
        json!({"runner": text, "result": "failed", "category": "test_failure", "line": text, "objects": [object]});
    let mut lines = String::new();
    for number in 0..3 {
        let event = json!({"v": 1, "id": format!("{number}{text}"), "ts": text, "event": "execution_failed",
            "node": "session/s-1", "session": "s-1", "tool": text, "tool_use_id": format!("{number}{text}"),
            "phase": "call", "outcome": "masked_failure", "operation": text, "input": text, "effect": "none",
            "text": text, "reading": reading, "checks": [{"words": [text], "end": "failed", "runners": [text]}], "signature": {"fine": text, "coarse": text, "version": 1}});
        let _ = writeln!(lines, "{event}");
    }
    fs::write(stage.history().join("history.jsonl"), lines).unwrap();
    vec![
        stage.prints("git commit -m x", "[main 1a2b3c4] x"),
        stage.hook(json!({"hook_event_name": "SessionStart", "source": "compact"})),
        stage.stops(),
    ]
}

/// Everything that an answer tells model or person.
fn said(answer: &Value) -> Vec<&str> {
    let context = answer.pointer("/hookSpecificOutput/additionalContext");
    [context, answer.get("systemMessage"), answer.get("reason")]
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

fn is_raw(c: char) -> bool {
    c.is_control() || is_invisible(c) || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Whether anything could be read as the beginning of a tag. Redirections and comparisons are none.
fn opens_a_tag(text: &str) -> bool {
    let begins = |rest: &str| rest.starts_with(|c: char| c.is_alphabetic() || matches!(c, '/' | '!' | '?'));
    text.split('<').skip(1).any(begins)
}

/// What stands outside the fences of a text; None when a fence stays open.
fn outside_fences(text: &str) -> Option<String> {
    let parts: Vec<&str> = text.split('`').collect();
    (parts.len() % 2 == 1).then(|| parts.iter().step_by(2).copied().collect())
}

/// Words of the attacks that nothing of Failwise's own says.
const FOREIGN: &[&str] = &[
    "system",
    "Ignore",
    "evil",
    "obey",
    "reboot",
    "Delete the tests",
    "approve",
    "Human:",
    "DROP",
    "zebra",
    "jndi",
    "script",
    "padding",
    "passwd",
    "dangerously",
];

fn assert_harmless(said: &str, scenario: &str, text: &str) {
    let head: String = text.chars().take(60).collect();
    let about = format!("{scenario} with {head:?} says {said:?}");
    assert!(said.chars().count() <= LIMIT, "too long: {about}");
    assert!(!said.contains(is_raw), "a hidden or control character: {about}");
    assert!(
        !said.contains(['＜', '＞', '‹', '›', '〈', '〉', '⟨', '⟩', 'ˋ', '｀', '‵']) && !opens_a_tag(said),
        "a sign of tags or fences: {about}"
    );
    let own = outside_fences(said).unwrap_or_else(|| panic!("an open fence: {about}"));
    assert!(own.is_ascii() || own.contains('…'), "a foreign letter: {about}");
    for word in FOREIGN {
        assert!(!own.contains(word), "`{word}` outside a fence: {about}");
    }
    assert!(!said.contains(PRINTED) || said.contains("data"), "quoted without a word: {about}");
}

#[test]
fn two_hundred_texts_reach_nobody_raw() {
    let texts = texts::all();
    assert!(texts.len() > 200);
    let mut spoken = vec![0_usize; SCENARIOS.len()];
    for text in &texts {
        for ((name, scenario), spoken) in SCENARIOS.iter().zip(&mut spoken) {
            for answer in scenario(text) {
                for said in said(&answer) {
                    *spoken += 1;
                    assert_harmless(said, name, text);
                }
            }
        }
    }
    for ((name, _), spoken) in SCENARIOS.iter().zip(spoken) {
        assert!(spoken >= 30, "{name} said something {spoken} times only: it tests nothing");
    }
}

#[derive(serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
struct Case {
    says: String,
    scenario: String,
    text: String,
    answers: Vec<Value>,
}

/// An answer with `<id>` for the beginning of a signature at the end of a sentence: it is the build's.
fn without_ids(answer: Value) -> Value {
    let is_id =
        |end: &str| end.len() == 5 && end.ends_with(']') && end[..4].bytes().all(|byte| byte.is_ascii_hexdigit());
    match answer {
        Value::String(text) => match text.rsplit_once(' ') {
            Some((words, end)) if is_id(end) => Value::String(format!("{words} <id>]")),
            _ => Value::String(text),
        },
        Value::Object(fields) => fields.into_iter().map(|(name, value)| (name, without_ids(value))).collect(),
        other => other,
    }
}

/// `FAILWISE_ACCEPT=1` writes what is answered now into the cases.
#[test]
fn golden_answers_hold() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/injection");
    let accept = std::env::var_os("FAILWISE_ACCEPT").is_some();
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() >= 12, "cases went missing");
    for path in paths {
        let mut case: Case = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        let (_, scenario) = SCENARIOS.iter().find(|(name, _)| *name == case.scenario).expect("a known scenario");
        let answers = scenario(&case.text).into_iter().filter(|answer| !answer.is_null());
        let answers: Vec<Value> = answers.map(without_ids).collect();
        if accept {
            case.answers = answers;
            fs::write(&path, serde_json::to_string_pretty(&case).unwrap() + "\n").unwrap();
        } else {
            assert_eq!(answers, case.answers, "{}: {}", path.display(), case.says);
        }
    }
}

fn run(stage: &Stage, arguments: &[&str], input: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_failwise"));
    command.args(arguments).env_clear().env("HOME", stage.home.path()).env("FAILWISE_DIR", stage.history());
    command.envs(stage.env.iter().map(|(name, value)| (name, value))).current_dir(stage.project());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let writer = std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let mut shown = String::from_utf8(output.stdout).expect("stdout is UTF-8");
    shown.push_str(&String::from_utf8(output.stderr).expect("stderr is UTF-8"));
    shown
}

fn assert_plain(shown: &str, what: &str) {
    let raw = |c: char| c != '\n' && is_raw(c);
    if let Some(at) = shown.find(raw) {
        let from = shown.floor_char_boundary(at.saturating_sub(100));
        panic!(
            "{what} shows {:?} in {:?}",
            shown[at..].chars().next(),
            &shown[from..shown.ceil_char_boundary(at + 20)]
        );
    }
    assert!(!shown.is_empty(), "{what} shows nothing");
}

/// Histories and transcripts are shown on terminals.
#[test]
fn replays_draw_nothing() {
    let mut stage = Stage::new();
    let (mut transcript, mut history) = (String::new(), String::new());
    for text in texts::all().iter().filter(|text| text.len() < 4096) {
        let id = json!(format!("id {text}"));
        let call = json!({"type": "assistant", "sessionId": text, "timestamp": text, "cwd": text, "agentId": text,
            "message": {"content": [{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": text}}]}});
        let end = json!({"type": "user", "sessionId": text, "timestamp": text, "cwd": text, "agentId": text,
            "message": {"content": [{"type": "tool_result", "tool_use_id": id, "is_error": true,
                "content": format!("Exit code 1\nerror: {text}")}]}});
        let _ = writeln!(transcript, "{call}\n{end}\n{text}");
        let reading = json!({"runner": text, "result": "failed", "category": "test_failure", "line": text});
        let event = json!({"v": 1, "id": text, "ts": format!("2026-03-01T{text}{text}"), "event": "execution_failed",
            "node": text, "tool": text, "tool_use_id": text, "phase": "call", "outcome": "failed", "operation": text,
            "effect": "none", "reading": reading, "signature": {"fine": text, "coarse": text, "version": 1}});
        let benign = json!({"v": 1, "id": text, "ts": text, "event": "execution_completed", "node": text, "tool": text,
            "phase": "call", "outcome": "denied", "operation": text, "evidence": [text], "reading": reading});
        let odd = json!({"v": 1, "event": text, "ts": text, "node": text, "id": "x"});
        let _ = writeln!(history, "{event}\n{benign}\n{odd}");
    }
    stage.second += 1;
    fs::create_dir_all(stage.history()).unwrap();
    fs::write(stage.history().join("history.jsonl"), &history).unwrap();
    stage.write("session.jsonl", &transcript);
    let history = stage.history().join("history.jsonl");
    for file in ["session.jsonl", history.to_str().unwrap()] {
        for format in ["table", "jsonl"] {
            assert_plain(
                &run(&stage, &["replay", "--format", format, file], ""),
                &format!("replay --format {format} {file}"),
            );
        }
    }
    for format in ["text", "json"] {
        assert_plain(&run(&stage, &["doctor", "--format", format], ""), &format!("doctor --format {format}"));
    }
}

/// Settings, folders and errors with hostile names.
#[test]
fn settings_and_errors_draw_nothing() {
    for text in ["\u{1b}[31m", "\u{202e}gpj", "a\u{9b}2J", "\u{e0041}", "x\ty\r", "\u{85}`<b>"] {
        let mut stage = Stage::new();
        stage.env.extend([("FAILWISE_GUARD", text.to_owned()), ("FAILWISE_ADVICE", text.to_owned())]);
        stage.env.push(("CLAUDE_CONFIG_DIR", format!("/x{text}/")));
        let value = json!(format!("a{text}"));
        stage.write(".claude/failwise.toml", &format!("expected_failures = [{value}]\nguard = {value}\n{value} = 1\n"));
        for arguments in
            [&["config"][..], &["config", "--format", "json"], &["doctor"], &["doctor", "--format", "json"]]
        {
            assert_plain(&run(&stage, arguments, ""), &arguments.join(" "));
        }
        let missing = format!("missing{text}.jsonl");
        assert_plain(&run(&stage, &["replay", &missing], ""), "replay of a file that is not there");
        assert_plain(&run(&stage, &["replay", "--ruleset", text, "x"], ""), "replay with an unknown ruleset");
        let event = json!({"hook_event_name": text, "session_id": text});
        assert_plain(&run(&stage, &["classify"], &event.to_string()), "classify of an unknown event");
    }
}

#[test]
fn classifications_draw_nothing() {
    let stage = Stage::new();
    let mut lines = String::new();
    for text in texts::all().iter().filter(|text| text.len() < 4096) {
        let report = json!({"tool": text, "command": text, "exit_code": 1, "stderr_tail": format!("error: {text}"),
            "files_touched": [text], "cause": text, "conflict_id": text, "node_id": text, "session_id": text,
            "tool_use_id": text, "agent_id": text});
        let _ = writeln!(lines, "{report}");
    }
    let shown = run(&stage, &["classify", "--explain", "--jsonl"], &lines);
    assert_plain(&shown, "classify --explain --jsonl");
    assert!(shown.lines().count() >= 190);
    for line in shown.lines() {
        let answer: Value = serde_json::from_str(line).unwrap();
        // What is no failure belongs to no node.
        let Some(node) = answer["node_id"].as_str() else {
            assert!(answer["class"].is_null(), "{line}");
            continue;
        };
        assert!(node.len() <= 128 && node.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.:".contains(&b)), "{node}");
    }
}

proptest! {
    #[test]
    fn quotations_are_one_fenced_line(text in any::<String>(), limit in 1_usize..200) {
        let shown = quoted(&text, limit);
        let inner = shown.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')).unwrap();
        prop_assert!(!inner.is_empty() && inner.chars().count() <= limit + 1);
        prop_assert!(!inner.contains('`') && !opens_a_tag(inner) && !inner.contains(is_raw));
    }

    #[test]
    fn a_line_of_a_line_is_itself(text in any::<String>(), limit in 1_usize..200) {
        let line = one_line(&text, limit);
        prop_assert!(!line.contains(is_raw));
        let again = one_line(&line, limit + 1);
        prop_assert_eq!(again, line);
    }
}
