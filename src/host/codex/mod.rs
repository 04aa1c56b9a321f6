//! What Codex CLI sends and writes, and what it honours.

mod patch;
mod rollout;

use super::answer::{Honours, Said};
use super::call::{self, Response};
use crate::model::{Status, ToolCall, ToolKind};

pub(super) use patch::as_patch;
pub use rollout::{complete, is_rollout, unended};

/// A call that ended. A command passed or failed alike, so what its text does not tell is unstated until the rollout tells
/// it; every other tool has an event only where it passed.
pub(super) fn with_text<'a>(call: ToolCall<'a>, response: Response<'a>) -> ToolCall<'a> {
    if call.tool.kind != ToolKind::Shell {
        return call::succeeded(call, response);
    }
    let call = call::unstated(call, response.text());
    let is_told = call.status != Status::Succeeded || call.exit_code.is_some();
    if is_told { call } else { ToolCall { status: Status::Unstated, ..call } }
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
