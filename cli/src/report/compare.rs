//! A stretch of time beside the one before it: what failed, and what was wasted.

use std::collections::BTreeMap;

use serde::Serialize;

use super::account::{AccountPart, wasteful};
use super::brief::{BriefLine, rate_and_price_of};
use crate::changes::{EffectSide, EffectWord, compared};
use crate::model::Money;
use crate::replay::{Analysis, SessionSummary};
use crate::text::{count, many, one_line};
use crate::time::{millis, stamp_of, wall_day};

/// The sessions that ended before a moment beside those that began after it. One that was going on then is on neither side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TimeComparison {
    /// The moment, RFC 3339 UTC.
    pub at: String,
    /// Sessions that ended before it.
    pub before: ComparedSide,
    /// Sessions that began after it.
    pub after: ComparedSide,
    /// How many sessions went on across it, and are on neither side.
    pub across: u64,
    /// What the rates of failed calls say.
    pub failed: EffectWord,
    /// What the rates of waste say.
    pub wasted: EffectWord,
}

/// One side of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedSide {
    /// When its first session began and its last one ended; null where there is none.
    pub first_ts: Option<String>,
    /// See `first_ts`.
    pub last_ts: Option<String>,
    /// Failed calls of all calls.
    pub failed: EffectSide,
    /// Failures that were waste, of all calls.
    pub wasted: EffectSide,
    /// What that waste cost.
    pub waste: AccountPart,
}

impl TimeComparison {
    /// Compares what an analysis holds before `at` with what it holds after it, in milliseconds since 1970; of what came before
    /// only what began at `from` or later.
    pub fn of(analysis: &Analysis, from: Option<i64>, at: i64) -> Self {
        let time = |ts: &Option<String>| ts.as_deref().and_then(millis);
        let all = |is_it: &dyn Fn(Option<i64>, Option<i64>) -> bool| {
            let whole = analysis.sessions.iter().filter(|it| !it.sums_only);
            whole.filter(|it| is_it(time(&it.started), time(&it.ended))).collect::<Vec<_>>()
        };
        let before = all(&|began, ended| ended.is_some_and(|ended| ended < at) && began >= from);
        let after = all(&|began, _| began.is_some_and(|began| began >= at));
        let across = all(&|began, ended| began.is_some_and(|began| began < at) && ended >= Some(at)).len() as u64;
        let (before, after) = (ComparedSide::of(analysis, &before), ComparedSide::of(analysis, &after));
        Self {
            at: stamp_of(at).unwrap_or_default(),
            across,
            failed: compared(before.failed, after.failed),
            wasted: compared(before.wasted, after.wasted),
            before,
            after,
        }
    }

    /// It in three lines.
    pub(super) fn lines(&self) -> Vec<BriefLine> {
        let (failed, wasted) = (self.failed.said(), self.wasted.said());
        let said = if failed == wasted {
            format!("failed calls and waste: {failed}")
        } else {
            format!("failed calls: {failed}; waste: {wasted}")
        };
        let money = (self.before.waste.cost.plus(self.after.waste.cost).money != Money::default())
            .then(|| format!("; waste cost {} per 100 calls, then {}", self.before.price(), self.after.price()));
        let across = match self.across {
            0 => String::new(),
            number => format!("; {} across that moment on neither side", many(number, "session", "sessions")),
        };
        let said = format!("{said}{}{across}", money.unwrap_or_default());
        vec![("before", self.before.said()), ("after", self.after.said()), ("compared", said)]
    }
}

impl ComparedSide {
    /// What a side knew before is what its own sessions had met: else the later one would know more, and be dearer by that.
    fn of(analysis: &Analysis, sessions: &[&SessionSummary]) -> Self {
        let mut waste: BTreeMap<&str, AccountPart> = BTreeMap::new();
        for (session, cost) in wasteful(analysis, &sessions.iter().map(|it| it.id.as_str()).collect()) {
            waste.entry(session).or_default().add(cost);
        }
        let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let of_all = |part: &dyn Fn(&SessionSummary) -> u64| {
            let pairs = sessions.iter().map(|it| (small(part(it).min(it.counters.calls)), small(it.counters.calls)));
            EffectSide::of(&pairs.collect::<Vec<_>>())
        };
        let own = |session: &SessionSummary| waste.get(session.id.as_str()).copied().unwrap_or_default();
        let both = |sum: AccountPart, part: AccountPart| AccountPart {
            episodes: sum.episodes + part.episodes,
            cost: sum.cost.plus(part.cost),
        };
        Self {
            first_ts: sessions.iter().filter_map(|it| it.started.clone()).min(),
            last_ts: sessions.iter().filter_map(|it| it.ended.clone()).max(),
            failed: of_all(&|it| it.counters.failed),
            wasted: of_all(&|it| own(it).episodes),
            waste: sessions.iter().map(|it| own(it)).fold(AccountPart::default(), both),
        }
    }

    /// What the waste in a hundred calls cost.
    fn price(&self) -> Money {
        let all = u64::from(self.failed.all).max(1);
        Money::of_nano_dollars(self.waste.cost.money.nano_dollars().saturating_mul(100) / all)
    }

    fn said(&self) -> String {
        let day = |ts: &Option<String>| one_line(&ts.as_deref().map_or_else(|| "no day".to_owned(), wall_day), 20);
        if self.failed.all == 0 {
            return "no session with a call".to_owned();
        }
        format!(
            "{} to {}: {}, {} calls; failed {}; waste {}",
            day(&self.first_ts),
            day(&self.last_ts),
            many(self.failed.sessions, "session", "sessions"),
            count(u64::from(self.failed.all)),
            self.failed.rate_said(),
            rate_and_price_of(&self.waste, u64::from(self.failed.all)),
        )
    }
}
