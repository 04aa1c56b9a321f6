//! `failwise kb`: what Failwise knows of failures.

mod backtest;

use clap::Subcommand;

/// Failure memory: what would have been told on past sessions
#[derive(Debug, clap::Args)]
pub(crate) struct KbArgs {
    #[command(subcommand)]
    command: KbCommand,
}

#[derive(Debug, Subcommand)]
enum KbCommand {
    Backtest(backtest::BacktestArgs),
}

pub(crate) fn run(args: &KbArgs) -> crate::CommandOutcome {
    match &args.command {
        KbCommand::Backtest(args) => backtest::run(args),
    }
}
