//! Whether a line about a fault on the way is the program's own last word, or something that its log, a test or a value
//! merely holds.

use crate::model::Category as C;

use super::row::ReadingRow;

/// How lines begin that tell of something that was got over, passed, expected or shown, in lower case.
#[rustfmt::skip]
pub(super) const PASSED_OVER: &[&str] = &[
    "ok ", "✓", "✔", "√", "#", "warn", "[warn", "info", "[info", "debug", "[debug", "trace", "level=warn", "level=info",
    "level=debug", "expected", "actual",
];
/// The same, of the lines of a test and of its assertion.
const BEGINNINGS: &[&str] = &["pass ", "pass:", "passed", "got", "want", "- expected", "+ received"];

/// What stands before the words in a line of a log, of an assertion or of a value that could not be used.
#[rustfmt::skip]
const BEFORE: &[&str] = &[
    " level=warn", " level=info", " level=debug", " warn ", " warning ", " info ", " debug ", " [warn", " [info",
    "assert", "valueerror:", "keyerror:", "typeerror:", "indexerror:", "syntaxerror:", "expected", "[context: ",
];

/// How much of a line before the words is looked at.
const LOOKED_AT: usize = 160;

/// Whether a row's line may be believed as a fault of network or service. Other rows always are.
pub(super) fn is_own_word(row: &ReadingRow, line: &str) -> bool {
    // A pattern that knows how the line begins needs no doubt.
    if !row.pattern.starts_with('*') {
        return true;
    }
    if !(row.transient.is_some() || is_on_the_way(row.category)) {
        return !["info ", "npm notice", "npm warn"].iter().any(|start| line.starts_with(start));
    }
    let start = line.get(..line.floor_char_boundary(LOOKED_AT)).unwrap_or(line).to_ascii_lowercase();
    let words = row.pattern.trim_start_matches('*').replace("^(", "").replace('^', "").to_ascii_lowercase();
    let literal = words.split(['{', '*', '#', '%', ')']).next().unwrap_or("").trim();
    // Where a pattern begins with a status, the whole line may stand before it.
    let place = if literal.is_empty() { None } else { start.find(literal) };
    let before = place.and_then(|at| start.get(..at)).unwrap_or(&start);
    says_itself(before, &start)
}

/// Whether it is a fault on the way to another side.
pub(super) fn is_on_the_way(category: C) -> bool {
    matches!(category, C::Network | C::RateLimit | C::ServiceError | C::Timeout)
}

/// Whether the words that follow `before` in a line are the program's own, all in lower case.
pub(super) fn says_itself(before: &str, line: &str) -> bool {
    !PASSED_OVER.iter().chain(BEGINNINGS).any(|beginning| line.starts_with(beginning))
        && !is_of_commit(line)
        && !BEFORE.iter().any(|words| before.contains(words))
        && !line.trim_end().ends_with("... ok")
}

/// Whether a program calls a line of its own a warning: the word stands at its beginning, behind the program's name, a place or
/// a time.
pub fn is_warning(line: &str) -> bool {
    const PLACES: usize = 3;
    let start = line.get(..line.floor_char_boundary(LOOKED_AT)).unwrap_or(line);
    let is_named =
        start.split_whitespace().next().is_some_and(|first| first.bytes().all(|b| b.is_ascii_alphanumeric()));
    let names = |(at, word): (usize, &str)| {
        let bare = word.trim_matches(|c: char| !c.is_ascii_alphabetic());
        // The program's name alone stands before it in `npm warn ...`.
        let is_behind_name = at == 1 && is_named && word == "warn";
        let is_marked = at == 0 || word.ends_with(':') || word.ends_with(']') || !bare.contains(char::is_lowercase);
        let is_word =
            ["warn", "warning", "notice"].iter().any(|own| bare.eq_ignore_ascii_case(own)) || bare.ends_with("Warning");
        is_word && (is_marked || is_behind_name)
    };
    start.split_whitespace().take(PLACES).enumerate().any(names)
}

/// Whether a line is one of a list of commits: `1a2b3c4 fix: connection refused`.
pub(super) fn is_of_commit(line: &str) -> bool {
    let hash = line.split(' ').next().unwrap_or_default();
    (7..=40).contains(&hash.len())
        && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
        && hash.bytes().any(|byte| byte.is_ascii_digit())
        && hash.len() < line.len()
}

/// Whether git says with the line that it made a commit: `[main 1a2b3c4] add tides`. Its hooks had passed.
pub fn names_commit(line: &str) -> bool {
    let named = line.strip_prefix('[').and_then(|rest| rest.split_once("] "));
    let hash = named.and_then(|(head, _)| head.rsplit_once(' ')).map(|(_, hash)| hash);
    hash.is_some_and(|hash| (7..=40).contains(&hash.len()) && hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::row::finding;

    const DNS: ReadingRow = finding("*no such host", C::Network).transient("dns");

    #[test]
    fn what_a_program_says_last() {
        for line in [
            "fatal: lookup example.org: no such host",
            "Error: Get \"https://example.org\": dial tcp: lookup example.org: no such host",
            "level=error msg=\"push failed\" err=\"no such host\"",
            "2025-01-01 ERROR resolver: no such host",
        ] {
            assert!(is_own_word(&DNS, line), "{line}");
        }
    }

    #[test]
    fn what_a_log_a_test_or_a_value_holds() {
        for line in [
            "ok   resolver says \"no such host\" for an empty zone",
            "✓ reports no such host (2 ms)",
            "level=warn msg=\"slow\" err=\"no such host\" attempt=1",
            "2025-01-01 WARN resolver: no such host, trying the next",
            "# got: \"no such host\"",
            "ValueError: invalid literal for int() with base 10: 'no such host'",
            "AssertionError: 'no such host' != 'timed out'",
            "docs/a.md:4 MD013 Line length [Expected: 80; Actual: 120] [Context: \"no such host\"]",
            "check no such host ... ok",
        ] {
            assert!(!is_own_word(&DNS, line), "{line}");
        }
    }

    #[test]
    fn a_warning_is_called_one() {
        for line in [
            "npm warn Unknown user config \"email\". This will stop working in the next major version of npm.",
            "npm WARN config production Use `--omit=dev` instead.",
            "WARNING: Retrying after connection broken",
            "http: warning: HTTP 429 Too Many Requests",
            "(node:4711) [DEP0040] DeprecationWarning: the module is deprecated",
            "[WARN] bad config",
            "app.c:3:1: warning: unused variable",
            "2030-01-02 03:04:05 WARN bad config",
        ] {
            assert!(is_warning(line), "{line}");
        }
        for line in [
            "npm error code E404",
            "error: warn is no such command",
            "fatal: the warning level is unknown",
            "no warning here",
        ] {
            assert!(!is_warning(line), "{line}");
        }
    }

    #[test]
    fn only_faults_on_the_way_are_doubted() {
        let other = finding("*Please log in", C::AuthRequired);
        assert!(is_own_word(&other, "WARN Please log in"));
    }
}
