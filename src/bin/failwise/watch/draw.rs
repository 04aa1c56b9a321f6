//! The screen.

use chrono::FixedOffset;
use failwise::model::Class;
use failwise::text::{many, spoken};
use failwise::time::{Time, short_age};
use failwise::watch::{AgentRow, EntryMark, OpenRow, WatchEntry};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph, Wrap};
use unicode_width::UnicodeWidthStr;

use super::app::{App, KeyMode};
use super::columns::{Cell, ScreenColumn, fit, lay_out};
use super::list::ProjectRow;
use super::{WatchedHistory, clock};

const PROJECTS: [ScreenColumn; 7] = [
    column("PROJECT", 24, false, 0),
    column("AGE", 4, true, 30),
    column("LAST EVENT", 0, false, 0),
    column("AGENTS", 6, true, 70),
    column("CALLS", 6, true, 80),
    column("FAILED", 6, true, 60),
    column("OPEN", 4, true, 36),
];
const AGENTS: [ScreenColumn; 6] = [
    column("AGENTS", 13, false, 0),
    column("AGE", 4, true, 30),
    column("LAST EVENT", 0, false, 0),
    column("CALLS", 6, true, 60),
    column("FAILED", 6, true, 60),
    column("OPEN", 4, true, 40),
];
const OPEN: [ScreenColumn; 8] = [
    column("OPEN", 4, false, 0),
    column("WHAT", 18, false, 70),
    column("CALL", 0, false, 0),
    column("ERROR", 36, false, 140),
    column("NEXT", 30, false, 110),
    column("AGENT", 13, false, 96),
    column("FAILED", 13, true, 0),
    column("AGE", 4, true, 40),
];
const EVENTS: [ScreenColumn; 7] = [
    column("EVENTS", 8, false, 40),
    column("AGENT", 13, false, 64),
    column("", 2, false, 0),
    column("", 18, false, 100),
    column("", 0, false, 0),
    column("", 44, false, 140),
    column("", 26, true, 50),
];

/// Below this height only what is open and the events are shown, without titles.
const LOW: u16 = 14;
const KEYS: &str = "q quit  ? help  ↑ ↓ Enter  / filter  c calls  a all";
const LIST_KEYS: &str = "q quit  ? help  ↑ ↓ Enter  / filter  a all";
const HELP: [&str; 21] = [
    "q, Ctrl-C        quit",
    "↑ ↓ j k g G      choose; PgUp and PgDn go further",
    "Enter            look into a project; the error of an event, and what was said",
    "Esc, ←           back",
    "/                filter: Enter keeps it, Esc clears it",
    "c                show calls that did not fail, too",
    "a                show what is quiet for an hour, too",
    "",
    "Agents   sessions and their subagents, the one with the newest event first",
    "Open     failures without a proven pass since; repeats first",
    "Events   as they come; times are local",
    "",
    "F1  may pass later        F4  the feature is replanned",
    "F2  the agent fixes it    F5  stop and ask a person",
    "F3  needs another way     F6  decide between two sides",
    "",
    "x3 unchanged  the same call failed the same way three times, nothing changed",
    "hidden        the exit status was 0, and the run inside failed all the same",
    "advised       the agent got advice: Enter shows it",
    "stopped       the guard did not run the call",
    "passes again  a failure has ended",
];

const fn column(title: &'static str, most: usize, right: bool, from: usize) -> ScreenColumn {
    ScreenColumn { title, most, right, from }
}

/// Which styles are used.
#[derive(Debug, Clone, Copy)]
pub(super) struct Theme {
    colour: bool,
    /// How far the clock on the wall is from UTC.
    offset: FixedOffset,
}

