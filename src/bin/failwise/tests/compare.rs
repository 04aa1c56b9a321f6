//! `failwise tests flaky|compare`.

use std::io::Write;

use failwise::error::Error;
use failwise::test_runs::{CaseStatus, ComparedCase, Comparison, HealthFilter, HealthPage, TestRun};
use failwise::text::many;
use serde_json::json;

use super::{OfProject, case_name};
use crate::kb;
use crate::style::{PrintArgs, Style, nothing_yet, write_more};

/// How many cases of a kind are shown to people.
const SHOWN: usize = 20;

/// List cases that pass and fail by chance, with the evidence
///
/// A case is flaky if it passed and failed within one run, on an unchanged rerun, or on one commit. Without known
/// commits, it is flaky if its result changed twice in its last ten runs. Runs in which nearly everything failed do not
/// count.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  failwise tests flaky\n  failwise tests flaky --all")]
pub(crate) struct FlakyArgs {
    /// Include cases that have recovered, and those that always fail
    #[arg(long)]
    all: bool,
    /// Only cases of suites with these words in their name
    #[arg(long, value_name = "WORDS")]
    suite: Option<String>,
    /// Maximum number of entries
    #[arg(long, value_name = "N", default_value_t = SHOWN)]
    limit: usize,
    #[command(flatten)]
    of: OfProject,
    #[command(flatten)]
    print: PrintArgs,
}

/// Compare two runs: by default the last two
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  failwise tests compare\n  failwise tests compare 3f2a 90bc")]
pub(crate) struct CompareArgs {
    /// The earlier run: its id, or the beginning of it
    #[arg(value_name = "BASE", requires = "run")]
    base: Option<String>,
    /// The later run
    #[arg(value_name = "RUN")]
    run: Option<String>,
    #[command(flatten)]
    of: OfProject,
    #[command(flatten)]
    print: PrintArgs,
}

pub(crate) fn flaky(args: &FlakyArgs) -> crate::CommandOutcome {
    let (base, project) = args.of.known()?;
    let filter = HealthFilter { suite: args.suite.as_deref(), all: args.all, limit: args.limit };
    let cases = base.test_health(&project, |case| filter.keeps(case))?;
    let page = HealthPage::of(cases, &filter);
    let mut value = json!(page);
    value["schema_version"] = json!(1);
    kb::answer(args.print.format, &value, |out| print_flaky(out, &page))
}

fn print_flaky(out: &mut dyn Write, page: &HealthPage) -> std::io::Result<()> {
    let style = Style::for_stdout();
    if page.cases.is_empty() {
        return writeln!(out, "No case is known here that passes and fails by chance.");
    }
    for case in &page.cases {
        let level = case.level.as_str();
        let level = if case.is_flaky { style.yellow(level) } else { style.dim(level) };
        writeln!(out, "{level}  {}", case_name(&case.suite, &case.name))?;
        let why = case.evidence.map(|evidence| format!("; {}", evidence.words())).unwrap_or_default();
        let runs = many(case.runs, "run", "runs");
        let recovered = if case.recovered { "; recovered" } else { "" };
        writeln!(out, "      {} of {runs} failed  {}{why}{recovered}", case.failed, marks(&case.results))?;
    }
    write_more(out, ("", page.left_out, 0), ": --limit")
}

/// Results in a row, the oldest first, as people read time.
fn marks(results: &[CaseStatus]) -> String {
    let mark = |status: &CaseStatus| if *status == CaseStatus::Failed { 'x' } else { '.' };
    results.iter().rev().map(mark).collect()
}

pub(crate) fn compare(args: &CompareArgs) -> crate::CommandOutcome {
    let (base, project) = args.of.known()?;
    let (before, now) = if let (Some(before), Some(now)) = (&args.base, &args.run) {
        (super::run_of(&base, &project, before)?, super::run_of(&base, &project, now)?)
    } else if let Some(runs) = base.last_two_runs(&project)? {
        runs
    } else {
        return nothing_yet(args.print.format, "there are no two runs to compare; `failwise tests import` adds some");
    };
    for run in [&before, &now] {
        whole(run)?;
    }
    let compared = base.compared(&project, before, now)?;
    let mut value = json!(compared);
    value["schema_version"] = json!(1);
    kb::answer(args.print.format, &value, |out| print_compared(out, &compared))
}

fn whole(run: &TestRun) -> Result<(), Error> {
    if run.complete {
        return Ok(());
    }
    Err(Error::refused(format!("{} is a recorded call, of which only some cases are known", run.id))
        .hint("runs that were imported can be compared"))
}

fn print_compared(out: &mut dyn Write, compared: &Comparison) -> std::io::Result<()> {
    let style = Style::for_stdout();
    writeln!(out, "{} -> {}", style.bold(&compared.base.id), style.bold(&compared.run.id))?;
    for (name, cases) in [
        ("new failures", &compared.new_failures),
        ("fixed", &compared.fixed),
        ("still failing", &compared.still_failing),
        ("new cases", &compared.new_cases),
        ("removed cases", &compared.removed_cases),
    ] {
        print_cases(out, name, cases)?;
    }
    let same = compared.same;
    writeln!(out, "unchanged: {} passed, {} skipped", same.passed, same.skipped)
}

fn print_cases(out: &mut dyn Write, name: &str, cases: &[ComparedCase]) -> std::io::Result<()> {
    if cases.is_empty() {
        return Ok(());
    }
    writeln!(out, "{name}: {}", cases.len())?;
    for case in cases.iter().take(SHOWN) {
        writeln!(out, "  {}", case_name(&case.suite, &case.name))?;
    }
    write_more(out, ("  ", cases.len(), SHOWN), ": --format json")
}
