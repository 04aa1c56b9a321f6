//! The status of an HTTP answer in a line, told apart from a bare number: a port, a line, a count, a duration.

use crate::text::begins_in_any_case;

/// A status and its own words.
struct KnownStatus {
    number: &'static str,
    reason: &'static str,
}

const fn status_row(number: &'static str, reason: &'static str) -> KnownStatus {
    KnownStatus { number, reason }
}

const KNOWN: &[KnownStatus] = &[
    status_row("401", "unauthorized"),
    status_row("403", "forbidden"),
    status_row("404", "not found"),
    status_row("408", "request timeout"),
    status_row("410", "gone"),
    status_row("425", "too early"),
    status_row("429", "too many requests"),
    status_row("500", "internal server error"),
    status_row("501", "not implemented"),
    status_row("502", "bad gateway"),
    status_row("503", "service unavailable"),
    status_row("504", "gateway time"),
    status_row("507", "insufficient storage"),
    status_row("520", "web server returned an unknown error"),
    status_row("521", "web server is down"),
    status_row("522", "connection timed out"),
    status_row("523", "origin is unreachable"),
    status_row("524", "a timeout occurred"),
    status_row("529", "overloaded"),
];

/// Words that announce a status, in lower case.
const CONTEXTS: &[&str] = &[
    "status",
    "status code",
    "status_code",
    "statuscode",
    "response code",
    "response",
    "error code",
    "http error",
    "returned error",
    "http",
];

/// The word that announces a status only where nothing but the status follows: `Error: 500 rows` tells of rows.
const DOUBTED: &str = "error";

/// What may stand between a word and the number.
const BETWEEN: &[char] = &[' ', ':', '=', '(', '\'', '"', '['];

/// What may end the words of a status.
const CLOSING: &[char] = &[')', ']', '\'', '"', '.', ',', ';', ':'];

/// What stands before a status in a text, and makes four bytes of it.
const LEADS: &[u8] = b" (:='\"[";

/// How many four bytes the index looks for to find one status.
pub(super) const PLACES: usize = LEADS.len() + 1;

/// How many statuses are known.
pub(super) const STATUSES: usize = KNOWN.len();

/// Whether a status begins with these digits.
pub(super) const fn is_one_of(status: usize, digits: &[u8]) -> bool {
    begins(KNOWN[status].number.as_bytes(), digits)
}

/// How many statuses begin with these digits.
pub(super) const fn count(digits: &[u8]) -> usize {
    let (mut status, mut count) = (0, 0);
    while status < STATUSES {
        if is_one_of(status, digits) {
            count += 1;
        }
        status += 1;
    }
    count
}

/// The four bytes at one place of a status: a lead and the number, or the number and a blank.
pub(super) const fn four_bytes(status: usize, place: usize) -> [u8; 4] {
    let number = KNOWN[status].number.as_bytes();
    if place < LEADS.len() {
        [LEADS[place], number[0], number[1], number[2]]
    } else {
        [number[0], number[1], number[2], b' ']
    }
}

