//! Traces of any shape: what people, tools and services write down of calls.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::head::{FileForm, LineWriter, form, head};
use super::messages::Messages;
use super::payload::PayloadKind;
use super::transcript::{EntryNews, Transcript};
use super::tree::{self, TreeNode};
use super::{single, spans};
use crate::history::{self, Body, Execution, Line};
use crate::model::{Host, Outcome, Output, Status, ToolCall, ToolInput, Trace, TracedCall};
use crate::reading::own_limit;

/// What was made of an input.
#[derive(Debug, Clone, Default)]
pub struct ReadTrace {
    /// The calls.
    pub trace: Trace<'static>,
    /// Why there are none, for people.
    pub problem: Option<String>,
}

/// Reads an input of whatever shape: one JSON value, lines of them, or the plain text that a call printed. Bytes that are
/// not UTF-8 are replaced, and nothing is an error: what cannot be read is a trace without calls that says why.
pub fn read(input: &[u8]) -> ReadTrace {
    // To look whether it is all right is much faster than to look for what is not.
    let text = str::from_utf8(input).map_or_else(|_| String::from_utf8_lossy(input), Cow::Borrowed);
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return ReadTrace { problem: Some("the input is empty".to_owned()), ..ReadTrace::default() };
    }
    let mut reader = TraceReader::default();
    if text.trim_start().starts_with(['{', '[', '"']) {
        match tree::parse(text) {
            Some(Value::String(inner)) => return plain(&inner),
            Some(value) => reader.value(&value, text),
            None => reader.lines(text),
        }
        return reader.finish(text);
    }
    plain(text)
}

/// What a call printed, of which nothing else is known.
pub fn plain(text: &str) -> ReadTrace {
    let call = TracedCall { output: Output::Merged(Cow::Owned(text.to_owned())), ..TracedCall::new() };
    ReadTrace { trace: Trace { calls: vec![call] }, problem: None }
}

/// What a call of this command line printed, ended with this status where one is known.
pub fn printed(command: &str, exit_code: Option<i32>, text: &str) -> ReadTrace {
    let call = single::read(&json!({ "command": command, "exit_code": exit_code }));
    let call = TracedCall { output: Output::Merged(Cow::Owned(text.to_owned())), ..call };
    ReadTrace { trace: Trace { calls: vec![call] }, problem: None }
}

/// The client whose session file begins with such a line, where it is another one than Claude Code.
fn session_of_another(line: &str) -> Option<Host> {
    match head(line)?.writer {
        LineWriter::Transcript(host) => host.named(),
        LineWriter::PayloadLog => None,
    }
}

/// Whether a text is the beginning of a JSON value.
fn is_torn(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_err_and(|error| error.is_eof())
}

/// Reads values one after the other: a call and its result may stand in two of them.
#[derive(Default)]
struct TraceReader {
    calls: Vec<TracedCall<'static>>,
    messages: Messages,
    transcript: Transcript,
    /// Whether some value was of a known shape.
    known: bool,
    /// How many lines were no JSON.
    torn: usize,
}

impl TraceReader {
    fn lines(&mut self, text: &str) {
        let lines = || text.lines().filter(|line| !line.trim().is_empty());
        if let Some(host) = lines().next().and_then(session_of_another) {
            (self.known, self.transcript) = (true, Transcript::of(host));
            return lines().for_each(|line| self.transcript(&Value::Null, line));
        }
        for line in lines() {
            match tree::parse(line) {
                Some(value @ (Value::Object(_) | Value::Array(_))) => self.value(&value, line),
                _ => self.torn += 1,
            }
        }
    }

    /// Reads a value. `text` is the text of it, for readers that take text.
    fn value(&mut self, value: &Value, text: &str) {
        if let Value::Array(items) = value {
            for item in items {
                // A list of payloads, as a log that was made one value.
                match form(item) {
                    Some(FileForm::Payload) => self.record(item),
                    _ => self.value(item, ""),
                }
            }
            return;
        }
        let Some(form) = form(value) else { return };
        self.known = true;
        match form {
            FileForm::Payload if text.is_empty() => self.record(value),
            FileForm::Payload => self.payload(value, text),
            FileForm::Record => self.record(value),
            FileForm::Transcript => self.transcript(value, text),
            FileForm::History => self.history(text),
            FileForm::Messages(field) => {
                value
                    .there(field)
                    .map_or(&[][..], TreeNode::items)
                    .iter()
                    .for_each(|message| self.messages.read(message));
            }
            FileForm::Message => self.messages.read(value),
            FileForm::Run => spans::run(value, &mut self.calls),
            FileForm::Span => spans::span(value, &mut self.calls),
            FileForm::Calls(field) => {
                value.there(field).map_or(&[][..], TreeNode::items).iter().for_each(|call| self.value(call, ""));
            }
            FileForm::Single => self.calls.push(single::read(value)),
        }
    }

