//! Session files and stream captures of the client: one line in, what it tells out.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::Deserialize;
use serde_json::value::RawValue;

use super::call;
use super::notification::{self, Notice};
use super::payload::{Kind, said};
use super::wire::{self, Loose, Read, Shape};
use crate::model::{Ids, Status, Tool, ToolCall, ToolInput};

/// The longest line that is read, in bytes.
pub const MAX_LINE_BYTES: usize = 64 * 1024 * 1024;

/// The most calls without a result, and background tasks without an end, that are remembered.
const MAX_OPEN: usize = 4096;

/// Reads a session file, a subagent's file or a stream capture line by line, and joins each result with its call.
#[derive(Debug, Default)]
pub struct Transcript {
    waiting: VecDeque<Waiting>,
    /// Calls that have their result: copies of a line must not count twice.
    answered: HashSet<u64>,
    /// Background tasks with the call that launched them.
    launched: VecDeque<Launch>,
    /// Ends of background tasks that were told: the same notice stands in up to three lines.
    ended: HashSet<u64>,
    /// What a stream's first line says of the whole session.
    session: Option<String>,
    cwd: Option<String>,
    summary: Summary,
}

#[derive(Debug)]
struct Waiting {
    id: String,
    tool: Tool,
    input: ToolInput<'static>,
}

#[derive(Debug)]
struct Launch {
    task: String,
    tool_use: Option<String>,
    tool: Tool,
}

/// One thing that a transcript tells, in the order of the file.
#[derive(Debug, Clone)]
pub struct Entry {
    /// When, as written.
    pub ts: Option<String>,
    /// What, in the same terms as a live payload: `Call`, `Background`, `Prompt` or `ApiError`.
    pub kind: Kind<'static>,
    /// The session, the subagent, and the call where there is one.
    pub ids: Ids,
    /// The working directory.
    pub cwd: Option<String>,
    /// Whether the client marked the result as an error.
    pub marked_error: bool,
    /// The line's number, from 1.
    pub line: usize,
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

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Line<'a> {
    #[serde(borrow, rename = "type")]
    kind: Loose<'a>,
    subtype: Loose<'a>,
    timestamp: Loose<'a>,
    #[serde(alias = "session_id")]
    session_id: Loose<'a>,
    #[serde(alias = "agent_id")]
    agent_id: Loose<'a>,
    #[serde(rename = "parent_tool_use_id")]
    parent_tool_use_id: Loose<'a>,
    cwd: Loose<'a>,
    is_sidechain: Option<&'a RawValue>,
    is_meta: Option<&'a RawValue>,
    is_synthetic: Option<&'a RawValue>,
    is_compact_summary: Option<&'a RawValue>,
    is_visible_in_transcript_only: Option<&'a RawValue>,
    is_api_error_message: Option<&'a RawValue>,
    error: Option<&'a RawValue>,
    message: Option<&'a RawValue>,
    #[serde(alias = "tool_use_result")]
    tool_use_result: Option<&'a RawValue>,
    tool_denial_kind: Loose<'a>,
    #[serde(rename = "tool_result_meta")]
    tool_result_meta: Option<&'a RawValue>,
    data: Option<&'a RawValue>,
    attachment: Option<&'a RawValue>,
    content: Option<&'a RawValue>,
    #[serde(rename = "task_id")]
    task_id: Loose<'a>,
    #[serde(rename = "tool_use_id")]
    tool_use_id: Loose<'a>,
    status: Loose<'a>,
    #[serde(rename = "output_file")]
    output_file: Loose<'a>,
    summary: Loose<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Message<'a> {
    #[serde(borrow)]
    model: Loose<'a>,
    content: Option<&'a RawValue>,
}

/// A block of a message: a call, a result or a text.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Block<'a> {
    #[serde(borrow, rename = "type")]
    kind: Loose<'a>,
    id: Loose<'a>,
    name: Loose<'a>,
    input: Option<&'a RawValue>,
    tool_use_id: Loose<'a>,
    content: Option<&'a RawValue>,
    is_error: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Progress<'a> {
    #[serde(borrow, rename = "type")]
    kind: Loose<'a>,
    agent_id: Loose<'a>,
    message: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Attachment<'a> {
    #[serde(borrow, rename = "type")]
    kind: Loose<'a>,
    prompt: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ResultMeta<'a> {
    #[serde(borrow)]
    id: Loose<'a>,
    non_execution_kind: Loose<'a>,
}

