//! Memory, disk and limits, and settings that are missing.

use super::super::case::{Case, Offer, Offered};
use super::super::step::PlanStep;
use super::work::show_what_failed;
use crate::model::Category;
use crate::programs::Trait;
use crate::shell::{Command, Nesting, PlacedWord, Script, WordRole};

pub(in super::super) fn show_what_was_hidden(case: &Case<'_>) -> Offered {
    if case.category() == Category::TestFailure
        && let Ok(offer) = show_what_failed(case)
    {
        return Ok(Offer { confidence: Some(0.6), ..offer });
    }
    if super::ask::is_sealed(case) {
        return Err("only a password or key that a person has opens it");
    }
    let line = case.failed.line.as_deref().ok_or("its command line is not whole")?;
    if crate::decide::may_have_taken_effect(line) {
        return Err("making it again might do something twice");
    }
    let reads = |word: &PlacedWord| line.get(..word.range.start).is_some_and(|head| head.trim_end().ends_with('<'));
    let is_null = |word: &&PlacedWord| word.role == WordRole::Target && word.text == "/dev/null" && !reads(word);
    let script = case.script.as_ref().ok_or("no command was run")?;
    if let Some(made) = without_display(case, script, line) {
        let step = case.again_with(made).ok_or("its command line is not whole")?;
        let why = "a pipe showed only a part of what was printed";
        return Ok(Offer::new(
            why,
            vec![PlanStep::work("Make the call with all of its output", step, "The error's own words")],
        ));
    }
    let nulls: Vec<_> = case.words.iter().filter(is_null).map(|word| (word, "/dev/stdout")).collect();
    if nulls.is_empty() {
        return Err("nothing of its output was hidden");
    }
    let step = case.again_replacing(&nulls).ok_or("its command line is not whole")?;
    Ok(Offer::new(
        "its errors were thrown away",
        vec![PlanStep::work("Make the call with its errors shown", step, "The error's own words")],
    ))
}

/// The line without the stages at its end that only show a part of what the stage before them prints.
fn without_display(case: &Case<'_>, script: &Script, line: &str) -> Option<String> {
    let shows = |command: &Command| command.is(Trait::Displays) && command.is(Trait::Looks);
    let last = script.pipelines.last()?;
    let is_plain = script.pipelines.iter().all(|pipeline| {
        pipeline.nesting == Nesting::Top && pipeline.commands.iter().all(|command| !command.program.is_empty())
    });
    if !is_plain || last.commands.len() < 2 || !last.commands.iter().skip(1).all(shows) {
        return None;
    }
    let number: usize = script.pipelines.iter().rev().skip(1).map(|pipeline| pipeline.commands.len()).sum();
    let end = case.words.iter().filter(|word| word.command == number).map(|word| word.range.end).max()?;
    let head = line.get(..end)?.trim_end().trim_end_matches("2>&1").trim_end();
    Some(format!("{head} 2>&1"))
}
