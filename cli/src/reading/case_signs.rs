//! What a line of a failed test case's error speaks of, in the words of the inherited contract, and whether it only says where.

/// A thing that such a line speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseSign {
    /// A container, or a process in it, was killed for want of memory.
    OutOfMemory,
    /// A container.
    Container,
    /// Something that ran does not any more.
    Stopped,
    /// Nobody listens.
    Refused,
    /// A time limit was over.
    TimedOut,
    /// The other side is not reached.
    Unreached,
    /// A stand-in of a server.
    Mock,
    /// A call that nobody foresaw.
    Unforeseen,
    /// A configuration, or the form of one.
    Config,
    /// What was expected.
    Assertion,
}

use CaseSign as S;

/// The words of each, as whole words in small letters.
#[rustfmt::skip]
const WORDS: &[(CaseSign, &[&str])] = &[
    (S::OutOfMemory, &["oomkilled", "oom killed", "oom-killed"]),
    (S::Container, &["container", "containers"]),
    (S::Stopped, &["exited", "dead", "crashed", "not running", "restarting"]),
    (S::Refused, &[
        "econnrefused", "connection refused", "connectionrefused", "connectionrefusederror", "refused to connect",
        "actively refused", "err_connection_refused", "ns_error_connection_refused",
    ]),
    (S::TimedOut, &[
        "timeout", "timed out", "time-out", "etimedout", "esockettimedout", "timeouterror", "timeoutexception",
        "timeoutexpired", "sockettimeoutexception", "readtimeout", "readtimeouterror", "connecttimeout",
        "connecttimeouterror", "deadline exceeded", "err_timed_out", "err_connection_timed_out", "ns_error_net_timeout",
    ]),
    (S::Unreached, &[
        "enotfound", "eai_again", "enetunreach", "ehostunreach", "econnreset", "connection reset", "connectionreseterror",
        "getaddrinfo", "unknownhostexception", "name or service not known", "temporary failure in name resolution",
        "could not resolve host", "network is unreachable", "network error", "no route to host", "no such host",
        "socket hang up", "err_name_not_resolved", "err_connection_reset", "err_internet_disconnected",
        "ns_error_unknown_host", "ns_error_net_reset",
    ]),
    (S::Mock, &["mock", "mocks", "mockserver", "wiremock", "nock", "msw"]),
    (S::Unforeseen, &["unexpected", "unmatched", "unhandled"]),
    (S::Config, &[
        "config", "configuration", "configerror", "configurationerror", "config.json", "config.toml", "config.yaml",
        "config.yml", "yaml", "yamlerror", "validation", "validationerror", "schema", "schemaerror",
    ]),
    (S::Assertion, &[
        "expected", "to equal", "to match", "assertionerror", "assertionfailederror", "comparisonfailure", "assertion",
        "asserting", "assert", "but was",
    ]),
];

/// All that a line speaks of.
pub fn case_signs(line: &str) -> Vec<CaseSign> {
    let lower = line.to_lowercase();
    let speaks = |words: &[&str]| words.iter().any(|word| stands_in(&lower, word));
    let spoken = WORDS.iter().filter(|(_, words)| speaks(words)).map(|(sign, _)| *sign);
    // A process that is killed for want of memory leaves 128 and the number of SIGKILL.
    spoken.chain(ends_with_137(&lower).then_some(S::OutOfMemory)).collect()
}

/// Whether a line says where, and not what: a frame of a stack, or what Rust and bats put in front of a message.
pub fn says_where(line: &str) -> bool {
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
