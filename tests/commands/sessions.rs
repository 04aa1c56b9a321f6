//! What a person points at, read as sessions: every kind of input, damaged ones too, and the same bytes whatever the order
//! of the paths and the number of threads.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "starts the executable and writes its input")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use failwise::place::session_folders;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A time within a minute, so that lines can be put in order.
fn at(second: u32) -> String {
    format!("2030-01-02T03:04:{second:02}.000Z")
}

struct Call {
    session: &'static str,
    agent: Option<&'static str>,
    id: &'static str,
    second: u32,
    /// None for a success.
    error: Option<&'static str>,
}

/// A failing call of the session's own agent.
fn fails(session: &'static str, id: &'static str, second: u32) -> Call {
    Call {
        session,
        agent: None,
        id,
        second,
        error: Some("Exit code 2\nmake: *** No rule to make target 'chart'.  Stop."),
    }
}

impl Call {
    fn of_agent(self, agent: &'static str) -> Self {
        Self { agent: Some(agent), ..self }
    }

    fn lines(&self) -> Vec<Value> {
        let place = |second: u32| json!({ "sessionId": self.session, "timestamp": at(second), "cwd": "/srv" });
        let usage = json!({ "input_tokens": 1, "output_tokens": 2 });
        let input = json!({ "command": format!("make {}", self.id) });
        let asked = json!([{ "type": "tool_use", "id": self.id, "name": "Bash", "input": input }]);
        let text = self.error.unwrap_or("done");
        let result =
            json!({ "type": "tool_result", "tool_use_id": self.id, "content": text, "is_error": self.error.is_some() });
        let mut lines = [place(self.second), place(self.second + 1)];
        lines[0]["type"] = json!("assistant");
        lines[0]["message"] = json!({ "id": format!("m-{}", self.id), "model": "m", "content": asked, "usage": usage });
        lines[1]["type"] = json!("user");
        lines[1]["message"] = json!({ "content": [result] });
        for line in &mut lines {
            if let Some(agent) = self.agent {
                line["agentId"] = json!(agent);
                line["isSidechain"] = json!(true);
            }
        }
        lines.to_vec()
    }

    /// What a hook is given of it.
    fn payload(&self) -> Value {
        json!({ "hook_event_name": "PostToolUseFailure", "session_id": self.session, "tool_name": "Bash", "cwd": "/srv",
                "tool_input": { "command": format!("make {}", self.id) }, "tool_use_id": self.id, "error": self.error })
    }
}

fn text(calls: &[Call]) -> String {
    lines_of(&calls.iter().flat_map(Call::lines).collect::<Vec<_>>())
}

fn lines_of(values: &[Value]) -> String {
    values.iter().fold(String::new(), |text, line| text + &line.to_string() + "\n")
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

struct Stage(TempDir);

impl Stage {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }
}

/// What a replay said: the calls with a row, in order, the summary, and what stood on stderr before it.
struct Replayed {
    ids: Vec<String>,
    rows: Vec<Value>,
    summary: Value,
    warnings: String,
}

fn run(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_failwise"))
        .arg("replay")
        .args(arguments)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().unwrap();
    let _ = writer.join().unwrap();
    output
}

fn replay_of(arguments: &[&str], input: &[u8]) -> Replayed {
    let output = run(&[arguments, &["--format", "jsonl"]].concat(), input);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{stderr}");
    let (warnings, summary) = stderr.trim_end().rsplit_once('\n').unwrap_or(("", stderr.trim_end()));
    let rows: Vec<Value> =
        String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ids = rows.iter().map(|row| row["tool_use_id"].as_str().unwrap_or("-").to_owned()).collect();
    Replayed { ids, rows, summary: serde_json::from_str(summary).unwrap(), warnings: warnings.to_owned() }
}

fn replay(path: &Path) -> Replayed {
    replay_of(&[path.to_str().unwrap()], b"")
}

