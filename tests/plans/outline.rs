//! Making and extending a plan from one outline, by the executables.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "starts the executables and looks at the files they leave")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::fs;
use std::io::Write;
use std::process::{Output, Stdio};

use serde_json::json;

use crate::plan_commands::Project;

const OUTLINE: &str = "# Mission: Water the greenhouse\n\n## Feature: Valves\n\n### Story: Open them\n- test: tests/beds.rs::dry\n\n\
                       #### Task: Find the valve\n- file: src/find.rs\n\n#### Task: Open it\n- file: src/open.rs\n- after: Find the valve\n";

/// What `failwise plan` answers to an outline on stdin, asked by an agent or a person.
fn given(project: &Project, outline: &str, arguments: &[&str], by_agent: bool) -> Output {
    let mut command = project.command(env!("CARGO_BIN_EXE_failwise"));
    if by_agent {
        command.env("CLAUDE_CODE_SESSION_ID", "s-1");
    }
    let command = command.arg("plan").args(arguments);
    let mut running = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    running.stdin.take().unwrap().write_all(outline.as_bytes()).unwrap();
    running.wait_with_output().unwrap()
}

fn told(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn an_outline_makes_a_plan_and_comes_out_again() {
    let project = Project::empty();
    let dry = told(&given(&project, OUTLINE, &["tree", "-", "--dry-run"], false));
    assert!(
        dry.contains("TASK-00002  Open it") && dry.ends_with("4 nodes would be added; nothing was changed\n"),
        "{dry}"
    );
    assert!(!project.plans().join("mission").exists(), "nothing is written");
    let made = told(&given(&project, OUTLINE, &["tree", "-"], false));
    assert!(made.contains("4 nodes added"), "{made}");
    project.valid();
    let printed = project.done(&["tree", "--print"]);
    let plain = ["Feature FEAT-1", "Story STORY-0001", "Task TASK-00001", "Task TASK-00002"];
    let plain =
        plain.iter().fold(printed.clone(), |text, with_id| text.replace(with_id, with_id.split(' ').next().unwrap()));
    assert_eq!(plain.replace("after: TASK-00001", "after: Find the valve"), OUTLINE);
    assert!(told(&given(&project, &printed, &["tree", "-"], false)).starts_with("nothing to add; 4 there already"));
    assert!(project.done(&["next"]).starts_with("claimed TASK-00001"));
    // One change: undone as one.
    let more = "# Story STORY-0001\n## Task: Close it\n## Task: Look\n- after: Close it\n";
    let added: serde_json::Value =
        serde_json::from_slice(&given(&project, more, &["tree", "-", "--json"], false).stdout).unwrap();
    assert_eq!((&added["changed"][1]["id"], &added["known"]), (&json!("TASK-00004"), &json!(1)));
    project.done(&["undo", "TASK-00003"]);
    assert!(!project.done(&["status"]).contains("TASK-00004"));
    let below = "# Task: Close it\n";
    assert!(
        told(&given(&project, below, &["expand", "story-1", "-"], false)).starts_with("      TASK-00005  Close it\n")
    );
    project.valid();
}

#[test]
fn ids_come_in_the_order_of_their_numbers() {
    let project = Project::empty();
    let feature = |at: usize| format!("## Feature: F{at}\n### Story: S\n- test: t.rs::t\n#### Task: T{at}\n");
    let outline = (1..=11).map(feature).fold("# Mission: Many\n".to_owned(), |text, feature| text + &feature);
    assert!(given(&project, &outline, &["tree", "-"], false).status.success());
    let printed = project.done(&["tree", "--print"]);
    let features: Vec<&str> = printed.lines().filter_map(|line| line.strip_prefix("## Feature ")).collect();
    assert_eq!(features, (1..=11).map(|at| format!("FEAT-{at}: F{at}")).collect::<Vec<_>>());
    assert!(project.done(&["next", "--dry-run"]).starts_with("ready TASK-00001"));
    let status = project.done(&["status"]);
    assert!(status.find("FEAT-2 ") < status.find("FEAT-10 "), "{status}");
}

#[test]
fn an_outline_that_does_not_fit_changes_nothing() {
    let project = Project::new();
    let before = project.done(&["status", "--json"]);
    let wrong = OUTLINE.replace("after: Find the valve", "after: Find another").replace("Valves", "Pumps");
    let refused = given(&project, &wrong, &["tree", "-"], false);
    assert_eq!(refused.status.code(), Some(1));
    assert!(told(&refused).contains("line 13: `Find another` is no node"), "{}", told(&refused));
    assert_eq!(project.done(&["status", "--json"]), before);
    fs::write(project.root().join("plan.md"), [0xff, 0xfe]).unwrap();
    assert_eq!(project.plan(&["tree", "plan.md"]).status.code(), Some(65));
    assert_eq!(project.plan(&["tree", "none.md"]).status.code(), Some(74));
}

#[test]
fn an_agent_makes_no_plan_and_binds_nobody_by_an_outline() {
    let project = Project::empty();
    let refused = given(&project, OUTLINE, &["tree", "-"], true);
    assert!(told(&refused).contains("a person makes it by `failwise plan init`"), "{}", told(&refused));
    assert!(!project.plans().join("mission").exists());
    project.done(&["init", "--intent", "Water the greenhouse"]);
    let bound = OUTLINE.replace("## Feature: Valves\n", "## Feature: Valves\n- constraint: forbidden_paths=src/**\n");
    assert!(told(&given(&project, &bound, &["tree", "-"], true)).contains("constraints are a person's choice"));
    assert!(given(&project, OUTLINE, &["tree", "-"], true).status.success());
    assert!(
        given(
            &project,
            &bound.replace("Valves", "Pumps").replace("file: src", "file: pumps"),
            &["tree", "-", "--new"],
            true
        )
        .status
        .success()
    );
    assert!(project.text("FEAT-2").contains("forbidden_paths: [\"src/**\"]"), "{}", project.text("FEAT-2"));
}
