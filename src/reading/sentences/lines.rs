//! Which lines of a text its program says itself.

use super::places::names_place;

/// How many lines at each end of a text are looked at.
const ENDS: usize = 60;
/// How many lines with an error mark are read.
const MARKED: usize = 10;

/// How the lines of an error begin, in lower case.
const MARKS: &[&str] = &[
    "error",
    "err:",
    "err!",
    "fatal",
    "failed",
    "failure",
    "fail:",
    "panic",
    "exception",
    "uncaught",
    "unhandled",
    "critical",
    "crit",
    "emerg",
    "abort",
    "unable",
    "cannot",
    "can't",
    "can not",
    "could not",
    "couldn't",
    "invalid",
    "unknown",
    "unrecognized",
    "missing",
    "no such",
    "unexpected",
    "usage error",
    "caused by",
    "reason:",
    "e:",
    "✖",
    "✗",
    "✘",
    "×",
    "❌",
    "⨯",
    "■",
    "🚨",
    "💥",
    "!",
    "[error",
    "[err",
    "[fatal",
    "[fail",
    "(error",
    "x ",
    "[x]",
    "problem",
    "oops",
    "sorry",
    "not ",
    "level=error",
    "level=fatal",
];

/// What makes a line an error's wherever it stands near the line's beginning.
const INSIDE: &[&str] =
    &["error:", "error -", "error]", "exception:", " fatal:", " error ", " err ", "failure:", "failed:", ": error"];

/// How near.
const NEAR_START: usize = 60;

/// How the lines of logs, tests, quotations and frames begin, in lower case.
const FOREIGN: &[&str] = &[
    "ok ",
    "pass",
    "✓",
    "✔",
    "√",
    "#",
    "warn",
    "[warn",
    "info",
    "[info",
    "debug",
    "[debug",
    "trace",
    "level=warn",
    "level=info",
    "level=debug",
    "expected",
    "actual",
    "+ ",
    "- ",
    "> ",
    "| ",
    "│",
    "at ",
    "file \"",
    "traceback",
    "hint:",
    "note:",
    "help:",
    "see ",
    "for more",
    "npm warn",
    "npm notice",
    "=== ",
    "--- ",
    "exit code",
    "running ",
    "collected ",
    "^",
    "~",
    "...",
    "downloading",
    "installing",
    "collecting",
    "using ",
    "loading",
    "reading",
    "success",
    "done",
    "info:",
];

/// What stands in a line of a log that tells of no error.
const LOGGED: &[&str] =
    &[" warn ", " warning ", " info ", " debug ", " [warn", " [info", " level=warn", " level=info", "warning:"];

/// The lines that the program says itself: those with an error mark, the one above the usage, the first, the last three.
pub(super) fn spoken(text: &str) -> impl Iterator<Item = &str> {
    let marked = complaints(text).take(MARKED);
    let above = above_usage(text);
    let first = text.lines().map(str::trim).find(|line| !line.is_empty());
    let last = text.lines().rev().map(str::trim).filter(|line| !line.is_empty()).take(3);
    let others = above.into_iter().chain(last).chain(first).filter(|line| is_own(line, &start_of(line)));
    marked.chain(others).map(shortened)
}

/// The program's own lines that begin as errors do.
pub(super) fn complaints(text: &str) -> impl Iterator<Item = &str> {
    ends(text).filter(|line| {
        let start = start_of(line);
        is_marked(&start) && is_own(line, &start)
    })
}

/// The lines at both ends of a text.
fn ends(text: &str) -> impl Iterator<Item = &str> {
    ends_as_printed(text).map(unboxed)
}

/// A line without the frame that some programs draw around an error.
fn unboxed(line: &str) -> &str {
    let inner = line.strip_prefix('│').and_then(|rest| rest.strip_suffix('│'));
    inner.or_else(|| line.strip_prefix('┃')?.strip_suffix('┃')).map_or(line, str::trim)
}

fn ends_as_printed(text: &str) -> impl Iterator<Item = &str> {
    let head = text.lines().take(ENDS);
    let seen = head.clone().map(|line| line.len() + 1).sum::<usize>();
    let rest = text.get(seen.min(text.len())..).unwrap_or_default();
    let skipped = rest.rmatch_indices('\n').nth(ENDS).map_or(0, |(at, _)| at + 1);
    head.chain(rest.get(skipped..).unwrap_or_default().lines()).map(str::trim).filter(|line| !line.is_empty())
}

