//! One hook payload: what happened, and in which session.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::call::{GivenInput, Response};
use super::sender::{EndField, SenderMarks};
use super::wire::{self, Content, ListOrText, Loose, Read};
use super::{call, codex, copilot, gemini, id, notification, phrases};
use crate::digest::hex16;
use crate::engine::announces_red_phase;
use crate::guard::may_be_for_people;
use crate::model::{Host, Ids, Reported, Status, Tool, ToolCall, ToolInput, ToolKind};

/// The largest payload that is read, in bytes.
pub const MAX_BYTES: usize = 8 * 1024 * 1024;

/// One hook payload.
#[derive(Debug, Clone)]
pub struct Payload<'a> {
    /// The event's name as the client wrote it: an answer must echo it. Empty for a [`PayloadKind::Report`].
    pub event: String,
    /// The client, the session, the subagent inside one, and the call where the event is about a single one.
    pub ids: Ids,
    /// The session's working directory.
    pub cwd: Option<String>,
    /// The file that the session is written to, where the client leaves out of its events what stands there.
    pub rollout: Option<String>,
    /// What kind of agent it is, where the client tells: `plugin:name` for one that a plugin brings.
    pub agent_type: Option<String>,
    /// What happened.
    pub kind: PayloadKind<'a>,
}

/// What a payload, or an entry of a transcript, tells.
#[derive(Debug, Clone)]
pub enum PayloadKind<'a> {
    /// A shell command is about to run in the foreground, asking for nothing beyond that.
    Before(ToolCall<'a>),
    /// A call ended.
    Call(ToolCall<'a>),
    /// All calls of one message ended, in the order in which they were made. The client does not say which failed:
    /// refusals, denials and failed commands are told by their texts, anything else looks like a success.
    Batch(Vec<ToolCall<'a>>),
    /// Work in the background ended.
    Background {
        /// The end of the call that launched it, in phase `Background`, under the launch's id and its task's id.
        call: ToolCall<'a>,
        /// The file that holds the output, on the same machine.
        output_file: Option<String>,
    },
    /// A person said something.
    Prompt {
        /// Whether it announces that a test is to fail before it passes.
        red_phase: bool,
    },
    /// A session began or went on.
    SessionStart {
        /// `startup`, `resume`, `clear`, `compact` or `fork`.
        source: String,
    },
    /// The agent wants to end its turn.
    Stop {
        /// Whether it is a subagent.
        subagent: bool,
        /// Whether a hook has kept it from stopping already.
        already_held: bool,
        /// What it said last, where the client tells.
        last_words: Option<Cow<'a, str>>,
    },
    /// An error of the model's API ended the turn.
    ApiError(ToolCall<'a>),
    /// A skill or script reports a call by itself.
    Report(ToolCall<'a>),
    /// Nothing that matters here.
    Other,
}

/// Why a payload could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PayloadError {
    /// There was nothing on standard input.
    Empty,
    /// More than [`MAX_BYTES`].
    TooLarge(usize),
    /// Not one JSON object; the parser's reason.
    NotJson(String),
    /// A JSON object that is neither a hook payload nor a failure event.
    NoEvent,
    /// A hook payload of no known client.
    Stranger {
        /// Its event.
        event: String,
        /// The working directory that it gives.
        cwd: Option<String>,
    },
}

impl fmt::Display for PayloadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the payload is empty"),
            Self::TooLarge(bytes) => write!(f, "the payload has {bytes} bytes; at most {MAX_BYTES} are read"),
            Self::NotJson(reason) => write!(f, "the payload is not one JSON object: {reason}"),
            Self::NoEvent => f.write_str("the payload has neither `hook_event_name` nor the fields of a failure event"),
            Self::Stranger { event, .. } => {
                let known = Host::ALL.map(Host::title).join(", ");
                write!(f, "the event `{}` came from a client that is none of {known}", call::one_line(event))
            }
        }
    }
}

impl std::error::Error for PayloadError {}

impl From<serde_json::Error> for PayloadError {
    fn from(error: serde_json::Error) -> Self {
        Self::NotJson(error.to_string())
    }
}

