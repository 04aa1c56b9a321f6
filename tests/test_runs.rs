//! `failwise tests`, through the executable.

#![cfg(all(unix, feature = "cli"))]
#![expect(clippy::disallowed_methods, reason = "starts the executable and looks at its files")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

mod feeding;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use feeding::feed;
use serde_json::Value;
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
        xml.push_str(&format!("<testcase name='{name}' classname='sums' time='0.1'>{failure}</testcase>"));
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
