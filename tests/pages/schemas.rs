//! Holds what the commands print to the schemas that describe it.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "starts the executable and reads the repository's own files")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::feeding::feed;
use serde_json::Value;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn schema(name: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(root().join("schemas").join(name)).unwrap()).unwrap()
}

fn failwise(arguments: &[&str], input: &str, home: &Path) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_failwise"));
    let output = feed(command.args(arguments).env_clear().env("HOME", home).current_dir(home), input);
    String::from_utf8(output.stdout).unwrap()
}

/// Follows `$ref`s into other files of `schemas/`.
fn resolved(schema_of: &Value, home: &Value) -> (Value, Value) {
    let Some(reference) = schema_of["$ref"].as_str() else { return (schema_of.clone(), home.clone()) };
    let (file, pointer) = reference.split_once('#').unwrap_or((reference, ""));
    let home = if file.is_empty() { home.clone() } else { schema(file) };
    let found = home.pointer(pointer).unwrap_or_else(|| panic!("{reference} leads nowhere")).clone();
    resolved(&found, &home)
}

/// The part of JSON Schema that these schemas use: type, enum, const, required, properties, items, if/then.
fn assert_holds(value: &Value, schema_of: &Value, home: &Value, at: &str) {
    let (schema_of, home) = &resolved(schema_of, home);
    if let Some(words) = schema_of["enum"].as_array() {
        assert!(words.contains(value), "{at}: {value} is none of {words:?}");
    }
    assert!(schema_of["const"].is_null() || schema_of["const"] == *value, "{at}: {value}");
    assert!(is_of_type(value, &schema_of["type"]), "{at}: {value} is not {}", schema_of["type"]);
    for field in schema_of["required"].as_array().into_iter().flatten().filter(|_| value.is_object()) {
        assert!(value.get(field.as_str().unwrap()).is_some(), "{at}: {field} is missing in {value}");
    }
    for (field, part) in value.as_object().into_iter().flatten() {
        let described = &schema_of["properties"][field];
        let described = if described.is_null() { &schema_of["additionalProperties"] } else { described };
        if described.is_object() {
            assert_holds(part, described, home, &format!("{at}.{field}"));
        }
    }
    for (number, item) in value.as_array().into_iter().flatten().enumerate() {
        assert_holds(item, &schema_of["items"], home, &format!("{at}[{number}]"));
    }
}

fn is_of_type(value: &Value, wanted: &Value) -> bool {
    let is = |word: &str| match word {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        other => panic!("unknown type {other}"),
    };
    match wanted {
        Value::String(word) => is(word),
        Value::Array(words) => words.iter().any(|word| is(word.as_str().unwrap())),
        _ => true,
    }
}

#[test]
fn replay_rows_are_as_described() {
    let home = tempfile::tempdir().unwrap();
    let example = root().join("examples/session.jsonl");
    let out = failwise(&["replay", example.to_str().unwrap(), "--format", "jsonl"], "", home.path());
    let (row, verdict) = (schema("replay-row.schema.json"), schema("verdict.schema.json"));
    let described = |field: &str| !row["properties"][field].is_null() || !verdict["properties"][field].is_null();
    assert!(out.lines().count() >= 10);
    for line in out.lines() {
        let value: Value = serde_json::from_str(line).unwrap();
        assert_holds(&value, &row, &row, "row");
        if value["class"].is_string() {
            assert_holds(&value, &verdict, &verdict, "verdict");
        }
        for field in value.as_object().unwrap().keys() {
            assert!(described(field), "{field} is not described");
        }
    }
}

