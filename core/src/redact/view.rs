//! The text as people read it, without what tools put around it: prefixes before its lines, escapes, and the quotation
//! marks and commas between the words of a command.

use super::Secret;
use super::bytes::{
    JUDGED, count, goes_on, is_blank, is_quote, is_visible, is_word, line_end, part, run_end, run_start,
};
use super::value;
use crate::programs;

/// What a part of a text is read as: one byte, or nothing.
struct Edit {
    start: usize,
    end: usize,
    reads: Option<u8>,
}

/// A text without its dress.
pub(super) struct View {
    pub(super) bytes: Vec<u8>,
    /// For each byte, where the part of the whole text begins and ends that it is read from.
    places: Vec<(usize, usize)>,
}

impl View {
    /// How the part of a text around these places reads without its dress; None where it has none.
    pub(super) fn of(bytes: &[u8], (first, last): (usize, usize)) -> Option<Self> {
        let start = run_start(bytes, first.saturating_sub(NEAR), first.saturating_sub(FAR), |byte| byte != b'\n');
        let end = bytes.len().min(last + FAR);
        let places = (start..end).map(|at| (at, at + 1)).collect();
        let mut view = Self { bytes: part(bytes, start, end).to_vec(), places };
        let mut is_other = false;
        for stage in [escapes, escapes, dresses, commands_in] {
            let mut edits = stage(&view.bytes);
            is_other |= !edits.is_empty();
            edits.sort_by_key(|edit| edit.start);
            view = view.with(&edits);
        }
        is_other.then_some(view)
    }

    fn with(self, edits: &[Edit]) -> Self {
        let mut out = Self { bytes: Vec::with_capacity(self.bytes.len()), places: Vec::new() };
        let mut at = 0;
        for edit in edits.iter().filter(|edit| edit.start < edit.end) {
            if edit.start < at {
                continue;
            }
            out.bytes.extend_from_slice(part(&self.bytes, at, edit.start));
            out.places.extend_from_slice(self.places.get(at..edit.start).unwrap_or_default());
            if let (Some(byte), Some(first), Some(last)) =
                (edit.reads, self.places.get(edit.start), self.places.get(edit.end - 1))
            {
                out.bytes.push(byte);
                out.places.push((first.0, last.1));
            }
            at = edit.end;
        }
        out.bytes.extend_from_slice(part(&self.bytes, at, self.bytes.len()));
        out.places.extend_from_slice(self.places.get(at..).unwrap_or_default());
        out
    }

    /// The place in the whole text of a secret in this one.
    pub(super) fn in_whole(&self, secret: Secret) -> Option<Secret> {
        let (first, last) = (self.places.get(secret.start)?, self.places.get(secret.end.checked_sub(1)?)?);
        Some(Secret { start: first.0, end: last.1, ..secret })
    }
}

/// How much of a text before the first landmark with a dress, and behind the last, is read without it.
const FAR: usize = 2048;
/// How far around a landmark signs of a dress are looked for.
pub(super) const NEAR: usize = JUDGED / 2;

/// Whether the line of a landmark has a dress, or signs of one are near it.
pub(super) fn is_dressed(bytes: &[u8], at: usize) -> bool {
    let line = run_start(bytes, at, at.saturating_sub(NEAR), |byte| byte != b'\n');
    let near = part(bytes, at.saturating_sub(NEAR), bytes.len().min(at + NEAR));
    let tells = |two: &[u8]| match two[0] {
        b'\\' => true,
        b'&' => matches!(two[1], b'q' | b'l' | b'g' | b'a' | b'#'),
        b'%' => matches!(two[1], b'2' | b'3'),
        b'$' | b'<' => two[1] == b'(',
        b'-' => two[1] == b'-',
        b'[' | b' ' | b'(' => matches!(two[1], b'"' | b'\''),
        _ => false,
    };
    let is_near = line == 0 || bytes.get(line - 1) == Some(&b'\n');
    is_near && dress(bytes, line) > 0 || near.windows(2).any(tells)
}

