//! The records: rows and summaries of a replay as OpenTelemetry names them. What is sent of anybody's words is decided here.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::digest::hex16;
use crate::gate::{GateContext, prose};
use crate::model::{Tool, ToolKind, Usage, Verdict};
use crate::programs;
use crate::redact::redact;
use crate::replay::{Analysis, EpisodeSummary, FailureRow, RowAnswer, SessionSummary};
use crate::text::one_line;
use crate::time::since_1970;

/// The most bytes of one request's records.
const LARGEST_REQUEST: usize = 512 * 1024;
/// The most of a call or of an error line, in characters.
const LONGEST: usize = 200;
/// The version of a record's attributes.
const VERSION: u32 = 1;

/// How much of anybody's words records hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ShipContent {
    /// None: ids, numbers and words of Failwise's own.
    Ids,
    /// Programs and subcommands that Failwise knows, tools, the project's name.
    #[default]
    Names,
    /// The call and its error line, too: redacted, with `~` for the home folder, at most 200 characters each.
    Lines,
}

/// A record: an event of OpenTelemetry's logs.
#[derive(Debug, Clone, PartialEq)]
pub struct ShipRecord {
    /// What it is called.
    pub event: &'static str,
    /// When it happened, RFC 3339 UTC.
    pub at: String,
    /// Its attributes.
    pub attributes: Map<String, Value>,
}

/// Makes records: what they may hold.
#[derive(Debug, Clone)]
pub struct RecordMaker {
    /// How much of anybody's words.
    pub content: ShipContent,
    /// The user's home folder, which is named `~`.
    pub home: Option<String>,
    /// The key of the hashes that stand for people, machines and projects, where these are hidden.
    pub hidden_by: Option<String>,
}

impl RecordMaker {
    /// A name as it may be sent.
    pub fn name(&self, kind: &str, name: &str) -> String {
        match &self.hidden_by {
            Some(key) => format!("{kind}-{}", hex16(&[key, kind, name]).get(..8).unwrap_or_default()),
            None => name.to_owned(),
        }
    }

    /// The records of a replayed history or of sessions: those of verdicts of rows that `is_new`, and of episodes and sessions
    /// of which the last moment is not before `since`.
    pub fn records(
        &self,
        rows: &[FailureRow],
        analysis: &Analysis,
        since: &str,
        is_new: impl Fn(&FailureRow) -> bool,
    ) -> Vec<ShipRecord> {
        let mut records: Vec<ShipRecord> =
            rows.iter().filter(|row| is_new(row)).filter_map(|row| self.verdict(row)).collect();
        let is_recent = |at: &Option<String>| at.as_deref().unwrap_or_default() >= since;
        let last = |it: &EpisodeSummary| it.ended_ts.clone().or_else(|| it.last_ts.clone());
        records.extend(analysis.episodes.iter().filter(|it| is_recent(&last(it))).map(|it| self.episode(it)));
        records.extend(analysis.sessions.iter().filter(|it| is_recent(&it.ended)).map(|it| self.session(it)));
        records
    }

    fn tool(&self, name: &str) -> String {
        let is_known = !matches!(Tool::named(name).kind, ToolKind::Other | ToolKind::Mcp);
        if is_known || self.content > ShipContent::Ids { one_line(name, LONGEST) } else { "other".to_owned() }
    }

    fn verdict(&self, row: &FailureRow) -> Option<ShipRecord> {
        let session = row.session.as_deref().unwrap_or_default();
        let mut told = Attributes::default();
        let (call, operation) = match &row.answer {
            RowAnswer::Verdict(verdict) => {
                told.verdict(verdict);
                (verdict.tool_use_id.as_deref(), verdict.operation.to_string())
            }
            // A refusal is worth a rule; what is no failure at all is not sent.
            RowAnswer::NotFailure { outcome, tool_use_id, operation, .. }
                if *outcome == crate::model::Outcome::Denied =>
            {
                told.put("failwise.outcome", outcome);
                (tool_use_id.as_deref(), operation.clone())
            }
            RowAnswer::NotFailure { .. } => return None,
        };
        let phase = serde_json::to_value(row.phase).unwrap_or_default();
        let call_key = call.map_or_else(|| format!("{} {}", row.ts, row.line), str::to_owned);
        told.id(&["verdict", session, &call_key, phase.as_str().unwrap_or_default()]);
        told.put("session.id", &row.session);
        told.put("tool_use_id", &call);
        told.put("gen_ai.tool.call.id", &call);
        told.put("gen_ai.tool.name", &self.tool(&row.tool));
        told.put("gen_ai.agent.id", &row.agent);
        told.put("failwise.phase", &row.phase);
        told.put("failwise.host", &row.host);
        told.put("failwise.exit_code", &row.exit_code);
        told.put("failwise.told", &row.advice.is_some());
        if self.content >= ShipContent::Names {
            told.put("failwise.program", &known_program(&operation));
            told.put("failwise.project", &row.project.as_deref().map(|name| self.name("project", name)));
        }
        if self.content == ShipContent::Lines && self.hidden_by.is_none() {
            told.put("failwise.operation", &self.line(&operation));
            told.put("failwise.line", &row.excerpt.as_deref().map(|line| self.line(line)));
        }
        Some(told.record("failwise.verdict", &row.ts))
    }

