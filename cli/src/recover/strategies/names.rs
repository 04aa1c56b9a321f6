//! A word of the call that names nothing: a flag, a subcommand, a script, a target, a branch.

use super::super::case::{Case, Offer, Offered};
use super::super::step::{Deed, PlanStep};
use super::lines::offered;
use super::looks::{beginning_of_the_input, input_look};
use super::manifests::declared_here;
use super::programs::{is_slip, near_program};
use super::vocabulary::{help_names, same_branch, same_in_range, with_known_name};
use crate::model::{Category, Finding, FindingKind as Kind};
use crate::names::{is_other, only_begun, only_close};
use crate::programs::Trait;
use crate::shell::{Command, PlacedWord, WordRole, line_of};
use crate::text::quoted;

/// A branch, tag or revision that git does not know.
pub(super) fn wrong_ref<'c>(case: &'c Case<'_>) -> Option<&'c str> {
    wrong_word(case).filter(|(_, kind)| is_ref(*kind)).map(|(name, _)| name)
}

fn is_ref(kind: Kind) -> bool {
    matches!(kind, Kind::UnknownRef | Kind::UnknownPathspec)
}

/// The wrong word as the output names it, and what it names. What git calls a path is looked for by `paths`.
fn wrong_word<'c>(case: &'c Case<'_>) -> Option<(&'c str, Kind)> {
    let is_wrong = |found: &&Finding<'c>| {
        KINDS.contains(&found.kind)
            && found.name.is_some()
            && !(found.kind == Kind::UnknownPathspec && names_files(case))
    };
    case.findings().find(is_wrong).and_then(|found| Some((found.name?, found.kind)))
}

/// The kinds of finding that name a word of the call which names nothing.
const KINDS: &[Kind] = &[
    Kind::UnknownOption,
    Kind::UnknownSubcommand,
    Kind::UnknownScript,
    Kind::UnknownRef,
    Kind::UnknownRemoteRef,
    Kind::UnknownPathspec,
    Kind::UnknownRemote,
    Kind::InvalidValue,
];

/// Whether the call names files where git speaks of a pathspec.
fn names_files(case: &Case<'_>) -> bool {
    const OF_FILES: &[&str] = &["add", "rm", "mv", "commit", "restore", "diff", "stage", "blame", "log"];
    case.commands().any(|command| command.subcommands().next().is_some_and(|word| OF_FILES.contains(&word)))
}

/// The names that could have been meant, as far as they can be seen.
fn candidates(case: &Case<'_>, kind: Kind) -> Vec<String> {
    let mut names = case.printed().listed_names();
    match kind {
        Kind::UnknownScript => names.extend(scripts(case)),
        Kind::UnknownRef | Kind::UnknownPathspec | Kind::UnknownRemoteRef => {
            let refs = case.looks.refs(&case.folder());
            names.extend(refs.branches);
            names.extend(refs.remote_branches);
            names.extend(refs.tags);
        }
        Kind::UnknownRemote => names.extend(case.looks.refs(&case.folder()).remotes),
        Kind::UnknownOption => names.extend(case.printed().long_flags()),
        Kind::UnknownSubcommand => {
            let known = case.command().and_then(|command| command.known).map_or(&[][..], |known| known.subcommands);
            names.extend(known.iter().map(|row| row.words.to_owned()));
        }
        _ => {}
    }
    // What the output repeats of the call is no other name.
    names.retain(|name| wrong_word(case).is_none_or(|(wrong, _)| name != wrong));
    names.sort();
    names.dedup();
    names
}

/// The scripts or targets of the manifest in the folder where it ran.
fn scripts(case: &Case<'_>) -> Vec<String> {
    case.command().map(|command| declared_here(case, command.name())).unwrap_or_default()
}

pub(in super::super) fn use_suggested_name(case: &Case<'_>) -> Offered {
    let offer = word_suggested(case).or_else(|reason| {
        let line = case.failed.line.as_deref().ok_or(reason)?;
        offered(case, line, &[with_known_name]).ok_or(reason)
    });
    offer.map(Offer::guessing)
}

