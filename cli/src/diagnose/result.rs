//! The `DiagnoseResult` object, schema 1.0: six fields, eleven a match, no more.

use std::sync::OnceLock;

use serde::Serialize;

use crate::model::Trace;
use crate::redact::{redact_printed, trace_without_secrets};
use crate::text::one_line;

use super::pages::{ModePage, page};
use super::say::{memory, rule, workaround};
use super::{Mode, ModeFinding, TraceDiagnosis, is_told};

/// The version of the object's shape.
pub const SCHEMA_VERSION: &str = "1.0";

/// What the command prints, whatever comes in.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DiagnoseResult {
    /// [`SCHEMA_VERSION`].
    pub schema_version: &'static str,
    /// The modes, by confidence.
    pub matches: Vec<Match>,
    /// Something was looked at, and no mode was met.
    pub no_match: bool,
    /// There was nothing to look at.
    pub trace_insufficient: bool,
    /// What to add; not empty exactly where the trace was insufficient.
    pub suggested_context: Vec<String>,
    /// The trace in one line.
    pub trace_summary: String,
}

/// One mode.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Match {
    /// Its number.
    pub failure_mode_id: u8,
    /// Its title.
    pub title: &'static str,
    /// From 0 to 1.
    pub confidence: f64,
    /// One sentence: what in the trace is the sign of it; of several calls, in which.
    pub evidence: String,
    /// What to do now: the working form of this command, then the page's section.
    pub workaround: String,
    /// One sentence about this program and subcommand.
    pub memory: String,
    /// A rule for this program, wider than this call.
    pub skill_patch: String,
    /// `critical`, `high`, `medium`.
    pub severity: &'static str,
    /// The taxonomy's page, from the root of its repository.
    pub spec_link: &'static str,
    /// When the workaround does not help.
    pub limitation: String,
    /// `deterministic`, or `llm` where a model confirmed it.
    pub source: ResultSource,
    /// Whether it stands in a call's way, and a form of this program's own is known.
    #[serde(skip)]
    pub is_told: bool,
}

/// Who says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ResultSource {
    /// A row of the table.
    Deterministic,
    /// A row of the table, and a model that was asked.
    Llm,
}

impl DiagnoseResult {
    /// The object of a diagnosis. `confirmed`: candidates that a model confirmed, with its score from 0 to 1.
    pub fn of(diagnosis: &TraceDiagnosis, confirmed: &[(ModeFinding, f64)]) -> Self {
        let sure = |finding: &ModeFinding| f64::from(finding.percent) / 100.0;
        let own = diagnosis.findings.iter().map(|finding| (finding, sure(finding), ResultSource::Deterministic));
        let asked = confirmed.iter().map(|(finding, score)| (finding, *score, ResultSource::Llm));
        let of_call = |(finding, confidence, source)| Match::of(finding, diagnosis.calls, confidence, source);
        let mut matches: Vec<Match> = own.chain(asked).map(of_call).collect();
        let rank = |m: &Match| Mode::of(m.failure_mode_id).map(Mode::severity);
        matches.sort_by(|a, b| {
            b.confidence
                .total_cmp(&a.confidence)
                .then(rank(a).cmp(&rank(b)))
                .then(a.failure_mode_id.cmp(&b.failure_mode_id))
        });
        let insufficient = matches.is_empty() && !diagnosis.missing.is_empty();
        Self {
            schema_version: SCHEMA_VERSION,
            no_match: matches.is_empty() && !insufficient,
            trace_insufficient: insufficient,
            suggested_context: if insufficient { diagnosis.missing.clone() } else { Vec::new() },
            trace_summary: diagnosis.summary.clone(),
            matches,
        }
    }

    /// The object where there was nothing to look at, with what is to be done about it.
    pub fn insufficient(hint: &str) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            matches: Vec::new(),
            no_match: false,
            trace_insufficient: true,
            suggested_context: vec![one_line(&redact_printed(hint), 600)],
            trace_summary: "0 commands, 0 failures, 0 retries — no call could be read".to_owned(),
        }
    }
}

impl Match {
    /// `calls`: how many the trace has. Of several the match names its own.
    fn of(finding: &ModeFinding, calls: usize, confidence: f64, source: ResultSource) -> Self {
        let ModeFinding { mode, words, .. } = finding;
        let mode = *mode;
        let advice = ResultAdvice::of(mode);
        let form = words.form(mode);
        let evidence = match calls {
            ..=1 => finding.evidence.clone(),
            _ => format!("Call {} of {calls}, `{}`: {}", finding.call + 1, words.name(), finding.evidence),
        };
        Self {
            failure_mode_id: mode.id(),
            title: mode.title(),
            confidence,
            evidence,
            workaround: workaround(mode, words, form, advice.map_or("", |advice| advice.workaround)),
            memory: memory(mode, words, form),
            skill_patch: rule(mode, words, form),
            severity: mode.severity().as_str(),
            spec_link: mode.link(),
            limitation: advice.map(|advice| advice.limitation.clone()).unwrap_or_default(),
            source,
            is_told: form.is_some() && is_told(mode),
        }
    }
}

/// What the page of a mode says for every call.
struct ResultAdvice {
    workaround: &'static str,
    /// On one line.
    limitation: String,
}

impl ResultAdvice {
    /// That of a mode; its page is looked through once a process.
    fn of(mode: Mode) -> Option<&'static Self> {
        static KNOWN: [OnceLock<Option<ResultAdvice>>; 256] = [const { OnceLock::new() }; 256];
        KNOWN.get(usize::from(mode.id()))?.get_or_init(|| page(mode.id()).map(Self::on)).as_ref()
    }

    fn on(page: &'static ModePage) -> Self {
        let limitation = page.section("Limitation").split_whitespace().collect::<Vec<_>>().join(" ");
        Self { workaround: page.section("Agent workaround"), limitation }
    }
}

/// What is found in a trace. A line is picked from what was redacted as a whole: alone it does not have the name on the line
/// before.
pub fn without_secrets(trace: &Trace<'_>, diagnose: fn(&Trace<'_>) -> TraceDiagnosis) -> TraceDiagnosis {
    let mut diagnosis = diagnose(trace);
    if let Some(clean) = trace_without_secrets(trace) {
        quote_from(&mut diagnosis, &diagnose(&clean));
    }
    diagnosis
}

/// Takes the evidence of each finding from the same one of a trace without secrets; of one that is not there no line is quoted.
fn quote_from(diagnosis: &mut TraceDiagnosis, clean: &TraceDiagnosis) {
    for finding in diagnosis.findings.iter_mut().chain(&mut diagnosis.candidates) {
        let is_same = |other: &&ModeFinding| other.mode == finding.mode && other.call == finding.call;
        let same = clean.findings.iter().chain(&clean.candidates).find(is_same);
        finding.evidence = match (same, finding.evidence.find('`').zip(finding.evidence.rfind('`'))) {
            (Some(same), _) => same.evidence.clone(),
            (None, Some((from, until))) if from < until => {
                [&finding.evidence[..from], "`[redacted]`", &finding.evidence[until + 1..]].concat()
            }
            (None, _) => finding.evidence.clone(),
        };
    }
}
