//! Tables of words: rows of what several words have in common, and the words of all rows one by one.

/// What some words have in common, and the words.
pub(super) type Row<T> = (T, &'static [&'static str]);

/// How many words there are in some tables.
pub(super) const fn count_of<T>(tables: &[&[Row<T>]]) -> usize {
    let (mut table, mut count) = (0, 0);
    while table < tables.len() {
        let mut row = 0;
        while row < tables[table].len() {
            count += tables[table][row].1.len();
            row += 1;
        }
        table += 1;
    }
    count
}

/// Each word of some tables with what its row says, in their order.
pub(super) const fn flat<T: Copy, const N: usize>(tables: &[&[Row<T>]]) -> [(&'static str, T); N] {
    let mut all = [("", tables[0][0].0); N];
    let (mut table, mut row, mut word, mut next) = (0, 0, 0, 0);
    while next < N {
        if row == tables[table].len() {
            (table, row) = (table + 1, 0);
        } else if word == tables[table][row].1.len() {
            (row, word) = (row + 1, 0);
        } else {
            all[next] = (tables[table][row].1[word], tables[table][row].0);
            (word, next) = (word + 1, next + 1);
        }
    }
    all
}
