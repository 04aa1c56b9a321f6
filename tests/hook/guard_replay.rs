//! The guard in block mode over the past: every refusal is printed (`--nocapture`) to be read, and none is of a call that
//! then passed. Needs the data folder; where there is none, nothing is asserted.

#![expect(clippy::disallowed_methods, reason = "a test reads its data from a folder")]
#![expect(clippy::unwrap_used, reason = "a broken row ends the test")]
#![expect(clippy::print_stdout, reason = "what is refused is read by a person")]

use std::collections::BTreeMap;
use std::path::Path;

use crate::data_folder::data_folder;
use failwise::engine::{Scene, observe};
use failwise::guard::{FAILURES, GuardQuestion};
use failwise::history::{Event, State, session_node};
use failwise::host::payload::{self, PayloadKind};
use failwise::host::transcript::Transcript;
use failwise::model::ToolCall;
use serde_json::{Value, json};

const TS: &str = "2026-03-01T10:00:00.000Z";

fn scene<'a>(node: &'a str, ts: &'a str) -> Scene<'a> {
    Scene { node, ts, worktree: None, red_phase: false, expected_failures: &[] }
}

/// The refusal of a call, to be folded in before its end.
fn would_refuse(state: &State, call: &ToolCall<'_>, polling: &[String], now: &str) -> Option<Event> {
    let asked = GuardQuestion::of(call)?;
    let refusal = asked.refusal(state, polling, now)?;
    Some(asked.refused_event(&refusal, &state.node, now))
}

/// What came of the guard over one transcript.
#[derive(Default)]
struct Told {
    calls: usize,
    counted: usize,
    refused: usize,
    /// Refused calls that passed when they ran all the same.
    wrongly: Vec<String>,
}

/// Plays a transcript. `timed` is whether the time between calls opens the guard, as it does in a session.
fn play(path: &Path, timed: bool) -> Told {
    let text = std::fs::read_to_string(path).unwrap();
    let mut told = Told::default();
    let mut states: BTreeMap<String, State> = BTreeMap::new();
    let mut transcript = Transcript::default();
    for (place, entry) in (1u64..).zip(text.lines().flat_map(|line| transcript.line(line)).collect::<Vec<_>>()) {
        let Some(PayloadKind::Call(call)) = entry.told.event() else { continue };
        let node = session_node(entry.ids.session.as_deref(), entry.ids.agent.as_deref());
        let state = states.entry(node.clone()).or_insert_with(|| State::new(&node));
        let ts = if timed { entry.ts.as_deref().unwrap_or(TS) } else { TS };
        let event = observe(call, &scene(&node, ts));
        told.calls += 1;
        let execution = event.execution().unwrap();
        told.counted += usize::from(execution.call.is_some());
        if let Some(refused) = would_refuse(state, call, &[], ts) {
            let input = refused.guarded_call().and_then(|call| call.input.clone());
            println!("{}: refused: {}", path.display(), input.as_deref().unwrap_or_default());
            println!("  then: {:?}", execution.outcome);
            told.refused += 1;
            if !event.is_failure() {
                told.wrongly.extend(input);
            }
            state.step(&refused, place);
        }
        // The past went on as it did: what the refused call would have changed is folded in too.
        state.step(&event, place);
    }
    told
}

#[test]
fn no_refusal_in_a_transcript_is_of_a_call_that_passed() {
    let Some(folder) = data_folder() else { return };
    for entry in std::fs::read_dir(folder.join("transcripts")).unwrap() {
        let path = entry.unwrap().path();
        for timed in [true, false] {
            let told = play(&path, timed);
            let Told { calls, counted, refused, .. } = told;
            println!("{} timed={timed}: {calls} calls, {counted} failures counted, {refused} refused", path.display());
            assert!(calls > 0 && told.wrongly.is_empty(), "{:?}", told.wrongly);
        }
    }
}

/// Each labelled failure as a loop: what a person found to pass by a retry alone is not refused at its fourth run.
#[test]
fn no_labelled_failure_that_a_retry_helps_is_refused() {
    let Some(folder) = data_folder() else { return };
    let text = std::fs::read_to_string(folder.join("failures-tune.jsonl")).unwrap();
    let (mut loops, mut refused) = (0, Vec::new());
    for row in text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let Some(payload) = payload_of(&row) else { continue };
        let payload = payload::parse(&payload).unwrap();
        let PayloadKind::Call(call) = &payload.kind else { continue };
        loops += 1;
        if refused_at_the_fourth(call) {
            println!("{} {} helps={}: {:.150}", row["id"], row["root_cause"], row["retry_helps"], row["input"]);
            refused.push(row);
        }
    }
    println!("{} of {loops} loops are refused", refused.len());
    assert!(loops > 100 && !refused.is_empty());
    let wrong: Vec<_> = refused.iter().filter(|row| row["retry_helps"] != "no").collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn payload_of(row: &Value) -> Option<Vec<u8>> {
    let shell = row["tool_name"].as_str()?.eq_ignore_ascii_case("bash");
    let command = row["input"].as_str().filter(|_| shell && row["marked_failed"] == true)?;
    let payload = json!({
        "session_id": "s", "cwd": "/srv", "hook_event_name": "PostToolUseFailure", "tool_name": "Bash",
        "tool_input": {"command": command}, "error": row["error_text"],
    });
    Some(payload.to_string().into_bytes())
}

fn refused_at_the_fourth(call: &ToolCall<'_>) -> bool {
    let node = session_node(Some("s"), None);
    let mut state = State::new(&node);
    for place in 1..=u64::from(FAILURES) {
        let asked = GuardQuestion::of(call).unwrap();
        assert_eq!(asked.refusal(&state, &[], TS).map(|refusal| refusal.reason()), None, "before three failures");
        state.step(&observe(call, &scene(&node, TS)), place);
    }
    would_refuse(&state, call, &[], TS).is_some()
}
