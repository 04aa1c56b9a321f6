//! What the host says happened.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Host, Tool};

/// One tool call as the host reported it. Wire names end at `host`; nothing after it sees JSON of a client.
#[derive(Debug, Clone)]
pub struct ToolCall<'a> {
    /// The tool.
    pub tool: Tool,
    /// What the tool was asked to do.
    pub input: ToolInput<'a>,
    /// Who called, and which call it was.
    pub ids: Ids,
    /// The working directory that the host gives.
    pub cwd: Option<String>,
    /// Whether this is the call's own end or the later end of its background work.
    pub phase: Phase,
    /// What the host says of the call's end.
    pub status: Status,
    /// The exit code, where the host states one. Unknown is `None`, never 0.
    pub exit_code: Option<i32>,
    /// The call's output without the host's own phrases (exit code line, time-out line, error tags).
    pub text: Cow<'a, str>,
    /// The limit in milliseconds at which the host ended the command, where it did.
    pub timed_out_after_ms: Option<u64>,
    /// The limit in milliseconds that the call itself asked for, where it did.
    pub timeout_ms: Option<u64>,
    /// How long it took in milliseconds, where the host says so and it was long.
    pub took_ms: Option<u64>,
    /// Whether the host cut the middle or the end out of the output.
    pub truncated: bool,
    /// Whether what the agent's own limit ended had taken the whole screen of a terminal. The sequences that tell it are
    /// taken out with the secrets.
    pub took_screen: bool,
    /// The background task that goes on after this call, where there is one.
    pub background_task: Option<String>,
    /// The host's own reading of a non-zero status that it takes for an answer ("No matches found").
    pub exit_meaning: Option<String>,
    /// The words with which the agent announced the call, where it did. They are looked at and never kept.
    pub description: Option<Cow<'a, str>>,
    /// What a subagent answered, where the call or the background work was one that ended well.
    pub answer: Option<SubagentAnswer<'a>>,
    /// The end of background work that the call asked about and was told: a call of its own, in phase `Background`.
    pub ended: Option<Box<ToolCall<'a>>>,
    /// What a plan tree's collector added: only failure events of skills and scripts carry it.
    pub reported: Reported,
}

/// The end of a subagent, as its parent hears of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubagentAnswer<'a> {
    /// The subagent, as its own calls name it.
    pub agent: String,
    /// Its last words. They are looked at and never kept.
    pub words: Cow<'a, str>,
}

/// What a skill or script adds to a failure event on its own knowledge.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reported {
    /// Why it failed, where the sender knows: `conflict`.
    pub cause: Option<String>,
    /// The conflict that stopped the call.
    pub conflict_id: Option<String>,
    /// The plan node that the call belongs to.
    pub node: Option<String>,
    /// How often this node failed, this failure included.
    pub failed_attempts: Option<u32>,
    /// The files that the call touched.
    pub files_touched: Vec<String>,
}

/// What a tool was asked to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolInput<'a> {
    /// A command line.
    Command {
        /// The command line as given.
        command: Cow<'a, str>,
        /// Whether it was started in the background.
        background: bool,
    },
    /// A file.
    File {
        /// The path as given; clients make it absolute.
        path: Cow<'a, str>,
        /// Which lines were asked for, where not all were.
        lines: AskedLines,
    },
    /// Anything else: the few values that tell one call from another, as `key=value` words.
    Other {
        /// The words, at most 300 characters.
        summary: String,
    },
}

/// The part of a file that a call asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AskedLines {
    /// The first line.
    pub offset: Option<u64>,
    /// How many.
    pub limit: Option<u64>,
}

/// As the words that ask for it, each behind a blank; nothing for the whole file.
impl fmt::Display for AskedLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, number) in [("offset", self.offset), ("limit", self.limit)] {
            if let Some(number) = number {
                write!(f, " {name}={number}")?;
            }
        }
        Ok(())
    }
}

/// Who called. Subagents and parallel calls are distinguished by these.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ids {
    /// The client.
    #[serde(default, skip_serializing_if = "Host::is_unnamed")]
    pub host: Host,
    /// The client's session.
    pub session: Option<String>,
    /// The subagent, inside one.
    pub agent: Option<String>,
    /// The call.
    pub tool_use: Option<String>,
}

/// Which end of a call this is: a background failure carries the launch's id, and is another phase of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The call itself.
    #[default]
    Call,
    /// The later end of work that the call started or left in the background.
    Background,
}

