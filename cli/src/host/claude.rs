//! Session files of Claude Code, its subagents' files, and captures of its stream.

use std::borrow::Cow;
use std::collections::VecDeque;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::host::call::{self, GivenInput};
use crate::host::joins::{Entries, EntryPlace, OpenCall, SessionJoins, push_bounded};
use crate::host::notification::{self, TaskNotice};
use crate::host::payload::{PayloadKind, said};
use crate::host::transcript::{EntryNews, Skip, TranscriptEntry};
use crate::host::wire::{self, JsonShape, Lenient, ListOrText, Loose, RawFields, Read};
use crate::model::{Ids, Status, ToolCall, ToolKind, Turn, Usage};

/// Reads the lines of one file.
#[derive(Debug, Default)]
pub(in crate::host) struct ClaudeLines {
    /// Subagents of a stream by the call that launched them: a stream's lines name the call only.
    agents: VecDeque<(String, String)>,
    /// What a stream's first line says of the whole session.
    session: Option<String>,
    cwd: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct SessionLine<'a> {
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
    message: Lenient<ModelMessage<'a>>,
    #[serde(alias = "tool_use_result")]
    tool_use_result: Option<&'a RawValue>,
    tool_denial_kind: Loose<'a>,
    #[serde(rename = "tool_result_meta")]
    tool_result_meta: ListOrText<'a, ResultMeta<'a>>,
    data: Lenient<ProgressData<'a>>,
    attachment: Lenient<RawFields<'a>>,
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

/// A subagent's own line, where it is one.
#[derive(Deserialize, Default)]
#[serde(default)]
struct ProgressData<'a> {
    #[serde(borrow, rename = "type")]
    kind: Loose<'a>,
    #[serde(rename = "agentId")]
    agent_id: Loose<'a>,
    message: Option<Lenient<Box<SessionLine<'a>>>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ModelMessage<'a> {
    #[serde(borrow)]
    id: Loose<'a>,
    model: Loose<'a>,
    content: ListOrText<'a, Block<'a>>,
    usage: Lenient<Tokens<'a>>,
}

/// What an answer cost, as far as its line knows.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Tokens<'a> {
    #[serde(borrow, rename = "input_tokens")]
    input: Option<&'a RawValue>,
    #[serde(rename = "output_tokens")]
    output: Option<&'a RawValue>,
    #[serde(rename = "cache_read_input_tokens")]
    cache_read: Option<&'a RawValue>,
    #[serde(rename = "cache_creation_input_tokens")]
    cache_write: Option<&'a RawValue>,
    cache_creation: Lenient<CacheWrites<'a>>,
    speed: Loose<'a>,
}

/// How long what was written to the cache is kept.
#[derive(Deserialize, Default)]
#[serde(default)]
struct CacheWrites<'a> {
    #[serde(borrow, rename = "ephemeral_1h_input_tokens")]
    for_an_hour: Option<&'a RawValue>,
}

impl Tokens<'_> {
    fn usage(&self) -> Usage {
        let count = |raw| wire::number(raw).unwrap_or_default();
        let cache_write = count(self.cache_write);
        Usage {
            input: count(self.input),
            output: count(self.output),
            cache_read: count(self.cache_read),
            cache_write,
            cache_write_1h: count(self.cache_creation.0.for_an_hour).min(cache_write),
        }
    }
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
    text: Option<&'a RawValue>,
    is_error: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ResultMeta<'a> {
    #[serde(borrow)]
    id: Loose<'a>,
    non_execution_kind: Loose<'a>,
}
/// The model of lines that the client wrote by itself.
const SYNTHETIC: &str = "<synthetic>";

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

/// Types of lines that may tell of calls or prompts.
const TELLING: &[&str] = &["assistant", "user", "progress", "attachment", "queue-operation", "system"];

/// Whether a line of this type may stand in a session file or a stream.
pub(in crate::host) fn is_known(kind: &str) -> bool {
    TELLING.contains(&kind) || is_silent_entry(kind)
}

fn is_silent_entry(kind: &str) -> bool {
    SILENT.contains(&kind) || kind.starts_with("api-request")
}

impl ClaudeLines {
    /// Changes nothing when it fails: the caller reads the repaired line again.
    pub(in crate::host) fn read(&mut self, joins: &mut SessionJoins, text: &str) -> Read<Entries> {
        let line: SessionLine<'_> = serde_json::from_str(text)?;
        let place = self.place(joins, &line);
        match line.kind.as_str() {
            "assistant" => Self::assistant(joins, &line, &place),
            "user" => Self::user(joins, &line, &place),
            "progress" => Self::progress(joins, &line, place),
            "attachment" => Self::attachment(joins, &line, &place),
            "queue-operation" => Self::queued(joins, &line, &place),
            "system" => Ok(self.system(joins, &line, &place)),
            known if is_silent_entry(known) => Ok(Err(Skip::NothingInIt)),
            _ => Ok(Err(Skip::UnknownType)),
        }
    }

