//! Conflicts from end to end: found, arbitrated, resolved by the executable, in real repositories with real worktrees.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "builds projects on disk and starts the executables")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use failwise::history::{Body, Effect, Event, Execution};
use failwise::model::Ids;
use failwise::model::NodeStatus;
use failwise::plan::PlanTree;
use failwise::plan::edit::Editor;
use serde_json::{Value, json};
use tempfile::TempDir;

const NOW: &str = "2031-01-05T10:00:00.000Z";
const A: &str = "TASK-00001";
const B: &str = "TASK-00002";
const C: &str = "TASK-00003";

struct Project {
    root: TempDir,
    plans: PathBuf,
}

/// What a task plans, as YAML.
struct Plan(&'static str, &'static str);

impl Project {
    /// A story with three tasks, in a repository with one commit. `artifacts` are those of A and B; C plans a file of its
    /// own.
    fn new(Plan(a, b): &Plan) -> Self {
        Self::at(".claude/plans", &Plan(a, b), true)
    }

    fn at(place: &str, Plan(a, b): &Plan, in_folders: bool) -> Self {
        let root = tempfile::tempdir().unwrap();
        let plans = root.path().join(place);
        let project = Self { root, plans };
        project.git(&["init", "-q"]);
        project.write("src/scan.rs", "fn next() {\n    one();\n}\n\nfn back() {\n    two();\n}\n");
        project.write("src/other.rs", "fn other() {}\n");
        project.git(&["add", "src"]);
        project.git(&["commit", "-qm", "begin"]);
        project.plan(
            "active.json",
            r#"{"active":{"mission":"MISSION","feature":"FEAT-1","story":"STORY-0001","task":null}}"#,
        );
        let counters = r#"{"schema_version":1,"counters":{"INIT":0,"FEAT":1,"STORY":1,"TASK":3,"CONFLICT":0,"DEC":0}}"#;
        project.plan(".counters.json", counters);
        let mission = if in_folders { "mission/mission.md" } else { "mission.md" };
        project.plan(mission, "---\nid: MISSION\ntier: 0\nchildren: [FEAT-1]\n---\n");
        let slug = if in_folders { "_reader" } else { "" };
        let feature = format!("features/FEAT-1{slug}");
        project.plan(
            &format!("{feature}/feature.md"),
            "---\nid: FEAT-1\ntier: 2\nparent: MISSION\nstatus: active\nchildren: [STORY-0001]\nrevision: 1\n---\n",
        );
        let story = format!("{feature}/stories/STORY-0001{slug}");
        project.plan(
            &format!("{story}/story.md"),
            "---\nid: STORY-0001\ntier: 3\nparent: FEAT-1\nstatus: planned\nchildren: [TASK-00001, TASK-00002, TASK-00003]\nrevision: 1\n---\n",
        );
        let tasks = [(A, "Sniff the dialect", a), (B, "Decimal commas", b), (C, "Dates", &"artifacts: [src/mine.rs]")];
        for (id, intent, artifacts) in tasks {
            let file = if in_folders { format!("{id}_work/task.md") } else { format!("{id}.md") };
            let text = format!(
                "---\nid: {id}\ntier: 4\nparent: STORY-0001\nintent: {intent}\nstatus: planned\ndepends_on: []\n{artifacts}\nrevision: 1\n---\nbody\n"
            );
            project.plan(&format!("{story}/tasks/{file}"), &text);
        }
        fs::create_dir_all(project.path().join("home")).unwrap();
        project.trusted();
        project
    }

    /// The person trusts the plan, wherever it lies.
    fn trusted(&self) {
        let plans = [("AF_PLANS_DIR", self.plans.as_path())];
        assert!(self.run_with(&["trust", "--yes"], "", &plans).status.success());
    }

    fn path(&self) -> &Path {
        self.root.path()
    }

    fn git(&self, arguments: &[&str]) -> String {
        git(self.path(), arguments)
    }

