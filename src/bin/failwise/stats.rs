//! `failwise stats`: the few numbers of a project, and the status line.

use std::collections::BTreeSet;
use std::io::{IsTerminal, Read, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use chrono::Utc;
use failwise::error::Error;
use failwise::exit::Exit;
use failwise::history::{Line, State};
use failwise::journal::{Followed, Follower, Journal};
use failwise::place::{Place, find, project_name};
use failwise::plan::PlanTree;
use failwise::recollect::events_back;
use failwise::settings::{Power, Settings};
use failwise::stats::{Numbers, Stats, StatusInput, status_input, status_line};
use failwise::store::ToldCounts;
use failwise::text::{many, spoken};
use failwise::time::{Time, short_age};
use serde::Serialize;

use crate::style::{Format, PrintArgs, Style, print_json, shown, text_page, write_more};

/// The most of a history's end that is read.
const MOST: u64 = 64 * 1024 * 1024;
/// The same where the numbers stand beside others.
const MOST_HERE: u64 = 8 * 1024 * 1024;
/// The most of a status line's input that is read.
const INPUT: u64 = 1024 * 1024;
/// How much of what is open is listed for people.
const LISTED: usize = 8;

/// Show this project's numbers of today and of a session: calls, failures and open work
///
/// `--statusline` is for Claude Code's status line. It takes the client's JSON on stdin, and prints nothing or one short
/// line about open failures of that session. It reads no history and never fails.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "In ~/.claude/settings.json:\n  \"statusLine\": { \"type\": \"command\", \"command\": \"failwise stats --statusline\" }\n\n\
                  Examples:\n  failwise stats\n  failwise stats --session 5d0c1f8e --format json\n\n\
                  Days are days in UTC. The JSON is described by schemas/stats.schema.json."
)]
pub(crate) struct StatsArgs {
    /// Also the numbers of this session: its id, the beginning of it, or - for the one in a status line's JSON on stdin
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// The project's folder; by default the current one
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
    #[command(flatten)]
    print: PrintArgs,
    /// One short line for Claude Code's status line; nothing when all is well
    #[arg(long, conflicts_with_all = ["session", "project", "format"])]
    statusline: bool,
}

/// What is printed.
#[derive(Debug, Serialize)]
struct StatsOutput<'a> {
    schema_version: u32,
    project: &'a Path,
    /// Whether the history was too long to be read as a whole.
    history_truncated: bool,
    today: Numbers,
    session: Option<OfSession>,
    /// What agents of this project were told of what worked before; null where nothing was learned.
    memory: Option<ToldCounts>,
}

#[derive(Debug, Serialize)]
struct OfSession {
    id: String,
    #[serde(flatten)]
    numbers: Numbers,
}

pub(crate) fn run(args: &StatsArgs) -> crate::CommandOutcome {
    if args.statusline {
        // A status line that fails is shown as an error at every turn.
        if let Some(line) = statusline() {
            let _ = writeln!(std::io::stdout(), "{line}");
        }
        return Ok(Exit::Ok);
    }
    let session = match args.session.as_deref() {
        Some("-") => Some(given_status()?.session),
        Some("") => return Err(Error::refused("the session's id is empty").hint("failwise watch shows ids").into()),
        session => session.map(str::to_owned),
    };
    let place = crate::place_of(args.project.as_deref())?;
    let follower = Follower::begin(&place.dir, MOST);
    let history_truncated = follower.is_cut();
    let now = Utc::now();
    let (today, of_session) = gather(follower, now, session.as_deref())?;
    session_is_known(session.as_deref().filter(|_| args.session.as_deref() != Some("-")), of_session.as_ref())?;
    let session = session.zip(of_session).map(|(id, numbers)| OfSession { id, numbers });
    let memory = crate::kb::known_now(Some(&project_name(&place.project))).map(|memory| memory.told);
    let shown = StatsOutput { schema_version: 1, project: &place.project, history_truncated, today, session, memory };
    match args.print.format {
        Format::Json => return print_json(&shown),
        Format::Text => print(&mut text_page(Format::Text), &shown)?,
    }
    Ok(Exit::Ok)
}

/// Of the person's project today, in one line; None where nothing was recorded today.
pub(crate) fn today_here() -> Option<String> {
    let place = crate::place().ok()?;
    let (today, _) = gather(Follower::begin(&place.dir, MOST_HERE), Utc::now(), None).ok()?;
    let tally = today.tally;
    let worst = today.open.first().map(|open| format!(": {}", shown(&open.call, 60))).unwrap_or_default();
    let calls = many(tally.calls, "call", "calls");
    let said = format!("{calls}, {} failed, {} open{worst}", tally.failures, today.open.len());
    (tally.calls > 0).then_some(said)
}

/// The numbers of today and of a session of a project of that name, as people read them.
pub(crate) fn print_today(
    out: &mut impl Write,
    place: &Place,
    name: &str,
    session: Option<&str>,
) -> Result<(), crate::CommandFailure> {
    let (today, of_session) = gather(Follower::begin(&place.dir, MOST), Utc::now(), session)?;
    session_is_known(session, of_session.as_ref())?;
    let style = Style::for_stdout();
    print_numbers(out, &format!("today in {name}"), &today, style)?;
    if let Some((id, numbers)) = session.zip(of_session) {
        print_numbers(out, &format!("session {}", shown(id, 40)), &numbers, style)?;
    }
    Ok(())
}

