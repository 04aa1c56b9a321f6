//! `failwise report`, and `failwise` alone: what the failures of past sessions cost.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufWriter, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use clap::ValueEnum;
use failwise::changes::MetSession;
use failwise::error::Error;
use failwise::exit::Exit;
use failwise::journal::read_small;
use failwise::model::Money;
use failwise::place::state_root;
use failwise::project::machine_key;
use failwise::replay::{Analysis, Chosen, Joined, Replay, Replayed, SessionSummary};
use failwise::report::{self, Lesson, LinkedCall, ReportLead};
use failwise::sessions::{FoundFiles, Session};
use failwise::time::{clock_name, minute, stamp_of};
use serde::Deserialize;

use crate::inputs::{self, OfHost, open_named};
use crate::outputs;
use crate::style::{Format, Style, note_line, nothing_yet, shown, shown_path};

/// Report what your agents' failures cost: as a page, Markdown or text
///
/// Without a PATH it reads the last 30 days: your own histories, and the sessions of Claude Code, Codex, Copilot CLI, Gemini
/// CLI and Qwen Code. With a PATH it reads the same inputs as
/// `failwise replay`. The page is one self-contained file and opens without a network.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    failwise report -o report.html          a page of your last 30 days\n  \
    failwise report --open                  the same page, in your browser\n  \
    failwise report --last                  the newest session, and first steps\n  \
    failwise report --week                  ten lines of Markdown to send\n  \
    failwise report --compare 2026-03-01    before and after a date\n  \
    failwise report -o ann.json --person ann --anonymise    an analysis to send\n  \
    failwise report ann.json ben.json                       several as one\n\n\
    Exit codes: 0 done, 64 wrong command line, 65 unreadable input, 74 a file \
    could not be read or written.")]
#[expect(clippy::struct_excessive_bools, reason = "switches of a command line")]
pub(crate) struct ReportArgs {
    /// Transcripts, histories, or folders of them; or analyses (.json) of several people; by default your own sessions
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Write the report to a file; its ending (.html, .md, .csv, .json) sets the format
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Output format; by default that of --output, else text
    #[arg(long, value_enum)]
    format: Option<ReportFormat>,
    /// Only the newest session, however old, as a digest of open work
    #[arg(long)]
    last: bool,
    /// The newest week next to the one before, adopted changes with their effect, and changes to make: ten lines of Markdown
    #[arg(long, conflicts_with_all = ["last", "format", "json", "since"])]
    week: bool,
    /// Whose sessions these are, for a report over several people; of analyses of several people only this one's
    #[arg(long, value_name = "NAME")]
    person: Option<String>,
    /// Replace the words that nobody but you and yours knows by a hash with this machine's key, and leave out error texts
    #[arg(long)]
    anonymise: bool,
    /// Leave out older sessions: a duration such as 30d, 12h or 2w, or a date such as 2026-03-01. The default is 30d for
    /// your own sessions
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    since: Option<String>,
    /// Only sessions of this project: its name or its folder
    #[arg(long, value_name = "PROJECT", conflicts_with = "last")]
    project: Option<String>,
    /// The time before a date next to that since then, as 2026-03-01 or 14d; FROM..DATE begins the time before at FROM
    #[arg(long, value_name = "DATE", conflicts_with_all = ["last", "week", "since"])]
    compare: Option<String>,
    /// Write the page and open it in your browser; without --output it goes to your state directory
    #[arg(long, conflicts_with_all = ["format", "json", "week", "last"])]
    open: bool,
    #[command(flatten)]
    of: OfHost,
    /// Settings file for all sessions, such as .claude/failwise.toml, or `none`. By default the current project's
    /// settings, for sessions that began in it
    #[arg(long, value_name = "FILE|none")]
    settings: Option<PathBuf>,
}

/// What `failwise` alone takes.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct BareArgs {
    /// No command: since then, as 7d, 12h or a date
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    since: Option<String>,
    /// No command: only this project, by name or folder
    #[arg(long, value_name = "PROJECT")]
    project: Option<String>,
    #[command(flatten)]
    of: OfHost,
    /// text or json; `--json` is short for it
    #[arg(long, value_enum, hide_possible_values = true)]
    format: Option<Format>,
}

