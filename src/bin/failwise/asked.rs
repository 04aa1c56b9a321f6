//! The arguments of the one subcommand that was asked for.

use std::ops::Deref;

use clap::{Args, Command, Error, FromArgMatches};

/// The arguments of a subcommand. They are described to the parser only where somebody needs them: to describe those of all
/// subcommands takes longer than many a subcommand.
#[derive(Debug)]
pub(crate) struct AskedArgs<A>(Box<A>);

impl<A> Deref for AskedArgs<A> {
    type Target = A;

    fn deref(&self) -> &A {
        &self.0
    }
}

impl<A: Args> Args for AskedArgs<A> {
    fn augment_args(command: Command) -> Command {
        if is_asked(command.get_name()) { A::augment_args(command) } else { command }
    }

    fn augment_args_for_update(command: Command) -> Command {
        if is_asked(command.get_name()) { A::augment_args_for_update(command) } else { command }
    }
}

impl<A: FromArgMatches> FromArgMatches for AskedArgs<A> {
    fn from_arg_matches(matches: &clap::ArgMatches) -> Result<Self, Error> {
        A::from_arg_matches(matches).map(|args| Self(Box::new(args)))
    }

    fn update_from_arg_matches(&mut self, matches: &clap::ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}

/// Whether a subcommand's arguments are needed: it is the one that the command line names, or the help of all is wanted.
fn is_asked(subcommand: &str) -> bool {
    match std::env::args_os().nth(1).as_deref().and_then(|word| word.to_str()) {
        Some(word) if !word.starts_with('-') => word == subcommand,
        _ => true,
    }
}
