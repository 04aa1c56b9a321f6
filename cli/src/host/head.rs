//! What a line of an unknown file is, by as little of it as tells.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::payload::{self, Payload, PayloadError};
use super::tree::TreeNode;
use super::wire::{self, JsonShape, Lenient, Loose, RawFields};
use super::{claude, codex, copilot, gemini, messages, single, spans, transcript};
use crate::model::Host;

/// Who wrote a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineWriter {
    /// This client, into a session file, a subagent's file or a stream.
    Transcript(Host),
    /// A hook that keeps what it is given.
    PayloadLog,
}

/// A line of which only the beginning of the story is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineHead {
    /// Who wrote it.
    pub writer: LineWriter,
    /// The session, as written.
    pub session: Option<String>,
    /// When, as written.
    pub ts: Option<String>,
    /// The answer of the model that it belongs to: copies of a session begin with the same one.
    pub message: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct HeadNames<'a> {
    #[serde(borrow, rename = "type")]
    kind: Loose<'a>,
    hook_event_name: Loose<'a>,
    #[serde(alias = "sessionId")]
    session_id: Loose<'a>,
    #[serde(alias = "ts", alias = "time")]
    timestamp: Loose<'a>,
    message: Lenient<RawFields<'a>>,
    /// What only lines of some clients have.
    id: Loose<'a>,
    content: Option<&'a RawValue>,
    #[serde(rename = "projectHash")]
    project_hash: Loose<'a>,
    #[serde(rename = "$set")]
    set: Option<&'a RawValue>,
    #[serde(rename = "systemPayload")]
    system_payload: Option<&'a RawValue>,
    /// A log may put what the hook was given into an object of its own; some clients put all of a line there.
    #[serde(alias = "input", alias = "stdin", alias = "data")]
    payload: Option<&'a RawValue>,
}

/// Tells what a line is; None for a line that is neither a client's nor a hook payload.
pub fn head(line: &str) -> Option<LineHead> {
    let names: HeadNames<'_> = serde_json::from_str(line).ok()?;
    if let Some(host) = names.host() {
        return Some(names.head(LineWriter::Transcript(host)));
    }
    let inner: HeadNames<'_> = match payload_in(&names) {
        Some(inner) => serde_json::from_str(inner.get()).ok()?,
        None => HeadNames::default(),
    };
    let is_payload = !names.hook_event_name.as_str().is_empty() || !inner.hook_event_name.as_str().is_empty();
    let session = inner.session_id.owned();
    let head = is_payload.then(|| names.head(LineWriter::PayloadLog))?;
    Some(LineHead { session: head.session.or(session), ..head })
}

impl HeadNames<'_> {
    /// The client whose session files hold such a line.
    fn host(&self) -> Option<Host> {
        let kind = self.kind.as_str();
        let is_object = self.payload.is_some_and(|raw| wire::shape(raw) == JsonShape::Object);
        match kind {
            _ if is_object && codex::is_rollout_kind(kind) => Some(Host::Codex),
            _ if is_object && copilot::is_event(kind) => Some(Host::Copilot),
            _ if self.project_hash.0.is_some() || self.set.is_some() || self.is_chat_message() => Some(Host::Gemini),
            _ if self.message.0.get("parts").is_some() || self.system_payload.is_some() => Some(Host::Qwen),
            _ => claude::is_known(kind).then_some(Host::Claude),
        }
    }

    /// Whether it is a message by itself, and not one in a line.
    fn is_chat_message(&self) -> bool {
        matches!(self.kind.as_str(), "user" | "gemini") && self.id.0.is_some() && self.content.is_some()
    }

    fn session(&self, writer: LineWriter) -> Option<String> {
        match (writer, self.payload) {
            (LineWriter::Transcript(Host::Codex), Some(payload)) => codex::named_session(self.kind.as_str(), payload),
            (LineWriter::Transcript(Host::Copilot), Some(data)) => copilot::opening(data)?.0,
            _ => self.session_id.owned(),
        }
    }

    fn head(&self, writer: LineWriter) -> LineHead {
        LineHead {
            writer,
            session: self.session(writer),
            ts: self.timestamp.owned(),
            message: self.message.0.string("id").ok().flatten(),
        }
    }
}

fn payload_in<'a>(names: &HeadNames<'a>) -> Option<&'a RawValue> {
    let bare = names.hook_event_name.as_str().is_empty();
    names.payload.filter(|raw| bare && wire::shape(raw) == JsonShape::Object)
}