    /// A payload as the client gives it to a hook.
    fn payload(&mut self, value: &Value, text: &str) {
        let boxed = ["payload", "input", "stdin", "data"].iter().find_map(|name| value.there(name));
        let inner = if value.there("hook_event_name").is_some() { value } else { boxed.unwrap_or(value) };
        let Ok((payload, _)) = super::head::logged(text.as_bytes()) else { return self.record(inner) };
        match payload.kind {
            PayloadKind::Call(call) | PayloadKind::Report(call) | PayloadKind::Background { call, .. } => {
                self.calls.push(with_response(TracedCall::of(call), inner.there("tool_response")));
            }
            PayloadKind::Batch(calls) => self.calls.extend(calls.into_iter().map(TracedCall::of)),
            // A call that is about to run: only its shape is there.
            PayloadKind::Before(_) | PayloadKind::Other if inner.has("tool_input") => self.record(inner),
            _ => {}
        }
    }

    /// The fields of a payload, whoever wrote them down.
    fn record(&mut self, value: &Value) {
        self.known = true;
        let name = value.text_of("tool_name").unwrap_or("Bash");
        let call = single::begun(name, value.there("tool_input").unwrap_or(&Value::Null));
        let call = match (value.there("tool_response"), value.there("error")) {
            (_, Some(error)) => super::messages::result(call, &single::block_text(error), Some(true)),
            (Some(response @ Value::Object(_)), None) => {
                let call = TracedCall { status: Status::Succeeded, ..single::ended(call, response) };
                with_response(call, Some(response))
            }
            (Some(response), None) => super::messages::result(call, &single::block_text(response), Some(false)),
            (None, None) => TracedCall { status: Status::Cascade, ..call },
        };
        self.calls.push(call);
    }

    fn transcript(&mut self, value: &Value, text: &str) {
        let response = value.any(&["toolUseResult", "tool_use_result"]);
        for entry in self.transcript.line(text) {
            let EntryNews::Event(kind) = entry.told else { continue };
            match *kind {
                PayloadKind::Call(call) | PayloadKind::Background { call, .. } => {
                    let read = TracedCall::of(call);
                    self.calls.push(if entry.marked_error { read } else { with_response(read, response) });
                }
                _ => {}
            }
        }
    }

    fn history(&mut self, text: &str) {
        if let Line::Event(event) = history::parse(text.as_bytes()) {
            self.calls.extend(kept(&event));
        }
    }

    fn finish(mut self, text: &str) -> ReadTrace {
        self.calls.extend(self.messages.finish());
        let problem = match (self.calls.is_empty(), self.known) {
            (false, _) => None,
            (true, true) => Some("the input has no tool call with its result".to_owned()),
            (true, false) if is_torn(text) => Some("the input is JSON that ends in the middle".to_owned()),
            // Braces that are no JSON are what some program printed.
            (true, false) if self.torn > 0 => return plain(text),
            (true, false) => Some("the input is JSON of a shape that is not known".to_owned()),
        };
        ReadTrace { trace: Trace { calls: self.calls }, problem }
    }
}

/// The call of an event of a history, where it is one.
pub fn kept(event: &history::Event) -> Option<TracedCall<'static>> {
    let (Body::ExecutionFailed(execution) | Body::ExecutionCompleted(execution)) = &event.body else { return None };
    let call = executed(execution);
    Some(TracedCall { ran_here: true, hang: call.hang || execution.hung(), ..call })
}

fn executed(execution: &Execution) -> TracedCall<'static> {
    let name = execution.tool.as_deref().unwrap_or("Bash");
    let line = execution.input.clone().or_else(|| execution.operation.as_ref().map(ToString::to_string));
    let tool = crate::model::Tool::named(name);
    let input = match tool.kind {
        crate::model::ToolKind::Shell => {
            ToolInput::Command { command: Cow::Owned(line.unwrap_or_default()), background: false }
        }
        _ => ToolInput::Other { summary: line.unwrap_or_default() },
    };
    let status = match execution.outcome {
        Some(Outcome::Failed) | None => Status::Failed,
        Some(Outcome::Denied) => Status::Denied,
        Some(Outcome::Cascade) => Status::Cascade,
        Some(Outcome::Interrupted) => Status::Interrupted,
        Some(Outcome::Succeeded | Outcome::MaskedFailure | Outcome::BenignNonZero) => Status::Succeeded,
    };
    let text = execution.text.clone().unwrap_or_default();
    let call = ToolCall {
        exit_code: execution.exit_code,
        timed_out_after_ms: execution.reading.as_ref().and_then(|reading| own_limit(reading.line.as_deref()?)),
        text: Cow::Owned(text),
        ..ToolCall::new(tool, input, status)
    };
    TracedCall::of(call)
}

/// The call with what the tool's own response keeps apart.
fn with_response(mut call: TracedCall<'static>, response: Option<&Value>) -> TracedCall<'static> {
    let Some(response @ Value::Object(_)) = response else { return call };
    let text = |name: &str| Cow::Owned(response.text_of(name).unwrap_or_default().to_owned());
    if response.has("stdout") || response.has("stderr") {
        call.output = Output::Apart { stdout: text("stdout"), stderr: text("stderr") };
    }
    let number = |name: &str| response.there(name).and_then(TreeNode::whole).and_then(|n| u64::try_from(n).ok());
    call.printed = number("persistedOutputSize").or(call.printed);
    call.limit_ms = number("timedOutAfterMs").or(call.limit_ms);
    call.hang |= call.limit_ms.is_some();
    call
}
