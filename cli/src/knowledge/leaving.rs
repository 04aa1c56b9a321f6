//! Lessons before the gate of what leaves the history: what may hold a secret is not learned, and what reaches further than its
//! project is told only where a person confirmed it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::lesson::Fix;
use super::lesson::Words;
use super::never::call_with;
use super::row::Learned;
use super::row::PatternRow;
use super::say::{failure_words, names};
use crate::gate::KnownNames;
use crate::gate::{
    GateContext, GateReach, GateReason, is_harmless_value, line_may_leave, may_leave, prose, reasons, shown_line,
};
use crate::programs::{self, Trait, known_call, reach};

/// Why words of a lesson may not leave; None where they may. `pattern` is what they were tried against.
pub fn why_not_leaving(words: &Words, pattern: &PatternRow, context: &GateContext<'_>) -> Option<GateReason> {
    match words {
        Words::Instead { gone, new } => {
            let own: Vec<&str> = pattern.operation.split_whitespace().collect();
            let made = call_with(&pattern.operation, gone, new);
            let made: Vec<&str> = made.split_whitespace().collect();
            // Words that were added may have stood anywhere: behind the call they are judged as its own.
            let behind: Vec<&str> = own
                .iter()
                .copied()
                .filter(|word| !gone.iter().any(|gone| gone == word))
                .chain(new.iter().map(String::as_str))
                .collect();
            let starts = new.first().is_some_and(|first| programs::find(first).is_some());
            // What takes the place of the program itself is started, whoever it is; behind a wrapper that went stays one.
            let is_program = || {
                let is_gone = |word: &&&str| gone.iter().any(|gone| gone == **word);
                let stays = own.iter().any(|word| !is_gone(&word) && programs::find(word).is_some());
                let first = new.first().filter(|_| own.first().as_ref().is_some_and(is_gone) && !stays)?;
                let is_known = starts || context.names.is_some_and(|names| names.has(first));
                (!is_known).then_some(GateReason::Starts)
            };
            let home = GateContext { reach: GateReach::Home, ..*context };
            let went = why_of(&own, gone, &home).filter(|why| why.hides());
            // What a tool does not take it does not explain either: an option by its name is told all the same.
            let is_told =
                |word: &String| is_plain_option(word) || why_of(&own, std::slice::from_ref(word), context).is_none();
            let unexplained =
                (context.reach == GateReach::Elsewhere && !gone.iter().all(is_told)).then_some(GateReason::Unexplained);
            let came = || why_of(if starts { &made } else { &behind }, new, context);
            // A word that the call does not have is judged alone.
            let strange = || {
                let is_strange = |word: &&String| !own.contains(&word.as_str());
                gone.iter()
                    .filter(is_strange)
                    .find_map(|word| why_of(&["cd", word], std::slice::from_ref(word), &home))
                    .filter(|why| why.hides())
            };
            went.or(unexplained).or_else(came).or_else(strange).or_else(is_program)
        }
        Words::Folder(folder) => may_leave(&["cd", folder.as_str()], context).err(),
        Words::Command(commands) => line_may_leave(&commands.join(" && "), context).err(),
        Words::Note(note) => (prose(note, context) != note.as_str()).then_some(GateReason::Random),
        Words::Flaky | Words::Standing => None,
    }
}

/// `--stat`, `-P`: nothing but the name of an option.
fn is_plain_option(word: &str) -> bool {
    let name = word.trim_start_matches('-');
    word.starts_with('-')
        && word.len() <= LONGEST_OPTION
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
        || word.len() <= 3 && word.starts_with('-')
}

/// The most letters behind one dash that surely hold no value, with the dash.
const LONGEST_LETTERS: usize = 3;
/// The longest name of an option that another project hears of, in bytes.
const LONGEST_OPTION: usize = 24;

/// The reason of the first of these words that may not leave, as they stand in a call.
pub(super) fn why_of<S: AsRef<str>>(call: &[S], of: &[String], context: &GateContext<'_>) -> Option<GateReason> {
    let judged = reasons(call, context);
    let of_these = || {
        let each = call.iter().zip(&judged).filter(|(word, _)| of.iter().any(|one| one == word.as_ref()));
        each.filter_map(|(_, why)| *why)
    };
    of_these().find(|why| why.hides()).or_else(|| of_these().next())
}

