//! What recurs in several sessions of a project, the dearest first.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::line::{LineFacts, line_of};
use super::matter::{form_name, name_of, ran_name};
use super::watch::{MetCall, MetMatter, MetSession};
use super::{ChangeAct, ChangeEvidence, ChangeKind, ProjectChange};
use crate::digest::{checksum, hex16};
use crate::knowledge::HALF_LIFE_MS;
use crate::model::Cost;
use crate::time::stamp_at;

/// The most lines of a project, and the most rules.
pub const MOST_CHANGES: usize = 7;
/// What happened in one session only is no pattern.
const FEWEST_SESSIONS: usize = 2;
/// The same of what may be broken or missing for the time being.
const FEWEST_BROKEN: usize = 3;
/// Of how many sessions of a project one has to meet it: what two of 150 met is not worth a line that all of them read.
const ONE_IN: usize = 50;
/// So many sessions more stand for those not seen: what two of two met is no certainty.
const UNSEEN_SESSIONS: usize = 4;
/// The most turns of one failure that count for the order: a change ends what recurs, and no one long search.
const MOST_TURNS: u64 = 10;

/// The changes of each project, first what costs most and is likely to come again: avoidable money, of which half counts after
/// [`HALF_LIFE_MS`], by the chance that the next session meets it. `now` is in milliseconds since 1970; `is_wanted` leaves out what a project says already, or what is true no longer. Of each project at
/// most [`MOST_CHANGES`] lines and as many rules.
pub fn changes(sessions: &[MetSession], now: u64, is_wanted: impl Fn(&ProjectChange) -> bool) -> Vec<ProjectChange> {
    let mut projects: BTreeMap<&str, Vec<&MetSession>> = BTreeMap::new();
    for session in sessions {
        projects.entry(&session.project.0).or_default().push(session);
    }
    let turn = price_of_turn(sessions);
    let mut all: Vec<(f64, ProjectChange)> = Vec::new();
    for of_project in projects.values() {
        let mut ranked: Vec<(f64, ProjectChange)> = recurring(of_project)
            .iter()
            .filter_map(|(key, met)| ranked_change(of_project, key, met, (now, turn)))
            .collect();
        ranked.retain(|(_, change)| is_wanted(change));
        ranked.sort_by(dearest_first);
        let (mut lines, mut rules) = (0, 0);
        ranked.retain(|(_, change)| {
            let number = if change.act == ChangeAct::Rule { &mut rules } else { &mut lines };
            *number += 1;
            *number <= MOST_CHANGES
        });
        all.extend(ranked);
    }
    all.sort_by(dearest_first);
    all.into_iter().map(|(_, change)| change).collect()
}

/// By what they weigh. What checks find is work to be done all the same, and no waste: it follows what is.
fn dearest_first((one, first): &(f64, ProjectChange), (other, second): &(f64, ProjectChange)) -> Ordering {
    second.is_waste.cmp(&first.is_waste).then_with(|| other.total_cmp(one)).then_with(|| first.id.cmp(&second.id))
}

/// What sessions met of one matter.
type MetBy<'a> = Vec<(&'a MetSession, &'a MetMatter)>;

