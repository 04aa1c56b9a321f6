//! Tool calls from a name, an input and what came of it: shared by live payloads and transcripts.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::asked::{self, AskedTask, BackgroundTask};
use super::phrases::{self, CallEnd};
use super::wire::{self, Content, JsonShape, Lenient, Loose, RawFields, Read};
use crate::model::{AskedLines, Ids, Status, SubagentAnswer, Tool, ToolCall, ToolInput, ToolKind};
use crate::redact::{name_of_secret, redact_printed, redact_value};
use crate::text::{blanked, offset_in, start};

/// A call of which only the beginning is known: succeeded, with no text.
pub fn begun(tool: Tool, input: ToolInput<'_>, ids: Ids, cwd: Option<String>) -> ToolCall<'_> {
    ToolCall { ids, cwd, ..ToolCall::new(tool, input, Status::Succeeded) }
}

/// An error of the model's API, which ended a turn.
pub fn api_error<'a>(word: &str, text: Cow<'a, str>, ids: Ids, cwd: Option<String>) -> ToolCall<'a> {
    let input = ToolInput::Other { summary: one_line(word) };
    ToolCall { status: Status::Failed, text, ..begun(Tool::named(Tool::MODEL_API), input, ids, cwd) }
}

/// The call, reported as failed with this text.
pub fn failed<'a>(call: ToolCall<'a>, text: Cow<'a, str>) -> ToolCall<'a> {
    told_call(call, text, phrases::failure)
}

/// The call, with the text of its result, of which nobody says whether it is an error.
pub fn unstated<'a>(call: ToolCall<'a>, text: Cow<'a, str>) -> ToolCall<'a> {
    told_call(call, text, phrases::unmarked)
}

/// The call, with what the model sees, of which nobody says whether it is an error.
pub fn unmarked<'a>(call: ToolCall<'a>, response: Option<&'a RawValue>) -> Read<ToolCall<'a>> {
    if let Some(long) = response.filter(|raw| raw.get().len() > LONG)
        && keeps_no_text(call.tool.kind)
        && !tells_of_failure(long)?
    {
        return Ok(call);
    }
    let text = wire::text(response)?;
    if call.tool.kind == ToolKind::Read && phrases::tells_why_nothing_was_read(&text) {
        return Ok(failed(call, text));
    }
    Ok(trimmed(told_call(call, text, phrases::unmarked)))
}

/// The same for what is no command and prints as one: in a frame with an exit code.
pub fn as_command<'a>(call: ToolCall<'a>, text: Cow<'a, str>) -> ToolCall<'a> {
    let tool = Tool::named("Bash");
    let told = passed_with(ToolCall { tool, ..call.clone() }, text);
    trimmed(ToolCall { tool: call.tool, ..told })
}

/// The call, that ended with this exit code, with its text.
pub fn ended_with<'a>(call: ToolCall<'a>, text: Cow<'a, str>, exit_code: i32) -> ToolCall<'a> {
    let told = if exit_code == 0 { passed_with(call, text) } else { failed(call, text) };
    ToolCall { exit_code: Some(exit_code), ..told }
}

/// A text beyond this is not decoded when nothing of it would be kept.
const LONG: usize = 4096;

fn keeps_no_text(kind: ToolKind) -> bool {
    !matches!(kind, ToolKind::Shell | ToolKind::Mcp | ToolKind::Agent)
}

fn tells_of_failure(text: &RawValue) -> Read<bool> {
    Ok(phrases::unmarked(&wire::head(text, LONG / 2)?, false).status != Status::Succeeded)
}

/// The call, reported as succeeded, with the text that the model sees.
pub fn passed_with<'a>(call: ToolCall<'a>, text: Cow<'a, str>) -> ToolCall<'a> {
    trimmed(told_call(call, text, phrases::success))
}

