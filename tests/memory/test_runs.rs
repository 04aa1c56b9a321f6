//! `failwise tests`, through the executable.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "starts the executable and looks at its files")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use crate::feeding::feed;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A home folder with a project in it.
struct Machine {
    home: TempDir,
}

impl Machine {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join("shop/.git")).unwrap();
        Self { home }
    }

    fn project(&self) -> PathBuf {
        self.home.path().join("shop")
    }

    fn imports(&self) -> PathBuf {
        let name = failwise::place::project_name(&self.project());
        self.home.path().join(".local/state/failwise/projects").join(name).join("imports.jsonl")
    }

    fn fed(&self, arguments: &[&str], input: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_failwise"));
        command.env_clear().env("HOME", self.home.path()).env("PATH", "/usr/bin:/bin").current_dir(self.project());
        feed(command.args(arguments), input)
    }

    fn answer(&self, arguments: &[&str]) -> Value {
        let output = self.fed(&[arguments, &["--format", "json"]].concat(), "");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn import(&self, xml: &str, arguments: &[&str]) -> Value {
        let output = self.fed(&[&["tests", "import", "-", "--format", "json"], arguments].concat(), xml);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["runs"][0].clone()
    }
}

/// A report with these cases, each with whether it passes.
fn report(cases: &[(&str, bool)]) -> String {
    let mut xml = String::from("<testsuite name='s' timestamp='2026-03-14T09:00:00Z'>");
    for (name, passes) in cases {
        let failure = if *passes { "" } else { "<failure message='expected 2, got 3'/>" };
        xml.extend([format!("<testcase name='{name}' classname='sums' time='0.1'>{failure}</testcase>")]);
    }
    xml + "</testsuite>"
}

#[test]
fn the_same_file_is_one_run_and_a_commit_is_added_to_it() {
    let machine = Machine::new();
    let xml = report(&[("adds", true), ("fails", false)]);
    let first = machine.import(&xml, &[]);
    assert_eq!(
        (first["cases"].as_u64(), first["passed"].as_u64(), first["failed"].as_u64()),
        (Some(2), Some(1), Some(1))
    );
    assert_eq!(first["source"], "junit");
    assert_eq!(first["at"], "2026-03-14T09:00:00.000Z");
    assert_eq!(machine.import(&xml, &[])["id"], first["id"]);
    let told = machine.import(&xml, &["--commit", "abc", "--branch", "main"]);
    assert_eq!((&told["id"], &told["commit"], &told["branch"]), (&first["id"], &"abc".into(), &"main".into()));
    assert_eq!(machine.import(&xml, &[])["commit"], "abc");
    assert_eq!(machine.answer(&["tests"])["total"], 1);
    assert_eq!(fs::read_to_string(machine.imports()).unwrap().lines().count(), 2);

    let other = machine.import(&xml, &["--commit", "def"]);
    assert_ne!(other["id"], first["id"]);
    assert_eq!(machine.import(&xml, &["--commit", "def"])["id"], other["id"]);
    let later = machine.import(&xml, &["--at", "2026-03-15"]);
    assert_eq!(later["at"], "2026-03-15T00:00:00.000Z");
    assert_eq!(machine.answer(&["tests", "list", "--limit", "1"])["total"], 3);
}