    fn place(&self, joins: &SessionJoins, line: &SessionLine<'_>) -> EntryPlace {
        let session = line.session_id.owned().or_else(|| self.session.clone());
        let cwd = line.cwd.owned().or_else(|| self.cwd.clone());
        EntryPlace {
            ts: line.timestamp.owned(),
            ids: Ids { session, agent: self.agent(line), ..Ids::default() },
            cwd,
            line: joins.line(),
        }
    }

    /// The subagent whose line it is. Sidechain lines of old clients do not say which.
    fn agent(&self, line: &SessionLine<'_>) -> Option<String> {
        let launched_by = |call: &str| {
            let known = self.agents.iter().rev().find(|(launch, _)| launch == call);
            known.map_or(call, |(_, agent)| agent).to_owned()
        };
        let named = line.agent_id.owned().or_else(|| line.parent_tool_use_id.0.as_deref().map(launched_by));
        named.or_else(|| wire::is_true(line.is_sidechain).then(|| "sidechain".to_owned()))
    }

    /// A stream tells the subagent's own name, which transcripts and hooks use, when it starts.
    fn started(&mut self, call: &str, agent: &str) {
        if call.is_empty() || agent.is_empty() {
            return;
        }
        push_bounded(&mut self.agents, (call.to_owned(), agent.to_owned()));
    }

    fn assistant(joins: &mut SessionJoins, line: &SessionLine<'_>, place: &EntryPlace) -> Read<Entries> {
        let message = &line.message.0;
        if wire::is_true(line.is_api_error_message) || (message.model.as_str() == SYNTHETIC && line.error.is_some()) {
            let (word, text) = (wire::text(line.error)?, message.text()?);
            let call = call::api_error(&word, text, place.ids.clone(), place.cwd.clone());
            return Ok(Ok(vec![place.entry(PayloadKind::ApiError(call.into_owned()))]));
        }
        let calls = message.blocks("tool_use").map(|block| waiting(block, place)).collect::<Read<Vec<_>>>()?;
        let own = message.model.as_str() != SYNTHETIC;
        let words = Some(message.text()?).filter(|words| own && !words.trim().is_empty());
        let words = words.map(|words| EntryNews::Words(words.into_owned()));
        let turn = Self::turn(joins, message);
        if calls.is_empty() && turn.is_none() && words.is_none() {
            return Ok(Err(Skip::NothingInIt));
        }
        for call in calls {
            joins.wait(call);
        }
        if let Some(files) = &mut joins.files {
            let blocks = message.blocks("tool_use").filter_map(|block| Some((block, block.input?)));
            blocks.for_each(|(block, input)| files.asked(block.id.as_str(), block.name.as_str(), input));
        }
        Ok(Ok(turn.into_iter().chain(words).map(|told| place.entry_of(told)).collect()))
    }

    /// What a line adds to what is known of its answer. What the client wrote by itself cost nothing.
    fn turn(joins: &mut SessionJoins, message: &ModelMessage<'_>) -> Option<EntryNews> {
        let model = message.model.as_str();
        if model == SYNTHETIC {
            return None;
        }
        let mode = if message.usage.0.speed.as_str() == "fast" { Turn::FAST } else { "" };
        let named = || Some(model).filter(|model| !model.is_empty()).map(|model| [model, mode].concat());
        joins.turn(message.id.as_str(), named, message.usage.0.usage())
    }

    fn user(joins: &mut SessionJoins, line: &SessionLine<'_>, place: &EntryPlace) -> Read<Entries> {
        let message = &line.message.0;
        // A line has one structured response: it cannot be told whose it is when there are several results.
        let response = line.tool_use_result.filter(|_| message.blocks("tool_result").count() == 1);
        let results = message.blocks("tool_result").map(|block| Self::result(joins, block, line, response, place));
        let results = results.collect::<Read<Vec<_>>>()?;
        if results.is_empty() {
            return Ok(Self::words(joins, &message.text()?, line, place));
        }
        let completed = match (response, results.as_slice()) {
            (Some(response), [Ok((call, _))])
                if call.tool.kind == ToolKind::Agent && call.status == Status::Succeeded =>
            {
                completed_agent(response)?
            }
            _ => None,
        };
        let mut entries = Vec::new();
        for (block, result) in message.blocks("tool_result").zip(results) {
            let (id, is_error) = (block.tool_use_id.as_str(), wire::is_true(block.is_error));
            let news = joins.files.as_mut().and_then(|files| files.ended(id, is_error, response));
            let Some(entry) = joins.join(result, place) else { continue };
            // What a call tells of a file comes before the call.
            let told = news.map(|news| place.entry_of(EntryNews::File(Box::new(news))));
            entries.extend(told.map(|told| TranscriptEntry { ids: entry.ids.clone(), ..told }));
            entries.push(entry);
        }
        if let Some((entry, told)) = entries.last().zip(completed) {
            let ids = entry.ids.clone();
            entries.push(TranscriptEntry { ids, ..place.entry_of(told) });
        }
        Ok(Ok(entries))
    }

