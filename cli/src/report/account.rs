//! What failures cost, as two figures that are never added: waste, and development loops.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::model::{Category, Cost};
use crate::replay::{Analysis, EpisodeSummary};
use crate::time::{millis, stamp_of};

/// What the failures of a stretch of time cost.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct FailureAccount {
    /// What all work cost: calls, turns, tokens, time; like waste and loops without sessions of which only sums are known.
    pub all: Cost,
    /// What no development needed.
    pub waste: AccountPart,
    /// Its kinds. A failure that an earlier session of the project had met is `met_before`.
    pub kinds: BTreeMap<&'static str, AccountPart>,
    /// Checks that were red and became green, without the waste in them.
    pub development: AccountPart,
    /// How often those checks failed until they were green.
    pub rounds: u64,
    /// The median time from red to green, in milliseconds; null where nothing became green.
    pub to_green_ms: Option<u64>,
    /// By week, oldest first; only weeks in which a call ended or a failure began.
    pub weeks: Vec<AccountWeek>,
}

/// One of the two figures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct AccountPart {
    /// Failures that it is made of.
    pub episodes: u64,
    /// What they cost.
    #[serde(flatten)]
    pub cost: Cost,
}

/// One week.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct AccountWeek {
    /// Its Monday in UTC, such as `2026-02-09`.
    pub week: String,
    /// Calls that ended.
    pub calls: u64,
    /// Waste in it.
    pub waste: AccountPart,
    /// Development loops in it.
    pub development: AccountPart,
}

impl AccountPart {
    pub(super) fn add(&mut self, cost: Cost) {
        self.episodes += 1;
        self.cost = self.cost.plus(cost);
    }

    /// How many there were for each hundred calls.
    #[expect(clippy::cast_precision_loss, reason = "counts of calls are far below 2^52")]
    pub fn rate(&self, calls: u64) -> f64 {
        if calls == 0 { 0.0 } else { self.episodes as f64 * 100.0 / calls as f64 }
    }
}

/// What a failure that an earlier session had met is called among the kinds of waste.
const MET_BEFORE: &str = "met_before";

impl FailureAccount {
    /// The account of an analysis.
    pub fn of(analysis: &Analysis) -> Self {
        let mut account = Self::default();
        let mut weeks: BTreeMap<i64, AccountWeek> = BTreeMap::new();
        for day in &analysis.days {
            account.all = account.all.plus(Cost {
                calls: day.calls,
                turns: day.turns,
                tokens: day.tokens,
                money: day.money,
                wall_ms: 0,
            });
            if let Some(week) = week_of(&format!("{}T00:00:00.000Z", day.day)) {
                weeks.entry(week).or_default().calls += day.calls;
            }
        }
        for session in analysis.sessions.iter().filter(|session| !session.sums_only) {
            account.all.wall_ms += session.counters.wall_ms;
        }
        let known = met_before(analysis);
        let mut greens = Vec::new();
        for (number, episode) in analysis.episodes.iter().enumerate() {
            let week = episode.first_ts.as_deref().and_then(week_of).map(|week| weeks.entry(week).or_default());
            account.add(episode, known.contains(&number), week, &mut greens);
        }
        greens.sort_unstable();
        account.to_green_ms = greens.get(greens.len() / 2).copied();
        account.weeks =
            weeks.into_iter().map(|(week, counted)| AccountWeek { week: monday(week), ..counted }).collect();
        account
    }

    fn add(
        &mut self,
        episode: &EpisodeSummary,
        known: bool,
        mut week: Option<&mut AccountWeek>,
        greens: &mut Vec<u64>,
    ) {
        let (kinds, rest, met_before) = waste_of(episode, known);
        for (kind, cost) in &kinds {
            self.kinds.entry(*kind).or_default().add(*cost);
        }
        if !kinds.is_empty() {
            let cost = kinds.iter().fold(Cost::default(), |sum, (_, cost)| sum.plus(*cost));
            self.waste.add(cost);
            if let Some(week) = &mut week {
                week.waste.add(cost);
            }
        }
        if episode.category.is_of_check() && !met_before && episode.ended_ts.is_some() {
            self.development.add(rest);
            self.rounds += u64::from(episode.attempts);
            greens.push(episode.cost.wall_ms);
            if let Some(week) = week {
                week.development.add(rest);
            }
        }
    }
}

