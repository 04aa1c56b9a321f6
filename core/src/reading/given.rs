//! What an output says of a word that the call gave: of an option, a value or a path of its own command line. There is no
//! better witness of what went wrong than a complaint about what was asked for, whatever the program is known for.

use crate::model::{Basis, Category, FindingKind, Object, Reading, RunResult};
use crate::programs::Trait;
use crate::shell::{At, Command};
use crate::text::{cut, holds_word};

use super::finding::findings_of_line;
use super::involved::{Involved, Nature};
use super::resolve::RUNS;
use super::row::kind_of_object;
use super::sentences;
use super::spoken::is_warning;

/// So many lines at each end of an output are asked.
const LINES: usize = 40;
/// An output of so many lines tells of one thing.
const SHORT: usize = 12;

/// The system's words for why a file was refused, without their first letter.
const REASONS: &[(&str, Category)] = &[
    ("ermission denied", Category::PermissionDenied),
    ("peration not permitted", Category::PermissionDenied),
    ("s a directory", Category::BadArguments),
    ("peration on a directory", Category::BadArguments),
    ("o such file or directory", Category::PathNotFound),
    ("o space left on device", Category::ResourceExhausted),
];

/// What a program says of a word that it does not take, without what may be a capital letter.
const DENIES: &[&str] = &[
    "nknown",
    "nvalid",
    "nrecogni",
    "nsupported",
    "not supported",
    "not recogni",
    "o such",
    "not a valid",
    "not valid",
    "xpected",
    "does not exist",
    "doesn't exist",
    "not found",
    "not available",
];

/// What a program says behind a path that is not there.
const ABSENT: &[&str] = &["does not exist", "doesn't exist", "not found"];

/// What it says before one, without what may be a capital letter.
const UNOPENED: &[&str] = &[
    "an't open",
    "annot open",
    "ould not open",
    "nable to open",
    "ailed to open",
    "an't find",
    "annot find",
    "ould not find",
    "o files matching",
];

/// What a program calls an option, without what may be a capital letter.
const OPTIONS: &[&str] = &["ption", "lag", "rgument"];

/// What the output says of the words of the call, where this says more than what was read of it.
pub(super) fn refine(reading: &mut Reading, involved: &Involved<'_>, text: &str) {
    let is_open = !is_settled(reading.category);
    let is_told = (reading.category, reading.basis) == (Category::TestFailure, Some(Basis::Line));
    if is_told || !is_open && reading.category != Category::PermissionDenied {
        return;
    }
    let line = reading.line.clone().unwrap_or_default();
    if system_reason(&line) == Some(reading.category) {
        prefer_named_line(reading, involved, text, &line);
        return;
    }
    // Of most outputs one look at the whole of it tells that no line says it.
    let lines_with = |signs: &'static [&'static str]| {
        let signs: Vec<&'static str> = signs.iter().copied().filter(|sign| text.contains(sign)).collect();
        let lines = (!signs.is_empty()).then(|| ends(text)).into_iter().flatten();
        lines.filter(move |line| signs.iter().any(|sign| line.contains(sign)) && !is_warning(line))
    };
    let denies = |line: &&str| commands_of(involved).any(|command| denies_option(line, command));
    let option = || {
        let gives = |command: &Command| command.args.iter().any(|arg| arg.starts_with('-'));
        let may_be = is_open && reading.category != Category::BadArguments && commands_of(involved).any(gives);
        if may_be { lines_with(OPTIONS).find(denies) } else { None }
    };
    let is_refused = system_reason(text).is_some();
    let refused = |is_its: &dyn Fn(&str) -> bool| {
        let reason = |line| Some((line, system_reason(line)?)).filter(|_| is_its(line) && !is_warning(line));
        if is_refused { ends(text).find_map(reason) } else { None }
    };
    let of_word = || refused(&|line| names_given(line, involved)).filter(|_| is_open);
    let elsewhere = || refused(&|_| true).filter(|_| opens_only(reading, text));
    let value = || lines_with(DENIES).filter(|_| is_vague(reading)).find(|line| denies_value(line, involved));
    let bad_argument = |line| (line, Category::BadArguments);
    let absent = || {
        let may_be = is_vague(reading) || matches!(reading.category, Category::CompileError | Category::LintError);
        let mut lines = lines_with(ABSENT).chain(lines_with(UNOPENED)).filter(|_| may_be);
        let line = lines.find(|line| names_absent_path(line, involved))?;
        Some((line, Category::PathNotFound))
    };
    let said = option().map(bad_argument).or_else(of_word).or_else(elsewhere).or_else(absent);
    if let Some((line, category)) = said.or_else(|| value().map(bad_argument)) {
        set(reading, category, line);
    }
    prefer_named_line(reading, involved, text, &line);
}

