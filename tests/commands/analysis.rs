//! The analysis of sessions: written sessions whose figures were worked out by hand, and what holds for any session.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "writes sessions and starts the executable")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicU64;

use crate::data_folder::data_folder;
use failwise::classify::DEFAULT;
use failwise::replay::{Analysis, Replay};
use failwise::sessions;
use proptest::prelude::*;
use serde_json::{Value, json};

/// A session as the client writes it, line by line. Times are seconds after ten o'clock.
struct Written {
    session: &'static str,
    agent: Option<&'static str>,
    lines: Vec<Value>,
}

impl Written {
    fn new(session: &'static str) -> Self {
        Self { session, agent: None, lines: Vec::new() }
    }

    fn line(&mut self, at: u64, kind: &str, message: &Value) -> &mut Value {
        let ts = format!("2026-03-01T{:02}:{:02}:{:02}.000Z", 10 + at / 3600, at / 60 % 60, at % 60);
        let mut line =
            json!({ "type": kind, "sessionId": self.session, "cwd": "/srv/tide", "timestamp": ts, "message": message });
        if let Some(agent) = self.agent {
            line["agentId"] = json!(agent);
            line["isSidechain"] = json!(true);
        }
        self.lines.push(line);
        self.lines.last_mut().unwrap()
    }

    fn prompt(&mut self, at: u64) -> &mut Self {
        self.line(at, "user", &json!({ "role": "user", "content": "go on" }));
        self
    }

    /// An answer of 100 tokens read and `output` written.
    fn answer(&mut self, at: u64, output: u64, block: &Value) {
        let id = format!("{}{}{}", self.session, self.agent.unwrap_or_default(), self.lines.len());
        let usage = json!({ "input_tokens": 100, "output_tokens": output });
        self.line(at, "assistant", &json!({ "id": id, "model": "m", "content": [block], "usage": usage }));
    }

    /// Words of the model, without an answer's usage of their own.
    fn says(&mut self, at: u64, words: &str) -> &mut Self {
        self.line(at, "assistant", &json!({ "content": [{ "type": "text", "text": words }] }));
        self
    }

    /// An answer that makes a call, and the call's end two seconds later.
    fn call(&mut self, at: u64, tool: &str, input: &Value, text: &str, is_error: bool) -> &mut Self {
        let id = format!("{}{}c{}", self.session, self.agent.unwrap_or_default(), self.lines.len());
        self.answer(at, 10, &json!({ "type": "tool_use", "id": id, "name": tool, "input": input }));
        let block = json!({ "type": "tool_result", "tool_use_id": id, "content": text, "is_error": is_error });
        self.line(at + 2, "user", &json!({ "role": "user", "content": [block] }));
        self
    }

    fn runs(&mut self, at: u64, command: &str, text: &str) -> &mut Self {
        self.call(at, "Bash", &json!({ "command": command }), text, false)
    }

    fn fails(&mut self, at: u64, command: &str, text: &str) -> &mut Self {
        self.call(at, "Bash", &json!({ "command": command }), text, true)
    }

    fn edits(&mut self, at: u64, file: &str) -> &mut Self {
        self.call(at, "Edit", &json!({ "file_path": file, "old_string": "a", "new_string": "b" }), "updated", false)
    }

    fn reads(&mut self, at: u64, file: &str) -> &mut Self {
        self.call(at, "Read", &json!({ "file_path": file }), "1\tx", false)
    }

    fn save(&self, path: &Path) {
        let lines: Vec<String> = self.lines.iter().map(Value::to_string).collect();
        fs::write(path, lines.join("\n")).unwrap();
    }
}

