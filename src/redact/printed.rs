//! Text as programs print it, without the terminal sequences that would hide a secret from its reader.

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

/// How long a sequence is at most; a longer one is no sequence, and hides nothing.
const LONGEST: usize = 2048;

/// How long the sequence is, without its escape character. All of it is ASCII, or it ends before what is not.
fn length(bytes: &[u8]) -> usize {
    match bytes.first() {
        Some(b'[') => 1 + controlled(bytes.get(1..).unwrap_or_default()),
        Some(b']' | b'P' | b'X' | b'^' | b'_') => 1 + string(bytes.get(1..).unwrap_or_default()),
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
fn string(bytes: &[u8]) -> usize {
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
