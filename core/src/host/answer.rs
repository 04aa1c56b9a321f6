//! What a hook says: one JSON object on one line, with only what the event honours.

use serde::Serialize;

use super::{codex, copilot, gemini, qwen};
use crate::model::Host;
use crate::text::start;

/// What a hook says. Parts that the event does not honour are dropped when it is written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnswerJson {
    /// What the model reads. An agent that wants to stop goes on when it is given some.
    pub context: Option<String>,
    /// What the person reads.
    pub system_message: Option<String>,
    /// Why the agent must go on: only where it wants to stop.
    pub block_reason: Option<String>,
    /// Why the call is not let run: only before it runs.
    pub refusal: Option<String>,
    /// Why the call runs without asking the person: only before it runs, and only where it is not refused.
    pub permission: Option<&'static str>,
}

impl AnswerJson {
    /// The same with what another answer says beside: of two to one listener the first counts.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            context: self.context.or(other.context),
            system_message: self.system_message.or(other.system_message),
            block_reason: self.block_reason.or(other.block_reason),
            refusal: self.refusal.or(other.refusal),
            permission: self.permission.or(other.permission),
        }
    }
}

/// The client swaps a longer context for a file.
const CONTEXT_CHARS: usize = 9_000;

/// How a part of an answer is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    /// Not at all: the client would not hear it, or take the answer for an error.
    Never,
    /// In `hookSpecificOutput`.
    Inside,
    /// In a field of the answer itself.
    Top,
    /// As the reason of this `decision`.
    Decision(&'static str),
}

/// What an event of a client honours. The person's message is heard at every event of a table.
pub(super) struct Honours {
    pub(super) event: &'static str,
    pub(super) context: Said,
    pub(super) block: Said,
    pub(super) refusal: Said,
    pub(super) permits: bool,
}

impl Honours {
    /// An event that honours nothing else.
    pub(super) const fn of(event: &'static str) -> Self {
        Self { event, context: Said::Never, block: Said::Never, refusal: Said::Never, permits: false }
    }

    const fn hears(event: &'static str) -> Self {
        Self { context: Said::Inside, ..Self::of(event) }
    }
}

/// What each event of Claude Code honours. Any other event is answered with nothing. A refusal is never given on
/// `PostToolBatch`, where it would end the turn, nor where the call has already happened.
const HONOURED: &[Honours] = &[
    Honours::hears("PostToolUseFailure"),
    Honours::hears("PostToolUse"),
    Honours::hears("PostToolBatch"),
    Honours { refusal: Said::Inside, permits: true, ..Honours::hears("PreToolUse") },
    Honours::hears("UserPromptSubmit"),
    Honours::hears("SessionStart"),
    Honours::hears("SubagentStart"),
    Honours { block: Said::Decision("block"), ..Honours::hears("Stop") },
    Honours { block: Said::Decision("block"), ..Honours::hears("SubagentStop") },
    Honours::of("PermissionDenied"),
    Honours::of("Notification"),
];

const fn honoured_by(host: Host) -> &'static [Honours] {
    match host {
        Host::Claude => HONOURED,
        Host::Codex => codex::HONOURED,
        Host::Copilot => copilot::HONOURED,
        Host::Gemini => gemini::HONOURED,
        Host::Qwen => qwen::HONOURED,
    }
}

#[derive(Serialize, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
struct HookAnswer<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hook_specific_output: Option<Specific<'a>>,
}

#[derive(Serialize, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
struct Specific<'a> {
    hook_event_name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<&'a str>,
}

