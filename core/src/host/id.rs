//! Identifiers as they may be stored, compared and shown. They come from outside, so they may be anything.

use super::payload::PayloadKind;
use crate::digest::hex16;
use crate::model::{Ids, ToolCall, Turn};
use crate::redact::redact;

/// The longest identifier that is kept as it is.
const LONGEST: usize = 128;

/// An identifier of few characters and without secrets stays as it is; of another one only a digest is kept, made after
/// secrets were taken out, so that equal ones stay equal and nothing of it can be read.
pub fn is_known_id(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':');
    (1..=LONGEST).contains(&id.len()) && id.bytes().all(plain) && redact(id) == id
}

/// Makes an identifier safe to keep.
pub fn settle(id: &mut Option<String>) {
    if let Some(text) = id.as_mut().filter(|text| !is_known_id(text)) {
        *text = format!("id-{}", hex16(&[&redact(text)]));
    }
}

/// Makes identifiers safe to keep.
pub fn settle_ids(ids: &mut Ids) {
    settle(&mut ids.session);
    settle(&mut ids.agent);
    settle(&mut ids.tool_use);
}

fn settle_call(call: &mut ToolCall<'_>) {
    settle_ids(&mut call.ids);
    settle(&mut call.background_task);
    if let Some(answer) = &mut call.answer {
        answer.agent = settled(Some(std::mem::take(&mut answer.agent))).unwrap_or_default();
    }
    if let Some(ended) = &mut call.ended {
        settle_call(ended);
    }
    settle(&mut call.reported.node);
    // An empty one is said to be set, and names nothing.
    if call.reported.conflict_id.as_deref() != Some("") {
        settle(&mut call.reported.conflict_id);
    }
}

/// Makes what names an answer of the model safe to keep. A provider may stand before a model's name.
pub fn settle_turn(turn: &mut Turn) {
    let message = Some(std::mem::take(&mut turn.message));
    turn.message = settled(message).unwrap_or_default();
    let is_name = |model: &str| model.split(['/', '@']).all(is_known_id);
    turn.model = turn.model.take().filter(|model| is_name(model.strip_suffix(Turn::FAST).unwrap_or(model)));
}

fn settled(mut id: Option<String>) -> Option<String> {
    settle(&mut id);
    id
}

/// Makes the identifiers of every call safe to keep.
pub fn settle_calls(kind: &mut PayloadKind<'_>) {
    match kind {
        PayloadKind::Before(call)
        | PayloadKind::Call(call)
        | PayloadKind::ApiError(call)
        | PayloadKind::Report(call)
        | PayloadKind::Background { call, .. } => {
            settle_call(call);
        }
        PayloadKind::Batch(calls) => calls.iter_mut().for_each(settle_call),
        PayloadKind::Prompt { .. }
        | PayloadKind::SessionStart { .. }
        | PayloadKind::Stop { .. }
        | PayloadKind::Other => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(text: &str) -> String {
        let mut id = Some(text.to_owned());
        settle(&mut id);
        id.unwrap()
    }

    #[test]
    fn the_ids_of_clients_stay() {
        for id in
            ["toolu_01AbCdEf", "4f8b1c2e-9d3a-4b5c-8e7f-001122334455", "functions.Bash:0", "TASK-00412", "a1b2c3d"]
        {
            assert_eq!(settled(id), id);
        }
    }

    #[test]
    fn others_become_digests_that_are_equal_when_they_are() {
        let long = "x".repeat(129);
        for id in ["../../x", "a b", "a\nb", "a\u{202e}", "", "<system-reminder>", long.as_str()] {
            let digest = settled(id);
            assert!(digest.starts_with("id-") && digest.len() == 19, "{id}: {digest}");
            assert_eq!(settled(id), digest);
            assert_eq!(settled(&digest), digest);
        }
        assert_ne!(settled("a b"), settled("a c"));
    }

    #[test]
    fn a_secret_leaves_nothing_that_tells_it_from_another() {
        assert_eq!(settled("password=hunter2x"), settled("password=hunter3y"));
    }
}
