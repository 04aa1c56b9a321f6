//! `failwise replay`: what the rules say of past sessions.

use std::io::{IsTerminal, Write};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;

use clap::ValueEnum;
use failwise::classify::{Ruleset, ruleset};
use failwise::error::Error;
use failwise::exit::Exit;
use failwise::host::payload::Kind;
use failwise::host::transcript::Entry;
use failwise::model::{Class, Outcome};
use failwise::replay::{Replay, Row, RowAnswer, Summary};
use failwise::sessions::{FileRead, Item, Session, each};

use crate::inputs::{Progress, broken_files};
use crate::style::{Style, escaped, shown};

/// Replay transcripts and histories: every failed call with its verdict, and a summary
///
/// Takes Claude Code transcripts (~/.claude/projects/*/*.jsonl), streams of `claude -p --output-format stream-json`, logs
/// of hook payloads and Failwise's own history.jsonl, also compressed by gzip; what a file is, its first lines tell. There
/// is one row for every result that the client marked as an error, and for masked and later background failures. Nothing
/// is written.
///
/// Example: failwise replay ~/.claude/projects --since 7d
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Files to replay, or `-` for standard input; of a folder every .jsonl or .jsonl.gz below it
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// How rows are printed
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// Rules that decide: default, or classic (the inherited nine, to the letter)
    #[arg(long, default_value = "default", value_name = "NAME")]
    ruleset: String,
    /// End with 1 where a recorded verdict differs from the one that the rules give now
    #[arg(long)]
    check: bool,
    /// Leave out what is older: a span such as 30d, 12h or 2w, or a date such as 2026-03-01
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// How many sessions are read at once; by default as many as there are processors. The result is the same
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Table,
    /// One JSON object a row; the summary goes to stderr
    Jsonl,
}

