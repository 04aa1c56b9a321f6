//! Patterns of a project, ready to be looked for: of each the fixed words of which every match holds one, and its program.

use std::ops::Range;

use super::program::{Fuel, PatternProgram, ProgramMatch, Stretch};
use crate::digest::checksum;

/// How much of a line on either side of a fixed word is looked at, in bytes: more of a match is not found.
pub const REACH: usize = 2048;
/// The most patterns that are looked for at once.
pub const MOST: usize = 32;

/// Patterns as a file holds them: what is said of each lies in its bytes, which are not copied.
#[derive(Debug, Clone, Default)]
pub struct Patterns {
    /// The bytes of the compiled form: words and programs lie in it.
    pub file: Vec<u8>,
    /// The patterns, in the order of the settings file.
    pub all: Vec<OwnPattern>,
    /// The fixed words of all of them.
    pub words: Vec<Word>,
}

/// A pattern.
#[derive(Debug, Clone)]
pub struct OwnPattern {
    /// Which of the words are those of which every match holds one.
    pub words: Range<usize>,
    /// How far before such a word a match may begin, in bytes; None where nothing bounds it.
    pub before: Option<u16>,
    /// Where in the file the program lies.
    pub program: Range<usize>,
    /// The program's checksum.
    pub sum: u64,
}

/// A fixed word, in small letters of ASCII.
#[derive(Debug, Clone)]
pub struct Word {
    /// Where it lies in the file.
    pub place: Range<usize>,
    /// Where its rarest byte is, by ordinary output, that another one follows: the text is searched for the two.
    pub rarest: u8,
}

/// How many bytes of a text are looked at in one step.
const STEP: usize = 4;

/// Of each byte the patterns, a bit for each, that have a word with this byte for its rarest, and for the one behind that.
struct Sieve {
    first: [u32; 256],
    second: [u32; 256],
}

impl Sieve {
    fn of(patterns: &Patterns) -> Self {
        let mut sieve = Self { first: [0; 256], second: [0; 256] };
        for (number, pattern) in patterns.all.iter().take(MOST).enumerate() {
            for word in patterns.words.get(pattern.words.clone()).unwrap_or_default() {
                let rarest = usize::from(word.rarest);
                let Some([first, second]) = patterns.bytes_of(word).get(rarest..rarest + 2) else { continue };
                for (sets, byte) in [(&mut sieve.first, first), (&mut sieve.second, second)] {
                    sets[usize::from(byte.to_ascii_lowercase())] |= 1 << number;
                    sets[usize::from(byte.to_ascii_uppercase())] |= 1 << number;
                }
            }
        }
        sieve
    }

    /// The patterns that may have a word with these two.
    fn sift(&self, [first, second]: [u8; 2]) -> u32 {
        self.first[usize::from(first)] & self.second[usize::from(second)]
    }
}

impl Patterns {
    /// Where words stand in a text, in any case of ASCII letters, from left to right, each with the number of its pattern.
    pub fn hits(&self, text: &[u8]) -> Vec<(usize, usize)> {
        let mut hits = Vec::new();
        self.scan(text, |number, at| hits.push((at, number)));
        // They were met by the rarest bytes, which need not be the first.
        hits.sort_unstable();
        hits
    }

    fn scan(&self, text: &[u8], mut hit: impl FnMut(usize, usize)) {
        let sieve = Sieve::of(self);
        let mut at = 0;
        while let Some(step) = text.get(at..).and_then(<[u8]>::first_chunk::<{ STEP + 1 }>) {
            // Nearly all bytes are those of no word, and to look at several without a branch costs least.
            if step.array_windows().fold(0, |sets, pair| sets | sieve.sift(*pair)) != 0 {
                self.sift(&sieve, text, at, step, &mut hit);
            }
            at += STEP;
        }
        self.sift(&sieve, text, at, text.get(at..).unwrap_or_default(), &mut hit);
    }

    /// Tells of the words whose rarest two bytes stand in a part of the text, which begins at `at`.
    fn sift(&self, sieve: &Sieve, text: &[u8], at: usize, part: &[u8], hit: &mut impl FnMut(usize, usize)) {
        for (offset, pair) in part.array_windows().enumerate() {
            let mut set = sieve.sift(*pair);
            while set != 0 {
                let number = set.trailing_zeros() as usize;
                set &= set - 1;
                self.words_at(text, at + offset, number, hit);
            }
        }
    }

    /// Tells of the words of a pattern whose rarest bytes stand at `at`.
    fn words_at(&self, text: &[u8], at: usize, number: usize, hit: &mut impl FnMut(usize, usize)) {
        let Some(pattern) = self.all.get(number) else { return };
        for word in self.words.get(pattern.words.clone()).unwrap_or_default() {
            let (Some(start), bytes) = (at.checked_sub(word.rarest.into()), self.bytes_of(word)) else { continue };
            let there = text.get(start..start + bytes.len()).unwrap_or_default();
            // The first byte tells most words apart.
            let may_be = there.first().map(u8::to_ascii_lowercase) == bytes.first().copied();
            if may_be && there.eq_ignore_ascii_case(bytes) {
                hit(number, start);
            }
        }
    }

    fn bytes_of(&self, word: &Word) -> &[u8] {
        self.file.get(word.place.clone()).unwrap_or_default()
    }

    /// The first match of a pattern that holds a word at `hit` or behind it, in the line around `hit`; it begins at
    /// `from` at the earliest.
    pub fn around(&self, number: usize, text: &[u8], hit: usize, from: usize, fuel: &mut Fuel) -> ProgramMatch {
        let Some(pattern) = self.all.get(number) else { return ProgramMatch::Nothing };
        let bytes = self.file.get(pattern.program.clone()).filter(|bytes| checksum(bytes) == pattern.sum);
        let Some(program) = bytes.and_then(PatternProgram::read) else { return ProgramMatch::Nothing };
        let line = line_around(text, hit);
        let near = pattern.before.map_or(line.start, |before| hit.saturating_sub(usize::from(before)));
        program.find(Stretch { text, first: near.max(line.start).max(from), last: hit, end: line.end }, fuel)
    }
}

/// The line around a place, [`REACH`] bytes of it on either side at most.
pub fn line_around(text: &[u8], at: usize) -> Range<usize> {
    let lowest = at.saturating_sub(REACH);
    let highest = text.len().min(at.saturating_add(REACH));
    let before = text.get(lowest..at).unwrap_or_default();
    let behind = text.get(at..highest).unwrap_or_default();
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(lowest, |end| lowest + end + 1);
    let end = behind.iter().position(|byte| *byte == b'\n').map_or(highest, |end| at + end);
    start..end
}

/// A place that cuts no character in two.
pub fn on_characters(text: &str, place: Range<usize>) -> Range<usize> {
    text.floor_char_boundary(place.start)..text.ceil_char_boundary(place.end)
}
