//! `failwise lessons`: what recurs in made sessions as lines and rules, what is left out, who may write, and what adopting did.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "starts the executable and looks at its files")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use chrono::{DateTime, TimeDelta, Utc};
use failwise::changes::{ChangeKind, LONGEST_LINE, MetSession, ProjectChange, changes};
use failwise::replay::Replay;
use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::data_folder::data_folder;
use crate::feeding::feed;

const FLAG: &str = "Exit code 1\nunknown flag: --stat\n\nUsage:  gh pr diff [<number>] [flags]";
const REFUSED: &str = "This command requires approval";

/// One made session, call by call.
struct Talk {
    session: String,
    cwd: String,
    at: DateTime<Utc>,
    /// How long the next call takes, in seconds.
    slow: i64,
    lines: Vec<Value>,
}

impl Talk {
    fn new(session: &str, cwd: &str, at: DateTime<Utc>) -> Self {
        Self { session: session.to_owned(), cwd: cwd.to_owned(), at, slow: 0, lines: Vec::new() }
    }

    fn call(mut self, tool: &str, input: &Value, error: Option<&str>) -> Self {
        let id = format!("{}-{}", self.session, self.lines.len());
        let slow = std::mem::take(&mut self.slow);
        let mut line = |kind: &str, message: Value| {
            self.at += TimeDelta::seconds(if kind == "user" { 5 + slow } else { 5 });
            let ts = self.at.to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
            self.lines.push(json!({
                "type": kind, "sessionId": self.session, "cwd": self.cwd, "timestamp": ts, "message": message,
            }));
        };
        let usage = json!({ "input_tokens": 10, "output_tokens": 20 });
        let asked = json!([{ "type": "tool_use", "id": id, "name": tool, "input": input }]);
        line("assistant", json!({ "id": format!("m-{id}"), "model": "m", "content": asked, "usage": usage }));
        let text = error.unwrap_or("done");
        let result = json!({ "type": "tool_result", "tool_use_id": id, "content": text, "is_error": error.is_some() });
        line("user", json!({ "content": [result] }));
        self
    }

    /// Time passes while the next call runs.
    fn takes(mut self, seconds: i64) -> Self {
        self.slow = seconds;
        self
    }

    fn sh(self, command: &str) -> Self {
        self.call("Bash", &json!({ "command": command }), None)
    }

    fn prints(self, command: &str, output: &str) -> Self {
        let mut talk = self.sh(command);
        talk.lines.last_mut().unwrap()["message"]["content"][0]["content"] = json!(output);
        talk
    }

    fn sh_fails(self, command: &str, error: &str) -> Self {
        self.call("Bash", &json!({ "command": command }), Some(error))
    }

    fn read(self, path: &str, error: Option<&str>) -> Self {
        let path = format!("{}/{path}", self.cwd);
        self.call("Read", &json!({ "file_path": path }), error)
    }

    /// A file that is read, and all that it holds.
    fn holds(self, path: &str, text: &str) -> Self {
        let file = format!("{}/{path}", self.cwd);
        let mut talk = self.read(path, None);
        let lines = text.lines().count();
        talk.lines.last_mut().unwrap()["toolUseResult"] = json!({ "type": "text", "file": {
            "filePath": file, "content": text, "numLines": lines, "startLine": 1, "totalLines": lines,
        }});
        talk
    }

    fn put(&self, folder: &Path) {
        fs::create_dir_all(folder).unwrap();
        let text: String = self.lines.iter().fold(String::new(), |text, line| text + &line.to_string() + "\n");
        fs::write(folder.join(format!("{}.jsonl", self.session)), text).unwrap();
    }
}

fn day(day: u32) -> DateTime<Utc> {
    DateTime::parse_from_rfc3339(&format!("2026-03-{day:02}T10:00:00Z")).unwrap().to_utc()
}

