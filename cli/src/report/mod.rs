//! What an [`Analysis`] says, for people: a page, Markdown, a table, or a few lines of text. Values in, text out.
//!
//! Every text that came out of a session passes [`one_line`] before it is written, so
//! that no control, escape or invisible character of it reaches a reader.

mod account;
mod anonymous;
mod brief;
mod compare;
mod csv;
mod hosts;
mod html;
mod linked;
mod markdown;
mod packed;
mod week;

pub use account::{AccountPart, AccountWeek, FailureAccount};
pub use anonymous::{anonymised, anonymised_rows, hidden_name};
pub use brief::{BriefLine, brief, digest, headline, overview, price, spent};
pub use compare::{ComparedSide, TimeComparison};
pub use csv::csv;
pub use hosts::{HostTotals, hosts};
pub use html::html;
pub use linked::LinkedCall;
pub use markdown::markdown;
pub use week::week;

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::ser::{Error, SerializeMap, SerializeSeq};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use self::account::{episodes_of, parted_episodes, projects_of};
use self::packed::Packer;
use crate::changes::ChangeAct;
use crate::model::{Cost, Money, Tool, ToolKind};
use crate::replay::{Analysis, EpisodeSummary, SessionSummary, SignatureSummary};
use crate::text::{many, one_line};

/// The longest text of a session that a report shows, in characters.
const TEXT: usize = 600;

/// One of the changes that would spare the most: they lead a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lesson {
    /// The change: 8 hexadecimal digits.
    pub id: String,
    /// Who acts, and where.
    pub act: ChangeAct,
    /// What is to be adopted: the line for CLAUDE.md, or the permission rule.
    pub adopt: String,
    /// The project and the change, as one sentence without its stop.
    pub line: String,
    /// What it rests on, as words.
    pub evidence: String,
    /// The same counted.
    #[serde(flatten)]
    pub counted: LessonEvidence,
    /// The failed calls among that.
    pub calls: Vec<String>,
}

/// What a lesson rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LessonEvidence {
    /// Failed or refused calls.
    pub failures: u64,
    /// Sessions that met it.
    pub sessions: u64,
    /// What that cost, as far as prices are known.
    pub money: Money,
}

impl LessonEvidence {
    /// In words: `3 failures in 2 sessions, $0.04`; with something before the money.
    pub fn said(self, act: ChangeAct, before_money: &str) -> String {
        let failures = match act {
            ChangeAct::Rule => many(self.failures, "refusal", "refusals"),
            _ => many(self.failures, "failure", "failures"),
        };
        let money = if self.money == Money::default() { String::new() } else { format!(", {}", self.money) };
        format!("{failures} in {}{before_money}{money}", many(self.sessions, "session", "sessions"))
    }
}

/// A failure that comes back on several machines of a team, and of which nobody knows a fix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TeamFailure {
    /// The first 8 hexadecimal digits of its fine signature.
    pub id: String,
    /// The fine signature.
    pub signature: String,
    /// How often it was met, here and on the other machines.
    pub failures: u64,
    /// How many tokens that cost.
    pub tokens: u64,
    /// The program, the category and the counts, as one sentence without its stop.
    pub line: String,
}

impl TeamFailure {
    /// The most that Markdown, the page and a week name.
    const MOST: usize = 3;

    /// All of it as one line.
    fn said(&self) -> String {
        format!("{} [{}]", self.line, self.id)
    }
}

/// What stands before an analysis in a report.
#[derive(Debug, Clone, Default)]
pub struct ReportLead {
    /// What costs all of the team, the costliest first.
    pub team: Vec<TeamFailure>,
    /// The changes to make.
    pub lessons: Vec<Lesson>,
    /// The failed calls, for the page alone.
    pub calls: Vec<LinkedCall>,
    /// What helped against failures before, by their fine signatures.
    pub fixes: BTreeMap<String, String>,
    /// The time before a moment beside that after it, where it is asked for.
    pub comparison: Option<TimeComparison>,
}

impl Lesson {
    /// The most that lead a report.
    pub const MOST: usize = 3;

    /// Those of several analyses as one list: what several say is one with all evidence, and the dearest come first.
    pub fn joined(mut parts: Vec<Vec<Self>>) -> Vec<Self> {
        if parts.len() < 2 {
            return parts.pop().unwrap_or_default();
        }
        let mut all: Vec<Self> = Vec::new();
        for lesson in parts.into_iter().flatten() {
            let Some(known) = all.iter_mut().find(|known| known.act == lesson.act && known.line == lesson.line) else {
                all.push(lesson);
                continue;
            };
            let (sum, more) = (&mut known.counted, lesson.counted);
            sum.failures = sum.failures.saturating_add(more.failures);
            sum.sessions = sum.sessions.saturating_add(more.sessions);
            sum.money = sum.money.plus(more.money);
            known.evidence = sum.said(known.act, "");
            known.calls.extend(lesson.calls);
        }
        all.sort_by_key(|it| std::cmp::Reverse((it.counted.money, it.counted.failures)));
        all.truncate(Self::MOST);
        all
    }

