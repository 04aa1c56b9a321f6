//! Session files of Codex CLI: `rollout-*.jsonl`. A call and its output are two lines, how a command ended is a third: an
//! item that is written before the output, or long after it where the command went on in the background.

use std::borrow::Cow;
use std::collections::VecDeque;

use failwise_core::host::codex::{COMMAND, RolloutItem, as_patch};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::host::call::{self, GivenInput};
use crate::host::joins::{Entries, EntryPlace, OpenCall, SessionJoins, push_bounded, whole_input};
use crate::host::transcript::{EntryNews, Skip};
use crate::host::wire::{self, JsonShape, Lenient, Loose, RawFields, Read};
use crate::model::{Host, Ids, Phase, Status, Tool, ToolCall, ToolInput, ToolKind, Usage};

/// Reads the lines of one file.
#[derive(Debug, Default)]
pub(in crate::host) struct CodexLines {
    session: Option<String>,
    /// The thread, where it is a subagent's.
    agent: Option<String>,
    cwd: Option<String>,
    model: Option<String>,
    /// How commands ended whose output has not come.
    ends: VecDeque<ItemEnd>,
    /// Calls that ask for the output of a command in the background, with the command's number.
    polls: VecDeque<(String, String)>,
    /// Whether answers have records of their own, beside the counts of the whole session.
    has_records: bool,
    /// The tokens of the whole session that were told of, in files without such records.
    counted: Option<u64>,
    /// What the person said last: it stands in two kinds of lines.
    prompted: Option<String>,
}

/// How a command ended, as its item tells it.
#[derive(Debug)]
struct ItemEnd {
    id: String,
    process: Option<String>,
    command: String,
    /// The exit code of a command; what is no command has none.
    exit_code: Option<i32>,
    failed: bool,
    text: String,
    took_ms: Option<u64>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RolloutRecord<'a> {
    #[serde(borrow)]
    timestamp: Loose<'a>,
    #[serde(rename = "type")]
    kind: Loose<'a>,
    payload: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RolloutPayload<'a> {
    #[serde(borrow, rename = "type")]
    kind: Loose<'a>,
    // Of the session.
    id: Loose<'a>,
    session_id: Loose<'a>,
    /// Where a thread came from: a subagent's names the thread that began it.
    source: Lenient<RawFields<'a>>,
    cwd: Loose<'a>,
    model: Loose<'a>,
    // Of calls.
    call_id: Loose<'a>,
    name: Loose<'a>,
    namespace: Loose<'a>,
    arguments: Loose<'a>,
    input: Loose<'a>,
    action: Option<&'a RawValue>,
    output: Option<&'a RawValue>,
    item: Lenient<RolloutItem<'a>>,
    // Of words.
    role: Loose<'a>,
    content: Option<&'a RawValue>,
    message: Loose<'a>,
    // Of tokens.
    response_id: Loose<'a>,
    usage: Lenient<RawFields<'a>>,
    info: Lenient<RawFields<'a>>,
}

fn usage_of(tokens: &RawFields<'_>) -> Usage {
    let names = ["input_tokens", "output_tokens", "cached_input_tokens", "cache_write_input_tokens"];
    whole_input(tokens.counts(names))
}

/// The line that a file begins with.
const SESSION_META: &str = "session_meta";

/// Whether this is a type of line of a rollout.
pub(in crate::host) fn is_rollout_kind(kind: &str) -> bool {
    const SILENT: &[&str] = &["compacted", "world_state", "inter_agent_communication"];
    matches!(kind, SESSION_META | "turn_context" | "response_item" | "event_msg" | "token_usage_record")
        || SILENT.contains(&kind)
}

/// The session that a first line names. `payload` is that of the line.
pub(in crate::host) fn named_session(kind: &str, payload: &RawValue) -> Option<String> {
    let payload: RolloutPayload<'_> = serde_json::from_str(payload.get()).ok()?;
    if kind == SESSION_META { payload.session().ok()?.0 } else { None }
}

