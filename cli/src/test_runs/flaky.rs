//! Which cases are flaky, by evidence: the same code gave both results.
//!
//! A failure rate says little of a case: one that is broken fails often, one that was mended failed before. So a case is called
//! flaky only where something shows that nothing but chance lies between its results, and only then its rate gives it a level.

use serde::{Deserialize, Serialize};

use super::run::{CaseStatus, TestRun};
use crate::model::words;

/// How many of a case's newest runs are looked at.
pub const WINDOW: usize = 10;
/// For how long a case runs without a failure until it is no longer called flaky, in milliseconds: a week.
pub const QUIET_MS: u64 = 7 * 24 * 60 * 60 * 1000;
/// A run of at least so many cases of which more than this share failed tells of the machine, and of no case.
const CASES_OF_AN_OUTAGE: u64 = 5;
const SHARE_OF_AN_OUTAGE: u64 = 80;

words! {
    /// How often a case fails. Where nothing shows chance, it is stable, or broken.
    pub enum FlakyLevel {
        /// It does not fail, or its failures have a reason.
        Stable = "STABLE",
        /// It fails in at most a fifth of its runs.
        MostlyStable = "MOSTLY_STABLE",
        /// It fails in at most half of its runs.
        Flaky = "FLAKY",
        /// It fails in more than half of its runs.
        VeryFlaky = "VERY_FLAKY",
        /// It fails in all of its runs.
        Broken = "BROKEN",
    }
}

impl FlakyLevel {
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

/// Which cases of a project are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HealthFilter<'a> {
    /// Only those of suites with these words in their name, in any case of letters.
    pub suite: Option<&'a str>,
    /// Those as well over which chance does not decide.
    pub all: bool,
    /// The most that are listed.
    pub limit: usize,
}

/// The cases of a project that are listed. Its JSON is what lists show.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HealthPage {
    /// The cases, sorted.
    pub cases: Vec<CaseHealth>,
    /// How many there are over which chance decides, those that are not listed included.
    pub total_flaky: usize,
    /// Whether there are more than are listed.
    pub has_more: bool,
    /// How many of a case's newest runs were looked at.
    pub window: usize,
    /// How many there are beside those that are listed.
    #[serde(skip)]
    pub left_out: usize,
}

impl HealthFilter<'_> {
    /// Whether a case is listed, however many are.
    pub fn keeps(&self, case: &CaseHealth) -> bool {
        let is_named = |words: &str| case.suite.to_lowercase().contains(&words.to_lowercase());
        (case.is_flaky || self.all) && self.suite.is_none_or(is_named)
    }
}

impl HealthPage {
    /// What is listed of cases, which are sorted.
    pub fn of(mut cases: Vec<CaseHealth>, filter: &HealthFilter<'_>) -> Self {
        cases.retain(|case| filter.keeps(case));
        let total_flaky = cases.iter().filter(|case| case.is_flaky).count();
        let left_out = cases.len().saturating_sub(filter.limit);
        cases.truncate(filter.limit);
        Self { cases, total_flaky, has_more: left_out > 0, window: WINDOW, left_out }
    }
}

impl TestRun {
    /// Whether so much of it failed that it tells of the machine: a database that was down fails every case.
    pub fn is_outage(&self) -> bool {
        let ran = self.passed + self.failed;
        ran >= CASES_OF_AN_OUTAGE && self.failed * 100 > ran * SHARE_OF_AN_OUTAGE
    }
}

/// What a case came to in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CaseDid<'a> {
    /// The run.
    pub run: &'a TestRun,
    /// What it came to.
    pub status: CaseStatus,
    /// How often it was run in it.
    pub attempts: u32,
    /// How many of these failed.
    pub failed_attempts: u32,
}

impl CaseDid<'_> {
    /// Whether it ran at all.
    pub fn ran(&self) -> bool {
        self.status != CaseStatus::Skipped
    }

    fn has_failed(&self) -> bool {
        self.status == CaseStatus::Failed
    }
}