/// A word of the line that names nothing, by what was printed of it.
fn word_suggested(case: &Case<'_>) -> Offered {
    if case.category() == Category::CommandNotFound
        && let Ok(offer) = near_program(case)
    {
        return Ok(offer);
    }
    let (wrong, kind) = wrong_word(case).ok_or("the output names no wrong word")?;
    let is_it = |text: &str| text == wrong || text.strip_prefix(wrong).is_some_and(|rest| rest.starts_with('='));
    let dashed =
        |text: &str| kind == Kind::UnknownOption && (text.trim_start_matches('-') == wrong.trim_start_matches('-'));
    let mut words = case
        .words
        .iter()
        .filter(|word| word.is_literal && word.role == WordRole::Argument && (is_it(&word.text) || dashed(&word.text)));
    let word = words.next().ok_or("the wrong word is not in the line")?;
    if words.next().is_some() {
        return Err("the wrong word occurs in the line more than once");
    }
    // What a program proposes is as much a guess as any: another number is never meant, but in an option of its own.
    let is_possible = |name: &String| {
        let is_option = kind == Kind::UnknownOption;
        *name != word.text && if is_option { name.starts_with('-') } else { !is_other(&word.text, name) }
    };
    let told = case.printed().suggested_name().filter(is_possible);
    let is_told = told.is_some();
    let asked = &word.text[..word.text.find('=').unwrap_or(word.text.len())];
    let leading = |name: &str| name.len() - name.trim_start_matches('-').len();
    let near = || {
        let names = candidates(case, kind);
        let near = only_close(asked, names.iter().map(String::as_str)).map(str::to_owned);
        let same = || same_branch(&word.text, &names).filter(|_| is_ref(kind));
        let begun = || {
            only_begun(asked, names.iter().map(String::as_str))
                .filter(|near| !is_ref(kind) || near.starts_with(asked))
                .map(str::to_owned)
        };
        near.or_else(|| dashed_name(&word.text, &names)).or_else(same).or_else(begun)
    };
    // The help is asked only for what the error names as an option or a subcommand, and a sentence of it has many words.
    let of_help = || {
        let names =
            if matches!(kind, Kind::UnknownOption | Kind::UnknownSubcommand) { help_names(case) } else { Vec::new() };
        let names = || names.iter().map(String::as_str).filter(|name| leading(name) == leading(asked));
        let close = only_close(asked, names()).filter(|near| is_slip(asked, near));
        close.or_else(|| only_begun(asked, names()).filter(|_| kind == Kind::UnknownOption)).map(str::to_owned)
    };
    let near = || near().filter(|near| kind != Kind::UnknownOption || leading(near) == leading(asked)).or_else(of_help);
    let ranged = || same_in_range(&word.text, &candidates(case, kind)).filter(|_| is_ref(kind));
    let name = told.or_else(near).filter(is_possible).or_else(ranged).ok_or("no single name is close to it")?;
    let rest = word.text.split_once('=').filter(|_| !name.contains('='));
    let rest = rest.map(|(_, value)| format!("={value}")).unwrap_or_default();
    let made = format!("{name}{rest}");
    if made.starts_with('-') && kind != Kind::UnknownOption {
        return Err("the name could be taken for an option");
    }
    let is_shortcut = kind == Kind::UnknownScript && SHORTCUTS.contains(&&*word.text) && is_first_of_npm(case, word);
    let deed = if is_shortcut {
        case.again_with_text(word, &line_of(["run", &made]))
    } else {
        case.again_replacing(&[(word, &made)])
    };
    let step = deed.ok_or("its command line is not whole")?;
    let what = match kind {
        Kind::UnknownOption => "option",
        Kind::UnknownSubcommand => "subcommand",
        Kind::UnknownScript => "script or target",
        Kind::UnknownRef | Kind::UnknownPathspec | Kind::UnknownRemoteRef => "branch or revision",
        Kind::UnknownRemote => "remote",
        _ => "value",
    };
    let state = format!("the {what} {} does not exist, and {} exists", quoted(wrong, 80), quoted(&name, 80));
    let why = if is_told {
        format!("the program itself names {}", quoted(&name, 80))
    } else {
        format!("{} is the only {what} with a name like it", quoted(&name, 80))
    };
    let step = PlanStep::work(format!("Use {} instead", quoted(&name, 80)), step, "The call is understood");
    Ok(Offer::new(why, vec![step]).doing(format!("Use {}, which exists", quoted(&name, 80))).seen(state))
}

