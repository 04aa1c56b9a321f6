//! The end of background work, as the answer to a call that asks for its output tells it.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::call;
use super::notification;
use super::wire::{self, Loose};
use crate::model::{Ids, Phase, Status, Tool, ToolCall, ToolInput};

/// The tools that ask.
pub(super) const ASKS: &[&str] = &["TaskOutput", "BashOutput"];

/// A task, as the client tells of it.
#[derive(Deserialize, Debug, Default)]
#[serde(default)]
pub(super) struct BackgroundTask<'a> {
    #[serde(borrow, rename = "task_id")]
    pub(super) id: Loose<'a>,
    #[serde(rename = "task_type")]
    pub(super) kind: Loose<'a>,
    pub(super) status: Loose<'a>,
    #[serde(rename = "exitCode")]
    pub(super) exit_code: Option<&'a RawValue>,
    pub(super) output: Loose<'a>,
}

/// What is told of background work.
pub(super) struct AskedTask<'a> {
    pub(super) task: Loose<'a>,
    pub(super) command: Loose<'a>,
    /// The word for its status: `running`, `completed`, `failed`, `killed`.
    pub(super) status: Loose<'a>,
    pub(super) exit_code: Option<&'a RawValue>,
    pub(super) text: Cow<'a, str>,
}

impl<'a> AskedTask<'a> {
    /// The end of the call that launched the work; None while it runs.
    pub(super) fn end_of(self, asking: &ToolCall<'_>) -> Option<ToolCall<'a>> {
        let exit_code = wire::number(self.exit_code);
        let status = match notification::status(self.status.as_str())? {
            Status::Succeeded if exit_code.is_some_and(|code: i32| code != 0) => Status::Failed,
            status => status,
        };
        let input = match self.command.filled() {
            Some(command) => ToolInput::Command { command, background: true },
            None => ToolInput::Other { summary: String::new() },
        };
        let ids = Ids { tool_use: None, ..asking.ids.clone() };
        Some(ToolCall {
            phase: Phase::Background,
            status,
            exit_code,
            text: self.text,
            background_task: self.task.owned(),
            ..call::begun(Tool::named("Bash"), input, ids, asking.cwd.clone())
        })
    }
}
