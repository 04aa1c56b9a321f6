//! What waits for what can be seen, and nobody waits for ever.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "looks at the files that the executables leave")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::fs;

use serde_json::{Value, json};

use super::arbitrate::git;
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
    assert_eq!(project.plan(&["show", "TASK-9"]).status.code(), Some(1));
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
    project.done(&["done", "STORY-0001", "--without-check", "no test here"]);
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

#[test]
fn dead_ends_and_plans_that_mean_nothing_are_found_with_their_place() {
    type Break = fn(&Project);
    let add = |p: &Project, path: &str| {
        p.done(&["add", "task", "--parent", "STORY-0001", "--intent", "Four", "--artifact", path]);
    };
    let breaks: [(&str, &str, Break); 8] = [
        ("artifacts", "plans `src/*.rs`, as TASK-00002 plans `src/a.rs`", |p| {
            p.replace("TASK-00002", "\nrevision:", "\nartifacts: [src/a.rs]\nrevision:");
            p.replace("TASK-00003", "\nrevision:", "\nartifacts: [\"src/*.rs\"]\nrevision:");
        }),
        ("dead_end", "depends on STORY-0001, which is above it", |p| {
            p.replace("TASK-00003", "[TASK-00001]", "[STORY-0001]");
        }),
        ("dead_end", "depends on TASK-00001, which is discarded", |p| {
            p.done(&["set", "TASK-00001", "discarded", "--reason", "no"]);
        }),
        ("dead_end", "has a plan that no longer fits", |p| {
            p.replace("TASK-00003", "\nrevision:", "\nreplan_required: true\nrevision:");
        }),
        ("artifacts", "plans `/etc/passwd`, which is absolute", |p| {
            p.replace("TASK-00003", "\nrevision:", "\nartifacts: [/etc/passwd]\nrevision:");
        }),
        ("artifacts", "plans `../x`, which is outside of the project", |p| {
            p.replace("TASK-00003", "\nrevision:", "\nartifacts: [../x]\nrevision:");
        }),
        ("artifacts", "unclosed brace", |p| {
            p.replace("TASK-00003", "\nrevision:", "\nartifacts:\n  - path: \"src/{a\"\nrevision:");
        }),
        ("artifacts", "plans `src/a.rs`, as TASK-00002 does", |p| {
            p.replace("TASK-00002", "\nrevision:", "\nartifacts: [./src/a.rs]\nrevision:");
            p.replace("TASK-00003", "\nrevision:", "\nartifacts: [src/a.rs]\nrevision:");
        }),
    ];
    for (rule, what, spoil) in breaks {
        let project = Project::new();
        spoil(&project);
        let output = project.plan(&["validate"]);
        let told = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(1), "{what}");
        let line = told.lines().find(|line| line.contains(what)).unwrap_or_else(|| panic!("{what} in {told}"));
        assert!(line.contains("task.md:") && line.contains(&format!(" {rule}: TASK-00003 ")), "{line}");
    }
    // What is in turn, and a pattern that means something, is as it should be.
    let project = Project::new();
    for path in ["lib/*.rs", "books/{a,b}.py"] {
        add(&project, path);
    }
    project.replace("TASK-00001", "\nrevision:", "\nartifacts: [src/a.rs]\nrevision:");
    project.replace("TASK-00003", "\nrevision:", "\nartifacts: [src/a.rs]\nrevision:");
    project.valid();
}

/// Only what is above it is never done before it, whichever command says that it comes first.
#[test]
fn no_new_task_waits_for_what_is_above_it() {
    let project = Project::new();
    let add = ["add", "task", "--parent", "STORY-0001", "--intent", "Four", "--depends-on", "STORY-0001"];
    assert!(project.refused(&add).contains("STORY-0001 is above it, and is never done before it"));
    let outline = "# Feature: F\n## Story: S\n- test: tests/beds.rs::dry\n### Task: T\n- after: S\n";
    fs::write(project.root().join("plan.md"), outline).unwrap();
    assert!(project.refused(&["tree", "plan.md"]).contains("is above it, and is never done before it"));
    project.valid();
}