    /// The call that a result ends, and whether it is marked as an error.
    fn result(
        joins: &SessionJoins,
        block: &Block<'_>,
        line: &SessionLine<'_>,
        response: Option<&RawValue>,
        place: &EntryPlace,
    ) -> Read<Result<(ToolCall<'static>, bool), Skip>> {
        let call = match joins.begun(block.tool_use_id.as_str(), place) {
            Ok(call) => call,
            Err(reason) => return Ok(Err(reason)),
        };
        let marked_error = wire::is_true(block.is_error);
        let call = if marked_error {
            call::failed(call, wire::text(block.content)?)
        } else if let Some(response) = response.filter(|response| wire::shape(response) == JsonShape::Object) {
            call::succeeded_raw(call, response)?
        } else {
            call::shown_raw(call, block.content)?
        };
        Ok(Ok((denied_by_mark(call, line).into_owned(), marked_error)))
    }

    /// A subagent's own lines, as older clients put them into the file of the session.
    fn progress(joins: &mut SessionJoins, line: &SessionLine<'_>, outer: EntryPlace) -> Read<Entries> {
        let progress = &line.data.0;
        let is_of_agent = progress.kind.as_str() == "agent_progress";
        let inner = progress.message.as_ref().filter(|_| is_of_agent);
        let Some(Lenient(inner)) = inner else { return Ok(Err(Skip::NothingInIt)) };
        let mut place = EntryPlace { ts: inner.timestamp.owned().or(outer.ts), ..outer };
        place.ids.agent = progress.agent_id.owned().or(place.ids.agent);
        match inner.kind.as_str() {
            "assistant" => Self::assistant(joins, inner, &place),
            "user" => Self::user(joins, inner, &place),
            _ => Ok(Err(Skip::NothingInIt)),
        }
    }

    fn attachment(joins: &mut SessionJoins, line: &SessionLine<'_>, place: &EntryPlace) -> Read<Entries> {
        let attachment = &line.attachment.0;
        if attachment.string("type")?.as_deref() != Some("queued_command") {
            return Ok(Err(Skip::NothingInIt));
        }
        Ok(Self::words(joins, &wire::text(attachment.get("prompt"))?, line, place))
    }

    /// What waits in the queue of prompts. A person's words stand in the file again when they are delivered.
    fn queued(joins: &mut SessionJoins, line: &SessionLine<'_>, place: &EntryPlace) -> Read<Entries> {
        let text = wire::text(line.content)?;
        Ok(match said(&text, &place.ids, place.cwd.as_deref()) {
            PayloadKind::Background { call, output_file } => joins.ended(call.into_owned(), output_file, place),
            _ => Err(Skip::NothingInIt),
        })
    }

    /// A person's prompt, or a notice of a background task.
    fn words(joins: &mut SessionJoins, text: &str, line: &SessionLine<'_>, place: &EntryPlace) -> Entries {
        match said(text, &place.ids, place.cwd.as_deref()) {
            PayloadKind::Background { call, output_file } => joins.ended(call.into_owned(), output_file, place),
            kind @ PayloadKind::Prompt { .. } if place.ids.agent.is_none() && by_a_person(text, line) => {
                Ok(vec![place.entry(kind.into_owned())])
            }
            // What is watched tells of itself, too.
            _ if text.trim_start().starts_with(NOTIFICATION) => Ok(vec![place.entry_of(EntryNews::Waited)]),
            _ => Err(Skip::NothingInIt),
        }
    }

