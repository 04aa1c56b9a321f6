//! Session files of Qwen Code: lines like those of Claude Code, with messages like those of Gemini CLI.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::host::call::GivenInput;
use crate::host::gemini::{FunctionResponse, usage_of};
use crate::host::joins::{Entries, EntryPlace, OpenCall, SessionJoins};
use crate::host::transcript::{EntryNews, Skip};
use crate::host::wire::{self, Lenient, ListOrText, Loose, RawFields, Read};
use crate::model::{Host, Ids};

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct TurnRecord<'a> {
    #[serde(borrow)]
    uuid: Loose<'a>,
    session_id: Loose<'a>,
    agent_id: Loose<'a>,
    timestamp: Loose<'a>,
    #[serde(rename = "type")]
    kind: Loose<'a>,
    cwd: Loose<'a>,
    model: Loose<'a>,
    message: Lenient<TurnMessage<'a>>,
    tool_call_result: Lenient<RawFields<'a>>,
    usage_metadata: Lenient<RawFields<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct TurnMessage<'a> {
    #[serde(borrow)]
    parts: ListOrText<'a, TurnPart<'a>>,
}

/// A part of a message: words, a call, or a result.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct TurnPart<'a> {
    #[serde(borrow)]
    text: Loose<'a>,
    /// Whether the words are a thought.
    thought: Option<&'a RawValue>,
    function_call: Lenient<FunctionCall<'a>>,
    function_response: Lenient<FunctionResponse<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct FunctionCall<'a> {
    #[serde(borrow)]
    id: Loose<'a>,
    name: Loose<'a>,
    args: GivenInput<'a>,
}

/// The tokens of an answer: input, what of it was read from the cache, output, thoughts.
const TOKENS: [&str; 4] = ["promptTokenCount", "cachedContentTokenCount", "candidatesTokenCount", "thoughtsTokenCount"];

/// Reads a line, which says all of itself.
pub(in crate::host) fn read_turn(joins: &mut SessionJoins, text: &str) -> Read<Entries> {
    let line: TurnRecord<'_> = serde_json::from_str(text)?;
    let (session, agent) = (line.session_id.owned(), line.agent_id.owned());
    let ids = Ids { host: Host::Qwen, session, agent, tool_use: None };
    let place = EntryPlace { ts: line.timestamp.owned(), ids, cwd: line.cwd.owned(), line: joins.line() };
    match line.kind.as_str() {
        "user" => Ok(place.prompt(&line.words())),
        "assistant" => line.answer(joins, &place),
        "tool_result" => line.results(joins, &place),
        "system" => Ok(Err(Skip::NothingInIt)),
        _ => Ok(Err(Skip::UnknownType)),
    }
}

impl<'a> TurnRecord<'a> {
    fn parts(&self) -> &[TurnPart<'a>] {
        match &self.message.0.parts {
            ListOrText::List(parts) => parts,
            ListOrText::Text(_) => &[],
        }
    }

    fn words(&self) -> String {
        let said = self.parts().iter().filter(|part| !wire::is_true(part.thought)).map(|part| part.text.as_str());
        said.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
    }

    fn answer(&self, joins: &mut SessionJoins, place: &EntryPlace) -> Read<Entries> {
        let calls = self.parts().iter().map(|part| &part.function_call.0).filter(|call| call.name.0.is_some());
        let calls = calls
            .map(|call| OpenCall::of(call.id.as_str(), call.name.as_str(), &call.args, place.ts.clone()))
            .collect::<Read<Vec<_>>>()?;
        let words = Some(self.words()).filter(|words| !words.trim().is_empty()).map(EntryNews::Words);
        let usage = usage_of(self.usage_metadata.0.counts(TOKENS));
        let turn = joins.turn(self.uuid.as_str(), || self.model.owned(), usage);
        let has_calls = !calls.is_empty();
        for call in calls {
            joins.wait(call);
        }
        let told: Vec<_> = turn.into_iter().chain(words).map(|news| place.entry_of(news)).collect();
        Ok(if told.is_empty() && !has_calls { Err(Skip::NothingInIt) } else { Ok(told) })
    }

