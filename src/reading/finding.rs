//! What an output says, by kind: found here once, for everything that comes after.

use crate::model::Finding;

use super::sentences::finding;

/// The most lines of a text that are looked at, from its end.
const MOST_LINES: usize = 400;

/// What the lines of a text say, each by its kind, in the order of the text.
pub fn findings(text: &str) -> Vec<Finding<'_>> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let from = lines.len().saturating_sub(MOST_LINES);
    lines.get(from..).unwrap_or_default().iter().filter_map(|line| finding(line)).collect()
}

/// What one line says, where it says a thing of a kind.
pub fn finding_of_line(line: &str) -> Option<Finding<'_>> {
    finding(line)
}
