//! Ends and costs of episodes, against those of a reader, where the sessions are there: `FAILWISE_DATA`, else
//! `../shared/data`. `cargo test --test commands episodes -- --nocapture` prints the figures.

#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "starts the executable and reads the labels")]

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::data_folder::data_folder;
use crate::learning::{self, Step};

/// How many of the 60 by lot are told right; these may only rise.
const OVER_OR_NOT: usize = 59;
const ENDS: usize = 58;
const TURNS: usize = 56;

#[test]
fn episodes_end_where_a_reader_says() {
    let Some(analysis) = replayed() else { return };
    let episodes = by_call(&analysis);
    let labels = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/episodes/ends.jsonl")).unwrap();
    let (mut rows, mut over, mut ends, mut turns) = (0, 0, 0, 0);
    for label in labels.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        if !label["sets"].as_array().unwrap().contains(&"lot".into()) {
            continue;
        }
        rows += 1;
        let Some(told) = episodes.get(label["first"].as_str().unwrap()) else { continue };
        let says = |value: &Value, words: &[&str]| words.contains(&value["ended"].as_str().unwrap_or_default());
        let passed = says(&label, &["passed", "replaced"]);
        let agrees = says(told, &["fixed_by_edit", "fixed_by_shell", "by_itself", "replaced"]) == passed;
        let end = &told["end"]["tool_use_id"];
        let doubt = label["end_doubt"].as_array().is_some_and(|doubt| doubt.contains(end));
        over += usize::from(agrees);
        ends += usize::from(agrees && (!passed || *end == label["end"] || doubt));
        // An end that a reader could defend has its own turns.
        let defended = end.as_str().map_or(&Value::Null, |end| &label["doubt_turns"][end]);
        let theirs = if defended.is_null() { &label["turns"] } else { defended };
        let (mine, theirs) = (told["turns"].as_f64().unwrap(), theirs.as_f64().unwrap());
        turns += usize::from((mine - theirs).abs() <= 0.2 * theirs);
    }
    println!("of {rows} by lot: over or not {over}, the call that ended it {ends}, turns within a fifth {turns}");
    assert_eq!(rows, 60);
    assert!(over >= OVER_OR_NOT && ends >= ENDS && turns >= TURNS, "{over}, {ends}, {turns}");
}

#[test]
fn what_failures_cost_never_exceeds_the_session() {
    let Some(analysis) = replayed() else { return };
    let mut booked: HashMap<&str, u64> = HashMap::new();
    for episode in analysis["episodes"].as_array().unwrap() {
        *booked.entry(episode["session"].as_str().unwrap()).or_default() +=
            episode["booked"]["turns"].as_u64().unwrap();
    }
    for session in analysis["sessions"].as_array().unwrap() {
        let own = booked.get(session["id"].as_str().unwrap()).copied().unwrap_or_default();
        assert_eq!(session["turns_in_failure"].as_u64().unwrap(), own, "{session}");
        for (part, all) in [("turns_in_failure", "turns"), ("wall_ms_in_failure", "wall_ms")] {
            assert!(session[part].as_u64() <= session[all].as_u64(), "{part}: {session}");
        }
    }
}

fn by_call(analysis: &Value) -> HashMap<&str, &Value> {
    let episodes = analysis["episodes"].as_array().unwrap().iter();
    let mut by_call = HashMap::new();
    for episode in episodes {
        for call in episode["tool_use_ids"].as_array().unwrap() {
            by_call.entry(call.as_str().unwrap()).or_insert(episode);
        }
    }
    by_call
}

fn replayed() -> Option<Value> {
    let sessions = data_folder().map(|data| data.join("sessions")).filter(|folder| folder.is_dir())?;
    Some(replayed_of(&sessions))
}

