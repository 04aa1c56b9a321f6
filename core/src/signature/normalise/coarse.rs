//! What two failures of a kind share: no paths, names, tests and numbers.

use super::cursor::{Cursor, is_digit, is_name, is_one_of, is_word};
use super::name;
use super::{Begins, Context, LONGEST, MaskTable, Masked, ROUNDS, UNSETTLED, cut_at_blank, fine, settled};

/// The text for "the same kind of failure": what [`fine`] masks, and paths, names, tests and numbers.
/// Error codes stay. Normalising it again changes nothing.
pub fn coarse(text: &str) -> String {
    template_of(fine(text))
}

/// The words of an error's kind, of a text that is finely normalised already.
pub(in crate::signature) fn template_of(fine_text: String) -> String {
    let mut text = fine_text;
    for _ in 0..ROUNDS {
        let next = masked_once(&text);
        if next == text {
            return text;
        }
        text = settled(next, &Context::default());
    }
    UNSETTLED.to_owned()
}

fn masked_once(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = Cursor::new(text);
    while let Some(byte) = at.byte() {
        let mask = MASKS.mask_at(at, byte, &Context::default());
        let (end, piece) = mask.as_ref().map_or_else(|| at.piece(), |mask| (mask.end, mask.words));
        if out.len() + piece.len() > LONGEST {
            return cut_at_blank(out);
        }
        out.push_str(piece);
        at = at.moved_to(end);
        if mask.is_some() {
            at = unquoted(&mut out, at, piece);
        }
    }
    out
}

/// Takes the quotes off that are around a mask, however many: else each round took one pair.
fn unquoted<'t>(out: &mut String, at: Cursor<'t>, mask: &str) -> Cursor<'t> {
    let mut at = at;
    let mut start = out.len() - mask.len();
    while let Some(quote) = at.byte().filter(|byte| is_quote(*byte)) {
        let opened = start.checked_sub(1).filter(|open| out.as_bytes().get(*open) == Some(&quote));
        let Some(open) = opened.filter(|open| opens(out.as_bytes().get(open.wrapping_sub(1)).copied())) else { break };
        if !at.ends_at(at.at + 1) {
            break;
        }
        out.truncate(open);
        out.push_str("<name>");
        (start, at) = (open, at.moved_to(at.at + 1));
    }
    at
}

/// What is masked; the last five rows know names by their spelling alone.
#[rustfmt::skip]
static MASKS: MaskTable<16> = MaskTable::new([
    (Begins::Sign(b'<'), |at, _| at.mask_word()),
    (Begins::Quote,      |at, _| quoted(at)),
    (Begins::Sign(b'='), |at, _| value(at)),
    (Begins::Letter,     |at, _| url(at)),
    (Begins::Path,       |at, _| path(at)),
    (Begins::Word,       |at, _| module_path(at)),
    (Begins::Letter,     |at, _| test_name(at)),
    (Begins::Letter,     |at, _| numbered_name(at)),
    (Begins::Word,       |at, _| numbered_word(at)),
    (Begins::Sign(b':'), |at, _| port(at)),
    (Begins::Digit,      |at, _| number(at)),
    (Begins::Word,       |at, _| name::last_word(at)),
    (Begins::Sign(b'-'), |at, _| name::flag(at)),
    (Begins::Sign(b'*'), |at, _| name::pointer(at)),
    (Begins::Word,       |at, _| name::qualifier(at)),
    (Begins::Word,       |at, _| name::identifier(at)),
]);

/// The longest quotation that is taken for a name.
const LONGEST_NAME: usize = 200;

/// A quoted name. An apostrophe within a word opens nothing.
fn quoted(at: Cursor<'_>) -> Option<Masked> {
    let quote = at.byte().filter(|byte| is_quote(*byte))?;
    if !opens(at.back(1)) {
        return None;
    }
    let inside = at.moved_to(at.at + 1);
    let end = inside.to(inside.run_within(LONGEST_NAME, |_| true));
    let close = inside.at + end.iter().position(|byte| *byte == quote)?;
    let names = close > inside.at && at.ends_at(close + 1) && !is_phrase(inside.to(close));
    names.then(|| Masked::new(close + 1, "<name>"))
}

