//! One thing that an output says.

use super::Category;

/// The kinds, each with the category of a failure whose cause it is: none where that depends on what was to be done.
macro_rules! kinds {
    ($(#[$about:meta])* pub enum $name:ident { $($(#[doc = $doc:literal])+ $kind:ident = $category:expr,)* }) => {
        $(#[$about])*
        pub enum $name { $($(#[doc = $doc])+ $kind,)* }

        impl $name {
            /// What it says, as a sentence.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$kind => concat!($($doc),+).trim_ascii(),)* }
            }

            /// The category of a failure whose cause it is. None where that depends on what was to be done.
            pub fn category(self) -> Option<Category> {
                match self { $(Self::$kind => $category,)* }
            }
        }
    };
}

kinds! {
/// What kind of thing an output says. What a table behind `reading` knows of a failure it knows of a kind, never of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FindingKind {
    /// An option of the call is none of the program's.
    UnknownOption = Some(Category::BadArguments),
    /// A subcommand of the call is none of the program's.
    UnknownSubcommand = Some(Category::BadArguments),
    /// A script, task, target or recipe that no manifest declares.
    UnknownScript = None,
    /// A branch, tag, commit or path that version control does not know.
    UnknownRef = None,
    /// A remote that version control does not know.
    UnknownRemote = None,
    /// A value that the program does not take for an option or an argument.
    InvalidValue = None,
    /// A program that was to be started is not there.
    MissingProgram = Some(Category::CommandNotFound),
    /// A module, package or library that was to be loaded is not there.
    MissingModule = Some(Category::DependencyMissing),
    /// A file takes in a module or package, and uses nothing of it.
    UnusedImport = None,
    /// A name of the sources is not defined in what is compiled.
    UndefinedName = None,
    /// A port or address to be listened on belongs to another process.
    PortTaken = Some(Category::ResourceBusy),
    /// A lock is held by another process.
    LockHeld = Some(Category::ResourceBusy),
    /// It needs a terminal, and there is none.
    NoTerminal = None,
    /// It wants to open an editor, and cannot.
    NoEditor = None,
    /// It wants to open a window or a browser, and there is no display.
    NoDisplay = None,
    /// It expects something on standard input, and nothing comes.
    NoInput = None,
    /// A parameter of the call that the tool needs is missing.
    MissingOption = None,
    /// A parameter of the call has another type than the tool takes: `meant` is the type.
    WrongType = None,
    /// A tool, skill or agent of the client that there is none of.
    UnknownTool = None,
    /// The answer is larger than the client takes: the name is its size, `meant` the most.
    TooLarge = None,
    /// The text to be replaced stands in the file more than once.
    ManyMatches = None,
    /// A file was to be edited that the agent had not read.
    NotRead = None,
    /// The new text is the old one.
    NoChange = None,
    /// A file or folder that was to be read or found is not there.
    MissingFile = None,
    /// What was to be read as a file is a folder.
    IsDirectory = None,
    /// A file was opened to be written, in the lines that an error shows.
    WritesFile = None,
    /// The sources cannot be loaded or built, whatever the call asks of them.
    BrokenBuild = None,
    /// A password or key that a person has opens it, and nothing else.
    Sealed = None,
    /// What a project brings is not trusted yet.
    Untrusted = None,
    /// The other side was reached, and its certificate is not trusted here.
    UntrustedCertificate = Some(Category::Network),
    /// The host shows another key than the one that is kept for it.
    HostKeyChanged = Some(Category::AuthRequired),
    /// No versions of the packages fit all that require them.
    VersionsConflict = Some(Category::DependencyMissing),
    /// What was to be a folder is a file.
    NotAFolder = None,
    /// The key or agent that signs refuses.
    CanNotSign = None,
    /// A revision that the remote does not have.
    UnknownRemoteRef = None,
    /// A path that version control does not track.
    UnknownPathspec = None,
    /// Changes that are not committed would be lost.
    DirtyTree = None,
    /// Nothing is changed since the last commit.
    CleanTree = None,
    /// A picked commit changes nothing here.
    EmptyCommit = None,
    /// The remote branch has commits that are not here.
    RemoteAhead = None,
    /// A branch of that name exists.
    BranchExists = None,
    /// A folder of that name exists and is not empty.
    FolderExists = None,
    /// A branch has commits that are on no other.
    NotMerged = None,
    /// A branch is checked out in another worktree.
    InWorktree = None,
    /// Files are not merged yet.
    Unmerged = None,
    /// Two branches changed the same place of a file: the name is the file.
    Conflict = None,
    /// No branch is checked out.
    DetachedHead = None,
    /// An object of the repository cannot be read.
    BrokenObject = None,
    /// There is no such stash entry.
    NoStash = None,
    /// History, a tag or a common ancestor is missing.
    MissingHistory = None,
    /// Nobody listens at the address, which is the name: another port may be the right one.
    ConnectionRefused = None,
    /// The host, which is the name, has no address: its name is wrong, or known elsewhere only.
    UnresolvedHost = None,
    /// The client's own time limit ended the call.
    ClientLimit = None,
    /// A time limit ended it, whoever set it.
    TimedOut = None,
    /// What was to be stopped had ended.
    NotRunning = None,
    /// A pattern for file names fits no file: the name is the pattern.
    NoMatch = None,
    /// A pattern for file names fits more than is taken where it stands.
    ManyNames = None,
    /// A quote or block of a line is never closed.
    Unclosed = None,
    /// The shell does not understand a line.
    ShellSyntax = None,
    /// zsh took a word that begins with `=` for the path of a program.
    EqualsWord = None,
    /// The shell put a backslash before a `!`.
    EscapedBang = None,
    /// A filter of jq is wrong, or does not fit the data.
    BadFilter = None,
    /// A variable that a script reads is not set.
    UnsetVariable = None,
    /// A value of another kind than the code takes.
    BadValue = None,
    /// The head of a traceback: the place that failed stands last in it.
    Traceback = None,
    /// A file or folder of that name is there already.
    FileExists = None,
    /// Both sides have commits, and nothing says how to join them.
    Diverged = None,
    /// A branch was to be named, and something else was: the name is that.
    NotABranch = None,
    /// The lines that a patch changes are others by now.
    PatchFails = None,
    /// A lock file or vendor folder does not fit its manifest, or is not there.
    StaleLock = None,
    /// The cache of a build folder was made elsewhere.
    ForeignCache = None,
    /// A build folder is none yet.
    NotConfigured = None,
    /// Nothing goes on that could be continued.
    NothingUnderway = None,
    /// Nothing is staged for a commit.
    NothingStaged = None,
    /// A field that was asked for is none of the answer's.
    UnknownField = None,
    /// A program, a library or the project needs another version of something.
    WrongVersion = None,
    /// A script is written for another shell.
    WrongShell = None,
    /// The lines of a script end with a carriage return.
    CarriageReturn = None,
    /// A program or package is made for another system or processor.
    WrongPlatform = None,
    /// The system's own parser of options refuses a letter.
    IllegalOption = None,
    /// A service of the machine, such as its container daemon, is not reached.
    MissingService = None,
    /// A library of the system, or a package of its package manager, is not there.
    MissingLibrary = None,
    /// Where the program looks lies no project, repository or manifest of its.
    NoProject = None,
    /// The disk or the user's share of it is full.
    DiskFull = Some(Category::ResourceExhausted),
    /// The disk may only be read.
    ReadOnlyDisk = None,
    /// A place of caches or settings may not be written.
    RefusedCache = None,
    /// Links lead back to where they came from.
    LinkLoop = None,
    /// A repository has nowhere to push to, or names a place that is none.
    NoDestination = None,
    /// A file of settings is not as the program wants it.
    BadConfig = None,
    /// Another setting outranks the one that was given.
    ShadowedSetting = None,
    /// The file that settings were read from.
    SettingsFile = None,
    /// An error in another language than English.
    OtherLanguage = None,
    /// The other side wants fewer requests.
    RateLimited = Some(Category::RateLimit),
    /// The other side does not serve just now.
    Unavailable = None,
    /// The other side is not reached, whatever is in the way: of a refused connection and an unknown host it is said as well.
    Unreachable = None,
    /// A look for a newer version stood in the way.
    UpdateCheck = None,
    /// A right is missing, whoever asks.
    ScopeMissing = None,
    /// A credential was good and is not any more.
    AuthExpired = None,
    /// Nobody has signed in, or a credential was not given.
    AuthMissing = None,
    /// A variable that would hold a credential is not set.
    TokenUnset = None,
    /// The other side refused whoever asked.
    AccessRefused = None,
    /// A secret stands in the command line.
    SecretOnLine = None,
    /// A part of the work was done.
    PartlyDone = None,
    /// What was to be made is there.
    AlreadyThere = None,
    /// The context, profile, region or workspace that is acted on is not there.
    NoContext = None,
    /// A signal ended a program.
    SignalEnded = None,
    /// It would destroy something, and wants to be forced.
    ForceWanted = None,
    /// A text is not in the encoding that was expected.
    BadEncoding = None,
    /// A file is no text.
    BinaryFile = None,
    /// A value is cut off.
    ValueCut = None,
    /// Several values stand where one was to be read.
    SeveralValues = None,
    /// An error that says nothing but that there is one.
    BareFault = None,
    /// There are more arguments than the program takes.
    SurplusArgument = None,
    /// An argument or option is wanted that is not there.
    MissingArgument = None,
    /// A text is none of its format, such as JSON: the name is the line where it says so.
    BadSyntax = None,
    /// A word is refused, whatever it stands for: the name is the word.
    RefusedWord = None,
    /// Something that the name tells is not there, whatever it is.
    NotThere = None,
    /// A locale that the machine does not have.
    UnfitLocale = None,
    /// Data does not hold a field that is read.
    MissingField = None,
    /// The program names the word that may be meant.
    NameSuggested = None,
    /// A dash does not stand for standard input.
    RefusedDash = None,
    /// There is a newer version of the program.
    UpdateTold = None,
    /// A list goes on behind its last line.
    MoreToList = None,
    /// Work was only begun, and goes on elsewhere.
    JobBegun = None,
    /// A path stands among the conditions of a search.
    MisplacedPath = None,
    /// A pattern for file names came to the program as it was written, and no file is named so.
    RawPattern = None,
    /// An installer has a question.
    InstallerAsks = None,
}
}

impl FindingKind {
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
