//! What worked in earlier sessions where the same failure was met, as steps.

use serde_json::json;

use super::super::case::{Case, Offer, Offered};
use super::super::past::LearnedFix;
use super::super::step::{Deed, PlanStep};
use crate::history::absolute;
use crate::knowledge::{Fix, Root, Words, is_plain_word, may_stand_in_a_command};
use crate::model::ToolKind;
use crate::shell::{PlacedWord, WordRole, line_of, quoted_word};
use crate::text::quoted;

pub(in super::super) fn use_what_worked(case: &Case<'_>) -> Offered {
    let mut why = "nothing is known that worked here before";
    for fix in case.learned {
        match steps_of(case, fix) {
            Ok(steps) => {
                let counts = format!("{} of {}", fix.worked, fix.tried);
                let does = format!("Do what worked here before ({counts}): {}", quoted(&fix.words.line(), 120));
                let mut offer =
                    Offer::new(format!("in earlier sessions it worked in {counts} tries"), steps).doing(does);
                offer.confidence = Some(fix.confidence);
                offer.is_proven = fix.is_proven();
                return Ok(offer);
            }
            Err(reason) => why = reason,
        }
    }
    Err(why)
}

fn steps_of(case: &Case<'_>, fix: &LearnedFix) -> Result<Vec<PlanStep>, &'static str> {
    match &fix.words {
        Words::Instead { gone, new } => in_another_form(case, fix, gone, new),
        Words::Folder(folder) => in_the_folder(case, fix, folder),
        Words::Command(commands) => after_commands(case, fix, commands),
        Words::Flaky => Err("what worked is the same call again"),
        Words::Standing => Err("it failed before, and nothing is known that helps"),
        Words::Note(_) => Err("what a person noted is words, and no steps"),
    }
}

/// Whether the call ran in the folder that the fix is relative to.
fn is_at_root(case: &Case<'_>, fix: &LearnedFix) -> bool {
    let [cwd, root] = [&case.failed.cwd, &fix.root].map(|path| path.as_deref().map(|path| path.trim_end_matches('/')));
    root.is_none() || cwd.is_none() || cwd == root
}

/// A path of the fix as the call has to name it.
fn named_here(case: &Case<'_>, fix: &LearnedFix, path: &str) -> String {
    match &fix.root {
        Some(root) if !is_at_root(case, fix) => absolute(path, Some(root)),
        _ => path.to_owned(),
    }
}

fn in_another_form(
    case: &Case<'_>,
    fix: &LearnedFix,
    gone: &[String],
    new: &[String],
) -> Result<Vec<PlanStep>, &'static str> {
    let deed = if case.is_shell() {
        shell_line(case, fix, gone, new).and_then(|line| case.again_with(line).ok_or("the call is not known"))?
    } else {
        other_file(case, fix, gone, new)?
    };
    Ok(vec![PlanStep::work("Make the call in the form that worked", deed, "It passes as it did before")])
}