/// Where the line that was found names no word of the call, another that says the same of one.
fn prefer_named_line(reading: &mut Reading, involved: &Involved<'_>, text: &str, line: &str) {
    let is_of_call =
        matches!(reading.category, Category::PathNotFound | Category::PermissionDenied | Category::BadArguments);
    if !is_of_call || reading.line.as_deref() != Some(line) || names_given(line, involved) {
        return;
    }
    let says_it = |line: &&str| {
        names_given(line, involved)
            && sentences::told(line, false).is_some_and(|told| told.category == reading.category)
    };
    if let Some(named) = ends(text).find(says_it) {
        reading.line = Some(cut(named, 300));
    }
}

/// Whether a line says that a program does not take an option which the command gives.
pub(super) fn denies_option(line: &str, command: &Command) -> bool {
    let is_given = |name: &str| {
        let bare = name.trim_start_matches('-');
        let is_it = |arg: &String| {
            let own = arg.split_once('=').map_or(arg.as_str(), |(own, _)| own);
            own.starts_with('-') && own.trim_start_matches('-') == bare
        };
        !bare.is_empty() && command.own_args().iter().any(is_it)
    };
    OPTIONS.iter().any(|word| line.contains(word))
        && findings_of_line(line)
            .iter()
            .any(|finding| finding.kind == FindingKind::UnknownOption && finding.name.is_some_and(is_given))
}

/// Whether a line that denies something names a value or word which the call gives, and is not spoken by it: `Main.hs: no
/// such account`. Of a program of the project it is the program's affair.
fn denies_value(line: &str, involved: &Involved<'_>) -> bool {
    let said = line.split_once(": ").map_or(line, |(_, said)| said);
    let installed = involved.script.programs().filter(|(at, _)| is_installed(involved, *at));
    installed.map(|(_, command)| command).any(|command| names_word_of(said, command))
}

/// Whether a line says of a path that the call gives that it is not there.
fn names_absent_path(line: &str, involved: &Involved<'_>) -> bool {
    let line = behind_place(line);
    let before = || ABSENT.iter().find_map(|sign| line.split_once(sign)).map(|(named, _)| named);
    let behind = || UNOPENED.iter().find_map(|sign| line.split_once(sign)).map(|(_, named)| named);
    let Some(named) = behind().or_else(before) else { return false };
    let is_path = |word: &&str| word.contains('/') || word.rsplit_once('.').is_some_and(|(name, _)| !name.is_empty());
    let installed = involved.script.programs().filter(|(at, _)| is_installed(involved, *at));
    let mut words = installed.flat_map(|(_, command)| &command.args).filter(|arg| is_path(&arg.as_str()));
    words.any(|arg| words_in(arg).any(|word| holds_word(named, word)))
}

/// Whether the command at this place runs a program with words of its own, and no code, task or script of the project.
pub(super) fn is_installed(involved: &Involved<'_>, at: At) -> bool {
    let nature = || involved.natures().find(|(place, _)| *place == at).map(|(_, nature)| nature);
    involved.command(at).is_some_and(|command| {
        let runs_code = || [Trait::Interpreter, Trait::TakesCode, Trait::RunsScript].iter().any(|own| command.is(*own));
        (!command.is_by_path() || command.known.is_some()) && !runs_code()
    }) && matches!(nature(), Some(Nature::Plain | Nature::Program))
}

