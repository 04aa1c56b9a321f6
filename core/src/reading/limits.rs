//! What a time limit means: a slow command may pass when it gets more time, a server or a watcher never ends.

use crate::programs::{self, Trait};
use crate::shell::{At, Command, Fate, Script};

use super::question::asks_at_end;

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
    let waits_in_loop = |at: At, command: &Command| command.is(Trait::Prepares) && script.repeats(at);
    let goes_on =
        |(at, command): (At, &Command)| is_endless(command) && !waits_in_loop(at, command) || is_limited(command);
    script.programs().next().is_some() && !script.programs().any(goes_on)
}

/// Whether the agent set the limit itself.
pub(super) fn is_limited(command: &Command) -> bool {
    command.wrappers.iter().any(|wrapper| programs::are_of(wrapper, Trait::Limits))
}

/// Whether the agent's own limit ended what does not end by itself: a look at a server, a watcher, a screen.
/// `took_screen`: whether it took the whole screen of a terminal.
pub(super) fn ends_endless(script: &Script, text: &str, took_screen: bool) -> bool {
    let Some((_, last)) = script.programs().filter(|(at, _)| script.status_of(*at) == Fate::Kept).last() else {
        return false;
    };
    is_limited(last) && (is_endless(last) && !last.is(Trait::Prepares) || took_screen || serves(text))
}

/// Whether a program says that it waits for requests or changes.
pub(super) fn serves(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "istening on ",
        "istening at ",
        "erving HTTP on ",
        "Running on http",
        "Local:   http",
        "ress CTRL+C to ",
        "ress Ctrl+C to ",
        "ress Ctrl-C to ",
        "erver running at ",
        "erver is running",
        "erver is available at ",
        "Watching for file changes",
        "watching for changes",
        "started server on ",
        "ready to accept connections",
        "Uvicorn running on ",
    ];
    WORDS.iter().any(|word| text.contains(word))
}

/// Whether a test waits for something that does not come: more time does not help.
pub(super) fn hangs_in_test(text: &str) -> bool {
    const WORDS: &[&str] =
        &["has been running for over ", "Jest did not exit ", "open handle", "close timed out after ", "Test hung"];
    WORDS.iter().any(|word| text.contains(word))
}

/// The question that a program put to nobody until its time was over.
pub(super) fn question(text: &str) -> Option<&str> {
    let last = text.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
    asks_at_end(last).then_some(last)
}

/// Whether a command goes on until somebody ends it: a server, a watcher, what follows a log.
pub fn is_endless(command: &Command) -> bool {
    let detached = command.has_arg("-d") || command.has_arg("--detach");
    let names_endless =
        command.subcommands().take(3).any(|word| word.split([':', '-']).any(|part| ENDLESS_WORDS.contains(&part)));
    let is_session = || !command.is(Trait::Connects) || command.subcommands().nth(1).is_none();
    command.is(Trait::Endless) && is_session()
        || command.follows()
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
    #[test]
    fn only_what_does_not_end_is_looked_at_for_a_while() {
        for (line, text, took_screen) in [
            ("timeout 5 npm run dev", "", false),
            ("timeout 4 hugo server", "", false),
            ("cd web && timeout 5 python3 -m http.server", "", false),
            ("timeout 3 ./tides", " tides", true),
            ("timeout 3 ./api", "Listening on :8080", false),
            ("timeout 2 tail -f log", "x", false),
        ] {
            assert!(ends_endless(&Script::parse(line), text, took_screen), "{line}");
        }
        for (line, text) in [
            ("timeout 60 cargo test", "running 3 tests"),
            ("timeout 1 sleep 5", ""),
            ("npm run dev", ""),
            ("timeout 5 npm run dev; make", ""),
        ] {
            assert!(!ends_endless(&Script::parse(line), text, false), "{line}");
        }
    }

    #[test]
    fn a_question_stands_at_the_end() {
        for text in [
            "Need to install create-vite\nOk to proceed? (y) ",
            "Do you want to continue? [Y/n] ",
            "Password for dev: ",
            "Are you sure you want to continue connecting (yes/no/[fingerprint])? ",
            "? Select a framework: ›",
            "Press any key to continue...",
        ] {
            assert!(question(text).is_some(), "{text}");
        }
        for text in ["Compiling tides", "Ok to proceed? (y) y\nbuilding", "error: what now?", "tests/test_lock.py ."] {
            assert_eq!(question(text), None, "{text}");
        }
    }
}
