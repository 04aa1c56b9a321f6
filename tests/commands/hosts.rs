//! Session files of every client: found where the client keeps them, read call for call, and told apart in what is printed.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "starts the executable")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use failwise::model::Host;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::data_folder::data_folder;

/// A file of each client's shape, made up: commands that pass, fail, answer and hide a failure, edits and reads that fail.
fn fixture(host: Host) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/host_sessions/{host}.jsonl"))
}

/// The clients beside Claude Code, with the place of a session file below the home folder, what goes on with the session, and
/// the calls that failed in the fixture, a masked one with a star.
const CLIENTS: &[(Host, &str, &str, &[&str])] = &[
    (
        Host::Codex,
        ".codex/sessions/2030/02/03/rollout-2030-02-03T04-00-01-1111.jsonl",
        "codex resume 11111111-0000-7000-8000-000000000001",
        &["call_target", "call_tests*", "call_missing", "call_patch", "call_serve"],
    ),
    (
        Host::Copilot,
        ".copilot/session-state/2222/events.jsonl",
        "copilot --resume=22222222-0000-4000-8000-000000000002",
        &["call_target", "call_tests*", "call_missing", "call_view", "call_edit"],
    ),
    (
        Host::Gemini,
        ".gemini/tmp/shop/chats/session-2030-02-03T04-00-3333.jsonl",
        "gemini --resume 33333333-0000-4000-8000-000000000003",
        &["call_target", "call_tests*", "call_missing", "call_kill", "call_read", "call_replace"],
    ),
    (
        Host::Qwen,
        ".qwen/projects/-srv-shop/chats/4444.jsonl",
        "qwen --resume 44444444-0000-4000-8000-000000000004",
        &["call_target", "call_tests*", "call_missing", "call_kill", "call_read"],
    ),
];

/// A home folder with a session of each client.
fn home() -> TempDir {
    let home = tempfile::tempdir().unwrap();
    for (host, place, ..) in CLIENTS {
        let file = home.path().join(place);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::copy(fixture(*host), file).unwrap();
    }
    fs::write(home.path().join(".gemini/tmp/shop/.project_root"), "/srv/shop\n").unwrap();
    home
}

/// What a command prints, what it says on stderr, and its exit code.
fn failwise(home: &Path, arguments: &[&str]) -> (String, String, i32) {
    let output = Command::new(env!("CARGO_BIN_EXE_failwise"))
        .args(arguments)
        .env_clear()
        .env("HOME", home)
        .current_dir(home)
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (text(&output.stdout), text(&output.stderr), output.status.code().unwrap())
}

fn rows(home: &Path, arguments: &[&str]) -> Vec<Value> {
    let (rows, said, code) =
        failwise(home, &[&["replay", "--format", "jsonl", "--settings", "none"], arguments].concat());
    assert_eq!(code, 0, "{said}");
    rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn outcomes<'r>(rows: &'r [Value], wanted: &[&str]) -> Vec<&'r Value> {
    rows.iter().filter(|row| wanted.contains(&row["outcome"].as_str().unwrap())).collect()
}

#[test]
fn every_failure_of_every_client_is_found_and_no_pass_is_one() {
    let home = home();
    for (host, _, _, failed) in CLIENTS {
        let rows = rows(home.path(), &[fixture(*host).to_str().unwrap()]);
        let named: Vec<String> = outcomes(&rows, &["failed", "masked_failure"])
            .iter()
            .map(|row| {
                let star = if row["outcome"] == "masked_failure" { "*" } else { "" };
                format!("{}{star}", row["tool_use_id"].as_str().unwrap())
            })
            .collect();
        assert_eq!(named, *failed, "{host}");
        // The status of `grep` is an answer.
        let answers: Vec<_> = outcomes(&rows, &["benign_non_zero"]).iter().map(|row| &row["tool_use_id"]).collect();
        assert_eq!(answers, ["call_search"], "{host}");
        for row in &rows {
            assert_eq!(row["host"], json!(host), "{row}");
        }
    }
}