/// The lines at both ends of a text that begin as a complaint does, or give the system's reason.
pub(super) fn complaints(text: &str) -> impl Iterator<Item = &str> {
    /// What precedes its own words: a time, a program, a kind.
    const MARKS: usize = 3;
    let begins = |line: &str| {
        let mut said = line.splitn(MARKS, ": ");
        said.any(|part| sentences::begins_as_error(part.trim_start_matches(|c: char| !c.is_ascii_alphanumeric())))
    };
    ends(text).filter(move |line| !is_warning(line) && (system_reason(line).is_some() || begins(line)))
}

/// Whether a line names an option, a value or a path of the call, otherwise than as the source that it speaks of.
fn names_given(line: &str, involved: &Involved<'_>) -> bool {
    let said = behind_place(line);
    commands_of(involved).any(|command| names_word_of(said, command))
}

/// A line without the place that it begins with: the source that it speaks of.
fn behind_place(line: &str) -> &str {
    if sentences::names_place(line) { line.split_once(' ').map_or("", |(_, said)| said) } else { line }
}

/// The same of one command.
pub(super) fn names_word_of(line: &str, command: &Command) -> bool {
    command.args.iter().flat_map(|arg| words_in(arg)).any(|word| holds_word(line, word))
}

fn commands_of<'i>(involved: &'i Involved<'_>) -> impl Iterator<Item = &'i Command> {
    involved.script.programs().map(|(_, command)| command).filter(|command| !command.is(Trait::Prints))
}

/// A word of a command, and what stands in it: the value behind `=`, the name at the end of a path, the folder of one that
/// lies deep. A word of one or two letters stands anywhere.
fn words_in(arg: &str) -> impl Iterator<Item = &str> {
    let value = arg.split_once('=').map(|(_, value)| value);
    let (folder, name) = arg.trim_end_matches('/').rsplit_once('/').unzip();
    let folder = folder.filter(|folder| folder.contains('/'));
    let is_word = |word: &&str| word.trim_start_matches('-').len() > 2 && !word.contains(['$', '\n', ' ']);
    std::iter::once(arg).chain(value).chain(name).chain(folder).filter(is_word)
}

/// The system's own word in a line for why it refused.
fn system_reason(line: &str) -> Option<Category> {
    REASONS.iter().find(|(words, _)| line.contains(words)).map(|(_, category)| *category)
}

/// Whether the reading knows only that something could not be opened, and the output is all about that.
fn opens_only(reading: &Reading, text: &str) -> bool {
    reading.category == Category::PathNotFound
        && reading.line.as_deref().is_some_and(|line| system_reason(line).is_none())
        && text.lines().nth(SHORT).is_none()
}

/// Whether no word of the call explains what was read: it lies outside.
const fn is_settled(category: Category) -> bool {
    matches!(
        category,
        Category::TestFailure
            | Category::PermissionDenied
            | Category::CommandNotFound
            | Category::DependencyMissing
            | Category::AuthRequired
            | Category::Network
            | Category::RateLimit
            | Category::ServiceError
            | Category::ResourceBusy
            | Category::ResourceExhausted
            | Category::Timeout
            | Category::MergeConflict
            | Category::VcsState
            | Category::CommitHookFailed
            | Category::CiCheckFailed
            | Category::RemoteNotFound
    )
}

/// Whether nothing is known but that a program failed.
fn is_vague(reading: &Reading) -> bool {
    reading.category == Category::Unknown || reading.category == Category::RuntimeError
}

fn set(reading: &mut Reading, category: Category, line: &str) {
    (reading.category, reading.basis, reading.likely) = (category, Some(Basis::Words), None);
    reading.line = Some(cut(line, 300));
    reading.transient = None;
    if !RUNS.contains(&category) {
        reading.result = RunResult::Unstated;
    }
    reading.objects = findings_of_line(line)
        .iter()
        .find_map(|finding| finding.name)
        .map(|name| Object { kind: kind_of_object(category), name: cut(name, 200) })
        .into_iter()
        .collect();
}

