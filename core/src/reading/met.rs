//! Which rows of the tables a call meets: what the test asks that counts the rows nothing in the repository meets.

use crate::model::ToolCall;

use super::clean::clean;
use super::collect::collect;
use super::judge::{involved_in, script_of, text_of};
use super::sentences;
use super::tables::TOOLS;

/// Names a row of the recognisers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RowId {
    /// Its number over all tables.
    pub number: usize,
    /// Its recogniser.
    pub tool: &'static str,
    /// The line that it knows.
    pub pattern: &'static str,
}

/// Every row, in the order of the tables.
pub fn rows() -> impl Iterator<Item = RowId> {
    let all = TOOLS.iter().flat_map(|tool| tool.rows.iter().map(|row| (tool.name, row.pattern)));
    all.enumerate().map(|(number, (tool, pattern))| RowId { number, tool, pattern })
}

/// The numbers of the rows that match a line of the call's text and are believed, whether or not they decide.
pub fn rows_met(call: &ToolCall<'_>) -> Vec<usize> {
    let script = script_of(call);
    let involved = involved_in(call, script.as_ref());
    collect(call, involved.as_ref(), &text_of(call, involved.as_ref())).iter().map(|found| found.id).collect()
}

/// A phrase or word of a table of sentences, with the list in which it stands.
pub type ListedWord = (&'static [&'static str], &'static str);

/// The phrases and words of the table of sentences, and those of the table of kinds.
pub fn listed_words() -> [Vec<ListedWord>; 2] {
    sentences::listed()
}

/// Those that hold of a line, without its escape sequences, whether or not they decide.
pub fn words_met(line: &str) -> [Vec<ListedWord>; 2] {
    sentences::met_in(&clean(line))
}