#[test]
fn a_killed_command_and_one_in_the_background_have_their_codes() {
    let home = home();
    let row = |host: Host, call: &str| {
        let rows = rows(home.path(), &[fixture(host).to_str().unwrap()]);
        rows.into_iter().find(|row| row["tool_use_id"] == call).unwrap()
    };
    for host in [Host::Gemini, Host::Qwen] {
        // 128 and the number of the signal.
        assert_eq!(row(host, "call_kill")["category"], "resource_exhausted", "{host}");
    }
    let served = row(Host::Codex, "call_serve");
    assert_eq!((&served["phase"], &served["input"]), (&json!("background"), &json!("make serve")));
}

#[test]
fn a_persons_own_sessions_are_those_of_all_clients() {
    let home = home();
    let report = |arguments: &[&str]| {
        let all = [&["report", "--since", "2020-01-01", "--format", "json"], arguments].concat();
        let (text, said, code) = failwise(home.path(), &all);
        assert_eq!(code, 0, "{said}");
        serde_json::from_str::<Value>(&text).unwrap()
    };
    let all = report(&[]);
    let hosts: Vec<_> =
        all["sessions"].as_array().unwrap().iter().map(|session| session["host"].as_str().unwrap()).collect();
    assert_eq!(hosts.len(), CLIENTS.len(), "{hosts:?}");
    let mut sum = 0;
    for (host, ..) in CLIENTS {
        let one = report(&["--host", host.as_str()]);
        let sessions = one["sessions"].as_array().unwrap();
        assert_eq!((sessions.len(), &sessions[0]["host"], &sessions[0]["project"]), (1, &json!(host), &json!("shop")));
        assert!(one["totals"]["tokens"]["output"].as_u64().unwrap() > 100, "{host}: {}", one["totals"]["tokens"]);
        sum += one["totals"]["calls"].as_u64().unwrap();
        let of_host = all["hosts"].as_array().unwrap().iter().find(|it| it["host"] == json!(host)).unwrap();
        for field in ["calls", "failed", "masked", "turns", "tokens"] {
            assert_eq!(of_host["totals"][field], one["totals"][field], "{host} {field}");
        }
    }
    assert_eq!(all["totals"]["calls"], json!(sum));
    assert_eq!(report(&["--host", "claude"])["sessions"], json!([]));
    let (text, ..) = failwise(home.path(), &["--since", "2020-01-01"]);
    assert!(text.contains("4 sessions of 1 project: shop 4"), "{text}");
    for (host, ..) in CLIENTS {
        assert!(text.contains(host.title()), "{text}");
    }
    let (text, ..) = failwise(home.path(), &["--since", "2020-01-01", "--host", "codex"]);
    assert!(text.contains("1 session of 1 project"), "{text}");
    let (_, said, code) = failwise(home.path(), &["report", "--host", "cursor"]);
    assert_eq!(code, 64, "{said}");
    assert!(said.contains("codex, copilot, gemini, qwen"), "{said}");
}

#[test]
fn a_session_goes_on_by_its_clients_own_command() {
    let home = home();
    for (host, _, resume, _) in CLIENTS {
        let id = resume.rsplit([' ', '=']).next().unwrap();
        let (text, said, code) = failwise(home.path(), &["show", id, "--since", "2020-01-01"]);
        assert_eq!(code, 0, "{said}");
        assert!(text.contains(&format!("Again: {resume}\n")), "{host}: {text}");
    }
}

#[test]
fn what_went_wrong_in_a_session_file_is_diagnosed() {
    let home = home();
    for (host, ..) in CLIENTS {
        let file = fixture(*host);
        let (text, said, code) =
            failwise(home.path(), &["diagnose", "--format", "json", "--history", file.to_str().unwrap()]);
        assert!(code <= 1, "{host}: {code} {said}");
        let answer: Value = serde_json::from_str(&text).unwrap();
        let summary = answer["trace_summary"].as_str().unwrap();
        let failed = rows(home.path(), &[file.to_str().unwrap()]).len();
        assert!(failed > 4 && !summary.starts_with("0 commands"), "{host}: {summary}");
        assert_eq!(answer["trace_insufficient"], json!(false), "{host}: {text}");
    }
}

