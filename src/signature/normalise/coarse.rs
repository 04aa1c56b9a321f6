//! What two failures of a kind share: no paths, names, tests and numbers.

use super::cursor::{Cursor, is_digit, is_name, is_word};
use super::{Context, LONGEST, Masked, ROUNDS, cut, fine, settled};

/// The text for "the same kind of failure": what [`fine`] masks, and paths, quoted names, tests and numbers.
/// Error codes stay. Normalising it again changes nothing.
pub fn coarse(text: &str) -> String {
    coarse_of(fine(text))
}

/// [`coarse`] of a text that is finely normalised already.
pub(in crate::signature) fn coarse_of(fine_text: String) -> String {
    let mut text = fine_text;
    for _ in 0..ROUNDS {
        let next = masked(&text);
        if next == text {
            break;
        }
        text = settled(next, &Context::default());
    }
    text
}

fn masked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = Cursor::new(text);
    while at.byte().is_some() {
        let (end, piece) = mask_at(at).map_or_else(|| at.piece(), |mask| (mask.end, mask.words));
        if out.len() + piece.len() > LONGEST {
            return cut(out);
        }
        out.push_str(piece);
        at = at.moved_to(end);
    }
    out
}

/// The first row that knows what begins here decides.
const MASKS: &[fn(Cursor<'_>) -> Option<Masked>] =
    &[|at| at.mask_word(), quoted, url, path, module_path, test_name, number];

fn mask_at(at: Cursor<'_>) -> Option<Masked> {
    if at.byte() == Some(b' ') { None } else { MASKS.iter().find_map(|mask| mask(at)) }
}

/// The longest quotation that is taken for a name.
const LONGEST_NAME: usize = 200;

/// A quoted name. An apostrophe within a word opens nothing.
fn quoted(at: Cursor<'_>) -> Option<Masked> {
    let quote = at.byte().filter(|byte| matches!(byte, b'"' | b'\'' | b'`'))?;
    if at.back(1).is_some_and(|byte| is_word(byte) || byte == b'>') {
        return None;
    }
    let inside = at.moved_to(at.at + 1);
    let end = inside.to((inside.at + LONGEST_NAME).min(inside.run(|_| true)));
    let close = inside.at + end.iter().position(|byte| *byte == quote)?;
    if close > inside.at && at.ends_at(close + 1) { Some(Masked::new(close + 1, "<name>")) } else { None }
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
    let whole = at.to(at.run(is_path_byte));
    let tag = whole.windows(2).position(|two| two == b"</").unwrap_or(whole.len());
    let end = without_stops(at, at.at + tag);
    let token = at.to(end);
    let separated = token.iter().any(|byte| is_name(*byte)) && token.iter().any(|byte| is_slash(*byte));
    let word = WORDS.iter().any(|word| word.as_bytes() == token);
    if (separated && !word) || is_file(token) { Some(Masked::new(end, "<path>")) } else { None }
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
fn is_file(token: &[u8]) -> bool {
    let Some(dot) = token.iter().rposition(|byte| *byte == b'.') else { return false };
    let (name, ending) = (token.get(..dot).unwrap_or_default(), token.get(dot + 1..).unwrap_or_default());
    let named = name.iter().any(u8::is_ascii_alphabetic);
    let ends =
        (1..=4).contains(&ending.len()) && ending.iter().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    named && ends && ending.first().is_some_and(u8::is_ascii_lowercase)
}

/// `a::b::c`.
fn module_path(at: Cursor<'_>) -> Option<Masked> {
    let end = at.run(|byte| is_word(byte) || byte == b':');
    let colons = at.to(end).iter().rev().take_while(|byte| **byte == b':').count();
    let token = at.to(end - colons);
    let joined = token.windows(2).any(|two| two == b"::");
    let named = token.first().is_some_and(|byte| is_word(*byte));
    if joined && named && at.is_start() { Some(Masked::new(end - colons, "<name>")) } else { None }
}

/// `test_x`, `x_test`, `TestX`.
fn test_name(at: Cursor<'_>) -> Option<Masked> {
    let end = at.run(is_word);
    let word = at.to(end);
    let go = word.strip_prefix(b"Test").is_some_and(|rest| rest.first().is_some_and(u8::is_ascii_uppercase));
    let snake = (word.starts_with(b"test_") || word.ends_with(b"_test")) && word.len() > 5;
    if at.is_start() && (go || snake) { Some(Masked::new(end, "<test>")) } else { None }
}

/// Words after which a number is an error's own code.
const CODES: &[&str] = &["code", "status", "errno", "error", "exit", "exited", "signal", "http", "rc"];

/// A number that is no error code.
fn number(at: Cursor<'_>) -> Option<Masked> {
    let end = at.run(is_digit);
    if end == at.at || !at.ends_at(end) || at.back(1).is_some_and(|byte| is_word(byte) || byte == b'>') || is_code(at) {
        return None;
    }
    Some(Masked::new(end, "<n>"))
}

fn is_code(at: Cursor<'_>) -> bool {
    let signs = at.moved_to(at.run_back(3, |byte| matches!(byte, b' ' | b':' | b'=' | b'-')));
    let word = signs.moved_to(signs.run_back(8, |byte| byte.is_ascii_alphabetic())).to(signs.at);
    CODES.iter().any(|code| word.eq_ignore_ascii_case(code.as_bytes()))
}
