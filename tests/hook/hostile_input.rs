//! Input that is cut, broken, deep, huge or a trap: every executable ends as documented, soon, and without a panic.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "starts the executables and lays the traps")]
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a helper of a test may fail it")]
#![expect(clippy::naive_bytecount, reason = "a few lines are counted")]

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use failwise::hook::{Outside, Reply, answer};
use failwise::redact::redact_printed;
use serde_json::{Value, json};

/// Far more than any of these needs, and far less than a wait for ever.
const SOON: Duration = Duration::from_secs(20);

struct Stage {
    home: tempfile::TempDir,
}

impl Stage {
    fn new() -> Self {
        let stage = Self { home: tempfile::tempdir().unwrap() };
        fs::create_dir_all(stage.project().join(".git")).unwrap();
        stage
    }

    fn project(&self) -> PathBuf {
        self.home.path().join("project")
    }

    fn history(&self) -> PathBuf {
        self.home.path().join("history")
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.project().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// Answers in this process, which a panic would end.
    fn hook(&self, input: &[u8]) -> Reply {
        let folder = self.history();
        let env = move |name: &str| (name == "FAILWISE_DIR").then(|| OsString::from(&folder));
        let reply = answer(input, &Outside { env: &env, now: "2026-03-01T08:00:00.000Z" });
        if let Some(out) = &reply.stdout {
            let value: Value = serde_json::from_str(out).expect("one JSON object");
            assert!(value.is_object() && !out.contains('\n'));
        }
        reply
    }

    fn run(&self, executable: &str, arguments: &[&str], input: &[u8], own_folder: bool) -> Output {
        let mut command = Command::new(executable);
        command.args(arguments).env_clear().env("HOME", self.home.path()).current_dir(self.project());
        if own_folder {
            command.env("FAILWISE_DIR", self.history());
        }
        let output = feed(&mut command, input);
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(!told.contains("panicked") && !told.contains("internal error"), "{arguments:?}: {told}");
        output
    }

    fn failwise(&self, arguments: &[&str], input: &[u8]) -> Output {
        self.run(env!("CARGO_BIN_EXE_failwise"), arguments, input, true)
    }

    /// The executable: exit 0, one JSON object or nothing, at most one line on stderr.
    fn hook_executable(&self, input: &[u8], own_folder: bool) -> Output {
        let output = self.run(env!("CARGO_BIN_EXE_failwise-hook"), &[], input, own_folder);
        assert_eq!(output.status.code(), Some(0));
        assert!(output.stderr.iter().filter(|byte| **byte == b'\n').count() <= 1);
        if !output.stdout.is_empty() {
            let value: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
            assert!(value.is_object());
        }
        output
    }
}

fn feed(command: &mut Command, input: &[u8]) -> Output {
    let begin = Instant::now();
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // A hook may answer before it has read everything.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let id = i32::try_from(child.id()).unwrap();
    let guard = std::thread::spawn(move || child.wait_with_output().unwrap());
    while !guard.is_finished() {
        if begin.elapsed() > SOON {
            let _ = Command::new("kill").args(["-9", &id.to_string()]).status();
            panic!("still running after {SOON:?}");
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    writer.join().unwrap();
    guard.join().unwrap()
}

fn golden(folder: &str) -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(folder);
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()).collect()
}

/// Every payload of the golden cases, as it goes to stdin.
fn payloads() -> Vec<String> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let host = golden("host").into_iter().filter_map(|case| case.get("payload").map(text));
    let sessions = golden("sessions").into_iter().flat_map(|case| {
        let steps = case["steps"].as_array().cloned().unwrap_or_default();
        steps.into_iter().filter_map(|step| step.get("stdin").cloned())
    });
    host.chain(sessions.map(|value| text(&value))).collect()
}

