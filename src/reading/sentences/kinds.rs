//! Which kinds of finding a line tells, by what it is about and what it says of it. Programs word the same few things in
//! their own ways, and nearly all of them with the same few words.

use crate::model::{Finding, FindingKind};
use crate::text::{file_name, offset_in};

use super::table::{FLAG, PATH};
use super::tokens::{Token, tokens};
use super::{is_meant, named, phrase_end};

use FindingKind as K;

/// A kind, what a sentence of it is about, and what it says: one of each stands in the sentence, near each other.
struct Row {
    kind: FindingKind,
    about: &'static [&'static str],
    says: &'static [&'static str],
    /// Words beside which it is about something else.
    unless: &'static [&'static str],
}

const fn row(kind: FindingKind, about: &'static [&'static str], says: &'static [&'static str]) -> Row {
    Row { kind, about, says, unless: &[] }
}

impl Row {
    const fn unless(mut self, words: &'static [&'static str]) -> Self {
        self.unless = words;
        self
    }
}

/// How many words may stand between the two.
const NEAR: usize = 6;

const NO: &[&str] = &[
    "no",
    "not",
    "without",
    "require",
    "requires",
    "required",
    "needs",
    "must be",
    "unable",
    "failed",
    "could not",
    "can not",
    "lost",
];

const UNTAKEN: &[&str] = &[
    "unknown",
    "unrecognized",
    "unrecognised",
    "unexpected",
    "unsupported",
    "invalid",
    "illegal",
    "bad",
    "no such",
    "no option",
    "does not exist",
    "not exist",
    "not recognized",
    "not recognised",
    "not a valid",
    "not valid",
    "not defined",
    "not expected",
    "was not expected",
    "not supported",
    "is unknown",
];