    fn write(&self, file: &str, text: &str) {
        let file = self.path().join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn plan(&self, file: &str, text: &str) {
        let file = self.plans.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    /// The repository's own filter for every file. What is there once it was run.
    fn trap(&self, kind: &str) -> PathBuf {
        let (trap, sprung) = (self.path().join("trap.sh"), self.path().join("sprung"));
        fs::write(&trap, format!("#!/bin/sh\ntouch '{}'\ncat\n", sprung.display())).unwrap();
        fs::set_permissions(&trap, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        fs::create_dir_all(self.path().join(".git/info")).unwrap();
        fs::write(self.path().join(".git/info/attributes"), "* filter=trap\n").unwrap();
        self.git(&["config", &format!("filter.trap.{kind}"), trap.to_str().unwrap()]);
        self.git(&["config", "filter.trap.required", "true"]);
        sprung
    }

    fn editor(&self) -> Editor {
        Editor::begin(&self.plans, self.path(), &self.plans, Ids::default()).unwrap()
    }

    fn claim(&self, id: &str) {
        self.editor().claim(id, Some("session/s1"), NOW).unwrap();
    }

    fn done(&self, id: &str) {
        self.editor().set(id, NodeStatus::Done, None, NOW).unwrap();
    }

    fn status(&self, id: &str) -> NodeStatus {
        self.editor().tree().node(id).unwrap().status.unwrap()
    }

    fn field(&self, id: &str, key: &str) -> Option<String> {
        self.editor().tree().node(id).unwrap().field(key)
    }

    /// The history tells that a node changed a file by its name, in a worktree.
    fn tell_change(&self, node: &str, file: &Path, worktree: Option<&Path>) {
        let id = format!("{node}-{}", file.display());
        let files_touched = vec![file.to_str().unwrap().to_owned()];
        let wrote = Execution { effect: Effect::Files, files_touched, ..Execution::default() };
        let mut event = Event::new(id, NOW, node, &Ids::default(), Body::ExecutionCompleted(Box::new(wrote)));
        event.worktree = worktree.map(|worktree| worktree.to_str().unwrap().to_owned());
        self.append("history.jsonl", &serde_json::to_string(&event).unwrap());
    }

    fn append(&self, file: &str, line: &str) {
        let mut log = fs::OpenOptions::new().create(true).append(true).open(self.plans.join(file)).unwrap();
        writeln!(log, "{line}").unwrap();
    }

    fn run(&self, arguments: &[&str], input: &str) -> Output {
        self.run_with(arguments, input, &[])
    }

    fn run_with(&self, arguments: &[&str], input: &str, env: &[(&str, &Path)]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_failwise"));
        command.args(arguments).env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.path().join("home")).envs(env.iter().copied()).current_dir(self.path());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        child.wait_with_output().unwrap()
    }

    /// The answer and the exit code.
    fn json(&self, arguments: &[&str], input: &str) -> (Value, i32) {
        let out = self.run(arguments, input);
        let code = out.status.code().unwrap();
        let told = String::from_utf8_lossy(&out.stderr);
        (serde_json::from_slice(&out.stdout).unwrap_or_else(|_| json!(told)), code)
    }

    fn scan(&self) -> Value {
        self.json(&["plan", "conflicts", "scan", "--format", "json"], "").0
    }

    /// The id of the one conflict that a scan finds.
    fn conflict(&self) -> String {
        let scan = self.scan();
        let found = scan["conflicts"].as_array().unwrap();
        assert_eq!(found.len(), 1, "{scan}");
        found[0]["conflict_id"].as_str().unwrap().to_owned()
    }

    fn arbitrate(&self, id: &str) -> Value {
        let (answer, code) = self.json(&["arbitrate", id], "");
        assert!(answer.is_object(), "{code} {answer}");
        assert_eq!(code, i32::from(answer["automatic"] == false && answer["resolution"].is_null()), "{answer}");
        answer
    }

    fn resolve(&self, id: &str, choice: &[&str]) -> (Value, i32) {
        self.json(&[&["plan", "conflicts", "resolve", id], choice, &["--format", "json"]].concat(), "")
    }

    fn lines(&self, file: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.plans.join(file)).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn events(&self, kind: &str) -> Vec<Value> {
        self.lines("history.jsonl").into_iter().filter(|line| line["event"] == kind).collect()
    }

    fn is_in_conflict(&self, id: &str) -> bool {
        PlanTree::open(&self.plans).unwrap().facts(id).conflict.is_some()
    }

    /// Every byte of the tree.
    fn snapshot(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files: Vec<(PathBuf, Vec<u8>)> = walkdir::WalkDir::new(&self.plans)
            .into_iter()
            .map(|entry| entry.unwrap())
            .filter(|entry| entry.file_type().is_file() && entry.file_name() != "history.lock")
            .filter(|entry| !entry.path().components().any(|part| part.as_os_str() == "state"))
            .map(|entry| (entry.path().to_owned(), fs::read(entry.path()).unwrap()))
            .collect();
        files.sort();
        files
    }
}

pub(super) fn git(dir: &Path, arguments: &[&str]) -> String {
    let config = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"];
    let mut command = Command::new("git");
    command.args(config).arg("-C").arg(dir).args(arguments).env("GIT_CONFIG_GLOBAL", "/dev/null");
    let out = command.output().unwrap();
    assert!(out.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap().trim().to_owned()
}

const SAME_FILE: Plan = Plan("artifacts: [src/scan.rs]", "artifacts: [src/scan.rs]");

#[test]
fn the_loser_is_frozen_the_winner_finishes_and_the_loser_goes_on() {
    let project = Project::new(&SAME_FILE);
    project.claim(A);
    let id = project.conflict();
    let answer = project.arbitrate(&id);
    assert_eq!((&answer["decision"], &answer["rule"]), (&json!("freeze"), &json!("same_file")));
    assert_eq!((&answer["proposed"], &answer["blocker"]), (&json!(B), &json!(A)));
    assert_eq!(project.status(B), NodeStatus::Frozen);
    assert_eq!(project.field(B, "conflict_id").as_deref(), Some(id.as_str()));
    assert_eq!((project.status(A), project.status(C)), (NodeStatus::Active, NodeStatus::Planned), "never a sibling");
    // The failures of the winner are its own; those of the frozen one are the conflict's.
    assert!(!project.is_in_conflict(A) && project.is_in_conflict(B));

    let again = project.arbitrate(&id);
    assert_eq!(
        (&again["applied"], &again["arbitrations"]),
        (&json!(false), &json!(1)),
        "asking again is no arbitration"
    );

    project.write("src/other.rs", "fn other() { changed() }\n");
    project.done(A);
    let answer = project.arbitrate(&id);
    assert_eq!((&answer["decision"], &answer["compatibility"]), (&json!("auto_thaw"), &json!("compatible")));
    assert_eq!((&answer["resolution"], project.status(B)), (&json!("auto_thaw"), NodeStatus::Planned));
    assert!(!project.is_in_conflict(B), "a conflict that is over makes no failure its own");

    let before = project.snapshot();
    let over = project.arbitrate(&id);
    assert_eq!((&over["applied"], &over["resolution"]), (&json!(false), &json!("auto_thaw")));
    assert_eq!(project.snapshot(), before, "arbitrating what is over changes nothing");
}

#[test]
fn both_logs_are_written() {
    let project = Project::new(&SAME_FILE);
    project.claim(A);
    let id = project.conflict();
    project.arbitrate(&id);
    let detected = project.events("conflict_detected");
    assert_eq!((&detected[0]["node"], &detected[0]["conflict_id"]), (&json!(B), &json!(id)));
    let arbitrated = project.events("conflict_arbitrated");
    assert_eq!((&arbitrated[0]["conflict_id"], &arbitrated[0]["target"]), (&json!(id), &json!(B)));
    assert!(arbitrated[0]["reason"].as_str().unwrap().starts_with("freeze: "));
    let log = project.lines("conflicts.jsonl");
    assert_eq!(log.len(), 2);
    for line in &log {
        assert_eq!(line["participants"].as_array().unwrap().len(), 2, "each line is whole: {line}");
        assert!(line["ts"].is_null(), "a retention by time takes no line");
    }
    assert_eq!(log[1]["arbitration"]["event"], arbitrated[0]["id"]);
}

/// The predecessor gave each detection a new id, so that nothing could be counted.
#[test]
fn the_same_conflict_found_again_is_the_same_conflict() {
    let project = Project::new(&SAME_FILE);
    project.claim(A);
    let id = project.conflict();
    assert_eq!(project.conflict(), id);
    assert_eq!(project.lines("conflicts.jsonl").len(), 1);
    assert_eq!(project.events("conflict_detected").len(), 1);
}

/// The predecessor looked for the flat layout, and in `.claude/plans` only, and so found nothing.
#[test]
fn conflicts_are_found_in_both_layouts_and_wherever_the_plan_lies() {
    for (place, in_folders) in [(".claude/plans", false), (".aura/plans", true), ("elsewhere/tree", true)] {
        let project = Project::at(place, &SAME_FILE, in_folders);
        project.claim(A);
        let plans = [("AF_PLANS_DIR", project.plans.as_path())];
        let env = if place.starts_with('.') { &plans[..0] } else { &plans[..] };
        let out = project.run_with(&["plan", "conflicts", "scan", "--format", "json"], "", env);
        let scan: Value = serde_json::from_slice(&out.stdout).unwrap();
        assert_eq!(scan["conflicts"].as_array().unwrap().len(), 1, "{place}: {scan}");
        assert_eq!(out.status.code(), Some(1));
    }
}

/// A repository may name programs that git runs on every file that it compares. None of them is run, and what is decided
/// stays what it was.
#[test]
fn no_filter_of_the_repository_runs_and_decisions_stay() {
    for kind in ["clean", "process"] {
        let project = Project::new(&SAME_FILE);
        project.claim(A);
        let id = project.conflict();
        project.arbitrate(&id);
        project.write("src/scan.rs", "fn next() {}\n");
        project.done(A);
        let sprung = project.trap(kind);
        assert_eq!(project.run(&["arbitrate", &id, "--dry-run"], "").status.code(), Some(0));
        assert_eq!(project.arbitrate(&id)["decision"], "auto_discard");
        assert!(!sprung.exists(), "arbitrate, {kind}");

        let project = Project::new(&Plan("artifacts: [src/a.rs]", "artifacts: [src/b.rs]"));
        project.claim(A);
        project.claim(B);
        let linked = project.path().join("linked");
        project.git(&["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
        let sprung = project.trap(kind);
        project.write("src/scan.rs", "fn next() {\n    changed();\n}\n\nfn back() {\n    two();\n}\n");
        fs::write(linked.join("src/scan.rs"), "fn next() {\n    mine();\n}\n\nfn back() {\n    two();\n}\n").unwrap();
        project.tell_change(A, &project.path().join("src/scan.rs"), None);
        project.tell_change(B, &linked.join("src/scan.rs"), Some(&linked));
        assert_eq!(project.scan()["conflicts"][0]["type"], "function_overlap");
        assert!(!sprung.exists(), "scan, {kind}");
    }
}

/// The predecessor's comparison saw commits only: what was not committed looked compatible.
#[test]
fn an_uncommitted_change_of_the_blocker_counts() {
    let project = Project::new(&SAME_FILE);
    project.claim(A);
    let id = project.conflict();
    project.arbitrate(&id);
    project.write("src/scan.rs", "fn next() {}\n");
    project.done(A);
    let answer = project.arbitrate(&id);
    assert_eq!((&answer["decision"], &answer["compatibility"]), (&json!("auto_discard"), &json!("overlapping")));
    assert_eq!(project.status(B), NodeStatus::Planned);
    assert_eq!(project.field(B, "replan_required").as_deref(), Some("true"));
    let refused = project.editor().claim(B, None, NOW).unwrap_err();
    assert!(refused.to_string().contains("outdated"), "it is not begun before it is replanned: {refused}");
    let way_out = format!("failwise plan set {B} planned --reason");
    assert!(refused.to_string().contains(&way_out), "{refused}");

    project.editor().set(B, NodeStatus::Planned, None, NOW).unwrap_err();
    assert_eq!(project.field(B, "replan_required").as_deref(), Some("true"), "a word why is asked for");
    project.editor().set(B, NodeStatus::Planned, Some("it reads what the other one wrote"), NOW).unwrap();
    assert_eq!(project.field(B, "replan_required"), None);
    project.editor().set(B, NodeStatus::Planned, Some("again"), NOW).unwrap_err();
    let told = project.events("state_changed");
    assert_eq!(told.last().unwrap()["reason"], "it reads what the other one wrote");
    project.claim(B);
}

#[test]
fn a_committed_change_and_a_new_file_of_the_blocker_count() {
    for (artifacts, change) in [
        (SAME_FILE, "src/scan.rs"),
        (Plan("artifacts: [src/new.rs]", "artifacts: [src/new.rs]"), "src/new.rs"),
        (Plan("artifacts: [./src//scan.rs]", "artifacts: [src/scan.rs]"), "src/scan.rs"),
    ] {
        let project = Project::new(&artifacts);
        project.claim(A);
        let id = project.conflict();
        project.arbitrate(&id);
        project.write(change, "fn next() {}\n");
        project.git(&["add", "src"]);
        project.git(&["commit", "-qm", "change"]);
        project.done(A);
        assert_eq!(project.arbitrate(&id)["decision"], "auto_discard", "{change}");
    }
}

/// The predecessor took the other participant for the frozen one, so that the normal pair gave nothing.
#[test]
fn the_roles_of_an_older_record_are_kept_right() {
    let project = Project::new(&SAME_FILE);
    project.claim(A);
    // Written by the predecessor when B was to be dispatched.
    let record = json!({"conflict_id": "CONFLICT-00004", "detected_at": NOW, "layer": "L1", "type": "file_overlap",
        "participants": [{"task": B, "role": "proposed"}, {"task": A, "role": "pending-confirm"}],
        "overlap": {"files": ["src/scan.rs"], "functions": null, "schema_elements": null}, "confidence": 1.0,
        "arbitration": null, "actions_taken": [], "resolution": null, "resolved_at": null});
    project.append("conflicts.jsonl", &record.to_string());
    let answer = project.arbitrate("CONFLICT-00004");
    assert_eq!((&answer["decision"], &answer["target_node"]), (&json!("freeze"), &json!(B)));
    assert_eq!((project.status(A), project.status(B)), (NodeStatus::Active, NodeStatus::Frozen));
    project.done(A);
    assert_eq!(project.arbitrate("CONFLICT-00004")["decision"], "auto_thaw");
    assert_eq!(project.status(B), NodeStatus::Planned);
}

#[test]
fn what_the_blocker_changed_in_its_own_worktree_counts() {
    let project = Project::new(&SAME_FILE);
    project.claim(A);
    let linked = project.path().join("linked");
    project.git(&["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
    project.tell_change(A, &linked.join("src/other.rs"), Some(&linked));
    let id = project.conflict();
    project.arbitrate(&id);
    // By a script, so that only git knows.
    fs::write(linked.join("src/scan.rs"), "fn next() {}\n").unwrap();
    project.done(A);
    assert_eq!(project.arbitrate(&id)["decision"], "auto_discard");
}

#[test]
fn a_worktree_that_is_gone_is_no_proof() {
    let project = Project::new(&SAME_FILE);
    project.claim(A);
    let linked = project.path().join("gone");
    project.tell_change(A, &linked.join("src/other.rs"), Some(&linked));
    let id = project.conflict();
    project.arbitrate(&id);
    project.done(A);
    let answer = project.arbitrate(&id);
    assert_eq!((&answer["decision"], &answer["rule"]), (&json!("user_priority"), &json!("cannot_tell")));
    assert_eq!(project.status(B), NodeStatus::Frozen, "nothing is changed without a person");
    // What the history knows by name is proof enough that they do not fit.
    project.tell_change(A, &linked.join("src/scan.rs"), Some(&linked));
    assert_eq!(project.arbitrate(&id)["decision"], "auto_discard");
}

#[test]
fn a_file_that_somebody_else_changed_is_for_a_person() {
    let project = Project::new(&SAME_FILE);
    project.claim(A);
    let id = project.conflict();
    project.arbitrate(&id);
    // The frozen one had begun, in the same folder.
    project.write("src/scan.rs", "fn next() { begun() }\n");
    project.tell_change(B, &project.path().join("src/scan.rs"), None);
    project.done(A);
    assert_eq!(project.arbitrate(&id)["rule"], "cannot_tell");
}

#[test]
fn without_a_repository_nobody_can_tell() {
    let project = Project::new(&SAME_FILE);
    fs::remove_dir_all(project.path().join(".git")).unwrap();
    project.claim(A);
    let id = project.conflict();
    project.arbitrate(&id);
    project.done(A);
    let answer = project.arbitrate(&id);
    assert_eq!((&answer["decision"], &answer["compatibility"]), (&json!("user_priority"), &json!("unknown")));
}

#[test]
fn functions_decide_where_both_plans_name_them() {
    let project = Project::new(&Plan(
        "artifacts:\n  - path: src/scan.rs\n    functions: [next]",
        "artifacts:\n  - {path: src/scan.rs, functions: [back]}",
    ));
    project.claim(A);
    let scan = project.scan();
    assert_eq!((&scan["conflicts"], &scan["weaker"][0]["nodes"]), (&json!([]), &json!([B, A])));
    assert!(project.lines("conflicts.jsonl").is_empty(), "the weaker one is told, and not recorded");
}

#[test]
fn a_shared_function_is_done_in_turn_where_that_is_possible() {
    let project = Project::new(&Plan(
        "artifacts: [{path: src/scan.rs, functions: [next, back]}]",
        "artifacts: [{path: src/scan.rs, functions: [next]}]",
    ));
    project.claim(A);
    let id = project.conflict();
    let answer = project.arbitrate(&id);
    assert_eq!((&answer["layer"], &answer["decision"]), (&json!("L2"), &json!("sequential_reorder")));
    assert_eq!(project.editor().tree().node(B).unwrap().depends_on, [A]);
    assert_eq!((&answer["resolution"], project.status(B)), (&json!("sequential_reorder"), NodeStatus::Planned));
    assert_eq!(project.scan()["conflicts"], json!([]), "what waits for the other is in nobody's way");
}

#[test]
fn a_shared_function_of_two_that_have_begun_is_planned_anew() {
    let project = Project::new(&Plan(
        "artifacts: [{path: src/scan.rs, functions: [next]}]",
        "artifacts: [{path: src/scan.rs, functions: [next]}]",
    ));
    project.claim(A);
    project.tell_change(A, &project.path().join("src/scan.rs"), None);
    project.claim(B);
    let id = project.conflict();
    let answer = project.arbitrate(&id);
    assert_eq!((&answer["decision"], &answer["target_node"]), (&json!("replan"), &json!("STORY-0001")));
    assert_eq!((project.status(A), project.status(B)), (NodeStatus::Active, NodeStatus::Frozen));
    assert_eq!(project.events("replan_proposed")[0]["node"], "STORY-0001");
    assert_eq!(answer["next_commands"][0]["argv"][3], "STORY-0001", "a task is never replanned");
}

/// A difference in another function leaves room for the plan of this one.
#[test]
fn the_blockers_change_in_another_function_is_compatible() {
    for (text, decision) in [
        ("fn next() {\n    one();\n}\n\nfn back() {\n    changed();\n}\n", "auto_thaw"),
        ("fn next() {\n    changed();\n}\n\nfn back() {\n    two();\n}\n", "auto_discard"),
    ] {
        let project =
            Project::new(&Plan("artifacts: [src/scan.rs]", "artifacts: [{path: src/scan.rs, functions: [next]}]"));
        project.claim(A);
        let id = project.conflict();
        assert_eq!(project.arbitrate(&id)["decision"], "freeze");
        project.write("src/scan.rs", text);
        project.done(A);
        assert_eq!(project.arbitrate(&id)["decision"], decision);
    }
}

#[test]
fn what_two_worktrees_really_changed_is_compared_by_lines() {
    for (other, kind) in [
        ("fn next() {\n    one();\n}\n\nfn back() {\n    mine();\n}\n", None),
        ("fn next() {\n    mine();\n}\n\nfn back() {\n    two();\n}\n", Some("function_overlap")),
    ] {
        let project = Project::new(&Plan("artifacts: [src/a.rs]", "artifacts: [src/b.rs]"));
        project.claim(A);
        project.claim(B);
        let linked = project.path().join("linked");
        project.git(&["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
        project.write("src/scan.rs", "fn next() {\n    changed();\n}\n\nfn back() {\n    two();\n}\n");
        fs::write(linked.join("src/scan.rs"), other).unwrap();
        project.tell_change(A, &project.path().join("src/scan.rs"), None);
        project.tell_change(B, &linked.join("src/scan.rs"), Some(&linked));
        let scan = project.scan();
        assert_eq!(scan["conflicts"][0]["type"].as_str(), kind, "{scan}");
        assert_eq!(scan["weaker"].as_array().unwrap().len(), usize::from(kind.is_none()));
    }
}

#[test]
fn the_third_arbitration_of_a_conflict_is_the_last_without_a_person() {
    let project = Project::new(&SAME_FILE);
    fs::remove_dir_all(project.path().join(".git")).unwrap();
    project.claim(A);
    let id = project.conflict();
    project.arbitrate(&id);
    project.done(A);
    for _ in 0..2 {
        assert_eq!(project.arbitrate(&id)["decision"], "user_priority");
    }
    let answer = project.arbitrate(&id);
    assert_eq!((&answer["decision"], &answer["rule"]), (&json!("escalate"), &json!("circling")));
    // A person ends it.
    assert_eq!(project.resolve(&id, &["accept-proposed"]).1, 0);
    assert_eq!(project.status(B), NodeStatus::Planned);
}

/// The predecessor's resolution changed nothing in the tree, lost the participants, and could be given twice.
#[test]
fn a_persons_choice_changes_the_tree_and_is_given_once() {
    use NodeStatus::{Active, Discarded, Frozen, Planned};
    for (choice, a, b) in [
        (&["accept-proposed"][..], Discarded, Planned),
        (&["accept-blocker"], Active, Discarded),
        (&["sequential", A], Active, Planned),
        (&["freeze-both"], Frozen, Frozen),
    ] {
        let project = Project::new(&SAME_FILE);
        project.claim(A);
        let id = project.conflict();
        project.arbitrate(&id);
        let (answer, code) = project.resolve(&id, choice);
        assert_eq!((code, &answer["resolution"]), (0, &json!(choice[0])), "{answer}");
        assert_eq!((project.status(A), project.status(B)), (a, b), "{choice:?}");
        assert_eq!(project.status(C), Planned);
        assert!(!project.is_in_conflict(A) && !project.is_in_conflict(B));
        let last = project.lines("conflicts.jsonl").pop().unwrap();
        assert_eq!((last["participants"].as_array().unwrap().len(), &last["resolved_by"]), (2, &json!("user")));
        assert_eq!(project.events("conflict_arbitrated").last().unwrap()["conflict_id"], json!(id));
        let before = project.snapshot();
        let (told, code) = project.resolve(&id, &["freeze-both"]);
        assert_eq!(code, 64, "{told}");
        assert_eq!(project.snapshot(), before);
    }
}

#[test]
fn a_choice_that_escalates_leaves_the_conflict_open() {
    let project = Project::new(&SAME_FILE);
    project.claim(A);
    let id = project.conflict();
    let (answer, code) = project.resolve(&id, &["escalate"]);
    assert_eq!((code, &answer["resolution"]), (0, &Value::Null));
    assert!(project.is_in_conflict(B));
    assert_eq!(project.resolve(&id, &["sequential", C]).1, 64, "no side of it");
    assert_eq!(project.resolve(&id, &["sequential"]).1, 64);
    assert_eq!(project.editor().tree().node(B).unwrap().depends_on, [""; 0]);
}

#[test]
fn a_conflict_that_comes_back_remembers_that_it_was_there() {
    let project = Project::new(&SAME_FILE);
    project.claim(A);
    let id = project.conflict();
    project.arbitrate(&id);
    project.editor().set(A, NodeStatus::Planned, Some("given back"), NOW).unwrap();
    project.resolve(&id, &["sequential", A]);
    project.editor().depend(B, &[], &[A.to_owned()], NOW).unwrap();
    project.claim(A);
    assert_eq!(project.conflict(), id);
    let record = project.lines("conflicts.jsonl").pop().unwrap();
    assert_eq!((&record["prior"], &record["arbitrations"]), (&json!(id), &json!(2)));
}

#[test]
fn a_dry_run_changes_no_byte() {
    let project = Project::new(&SAME_FILE);
    project.claim(A);
    let id = project.conflict();
    let before = project.snapshot();
    let (answer, _) = project.json(&["arbitrate", "--dry-run", &id], "");
    assert_eq!((&answer["decision"], &answer["applied"]), (&json!("freeze"), &json!(false)));
    assert_eq!(answer["actions"].as_array().unwrap().len(), 1);
    project.json(&["plan", "conflicts", "scan", "--dry-run"], "");
    assert_eq!(project.snapshot(), before);
}

#[test]
fn an_id_a_record_and_a_verdict_are_read_from_stdin() {
    let project = Project::new(&SAME_FILE);
    project.claim(A);
    let id = project.conflict();
    let record = project.lines("conflicts.jsonl").pop().unwrap();
    let verdict = |class: &str, evidence: String| {
        json!({"class": class, "class_name": "conflict-induced", "confidence": 0.95, "evidence": [evidence],
            "recommended_action": "arbitrate", "node_id": B, "parent_node_id": "STORY-0001"})
        .to_string()
    };
    for input in [
        id.clone(),
        format!("{id}\n"),
        format!("\"{id}\""),
        json!({"conflict_id": id}).to_string(),
        record.to_string(),
        verdict("F6", format!("conflict_id={id}")),
        verdict("F6", format!("the plan has the unresolved conflict {id} with {A}")),
        verdict("F6", "cause=conflict".to_owned()),
    ] {
        let (answer, code) = project.json(&["arbitrate", "--dry-run"], &input);
        assert_eq!((&answer["conflict_id"], code), (&json!(id), 0), "{input}: {answer}");
    }
    for input in ["", "{}", "two words", "{\"conflict_id\":", &verdict("F2", String::new())] {
        assert_eq!(project.json(&["arbitrate"], input).1, 65, "{input}");
    }
    // One word is an id, and nothing has it.
    for input in ["[]", "CONFLICT-9"] {
        assert_eq!(project.json(&["arbitrate"], input).1, 1, "{input}");
    }
    let hostile = record.to_string().replace(B, "../../etc/passwd").replace(&id, "CONFLICT-x");
    assert_eq!(project.json(&["arbitrate"], &hostile).1, 65);
}

#[test]
fn a_record_that_the_log_does_not_know_is_recorded_and_deep_ones_are_for_a_person() {
    let project = Project::new(&SAME_FILE);
    project.claim(A);
    let record = json!({"conflict_id": "CONFLICT-00009", "layer": "L3", "confidence": 0.9, "participants": [B, A]});
    let (answer, code) = project.json(&["arbitrate"], &record.to_string());
    assert_eq!((&answer["decision"], code), (&json!("user_priority"), 1), "{answer}");
    assert_eq!((project.status(A), project.status(B)), (NodeStatus::Active, NodeStatus::Planned));
    assert_eq!(project.lines("conflicts.jsonl").len(), 2);
}

#[test]
fn words_from_a_record_are_inert_on_a_terminal() {
    let project = Project::new(&SAME_FILE);
    let record = json!({"conflict_id": "CONFLICT-00009", "detected_at": "\u{1b}]0;x\u{7}", "detected_by": "\u{202e}me",
        "layer": "L1", "participants": [B, A], "overlap": {"files": ["a\u{1b}[31m\n.rs"]}, "resolution": "\u{1b}[2J"});
    project.append("conflicts.jsonl", &record.to_string());
    for arguments in [
        &["plan", "conflicts", "list", "--all"][..],
        &["plan", "conflicts", "show", "CONFLICT-00009"],
        &["arbitrate", "CONFLICT-00009"],
        &["arbitrate", "CONFLICT-00009", "--format", "text"],
    ] {
        let out = project.run(arguments, "");
        assert!(!out.stdout.is_empty(), "{arguments:?}");
        let text = String::from_utf8(out.stdout).unwrap();
        assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{text:?}");
    }
}

/// The predecessor looked only at planned siblings, and never at the claim itself.
#[test]
fn a_claim_says_that_another_one_works_on_the_same_file() {
    let project = Project::new(&SAME_FILE);
    let quiet = project.run(&["plan", "claim", A], "");
    assert!(quiet.status.success() && quiet.stderr.is_empty(), "{quiet:?}");
    let told = project.run(&["plan", "claim", B], "");
    assert!(told.status.success());
    let told = String::from_utf8(told.stderr).unwrap();
    assert!(told.contains(&format!("{B} waits for {A}: src/scan.rs")) && told.contains("failwise arbitrate"), "{told}");
    let record = project.lines("conflicts.jsonl").pop().unwrap();
    assert_eq!(project.arbitrate(record["conflict_id"].as_str().unwrap())["decision"], "freeze");
    assert_eq!((project.status(A), project.status(B)), (NodeStatus::Active, NodeStatus::Frozen));
}

/// The time of a scan of a story of so many tasks, each with 250 files of its own and one that the next names too.
fn time_of_scan(tasks: usize) -> Duration {
    let project = Project::new(&Plan("artifacts: []", "artifacts: []"));
    let story = "features/FEAT-1_reader/stories/STORY-0001_reader";
    let ids: Vec<String> = (1..=tasks).map(|number| format!("TASK-{number:05}")).collect();
    for (number, id) in ids.iter().enumerate() {
        let own = (0..250).map(|file| format!("src/part_{number}/file_{file}.rs"));
        let shared = [number, number + 1].map(|number| format!("src/shared_{number}.rs"));
        let planned: Vec<String> = own.chain(shared).collect();
        let planned = planned.join(", ");
        let task =
            format!("---\nid: {id}\ntier: 4\nparent: STORY-0001\nstatus: planned\nartifacts: [{planned}]\n---\n");
        project.plan(&format!("{story}/tasks/{id}_work/task.md"), &task);
    }
    let children = ids.join(", ");
    let text = format!("---\nid: STORY-0001\ntier: 3\nparent: FEAT-1\nstatus: planned\nchildren: [{children}]\n---\n");
    project.plan(&format!("{story}/story.md"), &text);
    let begin = Instant::now();
    let found = project.scan();
    let time = begin.elapsed();
    assert_eq!(found["conflicts"].as_array().unwrap().len(), tasks - 1);
    time
}

/// Four times the tasks cost about four times the time, where comparing each with each costs sixteen times as much.
#[test]
fn a_scan_costs_its_tasks_and_files() {
    let is_square = || time_of_scan(160) > time_of_scan(40) * 9;
    assert!(!is_square() || !is_square(), "a scan costs the square of its tasks");
}
