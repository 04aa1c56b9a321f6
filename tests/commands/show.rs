//! `failwise show`: one failure with its calls.

#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "starts the executable")]

use std::fs;
use std::path::Path;
use std::process::Command;

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/session.jsonl");

/// What is printed, what is said on stderr, and the exit code.
fn shown(id: &str) -> (String, String, i32) {
    shown_in(id, Path::new(EXAMPLE))
}

/// The same of other sessions.
fn shown_in(id: &str, sessions: &Path) -> (String, String, i32) {
    let home = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_failwise"))
        .args(["show", id])
        .arg(sessions)
        .env_clear()
        .env("FAILWISE_DIR", home.path())
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (text(&output.stdout), text(&output.stderr), output.status.code().unwrap())
}

/// What a command says of the session in `data`, where nothing else is recorded.
fn said_of(data: &Path, home: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_failwise"));
    let output = command.args(arguments).arg(data).env_clear().env("FAILWISE_DIR", home).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn an_episode_is_shown_from_its_failure_to_the_call_that_ended_it() {
    let (text, _, code) = shown("8d7a");
    assert_eq!(code, 0);
    let places: Vec<usize> = [
        "episode 8d7a6c18: test failure, tidepool, 2026-03-14 09:00",
        "fixed by an edit after 2 calls",
        "what ended it: cargo test",
        "09:00:10  failed    cargo test",
        "right: 4",
        "09:00:14  ok        Edit /home/robin/tidepool/src/tables.rs",
        "09:00:21  ok        cargo test",
        "Again: claude --resume 5d0c1f8e-",
        "All calls that failed: failwise replay ",
    ]
    .iter()
    .map(|part| text.find(part).unwrap_or_else(|| panic!("{part} is missing: {text}")))
    .collect();
    assert!(places.is_sorted(), "{text}");
    assert!(!text.contains("pytest"), "nothing of later work: {text}");
}

/// What ended it is to be seen, with its secrets taken out and no more than a few lines.
#[test]
fn calls_that_did_not_fail_are_shown_with_the_end_of_their_output() {
    let home = tempfile::tempdir().unwrap();
    let step = |bash: &str, fails: Option<&str>, prints: &str| crate::learning::Step {
        bash: Some(bash.to_owned()),
        fails: fails.map(str::to_owned),
        prints: prints.to_owned(),
        ..Default::default()
    };
    let many = (1..40).map(|number| format!("wheel {number}")).collect::<Vec<_>>().join("\n") + "\n";
    let secret = "password=Zq8wL0xR41bTn9";
    let steps = [
        step("cat notes/ebb.md", Some("Exit code 1\ncat: notes/ebb.md: No such file or directory"), ""),
        step("ls", None, &format!("{many}{secret}\ndocs")),
        step("cat docs/ebb.md", None, "the tide turns\n"),
    ];
    let data = home.path().join("session.jsonl");
    crate::learning::write(&data, 0, &steps);
    let says = |arguments: &[&str]| said_of(&data, home.path(), arguments);
    let all: serde_json::Value = serde_json::from_str(&says(&["report", "--json"])).unwrap();
    let id = all["episodes"][0]["id"].as_str().unwrap();
    let (text, json) = (says(&["show", id]), says(&["show", id, "--format", "json"]));
    for part in ["wheel 39", "docs\n", "the tide turns"] {
        assert!(text.contains(part), "{part} is missing: {text}");
    }
    assert!(
        !text.contains("wheel 20") && !text.contains("Zq8wL0xR41bTn9") && !json.contains("Zq8wL0xR41bTn9"),
        "{text}"
    );
    assert!(json.contains("the tide turns"), "{json}");
}

#[test]
fn times_are_of_the_clock_on_the_wall_and_say_so() {
    let home = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_failwise"))
        .args(["show", "8d7a", EXAMPLE])
        .env_clear()
        .env("FAILWISE_DIR", home.path())
        .env("TZ", "JST-9")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    for part in ["2026-03-14 18:00 local time", "18:00:10  failed    cargo test"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_session_is_shown_by_its_episodes() {
    let (text, _, code) = shown("5d0c1f8e");
    assert_eq!(code, 0);
    assert!(text.starts_with("session 5d0c1f8e-"), "{text}");
    assert!(text.contains("8d7a6c18  cargo test: 1 attempt, fixed by an edit"), "{text}");
}

#[test]
fn an_id_of_nothing_is_said_with_the_nearest() {
    let (text, said, code) = shown("8d7affff");
    assert_eq!((text.as_str(), code), ("", 1));
    assert!(said.contains("no episode, signature, session or change begins with `8d7affff`"), "{said}");
    assert!(said.contains("the nearest is 8d7a6c18"), "{said}");
    for (id, why) in [("8d7", "is too short to name one thing"), ("8d7a6c18 or so", "is no ID")] {
        let (_, said, code) = shown(id);
        assert!(code == 1 && said.contains(why), "{said}");
    }
}

/// The beginning of several ids names none of them.
#[test]
fn an_id_that_several_begin_with_names_them() {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(EXAMPLE).unwrap();
    for number in ["01", "02"] {
        let own =
            text.replace("5d0c1f8e-", &format!("5d0c00{number}-")).replace("toolu_01", &format!("toolu_{number}"));
        fs::write(folder.path().join(format!("{number}.jsonl")), own).unwrap();
    }
    let (text, said, code) = shown_in("5d0c00", folder.path());
    assert!(code == 1 && text.is_empty(), "{text}");
    assert!(
        said.contains("2 IDs begin with `5d0c00`") && said.contains("5d0c0001-") && said.contains("5d0c0002-"),
        "{said}"
    );
    assert_eq!(shown_in("5d0c0002", folder.path()).2, 0);
}

#[test]
fn an_id_may_be_copied_with_what_stands_around_it() {
    let (text, ..) = shown("8d7a6c18");
    for id in ["[8d7a6c18]", "8D7A6C18", "[F2 test_failure 8d7a6c18].", "`8d7a6c18`"] {
        assert_eq!(shown(id).0, text, "{id}");
    }
}

/// Two reads of one file differ in their lines alone.
#[test]
fn a_call_for_a_part_of_a_file_says_which() {
    let home = tempfile::tempdir().unwrap();
    let large = "File content (28895 tokens) exceeds maximum allowed tokens (25000). Please use offset and limit parameters \
                 to read specific portions of the file, or search for specific content.";
    let reads = |part: serde_json::Value, fails: Option<&str>| {
        let mut input = serde_json::json!({ "file_path": "/srv/mill/src/wheel.rs" });
        input.as_object_mut().unwrap().extend(part.as_object().unwrap().clone());
        crate::learning::Step {
            tool: Some(("Read".to_owned(), input)),
            fails: fails.map(str::to_owned),
            ..Default::default()
        }
    };
    let steps = [
        reads(serde_json::json!({}), Some(large)),
        reads(serde_json::json!({ "offset": 200, "limit": 50 }), None),
        reads(serde_json::json!({ "limit": 80 }), None),
    ];
    let data = home.path().join("session.jsonl");
    crate::learning::write(&data, 0, &steps);
    let says = |arguments: &[&str]| said_of(&data, home.path(), arguments);
    let all: serde_json::Value = serde_json::from_str(&says(&["report", "--json"])).unwrap();
    let text = says(&["show", all["episodes"][0]["id"].as_str().unwrap()]);
    for part in [
        "ended it: Read /srv/mill",
        "ok        Read /srv/mill/src/wheel.rs offset=200 limit=50\n",
        "wheel.rs limit=80\n",
    ] {
        assert!(text.contains(part), "{part} is missing: {text}");
    }
}

/// An id older than a month makes it read what is older, and nothing of the month again.
#[test]
fn an_older_id_is_found_with_every_session_read_once() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".claude/projects/quay");
    fs::create_dir_all(&folder).unwrap();
    let old = fs::read_to_string(EXAMPLE).unwrap();
    let old_file = folder.join("5d0c1f8e-3a77-4d0b-9a51-6f2b7c9e4a10.jsonl");
    fs::write(&old_file, &old).unwrap();
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_hours(90 * 24);
    fs::File::options().write(true).open(&old_file).unwrap().set_modified(long_ago).unwrap();
    let now = chrono::Utc::now() - chrono::TimeDelta::days(1);
    let new = old.replace("2026-03-14", &now.format("%Y-%m-%d").to_string()).replace("5d0c1f8e", "7e0c1f8e");
    fs::write(folder.join("whole.jsonl"), &new).unwrap();
    // The second one breaks off, which is said each time that it is read.
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut packed, new.replace("7e0c1f8e", "8f0c1f8e").as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    fs::write(folder.join("broken.jsonl.gz"), &packed[..packed.len() - 20]).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_failwise"))
        .args(["show", "5d0c1f8e"])
        .env_clear()
        .env("HOME", home.path())
        .output()
        .unwrap();
    let (text, said) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(output.status.success() && text.contains("session 5d0c1f8e"), "{text}{said}");
    assert_eq!(said.matches("not read to its end").count(), 1, "{said}");
}
