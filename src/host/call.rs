//! Tool calls from a name, an input and what came of it: shared by live payloads and transcripts.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::phrases::{self, Told};
use super::wire::{self, Loose, Read, Shape};
use crate::model::{Ids, Phase, Reported, Status, Tool, ToolCall, ToolInput, ToolKind};

/// A call of which only the beginning is known: succeeded, with no text.
pub(super) fn begun(tool: Tool, input: ToolInput<'_>, ids: Ids, cwd: Option<String>) -> ToolCall<'_> {
    ToolCall {
        tool,
        input,
        ids,
        cwd,
        phase: Phase::Call,
        status: Status::Succeeded,
        exit_code: None,
        text: Cow::Borrowed(""),
        timed_out_after_ms: None,
        truncated: false,
        background_task: None,
        exit_meaning: None,
        reported: Reported::default(),
    }
}

/// An error of the model's API, which ended a turn.
pub(super) fn api_error<'a>(word: &str, text: Cow<'a, str>, ids: Ids, cwd: Option<String>) -> ToolCall<'a> {
    let input = ToolInput::Other { summary: one_line(word) };
    ToolCall { status: Status::Failed, text, ..begun(Tool::named(Tool::MODEL_API), input, ids, cwd) }
}

/// The call, reported as failed with this text.
pub(super) fn failed<'a>(call: ToolCall<'a>, text: Cow<'a, str>) -> ToolCall<'a> {
    told(call, text, phrases::failure)
}

/// The call, with the text that the model sees, of which nobody says whether it is an error.
pub(super) fn unmarked<'a>(call: ToolCall<'a>, text: Cow<'a, str>) -> ToolCall<'a> {
    trimmed(told(call, text, phrases::unmarked))
}

/// The call, reported as succeeded, with the text that the model sees.
pub(super) fn shown<'a>(call: ToolCall<'a>, text: Cow<'a, str>) -> ToolCall<'a> {
    trimmed(told(call, text, phrases::success))
}

/// The call, reported as succeeded, with the tool's own response.
pub(super) fn succeeded<'a>(call: ToolCall<'a>, response: Option<&'a RawValue>) -> Read<ToolCall<'a>> {
    match (call.tool.kind, response.map(wire::shape)) {
        (ToolKind::Shell, Some(Shape::Object)) => shell_response(call, response),
        (ToolKind::Agent, Some(Shape::Object)) => agent_response(call, response),
        (ToolKind::Shell | ToolKind::Agent | ToolKind::Mcp, _) => Ok(shown(call, wire::text(response)?)),
        (ToolKind::Other, Some(Shape::Object)) if call.tool.name == MONITOR => monitor_response(call, response),
        _ => Ok(call),
    }
}

/// The tool that watches a script in the background from its launch on.
pub(super) const MONITOR: &str = "Monitor";

fn told<'a>(call: ToolCall<'a>, text: Cow<'a, str>, read: fn(&str, bool) -> Told<'_>) -> ToolCall<'a> {
    let shell = call.tool.kind == ToolKind::Shell;
    match text {
        Cow::Borrowed(text) => with_told(call, &read(text, shell), Cow::Borrowed),
        Cow::Owned(text) => with_told(call, &read(&text, shell), |part| Cow::Owned(part.to_owned())),
    }
}