/// How a case did, by its runs, newest first; None where there are none. Runs in which it was skipped say nothing, nor do those
/// of an outage.
pub fn health(name: &str, suite: &str, runs: &[CaseDid<'_>]) -> Option<CaseHealth> {
    runs.first()?;
    let counts = |did: &&CaseDid<'_>| did.status != CaseStatus::Skipped && !did.run.is_outage();
    let looked: Vec<CaseDid<'_>> = runs.iter().filter(counts).take(WINDOW).copied().collect();
    let failed: Vec<&CaseDid<'_>> = looked.iter().filter(|did| did.failed_attempts > 0).collect();
    let score = flakiness_score(&looked);
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
        name: name.to_owned(),
        suite: suite.to_owned(),
        is_flaky,
        level,
        score: (score * 1000.0).round() / 1000.0,
        evidence,
        recovered,
        results: looked.iter().map(|did| did.status).collect(),
        failed: failed.len() as u64,
        runs: looked.len() as u64,
        last_failed: failed.first().map(|did| did.run.id.clone()),
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
fn flakiness_score(runs: &[CaseDid<'_>]) -> f64 {
    let share = |did: &CaseDid<'_>| f64::from(did.failed_attempts) / f64::from(did.attempts.max(1));
    if runs.is_empty() { 0.0 } else { runs.iter().map(share).sum::<f64>() / runs.len() as f64 }
}

fn evidence(runs: &[CaseDid<'_>]) -> Option<Evidence> {
    if runs.iter().any(|did| is_mixed(did.status, did.attempts, did.failed_attempts)) {
        return Some(Evidence::Attempts);
    }
    let differs_from_before = |did: &CaseDid<'_>| {
        let before = did.run.rerun_of.as_ref();
        let before = before.and_then(|id| runs.iter().find(|other| other.run.id == *id));
        before.is_some_and(|before| before.has_failed() != did.has_failed())
    };
    if runs.iter().any(differs_from_before) {
        return Some(Evidence::Rerun);
    }
    let differs_on_commit = |did: &CaseDid<'_>| {
        let is_same = |other: &&CaseDid<'_>| did.run.commit.is_some() && other.run.commit == did.run.commit;
        runs.iter().filter(is_same).any(|other| other.has_failed() != did.has_failed())
    };
    if runs.iter().any(differs_on_commit) {
        return Some(Evidence::Commit);
    }
    // Between recorded calls the code changes all the time.
    let is_bare = |did: &&CaseDid<'_>| did.run.commit.is_none() && did.run.complete;
    let bare: Vec<bool> = runs.iter().filter(is_bare).map(CaseDid::has_failed).collect();
    let changes = bare.windows(2).filter(|two| matches!(two, [one, other] if one != other)).count();
    (changes >= 2).then_some(Evidence::Changes)
}

/// Whether a case passed in one attempt of a run and failed in another.
pub(super) fn is_mixed(status: CaseStatus, attempts: u32, failed_attempts: u32) -> bool {
    match status {
        CaseStatus::Passed => failed_attempts > 0,
        CaseStatus::Failed => failed_attempts < attempts,
        CaseStatus::Skipped => false,
    }
}

/// Whether it ran for a week after its last failure, and did not fail.
fn is_quiet(runs: &[CaseDid<'_>]) -> bool {
    let Some(newest) = runs.first() else { return false };
    let failed = runs.iter().find(|did| did.failed_attempts > 0);
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

#[cfg(test)]
mod tests {
    use super::super::run::RunSource;
    use super::*;

    const DAY: u64 = 24 * 60 * 60 * 1000;

    /// A run of ten cases, of which so many failed, on a commit where one is named.
    fn run(id: usize, at: u64, failed: u64, commit: &str) -> TestRun {
        TestRun {
            commit: (!commit.is_empty()).then(|| commit.to_owned()),
            status: CaseStatus::Failed,
            cases: 10,
            passed: 10 - failed,
            failed,
            ..TestRun::new(id.to_string(), RunSource::Junit, at, &[])
        }
    }

    /// How a case did in runs, oldest first.
    fn judged(runs: &[TestRun], marks: &str) -> CaseHealth {
        let mut all: Vec<CaseDid<'_>> = runs.iter().zip(marks.chars()).map(|(run, mark)| did(run, mark)).collect();
        all.reverse();
        health("adds", "sums", &all).unwrap()
    }

    fn did(run: &TestRun, mark: char) -> CaseDid<'_> {
        let (status, attempts, failed_attempts) = match mark {
            '.' => (CaseStatus::Passed, 1, 0),
            'x' => (CaseStatus::Failed, 1, 1),
            // Failed, then passed, in one run.
            'r' => (CaseStatus::Passed, 2, 1),
            _ => (CaseStatus::Skipped, 1, 0),
        };
        CaseDid { run, status, attempts, failed_attempts }
    }

    /// The health of a case with these results, oldest first, a run a day.
    fn of(marks: &str, commit: &str) -> CaseHealth {
        let runs: Vec<TestRun> = (0..marks.len()).map(|at| run(at, at as u64 * DAY / 10, 1, commit)).collect();
        judged(&runs, marks)
    }

    #[test]
    fn the_share_of_failures_gives_the_level_where_there_is_evidence() {
        use FlakyLevel::{Broken, Flaky, MostlyStable, Stable, VeryFlaky};
        for (marks, commit, level, is_flaky, evidence) in [
            (".....", "abc", Stable, false, None),
            (".........x", "abc", MostlyStable, true, Some(Evidence::Commit)),
            ("x........x", "abc", MostlyStable, true, Some(Evidence::Commit)),
            ("x..x.x....", "abc", Flaky, true, Some(Evidence::Commit)),
            ("xxxxxxx...", "abc", VeryFlaky, true, Some(Evidence::Commit)),
            ("xxxxx", "abc", Broken, false, None),
            ("x", "abc", Stable, false, None),
            (".", "", Stable, false, None),
            // Without commits a test that broke, or was mended, has one change.
            ("...xxx", "", Stable, false, None),
            ("xxx...", "", Stable, false, None),
            ("..x...", "", MostlyStable, true, Some(Evidence::Changes)),
            // Only the last ten runs count, and no run in which it was skipped.
            (".x..........", "", Stable, false, None),
            (".ssssssssssx.", "", Flaky, true, Some(Evidence::Changes)),
            ("r", "", Flaky, true, Some(Evidence::Attempts)),
            ("....r", "", MostlyStable, true, Some(Evidence::Attempts)),
        ] {
            let found = of(marks, commit);
            assert_eq!(
                (found.level, found.is_flaky, found.evidence),
                (level, is_flaky, evidence),
                "{marks}: {found:?}"
            );
        }
        let found = of("x..x.x....", "abc");
        assert_eq!((found.score.to_bits(), found.failed, found.runs), (0.3_f64.to_bits(), 3, 10));
        assert_eq!(found.last_failed.as_deref(), Some("5"));
    }

    #[test]
    fn two_commits_say_nothing_of_each_other() {
        let runs = [run(0, 0, 1, "abc"), run(1, DAY, 1, "def"), run(2, 2 * DAY, 1, "ghi")];
        assert_eq!(judged(&runs, ".x.").evidence, None);
    }

    #[test]
    fn a_run_in_which_nearly_all_failed_says_nothing() {
        let runs = [run(0, 0, 1, "abc"), run(1, DAY, 9, "abc"), run(2, 2 * DAY, 1, "abc")];
        let found = judged(&runs, ".x.");
        assert_eq!((found.evidence, found.runs), (None, 2));
        assert!(!run(0, 0, 8, "").is_outage(), "80 % are not more than 80 %");
        let few = TestRun { passed: 0, failed: 4, ..run(0, 0, 4, "") };
        assert!(!few.is_outage(), "four cases are too few");
    }

    #[test]
    fn a_week_of_runs_without_a_failure_is_a_recovery() {
        let at = [0, 1, 2, 8, 9];
        let runs: Vec<TestRun> = at.iter().enumerate().map(|(id, day)| run(id, day * DAY, 1, "abc")).collect();
        assert!(judged(&runs[..3], ".x.").is_flaky);
        let found = judged(&runs, ".x...");
        assert_eq!((found.is_flaky, found.recovered, found.level), (false, true, FlakyLevel::Stable), "{found:?}");
    }

    #[test]
    fn what_is_listed_is_counted_before_it_is_cut() {
        let health = |suite: &str, marks: &str| CaseHealth { suite: suite.to_owned(), ..of(marks, "abc") };
        let cases =
            vec![health("Cart.Pay", "x."), health("cart.ship", ".x"), health("Shop", "x."), health("cart", "xxx")];
        let page = |filter| {
            let page = HealthPage::of(cases.clone(), &filter);
            (page.cases.len(), page.total_flaky, page.has_more, page.left_out)
        };
        let all = HealthFilter { suite: None, all: true, limit: 10 };
        assert_eq!(page(all), (4, 3, false, 0));
        assert_eq!(page(HealthFilter { all: false, ..all }), (3, 3, false, 0));
        assert_eq!(page(HealthFilter { suite: Some("CART"), ..all }), (3, 2, false, 0));
        assert_eq!(page(HealthFilter { suite: Some("cart"), all: false, limit: 1 }), (1, 2, true, 1));
        assert_eq!(page(HealthFilter { limit: 0, ..all }), (0, 3, true, 4));
    }
}
