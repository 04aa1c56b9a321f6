//! A compiled pattern, and how a stretch of text is held against it: by backtracking that never comes twice to the same
//! state at the same place, so that the work is bounded by states times bytes whatever the pattern and the text say.
//!
//! Nothing of a program is believed: what leads out of it fails to match.

use std::ops::Range;

/// The most states of a program.
pub const MOST_STATES: usize = 4096;
/// Bytes of a state.
pub const STATE: usize = 8;
/// Bytes of a way out of a state.
pub const WAY: usize = 4;

/// What a state does: the first byte of its record.
pub mod op {
    /// Nothing: no byte, no place. What the hook does not know does the same.
    pub const FAIL: u8 = 0;
    /// A match ends here.
    pub const MATCH: u8 = 1;
    /// One byte of a range: from, to, next.
    pub const RANGE: u8 = 2;
    /// One byte of several ranges: first way, number of ways.
    pub const RANGES: u8 = 3;
    /// One of several states, the first that leads to a match: first way, number of ways.
    pub const ANY: u8 = 4;
    /// A place that something is true of: what, next.
    pub const PLACE: u8 = 5;
    /// The object begins (0) or ends (1) here: which, next.
    pub const NOTE: u8 = 6;
}

/// What may be true of a place in a text.
pub mod place {
    /// At the beginning of a line.
    pub const LINE_START: u8 = 0;
    /// At the end of a line.
    pub const LINE_END: u8 = 1;
    /// At either end of a word.
    pub const BOUNDARY: u8 = 2;
    /// At no end of a word.
    pub const NO_BOUNDARY: u8 = 3;
    /// At the beginning of a word.
    pub const WORD_START: u8 = 4;
    /// At the end of a word.
    pub const WORD_END: u8 = 5;
    /// Behind no letter, digit or `_`.
    pub const NO_WORD_BEFORE: u8 = 6;
    /// Before no letter, digit or `_`.
    pub const NO_WORD_BEHIND: u8 = 7;
}

/// A program as it lies in the compiled form: the number of its states (2 bytes), the states, the ways out of them.
///
/// A state is `op, from, to, 0, first, second`, the last two of 2 bytes, little-endian; a way is `from, to, next`.
#[derive(Clone, Copy)]
pub struct PatternProgram<'p> {
    states: &'p [u8],
    ways: &'p [u8],
    count: usize,
}

/// How much work may still be done. One for a state that is come to.
#[derive(Debug, Clone, Copy)]
pub struct Fuel(pub(super) u32);

/// What came of holding a program against a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProgramMatch {
    /// It matches here.
    Match {
        /// From where to where.
        whole: Range<usize>,
        /// Where the object stands, where the pattern names one.
        object: Option<Range<usize>>,
    },
    /// It does not.
    Nothing,
    /// The fuel was used up before that was known.
    Unknown,
}

/// A part of a text: what stands around it is looked at, never taken.
#[derive(Debug, Clone, Copy)]
pub struct Stretch<'t> {
    /// The whole text.
    pub text: &'t [u8],
    /// Where matches may begin: not before, and not behind.
    pub first: usize,
    /// Where one may begin last.
    pub last: usize,
    /// Where they end at the latest.
    pub end: usize,
}

impl<'p> PatternProgram<'p> {
    /// A program in the bytes that hold it; None where they can be none.
    pub fn read(bytes: &'p [u8]) -> Option<Self> {
        let (count, rest) = bytes.split_at_checked(2)?;
        let count = usize::from(u16::from_le_bytes(count.try_into().ok()?));
        let (states, ways) = rest.split_at_checked(count * STATE)?;
        (count <= MOST_STATES).then_some(Self { states, ways, count })
    }

    fn state(&self, number: u16) -> Option<&[u8; STATE]> {
        let at = usize::from(number) * STATE;
        self.states.get(at..at + STATE)?.try_into().ok()
    }

    fn ways(&self, first: u16, count: u16) -> &'p [u8] {
        let (from, length) = (usize::from(first) * WAY, usize::from(count) * WAY);
        self.ways.get(from..from + length).unwrap_or_default()
    }

    /// The leftmost match in a stretch, the first of its alternatives before the longest.
    pub fn find(&self, stretch: Stretch<'_>, fuel: &mut Fuel) -> ProgramMatch {
        let room = (stretch.end.saturating_sub(stretch.first) + 1) * self.count;
        let mut search = ProgramSearch {
            program: *self,
            stretch,
            seen: vec![0; room.div_ceil(64)],
            open: Vec::new(),
            object: [None; 2],
        };
        // To have no memory of the last stretch costs as well.
        fuel.0 = fuel.0.saturating_sub(64);
        for start in stretch.first..=stretch.last.min(stretch.end) {
            let is_within_a_character = stretch.text.get(start).is_some_and(|byte| byte & 0xC0 == 0x80);
            if is_within_a_character {
                continue;
            }
            match search.from(start, fuel) {
                ProgramMatch::Nothing => {}
                found => return found,
            }
        }
        ProgramMatch::Nothing
    }
}