#[test]
fn a_base_that_is_gone_is_made_again_from_the_imports() {
    let machine = Machine::new();
    machine.import(&report(&[("adds", true), ("fails", false)]), &["--commit", "abc"]);
    machine.import(&report(&[("adds", true), ("fails", true)]), &["--commit", "abc", "--at", "2026-03-15"]);
    let lists = [&["tests", "list"][..], &["tests", "flaky"], &["tests", "compare"]];
    let before = lists.map(|list| machine.answer(list));
    assert_eq!(before[1]["cases"][0]["name"], "fails");
    assert_eq!(before[2]["fixed"][0]["name"], "fails");
    fs::remove_file(machine.home.path().join(".local/state/failwise/base.sqlite")).unwrap();
    assert!(machine.fed(&["kb", "rebuild"], "").status.success());
    assert_eq!(lists.map(|list| machine.answer(list)), before);
    assert!(machine.fed(&["kb", "rebuild"], "").status.success());
    assert_eq!(lists.map(|list| machine.answer(list)), before);

    // A process that was killed while it wrote leaves half a line.
    let mut torn = fs::read_to_string(machine.imports()).unwrap();
    torn.push_str("{\"v\":1,\"run\":{\"id\":");
    fs::write(machine.imports(), torn).unwrap();
    machine.import(&report(&[("adds", false)]), &[]);
    assert_eq!(machine.answer(&["tests"])["total"], 3);
    assert!(machine.fed(&["kb", "rebuild"], "").status.success());
    assert_eq!(machine.answer(&["tests"])["total"], 3);
}

#[test]
fn runs_are_compared_case_by_case() {
    let machine = Machine::new();
    let base = machine.import(&report(&[("a", true), ("b", false), ("c", false), ("gone", true)]), &[]);
    let run =
        machine.import(&report(&[("a", false), ("b", true), ("c", false), ("new", true)]), &["--at", "2026-03-15"]);
    let ids = [&base, &run].map(|run| run["id"].as_str().unwrap()[..6].to_owned());
    let compared = machine.answer(&["tests", "compare", &ids[0], &ids[1]]);
    for (list, name) in
        [("new_failures", "a"), ("fixed", "b"), ("still_failing", "c"), ("new_cases", "new"), ("removed_cases", "gone")]
    {
        assert_eq!(compared[list].as_array().unwrap().len(), 1, "{list}: {compared}");
        assert_eq!(compared[list][0]["name"], name, "{list}");
    }
    assert_eq!(compared["new_failures"][0]["error"], "expected 2, got 3");
    let shown = machine.fed(&["tests", "show", &ids[0]], "");
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("failed  sums > b") && shown.contains("expected 2, got 3"), "{shown}");
    let unknown = machine.fed(&["tests", "show", "ffff"], "");
    assert_eq!(unknown.status.code(), Some(1));
}

#[test]
fn files_for_each_class_are_one_run_and_a_broken_file_stops_no_other() {
    let machine = Machine::new();
    for (file, name) in [("TEST-a.xml", "adds"), ("TEST-b.xml", "pays"), ("other.xml", "ships")] {
        fs::write(machine.project().join(file), report(&[(name, true)])).unwrap();
    }
    fs::write(machine.project().join("broken.xml"), "<testsuite>\n<testcase name='a'>").unwrap();
    let files = ["tests", "import", "TEST-a.xml", "broken.xml", "TEST-b.xml", "other.xml", "--format", "json"];
    let output = machine.fed(&files, "");
    assert_eq!(output.status.code(), Some(65));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("broken.xml: line 2: it ends inside of testcase"), "{said}");
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let counts: Vec<u64> = answer["runs"].as_array().unwrap().iter().filter_map(|run| run["cases"].as_u64()).collect();
    assert_eq!(counts, [2, 1]);
    assert_eq!(machine.fed(&["tests", "import", "missing.xml"], "").status.code(), Some(74));
    assert_eq!(machine.fed(&["tests", "import", "-", "--at", "tomorrow"], "").status.code(), Some(64));
}

#[test]
fn what_is_purged_is_gone_from_the_file_and_the_base() {
    let machine = Machine::new();
    machine.import(&report(&[("adds", true)]), &[]);
    let purged = machine.fed(&["data", "purge", "--all", "--yes"], "");
    assert!(purged.status.success(), "{}", String::from_utf8_lossy(&purged.stderr));
    assert!(!machine.imports().exists());
    assert_eq!(machine.answer(&["tests"])["total"], 0);
    machine.import(&report(&[("adds", true)]), &[]);
    assert_eq!(machine.answer(&["tests"])["total"], 1);
}