impl RolloutPayload<'_> {
    /// The session, and the thread where it is a subagent's: threads that were spawned have the first one's session.
    fn session(&self) -> Read<(Option<String>, Option<String>)> {
        let thread = self.id.owned();
        let parent = self.source.0.object("subagent")?.object("thread_spawn")?.string("parent_thread_id")?;
        let session = self.session_id.owned().or(parent).or_else(|| thread.clone());
        let agent = thread.filter(|thread| session.as_ref() != Some(thread));
        Ok((session, agent))
    }
}

impl CodexLines {
    pub(in crate::host) fn read(&mut self, joins: &mut SessionJoins, text: &str) -> Read<Entries> {
        let line: RolloutRecord<'_> = serde_json::from_str(text)?;
        let kind = line.kind.as_str();
        if !matches!(kind, SESSION_META | "turn_context" | "response_item" | "event_msg" | "token_usage_record") {
            return Ok(Err(if is_rollout_kind(kind) { Skip::NothingInIt } else { Skip::UnknownType }));
        }
        let Some(payload) = line.payload else { return Ok(Err(Skip::NothingInIt)) };
        let Lenient(payload): Lenient<RolloutPayload<'_>> = serde_json::from_str(payload.get())?;
        let place = self.place(joins, &line);
        match (kind, payload.kind.as_str()) {
            (SESSION_META, _) => self.begins(&payload),
            ("turn_context", _) => {
                self.model = payload.model.owned().or(self.model.take());
                Ok(Err(Skip::NothingInIt))
            }
            ("token_usage_record", _) => Ok(self.answered(joins, &payload, &place)),
            ("event_msg", "token_count") => self.counted(joins, &payload, &place),
            ("event_msg", "user_message") => Ok(self.prompt(payload.message.as_str(), &place)),
            ("event_msg", "item_completed") => self.item(joins, &payload.item.0, &place),
            ("response_item", "function_call" | "custom_tool_call" | "local_shell_call") => {
                self.called(joins, &payload, &place)
            }
            ("response_item", "function_call_output" | "custom_tool_call_output" | "local_shell_call_output") => {
                self.output(joins, &payload, &place)
            }
            ("response_item", "message") if payload.role.as_str() == "assistant" => {
                let words = wire::text(payload.content)?;
                let words = Some(words).filter(|words| !words.trim().is_empty()).ok_or(Skip::NothingInIt);
                Ok(words.map(|words| vec![place.entry_of(EntryNews::Words(words.into_owned()))]))
            }
            _ => Ok(Err(Skip::NothingInIt)),
        }
    }

    fn place(&self, joins: &SessionJoins, line: &RolloutRecord<'_>) -> EntryPlace {
        EntryPlace {
            ts: line.timestamp.owned(),
            ids: Ids { host: Host::Codex, session: self.session.clone(), agent: self.agent.clone(), tool_use: None },
            cwd: self.cwd.clone(),
            line: joins.line(),
        }
    }

    /// A thread that went on from another one holds that one's first line behind its own.
    fn begins(&mut self, payload: &RolloutPayload<'_>) -> Read<Entries> {
        if self.session.is_none() {
            (self.session, self.agent) = payload.session()?;
            self.cwd = payload.cwd.owned();
        }
        Ok(Err(Skip::NothingInIt))
    }

    fn answered(&mut self, joins: &mut SessionJoins, payload: &RolloutPayload<'_>, place: &EntryPlace) -> Entries {
        self.has_records = true;
        let told = joins.turn(payload.response_id.as_str(), || self.model.clone(), usage_of(&payload.usage.0));
        Ok(vec![place.entry_of(told.ok_or(Skip::NothingInIt)?)])
    }

    /// Older files have the counts of the whole session only, and repeat them where nothing was added.
    fn counted(&mut self, joins: &mut SessionJoins, payload: &RolloutPayload<'_>, place: &EntryPlace) -> Read<Entries> {
        let info = &payload.info.0;
        let (total, last) = (info.object("total_token_usage")?, info.object("last_token_usage")?);
        let total = usage_of(&total).total();
        if self.has_records || total == 0 || self.counted == Some(total) {
            return Ok(Err(Skip::NothingInIt));
        }
        self.counted = Some(total);
        let thread = self.agent.as_ref().or(self.session.as_ref()).map_or("", String::as_str);
        let id = format!("{thread}:{total}");
        let told = joins.turn(&id, || self.model.clone(), usage_of(&last));
        Ok(told.map(|told| vec![place.entry_of(told)]).ok_or(Skip::NothingInIt))
    }