/// The longest text between quotation marks that is looked at.
const LONGEST: usize = 16 * 1024;

/// What is escaped, and the marks around a text that holds escapes or is a command: it is a text of its own.
fn escapes(bytes: &[u8]) -> Vec<Edit> {
    let mut edits = Vec::new();
    let (mut at, mut known) = (0, 0);
    while let Some(byte) = bytes.get(at).copied() {
        let escaped = match byte {
            b'\\' | b'&' | b'%' => escape(bytes, at),
            b'\'' if goes_on(bytes, at, b"'\\''") => Some((4, b'\'')),
            b'\'' if goes_on(bytes, at, b"'\"'\"'") => Some((5, b'\'')),
            _ => None,
        };
        if let Some((length, reads)) = escaped {
            edits.push(Edit { start: at, end: at + length, reads: Some(reads) });
            at += length;
            continue;
        }
        if is_quote(byte) && at >= known {
            let near = part(bytes, 0, bytes.len().min(at + LONGEST));
            let mut close = value::quoted_end(near, at + 1, byte);
            while byte == b'\'' && goes_on(near, close, b"'\"'\"'") {
                close = value::quoted_end(near, close + 5, byte);
            }
            let inner = part(bytes, at + 1, close);
            let is_own = if byte == b'`' {
                inner.contains(&b' ')
            } else {
                inner.windows(2).any(|two| two[0] == b'\\' && (two[1] == b'n' || is_quote(two[1])))
            };
            known = close;
            if is_own && near.get(close) == Some(&byte) {
                edits.extend([at, close].map(|at| Edit { start: at, end: at + 1, reads: Some(b'\n') }));
            }
        }
        at += 1;
    }
    edits
}

/// Signs as XML writes them.
#[rustfmt::skip]
const ENTITIES: &[(&str, u8)] = &[
    ("&quot;", b'"'), ("&#34;", b'"'), ("&#x22;", b'"'), ("&apos;", b'\''), ("&#39;", b'\''), ("&#x27;", b'\''), ("&lt;", b'<'),
    ("&gt;", b'>'), ("&amp;", b'&'), ("&#10;", b'\n'),
];

/// How long the escape at `at` is, and what it stands for.
fn escape(bytes: &[u8], at: usize) -> Option<(usize, u8)> {
    let hex = |from: usize| {
        let digits = bytes.get(from..from + 2).and_then(|two| std::str::from_utf8(two).ok())?;
        u8::from_str_radix(digits, 16).ok().filter(|byte| byte.is_ascii_punctuation() || matches!(byte, b' ' | b'\n'))
    };
    match (bytes[at], bytes.get(at + 1)?) {
        (b'%', _) => Some((3, hex(at + 1)?)),
        (b'&', _) => ENTITIES
            .iter()
            .find(|(name, _)| goes_on(bytes, at, name.as_bytes()))
            .map(|(name, sign)| (name.len(), *sign)),
        (_, b'n') => Some((2, b'\n')),
        (_, b't') => Some((2, b'\t')),
        (_, b'u') if goes_on(bytes, at + 2, b"00") => Some((6, hex(at + 4)?)),
        (_, sign @ (b'"' | b'\'' | b'\\' | b'/')) => Some((2, *sign)),
        // A command goes on in the next line.
        (_, b'\n') => Some((run_end(bytes, at + 2, is_blank) - at, b' ')),
        _ => None,
    }
}

/// What tools put before and behind each line.
fn dresses(bytes: &[u8]) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut line = 0;
    let shows_ends = bytes.contains(&b'$')
        && bytes.split(|byte| *byte == b'\n').skip(1).all(|line| line.ends_with(b"$") || line.is_empty());
    while line < bytes.len() {
        let end = run_end(bytes, line, |byte| byte != b'\n');
        edits.push(Edit { start: line, end: line + dress(part(bytes, 0, end), line), reads: None });
        if shows_ends || part(bytes, line, end).ends_with(b"\r") {
            edits.push(Edit { start: end.saturating_sub(1).max(line), end, reads: None });
        }
        line = end + 1;
    }
    edits.retain(|edit| edit.start < edit.end);
    edits
}

