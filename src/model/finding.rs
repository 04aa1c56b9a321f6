//! One thing that an output says.

use super::Category;

/// What kind of thing an output says. What a table behind `reading` knows of a failure it knows of a kind, never of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FindingKind {
    /// An option of the call is none of the program's.
    UnknownOption,
    /// A subcommand of the call is none of the program's.
    UnknownSubcommand,
    /// A script, task, target or recipe that no manifest declares.
    UnknownScript,
    /// A branch, tag, commit or path that version control does not know.
    UnknownRef,
    /// A remote that version control does not know.
    UnknownRemote,
    /// A value that the program does not take for an option or an argument.
    InvalidValue,
    /// A program that was to be started is not there.
    MissingProgram,
    /// A module, package or library that was to be loaded is not there.
    MissingModule,
    /// A port or address to be listened on belongs to another process.
    PortTaken,
    /// A lock is held by another process.
    LockHeld,
    /// It needs a terminal, and there is none.
    NoTerminal,
    /// It wants to open an editor, and cannot.
    NoEditor,
    /// It wants to open a window or a browser, and there is no display.
    NoDisplay,
    /// It expects something on standard input, and nothing comes.
    NoInput,
}

impl FindingKind {
    /// The category of a failure whose cause it is. None where that depends on what was to be done.
    pub fn category(self) -> Option<Category> {
        match self {
            Self::UnknownOption | Self::UnknownSubcommand => Some(Category::BadArguments),
            Self::MissingProgram => Some(Category::CommandNotFound),
            Self::MissingModule => Some(Category::DependencyMissing),
            Self::PortTaken | Self::LockHeld => Some(Category::ResourceBusy),
            Self::UnknownScript
            | Self::UnknownRef
            | Self::UnknownRemote
            | Self::InvalidValue
            | Self::NoTerminal
            | Self::NoEditor
            | Self::NoDisplay
            | Self::NoInput => None,
        }
    }
}

/// One thing that an output says, found once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finding<'t> {
    /// What kind of thing it is.
    pub kind: FindingKind,
    /// The line that says it, as it was printed.
    pub line: &'t str,
    /// What it is about, as it was printed: the option, the program, the module, the port. None where the line does not
    /// name it.
    pub name: Option<&'t str>,
}
