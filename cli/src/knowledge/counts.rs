//! How often a fix was tried and worked, with what is long past counting less.

/// After so many milliseconds a count is worth half: 90 days. Tools and projects change.
pub const HALF_LIFE_MS: u64 = 90 * 24 * 60 * 60 * 1000;

/// Tries of one fix, of which each may stand for several.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    tried: u64,
    worked: u64,
    weighted: (f64, f64),
    /// The last try and the one before, each with whether it worked.
    last: [Option<(u64, bool)>; 2],
    last_worked: Option<u64>,
}

impl Counts {
    /// Adds tries at a moment, as seen from `now`; both in milliseconds since 1970. They come in the order of time.
    pub fn add(&mut self, tried: u64, worked: u64, at: u64, now: u64) {
        let worked = worked.min(tried);
        if tried == 0 {
            return;
        }
        self.tried += tried;
        self.worked += worked;
        let weight = weight(at, now);
        self.weighted.0 += number(tried) * weight;
        self.weighted.1 += number(worked) * weight;
        if worked > 0 {
            self.last_worked = self.last_worked.max(Some(at));
        }
        // Of a sum nobody knows the order: it counts as it went mostly.
        let mostly = 2 * worked >= tried;
        let steps = if tried == 1 { 1 } else { 2 };
        for _ in 0..steps {
            self.last = [Some((at, mostly)), self.last[0]];
        }
    }

    /// How often it was tried.
    pub fn tried(&self) -> u64 {
        self.tried
    }

    /// How often it worked.
    pub fn worked(&self) -> u64 {
        self.worked
    }

    /// When it worked last.
    pub fn last_worked(&self) -> Option<u64> {
        self.last_worked
    }

    /// How likely it is to work: the mean of what is known of it when nothing was known before.
    pub fn confidence(&self) -> f64 {
        let (tried, worked) = self.weighted;
        (worked + 1.0) / (tried + 2.0)
    }

    /// Whether it failed the last time.
    pub fn failed_last(&self) -> bool {
        self.last[0].is_some_and(|(_, worked)| !worked)
    }

    /// Whether it is no longer told: it failed twice in a row, or more often than not.
    pub fn dropped(&self) -> bool {
        let failed = |last: Option<(u64, bool)>| last.is_some_and(|(_, worked)| !worked);
        self.last.into_iter().all(failed) || self.confidence() < 0.5
    }
}

/// What a count of the past is worth now. A clock that went back makes nothing worth more than it is.
fn weight(at: u64, now: u64) -> f64 {
    0.5_f64.powf(number(now.saturating_sub(at)) / number(HALF_LIFE_MS))
}

/// A whole number to reckon with.
#[expect(clippy::cast_precision_loss, reason = "counts and spans of milliseconds lie far below 2^53")]
fn number(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u64 = 24 * 60 * 60 * 1000;

    fn counts(tries: &[(u64, bool)], now: u64) -> Counts {
        let mut counts = Counts::default();
        for (day, worked) in tries {
            counts.add(1, u64::from(*worked), day * DAY, now * DAY);
        }
        counts
    }

    #[test]
    fn confidence_rises_with_success_and_falls_with_failure() {
        let of = |worked: usize, tried: usize| {
            let tries: Vec<_> = (0..tried).map(|n| (100, n < worked)).collect();
            format!("{:.2}", counts(&tries, 100).confidence())
        };
        // The numbers of the inherited table.
        for (tried, worked, wanted) in [
            (0, 0, "0.50"),
            (1, 0, "0.33"),
            (1, 1, "0.67"),
            (5, 4, "0.71"),
            (10, 8, "0.75"),
            (10, 10, "0.92"),
            (100, 70, "0.70"),
            (3, 1, "0.40"),
            (3, 2, "0.60"),
            (2, 1, "0.50"),
        ] {
            assert_eq!(of(worked, tried), wanted, "{worked} of {tried}");
        }
        // Every success raises it: it is never worth less for having been asked for more often.
        let rising: Vec<f64> = (1..9).map(|n| counts(&vec![(1, true); n], 1).confidence()).collect();
        assert!(rising.windows(2).all(|pair| pair[0] < pair[1]) && rising.iter().all(|it| *it < 1.0), "{rising:?}");
    }

    #[test]
    fn what_is_ninety_days_old_counts_half() {
        let old = counts(&[(0, true), (0, true)], 90);
        assert!((old.confidence() - 2.0 / 3.0).abs() < 1e-9, "as one success of one");
        assert_eq!((old.tried(), old.worked()), (2, 2), "the counts that are shown stay");
        let ahead = counts(&[(200, true)], 100);
        assert!((ahead.confidence() - 2.0 / 3.0).abs() < 1e-9, "a clock that went back");
    }

    #[test]
    fn two_failures_in_a_row_end_a_fix() {
        let many = |tail: &[bool]| {
            let tries: Vec<_> = std::iter::repeat_n(true, 20).chain(tail.iter().copied()).map(|w| (1, w)).collect();
            counts(&tries, 1)
        };
        assert!(!many(&[false]).dropped() && many(&[false]).failed_last());
        assert!(many(&[false, false]).dropped());
        assert!(!many(&[false, false, true]).dropped(), "it works again");
        assert!(counts(&[(1, true), (1, false), (1, false), (1, true)], 1).confidence() < 0.51);
        let mut sum = Counts::default();
        sum.add(3, 5, 1, 1);
        assert_eq!(sum.worked(), 3, "never more than was tried");
        sum.add(4, 0, 2, 2);
        assert!(sum.dropped(), "a month of failures");
    }
}
