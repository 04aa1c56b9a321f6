//! The terminal: taken, drawn on, and given back whatever happens.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use chrono::Utc;
use failwise::exit::Exit;
use failwise::time::Time;
use ratatui::crossterm::event::{self, Event, KeyEvent, KeyEventKind};
use ratatui::{DefaultTerminal, Frame};

use super::app::{App, KeyMode, Next};
use super::draw::{Theme, draw, draw_list};
use super::list::ProjectList;
use super::{BEGINNING, EVERY, HistoryNews, WatchedHistory};
use crate::inputs::OfHost;

/// How long the history is read before keys are looked at again.
const AT_ONCE: Duration = Duration::from_millis(100);
/// How often the screen is drawn without news: ages grow.
const AGES: Duration = Duration::from_secs(1);

/// What is looked at, and what of it the screen shows.
pub(super) struct Screen {
    pub(super) app: App,
    pub(super) list: ProjectList,
    /// The history of the project that is looked into.
    pub(super) entered: Option<WatchedHistory>,
    /// Which client is asked for.
    pub(super) of: OfHost,
}

/// Shows the screen until the person quits or the process is asked to end. The terminal is given back as it was; after a
/// panic too, by the hook that `ratatui` sets.
pub(super) fn run(screen: Screen) -> crate::CommandOutcome {
    let ended = Arc::new(AtomicBool::new(false));
    for signal in signal_hook::consts::TERM_SIGNALS {
        signal_hook::flag::register(*signal, Arc::clone(&ended))?;
    }
    let mut terminal = ratatui::try_init()?;
    let outcome = show(&mut terminal, screen, &ended);
    ratatui::try_restore()?;
    outcome?;
    Ok(Exit::Ok)
}

fn show(terminal: &mut DefaultTerminal, mut screen: Screen, ended: &AtomicBool) -> std::io::Result<()> {
    let theme = Theme::of_terminal();
    let mut drawn: Option<Instant> = None;
    while !ended.load(Ordering::Relaxed) {
        if screen.entered.is_none() {
            screen.list.refresh(screen.app.all);
        }
        let is_new = screen.read()?;
        if is_new || drawn.is_none_or(|drawn| drawn.elapsed() >= AGES) {
            terminal.draw(|frame| screen.draw(frame, theme, Utc::now()))?;
            drawn = Some(Instant::now());
        }
        if !event::poll(EVERY)? {
            continue;
        }
        drawn = None;
        if let Event::Key(key) = event::read()?
            && key.kind != KeyEventKind::Release
            && screen.key(key) == Next::Quit
        {
            break;
        }
    }
    Ok(())
}

impl Screen {
    /// Does what a key asks for.
    pub(super) fn key(&mut self, key: KeyEvent) -> Next {
        let next = self.app.key(key);
        match next {
            Next::Enter => {
                if let Some(project) = self.list.chosen(&self.app) {
                    self.entered = Some(WatchedHistory::begin(project.dir.clone(), BEGINNING, None).of(self.of));
                    self.app.enter(project.name.clone(), true);
                }
            }
            Next::Leave => {
                self.entered = None;
                self.app.leave();
            }
            Next::Show => {
                let event = self.app.event().zip(self.entered.as_ref());
                self.app.said = event.and_then(|(event, source)| source.said_of(event));
                self.app.mode = KeyMode::Event;
            }
            Next::Go | Next::Quit => {}
        }
        next
    }

    pub(super) fn draw(&mut self, frame: &mut Frame<'_>, theme: Theme, now: Time) {
        let Some(source) = &self.entered else {
            let rows = self.list.rows(&self.app, now);
            self.app.listed = rows.len();
            return draw_list(frame, &self.app, &rows, theme);
        };
        draw(frame, &self.app, source, theme, now);
    }

    /// Takes in what is new, for a while: a long history must not keep the keys waiting.
    pub(super) fn read(&mut self) -> std::io::Result<bool> {
        let Some(source) = &mut self.entered else { return self.list.read() };
        let begun = Instant::now();
        let mut is_new = false;
        while begun.elapsed() < AT_ONCE {
            match source.look()? {
                HistoryNews::Entries(entries) => self.app.take(entries),
                HistoryNews::Restarted => self.app.restart(),
                HistoryNews::Nothing => break,
            }
            is_new = true;
        }
        Ok(is_new)
    }
}
