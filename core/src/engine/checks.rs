//! Which checks a command line ran, where, and what became of each.

use std::borrow::Cow;

use crate::history::{Execution, absolute};
use crate::model::{Check, CheckEnd, ToolCall};
use crate::programs::{self, Fact, Trait};
use crate::reading::{By, CallPart, End, asks_about_itself, shown_scripts};
use crate::shell::{At, Command, Fate, Script};

/// Options that only change what is shown or how fast it is, and those that mend what is found.
const SHOWS: &[&str] = &[
    "-v",
    "-vv",
    "--verbose",
    "-q",
    "--quiet",
    "-s",
    "--silent",
    "-x",
    "--color",
    "--no-color",
    "--colors",
    "--ci",
    "-json",
    "--json",
    "-failfast",
    "--bail",
    "--fix",
    "--write",
    "--nocapture",
    "--no-coverage",
    "--runInBand",
    "--watchAll=false",
    "--no-fail-fast",
    "--forceExit",
    "--no-cache",
    "--pretty",
    "--no-pretty",
    "-B",
    "--offline",
];
/// The same with a value.
const SHOWS_WITH_VALUE: &[&str] =
    &["-timeout", "--timeout", "--reporter", "--tb", "--maxfail", "-parallel", "--test-timeout", "-count", "--format"];
/// Options that name the directory to work in.
const DIRECTORY: &[&str] =
    &["-C", "--prefix", "--cwd", "--dir", "--directory", "--cd", "--working-directory", "-chdir"];
/// The longest word and the most words that are kept of a check.
const LONGEST_WORD: usize = 120;
const MOST_WORDS: usize = 24;

/// The checks of a line, by what was read of its commands.
pub(super) fn checks_of(call: &ToolCall<'_>, script: Option<&Script>, parts: &[CallPart]) -> Vec<Check> {
    let Some(script) = script else { return Vec::new() };
    let mut checks = Vec::new();
    let runs_tasks = |(_, command): &(_, &Command)| command.is(Trait::Tasks);
    for part in parts {
        let Some(command) = script.get(part.at).filter(|command| is_check(command)) else { continue };
        let (words, dir) = words_and_directory(script, part.at, command, call.cwd.as_deref());
        let end = match part.end {
            End::Passed(_) if prints_only(command, &call.text) => CheckEnd::Unknown,
            End::Passed(_) => CheckEnd::Passed,
            End::Failed => CheckEnd::Failed,
            // What ran no test neither passed nor left in doubt what failed before.
            End::Idle => continue,
            End::Unknown => CheckEnd::Unknown,
        };
        let runners = part.runners.iter().map(|runner| (*runner).to_owned()).collect();
        let passed = matches!(part.end, End::Passed(By::Status | By::Silence));
        // What a task ran passed with it, where it is known which of several tasks shows it.
        if passed && command.is(Trait::Tasks) && script.programs().filter(runs_tasks).count() == 1 {
            checks.extend(checks_of_task(command, &call.text, dir.as_deref()));
        }
        let fixes = programs::fixes(command.name(), &command.args);
        checks.push(Check { words, dir, end, runners, fixes });
    }
    checks.truncate(Execution::CHECKS);
    checks
}

/// Whether a task ran nothing that could fail, by what its runner shows: a script of words to print, or none at all where one
/// need not be there.
fn prints_only(task: &Command, text: &str) -> bool {
    if !task.is(Trait::Tasks) {
        return false;
    }
    let mut shown = shown_scripts(task, text).map(Script::parse).peekable();
    if shown.peek().is_none() {
        return task.has_arg("--if-present");
    }
    shown.all(|script| script.programs().all(|(_, command)| command.is(Trait::Prepares) && command.is(Trait::Looks)))
}

/// The checks that a task which passed ran by its own script, as far as its runner shows them. Where a package of its own
/// is worked in is not known.
fn checks_of_task(task: &Command, text: &str, dir: Option<&str>) -> Vec<Check> {
    const PACKAGES: &[&str] = &["--filter", "-F", "-w", "--workspace", "--workspaces", "-r", "--recursive"];
    let is_elsewhere =
        task.args.iter().any(|word| PACKAGES.contains(&word.split_once('=').map_or(word.as_str(), |(name, _)| name)));
    if is_elsewhere {
        return Vec::new();
    }
    let mut checks = Vec::new();
    for line in shown_scripts(task, text) {
        let script = Script::parse(line);
        let is_own = |at: &At, command: &Command| {
            let is_known = command.facts_like(|fact| matches!(fact, Fact::Narrows(..))).next().is_some();
            is_known && is_check(command) && script.status_of(*at) == Fate::Kept && script.surely_ran(*at)
        };
        for (at, command) in script.programs().filter(|(at, command)| is_own(at, command)) {
            let (words, dir) = words_and_directory(&script, at, command, dir);
            let fixes = programs::fixes(command.name(), &command.args);
            checks.push(Check { words, dir, end: CheckEnd::Passed, runners: Vec::new(), fixes });
        }
    }
    checks
}

