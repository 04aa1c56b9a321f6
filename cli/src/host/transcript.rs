//! Session files and stream captures of the clients: one line in, what it tells out.

use std::collections::BTreeMap;

use super::claude::ClaudeLines;
use super::codex::CodexLines;
use super::copilot::CopilotLines;
use super::files::FileCalls;
use super::gemini::GeminiLines;
use super::joins::{Entries, SessionJoins};
use super::payload::PayloadKind;
use super::wire::{self, Read};
use super::{id, qwen};
use crate::edits::FileNews;
use crate::model::{Host, Ids, Turn, Usage};

/// The longest line that is read, in bytes.
pub const MAX_LINE_BYTES: usize = 64 * 1024 * 1024;
/// Reads a session file, a subagent's file or a stream capture line by line, and joins each result with its call.
#[derive(Debug, Default)]
pub struct Transcript {
    joins: SessionJoins,
    lines: HostLines,
}

/// The reader of one client's lines.
#[derive(Debug)]
enum HostLines {
    Claude(ClaudeLines),
    Codex(CodexLines),
    Copilot(CopilotLines),
    Gemini(GeminiLines),
    /// Each of its lines says all of itself.
    Qwen,
}

impl Default for HostLines {
    fn default() -> Self {
        Self::Claude(ClaudeLines::default())
    }
}

impl HostLines {
    fn of(host: Host) -> Self {
        match host {
            Host::Claude => Self::default(),
            Host::Codex => Self::Codex(CodexLines::default()),
            Host::Copilot => Self::Copilot(CopilotLines::default()),
            Host::Gemini => Self::Gemini(GeminiLines::default()),
            Host::Qwen => Self::Qwen,
        }
    }

    /// Reads a line. Changes nothing when it fails: the caller reads the repaired line again.
    fn read(&mut self, joins: &mut SessionJoins, text: &str) -> Read<Entries> {
        match self {
            Self::Claude(lines) => lines.read(joins, text),
            Self::Codex(lines) => lines.read(joins, text),
            Self::Copilot(lines) => lines.read(joins, text),
            Self::Gemini(lines) => lines.read(joins, text),
            Self::Qwen => qwen::read_turn(joins, text),
        }
    }
}

/// One thing that a transcript tells, in the order of the file.
#[derive(Debug, Clone)]
pub struct TranscriptEntry {
    /// When, as written.
    pub ts: Option<String>,
    /// What.
    pub told: EntryNews,
    /// The session, the subagent, and the call where there is one.
    pub ids: Ids,
    /// Whether the client marked the result as an error.
    pub marked_error: bool,
    /// The line's number, from 1.
    pub line: usize,
}

/// What an entry tells.
#[derive(Debug, Clone)]
pub enum EntryNews {
    /// What a live payload would tell in the same terms: `Call`, `Background`, `Prompt` or `ApiError`.
    Event(Box<PayloadKind<'static>>),
    /// An answer of the model.
    Turn {
        /// The answer; its usage is what this line adds to what was told of it before, so that the sum over all entries
        /// counts each answer once.
        turn: Box<Turn>,
        /// What was told of this answer before; None where this is the first of it.
        before: Option<Usage>,
    },
    /// What the model said.
    Words(String),
    /// Until here the client waited: for a model that did not answer, or for what ran in the background.
    Waited,
    /// What a call tells of a file, before the call's own entry.
    File(Box<FileNews>),
    /// A subagent's call that was reported as completed, which says nothing of how its own calls went. It follows the
    /// call, under the same ids.
    AgentCompleted {
        /// The subagent as its own lines name it, where the data says so.
        agent: Option<String>,
    },
}

impl EntryNews {
    /// What a live payload would tell; nothing for what only a transcript knows.
    pub fn event(&self) -> Option<&PayloadKind<'static>> {
        match self {
            Self::Event(kind) => Some(kind),
            Self::Turn { .. } | Self::Words(_) | Self::Waited | Self::File(_) | Self::AgentCompleted { .. } => None,
        }
    }
}

impl TranscriptEntry {
    /// What joins lines must be as written; what leaves here must be safe to keep.
    fn settle(&mut self) {
        id::settle_ids(&mut self.ids);
        match &mut self.told {
            EntryNews::Event(kind) => id::settle_calls(kind),
            EntryNews::Turn { turn, .. } => id::settle_turn(turn),
            EntryNews::Words(_) | EntryNews::Waited | EntryNews::File(_) => {}
            EntryNews::AgentCompleted { agent } => id::settle(agent),
        }
        self.ts = self.ts.take().filter(|ts| is_time(ts));
    }
}

