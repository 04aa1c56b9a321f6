//! What becomes of files in a session, as its calls tell.

use super::TextEdit;

/// What one call tells of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileNews {
    /// All that it holds is known.
    Holds {
        /// The file, as given.
        path: String,
        /// What it holds.
        text: String,
    },
    /// It was edited.
    Edited {
        /// The file, as given.
        path: String,
        /// What it held before, where that is told.
        original: Option<String>,
        /// What was replaced, in order.
        edits: Vec<TextEdit>,
    },
    /// It was changed, and nobody knows how.
    Changed {
        /// The file, as given.
        path: String,
    },
    /// An edit of it failed.
    Refused {
        /// The file, as given.
        path: String,
        /// What was to be replaced, in order.
        edits: Vec<TextEdit>,
    },
}
