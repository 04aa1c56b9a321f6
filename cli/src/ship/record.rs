//! The records: rows and summaries of a replay as OpenTelemetry names them. What is sent of anybody's words is decided here.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::unnamed::unnamed;
use crate::digest::hex16;
use crate::gate::{GateContext, prose, shown_line};
use crate::model::{Outcome, Tool, ToolKind, Usage, Verdict};
use crate::programs;
use crate::redact::redact;
use crate::replay::{Analysis, EpisodeSummary, FailureRow, RowAnswer, SessionSummary};
use crate::report::hidden_name;
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
    /// The session that it is of.
    pub session: String,
    /// Its attributes.
    pub attributes: Vec<(&'static str, Value)>,
}

/// What records share: attributes of the machine and of the project.
pub type SharedAttributes = Vec<(&'static str, Value)>;

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
        self.hidden_by.as_ref().map_or_else(|| name.to_owned(), |key| hidden_name(key, kind, name))
    }

    /// The records of the sessions of a replay, and of its episodes but for those that had passed before a moment.
    pub fn sums<'a>(&'a self, analysis: &'a Analysis, since: &'a str) -> impl Iterator<Item = ShipRecord> + 'a {
        let ends: BTreeMap<&str, &str> =
            analysis.sessions.iter().filter_map(|it| Some((it.id.as_str(), it.ended.as_deref()?))).collect();
        let is_told = move |it: &&EpisodeSummary| it.ended_ts.as_deref().is_some_and(|at| at < since);
        let episodes = analysis.episodes.iter().filter(move |it| !is_told(it));
        let episodes = episodes.map(move |it| self.episode(it, ends.get(it.session.as_str()).copied()));
        episodes.chain(analysis.sessions.iter().map(|it| self.session(it)))
    }

    /// The name of a tool: one of the client's own, or as far as names may be sent.
    fn tool(&self, name: &str) -> String {
        let is_known = !matches!(Tool::named(name).kind, ToolKind::Other | ToolKind::Mcp);
        self.known_or(is_known, "tool", name)
    }

    fn model(&self, name: &str) -> String {
        self.known_or(name.starts_with("claude-"), "model", name)
    }

    fn known_or(&self, is_known: bool, kind: &str, name: &str) -> String {
        match self.content {
            _ if is_known => one_line(name, LONGEST),
            ShipContent::Ids => "other".to_owned(),
            ShipContent::Names | ShipContent::Lines => self.name(kind, &one_line(&redact(name), LONGEST)),
        }
    }

    /// The record of a row: none of what is no failure at all.
    pub fn verdict(&self, row: &FailureRow) -> Option<ShipRecord> {
        let session = row.session.as_deref().unwrap_or_default();
        let mut told = Attributes::default();
        let (call, operation) = match &row.answer {
            RowAnswer::Verdict(verdict) => {
                told.verdict(verdict);
                told.put("failwise.episode", &row.account);
                (verdict.tool_use_id.as_deref(), verdict.operation.to_string())
            }
            // A refusal is worth a rule; what is no failure at all is not sent.
            RowAnswer::NotFailure { outcome: outcome @ Outcome::Denied, tool_use_id, operation, .. } => {
                told.put("failwise.outcome", outcome);
                (tool_use_id.as_deref(), operation.clone())
            }
            RowAnswer::NotFailure { .. } => return None,
        };
        let phase = serde_json::to_value(row.phase).unwrap_or_default();
        let call_key = call.map_or_else(|| format!("{} {operation}", row.ts), str::to_owned);
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
            told.put("failwise.program", &programs::known_call(&operation));
            told.put("test.case.name", &row.test.as_deref().map(|name| self.name("test", &self.line(name))));
            told.put("failwise.project", &row.project.as_deref().map(|name| self.name("project", name)));
        }
        if self.content == ShipContent::Lines && self.hidden_by.is_none() {
            told.put("failwise.operation", &self.line(&shown_line(&operation, &GateContext::default())));
            told.put("failwise.line", &row.excerpt.as_deref().map(|line| self.line(line)));
        }
        Some(told.record("failwise.verdict", session, &row.ts))
    }

    /// Of an episode that has not passed the last moment of its session counts: it may pass yet.
    fn episode(&self, it: &EpisodeSummary, session_end: Option<&str>) -> ShipRecord {
        let mut told = Attributes::default();
        let ended = match it.ended.as_str() {
            "fixed_by_edit" | "fixed_by_shell" | "by_itself" => "passed",
            "replaced" => "replaced",
            "open" => "open",
            _ => "moved_on",
        };
        let at = it.ended_ts.as_deref().or(session_end).or(it.last_ts.as_deref()).unwrap_or_default();
        told.id(&["episode", &it.session, &it.node, &it.id, ended, at]);
        told.put("session.id", &it.session);
        told.put("failwise.episode", &it.id);
        told.put("failwise.class", &it.class);
        told.put("error.type", &it.category);
        told.put("failwise.signature.fine", &it.signature);
        told.put("failwise.ended", &ended);
        told.put("failwise.attempts", &it.attempts);
        told.put("failwise.unchanged_retries", &it.unchanged_retries);
        told.put("failwise.seconds", &(it.booked.wall_ms / 1000));
        if it.booked.turns > 0 {
            told.put("failwise.turns", &it.booked.turns);
            told.tokens(&it.booked.tokens);
        }
        if self.content >= ShipContent::Names {
            told.put("failwise.program", &programs::known_call(&it.operation));
        }
        told.record("failwise.episode", &it.session, at)
    }

    fn session(&self, it: &SessionSummary) -> ShipRecord {
        let mut told = Attributes::default();
        let ended = it.ended.clone().unwrap_or_default();
        told.id(&["session", &it.id, &ended]);
        told.put("session.id", &it.id);
        let counters = &it.counters;
        for (name, value) in [
            ("failwise.calls", counters.calls),
            // As outcomes of verdicts are: what hid its failure is no part of it.
            ("failwise.failed", counters.failed.saturating_sub(counters.masked)),
            ("failwise.masked", counters.masked),
            ("failwise.denied", counters.denied),
            ("failwise.episodes", counters.episodes),
            ("failwise.seconds", counters.wall_ms / 1000),
            ("failwise.seconds_in_failure", counters.wall_ms_in_failure / 1000),
        ] {
            told.put(name, &value);
        }
        if let Some(share) = (counters.wall_ms_in_failure * 1000).checked_div(counters.wall_ms) {
            #[expect(clippy::cast_precision_loss, reason = "a share in thousandths")]
            told.put("failwise.share_in_failure", &(share.min(1000) as f64 / 1000.0));
        }
        let tools = it.tools.iter().map(|(tool, it)| (self.tool(tool), [it.calls, it.failed, it.masked, it.denied]));
        told.table("failwise.tools", &["calls", "failed", "masked", "denied"], tools);
        // Only a client's own files tell of answers.
        if counters.turns > 0 {
            told.put("failwise.turns", &counters.turns);
            told.put("failwise.turns_in_failure", &counters.turns_in_failure);
            told.put("failwise.tokens_in_failure", &counters.tokens_in_failure.total());
            told.tokens(&counters.tokens);
            let counts = |it: &Usage| [it.input, it.output, it.cache_read, it.cache_write];
            let models = it.models.iter().map(|(model, it)| (self.model(model), counts(it)));
            told.table("failwise.models", &["input", "output", "cache_read", "cache_write"], models);
        }
        told.put("failwise.host", &it.host);
        if self.content >= ShipContent::Names {
            told.put("failwise.project", &it.project.as_deref().map(|name| self.name("project", name)));
        }
        told.record("failwise.session", &it.id, &ended)
    }

    /// A line as it may be sent: redacted again, without words that look random, and without what names people and places.
    fn line(&self, text: &str) -> String {
        let text = redact(text);
        let home = self.home.as_deref().filter(|home| home.len() > 1);
        let text = home.map_or_else(|| text.to_string(), |home| text.replace(home, "~"));
        one_line(&unnamed(&prose(&text, &GateContext::default())), LONGEST)
    }
}