/// How long what tools put before a line is.
fn dress(bytes: &[u8], line: usize) -> usize {
    let mut at = line;
    for _ in 0..6 {
        let next = time(bytes, at).or_else(|| place_shown(bytes, at)).or_else(|| level(bytes, at));
        let Some(end) = next.or_else(|| service(bytes, at)).or_else(|| sign_before(bytes, at)) else { break };
        at = end;
    }
    at - line
}

/// `2026-11-27T10:00:00.123Z `, `[10:00:00] `, `Nov 27 10:00:00 host app[812]: `.
fn time(bytes: &[u8], at: usize) -> Option<usize> {
    let open = at + usize::from(goes_on(bytes, at, b"["));
    let word = run_end(part(bytes, 0, bytes.len().min(open + 4)), open, |byte| byte.is_ascii_alphabetic());
    let day = if word == open + 3 && goes_on(bytes, word, b" ") { run_end(bytes, word, is_blank) } else { open };
    let in_time = |byte: u8| {
        byte.is_ascii_digit() || matches!(byte, b':' | b'-' | b'.' | b',' | b'+' | b'/' | b'T' | b'Z' | b' ')
    };
    let end =
        run_start(bytes, run_end(part(bytes, 0, bytes.len().min(day + 40)), day, in_time), day, |byte| byte == b' ');
    let text = part(bytes, day, end);
    let signs = count(text, b':');
    if !(2..=3).contains(&signs) || text.len() < 8 || !text[0].is_ascii_digit() {
        return None;
    }
    let end = end + usize::from(open > at && goes_on(bytes, end, b"]"));
    // The host and the program.
    let host = run_end(bytes, end + 1, |byte| is_word(byte) || matches!(byte, b'.' | b'-'));
    let program = run_end(bytes, host + 1, |byte| is_visible(byte) && byte != b':');
    if day > open && goes_on(bytes, host, b" ") && goes_on(bytes, program, b": ") {
        return Some(program + 2);
    }
    goes_on(bytes, end, b" ").then_some(end + 1)
}

/// `conf/app.yml:12:`, `app.yml-12-`, `12:`, `   12\t`, ` 12 | `.
fn place_shown(bytes: &[u8], at: usize) -> Option<usize> {
    let near = part(bytes, 0, bytes.len().min(at + NEAR));
    let in_path = |byte: u8| is_word(byte) || matches!(byte, b'/' | b'.' | b'-' | b'~');
    let path = run_end(near, at, in_path);
    let number = |from: usize| Some(run_end(near, from, |byte| byte.is_ascii_digit())).filter(|end| *end > from);
    if goes_on(near, path, b":")
        && path > at
        && let Some(end) = number(path + 1).filter(|end| goes_on(near, *end, b":"))
    {
        return Some(end + 1);
    }
    if part(near, at, path).iter().any(|byte| matches!(byte, b'.' | b'/')) {
        let ends = |dash: usize| number(dash + 1).filter(|end| goes_on(near, dash, b"-") && goes_on(near, *end, b"-"));
        if let Some(end) = (at + 1..path).find_map(ends) {
            return Some(end + 1);
        }
    }
    let end = number(run_end(near, at, is_blank))?;
    let bar = run_end(near, end, is_blank);
    match near.get(bar)? {
        b':' | b'-' if bar == end => Some(end + 1),
        b'|' if goes_on(near, bar + 1, b" ") => Some(bar + 2),
        _ if goes_on(near, end, b"\t") => Some(end + 1),
        _ => None,
    }
}

