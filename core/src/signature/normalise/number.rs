//! Numbers and ids that vary: positions, addresses, hashes, sizes, counts.

use super::Masked;
use super::cursor::{Cursor, is_digit, is_hex, is_one_of, is_word};

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
    "child",
    "worker",
    "shard",
    "slot",
    "job",
    "build",
    "run",
    "id",
    "try",
    "retry",
    "iteration",
];

/// Words before which a number only counts what is not the failure.
const COUNTED: &[&str] = &[
    "passed", "passing", "skipped", "ignored", "filtered", "pending", "total", "warnings", "warning", "files",
    "modules", "|",
];

/// Words after which a long number is an error's own code.
const CODES: &[&str] = &[
    "code", "status", "errno", "error", "err", "exit", "exited", "signal", "http", "rc", "sqlstate", "event", "fatal",
];

const SIZES: &[&str] = &["b", "kb", "mb", "gb", "tb", "kib", "mib", "gib", "byte", "bytes", "characters", "chars"];

/// The word before the number here, blanks and the signs between them aside.
fn word_before(at: Cursor<'_>) -> &[u8] {
    let numbers = at.moved_to(at.run_back(24, |byte| is_digit(byte) || matches!(byte, b'-' | b',' | b'.')));
    let signs = numbers.moved_to(numbers.run_back(4, |byte| matches!(byte, b' ' | b':' | b'=' | b'"' | b'#' | b'\'')));
    signs.moved_to(signs.run_back(12, |byte| byte.is_ascii_alphabetic())).to(signs.at)
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

/// Groups of up to four digits with `::` among them, or eight of them. The first group has a digit, unless a bracket
/// opens before it: `a::b` is a module.
pub(super) fn grouped_address(at: Cursor<'_>) -> Option<Masked> {
    let first = at.moved_to(at.run_within(5, is_hex));
    if first.byte() != Some(b':') || first.at - at.at > 4 || !at.is_start() || at.back(1) == Some(b':') {
        return None;
    }
    let end = at.run_within(46, |byte| is_hex(byte) || byte == b':');
    let groups = at.to(end);
    let count = groups.split(|byte| *byte == b':').count();
    let shortened = groups.windows(2).any(|two| two == b"::");
    let sized = groups.split(|byte| *byte == b':').all(|group| group.len() <= 4);
    let numbered = at.to(first.at).iter().any(u8::is_ascii_digit) || at.back(1) == Some(b'[');
    let whole = (shortened || count == 8) && sized && numbered && !groups.ends_with(b":");
    if whole && at.ends_at(end) { Some(Masked::new(end, "<ip>")) } else { None }
}

/// Six groups of two hexadecimal digits.
pub(super) fn hardware_address(at: Cursor<'_>) -> Option<Masked> {
    let sign = at.ahead(2).filter(|byte| matches!(byte, b':' | b'-'))?;
    let end = at.at + 17;
    let fits = at.to(end).iter().enumerate().all(|(index, byte)| match index % 3 {
        2 => *byte == sign,
        _ => is_hex(*byte),
    });
    let whole = fits && at.to(end).len() == 17 && at.is_start() && at.back(1) != Some(sign);
    let further = at.moved_to(end).byte() == Some(sign);
    if whole && !further && at.ends_at(end) { Some(Masked::new(end, "<hex>")) } else { None }
}

/// From how many letters and digits on a word may be made up.
pub(super) const LONG_WORD: usize = 20;

/// Whether the last part of a long word is an id or encoded bytes: letters and digits follow one another as no writer
/// puts them.
pub(super) fn is_made_up(word: &str) -> bool {
    let part = word.rsplit('_').next().unwrap_or_default().as_bytes();
    let digits = part.iter().filter(|byte| byte.is_ascii_digit()).count();
    let small = part.iter().any(u8::is_ascii_lowercase);
    let capital = part.iter().any(u8::is_ascii_uppercase);
    let changes = part.windows(2).filter(|two| matches!(two, [a, b] if byte_kind(*a) != byte_kind(*b))).count();
    let often = if small && capital { changes * 2 >= part.len() } else { changes * 4 >= part.len() };
    part.len() >= LONG_WORD && digits >= 3 && (small || capital) && often && part.is_ascii()
}

/// Digit, small letter or capital.
fn byte_kind(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => 0,
        b'a'..=b'z' => 1,
        _ => 2,
    }
}

/// `0x...`. Eight digits that begin like a Windows error are that error.
pub(super) fn hex_literal(at: Cursor<'_>) -> Option<Masked> {
    if !at.is_start() || !(at.goes_on(b"0x") || at.goes_on(b"0X")) {
        return None;
    }
    let digits = at.moved_to(at.at + 2);
    let end = digits.run(is_hex);
    let code = end - digits.at == 8 && [&b"800"[..], b"c000", b"C000"].iter().any(|start| digits.goes_on(start));
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
    if cases && (mixed || sized) { Some(Masked::new(replica_end(at, end), "<hex>")) } else { None }
}

