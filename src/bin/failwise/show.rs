//! `failwise show`: one episode, signature or session with its calls, or one change with its evidence.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use failwise::changes::{AdoptedChange, ChangeAct, MetSession, ProjectChange};
use failwise::error::Error;
use failwise::exit::Exit;
use failwise::model::{Host, Outcome};
use failwise::replay::{Analysis, Chosen, Ended, EpisodeSummary, Joined, Replay, SessionCall, SessionSummary};
use failwise::report;
use failwise::sessions::{FoundFiles, Session};
use failwise::shell::quoted_word;
use failwise::text::{many, spoken, start};
use failwise::time::{clock_name, duration, minute, time_of_day};
use serde::Serialize;
use serde_json::json;

use crate::inputs::{self, OfHost, Progress};
use crate::lessons;
use crate::report::{MONTH, readings};
use crate::style::{Format, PrintArgs, Style, print_pretty, shown, text_page, write_more};

/// Show one failure with its calls, what ended it and what it cost
///
/// ID is that of an episode, a signature, a session or a change, or the beginning of one. Every report prints them. Of a
/// session or a signature it shows the episodes, of a change what it rests on. Times are in UTC.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    failwise show 8d7a6c18                  an episode with its calls\n  \
    failwise show 5d0c1f8e --since 90d      a session of the last 90 days\n  \
    failwise show e8b6ebde                  the evidence of a change\n  \
    failwise show 8d7a6c18 run.jsonl        the same of a file\n\n\
    Exit codes: 0 done, 1 nothing has this ID, 64 wrong command line, 65 unreadable input, 74 a file could not be \
    read or written.")]
pub(crate) struct ShowArgs {
    /// An episode, a signature, a session or a change: at least 4 characters of its ID
    #[arg(value_name = "ID")]
    id: String,
    /// Transcripts, histories, or folders of them; by default your own sessions
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Leave out older sessions: a duration such as 30d, or a date such as 2026-03-01. By default older ones are read
    /// only where the last 30 days have no such ID
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    since: Option<String>,
    #[command(flatten)]
    of: OfHost,
    #[command(flatten)]
    print: PrintArgs,
}

impl ShowArgs {
    /// What another command of the same sessions needs behind its id.
    fn same_input(&self) -> String {
        if self.paths.is_empty() {
            return self.since.as_ref().map(|since| format!(" --since {}", quoted_word(since))).unwrap_or_default();
        }
        self.paths.iter().flat_map(|path| [" ".to_owned(), quoted_word(&path.to_string_lossy())]).collect()
    }
}

/// How many calls after the end are shown, and how many lines of an output.
const AFTER: usize = 2;
const LINES: usize = 12;
/// How many of the output of a call that is no failure of the episode.
const FEW_LINES: usize = 4;
/// How many calls of an episode are shown at its beginning and at its end.
const CALLS: usize = 12;
/// How many episodes are listed.
const EPISODES: usize = 20;

/// What an id names.
enum ShownThing {
    Episode(Box<EpisodeSummary>),
    Signature(String),
    Session(Box<SessionSummary>),
    Change(Box<ProjectChange>),
    Adopted(Box<AdoptedChange>),
}

/// An episode with its calls.
#[derive(Serialize)]
struct ShownEpisode<'a> {
    schema_version: u32,
    episode: &'a EpisodeSummary,
    session: Option<&'a SessionSummary>,
    calls: &'a [SessionCall],
    resume: Option<String>,
    replay: Option<String>,
}

/// What was read of a session whose file has this name, and whether that is all, for a second look that goes further back.
type ReadParts = BTreeMap<String, (bool, Analysis, Vec<MetSession>)>;

/// The file of the session that has an episode.
type EpisodeHolders = BTreeMap<[String; 3], String>;

fn key_of(EpisodeSummary { session, node, id, .. }: &EpisodeSummary) -> [String; 3] {
    [session, node, id].map(Clone::clone)
}

