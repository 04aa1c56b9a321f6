//! The lines of an output that recognisers know.

use crate::model::{ToolCall, ToolKind};

use super::clean::without_task_mark;
use super::index::{Hit, scan};
use super::involved::Involved;
use super::pattern::{Captures, MAX_LINE, captures};
use super::row::{Reach, Role, Row, Scope, Tool};
use super::tables::TOOLS;

/// A line that a row matched.
#[derive(Clone, Copy)]
pub(super) struct Found<'t> {
    /// The row's number over all tables: lower ones have priority.
    pub(super) id: usize,
    pub(super) tool: &'static Tool,
    pub(super) row: &'static Row,
    pub(super) reach: Reach,
    /// The whole line, trimmed, without the task's mark.
    pub(super) line: &'t str,
    pub(super) captures: Captures<'t>,
    /// Where the needle stands in the text.
    pub(super) at: usize,
}

impl Found<'_> {
    pub(super) fn tells(&self) -> bool {
        matches!(self.row.role, Role::Finding | Role::Weak | Role::Failed)
    }
}

/// How often one row is verified, how often one that names passed tests, and the most lines that all rows keep.
const PER_ROW: u8 = 64;
const PASSED_TESTS: u8 = 16;
const IN_ALL: usize = 512;

/// How surely the call used the tool.
fn reach(call: &ToolCall<'_>, involved: Option<&Involved>, tool: &Tool) -> Reach {
    match (&tool.scope, involved) {
        (Scope::Kinds(kinds), _) => {
            if kinds.contains(&call.tool.kind) {
                Reach::Direct
            } else {
                Reach::Never
            }
        }
        (_, Some(involved)) => involved.reach(tool),
        // A script's report does not say which command it was: any may have been.
        (Scope::Runs(_, weakest), None) if call.tool.kind == ToolKind::Shell => *weakest,
        (Scope::Shell, None) if call.tool.kind == ToolKind::Shell => Reach::Direct,
        (_, None) => Reach::Never,
    }
}

/// Every line that a row of an involved tool matches, in the order of the text.
pub(super) fn collect<'t>(call: &ToolCall<'_>, involved: Option<&Involved>, text: &'t str) -> Vec<Found<'t>> {
    let mut found = Vec::new();
    let mut reaches: Vec<Option<Reach>> = vec![None; TOOLS.len()];
    let mut seen: Vec<u8> = Vec::new();
    scan(text.as_bytes(), |hit| {
        let (Some(tool), Some(row)) = (hit.tool(), hit.row()) else { return };
        let Some(known) = reaches.get_mut(hit.tool) else { return };
        let reach = *known.get_or_insert_with(|| reach(call, involved, tool));
        if reach == Reach::Never || found.len() >= IN_ALL || is_spent(&mut seen, &hit, row.role) {
            return;
        }
        found.extend(verify(text, &hit, tool, row, reach));
    });
    // Of the rows that know one line, the first of the tables stands first.
    found.sort_by_key(|f| (f.line.as_ptr() as usize, f.id));
    found
}

/// Whether the row has been verified often enough. A result is looked for to the end: the last one counts too.
fn is_spent(seen: &mut Vec<u8>, hit: &Hit, role: Role) -> bool {
    if seen.len() <= hit.id {
        seen.resize(hit.id + 1, 0);
    }
    let limit = match role {
        Role::Failed | Role::Passed => u8::MAX,
        Role::TestPassed => PASSED_TESTS,
        _ => PER_ROW,
    };
    seen.get_mut(hit.id).is_none_or(|count| {
        *count = count.saturating_add(1);
        *count > limit
    })
}

fn verify<'t>(text: &'t str, hit: &Hit, tool: &'static Tool, row: &'static Row, reach: Reach) -> Option<Found<'t>> {
    let line = line_at(text, hit.at)?;
    let (line, captures) = matched(row, line).or_else(|| matched(row, without_task_mark(line)?))?;
    Some(Found { id: hit.id, tool, row, reach, line: line.trim_ascii(), captures, at: hit.at })
}

fn matched<'t>(row: &Row, line: &'t str) -> Option<(&'t str, Captures<'t>)> {
    captures(row.pattern, line).map(|captures| (line, captures))
}

/// The line around a place, at most [`MAX_LINE`] bytes of it.
fn line_at(text: &str, at: usize) -> Option<&str> {
    let lowest = text.floor_char_boundary(at.saturating_sub(MAX_LINE / 2));
    let before = text.as_bytes().get(lowest..at)?;
    let start = before.iter().rposition(|b| *b == b'\n').map_or(lowest, |newline| lowest + newline + 1);
    let highest = text.floor_char_boundary(text.len().min(start + MAX_LINE));
    let after = text.as_bytes().get(at..highest)?;
    let end = after.iter().position(|b| *b == b'\n').map_or(highest, |newline| at + newline);
    text.get(start..end)
}

#[cfg(test)]
mod tests {
    use super::line_at;

    #[test]
    fn lines_are_cut_out_whole_and_bounded() {
        assert_eq!(line_at("one\ntwo three\nfour", 6), Some("two three"));
        assert_eq!(line_at("one", 0), Some("one"));
        let long = format!("{}é{}", "a".repeat(3000), "b".repeat(3000));
        assert!(line_at(&long, 3001).is_none_or(|line| line.len() <= 1024));
    }
}
