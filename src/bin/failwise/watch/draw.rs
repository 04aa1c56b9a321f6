//! The screen.

use failwise::model::Class;
use failwise::time::{Time, short_age};
use failwise::watch::{AgentRow, EntryMark, OpenRow, WatchEntry};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph};
use unicode_width::UnicodeWidthStr;

use super::app::{App, KeyMode};
use super::columns::{Cell, ScreenColumn, fit, lay_out};
use super::{WatchedHistory, time};

const AGENTS: [ScreenColumn; 6] = [
    column("AGENTS", 13, false, 0),
    column("AGE", 4, true, 30),
    column("LAST EVENT", 0, false, 0),
    column("CALLS", 6, true, 60),
    column("FAILED", 6, true, 60),
    column("OPEN", 4, true, 40),
];
const OPEN: [ScreenColumn; 7] = [
    column("OPEN", 4, false, 0),
    column("CATEGORY", 18, false, 70),
    column("CALL", 0, false, 0),
    column("NEXT", 32, false, 110),
    column("AGENT", 13, false, 96),
    column("FAILED", 13, true, 0),
    column("AGE", 4, true, 40),
];
const EVENTS: [ScreenColumn; 6] = [
    column("EVENTS", 8, false, 40),
    column("AGENT", 13, false, 64),
    column("", 2, false, 0),
    column("", 18, false, 100),
    column("", 0, false, 0),
    column("", 26, true, 30),
];

const KEYS: &str = "q quit   ? help   / filter   ↑ ↓ scroll   c calls   a all";
const HELP: [&str; 20] = [
    "q, Esc, Ctrl-C   quit",
    "/                type a filter: Enter keeps it, Esc clears it",
    "↑ ↓ PgUp PgDn    scroll the events; Home and End go to the ends",
    "c                show calls that did not fail, too",
    "a                show agents that are quiet for an hour, too",
    "",
    "Agents   sessions and their subagents, the one with the newest event first",
    "Open     failures without a proven pass since; repeats first",
    "Events   as they come; times are UTC",
    "",
    "F1  transient         the same call may pass later",
    "F2  local-logic       the agent fixes it",
    "F3  local-design      the story is replanned",
    "F4  story-level       the feature is replanned",
    "F5  architectural     stop and ask a person",
    "F6  conflict-induced  decide between two sides",
    "",
    "x3 unchanged  the same call failed the same way three times, nothing changed",
    "masked        the exit status was 0, and the run inside failed all the same",
    "hint          the agent was advised",
];

const fn column(title: &'static str, most: usize, right: bool, from: usize) -> ScreenColumn {
    ScreenColumn { title, most, right, from }
}

/// Which styles are used.
#[derive(Debug, Clone, Copy)]
pub(super) struct Theme {
    colour: bool,
}

impl Theme {
    /// Colour where it is wanted on a terminal.
    pub(super) fn of_terminal() -> Self {
        Self { colour: crate::style::wants_colour(true) }
    }

    fn of(self, colour: Color) -> Style {
        if self.colour { Style::new().fg(colour) } else { Style::new() }
    }

    fn class(self, class: Class) -> Style {
        self.of(match class {
            Class::F1 => Color::Cyan,
            Class::F2 => Color::Yellow,
            Class::F3 | Class::F4 => Color::Magenta,
            Class::F5 => Color::Red,
            Class::F6 => Color::Blue,
        })
    }

    fn mark(self, mark: EntryMark) -> Style {
        match mark {
            EntryMark::Failure(class) => self.class(class),
            EntryMark::Unclassified => self.of(Color::Yellow),
            EntryMark::Ended => self.of(Color::Green),
            EntryMark::Refused => self.of(Color::Red),
            EntryMark::Planned => self.of(Color::Blue),
            EntryMark::Quiet | EntryMark::Note => DIM,
        }
    }
}

const DIM: Style = Style::new().add_modifier(Modifier::DIM);
const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);