/// Of sessions and of a history, with as much of anybody's words as may be sent.
#[test]
fn shipped_records_are_as_described() {
    let home = tempfile::tempdir().unwrap();
    let project = home.path().join("tidepool");
    fs::create_dir_all(project.join(".git")).unwrap();
    fs::create_dir_all(home.path().join(".config/failwise")).unwrap();
    let mut hook = Command::new(env!("CARGO_BIN_EXE_failwise-hook"));
    let payload = serde_json::json!({
        "hook_event_name": "PostToolUseFailure", "session_id": "s", "cwd": project, "tool_name": "Bash", "tool_use_id": "t",
        "tool_input": { "command": "gh pr diff 1 --stat" }, "error": "Exit code 1\nunknown flag: --stat",
    });
    feed(hook.env_clear().env("HOME", home.path()), payload.to_string());
    let described = schema("ship-record.schema.json");
    let sessions = ["examples", "tests/golden/money"].map(|folder| root().join(folder).join("session.jsonl"));
    let sessions = sessions.map(|file| file.display().to_string());
    let [example, priced] = sessions.each_ref().map(String::as_str);
    let mut met = std::collections::BTreeSet::new();
    for content in ["ids", "names", "lines"] {
        let settings = format!("[ship]\nto = \"env\"\nperson = \"ann\"\ncontent = \"{content}\"\n");
        fs::write(home.path().join(".config/failwise/config.toml"), settings).unwrap();
        for more in [&["--anonymise", example][..], &[example, priced], &[]] {
            let out = failwise(&[&["ship", "-o", "-", "--format", "jsonl"], more].concat(), "", home.path());
            assert!(out.lines().count() >= 2, "{content} {more:?}: {out}");
            for line in out.lines() {
                let value: Value = serde_json::from_str(line).unwrap();
                assert_holds(&value, &described, &described, "record");
                assert_described(&value, &described, &described, "record");
                met.extend(value.as_object().unwrap().keys().cloned());
            }
        }
    }
    let unmet = described["properties"].as_object().unwrap().keys().filter(|name| !met.contains(*name));
    // What a repository, an installed plugin or another client would say; `tests/memory/ship.rs` has those.
    let elsewhere = ["failwise.host", "failwise.instructions", "failwise.plugin.version", "failwise.settings"];
    let unmet: Vec<_> = unmet.filter(|it| !it.starts_with("vcs.") && !elsewhere.contains(&it.as_str())).collect();
    assert!(unmet.is_empty(), "never written: {unmet:?}");
}

#[test]
fn an_analysis_is_as_described() {
    let home = tempfile::tempdir().unwrap();
    let example = root().join("examples/session.jsonl");
    let out = failwise(&["replay", example.to_str().unwrap(), "--format", "json"], "", home.path());
    let value: Value = serde_json::from_str(&out).unwrap();
    let analysis = schema("analysis.schema.json");
    assert_holds(&value, &analysis, &analysis, "analysis");
    assert_described(&value, &analysis, &analysis, "analysis");
    for list in ["sessions", "episodes", "loops", "signatures", "days", "failures"] {
        assert!(!value[list].as_array().unwrap().is_empty(), "{list} is empty, so nothing was checked");
    }
}

#[test]
fn what_is_shown_of_one_failure_is_as_described() {
    let home = tempfile::tempdir().unwrap();
    let example = root().join("examples/session.jsonl");
    let described = schema("show.schema.json");
    // An episode, a signature and a session of the example.
    for (id, list) in [("8d7a6c18", "calls"), ("42abb29e", "episodes"), ("5d0c1f8e", "episodes")] {
        let out = failwise(&["show", id, example.to_str().unwrap(), "--format", "json"], "", home.path());
        let value: Value = serde_json::from_str(&out).unwrap();
        assert_holds(&value, &described, &described, "show");
        assert_described(&value, &described, &described, "show");
        assert!(!value[list].as_array().unwrap().is_empty(), "{id}: {list}");
    }
}

#[test]
fn what_is_shown_of_a_change_is_as_described() {
    let home = tempfile::tempdir().unwrap();
    for number in 0..3 {
        let fails = Some("Exit code 1\nunknown flag: --stat".to_owned());
        let step = crate::learning::Step { bash: Some("gh pr diff 1 --stat".to_owned()), fails, ..Default::default() };
        crate::learning::write(&home.path().join(format!("{number}.jsonl")), number, &[step]);
    }
    let data = home.path().to_str().unwrap();
    let lessons: Value = serde_json::from_str(&failwise(&["lessons", data, "--json"], "", home.path())).unwrap();
    let id = lessons["projects"][0]["changes"][0]["id"].as_str().unwrap();
    let value: Value = serde_json::from_str(&failwise(&["show", id, data, "--json"], "", home.path())).unwrap();
    let described = schema("show.schema.json");
    assert_holds(&value, &described, &described, "show");
    assert_described(&value, &described, &described, "show");
    assert_eq!(value["change"]["evidence"]["sessions"], 3, "{value}");
    // Adopted, and of sessions that nobody has any more.
    let adopted = serde_json::json!({
        "id": "8f554d57", "project_key": "/srv/shop", "project": "shop", "kind": "form", "matter": "gh pr diff --stat",
        "text": "`gh pr diff` has no `--stat`.", "ts": "2026-03-14T09:00:00Z",
    });
    let folder = home.path().join(".local/state/failwise/projects/shop-0123456789abcdef");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("adopted.jsonl"), format!("{adopted}\n")).unwrap();
    let out = failwise(&["show", "8f554d57", data, "--json"], "", home.path());
    let value: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}"));
    assert_holds(&value, &described, &described, "show");
    assert_described(&value, &described, &described, "show");
    assert_eq!(value["adopted"], adopted);
}

