//! What becomes of files in a session, as its calls tell.

use super::TextEdit;

/// What one call tells of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileNews {
    /// All that it holds is known.
    Holds {
        /// The file, as given.
        path: String,
        /// What it holds, as JSON writes it: most files are never asked about.
        json: String,
    },
    /// It was edited.
    Edited {
        /// The file, as given.
        path: String,
        /// What it held before, as JSON writes it, where that is told.
        json: Option<String>,
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
