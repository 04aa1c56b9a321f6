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
    /// A parameter of the call that the tool needs is missing.
    MissingOption,
    /// A parameter of the call has another type than the tool takes: `meant` is the type.
    WrongType,
    /// A tool, skill or agent of the client that there is none of.
    UnknownTool,
    /// The answer is larger than the client takes: the name is its size, `meant` the most.
    TooLarge,
    /// The text to be replaced stands in the file more than once.
    ManyMatches,
    /// The new text is the old one.
    NoChange,
    /// A file or folder that was to be read or found is not there.
    MissingFile,
    /// What was to be read as a file is a folder.
    IsDirectory,
    /// A file was opened to be written, in the lines that an error shows.
    WritesFile,
    /// The file that says what a project is made of is not where the program looks.
    MissingManifest,
    /// The sources cannot be loaded or built, whatever the call asks of them.
    BrokenBuild,
    /// A password or key that a person has opens it, and nothing else.
    Sealed,
    /// What a project brings is not trusted yet.
    Untrusted,
    /// The key or agent that signs refuses.
    CanNotSign,
    /// A revision that the remote does not have.
    UnknownRemoteRef,
    /// A path that version control does not track.
    UnknownPathspec,
    /// Changes that are not committed would be lost.
    DirtyTree,
    /// Nothing is changed since the last commit.
    CleanTree,
    /// A picked commit changes nothing here.
    EmptyCommit,
    /// The remote branch has commits that are not here.
    RemoteAhead,
    /// A branch of that name exists.
    BranchExists,
    /// A folder of that name exists and is not empty.
    FolderExists,
    /// A branch has commits that are on no other.
    NotMerged,
    /// A branch is checked out in another worktree.
    InWorktree,
    /// Files are not merged yet.
    Unmerged,
    /// Two branches changed the same place of a file.
    Conflict,
    /// No branch is checked out.
    DetachedHead,
    /// An object of the repository cannot be read.
    BrokenObject,
    /// There is no such stash entry.
    NoStash,
    /// History, a tag or a common ancestor is missing.
    MissingHistory,
    /// Nobody listens at the address: the name is the address.
    ConnectionRefused,
    /// The name of a host cannot be resolved.
    UnresolvedHost,
    /// The client's own time limit ended the call.
    ClientLimit,
    /// A time limit ended it.
    TimedOut,
    /// What was to be stopped had ended.
    NotRunning,
    /// A pattern of the shell fits no file.
    NoMatch,
    /// A quote or block of a line is never closed.
    Unclosed,
    /// The shell does not understand a line.
    ShellSyntax,
    /// zsh took a word that begins with `=` for the path of a program.
    EqualsWord,
    /// The shell put a backslash before a `!`.
    EscapedBang,
    /// A filter of jq is wrong, or does not fit the data.
    BadFilter,
    /// A variable that a script reads is not set.
    UnsetVariable,
    /// A file of data cannot be parsed: the name is the line.
    BadData,
    /// A value of another kind than the code takes.
    BadValue,
    /// The head of a traceback: the place that failed stands last in it.
    Traceback,
    /// A file or folder of that name is there already.
    FileExists,
    /// Both sides have commits, and nothing says how to join them.
    Diverged,
    /// A branch was to be named, and something else was: the name is that.
    NotABranch,
    /// The lines that a patch changes are others by now.
    PatchFails,
    /// A lock file or vendor folder does not fit its manifest, or is not there.
    StaleLock,
    /// The cache of a build folder was made elsewhere.
    ForeignCache,
    /// A build folder is none yet.
    NotConfigured,
    /// Nothing goes on that could be continued.
    NothingUnderway,
    /// Nothing is staged for a commit.
    NothingStaged,
    /// A package has no library to be built.
    NoLibrary,
    /// A field that was asked for is none of the answer's.
    UnknownField,
}

impl FindingKind {
    /// The category of a failure whose cause it is. None where that depends on what was to be done.
    pub fn category(self) -> Option<Category> {
        match self {
            Self::UnknownOption | Self::UnknownSubcommand => Some(Category::BadArguments),
            Self::MissingProgram => Some(Category::CommandNotFound),
            Self::MissingModule => Some(Category::DependencyMissing),
            Self::PortTaken | Self::LockHeld => Some(Category::ResourceBusy),
            _ => None,
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
    /// What it takes instead, where the line says so: the type of a parameter, the most of a size.
    pub meant: Option<&'t str>,
}