/// The attributes of a record as they are put together. What is null is left out.
#[derive(Default)]
struct Attributes(SharedAttributes);

impl Attributes {
    fn put<T: Serialize>(&mut self, name: &'static str, value: &T) {
        let value = serde_json::to_value(value).unwrap_or_default();
        if !value.is_null() {
            self.0.push((name, value));
        }
    }

    /// Counts by name, each with these columns; of what has one name the sum.
    fn table(&mut self, name: &'static str, columns: &[&str; 4], rows: impl Iterator<Item = (String, [u64; 4])>) {
        let mut sums = BTreeMap::<String, [u64; 4]>::new();
        for (name, counts) in rows {
            sums.entry(name).or_default().iter_mut().zip(counts).for_each(|(known, more)| *known += more);
        }
        let rows = sums.into_iter().map(|(name, counts)| {
            let counts = columns.iter().zip(counts).map(|(column, count)| ((*column).to_owned(), json!(count)));
            (name, Value::Object(counts.collect()))
        });
        self.put(name, &Value::Object(rows.collect()));
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
        self.put("failwise.attempt", &it.attempt);
        self.put("failwise.unchanged_retries", &it.unchanged_retries);
    }

    fn tokens(&mut self, usage: &Usage) {
        self.put("gen_ai.usage.input_tokens", &usage.input);
        self.put("gen_ai.usage.output_tokens", &usage.output);
        self.put("failwise.tokens.cache_read", &usage.cache_read);
        self.put("failwise.tokens.cache_write", &usage.cache_write);
    }

