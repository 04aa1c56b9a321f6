//! Whether a change that was adopted did any good.

use serde::{Deserialize, Serialize};

use super::ChangeKind;
use super::rank::lies_below;
use super::watch::MetSession;
use crate::model::words;
use crate::score::Share;
use crate::text::rounded;

/// The most time that is looked at on either side, in milliseconds: four weeks.
const AROUND_MS: u64 = 28 * 24 * 60 * 60 * 1000;
/// With fewer failures before, or fewer that were to be expected after, nothing can be told: none where three are expected
/// happens by chance once in twenty times.
const FEWEST: f64 = 3.0;
/// The fewest sessions on either side: what one session met is one event, however many calls it was.
const FEWEST_SESSIONS: u64 = 2;

/// A change that a person adopted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdoptedChange {
    /// The change.
    pub id: String,
    /// The project's key.
    pub project_key: String,
    /// What people call the project.
    pub project: String,
    /// What recurred.
    pub kind: ChangeKind,
    /// What identifies the matter in its project.
    pub matter: String,
    /// The line or the rule that was written.
    pub text: String,
    /// When, RFC 3339 UTC.
    pub ts: String,
}

words! {
    /// What the comparison says.
    pub enum EffectWord {
        /// Fewer failures: the intervals do not overlap.
        Fewer = "fewer",
        /// More failures: the intervals do not overlap.
        More = "more",
        /// The intervals overlap.
        Open = "no_difference_shown",
        /// Too few sessions or failures to tell.
        TooFew = "too_few",
    }
}

/// One side of the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct EffectSide {
    /// Sessions.
    pub sessions: u64,
    /// Failures.
    pub right: u32,
    /// Calls that could have failed so.
    pub all: u32,
    /// The share of failures; None where there was no call.
    pub share: Option<f64>,
    /// The Wilson interval of it at 95 %, as wide as sessions differ from one another: the calls of one are no proofs of their own.
    pub low: Option<f64>,
    /// See `low`.
    pub high: Option<f64>,
}

impl EffectWord {
    /// What the comparison says, for people.
    pub fn said(self) -> &'static str {
        match self {
            Self::Fewer => "fewer failures",
            Self::More => "more failures",
            Self::Open => "no difference shown",
            Self::TooFew => "too few sessions or failures to tell",
        }
    }
}

impl EffectSide {
    /// How many failed of each hundred calls, with the interval.
    pub fn rate_said(&self) -> String {
        let rates = (self.share, self.low, self.high);
        let (Some(share), Some(low), Some(high)) = rates else { return "none of no calls".to_owned() };
        format!("{:.2} per 100 calls [{:.2} to {:.2}]", share * 100.0, low * 100.0, high * 100.0)
    }

    /// A side by the failures and calls of each of its sessions.
    pub fn of(sessions: &[(u32, u32)]) -> Self {
        let sum = |of: fn(&(u32, u32)) -> u32| sessions.iter().map(of).fold(0, u32::saturating_add);
        let share = Share { right: sum(|it| it.0), all: sum(|it| it.1) };
        let interval = share.interval_of(design(sessions, share));
        Self {
            sessions: sessions.len() as u64,
            right: share.right,
            all: share.all,
            share: share.value().map(rounded),
            low: interval.map(|(low, _)| rounded(low)),
            high: interval.map(|(_, high)| rounded(high)),
        }
    }
}

/// How many times wider the variance is than that of calls that have nothing to do with one another, by how sessions differ.
fn design(sessions: &[(u32, u32)], share: Share) -> f64 {
    let Some(rate) = share.value().filter(|rate| *rate > 0.0 && *rate < 1.0 && sessions.len() > 1) else { return 1.0 };
    let off = |(failures, calls): &(u32, u32)| (f64::from(*failures) - rate * f64::from(*calls)).powi(2);
    let number = f64::from(u32::try_from(sessions.len()).unwrap_or(u32::MAX));
    let between = sessions.iter().map(off).sum::<f64>() * number / (number - 1.0);
    between / (f64::from(share.all) * rate * (1.0 - rate))
}

/// The time before a change was adopted and the time after it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChangeEffect {
    /// The change.
    #[serde(flatten)]
    pub adopted: AdoptedChange,
    /// Sessions that ended before, of at most four weeks.
    pub before: EffectSide,
    /// Sessions that began after, of at most four weeks.
    pub after: EffectSide,
    /// What that says.
    pub effect: EffectWord,
}