#[test]
fn every_kind_of_file_is_told_by_what_it_holds() {
    let stage = Stage::new();
    let call = fails("s", "t1", 1);
    let transcript = text(&[fails("s", "t1", 1)]);
    let init = json!({ "type": "system", "subtype": "init", "session_id": "s", "cwd": "/srv" });
    let mut stream: Vec<Value> = [vec![init], call.lines()].concat();
    for line in &mut stream {
        line.as_object_mut().unwrap().remove("sessionId");
    }
    let stream = lines_of(&stream);
    let event = json!({ "v": 1, "id": "e", "ts": at(1), "event": "execution_failed", "node": "n", "session": "s",
        "tool": "Bash", "tool_use_id": "t1", "phase": "call", "outcome": "failed", "operation": "make", "effect": "none",
        "reading": { "result": "unstated", "category": "unknown" } });
    let logged = json!({ "ts": at(1), "payload": call.payload() });
    let crlf = format!("\u{feff}{}", transcript.replace('\n', "\r\n"));
    let members = [gzip(&transcript.as_bytes()[..100]), gzip(&transcript.as_bytes()[100..])].concat();
    let kinds: [(&str, Vec<u8>); 9] = [
        ("a transcript", transcript.clone().into_bytes()),
        ("a stream", stream.into_bytes()),
        ("a history", event.to_string().into_bytes()),
        ("a payload log", call.payload().to_string().into_bytes()),
        ("a log with times", logged.to_string().into_bytes()),
        ("Windows' line ends and a byte order mark", crlf.into_bytes()),
        ("gzip", gzip(transcript.as_bytes())),
        ("gzip in two members", members),
        ("no line end at its end", transcript.trim_end().as_bytes().to_vec()),
    ];
    for (what, bytes) in kinds {
        for name in ["x", "x.jsonl", "x.txt"] {
            let read = replay(&stage.write(name, &bytes));
            assert_eq!(read.ids, ["t1"], "{what} as {name}");
            assert_eq!((&read.summary["skipped"], read.warnings.as_str()), (&json!({}), ""), "{what} as {name}");
        }
        assert_eq!(replay_of(&["-"], &bytes).ids, ["t1"], "{what} on standard input");
    }
}

#[test]
fn times_of_a_log_are_those_that_stand_beside_the_payloads() {
    let stage = Stage::new();
    let logged = json!({ "timestamp": at(7), "input": fails("s", "t1", 1).payload() });
    assert_eq!(replay(&stage.write("x", logged.to_string())).rows[0]["ts"], at(7));
}

#[test]
fn a_batch_in_a_log_adds_only_what_has_no_payload_of_its_own() {
    let stage = Stage::new();
    let own = fails("s", "t1", 1).payload();
    let refused = "<tool_use_error>No such tool available: Foo</tool_use_error>";
    let call = |id: &str, text: &str| json!({ "tool_name": "Bash", "tool_use_id": id, "tool_input": { "command": "x" }, "tool_response": text });
    let batch = json!({ "hook_event_name": "PostToolBatch", "session_id": "s", "cwd": "/srv",
                        "tool_calls": [call("t1", "Exit code 2\nx"), call("t2", refused)] });
    let read = replay(&stage.write("x", format!("{own}\n{batch}\n")));
    assert_eq!((read.ids, &read.summary["skipped"]), (vec!["t1".to_owned(), "t2".to_owned()], &json!({})));
}

#[test]
fn one_bad_line_never_hides_the_others() {
    let stage = Stage::new();
    let mut bytes = Vec::new();
    for call in [fails("s", "t1", 1), fails("s", "t2", 3)] {
        for line in call.lines() {
            bytes.extend(line.to_string().as_bytes());
            bytes.push(b'\n');
            bytes.extend(b"{\"type\":\"user\",\"torn\n\xff\xfe\n\0\0\0\n[]\n\n{\"type\":\"shelf\"}\n");
        }
    }
    bytes.extend(b"{\"type\":\"assis");
    let read = replay(&stage.write("x.jsonl", &bytes));
    assert_eq!(read.ids, ["t1", "t2"]);
    let expected = json!({ "a line that is no JSON object": 17, "a line of an unknown type": 4 });
    assert_eq!(read.summary["skipped"], expected);
}