fn replayed_of(sessions: &Path) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_failwise"))
        .args(["replay", "--format", "json", "--settings", "none"])
        .arg(sessions)
        .env("FAILWISE_DIR", tempfile::tempdir().unwrap().path())
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A suite, what it prints when a test of it fails and when all pass, and words that leave the failing one out.
const LEFT_OUT: &[(&str, &str, &str, &[&str])] = &[
    (
        "pytest",
        PYTEST,
        "==== 40 passed in 0.12s ====",
        &[
            "pytest --deselect tests/test_auth.py::test_login",
            "pytest --ignore tests/test_auth.py",
            "pytest --ignore=tests/test_auth.py",
            "pytest -k cart",
        ],
    ),
    (
        "cargo test",
        CARGO,
        "test result: ok. 40 passed; 0 failed; 0 ignored; 0 measured; 1 filtered out; finished in 0.01s",
        &["cargo test -- --skip auth::login", "cargo test --exclude auth", "cargo test cart"],
    ),
    (
        "go test ./...",
        GO,
        "ok  \tshop/auth\t0.003s\nok  \tshop/cart\t0.003s",
        &["go test -skip TestLogin ./...", "go test -run TestCart ./..."],
    ),
    (
        "pnpm test",
        VITEST,
        " Test Files  11 passed (11)\n      Tests  40 passed (40)",
        &[
            "pnpm --filter web test",
            "pnpm --filter '!api' test",
            "npm test -w web",
            "npx vitest run --exclude src/auth/auth.spec.ts",
        ],
    ),
    (
        "mvn test",
        MAVEN,
        "[INFO] Tests run: 40, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS",
        &["mvn test -DskipTests", "mvn test -pl cart"],
    ),
    ("make test", GO, "ok  \tshop/auth\t0.003s", &["make test SKIP=TestLogin", "make test PKG=./cart"]),
];

const PYTEST: &str = "Exit code 1\nE   assert 1 == 2\ntests/test_auth.py:7: AssertionError\nFAILED tests/test_auth.py::test_login - \
                      assert 1 == 2\n==== 1 failed, 40 passed in 0.12s ====";
const CARGO: &str = "Exit code 101\ntest auth::login ... FAILED\n\nfailures:\n    auth::login\n\ntest result: FAILED. 40 passed; 1 \
                     failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n\nerror: test failed, to rerun pass `--lib`";
const GO: &str =
    "Exit code 1\n--- FAIL: TestLogin (0.00s)\n    auth_test.go:7: want 401\nFAIL\nFAIL\tshop/auth\t0.003s\nFAIL";
const VITEST: &str = "Exit code 1\n FAIL  src/auth/auth.spec.ts > login > refuses\nAssertionError: expected 200 to be 401\n Test Files  \
                      1 failed | 11 passed (12)\n      Tests  1 failed | 40 passed (41)";
const MAVEN: &str = "Exit code 1\n[ERROR] Tests run: 41, Failures: 1, Errors: 0, Skipped: 0\n[ERROR]   AuthTest.login:7 \
                     expected:<401> but was:<200>\n[INFO] BUILD FAILURE";

/// A call that cannot be as it is, what it prints, and a form of it that runs and finds a red test.
const OTHERWISE: &[(&str, &str, &str, &str)] = &[
    ("go test -nope ./auth", "Exit code 2\nflag provided but not defined: -nope", "go test ./auth", GO),
    ("npm run tests", "Exit code 1\nnpm error Missing script: \"tests\"", "npm run test", VITEST),
    (
        "cargo test --nocapture",
        "Exit code 1\nerror: unexpected argument '--nocapture' found",
        "cargo test -- --nocapture",
        CARGO,
    ),
    ("pytest --paralel", "Exit code 4\npytest: error: unrecognized arguments: --paralel", "pytest", PYTEST),
    ("python -m pytest tests", "Exit code 127\nbash: python: command not found", "python3 -m pytest tests", PYTEST),
];

/// A call that failed, what it printed, and one that does its work.
const DONE: &[(&str, &str, &str)] = &[
    ("gh pr diff 7 --stat", "Exit code 1\nunknown flag: --stat", "gh pr diff 7 --name-only"),
    ("rg tide", "Exit code 127\nbash: rg: command not found", "grep -rn tide src"),
    ("sqlite3 shop.db .tables", "Exit code 127\nbash: sqlite3: command not found", "python3 dump.py shop.db"),
];

fn ran(command: &str, prints: &str) -> Step {
    Step { bash: Some(command.to_owned()), prints: prints.to_owned(), ..Step::default() }
}

fn failed(command: &str, prints: &str) -> Step {
    Step { bash: Some(command.to_owned()), fails: Some(prints.to_owned()), ..Step::default() }
}

fn beside(step: Step) -> Step {
    Step { beside: true, ..step }
}

/// How the first failure of each session ended.
fn ends_of(sessions: &[Vec<Step>]) -> Vec<String> {
    let ended = |episode: Value| episode["ended"].as_str().unwrap().to_owned();
    first_episodes(sessions).into_iter().map(ended).collect()
}