/// Compares the sessions before and after a change was adopted, in milliseconds since 1970. A session that was going on then
/// is on neither side.
pub fn effect(sessions: &[MetSession], adopted: &AdoptedChange, at: u64) -> ChangeEffect {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for session in sessions.iter().filter(|session| session.project.0 == adopted.project_key) {
        let side = match (session.first, session.last) {
            (first, last) if last < at && at - first <= AROUND_MS => &mut before,
            (first, last) if first >= at && last - at <= AROUND_MS => &mut after,
            _ => continue,
        };
        let calls = match adopted.kind {
            ChangeKind::Tool => session.calls,
            ChangeKind::Path => session.shell_calls + session.file_calls,
            ChangeKind::Large | ChangeKind::Edit => session.file_calls,
            _ => session.shell_calls,
        };
        let is_it = |kind: ChangeKind, matter: &str| match (adopted.kind, kind) {
            (ChangeKind::Flaky, ChangeKind::Red) => matter == adopted.matter,
            (ChangeKind::Path, ChangeKind::Path) => lies_below(matter, &adopted.matter),
            (wanted, kind) => wanted == kind && matter == adopted.matter,
        };
        let met = session.met.iter().filter(|((kind, matter), _)| is_it(*kind, matter));
        let failures = met.map(|(_, met)| met.failures).sum::<u64>().min(calls);
        let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        side.push((small(failures), small(calls)));
    }
    let (before, after) = (EffectSide::of(&before), EffectSide::of(&after));
    let effect = compared(before, after);
    ChangeEffect { adopted: adopted.clone(), before, after, effect }
}

/// What two sides say; nothing where the counts are too small.
pub fn compared(before: EffectSide, after: EffectSide) -> EffectWord {
    let expected = before.share.unwrap_or_default() * f64::from(after.all);
    let is_few =
        before.sessions.min(after.sessions) < FEWEST_SESSIONS || f64::from(before.right) < FEWEST || expected < FEWEST;
    match (before.low.zip(before.high), after.low.zip(after.high)) {
        _ if is_few => EffectWord::TooFew,
        (Some((low, _)), Some((_, high))) if high < low => EffectWord::Fewer,
        (Some((_, high)), Some((low, _))) if low > high => EffectWord::More,
        _ => EffectWord::Open,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::changes::watch::MetMatter;

    const DAY_MS: u64 = 24 * 60 * 60 * 1000;
    const ADOPTED: u64 = 100 * DAY_MS;

    /// Sessions of sixty calls, of which so many in a hundred meet the matter, and then fail five times.
    fn sessions(draw: &mut impl FnMut() -> u64, number: u64, first: u64, in_hundred: u64) -> Vec<MetSession> {
        let session = |at: u64, meets: bool| {
            let met = MetMatter { failures: 5, ..MetMatter::default() };
            let met = meets.then(|| ((ChangeKind::Form, "gh pr diff --stat".to_owned()), met));
            MetSession {
                first: at,
                last: at + 1,
                shell_calls: 60,
                calls: 60,
                met: met.into_iter().collect(),
                ..MetSession::default()
            }
        };
        (0..number).map(|at| session(first + at * DAY_MS / 2, draw() % 100 < in_hundred)).collect()
    }

    fn said(seed: u64, number: u64, (before, after): (u64, u64)) -> EffectWord {
        let mut state = seed;
        let mut draw = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        };
        let mut all = sessions(&mut draw, number, ADOPTED - 20 * DAY_MS, before);
        all.extend(sessions(&mut draw, number, ADOPTED + DAY_MS, after));
        let adopted = AdoptedChange {
            id: String::new(),
            project_key: String::new(),
            project: String::new(),
            kind: ChangeKind::Form,
            matter: "gh pr diff --stat".to_owned(),
            text: String::new(),
            ts: String::new(),
        };
        effect(&all, &adopted, ADOPTED).effect
    }

    #[test]
    fn a_change_that_does_nothing_is_hardly_ever_praised() {
        let runs = 1_000;
        let said =
            |number, rates| -> Vec<EffectWord> { (0..runs).map(|seed| said(seed * 7 + 1, number, rates)).collect() };
        let share = |all: &[EffectWord], word: EffectWord| all.iter().filter(|it| **it == word).count();
        let same = said(30, (30, 30));
        assert!(share(&same, EffectWord::Fewer) + share(&same, EffectWord::More) <= 50, "5 in 100: {same:?}");
        let mended = said(30, (60, 2));
        assert!(share(&mended, EffectWord::Fewer) >= 900, "{}", share(&mended, EffectWord::Fewer));
        let few = said(1, (60, 2));
        assert_eq!(share(&few, EffectWord::TooFew), 1_000);
    }
}
