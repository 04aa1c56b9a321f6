//! Replay: every marked result has its row, recorded verdicts are checked, identical input gives identical bytes.

#![cfg(all(unix, feature = "cli"))]
#![expect(clippy::disallowed_methods, reason = "starts the executable and reads its input")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

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
    let data = std::env::var_os("FAILWISE_DATA").map(PathBuf::from);
    let data = data.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"));
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

#[test]
fn the_readme_shows_what_the_command_prints() {
    let readme = fs::read_to_string(example().with_file_name("../README.md")).unwrap();
    let shown = readme.split("$ failwise replay examples/session.jsonl\n").nth(1).unwrap().split("```").next().unwrap();
    let output = failwise(&["replay", example().to_str().unwrap()]);
    assert_eq!(shown.trim_end(), String::from_utf8(output.stdout).unwrap().trim_end());
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