fn analysis(path: &Path, more: &[&str]) -> Value {
    let mut arguments = vec!["replay", path.to_str().unwrap(), "--format", "json"];
    arguments.extend(more);
    let output = Command::new(env!("CARGO_BIN_EXE_failwise")).args(arguments).env_clear().output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The wanted fields of an object, so that a figure that was not worked out is not compared.
fn assert_fields(value: &Value, wanted: &Value) {
    for (field, wanted) in wanted.as_object().unwrap() {
        assert_eq!(&value[field], wanted, "{field} of {value}");
    }
}

const TEST_FAILED: &str = "Exit code 101\ntest parser::reads ... FAILED\n\nfailures:\n    parser::reads\n\ntest result: \
    FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out";
const TEST_PASSED: &str = "test parser::reads ... ok\n\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 \
    filtered out";
const TOO_MANY: &str = "Exit code 1\nnpm error code E429\nnpm error 429 Too Many Requests";
const NO_RULE: &str = "Exit code 2\nmake: *** No rule to make target 'chart'.  Stop.";
const NO_MODULE: &str = "Exit code 1\nModuleNotFoundError: No module named 'yaml'";
const NO_VALUE: &str = "Exit code 101\nerror[E0425]: cannot find value `tide` in this scope\n --> src/a.rs:3:5";

/// Episodes that end in three ways, and a loop of one call.
fn first(dir: &Path) {
    let mut it = Written::new("s1");
    it.prompt(0).fails(10, "cargo test", TEST_FAILED).reads(20, "/srv/tide/src/parser.rs");
    it.edits(30, "/srv/tide/src/parser.rs").runs(40, "cargo test", TEST_PASSED);
    it.fails(50, "npm ci", TOO_MANY).runs(70, "npm ci", "added 12 packages");
    // The person was away for half an hour.
    it.prompt(1872).fails(1880, "make chart", NO_RULE).fails(1890, "make chart", NO_RULE);
    it.fails(1900, "make chart", NO_RULE);
    it.answer(1912, 5, &json!({ "type": "text", "text": "I stop here." }));
    it.save(&dir.join("s1.jsonl"));
}

#[test]
fn costs_and_endings_are_those_worked_out_by_hand() {
    let dir = tempfile::tempdir().unwrap();
    first(dir.path());
    let found = analysis(dir.path(), &[]);
    // Nine calls with an answer each, and one answer without. From 0 to 72 s and from 1872 to 1912 s somebody worked. Make
    // was no check.
    assert_fields(
        &found["totals"],
        &json!({ "calls": 9, "failed": 5, "masked": 0, "turns": 10, "wall_ms": 112_000, "episodes": 3,
                 "episodes_open": 0, "loops": 1, "unchanged_retries": 2, "guard": null,
                 "tokens": { "input": 1000, "output": 95, "cache_read": 0, "cache_write": 0, "cache_write_1h": 0 },
                 "endings": { "fixed_by_edit": 1, "by_itself": 1, "moved_on": 1 },
                 // The answers that failed, and those before the one that passed: three, one and three; 32, 10 and 30 s.
                 "turns_in_failure": 7, "wall_ms_in_failure": 72_000,
                 "tokens_in_failure": { "input": 700, "output": 70, "cache_read": 0, "cache_write": 0, "cache_write_1h": 0 } }),
    );
    let episodes = found["episodes"].as_array().unwrap();
    let wanted = [
        json!({ "ended": "fixed_by_edit", "category": "test_failure", "attempts": 1, "calls": 3, "turns": 3,
                "wall_ms": 32_000, "end": { "tool_use_id": "s1c7", "tool": "Bash", "call": "cargo test", "node": "session/s1" },
                "first_ts": "2026-03-01T10:00:12.000Z", "ended_ts": "2026-03-01T10:00:42.000Z" }),
        json!({ "ended": "by_itself", "category": "rate_limit", "class": "F1", "calls": 1, "wall_ms": 10_000, "waste": {} }),
        json!({ "ended": "moved_on", "category": "bad_arguments", "class": "F3", "attempts": 3, "unchanged_retries": 2,
                "calls": 3, "turns": 3, "wall_ms": 30_000, "ended_ts": null, "end": null }),
    ];
    assert_eq!(episodes.len(), wanted.len());
    episodes.iter().zip(&wanted).for_each(|(episode, wanted)| assert_fields(episode, wanted));
    // What was called wrongly is waste, and what a check costs until it is green is none.
    assert_fields(&episodes[2]["waste"]["usage"], &json!({ "turns": 3, "wall_ms": 30_000 }));
    assert_eq!(episodes[0]["waste"], json!({}));
    // A retry may pass; and the third time the agent is told that it repeats itself.
    let said: Vec<usize> = episodes.iter().map(|episode| episode["advice"].as_array().unwrap().len()).collect();
    assert_eq!(said, [0, 1, 1]);
    assert_eq!(episodes[2]["advice"][0]["ts"], "2026-03-01T10:31:42.000Z");
    assert_fields(
        &found["loops"][0],
        &json!({ "period": 1, "repeats": 3, "operations": ["make chart"], "calls": 2, "wall_ms": 20_000 }),
    );
    assert_fields(
        &found["sessions"][0],
        &json!({ "id": "s1", "project": "tide", "agents": 1, "started": "2026-03-01T10:00:00.000Z",
                 "ended": "2026-03-01T10:31:52.000Z", "calls": 9, "wall_ms": 112_000 }),
    );
    assert_fields(&found["days"][0], &json!({ "day": "2026-03-01", "calls": 9, "failed": 5, "turns": 10 }));
    assert_fields(
        &found["signatures"][0],
        &json!({ "failures": 3, "episodes": 1, "unresolved": 0, "sessions": 1, "calls": 3, "operation": "make chart" }),
    );
}

#[test]
fn what_two_agents_of_a_session_meet_is_one_failure() {
    let dir = tempfile::tempdir().unwrap();
    let mut it = Written::new("s4");
    it.prompt(0).fails(10, "cargo test", TEST_FAILED).call(20, "Task", &json!({ "prompt": "look" }), "done", false);
    it.edits(60, "/srv/tide/src/parser.rs").runs(70, "cargo test", TEST_PASSED);
    it.save(&dir.path().join("s4.jsonl"));
    let mut agent = Written { agent: Some("ag4"), ..Written::new("s4") };
    agent.prompt(24).fails(30, "cargo test --lib reads", TEST_FAILED).reads(40, "/srv/tide/src/parser.rs");
    agent.save(&dir.path().join("agent-ag4.jsonl"));
    let found = analysis(dir.path(), &[]);
    // Three answers of the session up to the one that passed, and both of its agent.
    assert_eq!(found["episodes"].as_array().unwrap().len(), 1, "{}", found["episodes"]);
    assert_fields(
        &found["episodes"][0],
        &json!({ "node": "session/s4", "attempts": 2, "ended": "fixed_by_edit", "turns": 5, "category": "test_failure",
                 "tool_use_ids": ["s4c1", "s4ag4c1"] }),
    );
    assert_fields(&found["totals"], &json!({ "failed": 2, "episodes": 1, "turns_in_failure": 5 }));
    let failures = found["failures"].as_array().unwrap();
    assert!(failures.iter().all(|failure| failure["episode"] == found["episodes"][0]["id"]), "{failures:?}");
}

/// What was hidden, left, polled, repeated in rounds, refused, and a subagent that died.
fn second(dir: &Path) {
    let mut it = Written::new("s2");
    it.prompt(0);
    it.runs(10, "pytest -q | tail -3", "FAILED tests/test_a.py::test_one - assert 1 == 2\n1 failed, 3 passed in 0.12s");
    it.says(14, "Done.");
    it.prompt(60).fails(70, "python3 app.py", NO_MODULE).runs(
        80,
        "pip install pyyaml",
        "Successfully installed pyyaml",
    );
    it.runs(90, "python3 app.py", "ready");
    for round in 0..3 {
        it.edits(100 + 20 * round, "/srv/tide/src/a.rs").fails(110 + 20 * round, "cargo build", NO_VALUE);
        it.reads(114 + 20 * round, &format!("/srv/tide/src/{round}.rs"));
    }
    for poll in 0..3 {
        it.runs(200 + 10 * poll, "gh pr checks 12", "build\tpending");
    }
    it.fails(240, "rm -r data", "The user doesn't want to proceed with this tool use. The tool use was rejected.");
    it.call(300, "Task", &json!({ "prompt": "look" }), "done", false);
    it.lines.last_mut().unwrap()["toolUseResult"] =
        json!({ "status": "completed", "agentId": "ag1", "content": [{ "type": "text", "text": "done" }] });
    it.save(&dir.join("s2.jsonl"));
    let mut agent = Written { agent: Some("ag1"), ..Written::new("s2") };
    agent.reads(250, "/srv/tide/a.md");
    let text = json!([{ "type": "text", "text": "API Error: 529 overloaded" }]);
    let line = agent.line(260, "assistant", &json!({ "model": "<synthetic>", "content": text }));
    line["isApiErrorMessage"] = json!(true);
    line["error"] = json!("overloaded");
    agent.save(&dir.join("agent-ag1.jsonl"));
}

#[test]
fn what_was_hidden_or_left_is_told() {
    let (dir, settings) = (tempfile::tempdir().unwrap(), tempfile::NamedTempFile::new().unwrap());
    fs::write(settings.path(), "stop_check = \"tell\"\n").unwrap();
    second(dir.path());
    let found = analysis(dir.path(), &["--what-if", "guard=block", "--settings", settings.path().to_str().unwrap()]);
    assert_fields(
        &found["totals"],
        // 1 + 3 + 9 + 3 + 1 + 1 calls of the session, and two of the subagent, whose error of the API is one.
        &json!({ "calls": 20, "failed": 6, "masked": 1, "denied": 1, "dead_subagents": 1, "loops": 1, "episodes": 4,
                 "endings": { "put_aside": 1, "fixed_by_shell": 1, "moved_on": 1, "open": 1 },
                 "guard": { "refused": 0, "calls_saved": 0, "tokens_saved": 0, "wall_ms_saved": 0 } }),
    );
    assert_fields(&found["generated_from"], &json!({ "files": 2, "sessions": 1 }));
    assert_eq!(found["sessions"][0]["agents"], 2);
    assert_fields(
        &found["loops"][0],
        &json!({ "period": 2, "repeats": 3, "operations": ["Edit:/srv/tide/src/a.rs", "cargo build"] }),
    );
    let masked = &found["episodes"][0];
    assert_fields(masked, &json!({ "masked": true, "ended": "put_aside", "last_run": "not_run_again", "calls": 1 }));
    assert!(
        masked["advice"][0]["text"].as_str().unwrap().contains("exited 0"),
        "told when the agent stopped: {masked}"
    );
}

#[test]
fn what_was_done_another_way_or_not_needed_is_no_red_check() {
    let dir = tempfile::tempdir().unwrap();
    let mut it = Written::new("s5");
    it.prompt(0);
    it.fails(10, "gh pr diff 104 --stat", "Exit code 1\nunknown flag: --stat\n\nUsage:  gh pr diff [<number>]");
    it.runs(20, "gh pr diff 104 --name-only", "src/a.rs");
    it.fails(30, "cat docs/beds.md", "Exit code 1\ncat: docs/beds.md: No such file or directory");
    it.reads(40, "/srv/tide/src/a.rs");
    // Two findings of one linter, mended together, and a hidden failure that is left.
    let lint = |file: &str, rule: &str| format!("Exit code 1\n{file}.py:1:1: {rule} unused\nFound 1 error.");
    it.fails(50, "ruff check a.py", &lint("a", "F401")).fails(60, "ruff check b.py", &lint("b", "F841"));
    it.edits(70, "/srv/tide/a.py").runs(80, "ruff check a.py", "All checks passed!");
    it.runs(90, "ruff check b.py", "All checks passed!");
    it.save(&dir.path().join("s5.jsonl"));
    let found = analysis(dir.path(), &[]);
    assert_fields(
        &found["totals"],
        &json!({ "endings": { "replaced": 1, "moved_on": 1, "fixed_by_edit": 2 }, "episodes_open": 0,
                 // Up to the other form, the one that failed, and from 42 to 82 s the linter.
                 "turns_in_failure": 1 + 1 + 4, "wall_ms_in_failure": 12_000 + 10_000 + 40_000 }),
    );
    let costs: Vec<(&Value, &Value)> =
        found["episodes"].as_array().unwrap().iter().map(|it| (&it["turns"], &it["wall_ms"])).collect();
    let wanted = [(1, 12_000), (1, 10_000), (3, 30_000), (3, 30_000)].map(|(turns, ms)| (json!(turns), json!(ms)));
    assert_eq!(costs, wanted.iter().map(|(turns, ms)| (turns, ms)).collect::<Vec<_>>());
    let booked: Vec<&Value> = found["episodes"].as_array().unwrap().iter().map(|it| &it["booked"]["turns"]).collect();
    assert_eq!(booked, [1, 1, 2, 2], "each part once");
    assert_eq!(found["episodes"][0]["ended_ts"], "2026-03-01T10:00:22.000Z");
    assert_eq!(found["episodes"][0]["end"]["call"], "gh pr diff 104 --name-only");
}

#[test]
fn the_guard_would_have_saved_the_calls_after_the_third() {
    let dir = tempfile::tempdir().unwrap();
    let mut it = Written::new("s3");
    it.prompt(0);
    for round in 0..6 {
        it.fails(10 + 10 * round, "make chart", NO_RULE);
    }
    it.save(&dir.path().join("s3.jsonl"));
    let guard = |more: &[&str]| analysis(dir.path(), more)["totals"]["guard"].clone();
    assert_eq!(guard(&[]), Value::Null);
    // Of six failures the fourth to the sixth; the answers that led to the last two, of 110 tokens, and their 20 s.
    assert_eq!(
        guard(&["--what-if", "guard=block"]),
        json!({ "refused": 3, "calls_saved": 3, "tokens_saved": 220, "wall_ms_saved": 20_000 })
    );
}

#[test]
fn a_session_beside_another_reads_as_it_does_alone() {
    let (alone, both) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    first(alone.path());
    first(both.path());
    second(both.path());
    let (mut alone, mut both) = (analysis(alone.path(), &[]), analysis(both.path(), &[]));
    let of_first = |it: &mut Value, list: &str| {
        let mut items = it[list].as_array().unwrap().clone();
        items.retain(|item| item["session"] == "s1" || item["id"] == "s1");
        for item in &mut items {
            item["file"] = Value::Null;
        }
        items
    };
    for list in ["sessions", "episodes", "loops", "failures"] {
        let items = of_first(&mut alone, list);
        assert!(!items.is_empty(), "{list}");
        assert_eq!(items, of_first(&mut both, list), "{list}");
    }
}

/// What reading the three sessions by eye found. The data are not part of the project.
#[test]
fn real_sessions_come_to_what_was_read_by_eye() {
    let data = data_folder().map(|data| data.join("transcripts")).filter(|data| data.is_dir());
    let Some(data) = data else { return };
    for (file, wanted) in [
        (
            "go-cli-a.jsonl",
            json!({ "calls": 203, "failed": 6, "masked": 1, "cascade": 30, "denied": 0, "episodes": 6, "loops": 0,
                    "endings": { "replaced": 5, "fixed_by_edit": 1 }, "turns": 110, "turns_in_failure": 7 }),
        ),
        (
            "go-cli-b.jsonl",
            json!({ "calls": 171, "failed": 16, "masked": 3, "denied": 5, "benign": 0, "episodes": 10, "loops": 0,
                    "endings": { "fixed_by_edit": 4, "replaced": 3, "moved_on": 3 }, "turns": 169,
                    "turns_in_failure": 82 }),
        ),
        (
            "ts-rust.jsonl",
            json!({ "calls": 226, "failed": 10, "masked": 0, "denied": 1, "benign": 4, "cascade": 2, "episodes": 10,
                    "endings": { "moved_on": 6, "replaced": 3, "fixed_by_shell": 1 }, "loops": 0,
                    "turns": 217, "turns_in_failure": 17 }),
        ),
    ] {
        assert_fields(&analysis(&data.join(file), &[])["totals"], &wanted);
    }
}

#[test]
fn what_wants_something_else_of_the_same_program_or_host_ends_no_episode() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.jsonl");
    for (failing, text, other, done) in [
        (
            "redis-cli -h 10.2.0.7 -p 6380 ping",
            "Exit code 127\n(eval):1: command not found: redis-cli",
            "nc -z -w3 10.2.0.7 5432",
            Some("nc -z -w3 10.2.0.7 6380"),
        ),
        (
            "git stash pop",
            "Exit code 1\nerror: Your local changes to the following files would be overwritten by merge:",
            "git stash drop",
            None,
        ),
        (
            "go test -run TestTide ./tides/ 2>&1",
            "Exit code 1\n--- FAIL: TestTide (0.02s)\n    tides_test.go:8: got 0, want 1\nFAIL\nFAIL\tharbour/tides\t0.4s",
            "go build ./tides/",
            None,
        ),
        ("git gc --auto --dry-run", "Exit code 129\nerror: unknown option `dry-run'", "git reflog --dry-run", None),
    ] {
        let mut it = Written::new("s1");
        it.prompt(0).fails(10, failing, text).runs(20, other, "ok");
        if let Some(done) = done {
            it.runs(30, done, "ok");
        }
        it.save(&path);
        let told = &analysis(&path, &[])["episodes"][0];
        let ended = match done {
            Some(_) => "replaced",
            None if failing.starts_with("go test") => "open",
            None => "moved_on",
        };
        assert_eq!((told["ended"].as_str(), told["end"]["call"].as_str()), (Some(ended), done), "{failing}");
    }
}

