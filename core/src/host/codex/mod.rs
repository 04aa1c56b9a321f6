//! What Codex CLI sends and writes, and what it honours.

mod patch;
mod rollout;

use super::answer::{Honours, Said};
use super::call::{self, Response};
use crate::model::{Status, ToolCall, ToolKind};

pub use patch::as_patch;
pub use rollout::{COMMAND, RolloutItem, complete, is_rollout, unended};

/// A call that ended. The event of a command is the same whether it passed or failed, and holds what it printed alone: how it
/// ended is unstated until the rollout tells it. Every other tool has an event only where it passed.
pub(super) fn with_text<'a>(call: ToolCall<'a>, response: Response<'a>) -> ToolCall<'a> {
    match call.tool.kind {
        ToolKind::Shell => ToolCall { status: Status::Unstated, text: response.text(), ..call },
        _ => call::succeeded(call, response),
    }
}

/// What each event honours: a field that an event does not know makes the client call the hook failed.
pub(super) const HONOURED: &[Honours] = &[
    Honours { context: Said::Inside, ..Honours::of("PostToolUse") },
    Honours { context: Said::Inside, refusal: Said::Inside, ..Honours::of("PreToolUse") },
    Honours { context: Said::Inside, ..Honours::of("UserPromptSubmit") },
    Honours { context: Said::Inside, ..Honours::of("SessionStart") },
    Honours { context: Said::Decision("block"), block: Said::Decision("block"), ..Honours::of("Stop") },
    Honours { context: Said::Decision("block"), block: Said::Decision("block"), ..Honours::of("SubagentStop") },
];