/// Whether the text, which is at least as long, begins with the other.
pub(super) const fn begins(text: &[u8], beginning: &[u8]) -> bool {
    let mut at = 0;
    while at < beginning.len() {
        if text[at] != beginning[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// How much of a line around a number tells whether it is a status.
const AROUND: usize = 64;

/// Whether the four bytes at `at`, those of some status, are one: the index asks before any row does.
pub(super) fn stands_at(text: &[u8], at: usize) -> bool {
    let number = at + usize::from(!text.get(at).is_some_and(u8::is_ascii_digit));
    let before = text.get(number.saturating_sub(AROUND)..number).unwrap_or_default();
    let start = before.iter().rposition(|b| *b == b'\n').map_or(0, |newline| newline + 1);
    let after = text.get(number..text.len().min(number + AROUND)).unwrap_or_default();
    let length = after.iter().position(|b| *b == b'\n').unwrap_or(after.len());
    let from = number - (before.len() - start);
    // A character that the cut went through leaves the question to the row.
    let Some(Ok(line)) = text.get(from..number + length).map(str::from_utf8) else { return true };
    end(line.trim_ascii_end(), number - from, b"").is_some()
}

/// Where a status that begins with these digits ends, its reason with it, if one begins at `at`.
pub(super) fn end(line: &str, at: usize, digits: &[u8]) -> Option<usize> {
    let (before, rest) = (line.get(..at)?, line.get(at..)?);
    let is_wanted =
        |known: &&KnownStatus| known.number.as_bytes().starts_with(digits) && rest.starts_with(known.number);
    let known = KNOWN.iter().find(is_wanted)?;
    let after = rest.get(known.number.len()..)?;
    if before.ends_with(|c: char| c.is_alphanumeric() || "/.-_,".contains(c)) || !may_follow(after) {
        return None;
    }
    let reason = reason(after, known);
    let ends = || {
        after.trim_end_matches(CLOSING).is_empty()
            || after.starts_with(CLOSING)
            || after.starts_with(" -")
            || after.starts_with(" {")
    };
    if reason == 0 && !is_announced(before, CONTEXTS) && !(is_announced(before, &[DOUBTED]) && ends()) {
        return None;
    }
    let closed = after.get(reason..)?.bytes().take_while(|b| CLOSING.contains(&char::from(*b))).count();
    Some(at + known.number.len() + reason + closed)
}

/// Whether a line tells of the one status of a server that is no trouble of its own: what was asked for is not there, and
/// will not be.
pub(super) fn never_passes(line: &str) -> bool {
    line.match_indices("501").any(|(at, _)| end(line, at, b"501").is_some())
}

/// Whether the number ends here: `429:19` is a place, `503/1241` a progress, `500ms` a duration.
fn may_follow(after: &str) -> bool {
    let mut next = after.chars();
    match next.next() {
        None => true,
        Some(':' | '.' | ',') => next.next().is_none_or(|c| !c.is_ascii_digit()),
        Some(c) => !c.is_alphanumeric() && !"/-_%".contains(c),
    }
}

/// How long the reason is that stands after the number.
fn reason(after: &str, known: &KnownStatus) -> usize {
    let words = after.trim_start_matches([' ', ':', '-', '(']);
    let general = if known.number.starts_with('5') { "server error" } else { "client error" };
    let length = [known.reason, general].into_iter().find(|reason| begins_in_any_case(words, reason)).map(str::len);
    length.map_or(0, |length| after.len() - words.len() + length)
}

/// Whether one of the words stands before the number, with nothing but signs between. After `HTTP/1.1` only blanks do: a
/// server's log has its own `"GET / HTTP/1.1" 503`.
fn is_announced(before: &str, words: &[&str]) -> bool {
    let ends_with = |text: &str, word: &str| {
        let start = text.len().checked_sub(word.len());
        start.and_then(|start| text.get(start..)).is_some_and(|end| end.eq_ignore_ascii_case(word))
    };
    let near = before.trim_end_matches(BETWEEN);
    if words.iter().any(|word| ends_with(near, word)) {
        return true;
    }
    let version = before.trim_end().trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    words.contains(&"http") && before.ends_with(' ') && ends_with(version, "http/")
}

/// The first status of an error, 400 to 599, that a line tells of: any such number, because tests have servers of their own.
pub fn http_status(line: &str) -> Option<u16> {
    const ANSWERED: &[&str] = &["returned", "responded with", "answered", "answered with", "replied with"];
    line.match_indices(['4', '5']).find_map(|(at, _)| {
        let (before, rest) = (line.get(..at)?, line.get(at..)?);
        let (number, after) = rest.split_at_checked(3)?;
        let is_number = number.bytes().all(|b| b.is_ascii_digit());
        if !is_number || before.ends_with(|c: char| c.is_alphanumeric() || "/.-_,".contains(c)) || !may_follow(after) {
            return None;
        }
        let has_reason = KNOWN.iter().any(|known| known.number == number && reason(after, known) > 0);
        let is_status = has_reason || is_announced(before, CONTEXTS) || is_announced(before, ANSWERED);
        if is_status { number.parse().ok() } else { None }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_status_of_an_answer_is_found_and_no_other_number() {
        for (line, found) in [
            ("POST /api/games returned 500", Some(500)),
            ("Request failed with status code 422", Some(422)),
            ("status: 599", Some(599)),
            ("got 401 Unauthorized", Some(401)),
            ("HTTP/1.1 404", Some(404)),
            ("took 450 ms, then HTTP 503", Some(503)),
            ("expected 200 but got 404", None),
            ("in src/app.js:404:12", None),
            ("line 500", None),
            ("took 450ms", None),
            ("4é5", None),
        ] {
            assert_eq!(http_status(line), found, "{line}");
        }
    }

    /// What is read as the status, if anything in the line is.
    fn status<'l>(digits: &str, line: &'l str) -> Option<&'l str> {
        (0..line.len()).find_map(|at| end(line, at, digits.as_bytes()).and_then(|end| line.get(at..end)))
    }

    #[test]
    fn a_status_is_known_by_its_context_or_its_reason() {
        for line in [
            "HTTP 429",
            "HTTP/1.1 429 ",
            "HTTP/2 429",
            "429 Too Many Requests",
            "status code 429",
            "Request failed with status code: 429",
            "status: 429",
            "unexpected status 429",
            "statusCode=429",
            "\"status\": 429,",
            "kind: Status(429)",
            "Error 429",
            "The requested URL returned error: 429",
            "HTTP Error 429: Too Many Requests",
            "gh: slow down (HTTP 429)",
            "Client error '429 Too Many Requests' for url",
            "429 Client Error: Too Many Requests for url",
            "bad response code: 429",
            "The requested URL returned error: 429 for pier",
        ] {
            assert!(status("429", line).is_some(), "{line}");
            assert_eq!(status("503", line), None, "{line}");
        }
        assert_eq!(status("5", "502 Bad Gateway."), Some("502 Bad Gateway."));
        assert_eq!(status("5", "(HTTP 503)"), Some("503)"));
    }

    #[test]
    fn the_index_asks_for_no_more_than_a_row() {
        let text = "ok é HTTP 429\nline 429 of\n503 Service Unavailable\nerror: 429  ";
        let told = |number: &str| -> Vec<bool> {
            text.match_indices(number).map(|(at, _)| stands_at(text.as_bytes(), at)).collect()
        };
        assert_eq!(told(" 429"), [true, false, true]);
        assert_eq!(told("503 "), [true]);
    }

    #[test]
    fn a_bare_number_is_none() {
        for line in [
            "src/status.go:429:19: undefined",
            "status.go:429: undefined",
            "error: 429 rows expected, 428 found",
            "Rebasing (429/1241)",
            "took 429.5ms",
            "127.0.0.1 - - \"GET / HTTP/1.1\" 429 -",
            "test handles_429 ... FAILED",
            "error on line 429",
            "listening on :429",
            "run 429",
            "429 passed",
            "status 4291",
            "exit code 429",
            "error: 10429",
        ] {
            assert_eq!(status("429", line), None, "{line}");
        }
    }
}
