//! What must outlive any refactoring: whatever the hook is given, it answers with one JSON object or nothing, exits 0,
//! and writes nothing but its history and state.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "starts the executables and looks at the files they leave")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::feeding::feed;

fn hook(input: &[u8], home: &Path, env: &[(&str, &Path)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_failwise-hook"));
    command.env_clear().env("HOME", home).current_dir(home);
    for (name, value) in env {
        command.env(name, value);
    }
    feed(&mut command, input)
}

fn failwise(arguments: &[&str], input: &[u8], home: &Path, dir: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_failwise"));
    command.args(arguments).env_clear().env("HOME", home).env("FAILWISE_DIR", dir).current_dir(home);
    feed(&mut command, input)
}

/// A payload of a failing shell call in a project.
fn failing(project: &Path, id: &str, command: &str, error: &str) -> Vec<u8> {
    serde_json::json!({
        "session_id": "s-1", "transcript_path": "", "cwd": project, "hook_event_name": "PostToolUseFailure",
        "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": id, "error": error, "is_interrupt": false,
    })
    .to_string()
    .into_bytes()
}

/// Every file below a folder with its content.
fn tree(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(&dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { open.push(path) } else { drop(files.insert(path.clone(), fs::read(&path).unwrap())) }
        }
    }
    files
}

fn project_in(home: &Path) -> PathBuf {
    let project = home.join("project");
    fs::create_dir_all(project.join(".git")).unwrap();
    fs::create_dir_all(project.join("src")).unwrap();
    fs::write(project.join("src/main.rs"), "fn main() {}\n").unwrap();
    project
}

#[test]
fn only_history_and_state_are_written() {
    let home = tempfile::tempdir().unwrap();
    let project = project_in(home.path());
    let before = tree(home.path());
    for id in ["a", "b", "c"] {
        let output = hook(&failing(&project, id, "make run", "Exit code 2\nmake: *** No rule"), home.path(), &[]);
        assert!(output.status.success());
    }
    let after = tree(home.path());
    let own = home.path().join(".local/state/failwise/projects");
    let strange: Vec<&PathBuf> = after
        .iter()
        .filter(|(path, bytes)| before.get(*path) != Some(*bytes))
        .map(|(path, _)| path)
        .filter(|path| !path.starts_with(&own))
        .collect();
    assert!(strange.is_empty(), "written outside the history: {strange:?}");
    assert!(before.keys().all(|path| after.contains_key(path)), "a file was taken away");
    let names: Vec<&str> = after
        .keys()
        .filter(|path| path.starts_with(&own))
        .map(|path| path.file_name().unwrap().to_str().unwrap())
        .filter(|name| !matches!(*name, "history.jsonl" | "history.lock") && !name.contains(".json"))
        .collect();
    assert!(names.is_empty(), "neither history nor state: {names:?}");
}

#[test]
fn the_commands_write_nothing() {
    let home = tempfile::tempdir().unwrap();
    let project = project_in(home.path());
    let dir = home.path().join("history");
    hook(&failing(&project, "a", "make run", "Exit code 2\nmake: *** No rule"), home.path(), &[("FAILWISE_DIR", &dir)]);
    let before = tree(home.path());
    let payload = failing(&project, "b", "make run", "Exit code 2\nmake: *** No rule");
    assert_eq!(failwise(&["classify", "--explain"], &payload, home.path(), &dir).status.code(), Some(0));
    let history = dir.join("history.jsonl");
    assert!(failwise(&["replay", history.to_str().unwrap()], b"", home.path(), &dir).status.success());
    assert!(failwise(&["config"], b"", home.path(), &dir).status.success());
    failwise(&["doctor"], b"", home.path(), &home.path().join("nowhere/yet"));
    assert!(tree(home.path()) == before, "something was written");
}

#[test]
fn any_input_is_answered_with_one_object_or_nothing() {
    let home = tempfile::tempdir().unwrap();
    let project = project_in(home.path());
    let good = failing(&project, "x", "cargo test", "Exit code 101\nerror[E0425]: cannot find value `x` in this scope");
    let mut inputs: Vec<Vec<u8>> = vec![
        b"".to_vec(),
        b"\n\n".to_vec(),
        b"null".to_vec(),
        b"[]".to_vec(),
        b"{}".to_vec(),
        b"\"text\"".to_vec(),
        b"{\"hook_event_name\":\"PostToolUseFailure\"}".to_vec(),
        b"{\"hook_event_name\":\"NoSuchEvent\",\"cwd\":\"/\"}".to_vec(),
        b"{\"hook_event_name\":7,\"tool_name\":[],\"tool_input\":null}".to_vec(),
        b"\xff\xfe\x00\x01 not text".to_vec(),
        [b"\xef\xbb\xbf".as_slice(), &good, b"\r\n"].concat(),
        [good.as_slice(), b"trailing"].concat(),
        "[".repeat(200_000).into_bytes(),
        format!("{{\"a\":{}1{}}}", "[".repeat(50_000), "]".repeat(50_000)).into_bytes(),
        good.iter().map(|byte| if *byte == b'm' { 0 } else { *byte }).collect(),
        String::from_utf8(good.clone()).unwrap().replace("cargo test", "\\ud800 \\u0000 \\u202e").into_bytes(),
        failing(&project, "../../../../etc/passwd", "x", "Exit code 99999999999999999999\n"),
        failing(&project, "y", &"(".repeat(100_000), &format!("Exit code 1\n{}", "é".repeat(300_000))),
    ];
    inputs.extend((0..good.len()).step_by(7).map(|end| good[..end].to_vec()));
    for input in inputs {
        let shown = String::from_utf8_lossy(&input[..input.len().min(120)]).into_owned();
        let output = hook(&input, home.path(), &[]);
        assert_eq!(output.status.code(), Some(0), "{shown}");
        let out = String::from_utf8(output.stdout).expect("stdout is text");
        assert!(out.is_empty() || serde_json::from_str::<serde_json::Map<_, _>>(&out).is_ok(), "{shown}: {out}");
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!err.contains("internal error"), "{shown}: {err}");
        assert!(err.lines().count() <= 1, "{shown}: {err}");
    }
}