impl AnswerJson {
    /// The answer to an event of this name of a client, as one line of JSON without a line feed; None when there is nothing
    /// to say or the event would not hear it.
    pub fn to_json(&self, host: Host, event: &str) -> Option<String> {
        if *self == Self::default() {
            return None;
        }
        let honours = honoured_by(host).iter().find(|row| row.event == event)?;
        let mut line =
            HookAnswer { system_message: said_text(self.system_message.as_deref()), ..HookAnswer::default() };
        let mut inside = Specific::default();
        let block = said_text(self.block_reason.as_deref());
        let context = said_text(self.context.as_deref()).map(|text| start(text, CONTEXT_CHARS));
        let refusal = said_text(self.refusal.as_deref()).map(|why| start(why, CONTEXT_CHARS));
        // Of two reasons for one decision the first counts: that of who is held.
        for (said, reason) in [(honours.refusal, refusal), (honours.block, block), (honours.context, context)] {
            if let (Said::Decision(word), Some(reason), None) = (said, reason, line.reason) {
                (line.decision, line.reason) = (Some(word), Some(reason));
            }
        }
        if let (Said::Inside, Some(why)) = (honours.refusal, refusal) {
            (inside.permission_decision, inside.permission_decision_reason) = (Some("deny"), Some(why));
        } else if let (true, None, Some(why)) = (honours.permits, refusal, self.permission) {
            (inside.permission_decision, inside.permission_decision_reason) = (Some("allow"), Some(why));
        }
        match honours.context {
            Said::Inside => inside.additional_context = context,
            Said::Top => line.additional_context = context,
            Said::Never | Said::Decision(_) => {}
        }
        if inside != Specific::default() {
            line.hook_specific_output = Some(Specific { hook_event_name: event, ..inside });
        }
        if line == HookAnswer::default() { None } else { serde_json::to_string(&line).ok() }
    }
}

