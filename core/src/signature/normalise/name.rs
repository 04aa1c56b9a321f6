//! Names that only their spelling tells from words: identifiers, flags, versions of packages.

use super::Masked;
use super::cursor::{Cursor, is_digit, is_name, is_word};

/// `--flag`, `-f`, and the value joined to it.
pub(super) fn flag(at: Cursor<'_>) -> Option<Masked> {
    if at.byte() != Some(b'-') || at.back(1).is_some_and(|byte| is_name(byte) || byte == b'>') {
        return None;
    }
    let name = at.moved_to(at.run_within(2, |byte| byte == b'-'));
    let end = name.run(|byte| is_word(byte) || byte == b'-');
    let letter = name.byte().is_some_and(|byte| byte.is_ascii_alphabetic());
    let long = name.at - at.at == 2;
    if letter && (long || end - name.at == 1) { Some(Masked::new(end, "<name>")) } else { None }
}

/// The packages before a class: `java.lang.` of `java.lang.IllegalStateException`, where that is an error's name.
pub(super) fn qualifier(at: Cursor<'_>) -> Option<Masked> {
    let end = dotted_end(at)?;
    let token = at.to(end);
    let last = token.iter().rposition(|byte| *byte == b'.').map(|dot| dot + 1).unwrap_or_default();
    let is_error = token.get(last..).is_some_and(is_error_name);
    match (last, is_error) {
        (0, _) => None,
        (_, true) => Some(Masked::new(at.at + last, "")),
        (_, false) => Some(Masked::new(end, "<name>")),
    }
}

/// The end of words joined by dots that begin here.
fn dotted_end(at: Cursor<'_>) -> Option<usize> {
    let free = !at.back(1).is_some_and(|byte| is_name(byte) || matches!(byte, b'/' | b'>'));
    if !free || !at.byte().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_') {
        return None;
    }
    let end = at.run(|byte| is_word(byte) || matches!(byte, b'.' | b'$'));
    let stops = at.to(end).iter().rev().take_while(|byte| **byte == b'.').count();
    Some(end - stops)
}

/// `*Crew` is a `Crew` that is pointed at.
pub(super) fn pointer(at: Cursor<'_>) -> Option<Masked> {
    let free = !at.back(1).is_some_and(|byte| is_name(byte) || matches!(byte, b'/' | b'*' | b'>'));
    let named = at.ahead(1).is_some_and(|byte| byte.is_ascii_alphabetic());
    if free && named { Some(Masked::new(at.at + 1, "")) } else { None }
}

/// A word that no writer spells so: `lampOil`, `lamp_oil`, `LampOil`, `lamp@2`.
pub(super) fn identifier(at: Cursor<'_>) -> Option<Masked> {
    if !at.is_start() || !at.byte().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_') {
        return None;
    }
    let end = at.run(is_word);
    let word = at.to(end);
    let version = at.moved_to(end + 1);
    if at.moved_to(end).byte() == Some(b'@') && version.byte().is_some_and(|byte| is_digit(byte) || byte == b'<') {
        return Some(Masked::new(version.run(|byte| is_name(byte) || matches!(byte, b'<' | b'>')), "<name>"));
    }
    let bracketed = matches!(at.back(1), Some(b'(' | b'[')) && matches!(at.moved_to(end).byte(), Some(b')' | b']'));
    let spelled = is_joined(word) || changes_case(word);
    if !spelled || bracketed || is_error_name(word) || follows_code(at) {
        return None;
    }
    Some(Masked::new(end, "<name>"))
}

/// Parts of names in capitals that tell of an error themselves.
const TELLING: &[&[u8]] = &[
    b"ERR",
    b"ERROR",
    b"NOT",
    b"NO",
    b"UNABLE",
    b"CANNOT",
    b"DENIED",
    b"FAILED",
    b"FAILURE",
    b"INVALID",
    b"MISSING",
    b"EXHAUSTED",
    b"EXCEEDED",
    b"EXPIRED",
    b"REFUSED",
    b"TIMEOUT",
    b"UNAVAILABLE",
    b"UNKNOWN",
    b"BAD",
];

/// Words joined by underscores, unless capitals tell of an error.
fn is_joined(word: &[u8]) -> bool {
    let mut parts = word.split(|byte| *byte == b'_').filter(|part| !part.is_empty());
    word.contains(&b'_') && !parts.any(|part| TELLING.contains(&part))
}

/// A capital behind a small letter.
fn changes_case(word: &[u8]) -> bool {
    word.windows(2).any(|two| matches!(two, [a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase()))
}

/// How the names of errors end.
const ERRORS: &[&[u8]] = &[
    b"Error",
    b"Exception",
    b"Warning",
    b"Failure",
    b"Fault",
    b"Interrupt",
    b"Exit",
    b"Iteration",
    b"Timeout",
    b"Denied",
    b"NotFound",
    b"Refused",
    b"Killed",
    b"BackOff",
    b"Expired",
];

pub(super) fn is_error_name(word: &[u8]) -> bool {
    word.starts_with(b"Err") || ERRORS.iter().any(|end| word.ends_with(end))
}

/// Whether this is the error's own word: `code = NotFound`, `reason: Evicted`.
fn follows_code(at: Cursor<'_>) -> bool {
    let signs = at.moved_to(at.run_back(3, |byte| matches!(byte, b' ' | b':' | b'=')));
    let word = signs.moved_to(signs.run_back(8, |byte| byte.is_ascii_alphabetic())).to(signs.at);
    signs.at < at.at && [&b"code"[..], b"reason", b"status"].iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// Words before a colon that say that a name follows.
const NAMING: &[&[u8]] = &[
    b"such",
    b"undefined",
    b"undeclared",
    b"unresolved",
    b"unknown",
    b"unrecognized",
    b"unsupported",
    b"invalid",
    b"missing",
    b"duplicate",
    b"used",
    b"found",
    b"exist",
    b"defined",
];

/// `no such table: crew`: the one word behind the last colon, where a name is what the words before it ask for.
pub(super) fn last_word(at: Cursor<'_>) -> Option<Masked> {
    if at.back(1) != Some(b' ') || at.back(2) != Some(b':') || !at.byte().is_some_and(is_word) {
        return None;
    }
    let end = at.run(is_name);
    let told = at.moved_to(end).byte().is_none() && names_follow(at.moved_to(at.at - 2));
    if told { Some(Masked::new(end, "<name>")) } else { None }
}

/// Whether one of the last three words before this place asks for a name.
fn names_follow(colon: Cursor<'_>) -> bool {
    let from = colon.run_back(48, |byte| is_word(byte) || matches!(byte, b' ' | b'-'));
    let words = colon.moved_to(from).to(colon.at).split(|byte| *byte == b' ').rev().take(3);
    words.into_iter().any(|word| NAMING.iter().any(|known| word.eq_ignore_ascii_case(known)))
}
