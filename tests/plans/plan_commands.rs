//! `failwise plan` on trees of both layouts: what agents and people do with it, and what its predecessor got wrong.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "starts the executables and looks at the files they leave")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use failwise::model::{NodeStatus, TRANSITIONS};
use failwise::plan::edit::Invariant;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A project with a plan.
pub(super) struct Project {
    pub(super) dir: TempDir,
}

impl Project {
    /// A made tree: a feature, a story and three tasks, of which the third depends on the first.
    pub(super) fn new() -> Self {
        let project = Self::empty();
        project.done(&["init", "--intent", "Water the greenhouse"]);
        project.done(&["add", "feature", "--parent", "MISSION", "--intent", "Valves"]);
        let story = ["add", "story", "--parent", "FEAT-1", "--intent", "Open them", "--test-ref", "tests/beds.rs::dry"];
        project.done(&story);
        for intent in ["Find the valve", "Read the sensor", "Open it"] {
            project.done(&["add", "task", "--parent", "STORY-0001", "--intent", intent]);
        }
        project.done(&["depend", "TASK-00003", "--on", "TASK-00001"]);
        project
    }

    pub(super) fn empty() -> Self {
        let project = Self { dir: tempfile::tempdir().unwrap() };
        fs::create_dir_all(project.root().join(".git")).unwrap();
        project.write("../../tests/beds.rs", "fn dry() {}\nfn wet() {}\n");
        project
    }

    /// One task below a mission with these constraints, claimed by the agent `a1`.
    pub(super) fn at_work(constraints: &[&str]) -> Self {
        let project = Self::empty();
        let constraints: Vec<&str> = constraints.iter().flat_map(|one| ["--constraint", one]).collect();
        project.done(&[&["init", "--intent", "Books"], &constraints[..]].concat());
        project.done(&["add", "feature", "--parent", "MISSION", "--intent", "Shelves"]);
        project.done(&["add", "story", "--parent", "FEAT-1", "--intent", "One", "--test-ref", "tests/beds.rs::dry"]);
        project.done(&["add", "task", "--parent", "STORY-0001", "--intent", "Build it"]);
        project.agent_runs("s-1", Some("a1"), &["claim", "TASK-00001"]);
        project
    }

