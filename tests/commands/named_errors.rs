//! Whatever file or folder a command cannot use, its error names it. As a person sees it, and as root: the trouble is
//! something in the way, not a right that is missing.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "starts the executables and puts files in their way")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// What stderr says of a run that fails for the sake of a file.
fn told(executable: &str, arguments: &[&str], env: &[(&str, &Path)], home: &Path, input: &str) -> String {
    let mut command = Command::new(executable);
    command.args(arguments).env_clear().env("HOME", home).envs(env.iter().copied()).current_dir(home.join("project"));
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = piped.spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap()
}

/// A home folder with a project, and in it a file `wall` where commands look for a folder.
fn home() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(home.path().join("project/.git")).unwrap();
    std::fs::write(home.path().join("project/wall"), "").unwrap();
    home
}

#[test]
fn a_command_names_the_file_that_it_cannot_use() {
    let home = home();
    let session = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/session.jsonl");
    let session = session.to_str().unwrap();
    let cases: &[(&[&str], &str)] = &[
        (&["report", session, "-o", "wall/report.html"], "wall/report.html"),
        (&["report", session, "--format", "md", "-o", "gone/report.md"], "gone/report.md"),
        (&["replay", "wall/session.jsonl"], "wall/session.jsonl"),
        (&["replay", session, "--against", "wall/rows.jsonl"], "wall/rows.jsonl"),
        (&["classify", "--history", "wall/history.jsonl"], "wall/history.jsonl"),
        (&["plan", "--plans", "wall", "status"], "wall"),
    ];
    for (arguments, file) in cases {
        let told =
            told(env!("CARGO_BIN_EXE_failwise"), arguments, &[], home.path(), r#"{"tool":"Bash","exit_code":1}"#);
        assert!(told.contains(file), "{arguments:?}: {told}");
        let error = told.lines().find(|line| line.contains(file)).unwrap();
        assert_eq!(error.matches(file).count(), 1, "{arguments:?} names it twice: {told}");
    }
}

/// A history that cannot be read is another thing than one without a refused call.
#[test]
fn a_folder_in_the_place_of_the_history_is_named() {
    let home = home();
    std::fs::create_dir_all(home.path().join("data/history.jsonl")).unwrap();
    let data = home.path().join("data");
    let told = told(env!("CARGO_BIN_EXE_failwise"), &["allow", "--yes"], &[("FAILWISE_DIR", &data)], home.path(), "");
    assert!(told.contains("data/history.jsonl: "), "{told}");
}

/// A pipe that nobody writes to is not waited for, and a file without an end is not read: each command refuses at once.
#[test]
fn a_pipe_and_an_endless_file_are_refused() {
    let home = home();
    let pipe = home.path().join("project/pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for file in [pipe.to_str().unwrap(), "/dev/zero"] {
        for arguments in [
            &["result", file][..],
            &["diagnose", "--history", file],
            &["diagnose", "--jsonl", "--history", file],
            &["kb", "import", file],
            &["render", file],
            &["tests", "import", file],
            &["replay", file, "--settings", file],
            &["run", file],
        ] {
            let mut command = Command::new("timeout");
            command.args(["20", env!("CARGO_BIN_EXE_failwise")]).args(arguments);
            command
                .env_clear()
                .env("HOME", home.path())
                .env("PATH", "/usr/bin:/bin")
                .current_dir(home.path().join("project"));
            let output = command.stdin(Stdio::null()).output().unwrap();
            assert_eq!(output.status.code(), Some(74), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
            let all = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
            assert!(all.contains("not a regular file"), "{arguments:?}: {all}");
        }
    }
}

/// What the hook writes, commands write too, without the crate that names files for them.
#[test]
fn what_commands_share_with_the_hook_is_named_too() {
    let home = home();
    let failwise = env!("CARGO_BIN_EXE_failwise");
    // `failwise init` with a file in the way of its folder.
    std::fs::write(home.path().join("project/.claude"), "").unwrap();
    let of_init = told(failwise, &["data", "init"], &[], home.path(), "");
    assert!(of_init.contains("project/.claude/failwise"), "{of_init}");

    // A history that cannot be made, for a command and for the hook.
    let dir = home.path().join("project/wall/history");
    let env: &[(&str, &Path)] = &[("FAILWISE_DIR", &dir)];
    let payload = r#"{"hook_event_name":"PostToolUseFailure","cwd":"/","session_id":"s","tool_name":"Bash",
        "tool_use_id":"t","tool_input":{"command":"make"},"error":"Exit code 2\nmake: no rule to make `x`"}"#;
    let of_hook = told(env!("CARGO_BIN_EXE_failwise-hook"), &[], env, home.path(), payload);
    assert!(of_hook.contains("wall/history"), "{of_hook}");
    assert_eq!(of_hook.matches("wall/history").count(), 1, "{of_hook}");
    let verdict = r#"{"class":"F1","node_id":"session/s","operation":"Bash: make"}"#;
    let of_decide = told(failwise, &["decide"], env, home.path(), verdict);
    assert!(of_decide.contains("wall/history"), "{of_decide}");
}
