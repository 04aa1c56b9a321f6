//! Numbers and ids that vary: positions, addresses, hashes, sizes, counts.

use super::Masked;
use super::cursor::{Cursor, is_digit, is_hex, is_word};

/// Words after which a number is a place, a process or a count: `line 12`, `pid=3180`, `"column":20`.
const PLACES: &[&str] = &[
    "line",
    "lines",
    "ln",
    "col",
    "cols",
    "column",
    "columns",
    "char",
    "chars",
    "character",
    "offset",
    "position",
    "pos",
    "row",
    "pid",
    "tid",
    "ppid",
    "process",
    "goroutine",
    "thread",
    "port",
    "attempt",
    "seed",
    "byte",
];

/// Words before which a number only counts what is not the failure.
const COUNTED: &[&str] = &[
    "passed", "passing", "skipped", "ignored", "filtered", "pending", "total", "warnings", "warning", "files",
    "modules", "|",
];

/// Words after which a long number is an error's own code.
const CODES: &[&str] = &["code", "status", "errno", "error", "exit", "exited", "signal", "http", "rc"];

const SIZES: &[&str] = &["b", "kb", "mb", "gb", "tb", "kib", "mib", "gib", "byte", "bytes", "characters", "chars"];

/// The word before the number here, blanks and the signs between them aside.
fn word_before(at: Cursor<'_>) -> &[u8] {
    let numbers = at.moved_to(at.run_back(24, |byte| is_digit(byte) || matches!(byte, b'-' | b',' | b'.')));
    let signs = numbers.moved_to(numbers.run_back(4, |byte| matches!(byte, b' ' | b':' | b'=' | b'"' | b'#' | b'\'')));
    signs.moved_to(signs.run_back(12, |byte| byte.is_ascii_alphabetic())).to(signs.at)
}