#[test]
fn messages_are_as_described() {
    let home = tempfile::tempdir().unwrap();
    let example = root().join("examples/session.jsonl");
    let out = failwise(&["replay", "--said", example.to_str().unwrap(), "--format", "json"], "", home.path());
    let value: Value = serde_json::from_str(&out).unwrap();
    let described = schema("said.schema.json");
    assert_holds(&value, &described, &described, "said");
    assert_described(&value, &described, &described, "said");
    assert!(value["said"].as_array().unwrap().iter().any(|said| said["after"][0].is_object()), "{value}");
}

#[test]
fn runs_of_tests_are_as_described() {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir(home.path().join(".git")).unwrap();
    let own = root().join("tests/junit");
    let files = ["nextest", "gotestsum-rerun", "pytest"].map(|name| own.join(format!("{name}.xml")));
    let files = files.iter().map(|file| file.to_str().unwrap());
    let import: Vec<&str> = ["tests", "import", "--commit", "abc"].into_iter().chain(files).collect();
    let again = ["tests", "import", "--at", "2026-03-14", own.join("pytest.xml").to_str().unwrap()].map(str::to_owned);
    let again: Vec<&str> = again.iter().map(String::as_str).collect();
    for (arguments, name) in [
        (import.as_slice(), "tests-import.schema.json"),
        (&again, "tests-import.schema.json"),
        (&["tests", "list"], "tests-list.schema.json"),
        (&["tests", "flaky", "--all"], "tests-flaky.schema.json"),
        (&["tests", "compare"], "tests-compare.schema.json"),
    ] {
        let described = schema(name);
        let printed = failwise(&[arguments, &["--format", "json"]].concat(), "", home.path());
        let value: Value =
            serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {printed}"));
        assert_holds(&value, &described, &described, name);
        assert_described(&value, &described, &described, name);
        if let Some(run) = value["runs"][0]["id"].as_str() {
            let described = schema("tests-show.schema.json");
            let shown = failwise(&["tests", "show", run, "--format", "json"], "", home.path());
            let value: Value = serde_json::from_str(&shown).unwrap();
            assert_holds(&value, &described, &described, "show");
            assert_described(&value, &described, &described, "show");
        }
    }
}

