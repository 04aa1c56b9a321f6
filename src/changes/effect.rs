//! Whether a change that was adopted did any good.

use serde::{Deserialize, Serialize};

use super::ChangeKind;
use super::rank::lies_below;
use super::watch::MetSession;
use crate::model::words;
use crate::score::Share;

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct EffectSide {
    /// Sessions.
    pub sessions: u64,
    /// Failures of all calls of the kind, with the Wilson interval at 95 %.
    #[serde(flatten)]
    pub share: Share,
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
    let (mut before, mut after) = (EffectSide::default(), EffectSide::default());
    for session in sessions.iter().filter(|session| session.project.0 == adopted.project_key) {
        let side = match (session.first, session.last) {
            (first, last) if last < at && at - first <= AROUND_MS => &mut before,
            (first, last) if first >= at && last - at <= AROUND_MS => &mut after,
            _ => continue,
        };
        let calls = match adopted.kind {
            ChangeKind::Tool => session.calls,
            ChangeKind::Path | ChangeKind::Size => session.shell_calls + session.file_calls,
            _ => session.shell_calls,
        };
        let is_it = |kind: ChangeKind, matter: &str| match (adopted.kind, kind) {
            (ChangeKind::Flaky, ChangeKind::Red) => matter == adopted.matter,
            (ChangeKind::Path, ChangeKind::Path) => lies_below(matter, &adopted.matter),
            (wanted, kind) => wanted == kind && matter == adopted.matter,
        };
        let met = session.met.iter().filter(|((kind, matter), _)| is_it(*kind, matter));
        let failures = met.map(|(_, met)| met.failures).sum::<u64>().min(calls);
        side.sessions += 1;
        let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        side.share.all = side.share.all.saturating_add(small(calls));
        side.share.right = side.share.right.saturating_add(small(failures));
    }
    let effect = compared(before, after);
    ChangeEffect { adopted: adopted.clone(), before, after, effect }
}

fn compared(before: EffectSide, after: EffectSide) -> EffectWord {
    let expected = before.share.value().unwrap_or_default() * f64::from(after.share.all);
    let is_few = before.sessions.min(after.sessions) < FEWEST_SESSIONS
        || f64::from(before.share.right) < FEWEST
        || expected < FEWEST;
    match (before.share.interval(), after.share.interval()) {
        _ if is_few => EffectWord::TooFew,
        (Some((low, _)), Some((_, high))) if high < low => EffectWord::Fewer,
        (Some((_, high)), Some((low, _))) if low > high => EffectWord::More,
        _ => EffectWord::Open,
    }
}