/// The first episode of each session.
fn first_episodes(sessions: &[Vec<Step>]) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    for (number, steps) in sessions.iter().enumerate() {
        learning::write(&folder.path().join(format!("{number:02}.jsonl")), number, steps);
    }
    let analysis = replayed_of(folder.path());
    let episodes = analysis["episodes"].as_array().unwrap();
    let first = |number| episodes.iter().find(|it| it["session"] == format!("session-{number:02}"));
    (0..sessions.len()).map(|number| first(number).unwrap().clone()).collect()
}

/// A run with a word by which it looks at more or otherwise, what it prints when it fails and when it passes, and the run without.
const SELECTED: &[(&str, &str, &str, &str)] = &[
    ("go test -tags=integration ./...", GO, GO_PASSED, "go test ./..."),
    ("go test -tags integration ./auth", GO, GO_PASSED, "go test ./..."),
    ("go test -race ./...", GO, GO_PASSED, "go test ./..."),
    ("E2E=1 go test ./...", GO, GO_PASSED, "go test ./..."),
    ("cargo test --features net", CARGO, CARGO_PASSED, "cargo test"),
    ("cargo test --all-features", CARGO, CARGO_PASSED, "cargo test"),
    ("cargo test -- --ignored", CARGO, CARGO_PASSED, "cargo test"),
    ("pytest -m slow", PYTEST, PYTEST_PASSED, "pytest"),
    ("pytest -c ci.ini", PYTEST, PYTEST_PASSED, "pytest"),
    ("SLOW=1 pytest", PYTEST, PYTEST_PASSED, "SLOW=0 pytest"),
    ("make test-integration", GO, GO_PASSED, "make test"),
    ("make test-integration", GO, GO_PASSED, "make lint test"),
    ("make test-integration", GO, GO_PASSED, "go test ./..."),
    ("npx vitest run --config e2e.config.ts", VITEST, VITEST_PASSED, "npx vitest run"),
];

/// The same of words by which it looks at less.
const NARROWED: &[(&str, &str, &str, &str)] = &[
    ("go test -run TestLogin ./...", GO, GO_PASSED, "go test ./..."),
    ("go test ./auth", GO, GO_PASSED, "go test -race ./..."),
    ("cargo test auth", CARGO, CARGO_PASSED, "cargo test"),
    ("pytest -k login", PYTEST, PYTEST_PASSED, "pytest"),
    ("pytest tests/test_auth.py", PYTEST, PYTEST_PASSED, "SLOW=1 pytest"),
    ("RUST_BACKTRACE=1 cargo test", CARGO, CARGO_PASSED, "cargo test"),
    ("make test", GO, GO_PASSED, "make test"),
];

const PYTEST_PASSED: &str = "==== 40 passed in 0.12s ====";
const CARGO_PASSED: &str =
    "test result: ok. 40 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s";
const GO_PASSED: &str = "ok  \tshop/auth\t0.003s\nok  \tshop/cart\t0.003s";
const VITEST_PASSED: &str = " Test Files  11 passed (11)\n      Tests  40 passed (40)";

fn called(tool: &str, input: Value) -> Step {
    Step { tool: Some((tool.to_owned(), input)), ..Step::default() }
}

/// What agents and people begin something else with.
fn turns_aside() -> Vec<Step> {
    let item = |status: &str| json!({ "content": "write the page", "status": status, "activeForm": "x" });
    vec![
        called("TaskUpdate", json!({ "taskId": "2", "status": "in_progress" })),
        called("TodoWrite", json!({ "todos": [item("completed"), item("in_progress")] })),
        ran("git add . && git commit -m 'page'", "[main 1a2b3c4] page\n 1 file changed"),
        Step { prompt: Some("now write the page".to_owned()), ..Step::default() },
    ]
}

/// A tool called wrongly is replaced by the shell that does its work, and by no search for the tool.
#[test]
fn what_a_tool_refuses_the_shell_does() {
    let refused = |tool: &str, input: Value, text: &str| Step { fails: Some(text.to_owned()), ..called(tool, input) };
    let search = || {
        let input = json!({ "file_path": "/srv/tide/session/state.go", "pattern": "Open" });
        let says = "<tool_use_error>InputValidationError: Grep failed due to the following issue: An unexpected parameter `file_path` was provided</tool_use_error>";
        refused("Grep", input, says)
    };
    let skill =
        || refused("Skill", json!({ "skill": "commit" }), "<tool_use_error>Unknown skill: commit</tool_use_error>");
    let sessions = [
        (search(), "grep -n Open session/state.go", true),
        (search(), "grep -n Close src/wheel.rs", false),
        (skill(), "git status", true),
        (skill(), "ls skills", false),
    ];
    let steps: Vec<Vec<Step>> = sessions.iter().map(|(wrong, then, _)| vec![wrong.clone(), ran(then, "x")]).collect();
    for ((wrong, then, is_done), ended) in sessions.iter().zip(ends_of(&steps)) {
        assert_eq!(ended == "replaced", *is_done, "{wrong:?}, then {then}: {ended}");
    }
}

