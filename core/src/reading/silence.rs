//! When saying nothing is a pass: the check never fails without a word, and its words would stand in the output.

use crate::programs::{self, Trait};
use crate::shell::{At, Command, Script};

use super::clean::without_task_mark;

/// How much of what a command printed can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShownOutput {
    /// All of it.
    Whole,
    /// Its end: what it says last.
    End,
    /// Parts of it, or nothing.
    Less,
}

/// How much of what the command at this place printed stands in the text.
pub(super) fn shown_output(script: &Script, at: At, command: &Command, text: &str) -> ShownOutput {
    if command.redirects_output() || script.is_substituted(at) {
        return ShownOutput::Less;
    }
    let lines = text.lines().count();
    let mut shown = ShownOutput::Whole;
    for reader in script.readers(at) {
        shown = match (reader.program.as_str(), shown) {
            ("cat" | "tee", shown) => shown,
            ("head" | "tail", shown) if cuts_after(reader).is_some_and(|most| lines < most) => shown,
            ("tail", ShownOutput::Whole | ShownOutput::End) => ShownOutput::End,
            _ => return ShownOutput::Less,
        };
    }
    shown
}

/// How many lines a `head` or `tail` lets through.
pub(super) fn cuts_after(command: &Command) -> Option<usize> {
    const USUAL: usize = 10;
    let mut words = command.args.iter().map(String::as_str);
    let mut most = USUAL;
    while let Some(word) = words.next() {
        let number = match word {
            "-n" | "--lines" => words.next()?,
            "-f" | "-F" => continue,
            _ => {
                word.strip_prefix("--lines=").or_else(|| word.strip_prefix("-n")).or_else(|| word.strip_prefix('-'))?
            }
        };
        most = number.parse().ok()?;
    }
    Some(most)
}

/// Whether the command said nothing, and never fails that way: a check, or a script whose last command, which its runner
/// shows before it starts it, is one.
pub(super) fn says_nothing(command: &Command, script: &Script, text: &str) -> bool {
    let beside = |line: &&str| {
        let line = line.trim();
        line.is_empty() || line.starts_with(CLIENT) || is_closing(line) || is_printed_by(script, line)
    };
    if command.is(Trait::Silent) || hosts_a_silent_one(command) {
        return text.lines().all(|line| beside(&line));
    }
    let runs_scripts = |(_, command): &(_, &Command)| command.is(Trait::Tasks);
    command.is(Trait::Tasks)
        && script.programs().filter(runs_scripts).count() == 1
        && text.lines().rev().find(|line| !beside(line)).and_then(announced).is_some_and(is_silent)
}

/// What the client says of the directory after a command.
const CLIENT: &str = "Shell cwd was reset to ";

/// `pnpm --filter web exec tsc`: the words of the package stay with the runner.
fn hosts_a_silent_one(command: &Command) -> bool {
    let mut words = command.args.iter().skip_while(|word| *word != "exec").skip(1);
    let program = words.next().and_then(|name| programs::find(programs::base_name(name)));
    let args: Vec<&String> = words.collect();
    command.is(Trait::Tasks) && program.is_some_and(|program| program.has_as_called(Trait::Silent, &args))
}

/// Whether the last command of a script never fails silently: it ran only because those before it passed.
fn is_silent(line: &str) -> bool {
    !is_title(line) && Script::parse(line).last().is_some_and(|command| command.is(Trait::Silent))
}

/// The scripts whose commands a runner shows before it starts them, as far as they are shown first. Make and just show the
/// bare command.
pub fn shown_scripts<'t>(runner: &Command, text: &'t str) -> impl Iterator<Item = &'t str> {
    /// The most of an output that is looked at, in bytes, and the most lines.
    const LOOKED_AT: usize = 4096;
    const LINES: usize = 32;
    let shows_bare = runner.is(Trait::ShowsCalls);
    let start = &text[..text.floor_char_boundary(LOOKED_AT)];
    let script = move |line: &'t str| match announced(line) {
        Some(script) => Some(script).filter(|script| !is_title(script)),
        None => Some(line).filter(|_| shows_bare),
    };
    start.lines().take(LINES).filter_map(script)
}

/// The command that a runner of scripts is about to start: `> eslint src`, `$ tsc`, `[lint] $ golangci-lint run`.
fn announced(line: &str) -> Option<&str> {
    let plain = without_task_mark(line).unwrap_or(line).trim();
    plain.strip_prefix("> ").or_else(|| plain.strip_prefix("$ "))
}

/// The script's package and name, which stand above its command: `> shop@1.0.0 lint`.
fn is_title(announced: &str) -> bool {
    announced.split(' ').next().is_some_and(|package| package.contains('@'))
}