/// Draws everything at a time.
pub(super) fn draw(frame: &mut Frame<'_>, app: &App, source: &WatchedHistory, theme: Theme, now: Time) {
    let area = frame.area();
    let mut agents = source.watch.agents(now, app.all);
    agents.retain(|row| app.matches(&[&row.name, &row.last.text, row.last.word()]));
    let mut open = source.watch.open(now, app.all);
    open.retain(|row| app.matches(&[&row.name, &row.open.call, row.open.category.as_str()]));
    // Half of the screen is left to the events.
    let share = usize::from(area.height).saturating_sub(6) / 4;
    let (agent_lines, open_lines) = (lines_for(agents.len(), share), lines_for(open.len(), share));
    let [header, _, of_agents, _, of_open, _, of_events, footer] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Length(agent_lines),
        Constraint::Length(1),
        Constraint::Length(open_lines),
        Constraint::Length(1),
        Constraint::Fill(1),
        Constraint::Length(1),
    ])
    .areas(area);
    frame.render_widget(heading(app, source, theme, header.width), header);
    section(frame, of_agents, &AGENTS, agents_in(&agents, theme), "No agent was active in the last hour; a shows all.");
    section(frame, of_open, &OPEN, open_in(&open, theme), "Nothing is open.");
    let events = app.visible(usize::from(of_events.height).saturating_sub(1));
    section(frame, of_events, &EVENTS, events_in(&events, theme), "No event to show yet.");
    frame.render_widget(footing(app, theme, footer.width), footer);
    if app.mode == KeyMode::Help {
        help(frame, area);
    }
}

/// The lines of a section with so many rows: a title, and at least one row or the word that there is none.
fn lines_for(rows: usize, most: usize) -> u16 {
    u16::try_from(1 + rows.clamp(1, most.max(1))).unwrap_or(u16::MAX)
}

/// A section; where not all of it fits, the last line says how much is left out.
fn section(frame: &mut Frame<'_>, area: Rect, columns: &[ScreenColumn], rows: Vec<Vec<Cell>>, none: &'static str) {
    let (width, height) = (usize::from(area.width), usize::from(area.height));
    let is_empty = rows.is_empty();
    let left_out = (rows.len() + 1).saturating_sub(height);
    let mut lines = lay_out(columns, BOLD, rows, width);
    if is_empty {
        lines.push(Line::styled(fit(none, width), DIM));
    }
    if left_out > 0 && height > 1 {
        lines.truncate(height - 1);
        lines.push(Line::styled(fit(&format!("and {} more", left_out + 1), width), DIM));
    }
    frame.render_widget(Paragraph::new(lines), area);
}

fn heading(app: &App, source: &WatchedHistory, theme: Theme, width: u16) -> Line<'static> {
    let tally = source.watch.tally();
    let counts = [
        (tally.calls, "calls", Style::new()),
        (tally.failures, "failed", theme.of(Color::Yellow)),
        (tally.masked, "masked", theme.of(Color::Yellow)),
        (tally.refused, "refused", theme.of(Color::Red)),
        (source.unreadable, "lines unreadable", theme.of(Color::Red)),
    ];
    let mut right: Vec<Span<'static>> = Vec::new();
    for (count, word, style) in counts.into_iter().filter(|(count, word, _)| *count > 0 || *word == "calls") {
        if !right.is_empty() {
            right.push(Span::styled(" · ", DIM));
        }
        right.push(Span::styled(format!("{count} {word}"), style));
    }
    let taken: usize = right.iter().map(Span::width).sum();
    let left = fit(&format!("failwise watch  {}", app.project), usize::from(width).saturating_sub(taken + 2));
    let gap = usize::from(width).saturating_sub(taken + left.width());
    let spans = [Span::styled(left, BOLD), Span::raw(" ".repeat(gap))];
    spans.into_iter().chain(right).collect()
}

