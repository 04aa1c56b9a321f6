//! Which category a failed case is: an ordered table, the first row that holds decides. A case's first line says what
//! happened; the lines after it are asked only where that one says nothing, and those that only say where never.

use super::category::FailureCategory;
use crate::reading::http_status;
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
    /// The same in lower case.
    lower: &'a str,
}

impl AskedCase<'_> {
    fn says(&self, words: &[&str]) -> bool {
        words.iter().any(|word| stands_in(self.lower, word))
    }

    fn status(&self) -> Option<u16> {
        self.failure.status.or_else(|| http_status(self.line))
    }
}

/// The table. Its order is the contract's, and the only priority.
pub const RULES: &[ArgusRule] = &[
    // A process that is killed for want of memory leaves 128 and the number of SIGKILL.
    row("container-oom", FailureCategory::ContainerOom, |asked| {
        asked.failure.oom_killed || asked.says(&["oomkilled", "oom killed", "oom-killed"]) || ends_with_137(asked.lower)
    }),
    row("container-crash", FailureCategory::ContainerCrash, |asked| {
        matches!(asked.failure.container_status, Some("exited" | "dead"))
            || (asked.says(&["container", "containers"])
                && asked.says(&["exited", "dead", "crashed", "not running", "restarting"]))
    }),
    row("connection-refused", FailureCategory::ConnectionRefused, |asked| asked.says(CONNECTION_REFUSED)),
    row("timeout", FailureCategory::Timeout, |asked| asked.says(TIMEOUT)),
    row("network-error", FailureCategory::NetworkError, |asked| asked.says(NETWORK)),
    row("http-5xx", FailureCategory::HttpError, |asked| asked.status().is_some_and(|status| status / 100 == 5)),
    row("http-4xx", FailureCategory::HttpError, |asked| asked.status().is_some_and(|status| status / 100 == 4)),
    row("mock-mismatch", FailureCategory::MockMismatch, |asked| {
        asked.says(&["mock", "mocks", "mockserver", "wiremock", "nock", "msw"])
            && asked.says(&["unexpected", "unmatched", "unhandled"])
    }),
    row("config-error", FailureCategory::ConfigError, |asked| asked.says(CONFIG)),
    row("assertion-mismatch", FailureCategory::AssertionMismatch, |asked| asked.says(ASSERTION)),
];

const fn row(name: &'static str, category: FailureCategory, holds: fn(&AskedCase<'_>) -> bool) -> ArgusRule {
    ArgusRule { name, category, holds }
}

const CONNECTION_REFUSED: &[&str] = &[
    "econnrefused",
    "connection refused",
    "connectionrefused",
    "connectionrefusederror",
    "refused to connect",
    "actively refused",
    // As Chromium and Firefox name it.
    "err_connection_refused",
    "ns_error_connection_refused",
];

const TIMEOUT: &[&str] = &[
    "timeout",
    "timed out",
    "time-out",
    "etimedout",
    "esockettimedout",
    "timeouterror",
    "timeoutexception",
    "timeoutexpired",
    "sockettimeoutexception",
    "readtimeout",
    "readtimeouterror",
    "connecttimeout",
    "connecttimeouterror",
    "deadline exceeded",
    "err_timed_out",
    "err_connection_timed_out",
    "ns_error_net_timeout",
];

const NETWORK: &[&str] = &[
    "enotfound",
    "eai_again",
    "enetunreach",
    "ehostunreach",
    "econnreset",
    "connection reset",
    "connectionreseterror",
    "getaddrinfo",
    "unknownhostexception",
    "name or service not known",
    "temporary failure in name resolution",
    "could not resolve host",
    "network is unreachable",
    "network error",
    "no route to host",
    "no such host",
    "socket hang up",
    "err_name_not_resolved",
    "err_connection_reset",
    "err_internet_disconnected",
    "ns_error_unknown_host",
    "ns_error_net_reset",
];

const CONFIG: &[&str] = &[
    "config",
    "configuration",
    "configerror",
    "configurationerror",
    "config.json",
    "config.toml",
    "config.yaml",
    "config.yml",
    "yaml",
    "yamlerror",
    "validation",
    "validationerror",
    "schema",
    "schemaerror",
];

