//! Which cases are flaky, by evidence: the same code gave both results.
//!
//! A failure rate says little of a case: one that is broken fails often, one that was mended failed before. So a case is called
//! flaky only where something shows that nothing but chance lies between its results, and only then its rate gives it a level.

use serde::{Deserialize, Serialize};

use super::run::{CaseRun, CaseStatus, TestRun};

/// How many of a case's newest runs are looked at.
pub const WINDOW: usize = 10;
/// For how long a case runs without a failure until it is no longer called flaky, in milliseconds: a week.
pub const QUIET_MS: u64 = 7 * 24 * 60 * 60 * 1000;
/// A run of at least so many cases of which more than this share failed tells of the machine, and of no case.
const CASES_OF_AN_OUTAGE: u64 = 5;
const SHARE_OF_AN_OUTAGE: u64 = 80;

/// How often a case fails. Where nothing shows chance, it is stable, or broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum FlakyLevel {
    /// It does not fail, or its failures have a reason.
    Stable,
    /// It fails in at most a fifth of its runs.
    MostlyStable,
    /// It fails in at most half of its runs.
    Flaky,
    /// It fails in more than half of its runs.
    VeryFlaky,
    /// It fails in all of its runs.
    Broken,
}

impl FlakyLevel {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stable => "STABLE",
            Self::MostlyStable => "MOSTLY_STABLE",
            Self::Flaky => "FLAKY",
            Self::VeryFlaky => "VERY_FLAKY",
            Self::Broken => "BROKEN",
        }
    }

    /// The level of a case that chance decides over, by the share of its runs that failed.
    fn of(score: f64) -> Self {
        match score {
            score if score <= 0.0 => Self::Stable,
            score if score <= 0.2 => Self::MostlyStable,
            score if score <= 0.5 => Self::Flaky,
            score if score < 1.0 => Self::VeryFlaky,
            _ => Self::Broken,
        }
    }
}

/// What shows that chance decides over a case. The strongest is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// It passed and failed in the attempts of one run.
    Attempts,
    /// It passed and failed when a call was made again with nothing changed in between.
    Rerun,
    /// It passed and failed on one commit.
    Commit,
    /// Its result changed twice in runs of which no commit is known.
    Changes,
}

impl Evidence {
    /// The evidence in words for people and agents.
    pub fn words(self) -> &'static str {
        match self {
            Self::Attempts => "passed and failed within one run",
            Self::Rerun => "passed and failed with nothing changed in between",
            Self::Commit => "passed and failed on one commit",
            Self::Changes => "changed its result twice",
        }
    }
}

/// How a case did lately.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CaseHealth {
    /// The case.
    pub name: String,
    /// What it belongs to; empty where nothing says so.
    pub suite: String,
    /// Whether chance decides over it now.
    pub is_flaky: bool,
    /// How often it fails.
    pub level: FlakyLevel,
    /// The share of its runs that failed, 0 to 1; of a run with several attempts the share of these.
    pub score: f64,
    /// What shows it; null where nothing does.
    pub evidence: Option<Evidence>,
    /// Whether chance decided over it, and no run of a week failed since.
    pub recovered: bool,
    /// What it came to in the runs that were looked at, newest first.
    pub results: Vec<CaseStatus>,
    /// How many of these failed, or had an attempt that did.
    pub failed: u64,
    /// How many there are.
    pub runs: u64,
    /// The newest run that failed, or had an attempt that did; null where none did.
    pub last_failed: Option<String>,
    /// What to do.
    pub suggestion: &'static str,
}

impl CaseHealth {
    /// In what ways a runner may print the case that a report names so: `pays`, `CartTest::pays`, `cart.test.js > pays`.
    pub fn spellings(&self) -> Vec<String> {
        let Self { name, suite, .. } = self;
        let last = suite.rsplit(['.', '/', '\\']).next().unwrap_or(suite);
        let within = |suite: &str| ["::", ".", "#", " "].map(|between| format!("{suite}{between}{name}"));
        let suites = [suite.as_str(), last].into_iter().filter(|suite| !suite.is_empty());
        [name.clone()].into_iter().chain(suites.flat_map(within)).collect()
    }
}

impl TestRun {
    /// Whether so much of it failed that it tells of the machine: a database that was down fails every case.
    pub fn is_outage(&self) -> bool {
        let ran = self.passed + self.failed;
        ran >= CASES_OF_AN_OUTAGE && self.failed * 100 > ran * SHARE_OF_AN_OUTAGE
    }
}