/// The same with a text that has not been read yet: it is not decoded when nothing of it would be kept.
pub fn shown_raw<'a>(call: ToolCall<'a>, text: Option<&'a RawValue>) -> Read<ToolCall<'a>> {
    if keeps_no_text(call.tool.kind) { Ok(call) } else { Ok(passed_with(call, wire::text(text)?)) }
}

/// The call, reported as succeeded, with the tool's own response.
pub(super) fn succeeded<'a>(call: ToolCall<'a>, response: Response<'a>) -> ToolCall<'a> {
    match (call.tool.kind, response) {
        (ToolKind::Shell, Response::Fields(fields)) => shell_response(call, *fields),
        (ToolKind::Agent, Response::Fields(fields)) => agent_response(call, *fields),
        (ToolKind::Other, Response::Fields(fields)) if call.tool.name == MONITOR => monitor_response(call, &fields),
        (ToolKind::Other, Response::Fields(fields)) if asked::ASKS.contains(&call.tool.name.as_str()) => {
            asked_response(call, *fields)
        }
        (ToolKind::Shell | ToolKind::Agent | ToolKind::Mcp, Response::Content(content)) => {
            passed_with(call, content.text())
        }
        _ => call,
    }
}

/// The same with a response that has not been read yet.
pub fn succeeded_raw<'a>(call: ToolCall<'a>, response: &'a RawValue) -> Read<ToolCall<'a>> {
    match call.tool.kind {
        ToolKind::Shell | ToolKind::Agent | ToolKind::Mcp | ToolKind::Other => {
            Ok(succeeded(call, serde_json::from_str(response.get())?))
        }
        _ => Ok(call),
    }
}

/// The tool that watches a script in the background from its launch on.
pub(super) const MONITOR: &str = "Monitor";

fn told_call<'a>(call: ToolCall<'a>, text: Cow<'a, str>, read: fn(&str, bool) -> CallEnd<'_>) -> ToolCall<'a> {
    let shell = call.tool.kind == ToolKind::Shell;
    match text {
        text if shell && text.starts_with("{\"output\":") => {
            let text = unboxed(&text).map_or(text, Cow::Owned);
            with_told(call, &read(&text, shell), |part| Cow::Owned(part.to_owned()))
        }
        Cow::Borrowed(text) => with_told(call, &read(text, shell), Cow::Borrowed),
        Cow::Owned(text) => {
            let told = read(&text, shell);
            let place = range_in(&text, told.text);
            let call = with_told(call, &told, |_| Cow::Borrowed(""));
            ToolCall { text: Cow::Owned(only(text, place)), ..call }
        }
    }
}

/// Where in a text a part of it stands; nowhere for an empty text of another place.
fn range_in(text: &str, part: &str) -> Range<usize> {
    offset_in(part, text).map(|start| start..start + part.len()).unwrap_or_default()
}

/// A part of a text, in the text's own memory: an output may be large.
fn only(mut text: String, part: Range<usize>) -> String {
    text.truncate(part.end);
    text.drain(..part.start);
    text
}

/// An output that another agent hands on as JSON, in the frame of a text.
fn unboxed(text: &str) -> Option<String> {
    let boxed: RawFields<'_> = serde_json::from_str(text).ok()?;
    let code: i64 = wire::number(boxed.object("metadata").ok()?.get("exit_code"))?;
    Some(format!("Exit code: {code}\nOutput:\n{}", boxed.string("output").ok()??))
}

fn with_told<'a, 't>(
    call: ToolCall<'a>,
    told: &CallEnd<'t>,
    keep: impl FnOnce(&'t str) -> Cow<'a, str>,
) -> ToolCall<'a> {
    ToolCall {
        status: told.status,
        exit_code: told.exit_code,
        timed_out_after_ms: told.timed_out_after_ms,
        truncated: told.truncated,
        background_task: told.background_task.map(str::to_owned),
        text: keep(told.text),
        ..call
    }
}

/// The most that is kept of a tool server's answer.
const ANSWER_BYTES: usize = 4096;

