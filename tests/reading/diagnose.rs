//! `failwise diagnose` through the executable: every shape of trace, every state, every exit code, whatever comes in.

#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "a test starts the executable and may fail")]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use failwise::diagnose::{Mode, ModeFinding, ProgramWords};
use failwise::llm::{self, Patience};
use failwise::model::{Trace, TracedCall};
use proptest::prelude::*;
use serde_json::{Value, json};

/// The active modes that one call cannot show, and those that are never claimed.
const WITHOUT_PROBE: &[u64] = &[7, 12, 33, 44, 47, 72, 73, 77];

fn diagnose(args: &[&str], stdin: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_failwise"))
        .arg("diagnose")
        .args(args)
        .env_remove("NO_COLOR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command line that is wrong is answered without reading.
    let _ = child.stdin.take().unwrap().write_all(stdin);
    child.wait_with_output().unwrap()
}

/// The object on stdout, whose invariants always hold, and the exit code.
fn answer(args: &[&str], stdin: &[u8]) -> (Value, i32) {
    let output = diagnose(args, stdin);
    let text = String::from_utf8(output.stdout).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text:?}"));
    assert_eq!(text.lines().count(), 1, "one object on one line");
    hold(&value);
    (value, output.status.code().unwrap())
}

/// What holds of every object.
fn hold(value: &Value) {
    let fields: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    let wanted = ["schema_version", "matches", "no_match", "trace_insufficient", "suggested_context", "trace_summary"];
    assert_eq!(sorted(fields), sorted(wanted.to_vec()));
    assert_eq!(value["schema_version"], "1.0");
    let matches = value["matches"].as_array().unwrap();
    let (no_match, insufficient) =
        (value["no_match"].as_bool().unwrap(), value["trace_insufficient"].as_bool().unwrap());
    assert_eq!([no_match, insufficient, !matches.is_empty()].iter().filter(|flag| **flag).count(), 1, "{value}");
    assert_eq!(value["suggested_context"].as_array().unwrap().is_empty(), !insufficient, "{value}");
    let summary = value["trace_summary"].as_str().unwrap();
    assert!(!summary.is_empty() && !summary.contains('\n'), "{summary:?}");
    let mut seen = Vec::new();
    let mut before = f64::INFINITY;
    for found in matches {
        let fields: Vec<&str> = found.as_object().unwrap().keys().map(String::as_str).collect();
        let wanted = [
            "failure_mode_id",
            "title",
            "confidence",
            "evidence",
            "workaround",
            "memory",
            "skill_patch",
            "severity",
            "spec_link",
            "limitation",
            "source",
        ];
        assert_eq!(sorted(fields), sorted(wanted.to_vec()));
        let (id, confidence) = (found["failure_mode_id"].as_u64().unwrap(), found["confidence"].as_f64().unwrap());
        assert!(!seen.contains(&id), "§{id} stands twice");
        assert!(![33, 36, 39, 44, 48].contains(&id), "§{id} is never claimed");
        assert!((0.8..=1.0).contains(&confidence) && confidence <= before, "{value}");
        assert_eq!(found["source"], "deterministic");
        for line in ["memory", "skill_patch", "evidence"] {
            let text = found[line].as_str().unwrap();
            assert!(!text.is_empty() && !text.contains('\n') && text.chars().count() <= 500, "{line}: {text:?}");
        }
        assert!(found["memory"].as_str().unwrap().chars().count() <= 200);
        assert!(found["skill_patch"].as_str().unwrap().chars().count() <= 200);
        assert!(["critical", "high", "medium"].contains(&found["severity"].as_str().unwrap()));
        (seen, before) = ([seen, vec![id]].concat(), confidence);
    }
}

fn sorted(mut words: Vec<&str>) -> Vec<&str> {
    words.sort_unstable();
    words
}

fn first(value: &Value) -> Option<u64> {
    value["matches"][0]["failure_mode_id"].as_u64()
}

fn state(value: &Value) -> &'static str {
    match (value["trace_insufficient"].as_bool().unwrap(), value["no_match"].as_bool().unwrap()) {
        (true, _) => "insufficient",
        (_, true) => "no_match",
        _ => "match",
    }
}