    fn results(&self, joins: &mut SessionJoins, place: &EntryPlace) -> Read<Entries> {
        let responses =
            self.parts().iter().map(|part| &part.function_response.0).filter(|response| response.id.0.is_some());
        let status = self.tool_call_result.0.string("status")?.unwrap_or_default();
        let ends =
            responses.map(|response| Ok((response.id.as_str(), response.end(&status)?))).collect::<Read<Vec<_>>>()?;
        Ok(Ok(ends.into_iter().filter_map(|(id, end)| joins.result(id, place, |call| end.of(call))).collect()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::host::payload::PayloadKind;
    use crate::host::transcript::TranscriptEntry;
    use crate::host::transcript::played::{call_in, read_as};
    use crate::model::{Status, Usage};

    fn line(kind: &str, parts: &Value) -> Value {
        json!({ "uuid": "u-1", "parentUuid": null, "sessionId": "s-1", "timestamp": "2030-01-02T03:04:05Z", "type": kind,
            "cwd": "/srv/shop", "message": { "role": "model", "parts": parts } })
    }

    fn called(id: &str, name: &str, args: &Value) -> Value {
        line("assistant", &json!([{ "functionCall": { "id": id, "name": name, "args": args } }]))
    }

    fn ended(id: &str, status: &str, response: &Value) -> Value {
        let mut line = line("tool_result", &json!([{ "functionResponse": { "id": id, "response": response } }]));
        line["toolCallResult"] = json!({ "callId": id, "status": status });
        line
    }

    fn read(lines: &[Value]) -> Vec<TranscriptEntry> {
        read_as(Host::Qwen, lines).0
    }

    #[test]
    fn results_are_read_in_their_frames() {
        let frame = |code: &str| json!({ "output": format!("Command: make\nDirectory: (root)\nOutput: o\nError: (none)\nExit Code: {code}\nSignal: (none)\nProcess Group PGID: (none)") });
        let shell = json!({ "command": "make" });
        let entries = read(&[
            called("a", "run_shell_command", &shell),
            ended("a", "success", &frame("2")),
            called("b", "run_shell_command", &shell),
            ended("b", "success", &frame("0")),
            called("c", "read_file", &json!({ "file_path": "none.txt" })),
            ended("c", "error", &json!({ "error": "File path must be absolute: none.txt" })),
            ended("z", "success", &frame("0")),
        ]);
        let seen: Vec<_> = entries.iter().filter_map(call_in).map(|call| (call.status, call.exit_code)).collect();
        assert_eq!(seen, [(Status::Failed, Some(2)), (Status::Succeeded, Some(0)), (Status::Failed, None)]);
        let first = entries.iter().find_map(call_in).unwrap();
        assert_eq!((first.command(), first.cwd.as_deref(), first.text.trim()), (Some("make"), Some("/srv/shop"), "o"));
        assert_eq!(first.ids.session.as_deref(), Some("s-1"));
    }

    #[test]
    fn prompts_words_and_tokens_are_told() {
        let mut answer = line("assistant", &json!([{ "text": "hm", "thought": true }, { "text": "All done." }]));
        answer["model"] = json!("m-1");
        answer["usageMetadata"] = json!({ "promptTokenCount": 100, "candidatesTokenCount": 5, "thoughtsTokenCount": 7,
            "cachedContentTokenCount": 60 });
        let telemetry = json!({ "type": "system", "subtype": "ui_telemetry", "systemPayload": {} });
        let entries = read(&[line("user", &json!([{ "text": "go on" }])), telemetry, answer, line("user", &json!([]))]);
        assert!(matches!(entries[0].told.event(), Some(PayloadKind::Prompt { .. })), "{entries:?}");
        let EntryNews::Turn { turn, .. } = &entries[1].told else { panic!("{entries:?}") };
        let usage = Usage { input: 40, output: 12, cache_read: 60, ..Usage::default() };
        assert_eq!((turn.model.as_deref(), turn.usage), (Some("m-1"), usage));
        assert!(matches!(&entries[2].told, EntryNews::Words(words) if words == "All done."));
        assert_eq!(entries.len(), 3);
    }
}