    /// All of it as one line.
    fn said(&self) -> String {
        format!("{}; {} [{}]", self.line, self.evidence, self.id)
    }
}

/// Writes an analysis as JSON whose texts can be shown anywhere.
///
/// # Errors
/// When it cannot be written.
pub fn json(analysis: &Analysis, lead: &ReportLead, mut out: impl Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut out, &Inert(analysis, lead, None))?;
    writeln!(out)
}

/// An analysis with every text on one line and without what hides or reorders text, and the changes that lead it; packed, where
/// that is asked for. It is written item by item: a large one need not be held a second time. Fields come in the order of their
/// names.
struct Inert<'a>(&'a Analysis, &'a ReportLead, Option<&'a RefCell<Packer>>);

impl Serialize for Inert<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(analysis, lead, packer) = *self;
        let mut fields = serializer.serialize_map(None)?;
        fields.serialize_entry("account", &InertItem(&FailureAccount::of(analysis), packer))?;
        if packer.is_some() {
            fields.serialize_entry("calls", &Items(&LinkedCall::fitting(analysis, lead), packer))?;
        }
        fields.serialize_entry("changes", &Items(&lead.lessons, packer))?;
        if let Some(comparison) = &lead.comparison {
            fields.serialize_entry("comparison", &InertItem(comparison, packer))?;
        }
        fields.serialize_entry("days", &Items(&analysis.days, packer))?;
        fields.serialize_entry("episodes", &Items(&parted_episodes(analysis), packer))?;
        fields.serialize_entry("failures", &Items(&analysis.failures, packer))?;
        let fixes = |it: &SignatureSummary| lead.fixes.get_key_value(&it.signature);
        let fixes: BTreeMap<_, _> = analysis.signatures.iter().filter_map(fixes).collect();
        if !fixes.is_empty() {
            fields.serialize_entry("fixes", &InertItem(&fixes, packer))?;
        }
        fields.serialize_entry("generated_from", &InertItem(&analysis.generated_from, packer))?;
        fields.serialize_entry("hosts", &Items(&hosts(analysis), packer))?;
        fields.serialize_entry("left_out", &InertItem(&analysis.left_out, packer))?;
        fields.serialize_entry("loops", &Items(&analysis.loops, packer))?;
        fields.serialize_entry("models", &Items(&analysis.models, packer))?;
        fields.serialize_entry("schema_version", &analysis.schema_version)?;
        fields.serialize_entry("sessions", &Items(&analysis.sessions, packer))?;
        fields.serialize_entry("signatures", &Items(&analysis.signatures, packer))?;
        fields.serialize_entry("skipped", &InertItem(&analysis.skipped, packer))?;
        if !lead.team.is_empty() {
            fields.serialize_entry("team", &Items(&lead.team, packer))?;
        }
        fields.serialize_entry("totals", &InertItem(&analysis.totals, packer))?;
        fields.end()
    }
}

/// A list of an analysis.
struct Items<'a, T>(&'a [T], Option<&'a RefCell<Packer>>);

impl<T: Serialize> Serialize for Items<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut items = serializer.serialize_seq(None)?;
        if self.1.is_some() && !self.0.is_empty() {
            items.serialize_element(&Packer::LIST)?;
        }
        self.0.iter().try_for_each(|item| items.serialize_element(&InertItem(item, self.1)))?;
        items.end()
    }
}

/// A value of an analysis.
struct InertItem<'a, T>(&'a T, Option<&'a RefCell<Packer>>);

impl<T: Serialize> Serialize for InertItem<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = inert(serde_json::to_value(self.0).map_err(S::Error::custom)?);
        let Some(packer) = self.1 else { return value.serialize(serializer) };
        packer.borrow_mut().pack(value).serialize(serializer)
    }
}

/// The same value with every text, names of fields included, on one line and without what hides or reorders text.
fn inert(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(one_line(&text, TEXT)),
        Value::Array(items) => Value::Array(items.into_iter().map(inert).collect()),
        Value::Object(fields) => {
            Value::Object(fields.into_iter().map(|(name, value)| (one_line(&name, TEXT), inert(value))).collect())
        }
        plain => plain,
    }
}

