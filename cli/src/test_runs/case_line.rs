//! What machines share of a test case: how often its attempts passed and failed, by commit. Merging takes the larger number,
//! so that no order matters and nothing counts twice.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::flaky::WINDOW;
use super::run::{CaseStatus, RunSource, TestRun};
use crate::time::{since_1970, stamp_at};

/// The version of a line.
const VERSION: u32 = 1;
/// The most commits that are kept of a case: the newest.
const MOST_COMMITS: usize = 2 * WINDOW;
/// The longest name, suite, branch or commit, in characters.
pub const LONGEST_NAME: usize = 200;
/// More attempts on one commit than anybody makes.
const MOST_ATTEMPTS: u32 = 100_000;
/// What the key of a run begins with of which no commit is known.
const OF_RUN: &str = "run-";

/// A line of `failwise tests export`: a case that ever failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseLine {
    v: u32,
    /// What the case belongs to; empty where nothing says so.
    pub suite: String,
    /// Its name.
    pub name: String,
    /// Its attempts by commit; `run-` and the id of a run where no commit is known.
    pub commits: BTreeMap<String, CaseCounts>,
}

/// The attempts of a case on one commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseCounts {
    /// When it ran there last, RFC 3339 UTC.
    pub at: String,
    /// The branch, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// How many attempts passed.
    pub passed: u32,
    /// How many failed.
    pub failed: u32,
}

impl CaseCounts {
    /// Takes the larger numbers of both, and what comes later.
    pub fn merge(&mut self, other: Self) {
        let before = std::mem::replace(self, other);
        self.at = before.at.max(std::mem::take(&mut self.at));
        self.branch = before.branch.max(self.branch.take());
        self.passed = self.passed.max(before.passed);
        self.failed = self.failed.max(before.failed);
    }

    /// How many attempts there were.
    pub fn attempts(&self) -> u32 {
        self.passed + self.failed
    }

    /// The run that these attempts stand for, and what the case did in it: a status, its attempts, those that failed. On one
    /// commit each attempt is a run, as far as a case's newest runs are looked at, and the shares stay.
    pub(crate) fn as_run(&self, key: &str) -> (TestRun, Vec<(CaseStatus, u32, u32)>) {
        let at = since_1970(&self.at).unwrap_or_default();
        let mut run = TestRun::new(key.to_owned(), RunSource::Junit, at, &[]);
        run.branch.clone_from(&self.branch);
        let status = if self.passed > 0 { CaseStatus::Passed } else { CaseStatus::Failed };
        if key.starts_with(OF_RUN) {
            return (run, vec![(status, self.attempts(), self.failed)]);
        }
        run.commit = Some(key.to_owned());
        let window = u32::try_from(WINDOW).unwrap_or(u32::MAX);
        let all = self.attempts().min(window);
        let share = u64::from(self.failed) * u64::from(all) / u64::from(self.attempts().max(1));
        let share = u32::try_from(share).unwrap_or(all);
        let failed = share.clamp(u32::from(self.failed > 0), all - u32::from(self.passed > 0).min(all));
        let did = |number| if number < failed { (CaseStatus::Failed, 1, 1) } else { (CaseStatus::Passed, 1, 0) };
        (run, (0..all).map(did).collect())
    }

    fn is_sound(&self) -> bool {
        stamp_at(since_1970(&self.at).unwrap_or(u64::MAX)).is_some_and(|at| at == self.at)
            && self.branch.as_deref().is_none_or(is_word)
            && (1..=MOST_ATTEMPTS).contains(&self.passed.saturating_add(self.failed))
    }
}

impl CaseLine {
    /// A line of a case, with no attempt yet.
    pub fn of(suite: &str, name: &str) -> Self {
        Self { v: VERSION, suite: suite.to_owned(), name: name.to_owned(), commits: BTreeMap::new() }
    }

    /// By what the attempts of a run are kept: its commit, else the run itself.
    pub fn key_of(run: &TestRun) -> String {
        let commit = run.commit.clone().filter(|commit| is_word(commit) && !commit.starts_with(OF_RUN));
        commit.unwrap_or_else(|| format!("{OF_RUN}{}", run.id))
    }

    /// Adds what another line of the same case knows.
    pub fn merge(&mut self, commits: impl IntoIterator<Item = (String, CaseCounts)>) {
        for (commit, counts) in commits {
            match self.commits.get_mut(&commit) {
                Some(known) => known.merge(counts),
                None => drop(self.commits.insert(commit, counts)),
            }
        }
        while self.commits.len() > MOST_COMMITS {
            let oldest = self.commits.iter().min_by_key(|(commit, counts)| (&counts.at, *commit));
            let Some(oldest) = oldest.map(|(commit, _)| commit.clone()) else { return };
            self.commits.remove(&oldest);
        }
    }

    /// Whether every field is one that Failwise itself would have written. `is_text` says whether a text holds no secret and
    /// hides nothing.
    pub fn is_sound(&self, is_text: impl Fn(&str) -> bool) -> bool {
        self.v == VERSION
            && !self.name.is_empty()
            && [&self.name, &self.suite].into_iter().all(|text| text.chars().count() <= LONGEST_NAME && is_text(text))
            && self.commits.iter().all(|(commit, counts)| is_word(commit) && counts.is_sound())
            && self.commits.values().any(|counts| counts.failed > 0)
    }
}

/// Whether a text is the name of a commit or branch as everybody writes them.
fn is_word(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./+".contains(&byte);
    (1..=LONGEST_NAME).contains(&text.len()) && text.bytes().all(is_plain)
}