#[test]
fn a_session_is_its_file_with_its_subagents_and_copies() {
    let main = [fails("s", "t1", 1), fails("s", "t2", 20)];
    let inside = [fails("s", "a1", 5).of_agent("agent-7"), fails("s", "a2", 30).of_agent("agent-7")];
    let beside = [fails("s", "b1", 3).of_agent("agent-8")];
    // A session that went on elsewhere begins with a copy of the first, under an id of its own.
    let resumed = [fails("r", "t1", 1), fails("r", "t2", 20), fails("r", "t3", 40)];
    let places = [
        ("p/s.jsonl", text(&main)),
        ("p/s/subagents/agent-7.jsonl", text(&inside)),
        ("p/agent-8.jsonl", text(&beside)),
        ("p/r.jsonl", text(&resumed)),
    ];
    let stage = Stage::new();
    for (name, text) in &places {
        stage.write(name, text);
    }
    stage.write("p/s/subagents/agent-7.meta.json", "{}");
    let read = replay(&stage.path("p"));
    assert_eq!(read.ids, ["t1", "b1", "a1", "t2", "a2", "t3"]);
    assert_eq!(read.summary["skipped"], json!({ "a copy of a result": 2 }));
    assert_eq!(read.summary["calls"], 6);
    let nodes: Vec<&str> = read.rows.iter().map(|row| row["node_id"].as_str().unwrap()).collect();
    assert!(nodes[1].contains("agent-8") && nodes[2].contains("agent-7") && nodes[2] == nodes[4], "{nodes:?}");
}

#[test]
fn the_order_of_paths_and_the_number_of_threads_change_nothing() {
    let stage = Stage::new();
    let ids: Vec<&'static str> = (0..90).map(|n| &*Box::leak(format!("t{n}").into_boxed_str())).collect();
    let mut paths = Vec::new();
    for (n, id) in ids.iter().enumerate() {
        let session = &*Box::leak(format!("s{}", n % 40).into_boxed_str());
        let second = u32::try_from(n * 7 % 50).unwrap();
        paths.push(stage.write(&format!("{}/{n}.jsonl", n % 3), text(&[fails(session, id, second)])));
    }
    let as_given = |paths: &[PathBuf], threads: &str| {
        let names: Vec<&str> = paths.iter().map(|path| path.to_str().unwrap()).collect();
        run(&[names.as_slice(), &["--format", "jsonl", "--threads", threads]].concat(), b"")
    };
    let first = as_given(&paths, "1");
    assert_eq!(String::from_utf8_lossy(&first.stdout).lines().count(), 90);
    paths.reverse();
    paths.rotate_left(31);
    for threads in ["1", "2", "7"] {
        let again = as_given(&paths, threads);
        assert_eq!((again.stdout, again.stderr), (first.stdout.clone(), first.stderr.clone()), "{threads} threads");
    }
    let folder = run(&[stage.0.path().to_str().unwrap(), "--format", "jsonl"], b"");
    assert_eq!(folder.stdout, first.stdout);
}

#[test]
fn a_path_that_is_given_twice_is_read_once() {
    let stage = Stage::new();
    let file = stage.write("p/x.jsonl", text(&[fails("s", "t1", 1)]));
    let read = replay_of(&[file.to_str().unwrap(), stage.path("p").to_str().unwrap()], b"");
    assert_eq!((read.ids.len(), &read.summary["skipped"]), (1, &json!({})));
}

#[test]
fn folders_are_walked_without_following_links() {
    let stage = Stage::new();
    stage.write("p/deep/x.jsonl", text(&[fails("s", "t1", 1)]));
    stage.write("elsewhere/y.jsonl", text(&[fails("s", "t2", 2)]));
    symlink(stage.path("p"), stage.path("p/deep/loop")).unwrap();
    symlink(stage.path("elsewhere"), stage.path("p/elsewhere")).unwrap();
    symlink(stage.path("elsewhere/y.jsonl"), stage.path("p/y.jsonl")).unwrap();
    assert_eq!(replay(&stage.path("p")).ids, ["t1"]);
    symlink(stage.path("p"), stage.path("named")).unwrap();
    assert_eq!(replay(&stage.path("named")).ids, ["t1"]);
}

