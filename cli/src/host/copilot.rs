//! Session files of GitHub Copilot CLI: `events.jsonl`, an event a line.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::host::call::{self, GivenInput};
use crate::host::joins::{Entries, EntryPlace, OpenCall, SessionJoins, whole_input};
use crate::host::payload::PayloadKind;
use crate::host::transcript::{EntryNews, Skip};
use crate::host::wire::{self, Lenient, Loose, RawFields, Read};
use crate::model::{Host, Ids, Phase, Status, Tool, ToolCall, ToolInput, ToolKind};

/// Reads the lines of one file.
#[derive(Debug, Default)]
pub(in crate::host) struct CopilotLines {
    session: Option<String>,
    cwd: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct EventLine<'a> {
    #[serde(borrow, rename = "type")]
    kind: Loose<'a>,
    timestamp: Loose<'a>,
    agent_id: Loose<'a>,
    data: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub(in crate::host) struct EventData<'a> {
    // Of the session.
    #[serde(borrow)]
    session_id: Loose<'a>,
    context: Lenient<RawFields<'a>>,
    // Of calls.
    tool_call_id: Loose<'a>,
    tool_name: Loose<'a>,
    mcp_server_name: Loose<'a>,
    mcp_tool_name: Loose<'a>,
    arguments: GivenInput<'a>,
    success: Option<&'a RawValue>,
    shell_execution: Lenient<RawFields<'a>>,
    result: Lenient<RawFields<'a>>,
    error: Lenient<RawFields<'a>>,
    // Of words and errors.
    content: Loose<'a>,
    source: Loose<'a>,
    error_type: Loose<'a>,
    message: Loose<'a>,
    usage: Lenient<RawFields<'a>>,
}

/// The tokens of an answer.
const TOKENS: [&str; 4] = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"];

/// The event that a file begins with.
const BEGIN: &str = "session.start";

/// Types of events that tell of calls, prompts or answers.
const TELLING: &[&str] = &[
    BEGIN,
    "session.resume",
    "session.usage_record",
    "session.error",
    "user.message",
    "assistant.message",
    "tool.execution_start",
    "tool.execution_complete",
];

/// What the names of all other events begin with.
const FAMILIES: &[&str] =
    &["session.", "user.", "assistant.", "tool.", "hook.", "system.", "subagent.", "skill.", "permission."];

/// Whether this is a type of event of a session file.
pub(in crate::host) fn is_event(kind: &str) -> bool {
    FAMILIES.iter().any(|family| kind.starts_with(family))
}

/// The session that a first line names, and the folder that it began in. `data` is that of the line.
pub(in crate::host) fn opening(data: &RawValue) -> Option<(Option<String>, Option<String>)> {
    let data: EventData<'_> = serde_json::from_str(data.get()).ok()?;
    Some((data.session_id.owned(), data.context.0.string("cwd").ok()?))
}

impl CopilotLines {
    pub(in crate::host) fn read(&mut self, joins: &mut SessionJoins, text: &str) -> Read<Entries> {
        let line: EventLine<'_> = serde_json::from_str(text)?;
        let kind = line.kind.as_str();
        if !TELLING.contains(&kind) {
            return Ok(Err(if is_event(kind) { Skip::NothingInIt } else { Skip::UnknownType }));
        }
        let Some(data) = line.data else { return Ok(Err(Skip::NothingInIt)) };
        let Lenient(data): Lenient<EventData<'_>> = serde_json::from_str(data.get())?;
        let place = EntryPlace {
            ts: line.timestamp.owned(),
            ids: Ids {
                host: Host::Copilot,
                session: self.session.clone(),
                agent: line.agent_id.owned(),
                tool_use: None,
            },
            cwd: self.cwd.clone(),
            line: joins.line(),
        };
        Ok(match kind {
            "tool.execution_start" => return called(joins, &data, &place),
            "tool.execution_complete" => {
                let [result, message, code] =
                    [data.result.0.string("content")?, data.error.0.string("message")?, data.error.0.string("code")?]
                        .map(Option::unwrap_or_default);
                let ended = |call| data.ended(call, own_output(&result), (own_output(&message), &code));
                Ok(joins.result(data.tool_call_id.as_str(), &place, ended).into_iter().collect())
            }
            "session.usage_record" => {
                let tokens = &data.usage.0;
                let (id, model) = (tokens.string("apiCallId")?.unwrap_or_default(), tokens.string("model")?);
                let told = joins.turn(&id, || model, whole_input(tokens.counts(TOKENS)));
                told.map(|told| vec![place.entry_of(told)]).ok_or(Skip::NothingInIt)
            }
            "user.message" => person_said(&data, &place),
            "assistant.message" if !data.content.as_str().trim().is_empty() => {
                Ok(vec![place.entry_of(EntryNews::Words(data.content.as_str().to_owned()))])
            }
            "session.error" => {
                let (word, text) = (data.error_type.as_str(), Cow::Borrowed(data.message.as_str()));
                let call = call::api_error(word, text, place.ids.clone(), place.cwd.clone()).into_owned();
                Ok(vec![place.entry(PayloadKind::ApiError(call))])
            }
            _ => {
                let cwd = data.context.0.string("cwd")?;
                self.session = data.session_id.owned().or(self.session.take());
                self.cwd = cwd.or(self.cwd.take());
                Err(Skip::NothingInIt)
            }
        })
    }
}