/// The waste of an episode by its kinds, what it cost beside these of its own, and whether it is waste as a whole because an
/// earlier session had met it.
fn waste_of(episode: &EpisodeSummary, known: bool) -> (Vec<(&'static str, Cost)>, Cost, bool) {
    let wasted = episode.waste.values().copied().fold(Cost::default(), Cost::plus);
    let rest = episode.booked.since(wasted);
    // What is no check and was met before is waste as a whole; of a check, where a test is red in session after session.
    let met_before = known
        && (!episode.category.is_of_check()
            || episode.category == Category::TestFailure && episode.ended.is_unresolved());
    let mut kinds: Vec<(&'static str, Cost)> =
        episode.waste.iter().map(|(kind, cost)| (kind.as_str(), *cost)).collect();
    if met_before && rest != Cost::default() {
        kinds.push((MET_BEFORE, rest));
    }
    (kinds, rest, met_before)
}

/// The sessions of episodes that were waste, each with what that cost.
pub(super) fn wasteful(analysis: &Analysis) -> impl Iterator<Item = (&str, Cost)> {
    let known = met_before(analysis);
    analysis.episodes.iter().enumerate().filter_map(move |(number, episode)| {
        let (kinds, ..) = waste_of(episode, known.contains(&number));
        let cost = kinds.iter().fold(Cost::default(), |sum, (_, cost)| sum.plus(*cost));
        (!kinds.is_empty()).then_some((episode.session.as_str(), cost))
    })
}

/// The episodes, by their places, whose failure an earlier session of the same project had met.
fn met_before(analysis: &Analysis) -> BTreeSet<usize> {
    let projects: BTreeMap<&str, Option<&str>> =
        analysis.sessions.iter().map(|session| (session.id.as_str(), session.project.as_deref())).collect();
    let told: BTreeSet<&str> = analysis.signatures.iter().map(|it| it.signature.as_str()).collect();
    let mut first: BTreeMap<(Option<&str>, &str), &str> = BTreeMap::new();
    let mut known = BTreeSet::new();
    for (number, episode) in analysis.episodes.iter().enumerate() {
        // A signature that is not listed does not say what failed.
        if !told.contains(episode.signature.as_str()) {
            continue;
        }
        let project = projects.get(episode.session.as_str()).copied().flatten();
        let session = *first.entry((project, &episode.signature)).or_insert(&episode.session);
        if session != episode.session {
            known.insert(number);
        }
    }
    known
}

/// The episodes that began in the week of a Monday such as `2026-02-09`.
pub(super) fn episodes_of<'a>(analysis: &'a Analysis, week: &str) -> impl Iterator<Item = &'a EpisodeSummary> {
    let wanted = week_of(&format!("{week}T00:00:00.000Z"));
    analysis.episodes.iter().filter(move |it| wanted.is_some() && it.first_ts.as_deref().and_then(week_of) == wanted)
}

/// The week of a moment, counted from that of 1970-01-05, a Monday.
fn week_of(ts: &str) -> Option<i64> {
    const WEEK_MS: i64 = 7 * DAY_MS;
    Some((millis(ts)? - 4 * DAY_MS).div_euclid(WEEK_MS))
}

fn monday(week: i64) -> String {
    let text = stamp_of(week * 7 * DAY_MS + 4 * DAY_MS).unwrap_or_default();
    text.get(..10).unwrap_or_default().to_owned()
}

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weeks_begin_on_monday() {
        assert_eq!(week_of("2026-02-15T23:59:59.000Z").map(monday).as_deref(), Some("2026-02-09"));
        assert_eq!(week_of("2026-02-16T00:00:00.000Z").map(monday).as_deref(), Some("2026-02-16"));
    }
}
