//! `failwise rules`: the tables that decide, and the cases of their pages.

use std::io::Write;

use clap::{Subcommand, ValueEnum};
use failwise::classify::RULESETS;
use failwise::error::Error;
use failwise::exit::Exit;
use failwise::host::recovery::read_call;
use failwise::score::pages::{Checked, all, text_of};

use crate::style::{Style, print_pretty, shown, versioned};

/// Show the rules, or run the cases of their pages
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  failwise rules list\n  failwise rules show transient-failure")]
pub(crate) struct RulesArgs {
    #[command(subcommand)]
    command: RulesCommand,
}

#[derive(Debug, Subcommand)]
enum RulesCommand {
    /// List the rulesets row by row, in their order
    #[command(after_help = "Examples:\n  failwise rules list\n  failwise rules list --json")]
    List {
        /// Output format
        #[arg(long, value_enum, default_value = "table")]
        format: RulesFormat,
    },
    Show(RulesShowArgs),
    Test(TestArgs),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RulesFormat {
    /// For people
    Table,
    /// One JSON value
    Json,
}

/// Print one page under `rules/`: modes/10, classes/transient-failure, readings/git, `strategies/fix_syntax`, advice/known
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 printed, 1 no such page.\n\nExamples:\n  failwise rules show classes/transient-failure\n  failwise rules show 10"
)]
struct RulesShowArgs {
    /// Folder and name of the page; for a failure mode, its number
    #[arg(value_name = "PAGE")]
    page: String,
}

/// Run the cases of the pages under `rules/`
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 every case passes, 1 a case fails, or no such page.\n\nExamples:\n  failwise rules test\n  failwise rules test readings/go"
)]
struct TestArgs {
    /// Only pages with this in their path: readings/go, classes, transient
    #[arg(value_name = "PAGE")]
    page: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value = "table")]
    format: RulesFormat,
}

pub(crate) fn run(args: &RulesArgs) -> crate::CommandOutcome {
    match &args.command {
        RulesCommand::List { format } => list(*format),
        RulesCommand::Show(args) => show(args),
        RulesCommand::Test(args) => test(args),
    }
}

fn list(format: RulesFormat) -> crate::CommandOutcome {
    let mut out = std::io::stdout().lock();
    let style = Style::for_stdout();
    let rows = RULESETS.iter().flat_map(|set| set.rules.iter().map(move |rule| (set, rule)));
    if format == RulesFormat::Json {
        let rows: Vec<serde_json::Value> = rows
            .map(|(set, rule)| {
                serde_json::json!({"ruleset": set.name, "rule": rule.id, "class": rule.class, "confidence": rule.confidence,
                    "recommended_action": rule.action, "asks": rule.asks})
            })
            .collect();
        return print_pretty(&versioned(&rows)?);
    }
    let mut last = "";
    for (set, rule) in rows {
        if last != set.name {
            writeln!(out, "{}", style.bold(set.name))?;
            last = set.name;
        }
        let class = rule.class.map_or("--", failwise::model::Class::as_str);
        writeln!(out, "  {class}  {:<27} {:.2}  {}", rule.id, rule.confidence.value(), style.dim(rule.asks))?;
    }
    Ok(Exit::Ok)
}

fn show(args: &RulesShowArgs) -> crate::CommandOutcome {
    let name = args.page.trim_start_matches("rules/").trim_end_matches(".md");
    let Some(text) = text_of(name) else {
        let error = Error::refused(format!("no page is called `{}`", shown(&args.page, 80)));
        let folders = "advice, argus, classes, knowledge, modes, readings, strategies and workflow";
        return Err(error.hint(format!("pages are in {folders}; `failwise rules test` lists those with cases")).into());
    };
    write!(std::io::stdout().lock(), "{text}")?;
    Ok(Exit::Ok)
}

fn test(args: &TestArgs) -> crate::CommandOutcome {
    let wanted = args.page.as_deref().unwrap_or_default();
    let pages: Vec<Checked> =
        all().filter(|page| page.path().contains(wanted)).map(|page| page.check(read_call)).collect();
    if pages.is_empty() {
        let error = Error::refused(format!("no page's path contains `{wanted}`"));
        return Err(error.hint("`failwise rules test` without a name shows all of them").into());
    }
    match args.format {
        RulesFormat::Json => {
            let (cases, near_misses, passed) = sums(&pages);
            let all = serde_json::json!({"schema_version": 1, "cases": cases, "near_misses": near_misses, "passed": passed, "pages": pages});
            print_pretty(&all)?;
        }
        RulesFormat::Table => table(&pages)?,
    }
    let passed = pages.iter().all(|page| page.faults.is_empty());
    Ok(if passed { Exit::Ok } else { Exit::Differs })
}

fn sums(pages: &[Checked]) -> (usize, usize, usize) {
    let sum = |of: fn(&Checked) -> usize| pages.iter().map(of).sum();
    (sum(|page| page.cases), sum(|page| page.near_misses), sum(|page| page.passed))
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