/// A month of a project, most of it twice. What comes once, works later or holds a hash is no lesson.
fn month(folder: &Path) {
    let unknown = "error: unrecognized subcommand 'npm'\n\nUsage: rtk [OPTIONS] <COMMAND>";
    let cwds = ["/srv/garden", "/srv/garden/.worktrees/two", "/srv/garden"];
    for (number, cwd) in (1..).zip(cwds) {
        let in_it = |path: &str| format!("{cwd}/{path}");
        let search = |path: &str| json!({ "pattern": "x", "path": in_it(path), "output_mode": "content" });
        let mut talk = Talk::new(&format!("s{number}"), cwd, day(number))
            .sh("ls src")
            .read("src/main.rs", None)
            .sh_fails("rtk npm run test 2>&1", &format!("Exit code 2\n{unknown}"))
            .sh("npm run test 2>&1")
            .sh_fails("docker ps", "Exit code 127\nbash: docker: command not found");
        if number < 3 {
            talk = talk
                .call(
                    "Skill",
                    &json!({ "skill": "publish" }),
                    Some("<tool_use_error>Unknown skill: publish</tool_use_error>"),
                )
                .read(
                    "settings.yml",
                    Some("<tool_use_error>File does not exist. Did you mean settings.yaml?</tool_use_error>"),
                )
                .read("settings.yaml", None)
                .call(
                    "Grep",
                    &search("src/commands"),
                    Some(&format!("<tool_use_error>Path does not exist: {}</tool_use_error>", in_it("src/commands"))),
                )
                .read("src/commands/list.rs", Some("<tool_use_error>File does not exist.</tool_use_error>"))
                .sh_fails("gh pr diff 7 --stat", FLAG)
                .sh("gh pr diff 7 --name-only")
                .sh_fails("podman ps", "Exit code 127\nbash: podman: command not found")
                .sh_fails("gh pr view 7 --json title", REFUSED)
                .sh_fails("gh pr merge 7", REFUSED)
                .sh_fails("gh pr view 7 && gh pr merge 7", REFUSED)
                .read("logs/9fceb02d1.log", Some("<tool_use_error>File does not exist.</tool_use_error>"))
                .read("notes.md", Some("<tool_use_error>File does not exist.</tool_use_error>"))
                .sh_fails(
                    "git commit -m x",
                    "Exit code 128\nerror: gpg failed to sign the data\nfatal: failed to write commit object",
                );
        } else {
            talk = talk
                .read("notes.md", None)
                .read("once.md", Some("<tool_use_error>File does not exist.</tool_use_error>"));
        }
        talk.put(folder);
    }
    for number in 4..6 {
        Talk::new(&format!("s{number}"), "/srv/orchard", day(number))
            .sh_fails("cargo test --nocapture", "Exit code 1\nerror: unexpected argument '--nocapture' found")
            .sh("cargo test -- --nocapture")
            .sh_fails(
                "git checkout trunk",
                "Exit code 1\nerror: pathspec 'trunk' did not match any file(s) known to git",
            )
            .sh_fails("tide sync --pass=Zq8wL0xR41bTn9 --frob", "Exit code 2\nunknown option '--frob'")
            .sh("tide sync --pass=Zq8wL0xR41bTn9")
            .sh_fails("./ripen.sh", "Exit code 1\n./ripen.sh: line 3: ORCHARD_KEY: unbound variable")
            .put(folder);
    }
}

/// Tests that fail by chance, that were red before, and checks that run again to see more of them.
fn checks(folder: &Path) {
    let failed = |test: &str| {
        format!("Exit code 1\n--- FAIL: {test} (0.01s)\n    x_test.go:7: ebb\nFAIL\nFAIL\tharbour/x\t0.02s\nFAIL")
    };
    for number in 6..8 {
        Talk::new(&format!("s{number}"), "/srv/harbour", day(number))
            .sh_fails("go test ./x", &failed("TestTide"))
            .prints("go test ./x", "ok  \tharbour/x\t0.01s")
            .sh_fails("go test ./y", &failed("TestEbb"))
            .takes(40)
            .prints("make check 2>&1 | tail -3", "ok")
            .takes(41)
            .prints("make check 2>&1 | grep warn", "warn")
            .call("Edit", &json!({ "file_path": "/srv/harbour/y.go", "old_string": "a", "new_string": "b" }), None)
            .sh_fails("go test ./z", &failed("TestMine"))
            .put(folder);
    }
    let edit = json!({ "file_path": "/srv/quay/x.go", "old_string": "a", "new_string": "b" });
    let fewer_tabs =
        json!({ "file_path": "/srv/quay/wheel.go", "old_string": "if wet {\n\tebb()\n}", "new_string": "flow()" });
    for number in 8..11 {
        Talk::new(&format!("s{number}"), "/srv/quay", day(number))
            .sh_fails(
                "make lint",
                "Exit code 1\ngolangci-lint run\nx.go:3:5: Error return value is not checked (errcheck)\n\
                 x.go:9:1: cyclomatic complexity 31 (gocyclo)\nmake: *** [lint] Error 1",
            )
            .read(
                "charts/tides.csv",
                Some("File content (31250 tokens) exceeds maximum allowed tokens (25000). Use offset and limit."),
            )
            .sh_fails("gh api tides?per_page=9", "Exit code 1\n(eval):1: no matches found: tides?per_page=9")
            .sh_fails(
                "bun run test 2>&1",
                &format!("Exit code 1\ntmp/clones/ebb-{number}/src/a.test.ts:\n(fail) ebbs\n 0 pass\n 1 fail"),
            )
            .holds("wheel.go", "func turn() {\n\tif wet {\n\t\tebb()\n\t}\n}\n")
            .call("Edit", &fewer_tabs, Some("String to replace not found in file.\nString: if wet {\n\tebb()\n}"))
            .call("Edit", &edit, Some("File has not been read yet. Read it first before writing to it."))
            .call("Edit", &edit, Some("Found 2 matches of the string to replace, but replace_all is false."))
            // A hook starts it behind another program.
            .sh_fails(
                "git -C /srv/quay status",
                "Exit code 2\nerror: unexpected argument '-C' found\n\nUsage: rtk git [OPTIONS] <COMMAND>",
            )
            .sh_fails(
                "find src -name *.go",
                "Exit code 2\nerror: unexpected argument '-n' found\n\nUsage: rtk find [OPTIONS] <PATTERN> [PATH]",
            )
            // What is searched for next is another matter.
            .call("Grep", &json!({ "pattern": "ebbs", "path": "/srv/quay/src", "type": "go" }), None)
            .call("Glob", &json!({ "pattern": "src/**/*.go" }), None)
            // Nothing did its work in another way.
            .sh_fails("ls -Z", "Exit code 2\nerror: unexpected argument '-Z' found\n\nUsage: wrap ls [OPTIONS] [PATH]")
            .sh_fails(
                "/bin/cat -A notes.md | head -9",
                "Exit code 1\ncat: illegal option -- A\nusage: cat [-belnstuv] [file ...]",
            )
            .put(folder);
    }
}

