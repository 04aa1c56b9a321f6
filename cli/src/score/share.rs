//! A share of rows, with the interval that its number of rows allows.

/// The two-sided 95 % quantile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// Some rows of all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Share {
    /// The rows that are counted, mostly those that are right.
    pub right: u32,
    /// All rows.
    pub all: u32,
}

impl Share {
    /// The share between 0 and 1; None where there are no rows.
    pub fn value(self) -> Option<f64> {
        (self.all > 0).then(|| f64::from(self.right) / f64::from(self.all))
    }

    /// The Wilson score interval at 95 %; None where there are no rows. Where rows come in groups that are alike, only one in
    /// `design` tells something of its own.
    pub fn interval_of(self, design: f64) -> Option<(f64, f64)> {
        let (share, n) = (self.value()?, f64::from(self.all) / design.max(1.0));
        let square = Z * Z;
        let middle = share + square / (2.0 * n);
        let reach = Z * (share * (1.0 - share) / n + square / (4.0 * n * n)).sqrt();
        let whole = 1.0 + square / n;
        Some((((middle - reach) / whole).max(0.0), ((middle + reach) / whole).min(1.0)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Share;

    fn is_near(share: Share, low: f64, high: f64) -> bool {
        share.interval_of(1.0).is_some_and(|(l, h)| (l - low).abs() < 0.0005 && (h - high).abs() < 0.0005)
    }

    #[test]
    fn the_interval_is_that_of_the_textbooks() {
        assert!(is_near(Share { right: 81, all: 263 }, 0.2553, 0.3662));
        assert!(is_near(Share { right: 15, all: 148 }, 0.0624, 0.1605));
        assert!(is_near(Share { right: 0, all: 20 }, 0.0, 0.1611));
        assert!(is_near(Share { right: 29, all: 29 }, 0.8830, 1.0));
        assert_eq!(Share::default().interval_of(1.0), None);
    }

    proptest! {
        #[test]
        fn the_share_lies_within_its_interval(all in 1_u32.., part in 0.0_f64..=1.0) {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of `all`")]
            let share = Share { right: (f64::from(all) * part) as u32, all };
            let (value, (low, high)) = (share.value().unwrap(), share.interval_of(1.0).unwrap());
            prop_assert!(0.0 <= low && low <= value + 1e-12 && value <= high + 1e-12 && high <= 1.0);
        }
    }
}