pub(crate) fn run(args: &ShowArgs) -> crate::CommandOutcome {
    let mut parts = ReadParts::new();
    if args.since.is_some() || !args.paths.is_empty() {
        return shown_since(args, args.since.as_deref(), &mut parts);
    }
    // A report of more than a month prints ids that are older.
    shown_since(args, Some(MONTH), &mut parts).or_else(|_| shown_since(args, None, &mut parts))
}

fn shown_since(args: &ShowArgs, since: Option<&str>, parts: &mut ReadParts) -> crate::CommandOutcome {
    let id = inputs::id_of(&args.id)?;
    let settings = inputs::settings(None)?;
    let mut found = if args.paths.is_empty() {
        args.of.own_sessions(since.map(inputs::since_of).transpose()?)?
    } else {
        inputs::find(&args.paths, None)?.of_host(args.of.host)
    };
    let (analysis, holders, met) = analysed((&mut found, args.paths.is_empty()), &settings, &id, parts)?;
    let is_json = args.print.format == Format::Json;
    let style = Style::for_stdout();
    let mut out = text_page(Format::Text);
    match found_thing(&analysis, &met, &id, since)? {
        ShownThing::Episode(episode) => {
            let holder = holders.get(&key_of(&episode));
            let session = found.sessions.into_iter().find(|session| holder.is_some_and(|it| name_of(session) == it));
            let session = session.map(|session| session.naming(&[&episode.session, &episode.node]));
            let calls = session.as_ref().map(|session| calls_of(session, &settings, &episode)).unwrap_or_default();
            let file = session.as_ref().and_then(|session| Some(session.files.first()?.name.clone()));
            let whole = ShownEpisode {
                schema_version: 1,
                episode: &episode,
                session: analysis.sessions.iter().find(|it| it.id == episode.session),
                calls: &calls,
                resume: session.as_ref().and_then(|it| Some(resume_line(it.host, it.id.as_deref()?))),
                replay: file.map(|file| format!("failwise replay {file}")),
            };
            if is_json {
                return print_pretty(&whole);
            }
            print_episode(&mut out, &whole, style)?;
        }
        ShownThing::Signature(signature) => {
            let of_it = |it: &&EpisodeSummary| it.signature == signature;
            let episodes: Vec<&EpisodeSummary> = analysis.episodes.iter().rev().filter(of_it).collect();
            if is_json {
                return print_pretty(&json!({ "schema_version": 1, "signature": signature, "episodes": episodes }));
            }
            writeln!(out, "{} {}", style.bold("signature"), shown(&signature, 40))?;
            list_episodes(&mut out, &episodes, (Some(&analysis), style))?;
            if crate::kb::fixes().contains_key(&signature) {
                writeln!(out, "\nWhat worked before: failwise kb show {}", start(&signature, 8))?;
            }
        }
        ShownThing::Session(session) => {
            let of_it = |it: &&EpisodeSummary| it.session == session.id;
            let mut episodes: Vec<&EpisodeSummary> = analysis.episodes.iter().filter(of_it).collect();
            episodes.sort_by_key(|it| Reverse(report::dearness(it.booked)));
            if is_json {
                return print_pretty(&json!({ "schema_version": 1, "session": session, "episodes": episodes }));
            }
            let id = shown(&session.id, 80);
            let started = session.started.as_deref().map(minute).unwrap_or_default();
            let project = session.project.as_deref().unwrap_or("a project without a name");
            writeln!(out, "{} {id}, {}, {started} {}", style.bold("session"), shown(project, 60), clock_name())?;
            list_episodes(&mut out, &episodes, (None, style))?;
            writeln!(out, "\nAgain: {}", resume_line(session.host, &id))?;
            writeln!(out, "All calls that failed: failwise replay {}", shown(&session.file, 300))?;
        }
        ShownThing::Change(change) => {
            if is_json {
                return print_pretty(&json!({ "schema_version": 1, "change": change }));
            }
            print_change(&mut out, &change, &analysis, (style, &args.same_input()))?;
        }
        ShownThing::Adopted(change) => {
            if is_json {
                return print_pretty(&json!({ "schema_version": 1, "adopted": change }));
            }
            let (project, day) = (shown(&change.project, 60), shown(start(&change.ts, 10), 10));
            writeln!(out, "{} {project}: {}", style.bold("change"), shown(&change.text, 200))?;
            writeln!(out, "  adopted {day}\n\nWhat it did, in that project's folder: failwise lessons --adopted")?;
        }
    }
    out.flush()?;
    Ok(Exit::Ok)
}