/// The matters of a project, paths below a folder that is not there joined to that folder. What worked later is left out.
fn recurring<'a>(sessions: &[&'a MetSession]) -> BTreeMap<(ChangeKind, String), MetBy<'a>> {
    let mut worked: BTreeMap<u64, u64> = BTreeMap::new();
    for (name, at) in sessions.iter().flat_map(|session| &session.worked) {
        let last = worked.entry(*name).or_default();
        *last = (*last).max(*at);
    }
    let worked_at = |name: &str| worked.get(&checksum(name.as_bytes())).copied();
    let is_missing = |key: &(ChangeKind, String), met: &MetMatter| {
        let is_gone = worked_at(&key.1).is_none_or(|worked| worked < met.last);
        key.0 == ChangeKind::Path && met.is_folder && is_gone
    };
    let all = || sessions.iter().flat_map(|session| session.met.iter().map(move |(key, met)| (*session, key, met)));
    let folders: BTreeSet<&str> =
        all().filter(|(_, key, met)| is_missing(key, met)).map(|(_, key, _)| key.1.as_str()).collect();
    let all_sessions = sessions.iter().map(|session| session.session.as_str()).collect::<BTreeSet<_>>().len();
    let mut matters: BTreeMap<(ChangeKind, String), MetBy<'a>> = BTreeMap::new();
    for (session, key, met) in all() {
        let folder = folders.iter().find(|folder| key.0 == ChangeKind::Path && lies_below(&key.1, folder));
        let key = folder.map_or_else(|| key.clone(), |folder| (ChangeKind::Path, (*folder).to_owned()));
        matters.entry(key).or_default().push((session, met));
    }
    matters.retain(|key, met| {
        let last = met.iter().map(|(_, met)| met.last).max().unwrap_or_default();
        let sessions: BTreeSet<&str> = met.iter().map(|(session, _)| session.session.as_str()).collect();
        let is_over = name_of(key.0, &key.1).and_then(|name| worked_at(&name)).is_some_and(|worked| worked >= last);
        // What a hook refuses never worked.
        let is_at_times = key.0 == ChangeKind::Blocked && worked_at(&form_name(&key.1)).is_some();
        let works_otherwise = || met.iter().any(|(_, met)| !met.works.is_empty());
        let fewest = match key.0 {
            ChangeKind::Stray | ChangeKind::Glob | ChangeKind::Edit | ChangeKind::LintRule => FEWEST_BROKEN,
            ChangeKind::Program | ChangeKind::Form if !works_otherwise() => FEWEST_BROKEN,
            _ => FEWEST_SESSIONS,
        };
        let fewest = fewest.max(all_sessions.div_ceil(ONE_IN));
        let is_doubled = key.0 == ChangeKind::Path && is_doubled(&key.1, |path| worked_at(path).is_some());
        sessions.len() >= fewest && !is_over && !is_at_times && !is_doubled
    });
    matters
}

/// Whether a path is one that is there, given from a folder below: `a/b/a/b/c`. The folder was wrong, and not the path.
fn is_doubled(path: &str, is_there: impl Fn(&str) -> bool) -> bool {
    let first = path.split('/').next().unwrap_or_default();
    let begins_again = |at: usize| {
        let (before, again) = (&path[..at], &path[at + 1..]);
        again.split('/').next() == Some(first) && again.contains('/') && is_there(before) && is_there(again)
    };
    path.match_indices('/').any(|(at, _)| begins_again(at))
}

/// Whether a path is this folder or lies in it.
pub(super) fn lies_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn ranked_change(
    sessions: &[&MetSession],
    (kind, matter): &(ChangeKind, String),
    met: &MetBy<'_>,
    (now, turn): (u64, f64),
) -> Option<(f64, ProjectChange)> {
    let kind = match kind {
        ChangeKind::Red if met.iter().any(|(_, met)| met.passed > 0) => ChangeKind::Flaky,
        ChangeKind::Red if met.iter().filter(|(_, met)| met.untouched).count() < FEWEST_SESSIONS => return None,
        kind => *kind,
    };
    let mut works: BTreeMap<&str, u64> = BTreeMap::new();
    for (form, number) in met.iter().flat_map(|(_, met)| &met.works) {
        *works.entry(form).or_default() += number;
    }
    let fewest = match kind {
        ChangeKind::Wrapper | ChangeKind::HookRule => FEWEST_SESSIONS as u64,
        ChangeKind::LintRule => FEWEST_BROKEN as u64,
        _ => u64::MAX,
    };
    let mut rules: Vec<(&str, u64)> = works.iter().map(|(rule, number)| (*rule, *number)).collect();
    rules.retain(|(_, number)| *number >= fewest);
    rules.sort_by_key(|(_, number)| std::cmp::Reverse(*number));
    let rules: Vec<&str> = rules.into_iter().map(|(rule, _)| rule).collect();
    // What broke none of them is no evidence of the line.
    let breaks = |met: &MetMatter| fewest == u64::MAX || met.works.keys().any(|rule| rules.contains(&rule.as_str()));
    let met: &MetBy<'_> = &met.iter().filter(|(_, met)| breaks(met)).copied().collect();
    let works = works.into_iter().filter(|(form, _)| kind != ChangeKind::Path || has_worked(sessions, form));
    let works = works.max_by_key(|(form, number)| (*number, std::cmp::Reverse(form.len()))).map(|(form, _)| form);
    let is_folder = met.iter().any(|(_, met)| met.is_folder);
    let took_ms = met.iter().map(|(_, met)| met.took_ms).max().unwrap_or_default();
    let is_rule = kind.act() == ChangeAct::Rule;
    let has_run = kind == ChangeKind::Program && has_worked(sessions, &ran_name(matter));
    let facts = LineFacts { works, is_folder, has_run, took_ms, rules: &rules };
    let line = if is_rule { None } else { Some(line_of(kind, matter, facts)?) };
    let cost = met.iter().fold(Cost::default(), |sum, (_, met)| sum.plus(met.cost));
    let first = met.iter().map(|(_, met)| met.first).min().unwrap_or_default();
    let last = met.iter().map(|(_, met)| met.last).max().unwrap_or_default();
    let mut calls: Vec<_> = met.iter().flat_map(|(_, met)| &met.calls).cloned().collect();
    calls.sort();
    calls.reverse();
    let failed_calls = calls.iter().filter_map(|call: &MetCall| call.tool_use_id.clone()).collect();
    calls.truncate(ChangeEvidence::MOST_CALLS);
    let (key, name) = met.first().map(|(session, _)| session.project.clone())?;
    let distinct: BTreeSet<&str> = met.iter().map(|(session, _)| session.session.as_str()).collect();
    let change = ProjectChange {
        id: hex16(&[&key, kind.as_str(), matter]).get(..8)?.to_owned(),
        project: name,
        kind,
        // Where another form does the work, nobody has to install anything.
        act: if kind == ChangeKind::Program && works.is_some() { ChangeAct::Line } else { kind.act() },
        line,
        rule: is_rule.then(|| matter.clone()),
        evidence: ChangeEvidence {
            sessions: distinct.len() as u64,
            failures: met.iter().map(|(_, met)| met.failures).sum(),
            cost,
            first_ts: stamp_at(first),
            last_ts: stamp_at(last),
            calls,
        },
        // What a hook refuses is known before.
        is_waste: kind == ChangeKind::HookRule || met.iter().any(|(_, met)| met.is_waste),
        failed_calls,
        matter: matter.clone(),
        project_key: key,
    };
    let money: f64 = met.iter().map(|(_, met)| weight(met, now, turn)).sum();
    Some((money * chance_of_next(sessions, distinct.len(), last), change))
}