/// What the hook does with an input in a shell that ran `before`: what it prints, and the kinds of events that it wrote.
fn outcome_after(before: &str, input: &str) -> (String, Vec<String>) {
    let stage = Stage::new();
    let input = input.replace("/srv/project", stage.project().to_str().unwrap());
    let script = format!("{before}\nexec \"$0\"");
    let hook = env!("CARGO_BIN_EXE_failwise-hook");
    let output = stage.run("/bin/sh", &["-c", &script, hook], input.as_bytes(), true);
    assert_eq!(output.status.code(), Some(0), "{before}: {output:?} for {}", &input[..input.len().min(300)]);
    let history = fs::read_to_string(stage.history().join("history.jsonl")).unwrap_or_default();
    let kind = |line: &str| serde_json::from_str::<Value>(line).unwrap()["event"].to_string();
    let printed = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    let printed = printed.replace(stage.home.path().to_str().unwrap(), "");
    // Times of day differ between two runs.
    (printed.replace(|c: char| c.is_ascii_digit(), "0"), history.lines().map(kind).collect())
}

/// In 64 MB of addresses every payload is answered as it is elsewhere, the largest that is read among them.
#[test]
fn little_memory_is_enough() {
    let error = "error[E0425]: cannot find value `tide` in this scope\n".repeat(140_000);
    let large = failing(Path::new("/srv/project"), "cargo build", &format!("Exit code 101\n{error}"));
    for payload in payloads().into_iter().chain([large.to_string()]) {
        assert_eq!(outcome_after("ulimit -v 65536", &payload), outcome_after("", &payload));
    }
}

fn failing(project: &Path, command: &str, error: &str) -> Value {
    json!({"session_id": "s-1", "cwd": project, "hook_event_name": "PostToolUseFailure", "tool_name": "Bash",
        "tool_use_id": "t1", "tool_input": {"command": command}, "error": error, "is_interrupt": false})
}

#[test]
fn every_beginning_of_a_payload_is_survived() {
    let stage = Stage::new();
    let (mut cut, mut reported) = (0, 0);
    for (number, payload) in payloads().iter().enumerate() {
        // Every place where a token may end in some payload; all payloads together see each remainder.
        let ends = (0..payload.len()).filter(|end| (end + number) % 29 == 0 || *end + 4 > payload.len());
        for end in ends {
            let reply = stage.hook(&payload.as_bytes()[..end]);
            cut += 1;
            reported += usize::from(reply.stderr.is_some());
            assert_eq!(
                reply.stdout,
                None,
                "half a payload was answered: {}",
                &payload[..payload.floor_char_boundary(end)]
            );
        }
    }
    assert!(cut > 1500, "only {cut} were cut");
    assert!(reported * 10 >= cut * 9, "only {reported} of {cut} were reported");
}

/// Bytes that are taken out, doubled, or replaced by those that mean something to a parser.
#[test]
fn payloads_with_broken_bytes_are_survived() {
    let stage = Stage::new();
    let bytes = [b'"', b'\\', b'{', b'}', b'[', b',', b':', 0, 0xff, 0xc3, 0xed, b'\n', 0x1b, b'9'];
    let mut tried = 0;
    for (number, payload) in payloads().iter().enumerate() {
        for (turn, byte) in bytes.iter().enumerate() {
            let mut broken = payload.as_bytes().to_vec();
            let step = 97 + turn;
            for at in ((number * 7 + turn)..broken.len()).step_by(step).take(3) {
                broken[at] = *byte;
            }
            stage.hook(&broken);
            tried += 1;
        }
    }
    assert!(tried > 800, "only {tried}");
}