/// What the host says of a call's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It succeeded.
    Succeeded,
    /// It ran and failed.
    Failed,
    /// The tool's own validation refused it before it ran: unknown tool, schema, edit text not found.
    Refused,
    /// A person, a rule, a hook or a permission refused it.
    Denied,
    /// It was cancelled because a parallel call failed.
    Cascade,
    /// The person stopped it.
    Interrupted,
    /// It ended, and nobody says how.
    Unstated,
    /// It goes on in the background: launched there, or moved there when its time was up.
    InBackground,
}

impl<'a> ToolCall<'a> {
    /// A call that ended so, with nothing else known of it: the rest is set by struct update.
    pub fn new(tool: Tool, input: ToolInput<'a>, status: Status) -> Self {
        Self {
            tool,
            input,
            ids: Ids::default(),
            cwd: None,
            phase: Phase::Call,
            status,
            exit_code: None,
            text: Cow::Borrowed(""),
            timed_out_after_ms: None,
            timeout_ms: None,
            took_ms: None,
            truncated: false,
            took_screen: false,
            background_task: None,
            exit_meaning: None,
            description: None,
            answer: None,
            ended: None,
            reported: Reported::default(),
        }
    }
}

impl SubagentAnswer<'_> {
    fn into_owned(self) -> SubagentAnswer<'static> {
        SubagentAnswer { agent: self.agent, words: Cow::Owned(self.words.into_owned()) }
    }
}

impl ToolCall<'_> {
    /// The same call without a borrow of the host's input.
    pub fn into_owned(self) -> ToolCall<'static> {
        ToolCall {
            input: self.input.into_owned(),
            text: Cow::Owned(self.text.into_owned()),
            description: self.description.map(|words| Cow::Owned(words.into_owned())),
            answer: self.answer.map(SubagentAnswer::into_owned),
            ended: self.ended.map(|ended| Box::new(ended.into_owned())),
            ..self
        }
    }

    /// The command line, for a shell tool.
    pub fn command(&self) -> Option<&str> {
        match &self.input {
            ToolInput::Command { command, .. } => Some(command),
            _ => None,
        }
    }

    /// The later end of background work as the call that it is the end of: the launch's command, and the task's own
    /// output where it could be read.
    #[must_use]
    pub fn as_background_of(&self, command: Option<&str>, output: Option<String>) -> ToolCall<'static> {
        let command = command.or(self.command()).unwrap_or_default().to_owned();
        let own = self.clone().into_owned();
        ToolCall {
            input: ToolInput::Command { command: Cow::Owned(command), background: true },
            phase: Phase::Background,
            text: output.map_or(own.text, Cow::Owned),
            timeout_ms: None,
            background_task: None,
            description: None,
            answer: None,
            ended: None,
            ..own
        }
    }

    /// Which lines of its file it asked for.
    pub fn lines(&self) -> AskedLines {
        match self.input {
            ToolInput::File { lines, .. } => lines,
            _ => AskedLines::default(),
        }
    }

    /// The target file, for a file tool.
    pub fn file(&self) -> Option<&str> {
        match &self.input {
            ToolInput::File { path, .. } => Some(path),
            _ => None,
        }
    }
}

impl<'a> ToolInput<'a> {
    /// A whole file.
    pub fn file(path: Cow<'a, str>) -> Self {
        Self::File { path, lines: AskedLines::default() }
    }
}

impl ToolInput<'_> {
    /// The same input, borrowed.
    pub fn borrowed(&self) -> ToolInput<'_> {
        match self {
            Self::Command { command, background } => {
                ToolInput::Command { command: Cow::Borrowed(command), background: *background }
            }
            Self::File { path, lines } => ToolInput::File { path: Cow::Borrowed(path), lines: *lines },
            Self::Other { summary } => ToolInput::Other { summary: summary.clone() },
        }
    }

    /// The same input without a borrow of the host's input.
    pub fn into_owned(self) -> ToolInput<'static> {
        match self {
            Self::Command { command, background } => {
                ToolInput::Command { command: Cow::Owned(command.into_owned()), background }
            }
            Self::File { path, lines } => ToolInput::File { path: Cow::Owned(path.into_owned()), lines },
            Self::Other { summary } => ToolInput::Other { summary },
        }
    }
}
