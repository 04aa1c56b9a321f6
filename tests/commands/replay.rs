//! Replay: every marked result has its row, recorded verdicts are checked, identical input gives identical bytes.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "starts the executable and reads its input")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::data_folder::data_folder;
use serde_json::Value;

fn failwise(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_failwise")).args(arguments).env_clear().output().unwrap()
}

fn rows(file: &Path) -> Vec<Value> {
    let output = failwise(&["replay", file.to_str().unwrap(), "--format", "jsonl"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/session.jsonl")
}

/// Ids of the results that the client marked as errors.
fn marked(file: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(file).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines
        .flat_map(|line| line["message"]["content"].as_array().cloned().unwrap_or_default())
        .filter(|block| block["type"] == "tool_result" && block["is_error"] == true)
        .map(|block| block["tool_use_id"].as_str().unwrap().to_owned())
        .collect()
}

fn ids(rows: &[Value]) -> Vec<String> {
    rows.iter().map(|row| row["tool_use_id"].as_str().unwrap().to_owned()).collect()
}

fn each_marked_result_has_one_row(file: &Path) {
    let rows = rows(file);
    let ids = ids(&rows);
    for id in marked(file) {
        assert_eq!(ids.iter().filter(|row| **row == id).count(), 1, "{}: {id}", file.display());
    }
}

#[test]
fn every_marked_result_of_the_example_has_one_row() {
    each_marked_result_has_one_row(&example());
}

#[test]
fn every_marked_result_of_real_transcripts_has_one_row() {
    let Some(data) = data_folder() else { return };
    let Ok(entries) = fs::read_dir(data.join("transcripts")) else { return };
    for entry in entries {
        each_marked_result_has_one_row(&entry.unwrap().path());
    }
}

#[test]
fn identical_input_gives_identical_bytes() {
    let path = example();
    let replay = || failwise(&["replay", path.to_str().unwrap(), "--format", "jsonl"]).stdout;
    assert_eq!(replay(), replay());
}

#[test]
fn the_example_reads_as_its_page_says() {
    let page = fs::read_to_string(example().with_file_name("README.md")).unwrap();
    let rows = rows(&example());
    assert!(rows.len() >= 10, "{}", rows.len());
    for row in &rows {
        let outcome = row["outcome"].as_str().unwrap();
        let word = row["category"].as_str().unwrap_or(outcome);
        assert!(page.contains(word), "examples/README.md does not explain `{word}`: {row}");
    }
}

/// `UPDATE=1` writes it there.
#[test]
fn the_page_of_the_example_shows_what_the_command_prints() {
    let path = example().with_file_name("README.md");
    let page = fs::read_to_string(&path).unwrap();
    let shown = page.split("$ failwise replay examples/session.jsonl\n").nth(1).unwrap().split("```").next().unwrap();
    let output = failwise(&["replay", example().to_str().unwrap()]);
    let printed = String::from_utf8(output.stdout).unwrap();
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, page.replace(shown.trim_end(), printed.trim_end())).unwrap();
        return;
    }
    assert_eq!(shown.trim_end(), printed.trim_end(), "UPDATE=1 cargo test --test commands replay");
}

/// A history as the hook writes it, of one failing call.
fn history(dir: &Path) -> PathBuf {
    let payload = serde_json::json!({
        "session_id": "s-1", "cwd": dir, "hook_event_name": "PostToolUseFailure", "tool_name": "Bash",
        "tool_input": {"command": "make chart"}, "tool_use_id": "t1",
        "error": "Exit code 2\nmake: *** No rule to make target 'chart'.  Stop.",
    });
    let mut child = Command::new(env!("CARGO_BIN_EXE_failwise-hook"))
        .env_clear()
        .env("FAILWISE_DIR", dir)
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), payload.to_string().as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    dir.join("history.jsonl")
}