/// Takes file contents, search results and reports out of a success: no rule reads them.
fn trimmed(mut call: ToolCall<'_>) -> ToolCall<'_> {
    if call.status != Status::Succeeded || call.tool.kind == ToolKind::Shell {
        return call;
    }
    if call.tool.kind == ToolKind::Agent
        && let Some(agent) = launched_agent(&call.text)
    {
        call.background_task = (!agent.is_empty()).then(|| agent.to_owned());
        call.status = Status::InBackground;
    }
    call.text = match call.tool.kind {
        ToolKind::Mcp => start_of(call.text, ANSWER_BYTES),
        _ => Cow::Borrowed(""),
    };
    call
}

/// The beginning of a text, cut between words: half a secret could not be told from other text.
fn start_of(text: Cow<'_, str>, bytes: usize) -> Cow<'_, str> {
    let cut = text.floor_char_boundary(bytes);
    let whole_words = || text.get(..cut).and_then(|head| head.rfind([' ', '\n', '"', ',']));
    let end = if cut == text.len() { cut } else { whole_words().unwrap_or(text.floor_char_boundary(cut / 2)) };
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.get(..end).unwrap_or_default()),
        Cow::Owned(mut text) => {
            text.truncate(end);
            Cow::Owned(text)
        }
    }
}

/// The agent whose launch the text tells of; empty when it does not name it.
fn launched_agent(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("Async agent launched successfully")?;
    Some(rest.split_once("agentId: ").map_or("", |(_, id)| phrases::word(id)))
}

/// A tool's own response: a text or blocks, or an object with the few fields that tell how the call ended.
#[derive(Debug)]
pub(super) enum Response<'a> {
    Content(Content<'a>),
    Fields(Box<Fields<'a>>),
}

impl Default for Response<'_> {
    fn default() -> Self {
        Self::Content(Content::default())
    }
}

#[derive(Deserialize, Debug, Default)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Fields<'a> {
    #[serde(borrow)]
    stdout: Loose<'a>,
    stderr: Loose<'a>,
    interrupted: Option<&'a RawValue>,
    is_image: Option<&'a RawValue>,
    timed_out_after_ms: Option<&'a RawValue>,
    return_code_interpretation: Loose<'a>,
    background_task_id: Loose<'a>,
    persisted_output_path: Loose<'a>,
    // Of a subagent.
    status: Loose<'a>,
    agent_id: Loose<'a>,
    content: Content<'a>,
    is_async: Option<&'a RawValue>,
    // Of a monitor.
    task_id: Loose<'a>,
    // Of a call that asks for the output of background work.
    task: Lenient<BackgroundTask<'a>>,
    shell_id: Loose<'a>,
    command: Loose<'a>,
    exit_code: Option<&'a RawValue>,
    // Of Gemini CLI and Qwen Code.
    llm_content: Content<'a>,
    error: Lenient<ToolError<'a>>,
}

/// Why a tool of Gemini CLI or Qwen Code failed.
#[derive(Deserialize, Debug, Default)]
#[serde(default)]
pub(super) struct ToolError<'a> {
    #[serde(borrow)]
    message: Loose<'a>,
}

impl<'a> Response<'a> {
    /// Whether there was none.
    pub(super) fn is_absent(&self) -> bool {
        matches!(self, Self::Content(Content::List(blocks)) if blocks.is_empty())
    }

    /// What the model sees of a tool of Gemini CLI or Qwen Code, and why the tool failed, where it did.
    pub(super) fn shown(self) -> (Cow<'a, str>, Option<Cow<'a, str>>) {
        match self {
            Self::Content(content) => (content.text(), None),
            Self::Fields(fields) => (fields.llm_content.text(), fields.error.0.message.filled()),
        }
    }

    /// The text, where it is one.
    pub(super) fn text(self) -> Cow<'a, str> {
        self.shown().0
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Response<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ResponseVisitor)
    }
}