fn with_told<'a, 't>(call: ToolCall<'a>, told: &Told<'t>, keep: impl FnOnce(&'t str) -> Cow<'a, str>) -> ToolCall<'a> {
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

fn start_of(text: Cow<'_, str>, bytes: usize) -> Cow<'_, str> {
    let end = text.floor_char_boundary(bytes);
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

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct ShellResponse<'a> {
    #[serde(borrow)]
    stdout: Loose<'a>,
    stderr: Loose<'a>,
    return_code_interpretation: Loose<'a>,
    background_task_id: Loose<'a>,
    persisted_output_path: Loose<'a>,
    interrupted: Option<&'a RawValue>,
    is_image: Option<&'a RawValue>,
    timed_out_after_ms: Option<&'a RawValue>,
}

fn shell_response<'a>(call: ToolCall<'a>, response: Option<&'a RawValue>) -> Read<ToolCall<'a>> {
    let response: ShellResponse<'_> = wire::object(response)?;
    let timed_out_after_ms = wire::number(response.timed_out_after_ms);
    let background_task = response.background_task_id.owned();
    let silent = response.stdout.as_str().is_empty();
    let status = if wire::is_true(response.interrupted) {
        Status::Interrupted
    } else if background_task.is_some() || timed_out_after_ms.is_some() || (silent && asked_for_background(&call)) {
        Status::InBackground
    } else {
        Status::Succeeded
    };
    let image = wire::is_true(response.is_image);
    let text = if image { Cow::Borrowed("") } else { both(response.stdout, response.stderr) };
    Ok(ToolCall {
        status,
        timed_out_after_ms,
        background_task,
        exit_meaning: response.return_code_interpretation.filled().map(Cow::into_owned),
        truncated: response.persisted_output_path.0.is_some() || phrases::is_truncated(&text),
        text,
        ..call
    })
}

fn asked_for_background(call: &ToolCall<'_>) -> bool {
    matches!(call.input, ToolInput::Command { background: true, .. })
}

fn both<'a>(stdout: Loose<'a>, stderr: Loose<'a>) -> Cow<'a, str> {
    let out = stdout.0.unwrap_or_default();
    match stderr.filled() {
        None => out,
        Some(err) if out.is_empty() => err,
        Some(err) => Cow::Owned(format!("{out}\n{err}")),
    }
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct AgentResponse<'a> {
    #[serde(borrow)]
    status: Loose<'a>,
    agent_id: Loose<'a>,
    is_async: Option<&'a RawValue>,
}

fn agent_response<'a>(call: ToolCall<'a>, response: Option<&'a RawValue>) -> Read<ToolCall<'a>> {
    let response: AgentResponse<'_> = wire::object(response)?;
    if wire::is_true(response.is_async) || response.status.as_str() == "async_launched" {
        let background_task = response.agent_id.owned();
        return Ok(ToolCall { status: Status::InBackground, background_task, ..call });
    }
    Ok(call)
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct MonitorResponse<'a> {
    #[serde(borrow)]
    task_id: Loose<'a>,
}

fn monitor_response<'a>(call: ToolCall<'a>, response: Option<&'a RawValue>) -> Read<ToolCall<'a>> {
    let response: MonitorResponse<'_> = wire::object(response)?;
    Ok(ToolCall { status: Status::InBackground, background_task: response.task_id.owned(), ..call })
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ShellInput<'a> {
    #[serde(borrow)]
    command: Loose<'a>,
    run_in_background: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct FileInput<'a> {
    #[serde(borrow)]
    file_path: Loose<'a>,
    notebook_path: Loose<'a>,
    path: Loose<'a>,
}

/// What the tool was asked to do. An input that lacks what its tool needs (the client refuses such calls) is summed up.
pub(super) fn input(kind: ToolKind, raw: Option<&RawValue>) -> Read<ToolInput<'_>> {
    let known = match kind {
        ToolKind::Shell => shell_input(raw)?,
        ToolKind::Read | ToolKind::Edit | ToolKind::Write => file_input(raw)?,
        _ => None,
    };
    match known {
        Some(input) => Ok(input),
        None => Ok(ToolInput::Other { summary: wire::object::<Summary>(raw)?.0 }),
    }
}

fn shell_input(raw: Option<&RawValue>) -> Read<Option<ToolInput<'_>>> {
    let input: ShellInput<'_> = wire::object(raw)?;
    let background = wire::is_true(input.run_in_background);
    Ok(input.command.0.map(|command| ToolInput::Command { command, background }))
}

fn file_input(raw: Option<&RawValue>) -> Read<Option<ToolInput<'_>>> {
    let input: FileInput<'_> = wire::object(raw)?;
    let path = input.file_path.filled().or(input.notebook_path.filled()).or(input.path.filled());
    Ok(path.map(|path| ToolInput::File { path }))
}

/// A few scalar values of an object, as `key=value` words on one line, in the order of the keys.
#[derive(Default)]
struct Summary(String);

const SUMMARY_CHARS: usize = 300;
const VALUE_CHARS: usize = 100;
const SUMMARY_WORDS: usize = 16;
/// Texts that people and models write: they tell calls apart badly, and are not stored.
const NOT_SUMMED_UP: &[&str] = &["prompt", "content", "old_string", "new_string", "new_source"];

impl<'de> Deserialize<'de> for Summary {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(SummaryVisitor)
    }
}

struct SummaryVisitor;

impl<'de> Visitor<'de> for SummaryVisitor {
    type Value = Summary;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Summary, A::Error> {
        let mut words = Vec::new();
        while let Some((key, value)) = map.next_entry::<Loose<'de>, &'de RawValue>()? {
            if words.len() < SUMMARY_WORDS && !NOT_SUMMED_UP.contains(&key.as_str()) {
                words.extend(word(key.as_str(), value));
            }
        }
        // A model may name the same arguments in another order.
        words.sort_unstable();
        Ok(Summary(start(&words.join(" "), SUMMARY_CHARS).to_owned()))
    }
}

/// A scalar as `key=value`.
fn word(key: &str, value: &RawValue) -> Option<String> {
    let value = match wire::shape(value) {
        Shape::Scalar => Cow::Borrowed(value.get()),
        Shape::String => wire::string(value).ok()?,
        Shape::Object | Shape::Array | Shape::Null => return None,
    };
    let mut word = format!("{}=", start(key, VALUE_CHARS));
    push_line(&mut word, start(&value, VALUE_CHARS));
    Some(word)
}