/// What a command mends, what hooks refuse, who owns a repository, and what is a person's own no.
fn ways(folder: &Path) {
    let rule = "notes.md:7 error MD040/fenced-code-language Fenced code blocks should have a language\n\
                notes.md:9 error MD036/no-emphasis-as-heading Emphasis used instead of a heading";
    let hook = format!("Exit code 1\n✖ markdownlint --fix:\n{rule}\nhusky - pre-commit script failed (code 1)");
    let lint = "Exit code 1\n$ biome check\nsrc/a.ts format\n  x Formatter would have printed the following content\nFound 2 errors.";
    let blocked = "PreToolUse:Bash hook error: [guard.sh]: BLOCKED by guard.sh: not here";
    let no = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
    let missing = |owner: &str| {
        format!("Exit code 1\nGraphQL: Could not resolve to a Repository with the name '{owner}/mill'. (repository)")
    };
    for (number, owner) in (8..11).zip(["miller", "mill-org", "mill-hq"]) {
        Talk::new(&format!("s{number}"), "/srv/mill", day(number))
            .sh_fails("bun run lint 2>&1", lint)
            .prints("bun run lint:fix 2>&1", "$ biome check --write\nChecked 9 files in 9ms. Fixed 2 files.")
            .sh("ls")
            .sh_fails("git commit -m x", &hook)
            .sh_fails("git stash drop", blocked)
            .sh_fails("git status", blocked)
            .sh("git status")
            .sh_fails("gh pr view 7", no)
            .sh_fails("a=$(gh pr view 7) && gh pr checks 7", REFUSED)
            .sh_fails(&format!("gh pr view 7 --repo {owner}/mill"), &missing(owner))
            .sh("gh api repos/EBB1/mill/pulls/7")
            .sh_fails("./grind.sh", "Exit code 1\ngrind: the wheel is stuck at 7")
            .sh_fails("oven run 2>&1", "Exit code 127\nbash: oven: command not found")
            .read("src", Some("EISDIR: illegal operation on a directory, read"))
            .prints(
                "pnpm --filter wheel typecheck 2>&1 | tail -3",
                " ERR_PNPM_RECURSIVE_RUN_NO_SCRIPT  None of the selected packages has a \"typecheck\" script",
            )
            .sh("pnpm --filter wheel exec tsc --noEmit")
            .put(folder);
    }
    Talk::new("s11", "/srv/mill", day(1)).sh_fails("oven run", "Exit code 2\noven: no bread").put(folder);
}

#[test]
fn ways_around_what_recurs_are_named() {
    let home = Home::new();
    let data = home.0.path().join("data");
    ways(&data);
    let said = home.asked(&["lessons", data.to_str().unwrap()]);
    for line in [
        "Run `bun run lint:fix` before `bun run lint`; it fixes most of what it finds.",
        "The commit hook (`markdownlint --fix`) refuses `MD036/no-emphasis-as-heading`, `MD040/fenced-code-language`.",
        "A hook refuses `git stash drop`; do not call it.",
        "The repository is `EBB1/mill`; do not guess its owner.",
        "Use `pnpm --filter wheel exec tsc --noEmit`; `pnpm --filter wheel typecheck` does not exist.",
    ] {
        assert!(said.contains(line), "{line}\n{said}");
    }
    for other in ["git status", "Bash(", "gh pr", "oven"] {
        assert!(!said.contains(other), "{other}: it worked, a person said no, or it ran elsewhere\n{said}");
    }
}

#[test]
fn checks_are_named_and_a_test_of_the_work_is_not() {
    let home = Home::new();
    let data = home.0.path().join("data");
    checks(&data);
    let said = home.asked(&["lessons", data.to_str().unwrap()]);
    for line in [
        "`TestTide` is flaky; run it once more before you look for a cause.",
        "`TestEbb` was red before any change; it is not yours to fix unasked.",
        "Write the output of `make check` to a file once and read that; a run takes ",
        "`bun run test` also covers `tmp/clones`, which is not this project's code; ignore failures there.",
        "zsh expands `?` and `*` in arguments and fails where no file matches; quote URLs and versions.",
        "Files are indented with tabs; an edit with too few tabs is refused, so copy them exactly.",
        "`charts/tides.csv` is too large to read at once; search it, then read the lines you need.",
        "`rtk` wraps commands here and refuses `find -name` (use Glob), `git -C`.",
        "`cat` has no `-A`; use `-vet`.",
    ] {
        assert!(said.contains(line), "{line}\n{said}");
    }
    assert!(!said.contains("TestMine"), "it failed after a change: {said}");
    assert!(!said.contains("`wrap`"), "no way out: {said}");
    for any in ["before you edit", "occurs once", "opens no folder"] {
        assert!(!said.contains(any), "{any}: it fits any project: {said}");
    }
}