#[test]
fn the_columns_of_csv_are_those_of_the_page() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/dev/replay.md")).unwrap();
    let table = page.split("<!-- columns:begin -->").nth(1).unwrap().split("<!-- columns:end -->").next().unwrap();
    let described: Vec<&str> = table.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    let example = root.join("examples/session.jsonl");
    let arguments = ["replay", example.to_str().unwrap(), "--format", "csv"];
    let output = Command::new(env!("CARGO_BIN_EXE_failwise")).args(arguments).env_clear().output().unwrap();
    let mut lines = csv::Reader::from_reader(&output.stdout[..]);
    assert_eq!(lines.headers().unwrap(), described);
    let rows: Vec<csv::StringRecord> = lines.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 10);
    let column = |name: &str| described.iter().position(|known| *known == name).unwrap();
    let denied = rows.iter().find(|row| &row[column("outcome")] == "denied").unwrap();
    assert_eq!((&denied[column("class")], &denied[column("input")]), ("", "git push --force origin main"));
}

#[test]
fn no_value_is_a_formula_or_an_order_to_a_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let mut it = Written::new("s4");
    it.prompt(0).fails(10, "=cmd|'/c calc'!A0", "Exit code 127\n/bin/sh: =cmd: command not found");
    it.fails(20, "@sum \u{1b}[31m\u{202e}x\ny", "Exit code 2\nusage: sum [-h]\nsum: error: unrecognized arguments: x");
    let path = dir.path().join("s4.jsonl");
    it.save(&path);
    let run = |format: &str| {
        let arguments = ["replay", path.to_str().unwrap(), "--format", format];
        let output = Command::new(env!("CARGO_BIN_EXE_failwise")).args(arguments).env_clear().output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let text = run("csv");
    let mut csv = csv::Reader::from_reader(text.as_bytes());
    let rows: Vec<csv::StringRecord> = csv.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 2);
    for value in rows.iter().flat_map(csv::StringRecord::iter) {
        assert!(!value.starts_with(['=', '+', '-', '@']), "{value}");
    }
    for format in ["table", "json", "jsonl", "csv"] {
        let text = run(format);
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{format}: {text:?}");
    }
}