/// The first row that holds counts.
const ROWS: &[Row] = &[
    row(
        K::NoDisplay,
        &["display", "x11", "xserver", "gtk", "xcb"],
        &[
            "no",
            "can not open",
            "could not open",
            "unable to open",
            "unable to start",
            "can not connect",
            "could not connect",
            "failed",
            "not set",
            "without",
        ],
    )
    .unless(&["name", "option", "flag", "message", "property", "css"]),
    row(K::NoDisplay, &["$display"], &["no", "missing", "not set", "set", "and"]),
    row(K::NoDisplay, &["x"], &["open x server", "connect to x server", "missing x server", "open x display"]),
    row(K::NoDisplay, &["qt", "plugin"], &["could not load the qt platform plugin"]),
    row(K::NoDisplay, &["browser"], &["find a suitable", "could not locate", "could not open", "failed to launch"]),
    row(
        K::NoEditor,
        &["editor"],
        &[
            "problem with",
            "could not",
            "can not",
            "unable",
            "failed",
            "not set",
            "unset",
            "no",
            "waiting for",
            "exited with",
        ],
    ),
    row(K::NoEditor, &["commit", "message"], &["empty commit message", "supply the message"]),
    row(K::NoEditor, &["terminal"], &["input is not from a terminal", "output is not to a terminal"]),
    row(K::NoTerminal, &["tty", "terminal", "/dev/tty"], NO)
        .unless(&["editor", "display", "emulator", "username", "login"]),
    row(K::NoTerminal, &["tty", "terminal", "/dev/tty"], &["busy", "error opening", "interactive", "no such device"])
        .unless(&["editor", "display", "username", "login"]),
    row(K::NoTerminal, &[], &["inappropriate ioctl for device", "eof when reading a line"]).unless(&["stty"]),
    row(
        K::NoTerminal,
        &["non-interactive", "non-interactively", "noninteractive"],
        &["environment", "shell", "mode", "to run", "when running", "used", "can not", "could not", "not"],
    ),
    row(
        K::NoTerminal,
        &["interactively", "interactive"],
        &["not running", "can not", "could not", "must be", "requires", "required", "not supported"],
    )
    .unless(&["editor", "rebase", "login"]),
    row(K::NoTerminal, &["prompt", "passphrase", "prompts"], &["can not", "could not", "unable", "failed"])
        .unless(&["username", "func"]),
    row(K::NoTerminal, &["password"], &["sudo a password is required"]),
    row(
        K::NoInput,
        &["stdin"],
        &["no input", "nothing", "expected", "waiting for", "required", "requires", "reading from"],
    ),
    row(
        K::PortTaken,
        &["port", "address", "socket", "eaddrinuse"],
        &[
            "in use",
            "already in use",
            "already allocated",
            "already running on",
            "already listening",
            "is taken",
            "already taken",
            "only one usage of each",
            "already bound",
            "being used by",
        ],
    )
    .unless(&["email", "mail", "wallet", "mac"]),
    row(K::PortTaken, &[], &["already listening on"]),
    row(K::PortTaken, &["eaddrinuse"], &["eaddrinuse"]),
    row(
        K::LockHeld,
        &["lock", "lockfile", "lock-frontend", "locks"],
        &[
            "could not acquire",
            "failed to acquire",
            "unable to acquire",
            "can not acquire",
            "error acquiring",
            "acquiring",
            "waiting for",
            "could not get",
            "unable to lock",
            "can not lock",
            "could not set",
            "held by",
            "is held",
            "holds",
            "already used by",
            "already held",
            "timed out waiting",
            "another process",
        ],
    )
    .unless(&["package-lock", "frozen"]),
    row(K::LockHeld, &[], &["unable to create * file exists"]),
    row(K::LockHeld, &["process", "instance"], &["another * holds", "another git process", "another instance of"]),
    row(
        K::LockHeld,
        &["database", "repository", "state", "index", "profile", "store", "cache", "archive", "folder", "workspace"],
        &["is locked", "already locked", "locked by"],
    ),
    row(
        K::MissingProgram,
        &["path", "$path", "executable", "program", "command", "operable"],
        &[
            "executable file not found",
            "not found in path",
            "could not find * in path",
            "command not found",
            "not recognized as",
            "not recognised as",
            "not on path",
            "in your path",
        ],
    )
    .unless(&["subcommand"]),
    row(K::MissingProgram, &["fish"], &["unknown command"]),
    row(K::MissingProgram, &[], &["posix spawn", "spawn * enoent"]),
    row(
        K::UnknownScript,
        &["script", "target", "task", "recipe", "rule"],
        &[
            "missing script",
            "no rule to make",
            "script not found",
            "could not find a script",
            "does not contain recipe",
            "know how to build",
            "does not exist",
            "is not defined",
            "unknown script",
            "unknown task",
            "no such task",
            "no such script",
        ],
    )
    .unless(&["file", "directory", "named"]),
    row(K::UnknownScript, &["command"], &["command * not found", "command * is not defined"]).unless(&["could"]),
    row(K::UnknownScript, &["target", "script"], &["script named"]),
    row(
        K::UnknownRef,
        &["reference", "ref", "refspec", "revision", "branch", "commit", "upstream", "object", "merge", "argument"],
        &[
            "invalid reference",
            "invalid upstream",
            "does not match any",
            "ambiguous argument",
            "bad revision",
            "not found in upstream",
            "branch * not found",
            "unknown revision",
            "not a valid object name",
            "not a valid commit name",
            "not something we can merge",
            "is not a commit",
        ],
    ),
    row(K::MissingFile, &["pathspec"], &["did not match any files"]),
    row(K::UnknownPathspec, &["pathspec"], &["did not match"]),
    row(K::UnknownRemoteRef, &[], &["could not find remote ref"]),
    row(K::UnknownRemote, &["remote"], &["no such remote"]),
    row(K::UnknownRemote, &["repository"], &["appear to be a git repository", "repository * does not exist"]),
    row(
        K::InvalidValue,
        &["choice", "value", "target", "feature", "specification", "workspace", "test", "bin", "example", "bench"],
        &[
            "invalid choice",
            "invalid value",
            "no * target named",
            "does not contain this feature",
            "does not have the feature",
            "package id specification",
            "unknown workspace",
        ],
    ),
    row(
        K::UnknownSubcommand,
        &["command", "subcommand"],
        &["unknown", "unrecognized", "unrecognised", "no such", "invalid", "is not a"],
    )
    .unless(&["option", "argument", "flag", "line", "value", "file"]),
    row(
        K::MissingModule,
        &["module", "package", "gem", "crate", "library", "import", "plugin", "dependency", "dependencie"],
        &[
            "no module named",
            "not found",
            "could not find",
            "can not find",
            "could not resolve",
            "can not resolve",
            "failed to resolve",
            "unable to resolve",
            "unable to load",
            "could not load",
            "is not installed",
            "not installed",
            "missing",
            "no package called",
            "no such",
        ],
    )
    .unless(&[
        "main",
        "file",
        "command",
        "config",
        "manager",
        "script",
        "version",
        "registry",
        "repository",
        "test",
    ]),
    row(
        K::Unclosed,
        &[],
        &[
            "unexpected eof while looking for matching",
            "unterminated quoted string",
            "unmatched",
            "unexpected end of file",
            "end of file unexpected",
        ],
    )
    .unless(&["parse"]),
    row(
        K::ShellSyntax,
        &[],
        &["syntax error near unexpected token", "parse error near", "word unexpected", "syntax error unexpected"],
    )
    .unless(&["jq"]),
    row(K::UnknownOption, &["option", "argument", "flag"], &["unrecognized command line", "unknown command line"]),
    row(K::UnknownOption, &["option", "argument", "flag", "switch", "parameter", FLAG], UNTAKEN).unless(&[
        "choice",
        "value",
        "subcommand",
        "command",
        "type",
        "given",
        "file",
        "directory",
    ]),
    row(K::Traceback, &[], &["traceback most recent call last"]),
    row(K::WrongType, &["parameter"], &["expected as"]),
    row(K::WrongType, &[], &["should be a", "should be an", "should be string", "should be number"]),
    row(K::MissingOption, &["parameter"], &["required parameter", "missing required"]),
    row(
        K::UnknownTool,
        &["tool", "skill"],
        &["unknown tool", "unknown skill", "tool not found", "no such tool available"],
    ),
    row(K::UnknownTool, &["agent"], &["agent type * not found"]),
    row(K::TooLarge, &[], &["exceeds maximum allowed"]),
    row(K::ManyMatches, &[], &["matches of the string to replace"]),
    row(K::NoChange, &[], &["no changes made", "identical content", "exactly the same"]),
    row(K::NotRunning, &[], &["is not running"]),
    row(K::ClientLimit, &[], &["command timed out after"]),
    row(
        K::Sealed,
        &["password", "passphrase", "phrase"],
        &[
            "unable to get",
            "incorrect",
            "wrong",
            "password required for",
            "requires a password",
            "password is required to",
            "password protected",
            "bad password",
            "bad passphrase",
            "enter pass",
            "enter passphrase",
        ],
    ),
    row(
        K::Sealed,
        &[],
        &[
            "password-protected",
            "bad decrypt",
            "open encrypted",
            "load private key",
            "no secret key",
            "no pinentry",
            "bad session key",
            "no identity matched",
            "error decrypting key",
            "could not decrypt data key",
            "no vault secrets",
        ],
    ),
    row(K::Untrusted, &[], &["not trusted", "is untrusted", "is blocked", "direnv allow"]),
    row(
        K::CanNotSign,
        &[],
        &["1password", "failed to sign the data", "agent refused operation", "signing failed", "gpg failed"],
    ),
    row(
        K::DirtyTree,
        &[],
        &[
            "would be overwritten by",
            "have unstaged changes",
            "commit your changes or stash",
            "contains uncommitted changes",
            "not uptodate",
            "commit your changes before",
            "commit or stash them",
        ],
    ),
    row(K::CleanTree, &[], &["working tree clean", "nothing added to commit"]),
    row(K::EmptyCommit, &[], &["cherry-pick is now empty"]),
    row(K::RemoteAhead, &[], &["fetch first", "non-fast-forward", "your current branch is behind"]),
    row(K::BranchExists, &["branch"], &["already exists"]),
    row(K::FolderExists, &[], &["already exists and is not an empty directory"]),
    row(K::NotMerged, &["branch"], &["is not fully merged"]),
    row(K::InWorktree, &[], &["already checked out at", "used by worktree"]),
    row(
        K::Unmerged,
        &[],
        &["unmerged files", "unmerged paths", "needs merge", "not concluded your merge", "fix conflicts"],
    ),
    row(K::Conflict, &[], &["merge conflict in"]),
    row(K::DetachedHead, &[], &["not currently on a branch", "head detached"]),
    row(
        K::MissingHistory,
        &[],
        &[
            "can not describe",
            "no tags can describe",
            "shallow update not allowed",
            "no merge base",
            "unrelated histories",
            "needed a single revision",
            "does not point to a commit",
            "shallow clone",
            "shallow repository",
        ],
    ),
    row(
        K::BrokenObject,
        &["tree", "blob", "object", "sha1"],
        &["unable to read", "bad object", "object file", "missing blob", "missing tree", "loose object"],
    ),
    row(K::BrokenObject, &[], &["fatal unable to read"]),
    row(K::NoStash, &["stash"], &["no stash entries", "is not a stash"]),
    row(
        K::UnresolvedHost,
        &[],
        &[
            "could not resolve host",
            "could not resolve hostname",
            "unable to resolve host address",
            "getaddrinfo enotfound",
            "getaddrinfo eai again",
            "dial tcp lookup",
            "failed to resolve",
            "temporary failure resolving",
            "unknown host exception",
        ],
    ),
    row(
        K::ConnectionRefused,
        &[],
        &["refused", "econnrefused", "failed to connect", "could not connect", "unable to connect"],
    ),
    row(K::IsDirectory, &[], &["is a directory", "eisdir"]),
    row(K::NoMatch, &[], &["no matches found"]),
    row(K::BadFilter, &["jq"], &["jq expression", "jq error"]),
    row(K::UnsetVariable, &[], &["unbound variable", "parameter not set"]),
    row(K::BrokenBuild, &[], &["failed to load packages", "load export data", "build constraints exclude all"]),
    row(
        K::MissingManifest,
        &[
            "package.json",
            "build.ninja",
            "cargo.toml",
            "go.mod",
            "composer.json",
            "pyproject.toml",
            "setup.py",
            "manage.py",
            "cmakelists.txt",
            "tsconfig.json",
        ],
        &[
            "could not read",
            "could not find",
            "could not open",
            "can not find",
            "can not open",
            "find a",
            "not found",
            "not exist",
            "not appear",
            "neither",
            "loading",
            "no * found",
        ],
    ),
    row(
        K::MissingManifest,
        &[],
        &[
            "no tests were found",
            "no test configuration file found",
            "neither source directory",
            "does not contain a build file",
            "specify a project or solution file",
            "can not find main module",
            "no go files in",
            "does not contain main module",
            "no makefile found",
            "no justfile found",
            "no configuration file provided",
            "find a suitable configuration file",
            "failed to read dockerfile",
            "unable to prepare context",
            "not a git repository",
            "locate gemfile",
            "no rakefile found",
            "no pom in this directory",
            "does not contain a gradle build",
            "appear to be a python project",
            "open requirements file",
            "no configuration files",
            "no taskfile found",
            "find a mix project",
        ],
    ),
    row(K::FileExists, &[], &["can not create directory * file exists", "mkdir * file exists"]),
    row(K::MissingFile, &[], &["can not create directory * no such file", "mkdir * no such file"]),
    row(K::WritesFile, &["open", "mode"], &["w", "wb", "w+", "x"]),
    row(
        K::WritesFile,
        &[],
        &[
            "write file",
            "create write stream",
            "append file",
            "write text",
            "write bytes",
            "to csv",
            "to json",
            "savefig",
            "copyfile",
            "file write",
            "file put contents",
            "os create",
            "sqlite3 connect",
            "open database file",
            "open output file",
            "files write",
            "file writer",
            "json dump",
            "mkdir",
        ],
    ),
    row(
        K::BadValue,
        &[],
        &[
            "key error",
            "key not found",
            "type error",
            "value error",
            "index error",
            "none type",
            "invalid operation",
            "no implicit conversion",
            "undefined method",
        ],
    ),
    row(
        K::BadData,
        &[],
        &[
            "parse error",
            "did not find expected",
            "mapping values are not allowed",
            "could not find expected",
            "jsondecode error",
            "unexpected token",
            "in json",
            "not a database",
            "invalid character",
            "expected property name",
            "yaml",
            "toml",
        ],
    ),
    row(K::NotConfigured, &["error"], &["is not a directory", "could not load cache"]),
    row(
        K::MissingFile,
        &[PATH],
        &[
            "no such file",
            "not found",
            "does not exist",
            "not exist",
            "can not find",
            "can not open",
            "can not access",
            "could not",
            "not a directory",
            "unable to",
            "missing",
            "failed to",
            "enoent",
        ],
    ),
    row(K::TimedOut, &[], &["timed out", "timeout", "time limit", "deadline exceeded", "took too long", "exceeded"]),
    row(K::MissingFile, &["patch", "index"], &["can not find file to patch", "does not exist in index"]),
    row(K::IsDirectory, &[], &["omitting directory"]),
    row(
        K::MissingOption,
        &["arguments", "option", "flag", "argument"],
        &["are required", "missing option", "required option", "required flag", "missing required"],
    ),
    row(K::InvalidValue, &["arguments"], &["should contain only one letter"]),
    row(K::Diverged, &[], &["how to reconcile divergent branches", "not possible to fast-forward"]),
    row(K::NotABranch, &["branch"], &["branch is expected got"]),
    row(K::PatchFails, &["patch"], &["patch does not apply"]),
    row(
        K::StaleLock,
        &[],
        &[
            "can only install with an existing",
            "can only install packages when",
            "run npm help ci",
            "needs to be updated but",
            "--locked was passed",
            "inconsistent vendoring",
        ],
    ),
    row(
        K::ForeignCache,
        &["cmakecache.txt", "source", "generator"],
        &["is different than", "does not match the source", "does not match the generator"],
    ),
    row(
        K::NothingUnderway,
        &[],
        &["no rebase in progress", "no cherry-pick or revert in progress", "no merge in progress", "there is no merge"],
    ),
    row(K::NothingStaged, &[], &["no changes added to commit"]),
    row(K::NoLibrary, &[], &["no library targets found"]),
    row(K::UnknownField, &["field"], &["unknown json field"]),
];