/// Whether a command may be a check: what is known to do something else is none.
pub(super) fn is_check(command: &Command) -> bool {
    const OTHER: &[Trait] = &[Trait::Apart, Trait::Works, Trait::HandsOver, Trait::Hooks, Trait::Shell, Trait::Polls];
    const CHECKS: &[Trait] = &[
        Trait::Tasks,
        Trait::Checks,
        Trait::ChecksAlone,
        Trait::Silent,
        Trait::TellsLast,
        Trait::Closes,
        Trait::Interpreter,
        Trait::RunsScripts,
    ];
    let finds = |fact: &Fact| matches!(fact, Fact::Narrows(..) | Fact::Includes(..));
    let finds = command.facts_like(finds).next().is_some();
    let other = !finds && OTHER.iter().any(|other| command.is(*other));
    if other || command.program.is_empty() || command.only_looks() || asks_about_itself(command) {
        return false;
    }
    if command.known.is_none() {
        return true;
    }
    !command.takes_code_word() && (finds || CHECKS.iter().any(|check| command.is(*check)))
}

/// The words of a check, and the directory that it works in, where `from` is the directory of the whole script.
fn words_and_directory(
    script: &Script,
    at: At,
    command: &Command,
    from: Option<&str>,
) -> (Vec<String>, Option<String>) {
    let (words, own) = check_words(command);
    let steps = script.directories_before(at).into_iter().chain(own);
    (words, steps.fold(from.map(str::to_owned), |dir, step| Some(entered(dir.as_deref(), step))))
}

/// The words of a check, and the directories that they name to work in.
fn check_words(command: &Command) -> (Vec<String>, Vec<&str>) {
    let mut words = vec![short_word(command.name())];
    let mut directories = Vec::new();
    let mut rest = command.args.iter().map(String::as_str);
    while let Some(word) = rest.next() {
        let kept = words.len() < MOST_WORDS;
        if !word.starts_with('-') {
            words.extend(kept.then(|| short_word(word)));
            continue;
        }
        let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
        if DIRECTORY.contains(&name) {
            directories.extend(value.or_else(|| rest.next()));
        } else if SHOWS_WITH_VALUE.contains(&name) {
            if value.is_none() {
                rest.next();
            }
        } else if kept && (!SHOWS.contains(&word) || leaves_out(command, word)) {
            words.push(short_word(word));
        }
    }
    if words.last().is_some_and(|word| word == "--") {
        words.pop();
    }
    (words, directories)
}

/// Whether the option leaves a part out of what this program checks: `gradle build -x test`, and `pytest -x`, which only
/// stops early.
fn leaves_out(command: &Command, option: &str) -> bool {
    command
        .facts_like(|fact| matches!(fact, Fact::Narrows(..)))
        .any(|fact| matches!(fact, Fact::Narrows(by, _) if by.contains(&option)))
}

fn short_word(word: &str) -> String {
    crate::text::head(word, LONGEST_WORD).to_owned()
}

/// Where a `cd` leads. Some clients tell the directory that the call ended in: one that the call went to is not entered
/// twice.
fn entered(from: Option<&str>, to: &str) -> String {
    let to = to.trim_end_matches('/');
    let is_there = || {
        let below = Cow::Borrowed(to.trim_start_matches("./"));
        from.is_some_and(|from| from.strip_suffix(below.as_ref()).is_some_and(|rest| rest.ends_with('/')))
    };
    match from {
        Some(from) if !to.is_empty() && !to.starts_with(['/', '~', '$', '.']) && is_there() => from.to_owned(),
        _ if to.starts_with(['~', '$']) => to.to_owned(),
        _ if to.is_empty() => "/".to_owned(),
        _ => absolute(to, from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_entered_once() {
        for (from, to, wanted) in [
            ("/srv/app", "web", "/srv/app/web"),
            ("/srv/app/web", "web", "/srv/app/web"),
            ("/srv/app/web", "../api", "/srv/app/api"),
            ("/srv/app", "/srv/other/", "/srv/other"),
            ("/srv/app", ".", "/srv/app"),
            ("/srv/app", "~/other", "~/other"),
        ] {
            assert_eq!(entered(Some(from), to), wanted, "{from} {to}");
        }
        assert_eq!(entered(None, "web"), "web");
    }

    #[test]
    fn what_only_changes_the_display_is_left_out() {
        let words = |line: &str| {
            let script = Script::parse(line);
            let (words, directories) = check_words(script.last().unwrap());
            (words.join(" "), directories.join(" "))
        };
        let plain = |words: &str| (words.to_owned(), String::new());
        assert_eq!(words("go test -v -count=1 -timeout 60s ./..."), plain("go test ./..."));
        assert_eq!(words("eslint . --fix --format stylish"), plain("eslint ."));
        assert_eq!(words("pytest -x tests"), plain("pytest tests"));
        assert_eq!(words("gradle build -x test"), plain("gradle build -x test"));
        assert_eq!(words("terraform -chdir=infra validate"), ("terraform validate".to_owned(), "infra".to_owned()));
        assert_eq!(words("npm --prefix web test"), ("npm test".to_owned(), "web".to_owned()));
        assert_eq!(words("make -C sub check"), ("make check".to_owned(), "sub".to_owned()));
        assert_eq!(words("go test -run TestA ./a"), plain("go test -run TestA ./a"));
    }
}