struct ResponseVisitor;

impl<'de> Visitor<'de> for ResponseVisitor {
    type Value = Response<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Response::Content(Content::Text(Cow::Borrowed(text))))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Response::Content(Content::Text(Cow::Owned(text.to_owned()))))
    }

    wire::scalars_are_default!();

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
        Content::deserialize(SeqAccessDeserializer::new(seq)).map(Response::Content)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        let fields = Fields::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Response::Fields(Box::new(fields)))
    }
}

fn shell_response<'a>(call: ToolCall<'a>, fields: Fields<'a>) -> ToolCall<'a> {
    let image = wire::is_true(fields.is_image);
    let text = if image { Cow::Borrowed("") } else { wire::joined([fields.stdout, fields.stderr]) };
    let timed_out_after_ms = wire::number(fields.timed_out_after_ms);
    let background_task = fields.background_task_id.owned();
    let goes_on = background_task.is_some() || timed_out_after_ms.is_some();
    if !goes_on && phrases::is_framed(&text) {
        return passed_with(call, text);
    }
    ToolCall {
        status: match wire::is_true(fields.interrupted) {
            true => Status::Interrupted,
            false if goes_on || (text.is_empty() && asked_for_background(&call)) => Status::InBackground,
            false => Status::Succeeded,
        },
        timed_out_after_ms,
        background_task,
        exit_meaning: fields.return_code_interpretation.filled().map(Cow::into_owned),
        truncated: fields.persisted_output_path.0.is_some() || phrases::is_truncated(&text),
        text,
        ..call
    }
}

fn asked_for_background(call: &ToolCall<'_>) -> bool {
    matches!(call.input, ToolInput::Command { background: true, .. })
}

fn agent_response<'a>(call: ToolCall<'a>, fields: Fields<'a>) -> ToolCall<'a> {
    if wire::is_true(fields.is_async) || fields.status.as_str() == "async_launched" {
        return ToolCall { status: Status::InBackground, background_task: fields.agent_id.owned(), ..call };
    }
    let agent = fields.agent_id.owned().filter(|_| fields.status.as_str() == "completed");
    ToolCall { answer: agent.map(|agent| SubagentAnswer { agent, words: fields.content.text() }), ..call }
}

fn monitor_response<'a>(call: ToolCall<'a>, fields: &Fields<'a>) -> ToolCall<'a> {
    ToolCall { status: Status::InBackground, background_task: fields.task_id.owned(), ..call }
}

/// Newer clients tell it as a task, older ones as a shell with its command.
fn asked_response<'a>(call: ToolCall<'a>, fields: Fields<'a>) -> ToolCall<'a> {
    let Lenient(task) = fields.task;
    let told = match task.id.0 {
        Some(_) => AskedTask {
            task: task.id,
            command: Loose::default(),
            status: task.status,
            exit_code: task.exit_code,
            text: task.output.filled().unwrap_or_default(),
        },
        None => AskedTask {
            task: fields.shell_id,
            command: fields.command,
            status: fields.status,
            exit_code: fields.exit_code,
            text: wire::joined([fields.stdout, fields.stderr]),
        },
    };
    let is_command = matches!(task.kind.as_str(), "" | "local_bash");
    let ended = if is_command { told.end_of(&call) } else { None };
    ToolCall { ended: ended.map(Box::new), ..call }
}

/// The most fields of an input that are looked at.
const INPUT_FIELDS: usize = 32;
/// Texts that people and models write: they tell calls apart badly, are long, and are not stored.
const PROSE: &[&str] = &["prompt", "content", "old_string", "new_string", "new_source", "edits"];

/// What a tool was asked to do, as the client writes it: the fields that may matter, still raw.
#[derive(Debug, Default)]
pub struct GivenInput<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for GivenInput<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Lenient::<GivenFields<'a>>::deserialize(deserializer)?.0.0)
    }
}

#[derive(Default)]
struct GivenFields<'a>(GivenInput<'a>);

