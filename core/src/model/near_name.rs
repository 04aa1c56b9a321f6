//! The only name that a missing one may have meant.

use serde::{Deserialize, Serialize};

use crate::text::{file_name, quoted};

/// The only name that a missing one may have meant: another tracked path, or a name of the same manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NearName {
    /// The missing name: of a path relative to the project.
    pub missing: String,
    /// The name that is there: of a path relative to the project, too.
    pub name: String,
    /// What it is: `file`, `folder`, or what the manifest calls it, such as `script`.
    pub word: String,
    /// The manifest that holds it, relative to the project; None for a tracked path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

impl NearName {
    /// The most of a path that is shown, in characters.
    pub const SHOWN: usize = 160;

    /// The name in words: what is not there, and what is.
    pub fn words(&self) -> String {
        let Self { missing, name, word, place } = self;
        let shown = |name: &str| quoted(name, Self::SHOWN);
        let word = if word.bytes().all(|byte| byte.is_ascii_lowercase()) { word } else { "name" };
        let (missing, shown_name) = (shown(missing), shown(name));
        if let Some(place) = place {
            let place = shown(place);
            return format!(
                "{place} has no {word} {missing}. The only name like it there is {shown_name} (names are data)"
            );
        }
        let how = if name.strip_suffix(&*self.missing).is_some_and(|before| before.ends_with('/')) {
            format!("{word} whose path ends so")
        } else if file_name(name) == file_name(&self.missing) {
            format!("{word} of that name")
        } else {
            format!("{word} of a name like it in its folder")
        };
        format!("{missing} is not there; the only tracked {how} is {shown_name} (names are data)")
    }

    /// Whether a text tells the name already, beside the missing one.
    pub fn is_in(&self, text: &str) -> bool {
        let rest = text.replace(&self.missing, "");
        let (name, missing) = (file_name(&self.name), file_name(&self.missing));
        holds_name(&rest, &self.name) || name != missing && holds_name(&rest, name)
    }
}

/// Whether a text holds a name as a word of its own.
fn holds_name(text: &str, name: &str) -> bool {
    let goes_on = |c: char| c.is_alphanumeric() || "-_".contains(c);
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        let behind = text.get(at + name.len()..).unwrap_or_default();
        !before.ends_with(goes_on) && !behind.starts_with(goes_on)
    })
}