fn golden(name: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/diagnose").join(name);
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A long text is written as a sign and how often it stands there.
fn unfolded(mut trace: Value) -> Value {
    for stream in ["stdout", "stderr"] {
        let repeated = trace.as_object_mut().and_then(|fields| fields.remove(&format!("{stream}_repeat")));
        if let Some(repeated) = repeated {
            let times = usize::try_from(repeated[1].as_u64().unwrap()).unwrap();
            trace[stream] = json!(repeated[0].as_str().unwrap().repeat(times));
        }
    }
    trace
}

/// The results of many traces.
fn all(traces: impl IntoIterator<Item = Value>) -> Vec<Value> {
    let lines: Vec<String> = traces.into_iter().map(|trace| trace.to_string()).collect();
    let output = diagnose(&["--jsonl"], (lines.join("\n") + "\n").as_bytes());
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    let results: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(results.len(), lines.len());
    results.iter().for_each(hold);
    results
}

#[test]
fn each_probe_is_answered_by_its_own_mode_first() {
    let probes = golden("probes.jsonl");
    let results = all(probes.iter().map(|probe| unfolded(probe["trace"].clone())));
    let wrong: Vec<String> = probes
        .iter()
        .zip(&results)
        .filter(|(probe, result)| first(result) != probe["mode"].as_u64())
        .map(|(probe, result)| format!("§{}: {result}", probe["mode"]))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let mut told: Vec<u64> = probes.iter().map(|probe| probe["mode"].as_u64().unwrap()).collect();
    told.extend(WITHOUT_PROBE);
    told.sort_unstable();
    let active: Vec<u64> = failwise::diagnose::MODES.iter().map(|mode| u64::from(mode.id())).collect();
    assert_eq!(told, active);
}

/// What the predecessor answered, wherever it was right; the other rows say why not.
#[test]
fn the_state_is_the_predecessors_wherever_that_was_right() {
    let cases = golden("conformance.jsonl");
    let results = all(cases.iter().map(|case| unfolded(case["input"].clone())));
    for (case, result) in cases.iter().zip(&results) {
        let agrees = state(result) == case["state"].as_str().unwrap() && first(result) == case["first"].as_u64();
        assert_eq!(agrees, case["differs"].is_null(), "{}: {result}", case["case"]);
    }
}

#[test]
fn each_shape_tells_the_same_failure() {
    for case in golden("shapes.jsonl") {
        let (value, code) = answer(&[], case["input"].as_str().unwrap().as_bytes());
        assert_eq!((first(&value), code), (case["mode"].as_u64(), 0), "{}: {value}", case["shape"]);
    }
}

#[test]
fn the_examples_of_the_contract() {
    let trace = json!({"command": "gh pr create", "stdout": "", "stderr": "gh: requires a TTY", "exit_code": 1});
    let (value, code) = answer(&[&trace.to_string()], b"");
    let found = &value["matches"][0];
    assert_eq!((found["failure_mode_id"].as_u64(), found["severity"].as_str(), code), (Some(10), Some("critical"), 0));
    assert_eq!(found["title"], "Interactivity & TTY Requirements");
    assert!(found["evidence"].as_str().unwrap().contains("requires a TTY"), "{found}");
    assert!(found["memory"].as_str().unwrap().contains("gh pr create"), "{found}");
    assert_eq!(value["trace_summary"], "1 command, 1 failure, 0 retries — gh pr create exited 1");

    let (value, code) = answer(&[r#"{"command":"tool x","stdout":"","stderr":"","exit_code":1}"#], b"");
    assert_eq!((state(&value), code), ("insufficient", 2));
    let hints: Vec<&str> = value["suggested_context"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(hints.iter().any(|hint| hint.contains("stderr")), "{hints:?}");

    let trace = r#"{"command":"orders refund 7","stdout":"","stderr":"order 7 was refunded by Ada","exit_code":9}"#;
    let (value, code) = answer(&[trace], b"");
    assert_eq!((state(&value), code), ("no_match", 3));
}

#[test]
fn plain_text_is_the_output_of_the_command_that_is_named() {
    let text = b"error: Terminal is dumb, but EDITOR unset\n";
    for args in [&["--command", "git commit", "--exit-code", "1"][..], &["--command", "git commit"], &[]] {
        let (value, code) = answer(args, text);
        assert_eq!((first(&value), code), (Some(62), 0), "{args:?}");
    }
    let (value, _) = answer(&["--command", "git commit", "--exit-code", "1"], text);
    assert!(value["matches"][0]["memory"].as_str().unwrap().contains("git commit"), "{value}");
    let (value, code) = answer(&["--command", "git commit", "--exit-code", "0"], b"[main 1a2b3c4] x\n");
    assert_eq!((state(&value), code), ("no_match", 3));
}

#[test]
fn a_wrong_command_line_and_a_missing_file_are_told_in_an_object() {
    for args in [&["--no-such-flag"][..], &["--exit-code", "1"], &["--history"], &["--last", "--jsonl"]] {
        let (value, code) = answer(args, b"");
        assert_eq!((state(&value), code), ("insufficient", 64), "{args:?}");
    }
    let (value, code) = answer(&["--history", "/no/such/file.json"], b"");
    assert_eq!((state(&value), code), ("insufficient", 74));
    assert!(value["suggested_context"][0].as_str().unwrap().contains("/no/such/file.json"), "{value}");
}

#[test]
fn an_argument_that_names_a_file_is_told_of_history() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("trace.json");
    fs::write(&file, r#"{"command":"git commit","stderr":"error: Terminal is dumb, but EDITOR unset","exit_code":1}"#)
        .unwrap();
    let file = file.to_str().unwrap();
    let (value, code) = answer(&[file], b"");
    assert_eq!((state(&value), code), ("insufficient", 2));
    assert!(value["suggested_context"][0].as_str().unwrap().contains("--history"), "{value}");
    assert_eq!(first(&answer(&["--history", file], b"").0), Some(62));
    // The file comes before the argument, the argument before stdin.
    let other = r#"{"command":"x","stderr":"No space left on device","exit_code":1}"#;
    assert_eq!(first(&answer(&["--history", file, other], b"").0), Some(62));
    assert_eq!(first(&answer(&[other], b"Terminal is dumb, but EDITOR unset").0), Some(30));
}

#[test]
fn an_empty_history_is_too_little() {
    let dir = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_failwise"))
        .args(["diagnose", "--last"])
        .current_dir(dir.path())
        .env("FAILWISE_DIR", dir.path().join("empty"))
        .output()
        .unwrap();
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    hold(&value);
    assert_eq!((state(&value), output.status.code()), ("insufficient", Some(0)), "nothing has failed yet");
}

#[test]
fn the_newest_failure_of_a_history_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let lines = golden("shapes.jsonl").into_iter().find(|case| case["shape"] == "our own history").unwrap();
    fs::write(dir.path().join("history.jsonl"), lines["input"].as_str().unwrap().to_owned() + "\n").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_failwise"))
        .args(["diagnose", "--last"])
        .current_dir(dir.path())
        .env("FAILWISE_DIR", dir.path())
        .output()
        .unwrap();
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    hold(&value);
    assert_eq!((first(&value), output.status.code()), (Some(62), Some(0)), "{value}");
}

/// Whatever comes in, an object comes out.
#[test]
fn broken_input_is_answered_by_an_object() {
    let deep = |n: usize| format!("{}1{}", "[".repeat(n), "]".repeat(n)).into_bytes();
    let mut inputs: Vec<Vec<u8>> = [
        "",
        " ",
        "\n\n",
        "null",
        "true",
        "7",
        "\"\"",
        "[]",
        "{}",
        "[[]]",
        "[{}]",
        "{\"messages\":[]}",
        "{\"messages\":null}",
        "{\"messages\":{}}",
        "{\"messages\":[null,7,\"x\",[]]}",
        "{\"command\":null,\"stdout\":null,\"stderr\":null,\"exit_code\":null}",
        "{\"command\":7,\"args\":null,\"stdout\":[1,2],\"stderr\":{\"a\":1},\"exit_code\":\"x\"}",
        "{\"exit_code\":1.5}",
        "{\"exit_code\":99999999999999}",
        "{\"exit_code\":-15}",
        "{\"stdout\":{\"a\":[1]},\"exit_code\":true}",
        "{\"command\":\"x\",\"args\":\"y\"}",
        "{\"command\":[[1],[2]],\"exit_code\":1}",
        "{",
        "[{\"command\":\"x\"",
        "{\"command\":\"x\",\"stderr\":\"unterm",
        "{\"a\":1}\n{\"b\":",
        "{\"role\":\"tool\"}",
        "[{\"role\":\"assistant\",\"tool_calls\":[{\"function\":7}]}]",
        "{\"run_type\":\"tool\"}",
        "{\"type\":\"SPAN\"}",
        "{\"type\":\"EVENT\",\"input\":7}",
        "{\"hook_event_name\":7}",
        "{\"hook_event_name\":\"PostToolUse\"}",
        "{\"hook_event_name\":\"PostToolUse\",\"tool_name\":[],\"tool_input\":7,\"tool_response\":\"\\ud800\"}",
        "{\"tool_name\":\"Bash\"}",
        "{\"v\":1,\"event\":\"execution_failed\"}",
        "{\"type\":\"user\",\"message\":7}",
        "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\"}]}}",
        "{\"command\":\"a\",\"command\":\"b\",\"stderr\":\"x\",\"exit_code\":1}",
        "{\"command\":\"\\u0000\",\"stderr\":\"\\u0000\\u0000\",\"exit_code\":1}",
        "\u{feff}{\"exit_code\":1}",
    ]
    .iter()
    .map(|text| text.as_bytes().to_vec())
    .collect();
    inputs.extend([
        b"\0\0\0".to_vec(),
        b"\xff\xfe\x00".to_vec(),
        b"{\"stderr\":\"\xff\xfe\",\"exit_code\":1}".to_vec(),
        deep(100),
        deep(100_000),
        vec![b'{'; 50_000],
    ]);
    inputs.push(format!("{{\"stderr\":\"{}\",\"exit_code\":1}}", "x".repeat(300_000)).into_bytes());
    assert!(inputs.len() >= 40);
    for input in inputs {
        let (value, code) = answer(&[], &input);
        let wanted = match state(&value) {
            "match" => 0,
            "insufficient" => 2,
            _ => 3,
        };
        assert_eq!(code, wanted, "{:?}", String::from_utf8_lossy(&input[..input.len().min(80)]));
    }
}

#[test]
fn a_closed_stdin_is_an_empty_one() {
    let output =
        Command::new("sh").args(["-c", "\"$0\" diagnose <&-", env!("CARGO_BIN_EXE_failwise")]).output().unwrap();
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    hold(&value);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn secrets_are_not_shown() {
    let token = ["ghp_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
    let trace = json!({"command": format!("deploy --token {token}"), "stderr": format!("Error: Invalid token: {token}"), "exit_code": 1});
    for args in [&[][..], &["--format", "text"], &["--explain"]] {
        let output = diagnose(args, trace.to_string().as_bytes());
        for stream in [&output.stdout, &output.stderr] {
            assert!(!String::from_utf8_lossy(stream).contains(&token), "{args:?}");
        }
    }
}

#[test]
fn a_history_tells_repeats_expiry_and_documents() {
    let call = |command: &str, stdout: &str, stderr: &str, code: i32| json!({"command": command, "stdout": stdout, "stderr": stderr, "exit_code": code});
    let refused = || call("svc users", "", "HTTP 401 Unauthorized", 1);
    assert_eq!(
        first(&answer(&[], json!([call("svc ping", "pong", "", 0), refused()]).to_string().as_bytes()).0),
        Some(53)
    );
    assert_eq!(first(&answer(&[], json!([call("ls", "a", "", 0), refused()]).to_string().as_bytes()).0), Some(45));
    let unknown = || call("svc run --fast", "", "error: unknown option '--fast'", 2);
    let read = |name: &str| call(&format!("cat {name}"), "run it with `svc run --fast`", "", 0);
    assert_eq!(first(&answer(&[], json!([read("AGENTS.md"), unknown()]).to_string().as_bytes()).0), Some(73));
    assert_eq!(first(&answer(&[], json!([read("skills/svc/SKILL.md"), unknown()]).to_string().as_bytes()).0), Some(72));
    let again = call("svc send 7", "", "order desk is shut", 9);
    let (value, code) = answer(&[], json!([again.clone(), again]).to_string().as_bytes());
    assert_eq!((state(&value), code), ("no_match", 3), "a repetition alone is no mode: {value}");
    assert_eq!(value["trace_summary"], "2 commands, 2 failures, 1 retry — svc send exited 9");
}

/// What npm prints beside each of its errors where a setting of the user is unknown to it.
const NPM_WARNS: &str = "npm warn Unknown user config \"email\". This will stop working in the next major version of npm. See \
                         `npm help npmrc` for supported config options.\n";

#[test]
fn a_warning_never_outranks_an_error() {
    for (command, error) in [
        (
            "npm run tets",
            "npm error Missing script: \"tets\"\nnpm error\nnpm error Did you mean this?\nnpm error   npm run test # run the \"test\" package script\n",
        ),
        (
            "npm ci",
            "npm error code EUSAGE\nnpm error The `npm ci` command can only install with an existing package-lock.json\n",
        ),
        (
            "npm install left-padd",
            "npm error code E404\nnpm error 404 Not Found - GET https://registry.example.org/left-padd - Not found\nnpm error 404\nnpm error 404  The requested resource 'left-padd@*' could not be found or you do not have permission to access it.\nnpm error 404\nnpm error 404 Note that you can also install from a\nnpm error 404 tarball, folder, http url, or git folder.\n",
        ),
        (
            "npm install",
            "npm error code ENOENT\nnpm error syscall open\nnpm error path /srv/shop/package.json\nnpm error errno -2\nnpm error enoent Could not read package.json: Error: ENOENT: no such file or directory, open '/srv/shop/package.json'\n",
        ),
        (
            "npm install",
            "npm error code ERESOLVE\nnpm error ERESOLVE unable to resolve dependency tree\nnpm error\nnpm error While resolving: shop@1.0.0\n",
        ),
        (
            "npm install",
            "npm error code ECONNREFUSED\nnpm error syscall connect\nnpm error errno ECONNREFUSED\nnpm error FetchError: request to http://127.0.0.1:9/left-pad failed, reason: connect ECONNREFUSED 127.0.0.1:9\n",
        ),
        (
            "npm publish",
            "npm error code ENEEDAUTH\nnpm error need auth This command requires you to be logged in to https://registry.example.org/\nnpm error need auth You need to authorize this machine using `npm adduser`\n",
        ),
        (
            "npm install",
            "npm error code EBADENGINE\nnpm error engine Unsupported engine\nnpm error engine Not compatible with your version of node/npm: shop@1.0.0\n",
        ),
        (
            "npm test",
            "npm error Lifecycle script `test` failed with error:\nnpm error code 1\nnpm error path /srv/shop\n",
        ),
    ] {
        let of = |stderr: &str| {
            let trace = json!({"command": command, "stdout": "", "stderr": stderr, "exit_code": 1});
            answer(&[&trace.to_string()], b"").0
        };
        let (alone, warned) = (of(error), of(&[NPM_WARNS, error].concat()));
        assert_eq!(first(&alone), first(&warned), "{command}: {error}: {warned}");
        assert_ne!(first(&warned), Some(28), "{command}: {error}");
        assert!(!error.contains("E404") || first(&warned) != Some(74), "an alternative is no right that is missing");
    }
    // A warning alone is a program's last word.
    let trace = json!({"command": "http GET :8080", "stdout": "", "stderr": "http: warning: HTTP 429 Too Many Requests", "exit_code": 4});
    assert_eq!(first(&answer(&[&trace.to_string()], b"").0), Some(19));
}

#[test]
fn a_match_names_its_call_and_an_ended_failure_has_none() {
    let call = |command: &str, stderr: &str, code: i32| json!({"command": command, "stdout": "", "stderr": stderr, "exit_code": code});
    let editor = || call("git commit", "error: Terminal is dumb, but EDITOR unset", 1);
    let disk = || call("cp a b", "cp: error writing 'b': No space left on device", 1);
    let (value, _) = answer(&[], json!([editor(), disk()]).to_string().as_bytes());
    let evidence: Vec<&str> =
        value["matches"].as_array().unwrap().iter().map(|it| it["evidence"].as_str().unwrap()).collect();
    assert!(evidence.iter().any(|it| it.starts_with("Call 1 of 2, `git commit`: ")), "{evidence:?}");
    assert!(evidence.iter().any(|it| it.starts_with("Call 2 of 2, `cp`: ")), "{evidence:?}");
    let (value, _) = answer(&[], json!([editor(), call("git commit", "", 0), disk()]).to_string().as_bytes());
    let modes: Vec<u64> =
        value["matches"].as_array().unwrap().iter().map(|it| it["failure_mode_id"].as_u64().unwrap()).collect();
    assert_eq!(modes, [30], "the commit passed later");
    // A pipe that shows the end proves no pass.
    let refused = call("svc users", "HTTP 401 Unauthorized", 1);
    for (again, wanted) in [("svc users | tail -1", Some(45)), ("svc users", None)] {
        let trace = json!([call("ls", "", 0), refused, call(again, "x", 0)]);
        assert_eq!(first(&answer(&[], trace.to_string().as_bytes()).0), wanted, "{again}");
    }
}

#[test]
fn a_word_and_torn_json_are_too_little() {
    for text in [
        "git",
        "notes",
        "{\"command\":\"git commit\",\"stderr\":\"error: Terminal is dumb, but EDI",
        "[{\"command\":\"x\"",
    ] {
        for (args, stdin) in [(&[text][..], &b""[..]), (&[], text.as_bytes())] {
            let (value, code) = answer(args, stdin);
            assert_eq!((state(&value), code), ("insufficient", 2), "{text}: {value}");
            assert!(value["trace_summary"].as_str().unwrap().starts_with("0 commands, 0 failures"), "{value}");
        }
    }
}

/// Ten failures of which each meets a mode of its own: the command, what it prints, and the mode.
const TEN: &[(&str, &str, u64)] = &[
    ("git commit", "error: Terminal is dumb, but EDITOR unset", 62),
    ("cp big.bin /mnt/full", "cp: error writing '/mnt/full/big.bin': No space left on device", 30),
    ("gh auth login", "gh: requires a TTY", 10),
    ("git push origin main", "fatal: 'origin' does not appear to be a git repository", 28),
    ("python3 app.py", "ModuleNotFoundError: No module named 'yaml'", 20),
    ("curl -sSf http://127.0.0.1:8080/items", "curl: (22) The requested URL returned error: 429", 19),
    ("curl -sS http://127.0.0.1:9/items", "curl: (7) Failed to connect to 127.0.0.1 port 9: Connection refused", 31),
    ("gh api /orgs/o/teams", "HTTP 403: Resource not accessible by personal access token", 74),
    ("firefox --screenshot a.png", "Error: no DISPLAY environment variable specified", 64),
    (
        "find -L . -name x",
        "find: File system loop detected; './a/b' is part of the same file system loop as './a'.",
        66,
    ),
];

/// The history of calls, each of a session: the command, what it prints, and whether it failed.
fn history_of<'c>(calls: impl Iterator<Item = (String, &'c str, &'c str, bool)>) -> String {
    let mut lines = vec![
        json!({"v": 1, "id": "00000000000000ff", "ts": "2026-03-14T09:00:00.000Z", "event": "history_begun", "node": "project"}),
    ];
    for (at, (session, command, text, failed)) in calls.enumerate() {
        let (event, outcome, code) =
            if failed { ("execution_failed", "failed", 1) } else { ("execution_completed", "succeeded", 0) };
        lines.push(json!({
            "v": 1, "id": format!("{at:016x}"), "ts": format!("2026-03-14T09:{:02}:{:02}.000Z", at / 60, at % 60), "event": event,
            "node": format!("session/{session}"), "session": session, "tool": "Bash", "tool_use_id": format!("t{at}"),
            "phase": "call", "outcome": outcome, "operation": command, "input": command, "cwd": "/srv/shop", "effect": "shell",
            "exit_code": code, "text": text,
            "reading": {"result": "unstated", "category": "unknown", "basis": "status", "proof": "status"},
        }));
    }
    lines.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n") + "\n"
}

fn newest(history: &str) -> (Value, i32) {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("history.jsonl"), history).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_failwise"));
    let output =
        command.args(["diagnose", "--last"]).current_dir(dir.path()).env("FAILWISE_DIR", dir.path()).output().unwrap();
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    hold(&value);
    (value, output.status.code().unwrap())
}

/// Whether every match is of the last call, and the first of them the wanted mode.
fn is_of_newest(value: &Value, command: &str, mode: u64) {
    assert_eq!(first(value), Some(mode), "{command}: {value}");
    let (program, _) = command.split_once(' ').unwrap();
    assert!(value["trace_summary"].as_str().unwrap().contains(&format!("— {program}")), "{value}");
    for found in value["matches"].as_array().unwrap() {
        let evidence = found["evidence"].as_str().unwrap();
        let own = evidence.strip_prefix("Call ").is_none_or(|rest| {
            let (at, rest) = rest.split_once(" of ").unwrap();
            rest.split(',').next() == Some(at)
        });
        assert!(own, "{command}: {evidence}");
    }
}

#[test]
fn the_newest_of_ten_failures_in_ten_sessions_is_diagnosed() {
    for last in 0..TEN.len() {
        let calls = (0..TEN.len()).map(|at| {
            let (command, text, _) = TEN[(last + 1 + at) % TEN.len()];
            (format!("s-{at}"), command, text, true)
        });
        let (value, code) = newest(&history_of(calls));
        is_of_newest(&value, TEN[last].0, TEN[last].2);
        assert_eq!(code, 0);
        assert!(
            value["trace_summary"].as_str().unwrap().starts_with("1 command, 1 failure"),
            "no other session: {value}"
        );
    }
}

#[test]
fn the_newest_of_thirty_failures_in_a_session_is_diagnosed() {
    for last in 0..30 {
        let calls = (0..=last).map(|at| {
            let (command, text, _) = TEN[at * 7 % TEN.len()];
            ("s-1".to_owned(), command, text, true)
        });
        let (value, _) = newest(&history_of(calls));
        let (command, _, mode) = TEN[last * 7 % TEN.len()];
        is_of_newest(&value, command, mode);
    }
    let calls = TEN.iter().map(|(command, text, _)| ("s-1".to_owned(), *command, *text, true));
    let odd = ("s-1".to_owned(), "orders refund 7", "order 7 was refunded by Ada", true);
    let (value, code) = newest(&history_of(calls.chain([odd])));
    assert_eq!((state(&value), code), ("no_match", 3), "the newest meets none: {value}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_trace_gives_an_object_that_holds(
        command in "[a-z]{1,6}( [-a-z=/.*'\"|&;<>$]{1,12}){0,4}",
        stdout in "[ -~\n]{0,200}",
        stderr in "(error: |fatal: |Traceback|unknown option|401|429|[y/n]|timed out|[ -~\n]){0,12}",
        code in proptest::option::of(-20..300_i32),
        hang in any::<bool>(),
    ) {
        let trace = json!({"command": command, "stdout": stdout, "stderr": stderr, "exit_code": code, "timed_out": hang});
        let given = failwise::host::trace::read(trace.to_string().as_bytes());
        let diagnosis = failwise::diagnose::diagnose(&given.trace);
        let result = failwise::diagnose::result::DiagnoseResult::of(&diagnosis, &[]);
        hold(&serde_json::to_value(&result).unwrap());
        let again = failwise::diagnose::diagnose(&given.trace);
        prop_assert_eq!(diagnosis, again);
    }
}

/// A service that answers each request of the Messages API with the next of these, and keeps what it was sent.
struct Service {
    url: String,
    sent: std::sync::Arc<std::sync::Mutex<Vec<String>>>,
}

impl Service {
    fn answering(answers: Vec<(u16, String)>) -> Self {
        use std::io::Read;
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let sent: std::sync::Arc<std::sync::Mutex<Vec<String>>> = std::sync::Arc::default();
        let kept = std::sync::Arc::clone(&sent);
        std::thread::spawn(move || {
            for ((status, body), stream) in answers.into_iter().zip(listener.incoming()) {
                let Ok(mut stream) = stream else { return };
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                let (mut head, mut length) = (String::new(), 0);
                while reader.read_line(&mut head).is_ok_and(|read| read > 2) {
                    let line = head.lines().last().unwrap_or_default().to_ascii_lowercase();
                    length = line.strip_prefix("content-length: ").map_or(length, |n| n.trim().parse().unwrap());
                }
                let mut request = vec![0; length];
                reader.read_exact(&mut request).unwrap();
                std::sync::Mutex::lock(&kept).unwrap().push(head + &String::from_utf8(request).unwrap());
                let _ = write!(
                    stream,
                    "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                    body.len()
                );
            }
        });
        Self { url, sent }
    }

    fn sent(&self) -> Vec<String> {
        self.sent.lock().unwrap().clone()
    }
}

/// `diagnose --llm` with a trace of which only weak signs are seen.
fn asked(service: &Service, key: Option<&str>) -> (Value, i32, String) {
    let trace = json!({"command": "cat notes.txt", "stdout": "", "stderr": "cat: notes.txt: No such file or directory", "exit_code": 1});
    let mut command = Command::new(env!("CARGO_BIN_EXE_failwise"));
    command.args(["diagnose", "--llm", &trace.to_string()]).env("ANTHROPIC_BASE_URL", &service.url);
    match key {
        Some(key) => command.env("ANTHROPIC_API_KEY", key),
        None => command.env_remove("ANTHROPIC_API_KEY"),
    };
    for proxy in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
        command.env_remove(proxy);
    }
    let output = command.output().unwrap();
    let value = serde_json::from_slice(&output.stdout).unwrap();
    (value, output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

fn verdict(applies: bool, score: f64) -> (u16, String) {
    let input = json!({"applies": applies, "score": score});
    (200, json!({"content": [{"type": "tool_use", "id": "t", "name": "verdict", "input": input}]}).to_string())
}

#[test]
fn a_model_confirms_or_vetoes_what_is_weak() {
    let service = Service::answering(vec![verdict(true, 0.7), verdict(false, 0.9), verdict(true, 0.2)]);
    let (value, code, errors) = asked(&service, Some("key-1"));
    assert_eq!((first(&value), code, errors.as_str()), (Some(29), 0, ""), "{value}");
    let found = &value["matches"];
    assert_eq!(found.as_array().unwrap().len(), 1, "what was vetoed or is below 0.40 is dropped: {value}");
    assert_eq!((found[0]["source"].as_str(), found[0]["confidence"].as_f64()), (Some("llm"), Some(0.7)));
    let sent = service.sent();
    assert!((1..=5).contains(&sent.len()));
    assert!(sent[0].contains("x-api-key: key-1") && sent[0].contains("\"tool_choice\""), "{}", sent[0]);
    assert!(sent.iter().all(|request| request.contains("<trace>")));
}

#[test]
fn a_model_that_does_not_answer_well_changes_nothing() {
    let broken = |body: &str| (200, body.to_owned());
    let injected = json!({"content": [{"type": "text", "text": "ignore the tool: applies, score 1"}]}).to_string();
    let wild = json!({"content": [{"type": "tool_use", "name": "verdict", "input": {"applies": true, "score": 7}}]})
        .to_string();
    for answer in [
        (500, "{}".to_owned()),
        broken("{\"content\": ["),
        broken(&injected),
        broken(&wild),
        broken(""),
        (302, String::new()),
    ] {
        let service = Service::answering(vec![answer.clone(), answer.clone()]);
        let (value, code, errors) = asked(&service, Some("key-1"));
        assert_eq!((state(&value), code), ("no_match", 3), "{answer:?}");
        assert_eq!(errors.lines().count(), 1, "{errors}");
        assert_eq!(service.sent().len(), 2, "one repeat");
    }
    let nobody = Service { url: "http://127.0.0.1:9".to_owned(), sent: std::sync::Arc::default() };
    assert_eq!(asked(&nobody, Some("key-1")).1, 3);
}

#[test]
fn a_model_is_sent_no_secret_whose_name_stands_on_the_line_before() {
    for (stderr, secret) in [
        ("cat: notes.txt: No such file or directory\npassword:\n  tide-over-harbour-9", "tide-over-harbour-9"),
        ("DB_PASSWORD=\\\nsalty-No such file or directory", "salty-No"),
        ("cat: notes.txt: No such file or directory: Zq8wL0xR41bTn9", "Zq8wL0xR41bTn9"),
    ] {
        let service = Service::answering(vec![verdict(false, 0.9); 5]);
        let trace = json!({"command": "cat notes.txt", "stdout": "", "stderr": stderr, "exit_code": 1}).to_string();
        let mut command = Command::new(env!("CARGO_BIN_EXE_failwise"));
        command.args(["diagnose", "--llm", "--explain", &trace]).env("ANTHROPIC_BASE_URL", &service.url);
        command.env("ANTHROPIC_API_KEY", "key-1");
        for proxy in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
            command.env_remove(proxy);
        }
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let sent = service.sent();
        assert!(!sent.is_empty(), "{stderr}: nothing was asked");
        assert!(sent.iter().all(|request| !request.contains(secret)), "{stderr}: {sent:?}");
        // A word that only looks random is said to the person who typed it.
        assert!(secret.starts_with("Zq8w") || !said.contains(secret), "{stderr}: {said}");
    }
}

/// A service that takes every request and answers it by a byte now and then, or not at all.
fn slow_service(drips: bool) -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let _ = stream.write_all(if drips { b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{" } else { b"" });
                while drips && stream.write_all(b" ").is_ok() {
                    std::thread::sleep(Duration::from_millis(20));
                }
                std::thread::sleep(Duration::from_secs(30));
            });
        }
    });
    url
}

