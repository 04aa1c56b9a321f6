//! The line for the person about failures that come back: the learner puts it beside the recall file, the hook that takes
//! it away first says it.

use std::path::Path;
use std::{collections::BTreeSet, io};

use crate::journal::{put_private, read_small, remove};
use crate::knowledge::RecurringLine;
use crate::text::one_line;

/// The line that is to be said, and what will have been told then: below it the names of all lessons, one a line.
pub(super) const DUE: &str = "lessons.due";
/// What was said last, in the same form.
pub(super) const TOLD: &str = "lessons.told";
/// The most of both files that is read.
const LARGEST: u64 = 512 * 1024;
/// The longest line, in characters.
const LONGEST: usize = 800;

/// What the person is to be told of a project, by its folder in the state directory. Nearly always there is no such file,
/// and one look tells that. Of several sessions that begin at once one has it.
#[expect(clippy::disallowed_methods, reason = "an edge: lessons are kept in files")]
pub fn take_line(folder: &Path) -> Option<String> {
    let told = folder.join(TOLD);
    std::fs::rename(folder.join(DUE), &told).ok()?;
    let text = read_small(&told, LARGEST)?;
    Some(one_line(text.lines().next()?, LONGEST)).filter(|line| !line.is_empty())
}

/// The names of the lessons of which the person was told. `recall` is the project's recall file.
pub fn told_lines(recall: &Path) -> BTreeSet<String> {
    let text = read_small(&recall.with_file_name(TOLD), LARGEST).unwrap_or_default();
    text.lines().skip(1).map(str::to_owned).collect()
}

/// Puts down what the person is to be told, or that there is nothing, where these were `told` before.
///
/// # Errors
/// When it cannot be written or taken away.
pub fn put_line(recall: &Path, line: Option<RecurringLine>, told: BTreeSet<String>) -> io::Result<()> {
    let file = recall.with_file_name(DUE);
    let Some(line) = line else {
        return remove(&file);
    };
    let lines = std::iter::once(line.text).chain(told).chain(line.lessons);
    put_private(&file, (lines.collect::<Vec<_>>().join("\n") + "\n").as_bytes())
}

/// Notes these names as told, without a word to the person.
///
/// # Errors
/// When it cannot be written.
pub fn put_told(recall: &Path, told: &BTreeSet<String>) -> io::Result<()> {
    let lines: String = told.iter().flat_map(|name| ["\n", name]).collect();
    put_private(&recall.with_file_name(TOLD), (lines + "\n").as_bytes())
}
