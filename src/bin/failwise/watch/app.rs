//! What the screen shows and how keys change it: a value, without a terminal.

use std::collections::VecDeque;

use failwise::watch::{EntryMark, WatchEntry};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The most events that can be scrolled through.
const FEED: usize = 2000;
/// How far a page goes.
const PAGE: usize = 10;
/// The longest filter.
const FILTER: usize = 60;

/// What the screen shows beside what is folded.
#[derive(Debug, Default)]
pub(super) struct App {
    /// The name of the project that is looked into; None where all projects are listed.
    pub(super) project: Option<String>,
    /// Whether there are other projects to go back to.
    pub(super) has_others: bool,
    /// Also agents and projects that are quiet for an hour.
    pub(super) all: bool,
    /// Calls that did not fail are shown too.
    pub(super) calls: bool,
    /// Only what holds this text is shown.
    pub(super) filter: String,
    /// What keys do.
    pub(super) mode: KeyMode,
    /// The chosen project, by its place in the list.
    pub(super) chosen: usize,
    /// How many projects are listed.
    pub(super) listed: usize,
    /// How many events are newer than the chosen one; None follows the newest.
    pub(super) cursor: Option<usize>,
    /// What the agent was told of the chosen event, where it is shown.
    pub(super) said: Option<String>,
    feed: VecDeque<WatchEntry>,
}

/// What keys do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum KeyMode {
    /// Choose and switch.
    #[default]
    Look,
    /// Type the filter.
    Filter,
    /// Any key leaves the help.
    Help,
    /// One event is shown; any key goes back.
    Event,
}

/// Whether to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// Draw and go on.
    Go,
    /// Look into the chosen project.
    Enter,
    /// Go back to all projects.
    Leave,
    /// Look up what was told of the chosen event, and show it.
    Show,
    /// The person has seen enough.
    Quit,
}

impl App {
    /// All projects.
    pub(super) fn new(all: bool) -> Self {
        Self { all, ..Self::default() }
    }

    /// Looks into a project.
    pub(super) fn enter(&mut self, project: String, has_others: bool) {
        let Self { all, chosen, .. } = *self;
        *self = Self { project: Some(project), has_others, all, chosen, ..Self::default() };
    }

    /// Goes back to all projects.
    pub(super) fn leave(&mut self) {
        let Self { all, chosen, .. } = *self;
        *self = Self { all, chosen, ..Self::default() };
    }

    /// Takes events in. Who has chosen one keeps looking at it.
    pub(super) fn take(&mut self, entries: Vec<WatchEntry>) {
        for entry in entries {
            if self.shows(&entry) {
                self.cursor = self.cursor.map(|cursor| cursor + 1);
            }
            self.feed.push_back(entry);
        }
        let old = self.feed.len().saturating_sub(FEED);
        self.feed.drain(..old);
        self.keep_in_feed();
    }

    /// The history was replaced.
    pub(super) fn restart(&mut self) {
        self.feed.clear();
        self.cursor = None;
    }

    /// The events to show in so many lines, oldest first, and the line of the chosen one.
    pub(super) fn visible(&self, lines: usize) -> (Vec<&WatchEntry>, Option<usize>) {
        let newer = self.cursor.map_or(0, |cursor| (cursor + 1).saturating_sub(lines));
        let shown = self.feed.iter().rev().filter(|entry| self.shows(entry));
        let mut visible: Vec<&WatchEntry> = shown.skip(newer).take(lines).collect();
        visible.reverse();
        let chosen = self.cursor.and_then(|cursor| (visible.len() + newer).checked_sub(cursor + 1));
        (visible, chosen)
    }

    /// The event that is chosen, else the newest one.
    pub(super) fn event(&self) -> Option<&WatchEntry> {
        self.feed.iter().rev().filter(|entry| self.shows(entry)).nth(self.cursor.unwrap_or(0))
    }