/// The longest part of a line that is read.
const LONGEST: usize = 400;

fn shortened(line: &str) -> &str {
    line.get(..line.floor_char_boundary(LONGEST)).unwrap_or(line)
}

/// How a line begins, in lower case.
fn start_of(line: &str) -> String {
    line.get(..line.floor_char_boundary(NEAR_START)).unwrap_or(line).to_ascii_lowercase()
}

/// Whether an error is told by the line that begins so.
fn is_marked(start: &str) -> bool {
    MARKS_BY_BYTE.any_begins(start) || has_pair(start, INSIDE_PAIRS) && INSIDE.iter().any(|mark| start.contains(mark))
}

/// Whether it is no line of a log, a test, a quotation or a frame. `start`: how it begins, by [`start_of`].
fn is_own(line: &str, start: &str) -> bool {
    let is_code = || {
        let rest = start.trim_start_matches(|c: char| c.is_ascii_digit());
        rest.len() < start.len() && rest.trim_start().starts_with(['|', '│'])
    };
    let is_logged = || has_pair(start, LOGGED_PAIRS) && LOGGED.iter().any(|word| start.contains(word));
    !FOREIGN_BY_BYTE.any_begins(start)
        && (!is_logged() || start.contains("http 4") || start.contains("http 5"))
        && !is_code()
        && line.chars().any(char::is_alphabetic)
}

/// Beginnings of lines, and with which bytes one of them begins: nearly no line has to be compared with any.
struct Beginnings {
    all: &'static [&'static str],
    bytes: [u64; 4],
}

impl Beginnings {
    const fn of(all: &'static [&'static str]) -> Self {
        let mut bytes = [0; 4];
        let mut at = 0;
        while at < all.len() {
            let byte = all[at].as_bytes()[0] as usize;
            bytes[byte / 64] |= 1 << (byte % 64);
            at += 1;
        }
        Self { all, bytes }
    }

    fn any_begins(&self, line: &str) -> bool {
        let Some(byte) = line.bytes().next().map(usize::from) else { return false };
        self.bytes.get(byte / 64).is_some_and(|word| word >> (byte % 64) & 1 == 1)
            && self.all.iter().any(|start| line.starts_with(start))
    }
}

static MARKS_BY_BYTE: Beginnings = Beginnings::of(MARKS);
static FOREIGN_BY_BYTE: Beginnings = Beginnings::of(FOREIGN);

/// One of these stands in each of `INSIDE`.
const INSIDE_PAIRS: &[[u8; 2]] = &[*b"er", *b"xc", *b"fa"];
/// One of these stands in each of `LOGGED`.
const LOGGED_PAIRS: &[[u8; 2]] = &[*b"wa", *b"nf", *b"bu"];

fn has_pair(line: &str, pairs: &[[u8; 2]]) -> bool {
    line.as_bytes().windows(2).any(|two| pairs.iter().any(|pair| two == pair))
}

/// The last line before the usage that is no blank.
fn above_usage(text: &str) -> Option<&str> {
    let (before, _) = text.split_once(usage_line(text)?)?;
    before.lines().rev().map(str::trim).find(|line| !line.is_empty())
}

fn usage_line(text: &str) -> Option<&str> {
    ends(text).find(|line| is_usage(line))
}

fn is_usage(line: &str) -> bool {
    ["Usage:", "usage:", "USAGE:", "USAGE", "Usage: ", "SYNOPSIS"]
        .iter()
        .any(|word| line.strip_prefix(word).is_some_and(|rest| rest.is_empty() || word.ends_with([':', ' '])))
}

/// The line that best stands for a usage text.
pub(super) fn shows_usage(text: &str) -> Option<&str> {
    let usage = usage_line(text)?;
    Some(above_usage(text).filter(|line| is_own(line, &start_of(line))).unwrap_or(usage))
}