const ASSERTION: &[&str] = &[
    "expected",
    "to equal",
    "to match",
    "assertionerror",
    "assertionfailederror",
    "comparisonfailure",
    "assertion",
    "asserting",
    "assert",
    "but was",
];

/// Classifies a failed case.
pub fn classify(failure: &CaseFailure<'_>) -> ClassifiedCase {
    let all = || failure.error.lines().take(LINES).filter(|line| !line.trim().is_empty());
    let mut lines = all().filter(|line| !says_where(line)).map(shown).filter(|line| !line.is_empty());
    let decided = |line: &str, failure: &CaseFailure<'_>| {
        let asked = AskedCase { failure: *failure, line, lower: &line.to_lowercase() };
        RULES.iter().position(|rule| (rule.holds)(&asked))
    };
    let Some(first) = lines.next() else {
        // Nothing says what happened. Where it did tells the case from others, and no more.
        let line = all().next().map(shown).unwrap_or_default();
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
fn shown(line: &str) -> String {
    one_line(line, LONGEST_LINE)
}

/// Whether a line says where, and not what: a frame of a stack, or what Rust and bats put in front of a message.
fn says_where(line: &str) -> bool {
    let line = line.trim_start();
    let numbered = line.split_once(": ").is_some_and(|(number, rest)| {
        !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) && rest.contains("::")
    });
    // Before Rust 1.73 the message stood in the same line.
    let panicked = line.strip_prefix("thread '").and_then(|rest| rest.split_once(" panicked at "));
    line.strip_prefix("at ").is_some_and(is_place)
        || ["File \"", "❯ ", "(in test file ", "(from function `", "in test file "]
            .iter()
            .any(|it| line.starts_with(it))
        || panicked.is_some_and(|(_, rest)| !rest.starts_with(['\'', '`']))
        || numbered
}

/// Whether what follows an `at` is a place in code, such as `run (/app/a.js:1:1)`, `C.m(C.java:12)`, `/app/a.js:1:1` or
/// `C.M() in /app/C.cs:line 12`, and no sentence.
fn is_place(text: &str) -> bool {
    let text = text.trim_end();
    let is_called = text.strip_suffix(')').and_then(|text| text.rsplit_once('(')).is_some_and(|(called, inside)| {
        !called.contains(' ')
            || inside.contains(':')
            || inside.starts_with("index ")
            || matches!(inside, "native" | "<anonymous>")
    });
    let word = text.strip_prefix("async ").unwrap_or(text);
    let is_file =
        !word.contains(' ') && (word.contains(['/', '\\']) || word.starts_with("node:") || word == "<anonymous>");
    is_called || is_file || text.contains(":line ")
}

/// Whether words stand in a text as words: no part of a longer one, of a path, or of a file's name.
fn stands_in(text: &str, words: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(words).any(|(at, found)| {
        let (before, after) = (text.get(..at).unwrap_or_default(), text.get(at + found.len()..).unwrap_or_default());
        let mut next = after.chars();
        let goes_on = match next.next() {
            None => false,
            // `timeout.json` is a file, `Timeout.run` a function; `config.yaml/x` and `timeout/x` are folders.
            Some('.') => next.next().is_some_and(|c| !c.is_whitespace()),
            Some(c) => is_part(c) || matches!(c, '/' | '\\'),
        };
        let is_file = words.contains('.');
        let begun = before.ends_with(is_part) || (!is_file && before.ends_with(['/', '\\']));
        !begun && !goes_on
    })
}

/// Whether a process ended with 137.
fn ends_with_137(text: &str) -> bool {
    let ends = [
        "exit code 137",
        "exit code: 137",
        "exit status 137",
        "exited with code 137",
        "exited with 137",
        "exited (137)",
        "exit 137",
    ];
    ends.iter().any(|end| {
        text.match_indices(end).any(|(at, found)| {
            let after = text.get(at + found.len()..).unwrap_or_default();
            !after.starts_with(|c: char| c.is_ascii_digit())
        })
    })
}
