//! Text without what a terminal would not show, as one line.

use super::Masked;
use super::cursor::{Cursor, is_digit};

/// How much of a text is read: masks are shorter than what they stand for, so more than is kept.
const READ: usize = 16 * 1024;

/// One line: without escape sequences and overwritten progress, white space as single blanks.
pub(super) fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(READ));
    for line in text.split('\n') {
        let shown = line.trim_end_matches('\r').rsplit('\r').next().unwrap_or_default();
        if append(&mut out, shown) {
            break;
        }
        blank(&mut out);
    }
    out.truncate(out.trim_end().len());
    out
}

/// Tells whether there is no room for more.
fn append(out: &mut String, line: &str) -> bool {
    let mut rest = line;
    while !rest.is_empty() {
        let plain = rest.bytes().position(|byte| byte <= b' ' || byte >= 0x7f).unwrap_or(rest.len());
        let (shown, other) = rest.split_at(plain);
        let room = READ.saturating_sub(out.len());
        if shown.len() >= room {
            out.push_str(shown.get(..room).unwrap_or_default());
            cut_word(out);
            return true;
        }
        out.push_str(shown);
        let mut chars = other.chars();
        match chars.next() {
            Some('\u{1b}') => skip_escape(&mut chars),
            Some(char) if char.is_whitespace() || char.is_control() => blank(out),
            Some(char) => out.push(char),
            None => {}
        }
        rest = chars.as_str();
    }
    false
}

/// A word that is cut could be taken for another: all of it goes.
fn cut_word(out: &mut String) {
    if let Some(blank) = out.rfind(' ') {
        out.truncate(blank);
    }
}

fn blank(out: &mut String) {
    if !out.is_empty() && !out.ends_with(' ') {
        out.push(' ');
    }
}

/// Control sequences end with a letter, operating system commands with a bell or an escape of their own.
fn skip_escape(chars: &mut std::str::Chars<'_>) {
    match chars.next() {
        Some('[') => skip_past(chars, |char| ('@'..='~').contains(&char)),
        Some(']') => skip_past(chars, |char| matches!(char, '\u{7}' | '\u{1b}' | '\\')),
        Some('(' | ')') => _ = chars.next(),
        _ => {}
    }
}

fn skip_past(chars: &mut std::str::Chars<'_>, ends: fn(char) -> bool) {
    _ = chars.find(|char| ends(*char));
}

/// The mark that the client puts where it cut output.
pub(super) fn truncation_mark(at: Cursor<'_>) -> Option<Masked> {
    let number = at.moved_to(at.at + b"... [".len());
    if !at.goes_on(b"... [") {
        return None;
    }
    let close = number.moved_to(number.run(is_digit));
    let mark = b" characters truncated] ...";
    if close.goes_on(mark) { Some(Masked::new(close.at + mark.len(), "<cut>")) } else { None }
}
