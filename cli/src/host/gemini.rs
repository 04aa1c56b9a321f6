//! Session files of Gemini CLI: `session-*.jsonl`. After a header come messages, each with its calls and their results; a later
//! line of the same message replaces an earlier one, and `$set` changes the whole.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::host::call::{self, GivenInput};
use crate::host::joins::{Entries, EntryPlace, OpenCall, SessionJoins};
use crate::host::transcript::{EntryNews, Skip, TranscriptEntry};
use crate::host::wire::{self, JsonShape, Lenient, ListOrText, Loose, RawFields, Read};
use crate::model::{Host, Ids, Status, ToolCall, Usage};

/// Reads the lines of one file.
#[derive(Debug, Default)]
pub(in crate::host) struct GeminiLines {
    session: Option<String>,
    cwd: Option<String>,
}

/// A header, a message, or a change of the whole.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct ChatRecord<'a> {
    #[serde(borrow, rename = "$set")]
    set: Option<&'a RawValue>,
    #[serde(rename = "$rewindTo")]
    rewind: Option<&'a RawValue>,
    // Of a header.
    session_id: Loose<'a>,
    directories: Option<&'a RawValue>,
    messages: ListOrText<'a, ChatRecord<'a>>,
    // Of a message.
    id: Loose<'a>,
    timestamp: Loose<'a>,
    #[serde(rename = "type")]
    kind: Loose<'a>,
    content: Option<&'a RawValue>,
    model: Loose<'a>,
    tokens: Lenient<RawFields<'a>>,
    tool_calls: ListOrText<'a, ChatCall<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ChatCall<'a> {
    #[serde(borrow)]
    id: Loose<'a>,
    name: Loose<'a>,
    args: GivenInput<'a>,
    result: ListOrText<'a, ResponsePart<'a>>,
    status: Loose<'a>,
    timestamp: Loose<'a>,
}

/// A part of a result: what the tool gave back.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub(in crate::host) struct ResponsePart<'a> {
    #[serde(borrow)]
    pub(in crate::host) function_response: Lenient<FunctionResponse<'a>>,
}

/// What a tool gave back.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(in crate::host) struct FunctionResponse<'a> {
    #[serde(borrow)]
    pub(in crate::host) id: Loose<'a>,
    response: Lenient<RawFields<'a>>,
}

/// The tokens of an answer: the input includes what was read from the cache, the output does not include thoughts.
pub(in crate::host) fn usage_of([input, cache_read, output, thoughts]: [u64; 4]) -> Usage {
    let (input, output) = (input.saturating_sub(cache_read), output.saturating_add(thoughts));
    Usage { input, output, cache_read, ..Usage::default() }
}

/// The file that holds the path of the project, for a session file: the client puts the files of each project into a folder of
/// its own.
pub(in crate::host) fn root_file(session_file: &Path) -> Option<PathBuf> {
    let chats = session_file.ancestors().find(|folder| folder.ends_with("chats"))?;
    Some(chats.parent()?.join(".project_root"))
}

impl FunctionResponse<'_> {
    /// How the call ended. `status`: the client's word for it.
    pub(in crate::host) fn end(&self, status: &str) -> Read<ResponseEnd> {
        let answer = &self.response.0;
        let error = answer.get("error");
        let mut text = wire::text(error.or(answer.get("output")))?.into_owned();
        text.truncate(own_output(&text).len());
        let is_cancelled = status == "cancelled";
        Ok(ResponseEnd { text, is_cancelled, failed: is_cancelled || status == "error" || error.is_some() })
    }
}

/// What a tool gave back, without what a hook added to it for the model: Gemini CLI marks that, Qwen Code writes it behind the
/// last line of a command's frame.
fn own_output(text: &str) -> &str {
    const LAST_LINE: &str = "\nProcess Group PGID: ";
    if let Some((own, added)) = text.rsplit_once("\n\n<hook_context>")
        && added.trim_end().ends_with("</hook_context>")
    {
        return own;
    }
    let framed = text.rfind(LAST_LINE).filter(|_| text.starts_with("Command: "));
    let Some((frame, rest)) = framed.and_then(|at| text.split_at_checked(at + LAST_LINE.len())) else { return text };
    let id = rest.find('\n').unwrap_or(rest.len());
    text.get(..frame.len() + id).unwrap_or(text)
}

