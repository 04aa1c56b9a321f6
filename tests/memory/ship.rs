//! `failwise ship`, through the executables, against a receiver that answers well and badly.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "starts the executables and a receiver, and looks at their files")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::time::{Duration, Instant};

use failwise::journal::HistoryParts;
use failwise::ship::{HistoryStep, SentMark};
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
        Self::with_pem(folder, answers, None)
    }

    /// One that speaks TLS with the certificate and key of a file.
    fn with_pem(folder: &Path, answers: &[&str], pem: Option<&Path>) -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/memory/receiver.py");
        let python = std::env::var("FAILWISE_OTEL_PYTHON").unwrap_or_else(|_| "python3".to_owned());
        let file = folder.join("received.jsonl");
        let mut command = Command::new(python);
        command.arg(script).arg(&file).args(answers).stdout(Stdio::piped()).stderr(Stdio::null());
        command.envs(pem.map(|pem| ("RECEIVER_PEM", pem)));
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

/// All of a session is read again for each step in which it goes on. What a call was asked names no session.
#[test]
fn a_long_session_is_read_in_steps_that_grow() {
    let machine = Machine::new();
    let folder = machine.state().join("projects").join(machine.name());
    fs::create_dir_all(&folder).unwrap();
    let words = format!("echo '{{\"session\":\"other\",\"cwd\":\"/srv\"}}' {}", "x".repeat(2000));
    let lines = (0..7000).map(|number| {
        let (ts, input) = (format!("2026-11-20T{:02}:{:02}:00Z", number / 360, number % 60), &words);
        let line = json!({ "v": 1, "id": format!("{number:016x}"), "ts": ts, "event": "execution_completed", "node": "session/one",
            "session": "one", "tool": "Bash", "tool_use_id": number.to_string(), "phase": "call", "outcome": "succeeded",
            "operation": "echo", "input": input });
        line.to_string() + "\n"
    });
    fs::write(folder.join("history.jsonl"), lines.collect::<String>()).unwrap();
    let text = machine.asked(&["ship", "-o", "-", "--format", "jsonl"]);
    let records: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let sessions = of_event(&records, "failwise.session");
    assert!(sessions.iter().all(|it| it["session.id"] == "one"), "{text}");
    assert_eq!(sessions.last().unwrap()["failwise.calls"], 7000);
    // 15 MiB: 2, 2, 4 and 8.
    assert_eq!(sessions.len(), 4, "{text}");
}

/// Only what is read again makes a step longer: where no session is long, all are as long as the first.
#[test]
fn short_sessions_are_read_in_steps_of_one_length() {
    let folder = tempfile::tempdir().unwrap();
    let words = "x".repeat(8_000);
    let lines = (0..2_400).map(|number| {
        let line = json!({ "v": 1, "id": format!("{number:016x}"), "ts": "2026-11-20T10:00:00Z", "event": "execution_completed",
            "node": format!("session/{}", number / 40), "session": (number / 40).to_string(), "input": words });
        line.to_string() + "\n"
    });
    fs::write(folder.path().join("history.jsonl"), lines.collect::<String>()).unwrap();
    let parts = HistoryParts::of(folder.path()).unwrap();
    let mut mark = SentMark::default();
    while let Some(step) = HistoryStep::behind(&mark, &parts, |_| None).unwrap() {
        let next = step.mark();
        assert!(next.length - mark.length < 2 * 1024 * 1024 + 16 * 1024, "{} to {}", mark.length, next.length);
        mark = next;
    }
    assert_eq!(mark.length, parts.length);
}

