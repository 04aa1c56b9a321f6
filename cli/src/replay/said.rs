//! Every message of a replay, with the calls that it is about and what ran after it: what one reads to judge them.

use serde::Serialize;

use super::row::word;
use super::tally::name_of;
use crate::engine::Step;
use crate::history::{Body, Event, Execution};
use crate::model::{Ids, Outcome, Phase, Status, Tool, ToolCall, words};
use crate::names::{MissingKind, MissingName};
use crate::text::quoted;

/// The most of a path that is listed, in characters.
const PATH: usize = 200;

/// A message that was sent, or would have been.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReplayedMessages {
    /// The file that tells of the session, as it was named.
    pub file: String,
    /// The client's session; `unknown` where the data names none.
    pub session: String,
    /// When, as the data says.
    pub ts: String,
    /// What kind of message: `stop`, `commit` and `guard` by the occasion, else its topic, such as `edit_text`, as a page of
    /// `rules/advice/` has it. Of a notice its own kind.
    pub kind: String,
    /// The hook event that it answers.
    pub event: &'static str,
    /// The failed calls that it is about, oldest first.
    pub tool_use_ids: Vec<String>,
    /// The words.
    pub said: String,
    /// To whom, and how.
    pub form: MessageForm,
    /// The next calls of the same node, at most [`ReplayedMessages::MOST_AFTER`].
    pub after: Vec<NextCall>,
    /// The failed call as given, redacted.
    #[serde(skip)]
    pub call: Option<String>,
    /// Whose turn it was.
    #[serde(skip)]
    node: String,
}

impl ReplayedMessages {
    /// How many of the calls after a message are kept.
    pub const MOST_AFTER: usize = 8;
}

words! {
    /// To whom something is said, and how.
    pub enum MessageForm {
        /// To the agent, beside what it sees anyway.
        Advice = "advice",
        /// To the person.
        Notice = "notice",
        /// To the agent, instead of what it wanted to do: run a call, or end its turn.
        Refusal = "refusal",
        /// To nobody: where the hook looks for a name before it says anything. What stood there is not in the data, so that
        /// nobody knows now whether anything was to be said.
        Look = "look",
    }
}

/// A call that ran after a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NextCall {
    /// The call.
    pub tool_use_id: Option<String>,
    /// When it ended, as the data says.
    pub ts: String,
    /// The tool's canonical name.
    pub tool: String,
    /// The command or target as given, redacted, at most 300 characters.
    pub input: String,
    /// What became of it.
    pub outcome: Outcome,
    /// What the run inside said, such as `passed`; null where its output was not understood.
    pub result: Option<String>,
    /// The error line that matters, redacted.
    pub line: Option<String>,
}

/// The occasion of a message: who worked, when, and which event is answered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Occasion<'a> {
    pub(super) file: &'a str,
    pub(super) node: &'a str,
    pub(super) ids: &'a Ids,
    pub(super) ts: &'a str,
    pub(super) event: &'static str,
}

/// What a message is about: its failed calls, and the last of them as given.
#[derive(Debug, Default)]
pub(super) struct About {
    pub(super) tool_use_ids: Vec<String>,
    pub(super) call: Option<String>,
}

/// The messages of a replay so far.
#[derive(Debug, Default)]
pub(super) struct MessageList {
    all: Vec<ReplayedMessages>,
    /// Where those stand that lack calls after them.
    waiting: Vec<usize>,
}

impl MessageList {
    /// A call ended, after everything that was said so far.
    pub(super) fn ran(&mut self, event: &Event, execution: &Execution) {
        let all = &mut self.all;
        self.waiting.retain(|index| {
            let Some(said) = all.get_mut(*index) else { return false };
            if said.node == event.node {
                said.after.push(ran(event, execution));
            }
            said.after.len() < ReplayedMessages::MOST_AFTER
        });
    }

    /// Something was said.
    pub(super) fn add(&mut self, at: &Occasion<'_>, form: MessageForm, kind: String, text: &str, mut about: About) {
        if about.tool_use_ids.is_empty() {
            about.tool_use_ids.extend(at.ids.tool_use.clone());
        }
        self.waiting.push(self.all.len());
        self.all.push(ReplayedMessages {
            file: at.file.to_owned(),
            session: name_of(at.ids.session.as_deref()).to_owned(),
            ts: at.ts.to_owned(),
            kind,
            event: at.event,
            tool_use_ids: about.tool_use_ids,
            said: text.to_owned(),
            form,
            after: Vec::new(),
            call: about.call,
            node: at.node.to_owned(),
        });
    }

