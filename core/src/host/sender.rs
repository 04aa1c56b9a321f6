//! Whose payload it is, by what it holds itself.

use super::gemini;
use crate::model::Host;

/// What of a payload tells who sent it.
pub(super) struct SenderMarks<'m> {
    /// The event's name.
    pub(super) event: &'m str,
    /// The session file.
    pub(super) transcript: &'m str,
    /// Whether it names a turn and the model that takes it.
    pub(super) has_turn: bool,
    /// Whether it has a time.
    pub(super) has_time: bool,
    /// Whether it has the id of a call.
    pub(super) has_id: bool,
    /// Where it says what came of a call.
    pub(super) end: Option<EndField>,
}

/// A field that says what came of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EndField {
    /// `tool_response`.
    Response,
    /// `tool_result`.
    Result,
}

impl SenderMarks<'_> {
    /// The client; None for a payload of none that is known. Claude Code, whose hook has the least time, is told by little.
    pub(super) fn sender(&self) -> Option<Host> {
        let first = self.event.as_bytes().first().copied().unwrap_or_default();
        // No event of Claude Code begins with these letters, and those that begin a session may be of Codex.
        let is_own = !matches!(first, b'A' | b'B' | b'a'..=b'z') && (first != b'S' || !self.is_rollout());
        // A log of payloads may have put a time into those of Claude Code.
        let has_no_time = !self.has_time || self.has_id && self.transcript.is_empty();
        if is_own && has_no_time && !self.has_turn && self.end != Some(EndField::Result) {
            return Some(Host::Claude);
        }
        if self.has_turn || self.is_rollout() {
            return Some(Host::Codex);
        }
        if gemini::common_name(self.event).is_some() {
            return Some(Host::Gemini);
        }
        if has_no_time {
            return None;
        }
        let (folder, file) = self.transcript.rsplit_once(['/', '\\']).unwrap_or(("", self.transcript));
        match (folder.ends_with("chats"), file) {
            (true, _) if file.starts_with("session-") => Some(Host::Gemini),
            (true, _) => Some(Host::Qwen),
            (false, "" | "events.jsonl") => (self.end != Some(EndField::Response)).then_some(Host::Copilot),
            // A time alone makes no other client.
            (false, _) => (self.end != Some(EndField::Result)).then_some(Host::Claude),
        }
    }

    fn is_rollout(&self) -> bool {
        self.transcript.rsplit(['/', '\\']).next().is_some_and(|file| file.starts_with("rollout-"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: SenderMarks<'_> = SenderMarks {
        event: "PostToolUse",
        transcript: "",
        has_turn: false,
        has_time: false,
        has_id: false,
        end: None,
    };

    #[test]
    fn a_client_is_told_by_its_own_fields() {
        let timed = || SenderMarks { has_time: true, ..NOTHING };
        let rows = [
            (NOTHING, Some(Host::Claude)),
            (
                SenderMarks { transcript: "/h/.claude/projects/p/1.jsonl", has_time: true, ..NOTHING },
                Some(Host::Claude),
            ),
            (SenderMarks { has_id: true, end: Some(EndField::Response), ..timed() }, Some(Host::Claude)),
            (SenderMarks { has_turn: true, ..NOTHING }, Some(Host::Codex)),
            (
                SenderMarks { event: "SessionStart", transcript: "/h/sessions/2026/rollout-1.jsonl", ..NOTHING },
                Some(Host::Codex),
            ),
            (SenderMarks { end: Some(EndField::Result), ..timed() }, Some(Host::Copilot)),
            (SenderMarks { event: "Stop", transcript: "/h/1/events.jsonl", ..timed() }, Some(Host::Copilot)),
            (SenderMarks { event: "AfterTool", ..NOTHING }, Some(Host::Gemini)),
            (
                SenderMarks { event: "SessionStart", transcript: "/h/chats/session-1.jsonl", ..timed() },
                Some(Host::Gemini),
            ),
            (
                SenderMarks { transcript: "C:\\h\\chats\\1.jsonl", end: Some(EndField::Response), ..timed() },
                Some(Host::Qwen),
            ),
            (SenderMarks { event: "afterShellExecution", ..NOTHING }, None),
            (SenderMarks { end: Some(EndField::Response), ..timed() }, None),
            (SenderMarks { end: Some(EndField::Result), ..NOTHING }, None),
        ];
        for (marks, host) in rows {
            assert_eq!(marks.sender(), host, "{} {}", marks.event, marks.transcript);
        }
    }
}
