//! How right `flaky` is: made runs of which the truth is known, judged as the base's would be.

use failwise::test_runs::{CaseDid, CaseStatus, FlakyLevel, RunSource, TestCase, TestRun, health};

/// A generator of numbers that gives the same ones each time (`SplitMix64`).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn one_in(&mut self, of: u64) -> bool {
        self.next().is_multiple_of(of)
    }
}

/// What a case is in truth.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Truth {
    Passes,
    Fails,
    /// Fails in one of so many runs, whatever the code.
    OneIn(u64),
    /// Fails from one commit until another.
    Broken {
        from: u64,
        until: u64,
    },
}

/// What is known of the runs.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Known {
    /// The commit; the runner tries nothing again.
    Commits,
    /// The commit, and what failed is tried again twice.
    Retries,
    /// Nothing but the results.
    Nothing,
}

const HOUR: u64 = 60 * 60 * 1000;
const CASES: usize = 40;
/// Runs in all, and how many of them are on one commit.
const RUNS: u64 = 60;
const RUNS_OF_A_COMMIT: u64 = 3;

/// The truth of each case: most pass, a few are as in real projects.
fn truths() -> Vec<Truth> {
    let mut truths = vec![Truth::Passes; CASES];
    let odd = [
        Truth::Fails,
        Truth::OneIn(2),
        Truth::OneIn(3),
        Truth::OneIn(5),
        Truth::OneIn(10),
        Truth::OneIn(20),
        Truth::OneIn(50),
        Truth::Broken { from: 0, until: 2 },
        Truth::Broken { from: 5, until: 7 },
        // Broken and mended within ten runs: without commits nobody can tell that from chance.
        Truth::Broken { from: 10, until: 11 },
        Truth::Broken { from: 18, until: 99 },
    ];
    truths.iter_mut().zip(odd).for_each(|(truth, odd)| *truth = odd);
    truths
}

/// The runs of all cases, oldest first: every twentieth is one in which the machine was down.
fn runs(seed: u64, known: Known) -> Vec<(TestRun, Vec<TestCase>)> {
    let mut chance = Chance(seed);
    let truths = truths();
    (0..RUNS).map(|number| run(number, &truths, known, &mut chance)).collect()
}

fn run(number: u64, truths: &[Truth], known: Known, chance: &mut Chance) -> (TestRun, Vec<TestCase>) {
    let commit = number / RUNS_OF_A_COMMIT;
    let is_down = number % 20 == 13;
    let cases: Vec<TestCase> = truths
        .iter()
        .enumerate()
        .map(|(place, truth)| {
            let mut fails = || match truth {
                _ if is_down => true,
                Truth::Passes => false,
                Truth::Fails => true,
                Truth::OneIn(of) => chance.one_in(*of),
                Truth::Broken { from, until } => (*from..*until).contains(&commit),
            };
            let tries = if known == Known::Retries { 3 } else { 1 };
            let (mut attempts, mut failed) = (0, 0);
            while attempts < tries && failed == attempts {
                attempts += 1;
                failed += u32::from(fails());
            }
            let status = if failed == attempts { CaseStatus::Failed } else { CaseStatus::Passed };
            case(place, status, attempts, failed)
        })
        .collect();
    let failed = cases.iter().filter(|case| case.status == CaseStatus::Failed).count() as u64;
    let run = TestRun {
        id: format!("{number:016x}"),
        source: RunSource::Junit,
        at: 1_700_000_000_000 + number * HOUR,
        commit: (known != Known::Nothing).then(|| format!("{commit:040x}")),
        branch: None,
        title: None,
        complete: true,
        duration_ms: None,
        status: if failed > 0 { CaseStatus::Failed } else { CaseStatus::Passed },
        cases: cases.len() as u64,
        passed: cases.len() as u64 - failed,
        failed,
        skipped: 0,
        flaky: 0,
        rerun_of: None,
    };
    (run, cases)
}

fn case(place: usize, status: CaseStatus, attempts: u32, failed_attempts: u32) -> TestCase {
    TestCase {
        name: format!("case {place}"),
        suite: "made".to_owned(),
        status,
        duration_ms: None,
        attempts,
        failed_attempts,
        error: None,
        container: None,
    }
}

/// How often a claim was right, and what could have been claimed.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    claimed: u32,
    right: u32,
    there: u32,
}

impl Tally {
    fn share(part: u32, of: u32) -> f64 {
        f64::from(part) / f64::from(of.max(1))
    }

    fn precision(self) -> f64 {
        Self::share(self.right, self.claimed)
    }

    fn recall(self) -> f64 {
        Self::share(self.right, self.there)
    }
}

/// Judges each case after each third run, in many made projects. What can be seen is a flaky case that both passed and failed in
/// the ten runs that are looked at.
fn measure(known: Known) -> (Tally, [Tally; 6]) {
    let mut all = Tally::default();
    let mut by_rate = [Tally::default(); 6];
    for seed in 0..50 {
        let runs = runs(seed, known);
        for end in (10..=runs.len()).step_by(3) {
            for (place, truth) in truths().into_iter().enumerate() {
                let newest_first: Vec<CaseDid<'_>> = runs[..end]
                    .iter()
                    .rev()
                    .take(20)
                    .map(|(run, cases)| {
                        let TestCase { status, attempts, failed_attempts, .. } = cases[place];
                        CaseDid { run, status, attempts, failed_attempts }
                    })
                    .collect();
                let found = health("case", "made", &newest_first).unwrap_or_else(|| panic!("there are runs"));
                let is_flaky = matches!(truth, Truth::OneIn(_));
                let shows = found.failed > 0 && found.results.contains(&CaseStatus::Passed);
                let rate = match truth {
                    Truth::OneIn(of) => [2, 3, 5, 10, 20, 50].iter().position(|it| *it == of),
                    _ => None,
                };
                for tally in [Some(&mut all), rate.and_then(|rate| by_rate.get_mut(rate))].into_iter().flatten() {
                    tally.claimed += u32::from(found.is_flaky);
                    tally.right += u32::from(found.is_flaky && is_flaky);
                    tally.there += u32::from(is_flaky && shows);
                }
                if matches!(truth, Truth::Fails) {
                    assert_eq!(found.level, FlakyLevel::Broken, "{found:?}");
                }
                if matches!(truth, Truth::Passes) {
                    assert_eq!((found.level, found.is_flaky), (FlakyLevel::Stable, false), "{found:?}");
                }
            }
        }
    }
    (all, by_rate)
}

#[test]
fn flaky_is_claimed_of_flaky_cases_only() {
    for (known, least_precision, least_recall) in
        [(Known::Retries, 0.999, 0.99), (Known::Commits, 0.999, 0.94), (Known::Nothing, 0.95, 0.92)]
    {
        let (all, by_rate) = measure(known);
        println!("{known:?}: precision {:.3}, recall {:.3} of what shows in ten runs", all.precision(), all.recall());
        for (of, tally) in [2, 3, 5, 10, 20, 50].iter().zip(by_rate) {
            println!("  1 in {of}: recall {:.3} of {}", tally.recall(), tally.there);
        }
        assert!(all.claimed > 500, "{known:?}: {all:?}");
        assert!(all.precision() >= least_precision, "{known:?}: {all:?}");
        assert!(all.recall() >= least_recall, "{known:?}: {all:?}");
    }
}