    /// A stream's own lines: what the session is, and how background tasks ended.
    fn system(&mut self, joins: &mut SessionJoins, line: &SessionLine<'_>, place: &EntryPlace) -> Entries {
        match line.subtype.as_str() {
            "task_started" => {
                self.started(line.tool_use_id.as_str(), line.task_id.as_str());
                Err(Skip::NothingInIt)
            }
            "init" => {
                self.session = line.session_id.owned();
                self.cwd = line.cwd.owned();
                Err(Skip::NothingInIt)
            }
            // Agents in the foreground are noticed too, and their calls have results of their own.
            "task_notification" if joins.is_launched(line.task_id.as_str()) => {
                let call = stream_notice(line).call(place.ids.clone(), place.cwd.clone());
                let call = call.ok_or(Skip::NothingInIt)?.into_owned();
                joins.ended(call, line.output_file.owned(), place)
            }
            "api_error" => Ok(vec![place.entry_of(EntryNews::Waited)]),
            _ => Err(Skip::NothingInIt),
        }
    }
}

/// What a response tells, where it is that of a subagent that was reported as completed.
fn completed_agent(response: &RawValue) -> Read<Option<EntryNews>> {
    let Lenient(result): Lenient<RawFields<'_>> = serde_json::from_str(response.get())?;
    let (status, agent) = (result.string("status")?, result.string("agentId")?);
    Ok((status.as_deref() == Some("completed")).then_some(EntryNews::AgentCompleted { agent }))
}

impl<'a> ModelMessage<'a> {
    fn all(&self) -> &[Block<'a>] {
        match &self.content {
            ListOrText::List(blocks) => blocks,
            ListOrText::Text(_) => &[],
        }
    }

    fn blocks<'m>(&'m self, kind: &'m str) -> impl Iterator<Item = &'m Block<'a>> {
        self.all().iter().filter(move |block| block.kind.as_str() == kind)
    }

    /// What it says in words. They are decoded here only.
    fn text(&self) -> Read<Cow<'_, str>> {
        match &self.content {
            ListOrText::Text(text) => Ok(Cow::Borrowed(text)),
            ListOrText::List(blocks) => {
                let texts =
                    blocks.iter().filter_map(|block| block.text).map(|text| Ok(Loose(Some(wire::string(text)?))));
                Ok(wire::joined(texts.collect::<Read<Vec<_>>>()?))
            }
        }
    }
}

fn waiting(block: &Block<'_>, place: &EntryPlace) -> Read<OpenCall> {
    let given: GivenInput<'_> = block.input.map_or(Ok(GivenInput::default()), |raw| serde_json::from_str(raw.get()))?;
    OpenCall::of(block.id.as_str(), block.name.as_str(), &given, place.ts.clone())
}

/// The mark tells denials whose text is only the reason that a person or a hook gave: no rule may read it.
fn denied_by_mark<'a>(call: ToolCall<'a>, line: &SessionLine<'_>) -> ToolCall<'a> {
    let unexplained = matches!(call.status, Status::Failed | Status::Refused);
    if unexplained && is_marked_denied(call.ids.tool_use.as_deref().unwrap_or_default(), line) {
        return ToolCall { status: Status::Denied, text: Cow::Borrowed(""), ..call };
    }
    call
}

fn is_marked_denied(id: &str, line: &SessionLine<'_>) -> bool {
    let marked = |meta: &ResultMeta<'_>| meta.id.as_str() == id && !meta.non_execution_kind.as_str().is_empty();
    let listed = matches!(&line.tool_result_meta, ListOrText::List(metas) if metas.iter().any(marked));
    listed || !line.tool_denial_kind.as_str().is_empty()
}

/// Texts that the client puts into a user's line.
const WRITTEN_BY_THE_CLIENT: &[&str] = &[
    "[Request interrupted by user",
    "<local-command-",
    "<bash-stdout>",
    "<bash-stderr>",
    "<system-reminder>",
    NOTIFICATION,
    "Stop hook feedback:",
];

const NOTIFICATION: &str = "<task-notification>";

fn by_a_person(text: &str, line: &SessionLine<'_>) -> bool {
    let marks = [line.is_meta, line.is_synthetic, line.is_compact_summary, line.is_visible_in_transcript_only];
    let text = text.trim_start();
    !text.is_empty()
        && !marks.into_iter().any(wire::is_true)
        && !WRITTEN_BY_THE_CLIENT.iter().any(|start| text.starts_with(start))
}

