//! What is said in one client holds no name that only another one has: every sentence of the pages under `rules/advice/`, what
//! is refused, what a turn ends with and what a session begins with, as each client is told it.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "reads the pages, and writes what clients write")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use failwise::guard::PEOPLE_COMMANDS;
use failwise::hook::{Outside, answer};
use failwise::knowledge::RecurringLine;
use failwise::model::Host;
use failwise::place::{find, project_folder};
use failwise::recall::{RECALL, put_line};
use serde_json::{Value, json};

use crate::advice_pages::{Case, laid_out, signature_of};
use crate::rule_page::pages;

/// Names of tools, keys, files and commands, and the clients that have them.
const NAMES: &[(&str, &[Host])] = &[
    ("CLAUDE", &[Host::Claude]),
    ("Claude", &[Host::Claude]),
    ("claude ", &[Host::Claude]),
    ("/failwise:", &[Host::Claude]),
    ("permission rule", &[Host::Claude]),
    ("permissions.", &[Host::Claude]),
    ("run_in_background", &[Host::Claude]),
    ("Bash", &[Host::Claude]),
    ("`Edit`", &[Host::Claude]),
    ("`Write`", &[Host::Claude]),
    ("`Read`", &[Host::Claude]),
    ("Grep", &[Host::Claude]),
    ("old_string", &[Host::Claude, Host::Gemini, Host::Qwen]),
    ("old_str", &[Host::Claude, Host::Gemini, Host::Qwen, Host::Copilot]),
    ("AGENTS.md", &[Host::Codex, Host::Copilot]),
    ("apply_patch", &[Host::Codex]),
    ("exec_command", &[Host::Codex]),
    ("codex", &[Host::Codex]),
    ("copilot", &[Host::Copilot]),
    ("GEMINI.md", &[Host::Gemini]),
    ("gemini", &[Host::Gemini]),
    ("run_shell_command", &[Host::Gemini, Host::Qwen]),
    ("QWEN.md", &[Host::Qwen]),
    ("qwen", &[Host::Qwen]),
];

/// A session of a client, which is played event by event.
struct Session {
    host: Host,
    home: tempfile::TempDir,
    project: PathBuf,
    seconds: u64,
    rollout: Vec<Value>,
    /// What the agent and its programs said themselves, and Failwise may repeat.
    given: String,
    said: BTreeSet<String>,
}

impl Session {
    fn of(host: Host, case: &Case) -> Self {
        let home = tempfile::tempdir().unwrap();
        if let Some(knows) = &case.knows {
            knows.put(home.path(), &signature_of(case));
        }
        let project = laid_out(case, home.path());
        Self { host, home, project, seconds: 0, rollout: Vec::new(), given: String::new(), said: BTreeSet::new() }
    }

    fn env(&self, name: &str) -> Option<OsString> {
        match name {
            "HOME" => Some(self.home.path().into()),
            "FAILWISE_DIR" => Some(self.home.path().join("history").into()),
            "FAILWISE_STOP_CHECK" => Some("hold".into()),
            _ => None,
        }
    }

    /// Gives the hook an event, in the form of the client.
    fn hears(&mut self, claudes: &Value) {
        self.given += &claudes.to_string();
        let payload = self.in_own_form(claudes);
        let now = format!(
            "2026-03-01T{:02}:{:02}:{:02}.000Z",
            8 + self.seconds / 3600,
            self.seconds / 60 % 60,
            self.seconds % 60
        );
        let env = |name: &str| self.env(name);
        let reply = answer(payload.to_string().as_bytes(), &Outside { env: &env, now: &now });
        assert_eq!(reply.stderr, None, "{payload}");
        if let Some(line) = reply.stdout {
            texts(&serde_json::from_str(&line).unwrap(), &mut self.said);
        }
    }

