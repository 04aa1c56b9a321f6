//! `failwise rules`: the tables that decide, the cases of their pages, and how right they are on labelled calls.

mod list;
mod loghub;
mod score;
mod test;

use clap::{Subcommand, ValueEnum};

/// Show the rules, run the cases of their pages, or score them on labelled calls
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// The rulesets row by row, in the order in which they decide
    List {
        /// How they are printed
        #[arg(long, value_enum, default_value = "table")]
        format: Format,
    },
    Test(test::Args),
    Score(score::Args),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Table,
    /// One JSON value
    Json,
}

pub(crate) fn run(args: Args) -> crate::Outcome {
    match args.command {
        Command::List { format } => list::run(format),
        Command::Test(args) => test::run(&args),
        Command::Score(args) => score::run(&args),
    }
}

/// A share as people read it.
fn percent(share: Option<f64>) -> String {
    share.map_or("-".to_owned(), |share| format!("{:.1} %", 100.0 * share))
}
