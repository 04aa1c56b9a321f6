//! What the error of an agent's tool says in plain words, where no recogniser knows its sentence: every agent and every
//! tool server words the same few errors in its own way.

use crate::model::{Category as C, Tool, ToolKind as K};

/// Words that tell a category. The order is the priority.
struct WordRow {
    kinds: &'static [K],
    words: &'static [&'static str],
    category: C,
    transient: Option<&'static str>,
}

const fn row(kinds: &'static [K], category: C, words: &'static [&'static str]) -> WordRow {
    WordRow { kinds, words, category, transient: None }
}

impl WordRow {
    const fn transient(mut self, hint: &'static str) -> Self {
        self.transient = Some(hint);
        self
    }
}

const CHANGES: &[K] = &[K::Edit, K::Write];
const FILES: &[K] = &[K::Read, K::Edit, K::Write, K::Search, K::Other];
const SERVICES: &[K] = &[K::Mcp, K::Web, K::Agent];
const ANY: &[K] = &[K::Read, K::Edit, K::Write, K::Search, K::Web, K::Agent, K::Mcp, K::Other];

const ROWS: &[WordRow] = &[
    row(
        ANY,
        C::ToolUnavailable,
        &["unknown tool", "no such tool", "tool not found", "not a valid tool", "unrecognized tool"],
    ),
    row(
        ANY,
        C::ToolUnavailable,
        &[
            "tool is not available",
            "tool does not exist",
            "is not a known tool",
            "unavailable tool",
            "unknown function",
            "' is not available",
        ],
    ),
    row(
        SERVICES,
        C::RateLimit,
        &["rate limit", "rate-limit", "ratelimit", "too many requests", "throttled", "quota exceeded"],
    )
    .transient("rate_limit"),
    row(SERVICES, C::RateLimit, &["http 429", "status 429", "code 429", "code: 429"]).transient("http_429"),
    row(
        SERVICES,
        C::ServiceError,
        &["http 500", "http 502", "http 503", "http 504", "status 500", "status 502", "status 503", "status 504"],
    )
    .transient("http_5xx"),
    row(
        SERVICES,
        C::ServiceError,
        &["code 500", "code 502", "code 503", "code 504", "code: 500", "code: 502", "code: 503", "code: 504"],
    )
    .transient("http_5xx"),
    row(SERVICES, C::AuthRequired, &["http 401", "http 403", "status 401", "status 403", "code 401", "code 403"]),
    row(SERVICES, C::RemoteNotFound, &["http 404", "status 404", "code 404", "code: 404"]),
    row(
        SERVICES,
        C::ServiceError,
        &["bad gateway", "service unavailable", "temporarily unavailable", "server is overloaded"],
    )
    .transient("http_5xx"),
    row(
        SERVICES,
        C::ServiceError,
        &["connection closed", "connection lost", "server not connected", "disconnected", "server closed"],
    )
    .transient("connection_closed"),
    row(
        SERVICES,
        C::Network,
        &["connection reset", "econnreset", "socket hang up", "name resolution", "enotfound", "eai_again"],
    )
    .transient("connection_reset"),
    row(
        SERVICES,
        C::Timeout,
        &["timed out", "timeout exceeded", "timeout after", "timeout of", "deadline exceeded", "took too long"],
    )
    .transient("server_timeout"),
    row(
        ANY,
        C::Timeout,
        &["timed out", "timeout exceeded", "timeout after", "timeout of", "deadline exceeded", "took too long"],
    ),
    row(&[K::Agent, K::Mcp, K::Other], C::Timeout, &["timeout waiting", "timed out waiting"])
        .transient("server_timeout"),
    row(
        CHANGES,
        C::ReadBeforeEdit,
        &["modified since", "changed since", "changed on disk", "modified on disk", "not been read"],
    ),
    row(
        CHANGES,
        C::ReadBeforeEdit,
        &["read the file first", "read it first", "must read", "need to read", "modified externally", "newer than"],
    ),
    row(FILES, C::PathNotFound, &["file not found", "no such file", "file does not exist", "enoent", "path not found"]),
    row(
        FILES,
        C::PathNotFound,
        &["path does not exist", "directory not found", "directory does not exist", "no file at"],
    ),
    row(
        CHANGES,
        C::EditNoMatch,
        &["no match", "not match", "could not find", "couldn't find", "cannot find", "can't find"],
    ),
    row(
        CHANGES,
        C::EditNoMatch,
        &["unable to find", "unable to locate", "could not locate", "not found", "occurrence"],
    ),
    row(
        CHANGES,
        C::EditNoMatch,
        &["multiple", "more than once", "not unique", "ambiguous", "identical", "no changes", "same"],
    ),
    row(CHANGES, C::EditNoMatch, &[" matches", "isn't in", "is not in the file", "could be applied"]),
    row(CHANGES, C::EditNoMatch, &["hunk", "failed to apply", "could not apply", "cannot apply", "does not apply"]),
    row(
        ANY,
        C::PermissionDenied,
        &["permission denied", "access denied", "access is denied", "eacces", "eperm", "read-only"],
    ),
    row(ANY, C::PermissionDenied, &["not allowed", "not permitted", "outside the", "outside of", "outside allowed"]),
    row(
        ANY,
        C::TooLarge,
        &["too large", "too long", "too big", "exceeds the", "exceeds max", "size limit", "token limit"],
    ),
    row(ANY, C::TooLarge, &["context window", "context length", "maximum number of tokens", "too many tokens"]),
    row(
        ANY,
        C::AuthRequired,
        &["unauthorized", "unauthenticated", "authentication", "not logged in", "log in", "api key"],
    ),
    row(ANY, C::AuthRequired, &["invalid token", "expired token", "token expired", "credentials", "forbidden"]),
    row(SERVICES, C::ConfigOrState, &["not configured", "environment variable", "not initialized", "is not set"]),
    row(
        ANY,
        C::BadArguments,
        &["validation error", "input should be", "\"code\": \"too_", "\"code\": \"invalid", "is not one of"],
    ),
    row(SERVICES, C::AuthRequired, &["not accessible by", "access token", "sign in"]),
    row(
        FILES,
        C::PathNotFound,
        &["not found", "does not exist", "doesn't exist", "no such", "cannot find", "could not find"],
    ),
    row(SERVICES, C::RemoteNotFound, &["not found", "does not exist", "no such"]),
    row(
        ANY,
        C::BadArguments,
        &["invalid", "required", "missing", "must be", "must have", "must provide", "must not", "expected"],
    ),
    row(
        ANY,
        C::BadArguments,
        &["malformed", "schema", "argument", "parameter", "is a directory", "not a directory", "binary"],
    ),
    row(
        ANY,
        C::BadArguments,
        &["already exists", "out of range", "cannot parse", "could not parse", "failed to parse", "unexpected"],
    ),
    row(
        SERVICES,
        C::ServiceError,
        &["connection refused", "econnrefused", "internal error", "server error", "failed to connect"],
    ),
];

/// How much of an error is read: the sentence is at its beginning, what follows may be quoted.
const LOOKED_AT: usize = 300;

/// The category of a tool's own error, and why a retry may pass.
pub(super) fn by_words(tool: &Tool, text: &str) -> Option<(C, Option<&'static str>)> {
    let kinds = [tool.kind, kind_by_name(tool).unwrap_or(tool.kind)];
    let speaks = |row: &&WordRow| kinds.iter().any(|kind| row.kinds.contains(kind));
    if !ROWS.iter().any(|row| speaks(&row)) {
        return None;
    }
    let start = text.get(..text.floor_char_boundary(LOOKED_AT)).unwrap_or(text).to_ascii_lowercase();
    let own = own_words(&start);
    let told = ROWS.iter().filter(speaks).find(|row| {
        let text = if row.transient.is_some() { &own } else { &start };
        row.words.iter().any(|word| says(text, word))
    })?;
    Some((told.category, told.transient))
}

/// Whether the words stand in the text, and not as the beginning of a longer number.
fn says(text: &str, word: &str) -> bool {
    let ends_in_digit = word.ends_with(|c: char| c.is_ascii_digit());
    let goes_on = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    text.match_indices(word).any(|(at, _)| !ends_in_digit || !text.get(at + word.len()..).is_some_and(goes_on))
}

/// The text without addresses and without what it quotes: the title of an issue or the name of a page may speak of a
/// rate limit. A quotation follows a word; behind a colon or in an object stands what the service itself says.
fn own_words(text: &str) -> String {
    let mut own = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['"', '`', '\'']) {
        let (before, quoted) = rest.split_at(at);
        own.push_str(before);
        let quote = quoted.chars().next().unwrap_or('"');
        let inside = quoted.get(1..).unwrap_or("");
        let is_apostrophe = quote == '\'' && !before.ends_with([' ', '(']);
        let follows_word = before.trim_end().ends_with(|c: char| c.is_alphanumeric()) || before.trim().is_empty();
        let quotation = inside.split_once(quote).filter(|_| follows_word && !is_apostrophe);
        if quotation.is_none() {
            own.push(quote);
        }
        rest = quotation.map_or(inside, |(_, after)| after);
    }
    own.push_str(rest);
    own.split(' ').filter(|word| !word.contains("://")).collect::<Vec<_>>().join(" ")
}

