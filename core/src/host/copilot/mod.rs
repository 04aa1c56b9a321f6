//! What GitHub Copilot CLI sends under Claude Code's names of events, and what it honours.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::answer::{Honours, Said};
use super::call;
use super::wire::{Lenient, Loose, Read};
use crate::model::ToolCall;

/// How a call ended.
#[derive(Deserialize, Default)]
#[serde(default)]
struct ToolResult<'a> {
    #[serde(borrow)]
    result_type: Loose<'a>,
    text_result_for_llm: Loose<'a>,
}

/// A call that ended. A shell's word for it is `success` whatever the status, which the last line of the text states.
pub(super) fn with_result<'a>(call: ToolCall<'a>, result: Option<&'a RawValue>) -> Read<ToolCall<'a>> {
    let Lenient(result) = match result {
        Some(raw) => serde_json::from_str::<Lenient<ToolResult<'a>>>(raw.get())?,
        None => Lenient::default(),
    };
    let text = result.text_result_for_llm.0.unwrap_or_default();
    Ok(match result.result_type.as_str() {
        "" | "success" => call::passed_with(call, text),
        _ => call::failed(call, text),
    })
}

/// What each event honours.
pub(super) const HONOURED: &[Honours] = &[
    Honours { context: Said::Top, ..Honours::of("PostToolUse") },
    Honours { context: Said::Top, ..Honours::of("PostToolUseFailure") },
    Honours { context: Said::Inside, refusal: Said::Inside, ..Honours::of("PreToolUse") },
    Honours { context: Said::Top, ..Honours::of("UserPromptSubmit") },
    Honours { context: Said::Top, ..Honours::of("SessionStart") },
    Honours { context: Said::Decision("block"), block: Said::Decision("block"), ..Honours::of("Stop") },
    Honours { context: Said::Decision("block"), block: Said::Decision("block"), ..Honours::of("SubagentStop") },
];