    fn record(self, event: &'static str, session: &str, at: &str) -> ShipRecord {
        ShipRecord { event, at: at.to_owned(), session: session.to_owned(), attributes: self.0 }
    }
}

impl ShipRecord {
    /// Whether it says this by itself.
    pub(super) fn has(&self, name: &str) -> bool {
        self.attributes.iter().any(|(own, _)| *own == name)
    }

    /// The record as one flat object.
    pub fn flat(&self, shared: &SharedAttributes) -> Value {
        let head = [("event", json!(self.event)), ("at", json!(self.at))];
        let all = head.iter().chain(shared).chain(&self.attributes);
        Value::Object(all.map(|(name, value)| ((*name).to_owned(), value.clone())).collect())
    }

    /// Adds the record as OTLP's JSON has it. Older receivers know of no event names, and read the body.
    fn otlp(&self, out: &mut Vec<u8>) {
        let event = self.event;
        let nanos = since_1970(&self.at).unwrap_or_default().saturating_mul(1_000_000);
        out.extend(b"{\"attributes\":");
        add_attributes(out, self.attributes.iter().map(|(name, value)| (*name, value)));
        let rest = format!(
            ",\"body\":{{\"stringValue\":\"{event}\"}},\"eventName\":\"{event}\",\"severityNumber\":13,\
             \"severityText\":\"WARN\",\"timeUnixNano\":\"{nanos}\"}}"
        );
        out.extend(rest.as_bytes());
    }
}

/// Adds attributes as OTLP's JSON has them: numbers of 64 bits are text there.
fn add_attributes<'v>(out: &mut Vec<u8>, attributes: impl Iterator<Item = (&'v str, &'v Value)>) {
    out.push(b'[');
    for (number, (key, value)) in attributes.enumerate() {
        out.extend(if number > 0 { b",{\"key\":".as_slice() } else { b"{\"key\":" });
        add_text(out, key);
        out.extend(b",\"value\":{");
        match value {
            Value::Bool(_) => out.extend(b"\"boolValue\":"),
            Value::Number(it) if it.is_f64() => out.extend(b"\"doubleValue\":"),
            Value::Number(_) => out.extend(b"\"intValue\":"),
            Value::Object(_) => out.extend(b"\"kvlistValue\":{\"values\":"),
            _ => out.extend(b"\"stringValue\":"),
        }
        match value {
            Value::String(it) => add_text(out, it),
            Value::Number(it) if !it.is_f64() => add_text(out, &it.to_string()),
            Value::Bool(_) | Value::Number(_) => out.extend(value.to_string().as_bytes()),
            Value::Object(it) => {
                // One within another: the compiler must not unfold them without an end.
                let inner: &mut dyn Iterator<Item = _> = &mut it.iter().map(|(name, value)| (name.as_str(), value));
                add_attributes(out, inner);
                out.push(b'}');
            }
            other => add_text(out, &other.to_string()),
        }
        out.extend(b"}}");
    }
    out.push(b']');
}