/// The command that goes on with a session of a client.
fn resume_line(host: Option<Host>, session: &str) -> String {
    host.unwrap_or_default().resume().replace("{}", session)
}

/// The name of the first file of a session.
fn name_of(session: &Session) -> &str {
    session.files.first().map_or("", |file| &file.name)
}

/// What these sessions come to, the file of each that has an episode which the id begins, and what they met. Sessions of which
/// `parts` has all are not read again, and come last of those that were found.
fn analysed(
    (found, is_own): (&mut FoundFiles, bool),
    settings: &Arc<Chosen>,
    id: &str,
    parts: &mut ReadParts,
) -> Result<(Analysis, EpisodeHolders, Vec<MetSession>), crate::CommandFailure> {
    let is_read = |session: &Session| parts.get(name_of(session)).is_some_and(|(is_whole, ..)| *is_whole);
    let (read, anew): (Vec<Session>, Vec<Session>) = std::mem::take(&mut found.sessions).into_iter().partition(is_read);
    found.sessions = anew;
    // What `failwise` alone read is kept, and holds all of it but the calls.
    let recalled = if is_own { inputs::RecalledReadings::own() } else { None };
    readings(found, settings, (recalled.as_ref(), true, false), |number, read| {
        let Some(session) = found.sessions.get(number) else { return };
        parts.insert(name_of(session).to_owned(), (session.is_whole(), read.analysis, read.met));
    })?;
    found.sessions.extend(read);
    let (mut joined, mut holders, mut met) = (Joined::default(), BTreeMap::new(), Vec::new());
    for (name, (_, analysis, of_session)) in parts.iter() {
        let matching = analysis.episodes.iter().filter(|episode| episode.id.starts_with(id));
        holders.extend(matching.map(|episode| (key_of(episode), name.clone())));
        joined.add(analysis.clone());
        met.extend_from_slice(of_session);
    }
    let mut analysis = joined.settled();
    analysis.tell_later_passes(&met);
    Ok((analysis, holders, met))
}

/// What the id begins: the newest episode, else a signature, else a session, else a change.
fn found_thing(analysis: &Analysis, met: &[MetSession], id: &str, since: Option<&str>) -> Result<ShownThing, Error> {
    let changes = lessons::changes_of(met, crate::kb::now(), |_| true);
    let adopted = lessons::adopted_anywhere();
    let episodes = analysis.episodes.iter().map(|it| &it.id).chain(analysis.signatures.iter().map(|it| &it.signature));
    let sessions = analysis.sessions.iter().map(|it| &it.id);
    let others = changes.iter().map(|it| &it.id).chain(adopted.iter().map(|it| &it.id));
    let all: BTreeSet<&String> = episodes.chain(sessions).chain(others).filter(|it| it.starts_with(id)).collect();
    // What is printed of a longer id names it.
    let is_whole = |it: &&&String| !all.iter().any(|other| it.len() > other.len() && it.starts_with(*other));
    let named: BTreeSet<String> = all.iter().filter(is_whole).map(|it| shown(it, 40)).collect();
    if named.len() > 1 {
        return Err(inputs::ambiguous_id(id, &named));
    }
    let Analysis { episodes, signatures, sessions, .. } = analysis;
    let episode = episodes.iter().rev().find(|it| it.id.starts_with(id)).cloned();
    let signature = || signatures.iter().map(|it| &it.signature).find(|it| it.starts_with(id)).cloned();
    let session = || sessions.iter().rev().find(|it| it.id.starts_with(id)).cloned();
    let thing = episode.map(|it| ShownThing::Episode(Box::new(it)));
    let thing = thing.or_else(|| signature().map(ShownThing::Signature));
    let thing = thing.or_else(|| session().map(|it| ShownThing::Session(Box::new(it))));
    let change = changes.into_iter().find(|change| change.id.starts_with(id));
    let thing = thing.or_else(|| change.map(|it| ShownThing::Change(Box::new(it))));
    let change = adopted.into_iter().rev().find(|change| change.id.starts_with(id));
    if let Some(thing) = thing.or_else(|| change.map(|it| ShownThing::Adopted(Box::new(it)))) {
        return Ok(thing);
    }
    let ids = analysis.episodes.iter().map(|it| &it.id).chain(analysis.sessions.iter().map(|it| &it.id));
    let alike = |other: &&String| other.chars().zip(id.chars()).take_while(|(a, b)| a == b).count();
    let nearest = ids.max_by_key(alike).filter(|other| alike(other) > 0);
    let hint = match nearest {
        Some(other) => format!("the nearest is {}", shown(other, 40)),
        None => "`failwise report --format json` lists all".to_owned(),
    };
    let hint = if since.is_some() { format!("{hint}; look further back with --since 365d") } else { hint };
    Err(Error::refused(format!("no episode, signature, session or change begins with `{}`", shown(id, 60))).hint(hint))
}

