//! Which category a failed case is: an ordered table, the first row that holds decides. A case's first line says what
//! happened; the lines after it are asked only where that one says nothing, and those that only say where never.

use super::category::FailureCategory;
use crate::reading::{CaseSign, CaseSign as S, case_signs, http_status, says_where};
use crate::text::one_line;

/// The longest line that is looked at, in characters.
const LONGEST_LINE: usize = 500;
/// The most lines that are looked at.
const LINES: usize = 64;

/// What is known of a failed case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CaseFailure<'a> {
    /// What the result file says of it.
    pub error: &'a str,
    /// The status of the answer that it is about, where the result file names one.
    pub status: Option<u16>,
    /// The state of the container that it ran against, where the result file names one.
    pub container_status: Option<&'a str>,
    /// Whether the result file says that the container was killed for want of memory.
    pub oom_killed: bool,
}

/// A category, and what tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassifiedCase {
    /// The category.
    pub category: FailureCategory,
    /// The row that decided; None where none did.
    pub rule: Option<&'static str>,
    /// The line that decided; the first one where no line did.
    pub line: String,
}

/// A row of the table.
#[derive(Debug, Clone, Copy)]
pub struct ArgusRule {
    /// Its name.
    pub name: &'static str,
    /// What it decides.
    pub category: FailureCategory,
    /// Whether it holds.
    holds: fn(&AskedCase<'_>) -> bool,
}

/// What a row is asked about: what is known of the case, and one line of its error.
struct AskedCase<'a> {
    failure: CaseFailure<'a>,
    /// The line as it is shown.
    line: &'a str,
    /// What it speaks of.
    signs: Vec<CaseSign>,
}

impl AskedCase<'_> {
    fn has(&self, sign: CaseSign) -> bool {
        self.signs.contains(&sign)
    }

    fn status(&self) -> Option<u16> {
        self.failure.status.or_else(|| http_status(self.line))
    }
}

/// The table. Its order is the contract's, and the only priority.
pub const RULES: &[ArgusRule] = &[
    row("container-oom", FailureCategory::ContainerOom, |asked| asked.failure.oom_killed || asked.has(S::OutOfMemory)),
    row("container-crash", FailureCategory::ContainerCrash, |asked| {
        matches!(asked.failure.container_status, Some("exited" | "dead"))
            || asked.has(S::Container) && asked.has(S::Stopped)
    }),
    row("connection-refused", FailureCategory::ConnectionRefused, |asked| asked.has(S::Refused)),
    row("timeout", FailureCategory::Timeout, |asked| asked.has(S::TimedOut)),
    row("network-error", FailureCategory::NetworkError, |asked| asked.has(S::Unreached)),
    row("http-5xx", FailureCategory::HttpError, |asked| asked.status().is_some_and(|status| status / 100 == 5)),
    row("http-4xx", FailureCategory::HttpError, |asked| asked.status().is_some_and(|status| status / 100 == 4)),
    row("mock-mismatch", FailureCategory::MockMismatch, |asked| asked.has(S::Mock) && asked.has(S::Unforeseen)),
    row("config-error", FailureCategory::ConfigError, |asked| asked.has(S::Config)),
    row("assertion-mismatch", FailureCategory::AssertionMismatch, |asked| asked.has(S::Assertion)),
];

const fn row(name: &'static str, category: FailureCategory, holds: fn(&AskedCase<'_>) -> bool) -> ArgusRule {
    ArgusRule { name, category, holds }
}

/// Classifies a failed case.
pub fn classify(failure: &CaseFailure<'_>) -> ClassifiedCase {
    let all = || failure.error.lines().take(LINES).filter(|line| !line.trim().is_empty());
    let mut lines = all().filter(|line| !says_where(line)).map(evidence_line).filter(|line| !line.is_empty());
    let decided = |line: &str, failure: &CaseFailure<'_>| {
        let asked = AskedCase { failure: *failure, line, signs: case_signs(line) };
        RULES.iter().position(|rule| (rule.holds)(&asked))
    };
    let Some(first) = lines.next() else {
        // Nothing says what happened. Where it did tells the case from others, and no more.
        let line = all().next().map(evidence_line).unwrap_or_default();
        return ClassifiedCase::by(decided("", failure), line);
    };
    if let Some(row) = decided(&first, failure) {
        return ClassifiedCase::by(Some(row), first);
    }
    // The earliest row decides, and of its lines the first.
    let error = CaseFailure { error: failure.error, ..CaseFailure::default() };
    let rest = lines.filter_map(|line| Some((decided(&line, &error)?, line)));
    match rest.min_by_key(|(row, _)| *row) {
        Some((row, line)) => ClassifiedCase::by(Some(row), line),
        None => ClassifiedCase::by(None, first),
    }
}

impl ClassifiedCase {
    fn by(row: Option<usize>, line: String) -> Self {
        let rule = row.and_then(|row| RULES.get(row));
        let category = rule.map_or(FailureCategory::Unknown, |rule| rule.category);
        Self { category, rule: rule.map(|rule| rule.name), line }
    }
}

/// A line without escape sequences and hidden signs.
fn evidence_line(line: &str) -> String {
    one_line(line, LONGEST_LINE)
}
