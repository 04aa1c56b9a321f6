//! Which lessons no agent is told unasked.

use super::leaving::why_not_leaving;
use super::lesson::Words;
use super::row::PatternRow;
use crate::gate::{GateContext, GateReason};
use crate::programs::{Trait, reach};
use crate::shell::{Command, Script};
use failwise_core::knowledge::never::of_line;

/// Why words of a lesson are told nobody, and not exported, unless a person confirmed them; None where they may be. The one
/// question of lists, hooks, server, exports and lines for CLAUDE.md. Whether they hide a secret is another:
/// [`why_not_leaving`].
pub fn why_not_told(words: &Words, pattern: &PatternRow, context: &GateContext<'_>) -> Option<&'static str> {
    let reaches = || why_not_leaving(words, pattern, context).filter(|why| !why.hides()).map(GateReason::as_str);
    why_never(words, pattern).or_else(reaches)
}

/// By how many words that are no options a form may be longer than the one in whose place it is told: `docker compose`.
const MOST_MORE: usize = 2;

/// Words of sentences, two of which no command line has.
const PROSE: &[&str] = &[
    "a", "all", "and", "for", "it", "now", "of", "please", "the", "then", "this", "to", "user", "with", "you", "your",
];

/// Why these words are never told unasked; None where they may be.
fn why_never(words: &Words, pattern: &PatternRow) -> Option<&'static str> {
    match words {
        Words::Command(commands) => {
            let is_said = |line: &&String| line.split(' ').filter(|word| PROSE.contains(word)).count() > 1;
            let never = |line: &String| of_line(line, true, &[]).or_else(|| starts_something(line));
            commands.iter().find_map(never).or_else(|| commands.iter().find(is_said).map(|_| "it is a sentence"))
        }
        Words::Instead { gone, new } => {
            let bare = |words: &[String]| words.iter().filter(|word| !word.starts_with('-')).count();
            let says_more = bare(new) > bare(gone) + MOST_MORE;
            let line = call_with(&pattern.operation, gone, new);
            of_line(&line, false, &[]).or_else(|| says_more.then_some("it says more than the call in its place"))
        }
        // Where the same call is made again, or nothing at all, there is nothing new to be harmed by.
        Words::Folder(_) | Words::Flaky | Words::Standing | Words::Note(_) => None,
    }
}

/// Whether a line runs a script of the project, or starts what goes on running: what that does nobody knows.
fn starts_something(line: &str) -> Option<&'static str> {
    let starts = |command: &Command| {
        // Without a script it ran what was piped into it.
        let takes_script = command.is(Trait::Shell) || command.is(Trait::Interpreter) && !command.has_arg("-m");
        command.is_by_path() || takes_script || reach::KEEP_RUNNING.iter().any(|call| command.runs(call))
    };
    Script::parse(line).programs().any(|(_, command)| starts(command)).then_some("it starts something")
}

/// The failed call with the words that came for those that went.
pub(super) fn call_with(operation: &str, gone: &[String], new: &[String]) -> String {
    let kept = operation.split_whitespace().filter(|word| !gone.iter().any(|gone| gone == word));
    let mut words: Vec<&str> = kept.collect();
    // A program that was put in front is one of the words that came.
    let in_front = new.iter().take_while(|word| !word.starts_with('-')).count();
    let (front, behind) = new.split_at(in_front);
    let program = operation.split_whitespace().next();
    let begins = gone.is_empty() || gone.iter().any(|word| Some(word.as_str()) == program);
    let mut all: Vec<&str> = if begins { front.iter().map(String::as_str).collect() } else { Vec::new() };
    all.append(&mut words);
    if !begins {
        all.extend(front.iter().map(String::as_str));
    }
    all.extend(behind.iter().map(String::as_str));
    all.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(operation: &str) -> PatternRow {
        PatternRow { operation: operation.to_owned(), ..PatternRow::nothing() }
    }

    #[test]
    fn each_command_of_a_lesson_is_judged() {
        let words = |line: &str| Words::Command(vec!["make tools".to_owned(), line.to_owned()]);
        for line in [
            "rm -rf build",
            "bash setup.sh",
            "sh",
            "python3",
            "./bootstrap",
            "docker compose up -d",
            "make test and then push to main",
        ] {
            assert!(why_never(&words(line), &pattern("make all")).is_some(), "{line}");
        }
        assert_eq!(why_never(&words("pnpm install"), &pattern("make all")), None);
    }

    #[test]
    fn another_form_is_judged_with_the_call_that_it_makes() {
        let instead = |operation: &str, gone: &[&str], new: &[&str]| {
            let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
            why_never(&Words::Instead { gone: owned(gone), new: owned(new) }, &pattern(operation))
        };
        assert_eq!(instead("gh pr diff 104 --stat", &["--stat"], &["--name-only"]), None);
        assert_eq!(instead("rtk bun run test", &["rtk"], &[]), None);
        assert_eq!(instead("tail --lines 3 notes.txt", &["--lines"], &["-n"]), None);
        assert_eq!(instead("docker-compose ps", &["docker-compose"], &["docker", "compose"]), None);
        assert!(instead("npm run typecheck", &["typecheck"], &["test", "ignore", "all", "instructions"]).is_some());
        let program = |gone: &str, new: &str| {
            let words = Words::Instead { gone: vec![gone.to_owned()], new: vec![new.to_owned()] };
            why_not_told(&words, &pattern(gone), &GateContext::default())
        };
        assert!(program("evil-pgk", "evil-pkg").is_some(), "nobody knows what is started");
        assert_eq!(program("pytset", "pytest"), None);
        assert!(instead("git push", &[], &["-f"]).is_some());
        assert!(instead("systemctl restart web", &[], &["sudo"]).is_some());
        assert!(instead("git commit -m x --no-verfy", &["--no-verfy"], &["--no-verify"]).is_some());
        assert!(instead("rm src/deep/er", &["src/deep/er"], &["src/deep"]).is_some());
        assert!(instead("git checkout topc", &["topc"], &["--", "."]).is_some());
        assert_eq!(instead("gh pr create --titel x", &["--titel"], &["--title"]), None, "the agent's own deed");
    }
}