#[test]
fn a_recorded_verdict_that_the_rules_would_not_give_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let history = history(dir.path());
    let check = |file: &Path| failwise(&["replay", file.to_str().unwrap(), "--check", "--format", "jsonl"]);
    assert_eq!(check(&history).status.code(), Some(0));
    let tampered = dir.path().join("tampered.jsonl");
    let text = fs::read_to_string(&history).unwrap();
    assert!(text.contains("\"class\":\"F2\""));
    fs::write(&tampered, text.replace("\"class\":\"F2\"", "\"class\":\"F4\"")).unwrap();
    let output = check(&tampered);
    assert_eq!(output.status.code(), Some(1));
    let row: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(row["differs"][0]["field"], "class");
    assert_eq!(row["differs"][0]["recorded"], "F4");
}

/// A session of one prompt: shell calls with their output, each with whether it failed.
fn session_of(dir: &Path, calls: &[(&str, &str, bool)]) -> PathBuf {
    let mut lines = Vec::new();
    let mut line = |at: usize, kind: &str, content: Value| {
        let ts = format!("2026-03-01T10:{:02}:{:02}.000Z", at / 60, at % 60);
        let message = serde_json::json!({ "role": kind, "id": format!("m{at}"), "model": "m", "content": content });
        let line = serde_json::json!({
            "type": kind, "sessionId": "s1", "cwd": "/srv/tide", "timestamp": ts, "message": message });
        lines.push(line.to_string());
    };
    line(0, "user", Value::from("go on"));
    for (number, (command, output, failed)) in calls.iter().enumerate() {
        let (at, id) = (10 * number + 2, format!("t{number}"));
        let call = serde_json::json!({ "type": "tool_use", "id": id, "name": "Bash", "input": { "command": command } });
        line(at, "assistant", Value::from(vec![call]));
        let result =
            serde_json::json!({ "type": "tool_result", "tool_use_id": id, "content": output, "is_error": failed });
        line(at + 2, "user", Value::from(vec![result]));
    }
    line(10 * calls.len() + 2, "assistant", serde_json::json!([{ "type": "text", "text": "Done." }]));
    let path = dir.join("s1.jsonl");
    fs::write(&path, lines.join("\n")).unwrap();
    path
}

#[test]
fn every_message_is_listed_with_its_calls_and_what_followed() {
    const USAGE: &str = "Exit code 2\nusage: sum [-h]\nsum: error: unrecognized arguments: --fast";
    const RED: &str = "FAILED tests/test_a.py::test_one - assert 1 == 2\n1 failed, 3 passed in 0.12s";
    let dir = tempfile::tempdir().unwrap();
    let sums = ("sum --fast", USAGE, true);
    let path =
        session_of(dir.path(), &[sums, sums, sums, sums, ("ls", "a.py", false), ("pytest -q | tail -3", RED, false)]);
    let settings = dir.path().join("failwise.toml");
    fs::write(&settings, "stop_check = \"tell\"\n").unwrap();
    let path = path.to_str().unwrap();
    let output = failwise(&["replay", "--said", path, "--format", "json", "--settings", settings.to_str().unwrap()]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["calls"], 6);
    let said = found["said"].as_array().unwrap();
    let brief: Vec<Value> =
        said.iter().map(|said| serde_json::json!([said["kind"], said["event"], said["form"]])).collect();
    // The fourth call would not have run, so only its refusal is told; and the turn ends where the data end.
    let wanted = serde_json::json!([
        ["repeated", "PostToolUseFailure", "advice"],
        ["guard", "PreToolUse", "refusal"],
        ["stop", "Stop", "advice"],
    ]);
    assert_eq!(Value::from(brief), wanted);
    let ids: Vec<&Value> = said.iter().map(|said| &said["tool_use_ids"]).collect();
    let wanted = serde_json::json!([["t0", "t1", "t2"], ["t3"], ["t5"]]);
    assert_eq!(ids, wanted.as_array().unwrap().iter().collect::<Vec<_>>());
    let after = said[0]["after"].as_array().unwrap();
    let inputs: Vec<&str> = after.iter().map(|ran| ran["input"].as_str().unwrap()).collect();
    assert_eq!(inputs, ["sum --fast", "ls", "pytest -q | tail -3"]);
    assert_eq!((&after[2]["outcome"], &after[2]["result"]), (&"masked_failure".into(), &"failed".into()));
    assert!(said[2]["after"].as_array().unwrap().is_empty());
    for (more, code) in [(["--format", "csv"], 64), (["--against", "classic"], 64), (["--settings", "none"], 0)] {
        assert_eq!(failwise(&[&["replay", "--said", path][..], &more].concat()).status.code(), Some(code), "{more:?}");
    }
}

