//! The edits of one call: which of them does not find its text.

use super::{MOST_TEXT, misfit};
use crate::model::Misfit;

/// One edit of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextEdit {
    /// The text that is to be replaced.
    pub old: String,
    /// What comes in its place.
    pub new: String,
    /// Whether it is replaced wherever it stands.
    pub everywhere: bool,
}

impl TextEdit {
    /// The text after the edit; None where it finds nothing, or one place too many.
    pub fn applied(&self, text: &str) -> Option<String> {
        let at = text.find(&self.old).filter(|_| !self.old.is_empty())?;
        if self.everywhere {
            let more = text.matches(&self.old).count().saturating_mul(self.new.len());
            return (text.len().saturating_add(more) <= 2 * MOST_TEXT).then(|| text.replace(&self.old, &self.new));
        }
        let behind = text.get(at + self.old.len()..)?;
        let several = behind.contains(&self.old);
        (!several).then(|| [text.get(..at).unwrap_or_default(), &self.new, behind].concat())
    }
}

/// The most that the edits of one call read of a file, in bytes.
const MOST_READ: usize = 8 * MOST_TEXT;

/// The place that the first of these edits that fails would have found but for white space. A call changes nothing where one
/// of its edits fails, so that the place is told in `text` as it is; the edits before it must leave it the only one.
pub fn misfit_in(text: &str, edits: &[TextEdit]) -> Option<Misfit> {
    if text.len().saturating_mul(edits.len()) > MOST_READ {
        return None;
    }
    let mut changed: Option<String> = None;
    for edit in edits {
        let now = changed.as_deref().unwrap_or(text);
        let Some(next) = edit.applied(now) else {
            let place = misfit(now, &edit.old)?;
            return if changed.is_some() { misfit(text, &edit.old) } else { Some(place) };
        };
        changed = Some(next);
    }
    None
}
