//! Why a plan tree was not changed.

use std::{fmt, io, path::PathBuf};

use crate::plan::PlanError;

/// What a failure means that came before the first write.
pub(super) const NOTHING_CHANGED: &str = "nothing was changed";

/// Why the tree was not changed. Each message completes "failwise: ...".
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

impl ChangeError {
    /// A refusal.
    pub(super) fn refused(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Refused { what: what.into(), hint: hint.into() }
    }

    /// Where a file could not be read, before anything was changed.
    pub(super) fn unread(file: &std::path::Path, error: &io::Error) -> Self {
        Self::Io { file: file.to_owned(), kind: error.kind(), hint: NOTHING_CHANGED }
    }

    /// What to do next.
    pub fn hint(&self) -> &str {
        match self {
            Self::Plan(PlanError::Unreadable { kind: io::ErrorKind::NotFound, .. }) => {
                "failwise plan init makes a plan; --plans DIR names the folder of another"
            }
            Self::Plan(_) => "fix the file; `failwise plan validate` lists what else is wrong",
            Self::Missing { .. } => "`failwise plan status` shows the nodes",
            Self::Refused { hint, .. } => hint,
            Self::Io { kind: io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem, hint, .. }
                if *hint == NOTHING_CHANGED =>
            {
                "nothing was changed; it needs the right to write there: `ls -ld` shows whose it is, a person gives it"
            }
            Self::Io { hint, .. } => hint,
        }
    }
}

impl From<PlanError> for ChangeError {
    fn from(error: PlanError) -> Self {
        Self::Plan(error)
    }
}

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

impl std::error::Error for ChangeError {}
