//! A big plan stays out of the hooks' way: who changes it holds the history's lock only while it writes there.

#![cfg(unix)]

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use super::plan_commands::Project;

/// How many tasks the plan has.
const TASKS: usize = 1_500;

/// One story with many tasks, written as older scripts wrote them.
fn big() -> Project {
    let project = Project::empty();
    let node = |path: &str, id: &str, parent: &str, more: &str| {
        let front = format!("---\nid: {id}\nparent: {parent}\nintent: Rows\nstatus: planned\nrevision: 1\n{more}---\n");
        project.write(path, &front);
    };
    project.write("mission.md", "---\nid: MISSION\nintent: Sort the books\n---\n");
    node("features/FEAT-1/feature.md", "FEAT-1", "MISSION", "");
    let story = "features/FEAT-1/stories/STORY-0001";
    node(&format!("{story}/story.md"), "STORY-0001", "FEAT-1", "acceptance:\n- test_ref: tests/beds.rs::dry\n");
    for task in 1..=TASKS {
        let id = format!("TASK-{task:05}");
        node(&format!("{story}/tasks/{id}.md"), &id, "STORY-0001", "");
    }
    crate::trusting::trust(&project.dir.path().join("home"), &project.root());
    project
}

#[test]
fn the_status_of_a_large_plan_is_bounded() {
    let status = big().done(&["status"]);
    assert!(status.contains("TASK-00190") && !status.contains("TASK-00210 "), "{status}");
    assert!(status.contains("1303 more open ones; ") && status.len() < 40_000, "{}", status.len());
}

#[test]
fn no_hook_goes_without_the_lock_while_a_plan_is_changed() {
    let project = big();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                project.done(&["claim", "TASK-00001"]);
                project.done(&["set", "TASK-00001", "planned", "--reason", "given back"]);
            }
        });
        for number in 0..40 {
            project.hook(&json!({
                "session_id": "s-1", "transcript_path": "", "cwd": project.root(), "hook_event_name": "PostToolUse",
                "tool_name": "Bash", "tool_input": {"command": "cargo build"}, "tool_use_id": format!("c{number}"),
                "tool_response": {"stdout": "", "stderr": ""},
            }));
        }
        over.store(true, Ordering::Relaxed);
    });
    let events = project.events();
    let calls = events.iter().filter(|event| event["event"] == "execution_completed");
    let unlocked = calls.clone().filter(|event| event["unlocked"] == true).count();
    assert_eq!((calls.count(), unlocked), (40, 0), "calls, and those of them that were written without the lock");
    assert!(events.iter().any(|event| event["event"] == "state_changed"), "the plan was changed in between");
}
