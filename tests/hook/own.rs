//! A project's own readings and secrets, through the executables: trusted, compiled, used by the hook, taken back.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "builds projects on disk and starts the executables")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use crate::feeding::feed;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A line of a program that no table knows, and what the project says of it.
const SEAT: &str = "flexd: denied seat for feature solver-7 (pool drained)";
const READING: &str = "[[reading]]\nmatch = 'denied seat for feature (?P<feature>[a-z0-9-]+)'\ncategory = \"service_error\"\nobject = \"feature\"\n";
const SECRET: &str = "[[redact]]\nmatch = 'ORB-[0-9]{4}-[a-z]+'\nkind = \"orbit_pass\"\n";
const PASS: &str = "ORB-7731-kestrel";

/// A project, and the home folder of whoever works in it.
struct Ground {
    dir: TempDir,
}

impl Ground {
    fn new(settings: &str) -> Self {
        let ground = Self { dir: tempfile::tempdir().unwrap() };
        for folder in ["p/.git", "p/.claude", "home"] {
            fs::create_dir_all(ground.path(folder)).unwrap();
        }
        ground.settings(settings);
        ground
    }

    fn trusted(settings: &str) -> Self {
        let ground = Self::new(settings);
        let output = ground.failwise(&["trust", "--yes"]);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        ground
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn settings(&self, text: &str) {
        fs::write(self.path("p/.claude/failwise.toml"), text).unwrap();
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("HOME", self.path("home")).env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.current_dir(self.path("p"));
        command
    }

    fn failwise(&self, arguments: &[&str]) -> Output {
        feed(self.command(env!("CARGO_BIN_EXE_failwise")).args(arguments), "")
    }

    fn hook(&self, payload: &Value) -> String {
        let output = feed(&mut self.command(env!("CARGO_BIN_EXE_failwise-hook")), payload.to_string());
        assert!(output.status.success() && output.stderr.is_empty(), "{}", said(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    fn payload(&self, id: &str, event: &str, more: &Value) -> Value {
        let mut payload = json!({
            "session_id": "s-1", "transcript_path": "", "cwd": self.path("p"), "hook_event_name": event,
            "tool_use_id": id,
        });
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        payload
    }

    /// A shell call fails. What the history keeps of it.
    fn fails(&self, id: &str, command: &str, printed: &str) -> Value {
        let more = json!({"tool_name": "Bash", "tool_input": {"command": command}, "error": format!("Exit code 3\n{printed}"), "is_interrupt": false});
        self.hook(&self.payload(id, "PostToolUseFailure", &more));
        self.kept(id).pop().unwrap_or_default()
    }

    /// A call passes.
    fn passes(&self, id: &str, tool: &str, input: &Value, printed: &str) -> Vec<Value> {
        let response = json!({"stdout": printed, "stderr": "", "interrupted": false, "isImage": false});
        self.hook(&self.payload(
            id,
            "PostToolUse",
            &json!({"tool_name": tool, "tool_input": input, "tool_response": response}),
        ));
        self.kept(id)
    }

    /// The executions of a call in the history.
    fn kept(&self, id: &str) -> Vec<Value> {
        let lines: Vec<Value> = self.history().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let of_call =
            |event: &Value| event["tool_use_id"] == id && event["event"].as_str().unwrap().starts_with("execution_");
        lines.into_iter().filter(of_call).collect()
    }

    fn history(&self) -> String {
        self.files("home")
            .iter()
            .filter(|file| file.ends_with("history.jsonl"))
            .map(|file| fs::read_to_string(file).unwrap())
            .collect()
    }

    /// Everything that was stored, as one text.
    fn stored(&self) -> String {
        let files = self.files("home").into_iter().filter(|file| !file.to_string_lossy().contains("/forms/"));
        files.map(|file| String::from_utf8_lossy(&fs::read(file).unwrap()).into_owned()).collect()
    }

    fn forms(&self) -> Vec<PathBuf> {
        self.files("home/.local/state/failwise/forms")
    }

    fn files(&self, folder: &str) -> Vec<PathBuf> {
        let mut open = vec![self.path(folder)];
        let mut files = Vec::new();
        while let Some(path) = open.pop() {
            match fs::read_dir(&path) {
                Ok(entries) => open.extend(entries.map(|entry| entry.unwrap().path())),
                Err(_) => files.extend(Some(path).filter(|path| path.is_file())),
            }
        }
        files
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[output.stdout.as_slice(), &output.stderr].concat()).into_owned()
}

fn category(execution: &Value) -> String {
    execution["reading"]["category"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_trusted_reading_says_what_kind_of_error_it_is() {
    let ground = Ground::new(READING);
    // Nobody trusts it yet.
    let before = ground.fails("t0", "./run-solver", SEAT);
    assert_ne!(category(&before), "service_error", "{before}");
    assert!(ground.forms().is_empty());
    assert_eq!(ground.failwise(&["trust", "--yes"]).status.code(), Some(0));
    let after = ground.fails("t1", "./run-solver", SEAT);
    assert_eq!(category(&after), "service_error", "{after}");
    assert_eq!(after["reading"]["basis"], "line");
    assert_eq!(after["reading"]["line"], SEAT);
    assert_eq!(after["reading"]["objects"][0]["name"], "solver-7");
    // It comes before what a table says of another line.
    let both = ground.fails("t2", "cargo build", &format!("error[E0425]: cannot find value `x` in this scope\n{SEAT}"));
    assert_eq!(category(&both), "service_error", "{both}");
    let other = ground.fails("t3", "cargo build", "error[E0425]: cannot find value `x` in this scope");
    assert_eq!(category(&other), "compile_error", "{other}");
}

#[test]
fn a_reading_makes_no_success_a_failure() {
    let ground = Ground::trusted(READING);
    let passed = ground.passes("t1", "Bash", &json!({"command": "./run-solver"}), SEAT);
    assert!(passed.iter().all(|event| event["event"] == "execution_completed"), "{passed:?}");
    // A hidden failure is one; what it is, the project says.
    let tests = "FAILED tests/test_a.py::test_x - assert 1 == 2\n1 failed in 0.10s\n";
    let masked = ground.passes("t2", "Bash", &json!({"command": "pytest | tail"}), &format!("{SEAT}\n{tests}"));
    assert_eq!(
        (masked[0]["outcome"].as_str(), category(&masked[0]).as_str()),
        (Some("masked_failure"), "service_error")
    );
}

#[test]
fn a_reading_of_a_program_is_asked_where_that_runs() {
    let ground = Ground::trusted(&format!("{READING}program = \"make solve\"\n"));
    assert_eq!(category(&ground.fails("t1", "cd x && make solve -j4", SEAT)), "service_error");
    assert_ne!(category(&ground.fails("t2", "make all", SEAT)), "service_error");
    assert_ne!(category(&ground.fails("t3", "echo make solve; false", SEAT)), "service_error");
}

/// Until somebody compiled it, the hook uses none; what else the file says counts all the same.
#[test]
fn without_a_compiled_form_nothing_is_used() {
    let ground = Ground::trusted(&format!("expected_failures = ['./probe']\n{READING}{SECRET}"));
    assert_eq!(ground.forms().len(), 2);
    assert_eq!(ground.fails("t1", "./probe", "x")["outcome"], "benign_non_zero");
    for form in ground.forms() {
        fs::remove_file(form).unwrap();
    }
    assert_ne!(category(&ground.fails("t2", "./run-solver", SEAT)), "service_error");
    assert_eq!(ground.fails("t3", "./probe", "y")["outcome"], "benign_non_zero");
    assert_eq!(ground.failwise(&["config"]).status.code(), Some(0));
    let failed = ground.fails("t4", "./run-solver", &format!("{SEAT} {PASS}"));
    assert_eq!(category(&failed), "service_error");
    assert!(!ground.stored().contains(PASS));
    // Another content has no form, and nobody trusts it.
    ground.settings(&format!("{READING}# more\n"));
    assert_ne!(category(&ground.fails("t5", "./run-solver", SEAT)), "service_error");
}

/// The start of a session has the rest compiled, beside the hook.
#[test]
fn the_start_of_a_session_compiles() {
    let ground = Ground::trusted(READING);
    fs::remove_file(&ground.forms()[0]).unwrap();
    ground.hook(&ground.payload("", "SessionStart", &json!({"source": "startup"})));
    let until = Instant::now() + Duration::from_secs(20);
    while ground.forms().is_empty() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(category(&ground.fails("t1", "./run-solver", SEAT)), "service_error");
}

#[test]
fn trust_that_is_taken_back_ends_it() {
    let ground = Ground::trusted(&format!("{READING}{SECRET}"));
    let forms: Vec<(PathBuf, Vec<u8>)> =
        ground.forms().into_iter().map(|file| (file.clone(), fs::read(file).unwrap())).collect();
    assert_eq!(ground.failwise(&["trust", "--revoke", "--yes"]).status.code(), Some(0));
    assert!(ground.forms().is_empty());
    // Even where the form is put back: it is not trust.
    for (file, form) in &forms {
        fs::write(file, form).unwrap();
    }
    let failed = ground.fails("t1", "./run-solver", &format!("{SEAT} {PASS}"));
    assert_ne!(category(&failed), "service_error", "{failed}");
    assert!(ground.history().contains(PASS));
    let shown = said(&ground.failwise(&["trust", "--show"]));
    assert!(shown.contains("reading") && shown.contains("redact") && shown.contains("waits"), "{shown}");
}

#[test]
fn a_projects_secret_is_hidden_wherever_it_stands() {
    let ground = Ground::trusted(SECRET);
    let long = format!("{}{PASS}", "x".repeat(55));
    ground.passes(
        "t1",
        "Bash",
        &json!({"command": format!("./up --pass {PASS}"), "description": format!("Up with {PASS}")}),
        PASS,
    );
    ground.passes("t2", "mcp__orbit__dock", &json!({"note": long, "k": PASS}), PASS);
    ground.fails(
        "t3",
        &format!("./run {PASS}"),
        &format!("no dock for \u{1b}[1mORB-77\u{1b}[0m31-kestrel\n{PASS}: refused"),
    );
    for number in 0..3 {
        let said = ground.hook(&ground.payload(
            &format!("g{number}"),
            "PostToolUseFailure",
            &json!({
                "tool_name": "Bash", "tool_input": {"command": format!("dock --nope {PASS}")}, "is_interrupt": false,
                "error": format!("Exit code 2\ndock: unknown option --nope ({PASS})"),
            }),
        ));
        assert!(!said.contains("kestrel"), "{said}");
    }
    let refused = ground.hook(&ground.payload(
        "g9",
        "PreToolUse",
        &json!({
            "tool_name": "Bash", "tool_input": {"command": format!("dock --nope {PASS}")},
        }),
    ));
    assert!(refused.contains("deny") && !refused.contains("kestrel"), "{refused}");
    let stored = ground.stored();
    assert!(
        stored.contains("[redacted:orbit_pass]") && !stored.contains("kestrel") && !stored.contains("7731"),
        "{stored}"
    );
}

/// A transcript holds everything as it was; what is made of it does not.
#[test]
fn a_projects_secret_is_hidden_in_replays_and_reports() {
    let ground = Ground::trusted(&format!("{SECRET}{READING}"));
    let project = ground.path("p");
    let line = |kind: &str, content: Value| json!({"type": kind, "sessionId": "s", "cwd": project, "timestamp": "2026-03-01T10:00:00.000Z", "uuid": kind, "message": {"role": kind, "content": [content]}});
    let used = line(
        "assistant",
        json!({"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": format!("./run-solver {PASS}")}}),
    );
    let ended = line(
        "user",
        json!({"type": "tool_result", "tool_use_id": "t1", "is_error": true, "content": format!("Exit code 3\n{SEAT}\n{PASS} refused")}),
    );
    fs::write(ground.path("p/session.jsonl"), format!("{used}\n{ended}\n")).unwrap();
    for arguments in [
        &["replay", "session.jsonl", "--format", "jsonl"][..],
        &["replay", "session.jsonl", "--said"],
        &["report", "session.jsonl", "--format", "md"],
        &["report", "session.jsonl", "--format", "json"],
    ] {
        let output = ground.failwise(arguments);
        let text = said(&output);
        assert!(!text.contains("kestrel"), "{arguments:?}: {text}");
        assert_ne!(output.status.code(), Some(64), "{arguments:?}: {text}");
    }
    let rows = said(&ground.failwise(&["replay", "session.jsonl", "--format", "jsonl"]));
    assert!(rows.contains("[redacted:orbit_pass]") && rows.contains("service_error"), "{rows}");
    // A file that somebody names is trusted by that.
    let other = Ground::new("");
    fs::write(other.path("p/own.toml"), format!("{SECRET}{READING}")).unwrap();
    fs::copy(ground.path("p/session.jsonl"), other.path("p/session.jsonl")).unwrap();
    let rows = said(&other.failwise(&["replay", "session.jsonl", "--settings", "own.toml", "--format", "jsonl"]));
    assert!(rows.contains("service_error") && !rows.contains("kestrel"), "{rows}");
    fs::write(other.path("p/own.toml"), "[[redact]]\nmatch = '(ab'\nkind = 'x'\n").unwrap();
    let refused = other.failwise(&["replay", "session.jsonl", "--settings", "own.toml"]);
    assert_eq!(refused.status.code(), Some(65), "{}", said(&refused));
}

#[test]
fn a_wrong_one_is_named_and_the_others_count() {
    let wrong = "[[reading]]\nmatch = '(unclosed'\ncategory = \"network\"\n\
                 [[reading]]\nmatch = 'quota gone'\ncategory = \"sadness\"\n\
                 [[reading]]\nmatch = 'seat (x)'\ncategory = \"network\"\nobject = 2\n\
                 [[reading]]\nmatch = 'seat'\ncategory = \"network\"\nprogramm = \"make\"\n\
                 [[redact]]\nmatch = '[a-z]+'\nkind = \"word\"\n\
                 [[redact]]\nmatch = 'PIN-\\d{4}'\nkind = \"a b]\"\n\
                 [[redact]]\nmatch = 'x{1000}{1000}abc'\nkind = \"x\"\n";
    let ground = Ground::new(&format!("{wrong}{READING}"));
    let lines = [1, 4, 7, 11, 15, 18, 21];
    for trusts in [false, true] {
        if trusts {
            ground.failwise(&["trust", "--yes"]);
        }
        let config = ground.failwise(&["config"]);
        assert_eq!(config.status.code(), Some(1));
        let doctor = said(&ground.failwise(&["doctor"]));
        for line in lines {
            let place = format!("failwise.toml:{line}: ");
            assert!(said(&config).contains(&place), "{place}\n{}", said(&config));
            assert!(doctor.contains(&place), "{place}\n{doctor}");
        }
    }
    let json: Value = serde_json::from_slice(&ground.failwise(&["config", "--format", "json"]).stdout).unwrap();
    assert_eq!(json["problems"].as_array().unwrap().len(), lines.len(), "{json}");
    let value = json["settings"]["reading"]["value"].as_str().unwrap();
    assert!(value.contains("denied seat") && !value.contains("unclosed"), "{value}");
    assert_eq!(category(&ground.fails("t1", "./run-solver", SEAT)), "service_error");
    ground.settings(READING);
    assert_eq!(ground.failwise(&["config"]).status.code(), Some(0));
}

#[test]
fn what_is_no_table_is_named() {
    for (text, line) in [
        ("reading = 'x'", 1),
        ("\nreading = ['x']", 2),
        ("[reading]\nmatch = 'abc'", 1),
        ("[[reading]]\ncategory = 'network'", 1),
        ("[[reading]]\nmatch = 7\ncategory = 'network'", 1),
        ("[[reading]]\nmatch = 'abc'\ncategory = 'unknown'", 1),
        ("[[reading]]\nmatch = 'a(b)c'\ncategory = 'network'\nobject = 0", 1),
        ("[[reading]]\nmatch = 'abc'\ncategory = 'network'\nprogram = ' '", 1),
        ("[[redact]]\nmatch = 'abc'", 1),
    ] {
        let ground = Ground::new(text);
        let config = ground.failwise(&["config"]);
        assert_eq!(config.status.code(), Some(1), "{text}: {}", said(&config));
        assert!(said(&config).contains(&format!("failwise.toml:{line}: ")), "{text}: {}", said(&config));
    }
}

#[test]
fn more_than_thirty_two_are_too_many() {
    let reading = |number: usize| format!("[[reading]]\nmatch = 'seat {number:02} lost'\ncategory = \"network\"\n");
    let secret = |number: usize| format!("[[redact]]\nmatch = 'ORB{number:02}'\nkind = \"orb\"\n");
    let text: String = (1..=33).map(reading).chain((1..=33).map(secret)).collect();
    let ground = Ground::trusted(&text);
    let config = ground.failwise(&["config"]);
    assert_eq!(config.status.code(), Some(1));
    assert_eq!(said(&config).matches("more than 32 `[[").count(), 2, "{}", said(&config));
    let last = ground.fails("t32", "./x", "seat 32 lost ORB32");
    assert_eq!(category(&last), "network");
    assert_ne!(category(&ground.fails("t33", "./x", "seat 33 lost ORB33")), "network");
    let stored = ground.stored();
    assert!(!stored.contains("ORB32") && stored.contains("ORB33"));
}

#[test]
fn a_form_that_is_torn_or_foreign_is_none() {
    let ground = Ground::trusted(&format!("{READING}{SECRET}"));
    let other = Ground::trusted(&format!("{READING}{SECRET}# other\n"));
    let form = |ground: &Ground, ending: &str| {
        ground.forms().into_iter().find(|file| file.extension().is_some_and(|own| own == ending)).unwrap()
    };
    let (readings, secrets) = (form(&ground, "readings"), form(&ground, "secrets"));
    for (file, ending) in [(&readings, "readings"), (&secrets, "secrets")] {
        let whole = fs::read(file).unwrap();
        let mut bad: Vec<Vec<u8>> = vec![Vec::new(), b"\0".repeat(9000), vec![0xff; 3 * 1024 * 1024]];
        bad.push(fs::read(form(&other, ending)).unwrap());
        bad.push(fs::read(if ending == "readings" { &secrets } else { &readings }).unwrap());
        bad.extend((0..whole.len()).step_by(97).map(|cut| whole[..cut].to_vec()));
        for (number, bytes) in bad.iter().enumerate() {
            fs::write(file, bytes).unwrap();
            let failed = ground.fails(&format!("{ending}{number}"), "./run-solver", &format!("{SEAT} {PASS}"));
            assert_eq!(failed["event"], "execution_failed");
            let (is_read, is_hidden) = (category(&failed) == "service_error", !failed.to_string().contains(PASS));
            assert_eq!((is_read, is_hidden), (ending == "secrets", ending == "readings"), "{number}: {failed}");
        }
        // What lies there is no file, or leads elsewhere.
        fs::remove_file(file).unwrap();
        fs::create_dir(file).unwrap();
        ground.fails(&format!("{ending}-dir"), "./run-solver", SEAT);
        fs::remove_dir(file).unwrap();
        fs::write(ground.path("elsewhere"), &whole).unwrap();
        std::os::unix::fs::symlink(ground.path("elsewhere"), file).unwrap();
        let failed = ground.fails(&format!("{ending}-link"), "./run-solver", &format!("{SEAT} {PASS}"));
        let (is_read, is_hidden) = (category(&failed) == "service_error", !failed.to_string().contains(PASS));
        assert_eq!((is_read, is_hidden), (ending == "secrets", ending == "readings"), "{failed}");
        // `config` puts it right.
        fs::remove_file(file).unwrap();
        ground.failwise(&["config"]);
        assert_eq!(fs::read(file).unwrap(), whole);
    }
    assert_eq!(category(&ground.fails("mended", "./run-solver", SEAT)), "service_error");
}

#[test]
fn catastrophic_patterns_cost_no_session() {
    let evil = [r"(a*)*(a*)*(a*)*bcd$", r"(a|a)*(a|aa)*bcd[^z]*z", r"(?:.*.*.*)*bcd(x+x+)+y", r"(a?){50}bcd(a?){50}e"];
    let tables: String = evil
        .iter()
        .flat_map(|pattern| {
            let reading = format!("[[reading]]\nmatch = '{pattern}'\ncategory = \"network\"\n");
            [reading, format!("[[redact]]\nmatch = '{pattern}'\nkind = \"evil\"\n")]
        })
        .collect();
    let ground = Ground::trusted(&tables);
    assert_eq!(ground.failwise(&["config"]).status.code(), Some(0));
    let texts = ["a".repeat(70_000) + "bcd", ("a".repeat(400) + "bcdx\n").repeat(170), "abcd".repeat(17_000)];
    for (number, text) in texts.iter().enumerate() {
        let before = Instant::now();
        let failed = ground.fails(&format!("t{number}"), "./x", text);
        assert_eq!(failed["event"], "execution_failed");
        // The executables of a test are not optimised.
        assert!(before.elapsed() < Duration::from_secs(20), "{number}: {:?}", before.elapsed());
    }
}

/// A clone's form would have to lie in the user's state directory, and its content be trusted.
#[test]
fn a_clone_brings_no_form() {
    let ground = Ground::new(&format!("{READING}{SECRET}"));
    let other = Ground::trusted(&format!("{READING}{SECRET}"));
    let place = ground.path("home/.local/state/failwise/forms");
    fs::create_dir_all(&place).unwrap();
    for form in other.forms() {
        fs::copy(&form, place.join(form.file_name().unwrap())).unwrap();
    }
    assert_ne!(category(&ground.fails("t1", "./run-solver", &format!("{SEAT} {PASS}"))), "service_error");
    assert!(ground.history().contains(PASS));
    let line = ground.hook(&ground.payload("", "SessionStart", &json!({"source": "startup"})));
    assert!(line.contains("reading, redact") && line.contains("failwise trust"), "{line}");
}
