//! What may be wrong with a base, and what to do then.

use std::fmt;
use std::path::{Path, PathBuf};

use super::base::{Base, is_damage};
use crate::error::Error;

/// Why the base cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreFault {
    /// It is no base, or a part of it was deleted or overwritten.
    Broken {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        why: String,
    },
    /// A newer Failwise wrote it.
    Newer {
        /// The file.
        path: PathBuf,
        /// The version of its schema.
        version: i64,
    },
    /// It cannot be read or written, and nothing says that it is damaged.
    Io(String),
}

impl StoreFault {
    pub(super) fn of(path: &Path, error: &rusqlite::Error) -> Self {
        if is_damage(error) {
            return Self::Broken { path: path.to_owned(), why: error.to_string() };
        }
        Self::Io(format!("{}: {error}", path.display()))
    }
}

impl fmt::Display for StoreFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Broken { path, why } => write!(f, "{} is damaged: {why}", path.display()),
            Self::Newer { path, version } => write!(
                f,
                "{} was written by a newer Failwise (version {version} of its tables, this one knows {})",
                path.display(),
                Base::VERSION
            ),
            Self::Io(why) => f.write_str(why),
        }
    }
}

impl From<std::io::Error> for StoreFault {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error.to_string())
    }
}

impl From<StoreFault> for Error {
    fn from(fault: StoreFault) -> Self {
        let text = fault.to_string();
        match fault {
            StoreFault::Broken { .. } => Self::unreadable(text)
                .hint("failwise kb rebuild keeps it aside and rebuilds it; hooks continue with their present files"),
            StoreFault::Newer { .. } => {
                Self::unreadable(text).hint("update Failwise; FAILWISE_BASE=FILE uses another database meanwhile")
            }
            StoreFault::Io(_) => Self::io(text)
                .hint("the file and its folder must be yours to write; FAILWISE_BASE=FILE uses another database"),
        }
    }
}
