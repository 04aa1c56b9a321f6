//! A case of a reading's page: a call, and how it is judged.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

use super::case::known;
use super::{FIRES, PageCase};
use crate::model::{Outcome, Reading, Status, Tool, ToolCall, ToolInput, ToolKind};
use crate::reading::{Judgement, judge};

/// The fields that a case may have.
const FIELDS: &[&str] = &["tool", "command", "path", "summary", "status", "exit", "text", "timed_out_ms", "expect"];

/// Whether the case is judged as its page says; the error says what differs.
pub fn check(case: &PageCase) -> Result<(), String> {
    known(&case.json, FIELDS)?;
    if case.json["exit"] == 0 && case.json["status"] != "succeeded" {
        return Err("`\"exit\": 0` without `\"status\": \"succeeded\"` would be read as a failed call".to_owned());
    }
    let expect = &case.json["expect"];
    let outcome = Outcome::deserialize(&expect["outcome"]).ok();
    if !outcome.is_some_and(|outcome| is_in_its_place(case, outcome)) {
        return Err("it expects no outcome, or is in the wrong half".to_owned());
    }
    let differences = differences(expect, &judge(&call(&case.json), false))?;
    if differences.is_empty() { Ok(()) } else { Err(differences.join("; ")) }
}

/// A case that fires is a failure with a category or a hint; one that stays silent is none, or expects no hint.
fn is_in_its_place(case: &PageCase, outcome: Outcome) -> bool {
    match case.heading.as_str() {
        FIRES => matches!(outcome, Outcome::Failed | Outcome::MaskedFailure | Outcome::BenignNonZero | Outcome::Denied),
        _ => true,
    }
}

/// The call that a case tells of.
pub fn call(json: &Value) -> ToolCall<'_> {
    let text = |key: &str| json[key].as_str();
    let tool = Tool::named(text("tool").unwrap_or("Bash"));
    let input = match tool.kind {
        ToolKind::Shell => {
            ToolInput::Command { command: Cow::Borrowed(text("command").unwrap_or("")), background: false }
        }
        ToolKind::Read | ToolKind::Edit | ToolKind::Write => ToolInput::file(Cow::Borrowed(text("path").unwrap_or(""))),
        _ => ToolInput::Other { summary: text("summary").unwrap_or("").to_owned() },
    };
    let status = match text("status") {
        Some("succeeded") => Status::Succeeded,
        Some("refused") => Status::Refused,
        _ => Status::Failed,
    };
    ToolCall {
        exit_code: json["exit"].as_i64().and_then(|code| i32::try_from(code).ok()),
        text: Cow::Borrowed(text("text").unwrap_or("")),
        timed_out_after_ms: json["timed_out_ms"].as_u64(),
        ..ToolCall::new(tool, input, status)
    }
}

/// What of the judgement differs from what the page expects.
fn differences(expect: &Value, judgement: &Judgement) -> Result<Vec<String>, String> {
    let Judgement { outcome, reading, .. } = judgement;
    let mut found = Vec::new();
    for (key, wanted) in expect.as_object().into_iter().flatten() {
        let given = field(key, *outcome, reading)?;
        if given != *wanted {
            found.push(format!("{key} is {given}, not {wanted}"));
        }
    }
    Ok(found)
}

fn field(key: &str, outcome: Outcome, reading: &Reading) -> Result<Value, String> {
    let json = |value: Result<Value, serde_json::Error>| value.map_err(|error| error.to_string());
    Ok(match key {
        "outcome" => outcome.as_str().into(),
        "category" => reading.category.as_str().into(),
        "basis" => json(serde_json::to_value(reading.basis))?,
        "likely" => json(serde_json::to_value(reading.likely))?,
        "runner" => reading.runner.clone().into(),
        "result" => json(serde_json::to_value(reading.result))?,
        "proof" => json(serde_json::to_value(reading.proof))?,
        "line" => reading.line.clone().into(),
        "file" => reading.files.first().cloned().into(),
        "object" => reading.primary_object().map(|o| o.name.clone()).into(),
        "kind" => json(serde_json::to_value(reading.primary_object().map(|o| o.kind)))?,
        "objects" => reading.objects.iter().map(|o| o.name.clone()).collect::<Vec<_>>().into(),
        "passed" => reading.passed.clone().into(),
        "transient" => reading.transient.as_ref().map(|t| t.hint.clone()).into(),
        "retry_after_ms" => reading.transient.as_ref().and_then(|t| t.retry_after_ms).into(),
        other => return Err(format!("a judgement has no field `{other}`")),
    })
}