#[test]
fn two_nodes_with_one_id_are_named_and_the_second_is_not_given_out() {
    let project = Project::new();
    let page = project.text("TASK-00002").replace("Open it", "Another").replace("TASK-00002", "TASK-00001");
    let file = project.file("TASK-00002");
    fs::write(&file, page).unwrap();
    let renamed = file.parent().unwrap().with_file_name("TASK-00001_zz");
    fs::rename(file.parent().unwrap(), renamed).unwrap();
    let status = project.done(&["status"]);
    assert!(status.matches("─ TASK-00001").count() == 2 && status.contains("two nodes have its id"), "{status}");
    let next = project.done(&["next"]);
    assert!(next.starts_with("claimed TASK-00001") && next.contains("failwise plan renumber TASK-00001"), "{next}");
    let told = String::from_utf8(project.plan(&["validate"]).stdout).unwrap();
    assert!(told.contains("unique_id: TASK-00001 has the id of features/"), "{told}");
}

#[test]
fn a_page_that_is_no_file_and_an_agent_with_two_tasks_are_found() {
    let project = Project::new();
    project.agent_runs("s-1", Some("a1"), &["claim", "TASK-00001"]);
    project.agent_runs("s-1", Some("a2"), &["claim", "TASK-00002"]);
    project.valid();
    project.agent_runs("s-1", Some("a1"), &["done", "TASK-00001"]);
    project.agent_runs("s-1", Some("a2"), &["claim", "TASK-00003"]);
    let file = project.file("TASK-00001");
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    let told = String::from_utf8(project.plan(&["validate"]).stdout).unwrap();
    assert!(told.contains("readable: TASK-00001 it is no file"), "{told}");
    assert!(
        told.contains("claims: TASK-00003 is claimed by session/s-1/agent/a2, which works on TASK-00002"),
        "{told}"
    );
}

/// A page that somebody deleted is found by what is left of it, by the log, or by the last commit; one that a command took
/// away, or a commit did, is not missed.
#[test]
fn a_page_that_was_deleted_is_found() {
    let told = |project: &Project| String::from_utf8(project.plan(&["validate"]).stdout).unwrap();
    let folder = |project: &Project, id: &str| project.file(id).parent().unwrap().to_owned();
    let project = Project::new();
    project.done(&["add", "task", "--parent", "STORY-0001", "--intent", "Not to be"]);
    project.done(&["undo", "TASK-00004"]);
    project.done(&["renumber", "TASK-00003"]);
    assert!(told(&project).ends_with(": no problem found\n"), "{}", told(&project));
    for (expected, is_whole_folder) in
        [("readable: TASK-00002 has lost its page", false), ("readable: TASK-00002 is in the log", true)]
    {
        let project = Project::new();
        project.agent_runs("s-1", None, &["claim", "TASK-00002"]);
        project.agent_runs("s-1", None, &["done", "TASK-00002"]);
        if is_whole_folder {
            fs::remove_dir_all(folder(&project, "TASK-00002")).unwrap();
        } else {
            fs::remove_file(project.file("TASK-00002")).unwrap();
        }
        let told = told(&project);
        assert!(told.contains(expected), "{told}");
    }
    git(&project.root(), &["init", "-q"]);
    git(&project.root(), &["add", "-A"]);
    git(&project.root(), &["commit", "-qm", "a plan"]);
    project.done(&["renumber", "TASK-00001"]);
    assert!(told(&project).ends_with(": no problem found\n"), "{}", told(&project));
    fs::remove_dir_all(folder(&project, "TASK-00002")).unwrap();
    let found = told(&project);
    assert!(found.contains("task.md:1 readable: TASK-00002 has lost its page\n  take it back"), "{found}");
    git(&project.root(), &["add", "-A"]);
    assert!(told(&project).ends_with(": no problem found\n"), "{}", told(&project));
}