#[test]
fn odd_documents_are_survived() {
    let stage = Stage::new();
    let project = stage.project();
    let whole = failing(&project, "make", "Exit code 2\nx").to_string();
    let event = "\"hook_event_name\":\"PostToolUseFailure\",\"tool_name\":\"Bash\"";
    let deep = |open: &str, close: &str, depth: usize| open.repeat(depth) + &close.repeat(depth);
    let digits = "9".repeat(10_000);
    let documents = [
        deep("[", "]", 200_000),
        deep("{\"a\":", "}", 200_000),
        format!("{{{event},\"tool_input\":{}}}", deep("[", "]", 100_000)),
        format!(
            "{{{event},\"tool_input\":{{\"command\":{}}},\"error\":{}}}",
            deep("[", "]", 120),
            deep("{\"a\":[", "]}", 50)
        ),
        format!("{{{event},\"tool_response\":{}}}", deep("{\"content\":[", "]}", 100)),
        format!("{{{event},\"duration_ms\":{digits},\"exit_code\":-{digits},\"error\":1e{digits}}}"),
        format!("{{\"tool\":\"Bash\",\"exit_code\":{digits},\"failed_attempts\":{digits}.{digits}}}"),
        format!("{{{event},\"error\":\"a\",\"error\":\"b\"}}"),
        format!("{{{event},\"hook_event_name\":\"Stop\"}}"),
        format!("{{{event},\"error\":\"Exit code 1\\n\\ud800 \\udc00\\ud83d x\"}}"),
        format!("{{{event},\"error\":\"Exit code 1\\n\\u0000\"}}"),
        format!("{{{event},\"error\":\"Exit code {digits}\\nx\"}}"),
        format!("\u{feff}{whole}"),
        format!("{whole}\r\n"),
        format!("{whole}\n{whole}"),
        format!("{whole} x"),
        format!("\u{feff}\u{feff}{whole}"),
        "null".to_owned(),
        "[]".to_owned(),
        "\"text\"".to_owned(),
        "{}".to_owned(),
        String::new(),
        "\u{0}".repeat(4096),
        format!("{{\"a\":1,{event}{}}}", ",\"b\":2".repeat(50_000)),
        format!(
            "{{{event},\"tool_input\":{{{}}}}}",
            (0..50_000).map(|n| format!("\"k{n}\":{n}")).collect::<Vec<_>>().join(",")
        ),
    ];
    for document in documents {
        stage.hook(document.as_bytes());
    }
    for (encoding, bytes) in [
        ("UTF-16", whole.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>()),
        (
            "Latin 1",
            whole
                .replace("make", "m\u{7f}ke")
                .into_bytes()
                .iter()
                .map(|b| if *b == 0x7f { 0xe4 } else { *b })
                .collect(),
        ),
        ("lone continuation", [b"{\"hook_event_name\":\"Stop\",\"cwd\":\"\x80\x80\"}".as_slice(), b""].concat()),
    ] {
        let reply = stage.hook(&bytes);
        assert_eq!(reply.stdout, None, "{encoding}");
    }
}

/// A payload with a byte order mark, a line ending, broken letters or half a surrogate pair is recorded all the same.
#[test]
fn what_can_be_repaired_is_recorded() {
    let stage = Stage::new();
    let call = |id: &str, error: &str| {
        format!(
            "{{\"session_id\":\"s\",\"hook_event_name\":\"PostToolUseFailure\",\"cwd\":\"/srv\",\"tool_name\":\"Bash\",\
                 \"tool_input\":{{\"command\":\"make\"}},\"tool_use_id\":\"{id}\",\"error\":\"Exit code 2\\n{error}\"}}"
        )
    };
    let mut broken = call("c", "bytes ??").into_bytes();
    let at = broken.windows(2).position(|two| two == b"??").unwrap();
    broken[at] = 0xff;
    let inputs = [
        format!("\u{feff}{}", call("a", "mark")).into_bytes(),
        (call("b", "\\ud800 half") + "\r\n").into_bytes(),
        broken,
    ];
    for input in &inputs {
        assert_eq!(stage.hook(input).stderr, None);
    }
    let history = fs::read_to_string(stage.history().join("history.jsonl")).unwrap();
    for id in ["\"a\"", "\"b\"", "\"c\""] {
        assert!(history.contains(&format!("\"tool_use_id\":{id}")), "{id} is missing");
    }
    assert!(history.contains("bytes \u{fffd}?"));
}