#[test]
fn what_was_announced_is_nobodys_cost() {
    let prompt = |words: &str| Step { prompt: Some(words.to_owned()), ..Step::default() };
    let green = [Step { edit: Some("auth.go".to_owned()), ..Step::default() }, ran("go test ./auth", GO_PASSED)];
    let session = |words| [vec![prompt(words), failed("go test ./auth", GO)], green.to_vec()].concat();
    let told = first_episodes(&[session("Write a failing test first, then the code."), session("Mend the login.")]);
    let figures =
        |it: &Value| (it["ended"].as_str().unwrap().to_owned(), it["calls"].as_u64(), it["booked"]["calls"].as_u64());
    assert_eq!(figures(&told[0]), ("announced".to_owned(), Some(0), Some(0)));
    assert_eq!(figures(&told[1]), ("fixed_by_edit".to_owned(), Some(2), Some(2)));
}

#[test]
fn a_test_that_the_same_run_came_past_has_passed() {
    let red = |line: u64, name: &str| {
        let test = format!("[chromium] › tests/share.spec.ts:{line}:3 › Sharing › {name}");
        format!(
            "Exit code 1\n  1) {test} ────\n\n    Error: timed out\n\n  1 failed\n    {test} ────\n  6 did not run\n  9 passed (22.3s)"
        )
    };
    let suite = "npx playwright test tests/share.spec.ts";
    let edit = Step { edit: Some("share.ts".to_owned()), ..Step::default() };
    let runs = [(suite, 401, true), (suite, 171, false), ("npx playwright test tests/other.spec.ts", 401, false)];
    let session = |(again, line, _): &(&str, u64, bool)| {
        vec![failed(suite, &red(338, "6.1 revokes")), edit.clone(), failed(again, &red(*line, "7.2 sees"))]
    };
    for ((again, line, passed), ended) in runs.iter().zip(ends_of(&runs.iter().map(session).collect::<Vec<_>>())) {
        assert_eq!(ended == "fixed_by_edit", *passed, "{again} at {line}: {ended}");
    }
}

