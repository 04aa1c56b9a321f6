//! The retries that a whole project may make, refilled with time.

use serde::{Deserialize, Serialize};

use crate::time::since_1970;

/// A token bucket over all nodes of a project: each retry takes a token, and each [`Bucket::REFILL_MS`] gives one back.
/// A retry that finds it empty is put off until its token is there.
///
/// The whole bucket is one time: when it will be full again. So it never holds more than its size, and clocks that jump
/// back only make it wait as long as it would have taken to fill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Bucket {
    /// When it will be full again, in milliseconds since 1970; in the past, it is full.
    full_at: u64,
}

impl Bucket {
    /// The most tokens: what three agents need for the three retries of a failure each, and one more.
    pub const SIZE: u32 = 10;
    /// How long it takes until a token comes back.
    pub const REFILL_MS: u64 = 10_000;
    const WHOLE_MS: u64 = Self::SIZE as u64 * Self::REFILL_MS;
    /// The most that later retries are put off: beyond it nobody would wait for them.
    const MOST_MS: u64 = 24 * 60 * 60 * 1000;

    /// A time as the bucket counts it. None for what is no time or lies before 1970.
    pub fn clock(ts: &str) -> Option<u64> {
        since_1970(ts)
    }

    /// The whole tokens that are there.
    pub fn tokens(self, now: u64) -> u32 {
        let lacking = self.lacking_ms(now).div_ceil(Self::REFILL_MS);
        Self::SIZE.saturating_sub(u32::try_from(lacking).unwrap_or(u32::MAX))
    }

    /// How long a retry has to wait for its token, in milliseconds.
    pub fn wait_ms(self, now: u64) -> u64 {
        (self.lacking_ms(now) + Self::REFILL_MS).saturating_sub(Self::WHOLE_MS)
    }

    /// The bucket after a retry was decided on.
    #[must_use]
    pub fn take(self, now: u64) -> Self {
        Self { full_at: now + self.lacking_ms(now) + Self::REFILL_MS }
    }

    /// A time that lies further ahead than all retries together could put it is that of a clock that was set back.
    fn lacking_ms(self, now: u64) -> u64 {
        let lacking = self.full_at.saturating_sub(now);
        if lacking > Self::MOST_MS { Self::WHOLE_MS } else { lacking }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: u64 = 1_800_000_000_000;

    #[test]
    fn an_empty_bucket_puts_off_and_fills_again() {
        let mut bucket = Bucket::default();
        for left in (0..Bucket::SIZE).rev() {
            assert_eq!(bucket.wait_ms(NOW), 0);
            bucket = bucket.take(NOW);
            assert_eq!(bucket.tokens(NOW), left);
        }
        assert_eq!(bucket.wait_ms(NOW), Bucket::REFILL_MS);
        assert_eq!(bucket.take(NOW).wait_ms(NOW), 2 * Bucket::REFILL_MS);
        assert_eq!(bucket.wait_ms(NOW + Bucket::REFILL_MS), 0);
        assert_eq!(bucket.tokens(NOW + 100 * Bucket::REFILL_MS), Bucket::SIZE);
    }

    #[test]
    fn a_clock_that_was_set_back_by_years_does_not_stop_retries() {
        let bucket = Bucket::default().take(NOW);
        assert!(bucket.wait_ms(1_000) <= Bucket::WHOLE_MS);
    }

    proptest! {
        /// However retries come, over a long time there are no more than the refill gives, and the size once.
        #[test]
        fn retries_are_never_more_than_the_refill_gives(gaps in prop::collection::vec(0_u64..30_000, 1..200)) {
            let (mut bucket, mut now, mut made) = (Bucket::default(), NOW, Vec::new());
            for gap in gaps {
                now += gap;
                prop_assert!(bucket.tokens(now) <= Bucket::SIZE);
                made.push(now + bucket.wait_ms(now));
                bucket = bucket.take(now);
                let since = made[0];
                let allowed = u64::from(Bucket::SIZE) + (made[made.len() - 1] - since) / Bucket::REFILL_MS;
                prop_assert!(made.len() as u64 <= allowed + 1);
            }
        }
    }
}
