//! What every offer passes before it is told: nothing that destroys work or gets around a check, no call that may do
//! something twice before somebody looked, no secret, and no failing call just repeated.

use serde_json::Value;

use super::case::{Case, Offer, name_of};
use super::effects::{has_effect, names_an_effect};
use super::result::PlannedStep;
use super::step::{Deed, PlanStep};
use super::strategies::names::{list_declared_names, read_the_help, script_of};
use super::strategies::paths::is_read_from;
use crate::decide;
use crate::knowledge::why_not_unasked;
use crate::model::{Category, FindingKind, ToolKind};
use crate::programs::words::{COPIES, FILLS};
use crate::programs::{Trait, base_name, find};
use crate::redact::redact_printed;
use crate::shell::{
    Command, Join, Nesting, PlacedWord, Redirection, RedirectionKind, Script, WordRole, line_of, placed_words,
};
use crate::text::quoted;

/// The longest text that a step may hold, in bytes.
const LONGEST: usize = 256 * 1024;

/// The offer as it may be told, with a look before what may have taken effect.
pub(super) fn checked(case: &Case<'_>, mut offer: Offer) -> Result<Offer, String> {
    if offer.is_guess {
        say_the_guess(case, &mut offer)?;
    }
    for step in &offer.steps {
        let own = matches!(step.deed, Deed::Again { .. } | Deed::Own(_))
            .then(|| case.failed.line.as_deref().unwrap_or_default());
        // A name that begins with a dash is the same with its folder in front.
        let is_own = |line: &str| case.failed.line.as_deref().is_some_and(|own| line.replace("./-", "-") == own);
        if let Some(line) = line_of_deed(case, &step.deed).filter(|line| !is_own(line))
            && let Some(why) = why_not_unasked(line, own)
        {
            return Err(format!("it needs a person's approval: {why}"));
        }
        if step.performs && line_of_deed(case, &step.deed).is_some_and(|line| runs_again(case, line)) {
            return Err("a part of the line that has run would run again".to_owned());
        }
        let is_new = |line: &&str| {
            has_effect(case, line) && !case.failed.line.as_deref().is_some_and(|own| has_effect(case, own))
        };
        if line_of_deed(case, &step.deed).is_some_and(|line| is_new(&line)) {
            return Err("it needs a person's approval: it changes what the call did not".to_owned());
        }
        if texts(&step.deed).iter().any(|text| text.len() > LONGEST) {
            return Err("its text is too long for a step".to_owned());
        }
        if texts(&step.deed).iter().any(|text| redact_printed(text) != **text) {
            return Err("it would contain a secret".to_owned());
        }
    }
    look_first(case, &mut offer)?;
    Ok(offer)
}

/// Whether a form of the failed line would do again what another part of that has done: append to a file, commit, run a script
/// of the project, or act elsewhere. What comes behind an `&&` after the part that failed has not run.
fn runs_again(case: &Case<'_>, made: &str) -> bool {
    let said = case.failed.line_that_matters().unwrap_or_default();
    let speaks = |own: &&Command| said.strip_prefix(own.name()).is_some_and(|rest| rest.starts_with(':'));
    let failed = case.commands().find(speaks).or_else(|| case.command());
    let (Some(script), Some(failed)) = (&case.script, failed) else { return false };
    let appends = |own: &Redirection| own.kind == RedirectionKind::Append && own.target != "/dev/null";
    let acts = |command: &Command| {
        let words = line_of(std::iter::once(&command.raw).chain(&command.args));
        let is_script = command.is(Trait::Interpreter) && script_of(command).is_some();
        let is_own = is_script || command.is_by_path() || command.subcommands().next() == Some("commit");
        is_own || command.redirections.iter().any(appends) || has_effect(case, &words)
    };
    let again = Script::parse(made);
    let is_again =
        |own: &Command| again.programs().any(|(_, other)| (&other.raw, &other.args) == (&own.raw, &own.args));
    let mut behind = false;
    script.programs().any(|(at, command)| {
        let is_failed = std::ptr::eq(command, failed);
        behind |= is_failed;
        let part = script.pipelines.get(at.pipeline);
        let is_left = behind && part.is_some_and(|part| part.join == Join::And && part.nesting == Nesting::Top);
        !is_failed && !is_left && acts(command) && is_again(command)
    })
}

