//! Golden rulings: failure events with what the history and the plan say, and the verdict of the real `failwise classify`.
//! `tests/golden/README.md` has the shape of a case.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "writes the trees and starts the executables")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::feeding::feed;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    says: String,
    #[serde(default = "first_task")]
    node: String,
    /// Further lines of nodes' front matter.
    #[serde(default)]
    front: BTreeMap<String, String>,
    /// Lines of a history.
    #[serde(default)]
    history: Vec<Value>,
    /// Calls before, through the real hook.
    #[serde(default)]
    before: Vec<Earlier>,
    event: Value,
    expect: serde_json::Map<String, Value>,
}

/// A call of a node: an edit, or a command that fails with a text, or else passes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Earlier {
    #[serde(default = "first_task")]
    node: String,
    edits: Option<String>,
    run: Option<String>,
    fails: Option<String>,
}

fn first_task() -> String {
    "TASK-00001".to_owned()
}

/// Two stories of one feature; the first has two tasks, of which the first is being worked on and the second is done.
const TREE: [(&str, &str, &str); 7] = [
    ("MISSION", "mission/mission.md", "tier: 0\nintent: Books that balance\nchildren: [FEAT-1]"),
    ("FEAT-1", "features/FEAT-1_csv/feature.md", "tier: 2\nparent: MISSION\nstatus: active"),
    ("STORY-0001", "features/FEAT-1_csv/stories/STORY-0001_read/story.md", "tier: 3\nparent: FEAT-1\nstatus: active"),
    ("STORY-0002", "features/FEAT-1_csv/stories/STORY-0002_draw/story.md", "tier: 3\nparent: FEAT-1\nstatus: active"),
    (
        "TASK-00001",
        "features/FEAT-1_csv/stories/STORY-0001_read/tasks/TASK-00001_rows/task.md",
        "tier: 4\nparent: STORY-0001\nstatus: active",
    ),
    (
        "TASK-00002",
        "features/FEAT-1_csv/stories/STORY-0001_read/tasks/TASK-00002_commas/task.md",
        "tier: 4\nparent: STORY-0001\nstatus: done",
    ),
    (
        "TASK-00003",
        "features/FEAT-1_csv/stories/STORY-0002_draw/tasks/TASK-00003_chart/task.md",
        "tier: 4\nparent: STORY-0002\nstatus: active",
    ),
];

struct Stage {
    home: tempfile::TempDir,
}

impl Stage {
    fn new(case: &Case) -> Self {
        let stage = Self { home: tempfile::tempdir().unwrap() };
        let plans = stage.project().join(".claude/plans");
        fs::create_dir_all(stage.project().join(".git")).unwrap();
        for (id, file, front) in TREE {
            let path = plans.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let more = case.front.get(id).map(String::as_str).unwrap_or_default();
            fs::write(path, format!("---\nid: {id}\n{front}\n{more}\n---\n")).unwrap();
        }
        let active = json!({"schema_version": 1, "active": {"mission": "MISSION", "task": "TASK-00001"}});
        fs::write(plans.join("active.json"), active.to_string()).unwrap();
        crate::trusting::trust(stage.home.path(), &stage.project());
        if !case.history.is_empty() {
            let lines: Vec<String> = case.history.iter().map(Value::to_string).collect();
            fs::write(stage.history(), lines.join("\n")).unwrap();
        }
        stage
    }

    fn project(&self) -> PathBuf {
        self.home.path().join("project")
    }

    fn history(&self) -> PathBuf {
        self.home.path().join("history.jsonl")
    }

    fn command(&self, executable: &str) -> Command {
        let mut command = Command::new(executable);
        command.env_clear().env("HOME", self.home.path()).current_dir(self.project());
        command.env("FAILWISE_DIR", self.home.path());
        command
    }

    fn plays(&self, number: usize, earlier: &Earlier) {
        let root = self.project();
        let mut payload = match (&earlier.edits, &earlier.run) {
            (Some(file), None) => json!({"tool_name": "Edit", "tool_input": {
                "file_path": root.join(file), "old_string": "a", "new_string": "b"}}),
            (None, Some(run)) => json!({"tool_name": "Bash", "tool_input": {"command": run}}),
            _ => panic!("an earlier call edits or runs"),
        };
        let fields = payload.as_object_mut().unwrap();
        let (event, field, ended) = match &earlier.fails {
            Some(text) => ("PostToolUseFailure", "error", format!("Exit code 1\n{text}").into()),
            None => ("PostToolUse", "tool_response", json!({"stdout": "", "stderr": "", "interrupted": false})),
        };
        fields.insert("hook_event_name".to_owned(), event.into());
        fields.insert(field.to_owned(), ended);
        fields.insert("session_id".to_owned(), "s-1".into());
        fields.insert("cwd".to_owned(), json!(root));
        fields.insert("tool_use_id".to_owned(), format!("t{number}").into());
        let mut hook = self.command(env!("CARGO_BIN_EXE_failwise-hook"));
        let output = feed(hook.env("FAILWISE_NODE", &earlier.node), payload.to_string());
        assert!(output.status.success(), "{output:?}");
    }

    fn classifies(&self, ruleset: &str, case: &Case) -> Output {
        let mut command = self.command(env!("CARGO_BIN_EXE_failwise"));
        command.args(["classify", "--ruleset", ruleset, "--node", &case.node]);
        if !case.history.is_empty() {
            command.arg("--history").arg(self.history());
        }
        feed(&mut command, case.event.to_string())
    }
}

/// How often each golden ruling of a ruleset differs, and all that differ.
fn plays(ruleset: &str) -> (usize, Vec<String>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/rulings/{ruleset}.json"));
    let cases: Vec<Case> = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let mut wrong = Vec::new();
    for case in &cases {
        let stage = Stage::new(case);
        for (number, earlier) in case.before.iter().enumerate() {
            stage.plays(number, earlier);
        }
        let output = stage.classifies(ruleset, case);
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        let answer: Value = serde_json::from_str(&out).unwrap_or(Value::Null);
        let differs = case.expect.iter().any(|(field, value)| answer.get(field).unwrap_or(&Value::Null) != value);
        if answer.is_null() || differs {
            wrong.push(format!("{}\n  {out}{}", case.says, String::from_utf8_lossy(&output.stderr)));
        }
    }
    (cases.len(), wrong)
}

#[test]
fn classic_rules_as_the_inherited_text_does() {
    let (count, wrong) = plays("classic");
    assert!(count >= 49, "{count} cases");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn default_rules_as_it_is_defined() {
    let (count, wrong) = plays("default");
    assert!(count >= 40, "{count} cases");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}
