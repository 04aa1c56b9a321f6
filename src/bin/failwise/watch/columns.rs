//! Rows of text in columns that line up, whatever is in them.

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The gap between two columns.
const GAP: usize = 2;
/// The least that the column that takes the rest is left with.
const LEAST: usize = 8;

/// A column: as wide as what is in it, at most `most`.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScreenColumn {
    pub(super) title: &'static str,
    /// The most cells that it takes; 0 for the one that takes the rest.
    pub(super) most: usize,
    /// Numbers are aligned to the right.
    pub(super) right: bool,
    /// How wide the screen must be for it to be shown.
    pub(super) from: usize,
}

/// Text and how it looks.
pub(super) type Cell = (String, Style);

/// Lays rows out below their titles, in so many cells.
pub(super) fn lay_out(
    columns: &[ScreenColumn],
    title: Style,
    rows: Vec<Vec<Cell>>,
    width: usize,
) -> Vec<Line<'static>> {
    let titles: Vec<Cell> = columns.iter().map(|column| (column.title.to_owned(), title)).collect();
    let rows: Vec<Vec<Cell>> = std::iter::once(titles).chain(rows).collect();
    let widths = widths(columns, &rows, width);
    rows.into_iter().map(|row| line(columns, &widths, row)).collect()
}

/// How wide each column is; None for one that is not shown.
fn widths(columns: &[ScreenColumn], rows: &[Vec<Cell>], width: usize) -> Vec<Option<usize>> {
    let needed = |index: usize| rows.iter().filter_map(|row| Some(row.get(index)?.0.width())).max().unwrap_or(0);
    let mut widths: Vec<Option<usize>> = columns
        .iter()
        .enumerate()
        .map(|(index, column)| (width >= column.from).then(|| needed(index).min(column.most)))
        .collect();
    let shown = widths.iter().flatten().count();
    let taken: usize = widths.iter().flatten().sum::<usize>() + GAP * shown.saturating_sub(1);
    let rest = width.saturating_sub(taken).max(LEAST.min(width));
    for (column, width) in columns.iter().zip(&mut widths) {
        if column.most == 0 {
            *width = width.map(|_| rest);
        }
    }
    widths
}

fn line(columns: &[ScreenColumn], widths: &[Option<usize>], row: Vec<Cell>) -> Line<'static> {
    let mut spans = Vec::new();
    for ((column, width), (text, style)) in columns.iter().zip(widths).zip(row) {
        let Some(width) = *width else { continue };
        if !spans.is_empty() {
            spans.push(Span::raw(" ".repeat(GAP)));
        }
        let text = fit(&text, width);
        let blank = " ".repeat(width.saturating_sub(text.width()));
        spans.push(Span::styled(if column.right { blank + &text } else { text + &blank }, style));
    }
    Line::from(spans)
}

/// Text in at most so many cells; an ellipsis replaces what is left out.
pub(super) fn fit(text: &str, cells: usize) -> String {
    if text.width() <= cells {
        return text.to_owned();
    }
    let mut fitted = String::new();
    let mut left = cells.saturating_sub(1);
    for c in text.chars() {
        let Some(rest) = left.checked_sub(c.width().unwrap_or(0)) else { break };
        left = rest;
        fitted.push(c);
    }
    if cells > 0 {
        fitted.push('…');
    }
    fitted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_by_the_cells_that_it_takes() {
        let cases = [
            ("abc", 3, "abc"),
            ("abcd", 3, "ab…"),
            ("日本語", 5, "日本…"),
            ("日本語", 4, "日…"),
            ("a", 0, ""),
            ("ab", 1, "…"),
        ];
        for (text, cells, expected) in cases {
            assert_eq!(fit(text, cells), expected, "{text} in {cells}");
            assert!(fit(text, cells).width() <= cells);
        }
    }

    #[test]
    fn columns_line_up_and_narrow_screens_lose_some() {
        let column = |title, most, right, from| ScreenColumn { title, most, right, from };
        let columns = [column("A", 4, false, 0), column("TEXT", 0, false, 0), column("N", 5, true, 20)];
        let rows = [["one", "some long text here", "7"], ["seventeen", "x", "12345"]];
        let rows = rows.map(|row| row.map(|text| (text.to_owned(), Style::default())).to_vec()).to_vec();
        let text = |width| -> Vec<String> {
            lay_out(&columns, Style::default(), rows.clone(), width).iter().map(ToString::to_string).collect()
        };
        assert_eq!(text(22), ["A     TEXT           N", "one   some lon…      7", "sev…  x          12345"]);
        assert_eq!(text(14), ["A     TEXT    ", "one   some lo…", "sev…  x       "]);
    }
}