#[test]
fn a_history_that_cannot_be_written_stops_nothing() {
    let home = tempfile::tempdir().unwrap();
    let project = project_in(home.path());
    let payload = failing(&project, "a", "make", "Exit code 2");
    let file = home.path().join("a-file");
    fs::write(&file, "x").unwrap();
    let taken = home.path().join("taken");
    fs::create_dir_all(taken.join("history.jsonl")).unwrap();
    let linked = home.path().join("linked");
    fs::create_dir_all(&linked).unwrap();
    std::os::unix::fs::symlink(&file, linked.join("history.jsonl")).unwrap();
    for dir in [file.join("below"), taken, linked] {
        let output = hook(&payload, home.path(), &[("FAILWISE_DIR", &dir)]);
        assert_eq!(output.status.code(), Some(0), "{}", dir.display());
        assert!(output.stdout.is_empty(), "{}", dir.display());
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(err.starts_with("failwise-hook: "), "{err}");
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "x", "nothing is written through a link");
}

#[test]
fn the_switch_switches_off() {
    let home = tempfile::tempdir().unwrap();
    let project = project_in(home.path());
    let before = tree(home.path());
    let output = hook(&failing(&project, "a", "make", "Exit code 2"), home.path(), &[("FAILWISE", Path::new("off"))]);
    assert!(output.status.success() && output.stdout.is_empty() && output.stderr.is_empty());
    assert!(tree(home.path()) == before, "something was written");
}

#[test]
fn the_same_end_of_a_call_is_recorded_once() {
    let home = tempfile::tempdir().unwrap();
    let project = project_in(home.path());
    let dir = home.path().join("history");
    for _ in 0..3 {
        hook(&failing(&project, "a", "make", "Exit code 2"), home.path(), &[("FAILWISE_DIR", &dir)]);
    }
    let history = fs::read_to_string(dir.join("history.jsonl")).unwrap();
    assert_eq!(history.lines().count(), 2, "{history}");
}

/// `PostToolUse` starts no hook for a file that is read, so the batch has to tell of it; anything else has its own event.
#[test]
fn the_batch_tells_of_files_that_were_read() {
    let home = tempfile::tempdir().unwrap();
    let project = project_in(home.path());
    let batch = serde_json::json!({
        "session_id": "s-1", "transcript_path": "", "cwd": project, "hook_event_name": "PostToolBatch", "tool_calls": [
            {"tool_name": "Read", "tool_input": {"file_path": "src/main.rs"}, "tool_use_id": "read", "tool_response": "1\tfn main() {}\n"},
            {"tool_name": "Read", "tool_input": {"file_path": "src/lost.rs"}, "tool_use_id": "lost", "tool_response": "File does not exist."},
            {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "ran", "tool_response": "src"},
        ],
    });
    let dir = home.path().join("kept");
    hook(batch.to_string().as_bytes(), home.path(), &[("FAILWISE_DIR", &dir)]);
    let history = fs::read_to_string(dir.join("history.jsonl")).unwrap();
    let events: Vec<serde_json::Value> = history.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let told: Vec<(&str, &str)> =
        events.iter().map(|event| (event["tool_use_id"].as_str().unwrap(), event["event"].as_str().unwrap())).collect();
    assert_eq!(told, [("read", "execution_completed"), ("lost", "execution_failed"), ("lost", "failure_classified")]);
}

#[test]
fn exit_codes_of_classify_are_kept() {
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join("none");
    let run = |arguments: &[&str], input: &[u8]| {
        let output = failwise(arguments, input, home.path(), &dir);
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let failed = run(&["classify"], br#"{"tool":"Bash","exit_code":2,"stderr_tail":"boom"}"#);
    assert_eq!(failed.0, Some(0), "{}", failed.1);
    let (code, out) = run(&["classify"], br#"{"tool":"Bash","exit_code":0,"stderr_tail":""}"#);
    assert_eq!(code, Some(3));
    let answer: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((answer["class"].is_null(), answer["outcome"].as_str()), (true, Some("succeeded")));
    assert_eq!(run(&["classify"], b"no json").0, Some(65));
    assert_eq!(run(&["classify", "--no-such-flag"], b"").0, Some(64));
    let lines = b"{\"tool\":\"Bash\",\"exit_code\":1}\nnonsense\n{\"tool\":\"Bash\",\"exit_code\":0}\n";
    let (code, out) = run(&["classify", "--jsonl"], lines);
    let answers: Vec<serde_json::Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((code, answers.len()), (Some(0), 3));
    assert!(answers[0]["class"].is_string() && answers[1]["error"].is_string() && answers[2]["class"].is_null());
}
