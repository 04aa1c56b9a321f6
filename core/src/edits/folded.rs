//! Texts without what an edit may have otherwise: runs of white space are one space, typographic characters are plain.

use std::ops::Range;

/// The most characters that are compared around candidates.
const MOST_COMPARED: usize = 1024 * 1024;

/// The plain character for a typographic one.
pub(super) const fn plain(c: char) -> char {
    match c {
        '\u{2018}' | '\u{2019}' | '\u{201b}' => '\'',
        '\u{201c}'..='\u{201f}' => '"',
        '\u{2010}'..='\u{2014}' | '\u{2212}' => '-',
        c => c,
    }
}

/// Whether a file may have another character for this one of a folded text.
const fn has_others(c: char) -> bool {
    matches!(c, ' ' | '\'' | '"' | '-')
}

/// The folded text.
pub(super) fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars().map(plain) {
        match c.is_whitespace() {
            false => folded.push(c),
            true if folded.ends_with(' ') => {}
            true => folded.push(' '),
        }
    }
    folded
}

/// Where a text stands that is folded to `wanted`, if it stands once only. Overlapping places are two. It is looked for by the
/// longest part that stands as it is in any such text, so that nothing else of a large file is looked at. None where that
/// part stands in too many places to compare what is around them.
pub(super) fn only_place(text: &str, wanted: &str) -> Option<Range<usize>> {
    let part = wanted.split(has_others).max_by_key(|part| part.len()).filter(|part| !part.is_empty())?;
    let (before, behind) = wanted.split_once(part)?;
    let step = part.chars().next()?.len_utf8();
    let (mut place, mut compared, mut from) = (None, 0, 0);
    while let Some(found) = text.get(from..)?.find(part) {
        let start = from + found;
        let end = start + part.len();
        from = start + step;
        let left = length(text.get(..start)?.chars().rev(), before.chars().rev(), &mut compared);
        let right = left.and_then(|_| length(text.get(end..)?.chars(), behind.chars(), &mut compared));
        if compared > MOST_COMPARED {
            return None;
        }
        if let Some((left, right)) = left.zip(right)
            && place.replace(start - left..end + right).is_some()
        {
            return None;
        }
    }
    place
}

/// How many bytes of a text are folded to what is wanted; None where it begins otherwise. Counts what it looks at.
fn length(text: impl Iterator<Item = char>, wanted: impl Iterator<Item = char>, compared: &mut usize) -> Option<usize> {
    let mut text = text.peekable();
    let mut length = 0;
    for wanted in wanted {
        let c = text.next()?;
        length += c.len_utf8();
        *compared += 1;
        if wanted != ' ' {
            (plain(c) == wanted).then_some(())?;
            continue;
        }
        c.is_whitespace().then_some(())?;
        while let Some(c) = text.next_if(|c| c.is_whitespace()) {
            length += c.len_utf8();
            *compared += 1;
        }
    }
    Some(length)
}
