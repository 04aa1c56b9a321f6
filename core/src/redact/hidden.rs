//! What hides a secret in a text from whoever looks for it, and is not seen: terminal sequences, overstrikes, zero-width
//! characters, the NULs of UTF-16, line ends within a word.

use std::borrow::Cow;

/// The text without escape sequences: a search that colours what it found puts them into the middle of a token.
pub(super) fn without_sequences(text: &str) -> Cow<'_, str> {
    if !holds_escape(text.as_bytes()) {
        return Cow::Borrowed(text);
    }
    let first = text.find(ESCAPE).unwrap_or(text.len());
    let (before, mut rest) = text.split_at(first);
    let mut out = String::with_capacity(text.len());
    out.push_str(before);
    while let Some(after) = rest.strip_prefix(ESCAPE) {
        let after = after.get(length(after.as_bytes())..).unwrap_or_default();
        let (plain, next) = after.split_at(after.find(ESCAPE).unwrap_or(after.len()));
        out.push_str(plain);
        rest = next;
    }
    Cow::Owned(out)
}

const ESCAPE: char = '\u{1b}';

/// Hardly any text does. Whole chunks without an early exit: the compiler makes vectors of that.
fn holds_escape(bytes: &[u8]) -> bool {
    let is_escape = |byte: u8| byte == 0x1b;
    bytes.chunks(1024).any(|chunk| chunk.iter().fold(false, |found, byte| found | is_escape(*byte)))
}

/// The text as it is read, where that is another: without characters that show nothing, without what a backspace
/// overwrote, and with words whole that go on behind an escaped line end.
pub(super) fn as_seen(text: &str) -> Option<String> {
    if !hides(text) {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            BACKSPACE => drop(out.pop()),
            CONTROL => rest = skip_controlled(&rest),
            '\\' => match continued(rest.as_str()) {
                Some(after) if !out.ends_with(char::is_whitespace) => rest = after.chars(),
                _ => out.push(c),
            },
            _ if is_invisible(c) => {}
            _ => out.push(c),
        }
    }
    Some(out)
}

const BACKSPACE: char = '\u{8}';
/// Begins a terminal sequence by itself, as escape and `[` do.
const CONTROL: char = '\u{9b}';

/// Hardly any text holds such a byte. Whole chunks without an early exit: the compiler makes vectors of that.
pub(super) fn may_hide(bytes: &[u8]) -> bool {
    bytes.chunks(1024).any(|chunk| chunk.iter().fold(false, |found, byte| found | is_suspect(*byte)))
}

/// Whether a character that begins so may be a hidden one.
fn is_suspect(byte: u8) -> bool {
    byte < b'\t' || (byte > b'\r' && byte < b' ') || byte >= 0x7f || byte == b'\\'
}

/// Whether a hidden character is there.
fn hides(text: &str) -> bool {
    let mut rest = text;
    while let Some(at) = rest.bytes().position(is_suspect) {
        let mut letters = rest.get(at..).unwrap_or_default().chars();
        let Some(c) = letters.next() else { return false };
        rest = letters.as_str();
        if is_hidden(c, rest.chars().next().unwrap_or(' ')) {
            return true;
        }
    }
    false
}

fn is_hidden(c: char, next: char) -> bool {
    is_invisible(c) || c == BACKSPACE || (c == '\\' && matches!(next, '\n' | '\r'))
}

/// Characters that show nothing: control characters, zero-width ones, marks of direction, tags.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\0'..='\u{8}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}'
        | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// What is behind an escaped line end within a word.
fn continued(rest: &str) -> Option<&str> {
    let after = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n'))?;
    after.starts_with(|c: char| !c.is_whitespace()).then_some(after)
}

fn skip_controlled<'a>(rest: &std::str::Chars<'a>) -> std::str::Chars<'a> {
    let text = rest.as_str();
    text.get(controlled(text.as_bytes())..).unwrap_or_default().chars()
}

/// How long a sequence is at most; a longer one is no sequence, and hides nothing.
const LONGEST: usize = 2048;

/// How long the sequence is, without its escape character. All of it is ASCII, or it ends before what is not.
fn length(bytes: &[u8]) -> usize {
    match bytes.first() {
        Some(b'[') => 1 + controlled(bytes.get(1..).unwrap_or_default()),
        Some(b']' | b'P' | b'X' | b'^' | b'_') => 1 + string_length(bytes.get(1..).unwrap_or_default()),
        Some(b'(' | b')' | b'*' | b'+' | b'#' | b'%') => {
            1 + usize::from(bytes.get(1).is_some_and(u8::is_ascii_graphic))
        }
        Some(byte) if byte.is_ascii_graphic() => 1,
        _ => 0,
    }
}

/// `31m`: parameters and one final letter.
fn controlled(bytes: &[u8]) -> usize {
    let body = bytes.iter().take(LONGEST).position(|byte| !(0x20..=0x3f).contains(byte));
    match body {
        Some(end) if bytes.get(end).is_some_and(|byte| (0x40..=0x7e).contains(byte)) => end + 1,
        _ => 0,
    }
}

/// `8;;https://...`: a text up to BEL or another escape, on one line.
fn string_length(bytes: &[u8]) -> usize {
    let end = bytes.iter().take(LONGEST).position(|byte| matches!(byte, 0x07 | 0x1b | b'\n'));
    match end {
        Some(end) if bytes.get(end) == Some(&0x07) => end + 1,
        Some(end) if bytes.get(end) == Some(&0x1b) => end,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_go_and_text_stays() {
        let cases = [
            ("plain", "plain"),
            ("\u{1b}[01;31m\u{1b}[Kgh\u{1b}[m\u{1b}[Kp", "ghp"),
            ("\u{1b}]8;;https://x.example\u{1b}\\name\u{1b}]8;;\u{7}", "name"),
            ("\u{1b}(Bé\u{1b}=x", "éx"),
            ("end\u{1b}", "end"),
            ("\u{1b}[12", "12"),
            ("\u{1b}[é", "é"),
            ("\u{1b}]0;never ends\nnext", "0;never ends\nnext"),
        ];
        for (text, wanted) in cases {
            assert_eq!(without_sequences(text), wanted);
        }
        assert!(matches!(without_sequences("no escape"), Cow::Borrowed(_)));
    }
}
