//! `failwise report`, and `failwise` alone: what the failures of past sessions cost.

use std::fs::OpenOptions;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use chrono::{TimeDelta, Utc};
use clap::ValueEnum;
use failwise::classify::ruleset;
use failwise::error::Error;
use failwise::exit::Exit;
use failwise::journal::KeptSessions;
use failwise::replay::Analysis;
use failwise::report;

use crate::data::age;
use crate::style::{Style, escaped, shown};

/// Report what the failures of your agents cost: a page, Markdown, a table, or a few lines
///
/// Without a PATH it reads the sessions that Claude Code keeps for you (~/.claude/projects) of the last 30 days, and
/// remembers their sums, because the client deletes sessions after some weeks. With a PATH it reads that and stores
/// nothing. A page is one file that holds everything and opens without a network.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    failwise report -o report.html           a page of your last 30 days\n  \
    failwise report --last                   the newest session: what failed, what is open, what to do first\n  \
    failwise report run.jsonl --format md --step-summary --fail-on unresolved,masked\n                                           \
    in GitHub Actions: a summary, and exit 1 where something is unresolved or hidden\n\n\
    Exit codes: 0 done, 1 something named by --fail-on was met, 64 wrong command line, 65 unreadable input,\n\
    74 a file could not be read or written.")]
pub(crate) struct Args {
    /// Transcripts, histories, or folders of them; your own sessions where none is given
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Write the report to a file; its ending (.html, .md, .csv, .json) says the format
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// How it is written; a few lines of text where neither this nor --output says otherwise
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Only the newest session, as a digest of what is left to do
    #[arg(long)]
    last: bool,
    /// How far back your own sessions are read: 30d, 12h or 4w
    #[arg(long, value_name = "AGE", default_value = "30d", value_parser = age, conflicts_with = "paths")]
    since: TimeDelta,
    /// Also append the report as Markdown to the file that `GITHUB_STEP_SUMMARY` names
    #[arg(long)]
    step_summary: bool,
    /// End with 1 where one of these was met
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHAT")]
    fail_on: Vec<Wrong>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A few lines for people
    Text,
    /// One page that holds everything
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

pub(crate) fn run(args: &Args) -> crate::Outcome {
    let format = args.format()?;
    let analysis = if args.paths.is_empty() { own_sessions(args.since, args.last)? } else { of_paths(args)? };
    write(args, format, &analysis)?;
    if args.step_summary {
        append_step_summary(&report::markdown(&analysis))?;
    }
    let met: Vec<String> = args.fail_on.iter().filter_map(|wrong| wrong.met(&analysis)).collect();
    if met.is_empty() {
        return Ok(Exit::Ok);
    }
    writeln!(std::io::stderr(), "failwise: {}", met.join(", "))?;
    Ok(Exit::Differs)
}

/// `failwise` alone: the lines that matter of the last 30 days, and where more is.
pub(crate) fn bare() -> crate::Outcome {
    let analysis = own_sessions(TimeDelta::days(30), false)?;
    let mut out = std::io::stdout().lock();
    let style = Style::for_stdout();
    writeln!(out, "{}", style.bold("What failed in the last 30 days"))?;
    write_lines(&mut out, &report::brief(&analysis), style)?;
    writeln!(out, "\nMore: failwise report -o report.html, failwise report --last, failwise --help")?;
    Ok(Exit::Ok)
}

impl Args {
    /// The format that was asked for, by name or by the ending of the file.
    fn format(&self) -> Result<Format, Error> {
        let ending = self.output.as_ref().map(|path| path.extension().unwrap_or_default().to_ascii_lowercase());
        let format = match (self.format, &ending) {
            (Some(format), _) => format,
            (None, None) => Format::Text,
            (None, Some(ending)) => of_ending(&ending.to_string_lossy()).ok_or_else(|| {
                Error::usage("the ending of the file says no format")
                    .hint("end it in .html, .md, .csv, .json or .txt, or give --format")
            })?,
        };
        if format == Format::Html && ending.is_none() && std::io::stdout().is_terminal() {
            return Err(Error::usage("a page is not for a terminal").hint("write it to a file: -o report.html"));
        }
        Ok(format)
    }
}

fn of_ending(ending: &str) -> Option<Format> {
    match ending {
        "html" | "htm" => Some(Format::Html),
        "md" => Some(Format::Md),
        "csv" => Some(Format::Csv),
        "json" => Some(Format::Json),
        "txt" => Some(Format::Text),
        _ => None,
    }
}

impl Wrong {
    /// What was met of it, in words.
    fn met(self, analysis: &Analysis) -> Option<String> {
        let totals = &analysis.totals;
        let (number, words) = match self {
            Self::Unresolved => {
                let open = totals.endings.iter().filter(|(ended, _)| ended.is_unresolved()).map(|(_, number)| number);
                (open.sum(), "episodes that never passed")
            }
            Self::Masked => (totals.masked, "failures behind an exit status of 0"),
            Self::Loop => (totals.loops, "loops"),
        };
        (number > 0).then(|| format!("{number} {words}"))
    }
}

// --- what is read -----------------------------------------------------------------------------------------

fn of_paths(args: &Args) -> Result<Analysis, crate::Failure> {
    let mut files: Vec<PathBuf> = args.paths.iter().flat_map(|path| crate::replay::files_of(path)).collect();
    if files.is_empty() {
        return Err(Error::unreadable("no .jsonl file lies below what was given")
            .hint("transcripts lie below ~/.claude/projects")
            .into());
    }
    if args.last {
        keep_newest(&mut files);
    }
    analysed(&files)
}

/// The sessions that the client keeps for this user, and the sums of those that it has deleted.
fn own_sessions(since: TimeDelta, last: bool) -> Result<Analysis, crate::Failure> {
    let now = Utc::now();
    let mut files = own_files();
    if last {
        keep_newest(&mut files);
        return analysed(&files);
    }
    files.retain(|file| changed(file).is_some_and(|at| now.signed_duration_since(at) <= since));
    let analysis = analysed(&files)?;
    let Some(kept) = KeptSessions::of_user(&crate::env) else { return Ok(analysis) };
    let from = now.checked_sub_signed(since).map(|from| from.to_rfc3339_opts(chrono::SecondsFormat::Secs, true));
    let gone = kept.read().into_iter().filter(|session| session.started >= from).collect();
    // A report is worth having where nothing can be kept.
    if let Err(error) = kept.add(&analysis.sessions) {
        writeln!(
            std::io::stderr(),
            "failwise: the sums of these sessions were not kept: {}",
            shown(&error.to_string(), 200)
        )?;
    }
    Ok(report::with_remembered(analysis, gone))
}

/// The client's transcripts of this user.
fn own_files() -> Vec<PathBuf> {
    let config = crate::env("CLAUDE_CONFIG_DIR").map(PathBuf::from);
    let config = config.or_else(|| crate::env("HOME").map(|home| PathBuf::from(home).join(".claude")));
    config
        .map(|config| config.join("projects"))
        .filter(|dir| dir.is_dir())
        .map(|dir| crate::replay::files_of(&dir))
        .unwrap_or_default()
}

fn changed(file: &Path) -> Option<chrono::DateTime<Utc>> {
    Some(std::fs::metadata(file).ok()?.modified().ok()?.into())
}

/// Leaves the newest session: its file, and those of its subagents in the folder of the same name.
fn keep_newest(files: &mut Vec<PathBuf>) {
    let is_of_subagent =
        |file: &Path| file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("agent-"));
    let main =
        files.iter().filter(|file| !is_of_subagent(file)).max_by_key(|file| (changed(file), (*file).clone())).cloned();
    let Some(main) = main else { return files.clear() };
    let folder = main.with_extension("");
    files.retain(|file| *file == main || file.starts_with(&folder));
}