#[test]
fn patterns_in_artifacts_cover_what_they_name() {
    for (artifact, drifts) in [("books/*.py", false), ("./books/", false), ("shelves/*.py", true)] {
        let project = Project::new();
        project.done(&["add", "task", "--parent", "STORY-0001", "--intent", "Four", "--artifact", artifact]);
        project.agent_runs("s-1", Some("a1"), &["claim", "TASK-00004"]);
        for name in ["a", "b", "c"] {
            let file = project.root().join(format!("books/{name}.py"));
            project.hook(&json!({
                "session_id": "s-1", "agent_id": "a1", "transcript_path": "", "cwd": project.root(),
                "hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_use_id": name,
                "tool_input": {"file_path": file, "old_string": "a", "new_string": "b"},
                "tool_response": {"filePath": file},
            }));
        }
        project.agent_fails("s-1", Some("a1"), "f1");
        let events = project.events();
        let verdict = events.iter().rev().find(|event| event["event"] == "failure_classified").unwrap();
        assert_eq!(verdict["verdict"]["class"], if drifts { "F3" } else { "F2" }, "{artifact}: {verdict}");
    }
}

#[test]
fn a_command_that_a_decision_offers_can_be_pasted_and_says_what_happened() {
    let project = Project::empty();
    project.done(&["init", "--intent", "Books", "--constraint", "forbidden_commands=twine upload"]);
    project.done(&["add", "feature", "--parent", "MISSION", "--intent", "Shelves"]);
    project.done(&["add", "story", "--parent", "FEAT-1", "--intent", "One", "--test-ref", "tests/beds.rs::dry"]);
    project.done(&["add", "task", "--parent", "STORY-0001", "--intent", "Build it"]);
    project.agent_runs("s-1", None, &["claim", "TASK-00001"]);
    project.hook(&json!({
        "session_id": "s-1", "transcript_path": "", "cwd": project.root(), "hook_event_name": "PostToolUseFailure",
        "tool_name": "Bash", "tool_input": {"command": "twine upload dist/x.whl"}, "tool_use_id": "f1",
        "error": "Exit code 1\nerror: invalid distribution file: dist/x.whl", "is_interrupt": false,
    }));
    let (_, text) =
        project.failwise(&["decide".to_owned(), "--last".to_owned(), "--format".to_owned(), "text".to_owned()]);
    let line = text.lines().find_map(|line| line.trim().strip_prefix("run ")).unwrap().trim().to_owned();
    let words = failwise::shell::Script::parse(&line).pipelines[0].commands[0].args.clone();
    let (code, told) = project.failwise(&words);
    assert_eq!(code, Some(0), "{line}: {told}");
    let reason = &project.node("TASK-00001")["freeze_reason"];
    assert!(reason.as_str().unwrap().starts_with("forbidden_commands of MISSION forbids twine upload"), "{reason}");
}