const FAILED: &str = "Exit code 1\n============================= test session starts ==============================\n\
    collected 3 items\n\ntests/test_cart.py .F.                                                [100%]\n\n\
    =================================== FAILURES ===================================\n\
    ___________________________________ test_pays ___________________________________\n\n\
    tests/test_cart.py:9: in test_pays\n    assert pay() == 2\nE   assert 1 == 2\n\
    =========================== short test summary info ============================\n\
    FAILED tests/test_cart.py::test_pays - assert 1 == 2\n\
    ========================= 1 failed, 2 passed in 0.11s ==========================\n";
const PASSED: &str = "collected 3 items\n\ntests/test_cart.py ...                    [100%]\n\n\
    ============================== 3 passed in 0.10s ===============================\n";

impl Machine {
    /// Plays a call of the agent's through the hook, and gives what it hears.
    fn call(&self, session: &str, id: u32, command: &str, result: Result<&str, &str>) -> Option<String> {
        self.call_with(&[], session, id, command, result)
    }

    fn call_with(
        &self,
        env: &[(&str, &str)],
        session: &str,
        id: u32,
        command: &str,
        result: Result<&str, &str>,
    ) -> Option<String> {
        let (event, field, value) = match result {
            Ok(output) => ("PostToolUse", "tool_response", json!({ "stdout": output, "stderr": "" })),
            Err(error) => ("PostToolUseFailure", "error", json!(error)),
        };
        let payload = json!({
            "session_id": session, "cwd": self.project(), "tool_name": "Bash", "tool_use_id": format!("{session}-{id}"),
            "tool_input": { "command": command }, "hook_event_name": event, field: value,
        });
        let mut hook = Command::new(env!("CARGO_BIN_EXE_failwise-hook"));
        hook.env_clear().env("HOME", self.home.path()).env("PATH", "/usr/bin:/bin").current_dir(self.project());
        hook.envs(env.iter().copied());
        let output = feed(&mut hook, payload.to_string());
        let reply: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        reply["hookSpecificOutput"]["additionalContext"].as_str().map(str::to_owned)
    }
}

#[test]
fn recorded_calls_are_runs_of_which_some_cases_are_known() {
    let machine = Machine::new();
    machine.call("one", 1, "pytest -q", Err(FAILED));
    machine.call("one", 2, "ls", Ok("a\n"));
    machine.call("one", 3, "pytest -q", Ok(PASSED));
    machine.call("one", 4, "sed -i s/1/2/ cart.py", Ok(""));
    machine.call("one", 5, "pytest -q", Err(FAILED));
    machine.call("one", 6, "cargo build", Err("Exit code 101\nerror[E0425]: cannot find value `a`\n"));
    let list = machine.answer(&["tests", "list"]);
    let runs: Vec<&Value> = list["runs"].as_array().unwrap().iter().rev().collect();
    assert_eq!(runs.len(), 3, "{list}");
    assert!(runs.iter().all(|run| run["source"] == "history" && run["complete"] == false), "{list}");
    let status: Vec<&str> = runs.iter().map(|run| run["status"].as_str().unwrap()).collect();
    assert_eq!(status, ["failed", "passed", "failed"]);
    assert_eq!(runs[1]["rerun_of"], runs[0]["id"], "nothing changed in between");
    assert_eq!(runs[2]["rerun_of"], Value::Null, "a file was changed");
    let shown = machine.answer(&["tests", "show", runs[1]["id"].as_str().unwrap()]);
    assert_eq!(shown["cases"][0]["name"], "test_pays");
    assert_eq!(shown["cases"][0]["status"], "passed", "a pass of what had failed in the same operation");
    let flaky = machine.answer(&["tests", "flaky"]);
    assert_eq!(flaky["cases"][0]["evidence"], "rerun", "{flaky}");

    // They count in no pass rate and no comparison.
    assert_eq!(list["trend"]["days"].as_array().unwrap().len(), 0);
    let nothing = machine.fed(&["tests", "compare"], "");
    assert!(nothing.status.success() && String::from_utf8_lossy(&nothing.stdout).starts_with("There are no two runs"));
    let (before, now) = (runs[0]["id"].as_str().unwrap(), runs[1]["id"].as_str().unwrap());
    let refused = machine.fed(&["tests", "compare", before, now], "");
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("recorded call"));

    // A session that goes on is learned again, and a base that is gone is made from the history.
    machine.call("one", 7, "pytest -q", Ok(PASSED));
    let before = machine.answer(&["tests", "list"]);
    assert_eq!(before["total"], 4);
    assert!(machine.fed(&["kb", "rebuild"], "").status.success());
    assert_eq!(machine.answer(&["tests", "list"]), before);
}

