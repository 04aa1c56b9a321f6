//! What sessions teach, as rows that can be kept: a failure that was met, a fix that was tried, a check that passed.
//!
//! Each row belongs to one session, and a session's rows need nothing but that session, so that sources can be learned one
//! at a time. What needs several sessions is decided from the rows, in [`judge`](super::judge).

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::lesson::Fix;
use crate::history::{Body, Event};
use crate::model::{Category, Cost};
use crate::time::since_1970;

/// A known failure: what it is recognised by, and in what words it is shown. Redacted, paths relative.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PatternRow {
    /// "The same failure": the key of a pattern.
    pub fine: String,
    /// "The same kind of failure".
    pub coarse: String,
    /// The version of the rules that both were made by; patterns of different versions are never compared.
    pub version: u32,
    /// What kind of error it is.
    pub category: Category,
    /// Whose output it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner: Option<String>,
    /// What was being done.
    pub operation: String,
    /// The error line, at most 300 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    /// Whether it names a test, a symbol or a place in a file, so that it may be called standing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub placed: bool,
}

impl PatternRow {
    /// A pattern of which nothing is known.
    pub fn nothing() -> Self {
        Self {
            fine: String::new(),
            coarse: String::new(),
            version: 0,
            category: Category::Unknown,
            runner: None,
            operation: String::new(),
            line: None,
            placed: false,
        }
    }
}

/// A failure that was met.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Met {
    /// What it was, shared by the rows of the same: there may be tens of thousands.
    pub pattern: Arc<PatternRow>,
    /// The client's session.
    pub session: String,
    /// The call; of one without an id the event's own. With the session it is the row's key.
    pub call: String,
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// What its episode cost, on the first of an episode's failures; nothing on the others.
    pub cost: Cost,
    /// How its episode ended, in the words of an analysis, where the cost stands; None in rows of an older release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// The model that made the call, where the data says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Whether the exit status hid it.
    pub masked: bool,
}

/// A fix that stood between two runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tried {
    /// The fix.
    pub fix: Fix,
    /// The fine signature of the failure that it stood against.
    pub fine: String,
    /// The coarse one.
    pub coarse: String,
    /// The client's session.
    pub session: String,
    /// The call that told how it went: the second run. With the session and the fix's id it is the row's key.
    pub call: String,
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// Whether the second run passed.
    pub worked: bool,
    /// How many calls of the same agent it took from the failure to that run, the run included; 0 where that is not known.
    #[serde(default, skip_serializing_if = "is_unknown")]
    pub calls: u64,
    /// Whether it is one of several commands that stood between the runs: it counts, and is no evidence that it helps alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub beside: bool,
    /// Whether a person said so: told at once, and past the table of what is never told.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_person: bool,
}

/// Something passed that is known to fail, or may be: no failure of it is standing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passed {
    /// The fine signature of the failure that the pass ended, the operation of a check, or [`Passed::WHOLE`] and a runner of
    /// which everything passed. With the session it is the row's key.
    pub what: String,
    /// The client's session.
    pub session: String,
    /// When it passed last in it, in milliseconds since 1970.
    pub at: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_unknown(calls: &u64) -> bool {
    *calls == 0
}

impl Passed {
    /// What stands before the name of a runner that passed as a whole.
    pub const WHOLE: &'static str = "all of ";
}

/// A lesson that an agent was told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeardRow {
    /// The id of the fix.
    pub fix: String,
    /// The client's session.
    pub session: String,
    /// The failed call that it was told after. With the session it is the row's key.
    pub call: String,
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// Whether the agent did it within ten calls.
    pub followed: bool,
}

/// A recovery strategy that an agent followed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planned {
    /// The plan: its id. With the session it is the row's key.
    pub plan: String,
    /// The strategy.
    pub strategy: String,
    /// The fine signature of the failure that it was followed against.
    pub fine: String,
    /// The category's word.
    pub category: String,
    /// The client's session.
    pub session: String,
    /// When it was known what became of it, in milliseconds since 1970.
    pub at: u64,
    /// Whether the work passed then.
    pub worked: bool,
}

impl Planned {
    /// What an event tells of a strategy that was followed; None of any other event.
    pub fn of(event: &Event) -> Option<Self> {
        let Body::RecoveryComplete { complete } = &event.body else { return None };
        complete.followed.then(|| Self {
            plan: complete.plan.clone(),
            strategy: complete.strategy_name.clone(),
            fine: complete.signature.clone(),
            category: complete.error_category.clone(),
            session: event.session.clone().unwrap_or_default(),
            at: since_1970(&event.ts).unwrap_or_default(),
            worked: complete.success,
        })
    }
}

/// Counts whose sessions are not at hand: of sources that are gone, and of other machines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sum {
    /// The fix.
    pub fix: Fix,
    /// What it is about.
    pub pattern: PatternRow,
    /// A moment in the time that was counted, such as the middle of a month, in milliseconds since 1970.
    pub at: u64,
    /// How often it was tried.
    pub tried: u64,
    /// How often it worked, at most `tried`.
    pub worked: u64,
    /// In how many sessions it was tried.
    pub sessions: u64,
    /// The machine that counted: the key of its row, not a part of the value.
    #[serde(skip)]
    pub machine: String,
}

/// How often another machine met a failure that has no fix, counted as [`Sum`] is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenSum {
    /// The failure; of what was done only the program.
    pub pattern: PatternRow,
    /// A moment in the month that was counted, in milliseconds since 1970.
    pub at: u64,
    /// How often it was met.
    pub failures: u64,
    /// In how many sessions.
    pub sessions: u64,
    /// How many tokens it cost.
    pub tokens: u64,
    /// The machine that counted: the key of its row, not a part of the value.
    #[serde(skip)]
    pub machine: String,
}

/// Everything that sessions taught.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Learned {
    /// The failures, in their order.
    pub met: Vec<Met>,
    /// The fixes.
    pub tried: Vec<Tried>,
    /// The passes.
    pub passed: Vec<Passed>,
    /// What was told.
    pub heard: Vec<HeardRow>,
    /// The recovery strategies that were followed.
    pub planned: Vec<Planned>,
    /// Counts from elsewhere. A session teaches none.
    pub sums: Vec<Sum>,
    /// What has no fix elsewhere. A session teaches none.
    pub open: Vec<OpenSum>,
}

impl Learned {
    /// Adds what other sessions taught.
    pub fn add(&mut self, other: Self) {
        self.met.extend(other.met);
        self.tried.extend(other.tried);
        self.passed.extend(other.passed);
        self.heard.extend(other.heard);
        self.planned.extend(other.planned);
        self.sums.extend(other.sums);
        self.open.extend(other.open);
    }
}
