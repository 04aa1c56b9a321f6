//! Which lines of a text its program says itself.

use std::cell::OnceCell;

use super::places::names_place;
use crate::reading::question::asked_before_end;
use crate::reading::spoken::PASSED_OVER;
use crate::text::{begins_in_any_case, file_name};

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
const INSIDE: &[&str] = &[
    "error:",
    "error -",
    "error]",
    "exception:",
    " fatal:",
    " critical:",
    " error ",
    " err ",
    "failure:",
    "failed:",
    ": error",
    "level=error",
    "level=fatal",
];

/// How near.
const NEAR_START: usize = 60;

/// How the lines of logs, tests, quotations and frames begin besides [`PASSED_OVER`], in lower case.
#[rustfmt::skip]
const FOREIGN: &[&str] = &[
    "pass", "+ ", "- ", "> ", "| ", "│", "at ", "file \"", "traceback", "hint:", "note:", "help:", "see ", "for more",
    "npm warn", "npm notice", "=== ", "--- ", "exit code", "running ", "collected ", "^", "~", "...", "downloading",
    "installing", "collecting", "using ", "loading", "reading", "success", "done",
];

/// What stands in a line of a log that tells of no error.
const LOGGED: &[&str] =
    &[" warn ", " warning ", " info ", " debug ", " [warn", " [info", " level=warn", " level=info", "warning:"];

/// A text by its lines.
pub(super) struct Lines<'t> {
    text: &'t str,
    ends: OnceCell<Vec<&'t str>>,
    usage: OnceCell<Option<&'t str>>,
}