/// Reads one hook payload. A byte order mark, a line ending after the object, bytes that are not UTF-8 and halves of
/// surrogate pairs are tolerated; two fields of one name are not.
pub fn parse(input: &[u8]) -> Result<Payload<'_>, PayloadError> {
    if input.len() > MAX_BYTES {
        return Err(PayloadError::TooLarge(input.len()));
    }
    let input = input.strip_prefix(b"\xef\xbb\xbf").unwrap_or(input);
    if input.iter().all(u8::is_ascii_whitespace) {
        return Err(PayloadError::Empty);
    }
    let first = match std::str::from_utf8(input) {
        Ok(text) => understand(text),
        Err(error) => Err(PayloadError::NotJson(error.to_string())),
    };
    match first {
        Err(PayloadError::NotJson(reason)) => match wire::repaired(input) {
            Some(text) => Ok(understand(&text)?.into_owned()),
            None => Err(PayloadError::NotJson(reason)),
        },
        other => other,
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Wire<'a> {
    #[serde(borrow)]
    hook_event_name: Loose<'a>,
    session_id: Loose<'a>,
    agent_id: Loose<'a>,
    agent_type: Option<Loose<'a>>,
    cwd: Loose<'a>,
    tool_name: Loose<'a>,
    tool_use_id: Loose<'a>,
    tool_input: GivenInput<'a>,
    tool_response: Response<'a>,
    tool_calls: ListOrText<'a, BatchEntry<'a>>,
    error: Content<'a>,
    is_interrupt: Option<&'a RawValue>,
    duration_ms: Option<&'a RawValue>,
    prompt: Loose<'a>,
    source: Loose<'a>,
    stop_hook_active: Option<&'a RawValue>,
    last_assistant_message: Loose<'a>,
    error_details: Content<'a>,
    tool: Loose<'a>,
    command: Loose<'a>,
    exit_code: Option<&'a RawValue>,
    stderr_tail: Loose<'a>,
    files_touched: Option<&'a RawValue>,
    cause: Loose<'a>,
    conflict_id: Loose<'a>,
    node_id: Loose<'a>,
    node: Loose<'a>,
    failed_attempts: Option<&'a RawValue>,
    transcript_path: Loose<'a>,
    turn_id: Option<&'a RawValue>,
    model: Option<&'a RawValue>,
    timestamp: Option<&'a RawValue>,
    tool_result: Option<&'a RawValue>,
    prompt_response: Loose<'a>,
}

fn understand(text: &str) -> Result<Payload<'_>, PayloadError> {
    if !text.trim_start().starts_with('{') {
        return Err(PayloadError::NotJson("it does not begin with `{`".to_owned()));
    }
    let mut wire: Wire<'_> = serde_json::from_str(text)?;
    let event = wire.hook_event_name.owned().unwrap_or_default();
    let Some(host) = wire.marks(&event).sender() else {
        return Err(PayloadError::Stranger { event, cwd: wire.cwd.owned() });
    };
    let mut ids = Ids {
        host,
        session: wire.session_id.owned(),
        agent: wire.agent_id.owned(),
        tool_use: wire.tool_use_id.owned().or_else(|| wire.call_id(host)),
    };
    id::settle_ids(&mut ids);
    let cwd = wire.cwd.owned().map(plain_folder);
    let who = Who { ids: &ids, cwd: cwd.as_deref() };
    let mut kind = if event.is_empty() { failure_report(&mut wire, &who)? } else { kind(&event, &mut wire, &who)? };
    id::settle_calls(&mut kind);
    let agent_type = wire.agent_type.as_ref().and_then(Loose::owned);
    let rollout = if host == Host::Codex { wire.transcript_path.owned() } else { None };
    Ok(Payload { event, ids, cwd, rollout, agent_type, kind })
}

/// A folder as the system names it: one with a slash behind it is no other project.
fn plain_folder(mut folder: String) -> String {
    folder.truncate(folder.trim_end_matches('/').len().max(1));
    folder
}

