//! Texts that an edit did not find: where in the file the same text stands but for white space and typographic characters,
//! and by what it differs.

mod differences;
mod folded;
mod given;
mod news;

pub use given::{TextEdit, misfit_in};
pub use news::FileNews;

use self::differences::possible_differences;
use self::folded::{folded, only_place};
use crate::model::Misfit;

/// The longest file that is searched, in bytes.
pub const MOST_TEXT: usize = 2 * 1024 * 1024;
/// The longest text that is looked for, in bytes.
pub const MOST_GIVEN: usize = 256 * 1024;

/// The only place of `text` that holds `given` but for white space and typographic characters. None where `text` holds it
/// as it is, where none or several places are like it, and where one of them is too long. The work is linear, and bounded.
pub fn misfit(text: &str, given: &str) -> Option<Misfit> {
    if text.len() > MOST_TEXT || given.len() > MOST_GIVEN || text.contains(given) {
        return None;
    }
    let place = only_place(text, &folded(given.trim()))?;
    let (before, behind) = (text.get(..place.start)?, text.get(place.end..)?);
    let lead = given.get(..given.len() - given.trim_start().len())?;
    let begins_line = before.rsplit('\n').next().is_none_or(|line| line.trim().is_empty());
    let may_begin =
        if matches!(lead, "" | " ") { joins(before.chars().next_back(), given.chars().next()) } else { begins_line };
    if !may_begin || !joins(behind.chars().next(), given.chars().next_back()) {
        return None;
    }
    let lines = |text: &str| text.matches('\n').count() as u64;
    let first = 1 + lines(before);
    let last = first + lines(text.get(place.clone())?);
    let has_signs = has_signs(text.get(place.clone())?, given.trim());
    let unsaid = Misfit { first, last, differences: Vec::new(), has_signs };
    let is_found = |misfit: &Misfit| is_at(text, &place, &misfit.applied(given));
    let said = possible_differences(text, &place, given, first)
        .into_iter()
        .map(|differences| Misfit { differences, ..unsaid.clone() })
        .find(is_found);
    Some(said.unwrap_or(unsaid))
}

/// Whether what lies beside the place may lie beside the text that was given: white space where that begins or ends with it,
/// and no other part of a word. An indentation begins a line.
fn joins(beside: Option<char>, edge: Option<char>) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    match (beside, edge) {
        (Some(beside), Some(edge)) if edge.is_whitespace() => beside.is_whitespace(),
        (Some(beside), Some(edge)) => !(is_word(beside) && is_word(edge)),
        _ => true,
    }
}

/// Whether other characters than white space differ in two texts that are folded to the same.
fn has_signs(own: &str, given: &str) -> bool {
    let signs = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    signs(own) != signs(given)
}

/// Whether a text stands at a place, or around it: as the place is the only one like it, it stands nowhere else.
fn is_at(text: &str, place: &std::ops::Range<usize>, wanted: &str) -> bool {
    let from = text.floor_char_boundary(place.start.saturating_sub(wanted.len()));
    let to = text.floor_char_boundary(place.end.saturating_add(wanted.len()).min(text.len()));
    !wanted.is_empty() && text.get(from..to).is_some_and(|around| around.contains(wanted))
}

#[cfg(test)]
mod tests;