/// What ends a failure in a way that only its kind knows, and beside each what looks like it and ends nothing.
#[test]
fn a_failure_ends_by_what_does_its_work_and_by_nothing_beside_it() {
    const FORMAT: &str =
        "Exit code 2\n[fmt] $ gofmt -w . --check\nstat --check: no such file or directory\n[fmt] ERROR task failed";
    const STORE: &str = "Exit code 1\n\u{2009}ERR_PNPM_UNEXPECTED_STORE\u{2009} Unexpected store location";
    const PLATFORM: &str = "error: Cannot build '/nix/store/d-tide.service.drv'.\n       Reason: platform mismatch\n       Required system: 'x86_64-linux'\n       Current system: 'aarch64-darwin'";
    const LINT: &str = "Exit code 1\na.go:3:1: 3-9 lines are duplicate of `b.go:3-9` (dupl)\n1 issues:\n* dupl: 1";
    let edit = |path: &str| Step { edit: Some(path.to_owned()), ..Step::default() };
    let checks = || failed("gh pr checks 7", "Exit code 1\nlint\tfail\t16s\thttps://example.org/1");
    let format = || failed("mise run fmt --check", FORMAT);
    let add = || failed("pnpm --filter web add -D tide", STORE);
    let read = |path: &str| called("Read", json!({ "file_path": format!("/srv/{path}") }));
    let script = || {
        let error = "Exit code 1\n/usr/lib/ruby/psych.rb:62:in 'parse': (<unknown>): did not find expected key (Psych::SyntaxError)";
        failed("ruby -ryaml -e \"YAML.load_file('/srv/site.yml')\"", error)
    };
    let missing = || failed("bun run test", "Exit code 1\nerror: Cannot find module 'next' from '/srv/tmp/a.test.ts'");
    let job = || failed("gh pr checks 7", "Exit code 1\nE2E Tests\tfail\t3m\thttps://example.org/1");
    let log = |line: u64| {
        let test = format!("  1) [chromium] › tests/share.spec.ts:{line}:3 › Sharing › 4.2 Bob sees it");
        ran("gh run view 7 --log-failed | tail -9", &format!("E2E Tests\tRun\t2026-02-21T22:21:56.4Z {test}"))
    };
    let sharing = |line: u64| {
        let test = format!("[chromium] › tests/share.spec.ts:{line}:3 › Sharing › 6.1 revokes");
        failed(
            "npx playwright test",
            &format!("Exit code 1\n  1) {test} ────\n\n  1 failed\n    {test} ────\n  9 passed (22.3s)"),
        )
    };
    let build = || ran("nix eval .#tide.drvPath 2>&1 | tail -9", PLATFORM);
    let other = vec![ran("whoami", "x"), ran("uname -a", "x"), ran("df -h", "x")];
    let replacing = |folder: &str| {
        let error = "Exit code 1\n(eval):cd:1: no such file or directory: tide";
        failed(&format!("cd {folder}tide && sed -i '' 's/ebb/flow/' x.go"), error)
    };
    let fails = |step: Step, error: &str| Step { fails: Some(error.to_owned()), ..step };
    let broken_tool = || {
        let search = called("Glob", json!({ "pattern": "**/*.md", "path": "/srv/tide/skills" }));
        fails(search, "ENOENT: no such file or directory, posix_spawn '/opt/client/bin'")
    };
    let unfit_edit =
        || fails(edit("web/tide.tsx"), "<tool_use_error>String to replace not found in file.</tool_use_error>");
    let lost_search = || {
        let search = called("Grep", json!({ "pattern": "\"test\"", "path": "/srv/tide/bunfig.toml" }));
        fails(search, "<tool_use_error>Path does not exist: /srv/tide/bunfig.toml</tool_use_error>")
    };
    let long_code = |ends: &str| {
        let old = "ebb and flow, ".repeat(30);
        format!("python3 -c \"p='web/tide.tsx'; t=open(p).read().replace('{old}', 'x'); {ends}\"")
    };
    let program = "package main\n".repeat(30);
    let read_code =
        || failed("go run /dev/stdin", "Exit code 1\ngo: cannot find main module, but found .git/config in /srv/tide");
    let strange = || ["./ebb.sh", "./flow.sh", "./moor.sh"].map(|line| ran(line, "x")).to_vec();
    let rows = [
        // The program that a task is named by.
        (vec![format(), ran("gofmt -l a.go", "")], "replaced"),
        (vec![format(), ran("go vet ./b", "")], "moved_on"),
        // The manifest that a program would have written.
        (vec![add(), edit("web/package.json")], "replaced"),
        (vec![add(), edit("web/src/tide.ts")], "moved_on"),
        // What formats finds nothing else that a linter finds.
        (vec![checks(), edit("a.go"), ran("golangci-lint run", "0 issues.")], "fixed_by_edit"),
        (vec![checks(), edit("a.go"), ran("gofmt -w a.go", "")], "open"),
        // Settings that are not of the project are a way to look for something.
        ([vec![failed("golangci-lint run -c /tmp/dupl.yml", LINT)], other.clone()].concat(), "moved_on"),
        ([vec![failed("golangci-lint run -c dupl.yml", LINT)], other].concat(), "open"),
        // No check can pass on a machine that cannot run it.
        (vec![build(), ran("nix eval --impure --expr 'import ./tide.nix'", "true")], "replaced"),
        (vec![build(), ran("whoami", "x")], "moved_on"),
        // Who reads what a script stumbled over looks for the reason.
        (vec![script(), read("site.yml")], "moved_on"),
        (vec![script(), ran("ruby -ryaml -e \"YAML.load_file('site.yml')\"", "")], "replaced"),
        // What a pipe leaves of a check shows no result.
        (vec![missing(), ran("bun run test 2>&1 | grep '^src/'", "src/a.test.ts:")], "moved_on"),
        // The job's log names a test; the same file fails further down, or before it.
        (vec![job(), log(269), edit("share.ts"), sharing(338)], "fixed_by_edit"),
        (vec![job(), log(269), edit("share.ts"), sharing(269)], "open"),
        (vec![job(), log(269), edit("share.ts"), sharing(171)], "open"),
        (vec![job(), log(269), sharing(338)], "open"),
        // What changes a file looks for nothing, and a search has not done its work.
        (vec![replacing(""), called("Grep", json!({ "pattern": "ebb", "glob": "tide/x.go" }))], "moved_on"),
        (vec![replacing(""), ran("cd {root}/web/tide && sed -i '' 's/ebb/flow/' x.go", "")], "replaced"),
        // What a tool that does not start would have listed, a shell lists.
        (vec![broken_tool(), ran("ls -la /srv/tide/skills/", "ebb.md")], "replaced"),
        (vec![broken_tool(), ran("ls -la /srv/tide/skills/ebb/1.0/", "ebb.md")], "replaced"),
        (vec![broken_tool(), ran("ls -la /srv/quay", "ebb.md")], "moved_on"),
        (vec![broken_tool(), ran("ls -la /srv/tide/skillset", "ebb.md")], "moved_on"),
        // Who runs something has not searched, whatever words both have.
        (vec![lost_search(), ran("bun test src/ 2>&1 | grep '^Ran'", "Ran 3 tests")], "moved_on"),
        (vec![lost_search(), called("Read", json!({ "file_path": "/srv/quay/bunfig.toml" }))], "replaced"),
        // Code that writes a file has changed it; code that prints it has not.
        (
            vec![unfit_edit(), ran("python3 -c \"p='web/tide.tsx'; t=open(p).read(); open(p,'w').write(t+'a')\"", "")],
            "replaced",
        ),
        (vec![unfit_edit(), ran("python3 -c \"print(open('web/tide.tsx').read())\"", "ebb")], "moved_on"),
        // Also where what is kept of a line ends before it.
        (vec![unfit_edit(), ran(&long_code("open(p,'w').write(t)"), "")], "replaced"),
        (vec![unfit_edit(), ran(&long_code("print(t)"), "ebb")], "moved_on"),
        (
            vec![read_code(), ran(&format!("cat > /tmp/t.go <<'EOF'\n{program}\nEOF\ngo run /tmp/t.go"), "x")],
            "replaced",
        ),
        // An answer that comes back to it among other things is none about something else.
        ([vec![unfit_edit()], strange(), vec![read("quay.md"), beside(edit("web/tide.tsx"))]].concat(), "replaced"),
        ([vec![unfit_edit()], strange(), vec![read("quay.md"), edit("web/tide.tsx")]].concat(), "moved_on"),
    ];
    let ends = ends_of(&rows.iter().map(|(steps, _)| steps.clone()).collect::<Vec<_>>());
    for ((steps, wanted), ended) in rows.iter().zip(ends) {
        assert_eq!(ended, *wanted, "{steps:?}");
    }
}

