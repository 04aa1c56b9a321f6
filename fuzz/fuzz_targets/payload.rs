//! A hook payload: whatever it holds, what is kept of it is bounded and its ids are plain, and an answer is one JSON object.
#![no_main]

use failwise::host::answer::AnswerJson;
use failwise::host::payload::{PayloadKind, parse};
use failwise::model::{Ids, ToolCall};
use failwise::engine::{Scene, observe};
use failwise::redact::redact;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Ok(payload) = parse(input) else { return };
    check_ids(&payload.ids);
    match &payload.kind {
        PayloadKind::Call(call) | PayloadKind::ApiError(call) | PayloadKind::Report(call) | PayloadKind::Background { call, .. } => check_call(call),
        PayloadKind::Batch(calls) => calls.iter().for_each(check_call),
        _ => {}
    }
    let said = String::from_utf8_lossy(input).into_owned();
    let answer = AnswerJson { context: Some(said.clone()), system_message: Some(said.clone()), block_reason: Some(said), ..AnswerJson::default() };
    if let Some(json) = answer.to_json(payload.ids.host, &payload.event) {
        assert!(!json.contains('\n'));
        assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok_and(|value| value.is_object()));
    }
});

fn check_ids(ids: &Ids) {
    for id in [&ids.session, &ids.agent, &ids.tool_use].into_iter().flatten() {
        assert!(id.len() <= 128 && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.:".contains(&b)), "{id}");
    }
}

fn check_call(call: &ToolCall<'_>) {
    check_ids(&call.ids);
    let scene = Scene { node: "n", ts: "2026-03-01T08:00:00Z", worktree: None, red_phase: false, expected_failures: &[] };
    let event = observe(call, &scene);
    let execution = event.execution().unwrap();
    assert!(execution.text.as_ref().is_none_or(|text| text.len() <= 4096));
    assert!(execution.input.as_ref().is_none_or(|input| input.len() <= 300));
    let line = serde_json::to_string(&event).unwrap();
    // 64 files of 4 KiB are the most of it.
    assert!(line.len() <= 2 * 1024 * 1024, "{} bytes", line.len());
    // A cut may open a text to another reading, so only whole texts are asked again.
    if let Some(text) = execution.text.as_ref().filter(|text| text.len() < 2048) {
        assert_eq!(redact(text), text.as_str());
    }
}