#[test]
fn files_that_are_left_out_are_told_with_the_reason() {
    let stage = Stage::new();
    stage.write("p/good.jsonl", text(&[fails("s", "t1", 1)]));
    stage.write("p/foreign.jsonl", "{\"level\":\"info\",\"msg\":\"x\"}\n");
    stage.write("p/empty.jsonl", "");
    stage.write("p/notes.txt", "not looked at");
    let read = replay(&stage.path("p"));
    assert_eq!(read.ids, ["t1"]);
    assert_eq!(read.warnings.lines().count(), 1, "{}", read.warnings);
    assert!(
        read.warnings.contains("foreign.jsonl") && read.warnings.contains("no session file (Claude Code, Codex, "),
        "{}",
        read.warnings
    );
}

#[test]
fn a_file_that_must_not_be_read_is_left_out() {
    let stage = Stage::new();
    stage.write("p/good.jsonl", text(&[fails("s", "t1", 1)]));
    let secret = stage.write("p/secret.jsonl", text(&[fails("s", "t2", 1)]));
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::File::open(&secret).is_ok() {
        return; // The superuser may read everything.
    }
    let read = replay(&stage.path("p"));
    assert_eq!(read.ids, ["t1"]);
    assert!(read.warnings.contains("secret.jsonl"), "{}", read.warnings);
    assert_eq!(run(&[secret.to_str().unwrap()], b"").status.code(), Some(74));
}

#[test]
fn compressed_data_that_end_early_keep_what_was_read() {
    let stage = Stage::new();
    let calls: Vec<Call> = (0..50).map(|n| fails("s", Box::leak(format!("t{n}").into_boxed_str()), n)).collect();
    let whole = gzip(text(&calls).as_bytes());
    let cut = stage.write("p/cut.jsonl.gz", &whole[..whole.len() / 2]);
    stage.write("p/good.jsonl", text(&[fails("g", "last", 1)]));
    let read = replay(&stage.path("p"));
    assert!(read.ids.contains(&"last".to_owned()) && read.ids.contains(&"t0".to_owned()), "{:?}", read.ids);
    assert!(read.warnings.contains("cut.jsonl.gz"), "{}", read.warnings);
    assert_eq!(run(&[cut.to_str().unwrap()], b"").status.code(), Some(65));
}

/// Runs a replay and asks the kernel for its peak memory, in KiB, while it runs.
fn peak_of(path: &Path) -> (Output, u64) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_failwise"))
        .args(["replay", path.to_str().unwrap(), "--format", "jsonl"])
        .env_clear()
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let status = PathBuf::from(format!("/proc/{}/status", child.id()));
    let mut peak = 0;
    let mut out = child.stdout.take().unwrap();
    while child.try_wait().unwrap().is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        // Until it has become the command it is a copy of this process.
        let is_command = text.lines().next() == Some("Name:\tfailwise");
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).filter(|_| is_command);
        let now = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        peak = peak.max(now.unwrap_or(0));
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    let mut stdout = Vec::new();
    out.read_to_end(&mut stdout).unwrap();
    let output = child.wait_with_output().unwrap();
    (Output { stdout, ..output }, peak)
}

#[test]
#[cfg(target_os = "linux")]
fn a_line_of_200_mb_is_passed_over_without_being_held() {
    let stage = Stage::new();
    let path = stage.path("x.jsonl");
    let mut file = std::io::BufWriter::new(fs::File::create(&path).unwrap());
    file.write_all(b"{\"type\":\"user\",\"message\":\"").unwrap();
    let million = vec![b'x'; 1_000_000];
    for _ in 0..200 {
        file.write_all(&million).unwrap();
    }
    file.write_all(b"\"}\n").unwrap();
    file.write_all(text(&[fails("s", "t1", 1)]).as_bytes()).unwrap();
    drop(file);
    let (output, peak) = peak_of(&path);
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 1);
    let summary: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(summary["skipped"], json!({ "a line that is too long": 1 }));
    // The longest line that is read has 64 MiB.
    assert!((1..150 * 1024).contains(&peak), "{peak} KiB");
}

