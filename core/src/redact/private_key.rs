//! Private keys in their text form, whole or cut.

use super::Secret;
use super::bytes::{goes_on, is_base64, is_blank, judged_end, line_end, mark_end, part, run_end, run_start};

pub(super) const KIND: &str = "private_key";
/// What a marker begins and ends with.
pub(super) const DASHES: &[u8] = b"-----";

/// The block of a private key whose first or last line begins at `at`.
pub(super) fn at(bytes: &[u8], at: usize, floor: usize) -> Option<Secret> {
    // A key of SSH2: `---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----`.
    let line = judged_end(bytes, at, |byte| byte != b'\n');
    if goes_on(bytes, at, b"---- ") {
        let is_private = part(bytes, at, line).windows(PRIVATE[0].len()).any(|words| words == PRIVATE[0]);
        return is_private.then(|| Secret { start: at, end: body_end(bytes, line), kind: KIND });
    }
    let close = label(bytes, at, b"-----BEGIN ");
    match close {
        Some(close) => Some(Secret { start: at, end: block_end(bytes, close), kind: KIND }),
        None => {
            label(bytes, at, b"-----END ").map(|end| Secret { start: body_start(bytes, at, floor), end, kind: KIND })
        }
    }
}

/// Where the marker line ends, if it names a private key.
fn label(bytes: &[u8], at: usize, open: &[u8]) -> Option<usize> {
    if !goes_on(bytes, at, open) {
        return None;
    }
    let start = at + open.len();
    let end = judged_end(bytes, start, |byte| byte.is_ascii_alphanumeric() || byte == b' ');
    let named = PRIVATE.iter().any(|name| part(bytes, start, end).windows(name.len()).any(|words| words == *name));
    (named && goes_on(bytes, end, DASHES)).then_some(end + DASHES.len())
}

const PRIVATE: &[&[u8]] = &[b"PRIVATE KEY", b"Static key"];

/// Up to the block's own last line; if that was cut off, as far as lines look like a key.
fn block_end(bytes: &[u8], from: usize) -> usize {
    let next = from
        + part(bytes, from, bytes.len())
            .windows(DASHES.len())
            .position(|five| five == DASHES)
            .unwrap_or(bytes.len() - from);
    label(bytes, next, b"-----END ").unwrap_or_else(|| body_end(part(bytes, 0, next), from))
}

/// The lines of a key are of one length; the first shorter one is the last.
fn body_end(bytes: &[u8], from: usize) -> usize {
    let (mut end, mut at, mut width) = (from, from, 0);
    while let Some((line, next)) = line_at(bytes, at) {
        let length = line.1 - line.0;
        if length == 0 {
            (at, end) = match mark_end(bytes, next) {
                Some(marked) => (marked, end),
                None if next > at => (next, end),
                None => break,
            };
            continue;
        }
        if !is_body(part(bytes, line.0, line.1)) {
            break;
        }
        (at, end) = (next, line.1);
        if length < width {
            break;
        }
        width = length;
    }
    end
}

/// The content of the line at `at` without blanks around it, and where the next line begins.
fn line_at(bytes: &[u8], at: usize) -> Option<((usize, usize), usize)> {
    bytes.get(at)?;
    let from = run_end(bytes, at, is_blank);
    // A shell that prints a key without quotation marks makes blanks of its line ends.
    let mut stop = run_end(bytes, from, |byte| !matches!(byte, b'\n' | b'\r' | b'\\' | b' '));
    let escaped = goes_on(bytes, stop, b"\\n");
    if !escaped && !goes_on(bytes, stop, b" ") {
        stop = line_end(bytes, stop);
    }
    let next = if escaped { stop + 2 } else { run_end(bytes, stop, |byte| matches!(byte, b'\n' | b'\r' | b' ')) };
    let start = run_end(bytes, at, is_blank).min(stop);
    Some(((start, run_start(bytes, stop, start, is_blank)), next))
}

/// Base64 without blanks, of a length or with signs that no word has.
fn is_body(line: &[u8]) -> bool {
    let telling =
        line.len() >= 16 || line.iter().any(|byte| byte.is_ascii_digit() || matches!(byte, b'=' | b'/' | b'+'));
    telling && line.iter().all(|byte| is_base64(*byte))
}

/// The lines above a last line whose first line was cut off.
fn body_start(bytes: &[u8], at: usize, floor: usize) -> usize {
    let (mut start, mut end) = (at, at);
    while end > floor {
        let line = run_start(bytes, end, floor, |byte| byte != b'\n');
        let content = part(bytes, line, end).trim_ascii();
        if !content.is_empty() && !is_body(content) {
            break;
        }
        if !content.is_empty() {
            start = line;
        }
        end = line.saturating_sub(1).max(floor);
        if line == floor {
            break;
        }
    }
    start
}