impl<'de: 'a, 'a> Deserialize<'de> for GivenFields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(GivenVisitor).map(GivenFields)
    }
}

struct GivenVisitor;

impl<'de> Visitor<'de> for GivenVisitor {
    type Value = GivenInput<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Vec::new();
        while let Some(Loose(key)) = map.next_key()? {
            let key = key.unwrap_or_default();
            if fields.len() == INPUT_FIELDS || PROSE.contains(&&*key) {
                map.next_value::<IgnoredAny>()?;
            } else {
                fields.push((key, map.next_value()?));
            }
        }
        Ok(GivenInput(fields))
    }
}

impl<'a> GivenInput<'a> {
    /// The last field of this name, as the client's own reader takes it.
    fn field(&self, name: &str) -> Option<&'a RawValue> {
        self.0.iter().rev().find(|(key, _)| key == name).map(|(_, value)| *value)
    }

    /// The string of a field.
    pub fn string(&self, name: &str) -> Read<Option<Cow<'a, str>>> {
        self.field(name).filter(|value| wire::shape(value) == JsonShape::String).map(wire::string).transpose()
    }

    /// What the tool was asked to do. An input that lacks what its tool needs (the client refuses such calls) is summed
    /// up.
    pub fn input(&self, kind: ToolKind) -> Read<ToolInput<'a>> {
        let known = match kind {
            ToolKind::Shell => self.command()?,
            ToolKind::Read => self.file(true)?,
            ToolKind::Edit | ToolKind::Write => self.file(false)?,
            _ => None,
        };
        Ok(known.unwrap_or_else(|| ToolInput::Other { summary: self.summary() }))
    }

    /// The words with which the agent announces a command line.
    pub fn description(&self, kind: ToolKind) -> Read<Option<Cow<'a, str>>> {
        if kind == ToolKind::Shell { self.string("description") } else { Ok(None) }
    }

    /// The limit that a command line asks for, in milliseconds.
    pub fn timeout_ms(&self, kind: ToolKind) -> Option<u64> {
        if kind == ToolKind::Shell { wire::number(self.field("timeout")) } else { None }
    }

    /// Whether the input is a command line and nothing that changes how it runs: not in the background, not outside of
    /// the sandbox.
    pub fn asks_only_for_a_command(&self) -> bool {
        self.0.iter().all(|(key, value)| match &**key {
            "command" => wire::shape(value) == JsonShape::String,
            "description" | "timeout" => true,
            _ => matches!(value.get(), "false" | "null"),
        })
    }

    fn command(&self) -> Read<Option<ToolInput<'a>>> {
        let background = wire::is_true(self.field("run_in_background"));
        for name in COMMAND_FIELDS {
            if let Some(command) = self.line(name)? {
                return Ok(Some(ToolInput::Command { command, background }));
            }
        }
        Ok(None)
    }

    fn line(&self, name: &str) -> Read<Option<Cow<'a, str>>> {
        self.field(name).map_or(Ok(None), words_of_command)
    }

    /// The digits of a field that is a whole number.
    pub fn number(&self, name: &str) -> Option<String> {
        wire::number::<u64>(self.field(name)).map(|number| number.to_string())
    }

    fn file(&self, reads: bool) -> Read<Option<ToolInput<'a>>> {
        let asked = |name: &str| wire::number(self.field(name).filter(|_| reads));
        for name in FILE_FIELDS {
            if let Some(path) = self.string(name)?.filter(|path| !path.is_empty()) {
                let lines = AskedLines { offset: asked("offset"), limit: asked("limit") };
                return Ok(Some(ToolInput::File { path, lines }));
            }
        }
        Ok(None)
    }

    /// The name of a secret in what says which field is filled: `{"selector": "#password", "value": "X"}`.
    fn secret_field(&self) -> Option<String> {
        let labels =
            self.0.iter().filter(|(key, _)| matches!(key.as_ref(), "selector" | "element" | "field" | "label"));
        let texts = labels.filter(|(_, value)| matches!(wire::shape(value), JsonShape::String));
        texts
            .filter_map(|(_, value)| wire::head(value, VALUE_CHARS).ok())
            .find_map(|text| name_of_secret(&text).map(str::to_owned))
    }

    /// The scalar values as `key=value` words on one line, in the order of the keys: a model may name the same arguments
    /// in another order.
    pub fn summary(&self) -> String {
        let named = self.secret_field();
        let is_typed = |key: &str| matches!(key, "value" | "text");
        let name = |key: &str| named.as_deref().filter(|_| is_typed(key));
        let word = |key: &str, value: &RawValue| word(key, value, name(key)).or_else(|| item_at_work(key, value));
        let mut words: Vec<_> = self.0.iter().filter_map(|(key, value)| word(key, value)).collect();
        words.sort_unstable();
        start(&words.join(" "), SUMMARY_CHARS).to_owned()
    }
}