    /// The same tree as releases before 3.7.3 wrote it: tasks are files, ids stand alone.
    pub(super) fn flat() -> Self {
        let project = Self::empty();
        let block = |lines: &str| format!("---\n{lines}\n---\n");
        project.write("mission.md", &block("id: MISSION\ntier: 0\nchildren: [FEAT-1]"));
        project.write(
            "features/FEAT-1/feature.md",
            &block("id: FEAT-1\ntier: 2\nparent: MISSION\nstatus: planned\nchildren: [STORY-0001]\nrevision: 3"),
        );
        let story = "id: STORY-0001\ntier: 3\nparent: FEAT-1\nstatus: planned\nchildren:\n  - TASK-00001\n  - TASK-00002\n  \
                     - TASK-00003\nreplan_count: 1\nreplan_budget: 3";
        let acceptance = "acceptance:\n- text: dry beds\n  test_ref: tests/beds.rs::dry\n";
        project.write("features/FEAT-1/stories/STORY-0001/story.md", &(block(story) + acceptance));
        for (id, more) in [("TASK-00001", ""), ("TASK-00002", ""), ("TASK-00003", "\ndepends_on: [TASK-00001]")] {
            let lines = format!("id: {id}\ntier: 4\nparent: STORY-0001\nstatus: planned\nintent: \"Open: it\"{more}");
            project.write(&format!("features/FEAT-1/stories/STORY-0001/tasks/{id}.md"), &block(&lines));
        }
        project.write(".counters.json", r#"{"schema_version":1,"counters":{"FEAT":1,"STORY":1,"TASK":3,"DEC":9}}"#);
        project.write("active.json", r#"{"schema_version":1,"active":{"mission":"MISSION"},"ready_queue":[]}"#);
        crate::trusting::trust(&project.dir.path().join("home"), &project.root());
        project
    }

    pub(super) fn root(&self) -> PathBuf {
        self.dir.path().join("project")
    }

    pub(super) fn plans(&self) -> PathBuf {
        self.root().join(".claude/plans")
    }

    pub(super) fn write(&self, file: &str, text: &str) {
        let file = self.plans().join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    pub(super) fn command(&self, path: &str) -> Command {
        let mut command = Command::new(path);
        command.env_clear().env("HOME", self.dir.path().join("home")).current_dir(self.root());
        command
    }

    pub(super) fn plan(&self, arguments: &[&str]) -> Output {
        let mut command = self.command(env!("CARGO_BIN_EXE_failwise"));
        command.arg("plan").args(arguments).stdin(Stdio::null()).output().unwrap()
    }

    pub(super) fn done(&self, arguments: &[&str]) -> String {
        let output = self.plan(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    pub(super) fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.done(&[arguments, &["--format", "json"]].concat())).unwrap()
    }

    /// What a refused command says.
    pub(super) fn refused(&self, arguments: &[&str]) -> String {
        let output = self.plan(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {}", String::from_utf8_lossy(&output.stdout));
        String::from_utf8(output.stderr).unwrap()
    }

    /// What a command says that is refused to a session.
    pub(super) fn refused_to(&self, session: &str, arguments: &[&str]) -> String {
        let mut command = self.command(env!("CARGO_BIN_EXE_failwise"));
        let output = command.env("CLAUDE_CODE_SESSION_ID", session).arg("plan").args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        String::from_utf8(output.stderr).unwrap()
    }

    /// The exit status of a command, and what it prints.
    pub(super) fn failwise(&self, words: &[String]) -> (Option<i32>, String) {
        let output = self.command(env!("CARGO_BIN_EXE_failwise")).args(words).output().unwrap();
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        (output.status.code(), text)
    }

    pub(super) fn node(&self, id: &str) -> Value {
        let status = self.json(&["status"]);
        status["nodes"].as_array().unwrap().iter().find(|node| node["id"] == id).unwrap().clone()
    }

    pub(super) fn status(&self, id: &str) -> String {
        self.node(id)["status"].as_str().unwrap().to_owned()
    }

    /// The node's file.
    pub(super) fn file(&self, id: &str) -> PathBuf {
        let mut open = vec![self.plans()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let is_node = path.extension().is_some_and(|ending| ending == "md")
                    && fs::read_to_string(&path).unwrap().contains(&format!("\nid: {id}\n"));
                if is_node {
                    return path;
                }
                if path.is_dir() {
                    open.push(path);
                }
            }
        }
        panic!("{id} has no file");
    }

    pub(super) fn text(&self, id: &str) -> String {
        fs::read_to_string(self.file(id)).unwrap()
    }

    pub(super) fn replace(&self, id: &str, from: &str, to: &str) {
        let text = self.text(id);
        assert!(text.contains(from), "{text}");
        fs::write(self.file(id), text.replacen(from, to, 1)).unwrap();
    }

    pub(super) fn valid(&self) {
        let output = self.plan(&["validate"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }

    /// What the hook answers to a payload.
    pub(super) fn hook(&self, payload: &Value) -> String {
        self.hook_with(None, payload)
    }

    /// The same with a setting in the environment.
    pub(super) fn hook_with(&self, setting: Option<(&str, &str)>, payload: &Value) -> String {
        let mut hook = self.command(env!("CARGO_BIN_EXE_failwise-hook"));
        let mut hook = hook.envs(setting).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        hook.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
        let output = hook.wait_with_output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    }

    /// An agent runs a command, and the client tells the hook; what that answers, where the command succeeded.
    pub(super) fn agent_runs(&self, session: &str, agent: Option<&str>, arguments: &[&str]) -> String {
        let mut command = self.command(env!("CARGO_BIN_EXE_failwise"));
        let output = command.env("CLAUDE_CODE_SESSION_ID", session).arg("plan").args(arguments).output().unwrap();
        let stdout = String::from_utf8(output.stdout).unwrap();
        let line = format!("failwise plan {}", arguments.join(" "));
        if !output.status.success() {
            return String::new();
        }
        self.hook(&json!({
            "session_id": session, "agent_id": agent, "transcript_path": "", "cwd": self.root(),
            "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": line},
            "tool_use_id": format!("{line} {agent:?}"), "tool_response": {"stdout": stdout, "stderr": ""},
        }))
    }

    /// A call of an agent fails; the node that it belongs to.
    pub(super) fn agent_fails(&self, session: &str, agent: Option<&str>, id: &str) -> String {
        self.hook(&json!({
            "session_id": session, "agent_id": agent, "transcript_path": "", "cwd": self.root(),
            "hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": {"command": "cargo test"},
            "tool_use_id": id, "error": "Exit code 101\nerror[E0425]: cannot find value `x` in this scope", "is_interrupt": false,
        }));
        let events = self.events();
        let failed = events.iter().find(|event| event["tool_use_id"] == id && event["event"] == "execution_failed");
        failed.unwrap()["node"].as_str().unwrap().to_owned()
    }

    pub(super) fn events(&self) -> Vec<Value> {
        let history = fs::read_to_string(self.plans().join("history.jsonl")).unwrap();
        history.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

#[test]
fn a_plan_is_worked_through_in_both_layouts() {
    for project in [Project::new(), Project::flat()] {
        project.valid();
        assert_eq!(project.json(&["next", "--dry-run"])["node"], "TASK-00001");
        assert_eq!(project.status("TASK-00001"), "planned");
        let claimed = project.json(&["next"]);
        assert_eq!((&claimed["verb"], &claimed["node"]), (&json!("claim"), &json!("TASK-00001")));
        assert_eq!(project.status("STORY-0001"), "active");
        assert_eq!(project.json(&["status"])["active"], "TASK-00001");
        assert!(project.done(&["next"]).starts_with("claimed TASK-00002"));
        assert!(project.refused(&["claim", "TASK-00002"]).contains("is claimed by person"));
        project.done(&["done", "TASK-00001"]);
        assert!(project.refused(&["done", "STORY-0001"]).contains("TASK-00002 below it is active"));
        assert_eq!(project.json(&["next"])["node"], "TASK-00003");
        for id in ["TASK-00002", "TASK-00003", "STORY-0001", "FEAT-1"] {
            let without = ["--without-check", "no test here"];
            project.done(&[&["done", id][..], if id == "STORY-0001" { &without } else { &[] }].concat());
            project.valid();
        }
        let nothing = project.plan(&["next", "--format", "json"]);
        assert_eq!(nothing.status.code(), Some(1));
        assert_eq!(serde_json::from_slice::<Value>(&nothing.stdout).unwrap()["node"], Value::Null);
        project.done(&["undo", "FEAT-1"]);
        project.done(&[
            "add",
            "story",
            "--parent",
            "FEAT-1",
            "--intent",
            "Close them",
            "--test-ref",
            "tests/beds.rs::wet",
        ]);
        assert_eq!(project.status("STORY-0002"), "planned");
        project.valid();
    }
}

#[test]
fn fields_that_nobody_here_knows_stay_byte_for_byte() {
    let project = Project::flat();
    let before = "---\r\nid: TASK-00001 # the first\r\ntier: 4\r\nparent: STORY-0001\r\nstatus:  planned  # not yet\r\n\
                  owner: \"ann: x\"  \r\n# a note\r\nrevision: 7\r\n---\r\nbody: kept \u{e9}\r\n";
    let path = project.file("TASK-00001");
    fs::write(&path, before).unwrap();
    project.done(&["claim", "TASK-00001"]);
    let after = fs::read_to_string(&path).unwrap();
    let kept = after.replace("status:  active  #", "status:  planned  #").replace("revision: 8\r\n", "revision: 7\r\n");
    assert!(kept.starts_with(before.split("---\r\nbody").next().unwrap()), "{after:?}");
    assert!(after.ends_with("---\r\nbody: kept \u{e9}\r\n") && !after.replace("\r\n", "").contains('\n'), "{after:?}");
    project.done(&["undo", "TASK-00001"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), before);
}

#[test]
fn agents_that_ask_at_once_get_different_tasks() {
    let project = Project::new();
    for intent in ["Four", "Five", "Six"] {
        project.done(&["add", "task", "--parent", "STORY-0001", "--intent", intent]);
    }
    let mut running: Vec<_> = (0..6)
        .map(|_| {
            let mut command = project.command(env!("CARGO_BIN_EXE_failwise"));
            command.args(["plan", "next", "--format", "json"]).stdout(Stdio::piped()).stderr(Stdio::null());
            command.spawn().unwrap()
        })
        .collect();
    let outputs: Vec<Output> = running.drain(..).map(|child| child.wait_with_output().unwrap()).collect();
    let told = outputs.iter().filter(|output| output.status.success());
    let mut nodes: Vec<String> =
        told.map(|output| serde_json::from_slice::<Value>(&output.stdout).unwrap()["node"].to_string()).collect();
    nodes.sort();
    assert_eq!(nodes.len(), 5, "TASK-00003 waits for the first: {nodes:?}");
    nodes.dedup();
    assert_eq!(nodes.len(), 5);
    project.valid();
}

#[test]
fn failures_belong_to_the_node_that_an_agent_claimed() {
    let project = Project::new();
    project.agent_runs("s-1", Some("a1"), &["next"]);
    project.agent_runs("s-1", Some("a2"), &["claim", "TASK-00002"]);
    assert_eq!(project.node("TASK-00001")["claimed_by"], "session/s-1");
    assert_eq!(project.agent_fails("s-1", Some("a1"), "f1"), "TASK-00001");
    assert_eq!(project.agent_fails("s-1", Some("a2"), "f2"), "TASK-00002");
    let bound: Vec<Value> = project.events().into_iter().filter(|event| event["event"] == "node_bound").collect();
    let pairs: Vec<(&Value, &Value)> = bound.iter().map(|event| (&event["node"], &event["target"])).collect();
    assert_eq!(
        pairs,
        [
            (&json!("session/s-1/agent/a1"), &json!("TASK-00001")),
            (&json!("session/s-1/agent/a2"), &json!("TASK-00002")),
        ]
    );
    // Ended by its agent: from then on its calls are not the node's any more.
    project.agent_runs("s-1", Some("a2"), &["done", "TASK-00002"]);
    assert_eq!(project.agent_fails("s-1", Some("a2"), "f3"), "TASK-00001", "the active task");
    // The status shows how a node last failed.
    assert_eq!(project.node("TASK-00002")["last_verdict"]["attempt"], 1);
    assert!(project.done(&["status"]).contains("F2 compile_error, attempt"));
}

#[test]
fn a_claim_that_did_not_happen_binds_nobody() {
    let project = Project::new();
    project.agent_runs("s-1", Some("a1"), &["claim", "TASK-00001"]);
    let lie = |command: &str, stdout: &str| {
        project.hook(&json!({
            "session_id": "s-2", "agent_id": "b1", "transcript_path": "", "cwd": project.root(),
            "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": command},
            "tool_use_id": command, "tool_response": {"stdout": stdout, "stderr": ""},
        }));
    };
    lie("failwise plan claim TASK-00001 || true", "");
    lie("failwise plan next", "claimed TASK-00002  not so");
    lie("failwise plan claim TASK-00099", "claimed TASK-00099");
    lie("failwise plan claim ../../../etc", "claimed ../../../etc");
    assert!(!project.events().iter().any(|event| event["event"] == "node_bound" && event["session"] == "s-2"));
}

#[test]
fn a_person_binds_a_session_by_name() {
    let project = Project::new();
    project.done(&["claim", "TASK-00002", "--session", "s-9", "--agent", "a7"]);
    project.done(&["claim", "TASK-00001"]);
    assert_eq!(project.agent_fails("s-9", Some("a7"), "f1"), "TASK-00002");
    assert_eq!(project.plan(&["claim", "TASK-00003", "--session", "../x"]).status.code(), Some(64));
}

#[test]
fn the_environment_names_a_node_where_nobody_claimed_one() {
    let project = Project::new();
    let payload = json!({
        "session_id": "s-1", "transcript_path": "", "cwd": project.root(), "hook_event_name": "PostToolUseFailure",
        "tool_name": "Bash", "tool_input": {"command": "cargo test"}, "tool_use_id": "f1", "is_interrupt": false,
        "error": "Exit code 101\nerror[E0425]: cannot find value `x` in this scope",
    });
    for (named, node) in [("TASK-00002", "TASK-00002"), ("../../etc", "session/s-1")] {
        let payload = payload.to_string().replace("f1", named.trim_start_matches("../"));
        let mut hook = project.command(env!("CARGO_BIN_EXE_failwise-hook"));
        let mut hook = hook.env("FAILWISE_NODE", named).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        hook.stdin.take().unwrap().write_all(payload.as_bytes()).unwrap();
        assert!(hook.wait().unwrap().success());
        assert_eq!(project.events().last().unwrap()["node"], node);
    }
}

/// The predecessor froze discarded nodes, and a thaw then planned them again.
#[test]
fn a_freeze_leaves_what_was_given_up_as_it_is() {
    let project = Project::new();
    project.done(&["set", "TASK-00002", "discarded", "--reason", "not needed"]);
    let before = project.text("TASK-00002");
    project.done(&["freeze", "FEAT-1", "--reason", "the valve is wrong"]);
    project.done(&["thaw", "FEAT-1"]);
    assert_eq!(project.text("TASK-00002"), before);
    project.valid();
}

/// The predecessor left `frozen` in `active.json` empty, and the frozen task active.
#[test]
fn what_is_active_and_what_is_frozen_is_told_as_it_is() {
    let project = Project::new();
    project.done(&["next"]);
    project.done(&["freeze", "STORY-0001", "--reason", "wrong"]);
    let active: Value =
        serde_json::from_str(&fs::read_to_string(project.plans().join("active.json")).unwrap()).unwrap();
    assert_eq!(active["frozen"].as_array().unwrap().len(), 4);
    assert_eq!(active["active"]["task"], Value::Null);
    project.valid();
}

/// The predecessor thawed everything below, whatever it was frozen for.
#[test]
fn a_thaw_leaves_what_was_frozen_for_another_reason() {
    let project = Project::new();
    project.done(&["freeze", "TASK-00002", "--reason", "its sensor is broken"]);
    project.done(&["freeze", "FEAT-1", "--reason", "all of it"]);
    assert!(project.refused(&["thaw", "TASK-00002"]).contains("below STORY-0001, which is frozen"));
    project.done(&["thaw", "FEAT-1"]);
    assert_eq!((project.status("TASK-00002"), project.status("TASK-00001")), ("frozen".into(), "planned".into()));
    project.valid();
    project.done(&["thaw", "TASK-00002", "--discard"]);
    assert_eq!(project.status("TASK-00002"), "discarded");
    project.valid();
}

/// The predecessor ended without a word where the log of conflicts did not know the conflict.
#[test]
fn a_thaw_waits_for_its_conflict_and_says_so() {
    let project = Project::new();
    project.done(&["freeze", "TASK-00001", "--reason", "the same file", "--conflict", "CONFLICT-00001"]);
    assert!(project.refused(&["thaw", "TASK-00001"]).contains("conflicts.jsonl knows nothing"));
    let line = |resolution: &str| {
        format!(
            "{{\"conflict_id\":\"CONFLICT-00001\",\"detected_at\":\"t\",\"layer\":\"L1\",\"participants\":\
             [{{\"task\":\"TASK-00001\"}},{{\"task\":\"TASK-00002\"}}],\"resolution\":{resolution}}}\n"
        )
    };
    project.write("conflicts.jsonl", &line("null"));
    assert!(project.refused(&["thaw", "TASK-00001"]).contains("is not resolved"));
    project.write("conflicts.jsonl", &(line("null") + &line("\"sequential\"")));
    project.done(&["thaw", "TASK-00001"]);
    assert!(!project.text("TASK-00001").contains("CONFLICT"), "the predecessor left the id behind");
}

/// The predecessor discarded done nodes with the others, and replanned done stories.
#[test]
fn a_replan_keeps_what_is_done() {
    let project = Project::new();
    project.done(&["claim", "TASK-00001"]);
    project.done(&["done", "TASK-00001"]);
    project.done(&["replan", "STORY-0001", "--reason", "wrong cut", "--avoid", "one file a task"]);
    assert_eq!((project.status("TASK-00001"), project.status("TASK-00002")), ("done".into(), "discarded".into()));
    assert_eq!(project.node("STORY-0001")["replans_left"], 2);
    assert!(project.refused(&["replan", "TASK-00001", "--reason", "x"]).contains("a task is not replanned"));
    let done = ["done", "STORY-0001", "--dropped", "the first task does it all", "--without-check", "no test here"];
    project.done(&done);
    assert!(project.refused(&["replan", "STORY-0001", "--reason", "x"]).contains("is done"));
    project.valid();
}

/// The budget is one pair of fields; older trees count up instead.
#[test]
fn replans_end_with_their_budget_and_a_thaw_restores_it() {
    let project = Project::flat();
    assert_eq!(project.node("STORY-0001")["replans_left"], 2, "one of three was taken by an older script");
    for intent in ["Four", "Five"] {
        project.done(&["replan", "STORY-0001", "--reason", "again"]);
        project.done(&["add", "task", "--parent", "STORY-0001", "--intent", intent]);
    }
    let refused = project.refused(&["replan", "STORY-0001", "--reason", "again"]);
    assert!(refused.contains("budget is used up") && refused.contains("replan_budget_exhausted"), "{refused}");
    let kinds: Vec<String> = project.events().iter().map(|event| event["event"].to_string()).collect();
    assert_eq!(kinds.iter().filter(|kind| kind.contains("replan_proposed")).count(), 2);
    assert_eq!(kinds.iter().filter(|kind| kind.contains("replan_refused_budget")).count(), 1);
    project.done(&["freeze", "STORY-0001", "--reason", "replan_budget_exhausted"]);
    project.done(&["thaw", "STORY-0001"]);
    assert_eq!(project.node("STORY-0001")["replans_left"], 3);
    project.valid();
}

/// For the predecessor an active dependency was good enough.
#[test]
fn a_task_waits_until_what_it_depends_on_is_done() {
    let project = Project::new();
    project.done(&["claim", "TASK-00001"]);
    assert!(project.refused(&["claim", "TASK-00003"]).contains("depends on TASK-00001, which is active"));
    assert_eq!(project.json(&["next", "--dry-run"])["node"], "TASK-00002");
    assert!(project.refused(&["depend", "TASK-00001", "--on", "TASK-00003"]).contains("depends on itself"));
}

/// Agents that work at the same time were sent into the same file.
#[test]
fn a_task_that_would_meet_a_running_one_is_passed_over() {
    let project = Project::new();
    project.replace("TASK-00001", "\nrevision:", "\nartifacts: [src/valve.rs]\nrevision:");
    project.replace("TASK-00002", "\nrevision:", "\nartifacts: [{path: src/valve.rs, functions: [open]}]\nrevision:");
    project.done(&["add", "task", "--parent", "STORY-0001", "--intent", "Draw it", "--artifact", "src/chart.rs"]);
    let first = project.json(&["next"]);
    assert_eq!((&first["node"], &first["passed_over"]), (&json!("TASK-00001"), &json!([])));

    let passed = json!([{"id": "TASK-00002", "running": "TASK-00001", "files": ["src/valve.rs"]}]);
    let would = project.json(&["next", "--dry-run"]);
    assert_eq!((&would["node"], &would["passed_over"]), (&json!("TASK-00004"), &passed));
    let told = project.done(&["next"]);
    assert!(told.starts_with("claimed TASK-00004"), "{told}");
    assert!(told.contains("TASK-00002     passed over: would meet TASK-00001 in src/valve.rs"), "{told}");

    // Nothing else is left: it is given out, and the claim warns.
    let last = project.plan(&["next"]);
    let (out, warned) = (String::from_utf8_lossy(&last.stdout), String::from_utf8_lossy(&last.stderr));
    assert!(out.starts_with("claimed TASK-00002") && !out.contains("passed over"), "{out}");
    assert!(warned.contains("TASK-00002 waits for TASK-00001: src/valve.rs"), "{warned}");
}

#[test]
fn different_functions_of_a_file_and_files_that_tools_write_pass_nothing_over() {
    let project = Project::new();
    let plan = |id: &str, function: &str| {
        let artifacts =
            format!("\nartifacts: [{{path: src/valve.rs, functions: [{function}]}}, Cargo.lock]\nrevision:");
        project.replace(id, "\nrevision:", &artifacts);
    };
    plan("TASK-00001", "open");
    plan("TASK-00002", "close");
    project.done(&["next"]);
    let second = project.json(&["next"]);
    assert_eq!((&second["node"], &second["passed_over"]), (&json!("TASK-00002"), &json!([])));
}

#[test]
fn a_task_in_an_open_conflict_with_a_running_one_is_passed_over() {
    let project = Project::new();
    let sides = r#"[{"task":"TASK-00001","role":"proposed"},{"task":"TASK-00002","role":"blocker"}]"#;
    let open = format!(r#"{{"conflict_id":"CONFLICT-1","participants":{sides},"resolution":null}}"#);
    project.write("conflicts.jsonl", &format!("{open}\n"));
    project.done(&["claim", "TASK-00002"]);
    project.done(&["add", "task", "--parent", "STORY-0001", "--intent", "Draw it"]);
    let next = project.json(&["next", "--dry-run"]);
    let passed = json!([{"id": "TASK-00001", "running": "TASK-00002", "files": []}]);
    assert_eq!((&next["node"], &next["passed_over"]), (&json!("TASK-00004"), &passed));
    let over =
        open.replace(r#""resolution":null"#, r#""resolution":"sequential","resolved_at":"2031-01-05T10:00:00Z""#);
    project.write("conflicts.jsonl", &format!("{open}\n{over}\n"));
    assert_eq!(project.json(&["next", "--dry-run"])["node"], "TASK-00001");
}

/// Two checkpoints of one second had one name, and undo knew one node only.
#[test]
fn a_change_is_taken_back_as_a_whole_and_changes_in_their_order() {
    let project = Project::new();
    let texts = || ["FEAT-1", "STORY-0001", "TASK-00001", "TASK-00002"].map(|id| project.text(id));
    let first = texts();
    project.done(&["claim", "TASK-00001"]);
    let second = texts();
    project.done(&["freeze", "FEAT-1", "--reason", "all of it"]);
    project.done(&["undo", "TASK-00002"]);
    assert_eq!(texts(), second);
    project.done(&["undo", "TASK-00001"]);
    assert_eq!(texts(), first);
    project.done(&["freeze", "FEAT-1", "--reason", "all of it"]);
    project.done(&["thaw", "FEAT-1"]);
    project.done(&["claim", "TASK-00001"]);
    assert!(project.refused(&["undo", "FEAT-1"]).contains("TASK-00001 was changed again since"));
    for id in ["TASK-00001", "FEAT-1", "FEAT-1"] {
        project.done(&["undo", id]);
    }
    assert_eq!(texts(), first);
    project.valid();
    project.done(&["freeze", "TASK-00001", "--reason", "x"]);
    project.replace("TASK-00001", "---\n", "---\nnote: by hand\n");
    assert!(project.refused(&["undo", "TASK-00001"]).contains("by hand"));
    project.done(&["undo", "TASK-00001", "--force"]);
    assert_eq!(texts(), first);
}

#[test]
fn checkpoints_are_bounded() {
    let project = Project::new();
    for _ in 0..6 {
        project.done(&["freeze", "TASK-00001", "--reason", "x"]);
        project.done(&["thaw", "TASK-00001"]);
    }
    let folder = project.file("TASK-00001").with_file_name("checkpoints");
    assert_eq!(fs::read_dir(folder).unwrap().count(), 5);
}

/// An id was given twice where the counter's file was behind, and when a node was taken back.
#[test]
fn an_id_is_given_once() {
    let project = Project::new();
    project.write(".counters.json", r#"{"counters":{"FEAT":1,"STORY":1,"TASK":1}}"#);
    project.valid();
    project.done(&["add", "task", "--parent", "STORY-0001", "--intent", "Four"]);
    project.done(&["undo", "TASK-00004"]);
    project.done(&["add", "task", "--parent", "STORY-0001", "--intent", "Five"]);
    assert_eq!(project.status("TASK-00005"), "planned");
    project.valid();
}

#[test]
fn what_the_table_forbids_is_refused_with_the_reason() {
    let project = Project::new();
    assert!(project.refused(&["done", "TASK-00001"]).contains("planned -> done is not allowed"));
    project.done(&["claim", "TASK-00001"]);
    project.done(&["done", "TASK-00001"]);
    assert!(project.refused(&["claim", "TASK-00001"]).contains("done -> active is not allowed"));
    project.done(&["set", "TASK-00001", "archived"]);
    assert!(project.refused(&["freeze", "TASK-00001", "--reason", "x"]).contains("archived -> frozen"));
    project.done(&["set", "TASK-00002", "discarded", "--reason", "no"]);
    assert!(project.refused(&["claim", "TASK-00002"]).contains("discarded -> active"));
    assert!(
        project
            .refused(&["set", "TASK-00003", "frozen", "--reason", "x"])
            .contains("failwise plan freeze TASK-00003 --reason TEXT")
    );
    let below = ["add", "task", "--parent", "MISSION", "--intent", "x"];
    assert!(project.refused(&below).contains("no task belongs below MISSION (mission)"));
    assert_eq!(project.plan(&["claim", "TASK-00099"]).status.code(), Some(1));
    project.valid();
}

#[test]
fn each_rule_is_reported_with_its_place_and_a_fix() {
    type Break = fn(&Project);
    let breaks: [(Invariant, &str, Break); 18] = [
        (Invariant::Readable, "TASK-00001", |p| p.replace("TASK-00001", "depends_on: []", "depends_on: [a")),
        (Invariant::Whole, "MISSION", |p| fs::remove_file(p.file("MISSION")).unwrap()),
        (Invariant::UniqueId, "TASK-00001", |p| p.replace("TASK-00002", "id: TASK-00002", "id: TASK-00001")),
        (Invariant::Parent, "TASK-00001", |p| p.replace("TASK-00001", "parent: STORY-0001", "parent: STORY-0009")),
        (Invariant::Children, "STORY-0001", |p| {
            p.replace("STORY-0001", "\nrevision:", "\nchildren: [TASK-00009]\nrevision:");
        }),
        (Invariant::Children, "FEAT-1", |p| p.replace("FEAT-1", "\nrevision:", "\nchildren: [TASK-00001]\nrevision:")),
        (Invariant::Status, "TASK-00001", |p| p.replace("TASK-00001", "status: planned", "status: pending-confirm")),
        (Invariant::Revision, "TASK-00001", |p| p.replace("TASK-00001", "revision: 1", "revision: -1")),
        (Invariant::TestRef, "STORY-0001", |p| {
            p.done(&["claim", "STORY-0001"]);
            fs::remove_file(p.root().join("tests/beds.rs")).unwrap();
        }),
        (Invariant::DependsOn, "TASK-00003", |p| p.replace("TASK-00003", "[TASK-00001]", "[TASK-00077]")),
        (Invariant::DependsOn, "TASK-00001", |p| p.replace("TASK-00001", "depends_on: []", "depends_on: [TASK-00003]")),
        (Invariant::Freeze, "TASK-00001", |p| p.replace("TASK-00001", "status: planned", "status: frozen")),
        (Invariant::Freeze, "TASK-00001", |p| {
            p.replace("TASK-00001", "status: planned", "status: discarded\nfrozen_by_ancestor: FEAT-1");
        }),
        (Invariant::Budget, "STORY-0001", |p| p.replace("STORY-0001", "remaining: 3", "remaining: 4")),
        (Invariant::Active, "TASK-00077", |p| p.write("active.json", r#"{"active":{"task":"TASK-00077"}}"#)),
        (Invariant::Active, "TASK-00001", |p| p.write("active.json", r#"{"active":{"task":"TASK-00001"}}"#)),
        (Invariant::Active, "MISSION", |p| p.write("active.json", "{\n\"active\": 7}")),
        (Invariant::Counters, "MISSION", |p| p.write(".counters.json", "<<<<<<< HEAD")),
    ];
    for (rule, node, spoil) in breaks {
        let project = Project::new();
        spoil(&project);
        let output = project.plan(&["validate", "--format", "json"]);
        assert_eq!(output.status.code(), Some(1), "{rule:?} {node}");
        let told: Value = serde_json::from_slice(&output.stdout).unwrap();
        let rows = told["violations"].as_array().unwrap();
        let row = rows.iter().find(|row| row["rule"] == rule.as_str() && row["node"] == node);
        let row = row.unwrap_or_else(|| panic!("{rule:?} {node} in {told}"));
        assert!(row["line"].as_u64().unwrap() >= 1 && row["mend"].as_str().unwrap().len() > 10, "{row}");
        let text = String::from_utf8(project.plan(&["validate"]).stdout).unwrap();
        assert!(text.contains(&format!(":{} {}: {node} ", row["line"], rule.as_str())), "{text}");
    }
}

#[test]
fn a_revision_that_went_back_and_work_below_a_frozen_node_are_told() {
    let project = Project::new();
    project.done(&["freeze", "TASK-00001", "--reason", "x"]);
    project.replace("TASK-00001", "revision: 2", "revision: 0");
    let text = String::from_utf8(project.plan(&["validate"]).stdout).unwrap();
    assert!(text.contains("revision: TASK-00001 is at revision 0, and was at 1 before"), "{text}");
    let project = Project::new();
    project.done(&["freeze", "STORY-0001", "--reason", "x"]);
    project.replace("TASK-00001", "status: frozen", "status: active");
    let text = String::from_utf8(project.plan(&["validate"]).stdout).unwrap();
    assert!(text.contains("frozen_branch: TASK-00001 is active below STORY-0001"), "{text}");
}

#[test]
fn the_highest_revision_that_can_be_written_ends_no_command() {
    let project = Project::new();
    project.replace("TASK-00001", "revision: 1", &format!("revision: {}", u32::MAX));
    project.done(&["claim", "TASK-00001"]);
    project.done(&["freeze", "STORY-0001", "--reason", "x"]);
    assert_eq!(project.status("TASK-00001"), "frozen");
    assert!(project.text("TASK-00001").contains(&format!("revision: {}", u32::MAX)));
}

#[test]
fn features_that_hold_each_other_are_told() {
    let project = Project::new();
    project.done(&["add", "feature", "--parent", "FEAT-1", "--intent", "Inner"]);
    project.replace("FEAT-1", "parent: MISSION", "parent: FEAT-2");
    let text = String::from_utf8(project.plan(&["validate"]).stdout).unwrap();
    assert!(text.contains("orphan: FEAT-1 its parents lead round"), "{text}");
}

#[test]
fn hostile_text_is_shown_and_kept_without_harm() {
    let project = Project::new();
    let intent = "x\u{1b}[31m\u{202e}\nstatus: done";
    project.done(&["add", "task", "--parent", "STORY-0001", "--intent", intent]);
    let token = ["ghp", "_1234567890abcdefghijklmnopqrstuvwxyz"].concat();
    project.done(&["freeze", "TASK-00004", "--reason", &format!("token {token}")]);
    let shown = project.done(&["status"]);
    assert!(!shown.contains('\u{1b}') && !shown.contains('\u{202e}'), "{shown:?}");
    assert!(!project.text("TASK-00004").contains(&token) && project.status("TASK-00004") == "frozen");
    let history = fs::read_to_string(project.plans().join("history.jsonl")).unwrap();
    assert!(!history.contains(&token), "{history}");
}

#[test]
fn a_link_in_the_tree_is_neither_read_nor_written() {
    let project = Project::new();
    let outside = project.dir.path().join("outside.md");
    fs::rename(project.file("TASK-00001"), &outside).unwrap();
    let text = fs::read_to_string(&outside).unwrap();
    let folder =
        project.plans().join("features/FEAT-1_valves/stories/STORY-0001_open-them/tasks/TASK-00001_find-the-valve");
    std::os::unix::fs::symlink(&outside, folder.join("task.md")).unwrap();
    assert!(!project.plan(&["freeze", "TASK-00001", "--reason", "x"]).status.success());
    project.done(&["freeze", "STORY-0001", "--reason", "x"]);
    assert_eq!(fs::read_to_string(&outside).unwrap(), text);
}

#[test]
fn a_project_without_a_plan_is_told_how_to_make_one() {
    let project = Project::empty();
    let output = project.plan(&["status"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8(output.stdout).unwrap().contains("failwise plan init"));
    assert!(project.refused(&["claim", "TASK-00001"]).contains("this project has no plan"));
    assert!(project.refused(&["next"]).contains("failwise plan init"), "nothing is ready, and the next step");
    project.done(&["init", "--intent", "x", "--constraint", "protected_files=LICENSE"]);
    assert!(project.text("MISSION").contains("constraints:\n  protected_files: [LICENSE]\n"));
    assert!(project.refused(&["init", "--intent", "y"]).contains("has a plan already"));
}

#[test]
fn a_pattern_that_cannot_be_used_is_not_taken_and_is_told_with_its_line() {
    let project = Project::empty();
    let output = project.plan(&["init", "--intent", "x", "--constraint", "forbidden_paths=!vendor"]);
    assert_eq!(output.status.code(), Some(64));
    assert!(String::from_utf8(output.stderr).unwrap().contains("begins with `!`"));
    project.done(&["init", "--intent", "x", "--constraint", "protected_files=LICENSE"]);
    let file = project.file("MISSION");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("[LICENSE]", "[LICENSE, 'src/{a,b']")).unwrap();
    let line = text.lines().position(|line| line.starts_with("constraints:")).unwrap() + 1;
    let output = project.plan(&["validate"]);
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains(&format!(":{line}")) && told.contains("unclosed brace"), "{told}");
}

/// The page of the states is the table of the code, in both directions.
#[test]
fn the_page_of_the_states_holds() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules/workflow/node-states.md");
    let page = fs::read_to_string(page).unwrap();
    let rows: Vec<Vec<String>> = page
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| line.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`').to_owned()).collect())
        .collect();
    let states: Vec<&str> = rows.iter().filter(|row| row.len() == 2).map(|row| row[0].as_str()).collect();
    assert_eq!(states, NodeStatus::ALL.map(NodeStatus::as_str));
    let changes: Vec<[&str; 3]> =
        rows.iter().filter(|row| row.len() == 3).map(|row| [&*row[0], &*row[1], &*row[2]]).collect();
    let table: Vec<[&str; 3]> = TRANSITIONS.iter().map(|row| [row.from.as_str(), row.to.as_str(), row.when]).collect();
    assert_eq!(changes, table);
}

/// A page whose commands are run, one after the other, by a shell in an empty folder; it comes back with what they print. A
/// block that names a file is that file.
fn walked(page: &str) -> String {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().join("books");
    fs::create_dir(&root).unwrap();
    let tools = Path::new(env!("CARGO_BIN_EXE_failwise")).parent().unwrap().display().to_string();
    let path = format!("{tools}:{}", std::env::var("PATH").unwrap());
    let mut shown = String::new();
    let (mut fence, mut file) = (String::new(), String::new());
    for line in page.lines() {
        if let Some(info) = line.strip_prefix("```") {
            if let Some(name) = fence.strip_prefix("markdown ") {
                fs::write(root.join(name), std::mem::take(&mut file)).unwrap();
            }
            fence = if fence.is_empty() { info.to_owned() } else { String::new() };
        } else if fence.starts_with("markdown ") {
            file.extend([line, "\n"]);
        } else if fence == "console" {
            let Some(command) = line.strip_prefix("$ ") else { continue };
            let mut shell = Command::new("sh");
            shell.args(["-c", &format!("{command} 2>&1")]).current_dir(&root).env_clear().env("HOME", home.path());
            let output = shell.env("PATH", &path).stdin(Stdio::null()).output().unwrap();
            shown.extend([line, "\n", &String::from_utf8(output.stdout).unwrap()]);
            continue;
        }
        shown.extend([line, "\n"]);
    }
    shown
}

/// What the pages about plans show is what the commands print, in an empty folder. `UPDATE=1` writes it into them.
#[test]
fn the_pages_about_plans_show_what_the_commands_print() {
    for page in ["docs/planning.md", "docs/conflicts.md"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
        let text = fs::read_to_string(&path).unwrap();
        let shown = walked(&text);
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&path, &shown).unwrap();
        } else if let Some((is, was)) = shown.lines().zip(text.lines()).find(|(is, was)| is != was) {
            panic!("{page} shows {was:?} where {is:?} is printed: UPDATE=1 cargo test --test plans plan_commands");
        }
        assert_eq!(shown.lines().count(), fs::read_to_string(&path).unwrap().lines().count(), "{page}");
        assert!(shown.matches("\n$ failwise ").count() > 5, "{page}");
    }
}

/// What the pages name between the lines is a command, too, once the words in capitals are filled in.
#[test]
fn the_commands_that_the_pages_about_plans_name_can_be_typed() {
    let project = Project::new();
    let (mut tried, mut wrong) = (0, Vec::new());
    for page in ["docs/planning.md", "docs/conflicts.md"] {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(page)).unwrap().replace('\n', " ");
        let spans = text.split('`').skip(1).step_by(2);
        for span in spans.filter(|span| span.starts_with("failwise ") || span.starts_with("plan ")) {
            let mut words: Vec<&str> = span.split(' ').filter(|word| *word != "failwise").collect();
            let fill = |word: &mut &str| match *word {
                "ID" if span.contains("conflicts") => *word = "CONFLICT-00000000",
                "ID" | "TASK" => *word = "TASK-00001",
                "CHOICE" => *word = "accept-blocker",
                "REASON" | "TEXT" => *word = "why",
                _ => {}
            };
            words.iter_mut().for_each(fill);
            let output = project.command(env!("CARGO_BIN_EXE_failwise")).args(&words).arg("--help").output().unwrap();
            let known = output.status.success();
            // A name alone is no whole command line.
            let whole = words.len() > 3
                && !project
                    .command(env!("CARGO_BIN_EXE_failwise"))
                    .args(&words)
                    .output()
                    .is_ok_and(|output| output.status.code() != Some(64));
            tried += 1;
            if !known || whole {
                wrong.push(format!("{page}: `{span}`"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(tried > 40, "{tried}");
}

/// The page names each rule.
#[test]
fn the_page_about_planning_names_the_rules() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/planning.md")).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |")).map(|(word, _)| word);
    assert_eq!(rows.collect::<Vec<_>>(), Invariant::ALL.map(Invariant::as_str));
}
