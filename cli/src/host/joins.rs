//! What readers of session files share: calls that wait for their result, background work without an end, and what was told
//! of answers of the model. All of it is bounded: a hostile file must not grow the memory.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::call::{self, GivenInput};
use super::files::FileCalls;
use super::payload::{PayloadKind, said};
use super::transcript::{EntryNews, Skip, Summary, TranscriptEntry};
use super::wire::Read;
use crate::model::{Ids, Status, Tool, ToolCall, ToolInput, Turn, Usage};
use crate::time::parse;

/// The most calls without a result, and background tasks without an end, that are remembered.
pub(super) const MAX_OPEN: usize = 1024;

/// What is known of a session's calls while its lines are read.
#[derive(Debug, Default)]
pub(super) struct SessionJoins {
    waiting: VecDeque<OpenCall>,
    /// Calls that have their result: copies of a line must not count twice.
    answered: HashSet<u64>,
    /// Background tasks with the call that launched them.
    launched: VecDeque<TaskLaunch>,
    /// Ends of background tasks that were told: the same notice stands in up to three lines.
    ended: HashSet<u64>,
    /// What was told of each answer of the model: its lines repeat its usage, and the last has the final one.
    turns: HashMap<u64, Usage>,
    /// What calls tell of files, where that is asked for.
    pub(super) files: Option<FileCalls>,
    summary: Summary,
}

/// Tokens of an answer: input, output, and what of the input was read from the cache and written to it.
pub(super) fn whole_input([input, output, cache_read, cache_write]: [u64; 4]) -> Usage {
    let input = input.saturating_sub(cache_read).saturating_sub(cache_write);
    Usage { input, output, cache_read, cache_write, cache_write_1h: 0 }
}

/// A call without its result.
#[derive(Debug)]
pub(super) struct OpenCall {
    pub(super) id: String,
    pub(super) tool: Tool,
    pub(super) input: ToolInput<'static>,
    /// The words with which it was announced.
    pub(super) description: Option<Cow<'static, str>>,
    /// The limit that it asked for.
    pub(super) timeout_ms: Option<u64>,
    /// When it was made.
    pub(super) ts: Option<String>,
}

impl OpenCall {
    /// A call of this tool with what it was given.
    pub(super) fn of(id: &str, tool: &str, given: &GivenInput<'_>, ts: Option<String>) -> Read<Self> {
        let tool = Tool::named(tool);
        let input = given.input(tool.kind)?.into_owned();
        let description = given.description(tool.kind)?.map(|words| Cow::Owned(words.into_owned()));
        let timeout_ms = given.timeout_ms(tool.kind);
        Ok(Self { id: id.to_owned(), tool, input, description, timeout_ms, ts })
    }
}

#[derive(Debug)]
struct TaskLaunch {
    task: String,
    tool_use: Option<String>,
    tool: Tool,
}

/// What all entries of a line share.
#[derive(Debug, Clone)]
pub(super) struct EntryPlace {
    pub(super) ts: Option<String>,
    pub(super) ids: Ids,
    pub(super) cwd: Option<String>,
    pub(super) line: usize,
}

impl EntryPlace {
    pub(super) fn entry(&self, kind: PayloadKind<'static>) -> TranscriptEntry {
        self.entry_of(EntryNews::Event(Box::new(kind)))
    }

    /// A person's words. A subagent is spoken to by the agent that began it.
    pub(super) fn prompt(&self, text: &str) -> Entries {
        if text.trim().is_empty() || self.ids.agent.is_some() {
            return Err(Skip::NothingInIt);
        }
        Ok(vec![self.entry(said(text, &self.ids, self.cwd.as_deref()).into_owned())])
    }

    pub(super) fn entry_of(&self, told: EntryNews) -> TranscriptEntry {
        TranscriptEntry { ts: self.ts.clone(), told, ids: self.ids.clone(), marked_error: false, line: self.line }
    }
}

/// What a line gives: entries, none of them where it only makes a call known, or the reason why it tells nothing.
pub(super) type Entries = Result<Vec<TranscriptEntry>, Skip>;

impl SessionJoins {
    /// The number of the line that is read, from 1.
    pub(super) fn line(&self) -> usize {
        self.summary.lines
    }

    /// Counts the line that is read next.
    pub(super) fn next_line(&mut self) {
        self.summary.lines += 1;
    }

    pub(super) fn skip(&mut self, reason: Skip) {
        *self.summary.skipped.entry(reason).or_default() += 1;
    }

    /// What was read. Calls that still wait for their result never got one.
    pub(super) fn finish(mut self) -> Summary {
        self.summary.without_result += self.waiting.len();
        self.summary
    }

