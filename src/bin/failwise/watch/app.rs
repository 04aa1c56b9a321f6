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
    /// The project's name.
    pub(super) project: String,
    /// Also agents that are quiet for an hour.
    pub(super) all: bool,
    /// Calls that did not fail are shown too.
    pub(super) calls: bool,
    /// Only what holds this text is shown.
    pub(super) filter: String,
    /// What keys do.
    pub(super) mode: KeyMode,
    /// How many of the newest events are scrolled out below; 0 follows.
    pub(super) below: usize,
    feed: VecDeque<WatchEntry>,
}

/// What keys do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum KeyMode {
    /// Scroll and switch.
    #[default]
    Look,
    /// Type the filter.
    Filter,
    /// Any key leaves the help.
    Help,
}

/// Whether to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// Draw and go on.
    Go,
    /// The person has seen enough.
    Quit,
}

impl App {
    pub(super) fn new(project: String, all: bool) -> Self {
        Self { project, all, ..Self::default() }
    }

    /// Takes events in. Who has scrolled up keeps looking at the same ones.
    pub(super) fn take(&mut self, entries: Vec<WatchEntry>) {
        for entry in entries {
            if self.below > 0 && self.shows(&entry) {
                self.below += 1;
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
        self.below = 0;
    }

    /// The events to show in so many lines, oldest first.
    pub(super) fn visible(&self, lines: usize) -> Vec<&WatchEntry> {
        let shown = self.feed.iter().rev().filter(|entry| self.shows(entry));
        let mut visible: Vec<&WatchEntry> = shown.skip(self.below).take(lines).collect();
        visible.reverse();
        visible
    }

    /// Whether a row with these texts is meant by the filter.
    pub(super) fn matches(&self, texts: &[&str]) -> bool {
        let wanted = self.filter.to_lowercase();
        wanted.is_empty() || texts.iter().any(|text| text.to_lowercase().contains(&wanted))
    }

    fn shows(&self, entry: &WatchEntry) -> bool {
        let is_quiet = entry.mark() == EntryMark::Quiet && !self.calls;
        let class = entry.class.map_or("", failwise::model::Class::as_str);
        !is_quiet && self.matches(&[&entry.name, &entry.text, entry.word(), class, &entry.detail()])
    }

    fn keep_in_feed(&mut self) {
        let shown = self.feed.iter().filter(|entry| self.shows(entry)).count();
        self.below = self.below.min(shown.saturating_sub(1));
    }

    /// What a key does.
    pub(super) fn key(&mut self, key: KeyEvent) -> Next {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return if matches!(key.code, KeyCode::Char('c' | 'd')) { Next::Quit } else { Next::Go };
        }
        match self.mode {
            KeyMode::Look => return self.look(key.code),
            KeyMode::Filter => self.type_filter(key.code),
            KeyMode::Help => self.mode = KeyMode::Look,
        }
        Next::Go
    }

    fn look(&mut self, code: KeyCode) -> Next {
        match code {
            KeyCode::Esc if !self.filter.is_empty() => self.filter.clear(),
            KeyCode::Char('q') | KeyCode::Esc => return Next::Quit,
            KeyCode::Char('?' | 'h') | KeyCode::F(1) => self.mode = KeyMode::Help,
            KeyCode::Char('/') => self.mode = KeyMode::Filter,
            KeyCode::Char('c') => self.calls = !self.calls,
            KeyCode::Char('a') => self.all = !self.all,
            KeyCode::Up | KeyCode::Char('k') => self.below += 1,
            KeyCode::Down | KeyCode::Char('j') => self.below = self.below.saturating_sub(1),
            KeyCode::PageUp => self.below += PAGE,
            KeyCode::PageDown | KeyCode::Char(' ') => self.below = self.below.saturating_sub(PAGE),
            KeyCode::Home | KeyCode::Char('g') => self.below = FEED,
            KeyCode::End | KeyCode::Char('G') => self.below = 0,
            _ => {}
        }
        self.keep_in_feed();
        Next::Go
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
        self.below = 0;
    }
}
