//! A pattern of the crate `regex` made into a program and its fixed words. The parts of that crate do the reading; what
//! is made here is their automaton, state by state, as `program` follows it.

use std::collections::HashMap;
use std::ops::Range;

use regex_automata::nfa::thompson::{self, NFA, State, Transition, WhichCaptures};
use regex_automata::util::look::Look;
use regex_automata::util::primitives::{PatternID, StateID};
use regex_syntax::hir::{Class, Hir, HirKind};

use super::pattern::{MOST, OwnPattern, Patterns, REACH, Word};
use super::program::{MOST_STATES, STATE, WAY, op, place};
use super::readings::{OwnReading, Readings};
use super::secrets::Secrets;
use super::written::{Group, WrittenReading, WrittenSecret, short_words};
use crate::digest::checksum;
use crate::text::{blanked, start};

/// The most memory that a pattern may take while it is compiled, and the most bytes of its program.
const MEMORY: usize = 1024 * 1024;
const LARGEST_PROGRAM: usize = 16 * 1024;
/// How deep groups of a pattern may stand in one another.
const NESTING: u32 = 40;
/// The shortest fixed word that is worth a search, the most that is kept of one, and the most words of a pattern, in bytes.
const SHORTEST_WORD: usize = 2;
const LONGEST_WORD: usize = 32;
const MOST_WORDS: usize = 16;

/// What became of the readings and secrets of a settings file.
#[derive(Debug, Clone, Default)]
pub struct Compiled {
    /// The readings that can be used.
    pub readings: Readings,
    /// The secrets that can be used.
    pub secrets: Secrets,
    /// Those that cannot, each with its line in the file and why.
    pub problems: Vec<(usize, String)>,
}

/// Compiles what a settings file writes.
pub fn compile(readings: &[WrittenReading], secrets: &[WrittenSecret]) -> Compiled {
    let mut compiled = Compiled::default();
    let Compiled { readings: own, secrets: hidden, problems } = &mut compiled;
    let mut problem =
        |written: &str, line, why: String| problems.push((line, format!("`{}` {why}", short_words(written))));
    for WrittenReading { pattern, category, object, program, line } in readings.iter().take(MOST) {
        match Automaton::of(pattern, object.as_ref()) {
            Ok(automaton) => {
                automaton.join(&mut own.patterns);
                own.all.push(OwnReading { category: *category, program: program.clone() });
            }
            Err(why) => problem(pattern, *line, why),
        }
    }
    for WrittenSecret { pattern, kind, line } in secrets.iter().take(MOST) {
        match Automaton::of(pattern, None) {
            Ok(automaton) => {
                automaton.join(&mut hidden.patterns);
                hidden.kinds.push(kind.clone());
            }
            Err(why) => problem(pattern, *line, why),
        }
    }
    compiled
}

/// A pattern taken apart.
struct Automaton {
    fixed: Fixed,
    program: Vec<u8>,
}

impl Automaton {
    /// The pattern, or why it cannot be used: the end of a sentence that begins with it.
    fn of(written: &str, object: Option<&Group>) -> Result<Self, String> {
        let mut parser = regex_syntax::ParserBuilder::new().nest_limit(NESTING).build();
        let hir = parser.parse(written).map_err(|error| format!("is no pattern: {}", reason_of(&error)))?;
        if spans_lines(&hir) {
            return Err("contains a line break, but lines are matched one by one; write one pattern a line".to_owned());
        }
        let config =
            thompson::Config::new().nfa_size_limit(Some(MEMORY)).which_captures(WhichCaptures::All).shrink(false);
        let nfa = thompson::Compiler::new().configure(config).build_from_hir(&hir).map_err(|_| too_large())?;
        let object = object.map(|group| number_of(&nfa, group)).transpose()?;
        let fixed = Fixed::of(&hir)
            .filter(Fixed::is_worth_a_search)
            .ok_or("has no fixed part of at least two characters in every match; add one")?;
        let program = automaton_bytes(&nfa, object).filter(|program| program.len() <= LARGEST_PROGRAM);
        Ok(Self { fixed, program: program.ok_or_else(too_large)? })
    }

