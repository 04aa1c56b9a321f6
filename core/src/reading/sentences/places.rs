//! Places in files, as programs write them: what a compiler or a checker says, it says of one.

use crate::text::offset_in;

/// Whether a line is a compiler's or parser's word about a file: it begins with the place or the number of an error, or
/// the next line shows the place.
pub(super) fn is_of_source(line: &str, text: &str) -> bool {
    let at = offset_in(line, text).unwrap_or_default();
    let before = text.get(..at).unwrap_or_default();
    let above = before.lines().rev().find(|line| !line.trim().is_empty());
    let below = text.get(at + line.len()..).unwrap_or_default().lines().find(|line| !line.trim().is_empty());
    let shows = |next: &str| ["--> ", "╭─[", "┌─ ", "╭▸", "──["].iter().any(|sign| next.trim_start().starts_with(sign));
    let numbered = || {
        let rest = ["error[", "error TS", "error CS", "error: E"].iter().find_map(|start| line.strip_prefix(start));
        rest.is_some_and(|rest| {
            rest.trim_start_matches(|c: char| c.is_ascii_uppercase()).starts_with(|c: char| c.is_ascii_digit())
        })
    };
    let lower = line.to_ascii_lowercase();
    let at_place = names_place(line) && lower.contains("error") || names_column(line) && !lower.contains("warning");
    let is_told = at_place || below.is_some_and(shows) || numbered() || above.is_some_and(|line| leads(line, before));
    !lower.contains("runtime error") && is_told
}

/// Whether a line is the place alone of what the next line says: `File "a.mly", line 6, characters 40-43:`. In a trace of
/// Python it is that of a call.
fn leads(line: &str, before: &str) -> bool {
    line.ends_with(':') && names_line(line) && !before.contains("Traceback (most recent call last)")
}

/// Whether a line tells where in a file it was that a program gave up: its first words are the place, or it says what was
/// being read. That of a shell or of an exception is where it ran,
/// and that of a warning where it went on.
pub(super) fn tells_place(line: &str, text: &str) -> bool {
    if !has_digit(line) {
        return false;
    }
    // The place of an error ends in a colon, as GNU's standards ask; that of a listing need not.
    let place = line.split(' ').find(|word| word.contains(|c: char| c.is_ascii_digit()));
    let begins = names_place(line)
        && !line.starts_with(|c: char| c.is_ascii_digit())
        && place.is_some_and(|place| place.ends_with([':', ')']));
    let tells =
        begins || names_line(line) && ["While ", "while ", "In file "].iter().any(|start| line.starts_with(start));
    let of_shell = || line.split(':').next().is_some_and(|name| name.ends_with("sh"));
    // The text is looked through last.
    tells
        && !of_shell()
        && !line.contains("arning")
        && !["xception", "Traceback"].iter().any(|word| text.contains(word))
}

/// Without a digit there is no place. No early exit: the compiler makes vectors of that.
fn has_digit(line: &str) -> bool {
    line.bytes().fold(false, |found, byte| found | byte.is_ascii_digit())
}

/// Whether a line names a line of a file: `in x.conf:8`, `at line 3 of x.conf`, `(lines 41 and 97)`; or a line and column
/// at its end: `invalid character ',' at 1:35`.
pub(super) fn names_line(line: &str) -> bool {
    if !has_digit(line) {
        return false;
    }
    let mut words = line.split([' ', '(', ')', ',', '"', '\'']).filter(|word| !word.is_empty()).peekable();
    let mut found = false;
    while let Some(word) = words.next() {
        let is_number = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
        let told = matches!(word, "line" | "lines" | "Line") && words.peek().is_some_and(is_number);
        let place = word.rsplit_once(':').is_some_and(|(file, number)| {
            file.contains('.') && !file.contains("//") && is_place_number(number.trim_end_matches(['.', ':', ';']))
        });
        let mut is_column = || {
            let pair = word.split_once(':').filter(|_| words.peek().is_none());
            pair.is_some_and(|(row, column)| is_place_number(row) && is_place_number(column))
        };
        found |= told || place || is_column();
    }
    found
}

/// Whether it is the number of a line, or a range of lines and columns: `3`, `3.31-3.43`.
fn is_place_number(number: &str) -> bool {
    let is_range = number.contains('-');
    number.starts_with(|c: char| c.is_ascii_digit())
        && number.bytes().all(|b| b.is_ascii_digit() || is_range && matches!(b, b'.' | b'-'))
}