impl<'t> Lines<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        Self { text, ends: OnceCell::new(), usage: OnceCell::new() }
    }

    /// The lines that the program says itself: those with an error mark or its name, the one above the usage, the first, the
    /// last three. `ran`: whether a program of this name did.
    pub(super) fn spoken(&self, ran: &dyn Fn(&str) -> bool) -> impl Iterator<Item = &'t str> {
        let marked = self.complaints(ran).take(MARKED);
        let above = self.above_usage();
        let first = self.text.lines().map(str::trim).find(|line| !line.is_empty());
        let others =
            above.into_iter().chain(self.last().take(3)).chain(first).filter(|line| Start::of(line).is_own(line));
        marked.chain(others).map(shortened)
    }

    /// The program's own lines that begin as errors do, or with its name.
    pub(super) fn complaints(&self, ran: &dyn Fn(&str) -> bool) -> impl Iterator<Item = &'t str> {
        self.ends().iter().copied().filter(move |line| {
            let start = Start::of(line);
            (start.is_marked() || speaker(line).is_some_and(ran)) && start.is_own(line)
        })
    }

    /// The program's own lines with an error mark.
    pub(super) fn marked(&self) -> impl Iterator<Item = &'t str> {
        self.complaints(&|_| false)
    }

    /// The program's own lines, the very last first.
    pub(super) fn own_from_end(&self) -> impl Iterator<Item = &'t str> {
        self.last().filter(|line| Start::of(line).is_own(line))
    }

    /// The last line that has a letter or a digit.
    pub(super) fn last_word(&self) -> Option<&'t str> {
        self.last().find(|line| line.chars().any(char::is_alphanumeric))
    }

    /// The lines at both ends of the text, without blank ones.
    fn ends(&self) -> &[&'t str] {
        self.ends.get_or_init(|| ends_as_printed(self.text).map(unboxed).collect())
    }

    /// The last lines, the very last first, without blank ones.
    fn last(&self) -> impl Iterator<Item = &'t str> + use<'t> {
        self.text.lines().rev().map(str::trim).filter(|line| !line.is_empty())
    }

    /// The last line before the usage that is no blank.
    pub(super) fn above_usage(&self) -> Option<&'t str> {
        let (before, _) = self.text.split_once(self.usage()?)?;
        before.lines().rev().map(str::trim).find(|line| !line.is_empty())
    }

    fn usage(&self) -> Option<&'t str> {
        *self.usage.get_or_init(|| self.ends().iter().copied().find(|line| is_usage(line)))
    }

    /// Whether the text begins with how the program is used.
    pub(super) fn begin_with_usage(&self) -> bool {
        self.ends().first().is_some_and(|line| is_usage(line))
    }

    /// The line that best stands for a usage text.
    pub(super) fn shows_usage(&self) -> Option<&'t str> {
        let usage = self.usage()?;
        let own =
            self.above_usage().filter(|line| Start::of(line).is_own(line) && line.contains(char::is_alphanumeric));
        Some(self.marked().find(|line| *line != usage).or(own).unwrap_or(usage))
    }

    /// The result that a run of tests or of a linter closes with.
    pub(super) fn counted(&self, checks: bool) -> Option<Counted<'t>> {
        let last = || self.last().take(RESULTS);
        if let Some(line) = last().find(|line| counts_failed_tests(line)) {
            return Some(Counted::Tests(self.failed_case().unwrap_or(line)));
        }
        if checks && self.is_diff() {
            return self.ends().first().copied().map(Counted::Findings);
        }
        let finding = last().find(|line| counts_findings(line) && !names_place(line));
        if finding.is_none() && !checks {
            return None;
        }
        let mut places = self.ends().iter().copied().filter(|line| names_place(line));
        let first = places.next()?;
        let is_own = |line: &&str| Start::of(line).is_own(line);
        let place = std::iter::once(first).chain(places).find(is_own).unwrap_or(first);
        Some(Counted::Findings(finding.unwrap_or(place)))
    }

    /// The first line that names a test which did not pass.
    fn failed_case(&self) -> Option<&'t str> {
        self.ends().iter().copied().find(|line| names_failed_case(line))
    }

    /// The first line that begins with the word that marks a case as failed.
    pub(super) fn marked_case(&self) -> Option<&'t str> {
        self.ends().iter().copied().find(|line| marks_failed_case(line))
    }

    /// Whether one of the last lines counts what failed or was found.
    pub(super) fn closes_with_count(&self) -> bool {
        self.last().take(3).any(|line| counts_failed_tests(line) || counts_findings(line))
    }

    /// Where the text itself says that files were checked, or closes with a bare count below a list of crosses: that line.
    /// `own`: the lines that the program says itself.
    pub(super) fn says_it_checks(&self, own: &[&'t str]) -> Option<&'t str> {
        const WORDS: &[&str] =
            &["validation failed", "validation error", "failed validating", "error validating", "not formatted"];
        // One of these stands in each of the words.
        const IN_WORDS: &[[u8; 2]; 2] = &[*b"va", *b"no"];
        let is_count =
            |line: &str| may_be_result(line) && line.split_whitespace().count() <= 4 && counts_findings(line);
        let is_cross = |line: &&str| ["✖ ", "✗ ", "✘ ", "× "].iter().any(|cross| line.starts_with(cross));
        let is_count = |line: &str| is_count(line) || is_cross(&line) && line.contains(" warning");
        let says = |line: &str| {
            let start = line.get(..line.floor_char_boundary(NEAR_START * 2)).unwrap_or(line).to_ascii_lowercase();
            has_pair(start.as_bytes(), IN_WORDS) && WORDS.iter().any(|word| start.contains(word))
        };
        let mut last = self.last().take(2);
        last.find(|line| is_count(line) && self.ends().iter().any(is_cross))
            .or_else(|| own.iter().copied().find(|line| says(line)))
    }

    /// Whether the text shows what would be changed: a formatter's answer.
    fn is_diff(&self) -> bool {
        let begins = |start: &str| self.ends().iter().any(|line| line.starts_with(start));
        begins("--- ") && begins("+++ ") && begins("@@ ")
    }

    /// The question that a program put to nobody before it gave up.
    pub(super) fn prompt(&self) -> Option<&'t str> {
        asked_before_end(self.last())
    }
}

