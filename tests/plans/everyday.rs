//! Everyday failures over a file that another task changed: whoever changed it decides what follows, whatever tool says so.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use serde_json::{Value, json};

use super::plan_commands::Project;

/// A command, the file that another task changed, and what the command prints: `ROOT` is the project's folder.
type EverydayFailure<'a> = (&'a str, &'a str, &'a str);

const FAILURES: [EverydayFailure<'_>; 20] = [
    (
        "bundle exec rspec",
        "lib/rows.rb",
        "Failures:\n\n  1) Sum adds rows\n     Failure/Error: CSV.readr(path)\n\n     NoMethodError:\n       undefined method `readr' for CSV:Class\n     # ./lib/rows.rb:5:in `read'\n     # ./spec/sum_spec.rb:6:in `block (2 levels) in <top (required)>'\n\n1 example, 1 failure\n\nFailed examples:\n\nrspec ./spec/sum_spec.rb:5 # Sum adds rows",
    ),
    (
        "php bin/books.php",
        "src/Rows.php",
        "PHP Parse error:  syntax error, unexpected token \"return\", expecting \";\" in ROOT/src/Rows.php on line 7",
    ),
    (
        "vendor/bin/phpunit",
        "src/Rows.php",
        "There was 1 error:\n\n1) SumTest::testTotal\nError: Call to undefined function readr()\n\nROOT/src/Rows.php:7\nROOT/src/Sum.php:4\n\nERRORS!\nTests: 1, Assertions: 0, Errors: 1.",
    ),
    (
        "python chart.py",
        "books/rows.py",
        "Traceback (most recent call last):\n  File \"ROOT/chart.py\", line 3, in <module>\n    draw()\n  File \"ROOT/books/rows.py\", line 9, in read\n    return limit\nNameError: name 'limit' is not defined",
    ),
    (
        "python chart.py",
        "books/rows.py",
        "Traceback (most recent call last):\n  File \"ROOT/chart.py\", line 1, in <module>\n    from books.rows import read\nImportError: cannot import name 'read' from 'books.rows' (ROOT/books/rows.py)",
    ),
    (
        "python chart.py",
        "books/rows.py",
        "  File \"ROOT/books/rows.py\", line 4\n    def read(:\n             ^\nSyntaxError: invalid syntax",
    ),
    (
        "pytest -q",
        "books/rows.py",
        "==================================== ERRORS ====================================\n_____________________ ERROR collecting tests/test_chart.py _____________________\ntests/test_chart.py:1: in <module>\n    from books.chart import draw\nbooks/chart.py:1: in <module>\n    from books.rows import read\nbooks/rows.py:4: in <module>\n    LIMIT = compute()\nE   NameError: name 'compute' is not defined\n=========================== short test summary info ============================\nERROR tests/test_chart.py - NameError: name 'compute' is not defined\n!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!\n1 error in 0.08s",
    ),
    (
        "pytest -q",
        "books/rows.py",
        "F                                                                        [100%]\n=================================== FAILURES ===================================\n__________________________________ test_draw ___________________________________\n\n    def test_draw():\n>       assert draw('a') == 1\n\ntests/test_chart.py:5: \n_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ \n\npath = 'a'\n\n    def read(path):\n>       return path.rows()\nE       AttributeError: 'str' object has no attribute 'rows'\n\nbooks/rows.py:9: AttributeError\n=========================== short test summary info ============================\nFAILED tests/test_chart.py::test_draw - AttributeError: 'str' object has no attribute 'rows'\n1 failed in 0.05s",
    ),
    (
        "mypy books",
        "books/rows.py",
        "books/rows.py:7: error: Incompatible return value type (got \"str\", expected \"int\")  [return-value]\nFound 1 error in 1 file (checked 4 source files)",
    ),
    (
        "make types",
        "books/rows.py",
        "mypy books\nbooks/rows.py:7: error: Incompatible return value type (got \"str\", expected \"int\")  [return-value]\nFound 1 error in 1 file (checked 4 source files)\nmake: *** [Makefile:3: types] Error 1",
    ),
    (
        "ruff check .",
        "books/rows.py",
        "books/rows.py:1:8: F401 [*] `os` imported but unused\nFound 1 error.\n[*] 1 fixable with the `--fix` option.",
    ),
    (
        "npx eslint src",
        "src/rows.js",
        "\nROOT/src/rows.js\n  12:7  error  'limit' is assigned a value but never used  no-unused-vars\n\n✖ 1 problem (1 error, 0 warnings)\n",
    ),
    (
        "npx tsc --noEmit",
        "src/rows.ts",
        "src/rows.ts(12,7): error TS2322: Type 'string' is not assignable to type 'number'.",
    ),
    (
        "node src/chart.js",
        "src/rows.js",
        "ROOT/src/rows.js:3\nexport function read( {\n                      ^\n\nSyntaxError: Unexpected token '{'\n    at compileSourceTextModule (node:internal/modules/esm/utils:338:16)\n    at ModuleLoader.moduleStrategy (node:internal/modules/esm/translators:166:18)\n\nNode.js v20.11.1",
    ),
    (
        "cargo build",
        "src/rows.rs",
        "error[E0425]: cannot find value `limit` in this scope\n --> src/rows.rs:3:5\n  |\n3 |     limit\n  |     ^^^^^ not found in this scope\n\nerror: could not compile `books` (lib) due to 1 previous error",
    ),
    (
        "cargo test",
        "src/rows.rs",
        "running 1 test\ntest draws ... FAILED\n\nfailures:\n\n---- draws stdout ----\n\nthread 'draws' panicked at src/rows.rs:9:5:\nindex out of bounds: the len is 0 but the index is 0\n\nfailures:\n    draws\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\nerror: test failed, to rerun pass `--lib`",
    ),
    ("go build ./...", "rows/rows.go", "# example.com/books/rows\nrows/rows.go:12:2: undefined: limit"),
    (
        "make",
        "src/rows.c",
        "cc -c -o rows.o src/rows.c\nsrc/rows.c:12:5: error: use of undeclared identifier 'limit'\n    limit = 3;\n    ^\n1 error generated.\nmake: *** [Makefile:2: rows.o] Error 1",
    ),
    (
        "javac -d out src/Rows.java",
        "src/Rows.java",
        "src/Rows.java:12: error: cannot find symbol\n    return limit;\n           ^\n  symbol:   variable limit\n  location: class Rows\n1 error",
    ),
    (
        "ruby chart.rb",
        "lib/rows.rb",
        "ROOT/lib/rows.rb:9:in `read': undefined local variable or method `limit' for main:Object (NameError)\n\tfrom chart.rb:3:in `<main>'",
    ),
];

