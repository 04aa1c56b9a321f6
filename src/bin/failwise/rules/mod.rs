//! `failwise rules`: the tables that decide, and the cases of their pages.

mod list;
mod show;
mod test;

use clap::{Subcommand, ValueEnum};

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
    Show(show::RulesShowArgs),
    Test(test::TestArgs),
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
    }
}