/// What may happen in a session: a small alphabet from which long ones are made.
#[derive(Debug, Clone, Copy)]
enum Step {
    Fails(usize),
    Passes(usize),
    Edits(u8),
    Looks,
    Prompt,
    Waits(u64),
}

const RUNS: [(&str, &str, &str); 4] = [
    ("cargo test", TEST_FAILED, TEST_PASSED),
    ("make chart", NO_RULE, "ok"),
    ("python3 app.py", NO_MODULE, "ready"),
    ("cargo build", NO_VALUE, "Finished"),
];

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        5 => (0..RUNS.len()).prop_map(Step::Fails),
        2 => (0..RUNS.len()).prop_map(Step::Passes),
        2 => (0..3u8).prop_map(Step::Edits),
        1 => Just(Step::Looks),
        1 => Just(Step::Prompt),
        1 => (0..3000u64).prop_map(Step::Waits),
    ]
}

fn played(session: &'static str, steps: &[Step]) -> Analysis {
    let mut it = Written::new(session);
    let mut at = 0;
    for step in steps {
        at += 5;
        match *step {
            Step::Fails(run) => it.fails(at, RUNS[run].0, RUNS[run].1),
            Step::Passes(run) => it.runs(at, RUNS[run].0, RUNS[run].2),
            Step::Edits(file) => it.edits(at, &format!("/srv/tide/{file}.rs")),
            Step::Looks => it.reads(at, "/srv/tide/a.rs"),
            Step::Prompt => it.prompt(at),
            Step::Waits(seconds) => {
                at += seconds;
                &mut it
            }
        };
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(format!("{session}.jsonl"));
    it.prompt(at + 5).save(&path);
    let found = sessions::find(&[path], None).unwrap();
    let parts = found.sessions.iter().map(|session| {
        let mut replays = [Replay::new(&DEFAULT).with_guard()];
        session.play(&mut replays, &AtomicU64::new(0));
        let [replay] = replays;
        replay.finish().analysis
    });
    Analysis::join(parts)
}

/// The same, without the file that happened to hold it.
fn nowhere(mut analysis: Analysis) -> Analysis {
    analysis.sessions.iter_mut().for_each(|session| session.file.clear());
    analysis.failures.iter_mut().for_each(|failure| failure.file.clear());
    analysis
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn counts_add_up_and_no_episode_costs_more_than_its_session(steps in prop::collection::vec(step(), 0..60)) {
        let found = played("s1", &steps);
        let totals = &found.totals;
        prop_assert_eq!(totals.failed, found.failures.len() as u64);
        prop_assert_eq!(totals.failed, totals.classes.values().sum::<u64>());
        prop_assert_eq!(totals.failed, totals.categories.values().sum::<u64>());
        prop_assert_eq!(totals.failed, found.signatures.iter().map(|it| it.failures).sum::<u64>());
        prop_assert_eq!(totals.episodes, totals.endings.values().sum::<u64>());
        prop_assert_eq!(totals.episodes, found.episodes.len() as u64);
        prop_assert_eq!(totals.episodes, found.signatures.iter().map(|it| it.episodes).sum::<u64>());
        prop_assert_eq!(totals.loops, found.loops.len() as u64);
        prop_assert_eq!(totals.calls, found.days.iter().map(|day| day.calls).sum::<u64>());
        prop_assert_eq!(u64::from(found.episodes.iter().map(|it| it.attempts).sum::<u32>()), totals.failed);
        let (mut turns, mut wall) = (0, 0);
        for episode in &found.episodes {
            prop_assert!(episode.cost.turns <= totals.turns_in_failure && episode.cost.wall_ms <= totals.wall_ms_in_failure);
            prop_assert!(episode.cost.tokens.total() <= totals.tokens_in_failure.total());
            turns += episode.cost.turns;
            wall += episode.cost.wall_ms;
        }
        prop_assert!(totals.turns_in_failure <= turns.min(totals.turns));
        prop_assert!(totals.wall_ms_in_failure <= wall.min(totals.wall_ms));
        prop_assert!(totals.tokens_in_failure.total() <= totals.tokens.total());
        let guard = totals.guard.unwrap();
        prop_assert!(guard.calls_saved <= guard.refused && guard.refused <= totals.calls);
        prop_assert!(guard.tokens_saved <= totals.tokens.total() && guard.wall_ms_saved <= totals.wall_ms);
    }

    #[test]
    fn identical_sessions_give_identical_bytes(steps in prop::collection::vec(step(), 0..40)) {
        let bytes = |analysis| serde_json::to_string(&nowhere(analysis)).unwrap();
        let text = bytes(played("s1", &steps));
        prop_assert_eq!(&text, &bytes(played("s1", &steps)));
        let read: Analysis = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(&text, &serde_json::to_string(&read).unwrap(), "what was written reads as it was");
    }

    #[test]
    fn joining_takes_any_order_and_any_grouping(
        a in prop::collection::vec(step(), 0..25),
        b in prop::collection::vec(step(), 0..25),
        c in prop::collection::vec(step(), 0..25),
    ) {
        let parts = || (played("a", &a), played("b", &b), played("c", &c));
        let join = |one, other| Analysis::join([one, other]);
        let (one, two, three) = parts();
        let (one, two, three) = (nowhere(one), nowhere(two), nowhere(three));
        let all = Analysis::join([one.clone(), two.clone(), three.clone()]);
        let met = |it: &Analysis| it.signatures.iter().map(|it| it.sessions + it.failures + it.episodes).sum::<u64>();
        prop_assert_eq!(met(&all), met(&one) + met(&two) + met(&three));
        prop_assert_eq!(&all, &join(join(one.clone(), two.clone()), three.clone()));
        prop_assert_eq!(&all, &join(one.clone(), join(two.clone(), three.clone())));
        prop_assert_eq!(&all, &Analysis::join([three, one, two]));
        prop_assert_eq!(&all, &join(all.clone(), Analysis::default()));
    }
}
