//! The kinds of secrets that a project adds to those that Failwise knows.

use std::ops::Range;

use super::form::Form;
use super::form::OwnCategory;
use super::is_kind;
use super::pattern::{Patterns, line_around, on_characters};
use super::program::{Fuel, ProgramMatch};

/// How much work they may cost at one text, in states that are come to.
const FUEL: u32 = 2_000_000;

/// The kinds of secrets that a project adds.
#[derive(Debug, Clone, Default)]
pub struct Secrets {
    /// Their patterns.
    pub patterns: Patterns,
    /// What stands in the place of what each of the patterns matches.
    pub kinds: Vec<String>,
}

impl Secrets {
    /// The secrets of a form; those before the first that cannot be read.
    pub fn of(form: Form) -> Self {
        let (patterns, said) = form.patterns();
        Self { patterns, kinds: said.into_iter().map(|(kind, _)| kind).take_while(|kind| is_kind(kind)).collect() }
    }

    /// What the form says of each, beside its pattern.
    pub fn said(&self) -> Vec<OwnCategory> {
        self.kinds.iter().map(|kind| (kind.clone(), String::new())).collect()
    }

    /// Whether there are any.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Where the secrets of a text stand, each with its kind, from left to right and none over another. Where the work is
    /// used up, the line around each word that a secret may hold is one: what is not known is not shown.
    pub fn places(&self, text: &str) -> Vec<(Range<usize>, &str)> {
        let bytes = text.as_bytes();
        let mut fuel = Fuel(FUEL);
        // Where each kind goes on to look.
        let mut floors = vec![0; self.kinds.len()];
        let mut found: Vec<(Range<usize>, &str)> = Vec::new();
        for (hit, number) in self.patterns.hits(bytes) {
            let (Some(kind), Some(floor)) = (self.kinds.get(number), floors.get_mut(number)) else { continue };
            if hit < *floor {
                continue;
            }
            let place = match self.patterns.around(number, bytes, hit, *floor, &mut fuel) {
                ProgramMatch::Match { whole, .. } => Some(beyond_reach(bytes, hit, whole)),
                ProgramMatch::Unknown => Some(on_characters(text, beyond_reach(bytes, hit, line_around(bytes, hit)))),
                ProgramMatch::Nothing => None,
            };
            *floor = place.as_ref().map_or(hit + 1, |place| place.end.max(hit + 1));
            found.extend(place.filter(|place| !place.is_empty()).map(|place| (place, kind.as_str())));
        }
        found.sort_by_key(|(place, _)| (place.start, std::cmp::Reverse(place.end)));
        found.dedup_by(|(next, _), (last, _)| {
            let over = next.start < last.end;
            if over {
                last.end = last.end.max(next.end);
            }
            over
        });
        found
    }
}

/// A match that goes as far as was looked goes on: to the line's end, or from its beginning.
fn beyond_reach(text: &[u8], hit: usize, place: Range<usize>) -> Range<usize> {
    let looked = line_around(text, hit);
    let mut place = place;
    if place.start == looked.start {
        let before = text.get(..place.start).unwrap_or_default();
        place.start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    }
    if place.end == looked.end {
        let behind = text.get(place.end..).unwrap_or_default();
        place.end += behind.iter().position(|byte| *byte == b'\n').unwrap_or(behind.len());
    }
    place
}
