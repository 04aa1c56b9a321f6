//! When saying nothing is a pass: the check never fails without a word, and its words would stand in the output.

use crate::programs::Trait;
use crate::shell::{At, Command, RedirectionKind, Script};

/// How much of what a command printed can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    /// All of it.
    Whole,
    /// Its end: what it says last.
    End,
    /// Parts of it, or nothing.
    Less,
}

/// How much of what the command at this place printed stands in the text.
pub(super) fn shown(script: &Script, at: At, command: &Command, text: &str) -> Shown {
    let goes_elsewhere = command
        .redirections
        .iter()
        .any(|r| matches!(r.kind, RedirectionKind::Write | RedirectionKind::Append | RedirectionKind::Both));
    if goes_elsewhere || script.is_substituted(at) {
        return Shown::Less;
    }
    let lines = text.lines().count();
    let mut shown = Shown::Whole;
    for reader in script.readers(at) {
        shown = match (reader.program.as_str(), shown) {
            ("cat" | "tee", shown) => shown,
            ("head" | "tail", shown) if cuts_after(reader).is_some_and(|most| lines < most) => shown,
            ("tail", Shown::Whole | Shown::End) => Shown::End,
            _ => return Shown::Less,
        };
    }
    shown
}

/// How many lines a `head` or `tail` lets through.
fn cuts_after(command: &Command) -> Option<usize> {
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

/// Whether the command says nothing when all is well: a check that never fails silently, or a script whose commands, which
/// its runner shows before it starts them, are such checks.
pub(super) fn is_silent(command: &Command, script: &Script, text: &str) -> bool {
    if command.is(Trait::Silent) {
        return true;
    }
    let mut shown = text.lines().filter_map(announced).filter(|line| !is_title(line)).peekable();
    let silent = |line: &str| {
        let inner = Script::parse(line);
        inner.programs().next().is_some() && inner.programs().all(|(_, c)| c.is(Trait::Silent) || c.is(Trait::Prepares))
    };
    command.is(Trait::Tasks)
        && script.programs().filter(|(_, c)| c.is(Trait::Tasks)).count() == 1
        && shown.peek().is_some()
        && shown.all(silent)
}

/// Whether nothing stands in the text but what the line itself, a runner of scripts or the client says beside the checks.
pub(super) fn says_nothing(script: &Script, text: &str) -> bool {
    let beside = |line: &str| {
        let line = line.trim();
        line.is_empty()
            || announced(line).is_some()
            || line.starts_with("Shell cwd was reset to ")
            || is_closing(line)
            || is_printed_by(script, line)
    };
    text.lines().all(beside)
}

/// The command that a runner of scripts is about to start: `> eslint src`, `$ tsc`, `[lint] $ golangci-lint run`.
fn announced(line: &str) -> Option<&str> {
    let line = line.trim();
    let plain = super::clean::without_task_mark(line).unwrap_or(line);
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
fn is_printed_by(script: &Script, line: &str) -> bool {
    script.programs().filter(|(_, c)| matches!(c.program.as_str(), "echo" | "printf")).any(|(_, echo)| {
        let words = echo.args.iter().filter(|word| !matches!(word.as_str(), "-e" | "-n")).map(String::as_str);
        let said = words.collect::<Vec<_>>().join(" ");
        said.split('\n').flat_map(|said| said.split("\\n")).map(str::trim).any(|said| match said.split_once('$') {
            None => !said.is_empty() && said == line,
            Some((before, "?")) if before.is_empty() => line.bytes().all(|b| b.is_ascii_digit()),
            Some((before, _)) => before.len() >= 3 && line.starts_with(before.trim_end()),
        })
    })
}