fn stream_notice<'a>(line: &'a SessionLine<'_>) -> TaskNotice<'a> {
    TaskNotice {
        task: line.task_id.0.as_deref(),
        tool_use: line.tool_use_id.0.as_deref(),
        output_file: line.output_file.0.as_deref(),
        status: notification::status(line.status.as_str()),
        summary: line.summary.as_str(),
        body: "",
    }
}
#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use std::collections::BTreeMap;

    use super::*;
    use crate::host::joins::MAX_OPEN;
    use crate::host::transcript::played::{call, read_as};
    use crate::host::transcript::{Summary, Transcript};
    use crate::model::{Host, Tool, ToolInput, Usage};

    fn called(id: &str, command: &str) -> Value {
        let block = json!({ "type": "tool_use", "id": id, "name": "Bash", "input": { "command": command } });
        json!({ "type": "assistant", "message": { "content": [block] } })
    }

    fn ended(id: &str, text: &str, is_error: bool) -> Value {
        let block = json!({ "type": "tool_result", "tool_use_id": id, "content": text, "is_error": is_error });
        json!({ "type": "user", "sessionId": "s1", "cwd": "/srv", "timestamp": "2030-01-02T03:04:05Z", "message": { "content": [block] } })
    }

    fn launched(id: &str, task: &str) -> [Value; 2] {
        let mut result = ended(id, "Command running in background", false);
        result["toolUseResult"] = json!({ "stdout": "", "stderr": "", "backgroundTaskId": task });
        [called(id, "make serve"), result]
    }

    fn said(text: &str) -> Value {
        json!({ "type": "user", "sessionId": "s1", "message": { "role": "user", "content": text } })
    }

    fn notice(task: &str, status: &str) -> String {
        let summary = "Background command \"serve\" failed with exit code 7";
        format!(
            "<task-notification>\n<task-id>{task}</task-id>\n<status>{status}</status>\n<summary>{summary}</summary>\n</task-notification>"
        )
    }

    fn read(lines: &[Value]) -> (Vec<TranscriptEntry>, Summary) {
        read_as(Host::Claude, lines)
    }

    #[test]
    fn results_are_joined_with_their_calls_in_the_order_of_the_file() {
        let (entries, summary) = read(&[
            called("a", "one"),
            called("b", "two"),
            ended("b", "Exit code 2\nx", true),
            ended("a", "ok", false),
        ]);
        let seen: Vec<_> =
            entries.iter().map(|entry| (call(entry).command().unwrap(), entry.marked_error, entry.line)).collect();
        assert_eq!(seen, [("two", true, 3), ("one", false, 4)]);
        assert_eq!((call(&entries[0]).exit_code, &*call(&entries[0]).text), (Some(2), "x"));
        assert_eq!(entries[0].ids, Ids { session: Some("s1".into()), tool_use: Some("b".into()), ..Ids::default() });
        assert_eq!(
            (entries[0].ts.as_deref(), call(&entries[0]).cwd.as_deref()),
            (Some("2030-01-02T03:04:05Z"), Some("/srv"))
        );
        assert_eq!((summary.calls, summary.without_result), (2, 0));
    }

    #[test]
    fn copies_and_strangers_are_counted_not_told() {
        let lines = [
            called("a", "one"),
            ended("a", "x", true),
            called("a", "one"),
            ended("a", "x", true),
            ended("z", "", false),
            called("b", "without a result"),
        ];
        let (entries, summary) = read(&lines);
        assert_eq!((entries.len(), summary.calls, summary.without_result), (1, 1, 1));
        assert_eq!(summary.skipped, BTreeMap::from([(Skip::Duplicate, 1), (Skip::ResultWithoutCall, 1)]));
    }

    #[test]
    fn what_a_file_holds_is_not_kept_and_what_a_command_printed_is() {
        let of = |id: &str, tool: &str| {
            let mut line = called(id, "x");
            line["message"]["content"][0]["name"] = json!(tool);
            [line, ended(id, "<tool_use_error>quoted</tool_use_error>", false)]
        };
        let lines: Vec<_> = [of("a", "Read"), of("b", "Bash")].into_iter().flatten().collect();
        let (entries, _) = read(&lines);
        let seen: Vec<_> = entries.iter().map(|entry| (call(entry).status, call(entry).text.len())).collect();
        assert_eq!(seen, [(Status::Succeeded, 0), (Status::Succeeded, 39)]);
    }

    #[test]
    fn one_line_may_hold_several_results_and_only_marked_ones_failed() {
        let mut both = ended("a", "Exit code 3", false);
        let second = ended("b", "Exit code 4\nx", true)["message"]["content"][0].clone();
        both["message"]["content"].as_array_mut().unwrap().push(second);
        both["toolUseResult"] = json!({ "stdout": "whose?" });
        let (entries, _) = read(&[called("a", "one"), called("b", "two"), both]);
        let seen: Vec<_> = entries.iter().map(|entry| (call(entry).status, &*call(entry).text)).collect();
        assert_eq!(seen, [(Status::Succeeded, "Exit code 3"), (Status::Failed, "x")]);
    }

    #[test]
    fn half_a_surrogate_pair_loses_no_result() {
        let mut both = ended("a", "fine", false);
        let second = ended("b", "cut HERE", true)["message"]["content"][0].clone();
        both["message"]["content"].as_array_mut().unwrap().push(second);
        let mut transcript = Transcript::default();
        let lines =
            [called("a", "1").to_string(), called("b", "2").to_string(), both.to_string().replace("HERE", "\\ud83d")];
        let entries: Vec<_> = lines.iter().flat_map(|line| transcript.line(line)).collect();
        assert_eq!(entries.iter().map(|entry| &*call(entry).text).collect::<Vec<_>>(), ["fine", "cut \u{fffd}"]);
    }

    #[test]
    fn lines_of_subagents_carry_the_agent() {
        let progress = |message: &Value| {
            json!({ "type": "progress", "cwd": "/srv", "sessionId": "s1",
                    "data": { "type": "agent_progress", "agentId": "agent-4", "message": message } })
        };
        let mut own_file = ended("b", "Exit code 1", true);
        own_file["agentId"] = json!("agent-5");
        own_file["isSidechain"] = json!(true);
        let lines = [progress(&called("a", "one")), progress(&ended("a", "x", true)), called("b", "two"), own_file];
        let (entries, _) = read(&lines);
        let agents: Vec<_> = entries.iter().map(|entry| entry.ids.agent.as_deref()).collect();
        assert_eq!(agents, [Some("agent-4"), Some("agent-5")]);
        assert_eq!(entries[0].ids, call(&entries[0]).ids);
        assert_eq!(call(&entries[0]).cwd.as_deref(), Some("/srv"));
    }

    #[test]
    fn other_progress_tells_nothing() {
        let hook = json!({ "type": "progress", "toolUseID": "a", "data": { "type": "hook_progress", "command": "x" } });
        let output = json!({ "type": "progress", "data": { "type": "bash_progress", "output": "Exit code 3" } });
        let (entries, summary) = read(&[called("a", "one"), hook, output, ended("a", "", false)]);
        assert_eq!((entries.len(), summary.skipped[&Skip::NothingInIt]), (1, 2));
    }

    #[test]
    fn a_notice_counts_once_and_finds_its_launch() {
        let queued = json!({ "type": "queue-operation", "operation": "enqueue", "content": notice("bt-1", "failed") });
        let attached = json!({ "type": "attachment", "attachment": { "type": "queued_command", "prompt": notice("bt-1", "failed") } });
        let [launch, result] = launched("a", "bt-1");
        let (entries, summary) =
            read(&[launch, result, queued, said(&notice("bt-1", "failed")), attached, said(&notice("bt-2", "failed"))]);
        let ends: Vec<_> =
            entries.iter().skip(1).map(|entry| (entry.ids.tool_use.as_deref(), call(entry).exit_code)).collect();
        assert_eq!(ends, [(Some("a"), Some(7)), (None, Some(7))]);
        assert_eq!(call(&entries[0]).status, Status::InBackground);
        assert_eq!(summary.skipped[&Skip::Duplicate], 2);
    }

    #[test]
    fn prompts_are_a_persons_words_only() {
        let with = |key: &str| {
            let mut line = said("go on");
            line[key] = json!(true);
            line
        };
        let mut for_subagent = said("count");
        for_subagent["agentId"] = json!("agent-4");
        let blocks = json!({ "type": "user", "message": { "content": [{ "type": "text", "text": "look at this" }] } });
        let lines = [
            said("go on"),
            blocks,
            said("<command-name>/review</command-name>"),
            with("isMeta"),
            with("isCompactSummary"),
            with("isSynthetic"),
            for_subagent,
            said("[Request interrupted by user for tool use]"),
            said("<local-command-stdout>x</local-command-stdout>"),
            said(""),
        ];
        let (entries, _) = read(&lines);
        assert!(entries.iter().all(|entry| matches!(entry.told.event(), Some(PayloadKind::Prompt { .. }))));
        assert_eq!(entries.iter().map(|entry| entry.line).collect::<Vec<_>>(), [1, 2, 3]);
    }

    #[test]
    fn errors_of_the_api_are_told() {
        let content = json!([{ "type": "text", "text": "API Error: 429 slow down" }]);
        let line = json!({ "type": "assistant", "isApiErrorMessage": true, "error": "rate_limit", "message": { "content": content } });
        let quiet = json!({ "type": "assistant", "message": { "model": "<synthetic>", "content": content } });
        let (entries, _) = read(&[line, quiet]);
        assert_eq!(entries.len(), 1);
        assert_eq!(
            (call(&entries[0]).tool.name.as_str(), &*call(&entries[0]).text),
            (Tool::MODEL_API, "API Error: 429 slow down")
        );
        assert_eq!(call(&entries[0]).input, ToolInput::Other { summary: "rate_limit".into() });
    }

    fn answered(id: &str, output: u64) -> Value {
        let usage = json!({ "input_tokens": 3, "output_tokens": output, "cache_read_input_tokens": 70,
                            "cache_creation_input_tokens": 5, "iterations": [] });
        let message =
            json!({ "id": id, "model": "m-1", "content": [{ "type": "thinking", "thinking": "x" }], "usage": usage });
        json!({ "type": "assistant", "sessionId": "s1", "message": message })
    }

    fn turns(entries: &[TranscriptEntry]) -> Vec<(&str, u64, u64, bool)> {
        let turn = |entry| match entry {
            &TranscriptEntry { told: EntryNews::Turn { ref turn, before }, .. } => {
                Some((turn.message.as_str(), turn.usage.total(), turn.usage.output, before.is_none()))
            }
            _ => None,
        };
        entries.iter().filter_map(turn).collect()
    }

    #[test]
    fn words_are_told_besides_the_answer_that_they_are_of() {
        let mut line = answered("m1", 1);
        line["message"]["content"] = json!([{ "type": "text", "text": "All tests pass." }]);
        let (entries, _) = read(&[line.clone(), line]);
        let words =
            |entry: &TranscriptEntry| matches!(&entry.told, EntryNews::Words(words) if words == "All tests pass.");
        assert_eq!(entries.iter().filter(|entry| words(entry)).count(), 2);
        assert_eq!(turns(&entries).len(), 1);
    }

    #[test]
    fn an_answer_is_counted_once_with_its_final_tokens() {
        let mut nameless = answered("x", 9);
        nameless["message"]["id"] = json!(null);
        let lines = [answered("m1", 1), answered("m2", 4), answered("m1", 1), answered("m1", 8), nameless];
        let (entries, summary) = read(&lines);
        assert_eq!(turns(&entries), [("m1", 79, 1, true), ("m2", 82, 4, true), ("m1", 7, 7, false)]);
        assert_eq!(summary.skipped, BTreeMap::from([(Skip::NothingInIt, 2)]));
        let EntryNews::Turn { turn, .. } = &entries[0].told else { panic!("{entries:?}") };
        assert_eq!(turn.model.as_deref(), Some("m-1"));
        assert_eq!(turn.usage, Usage { input: 3, output: 1, cache_read: 70, cache_write: 5, cache_write_1h: 0 });
        let EntryNews::Turn { before, .. } = &entries[2].told else { panic!("{entries:?}") };
        assert_eq!(before.map(|before| (before.input, before.output)), Some((3, 1)));
    }

    #[test]
    fn what_is_written_to_the_cache_for_an_hour_is_a_part_of_what_is_written() {
        let written = |hour: Value| {
            let mut line = answered("m1", 1);
            line["message"]["usage"]["cache_creation"] = hour;
            let (entries, _) = read(&[line]);
            let EntryNews::Turn { turn, .. } = &entries[0].told else { panic!("{entries:?}") };
            (turn.usage.cache_write, turn.usage.cache_write_1h)
        };
        let both =
            |five: u64, hour: u64| json!({ "ephemeral_5m_input_tokens": five, "ephemeral_1h_input_tokens": hour });
        assert_eq!(written(both(1, 4)), (5, 4));
        assert_eq!(written(both(5, 0)), (5, 0));
        assert_eq!(written(both(0, 900)), (5, 5));
        assert_eq!(written(json!("ephemeral_1h_input_tokens")), (5, 0));
    }

    #[test]
    fn a_model_in_fast_mode_has_a_name_of_its_own() {
        let model = |model: &str, speed: Value| {
            let mut line = answered("m1", 1);
            line["message"]["model"] = json!(model);
            line["message"]["usage"]["speed"] = speed;
            let (entries, _) = read(&[line]);
            let EntryNews::Turn { turn, .. } = &entries[0].told else { panic!("{entries:?}") };
            turn.model.clone()
        };
        assert_eq!(model("m-1", json!("fast")).as_deref(), Some("m-1 fast"));
        assert_eq!(model("m-1", json!("standard")).as_deref(), Some("m-1"));
        assert_eq!(model("m-1", json!(["fast"])).as_deref(), Some("m-1"));
        assert_eq!((model("", json!("fast")), model("two words", json!("fast"))), (None, None));
        let mut by_itself = answered("m1", 0);
        by_itself["message"]["model"] = json!("<synthetic>");
        assert!(turns(&read(&[by_itself]).0).is_empty());
    }

    #[test]
    fn a_subagent_that_is_reported_as_completed_is_named() {
        let agent = |id: &str, status: &str| {
            let mut launch = called(id, "x");
            launch["message"]["content"][0]["name"] = json!("Task");
            let mut result = ended(id, "done", false);
            result["toolUseResult"] = json!({ "status": status, "agentId": format!("agent-of-{id}"), "content": [] });
            [launch, result]
        };
        let lines: Vec<_> = [agent("a", "completed"), agent("b", "async_launched")].into_iter().flatten().collect();
        let (entries, _) = read(&lines);
        let completed: Vec<_> = entries
            .iter()
            .filter_map(|entry| match &entry.told {
                EntryNews::AgentCompleted { agent } => Some((entry.ids.tool_use.as_deref(), agent.as_deref())),
                _ => None,
            })
            .collect();
        assert_eq!(completed, [(Some("a"), Some("agent-of-a"))]);
        assert_eq!(entries.len(), 3);
    }

    #[test]
    fn a_stream_names_subagents_as_transcripts_do() {
        let started =
            json!({ "type": "system", "subtype": "task_started", "task_id": "agent-4", "tool_use_id": "call-0" });
        let mut inside = ended("a", "x", true);
        inside["parent_tool_use_id"] = json!("call-0");
        let (entries, _) = read(&[started, called("a", "one"), inside]);
        assert_eq!(entries[0].ids.agent.as_deref(), Some("agent-4"));
    }

    #[test]
    fn marks_tell_denials_whose_text_is_a_mere_reason() {
        let mut marked = ended("a", "not on a Sunday: ECONNRESET", true);
        marked["toolDenialKind"] = json!("permission-rule");
        let mut stream = ended("b", "not on a Sunday", true);
        stream["tool_result_meta"] = json!([{ "id": "x" }, { "id": "b", "non_execution_kind": "user-rejected" }]);
        let mut other = ended("c", "not on a Sunday", true);
        other["tool_result_meta"] = json!([{ "id": "c", "permission_decision": { "decision": "accept" } }]);
        let (entries, _) = read(&[called("a", "1"), called("b", "2"), called("c", "3"), marked, stream, other]);
        let seen: Vec<_> = entries.iter().map(|entry| (call(entry).status, &*call(entry).text)).collect();
        assert_eq!(seen, [(Status::Denied, ""), (Status::Denied, ""), (Status::Failed, "not on a Sunday")]);
    }

    #[test]
    fn streams_say_the_place_once() {
        let init = json!({ "type": "system", "subtype": "init", "session_id": "s9", "cwd": "/srv/shop" });
        let result = json!({ "type": "user", "parent_tool_use_id": "call-0",
            "message": { "content": [{ "type": "tool_result", "tool_use_id": "a", "content": "ok" }] } });
        let (entries, _) = read(&[init, called("a", "one"), result]);
        assert_eq!(call(&entries[0]).cwd.as_deref(), Some("/srv/shop"));
        assert_eq!(
            entries[0].ids,
            Ids {
                session: Some("s9".into()),
                agent: Some("call-0".into()),
                tool_use: Some("a".into()),
                ..Ids::default()
            }
        );
    }

    #[test]
    fn streams_notice_agents_in_the_foreground_too() {
        let done = |task: &str| {
            json!({ "type": "system", "subtype": "task_notification", "task_id": task, "status": "failed",
            "summary": "Background command \"x\" failed with exit code 5" })
        };
        let [launch, result] = launched("a", "bt-1");
        let (entries, _) = read(&[launch, result, done("fg-1"), done("bt-1"), done("bt-1")]);
        assert_eq!(entries.len(), 2);
        assert_eq!((entries[1].ids.tool_use.as_deref(), call(&entries[1]).exit_code), (Some("a"), Some(5)));
    }

    #[test]
    fn what_gives_no_entry_is_counted_by_reason() {
        let mut transcript = Transcript::default();
        for line in
            ["", " \r", "{\"type\":", "[1]", "{}", "{\"type\":\"shelf\"}", "{\"type\":\"summary\",\"summary\":\"x\"}"]
        {
            assert!(transcript.line(line).is_empty());
        }
        let skipped = transcript.finish().skipped;
        let expected = [(Skip::Blank, 2), (Skip::NotJson, 2), (Skip::UnknownType, 2), (Skip::NothingInIt, 1)];
        assert_eq!(skipped, BTreeMap::from(expected));
    }

    #[test]
    fn calls_that_wait_are_bounded() {
        let mut transcript = Transcript::default();
        for n in 0..MAX_OPEN + 10 {
            transcript.line(&called(&format!("id-{n}"), "x").to_string());
        }
        assert_eq!(transcript.waiting(), MAX_OPEN);
        assert_eq!(transcript.finish().without_result, MAX_OPEN + 10);
    }
}
