//! `failwise watch`: what goes on in a project's sessions, live.

mod app;
mod columns;
mod draw;
mod list;
mod live;

use std::collections::VecDeque;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

use app::App;
use chrono::FixedOffset;
use clap::ValueEnum;
use failwise::error::Error;
use failwise::exit::Exit;
use failwise::history::Line;
use failwise::journal::{Followed, Follower, HISTORY};
use failwise::place::Place;
use failwise::watch::{EntryMark, Watch, WatchEntry};
use list::ProjectList;
use live::Screen;

use crate::inputs::OfHost;
use crate::style::{Format, Style, escaped, shown, text_page};

/// How much of the history's end is read at the beginning.
const BEGINNING: u64 = 8 * 1024 * 1024;
/// How often the history is looked at.
const EVERY: Duration = Duration::from_millis(250);

/// Watch sessions live: failures, repeats and open work
///
/// On a terminal it is a screen of all active projects; Enter looks into one, and at an event: its error and what was said.
/// `?` shows the keys. Elsewhere, or with `--plain`, it prints a line an event of this project. It only reads; agents and
/// hooks do not notice it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  failwise watch\n  failwise watch --plain --last 50 --once\n  \
                        failwise watch --format jsonl | jq 'select(.unchanged > 1)'\n\n\
                        Times are local; those of --format jsonl are UTC (schemas/watch-row.schema.json).")]
pub(crate) struct WatchArgs {
    /// Only this project: its folder. Lines without a screen are those of the current one by default
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
    /// Only this session of the project: its id, or the beginning of it
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    #[command(flatten)]
    of: OfHost,
    /// Include projects and agents that have been quiet for an hour
    #[arg(long)]
    all: bool,
    /// Lines instead of a screen, on a terminal too
    #[arg(long)]
    plain: bool,
    /// Format of printed lines
    #[arg(long, value_enum, default_value = "text")]
    format: WatchFormat,
    /// Number of past events printed first, without the screen
    #[arg(long, value_name = "N", default_value_t = 10)]
    last: usize,
    /// Print today's numbers and the past events, and end
    #[arg(long)]
    once: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum WatchFormat {
    /// For people
    Text,
    /// One JSON object a line
    Jsonl,
}

pub(crate) fn run(args: &WatchArgs) -> crate::CommandOutcome {
    if args.session.as_deref().is_some_and(str::is_empty) {
        return Err(Error::refused("the session's id is empty").hint("failwise watch --once shows ids").into());
    }
    let place = crate::place_of(args.project.as_deref())?;
    args.session.as_deref().map_or(Ok(()), |session| crate::stats::is_recorded(&place, session))?;
    let source = || WatchedHistory::begin(place.dir.clone(), BEGINNING, args.session.as_deref()).of(args.of);
    if args.plain || args.once || args.format == WatchFormat::Jsonl || !std::io::stdout().is_terminal() {
        return lines(source(), &place, args);
    }
    let mut screen =
        Screen { app: App::new(args.all), list: ProjectList::of(Some(&place)), entered: None, of: args.of };
    screen.list.refresh(args.all);
    // One alone needs no list to be chosen from.
    let is_one = args.project.is_some() || args.session.is_some();
    if is_one || screen.list.len() < 2 {
        screen.entered = Some(source());
        screen.app.enter(name_of(&place), !is_one && screen.list.len() > 1);
    }
    live::run(screen)
}

/// What people call a project.
fn name_of(place: &Place) -> String {
    place.project.file_name().map(|name| shown(&name.to_string_lossy(), 40)).unwrap_or_default()
}

/// The history, and what is folded of it.
struct WatchedHistory {
    /// The folder that it is in.
    dir: PathBuf,
    follower: Follower,
    watch: Watch,
    /// Lines that could not be read as events.
    unreadable: u64,
}

/// The longest history that is played again for what was said, in bytes.
const PLAYED: u64 = 64 * 1024 * 1024;

/// What is new in a history.
enum HistoryNews {
    /// Events to show.
    Entries(Vec<WatchEntry>),
    /// The history was replaced: what was shown is void.
    Restarted,
    /// Nothing.
    Nothing,
}

impl WatchedHistory {
    fn begin(dir: PathBuf, most: u64, session: Option<&str>) -> Self {
        let follower = Follower::begin(&dir, most);
        Self { dir, follower, watch: Watch::new(session), unreadable: 0 }
    }

    /// Only what is of the client that is asked for.
    fn of(self, of: OfHost) -> Self {
        Self { watch: self.watch.of_host(of.host), ..self }
    }