fn footing(app: &App, theme: Theme, width: u16) -> Line<'static> {
    let width = usize::from(width);
    if app.mode == KeyMode::Filter {
        return Line::from(vec![Span::styled("filter: ", BOLD), Span::raw(app.filter.clone()), Span::raw("▏")]);
    }
    let mut states = Vec::new();
    if !app.filter.is_empty() {
        states.push(format!("only \"{}\" (Esc clears)", app.filter));
    }
    if app.below > 0 {
        states.push(format!("{} newer below (End)", app.below));
    }
    let state = fit(&states.join("   "), width);
    let keys =
        if state.width() + KEYS.width() + 3 > width && !state.is_empty() { String::new() } else { fit(KEYS, width) };
    let gap = width.saturating_sub(keys.width() + state.width());
    let state = Span::styled(state, theme.of(Color::Cyan));
    Line::from(vec![Span::styled(keys, DIM), Span::raw(" ".repeat(gap)), state])
}

fn agents_in(rows: &[AgentRow], theme: Theme) -> Vec<Vec<Cell>> {
    let number = |count: u64| if count == 0 { ("·".to_owned(), DIM) } else { (count.to_string(), Style::new()) };
    rows.iter()
        .map(|row| {
            let style = theme.mark(row.last.mark());
            let last = match row.last.text.as_str() {
                "" => row.last.word().to_owned(),
                text => format!("{} {text}", mark_sign(row.last.mark())),
            };
            vec![
                (row.name.clone(), Style::new()),
                (age(row.age), DIM),
                (last, style),
                number(row.tally.calls),
                number(row.tally.failures),
                number(row.open as u64),
            ]
        })
        .collect()
}

fn open_in(rows: &[OpenRow], theme: Theme) -> Vec<Vec<Cell>> {
    rows.iter()
        .map(|row| {
            let class = row.class.map_or("--", Class::as_str);
            let style = row.class.map_or(DIM, |class| theme.class(class));
            let failed = match (row.open.unchanged, row.open.attempts) {
                (0, attempts) => (format!("x{attempts}"), Style::new()),
                (unchanged, _) => (format!("x{} unchanged", unchanged + 1), BOLD.patch(theme.of(Color::Red))),
            };
            let masked = if row.open.masked { "masked: " } else { "" };
            vec![
                (class.to_owned(), style),
                (row.open.category.as_str().to_owned(), style),
                (format!("{masked}{}", row.open.call), Style::new()),
                (row.next.clone().unwrap_or_default(), Style::new()),
                (row.name.clone(), DIM),
                failed,
                (age(row.age), DIM),
            ]
        })
        .collect()
}

fn events_in(entries: &[&WatchEntry], theme: Theme) -> Vec<Vec<Cell>> {
    entries
        .iter()
        .map(|entry| {
            let mark = entry.mark();
            let style = theme.mark(mark);
            let class = entry.class.map_or_else(|| mark_sign(mark), Class::as_str);
            let text = if matches!(mark, EntryMark::Quiet | EntryMark::Note) { DIM } else { Style::new() };
            vec![
                (time(entry).to_owned(), DIM),
                (entry.name.clone(), DIM),
                (class.to_owned(), style),
                (entry.word().to_owned(), style),
                (entry.text.clone(), text),
                (entry.detail(), style),
            ]
        })
        .collect()
}

/// A sign that says the same as the colour.
fn mark_sign(mark: EntryMark) -> &'static str {
    match mark {
        EntryMark::Failure(_) | EntryMark::Unclassified => "✗",
        EntryMark::Ended | EntryMark::Quiet => "✓",
        EntryMark::Refused => "⊘",
        EntryMark::Planned => "→",
        EntryMark::Note => "·",
    }
}

fn age(seconds: Option<u64>) -> String {
    seconds.map(short_age).unwrap_or_default()
}

