//! Exit codes of `failwise`. `failwise-hook` has one: 0.

use std::process::ExitCode;

/// Why `failwise` ended as it did. The numbers are promised; see `docs/commands.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done; for `classify`: a failure was classified.
    Ok,
    /// Done, and what was asked to hold does not: `replay --check` met differences, `doctor` found a fault.
    Differs,
    /// `diagnose`: there is nothing to look at. The answer is printed all the same and says what to add.
    Insufficient,
    /// `classify`, `decide`: the call is no failure; `diagnose`: no failure mode was met. The answer is printed all the same.
    NotFailure,
    /// `result`, `run`: there is no text, although nothing says that the run failed.
    NoText,
    /// The command line is wrong.
    Usage,
    /// The input cannot be read: no JSON, an unknown shape, a damaged file.
    Unreadable,
    /// A program that the command needs is not there.
    Unavailable,
    /// A file or stream could not be read or written.
    Io,
    /// `run`, `workflow`: stopped at its retries, its time or its cost.
    Exhausted,
    /// Ended by Ctrl-C.
    Interrupted,
    /// Ended by a signal that asks programs to end.
    Terminated,
}

impl Exit {
    /// The number. 64 to 75 are the ones of `sysexits.h`, those from 128 on the ones of shells.
    pub fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Differs => 1,
            Self::Insufficient => 2,
            Self::NotFailure => 3,
            Self::NoText => 4,
            Self::Usage => 64,
            Self::Unreadable => 65,
            Self::Unavailable => 69,
            Self::Io => 74,
            Self::Exhausted => 75,
            Self::Interrupted => 130,
            Self::Terminated => 143,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
