//! What Gemini CLI sends, and what it honours. Qwen Code answers in the same form.

use super::answer::{Honours, Said};
use super::call::{self, Response};
use crate::model::ToolCall;

/// Its events by what others call them.
const EVENTS: &[(&str, &str)] = &[
    ("BeforeTool", "PreToolUse"),
    ("AfterTool", "PostToolUse"),
    ("BeforeAgent", "UserPromptSubmit"),
    ("AfterAgent", "Stop"),
    // Before each request of the model.
    ("PreCompress", ""),
    ("BeforeModel", ""),
    ("AfterModel", ""),
    ("BeforeToolSelection", ""),
];

/// What others call an event of its own; None for a name that it shares.
pub(super) fn common_name(event: &str) -> Option<&'static str> {
    EVENTS.iter().find(|(own, _)| *own == event).map(|(_, name)| *name)
}

/// A call that ended: an error where the tool says so, else what the frame around its output says.
pub(super) fn with_response<'a>(call: ToolCall<'a>, response: Response<'a>) -> ToolCall<'a> {
    match response.shown() {
        (_, Some(error)) => call::failed(call, error),
        (shown, None) => call::passed_with(call, shown),
    }
}

/// What each event honours.
pub(super) const HONOURED: &[Honours] = &[
    Honours { context: Said::Inside, ..Honours::of("AfterTool") },
    Honours { refusal: Said::Decision("deny"), ..Honours::of("BeforeTool") },
    Honours { context: Said::Inside, ..Honours::of("BeforeAgent") },
    Honours { context: Said::Inside, ..Honours::of("SessionStart") },
    Honours { context: Said::Decision("deny"), block: Said::Decision("deny"), ..Honours::of("AfterAgent") },
];
