//! What a plan demands is held: a call that goes against it is told though it passes, and two that change one file meet at
//! the second edit.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "puts a page back as it was")]

use serde_json::{Value, json};

use super::plan_commands::Project;

#[test]
fn a_line_that_writes_a_forbidden_file_is_seen_as_an_edit_is() {
    for (at, line) in [
        "echo x > migrations/0001.sql",
        "rm -f migrations/0001.sql",
        "sed -i s/a/b/ migrations/0001.sql",
        "cp a.sql migrations/0001.sql",
        "cp a.sql migrations/",
        "mv migrations/0001.sql a.sql",
        "git mv migrations/0001.sql a.sql",
        "cd migrations && echo x > 0001.sql",
        "mkdir -p x && touch migrations/0001.sql",
        "rm -rf migrations",
        "mv migrations old",
        "git checkout main -- migrations",
        "find migrations -name '*.sql' -delete",
        "git -C migrations clean -fd",
        "patch migrations/0001.sql < p.diff",
        "rsync -a sql/ migrations/",
        "tar xf a.tgz -C migrations",
        "unzip a.zip -d migrations",
        "curl -o migrations/x https://example.com",
        "wget -P migrations https://example.com/x",
        "dd if=a of=migrations/b",
        "black migrations",
        "npx prettier --write migrations",
        "npm install left-pad",
        "npm install --save left-pad@1.3.0",
        "pip install left-pad==1.3",
    ]
    .iter()
    .enumerate()
    {
        let project = Project::at_work(&["forbidden_paths=migrations/**", "forbidden_dependencies=left-pad"]);
        let near = [
            "cat migrations/0001.sql",
            "grep x migrations/0001.sql > /tmp/x",
            "cp migrations/0001.sql a.sql",
            "echo x > migrations.txt",
            "cat <<X\nmigrations\nX",
            "git checkout migrations",
            "git checkout -b migrations",
            "git -C migrations clean -n",
            "find migrations -name '*.sql'",
            "rsync -a migrations/ sql/",
            "rsync -a a.sql host:migrations/",
            "tar czf a.tgz -C migrations .",
            "unzip migrations.zip -d sql",
            "curl -o x https://example.com/migrations",
            "dd if=migrations/b of=a",
            "black --check migrations",
            "npx prettier --check migrations",
            "npm run migrations:fix",
            "false && echo x > migrations/0001.sql || true",
            "npm install left-pads",
            "npm install",
        ];
        for (number, near) in near.iter().enumerate().filter(|_| at == 0) {
            assert_eq!(runs(&project, "a1", near, &format!("n{number}")), "", "{near}");
        }
        let told = runs(&project, "a1", line, "r1");
        assert!(told.contains("of MISSION forbids"), "{line}: {told}");
        // The same before it runs.
        let asked = json!({
            "session_id": "s-1", "agent_id": "a1", "transcript_path": "", "cwd": project.root(),
            "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "p1", "tool_input": {"command": line},
        });
        let refused = project.hook_with(Some(("FAILWISE_PLAN_GUARD", "block")), &asked);
        assert!(refused.contains("\"permissionDecision\":\"deny\""), "{line}: {refused}");
    }
}

/// A mission that forbids a folder and a command, and two tasks of one story.
fn bound() -> Project {
    let project = Project::empty();
    let forbidden = ["--constraint", "forbidden_paths=migrations", "--constraint", "forbidden_commands=twine upload"];
    project.done(&[&["init", "--intent", "Books"], &forbidden[..]].concat());
    project.done(&["add", "feature", "--parent", "MISSION", "--intent", "Shelves"]);
    project.done(&["add", "story", "--parent", "FEAT-1", "--intent", "One", "--test-ref", "tests/beds.rs::dry"]);
    for intent in ["Build it", "Draw it"] {
        project.done(&["add", "task", "--parent", "STORY-0001", "--intent", intent]);
    }
    project
}

/// What a page forbids that cannot be read is not known: until it is mended only the plan's own pages are written.
#[test]
fn a_page_above_that_cannot_be_read_lets_no_write_through() {
    for text in ["---\nid: FEAT-1\ntier: 2\nconstr", "", "}{\n-x-\nid: FEAT-1\n"] {
        let project = bound();
        project.agent_runs("s-1", Some("a1"), &["claim", "TASK-00001"]);
        let page = project.file("FEAT-1");
        std::fs::write(&page, text).unwrap();
        let asked = |tool: &str, input: Value| {
            let call = json!({
                "session_id": "s-1", "agent_id": "a1", "transcript_path": "", "cwd": project.root(),
                "hook_event_name": "PreToolUse", "tool_name": tool, "tool_use_id": "p1", "tool_input": input,
            });
            project.hook_with(Some(("FAILWISE_PLAN_GUARD", "block")), &call)
        };
        let write = |file: &std::path::Path| json!({"file_path": file, "content": "x"});
        let told = asked("Write", write(&project.root().join("src/a.py")));
        assert!(told.contains("deny") && told.contains("the page of FEAT-1 cannot be read"), "{text:?}: {told}");
        assert_eq!(asked("Write", write(&page)), "", "{text:?}: the page itself is mended");
        assert_eq!(asked("Bash", json!({"command": "cat src/a.py"})), "", "{text:?}: who reads is not stopped");
        assert!(asked("Bash", json!({"command": "echo x > src/a.py"})).contains("deny"), "{text:?}");
    }
}

