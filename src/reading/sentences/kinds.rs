//! Which kinds of finding a line tells, by what it is about and what it says of it. Programs word the same few things in
//! their own ways, and nearly all of them with the same few words.

use crate::model::{Finding, FindingKind};

use super::table::FLAG;
use super::tokens::{Token, tokens};
use super::{is_meant, phrase_end};

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
        &[
            "pathspec",
            "reference",
            "ref",
            "refspec",
            "revision",
            "branch",
            "commit",
            "upstream",
            "object",
            "merge",
            "argument",
        ],
        &[
            "did not match",
            "invalid reference",
            "invalid upstream",
            "could not find remote ref",
            "does not match any",
            "ambiguous argument",
            "bad revision",
            "not found in upstream",
            "branch * not found",
            "unknown revision",
            "not a valid object name",
            "not something we can merge",
            "is not a commit",
        ],
    ),
    row(K::UnknownRemote, &["remote"], &["no such remote"]),
    row(K::UnknownRemote, &["repository"], &["appear to be a git repository"]),
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
    .unless(&["file", "command", "config", "manager", "script", "version", "registry", "repository", "test"]),
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
];

/// The longest name of anything.
const LONGEST_NAME: usize = 200;

/// What a line tells, where it tells a thing of a kind.
pub(in super::super) fn finding_in(line: &str) -> Option<Finding<'_>> {
    // A line that is longer than a sentence holds data.
    const LONGEST: usize = 400;
    let line = line.get(..LONGEST).unwrap_or(line);
    let words = tokens(line);
    let row = ROWS.iter().find(|row| row.holds(&words))?;
    Some(Finding { kind: row.kind, line, name: row.name(&words).filter(|name| name.len() <= LONGEST_NAME) })
}

impl Row {
    fn holds(&self, words: &[Token<'_>]) -> bool {
        // A part of a name of the code is no word of a sentence: `EditorTheme`, `test_prompt`.
        let is_whole = |token: &Token<'_>| token.is_flag || token.written.len() <= token.word.len() + 1;
        let is_about = |token: &Token<'_>| {
            is_whole(token) && self.about.iter().any(|word| is_meant(token, word) || token.word == *word)
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
    fn name<'t>(&self, words: &[Token<'t>]) -> Option<&'t str> {
        let quoted = || words.iter().find(|token| token.is_quoted);
        let flag = || words.iter().find(|token| token.is_flag);
        let number = || words.iter().rev().find(|token| token.written.bytes().any(|byte| byte.is_ascii_digit()));
        let token = match self.kind {
            K::UnknownOption => flag().or_else(quoted).or_else(|| self.placed(words)),
            K::UnknownSubcommand | K::UnknownScript | K::UnknownRef | K::UnknownRemote | K::InvalidValue => {
                self.told_last(words).or_else(quoted).or_else(|| self.placed(words))
            }
            K::MissingProgram | K::MissingModule => quoted(),
            K::PortTaken => number(),
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