    /// A person's words, told once.
    fn prompt(&mut self, text: &str, place: &EntryPlace) -> Entries {
        if self.prompted.as_deref() == Some(text) {
            return Err(Skip::NothingInIt);
        }
        let prompt = place.prompt(text)?;
        self.prompted = Some(text.to_owned());
        Ok(prompt)
    }

    fn called(&mut self, joins: &mut SessionJoins, payload: &RolloutPayload<'_>, place: &EntryPlace) -> Read<Entries> {
        let name = match (payload.kind.as_str(), payload.namespace.as_str(), payload.name.as_str()) {
            ("local_shell_call", ..) => Cow::Borrowed("local_shell"),
            (_, server, name) if server.starts_with("mcp__") && !name.starts_with("mcp__") => {
                Cow::Owned(format!("{}__{name}", server.trim_end_matches('_')))
            }
            (_, _, name) => Cow::Borrowed(name),
        };
        let tool = Tool::named(&name);
        // Arguments are written as a text, and so are those of a tool that takes no fields.
        let given = match (payload.action, payload.arguments.as_str()) {
            (Some(action), _) => action.get(),
            (None, "") => "{}",
            (None, arguments) => arguments,
        };
        let given: GivenInput<'_> = serde_json::from_str(given).unwrap_or_default();
        // What a patch is about is read when it ended, like what a shell was told.
        let written = match payload.input.0.as_deref() {
            Some(text) => Some(text.to_owned()),
            None => given.string("input")?.map(Cow::into_owned),
        };
        let input = match written {
            Some(text) if tool.kind == ToolKind::Edit => {
                ToolInput::Command { command: Cow::Owned(text), background: false }
            }
            Some(text) if payload.arguments.0.is_none() => ToolInput::Other { summary: call::one_line(&text) },
            _ => given.input(tool.kind)?.into_owned(),
        };
        let id = payload.call_id.owned().or_else(|| payload.id.owned()).unwrap_or_default();
        if payload.name.as_str() == POLL
            && let Some(process) = given.number("session_id")
        {
            push_bounded(&mut self.polls, (id.clone(), process));
        }
        self.prompted = None;
        let timeout_ms = given.timeout_ms(tool.kind);
        joins.wait(OpenCall { id, tool, input, description: None, timeout_ms, ts: place.ts.clone() });
        Ok(Err(Skip::NothingInIt))
    }

    fn output(&mut self, joins: &mut SessionJoins, payload: &RolloutPayload<'_>, place: &EntryPlace) -> Read<Entries> {
        let text = match payload.output.filter(|raw| wire::shape(raw) == JsonShape::Object) {
            Some(boxed) => serde_json::from_str::<RolloutPayload<'_>>(boxed.get())?.content,
            None => payload.output,
        };
        let text = wire::text(text)?;
        let id = payload.call_id.as_str();
        let end = self.ends.iter().position(|end| end.id == id).and_then(|at| self.ends.remove(at));
        let polled = self.polls.iter().find(|(poll, _)| poll == id).map(|(_, process)| process.clone());
        let ended = joins.result(id, place, |call| match (running(&text), polled) {
            (Some(process), _) if call.tool.kind == ToolKind::Shell => in_background(call, process),
            (_, Some(process)) => polled_call(call, &text, process),
            _ => with_output(patched(call), &text, end.as_ref()),
        });
        let in_background = running(&text).is_some();
        let later = end.filter(|_| in_background && ended.is_some());
        let later = later.map_or_else(Vec::new, |end| self.background(joins, end, place).unwrap_or_default());
        Ok(Ok(ended.into_iter().chain(later).collect()))
    }