#[test]
fn changes_are_those_of_the_client_that_is_asked_for() {
    let home = home();
    for (host, place, ..) in CLIENTS {
        let file = home.path().join(place);
        let text = fs::read_to_string(&file).unwrap();
        // The same failures in a second session.
        let id = text.split("0000-").next().unwrap().rsplit('"').next().unwrap().to_owned();
        let again = file.with_file_name(file.file_name().unwrap().to_str().unwrap().replace(".jsonl", "-2.jsonl"));
        let again = match host {
            Host::Copilot => file.parent().unwrap().with_file_name("again").join("events.jsonl"),
            _ => again,
        };
        fs::create_dir_all(again.parent().unwrap()).unwrap();
        fs::write(again, text.replace(&id, "99999999-")).unwrap();
    }
    let lessons = |arguments: &[&str]| {
        let all = [&["lessons", "--all-projects", "--since", "2020-01-01"], arguments].concat();
        let (text, said, code) = failwise(home.path(), &all);
        assert_eq!(code, 0, "{said}");
        text
    };
    let all = lessons(&[]);
    assert!(all.contains("shop, 8 sessions") && all.contains("for AGENTS.md and GEMINI.md and QWEN.md:"), "{all}");
    for (host, ..) in CLIENTS {
        let text = lessons(&["--host", host.as_str()]);
        assert!(text.contains("shop, 2 sessions"), "{host}: {text}");
        assert!(text.contains(&format!("for {}:", host.instructions())) && !text.contains("CLAUDE"), "{host}: {text}");
    }
    assert!(!lessons(&["--host", "claude"]).contains("shop"));
}

#[test]
fn a_file_of_no_known_client_is_an_error_that_names_the_known_ones() {
    let home = home();
    for text in ["{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n", "{\"sessions\":[]}\n", "no JSON\n"] {
        let file = home.path().join("strange.jsonl");
        fs::write(&file, text).unwrap();
        let (printed, said, code) = failwise(home.path(), &["replay", file.to_str().unwrap()]);
        assert_eq!((printed.as_str(), code), ("", 65), "{said}");
        for host in Host::ALL {
            assert!(said.contains(host.title()), "{said}");
        }
        assert!(said.contains("~/.codex/sessions"), "{said}");
    }
}

#[test]
fn torn_and_foreign_lines_hide_nothing() {
    let home = home();
    for (host, _, _, failed) in CLIENTS {
        let text = fs::read_to_string(fixture(*host)).unwrap();
        let torn: Vec<String> = text
            .lines()
            .flat_map(|line| {
                let cut = line.floor_char_boundary(line.len() / 2);
                [line.to_owned(), line[..cut].to_owned(), "{\"type\":\"shelf\"}".to_owned(), line.to_owned()]
            })
            .collect();
        let file = home.path().join("torn.jsonl");
        fs::write(&file, torn.join("\n")).unwrap();
        let rows = rows(home.path(), &[file.to_str().unwrap()]);
        assert_eq!(outcomes(&rows, &["failed", "masked_failure"]).len(), failed.len(), "{host}");
    }
}

/// Recorded by running the clients; they are of third parties and no part of the project.
#[test]
fn every_failure_of_recorded_sessions_is_found() {
    const RECORDED: &[(&str, u64, u64, u64)] = &[
        ("codex/rollout.jsonl", 10, 2, 1),
        // Two patches, and a command that failed in the background.
        ("codex/rollout-edits.jsonl", 3, 0, 0),
        ("copilot/events.jsonl", 5, 0, 0),
        ("gemini/session.jsonl", 7, 1, 0),
        // Three commands and four other tools.
        ("qwen/session.jsonl", 8, 1, 0),
    ];
    let Some(folder) = data_folder().map(|data| data.join("../reference/hosts-recorded")).filter(|it| it.is_dir())
    else {
        return;
    };
    let home = home();
    for (name, failed, masked, benign) in RECORDED {
        let file = folder.join(name);
        let (text, said, code) =
            failwise(home.path(), &["replay", "--format", "json", "--settings", "none", file.to_str().unwrap()]);
        assert_eq!(code, 0, "{said}");
        let totals = &serde_json::from_str::<Value>(&text).unwrap()["totals"];
        let counted =
            ["failed", "masked", "benign", "denied", "interrupted"].map(|field| totals[field].as_u64().unwrap());
        assert_eq!(counted, [*failed, *masked, *benign, 0, 0], "{name}");
    }
}