/// What a linter finds behind the places that it names, and the run in which the tests of a selection ran.
#[test]
fn rules_and_selections_are_named() {
    let home = Home::new();
    let data = home.0.path().join("data");
    let unchecked = "x.go:3:5: Error return value is not checked (errcheck)\n".repeat(9);
    let lint = format!(
        "Exit code 1\ngolangci-lint run\n{unchecked}x.go:9:1: cyclomatic complexity 31 (gocyclo)\n(see the docs)\n\
         make: *** [lint] Error 1"
    );
    for number in 1..4 {
        Talk::new(&format!("s{number}"), "/srv/kiln", day(number))
            .sh_fails("make lint", &lint)
            .sh("ls")
            .prints("npm --filter api test -- --testPathPattern=ebb", "No tests found, exiting with code 0")
            .prints("npm --filter web test -- --testPathPattern=ebb", "No tests found, exiting with code 0")
            .prints(
                "cd api && npx jest --testPathPattern=ebb",
                "PASS src/ebb.test.ts\n\nTest Suites: 1 passed, 1 total\nTests:       3 passed, 3 total",
            )
            .put(&data);
    }
    // The shell is where it went last, and is told a path from the project's folder; or what it is told is nowhere.
    for (number, path) in (4..).zip(["web/src/a.ts", "web/src/b.ts", "tests/a.ts", "a.ts"]) {
        let cwd = if number < 6 { "/srv/loft" } else { "/srv/barn" };
        let mut talk = Talk::new(&format!("s{number}"), cwd, day(number)).sh("cd web/src && ls");
        talk.cwd += "/web/src";
        talk.sh_fails(&format!("cat {path}"), &format!("Exit code 1\ncat: {path}: No such file or directory"))
            .put(&data);
    }
    let said = home.asked(&["lessons", data.to_str().unwrap()]);
    assert_eq!(said.matches("The shell stays in the folder of the last `cd`; use absolute paths").count(), 1, "{said}");
    for line in [
        "`make lint` fails most often on `errcheck`, `gocyclo`; follow them as you write.",
        "`npm --filter api test -- --testPathPattern` can run no tests and pass; use `npx jest --testPathPattern` in `api`.",
        "`npm --filter web test -- --testPathPattern` can run no tests and pass; see in its output which tests ran.",
    ] {
        assert!(said.contains(line), "{line}\n{said}");
    }
}

/// Who lists by a pattern wants to know whether there is any: that there is none is the answer.
#[test]
fn a_pattern_that_lists_nothing_is_no_lesson() {
    let home = Home::new();
    let data = home.0.path().join("data");
    for number in 1..5 {
        Talk::new(&format!("s{number}"), "/srv/quay", day(number))
            .sh_fails("ls notes/*.md", "Exit code 1\n(eval):1: no matches found: notes/*.md")
            .sh("ls")
            .put(&data);
    }
    let said = home.asked(&["lessons", data.to_str().unwrap()]);
    assert!(!said.contains("zsh"), "{said}");
}

/// What many sessions meet to the last day leads, although something cost more until weeks ago.
#[test]
fn what_most_sessions_meet_to_the_last_leads() {
    let home = Home::new();
    let data = home.0.path().join("data");
    let unknown = "Exit code 2\nerror: unrecognized subcommand 'npm'\n\nUsage: rtk [OPTIONS] <COMMAND>";
    let locked = "Exit code 128\nerror: gpg failed to sign the data\nfatal: failed to write commit object";
    for number in 1..20 {
        let mut talk = Talk::new(&format!("s{number}"), "/srv/mill", day(number))
            .sh_fails("rtk npm run test 2>&1", unknown)
            .sh("npm run test 2>&1");
        if number < 5 {
            talk = (0..6).fold(talk, |talk, _| talk.sh_fails("git commit -m x", locked).sh("ls"));
        }
        talk.put(&data);
    }
    let report = home.asked(&["report", data.to_str().unwrap()]);
    let leads: Vec<&str> = report.lines().filter(|line| line.trim_start().starts_with("change")).collect();
    assert!(leads[0].contains("rtk npm") && leads[1].contains("git commit"), "{report}");
}

/// What checks find is work: it is listed, and leads no report.
#[test]
fn no_report_leads_with_what_it_calls_no_waste() {
    let home = Home::new();
    let data = home.0.path().join("data");
    let lint = "Exit code 1\n$ biome check\nsrc/a.ts format\n  x Formatter would have printed the following content\nFound 2 errors.";
    let session = |number: u32, wrong: bool| {
        let talk = Talk::new(&format!("s{number}"), "/srv/mill", day(number))
            .sh_fails("bun run lint 2>&1", lint)
            .sh_fails("bun run lint 2>&1", lint)
            .prints("bun run lint:fix 2>&1", "$ biome check --write\nChecked 9 files in 9ms. Fixed 2 files.");
        if wrong { talk.sh_fails("gh pr diff 7 --stat", FLAG).sh("gh pr diff 7 --name-only") } else { talk }
    };
    let asked = |what: &str| home.asked(&[what, data.to_str().unwrap()]);
    let leads = || asked("report").lines().find(|line| line.trim_start().starts_with("change")).map(str::to_owned);
    (1..4).for_each(|number| session(number, false).put(&data));
    assert_eq!(leads(), None);
    assert!(asked("lessons").contains("Run `bun run lint:fix` before"));
    (4..6).for_each(|number| session(number, true).put(&data));
    assert!(leads().unwrap().contains("`gh pr diff` has no `--stat`"), "{:?}", leads());
}

