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
    /// A file takes in a module or package, and uses nothing of it.
    UnusedImport,
    /// A name of the sources is not defined in what is compiled.
    UndefinedName,
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
    /// A field that was asked for is none of the answer's.
    UnknownField,
    /// A program, a library or the project needs another version of something.
    WrongVersion,
    /// A script is written for another shell.
    WrongShell,
    /// The lines of a script end with a carriage return.
    CarriageReturn,
    /// A program or package is made for another system or processor.
    WrongPlatform,
    /// The system's own parser of options refuses a letter.
    IllegalOption,
    /// A service of the machine, such as its container daemon, does not run.
    MissingService,
    /// A library of the system, or a package of its package manager, is not there.
    MissingLibrary,
    /// Where the call ran lies no project, repository or manifest of the program.
    NoProject,
    /// The disk or the user's share of it is full.
    DiskFull,
    /// The disk may only be read.
    ReadOnlyDisk,
    /// A place of caches or settings may not be written.
    RefusedCache,
    /// Links lead back to where they came from.
    LinkLoop,
    /// A repository has nowhere to push to, or names a place that is none.
    NoDestination,
    /// A file of settings is not as the program wants it.
    BadConfig,
    /// Another setting outranks the one that was given.
    ShadowedSetting,
    /// The file that settings were read from.
    SettingsFile,
    /// An error in another language than English.
    OtherLanguage,
    /// The other side wants fewer requests.
    RateLimited,
    /// The other side does not serve just now.
    Unavailable,
    /// The other side is not reached: no name, no way, no connection, no trust.
    Unreachable,
    /// A time limit was over.
    LimitReached,
    /// A look for a newer version stood in the way.
    UpdateCheck,
    /// A right is missing, whoever asks.
    ScopeMissing,
    /// A credential was good and is not any more.
    AuthExpired,
    /// Nobody has signed in, or a credential was not given.
    AuthMissing,
    /// A variable that would hold a credential is not set.
    TokenUnset,
    /// The other side refused whoever asked.
    AccessRefused,
    /// A secret stands in the command line.
    SecretOnLine,
    /// A merge stopped at a conflict.
    MergeStopped,
    /// A part of the work was done.
    PartlyDone,
    /// What was to be made is there.
    AlreadyThere,
    /// The context, profile, region or workspace that is acted on is not there.
    NoContext,
    /// A signal ended a program.
    SignalEnded,
    /// It would destroy something, and wants to be forced.
    ForceWanted,
    /// A text is not in the encoding that was expected.
    BadEncoding,
    /// A file is no text.
    BinaryFile,
    /// A value is cut off.
    ValueCut,
    /// Several values stand where one was to be read.
    SeveralValues,
    /// An error that says nothing but that there is one.
    BareFault,
    /// There are more arguments than the program takes.
    SurplusArgument,
    /// An argument or option is wanted that is not there.
    MissingArgument,
    /// A text is none of its format, such as JSON.
    BadSyntax,
    /// Data does not hold a field that is read.
    MissingField,
    /// The program names the word that may be meant.
    NameSuggested,
    /// A dash does not stand for standard input.
    RefusedDash,
    /// There is a newer version of the program.
    UpdateTold,
    /// A list goes on behind its last line.
    MoreToList,
    /// Work was only begun, and goes on elsewhere.
    JobBegun,
    /// A pattern for file names matched nothing, or too much.
    UnmatchedGlob,
    /// A path stands among the conditions of a search.
    MisplacedPath,
    /// A pattern for file names came to the program as it was written, and no file is named so.
    RawPattern,
    /// An installer has a question.
    InstallerAsks,
}

impl FindingKind {
    /// The category of a failure whose cause it is. None where that depends on what was to be done.
    pub fn category(self) -> Option<Category> {
        match self {
            Self::UnknownOption | Self::UnknownSubcommand => Some(Category::BadArguments),
            Self::MissingProgram => Some(Category::CommandNotFound),
            Self::MissingModule => Some(Category::DependencyMissing),
            Self::PortTaken | Self::LockHeld => Some(Category::ResourceBusy),
            Self::RateLimited => Some(Category::RateLimit),
            Self::DiskFull => Some(Category::ResourceExhausted),
            _ => None,
        }
    }

    /// The kind of what a line of this category says, where that is all that is to be known of it.
    pub fn of_category(category: Category) -> Option<Self> {
        match category {
            Category::Network => Some(Self::Unreachable),
            Category::RateLimit => Some(Self::RateLimited),
            _ => None,
        }
    }

    /// The kind of what the status of an answer says, by its category.
    pub fn of_status(category: Category) -> Option<Self> {
        match category {
            Category::AuthRequired => Some(Self::AccessRefused),
            Category::RateLimit => Some(Self::RateLimited),
            Category::ServiceError => Some(Self::Unavailable),
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