/// How a case did, by its runs, newest first: what its name and suite are is for the caller to have asked. Runs in which it
/// was skipped say nothing, nor do those of an outage.
pub fn health(runs: &[CaseRun]) -> Option<CaseHealth> {
    let first = runs.first()?;
    let counts = |run: &&CaseRun| run.case.status != CaseStatus::Skipped && !run.run.is_outage();
    let looked: Vec<&CaseRun> = runs.iter().filter(counts).take(WINDOW).collect();
    let failed: Vec<&&CaseRun> = looked.iter().filter(|run| run.case.failed_attempts > 0).collect();
    let score = score(&looked);
    let evidence = evidence(&looked);
    let recovered = evidence.is_some() && is_quiet(&looked);
    let level = match evidence {
        Some(_) if recovered => FlakyLevel::Stable,
        Some(_) => FlakyLevel::of(score),
        None if looked.len() > 1 && score >= 1.0 => FlakyLevel::Broken,
        None => FlakyLevel::Stable,
    };
    let is_flaky = evidence.is_some() && !recovered;
    Some(CaseHealth {
        name: first.case.name.clone(),
        suite: first.case.suite.clone(),
        is_flaky,
        level,
        score: (score * 1000.0).round() / 1000.0,
        evidence,
        recovered,
        results: looked.iter().map(|run| run.case.status).collect(),
        failed: failed.len() as u64,
        runs: looked.len() as u64,
        last_failed: failed.first().map(|run| run.run.id.clone()),
        suggestion: suggestion(level, is_flaky, recovered),
    })
}

fn suggestion(level: FlakyLevel, is_flaky: bool, recovered: bool) -> &'static str {
    match level {
        _ if recovered => "it ran for a week without a failure",
        FlakyLevel::Broken => "it fails each time: look for a cause in the code, not for chance",
        _ if is_flaky => {
            "run it again before looking for a cause; then look for what it shares: time, order, network, files"
        }
        _ => "nothing shows that chance decides over it",
    }
}

#[expect(clippy::cast_precision_loss, reason = "at most ten runs")]
fn score(runs: &[&CaseRun]) -> f64 {
    let share = |run: &&CaseRun| f64::from(run.case.failed_attempts) / f64::from(run.case.attempts.max(1));
    if runs.is_empty() { 0.0 } else { runs.iter().map(share).sum::<f64>() / runs.len() as f64 }
}

fn evidence(runs: &[&CaseRun]) -> Option<Evidence> {
    let has_failed = |run: &CaseRun| run.case.status == CaseStatus::Failed;
    if runs.iter().any(|run| run.case.is_flaky()) {
        return Some(Evidence::Attempts);
    }
    let rerun = |run: &&&CaseRun| {
        let before = run.run.rerun_of.as_ref();
        let before = before.and_then(|id| runs.iter().find(|other| other.run.id == *id));
        before.is_some_and(|before| has_failed(before) != has_failed(run))
    };
    if runs.iter().any(|run| rerun(&run)) {
        return Some(Evidence::Rerun);
    }
    let on_one = |one: &CaseRun| {
        let is_same = |other: &&&CaseRun| one.run.commit.is_some() && other.run.commit == one.run.commit;
        runs.iter().filter(is_same).any(|other| has_failed(other) != has_failed(one))
    };
    if runs.iter().any(|run| on_one(run)) {
        return Some(Evidence::Commit);
    }
    // Between recorded calls the code changes all the time.
    let bare: Vec<bool> =
        runs.iter().filter(|run| run.run.commit.is_none() && run.run.complete).map(|run| has_failed(run)).collect();
    let changes = bare.windows(2).filter(|two| matches!(two, [one, other] if one != other)).count();
    (changes >= 2).then_some(Evidence::Changes)
}

/// Whether it ran for a week after its last failure, and did not fail.
fn is_quiet(runs: &[&CaseRun]) -> bool {
    let Some(newest) = runs.first() else { return false };
    let failed = runs.iter().find(|run| run.case.failed_attempts > 0);
    failed.is_none_or(|failed| newest.run.at.saturating_sub(failed.run.at) >= QUIET_MS)
}

/// Puts what chance decides over first, the worst before the others, then what has recovered, then what is broken.
pub fn sort(cases: &mut [CaseHealth]) {
    cases.sort_by(|a, b| {
        let rank = |case: &CaseHealth| (!case.is_flaky, !case.recovered);
        let by_name = || (&a.suite, &a.name).cmp(&(&b.suite, &b.name));
        rank(a).cmp(&rank(b)).then(b.score.total_cmp(&a.score)).then_with(by_name)
    });
}