    /// Something ended: what the client says of it beside the text that the model reads.
    fn item(&mut self, joins: &mut SessionJoins, item: &RolloutItem<'_>, place: &EntryPlace) -> Read<Entries> {
        if item.kind.as_str() == "UserMessage" {
            return Ok(self.prompt(&wire::text(item.content)?, place));
        }
        let is_command = item.kind.as_str() == COMMAND;
        let took_ms = item.duration.0.ms();
        let process = item.process_id.owned().filter(|process| is_command && joins.is_launched(process));
        // The output of what still waits for its result stands in that.
        let text = if process.is_some() { wire::text(item.aggregated_output)?.into_owned() } else { String::new() };
        let command = if process.is_some() { item.command.map_or(Ok(None), call::words_of_command)? } else { None };
        let end = ItemEnd {
            id: item.id.owned().unwrap_or_default(),
            command: command.unwrap_or_default().into_owned(),
            exit_code: wire::number(item.exit_code).filter(|_| is_command),
            failed: item.status.as_str() == "failed",
            text,
            took_ms,
            process: item.process_id.owned(),
        };
        if process.is_some() {
            return Ok(self.background(joins, end, place));
        }
        if joins.waits_for(&end.id) {
            push_bounded(&mut self.ends, end);
        }
        Ok(Err(Skip::NothingInIt))
    }

    /// A command ended whose model had its turn back before.
    fn background(&self, joins: &mut SessionJoins, end: ItemEnd, place: &EntryPlace) -> Entries {
        let ids = Ids { tool_use: Some(end.id), ..place.ids.clone() };
        let input = ToolInput::Command { command: Cow::Owned(end.command), background: true };
        let begun = call::begun(Tool::named("Bash"), input, ids, self.cwd.clone());
        let call = match end.exit_code {
            Some(code) => call::ended_with(begun, Cow::Owned(end.text), code),
            None if end.failed => call::failed(begun, Cow::Owned(end.text)),
            None => call::passed_with(begun, Cow::Owned(end.text)),
        };
        let took_ms = end.took_ms;
        let call = ToolCall { phase: Phase::Background, background_task: end.process, took_ms, ..call };
        joins.ended(call.into_owned(), None, place)
    }
}