#[test]
fn eight_mebibytes_are_the_most() {
    let stage = Stage::new();
    let filler = |bytes: usize| failing(&stage.project(), "make", &format!("Exit code 2\n{}", "x ".repeat(bytes / 2)));
    let most = 8 * 1024 * 1024;
    assert_eq!(stage.hook(filler(most - 1024).to_string().as_bytes()).stderr, None);
    let refused = stage.hook(filler(most).to_string().as_bytes()).stderr.expect("it is reported");
    assert!(refused.contains("8388608"), "{refused}");
    let output = stage.hook_executable(filler(most * 2).to_string().as_bytes(), true);
    assert!(output.stdout.is_empty() && !output.stderr.is_empty());
    for line in fs::read_to_string(stage.history().join("history.jsonl")).unwrap().lines() {
        assert!(line.len() < 64 * 1024, "a line of {} bytes", line.len());
    }
}

/// Shapes of which a parser might look at every piece again for every piece.
const ROWS: &[&str] = &[
    "x",
    "x ",
    "`",
    "'",
    "\"",
    "$(",
    "((",
    "{",
    "[",
    "<<E ",
    "\\",
    "a=b ",
    "| ",
    "&& ",
    "; ",
    ">f ",
    "-p",
    "password=",
    "a:",
    "://",
    "eyJ.",
    "\u{1b}[",
    "\u{1b}]0;",
    "\r",
    "\r\n",
    "\n",
    "\n\n",
    "é",
    "\u{200b}",
    "1",
    "1.",
    "0x1f ",
    "12:30:11 ",
    "/a",
    "../",
    "a.rs:1:2 ",
    "error: ",
    "Error: ",
    "at x (y:1)\n",
    "FAILED a::b\n",
    "--> ",
    "... [1 characters truncated] ...",
    "<tool_use_error>",
    "</summary>",
    "-----BEGIN PRIVATE KEY-----\n",
    "curl -u ",
    "test x ... FAILED\n",
    "cannot find ",
    "{\"a\":",
    "machine login password ",
    "a,password\n",
    "kind: Secret\n",
    "password: |\n",
    "echo x | sudo -S ",
    "🦀",
];

/// The time of a call with one long line of a shape in its command, its output and its names.
fn time_of(row: &str, bytes: usize) -> Duration {
    let stage = Stage::new();
    let long = row.repeat(bytes / row.len());
    let mut payload = failing(&stage.project(), &format!("make {long}"), &format!("Exit code 2\nerror: {long}"));
    payload["tool_input"]["description"] = json!(long);
    let input = payload.to_string();
    let begin = Instant::now();
    stage.hook(input.as_bytes());
    let time = begin.elapsed();
    let length = fs::metadata(stage.history().join("history.jsonl")).unwrap().len();
    assert!(length < 64 * 1024, "{row:?}: {length} bytes were written");
    time
}

/// Four times the input costs about four times the time; a square would cost sixteen times as much. Short times are noise.
#[test]
fn long_lines_cost_their_length() {
    let mut slow = Vec::new();
    for row in ROWS {
        let small = time_of(row, 64 * 1024);
        let large = time_of(row, 256 * 1024);
        let squared = large > small * 9 && large > Duration::from_millis(200);
        if squared && time_of(row, 256 * 1024) > time_of(row, 64 * 1024) * 9 {
            slow.push(format!("{row:?}: {small:?}, then {large:?}"));
        }
    }
    assert!(slow.is_empty(), "more than their length:\n{}", slow.join("\n"));
}

