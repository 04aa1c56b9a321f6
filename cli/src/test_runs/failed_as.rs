//! Whether a failed case is news: neither known to fail by chance nor red on the base branch.

use std::collections::BTreeSet;

use serde::Serialize;

use super::flaky::{CaseDid, WINDOW, health};
use super::run::{CaseStatus, TestCase, TestRun};

/// What a case fails as.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "as")]
pub enum FailedAs {
    /// Nothing is known that would explain it.
    New,
    /// Chance decides over it: so many of its last runs failed.
    Flaky {
        /// How many failed.
        failed: u64,
        /// How many there are.
        runs: u64,
    },
    /// It fails on the base branch.
    Red {
        /// The first commit there since which it failed; null where no commit is known.
        since: Option<String>,
    },
}

/// Chance explains failures in a row that happen to one case in twenty of its kind.
const BY_CHANCE: f64 = 0.05;

impl FailedAs {
    /// What a failed case of a run fails as, by its runs before, newest first. `base` are the names of the base branch.
    ///
    /// Chance excuses a flaky case that also passed on the commit. It does not excuse one that failed in every one of several
    /// attempts there. One attempt alone says neither: it is excused as long as the failures in a row that it ends on its
    /// branch are likely by what is known of the case, so that one that broke for good is not excused for ever.
    pub fn of(case: &TestCase, run: &TestRun, base: &[String], past: &[CaseDid<'_>]) -> Self {
        let is_base = |did: &CaseDid<'_>| {
            let branch = did.run.branch.as_deref().unwrap_or_default();
            base.iter().any(|base| base == branch)
        };
        let red = in_a_row(past, is_base);
        let since = red.last().map(|first| Self::Red { since: first.run.commit.clone() });
        let Some(health) = health(&case.name, &case.suite, past).filter(|health| health.is_flaky) else {
            return since.unwrap_or(Self::New);
        };
        let here = past.iter().filter(|did| run.commit.is_some() && did.run.commit == run.commit);
        let (attempts, failed) = here.fold((case.attempts, case.failed_attempts), |(all, failed), did| {
            (all.saturating_add(did.attempts), failed.saturating_add(did.failed_attempts))
        });
        let flaky = Self::Flaky { failed: health.failed, runs: health.runs };
        if failed < attempts {
            return flaky;
        }
        let rate = rate(past);
        let is_by_chance = |failures: usize| rate.powi(i32::try_from(failures).unwrap_or(i32::MAX)) >= BY_CHANCE;
        if !is_by_chance(red.len()) {
            return since.unwrap_or(Self::New);
        }
        let row = in_a_row(past, |did| run.branch.is_none() || did.run.branch == run.branch);
        if attempts == 1 && is_by_chance(1 + row.len()) { flaky } else { Self::New }
    }

    /// The reason in words for people.
    pub fn words(&self) -> String {
        match self {
            Self::New => "new".to_owned(),
            Self::Flaky { failed, runs } => format!("flaky, {failed} of {runs}"),
            Self::Red { since: Some(commit) } => {
                format!("red since {}", commit.get(..12).unwrap_or(commit))
            }
            Self::Red { since: None } => "red before".to_owned(),
        }
    }
}

/// The names of the base branch, where nobody says another one.
pub const BASE_BRANCHES: [&str; 2] = ["main", "master"];

/// From how many commits in a row on a case that is red on the base branch stays so.
const STANDING: usize = 2;

/// Whether a case failed on the newest commits of the base branch, by its runs, newest first. Runs of which no branch is known
/// count as well: who has one branch names none.
pub fn is_standing(runs: &[CaseDid<'_>]) -> bool {
    let is_base = |did: &CaseDid<'_>| did.run.branch.as_deref().is_none_or(|branch| BASE_BRANCHES.contains(&branch));
    let red = in_a_row(runs, is_base);
    let commits: BTreeSet<&str> = red.iter().map(|did| did.run.commit.as_deref().unwrap_or(&did.run.id)).collect();
    commits.len() >= STANDING
}

/// The newest runs in which a case failed, up to one that passed, among those that are looked at. A commit on which it also
/// passed ends them.
fn in_a_row<'d, 'r>(past: &'d [CaseDid<'r>], is_looked_at: impl Fn(&CaseDid<'r>) -> bool) -> Vec<&'d CaseDid<'r>> {
    let passed_on = |commit: Option<&String>| {
        let passed = |did: &CaseDid<'_>| did.status == CaseStatus::Passed && did.run.commit.as_ref() == commit;
        commit.is_some() && past.iter().any(passed)
    };
    let looked = past.iter().filter(|did| did.ran() && !did.run.is_outage() && is_looked_at(did));
    looked.take_while(|did| did.status == CaseStatus::Failed && !passed_on(did.run.commit.as_ref())).collect()
}

/// How often a case fails by chance: the share of its attempts before the failures in a row that end its runs, with one of
/// each added, so that a few runs do not say too much.
fn rate(past: &[CaseDid<'_>]) -> f64 {
    let before = past.iter().skip(in_a_row(past, |_| true).len());
    let looked = before.filter(|did| did.ran() && !did.run.is_outage()).take(WINDOW);
    let (attempts, failed) =
        looked.fold((2, 1), |(all, failed), did| (all + did.attempts, failed + did.failed_attempts));
    f64::from(failed) / f64::from(attempts)
}
