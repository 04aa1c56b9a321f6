//! Which part of a file a difference touches, as `git diff -U0` shows it.

use std::collections::BTreeSet;
use std::ops::Range;

/// The most names that are kept of a file's changes.
const MOST_NAMES: usize = 4_096;
/// The most steps from a line to the one above it: beyond that nobody knows what encloses a change.
const MOST_STEPS: usize = 1_000_000;

/// One changed stretch of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// Its lines before, from 0. An empty range is where lines were put in.
    pub before: Range<usize>,
    /// Its lines after, from 0. An empty range is where lines were taken out.
    pub after: Range<usize>,
    /// The lines that were there before.
    pub removed: Vec<String>,
}

/// The hunks of one file's difference, as `git diff -U0` prints it. None where it is no such difference: a binary file.
pub fn hunks(diff: &str) -> Option<Vec<Hunk>> {
    let mut hunks: Vec<Hunk> = Vec::new();
    for line in diff.lines() {
        if let Some(ranges) = line.strip_prefix("@@ -") {
            hunks.push(header(ranges)?);
        } else if let (Some(hunk), Some(removed)) = (hunks.last_mut(), line.strip_prefix('-')) {
            hunk.removed.push(removed.to_owned());
        } else if line.starts_with("Binary files ") {
            return None;
        }
    }
    Some(hunks)
}

/// The two ranges of `10,2 +11,0 @@ fn next`.
fn header(ranges: &str) -> Option<Hunk> {
    let (before, rest) = ranges.split_once(" +")?;
    let (after, _) = rest.split_once(" @@")?;
    Some(Hunk { before: range(before)?, after: range(after)?, removed: Vec::new() })
}

/// Lines are counted from 1; of an empty range the line before it is told.
fn range(text: &str) -> Option<Range<usize>> {
    let (start, length) = text.split_once(',').unwrap_or((text, "1"));
    let (start, length): (usize, usize) = (start.parse().ok()?, length.parse().ok()?);
    let start = if length == 0 { start } else { start.checked_sub(1)? };
    Some(start..start.checked_add(length)?)
}

/// Whether two differences from the same file touch the same lines, or lines without another one between them: git would
/// not merge those either.
pub fn meet(one: &[Hunk], other: &[Hunk]) -> bool {
    let touches = |a: &Range<usize>, b: &Range<usize>| a.start <= b.end && b.start <= a.end;
    one.iter().any(|a| other.iter().any(|b| touches(&a.before, &b.before)))
}

/// The names that are in the changed lines and in the lines that enclose them, by indentation: the function that was
/// changed is among them. `text` is the file as it is now. None where the file is too large to say.
pub fn names(text: &str, hunks: &[Hunk]) -> Option<BTreeSet<String>> {
    let lines: Vec<&str> = text.lines().collect();
    let mut surroundings = EnclosingNames { lines: &lines, names: BTreeSet::new(), met: BTreeSet::new(), steps: 0 };
    for hunk in hunks {
        hunk.removed.iter().for_each(|line| surroundings.note(line));
        // Where lines were only taken out, what was around them encloses them.
        let Range { start, end } = hunk.after;
        let around = if start == end { start.saturating_sub(1)..start + 1 } else { start..end };
        for at in around.take_while(|at| *at < lines.len()) {
            surroundings.note_line(at);
        }
    }
    (surroundings.steps <= MOST_STEPS && surroundings.names.len() <= MOST_NAMES).then_some(surroundings.names)
}

/// The names around the changed lines of a file.
struct EnclosingNames<'a> {
    lines: &'a [&'a str],
    names: BTreeSet<String>,
    /// The enclosing lines that were noted, with what encloses them.
    met: BTreeSet<usize>,
    steps: usize,
}

impl EnclosingNames<'_> {
    /// Notes a changed line and the lines above that are indented less, each less than the one before. A line that only
    /// closes or opens a bracket belongs to the lines above it, down from the one that begins with a word.
    fn note_line(&mut self, at: usize) {
        let Some(line) = self.lines.get(at) else { return };
        self.note(line);
        let mut depth = indent(line);
        let mut is_open = begins_with_a_bracket(line);
        for (above, line) in self.lines.iter().enumerate().take(at).rev() {
            if (depth == 0 && !is_open) || self.steps > MOST_STEPS {
                return;
            }
            self.steps += 1;
            if line.trim().is_empty() || indent(line) > depth || (indent(line) == depth && !is_open) {
                continue;
            }
            if !self.met.insert(above) {
                return;
            }
            self.note(line);
            depth = indent(line);
            is_open = begins_with_a_bracket(line);
        }
    }

    fn note(&mut self, line: &str) {
        for word in line.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty()) {
            if self.names.len() <= MOST_NAMES {
                self.names.insert(word.to_owned());
            }
        }
    }
}

