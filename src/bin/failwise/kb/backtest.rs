//! `failwise kb backtest`: what would have been told on past sessions, and what the agent then did.

use std::io::{IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;

use failwise::classify::ruleset;
use failwise::error::Error;
use failwise::exit::Exit;
use failwise::knowledge::{Learner, Tell, Then, tells_of};
use failwise::replay::{Replay, Replayed};
use failwise::sessions::{FileRead, Session, each};
use serde::Serialize;

use crate::inputs::{Progress, broken_files};
use crate::style::{Format, PrintArgs, Style, escaped, shown, versioned};

/// List the advice that past sessions would have got, and the agent's next calls
///
/// Goes through sessions in the order of their first lines. At each failure it prints the lessons of the sessions that
/// had ended before. It compares them with the agent's next ten calls: the same, the same without success, something
/// else. All sessions count as one project, with paths relative to the folder in which each began. Nothing is written.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  failwise kb backtest ~/.claude/projects --by-project
  failwise kb backtest sessions --format json

The JSON is described by schemas/kb-backtest.schema.json.")]
pub(crate) struct BacktestArgs {
    /// Files to read, `-` for standard input, or folders with .jsonl or .jsonl.gz files
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Separate sessions by folder: each folder learns from its own sessions only
    #[arg(long)]
    by_project: bool,
    #[command(flatten)]
    print: PrintArgs,
}

#[derive(Debug, Default, Serialize)]
struct BacktestOutput {
    calls: u64,
    failures: u64,
    tells: Vec<Tell>,
}

pub(crate) fn run(args: &BacktestArgs) -> crate::CommandOutcome {
    let rules = ruleset("default").ok_or_else(|| Error::usage("there is no ruleset `default`"))?;
    let found = crate::inputs::find(&args.paths, None)?;
    let progress = Progress::start(found.bytes(), !std::io::stdout().is_terminal());
    let work = |session: &Session| past_of(session, Replay::new(rules), progress.counter());
    let (mut output, mut past, mut broken) = (BacktestOutput::default(), Vec::new(), Vec::new());
    each(&found.sessions, crate::inputs::threads(None), work, |session, (replayed, reads)| {
        broken.extend(broken_files(session, &reads));
        output.calls += replayed.analysis.totals.calls;
        output.failures += replayed.analysis.totals.failed;
        past.extend(replayed.past());
        ControlFlow::Continue(())
    });
    drop(progress);
    crate::inputs::tell_broken(&broken, found.files())?;
    output.tells = tells_of(past, args.by_project);
    match args.print.format {
        Format::Json => writeln!(std::io::stdout(), "{}", escaped(&versioned(&output)?.to_string()))?,
        Format::Text => print(&output)?,
    }
    Ok(Exit::Ok)
}

/// What sessions taught and did, by one of these replays each.
pub(crate) fn past_of(session: &Session, replay: Replay, counter: &AtomicU64) -> (Replayed, Vec<FileRead>) {
    let mut replays = vec![replay.without_rows().with_lessons(Learner::new(None).with_deeds())];
    let reads = session.play(&mut replays, counter);
    (replays.pop().map(Replay::finish).unwrap_or_default(), reads)
}

fn print(output: &BacktestOutput) -> std::io::Result<()> {
    let style = Style::for_stdout();
    let mut out = crate::style::text_page(Format::Text);
    for tell in &output.tells {
        let head = format!("{} {} then {}", tell.kind.as_str(), tell.category.as_str(), tell.then.as_str());
        let place = format!("{} {} {}", shown(&tell.ts, 24), shown(&tell.session, 64), shown(&tell.tool_use_id, 64));
        writeln!(out, "{} {}", style.bold(&head), style.dim(&place))?;
        writeln!(out, "  {}\n", shown(&tell.text, 1000))?;
    }
    let count = |then| output.tells.iter().filter(|tell| tell.then == then).count();
    let line = format!(
        "{} calls, {} failures, {} with advice: then {} the same, {} the same in vain, {} other, {} not known",
        output.calls,
        output.failures,
        output.tells.len(),
        count(Then::Same),
        count(Then::Failed),
        count(Then::Other),
        count(Then::Unknown),
    );
    writeln!(out, "{}", style.bold(&line))?;
    out.flush()
}