/// A page that grew by what was found out binds as before.
#[test]
fn a_long_page_above_binds() {
    let project = bound();
    project.done(&["edit", "FEAT-1", "--constraint", "forbidden_paths=legacy"]);
    project.agent_runs("s-1", Some("a1"), &["claim", "TASK-00001"]);
    let text = project.text("FEAT-1") + &"a line of a log\n".repeat(9_000);
    std::fs::write(project.file("FEAT-1"), text).unwrap();
    assert!(edits(&project, "a1", "legacy/a.py", "e1").contains("of FEAT-1 forbids"));
}

/// A call that passes; what agent and person are told.
fn passes(project: &Project, agent: &str, tool: &str, input: &Value, id: &str) -> String {
    project.hook(&json!({
        "session_id": "s-1", "agent_id": agent, "transcript_path": "", "cwd": project.root(),
        "hook_event_name": "PostToolUse", "tool_name": tool, "tool_use_id": id, "tool_input": input,
        "tool_response": {"stdout": "done", "stderr": ""},
    }))
}

fn edits(project: &Project, agent: &str, file: &str, id: &str) -> String {
    let input = json!({"file_path": project.root().join(file), "old_string": "a", "new_string": "b"});
    passes(project, agent, "Edit", &input, id)
}

fn runs(project: &Project, agent: &str, command: &str, id: &str) -> String {
    passes(project, agent, "Bash", &json!({"command": command}), id)
}

/// A line that passes and prints this.
fn ran(project: &Project, command: &str, printed: &str) {
    project.hook(&json!({
        "session_id": "s-1", "agent_id": "a1", "transcript_path": "", "cwd": project.root(),
        "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": printed,
        "tool_input": {"command": command}, "tool_response": {"stdout": printed, "stderr": ""},
    }));
}

fn count(project: &Project, word: &str) -> usize {
    project.events().iter().filter(|event| event["event"] == word).count()
}