/// A person's words. What the client adds to a conversation by itself names its source.
fn person_said(data: &EventData<'_>, place: &EntryPlace) -> Entries {
    let is_own = matches!(data.source.as_str(), "" | "user");
    if is_own { place.prompt(data.content.as_str()) } else { Err(Skip::NothingInIt) }
}

fn called(joins: &mut SessionJoins, data: &EventData<'_>, place: &EntryPlace) -> Read<Entries> {
    let name = match (data.mcp_server_name.as_str(), data.mcp_tool_name.as_str()) {
        ("", _) | (_, "") => Cow::Borrowed(data.tool_name.as_str()),
        (server, tool) => Cow::Owned(format!("mcp__{server}__{tool}")),
    };
    joins.wait(OpenCall::of(data.tool_call_id.as_str(), &name, &data.arguments, place.ts.clone())?);
    Ok(Err(Skip::NothingInIt))
}

/// The tools that read a command in the background.
const READS: &[&str] =
    &["read_bash", "read_powershell", "write_bash", "write_powershell", "stop_bash", "stop_powershell"];

impl EventData<'_> {
    /// The call as it ended: its result, or the message and the code of its error. A command's exit code stands beside a
    /// result that is a success whatever it is.
    fn ended(&self, call: ToolCall<'static>, text: &str, error: (&str, &str)) -> ToolCall<'static> {
        let own = |text: &str| Cow::Owned(text.to_owned());
        if !wire::is_true(self.success) {
            let call = call::failed(call, own(error.0));
            let is_refused = matches!(error.1, "denied" | "rejected");
            return if is_refused { ToolCall { status: Status::Denied, ..call } } else { call };
        }
        let exit_code = wire::number(self.shell_execution.0.get("exitCode"));
        let is_read = READS.contains(&call.tool.name.as_str());
        match (call.tool.kind, still_running(text)) {
            (ToolKind::Shell, Some(shell)) => {
                let background_task = Some(shell.to_owned());
                ToolCall { status: Status::InBackground, background_task, text: own(text), ..call }
            }
            (ToolKind::Shell, None) => in_shell(call, text, exit_code),
            _ if is_read => read_of(call, text, exit_code),
            _ => call::passed_with(call, own(text)),
        }
    }
}

/// What a tool gave back, without what a hook added to it for the model.
fn own_output(text: &str) -> &str {
    let Some((own, added)) = text.rsplit_once("\n\nTool \"") else { return text };
    let head = added.lines().next().unwrap_or_default();
    if head.contains(". Additional guidance from ") && head.ends_with(" hooks:") { own } else { text }
}