/// The longest name of anything.
const LONGEST_NAME: usize = 200;

/// What a line tells, where it tells a thing of a kind.
pub(in super::super) fn finding_in(line: &str) -> Option<Finding<'_>> {
    // A line that is longer than a sentence holds data.
    const LONGEST: usize = 400;
    let line = line.get(..LONGEST).unwrap_or(line);
    if let Some((kind, name)) = by_signs(line) {
        return Some(Finding { kind, line, name, meant: None });
    }
    let words = tokens(line);
    let row = ROWS.iter().find(|row| row.holds(&words))?;
    let short = |name: &&str| name.len() <= LONGEST_NAME;
    Some(Finding {
        kind: row.kind,
        line,
        name: row.name(line, &words).filter(short),
        meant: row.meant(&words).filter(short),
    })
}

/// What a line tells by signs that are no part of a word.
fn by_signs(line: &str) -> Option<(FindingKind, Option<&str>)> {
    if line.ends_with("= not found") {
        return Some((K::EqualsWord, None));
    }
    if line.contains("\\!=") {
        return Some((K::EscapedBang, None));
    }
    // dash names itself and mostly the number of the line: `sh: 1: black: not found`.
    let (before, name) = line.strip_suffix(": not found")?.rsplit_once(": ")?;
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_shell = before.ends_with("sh") || before.rsplit(": ").next().is_some_and(is_number);
    (is_shell && !name.contains(' ')).then_some((K::MissingProgram, Some(name).filter(|name| !name.is_empty())))
}

