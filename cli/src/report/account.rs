//! What failures cost, as two figures that are never added: waste, and development loops.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::unresolved;
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

/// The calls under which a week says little, and the most weeks whose rates are told.
const FEW: u64 = 200;
const WEEKS: i64 = 5;

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
        let known = met_before(analysis, |_| true);
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

    /// The rates of waste in the last weeks, one a week of the calendar, with the Monday of the first: None for a week with few
    /// calls. Nothing where fewer than two say something.
    pub(super) fn trend(&self) -> Option<(String, Vec<Option<f64>>)> {
        let number = |week: &AccountWeek| week_of(&format!("{}T00:00:00.000Z", week.week));
        let rate_in = |wanted: i64| self.weeks.iter().find(|it| number(it) == Some(wanted) && it.calls >= FEW);
        let last = self.weeks.last().and_then(number)?;
        let first = (last - WEEKS + 1..=last).find(|week| rate_in(*week).is_some())?;
        let rates: Vec<_> = (first..=last).map(|it| rate_in(it).map(|week| week.waste.rate(week.calls))).collect();
        (rates.iter().flatten().count() > 1).then(|| (monday(first), rates))
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
        if is_development(episode, met_before) {
            self.development.add(rest);
            self.rounds += u64::from(episode.attempts);
            greens.push(episode.cost.wall_ms);
            if let Some(week) = week {
                week.development.add(rest);
            }
        }
    }
}

fn is_development(episode: &EpisodeSummary, met_before: bool) -> bool {
    episode.category.is_of_check() && !met_before && episode.ended_ts.is_some()
}

/// Of which parts of a report each episode is: `waste` with its kinds, `development`; `open`, where it stands for a check that
/// was not seen to pass.
pub(super) fn parted_episodes(analysis: &Analysis) -> Vec<PartedEpisode<'_>> {
    let known = met_before(analysis, |_| true);
    let open: BTreeSet<_> = unresolved(analysis).into_iter().map(std::ptr::from_ref).collect();
    let parted = |(number, episode)| {
        let (kinds, _, met_before) = waste_of(episode, known.contains(&number));
        let is_open = open.contains(&std::ptr::from_ref(episode));
        let all =
            [("waste", !kinds.is_empty()), ("development", is_development(episode, met_before)), ("open", is_open)];
        let all = all.into_iter().filter_map(|(part, is_it)| is_it.then_some(part));
        PartedEpisode { episode, parts: all.chain(kinds.iter().map(|(kind, _)| *kind)).collect() }
    };
    analysis.episodes.iter().enumerate().map(parted).collect()
}

/// An episode as reports hold it.
#[derive(Serialize)]
pub(super) struct PartedEpisode<'a> {
    #[serde(flatten)]
    episode: &'a EpisodeSummary,
    parts: Vec<&'static str>,
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

/// Of these sessions, as if there were no others, those of episodes that were waste, each with what that cost.
pub(super) fn wasteful<'a>(analysis: &'a Analysis, of: &BTreeSet<&str>) -> impl Iterator<Item = (&'a str, Cost)> {
    let known = met_before(analysis, |session| of.contains(session));
    let is_of = |it: &(usize, &EpisodeSummary)| of.contains(it.1.session.as_str());
    analysis.episodes.iter().enumerate().filter(is_of).filter_map(move |(number, episode)| {
        let (kinds, ..) = waste_of(episode, known.contains(&number));
        let cost = kinds.iter().fold(Cost::default(), |sum, (_, cost)| sum.plus(*cost));
        (!kinds.is_empty()).then_some((episode.session.as_str(), cost))
    })
}

/// The episodes, by their places, whose failure an earlier session of the same project had met, of the sessions that count.
fn met_before(analysis: &Analysis, counts: impl Fn(&str) -> bool) -> BTreeSet<usize> {
    let projects = projects_of(analysis);
    let told: BTreeSet<&str> = analysis.signatures.iter().map(|it| it.signature.as_str()).collect();
    let mut first: BTreeMap<(Option<&str>, &str), &str> = BTreeMap::new();
    let mut known = BTreeSet::new();
    for (number, episode) in analysis.episodes.iter().enumerate() {
        // A signature that is not listed does not say what failed.
        if !told.contains(episode.signature.as_str()) || !counts(&episode.session) {
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

/// The project of each session, by the session's id.
pub(super) fn projects_of(analysis: &Analysis) -> BTreeMap<&str, Option<&str>> {
    analysis.sessions.iter().map(|session| (session.id.as_str(), session.project.as_deref())).collect()
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
    use crate::report::brief::waste;

    #[test]
    fn weeks_are_a_trend_where_they_follow_each_other_and_have_calls() {
        let week = |week: &str, calls, episodes| AccountWeek {
            week: week.to_owned(),
            calls,
            waste: AccountPart { episodes, ..AccountPart::default() },
            ..AccountWeek::default()
        };
        let weeks = vec![
            week("2026-01-05", 5000, 50),
            week("2026-02-02", 21, 2),
            week("2026-02-09", 400, 4),
            week("2026-02-23", 200, 9),
            week("2026-03-02", 30, 1),
        ];
        let mut account = FailureAccount { weeks, ..FailureAccount::default() };
        let trend = Some(("2026-02-09".to_owned(), vec![Some(1.0), None, Some(4.5), None]));
        assert_eq!(account.trend(), trend);
        account.waste.episodes = 1;
        account.all.wall_ms = 400;
        let said = waste(&account);
        assert!(said.contains(" (by week from 2026-02-09: 1.0, few calls, 4.5, few calls)"), "{said}");
        assert!(said.starts_with("0 s; "), "no share of nothing: {said}");
        account.weeks.truncate(3);
        assert_eq!(account.trend(), None, "one week is no trend");
    }

    #[test]
    fn weeks_begin_on_monday() {
        assert_eq!(week_of("2026-02-15T23:59:59.000Z").map(monday).as_deref(), Some("2026-02-09"));
        assert_eq!(week_of("2026-02-16T00:00:00.000Z").map(monday).as_deref(), Some("2026-02-16"));
    }
}
