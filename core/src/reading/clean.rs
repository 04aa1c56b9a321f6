//! The part of an output that is looked at, without colours, progress lines and cut marks.

use std::borrow::Cow;

/// How much of a long output's beginning and end is looked at.
const HEAD: usize = 16 * 1024;
const TAIL: usize = 64 * 1024;

/// A bounded, plain part of the text: whole lines, no control sequences.
pub fn clean(text: &str) -> Cow<'_, str> {
    let text = window(text);
    if has_controls(text.as_bytes()) { Cow::Owned(plain(&text)) } else { text }
}

/// The text without the warnings that a program draws a box around: what stands in one is no error.
pub(crate) fn without_boxed_warnings(text: Cow<'_, str>) -> Cow<'_, str> {
    const WARNING: &str = "│ Warning: ";
    // Most texts are plain ASCII, which is seen faster than a word is missed.
    if text.is_ascii() || !text.contains(WARNING) {
        return text;
    }
    let mut is_warning = false;
    let is_kept = |line: &&str| {
        is_warning = line.starts_with(WARNING) || is_warning && line.starts_with('│') && !line.starts_with("│ Error: ");
        !is_warning
    };
    Cow::Owned(text.split_inclusive('\n').filter(is_kept).collect())
}

/// Whether there is anything to take out. Whole chunks without an early exit: the compiler makes vectors of that.
fn has_controls(bytes: &[u8]) -> bool {
    let is_control = |b: u8| b < b' ' && b != b'\n' && b != b'\t' || b == 0x7F;
    bytes.chunks(1024).any(|chunk| chunk.iter().fold(false, |found, b| found | is_control(*b)))
}

fn window(text: &str) -> Cow<'_, str> {
    if text.len() <= HEAD + TAIL {
        return Cow::Borrowed(text);
    }
    let head = text.get(..text.floor_char_boundary(HEAD)).unwrap_or("");
    let tail = text.get(text.ceil_char_boundary(text.len() - TAIL)..).unwrap_or("");
    let head = head.rfind('\n').and_then(|end| head.get(..end)).unwrap_or(head);
    let tail = tail.find('\n').and_then(|start| tail.get(start + 1..)).unwrap_or(tail);
    Cow::Owned(format!("{head}\n{tail}"))
}

/// Takes out escape sequences and control characters. Of a line that was written over by carriage returns, only what
/// stood there last is kept; where the cursor goes to another line, a line ends.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut line_start = 0;
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|b| (b < b' ' && b != b'\t') || b == 0x7F) {
        out.push_str(rest.get(..at).unwrap_or(""));
        let after = rest.get(at + 1..).unwrap_or("");
        rest = after;
        match text_byte(text, after) {
            b'\n' => {
                out.push('\n');
                line_start = out.len();
            }
            b'\r' if !after.is_empty() && !after.starts_with(['\n', '\r']) => out.truncate(line_start),
            0x1B => {
                let length = escape_length(after.as_bytes());
                if out.len() > line_start && leaves_line(after.as_bytes().get(..length)) {
                    out.push('\n');
                    line_start = out.len();
                }
                rest = after.get(length..).unwrap_or("");
            }
            0x08 if out.len() > line_start => drop(out.pop()),
            _ => {}
        }
    }
    out.push_str(rest);
    out
}

/// The byte just before `after`, which is a tail of `text`.
fn text_byte(text: &str, after: &str) -> u8 {
    let before = text.len().checked_sub(after.len() + 1);
    before.and_then(|at| text.as_bytes().get(at)).copied().unwrap_or(0)
}

/// How long the escape sequence is, without the escape character.
fn escape_length(bytes: &[u8]) -> usize {
    match bytes.first() {
        Some(b'[') => 1 + ends_at(bytes.get(1..), |b| (0x40..=0x7E).contains(&b)),
        Some(b']') => 1 + ends_at(bytes.get(1..), |b| b == 0x07 || b == b'\\' || b == b'\n'),
        Some(b'(' | b')') => 2,
        Some(byte) if byte.is_ascii() => 1,
        _ => 0,
    }
}

/// Whether an escape sequence sends the cursor to another line.
fn leaves_line(sequence: Option<&[u8]>) -> bool {
    matches!(sequence, Some([b'[', .., b'A' | b'B' | b'E' | b'F' | b'H' | b'd' | b'f']))
}

/// Whether a program drew on a terminal: it sent the cursor to a line and column.
pub(crate) fn is_drawn(text: &str) -> bool {
    text.split("\u{1b}[").skip(1).any(|rest| {
        let place = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        place.starts_with('H') && rest.get(..rest.len() - place.len()).is_some_and(|place| place.contains(';'))
    })
}

fn ends_at(bytes: Option<&[u8]>, is_end: impl Fn(u8) -> bool) -> usize {
    let bytes = bytes.unwrap_or(&[]);
    // A sequence that never ends is a lone escape character, not a way to hide the rest.
    bytes
        .iter()
        .take(64)
        .position(|b| is_end(*b) || *b == b'\n')
        .map_or(0, |end| end + usize::from(bytes.get(end) != Some(&b'\n')))
}

