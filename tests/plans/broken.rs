//! One bad file stops nobody: the other tasks are worked, and the bad one is named wherever somebody looks.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "starts the executables and looks at the files they leave")]

use std::fs;

use serde_json::{Value, json};

use super::plan_commands::Project;

/// What a file of a plan may become by a killed process, an editor, a merge or another tool.
const SPOILED: [(&str, &str); 7] = [
    ("garbled", "\u{1}\u{2}\u{fffd}\u{fffd}"),
    ("half written", "---\nid: TASK-00001\ntier: 4\npar"),
    ("empty", ""),
    ("no front matter", "# Find the valve\n"),
    (
        "in conflict",
        "---\nid: TASK-00001\ntier: 4\nparent: STORY-0001\n<<<<<<< HEAD\nstatus: active\nclaimed_by: \"ann\"\n=======\nstatus: \
         planned\n>>>>>>> theirs\nrevision: 2\n---\n",
    ),
    ("its own word", "---\nid: TASK-00001\ntier: 4\nparent: STORY-0001\nstatus: in-progress\nrevision: 1\n---\n"),
    ("upstream's word", "---\nid: TASK-00001\ntier: 4\nparent: STORY-0001\nstatus: blocked-on-confirm\n---\n"),
];

#[test]
fn a_task_whose_file_is_spoiled_is_passed_over_and_named() {
    for (kind, text) in SPOILED {
        let project = Project::new();
        fs::write(project.file("TASK-00001"), text).unwrap();
        let node = project.node("TASK-00001");
        assert!(node["fault"].as_str().is_some_and(|fault| fault.starts_with("line ")), "{kind}: {node}");
        let shown = project.done(&["status"]);
        assert!(shown.contains("TASK-00001") && shown.contains("broken, line "), "{kind}: {shown}");
        assert!(shown.contains("1 ready, the first is TASK-00002"), "{kind}: {shown}");
        assert!(project.refused(&["claim", "TASK-00001"]).contains("TASK-00001"), "{kind}");

        let next = project.json(&["next"]);
        assert_eq!(next["node"], "TASK-00002", "{kind}");
        assert_eq!(next["waiting"][0]["id"], "TASK-00001", "{kind}: {next}");
        assert_eq!(next["waiting"][0]["reason"], "broken", "{kind}: {next}");
        project.done(&["done", "TASK-00002"]);
        let validate = project.plan(&["validate"]);
        assert_eq!(validate.status.code(), Some(1), "{kind}");
        assert!(String::from_utf8_lossy(&validate.stdout).contains("TASK-00001"), "{kind}");

        let nothing = project.plan(&["next"]);
        assert_eq!(nothing.status.code(), Some(1), "{kind}");
        let told = String::from_utf8(nothing.stdout).unwrap();
        assert!(told.contains("TASK-00001     waits: its file is broken (features/"), "{kind}: {told}");
        assert!(told.contains("TASK-00003     waits: it depends on TASK-00001"), "{kind}: {told}");
    }
}

#[test]
fn a_node_above_whose_file_is_spoiled_stops_no_task() {
    for id in ["STORY-0001", "FEAT-1", "MISSION"] {
        for (kind, text) in SPOILED {
            let project = Project::new();
            fs::write(project.file(id), text.replace("TASK-00001", id)).unwrap();
            let claimed = project.json(&["next"]);
            assert_eq!(claimed["node"], "TASK-00001", "{id} {kind}");
            project.done(&["done", "TASK-00001"]);
            assert!(!project.plan(&["validate"]).status.success(), "{id} {kind}");
        }
    }
}

#[test]
fn files_of_one_machine_are_made_again_and_that_is_said() {
    for name in ["active.json", ".counters.json"] {
        for text in [None, Some(""), Some("<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> b\n"), Some("{\"active\": 7")] {
            let project = Project::new();
            project.done(&["next"]);
            match text {
                None => fs::remove_file(project.plans().join(name)).unwrap(),
                Some(text) => project.write(name, text),
            }
            let status = project.plan(&["status"]);
            assert!(status.status.success(), "{name} {text:?}");
            // One that is not there, as in a fresh clone, is no news before a change.
            let is_told = String::from_utf8_lossy(&status.stderr).contains(name);
            assert_eq!(is_told, text.is_some(), "{name} {text:?}");
            assert_eq!(project.json(&["status"])["active"], "TASK-00001", "{name} {text:?}");
            assert_eq!(project.plan(&["validate"]).status.success(), text.is_none(), "{name} {text:?}");
            let added = ["add", "task", "--parent", "STORY-0001", "--intent", "Four"];
            assert_eq!(project.json(&added)["node"], "TASK-00004", "{name} {text:?}");
            project.valid();
            assert!(project.plan(&["status"]).stderr.is_empty(), "{name} {text:?}");
        }
    }
}

