//! Credentials in URLs and in the flags of command lines.

use super::Secret;
use super::assignment::{is_path, is_placeholder, is_value_name, kind_of};
use super::bytes::{
    goes_on, is_blank, is_quote, is_visible, is_word, judged_end, mixes_digits, part, run_end, run_start,
};
use super::token::bot_token;

/// A program whose short flags carry passwords. Elsewhere `-u` and `-p` mean something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PasswordFlags {
    /// `-u user:password`.
    Curl,
    /// `-ppassword`.
    MySql,
    /// `-p password`.
    Login,
    /// `-a password`.
    Redis,
    /// None of these.
    Other,
}

/// Where a command line ends: at the first line's end without a backslash before it.
pub(super) fn command_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at;
    loop {
        end = run_end(bytes, end, |byte| byte != b'\n');
        if !part(bytes, at, end).ends_with(b"\\") || end >= bytes.len() {
            return end;
        }
        end += 1;
    }
}

const PROGRAMS: &[(&str, PasswordFlags)] = &[
    ("curl", PasswordFlags::Curl),
    ("wget", PasswordFlags::Curl),
    ("mysql", PasswordFlags::MySql),
    ("mariadb", PasswordFlags::MySql),
    ("sshpass", PasswordFlags::Login),
    ("docker login", PasswordFlags::Login),
    ("redis-cli", PasswordFlags::Redis),
];

impl PasswordFlags {
    /// The program that is named here.
    pub(super) fn named(bytes: &[u8], at: usize) -> Option<Self> {
        let first = bytes.get(at);
        let mut known = PROGRAMS.iter().filter(|(name, _)| name.as_bytes().first() == first);
        known.find(|(name, _)| goes_on(bytes, at, name.as_bytes())).map(|(_, program)| *program)
    }

    /// Where the password that follows this flag begins.
    fn password_after(self, bytes: &[u8], at: usize) -> Option<usize> {
        let blank_after = |flag: &[u8]| goes_on(bytes, at, flag).then(|| run_end(bytes, at + flag.len(), is_blank));
        match self {
            Self::Curl => {
                let start = blank_after(b"-u ").or_else(|| blank_after(b"--user "))?;
                let start = start + usize::from(bytes.get(start).is_some_and(|byte| is_quote(*byte)));
                let colon = user_end(bytes, start);
                goes_on(bytes, colon, b":").then_some(colon + 1)
            }
            Self::MySql => goes_on(bytes, at, b"-p").then_some(at + 2),
            Self::Login => blank_after(b"-p "),
            Self::Redis => blank_after(b"-a "),
            Self::Other => None,
        }
    }
}

/// The password behind a flag that begins at `at`: `--password x`, or a short flag of a known program.
pub(super) fn after_flag(bytes: &[u8], at: usize, program: PasswordFlags) -> Option<Secret> {
    if let Some(start) = program.password_after(bytes, at) {
        return argument(bytes, start, "password");
    }
    let name_start = run_end(bytes, at, |byte| byte == b'-');
    let end = run_end(bytes, name_start, |byte| is_word(byte) || byte == b'-').min(name_start + 64);
    if name_start - at > 2 || !bytes.get(end).is_some_and(|byte| is_blank(*byte)) {
        return None;
    }
    let kind = kind_of(part(bytes, name_start, end))?;
    argument(bytes, run_end(bytes, end, is_blank), kind)
}

/// Words that follow a flag in a message about it.
const PROSE: &[&str] = &[
    "to", "is", "flag", "flags", "option", "options", "argument", "requires", "require", "must", "was", "and", "or",
    "for", "in", "with", "from", "not", "cannot", "can", "should", "has", "via", "on", "at", "of", "as", "value",
    "the", "a", "an", "if", "when", "found", "are", "be", "will", "expects", "needs", "string", "instead", "given",
    "missing",
];

fn argument(bytes: &[u8], start: usize, kind: &'static str) -> Option<Secret> {
    let quote = bytes.get(start).copied().filter(|byte| is_quote(*byte));
    let (start, class): (usize, fn(u8) -> bool) = match quote {
        Some(b'"') => (start + 1, |byte| byte != b'"' && byte != b'\n'),
        Some(b'\'') => (start + 1, |byte| byte != b'\'' && byte != b'\n'),
        Some(_) => (start + 1, |byte| byte != b'`' && byte != b'\n'),
        None => (start, |byte| is_visible(byte) && !is_quote(byte)),
    };
    let value = part(bytes, start, judged_end(bytes, start, class));
    let prose = quote.is_none() && PROSE.iter().any(|word| word.as_bytes() == value);
    let secret =
        !prose && !value.starts_with(b"-") && !is_placeholder(value) && !is_path(value) && !is_value_name(value);
    secret.then(|| Secret { start, end: run_end(bytes, start, class), kind })
}

/// Schemes of stores and brokers: their URLs are connection strings.
const STORES: &[&str] = &[
    "postgres",
    "postgresql",
    "mysql",
    "mariadb",
    "mongodb",
    "mongodb+srv",
    "redis",
    "rediss",
    "amqp",
    "amqps",
    "mssql",
    "sqlserver",
    "clickhouse",
    "cockroachdb",
    "jdbc",
    "nats",
    "kafka",
    "ldap",
    "ldaps",
    "smtp",
    "smtps",
    "couchdb",
];

/// A secret that a colon leads to and that needs no name: credentials of a URL, a chat bot's token.
pub(super) fn after_colon(bytes: &[u8], at: usize, floor: usize) -> Option<Secret> {
    if goes_on(bytes, at + 1, b"//") { url(bytes, at, floor) } else { bot_token(bytes, at, floor) }
}

/// `scheme://user:password@host`, or a token in place of the user.
fn url(bytes: &[u8], colon: usize, floor: usize) -> Option<Secret> {
    let start = colon + 3;
    let end = run_end(bytes, start, is_authority);
    let host = start + part(bytes, start, end).iter().rposition(|byte| *byte == b'@')?;
    let user = user_end(bytes, start);
    let secret = if user < host { (user + 1, host) } else { (start, host) };
    let value = part(bytes, secret.0, secret.1);
    let alone = user >= host && (value.len() < 20 || !mixes_digits(value));
    if alone || is_placeholder(value) {
        return None;
    }
    let from = floor.max(colon.saturating_sub(32));
    let scheme = part(bytes, run_start(bytes, colon, from, |byte| is_word(byte) || byte == b'+'), colon);
    let store = STORES.iter().any(|store| scheme.eq_ignore_ascii_case(store.as_bytes()));
    Some(Secret { start: secret.0, end: secret.1, kind: if store { "connection_string" } else { "url_credentials" } })
}

/// Where the user before a `:` or `@` ends. A mark in place of the user holds a colon of its own.
fn user_end(bytes: &[u8], start: usize) -> usize {
    let is_user = |byte| is_visible(byte) && !is_quote(byte) && !matches!(byte, b':' | b'@');
    let mut end = start;
    loop {
        end = run_end(bytes, end, is_user);
        if !part(bytes, start, end).ends_with(b"[redacted") || !goes_on(bytes, end, b":") {
            return end;
        }
        end += 1;
    }
}

fn is_authority(byte: u8) -> bool {
    is_visible(byte) && !is_quote(byte) && !matches!(byte, b'/' | b'?' | b'#' | b'<' | b'>' | b'\\')
}