#[test]
fn what_was_spent_on_a_task_is_shown_and_kept_when_it_ends() {
    let project = Project::new();
    project.agent_runs("s-1", Some("a1"), &["claim", "TASK-00001"]);
    project.agent_runs("s-1", Some("a2"), &["claim", "TASK-00002"]);
    let spent = |id: &str| project.json(&["show", id])["spent"].clone();
    assert_eq!(spent("TASK-00001"), json!(null), "no session's file tells");
    let root = project.root().canonicalize().unwrap();
    let folder: String =
        root.to_string_lossy().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let folder = project.dir.path().join("home/.claude/projects").join(folder);
    fs::create_dir_all(folder.join("s-1/subagents")).unwrap();
    let answer = |message: &str, agent: Option<&str>, ts: &str, input: u64| {
        let usage = json!({
            "input_tokens": input, "output_tokens": 20, "cache_creation_input_tokens": 300, "cache_read_input_tokens": 4000,
        });
        let line = json!({
            "type": "assistant", "uuid": message, "sessionId": "s-1", "agentId": agent, "isSidechain": agent.is_some(),
            "timestamp": ts, "cwd": root, "version": "2.1.329",
            "message": {"id": message, "type": "message", "role": "assistant", "model": "m",
                "content": [{"type": "text", "text": "So."}], "usage": usage},
        });
        format!("{line}\n")
    };
    let bound = |target: &str| {
        let is_of = |event: &&Value| event["event"] == "node_bound" && event["target"] == target;
        project.events().iter().find(is_of).unwrap()["ts"].as_str().unwrap().to_owned()
    };
    let now = bound("TASK-00002");
    fs::write(folder.join("s-1.jsonl"), answer("m0", None, &now, 1_000_000)).unwrap();
    // One answer is told in several lines; what came before the claim is no work on the task.
    let before = answer("m1", Some("a1"), "2001-01-01T00:00:00.000Z", 7_000_000);
    let own =
        [("m2", 1_000), ("m2", 1_000), ("m3", 5)].map(|(message, input)| answer(message, Some("a1"), &now, input));
    let own = before + &own.concat();
    fs::write(folder.join("s-1/subagents/agent-a1.jsonl"), own).unwrap();
    fs::write(folder.join("s-1/subagents/agent-a2.jsonl"), answer("m4", Some("a2"), &now, 2)).unwrap();
    assert_eq!(spent("TASK-00001"), json!({"tokens": 1_645, "cache_read": 8_000}));
    assert_eq!(spent("TASK-00002"), json!({"tokens": 322, "cache_read": 4_000}));
    assert_eq!(spent("TASK-00003"), json!(null));
    assert!(project.done(&["show", "TASK-00001"]).contains("1,645 tokens, and 8,000 from the cache"));
    // While it is worked on it is said that it takes more than it should.
    assert_eq!(project.json(&["show", "TASK-00001"])["overrun"], json!(null), "no budget is known");
    project.done(&["edit", "TASK-00001", "--budget", "1000"]);
    let overrun = |id: &str| [project.json(&["show", id])["overrun"].clone(), project.node(id)["overrun"].clone()];
    assert_eq!(overrun("TASK-00001"), [json!(0.645), json!(0.645)]);
    assert_eq!(overrun("TASK-00002"), [json!(null), json!(null)]);
    assert!(project.done(&["show", "TASK-00001"]).contains("from the cache; 65 % over its budget of 1,000"));
    assert!(project.done(&["status"]).contains("65 % over its budget of tokens"));
    // A decision on its failure knows it, too, as far as the agent's own file tells.
    let deviation = |transcript: &std::path::Path| {
        project.hook(&json!({
            "session_id": "s-1", "agent_id": "a1", "transcript_path": transcript, "cwd": project.root(),
            "hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": {"command": "cargo test"},
            "tool_use_id": format!("{transcript:?}"), "error": "Exit code 101\nerror[E0425]: cannot find value `x` in this scope",
            "is_interrupt": false,
        }));
        let events = project.events();
        let last = events.iter().rev().find(|event| event["event"] == "decision").unwrap();
        last["decision"]["reasons"].to_string()
    };
    let known = deviation(&folder.join("s-1.jsonl"));
    assert!(known.contains("token overrun 0.19"), "{known}");
    let unknown = deviation(std::path::Path::new("/nowhere/s-1.jsonl"));
    assert!(unknown.contains("token overrun null (not measured)"), "{unknown}");
    project.done(&["edit", "TASK-00001", "--budget", "2000"]);
    assert_eq!(overrun("TASK-00001"), [json!(0.0), json!(0.0)]);
    assert!(project.done(&["show", "TASK-00001"]).contains("from the cache; its budget is 2,000"));
    assert!(!project.done(&["status"]).contains("over its budget"));
    project.done(&["done", "TASK-00001"]);
    assert!(fs::read_to_string(project.file("TASK-00001")).unwrap().contains("\nactual_tokens: 1645\n"));
    project.valid();
    // Who goes on to another task spends nothing on the first any more.
    assert_eq!(spent("TASK-00001"), json!({"tokens": 1_645, "cache_read": 8_000}));
}
