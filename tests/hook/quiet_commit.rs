//! A commit that is asked to be quiet does not tell whether it was made: the log of the repository does.

#![expect(clippy::disallowed_methods, reason = "builds repositories on disk and starts the executables")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::feeding::feed;

const FAILED: &str = "FAILED tests/test_tide.py::test_total - assert 1 == 2\n1 failed in 0.12s";

/// A repository with one commit of yesterday, below a home of its own.
fn repository() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    git(dir.path(), &["init", "-q", "tide"], None);
    git(&dir.path().join("tide"), &["commit", "-q", "--allow-empty", "-m", "one"], Some("2026-01-01T00:00:00Z"));
    dir
}

fn git(dir: &Path, arguments: &[&str], at: Option<&str>) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=A", "-c", "user.email=a@example.org", "-C"]).arg(dir).args(arguments);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").envs(at.map(|at| ("GIT_COMMITTER_DATE", at)));
    assert!(command.status().unwrap().success(), "{arguments:?}");
}

/// What the agent hears of calls that exited 0, each with what it printed.
fn hears(home: &Path, calls: &[(&str, &str)]) -> Vec<String> {
    let hear = |(at, (command, printed)): (usize, &(&str, &str))| {
        let payload = json!({
            "session_id": "s-1", "cwd": home.join("tide"), "hook_event_name": "PostToolUse", "tool_name": "Bash",
            "tool_use_id": format!("t{at}"), "tool_input": { "command": command },
            "tool_response": { "stdout": printed, "stderr": "", "interrupted": false, "isImage": false },
        });
        let mut hook = Command::new(env!("CARGO_BIN_EXE_failwise-hook"));
        hook.env_clear().env("HOME", home).stdin(Stdio::piped()).stdout(Stdio::piped());
        let answer = feed(&mut hook, payload.to_string().as_bytes());
        let said: Value = serde_json::from_slice(&answer.stdout).unwrap_or_default();
        said["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
    };
    calls.iter().enumerate().map(hear).collect()
}

#[test]
fn a_commit_that_a_hook_refused_in_silence_did_not_follow() {
    let line = ("pytest 2>&1 | tail -2; git add -A; git commit -qm two", FAILED);
    let apart = [("pytest 2>&1 | tail -2", FAILED), ("git add -A; git commit -qm two; git status -s", "A  tide.py")];
    for is_made in [true, false] {
        for calls in [&[line][..], &apart] {
            let home = repository();
            if is_made {
                git(&home.path().join("tide"), &["commit", "-q", "--allow-empty", "-m", "two"], None);
            }
            let said = hears(home.path(), calls).concat();
            assert_eq!(said.contains("`git commit` followed"), is_made, "{calls:?}: {said}");
        }
    }
    // Without a log nothing is known, and what the line says counts.
    let home = repository();
    fs::remove_dir_all(home.path().join("tide/.git/logs")).unwrap();
    assert!(hears(home.path(), &[line]).concat().contains("`git commit` followed"));
}