/// Takes out of what was learned all that may hold a secret: lessons with such a word, and such words of what the others are
/// about. Of rows that an earlier build learned, that another machine sent or that a clone brought nobody knows what they hold.
pub fn without_hidden(learned: &mut Learned, names: Option<&KnownNames>) {
    let context = GateContext { names, ..GateContext::default() };
    let mut shown: BTreeMap<*const PatternRow, (Arc<PatternRow>, Arc<PatternRow>)> = BTreeMap::new();
    for met in &mut learned.met {
        // The one that is known by its place is kept until all have been looked at.
        let (_, shown) = shown
            .entry(Arc::as_ptr(&met.pattern))
            .or_insert_with(|| (Arc::clone(&met.pattern), shown_pattern(&met.pattern, &context).into()));
        met.pattern = Arc::clone(shown);
    }
    for sum in &mut learned.sums {
        sum.pattern = shown_pattern(&sum.pattern, &context);
    }
    for passed in &mut learned.passed {
        passed.what = shown_line(&passed.what, &context).into_owned();
    }
    let patterns: BTreeMap<&str, &PatternRow> =
        learned.met.iter().map(|met| (met.pattern.fine.as_str(), &*met.pattern)).collect();
    let nothing = PatternRow::nothing();
    let is_hidden =
        |fix: &Fix, pattern: &PatternRow| why_not_leaving(&fix.words, pattern, &context).is_some_and(GateReason::hides);
    learned
        .tried
        .retain(|tried| !is_hidden(&tried.fix, patterns.get(tried.fine.as_str()).copied().unwrap_or(&nothing)));
    learned.sums.retain(|sum| !is_hidden(&sum.fix, &sum.pattern));
}

/// What another machine is told of a failure: its program and subcommand where they are known, the names of its options, the
/// words that the fix is about, and what kind of error it was in Failwise's own words. Any other word is somebody's.
pub fn shared_pattern(pattern: &PatternRow, words: &Words, context: &GateContext<'_>) -> PatternRow {
    let gone = if let Words::Instead { gone, .. } = words { gone.as_slice() } else { &[] };
    let called = known_call(&pattern.operation).unwrap_or_default();
    let called = called.split_whitespace().count();
    let program = pattern.operation.split(' ').next().unwrap_or_default();
    let runs_tasks = programs::find(program).is_some_and(|it| it.has(Trait::Tasks));
    let mut is_behind_option = false;
    let each = pattern.operation.split_whitespace().enumerate().map(|(at, word)| {
        // Behind one dash a value may be joined to its letter.
        let is_option = word.starts_with("--") || word.starts_with('-') && word.len() <= LONGEST_LETTERS;
        is_behind_option |= is_option;
        let is_told = |word: &str| {
            at == 0 && !word.contains('/')
                || at < called
                || gone.iter().any(|gone| gone == word)
                || word == Fix::OBJECT
                || is_harmless_value(word)
                || reach::explains(program, word)
                || runs_tasks && !is_behind_option && !word.contains('=')
                || context.names.is_some_and(|names| names.has(word))
        };
        match word.split_once('=').filter(|_| is_option && !is_told(word)) {
            Some((name, _)) => format!("{name}=…"),
            None if is_option || is_told(word) => word.to_owned(),
            None => "…".to_owned(),
        }
    });
    let operation = each.collect::<Vec<_>>().join(" ");
    let named: Vec<&str> = gone.iter().map(String::as_str).filter(|word| names(pattern, word)).collect();
    let line = Some(format!("{} {}", failure_words(pattern), named.join(" ")).trim().to_owned());
    PatternRow { operation, line: line.filter(|_| pattern.line.is_some()), ..pattern.clone() }
}

/// A pattern with marks for the words that may hold a secret.
pub(super) fn shown_pattern(pattern: &PatternRow, context: &GateContext<'_>) -> PatternRow {
    PatternRow {
        operation: shown_line(&pattern.operation, context).into_owned(),
        line: pattern.line.as_deref().map(|line| prose(line, context).into_owned()),
        ..pattern.clone()
    }
}
