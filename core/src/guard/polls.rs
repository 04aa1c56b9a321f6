//! Commands that ask for a state until it is as wished: a status, a probe, a wait. They fail many times before they pass.

use crate::programs::Trait;
use crate::shell::{Command, Nesting, Script};

/// Words that make a question of a call to a cloud, also as the beginning of a subcommand: `describe-instances`.
pub const CLOUD_WORDS: &[&str] = &["describe", "get", "list", "show", "wait", "status", "logs", "tail"];

/// Whether a line asks for a state that changes by itself, or waits for one.
pub(super) fn is_poll(script: &Script) -> bool {
    let loops = script.pipelines.iter().any(|pipeline| pipeline.nesting == Nesting::Loop);
    loops || script.programs().any(|(_, command)| is_question(command))
}

fn is_question(command: &Command) -> bool {
    let is_question = |word: &str| CLOUD_WORDS.contains(&word.split('-').next().unwrap_or_default());
    command.is(Trait::Polls) || command.is(Trait::Cloud) && command.subcommands().any(is_question)
}
