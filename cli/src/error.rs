//! What can go wrong, and what to do next.

use std::fmt;
use std::io::ErrorKind;

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

    /// Something that did not pass in its time and may pass later.
    pub fn exhausted(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, exit: Exit::Exhausted }
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

impl Error {
    /// What the system said of a file or stream with this name, as a sentence with the next step.
    pub fn of_file(name: &str, error: &std::io::Error) -> Self {
        let told = Self::from(std::io::Error::new(error.kind(), error.to_string()));
        Self { message: format!("{name}: {}", told.message), ..told }
    }
}

/// The system's words without its number, and the next step by the kind of error.
impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        let said = error.to_string();
        let said = match said.rsplit_once(" (os error ") {
            Some((words, number)) if number.ends_with(')') => words,
            _ => said.as_str(),
        };
        let next = match error.kind() {
            ErrorKind::NotFound => "check the name and its folder; a relative one counts from here",
            ErrorKind::PermissionDenied => {
                "give yourself the right to it (`ls -ld` shows whose it is), or name another"
            }
            ErrorKind::IsADirectory => "that is a folder: name a file",
            ErrorKind::NotADirectory => "a part of that path is a file: name a folder there",
            ErrorKind::AlreadyExists => "move the existing one away, or name another",
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "free space on that disk, and run it again",
            ErrorKind::ReadOnlyFilesystem => "nothing can be written there: name another place",
            ErrorKind::InvalidFilename => "that name is too long or has a sign that no name has: give another",
            ErrorKind::Unsupported => {
                "use a disk that has locks: FAILWISE_DIR=FOLDER for the records, FAILWISE_BASE=FILE for the database"
            }
            ErrorKind::InvalidInput => "give a file, or pipe its text in",
            ErrorKind::InvalidData => "that is no text in UTF-8: give another file",
            _ => "look at the file and its folder, and run it again",
        };
        Self::io(said).hint(next)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says_is_told_without_its_number_and_with_the_next_step() {
        let full = Error::from(std::io::Error::from_raw_os_error(28)).to_string();
        assert_eq!(full, "No space left on device\n  free space on that disk, and run it again");
        let missing = Error::of_file("a.md", &std::io::Error::from_raw_os_error(2)).to_string();
        assert!(missing.starts_with("a.md: No such file or directory\n  check the name"), "{missing}");
    }
}