fn said_text(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn answer() -> AnswerJson {
        AnswerJson {
            context: Some("c".into()),
            system_message: Some("m".into()),
            block_reason: Some("r".into()),
            refusal: Some("no".into()),
            permission: Some("yes"),
        }
    }

    fn json_of(host: Host, event: &str) -> Value {
        serde_json::from_str(&answer().to_json(host, event).unwrap()).unwrap()
    }

    fn json(event: &str) -> Value {
        json_of(Host::Claude, event)
    }

    const BEFORE_THE_CALL: &str = "PreToolUse";

    #[test]
    fn context_echoes_the_event() {
        for event in ["PostToolUseFailure", "PostToolUse", "PostToolBatch", "UserPromptSubmit", "SessionStart"] {
            let specific = json!({ "hookEventName": event, "additionalContext": "c" });
            assert_eq!(json(event), json!({ "systemMessage": "m", "hookSpecificOutput": specific }));
        }
    }

    #[test]
    fn only_an_agent_that_wants_to_stop_is_held() {
        for event in ["Stop", "SubagentStop"] {
            assert_eq!((&json(event)["decision"], &json(event)["reason"]), (&json!("block"), &json!("r")));
        }
        for event in ["PostToolBatch", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "PreToolUse"] {
            assert_eq!(json(event)["decision"], Value::Null);
            assert_eq!(json(event)["continue"], Value::Null);
        }
    }

    #[test]
    fn a_call_is_refused_only_before_it_runs() {
        let refused = json("PreToolUse")["hookSpecificOutput"].clone();
        assert_eq!(
            (&refused["permissionDecision"], &refused["permissionDecisionReason"]),
            (&json!("deny"), &json!("no"))
        );
        for event in HONOURED.iter().map(|row| row.event).filter(|event| *event != BEFORE_THE_CALL) {
            assert_eq!(json(event)["hookSpecificOutput"]["permissionDecision"], Value::Null, "{event}");
        }
    }

    #[test]
    fn a_call_is_permitted_only_before_it_runs() {
        let permitted = AnswerJson { permission: Some("yes"), ..AnswerJson::default() };
        let line: Value = serde_json::from_str(&permitted.to_json(Host::Claude, BEFORE_THE_CALL).unwrap()).unwrap();
        let specific = &line["hookSpecificOutput"];
        assert_eq!(
            (&specific["permissionDecision"], &specific["permissionDecisionReason"]),
            (&json!("allow"), &json!("yes"))
        );
        for event in HONOURED.iter().map(|row| row.event).filter(|event| *event != BEFORE_THE_CALL) {
            assert_eq!(permitted.to_json(Host::Claude, event), None, "{event}");
        }
    }

    #[test]
    fn events_without_ears_get_what_they_hear() {
        assert_eq!(json("PermissionDenied"), json!({ "systemMessage": "m" }));
        for event in ["StopFailure", "SessionEnd", "", "NoSuchEvent"] {
            assert_eq!(answer().to_json(Host::Claude, event), None);
        }
    }

    #[test]
    fn codex_is_given_nothing_that_it_refuses() {
        let specific = json!({ "hookEventName": "PostToolUse", "additionalContext": "c" });
        assert_eq!(
            json_of(Host::Codex, "PostToolUse"),
            json!({ "systemMessage": "m", "hookSpecificOutput": specific })
        );
        // One block at most, and nothing in `hookSpecificOutput`.
        for event in ["Stop", "SubagentStop"] {
            let held = json!({ "systemMessage": "m", "decision": "block", "reason": "r" });
            assert_eq!(json_of(Host::Codex, event), held);
        }
        let told = AnswerJson { context: Some("c".into()), ..AnswerJson::default() };
        let line = told.to_json(Host::Codex, "Stop").unwrap();
        assert_eq!(line, r#"{"decision":"block","reason":"c"}"#);
        let permitted = AnswerJson { permission: Some("yes"), ..AnswerJson::default() };
        for host in [Host::Codex, Host::Copilot, Host::Qwen] {
            assert_eq!(permitted.to_json(host, BEFORE_THE_CALL), None, "{host}");
            assert_eq!(json_of(host, BEFORE_THE_CALL)["hookSpecificOutput"]["permissionDecision"], "deny", "{host}");
        }
    }

    #[test]
    fn each_client_hears_in_its_own_place() {
        for event in ["PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "SessionStart"] {
            let expected = json!({ "systemMessage": "m", "additionalContext": "c" });
            assert_eq!(json_of(Host::Copilot, event), expected, "{event}");
        }
        let refused = json!({ "systemMessage": "m", "decision": "deny", "reason": "no" });
        assert_eq!(json_of(Host::Gemini, "BeforeTool"), refused);
        let specific = json!({ "hookEventName": "AfterTool", "additionalContext": "c" });
        assert_eq!(json_of(Host::Gemini, "AfterTool"), json!({ "systemMessage": "m", "hookSpecificOutput": specific }));
        assert_eq!(json_of(Host::Gemini, "AfterAgent")["decision"], "deny");
        for host in [Host::Codex, Host::Copilot, Host::Gemini, Host::Qwen] {
            assert_eq!(answer().to_json(host, "PostToolBatch"), None, "{host}");
        }
    }

    #[test]
    fn nothing_to_say_is_nothing() {
        assert_eq!(AnswerJson::default().to_json(Host::Claude, "PostToolUse"), None);
        let blank = AnswerJson { context: Some(" \n".into()), ..AnswerJson::default() };
        assert_eq!(blank.to_json(Host::Claude, "PostToolUse"), None);
        let reason = AnswerJson { block_reason: Some("r".into()), ..AnswerJson::default() };
        assert_eq!(reason.to_json(Host::Claude, "PostToolBatch"), None);
    }

    proptest! {
        #[test]
        fn an_answer_is_one_line_of_json(context in "\\PC*|.*|(a\n\r\u{2028}){1,9}") {
            let answer = AnswerJson { context: Some(context.clone()), ..AnswerJson::default() };
            let Some(line) = answer.to_json(Host::Claude, "PostToolUse") else { prop_assert!(context.trim().is_empty()); return Ok(()) };
            prop_assert!(!line.contains(['\n', '\r']));
            let value: Value = serde_json::from_str(&line).unwrap();
            prop_assert_eq!(value["hookSpecificOutput"]["additionalContext"].as_str(), Some(context.as_str()));
        }

        #[test]
        fn a_context_stays_below_the_clients_limit(length in 8_900usize..30_000) {
            let answer = AnswerJson { context: Some("é".repeat(length)), ..AnswerJson::default() };
            let line = answer.to_json(Host::Claude, "Stop").unwrap();
            let value: Value = serde_json::from_str(&line).unwrap();
            let kept = value["hookSpecificOutput"]["additionalContext"].as_str().unwrap().chars().count();
            prop_assert_eq!(kept, length.min(CONTEXT_CHARS));
        }
    }
}