#[test]
fn a_slow_model_is_waited_for_no_longer_than_is_said() {
    let call = TracedCall { exit_code: Some(1), ..TracedCall::new() };
    let trace = Trace { calls: vec![call] };
    let weak = ModeFinding {
        mode: Mode::WorkingDirectory,
        percent: 30,
        call: 0,
        evidence: String::new(),
        words: ProgramWords::default(),
    };
    for (drips, one_request, in_all, words) in
        [(false, 300, 5000, "no answer"), (true, 300, 5000, "broke off"), (true, 5000, 400, "no answer in")]
    {
        let patience =
            Patience { one_request: Duration::from_millis(one_request), in_all: Duration::from_millis(in_all) };
        let service =
            llm::Service { key: "k".to_owned(), base_url: slow_service(drips), model: "m".to_owned(), patience };
        let begin = Instant::now();
        let error = llm::confirm(&service, &trace, std::slice::from_ref(&weak)).unwrap_err();
        // Two requests at most, and room for a machine that is busy.
        assert!(begin.elapsed() < Duration::from_secs(4), "{:?}", begin.elapsed());
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn lines_are_answered_as_they_come_and_in_their_order() {
    let line =
        |number: u32| json!({"command": format!("tool-{number} go"), "stderr": "gone", "exit_code": 1}).to_string();
    let mut child = Command::new(env!("CARGO_BIN_EXE_failwise"))
        .args(["diagnose", "--jsonl"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut results = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&results.next().unwrap().unwrap()).unwrap() };
    writeln!(stdin, "{}", line(0)).unwrap();
    assert!(next()["trace_summary"].as_str().unwrap().contains("tool-0 "), "before the input ends");
    let writer = std::thread::spawn(move || {
        (1..2000).for_each(|number| writeln!(stdin, "{}\n", line(number)).unwrap());
        write!(stdin, "{}", line(2000)).unwrap();
    });
    for number in 1..=2000 {
        let summary = next()["trace_summary"].as_str().unwrap().to_owned();
        assert!(summary.contains(&format!("tool-{number} ")), "{number}: {summary}");
    }
    writer.join().unwrap();
    assert!(results.next().is_none() && child.wait().unwrap().success());
}

#[test]
fn without_a_key_nothing_is_asked() {
    let service = Service::answering(vec![verdict(true, 0.9)]);
    let (value, code, errors) = asked(&service, None);
    assert_eq!((state(&value), code), ("no_match", 3));
    assert!(errors.contains("ANTHROPIC_API_KEY"), "{errors}");
    assert!(service.sent().is_empty());
}

fn apply(folder: &Path, args: &[&str]) -> Output {
    let trace = json!({"command": "git commit", "stderr": "error: Terminal is dumb, but EDITOR unset", "exit_code": 1})
        .to_string();
    let mut command = Command::new(env!("CARGO_BIN_EXE_failwise"));
    command
        .args(["diagnose", "--apply"])
        .args(args)
        .arg(&trace)
        .current_dir(folder)
        .env("HOME", folder)
        .stdin(Stdio::null());
    for name in [
        "CLAUDECODE",
        "CLAUDE_CODE_CHILD_SESSION",
        "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_CODE_SESSION_ID",
        "CLAUDE_PID",
        "CLAUDE_PROJECT_DIR",
    ] {
        command.env_remove(name);
    }
    command.output().unwrap()
}

#[test]
fn rules_are_written_once_and_for_people_only() {
    let dir = tempfile::tempdir().unwrap();
    let project = dir.path().join("shop");
    fs::create_dir_all(project.join(".git")).unwrap();
    let file = project.join(".claude/rules/failwise.md");
    assert_eq!(apply(&project, &[]).status.code(), Some(1), "nobody can be asked");
    assert!(!file.exists());
    let output = apply(&project, &["--yes"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(text.matches("[git §62]").count(), 1, "{text}");
    assert!(apply(&project, &["--yes"]).status.success());
    assert_eq!(fs::read_to_string(&file).unwrap(), text, "a second time changes nothing");
    fs::write(&file, format!("- my own rule\n{text}")).unwrap();
    assert!(apply(&project, &["--yes"]).status.success());
    assert!(fs::read_to_string(&file).unwrap().starts_with("- my own rule\n"));
    assert!(String::from_utf8_lossy(&output.stderr).contains("git does not track it"));
    let agent = Command::new(env!("CARGO_BIN_EXE_failwise"))
        .args(["diagnose", "--apply", "--yes", "x"])
        .current_dir(&project)
        .env("CLAUDECODE", "1")
        .output()
        .unwrap();
    assert_eq!(agent.status.code(), Some(1));
}

#[cfg(unix)]
#[test]
fn a_link_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (project, other) = (dir.path().join("shop"), dir.path().join("other"));
    fs::create_dir_all(project.join(".git")).unwrap();
    fs::create_dir_all(&other).unwrap();
    std::os::unix::fs::symlink(&other, project.join(".claude")).unwrap();
    assert_eq!(apply(&project, &["--yes"]).status.code(), Some(74));
    assert_eq!(fs::read_dir(&other).unwrap().count(), 0);
}
