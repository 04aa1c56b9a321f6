//! What tokens cost.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::text::count;

/// US dollars, counted in whole nano-dollars: a price of $0.001 a million tokens is one of them a token, so that sums are
/// exact and do not depend on their order. In JSON a number of dollars, rounded to a millionth; for people `$1.23`,
/// `$0.004` or `$1,204`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Money(u64);

/// Nano-dollars in a dollar.
const DOLLAR: u64 = 1_000_000_000;

impl Money {
    /// So many nano-dollars.
    pub const fn of_nano_dollars(nano_dollars: u64) -> Self {
        Self(nano_dollars)
    }

    /// In nano-dollars.
    pub const fn nano_dollars(self) -> u64 {
        self.0
    }

    /// In dollars, rounded to a millionth.
    pub fn usd(self) -> f64 {
        let micro_dollars = self.0 / 1000 + u64::from(self.0 % 1000 >= 500);
        #[expect(clippy::cast_precision_loss, reason = "exact up to nine billion dollars")]
        let micro_dollars = micro_dollars as f64;
        micro_dollars / 1e6
    }

    /// Both together.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// What was added since an earlier sum.
    #[must_use]
    pub const fn since(self, before: Self) -> Self {
        Self(self.0.saturating_sub(before.0))
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rounded = |unit: u64| self.0 / unit + u64::from(self.0 % unit >= unit.div_ceil(2));
        match (self.0, rounded(DOLLAR / 1000), rounded(DOLLAR / 100)) {
            (0, ..) => f.write_str("$0"),
            (_, 0, _) => f.write_str("under $0.001"),
            (_, thousandths @ 1..10, _) => write!(f, "$0.{thousandths:03}"),
            (_, _, cents @ 0..100_000) => write!(f, "${}.{:02}", cents / 100, cents % 100),
            _ => write!(f, "${}", count(rounded(DOLLAR))),
        }
    }
}

impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.usd())
    }
}

impl<'de> Deserialize<'de> for Money {
    /// A number below nothing, or too large, becomes the nearest amount.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let micro_dollars = (f64::deserialize(deserializer)? * 1e6).round();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the nearest amount is meant")]
        let micro_dollars = micro_dollars as u64;
        Ok(Self(micro_dollars.saturating_mul(1000)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Money;

    fn of(nano_dollars: u64) -> Money {
        Money::of_nano_dollars(nano_dollars)
    }

    #[test]
    fn people_read_as_many_digits_as_matter() {
        for (nano_dollars, told) in [
            (0, "$0"),
            (1, "under $0.001"),
            (500_000, "$0.001"),
            (4_000_000, "$0.004"),
            (9_499_999, "$0.009"),
            (9_500_000, "$0.01"),
            (1_234_567_890, "$1.23"),
            (999_994_999_999, "$999.99"),
            (999_995_000_000, "$1,000"),
            (1_204_400_000_000, "$1,204"),
            (u64::MAX, "$18,446,744,074"),
        ] {
            assert_eq!(of(nano_dollars).to_string(), told);
        }
    }

    #[test]
    fn programs_read_dollars_to_a_millionth() {
        let json = |nano_dollars| serde_json::to_string(&of(nano_dollars)).unwrap();
        assert_eq!([json(0), json(1_234_567_499), json(1_234_567_500)], ["0.0", "1.234567", "1.234568"]);
        let read = |text: &str| serde_json::from_str::<Money>(text).unwrap().nano_dollars();
        assert_eq!([read("3"), read("0.000001"), read("-1"), read("1e300")], [3_000_000_000, 1000, 0, u64::MAX]);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(micro_dollars in 0_u64..1_000_000_000_000) {
            let money = of(micro_dollars * 1000);
            let text = serde_json::to_string(&money).unwrap();
            prop_assert_eq!(serde_json::from_str::<Money>(&text).unwrap(), money);
        }

        #[test]
        fn sums_end_at_the_largest(a in any::<u64>(), b in any::<u64>()) {
            let sum = of(a).plus(of(b));
            prop_assert!(sum >= of(a) && sum >= of(b) && sum.since(of(a)) <= of(b));
        }
    }
}
