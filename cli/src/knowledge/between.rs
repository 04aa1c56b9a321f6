//! What a call does that stands between two runs: what may be a fix, what only looks, and what nobody could tell.

use super::instead::started_by;
use super::place::Root;
use crate::history::{Effect, Execution, absolute};
use crate::programs::words::{BUILDS, HOUSEKEEPING, MOVES};
use crate::programs::{Fact, Trait};
use crate::shell::{At, Command, Nesting, Script};

/// What a call did that ran between a failure and the pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Doing {
    /// Nothing that could matter: it looked, checked, kept house, or failed.
    Nothing,
    /// It ran these commands, which may be what helped.
    Ran(Vec<String>),
    /// It changed files, or did what cannot be told: whatever passes then may have passed by that.
    Changed,
}

/// The longest command that is kept, in bytes.
const LONGEST: usize = 160;

/// Programs that run nothing of the project, and all the same may be what helped.
const LOCAL: &[&str] =
    &["rm", "rmdir", "mkdir", "touch", "chmod", "chown", "kill", "pkill", "killall", "unlink", "fuser"];

/// Words of a task's or a program's name that say it checks.
const CHECKS: &[&str] = &[
    "test",
    "tests",
    "lint",
    "lints",
    "linter",
    "check",
    "checks",
    "typecheck",
    "types",
    "tsc",
    "vet",
    "clippy",
    "spec",
    "e2e",
    "verify",
    "validate",
    "pytest",
    "jest",
    "vitest",
    "eslint",
    "mypy",
    "ruff",
    "biome",
    "coverage",
    "ci",
    "fmt",
    "format",
    "prettier",
    "gofmt",
    "rustfmt",
    "shellcheck",
    "bench",
    "doctor",
    "diff",
    "unit",
    "integration",
    "audit",
    "staticcheck",
    "benchmark",
    "playwright",
    "cypress",
    "rspec",
    "phpunit",
    "nextest",
    "tox",
    "nox",
];

/// What a call that ended did.
pub(super) fn doing(execution: &Execution, succeeded: bool, root: &Root<'_>) -> Doing {
    match execution.effect {
        Effect::None => return Doing::Nothing,
        Effect::Files => return Doing::Changed,
        Effect::Shell => {}
    }
    let Some(input) = execution.input.as_deref() else { return Doing::Changed };
    let script = Script::parse(input);
    if execution.input_altered || script.incomplete || !execution.changed.is_empty() || !execution.restored.is_empty() {
        // What was cut off may be anything; a commit's long message is none the less a commit.
        let is_house = script.programs().all(|(_, command)| is_aside(command));
        return if is_house && execution.changed.is_empty() { Doing::Nothing } else { Doing::Changed };
    }
    let mut ran = Vec::new();
    for (at, command) in script.programs().filter(|(at, _)| is_of_the_line(&script, *at)) {
        if command.writes_a_file() || is_throw_away(command) || MOVES.contains(&command.program.as_str()) {
            return Doing::Changed;
        }
        if !LOCAL.contains(&command.program.as_str()) && is_aside(command) {
            continue;
        }
        match told(&script, at, input, execution.cwd.as_deref(), root) {
            Some(line) => ran.push(line),
            None => return Doing::Changed,
        }
    }
    // Of what failed nobody knows how far it came.
    let is_over = succeeded && execution.background_task.is_none();
    if ran.is_empty() || !is_over { Doing::Nothing } else { Doing::Ran(ran) }
}

fn is_of_the_line(script: &Script, at: At) -> bool {
    script.pipelines.get(at.pipeline).is_some_and(|pipeline| pipeline.nesting != Nesting::Substitution)
}

/// Code in the words, which is written for the occasion.
fn is_throw_away(command: &Command) -> bool {
    let has_code = || command.own_args().iter().any(|word| matches!(&**word, "-c" | "-e" | "--eval" | "-p"));
    command.reads_here_document() || command.is(Trait::TakesCode) && has_code() && !command.is(Trait::Tasks)
}