#[test]
fn a_check_that_a_later_session_saw_pass_is_said_to_have_passed() {
    const RED: &str = "Exit code 1\n--- FAIL: TestTide (0.01s)\n    x_test.go:7: ebb\nFAIL\nFAIL\ttide/x\t0.02s\nFAIL";
    const GREEN: &str = "=== RUN   TestTide\n--- PASS: TestTide (0.00s)\nPASS\nok  \ttide/x\t0.01s";
    let home = Home::new();
    let data = home.0.path().join("data");
    let cases = [
        ("cd /srv/a && go test ./x", "/srv/a", "go test ./x", 9, true),
        ("cd /srv/b && make check", "/srv/b", "go test -v -run TestTide ./x", 9, true),
        ("cd /srv/c/api && go test ./x -run 'TestT.*'", "/srv/c", "cd web && go test ./...", 9, false),
        ("cd /srv/d && make check", "/srv/d", "make check-docs", 9, false),
        ("cd /srv/e && go test ./x", "/srv/e", "go test ./x", 1, false),
        ("cd /srv/f && go test ./x", "/srv/other", "go test ./x", 9, false),
        // A wider run, and one that lacks what the failing one adds.
        ("cd /srv/g && go test -tags=tide ./x -run TestTide", "/srv/g", "go test -race -tags=tide ./...", 9, true),
        ("cd /srv/h && go test -tags=tide ./x -run TestTide", "/srv/h", "go test -race ./...", 9, false),
        ("cd /srv/i && go test -tags=tide ./x -run TestTide", "/srv/i", "mise run test:ci", 9, true),
    ];
    for (number, (red, root, green, later, _)) in cases.iter().enumerate() {
        let cwd = red.split(' ').nth(1).unwrap().trim_end_matches("/api");
        Talk::new(&format!("red{number}"), cwd, day(5)).sh_fails(red, RED).put(&data);
        let prints = match green.split(' ').next() {
            Some("mise") => "[test:ci] $ go test -tags=tide -race ./...\nok  \ttide/y\t0.01s",
            _ if green.contains("TestTide") || green.contains("./x") => GREEN,
            _ => "ok  \ttide/y\t0.01s",
        };
        Talk::new(&format!("green{number}"), root, day(*later)).prints(green, prints).put(&data);
    }
    // The job of a pull request that another session got green, and that of another one.
    let job = |name: &str, number: u8, at| {
        let line = format!("gh pr checks {number}");
        Talk::new(name, "/srv/jobs", at).sh_fails(&line, "Exit code 1\nTide\tfail\t3m\thttps://example.org/1")
    };
    job("job7", 7, day(5)).put(&data);
    job("job8", 8, day(5)).put(&data);
    let edit = json!({ "file_path": "/srv/jobs/tide.go", "old_string": "a", "new_string": "b" });
    let green = "Tide\tpass\t3m\thttps://example.org/1";
    job("mended", 7, day(9)).call("Edit", &edit, None).prints("gh pr checks 7", green).put(&data);
    let report: Value = serde_json::from_str(&home.asked(&["report", "--json", data.to_str().unwrap()])).unwrap();
    let of = |session: &str| report["episodes"].as_array().unwrap().iter().find(|it| it["session"] == session).unwrap();
    assert_eq!(of("job7")["ended"], "passed_elsewhere");
    assert_eq!(of("job8")["ended"], "open");
    for (number, (red, _, green, _, passed)) in cases.iter().enumerate() {
        let episode = of(&format!("red{number}"));
        assert_eq!(episode["ended"] == "passed_elsewhere", *passed, "{red}, then {green}: {episode}");
        if *passed {
            let shown = home.asked(&["show", episode["id"].as_str().unwrap(), data.to_str().unwrap()]);
            assert!(shown.contains("passed in another session after "), "{shown}");
        }
    }
    assert_eq!(report["totals"]["endings"]["passed_elsewhere"], 5);
}

/// A home with a project, and what is asked in it.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join("shop/.git")).unwrap();
        Self(home)
    }

    fn project(&self) -> PathBuf {
        self.0.path().join("shop")
    }

    fn sessions(&self) -> PathBuf {
        self.0.path().join(".claude/projects/shop")
    }

    fn run(&self, arguments: &[&str], env: &[(&str, &str)]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_failwise"));
        command.args(arguments).env_clear().env("HOME", self.0.path()).current_dir(self.project());
        feed(command.envs(env.iter().copied()), "")
    }

    fn asked(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments, &[]);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Sessions of the project so many days ago, that fail so often.
    fn talk(&self, name: &str, days_ago: i64, failures: usize, calls: usize) {
        let cwd = self.project().to_string_lossy().into_owned();
        let mut talk = Talk::new(name, &cwd, Utc::now() - TimeDelta::days(days_ago));
        for call in 0..calls {
            talk = if call < failures {
                talk.sh_fails("gh pr diff 7 --stat", FLAG).sh("gh pr diff 7 --name-only")
            } else {
                talk.sh("ls")
            };
        }
        talk.put(&self.sessions());
    }
}

#[test]
fn a_month_gives_the_lines_that_a_person_would_write() {
    let home = Home::new();
    month(&home.0.path().join("data"));
    let data = home.0.path().join("data");
    let said = home.asked(&["lessons", data.to_str().unwrap()]);
    let golden = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/lessons.txt");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&golden, &said).unwrap();
    }
    assert_eq!(said, fs::read_to_string(&golden).unwrap());
    assert_eq!(home.asked(&["kb", "lessons", data.to_str().unwrap()]), said);
    let other = home.run(&["lessons", data.to_str().unwrap(), "--project", "gardn"], &[]);
    assert_eq!(other.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&other.stderr).contains("known: garden"));
    let garden = home.asked(&["lessons", data.to_str().unwrap(), "--project", "garden"]);
    assert!(garden.contains("garden, 3 sessions") && !garden.contains("orchard"), "{garden}");
}