    fn in_own_form(&mut self, claudes: &Value) -> Value {
        let mut payload = claudes.clone();
        (payload["session_id"], payload["cwd"]) = (json!("s-1"), json!(self.project));
        let time = format!("2026-03-01T08:00:00.{:06}Z", self.seconds);
        let event = payload["hook_event_name"].as_str().unwrap().to_owned();
        let (tool, error) = (payload["tool_name"].as_str().unwrap_or_default().to_owned(), payload["error"].clone());
        let is_shell = tool == "Bash";
        let ended = event.starts_with("PostToolUse");
        let (exit, output) = match error.as_str() {
            None => (0, payload["tool_response"]["stdout"].as_str().unwrap_or_default().to_owned()),
            Some(error) => {
                let coded = error.strip_prefix("Exit code ").map(|rest| rest.split_once('\n').unwrap_or((rest, "")));
                coded.map_or((1, error.to_owned()), |(code, rest)| (code.trim_end().parse().unwrap(), rest.to_owned()))
            }
        };
        if self.host == Host::Claude {
            return payload;
        }
        let fields = payload.as_object_mut().unwrap();
        fields.retain(|name, _| !matches!(name.as_str(), "error" | "tool_response" | "agent_id"));
        match self.host {
            Host::Claude => {}
            Host::Codex => {
                let path = self.home.path().join("rollout-1.jsonl");
                (payload["turn_id"], payload["model"], payload["transcript_path"]) =
                    (json!("t"), json!("m"), json!(path));
                if ended {
                    let id = payload["tool_use_id"].clone();
                    payload["hook_event_name"] = json!("PostToolUse");
                    payload["tool_response"] = json!(output);
                    let item = json!({"type": "CommandExecution", "id": id, "exit_code": exit, "status": "completed",
                        "command": ["bash", "-lc", payload["tool_input"]["command"]], "aggregated_output": output});
                    if is_shell {
                        self.rollout.push(json!({"payload": {"type": "item_completed", "item": item}}));
                    }
                }
                let lines: Vec<String> = self.rollout.iter().map(Value::to_string).collect();
                fs::write(path, lines.join("\n") + "\n").unwrap();
            }
            Host::Copilot => {
                payload["timestamp"] = json!(time);
                if is_shell && ended {
                    payload["hook_event_name"] = json!("PostToolUse");
                    let text = format!("{output}\n<shellId: 0 completed with exit code {exit}>");
                    payload["tool_result"] = json!({"result_type": "success", "text_result_for_llm": text});
                } else if ended && error.is_null() {
                    payload["tool_result"] = json!({"result_type": "success", "text_result_for_llm": output});
                } else if ended {
                    payload["error"] = error;
                }
                payload.as_object_mut().unwrap().remove("tool_use_id");
                payload.as_object_mut().unwrap().remove("last_assistant_message");
            }
            Host::Gemini | Host::Qwen => {
                let is_gemini = self.host == Host::Gemini;
                payload["timestamp"] = json!(time);
                let file = if is_gemini { "session-1.jsonl" } else { "1.jsonl" };
                payload["transcript_path"] = json!(format!("/h/p/chats/{file}"));
                let names = [
                    ("Bash", "run_shell_command"),
                    ("Edit", "replace"),
                    ("Read", "read_file"),
                    ("Write", "write_file"),
                ];
                if let Some((_, own)) = names.iter().find(|(name, _)| *name == tool) {
                    payload["tool_name"] = json!(own);
                }
                if ended {
                    payload["hook_event_name"] = json!("PostToolUse");
                    let framed = format!(
                        "Command: x\nDirectory: (root)\nOutput: {output}\nExit Code: {exit}\nProcess Group PGID: 7"
                    );
                    payload["tool_response"] = match error.as_str() {
                        Some(error) if !is_shell => json!({"llmContent": error, "error": {"message": error}}),
                        _ => json!({"llmContent": framed}),
                    };
                }
                let own = [
                    ("PreToolUse", "BeforeTool"),
                    ("PostToolUse", "AfterTool"),
                    ("UserPromptSubmit", "BeforeAgent"),
                    ("Stop", "AfterAgent"),
                ];
                let event = payload["hook_event_name"].as_str().unwrap().to_owned();
                if let Some((_, own)) = own.iter().find(|(name, _)| is_gemini && *name == event) {
                    payload["hook_event_name"] = json!(own);
                    payload["prompt_response"] = payload["last_assistant_message"].take();
                }
            }
        }
        payload
    }