    /// Goes to the end of other patterns.
    fn join(self, patterns: &mut Patterns) {
        let first = patterns.words.len();
        for word in &self.fixed.words {
            let kept = word.get(..word.len().min(LONGEST_WORD)).unwrap_or_default();
            let place = append_bytes(&mut patterns.file, kept);
            patterns.words.push(Word { place, rarest: rarest_of(kept) });
        }
        let before = self.fixed.before.filter(|before| *before <= REACH);
        patterns.all.push(OwnPattern {
            words: first..patterns.words.len(),
            before: before.and_then(|before| u16::try_from(before).ok()),
            sum: checksum(&self.program),
            program: append_bytes(&mut patterns.file, &self.program),
        });
    }
}

/// Where these bytes lie now.
fn append_bytes(file: &mut Vec<u8>, bytes: &[u8]) -> Range<usize> {
    let start = file.len();
    file.extend(bytes);
    start..file.len()
}

fn too_large() -> String {
    "is too large when compiled; repeat less, and write `[A-Za-z0-9_]` for `\\w`, `[0-9]` for `\\d`".to_owned()
}

/// What the parser says, without its drawing of the pattern.
fn reason_of(error: &regex_syntax::Error) -> String {
    match error {
        regex_syntax::Error::Parse(error) => error.kind().to_string(),
        regex_syntax::Error::Translate(error) => error.kind().to_string(),
        other => blanked(&other.to_string()),
    }
}

fn spans_lines(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Literal(literal) => literal.0.contains(&b'\n'),
        HirKind::Repetition(repetition) => spans_lines(&repetition.sub),
        HirKind::Capture(capture) => spans_lines(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().any(spans_lines),
        _ => false,
    }
}

/// The number of a group that the pattern has.
fn number_of(nfa: &NFA, group: &Group) -> Result<usize, String> {
    let groups = nfa.group_info();
    let number = match group {
        Group::Number(number) => Some(*number).filter(|number| *number < groups.group_len(PatternID::ZERO)),
        Group::Name(name) => groups.to_index(PatternID::ZERO, name),
    };
    number.ok_or_else(|| match group {
        Group::Number(number) => format!("has no group {number}, which `object` names"),
        Group::Name(name) => format!("has no group `{}`, which `object` names", blanked(start(name, 40))),
    })
}

/// Words of which every match holds one.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Fixed {
    words: Vec<Vec<u8>>,
    /// How far before the word a match begins at most; None where nothing bounds it.
    before: Option<usize>,
}

impl Fixed {
    fn of(hir: &Hir) -> Option<Self> {
        match hir.kind() {
            HirKind::Literal(literal) => Some(Self::word(literal.0.to_ascii_lowercase(), Some(0))),
            HirKind::Capture(capture) => Self::of(&capture.sub),
            HirKind::Repetition(repetition) if repetition.min > 0 => Self::of(&repetition.sub),
            HirKind::Concat(parts) => Self::of_row(parts),
            HirKind::Alternation(parts) => Self::of_choice(parts),
            _ => None,
        }
    }

    fn word(word: Vec<u8>, before: Option<usize>) -> Self {
        Self { words: vec![word], before }
    }

    /// The best of what stands in a row. Letters of either case are part of a word.
    fn of_row(parts: &[Hir]) -> Option<Self> {
        let mut best: Option<Self> = None;
        let mut take = |found: Option<Self>| {
            if let Some(found) = found.filter(|found| best.as_ref().is_none_or(|best| found.worth() > best.worth())) {
                best = Some(found);
            }
        };
        let mut before = Some(0_usize);
        let mut word: (Vec<u8>, Option<usize>) = (Vec::new(), before);
        for part in parts {
            if let Some(signs) = signs_of(part) {
                if word.0.is_empty() {
                    word.1 = before;
                }
                word.0.extend(signs);
            } else {
                take(Some(Self::word(std::mem::take(&mut word.0), word.1)));
                take(Self::of(part).map(|found| {
                    let sum = before.zip(found.before).and_then(|(before, within)| before.checked_add(within));
                    Self { before: sum, ..found }
                }));
            }
            let length = part.properties().maximum_len();
            before = before.zip(length).and_then(|(before, length)| before.checked_add(length));
        }
        take(Some(Self::word(word.0, word.1)));
        best
    }

