//! The canonical identity of a call.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The canonical identity of a call: tool and normalised command, or tool and target file. Two calls with the same
/// operation do the same thing again; made by `signature::operation`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Operation(pub String);

impl Operation {
    /// Whether the operation begins with these words: `git push` begins `git push origin`, and `git pu` does not.
    pub fn begins_with(&self, beginning: &str) -> bool {
        let mut words = self.0.split_whitespace();
        let mut wanted = beginning.split_whitespace().peekable();
        wanted.peek().is_some() && wanted.all(|word| words.next() == Some(word))
    }

    /// The commands of the line, cut at its signs; a sign within a quoted word cuts too, so that they serve to be compared
    /// only.
    pub fn commands(&self) -> impl Iterator<Item = &str> {
        // Most lines are one command, and are not searched for each sign.
        let has_signs = memchr::memchr3(b'&', b'|', b';', self.0.as_bytes()).is_some();
        let (one, several) = if has_signs { (None, Some(&*self.0)) } else { (Some(&*self.0), None) };
        let lists = several.into_iter().flat_map(|line| line.split(" && ")).flat_map(|part| part.split(" || "));
        let lists = lists.flat_map(|part| part.split("; ")).flat_map(|part| part.split(" & "));
        one.into_iter().chain(lists.flat_map(|part| part.split(" | ")))
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