/// What begins the text, and what is repeated after it: each line asks for a look at others, ahead or back.
const LOOKS_AROUND: &[(&str, &str)] = &[
    ("", "a,password\n"),
    ("a,password\n", "x,y\n"),
    ("", "a,password\nx,y\n"),
    ("", "| password |\n|---|\n| x |\n"),
    ("", "kind: Secret\n"),
    ("", "kind: Secret\ndata:\n  a: b\n---\n"),
    ("kind: Secret\ndata:\n", "  a: b\n"),
    ("", "stringData:\n"),
    ("", "password: |\n"),
    ("", "password: |\n\n"),
    ("password: |\n", "  x\n"),
    ("", "password: >-\n        deep\n"),
    ("", "password:\n"),
    ("", "name: password\nvalue:\n"),
    ("", "- name: PASSWORD\n"),
    ("", "{\"name\":\"password\","),
    ("", "echo x | sudo -S "),
    ("", "echo x | sudo -S y\n"),
    ("echo x ", "| sudo -S "),
    ("echo '", "x | sudo -S "),
    ("", "<password>"),
    ("", "<password>x</password>\n"),
    ("", "-----BEGIN PRIVATE KEY-----\n"),
    ("", "machine x login y password "),
    ("", "password \\\n"),
    ("password=\"", "a\n"),
    ("", "a -u b -p c "),
    ("", "$ gh auth token\n"),
    ("", "$ pass show a\n"),
    ("", "user  password\n"),
    ("user  password\n", "a  b\n"),
    ("", "recovery codes\n"),
    ("", "INSERT INTO t (a, password) VALUES "),
    ("", "\"keyName\" "),
    ("", "[passwords]\n"),
    ("[passwords]\n", "a = b\n"),
    ("", "<a b=\"password\" "),
    ("", "(\"password\").b(\""),
    ("", "password: & "),
    ("", "login('"),
];

/// The same of redaction alone, to which nobody has cut the text.
#[test]
fn redaction_costs_its_length() {
    let time_of = |(start, row): &(&str, &str), bytes: usize| {
        let text = format!("{start}{}", row.repeat(bytes / row.len()));
        let begin = Instant::now();
        drop(redact_printed(&text));
        begin.elapsed()
    };
    let is_square = |shape| {
        let large = time_of(shape, 256 * 1024);
        large > Duration::from_millis(400) && large > time_of(shape, 64 * 1024) * 9
    };
    let slow: Vec<_> = LOOKS_AROUND.iter().filter(|shape| is_square(*shape) && is_square(*shape)).collect();
    assert!(slow.is_empty(), "more than their length: {slow:?}");
}

#[test]
fn a_mebibyte_on_one_line_is_survived() {
    for row in ["x", "a=b ", "$(", "password=\"", "\r"] {
        assert!(time_of(row, 1024 * 1024) < SOON, "{row:?}");
    }
}

/// Everything below a folder.
fn names(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(&dir).unwrap() {
            let path = entry.unwrap().path();
            if fs::symlink_metadata(&path).unwrap().is_dir() {
                open.push(path.clone());
            }
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn ids_never_become_paths() {
    let stage = Stage::new();
    let ids =
        ["../../x", "/etc/passwd", "..", ".", "a/b", "a\\b", "a\0b", "~", "*", "\u{202e}", "con", &"y".repeat(5000)];
    for id in ids {
        for event in ["PreToolUse", "PostToolUseFailure", "PostToolUse", "Stop", "SessionStart", "UserPromptSubmit"] {
            let payload = json!({"session_id": id, "agent_id": id, "tool_use_id": id, "prompt_id": id, "cwd": stage.project(),
                "hook_event_name": event, "tool_name": "Bash", "tool_input": {"command": "make"}, "source": "compact",
                "error": "Exit code 2\nx", "prompt": id, "transcript_path": id, "tool_response": {"backgroundTaskId": id}});
            stage.hook(payload.to_string().as_bytes());
        }
    }
    for path in names(stage.home.path()) {
        let inside = path.strip_prefix(stage.home.path()).unwrap();
        let known = inside.starts_with("history") || inside.starts_with("project");
        let name = path.file_name().unwrap().to_str().unwrap();
        let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b)) && name.len() < 64;
        assert!(known && plain, "{}", path.display());
    }
}

fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// A trap where the history, its lock or its states should be is reported, never followed and never waited for.
#[test]
fn traps_in_place_of_the_history_are_refused() {
    type Trap = fn(&Path);
    let traps: [(&str, Trap); 5] = [
        ("a link", |path| symlink("/dev/null", path).unwrap()),
        ("a link to itself", |path| symlink(path, path).unwrap()),
        ("a pipe", fifo),
        ("a folder", |path| fs::create_dir(path).unwrap()),
        ("a link to nothing", |path| symlink(path.with_file_name("elsewhere"), path).unwrap()),
    ];
    for (what, trap) in traps {
        for name in ["history.jsonl", "history.lock", "state"] {
            let stage = Stage::new();
            let path = stage.history().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            trap(&path);
            let payload = failing(&stage.project(), "make", "Exit code 2\nx").to_string();
            let output = stage.hook_executable(payload.as_bytes(), true);
            let history = name == "history.jsonl" || name == "history.lock";
            assert_eq!(
                !output.stderr.is_empty(),
                history,
                "{what} as {name}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            assert!(!stage.history().join("elsewhere").exists(), "{what} as {name} was followed");
            if name == "history.jsonl" {
                let replayed = stage.failwise(&["replay", path.to_str().unwrap()], b"");
                // A folder is looked through, and holds nothing.
                let code = if what == "a folder" { 65 } else { 74 };
                assert_eq!(replayed.status.code(), Some(code), "{what}: {}", String::from_utf8_lossy(&replayed.stderr));
            }
            let checked = stage.failwise(&["doctor"], b"");
            // States can be made again, so a trap in their place is no fault.
            assert_eq!(checked.status.code() == Some(1), history, "{what} as {name}");
        }
    }
}

const TASK: &str = ".claude/plans/features/F-1_a/stories/S-1_b/tasks/T-1_c/task.md";

fn plan(stage: &Stage) {
    let active = r#"{"active": {"mission": "M", "feature": "F-1", "story": "S-1", "task": "T-1"}}"#;
    stage.write(".claude/plans/active.json", active);
    stage.write(".claude/plans/mission/mission.md", "---\nid: M\ntier: 0\nchildren: [F-1]\n---\n");
    stage.write(".claude/plans/features/F-1_a/feature.md", "---\nid: F-1\ntier: 2\nparent: M\n---\n");
    stage.write(".claude/plans/features/F-1_a/stories/S-1_b/story.md", "---\nid: S-1\ntier: 3\nparent: F-1\n---\n");
    stage.write(TASK, "---\nid: T-1\ntier: 4\nparent: S-1\nartifacts: [src/a.rs]\n---\n");
}

/// A plan tree that is a trap: the hook answers soon, and records where it can.
#[test]
fn plan_trees_may_be_traps() {
    type Trap = fn(&Stage);
    let traps: [(&str, Trap); 14] = [
        ("a plan", |_| {}),
        ("a pipe as active.json", |s| replaced(s, ".claude/plans/active.json", fifo)),
        ("a link as active.json", |s| replaced(s, ".claude/plans/active.json", |path| symlink(path, path).unwrap())),
        ("a folder as active.json", |s| replaced(s, ".claude/plans/active.json", |path| fs::create_dir(path).unwrap())),
        ("a deep active.json", |s| drop(s.write(".claude/plans/active.json", "{\"active\":".repeat(100_000)))),
        ("a huge active.json", |s| {
            drop(s.write(".claude/plans/active.json", format!("{{\"x\":\"{}\"}}", "y".repeat(10 << 20))));
        }),
        ("a pipe as a task", |s| replaced(s, TASK, fifo)),
        ("ten mebibytes of front matter", |s| {
            drop(s.write(TASK, format!("---\nid: T-1\n{}", "a: b\n".repeat(2 << 20))));
        }),
        ("a bomb of anchors", |s| drop(s.write(TASK, bomb()))),
        ("a deep front matter", |s| {
            drop(s.write(TASK, format!("---\nid: T-1\nartifacts: {}\n---\n", "[".repeat(50_000))));
        }),
        ("deep blocks", |s| {
            let lines: Vec<String> = (0..3000).map(|depth| " ".repeat(depth)).collect();
            drop(s.write(TASK, format!("---\nid: T-1\n{}a:\n---\n", lines.join("a:\n"))));
        }),
        ("a front matter that is no text", |s| drop(s.write(TASK, b"---\nid: \xff\xfe\n\x00---\n"))),
        ("folders that lead back", |s| {
            let tasks = s.project().join(".claude/plans/features/F-1_a/stories/S-1_b/tasks");
            symlink("..", tasks.join("T-2_loop")).unwrap();
            symlink(s.project().join(".claude/plans"), s.project().join(".claude/plans/features/F-2_loop")).unwrap();
        }),
        ("a huge log of conflicts", |s| {
            let line = "{\"conflict_id\":\"C-1\",\"participants\":[\"T-1\",\"T-2\"]}\n";
            drop(s.write(".claude/plans/conflicts.jsonl", line.repeat(200_000)));
        }),
    ];
    for (what, trap) in traps {
        let stage = Stage::new();
        plan(&stage);
        trap(&stage);
        let error = "Exit code 101\nerror[E0425]: cannot find value `tide` in this scope\n --> src/a.rs:3:5";
        let payload = failing(&stage.project(), "cargo build", error).to_string();
        let begin = Instant::now();
        stage.hook_executable(payload.as_bytes(), false);
        assert!(begin.elapsed() < SOON, "{what} took {:?}", begin.elapsed());
        let recorded = names(stage.home.path()).iter().any(|path| path.ends_with("history.jsonl"));
        assert!(recorded, "{what}: nothing was recorded");
        let output = stage.run(env!("CARGO_BIN_EXE_failwise"), &["classify"], payload.as_bytes(), false);
        assert!(matches!(output.status.code(), Some(0 | 65)), "{what}: {:?}", output.status.code());
    }
}

fn replaced(stage: &Stage, name: &str, trap: fn(&Path)) {
    let path = stage.project().join(name);
    fs::remove_file(&path).unwrap();
    trap(&path);
}

/// Nine levels of anchors, each naming the one before nine times.
fn bomb() -> String {
    let mut text = "---\nid: T-1\na0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..10 {
        let names = vec![format!("*a{}", level - 1); 9].join(", ");
        let _ = writeln!(text, "a{level}: &a{level} [{names}]");
    }
    text + "artifacts: *a9\n---\n"
}

