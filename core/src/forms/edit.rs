//! A change of a command line in one place, what stands around it as it was.

use std::ops::Range;

/// A text, of words that are quoted already, in the place of a part of a line. An empty text takes the words out, and a part
/// without length is where the text is put in.
pub type LineEdit = (Range<usize>, String);

/// Words behind a place.
pub fn behind(at: usize, words: &str) -> LineEdit {
    (at..at, format!(" {words}"))
}

/// The line with its edits, which may not overlap. Where a text is empty, the blank before its place goes, too.
pub fn with_edits(line: &str, mut edits: Vec<LineEdit>) -> Option<String> {
    edits.sort_by_key(|(range, _)| range.start);
    let mut made = String::with_capacity(line.len() + 64);
    let mut from = 0;
    for (range, text) in edits {
        let before = line.get(from..range.start)?;
        made.push_str(if text.is_empty() { before.trim_end_matches(' ') } else { before });
        made.push_str(&text);
        from = range.end;
    }
    made.push_str(line.get(from..)?);
    Some(made)
}
