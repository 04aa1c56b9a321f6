//! The arguments of the one subcommand that was asked for.

use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Args, Command, Error, FromArgMatches};

use crate::habits::words;

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

/// Whether all are described, for texts about the whole command line.
static DESCRIBE_ALL: AtomicBool = AtomicBool::new(false);

/// Describes the arguments of all subcommands from now on.
pub(crate) fn describe_all() {
    DESCRIBE_ALL.store(true, Ordering::Relaxed);
}

/// Whether a subcommand's arguments are needed: it is the one that the command line names, or something else stands there.
fn is_asked(subcommand: &str) -> bool {
    if DESCRIBE_ALL.load(Ordering::Relaxed) {
        return true;
    }
    match words().get(1).and_then(|word| word.to_str()) {
        Some(word) if !word.starts_with('-') => word == subcommand,
        _ => true,
    }
}
