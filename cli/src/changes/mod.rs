//! The changes that end recurring failures: a line for CLAUDE.md, a permission rule, something that a person has to do.
//!
//! While sessions are replayed, a [`ChangeWatch`] keeps what each of them met ([`MetSession`]): bounded, and nothing of one
//! session is needed for another. [`changes`] ranks what recurs in two sessions of a project; [`effect`] compares the time
//! before a change was adopted with the time after it. [`with_line`] and [`with_rule`] make the text of a file with a change
//! in it. Values in, values out.

mod effect;
mod line;
mod matter;
mod page;
mod rank;
mod rule;
mod watch;

pub use effect::{AdoptedChange, ChangeEffect, EffectSide, EffectWord, compared, effect};
pub use line::LONGEST_LINE;
pub use page::{says_already, says_otherwise, with_line, with_rule};
pub use rank::{MOST_CHANGES, changes};
pub use rule::rules_of;
pub use watch::{ChangeWatch, MetCall, MetMatter, MetSession, WatchedAt};

use serde::Serialize;

use crate::model::{Cost, words};

words! {
    /// What recurs.
    pub enum ChangeKind {
        /// A subcommand, option or script that is not there; another form of the call works.
        Form = "form",
        /// A file or folder that is not there.
        Path = "path",
        /// A file that is too large to be read whole.
        Large = "large",
        /// A skill, agent or tool that is not there.
        Tool = "tool",
        /// A program that is not on PATH.
        Program = "program",
        /// A variable of the environment that is not set.
        Variable = "variable",
        /// A login or a key that a person has to give.
        Login = "login",
        /// A linter that failed until a command which fixes what it finds had run.
        Fixer = "fixer",
        /// A rule of a linter for which a hook refused commits.
        HookRule = "hook_rule",
        /// A rule of a linter that code breaks again and again.
        LintRule = "lint_rule",
        /// A selection of tests that ran none and passed all the same.
        Idle = "idle",
        /// Tests that fail in what is not the project's own.
        Stray = "stray",
        /// A program that something puts before others, and that refuses their options.
        Wrapper = "wrapper",
        /// A pattern of files that matched none, in a shell that stops there.
        Glob = "glob",
        /// A path that was given from the project's folder while the shell was in another.
        Folder = "folder",
        /// An edit that the client refused for how it was made.
        Edit = "edit",
        /// A call that a hook of the client refuses.
        Blocked = "blocked",
        /// A repository that was asked for by an owner who does not have it.
        Repository = "repository",
        /// A slow check that was cut, and run again to see more of it.
        SlowCheck = "slow_check",
        /// A test that failed and passed with nothing changed.
        Flaky = "flaky",
        /// A test that was red before anything was changed.
        Red = "red",
        /// A command that only looks, and was refused.
        Refusal = "refusal",
    }
}

words! {
    /// Who acts, and where.
    pub enum ChangeAct {
        /// A line goes into CLAUDE.md.
        Line = "line",
        /// A permission rule goes into `.claude/settings.json`.
        Rule = "rule",
        /// A person has to do something; the line helps until then.
        Person = "person",
        /// A line of the person's own page is wrong; no line beside it mends that.
        Correction = "correction",
    }
}

impl ChangeKind {
    /// Who acts.
    pub fn act(self) -> ChangeAct {
        match self {
            Self::Form
            | Self::Path
            | Self::Large
            | Self::Tool
            | Self::SlowCheck
            | Self::Fixer
            | Self::HookRule
            | Self::LintRule
            | Self::Idle
            | Self::Wrapper
            | Self::Glob
            | Self::Folder
            | Self::Edit
            | Self::Blocked
            | Self::Repository => ChangeAct::Line,
            Self::Refusal => ChangeAct::Rule,
            Self::Program | Self::Variable | Self::Login | Self::Flaky | Self::Red | Self::Stray => ChangeAct::Person,
        }
    }
}

/// One change to make.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProjectChange {
    /// 8 hexadecimal digits of project, kind and matter: the same in every run.
    pub id: String,
    /// The project, as people call it.
    pub project: String,
    /// What recurs.
    pub kind: ChangeKind,
    /// Who acts, and where.
    pub act: ChangeAct,
    /// The line for CLAUDE.md, at most [`LONGEST_LINE`] characters, or which line to correct, and why; null for a rule.
    pub line: Option<String>,
    /// The permission rule, such as `Bash(gh pr view:*)`; null for a line.
    pub rule: Option<String>,
    /// What it rests on.
    pub evidence: ChangeEvidence,
    /// Whether what it ends is waste, and no work on checks.
    #[serde(skip)]
    pub is_waste: bool,
    /// All failed calls that it rests on.
    #[serde(skip)]
    pub failed_calls: Vec<String>,
    /// What identifies the matter in its project, beside the kind: the failing form, the path, the name.
    #[serde(skip)]
    pub matter: String,
    /// The project's own key, where two have one name.
    #[serde(skip)]
    pub project_key: String,
}

/// What a change rests on.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct ChangeEvidence {
    /// Sessions that met it.
    pub sessions: u64,
    /// Failed or refused calls.
    pub failures: u64,
    /// What they cost.
    pub cost: Cost,
    /// When it was met first, RFC 3339 UTC.
    pub first_ts: Option<String>,
    /// When it was met last.
    pub last_ts: Option<String>,
    /// The newest of its calls, at most [`ChangeEvidence::MOST_CALLS`].
    pub calls: Vec<MetCall>,
}

impl ChangeEvidence {
    /// The most calls that a change names.
    pub const MOST_CALLS: usize = 5;
}