/// What is called wrongly is waste, also where what was missing is no path; a check that finds the same is work.
#[test]
fn what_was_not_there_or_not_allowed_is_waste() {
    const MODULE: &str = "Exit code 1\nTraceback (most recent call last):\n  File \"<string>\", line 1, in <module>\nModuleNotFoundError: No module named 'yaml'";
    let rows = [
        (vec![failed("python3 -c 'import yaml'", MODULE), ran("yq . a.yml", "a: 1")], true),
        (vec![failed("python3 -m pytest", MODULE), ran("whoami", "x")], false),
    ];
    let told = first_episodes(&rows.iter().map(|(steps, _)| steps.clone()).collect::<Vec<_>>());
    for ((steps, is_waste), told) in rows.iter().zip(told) {
        assert_eq!(told["waste"]["usage"].is_object(), *is_waste, "{steps:?}: {told}");
    }
}

/// An answer of which calls were cancelled beside a failure is waste of its own kind, and counted once; a red check is work.
#[test]
fn what_was_cancelled_beside_a_failure_is_waste() {
    const LOST: &str = "<tool_use_error>File does not exist.</tool_use_error>";
    const CANCELLED: &str = "<tool_use_error>Sibling tool call errored</tool_use_error>";
    let read = |path: &str| Step { read: Some(path.to_owned()), ..Step::default() };
    let fails = |step: Step, error: &str| Step { fails: Some(error.to_owned()), ..step };
    let cancelled = || beside(fails(read("b.rs"), CANCELLED));
    let then = || ran("./tide.sh", "x");
    let rows = [
        (vec![fails(read("a.rs"), LOST), cancelled(), cancelled(), then()], json!({ "cancelled_sibling": 1 })),
        (vec![fails(read("a.rs"), LOST), beside(read("b.rs")), then()], json!({ "usage": 1 })),
        (
            vec![fails(read("a.rs"), LOST), fails(read("a.rs"), LOST), cancelled(), then()],
            json!({ "usage": 1, "cancelled_sibling": 1 }),
        ),
        (vec![failed("go test ./auth", GO), cancelled(), then()], json!({})),
    ];
    let told = first_episodes(&rows.iter().map(|(steps, _)| steps.clone()).collect::<Vec<_>>());
    for ((steps, wanted), told) in rows.iter().zip(told) {
        let waste = told["waste"].as_object().unwrap().iter().map(|(kind, cost)| (kind.clone(), cost["turns"].clone()));
        assert_eq!(Value::Object(waste.collect()), *wanted, "{steps:?}: {told}");
    }
}