/// Reads a line of a payload log: the payload as the hook was given it, or an object that holds it under `payload`,
/// `input`, `stdin` or `data`; and the time that the log wrote beside it, as written.
pub fn logged(line: &[u8]) -> Result<(Payload<'static>, Option<String>), PayloadError> {
    let text = String::from_utf8_lossy(line);
    let Ok(names) = serde_json::from_str::<HeadNames<'_>>(&text) else {
        return Ok((payload::parse(line)?.into_owned(), None));
    };
    let inner = payload_in(&names).map_or(line, |inner| inner.get().as_bytes());
    let ts = names.timestamp.owned().filter(|ts| transcript::is_time(ts));
    Ok((payload::parse(inner)?.into_owned(), ts))
}

/// The folder that a session began in, where this line of its file says so.
pub fn begun_in(host: Host, line: &[u8]) -> Option<String> {
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct FolderNames<'a> {
        #[serde(borrow)]
        cwd: Loose<'a>,
        payload: Lenient<RawFields<'a>>,
        data: Option<&'a RawValue>,
    }
    let names: FolderNames<'_> = serde_json::from_slice(line).ok()?;
    let cwd = match (host, names.data) {
        (Host::Codex, _) => names.payload.0.string("cwd").ok()?,
        (Host::Copilot, Some(data)) => copilot::opening(data)?.1,
        _ => names.cwd.owned(),
    };
    cwd.filter(|cwd| cwd.starts_with('/'))
}

/// What a line of a session's file says of how the session was run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionSetting {
    /// The client's version.
    pub client: Option<String>,
    /// The branch that was checked out.
    pub branch: Option<String>,
}

/// How a session was run, as far as this line of its file says so.
pub fn run_with(line: &[u8]) -> SessionSetting {
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct SettingNames<'a> {
        #[serde(borrow)]
        version: Loose<'a>,
        cli_version: Loose<'a>,
        #[serde(rename = "gitBranch")]
        git_branch: Loose<'a>,
        git: Lenient<RawFields<'a>>,
        /// Where other clients put all of a line.
        payload: Option<&'a RawValue>,
    }
    let Ok(line) = std::str::from_utf8(line) else { return SessionSetting::default() };
    let names: SettingNames<'_> = serde_json::from_str(line).unwrap_or_default();
    let inner: SettingNames<'_> =
        names.payload.and_then(|inner| serde_json::from_str(inner.get()).ok()).unwrap_or_default();
    SessionSetting {
        client: names.version.owned().or_else(|| inner.cli_version.owned()),
        branch: names.git_branch.owned().or_else(|| inner.git.0.string("branch").ok()?),
    }
}

/// The file that holds the path of the folder that a session began in, for clients whose session files do not tell it.
pub fn folder_file(host: Host, session_file: &Path) -> Option<PathBuf> {
    if host == Host::Gemini { gemini::root_file(session_file) } else { None }
}

