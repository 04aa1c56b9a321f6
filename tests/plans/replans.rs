//! A replan costs no more than what failed: who broke it decides what is replanned, nobody loses work that they are at, and
//! what was taken away comes back.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use serde_json::{Value, json};

use super::plan_commands::Project;

/// An agent edits a file.
fn edits(project: &Project, agent: &str, file: &str) {
    edits_at(project, agent, file, "e1");
}

fn edits_at(project: &Project, agent: &str, file: &str, id: &str) {
    let file = project.root().join(file);
    project.hook(&json!({
        "session_id": "s-1", "agent_id": agent, "transcript_path": "", "cwd": project.root(),
        "hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_use_id": format!("{agent} {id}"),
        "tool_input": {"file_path": file, "old_string": "a", "new_string": "b"}, "tool_response": {"filePath": file},
    }));
}

/// The compiler fails over a file; what the agent is told.
fn fails_over(project: &Project, agent: &str, file: &str) -> String {
    let file = project.root().join(file);
    let error =
        format!("Exit code 1\nerror[E0425]: cannot find value `x` in this scope\n --> {}:3:5\n", file.display());
    project.hook(&json!({
        "session_id": "s-1", "agent_id": agent, "transcript_path": "", "cwd": project.root(),
        "hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": {"command": "cargo build"},
        "tool_use_id": format!("{agent} fails over {}", file.display()), "error": error, "is_interrupt": false,
    }))
}

/// A call that passes; what the agent is told.
fn passes(project: &Project, agent: Option<&str>, id: &str) -> String {
    project.hook(&json!({
        "session_id": "s-1", "agent_id": agent, "transcript_path": "", "cwd": project.root(),
        "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": id,
        "tool_response": {"stdout": "a", "stderr": ""},
    }))
}

fn decision(project: &Project) -> Value {
    project.events().iter().rev().find(|event| event["event"] == "decision").unwrap()["decision"].clone()
}

