//! Lists of runs, and one run with its cases.

use std::io::Write;

use failwise::store::{RunFilter, RunPage};
use failwise::test_runs::{CaseStatus, RunSource, TREND_MS, TestCase, TestRun};
use failwise::text::many;
use failwise::time::{minute, stamp_at};
use serde_json::json;

use super::OfProject;
use super::import::{counts, parsed_moment};
use crate::kb;
use crate::style::{PrintArgs, Style, shown, write_more, write_rows};

/// How many runs are listed, and how many cases of a run are shown to people.
const LISTED: usize = 20;

/// List runs, the newest first
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  failwise tests list\n  failwise tests list --status failed --since 7d")]
pub(crate) struct TestsListArgs {
    /// Only runs with this result
    #[arg(long, value_name = "STATUS", value_parser = ["passed", "failed", "skipped"])]
    status: Option<String>,
    /// Only runs since a date, or a duration such as 7d
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only complete runs
    #[arg(long)]
    complete: bool,
    /// Maximum number of entries
    #[arg(long, value_name = "N", default_value_t = LISTED)]
    limit: usize,
    /// Skip this many of the newest
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: u64,
    #[command(flatten)]
    of: OfProject,
    #[command(flatten)]
    print: PrintArgs,
}

/// Show a run with its cases
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  failwise tests show 3f2a\n  failwise tests show 3f2a --json")]
pub(crate) struct TestsShowArgs {
    /// The run: its id, or the beginning of it
    #[arg(value_name = "RUN")]
    run: String,
    #[command(flatten)]
    of: OfProject,
    #[command(flatten)]
    print: PrintArgs,
}

impl TestsListArgs {
    /// The options that leave runs out, as they are typed.
    fn filters(&self) -> String {
        let given = [
            self.status.as_ref().map(|status| format!("--status {status}")),
            self.since.as_ref().map(|since| format!("--since {}", shown(since, 40))),
            self.complete.then(|| "--complete".to_owned()),
            (self.limit == 0).then(|| "--limit 0".to_owned()),
            (self.offset > 0).then(|| format!("--offset {}", self.offset)),
        ];
        given.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }
}

pub(crate) fn list(args: &TestsListArgs) -> crate::CommandOutcome {
    let (base, project) = args.of.known()?;
    let filter = RunFilter {
        status: args.status.as_deref().and_then(CaseStatus::from_word),
        since: args.since.as_deref().map(parsed_moment).transpose()?,
        complete_only: args.complete,
        offset: args.offset,
        limit: args.limit as u64,
    };
    let page = base.test_runs(&project, &filter)?;
    let has_more = page.has_more(args.offset);
    let trend = base.test_trend(&project, kb::now().saturating_sub(TREND_MS))?;
    let value = json!({
        "schema_version": 1, "runs": page.runs, "total": page.total, "has_more": has_more, "trend": trend,
    });
    let all = RunFilter { limit: 1, ..RunFilter::default() };
    let left_out = if page.runs.is_empty() { base.test_runs(&project, &all)?.total } else { 0 };
    kb::answer(args.print.format, &value, |out| match many(left_out, "known run", "known runs") {
        _ if left_out == 0 => print_list(out, &page, has_more),
        left_out => writeln!(out, "No run is left by {}, of {left_out}.", args.filters()),
    })
}

fn print_list(out: &mut dyn Write, page: &RunPage, has_more: bool) -> std::io::Result<()> {
    let style = Style::for_stdout();
    if page.runs.is_empty() {
        return writeln!(out, "No run of tests is known here yet. `failwise tests import junit.xml` takes one in.");
    }
    for run in &page.runs {
        let said = if run.status == CaseStatus::Failed { style.red(&counts(run)) } else { counts(run) };
        writeln!(out, "{}  {}  {}: {said}", style.bold(&run.id), when(run), super::title(run))?;
    }
    if has_more {
        writeln!(out, "{}", style.dim(&format!("{} in all: --offset and --limit", page.total)))?;
    }
    Ok(())
}

fn when(run: &TestRun) -> String {
    minute(&stamp_at(run.at).unwrap_or_default())
}

pub(crate) fn show(args: &TestsShowArgs) -> crate::CommandOutcome {
    let (base, project) = args.of.known()?;
    let run = super::run_of(&base, &project, &args.run)?;
    let cases = base.test_cases(&project, &run.id)?;
    let value = json!({ "schema_version": 1, "run": run, "cases": cases });
    kb::answer(args.print.format, &value, |out| print_one(out, &run, &cases))
}

fn print_one(out: &mut dyn Write, run: &TestRun, cases: &[TestCase]) -> std::io::Result<()> {
    let style = Style::for_stdout();
    writeln!(out, "{}  {}", style.bold(&run.id), super::title(run))?;
    let partly = if run.source == RunSource::History { ", as far as the output names them" } else { "" };
    let of = |value: &Option<String>| value.as_ref().map(|value| shown(value, 200)).unwrap_or_default();
    let cases_of = format!("{}{partly}", counts(run));
    let rows = [("when", when(run)), ("commit", of(&run.commit)), ("branch", of(&run.branch)), ("cases", cases_of)];
    write_rows(out, 9, rows)?;
    let told: Vec<&TestCase> = cases.iter().filter(|case| case.failed_attempts > 0).collect();
    for case in told.iter().take(LISTED) {
        let mark = if case.status == CaseStatus::Failed { style.red("failed") } else { style.yellow("passed") };
        let tries = match case.attempts {
            1 => String::new(),
            all => format!(" ({} of {} failed)", case.failed_attempts, many(u64::from(all), "attempt", "attempts")),
        };
        writeln!(out, "{mark}  {}{tries}", super::case_name(&case.suite, &case.name))?;
        if let Some(line) = case.error_line() {
            writeln!(out, "        {}", style.dim(&shown(&line, 160)))?;
        }
    }
    write_more(out, ("", told.len(), LISTED), ": --format json")
}