#[test]
fn a_test_that_fails_after_it_passed_unchanged_is_known_as_flaky() {
    let machine = Machine::new();
    machine.call("one", 1, "pytest -q", Err(FAILED));
    machine.call("one", 2, "sed -i s/1/2/ cart.py", Ok(""));
    machine.call("one", 3, "pytest -q", Ok(PASSED));
    assert_eq!(machine.answer(&["tests", "flaky"])["total_flaky"], 0, "it was mended");
    machine.call("one", 4, "pytest -q", Err(FAILED));
    let flaky = machine.answer(&["tests", "flaky"]);
    assert_eq!((&flaky["total_flaky"], &flaky["cases"][0]["evidence"]), (&1.into(), &"rerun".into()), "{flaky}");
}

/// A run of three tests, of which one fails.
fn cart(number: u32, pays: bool) -> String {
    let mut xml = format!("<testsuite name='pytest' timestamp='2026-03-{number:02}T09:00:00Z'>");
    for (name, passes) in [("test_adds", true), ("test_pays", pays), ("test_ships", true)] {
        let failure = if passes { "" } else { "<failure message='assert 1 == 2'/>" };
        xml.extend([format!("<testcase name='{name}' classname='tests.test_cart'>{failure}</testcase>")]);
    }
    xml + "</testsuite>"
}

#[test]
fn an_agent_hears_that_a_test_is_flaky_once_a_session() {
    let machine = Machine::new();
    assert_eq!(machine.call("one", 1, "pytest -q", Err(FAILED)), None);
    for (number, pays) in [(1, true), (2, true), (3, false)] {
        machine.import(&cart(number, pays), &["--commit", "abc"]);
    }
    let told = machine.call("two", 1, "pytest -q", Err(FAILED)).unwrap();
    let said = "`pytest -q`: test failure. Here `test_pays` is flaky: it passed and failed on one commit (1 of its last 3 \
                runs failed). Run it once more before looking for a cause.";
    assert!(told.starts_with(said), "{told}");
    assert_eq!(machine.call("two", 2, "pytest -q", Err(FAILED)), None);
    // Another test of the same name that is not flaky: nobody knows which one is meant.
    machine.import(&cart(4, true).replace("tests.test_cart", "tests.test_shop"), &[]);
    assert_eq!(machine.call("three", 1, "pytest -q", Err(FAILED)), None);
    // Several that fail are no chance.
    let machine = Machine::new();
    for (number, pays) in [(1, true), (2, false)] {
        machine.import(&cart(number, pays), &["--commit", "abc"]);
    }
    let two = FAILED
        .replace("1 failed", "2 failed")
        .replace("FAILED tests", "FAILED tests/test_cart.py::test_adds - no\nFAILED tests");
    assert_eq!(machine.call("one", 1, "pytest -q", Err(&two)), None);
    assert!(machine.call("one", 2, "pytest -q --lf", Err(FAILED)).is_some());
}

