//! What a hook says: one JSON object on one line, with only what the event honours.

use serde::Serialize;

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

struct Honours {
    event: &'static str,
    context: bool,
    block: bool,
}

/// The only event that can be answered with a refusal or a permission.
const BEFORE_THE_CALL: &str = "PreToolUse";

const fn row(event: &'static str, context: bool, block: bool) -> Honours {
    Honours { event, context, block }
}

/// What each event honours. Any other event is answered with nothing. A refusal is never given on `PostToolBatch`, where
/// it would end the turn, nor where the call has already happened.
const EVENTS: &[Honours] = &[
    row("PostToolUseFailure", true, false),
    row("PostToolUse", true, false),
    row("PostToolBatch", true, false),
    row(BEFORE_THE_CALL, true, false),
    row("UserPromptSubmit", true, false),
    row("SessionStart", true, false),
    row("SubagentStart", true, false),
    row("Stop", true, true),
    row("SubagentStop", true, true),
    row("PermissionDenied", false, false),
    row("Notification", false, false),
];

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HookAnswer<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hook_specific_output: Option<Specific<'a>>,
}

#[derive(Serialize)]
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
    /// The answer to an event of this name, as one line of JSON without a line feed; None when there is nothing to say
    /// or the event would not hear it.
    pub fn to_json(&self, event: &str) -> Option<String> {
        let honours = EVENTS.iter().find(|row| row.event == event)?;
        let context = said_text(self.context.as_deref()).filter(|_| honours.context);
        let reason = said_text(self.block_reason.as_deref()).filter(|_| honours.block);
        let system_message = said_text(self.system_message.as_deref());
        let ruling = self.ruling().filter(|_| event == BEFORE_THE_CALL);
        if context.is_none() && reason.is_none() && system_message.is_none() && ruling.is_none() {
            return None;
        }
        let hook_specific_output = (context.is_some() || ruling.is_some()).then(|| Specific {
            hook_event_name: event,
            permission_decision: ruling.map(|(decision, _)| decision),
            permission_decision_reason: ruling.map(|(_, why)| start(why, CONTEXT_CHARS)),
            additional_context: context.map(|text| start(text, CONTEXT_CHARS)),
        });
        let decision = reason.map(|_| "block");
        serde_json::to_string(&HookAnswer { decision, reason, system_message, hook_specific_output }).ok()
    }

    /// Whether the call may run, and why, where something is said about that.
    fn ruling(&self) -> Option<(&'static str, &str)> {
        let refused = said_text(self.refusal.as_deref()).map(|why| ("deny", why));
        refused.or(self.permission.map(|why| ("allow", why)))
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

    fn json(event: &str) -> Value {
        serde_json::from_str(&answer().to_json(event).unwrap()).unwrap()
    }

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
        for event in EVENTS.iter().map(|row| row.event).filter(|event| *event != BEFORE_THE_CALL) {
            assert_eq!(json(event)["hookSpecificOutput"]["permissionDecision"], Value::Null, "{event}");
        }
    }

    #[test]
    fn a_call_is_permitted_only_before_it_runs() {
        let permitted = AnswerJson { permission: Some("yes"), ..AnswerJson::default() };
        let line: Value = serde_json::from_str(&permitted.to_json(BEFORE_THE_CALL).unwrap()).unwrap();
        let specific = &line["hookSpecificOutput"];
        assert_eq!(
            (&specific["permissionDecision"], &specific["permissionDecisionReason"]),
            (&json!("allow"), &json!("yes"))
        );
        for event in EVENTS.iter().map(|row| row.event).filter(|event| *event != BEFORE_THE_CALL) {
            assert_eq!(permitted.to_json(event), None, "{event}");
        }
    }

    #[test]
    fn events_without_ears_get_what_they_hear() {
        assert_eq!(json("PermissionDenied"), json!({ "systemMessage": "m" }));
        for event in ["StopFailure", "SessionEnd", "", "NoSuchEvent"] {
            assert_eq!(answer().to_json(event), None);
        }
    }

    #[test]
    fn nothing_to_say_is_nothing() {
        assert_eq!(AnswerJson::default().to_json("PostToolUse"), None);
        let blank = AnswerJson { context: Some(" \n".into()), ..AnswerJson::default() };
        assert_eq!(blank.to_json("PostToolUse"), None);
        let reason = AnswerJson { block_reason: Some("r".into()), ..AnswerJson::default() };
        assert_eq!(reason.to_json("PostToolBatch"), None);
    }

    proptest! {
        #[test]
        fn an_answer_is_one_line_of_json(context in "\\PC*|.*|(a\n\r\u{2028}){1,9}") {
            let answer = AnswerJson { context: Some(context.clone()), ..AnswerJson::default() };
            let Some(line) = answer.to_json("PostToolUse") else { prop_assert!(context.trim().is_empty()); return Ok(()) };
            prop_assert!(!line.contains(['\n', '\r']));
            let value: Value = serde_json::from_str(&line).unwrap();
            prop_assert_eq!(value["hookSpecificOutput"]["additionalContext"].as_str(), Some(context.as_str()));
        }

        #[test]
        fn a_context_stays_below_the_clients_limit(length in 8_900usize..30_000) {
            let answer = AnswerJson { context: Some("é".repeat(length)), ..AnswerJson::default() };
            let line = answer.to_json("Stop").unwrap();
            let value: Value = serde_json::from_str(&line).unwrap();
            let kept = value["hookSpecificOutput"]["additionalContext"].as_str().unwrap().chars().count();
            prop_assert_eq!(kept, length.min(CONTEXT_CHARS));
        }
    }
}