fn is_one_of(word: &[u8], words: &[&str]) -> bool {
    words.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

/// The word after a number, one blank aside.
fn word_after(at: Cursor<'_>, end: usize) -> Cursor<'_> {
    at.moved_to(end + usize::from(at.moved_to(end).byte() == Some(b' ')))
}

/// `digits`, `digits.digits` or `digits,digits`.
pub(super) fn decimal_end(at: Cursor<'_>) -> usize {
    let whole = at.run(is_digit);
    let rest = at.moved_to(whole);
    if matches!(rest.byte(), Some(b'.' | b',')) && rest.ahead(1).is_some_and(is_digit) {
        rest.moved_to(whole + 1).run(is_digit)
    } else {
        whole
    }
}

/// 8-4-4-4-12 hexadecimal digits.
pub(super) fn uuid(at: Cursor<'_>) -> Option<Masked> {
    if at.ahead(8) != Some(b'-') || !at.is_start() {
        return None;
    }
    let fits = at.to(at.at + 36).iter().enumerate().all(|(index, byte)| match index {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => is_hex(*byte),
    });
    let end = at.at + 36;
    if fits && at.to(end).len() == 36 && at.ends_at(end) { Some(Masked::new(end, "<uuid>")) } else { None }
}

/// Four numbers up to 255, and a port.
pub(super) fn address(at: Cursor<'_>) -> Option<Masked> {
    if !at.is_start() {
        return None;
    }
    let mut end = at.at;
    for part in 0..4 {
        let number = at.moved_to(end);
        let stop = number.run_within(4, is_digit);
        let value = number.to(stop).iter().fold(0_u32, |value, digit| value * 10 + u32::from(digit - b'0'));
        let closed = part == 3 || at.moved_to(stop).byte() == Some(b'.');
        if stop == end || value > 255 || !closed {
            return None;
        }
        end = stop + usize::from(part < 3);
    }
    let further = at.moved_to(end).byte() == Some(b'.') && at.moved_to(end + 1).byte().is_some_and(is_digit);
    if further || !at.ends_at(end) { None } else { Some(Masked::new(end, "<ip>")) }
}

/// An address of eight groups, written with `::` or in full.
pub(super) fn long_address(at: Cursor<'_>) -> Option<Masked> {
    let free = !at.back(1).is_some_and(|byte| is_word(byte) || matches!(byte, b':' | b'>'));
    if !free || !at.goes_on(b"::") {
        return None;
    }
    let end = at.run_within(40, |byte| is_hex(byte) || byte == b':');
    let groups = at.to(end);
    let numbered = groups.iter().any(u8::is_ascii_digit) && !groups.ends_with(b":");
    if numbered && at.ends_at(end) { Some(Masked::new(end, "<ip>")) } else { None }
}

/// `0x...`. Eight digits that begin like a Windows error are that error.
pub(super) fn hex_literal(at: Cursor<'_>) -> Option<Masked> {
    if !at.is_start() || !(at.goes_on(b"0x") || at.goes_on(b"0X")) {
        return None;
    }
    let digits = at.moved_to(at.at + 2);
    let end = digits.run(is_hex);
    let code = end - digits.at == 8 && (digits.goes_on(b"8") || digits.to(end).to_ascii_lowercase().starts_with(b"c0"));
    if end == digits.at || code || !at.ends_at(end) { None } else { Some(Masked::new(end, "<hex>")) }
}

/// Seven to 128 hexadecimal digits of one case, letters and digits among them.
pub(super) fn hash(at: Cursor<'_>) -> Option<Masked> {
    if !at.is_start() {
        return None;
    }
    let end = at.run_within(129, is_hex);
    let digits = at.to(end);
    if !(7..=128).contains(&digits.len()) || !at.ends_at(end) || digits == b"ed25519" {
        return None;
    }
    let has = |class: fn(&u8) -> bool| digits.iter().any(class);
    let cases = !(has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase));
    let mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    let sized = matches!(digits.len(), 32 | 40 | 64);
    if cases && (mixed || sized) { Some(Masked::new(end, "<hex>")) } else { None }
}

/// A number of bytes or characters.
pub(super) fn size(at: Cursor<'_>) -> Option<Masked> {
    if !at.is_start() {
        return None;
    }
    let unit = word_after(at, decimal_end(at));
    let end = unit.run_within(12, |byte| byte.is_ascii_alphabetic());
    if is_one_of(unit.to(end), SIZES) && at.ends_at(end) { Some(Masked::new(end, "<size>")) } else { None }
}

/// A percentage.
pub(super) fn share(at: Cursor<'_>) -> Option<Masked> {
    let end = decimal_end(at);
    if at.is_start() && at.moved_to(end).byte() == Some(b'%') { Some(Masked::new(end, "<n>")) } else { None }
}

/// A number whose neighbours say that it only places or counts, or that is too long to mean anything itself.
pub(super) fn counted(at: Cursor<'_>) -> Option<Masked> {
    let end = at.run(is_digit);
    let fraction = at.moved_to(end).byte() == Some(b'.') && at.moved_to(end + 1).byte().is_some_and(is_digit);
    if !at.is_start() || !at.ends_at(end) || fraction {
        return None;
    }
    let before = word_before(at);
    let long = end - at.at >= 5 && !is_one_of(before, CODES);
    if long || is_one_of(before, PLACES) || counts(at, end) || leads_a_position(at, end) {
        Some(Masked::new(end, "<n>"))
    } else {
        None
    }
}

fn counts(at: Cursor<'_>, end: usize) -> bool {
    let after = at.moved_to(end);
    let noun = after.moved_to(end + 1);
    let word = noun.to(noun.run_within(10, |byte| byte.is_ascii_alphabetic() || byte == b'|'));
    after.byte() == Some(b' ') && is_one_of(word, COUNTED)
}

/// `12:5  error`: the line, where no file's name stands before it.
fn leads_a_position(at: Cursor<'_>, end: usize) -> bool {
    let column = at.moved_to(end + 1);
    let free = matches!(at.back(1), None | Some(b' ' | b'('));
    free && at.moved_to(end).byte() == Some(b':')
        && column.byte().is_some_and(is_digit)
        && at.ends_at(column.run(is_digit))
}

/// `:12` behind a name: a line, a column or a port.
pub(super) fn position(at: Cursor<'_>) -> Option<Masked> {
    let number = at.moved_to(at.at + 1);
    let end = number.run(is_digit);
    let behind = at.back(1).is_some_and(|byte| is_word(byte) || matches!(byte, b')' | b'>' | b']' | b'*' | b':'));
    let fraction = at.moved_to(end).byte() == Some(b'.') && at.moved_to(end + 1).byte().is_some_and(is_digit);
    if end == number.at || !behind || fraction || !at.ends_at(end) || is_one_of(word_before(at), CODES) {
        return None;
    }
    Some(Masked::new(end, ":<n>"))
}

/// Numbers in brackets: `(12,5)` and `(12):` behind a file, `(429/1241)`, `[3/9]`, `sshd[812]:`, `thread 'x' (9) panicked`.
pub(super) fn in_brackets(at: Cursor<'_>) -> Option<Masked> {
    let first = at.moved_to(at.at + 1);
    let stop = at.moved_to(first.run(is_digit));
    if stop.at == first.at {
        return None;
    }
    let second = stop.moved_to(stop.at + 1);
    let close = second.moved_to(second.run(is_digit));
    let pair = close.at > second.at && close.byte() == Some(if at.byte() == Some(b'(') { b')' } else { b']' });
    match (at.byte(), stop.byte(), pair) {
        (Some(b'('), Some(b','), true) if is_behind_file(at) => Some(Masked::new(close.at + 1, "(<n>,<n>)")),
        (Some(b'('), Some(b'/'), true) => Some(Masked::new(close.at + 1, "(<n>/<n>)")),
        (Some(b'['), Some(b'/'), true) => Some(Masked::new(close.at + 1, "[<n>/<n>]")),
        (Some(b'('), Some(b')'), _) if numbers_a_line(at, stop) => Some(Masked::new(stop.at + 1, "(<n>)")),
        (Some(b'['), Some(b']'), _) if second.byte() == Some(b':') && at.back(1).is_some_and(is_word) => {
            Some(Masked::new(stop.at + 1, "[<n>]"))
        }
        _ => None,
    }
}

fn numbers_a_line(at: Cursor<'_>, close: Cursor<'_>) -> bool {
    let after = close.moved_to(close.at + 1);
    after.goes_on(b" panicked") || (after.byte() == Some(b':') && is_behind_file(at))
}

/// Whether a name with an ending, `a.ts`, stands before this place.
fn is_behind_file(at: Cursor<'_>) -> bool {
    let ending = at.moved_to(at.run_back(8, |byte| byte.is_ascii_alphanumeric()));
    ending.at < at.at && ending.back(1) == Some(b'.')
}

/// A long number that was appended to a name to make it unique.
pub(super) fn long_tail(at: Cursor<'_>) -> Option<Masked> {
    let end = at.run(is_digit);
    let tail = at.back(1).is_some_and(|byte| is_word(byte) && !is_digit(byte)) && end - at.at >= Cursor::LONG_TAIL;
    if tail && at.ends_at(end) { Some(Masked::new(end, "<n>")) } else { None }
}
