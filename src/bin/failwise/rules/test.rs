//! `failwise rules test`: every case of every page under `rules/`.

use std::io::Write;

use failwise::error::Error;
use failwise::exit::Exit;
use failwise::host::recovery::read_call;
use failwise::score::pages::{Checked, all};

use super::RulesFormat;
use crate::style::Style;

/// Run the cases of the pages under `rules/`
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 every case passes, 1 a case fails, or no such page.\n\nExamples:\n  failwise rules test\n  failwise rules test readings/go"
)]
pub(super) struct TestArgs {
    /// Only pages with this in their path: readings/go, classes, transient
    #[arg(value_name = "PAGE")]
    page: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value = "table")]
    format: RulesFormat,
}

pub(super) fn run(args: &TestArgs) -> crate::CommandOutcome {
    let wanted = args.page.as_deref().unwrap_or_default();
    let pages: Vec<Checked> =
        all().filter(|page| page.path().contains(wanted)).map(|page| page.check(read_call)).collect();
    if pages.is_empty() {
        let error = Error::refused(format!("no page's path contains `{wanted}`"));
        return Err(error.hint("`failwise rules test` without a name shows all of them").into());
    }
    match args.format {
        RulesFormat::Json => json(&pages)?,
        RulesFormat::Table => table(&pages)?,
    }
    let passed = pages.iter().all(|page| page.faults.is_empty());
    Ok(if passed { Exit::Ok } else { Exit::Differs })
}

fn sums(pages: &[Checked]) -> (usize, usize, usize) {
    let sum = |of: fn(&Checked) -> usize| pages.iter().map(of).sum();
    (sum(|page| page.cases), sum(|page| page.near_misses), sum(|page| page.passed))
}

fn json(pages: &[Checked]) -> Result<(), crate::CommandFailure> {
    let (cases, near_misses, passed) = sums(pages);
    let all = serde_json::json!({"schema_version": 1, "cases": cases, "near_misses": near_misses, "passed": passed, "pages": pages});
    writeln!(std::io::stdout().lock(), "{}", serde_json::to_string_pretty(&all)?)?;
    Ok(())
}

fn table(pages: &[Checked]) -> Result<(), crate::CommandFailure> {
    let mut out = std::io::stdout().lock();
    let style = Style::for_stdout();
    writeln!(out, "{}", style.bold(&page_line("page", "cases", "near misses", "passed")))?;
    for page in pages {
        let [cases, near, passed] = [page.cases, page.near_misses, page.passed].map(|number| number.to_string());
        let line = page_line(&page.page, &cases, &near, &passed);
        writeln!(out, "{}", if page.faults.is_empty() { line } else { style.red(&line) })?;
    }
    let (cases, near, passed) = sums(pages);
    let all = page_line("all", &cases.to_string(), &near.to_string(), &passed.to_string());
    writeln!(out, "{}", style.bold(&all))?;
    for page in pages {
        for fault in &page.faults {
            writeln!(out, "\n{}, {}\n  {}", page.page, fault.case, style.red(&fault.difference))?;
        }
    }
    Ok(())
}

fn page_line(page: &str, cases: &str, near_misses: &str, passed: &str) -> String {
    format!("{page:<36} {cases:>6} {near_misses:>12} {passed:>7}")
}