/// The shape of a value of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileForm {
    /// A hook payload, bare or in the object of a log.
    Payload,
    /// The fields of a payload without its event.
    Record,
    /// A line of a session file or stream.
    Transcript,
    /// A line of our own history.
    History,
    /// An object with a list of messages in this field.
    Messages(&'static str),
    /// One message, or an item of one.
    Message,
    /// A run of `LangSmith`.
    Run,
    /// An observation of Langfuse.
    Span,
    /// An object with a list of calls in this field.
    Calls(&'static str),
    /// One call.
    Single,
}

/// Fields that hold a list of messages, and those that hold a list of calls, runs or observations.
const MESSAGES: &[&str] = &["messages", "conversation", "input", "output"];
const CALLS: &[&str] = &["calls", "events", "trace", "runs", "observations", "spans", "traces", "data"];

/// Tells the shape of one value of a trace; None for a value of another kind.
pub(super) fn form(node: &Value) -> Option<FileForm> {
    let kind = node.text_of("type").unwrap_or_default();
    let is_boxed = |name: &&str| node.there(name).is_some_and(|inner| inner.has("hook_event_name"));
    if node.has("hook_event_name") || ["payload", "input", "stdin", "data"].iter().any(is_boxed) {
        return Some(FileForm::Payload);
    }
    if node.has("v") && node.text_of("event").is_some() {
        return Some(FileForm::History);
    }
    if spans::is_run(node) {
        return Some(FileForm::Run);
    }
    if spans::is_span(node) {
        return Some(FileForm::Span);
    }
    if node.text_of("tool_name").is_some() && !node.has("command") {
        return Some(FileForm::Record);
    }
    // The lines of a session hold a message each, those of a history are one.
    if claude::is_known(kind) && !messages::is_message(node) {
        return Some(FileForm::Transcript);
    }
    if messages::is_message(node) {
        return Some(FileForm::Message);
    }
    let holds = |name: &&&str, is: fn(&Value) -> bool| node.there(name).is_some_and(|list| list.items().iter().any(is));
    let messages = MESSAGES.iter().find(|name| holds(name, messages::is_message));
    if let Some(field) = messages {
        return Some(FileForm::Messages(field));
    }
    if single::is_call(node) {
        return Some(FileForm::Single);
    }
    CALLS.iter().find(|name| holds(name, |item| form(item).is_some())).map(|field| FileForm::Calls(field))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_told_by_what_it_holds() {
        let line = r#"{"type":"assistant","sessionId":"s","timestamp":"t","message":{"id":"m"}}"#;
        let own = |text: &str| Some(text.to_owned());
        let expected = LineHead {
            writer: LineWriter::Transcript(Host::Claude),
            session: own("s"),
            ts: own("t"),
            message: own("m"),
        };
        assert_eq!(head(line), Some(expected));
        let bare = head(r#"{"hook_event_name":"Stop","session_id":"s"}"#).unwrap();
        let boxed = head(r#"{"ts":"t","payload":{"hook_event_name":"Stop","session_id":"s"}}"#).unwrap();
        assert_eq!((bare.writer, bare.session), (LineWriter::PayloadLog, own("s")));
        assert_eq!((boxed.writer, boxed.session, boxed.ts), (LineWriter::PayloadLog, own("s"), own("t")));
        let meta = r#"{"timestamp":"t","type":"session_meta","payload":{"id":"s","cwd":"/srv"}}"#;
        let rollout = head(meta).unwrap();
        assert_eq!((rollout.writer, rollout.session), (LineWriter::Transcript(Host::Codex), own("s")));
        assert_eq!(begun_in(Host::Codex, meta.as_bytes()), own("/srv"));
        let rows = [
            (r#"{"type":"session.start","data":{"sessionId":"s","context":{"cwd":"/srv"}}}"#, Host::Copilot, true),
            (r#"{"type":"hook.start","data":{"hookType":"preToolUse"}}"#, Host::Copilot, false),
            (r#"{"sessionId":"s","projectHash":"0","kind":"main"}"#, Host::Gemini, true),
            (r#"{"$set":{"lastUpdated":"t"}}"#, Host::Gemini, false),
            (r#"{"id":"m","type":"user","content":[{"text":"x"}]}"#, Host::Gemini, false),
            (r#"{"uuid":"u","sessionId":"s","type":"user","message":{"parts":[]}}"#, Host::Qwen, true),
            (r#"{"uuid":"u","sessionId":"s","type":"system","systemPayload":{}}"#, Host::Qwen, true),
            (r#"{"uuid":"u","sessionId":"s","type":"user","message":{"content":"x"}}"#, Host::Claude, true),
        ];
        for (line, host, has_session) in rows {
            let told = head(line).unwrap();
            assert_eq!(told.writer, LineWriter::Transcript(host), "{line}");
            assert_eq!(told.session.as_deref(), has_session.then_some("s"), "{line}");
        }
        for foreign in [
            "",
            "[1]",
            "{}",
            r#"{"type":"shelf"}"#,
            r#"{"input":{"x":1}}"#,
            r#"{"type":7}"#,
            r#"{"type":"session_meta"}"#,
            r#"{"type":"session.start","data":1}"#,
        ] {
            assert_eq!(head(foreign), None, "{foreign}");
        }
    }

    #[test]
    fn a_logged_payload_has_the_time_of_the_log() {
        let line = r#"{"time":"2030-01-02T03:04:05Z","stdin":{"hook_event_name":"Stop","session_id":"s"}}"#;
        let (payload, ts) = logged(line.as_bytes()).unwrap();
        assert_eq!((payload.event.as_str(), ts.as_deref()), ("Stop", Some("2030-01-02T03:04:05Z")));
        assert_eq!(logged(br#"{"time":"now"}"#).unwrap_err(), PayloadError::NoEvent);
    }
}