/// Every line without the number or count that `grep -n`, `nl` or `uniq -c` put before it.
pub(super) fn without_numbers(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let rest = line.trim_start();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let numbered = digits > 0 && digits <= 7 && rest.as_bytes().get(digits).is_some_and(|b| b":- \t".contains(b));
        plain.push_str(rest.get(digits + 1..).filter(|_| numbered).unwrap_or(line));
    }
    plain
}

/// A line without the mark of the task that printed it: `[lint] `, `web-1  | `, `@app/web:test: `.
pub fn without_task_mark(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let head = line.get(..line.floor_char_boundary(LONGEST_MARK + 4))?;
    // Most lines have no mark, and the sign behind their first word tells.
    let length = match head.bytes().find(|byte| !is_plain_byte(*byte))? {
        b'[' => bracketed(head),
        b' ' => piped(head),
        b':' => scoped(head),
        _ => None,
    };
    line.get(length?..)
}

const LONGEST_MARK: usize = 48;

fn bracketed(head: &str) -> Option<usize> {
    let (mark, _) = head.strip_prefix('[')?.split_once("] ")?;
    let is_mark = mark.len() <= LONGEST_MARK
        && mark.starts_with(|c: char| c.is_ascii_alphabetic() || c == '@')
        && mark.bytes().all(|b| b.is_ascii_alphanumeric() || b":._/@-".contains(&b));
    is_mark.then_some(mark.len() + 3)
}

fn piped(head: &str) -> Option<usize> {
    let (padded, _) = head.split_once('|').filter(|(before, after)| before.ends_with(' ') && after.starts_with(' '))?;
    let padded = padded.strip_suffix(' ')?;
    let mark = padded.trim_end();
    let is_mark = mark.len() <= LONGEST_MARK && mark.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b));
    (is_mark && !mark.bytes().all(|b| b.is_ascii_digit())).then_some(padded.len() + 3)
}

fn scoped(head: &str) -> Option<usize> {
    let (package, rest) = head.split_once(':')?;
    // `name: text` has no task.
    if package.is_empty() || rest.starts_with(' ') || !is_plain(package) {
        return None;
    }
    let (task, _) = rest.split_once(": ")?;
    let length = package.len() + 1 + task.len();
    let is_mark = length <= LONGEST_MARK && task.split(':').all(|part| !part.is_empty() && is_plain(part));
    (is_mark && task.starts_with(|c: char| c.is_ascii_alphabetic())).then_some(length + 2)
}

fn is_plain(text: &str) -> bool {
    text.bytes().all(is_plain_byte)
}

fn is_plain_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'/' | b'@' | b'-')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn colours_and_progress_go() {
        assert_eq!(clean("\u{1b}[31merror\u{1b}[0m: x"), "error: x");
        assert_eq!(clean("10%\r50%\rdone\r\nnext"), "done\nnext");
        assert_eq!(clean("a\u{1b}]8;;http://x\u{7}link"), "alink");
        assert_eq!(clean("ab\u{8}c\u{0}"), "ac");
        assert_eq!(clean("a\u{1b}[3;1Hb\u{1b}[31mc\n\u{1b}[2Ad"), "a\nbc\nd");
        assert!(is_drawn("\u{1b}[24;1Ha") && !is_drawn("\u{1b}[Ha\u{1b}[1;31mH;"));
        assert_eq!(clean("plain ä\ttext\n"), "plain ä\ttext\n");
    }

    #[test]
    fn a_long_text_keeps_both_ends() {
        let text = format!("first line\n{}last line", "middle\n".repeat(40_000));
        let kept = clean(&text);
        assert!(kept.len() <= HEAD + TAIL + 1);
        assert!(kept.starts_with("first line\n") && kept.ends_with("\nlast line"));
    }

    #[test]
    fn task_marks_are_known() {
        assert_eq!(without_task_mark("[lint:go] a.go:1: x"), Some("a.go:1: x"));
        assert_eq!(without_task_mark("web-1  | Error: x"), Some("Error: x"));
        assert_eq!(without_task_mark("@app/web:test: FAIL x"), Some("FAIL x"));
        assert_eq!(without_task_mark("web:test:unit: FAIL x"), Some("FAIL x"));
        assert_eq!(without_task_mark("web: test: x"), None);
        assert_eq!(without_task_mark("web::test: x"), None);
        assert_eq!(without_task_mark(":test: x"), None);
        assert_eq!(without_task_mark("a b:test: x"), None);
        assert_eq!(without_task_mark("src/a.go:12: x"), None);
        assert_eq!(without_task_mark("12 | let x = 1;"), None);
        assert_eq!(without_task_mark("[12345] x"), None);
        assert_eq!(without_task_mark("bash: line 1: x"), None);
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[a-zé\u{1b}\\[\\]0-9;mHA\r\n\u{8}\u{7}]{0,80}") {
            let kept = clean(&text);
            prop_assert!(kept.len() <= text.len());
            is_drawn(&text);
            prop_assert_eq!(kept.find('\u{1b}'), None);
        }
    }
}
