//! Failed calls as a table for spreadsheets.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::TEXT;
use crate::replay::Analysis;
use crate::text::one_line;

/// The columns, in their order. New ones come last.
const COLUMNS: &[&str] = &[
    "ts",
    "session",
    "project",
    "node",
    "outcome",
    "class",
    "category",
    "rule",
    "tool",
    "input",
    "error",
    "attempt",
    "unchanged_retries",
    "episode",
    "ended",
    "signature",
    "file",
    "line",
];

/// Writes one row a failed call, with a heading. No cell is taken for a formula.
///
/// # Errors
/// When a row cannot be written.
pub fn csv(analysis: &Analysis, out: impl Write) -> io::Result<()> {
    let projects: BTreeMap<&str, &str> =
        analysis.sessions.iter().filter_map(|it| Some((it.id.as_str(), it.project.as_deref()?))).collect();
    // An episode's id is its own in its session only.
    let endings: BTreeMap<(&str, &str), &str> =
        analysis.episodes.iter().map(|it| ((it.session.as_str(), it.id.as_str()), it.ended.as_str())).collect();
    let mut out = ::csv::Writer::from_writer(out);
    out.write_record(COLUMNS)?;
    for failure in &analysis.failures {
        let (attempt, unchanged) = (failure.attempt.to_string(), failure.unchanged_retries.to_string());
        let line = failure.line.to_string();
        let cells = [
            failure.ts.as_deref().unwrap_or_default(),
            &failure.session,
            projects.get(failure.session.as_str()).copied().unwrap_or_default(),
            &failure.node,
            failure.outcome.as_str(),
            failure.class.as_str(),
            failure.category.as_str(),
            &failure.rule,
            &failure.tool,
            &failure.input,
            failure.excerpt.as_deref().unwrap_or_default(),
            &attempt,
            &unchanged,
            &failure.episode,
            endings.get(&(failure.session.as_str(), failure.episode.as_str())).copied().unwrap_or_default(),
            &failure.signature.fine,
            &failure.file,
            &line,
        ];
        out.write_record(cells.map(cell))?;
    }
    out.flush()
}

/// A text that a spreadsheet shows and does not compute.
fn cell(text: &str) -> String {
    let text = one_line(text, TEXT);
    if text.starts_with(['=', '+', '-', '@']) { format!("'{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn no_cell_is_a_formula() {
        for text in ["=cmd|calc!A1", "+1", "-1", "@SUM(A1)", "\t=1", "\r\n=1", "\u{200b}=1"] {
            assert!(cell(text).starts_with('\''), "{text:?} became {:?}", cell(text));
        }
        assert_eq!(cell("a=b"), "a=b");
    }
}