fn begins_with_a_bracket(line: &str) -> bool {
    line.trim_start().starts_with(['(', ')', '[', ']', '{', '}'])
}

fn indent(line: &str) -> usize {
    line.chars().take_while(|c| c.is_whitespace()).map(|c| if c == '\t' { 4 } else { 1 }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUST: &str = "use std::fs;\n\nimpl Book {\n    fn open(\n        &self,\n    ) -> u8 {\n        let a = 1;\n        a\n    }\n\n    fn close(&self) {\n        if true {\n            end();\n        }\n    }\n}\n";

    fn changed(line: usize) -> Vec<Hunk> {
        vec![Hunk { before: line..line + 1, after: line..line + 1, removed: Vec::new() }]
    }

    fn has(text: &str, line: usize, name: &str) -> bool {
        names(text, &changed(line)).unwrap().contains(name)
    }

    #[test]
    fn hunks_are_read_from_a_difference() {
        let diff = "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -3 +3,2 @@ fn f() {\n-old\n+new\n+more\n@@ -9,2 +10,0 @@\n-a\n-b\n@@ -20,0 +20 @@\n+c\n";
        let hunks = hunks(diff).unwrap();
        let ranges: Vec<_> = hunks.iter().map(|hunk| (hunk.before.clone(), hunk.after.clone())).collect();
        assert_eq!(ranges, [(2..3, 2..4), (8..10, 10..10), (20..20, 19..20)]);
        assert_eq!(hunks[1].removed, ["a", "b"]);
        assert_eq!(super::hunks("Binary files a/x and b/x differ\n"), None);
        assert_eq!(super::hunks("@@ -x +1 @@\n"), None);
        assert_eq!(super::hunks(""), Some(Vec::new()));
    }

    #[test]
    fn a_change_is_inside_what_encloses_it() {
        assert!(has(RUST, 6, "open") && has(RUST, 6, "Book"), "a signature over several lines");
        assert!(!has(RUST, 6, "close"));
        assert!(has(RUST, 12, "close") && !has(RUST, 12, "open"), "two levels deep");
        assert!(has(RUST, 10, "close") && !has(RUST, 10, "open"), "the signature itself");
        assert!(!has(RUST, 0, "open") && !has(RUST, 0, "close"));
        let c = "int open(void)\n{\n\treturn 1;\n}\n\nint shut(void)\n{\n\treturn 2;\n}\n";
        assert!(has(c, 2, "open") && !has(c, 2, "shut"));
        assert!(has(c, 7, "shut") && !has(c, 7, "open"));
        let python = "class Book:\n    def open(self):\n        a = 1\n\n        return a\n\n    def close(self):\n        pass\n";
        assert!(has(python, 4, "open") && !has(python, 4, "close"));
        assert!(has(python, 7, "close") && !has(python, 7, "open"));
    }

    #[test]
    fn what_was_taken_out_counts() {
        let gone = |removed: &str, at: usize| {
            names(RUST, &[Hunk { before: at..at + 1, after: at..at, removed: vec![removed.to_owned()] }]).unwrap()
        };
        assert!(gone("    fn gone() {}", 9).contains("gone"));
        assert!(gone("        let b = 2;", 7).contains("open"));
        // Behind the end of the file there is nothing.
        assert!(names("", &[Hunk { before: 0..5, after: 0..0, removed: Vec::new() }]).unwrap().is_empty());
        assert!(names("a\n", &[Hunk { before: 0..1, after: 70..90, removed: Vec::new() }]).unwrap().is_empty());
    }

    #[test]
    fn lines_beside_one_another_meet() {
        let at = |before: Range<usize>| vec![Hunk { after: before.clone(), before, removed: Vec::new() }];
        assert!(meet(&at(3..5), &at(4..9)));
        assert!(meet(&at(3..5), &at(5..6)));
        assert!(meet(&at(4..4), &at(4..4)), "both put lines in at the same place");
        assert!(!meet(&at(3..5), &at(6..7)));
        assert!(!meet(&at(3..5), &[]));
    }

    #[test]
    fn a_file_without_shape_takes_no_time() {
        let all = [Hunk { before: 0..0, after: 0..20_000, removed: Vec::new() }];
        assert_eq!(names(&"(\n".repeat(20_000), &all), Some(BTreeSet::new()));
        let teeth = "        deep\n    less\n".repeat(10_000);
        assert_eq!(names(&teeth, &all), None, "nobody knows");
        let many: Vec<String> = (0..5_000).map(|n| format!("n{n}")).collect();
        assert_eq!(names(&many.join("\n"), &all), None);
    }
}
