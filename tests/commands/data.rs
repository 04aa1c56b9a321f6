//! `failwise data`: what is stored is shown as it is, set aside without forgetting, and taken away only when asked.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "starts the executables and looks at the files they leave")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A project with a history in the user's state directory.
struct Home {
    dir: TempDir,
}

impl Home {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("shop/.git")).unwrap();
        Self { dir }
    }

    fn project(&self) -> PathBuf {
        self.dir.path().join("shop")
    }

    fn command(&self, path: &str) -> Command {
        let mut command = Command::new(path);
        command.env_clear().env("HOME", self.dir.path()).current_dir(self.project());
        command
    }

    /// A failing call, as the client reports it.
    fn fails(&self, id: &str, error: &str) {
        let payload = json!({
            "session_id": "s-1", "transcript_path": "", "cwd": self.project(), "hook_event_name": "PostToolUseFailure",
            "tool_name": "Bash", "tool_input": {"command": "make run-runner"}, "tool_use_id": id, "error": error,
            "is_interrupt": false,
        });
        let mut hook = self.command(env!("CARGO_BIN_EXE_failwise-hook"));
        let mut hook = hook.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        hook.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
        assert!(hook.wait().unwrap().success());
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(env!("CARGO_BIN_EXE_failwise")).args(arguments).stdin(Stdio::null()).output().unwrap()
    }

    fn data(&self, arguments: &[&str]) -> Value {
        let output = self.run(&[&["data"], arguments, &["--format", "json"]].concat());
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn folder(&self) -> PathBuf {
        self.data(&["show"])["folder"].as_str().unwrap().into()
    }
}

const ERROR: &str = "Exit code 2\nmake: *** No rule to make target 'run-runner'.  Stop.";