/// What somebody said, and no name: three words or more, at least two of them of small letters.
fn is_phrase(quoted: &[u8]) -> bool {
    let says = |byte: &u8| is_path_byte(*byte) || matches!(byte, b' ' | b',' | b':' | b'!');
    let words = || quoted.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    let is_plain = |word: &&[u8]| word.len() > 1 && word.iter().all(u8::is_ascii_lowercase);
    quoted.iter().all(says) && words().count() > 2 && words().filter(is_plain).count() > 1
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// Whether a quote may open behind this byte.
fn opens(before: Option<u8>) -> bool {
    !before.is_some_and(|byte| is_word(byte) || byte == b'>')
}

/// The longest value that is taken with its key.
const LONGEST_VALUE: usize = 200;

/// `key=value`: the value, unless the key says that it is the error's own.
fn value(at: Cursor<'_>) -> Option<Masked> {
    let value = at.moved_to(at.at + 1);
    let keyed = at.back(1).is_some_and(is_word);
    if at.byte() != Some(b'=') || !keyed || !value.byte().is_some_and(|byte| is_name(byte) || byte == b'<') {
        return None;
    }
    let end = value.run_within(LONGEST_VALUE, |byte| is_path_byte(byte) || byte == b':');
    let end = without_stops(value, end);
    if end == value.at || is_code(value) || value.to(end) == b"<n>" { None } else { Some(Masked::new(end, "=<n>")) }
}

fn is_free(at: Cursor<'_>) -> bool {
    !at.back(1).is_some_and(|byte| is_name(byte) || matches!(byte, b'/' | b'\\' | b'<' | b'>'))
}

fn is_path_byte(byte: u8) -> bool {
    is_name(byte) || matches!(byte, b'/' | b'\\' | b'<' | b'>' | b'*')
}

fn url(at: Cursor<'_>) -> Option<Masked> {
    let sign = at.moved_to(at.run_within(16, |byte| byte.is_ascii_alphabetic()));
    if sign.at == at.at || !is_free(at) || !sign.goes_on(b"://") {
        return None;
    }
    let end = at.run(|byte| is_path_byte(byte) || matches!(byte, b':' | b'?' | b'&' | b'=' | b',' | b';'));
    Some(Masked::new(without_stops(at, end), "<url>"))
}

/// Words with a slash that name no path.
const WORDS: &[&str] = &["I/O", "N/A", "and/or", "input/output", "Input/output", "TCP/IP"];

/// A token with a separator, or a name with a file's ending.
fn path(at: Cursor<'_>) -> Option<Masked> {
    if !is_free(at) || !at.byte().is_some_and(|byte| is_name(byte) || is_slash(byte)) {
        return None;
    }
    let on_drive = at.byte().is_some_and(|byte| byte.is_ascii_alphabetic())
        && at.ahead(1) == Some(b':')
        && at.ahead(2).is_some_and(is_slash);
    let from = at.moved_to(at.at + if on_drive { "C:".len() } else { 0 });
    let whole = from.to(from.run(is_path_byte));
    let tag = whole.windows(2).position(|two| two == b"</").unwrap_or(whole.len());
    let end = without_stops(at, from.at + tag);
    let token = at.to(end);
    let separated = token.iter().any(|byte| is_name(*byte)) && token.iter().any(|byte| is_slash(*byte));
    let word = WORDS.iter().any(|word| word.as_bytes() == token);
    if (separated && !word) || is_file_name(token) { Some(Masked::new(end, "<path>")) } else { None }
}

fn is_slash(byte: u8) -> bool {
    byte == b'/' || byte == b'\\'
}

/// A sentence's end belongs to no path.
fn without_stops(at: Cursor<'_>, end: usize) -> usize {
    let stops = at.to(end).iter().rev().take_while(|byte| matches!(byte, b'.' | b',' | b';' | b':')).count();
    end - stops
}

/// `name.rs`: letters before the dot, one to four letters or digits behind it that begin with a letter.
fn is_file_name(token: &[u8]) -> bool {
    let Some(dot) = token.iter().rposition(|byte| *byte == b'.') else { return false };
    let (name, ending) = (token.get(..dot).unwrap_or_default(), token.get(dot + 1..).unwrap_or_default());
    let named = name.iter().any(u8::is_ascii_alphabetic);
    let ends =
        (1..=4).contains(&ending.len()) && ending.iter().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    named && ends && ending.first().is_some_and(u8::is_ascii_lowercase)
}

/// `a::b::c`.
fn module_path(at: Cursor<'_>) -> Option<Masked> {
    if !at.byte().is_some_and(is_word) {
        return None;
    }
    // Behind a colon this token was asked for already, at its beginning.
    if at.back(1) == Some(b':') && at.moved_to(at.run_back(3, |byte| byte == b':')).back(1).is_some_and(is_word) {
        return None;
    }
    let end = at.run(|byte| is_word(byte) || byte == b':');
    let colons = at.to(end).iter().rev().take_while(|byte| **byte == b':').count();
    let token = at.to(end - colons);
    let joined = token.windows(2).any(|two| two == b"::");
    if joined && at.is_start() { Some(Masked::new(end - colons, "<name>")) } else { None }
}

/// `test_x`, `x_test`, `TestX`.
fn test_name(at: Cursor<'_>) -> Option<Masked> {
    let end = at.run(is_word);
    let word = at.to(end);
    let go = word.strip_prefix(b"Test").is_some_and(|rest| rest.first().is_some_and(u8::is_ascii_uppercase));
    let snake = (word.starts_with(b"test_") || word.ends_with(b"_test")) && word.len() > 5;
    if at.is_start() && (go || snake) { Some(Masked::new(end, "<test>")) } else { None }
}

/// Past the number, masked or negative, that goes on with a name.
fn numbered_end(at: Cursor<'_>) -> Option<usize> {
    let number = at.moved_to(at.at + usize::from(at.byte() == Some(b'-')));
    let end = if number.goes_on(b"<n>") { number.at + 3 } else { number.run(is_digit) };
    (end > number.at && at.ends_at(end)).then_some(end)
}

/// `rdd_2_1`, `attempt_1445062781_0011_m_000001`, `blk_-16089`: a name that a program counted up.
fn numbered_name(at: Cursor<'_>) -> Option<Masked> {
    if !at.is_start() {
        return None;
    }
    let end = at.run(is_word);
    if at.to(end).ends_with(b"_") {
        return numbered_end(at.moved_to(end)).map(|end| Masked::new(end, "<name>"));
    }
    let parts = at.to(end).rsplit(|byte| *byte == b'_');
    let counts = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    let last = parts.clone().next().is_some_and(counts);
    let long = parts.clone().any(|part| counts(part) && part.len() >= 4);
    if (last || long) && parts.count() > 1 { Some(Masked::new(end, "<name>")) } else { None }
}

/// A word with a digit in it, with all that is joined to it: `node_A8`, `R23-M0`, `core.<n>`, `ssh2`.
fn numbered_word(at: Cursor<'_>) -> Option<Masked> {
    let plain = at.moved_to(at.run(|byte| is_word(byte) && !is_digit(byte)));
    if !plain.byte().is_some_and(is_path_byte) || !is_free(at) || at.goes_on(b"0x") {
        return None;
    }
    let end = without_stops(at, plain.run(is_path_byte));
    let token = at.to(end);
    let numbered = token.iter().any(u8::is_ascii_digit) || token.windows(3).any(|three| three == b"<n>");
    let named = token.iter().any(|byte| byte.is_ascii_alphabetic() || *byte == b'_') && token != b"<n>";
    let closed = token.iter().map(|byte| i32::from(*byte == b'<') - i32::from(*byte == b'>')).sum::<i32>() == 0;
    let opened = || at.moved_to(at.at - usize::from(matches!(at.back(1), Some(b'[' | b'('))));
    let tells = || is_error_code(token) || is_sqlstate(token) || name::is_error_name(token) || is_code(opened());
    (numbered && named && closed && !tells()).then(|| Masked::new(end, "<name>"))
}

/// Capitals and a number, as errors are numbered: `E0308`, `TS2345`, `ORA-00942`.
pub(in crate::signature) fn is_error_code(word: &[u8]) -> bool {
    let letters = word.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
    let rest = word.get(letters..).unwrap_or_default();
    let digits = rest.strip_prefix(b"-").unwrap_or(rest);
    (1..=8).contains(&letters) && (2..=6).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit)
}