#[test]
fn what_earlier_sessions_taught_is_listed_once_a_session() {
    let dir = tempfile::tempdir().unwrap();
    let step = |bash: &str, fails: Option<&str>| crate::learning::Step {
        bash: Some(bash.to_owned()),
        fails: fails.map(str::to_owned),
        ..crate::learning::Step::default()
    };
    let flag = || step("gh pr diff 104 --stat", Some("Exit code 1\nunknown flag: --stat"));
    let other = || step("gh pr diff 104 --name-only", None);
    crate::learning::write(&dir.path().join("a.jsonl"), 0, &[flag(), step("gh pr view 104", None), other()]);
    crate::learning::write(&dir.path().join("b.jsonl"), 1, &[flag(), flag(), other(), flag()]);
    let off = dir.path().join("failwise.toml");
    fs::write(&off, "recall = \"off\"\n").unwrap();
    let folder = dir.path().to_str().unwrap();
    let known = |more: &[&str]| {
        let output = failwise(&[&["replay", "--said", folder, "--format", "json"], more].concat());
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        let said = found["said"].as_array().unwrap().clone();
        said.into_iter().filter(|said| said["kind"] == "known").collect::<Vec<_>>()
    };
    let listed = known(&[]);
    assert_eq!(listed.len(), 1, "{listed:?}");
    assert_eq!((&listed[0]["session"], &listed[0]["tool_use_ids"][0]), (&"session-01".into(), &"call-01-00".into()));
    let said = listed[0]["said"].as_str().unwrap();
    assert!(said.contains("Here `--name-only` in its place worked (1 of 1, last 23 hours ago)"), "{said}");
    assert_eq!(known(&["--since", "2026-03-02"]), listed, "what is older taught all the same");
    assert_eq!(known(&["--by-project"]), Vec::<Value>::new(), "each began in a folder of its own");
    assert_eq!(known(&["--settings", off.to_str().unwrap()]), Vec::<Value>::new());
    assert_eq!(failwise(&["replay", folder, "--by-project"]).status.code(), Some(64), "of messages only");
}

#[test]
fn what_cannot_be_replayed_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("notes.txt");
    fs::write(&file, "no session\n").unwrap();
    let output = failwise(&["replay", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(65));
    let missing = failwise(&["replay", dir.path().join("none").to_str().unwrap()]);
    assert_eq!(missing.status.code(), Some(74));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("none"));
    assert_eq!(failwise(&["replay", "x", "--ruleset", "nonsense"]).status.code(), Some(64));
}

#[test]
fn records_of_an_older_plan_tree_are_left_out_and_counted() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("history.jsonl");
    let lines = [
        r#"{"ts":"2026-09-02T08:31:02Z","node":"TASK-00001","event":"execution_failed","tool":"Bash","exit_code":1}"#,
        r#"{"ts":"2026-09-02T08:32:02Z","node":"TASK-00001","event":"execution_failed","tool":"Bash","exit_code":2}"#,
        r#"{"ts":"2026-09-02T08:33:00Z","node":"TASK-00001","event":"execution_completed","tool":"Bash","exit_code":0}"#,
        r#"{"ts":"2026-09-02T08:34:00Z","verb":"next","target":"TASK-00002"}"#,
        r#"{"ts":"2026-09-02T08:35:00Z","node":"TASK-00001","from":"active","to":"done"}"#,
        r#"{"ts":"2026-09-02T08:36:00Z","verb":"plan_create","node":"FEAT-1"}"#,
    ];
    fs::write(&file, lines.join("\n")).unwrap();
    let output = failwise(&["replay", file.to_str().unwrap(), "--format", "json"]);
    let analysis: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(analysis["totals"]["calls"], 0, "{analysis}");
    assert_eq!(analysis["skipped"], serde_json::json!({"a record of an older plan tree": 6}), "{analysis}");
}

