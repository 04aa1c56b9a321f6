//! Which rows of the table a line may hold: each phrase begins with a word, and few words of a line begin one.

use super::tokens::Token;

const BUCKETS: usize = 1024;
const NONE: u16 = u16::MAX;

/// A phrase by its first word.
#[derive(Clone, Copy)]
struct Phrase {
    first: &'static str,
    row: u16,
    /// Which of the row's phrases it is.
    said: u16,
    /// The next phrase of the same bucket.
    next: u16,
}

/// The phrases of a table's rows, by their first words.
pub(super) struct Index<const PHRASES: usize> {
    heads: [u16; BUCKETS],
    phrases: [Phrase; PHRASES],
}

/// A phrase of which the first word stands in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Begun {
    /// The row's number.
    pub(super) row: u16,
    /// Which of the row's phrases it is.
    pub(super) said: u16,
    /// The word's place in the line.
    pub(super) at: usize,
}

impl<const PHRASES: usize> Index<PHRASES> {
    /// The phrases that begin with one of the words, in the table's order.
    pub(super) fn begun_by(&self, words: &[Token<'_>]) -> Vec<Begun> {
        let mut begun = Vec::new();
        for (place, token) in words.iter().enumerate().filter(|(_, token)| !token.is_path) {
            let mut at = self.heads.get(token.bucket).copied().unwrap_or(NONE);
            while let Some(phrase) = self.phrases.get(usize::from(at)) {
                if phrase.first == token.word {
                    begun.push(Begun { row: phrase.row, said: phrase.said, at: place });
                }
                at = phrase.next;
            }
        }
        begun.sort_unstable();
        begun
    }

    #[expect(clippy::cast_possible_truncation, reason = "a table that is too large does not compile")]
    pub(super) const fn of(rows: &[&[&'static str]]) -> Self {
        assert!(PHRASES < NONE as usize, "too many phrases");
        let none = Phrase { first: "", row: 0, said: 0, next: NONE };
        let mut index = Self { heads: [NONE; BUCKETS], phrases: [none; PHRASES] };
        let (mut row, mut at) = (0, 0);
        while row < rows.len() {
            let mut said = 0;
            while said < rows[row].len() {
                let first = first_word(rows[row][said]);
                let bucket = word_bucket(first.as_bytes());
                index.phrases[at] = Phrase { first, row: row as u16, said: said as u16, next: index.heads[bucket] };
                index.heads[bucket] = at as u16;
                at += 1;
                said += 1;
            }
            row += 1;
        }
        index
    }
}

/// What each row of a table says.
macro_rules! says_of {
    ($rows:ident) => {{
        let mut says: [&[&str]; $rows.len()] = [&[]; $rows.len()];
        let mut row = 0;
        while row < $rows.len() {
            says[row] = $rows[row].says;
            row += 1;
        }
        says
    }};
}
pub(super) use says_of;

/// How many phrases the rows have.
pub(super) const fn count(rows: &[&[&str]]) -> usize {
    let (mut row, mut total) = (0, 0);
    while row < rows.len() {
        total += rows[row].len();
        row += 1;
    }
    total
}

/// The bucket of a word: the same in every index.
pub(super) const fn word_bucket(word: &[u8]) -> usize {
    let (mut at, mut hash) = (0, 0x811C_9DC5_u32);
    while at < word.len() {
        hash = (hash ^ word[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    (hash ^ (hash >> 15)) as usize % BUCKETS
}

const fn first_word(phrase: &'static str) -> &'static str {
    let bytes = phrase.as_bytes();
    let mut end = 0;
    while end < bytes.len() && bytes[end] != b' ' {
        end += 1;
    }
    assert!(end > 0 && bytes[0] != b'*' && bytes[0] != b'#', "a phrase begins with a word");
    phrase.split_at(end).0
}

#[cfg(test)]
mod tests {
    use super::super::INDEX;
    use super::super::table::ROWS;
    use super::super::tokens::tokens;

    #[test]
    fn a_row_is_found_by_the_first_word_of_each_of_its_phrases() {
        for (number, row) in ROWS.iter().enumerate() {
            for phrase in row.says {
                let first = phrase.split(' ').next().unwrap();
                let words = tokens(first);
                let found = INDEX.begun_by(&words).iter().any(|found| usize::from(found.row) == number);
                assert!(found || words.is_empty() || words[0].word != first, "{phrase}");
            }
        }
        assert_eq!(INDEX.begun_by(&tokens("weld gizmo frob")), []);
    }

    #[test]
    fn rows_come_in_the_tables_order() {
        let begun = INDEX.begun_by(&tokens("unknown not no invalid failed could missing"));
        assert!(begun.len() > 3 && begun.is_sorted());
    }
}
