//! A week to be sent: this one beside the last, what adopted changes did, and the changes to make, as ten lines of Markdown.

use std::collections::{BTreeMap, BTreeSet};

use super::account::{AccountWeek, FailureAccount};
use super::brief::rate_and_price_of;
use super::markdown::prose;
use super::{ReportLead, episodes_of};
use crate::replay::Analysis;
use crate::text::{count, many, one_line};

/// The most adopted changes, changes to make with what costs the team, and people that are named.
const MOST_ADOPTED: usize = 2;
const MOST_CHANGES: usize = 3;
const MOST_PEOPLE: usize = 6;

/// The newest week of an analysis beside the one before it. `adopted`: what changes that were made did, a sentence each.
pub fn week(analysis: &Analysis, lead: &ReportLead, adopted: &[String]) -> String {
    let account = FailureAccount::of(analysis);
    let (mut weeks, empty) = (account.weeks.iter().rev(), AccountWeek::default());
    let this = weeks.next().unwrap_or(&empty);
    let last = weeks.next().filter(|last| is_next(&last.week, &this.week)).unwrap_or(&empty);
    let last_day = analysis.generated_from.last_ts.as_deref().and_then(|ts| ts.get(..10));
    if this.week.is_empty() {
        return "No week to tell of: no call is in what was named.\n".to_owned();
    }
    let span = match (this.week.as_str(), last_day) {
        (monday, Some(day)) if day > monday => format!("{monday} to {}", one_line(day, 20)),
        (monday, _) => monday.to_owned(),
    };
    let mut lines = vec![format!("## What failures cost from {span}, next to the whole week before\n")];
    let team = lead.team.iter().take(1);
    lines.extend(team.clone().map(|it| format!("- Team: {}", prose(&it.said()))));
    lines.push(format!("- Calls: {}; the week before {}", count(this.calls), count(last.calls)));
    let beside = |of: fn(&AccountWeek) -> &super::AccountPart| {
        let told = |week: &AccountWeek| rate_and_price_of(of(week), week.calls);
        format!("{}; the week before {}", told(this), told(last))
    };
    lines.push(format!("- Waste: {}", beside(|week| &week.waste)));
    lines.push(format!("- Development loops: {}", beside(|week| &week.development)));
    lines.extend(by_person(analysis, &this.week));
    lines.extend(adopted.iter().take(MOST_ADOPTED).map(|said| format!("- Adopted: {}", prose(said))));
    lines.extend(
        lead.lessons
            .iter()
            .take(MOST_CHANGES - team.len())
            .map(|lesson| format!("- Change: {}", prose(&lesson.said()))),
    );
    lines.join("\n") + "\n"
}

/// Whether a Monday is the one a week before another.
fn is_next(last: &str, this: &str) -> bool {
    let day = |text: &str| crate::time::millis(&format!("{text}T00:00:00.000Z"));
    day(last).zip(day(this)).is_some_and(|(last, this)| this - last == 7 * 24 * 60 * 60 * 1000)
}

/// Of several people, how many failures each had in the week, and in how many sessions.
fn by_person(analysis: &Analysis, monday: &str) -> Option<String> {
    let people: BTreeMap<&str, &str> =
        analysis.sessions.iter().filter_map(|it| Some((it.id.as_str(), it.person.as_deref()?))).collect();
    let names: BTreeSet<&str> = people.values().copied().collect();
    if names.len() < 2 {
        return None;
    }
    let mut failures: BTreeMap<&str, (u64, BTreeSet<&str>)> =
        names.iter().map(|name| (*name, (0, BTreeSet::new()))).collect();
    for episode in episodes_of(analysis, monday) {
        let Some(of) = people.get(episode.session.as_str()).and_then(|name| failures.get_mut(name)) else { continue };
        of.0 += 1;
        of.1.insert(&episode.session);
    }
    let mut rows: Vec<_> = failures.into_iter().collect();
    rows.sort_by_key(|(name, (number, _))| (std::cmp::Reverse(*number), *name));
    let told = rows.iter().take(MOST_PEOPLE).map(|(name, (number, sessions))| {
        format!("{} {} in {}", prose(name), count(*number), many(sessions.len() as u64, "session", "sessions"))
    });
    let more = rows.len().saturating_sub(MOST_PEOPLE);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    Some(format!("- Failures by person: {}{more}", told.collect::<Vec<_>>().join(", ")))
}