/// Two stories of one feature and a second feature; beside the first task, in the other story and in the other feature are
/// the tasks 2, 3 and 4, of which `other` plans the file.
fn planned(file: &str, other: &str) -> Project {
    let project = Project::empty();
    let node = |path: &str, id: &str, parent: &str, more: &str| {
        let front = format!("---\nid: {id}\nparent: {parent}\nintent: Rows\nstatus: planned\nrevision: 1\n{more}---\n");
        project.write(path, &front);
    };
    project.write("mission.md", "---\nid: MISSION\nintent: Sort the books\n---\n");
    for feature in ["FEAT-1", "FEAT-2"] {
        node(&format!("features/{feature}/feature.md"), feature, "MISSION", "");
    }
    for (feature, story, tasks) in
        [("FEAT-1", "STORY-0001", &[1, 2][..]), ("FEAT-1", "STORY-0002", &[3]), ("FEAT-2", "STORY-0003", &[4])]
    {
        let folder = format!("features/{feature}/stories/{story}");
        node(&format!("{folder}/story.md"), story, feature, "acceptance:\n- test_ref: tests/beds.rs::dry\n");
        for task in tasks {
            let id = format!("TASK-0000{task}");
            let artifacts = if id == other { format!("artifacts: [{file}]\n") } else { String::new() };
            node(&format!("{folder}/tasks/{id}.md"), &id, story, &artifacts);
        }
    }
    crate::trusting::trust(&project.dir.path().join("home"), &project.root());
    project
}

fn edits(project: &Project, agent: &str, file: &str) {
    let path = project.root().join(file);
    project.hook(&json!({
        "session_id": "s-1", "agent_id": agent, "transcript_path": "", "cwd": project.root(),
        "hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_use_id": format!("{agent} {file}"),
        "tool_input": {"file_path": path, "old_string": "a", "new_string": "b"}, "tool_response": {"filePath": path},
    }));
}

/// The verdict and the decision on the failure of the agent that works on the first task.
fn fails(project: &Project, (command, _, text): EverydayFailure<'_>) -> (Value, Value) {
    let text = text.replace("ROOT", project.root().to_str().unwrap());
    project.hook(&json!({
        "session_id": "s-1", "agent_id": "a1", "transcript_path": "", "cwd": project.root(),
        "hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": {"command": command},
        "tool_use_id": command, "error": format!("Exit code 1\n{text}"), "is_interrupt": false,
    }));
    let events = project.events();
    let last = |word: &str| events.iter().rev().find(|event| event["event"] == word).unwrap().clone();
    (last("failure_classified")["verdict"].clone(), last("decision")["decision"].clone())
}