impl Row {
    fn holds(&self, words: &[Token<'_>]) -> bool {
        // A part of a name of the code is no word of a sentence: `EditorTheme`, `test_prompt`.
        let is_whole = |token: &Token<'_>| token.is_flag || token.written.len() <= token.word.len() + 1;
        let is_about = |token: &Token<'_>| {
            is_whole(token) && self.about.iter().any(|word| is_meant(token, word) || file_name(&token.word) == *word)
        };
        if !self.about.is_empty() && !words.iter().any(is_about) {
            return false;
        }
        let said = (0..words.len())
            .filter_map(|at| self.says.iter().find_map(|phrase| Some((at, phrase_end(words, at, phrase)?))));
        let near = |(at, end): (usize, usize)| {
            let from = at.saturating_sub(NEAR);
            let around = words.get(from..(end + NEAR).min(words.len())).unwrap_or_default();
            self.about.is_empty() || around.iter().any(is_about)
        };
        { said }.any(near) && !words.iter().any(|token| self.unless.contains(&token.word.as_str()))
    }

    /// What the sentence names, as it was printed: what stands in quotes, else behind the colon, else behind or before what
    /// is said of it.
    fn name<'t>(&self, line: &'t str, words: &[Token<'t>]) -> Option<&'t str> {
        let quoted = || words.iter().find(|token| token.is_quoted);
        let flag = || words.iter().find(|token| token.is_flag);
        let number = |token: &&Token<'_>| token.written.starts_with(|c: char| c.is_ascii_digit());
        let behind = |word: &str| words.iter().skip_while(|token| token.word != word).nth(1);
        let token = match self.kind {
            K::ConnectionRefused => return address(line, words),
            K::NoMatch | K::Conflict => return self.rest(line, words),
            K::UnknownOption => flag().or_else(quoted).or_else(|| self.placed(words)),
            K::UnknownSubcommand
            | K::UnknownScript
            | K::UnknownRef
            | K::UnknownRemoteRef
            | K::UnknownPathspec
            | K::UnknownRemote
            | K::UnknownTool
            | K::UnresolvedHost
            | K::InvalidValue => self.told_last(words).or_else(quoted).or_else(|| self.placed(words)),
            K::MissingProgram => quoted()
                .or_else(|| behind("spawn").filter(|next| next.word != "sync").or_else(|| behind("sync")))
                .or_else(|| {
                    self.placed(words).filter(|token| !token.written.bytes().all(|byte| byte.is_ascii_digit()))
                }),
            K::MissingModule => quoted().or_else(|| named(words)),
            K::MissingOption | K::WrongType | K::IsDirectory => quoted().or_else(|| self.placed(words)),
            K::BranchExists | K::FolderExists | K::NotABranch | K::NotMerged | K::BadValue | K::UnknownField => {
                quoted()
            }
            K::RemoteAhead => {
                self.placed(words).filter(|_| words.first().is_some_and(|first| first.word == "rejected"))
            }
            K::TooLarge | K::ManyMatches => words.iter().find(number),
            K::BadData => behind("line").filter(number),
            K::MissingFile => words.iter().find(|token| token.is_path).or_else(quoted),
            K::LockHeld => words.iter().find(|token| token.is_path),
            K::PortTaken => words.iter().rev().find(|token| token.written.bytes().any(|byte| byte.is_ascii_digit())),
            _ => None,
        };
        token.map(|token| token.written)
    }

    /// All that stands behind what is said.
    fn rest<'t>(&self, line: &'t str, words: &[Token<'t>]) -> Option<&'t str> {
        let said = |at| self.says.iter().find_map(|phrase| phrase_end(words, at, phrase));
        let last = words.get((0..words.len()).find_map(said)?.checked_sub(1)?)?;
        let rest = line.get(offset_in(last.written, line)? + last.written.len()..)?;
        Some(rest.trim_start_matches(':').trim()).filter(|rest| !rest.is_empty())
    }

    /// What it takes instead, as it was printed.
    fn meant<'t>(&self, words: &[Token<'t>]) -> Option<&'t str> {
        let is_number = |token: &&Token<'_>| token.written.starts_with(|c: char| c.is_ascii_digit());
        let token = match self.kind {
            K::WrongType if self.about.is_empty() => {
                words.iter().skip_while(|token| token.word != "be").skip(1).find(|token| token.word.len() > 2)
            }
            K::WrongType => words.iter().filter(|token| token.is_quoted).nth(1),
            K::TooLarge => words.iter().rfind(is_number),
            _ => None,
        };
        token.map(|token| token.written)
    }

    /// The word behind a colon that closes what is said: `package 'a' does not contain this feature: tides`.
    fn told_last<'w, 't>(&self, words: &'w [Token<'t>]) -> Option<&'w Token<'t>> {
        let said = |at| self.says.iter().find_map(|phrase| phrase_end(words, at, phrase));
        let end = (0..words.len()).find_map(said)?;
        words.get(end.checked_sub(1)?).filter(|last| last.names_next)?;
        words.get(end)
    }

    /// The word in the gap of what is said, else behind a colon, else next to what is said.
    fn placed<'w, 't>(&self, words: &'w [Token<'t>]) -> Option<&'w Token<'t>> {
        let said = |at| self.says.iter().find_map(|phrase| Some((at, phrase_end(words, at, phrase)?, *phrase)));
        let (at, end, phrase) = (0..words.len()).find_map(said)?;
        let is_about = |token: &Token<'_>| self.about.iter().any(|word| is_meant(token, word) || token.word == *word);
        let in_gap = || {
            let is_said = |token: &Token<'_>| phrase.split(' ').any(|part| part == token.word);
            words.get(at..end)?.iter().find(|token| !is_said(token)).filter(|_| phrase.contains('*'))
        };
        let names = |(place, token): &(usize, &Token<'_>)| token.names_next && (*place >= at || is_about(token));
        let behind_colon = || {
            let (place, _) = words.iter().enumerate().rfind(names)?;
            words.get(place + 1).filter(|_| !(at..end).contains(&(place + 1)))
        };
        let behind = || {
            let goes_on = words.get(end.checked_sub(1)?).is_some_and(|token| !token.ends);
            words.get(end..)?.iter().find(|token| !is_about(token)).filter(|_| goes_on)
        };
        let before = || words.get(..at)?.iter().rfind(|token| !is_about(token));
        in_gap().or_else(behind_colon).or_else(behind).or_else(before)
    }
}

/// The address in a line: `127.0.0.1:9`, else host and port with what stands between them: `localhost port 9`.
fn address<'t>(line: &'t str, words: &[Token<'t>]) -> Option<&'t str> {
    let is_port = |text: &str| (1..=5).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    let joined = |token: &&Token<'_>| token.written.rsplit_once(':').is_some_and(|(_, port)| is_port(port));
    let apart = || {
        let at = words.iter().position(|token| token.word == "port")?;
        let port = words.get(at + 1).filter(|token| is_port(token.written))?;
        let from = offset_in(words.get(at.saturating_sub(1))?.written, line)?;
        line.get(from..offset_in(port.written, line)? + port.written.len())
    };
    words.iter().find(joined).map(|token| token.written).or_else(apart)
}