/// Of what rows say of episodes a sum counts each once, and rows of the version before are still read.
#[test]
fn rows_tell_the_ends_and_the_costs_of_episodes() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/money/session.jsonl");
    let file = file.to_str().unwrap();
    let text = |arguments: &[&str]| {
        let output = failwise(&[&["replay", file, "--person", "ann", "--format"], arguments].concat());
        String::from_utf8(output.stdout).unwrap()
    };
    let analysis: Value = serde_json::from_str(&text(&["json"])).unwrap();
    let rows: Vec<Value> = text(&["jsonl"]).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let sum = |rows: &[Value], name: &str| -> u64 { rows.iter().filter_map(|row| row[name].as_u64()).sum() };
    let of_kind = |kind: &str| analysis["totals"]["tokens_in_failure"][kind].as_u64().unwrap();
    let tokens: u64 = ["input", "output", "cache_read", "cache_write"].iter().map(|kind| of_kind(kind)).sum();
    assert_eq!(sum(&rows, "tokens"), tokens);
    assert!(sum(&rows, "tokens") > 0 && sum(&rows, "seconds") > 0);
    for row in &rows {
        assert_eq!((&row["row_version"], &row["person"]), (&Value::from(2), &Value::from("ann")));
        assert!(row["ended"].is_string() == row["class"].is_string(), "{row}");
        assert!(row["model"].is_string() || row["class"].is_null(), "{row}");
    }
    // The table of failed calls has the same sums.
    let csv = String::from_utf8(failwise(&["report", file, "--format", "csv", "--person", "ann"]).stdout).unwrap();
    let mut table = csv::Reader::from_reader(csv.as_bytes());
    let names = table.headers().unwrap().clone();
    let column = |name: &str| names.iter().position(|known| known == name).unwrap();
    let cells: Vec<csv::StringRecord> = table.records().map(Result::unwrap).collect();
    for name in ["tokens", "seconds"] {
        let sum_of_cells: u64 = cells.iter().filter_map(|row| row[column(name)].parse::<u64>().ok()).sum();
        assert_eq!(sum_of_cells, sum(&rows, name), "{csv}");
    }
    assert!(cells.iter().all(|row| &row[column("person")] == "ann" && !row[column("model")].is_empty()), "{csv}");
    // Of several rows of one episode one has its cost.
    let of_example = self::rows(&example());
    let (told, all) = (of_example.iter().filter(|row| row["seconds"].is_u64()).count(), of_example.len());
    assert_eq!((told, of_example.iter().filter(|row| row["ended"].is_string()).count(), all), (6, 8, 10));
    // What an older release wrote.
    let mut before = String::new();
    for mut row in rows {
        let fields = row.as_object_mut().unwrap();
        fields.insert("row_version".to_owned(), 1.into());
        fields.retain(|name, _| !["ended", "tokens", "seconds", "model", "person"].contains(&name.as_str()));
        before.extend([row.to_string(), "\n".to_owned()]);
    }
    let home = tempfile::tempdir().unwrap();
    let kept = home.path().join("rows.jsonl");
    let against = |text: &str| {
        fs::write(&kept, text).unwrap();
        failwise(&["replay", file, "--against", kept.to_str().unwrap(), "--check"]).status.code()
    };
    assert_eq!(against(&before), Some(0));
    assert_ne!(against(&before.replacen("\"class\":\"F2\"", "\"class\":\"F3\"", 1)), Some(0), "or nothing was read");
}
