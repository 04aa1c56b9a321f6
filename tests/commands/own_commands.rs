//! An agent that runs `failwise` itself: each documented exit code is an answer or a refusal to the hook, never a failure
//! of the work.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "starts the executables and looks at the history")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::feeding::feed;
use serde_json::{Value, json};

struct Stage {
    dir: tempfile::TempDir,
}

impl Stage {
    fn new() -> Self {
        let stage = Self { dir: tempfile::tempdir().unwrap() };
        fs::create_dir_all(stage.path("project/.git")).unwrap();
        stage
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn run(&self, program: &str, arguments: &[&str], input: &str) -> Output {
        let mut command = Command::new(program);
        command.args(arguments).env_clear().env("HOME", self.dir.path()).env("FAILWISE_DIR", self.path("history"));
        feed(command.current_dir(self.path("project")), input)
    }

    fn failwise(&self, arguments: &str, input: &str) -> Output {
        self.run(env!("CARGO_BIN_EXE_failwise"), &arguments.split(' ').collect::<Vec<_>>(), input)
    }

    /// The hook is told of a shell call that ended with this code and said this. What it answered.
    fn hook(&self, id: &str, command: &str, code: i32, said: &str) -> String {
        let payload = json!({
            "session_id": "s-1", "transcript_path": "", "cwd": self.path("project"), "tool_name": "Bash",
            "hook_event_name": "PostToolUseFailure", "tool_input": { "command": command }, "tool_use_id": id,
            "error": format!("Exit code {code}\n{said}"), "is_interrupt": false,
        });
        let output = self.run(env!("CARGO_BIN_EXE_failwise-hook"), &[], &payload.to_string());
        String::from_utf8(output.stdout).unwrap()
    }

    fn history(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.path("history/history.jsonl")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn write(&self, file: &str, text: &str) {
        let file = self.path("project").join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
}

/// A tree with two tasks that plan the same function, both taken.
fn plan(stage: &Stage) {
    let node = |tier: u8, id: &str, parent: &str, more: &str| {
        format!("---\nid: {id}\ntier: {tier}\nparent: {parent}\nstatus: active\nrevision: 1\n{more}\n---\n")
    };
    let write = |file: &str, text: &str| stage.write(&format!(".claude/plans/{file}"), text);
    write("active.json", r#"{"active":{"mission":"MISSION"}}"#);
    write("mission.md", "---\nid: MISSION\ntier: 0\nchildren: [FEAT-1]\n---\n");
    write("features/FEAT-1/feature.md", &node(2, "FEAT-1", "MISSION", "children: [STORY-0001]"));
    let story = "features/FEAT-1/stories/STORY-0001";
    write(&format!("{story}/story.md"), &node(3, "STORY-0001", "FEAT-1", "children: [TASK-00001, TASK-00002]"));
    for id in ["TASK-00001", "TASK-00002"] {
        let artifacts = "artifacts: [{path: src/a.rs, functions: [f]}]";
        write(&format!("{story}/tasks/{id}.md"), &node(4, id, "STORY-0001", artifacts));
    }
    crate::trusting::trust(stage.dir.path(), &stage.path("project"));
}

/// A history with a verdict that the rules would not give.
const TAMPERED: &str = "tampered.jsonl";

fn tampered(stage: &Stage) {
    let other = Stage::new();
    other.hook("t1", "make chart", 2, "make: *** No rule to make target 'chart'.  Stop.");
    let text = fs::read_to_string(other.path("history/history.jsonl")).unwrap();
    assert!(text.contains("\"class\":\"F2\""));
    stage.write(TAMPERED, &text.replace("\"class\":\"F2\"", "\"class\":\"F4\""));
}

#[test]
fn no_documented_exit_code_is_a_failure_of_the_work() {
    let stage = Stage::new();
    plan(&stage);
    tampered(&stage);
    stage.write(".claude/settings.json", r#"{"disableAllHooks": true}"#);
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/session.jsonl");
    fs::copy(example, stage.path("project/session.jsonl")).unwrap();
    let passed = r#"{"tool":"Bash","exit_code":0}"#;
    for (arguments, input, code) in [
        ("plan next", "", 1),
        ("plan validate", "", 1),
        ("plan done STORY-0001", "", 1),
        ("plan conflicts scan", "", 1),
        ("allow --yes", "", 1),
        ("doctor", "", 1),
        ("replay tampered.jsonl --check", "", 1),
        ("replay session.jsonl --against classic --check", "", 1),
        ("classify", passed, 3),
        ("decide", r#"{"class":null,"outcome":"denied"}"#, 3),
        ("plan claim NOBODY-1", "", 1),
        ("replay session.jsonl --format nonsense", "", 64),
        ("rules test no-such-page", "", 1),
        ("classify", "no JSON", 65),
        ("report tampered.txt", "", 74),
    ] {
        let output = stage.failwise(arguments, input);
        let said = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).concat();
        assert_eq!(output.status.code(), Some(code), "{arguments}: {said}");
        for (number, command) in [
            format!("failwise {arguments}"),
            format!("cd {} && failwise {arguments} 2>&1", stage.path("project").display()),
            format!("~/.local/bin/failwise {arguments}"),
        ]
        .iter()
        .enumerate()
        {
            let id = format!("{arguments} {code} {number}");
            assert_eq!(stage.hook(&id, command, code, &said), "", "{command}: {said}");
        }
    }
    let history = stage.history();
    let calls: Vec<&Value> = history.iter().filter(|event| event["tool"] == "Bash").collect();
    let others: Vec<&&Value> = calls.iter().filter(|event| event["outcome"] != "benign_non_zero").collect();
    assert!(others.is_empty(), "{others:#?}");
    assert_eq!(calls.len(), 3 * 15);
}

#[test]
fn what_is_no_exit_code_of_its_own_is_a_failure_still() {
    let stage = Stage::new();
    for (id, command, code, said) in [
        ("a", "failwise report", 127, "sh: failwise: command not found"),
        ("b", "failwise report", 101, "thread 'main' panicked at src/main.rs:1:1:\nbroken"),
        ("c", "failwise plan validate && make chart", 2, "make: *** No rule to make target 'chart'.  Stop."),
    ] {
        stage.hook(id, command, code, said);
    }
    let failed = stage.history().iter().filter(|event| event["event"] == "execution_failed").count();
    assert_eq!(failed, 3, "{:#?}", stage.history());
}

#[test]
fn config_says_what_of_a_projects_file_waits_for_trust() {
    let stage = Stage::new();
    stage.write(".claude/failwise.toml", "guard = \"off\"\n");
    let told = |arguments: &str| String::from_utf8(stage.failwise(arguments, "").stdout).unwrap();
    assert!(
        told("config").contains("`guard = off` waits for `failwise trust`, and does not count"),
        "{}",
        told("config")
    );
    let all: Value = serde_json::from_str(&told("config --format json")).unwrap();
    assert!(all["problems"][0].as_str().unwrap().contains("waits for `failwise trust`"), "{all}");
    crate::trusting::trust(stage.dir.path(), &stage.path("project"));
    assert!(!told("config").contains("waits"), "{}", told("config"));
}
