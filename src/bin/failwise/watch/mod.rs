//! `failwise watch`: what goes on in a project's sessions, live.

mod app;
mod columns;
mod draw;
mod live;

use std::collections::VecDeque;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use failwise::exit::Exit;
use failwise::history::Line;
use failwise::journal::{Followed, Follower};
use failwise::place::Place;
use failwise::watch::{EntryMark, Watch, WatchEntry};

use crate::style::{Style, escaped, shown};

/// How much of the history's end is read at the beginning.
const BEGINNING: u64 = 8 * 1024 * 1024;
/// How often the history is looked at.
const EVERY: Duration = Duration::from_millis(250);

/// Watch sessions live: failures, repeats and open work
///
/// On a terminal it is a screen: q quits, ? shows the other keys. Elsewhere, or with `--plain`, it prints a line an
/// event. It only reads; agents and hooks do not notice it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  failwise watch\n  failwise watch --plain --last 50 --once\n  \
                        failwise watch --format jsonl | jq 'select(.unchanged > 1)'\n\n\
                        Times are UTC. Rows of --format jsonl are described by schemas/watch-row.schema.json.")]
pub(crate) struct WatchArgs {
    /// The project's folder; by default the current one
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
    /// Only this session: its id, or the beginning of it
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Include agents that have been quiet for an hour
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
    /// Print the past events and end
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
    let place = crate::place_of(args.project.as_deref())?;
    let source = WatchedHistory {
        follower: Follower::begin(&place.dir, BEGINNING),
        watch: Watch::new(args.session.as_deref()),
        unreadable: 0,
    };
    if args.plain || args.once || args.format == WatchFormat::Jsonl || !std::io::stdout().is_terminal() {
        return lines(source, &place, args);
    }
    let project = place.project.file_name().map(|name| shown(&name.to_string_lossy(), 40)).unwrap_or_default();
    live::run(app::App::new(project, args.all), source)
}

/// The history, and what is folded of it.
struct WatchedHistory {
    follower: Follower,
    watch: Watch,
    /// Lines that could not be read as events.
    unreadable: u64,
}

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
    let mut out = std::io::stdout().lock();
    let mut past = VecDeque::new();
    loop {
        match source.look()? {
            HistoryNews::Entries(entries) => past.extend(entries),
            HistoryNews::Restarted => past.clear(),
            HistoryNews::Nothing => break,
        }
        past.drain(..past.len().saturating_sub(args.last));
    }
    if args.once && args.format == WatchFormat::Text {
        crate::stats::print_today(&mut out, place, args.session.as_deref())?;
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
    writeln!(out, "{}  {:<13}  {class}  {word}  {}{detail}", time(entry), entry.name, entry.text)?;
    Ok(())
}

/// The time of day, UTC.
fn time(entry: &WatchEntry) -> &str {
    entry.ts.get(11..19).unwrap_or("--:--:--")
}