/// Whether any session of the last month has what an id names.
pub(crate) fn has(id: &str) -> Result<bool, crate::CommandFailure> {
    let mut found = OfHost::default().own_sessions(Some(inputs::since_of(MONTH)?))?;
    let (analysis, _, met) = analysed((&mut found, true), &inputs::settings(None)?, id, &mut ReadParts::new())?;
    Ok(found_thing(&analysis, &met, id, None).is_ok())
}

/// The newest failure in the sessions of a folder's project, of those of the last month.
pub(crate) fn newest_of(folder: &Path) -> Result<Option<EpisodeSummary>, crate::CommandFailure> {
    let found = OfHost::default().own_sessions(Some(inputs::since_of(MONTH)?))?;
    let (only, recalled) = (inputs::OneProject::of(&folder.to_string_lossy()), inputs::RecalledReadings::own());
    let mut newest: Option<EpisodeSummary> = None;
    readings(&found, &inputs::settings(None)?, (recalled.as_ref(), true, false), |_, read| {
        if only.is_of(&read.analysis, &read.met) {
            let later = read.analysis.episodes.into_iter().chain(newest.take());
            newest = later.max_by(|one, other| one.last_ts.cmp(&other.last_ts));
        }
    })?;
    Ok(newest)
}

/// All calls of a session, with what was said of each.
pub(crate) fn all_calls_of(session: &Session, settings: &Arc<Chosen>) -> Vec<SessionCall> {
    let Ok(ruleset) = crate::replay::known_ruleset("default") else { return Vec::new() };
    let mut replays = [Replay::new(ruleset).with_settings(Arc::clone(settings)).without_rows().with_calls(true)];
    session.play(&mut replays, Progress::start(0, false).counter());
    let [replay] = replays;
    replay.finish().calls
}