/// What all entries of a line share.
#[derive(Clone)]
struct Place {
    ts: Option<String>,
    ids: Ids,
    cwd: Option<String>,
    line: usize,
}

impl Place {
    fn entry(&self, kind: Kind<'static>) -> Entry {
        let (ts, ids, cwd) = (self.ts.clone(), self.ids.clone(), self.cwd.clone());
        Entry { ts, kind, ids, cwd, marked_error: false, line: self.line }
    }
}

/// What a line gives: entries, none of them where it only makes a call known, or the reason why it tells nothing.
type Told = Result<Vec<Entry>, Skip>;

/// Types of lines that never tell of calls or prompts.
const SILENT: &[&str] = &[
    "summary",
    "file-history-snapshot",
    "last-prompt",
    "tools-used",
    "cost-state",
    "mode",
    "permission-mode",
    "pr-link",
    "custom-title",
    "ai-title",
    "agent-name",
    "result",
    "control_request",
    "control_response",
    "stream_event",
    "rate_limit_event",
    "keep_alive",
];

impl Transcript {
    /// A transcript of which nothing has been read.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads the next line. Lines must come in the order of the file.
    pub fn line(&mut self, line: &str) -> Vec<Entry> {
        self.summary.lines += 1;
        let told = match unread(line) {
            Some(reason) => Err(reason),
            None => self.read(line).or_else(|_| self.read_repaired(line)).unwrap_or(Err(Skip::NotJson)),
        };
        told.unwrap_or_else(|reason| {
            self.skip(reason);
            Vec::new()
        })
    }

    /// What was read. Calls that still wait for their result never got one.
    pub fn finish(mut self) -> Summary {
        self.summary.without_result += self.waiting.len();
        self.summary
    }

    fn skip(&mut self, reason: Skip) {
        *self.summary.skipped.entry(reason).or_default() += 1;
    }

    fn read_repaired(&mut self, line: &str) -> Read<Told> {
        match wire::repaired(line.as_bytes()) {
            Some(line) => self.read(&line),
            None => Ok(Err(Skip::NotJson)),
        }
    }

    /// Changes nothing when it fails: the caller reads the repaired line again.
    fn read(&mut self, text: &str) -> Read<Told> {
        let line: Line<'_> = serde_json::from_str(text)?;
        let place = self.place(&line);
        match line.kind.as_str() {
            "assistant" => self.assistant(&line, &place),
            "user" => self.user(&line, &place),
            "progress" => self.progress(&line, place),
            "attachment" => self.attachment(&line, &place),
            "queue-operation" => self.queued(&line, &place),
            "system" => Ok(self.system(&line, &place)),
            known if SILENT.contains(&known) || known.starts_with("api-request") => Ok(Err(Skip::NothingInIt)),
            _ => Ok(Err(Skip::UnknownType)),
        }
    }

    fn place(&self, line: &Line<'_>) -> Place {
        let session = line.session_id.owned().or_else(|| self.session.clone());
        let cwd = line.cwd.owned().or_else(|| self.cwd.clone());
        Place {
            ts: line.timestamp.owned(),
            ids: Ids { session, agent: agent(line), tool_use: None },
            cwd,
            line: self.summary.lines,
        }
    }

    fn assistant(&mut self, line: &Line<'_>, place: &Place) -> Read<Told> {
        let message: Message<'_> = wire::object(line.message)?;
        if wire::is_true(line.is_api_error_message) || (message.model.as_str() == "<synthetic>" && line.error.is_some())
        {
            let (word, text) = (wire::text(line.error)?, wire::text(message.content)?);
            let call = call::api_error(&word, text, place.ids.clone(), place.cwd.clone());
            return Ok(Ok(vec![place.entry(Kind::ApiError(call.into_owned()))]));
        }
        let calls = blocks(message.content)?.into_iter().filter(|block| block.kind.as_str() == "tool_use");
        let calls = calls.map(|block| waiting(&block)).collect::<Read<Vec<_>>>()?;
        if calls.is_empty() {
            return Ok(Err(Skip::NothingInIt));
        }
        for call in calls {
            self.wait(call);
        }
        Ok(Ok(Vec::new()))
    }

    fn wait(&mut self, call: Waiting) {
        if self.answered.contains(&hash(&call.id)) || self.waiting.iter().rev().any(|known| known.id == call.id) {
            return;
        }
        if self.waiting.len() == MAX_OPEN {
            self.waiting.pop_front();
            self.summary.without_result += 1;
        }
        self.waiting.push_back(call);
    }