/// Lines that no client wrote, between those that one did.
fn hostile_lines() -> Vec<Vec<u8>> {
    let mut lines: Vec<Vec<u8>> = vec![
        b"".to_vec(),
        b"{".to_vec(),
        b"null".to_vec(),
        b"[1,2]".to_vec(),
        b"\xff\xfe\x00\x01".to_vec(),
        b"{\"type\":7,\"message\":\"x\"}".to_vec(),
        b"{\"type\":\"assistant\",\"message\":{\"content\":7}}".to_vec(),
        b"{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":null}]}}".to_vec(),
        b"{\"type\":\"user\",\"type\":\"assistant\",\"message\":{}}".to_vec(),
        b"{\"type\":\"user\",\"message\":{\"content\":\"\\ud800\"}}".to_vec(),
        b"{\"v\":1,\"event\":\"execution_failed\"}".to_vec(),
        b"{\"v\":99999999999999999999,\"event\":\"x\"}".to_vec(),
        b"{\"v\":1,\"id\":\"x\",\"ts\":\"t\",\"event\":\"execution_failed\",\"node\":\"n\",\"exit_code\":99999999999}"
            .to_vec(),
        b"{\"node\":\"n\",\"event\":\"execution_failed\",\"ts\":\"9\"}".to_vec(),
    ];
    lines.push("[".repeat(100_000).into_bytes());
    lines.push(format!("{{\"type\":\"assistant\",\"message\":{}}}", "{\"message\":".repeat(50_000)).into_bytes());
    lines.push(format!("{{\"type\":\"user\",\"x\":\"{}\"}}", "y".repeat(2 << 20)).into_bytes());
    lines
}