#[test]
fn the_planner_runs_a_flaky_test_once_more() {
    let machine = Machine::new();
    let decide = |machine: &Machine| {
        let output = machine.fed(&["decide", "--last", "--dry-run"], "");
        let decision: Value = serde_json::from_slice(&output.stdout).unwrap();
        decision["action"].as_str().unwrap().to_owned()
    };
    machine.call("one", 1, "pytest -q", Err(FAILED));
    assert_eq!(decide(&machine), "self_heal");
    for (number, pays) in [(1, true), (2, false)] {
        machine.import(&cart(number, pays), &["--commit", "abc"]);
    }
    assert_eq!(decide(&machine), "single_retry");
    machine.call("one", 2, "pytest -q", Err(FAILED));
    assert_ne!(decide(&machine), "single_retry", "it failed again");
}

/// A machine whose project has a plan with one active task.
fn with_plan() -> Machine {
    let machine = Machine::new();
    let plans = machine.project().join(".claude/plans");
    let story = plans.join("features/FEAT-1/stories/STORY-0001");
    fs::create_dir_all(story.join("tasks")).unwrap();
    let active = json!({ "active": { "feature": "FEAT-1", "story": "STORY-0001", "task": "TASK-00001" } });
    fs::write(plans.join("active.json"), active.to_string()).unwrap();
    let node = |fields: &str| format!("---\n{fields}\nstatus: active\n---\n");
    fs::write(plans.join("features/FEAT-1/feature.md"), node("id: FEAT-1\ntier: 2")).unwrap();
    fs::write(story.join("story.md"), node("id: STORY-0001\ntier: 3\nparent: FEAT-1")).unwrap();
    fs::write(story.join("tasks/TASK-00001.md"), node("id: TASK-00001\ntier: 4\nparent: STORY-0001")).unwrap();
    crate::trusting::trust(machine.home.path(), &machine.project());
    machine
}

/// What the hook decided of each failure in the plan, in their order.
fn decisions(machine: &Machine) -> Vec<String> {
    let history = fs::read_to_string(machine.project().join(".claude/plans/history.jsonl")).unwrap();
    let events = history.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let decided = events.filter(|event| event["event"] == "decision");
    decided.map(|event| event["decision"]["action"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn in_a_plan_the_hook_decides_to_run_a_flaky_test_once_more() {
    let machine = with_plan();
    for (number, pays) in [(1, true), (2, false)] {
        machine.import(&cart(number, pays), &["--commit", "abc"]);
    }
    machine.call("one", 1, "pytest -q", Err(FAILED));
    assert_eq!(decisions(&machine), ["single_retry"]);
    machine.call("one", 2, "pytest -q", Err(FAILED));
    let again = decisions(&machine);
    assert_eq!(again.len(), 2, "{again:?}");
    assert_ne!(again[1], "single_retry", "it failed again");

    // Another test, one of which nothing is known, and one of which nothing is to be told.
    for (env, failed, action) in [
        (&[][..], FAILED.replace("test_pays", "test_ships"), "self_heal"),
        (&[("FAILWISE_RECALL", "off")], FAILED.to_owned(), "self_heal"),
    ] {
        let machine = with_plan();
        for (number, pays) in [(1, true), (2, false)] {
            machine.import(&cart(number, pays), &["--commit", "abc"]);
        }
        machine.call_with(env, "one", 1, "pytest -q", Err(&failed));
        assert_eq!(decisions(&machine), [action], "{env:?}");
    }
}

#[test]
fn where_recall_is_off_nobody_hears_that_a_test_is_flaky() {
    let off = [("FAILWISE_RECALL", "off")];
    let machine = Machine::new();
    for (number, pays) in [(1, true), (2, false)] {
        machine.import(&cart(number, pays), &["--commit", "abc"]);
    }
    assert_eq!(machine.call_with(&off, "one", 1, "pytest -q", Err(FAILED)), None);
    assert!(machine.call("two", 1, "pytest -q", Err(FAILED)).is_some(), "on again");
    assert_eq!(machine.answer(&["tests", "flaky"])["total_flaky"], 1, "a person who asks is told");
}