#[test]
fn a_history_is_one_with_its_older_parts() {
    let event = |id: &str, ts: String| {
        json!({ "v": 1, "id": id, "ts": ts, "event": "execution_failed", "node": "n", "session": "s", "tool": "Bash",
            "tool_use_id": id, "phase": "call", "outcome": "failed", "operation": "make", "effect": "none",
            "reading": { "result": "unstated", "category": "unknown" } })
        .to_string()
    };
    let stage = Stage::new();
    stage.write("p/history-20300101T000000Z.jsonl", event("e1", at(1)));
    stage.write("p/history.jsonl", event("e2", at(2)));
    let read = replay(&stage.path("p"));
    assert_eq!(read.ids, ["e1", "e2"]);
    assert_eq!(read.rows[1]["attempt"], 2);
    // A transcript of the same session tells more.
    stage.write("p/s.jsonl", text(&[fails("s", "e1", 1)]));
    let read = replay(&stage.path("p"));
    assert_eq!(read.ids, ["e1"]);
    assert_eq!(read.summary["skipped"], json!({ "an event of a session whose transcript is read, too": 2 }));
}

#[test]
fn what_is_older_than_asked_is_left_out() {
    let stage = Stage::new();
    let at = |day: &str, id: &'static str| text(&[fails("s", id, 1)]).replace("2030-01-02", day);
    let new = at("2019-12-31", "old") + &at("2020-01-02", "new");
    let file = stage.write("p/x.jsonl", new);
    let old = stage.write("p/y.jsonl", text(&[fails("s2", "other", 1)]));
    let day = std::time::UNIX_EPOCH + std::time::Duration::from_hours(438_288 - 24);
    fs::File::options().write(true).open(&old).unwrap().set_modified(day).unwrap();
    fs::File::options()
        .write(true)
        .open(&file)
        .unwrap()
        .set_modified(day + std::time::Duration::from_hours(3 * 24))
        .unwrap();
    let read = replay_of(&[stage.path("p").to_str().unwrap(), "--since", "2020-01-01"], b"");
    assert_eq!(read.ids, ["new"]);
    let none = replay_of(&[old.to_str().unwrap(), "--since", "2020-01-01"], b"");
    assert_eq!((none.ids.len(), none.warnings.as_str()), (0, ""));
    for (asked, said) in [
        ("soon", "`soon` is no duration or date"),
        ("-3d", "`-3d` is no time that sessions can be from"),
        ("9999-01-01", "`9999-01-01` is in the future"),
        ("0d", "`0d` is no time that sessions can be from"),
    ] {
        let wrong = run(&[stage.path("p").to_str().unwrap(), "--since", asked], b"");
        assert_eq!(wrong.status.code(), Some(64));
        assert!(String::from_utf8_lossy(&wrong.stderr).contains(said), "{wrong:?}");
    }
    for asked in ["2020-01", "2020-01-01 00:00", "2020-01-01T00:00:00Z"] {
        let right = run(&[stage.path("p").to_str().unwrap(), "--since", asked], b"");
        assert_eq!(right.status.code(), Some(0), "{asked}: {right:?}");
    }
}

#[test]
fn the_users_own_sessions_lie_where_the_client_and_the_hook_put_them() {
    let stage = Stage::new();
    for folder in ["home/.claude/projects", "home/.local/state/failwise/projects", "config/projects"] {
        fs::create_dir_all(stage.path(folder)).unwrap();
    }
    let home = stage.path("home");
    let config = stage.path("config");
    let plain = |name: &str| (name == "HOME").then(|| home.clone().into_os_string());
    assert_eq!(session_folders(&plain), [home.join(".claude/projects"), home.join(".local/state/failwise/projects")]);
    let moved =
        |name: &str| if name == "CLAUDE_CONFIG_DIR" { Some(config.clone().into_os_string()) } else { plain(name) };
    assert_eq!(session_folders(&moved)[0], config.join("projects"));
    assert!(session_folders(&|_: &str| None).is_empty());
}
