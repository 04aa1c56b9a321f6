//! Finds the lines worth looking at: one pass over the text for all rows of all recognisers.
//!
//! Every row has a needle: the longest literal run of its pattern, without blanks. Four bytes of the needle set a bit in a
//! table made by the compiler; a text is scanned once against that table, so the cost is flat in the number of rows. A
//! row without a long literal may name the status of an HTTP answer, and has a needle for each form of its number.

use super::pattern::STATUS;
use super::row::{ReadingRow, ToolTable};
use super::status;
use super::tables::TOOLS;

/// How many rows there are.
pub(super) const ROWS: usize = {
    let (mut tool, mut total) = (0, 0);
    while tool < TOOLS.len() {
        total += TOOLS[tool].rows.len();
        tool += 1;
    }
    total
};
/// How many needles they have.
const NEEDLES: usize = {
    let (mut id, mut total) = (0, 0);
    while id < ROWS {
        total += match SOUGHT[id] {
            SoughtWord::Literal(_) => 1,
            SoughtWord::Status(digits) => status::count(digits) * status::PLACES,
        };
        id += 1;
    }
    total
};
const BITS: usize = 1 << 16;
const BUCKETS: usize = 2048;
/// A literal of so many bytes finds a row more surely than the status that its pattern names.
const LONG: usize = 8;
const NONE: u16 = u16::MAX;

/// A needle of a row, and which four bytes of it are looked for.
#[derive(Clone, Copy)]
struct Needle {
    /// What stands in the text besides the four bytes; for a status nothing more.
    literal: &'static [u8],
    four: u32,
    gram: u16,
    /// The row's number over all tables.
    id: u16,
    tool: u16,
    row: u16,
    /// The next needle of the same bucket.
    next: u16,
}

struct RowIndex {
    /// The first three and the last three of the four bytes: one of them begins at an odd place.
    threes: Bits,
    fours: Bits,
    heads: [u16; BUCKETS],
    needles: [Needle; NEEDLES],
}

/// A set of hashes.
struct Bits([u64; BITS / 64]);

impl Bits {
    const fn set(&mut self, hash: usize) {
        self.0[hash / 64] |= 1 << (hash % 64);
    }

    #[inline]
    fn has(&self, hash: usize) -> bool {
        self.0.get(hash / 64).is_some_and(|word| word >> (hash % 64) & 1 == 1)
    }
}

static INDEX: RowIndex = build();

const fn hash(gram: u32) -> usize {
    (gram.wrapping_mul(0x9E37_79B1) >> 16) as usize
}

/// Of the last three bytes.
const fn hash_of_three(gram: u32) -> usize {
    hash(gram & !0xFF)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "tables are far smaller than u16, and a larger one does not compile"
)]
#[expect(clippy::large_stack_arrays, reason = "run by the compiler only")]
const fn build() -> RowIndex {
    assert!(NEEDLES < NONE as usize, "too many needles");
    let empty = Needle { literal: &[], four: 0, gram: 0, id: 0, tool: 0, row: 0, next: NONE };
    let none = Bits([0; BITS / 64]);
    let mut index = RowIndex { threes: Bits(none.0), fours: none, heads: [NONE; BUCKETS], needles: [empty; NEEDLES] };
    let (mut tool, mut id, mut at) = (0, 0_usize, 0);
    while tool < TOOLS.len() {
        let mut row = 0;
        while row < TOOLS[tool].rows.len() {
            let of_row = Needle { id: id as u16, tool: tool as u16, row: row as u16, ..empty };
            at = match SOUGHT[id] {
                SoughtWord::Literal(literal) => {
                    let gram = rarest(literal);
                    index.add(at, Needle { literal, four: gram_at(literal, gram), gram: gram as u16, ..of_row })
                }
                SoughtWord::Status(digits) => index.add_status(at, digits, of_row),
            };
            id += 1;
            row += 1;
        }
        tool += 1;
    }
    index
}

impl RowIndex {
    /// Puts a needle in its place, and gives the next place.
    #[expect(clippy::cast_possible_truncation, reason = "there are fewer needles than u16 counts")]
    const fn add(&mut self, at: usize, needle: Needle) -> usize {
        let bucket = hash(needle.four) % BUCKETS;
        self.fours.set(hash(needle.four));
        self.threes.set(hash_of_three(needle.four << 8));
        self.threes.set(hash_of_three(needle.four));
        self.needles[at] = Needle { next: self.heads[bucket], ..needle };
        self.heads[bucket] = at as u16;
        at + 1
    }

    /// The same for each form of each status that begins with these digits.
    const fn add_status(&mut self, mut at: usize, digits: &[u8], needle: Needle) -> usize {
        let mut nth = 0;
        while nth < status::STATUSES * status::PLACES {
            let (status, place) = (nth / status::PLACES, nth % status::PLACES);
            if status::is_one_of(status, digits) {
                let four = u32::from_le_bytes(status::four_bytes(status, place));
                at = self.add(at, Needle { four, ..needle });
            }
            nth += 1;
        }
        at
    }
}