/// A command line, or the words of one: of a shell that is given a line, the line. None for any other value.
pub fn words_of_command(value: &RawValue) -> Read<Option<Cow<'_, str>>> {
    match wire::shape(value) {
        JsonShape::String => wire::string(value).map(Some),
        JsonShape::Array => {
            let Ok(words) = serde_json::from_str::<Vec<String>>(value.get()) else { return Ok(None) };
            Ok(Some(Cow::Owned(match words.as_slice() {
                [_, option, line] if matches!(option.as_str(), "-c" | "-lc" | "-Command") => line.clone(),
                _ => words.join(" "),
            })))
        }
        _ => Ok(None),
    }
}

const COMMAND_FIELDS: &[&str] = &["command", "cmd"];
const FILE_FIELDS: &[&str] =
    &["file_path", "notebook_path", "path", "filePath", "target_file", "absolute_path", "filename", "file"];
const SUMMARY_CHARS: usize = 300;
const VALUE_CHARS: usize = 100;
/// How much of a value is looked at, in bytes: what is kept of it is cut after secrets are out, as half a secret could
/// not be told from other text.
const LOOKED_AT: usize = 4096;

/// A scalar as `key=value`; `named` is what it is called elsewhere.
fn word(key: &str, value: &RawValue, named: Option<&str>) -> Option<String> {
    let value = match wire::shape(value) {
        JsonShape::Scalar => Cow::Borrowed(value.get()),
        JsonShape::String => wire::head(value, LOOKED_AT).unwrap_or_default(),
        JsonShape::Object | JsonShape::Array | JsonShape::Null => return None,
    };
    let key = redact_printed(key);
    let mut word = format!("{}=", start(&key, VALUE_CHARS));
    word.push_str(&blanked(start(&redact_value(named.unwrap_or(&key), &value), VALUE_CHARS)));
    Some(word)
}

/// Which item of its list an agent works on, counted from 1, of how many: the words of items are prose.
fn item_at_work(key: &str, value: &RawValue) -> Option<String> {
    #[derive(Deserialize)]
    struct ListItem<'a> {
        #[serde(borrow, default)]
        status: Loose<'a>,
    }
    if !matches!(key, "todos" | "plan") {
        return None;
    }
    let items: Vec<ListItem<'_>> = serde_json::from_str(value.get()).ok()?;
    let at = items.iter().position(|item| item.status.0.as_deref() == Some("in_progress"))?;
    Some(format!("in_progress={}/{}", at + 1, items.len()))
}