/// What a tool of a server, or one of no known name, does by the words of its name.
fn kind_by_name(tool: &Tool) -> Option<K> {
    const NAMES: &[(&str, K)] = &[
        ("edit", K::Edit),
        ("replace", K::Edit),
        ("patch", K::Edit),
        ("write_file", K::Write),
        ("create_file", K::Write),
        ("read_file", K::Read),
        ("view_file", K::Read),
        ("list_dir", K::Search),
        ("fs_read", K::Read),
        ("fs_write", K::Write),
        ("fetch", K::Web),
    ];
    let of_service = matches!(tool.kind, K::Mcp | K::Other);
    let last = tool.name.rsplit("__").next().unwrap_or(&tool.name);
    NAMES.iter().find(|(word, _)| of_service && last.contains(word)).map(|(_, kind)| *kind)
}

/// The innermost sentence of a server's error: the value of the last `message`, `error` or `detail` of JSON in it, however
/// often it was quoted; without one the text itself.
pub(super) fn innermost(text: &str) -> String {
    const FIELDS: &[&str] = &["message", "error_description", "error", "detail", "details", "reason"];
    let field = |name: &&str| {
        // `"message":"` or, quoted once more, `\"message\":\"`.
        text.rmatch_indices(*name).find_map(|(at, _)| {
            let escape = text.get(..at)?.trim_end_matches('"');
            let escape = escape.get(escape.trim_end_matches('\\').len()..)?;
            let rest = text.get(at + name.len()..)?.strip_prefix(escape)?.strip_prefix('"')?.trim_start();
            let value = rest.strip_prefix(':')?.trim_start().strip_prefix(escape)?.strip_prefix('"')?;
            let end = end_of(value, escape)?;
            Some((at, value.get(..end)?))
        })
    };
    let last = FIELDS
        .iter()
        .filter_map(field)
        .filter(|(_, value)| value.contains(char::is_alphabetic))
        .max_by_key(|(at, _)| *at);
    last.map_or_else(|| text.to_owned(), |(_, value)| value.replace('\\', ""))
}