#[test]
fn what_was_learned_is_as_described() {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir_all(home.path().join(".git")).unwrap();
    let hook = |payload: Value| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_failwise-hook"));
        feed(command.env_clear().env("HOME", home.path()).env("CLAUDE_PROJECT_DIR", home.path()), payload.to_string());
    };
    let call = serde_json::json!({ "session_id": "s", "cwd": home.path(), "tool_name": "Bash" });
    let with = |more: Value| {
        let mut call = call.clone();
        call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        call
    };
    for session in ["s", "t"] {
        hook(with(
            serde_json::json!({ "hook_event_name": "PostToolUseFailure", "session_id": session, "tool_use_id": format!("{session}a"),
            "error": "Exit code 1\nunknown flag: --stat", "tool_input": { "command": "gh pr diff 1 --stat" } }),
        ));
        hook(with(
            serde_json::json!({ "hook_event_name": "PostToolUse", "session_id": session, "tool_use_id": format!("{session}b"),
            "tool_response": { "stdout": "x" }, "tool_input": { "command": "gh pr diff 1 --name-only" } }),
        ));
    }
    let asked = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_failwise"));
        let command = command.args(arguments).env_clear().env("HOME", home.path());
        let output = feed(command.env("CLAUDE_PROJECT_DIR", home.path()).current_dir(home.path()), "");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let kb = |arguments: &[&str]| asked(&[&["kb"], arguments].concat());
    let check = |out: &str, name: &str| {
        let value: Value = serde_json::from_str(out).unwrap();
        let described = schema(name);
        assert_holds(&value, &described, &described, name);
        assert_described(&value, &described, &described, name);
        value
    };
    check(&asked(&["why"]), "why.schema.json");
    let list = check(&kb(&["list", "--format", "json"]), "kb.schema.json");
    let id = list["patterns"][0]["id"].as_str().unwrap().to_owned();
    assert!(list["patterns"][0]["fixes"][0].is_object(), "{list}");
    check(&kb(&["show", &id, "--format", "json"]), "kb.schema.json");
    let lessons = check(&kb(&["lessons", "--format", "json"]), "lessons.schema.json");
    let change = &lessons["projects"][0]["changes"][0];
    assert!(change.is_object(), "{lessons}");
    let report = check(&asked(&["report", "--format", "json"]), "analysis.schema.json");
    assert_eq!(report["changes"][0]["id"], change["id"]);
    asked(&["lessons", "--write", "--yes"]);
    let effects = check(&asked(&["lessons", "--adopted", "--format", "json"]), "lessons.schema.json");
    assert_eq!(effects["effects"][0]["id"], change["id"]);
    check(kb(&["export"]).lines().next().unwrap(), "kb-export.schema.json");
    check(&kb(&["mute", &id, "--yes", "--format", "json"]), "kb-said.schema.json");
}

#[test]
fn disagreements_are_as_described() {
    let home = tempfile::tempdir().unwrap();
    let example = root().join("examples/session.jsonl");
    let arguments = ["replay", example.to_str().unwrap(), "--against", "classic", "--format", "jsonl"];
    let out = failwise(&arguments, "", home.path());
    let described = schema("disagreement.schema.json");
    assert!(out.lines().count() >= 2, "{out}");
    for line in out.lines() {
        let value: Value = serde_json::from_str(line).unwrap();
        assert_holds(&value, &described, &described, "disagreement");
        assert_described(&value, &described, &described, "disagreement");
    }
}

/// Every field of every object stands in the schema.
fn assert_described(value: &Value, schema_of: &Value, home: &Value, at: &str) {
    let (schema_of, home) = &resolved(schema_of, home);
    for (field, part) in value.as_object().into_iter().flatten() {
        let described = &schema_of["properties"][field];
        let described = if described.is_null() { &schema_of["additionalProperties"] } else { described };
        assert!(!described.is_null(), "{at}: {field} is not described");
        assert_described(part, described, home, &format!("{at}.{field}"));
    }
    for item in value.as_array().into_iter().flatten() {
        assert_described(item, &schema_of["items"], home, at);
    }
}