/// How a call ended, by what its tool gave back.
#[derive(Debug, Default)]
pub(in crate::host) struct ResponseEnd {
    text: String,
    failed: bool,
    is_cancelled: bool,
}

impl ResponseEnd {
    pub(in crate::host) fn of(self, call: ToolCall<'static>) -> ToolCall<'static> {
        let text = Cow::Owned(self.text);
        if !self.failed {
            return call::passed_with(call, text);
        }
        let told = call::failed(call, text);
        let by_whom = matches!(told.status, Status::Denied | Status::Interrupted);
        if self.is_cancelled && !by_whom { ToolCall { status: Status::Interrupted, ..told } } else { told }
    }
}

impl GeminiLines {
    /// Begins in this folder, which the lines do not tell.
    pub(in crate::host) fn begin_in(&mut self, folder: Option<String>) {
        self.cwd = folder;
    }

    pub(in crate::host) fn read(&mut self, joins: &mut SessionJoins, text: &str) -> Read<Entries> {
        let line: ChatRecord<'_> = serde_json::from_str(text)?;
        if let Some(set) = line.set.filter(|raw| wire::shape(raw) == JsonShape::Object) {
            // What is set again was written before, or by the client: only calls that were not told are new.
            let set: ChatRecord<'_> = serde_json::from_str(set.get())?;
            let ListOrText::List(messages) = &set.messages else { return Ok(Err(Skip::NothingInIt)) };
            let ended = messages.iter().map(|message| finished_calls(joins, message)).collect::<Read<Vec<_>>>()?;
            return Ok(nothing_or(ended.into_iter().flat_map(|ended| self.join(joins, ended)).collect()));
        }
        if !line.session_id.as_str().is_empty() {
            let folder = wire::strings(line.directories)?.into_iter().next();
            self.session = line.session_id.owned();
            self.cwd = self.cwd.take().or(folder);
            return Ok(Err(Skip::NothingInIt));
        }
        match line.kind.as_str() {
            "user" => self.user(joins, &line),
            "gemini" => self.answer(joins, &line),
            "info" | "warning" | "error" => Ok(Err(Skip::NothingInIt)),
            _ if line.set.is_some() || line.rewind.is_some() => Ok(Err(Skip::NothingInIt)),
            _ => Ok(Err(Skip::UnknownType)),
        }
    }

    fn place(&self, joins: &SessionJoins, ts: Option<String>) -> EntryPlace {
        let ids = Ids { host: Host::Gemini, session: self.session.clone(), ..Ids::default() };
        EntryPlace { ts, ids, cwd: self.cwd.clone(), line: joins.line() }
    }

    /// A person's words, or the results that go back to the model, which stand with their calls.
    fn user(&self, joins: &SessionJoins, message: &ChatRecord<'_>) -> Read<Entries> {
        let text = wire::text(message.content)?;
        Ok(self.place(joins, message.timestamp.owned()).prompt(&text))
    }

    fn answer(&self, joins: &mut SessionJoins, message: &ChatRecord<'_>) -> Read<Entries> {
        let words = wire::text(message.content)?;
        let ended = finished_calls(joins, message)?;
        let place = self.place(joins, message.timestamp.owned());
        let [input, of_tools, cached, output, thoughts] =
            message.tokens.0.counts(["input", "tool", "cached", "output", "thoughts"]);
        let usage = usage_of([input.saturating_add(of_tools), cached, output, thoughts]);
        let turn = joins.turn(message.id.as_str(), || message.model.owned(), usage);
        // Words stand in each line of the message, and before its calls.
        let words = Some(words).filter(|words| turn.is_some() && !words.trim().is_empty());
        let words = words.map(|words| EntryNews::Words(words.into_owned()));
        let mut entries: Vec<_> = turn.into_iter().chain(words).map(|news| place.entry_of(news)).collect();
        entries.extend(self.join(joins, ended));
        Ok(nothing_or(entries))
    }