/// The program that a line begins with: `ssh: connect to host`, `C:\tools\vet.exe: a.go:5:7: undefined`.
fn speaker(line: &str) -> Option<&str> {
    // A program is named by one word; most lines hold a colon somewhere.
    let (name, _) = line.split(' ').next()?.rsplit_once(':').filter(|(_, rest)| rest.is_empty())?;
    let name = file_name(name);
    let is_name = !name.is_empty() && name.len() <= LONGEST_NAME && !name.contains([' ', ':']);
    is_name.then(|| name.strip_suffix(".exe").unwrap_or(name))
}

/// The longest name of a program that a line is taken to begin with.
const LONGEST_NAME: usize = 40;

/// A line without the frame that some programs draw around an error.
fn unboxed(line: &str) -> &str {
    // `[webpack-cli] ✖ Invalid value`
    if let Some((_, said)) = line.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
        return if said.starts_with(['✖', '✗', '✘', '×']) { said } else { line };
    }
    if line.is_empty() || line.as_bytes().first().is_some_and(u8::is_ascii) {
        return line;
    }
    let inner = line.strip_prefix('│').and_then(|rest| rest.strip_suffix('│'));
    let inner = inner.or_else(|| line.strip_prefix('┃')?.strip_suffix('┃'));
    inner.or_else(|| line.strip_prefix(['›', '»', '▸', '❯'])).map_or(line, str::trim)
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
struct Start {
    /// Zeros behind its end.
    bytes: [u8; START + 1],
    length: usize,
}

/// How many pairs of bytes a start has: a power of two, so that they are compared together.
const START: usize = NEAR_START.next_power_of_two();

impl Start {
    fn of(line: &str) -> Self {
        let mut bytes = [0; START + 1];
        let start = line.as_bytes().get(..line.floor_char_boundary(NEAR_START)).unwrap_or_default();
        for (to, from) in bytes.iter_mut().zip(start) {
            *to = *from;
        }
        bytes.make_ascii_lowercase();
        Self { bytes, length: start.len() }
    }

    fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    fn contains(&self, word: &str) -> bool {
        self.bytes().windows(word.len()).any(|part| part == word.as_bytes())
    }

    /// Whether an error is told by the line.
    fn is_marked(&self) -> bool {
        MARKS_BY_BYTES.any_begins(self.bytes())
            || has_pair(&self.bytes, INSIDE_PAIRS) && INSIDE.iter().any(|mark| self.contains(mark))
    }

    /// Whether `line`, which begins so, is no line of a log, a test, a quotation or a frame.
    fn is_own(&self, line: &str) -> bool {
        let is_code = || {
            let digits = self.bytes().iter().take_while(|byte| byte.is_ascii_digit()).count();
            let rest = line.get(digits..self.length).unwrap_or_default();
            digits > 0 && rest.trim_start().starts_with(['|', '│'])
        };
        let is_logged = || has_pair(&self.bytes, LOGGED_PAIRS) && LOGGED.iter().any(|word| self.contains(word));
        !FOREIGN_BY_BYTES.any_begins(self.bytes())
            && (!is_logged() || self.contains("http 4") || self.contains("http 5"))
            && !is_code()
            && line.chars().any(char::is_alphabetic)
    }
}

/// The line that names a failed test, where `line` only counts them: `1 failing`.
pub(in crate::reading) fn case_behind<'t>(line: &str, text: &'t str) -> Option<&'t str> {
    if counts_failed_tests(line) { Lines::of(text).failed_case() } else { None }
}

/// Whether a line begins as an error does.
pub(in crate::reading) fn begins_as_error(line: &str) -> bool {
    Start::of(line).is_marked()
}

