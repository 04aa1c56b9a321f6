//! Files whose kind says that what is in them is secret, whatever it is called: manifests, keys in JSON, keys of `PuTTY`.

use super::Secret;
use super::assignment::indent_of;
use super::bytes::{goes_on, is_base64, is_blank, is_quote, judged_end, line_end, part, run_end, run_start};
use super::value::{self, SecretValue};

/// How much of a file around the word that says its kind is looked at.
const DOCUMENT: usize = 8192;

/// The values below `data` and `stringData` of the manifest whose kind is named at `at`.
pub(super) fn of_manifest(bytes: &[u8], at: usize, found: &mut Vec<Secret>) -> usize {
    // `kind: SecretList`
    let word = run_end(bytes, at, |byte| byte != b'S') + b"Secret".len();
    if bytes.get(word).is_some_and(u8::is_ascii_alphanumeric) {
        return at;
    }
    let from = at.saturating_sub(DOCUMENT);
    let begin =
        part(bytes, from, at).windows(4).rposition(|four| four == b"\n---").map_or(from, |place| from + place + 4);
    let to = bytes.len().min(at + DOCUMENT);
    let end = part(bytes, at, to).windows(4).position(|four| four == b"\n---").map_or(to, |place| at + place);
    let mut next = begin;
    while let Some(place) = part(bytes, next, end).windows(4).position(|four| four.eq_ignore_ascii_case(b"data")) {
        let word = next + place;
        next = word + 4;
        let sign = run_end(bytes, next, is_quote);
        if goes_on(bytes, sign, b":") && !goes_on(bytes, word.saturating_sub(4), b"meta") {
            next = entries(part(bytes, 0, end), word, sign + 1, found);
        }
    }
    end
}

/// The values of the mapping that begins behind `data:`.
fn entries(bytes: &[u8], word: usize, from: usize, found: &mut Vec<Secret>) -> usize {
    let open = run_end(bytes, from, is_blank);
    if goes_on(bytes, open, b"{") {
        let close = run_end(bytes, open, |byte| byte != b'}');
        let mut next = open + 1;
        while let Some(colon) = part(bytes, next, close).iter().position(|byte| *byte == b':') {
            let value = SecretValue::read(bytes, run_end(bytes, next + colon + 1, |byte| byte.is_ascii_whitespace()));
            take(bytes, &value, found);
            next = value.end.max(next + colon + 1) + 1;
        }
        return close;
    }
    let outer = indent_of(bytes, word);
    let mut line = line_end(bytes, open) + 1;
    while line < bytes.len() {
        let start = run_end(bytes, line, is_blank);
        let end = line_end(bytes, start);
        if start < end && start - line <= outer {
            break;
        }
        let key = run_end(bytes, start, |byte| !matches!(byte, b':' | b' ' | b'\n'));
        let text = if goes_on(bytes, key, b":") { run_end(bytes, key + 1, is_blank) } else { start };
        let block = matches!(part(bytes, text, end).trim_ascii_end(), b"|" | b"|-" | b">" | b">-" | b"|+" | b"");
        if !block {
            take(bytes, &SecretValue { start: text, end, quote: None }, found);
        }
        line = end + 1;
    }
    line.min(bytes.len())
}

fn take(bytes: &[u8], value: &SecretValue, found: &mut Vec<Secret>) {
    let text = value.text(bytes).trim_ascii_end();
    let quotes = usize::from(text.first().is_some_and(|byte| is_quote(*byte)));
    let inner =
        part(text, quotes, text.len() - usize::from(text.len() > 1 && quotes == 1 && text.last() == text.first()));
    if !value::is_placeholder(inner) {
        let start = value.start + quotes;
        found.push(Secret { start, end: start + inner.len(), kind: "secret" });
    }
}

/// Members of a key in JSON that are its private part.
const PRIVATE: &[&[u8]] = &[b"d", b"k", b"p", b"q", b"dp", b"dq", b"qi"];

/// The private members of the key in JSON whose type stands at `at`.
pub(super) fn of_web_key(bytes: &[u8], at: usize, found: &mut Vec<Secret>) -> usize {
    let open = run_start(bytes, at, at.saturating_sub(DOCUMENT), |byte| byte != b'{');
    let close = run_end(part(bytes, 0, bytes.len().min(at + DOCUMENT)), at, |byte| byte != b'}');
    let mut next = open;
    while let Some(colon) = part(bytes, next, close).iter().position(|byte| *byte == b':') {
        let sign = next + colon;
        let label = run_start(bytes, sign, open, |byte| is_quote(byte) || byte.is_ascii_whitespace() || byte == b'\\');
        let name = part(bytes, run_start(bytes, label, open, |byte| byte.is_ascii_alphanumeric()), label);
        let value = SecretValue::read(bytes, run_end(bytes, sign + 1, |byte| byte.is_ascii_whitespace()));
        if PRIVATE.contains(&name) && value.quote.is_some() && !value::is_placeholder(value.text(bytes)) {
            found.push(Secret { start: value.start, end: value.end, kind: "private_key" });
        }
        next = value.end.max(sign + 1);
    }
    close
}

/// The lines of a `PuTTY` key, behind `Private-Lines: N`.
pub(super) fn of_lines(bytes: &[u8], at: usize) -> Option<Secret> {
    let line = judged_end(bytes, at, |byte| !matches!(byte, b'\n' | b'\r'));
    let start = run_end(bytes, line, |byte| byte.is_ascii_whitespace() || byte == b'\\' || byte == b'n');
    let mut end = start;
    loop {
        let stop = run_end(bytes, end, is_base64);
        if stop == end || goes_on(bytes, stop, b"-") || goes_on(bytes, stop, b":") {
            break;
        }
        let next = run_end(bytes, stop, |byte| matches!(byte, b'\n' | b'\r'));
        end = stop;
        let following = run_end(bytes, next, is_base64);
        if next == stop || following - next < 16 || goes_on(bytes, following, b":") {
            break;
        }
        end = next;
    }
    (end > start).then_some(Secret { start, end, kind: "private_key" })
}