/// `[INFO] `, `WARN: `, `INFO app.main: `.
fn level(bytes: &[u8], at: usize) -> Option<usize> {
    const LEVELS: &[&[u8]] = &[b"TRACE", b"DEBUG", b"INFO", b"NOTICE", b"WARN", b"WARNING", b"ERROR", b"FATAL"];
    let open = at + usize::from(goes_on(bytes, at, b"["));
    let end = run_end(part(bytes, 0, bytes.len().min(open + 24)), open, |byte| is_word(byte) || byte == b'-');
    let is_bracketed = open > at && end > open && (goes_on(bytes, end, b"] ") || goes_on(bytes, end, b"]: "));
    let is_level = LEVELS.iter().any(|level| part(bytes, open, end).eq_ignore_ascii_case(level));
    if !(is_bracketed || is_level && matches!(bytes.get(end), Some(b' ' | b':' | b']'))) {
        return None;
    }
    let next = run_end(bytes, end, |byte| is_blank(byte) || matches!(byte, b':' | b']' | b'-'));
    let name =
        run_end(part(bytes, 0, bytes.len().min(next + 48)), next, |byte| is_word(byte) || matches!(byte, b'.' | b'-'));
    let is_logger = part(bytes, next, name).contains(&b'.') && goes_on(bytes, name, b": ");
    Some(if is_logger { name + 2 } else { next })
}

/// `db-1  | `: whose line it is.
fn service(bytes: &[u8], at: usize) -> Option<usize> {
    let near = part(bytes, 0, bytes.len().min(at + 48));
    let bar = run_end(near, run_end(near, at, |byte| is_word(byte) || matches!(byte, b'-' | b'.')), is_blank);
    (goes_on(near, bar, b"| ") && bar > at && !is_blank(bytes[at])).then_some(bar + 2)
}

/// Signs of comments, quotations, lists and differences.
fn sign_before(bytes: &[u8], at: usize) -> Option<usize> {
    const SIGNS: &[&[u8]] = &[b"E   ", b"# ", b"## ", b"// ", b"* ", b"> ", b"; ", b"-- ", b"| ", b"$ "];
    let start = run_end(bytes, at, is_blank);
    let found = SIGNS.iter().find(|sign| goes_on(bytes, start, sign)).map(|sign| start + sign.len());
    found
        .or_else(|| (matches!(bytes.get(at), Some(b'+' | b'-' | b'>')) && !goes_on(bytes, at, b"--")).then_some(at + 1))
}

/// The most words of a command in a list.
const WORDS: usize = 64;

/// Commands within others, and those whose words stand in a list.
fn commands_in(bytes: &[u8]) -> Vec<Edit> {
    let mut edits = Vec::new();
    let own = |at: usize| Edit { start: at, end: at + 1, reads: Some(b'\n') };
    let mut at = 0;
    while let Some(byte) = bytes.get(at).copied() {
        let end = match byte {
            b'$' | b'<' if goes_on(bytes, at + 1, b"(") => {
                edits.push(Edit { start: at, end: at + 2, reads: Some(b'\n') });
                let near = part(bytes, 0, bytes.len().min(at + JUDGED));
                let close = run_end(near, at, |byte| byte != b')');
                edits.extend((close < near.len()).then(|| own(close)));
                at + 2
            }
            // `'s/password: .*/password: X/'`
            _ if is_expression(bytes, at) => {
                let close = line_end(part(bytes, 0, bytes.len().min(at + JUDGED)), at);
                let sign = bytes[at + 1];
                edits.extend((at + 1..close).filter(|at| bytes[*at] == sign).map(own));
                close
            }
            byte if is_quote(byte) && !is_expression(bytes, at + 1) => quoted_list(bytes, at, &mut edits),
            b'-' if goes_on(bytes, at + 1, b" ") && starts_line(bytes, at) => listed_lines(bytes, at, &mut edits),
            _ => at + 1,
        };
        at = end.max(at + 1);
    }
    edits
}

fn is_expression(bytes: &[u8], at: usize) -> bool {
    let is_sign = bytes.get(at + 1).is_some_and(|sign| matches!(sign, b'/' | b'|' | b'#' | b','));
    is_sign
        && bytes[at] == b's'
        && at.checked_sub(1).and_then(|before| bytes.get(before)).is_some_and(|before| is_quote(*before))
}