/// Whether a line begins with a place in a file: `src/a.txt:3: text`, `a.c(3): text`, `a.js: line 3, col 1, text`; or with
/// the place alone, below the file's name: `3:7  error  text`.
pub(in crate::reading) fn names_place(line: &str) -> bool {
    if !has_digit(line) {
        return false;
    }
    let line = if line.contains(": ") { without_mark(line) } else { line };
    let starts_with_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let Some(at) = line.bytes().position(|byte| matches!(byte, b':' | b'(')) else { return false };
    let (Some(file), Some(rest)) = (line.get(..at), line.get(at + 1..)) else { return false };
    if line.as_bytes().get(at) == Some(&b':') && file.bytes().all(|b| b.is_ascii_digit()) {
        let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        return !file.is_empty() && after.len() < rest.len() && after.starts_with([' ', '\t', '-']);
    }
    let file = file.trim_end();
    if file.is_empty() || file.contains(' ') || !file.contains(['.', '/']) {
        return false;
    }
    let word = rest.split([':', ' ', ')', ',']).next().unwrap_or_default();
    let number = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let after =
        if word.contains('-') && is_place_number(word) { rest.get(word.len()..).unwrap_or_default() } else { number };
    let in_words = || rest.trim_start().strip_prefix("line ").is_some_and(starts_with_number);
    let follows = after.is_empty() || after.starts_with([':', ' ', ')', ',', '-']);
    after.len() < rest.len() && follows || in_words()
}

/// Whether a line begins with a place that has a column: what compilers write.
fn names_column(line: &str) -> bool {
    let mut parts = without_mark(line).splitn(4, ':').skip(1);
    let is_number =
        |part: Option<&str>| part.is_some_and(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
    names_place(line) && is_number(parts.next()) && is_number(parts.next()) && parts.next().is_some()
}

/// A line without the mark of an error before it, and without the program's name before that: `%Error: `, `vet: error: `.
fn without_mark(line: &str) -> &str {
    let line = line.trim_start();
    let is_mark =
        |mark: &str| mark.len() <= LONGEST_MARK && mark.to_ascii_lowercase().ends_with("error") && !names_place(mark);
    let mut marks = line.match_indices(": ").take(2);
    let end = marks.find(|(at, _)| line.get(..*at).is_some_and(is_mark)).map(|(at, sign)| at + sign.len());
    end.and_then(|end| line.get(end..)).unwrap_or(line)
}

/// The longest mark of an error, with the name of a program before it.
const LONGEST_MARK: usize = 24;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_known_in_many_shapes() {
        for line in [
            "src/a.txt:3: text",
            "a.c(3): text",
            "a.js: line 3, col 1, text",
            "3:7  error  text",
            "config.fish (line 2): Missing end",
            "lexer.sml:3.31-3.43 Error: operator and operand do not agree",
            "acme.texi:6: @end enumerate seen before @code closing brace",
        ] {
            assert!(names_place(line), "{line}");
        }
        for line in ["org.example:core:4.12 was not found", "http://a.b:80/x", "see a.b: text"] {
            assert!(!names_place(line), "{line}");
        }
    }

    #[test]
    fn lines_of_files_are_known_within_a_sentence() {
        for line in [
            "in x.conf:8",
            "at line 3 of x.conf",
            "(lines 41 and 97)",
            "(error \"line 3 column 13: unknown constant y\")",
            "('/srv/default.vcl' Line 3 Pos 49)",
            "While parsing file \"/srv/2024.ledger\", line 3:",
        ] {
            assert!(names_line(line), "{line}");
        }
        for line in ["command line option", "org.example:core:4.12", "https://a.example:8080"] {
            assert!(!names_line(line), "{line}");
        }
    }

    #[test]
    fn a_place_may_stand_above_what_is_said_of_it() {
        let above = "File \"parser.mly\", line 6, characters 40-43:\nError: exp is undefined.";
        let (_, line) = above.split_once('\n').unwrap();
        assert!(is_of_source(line, above));
        let trace = "Traceback (most recent call last):\n  File \"a.py\", line 6, in f:\nError: exp is undefined.";
        let line = trace.lines().last().unwrap();
        assert!(!is_of_source(line, trace));
    }
}