/// One search: what was come to already, and what is still to be tried.
struct ProgramSearch<'p, 't> {
    program: PatternProgram<'p>,
    stretch: Stretch<'t>,
    /// A bit for each state at each place. One that did not lead to a match before never will.
    seen: Vec<u64>,
    open: Vec<OpenState>,
    object: [Option<usize>; 2],
}

/// What is tried when nothing else leads on.
enum OpenState {
    /// A state at a place.
    Try(u16, usize),
    /// What the object was before.
    Forget(usize, Option<usize>),
}

impl ProgramSearch<'_, '_> {
    fn from(&mut self, start: usize, fuel: &mut Fuel) -> ProgramMatch {
        self.object = [None; 2];
        self.open.clear();
        self.open.push(OpenState::Try(0, start));
        while let Some(open) = self.open.pop() {
            match open {
                OpenState::Forget(side, before) => {
                    if let Some(place) = self.object.get_mut(side) {
                        *place = before;
                    }
                }
                OpenState::Try(state, at) => match self.follow(state, at, fuel) {
                    Ok(Some(end)) => return self.matched(start..end),
                    Ok(None) => {}
                    Err(UsedUp) => return ProgramMatch::Unknown,
                },
            }
        }
        ProgramMatch::Nothing
    }

    fn matched(&self, whole: Range<usize>) -> ProgramMatch {
        let [from, to] = self.object;
        ProgramMatch::Match { whole, object: from.zip(to).map(|(from, to)| from..to) }
    }

    /// Goes on from a state as far as there is one way: to a match, or to where nothing leads on.
    fn follow(&mut self, mut state: u16, mut at: usize, fuel: &mut Fuel) -> Result<Option<usize>, UsedUp> {
        let program = self.program;
        loop {
            fuel.0 = fuel.0.checked_sub(1).ok_or(UsedUp)?;
            let Some(&[op, from, to, _, a, b, c, d]) = program.state(state) else { return Ok(None) };
            if !self.is_new(state, at) {
                return Ok(None);
            }
            let (first, second) = (u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d]));
            let byte = || if at < self.stretch.end { self.stretch.text.get(at).copied() } else { None };
            match op {
                op::MATCH => return Ok(Some(at)),
                op::RANGE => {
                    if !byte().is_some_and(|byte| (from..=to).contains(&byte)) {
                        return Ok(None);
                    }
                    (state, at) = (first, at + 1);
                }
                op::RANGES => {
                    let Some(next) = byte().and_then(|byte| way_of(program.ways(first, second), byte)) else {
                        return Ok(None);
                    };
                    (state, at) = (next, at + 1);
                }
                op::ANY => {
                    let mut ways = program.ways(first, second).chunks_exact(WAY).filter_map(next_of);
                    let Some(next) = ways.next() else { return Ok(None) };
                    self.open.extend(ways.rev().map(|way| OpenState::Try(way, at)));
                    state = next;
                }
                op::PLACE => {
                    if !is_true(from, self.stretch.text, at) {
                        return Ok(None);
                    }
                    state = first;
                }
                op::NOTE => {
                    let side = usize::from(from);
                    let Some(place) = self.object.get_mut(side) else { return Ok(None) };
                    self.open.push(OpenState::Forget(side, *place));
                    *place = Some(at);
                    state = first;
                }
                _ => return Ok(None),
            }
        }
    }

    /// Whether nothing came to this state at this place before.
    fn is_new(&mut self, state: u16, at: usize) -> bool {
        let bit = at.saturating_sub(self.stretch.first) * self.program.count + usize::from(state);
        let Some(word) = self.seen.get_mut(bit / 64) else { return false };
        let is_new = *word & (1 << (bit % 64)) == 0;
        *word |= 1 << (bit % 64);
        is_new
    }
}

/// No fuel is left.
struct UsedUp;

fn next_of(way: &[u8]) -> Option<u16> {
    Some(u16::from_le_bytes([*way.get(2)?, *way.get(3)?]))
}

/// Where a byte leads. The ranges stand in their order.
fn way_of(ways: &[u8], byte: u8) -> Option<u16> {
    let way = ways.chunks_exact(WAY).find(|way| way.get(1).is_some_and(|to| byte <= *to))?;
    if way.first().is_some_and(|from| *from <= byte) { next_of(way) } else { None }
}

/// Whether something is true of a place.
fn is_true(what: u8, text: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| text.get(at)).copied();
    let behind = text.get(at).copied();
    let (left, right) = (before.is_some_and(is_word), behind.is_some_and(is_word));
    match what {
        place::LINE_START => matches!(before, None | Some(b'\n')),
        place::LINE_END => {
            matches!(behind, None | Some(b'\n')) || behind == Some(b'\r') && text.get(at + 1) == Some(&b'\n')
        }
        place::BOUNDARY => left != right,
        place::NO_BOUNDARY => left == right,
        place::WORD_START => !left && right,
        place::WORD_END => left && !right,
        place::NO_WORD_BEFORE => !left,
        place::NO_WORD_BEHIND => !right,
        _ => false,
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
