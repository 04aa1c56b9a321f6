//! The readings of a project: which line of a failing call's text says what kind of error it is.

use super::form::Form;
use super::form::OwnCategory;
use super::pattern::{Patterns, line_around, on_characters};
use super::program::{Fuel, ProgramMatch};
use crate::model::Category;

/// How much work the readings may cost at one text, in states that are come to.
const FUEL: u32 = 2_000_000;

/// The readings of a project, in the order of its settings file: the first that matches decides.
#[derive(Debug, Clone, Default)]
pub struct Readings {
    /// Their patterns.
    pub patterns: Patterns,
    /// What each of the patterns says.
    pub all: Vec<OwnReading>,
}

/// What a reading says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnReading {
    /// What a match says of the call.
    pub category: Category,
    /// The program without which it is not asked: the beginning of a command.
    pub program: Option<String>,
}

/// What a reading tells of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnTold<'t> {
    /// What kind of error it is.
    pub category: Category,
    /// The line that it matched.
    pub line: &'t str,
    /// What exactly failed, where the pattern names it.
    pub object: Option<&'t str>,
}

impl Readings {
    /// The readings of a form; those before the first that cannot be read.
    pub fn of(form: Form) -> Self {
        let (patterns, said) = form.patterns();
        let reading = |(category, program): (String, String)| {
            let program = Some(program).filter(|program| !program.is_empty());
            Some(OwnReading { category: Category::from_word(&category)?, program })
        };
        Self { patterns, all: said.into_iter().map_while(reading).collect() }
    }

    /// What the form says of each, beside its pattern.
    pub fn said(&self) -> Vec<OwnCategory> {
        let said =
            |reading: &OwnReading| (reading.category.as_str().to_owned(), reading.program.clone().unwrap_or_default());
        self.all.iter().map(said).collect()
    }

    /// Whether there are any.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// What the first reading tells that matches a line of the text. `runs` is whether the call runs a program, asked for
    /// readings that name one.
    pub fn told<'t>(&self, text: &'t str, runs: impl Fn(&str) -> bool) -> Option<OwnTold<'t>> {
        let bytes = text.as_bytes();
        let hits = self.patterns.hits(bytes);
        let mut fuel = Fuel(FUEL);
        for (number, reading) in self.all.iter().enumerate() {
            let mut own = hits.iter().filter(|(_, of)| *of == number).map(|(at, _)| *at).peekable();
            if own.peek().is_none() || !reading.program.as_deref().is_none_or(&runs) {
                continue;
            }
            let mut from = 0;
            for hit in own {
                match self.patterns.around(number, bytes, hit, from, &mut fuel) {
                    ProgramMatch::Match { whole, object } => {
                        let line = text.get(on_characters(text, line_around(bytes, whole.start))).unwrap_or_default();
                        let object = object.and_then(|object| text.get(object));
                        return Some(OwnTold { category: reading.category, line: line.trim(), object });
                    }
                    // What is not known is not said.
                    ProgramMatch::Unknown => return None,
                    ProgramMatch::Nothing => from = hit + 1,
                }
            }
        }
        None
    }
}