    fn join(&self, joins: &mut SessionJoins, ended: Vec<FinishedCall>) -> Vec<TranscriptEntry> {
        let mut entries = Vec::new();
        for FinishedCall { begun, end, ts } in ended {
            let (id, place) = (begun.id.clone(), self.place(joins, ts));
            joins.wait(begun);
            entries.extend(joins.result(&id, &place, |call| end.of(call)));
        }
        entries
    }
}

/// A call with its end, as a message holds it.
struct FinishedCall {
    begun: OpenCall,
    end: ResponseEnd,
    ts: Option<String>,
}

/// The calls of a message that ended and were not told before.
fn finished_calls(joins: &SessionJoins, message: &ChatRecord<'_>) -> Read<Vec<FinishedCall>> {
    let ListOrText::List(calls) = &message.tool_calls else { return Ok(Vec::new()) };
    let has_ended = |call: &&ChatCall<'_>| matches!(call.status.as_str(), "success" | "error" | "cancelled");
    let new = calls.iter().filter(has_ended).filter(|call| !joins.is_answered(call.id.as_str()));
    new.map(|call| {
        let begun = OpenCall::of(call.id.as_str(), call.name.as_str(), &call.args, message.timestamp.owned())?;
        let end = match &call.result {
            ListOrText::List(parts) => parts.first().map(|part| part.function_response.0.end(call.status.as_str())),
            ListOrText::Text(_) => None,
        };
        let ts = call.timestamp.owned().or_else(|| message.timestamp.owned());
        Ok(FinishedCall { begun, end: end.transpose()?.unwrap_or_default(), ts })
    })
    .collect()
}

fn nothing_or(entries: Vec<TranscriptEntry>) -> Entries {
    if entries.is_empty() { Err(Skip::NothingInIt) } else { Ok(entries) }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::host::payload::PayloadKind;
    use crate::host::transcript::Summary;
    use crate::host::transcript::played::{call_in, read_as};

    fn header() -> Value {
        json!({ "sessionId": "s-1", "projectHash": "00", "startTime": "2030-01-02T03:04:05Z", "kind": "main" })
    }

    fn called(id: &str, name: &str, args: &Value, status: &str, response: &Value) -> Value {
        json!({ "id": id, "name": name, "args": args, "status": status, "timestamp": "2030-01-02T03:04:09Z",
            "result": [{ "functionResponse": { "id": id, "name": name, "response": response } }] })
    }

    fn answer(id: &str, content: &str, calls: &[Value]) -> Value {
        let mut line = json!({ "id": id, "timestamp": "2030-01-02T03:04:06Z", "type": "gemini", "content": content,
            "model": "m-1", "tokens": { "input": 100, "output": 5, "cached": 60, "thoughts": 7, "tool": 1 } });
        if !calls.is_empty() {
            line["toolCalls"] = json!(calls);
        }
        line
    }

    fn shell(id: &str, output: &str) -> Value {
        called(id, "run_shell_command", &json!({ "command": "make" }), "success", &json!({ "output": output }))
    }

    fn read(lines: &[Value]) -> (Vec<TranscriptEntry>, Summary) {
        read_as(Host::Gemini, lines)
    }

    fn calls(entries: &[TranscriptEntry]) -> Vec<&ToolCall<'static>> {
        entries.iter().filter_map(call_in).collect()
    }

    #[test]
    fn a_call_is_told_once_however_often_its_message_is_written() {
        let output = "<untrusted_context>\nOutput: o\nExit Code: 2\nProcess Group PGID: 7\n</untrusted_context>";
        let passed = "<untrusted_context>\nOutput: o\nProcess Group PGID: 7\n</untrusted_context>";
        let both = [shell("a", output), shell("b", passed)];
        let lines = [
            header(),
            answer("m1", "", &[]),
            answer("m1", "", &both[..1]),
            answer("m1", "", &both),
            json!({ "$set": { "messages": [answer("m1", "", &both)] } }),
            json!({ "$set": { "lastUpdated": "x" } }),
        ];
        let (entries, summary) = read(&lines);
        let seen: Vec<_> = calls(&entries).iter().map(|call| (call.status, call.exit_code, call.text.trim())).collect();
        assert_eq!(seen, [(Status::Failed, Some(2), "o"), (Status::Succeeded, None, "o")]);
        assert_eq!((summary.calls, summary.without_result), (2, 0));
        let first = calls(&entries)[0];
        assert_eq!(
            (first.command(), first.ids.session.as_deref(), first.took_ms),
            (Some("make"), Some("s-1"), Some(3000))
        );
        let turns = entries.iter().filter_map(|entry| match &entry.told {
            EntryNews::Turn { turn, .. } => Some((turn.model.as_deref(), turn.usage)),
            _ => None,
        });
        let usage = Usage { input: 41, output: 12, cache_read: 60, ..Usage::default() };
        assert_eq!(turns.collect::<Vec<_>>(), [(Some("m-1"), usage)]);
    }