/// Where a quoted value ends: at a quote with no more backslashes before it than stand before its first.
fn end_of(value: &str, escape: &str) -> Option<usize> {
    value.match_indices('"').map(|(at, _)| at).find_map(|at| {
        let before = value.get(..at)?;
        let slashes = before.len() - before.trim_end_matches('\\').len();
        (slashes <= escape.len()).then_some(at - slashes)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: K, text: &str) -> Option<(C, Option<&'static str>)> {
        by_words(&Tool { name: String::new(), kind }, text)
    }

    #[test]
    fn names_tell_what_a_tool_of_a_server_does() {
        let told = |name: &str, text: &str| by_words(&Tool::named(name), text).map(|(category, _)| category);
        assert_eq!(told("mcp__ide__replace_lines", "no match"), Some(C::EditNoMatch));
        assert_eq!(told("mcp__files__read_file", "a.rs: not found"), Some(C::PathNotFound));
        assert_eq!(told("mcp__notes__get", "no match"), None);
        assert_eq!(told("Bash", "no match"), None);
    }

    #[test]
    fn the_same_few_errors_in_many_words() {
        for (kind, text, category) in [
            (K::Edit, "The snippet to be replaced could not be found: cannot find it in a.rs", C::EditNoMatch),
            (K::Edit, "Search text matches more than once.", C::EditNoMatch),
            (K::Edit, "File not found: a.rs", C::PathNotFound),
            (K::Edit, "a.rs was changed on disk after you viewed it", C::ReadBeforeEdit),
            (K::Read, "There is no such file: a.rs", C::PathNotFound),
            (K::Read, "a.rs does not exist", C::PathNotFound),
            (K::Read, "a.bin is a binary and cannot be shown", C::BadArguments),
            (K::Read, "a.json is too large to be read at once", C::TooLarge),
            (K::Other, "missing field `query`", C::BadArguments),
            (K::Mcp, "Issue 12 does not exist", C::RemoteNotFound),
            (K::Mcp, "You are being throttled", C::RateLimit),
            (K::Web, "Upstream took too long", C::Timeout),
        ] {
            assert_eq!(of(kind, text).map(|(category, _)| category), Some(category), "{text}");
        }
    }

    #[test]
    fn near_misses() {
        assert_eq!(of(K::Shell, "rate limit"), None);
        assert_eq!(of(K::ModelApi, "timeout"), None);
        assert_eq!(of(K::Read, "it broke"), None);
        assert_eq!(of(K::Mcp, "parameter `timeout` must be a number"), Some((C::BadArguments, None)));
        // Of a file tool, a limit in time is no promise that the next call is faster.
        assert_eq!(of(K::Search, "search timed out"), Some((C::Timeout, None)));
        for text in [
            "An issue titled \"Raise the rate limit\" already exists",
            "Page 'why a request timed out' does not exist",
            "Invalid value for `timeout of job`: expected a number",
            "Cannot rename: symbol `weld` is overloaded, a signature is required",
            "Invalid edge: node \"a\" is not connected to the root",
            "Invalid column, code 5012",
            "Invalid address https://example.org/rate-limit",
        ] {
            assert!(matches!(of(K::Mcp, text), Some((_, None))), "{text}");
        }
        for text in ["{\"error\":\"rate limit exceeded\"}", "the server's connection closed", "failed: code 503"] {
            assert!(matches!(of(K::Mcp, text), Some((_, Some(_)))), "{text}");
        }
        // What stands far behind the sentence is quoted.
        assert_eq!(of(K::Mcp, &format!("{}rate limit", "x".repeat(400))), None);
    }

    #[test]
    fn the_innermost_sentence_is_found_in_json() {
        for (text, wanted) in [
            (r#"{"error":{"code":-32603,"message":"the file does not exist"}}"#, "the file does not exist"),
            (
                r#"Error: {"message":"{\"code\":\"42703\",\"message\":\"no column \\\"pric\\\"\"}"}"#,
                r#"no column "pric""#,
            ),
            ("plain words", "plain words"),
            (r#"{"message":"#, r#"{"message":"#),
            (r#"{"message":"404"}"#, r#"{"message":"404"}"#),
        ] {
            assert_eq!(innermost(text), wanted, "{text}");
        }
    }
}
