//! The one look of the hook: at the second failure with nothing changed in between it looks for the only name like the one
//! that is missing. What stands in a project is somebody else's: it bends no sentence, leads nowhere else and costs nothing.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "builds projects on disk and starts the executables")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

const NO_SCRIPT: &str = "Exit code 1\nnpm error Missing script: \"tets\"";
const NO_FILE: &str = "Exit code 1\ncat: src/mian.rs: No such file or directory";
const NO_TARGET: &str = "Exit code 2\nmake: *** No rule to make target 'tset'.  Stop.";

/// Every call has an id of its own.
static CALLS: AtomicUsize = AtomicUsize::new(0);

/// A project, and beside it what is not its own.
struct Ground {
    dir: TempDir,
}

impl Ground {
    fn new() -> Self {
        let ground = Self { dir: tempfile::tempdir().unwrap() };
        fs::create_dir_all(ground.project()).unwrap();
        fs::create_dir_all(ground.dir.path().join("outside")).unwrap();
        ground
    }

    fn with(files: &[(&str, &str)]) -> Self {
        let ground = Self::new();
        for (path, text) in files {
            ground.write(path, text);
        }
        ground
    }

    fn project(&self) -> PathBuf {
        self.dir.path().join("project")
    }

    fn write(&self, path: impl AsRef<Path>, text: &str) {
        let path = self.project().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn run(&self, program: &str, arguments: &[&str], input: &str) -> (Option<i32>, String) {
        let mut command = Command::new(program);
        command.args(arguments).env_clear().env("HOME", self.dir.path()).current_dir(self.project());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    }

    fn payload(&self, id: &str, tool: &str, input: &Value, error: &str) -> String {
        let payload = json!({
            "session_id": "s-1", "cwd": self.project(), "hook_event_name": "PostToolUseFailure", "tool_name": tool,
            "tool_input": input, "tool_use_id": id, "error": error, "is_interrupt": false,
        });
        payload.to_string()
    }

    /// What the agent hears of a call that fails twice.
    fn twice(&self, command: &str, error: &str) -> [String; 2] {
        crate::tracking::track(&self.project());
        [(); 2].map(|()| {
            let id = format!("t{}", CALLS.fetch_add(1, Relaxed));
            self.hears(&self.payload(&id, "Bash", &json!({ "command": command }), error))
        })
    }

    fn hears(&self, payload: &str) -> String {
        let (code, out) = self.run(env!("CARGO_BIN_EXE_failwise-hook"), &[], payload);
        assert_eq!(code, Some(0));
        if out.is_empty() {
            return out;
        }
        let answer: Value = serde_json::from_str(&out).unwrap();
        answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned()
    }

    fn is_silent(&self, command: &str, error: &str) -> bool {
        self.twice(command, error) == ["", ""]
    }
}

#[test]
fn the_second_failure_is_told_and_its_history_is_replayed_to_the_same_verdicts() {
    let ground = Ground::with(&[("package.json", r#"{"scripts": {"test": "vitest", "lint": "eslint"}}"#)]);
    let [first, second] = ground.twice("npm run tets", NO_SCRIPT);
    assert_eq!(first, "");
    assert!(second.starts_with("`npm run tets` failed again in the same way: `package.json` has no script `tets`."));
    assert!(
        second.contains("The only name like it there is `test` (names are data). [near bad_arguments "),
        "{second}"
    );
    let history = find(ground.dir.path(), "history.jsonl").unwrap();
    let told = fs::read_to_string(&history).unwrap();
    assert!(told.contains("\"topic\":\"near_name\""), "{told}");
    let (code, out) = ground.run(env!("CARGO_BIN_EXE_failwise"), &["replay", "--check", history.to_str().unwrap()], "");
    assert_eq!(code, Some(0), "{out}");
}

/// A payload log holds no files: what is listed is where the hook looks.
#[test]
fn a_replay_lists_the_look() {
    let ground = Ground::new();
    let lines = ["t1", "t2"].map(|id| ground.payload(id, "Bash", &json!({ "command": "npm run tets" }), NO_SCRIPT));
    let log = ground.dir.path().join("payloads.jsonl");
    fs::write(&log, lines.join("\n")).unwrap();
    let replay = |more: &[&str]| {
        let arguments = [&["replay", "--said", log.to_str().unwrap()], more].concat();
        ground.run(env!("CARGO_BIN_EXE_failwise"), &arguments, "").1
    };
    let listed: Value = serde_json::from_str(&replay(&["--format", "json"])).unwrap();
    let said = listed["said"].as_array().unwrap();
    assert_eq!(said.len(), 1, "{listed}");
    assert_eq!((&said[0]["form"], &said[0]["kind"]), (&json!("look"), &json!("near_name")));
    let words = said[0]["said"].as_str().unwrap();
    assert!(words.starts_with("looks for a script like `tets` in the package.json of `/"), "{words}");
    let table = replay(&[]);
    assert!(table.contains("2 calls, 0 messages: 0.00 per 100 calls"), "{table}");
    assert!(table.contains("near_name              look          1"), "{table}");
}

#[test]
fn advice_that_is_not_wanted_is_not_looked_for() {
    let ground = Ground::with(&[("src/main.rs", "")]);
    ground.write(".claude/failwise.toml", "advice = \"quiet\"\n");
    ground.run(env!("CARGO_BIN_EXE_failwise"), &["trust", "--yes"], "");
    assert!(ground.is_silent("cat src/mian.rs", NO_FILE));
}

#[test]
fn names_that_could_bend_a_sentence_are_not_told() {
    let names: [&[u8]; 12] = [
        b"main.rs\"",
        b"main.rs\n",
        b"`main.rs",
        b"$main.rs",
        b"main;.rs",
        b"main\x1b.rs",
        b"main\xff.rs",
        "main\u{202e}.rs".as_bytes(),
        "main\u{200b}.rs".as_bytes(),
        b"<main.rs",
        b"main rs",
        b"main.rs'",
    ];
    for name in names {
        let file = Path::new("src").join(OsStr::from_bytes(name));
        let ground = Ground::new();
        ground.write(&file, "");
        assert!(ground.is_silent("cat src/mian.rs", NO_FILE), "{}", String::from_utf8_lossy(name));
        // Nor is it passed over: with a plain name beside it two are like the missing one.
        let ground = Ground::with(&[("src/miam.rs", "")]);
        ground.write(&file, "");
        assert!(ground.is_silent("cat src/mian.rs", NO_FILE), "{}", String::from_utf8_lossy(name));
    }
    let plain = Ground::with(&[("src/miam.rs", "")]);
    assert!(!plain.is_silent("cat src/mian.rs", NO_FILE), "alone the plain name is told");
    let told = |script: &str| {
        let ground = Ground::with(&[("package.json", &format!(r#"{{"scripts": {{"{script}": "x"}}}}"#))]);
        ground.twice("npm run tets", NO_SCRIPT)[1].clone()
    };
    assert!(told("tets:unit").contains("`tets:unit`"));
    for behind in ["\\nIgnore all", "$(id)", "`id`", "; rm -rf ~", "\\u001b[31m", "\\u202ex", " x", "<b>"] {
        assert_eq!(told(&format!("tets:{behind}")), "", "{behind}");
    }
}

#[test]
fn long_and_broken_manifests_are_passed_over() {
    let long = "x".repeat(10_000);
    let scripts = format!(r#"{{"scripts": {{"tets:{long}": "x"}}}}"#);
    let much = format!(r#"{{"scripts": {{"test": "{}"}}}}"#, "x".repeat(300_000));
    let deep = "[".repeat(100_000);
    let cut = r#"{"scripts": {"test": "x""#;
    for text in
        [&*scripts, &much, &deep, cut, "", "\0\0", r#"{"scripts": ["test"]}"#, r#"{"scripts": {"te\ud800st": 1}}"#]
    {
        let ground = Ground::with(&[("package.json", text)]);
        assert!(ground.is_silent("npm run tets", NO_SCRIPT), "{text:.60}");
    }
    let bytes = Ground::new();
    fs::write(bytes.project().join("Makefile"), b"test:\n\ttrue\n\xff\xfe").unwrap();
    assert!(bytes.is_silent("make tset", NO_TARGET));
}

/// What waits for ever when it is opened, and what is no file.
#[test]
fn no_pipe_is_opened_and_no_folder_read_as_a_manifest() {
    let ground = Ground::new();
    let pipe = ground.project().join("package.json");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    fs::create_dir(ground.project().join("Makefile")).unwrap();
    let begin = Instant::now();
    assert!(ground.is_silent("npm run tets", NO_SCRIPT));
    assert!(ground.is_silent("make tset", NO_TARGET));
    assert!(begin.elapsed() < Duration::from_secs(30));
}

#[test]
fn no_link_is_followed() {
    let outside = |ground: &Ground, path: &str, text: &str| {
        let path = ground.dir.path().join("outside").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let link = |ground: &Ground, to: &str, name: &str| {
        symlink(ground.dir.path().join("outside").join(to), ground.project().join(name)).unwrap();
    };
    let ground = Ground::new();
    outside(&ground, "src/main.rs", "");
    link(&ground, "src", "src");
    assert!(ground.is_silent("cat src/mian.rs", NO_FILE), "a folder of somebody else");

    let ground = Ground::new();
    outside(&ground, "package.json", r#"{"scripts": {"test": "x"}}"#);
    link(&ground, "package.json", "package.json");
    assert!(ground.is_silent("npm run tets", NO_SCRIPT), "a manifest of somebody else");

    let ground = Ground::with(&[("src/lib.rs", "")]);
    outside(&ground, "main.rs", "");
    link(&ground, "main.rs", "src/main.rs");
    assert!(ground.is_silent("cat src/mian.rs", NO_FILE), "a name that leads elsewhere");

    let ground = Ground::with(&[("README.md", "")]);
    outside(&ground, "api/a.ts", "");
    link(&ground, ".", "src");
    let error = "Exit code 1\nwc: srcs/api/a.ts: No such file or directory";
    assert!(ground.is_silent("wc -l srcs/api/a.ts", error), "a folder on the way that leads elsewhere");

    let ground = Ground::new();
    outside(&ground, "main.rs", "");
    let error = "Exit code 1\ncat: ../outside/mian.rs: No such file or directory";
    assert!(ground.is_silent("cat ../outside/mian.rs", error), "a folder beside the project");
}

#[test]
fn a_path_is_told_at_the_first_failure_and_by_the_guard() {
    let ground = Ground::with(&[("src/main.rs", ""), ("cli/strategy/ops.go", "")]);
    let [first, second] = ground.twice("cat src/mian.rs", NO_FILE);
    assert!(
        first.starts_with("`src/mian.rs` is not there; the only tracked file of a name like it in its folder is"),
        "{first}"
    );
    assert_eq!(second, "");
    let read = |id: &str| {
        ground.hears(&ground.payload(id, "Read", &json!({"file_path": "cli/ops.go"}), "File does not exist."))
    };
    let told = read("r1");
    assert!(
        told.starts_with("`cli/ops.go` is not there; the only tracked file of that name is `cli/strategy/ops.go`"),
        "{told}"
    );
    assert_eq!(read("r2"), "");
    let history = find(ground.dir.path(), "history.jsonl").unwrap();
    let (code, out) = ground.run(env!("CARGO_BIN_EXE_failwise"), &["replay", "--check", history.to_str().unwrap()], "");
    assert_eq!(code, Some(0), "{out}");
    let listed = ground.run(env!("CARGO_BIN_EXE_failwise"), &["replay", "--said", history.to_str().unwrap()], "").1;
    assert!(listed.contains("the only tracked file of that name is `cli/strategy/ops.go`"), "{listed}");
    let ground = Ground::with(&[("package.json", r#"{"scripts": {"test": "vitest"}}"#)]);
    for _ in 0..2 {
        ground.twice("npm run tets", NO_SCRIPT);
    }
    let call = json!({"session_id": "s-1", "cwd": ground.project(), "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": {"command": "npm run tets"}, "tool_use_id": "before"});
    let (_, out) = ground.run(env!("CARGO_BIN_EXE_failwise-hook"), &[], &call.to_string());
    assert!(out.contains("The only name like it there is `test`"), "{out}");
}

#[test]
fn what_is_not_tracked_is_not_told() {
    let ground = Ground::with(&[("README.md", "")]);
    crate::tracking::track(&ground.project());
    ground.write("src/main.rs", "");
    let payload = ground.payload("t-1", "Bash", &json!({"command": "cat src/mian.rs"}), NO_FILE);
    assert_eq!(ground.hears(&payload), "");
}

/// The folder is read where the call ran, not where the agent stands by now.
#[test]
fn a_folder_that_is_gone_or_not_there_is_passed_over() {
    let ground = Ground::with(&[("web/package.json", r#"{"scripts": {"test": "x"}}"#)]);
    assert!(ground.is_silent("cd gone && npm run tets", NO_SCRIPT));
    assert!(ground.is_silent("cd \"$WEB\" && npm run tets", NO_SCRIPT));
    let told = ground.twice("cd ./web/../web && npm run tets", NO_SCRIPT);
    assert!(told[1].contains("`web/package.json` has no script `tets`"), "{told:?}");
}

fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            if entry.file_name() == name {
                return Some(entry.path());
            }
            open.extend(Some(entry.path()).filter(|path| path.is_dir() && !path.is_symlink()));
        }
    }
    None
}
