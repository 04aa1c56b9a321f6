//! What later calls say of a check that failed. `tests/pairs/passed.jsonl` tells of pairs whether the second call ends the
//! failure, leaves it as it is, or leaves nobody knowing; `tests/pairs/quiet.jsonl` tells of small sessions whether a failure
//! of the work stands at their end. Each takes the path of the hook from the payload to the folded state, and then goes
//! through the real hook: only what stands is spoken of, when a commit follows and when the agent wants to stop.

#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "the test reads its pairs; a broken one ends it")]

use std::collections::BTreeSet;
use std::path::Path;

use failwise::engine::{Scene, observe};
use failwise::history::{Body, Event, State, StateChange};
use failwise::host::payload::{self, Kind};
use failwise::model::Ids;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    id: String,
    /// Whether the second call proves that the first one passes now.
    ends: bool,
    /// Whether nobody knows after it, where it does not.
    #[serde(default)]
    unclear: bool,
    calls: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Session {
    id: String,
    /// What the session shows.
    shows: String,
    /// Whether a failure of the work stands at its end.
    said: bool,
    /// Whether something else is worth a word on the way.
    #[serde(default)]
    advised: bool,
    calls: Vec<Step>,
}

/// A call, or a person's prompt.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    /// A command line.
    run: Option<String>,
    /// A file that is edited.
    edit: Option<String>,
    /// What a person says.
    prompt: Option<String>,
    /// The words with which the agent announces the call.
    description: Option<String>,
    /// The output.
    #[serde(default)]
    out: String,
    /// The exit code of a call that failed.
    fail: Option<i32>,
}

const NODE: &str = "main";

fn rows<T: for<'de> Deserialize<'de>>(name: &str) -> Vec<T> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pairs").join(name);
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn pairs() -> Vec<Pair> {
    rows("passed.jsonl")
}

fn sessions() -> Vec<Session> {
    rows("quiet.jsonl")
}

impl Step {
    fn payload(&self, place: usize) -> Value {
        let head = json!({"session_id": "pairs", "cwd": "/srv/ledger"});
        let call = |tool: &str, input: Value| json!({"tool_name": tool, "tool_use_id": format!("call-{place}"), "tool_input": input});
        let with = |parts: &[Value]| {
            let fields = parts.iter().flat_map(|part| part.as_object().unwrap().clone());
            Value::Object(head.as_object().unwrap().clone().into_iter().chain(fields).collect())
        };
        if let Some(prompt) = &self.prompt {
            return with(&[json!({"hook_event_name": "UserPromptSubmit", "prompt": prompt})]);
        }
        if let Some(file) = &self.edit {
            let input = json!({"file_path": format!("/srv/ledger/{file}"), "old_string": "a", "new_string": "b"});
            let end = json!({"hook_event_name": "PostToolUse", "tool_response": {"filePath": file}});
            return with(&[call("Edit", input), end]);
        }
        let mut input = json!({"command": self.run.as_ref().unwrap()});
        if let Some(description) = &self.description {
            input["description"] = json!(description);
        }
        let end = match self.fail {
            Some(code) => {
                json!({"hook_event_name": "PostToolUseFailure", "error": format!("Exit code {code}\n{}", self.out)})
            }
            None => json!({"hook_event_name": "PostToolUse",
                "tool_response": {"stdout": self.out, "stderr": "", "interrupted": false}}),
        };
        with(&[call("Bash", input), end])
    }

    fn fold(&self, state: &mut State, place: usize) {
        let payload = self.payload(place).to_string();
        let payload = payload::parse(payload.as_bytes()).unwrap();
        let ts = "2030-01-01T00:00:00Z";
        let event = match &payload.kind {
            Kind::Call(call) => {
                let scene = Scene { node: NODE, ts, worktree: None, red_phase: false, expected_failures: &[] };
                let mut event = observe(call, &scene);
                let execution = event.execution_mut().unwrap();
                execution.intent = state.intent_of(execution);
                event
            }
            Kind::Prompt { red_phase } => {
                let change = if *red_phase { StateChange::RedPrompt } else { StateChange::Prompt };
                let body = Body::StateChanged { change: Some(change), reason: None };
                Event::new(format!("prompt-{place}"), ts, NODE, &Ids::default(), body)
            }
            other => panic!("{other:?} is no call"),
        };
        state.step(&event, place as u64 * 100);
    }
}

fn after(steps: &[Step]) -> State {
    let mut state = State::new(NODE);
    steps.iter().enumerate().for_each(|(place, step)| step.fold(&mut state, place + 1));
    state
}

/// What is known of the failure after the second call.
fn known(pair: &Pair) -> Result<&'static str, String> {
    let [first, _] = pair.calls.as_slice() else { return Err("not two calls".to_owned()) };
    let Some(opened) = after(std::slice::from_ref(first)).episodes.pop() else {
        return Err("the first call is no failure".to_owned());
    };
    let state = after(&pair.calls);
    Ok(match state.episodes.iter().find(|episode| episode.id == opened.id) {
        None => "passed",
        Some(episode) if state.is_failing(episode) => "failing",
        Some(_) => "unclear",
    })
}