impl Theme {
    /// Colour where it is wanted on a terminal.
    pub(super) fn of_terminal() -> Self {
        Self { colour: crate::style::wants_colour(true), offset: super::here() }
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

/// Draws the projects, a line each.
pub(super) fn draw_list(frame: &mut Frame<'_>, app: &App, rows: &[ProjectRow], theme: Theme) {
    let [header, _, of_projects, footer] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(u16::from(frame.area().height >= LOW)),
        Constraint::Fill(1),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    let open: usize = rows.iter().map(|row| row.open).sum();
    let right = vec![Span::raw(many(rows.len() as u64, "project", "projects")), Span::raw(format!(" · {open} open"))];
    frame.render_widget(heading("failwise watch", right, header.width), header);
    let lines = usize::from(of_projects.height).saturating_sub(1);
    let first = (app.chosen + 1).saturating_sub(lines);
    let cells = projects_in(rows, theme).into_iter().skip(first).take(lines).collect();
    section(frame, of_projects, &PROJECTS, cells, "No project was active in the last hour; a shows all.");
    highlight(frame, of_projects, (!rows.is_empty()).then_some(app.chosen - first + 1));
    frame.render_widget(footing(app, LIST_KEYS, theme, footer.width), footer);
    if app.mode == KeyMode::Help {
        help(frame);
    }
}

/// Draws everything of one project at a time.
pub(super) fn draw(frame: &mut Frame<'_>, app: &App, source: &WatchedHistory, theme: Theme, now: Time) {
    let area = frame.area();
    let mut agents = source.watch.agents(now, app.all);
    agents.retain(|row| app.matches(&[&row.name, &row.last.text, &row.last.word()]));
    let mut open = source.watch.open(now, app.all);
    open.retain(|row| app.matches(&[&row.name, &row.open.call, &spoken(row.open.category.as_str())]));
    // Half of the screen is left to the events; of a low one nearly all.
    let is_low = area.height < LOW;
    let share = usize::from(area.height).saturating_sub(6) / 4;
    let (agent_lines, open_lines) = if is_low {
        (0, u16::try_from(open.len()).unwrap_or(u16::MAX).min(area.height / 5))
    } else {
        (lines_for(agents.len(), share), lines_for(open.len(), share))
    };
    let gap = Constraint::Length(u16::from(!is_low));
    let [header, _, of_agents, _, of_open, _, of_events, footer] = Layout::vertical([
        Constraint::Length(1),
        gap,
        Constraint::Length(agent_lines),
        gap,
        Constraint::Length(open_lines),
        gap,
        Constraint::Fill(1),
        Constraint::Length(1),
    ])
    .areas(area);
    let title = format!("failwise watch  {}", app.project.as_deref().unwrap_or_default());
    frame.render_widget(heading(&title, counts(source, theme), header.width), header);
    let titles = usize::from(!is_low);
    let (events, chosen) = app.visible(usize::from(of_events.height).saturating_sub(titles));
    let events = events_in(&events, theme);
    let empty = |said| if app.filter.is_empty() { said } else { "Nothing here matches the filter." };
    if is_low {
        rows_only(frame, of_open, &OPEN, open_in(&open, theme));
        rows_only(frame, of_events, &EVENTS, events);
    } else {
        section(
            frame,
            of_agents,
            &AGENTS,
            agents_in(&agents, theme),
            empty("No agent was active in the last hour; a shows all."),
        );
        section(frame, of_open, &OPEN, open_in(&open, theme), empty("Nothing is open."));
        section(frame, of_events, &EVENTS, events, empty("No event to show yet."));
    }
    highlight(frame, of_events, chosen.map(|chosen| chosen + titles));
    frame.render_widget(footing(app, KEYS, theme, footer.width), footer);
    match (app.mode, app.event()) {
        (KeyMode::Help, _) => help(frame),
        (KeyMode::Event, Some(event)) => whole_event(frame, event, app.said.as_deref(), theme),
        _ => {}
    }
}

/// Rows without titles, as many as there is room for.
fn rows_only(frame: &mut Frame<'_>, area: Rect, columns: &[ScreenColumn], rows: Vec<Vec<Cell>>) {
    let lines = lay_out(columns, BOLD, rows, usize::from(area.width)).into_iter().skip(1);
    frame.render_widget(Paragraph::new(lines.collect::<Vec<_>>()), area);
}

/// Shows that a line of an area is the chosen one.
fn highlight(frame: &mut Frame<'_>, area: Rect, line: Option<usize>) {
    let Some(line) = line.and_then(|line| u16::try_from(line).ok()).filter(|line| *line < area.height) else { return };
    let row = Rect { y: area.y + line, height: 1, ..area };
    frame.buffer_mut().set_style(row, Style::new().add_modifier(Modifier::REVERSED));
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

fn counts(source: &WatchedHistory, theme: Theme) -> Vec<Span<'static>> {
    let tally = source.watch.tally();
    let counts = [
        (tally.calls, "calls", Style::new()),
        (tally.failures, "failed", theme.of(Color::Yellow)),
        (tally.masked, "hidden", theme.of(Color::Yellow)),
        (tally.refused, "stopped", theme.of(Color::Red)),
        (source.unreadable, "lines unreadable", theme.of(Color::Red)),
    ];
    let mut spans: Vec<Span<'static>> = Vec::new();
    for (count, word, style) in counts.into_iter().filter(|(count, word, _)| *count > 0 || *word == "calls") {
        if !spans.is_empty() {
            spans.push(Span::styled(" · ", DIM));
        }
        spans.push(Span::styled(format!("{count} {word}"), style));
    }
    spans
}

fn heading(title: &str, right: Vec<Span<'static>>, width: u16) -> Line<'static> {
    let taken: usize = right.iter().map(Span::width).sum();
    let left = fit(title, usize::from(width).saturating_sub(taken + 2));
    let gap = usize::from(width).saturating_sub(taken + left.width());
    let spans = [Span::styled(left, BOLD), Span::raw(" ".repeat(gap))];
    spans.into_iter().chain(right).collect()
}

fn footing(app: &App, keys: &'static str, theme: Theme, width: u16) -> Line<'static> {
    let width = usize::from(width);
    if app.mode == KeyMode::Filter {
        return Line::from(vec![Span::styled("filter: ", BOLD), Span::raw(app.filter.clone()), Span::raw("▏")]);
    }
    let mut states = Vec::new();
    if !app.filter.is_empty() {
        states.push(format!("only \"{}\" (Esc clears)", app.filter));
    }
    if let Some(newer) = app.cursor.filter(|newer| *newer > 0) {
        states.push(format!("{newer} newer below (G)"));
    }
    let state = fit(&states.join("   "), width);
    let keys =
        if state.width() + keys.width() + 3 > width && !state.is_empty() { String::new() } else { fit(keys, width) };
    let gap = width.saturating_sub(keys.width() + state.width());
    let state = Span::styled(state, theme.of(Color::Cyan));
    Line::from(vec![Span::styled(keys, DIM), Span::raw(" ".repeat(gap)), state])
}

fn number(count: u64) -> Cell {
    if count == 0 { ("·".to_owned(), DIM) } else { (count.to_string(), Style::new()) }
}

/// The last event of an agent or a project.
fn last_of(last: &WatchEntry, theme: Theme) -> Cell {
    let text = match last.text.as_str() {
        "" => last.word(),
        text => format!("{} {text}", mark_sign(last.mark())),
    };
    (text, theme.mark(last.mark()))
}

fn projects_in(rows: &[ProjectRow], theme: Theme) -> Vec<Vec<Cell>> {
    let cells = |row: &ProjectRow| {
        let open = if row.open > 0 { theme.of(Color::Yellow) } else { Style::new() };
        vec![
            (row.name.clone(), open),
            (age(row.age), DIM),
            row.last.as_ref().map(|last| last_of(last, theme)).unwrap_or_default(),
            number(row.agents as u64),
            number(row.calls),
            number(row.failures),
            number(row.open as u64),
        ]
    };
    rows.iter().map(cells).collect()
}

fn agents_in(rows: &[AgentRow], theme: Theme) -> Vec<Vec<Cell>> {
    rows.iter()
        .map(|row| {
            vec![
                (row.name.clone(), Style::new()),
                (age(row.age), DIM),
                last_of(&row.last, theme),
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
            let hidden = if row.open.masked { "hidden: " } else { "" };
            vec![
                (class.to_owned(), style),
                (spoken(row.open.category.as_str()), style),
                (format!("{hidden}{}", row.open.call), Style::new()),
                (row.line.clone().unwrap_or_default(), DIM),
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
                (clock(entry, theme.offset), DIM),
                (entry.name.clone(), DIM),
                (class.to_owned(), style),
                (entry.word(), style),
                (entry.text.clone(), text),
                (entry.line.clone().unwrap_or_default(), DIM),
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

fn help(frame: &mut Frame<'_>) {
    let widest = HELP.iter().map(|line| line.width()).max().unwrap_or(0);
    let lines = HELP.iter().map(|line| Line::raw(format!(" {line}"))).collect();
    over(frame, " Help: any key goes back ", lines, widest + 4);
}

/// An event in full: the call, its error, and what the agent was told.
fn whole_event(frame: &mut Frame<'_>, event: &WatchEntry, said: Option<&str>, theme: Theme) {
    let class = event.class.map(|class| format!(" ({})", class.as_str())).unwrap_or_default();
    let detail = match event.detail() {
        detail if detail.is_empty() => detail,
        detail => format!(", {detail}"),
    };
    let told = match said {
        Some(said) => said.to_owned(),
        None if event.advised => "given, and not known any more".to_owned(),
        None => String::new(),
    };
    let rows = [
        ("what", format!("{}{class}{detail}", event.word())),
        ("when", format!("{}  {}", clock(event, theme.offset), event.name)),
        (if event.outcome.is_some() { "call" } else { "about" }, event.text.clone()),
        ("error", event.line.clone().unwrap_or_default()),
        ("advice", told),
    ];
    let rows = rows.into_iter().filter(|(_, text)| !text.is_empty());
    let lines = rows.map(|(name, text)| Line::from(vec![Span::styled(format!(" {name:<7}"), BOLD), Span::raw(text)]));
    over(frame, " Any key goes back ", lines.collect(), 100);
}

/// Lines in a frame over the screen, which wrap.
fn over(frame: &mut Frame<'_>, title: &'static str, lines: Vec<Line<'_>>, widest: usize) {
    let area = frame.area();
    let size = |wanted: usize, most: u16| u16::try_from(wanted).unwrap_or(u16::MAX).min(most);
    let width = size(widest, area.width);
    let inner = usize::from(width.saturating_sub(3)).max(1);
    let height: usize = lines.iter().map(|line| line.width().div_ceil(inner).max(1)).sum();
    let place = area.centered(Constraint::Length(width), Constraint::Length(size(height + 2, area.height)));
    frame.render_widget(Clear, place);
    let text = Paragraph::new(lines).wrap(Wrap { trim: false }).block(Block::bordered().title(title));
    frame.render_widget(text, place);
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "stored screens are files of the repository")]
mod tests {
    use std::path::{Path, PathBuf};

    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use ratatui::buffer::Buffer;
    use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    use super::*;
    use crate::inputs::OfHost;
    use crate::watch::HistoryNews;
    use crate::watch::app::Next;
    use crate::watch::list::ProjectList;
    use crate::watch::live::Screen;

    fn folder() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/screens")
    }

    fn now() -> Time {
        failwise::time::parse("2026-03-14T09:02:10Z").unwrap()
    }

    /// A history as the screen takes it in.
    fn loaded(dir: &Path) -> (App, WatchedHistory) {
        let mut source = WatchedHistory::begin(dir.to_owned(), u64::MAX, None);
        let mut app = App::new(false);
        app.enter("tidepool".to_owned(), false);
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
        terminal.draw(|frame| draw(frame, app, source, theme(colour), now())).unwrap();
        terminal.backend().buffer().clone()
    }

    /// A clock two hours before UTC's, so that a time that is not local shows.
    fn theme(colour: bool) -> Theme {
        Theme { colour, offset: FixedOffset::east_opt(2 * 3600).unwrap() }
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
        for (name, width, height) in [("usual", 80, 24), ("wide", 160, 48), ("small", 40, 10), ("tiny", 20, 6)] {
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
        assert_eq!(press(&mut app, &[KeyCode::Esc]), Next::Go, "only q quits");
    }

    #[test]
    fn calls_that_did_not_fail_are_shown_on_demand() {
        let (mut app, source) = loaded(&folder());
        assert!(!text(&drawn(&app, &source, true, 80, 40)).contains("git status"));
        press(&mut app, &[KeyCode::Char('c')]);
        assert!(text(&drawn(&app, &source, true, 80, 40)).contains("git status"));
    }

    #[test]
    fn who_chose_an_event_keeps_looking_at_it() {
        let (mut app, source) = loaded(&folder());
        press(&mut app, &[KeyCode::Up, KeyCode::Char('k'), KeyCode::Up]);
        let before = app.event().unwrap().clone();
        assert_ne!(Some(&before), loaded(&folder()).0.event());
        let (mut other, _) = loaded(&folder());
        press(&mut other, &[KeyCode::Char('c')]);
        let more: Vec<WatchEntry> = other.visible(50).0.into_iter().cloned().collect();
        app.take(more);
        assert_eq!(app.event(), Some(&before));
        assert!(text(&drawn(&app, &source, true, 80, 24)).contains("newer below"));
        press(&mut app, &[KeyCode::Char('G')]);
        assert_ne!(app.event(), Some(&before));
        assert_eq!(app.cursor, None, "the newest is followed");
        press(&mut app, &[KeyCode::Char('g')]);
        let (visible, chosen) = app.visible(3);
        assert_eq!((visible.len(), chosen), (3, Some(0)), "the first event is the first line");
        press(&mut app, &[KeyCode::Char('j')]);
        assert_eq!(app.visible(3).1, Some(0));
    }

    #[test]
    fn the_chosen_line_stands_out_and_enter_shows_it_whole() {
        let (app, source) = loaded(&folder());
        let mut screen = Screen { app, list: ProjectList::default(), entered: Some(source), of: OfHost::default() };
        let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
        let mut shown = |screen: &mut Screen, codes: &[KeyCode]| {
            for code in codes {
                screen.key(KeyEvent::new(*code, KeyModifiers::NONE));
            }
            terminal.draw(|frame| screen.draw(frame, theme(true), now())).unwrap();
            terminal.backend().buffer().clone()
        };
        let is_marked =
            |buffer: &Buffer| buffer.content().iter().any(|cell| cell.modifier.contains(Modifier::REVERSED));
        assert!(!is_marked(&shown(&mut screen, &[])));
        let chosen = shown(&mut screen, &[KeyCode::Char('k'), KeyCode::Char('k'), KeyCode::Up]);
        assert!(is_marked(&chosen));
        assert_screen("event", &shown(&mut screen, &[KeyCode::Enter]));
        assert_eq!(shown(&mut screen, &[KeyCode::Esc]), chosen, "any key goes back");
    }

    #[test]
    fn all_projects_are_a_line_each_and_enter_looks_into_one() {
        let dir = tempfile::tempdir().unwrap();
        let lines = std::fs::read_to_string(folder().join("history.jsonl")).unwrap();
        let lines: Vec<&str> = lines.lines().collect();
        let mut list = ProjectList::default();
        for (name, from, to) in [("tidepool", 0, lines.len()), ("harbour", 0, 1), ("books", 2, 6)] {
            let folder = dir.path().join(name);
            std::fs::create_dir(&folder).unwrap();
            std::fs::write(folder.join("history.jsonl"), lines[from..to].join("\n") + "\n").unwrap();
            list.add(name, folder);
        }
        let mut screen = Screen { app: App::new(true), list, entered: None, of: OfHost::default() };
        screen.read().unwrap();
        for (name, width, height) in [("list", 80, 24), ("list-small", 40, 10)] {
            let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
            terminal.draw(|frame| screen.draw(frame, theme(true), now())).unwrap();
            assert_screen(name, terminal.backend().buffer());
        }
        let press = |screen: &mut Screen, code| screen.key(KeyEvent::new(code, KeyModifiers::NONE));
        press(&mut screen, KeyCode::Char('j'));
        assert_eq!(press(&mut screen, KeyCode::Enter), Next::Enter);
        screen.read().unwrap();
        assert_eq!(screen.app.project.as_deref(), Some("books"));
        assert_eq!(screen.app.event().unwrap().text, "make chart");
        assert_eq!(press(&mut screen, KeyCode::Esc), Next::Leave);
        assert!(screen.entered.is_none() && screen.app.chosen == 1);
        assert_eq!(press(&mut screen, KeyCode::Esc), Next::Go, "only q quits");
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
        for mode in [KeyMode::Look, KeyMode::Filter, KeyMode::Help, KeyMode::Event] {
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