/// Whether a command neither helps nor harms: it looks, checks, keeps house, waits, serves or speaks to somebody else.
fn is_aside(command: &Command) -> bool {
    const ASIDE: &[Trait] = &[
        Trait::Prepares,
        Trait::Displays,
        Trait::Harmless,
        Trait::Apart,
        Trait::Polls,
        Trait::Endless,
        Trait::Checks,
        Trait::ChecksAlone,
    ];
    command.only_looks()
        || command.program == "sleep"
        || command.program == "wait"
        || ASIDE.iter().any(|aside| command.is(*aside)) && !is_fix_by_name(command)
        || HOUSEKEEPING.iter().any(|words| command.runs(words))
        || is_check(command)
}

/// Runners of tasks may be rows of checks: the task's own name says what it is.
fn is_fix_by_name(command: &Command) -> bool {
    command.is(Trait::Tasks) && command.subcommands().next().is_some() && !is_check(command)
}

fn is_check(command: &Command) -> bool {
    let names_one = |word: &str| {
        let mut parts = word.split(|sign: char| !sign.is_ascii_alphanumeric());
        parts.any(|part| CHECKS.contains(&part.to_ascii_lowercase().as_str()))
    };
    let includes = |fact: &Fact| matches!(fact, Fact::Includes(..));
    names_one(&command.program)
        || command.subcommands().take(2).any(names_one)
        || command.facts_like(includes).next().is_some() && !BUILDS.iter().any(|words| command.runs(words))
}

/// The command as it may be told, with the folder that it has to stand in.
fn told(script: &Script, at: At, input: &str, cwd: Option<&str>, root: &Root<'_>) -> Option<String> {
    let command = script.get(at)?;
    let mut words: Vec<String> = command.assignments.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let (around, front) = started_by(command, input)?;
    words.extend(around);
    words.extend(front);
    words.push(command.raw.clone());
    for arg in &command.args {
        words.push(shell_word(&root.relative_word(arg, cwd))?);
    }
    let line = words.join(" ");
    let folder = folder_at(script, at, cwd, root);
    let is_inside = folder.as_deref().is_some_and(|folder| folder != ".");
    let line = match folder.filter(|_| is_inside) {
        Some(folder) if folder.starts_with(['/', '~']) => return None,
        Some(folder) => format!("cd {folder} && {line}"),
        None => line,
    };
    (line.len() <= LONGEST && !line.contains('\n')).then_some(line)
}

/// A word as it is typed; None where it holds what a shell would read as more than a word.
fn shell_word(word: &str) -> Option<String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:=,@%+#^~{}*".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        return Some(word.to_owned());
    }
    let is_quotable = |sign: char| !sign.is_control() && !matches!(sign, '\'' | '$' | '`' | '\\');
    word.chars().all(is_quotable).then(|| format!("'{word}'"))
}

/// Where the last command of a call's line ran, relative to the root; None where that is not known.
pub(super) fn folder_of(execution: &Execution, root: &Root<'_>) -> Option<String> {
    let input = execution.input.as_deref()?;
    let script = Script::parse(input);
    let work = script.programs().filter(|(at, command)| is_of_the_line(&script, *at) && !command.is(Trait::Prepares));
    let at = work.map(|(at, _)| at).next()?;
    folder_at(&script, at, execution.cwd.as_deref(), root)
}

fn folder_at(script: &Script, at: At, cwd: Option<&str>, root: &Root<'_>) -> Option<String> {
    let mut folder = cwd.map(str::to_owned);
    for step in script.directories_before(at) {
        if step.starts_with(['~', '-', '$']) {
            return None;
        }
        folder = Some(absolute(step, folder.as_deref().or(root.0)));
    }
    folder.map(|folder| root.relative(&folder, None))
}
