//! Two runs side by side: what fails now and did not, what passes again, what came and went.

use std::collections::BTreeMap;

use serde::Serialize;

use super::run::{CaseStatus, TestCase, TestRun};

/// What changed between two runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// The run that is compared with.
    pub base: TestRun,
    /// The run that is compared.
    pub run: TestRun,
    /// What fails, and was there before and did not.
    pub new_failures: Vec<ComparedCase>,
    /// What passes, and failed before.
    pub fixed: Vec<ComparedCase>,
    /// What failed before and fails.
    pub still_failing: Vec<ComparedCase>,
    /// What was not there before.
    pub new_cases: Vec<ComparedCase>,
    /// What is no longer there.
    pub removed_cases: Vec<ComparedCase>,
    /// How many of the others come to what they came to before.
    pub same: SameCounts,
}

/// A case that two runs say different things of, or that fails in both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ComparedCase {
    /// Its name.
    pub name: String,
    /// What it belongs to; empty where nothing says so.
    pub suite: String,
    /// What it came to before; null where it was not there.
    pub before: Option<CaseStatus>,
    /// What it comes to; null where it is no longer there.
    pub now: Option<CaseStatus>,
    /// Why it fails, where it does: one line.
    pub error: Option<String>,
}

/// How many cases come to what they came to before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct SameCounts {
    /// Those that pass.
    pub passed: u64,
    /// Those that are skipped, in one of the runs or in both, and fail in neither.
    pub skipped: u64,
}

/// A case before and now.
type CasePair<'c> = (Option<&'c TestCase>, Option<&'c TestCase>);

impl Comparison {
    /// Compares a run with one before it. Both have to be complete: of others nobody knows what is missing.
    pub fn of(base: (TestRun, Vec<TestCase>), run: (TestRun, Vec<TestCase>)) -> Self {
        let ((base, before), (run, now)) = (base, run);
        let mut compared = Self {
            base,
            run,
            new_failures: Vec::new(),
            fixed: Vec::new(),
            still_failing: Vec::new(),
            new_cases: Vec::new(),
            removed_cases: Vec::new(),
            same: SameCounts::default(),
        };
        let mut pairs: BTreeMap<(&str, &str), CasePair<'_>> = BTreeMap::new();
        for case in &before {
            pairs.entry((&case.suite, &case.name)).or_default().0 = Some(case);
        }
        for case in &now {
            pairs.entry((&case.suite, &case.name)).or_default().1 = Some(case);
        }
        for pair in pairs.into_values() {
            compared.add(pair);
        }
        compared
    }

    fn add(&mut self, pair: CasePair<'_>) {
        use CaseStatus::{Failed, Passed};
        let list = match (pair.0.map(|case| case.status), pair.1.map(|case| case.status)) {
            (None, _) => &mut self.new_cases,
            (_, None) => &mut self.removed_cases,
            (Some(Failed), Some(Failed)) => &mut self.still_failing,
            (_, Some(Failed)) => &mut self.new_failures,
            (Some(Failed), Some(Passed)) => &mut self.fixed,
            (Some(Passed), Some(Passed)) => {
                self.same.passed += 1;
                return;
            }
            _ => {
                self.same.skipped += 1;
                return;
            }
        };
        let Some(case) = pair.1.or(pair.0) else { return };
        let fails = pair.1.filter(|case| case.status == Failed);
        list.push(ComparedCase {
            name: case.name.clone(),
            suite: case.suite.clone(),
            before: pair.0.map(|case| case.status),
            now: pair.1.map(|case| case.status),
            error: fails.and_then(TestCase::error_line),
        });
    }
}
