//! Whether a failed case is news: neither known to fail by chance nor red on the base branch.

use serde::Serialize;

use super::flaky::{CaseDid, health};
use super::run::{CaseStatus, TestCase};

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

impl FailedAs {
    /// What a failed case fails as, by its runs before, newest first. `base` are the names of the base branch, and `commit` is
    /// what was tested: a case that failed in several attempts and passed in none is not excused by chance.
    pub fn of(case: &TestCase, commit: Option<&str>, base: &[String], past: &[CaseDid<'_>]) -> Self {
        let here = past.iter().filter(|did| commit.is_some() && did.run.commit.as_deref() == commit);
        let (attempts, failed) = here.fold((case.attempts, case.failed_attempts), |(all, failed), did| {
            (all.saturating_add(did.attempts), failed.saturating_add(did.failed_attempts))
        });
        let is_hopeless = attempts > 1 && failed == attempts;
        let health = health(&case.name, &case.suite, past).filter(|health| health.is_flaky);
        if let Some(health) = health {
            let flaky = Self::Flaky { failed: health.failed, runs: health.runs };
            return if is_hopeless { Self::New } else { flaky };
        }
        let is_base = |did: &&CaseDid<'_>| {
            let branch = did.run.branch.as_deref().unwrap_or_default();
            base.iter().any(|base| base == branch) && did.status != CaseStatus::Skipped && !did.run.is_outage()
        };
        let red = past.iter().filter(is_base).take_while(|did| did.status == CaseStatus::Failed);
        red.last().map_or(Self::New, |first| Self::Red { since: first.run.commit.clone() })
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
