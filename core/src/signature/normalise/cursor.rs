//! A place in a text, and what can be asked there.

use super::Masked;

/// A place in a cleaned text. Moves only forward; every question costs what it reads.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    bytes: &'a [u8],
    pub(super) at: usize,
}

/// What is in the place of masked parts. They survive their own pass.
const WORDS: &[&str] = &[
    "<n>", "<time>", "<dur>", "<hex>", "<uuid>", "<ip>", "<tmp>", "<size>", "<cut>", "<long>", "<path>", "<name>",
    "<test>", "<url>", "<object>",
];

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, bytes: text.as_bytes(), at: 0 }
    }

    pub(super) fn moved_to(self, at: usize) -> Self {
        Self { at, ..self }
    }

    /// The byte here.
    pub(super) fn byte(self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// The byte some places further on.
    pub(super) fn ahead(self, by: usize) -> Option<u8> {
        self.bytes.get(self.at + by).copied()
    }

    /// The byte some places before: 1 is the previous one.
    pub(super) fn back(self, by: usize) -> Option<u8> {
        self.bytes.get(self.at.checked_sub(by)?).copied()
    }

    /// The bytes from here to `end`.
    pub(super) fn to(self, end: usize) -> &'a [u8] {
        self.bytes.get(self.at..end).unwrap_or_default()
    }

    /// The bytes before this place.
    pub(super) fn before(self) -> &'a [u8] {
        self.bytes.get(..self.at).unwrap_or_default()
    }

    /// Whether the text goes on with these bytes.
    pub(super) fn goes_on(self, with: &[u8]) -> bool {
        self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(with))
    }

    /// Where the run of bytes of one class that begins here ends.
    pub(super) fn run(self, class: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.at + visited(rest.iter().position(|byte| !class(*byte)).unwrap_or(rest.len()))
    }

    /// Where the run of at most `most` bytes of one class that begins here ends.
    pub(super) fn run_within(self, most: usize, class: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let rest = rest.get(..most).unwrap_or(rest);
        self.at + visited(rest.iter().position(|byte| !class(*byte)).unwrap_or(rest.len()))
    }

    /// Where the run of at most `most` bytes of one class that ends here begins.
    pub(super) fn run_back(self, most: usize, class: impl Fn(u8) -> bool) -> usize {
        let before = self.bytes.get(self.at.saturating_sub(most)..self.at).unwrap_or_default();
        self.at - visited(before.iter().rev().position(|byte| !class(*byte)).unwrap_or(before.len()))
    }

    /// Whether a number or word may begin here: not within a word, nor behind the point of a number.
    pub(super) fn is_start(self) -> bool {
        match (self.back(1), self.back(2)) {
            (Some(b'.'), Some(before)) => !before.is_ascii_digit(),
            (Some(previous), _) => !is_word(previous),
            (None, _) => true,
        }
    }

    /// Whether a word that reaches `end` ends there.
    pub(super) fn ends_at(self, end: usize) -> bool {
        !self.moved_to(end).byte().is_some_and(is_word)
    }

    /// A mask of an earlier pass.
    pub(super) fn mask_word(self) -> Option<Masked> {
        let second = self.ahead(1)?;
        let word =
            WORDS.iter().find(|word| word.as_bytes().get(1) == Some(&second) && self.goes_on(word.as_bytes()))?;
        Some(Masked::new(self.at + word.len(), word))
    }

    /// How many digits at a name's end make them an id of their own.
    pub(super) const LONG_TAIL: usize = 7;

    /// Whether a mask of an earlier pass ends here: what it stands for went on to this place.
    pub(super) fn is_behind_mask(self) -> bool {
        self.back(1) == Some(b'>') && WORDS.iter().any(|word| self.before().ends_with(word.as_bytes()))
    }

    /// The word or sign that begins here, as it stands; a word ends before a long number at its end.
    pub(super) fn piece(self) -> (usize, &'a str) {
        let end = self.run(is_word).max(self.at + 1);
        let digits = self.to(end).iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let tail = digits >= Self::LONG_TAIL && digits < end - self.at && !self.goes_on(b"0x");
        let end = if tail { end - digits } else { end };
        (end, self.text.get(self.at..end).unwrap_or_default())
    }
}

#[cfg(test)]
fn visited(bytes: usize) -> usize {
    count::add(bytes + 1);
    bytes
}

#[cfg(not(test))]
const fn visited(bytes: usize) -> usize {
    bytes
}

/// A letter, digit or underscore; every byte of a character outside ASCII counts as a letter.
pub(super) fn is_word(byte: u8) -> bool {
    WORD[usize::from(byte)]
}

/// One look-up a byte.
const WORD: [bool; 256] = words();

const fn words() -> [bool; 256] {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    loop {
        table[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
        if byte == u8::MAX {
            return table;
        }
        byte += 1;
    }
}

pub(super) fn is_digit(byte: u8) -> bool {
    byte.is_ascii_digit()
}

pub(super) fn is_hex(byte: u8) -> bool {
    byte.is_ascii_hexdigit()
}

/// Whether a word is one of these, in letters of either case.
pub(super) fn is_one_of(word: &[u8], words: &[&str]) -> bool {
    words.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

/// A byte of a name in a path.
pub(super) fn is_name(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'.' | b'-' | b'+' | b'@' | b'%' | b'#' | b'~')
}

/// Counts the bytes that questions read, so that a test can hold their number to the text's length.
#[cfg(test)]
pub(super) mod count {
    use std::cell::Cell;

    thread_local! {
        static BYTES: Cell<usize> = const { Cell::new(0) };
    }

    pub(super) fn add(bytes: usize) {
        BYTES.set(BYTES.get() + bytes);
    }

    /// The bytes counted since it was asked last.
    pub(in super::super) fn take() -> usize {
        BYTES.take()
    }
}