    fn of_choice(parts: &[Hir]) -> Option<Self> {
        let all: Vec<Self> = parts.iter().map(Self::of).collect::<Option<_>>()?;
        let before = all.iter().map(|one| one.before).try_fold(0, |most: usize, one| Some(most.max(one?)));
        let words: Vec<Vec<u8>> = all.into_iter().flat_map(|one| one.words).collect();
        (words.len() <= MOST_WORDS).then_some(Self { words, before })
    }

    /// Longer is better: the shortest word decides.
    fn worth(&self) -> usize {
        self.words.iter().map(Vec::len).min().unwrap_or_default()
    }

    fn is_worth_a_search(&self) -> bool {
        self.words.iter().all(|word| word.len() >= SHORTEST_WORD && !word.iter().all(u8::is_ascii_whitespace))
    }
}

/// The signs that a part stands for, in small letters, where it is fixed but for the case of letters.
fn signs_of(part: &Hir) -> Option<Vec<u8>> {
    match part.kind() {
        HirKind::Literal(literal) => Some(literal.0.to_ascii_lowercase()),
        HirKind::Capture(capture) => signs_of(&capture.sub),
        HirKind::Class(class) => letter_of(class).map(|letter| vec![letter]),
        _ => None,
    }
}

/// The letter of which a class holds both cases and nothing else.
fn letter_of(class: &Class) -> Option<u8> {
    let pairs: Vec<(u32, u32)> = match class {
        Class::Unicode(class) => class.iter().map(|range| (range.start().into(), range.end().into())).collect(),
        Class::Bytes(class) => class.iter().map(|range| (range.start().into(), range.end().into())).collect(),
    };
    match pairs.as_slice() {
        [(large, large_end), (small, small_end)] if large == large_end && small == small_end => {
            let (large, small) = (u8::try_from(*large).ok()?, u8::try_from(*small).ok()?);
            (large.is_ascii_uppercase() && large.to_ascii_lowercase() == small).then_some(small)
        }
        _ => None,
    }
}

/// Letters and signs of ordinary output, the most frequent first.
const FREQUENT: &[u8] = b" etaoinsrlcdu.mphfg-/_y:bwvk0x1(\")='2,j3q4z5";

/// Where the rarest byte of a word is that another one follows, and of several the one with the rarest behind it.
fn rarest_of(word: &[u8]) -> u8 {
    let rarity = |byte: &u8| FREQUENT.iter().position(|known| known == byte).unwrap_or(FREQUENT.len());
    let pairs = word.windows(2).map(|pair| pair.iter().map(rarity).collect::<Vec<_>>());
    let rarest = pairs.enumerate().max_by(|(_, one), (_, other)| one.cmp(other)).map_or(0, |(at, _)| at);
    u8::try_from(rarest).unwrap_or_default()
}

/// The automaton as bytes; None where it is too large. `object` is the group that is noted.
fn automaton_bytes(nfa: &NFA, object: Option<usize>) -> Option<Vec<u8>> {
    let mut writer = Writer { nfa, object, numbers: HashMap::new(), order: Vec::new(), ways: Vec::new() };
    writer.number(nfa.start_anchored())?;
    let mut states = Vec::new();
    let mut next = 0;
    while let Some(state) = writer.order.get(next).copied() {
        states.extend(writer.record(state)?);
        next += 1;
    }
    let count = u16::try_from(next).ok()?;
    let mut bytes = Vec::with_capacity(2 + states.len() + writer.ways.len());
    bytes.extend(count.to_le_bytes());
    bytes.extend(states);
    bytes.extend(writer.ways);
    Some(bytes)
}

/// Writes the states that can be come to, in the order in which they are met.
struct Writer<'n> {
    nfa: &'n NFA,
    object: Option<usize>,
    numbers: HashMap<StateID, u16>,
    order: Vec<StateID>,
    ways: Vec<u8>,
}

