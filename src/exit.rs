//! Exit codes of `failwise`. `failwise-hook` has one: 0.

use std::process::ExitCode;

/// Why `failwise` ended as it did. The numbers are promised; see the README.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done; for `classify`: a failure was classified.
    Ok,
    /// Done, and what was asked to hold does not: `replay --check` met differences, `doctor` found a fault.
    Differs,
    /// `classify`, `decide`: the call is no failure. The answer is printed all the same.
    NotFailure,
    /// The command line is wrong.
    Usage,
    /// The input cannot be read: no JSON, an unknown shape, a damaged file.
    Unreadable,
    /// A file or stream could not be read or written.
    Io,
}

impl Exit {
    /// The number. 64, 65 and 74 are the ones of `sysexits.h`.
    pub fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Differs => 1,
            Self::NotFailure => 3,
            Self::Usage => 64,
            Self::Unreadable => 65,
            Self::Io => 74,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
