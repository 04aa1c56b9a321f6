//! The terminal: taken, drawn on, and given back whatever happens.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use chrono::Utc;
use failwise::exit::Exit;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyEventKind};

use super::app::{App, Next};
use super::draw::{Theme, draw};
use super::{EVERY, HistoryNews, WatchedHistory};

/// How long the history is read before keys are looked at again.
const AT_ONCE: Duration = Duration::from_millis(100);
/// How often the screen is drawn without news: ages grow.
const AGES: Duration = Duration::from_secs(1);

/// Shows the screen until the person quits or the process is asked to end. The terminal is given back as it was; after a
/// panic too, by the hook that `ratatui` sets.
pub(super) fn run(app: App, source: WatchedHistory) -> crate::CommandOutcome {
    let ended = Arc::new(AtomicBool::new(false));
    for signal in signal_hook::consts::TERM_SIGNALS {
        signal_hook::flag::register(*signal, Arc::clone(&ended))?;
    }
    let mut terminal = ratatui::try_init()?;
    let outcome = show(&mut terminal, app, source, &ended);
    ratatui::try_restore()?;
    outcome?;
    Ok(Exit::Ok)
}

fn show(
    terminal: &mut DefaultTerminal,
    mut app: App,
    mut source: WatchedHistory,
    ended: &AtomicBool,
) -> std::io::Result<()> {
    let theme = Theme::of_terminal();
    let mut drawn: Option<Instant> = None;
    while !ended.load(Ordering::Relaxed) {
        let is_new = read(&mut app, &mut source)?;
        if is_new || drawn.is_none_or(|drawn| drawn.elapsed() >= AGES) {
            terminal.draw(|frame| draw(frame, &app, &source, theme, Utc::now()))?;
            drawn = Some(Instant::now());
        }
        if !event::poll(EVERY)? {
            continue;
        }
        drawn = None;
        if let Event::Key(key) = event::read()?
            && key.kind != KeyEventKind::Release
            && app.key(key) == Next::Quit
        {
            break;
        }
    }
    Ok(())
}

/// Takes in what is new, for a while: a long history must not keep the keys waiting.
fn read(app: &mut App, source: &mut WatchedHistory) -> std::io::Result<bool> {
    let begun = Instant::now();
    let mut is_new = false;
    while begun.elapsed() < AT_ONCE {
        match source.look()? {
            HistoryNews::Entries(entries) => app.take(entries),
            HistoryNews::Restarted => app.restart(),
            HistoryNews::Nothing => break,
        }
        is_new = true;
    }
    Ok(is_new)
}