/// A name that nobody gave is put into a call only where that call looks, builds or tests. Of one that changes something the
/// name is said, and the step that does it becomes a look.
fn say_the_guess(case: &Case<'_>, offer: &mut Offer) -> Result<(), &'static str> {
    const WORDS: &[FindingKind] = &[FindingKind::UnknownOption, FindingKind::UnknownSubcommand];
    let changes = |step: &PlanStep| step.performs && changes_something(case, &step.deed);
    if !offer.steps.iter().any(changes) {
        return Ok(());
    }
    let named = offer.steps.iter().filter(|step| step.performs).find_map(|step| new_path(case, &step.deed));
    offer.steps.retain(|step| !step.performs);
    offer.steps.extend(named.map(|path| {
        let look = Deed::Run(case.in_folder(&line_of(["ls", "-ld", "--", &path])));
        PlanStep::new(format!("Look at {}", quoted(&path, 100)), look, "The file of that name")
    }));
    offer.description = Some("Look before choosing a name".to_owned());
    if let Some(state) = &offer.state {
        offer.why.clone_from(state);
    }
    if offer.steps.is_empty() {
        let of_help = |_| if case.finds(WORDS) { read_the_help(case) } else { Err("nobody named it") };
        offer.steps = list_declared_names(case).or_else(of_help)?.steps;
    }
    Ok(())
}

/// What is there of the words that a form of the call has in the place of others.
fn new_path(case: &Case<'_>, deed: &Deed) -> Option<String> {
    let words = placed_words(line_of_deed(case, deed)?)?;
    words.into_iter().find(|word| is_new(case, word) && case.kind(&word.text).is_some()).map(|word| word.text)
}

/// Whether the failed call has no such word.
fn is_new(case: &Case<'_>, word: &PlacedWord) -> bool {
    !case.words.iter().any(|own| own.text == word.text)
}

/// Whether a call may change or destroy what it names: by its tool, its program, a statement, code, or the task's name.
fn changes_something(case: &Case<'_>, deed: &Deed) -> bool {
    /// Parts of statements and of code.
    #[rustfmt::skip]
    const STATEMENTS: &[&str] = &[
        "drop ", "delete ", "truncate", "alter ", "update ", "insert ", "replace ", "remove(", "unlink", "rmtree", "rmdir",
        "rmsync", "rename(", "move(", "replace(", "write_", "writefile", "', 'w'", "','w'", "\", \"w\"", "\",\"w\"",
    ];
    if case.failed.kind == ToolKind::Edit {
        return true;
    }
    let Some(line) = line_of_deed(case, deed) else { return false };
    let words = placed_words(line).unwrap_or_default();
    let own = |word: &PlacedWord| words.iter().find(|own| own.role == WordRole::Program && own.command == word.command);
    // The folder that is gone to is no task.
    let is_place = |word: &PlacedWord| {
        own(word).and_then(|own| find(base_name(&own.text))).is_some_and(|own| own.has(Trait::Enters))
    };
    // The name is that of the call, and only its folder is another.
    let is_placed = |word: &PlacedWord| case.words.iter().any(|own| name_of(&own.text) == name_of(&word.text));
    let changes = |word: &PlacedWord| {
        let lower = word.text.to_ascii_lowercase();
        let is_new = is_new(case, word);
        word.role == WordRole::Argument && STATEMENTS.iter().any(|part| lower.contains(part))
            || is_new && !word.text.starts_with('-') && !is_place(word) && !is_placed(word) && names_an_effect(&word.text)
            // What is written over is none of those that were named.
            || is_new && word.role == WordRole::Target && !is_read_from(line, word)
    };
    let fills = |word: &PlacedWord| {
        let name = base_name(&word.text);
        word.role == WordRole::Program && (COPIES.contains(&name) || FILLS.contains(&name))
    };
    decide::may_have_taken_effect(line)
        || has_effect(case, line)
        || why_not_unasked(line, Some("")).is_some()
        || words.iter().any(|word| changes(word) || fills(word))
}

/// A push or deployment whose answer may have got lost is looked into before it is made again.
fn look_first(case: &Case<'_>, offer: &mut Offer) -> Result<(), String> {
    // Where the shell found no program, or the program no file of its own to run, nothing has begun.
    if matches!(case.category(), Category::CommandNotFound | Category::PathNotFound | Category::ShellSyntax) {
        return Ok(());
    }
    // What version control or the arguments refuse has not begun.
    let may_have_begun = matches!(
        case.category(),
        Category::Network
            | Category::Timeout
            | Category::ServiceError
            | Category::RateLimit
            | Category::Unknown
            | Category::RuntimeError
            | Category::ResourceExhausted
    ) && !case.refuses_unset();
    let performs = offer.steps.iter().position(|step| step.performs);
    let Some(at) = performs else { return Ok(()) };
    let Some(deed) = offer.steps.get(at).map(|step| &step.deed) else { return Ok(()) };
    // The call of another tool than a shell is known by its operation.
    let tools = || matches!(deed, Deed::Again { .. }).then_some(&*case.failed.operation.0);
    let Some(line) = line_of_deed(case, deed).or_else(tools) else { return Ok(()) };
    // Of the very call that may pass later the planner asks the same, and the hook says what that answers.
    let is_same = case.failed.line.as_deref().is_none_or(|own| line.contains(own.trim()));
    let is_planned = is_same && case.failed.reading.transient.is_some();
    if !(if is_planned { decide::is_looked_into(line) } else { decide::may_have_taken_effect(line) }) {
        return Ok(());
    }
    let only_waits = |step: &PlanStep| matches!(&step.deed, Deed::Run(line) if line.starts_with("sleep "));
    let has_look = !offer.steps.iter().take(at).all(only_waits);
    // Of the mended call: the failed one may name what is not there.
    let check = decide::check_before(line).or_else(|| decide::check_before(case.failed.line.as_deref()?));
    let Some((look, words)) = check else {
        return if may_have_begun && !has_look {
            Err("it may already have taken effect, and nothing shows it".to_owned())
        } else {
            Ok(())
        };
    };
    match words {
        Some(words) => {
            let check = Deed::Run(case.in_folder(&line_of(words)));
            // The next step is done whatever this one shows, and only a push of what is there changes nothing.
            if may_have_begun && !case.commands().any(|command| command.is(Trait::Pushes)) {
                offer.steps.truncate(at);
            }
            offer.steps.insert(at, PlanStep::new("Check whether it already took effect", check, look));
        }
        None if may_have_begun && !has_look => return Err(format!("it may already have taken effect: {look}")),
        None => {}
    }
    Ok(())
}

/// The command line that a deed runs.
fn line_of_deed<'d>(case: &Case<'_>, deed: &'d Deed) -> Option<&'d str> {
    match deed {
        Deed::Run(line) | Deed::Own(line) => Some(line),
        Deed::Again { args, .. } => args.get(case.failed.command_key.as_deref()?).and_then(Value::as_str),
        _ => None,
    }
}

fn texts(deed: &Deed) -> Vec<&str> {
    match deed {
        Deed::Run(text) | Deed::Own(text) | Deed::Check(text) | Deed::List(text) => vec![text],
        Deed::Read { path, .. } => vec![path],
        Deed::Edit { path, old, new } => vec![path, old, new],
        Deed::Write { path, content } => vec![path, content],
        Deed::Find { name } => vec![name],
        Deed::Search { text, folder } => vec![text, folder],
        Deed::Again { args, .. } => args.values().filter_map(Value::as_str).collect(),
        // A question is made of redacted text.
        Deed::Ask(_) => Vec::new(),
    }
}

/// Refuses steps that begin with the failing call as it was, or make it again with nothing changed before.
pub(super) fn repeats(case: &Case<'_>, steps: &[PlannedStep]) -> Result<(), String> {
    let left = case.left();
    let is_same = |step: &&PlannedStep| {
        let same_line =
            case.failed.line.as_deref().zip(case.failed.command_key.as_deref()).is_some_and(|(line, key)| {
                let others = |args: &serde_json::Map<String, Value>| {
                    let mut args = args.clone();
                    args.remove("description");
                    args.remove(key);
                    args
                };
                let theirs = step.args.get(key).and_then(Value::as_str).map(str::trim);
                (theirs == Some(line.trim()) || left.is_some() && theirs == left.as_deref())
                    && others(&step.args) == others(&case.failed.args)
            });
        step.tool.as_deref() == Some(&case.failed.tool) && (step.args == case.failed.args || same_line)
    };
    match steps.first() {
        Some(first) if is_same(&first) => Err("it would be the failing call again".to_owned()),
        _ => Ok(()),
    }
}
