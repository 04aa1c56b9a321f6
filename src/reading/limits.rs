//! What a time limit means: a slow command may pass when it gets more time, a server or a watcher never ends.

use crate::programs::{self, Trait};
use crate::shell::{Command, Script};

/// Words of a task or subcommand that starts something which does not end.
const ENDLESS_WORDS: &[&str] = &[
    "dev",
    "start",
    "serve",
    "server",
    "watch",
    "preview",
    "up",
    "runserver",
    "port-forward",
    "attach",
    "storybook",
    "develop",
    "tunnel",
    "repl",
    "console",
    "daemon",
];

const ENDLESS_OPTIONS: &[&str] =
    &["--watch", "-w", "--watchAll", "--follow", "--interactive", "--inspect-brk", "-it", "-i", "--ui"];

/// Modules behind an interpreter that serve.
const ENDLESS_MODULES: &[&str] = &["http.server"];

/// Whether more time may let the line pass.
pub(super) fn may_pass_with_more_time(script: &Script) -> bool {
    script.programs().next().is_some()
        && !script.programs().any(|(_, command)| is_endless(command) || is_limited(command))
}

/// Whether the agent set the limit itself.
pub(super) fn is_limited(command: &Command) -> bool {
    command.wrappers.iter().any(|wrapper| programs::says(wrapper, Trait::Limits))
}

fn is_endless(command: &Command) -> bool {
    let follows = command.is(Trait::Follows) && command.has_letter('f');
    let detached = command.has_arg("-d") || command.has_arg("--detach");
    let names_endless =
        command.subcommands().take(3).any(|word| word.split([':', '-']).any(|part| ENDLESS_WORDS.contains(&part)));
    command.is(Trait::Endless)
        || follows
        || ENDLESS_MODULES.iter().any(|module| command.has_arg(module))
        || ENDLESS_OPTIONS.iter().any(|o| command.has_arg(o)) && !command.is(Trait::OwnLetters)
        || names_endless && !detached && (command.is(Trait::Starts) || command.is(Trait::Tasks))
        || command.is(Trait::Waits) && command.args.is_empty() && !command.reads_here_document()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_and_endless_are_told_apart() {
        for text in [
            "cargo build",
            "npm test",
            "nix fmt | tail; git status",
            "npm run build",
            "docker compose up -d",
            "pytest -x",
        ] {
            assert!(may_pass_with_more_time(&Script::parse(text)), "{text}");
        }
        for text in [
            "npm run dev",
            "timeout 20 make",
            "tail -f log",
            "npm start",
            "python -m http.server 8000",
            "vitest --watch",
            "sleep 500",
            "docker compose up",
            "docker logs -f web",
            "gh run watch 5",
            "cargo watch -x test",
            "",
        ] {
            assert!(!may_pass_with_more_time(&Script::parse(text)), "{text}");
        }
    }
}