/// The calls of an episode's node from its first failure to its end, and a few after it.
fn calls_of(session: &Session, settings: &Arc<Chosen>, episode: &EpisodeSummary) -> Vec<SessionCall> {
    let calls = all_calls_of(session, settings);
    let end = episode.end.as_ref().and_then(|end| end.tool_use_id.as_deref());
    let is_failed = |call: &SessionCall| call.tool_use_id.as_ref().is_some_and(|id| episode.tool_use_ids.contains(id));
    // Other agents of the session may have met it too.
    let nodes: Vec<String> = calls.iter().filter(|call| is_failed(call)).map(|call| call.node.clone()).collect();
    let is_own = |call: &SessionCall| nodes.contains(&call.node) || end.is_some() && call.tool_use_id.as_deref() == end;
    let own: Vec<SessionCall> = calls.into_iter().filter(is_own).collect();
    // An error of the model's API is no call with an id.
    let Some(first) = own.iter().position(is_failed) else { return Vec::new() };
    let last = own
        .iter()
        .rposition(|call| is_failed(call) || end.is_some() && call.tool_use_id.as_deref() == end)
        .unwrap_or(first);
    let mut shown: Vec<SessionCall> = own.into_iter().take(last + 1 + AFTER).skip(first).collect();
    let left_out = CALLS..shown.len().saturating_sub(CALLS);
    let told = shown.iter_mut().enumerate().filter(|(number, _)| !left_out.contains(number));
    told.for_each(|(_, call)| call.tell_output());
    shown
}

fn print_episode(out: &mut impl Write, it: &ShownEpisode<'_>, style: Style) -> std::io::Result<()> {
    let episode = it.episode;
    let project = it.session.and_then(|it| it.project.as_deref()).unwrap_or("a project without a name");
    let since = episode.first_ts.as_deref().map(minute).unwrap_or_default();
    let category = spoken(episode.category.as_str());
    writeln!(
        out,
        "{} {}: {category}, {}, {since} {}",
        style.bold("episode"),
        shown(&episode.id, 8),
        shown(project, 60),
        clock_name()
    )?;
    let cost = episode.booked;
    let kind = if episode.waste.is_empty() { "" } else { ", waste" };
    writeln!(
        out,
        "  {} after {} and {}{}{kind}",
        episode.ending(),
        if cost.turns == 0 { many(cost.calls, "call", "calls") } else { many(cost.turns, "turn", "turns") },
        duration(cost.wall_ms),
        report::price(cost),
    )?;
    if let Some(end) = &episode.end {
        let what = if episode.ended == Ended::PutAside { "put aside at" } else { "what ended it" };
        writeln!(out, "  {what}: {}{}", tool_of(&end.tool), shown(&end.call, 200))?;
    }
    let left_out = it.calls.len().saturating_sub(2 * CALLS);
    for (number, call) in it.calls.iter().enumerate() {
        if left_out > 0 && number == CALLS {
            writeln!(out, "\n  ... {} ...", many(left_out as u64, "call", "calls"))?;
        }
        if number < CALLS || number >= it.calls.len() - CALLS.min(it.calls.len()) {
            print_call(out, call, episode, style)?;
        }
    }
    writeln!(out)?;
    for (outcome, word, meaning) in SAID_OUTCOMES.iter().filter(|(.., meaning)| !meaning.is_empty()) {
        if it.calls.iter().any(|call| call.outcome == *outcome) {
            writeln!(out, "{word}: {meaning}")?;
        }
    }
    for (name, line) in [("Again:", &it.resume), ("All calls that failed:", &it.replay)] {
        if let Some(line) = line {
            writeln!(out, "{name} {}", shown(line, 400))?;
        }
    }
    Ok(())
}

/// What became of a call, in a word, and what the word means where it does not say so itself.
const SAID_OUTCOMES: &[(Outcome, &str, &str)] = &[
    (Outcome::Failed, "failed", ""),
    (Outcome::Succeeded, "ok", ""),
    (Outcome::Interrupted, "stopped", ""),
    (Outcome::Denied, "refused", ""),
    (Outcome::MaskedFailure, "hidden", "it failed behind an exit status of 0"),
    (Outcome::BenignNonZero, "answer", "its exit status is an answer, and no failure"),
    (Outcome::Cascade, "cancelled", "another call of the same answer failed"),
];

/// A tool before its call. A command line speaks for itself.
fn tool_of(tool: &str) -> String {
    if tool == "Bash" { String::new() } else { format!("{} ", shown(tool, 40)) }
}