#[test]
fn nothing_to_read_is_one_sentence() {
    let home = Home::new();
    for arguments in [&["lessons"][..], &["lessons", "--all-projects"], &["lessons", "--adopted"]] {
        let said = home.asked(arguments);
        assert_eq!(said.lines().count(), 1, "{said}");
    }
    home.talk("one", 1, 1, 2);
    assert!(home.asked(&["lessons"]).starts_with("Nothing that a change would end recurs in 1 session of shop."));
}

#[test]
fn what_the_own_page_says_already_is_left_out() {
    let home = Home::new();
    home.talk("one", 2, 1, 3);
    home.talk("two", 1, 1, 3);
    assert!(home.asked(&["lessons"]).contains("`gh pr diff` has no `--stat`; use `--name-only`."));
    for (page, is_out) in [
        ("Use `gh pr diff --name-only`, `gh pr diff` knows no --stat.", true),
        ("Look at pull requests with `gh pr diff`.", false),
        ("`--stat` is for git; `gh pr diff-tree` has --name-only.", false),
    ] {
        fs::write(home.project().join("CLAUDE.md"), page).unwrap();
        assert_eq!(home.asked(&["lessons"]).starts_with("Nothing"), is_out, "{page}");
    }
}

/// A second line beside the wrong one would leave an agent with two.
#[test]
fn a_wrong_line_of_the_own_page_is_named_to_be_corrected_by_hand() {
    let home = Home::new();
    home.talk("one", 2, 1, 3);
    home.talk("two", 1, 1, 3);
    let page = home.project().join("CLAUDE.md");
    fs::write(&page, "# Shop\n\nLook at changes with `gh pr diff --stat` first.\n").unwrap();
    let said = home.asked(&["lessons"]);
    let line = "Correct line 3 of CLAUDE.md: `gh pr diff` has no `--stat`; use `--name-only`.";
    assert!(said.contains(&format!("  To correct by hand:\n    - {line}")), "{said}");
    let json: Value = serde_json::from_str(&home.asked(&["lessons", "--json"])).unwrap();
    let change = &json["projects"][0]["changes"][0];
    assert_eq!((&change["act"], &change["line"]), (&json!("correction"), &json!(line)));
    assert_eq!(home.asked(&["lessons", "--write", "--yes"]), "Nothing to write.\n");
    assert!(home.asked(&["show", change["id"].as_str().unwrap()]).ends_with("\nCorrect it by hand.\n"));
}

#[test]
fn only_a_person_writes_and_never_through_a_link() {
    let home = Home::new();
    home.talk("one", 2, 1, 3);
    home.talk("two", 1, 1, 3);
    let page = home.project().join("CLAUDE.md");
    for (env, arguments) in [
        (&[("CLAUDECODE", "1")][..], &["lessons", "--write", "--yes"][..]),
        (&[("CLAUDECODE", "1")], &["kb", "lessons", "--write", "--yes"]),
        (&[], &["lessons", "--write"]),
    ] {
        let output = home.run(arguments, env);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("only a person may"));
    }
    let elsewhere = home.0.path().join("elsewhere.md");
    fs::write(&elsewhere, "theirs").unwrap();
    symlink(&elsewhere, &page).unwrap();
    assert_eq!(home.run(&["lessons", "--write", "--yes"], &[]).status.code(), Some(74));
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "theirs");
    fs::remove_file(&page).unwrap();
    fs::write(&page, "# Shop\n").unwrap();
    fs::set_permissions(&page, fs::Permissions::from_mode(0o600)).unwrap();
    let said = home.asked(&["lessons", "--write", "--yes"]);
    let line = "- `gh pr diff` has no `--stat`; use `--name-only`.";
    assert!(said.contains(&format!("+{line}")) && said.contains("+++ CLAUDE.md"), "{said}");
    assert_eq!(fs::read_to_string(&page).unwrap(), format!("# Shop\n\n## Learned from failures\n\n{line}\n"));
    assert_eq!(fs::metadata(&page).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(home.asked(&["lessons", "--write", "--yes"]).starts_with("Nothing to write."), "it says so by now");
    assert!(home.asked(&["lessons", "--adopted"]).contains("`gh pr diff` has no `--stat`"));
    assert!(home.asked(&["data", "show"]).contains("adopted.jsonl"));
}

/// One command and one question, wherever the person is.
#[test]
fn a_change_is_adopted_by_its_id_from_any_folder() {
    let home = Home::new();
    home.talk("one", 2, 1, 3);
    home.talk("two", 1, 1, 3);
    let said = home.asked(&["lessons"]);
    let id = said.lines().find_map(|line| line.rsplit_once('[')?.1.strip_suffix(']')).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let place = elsewhere.path().to_str().unwrap();
    let written = home.run(&["lessons", "--write", "--yes", "--only", id], &[("CLAUDE_PROJECT_DIR", place)]);
    let written = String::from_utf8(written.stdout).unwrap();
    let page = home.project().join("CLAUDE.md");
    assert_eq!(written.matches("written: ").count(), 1, "{written}");
    assert!(written.contains(page.to_str().unwrap()), "{written}");
    assert!(fs::read_to_string(page).unwrap().contains("`gh pr diff` has no `--stat`"));
    assert!(fs::read_dir(elsewhere.path()).unwrap().next().is_none(), "nothing is written where the person is");
}

