//! Reaching people: what they are told, how often, and by which program.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::session::Session;

const LOGGED_OUT: &str = "Exit code 4\nTo get started with GitHub CLI, please run:  gh auth login";
const RESET: &str = "Exit code 1\nnpm error code ECONNRESET\nnpm error network read ECONNRESET";
const FAILING_TEST: &str = "Exit code 101\nrunning 1 test\ntest tests::adds ... FAILED\n\nfailures:\n    tests::adds\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out";

impl Session {
    /// A session whose person wants to hear of what is open when an agent stops.
    fn that_tells() -> Self {
        Self::with("FAILWISE_STOP_CHECK", "tell")
    }

    /// What the person is told when a command fails.
    fn told_after(&self, command: &str, error: &str) -> Option<String> {
        let call = json!({ "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": self.id(), "error": error });
        told(&self.hook("PostToolUseFailure", &call))
    }

    fn stops(&self, already_held: bool) -> Value {
        self.hook("Stop", &json!({ "stop_hook_active": already_held }))
    }

    /// A program of the person's that keeps what it is given.
    fn with_program(mut self, line: &str) -> Self {
        let program = self.home.path().join("tell me");
        fs::write(&program, format!("#!/bin/sh\n{line}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).unwrap();
        self.env.push(("CLAUDE_PLUGIN_OPTION_NOTIFY_COMMAND", program.to_str().unwrap().to_owned()));
        self.env.push(("ANTHROPIC_API_KEY", "sk-ant-of-the-client".to_owned()));
        self.env.push(("HOME", self.home.path().to_str().unwrap().to_owned()));
        self.env.push(("PATH", "/usr/bin:/bin".to_owned()));
        self
    }

    fn messages(&self) -> PathBuf {
        self.home.path().join("messages")
    }

    /// The messages that the program got, once there are so many.
    fn received(&self, count: usize) -> Vec<Value> {
        let until = Instant::now() + Duration::from_secs(10);
        loop {
            let text = fs::read_to_string(self.messages()).unwrap_or_default();
            let lines: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
            if lines.len() >= count || Instant::now() > until {
                return lines;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

fn told(answer: &Value) -> Option<String> {
    answer["systemMessage"].as_str().map(str::to_owned)
}

#[test]
fn a_person_hears_once_of_what_needs_them() {
    let session = Session::that_tells();
    let text = session.told_after("gh pr create", LOGGED_OUT).unwrap();
    assert!(text.contains("`gh pr create` failed and may need you: a login"), "{text}");
    assert_eq!(session.told_after("gh pr create", LOGGED_OUT), None);
    assert_eq!(session.events("person_told").len(), 1);
    assert_eq!(told(&session.stops(false)), None, "it was told already");
}

#[test]
fn a_transient_failure_needs_a_person_when_the_retries_are_over() {
    let session = Session::new();
    for attempt in 1..=3 {
        assert_eq!(session.told_after("npm ci", RESET), None, "attempt {attempt}");
    }
    let text = session.told_after("npm ci", RESET).unwrap();
    assert!(text.contains("failed 4 times") && text.contains("network"), "{text}");
    assert_eq!(session.told_after("npm ci", RESET), None);
}

#[test]
fn an_open_failure_is_told_when_the_agent_stops_for_good() {
    let session = Session::that_tells();
    assert_eq!(told(&session.stops(false)), None);
    assert_eq!(session.told_after("cargo test", FAILING_TEST), None);
    let text = told(&session.stops(false)).unwrap();
    assert!(text.contains("`cargo test` failed in its last run"), "{text}");
    assert_eq!(told(&session.stops(false)), None, "once");
    assert_eq!(session.events("person_told")[0]["reason"], "stopped_with_failure");
    let session = Session::that_tells();
    session.told_after("cargo test", FAILING_TEST);
    session.succeeds_with("cargo test", "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out");
    assert_eq!(told(&session.stops(false)), None, "it passed");
}

#[test]
fn a_commit_past_a_hook_that_failed_is_told() {
    const HOOK: &str = "Exit code 1\nhusky - pre-commit script failed (code 1)";
    let passes = |session: &Session, command: &str| {
        let response = json!({ "stdout": "[main 1a2b3c4] x", "stderr": "" });
        let call = json!({ "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": session.id(), "tool_response": response });
        told(&session.hook("PostToolUse", &call))
    };
    let session = Session::new();
    assert_eq!(session.told_after("git commit -m x", HOOK), None);
    let call = json!({ "tool_name": "Bash", "tool_input": {"command": "git commit --no-verify -m x"},
        "tool_use_id": session.id(), "tool_response": "Permission for this tool use was denied. The tool use was rejected." });
    assert_eq!(told(&session.hook("PostToolBatch", &json!({ "tool_calls": [call] }))), None, "a person refused it");
    let text = passes(&session, "git commit --no-verify -m x").unwrap();
    assert!(text.contains("`git commit --no-verify` went past a hook that had failed"), "{text}");
    assert_eq!(session.events("person_told")[0]["reason"], "hook_bypassed");
    assert_eq!(passes(&session, "git commit --no-verify -m y"), None, "once");
    let session = Session::new();
    assert_eq!(passes(&session, "git commit --no-verify -m x"), None, "no hook failed");
    session.told_after("git commit -m x", HOOK);
    assert_eq!(passes(&session, "git commit -m x"), None, "the hook passed");
}

#[test]
fn a_failure_of_the_third_class_is_unresolved_too() {
    let session = Session::that_tells();
    for _ in 0..3 {
        session.told_after("sh deploy.sh", "Exit code 2\ncp: cannot stat 'build/site': No such file or directory");
    }
    let text = told(&session.stops(false)).unwrap();
    assert!(text.contains("`sh deploy.sh` failed 3 times"), "{text}");
}

#[test]
fn an_agent_is_held_once_and_then_the_person_hears() {
    let session = Session::with("FAILWISE_STOP_CHECK", "hold");
    session.told_after("cargo test", FAILING_TEST);
    let held = session.stops(false);
    assert_eq!((&held["decision"], told(&held)), (&json!("block"), None), "{held}");
    let stopped = session.stops(true);
    assert_eq!(stopped["decision"], Value::Null);
    assert!(told(&stopped).is_some());
    let session = Session::with("FAILWISE_STOP_CHECK", "off");
    session.told_after("cargo test", FAILING_TEST);
    assert_eq!(session.stops(false), Value::Null);
}

#[test]
fn a_projects_own_settings_hold_whenever_an_agent_is_told_or_stops() {
    let session = Session::new();
    session.told_after("cargo test", FAILING_TEST);
    let sets = |text: &str| {
        fs::create_dir_all(session.project().join(".claude")).unwrap();
        fs::write(session.project().join(".claude/failwise.toml"), text).unwrap();
        crate::trusting::trust(session.home.path(), &session.project());
    };
    sets("stop_check = 'off'");
    assert_eq!(session.stops(false), Value::Null);
    sets("stop_check = 'hold'");
    assert_eq!(session.stops(false)["decision"], "block");
    let compacted = || session.hook("SessionStart", &json!({ "source": "compact" }));
    assert_ne!(compacted(), Value::Null);
    sets("advice = 'off'");
    assert_eq!(compacted(), Value::Null);
    let session = Session::that_tells();
    let masked = "test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out";
    session.succeeds_with("cargo test | tail -3", masked);
    fs::create_dir_all(session.project().join(".claude")).unwrap();
    fs::write(session.project().join(".claude/failwise.toml"), "advice = 'off'").unwrap();
    crate::trusting::trust(session.home.path(), &session.project());
    session.runs("git commit -m done");
    assert_eq!(session.events("advice_given").len(), 0);
}

#[test]
fn the_helper_of_a_compaction_is_no_agent_that_stops() {
    let session = Session::that_tells();
    session.told_after("cargo test", FAILING_TEST);
    let helper = json!({ "agent_id": "a9", "agent_type": "", "stop_hook_active": false });
    assert_eq!(session.hook("SubagentStop", &helper), Value::Null);
    let mut session = Session::that_tells();
    session.agent = Some("a1");
    session.told_after("cargo test", FAILING_TEST);
    let stop = session.hook("SubagentStop", &json!({ "stop_hook_active": false }));
    assert!(told(&stop).is_some(), "{stop}");
}

#[test]
fn the_persons_program_gets_one_message_a_minute_of_each_kind() {
    let session = Session::that_tells().with_program("cat >> \"$HOME/messages\"; env > \"$HOME/env\"");
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    let started = Instant::now();
    session.told_after(&format!("gh pr create --token {secret}"), LOGGED_OUT);
    assert!(started.elapsed() < Duration::from_secs(2));
    let first = session.received(1);
    assert_eq!(first.len(), 1);
    assert_eq!(
        (&first[0]["kind"], &first[0]["category"], &first[0]["node"]),
        (&json!("escalated"), &json!("auth_required"), &json!("session/s-1"))
    );
    let schema = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/notice.schema.json");
    let schema: Value = serde_json::from_str(&fs::read_to_string(schema).unwrap()).unwrap();
    let keys: Vec<&String> = first[0].as_object().unwrap().keys().collect();
    assert_eq!(keys, schema["properties"].as_object().unwrap().keys().collect::<Vec<_>>());
    assert!(schema["properties"]["kind"]["enum"].as_array().unwrap().contains(&first[0]["kind"]));
    assert!(!first[0].to_string().contains(&secret), "{}", first[0]);
    let env = fs::read_to_string(session.home.path().join("env")).unwrap_or_default();
    assert!(!env.contains("sk-ant-of-the-client"), "{env}");
    assert!(session.told_after("gh issue list", LOGGED_OUT).is_some(), "it is shown all the same");
    session.told_after("cargo test", FAILING_TEST);
    assert!(told(&session.stops(false)).is_some());
    let kinds: Vec<Value> = session.received(2).iter().map(|message| message["kind"].clone()).collect();
    assert_eq!(kinds, ["escalated", "stopped_with_failure"]);
    session.passes(60);
    session.told_after("gh repo view", LOGGED_OUT);
    assert_eq!(session.received(3).len(), 3);
}

#[test]
fn a_program_that_hangs_or_lacks_holds_nothing_up() {
    for line in ["sleep 5", "exit 1", "exec 0<&-; sleep 5"] {
        let session = Session::new().with_program(line);
        let started = Instant::now();
        assert!(session.told_after("gh pr create", LOGGED_OUT).is_some());
        assert!(started.elapsed() < Duration::from_secs(2), "{line}");
    }
    for program in ["/nowhere/at/all", "relative", "/etc/passwd", "/tmp"] {
        let mut session = Session::new();
        session.env.push(("CLAUDE_PLUGIN_OPTION_NOTIFY_COMMAND", program.to_owned()));
        assert!(session.told_after("gh pr create", LOGGED_OUT).is_some(), "{program}");
    }
}

#[test]
fn a_project_cannot_name_a_program() {
    let session = Session::new().with_program("cat >> \"$HOME/messages\"");
    let (_, program) = session.env[0].clone();
    let session = Session { env: session.env[1..].to_vec(), ..session };
    fs::create_dir_all(session.project().join(".claude")).unwrap();
    fs::write(session.project().join(".claude/failwise.toml"), format!("notify_command = '{program}'\n")).unwrap();
    assert!(session.told_after("gh pr create", LOGGED_OUT).is_some());
    std::thread::sleep(Duration::from_millis(200));
    assert!(!session.messages().exists());
}