fn analysed(files: &[PathBuf]) -> Result<Analysis, crate::Failure> {
    let ruleset = ruleset("default").ok_or_else(|| Error::usage("the default ruleset is missing"))?;
    let mut replay = failwise::replay::Replay::new(ruleset);
    let mut base = 0;
    for file in files {
        base += crate::replay::feed(&mut replay, file, base)?;
    }
    Ok(replay.finish().analysis)
}

// --- what is written --------------------------------------------------------------------------------------

fn write(args: &Args, format: Format, analysis: &Analysis) -> Result<(), crate::Failure> {
    let Some(path) = &args.output else {
        return rendered(&mut std::io::stdout().lock(), args, format, analysis, Style::for_stdout());
    };
    let mut text = Vec::new();
    rendered(&mut text, args, format, analysis, Style::plain())?;
    std::fs::write(path, text).map_err(|error| at(path, &error))?;
    writeln!(std::io::stderr(), "written: {}", shown(&path.to_string_lossy(), 300))?;
    Ok(())
}

fn rendered(
    out: &mut impl Write,
    args: &Args,
    format: Format,
    analysis: &Analysis,
    style: Style,
) -> Result<(), crate::Failure> {
    match format {
        Format::Text if args.last => write_lines(out, &report::digest(analysis), style)?,
        Format::Text => write_lines(out, &report::brief(analysis), style)?,
        Format::Html => out.write_all(report::html(analysis)?.as_bytes())?,
        Format::Md => out.write_all(report::markdown(analysis).as_bytes())?,
        Format::Csv => {
            let table = report::csv(analysis).map_err(|error| Error::unreadable(error.to_string()))?;
            out.write_all(table.as_bytes())?;
        }
        Format::Json => writeln!(out, "{}", escaped(&serde_json::to_string_pretty(&report::json(analysis)?)?))?,
    }
    Ok(())
}

fn write_lines(out: &mut impl Write, lines: &[report::Said], style: Style) -> std::io::Result<()> {
    for (name, said) in lines {
        writeln!(out, "  {} {}", style.bold(&format!("{name:<11}")), shown(said, 400))?;
    }
    Ok(())
}

/// Appends to the file that GitHub Actions shows beside a run.
fn append_step_summary(text: &str) -> Result<(), crate::Failure> {
    let path =
        crate::env("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()).map(PathBuf::from).ok_or_else(|| {
            Error::usage("GITHUB_STEP_SUMMARY is not set")
                .hint("--step-summary is for GitHub Actions; elsewhere take -o report.md")
        })?;
    let mut file = OpenOptions::new().append(true).create(true).open(&path).map_err(|error| at(&path, &error))?;
    file.write_all(text.as_bytes()).map_err(|error| at(&path, &error))?;
    Ok(())
}

/// An error that names the file it is about.
fn at(path: &Path, error: &std::io::Error) -> Error {
    std::io::Error::new(error.kind(), format!("{}: {error}", path.display())).into()
}