/// A short text as one line, without secrets.
pub fn one_line(text: &str) -> String {
    blanked(start(&redact_printed(start(text, LOOKED_AT)), SUMMARY_CHARS))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input_of(tool: &str, json: &str) -> ToolInput<'static> {
        let given: GivenInput<'_> = serde_json::from_str(json).unwrap();
        given.input(Tool::named(tool).kind).unwrap().into_owned()
    }

    fn summary(tool: &str, json: &str) -> String {
        match input_of(tool, json) {
            ToolInput::Other { summary } => summary,
            other => panic!("{other:?}"),
        }
    }

    fn succeeded(tool: &str, input_json: &str, response: &str) -> ToolCall<'static> {
        let call = begun(Tool::named(tool), input_of(tool, input_json), Ids::default(), None);
        super::succeeded(call, serde_json::from_str(response).unwrap()).into_owned()
    }

    #[test]
    fn inputs_by_kind() {
        let command = ToolInput::Command { command: "make".into(), background: true };
        assert_eq!(input_of("Bash", r#"{"command":"make","run_in_background":true}"#), command);
        assert_eq!(input_of("NotebookEdit", r#"{"notebook_path":"/n"}"#), ToolInput::file("/n".into()));
        assert_eq!(input_of("read", r#"{"path":"src/a.rs"}"#), ToolInput::file("src/a.rs".into()));
    }

    #[test]
    fn inputs_that_lack_the_essential_are_summed_up() {
        assert_eq!(summary("Bash", r#"{"command":42,"extra":true}"#), "command=42 extra=true");
        assert_eq!(summary("Read", r#"{"__unparsed":{"raw":"x"}}"#), "");
        assert_eq!(summary("Read", r#""text""#), "");
    }

    #[test]
    fn summaries_are_short_single_lines_without_prose() {
        assert_eq!(summary("Grep", r#"{"pattern":"a\nb","path":"src","opts":[1],"n":3}"#), "n=3 path=src pattern=a b");
        assert_eq!(summary("Agent", r#"{"subagent_type":"x","prompt":"secret plan"}"#), "subagent_type=x");
        let list = r#"{"todos":[{"content":"a","status":"completed"},{"content":"b","status":"in_progress"}]}"#;
        assert_eq!(summary("TodoWrite", list), "in_progress=2/2");
        for broken in [r#"{"todos":[]}"#, r#"{"todos":"x"}"#, r#"{"todos":[7]}"#, r#"{"todos":[{"status":"pending"}]}"#]
        {
            assert!(!summary("TodoWrite", broken).contains("in_progress"), "{broken}");
        }
        let many = (0..50).map(|n| format!("\"k{n}\":\"{}\"", "é".repeat(200))).collect::<Vec<_>>().join(",");
        assert!(summary("x", &format!("{{{many}}}")).chars().count() <= SUMMARY_CHARS);
    }

    #[test]
    fn a_silent_launch_in_the_background_needs_no_id() {
        let launch = r#"{"command":"make","run_in_background":true}"#;
        assert_eq!(succeeded("Bash", launch, r#"{"stdout":"","stderr":""}"#).status, Status::InBackground);
        assert_eq!(succeeded("Bash", launch, r#"{"stdout":"done","stderr":""}"#).status, Status::Succeeded);
    }

    #[test]
    fn contents_are_not_copied() {
        assert_eq!(succeeded("Grep", "{}", r#"{"content":"secret"}"#).text, "");
        assert_eq!(succeeded("Bash", "{}", r#"{"stdout":"iVBOR","isImage":true}"#).text, "");
        assert_eq!(succeeded("Agent", "{}", r#"{"status":"completed","content":[{"text":"report"}]}"#).text, "");
        let answer = format!(r#"[{{"type":"text","text":"{}"}}]"#, "é".repeat(5000));
        let text = succeeded("mcp__a__b", "{}", &answer).text;
        assert!(text.len() <= ANSWER_BYTES && text.starts_with('é'));
    }

    #[test]
    fn an_agent_that_is_launched_may_be_told_by_a_text() {
        let text = r#"[{"type":"text","text":"Async agent launched successfully.\nagentId: a1 (internal)"}]"#;
        let call = succeeded("Task", "{}", text);
        assert_eq!((call.status, call.background_task.as_deref()), (Status::InBackground, Some("a1")));
    }
}