/// A command that ended. The frame around its output states its exit code, too.
fn in_shell(call: ToolCall<'static>, text: &str, exit_code: Option<i32>) -> ToolCall<'static> {
    let text = Cow::Owned(text.to_owned());
    match exit_code {
        Some(code) => call::ended_with(call, text, code),
        None => call::passed_with(call, text),
    }
}

/// A call that read a command in the background: how that ended, where it did.
fn read_of(call: ToolCall<'static>, text: &str, exit_code: Option<i32>) -> ToolCall<'static> {
    let ids = Ids { tool_use: None, ..call.ids.clone() };
    let input = ToolInput::Other { summary: String::new() };
    let ended = in_shell(call::begun(Tool::named("Bash"), input, ids, call.cwd.clone()), text, exit_code);
    let background_task = ended_shell(text).map(str::to_owned);
    let ended = ToolCall { phase: Phase::Background, background_task, ..ended };
    ToolCall { ended: ended.exit_code.is_some().then(|| Box::new(ended)), ..call }
}

/// The client's last line behind a command's output.
fn last_line(text: &str) -> Option<&str> {
    text.trim_end().lines().next_back()?.strip_prefix('<')?.strip_suffix('>')
}

/// The shell of a command that goes on: `<command started in background with shellId: 0>`, `<command with shellId: 0 is still
/// running after 30 seconds. ..>`.
fn still_running(text: &str) -> Option<&str> {
    let (_, rest) = last_line(text)?.strip_prefix("command ")?.split_once("shellId: ")?;
    rest.split(' ').next().filter(|shell| !shell.is_empty())
}

/// The shell of a command that ended: `<shellId: 0 completed with exit code 2>`.
fn ended_shell(text: &str) -> Option<&str> {
    Some(last_line(text)?.strip_prefix("shellId: ")?.split_once(" completed with exit code ")?.0)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::host::transcript::TranscriptEntry;
    use crate::host::transcript::played::{call, read_as};
    use crate::model::Usage;

    fn event(kind: &str, data: &Value) -> Value {
        json!({ "type": kind, "timestamp": "2030-01-02T03:04:05Z", "id": "e", "data": data })
    }

    fn start() -> Value {
        event("session.start", &json!({ "sessionId": "s-1", "context": { "cwd": "/srv/shop" } }))
    }

    fn called(id: &str, name: &str, arguments: &Value) -> Value {
        event("tool.execution_start", &json!({ "toolCallId": id, "toolName": name, "arguments": arguments }))
    }

    fn ran(id: &str, content: &str, code: Option<i32>) -> Value {
        let mut data = json!({ "toolCallId": id, "success": true, "result": { "content": content } });
        if let Some(code) = code {
            data["shellExecution"] = json!({ "exitCode": code });
        }
        event("tool.execution_complete", &data)
    }

    fn broke(id: &str, message: &str, code: &str) -> Value {
        let error = json!({ "message": message, "code": code });
        event("tool.execution_complete", &json!({ "toolCallId": id, "success": false, "error": error }))
    }

    fn read(lines: &[Value]) -> Vec<TranscriptEntry> {
        read_as(Host::Copilot, lines).0
    }

    #[test]
    fn a_command_ends_with_the_code_beside_its_result() {
        let make = json!({ "command": "make", "description": "build" });
        let entries = read(&[
            start(),
            called("a", "bash", &make),
            ran("a", "o\n<shellId: 0 completed with exit code 2>", Some(2)),
            called("b", "bash", &make),
            ran("b", "o\n<shellId: 1 completed with exit code 0>", Some(0)),
            called("c", "bash", &make),
            ran("c", "o\n<shellId: 2 completed with exit code 7>", None),
        ]);
        let seen: Vec<_> =
            entries.iter().map(|entry| (call(entry).status, call(entry).exit_code, &*call(entry).text)).collect();
        let (failed, passed) = (Status::Failed, Status::Succeeded);
        assert_eq!(seen, [(failed, Some(2), "o"), (passed, Some(0), "o"), (failed, Some(7), "o")]);
        let first = call(&entries[0]);
        assert_eq!((first.command(), first.description.as_deref()), (Some("make"), Some("build")));
        assert_eq!((first.cwd.as_deref(), first.ids.session.as_deref()), (Some("/srv/shop"), Some("s-1")));
    }

    #[test]
    fn other_tools_fail_by_their_errors() {
        let entries = read(&[
            start(),
            called("a", "view", &json!({ "path": "/srv/shop/none.txt" })),
            broke("a", "Path does not exist", "failure"),
            called("b", "edit", &json!({ "path": "/srv/shop/a.txt", "old_str": "x", "new_str": "y" })),
            ran("b", "File /srv/shop/a.txt updated with changes.", None),
            called("c", "bash", &json!({ "command": "rm a" })),
            broke("c", "No: not today, error 500", "denied"),
            called("d", "list", &json!({})),
        ]);
        let seen: Vec<_> = entries.iter().map(|entry| (call(entry).status, entry.marked_error)).collect();
        assert_eq!(seen, [(Status::Failed, true), (Status::Succeeded, false), (Status::Denied, true)]);
        assert_eq!(call(&entries[0]).file(), Some("/srv/shop/none.txt"));
    }

    #[test]
    fn a_command_in_the_background_ends_where_it_is_read() {
        for started in [
            "<command started in background with shellId: web>",
            "up\n<command with shellId: web is still running after 30 seconds. The command is still running.>",
        ] {
            let entries = read(&[
                start(),
                called("a", "bash", &json!({ "command": "make serve", "mode": "async" })),
                ran("a", started, None),
                called("b", "read_bash", &json!({ "shellId": "web" })),
                ran("b", "late\n<shellId: web completed with exit code 4>", None),
            ]);
            let launch = call(&entries[0]);
            assert_eq!((launch.status, launch.background_task.as_deref()), (Status::InBackground, Some("web")));
            let ended = call(&entries[1]).ended.as_deref().unwrap();
            assert_eq!((ended.status, ended.exit_code, &*ended.text), (Status::Failed, Some(4), "late"));
            assert_eq!((ended.phase, ended.background_task.as_deref()), (Phase::Background, Some("web")));
        }
    }

    #[test]
    fn what_a_hook_added_is_no_output() {
        let added = "o\n<shellId: 4 completed with exit code 1>\n\nTool \"bash\" succeeded. Additional guidance from postToolUse \
                     hooks:\nThird identical failure.";
        assert_eq!(own_output(added), "o\n<shellId: 4 completed with exit code 1>");
        for text in ["", "o\n\nTool \"bash\" succeeded.", "Additional guidance from postToolUse hooks:"] {
            assert_eq!(own_output(text), text);
        }
    }

    #[test]
    fn what_a_program_prints_is_no_line_of_the_client() {
        for text in ["<command>", "<command shellId: >", "<p>command shellId: 1</p>", "command with shellId: 1"] {
            assert_eq!((still_running(text), ended_shell(text)), (None, None), "{text}");
        }
    }

    #[test]
    fn answers_prompts_and_errors_are_told() {
        let tokens = json!({ "model": "m-1", "inputTokens": 100, "outputTokens": 5, "cacheReadTokens": 60,
            "cacheWriteTokens": 10, "apiCallId": "c1" });
        let usage = event("session.usage_record", &json!({ "usage": tokens }));
        let mut inner = event("assistant.message", &json!({ "content": "half" }));
        inner["agentId"] = json!("agent-2");
        let entries = read(&[
            start(),
            event("user.message", &json!({ "content": "go on" })),
            event("user.message", &json!({ "content": "added", "source": "skill-pdf" })),
            usage.clone(),
            usage,
            inner,
            event("session.error", &json!({ "errorType": "rate_limit", "message": "try later" })),
            event("hook.start", &json!({})),
        ]);
        assert!(matches!(entries[0].told.event(), Some(PayloadKind::Prompt { .. })), "{entries:?}");
        let EntryNews::Turn { turn, .. } = &entries[1].told else { panic!("{entries:?}") };
        let usage = Usage { input: 30, output: 5, cache_read: 60, cache_write: 10, cache_write_1h: 0 };
        assert_eq!((turn.model.as_deref(), turn.usage), (Some("m-1"), usage));
        assert!(matches!(&entries[2].told, EntryNews::Words(words) if words == "half"));
        assert_eq!(entries[2].ids.agent.as_deref(), Some("agent-2"));
        assert_eq!((call(&entries[3]).status, &*call(&entries[3]).text), (Status::Failed, "try later"));
        assert_eq!(entries.len(), 4);
    }
}