/// What the index looks for to find a row.
#[derive(Clone, Copy)]
enum SoughtWord {
    Literal(&'static [u8]),
    /// A status that begins with these digits.
    Status(&'static [u8]),
}

/// That of each row, by its number.
static SOUGHT: [SoughtWord; ROWS] = {
    let mut table = [SoughtWord::Literal(b""); ROWS];
    let (mut tool, mut id) = (0, 0);
    while tool < TOOLS.len() {
        let rows = TOOLS[tool].rows;
        let mut row = 0;
        while row < rows.len() {
            table[id] = sought(&rows[row]);
            id += 1;
            row += 1;
        }
        tool += 1;
    }
    table
};

const fn sought(row: &ReadingRow) -> SoughtWord {
    if let Some(literal) = row.needle {
        return SoughtWord::Literal(literal.as_bytes());
    }
    let pattern = row.pattern.as_bytes();
    let (start, length) = longest_literal(pattern);
    // A number is rarer in texts than a short word such as `Error:`.
    let digits = if length < LONG { status_in(pattern) } else { None };
    match digits {
        Some(digits) => SoughtWord::Status(digits),
        None if length >= 4 => SoughtWord::Literal(pattern.split_at(start).1.split_at(length).0),
        None => panic!("a row needs a literal of four bytes, or a status"),
    }
}

/// The digits of the status that a pattern names.
const fn status_in(pattern: &'static [u8]) -> Option<&'static [u8]> {
    let mut at = 0;
    while at < pattern.len() {
        let after = after_special(pattern, at);
        let digits = at + 1 + STATUS.len();
        if pattern[at] == b'{' && digits < after && status::begins(pattern.split_at(at + 1).1, STATUS) {
            return Some(pattern.split_at(digits).1.split_at(after - 1 - digits).0);
        }
        at = after;
    }
    None
}

/// The longest literal run of a pattern: where it starts, and how long it is. A run that is too short alone may take
/// the blank beside it.
const fn longest_literal(pattern: &[u8]) -> (usize, usize) {
    let (mut best, mut length) = (0, 0);
    let mut at = 0;
    while at < pattern.len() {
        let start = at;
        while at < pattern.len() && !SPECIAL[pattern[at] as usize] {
            at += 1;
        }
        if at - start > length {
            (best, length) = (start, at - start);
        }
        at = after_special(pattern, at);
    }
    if length < 4 && best + length < pattern.len() && pattern[best + length] == b' ' {
        length += 1;
    }
    if length < 4 && best > 0 && pattern[best - 1] == b' ' {
        (best, length) = (best - 1, length + 1);
    }
    (best, length)
}

/// The bytes that end a literal run. A table, because the compiler asks of each byte of each row.
static SPECIAL: [bool; 256] = {
    let special = b" #%*{$\\^";
    let (mut table, mut at) = ([false; 256], 0);
    while at < special.len() {
        table[special[at] as usize] = true;
        at += 1;
    }
    table
};

/// Where the pattern goes on behind the special character at `at`. An escaped character and letters of either case begin no
/// run.
const fn after_special(pattern: &[u8], at: usize) -> usize {
    if at >= pattern.len() {
        return at;
    }
    match pattern[at] {
        b'^' if at + 1 < pattern.len() && pattern[at + 1] == b'(' => after(pattern, at, b')'),
        b'\\' | b'^' => at + 2,
        b'{' => after(pattern, at, b'}'),
        _ => at + 1,
    }
}

/// Behind the next such byte.
const fn after(pattern: &[u8], mut at: usize, byte: u8) -> usize {
    while at < pattern.len() && pattern[at] != byte {
        at += 1;
    }
    at + 1
}

/// The four bytes of a needle that ordinary text holds least often.
const fn rarest(literal: &[u8]) -> usize {
    let (mut best, mut score, mut at) = (0, 0, 0);
    while at + 4 <= literal.len() {
        let here = rarity(literal[at]) + rarity(literal[at + 1]) + rarity(literal[at + 2]) + rarity(literal[at + 3]);
        if here > score {
            (best, score) = (at, here);
        }
        at += 1;
    }
    best
}

const fn rarity(byte: u8) -> u32 {
    match byte {
        b'e' | b't' | b'a' | b'o' | b'i' | b'n' | b's' | b'r' | b'.' | b' ' => 1,
        b'j' | b'q' | b'x' | b'z' | b'k' | b'v' | b'w' | b'A'..=b'Z' => 4,
        b'a'..=b'z' | b'/' | b'-' | b'_' => 2,
        _ => 3,
    }
}

const fn gram_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// Where a needle stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit {
    /// The row's number over all tables: lower numbers have priority.
    pub(super) id: usize,
    pub(super) tool: usize,
    pub(super) row: usize,
    pub(super) at: usize,
}

impl Hit {
    pub(super) fn tool(&self) -> Option<&'static ToolTable> {
        TOOLS.get(self.tool).copied()
    }

    pub(super) fn row(&self) -> Option<&'static ReadingRow> {
        self.tool()?.rows.get(self.row)
    }
}

