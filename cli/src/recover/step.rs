//! What a step does, before it is the call of a tool.

use serde_json::{Map, Value};

use crate::text::quoted;

/// What a step does.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Deed {
    /// Runs a line of `sh`, made of quoted words or of the failed call's own line with single words replaced.
    Run(String),
    /// Runs the line that the failed call itself was to run.
    Own(String),
    /// Lets the shell read a line without running it.
    Check(String),
    /// Lists a folder.
    List(String),
    /// Reads a file, whole or from a line on.
    Read {
        /// The file.
        path: String,
        /// The first line, from 1.
        from: Option<u64>,
    },
    /// Replaces a text in a file, where it stands exactly once.
    Edit {
        /// The file.
        path: String,
        /// What stands there.
        old: String,
        /// What shall stand there.
        new: String,
    },
    /// Writes a file.
    Write {
        /// The file.
        path: String,
        /// What it holds then.
        content: String,
    },
    /// Finds files below the folder by their name.
    Find {
        /// The name.
        name: String,
    },
    /// Searches for a text.
    Search {
        /// The text, literally.
        text: String,
        /// The folder or file.
        folder: String,
    },
    /// Calls the failed tool with these arguments.
    Again {
        /// The tool, as the input names it.
        tool: String,
        /// All its arguments.
        args: Map<String, Value>,
    },
    /// Asks the person.
    Ask(String),
}

/// One step of a strategy.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PlanStep {
    /// What is done, for people.
    pub(super) action: String,
    /// How.
    pub(super) deed: Deed,
    /// How one sees that it worked.
    pub(super) expected: String,
    /// Whether it does the work that failed, in its mended form.
    pub(super) performs: bool,
}

impl PlanStep {
    /// A step that prepares or looks.
    pub(super) fn new(action: impl Into<String>, deed: Deed, expected: impl Into<String>) -> Self {
        Self { action: action.into(), deed, expected: expected.into(), performs: false }
    }

    /// A step that reads a whole file.
    pub(super) fn read(path: &str, expected: impl Into<String>) -> Self {
        let read = Deed::Read { path: path.to_owned(), from: None };
        Self::new(format!("Read {}", quoted(path, 100)), read, expected)
    }

    /// A step that does the work that failed.
    pub(super) fn work(action: impl Into<String>, deed: Deed, expected: impl Into<String>) -> Self {
        Self { performs: true, ..Self::new(action, deed, expected) }
    }
}