    fn user(&mut self, line: &Line<'_>, place: &Place) -> Read<Told> {
        let message: Message<'_> = wire::object(line.message)?;
        let mut results = blocks(message.content)?;
        results.retain(|block| block.kind.as_str() == "tool_result");
        if results.is_empty() {
            return Ok(self.words(&wire::text(message.content)?, line, place));
        }
        // A line has one structured response: it cannot be told whose it is when there are several results.
        let response = line.tool_use_result.filter(|_| results.len() == 1);
        let results = results.iter().map(|block| self.result(block, line, response, place));
        let results = results.collect::<Read<Vec<_>>>()?;
        Ok(Ok(results.into_iter().filter_map(|result| self.join(result, place)).collect()))
    }

    /// The call that a result ends, and whether it is marked as an error.
    fn result(
        &self,
        block: &Block<'_>,
        line: &Line<'_>,
        response: Option<&RawValue>,
        place: &Place,
    ) -> Read<Result<(ToolCall<'static>, bool), Skip>> {
        let id = block.tool_use_id.as_str();
        let Some(known) = self.waiting.iter().rev().find(|known| known.id == id) else {
            let copy = self.answered.contains(&hash(id));
            return Ok(Err(if copy { Skip::Duplicate } else { Skip::ResultWithoutCall }));
        };
        let ids = Ids { tool_use: Some(id.to_owned()), ..place.ids.clone() };
        let call = call::begun(known.tool.clone(), known.input.clone(), ids, place.cwd.clone());
        let marked_error = wire::is_true(block.is_error);
        let call = if marked_error {
            call::failed(call, wire::text(block.content)?)
        } else if response.is_some_and(|response| wire::shape(response) == Shape::Object) {
            call::succeeded(call, response)?
        } else {
            call::shown(call, wire::text(block.content)?)
        };
        Ok(Ok((denied_by_mark(call, line)?.into_owned(), marked_error)))
    }

