//! A row of a replay.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Map, Value};

use super::analysis::{Analysis, Ended};
use super::tally::{LineOrigin, name_of};
use crate::history::{Event, Execution};
use crate::model::{Host, ObjectKind, Outcome, Phase, Verdict};

/// One result that the client marked as an error, or a masked or later background failure: the verdict, or why there
/// is none, plus when and how often.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FailureRow {
    /// The version of a row's own fields: [`FailureRow::VERSION`]. The verdict's fields have their `schema_version`.
    pub row_version: u32,
    /// The client's session, where the data says.
    pub session: Option<String>,
    /// The client, where that is not Claude Code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<Host>,
    /// The last part of the directory that the session was first seen in.
    pub project: Option<String>,
    /// The subagent, inside one.
    pub agent: Option<String>,
    /// The file that tells of it, as it was named.
    pub file: String,
    /// The line in it, from 1.
    pub line: u64,
    /// When it happened, as the data says.
    pub ts: String,
    /// Which end of the call.
    pub phase: Phase,
    /// The tool's canonical name.
    pub tool: String,
    /// The call's command or target as given, redacted, at most 300 characters.
    pub input: String,
    /// How its episode ended; null for what is no failure.
    pub ended: Option<Ended>,
    /// The tokens of all work on its episode; on the first row of the episode, so that a sum counts them once, else null.
    pub tokens: Option<u64>,
    /// The seconds of that work, as the tokens.
    pub seconds: Option<u64>,
    /// The model that made the call, where the data says.
    pub model: Option<String>,
    /// Whose it is, where that was said when it was replayed.
    pub person: Option<String>,
    /// The exit code, where the host states one; no part of the JSON.
    #[serde(skip)]
    pub exit_code: Option<i32>,
    /// The episode of the analysis that its cost is booked on; empty for what is no failure, and no part of the JSON.
    #[serde(skip)]
    pub account: String,
    /// The test that failed first; no part of the JSON.
    #[serde(skip)]
    pub test: Option<String>,
    /// How often the same failure was met before in the same node.
    pub repeats: u32,
    /// The verdict's fields, or those of a call that is no failure.
    #[serde(flatten)]
    pub answer: RowAnswer,
    /// The error line that matters, redacted; null where none was recognised or nothing failed.
    pub excerpt: Option<String>,
    /// What Failwise told the agent then, or would have told it; null for nothing.
    pub advice: Option<String>,
    /// Why the guard would have refused the call; null where it would not, or was not asked.
    pub refused: Option<String>,
    /// Fields in which a recorded verdict differs from this one; empty when it is the same or there is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differs: Vec<FieldDifference>,
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
pub struct FieldDifference {
    /// The verdict's field.
    pub field: String,
    /// What the history says.
    pub recorded: Value,
    /// What the rules say now.
    pub now: Value,
}

impl FailureRow {
    /// The version of a row's own fields.
    pub const VERSION: u32 = 2;

    pub(super) fn verdict(
        event: &Event,
        execution: &Execution,
        verdict: &Verdict,
        repeats: u32,
        recorded: Option<&Verdict>,
        project: Option<&str>,
        origin: &LineOrigin,
    ) -> Self {
        let differs = recorded.map(|recorded| differences(recorded, verdict)).unwrap_or_default();
        let excerpt = execution.reading.as_ref().and_then(|reading| reading.line.clone());
        let answer = RowAnswer::Verdict(Box::new(verdict.clone()));
        Self { repeats, excerpt, differs, ..Self::of(event, execution, answer, project, origin) }
    }

    pub(super) fn not_failure(
        event: &Event,
        execution: &Execution,
        project: Option<&str>,
        origin: &LineOrigin,
    ) -> Self {
        let answer = RowAnswer::NotFailure {
            class: None,
            outcome: execution.outcome.unwrap_or(Outcome::Succeeded),
            evidence: execution.evidence.clone(),
            node_id: event.node.clone(),
            operation: execution.operation.as_ref().map(ToString::to_string).unwrap_or_default(),
            tool_use_id: event.tool_use_id.clone(),
        };
        Self::of(event, execution, answer, project, origin)
    }