fn names(dir: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn last_verdict(history: &Path) -> Value {
    let history = fs::read_to_string(history).unwrap();
    let mut events = history.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    events.rfind(|event| event["event"] == "failure_classified").unwrap()["verdict"].clone()
}

#[test]
fn what_is_stored_is_shown() {
    let home = Home::new();
    let empty = home.data(&["show"]);
    assert_eq!((&empty["history"], &empty["total"]["events"]), (&json!([]), &json!(0)));
    home.fails("a", ERROR);
    home.fails("b", &format!("{ERROR}\nDB_PASSWORD=correct-horse-battery"));
    let folder = home.folder();
    let mut history = fs::OpenOptions::new().append(true).open(folder.join("history.jsonl")).unwrap();
    history.write_all(b"{\"v\":1,\"id\":\"torn\n{\"v\":9}\n").unwrap();
    let shown = home.data(&["show"]);
    assert_eq!(shown["project"], json!(home.project()));
    assert_eq!(shown["reason"], "the user's state directory");
    let total = &shown["total"];
    assert_eq!(total["kinds"], json!({"execution_failed": 2, "failure_classified": 2}));
    assert_eq!((&total["sessions"], &total["unreadable"], &total["newer"]), (&json!(1), &json!(1), &json!(1)));
    assert_eq!(total["bytes"], fs::metadata(folder.join("history.jsonl")).unwrap().len());
    assert!(total["redactions"].as_object().unwrap().values().all(|count| count.as_u64() > Some(0)));
    assert!(!total["redactions"].as_object().unwrap().is_empty(), "a password was taken out: {total}");
    assert!(total["oldest"].as_str() <= total["newest"].as_str());
    let text = String::from_utf8(home.run(&["data", "show"]).stdout).unwrap();
    assert!(text.contains("execution failed 2") && text.contains("unreadable 1"), "{text}");
}

#[test]
fn what_is_open_stays_open_when_the_history_is_set_aside() {
    let home = Home::new();
    home.fails("a", ERROR);
    let first = home.data(&["rotate"])["segment"].as_str().unwrap().to_owned();
    home.fails("b", ERROR);
    let second = home.data(&["rotate"])["segment"].as_str().unwrap().to_owned();
    assert!(first < second, "{first} {second}");
    home.fails("c", ERROR);
    let current = home.folder().join("history.jsonl");
    let verdict = last_verdict(&current);
    assert_eq!((&verdict["attempt"], &verdict["unchanged_retries"]), (&json!(3), &json!(2)));
    // The recorded verdicts are those that a replay of all parts in their order gives.
    let parts = [first.as_str(), second.as_str(), current.to_str().unwrap()];
    let replayed = home.run(&[&["replay", "--check", "--format", "jsonl"], parts.as_slice()].concat());
    assert_eq!(replayed.status.code(), Some(0), "{}", String::from_utf8_lossy(&replayed.stdout));
    assert_eq!(String::from_utf8(replayed.stdout).unwrap().lines().count(), 3);
    assert_eq!(home.data(&["show"])["total"]["kinds"]["execution_failed"], 3);
}

#[test]
fn nothing_is_set_aside_where_nothing_is() {
    let home = Home::new();
    assert_eq!(home.data(&["rotate"])["segment"], Value::Null);
    assert_eq!(names(home.dir.path()), ["shop"], "and nothing is made");
}

#[test]
fn only_parts_that_are_old_enough_are_deleted() {
    let home = Home::new();
    home.fails("a", ERROR);
    home.data(&["rotate"]);
    let folder = home.folder();
    fs::write(folder.join("history-20200101T000000Z.jsonl"), "{\"v\":1}\n").unwrap();
    home.fails("b", ERROR);
    let before = names(&folder);
    let dry = home.data(&["purge", "--older-than", "30d", "--dry-run"]);
    assert_eq!(dry["deleted"].as_array().unwrap().len(), 1);
    assert_eq!(names(&folder), before, "a dry run deletes nothing");
    home.data(&["purge", "--older-than", "30d", "--yes"]);
    let left: Vec<String> = before.into_iter().filter(|name| name != "history-20200101T000000Z.jsonl").collect();
    assert_eq!(names(&folder), left);
    assert_eq!(home.data(&["purge", "--older-than", "0d", "--yes"])["deleted"][0]["kind"], "segment");
    home.fails("c", ERROR);
    assert_eq!(last_verdict(&folder.join("history.jsonl"))["attempt"], 3, "what is open stays open");
}

#[test]
fn states_that_are_old_enough_are_deleted_and_made_again() {
    let home = Home::new();
    home.fails("a", ERROR);
    let state = home.folder().join("state");
    let age = |hours| {
        let written = std::time::SystemTime::now() - std::time::Duration::from_hours(hours);
        for name in names(&state) {
            fs::File::options().write(true).open(state.join(name)).unwrap().set_modified(written).unwrap();
        }
    };
    let purged = |age: &str| home.data(&["purge", "--older-than", age, "--yes"])["deleted"].clone();
    age(23);
    assert_eq!(purged("0d"), json!([]), "a session may go on for a day");
    age(25);
    assert_eq!(purged("2d"), json!([]));
    assert_eq!(purged("1d")[0]["kind"], "state");
    assert!(!state.exists());
    home.fails("b", ERROR);
    assert_eq!(last_verdict(&home.folder().join("history.jsonl"))["attempt"], 2);
}

#[test]
fn nothing_is_deleted_where_nobody_can_be_asked() {
    let home = Home::new();
    home.fails("a", ERROR);
    let folder = home.folder();
    let before = names(&folder);
    let refused = home.run(&["data", "purge", "--all"]);
    assert_eq!(refused.status.code(), Some(64));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--yes"));
    for wrong in [&["data", "purge"][..], &["data", "purge", "--yes"], &["data", "purge", "--older-than", "soon"]] {
        assert_eq!(home.run(wrong).status.code(), Some(64), "{wrong:?}");
    }
    assert_eq!(names(&folder), before);
}

#[test]
fn a_place_in_the_project_is_made_as_a_whole_or_not_at_all() {
    let home = Home::new();
    home.fails("a", ERROR);
    let old = home.folder();
    let said = home.run(&["data", "init"]);
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(said.contains(&format!("no longer read what was recorded before: {}", old.display())), "{said}");
    let other = Home::new();
    fs::create_dir_all(other.dir.path().join(".local")).unwrap();
    fs::write(other.dir.path().join(".local/state"), "").unwrap();
    assert_eq!(other.run(&["data", "init"]).status.code(), Some(74));
    assert!(!other.project().join(".claude").exists(), "nothing is half done");
}

#[test]
fn everything_of_the_project_goes_wherever_it_lies() {
    let home = Home::new();
    home.fails("a", ERROR);
    let old = home.folder();
    assert!(home.run(&["data", "init"]).status.success());
    home.fails("b", ERROR);
    let own = home.project().join(".claude/failwise");
    assert_eq!(home.data(&["show"])["elsewhere"], json!([old]));
    fs::write(old.join("notes.md"), "mine").unwrap();
    home.data(&["purge", "--all", "--yes"]);
    assert_eq!(names(&own), [".gitignore"], "the choice of the place stays");
    assert_eq!(names(&old), ["notes.md"]);
    home.fails("c", ERROR);
    assert_eq!(home.data(&["show"])["total"]["events"], 2, "it begins anew");
}

#[test]
fn a_plan_trees_history_is_not_deleted_as_a_whole() {
    let home = Home::new();
    let plans = home.project().join(".claude/plans");
    fs::create_dir_all(&plans).unwrap();
    fs::write(plans.join("active.json"), r#"{"version":1,"active":{"task":"TASK-00001"}}"#).unwrap();
    crate::trusting::trust(home.dir.path(), &home.project());
    home.fails("a", ERROR);
    let folder = home.folder();
    assert_eq!(folder, plans, "the plan tree is found");
    let refused = home.run(&["data", "purge", "--all", "--yes"]);
    assert_eq!(refused.status.code(), Some(64));
    assert!(folder.join("history.jsonl").exists());
    home.data(&["rotate"]);
    home.data(&["purge", "--older-than", "0d", "--yes"]);
    let left = fs::read_to_string(folder.join("history.jsonl")).unwrap();
    assert!(left.lines().count() == 1 && left.contains("history_begun"), "{left}");
    assert!(plans.join("active.json").exists());
}

/// Whoever has the key can find a name behind its hash.
#[test]
fn the_key_of_anonymous_reports_is_shown_and_goes_with_everything() {
    let home = Home::new();
    assert_eq!(home.data(&["show"])["key"], Value::Null);
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/session.jsonl");
    assert!(home.run(&["report", example, "--anonymise", "--json"]).status.success());
    let key = home.data(&["show"])["key"].clone();
    let path = PathBuf::from(key["path"].as_str().unwrap());
    assert!(path.ends_with("anonymise.key") && key["bytes"] == 64 && path.is_file(), "{key}");
    home.data(&["purge", "--older-than", "0d", "--yes"]);
    assert!(path.is_file());
    let gone = home.data(&["purge", "--all", "--yes"]);
    assert!(gone.to_string().contains("anonymise.key") && !path.exists(), "{gone}");
}