/// A check that never passes costs what is done in its folder and what is run of it again.
#[test]
fn work_in_another_package_is_no_work_on_a_check() {
    const TYPES: &str = "Exit code 2\nsrc/auth.spec.ts(358,31): error TS2345: Argument of type 'A' is not assignable to parameter of type 'B'.";
    let red = || failed("cd {root}/api && npx tsc --noEmit", TYPES);
    let edits = |path: &str| vec![Step { edit: Some(path.to_owned()), ..Step::default() }; 2];
    let of = |folder: &str| vec![ran(&format!("cd {{root}}/{folder} && npx tsc --noEmit 2>&1 | grep tide"), "")];
    let commit = || vec![ran("git commit -m tide", "[main 1a2b3c4] tide\n 1 file changed")];
    let suite = failed("pnpm test", VITEST);
    let green = ran("pnpm --filter crypto test 2>&1 | grep tide", "tide");
    let rows = [
        ([vec![red()], edits("web/src/share.ts"), of("web"), commit()].concat(), 1),
        ([vec![red()], edits("api/src/share.ts"), of("api"), commit()].concat(), 3),
        ([vec![suite.clone(), green], commit()].concat(), 2),
        ([vec![suite, ran("pnpm --filter crypto build 2>&1 | grep tide", "tide")], commit()].concat(), 1),
    ];
    let told = first_episodes(&rows.iter().map(|(steps, _)| steps.clone()).collect::<Vec<_>>());
    for ((steps, calls), told) in rows.iter().zip(told) {
        assert_eq!(told["calls"].as_u64(), Some(*calls), "{steps:?}: {told}");
    }
}

#[test]
fn what_prints_that_it_failed_has_not_passed_by_itself() {
    let runs = [
        ("gh pr checks 7", "gh pr checks 7; echo \"exit=$?\"", "exit=1", false),
        ("gh pr checks 7", "gh pr checks 7; echo \"exit=$?\"", "exit=0", true),
        ("gh pr checks 7", "gh pr checks 7 | head -20", "Tide\tfail\t3m\thttps://example.org/1", false),
        ("gh pr checks 7", "gh pr checks 7 | head -20", "Tide\tpass\t3m\thttps://example.org/1", true),
        ("gh pr checks 7", "gh pr checks 7; true", "", false),
        ("./tide.sh", "./tide.sh > log; rc=$?; echo \"rc=$rc\"", "rc=2", false),
        ("./tide.sh", "./tide.sh > log; rc=$?; echo \"rc=$rc\"", "rc=0", true),
        ("go test ./auth", "go test ./auth > log || echo \"EXIT: $?\"", "EXIT: 1", false),
    ];
    let session = |(line, again, prints, _): &(&str, &str, &str, bool)| {
        vec![failed(line, "Exit code 1\nthe tide is out"), ran(again, prints)]
    };
    for ((_, again, prints, passed), ended) in runs.iter().zip(ends_of(&runs.iter().map(session).collect::<Vec<_>>())) {
        assert_eq!(ended == "by_itself", *passed, "{again}: {prints}: {ended}");
    }
}

