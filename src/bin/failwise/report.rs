//! `failwise report`, and `failwise` alone: what the failures of past sessions cost.

use std::io::{BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use clap::ValueEnum;
use failwise::changes::MetSession;
use failwise::error::Error;
use failwise::exit::Exit;
use failwise::model::Money;
use failwise::place::session_folders;
use failwise::replay::{Analysis, Chosen, Joined, Replay};
use failwise::report;
use failwise::sessions::{self, FoundFiles, Session};
use failwise::time::stamp_of;
use fs_err::OpenOptions;

use crate::inputs;
use crate::style::{Style, shown};

/// Report the cost of your agents' failures: as a page, Markdown, a table, or a few lines
///
/// Without a PATH it reads Claude Code's sessions (~/.claude/projects) and your own histories of the last 30 days. It
/// keeps their totals, because the client deletes sessions after some weeks. With a PATH it reads the same inputs as
/// `failwise replay`, and stores nothing. The page is one self-contained file and opens without a network.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    failwise report -o report.html           a page of your last 30 days\n  \
    failwise report --last                   the newest session: failures, open work, first steps\n  \
    failwise report run.jsonl --format md --step-summary --fail-on unresolved,masked\n                                           \
    in GitHub Actions: a summary, and exit 1 if something is unresolved or hidden\n\n\
    Exit codes: 0 done, 1 a --fail-on condition was found, 64 wrong command line, 65 unreadable input, 74 a file \
    could not be read or written.")]
pub(crate) struct ReportArgs {
    /// Transcripts, histories, or folders of them; by default your own sessions
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
    /// Leave out older sessions: a duration such as 30d, 12h or 2w, or a date such as 2026-03-01. The default is 30d for
    /// your own sessions
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Settings file for all sessions, such as .claude/failwise.toml, or `none`. By default the current project's
    /// settings, for sessions that began in it
    #[arg(long, value_name = "FILE|none")]
    settings: Option<PathBuf>,
    /// Also append the report as Markdown to the file named by `GITHUB_STEP_SUMMARY`
    #[arg(long)]
    step_summary: bool,
    /// Exit with 1 if one of these is found
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHAT")]
    fail_on: Vec<Wrong>,
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

/// What may be wrong enough to fail a pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Wrong {
    /// An episode never passed
    Unresolved,
    /// A failure hid behind an exit status of 0
    Masked,
    /// The same call came again and again
    Loop,
}

/// What is reported: the sessions, and the changes that lead the report.
type LedAnalysis = (Analysis, Vec<report::Lesson>);

/// How far back a person's own sessions are read.
const MONTH: &str = "30d";

pub(crate) fn run(args: &ReportArgs) -> crate::CommandOutcome {
    let format = args.format()?;
    let settings = inputs::settings(args.settings.as_deref())?;
    // A digest of one session is short, and nothing recurs in it.
    let (analysis, lessons) = match args.paths.as_slice() {
        [] if args.last => (newest_of_own(args.since.as_deref(), &settings)?, Vec::new()),
        [] => own_sessions(args.since.as_deref().unwrap_or(MONTH), &settings)?,
        _ => of_paths(args, &settings)?,
    };
    write(args, format, &analysis, &lessons)?;
    if args.step_summary {
        append_step_summary(&report::markdown(&analysis, &lessons))?;
    }
    let met: Vec<String> = args.fail_on.iter().filter_map(|wrong| wrong.met(&analysis)).collect();
    if met.is_empty() {
        return Ok(Exit::Ok);
    }
    writeln!(std::io::stderr(), "failwise: {}", met.join(", "))?;
    Ok(Exit::Differs)
}

/// `failwise` alone: the lines that matter of the last 30 days, and where more is.
pub(crate) fn bare() -> crate::CommandOutcome {
    let (analysis, lessons) = own_sessions(MONTH, &inputs::settings(None)?)?;
    let mut out = std::io::stdout().lock();
    let style = Style::for_stdout();
    writeln!(out, "{}", style.bold("What failed in the last 30 days"))?;
    write_lines(&mut out, &report::brief(&analysis, &lessons), style)?;
    write_lines(&mut out, &unpriced(&analysis), style)?;
    writeln!(
        out,
        "\nMore: failwise lessons, failwise show ID, failwise report -o report.html, failwise report --last, failwise --help"
    )?;
    Ok(Exit::Ok)
}

impl ReportArgs {
    /// The format that was asked for, by name or by the ending of the file.
    fn format(&self) -> Result<ReportFormat, Error> {
        let ending = self.output.as_ref().map(|path| path.extension().unwrap_or_default().to_ascii_lowercase());
        let format = match (self.format, &ending) {
            (Some(format), _) => format,
            (None, None) => ReportFormat::Text,
            (None, Some(ending)) => of_ending(&ending.to_string_lossy()).ok_or_else(|| {
                Error::usage("the ending of the file says no format")
                    .hint("end it in .html, .md, .csv, .json or .txt, or give --format")
            })?,
        };
        if format == ReportFormat::Html && ending.is_none() && std::io::stdout().is_terminal() {
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

impl Wrong {
    /// What was met of it, in words.
    fn met(self, analysis: &Analysis) -> Option<String> {
        let totals = &analysis.totals;
        let (number, one, more) = match self {
            Self::Unresolved => {
                let open = totals.endings.iter().filter(|(ended, _)| ended.is_unresolved()).map(|(_, number)| number);
                (open.sum(), "episode that never passed", "episodes that never passed")
            }
            Self::Masked => {
                (totals.masked, "failure behind an exit status of 0", "failures behind an exit status of 0")
            }
            Self::Loop => (totals.loops, "loop", "loops"),
        };
        (number > 0).then(|| format!("{number} {}", if number == 1 { one } else { more }))
    }
}

fn of_paths(args: &ReportArgs, settings: &Arc<Chosen>) -> Result<LedAnalysis, crate::CommandFailure> {
    let mut found = inputs::find(&args.paths, args.since.as_deref())?;
    if args.last {
        keep_newest(&mut found);
    }
    let mut met = Vec::new();
    let analysis = replayed(&found, settings, (!args.last).then_some(&mut met))?;
    tell_if_empty(&analysis, args.since.as_deref());
    Ok((analysis, crate::lessons::costliest(met, crate::kb::now())))
}

/// The newest session that this user's machine still has, however old it is where nothing else is asked for.
fn newest_of_own(since: Option<&str>, settings: &Arc<Chosen>) -> Result<Analysis, crate::CommandFailure> {
    let from = since.map(inputs::since_of).transpose()?;
    let mut found = sessions::find(&session_folders(&crate::env), from)?;
    let is_any = is_any(&found);
    keep_newest(&mut found);
    let analysis = analysed(&found, settings)?;
    tell_if_empty(&analysis, since.filter(|_| is_any));
    Ok(analysis)
}

/// The sessions that this user's machine still has, and the sums of those that the client has deleted; with the three
/// changes that would end most of what recurs in them.
fn own_sessions(since: &str, settings: &Arc<Chosen>) -> Result<LedAnalysis, crate::CommandFailure> {
    let from = inputs::since_of(since)?;
    let found = sessions::find(&session_folders(&crate::env), Some(from))?;
    let mut met = Vec::new();
    let analysis = with_kept(replayed(&found, settings, Some(&mut met))?, from)?;
    tell_if_empty(&analysis, Some(since).filter(|_| is_any(&found)));
    Ok((analysis, crate::lessons::costliest(met, crate::kb::now())))
}

/// Whether there is any session, be it older than asked.
fn is_any(found: &FoundFiles) -> bool {
    !found.sessions.is_empty() || found.older > 0
}

/// Says on stderr where to look when nothing was found. `since`: how far back was looked, where older sessions may be.
fn tell_if_empty(analysis: &Analysis, since: Option<&str>) {
    if analysis.totals.calls > 0 {
        return;
    }
    let said = match since {
        Some(since) => format!("no call is as new as --since {since}; look further back, as with --since 365d"),
        None => "no session with a call was found; Claude Code keeps them below ~/.claude/projects, and `failwise report PATH` \
                 reads another place"
            .to_owned(),
    };
    inputs::warn(&said);
}

/// With the sums that were kept of sessions whose files are gone; keeps those of the others.
fn with_kept(analysis: Analysis, since: i64) -> Result<Analysis, crate::CommandFailure> {
    let Some(kept) = crate::data::kept_sessions() else { return Ok(analysis) };
    let from = stamp_of(since);
    let gone = kept.read().into_iter().filter(|session| session.started >= from).collect();
    // A report is worth having where nothing can be kept.
    if let Err(error) = kept.add(&analysis.sessions) {
        let reason = shown(&error.to_string(), 200);
        writeln!(std::io::stderr(), "failwise: the sums of these sessions were not kept: {reason}")?;
    }
    Ok(report::with_remembered(analysis, gone))
}

/// Leaves the session that was written to last. A history counts only where there is nothing else: it may hold many.
fn keep_newest(found: &mut FoundFiles) {
    let newest = |session: &Session| session.files.iter().filter_map(|file| changed(file.path()?)).max();
    let newest = found.sessions.drain(..).max_by_key(|session| (session.id.is_some(), newest(session)));
    found.sessions = newest.into_iter().collect();
}

fn changed(file: &Path) -> Option<SystemTime> {
    fs_err::metadata(file).ok()?.modified().ok()
}

fn analysed(found: &FoundFiles, settings: &Arc<Chosen>) -> Result<Analysis, crate::CommandFailure> {
    replayed(found, settings, None)
}

/// The same, with what each session met that could be changed, where `met` is to take it.
fn replayed(
    found: &FoundFiles,
    settings: &Arc<Chosen>,
    mut met: Option<&mut Vec<MetSession>>,
) -> Result<Analysis, crate::CommandFailure> {
    let ruleset = crate::replay::known_ruleset("default")?;
    let mut joined = Joined::default();
    let asks_changes = met.is_some();
    let replay = || {
        let replay = Replay::new(ruleset).with_settings(Arc::clone(settings)).with_guard().without_rows();
        if asks_changes { replay.with_changes() } else { replay }
    };
    inputs::replay_each(found, replay, |_, replayed| {
        if let Some(met) = &mut met {
            met.extend(replayed.met);
        }
        joined.add(replayed.analysis);
    })?;
    Ok(joined.settled())
}

fn write(
    args: &ReportArgs,
    format: ReportFormat,
    analysis: &Analysis,
    lessons: &[report::Lesson],
) -> Result<(), crate::CommandFailure> {
    let Some(path) = &args.output else {
        return rendered(std::io::stdout().lock(), args, format, (analysis, lessons), Style::for_stdout());
    };
    rendered(fs_err::File::create(path)?, args, format, (analysis, lessons), Style::plain())?;
    writeln!(std::io::stderr(), "written: {}", shown(&path.to_string_lossy(), 300))?;
    Ok(())
}

fn rendered(
    out: impl Write,
    args: &ReportArgs,
    format: ReportFormat,
    (analysis, lessons): (&Analysis, &[report::Lesson]),
    style: Style,
) -> Result<(), crate::CommandFailure> {
    let mut out = BufWriter::new(out);
    match format {
        ReportFormat::Text => {
            let lines = if args.last { report::digest(analysis) } else { report::brief(analysis, lessons) };
            write_lines(&mut out, &lines, style)?;
            write_lines(&mut out, &unpriced(analysis), style)?;
        }
        ReportFormat::Html => report::html(analysis, lessons, &mut out)?,
        ReportFormat::Md => out.write_all(report::markdown(analysis, lessons).as_bytes())?,
        ReportFormat::Csv => report::csv(analysis, &mut out)?,
        ReportFormat::Json => report::json(analysis, lessons, &mut out)?,
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
        writeln!(out, "  {} {}", style.bold(&format!("{name:<11}")), shown(said, 400))?;
    }
    Ok(())
}

/// Appends to the file that GitHub Actions shows beside a run.
fn append_step_summary(text: &str) -> Result<(), crate::CommandFailure> {
    let path =
        crate::env("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()).map(PathBuf::from).ok_or_else(|| {
            Error::usage("GITHUB_STEP_SUMMARY is not set")
                .hint("--step-summary is for GitHub Actions; elsewhere take -o report.md")
        })?;
    OpenOptions::new().append(true).create(true).open(path)?.write_all(text.as_bytes())?;
    Ok(())
}
