//! `failwise rules`: the tables that decide, the cases of their pages, and how right they are on labelled calls.

mod list;
mod loghub;
mod score;
mod show;
mod test;

use clap::{Subcommand, ValueEnum};

/// Show the rules, run the cases of their pages, or score them on labelled calls
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
    Show(show::RulesShowArgs),
    Test(test::TestArgs),
    Score(score::ScoreArgs),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RulesFormat {
    /// For people
    Table,
    /// One JSON value
    Json,
}

pub(crate) fn run(args: &RulesArgs) -> crate::CommandOutcome {
    match &args.command {
        RulesCommand::List { format } => list::run(*format),
        RulesCommand::Show(args) => show::run(args),
        RulesCommand::Test(args) => test::run(args),
        RulesCommand::Score(args) => score::run(args),
    }
}

/// A share as people read it.
fn percent(share: Option<f64>) -> String {
    share.map_or("-".to_owned(), |share| format!("{:.1} %", 100.0 * share))
}