    #[test]
    fn what_a_hook_added_is_no_output() {
        let framed = "Command: make\nDirectory: (root)\nOutput: o\nExit Code: 2\nProcess Group PGID: 7";
        let marked = "<untrusted_context>\nOutput: o\nExit Code: 2\n</untrusted_context>";
        assert_eq!(own_output(&format!("{framed}\n\nThird identical failure of `make`.")), framed);
        assert_eq!(own_output(&format!("{marked}\n\n<hook_context>Third failure.</hook_context>")), marked);
        for text in [framed, marked, "", "o\nProcess Group PGID: 7\n\nx", "o\n\n<hook_context>x"] {
            assert_eq!(own_output(text), text);
        }
    }

    #[test]
    fn errors_and_cancelled_calls_are_told_apart() {
        let read_file = |id: &str, status: &str, response: &Value| {
            called(id, "read_file", &json!({ "file_path": "none.txt" }), status, response)
        };
        let (entries, _) = read(&[
            header(),
            answer(
                "m1",
                "",
                &[
                    read_file("a", "error", &json!({ "error": "File not found: /srv/none.txt" })),
                    read_file("b", "success", &json!({ "output": "Error: what the file says" })),
                    read_file(
                        "c",
                        "cancelled",
                        &json!({ "error": "[Operation Cancelled] Reason: User did not allow tool call" }),
                    ),
                    read_file("d", "cancelled", &json!({ "error": "stopped" })),
                    read_file("e", "executing", &json!({})),
                ],
            ),
        ]);
        let seen: Vec<_> = calls(&entries).iter().map(|call| call.status).collect();
        assert_eq!(seen, [Status::Failed, Status::Succeeded, Status::Denied, Status::Interrupted]);
        assert_eq!((calls(&entries)[0].file(), &*calls(&entries)[1].text), (Some("none.txt"), ""));
    }

    #[test]
    fn prompts_are_a_persons_words_only() {
        let said = |id: &str, content: &Value| json!({ "id": id, "type": "user", "content": content });
        let back = json!([{ "functionResponse": { "id": "a", "response": { "output": "o" } } }]);
        let context = said("m0", &json!([{ "text": "This is the setup" }]));
        let (entries, _) = read(&[
            header(),
            json!({ "$set": { "messages": [context] } }),
            said("m1", &json!([{ "text": "go on" }])),
            said("m2", &back),
            said("m3", &json!("again")),
            answer("m4", "All done.", &[]),
            json!({ "$rewindTo": "m3" }),
        ]);
        let prompts = entries.iter().filter(|entry| matches!(entry.told.event(), Some(PayloadKind::Prompt { .. })));
        assert_eq!(prompts.count(), 2);
        assert!(entries.iter().any(|entry| matches!(&entry.told, EntryNews::Words(words) if words == "All done.")));
    }

    #[test]
    fn the_projects_folder_stands_beside_the_chats() {
        let root = |file: &str| root_file(Path::new(file)).map(|path| path.display().to_string());
        assert_eq!(
            root("/h/.gemini/tmp/shop/chats/session-1.jsonl").as_deref(),
            Some("/h/.gemini/tmp/shop/.project_root")
        );
        assert_eq!(root("/h/.gemini/tmp/shop/chats/s/2.jsonl").as_deref(), Some("/h/.gemini/tmp/shop/.project_root"));
        assert_eq!(root("/h/x.jsonl"), None);
    }
}
