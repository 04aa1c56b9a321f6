//! What can be wrong with a plan tree's files.

use std::{fmt, io, path::PathBuf};

/// What is wrong with a file of the plan tree. Each message completes "could not read the plan: ...".
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanError {
    /// The file could not be read.
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Why.
        kind: io::ErrorKind,
    },
    /// The file is larger than a plan's file is read.
    TooLarge {
        /// The file.
        file: PathBuf,
        /// The most bytes that are read.
        limit: usize,
    },
    /// `active.json` does not say what is active.
    Active {
        /// The file.
        file: PathBuf,
        /// The line, from 1; 0 when the text ended too early to tell.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// The front matter, or one field of it, does not say what it should.
    FrontMatter {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
}

impl PlanError {
    /// The file that is wrong.
    pub fn file(&self) -> &std::path::Path {
        match self {
            Self::Unreadable { file, .. }
            | Self::TooLarge { file, .. }
            | Self::Active { file, .. }
            | Self::FrontMatter { file, .. } => file,
        }
    }
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { file, kind } => write!(f, "{}: {kind}", file.display()),
            Self::TooLarge { file, limit } => write!(f, "{}: larger than {limit} bytes", file.display()),
            Self::Active { file, line, what } | Self::FrontMatter { file, line, what } => {
                write!(f, "{}:{line}: {what}", file.display())
            }
        }
    }
}

impl std::error::Error for PlanError {}

/// Why the tree was not changed. Each message completes "failwise: ...".
#[cfg(feature = "cli")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeError {
    /// A file of the tree cannot be read for what it should be.
    Plan(PlanError),
    /// There is no node of this id.
    Missing {
        /// The id.
        id: String,
    },
    /// The state of the tree forbids it.
    Refused {
        /// Why.
        what: String,
        /// What to do instead.
        hint: String,
    },
    /// A file could not be read or written, or the lock could not be had.
    Io {
        /// The file.
        file: PathBuf,
        /// What went wrong.
        kind: io::ErrorKind,
        /// What it means for the tree.
        hint: &'static str,
    },
}

#[cfg(feature = "cli")]
impl ChangeError {
    /// A refusal.
    pub(super) fn refused(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Refused { what: what.into(), hint: hint.into() }
    }

    /// Where a file could not be read, before anything was changed.
    pub(super) fn unread(file: &std::path::Path, error: &io::Error) -> Self {
        Self::Io { file: file.to_owned(), kind: error.kind(), hint: "nothing was changed" }
    }

    /// What to do next.
    pub fn hint(&self) -> &str {
        match self {
            Self::Plan(_) => "mend the file; `failwise plan validate` tells what else is wrong",
            Self::Missing { .. } => "`failwise plan status` shows the nodes",
            Self::Refused { hint, .. } => hint,
            Self::Io { hint, .. } => hint,
        }
    }
}

#[cfg(feature = "cli")]
impl From<PlanError> for ChangeError {
    fn from(error: PlanError) -> Self {
        Self::Plan(error)
    }
}

#[cfg(feature = "cli")]
impl fmt::Display for ChangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plan(error) => error.fmt(f),
            Self::Missing { id } => write!(f, "there is no node `{id}` in the plan"),
            Self::Refused { what, .. } => f.write_str(what),
            Self::Io { file, kind, .. } => write!(f, "{}: {kind}", file.display()),
        }
    }
}

#[cfg(feature = "cli")]
impl std::error::Error for ChangeError {}