/// `42S02`, `22P02`: what data bases number their errors by. Those that begin with letters are spelled as others are.
fn is_sqlstate(word: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    word.len() == 5 && word.iter().all(is_part) && word.iter().take(2).all(u8::is_ascii_digit)
}

/// The port of an address, or the place in a file: one with what is before it.
fn port(at: Cursor<'_>) -> Option<Masked> {
    let number = at.moved_to(at.at + 1);
    let end = if number.goes_on(b"<n>") { number.at + 3 } else { number.run(is_digit) };
    (at.is_behind_mask() && end > number.at && at.ends_at(end)).then(|| Masked::new(end, ""))
}

/// Words after which a number is an error's own code.
const CODES: &[&str] = &[
    "code", "status", "errno", "error", "err", "exit", "exited", "signal", "http", "rc", "reason", "sqlstate", "fatal",
];

/// Words before the status that a server answers with.
const ANSWERS: &[&str] = &["answered", "returned", "responded", "response", "got", "with"];

/// A number that is no error code, and the numbers joined to it by dots.
fn number(at: Cursor<'_>) -> Option<Masked> {
    let mut end = at.run(is_digit);
    let inside = at.back(1).is_some_and(|byte| is_word(byte) || byte == b'>');
    if end == at.at || !at.ends_at(end) || inside || is_code(at) || is_status(at, end) {
        return None;
    }
    while at.moved_to(end).byte() == Some(b'.') && at.ends_at(at.moved_to(end + 1).run(is_digit)) {
        let next = at.moved_to(end + 1).run(is_digit);
        if next == end + 1 {
            break;
        }
        end = next;
    }
    Some(Masked::new(end, "<n>"))
}

/// Three digits of which the first tells what kind of answer it is, behind a word that says that it is one.
fn is_status(at: Cursor<'_>, end: usize) -> bool {
    end - at.at == 3 && matches!(at.byte(), Some(b'4' | b'5')) && is_one_of(word_before(at), ANSWERS)
}

fn word_before(at: Cursor<'_>) -> &[u8] {
    let signs = at.moved_to(at.run_back(3, |byte| matches!(byte, b' ' | b':' | b'=' | b'-')));
    signs.moved_to(signs.run_back(9, |byte| byte.is_ascii_alphabetic())).to(signs.at)
}

fn is_code(at: Cursor<'_>) -> bool {
    is_one_of(word_before(at), CODES)
}