#[test]
fn folders_of_one_name_are_two_projects_and_none_lacks_itself() {
    let home = Home::new();
    let other = home.0.path().join("old/shop");
    fs::create_dir_all(other.join(".git")).unwrap();
    let missing = "Exit code 1\n/bin/bash: line 1: cd: shop: No such file or directory";
    for (name, cwd) in [("one", home.project()), ("two", home.project()), ("three", other.clone()), ("four", other)] {
        let talk = Talk::new(name, cwd.to_str().unwrap(), Utc::now() - TimeDelta::days(1));
        let talk = talk.sh_fails("cd shop && ls", missing).sh("ls").sh_fails("gh pr diff 7 --stat", FLAG);
        talk.sh("gh pr diff 7 --name-only").put(&home.sessions());
    }
    let said = home.asked(&["lessons", "--all-projects"]);
    assert_eq!(said.matches("shop, 2 sessions").count(), 2, "{said}");
    assert!(said.contains("/shop, 2 sessions") && !said.contains("no folder `shop`"), "{said}");
    assert!(home.asked(&[]).contains("4 sessions of 2 projects"));
}

/// What cannot be written by itself is said, to be written by hand.
#[test]
fn a_change_of_a_folder_that_is_gone_is_put_where_it_is_now() {
    let home = Home::new();
    for name in ["one", "two"] {
        let talk = Talk::new(name, "/srv/gone/garden", Utc::now() - TimeDelta::days(1));
        talk.sh_fails("gh pr diff 7 --stat", FLAG).sh("gh pr diff 7 --name-only").put(&home.sessions());
    }
    let said = home.asked(&["lessons", "--all-projects"]);
    let id = said.lines().find_map(|line| line.rsplit_once('[')?.1.strip_suffix(']')).unwrap();
    let refused = home.run(&["lessons", "--write", "--yes", "--only", id], &[]);
    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert!(said.contains("put this where the project is now: `gh pr diff` has no `--stat`"), "{said}");
}

#[test]
fn a_rule_goes_into_the_settings_and_leaves_the_rest() {
    let home = Home::new();
    let cwd = home.project().to_string_lossy().into_owned();
    for name in ["one", "two"] {
        Talk::new(name, &cwd, Utc::now() - TimeDelta::days(1))
            .sh("ls")
            .sh_fails("gh pr view 7", REFUSED)
            .sh_fails("gh pr merge 7", REFUSED)
            .sh_fails("gh pr checks 7", "PreToolUse:Bash hook error: [guard.sh]: too often")
            .put(&home.sessions());
    }
    let settings = home.project().join(".claude/settings.json");
    fs::create_dir_all(settings.parent().unwrap()).unwrap();
    fs::write(&settings, "{\n  \"model\": \"x\",\n  \"permissions\": {\n    \"deny\": [\"Bash(rm:*)\"]\n  }\n}\n")
        .unwrap();
    let said = home.asked(&["lessons", "--write", "--yes"]);
    assert!(said.contains("\n+    \"allow\": [\"Bash(gh pr view:*)\"],"), "{said}");
    let written: Value = serde_json::from_str(&fs::read_to_string(&settings).unwrap()).unwrap();
    let wanted = json!({ "model": "x", "permissions": { "allow": ["Bash(gh pr view:*)"], "deny": ["Bash(rm:*)"] } });
    assert_eq!(written, wanted);
    assert!(home.asked(&["lessons"]).starts_with("Nothing"), "it is allowed, and told, by now");
}

#[test]
fn before_and_after_says_so_and_says_too_few() {
    for (failures_after, calls_after, wanted) in
        [(0, 60, "fewer"), (10, 60, "no_difference_shown"), (0, 6, "too_few"), (40, 60, "more")]
    {
        let home = Home::new();
        for number in 0..4 {
            home.talk(&format!("b{number}"), 20, 4, 30);
        }
        assert!(home.asked(&["lessons", "--write", "--yes"]).contains("written: "));
        let folder = home.0.path().join(".local/state/failwise/projects");
        let folder = fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
        let file = folder.join("adopted.jsonl");
        let mut adopted: Value = serde_json::from_str(fs::read_to_string(&file).unwrap().trim()).unwrap();
        adopted["ts"] = json!((Utc::now() - TimeDelta::days(10)).to_rfc3339_opts(chrono::SecondsFormat::Millis, true));
        fs::write(&file, adopted.to_string()).unwrap();
        for number in 0..4 {
            home.talk(&format!("a{number}"), 5, failures_after, calls_after);
        }
        let answer: Value = serde_json::from_str(&home.asked(&["lessons", "--adopted", "--format", "json"])).unwrap();
        let effect = &answer["effects"][0];
        assert_eq!(effect["effect"], wanted, "{effect}");
        assert_eq!((&effect["before"]["right"], &effect["before"]["sessions"]), (&json!(16), &json!(4)));
        assert!(effect["after"]["low"].as_f64().unwrap() <= effect["after"]["high"].as_f64().unwrap());
        let said = home.asked(&["lessons", "--since", "ADOPTED"]);
        assert!(said.contains("before  ") && said.contains("Wilson"), "{said}");
    }
}