fn help(frame: &mut Frame<'_>, area: Rect) {
    let widest = HELP.iter().map(|line| line.width()).max().unwrap_or(0);
    let size = |wanted: usize, most: u16| u16::try_from(wanted).unwrap_or(u16::MAX).min(most);
    let (width, height) = (size(widest + 4, area.width), size(HELP.len() + 2, area.height));
    let place = area.centered(Constraint::Length(width), Constraint::Length(height));
    let lines: Vec<Line<'_>> = HELP.iter().map(|line| Line::raw(format!(" {line}"))).collect();
    frame.render_widget(Clear, place);
    frame.render_widget(Paragraph::new(lines).block(Block::bordered().title(" Help: any key goes back ")), place);
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "stored screens are files of the repository")]
mod tests {
    use std::path::{Path, PathBuf};

    use failwise::journal::Follower;
    use failwise::watch::Watch;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use ratatui::buffer::Buffer;
    use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    use super::*;
    use crate::watch::HistoryNews;
    use crate::watch::app::Next;

    fn folder() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/screens")
    }

    fn now() -> Time {
        failwise::time::parse("2026-03-14T09:02:10Z").unwrap()
    }

    /// A history as the screen takes it in.
    fn loaded(dir: &Path) -> (App, WatchedHistory) {
        let follower = Follower::begin(dir, u64::MAX);
        let mut source = WatchedHistory { follower, watch: Watch::new(None), unreadable: 0 };
        let mut app = App::new("tidepool".to_owned(), false);
        while let HistoryNews::Entries(entries) = source.look().unwrap() {
            app.take(entries);
        }
        (app, source)
    }

    fn press(app: &mut App, codes: &[KeyCode]) -> Next {
        codes.iter().map(|code| app.key(KeyEvent::new(*code, KeyModifiers::NONE))).last().unwrap_or(Next::Go)
    }

    fn typed(text: &str) -> Vec<KeyCode> {
        text.chars().map(KeyCode::Char).collect()
    }

    fn drawn(app: &App, source: &WatchedHistory, colour: bool, width: u16, height: u16) -> Buffer {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(frame, app, source, Theme { colour }, now())).unwrap();
        terminal.backend().buffer().clone()
    }

    fn text(buffer: &Buffer) -> String {
        let lines = buffer.content().chunks(buffer.area.width.into());
        let lines = lines.map(|line| line.iter().map(ratatui::buffer::Cell::symbol).collect::<String>());
        lines.map(|line| line.trim_end().to_owned() + "\n").collect()
    }

    /// Compares a screen with the stored one; `UPDATE=1` stores it again.
    fn assert_screen(name: &str, buffer: &Buffer) {
        let path = folder().join(name).with_extension("txt");
        let text = text(buffer);
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let stored = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(text, stored, "{name} differs; UPDATE=1 stores it again");
    }

    #[test]
    fn screens_are_as_they_are_stored() {
        let (app, source) = loaded(&folder());
        for (name, width, height) in [("usual", 80, 24), ("wide", 130, 34), ("narrow", 44, 18), ("tiny", 20, 6)] {
            assert_screen(name, &drawn(&app, &source, true, width, height));
        }
    }

    #[test]
    fn the_help_covers_the_screen_until_a_key_is_pressed() {
        let (mut app, source) = loaded(&folder());
        let before = drawn(&app, &source, true, 80, 24);
        press(&mut app, &[KeyCode::Char('?')]);
        assert_screen("help", &drawn(&app, &source, true, 80, 24));
        assert_eq!(press(&mut app, &[KeyCode::Char('q')]), Next::Go);
        assert_eq!(drawn(&app, &source, true, 80, 24), before);
    }

    #[test]
    fn a_filter_leaves_what_it_names_and_is_cleared_again() {
        let (mut app, source) = loaded(&folder());
        let before = text(&drawn(&app, &source, true, 80, 24));
        press(&mut app, &[KeyCode::Char('/')]);
        press(&mut app, &typed("MAKE"));
        press(&mut app, &[KeyCode::Enter]);
        let filtered = text(&drawn(&app, &source, true, 80, 24));
        assert!(filtered.contains("make chart") && !filtered.contains("pytest") && !filtered.contains("npm ci"));
        assert!(filtered.contains("only \"MAKE\""));
        assert_eq!(press(&mut app, &[KeyCode::Esc]), Next::Go);
        assert_eq!(text(&drawn(&app, &source, true, 80, 24)), before);
        assert_eq!(press(&mut app, &[KeyCode::Esc]), Next::Quit);
    }

    #[test]
    fn calls_that_did_not_fail_are_shown_on_demand() {
        let (mut app, source) = loaded(&folder());
        assert!(!text(&drawn(&app, &source, true, 80, 40)).contains("git status"));
        press(&mut app, &[KeyCode::Char('c')]);
        assert!(text(&drawn(&app, &source, true, 80, 40)).contains("git status"));
    }

    #[test]
    fn who_scrolled_up_keeps_looking_at_the_same_events() {
        let (mut app, source) = loaded(&folder());
        press(&mut app, &[KeyCode::Up, KeyCode::Up]);
        let events = |app: &App| app.visible(3).into_iter().cloned().collect::<Vec<WatchEntry>>();
        let before = events(&app);
        let (mut other, _) = loaded(&folder());
        press(&mut other, &[KeyCode::Char('c')]);
        let more: Vec<WatchEntry> = other.visible(50).into_iter().cloned().collect();
        app.take(more);
        assert_eq!(events(&app), before);
        assert!(text(&drawn(&app, &source, true, 80, 24)).contains("newer below"));
        press(&mut app, &[KeyCode::End]);
        assert_ne!(events(&app), before);
        press(&mut app, &[KeyCode::Home]);
        assert_eq!(events(&app).len(), 1, "the first event is the last one shown");
    }

    #[test]
    fn without_colour_only_bold_and_dim_are_used() {
        let (app, source) = loaded(&folder());
        let colours = |colour| {
            let buffer = drawn(&app, &source, colour, 80, 24);
            buffer.content().iter().filter(|cell| cell.fg != Color::Reset || cell.bg != Color::Reset).count()
        };
        assert_eq!(colours(false), 0);
        assert!(colours(true) > 0);
    }

    #[test]
    fn any_size_is_drawn() {
        let (mut app, source) = loaded(&folder());
        for mode in [KeyMode::Look, KeyMode::Filter, KeyMode::Help] {
            app.mode = mode;
            for (width, height) in [(1, 1), (2, 2), (5, 3), (300, 2), (10, 100), (200, 80)] {
                drawn(&app, &source, true, width, height);
            }
        }
    }

    #[test]
    fn nothing_yet_is_said() {
        let dir = tempfile::tempdir().unwrap();
        let (app, source) = loaded(dir.path());
        assert_screen("empty", &drawn(&app, &source, true, 80, 12));
    }

    /// Escapes, newlines and characters that turn text around reach no cell.
    #[test]
    fn hostile_text_is_inert() {
        let dir = tempfile::tempdir().unwrap();
        let hostile = "\u{1b}[31mred\u{7}\u{202e}evil\u{200b}\nline\u{9b}2J";
        let mut lines = String::new();
        for event in ["execution_completed", "call_refused", "hook_error", "node_bound"] {
            let mut event = serde_json::json!({"v": 1, "id": "x", "ts": "2026-03-14T09:02:00Z", "event": event});
            for field in ["node", "session", "agent", "input", "reason", "message", "target", "tool"] {
                event[field] = format!("{field} {hostile}").into();
            }
            lines.push_str(&(event.to_string() + "\n"));
        }
        std::fs::write(dir.path().join("history.jsonl"), lines).unwrap();
        let (mut app, source) = loaded(dir.path());
        press(&mut app, &[KeyCode::Char('c')]);
        let buffer = drawn(&app, &source, true, 120, 24);
        assert!(text(&buffer).contains("evil"));
        let is_hostile = |c: char| c.is_control() || failwise::text::is_invisible(c);
        assert!(buffer.content().iter().all(|cell| !cell.symbol().contains(is_hostile)));
    }
}
