//! What can be wrong with a plan tree's files.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

use super::survey::MISSION_FILE;

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
    /// `active.json` or `.counters.json` is not what it should be.
    Active {
        /// The file.
        file: PathBuf,
        /// The line, from 1; 0 when the text ended too early to tell.
        line: usize,
        /// What is wrong.
        what: String,
    },
}

impl PlanError {
    /// Where a folder holds no tree.
    pub fn none_in(dir: &Path) -> Self {
        Self::Unreadable { file: dir.join("mission").join(MISSION_FILE), kind: io::ErrorKind::NotFound }
    }

    /// Where a file is not the JSON that it should be.
    pub fn json(file: PathBuf, error: &serde_json::Error) -> Self {
        Self::Active { file, line: error.line(), what: error.to_string() }
    }
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { file, kind: io::ErrorKind::NotFound } => write!(f, "{}: no such file", file.display()),
            Self::Unreadable { file, kind } => write!(f, "{}: {kind}", file.display()),
            Self::TooLarge { file, limit } => write!(f, "{}: larger than {limit} bytes", file.display()),
            Self::Active { file, line, what } => write!(f, "{}:{line}: {what}", file.display()),
        }
    }
}

impl std::error::Error for PlanError {}