fn starts_line(bytes: &[u8], at: usize) -> bool {
    let begin = run_start(bytes, at, at.saturating_sub(JUDGED), is_blank);
    begin == 0 || bytes.get(begin - 1) == Some(&b'\n')
}

/// Whether words are those of a command: one is an option, or the first is a program.
fn is_command(bytes: &[u8], words: &[(usize, usize)]) -> bool {
    let mut texts = words.iter().map(|(start, end)| part(bytes, *start, *end));
    let first = texts.next().unwrap_or_default();
    let name = first.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    first.starts_with(b"-")
        || texts.any(|word| word.starts_with(b"-"))
        || std::str::from_utf8(name).ok().and_then(programs::find).is_some()
}

/// `['curl', '-u', 'ann:X']`, `"curl" "-u" "ann:X"`: the words of a command. Returns where the list ends.
fn quoted_list(bytes: &[u8], at: usize, edits: &mut Vec<Edit>) -> usize {
    let mut words = Vec::new();
    let mut next = at;
    let mut joins = false;
    while bytes.get(next).is_some_and(|byte| is_quote(*byte)) && words.len() < WORDS {
        let near = part(bytes, 0, bytes.len().min(next + JUDGED));
        let close = value::quoted_end(near, next + 1, bytes[next]);
        if near.get(close) != Some(&bytes[next]) {
            break;
        }
        words.push((next + 1, close));
        let more = run_end(bytes, close + 1, |byte| byte.is_ascii_whitespace() || matches!(byte, b',' | b'+'));
        joins |= part(bytes, close + 1, more).contains(&b'+');
        if more == close + 1 {
            break;
        }
        next = more;
    }
    let (Some(first), Some(last), true) = (words.first(), words.last(), words.len() > 1) else {
        return words.first().map_or(at, |word| word.1) + 1;
    };
    // `"-----BEGIN PRIVATE KEY-----" +`, and its lines.
    let is_block = joins && goes_on(bytes, first.0, super::private_key::DASHES);
    let end = last.1 + 1;
    if !is_block && !is_command(bytes, &words) {
        return end;
    }
    edits.push(Edit { start: first.0 - 1, end: first.0, reads: Some(b'\n') });
    // Several words in one keep their marks.
    let mark = |word: &(usize, usize)| usize::from(!is_block && part(bytes, word.0, word.1).contains(&b' '));
    for two in words.windows(2) {
        let (start, end) = (two[0].1 + mark(&two[0]), two[1].0 - mark(&two[1]));
        edits.push(Edit { start, end, reads: Some(if is_block { b'\n' } else { b' ' }) });
    }
    edits.push(Edit { start: last.1 + mark(last), end, reads: Some(b'\n') });
    end
}

/// `- redis-server`, `- --requirepass`, `- X`: the words of a command, one a line. Returns where the list ends.
fn listed_lines(bytes: &[u8], at: usize, edits: &mut Vec<Edit>) -> usize {
    let mut words = Vec::new();
    let mut next = at;
    let mut end = at + 1;
    while goes_on(bytes, next, b"- ") && words.len() < WORDS {
        let stop = line_end(part(bytes, 0, bytes.len().min(next + JUDGED)), next);
        let start = next + 2;
        let text = part(bytes, start, stop);
        let quote = usize::from(
            text.first().is_some_and(|first| is_quote(*first) && text.len() > 1 && text.last() == Some(first)),
        );
        if text.is_empty() || text.contains(&b' ') || text.ends_with(b":") {
            break;
        }
        words.push((start + quote, stop - quote));
        end = stop;
        next = run_end(part(bytes, 0, bytes.len().min(stop + JUDGED)), stop, |byte| byte.is_ascii_whitespace());
    }
    if words.len() > 1 && is_command(bytes, &words) {
        for two in words.windows(2) {
            edits.push(Edit { start: two[0].1, end: two[1].0, reads: Some(b' ') });
        }
        edits.push(Edit { start: at, end: words[0].0, reads: Some(b'\n') });
    }
    end
}
