//! What can go wrong, and what to do next.

use std::fmt;

use crate::exit::Exit;

/// What went wrong: a lowercase fragment that completes "failwise: ...", and a second line with the next step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    message: String,
    hint: Option<String>,
    exit: Exit,
}

impl Error {
    /// An error in what the person typed.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, exit: Exit::Usage }
    }

    /// Input that cannot be read for what it should be.
    pub fn unreadable(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, exit: Exit::Unreadable }
    }

    /// Something that may not be done in the present state.
    pub fn refused(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, exit: Exit::Differs }
    }

    /// A program that is needed and not there.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, exit: Exit::Unavailable }
    }

    /// A file or stream that could not be read or written.
    pub fn io(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, exit: Exit::Io }
    }

    /// The same error with the next step.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The exit that the error leads to.
    pub fn exit(&self) -> Exit {
        self.exit
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Self { message: error.to_string(), hint: None, exit: Exit::Io }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "\n  {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}