/// What is held does not grow with the history, nor with what a long session's part of it gives: a process that may have 8 MB
/// for its data reads three times as much.
#[cfg(target_os = "linux")]
#[test]
fn a_history_several_times_larger_than_the_memory_is_shipped() {
    const FAILURES: usize = 4_000;
    let machine = Machine::new();
    fails(&machine, "one", 1);
    let folder = machine.state().join("projects").join(machine.name());
    let file = folder.join("history.jsonl");
    let recorded = fs::read_to_string(&file).unwrap();
    let lines: Vec<Value> = recorded.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut all = String::new();
    for number in 0..FAILURES {
        // Half of them are one long session's.
        let session = if number < FAILURES / 2 { "long".to_owned() } else { format!("s{}", number / 50) };
        let day = format!("2026-11-{:02}T{:02}:{:02}:00.000Z", 1 + number / 1440, number / 60 % 24, number % 60);
        for line in &lines {
            let mut line = line.clone();
            line["session"] = json!(session);
            line["node"] = json!(format!("session/{session}"));
            line["tool_use_id"] = json!(format!("t{number}"));
            line["ts"] = json!(day);
            if line["event"] == "execution_failed" {
                line["text"] = json!(format!("unknown flag: --stat1\n{}", "more of what it printed\n".repeat(200)));
            }
            all += &(line.to_string() + "\n");
        }
    }
    fs::write(&file, &all).unwrap();
    let output = machine.home.path().join("records");
    let mut limited = machine.command("/bin/sh");
    limited
        .args(["-c", "ulimit -d 8192 && exec \"$@\"", "sh", env!("CARGO_BIN_EXE_failwise"), "ship", "-o"])
        .arg(&output);
    let ended = feed(&mut limited, "");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    let written = fs::read_to_string(&output).unwrap();
    assert!(all.len() > 24 << 20 && written.len() > 4 << 20, "{} {}", all.len(), written.len());
    let calls = written.split("\"stringValue\":\"t").filter_map(|rest| rest.split('"').next()?.parse::<usize>().ok());
    assert_eq!(calls.collect::<BTreeSet<_>>().len(), FAILURES);
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
        set(&machine, "http://127.0.0.1:9", "content = \"ids\"\n");
        let asked = machine.asked(&["ship", "-o", "-", "--format", "jsonl", "--content", content]);
        assert_eq!(asked, text, "what can be looked at before it is set");
        if content != "ids" {
            let refused = machine.failwise(&["ship", "--new", "--content", content]);
            assert_eq!(refused.status.code(), Some(1), "{refused:?}");
            assert!(String::from_utf8_lossy(&refused.stderr).contains("the settings allow less than that"));
        }
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
    let receiver =
        Receiver::start(machine.home.path(), &["429", "503", "silence", "200", "garbage", "cut", "partial", "200"]);
    set(&machine, &receiver.address(), "[ship.headers]\nauthorization = \"Bearer k3y\"\n");
    machine.asked(&["ship", "--new"]);
    let first = of_event(&receiver.records(), "failwise.verdict");
    assert_eq!(first.len(), 1, "{first:?}");
    machine.asked(&["ship", "--new"]);
    assert_eq!(of_event(&receiver.records(), "failwise.verdict").len(), 1, "nothing new, nothing sent");
    // What is no answer of the protocol is none; one that is cut is asked for again, and then some are refused.
    for (number, wanted) in [(2, 69), (3, 69), (4, 0)] {
        fails(&machine, "one", number);
        let output = machine.failwise(&["ship", "--new"]);
        assert_eq!(output.status.code(), Some(wanted), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let doctor = String::from_utf8(machine.failwise(&["doctor"]).stdout).unwrap();
    assert!(doctor.contains("refused: "), "what a receiver took and refused in part is named: {doctor}");
    let all = of_event(&receiver.records(), "failwise.verdict");
    assert_eq!(all.iter().map(|it| it["tool_use_id"].as_str().unwrap()).collect::<BTreeSet<_>>().len(), 4, "{all:?}");
    println!("decoded by the official package: {}", all[0]["decoded"]);
    let said = receiver.end();
    assert_eq!(said[..4], ["429 Bearer k3y", "503 Bearer k3y", "silence Bearer k3y", "200 Bearer k3y"]);
    // Where nobody listens, all of it waits, and the command says so.
    fails(&machine, "one", 5);
    set(&machine, "http://127.0.0.1:9", "");
    assert!(machine.asked(&["config"]).contains("1 verdicts wait"), "{}", machine.asked(&["config"]));
}

/// `config` and `doctor` say the same of it, as text and as JSON.
#[test]
fn where_to_when_last_and_how_many_wait_is_told_alike() {
    let machine = Machine::new();
    fails(&machine, "one", 1);
    let ship = |machine: &Machine| machine.json(&["config", "--format", "json"])["ship"].clone();
    let doctor = |machine: &Machine| {
        let told = machine.failwise(&["doctor", "--format", "json"]).stdout;
        let told: Value = serde_json::from_slice(&told).unwrap();
        let text = String::from_utf8(machine.failwise(&["doctor"]).stdout).unwrap();
        let check = told["checks"].as_array().unwrap().iter().find(|check| check["name"] == "ship").cloned();
        let check = check.unwrap_or_default();
        assert_eq!(
            text.contains("verdicts wait"),
            check["says"].as_str().unwrap_or_default().contains("verdicts wait")
        );
        check
    };
    assert_eq!((ship(&machine), doctor(&machine)), (Value::Null, Value::Null), "nothing is set");
    let receiver = Receiver::start(machine.home.path(), &["200"]);
    set(&machine, &receiver.address(), "content = \"ids\"\n[ship.headers]\nauthorization = \"Bearer k3y\"\n");
    let before = ship(&machine);
    let source = machine.home.path().join(".config/failwise/config.toml");
    assert_eq!(
        before,
        json!({ "to": format!("{}/v1/logs", receiver.address()), "source": source, "by_hooks": false, "content": "ids",
        "last": null, "waiting": 1, "problem": null })
    );
    assert_eq!(doctor(&machine)["state"], "ok");
    machine.asked(&["ship", "--new"]);
    let after = ship(&machine);
    assert!(after["last"].as_str() > Some("2020") && after["waiting"] == 0, "{after}");
    fails(&machine, "one", 2);
    set(&machine, "http://127.0.0.1:9", "");
    assert_eq!(machine.failwise(&["ship", "--new"]).status.code(), Some(75));
    let (state, check) = (ship(&machine), doctor(&machine));
    let (says, problem) = (check["says"].as_str().unwrap(), state["problem"].as_str().unwrap());
    assert!(check["state"] == "warning" && says.ends_with(problem), "{check} {state}");
    assert!(says.contains("1 verdicts wait") && says.contains(state["last"].as_str().unwrap()), "{check} {state}");
    set(&machine, "ftp://collector.example", "");
    let (state, check) = (ship(&machine), doctor(&machine));
    assert!(state["to"].is_null() && check["state"] == "fault" && check["says"] == state["problem"], "{check} {state}");
    let told = machine.asked(&["config"]) + &machine.asked(&["config", "--format", "json"]);
    assert!(!told.contains("k3y"));
}

/// What a sending keeps beside the histories is shown and purged with them; of another project it stays.
#[test]
fn data_shows_and_purges_what_a_sending_keeps() {
    let machine = Machine::new();
    let receiver = Receiver::start(machine.home.path(), &["400"]);
    set(&machine, &receiver.address(), "");
    fails(&machine, "one", 1);
    let other = machine.in_project("store");
    fails(&other, "two", 1);
    other.failwise(&["ship", "--new"]);
    let kept = || -> Vec<&str> {
        ["ship-refused", "ship.json"].into_iter().filter(|name| other.state().join(name).exists()).collect()
    };
    assert_eq!(kept(), ["ship-refused", "ship.json"]);
    let shown = other.json(&["data", "show", "--format", "json"]);
    assert_eq!(shown["ship"].as_array().unwrap().len(), 3, "a request of each history, and the marks: {shown}");
    assert!(other.asked(&["data", "show"]).contains("ship.json"));
    let purged =
        |machine: &Machine| machine.json(&["data", "purge", "--all", "--yes", "--format", "json"])["deleted"].clone();
    let of_ship =
        |deleted: &Value| -> usize { deleted.as_array().unwrap().iter().filter(|it| it["kind"] == "ship").count() };
    let deleted = purged(&other);
    assert_eq!((of_ship(&deleted), kept()), (2, vec!["ship.json"]), "{deleted}");
    let marks = fs::read_to_string(other.state().join("ship.json")).unwrap();
    assert!(marks.contains("/shop-") && !marks.contains("/store-") && !marks.contains("two"), "{marks}");
    let machine = other.in_project("shop");
    let deleted = purged(&machine);
    assert_eq!(of_ship(&deleted), 1, "{deleted}");
    assert_eq!(machine.json(&["data", "show", "--format", "json"])["ship"], json!([]));
}

#[test]
fn requests_that_are_refused_are_kept_aside_named_and_sent_again_or_dropped() {
    let machine = Machine::new();
    let doctor = || String::from_utf8(machine.failwise(&["doctor"]).stdout).unwrap();
    for (number, answer) in [(1, "400"), (2, "413")] {
        let receiver = Receiver::start(machine.home.path(), &[answer]);
        set(&machine, &receiver.address(), "content = \"lines\"\n");
        fails(&machine, answer, 1);
        assert_eq!(machine.failwise(&["ship", "--new"]).status.code(), Some(69));
        assert_eq!(receiver.end().len(), 1, "asked once");
        let said = doctor();
        assert!(said.contains(&format!("{number} request")) && said.contains(&format!("last with {answer}")), "{said}");
        assert!(said.contains("failwise ship --refused send"), "{said}");
    }
    let aside = || fs::read_dir(machine.state().join("ship-refused")).map_or(0, Iterator::count);
    assert_eq!(aside(), 2);
    // What holds more than may be sent by now stays here.
    let receiver = Receiver::start(machine.home.path(), &["200"]);
    set(&machine, &receiver.address(), "content = \"names\"\n");
    let again = machine.failwise(&["ship", "--refused", "send"]);
    assert_eq!((again.status.code(), receiver.records().len(), aside()), (Some(69), 0, 2));
    assert!(String::from_utf8_lossy(&again.stderr).contains("--refused drop"));
    set(&machine, &receiver.address(), "content = \"lines\"\n");
    machine.asked(&["ship", "--refused", "send"]);
    let calls: Vec<Value> =
        of_event(&receiver.records(), "failwise.verdict").iter().map(|it| it["tool_use_id"].clone()).collect();
    assert_eq!((calls, aside()), (vec![json!("400-1"), json!("413-1")], 0));
    assert!(!doctor().contains("refused"), "{}", doctor());
    machine.asked(&["ship", "--refused", "send"]);
    assert_eq!(of_event(&receiver.records(), "failwise.verdict").len(), 2, "once");
    let receiver = Receiver::start(machine.home.path(), &["422"]);
    set(&machine, &receiver.address(), "");
    fails(&machine, "422", 1);
    machine.failwise(&["ship", "--new"]);
    assert_eq!(machine.failwise(&["ship", "--refused", "send"]).status.code(), Some(69), "refused again");
    let mut by_agent = machine.command(env!("CARGO_BIN_EXE_failwise"));
    let by_agent = by_agent.args(["ship", "--refused", "drop"]).env("CLAUDECODE", "1").stderr(Stdio::null()).status();
    assert_eq!((by_agent.unwrap().code(), aside()), (Some(1), 1));
    machine.asked(&["ship", "--refused", "drop"]);
    assert_eq!(aside(), 0);
}

#[test]
fn a_wrong_address_or_key_or_a_page_to_log_in_loses_nothing() {
    let machine = Machine::new();
    fails(&machine, "s1", 1);
    for (answer, said) in
        [("401", "401"), ("404", "404"), ("302", "302"), ("page", "200 with something else than OTLP")]
    {
        let receiver = Receiver::start(machine.home.path(), &[answer]);
        set(&machine, &receiver.address(), "");
        let ended = machine.failwise(&["ship", "--new"]);
        assert_eq!(ended.status.code(), Some(69));
        assert!(String::from_utf8_lossy(&ended.stderr).contains(said));
        assert_eq!(receiver.end().len(), 1, "asked once");
        let doctor = String::from_utf8(machine.failwise(&["doctor"]).stdout).unwrap();
        assert!(doctor.contains(&format!("it answered {said}")), "{doctor}");
        assert!(!machine.state().join("ship-refused").exists());
    }
    let receiver = Receiver::start(machine.home.path(), &["200"]);
    set(&machine, "off", "");
    assert_eq!(machine.failwise(&["ship", "--new"]).status.code(), Some(1), "switched off");
    set(&machine, &receiver.address(), "");
    let mut sending = machine.command(env!("CARGO_BIN_EXE_failwise"));
    let sending = sending.args(["ship", "--new"]).env("HTTP_PROXY", "http://127.0.0.1:1").status().unwrap();
    assert!(sending.success(), "no variable sends it elsewhere");
    assert_eq!(of_event(&receiver.records(), "failwise.verdict").len(), 1);
}

/// A proxy that takes one connection: what it was asked for.
fn proxy() -> (String, std::thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let taken = std::thread::spawn(move || {
        let (mut near, _) = listener.accept().unwrap();
        let mut head = BufReader::new(near.try_clone().unwrap());
        let (mut asked, mut line) = (String::new(), String::new());
        while head.read_line(&mut line).unwrap() > 2 {
            asked.push_str(&line);
            line.clear();
        }
        let target = asked.split(' ').nth(1).unwrap().to_owned();
        let mut far = TcpStream::connect(&target).unwrap();
        near.write_all(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
        let (mut from, mut to) = (far.try_clone().unwrap(), near.try_clone().unwrap());
        std::thread::spawn(move || std::io::copy(&mut from, &mut to));
        std::io::copy(&mut head, &mut far).unwrap();
        asked
    });
    (address, taken)
}

#[test]
fn a_proxy_is_that_of_the_settings() {
    let machine = Machine::new();
    fails(&machine, "one", 1);
    let receiver = Receiver::start(machine.home.path(), &["200"]);
    let (address, taken) = proxy();
    set(&machine, &receiver.address(), &format!("proxy = \"{}\"\n", address.replace("//", "//ann:s3cr3t@")));
    let told = machine.asked(&["config"]) + &machine.asked(&["config", "--format", "json"]);
    assert!(told.contains("by a proxy") && !told.contains("s3cr3t"), "{told}");
    machine.asked(&["ship", "--new"]);
    let asked = taken.join().unwrap();
    assert!(asked.starts_with(&format!("CONNECT 127.0.0.1:{}", receiver.port)), "{asked}");
    assert!(asked.to_lowercase().contains("proxy-authorization"), "{asked}");
    assert_eq!(of_event(&receiver.records(), "failwise.verdict").len(), 1);
    for wrong in ["socks5://127.0.0.1:1", "proxy.example", "http://"] {
        set(&machine, &receiver.address(), &format!("proxy = \"{wrong}\"\n"));
        let ended = machine.failwise(&["ship", "--new"]);
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.code() == Some(1) && said.contains("ship.proxy is no address"), "{wrong}: {said}");
    }
}

/// A receiver with a certificate of a company's own authority: taken where `ca_file` names that, and only there.
#[test]
fn an_authority_is_that_of_the_settings() {
    let machine = Machine::new();
    let folder = machine.home.path();
    let openssl = |arguments: &str| {
        let mut command = Command::new("openssl");
        command.args(arguments.split(' ')).current_dir(folder).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    fs::write(folder.join("name"), "subjectAltName=DNS:localhost").unwrap();
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2";
    let is_made = openssl(&format!("req -x509 {key} -keyout ca.key -out ca.pem -subj /CN=authority"))
        && openssl(&format!("req {key} -keyout own.key -out own.csr -subj /CN=localhost"))
        && openssl("x509 -req -in own.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile name -out own.pem");
    if !is_made {
        println!("skipped: openssl is not there");
        return;
    }
    let pem =
        fs::read_to_string(folder.join("own.key")).unwrap() + &fs::read_to_string(folder.join("own.pem")).unwrap();
    fs::write(folder.join("both.pem"), pem).unwrap();
    let receiver = Receiver::with_pem(folder, &["200"], Some(&folder.join("both.pem")));
    let address = format!("https://localhost:{}", receiver.port);
    fails(&machine, "one", 1);
    set(&machine, &address, "");
    let ended = machine.failwise(&["ship", "--new"]);
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(ended.status.code() == Some(69) && said.contains("ship.ca_file"), "{said}");
    for (file, wanted) in [("none.pem", "cannot be read"), ("own.key", "has no certificate")] {
        set(&machine, &address, &format!("ca_file = {:?}\n", folder.join(file)));
        let said = String::from_utf8(machine.failwise(&["ship", "--new"]).stderr).unwrap();
        assert!(said.contains(wanted) && said.contains(file), "{said}");
    }
    set(&machine, &address, &format!("ca_file = {:?}\n", folder.join("ca.pem")));
    machine.asked(&["ship", "--new"]);
    assert_eq!(of_event(&receiver.records(), "failwise.verdict").len(), 1);
}

/// Runs `failwise` where `/etc` has these files and no other; None where no such machine can be had.
fn with_etc(machine: &Machine, files: &[(&str, &str)], arguments: &[&str]) -> Option<Output> {
    let etc = machine.home.path().join("etc");
    let _ = fs::remove_dir_all(&etc);
    fs::create_dir_all(etc.join("failwise")).unwrap();
    for (name, text) in files {
        fs::write(etc.join(name), text).unwrap();
    }
    let mut command = machine.command("/usr/bin/unshare");
    command.args(["-rm", "sh", "-c", "mount --bind \"$0\" /etc && touch /etc/is && exec \"$@\""]).arg(&etc);
    command.arg(env!("CARGO_BIN_EXE_failwise")).args(arguments);
    if !Path::new("/usr/bin/unshare").exists() {
        return None;
    }
    Some(feed(&mut command, "")).filter(|_| etc.join("is").exists())
}

/// What the machine's file allows at most, no user's file raises, not even for what is written and not sent.
#[test]
fn the_machines_file_says_how_much_leaves_at_most() {
    let machine = Machine::new();
    fails(&machine, "one", 1);
    let receiver = Receiver::start(machine.home.path(), &["200"]);
    set(&machine, &receiver.address(), "content = \"lines\"\n");
    let shipped = |managed: &str, arguments: &[&str]| {
        with_etc(&machine, &[("failwise/config.toml", managed)], arguments)
            .map(|output| String::from_utf8(output.stdout).unwrap())
    };
    let Some(written) = shipped("[ship]\ncontent = \"ids\"\n", &["ship", "-o", "-"]) else {
        println!("skipped: no /etc of its own can be had here");
        return;
    };
    assert!(written.contains("failwise.verdict") && !written.contains("gh pr"), "{written}");
    shipped("[ship]\ncontent = \"ids\"\n", &["ship", "--new"]).unwrap();
    let sent = of_event(&receiver.records(), "failwise.verdict");
    assert!(sent.len() == 1 && sent[0]["failwise.program"].is_null(), "{sent:?}");
    let lines = shipped("", &["ship", "-o", "-"]).unwrap();
    assert!(lines.contains("--stat1"), "{lines}");
    let config = shipped("[ship]\ncontent = \"names\"\n", &["config", "--format", "json"]).unwrap();
    assert!(config.contains("\"content\": \"names\""), "{config}");
}

/// The machines of a company whose settings name one key give one name to one thing.
#[test]
fn one_key_joins_the_reports_of_a_company() {
    let hidden = |key: Option<&str>| {
        let machine = Machine::new();
        fails(&machine, "one", 1);
        let file = machine.home.path().join("key");
        fs::write(&file, key.unwrap_or_default()).unwrap();
        set(&machine, "off", &key.map_or_else(String::new, |_| format!("key_file = {file:?}\n")));
        let config = machine.asked(&["config"]);
        assert_eq!(config.contains("anonymise key"), key.is_some(), "{config}");
        let ended = machine.failwise(&["ship", "-o", "-", "--format", "jsonl", "--anonymise"]);
        let text = String::from_utf8(ended.stdout).unwrap() + &String::from_utf8(ended.stderr).unwrap();
        assert!(!key.is_some_and(|key| text.contains(key.trim())), "the key never leaves: {text}");
        let first: Value = text.lines().next().and_then(|line| serde_json::from_str(line).ok()).unwrap_or_default();
        first["failwise.project"].as_str().map(str::to_owned).ok_or(text)
    };
    let key = format!("{}\n", "0a1b2c3d".repeat(8));
    let (one, other) = (hidden(Some(&key)).unwrap(), hidden(Some(&key)).unwrap());
    assert_eq!(one, other);
    assert!(one.starts_with("project-") && hidden(None).unwrap() != one, "{one}");
    let said = hidden(Some("short")).unwrap_err();
    assert!(said.contains("64 hexadecimal digits"), "{said}");
}

/// A sending is killed again and again: every record arrives, and one that comes twice has one id.
#[test]
fn a_killed_sending_loses_nothing() {
    let machine = Machine::new();
    let receiver = Receiver::start(machine.home.path(), &["slow"]);
    set(&machine, &receiver.address(), "");
    // Each killed within a tenth of a second, as `FAILWISE_KILLED_FOR` says for how many seconds.
    let seconds = std::env::var("FAILWISE_KILLED_FOR").ok().and_then(|it| it.parse().ok()).unwrap_or(6);
    let until = Instant::now() + Duration::from_secs(seconds);
    let mut number = 0;
    while Instant::now() < until {
        number += 1;
        fails(&machine, &format!("s{number}"), number);
        let mut sending = machine.command(env!("CARGO_BIN_EXE_failwise"));
        let mut sending = sending.args(["ship", "--new"]).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(10 + 9 * (number as u64 % 11)));
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

/// A file of Claude Code's own, as it writes one for a session in a folder.
fn own_file(machine: &Machine, session: &str) {
    let root = machine.project().display().to_string();
    let folder: String = root.chars().map(|sign| if sign.is_ascii_alphanumeric() { sign } else { '-' }).collect();
    let folder = machine.home.path().join(".claude/projects").join(folder);
    fs::create_dir_all(&folder).unwrap();
    let line = json!({
        "type": "user", "sessionId": session, "cwd": root, "version": "2.1.59", "gitBranch": "tides",
        "timestamp": "2026-03-01T09:00:00.000Z", "uuid": "u", "message": { "role": "user", "content": "hello" },
    });
    fs::write(folder.join(format!("{session}.jsonl")), format!("{line}\n")).unwrap();
}

#[test]
fn records_name_the_repository_the_client_and_what_instructs_agents() {
    let machine = Machine::new();
    let git = |arguments: &[&str]| {
        let status = Command::new("git").arg("-C").arg(machine.project()).args(arguments).status().unwrap();
        assert!(status.success(), "{arguments:?}");
    };
    fs::remove_dir(machine.project().join(".git")).unwrap();
    git(&["init", "-q", "-b", "main"]);
    git(&["remote", "add", "origin", "https://ann:s3cr3t-k3y@git.example/acme/shop.git"]);
    fs::write(machine.project().join("CLAUDE.md"), "Be brief.\n").unwrap();
    fails(&machine, "one", 1);
    own_file(&machine, "0f0e0d0c");
    fails(&machine, "0f0e0d0c", 2);
    let plugin = machine.home.path().join("plugin");
    fs::create_dir_all(plugin.join(".claude-plugin")).unwrap();
    fs::write(plugin.join(".claude-plugin/plugin.json"), r#"{"name":"failwise","version":"0.0.9+x"}"#).unwrap();
    fs::create_dir_all(machine.home.path().join(".claude/plugins")).unwrap();
    let installed =
        json!({ "version": 2, "plugins": { "failwise@failwise": [{ "installPath": plugin, "scope": "user" }] } });
    fs::write(machine.home.path().join(".claude/plugins/installed_plugins.json"), installed.to_string()).unwrap();
    let shipped = |more: &[&str]| -> Vec<Value> {
        let text = machine.asked(&[&["ship", "-o", "-", "--format", "jsonl"], more].concat());
        assert!(!text.contains("s3cr3t") && !text.contains("ann:"), "{text}");
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let all = shipped(&[]);
    let of =
        |session: &str| of_event(&all, "failwise.verdict").into_iter().find(|it| it["session.id"] == session).unwrap();
    for (session, branch, client) in
        [("one", json!("main"), Value::Null), ("0f0e0d0c", json!("tides"), json!("2.1.59"))]
    {
        let it = of(session);
        assert_eq!((&it["vcs.ref.head.name"], &it["failwise.client.version"]), (&branch, &client), "{it}");
        assert_eq!(it["vcs.repository.url.full"], "https://git.example/acme/shop");
        assert_eq!(it["failwise.project"], "shop");
        assert_eq!((&it["vcs.repository.name"], &it["failwise.plugin.version"]), (&json!("shop"), &json!("0.0.9+x")));
        assert!(it["failwise.instructions"].is_string() && it["failwise.settings"].is_null(), "{it}");
    }
    // The same repository has one name however it is reached, and its hash with the key of the report has no name at all.
    git(&["remote", "set-url", "origin", "git@git.example:acme/shop.git"]);
    assert_eq!(shipped(&[])[0]["vcs.repository.url.full"], "https://git.example/acme/shop");
    let hidden = shipped(&["--anonymise"]);
    assert!(hidden[0]["vcs.repository.name"].as_str().unwrap().starts_with("repository-"), "{}", hidden[0]);
    assert!(!serde_json::to_string(&hidden).unwrap().contains("shop"), "{hidden:?}");
    set(&machine, "https://collector.example", "content = \"ids\"\n");
    assert!(shipped(&[])[0]["vcs.repository.name"].is_null());
    // What stands in a file from now on did not stand there before.
    let before = of("one")["failwise.instructions"].clone();
    std::thread::sleep(Duration::from_millis(5));
    fs::write(machine.project().join("CLAUDE.md"), "Be long.\n").unwrap();
    fails(&machine, "three", 3);
    let all = shipped(&[]);
    let told: Vec<&Value> =
        all.iter().filter(|it| it["event"] == "failwise.verdict").map(|it| &it["failwise.instructions"]).collect();
    assert!(
        told.len() == 3 && told[..2].iter().all(|it| it.is_null()) && told[2].is_string() && *told[2] != before,
        "{told:?}"
    );
}

#[test]
fn a_session_tells_its_tools_and_models() {
    let machine = Machine::new();
    let session = |file: &str| -> Value {
        let file = format!("{}/{file}", env!("CARGO_MANIFEST_DIR"));
        let text = machine.asked(&["ship", "-o", "-", "--format", "jsonl", &file]);
        let all: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        of_event(&all, "failwise.session").remove(0)
    };
    let sum = |session: &Value, table: &str, column: &str| -> u64 {
        session[table].as_object().unwrap().values().map(|it| it[column].as_u64().unwrap()).sum()
    };
    let example = session("examples/session.jsonl");
    for column in ["calls", "failed", "masked", "denied"] {
        assert!(example[format!("failwise.{column}")].as_u64().unwrap() > 0, "{example}");
        assert_eq!(example[format!("failwise.{column}")], sum(&example, "failwise.tools", column), "{example}");
    }
    assert_eq!(example["failwise.share_in_failure"], 0.544);
    let priced = session("tests/golden/money/session.jsonl");
    assert!(priced["failwise.models"].as_object().unwrap().len() > 1, "{priced}");
    for (total, column) in [
        ("gen_ai.usage.input_tokens", "input"),
        ("gen_ai.usage.output_tokens", "output"),
        ("failwise.tokens.cache_read", "cache_read"),
        ("failwise.tokens.cache_write", "cache_write"),
    ] {
        assert_eq!(priced[total], sum(&priced, "failwise.models", column), "{priced}");
    }
    // A history knows of no answers, and says nothing of them.
    fails(&machine, "one", 1);
    let text = machine.asked(&["ship", "-o", "-", "--format", "jsonl"]);
    assert!(text.contains("failwise.tools") && !text.contains("tokens") && !text.contains("turns"), "{text}");
}

/// A session that was sent in parts has the verdicts that it has as a whole.
#[test]
fn what_is_new_goes_on_where_the_last_sending_ended() {
    let machine = Machine::new();
    let receiver = Receiver::start(machine.home.path(), &["200"]);
    set(&machine, &receiver.address(), "");
    for number in 1..5 {
        fails(&machine, "other", number);
        machine.call("one", &format!("one-{number}"), "make tide", Some("Exit code 2\nmake: *** [tide] Error 1"));
        machine.asked(&["ship", "--new"]);
    }
    let sent = of_event(&receiver.records(), "failwise.verdict");
    assert_eq!(sent.len(), 8, "each once");
    let text = machine.asked(&["ship", "-o", "-", "--format", "jsonl"]);
    let whole: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let plain = |records: &[Value]| -> BTreeMap<String, Value> {
        let one = |it: &Value| {
            let mut it = it.clone();
            it.as_object_mut().unwrap().retain(|name, _| !matches!(name.as_str(), "at" | "decoded"));
            (it["log.record.uid"].as_str().unwrap().to_owned(), it)
        };
        of_event(records, "failwise.verdict").iter().map(one).collect()
    };
    assert_eq!(plain(&sent), plain(&whole));
    let attempts: BTreeSet<u64> = sent.iter().filter_map(|it| it["failwise.attempt"].as_u64()).collect();
    assert_eq!(attempts, BTreeSet::from([1, 2, 3, 4]));
    // An episode that has passed is told once.
    machine.call("one", "one-5", "make tide", None);
    machine.asked(&["ship", "--new"]);
    let before = receiver.records().len();
    machine.call("one", "one-6", "make tide", None);
    machine.asked(&["ship", "--new"]);
    let sent = receiver.records().split_off(before);
    assert_eq!((of_event(&sent, "failwise.episode").len(), sent.len()), (0, 1), "{sent:?}");
    let marks = fs::read_to_string(machine.state().join("ship.json")).unwrap();
    assert!(marks.contains("\"one\":[") && !marks.contains("make tide"), "{marks}");
    assert_eq!(machine.asked(&["ship", "--new", "-o", "-"]), "");
}

/// People's names where calls and their errors have them: in folders, addresses, prompts, files and the environment.
#[test]
fn nobody_is_named() {
    const NAMES: [&str; 20] = [
        "aurelindo",
        "bettinova",
        "calistrat",
        "dorotheka",
        "emerentio",
        "fridolann",
        "gwendoryn",
        "hieronymo",
        "isoldara",
        "joachimus",
        "klothilda",
        "leontinus",
        "melusinda",
        "nikodemia",
        "ottokarin",
        "philippos",
        "quirinhoe",
        "rosamunda",
        "sebaldino",
        "theodelin",
    ];
    let machine = Machine::new();
    for (number, name) in NAMES.iter().enumerate() {
        let command = format!(
            "USERNAME={name} scp /home/{name}/a.txt {name}@build.example:/Users/{name}/a.txt && git clone https://{name}:x@git.example/a/b"
        );
        let error = format!(
            "Exit code 128\nfatal: /home/{name}/shop/cart.py: no such file; asked C:\\Users\\{name}\\x as <{name}@mail.example> at {name}@host"
        );
        machine.call("one", &format!("one-{number}"), &command, Some(&error));
        let file = format!("/home/{name}/notes/x.md");
        machine.hook(&json!({
            "hook_event_name": "PostToolUseFailure", "session_id": "one", "cwd": machine.project(), "tool_name": "Write",
            "tool_use_id": format!("w-{number}"), "tool_input": { "file_path": file, "content": format!("by {name}") },
            "error": format!("EACCES: permission denied, open '{file}'"),
        }));
        machine.hook(&json!({
            "hook_event_name": "UserPromptSubmit", "session_id": "one", "cwd": machine.project(), "prompt": format!("I am {name}"),
        }));
    }
    for content in ["ids", "names", "lines"] {
        set(&machine, "https://collector.example", &format!("content = \"{content}\"\n"));
        for format in ["otlp", "jsonl"] {
            let text = machine.asked(&["ship", "-o", "-", "--format", format]);
            assert!(text.matches("failwise.verdict").count() >= 40, "{text}");
            for name in NAMES {
                let at = text.find(name).map(|at| &text[at.saturating_sub(60)..at + 20]);
                assert_eq!(at, None, "{content}");
            }
            assert!(!text.contains("/home/") && !text.contains("/Users/"), "{content}");
            assert_eq!(text.contains("cart.py"), content == "lines", "{content}");
        }
    }
}

/// How many sockets of the internet a command opens, with all that it starts; None where nothing can count them.
fn sockets(machine: &Machine, program: &str, arguments: &[&str], input: &str, with_others: bool) -> Option<usize> {
    let log = machine.home.path().join("sockets");
    let mut command = machine.command("/usr/bin/unshare");
    command.args(["-rn", "strace", "-qq", "-e", "trace=%network", "-o"]).arg(&log);
    command.args(with_others.then_some("-f")).arg(program).args(arguments);
    let output = feed(&mut command, input);
    let is_counted = log.exists();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(is_counted || said.contains("unshare") || said.contains("strace"), "{said}");
    let text = fs::read_to_string(&log).ok()?;
    fs::remove_file(&log).unwrap();
    Some(text.lines().filter(|line| line.contains("socket(AF_INET")).count())
}

/// Without a setting no command and no hook opens a socket; with one only a sending does.
#[test]
fn nothing_is_sent_without_a_setting() {
    let machine = Machine::new();
    if !Path::new("/usr/bin/strace").exists() || !Path::new("/usr/bin/unshare").exists() {
        println!("skipped: strace or unshare is not there");
        return;
    }
    let (hook, failwise) = (env!("CARGO_BIN_EXE_failwise-hook"), env!("CARGO_BIN_EXE_failwise"));
    let begins = json!({
        "hook_event_name": "SessionStart", "session_id": "two", "cwd": machine.project(), "source": "startup",
    });
    let payload = json!({
        "hook_event_name": "PostToolUseFailure", "session_id": "one", "cwd": machine.project(), "tool_name": "Bash",
        "tool_use_id": "t", "tool_input": { "command": "gh pr diff 1 --stat" }, "error": "Exit code 1\nunknown flag: --stat",
    });
    let Some(first) = sockets(&machine, hook, &[], &payload.to_string(), true) else {
        println!("skipped: no network of its own can be had here");
        return;
    };
    assert_eq!(first, 0);
    assert_eq!(sockets(&machine, hook, &[], &begins.to_string(), true), Some(0));
    let commands: [&[&str]; 8] = [
        &["kb", "learn", "--nice"],
        &["config"],
        &["doctor"],
        &["report"],
        &["kb"],
        &["ship", "-o", "-"],
        &["ship", "--new"],
        &["ship", "-o", "verdicts.jsonl"],
    ];
    for arguments in commands {
        assert_eq!(sockets(&machine, failwise, arguments, "", true), Some(0), "{arguments:?}");
    }
    assert!(!machine.state().join("ship.json").exists());
    set(&machine, "http://127.0.0.1:9", "");
    assert!(sockets(&machine, failwise, &["ship", "--new"], "", true) > Some(0), "or nothing was counted");
    assert_eq!(sockets(&machine, hook, &[], &payload.to_string(), false), Some(0));
    assert_eq!(sockets(&machine, hook, &[], &begins.to_string(), false), Some(0));
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
    // Another home with a file of the project's own in it, and what hooks recorded.
    let mut moved = machine.command(env!("CARGO_BIN_EXE_failwise"));
    moved.env("HOME", machine.project()).env("XDG_STATE_HOME", machine.home.path().join(".local/state"));
    assert!(feed(moved.args(["kb", "learn", "--nice"]), "").status.success());
    assert!(evil.records().is_empty());
    // The person's own variable counts, where no file of the project sets it.
    fs::remove_file(folder.join("settings.json")).unwrap();
    assert_eq!(started(&["ship", "--new"]).status.code(), Some(0));
    assert!(!evil.records().is_empty());
    assert!(evil.end().iter().all(|line| line == "200 None"));
}

/// The learner that a hook starts sends as well, where an address is set; by the user's own file only where that is in the home
/// that the system knows, as a project can set `HOME` for what the client starts.
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
    assert!(receiver.records().is_empty(), "this home is nobody's");
    assert!(machine.asked(&["config"]).contains("hooks send nothing"), "{}", machine.asked(&["config"]));
    let of_user = |home: &str| format!("root:x:0:0::{home}:/bin/sh\n");
    let home = machine.home.path().display().to_string();
    let learns = |files: &[(&str, &str)]| with_etc(&machine, files, &["kb", "learn", "--nice"]);
    if learns(&[("passwd", &of_user("/root"))]).is_none() {
        println!("skipped: no /etc of its own can be had here");
        return;
    }
    assert!(receiver.records().is_empty(), "another home");
    learns(&[("passwd", &of_user(&home))]).unwrap();
    assert_eq!(of_event(&receiver.records(), "failwise.verdict").len(), 1);
    // The machine's own file counts wherever the user is at home.
    fails(&machine, "one", 2);
    let managed = format!("[ship]\nto = \"{}\"\n", receiver.address());
    learns(&[("failwise/config.toml", &managed)]).unwrap();
    let sent: BTreeSet<String> = uids(&of_event(&receiver.records(), "failwise.verdict"));
    assert_eq!(sent.len(), 2);
}
