//! What a failed run selects of all that its program could look at: what a later run leaves out of it, it does not prove.

use std::borrow::Cow;

use super::aim::CallAim;
use crate::history::{Execution, covers};
use crate::model::{Category, Check, CheckEnd, Intent, Reading};
use crate::programs::{self, Fact, Trait};
use crate::reading::CheckKind;
use crate::shell::Script;

/// Variables that change what is shown, and nothing of what runs.
#[rustfmt::skip]
const SHOWS: &[&str] = &[
    "CI", "COLUMNS", "FORCE_COLOR", "GIT_PAGER", "LANG", "LC_ALL", "NO_COLOR", "PAGER", "PATH", "RUST_BACKTRACE",
    "RUST_LOG", "TERM",
];
/// Options that change how a run goes, and nothing of what it looks at.
#[rustfmt::skip]
const GOES: &[&str] = &[
    "--", "--check", "--frozen", "--headed", "--locked", "--noEmit", "--no-cov", "--run", "--test-threads",
    "--workers", "-f", "-j", "-n", "-p=1", "-l", "-u",
];
/// Options whose value is the next word, where it does not stand in theirs.
#[rustfmt::skip]
const TAKES: &[&str] = &[
    "--config", "--configuration", "--features", "--profile", "--project", "--tags", "--target", "--test-threads",
    "--workers", "-c", "-j", "-m", "-n", "-tags",
];
/// Options by which any program runs less: without them it runs more.
#[rustfmt::skip]
const NARROWS: &[&str] = &[
    "--filter", "--grep", "--lib", "--package", "--skip", "--testNamePattern", "--testPathPattern", "-g", "-k",
    "-run", "-short", "-t",
];
/// What narrows by one word what another setting leaves out by itself: without it, that does not run.
const MARKS: &[&str] = &["-m", "--project"];
/// Words of a task's name by which it is no other, only more.
const ALL: &[&str] = &["all", "check", "ci", "fix", "full", "validate", "verify"];

/// What a failed run selects.
#[derive(Debug, Default)]
pub(super) struct RunSelection {
    check: Option<Check>,
    category: Category,
    /// Variables that were set for it.
    variables: Vec<(String, String)>,
    /// Whether it looked at the project without the work, or by settings that are not the project's: what it finds is known.
    pub(super) is_baseline: bool,
}

impl RunSelection {
    /// That of a call that failed.
    pub(super) fn of(execution: &Execution) -> Self {
        let category = execution.reading.as_ref().map_or(Category::Unknown, Reading::kind);
        let is_baseline = execution.intent == Some(Intent::Baseline);
        Self { check: execution.failed_check().cloned(), category, variables: variables_of(execution), is_baseline }
    }

    /// What a later call says of it: without its checks that leave out a part of this one; None where all do. In doubt they do.
    pub(super) fn held_of<'e>(&self, later: &'e Execution) -> Option<Cow<'e, Execution>> {
        let Some(own) = self.check.as_ref().filter(|_| !later.checks.is_empty()) else {
            return Some(Cow::Borrowed(later));
        };
        let given = if self.variables.is_empty() { Vec::new() } else { variables_of(later) };
        let is_held = |check: &Check| is_run_held(own, self.category, check);
        let held = later.checks.iter().filter(|check| is_held(check)).count();
        if held == 0 || !self.variables.iter().all(|variable| given.contains(variable)) {
            return None;
        }
        if held == later.checks.len() {
            return Some(Cow::Borrowed(later));
        }
        let mut part = later.clone();
        part.checks.retain(is_held);
        Some(Cow::Owned(part))
    }
}

impl RunSelection {
    /// Whether a later call runs the same program or task again: another part of the same.
    pub(super) fn is_run_again_by(&self, later: &Execution) -> bool {
        let Some(own) = &self.check else { return false };
        let names = if own.words.get(1).is_some_and(|word| word == "run") { 3 } else { 2 };
        let is_it = |check: &Check| {
            let mut words = check.words.iter();
            own.words.iter().take(names).all(|name| words.any(|word| word == name))
        };
        later.checks.iter().any(is_it)
    }

    /// Whether none of the files of a call lies in the folder that it checks.
    pub(super) fn is_apart_from(&self, aim: &CallAim) -> bool {
        let dir = self.check.as_ref().and_then(|check| check.dir.as_deref()).filter(|dir| dir.starts_with('/'));
        dir.is_some_and(|dir| aim.paths().next().is_some() && !aim.paths().any(|path| covers(dir, path)))
    }

    /// Whether a later call runs the program that the task is called by: `gofmt -l .` after `mise run fmt --check`.
    pub(super) fn is_of_program_in(&self, later: &Execution) -> bool {
        let Some(name) = self.check.as_ref().and_then(task_name).map(|parts| parts.join(" ")) else { return false };
        later.checks.iter().any(|check| check.end != CheckEnd::Failed && has_name(check, &name))
    }

    /// Whether a later call checks in the same folder, or in one below or above it.
    pub(super) fn is_near(&self, later: &Execution) -> bool {
        let dir_of = |check: &Check| check.dir.clone().unwrap_or_default();
        let Some(own) = self.check.as_ref().map(dir_of) else { return true };
        later.checks.iter().map(dir_of).any(|dir| dir.starts_with(&own) || own.starts_with(&dir))
    }