#[test]
fn replays_survive_hostile_lines() {
    let call = json!({"type": "assistant", "sessionId": "s", "message": {"content": [
        {"type": "tool_use", "id": "a", "name": "Bash", "input": {"command": "make"}}]}});
    let end = json!({"type": "user", "sessionId": "s", "message": {"content": [
        {"type": "tool_result", "tool_use_id": "a", "is_error": true, "content": "Exit code 2\nx"}]}});
    let event = json!({"v": 1, "id": "e", "ts": "2026-03-01T08:00:00Z", "event": "execution_failed", "node": "n",
        "tool": "Bash", "phase": "call", "outcome": "failed", "operation": "make", "effect": "none",
        "reading": {"result": "unstated", "category": "unknown"}});
    for (kind, own) in [("transcript", vec![call, end]), ("history", vec![event])] {
        let stage = Stage::new();
        let mut text: Vec<u8> = Vec::new();
        for line in own.iter().map(|line| line.to_string().into_bytes()).chain(hostile_lines()) {
            text.extend(line);
            text.push(b'\n');
        }
        text.extend(b"{\"type\":\"assis");
        let path = stage.write("lines.jsonl", &text);
        for format in ["table", "jsonl"] {
            for ruleset in ["default", "classic"] {
                let arguments = ["replay", "--format", format, "--ruleset", ruleset, path.to_str().unwrap()];
                let output = stage.failwise(&arguments, b"");
                assert_eq!(output.status.code(), Some(0), "{kind}: {}", String::from_utf8_lossy(&output.stderr));
                let shown = String::from_utf8_lossy(&output.stdout);
                assert!(shown.contains("make"), "{kind} {format}: {shown}");
            }
        }
    }
}

/// Files that hold nothing of the kind end with the documented codes.
#[test]
fn files_that_cannot_be_replayed_are_told() {
    let stage = Stage::new();
    let binary = stage.write("binary", (0..=255_u8).cycle().take(100_000).collect::<Vec<u8>>());
    let empty = stage.write("empty", "");
    let missing = stage.project().join("missing");
    for (path, code) in [(binary, 65), (empty, 0), (missing, 74), (stage.project(), 65)] {
        let output = stage.failwise(&["replay", path.to_str().unwrap()], b"");
        assert_eq!(output.status.code(), Some(code), "{}: {}", path.display(), String::from_utf8_lossy(&output.stderr));
    }
    for input in [b"".as_slice(), b"{", b"\xff", b"[]", b"{\"hook_event_name\":\"Stop\"}"] {
        let output = stage.failwise(&["classify"], input);
        assert_eq!(output.status.code(), Some(65), "{}", String::from_utf8_lossy(input));
    }
    let lines =
        [b"{\n".as_slice(), b"\xff\n", &b"[".repeat(100_000), b"\n{\"tool\":\"Bash\",\"exit_code\":1}\n"].concat();
    let output = stage.failwise(&["classify", "--jsonl"], &lines);
    assert_eq!((output.status.code(), output.stdout.iter().filter(|b| **b == b'\n').count()), (Some(0), 4));
}

/// A history that other hands spoiled does not stop the next event.
#[test]
fn spoiled_histories_are_appended_to() {
    let stage = Stage::new();
    fs::create_dir_all(stage.history()).unwrap();
    let mut text: Vec<u8> = hostile_lines().join(&b'\n');
    text.extend(b"{\"v\":1,\"torn");
    fs::write(stage.history().join("history.jsonl"), &text).unwrap();
    let payload = failing(&stage.project(), "make", "Exit code 2\nx").to_string();
    let output = stage.hook_executable(payload.as_bytes(), true);
    assert!(output.stderr.is_empty());
    let after = fs::read(stage.history().join("history.jsonl")).unwrap();
    let own = String::from_utf8(after[text.len()..].to_vec()).unwrap();
    let events: Vec<Value> = own.trim().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(events[0]["event"], "execution_failed");
    fs::write(stage.history().join("history.lock"), b"\xff 99999999999999999999 x").unwrap();
    for entry in fs::read_dir(stage.history().join("state")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "json") {
            fs::write(path, "[".repeat(100_000)).unwrap();
        }
    }
    let again = payload.replace("\"t1\"", "\"t2\"");
    assert!(stage.hook_executable(again.as_bytes(), true).stderr.is_empty());
    assert!(fs::read_to_string(stage.history().join("history.lock")).is_ok());
    assert!(fs::read(stage.history().join("history.jsonl")).unwrap().len() > after.len());
}