/// The characters of a time as RFC 3339 writes it.
pub(super) fn is_time(ts: &str) -> bool {
    ts.len() <= 40
        && ts.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'T' | b'Z' | b't' | b'z' | b':' | b'.' | b'+' | b'-'))
}

/// What was read, and what was not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// All lines.
    pub lines: usize,
    /// Results that were joined with their calls.
    pub calls: usize,
    /// Calls that never got a result.
    pub without_result: usize,
    /// Lines and results that gave no entry, by reason.
    pub skipped: BTreeMap<Skip, usize>,
}

/// Why a line, or a result in it, gave no entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Skip {
    /// An empty line.
    Blank,
    /// More than [`MAX_LINE_BYTES`].
    TooLong,
    /// Not a JSON object.
    NotJson,
    /// A type of line that is not known.
    UnknownType,
    /// A known type of line that tells nothing of calls or prompts.
    NothingInIt,
    /// A result whose call was not seen.
    ResultWithoutCall,
    /// A copy of a result or notice that was already told.
    Duplicate,
}

impl Transcript {
    /// A transcript of a client of which nothing has been read; the default is of Claude Code.
    pub fn of(host: Host) -> Self {
        Self { lines: HostLines::of(host), ..Self::default() }
    }

    /// Begins in this folder, for clients whose lines do not tell it.
    #[must_use]
    pub fn in_folder(mut self, folder: Option<String>) -> Self {
        if let HostLines::Gemini(lines) = &mut self.lines {
            lines.begin_in(folder);
        }
        self
    }

    /// Also tells of the contents of files.
    #[must_use]
    pub fn with_files(mut self) -> Self {
        self.joins.files = Some(FileCalls::default());
        self
    }

    /// Reads the next line. Lines must come in the order of the file.
    pub fn line(&mut self, line: &str) -> Vec<TranscriptEntry> {
        self.joins.next_line();
        let told = match unread(line) {
            Some(reason) => Err(reason),
            // What can be repaired is read again.
            None => match self.read(line) {
                Err(_) => wire::repaired(line.as_bytes()).and_then(|line| self.read(&line).ok()),
                told => told.ok(),
            }
            .unwrap_or(Err(Skip::NotJson)),
        };
        let mut entries = told.unwrap_or_else(|reason| {
            self.joins.skip(reason);
            Vec::new()
        });
        entries.iter_mut().for_each(TranscriptEntry::settle);
        entries
    }

    /// Counts a line that the caller passed over because of its length.
    pub fn too_long(&mut self) {
        self.joins.next_line();
        self.joins.skip(Skip::TooLong);
    }

    /// What was read. Calls that still wait for their result never got one.
    pub fn finish(self) -> Summary {
        self.joins.finish()
    }

    fn read(&mut self, line: &str) -> Read<Entries> {
        self.lines.read(&mut self.joins, line)
    }

    /// How many calls wait for their result.
    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        self.joins.waiting()
    }
}

fn unread(line: &str) -> Option<Skip> {
    match line.trim_start() {
        "" => Some(Skip::Blank),
        _ if line.len() > MAX_LINE_BYTES => Some(Skip::TooLong),
        text if !text.starts_with('{') => Some(Skip::NotJson),
        _ => None,
    }
}

/// What tests of the clients' readers ask of lines.
#[cfg(test)]
pub(super) mod played {
    use serde_json::Value;

    use super::{PayloadKind, Summary, Transcript, TranscriptEntry};
    use crate::model::{Host, ToolCall};

    /// All that lines of a client tell, and what was read.
    pub(in crate::host) fn read_as(host: Host, lines: &[Value]) -> (Vec<TranscriptEntry>, Summary) {
        let mut transcript = Transcript::of(host);
        let entries = lines.iter().flat_map(|line| transcript.line(&line.to_string())).collect();
        (entries, transcript.finish())
    }

    /// The call that an entry tells of, where it does.
    pub(in crate::host) fn call_in(entry: &TranscriptEntry) -> Option<&ToolCall<'static>> {
        match entry.told.event()? {
            PayloadKind::Call(call) | PayloadKind::Background { call, .. } | PayloadKind::ApiError(call) => Some(call),
            _ => None,
        }
    }

    /// The call that an entry tells of.
    pub(in crate::host) fn call(entry: &TranscriptEntry) -> &ToolCall<'static> {
        call_in(entry).unwrap()
    }
}
