//! `failwise plan`: the plan tree.

mod conflicts;

use clap::Subcommand;

/// The plan tree
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Conflicts(conflicts::Args),
}

pub(crate) fn run(args: Args) -> crate::Outcome {
    match args.command {
        Command::Conflicts(args) => conflicts::run(args),
    }
}