    fn play(&mut self, case: &Case) {
        self.recurs();
        self.hears(&json!({"hook_event_name": "SessionStart", "source": "startup"}));
        for (number, step) in case.steps.iter().enumerate() {
            self.seconds += step.after.unwrap_or(5);
            self.hears(&step.payload(number, &self.project));
        }
        // The same failure until the guard refuses it.
        let failing = case.steps.iter().find(|step| step.bash.is_some() && step.fails.is_some());
        for number in 100..104 {
            let Some(step) = failing else { break };
            self.seconds += 5;
            let mut payload = step.payload(number, &self.project);
            self.hears(&payload);
            payload["hook_event_name"] = json!("PreToolUse");
            payload.as_object_mut().unwrap().remove("error");
            self.hears(&payload);
        }
        self.hears(&json!({"hook_event_name": "Stop", "stop_hook_active": false, "last_assistant_message": "Done."}));
        self.hears(&json!({"hook_event_name": "SessionStart", "source": "compact"}));
    }

    /// What only people do is refused.
    fn people(&mut self) {
        for (number, row) in PEOPLE_COMMANDS.iter().enumerate() {
            let option = if row.with == "FILE" { "notes.jsonl" } else { row.with };
            let command = format!("failwise {} {option}", row.words);
            self.hears(
                &json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": format!("p{number}"),
                "tool_input": {"command": command.trim_end()}}),
            );
        }
    }

    /// Lessons wait for the person.
    fn recurs(&self) {
        let env = |name: &str| self.env(name);
        let folder = project_folder(&env, &find(&env, Some(&self.project)).unwrap()).unwrap();
        fs::create_dir_all(&folder).unwrap();
        let text = "Failwise: calls with `--stat` failed in 3 sessions: `failwise lessons` has a line for CLAUDE.md."
            .to_owned();
        put_line(&folder.join(RECALL), Some(RecurringLine { text, lessons: Vec::new() }), BTreeSet::new()).unwrap();
    }

    /// The names that this client has not, of those that were said.
    fn foreign(&self) -> Vec<String> {
        let others = NAMES.iter().filter(|(name, hosts)| !hosts.contains(&self.host) && !self.given.contains(name));
        let found = others.flat_map(|(name, _)| {
            self.said.iter().filter(move |text| text.contains(name)).map(move |text| (name, text))
        });
        found.map(|(name, text)| format!("{} was told `{name}`: {text}", self.host)).collect()
    }
}

/// The texts of an answer that somebody reads.
fn texts(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value.as_str() {
                    Some(text) if !matches!(name.as_str(), "hookEventName" | "decision" | "permissionDecision") => {
                        found.insert(text.to_owned());
                    }
                    _ => texts(value, found),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| texts(value, found)),
        _ => {}
    }
}

fn cases() -> Vec<Case> {
    let of_page = |page: &crate::rule_page::Page| -> Vec<Case> {
        page.cases()[0].iter().map(|fence| serde_json::from_str(fence).unwrap()).collect()
    };
    pages("advice").iter().flat_map(of_page).collect()
}

#[test]
fn no_client_is_told_a_name_of_another() {
    let cases = cases();
    let mut faults = Vec::new();
    let mut spoken: BTreeMap<Host, usize> = BTreeMap::new();
    for host in Host::ALL {
        for (number, case) in cases.iter().enumerate() {
            let mut session = Session::of(host, case);
            session.play(case);
            if number == 0 {
                session.people();
            }
            faults.extend(session.foreign());
            *spoken.entry(host).or_default() += session.said.len();
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    // Each client was told most of what Claude Code is.
    for (host, said) in &spoken {
        assert!(2 * said > spoken[&Host::Claude], "{host}: {spoken:?}");
    }
}

#[test]
fn a_name_of_another_client_is_found() {
    let mut session = Session::of(Host::Codex, &cases()[0]);
    session.said.insert("a line for CLAUDE.md".to_owned());
    assert_eq!(session.foreign().len(), 1);
    session.given = "cat CLAUDE.md".to_owned();
    assert!(session.foreign().is_empty());
    assert!(Path::new(&session.project).is_dir());
}
