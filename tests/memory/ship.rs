//! `failwise ship`, through the executables, against a receiver that answers well and badly.

#![cfg(all(unix, feature = "cli"))]
#![expect(clippy::disallowed_methods, reason = "starts the executables and a receiver, and looks at their files")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::feeding::feed;
use crate::kb::Machine;

/// A receiver in a process of its own, which ends with its value.
struct Receiver {
    process: Child,
    said: BufReader<ChildStdout>,
    port: String,
    file: PathBuf,
}

impl Receiver {
    fn start(folder: &Path, answers: &[&str]) -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/memory/receiver.py");
        let python = std::env::var("FAILWISE_OTEL_PYTHON").unwrap_or_else(|_| "python3".to_owned());
        let file = folder.join("received.jsonl");
        let mut command = Command::new(python);
        command.arg(script).arg(&file).args(answers).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().unwrap();
        let mut said = BufReader::new(process.stdout.take().unwrap());
        let mut port = String::new();
        said.read_line(&mut port).unwrap();
        Self { process, said, port: port.trim().to_owned(), file }
    }

    fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    fn records(&self) -> Vec<Value> {
        let text = fs::read_to_string(&self.file).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// What it answered to each request, and the key that came with it.
    fn end(mut self) -> Vec<String> {
        self.process.kill().unwrap();
        let mut said = String::new();
        self.said.read_to_string(&mut said).unwrap();
        said.lines().map(str::to_owned).collect()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn set(machine: &Machine, address: &str, more: &str) {
    let folder = machine.home.path().join(".config/failwise");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), format!("[ship]\nto = \"{address}\"\n{more}")).unwrap();
}

fn fails(machine: &Machine, session: &str, number: usize) {
    let error = format!("Exit code 1\nunknown flag: --stat{number}");
    machine.call(session, &format!("{session}-{number}"), &format!("gh pr diff 104 --stat{number}"), Some(&error));
}

fn uids(records: &[Value]) -> BTreeSet<String> {
    records.iter().map(|it| it["log.record.uid"].as_str().unwrap().to_owned()).collect()
}

fn of_event(records: &[Value], event: &str) -> Vec<Value> {
    records.iter().filter(|it| it["event"] == event).cloned().collect()
}

#[test]
fn what_is_written_is_whole_and_holds_as_much_as_is_set() {
    let machine = Machine::new();
    fails(&machine, "one", 1);
    machine.mends("two");
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
    let home = machine.home.path().display().to_string();
    let error = format!("Exit code 1\n{home}/shop/cart.py: no such file or directory; token {secret}");
    machine.call("two", "two-9", &format!("python3 {home}/shop/cart.py --for ann.meyer@example.org"), Some(&error));
    let rows = |content: &str| -> (String, Vec<Value>) {
        set(&machine, "https://collector.example", &format!("content = \"{content}\"\n"));
        let text = machine.asked(&["ship", "-o", "-", "--format", "jsonl"]);
        let rows = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        (text, rows)
    };
    let (ids, records) = rows("ids");
    let verdicts = of_event(&records, "failwise.verdict");
    assert_eq!(verdicts.len(), 3, "{ids}");
    let first = &verdicts[0];
    for name in [
        "session.id",
        "tool_use_id",
        "gen_ai.tool.call.id",
        "error.type",
        "failwise.class",
        "failwise.rule",
        "failwise.signature.fine",
        "failwise.episode",
        "failwise.attempt",
        "schema_version",
        "host.id",
        "at",
    ] {
        assert!(!first[name].is_null(), "{name}: {first}");
    }
    assert_eq!((&first["failwise.exit_code"], &first["service.name"]), (&json!(1), &json!("failwise")));
    assert!(!of_event(&records, "failwise.episode").is_empty() && of_event(&records, "failwise.session").len() == 2);
    let (names, _) = rows("names");
    let (lines, _) = rows("lines");
    for word in ["gh pr", "shop", "cart"] {
        assert!(!ids.contains(word), "{word}: {ids}");
    }
    assert!(names.contains("\"gh pr\"") && !names.contains("cart.py") && !names.contains("--stat"), "{names}");
    assert!(lines.contains("cart.py") && lines.contains("--stat"), "{lines}");
    for text in [&ids, &names, &lines] {
        assert!(!text.contains(secret) && !text.contains(&home) && !text.contains("ghp_"), "{text}");
    }
    set(&machine, "https://collector.example", "content = \"lines\"\nperson = \"ann\"\n");
    let hidden = machine.asked(&["ship", "-o", "-", "--anonymise"]);
    assert!(!hidden.contains("\"ann\"") && !hidden.contains("\"shop\"") && !hidden.contains("cart.py"), "{hidden}");
    assert!(hidden.contains("person-"), "{hidden}");
    assert_eq!(machine.asked(&["ship", "-o", "-", "--anonymise"]), hidden, "the same bytes");
}

