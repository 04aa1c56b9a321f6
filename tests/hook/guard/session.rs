//! A session of a client, played to the hook in this process.

use std::cell::Cell;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use chrono::{DateTime, TimeDelta, Utc};
use failwise::hook::{Outside, answer};
use serde_json::{Value, json};

use super::{ERROR, WRONG_FLAG};

/// A session with a clock of its own.
pub(crate) struct Session {
    pub(crate) home: tempfile::TempDir,
    pub(crate) now: Cell<DateTime<Utc>>,
    pub(crate) calls: Cell<u32>,
    pub(crate) agent: Option<&'static str>,
    pub(crate) agent_type: &'static str,
    pub(crate) env: Vec<(&'static str, String)>,
}

impl Session {
    pub(crate) fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join("project/.git")).unwrap();
        let now = Cell::new("2026-03-01T10:00:00Z".parse().unwrap());
        Self { home, now, calls: Cell::new(0), agent: None, agent_type: "general-purpose", env: Vec::new() }
    }

    pub(crate) fn with(name: &'static str, value: &'static str) -> Self {
        Self { env: vec![(name, value.to_owned())], ..Self::new() }
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.home.path().join("project")
    }

    pub(crate) fn passes(&self, seconds: i64) {
        self.now.set(self.now.get() + TimeDelta::seconds(seconds));
    }

    /// The hook's answer to an event; a second passes before each.
    pub(crate) fn hook(&self, event: &str, more: &Value) -> Value {
        self.passes(1);
        let mut payload = json!({ "session_id": "s-1", "cwd": self.project(), "hook_event_name": event });
        if let Some(agent) = self.agent {
            payload["agent_id"] = agent.into();
            payload["agent_type"] = self.agent_type.into();
        }
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let env = |name: &str| match name {
            "FAILWISE_DIR" => Some(OsString::from(self.home.path().join("history"))),
            "HOME" => Some(OsString::from(self.home.path())),
            name => self.env.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value)),
        };
        let now = failwise::time::stamp(self.now.get());
        let reply = answer(payload.to_string().as_bytes(), &Outside { env: &env, now: &now });
        assert_eq!(reply.stderr, None);
        reply.stdout.map_or(Value::Null, |out| serde_json::from_str(&out).unwrap())
    }

    pub(crate) fn before_with(&self, input: &Value) -> Value {
        let answer =
            self.hook("PreToolUse", &json!({ "tool_name": "Bash", "tool_input": input, "tool_use_id": self.id() }));
        answer["hookSpecificOutput"].clone()
    }

    pub(crate) fn id(&self) -> String {
        self.calls.set(self.calls.get() + 1);
        format!("toolu_{}", self.calls.get())
    }

    /// Why a command is not let run; None where it is.
    pub(crate) fn refused(&self, command: &str) -> Option<String> {
        let specific = self.before_with(&json!({ "command": command }));
        let reason = specific["permissionDecisionReason"].as_str()?.to_owned();
        assert_eq!(specific["permissionDecision"], "deny");
        Some(reason)
    }

    pub(crate) fn fails(&self, command: &str, error: &str) {
        let call = json!({ "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": self.id(), "error": error });
        self.hook("PostToolUseFailure", &call);
    }

    pub(crate) fn fails_thrice(&self) {
        (0..3).for_each(|_| self.fails(WRONG_FLAG, ERROR));
    }

    pub(crate) fn succeeds(&self, tool: &str, input: &Value) {
        let call = json!({ "tool_name": tool, "tool_input": input, "tool_use_id": self.id(), "tool_response": {"stdout": "", "stderr": ""} });
        self.hook("PostToolUse", &call);
    }

    pub(crate) fn succeeds_with(&self, command: &str, output: &str) {
        let call = json!({ "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": self.id(), "tool_response": {"stdout": output, "stderr": ""} });
        self.hook("PostToolUse", &call);
    }

    /// A call that goes on in the background: launched there, or moved there when its time was up.
    pub(crate) fn goes_on(&self, input: &Value, timed_out_after_ms: Option<u64>, output: &str) {
        let response = json!({
            "stdout": output, "stderr": "", "interrupted": false, "backgroundTaskId": "b1",
            "timedOutAfterMs": timed_out_after_ms,
        });
        let call =
            json!({ "tool_name": "Bash", "tool_input": input, "tool_use_id": self.id(), "tool_response": response });
        self.hook("PostToolUse", &call);
    }

    /// The background task of the last call ends.
    pub(crate) fn task_ends(&self, status: &str) {
        let prompt = format!(
            "<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>toolu_{}</tool-use-id>\n<status>{status}</status>\n\
             <summary>Background command \"x\" was stopped</summary>\n</task-notification>",
            self.calls.get()
        );
        self.hook("UserPromptSubmit", &json!({ "prompt": prompt }));
    }

    pub(crate) fn runs(&self, command: &str) {
        self.succeeds("Bash", &json!({ "command": command }));
    }

    pub(crate) fn events(&self, kind: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.home.path().join("history/history.jsonl")).unwrap_or_default();
        let events = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        events.filter(|event| event["event"] == kind).collect()
    }
}