/// The lines at both ends of a text, trimmed, without blank ones and those with which a shell shows what it runs.
fn ends(text: &str) -> impl Iterator<Item = &str> {
    let is_said = |line: &&str| !line.is_empty() && !line.starts_with("+ ");
    let lines = || text.lines().map(str::trim).filter(is_said);
    let first = lines().take(LINES);
    let last: Vec<&str> = lines().rev().take(LINES).collect();
    let behind = first.clone().last().map_or(0, |line| line.as_ptr() as usize);
    first.chain(last.into_iter().rev().filter(move |line| line.as_ptr() as usize > behind))
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use proptest::prelude::*;

    use crate::model::{Category, Outcome, Status, Tool, ToolCall, ToolInput};
    use crate::reading::judge;

    fn judged(command: &str, status: Status, text: &str) -> (Outcome, Category, Option<String>) {
        let input = ToolInput::Command { command: Cow::Borrowed(command), background: false };
        let exit_code = (status == Status::Failed).then_some(1);
        let call =
            ToolCall { exit_code, text: Cow::Borrowed(text), ..ToolCall::new(Tool::named("Bash"), input, status) };
        let judgement = judge(&call, false);
        (judgement.outcome, judgement.reading.category, judgement.reading.line)
    }

    proptest! {
        /// Whatever a program is for, and whatever it says around it.
        #[test]
        fn the_systems_reason_for_a_word_of_the_call_decides(
            program in "(q[a-z]{4,9}z|dot|mypy|flake8|acorn|lessc|jq)",
            file in "[a-z]{4,9}/[a-z]{4,9}\\.(txt|dot|css)",
            reason in prop::sample::select(vec![
                ("Permission denied", Category::PermissionDenied),
                ("No such file or directory", Category::PathNotFound),
                ("Is a directory", Category::BadArguments),
            ]),
            form in prop::sample::select(vec!["Error: cannot open {f}: {r}", "{f}: {r}", "FATAL could not read '{f}' ({r})"]),
            below in prop::sample::select(vec!["", "giving up\n", "no output was written\n"]),
        ) {
            let line = form.replace("{f}", &file).replace("{r}", reason.0);
            let (outcome, category, said) = judged(&format!("{program} {file}"), Status::Failed, &format!("{line}\n{below}"));
            prop_assert_eq!((outcome, category), (Outcome::Failed, reason.1), "{}", line);
            prop_assert!(said.is_some_and(|said| said.contains(file.rsplit('/').next().unwrap())));
        }

        /// A complaint about an option of the call is a failure wherever the status goes.
        #[test]
        fn a_refused_option_is_heard_behind_a_lost_status(
            program in "q[a-z]{4,9}z",
            option in "(--[a-z]{4,9}|-[A-U])",
            wording in prop::sample::select(vec!["unknown option: {o}", "{p}: unrecognized option '{o}'", "error: unknown option '{o}'"]),
            above in prop::sample::select(vec!["", "q1 of the tide tables\nusing 3 threads\n"]),
            (loses, end) in prop::sample::select(vec![
                ("{c} 2>&1 | tail -5", ""),
                ("{c}; echo done", "done\n"),
                ("{c} 2>&1 | head -3 && ls pages", "index.md\n"),
                ("{c}; git --version", "git version 2.47.3\n"),
                ("({c} 2>&1; echo \"exit: $?\")", "exit: 2\n"),
                ("out=$({c} 2>&1); echo \"$out\" | tail -8", ""),
                ("{c} > run.log 2>&1; tail -5 run.log", ""),
            ]),
        ) {
            let line = wording.replace("{o}", &option).replace("{p}", &program);
            let command = loses.replace("{c}", &format!("{program} {option}"));
            let (outcome, category, said) = judged(&command, Status::Succeeded, &format!("{above}{line}\n{end}"));
            prop_assert_eq!((outcome, category), (Outcome::MaskedFailure, Category::BadArguments), "{}", line);
            prop_assert_eq!(said.as_deref(), Some(line.as_str()), "{}", command);
            // A status of 0 is no failure, whatever was said.
            let passed = judged(&format!("{program} {option}; echo \"exit: $?\""), Status::Succeeded, &format!("{line}\nexit: 0\n"));
            prop_assert_eq!(passed.0, Outcome::Succeeded);
        }
    }
}