impl Wire<'_> {
    fn marks<'m>(&'m self, event: &'m str) -> SenderMarks<'m> {
        SenderMarks {
            event,
            transcript: self.transcript_path.as_str(),
            has_turn: self.turn_id.is_some() && self.model.is_some(),
            has_time: self.timestamp.is_some(),
            has_id: self.tool_use_id.0.is_some(),
            end: match self.tool_result {
                Some(_) => Some(EndField::Result),
                None => (!self.tool_response.is_absent()).then_some(EndField::Response),
            },
        }
    }

    /// An id for the call of a client that gives none: its events have a time, and no two calls of a session have all of this
    /// in common.
    fn call_id(&self, host: Host) -> Option<String> {
        if !matches!(host, Host::Copilot | Host::Gemini) || self.tool_name.0.is_none() {
            return None;
        }
        let (session, time) = (self.session_id.as_str(), self.timestamp.map_or("", RawValue::get));
        let call = [session, time, self.tool_name.as_str(), &self.tool_input.summary()];
        Some(format!("call-{}", hex16(&call)))
    }
}

/// Who calls, and where.
struct Who<'w> {
    ids: &'w Ids,
    cwd: Option<&'w str>,
}

impl Who<'_> {
    fn call<'a>(&self, name: &str, given: &GivenInput<'a>) -> Read<ToolCall<'a>> {
        let tool = Tool::named(name);
        let (input, description) = (given.input(tool.kind)?, given.description(tool.kind)?);
        let timeout_ms = given.timeout_ms(tool.kind);
        let call = ToolCall { timeout_ms, description, ..call::begun(tool, input, self.ids.clone(), self.cwd()) };
        Ok(if self.ids.host == Host::Codex { codex::as_patch(call, given.string("command")?) } else { call })
    }

    fn cwd(&self) -> Option<String> {
        self.cwd.map(str::to_owned)
    }
}

fn kind<'a>(event: &str, wire: &mut Wire<'a>, who: &Who<'_>) -> Read<PayloadKind<'a>> {
    let event = if who.ids.host == Host::Gemini { gemini::common_name(event).unwrap_or(event) } else { event };
    match event {
        "PreToolUse" => before_call(wire, who),
        "PostToolUse" => after_call(wire, who),
        "PostToolUseFailure" => failed(wire, who),
        "PostToolBatch" => batch(wire, who),
        // Some clients give the event before each request of the model, with nothing in it.
        "UserPromptSubmit" if who.ids.host != Host::Claude && wire.prompt.as_str().is_empty() => Ok(PayloadKind::Other),
        "UserPromptSubmit" => Ok(prompt(std::mem::take(&mut wire.prompt), who)),
        "SessionStart" => Ok(PayloadKind::SessionStart { source: wire.source.owned().unwrap_or_default() }),
        "Stop" | "SubagentStop" if !is_inner_helper(wire) => Ok(stop(event, wire)),
        "StopFailure" => Ok(PayloadKind::ApiError(api_error(wire, who))),
        _ => Ok(PayloadKind::Other),
    }
}

fn before_call<'a>(wire: &Wire<'a>, who: &Who<'_>) -> Read<PayloadKind<'a>> {
    let name = wire.tool_name.as_str();
    if matches!(Tool::named(name).kind, ToolKind::Edit | ToolKind::Write) {
        return Ok(PayloadKind::Before(who.call(name, &wire.tool_input)?));
    }
    if !matches!(name, "Bash" | "run_shell_command") {
        return Ok(PayloadKind::Other);
    }
    let mut call = who.call("Bash", &wire.tool_input)?;
    if wire.tool_input.asks_only_for_a_command() {
        return Ok(PayloadKind::Before(call));
    }
    // Another way of running a line is another call, which is neither counted nor permitted; what only people do it is still.
    match &mut call.input {
        ToolInput::Command { background, .. } => *background = true,
        _ => return Ok(PayloadKind::Other),
    }
    Ok(if may_be_for_people(&call) { PayloadKind::Before(call) } else { PayloadKind::Other })
}

fn after_call<'a>(wire: &mut Wire<'a>, who: &Who<'_>) -> Read<PayloadKind<'a>> {
    let call = ToolCall { took_ms: took(wire), ..who.call(wire.tool_name.as_str(), &wire.tool_input)? };
    let response = std::mem::take(&mut wire.tool_response);
    Ok(PayloadKind::Call(match who.ids.host {
        Host::Claude => call::succeeded(call, response),
        Host::Codex => codex::with_text(call, response),
        Host::Copilot => copilot::with_result(call, wire.tool_result)?,
        Host::Gemini | Host::Qwen => gemini::with_response(call, response),
    }))
}