/// Past the five letters and digits that a cluster puts behind the hash in a replica's name.
fn replica_end(at: Cursor<'_>, end: usize) -> usize {
    let name = at.moved_to(end + 1);
    let close = name.run_within(6, |byte| byte.is_ascii_lowercase() || is_digit(byte));
    let replica = at.back(1) == Some(b'-') && at.moved_to(end).byte() == Some(b'-') && close - name.at == 5;
    if replica && at.ends_at(close) { close } else { end }
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
    let long = end - at.at >= LONG_NUMBER && !is_one_of(before, CODES) && !is_numbered_code(at);
    if long || is_one_of(before, PLACES) || is_counted(at, end) || leads_a_position(at, end) {
        Some(Masked::new(end, "<n>"))
    } else {
        None
    }
}

/// How many digits a number has that says nothing itself: statuses, signals and small counts have fewer.
const LONG_NUMBER: usize = 4;

/// `ORA-00942`: capitals and a hyphen before the number.
fn is_numbered_code(at: Cursor<'_>) -> bool {
    at.back(1) == Some(b'-') && at.back(2).is_some_and(|byte| byte.is_ascii_uppercase())
}

fn is_counted(at: Cursor<'_>, end: usize) -> bool {
    let after = at.moved_to(end);
    let noun = after.moved_to(end + 1);
    let word = noun.to(noun.run_within(10, |byte| byte.is_ascii_alphabetic() || byte == b'|'));
    after.byte() == Some(b' ') && (is_one_of(word, COUNTED) || after.goes_on(b" --- "))
}

/// `12:5  error`: the line, where no file's name is before it.
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
    Some(Masked::new(range_end(at.moved_to(end)), ":<n>"))
}

/// Past `-18`, which makes a line a range of lines.
fn range_end(at: Cursor<'_>) -> usize {
    let last = at.moved_to(at.at + 1);
    let end = last.run(is_digit);
    if at.byte() == Some(b'-') && end > last.at && at.ends_at(end) { end } else { at.at }
}

/// `#7 0.312 make: ...`, `#7 ERROR: ...`: the step of a build and its clock, at the beginning only.
fn step(at: Cursor<'_>) -> Option<Masked> {
    let number = at.moved_to(at.at + 1);
    let blank = at.moved_to(number.run(is_digit));
    if blank.at == number.at || blank.byte() != Some(b' ') {
        return None;
    }
    let clock = at.moved_to(blank.at + 1);
    let end = decimal_end(clock);
    let timed = clock.to(end).contains(&b'.') && clock.moved_to(end).byte() == Some(b' ');
    Some(Masked::new(if timed { end } else { blank.at }, "#<n>"))
}

/// `#L12`, `#L12-L18`: lines in an address.
pub(super) fn line_anchor(at: Cursor<'_>) -> Option<Masked> {
    if at.at == 0 {
        return step(at);
    }
    let number = at.moved_to(at.at + 2);
    let end = number.run(is_digit);
    if !at.goes_on(b"#L") || end == number.at || !at.ends_at(end) {
        return None;
    }
    let last = at.moved_to(end + 2);
    let close = last.run(is_digit);
    let range = at.moved_to(end).goes_on(b"-L") && close > last.at && at.ends_at(close);
    Some(Masked::new(if range { close } else { end }, "#L<n>"))
}

/// `[gw3]`, `[worker-12]`: one of several that do the same.
fn worker(at: Cursor<'_>) -> Option<Masked> {
    let inner = at.moved_to(at.at + 1);
    let close = inner.run_within(32, |byte| byte.is_ascii_lowercase() || is_digit(byte) || byte == b'-');
    let inside = inner.to(close);
    let digits = inside.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let joined = inside.contains(&b'-');
    let most = if joined { 4 } else { 2 };
    let name = inside.get(..inside.len() - digits).unwrap_or_default();
    let lettered = name.first().is_some_and(u8::is_ascii_lowercase) && (joined || !name.iter().any(u8::is_ascii_digit));
    let fits = lettered && (1..=most).contains(&digits);
    let free = !at.back(1).is_some_and(is_word);
    if fits && free && at.moved_to(close).byte() == Some(b']') { Some(Masked::new(close + 1, "[<n>]")) } else { None }
}

/// Numbers in brackets: `(12,5)` and `(12):` behind a file, `(429/1241)`, `[3/9]`, `sshd[812]:`, `thread 'x' (9) panicked`.
pub(super) fn in_brackets(at: Cursor<'_>) -> Option<Masked> {
    let first = at.moved_to(at.at + 1);
    let stop = at.moved_to(first.run(is_digit));
    if stop.at == first.at {
        return if at.byte() == Some(b'[') { worker(at) } else { None };
    }
    let second = stop.moved_to(stop.at + 1);
    let close = second.moved_to(second.run(is_digit));
    let pair = close.at > second.at && close.byte() == Some(if at.byte() == Some(b'(') { b')' } else { b']' });
    match (at.byte(), stop.byte(), pair) {
        (Some(b'('), Some(b','), true) if is_behind_file(at) => Some(Masked::new(close.at + 1, "(<n>,<n>)")),
        (Some(b'['), Some(b','), true) if at.back(1) == Some(b':') => Some(Masked::new(close.at + 1, "[<n>,<n>]")),
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

/// Whether a name with an ending, `a.ts`, is before this place.
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
