//! What waits for what can be seen, and nobody waits for ever.

#![cfg(all(unix, feature = "cli"))]
#![expect(clippy::disallowed_methods, reason = "looks at the files that the executables leave")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::fs;

use serde_json::{Value, json};

use super::plan_commands::Project;

/// The client tells of a subagent's end.
fn ends(project: &Project, agent: &str) {
    project.hook(&json!({
        "session_id": "s-1", "agent_id": agent, "agent_type": "worker", "transcript_path": "", "cwd": project.root(),
        "hook_event_name": "SubagentStop", "stop_hook_active": false, "last_assistant_message": "That is all.",
    }));
}

/// Everything that happened, happened on an earlier day.
fn age(project: &Project, id: &str) {
    let (history, today) = (project.plans().join("history.jsonl"), today(project));
    for file in [history, project.file(id)] {
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, text.replace(&today, "2020-01-01")).unwrap();
    }
}

fn today(project: &Project) -> String {
    project.events()[0]["ts"].as_str().unwrap()[..10].to_owned()
}

#[test]
fn a_node_is_shown_with_everything_that_bears_on_it() {
    let project = Project::empty();
    project.done(&["init", "--intent", "Water the greenhouse", "--constraint", "forbidden_commands=twine upload"]);
    project.done(&["add", "feature", "--parent", "MISSION", "--intent", "Valves"]);
    project.done(&["add", "story", "--parent", "FEAT-1", "--intent", "Open", "--test-ref", "tests/beds.rs::dry"]);
    project.done(&["add", "task", "--parent", "STORY-0001", "--intent", "Find it", "--artifact", "src/valve.rs"]);
    project.done(&["add", "task", "--parent", "STORY-0001", "--intent", "Open it", "--depends-on", "task-1"]);
    project.agent_runs("s-1", None, &["claim", "TASK-00001"]);
    assert_eq!(project.agent_fails("s-1", None, "f1"), "TASK-00001");
    let shown = project.json(&["show", "task-1"]);
    assert_eq!(shown["id"], "TASK-00001");
    assert_eq!(shown["status"], "active");
    assert_eq!(shown["needed_by"], json!(["TASK-00002"]));
    assert_eq!(shown["artifacts"], json!(["src/valve.rs"]));
    let bound = json!([{"from": "MISSION", "kind": "forbidden_commands", "value": "twine upload"}]);
    assert_eq!(shown["constraints"], bound);
    assert_eq!(shown["claimed_by"], "session/s-1");
    let failure = &shown["failures"][0];
    assert_eq!((&failure["class"], &failure["decided"]), (&json!("F2"), &json!("self_heal")), "{failure}");
    assert!(failure["line"].as_str().unwrap().contains("E0425"), "{failure}");
    let waits = project.json(&["show", "TASK-00002"]);
    assert_eq!(waits["not_ready"], "it depends on TASK-00001, which is active");
    let text = project.done(&["show", "TASK-00001"]);
    for part in
        ["needed by    TASK-00002", "bound by     forbidden_commands twine upload (MISSION)", "decided: self_heal"]
    {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert_eq!(project.plan(&["show", "TASK-9"]).status.code(), Some(64));
}

#[test]
fn ids_are_taken_as_people_write_them() {
    let project = Project::new();
    for (command, id) in [("claim", "task-1"), ("done", "TASK-1")] {
        assert_eq!(project.json(&[command, id])["node"], "TASK-00001");
    }
    assert!(project.done(&["status", "story-1"]).starts_with("STORY-0001"));
    assert!(project.done(&["status", "--node", "Story-0001"]).starts_with("STORY-0001"));
    assert_eq!(project.json(&["depend", "task-2", "--on", "task-3"])["node"], "TASK-00002");
    assert_eq!(project.node("TASK-00002")["depends_on"], json!(["TASK-00003"]));
}

#[test]
fn the_status_tells_what_waits_and_folds_what_is_over() {
    let project = Project::new();
    assert!(project.done(&["status"]).contains("TASK-00003  planned  Open it  [after TASK-00001]"));
    for id in ["TASK-00001", "TASK-00002", "TASK-00003"] {
        project.done(&["claim", id]);
        project.done(&["done", id]);
    }
    project.done(&["done", "STORY-0001"]);
    let text = project.done(&["status"]);
    assert!(text.contains("STORY-0001  done") && !text.contains("TASK-0000"), "{text}");
    assert_eq!(project.json(&["status"])["nodes"].as_array().unwrap().len(), 6);
}

#[test]
fn dependencies_are_added_and_dropped_and_none_waits_for_ever() {
    let project = Project::new();
    project.done(&["depend", "TASK-00003", "--on", "TASK-00002"]);
    assert_eq!(project.node("TASK-00003")["depends_on"], json!(["TASK-00001", "TASK-00002"]));
    assert!(
        project.refused(&["depend", "TASK-00003", "--on", "STORY-0001"]).contains("STORY-0001 is above TASK-00003")
    );
    assert_eq!(project.plan(&["depend", "TASK-00003"]).status.code(), Some(64));
    let discarded = project.plan(&["set", "TASK-00001", "discarded", "--reason", "no"]);
    let told = String::from_utf8(discarded.stderr).unwrap();
    assert!(told.contains("TASK-00003 cannot start any more") && told.contains("--drop TASK-00001"), "{told}");
    assert!(
        project.done(&["status"]).contains("TASK-00003 cannot start: it depends on TASK-00001, which is discarded")
    );
    project.done(&["depend", "TASK-00003", "--drop", "TASK-00001"]);
    assert_eq!(project.node("TASK-00003")["depends_on"], json!(["TASK-00002"]));
    assert!(project.refused(&["depend", "TASK-00003", "--drop", "TASK-00001"]).contains("does not depend on"));
}

#[test]
fn a_claim_ends_with_its_agent() {
    let project = Project::new();
    project.agent_runs("s-1", Some("a1"), &["claim", "TASK-00001"]);
    project.agent_fails("s-1", Some("a1"), "f1");
    project.agent_runs("s-1", Some("a2"), &["claim", "TASK-00002"]);
    assert_eq!(project.plan(&["next"]).status.code(), Some(1), "both are worked on");
    ends(&project, "a1");
    let status = project.done(&["status"]);
    assert!(status.contains("TASK-00001 is left: the subagent of session/s-1 that worked on it ended"), "{status}");
    assert!(!status.contains("TASK-00002 is left"), "{status}");
    let next = project.json(&["next"]);
    assert_eq!(next["node"], "TASK-00001");
    assert_eq!(next["taken_over"]["last"], "`cargo test`, which failed", "{next}");
    assert_eq!(project.plan(&["next"]).status.code(), Some(1), "a person has it now");
}

#[test]
fn a_claim_that_nobody_was_heard_of_for_half_an_hour_is_left() {
    let project = Project::new();
    project.agent_runs("s-1", None, &["claim", "TASK-00001"]);
    assert!(project.refused(&["claim", "TASK-00001"]).contains("is claimed by session/s-1"));
    age(&project, "TASK-00001");
    assert!(project.done(&["status"]).contains("TASK-00001 is left: session/s-1 was not heard of for "));
    // After what is ready.
    assert_eq!(project.json(&["next"])["node"], "TASK-00002");
    let text = project.done(&["next"]);
    assert!(
        text.starts_with("claimed TASK-00001") && text.contains("taken over: session/s-1 was not heard of"),
        "{text}"
    );
}

#[test]
fn a_session_that_claims_a_second_task_is_told_of_the_first() {
    let project = Project::new();
    project.agent_runs("s-1", None, &["claim", "TASK-00001"]);
    let mut command = project.command(env!("CARGO_BIN_EXE_failwise"));
    let output = command.env("CLAUDE_CODE_SESSION_ID", "s-1").args(["plan", "next", "--format", "json"]).output();
    let told: Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
    assert_eq!(told["also_claimed"], json!(["TASK-00001"]), "{told}");
}
