//! What a row of the table is: a mode, when it may be, and the sign of it.

use crate::model::{Category, FindingKind, Stream};

use super::Mode;
use super::facts::{CallFacts, TracedEnd};

/// One sign of one mode.
pub(super) struct ModeRow {
    /// The mode.
    pub(super) mode: Mode,
    /// How sure the sign is, in per cent: from [`ModeRow::SURE`] it is a match, below a candidate.
    pub(super) percent: u8,
    /// What became of calls that it is looked for in.
    pub(super) when: When,
    /// What is looked for.
    pub(super) sign: Sign,
    /// What else must be so.
    pub(super) only: Option<fn(&CallFacts<'_>) -> bool>,
    /// Whether it is asked only where no other row speaks of the call.
    pub(super) last: bool,
    /// Whether it is about the trace as a whole, so that it also counts where another call failed.
    pub(super) of_trace: bool,
}

/// What became of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// It failed.
    Failed,
    /// It never ended by itself.
    Hung,
    /// One of both.
    Either,
    /// It passed, as far as its status says.
    Passed,
    /// It ended in whatever way, or only its shape counts.
    Any,
}

/// What is looked for.
pub(super) enum Sign {
    /// A line that tells a thing of this kind.
    Finds(FindingKind),
    /// What the reading says of the failure.
    Means(&'static [Category]),
    /// Anything else.
    Shape(fn(&CallFacts<'_>) -> Option<Seen>),
}

/// What was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seen {
    /// In words that complete "... , and ...": `the command reads standard input`.
    pub(super) words: Option<String>,
    /// The line, as it was printed, and where.
    pub(super) line: Option<(Stream, String)>,
}

impl Seen {
    /// Something about the call.
    pub(super) fn words(words: impl Into<String>) -> Self {
        Self { words: Some(words.into()), line: None }
    }

    /// A line.
    pub(super) fn line(stream: Stream, line: &str) -> Self {
        Self { words: None, line: Some((stream, line.to_owned())) }
    }
}

impl ModeRow {
    /// From so many per cent on a sign is a match by itself.
    pub(super) const SURE: u8 = 80;

    const fn new(mode: Mode, percent: u8, when: When, sign: Sign) -> Self {
        Self { mode, percent, when, sign, only: None, last: false, of_trace: false }
    }

    /// What else must be so.
    pub(super) const fn only(mut self, only: fn(&CallFacts<'_>) -> bool) -> Self {
        self.only = Some(only);
        self
    }

    /// Asked only where no other row speaks of the call.
    pub(super) const fn last(mut self) -> Self {
        self.last = true;
        self
    }

    /// About the trace as a whole.
    pub(super) const fn of_trace(mut self) -> Self {
        self.of_trace = true;
        self
    }

    /// Whether it is looked for in a call that ended so.
    pub(super) fn fits(&self, end: TracedEnd) -> bool {
        matches!(
            (self.when, end),
            (When::Any, _)
                | (When::Failed | When::Either, TracedEnd::Failed)
                | (When::Hung | When::Either, TracedEnd::Hung)
                | (When::Passed, TracedEnd::Passed | TracedEnd::Masked)
        )
    }

    /// Also, or only, of other calls.
    pub(super) const fn when(mut self, when: When) -> Self {
        self.when = when;
        self
    }
}

/// A call that failed printed a line that tells a thing of this kind.
pub(super) const fn finds(mode: Mode, percent: u8, kind: FindingKind) -> ModeRow {
    ModeRow::new(mode, percent, When::Failed, Sign::Finds(kind))
}

/// A call failed in such a way.
pub(super) const fn means(mode: Mode, percent: u8, categories: &'static [Category]) -> ModeRow {
    ModeRow::new(mode, percent, When::Failed, Sign::Means(categories))
}

/// Something else about a call that failed.
pub(super) const fn failed(mode: Mode, percent: u8, sees: fn(&CallFacts<'_>) -> Option<Seen>) -> ModeRow {
    ModeRow::new(mode, percent, When::Failed, Sign::Shape(sees))
}

/// Something about a call that hung.
pub(super) const fn hung(mode: Mode, percent: u8, sees: fn(&CallFacts<'_>) -> Option<Seen>) -> ModeRow {
    ModeRow::new(mode, percent, When::Hung, Sign::Shape(sees))
}

/// Something about a call that passed.
pub(super) const fn passed(mode: Mode, percent: u8, sees: fn(&CallFacts<'_>) -> Option<Seen>) -> ModeRow {
    ModeRow::new(mode, percent, When::Passed, Sign::Shape(sees))
}

/// How many sequences of three bytes are told apart.
const BITS: usize = 1 << 14;

const fn hash(a: u8, b: u8, c: u8) -> u16 {
    hash_of(folded(a, b, c))
}

/// Three bytes without the bit that tells small letters from capitals.
const fn folded(a: u8, b: u8, c: u8) -> u32 {
    ((a | 0x20) as u32) << 16 | ((b | 0x20) as u32) << 8 | (c | 0x20) as u32
}

/// Of the last three of the four bytes.
const fn hash_of(three: u32) -> u16 {
    ((three & 0x00FF_FFFF).wrapping_mul(0x9E37_79B1) >> 18) as u16
}

/// Which sequences of three bytes a text holds, small and capital letters alike.
pub(super) struct Sift {
    bits: Box<[u64; BITS / 64]>,
    /// Whether they hold no other letters than ASCII has.
    is_ascii: bool,
}

impl Sift {
    /// Of texts.
    pub(super) fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut bits = Box::new([0; BITS / 64]);
        let mut is_ascii = true;
        for text in texts {
            is_ascii &= text.is_ascii();
            let Some(([a, b], rest)) = text.as_bytes().split_first_chunk() else { continue };
            let mut three = folded(0, *a, *b);
            for byte in rest {
                three = three << 8 | u32::from(byte | 0x20);
                let hash = hash_of(three);
                if let Some(word) = bits.get_mut(usize::from(hash / 64)) {
                    *word |= 1 << (hash % 64);
                }
            }
        }
        Self { bits, is_ascii }
    }

    /// Whether the word may stand in them, small and capital letters alike.
    pub(super) fn may_hold_word(&self, word: &str) -> bool {
        // Of other letters than those of ASCII the small ones are no sign of the capitals.
        let may_hold = |three: &[u8]| !matches!(*three, [a, b, c] if three.is_ascii() && !self.holds(hash(a, b, c)));
        (!self.is_ascii || word.is_ascii()) && word.as_bytes().windows(3).all(may_hold)
    }

    #[inline]
    pub(super) fn holds(&self, hash: u16) -> bool {
        self.bits.get(usize::from(hash / 64)).is_some_and(|word| word >> (hash % 64) & 1 == 1)
    }
}