/// A short text as one line.
pub(super) fn one_line(text: &str) -> String {
    let mut line = String::new();
    push_line(&mut line, start(text, SUMMARY_CHARS));
    line
}

fn push_line(line: &mut String, text: &str) {
    line.extend(text.chars().map(|c| if c.is_control() { ' ' } else { c }));
}

/// The first characters of a text.
fn start(text: &str, chars: usize) -> &str {
    text.char_indices().nth(chars).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).unwrap()
    }

    fn input_of(tool: &str, json: &str) -> ToolInput<'static> {
        let raw = raw(json);
        input(Tool::named(tool).kind, Some(&raw)).unwrap().into_owned()
    }

    fn summary(tool: &str, json: &str) -> String {
        match input_of(tool, json) {
            ToolInput::Other { summary } => summary,
            other => panic!("{other:?}"),
        }
    }

    fn succeeded(tool: &str, input_json: &str, response: &str) -> ToolCall<'static> {
        let (input_json, response) = (raw(input_json), raw(response));
        let tool = Tool::named(tool);
        let input = input(tool.kind, Some(&input_json)).unwrap();
        super::succeeded(begun(tool, input, Ids::default(), None), Some(&response)).unwrap().into_owned()
    }

    #[test]
    fn inputs_by_kind() {
        let command = ToolInput::Command { command: "make".into(), background: true };
        assert_eq!(input_of("Bash", r#"{"command":"make","run_in_background":true}"#), command);
        assert_eq!(input_of("NotebookEdit", r#"{"notebook_path":"/n"}"#), ToolInput::File { path: "/n".into() });
        assert_eq!(input_of("read", r#"{"path":"src/a.rs"}"#), ToolInput::File { path: "src/a.rs".into() });
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
        let many = (0..50).map(|n| format!("\"k{n}\":\"{}\"", "é".repeat(200))).collect::<Vec<_>>().join(",");
        assert!(summary("x", &format!("{{{many}}}")).chars().count() <= SUMMARY_CHARS);
    }

    #[test]
    fn a_shells_streams_are_joined() {
        assert_eq!(succeeded("Bash", "{}", r#"{"stdout":"o","stderr":""}"#).text, "o");
        assert_eq!(succeeded("Bash", "{}", r#"{"stdout":"o","stderr":"e"}"#).text, "o\ne");
        assert_eq!(succeeded("Bash", "{}", r#"{"stdout":"","stderr":"e"}"#).text, "e");
        assert_eq!(succeeded("Bash", "{}", r#"{"stdout":"iVBOR","isImage":true}"#).text, "");
    }

    #[test]
    fn a_silent_launch_in_the_background_needs_no_id() {
        let launch = r#"{"command":"make","run_in_background":true}"#;
        assert_eq!(succeeded("Bash", launch, r#"{"stdout":"","stderr":""}"#).status, Status::InBackground);
        assert_eq!(succeeded("Bash", launch, r#"{"stdout":"done","stderr":""}"#).status, Status::Succeeded);
    }

    #[test]
    fn an_exit_status_that_is_an_answer_keeps_its_meaning() {
        let call = succeeded("Bash", "{}", r#"{"stdout":"","returnCodeInterpretation":"No matches found"}"#);
        assert_eq!((call.status, call.exit_meaning.as_deref()), (Status::Succeeded, Some("No matches found")));
        assert_eq!(call.exit_code, None);
    }

    #[test]
    fn contents_are_not_copied() {
        assert_eq!(succeeded("Read", "{}", r#"{"file":{"content":"secret"}}"#).text, "");
        assert_eq!(succeeded("Grep", "{}", r#"{"content":"secret"}"#).text, "");
        assert_eq!(succeeded("Agent", "{}", r#"{"status":"completed","content":[{"text":"report"}]}"#).text, "");
        let answer = format!(r#"[{{"type":"text","text":"{}"}}]"#, "é".repeat(5000));
        let text = succeeded("mcp__a__b", "{}", &answer).text;
        assert!(text.len() <= ANSWER_BYTES && text.starts_with('é'));
    }

    #[test]
    fn launched_agents_go_on_in_the_background() {
        let call = succeeded("Agent", "{}", r#"{"isAsync":true,"status":"async_launched","agentId":"a1"}"#);
        assert_eq!((call.status, call.background_task.as_deref()), (Status::InBackground, Some("a1")));
        let text = r#"[{"type":"text","text":"Async agent launched successfully.\nagentId: a1 (internal)"}]"#;
        let call = succeeded("Task", "{}", text);
        assert_eq!((call.status, call.background_task.as_deref()), (Status::InBackground, Some("a1")));
    }
}