    fn of(event: &Event, execution: &Execution, answer: RowAnswer, project: Option<&str>, origin: &LineOrigin) -> Self {
        Self {
            row_version: Self::VERSION,
            session: event.session.clone(),
            host: event.host.named(),
            project: project.map(str::to_owned),
            agent: event.agent.clone(),
            file: origin.file.clone(),
            line: origin.line,
            ts: event.ts.clone(),
            phase: execution.phase.unwrap_or_default(),
            tool: execution.tool.clone().unwrap_or_default(),
            input: execution.input.clone().unwrap_or_default(),
            ended: None,
            tokens: None,
            seconds: None,
            model: None,
            person: None,
            exit_code: execution.exit_code,
            account: String::new(),
            test: failed_test(execution),
            repeats: 0,
            excerpt: None,
            advice: None,
            refused: None,
            answer,
            differs: Vec::new(),
        }
    }

    /// The names of [`FailureRow::values`], in their order. New ones come last.
    pub const COLUMNS: [&'static str; 38] = [
        "row_version",
        "session",
        "project",
        "agent",
        "node_id",
        "file",
        "line",
        "ts",
        "phase",
        "tool",
        "tool_use_id",
        "input",
        "operation",
        "outcome",
        "class",
        "class_name",
        "category",
        "rule",
        "ruleset",
        "confidence",
        "recommended_action",
        "episode",
        "attempt",
        "unchanged_retries",
        "repeats",
        "signature_fine",
        "signature_coarse",
        "retry_after_ms",
        "excerpt",
        "advice",
        "evidence",
        "refused",
        "host",
        "ended",
        "tokens",
        "seconds",
        "model",
        "person",
    ];

    /// The row as flat text, in the order of [`FailureRow::COLUMNS`]; empty where a value is null or there is none. Evidence is
    /// joined by `; `.
    pub fn values(&self) -> [String; 38] {
        let row = serde_json::to_value(self).unwrap_or_default();
        Self::COLUMNS.map(|column| match column.strip_prefix("signature_") {
            Some(part) => flat(&row["signature"][part]),
            None => flat(&row[column]),
        })
    }
}

fn failed_test(execution: &Execution) -> Option<String> {
    let mut objects = execution.reading.as_ref()?.objects.iter();
    Some(objects.find(|object| object.kind == ObjectKind::Test)?.name.clone())
}

/// Tells of each row how its episode ended, and of the first one of each what that cost.
pub(super) fn add_ends(rows: &mut [FailureRow], analysis: &Analysis) {
    let episodes: BTreeMap<_, _> = analysis.episodes.iter().map(|it| ((&*it.session, &*it.id), it)).collect();
    let mut counted = BTreeSet::new();
    for row in rows {
        let Some(episode) = episodes.get(&(name_of(row.session.as_deref()), &*row.account)) else { continue };
        row.ended = Some(episode.ended);
        if counted.insert((&episode.session, &episode.id)) {
            row.tokens = Some(episode.booked.tokens.total());
            row.seconds = Some(episode.booked.wall_ms / 1000);
        }
    }
}

/// Whether the client marked the call as an error although the work did not fail.
pub(super) fn is_marked(execution: &Execution) -> bool {
    match execution.outcome {
        Some(Outcome::Denied | Outcome::Cascade | Outcome::Interrupted) => true,
        Some(Outcome::BenignNonZero) => execution.exit_code.is_some_and(|code| code != 0),
        _ => false,
    }
}

fn differences(recorded: &Verdict, now: &Verdict) -> Vec<FieldDifference> {
    if recorded == now {
        return Vec::new();
    }
    let (Ok(Value::Object(recorded)), Ok(Value::Object(now))) =
        (serde_json::to_value(recorded), serde_json::to_value(now))
    else {
        return Vec::new();
    };
    let mut fields: Vec<&String> = recorded.keys().chain(now.keys()).collect();
    fields.sort_unstable();
    fields.dedup();
    let value = |map: &Map<String, Value>, field: &str| map.get(field).cloned().unwrap_or(Value::Null);
    fields
        .into_iter()
        .map(|field| FieldDifference {
            field: field.clone(),
            recorded: value(&recorded, field),
            now: value(&now, field),
        })
        .filter(|difference| difference.recorded != difference.now)
        .collect()
}

/// A value as one text, of which a table has a cell.
fn flat(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(flat).collect::<Vec<_>>().join("; "),
        other => other.to_string(),
    }
}

/// A value as it stands in JSON, without quotation marks.
pub(super) fn word(value: &impl Serialize) -> String {
    serde_json::to_value(value).map(|value| flat(&value)).unwrap_or_default()
}