impl Writer<'_> {
    /// The number of a state; groups that nobody asks for are passed over.
    fn number(&mut self, state: StateID) -> Option<u16> {
        let mut state = state;
        while let State::Capture { next, group_index, .. } = self.nfa.state(state) {
            if Some(group_index.as_usize()) == self.object {
                break;
            }
            state = *next;
        }
        if let Some(number) = self.numbers.get(&state) {
            return Some(*number);
        }
        let number = u16::try_from(self.order.len()).ok().filter(|number| usize::from(*number) < MOST_STATES)?;
        self.numbers.insert(state, number);
        self.order.push(state);
        Some(number)
    }

    fn record(&mut self, state: StateID) -> Option<[u8; STATE]> {
        Some(match self.nfa.state(state) {
            State::Fail => step_bytes(op::FAIL, 0, 0, 0, 0),
            State::Match { .. } => step_bytes(op::MATCH, 0, 0, 0, 0),
            State::ByteRange { trans } => step_bytes(op::RANGE, trans.start, trans.end, self.number(trans.next)?, 0),
            State::Sparse(sparse) => self.ranges(&sparse.transitions)?,
            State::Dense(dense) => {
                let way = |byte| Some(Transition { start: byte, end: byte, next: dense.matches_byte(byte)? });
                self.ranges(&(0..=u8::MAX).filter_map(way).collect::<Vec<_>>())?
            }
            State::Look { look, next } => step_bytes(op::PLACE, look_code(*look), 0, self.number(*next)?, 0),
            State::Union { alternates } => self.any(alternates)?,
            State::BinaryUnion { alt1, alt2 } => self.any(&[*alt1, *alt2])?,
            State::Capture { next, slot, .. } => {
                // Slots come in pairs: where a group begins, and where it ends.
                let side = u8::from(slot.as_usize() % 2 == 1);
                step_bytes(op::NOTE, side, 0, self.number(*next)?, 0)
            }
        })
    }

    fn ranges(&mut self, ways: &[Transition]) -> Option<[u8; STATE]> {
        let ways: Vec<(u8, u8, StateID)> = ways.iter().map(|way| (way.start, way.end, way.next)).collect();
        let (first, count) = self.write(&ways)?;
        Some(step_bytes(op::RANGES, 0, 0, first, count))
    }

    fn any(&mut self, states: &[StateID]) -> Option<[u8; STATE]> {
        let ways: Vec<(u8, u8, StateID)> = states.iter().map(|state| (0, 0, *state)).collect();
        let (first, count) = self.write(&ways)?;
        Some(step_bytes(op::ANY, 0, 0, first, count))
    }

    /// The number of the first of these ways, and how many they are.
    fn write(&mut self, ways: &[(u8, u8, StateID)]) -> Option<(u16, u16)> {
        let first = u16::try_from(self.ways.len() / WAY).ok()?;
        for (from, to, next) in ways {
            let [a, b] = self.number(*next)?.to_le_bytes();
            self.ways.extend([*from, *to, a, b]);
        }
        Some((first, u16::try_from(ways.len()).ok()?))
    }
}

fn step_bytes(op: u8, from: u8, to: u8, first: u16, second: u16) -> [u8; STATE] {
    let ([a, b], [c, d]) = (first.to_le_bytes(), second.to_le_bytes());
    [op, from, to, 0, a, b, c, d]
}

/// What has to be true of a place. Lines are looked at one by one, so text and line begin and end alike; a word is one of
/// ASCII, because the hook has no tables of characters.
fn look_code(look: Look) -> u8 {
    match look {
        Look::Start | Look::StartLF | Look::StartCRLF => place::LINE_START,
        Look::End | Look::EndLF | Look::EndCRLF => place::LINE_END,
        Look::WordAscii | Look::WordUnicode => place::BOUNDARY,
        Look::WordAsciiNegate | Look::WordUnicodeNegate => place::NO_BOUNDARY,
        Look::WordStartAscii | Look::WordStartUnicode => place::WORD_START,
        Look::WordEndAscii | Look::WordEndUnicode => place::WORD_END,
        Look::WordStartHalfAscii | Look::WordStartHalfUnicode => place::NO_WORD_BEFORE,
        Look::WordEndHalfAscii | Look::WordEndHalfUnicode => place::NO_WORD_BEHIND,
    }
}
