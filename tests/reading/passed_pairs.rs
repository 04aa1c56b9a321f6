//! What later calls say of a check that failed. `tests/pairs/passed.jsonl` tells of pairs whether the second call ends the
//! failure, leaves it as it is, or leaves nobody knowing; `tests/pairs/quiet.jsonl` tells of small sessions whether a failure
//! of the work stands at their end. Each takes the path of the hook from the payload to the folded state, and then goes
//! through the real hook: only what stands is spoken of, when a commit follows and when the agent wants to stop.

#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "the test reads its pairs; a broken one ends it")]

use std::collections::BTreeSet;
use std::path::Path;

use failwise::engine::{Scene, observe};
use failwise::history::{Body, Event, State, StateChange};
use failwise::host::payload::{self, PayloadKind};
use failwise::model::Ids;
use proptest::prelude::*;
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
            PayloadKind::Call(call) => {
                let scene = Scene { node: NODE, ts, worktree: None, red_phase: false, expected_failures: &[] };
                let mut event = observe(call, &scene);
                let execution = event.execution_mut().unwrap();
                execution.intent = state.intent_of(execution);
                event
            }
            PayloadKind::Prompt { red_phase } => {
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

/// What says that something failed, by whatever program.
const FAILURES: &[&str] = &[
    "error: attribute 'ledger' missing",
    "Error: Unsupported argument\n\n  on main.tf line 3, in resource \"bucket\" \"sums\":",
    "sum.c:3:5: error: 'x' undeclared (first use in this function)",
    "--- FAIL: TestSum (0.00s)\n    sum_test.go:9: want 3, got 4\nFAIL\nFAIL\tledger/sums\t0.003s",
    "FAILED tests/test_sum.py::test_adds - assert 4 == 3\n1 failed, 4 passed in 0.10s",
    "Tests:       1 failed, 1 passed, 2 total",
    "src/a.ts(3,4): error TS2345: Argument of type 'string' is not assignable",
    "fatal: [web]: FAILED! => {\"msg\": \"no such user\"}",
    "npm error Missing script: \"sums\"",
    "Traceback (most recent call last):\n  File \"sums.py\", line 3, in <module>\nValueError: no sums",
    "make: *** [Makefile:3: sums] Error 1",
    "Found 1 error.",
];
/// Filters of what a command prints.
const FILTERS: &[&str] =
    &["", " 2>&1", " | tail -20", " 2>&1 | head -3", " 2>&1 | grep -i sum", " 2>&1 | tee /tmp/sums.log | tail -2"];
/// Other text, that says nothing.
const OTHER: &[&str] = &["", "\"ledger-1.2\"", "42", "Plan: 1 to add, 0 to change, 0 to destroy.", "done in 3.2 s"];

fn command() -> impl Strategy<Value = String> {
    let word = "[a-z]{2,8}";
    let known = proptest::sample::select(vec![
        "nix eval",
        "gcc -c",
        "terraform plan",
        "docker build",
        "go run",
        "cargo run",
        "alembic upgrade",
        "ansible-playbook",
        "go test",
        "pytest",
        "npm test",
        "npm run",
        "bun run",
        "make",
        "tsc -p",
        "eslint",
        "mvn -q",
        "python3",
        "node",
        "cmake --build",
        "kubectl apply -f",
        "npx jest",
        "uv run pytest",
        "./check.sh",
        "bash -c",
    ]);
    let program = prop_oneof![3 => known.prop_map(str::to_owned), 2 => word.prop_map(|name| format!("ledger-{name}"))];
    let words = proptest::collection::vec(
        prop_oneof![word, word.prop_map(|name| format!("--{name}")), word.prop_map(|name| format!("src/{name}.x"))],
        0..3,
    );
    let before = proptest::sample::select(vec![
        "",
        "cd /srv/ledger && ",
        "CI=1 ",
        "timeout 60 ",
        "mkdir -p out && ",
        "set -o pipefail; ",
    ]);
    (before, program, words)
        .prop_map(|(before, program, words)| format!("{before}{program} {}", words.join(" ")).trim_end().to_owned())
}

fn ran(line: String, out: &str) -> Step {
    Step { run: Some(line), edit: None, prompt: None, description: None, out: out.to_owned(), fail: None }
}

proptest! {
    /// Whatever ran and whatever it printed: after the same command ran again and nobody saw it fail, it is not failing.
    #[test]
    fn what_ran_again_and_was_not_seen_to_fail_is_not_spoken_of(
        command in command(),
        first in proptest::sample::select(FILTERS),
        second in proptest::sample::select(FILTERS),
        failure in proptest::sample::select(FAILURES),
        other in proptest::sample::select(OTHER),
        alone in any::<bool>(),
    ) {
        let bad = ran(format!("{command}{first}"), failure);
        let line = if alone { command.clone() } else { format!("{command}{second}; git status --short") };
        let mut state = after(&[bad]);
        let failed = state.episodes.iter().any(|episode| state.is_failing(episode));
        ran(line.clone(), other).fold(&mut state, 2);
        let open: Vec<_> = state.episodes.iter().filter(|episode| state.is_failing(episode)).collect();
        prop_assert!(open.is_empty(), "{failed} {line}: {open:?}");
    }

    /// A run that looks at less than the failing check, and not at what failed, changes nothing.
    #[test]
    fn what_ran_less_settles_nothing((whole, failure, part) in narrower(), fails in any::<bool>(), out in proptest::sample::select(OTHER)) {
        let fail = fails.then_some(1);
        let whole = if fails { whole.to_owned() } else { format!("{whole} | tail -5") };
        for end in ["", " | tail -3"] {
            let mut state = after(&[Step { fail, ..ran(whole.clone(), failure) }]);
            prop_assert!(state.episodes.iter().any(|episode| state.is_failing(episode)), "{whole}");
            ran(format!("{part}{end}"), out).fold(&mut state, 2);
            prop_assert!(state.episodes.iter().any(|episode| state.is_failing(episode)), "{whole}, {part}{end}");
        }
    }
}

/// A check of everything, how it fails, and one of a part in which nothing failed.
fn narrower() -> impl Strategy<Value = (&'static str, &'static str, String)> {
    const GO: &str = "--- FAIL: TestSum (0.00s)\n    sum_test.go:9: want 3, got 4\nFAIL\nFAIL\texample.com/ledger/sums\t0.003s\nFAIL";
    const PYTEST: &str = "FAILED tests/test_sum.py::test_adds - assert 4 == 3\n1 failed, 4 passed in 0.10s";
    const JEST: &str = "FAIL src/sum.test.js\n  \u{25cf} adds\n\n    expect(received).toBe(expected)\n\nTests:       1 failed, 1 passed, 2 total";
    const ESLINT: &str = "/srv/ledger/src/sum.js\n  3:7  error  'x' is never used  no-unused-vars\n\n\u{2716} 1 problem (1 error, 0 warnings)";
    let rows = vec![
        ("go test ./...", GO, "go test ./{}"),
        ("go test ./...", GO, "go test -run TestQ{} ./{}"),
        ("pytest", PYTEST, "pytest -k q{}"),
        ("pytest", PYTEST, "pytest tests/test_q{}.py"),
        ("pytest", PYTEST, "pytest -m q{}"),
        ("jest", JEST, "jest -t q{}"),
        ("jest", JEST, "jest src/q{}.test.js"),
        ("npm test", JEST, "npm test -- src/q{}.test.js"),
        ("bun run test", JEST, "bun run test src/q{}.test.js"),
        ("eslint .", ESLINT, "eslint src/q{}.js"),
        ("vitest run", JEST, "vitest run src/q{}.test.js"),
    ];
    // Words that are no part of anything that failed.
    let rows = (proptest::sample::select(rows), "[bcfghjk]{3,8}");
    rows.prop_map(|((whole, failure, part), word)| (whole, failure, part.replace("{}", &word)))
}

/// The same through the executable that the client starts.
#[cfg(unix)]
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