/// Checks that were not seen to pass, each once in a project by its newest episode, those that matter most first: a hidden one
/// looks as if it had passed; then the higher class, then the dearer.
fn unresolved(analysis: &Analysis) -> Vec<&EpisodeSummary> {
    let projects = projects_of(analysis);
    let mut newest: BTreeMap<_, &EpisodeSummary> = BTreeMap::new();
    for it in analysis.episodes.iter().filter(|it| it.ended.is_unresolved()) {
        let check = if it.operation.is_empty() { &it.id } else { &it.operation };
        let known = newest.entry((projects.get(it.session.as_str()), check)).or_insert(it);
        *known = if it.last_ts >= known.last_ts { it } else { *known };
    }
    let mut open: Vec<&EpisodeSummary> = newest.into_values().collect();
    open.sort_by_key(|it| std::cmp::Reverse((it.masked, it.class, dearness(it.booked))));
    open
}

/// Episodes, the dearest first.
fn dearest(analysis: &Analysis) -> Vec<&EpisodeSummary> {
    let mut episodes: Vec<&EpisodeSummary> = analysis.episodes.iter().collect();
    episodes.sort_by_key(|it| std::cmp::Reverse(dearness(it.booked)));
    episodes
}

/// By what one cost is dearer than another: the money; then, as where no price is known, the tokens, the time, the calls.
pub fn dearness(cost: Cost) -> (Money, u64, u64, u64) {
    (cost.money, cost.tokens.total(), cost.wall_ms, cost.calls)
}

/// Failures that were met in more than one session, those of most sessions first, then the dearest.
fn returning(analysis: &Analysis) -> Vec<&SignatureSummary> {
    let mut returning: Vec<_> = analysis.signatures.iter().filter(|it| it.sessions > 1).collect();
    returning.sort_by_key(|it| std::cmp::Reverse((it.sessions, dearness(it.cost))));
    returning
}

/// As much of a signature as reports print, in characters.
const SHOWN_ID: usize = 8;

fn session<'a>(analysis: &'a Analysis, id: &str) -> Option<&'a SessionSummary> {
    analysis.sessions.iter().find(|session| session.id == id)
}

/// The call of an episode as it was given, with its tool where that is no shell. Where nothing was given, the tool alone
/// or what the call comes down to.
pub fn call_of(episode: &EpisodeSummary) -> Cow<'_, str> {
    let (tool, input) = (episode.tool.as_str(), episode.input.trim());
    match (tool.is_empty() || Tool::named(tool).kind == ToolKind::Shell, input.is_empty()) {
        (true, false) => Cow::Borrowed(input),
        (true, true) => Cow::Borrowed(&episode.operation),
        (false, true) => Cow::Borrowed(tool),
        (false, false) => Cow::Owned(format!("{tool} {input}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn item_by_item_is_the_same_as_the_whole() {
        let session = SessionSummary { id: "a\u{202e}b\nc".to_owned(), ..SessionSummary::default() };
        let skipped = [("a\u{1b} copy".to_owned(), 2)].into_iter().collect();
        let analysis = Analysis { sessions: vec![session.clone(), session], skipped, ..Analysis::default() };
        let mut written = Vec::new();
        json(&analysis, &ReportLead::default(), &mut written).unwrap();
        let mut whole = inert(serde_json::to_value(&analysis).unwrap());
        whole["account"] = serde_json::to_value(FailureAccount::of(&analysis)).unwrap();
        whole["changes"] = Value::Array(Vec::new());
        whole["hosts"] = serde_json::to_value(hosts(&analysis)).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), serde_json::to_string_pretty(&whole).unwrap() + "\n");
        assert_eq!(whole["sessions"][1]["id"], "ab c");
        let lesson = Lesson {
            id: "8146".to_owned(),
            act: ChangeAct::Line,
            adopt: "b".to_owned(),
            line: "a\u{202e}b".to_owned(),
            evidence: "c\nd".to_owned(),
            counted: LessonEvidence { failures: 3, sessions: 2, ..LessonEvidence::default() },
            calls: Vec::new(),
        };
        let mut written = Vec::new();
        json(&analysis, &ReportLead { lessons: vec![lesson], ..ReportLead::default() }, &mut written).unwrap();
        whole["changes"] = serde_json::json!([{
            "act": "line", "adopt": "b", "calls": [], "evidence": "c d", "failures": 3, "id": "8146", "line": "ab",
            "money": 0.0, "sessions": 2,
        }]);
        assert_eq!(serde_json::from_slice::<Value>(&written).unwrap(), whole);
    }
}