/// Scripts that npm runs without `run`, which every other one needs.
const SHORTCUTS: &[&str] = &["test", "start", "stop", "restart"];

fn is_first_of_npm(case: &Case<'_>, word: &PlacedWord) -> bool {
    let npm = case.words.iter().find(|own| own.role == WordRole::Program && own.command == word.command);
    npm.is_some_and(|npm| crate::programs::base_name(&npm.text) == "npm")
        && case.words.iter().find(|own| own.role == WordRole::Argument && own.command == word.command) == Some(word)
}

/// An option with one dash whose list has it with one dash, too: `-sha265` in a list of `-sha256`.
fn dashed_name(word: &str, names: &[String]) -> Option<String> {
    let plain = word.trim_start_matches('-');
    let dashes = word.len() - plain.len();
    let own = names.iter().map(|name| name.trim_start_matches('-'));
    (dashes == 1 && plain.len() > 2).then(|| only_close(plain, own)).flatten().map(|name| format!("-{name}"))
}

/// The script that an interpreter runs.
pub(in super::super) fn script_of(command: &Command) -> Option<&str> {
    let script = command.args.iter().find(|arg| !arg.starts_with('-'))?;
    let name = crate::text::file_name(script);
    (name.contains('.') && !command.has_arg("-c") && !command.has_arg("-e")).then_some(name)
}

pub(in super::super) fn list_declared_names(case: &Case<'_>) -> Offered {
    let (wrong, named) = wrong_word(case).ok_or("the output names no wrong word")?;
    let command = case.command().ok_or("no command was run")?;
    let line = match (named, command.name()) {
        (Kind::UnknownScript, "npm" | "pnpm" | "yarn" | "bun") => {
            return Ok(look(wrong, Deed::Read { path: case.at("package.json"), from: None }));
        }
        (Kind::UnknownScript, "make" | "gmake") => {
            case.in_folder("grep -nE \"^[A-Za-z0-9_.-]+ *:\" GNUmakefile makefile Makefile 2>/dev/null")
        }
        (Kind::UnknownScript, "just") => case.in_folder("just --list"),
        (Kind::UnknownScript, "task") => case.in_folder("task --list-all"),
        (Kind::UnknownRemoteRef, _) => case.in_folder("git ls-remote --heads --tags"),
        (Kind::UnknownRef | Kind::UnknownPathspec, _) => case.in_folder("git branch --all --list && git tag --list"),
        (Kind::UnknownRemote, _) => case.in_folder("git remote -v"),
        _ => return Err("its help lists the names"),
    };
    Ok(look(wrong, Deed::Run(line)))
}

fn look(wrong: &str, deed: Deed) -> Offer {
    Offer::new(
        format!("nothing is called {}", quoted(wrong, 80)),
        vec![PlanStep::new("List the names", deed, "The existing names")],
    )
}

/// The help that the output tells to read: `run 'tool help linters' to see`, called as the failed call was.
fn help_that_is_told(case: &Case<'_>, command: &Command) -> Option<String> {
    let told = case.printed().told_help(command.name())?;
    // Behind a wrapper the program is one of its words.
    let is_called = |word: &&PlacedWord| matches!(word.role, WordRole::Program | WordRole::Argument);
    let program = case.words.iter().filter(is_called).find(|word| word.text == command.raw)?;
    let first = case.words.iter().filter(is_called).find(|word| word.command == program.command)?;
    let called = case.failed.line.as_deref()?.get(first.range.start..program.range.end)?;
    Some(case.in_folder(&format!("{called} {told} 2>&1 | head -n 120")))
}

/// The subcommand that a program does not have here: its usage is that of a call without one, and wants one.
pub(in super::super) fn lacking_subcommand<'c>(case: &'c Case<'_>) -> Option<&'c str> {
    let command = case.command()?;
    let usage = case.failed.text.lines().find_map(|line| line.trim().strip_prefix("Usage:"))?;
    let mut words = usage.split_whitespace();
    let is_bare = words.next() == Some(command.name()) && words.all(|word| !word.starts_with(char::is_lowercase));
    command.subcommands().next().filter(|_| is_bare && usage.contains(" COMMAND"))
}

