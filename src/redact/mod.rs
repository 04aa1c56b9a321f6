//! Secrets out of text before it is stored, hashed or shown.
//!
//! One pass from left to right. A word is looked at only when its first two letters begin a known token, a `:` or `=`
//! only when the word before it ends like the name of a secret, so ordinary text costs a few instructions a byte.
//! A mark holds the kind of the secret and nothing made from the secret.

mod assignment;
mod bytes;
mod credentials;
mod private_key;
#[cfg(test)]
mod tests;
mod token;

use std::borrow::Cow;

use bytes::is_word;
use credentials::Program;

/// A secret in a text: where it stands and what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Secret {
    start: usize,
    end: usize,
    kind: &'static str,
}

/// The text with each secret replaced by `[redacted:<kind>]`; borrowed when there is none.
///
/// Redact before cutting: a token whose known beginning was cut off can no longer be told from other text.
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

/// A secret inside another's value can hide the other until its mark stands there. Text without secrets takes one.
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
    /// A secret that begins a little further on; other tokens may stand before it.
    ahead: Option<Secret>,
    /// The program on this command line whose short flags carry passwords.
    program: Program,
    found: Vec<Secret>,
}

impl<'a> Scan<'a> {
    fn over(bytes: &'a [u8]) -> Vec<Secret> {
        let mut scan = Self { bytes, floor: 0, ahead: None, program: Program::Other, found: Vec::new() };
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            at = scan.step(at, byte);
        }
        scan.found.extend(scan.ahead);
        scan.found
    }

    /// Looks at one place and says where to go on.
    fn step(&mut self, at: usize, byte: u8) -> usize {
        if let Some(secret) = self.ahead.take_if(|secret| secret.start <= at) {
            return self.take(secret);
        }
        if is_word(byte) {
            return self.word(at);
        }
        match byte {
            b':' => self.meet(at, credentials::after_colon, assignment::at),
            b'=' => self.meet(at, assignment::at, |_, _, _| None),
            b'-' => self.dash(at),
            b'\n' => self.line_end(at),
            // The letter of an escape in quoted text is no part of the word after it.
            b'\\' => at + 1 + usize::from(matches!(self.bytes.get(at + 1), Some(b'n' | b'r' | b't'))),
            _ => at + 1,
        }
    }

    fn word(&mut self, at: usize) -> usize {
        if token::may_begin(self.bytes, at) {
            if let Some(secret) = token::at(self.bytes, at) {
                return self.token(secret, at);
            }
            self.program = self.program.or_named(self.bytes, at);
        }
        bytes::word_end(self.bytes, at)
    }

    /// A token of a known shape, and its rest behind the client's truncation mark.
    fn token(&mut self, secret: Secret, at: usize) -> usize {
        if secret.start > at {
            return self.note(secret, at);
        }
        if self.ahead.is_some_and(|ahead| ahead.start < secret.end) {
            return bytes::word_end(self.bytes, at);
        }
        let end = self.take(secret);
        self.ahead = self.ahead.or_else(|| token::rest_behind_mark(self.bytes, secret));
        end
    }

    fn dash(&mut self, at: usize) -> usize {
        if let Some(block) = private_key::at(self.bytes, at, self.floor) {
            return self.take_block(block);
        }
        let first = self.before(at).is_none_or(|byte| !is_word(byte) && byte != b'-');
        if first && let Some(secret) = credentials::after_flag(self.bytes, at, self.program) {
            return self.note(secret, at);
        }
        at + 1
    }

    /// The byte before, where it is no secret's.
    fn before(&self, at: usize) -> Option<u8> {
        if at > self.floor { self.bytes.get(at - 1).copied() } else { None }
    }

    fn line_end(&mut self, at: usize) -> usize {
        let continued = self.before(at) == Some(b'\\');
        if !continued {
            self.program = Program::Other;
        }
        at + 1
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

    fn take(&mut self, secret: Secret) -> usize {
        self.found.push(secret);
        self.floor = secret.end;
        secret.end
    }

    fn take_block(&mut self, block: Secret) -> usize {
        self.ahead = None;
        self.take(block)
    }
}

/// Looks for a secret at a place of the text, never before the floor.
type Look = fn(&[u8], usize, usize) -> Option<Secret>;