/// # Errors
/// When nothing was recorded of the session that was named.
fn session_is_known(session: Option<&str>, numbers: Option<&Numbers>) -> Result<(), Error> {
    let is_empty = numbers.is_some_and(|it| it.tally.calls == 0 && it.last_failure.is_none() && it.open.is_empty());
    session.filter(|_| is_empty).map_or(Ok(()), |id| Err(unrecorded(id)))
}

fn unrecorded(session: &str) -> Error {
    let said = format!("nothing is recorded here of a session `{}`", shown(session, 40));
    Error::refused(said).hint("`failwise watch --once` shows those of this project")
}

/// # Errors
/// When no line of the history is of the session, whatever it tells.
pub(crate) fn is_recorded(place: &Place, session: &str) -> Result<(), Error> {
    let mut found = false;
    events_back(place, u64::MAX, &[""], session, |event, _| {
        found = event.session.as_deref().unwrap_or(&event.node).starts_with(session);
        if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    if found { Ok(()) } else { Err(unrecorded(session)) }
}

fn gather(mut follower: Follower, now: Time, session: Option<&str>) -> Result<(Numbers, Option<Numbers>), Error> {
    let mut stats = Stats::new(now, session);
    loop {
        match follower.look()? {
            Followed::Lines(lines) => {
                for (at, line) in lines {
                    if let Line::Event(event) = line {
                        stats.event(&event, at);
                    }
                }
            }
            Followed::Restarted => stats.restart(),
            Followed::Idle => return Ok(stats.finish()),
        }
    }
}

fn statusline() -> Option<String> {
    let text_env = |name: &str| crate::env(name).and_then(|value| value.into_string().ok());
    if Settings::resolve(&text_env, None).0.power.value == Power::Off {
        return None;
    }
    let input = status_input(&read_stdin()?)?;
    let place = find(&crate::env, input.folder.as_deref().map(Path::new))?;
    status_line(&states_of(&place, &input.node))
}

/// The states of a session and its subagents, and of the plan's nodes that they work on: a call belongs to the node that
/// its session claimed, else to the one that the environment names, else to the active one.
fn states_of(place: &Place, session: &str) -> Vec<State> {
    let journal = Journal::in_dir(&place.dir);
    let mut states = journal.peek_session(session);
    let Some(tree) = place.plans.as_deref().and_then(|plans| PlanTree::open(plans).ok()) else { return states };
    let claimed = states.iter().find(|state| state.node == session).and_then(|state| state.bound.clone());
    let named = || crate::env("FAILWISE_NODE")?.into_string().ok();
    let own = claimed.or_else(named).or_else(|| tree.active().map(str::to_owned));
    let nodes: BTreeSet<String> = states.iter().filter_map(|state| state.bound.clone()).chain(own).collect();
    states.extend(nodes.iter().filter_map(|node| journal.peek(node)));
    states
}

fn read_stdin() -> Option<Vec<u8>> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return None;
    }
    let mut bytes = Vec::new();
    stdin.lock().take(INPUT).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn given_status() -> Result<StatusInput, Error> {
    let input = read_stdin().and_then(|bytes| status_input(&bytes));
    input.ok_or_else(|| {
        Error::unreadable("stdin names no session").hint("give the JSON of a status line, or --session ID")
    })
}

fn print(out: &mut impl Write, stats: &StatsOutput<'_>) -> std::io::Result<()> {
    let style = Style::for_stdout();
    print_numbers(out, "today", &stats.today, style)?;
    if let Some(session) = &stats.session {
        writeln!(out)?;
        print_numbers(out, &format!("session {}", shown(&session.id, 40)), &session.numbers, style)?;
    }
    if let Some(ToldCounts { told, followed, worked }) = stats.memory {
        let counts = format!("reported a known fix {told} times, followed {followed}, worked {worked}");
        writeln!(out, "\n{}  {counts}", style.bold("memory"))?;
    }
    if stats.history_truncated {
        writeln!(out, "\n{}", style.dim("the history is long: only its last 64 MiB were read"))?;
    }
    Ok(())
}

fn print_numbers(out: &mut impl Write, name: &str, numbers: &Numbers, style: Style) -> std::io::Result<()> {
    let tally = numbers.tally;
    writeln!(
        out,
        "{}  {}, {} failed, {} hidden, {} refused by the guard",
        style.bold(name),
        many(tally.calls, "call", "calls"),
        tally.failures,
        tally.masked,
        tally.refused
    )?;
    if tally.steps > 0 {
        writeln!(out, "  steps {} run, {} with a result", tally.steps, tally.results)?;
    }
    if let Some(last) = &numbers.last_failure {
        let age = last.age_s.map(|age| format!(", {} ago", short_age(age))).unwrap_or_default();
        let (class, category) = (last.class.as_str(), spoken(last.category.as_str()));
        writeln!(out, "  last  {class} {category}  {}{}", shown(&last.operation, 60), style.dim(&age))?;
    }
    if numbers.open.is_empty() {
        return writeln!(out, "  open  {}", style.green("nothing"));
    }
    writeln!(out, "  open  {}, {} of them repeating with nothing changed", numbers.open.len(), numbers.repeating)?;
    for open in numbers.open.iter().take(LISTED) {
        let attempts = match (open.unchanged, open.attempts) {
            (0, 1) => String::new(),
            (0, attempts) => format!("  attempt {attempts}"),
            (unchanged, _) => style.yellow(&format!("  x{} unchanged", unchanged + 1)),
        };
        let masked = if open.masked { style.yellow("  hidden") } else { String::new() };
        writeln!(out, "    {:<18}  {}{attempts}{masked}", spoken(open.category.as_str()), shown(&open.call, 60))?;
    }
    write_more(out, ("    ", numbers.open.len(), LISTED), "")
}
