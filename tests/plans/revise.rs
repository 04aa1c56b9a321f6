//! Changing what a node plans, what was found out, what happened, and tasks of one story.

#![cfg(unix)]

use serde_json::json;

use crate::plan_commands::Project;

#[test]
fn a_node_is_edited_and_the_rest_of_its_page_stays() {
    let project = Project::new();
    project.replace("TASK-00001", "revision:", "# by hand\nowner: ann\nrevision:");
    project.done(&[
        "edit",
        "task-1",
        "--artifact",
        "./src/find.rs",
        "--artifact",
        "src/**/*.sql",
        "--intent",
        "Find: it",
    ]);
    project.replace("TASK-00001", "  - path: src/find.rs", "  - path: src/find.rs\n    functions: [probe]");
    project.done(&["edit", "TASK-00001", "--artifact", "docs/find.md", "--drop-artifact", "src/**/*.sql"]);
    let page = project.text("TASK-00001");
    let block = "artifacts:\n  - path: src/find.rs\n    functions: [probe]\n  - path: docs/find.md\n";
    assert!(page.contains(block) && page.contains("# by hand\nowner: ann\n"), "{page}");
    assert_eq!(project.node("TASK-00001")["intent"], "Find: it");
    project.done(&["edit", "TASK-00001", "--drop-artifact", "src/find.rs", "--drop-artifact", "docs/find.md"]);
    assert!(!project.text("TASK-00001").contains("artifacts"));
    let story = ["edit", "STORY-0001", "--test-ref", "tests/beds.rs::wet", "--drop-test-ref", "tests/beds.rs::dry"];
    project.done(&story);
    assert!(project.text("STORY-0001").ends_with("acceptance:\n- test_ref: tests/beds.rs::wet\n"));
    project.done(&[
        "edit",
        "FEAT-1",
        "--constraint",
        "forbidden_paths=legacy/**",
        "--constraint",
        "required_checks=make",
    ]);
    project.done(&["edit", "FEAT-1", "--drop-constraint", "forbidden_paths=legacy/**"]);
    let bound = project.json(&["show", "TASK-00001"])["constraints"].clone();
    assert_eq!(bound, json!([{"from": "FEAT-1", "kind": "required_checks", "value": "make"}]));
    project.valid();
    project.done(&["undo", "FEAT-1"]);
    assert!(project.text("FEAT-1").contains("  forbidden_paths: [\"legacy/**\"]\n  required_checks: [make]\n"));
}

#[test]
fn what_was_found_out_is_told_below_the_feature_and_what_happened_is_listed() {
    let project = Project::new();
    project.done(&["claim", "TASK-00001"]);
    project.done(&["promote", "TASK-00001", "--note", "the valve\nsticks below 4 degrees"]);
    project.done(&["promote", "TASK-00001", "--to", "mission", "--note", "no network in CI"]);
    let shown = project.json(&["show", "TASK-00002"]);
    let notes: Vec<&str> =
        shown["discoveries"].as_array().into_iter().flatten().filter_map(|one| one["note"].as_str()).collect();
    assert!(notes[0].starts_with("the valve sticks below 4 degrees (TASK-00001, 20"), "{notes:?}");
    assert!(notes[1].starts_with("no network in CI") && shown.get("history").is_none(), "{shown}");
    project.done(&["edit", "TASK-00001", "--intent", "Find it"]);
    project.done(&["set", "TASK-00001", "planned", "--reason", "the motor is missing"]);
    let history = project.json(&["show", "TASK-00001", "--history"])["history"].clone();
    let what: Vec<&str> = history.as_array().into_iter().flatten().filter_map(|step| step["what"].as_str()).collect();
    assert_eq!(what, ["add", "planned -> active", "edited", "active -> planned"]);
    assert_eq!(history[3]["why"], "the motor is missing");
    let trace = project.done(&["trace", "TASK-00001"]);
    assert!(trace.contains("active -> planned: the motor is missing"), "{trace}");
    project.valid();
}

#[test]
fn a_budget_of_tokens_is_set_changed_and_comes_out_in_the_outline() {
    let project = Project::new();
    project.done(&["edit", "TASK-00001", "--budget", "2000"]);
    assert!(project.text("TASK-00001").contains("\ncontext_budget: 2000\n"));
    assert!(project.done(&["tree", "--print"]).contains("\n- budget: 2000\n"));
    project.done(&["edit", "TASK-00001", "--budget", "0"]);
    assert!(!project.text("TASK-00001").contains("context_budget"));
    project.done(&["add", "task", "--parent", "STORY-0001", "--intent", "Draw", "--budget", "500"]);
    assert!(project.text("TASK-00004").contains("\ncontext_budget: 500\n"));
    assert!(project.refused(&["edit", "MISSION", "--budget", "9"]).contains("MISSION has no budget"));
    project.valid();
}

#[test]
fn wrong_uses_of_a_node_name_the_next_step() {
    let project = Project::new();
    assert!(project.refused(&["done", "TASK-00001"]).contains("failwise plan claim TASK-00001"));
    assert!(project.refused(&["done", "MISSION"]).contains("one by one: failwise plan status"));
    assert!(project.refused(&["promote", "MISSION", "--note", "x"]).contains("name the node below it"));
    project.done(&["add", "story", "--parent", "FEAT-1", "--intent", "Other", "--test-ref", "tests/beds.rs::x"]);
    let told = project.refused(&["replan", "STORY-0002", "--reason", "x", "--of", "TASK-00001"]);
    assert!(told.contains("TASK-00001 is not below STORY-0002"), "{told}");
    let nowhere = project.plan(&["status", "--plans", "nowhere"]);
    assert!(String::from_utf8_lossy(&nowhere.stderr).contains("failwise plan init makes a plan"));
}

#[test]
fn the_next_task_of_one_story_is_asked_for() {
    let project = Project::new();
    let story = ["add", "story", "--parent", "FEAT-1", "--intent", "Close them", "--test-ref", "tests/beds.rs::wet"];
    project.done(&story);
    project.done(&["add", "task", "--parent", "STORY-0002", "--intent", "Close it"]);
    assert_eq!(project.json(&["next", "--dry-run", "--story", "story-2"])["node"], "TASK-00004");
    assert!(project.done(&["next", "--story", "STORY-0002"]).starts_with("claimed TASK-00004"));
    let nothing = project.plan(&["next", "--story", "STORY-0002"]);
    let told = String::from_utf8_lossy(&nothing.stdout).into_owned();
    assert!(told.contains("TASK-00004") && !told.contains("TASK-00003"), "{told}");
    assert!(project.done(&["list"]).contains("TASK-00004  active"));
}