pub(crate) fn run(args: &Args) -> crate::Outcome {
    let ruleset = known_ruleset(&args.ruleset)?;
    let found = crate::inputs::find(&args.paths, args.since.as_deref())?;
    let mut output = Output { format: args.format, style: Style::for_stdout(), out: std::io::stdout().lock() };
    let mut summary = Summary::default();
    let mut broken = Vec::new();
    let mut printed = Ok(());
    let progress = Progress::start(found.bytes(), !std::io::stdout().is_terminal());
    let work = |session: &Session| play(session, ruleset, progress.counter());
    each(&found.sessions, crate::inputs::threads(args.threads), work, |session, (rows, sum, reads)| {
        summary.join(&sum);
        broken.extend(broken_files(session, &reads));
        printed = output.rows(&rows);
        if printed.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    drop(progress);
    printed?;
    crate::inputs::tell_broken(&broken, found.files())?;
    output.summary(&summary)?;
    Ok(if args.check && summary.differing > 0 { Exit::Differs } else { Exit::Ok })
}

/// Replays one session: its rows, their sum, and how each of its files could be read.
fn play(session: &Session, ruleset: &'static Ruleset, counter: &AtomicU64) -> (Vec<Row>, Summary, Vec<FileRead>) {
    let mut replay = Replay::new(ruleset);
    let reads = session.read(counter, |item| match item {
        Item::Entry { entry, .. } => feed(&mut replay, &entry),
        Item::Event { event, at, .. } => replay.event(*event, at),
    });
    for (reason, count) in reads.iter().flat_map(|read| &read.skipped) {
        replay.skipped(reason, *count);
    }
    let (rows, summary) = replay.finish();
    (rows, summary, reads)
}

/// The ruleset that a person names.
pub(crate) fn known_ruleset(name: &str) -> Result<&'static Ruleset, Error> {
    ruleset(name).ok_or_else(|| {
        Error::usage(format!("there is no ruleset `{}`", shown(name, 40))).hint("take `default` or `classic`")
    })
}

fn feed(replay: &mut Replay, entry: &Entry) {
    let ts = entry.ts.as_deref().unwrap_or_default();
    let Some(kind) = entry.told.event() else { return };
    match kind {
        Kind::Call(call) | Kind::ApiError(call) | Kind::Report(call) => replay.call(call, entry.marked_error, ts),
        Kind::Batch(calls) => calls.iter().for_each(|call| replay.call(call, entry.marked_error, ts)),
        Kind::Background { call, .. } => replay.background(call, ts),
        Kind::Prompt => replay.prompt(&entry.ids, ts),
        Kind::Before(_) | Kind::SessionStart { .. } | Kind::Stop { .. } | Kind::Other => {}
    }
}

/// Where rows go.
struct Output<W> {
    format: Format,
    style: Style,
    out: W,
}

impl<W: Write> Output<W> {
    fn rows(&mut self, rows: &[Row]) -> Result<(), crate::Failure> {
        let mut out = std::io::BufWriter::new(&mut self.out);
        for row in rows {
            match self.format {
                Format::Table => print_row(&mut out, row, self.style)?,
                Format::Jsonl => writeln!(out, "{}", escaped(&serde_json::to_string(row)?))?,
            }
        }
        out.flush()?;
        Ok(())
    }

    fn summary(&mut self, summary: &Summary) -> Result<(), crate::Failure> {
        match self.format {
            Format::Table => print_summary(&mut self.out, summary, self.style)?,
            Format::Jsonl => writeln!(std::io::stderr(), "{}", serde_json::to_string(summary)?)?,
        }
        self.out.flush()?;
        Ok(())
    }
}

fn print_row(out: &mut impl Write, row: &Row, style: Style) -> std::io::Result<()> {
    let clock = format!("{:<8}", shown(row.ts.get(11..19).unwrap_or_default(), 8));
    match &row.answer {
        RowAnswer::Verdict(verdict) => {
            let class = class_in_colour(verdict.class, style);
            let what = format!("{:<20}", verdict.category.as_str());
            let masked = if verdict.outcome == Outcome::MaskedFailure { "masked " } else { "" };
            let attempt = if verdict.attempt > 1 { format!(" (attempt {})", verdict.attempt) } else { String::new() };
            let command = name_of(row, &verdict.operation.0);
            writeln!(out, "{} {class}  {what} {masked}{}{attempt}", style.dim(&clock), style.bold(&command))?;
            // The category stands in the row above.
            let saw: Vec<&str> =
                verdict.evidence.iter().map(String::as_str).filter(|saw| !saw.starts_with("category=")).collect();
            let saw = shown(&saw.join("; "), 100);
            writeln!(out, "             {} {}", style.dim(&verdict.rule), style.dim(&saw))?;
        }
        RowAnswer::NotFailure { outcome, evidence, operation, .. } => {
            let command = name_of(row, operation);
            writeln!(out, "{} {}  {:<20} {command}", style.dim(&clock), style.green("--"), outcome.as_str())?;
            if !evidence.is_empty() {
                writeln!(out, "             {}", style.dim(&shown(&evidence.join("; "), 100)))?;
            }
        }
    }
    for difference in &row.differs {
        let line = format!("recorded {} = {}, now {}", difference.field, difference.recorded, difference.now);
        writeln!(out, "             {}", style.red(&shown(&line, 160)))?;
    }
    Ok(())
}

/// A call as it was typed, or what it comes down to where that is long.
fn name_of(row: &Row, operation: &str) -> String {
    const WIDTH: usize = 70;
    let fits = !row.input.is_empty() && row.input.chars().count() <= WIDTH && !row.input.contains('\n');
    let target = if row.tool == "Bash" { row.input.clone() } else { format!("{} {}", row.tool, row.input) };
    shown(if fits { &target } else { operation }, WIDTH)
}

fn class_in_colour(class: Class, style: Style) -> String {
    match class {
        Class::F1 => style.yellow(class.as_str()),
        Class::F2 => style.bold(class.as_str()),
        _ => style.red(class.as_str()),
    }
}

fn print_summary(out: &mut impl Write, summary: &Summary, style: Style) -> std::io::Result<()> {
    let list = |counts: &std::collections::BTreeMap<String, u64>| {
        let mut pairs: Vec<(&String, &u64)> = counts.iter().collect();
        pairs.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
        pairs.iter().map(|(word, count)| format!("{word} {count}")).collect::<Vec<_>>().join(", ")
    };
    let rows: u64 = summary.outcomes.values().sum();
    writeln!(out, "\n{}", style.bold(&format!("{} calls, {rows} that did not simply succeed", summary.calls)))?;
    let lines = [
        ("outcomes", list(&summary.outcomes)),
        ("classes", list(&summary.classes)),
        ("categories", list(&summary.categories)),
        ("left out", list(&summary.skipped)),
    ];
    for (name, text) in lines.iter().filter(|(_, text)| !text.is_empty()) {
        writeln!(out, "  {name:<11} {text}")?;
    }
    if summary.unchanged_retries > 0 {
        writeln!(out, "  {:<11} {} retries with nothing changed in between", "repeats", summary.unchanged_retries)?;
    }
    if summary.differing > 0 {
        writeln!(out, "  {:<11} {} recorded verdicts", "differing", summary.differing)?;
    }
    Ok(())
}