fn failed<'a>(wire: &mut Wire<'a>, who: &Who<'_>) -> Read<PayloadKind<'a>> {
    let call = who.call(wire.tool_name.as_str(), &wire.tool_input)?;
    let mut call = call::failed(call, std::mem::take(&mut wire.error).text());
    call.took_ms = took(wire);
    if wire::is_true(wire.is_interrupt) {
        call.status = Status::Interrupted;
    }
    Ok(PayloadKind::Call(call))
}

/// How long the call took, where it was ten seconds or more: what is shorter matters nowhere, and is not read.
fn took(wire: &Wire<'_>) -> Option<u64> {
    wire::number(wire.duration_ms.filter(|raw| raw.get().len() >= "10000".len()))
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct BatchEntry<'a> {
    #[serde(borrow, rename = "tool_name")]
    name: Loose<'a>,
    #[serde(rename = "tool_use_id")]
    id: Loose<'a>,
    #[serde(rename = "tool_input")]
    given: GivenInput<'a>,
    #[serde(rename = "tool_response")]
    response: Option<&'a RawValue>,
}

fn batch<'a>(wire: &Wire<'a>, who: &Who<'_>) -> Read<PayloadKind<'a>> {
    let ListOrText::List(entries) = &wire.tool_calls else { return Ok(PayloadKind::Batch(Vec::new())) };
    Ok(PayloadKind::Batch(entries.iter().map(|entry| batch_entry(entry, who)).collect::<Read<_>>()?))
}

fn batch_entry<'a>(entry: &BatchEntry<'a>, who: &Who<'_>) -> Read<ToolCall<'a>> {
    let mut call = who.call(entry.name.as_str(), &entry.given)?;
    call.ids.tool_use = entry.id.owned();
    call::unmarked(call, entry.response)
}

fn prompt<'a>(prompt: Loose<'a>, who: &Who<'_>) -> PayloadKind<'a> {
    let Some(text) = prompt.0 else { return PayloadKind::Prompt { red_phase: false } };
    match text {
        Cow::Borrowed(text) => said(text, who.ids, who.cwd),
        Cow::Owned(text) => said(&text, who.ids, who.cwd).into_owned(),
    }
}

/// What a prompt is: a person's words, or the client's notice of a background task.
pub fn said<'a>(text: &'a str, ids: &Ids, cwd: Option<&str>) -> PayloadKind<'a> {
    let Some(notice) = notification::only_notice(text) else {
        return PayloadKind::Prompt { red_phase: announces_red_phase(text) };
    };
    match notice.call(ids.clone(), cwd.map(str::to_owned)) {
        Some(call) => PayloadKind::Background { call, output_file: notice.output_file.map(str::to_owned) },
        None => PayloadKind::Other,
    }
}

/// Compaction runs a helper whose end looks like a subagent's, but which has an empty type.
fn is_inner_helper(wire: &Wire<'_>) -> bool {
    wire.agent_type.as_ref().is_some_and(|name| name.as_str().is_empty())
}

fn stop<'a>(event: &str, wire: &mut Wire<'a>) -> PayloadKind<'a> {
    PayloadKind::Stop {
        subagent: event == "SubagentStop",
        already_held: wire::is_true(wire.stop_hook_active),
        last_words: std::mem::take(&mut wire.last_assistant_message)
            .filled()
            .or_else(|| std::mem::take(&mut wire.prompt_response).filled()),
    }
}

fn api_error<'a>(wire: &mut Wire<'a>, who: &Who<'_>) -> ToolCall<'a> {
    let word = std::mem::take(&mut wire.error).text();
    let message = std::mem::take(&mut wire.last_assistant_message).filled();
    let text = message.unwrap_or_else(|| std::mem::take(&mut wire.error_details).text());
    call::api_error(&word, text, who.ids.clone(), who.cwd())
}

