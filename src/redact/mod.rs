//! Secrets out of text before it is stored, hashed or shown.
//!
//! One pass from left to right. A word is looked at only when its first two letters begin a known token, a `:` or `=`
//! only when the word before it ends like the name of a secret, so ordinary text costs a few instructions a byte.
//! A mark holds the kind of the secret and nothing made from the secret.

mod assignment;
mod bytes;
pub mod call;
mod credentials;
mod printed;
mod private_key;
#[cfg(test)]
mod tests;
mod token;

use std::borrow::Cow;

use bytes::is_word;
use credentials::PasswordFlags;

/// A secret in a text: where it stands and what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Secret {
    start: usize,
    end: usize,
    kind: &'static str,
}

/// The text with each secret replaced by `[redacted:<kind>]`; borrowed when there is none.
///
/// Redact before cutting: a token whose known beginning was cut off can no longer be distinguished from other text.
/// Redacting twice changes nothing.
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut clean = Cow::Borrowed(text);
    for _ in 0..ROUNDS {
        let secrets = Scan::over(clean.as_bytes());
        if secrets.is_empty() {
            break;
        }
        clean = Cow::Owned(without(&clean, &secrets));
    }
    clean
}

/// The same for text that a program printed: terminal sequences are taken out first, as one may be within a secret.
pub fn redact_printed(text: &str) -> Cow<'_, str> {
    match printed::without_sequences(text) {
        Cow::Borrowed(text) => redact(text),
        Cow::Owned(text) => Cow::Owned(redact(&text).into_owned()),
    }
}

/// The same for a value whose name is known, such as a field of a tool's input: one that `name="value"` would hide is
/// hidden as a whole.
pub fn redact_value<'a>(name: &str, value: &'a str) -> Cow<'a, str> {
    // What could end the quoted value early is blanked, so that the value is judged as a whole.
    let closes = |c| matches!(c, '"' | '\\' | '\n' | '\r');
    let quiet: String = value.chars().map(|c| if closes(c) { ' ' } else { c }).collect();
    let assigned = format!("{name}=\"{quiet}\"");
    let clean = redact(&assigned);
    let whole = clean.get(name.len() + 2..).filter(|clean| clean.starts_with("[redacted:") && clean.ends_with("]\""));
    match whole.and_then(|mark| mark.strip_suffix('"')) {
        Some(mark) if !mark.contains(' ') => Cow::Owned(mark.to_owned()),
        _ => redact_printed(value),
    }
}

/// A secret inside another's value can hide the other until its mark is there. Text without secrets takes one.
const ROUNDS: usize = 4;

fn without(text: &str, secrets: &[Secret]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for secret in secrets {
        out.push_str(text.get(done..secret.start).unwrap_or_default());
        out.push_str("[redacted:");
        out.push_str(secret.kind);
        out.push(']');
        done = secret.end;
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out
}

/// The pass over the text and what it has found.
struct Scan<'a> {
    bytes: &'a [u8],
    /// The end of the last secret: nothing before it is looked at again, as nothing of it is there the second time.
    floor: usize,
    /// A secret that begins a little further on; other tokens may be before it.
    ahead: Option<Secret>,
    /// The program on this command line whose short flags carry passwords.
    program: PasswordFlags,
    /// Where that command line ends.
    line_end: usize,
    found: Vec<Secret>,
}

impl<'a> Scan<'a> {
    fn over(bytes: &'a [u8]) -> Vec<Secret> {
        let mut scan =
            Self { bytes, floor: 0, ahead: None, program: PasswordFlags::Other, line_end: 0, found: Vec::new() };
        let mut at = 0;
        loop {
            let next = place_of_interest(bytes, at);
            at = match scan.ahead.take_if(|secret| next.is_none_or(|next| secret.start <= next)) {
                Some(secret) => scan.take(secret),
                None => match next {
                    Some(next) => scan.look(next),
                    None => return scan.found,
                },
            };
        }
    }

    /// Looks at one place and says where to go on.
    fn look(&mut self, at: usize) -> usize {
        match self.bytes.get(at) {
            Some(b':') => self.meet(at, credentials::after_colon, assignment::at),
            Some(b'=') => self.meet(at, assignment::at, |_, _, _| None),
            Some(b'-') => self.dash(at),
            // The letter of an escape in quoted text is no part of the word after it.
            Some(b'\\') => at + 1 + usize::from(matches!(self.bytes.get(at + 1), Some(b'n' | b'r' | b't'))),
            _ => self.word(at),
        }
    }

    fn word(&mut self, at: usize) -> usize {
        if let Some(cut) = token::beginning_before_mark(self.bytes, at, self.floor) {
            self.take(cut);
        }
        if let Some(secret) = token::at(self.bytes, at) {
            return self.token(secret, at);
        }
        self.name_program(at);
        bytes::word_end(self.bytes, at)
    }

