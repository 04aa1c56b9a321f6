//! What a call's output says.

use serde::{Deserialize, Serialize};

use super::{Category, Unreached, words};

/// What a call's output says, read once. Everything after `reading` uses this and never looks at raw output again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// Whose output it is: `cargo test`, `tsc`, `git`. None when no recogniser knew it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner: Option<String>,
    /// What the output says of the run.
    pub result: RunResult,
    /// What kind of error it is; `unknown` when nothing was recognised or nothing failed.
    pub category: Category,
    /// What `category` rests on. None where nothing failed, and in records of versions that did not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
    /// What the error may be where only the program's name speaks: basis `guess`, and `category` is `unknown`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub likely: Option<Category>,
    /// The error line that matters, cleaned of control characters, at most 300 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    /// The files that the failure implicates, as printed, at most [`Reading::MAX_OBJECTS`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// What exactly failed, at most [`Reading::MAX_OBJECTS`]; the first is the primary object.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<Object>,
    /// Tests that the output names as passed, at most [`Reading::MAX_PASSED`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed: Vec<String>,
    /// Tests that the output of a success names as skipped, at most [`Reading::MAX_PASSED`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<String>,
    /// Why an identical retry may pass, where the output says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transient: Option<Transient>,
    /// The command that continues from here, where the program names one that is not the call again: `git rebase
    /// --continue`; `git stash pop` of work that git kept in the stash, because `files` are in its way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub way_on: Option<String>,
    /// The host to which no connection was made, where the output names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreached: Option<Unreached>,
    /// How a success is known.
    #[serde(default)]
    pub proof: Proof,
}

impl Reading {
    /// The most objects or files that a reading keeps.
    pub const MAX_OBJECTS: usize = 8;
    /// The most passed or skipped tests that a reading keeps.
    pub const MAX_PASSED: usize = 16;

    /// A reading of output that nothing recognised.
    pub fn unrecognised() -> Self {
        Self {
            runner: None,
            result: RunResult::Unstated,
            category: Category::Unknown,
            basis: None,
            likely: None,
            line: None,
            files: Vec::new(),
            objects: Vec::new(),
            passed: Vec::new(),
            skipped: Vec::new(),
            transient: None,
            way_on: None,
            unreached: None,
            proof: Proof::None,
        }
    }

    /// What the error is known or, for a guess, likely to be: what a question about the kind of run asks. A verdict's
    /// category never is a guess.
    pub fn kind(&self) -> Category {
        self.likely.unwrap_or(self.category)
    }

    /// The test that failed, where the output names exactly one.
    pub fn only_failed_test(&self) -> Option<&str> {
        let mut tests = self.objects.iter().filter(|object| object.kind == ObjectKind::Test);
        let only = tests.next().filter(|_| self.category == Category::TestFailure)?;
        tests.next().is_none().then_some(only.name.as_str())
    }

    /// The object that an episode is about.
    pub fn primary_object(&self) -> Option<&Object> {
        self.objects.first()
    }
}

words! {
    /// What the category of a failure rests on.
    pub enum Basis {
        /// A line that a recogniser knows.
        Line = "line",
        /// The plain words of a sentence.
        Words = "words",
        /// The exit status, the time limit or what the host itself said.
        Status = "status",
        /// Nothing but the program's name: the category is `unknown`.
        Guess = "guess",
    }
}

/// What the output says of the run inside the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunResult {
    /// It says that everything passed.
    Passed,
    /// It says that something failed.
    Failed,
    /// It says neither.
    Unstated,
}

/// How a success is known. Proof `none` ends no episode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// By the exit status, which nothing hid.
    Status,
    /// By the runner's own result in the output.
    Parsed,
    /// Not at all: the status was lost (`| tail`) and no result was printed.
    #[default]
    None,
}

/// What exactly failed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Object {
    /// What kind of thing it is.
    pub kind: ObjectKind,
    /// Its name as the tool prints it, at most 200 characters.
    pub name: String,
}

/// The kinds of thing that fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObjectKind {
    /// A test by its name.
    Test,
    /// A symbol, type or rule code in source.
    Symbol,
    /// A package or module.
    Module,
    /// A file or directory.
    File,
    /// A flag, subcommand or field.
    Flag,
    /// A program.
    Program,
    /// A remote object, host or service.
    Remote,
    /// A make, npm or task target.
    Target,
}

/// Why an identical retry may pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transient {
    /// What was seen: a word of the recogniser's table, such as `http_429` or `index_lock`.
    pub hint: String,
    /// The delay in milliseconds that the other side asked for, where it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}