/// A failure event that a skill or script sends by itself.
fn failure_report<'a>(wire: &mut Wire<'a>, who: &Who<'_>) -> Result<PayloadKind<'a>, PayloadError> {
    if wire.tool.0.is_none() && wire.stderr_tail.0.is_none() && wire.exit_code.is_none() {
        return Err(PayloadError::NoEvent);
    }
    let exit_code = wire::number(wire.exit_code).and_then(phrases::whole);
    let tool = Tool::named(wire.tool.0.as_deref().unwrap_or("Bash"));
    let input = reported_input(wire, &tool)?;
    Ok(PayloadKind::Report(ToolCall {
        status: if exit_code == Some(0) { Status::Succeeded } else { Status::Failed },
        exit_code,
        text: std::mem::take(&mut wire.stderr_tail).0.unwrap_or_default(),
        reported: reported_failure(wire)?,
        ..call::begun(tool, input, who.ids.clone(), who.cwd())
    }))
}

fn reported_input<'a>(wire: &mut Wire<'a>, tool: &Tool) -> Read<ToolInput<'a>> {
    match std::mem::take(&mut wire.command).filled() {
        Some(command) => Ok(ToolInput::Command { command, background: false }),
        None => wire.tool_input.input(tool.kind),
    }
}

fn reported_failure(wire: &mut Wire<'_>) -> Read<Reported> {
    let node = std::mem::take(&mut wire.node_id).filled().or(std::mem::take(&mut wire.node).filled());
    Ok(Reported {
        cause: std::mem::take(&mut wire.cause).filled().map(Cow::into_owned),
        // The inherited rules ask whether it is null, and an empty one is not.
        conflict_id: std::mem::take(&mut wire.conflict_id).0.map(Cow::into_owned),
        node: node.map(Cow::into_owned),
        failed_attempts: wire::number(wire.failed_attempts),
        files_touched: wire::strings(wire.files_touched)?,
    })
}

impl Payload<'_> {
    /// A failure event of a script with what its sender left out and the caller knows: the directory that it works in, and
    /// the client's session. What a client says itself stays as it is.
    #[must_use]
    pub fn completed(mut self, cwd: Option<String>, session: Option<String>) -> Self {
        let PayloadKind::Report(call) = &mut self.kind else { return self };
        self.cwd = self.cwd.or(cwd);
        self.ids.session = self.ids.session.or(session);
        id::settle_ids(&mut self.ids);
        call.cwd.clone_from(&self.cwd);
        call.ids.clone_from(&self.ids);
        self
    }

    /// The same payload without a borrow of the input.
    pub fn into_owned(self) -> Payload<'static> {
        Payload {
            kind: self.kind.into_owned(),
            event: self.event,
            ids: self.ids,
            cwd: self.cwd,
            rollout: self.rollout,
            agent_type: self.agent_type,
        }
    }
}

impl PayloadKind<'_> {
    /// The same without a borrow of the input.
    pub fn into_owned(self) -> PayloadKind<'static> {
        match self {
            Self::Before(call) => PayloadKind::Before(call.into_owned()),
            Self::Call(call) => PayloadKind::Call(call.into_owned()),
            Self::Batch(calls) => PayloadKind::Batch(calls.into_iter().map(ToolCall::into_owned).collect()),
            Self::Background { call, output_file } => PayloadKind::Background { call: call.into_owned(), output_file },
            Self::ApiError(call) => PayloadKind::ApiError(call.into_owned()),
            Self::Report(call) => PayloadKind::Report(call.into_owned()),
            Self::Prompt { red_phase } => PayloadKind::Prompt { red_phase },
            Self::SessionStart { source } => PayloadKind::SessionStart { source },
            Self::Stop { subagent, already_held, last_words } => {
                let last_words = last_words.map(|words| Cow::Owned(words.into_owned()));
                PayloadKind::Stop { subagent, already_held, last_words }
            }
            Self::Other => PayloadKind::Other,
        }
    }
}
/// The file of the caller's turns: of the session that a payload names, where it is an absolute path, or of its subagent.
pub fn transcript_of(payload: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct SessionFileName {
        transcript_path: String,
        agent_id: Option<String>,
    }
    let named: SessionFileName = serde_json::from_slice(payload).ok()?;
    let own = named.transcript_path.as_str();
    let own = Some(own).filter(|path| std::path::Path::new(path).is_absolute())?;
    match named.agent_id.filter(|agent| id::is_known_id(agent)) {
        Some(agent) => Some(format!("{}/subagents/agent-{agent}.jsonl", own.strip_suffix(".jsonl")?)),
        None => Some(own.to_owned()),
    }
}