/// The call as an edit, where it is a patch.
fn patched(call: ToolCall<'static>) -> ToolCall<'static> {
    let command = call.command().map(|command| Cow::Owned(command.to_owned()));
    as_patch(call, command)
}

/// The tool that writes to a command in the background and reads its output.
const POLL: &str = "write_stdin";

/// The number of a command that goes on in the background, where an output says so.
fn running(text: &str) -> Option<&str> {
    const MARK: &str = "Process running with session ID ";
    let mut head = text.lines().take(4).take_while(|line| *line != "Output:");
    head.find_map(|line| line.strip_prefix(MARK)).filter(|id| !id.is_empty())
}

fn in_background(call: ToolCall<'static>, process: &str) -> ToolCall<'static> {
    ToolCall { status: Status::InBackground, background_task: Some(process.to_owned()), ..call }
}

/// A call that asked for the output of a command in the background: how that ended, where it did.
fn polled_call(call: ToolCall<'static>, text: &str, process: String) -> ToolCall<'static> {
    let ids = Ids { tool_use: None, ..call.ids.clone() };
    let input = ToolInput::Other { summary: String::new() };
    let asked = call::unstated(call::begun(Tool::named("Bash"), input, ids, call.cwd.clone()), Cow::Borrowed(text));
    let asked = ToolCall { phase: Phase::Background, background_task: Some(process), ..asked.into_owned() };
    ToolCall { ended: asked.exit_code.is_some().then(|| Box::new(asked)), ..call }
}

/// What the client gives back in the place of an output, where a call could not run or went wrong.
const FAILURES: &[&str] = &[
    "unsupported call: ",
    "unsupported custom tool call: ",
    "failed to parse function arguments: ",
    "unable to locate image at ",
    "tool call error: ",
];

/// The call with its output. A command that ran has a frame with its exit code, and so has a patch; a text without one is why
/// it did not run.
fn with_output(call: ToolCall<'static>, text: &str, end: Option<&ItemEnd>) -> ToolCall<'static> {
    let own = || Cow::Owned(text.to_owned());
    let says_failed = end.is_some_and(|end| end.failed);
    let took_ms = end.and_then(|end| end.took_ms).or(call.took_ms);
    let call = match (call.tool.kind, end.and_then(|end| end.exit_code)) {
        (ToolKind::Shell | ToolKind::Edit, code) => {
            let told = call::as_command(call.clone(), own());
            match told.exit_code.or(code) {
                Some(code) if told.exit_code.is_none() => call::ended_with(call, own(), code),
                None if told.status == Status::Succeeded => call::failed(call, own()),
                // A patch has no status of its own.
                _ => ToolCall { exit_code: told.exit_code.filter(|_| call.tool.kind == ToolKind::Shell), ..told },
            }
        }
        _ if says_failed || FAILURES.iter().any(|start| text.starts_with(start)) => call::failed(call, own()),
        _ => call::passed_with(call, own()),
    };
    ToolCall { took_ms, ..call }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::host::payload::PayloadKind;
    use crate::host::transcript::TranscriptEntry;
    use crate::host::transcript::played::{call, read_as};

    fn meta() -> Value {
        json!({ "timestamp": "2030-01-02T03:04:05Z", "type": "session_meta",
            "payload": { "session_id": "s-1", "id": "s-1", "cwd": "/srv/shop" } })
    }

    fn item(payload: &Value) -> Value {
        json!({ "timestamp": "2030-01-02T03:04:06Z", "type": "response_item", "payload": payload })
    }

    fn event(payload: &Value) -> Value {
        json!({ "timestamp": "2030-01-02T03:04:07Z", "type": "event_msg", "payload": payload })
    }

    fn called(id: &str, name: &str, arguments: &Value) -> Value {
        item(&json!({ "type": "function_call", "name": name, "call_id": id, "arguments": arguments.to_string() }))
    }

    fn shell(id: &str, command: &str) -> Value {
        called(id, "exec_command", &json!({ "cmd": command }))
    }

    fn output(id: &str, text: &str) -> Value {
        item(&json!({ "type": "function_call_output", "call_id": id, "output": text }))
    }

    fn completed(id: &str, process: &str, code: i32, printed: &str) -> Value {
        let status = if code == 0 { "completed" } else { "failed" };
        event(&json!({ "type": "item_completed", "item": { "type": "CommandExecution", "id": id, "process_id": process,
            "command": ["/bin/bash", "-lc", "make serve"], "status": status, "aggregated_output": printed,
            "exit_code": code, "duration": { "secs": 1, "nanos": 500_000_000 } } }))
    }

    fn read(lines: &[Value]) -> Vec<TranscriptEntry> {
        read_as(Host::Codex, lines).0
    }

    fn end(call: &ToolCall<'_>) -> (Status, Option<i32>, String) {
        (call.status, call.exit_code, call.text.trim().to_owned())
    }

    #[test]
    fn a_command_ends_as_its_frame_and_its_item_say() {
        let framed =
            |code: i32| format!("Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code {code}\nOutput:\no\n");
        let entries = read(&[
            meta(),
            shell("a", "make"),
            completed("a", "7", 2, "o\n"),
            output("a", &framed(2)),
            shell("b", "make"),
            output("b", &framed(0)),
            shell("c", "make"),
            output("c", "exec_command failed: no such directory"),
        ]);
        let seen: Vec<_> = entries.iter().map(|entry| end(call(entry))).collect();
        let failed = "exec_command failed: no such directory".to_owned();
        assert_eq!(
            seen,
            [
                (Status::Failed, Some(2), "o".into()),
                (Status::Succeeded, Some(0), "o".into()),
                (Status::Failed, None, failed)
            ]
        );
        assert_eq!(entries.iter().map(|entry| entry.marked_error).collect::<Vec<_>>(), [true, false, true]);
        let first = call(&entries[0]);
        assert_eq!(
            (first.command(), first.cwd.as_deref(), first.took_ms),
            (Some("make"), Some("/srv/shop"), Some(1500))
        );
        assert_eq!((first.tool.name.as_str(), first.ids.session.as_deref()), ("Bash", Some("s-1")));
    }

    #[test]
    fn older_files_hand_on_outputs_as_json() {
        let old = |code: i32| format!(r#"{{"output":"o\n","metadata":{{"exit_code":{code}}}}}"#);
        let command = json!({ "command": ["bash", "-lc", "make all"] });
        let entries = read(&[
            meta(),
            called("a", "shell", &command),
            output("a", &old(2)),
            called("b", "shell", &command),
            output("b", &old(0)),
        ]);
        let seen: Vec<_> = entries.iter().map(|entry| end(call(entry))).collect();
        assert_eq!(seen, [(Status::Failed, Some(2), "o".into()), (Status::Succeeded, Some(0), "o".into())]);
        assert_eq!(call(&entries[0]).command(), Some("make all"));
    }

    #[test]
    fn a_command_in_the_background_ends_once() {
        let running = "Chunk ID: 1\nWall time: 0.3 seconds\nProcess running with session ID 12\nOutput:\n";
        let ended = "Wall time: 1 seconds\nProcess exited with code 4\nOutput:\nlate\n";
        let lines = [
            meta(),
            shell("a", "make serve"),
            output("a", running),
            completed("a", "12", 4, "late\n"),
            called("b", "write_stdin", &json!({ "session_id": 12, "chars": "" })),
            output("b", ended),
        ];
        let entries = read(&lines);
        let [launch, later, poll] = entries.as_slice() else { panic!("{entries:?}") };
        assert_eq!((call(launch).status, call(launch).background_task.as_deref()), (Status::InBackground, Some("12")));
        let told = call(later);
        assert_eq!(end(told), (Status::Failed, Some(4), "late".into()));
        assert_eq!((told.phase, told.ids.tool_use.as_deref()), (Phase::Background, Some("a")));
        // Who asks is told the same, of which a replay takes one.
        let asked = call(poll).ended.as_deref().unwrap();
        assert_eq!(
            (asked.background_task.as_deref(), end(asked)),
            (Some("12"), (Status::Failed, Some(4), "late".into()))
        );
        assert_eq!(call(poll).status, Status::Succeeded);
        // The item may be written before the output.
        let early = [meta(), shell("a", "make serve"), completed("a", "12", 4, "late\n"), output("a", running)];
        let entries = read(&early);
        let seen: Vec<_> = entries.iter().map(|entry| (call(entry).status, call(entry).exit_code)).collect();
        assert_eq!(seen, [(Status::InBackground, None), (Status::Failed, Some(4))]);
    }

    #[test]
    fn a_patch_is_an_edit_of_its_file() {
        let patch = |id: &str, name: &str| {
            let input = format!("*** Begin Patch\n*** Update File: {name}\n@@\n-x\n+y\n*** End Patch\n");
            item(&json!({ "type": "custom_tool_call", "call_id": id, "name": "apply_patch", "input": input }))
        };
        let ended =
            |id: &str, text: &str| item(&json!({ "type": "custom_tool_call_output", "call_id": id, "output": text }));
        let not_found = "apply_patch verification failed: Failed to find expected lines in /srv/shop/a.txt:\nx";
        let boxed = r#"{"output":"Success","metadata":{"exit_code":0}}"#;
        let entries = read(&[
            meta(),
            patch("a", "a.txt"),
            ended("a", not_found),
            patch("b", "b.txt"),
            ended("b", "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\nM b.txt\n"),
            patch("c", "c.txt"),
            ended("c", boxed),
            patch("d", "d.txt"),
            ended("d", "Exit code: 1\nWall time: 0 seconds\nOutput:\nno room\n"),
        ]);
        let seen: Vec<_> = entries.iter().map(|entry| (call(entry).file().unwrap(), call(entry).status)).collect();
        let (failed, passed) = (Status::Failed, Status::Succeeded);
        assert_eq!(seen, [("a.txt", failed), ("b.txt", passed), ("c.txt", passed), ("d.txt", failed)]);
        assert_eq!((&*call(&entries[0]).text, &*call(&entries[1]).text), (not_found, ""));
        assert_eq!(&*call(&entries[3]).text, "no room\n");
    }

    #[test]
    fn other_tools_fail_in_the_clients_words_or_by_their_items() {
        let failed = event(&json!({ "type": "item_completed",
            "item": { "type": "McpToolCall", "id": "b", "status": "failed" } }));
        let entries = read(&[
            meta(),
            called("a", "nosuchtool", &json!({})),
            output("a", "unsupported call: nosuchtool"),
            called("b", "mcp__shop__list", &json!({ "n": 1 })),
            failed,
            output("b", "no shop"),
            called("c", "mcp__shop__list", &json!({ "n": 1 })),
            output("c", "Error: in the text of a page"),
        ]);
        let seen: Vec<_> = entries.iter().map(|entry| call(entry).status).collect();
        assert_eq!(seen, [Status::Failed, Status::Failed, Status::Succeeded]);
    }

    #[test]
    fn answers_and_words_are_told_once() {
        let usage = |input: u64| json!({ "input_tokens": input, "cached_input_tokens": 40, "cache_write_input_tokens": 10, "output_tokens": 5 });
        let total = |of_all: u64| {
            event(&json!({ "type": "token_count",
                "info": { "total_token_usage": usage(of_all), "last_token_usage": usage(100) } }))
        };
        let record =
            |id: &str| json!({ "type": "token_usage_record", "payload": { "response_id": id, "usage": usage(100) } });
        let model = json!({ "type": "turn_context", "payload": { "model": "m-1" } });
        let said = |text: &str| event(&json!({ "type": "user_message", "message": text }));
        let item_said = event(&json!({ "type": "item_completed",
            "item": { "type": "UserMessage", "content": [{ "type": "text", "text": "go on" }] } }));
        let turns = |entries: &[TranscriptEntry]| {
            let usage = |entry: &TranscriptEntry| match &entry.told {
                EntryNews::Turn { turn, .. } => Some((turn.model.clone(), turn.usage)),
                _ => None,
            };
            entries.iter().filter_map(usage).collect::<Vec<_>>()
        };
        let one = Usage { input: 50, output: 5, cache_read: 40, cache_write: 10, cache_write_1h: 0 };
        let both = [meta(), model.clone(), record("r1"), total(100), record("r2"), total(200), record("r2")];
        assert_eq!(turns(&read(&both)), [(Some("m-1".into()), one), (Some("m-1".into()), one)]);
        let old = [meta(), model, total(100), total(100), total(200)];
        assert_eq!(turns(&read(&old)).len(), 2);
        let words = item(&json!({ "type": "message", "role": "assistant",
            "content": [{ "type": "output_text", "text": "All tests pass." }] }));
        let context = item(&json!({ "type": "message", "role": "user",
            "content": [{ "type": "input_text", "text": "<environment_context>" }] }));
        let entries = read(&[meta(), context, said("go on"), item_said, words]);
        assert!(matches!(entries[0].told.event(), Some(PayloadKind::Prompt { .. })), "{entries:?}");
        assert!(matches!(&entries[1].told, EntryNews::Words(words) if words == "All tests pass."));
        assert_eq!(entries.len(), 2);
    }

    #[test]
    fn a_spawned_thread_is_a_subagent_of_the_first_ones_session() {
        let mut spawned = meta();
        spawned["payload"]["id"] = json!("t-2");
        let entries = read(&[
            spawned,
            meta(),
            event(&json!({ "type": "user_message", "message": "do it" })),
            shell("a", "make"),
            output("a", "Process exited with code 0\nOutput:\n"),
        ]);
        assert_eq!(entries.len(), 1);
        let ids = &call(&entries[0]).ids;
        assert_eq!((ids.session.as_deref(), ids.agent.as_deref()), (Some("s-1"), Some("t-2")));
        let older = json!({ "id": "t-2", "source": { "subagent": { "thread_spawn": { "parent_thread_id": "s-1" } } } });
        let older = older.to_string();
        let payload: RolloutPayload<'_> = serde_json::from_str(&older).unwrap();
        assert_eq!(payload.session().unwrap(), (Some("s-1".into()), Some("t-2".into())));
    }
}