fn print_call(out: &mut impl Write, call: &SessionCall, episode: &EpisodeSummary, style: Style) -> std::io::Result<()> {
    let is_own = call.tool_use_id.as_ref().is_some_and(|id| episode.tool_use_ids.contains(id));
    let failed = matches!(call.outcome, Outcome::Failed | Outcome::MaskedFailure);
    let said = SAID_OUTCOMES.iter().find(|(outcome, ..)| *outcome == call.outcome);
    let outcome = format!("{:<9}", said.map_or_else(|| call.outcome.as_str(), |(_, word, _)| word));
    let outcome = if failed { style.red(&outcome) } else { outcome };
    let time = shown(&time_of_day(&call.ts), 19);
    writeln!(out, "\n  {time}  {outcome} {}{}", tool_of(&call.tool), shown(&call.call, 200))?;
    if let Some(output) = &call.output {
        let most = if is_own { LINES } else { FEW_LINES };
        let lines: Vec<&str> = output.lines().filter(|line| !line.trim().is_empty()).collect();
        for line in lines.iter().skip(lines.len().saturating_sub(most)) {
            writeln!(out, "             {}", style.dim(&shown(line, 160)))?;
        }
    } else if is_own {
        let status = call.exit_code.map_or_else(|| "no status is known".to_owned(), |code| format!("status {code}"));
        writeln!(out, "             {}", style.dim(&format!("{status}, no output")))?;
    }
    if let Some(said) = &call.said {
        writeln!(out, "             told: {}", shown(said, 600))?;
    }
    Ok(())
}

fn print_change(
    out: &mut impl Write,
    change: &ProjectChange,
    analysis: &Analysis,
    (style, same): (Style, &str),
) -> std::io::Result<()> {
    let text = change.line.as_ref().or(change.rule.as_ref()).map(|text| shown(text, 200)).unwrap_or_default();
    writeln!(out, "{} {}: {}", style.bold("change"), shown(&change.project, 60), text)?;
    writeln!(out, "  {}", lessons::evidence_line(change))?;
    for call in &change.evidence.calls {
        let is_its = |it: &&EpisodeSummary| {
            it.session == call.session && call.tool_use_id.as_ref().is_some_and(|id| it.tool_use_ids.contains(id))
        };
        let id = analysis.episodes.iter().find(is_its).map_or(&call.session, |episode| &episode.id);
        let (file, id) = (shown(&call.file, 300), shown(id, 40));
        let (ts, clock) = (minute(&call.ts), clock_name());
        writeln!(out, "  {ts} {clock}  {file}:{}  failwise show {id}{same}", call.line)?;
    }
    let failures = usize::try_from(change.evidence.failures).unwrap_or(usize::MAX);
    write_more(out, ("  ", failures, change.evidence.calls.len()), "")?;
    if change.act == ChangeAct::Correction {
        return writeln!(out, "\nCorrect it by hand.");
    }
    writeln!(out, "\nAdopt it: failwise lessons --write --only {}{same}", change.id)
}

/// `of_many`: where the sessions are those of several, each with its time and project.
fn list_episodes(
    out: &mut impl Write,
    episodes: &[&EpisodeSummary],
    (of_many, style): (Option<&Analysis>, Style),
) -> std::io::Result<()> {
    if episodes.is_empty() {
        return writeln!(out, "  nothing failed in it");
    }
    for episode in episodes.iter().take(EPISODES) {
        let call = if episode.input.is_empty() { &episode.operation } else { &episode.input };
        let whose = of_many.map(|analysis| {
            let session = analysis.sessions.iter().find(|it| it.id == episode.session);
            let project = session.and_then(|it| it.project.as_deref()).unwrap_or("no project");
            let since = episode.first_ts.as_deref().map(minute).unwrap_or_default();
            format!("{since} {} {}  ", clock_name(), shown(project, 40))
        });
        let whose = whose.unwrap_or_default();
        let (id, spent) = (style.bold(&shown(&episode.id, 8)), report::spent(episode));
        writeln!(out, "  {id}  {whose}{}: {spent}", shown(call, 80))?;
    }
    write_more(out, ("  ", episodes.len(), EPISODES), "")
}