/// `Finished in 2.4s`, `Done in 0.52s.`, `yarn run v1.22.22`
fn is_closing(line: &str) -> bool {
    let line = line.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
    let rest = ["Finished in ", "Done in ", "yarn run v"].iter().find_map(|words| line.strip_prefix(words));
    rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()) && !rest.contains(' '))
}

/// Whether an `echo` of the line printed it.
pub(super) fn is_printed_by(script: &Script, line: &str) -> bool {
    script.programs().filter(|(_, c)| c.is(Trait::Prints)).any(|(_, echo)| {
        let words = echo.args.iter().filter(|word| !matches!(word.as_str(), "-e" | "-n")).map(String::as_str);
        let said = words.collect::<Vec<_>>().join(" ");
        said.split('\n').flat_map(|said| said.split("\\n")).map(str::trim).any(|said| match said.split_once('$') {
            None => !said.is_empty() && said == line,
            Some(("", "?")) => line.bytes().all(|b| b.is_ascii_digit()),
            Some((before, _)) => before.len() >= 3 && line.starts_with(before.trim_end()),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(script: &Script) -> (At, &Command) {
        script.programs().next().unwrap()
    }

    #[test]
    fn how_much_is_shown_depends_on_what_reads_it() {
        for (line, text, wanted) in [
            ("tsc", "a\nb", ShownOutput::Whole),
            ("tsc | cat", "a", ShownOutput::Whole),
            ("tsc | tee log", "a", ShownOutput::Whole),
            ("tsc | head -20", "a\nb", ShownOutput::Whole),
            ("tsc | head -2", "a\nb", ShownOutput::Less),
            ("tsc | head", "a", ShownOutput::Whole),
            ("tsc | tail -2", "a\nb", ShownOutput::End),
            ("tsc | tail -n 5", "a", ShownOutput::Whole),
            ("tsc | tail --lines=2 | tee log", "a\nb", ShownOutput::End),
            ("tsc | tail -2 | head -1", "a", ShownOutput::Less),
            ("tsc | tail -c 100", "a", ShownOutput::End),
            ("tsc | head -c 100", "a", ShownOutput::Less),
            ("tsc | grep x", "", ShownOutput::Less),
            ("tsc > log", "", ShownOutput::Less),
            ("echo $(tsc)", "", ShownOutput::Less),
        ] {
            let script = Script::parse(line);
            let (at, command) = script.programs().find(|(_, command)| command.program == "tsc").unwrap();
            assert_eq!(shown_output(&script, at, command, text), wanted, "{line}: {text:?}");
        }
    }

    #[test]
    fn only_what_never_fails_silently_may_be_silent() {
        for (line, text, wanted) in [
            ("tsc", "", true),
            ("tsc", "Shell cwd was reset to /srv/shop", true),
            ("tsc", "src/a.ts(3,1): error TS2304: x", false),
            ("npx eslint .", "\n\n", true),
            ("pytest", "", false),
            ("echo types: && tsc", "types:", false),
            ("tsc && echo clean", "clean", true),
            ("tsc; echo \"exit: $?\"", "exit: 0", true),
            ("npm run lint", "> shop@1.0.0 lint\n> eslint .\n", true),
            ("npm run lint", "> shop@1.0.0 lint\n> eslint .\n\n1 problem", false),
            ("npm run check", "> shop@1.0.0 check\n> vitest run\n", false),
            ("npm run lint && npm run types", "> eslint .\n", false),
            ("yarn lint", "yarn run v1.22.22\n$ eslint .\nDone in 0.52s.", true),
            ("mise run lint", "[lint] $ golangci-lint run\nFinished in 2.4s", true),
            ("pnpm --filter web exec tsc", "", true),
            ("pnpm --filter web exec vitest", "", false),
        ] {
            let script = Script::parse(line);
            assert_eq!(says_nothing(first(&script).1, &script, text), wanted, "{line}: {text:?}");
        }
    }

    #[test]
    fn a_runner_shows_the_commands_of_its_scripts() {
        for (runner, text, wanted) in [
            ("npm test", "\n> shop@1.0.0 test\n> tsc --noEmit && jest\n\nPASS", &["tsc --noEmit && jest"][..]),
            ("yarn test", "yarn run v1.22.22\n$ jest\nPASS", &["jest"]),
            ("mise run lint", "[lint] $ golangci-lint run\n0 issues.", &["golangci-lint run"]),
            ("make test", "go test ./...\nok  \ta\t0.1s", &["go test ./...", "ok  \ta\t0.1s"]),
            ("npm test", "go test ./...", &[]),
            ("npm test", "", &[]),
        ] {
            let script = Script::parse(runner);
            assert_eq!(shown_scripts(first(&script).1, text).collect::<Vec<_>>(), wanted, "{runner}: {text:?}");
        }
    }
}