/// Beginnings of lines, and the first two bytes of each: nearly no line has to be compared with any.
struct Beginnings {
    all: &'static [&'static [&'static str]],
    pairs: [u64; PAIRS / 64],
}

/// How many pairs of bytes are told apart.
const PAIRS: usize = 1 << 12;

impl Beginnings {
    const fn of(all: &'static [&'static [&'static str]]) -> Self {
        let mut pairs = [0; PAIRS / 64];
        let (mut row, mut at) = (0, 0);
        while row < all.len() {
            if at == all[row].len() {
                (row, at) = (row + 1, 0);
                continue;
            }
            let bytes = all[row][at].as_bytes();
            // Behind a lone byte anything may stand.
            let (mut second, last) = if bytes.len() == 1 { (0, 255) } else { (bytes[1], bytes[1]) };
            loop {
                let pair = Self::pair(bytes[0], second);
                pairs[pair / 64] |= 1 << (pair % 64);
                if second == last {
                    break;
                }
                second += 1;
            }
            at += 1;
        }
        Self { all, pairs }
    }

    const fn pair(first: u8, second: u8) -> usize {
        (((first as usize) << 5) ^ second as usize) % PAIRS
    }

    fn any_begins(&self, line: &[u8]) -> bool {
        let Some(first) = line.first() else { return false };
        let pair = Self::pair(*first, line.get(1).copied().unwrap_or_default());
        self.pairs.get(pair / 64).is_some_and(|word| word >> (pair % 64) & 1 == 1)
            && self
                .all
                .iter()
                .copied()
                .flatten()
                .any(|start| start.as_bytes().first() == Some(first) && line.starts_with(start.as_bytes()))
    }
}

static MARKS_BY_BYTES: Beginnings = Beginnings::of(&[MARKS]);
static FOREIGN_BY_BYTES: Beginnings = Beginnings::of(&[PASSED_OVER, FOREIGN]);

/// One of these stands in each of `INSIDE`.
const INSIDE_PAIRS: &[[u8; 2]; 4] = &[*b"rr", *b"xc", *b"fa", *b"cr"];
/// One of these stands in each of `LOGGED`.
const LOGGED_PAIRS: &[[u8; 2]; 3] = &[*b"wa", *b"nf", *b"bu"];

/// Whether one of the pairs stands in a text. No early exit: the compiler makes vectors of that.
#[inline]
#[expect(clippy::needless_bitwise_bool, reason = "a lazy operator would be a branch a byte")]
fn has_pair<const PAIRS: usize>(bytes: &[u8], pairs: &[[u8; 2]; PAIRS]) -> bool {
    let seconds = bytes.get(1..).unwrap_or_default();
    bytes.iter().zip(seconds).fold(false, |found, (first, second)| {
        pairs.iter().fold(found, |found, pair| found | ((*first == pair[0]) & (*second == pair[1])))
    })
}

fn is_usage(line: &str) -> bool {
    line.starts_with(['U', 'u', 'S'])
        && ["Usage:", "usage:", "USAGE:", "USAGE", "Usage :", "SYNOPSIS", "SYNTAX:", "Syntax: "]
            .iter()
            .any(|word| line.strip_prefix(word).is_some_and(|rest| rest.is_empty() || word.ends_with([':', ' '])))
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
    let words = result_words(&lower);
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
    let tells_all = words.iter().any(|word| matches!(*word, "passed" | "successes"))
        && words.iter().any(|word| FAILS.contains(word));
    let errs = |at: usize| tells_all && words.get(at + 1).is_some_and(|word| matches!(*word, "error" | "errors"));
    let counts = |at: usize| words.get(at).is_some_and(|word| is_count(word));
    if let Some(fails) = counts_by_name(&lower) {
        return names_tests && fails;
    }
    names_tests && (0..words.len()).any(|at| counts(at) && (near(at) || errs(at)))
}

/// Whether a line names a test that did not pass, and counts none: `2 - test_totals (Failed)`, `FAIL totals: want 12`,
/// `1) LedgerTest::testTotals`, `2) ledger totals:`.
fn names_failed_case(line: &str) -> bool {
    const STATES: &[&str] = &["failed", "fail", "failure", "error", "timeout", "not run", "not ok"];
    let is_sign = |c: char| !c.is_alphanumeric() && c != '_';
    let bare = line.trim_matches(is_sign);
    let begins = |rest: &str| STATES.iter().any(|state| begins_in_any_case(rest, state));
    // A sentence may end so too: `returns an error`.
    let ends = |state: &&str| {
        let start = bare.len().checked_sub(state.len()).filter(|start| bare.is_char_boundary(*start));
        start.is_some_and(|start| {
            let (before, last) = bare.split_at(start);
            last.eq_ignore_ascii_case(state)
                && (before.ends_with(['(', '[', '*', '|'])
                    || before.ends_with(' ') && !last.contains(char::is_lowercase))
        })
    };
    let is_numbered = || {
        let (number, name) = line.split_once(") ").unwrap_or_default();
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number && (name.contains("::") || name.ends_with(':'))
    };
    let names = || bare.split(is_sign).any(|word| word.len() > 4 && !begins(word) && !TESTS.contains(&word));
    let is_told = || !line.ends_with(':') && (begins(bare) || STATES.iter().any(&ends));
    (is_told() || is_numbered()) && names() && Start::of(line).is_own(line) && !counts_failed_tests(line)
}

/// Whether a line begins with the word that marks a case as failed, and names it: `FAIL totals: want 12`, `[FAILED] rows`,
/// `MISMATCH paid sum: expected 3, have 2`, `not ok 4 - rows`.
fn marks_failed_case(line: &str) -> bool {
    const MARKS: &[&str] = &["FAIL", "FAILED", "FAILURE", "MISMATCH", "not ok"];
    let line = line.trim_start_matches(|sign: char| !sign.is_alphanumeric());
    let names = |rest: &str| {
        let is_end = rest.starts_with([' ', ':', ']', ')', '\t']);
        is_end && rest.split(|sign: char| !sign.is_alphanumeric()).any(|word| word.contains(char::is_alphabetic))
    };
    MARKS.iter().any(|mark| line.strip_prefix(mark).is_some_and(names))
        && !line.contains("# TODO")
        && !line.contains("# SKIP")
}

/// Whether a line that gives a number to each name gives one to what failed: `Passed checks: 18, Failed checks: 0`.
fn counts_by_name(lower: &str) -> Option<bool> {
    let part = |part: &str| {
        let (name, count) = part.split_once(": ")?;
        let count: u32 = count.trim_matches([' ', '.', '!']).parse().ok()?;
        Some(count > 0 && name.split_whitespace().any(|word| FAILS.contains(&word)))
    };
    let parts: Option<Vec<bool>> = lower.split([',', '|']).map(part).collect();
    parts.filter(|parts| parts.len() > 1).map(|parts| parts.contains(&true))
}

const FAILS: &[&str] =
    &["failed", "failing", "failures", "failure", "fail", "fails", "broke", "broken", "errored", "unsuccessful"];

/// A longer line is no result.
const LONGEST_RESULT: usize = 160;

fn may_be_result(line: &str) -> bool {
    line.len() <= LONGEST_RESULT && line.bytes().any(|b| matches!(b, b'1'..=b'9'))
}

/// The words of a result, in lower case.
fn result_words(lower: &str) -> Vec<&str> {
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
    let words = result_words(&lower);
    let is_kind = |word: &&str| KINDS.contains(&word.trim_end_matches("(s)").trim_end_matches('s'));
    let counts =
        |at: usize| words.get(at).is_some_and(|word| is_count(word)) && words.iter().skip(at + 1).take(3).any(is_kind);
    (0..words.len()).any(counts)
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
        let counted = |text| Lines::of(text).counted(false);
        assert_eq!(counted("a.md:3 - too long\n1 problem found"), Some(Counted::Findings("1 problem found")));
        assert_eq!(counted("all is well\n1 problem found"), None);
        assert_eq!(counted("a.md:3 - too long\n0 problems found"), None);
    }

    #[test]
    fn each_mark_has_its_pair() {
        assert!(INSIDE.iter().all(|mark| has_pair(mark.as_bytes(), INSIDE_PAIRS)));
        assert!(LOGGED.iter().all(|word| has_pair(word.as_bytes(), LOGGED_PAIRS)));
    }

    #[test]
    fn only_own_lines_are_read() {
        let text = "2024-01-01 INFO connection refused\n✓ says unknown option\n> unknown option\n 12 | unknown option\nall is well\n";
        assert_eq!(Lines::of(text).spoken(&|_| false).collect::<Vec<_>>(), ["all is well"]);
    }
}