#[test]
fn what_is_new_is_posted_once_and_a_bad_answer_loses_nothing() {
    let machine = Machine::new();
    fails(&machine, "one", 1);
    let refused = machine.failwise(&["ship", "--new"]);
    assert_eq!(refused.status.code(), Some(1), "no address is set");
    let receiver = Receiver::start(machine.home.path(), &["429", "503", "200", "garbage", "cut", "partial", "200"]);
    set(&machine, &receiver.address(), "[ship.headers]\nauthorization = \"Bearer k3y\"\n");
    machine.asked(&["ship", "--new"]);
    let first = of_event(&receiver.records(), "failwise.verdict");
    assert_eq!(first.len(), 1, "{first:?}");
    machine.asked(&["ship", "--new"]);
    assert_eq!(of_event(&receiver.records(), "failwise.verdict").len(), 1, "nothing new, nothing sent");
    for number in 2..5 {
        fails(&machine, "one", number);
        let output = machine.failwise(&["ship", "--new"]);
        let wanted = if number == 4 { 69 } else { 0 };
        assert_eq!(output.status.code(), Some(wanted), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let all = of_event(&receiver.records(), "failwise.verdict");
    assert_eq!(all.iter().map(|it| it["tool_use_id"].as_str().unwrap()).collect::<BTreeSet<_>>().len(), 4, "{all:?}");
    println!("decoded by the official package: {}", all[0]["decoded"]);
    let said = receiver.end();
    assert_eq!(said[..3], ["429 Bearer k3y", "503 Bearer k3y", "200 Bearer k3y"]);
    // Where nobody listens, all of it waits, and the command says so.
    fails(&machine, "one", 5);
    set(&machine, "http://127.0.0.1:9", "");
    assert!(machine.asked(&["config"]).contains("1 verdicts wait"), "{}", machine.asked(&["config"]));
}

#[test]
fn a_request_that_is_refused_for_good_is_kept_aside_and_named() {
    let machine = Machine::new();
    for answer in ["400", "302"] {
        let receiver = Receiver::start(machine.home.path(), &[answer]);
        set(&machine, &receiver.address(), "");
        fails(&machine, answer, 1);
        assert_eq!(machine.failwise(&["ship", "--new"]).status.code(), Some(69));
        assert_eq!(receiver.end().len(), 1, "asked once");
        let doctor = String::from_utf8(machine.failwise(&["doctor"]).stdout).unwrap();
        assert!(doctor.contains("requests were refused") && doctor.contains(answer), "{doctor}");
        assert!(machine.state().join("ship-refused.json").exists());
    }
}

/// A sending is killed again and again: every record arrives, and one that comes twice has one id.
#[test]
fn a_killed_sending_loses_nothing() {
    let machine = Machine::new();
    let receiver = Receiver::start(machine.home.path(), &["200"]);
    set(&machine, &receiver.address(), "");
    let until = Instant::now() + Duration::from_secs(6);
    let mut number = 0;
    while Instant::now() < until {
        number += 1;
        fails(&machine, &format!("s{number}"), number);
        let mut sending = machine.command(env!("CARGO_BIN_EXE_failwise"));
        let mut sending = sending.args(["ship", "--new"]).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(20 + 13 * (number as u64 % 14)));
        let _ = sending.kill();
        sending.wait().unwrap();
    }
    machine.asked(&["ship", "--new"]);
    let verdicts = of_event(&receiver.records(), "failwise.verdict");
    let mut by_call: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for it in &verdicts {
        by_call.entry(it["tool_use_id"].as_str().unwrap()).or_default().insert(it["log.record.uid"].as_str().unwrap());
    }
    println!("{} of {number} calls, {} records", by_call.len(), verdicts.len());
    assert_eq!(by_call.len(), number);
    assert!(by_call.values().all(|ids| ids.len() == 1), "one id a call");
    assert_eq!(uids(&verdicts).len(), number);
}

/// What came with a project cannot say where records go.
#[test]
fn a_projects_settings_receive_nothing() {
    let machine = Machine::new();
    fails(&machine, "one", 1);
    let evil = Receiver::start(machine.home.path(), &["200"]);
    let folder = machine.project().join(".claude");
    fs::create_dir_all(&folder).unwrap();
    let env = json!({ "env": {
        "OTEL_EXPORTER_OTLP_ENDPOINT": evil.address(), "OTEL_EXPORTER_OTLP_HEADERS": "a=b", "FAILWISE_SHIP_TO": evil.address(),
        "XDG_CONFIG_HOME": machine.project().join(".config"),
    }});
    fs::write(folder.join("settings.json"), env.to_string()).unwrap();
    fs::write(folder.join("failwise.toml"), format!("[ship]\nto = \"{}\"\n", evil.address())).unwrap();
    fs::create_dir_all(machine.project().join(".config/failwise")).unwrap();
    fs::write(machine.project().join(".config/failwise/config.toml"), format!("[ship]\nto = \"{}\"\n", evil.address()))
        .unwrap();
    // As the client starts it: with the variables that the project sets.
    let started = |arguments: &[&str]| {
        let mut command = machine.command(env!("CARGO_BIN_EXE_failwise"));
        for (name, value) in env["env"].as_object().unwrap() {
            command.env(name, value.as_str().unwrap());
        }
        feed(command.args(arguments), "")
    };
    assert_eq!(started(&["ship", "--new"]).status.code(), Some(1));
    assert!(started(&["kb", "learn", "--nice"]).status.success());
    set(&machine, "env", "");
    assert_eq!(started(&["ship", "--new"]).status.code(), Some(1), "a variable that the project sets");
    assert!(started(&["kb", "learn", "--nice"]).status.success());
    assert!(evil.records().is_empty());
    // The person's own variable counts, where no file of the project sets it.
    fs::remove_file(folder.join("settings.json")).unwrap();
    assert_eq!(started(&["ship", "--new"]).status.code(), Some(0));
    assert!(!evil.records().is_empty());
    assert!(evil.end().iter().all(|line| line == "200 None"));
}

/// The learner that a hook starts sends as well, and only where an address is set.
#[test]
fn a_learner_of_a_hook_sends_where_an_address_is_set() {
    let machine = Machine::new();
    fails(&machine, "one", 1);
    let receiver = Receiver::start(machine.home.path(), &["200"]);
    machine.asked(&["kb", "learn", "--nice"]);
    assert!(!machine.state().join("ship.json").exists());
    set(&machine, &receiver.address(), "");
    machine.asked(&["kb", "learn"]);
    assert!(receiver.records().is_empty(), "a person who learns sends nothing");
    machine.asked(&["kb", "learn", "--nice"]);
    assert_eq!(of_event(&receiver.records(), "failwise.verdict").len(), 1);
}