#[test]
fn a_later_run_is_taken_for_what_it_proves() {
    let mut wrong = Vec::new();
    for pair in pairs() {
        let wanted = match (pair.ends, pair.unclear) {
            (true, _) => "passed",
            (false, true) => "unclear",
            (false, false) => "failing",
        };
        let known = known(&pair);
        if known != Ok(wanted) {
            wrong.push(format!("{}: {known:?}, not {wanted}", pair.id));
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn only_a_failure_of_the_work_stands_at_the_end() {
    let mut wrong = Vec::new();
    for session in sessions() {
        let state = after(&session.calls);
        let stands = state.episodes.iter().any(|episode| state.is_failing(episode));
        if stands != session.said {
            wrong.push(format!("{}: {}, and {stands}: {:?}", session.id, session.shows, state.episodes));
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn there_are_enough_pairs_and_each_is_named() {
    let pairs = pairs();
    let sessions = sessions();
    let names: BTreeSet<&str> =
        pairs.iter().map(|pair| pair.id.as_str()).chain(sessions.iter().map(|session| session.id.as_str())).collect();
    assert_eq!(names.len(), pairs.len() + sessions.len(), "a name stands twice");
    let end = pairs.iter().filter(|pair| pair.ends).count();
    assert!(end >= 40 && pairs.len() - end >= 20, "{end} of {}", pairs.len());
    let said = sessions.iter().filter(|session| session.said).count();
    assert!(said >= 10 && sessions.len() - said >= 10, "{said} of {}", sessions.len());
}

/// The same through the executable that the client starts.
#[cfg(all(unix, feature = "cli"))]
mod through_the_hook {
    use std::io::Write;
    use std::process::{Command, Stdio};

    use super::*;

    struct Hook {
        home: tempfile::TempDir,
    }

    impl Hook {
        fn run(&self, payload: &Value) -> String {
            let mut command = Command::new(env!("CARGO_BIN_EXE_failwise-hook"));
            command.env_clear().env("HOME", self.home.path()).env("FAILWISE_DIR", self.home.path().join("history"));
            command.env("FAILWISE_STOP_CHECK", "hold");
            let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
            child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
            String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
        }

        /// What the hook says to these steps, and to a last payload after them.
        fn told(steps: &[Step], last: &Value) -> (Vec<String>, String) {
            let hook = Self { home: tempfile::tempdir().unwrap() };
            let payloads = steps.iter().enumerate().map(|(place, step)| step.payload(place + 1));
            let during = payloads.map(|payload| hook.run(&payload)).filter(|said| !said.is_empty()).collect();
            (during, hook.run(last))
        }
    }

    /// What is wrong about a session, after which a failure of the work stands or not.
    fn wrong(id: &str, steps: &[Step], stands: bool, advised: bool) -> Option<String> {
        let head = json!({"session_id": "pairs", "cwd": "/srv/ledger"});
        let with = |more: Value| {
            let mut payload = head.clone();
            payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            payload
        };
        let commit = Step { run: Some("git commit -m done".to_owned()), ..Step::silent() }.payload(99);
        let (during, at_commit) = Hook::told(steps, &commit);
        let (_, at_stop) = Hook::told(steps, &with(json!({"hook_event_name": "Stop", "stop_hook_active": false})));
        // Only of a failure that a status of 0 hid the agent does not know.
        let hidden = steps.iter().rev().find(|step| step.is_failure()).is_some_and(|step| step.fail.is_none());
        let is_right = during.is_empty() != advised
            && at_stop.contains(r#""decision":"block""#) == stands
            && at_commit.contains("[masked ") == (stands && hidden);
        (!is_right).then(|| format!("{id}: during {during:?}, at a commit {at_commit:?}, at stop {at_stop:?}"))
    }

    impl Step {
        fn silent() -> Self {
            Self { run: None, edit: None, prompt: None, description: None, out: String::new(), fail: None }
        }

        fn is_failure(&self) -> bool {
            !after(std::slice::from_ref(self)).episodes.is_empty()
        }
    }

    fn all_right(cases: impl Iterator<Item = (String, Vec<Step>, bool, bool)>) {
        let wrong: Vec<String> =
            cases.filter_map(|(id, steps, stands, advised)| wrong(&id, &steps, stands, advised)).collect();
        assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
    }

    #[test]
    fn what_passed_is_spoken_of_no_more() {
        all_right(pairs().into_iter().map(|pair| (pair.id, pair.calls, !pair.ends && !pair.unclear, false)));
    }

    #[test]
    fn what_says_nothing_of_the_work_is_not_spoken_of() {
        all_right(sessions().into_iter().map(|session| (session.id, session.calls, session.said, session.advised)));
    }
}