impl BareArgs {
    /// Whether any of them is given.
    pub(crate) fn is_any(&self) -> bool {
        self.since.is_some() || self.project.is_some() || self.of.host.is_some() || self.format.is_some()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ReportFormat {
    /// A few lines for people
    Text,
    /// One self-contained page
    Html,
    /// Markdown
    Md,
    /// The failed calls as a table
    Csv,
    /// The analysis as one JSON object
    Json,
}

/// What is reported: the sessions, and what leads the report.
type LedAnalysis = (Analysis, ReportLead);

/// How far back a person's own sessions are read.
pub(crate) const MONTH: &str = "30d";

pub(crate) fn run(args: &ReportArgs) -> crate::CommandOutcome {
    let format = args.format()?;
    let output = args.output()?;
    output.as_deref().map_or(Ok(()), outputs::try_path)?;
    let only = args.project.as_deref().map(inputs::OneProject::of);
    let settings = inputs::settings(args.settings.as_deref())?;
    let compared = args.compare.as_deref().map(moments).transpose()?;
    let since = match compared {
        // A path holds what there is before the date, where no other time is given.
        Some((from, _, is_named)) if is_named || args.paths.is_empty() => {
            stamp_of(from).and_then(|ts| Some(ts.get(..10)?.to_owned()))
        }
        _ => args.since.clone(),
    };
    let since = since.as_deref();
    let (analysis, lead) = if args.paths.iter().any(|path| is_analysis(path)) {
        joined(&args.paths, args.person.as_deref())?
    } else {
        let (analysis, lead, nothing) = of_sessions(args, since, &settings, only.as_ref())?;
        if let Some(nothing) = nothing {
            if output.is_none() && (args.week || format == ReportFormat::Text) {
                return nothing_yet(Format::Text, &nothing);
            }
            inputs::warn(&nothing);
        }
        (analysis, lead)
    };
    let (analysis, mut lead) = args.for_others(analysis, lead)?;
    if !args.last && !args.anonymise {
        lead.fixes = crate::kb::fixes();
        lead.team = if args.project.is_none() { crate::kb::costs_the_team() } else { Vec::new() };
    }
    lead.comparison = compared.map(|(from, at, is_named)| {
        report::TimeComparison::of(&analysis, (is_named || args.paths.is_empty()).then_some(from), at)
    });
    write(args, output.as_deref(), format, (&analysis, &lead))?;
    Ok(Exit::Ok)
}

/// `failwise` alone: what failed of late beside the time before, in twelve lines, and where more is.
pub(crate) fn bare(args: &BareArgs) -> crate::CommandOutcome {
    let (since, of) = (args.since.as_deref().unwrap_or(MONTH), args.of);
    let from = inputs::since_of(since)?;
    let only = args.project.as_deref().map(inputs::OneProject::of);
    let only = only.as_ref();
    let settings = inputs::settings(None)?;
    // What is kept has no single failures, and rounds.
    let recalled = inputs::RecalledReadings::own().filter(|_| args.format != Some(Format::Json));
    let found = of.own_sessions(Some(from))?;
    let mut met = Vec::new();
    let recalled = recalled.as_ref();
    let analysis = replayed(&found, &settings, (&mut met, None), (recalled, only, None))?;
    only.map_or(Ok(()), |only| only.is_known(&analysis))?;
    let mut lead = lead_of(&met);
    if only.is_none() {
        lead.team = crate::kb::costs_the_team();
    }
    let from_text = local(from);
    let off = crate::doctor::switched_off(crate::found().as_ref());
    let mut out = std::io::stdout().lock();
    if args.format == Some(Format::Json) {
        report::json(&analysis, &lead, &mut out)?;
        return Ok(Exit::Ok);
    }
    if analysis.totals.calls == 0 {
        let place =
            "to read other folders than ~/.claude/projects, ~/.codex/sessions and the like: failwise report PATH";
        writeln!(out, "No session since {from_text}; `failwise --since 365d` looks further back, and {place}.")?;
        if let Some((says, next)) = off {
            writeln!(out, "It is off: {says}; {next} switches it on.")?;
        }
        return Ok(Exit::Ok);
    }
    let earlier = earlier_sessions(&analysis, of, from)?;
    let earlier = replayed(&earlier, &settings, (&mut Vec::new(), None), (recalled, only, Some(from)))?;
    let before = match since.strip_suffix('d').filter(|days| *days != "1") {
        Some(days) => format!("the {days} days before"),
        None => "the same time before".to_owned(),
    };
    let style = Style::for_stdout();
    let wasted = report::headline(&analysis).map(|wasted| format!(": {wasted}")).unwrap_or_default();
    let head = format!("What failures cost since {from_text}{wasted}");
    writeln!(out, "{}", style.bold(&style.hanging(&head, 2)))?;
    write_lines(&mut out, &report::overview(&analysis, (&before, &earlier), &lead), style)?;
    write_lines(&mut out, &unpriced(&analysis), style)?;
    if let Some(here) = crate::stats::today_here().filter(|_| only.is_none()) {
        write_lines(&mut out, &[("here today", here)], style)?;
    }
    if let Some((says, next)) = off {
        write_lines(&mut out, &[("off", format!("{says}; {next} switches it on"))], style)?;
    }
    let next =
        "failwise lessons --write --only ID adopts a change; failwise show ID, failwise report --open, failwise --help";
    write_lines(&mut out, &[("next", next.to_owned())], style)?;
    Ok(Exit::Ok)
}

/// The sessions that ended in the time before `from`, as long as that from then until now: those of which nothing is in `now`,
/// for a copied file is newer than what it tells. A file may hold more sessions than it is called by: [`replayed`] leaves those
/// out. Histories hold many sessions, and are read for the newer ones only.
fn earlier_sessions(now: &Analysis, of: OfHost, from: i64) -> Result<FoundFiles, Error> {
    let until = chrono::Utc::now().timestamp_millis();
    let has_calls = |session: &&SessionSummary| session.counters.calls > 0;
    let known: BTreeSet<&str> = now.sessions.iter().filter(has_calls).map(|it| it.id.as_str()).collect();
    let mut found = of.own_sessions(Some(from.saturating_sub(until.saturating_sub(from))))?;
    found.sessions.retain(|session| session.id.as_deref().is_some_and(|id| !known.contains(id)));
    Ok(found)
}

/// What leads a report on sessions that met this.
fn lead_of(met: &[MetSession]) -> ReportLead {
    let now = crate::kb::now();
    ReportLead { lessons: crate::lessons::costliest(met, now), ..ReportLead::default() }
}

/// A moment as the clock on the wall shows it, with what that clock is.
fn local(ms: i64) -> String {
    stamp_of(ms).map(|at| format!("{} {}", minute(&at), clock_name())).unwrap_or_default()
}

/// How far the clock on the wall is from UTC at a moment.
pub(crate) fn offset_at(ms: i64) -> chrono::FixedOffset {
    let at = chrono::DateTime::from_timestamp_millis(ms).unwrap_or_default();
    *at.with_timezone(&chrono::Local).offset()
}

/// The moments that a comparison is asked for: where the time before begins, where it ends, and whether the first was named.
fn moments(text: &str) -> Result<(i64, i64, bool), Error> {
    let (from, at) = text.split_once("..").map_or((None, text), |(from, at)| (Some(from), at));
    if at.is_empty() || from == Some("") {
        return Err(Error::usage(format!("{} has a date on one side only", shown(text, 60)))
            .hint("write one date, as --compare 2026-03-01, or two, the earlier first: 2026-02-01..2026-03-01"));
    }
    let at = inputs::since_of(at)?;
    let now = chrono::Utc::now().timestamp_millis();
    let is_named = from.is_some();
    let from = from.map_or(Ok(at.saturating_sub(now.saturating_sub(at))), inputs::since_of)?;
    if from < at && at < now {
        return Ok((from, at, is_named));
    }
    let error = Error::usage(format!("{} has no time on both sides", shown(text, 60)));
    Err(error
        .hint("write a date that is past, as --compare 2026-03-01, or two, the earlier first: 2026-02-01..2026-03-01"))
}

/// The largest analysis that is read, in bytes.
const LARGEST_ANALYSIS: u64 = 512 * 1024 * 1024;

/// Whether a file is an analysis, as `--format json` writes it.
fn is_analysis(path: &Path) -> bool {
    const HEAD: u64 = 4096;
    let mut head = Vec::new();
    let is_read = open_named(path).is_ok_and(|file| file.take(HEAD).read_to_end(&mut head).is_ok());
    let head = String::from_utf8_lossy(&head);
    is_read && head.starts_with('{') && ["\"account\"", "\"generated_from\""].iter().any(|field| head.contains(field))
}

/// Analyses of several people as one; with `person` only theirs. Sessions that do not say whose they are go by the file's name.
fn joined(paths: &[PathBuf], person: Option<&str>) -> Result<LedAnalysis, Error> {
    let mut all: Vec<(Analysis, Vec<Lesson>)> = Vec::new();
    let mut whose: BTreeMap<String, &Path> = BTreeMap::new();
    if let Some(other) = paths.iter().find(|path| !is_analysis(path)) {
        let error = Error::unreadable(format!("{} is no analysis, and others here are", shown_path(other)));
        return Err(error.hint("give analyses alone, as `failwise report -o a.json` writes them, or sessions alone"));
    }
    for path in paths {
        let name = shown(&path.to_string_lossy(), 200);
        let text = read_small(path, LARGEST_ANALYSIS).ok_or_else(|| {
            Error::unreadable(format!("{name} is no text file of at most 512 MiB")).hint("check that the file exists")
        })?;
        let unfit = |error| {
            Error::unreadable(format!("{name} is no analysis: {error}")).hint(
                "`failwise report -o a.json` and `failwise replay --format json` write one; sessions are .jsonl files",
            )
        };
        let mut analysis: Analysis = serde_json::from_str(&text).map_err(unfit)?;
        let beside: BesideAnalysis = serde_json::from_str(&text).map_err(unfit)?;
        if analysis.schema_version != Analysis::SCHEMA_VERSION {
            return Err(Error::unreadable(format!("{name} is an analysis of another version"))
                .hint("write it again with this version"));
        }
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        for session in &mut analysis.sessions {
            session.person.get_or_insert_with(|| shown(&stem, 60));
            if let Some(known) = whose.insert(session.id.clone(), path).filter(|_| session.id != UNKNOWN) {
                let (id, known) = (shown(&session.id, 60), shown(&known.to_string_lossy(), 200));
                return Err(Error::usage(format!("session {id} is in {known} and in {name}"))
                    .hint("give the analysis of each person once"));
            }
        }
        all.push((analysis, beside.changes));
    }
    let people =
        all.iter().flat_map(|(it, _)| &it.sessions).filter_map(|it| it.person.clone()).collect::<BTreeSet<_>>();
    if let Some(person) = person {
        all.retain(|(it, _)| it.sessions.iter().any(|session| session.person.as_deref() == Some(person)));
        if all.is_empty() {
            let known = people.iter().take(8).map(|name| shown(name, 40)).collect::<Vec<_>>().join(", ");
            return Err(
                Error::refused(format!("no analysis is of {}", shown(person, 60))).hint(format!("known: {known}"))
            );
        }
    }
    let (all, lessons): (Vec<Analysis>, Vec<Vec<Lesson>>) = all.into_iter().unzip();
    Ok((Analysis::join(all), ReportLead { lessons: Lesson::joined(lessons), ..ReportLead::default() }))
}

/// What a file has beside its analysis.
#[derive(Deserialize)]
struct BesideAnalysis {
    #[serde(default)]
    changes: Vec<Lesson>,
}

/// The session of data that names none.
const UNKNOWN: &str = "unknown";

impl ReportArgs {
    /// As it leaves this machine: with whose it is, and without names where that is asked for.
    fn for_others(&self, mut analysis: Analysis, mut lead: ReportLead) -> Result<LedAnalysis, crate::CommandFailure> {
        if let Some(person) = &self.person {
            for session in &mut analysis.sessions {
                session.person.get_or_insert_with(|| shown(person, 60));
            }
        }
        if self.anonymise {
            let key = machine_key(&crate::env)?;
            analysis = report::anonymised(analysis, &key);
            lead = ReportLead::default();
        }
        Ok((analysis, lead))
    }

    /// The file that the report is written to.
    fn output(&self) -> Result<Option<PathBuf>, Error> {
        if self.output.is_some() || !self.open {
            return Ok(self.output.clone());
        }
        let unknown = || Error::usage("no home folder is known").hint("name a file: --open -o report.html");
        let folder = state_root(&crate::env).ok_or_else(unknown)?;
        fs_err::create_dir_all(&folder)?;
        Ok(Some(folder.join("report.html")))
    }

    /// The format that was asked for, by name or by the ending of the file.
    fn format(&self) -> Result<ReportFormat, Error> {
        let ending = self.output.as_ref().map(|path| path.extension().unwrap_or_default().to_ascii_lowercase());
        let named = ending.as_ref().and_then(|ending| of_ending(&ending.to_string_lossy()));
        let output = self.output.as_deref().unwrap_or(Path::new(""));
        if output == Path::new("-") {
            return Err(Error::usage("-o takes a file").hint("leave it out: the report goes to stdout"));
        }
        if output.is_dir() {
            return Err(Error::usage(format!("{} is a folder", shown_path(output)))
                .hint("name a file in it, such as report.html"));
        }
        if self.format.zip(named).is_some_and(|(format, named)| format != named) {
            return Err(Error::usage("--format and the ending of the file differ").hint("leave out one of them"));
        }
        let format = match (self.format, &ending) {
            (Some(format), _) => format,
            (None, _) if self.open => ReportFormat::Html,
            (None, None) => ReportFormat::Text,
            (None, Some(_)) => named.ok_or_else(|| {
                Error::usage("the ending of the file says no format")
                    .hint("end it in .html, .md, .csv, .json or .txt, or give --format")
            })?,
        };
        if format == ReportFormat::Html && ending.is_none() && !self.open && std::io::stdout().is_terminal() {
            return Err(Error::usage("a page is not for a terminal").hint("write it to a file: -o report.html"));
        }
        Ok(format)
    }
}

fn of_ending(ending: &str) -> Option<ReportFormat> {
    match ending {
        "html" | "htm" => Some(ReportFormat::Html),
        "md" => Some(ReportFormat::Md),
        "csv" => Some(ReportFormat::Csv),
        "json" => Some(ReportFormat::Json),
        "txt" => Some(ReportFormat::Text),
        _ => None,
    }
}

/// The sessions below the named paths, else those that this user's machine still has, with the three changes that would end most
/// of what recurs in them. The newest one is read however old it is, where nothing else is asked for. Where there is nothing it
/// is said where to look.
fn of_sessions(
    args: &ReportArgs,
    since: Option<&str>,
    settings: &Arc<Chosen>,
    only: OnlyOne<'_>,
) -> Result<(Analysis, ReportLead, Option<String>), crate::CommandFailure> {
    let is_own = args.paths.is_empty();
    let since = since.or(if is_own && !args.last { Some(MONTH) } else { None });
    let mut found = if is_own {
        args.of.own_sessions(since.map(inputs::since_of).transpose()?)?
    } else {
        inputs::find(&args.paths, since)?.of_host(args.of.host)
    };
    let is_any = !is_own || !found.sessions.is_empty() || found.older > 0;
    if args.last {
        found = newest_in(found, settings)?;
    }
    let (mut met, mut calls) = (Vec::new(), Vec::new());
    let of_page = args.format()? == ReportFormat::Html && !args.anonymise;
    let analysis = replayed(&found, settings, (&mut met, of_page.then_some(&mut calls)), (None, only, None))?;
    only.map_or(Ok(()), |only| only.is_known(&analysis))?;
    let nothing = (analysis.totals.calls == 0).then(|| match since.filter(|_| is_any) {
        Some(since) => format!("no call is as new as --since {since}; look further back, as with --since 365d"),
        None if is_own => "no session with a call was found; Claude Code keeps them below ~/.claude/projects, Codex \
                               below ~/.codex/sessions, and `failwise report PATH` reads another place"
            .to_owned(),
        None => "no call is in what was named; name session files, or a folder of them".to_owned(),
    });
    // A digest of one session is short, and nothing recurs in it.
    let lead = if args.last { ReportLead::default() } else { lead_of(&met) };
    Ok((analysis, ReportLead { calls, ..lead }, nothing))
}

/// The session with the newest call. A file is newer than what it tells, and one that was copied by far: files are read from the
/// one that was written last until the rest is older than what was found.
fn newest_in(found: FoundFiles, settings: &Arc<Chosen>) -> Result<FoundFiles, crate::CommandFailure> {
    let only = |sessions: Vec<Session>| FoundFiles { sessions, ..FoundFiles::default() };
    // What is piped in can be read once.
    if found.sessions.iter().flat_map(|session| &session.files).any(|file| file.path().is_none()) {
        return Ok(found);
    }
    let written = |session: &Session| session.files.iter().filter_map(|file| changed(file.path()?)).max();
    let mut sessions = found.sessions;
    sessions.sort_by_key(|session| std::cmp::Reverse(written(session)));
    let later = sessions.split_off(sessions.len().min(1));
    let mut newest: Option<(String, String, Session)> = None;
    for mut batch in [sessions, later] {
        let known = newest.as_ref().and_then(|(ended, ..)| failwise::time::parse(ended)).map(SystemTime::from);
        batch.retain(|session| written(session) >= known);
        let (mut batch, mut best) = (only(batch), None);
        readings(&batch, settings, (None, false, false), |number, read| {
            let with_calls = read.analysis.sessions.into_iter().filter(|session| session.counters.calls > 0);
            best = with_calls.map(|it| (it.ended.unwrap_or_default(), it.id, number)).chain(best.take()).max();
        })?;
        if let Some((ended, id, number)) = best.filter(|(ended, ..)| newest.as_ref().is_none_or(|it| it.0 < *ended)) {
            newest = Some((ended, id, batch.sessions.swap_remove(number)));
        }
    }
    Ok(only(newest.map(|(_, id, session)| session.of_session(&id)).into_iter().collect()))
}

fn changed(file: &Path) -> Option<SystemTime> {
    fs_err::metadata(file).ok()?.modified().ok()
}

/// The only project that is asked about, where there is one.
type OnlyOne<'o> = Option<&'o inputs::OneProject>;

/// Hands over what each of the sessions comes to, with its place among those that were found; with what it met that could be
/// changed, where that is asked for, and of sessions that were read before what `recalled` has of them.
pub(crate) fn readings(
    found: &FoundFiles,
    settings: &Arc<Chosen>,
    (recalled, asks_changes, asks_calls): (Option<&inputs::RecalledReadings>, bool, bool),
    mut take: impl FnMut(usize, Replayed),
) -> Result<(), crate::CommandFailure> {
    let ruleset = crate::replay::known_ruleset("default")?;
    let mut known = BTreeMap::new();
    let replay = || {
        let replay = Replay::new(ruleset).with_settings(Arc::clone(settings)).with_guard().without_rows();
        let replay = if asks_calls { replay.with_calls(false) } else { replay };
        if asks_changes { replay.with_changes() } else { replay }
    };
    inputs::replay_each(found, recalled, replay, |number, mut replayed| {
        crate::lessons::name_projects(&mut replayed.met, &mut known);
        replayed.analysis = in_projects(replayed.analysis, &replayed.met);
        take(number, replayed);
    })
}

/// The same as one, with what each session met that could be changed, and its failed calls, where `calls` is to take them; of
/// sessions that were read before what `recalled` has of them, and only what ended before `until`.
fn replayed(
    found: &FoundFiles,
    settings: &Arc<Chosen>,
    (met, mut calls): (&mut Vec<MetSession>, Option<&mut Vec<LinkedCall>>),
    (recalled, only, until): (Option<&inputs::RecalledReadings>, OnlyOne<'_>, Option<i64>),
) -> Result<Analysis, crate::CommandFailure> {
    let mut joined = Joined::default();
    readings(found, settings, (recalled, true, calls.is_some()), |_, read| {
        let ended = read.analysis.generated_from.last_ts.as_deref().and_then(failwise::time::millis);
        if only.is_some_and(|only| !only.is_of(&read.analysis, &read.met))
            || until.is_some_and(|until| ended.is_none_or(|it| it >= until))
        {
            return;
        }
        if let Some(calls) = &mut calls {
            calls.extend(LinkedCall::of(&read.calls));
        }
        joined.add(read.analysis);
        met.extend(read.met);
    })?;
    let mut analysis = joined.settled();
    analysis.tell_later_passes(met);
    Ok(analysis)
}

/// With the projects of its sessions as people call them: all worktrees of a repository are one.
fn in_projects(mut part: Analysis, met: &[MetSession]) -> Analysis {
    for session in &mut part.sessions {
        let named = met.iter().find(|met| met.session == session.id && met.root.is_some());
        session.project = named.map(|met| met.project.1.clone()).or(session.project.take());
    }
    part
}

fn write(
    args: &ReportArgs,
    output: Option<&Path>,
    format: ReportFormat,
    (analysis, lead): (&Analysis, &ReportLead),
) -> Result<(), crate::CommandFailure> {
    if args.week {
        let adopted =
            if args.paths.is_empty() && !args.anonymise { crate::lessons::effects_told()? } else { Vec::new() };
        let text = report::week(analysis, lead, &adopted);
        return match output {
            None => Ok(std::io::stdout().lock().write_all(text.as_bytes())?),
            Some(path) => Ok(fs_err::write(path, text)?),
        };
    }
    let Some(path) = output else {
        return rendered(std::io::stdout().lock(), args, format, (analysis, lead), Style::for_stdout());
    };
    rendered(fs_err::File::create(path)?, args, format, (analysis, lead), Style::plain())?;
    note_line(format_args!("written: {}", shown_path(path)));
    if args.open {
        outputs::open_page(path)?;
    }
    Ok(())
}

fn rendered(
    out: impl Write,
    args: &ReportArgs,
    format: ReportFormat,
    (analysis, lead): (&Analysis, &ReportLead),
    style: Style,
) -> Result<(), crate::CommandFailure> {
    let mut out = BufWriter::new(out);
    match format {
        ReportFormat::Text => {
            let lines = if args.last { report::digest(analysis) } else { report::brief(analysis, lead) };
            write_lines(&mut out, &lines, style)?;
            write_lines(&mut out, &unpriced(analysis), style)?;
            let next = "failwise show ID, failwise lessons --write --only ID, failwise report --open".to_owned();
            // A digest with open work ends with what to do first.
            let is_said = args.last && lines.last().is_some_and(|(name, _)| *name == "do first");
            write_lines(&mut out, &Vec::from_iter((!is_said).then_some(("next", next))), style)?;
        }
        ReportFormat::Html => report::html(analysis, lead, &mut out)?,
        ReportFormat::Md => out.write_all(report::markdown(analysis, lead).as_bytes())?,
        ReportFormat::Csv => report::csv(analysis, lead, &mut out)?,
        ReportFormat::Json => report::json(analysis, lead, &mut out)?,
    }
    Ok(out.flush()?)
}

/// What is left out of the money, where any is told.
fn unpriced(analysis: &Analysis) -> Vec<report::BriefLine> {
    let told = analysis.totals.money_in_failure > Money::default();
    analysis.unpriced().filter(|_| told).map(|text| ("unpriced", text)).into_iter().collect()
}

fn write_lines(out: &mut impl Write, lines: &[report::BriefLine], style: Style) -> std::io::Result<()> {
    for (name, said) in lines {
        writeln!(out, "  {} {}", style.bold(&format!("{name:<11}")), style.hanging(&shown(said, 400), 14))?;
    }
    Ok(())
}