fn add_text(out: &mut Vec<u8>, text: &str) {
    if text.bytes().any(|byte| byte < b' ' || byte == b'"' || byte == b'\\') {
        // Into memory, texts can always be written.
        let _ = serde_json::to_writer(out, text);
    } else {
        out.push(b'"');
        out.extend(text.as_bytes());
        out.push(b'"');
    }
}

/// A request: what the collector's file receiver reads as one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogsRequest {
    /// The JSON.
    pub body: String,
    /// How many records it has.
    pub records: usize,
}

/// Puts records into requests of at most 512 KB, those of one resource together.
#[derive(Debug, Default)]
pub struct RequestMaker {
    shared: SharedAttributes,
    /// The request as far as it is made, without the ends of its last resource and of itself, and without what was given out.
    body: Vec<u8>,
    given_out: usize,
    /// The record that comes next, in the place of the one before.
    next: Vec<u8>,
    records: usize,
}

/// What ends a resource.
const RESOURCE_END: &[u8] = b"]}]}";
/// What ends a request behind its last resource.
const REQUEST_END: &[u8] = b"]}";

impl RequestMaker {
    /// Takes a record in, and gives the request that it did not fit into any more.
    pub fn add(&mut self, record: &ShipRecord, shared: &SharedAttributes) -> Option<LogsRequest> {
        self.next.clear();
        record.otlp(&mut self.next);
        let made = self.given_out + self.body.len();
        let is_full = made + self.next.len() + RESOURCE_END.len() + REQUEST_END.len() > LARGEST_REQUEST;
        let full = if is_full { self.finish() } else { None };
        if self.records == 0 || self.shared != *shared {
            self.shared.clone_from(shared);
            self.begin_resource();
        } else {
            self.body.push(b',');
        }
        self.body.extend(&self.next);
        self.records += 1;
        full
    }

    /// Gives out what is made of the request that goes on: whoever only writes need not hold it.
    pub fn give_out(&mut self, out: &mut impl Write) -> io::Result<()> {
        self.given_out += self.body.len();
        out.write_all(&self.body)?;
        self.body.clear();
        Ok(())
    }

    /// The last request; None where there is nothing in it.
    pub fn finish(&mut self) -> Option<LogsRequest> {
        self.given_out = 0;
        let records = std::mem::take(&mut self.records);
        let mut body = std::mem::take(&mut self.body);
        body.extend([RESOURCE_END, REQUEST_END].concat());
        (records > 0).then(|| LogsRequest { body: String::from_utf8(body).unwrap_or_default(), records })
    }

    fn begin_resource(&mut self) {
        let Self { body, shared, records, .. } = self;
        if *records == 0 {
            body.extend(b"{\"resourceLogs\":[");
        } else {
            body.extend(RESOURCE_END);
            body.push(b',');
        }
        body.extend(b"{\"resource\":{\"attributes\":");
        add_attributes(body, shared.iter().map(|(name, value)| (*name, value)));
        let scope = concat!("{\"name\":\"failwise\",\"version\":\"", env!("CARGO_PKG_VERSION"), "\"}");
        body.extend(format!("}},\"scopeLogs\":[{{\"scope\":{scope},\"logRecords\":[").as_bytes());
    }
}