    /// Whether a row with these texts is meant by the filter.
    pub(super) fn matches(&self, texts: &[&str]) -> bool {
        let wanted = self.filter.to_lowercase();
        wanted.is_empty() || texts.iter().any(|text| text.to_lowercase().contains(&wanted))
    }

    fn shows(&self, entry: &WatchEntry) -> bool {
        let is_quiet = entry.mark() == EntryMark::Quiet && !self.calls;
        let class = entry.class.map_or("", failwise::model::Class::as_str);
        !is_quiet && self.matches(&[&entry.name, &entry.text, &entry.word(), class, &entry.detail()])
    }

    fn keep_in_feed(&mut self) {
        let shown = self.feed.iter().filter(|entry| self.shows(entry)).count();
        self.cursor = self.cursor.and_then(|cursor| Some(cursor.min(shown.checked_sub(1)?)));
    }

    /// What a key does.
    pub(super) fn key(&mut self, key: KeyEvent) -> Next {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return if matches!(key.code, KeyCode::Char('c' | 'd')) { Next::Quit } else { Next::Go };
        }
        match self.mode {
            KeyMode::Look => return self.look(key.code),
            KeyMode::Filter => self.type_filter(key.code),
            KeyMode::Help | KeyMode::Event => self.mode = KeyMode::Look,
        }
        Next::Go
    }

    fn look(&mut self, code: KeyCode) -> Next {
        match code {
            KeyCode::Esc if !self.filter.is_empty() => self.filter.clear(),
            KeyCode::Esc | KeyCode::Left | KeyCode::Backspace if self.project.is_some() && self.has_others => {
                return Next::Leave;
            }
            KeyCode::Char('q') => return Next::Quit,
            KeyCode::Char('?' | 'h') | KeyCode::F(1) => self.mode = KeyMode::Help,
            KeyCode::Char('/') => self.mode = KeyMode::Filter,
            KeyCode::Char('c') => self.calls = !self.calls,
            KeyCode::Char('a') => self.all = !self.all,
            KeyCode::Enter | KeyCode::Right if self.project.is_none() && self.listed > 0 => return Next::Enter,
            KeyCode::Enter | KeyCode::Right if self.event().is_some() => {
                self.cursor.get_or_insert(0);
                return Next::Show;
            }
            KeyCode::Up | KeyCode::Char('k') => self.go(1, true),
            KeyCode::Down | KeyCode::Char('j') => self.go(1, false),
            KeyCode::PageUp => self.go(PAGE, true),
            KeyCode::PageDown | KeyCode::Char(' ') => self.go(PAGE, false),
            KeyCode::Home | KeyCode::Char('g') => self.go(FEED, true),
            KeyCode::End | KeyCode::Char('G') => self.go(FEED, false),
            _ => {}
        }
        self.keep_in_feed();
        Next::Go
    }

    /// Chooses the row so many further up or down. Below the newest event nothing is chosen: the screen follows again.
    fn go(&mut self, rows: usize, up: bool) {
        if self.project.is_none() {
            let to = if up { self.chosen.saturating_sub(rows) } else { self.chosen + rows };
            self.chosen = to.min(self.listed.saturating_sub(1));
            return;
        }
        self.cursor = if up {
            Some(self.cursor.map_or(rows - 1, |cursor| cursor + rows))
        } else {
            self.cursor.and_then(|cursor| cursor.checked_sub(rows))
        };
    }

    fn type_filter(&mut self, code: KeyCode) {
        match code {
            KeyCode::Enter => self.mode = KeyMode::Look,
            KeyCode::Esc => {
                self.filter.clear();
                self.mode = KeyMode::Look;
            }
            KeyCode::Backspace => {
                self.filter.pop();
            }
            KeyCode::Char(c) if self.filter.chars().count() < FILTER && !failwise::text::is_invisible(c) => {
                self.filter.push(c);
            }
            _ => {}
        }
        self.cursor = None;
        self.chosen = 0;
    }
}