/// Calls back for every needle of a believed tool in the text, in the order of the text. `believes` is asked for tools by
/// their number.
///
/// Only the odd places are looked at first: of four bytes, the first three or the last three begin there.
pub(super) fn scan(text: &[u8], believes: impl FnMut(usize) -> bool, found: impl FnMut(Hit)) {
    let mut search = Search { text, believes, found };
    let mut rest = text;
    while let Some(window) = rest.first_chunk::<WINDOW>() {
        let bytes = u64::from_le_bytes(*window);
        for odd in [1, 3] {
            if INDEX.threes.has(hash_of_three(four_at(bytes, odd - 1))) {
                let at = text.len() - rest.len() + odd;
                search.look(at - 1, four_at(bytes, odd - 1));
                search.look(at, four_at(bytes, odd));
            }
        }
        rest = rest.get(STEP..).unwrap_or_default();
    }
    let ends = rest.windows(4).filter_map(<[u8]>::first_chunk);
    for (four, at) in ends.zip(text.len() - rest.len()..) {
        search.look(at, u32::from_le_bytes(*four));
    }
}

/// How many bytes are looked at together, and how many places of them.
const WINDOW: usize = 8;
const STEP: usize = 4;

/// Four of the bytes.
#[expect(clippy::cast_possible_truncation, reason = "the other bytes are shifted out or cut off")]
const fn four_at(bytes: u64, at: usize) -> u32 {
    (bytes >> (8 * at)) as u32
}

struct Search<'t, B, F> {
    text: &'t [u8],
    believes: B,
    found: F,
}

impl<B: FnMut(usize) -> bool, F: FnMut(Hit)> Search<'_, B, F> {
    #[inline]
    fn look(&mut self, at: usize, four: u32) {
        let hash = hash(four);
        if INDEX.fours.has(hash) {
            self.in_bucket(at, four, hash);
        }
    }

    #[inline(never)]
    fn in_bucket(&mut self, at: usize, four: u32, hash: usize) {
        let mut next = INDEX.heads.get(hash % BUCKETS).copied().unwrap_or(NONE);
        let mut status = None;
        while let Some(needle) = INDEX.needles.get(usize::from(next)) {
            let tool = usize::from(needle.tool);
            if needle.four == four
                && (self.believes)(tool)
                && let Some(start) = at.checked_sub(usize::from(needle.gram))
                && self.text.get(start..).is_some_and(|rest| rest.starts_with(needle.literal))
                && (!needle.literal.is_empty() || *status.get_or_insert_with(|| status::stands_at(self.text, at)))
            {
                (self.found)(Hit { id: usize::from(needle.id), tool, row: usize::from(needle.row), at: start });
            }
            next = needle.next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(text: &str) -> Vec<&'static str> {
        let mut found = Vec::new();
        scan(text.as_bytes(), |_| true, |hit| found.push(hit.row().unwrap().pattern));
        found
    }

    /// The index finds what a plain search for every needle finds.
    #[test]
    fn every_needle_is_found() {
        for tool in TOOLS {
            for row in tool.rows {
                let bytes = match sought(row) {
                    SoughtWord::Literal(literal) => literal.to_vec(),
                    SoughtWord::Status(digits) => {
                        let one = (0..status::STATUSES).find(|status| status::is_one_of(*status, digits)).unwrap();
                        [b"HTTP".as_slice(), &status::four_bytes(one, 0), b","].concat()
                    }
                };
                let literal = String::from_utf8(bytes).unwrap();
                for around in [("x ", " y"), ("x", ""), ("", "y")] {
                    let text = format!("{}{literal}{}", around.0, around.1);
                    assert!(hits(&text).contains(&row.pattern), "{text}");
                }
            }
        }
    }

    /// Looking at every second place misses nothing, wherever a needle stands.
    #[test]
    fn needles_are_found_at_even_and_odd_places_and_at_the_end() {
        for lead in ["", "x", "xy", "xyz", "  xyz"] {
            for tail in ["", "z", "zy", "zyx"] {
                let text = format!("{lead}command not found{tail}");
                assert!(hits(&text).iter().any(|pattern| pattern.contains("command not found")), "{text}");
            }
        }
    }

    #[test]
    fn needles_of_tools_that_are_not_believed_are_passed_over() {
        let mut found = 0;
        scan(b"error: x\nFAILED y", |_| false, |_| found += 1);
        assert_eq!(found, 0);
    }

    #[test]
    fn text_without_needles_costs_no_hit() {
        assert_eq!(hits("the quick brown fox"), Vec::<&str>::new());
        assert_eq!(hits(""), Vec::<&str>::new());
    }
}
