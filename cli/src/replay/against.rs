//! Which verdicts differ from those of another ruleset, or of an earlier run, and why.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use super::row::{FailureRow, RowAnswer};

/// What was said of calls before, or by other rules.
#[derive(Debug, Clone, Default)]
pub struct Baseline {
    sides: BTreeMap<CallKey, VerdictSide>,
    met: BTreeSet<CallKey>,
}

/// Which end of which call: by the call's id and phase, or by its time and operation where it has no id.
type CallKey = (String, String);

/// One side's answer to one call. Words that this build does not know are kept as they are.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct VerdictSide {
    /// The class; null where the work did not fail.
    pub class: Option<String>,
    /// What became of the call.
    pub outcome: String,
    /// What kind of error it is; null where the work did not fail.
    pub category: Option<String>,
    /// What the planner should do; null where the work did not fail.
    pub recommended_action: Option<String>,
    /// The rule that fired; null where the work did not fail.
    pub rule: Option<String>,
    /// The ruleset that it belongs to.
    pub ruleset: Option<String>,
    /// What was seen.
    pub evidence: Vec<String>,
}

/// A call on which both sides do not agree.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Disagreement {
    /// The version of this shape.
    pub schema_version: u32,
    /// The file that tells of the call; null where only the other side knows it.
    pub file: Option<String>,
    /// The line in it.
    pub line: Option<u64>,
    /// When it happened, as the data says.
    pub ts: String,
    /// The call.
    pub tool_use_id: Option<String>,
    /// The call as given, redacted.
    pub input: String,
    /// The fields that differ: `class`, `outcome`, `category`, `recommended_action`.
    pub fields: Vec<&'static str>,
    /// What the rules say now; null where they give no verdict on such a call.
    pub here: Option<VerdictSide>,
    /// What the other side says; null where it gives no verdict on such a call.
    pub there: Option<VerdictSide>,
}

impl Disagreement {
    /// The version of this shape.
    pub const SCHEMA_VERSION: u32 = 1;
}

impl Baseline {
    /// The answers of a replay by other rules.
    pub fn of_rows(rows: &[FailureRow]) -> Self {
        let mut baseline = Self::default();
        for row in rows {
            baseline.sides.insert(key_of(row), side_of(row));
        }
        baseline
    }

    /// Takes a line of rows that an earlier run printed, or of a history. Whether it told anything.
    pub fn line(&mut self, line: &[u8]) -> bool {
        let Ok(value) = serde_json::from_slice::<Value>(line) else { return false };
        let verdict = if value["verdict"].is_object() { &value["verdict"] } else { &value };
        if !verdict["outcome"].is_string() || verdict["operation"].as_str().is_none() {
            // An event of a history that is no verdict is known all the same.
            return value["event"].is_string();
        }
        // What completed or failed in a history is no verdict: that is the next line.
        if value["event"].is_string() && !value["verdict"].is_object() {
            return true;
        }
        let phase = text(&value["phase"]).unwrap_or_else(|| CALL.to_owned());
        let operation = text(&verdict["operation"]).unwrap_or_default();
        let key = key(verdict["tool_use_id"].as_str(), &phase, value["ts"].as_str().unwrap_or_default(), &operation);
        self.sides.insert(key, parsed(verdict));
        true
    }

    /// Compares a row with what was said before of the same call; None where both agree. A call that only one side knows
    /// matters where that side gives it a verdict.
    pub fn compare(&mut self, row: &FailureRow) -> Option<Disagreement> {
        let key = key_of(row);
        let there = self.sides.get(&key).cloned();
        self.met.insert(key);
        let here = side_of(row);
        let fields = match &there {
            Some(there) => differing(&here, there),
            None if here.class.is_some() => vec!["outcome"],
            None => Vec::new(),
        };
        if fields.is_empty() {
            return None;
        }
        Some(Disagreement {
            schema_version: Disagreement::SCHEMA_VERSION,
            file: Some(row.file.clone()),
            line: Some(row.line),
            ts: row.ts.clone(),
            tool_use_id: id_of(row).map(str::to_owned),
            input: row.input.clone(),
            fields,
            here: Some(here),
            there,
        })
    }

    /// The verdicts on calls that no row was about.
    pub fn unmet(&self) -> Vec<Disagreement> {
        let unmet = self.sides.iter().filter(|(key, side)| side.class.is_some() && !self.met.contains(*key));
        unmet.map(|((name, _), side)| only_there(name, side)).collect()
    }
}

fn only_there(name: &str, side: &VerdictSide) -> Disagreement {
    Disagreement {
        schema_version: Disagreement::SCHEMA_VERSION,
        tool_use_id: Some(name.to_owned()),
        fields: vec!["outcome"],
        there: Some(side.clone()),
        ..Disagreement::default()
    }
}

fn differing(here: &VerdictSide, there: &VerdictSide) -> Vec<&'static str> {
    let pairs = [
        ("class", here.class == there.class),
        ("outcome", here.outcome == there.outcome),
        ("category", here.category == there.category),
        ("recommended_action", here.recommended_action == there.recommended_action),
    ];
    pairs.into_iter().filter(|(_, same)| !same).map(|(field, _)| field).collect()
}

/// The phase of a call's own end, on the wire.
const CALL: &str = "call";

fn key(id: Option<&str>, phase: &str, ts: &str, operation: &str) -> CallKey {
    match id {
        Some(id) => (id.to_owned(), phase.to_owned()),
        None => (format!("{ts} {operation}"), phase.to_owned()),
    }
}

fn key_of(row: &FailureRow) -> CallKey {
    let operation = match &row.answer {
        RowAnswer::Verdict(verdict) => verdict.operation.0.as_str(),
        RowAnswer::NotFailure { operation, .. } => operation,
    };
    key(id_of(row), &super::row::word(&row.phase), &row.ts, operation)
}

fn id_of(row: &FailureRow) -> Option<&str> {
    match &row.answer {
        RowAnswer::Verdict(verdict) => verdict.tool_use_id.as_deref(),
        RowAnswer::NotFailure { tool_use_id, .. } => tool_use_id.as_deref(),
    }
}

fn side_of(row: &FailureRow) -> VerdictSide {
    parsed(&serde_json::to_value(&row.answer).unwrap_or_default())
}

fn parsed(verdict: &Value) -> VerdictSide {
    VerdictSide {
        class: text(&verdict["class"]),
        outcome: text(&verdict["outcome"]).unwrap_or_default(),
        category: text(&verdict["category"]),
        recommended_action: text(&verdict["recommended_action"]),
        rule: text(&verdict["rule"]),
        ruleset: text(&verdict["ruleset"]),
        evidence: verdict["evidence"].as_array().into_iter().flatten().filter_map(text).collect(),
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}