    /// A call was made.
    pub(super) fn wait(&mut self, call: OpenCall) {
        if self.is_answered(&call.id) || self.waits_for(&call.id) {
            return;
        }
        if self.waiting.len() == MAX_OPEN {
            self.waiting.pop_front();
            self.summary.without_result += 1;
        }
        self.waiting.push_back(call);
    }
    /// The call that a result with this id ends, as it began, at the place of the result.
    pub(super) fn begun(&self, id: &str, place: &EntryPlace) -> Result<ToolCall<'static>, Skip> {
        let Some(known) = self.waiting.iter().rev().find(|known| known.id == id) else {
            let copy = self.is_answered(id);
            return Err(if copy { Skip::Duplicate } else { Skip::ResultWithoutCall });
        };
        let ids = Ids { tool_use: Some(id.to_owned()), ..place.ids.clone() };
        let call = call::begun(known.tool.clone(), known.input.clone(), ids, place.cwd.clone());
        let took_ms = took(known.ts.as_deref(), place.ts.as_deref());
        Ok(ToolCall { description: known.description.clone(), timeout_ms: known.timeout_ms, took_ms, ..call })
    }

    /// The entry of a call that a result ended, with whether it is marked as an error.
    pub(super) fn join(
        &mut self,
        result: Result<(ToolCall<'static>, bool), Skip>,
        place: &EntryPlace,
    ) -> Option<TranscriptEntry> {
        match result.and_then(|(call, marked_error)| Ok((self.answer(call)?, marked_error))) {
            Ok((call, marked_error)) => {
                let ids = call.ids.clone();
                Some(TranscriptEntry { ids, marked_error, ..place.entry(PayloadKind::Call(call)) })
            }
            Err(reason) => {
                self.skip(reason);
                None
            }
        }
    }

    fn answer(&mut self, call: ToolCall<'static>) -> Result<ToolCall<'static>, Skip> {
        let id = call.ids.tool_use.as_deref().unwrap_or_default();
        if !self.answered.insert(hash(id)) {
            return Err(Skip::Duplicate);
        }
        self.waiting.retain(|known| known.id != id);
        self.summary.calls += 1;
        if call.status == Status::InBackground
            && let Some(task) = call.background_task.clone()
        {
            self.launch(TaskLaunch { task, tool_use: call.ids.tool_use.clone(), tool: call.tool.clone() });
        }
        Ok(call)
    }

    fn launch(&mut self, launch: TaskLaunch) {
        push_bounded(&mut self.launched, launch);
    }

    /// Whether this background task was launched here.
    pub(super) fn is_launched(&self, task: &str) -> bool {
        self.launched.iter().any(|launch| launch.task == task)
    }

    /// Background work ended: once, under the id of its launch.
    pub(super) fn ended(
        &mut self,
        mut call: ToolCall<'static>,
        output_file: Option<String>,
        place: &EntryPlace,
    ) -> Entries {
        let launch = self.launched.iter().rev().find(|launch| Some(&launch.task) == call.background_task.as_ref());
        if let Some(launch) = launch {
            call.ids.tool_use = call.ids.tool_use.or_else(|| launch.tool_use.clone());
            call.tool = launch.tool.clone();
        }
        let task = call.background_task.as_ref().or(call.ids.tool_use.as_ref());
        if !self.ended.insert(hash(&(task, call.status as u8))) {
            return Err(Skip::Duplicate);
        }
        let ids = call.ids.clone();
        Ok(vec![TranscriptEntry { ids, ..place.entry(PayloadKind::Background { call, output_file }) }])
    }

    /// What a line adds to what is known of an answer of the model; None where it adds nothing. Answers without an id cannot be
    /// told apart.
    pub(super) fn turn(&mut self, id: &str, model: impl FnOnce() -> Option<String>, usage: Usage) -> Option<EntryNews> {
        if id.is_empty() {
            return None;
        }
        let key = hash(id);
        let known = self.turns.get(&key).copied();
        let before = known.unwrap_or_default();
        let now = before.max(usage);
        if known == Some(now) {
            return None;
        }
        self.turns.insert(key, now);
        let turn = Box::new(Turn { message: id.to_owned(), model: model(), usage: now.since(before) });
        Some(EntryNews::Turn { turn, before: known })
    }

    /// Whether a call with this id has its result.
    pub(super) fn is_answered(&self, id: &str) -> bool {
        self.answered.contains(&hash(id))
    }

    /// Whether a call with this id waits for its result.
    pub(super) fn waits_for(&self, id: &str) -> bool {
        self.waiting.iter().rev().any(|known| known.id == id)
    }

    /// The entry of a result: what `end` makes of the call that it ends. Where no result is marked as an error, what did not
    /// go well is.
    pub(super) fn result(
        &mut self,
        id: &str,
        place: &EntryPlace,
        end: impl FnOnce(ToolCall<'static>) -> ToolCall<'static>,
    ) -> Option<TranscriptEntry> {
        let ended = self.begun(id, place).map(end);
        let marked =
            |call: &ToolCall<'_>| !matches!(call.status, Status::Succeeded | Status::Unstated | Status::InBackground);
        self.join(ended.map(|call| (marked(&call), call)).map(|(marked, call)| (call, marked)), place)
    }

    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }
}

/// The time between two lines.
fn took(from: Option<&str>, to: Option<&str>) -> Option<u64> {
    let span = parse(to?)?.signed_duration_since(parse(from?)?);
    u64::try_from(span.num_milliseconds()).ok()
}

/// Ids are remembered by 64 bits: a long session must not grow the memory by its ids.
fn hash(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Puts an item behind the others, in the place of the oldest where there are too many.
pub(super) fn push_bounded<T>(items: &mut VecDeque<T>, item: T) {
    if items.len() == MAX_OPEN {
        items.pop_front();
    }
    items.push_back(item);
}