/// What runs before a failure, and what follows it.
struct Hand {
    name: &'static str,
    other: &'static str,
    /// Whether the other task is done when the failure comes.
    done: bool,
    /// Whether it was begun and changed the file at all.
    works: bool,
    /// Whether that was before this one began.
    first: bool,
    class: &'static str,
    action: &'static str,
    target: &'static str,
}

#[test]
fn who_changed_a_file_decides_what_follows_an_everyday_failure_over_it() {
    let hand = |name, other, done, works, class, action, target| Hand {
        name,
        other,
        done,
        works,
        first: false,
        class,
        action,
        target,
    };
    let early = |hand: Hand| Hand { first: true, ..hand };
    let hands = [
        early(hand("sibling at work before", "TASK-00002", false, true, "F4", "arbitrate", "TASK-00001")),
        early(hand("other story at work before", "TASK-00003", false, true, "F4", "arbitrate", "TASK-00001")),
        early(hand("other feature at work before", "TASK-00004", false, true, "F4", "arbitrate", "TASK-00001")),
        early(hand("sibling done before", "TASK-00002", true, true, "F2", "self_heal", "TASK-00001")),
        hand("sibling at work", "TASK-00002", false, true, "F4", "arbitrate", "TASK-00001"),
        hand("sibling done", "TASK-00002", true, true, "F4", "replan_story", "STORY-0001"),
        hand("other story done", "TASK-00003", true, true, "F4", "replan_feature", "FEAT-1"),
        hand("other feature at work", "TASK-00004", false, true, "F4", "arbitrate", "TASK-00001"),
        hand("other feature done", "TASK-00004", true, true, "F4", "escalate", "TASK-00001"),
        hand("nobody", "TASK-00004", false, false, "F2", "self_heal", "TASK-00001"),
    ];
    // A file that nobody changed yet is in the hands of who plans it and is at work, wherever that is.
    let plans = |other| {
        let project = planned("books/rows.py", other);
        project.agent_runs("s-1", Some("a1"), &["claim", "TASK-00001"]);
        project.agent_runs("s-1", Some("a2"), &["claim", other]);
        fails(&project, FAILURES[4]).0["class"].clone()
    };
    assert_eq!(["TASK-00002", "TASK-00003", "TASK-00004"].map(plans), [json!("F4"), json!("F4"), json!("F4")]);
    let mut wrong = Vec::new();
    for failure in FAILURES {
        let file = failure.1;
        for hand in &hands {
            let project = planned(file, hand.other);
            let begins = || project.agent_runs("s-1", Some("a1"), &["claim", "TASK-00001"]);
            if !hand.first {
                begins();
            }
            if hand.works {
                project.agent_runs("s-1", Some("a2"), &["claim", hand.other]);
                edits(&project, "a2", file);
            }
            if hand.done {
                project.agent_runs("s-1", Some("a2"), &["done", hand.other]);
            }
            if hand.first {
                begins();
            }
            let (verdict, decision) = fails(&project, failure);
            let told = (&verdict["class"], &decision["action"], &decision["target_node"]);
            if told != (&json!(hand.class), &json!(hand.action), &json!(hand.target)) {
                wrong.push(format!("{} over {file}, {}: {told:?} {}", failure.0, hand.name, verdict["evidence"]));
                continue;
            }
            for next in decision["next_commands"].as_array().unwrap().iter().filter_map(|next| next["argv"].as_array())
            {
                let words: Vec<String> = next[1..].iter().map(|word| word.as_str().unwrap().to_owned()).collect();
                project.failwise(&words);
            }
            if project.status(hand.other) == "discarded" || decision["action"] == "freeze_and_escalate" {
                wrong.push(format!("{} over {file}, {}: {} was taken away", failure.0, hand.name, hand.other));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// What a tool prints counts from the folder that the line went to.
#[test]
fn a_line_that_goes_to_a_folder_fails_over_the_file_in_it() {
    let mut wrong = Vec::new();
    for (command, file, text) in FAILURES {
        let top = format!("{}/", file.split('/').next().unwrap());
        let inside = |text: &str| {
            let mut parts = text.split(&top);
            let mut short = parts.next().unwrap_or_default().to_owned();
            for part in parts {
                let is_joined = short.ends_with(|sign: char| sign.is_alphanumeric() || "/-_.".contains(sign));
                let kept = if is_joined && !short.ends_with("./") { &*top } else { "" };
                short = [&*short, kept, part].concat();
            }
            short
        };
        // The same file in the folder that the line did not go to is another one.
        for (changed, class) in [(file.to_owned(), "F4"), (format!("other/{file}"), "F2")] {
            let project = planned("other/none.py", "TASK-00002");
            project.agent_runs("s-1", Some("a1"), &["claim", "TASK-00001"]);
            project.agent_runs("s-1", Some("a2"), &["claim", "TASK-00002"]);
            edits(&project, "a2", &changed);
            let line = format!("cd {top} && {command}");
            let (verdict, _) = fails(&project, (&line, file, &inside(text)));
            if verdict["class"] != json!(class) {
                wrong.push(format!("{line} over {changed}: {} {}", verdict["class"], verdict["evidence"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_forbidden_file_that_a_tool_names_without_a_trace_is_a_constraint() {
    let cases = [
        (
            "python manage.py migrate",
            "migrations/0002_rows.py",
            "  Applying books.0002_rows...django.db.utils.OperationalError: table \"rows\" already exists",
            "F5",
        ),
        (
            "sqlx migrate run",
            "migrations/20260101120000_rows.sql",
            "error: while executing migration 20260101120000: error returned from database: syntax error at or near \"TABEL\"",
            "F5",
        ),
        (
            "psql -f migrations/003.sql",
            "migrations/003.sql",
            "psql:migrations/003.sql:3: ERROR:  syntax error at or near \"TABEL\"",
            "F5",
        ),
        // Another file of that name, and one that nobody named.
        (
            "cargo build",
            "migrations/mod.rs",
            "error[E0425]: cannot find value `limit` in this scope\n --> src/mod.rs:3:5",
            "F2",
        ),
        (
            "python manage.py migrate",
            "migrations/0002_rows.py",
            "  Applying books.0003_more...django.db.utils.OperationalError: table \"rows\" already exists",
            "F2",
        ),
    ];
    for case @ (command, file, _, class) in cases {
        let project = without_migrations();
        edits(&project, "a1", file);
        let (verdict, _) = fails(&project, (case.0, case.1, case.2));
        assert_eq!(verdict["class"], class, "{command}: {verdict}");
    }
}

/// A task below a mission that forbids a folder, claimed by an agent.
fn without_migrations() -> Project {
    Project::at_work(&["forbidden_paths=migrations"])
}

/// What a line wrote before the command of it that failed is the node's own.
#[test]
fn a_forbidden_file_that_the_failing_line_wrote_itself_is_a_constraint() {
    let psql = "psql:migrations/003.sql:3: ERROR:  syntax error at or near \"TABEL\"";
    let sqlx = "error: while executing migration 20260101120000: error returned from database: syntax error at or near \"TABEL\"";
    let in_folder = "psql:003.sql:3: ERROR:  syntax error at or near \"TABEL\"";
    let cases = [
        ("mkdir -p migrations && printf 'TABEL' > migrations/003.sql && psql -f migrations/003.sql", psql, "F5"),
        ("cat > migrations/003.sql <<'EOF'\nCREATE TABEL rows;\nEOF\npsql -f migrations/003.sql", psql, "F5"),
        ("sed -i s/a/b/ migrations/20260101120000_rows.sql && sqlx migrate run", sqlx, "F5"),
        ("cp a.sql migrations/003.sql; psql -f migrations/003.sql", psql, "F5"),
        ("cp 003.sql migrations/ && psql -f migrations/003.sql", psql, "F5"),
        ("tee migrations/003.sql < a.sql && psql -f migrations/003.sql", psql, "F5"),
        ("cd migrations && printf 'TABEL' > 003.sql && psql -f 003.sql", in_folder, "F5"),
        // Another file, one that was only read, and what did not run or only afterwards.
        ("echo x > notes.sql && psql -f migrations/003.sql", psql, "F2"),
        ("cat migrations/003.sql && psql -f migrations/003.sql", psql, "F2"),
        ("false && echo x > migrations/003.sql; psql -f migrations/003.sql", psql, "F2"),
        ("psql -f migrations/003.sql && echo x > migrations/003.sql", psql, "F2"),
        ("psql -f migrations/003.sql && echo x > migrations/003.sql && cargo test", psql, "F2"),
    ];
    let mut wrong = Vec::new();
    for (command, text, class) in cases {
        let project = without_migrations();
        let told = fails(&project, (command, "", text)).0;
        if told["class"] != class {
            wrong.push(format!("{command}: {told}"));
        }
        // The next line knows it, too.
        if class == "F5" {
            let again = fails(&project, ("psql -f migrations/003.sql", "", text)).0;
            assert!(again["class"] == "F5" || text == sqlx, "{command}: {again}");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