    fn join(&mut self, result: Result<(ToolCall<'static>, bool), Skip>, place: &Place) -> Option<Entry> {
        match result.and_then(|(call, marked_error)| Ok((self.answer(call)?, marked_error))) {
            Ok((call, marked_error)) => {
                let ids = call.ids.clone();
                Some(Entry { ids, marked_error, ..place.entry(Kind::Call(call)) })
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
            self.launch(Launch { task, tool_use: call.ids.tool_use.clone(), tool: call.tool.clone() });
        }
        Ok(call)
    }

    fn launch(&mut self, launch: Launch) {
        if self.launched.len() == MAX_OPEN {
            self.launched.pop_front();
        }
        self.launched.push_back(launch);
    }

    /// A subagent's own lines, as older clients put them into the file of the session.
    fn progress(&mut self, line: &Line<'_>, outer: Place) -> Read<Told> {
        let progress: Progress<'_> = wire::object(line.data)?;
        let inner: Line<'_> = wire::object(progress.message)?;
        if progress.kind.as_str() != "agent_progress" {
            return Ok(Err(Skip::NothingInIt));
        }
        let mut place = Place { ts: inner.timestamp.owned().or(outer.ts), ..outer };
        place.ids.agent = progress.agent_id.owned().or(place.ids.agent);
        match inner.kind.as_str() {
            "assistant" => self.assistant(&inner, &place),
            "user" => self.user(&inner, &place),
            _ => Ok(Err(Skip::NothingInIt)),
        }
    }

    fn attachment(&mut self, line: &Line<'_>, place: &Place) -> Read<Told> {
        let attachment: Attachment<'_> = wire::object(line.attachment)?;
        if attachment.kind.as_str() != "queued_command" {
            return Ok(Err(Skip::NothingInIt));
        }
        Ok(self.words(&wire::text(attachment.prompt)?, line, place))
    }

    /// What waits in the queue of prompts. A person's words stand in the file again when they are delivered.
    fn queued(&mut self, line: &Line<'_>, place: &Place) -> Read<Told> {
        let text = wire::text(line.content)?;
        Ok(match said(&text, &place.ids, place.cwd.as_deref()) {
            Kind::Background { call, output_file } => self.ended(call.into_owned(), output_file, place),
            _ => Err(Skip::NothingInIt),
        })
    }

    /// A person's prompt, or a notice of a background task.
    fn words(&mut self, text: &str, line: &Line<'_>, place: &Place) -> Told {
        match said(text, &place.ids, place.cwd.as_deref()) {
            Kind::Background { call, output_file } => self.ended(call.into_owned(), output_file, place),
            Kind::Prompt if place.ids.agent.is_none() && by_a_person(text, line) => Ok(vec![place.entry(Kind::Prompt)]),
            _ => Err(Skip::NothingInIt),
        }
    }

    fn ended(&mut self, mut call: ToolCall<'static>, output_file: Option<String>, place: &Place) -> Told {
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
        Ok(vec![Entry { ids, ..place.entry(Kind::Background { call, output_file }) }])
    }

    /// A stream's own lines: what the session is, and how background tasks ended.
    fn system(&mut self, line: &Line<'_>, place: &Place) -> Told {
        match line.subtype.as_str() {
            "init" => {
                self.session = line.session_id.owned();
                self.cwd = line.cwd.owned();
                Err(Skip::NothingInIt)
            }
            // Agents in the foreground are noticed too, and their calls have results of their own.
            "task_notification" if self.launched.iter().any(|launch| launch.task == line.task_id.as_str()) => {
                let call = stream_notice(line).call(place.ids.clone(), place.cwd.clone());
                let call = call.ok_or(Skip::NothingInIt)?.into_owned();
                self.ended(call, line.output_file.owned(), place)
            }
            _ => Err(Skip::NothingInIt),
        }
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

/// Sidechain lines of old clients do not say which subagent they belong to.
fn agent(line: &Line<'_>) -> Option<String> {
    let named = line.agent_id.owned().or_else(|| line.parent_tool_use_id.owned());
    named.or_else(|| wire::is_true(line.is_sidechain).then(|| "sidechain".to_owned()))
}

fn blocks(content: Option<&RawValue>) -> Read<Vec<Block<'_>>> {
    wire::elements(content)?.into_iter().map(|block| wire::object(Some(block))).collect()
}

fn waiting(block: &Block<'_>) -> Read<Waiting> {
    let tool = Tool::named(block.name.as_str());
    let input = call::input(tool.kind, block.input)?.into_owned();
    Ok(Waiting { id: block.id.as_str().to_owned(), tool, input })
}

/// The mark tells denials whose text is only the reason that a person or a hook gave: no rule may read it.
fn denied_by_mark<'a>(call: ToolCall<'a>, line: &Line<'_>) -> Read<ToolCall<'a>> {
    let unexplained = matches!(call.status, Status::Failed | Status::Refused);
    if unexplained && is_marked_denied(call.ids.tool_use.as_deref().unwrap_or_default(), line)? {
        return Ok(ToolCall { status: Status::Denied, text: Cow::Borrowed(""), ..call });
    }
    Ok(call)
}

fn is_marked_denied(id: &str, line: &Line<'_>) -> Read<bool> {
    if !line.tool_denial_kind.as_str().is_empty() {
        return Ok(true);
    }
    for meta in wire::elements(line.tool_result_meta)? {
        let meta: ResultMeta<'_> = wire::object(Some(meta))?;
        if meta.id.as_str() == id && !meta.non_execution_kind.as_str().is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Texts that the client puts into a user's line.
const WRITTEN_BY_THE_CLIENT: &[&str] = &[
    "[Request interrupted by user",
    "<local-command-",
    "<bash-stdout>",
    "<bash-stderr>",
    "<system-reminder>",
    "<task-notification>",
    "Stop hook feedback:",
];

fn by_a_person(text: &str, line: &Line<'_>) -> bool {
    let marks = [line.is_meta, line.is_synthetic, line.is_compact_summary, line.is_visible_in_transcript_only];
    let text = text.trim_start();
    !text.is_empty()
        && !marks.into_iter().any(wire::is_true)
        && !WRITTEN_BY_THE_CLIENT.iter().any(|start| text.starts_with(start))
}

fn stream_notice<'a>(line: &'a Line<'_>) -> Notice<'a> {
    Notice {
        task: line.task_id.0.as_deref(),
        tool_use: line.tool_use_id.0.as_deref(),
        output_file: line.output_file.0.as_deref(),
        status: notification::status(line.status.as_str()),
        summary: line.summary.as_str(),
        body: "",
    }
}

/// Ids are remembered by 64 bits: a long session must not grow the memory by its ids.
fn hash(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
