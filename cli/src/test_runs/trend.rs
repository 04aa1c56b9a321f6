//! How the runs of a project went from day to day.

use std::collections::BTreeMap;

use serde::Serialize;

use super::run::TestRun;
use crate::text::rounded_to;
use crate::time::stamp_at;

/// How far back a trend goes that is shown, in milliseconds: two weeks.
pub const TREND_MS: u64 = 14 * 24 * 60 * 60 * 1000;

/// The days of a trend, and the last one against the one before it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trend {
    /// Each day with runs (UTC), oldest first.
    pub days: Vec<TrendDay>,
    /// The share of cases that passed, in per cent.
    pub pass_rate: TrendChange,
    /// How long a run took, in milliseconds.
    pub duration_ms: TrendChange,
}

/// The runs of a day.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrendDay {
    /// The day: `2026-03-14`.
    pub date: String,
    /// How many runs there were.
    pub runs: u64,
    /// The share of their cases that passed, in per cent.
    pub pass_rate: f64,
    /// How long they took on average, in milliseconds; null where none says so.
    pub duration_ms: Option<f64>,
}

/// A number and the one before it. Both null where there is none.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct TrendChange {
    /// Of the last day with runs.
    pub current: Option<f64>,
    /// Of the day with runs before it.
    pub previous: Option<f64>,
    /// From the one to the other, in per cent of the previous; 0 where that is 0 or missing.
    pub change: f64,
    /// Where it goes.
    pub direction: Direction,
}

/// Where a number goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// It grew.
    Up,
    /// It fell.
    Down,
    /// It is what it was.
    #[default]
    Stable,
}

#[derive(Default)]
struct DayRuns {
    runs: u64,
    passed: u64,
    cases: u64,
    took: Vec<u64>,
}

impl Trend {
    /// The trend of runs, in any order. Runs that are known in part are left out: nobody knows what passed in them.
    pub fn of<'r>(runs: impl Iterator<Item = &'r TestRun>) -> Self {
        let mut all: BTreeMap<String, DayRuns> = BTreeMap::new();
        for run in runs.filter(|run| run.complete) {
            let at = stamp_at(run.at).unwrap_or_default();
            let day = all.entry(at.get(..10).unwrap_or_default().to_owned()).or_default();
            day.runs += 1;
            day.passed += run.passed;
            day.cases += run.cases;
            day.took.extend(run.duration_ms);
        }
        let days: Vec<TrendDay> = all.into_iter().map(|(date, day)| day.named(date)).collect();
        let last_two = |of: &dyn Fn(&TrendDay) -> Option<f64>| TrendChange::of(days.iter().rev().filter_map(of));
        let pass_rate = last_two(&|day| Some(day.pass_rate));
        let duration_ms = last_two(&|day| day.duration_ms);
        Self { days, pass_rate, duration_ms }
    }
}

impl DayRuns {
    #[expect(clippy::cast_precision_loss, reason = "counts, and spans far below 2^52")]
    fn named(self, date: String) -> TrendDay {
        let took = self.took.iter().fold(0_u64, |sum, took| sum.saturating_add(*took));
        TrendDay {
            date,
            runs: self.runs,
            pass_rate: rounded_to(self.passed as f64 * 100.0 / self.cases.max(1) as f64, 100.0),
            duration_ms: (!self.took.is_empty()).then(|| rounded_to(took as f64 / self.took.len() as f64, 100.0)),
        }
    }
}

impl TrendChange {
    fn of(mut newest_first: impl Iterator<Item = f64>) -> Self {
        let (current, previous) = (newest_first.next(), newest_first.next());
        let change = match (current, previous) {
            (Some(current), Some(previous)) if previous != 0.0 => {
                rounded_to((current - previous) * 100.0 / previous, 10.0)
            }
            _ => 0.0,
        };
        let direction = match (current, previous) {
            (Some(current), Some(previous)) if current > previous => Direction::Up,
            (Some(current), Some(previous)) if current < previous => Direction::Down,
            _ => Direction::Stable,
        };
        Self { current, previous, change, direction }
    }
}

#[cfg(test)]
mod tests {
    use super::super::run::RunSource;
    use super::*;

    #[test]
    fn days_are_compared_with_the_day_with_runs_before() {
        const DAY: u64 = 24 * 60 * 60 * 1000;
        let run = |at: u64, passed: u64, took: Option<u64>, complete: bool| TestRun {
            complete,
            duration_ms: took,
            cases: 4,
            passed,
            failed: 4 - passed,
            ..TestRun::new(at.to_string(), RunSource::Junit, at, &[])
        };
        let runs = [
            run(5, 4, Some(100), true),
            run(0, 3, Some(200), true),
            run(3 * DAY, 2, Some(300), true),
            run(3 * DAY + 1, 0, None, false),
        ];
        let trend = Trend::of(runs.iter());
        let days: Vec<(&str, u64, f64)> = trend.days.iter().map(|day| (&*day.date, day.runs, day.pass_rate)).collect();
        assert_eq!(days, [("1970-01-01", 2, 87.5), ("1970-01-04", 1, 50.0)]);
        let change =
            TrendChange { current: Some(50.0), previous: Some(87.5), change: -42.9, direction: Direction::Down };
        assert_eq!(trend.pass_rate, change);
        let change =
            TrendChange { current: Some(300.0), previous: Some(150.0), change: 100.0, direction: Direction::Up };
        assert_eq!(trend.duration_ms, change);
        assert_eq!(Trend::of([].iter()).pass_rate, TrendChange::default());
    }
}
