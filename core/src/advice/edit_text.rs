//! Where the text of an edit stands all the same, and by what it differs, in words.

use super::situation::list;
use crate::model::{Difference, Misfit, Unit};

/// The sentence. `file` is the edit's file, quoted.
pub(super) fn misfit_words(file: &str, misfit: &Misfit) -> String {
    let Misfit { first, last, differences, has_signs } = misfit;
    let place = if first == last { format!("line {first}") } else { format!("lines {first}-{last}") };
    let differs = if differences.is_empty() {
        let signs = if *has_signs { " and typographic characters" } else { "" };
        format!("it differs from yours in white space{signs} only")
    } else {
        let words: Vec<String> = differences.iter().map(|difference| words(difference, (*first, *last))).collect();
        words.join("; ")
    };
    format!("{file}: the given text was not found, but the same text occurs once, at {place}; {differs}.")
}

/// One difference.
fn words(difference: &Difference, (first, last): (u64, u64)) -> String {
    let begins = |except: &[u64]| match except {
        _ if first == last => "it begins".to_owned(),
        [] => "each of its non-blank lines begins".to_owned(),
        [only] if *only == first => "each of its non-blank lines after the first begins".to_owned(),
        [only] => format!("each of its non-blank lines but line {only} begins"),
        lines => format!("each of its non-blank lines but lines {} begins", lines_listed(lines)),
    };
    match difference {
        Difference::TabForSpaces { spaces } => {
            format!("it is indented with one tab for every {spaces} spaces of yours")
        }
        Difference::SpacesForTab { spaces } => format!("it is indented with {spaces} spaces for every tab of yours"),
        Difference::Deeper { unit, count, except } => {
            format!("{} with {} more than yours", begins(except), counted(*unit, *count))
        }
        Difference::Shallower { unit, count, except } => {
            let fewer = if *count == 1 { "less" } else { "fewer" };
            format!("{} with {} {fewer} than yours", begins(except), counted(*unit, *count))
        }
        Difference::Sign { file, given, lines } => {
            let place = match lines.as_slice() {
                [] => "it has".to_owned(),
                [one] => format!("line {one} has"),
                lines => format!("lines {} have", lines_listed(lines)),
            };
            format!("{place} {} where yours has {}", name(*file), name(*given))
        }
        Difference::Trailing { line, unit, count } => format!("line {line} ends in {}", counted(*unit, *count)),
        Difference::NoTrailing => "its lines have no trailing white space, as some of yours have".to_owned(),
        Difference::Crlf => "its lines end in CRLF, yours in LF".to_owned(),
        Difference::Lf => "its lines end in LF, yours in CRLF".to_owned(),
    }
}

/// Two or three numbers.
fn lines_listed(lines: &[u64]) -> String {
    let lines: Vec<String> = lines.iter().map(u64::to_string).collect();
    list(&lines)
}

fn counted(unit: Unit, count: usize) -> String {
    match (unit, count) {
        (Unit::Tab, 1) => "one tab".to_owned(),
        (Unit::Space, 1) => "one space".to_owned(),
        (Unit::Tab, _) => format!("{count} tabs"),
        (Unit::Space, _) => format!("{count} spaces"),
    }
}

/// A character that an edit may have mistaken. Only white space and typographic characters come here.
fn name(c: char) -> String {
    match c {
        ' ' => "a space".to_owned(),
        '\t' => "a tab".to_owned(),
        '\u{a0}' => "a non-breaking space".to_owned(),
        c if c.is_whitespace() => format!("the space U+{:04X}", u32::from(c)),
        c => format!("{c} (U+{:04X})", u32::from(c)),
    }
}