/// How likely the next session of a project meets what so many of them met, for the last time `last`: their share, and the
/// less the more sessions began since without it.
#[expect(clippy::cast_precision_loss, reason = "the sessions of a project are few")]
fn chance_of_next(sessions: &[&MetSession], met: usize, last: u64) -> f64 {
    let number = |since: u64| {
        let begun = sessions.iter().filter(|session| session.first >= since);
        begun.map(|session| session.session.as_str()).collect::<BTreeSet<_>>().len()
    };
    let share = met as f64 / (number(0) + UNSEEN_SESSIONS) as f64;
    share * (1.0 - share).powf(number(last + 1) as f64)
}

/// Whether a name is among what worked in a session.
fn has_worked(sessions: &[&MetSession], name: &str) -> bool {
    let name = checksum(name.as_bytes());
    sessions.iter().any(|session| session.worked.contains_key(&name))
}

/// What a session spent on a matter, as far as it counts now: the money of its turns, and for those without a price what a
/// turn costs on the whole. `turn`: that price in nano-dollars, 1 where no price is known.
#[expect(clippy::cast_precision_loss, reason = "turns, prices and times of people's sessions are small")]
fn weight(met: &MetMatter, now: u64, turn: f64) -> f64 {
    let counted = met.cost.turns.clamp(met.failures, met.failures.saturating_mul(MOST_TURNS)) as f64;
    let price = match (met.cost.money.nano_dollars(), met.cost.turns) {
        (0, _) | (_, 0) => turn,
        (money, turns) => money as f64 / turns as f64,
    };
    let age = now.saturating_sub(met.last) as f64 / HALF_LIFE_MS as f64;
    counted * price * 0.5_f64.powf(age)
}

/// What a turn of all that was met costs, in nano-dollars; 1 where no price is known.
#[expect(clippy::cast_precision_loss, reason = "turns and prices of people's sessions are small")]
fn price_of_turn(sessions: &[MetSession]) -> f64 {
    let costs = sessions.iter().flat_map(|session| session.met.values()).map(|met| met.cost);
    let priced = costs.filter(|cost| cost.turns > 0 && cost.money.nano_dollars() > 0);
    let sum = priced.fold(Cost::default(), Cost::plus);
    if sum.turns == 0 { 1.0 } else { sum.money.nano_dollars() as f64 / sum.turns as f64 }
}