/// What a closing line counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counted<'t> {
    /// Tests that failed.
    Tests(&'t str),
    /// Findings in files that stand above.
    Findings(&'t str),
}

/// How many of the last lines may be a run's result.
const RESULTS: usize = 12;

/// The result that a run of tests or of a linter closes with.
pub(super) fn counted(text: &str, checks: bool) -> Option<Counted<'_>> {
    let last = || text.lines().rev().map(str::trim).filter(|line| !line.is_empty()).take(RESULTS);
    if let Some(line) = last().find(|line| counts_failed_tests(line)) {
        return Some(Counted::Tests(line));
    }
    if checks && is_diff(text) {
        return ends(text).next().map(Counted::Findings);
    }
    let place = ends(text).find(|line| names_place(line))?;
    last().find(|line| counts_findings(line) && !names_place(line)).or(checks.then_some(place)).map(Counted::Findings)
}

/// Where the text itself says that files were checked, or closes with a bare count below a list of crosses: that line.
/// `own`: the lines that the program says itself.
pub(super) fn says_it_checks<'t>(text: &'t str, own: &[&'t str]) -> Option<&'t str> {
    const WORDS: &[&str] =
        &["validation failed", "validation error", "failed validating", "error validating", "not formatted"];
    let mut last = text.lines().rev().map(str::trim).filter(|line| !line.is_empty()).take(2);
    let is_count = |line: &str| line.split_whitespace().count() <= 4 && counts_findings(line);
    let has_cross = || ends(text).any(|line| ["✖ ", "✗ ", "✘ ", "× "].iter().any(|cross| line.starts_with(cross)));
    let says = |line: &str| {
        let start = line.get(..line.floor_char_boundary(NEAR_START * 2)).unwrap_or(line).to_ascii_lowercase();
        WORDS.iter().any(|word| start.contains(word))
    };
    last.find(|line| is_count(line) && has_cross()).or_else(|| own.iter().copied().find(|line| says(line)))
}

/// Whether the text shows what would be changed: a formatter's answer.
fn is_diff(text: &str) -> bool {
    let begins = |start: &str| ends(text).any(|line| line.starts_with(start));
    begins("--- ") && begins("+++ ") && begins("@@ ")
}

const TESTS: &[&str] = &[
    "test",
    "tests",
    "spec",
    "specs",
    "check",
    "checks",
    "assertion",
    "assertions",
    "assertion(s)",
    "test(s)",
    "scenario",
    "scenarios",
    "example",
    "examples",
    "testcase",
    "testcases",
    "suite",
    "suites",
    "cases",
    "subtests",
    "unittest",
    "unittests",
    "success",
    "successes",
    "step",
    "steps",
    "pending",
];

/// Whether a line says that tests failed, and how many: `2/9 TESTS FAILED`, `Tests: 2 failed, 7 passed`, `3 failing`.
fn counts_failed_tests(line: &str) -> bool {
    // `ok 1 fails on error` is a test that passed.
    if !may_be_result(line) || line.starts_with("ok ") {
        return false;
    }
    let lower = line.to_ascii_lowercase();
    let words = words_of(&lower);
    let names_tests = words.iter().any(|word| TESTS.contains(word))
        || words.iter().any(|word| matches!(*word, "passed" | "passing" | "pass" | "ok" | "skipped"));
    // What is tested may stand between: `1/2 modules FAILED unittests`.
    let names_runs = words.iter().any(|word| TESTS.contains(word));
    let near = |at: usize| {
        let after =
            words.iter().skip(at + 1).take_while(|word| TESTS.contains(word) || is_count(word) || **word == "of");
        let next = at + 1 + after.count();
        let named = names_runs && words.get(at).is_some_and(|word| word.contains('/'));
        let next = if named && words.get(next).is_some_and(|word| !FAILS.contains(word)) { next + 1 } else { next };
        let before = |back: usize| at.checked_sub(back).and_then(|place| words.get(place));
        // The number before the word is its own: `0 failed, 9 passed`.
        let own = before(2).is_some_and(|word| word.bytes().all(|b| b.is_ascii_digit()));
        words.get(next).is_some_and(|word| FAILS.contains(word))
            || before(1).is_some_and(|word| FAILS.contains(word)) && !own
    };
    // Beside what passed and failed an error is a third way not to pass: `0 passed, 0 failed, 1 error`.
    let tells_all = words.contains(&"passed") && words.contains(&"failed");
    let errs = |at: usize| tells_all && words.get(at + 1).is_some_and(|word| matches!(*word, "error" | "errors"));
    let counts = |at: usize| words.get(at).is_some_and(|word| is_count(word));
    names_tests && (0..words.len()).any(|at| counts(at) && (near(at) || errs(at)))
}

const FAILS: &[&str] =
    &["failed", "failing", "failures", "failure", "fail", "fails", "broke", "broken", "errored", "unsuccessful"];

/// A longer line is no result.
const LONGEST_RESULT: usize = 160;

fn may_be_result(line: &str) -> bool {
    line.len() <= LONGEST_RESULT && line.bytes().any(|b| matches!(b, b'1'..=b'9'))
}

/// The words of a result, in lower case.
fn words_of(lower: &str) -> Vec<&str> {
    let signs = |c: char| c.is_whitespace() || ",:=();|[]".contains(c);
    lower.split(signs).map(|word| word.trim_matches(['.', '!', '*'])).filter(|word| !word.is_empty()).collect()
}

/// Whether a word is a number other than zero; of `2/9` the first.
fn is_count(word: &str) -> bool {
    let number = word.split('/').next().unwrap_or(word);
    number.bytes().all(|b| b.is_ascii_digit()) && number.bytes().any(|b| b != b'0')
}

/// Whether a line counts what a checker found: `3 problems found`, `found 2 errors`, `2 issues`.
fn counts_findings(line: &str) -> bool {
    const KINDS: &[&str] = &[
        "problem",
        "error",
        "warning",
        "issue",
        "offense",
        "violation",
        "finding",
        "style",
        "defect",
        "lint",
        "suggestion",
        "message",
        "result",
    ];
    if !may_be_result(line) {
        return false;
    }
    let lower = line.to_ascii_lowercase();
    let words = words_of(&lower);
    let is_kind = |word: &&str| KINDS.contains(&word.trim_end_matches("(s)").trim_end_matches('s'));
    let counts =
        |at: usize| words.get(at).is_some_and(|word| is_count(word)) && words.iter().skip(at + 1).take(3).any(is_kind);
    (0..words.len()).any(counts)
}

/// The question that a program put to nobody before it gave up.
pub(super) fn prompt(text: &str) -> Option<&str> {
    let mut last = text.lines().rev().map(str::trim).filter(|line| !line.is_empty());
    let gave_up = last.next()?;
    let asked = last.next()?;
    let is_end = ["aborted", "cancelled", "canceled", "abort", "eof"]
        .iter()
        .any(|word| gave_up.trim_end_matches(['!', '.']).eq_ignore_ascii_case(word));
    (is_end && asked.ends_with([':', '?', ']', '>'])).then_some(asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_tests() {
        for line in [
            "2/9 TESTS FAILED",
            "Tests: 2 failed, 7 passed",
            "1 test failed",
            "3 failing tests",
            "FAILED (failures=2) of 5 tests",
            "5 tests, 1 failure",
            "3 of 12 scenarios broke",
            "passed: 3 failed: 2",
            "1/2 modules FAILED unittests",
            "0 scenarios passed, 0 failed, 1 error, 0 skipped",
        ] {
            assert!(counts_failed_tests(line), "{line}");
        }
        for line in [
            "0 tests failed",
            "9 passed, 0 failed",
            "0 failed, 478 passed, 478 total",
            "2 hosts failed",
            "3 scenarios passed, 0 failed, 0 errors, 1 skipped",
            "2 tests passed on 1 error page",
            "the test failed",
            "5 passed",
        ] {
            assert!(!counts_failed_tests(line), "{line}");
        }
    }

    #[test]
    fn findings_need_places() {
        assert_eq!(counted("a.md:3 - too long\n1 problem found", false), Some(Counted::Findings("1 problem found")));
        assert_eq!(counted("all is well\n1 problem found", false), None);
        assert_eq!(counted("a.md:3 - too long\n0 problems found", false), None);
    }

    #[test]
    fn each_mark_has_its_pair() {
        assert!(INSIDE.iter().all(|mark| has_pair(mark, INSIDE_PAIRS)));
        assert!(LOGGED.iter().all(|word| has_pair(word, LOGGED_PAIRS)));
    }

    #[test]
    fn only_own_lines_are_read() {
        let text = "2024-01-01 INFO connection refused\n✓ says unknown option\n> unknown option\n 12 | unknown option\nall is well\n";
        assert_eq!(spoken(text).collect::<Vec<_>>(), ["all is well"]);
    }
}