    fn episode(&self, it: &EpisodeSummary) -> ShipRecord {
        let mut told = Attributes::default();
        let ended = match it.ended.as_str() {
            "fixed_by_edit" | "fixed_by_shell" | "by_itself" => "passed",
            "replaced" => "replaced",
            "open" => "open",
            _ => "moved_on",
        };
        told.id(&["episode", &it.session, &it.node, &it.id]);
        told.put("session.id", &it.session);
        told.put("failwise.episode", &it.id);
        told.put("failwise.class", &it.class);
        told.put("error.type", &it.category);
        told.put("failwise.signature.fine", &it.signature);
        told.put("failwise.ended", &ended);
        told.put("failwise.attempts", &it.attempts);
        told.put("failwise.unchanged_retries", &it.unchanged_retries);
        told.put("failwise.turns", &it.booked.turns);
        told.put("failwise.seconds", &(it.booked.wall_ms / 1000));
        told.tokens(&it.booked.tokens);
        if self.content >= ShipContent::Names {
            told.put("failwise.program", &known_program(&it.operation));
        }
        told.record("failwise.episode", it.ended_ts.as_deref().or(it.last_ts.as_deref()).unwrap_or_default())
    }

    fn session(&self, it: &SessionSummary) -> ShipRecord {
        let mut told = Attributes::default();
        let ended = it.ended.clone().unwrap_or_default();
        told.id(&["session", &it.id, &ended]);
        told.put("session.id", &it.id);
        let counters = &it.counters;
        for (name, value) in [
            ("calls", counters.calls),
            ("failed", counters.failed),
            ("masked", counters.masked),
            ("denied", counters.denied),
            ("episodes", counters.episodes),
            ("turns", counters.turns),
            ("turns_in_failure", counters.turns_in_failure),
            ("seconds", counters.wall_ms / 1000),
            ("seconds_in_failure", counters.wall_ms_in_failure / 1000),
            ("tokens_in_failure", counters.tokens_in_failure.total()),
        ] {
            told.put(&format!("failwise.{name}"), &value);
        }
        told.tokens(&counters.tokens);
        told.put("failwise.host", &it.host);
        if self.content >= ShipContent::Names {
            told.put("failwise.project", &it.project.as_deref().map(|name| self.name("project", name)));
        }
        told.record("failwise.session", &ended)
    }

    /// A line as it may be sent: redacted again, without the home folder and without words that look random.
    fn line(&self, text: &str) -> String {
        let home = self.home.as_deref().filter(|home| home.len() > 1);
        let text = home.map_or_else(|| text.to_owned(), |home| text.replace(home, "~"));
        one_line(&prose(&redact(&text), &GateContext::default()), LONGEST)
    }
}

/// The program of a call, and its subcommand, as far as Failwise's own table has both: other words are somebody's.
fn known_program(operation: &str) -> Option<String> {
    let mut words = operation.split_whitespace();
    let name = words.next().filter(|word| programs::find(word).is_some())?;
    let rows = programs::all().iter().filter(|row| row.words.split(' ').next() == Some(name));
    let known = words.next().filter(|word| {
        let mut subcommands = rows.flat_map(|row| {
            let own = row.words.split(' ').nth(1);
            own.into_iter().chain(row.subcommands.iter().filter_map(|it| it.words.split(' ').next()))
        });
        subcommands.any(|known| known == *word)
    });
    Some(known.map_or_else(|| name.to_owned(), |word| format!("{name} {word}")))
}

/// The attributes of a record as they are put together. What is null is left out.
#[derive(Default)]
struct Attributes(Map<String, Value>);

