//! Which rows of the table a line may hold: each phrase begins with a word, and few words of a line begin one.

use super::table::ROWS;
use super::tokens::Token;

/// How many phrases the rows have.
const PHRASES: usize = count();
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

struct Index {
    heads: [u16; BUCKETS],
    phrases: [Phrase; PHRASES],
}

static INDEX: Index = build();

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

/// The phrases that begin with one of the words, in the table's order.
pub(super) fn begun_by(words: &[Token<'_>]) -> Vec<Begun> {
    let mut begun = Vec::new();
    for (place, token) in words.iter().enumerate().filter(|(_, token)| !token.is_path) {
        let mut at = INDEX.heads.get(bucket(token.word.as_bytes())).copied().unwrap_or(NONE);
        while let Some(phrase) = INDEX.phrases.get(usize::from(at)) {
            if phrase.first == token.word {
                begun.push(Begun { row: phrase.row, said: phrase.said, at: place });
            }
            at = phrase.next;
        }
    }
    begun.sort_unstable();
    begun
}

const fn count() -> usize {
    let (mut row, mut total) = (0, 0);
    while row < ROWS.len() {
        total += ROWS[row].says.len();
        row += 1;
    }
    total
}

const fn bucket(word: &[u8]) -> usize {
    let (mut at, mut hash) = (0, 0x811C_9DC5_u32);
    while at < word.len() {
        hash = (hash ^ word[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    (hash ^ (hash >> 15)) as usize % BUCKETS
}

#[expect(clippy::cast_possible_truncation, reason = "a table that is too large does not compile")]
#[expect(clippy::large_stack_arrays, reason = "run by the compiler only")]
const fn build() -> Index {
    assert!(PHRASES < NONE as usize, "too many phrases");
    let none = Phrase { first: "", row: 0, said: 0, next: NONE };
    let mut index = Index { heads: [NONE; BUCKETS], phrases: [none; PHRASES] };
    let (mut row, mut at) = (0, 0);
    while row < ROWS.len() {
        let mut said = 0;
        while said < ROWS[row].says.len() {
            let first = first_word(ROWS[row].says[said]);
            let bucket = bucket(first.as_bytes());
            index.phrases[at] = Phrase { first, row: row as u16, said: said as u16, next: index.heads[bucket] };
            index.heads[bucket] = at as u16;
            at += 1;
            said += 1;
        }
        row += 1;
    }
    index
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
    use super::super::tokens::tokens;
    use super::*;

    #[test]
    fn a_row_is_found_by_the_first_word_of_each_of_its_phrases() {
        for (number, row) in ROWS.iter().enumerate() {
            for phrase in row.says {
                let first = phrase.split(' ').next().unwrap();
                let words = tokens(first);
                let found = begun_by(&words).iter().any(|found| usize::from(found.row) == number);
                assert!(found || words.is_empty() || words[0].word != first, "{phrase}");
            }
        }
        assert_eq!(begun_by(&tokens("weld gizmo frob")), []);
    }

    #[test]
    fn rows_come_in_the_tables_order() {
        let begun = begun_by(&tokens("unknown not no invalid failed could missing"));
        assert!(begun.len() > 3 && begun.is_sorted());
    }
}