#[test]
fn answers_of_classify_are_as_described() {
    let home = tempfile::tempdir().unwrap();
    for (input, name) in [
        (
            r#"{"tool":"Bash","exit_code":101,"stderr_tail":"error[E0425]: cannot find value `x` in this scope"}"#,
            "verdict",
        ),
        (r#"{"tool":"Bash","exit_code":1,"conflict_id":"CONFLICT-00001"}"#, "verdict"),
        (r#"{"tool":"Bash","exit_code":0}"#, "not-a-failure"),
    ] {
        let value: Value = serde_json::from_str(&failwise(&["classify"], input, home.path())).unwrap();
        let schema = schema(&format!("{name}.schema.json"));
        assert_holds(&value, &schema, &schema, name);
    }
}

#[test]
fn decisions_are_as_described() {
    let home = tempfile::tempdir().unwrap();
    let schema = schema("decision.schema.json");
    for class in ["F1", "F2", "F3", "F4", "F5", "F6"] {
        let verdict = serde_json::json!({"class": class, "node_id": "TASK-00101", "operation": "git push"});
        let value: Value =
            serde_json::from_str(&failwise(&["decide", "--dry-run"], &verdict.to_string(), home.path())).unwrap();
        assert_holds(&value, &schema, &schema, class);
        for field in value.as_object().unwrap().keys() {
            assert!(!schema["properties"][field].is_null(), "{field} is not described");
        }
    }
    let none = failwise(&["decide"], r#"{"class":null,"outcome":"denied"}"#, home.path());
    assert_holds(&serde_json::from_str(&none).unwrap(), &schema, &schema, "no failure");
}

#[test]
fn labelled_calls_are_as_described() {
    let labelled = schema("labelled-call.schema.json");
    let failures = labelled["if"]["properties"]["class_single"]["enum"].as_array().unwrap();
    let entries = fs::read_dir(root().join("tests/corpus")).unwrap().map(|entry| entry.unwrap().path());
    let mut rows = 0;
    for file in entries.filter(|path| path.extension().is_some_and(|ending| ending == "jsonl")) {
        for (number, line) in fs::read_to_string(&file).unwrap().lines().enumerate() {
            let row: Value = serde_json::from_str(line).unwrap();
            let at = format!("{} line {}", file.display(), number + 1);
            assert_holds(&row, &labelled, &labelled, &at);
            if failures.contains(&row["class_single"]) {
                assert_holds(&row, &labelled["then"], &labelled, &at);
            }
            rows += 1;
        }
    }
    assert!(rows > 1000, "{rows}");
}

#[test]
fn answers_of_doctor_config_and_rules_are_as_described() {
    let home = tempfile::tempdir().unwrap();
    for (arguments, name) in [
        (&["doctor", "--format", "json"][..], "doctor"),
        (&["config", "--format", "json"], "config"),
        (&["allow", "--yes", "--format", "json"], "allow"),
        (&["rules", "test", "--format", "json"], "rules-test"),
    ] {
        let value: Value = serde_json::from_str(&failwise(arguments, "", home.path())).unwrap();
        let schema = schema(&format!("{name}.schema.json"));
        assert_holds(&value, &schema, &schema, name);
        for (field, _) in value.as_object().into_iter().flatten() {
            assert!(!schema["properties"][field].is_null(), "{name}: {field} is not described");
        }
    }
}

#[test]
fn conflicts_and_arbitrations_are_as_described() {
    let home = tempfile::tempdir().unwrap();
    let write = |file: &str, text: &str| {
        let file = home.path().join(".claude/plans").join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    };
    write("active.json", r#"{"active":{"mission":"MISSION"}}"#);
    write("mission.md", "---\nid: MISSION\ntier: 0\nchildren: [FEAT-1]\n---\n");
    let node = |tier: u8, id: &str, parent: &str, more: &str| {
        format!("---\nid: {id}\ntier: {tier}\nparent: {parent}\nstatus: planned\nrevision: 1\n{more}\n---\n")
    };
    write("features/FEAT-1/feature.md", &node(2, "FEAT-1", "MISSION", "children: [STORY-0001]"));
    let story = "features/FEAT-1/stories/STORY-0001";
    write(
        &format!("{story}/story.md"),
        &node(3, "STORY-0001", "FEAT-1", "children: [TASK-00001, TASK-00002, TASK-00003]"),
    );
    for (id, functions) in [("TASK-00001", "[f, g]"), ("TASK-00002", "[f]"), ("TASK-00003", "[h]")] {
        let artifacts = format!("artifacts: [{{path: src/a.rs, functions: {functions}}}]");
        write(&format!("{story}/tasks/{id}.md"), &node(4, id, "STORY-0001", &artifacts));
    }
    crate::trusting::trust(home.path(), home.path());
    let value = |arguments: &[&str], input: &str| -> Value {
        serde_json::from_str(&failwise(arguments, input, home.path())).unwrap()
    };
    let (conflict, arbitration) = (schema("conflict.schema.json"), schema("arbitration.schema.json"));
    let is_described = |value: &Value, schema: &Value, name: &str| {
        assert_holds(value, schema, schema, name);
        for (field, _) in value.as_object().unwrap() {
            assert!(!schema["properties"][field].is_null(), "{name}: {field} is not described");
        }
    };
    let scan = value(&["plan", "conflicts", "scan", "--format", "json"], "");
    assert_eq!((scan["conflicts"].as_array().unwrap().len(), scan["weaker"].as_array().unwrap().len()), (1, 2));
    is_described(&scan["conflicts"][0], &conflict, "scan");
    let id = scan["conflicts"][0]["conflict_id"].as_str().unwrap();
    is_described(&value(&["arbitrate", id], ""), &arbitration, "arbitrate");
    is_described(&value(&["arbitrate", id], ""), &arbitration, "arbitrate what is over");
    is_described(&value(&["plan", "conflicts", "show", id, "--format", "json"], ""), &conflict, "show");
    let deep = r#"{"conflict_id":"C-1","layer":"L4","participants":["TASK-00002","TASK-00003"]}"#;
    is_described(&value(&["arbitrate"], deep), &arbitration, "arbitrate a record");
    let resolved = value(&["plan", "conflicts", "resolve", "C-1", "freeze-both", "--format", "json"], "");
    is_described(&resolved, &arbitration, "resolve");
    let log = fs::read_to_string(home.path().join(".claude/plans/conflicts.jsonl")).unwrap();
    assert!(log.lines().count() >= 5);
    for line in log.lines() {
        is_described(&serde_json::from_str(line).unwrap(), &conflict, "conflicts.jsonl");
    }
}

#[test]
fn numbers_and_rows_of_a_history_are_as_described() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".claude/failwise");
    fs::create_dir_all(&folder).unwrap();
    fs::copy(root().join("tests/screens/history.jsonl"), folder.join("history.jsonl")).unwrap();
    crate::trusting::trust(home.path(), home.path());
    let stats = failwise(&["stats", "--session", "5d0c1f8e", "--format", "json"], "", home.path());
    let rows = failwise(&["watch", "--once", "--last", "100", "--format", "jsonl"], "", home.path());
    assert!(rows.lines().count() > 10, "{rows}");
    let named = std::iter::once((stats.trim_end(), "stats")).chain(rows.lines().map(|row| (row, "watch-row")));
    for (text, name) in named {
        let value: Value = serde_json::from_str(text).unwrap();
        let schema = schema(&format!("{name}.schema.json"));
        assert_holds(&value, &schema, &schema, name);
        for (field, _) in value.as_object().into_iter().flatten() {
            assert!(!schema["properties"][field].is_null(), "{name}: {field} is not described");
        }
    }
    let stats: Value = serde_json::from_str(&stats).unwrap();
    assert!(!stats["session"]["open"].as_array().unwrap().is_empty(), "{stats}");
}

#[test]
fn runs_and_their_results_are_as_described() {
    let home = tempfile::tempdir().unwrap();
    let held = |value: &Value, name: &str| {
        let schema = schema(&format!("{name}.schema.json"));
        assert_holds(value, &schema, &schema, name);
        assert_described(value, &schema, &schema, name);
    };
    let cases: Vec<Value> = serde_json::from_str(include_str!("../golden/result.json")).unwrap();
    for case in cases.iter().filter(|case| case["lines"].is_array()) {
        let lines = case["lines"].as_array().unwrap().iter().flat_map(|line| [line.as_str().unwrap(), "\n"]);
        let printed = failwise(&["result", "--format", "json"], &lines.collect::<String>(), home.path());
        let mut execution: Value = serde_json::from_str(&printed).unwrap();
        let verdict = execution["verdict"].take();
        // What the stream itself holds is described by nobody here.
        execution["result_json"].take();
        execution["usage"].take();
        execution["permission_denials"] = Value::Array(Vec::new());
        held(&execution, "execution");
        if !verdict.is_null() {
            held(&verdict, "verdict");
        }
    }
    fs::create_dir_all(home.path().join("w/workflows")).unwrap();
    let state = serde_json::json!({
        "schema_version": 1, "id": "0123456789abcdef", "workflow": "w", "status": "failed", "started": "t", "updated": "t",
        "cost_usd": 0.5, "definition": "", "folder": null, "inputs": {}, "outputs": {}, "flags": [],
        "steps": [{
            "step": "a", "agent_name": "b", "success": false, "output": null, "error_message": "x", "duration_seconds": 1.5,
            "session_id": "s", "timestamp": "t", "attempts": 2, "class": "F1", "called_a_tool": true, "exit": 1
        }]
    });
    fs::write(home.path().join("w/workflows/0123456789abcdef.json"), state.to_string()).unwrap();
    let mut show = Command::new(env!("CARGO_BIN_EXE_failwise"));
    show.args(["workflow", "show", "--format", "json"]).env("FAILWISE_DIR", home.path().join("w")).current_dir(&home);
    let shown: Value = serde_json::from_slice(&show.output().unwrap().stdout).unwrap();
    held(&shown, "workflow-run");
    assert_eq!(shown["steps"][0]["attempts"], 2);
}

#[test]
fn answers_of_plan_are_as_described() {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir_all(home.path().join("tests")).unwrap();
    fs::write(home.path().join("tests/beds.rs"), "").unwrap();
    failwise(&["plan", "init", "--intent", "Water the greenhouse"], "", home.path());
    let story = ["story", "--parent", "FEAT-1", "--intent", "Open them", "--test-ref", "tests/beds.rs::dry"];
    let task = ["task", "--parent", "STORY-0001", "--intent", "Open one", "--artifact", "src/valve.rs"];
    fs::write(home.path().join("plan.md"), "# Feature: Charts\n").unwrap();
    let commands: [&[&str]; 18] = [
        &["add", "feature", "--parent", "MISSION", "--intent", "Valves"],
        &[&["add"][..], &story].concat(),
        &[&["add"][..], &task].concat(),
        &["tree", "plan.md", "--dry-run"],
        &["tree", "plan.md"],
        &["edit", "TASK-00001", "--artifact", "src/x.rs"],
        &["promote", "TASK-00001", "--note", "it sticks"],
        &["next"],
        &["next"],
        &["set", "TASK-00001", "planned", "--reason", "given back"],
        &["claim", "TASK-00001"],
        &[&["add"][..], &task].concat(),
        &["depend", "TASK-00002", "--on", "TASK-00001"],
        &["freeze", "FEAT-1", "--reason", "wrong", "--conflict", "CONFLICT-00001"],
        &["undo", "FEAT-1"],
        &["done", "TASK-00001"],
        &["replan", "STORY-0001", "--reason", "wrong cut"],
        &["freeze", "STORY-0001", "--reason", "wrong"],
    ];
    let held = |arguments: &[&str], name: &str| {
        let out = failwise(&[&["plan"], arguments, &["--format", "json"]].concat(), "", home.path());
        let value: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{arguments:?}: {error}"));
        let schema = schema(&format!("{name}.schema.json"));
        assert_holds(&value, &schema, &schema, name);
        for field in value.as_object().unwrap().keys() {
            assert!(!schema["properties"][field].is_null(), "{name}: {field} is not described");
        }
        value
    };
    for arguments in commands {
        held(arguments, "plan-change");
    }
    held(&["show", "TASK-00001", "--history"], "plan-show");
    let status = held(&["status"], "plan-status");
    let described = &schema("plan-status.schema.json")["properties"]["nodes"]["items"]["properties"];
    for field in status["nodes"].as_array().unwrap().iter().flat_map(|node| node.as_object().unwrap().keys()) {
        assert!(!described[field].is_null(), "plan-status: {field} is not described");
    }
    assert_eq!(held(&["validate"], "plan-validate")["violations"], serde_json::json!([]));
    for name in [".counters.json", "active.json"] {
        fs::write(home.path().join(".claude/plans").join(name), "<<<<<<< HEAD").unwrap();
    }
    assert!(held(&["validate"], "plan-validate")["violations"].as_array().unwrap().len() > 1);
    let rules: Vec<&str> = failwise::plan::edit::Invariant::ALL.iter().map(|rule| rule.as_str()).collect();
    let told = &schema("plan-validate.schema.json")["properties"]["violations"]["items"]["properties"]["rule"]["enum"];
    assert_eq!(*told, serde_json::json!(rules));
}

#[test]
fn what_is_stored_and_taken_away_is_as_described() {
    let home = tempfile::tempdir().unwrap();
    let sessions = home.path().join(".claude/projects/x");
    fs::create_dir_all(&sessions).unwrap();
    let today = chrono::Utc::now().format("%Y-%m-%d").to_string();
    let example = fs::read_to_string(root().join("examples/session.jsonl")).unwrap();
    fs::write(sessions.join("session.jsonl"), example.replace("2026-03-14", &today)).unwrap();
    failwise(&[], "", home.path());
    let history = home.path().join("history");
    fs::create_dir_all(&history).unwrap();
    fs::write(
        history.join("history.jsonl"),
        r#"{"v":1,"id":"a","ts":"2026-03-14T09:00:00Z","event":"state_changed","node":"session/s","session":"s"}"#,
    )
    .unwrap();
    let held = |arguments: &[&str], name: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_failwise"));
        command.env_clear().env("HOME", home.path()).env("FAILWISE_DIR", &history).current_dir(home.path());
        let output = command.args(["data"]).args(arguments).args(["--format", "json"]).output().unwrap();
        let value: Value = serde_json::from_slice(&output.stdout).unwrap();
        let schema = schema(&format!("{name}.schema.json"));
        assert_holds(&value, &schema, &schema, name);
        assert_described(&value, &schema, &schema, name);
        value
    };
    fs::create_dir_all(history.join("workflows")).unwrap();
    fs::write(history.join("workflows/0123456789abcdef.json"), "{}").unwrap();
    let shown = held(&["show"], "data-show");
    assert_eq!((&shown["workflow_files"], &shown["workflow_bytes"]), (&1.into(), &2.into()), "{shown}");
    assert_eq!((&shown["readings"]["sessions"], &shown["history"][0]["events"]), (&1.into(), &1.into()), "{shown}");
    let all = held(&["purge", "--all", "--dry-run"], "data-purge");
    assert_eq!(all["deleted"][0]["kind"], "history", "{all}");
    assert_eq!(all["deleted"].as_array().unwrap().last().unwrap()["kind"], "workflow", "{all}");
    assert_eq!(held(&["purge", "--sums", "--yes"], "data-purge")["deleted"][0]["kind"], "readings");
}

#[test]
fn recovery_plans_are_as_described() {
    let home = tempfile::tempdir().unwrap();
    let described = schema("recovery-plan.schema.json");
    for (input, code) in [
        (r#"{"tool":"Bash","command":"python -V","exit_code":127,"stderr_tail":"bash: python: command not found"}"#, 0),
        (r#"{"tool":"Bash","command":"true","exit_code":0}"#, 3),
    ] {
        let value: Value = serde_json::from_str(&failwise(&["recover"], input, home.path())).unwrap();
        assert_described(&value, &described, &described, "plan");
        assert_eq!(value["hasRecoveryPlan"], code == 0);
    }
}

/// The contract's own tables: six fields, eleven a match, and nothing beside them.
#[test]
fn diagnoses_are_as_described_and_as_the_contract_says() {
    let home = tempfile::tempdir().unwrap();
    let described = schema("diagnose-result.schema.json");
    for (input, state) in [
        (r#"{"command":"git commit","stderr":"error: Terminal is dumb, but EDITOR unset","exit_code":1}"#, "match"),
        (r#"{"command":"tool x","exit_code":1}"#, "insufficient"),
        (r#"{"command":"tool x","stderr":"order 7 is gone","exit_code":1}"#, "no_match"),
    ] {
        let value: Value = serde_json::from_str(&failwise(&["diagnose"], input, home.path())).unwrap();
        assert_described(&value, &described, &described, state);
        assert_eq!(value["trace_insufficient"], state == "insufficient");
        assert_eq!(value["no_match"], state == "no_match");
    }
    let names = |fields: &Value| fields.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let mut top = names(&described["properties"]);
    top.sort();
    let contract =
        ["matches", "no_match", "schema_version", "suggested_context", "trace_insufficient", "trace_summary"];
    assert_eq!(top, contract);
    let of_match = &described["properties"]["matches"]["items"];
    let mut fields = names(&of_match["properties"]);
    fields.sort();
    let contract = [
        "confidence",
        "evidence",
        "failure_mode_id",
        "limitation",
        "memory",
        "severity",
        "skill_patch",
        "source",
        "spec_link",
        "title",
        "workaround",
    ];
    assert_eq!(fields, contract);
    assert_eq!(of_match["required"].as_array().unwrap().len(), 11);
    assert_eq!(of_match["additionalProperties"], false);
    assert_eq!(
        of_match["properties"]["severity"]["enum"],
        serde_json::json!(["critical", "high", "medium", "low", "unknown"])
    );
    assert_eq!(of_match["properties"]["source"]["enum"], serde_json::json!(["deterministic", "llm"]));
    assert_eq!(described["properties"]["schema_version"]["const"], "1.0");
}
