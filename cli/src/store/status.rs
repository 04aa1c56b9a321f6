//! How a known failure stands.

use crate::model::words;

words! {
    /// How a known failure stands.
    pub enum FailureStatus {
        /// Met first within the last week.
        New = "new",
        /// Met within the last month.
        Open = "open",
        /// Not met for a month.
        Quiet = "quiet",
        /// Met within the last week, after it had been quiet.
        CameBack = "came_back",
        /// Nothing of it is told.
        Muted = "muted",
    }
}

const DAY: u64 = 24 * 60 * 60 * 1000;
/// How long something is news.
const NEWS: u64 = 7 * DAY;
/// After how long without it a failure is quiet.
const QUIET: u64 = 30 * DAY;

impl FailureStatus {
    /// The status of a failure that was met at these times, oldest first; all in milliseconds since 1970.
    pub fn of(met: &[u64], now: u64) -> Self {
        let (Some(first), Some(last)) = (met.first(), met.last()) else { return Self::Quiet };
        let is_news = |at: u64| now.saturating_sub(at) < NEWS;
        let came_back = met
            .windows(2)
            .any(|two| matches!(two, [before, after] if after.saturating_sub(*before) >= QUIET && is_news(*after)));
        match () {
            () if is_news(*first) => Self::New,
            () if came_back => Self::CameBack,
            () if now.saturating_sub(*last) < QUIET => Self::Open,
            () => Self::Quiet,
        }
    }

    /// Whether a person has not seen it yet.
    pub fn is_news(self) -> bool {
        matches!(self, Self::New | Self::CameBack)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_new_then_open_then_quiet_and_may_come_back() {
        let now = 1000 * DAY;
        for (days_ago, status) in [
            (&[3][..], FailureStatus::New),
            (&[20, 3][..], FailureStatus::Open),
            (&[40, 20][..], FailureStatus::Open),
            (&[90, 40][..], FailureStatus::Quiet),
            (&[90, 3][..], FailureStatus::CameBack),
            (&[90, 50, 20][..], FailureStatus::Open),
            (&[][..], FailureStatus::Quiet),
        ] {
            let met: Vec<u64> = days_ago.iter().map(|days| now - days * DAY).collect();
            assert_eq!(FailureStatus::of(&met, now), status, "{days_ago:?}");
        }
    }
}
