//! A machine with one project, runs of its tests in the base, and a client that speaks the protocol line by line.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use failwise::place::project_name;
use failwise::store::Base;
use failwise::test_runs::{CaseStatus, RunSource, TestCase, TestRun};
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) struct World {
    home: TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(home.path().join("shop/.git")).unwrap();
        std::fs::create_dir_all(home.path().join("shop/src")).unwrap();
        Self { home }
    }

    /// A world with the run `run-1` of several cases.
    pub(crate) fn with_run() -> Self {
        let world = Self::new();
        world.put("run-1", 1_790_000_000_000, &CASES.map(|(name, error)| case(name, error)));
        world
    }

    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.home.path().join("shop")
    }

    pub(crate) fn base(&self) -> PathBuf {
        self.home.path().join("state/failwise/base.sqlite")
    }

    pub(crate) fn history(&self) -> String {
        std::fs::read_to_string(self.history_file()).unwrap_or_default()
    }

    pub(crate) fn history_file(&self) -> PathBuf {
        let name = project_name(&self.project());
        self.home.path().join("state/failwise/projects").join(name).join("history.jsonl")
    }

    pub(crate) fn put(&self, id: &str, at: u64, cases: &[TestCase]) {
        let count = |status| cases.iter().filter(|case| case.status == status).count() as u64;
        let run = TestRun {
            id: id.to_owned(),
            source: RunSource::Junit,
            at,
            commit: Some("c0ffee1".to_owned()),
            branch: None,
            title: Some("junit.xml".to_owned()),
            complete: true,
            duration_ms: Some(1000),
            status: if count(CaseStatus::Failed) > 0 { CaseStatus::Failed } else { CaseStatus::Passed },
            cases: cases.len() as u64,
            passed: count(CaseStatus::Passed),
            failed: count(CaseStatus::Failed),
            skipped: count(CaseStatus::Skipped),
            flaky: 0,
            rerun_of: None,
        };
        let mut base = Base::open(&self.base()).unwrap();
        base.put_run(&project_name(&self.project()), &run, cases).unwrap();
    }

    pub(crate) fn server(&self) -> Server {
        self.server_with(&[])
    }

    pub(crate) fn server_with(&self, env: &[(&str, &str)]) -> Server {
        let mut command = self.command(env!("CARGO_BIN_EXE_failwise-mcp"));
        let mut child = command.envs(env.iter().copied()).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let mut server = Server { child, input, output, number: 0 };
        server.begin();
        server
    }

    /// A program in this machine, and nothing of the real one.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().current_dir(self.project());
        command.env("HOME", self.home()).env("XDG_STATE_HOME", self.home().join("state")).env("PATH", "/usr/bin:/bin");
        command
    }
}

/// Names of cases and what they failed with; nothing where they passed, `skipped` where they did not run.
const CASES: [(&str, &str); 7] = [
    ("health-check", "connect ECONNREFUSED 127.0.0.1:3000"),
    ("api-test", "unexpected error a1b2c3d4e5f6"),
    ("sums", "expected 5 to equal 6 at src/sums.js:404:12"),
    ("silent", ""),
    ("leaky", "denied for token ghp_0123456789abcdefghijklmnopqrstuvwxyzAB"),
    ("passes", "passed"),
    ("waits", "skipped"),
];

pub(crate) fn case(name: &str, error: &str) -> TestCase {
    let status = match error {
        "passed" => CaseStatus::Passed,
        "skipped" => CaseStatus::Skipped,
        _ => CaseStatus::Failed,
    };
    TestCase {
        name: name.to_owned(),
        suite: "shop".to_owned(),
        status,
        duration_ms: Some(5),
        attempts: 1,
        failed_attempts: u32::from(status == CaseStatus::Failed),
        error: (status == CaseStatus::Failed).then(|| failwise::redact::redact_printed(error).into_owned()),
        container: None,
    }
}

pub(crate) struct Server {
    pub(crate) child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    number: u64,
}

impl Server {
    fn begin(&mut self) {
        let begun = self.ask(
            "initialize",
            &json!({
                "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
            }),
        );
        assert_eq!(begun["result"]["serverInfo"]["name"], "failwise");
        self.write(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    }

    pub(crate) fn write(&mut self, line: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line).unwrap();
        input.write_all(b"\n").unwrap();
        input.flush().unwrap();
    }

    /// The next line of the server's, which has to be protocol.
    pub(crate) fn read(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.output.read_line(&mut line).unwrap() > 0, "the server ended");
        let value: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(value["jsonrpc"], "2.0", "{line}");
        value
    }

    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.number += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.number, "method": method, "params": params });
        self.write(request.to_string().as_bytes());
        loop {
            let answer = self.read();
            if answer["id"] == self.number {
                return answer;
            }
        }
    }

    /// The envelope that a tool answers. Text and structured content are the same, and an error is one on both levels.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let answer = self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }));
        let result = &answer["result"];
        let envelope = result["structuredContent"].clone();
        assert_eq!(result["content"].as_array().map(Vec::len), Some(1), "{answer}");
        let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text, envelope);
        assert_eq!(result["isError"].as_bool().unwrap_or(false), envelope["success"] == false);
        assert!(envelope["timestamp"].as_i64().is_some_and(|at| at > 1_700_000_000_000));
        envelope
    }

    pub(crate) fn data(&mut self, tool: &str, arguments: &Value) -> Value {
        let envelope = self.call(tool, arguments);
        assert_eq!(envelope["success"], true, "{envelope}");
        envelope["data"].clone()
    }

    pub(crate) fn code(&mut self, tool: &str, arguments: &Value) -> String {
        let envelope = self.call(tool, arguments);
        envelope["error"]["code"].as_str().unwrap_or_else(|| panic!("{envelope}")).to_owned()
    }

    /// Closes the input and waits for the end.
    pub(crate) fn end(mut self) {
        drop(self.input.take());
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
