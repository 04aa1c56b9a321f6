//! A check that failed and a later run: `tests/pairs/passed.jsonl` tells whether the run ends the failure, leaves it as it
//! is, or leaves nobody knowing. Each pair takes the path of the hook, from the payload to the folded state.

#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "the test reads its pairs; a broken one ends it")]

use std::collections::BTreeSet;
use std::path::Path;

use failwise::engine::{Scene, observe};
use failwise::history::State;
use failwise::host::payload::{self, Kind};
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    id: String,
    /// Whether the second call proves that the first one passes now.
    ends: bool,
    /// Whether nobody knows after it, where it does not.
    #[serde(default)]
    unclear: bool,
    calls: Vec<Call>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    run: String,
    out: String,
    /// The exit code of a call that failed.
    fail: Option<i32>,
}

fn pairs() -> Vec<Pair> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pairs/passed.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn step(state: &mut State, call: &Call, place: usize) {
    let input = json!({"command": call.run});
    let head = json!({"session_id": "pairs", "cwd": "/srv/ledger", "tool_name": "Bash", "tool_input": input,
        "tool_use_id": format!("call-{place}")});
    let end = match call.fail {
        Some(code) => {
            json!({"hook_event_name": "PostToolUseFailure", "error": format!("Exit code {code}\n{}", call.out)})
        }
        None => json!({"hook_event_name": "PostToolUse",
            "tool_response": {"stdout": call.out, "stderr": "", "interrupted": false}}),
    };
    let mut payload = head.as_object().unwrap().clone();
    payload.extend(end.as_object().unwrap().clone());
    let payload = serde_json::Value::Object(payload).to_string();
    let payload = payload::parse(payload.as_bytes()).unwrap();
    let Kind::Call(call) = &payload.kind else { panic!("{payload:?} is no call") };
    let scene =
        Scene { node: "main", ts: "2030-01-01T00:00:00Z", worktree: None, red_phase: false, expected_failures: &[] };
    state.step(&observe(call, &scene), place as u64 * 100);
}

/// What is known of the failure after the second call.
fn known(pair: &Pair) -> Result<&'static str, String> {
    let mut state = State::new("main");
    let [first, second] = pair.calls.as_slice() else { return Err("not two calls".to_owned()) };
    step(&mut state, first, 1);
    let Some(opened) = state.episodes.last().map(|episode| episode.id.clone()) else {
        return Err("the first call is no failure".to_owned());
    };
    step(&mut state, second, 2);
    Ok(match state.episodes.iter().find(|episode| episode.id == opened) {
        None => "passed",
        Some(episode) if episode.is_failing() => "failing",
        Some(_) => "unclear",
    })
}

#[test]
fn a_later_run_is_taken_for_what_it_proves() {
    let mut wrong = Vec::new();
    for pair in pairs() {
        let wanted = if pair.ends {
            "passed"
        } else if pair.unclear {
            "unclear"
        } else {
            "failing"
        };
        let known = known(&pair);
        if known != Ok(wanted) {
            wrong.push(format!("{}: {known:?}, not {wanted}", pair.id));
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn there_are_enough_pairs_and_each_is_named() {
    let pairs = pairs();
    let names: BTreeSet<&str> = pairs.iter().map(|pair| pair.id.as_str()).collect();
    assert_eq!(names.len(), pairs.len(), "a name stands twice");
    let end = pairs.iter().filter(|pair| pair.ends).count();
    assert!(end >= 40 && pairs.len() - end >= 20, "{end} of {}", pairs.len());
}