impl Attributes {
    fn put<T: Serialize>(&mut self, name: &str, value: &T) {
        let value = serde_json::to_value(value).unwrap_or_default();
        if !value.is_null() {
            self.0.insert(name.to_owned(), value);
        }
    }

    /// What makes a record known when it comes twice: a function of what it is about.
    fn id(&mut self, parts: &[&str]) {
        self.put("schema_version", &VERSION);
        self.put("log.record.uid", &hex16(parts));
    }

    fn verdict(&mut self, it: &Verdict) {
        self.put("error.type", &it.category);
        self.put("failwise.class", &it.class);
        self.put("failwise.outcome", &it.outcome);
        self.put("failwise.rule", &it.rule);
        self.put("failwise.ruleset", &it.ruleset);
        self.put("failwise.basis", &it.basis);
        self.put("failwise.confidence", &it.confidence);
        self.put("failwise.category_confidence", &it.category_confidence);
        self.put("failwise.signature.fine", &it.signature.fine);
        self.put("failwise.signature.coarse", &it.signature.coarse);
        self.put("failwise.signature.version", &it.signature.version);
        self.put("failwise.episode", &it.episode);
        self.put("failwise.attempt", &it.attempt);
        self.put("failwise.unchanged_retries", &it.unchanged_retries);
    }

    fn tokens(&mut self, usage: &Usage) {
        self.put("gen_ai.usage.input_tokens", &usage.input);
        self.put("gen_ai.usage.output_tokens", &usage.output);
        self.put("failwise.tokens.cache_read", &usage.cache_read);
        self.put("failwise.tokens.cache_write", &usage.cache_write);
    }

    fn record(self, event: &'static str, at: &str) -> ShipRecord {
        ShipRecord { event, at: at.to_owned(), attributes: self.0 }
    }
}

impl ShipRecord {
    /// The record as one flat object.
    pub fn flat(&self, resource: &Map<String, Value>) -> Value {
        let mut row = Map::from_iter([("event".to_owned(), json!(self.event)), ("at".to_owned(), json!(self.at))]);
        row.extend(resource.clone());
        row.extend(self.attributes.clone());
        Value::Object(row)
    }

    fn otlp(&self) -> Value {
        let nanos = since_1970(&self.at).unwrap_or_default().saturating_mul(1_000_000).to_string();
        json!({
            "timeUnixNano": nanos, "severityNumber": 13, "severityText": "WARN", "eventName": self.event,
            "attributes": key_values(&self.attributes),
        })
    }
}

/// Attributes as OTLP's JSON has them: numbers of 64 bits are text there.
fn key_values(attributes: &Map<String, Value>) -> Vec<Value> {
    let value = |value: &Value| match value {
        Value::Bool(it) => json!({ "boolValue": it }),
        Value::Number(it) if it.is_f64() => json!({ "doubleValue": it }),
        Value::Number(it) => json!({ "intValue": it.to_string() }),
        Value::String(it) => json!({ "stringValue": it }),
        other => json!({ "stringValue": other.to_string() }),
    };
    attributes.iter().map(|(key, it)| json!({ "key": key, "value": value(it) })).collect()
}

/// A request with these records: what the collector's file receiver reads as one line.
pub fn envelope(records: &[ShipRecord], resource: &Map<String, Value>) -> String {
    let records: Vec<Value> = records.iter().map(ShipRecord::otlp).collect();
    let scope = json!({ "name": "failwise", "version": env!("CARGO_PKG_VERSION") });
    let logs = json!([{ "scope": scope, "logRecords": records }]);
    json!({ "resourceLogs": [{ "resource": { "attributes": key_values(resource) }, "scopeLogs": logs }] }).to_string()
}

/// The records in parts, of which each is one request of at most 512 KB.
pub fn split<'r>(records: &'r [ShipRecord], resource: &Map<String, Value>) -> Vec<&'r [ShipRecord]> {
    let own = envelope(&[], resource).len();
    let (mut parts, mut begin, mut size) = (Vec::new(), 0, own);
    for (number, record) in records.iter().enumerate() {
        let more = record.otlp().to_string().len() + 1;
        if size + more > LARGEST_REQUEST && number > begin {
            parts.extend(records.get(begin..number));
            (begin, size) = (number, own);
        }
        size += more;
    }
    parts.extend(records.get(begin..).filter(|rest| !rest.is_empty()));
    parts
}