    /// What the agent was told of an event. The history keeps that something was said; the words come of playing it again.
    fn said_of(&self, event: &WatchEntry) -> Option<String> {
        let id = event.tool_use_id.as_deref().filter(|_| event.advised || event.mark() == EntryMark::Refused)?;
        let history = self.dir.join(HISTORY);
        if history.metadata().ok()?.len() > PLAYED {
            return None;
        }
        let settings = crate::inputs::settings(None).ok()?;
        let found = failwise::sessions::find(&[history], None).ok()?;
        let mut calls = found.sessions.iter().flat_map(|session| crate::show::all_calls_of(session, &settings));
        calls.find(|call| call.tool_use_id.as_deref() == Some(id))?.said
    }

    fn look(&mut self) -> std::io::Result<HistoryNews> {
        match self.follower.look()? {
            Followed::Lines(lines) => {
                Ok(HistoryNews::Entries(lines.into_iter().flat_map(|(at, line)| self.take(at, &line)).collect()))
            }
            Followed::Restarted => {
                self.watch.restart();
                Ok(HistoryNews::Restarted)
            }
            Followed::Idle => {
                let late = self.watch.settle();
                Ok(if late.is_empty() { HistoryNews::Nothing } else { HistoryNews::Entries(late) })
            }
        }
    }

    fn take(&mut self, at: u64, line: &Line) -> Vec<WatchEntry> {
        match line {
            Line::Event(event) => self.watch.event(event, at),
            Line::Blank => Vec::new(),
            Line::Newer | Line::Unreadable => {
                self.unreadable += 1;
                Vec::new()
            }
        }
    }
}

fn lines(mut source: WatchedHistory, place: &Place, args: &WatchArgs) -> crate::CommandOutcome {
    let style = Style::for_stdout();
    let mut out = text_page(match args.format {
        WatchFormat::Text => Format::Text,
        WatchFormat::Jsonl => Format::Json,
    });
    let mut past = VecDeque::new();
    loop {
        match source.look()? {
            HistoryNews::Entries(entries) => past.extend(entries),
            HistoryNews::Restarted => past.clear(),
            HistoryNews::Nothing => break,
        }
        past.drain(..past.len().saturating_sub(args.last));
    }
    if args.once && args.format == WatchFormat::Text && !place.dir.join(HISTORY).exists() {
        writeln!(out, "Nothing is recorded of {} yet; `failwise doctor` says why.", name_of(place))?;
        return Ok(Exit::Ok);
    }
    if args.once && args.format == WatchFormat::Text {
        crate::stats::print_today(&mut out, place, &name_of(place), args.session.as_deref())?;
        if !past.is_empty() && here().local_minus_utc() != 0 {
            writeln!(out, "events by local time, {}; days are in UTC", here())?;
        }
    }
    for entry in &past {
        print(&mut out, entry, args.format, style)?;
    }
    out.flush()?;
    if args.once {
        return Ok(Exit::Ok);
    }
    loop {
        match source.look()? {
            HistoryNews::Entries(entries) => {
                for entry in &entries {
                    print(&mut out, entry, args.format, style)?;
                }
                out.flush()?;
            }
            HistoryNews::Restarted => {}
            HistoryNews::Nothing => std::thread::sleep(EVERY),
        }
    }
}

fn print(
    out: &mut impl Write,
    entry: &WatchEntry,
    format: WatchFormat,
    style: Style,
) -> Result<(), crate::CommandFailure> {
    if format == WatchFormat::Jsonl {
        writeln!(out, "{}", escaped(&serde_json::to_string(entry)?))?;
        return Ok(());
    }
    let class = entry.class.map_or("--", failwise::model::Class::as_str);
    let word = format!("{:<18}", entry.word());
    let offset = here();
    let word = match entry.mark() {
        EntryMark::Failure(_) | EntryMark::Unclassified => style.yellow(&word),
        EntryMark::Refused => style.red(&word),
        EntryMark::Ended => style.green(&word),
        EntryMark::Quiet | EntryMark::Note => style.dim(&word),
        EntryMark::Planned => word,
    };
    let detail = match entry.detail() {
        detail if detail.is_empty() => detail,
        detail => format!("  ({detail})"),
    };
    writeln!(out, "{}  {:<13}  {class}  {word}  {}{detail}", clock(entry, offset), entry.name, entry.text)?;
    Ok(())
}

/// How far the clock on the wall is from UTC.
fn here() -> FixedOffset {
    *chrono::Local::now().offset()
}

/// The time of day of an event, as that clock shows it.
fn clock(entry: &WatchEntry, offset: FixedOffset) -> String {
    let at = failwise::time::parse(&entry.ts).map(|at| at.with_timezone(&offset).format("%H:%M:%S").to_string());
    at.unwrap_or_else(|| "--:--:--".to_owned())
}