/// The file tool's call with the other path.
fn other_file(case: &Case<'_>, fix: &LearnedFix, gone: &[String], new: &[String]) -> Result<Deed, &'static str> {
    const KEYS: &[&str] = &["file_path", "file"];
    let ([gone], [new]) = (gone, new) else { return Err("what worked has no one path") };
    let key = KEYS.iter().find(|key| case.failed.args.contains_key(**key));
    let (key, file) = key.zip(case.failed.file.as_deref()).ok_or("the call is not known")?;
    let root = Root(fix.root.as_deref());
    if case.failed.kind != ToolKind::Read || root.relative(file, case.failed.cwd.as_deref()) != *gone {
        return Err("the call is another one than the one that worked");
    }
    let path = if file.starts_with('/') { absolute(new, fix.root.as_deref()) } else { named_here(case, fix, new) };
    Ok(case.again_changing(&[(key, json!(path))]))
}

/// The failed line with the words that came for those that went.
fn shell_line(case: &Case<'_>, fix: &LearnedFix, gone: &[String], new: &[String]) -> Result<String, &'static str> {
    const OTHER: &str = "the call is another one than the one that worked";
    let line = case.failed.line.as_deref().ok_or("the call is not known")?;
    if !gone.iter().chain(new).all(|word| is_plain_word(word)) {
        return Err("its words are no plain words");
    }
    let has_path = new.iter().any(|word| !word.starts_with('-') && word.contains('/'));
    if has_path && (!is_at_root(case, fix) || !case.folder().is_empty()) {
        return Err("what worked names a path of another folder");
    }
    // Behind what starts it the program is an argument: `timeout 60 make`.
    let is_own = |word: &PlacedWord| matches!(word.role, WordRole::Program | WordRole::Argument) && word.is_literal;
    let command = case.command().ok_or(OTHER)?;
    let program = case.words.iter().find(|word| is_own(word) && word.text == command.raw).ok_or(OTHER)?;
    let root = Root(fix.root.as_deref());
    let is_it = |word: &&PlacedWord, wanted: &String| {
        word.command == program.command
            && is_own(word)
            && root.relative_word(&word.text, case.failed.cwd.as_deref()) == *wanted
    };
    let mut places = Vec::new();
    for wanted in gone {
        let mut found = case.words.iter().filter(|word| is_it(word, wanted));
        let place = found.next().filter(|_| found.next().is_none()).ok_or(OTHER)?;
        places.push(place);
    }
    Ok(mended(case, line, program, &places, new))
}

fn mended(case: &Case<'_>, line: &str, program: &PlacedWord, gone: &[&PlacedWord], new: &[String]) -> String {
    let mut puts: Vec<(usize, usize, String)> = Vec::new();
    if gone.is_empty() {
        let is_front = new.first().is_some_and(|word| !word.starts_with('-') && !word.contains(['/', '.']));
        let is_own = |word: &&PlacedWord| word.command == program.command && word.role == WordRole::Argument;
        let last = case.words.iter().rfind(is_own);
        let end = last.unwrap_or(program).range.end;
        puts.push(if is_front {
            (program.range.start, program.range.start, format!("{} ", line_of(new)))
        } else {
            (end, end, format!(" {}", line_of(new)))
        });
    } else {
        let pairs = gone.len() == new.len();
        for (at, word) in gone.iter().enumerate() {
            let text = match at {
                _ if pairs => new.get(at).map(|word| quoted_word(word)).unwrap_or_default(),
                0 => line_of(new),
                _ => String::new(),
            };
            // A word that goes takes the blank before it along.
            let is_spaced = text.is_empty() && line.get(..word.range.start).is_some_and(|before| before.ends_with(' '));
            puts.push((word.range.start - usize::from(is_spaced), word.range.end, text));
        }
    }
    puts.sort_by_key(|(start, ..)| std::cmp::Reverse(*start));
    puts.into_iter().fold(line.to_owned(), |mut line, (start, end, text)| {
        line.replace_range(start..end, &text);
        line
    })
}

fn in_the_folder(case: &Case<'_>, fix: &LearnedFix, folder: &str) -> Result<Vec<PlanStep>, &'static str> {
    let line = case.failed.line.as_deref().ok_or("the call is not known")?;
    if !case.folder().is_empty() {
        return Err("the call names its folder itself");
    }
    let target = match folder {
        "." => fix.root.clone().ok_or("the project's folder is not known")?,
        folder => named_here(case, fix, folder),
    };
    if case.failed.cwd.as_deref().is_some_and(|cwd| absolute(&target, Some(cwd)) == cwd.trim_end_matches('/')) {
        return Err("it ran in the folder that worked");
    }
    let deed = case.again_with(format!("{} && {line}", line_of(["cd", &target]))).ok_or("the call is not known")?;
    Ok(vec![PlanStep::work(format!("Run it in {}", quoted(&target, 100)), deed, "It passes as it did there")])
}

fn after_commands(case: &Case<'_>, fix: &LearnedFix, commands: &[String]) -> Result<Vec<PlanStep>, &'static str> {
    if !case.is_whole() {
        return Err("the call is not known");
    }
    let object = case.failed.reading.primary_object().map(|object| object.name.as_str());
    let object = object.filter(|object| may_stand_in_a_command(object));
    let mut steps = Vec::new();
    for command in commands {
        let line = match object {
            _ if !command.contains(Fix::OBJECT) => command.clone(),
            Some(object) => command.replace(Fix::OBJECT, object),
            None => return Err("what it is about may not stand in a command"),
        };
        let line = match &fix.root {
            Some(root) if !is_at_root(case, fix) => format!("{} && {line}", line_of(["cd", root])),
            _ => line,
        };
        steps.push(PlanStep::new("Run what helped before", Deed::Run(line), "It ends without an error"));
    }
    steps.push(PlanStep::work("Repeat the call", case.again(), "It passes as it did before"));
    Ok(steps)
}