/// The words of a command that a decision offers, without the program.
fn offered(decision: &Value) -> Vec<String> {
    let commands = decision["next_commands"].as_array().unwrap();
    let argv = commands.iter().map(|next| next["argv"].as_array().unwrap()).next_back().unwrap();
    argv.iter().skip(1).map(|word| word.as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_sibling_that_is_still_at_work_is_waited_for() {
    let project = Project::new();
    project.agent_runs("s-1", Some("a1"), &["claim", "TASK-00001"]);
    project.agent_runs("s-1", Some("a2"), &["claim", "TASK-00002"]);
    edits(&project, "a2", "src/rows.rs");
    let told = fails_over(&project, "a1", "src/rows.rs");
    assert!(told.contains("is being changed by") && told.contains("TASK-00002"), "{told}");
    let decision = decision(&project);
    assert_eq!((&decision["action"], &decision["class"]), (&json!("arbitrate"), &json!("F4")), "{decision}");
    let (command, text) = project.failwise(&offered(&decision));
    assert_eq!(command, Some(0), "{text}");
    assert_eq!(project.status("TASK-00001"), "frozen");
    assert_eq!(project.status("TASK-00002"), "active");
    // By itself offered again, once the other one is done.
    project.done(&["done", "TASK-00002"]);
    let next = project.json(&["next"]);
    assert_eq!(next["node"], "TASK-00001", "{next}");
    assert_eq!(project.status("TASK-00003"), "planned");
    project.valid();
}

/// Who goes on with another task has nothing more to do about the one that waits.
#[test]
fn a_task_whose_agent_goes_on_is_offered_again_without_a_word() {
    let project = Project::new();
    project.agent_runs("s-2", None, &["claim", "TASK-00002"]);
    project.agent_runs("s-1", None, &["claim", "TASK-00001"]);
    let edit = json!({"file_path": project.root().join("src/rows.rs"), "old_string": "a", "new_string": "b"});
    project.hook(&json!({
        "session_id": "s-2", "transcript_path": "", "cwd": project.root(), "hook_event_name": "PostToolUse",
        "tool_name": "Edit", "tool_use_id": "e1", "tool_input": edit, "tool_response": {"filePath": edit["file_path"]},
    }));
    let error = "Exit code 1\nerror[E0425]: cannot find value `x` in this scope\n --> src/rows.rs:3:5\n";
    project.hook(&json!({
        "session_id": "s-1", "transcript_path": "", "cwd": project.root(), "hook_event_name": "PostToolUseFailure",
        "tool_name": "Bash", "tool_input": {"command": "cargo build"}, "tool_use_id": "f1", "error": error,
    }));
    let conflict = offered(&decision(&project)).pop().unwrap();
    assert!(project.done(&["conflicts", "list"]).contains(&conflict));
    assert!(project.done(&["conflicts", "show", &conflict]).contains("TASK-00001 waits for TASK-00002"));
    project.done(&["add", "task", "--parent", "STORY-0001", "--intent", "Close it"]);
    assert_eq!(project.status("TASK-00001"), "active", "it may still go on");
    project.agent_runs("s-1", None, &["next"]);
    assert_eq!((project.status("TASK-00001"), project.status("TASK-00004")), ("frozen".into(), "active".into()));
    project.done(&["done", "TASK-00002"]);
    assert_eq!(project.json(&["next"])["node"], "TASK-00001");
    project.valid();
}

#[test]
fn a_sibling_that_is_done_costs_its_story_and_not_the_feature() {
    let project = Project::new();
    project.agent_runs("s-1", Some("a2"), &["claim", "TASK-00002"]);
    project.agent_runs("s-1", Some("a1"), &["claim", "TASK-00001"]);
    edits(&project, "a2", "src/rows.rs");
    project.agent_runs("s-1", Some("a2"), &["done", "TASK-00002"]);
    fails_over(&project, "a1", "src/rows.rs");
    let decision = decision(&project);
    assert_eq!((&decision["action"], &decision["target_node"]), (&json!("replan_story"), &json!("STORY-0001")));
    let (code, text) = project.failwise(&offered(&decision));
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(project.status("TASK-00002"), "done");
    assert_eq!(project.status("TASK-00001"), "discarded");
}

#[test]
fn a_done_dependency_of_the_story_costs_no_more_than_a_done_sibling() {
    let project = Project::new();
    project.replace("TASK-00001", "\nrevision:", "\nartifacts: [src/rows.rs]\nrevision:");
    project.agent_runs("s-1", Some("a1"), &["claim", "TASK-00001"]);
    project.agent_runs("s-1", Some("a1"), &["done", "TASK-00001"]);
    project.agent_runs("s-1", Some("a3"), &["claim", "TASK-00003"]);
    fails_over(&project, "a3", "src/rows.rs");
    let decision = decision(&project);
    assert_eq!((&decision["class"], &decision["action"]), (&json!("F4"), &json!("replan_story")), "{decision}");
}

#[test]
fn a_replan_takes_nothing_from_who_works() {
    let project = Project::new();
    project.agent_runs("s-1", None, &["claim", "TASK-00001"]);
    project.agent_runs("s-2", None, &["claim", "TASK-00002"]);
    let refused = project.refused(&["replan", "STORY-0001", "--reason", "x", "--of", "TASK-00001"]);
    assert!(refused.contains("TASK-00002 (session/s-2)") && !refused.contains("TASK-00001"), "{refused}");
    assert_eq!(project.status("TASK-00003"), "planned", "all or nothing");
    // Two subagents of one session have one name: without the failed task nobody knows whose is whose.
    project.done(&["set", "TASK-00002", "planned", "--reason", "given back"]);
    project.agent_runs("s-1", Some("a2"), &["claim", "TASK-00002"]);
    let session = ["replan", "STORY-0001", "--reason", "x"];
    assert!(project.refused_to("s-1", &session).contains("TASK-00001 (session/s-1), TASK-00002"));
    project.done(&["done", "TASK-00002"]);
    project.agent_runs("s-1", None, &session);
    assert_eq!((project.status("TASK-00001"), project.status("TASK-00002")), ("discarded".into(), "done".into()));
}

#[test]
fn what_a_replan_takes_away_is_told_and_has_to_come_back() {
    let begun = || {
        let project = Project::new();
        project.done(&["claim", "TASK-00001"]);
        project.done(&["done", "TASK-00001"]);
        project
    };
    let project = begun();
    let add = ["add", "task", "--parent", "STORY-0001", "--intent", "Draw it", "--artifact", "src/chart.rs"];
    project.done(&add);
    let told = project.json(&["replan", "STORY-0001", "--reason", "wrong cut"]);
    let chart = json!({"id": "TASK-00004", "intent": "Draw it", "artifacts": ["src/chart.rs"]});
    assert!(told["dropped"].as_array().unwrap().contains(&chart), "{told}");
    let refused = project.refused(&["done", "STORY-0001"]);
    assert!(refused.contains("TASK-00004 Draw it (src/chart.rs)") && refused.contains("--dropped REASON"), "{refused}");
    project.done(&["add", "task", "--parent", "STORY-0001", "--intent", "Draw all", "--artifact", "src/chart.rs"]);
    project.done(&["claim", "TASK-00005"]);
    project.done(&["done", "TASK-00005"]);
    project.done(&["done", "STORY-0001", "--without-check", "no test here"]);
    project.valid();

    let project = begun();
    project.done(&add);
    let text = project.done(&["replan", "STORY-0001", "--reason", "wrong cut"]);
    assert!(text.contains("to plan again: Draw it (src/chart.rs)"), "{text}");
    project.done(&["done", "STORY-0001", "--dropped", "nobody looks at it", "--without-check", "no test here"]);
    project.valid();
    project.replace("STORY-0001", "dropped_reason:", "noted:");
    let output = project.plan(&["validate"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("dropped: STORY-0001 is done without"));
}

#[test]
fn a_replan_that_drops_nothing_and_follows_no_failure_is_free() {
    let project = Project::new();
    project.done(&["replan", "STORY-0001", "--reason", "first"]);
    for _ in 0..4 {
        project.done(&["replan", "STORY-0001", "--reason", "again"]);
    }
    assert_eq!(project.node("STORY-0001")["replans_left"], 2);
    project.done(&["add", "task", "--parent", "STORY-0001", "--intent", "Four"]);
    project.done(&["replan", "STORY-0001", "--reason", "again"]);
    assert_eq!(project.node("STORY-0001")["replans_left"], 1);
}

#[test]
fn who_works_on_a_task_that_is_stopped_is_told_once() {
    for (stop, word) in [
        (&["freeze", "STORY-0001", "--reason", "the format is another"][..], "frozen"),
        (&["set", "STORY-0001", "discarded", "--reason", "not needed"], "discarded"),
        (&["set", "TASK-00001", "planned", "--reason", "another does it"], "given back"),
    ] {
        let project = Project::new();
        project.agent_runs("s-1", Some("a1"), &["claim", "TASK-00001"]);
        assert!(!passes(&project, Some("a1"), "before").contains("do not go on"));
        project.done(stop);
        let told = passes(&project, Some("a1"), "first");
        assert!(told.contains(&format!("TASK-00001 was {word} by somebody else")), "{told}");
        assert!(!passes(&project, Some("a1"), "second").contains("do not go on"));
        assert!(!fails_over(&project, "a1", "src/a.rs").contains("do not go on"));
    }
    // On a failure as well, whatever failed; and not about what the agent did itself.
    let project = Project::new();
    project.agent_runs("s-1", Some("a1"), &["claim", "TASK-00001"]);
    project.done(&["freeze", "TASK-00001", "--reason", "wait"]);
    assert!(fails_over(&project, "a1", "src/a.rs").contains("TASK-00001 was frozen by somebody else"));
    let project = Project::new();
    project.agent_runs("s-1", None, &["claim", "TASK-00001"]);
    project.agent_runs("s-1", None, &["freeze", "TASK-00001", "--reason", "wait"]);
    assert!(!passes(&project, None, "next").contains("do not go on"));
    // Nor a subagent, by whatever command.
    for stop in [
        &["freeze", "TASK-00001", "--reason", "wait"][..],
        &["replan", "STORY-0001", "--reason", "misfit", "--of", "TASK-00001"],
        &["set", "TASK-00001", "discarded", "--reason", "useless"],
    ] {
        let project = Project::new();
        project.agent_runs("s-1", Some("a1"), &["claim", "TASK-00001"]);
        let told = project.agent_runs("s-1", Some("a1"), stop);
        assert!(!told.contains("do not go on"), "{stop:?}: {told}");
        assert!(!passes(&project, Some("a1"), "next").contains("do not go on"), "{stop:?}");
    }
    // But one whose task another subagent of its session stopped is, once it does something else than to ask.
    let project = Project::new();
    project.agent_runs("s-1", Some("a1"), &["claim", "TASK-00001"]);
    project.agent_runs("s-1", Some("a2"), &["freeze", "TASK-00001", "--reason", "wait"]);
    project.agent_runs("s-1", Some("a1"), &["status"]);
    assert!(passes(&project, Some("a1"), "next").contains("do not go on"));
}