    /// All of them, in their order.
    pub(super) fn finish(self) -> Vec<ReplayedMessages> {
        self.all
    }
}

fn ran(event: &Event, execution: &Execution) -> NextCall {
    let reading = execution.reading.as_ref();
    NextCall {
        tool_use_id: event.tool_use_id.clone(),
        ts: event.ts.clone(),
        tool: execution.tool.clone().unwrap_or_default(),
        input: execution.input.clone().unwrap_or_default(),
        outcome: execution.outcome.unwrap_or(Outcome::Succeeded),
        result: reading.filter(|reading| reading.runner.is_some()).map(|reading| word(&reading.result)),
        line: reading.and_then(|reading| reading.line.clone()),
    }
}

/// Where the hook looks for a missing name, in words.
pub(super) fn look_words(missing: &MissingName) -> String {
    let folder = quoted(&missing.folder, PATH);
    match missing.what {
        MissingKind::Path { .. } => {
            format!("looks for the only tracked name close to {}", quoted(&missing.name, PATH))
        }
        MissingKind::Declared(declared) => {
            let manifests = declared.manifests.join(" or ");
            format!("looks for a {} like {} in the {manifests} of {folder}", declared.word, quoted(&missing.name, PATH))
        }
    }
}

/// The event by which the host tells of a call's end.
pub(super) fn event_of(call: &ToolCall<'_>) -> &'static str {
    match call.status {
        _ if call.phase == Phase::Background => "UserPromptSubmit",
        _ if call.tool.name == Tool::MODEL_API => "StopFailure",
        Status::Succeeded | Status::Unstated | Status::InBackground => "PostToolUse",
        Status::Failed => "PostToolUseFailure",
        _ => "PostToolBatch",
    }
}

/// The same of a call that a history tells of.
pub(super) fn event_of_recorded(execution: &Execution) -> &'static str {
    match execution.outcome {
        _ if execution.phase == Some(Phase::Background) => "UserPromptSubmit",
        _ if execution.tool.as_deref() == Some(Tool::MODEL_API) => "StopFailure",
        Some(Outcome::Failed) => "PostToolUseFailure",
        _ => "PostToolUse",
    }
}

/// The event of an agent that ends its turn.
pub(super) fn event_of_stop(ids: &Ids) -> &'static str {
    if ids.agent.is_some() { "SubagentStop" } else { "Stop" }
}

/// What kind of advice a step gives: its topic after a failure, else the occasion, by the code in brackets that ends it.
pub(super) fn kind_of(text: &str, step: &Step, event: &str) -> String {
    let topic = step.events.iter().find_map(|event| match &event.body {
        Body::FailureClassified(classified) => classified.topic,
        _ => None,
    });
    topic.map_or_else(|| occasion(text, event).to_owned(), |topic| word(&topic))
}

/// Of what a hidden failure or a wait is told later: where the agent stops, after a commit, and once a call went on by itself.
fn occasion(text: &str, event: &str) -> &'static str {
    let code = text.strip_suffix(']').and_then(|text| text.rsplit_once('[')).map_or("", |(_, code)| code);
    match event {
        "Stop" | "SubagentStop" => "stop",
        _ if code.starts_with("masked") => "commit",
        _ if code.starts_with('§') => "working_form",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_occasion_and_the_code_tell_the_kind() {
        for (text, event, wanted) in [
            ("`a` exited 0. [masked c2e4]", "PostToolUse", "commit"),
            ("`a` exited 0. [masked c2e4]", "Stop", "stop"),
            ("`a` exited 0. [masked c2e4]", "SubagentStop", "stop"),
            ("`vi a` opens an editor. [§62]", "UserPromptSubmit", "working_form"),
            ("no code at all", "PostToolUse", "other"),
            ("", "PostToolUse", "other"),
        ] {
            assert_eq!(occasion(text, event), wanted, "{text}");
        }
    }
}