    /// Whether a later call is the same check, in the same place.
    pub(super) fn is_same_as(&self, later: &Execution) -> bool {
        let is_same = |own: &Check| later.checks.iter().any(|check| check.words == own.words && check.dir == own.dir);
        self.check.as_ref().is_some_and(is_same)
    }
}

fn is_run_held(own: &Check, category: Category, later: &Check) -> bool {
    // The name of a folder is no kind: `go build ./e2e_test`.
    let is_name = |word: &&String| !word.contains(['/', '.']) && !word.starts_with('-');
    let names = |check: &Check| check.words.iter().filter(is_name).cloned().collect::<Vec<_>>().join(" ");
    let kind = |check: &Check| CheckKind::of_words(&names(check));
    let has_less = || match (kind(own), kind(later)) {
        // What builds compiles no test, what tests finds nothing of style, and what formats finds nothing else.
        (Some(CheckKind::Tests), Some(CheckKind::Build | CheckKind::Types | CheckKind::Lint)) => true,
        (Some(CheckKind::Lint), Some(CheckKind::Tests | CheckKind::Build | CheckKind::Types)) => {
            category == Category::LintError
        }
        _ => later.fixes && !is_of_format(own) && is_of_format(later),
    };
    own.words == later.words
        || !has_less() && is_same_task(own, later) && {
            let given = options_of(later);
            options_of(own).iter().all(|option| given.contains(option) || is_wider_without(own, option.0))
        }
}

/// Whether both are of one task, or the later one of more: its name says so.
fn is_same_task(own: &Check, later: &Check) -> bool {
    let Some(own) = task_name(own) else { return true };
    // A program without options is no task that has a second word in its name: `lint:full`.
    let Some(later) = task_name(later) else { return own.len() == 1 || !options_of(later).is_empty() };
    let is_more = |part: &&str| own.contains(part) || ALL.contains(part);
    later.iter().all(is_more)
        && (own.iter().all(|part| later.contains(part) || *part == "fix")
            || later.iter().any(|part| ALL.contains(part)))
}

/// The parts of the name of the task that a check is.
fn task_name(check: &Check) -> Option<Vec<&str>> {
    let name = check.words.iter().skip(1).find(|word| !word.starts_with('-') && *word != "run")?;
    let is_task = programs::find(check.words.first()?).is_some_and(|program| program.has(Trait::Tasks));
    is_task.then(|| name.split([':', '-', '_']).collect())
}

/// Whether a check is what a job is called by: its words, or its kind alone.
pub(super) fn names_job(check: &Check, job: &str) -> bool {
    let kind = |line: &str| CheckKind::of_words(line);
    let is_whole = || options_of(check).iter().all(|(option, _)| !is_wider_without(check, option));
    // What formats puts right what it finds of that, and nothing else.
    let is_all = || is_whole() && !(check.fixes && is_of_format(check));
    let is_of_kind = |name: &String| {
        kind(&format!("make {name}")).is_some_and(|it| Some(it) == kind(&check.words.join(" "))) && is_all()
    };
    has_name(check, job) || matches!(name_parts(job).as_slice(), [name] if is_of_kind(name))
}

/// Whether the words of a check hold all words of a name: `E2E Tests` is no compiler's run.
fn has_name(check: &Check, name: &str) -> bool {
    let (own, wanted) =
        (name_parts(&check.words.join(" ")), name_parts(name.split(['(', '/']).next().unwrap_or_default()));
    !wanted.is_empty() && wanted.iter().all(|word| own.iter().any(|part| part.ends_with(word.as_str())))
}

fn name_parts(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(|word| word.to_ascii_lowercase().trim_end_matches('s').to_owned()).collect()
}

fn is_of_format(check: &Check) -> bool {
    check.words.iter().take(3).any(|word| word.contains("fmt") || word.contains("format"))
}

/// Whether a run of the same without this option looks at more.
fn is_wider_without(check: &Check, option: &str) -> bool {
    if MARKS.contains(&option) {
        return false;
    }
    let by = |fact: &Fact| matches!(fact, Fact::Narrows(by, _) if by.contains(&option) && option != "-c");
    let known = check.words.split_first().and_then(|(program, args)| Some((programs::find(program)?, args)));
    NARROWS.contains(&option) || known.is_some_and(|(program, args)| program.facts_of(args).any(by))
}

/// The options of a check that may change what it looks at, each with its value.
fn options_of(check: &Check) -> Vec<(&str, &str)> {
    let mut options = Vec::new();
    let mut words = check.words.iter().skip(1).map(String::as_str).peekable();
    while let Some(word) = words.next() {
        if !word.starts_with('-') {
            continue;
        }
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        let next = words.next_if(|next| value.is_empty() && TAKES.contains(&name) && !next.starts_with('-'));
        if !GOES.contains(&name) {
            options.push((name, next.unwrap_or(value)));
        }
    }
    options
}

fn variables_of(execution: &Execution) -> Vec<(String, String)> {
    let script = Script::parse(execution.input.as_deref().unwrap_or_default());
    let given = script.programs().flat_map(|(_, command)| command.assignments.clone());
    given.filter(|(name, _)| !SHOWS.contains(&name.as_str())).collect()
}