    /// The program named here owns the flags up to its line's end.
    fn name_program(&mut self, at: usize) {
        let Some(program) = PasswordFlags::named(self.bytes, at) else { return };
        self.program = program;
        if at >= self.line_end {
            self.line_end = credentials::command_end(self.bytes, at);
        }
    }

    /// A token of a known shape.
    fn token(&mut self, secret: Secret, at: usize) -> usize {
        if secret.start > at {
            return self.note(secret, at);
        }
        if self.ahead.is_some_and(|ahead| ahead.start < secret.end) {
            return bytes::word_end(self.bytes, at);
        }
        self.take(secret)
    }

    fn dash(&mut self, at: usize) -> usize {
        let end = bytes::run_end(self.bytes, at, |byte| byte == b'-');
        if end - at > LONGEST_FLAG {
            return self.line_of_dashes(at, end);
        }
        let first = self.before(at).is_none_or(|byte| !is_word(byte) && byte != b'-');
        let program = if at < self.line_end { self.program } else { PasswordFlags::Other };
        if first && let Some(secret) = credentials::after_flag(self.bytes, at, program) {
            return self.note(secret, at);
        }
        at + 1
    }

    /// More dashes than a flag has: all that can begin among them is a private key's marker, which they end.
    fn line_of_dashes(&mut self, at: usize, end: usize) -> usize {
        let marker = end.checked_sub(private_key::DASHES.len()).filter(|marker| *marker >= at);
        match marker.and_then(|marker| private_key::at(self.bytes, marker, self.floor)) {
            Some(block) => self.take_block(block),
            None => end,
        }
    }

    /// The byte before, where it is no secret's.
    fn before(&self, at: usize) -> Option<u8> {
        if at > self.floor { self.bytes.get(at - 1).copied() } else { None }
    }

    fn meet(&mut self, at: usize, first: Look, second: Look) -> usize {
        match first(self.bytes, at, self.floor).or_else(|| second(self.bytes, at, self.floor)) {
            Some(secret) => self.note(secret, at),
            None => at + 1,
        }
    }

    fn note(&mut self, secret: Secret, at: usize) -> usize {
        self.ahead = self.ahead.or(Some(secret));
        at + 1
    }

    /// Takes a secret out, and its rest behind the client's truncation mark.
    fn take(&mut self, secret: Secret) -> usize {
        // Nothing behind the floor is looked at again, so that secrets never overlap and `without` can copy in order.
        self.found.push(secret);
        self.floor = secret.end;
        if secret.kind != private_key::KIND {
            self.ahead = self.ahead.or_else(|| token::rest_behind_mark(self.bytes, secret));
        }
        secret.end
    }

    fn take_block(&mut self, block: Secret) -> usize {
        self.ahead = None;
        self.take(block)
    }
}

/// The next sign that a secret may be beside, or the next word that begins like one of interest.
fn place_of_interest(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        match CLASSES[usize::from(*bytes.get(at)?)] {
            SIGN if sign_matters(bytes, at, from) => return Some(at),
            PLAIN | SIGN => at += 1,
            _ if token::may_begin(bytes, at) => return Some(at),
            _ => at = bytes::word_end(bytes, at),
        }
    }
}

/// Whether a secret can be beside a sign: most signs are within words, paths and lines that only divide, and show by
/// their neighbours. What is before `from` is not looked at, as it may be a secret's.
fn sign_matters(bytes: &[u8], at: usize, from: usize) -> bool {
    let before = bytes.get(from..at).unwrap_or_default();
    let next = bytes.get(at + 1);
    match bytes.get(at) {
        Some(b'-') => next == Some(&b'-') || !before.last().is_some_and(|byte| is_word(*byte) || *byte == b'-'),
        Some(b'=') => !matches!(next, Some(b'=' | b'~')) && assignment::may_name(before),
        Some(b':') => match next {
            Some(b'/' | b'A') => true,
            Some(b':') => false,
            _ => assignment::may_name(before),
        },
        _ => true,
    }
}

/// The most dashes that a flag begins with.
const LONGEST_FLAG: usize = 2;

const PLAIN: u8 = 0;
const SIGN: u8 = 1;
const WORD: u8 = 2;

/// What each byte is to [`place_of_interest`].
const CLASSES: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [PLAIN; 256];
    let mut byte = 0_u8;
    loop {
        table[byte as usize] = match byte {
            b':' | b'=' | b'-' | b'\\' => SIGN,
            _ if is_word(byte) => WORD,
            _ => PLAIN,
        };
        if byte == u8::MAX {
            return table;
        }
        byte += 1;
    }
}

/// Looks for a secret at a place of the text, never before the floor.
type Look = fn(&[u8], usize, usize) -> Option<Secret>;