pub(in super::super) fn read_the_help(case: &Case<'_>) -> Offered {
    let command = case.command().ok_or("no command was run")?;
    if case.finding(Kind::BrokenBuild).is_some() || super::ask::is_asked(case) {
        return Err("it is not its words that are wrong");
    }
    // A file that the error names and that is there is looked at: no word of the call is wrong.
    let is_of_words = case.finds(&[Kind::UnknownOption, Kind::UnknownSubcommand, Kind::SurplusArgument]);
    let named = |step: &PlanStep| case.printed().file_names().any(|name| step.action.contains(name));
    if let Some(step) = beginning_of_the_input(case).filter(|step| !is_of_words && named(step)) {
        return Ok(input_look(step));
    }
    let script = case.word_of(command).and_then(|word| case.arguments_of(word).find(|arg| !arg.text.starts_with('-')));
    if let Some(script) = script.filter(|script| {
        script.is_literal
            && command.is(Trait::Interpreter)
            && script_of(command).is_some_and(|name| case.printed().names(name) && script.text.ends_with(name))
    }) {
        let asks = case.in_folder(&line_of([&*command.raw, &script.text, "--help"]));
        return Ok(Offer::new(
            "the script's own help lists what it takes",
            vec![PlanStep::new("Read what the script takes", Deed::Run(asks), "Its options and subcommands")],
        ));
    }
    if command.is_by_path() || command.raw.contains('/') || command.raw.starts_with('-') || command.raw.contains('$') {
        return Err("what is the project's own is not started to ask it");
    }
    if command.known.is_none() && case.looks.is_looking() && !case.looks.programs().contains(&command.raw) {
        return Err("the program is not on PATH");
    }
    if let Some(asks) = help_that_is_told(case, command) {
        let step = PlanStep::new("Read what it takes", Deed::Run(asks), "The names that it takes");
        return Ok(Offer::new("the output names the help that lists it", vec![step]));
    }
    let plain = |word: &&str| word.len() <= 40 && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    // A program that only looks takes files where others take a subcommand, which stands first.
    let is_first = || command.args.first().map(String::as_str) == command.subcommands().next();
    let has_option = || case.finding(Kind::UnknownOption).is_some() && !command.is(Trait::Looks) && is_first();
    let known = command.known.is_some_and(|program| !program.subcommands.is_empty()) || has_option();
    let wrong = wrong_word(case).map(|(wrong, _)| wrong);
    let wrong_words = [wrong, lacking_subcommand(case)];
    let is_own = |word: &&str| !wrong_words.contains(&Some(*word));
    let subcommand = command.subcommands().next().filter(|_| known).filter(plain).filter(is_own);
    let verb = subcommand.filter(|_| command.is(Trait::NounFirst)).and(command.subcommands().nth(1));
    let verb = verb.filter(plain).filter(is_own);
    let asks = match (command.name(), subcommand) {
        ("git", Some(subcommand)) => line_of(["git", subcommand, "-h"]),
        ("go", Some(subcommand)) => line_of(["go", "help", subcommand]),
        (_, Some(subcommand)) => line_of([&*command.raw, subcommand].into_iter().chain(verb).chain(["--help"])),
        (_, None) => line_of([&*command.raw, "--help"]),
    };
    let flags = case.printed().long_flags().into_iter().filter(|flag| wrong != Some(flag));
    let flags: Vec<String> = flags.take(8).map(|flag| quoted(&flag, 60)).collect();
    let told = if case.printed().shows_usage() && flags.len() > 1 {
        format!("the output itself lists what it takes: {}", flags.join(", "))
    } else {
        "its help lists what it takes".to_owned()
    };
    Ok(Offer::new(
        told,
        vec![PlanStep::new(
            "Read what it takes",
            Deed::Run(format!("{asks} 2>&1 | head -n 120")),
            "Its options and subcommands",
        )],
    ))
}