/// Where there is something else in the place of such a file, nothing can be changed: that is found, and said as it is.
#[test]
fn what_is_in_the_way_of_a_file_of_one_machine_is_found() {
    for (name, rule) in [("active.json", "active"), (".counters.json", "counters"), (".mutation.json", "readable")] {
        let project = Project::new();
        let file = project.plans().join(name);
        let _ = fs::remove_file(&file);
        fs::create_dir(&file).unwrap();
        let told = project.plan(&["validate"]);
        let told = [told.stdout, told.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        assert!(told.contains(&format!("{name}:1 {rule}: MISSION")) && told.contains("1 to fix"), "{told}");
        assert!(!told.contains("it is made again"), "{told}");
        assert!(project.plan(&["status"]).status.success(), "{name}");
        assert_eq!(project.plan(&["next"]).status.code(), Some(74), "{name}");
        fs::remove_dir(&file).unwrap();
        project.done(&["next"]);
        project.valid();
    }
    let project = Project::new();
    project.write(".mutation.json", "");
    let told = String::from_utf8(project.plan(&["validate"]).stdout).unwrap();
    assert!(told.contains(".mutation.json:1 readable: MISSION") && told.contains("move it away"), "{told}");
}

#[test]
fn a_plan_that_lost_its_history_is_said_to_have_lost_it() {
    let project = Project::new();
    fs::remove_file(project.plans().join("history.jsonl")).unwrap();
    for told in [project.refused(&["next"]), project.done(&["status"])] {
        assert!(told.contains("has lost the history.jsonl that it was trusted with"), "{told}");
        assert!(told.contains("failwise trust") && !told.contains("came with the project"), "{told}");
    }
}

#[test]
fn a_new_plan_takes_over_no_tree_that_lies_there() {
    let project = Project::new();
    let home = project.dir.path().join("other-home");
    let other = |arguments: &[&str]| {
        let mut command = project.command(env!("CARGO_BIN_EXE_failwise"));
        let output = command.env("HOME", &home).args(arguments).output().unwrap();
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        (output.status.code(), text)
    };
    fs::remove_file(project.plans().join("active.json")).unwrap();
    let (code, told) = other(&["plan", "init", "--intent", "Mine"]);
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("nobody trusted it") && told.contains("failwise trust"), "{told}");
    let (_, told) = other(&["trust", "--show"]);
    assert!(told.contains("waits") && told.contains("6 nodes"), "{told}");
    assert!(project.text("MISSION").contains("Water the greenhouse"));
    fs::remove_dir_all(project.plans().join("mission")).unwrap();
    let (code, told) = other(&["plan", "init", "--intent", "Mine"]);
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("has features of a plan without a mission"), "{told}");
}

#[test]
fn a_plan_that_was_moved_is_said_to_be_moved() {
    let project = Project::new();
    let (here, there) = (project.root(), project.dir.path().join("moved"));
    fs::rename(&here, &there).unwrap();
    let mut command = project.command(env!("CARGO_BIN_EXE_failwise"));
    let output = command.current_dir(&there).args(["plan", "next"]).output();
    let told = String::from_utf8(output.unwrap().stderr).unwrap();
    assert!(told.contains("was moved or copied from") && told.contains("failwise trust"), "{told}");
    assert!(!told.contains("came with the project"), "{told}");
}

#[test]
fn only_next_tells_what_waits() {
    let project = Project::new();
    let next = project.json(&["next", "--dry-run"]);
    assert_eq!(next["waiting"], json!([]));
    assert_eq!(project.json(&["claim", "TASK-00002"]).get("waiting"), None::<&Value>);
}