// ---- what holds of every line ----

fn met_below(folder: &Path) -> Vec<MetSession> {
    let found = failwise::sessions::find(&[folder.to_owned()], None).unwrap();
    let ruleset = failwise::classify::ruleset("default").unwrap();
    let mut all = Vec::new();
    for session in &found.sessions {
        let mut replays = [Replay::new(ruleset).without_rows().with_changes()];
        session.play(&mut replays, &0.into());
        let [replay] = replays;
        all.extend(replay.finish().met);
    }
    for session in &mut all {
        let root = session.root.clone().unwrap_or_default();
        session.project = failwise::place::session_project(&|_| None, &root);
    }
    all
}

/// What may never be otherwise.
fn assert_sound(all: &[ProjectChange], met: &[MetSession]) {
    for change in all {
        let text = change.line.as_ref().or(change.rule.as_ref()).unwrap();
        assert!(text.chars().count() <= LONGEST_LINE, "{text}");
        // What is quoted is plain: no word of it ends the quotes, or means anything to a shell.
        let quoted = text.split('`').skip(1).step_by(2);
        let is_plain =
            |part: &str| part.split(' ').count() <= 7 && !part.contains(['$', ';', '|', '&', '<', '>', '(', '"', '\'']);
        assert!(text.matches('`').count() % 2 == 0 && { quoted }.all(is_plain), "{text}");
        let homes = ["Users", "home", "root"].map(|folder| format!("/{folder}/"));
        assert!(!homes.iter().any(|home| text.contains(home.as_str())) && !text.contains(['\n', '\u{1b}']), "{text}");
        let is_hash = |word: &str| {
            word.len() >= 7
                && word.bytes().all(|byte| byte.is_ascii_hexdigit())
                && word.bytes().any(|byte| byte.is_ascii_digit())
        };
        assert!(!text.split(|sign: char| !sign.is_alphanumeric()).any(is_hash), "{text}");
        let own = || met.iter().filter(|session| session.project.0 == change.project_key);
        let kind = if change.kind == ChangeKind::Flaky { ChangeKind::Red } else { change.kind };
        let meets = |session: &&MetSession| session.met.contains_key(&(kind, change.matter.clone()));
        assert!(
            own().filter(meets).count() >= 1 && change.evidence.sessions >= 2,
            "the failing form is in the data: {text}"
        );
        // The working form comes last, and it worked in a session that met the failure.
        if matches!(change.kind, ChangeKind::Form) && text.contains("use `") {
            let works = text.rsplit('`').nth(1).unwrap();
            let has = |session: &MetSession| session.met.values().any(|met| met.works.contains_key(works));
            assert!(own().any(has), "{text}");
        }
        assert!(!change.evidence.calls.is_empty() && change.evidence.calls.len() <= 5);
    }
}

#[test]
fn lines_are_sound_over_real_sessions_too() {
    let home = tempfile::tempdir().unwrap();
    month(home.path());
    let made = met_below(home.path());
    let all = changes(&made, 0, |_| true);
    assert!(all.len() >= 7, "{all:?}");
    assert_sound(&all, &made);
    let Some(data) = data_folder() else { return };
    let met = met_below(&data.join("sessions"));
    let all = changes(&met, 0, |_| true);
    assert_sound(&all, &met);
    let lines: Vec<&str> = all.iter().filter_map(|change| change.line.as_deref()).collect();
    let known = [
        "`rtk bun`",
        "There is no skill",
        "There is no folder",
        "`.golangci.yml`",
        "Run `bun run lint:fix` before `bun run lint`",
        "The commit hook (`markdownlint --fix`) refuses `MD040/",
        "Files are indented with tabs",
        "The repository is `",
    ];
    for wanted in known {
        assert!(lines.iter().any(|line| line.contains(wanted)), "{wanted}: {lines:#?}");
    }
    assert!(all.iter().all(|change| change.rule.is_none()), "every refusal there is a person's own: {all:#?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever an agent typed and a program printed, a line is sound.
    #[test]
    fn no_words_make_an_unsound_line(
        words in prop::collection::vec("[a-z`$;'|/.~ =0-9f\u{1b}\u{202e}-]{1,30}", 4),
        long in "[a-z/]{90,140}",
    ) {
        let home = tempfile::tempdir().unwrap();
        for number in 1..3 {
            let mut talk = Talk::new(&format!("s{number}"), "/home/me/x", day(number));
            for word in words.iter().chain([&long]) {
                talk = talk
                    .sh_fails(&format!("tide {word}"), &format!("Exit code 1\nerror: unrecognized subcommand '{word}'"))
                    .sh_fails(&format!("tide pull --{word}"), &format!("Exit code 1\nunknown flag: --{word}"))
                    .sh("tide pull")
                    .sh_fails(word, &format!("Exit code 127\nbash: {word}: command not found"))
                    .read(word, Some("File does not exist."))
                    .sh_fails("go test ./x", &format!("Exit code 1\n--- FAIL: {word} (0.01s)\nFAIL\nFAIL\tx\t0.02s"))
                    .call("Skill", &json!({ "skill": word }), Some(&format!("Unknown skill: {word}")))
                    .sh_fails(&format!("gh pr view {word}"), REFUSED);
            }
            talk.put(home.path());
        }
        let met = met_below(home.path());
        assert_sound(&changes(&met, 0, |_| true), &met);
    }
}
