//! A row of a replay, and the sum of all rows.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::history::Event;
use crate::model::{Outcome, Phase, Verdict};

/// One result that the client marked as an error, or a masked or later background failure: the verdict, or why there
/// is none, plus when and how often.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// When it happened, as the data says.
    pub ts: String,
    /// Which end of the call.
    pub phase: Phase,
    /// The tool's canonical name.
    pub tool: String,
    /// The call's command or target as given, redacted, at most 300 characters.
    pub input: String,
    /// How often the same failure was met before in the same node.
    pub repeats: u32,
    /// The verdict's fields, or those of a call that is no failure.
    #[serde(flatten)]
    pub answer: RowAnswer,
    /// Fields in which a recorded verdict differs from this one; empty when it is the same or there is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differs: Vec<Difference>,
}

/// What a row answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum RowAnswer {
    /// A verdict.
    Verdict(Box<Verdict>),
    /// No failure of the work, and why.
    NotFailure {
        /// Always null.
        class: Option<()>,
        /// Why it is no failure.
        outcome: Outcome,
        /// What was seen.
        evidence: Vec<String>,
        /// The node that it belongs to.
        node_id: String,
        /// What was being done.
        operation: String,
        /// The call.
        tool_use_id: Option<String>,
    },
}

/// A field in which a recorded verdict differs from the one made now.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// The verdict's field.
    pub field: String,
    /// What the history says.
    pub recorded: serde_json::Value,
    /// What the rules say now.
    pub now: serde_json::Value,
}

impl Row {
    pub(super) fn verdict(event: &Event, verdict: &Verdict, repeats: u32, recorded: Option<&Verdict>) -> Self {
        let differs = recorded.map(|recorded| differences(recorded, verdict)).unwrap_or_default();
        Self { differs, ..Self::of(event, repeats, RowAnswer::Verdict(Box::new(verdict.clone()))) }
    }

    pub(super) fn not_failure(event: &Event) -> Self {
        let answer = RowAnswer::NotFailure {
            class: None,
            outcome: event.outcome.unwrap_or(Outcome::Succeeded),
            evidence: event.evidence.clone(),
            node_id: event.node.clone(),
            operation: event.operation.as_ref().map(ToString::to_string).unwrap_or_default(),
            tool_use_id: event.tool_use_id.clone(),
        };
        Self::of(event, 0, answer)
    }

    fn of(event: &Event, repeats: u32, answer: RowAnswer) -> Self {
        Self {
            ts: event.ts.clone(),
            phase: event.phase.unwrap_or_default(),
            tool: event.tool.clone().unwrap_or_default(),
            input: event.input.clone().unwrap_or_default(),
            repeats,
            answer,
            differs: Vec::new(),
        }
    }

    /// What became of the call.
    pub fn outcome(&self) -> Outcome {
        match &self.answer {
            RowAnswer::Verdict(verdict) => verdict.outcome,
            RowAnswer::NotFailure { outcome, .. } => *outcome,
        }
    }
}

/// Whether the client marked the call as an error although the work did not fail.
pub(super) fn is_marked(event: &Event) -> bool {
    match event.outcome {
        Some(Outcome::Denied | Outcome::Cascade | Outcome::Interrupted) => true,
        Some(Outcome::BenignNonZero) => event.exit_code.is_some_and(|code| code != 0),
        _ => false,
    }
}

fn differences(recorded: &Verdict, now: &Verdict) -> Vec<Difference> {
    if recorded == now {
        return Vec::new();
    }
    let (Ok(serde_json::Value::Object(recorded)), Ok(serde_json::Value::Object(now))) =
        (serde_json::to_value(recorded), serde_json::to_value(now))
    else {
        return Vec::new();
    };
    let mut fields: Vec<&String> = recorded.keys().chain(now.keys()).collect();
    fields.sort_unstable();
    fields.dedup();
    let value = |map: &serde_json::Map<String, serde_json::Value>, field: &str| {
        map.get(field).cloned().unwrap_or(serde_json::Value::Null)
    };
    fields
        .into_iter()
        .map(|field| Difference { field: field.clone(), recorded: value(&recorded, field), now: value(&now, field) })
        .filter(|difference| difference.recorded != difference.now)
        .collect()
}

/// What the rows sum up to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Summary {
    /// How many calls were replayed, those that succeeded included.
    pub calls: u64,
    /// Rows by outcome.
    pub outcomes: BTreeMap<String, u64>,
    /// Verdicts by class.
    pub classes: BTreeMap<String, u64>,
    /// Verdicts by category.
    pub categories: BTreeMap<String, u64>,
    /// Failures that repeated the call and the error with nothing changed in between.
    pub unchanged_retries: u64,
    /// Recorded verdicts that the rules would not give now.
    pub differing: u64,
    /// Lines that were left out, by reason.
    pub skipped: BTreeMap<String, u64>,
}

impl Summary {
    pub(super) fn add(&mut self, row: &Row) {
        *self.outcomes.entry(row.outcome().as_str().to_owned()).or_default() += 1;
        self.differing += u64::from(!row.differs.is_empty());
        if let RowAnswer::Verdict(verdict) = &row.answer {
            *self.classes.entry(verdict.class.as_str().to_owned()).or_default() += 1;
            *self.categories.entry(verdict.category.as_str().to_owned()).or_default() += 1;
            self.unchanged_retries += u64::from(verdict.unchanged_retries > 0);
        }
    }

    /// Adds what the rows of another session sum up to.
    pub fn join(&mut self, other: &Self) {
        self.calls += other.calls;
        self.unchanged_retries += other.unchanged_retries;
        self.differing += other.differing;
        add_all(&mut self.outcomes, &other.outcomes);
        add_all(&mut self.classes, &other.classes);
        add_all(&mut self.categories, &other.categories);
        add_all(&mut self.skipped, &other.skipped);
    }
}

fn add_all(counts: &mut BTreeMap<String, u64>, more: &BTreeMap<String, u64>) {
    for (word, count) in more {
        *counts.entry(word.clone()).or_default() += count;
    }
}
