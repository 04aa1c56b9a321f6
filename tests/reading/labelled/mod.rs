//! Calls that people labelled by reading them, what a ruleset answers to them, and how right that is.

mod confidence;
mod given;
mod row;
mod tally;

use failwise::classify::Ruleset;
use failwise::host::payload::{self, PayloadKind};
use failwise::score::Share;
use serde_json::{Value, json};

pub(crate) use confidence::{ConfidenceSource, Precision, page};
pub(crate) use given::{GivenAnswer, given};
pub(crate) use row::{Label, Labelled};
pub(crate) use tally::Score;

/// Adds a row to a share.
pub(crate) fn count(share: &mut Share, right: bool) {
    share.all += 1;
    share.right += u32::from(right);
}

/// What a ruleset answers to a labelled call, read as the hook would read it: a session of its own, without a history.
pub(crate) fn answer(row: &Labelled, ruleset: &'static Ruleset) -> Result<GivenAnswer, String> {
    let bytes = payload_of(row).to_string();
    let payload = payload::parse(bytes.as_bytes()).map_err(|error| error.to_string())?;
    let PayloadKind::Call(call) = &payload.kind else { return Err(format!("{} is no call", row.id)) };
    given(call, ruleset).ok_or_else(|| format!("{} has no call", row.id))
}

/// The payload of a labelled call.
pub(crate) fn payload_of(row: &Labelled) -> Value {
    let mut payload = json!({
        "session_id": format!("labelled-{}", row.id), "cwd": "/home/dev/project", "tool_name": row.tool(),
        "tool_input": input_of(row), "tool_use_id": row.id,
    });
    let more = if row.marked_failed {
        json!({"hook_event_name": "PostToolUseFailure", "error": row.error_text})
    } else {
        json!({"hook_event_name": "PostToolUse",
            "tool_response": {"stdout": row.error_text, "stderr": "", "interrupted": false, "isImage": false}})
    };
    if let (Some(payload), Value::Object(more)) = (payload.as_object_mut(), more) {
        payload.extend(more);
    }
    payload
}

fn input_of(row: &Labelled) -> Value {
    let key = match row.tool().to_ascii_lowercase().as_str() {
        "read" | "edit" | "write" | "multiedit" => "file_path",
        "grep" | "glob" => "pattern",
        _ => "command",
    };
    match &row.input {
        Some(object @ Value::Object(_)) => object.clone(),
        Some(text) => json!({ key: text }),
        None => json!({ key: "" }),
    }
}

#[cfg(test)]
mod tests {
    use super::answer;
    use crate::labelled::Labelled;
    use failwise::classify::DEFAULT;
    use failwise::model::Class;

    fn class_of(line: &str) -> Option<Class> {
        answer(&Labelled::parse(line.as_bytes()).unwrap(), &DEFAULT).unwrap().class
    }

    #[test]
    fn a_call_is_read_as_the_client_reported_it() {
        let failed = r#"{"id":"1","tool_name":"bash","input":"curl -f https://api.example/x","error_text":"Exit code 22\ncurl: (22) The requested URL returned error: 503","marked_failed":true,"class_single":"F1","root_cause":"service_error"}"#;
        assert_eq!(class_of(failed), Some(Class::F1));
        let object =
            failed.replace(r#""curl -f https://api.example/x""#, r#"{"command":"curl -f https://api.example/x"}"#);
        assert_eq!(class_of(&object), Some(Class::F1));
        let masked = r#"{"id":"2","input":"cargo test | tail -3","error_text":"test result: FAILED. 4 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.02s","marked_failed":false,"class_single":"F2","root_cause":"test_failure"}"#;
        assert_eq!(class_of(masked), Some(Class::F2));
        assert_eq!(class_of(&masked.replace("FAILED. 4 passed; 1 failed", "ok. 5 passed; 0 failed")), None);
    }
}
