//! A command line that is mended in one place: the words of a program, other texts in their place, and the step that makes
//! the call with the line.

use super::super::case::{Case, Offer};
use super::super::step::PlanStep;
pub(super) use crate::forms::behind;
use crate::shell::{PlacedWord, Script, WordRole};

/// A line in which the wrong place is mended.
pub(super) struct Mended {
    /// The whole line.
    pub(super) line: String,
    /// What was wrong.
    pub(super) why: String,
    /// What is done, for people.
    pub(super) does: &'static str,
}

/// The first way that mends the line into one that is whole.
pub(super) fn offered(case: &Case<'_>, line: &str, ways: &[fn(&Case<'_>) -> Option<Mended>]) -> Option<Offer> {
    let whole = |mended: &Mended| mended.line != line && !Script::parse(&mended.line).incomplete;
    let mended = ways.iter().find_map(|way| way(case).filter(whole))?;
    let step = case.again_with(mended.line)?;
    let steps = vec![PlanStep::work(mended.does, step, "The tool accepts the arguments")];
    Some(Offer::explained(mended.why, steps).doing(mended.does))
}

/// A program of the failed line with its own words.
#[derive(Clone)]
pub(super) struct Own<'c> {
    /// Its name without folder and version.
    pub(super) name: &'c str,
    pub(super) program: &'c PlacedWord,
    pub(super) args: Vec<&'c PlacedWord>,
}

impl<'c> Own<'c> {
    /// The first of the line that is one of these programs, also where it only starts another.
    pub(super) fn of(case: &'c Case<'_>, programs: &[&str]) -> Option<Self> {
        Self::all(case).find(|own| programs.contains(&own.name))
    }

    /// Whether it is this program, whose name may end in figures of its own.
    pub(super) fn is(&self, program: &str) -> bool {
        self.name == program || crate::programs::base_name(&self.program.text) == program
    }

    /// Its word that is this text.
    pub(super) fn word(&self, text: &str) -> Option<&'c PlacedWord> {
        self.args.iter().copied().find(|word| word.text == text)
    }

    /// Every program of the line.
    pub(super) fn all(case: &'c Case<'_>) -> impl Iterator<Item = Self> {
        let mut seen = None;
        case.words.iter().filter(|word| word.role == WordRole::Program).filter_map(move |program| {
            // What the first word starts, as a module of Python, belongs to its words.
            if seen.replace(program.command) == Some(program.command) {
                return None;
            }
            let name = crate::programs::base_name(&program.text);
            let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
            let is_own = |word: &&PlacedWord| {
                word.command == program.command
                    && word.range.start >= program.range.end
                    && matches!(word.role, WordRole::Argument | WordRole::Program)
            };
            Some(Self { name, program, args: case.words.iter().filter(is_own).collect() })
        })
    }

    /// Where its last word ends.
    pub(super) fn end(&self) -> usize {
        self.args.iter().map(|word| word.range.end).max().unwrap_or(self.program.range.end)
    }
}

/// A word as it is written in the line.
pub(super) fn raw<'c>(case: &'c Case<'_>, word: &PlacedWord) -> &'c str {
    case.failed.line.as_deref().and_then(|line| line.get(word.range.clone())).unwrap_or_default()
}

/// Whether the line writes the file that a word names, by a redirection.
pub(super) fn is_written(case: &Case<'_>, word: &PlacedWord) -> bool {
    let line = case.failed.line.as_deref().unwrap_or_default();
    word.role == WordRole::Target
        && !line.get(..word.range.start).is_some_and(|before| before.trim_end().ends_with('<'))
}