#[test]
fn a_call_that_passes_against_a_constraint_is_told_once_to_both() {
    let project = bound();
    // Nobody is bound to a task yet.
    assert_eq!(edits(&project, "a0", "migrations/0001.sql", "e0"), "");
    project.agent_runs("s-1", Some("a1"), &["claim", "TASK-00001"]);
    assert_eq!(edits(&project, "a1", "src/rows.py", "e1"), "");
    assert_eq!(edits(&project, "a1", "src/migrations.py", "e2"), "");
    let told: Value = serde_json::from_str(&edits(&project, "a1", "migrations/0002.sql", "e3")).unwrap();
    let context = told["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(context.contains("forbidden_paths of MISSION forbids") && context.contains("0002.sql"), "{told}");
    assert!(told["systemMessage"].as_str().unwrap().contains("TASK-00001"), "{told}");
    assert_eq!(edits(&project, "a1", "migrations/0003.sql", "e4"), "", "told once");
    assert_eq!(count(&project, "constraint_violated"), 2, "and recorded for each file");
    assert_eq!(edits(&project, "a1", "migrations/0003.sql", "e5"), "");
    assert_eq!(count(&project, "constraint_violated"), 2, "once");
    let shown = project.done(&["show", "TASK-00001"]);
    assert_eq!(shown.matches("  against ").count(), 2, "{shown}");
    assert!(shown.contains("migrations/0003.sql` was touched"), "{shown}");
    assert_eq!(runs(&project, "a1", "twine check dist/x.whl", "r1"), "");
    assert!(runs(&project, "a1", "twine upload dist/x.whl", "r2").contains("forbidden_commands of MISSION"));
    assert_eq!(runs(&project, "a1", "twine upload dist/y.whl", "r3"), "", "once");
    let violated: Vec<Value> =
        project.events().into_iter().filter(|event| event["event"] == "constraint_violated").collect();
    assert_eq!(violated.len(), 4);
    assert_eq!((&violated[0]["node"], &violated[0]["target"]), (&json!("TASK-00001"), &json!("MISSION")));
    assert_eq!(count(&project, "person_told"), 2);
}

#[test]
fn a_person_may_have_a_forbidden_command_refused() {
    let project = bound();
    project.agent_runs("s-1", Some("a1"), &["claim", "TASK-00001"]);
    let before = |setting: Option<&str>, command: &str| {
        let payload = json!({
            "session_id": "s-1", "agent_id": "a1", "transcript_path": "", "cwd": project.root(),
            "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "p1", "tool_input": {"command": command},
        });
        let setting = setting.map(|value| ("FAILWISE_PLAN_GUARD", value));
        project.hook_with(setting, &payload)
    };
    assert_eq!(before(None, "twine upload dist/x.whl"), "");
    assert_eq!(before(Some("tell"), "twine upload dist/x.whl"), "");
    assert_eq!(before(Some("block"), "twine check dist/x.whl"), "");
    let refused = before(Some("block"), "twine upload dist/x.whl");
    assert!(refused.contains("\"permissionDecision\":\"deny\"") && refused.contains("forbids"), "{refused}");
}

#[test]
fn a_person_may_have_a_forbidden_edit_refused() {
    let project = bound();
    let before = |setting: &str, tool: &str, file: &str| {
        let payload = json!({
            "session_id": "s-1", "agent_id": "a1", "transcript_path": "", "cwd": project.root(),
            "hook_event_name": "PreToolUse", "tool_name": tool, "tool_use_id": "p1",
            "tool_input": {"file_path": project.root().join(file), "content": "x"},
        });
        project.hook_with(Some(("FAILWISE_PLAN_GUARD", setting)), &payload)
    };
    assert_eq!(before("block", "Write", "migrations/0001.sql"), "", "nobody is bound to a task yet");
    project.agent_runs("s-1", Some("a1"), &["claim", "TASK-00001"]);
    assert_eq!(before("tell", "Write", "migrations/0001.sql"), "");
    assert_eq!(before("block", "Write", "src/migrations.py"), "");
    assert_eq!(before("block", "Read", "migrations/0001.sql"), "");
    for tool in ["Write", "Edit"] {
        let refused = before("block", tool, "migrations/0001.sql");
        assert!(refused.contains("\"permissionDecision\":\"deny\"") && refused.contains("forbids"), "{refused}");
    }
}

/// A mission that requires two checks, and a task that an agent works on.
fn checked() -> Project {
    Project::at_work(&["required_checks=pytest -q", "required_checks=ruff check ."])
}

#[test]
fn a_task_ends_after_its_required_checks_passed_on_its_last_change() {
    let project = checked();
    edits(&project, "a1", "src/rows.py", "e1");
    runs(&project, "a1", "ruff check .", "r0");
    let refused = |lacks: &str| {
        let text = project.refused(&["done", "TASK-00001"]);
        assert!(text.contains(lacks) && text.contains("since its last change"), "{text}");
        text
    };
    let text = refused("`pytest -q` (required_checks of MISSION)");
    assert!(text.contains("failwise plan done TASK-00001 --without-check REASON"), "{text}");
    runs(&project, "a1", "pytest -q tests/test_rows.py", "r1");
    refused("`pytest -q`");
    runs(&project, "a1", "pytest -q | tail -3", "r2");
    refused("`pytest -q`");
    runs(&project, "a1", "cd sub && pytest -q", "r3");
    refused("`pytest -q`");
    runs(&project, "a1", "pytest -q", "r4");
    edits(&project, "a1", "src/rows.py", "e2");
    refused("`pytest -q`");
    runs(&project, "a1", "pytest", "r5");
    refused("`ruff check .`");
    runs(&project, "a1", "ruff check .", "r6");
    assert!(project.refused(&["set", "STORY-0001", "done"]).contains("TASK-00001 below it is active"));
    project.done(&["done", "TASK-00001"]);
}

#[test]
fn a_story_ends_after_its_test_was_seen_to_pass() {
    let project = checked();
    edits(&project, "a1", "src/rows.py", "e1");
    runs(&project, "a1", "pytest -q", "r1");
    runs(&project, "a1", "ruff check .", "r2");
    project.done(&["done", "TASK-00001"]);
    let refused = project.refused(&["done", "STORY-0001"]);
    assert!(refused.contains("its test `tests/beds.rs::dry` was not seen to pass"), "{refused}");
    runs(&project, "a1", "cargo test --test wells", "r3");
    runs(&project, "a1", "cargo test wet", "r4");
    runs(&project, "a1", "cargo clippy", "r5");
    project.refused(&["done", "STORY-0001"]);
    project.refused(&["set", "STORY-0001", "done"]);
    for (number, proof) in ["cargo test", "cargo test --test beds", "cargo test dry"].iter().enumerate() {
        let file = project.file("STORY-0001");
        let page = std::fs::read_to_string(&file).unwrap();
        runs(&project, "a1", proof, &format!("p{number}"));
        project.done(&["done", "STORY-0001"]);
        std::fs::write(file, page).unwrap();
        edits(&project, "a1", "src/rows.py", &format!("c{number}"));
        for check in ["pytest -q", "ruff check ."] {
            runs(&project, "a1", check, &format!("{check}{number}"));
        }
        project.refused(&["done", "STORY-0001"]);
    }
    // Only a person goes without it, and it is kept.
    let refused = project.refused_to("s-1", &["done", "STORY-0001", "--without-check", "no cargo here"]);
    assert!(refused.contains("only a person may end a node without its check"), "{refused}");
    project.done(&["done", "STORY-0001", "--without-check", "no cargo here"]);
    assert!(project.events().iter().any(|event| event["reason"] == "no cargo here"));
}

/// A story that a test proves, with its one task done.
fn proven_by(test: &str, manifests: &[(&str, &str)]) -> Project {
    let project = Project::empty();
    let file = test.split_once("::").map_or(test, |(file, _)| file);
    let names = test.replace("::", "\n").replace(" > ", "\n");
    for (file, text) in [(file, &*names)].iter().chain(manifests) {
        project.write(&format!("../../{file}"), text);
    }
    project.done(&["init", "--intent", "Books"]);
    project.done(&["add", "feature", "--parent", "MISSION", "--intent", "Shelves"]);
    project.done(&["add", "story", "--parent", "FEAT-1", "--intent", "One", "--test-ref", test]);
    project.done(&["add", "task", "--parent", "STORY-0001", "--intent", "Build it"]);
    project.agent_runs("s-1", Some("a1"), &["claim", "TASK-00001"]);
    project.done(&["done", "TASK-00001"]);
    project
}

#[test]
fn the_command_that_a_refusal_names_is_a_proof() {
    let of_web =
        |runner: &str| format!("{{\"devDependencies\": {{\"eslint-plugin-jest\": \"1\", \"{runner}\": \"^3\"}}}}");
    let (vitest, jest) = (of_web("vitest"), of_web("jest"));
    for (test, manifests, run) in [
        ("tests/beds.rs::dry", &[("Cargo.toml", "[package]")][..], "cargo test dry"),
        ("tests/beds.rs", &[("Cargo.toml", "[package]")], "cargo test"),
        (
            "crates/a/src/lib.rs::tests::dry",
            &[("Cargo.toml", ""), ("crates/a/Cargo.toml", "")],
            "cd crates/a && cargo test dry",
        ),
        ("beds/beds_test.go::TestDry", &[("go.mod", "module x")], "go test -run TestDry ./beds"),
        ("beds_test.go::TestDry", &[("go.mod", "module x")], "go test -run TestDry ."),
        (
            "tests/test_beds.py::Beds::test_dry",
            &[("pyproject.toml", "dev = [\"pytest>=8\"]")],
            "pytest tests/test_beds.py::Beds::test_dry",
        ),
        ("tests/test_beds.py", &[("pytest.ini", "")], "pytest tests/test_beds.py"),
        (
            "web/src/beds.test.ts::beds > stay dry",
            &[("web/package.json", &*vitest)],
            "cd web && npx vitest run src/beds.test.ts -t \"stay dry\"",
        ),
        ("web/src/beds.test.ts", &[("web/package.json", &*jest)], "cd web && npx jest src/beds.test.ts"),
        (
            "spec/beds_spec.rb::stays dry",
            &[("Gemfile", "gem \"rspec-rails\"")],
            "bundle exec rspec spec/beds_spec.rb -e \"stays dry\"",
        ),
        (
            "tests/BedsTest.php::testDry",
            &[("composer.json", "{\"require-dev\": {\"phpunit/phpunit\": \"^11\"}}")],
            "vendor/bin/phpunit --filter testDry tests/BedsTest.php",
        ),
    ] {
        let project = proven_by(test, manifests);
        let refused = project.refused(&["done", "STORY-0001"]);
        assert!(refused.contains(&format!("run `{run}`, and end it again")), "{test}: {refused}");
        runs(&project, "a1", "make build", "r0");
        project.refused(&["done", "STORY-0001"]);
        runs(&project, "a1", run, "r1");
        project.done(&["done", "STORY-0001"]);
    }
    for (test, manifests) in [
        ("tests/beds.rs::dry", &[][..]),
        ("tests/test_beds.py::dry", &[("pyproject.toml", "[project]\ndependencies = [\"pytest-like\"]")]),
        (
            "src/beds.test.ts::dry",
            &[("package.json", "{\"devDependencies\": {\"babel-jest\": \"1\"}}"), ("Cargo.toml", "")],
        ),
        ("tests/beds.txt", &[("Cargo.toml", "")]),
    ] {
        let refused = proven_by(test, manifests).refused(&["done", "STORY-0001"]);
        assert!(refused.contains(&format!("run all tests, or `{test}` alone")), "{refused}");
    }
}

#[test]
fn a_run_that_was_not_of_the_named_test_proves_nothing() {
    let session = "===== test session starts =====\ncollected 1 item\n\n";
    let project = proven_by("tests/test_beds.py::test_dry", &[]);
    let pytest = "pytest tests/test_beds.py";
    ran(&project, pytest, &format!("{session}===== 1 skipped in 0.01s ====="));
    ran(&project, pytest, "s  [100%]\n1 skipped in 0.01s");
    ran(
        &project,
        "pytest -v tests/test_beds.py",
        &format!("{session}tests/test_beds.py::test_wet PASSED [100%]\n===== 1 passed in 0.01s ====="),
    );
    project.refused(&["done", "STORY-0001"]);
    project.write("../../tests/test_beds.py", "def test_dry_beds(): pass\n");
    ran(&project, pytest, &format!("{session}===== 1 passed in 0.01s ====="));
    let refused = project.refused(&["done", "STORY-0001"]);
    assert!(refused.contains("`tests/test_beds.py::test_dry`, which its file does not have,"), "{refused}");
    project.write("../../tests/test_beds.py", "def test_dry(): pass\n");
    project.done(&["done", "STORY-0001"]);
}

/// A story's test, how it is run, what is printed where all is left out or there is nothing to run, and where something ran.
const LEFT_OUT: &[(&str, &str, &[&str], &str)] = &[
    (
        "spec/beds_spec.rb::dry",
        "bundle exec rspec",
        &["*\n\nFinished in 0.001 seconds\n1 example, 0 failures, 1 pending", "0 examples, 0 failures"],
        "Finished in 0.001 seconds\n2 examples, 0 failures, 1 pending",
    ),
    (
        "beds/beds_test.go::TestDry",
        "go test ./...",
        &[
            "?   \texample.com/x/beds\t[no test files]",
            "ok  \texample.com/x/beds\t0.002s [no tests to run]",
            "testing: warning: no tests to run\nPASS\nok  \texample.com/x/beds\t0.002s [no tests to run]",
        ],
        "ok  \texample.com/x/beds\t0.002s",
    ),
    (
        "beds_test.go::TestDry",
        "go test -v ./...",
        &[
            "=== RUN   TestWet\n--- PASS: TestWet (0.00s)\nPASS\nok  \tbeds\t0.002s",
            "=== RUN   TestDry\n    beds_test.go:3: later\n--- SKIP: TestDry (0.00s)\nPASS\nok  \tbeds\t0.003s",
        ],
        "=== RUN   TestDry\n--- PASS: TestDry (0.00s)\nPASS\nok  \tbeds\t0.002s",
    ),
    (
        "beds_test.go::TestDry",
        "go test -json ./...",
        &[concat!(
            "{\"Action\":\"output\",\"Package\":\"beds\",\"Test\":\"TestDry\",\"Output\":\"--- SKIP: TestDry (0.00s)\\n\"}\n",
            "{\"Action\":\"skip\",\"Package\":\"beds\",\"Test\":\"TestDry\",\"Elapsed\":0}\n",
            "{\"Action\":\"pass\",\"Package\":\"beds\",\"Elapsed\":0.007}",
        )],
        "{\"Action\":\"pass\",\"Package\":\"beds\",\"Test\":\"TestDry\",\"Elapsed\":0}",
    ),
    (
        "tests/beds.bats::dry",
        "bats tests/beds.bats",
        &[
            "1..1\nok 1 dry # skip later",
            "1..2\nok 1 dry # skip\nok 2 wet",
            "1..2\nok 1 # skip no disk\nok 2 # skip no disk",
        ],
        "1..2\nok 1 wet # skip later\nok 2 dry",
    ),
    (
        "tests/beds.cmake::dry",
        "ctest",
        &[
            "1/1 Test #1: dry ....***Skipped   0.00 sec\n\n100% tests passed, 0 tests failed out of 1\n\nThe following tests did not run:\n\t  1 - dry (Skipped)",
        ],
        "1/2 Test #1: wet ....***Skipped   0.00 sec\n2/2 Test #2: dry ....   Passed    0.00 sec\n\n100% tests passed, 0 tests failed out of 2",
    ),
    (
        "tests/test_beds.py::test_dry",
        "pytest -q",
        &[
            "s  [100%]\n1 skipped in 0.01s",
            "x  [100%]\n1 xfailed in 0.01s",
            "sx  [100%]\n1 skipped, 1 xfailed in 0.01s",
        ],
        "s.  [100%]\n1 passed, 1 skipped in 0.01s",
    ),
    (
        "tests/test_beds.py::test_dry",
        "python3 -m unittest discover -s tests",
        &["s\n------\nRan 1 test in 0.000s\n\nOK (skipped=1)", "------\nRan 0 tests in 0.000s\n\nOK"],
        "s.\n------\nRan 2 tests in 0.000s\n\nOK (skipped=1)",
    ),
    (
        "tests/beds.test.mjs::dry",
        "node --test tests/beds.test.mjs",
        &[
            "1..1\n# tests 1\n# suites 0\n# pass 0\n# fail 0\n# cancelled 0\n# skipped 1\n# todo 0\n# duration_ms 98.5",
            "\u{fe63} dry (1.4ms) # SKIP\n\u{2139} tests 1\n\u{2139} suites 0\n\u{2139} pass 0\n\u{2139} fail 0\n\u{2139} skipped 1\n",
        ],
        "1..2\n# tests 2\n# suites 0\n# pass 1\n# fail 0\n# cancelled 0\n# skipped 1\n# todo 0\n# duration_ms 98.5",
    ),
    (
        "tests/beds.test.mjs::dry",
        "node --test",
        &[
            "ok 1 - dry # SKIP\nok 2 - wet\n1..2\n# tests 2\n# pass 1\n# fail 0\n# skipped 1",
            "\u{fe63} dry (1.4ms) # later\n\u{2139} tests 2\n\u{2139} pass 1\n\u{2139} fail 0\n\u{2139} skipped 1",
        ],
        "ok 1 - dry\nok 2 - wet # SKIP\n1..2\n# tests 2\n# pass 1\n# fail 0\n# skipped 1",
    ),
    (
        "tests/dry.js::dry",
        "npx tap",
        &["TAP version 14\n1..1\nok 1 - dry # SKIP later"],
        "TAP version 14\nok 1 - dry\n1..1",
    ),
    (
        "tests/beds.test.ts::dry",
        "bun test",
        &[
            "tests/beds.test.ts:\n» dry\n✓ wet\n\n 1 pass\n 1 skip\n 0 fail\nRan 2 tests across 1 files. [12.00ms]",
            "tests/beds.test.ts:\n(skip) dry\n\n 0 pass\n 1 skip\n 0 fail\nRan 1 test across 1 file. [9.00ms]",
        ],
        "tests/beds.test.ts:\n(skip) wet\n(pass) dry [0.10ms]\n\n 1 pass\n 1 skip\n 0 fail\nRan 2 tests across 1 file. [9.00ms]",
    ),
    (
        "src/test/java/BedsTest.java::dry",
        "mvn test",
        &["[WARNING] Tests run: 3, Failures: 0, Errors: 0, Skipped: 3\n[INFO] BUILD SUCCESS"],
        "[WARNING] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1\n[INFO] BUILD SUCCESS",
    ),
    (
        "src/test/java/BedsTest.java::dry",
        "./gradlew test",
        &[
            "\nBedsTest > dry() SKIPPED\n\nBUILD SUCCESSFUL in 1s",
            "BedsTest > dry() SKIPPED\nBedsTest > wet() PASSED\n\nBUILD SUCCESSFUL in 1s",
            "> Task :compileJava NO-SOURCE\n> Task :testClasses UP-TO-DATE\n> Task :test NO-SOURCE\n\nBUILD SUCCESSFUL in 475ms\n1 actionable task: 1 up-to-date",
            "> Task :app:test NO-SOURCE\n> Task :lib:test SKIPPED\n\nBUILD SUCCESSFUL in 1s",
        ],
        "BedsTest > wet() SKIPPED\n\nBedsTest > dry() PASSED\n\nBUILD SUCCESSFUL in 1s",
    ),
    (
        "src/test/java/BedsTest.java::dry",
        "./gradlew test",
        &["> Task :integrationTest NO-SOURCE\n\nBUILD SUCCESSFUL in 1s"],
        "> Task :app:test NO-SOURCE\n> Task :lib:compileJava\n> Task :lib:test\n\nBUILD SUCCESSFUL in 3s\n2 actionable tasks: 2 executed",
    ),
    (
        "Tests/BedsTests.swift::testDry",
        "swift test",
        &[
            "Test Suite 'All tests' passed\n\t Executed 1 test, with 1 test skipped and 0 failures (0 unexpected) in 0.001 (0.001) seconds",
        ],
        "Test Suite 'All tests' passed\n\t Executed 2 tests, with 1 test skipped and 0 failures (0 unexpected) in 0.001 (0.001) seconds",
    ),
    (
        "tests/beds.spec.ts::dry",
        "npx playwright test",
        &["Running 2 tests using 1 worker\n\n  -  1 tests/beds.spec.ts:3:6 › dry\n\n  2 skipped"],
        "Running 2 tests using 1 worker\n\n  1 skipped\n  1 passed (1.2s)",
    ),
    (
        "src/beds.test.js::dry",
        "npx jest",
        &[
            "Test Suites: 1 skipped, 0 of 1 total\nTests:       2 skipped, 2 total\nSnapshots:   0 total",
            "Test Suites: 1 passed, 1 total\nTests:       1 todo, 1 total",
            "Test Suites: 1 skipped, 0 of 1 total\nTests:       1 skipped, 1 todo, 2 total",
        ],
        "Test Suites: 1 passed, 1 total\nTests:       1 skipped, 1 passed, 2 total",
    ),
    (
        "src/beds.test.ts::dry",
        "npx vitest run",
        &[" \u{2193} src/beds.test.ts (1 test | 1 skipped)\n\n Test Files  1 skipped (1)\n      Tests  1 skipped (1)"],
        " \u{2713} src/beds.test.ts (2 tests | 1 skipped) 2ms\n\n Test Files  1 passed (1)\n      Tests  1 passed | 1 skipped (2)",
    ),
    (
        "tests/beds.rs::dry",
        "cargo test",
        &[
            "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out; finished in 0.00s",
            "running 1 test\ntest dry ... ignored\n\ntest result: ok. 0 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s",
        ],
        "running 1 test\ntest dry ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
    ),
    (
        "tests/BedsTest.php::testDry",
        "vendor/bin/phpunit",
        &["OK, but some tests were skipped!\nTests: 1, Assertions: 0, Skipped: 1.", "No tests executed!"],
        "OK, but some tests were skipped!\nTests: 2, Assertions: 1, Skipped: 1.",
    ),
];

/// A run of the test's file proves nothing where the runner says that all of it was left out, or that there was nothing to run.
#[test]
fn a_run_of_nothing_proves_nothing() {
    for (test, run, nothing, something) in LEFT_OUT {
        let project = proven_by(test, &[]);
        let ran = |printed: &str| {
            project.hook(&json!({
                "session_id": "s-1", "agent_id": "a1", "transcript_path": "", "cwd": project.root(),
                "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": printed,
                "tool_input": {"command": run}, "tool_response": {"stdout": printed, "stderr": ""},
            }))
        };
        for printed in *nothing {
            ran(printed);
            assert_eq!(project.plan(&["done", "STORY-0001"]).status.code(), Some(1), "{run}: {printed}");
        }
        ran(something);
        project.done(&["done", "STORY-0001"]);
    }
}

#[test]
fn a_task_that_ran_tests_of_another_language_proves_nothing() {
    let project = proven_by("tests/test_beds.py::test_dry", &[]);
    let make = |printed: &str, id: &str| {
        project.hook(&json!({
            "session_id": "s-1", "agent_id": "a1", "transcript_path": "", "cwd": project.root(),
            "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": id, "tool_input": {"command": "make test"},
            "tool_response": {"stdout": printed, "stderr": ""},
        }))
    };
    make(
        "running 1 test\ntest dry ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n",
        "m1",
    );
    project.refused(&["done", "STORY-0001"]);
    make(
        "===== test session starts =====\ncollected 1 item\n\ntests/test_beds.py .      [100%]\n\n===== 1 passed in 0.01s =====\n",
        "m2",
    );
    project.done(&["done", "STORY-0001"]);
}

#[test]
fn two_tasks_at_work_that_change_one_file_meet_at_the_second_edit() {
    let project = bound();
    project.agent_runs("s-1", Some("a1"), &["claim", "TASK-00001"]);
    project.agent_runs("s-1", Some("a2"), &["claim", "TASK-00002"]);
    assert_eq!(edits(&project, "a1", "src/rows.py", "e1"), "");
    assert_eq!(edits(&project, "a2", "src/chart.py", "e2"), "", "another file");
    assert_eq!(edits(&project, "a2", "Cargo.lock", "e3"), "");
    assert_eq!(edits(&project, "a1", "Cargo.lock", "e4"), "", "says nothing of the work");
    let told = edits(&project, "a2", "src/rows.py", "e5");
    assert!(told.contains("`src/rows.py` was changed by `TASK-00001` too"), "{told}");
    assert_eq!(edits(&project, "a2", "src/rows.py", "e6"), "", "once");
    assert_eq!(edits(&project, "a1", "src/rows.py", "e7"), "", "the other side was told");
    assert_eq!(count(&project, "conflict_detected"), 1);
    // The command that it offers settles it: who came second waits.
    let id = told.split("failwise arbitrate ").nth(1).unwrap().split('`').next().unwrap();
    let (code, text) = project.failwise(&["arbitrate".to_owned(), id.to_owned()]);
    assert_eq!(code, Some(0), "{text}");
    assert_eq!((project.status("TASK-00001"), project.status("TASK-00002")), ("active".into(), "frozen".into()));
}

#[test]
fn who_is_done_changed_nothing_at_the_same_time() {
    let project = bound();
    project.agent_runs("s-1", Some("a1"), &["claim", "TASK-00001"]);
    edits(&project, "a1", "src/rows.py", "e1");
    project.agent_runs("s-1", Some("a1"), &["done", "TASK-00001"]);
    project.agent_runs("s-1", Some("a2"), &["claim", "TASK-00002"]);
    assert_eq!(edits(&project, "a2", "src/rows.py", "e2"), "");
}

/// A conflict that a second edit made and nobody arbitrated: who waits has no failures of its own, who was first has those
/// that are not in the file.
#[test]
fn who_waits_in_a_conflict_waits_and_who_is_waited_for_goes_on() {
    let project = bound();
    project.agent_runs("s-1", Some("a1"), &["claim", "TASK-00001"]);
    project.agent_runs("s-1", Some("a2"), &["claim", "TASK-00002"]);
    runs(&project, "a1", "mkdir -p src && sed -i s/a/b/ src/rows.py", "r1");
    assert_eq!(runs(&project, "a2", "mkdir -p src && touch src/sums.py", "r2"), "", "a folder is no file of both");
    let told = runs(&project, "a2", "echo x >> src/rows.py", "r3");
    assert!(told.contains("was changed by `TASK-00001` too"), "{told}");
    let class = |agent: &str, file: &str, id: &str| {
        let error = format!(
            "Exit code 1\n  File \"{file}\", line 4\n    def read(:\n             ^\nSyntaxError: invalid syntax"
        );
        let told = project.hook(&json!({
            "session_id": "s-1", "agent_id": agent, "transcript_path": "", "cwd": project.root(),
            "hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_use_id": id,
            "tool_input": {"command": format!("python {file}")}, "error": error,
        }));
        let events = project.events();
        let last = events.iter().rfind(|event| event["event"] == "failure_classified").unwrap();
        (last["verdict"]["class"].as_str().unwrap().to_owned(), told)
    };
    let waits = "TASK-00002 waits for TASK-00001 in CONFLICT-";
    assert!(project.done(&["status"]).contains(waits) && project.done(&["show", "TASK-00001"]).contains("CONFLICT-"));
    assert_eq!(class("a2", "src/sums.py", "f1").0, "F6");
    assert_eq!(class("a1", "src/own.py", "f2").0, "F2");
    let (of_both, told) = class("a1", "src/rows.py", "f3");
    assert!(of_both == "F6" && !told.contains("another task"), "{told}");
    // Nobody waits for what is done.
    project.done(&["done", "TASK-00001"]);
    assert_eq!(class("a2", "src/sums.py", "f4").0, "F2");
}

/// Options that leave the test out, or by which nothing is run, a task that only prints, and a linter that always passes.
#[test]
fn what_leaves_the_test_out_or_only_lists_proves_nothing() {
    const PASSED: &str = "1 passed in 0.01s";
    for (test, run, printed, proves) in [
        (
            "tests/test_beds.py::test_dry",
            "pytest -q tests/test_beds.py --deselect tests/test_beds.py::test_dry",
            PASSED,
            false,
        ),
        ("tests/test_beds.py::test_dry", "pytest -q --deselect=tests/test_beds.py", PASSED, false),
        (
            "tests/test_beds.py::test_dry",
            "pytest -q tests/test_beds.py --deselect tests/test_beds.py::test_wet",
            PASSED,
            true,
        ),
        ("tests/test_beds.py::test_dry", "pytest -q tests/test_beds.py --ignore tests/slow", PASSED, true),
        ("beds_test.go::TestDry", "go test -skip TestDry ./...", "ok  \tbeds\t0.002s", false),
        ("beds_test.go::TestDry", "go test -list . ./...", "TestDry\nok  \tbeds\t0.002s", false),
        ("beds_test.go::TestDry", "go test -run TestDry ./...", "ok  \tbeds\t0.002s", true),
        ("tests/beds.rs::dry", "cargo test -- --list", "dry: test\n\n1 test, 0 benchmarks", false),
        ("tests/beds.rs::dry", "cargo test -- --skip dry", "", false),
        ("src/beds.test.js::dry", "npm test", "> a@1 test\n> echo \"no test yet\"\n\nno test yet", false),
        ("src/beds.test.js::dry", "npm test --if-present", "", false),
        (
            "src/beds.test.js::dry",
            "npm test",
            "> a@1 test\n> jest\n\nPASS src/beds.test.js\n\nTests:       2 passed, 2 total",
            true,
        ),
    ] {
        let project = proven_by(test, &[]);
        ran(&project, run, printed);
        if proves {
            project.done(&["done", "STORY-0001"]);
        } else {
            project.refused(&["done", "STORY-0001"]);
        }
    }
    let project = checked();
    ran(&project, "pytest -q", PASSED);
    ran(&project, "ruff check . --exit-zero", "Found 3 errors.");
    project.refused(&["done", "TASK-00001"]);
    ran(&project, "ruff check .", "All checks passed!");
    project.done(&["done", "TASK-00001"]);
}

/// A run with fewer demands proves no stricter check; one with as many does, and so does a task that may make them.
#[test]
fn a_check_is_proven_by_its_own_demands() {
    for (check, weaker, as_strict) in [
        ("cargo clippy -- -D warnings", "cargo clippy", "cargo clippy --all-targets -- -D warnings"),
        ("mypy --strict src", "mypy src", "mypy --strict ."),
        ("eslint --max-warnings=0 src", "eslint src", "eslint --max-warnings=0 ."),
        ("pytest -q --strict-markers", "pytest", "pytest --strict-markers"),
    ] {
        let project = Project::at_work(&[&format!("required_checks={check}")]);
        runs(&project, "a1", weaker, "w1");
        project.refused(&["done", "TASK-00001"]);
        runs(&project, "a1", as_strict, "w2");
        project.done(&["done", "TASK-00001"]);
    }
}