/// Calls that have nothing to do with any of these, in any number up to so many.
fn strangers(most: usize) -> impl Strategy<Value = Vec<Step>> {
    let calls = ["whoami", "uname -a", "df -h", "date"].map(|command| ran(command, "x"));
    proptest::collection::vec(proptest::sample::select(calls.to_vec()), 0..=most)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn what_leaves_the_failing_test_out_is_no_pass_of_it(
        before in strangers(3), between in strangers(2), after in strangers(3),
    ) {
        let rows = LEFT_OUT.iter().flat_map(|(suite, red, green, others)| {
            std::iter::once(*suite).chain(others.iter().copied()).map(move |other| (*suite, *red, other, *green))
        });
        let rows: Vec<_> = rows.collect();
        let session = |(suite, red, other, green): &(&str, &str, &str, &str)| {
            let (red, green) = (vec![failed(suite, red)], vec![ran(other, green)]);
            [before.clone(), red, between.clone(), green, after.clone()].concat()
        };
        for ((suite, _, other, _), ended) in rows.iter().zip(ends_of(&rows.iter().map(session).collect::<Vec<_>>())) {
            let passed = !matches!(ended.as_str(), "open" | "put_aside");
            prop_assert_eq!(passed, suite == other, "{}, then {}: {}", suite, other, ended);
        }
    }

    #[test]
    fn a_run_that_lacks_a_selecting_word_proves_nothing_unless_it_is_wider(between in strangers(2), after in strangers(3)) {
        let less = SELECTED.iter().flat_map(|row| [(row, row.3, false), (row, row.0, true)]);
        let rows: Vec<_> = less.chain(NARROWED.iter().map(|row| (row, row.3, true))).collect();
        let session = |((narrow, red, green, _), later, _): &(&(&str, &str, &str, &str), &str, bool)| {
            [vec![failed(narrow, red)], between.clone(), vec![ran(later, green)], after.clone()].concat()
        };
        for ((row, later, passed), ended) in rows.iter().zip(ends_of(&rows.iter().map(session).collect::<Vec<_>>())) {
            let is_passed = !matches!(ended.as_str(), "open" | "put_aside");
            prop_assert_eq!(is_passed, *passed, "{}, then {}: {}", row.0, later, ended);
        }
    }

    #[test]
    fn work_on_a_check_ends_where_the_agent_turns_aside(work in 0..4_usize, later in 4..12_usize) {
        let edit = |path: &str| Step { edit: Some(path.to_owned()), ..Step::default() };
        let page = vec![edit("page.html"); later];
        let item = |status: &str| json!({ "content": "mend the login", "status": status, "activeForm": "x" });
        let list = called("TodoWrite", json!({ "todos": [item("in_progress"), item("pending")] }));
        let session = |turn: &Step| {
            [vec![list.clone(), failed("go test ./auth", GO)], vec![edit("auth/auth_test.go"); work], vec![turn.clone()], page.clone()].concat()
        };
        let turns = turns_aside();
        for (turn, told) in turns.iter().zip(first_episodes(&turns.iter().map(session).collect::<Vec<_>>())) {
            prop_assert_eq!(&told["ended"], "put_aside", "{:?}: {}", turn, told);
            prop_assert_eq!(told["calls"].as_u64(), Some(1 + work as u64), "{:?}: {}", turn, told);
            prop_assert_eq!(&told["last_run"], "not_run_again");
            prop_assert_eq!(told["end"].is_null(), turn.prompt.is_some());
        }
    }

    #[test]
    fn a_form_that_ran_is_another_form_whatever_it_found(before in strangers(3), between in strangers(2), after in strangers(3)) {
        let session = |(wrong, says, right, red): &(&str, &str, &str, &str)| {
            [before.clone(), vec![failed(wrong, says)], between.clone(), vec![failed(right, red)], after.clone()].concat()
        };
        for ((wrong, ..), ended) in OTHERWISE.iter().zip(ends_of(&OTHERWISE.iter().map(session).collect::<Vec<_>>())) {
            prop_assert_eq!(&ended, "replaced", "{}", wrong);
        }
    }

    #[test]
    fn what_a_later_command_of_its_line_hides_has_done_no_work(before in strangers(3), between in strangers(1), after in strangers(2)) {
        for (line, wanted) in [("{}", "replaced"), ("date; {}", "replaced"), ("{}; date", "moved_on")] {
            let session = |(wrong, says, right): &(&str, &str, &str)| {
                let right = ran(&line.replace("{}", right), "x");
                [before.clone(), vec![failed(wrong, says)], between.clone(), vec![right], after.clone()].concat()
            };
            for ((wrong, ..), ended) in DONE.iter().zip(ends_of(&DONE.iter().map(session).collect::<Vec<_>>())) {
                prop_assert_eq!(&ended, wanted, "{}, then {}", wrong, line);
            }
        }
    }
}
