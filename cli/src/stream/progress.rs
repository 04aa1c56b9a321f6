//! What a line of a stream tells a person who watches it.

use memchr::memmem;
use serde_json::value::RawValue;

use super::json::{members, string};
use crate::redact::redact;
use crate::text::one_line;
use crate::time::duration;

/// The longest line that is looked at for progress, in bytes: what a person wants to know stands in short ones.
const LONGEST: usize = 1024 * 1024;
/// The most characters of what a call does.
const WHAT: usize = 100;

/// Something that a person who watches wants to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// The session began.
    Session {
        /// The model, where the stream names it.
        model: Option<String>,
    },
    /// The model answered: its message's id, which is the same for all lines of one message.
    Answer {
        /// The id; empty where there is none.
        message: String,
    },
    /// A tool was called.
    Tool {
        /// The tool.
        name: String,
        /// What it does, on one line and without secrets.
        what: String,
    },
    /// The client asks the model's API again.
    Retry {
        /// What is told of it.
        what: String,
    },
    /// The result is there.
    Result,
}

impl Note {
    /// One line for a person. `turn` is the number of the answer.
    pub fn line(&self, turn: u64) -> String {
        match self {
            Self::Session { model } => {
                format!("session begun{}", model.as_ref().map(|m| format!(", {m}")).unwrap_or_default())
            }
            Self::Answer { .. } => format!("turn {turn}"),
            Self::Tool { name, what } if what.is_empty() => format!("  {name}"),
            Self::Tool { name, what } => format!("  {name}: {what}"),
            Self::Retry { what } => format!("  {what}"),
            Self::Result => "result".to_owned(),
        }
    }
}

/// Counts the answers of a stream.
#[derive(Debug, Default)]
pub struct Turns {
    last: Option<String>,
    count: u64,
    /// Whether a tool was called by now.
    pub called_a_tool: bool,
}

impl Turns {
    /// Takes in a line of the stream.
    pub fn look(&mut self, line: &[u8]) {
        if !self.called_a_tool && memmem::find(line, b"tool_use").is_some() {
            self.called_a_tool = notes(line).iter().any(|note| matches!(note, Note::Tool { .. }));
        }
    }

    /// Takes in the next note; gives the line for a person, where it tells something new.
    pub fn line(&mut self, note: &Note) -> Option<String> {
        match note {
            Note::Answer { message } if self.last.as_ref() == Some(message) && !message.is_empty() => return None,
            Note::Answer { message } => {
                self.last = Some(message.clone());
                self.count += 1;
            }
            Note::Tool { .. } => self.called_a_tool = true,
            _ => {}
        }
        Some(note.line(self.count))
    }
}

/// What a line of a stream tells, in order; nothing for lines that are none.
pub fn notes(line: &[u8]) -> Vec<Note> {
    if line.len() > LONGEST {
        return Vec::new();
    }
    let text = String::from_utf8_lossy(line);
    let Some([kind, subtype, message]) = members(&text, &["type", "subtype", "message"]) else { return Vec::new() };
    let word = |value: Option<&RawValue>| value.and_then(string).unwrap_or_default();
    match (word(kind).as_str(), word(subtype).as_str()) {
        ("result", _) => vec![Note::Result],
        ("system", "init") => {
            let model = members(&text, &["model"]).and_then(|[model]| model.and_then(string));
            vec![Note::Session { model: model.map(|model| one_line(&model, 60)) }]
        }
        ("system", "api_retry") => vec![Note::Retry { what: retry(&text) }],
        ("assistant", _) => message.map(|message| answer(message.get())).unwrap_or_default(),
        _ => Vec::new(),
    }
}

fn retry(text: &str) -> String {
    let names = ["attempt", "max_retries", "retry_delay_ms", "error_status", "error"];
    let Some([attempt, most, delay, status, error]) = members(text, &names) else { return String::new() };
    let number = |value: Option<&RawValue>| value.and_then(|value| value.get().parse::<f64>().ok());
    let shown = |value: Option<&RawValue>| {
        number(value).map_or_else(|| value.and_then(string).unwrap_or_default(), |number| format!("{number}"))
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a wait in milliseconds, cut to its range"
    )]
    let wait = number(delay).map(|ms| format!(" in {}", duration(ms.clamp(0.0, 1e12) as u64))).unwrap_or_default();
    let why = [shown(status), shown(error)].into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    one_line(&format!("the client asks again{wait}, {} of {}: {why}", shown(attempt), shown(most)), 160)
}

/// What a message of the assistant tells.
fn answer(message: &str) -> Vec<Note> {
    let Some([id, content]) = members(message, &["id", "content"]) else { return Vec::new() };
    let blocks: Vec<&RawValue> = content.and_then(|list| serde_json::from_str(list.get()).ok()).unwrap_or_default();
    let calls = blocks.iter().filter_map(|block| {
        let [kind, name, input] = members(block.get(), &["type", "name", "input"])?;
        (kind.and_then(string)? == "tool_use").then(|| Note::Tool {
            name: one_line(&name.and_then(string).unwrap_or_default(), 60),
            what: input.map(what).unwrap_or_default(),
        })
    });
    let id = id.and_then(string).unwrap_or_default();
    std::iter::once(Note::Answer { message: id }).chain(calls).collect()
}

/// What a call does, from the member of its input that says most.
fn what(input: &RawValue) -> String {
    let names = ["command", "file_path", "path", "pattern", "url", "query", "description", "prompt"];
    let said = members(input.get(), &names).and_then(|found| found.into_iter().flatten().find_map(string));
    said.map(|said| one_line(&redact(&said), WHAT)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_tools_and_retries_are_told_once() {
        let lines = [
            r#"{"type":"system","subtype":"init","model":"m-1","session_id":"s"}"#,
            r#"{"type":"assistant","message":{"id":"a","content":[{"type":"text","text":"x"}]}}"#,
            r#"{"type":"assistant","message":{"id":"a","content":[{"type":"tool_use","name":"Bash","input":{"command":"make\nall"}}]}}"#,
            r#"{"type":"system","subtype":"api_retry","attempt":1,"max_retries":2,"retry_delay_ms":1500.5,"error_status":529,"error":"overloaded"}"#,
            r#"{"type":"assistant","message":{"id":"b","content":"done"}}"#,
            "no line",
            r#"{"type":"result"}"#,
        ];
        let mut turns = Turns::default();
        let told: Vec<String> =
            lines.iter().flat_map(|line| notes(line.as_bytes())).filter_map(|note| turns.line(&note)).collect();
        assert_eq!(
            told,
            [
                "session begun, m-1",
                "turn 1",
                "  Bash: make all",
                "  the client asks again in 2 s, 1 of 2: 529 overloaded",
                "turn 2",
                "result"
            ]
        );
        assert!(turns.called_a_tool);
    }
}
