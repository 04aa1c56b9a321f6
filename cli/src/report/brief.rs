//! The few lines that matter: of many sessions, and of one as a morning digest.

use std::collections::BTreeMap;

use super::hosts::clients;
use super::{AccountPart, FailureAccount, ReportLead, SHOWN_ID, call_of, dearest, dearness, session, unresolved};
use crate::model::{Cost, Money};
use crate::replay::{Analysis, EpisodeSummary, Loop, WasteKind};
use crate::text::{count, many, one_line, share, short, spoken, start};
use crate::time::{clock_name, duration, minute, wall_day};

/// A line of a digest: its name, and what it says.
pub type BriefLine = (&'static str, String);

/// The width that a call or an error may take in a line of text.
const CALL: usize = 60;
const ERROR: usize = 80;

/// What sessions come to, in at most eleven lines, and the changes to make before them.
pub fn brief(analysis: &Analysis, lead: &ReportLead) -> Vec<BriefLine> {
    let totals = &analysis.totals;
    let mut lines = leading(lead);
    lines.extend(lead.comparison.iter().flat_map(super::TimeComparison::lines));
    lines.push(("read", read(analysis)));
    if analysis.totals.calls == 0 {
        return lines;
    }
    if analysis.totals.failed == 0 {
        lines.push(("failed", format!("nothing, in {}", many(totals.calls, "call", "calls"))));
        return lines;
    }
    lines.push(("failed", failures(analysis)));
    lines.extend(clients(analysis));
    let account = FailureAccount::of(analysis);
    lines.push(("waste", waste(&account)));
    lines.push(("development", development(&account)));
    lines.extend(never_passed(analysis).map(|text| ("unresolved", text)));
    lines.extend(loops(analysis).map(|text| ("loops", text)));
    lines.extend(guard(analysis).map(|text| ("guard", text)));
    lines.push(("mostly", kinds_of_error(analysis, 4)));
    lines.extend(returning(analysis).map(|text| ("returns", text)));
    lines.extend(dearest(analysis).first().map(|episode| ("costliest", episode_line(analysis, episode))));
    lines
}

/// What a stretch of time came to beside the one before it, in at most ten lines, the changes to make first. `before` is named
/// as people say it: `the 30 days before`.
pub fn overview(now: &Analysis, before: (&str, &Analysis), lead: &ReportLead) -> Vec<BriefLine> {
    let mut lines = leading(lead);
    lines.push(("read", read_by_project(now)));
    if now.totals.failed == 0 {
        lines.push(("failed", format!("nothing, in {}", many(now.totals.calls, "call", "calls"))));
        return lines;
    }
    let (account, earlier) = (FailureAccount::of(now), FailureAccount::of(before.1));
    lines.push(("failed", failures(now)));
    lines.extend(clients(now));
    lines.push(("waste", waste_beside(&account, before.0, &earlier)));
    lines.push(("development", development(&account)));
    lines.extend(never_passed(now).map(|text| ("unresolved", text)));
    lines.extend(dearest(now).first().map(|episode| ("costliest", episode_line(now, episode))));
    lines
}

/// What was wasted, in a clause; None where no price is known.
pub fn headline(analysis: &Analysis) -> Option<String> {
    let account = FailureAccount::of(analysis);
    let (all, own) = (account.all.money, account.waste.cost.money);
    let of_all = share(own.nano_dollars(), all.nano_dollars());
    (all != Money::default()).then(|| format!("{own} wasted, {of_all} of {all} spent"))
}

/// What costs the team most, and the changes to make.
fn leading(lead: &ReportLead) -> Vec<BriefLine> {
    let team = lead.team.first().map(|it| ("team", it.said()));
    team.into_iter().chain(lead.lessons.iter().map(|lesson| ("change", lesson.said()))).collect()
}

/// How many sessions were read, by the projects with most of them.
fn read_by_project(analysis: &Analysis) -> String {
    const MOST: usize = 4;
    let mut projects: BTreeMap<&str, u64> = BTreeMap::new();
    for name in analysis.sessions.iter().filter_map(|it| it.project.as_deref()) {
        *projects.entry(name).or_default() += 1;
    }
    let unnamed = analysis.sessions.iter().filter(|it| it.project.is_none()).count();
    let mut projects: Vec<(&str, u64)> = projects.into_iter().collect();
    projects.sort_by_key(|(name, sessions)| (std::cmp::Reverse(*sessions), *name));
    let mut named: Vec<String> =
        projects.iter().take(MOST).map(|(name, number)| format!("{} {}", one_line(name, 40), count(*number))).collect();
    if projects.len() > MOST {
        named.push(format!("{} more", projects.len() - MOST));
    }
    if unnamed > 0 {
        named.push(format!("{unnamed} without one"));
    }
    let number = projects.len() as u64;
    let sessions = many(analysis.generated_from.sessions, "session", "sessions");
    format!("{sessions} of {}: {}", many(number, "project", "projects"), named.join(", "))
}

/// The waste of a stretch of time, and its rate and price beside those of the one before.
fn waste_beside(account: &FailureAccount, named: &str, earlier: &FailureAccount) -> String {
    if account.waste.episodes == 0 {
        return format!("none; {}", rate_and_price(named, earlier));
    }
    let (rate, beside) = (rate(account), rate_and_price(named, earlier));
    format!("{}; {rate}; {beside}; mostly {}", part(account, &account.waste), kinds_of(account))
}

fn rate_and_price(named: &str, account: &FailureAccount) -> String {
    if account.all.calls == 0 {
        return format!("no session of {named}");
    }
    format!("{named} {}", rate_and_price_of(&account.waste, account.all.calls))
}

/// How often a part was met, and what it came to: in money where prices are known, else in tokens.
pub(super) fn rate_and_price_of(part: &AccountPart, calls: u64) -> String {
    let cost = part.cost;
    let price = if cost.money == Money::default() {
        format!("{} tokens", short(cost.tokens.total()))
    } else {
        cost.money.to_string()
    };
    format!("{:.1} failures per 100 calls and {price}", part.rate(calls))
}

/// How many failures were waste, for each hundred calls.
fn rate(account: &FailureAccount) -> String {
    format!("{:.1} wasteful failures per 100 calls", account.waste.rate(account.all.calls))
}

/// One session: what failed, what is still open, what it cost and what to do first.
pub fn digest(analysis: &Analysis) -> Vec<BriefLine> {
    let mut lines: Vec<BriefLine> =
        analysis.sessions.last().map(|it| ("session", session_line(it))).into_iter().collect();
    if analysis.totals.failed == 0 {
        lines.push(("failed", format!("nothing, in {}", many(analysis.totals.calls, "call", "calls"))));
        return lines;
    }
    lines.push(("failed", failures(analysis)));
    lines.push(("mostly", kinds_of_error(analysis, 4)));
    let open = unresolved(analysis);
    lines.extend(open.iter().take(OPEN).map(|episode| ("open", open_line(episode))));
    if open.len() > OPEN {
        lines.push(("", format!("and {} more", open.len() - OPEN)));
    }
    if open.is_empty() {
        lines.push(("open", "nothing: no check was left failing".to_owned()));
    }
    let mut worst: Vec<&Loop> = analysis.loops.iter().collect();
    worst.sort_by_key(|it| std::cmp::Reverse(dearness(it.cost)));
    lines.extend(worst.first().map(|it| ("loop", loop_line(it))));
    let account = FailureAccount::of(analysis);
    lines.push(("waste", waste(&account)));
    lines.push(("development", development(&account)));
    lines.extend(guard(analysis).map(|text| ("guard", text)));
    lines.extend(open.first().map(|episode| {
        let call = one_line(&call_of(episode), CALL);
        ("do first", format!("{}; failwise show {}", open_step(episode, &call), episode.id))
    }));
    lines
}

/// The most open episodes that a digest names.
const OPEN: usize = 8;

fn read(analysis: &Analysis) -> String {
    let from = &analysis.generated_from;
    let mut projects: Vec<&str> = analysis.sessions.iter().filter_map(|it| it.project.as_deref()).collect();
    projects.sort_unstable();
    projects.dedup();
    let sessions = many(from.sessions, "session", "sessions");
    let projects = match projects.len() as u64 {
        0 => String::new(),
        number => format!(" of {}", many(number, "project", "projects")),
    };
    let day = |ts: &str| one_line(&wall_day(ts), 20);
    let span = from.first_ts.as_deref().zip(from.last_ts.as_deref());
    let span = span.map(|(first, last)| format!(", {} to {}", day(first), day(last))).unwrap_or_default();
    format!("{sessions}{projects}{span}")
}

/// How many calls failed, and how many of them nobody saw.
pub(super) fn failures(analysis: &Analysis) -> String {
    let totals = &analysis.totals;
    let calls = many(totals.calls, "call", "calls");
    let text = format!("{} of {calls} ({})", count(totals.failed), share(totals.failed, totals.calls));
    match totals.masked {
        0 => text,
        masked => format!("{text}, {} of them behind an exit status of 0", count(masked)),
    }
}

/// What no development needed: its share, what it came to, how often, and of which kinds it was mostly.
pub(super) fn waste(account: &FailureAccount) -> String {
    if account.waste.episodes == 0 {
        return "none".to_owned();
    }
    let rate = rate(account);
    let said = |rate: &Option<f64>| rate.map_or("few calls".to_owned(), |rate| format!("{rate:.1}"));
    let weeks = |rates: &[Option<f64>]| rates.iter().map(said).collect::<Vec<_>>().join(", ");
    let trend = account.trend().map(|(monday, rates)| format!(" (by week from {monday}: {})", weeks(&rates)));
    let trend = trend.unwrap_or_default();
    format!("{}; {rate}{trend}; mostly {}", part(account, &account.waste), kinds_of(account))
}

/// The costliest kinds of waste, with how often each was met.
fn kinds_of(account: &FailureAccount) -> String {
    let mut kinds: Vec<_> = account.kinds.iter().collect();
    kinds.sort_by_key(|(kind, part)| (std::cmp::Reverse((part.cost.turns, part.episodes)), **kind));
    let kinds = kinds.iter().take(2).map(|(kind, part)| {
        let (one, more) = kind_words(kind);
        many(part.episodes, one, more)
    });
    kinds.collect::<Vec<_>>().join(", ")
}

/// A kind of waste, for people: one, and several.
fn kind_words(kind: &str) -> (&'static str, &'static str) {
    match WasteKind::from_word(kind) {
        Some(WasteKind::Usage) => ("usage error", "usage errors"),
        Some(WasteKind::UnchangedRetry) => ("unchanged retry", "unchanged retries"),
        Some(WasteKind::Loop) => ("loop", "loops"),
        Some(WasteKind::DeadHost) => ("host that did not answer", "hosts that did not answer"),
        Some(WasteKind::CancelledSibling) => ("failure that cancelled calls", "failures that cancelled calls"),
        None => ("other repeated failure", "other repeated failures"),
    }
}

/// Checks that were red and became green.
pub(super) fn development(account: &FailureAccount) -> String {
    let Some(to_green) = account.to_green_ms else { return "no check went from red to green".to_owned() };
    let checks = many(account.development.episodes, "check", "checks");
    let times = many(account.rounds, "time", "times");
    let half = if account.development.episodes == 1 { "" } else { ", half of them" };
    let green = duration(to_green);
    format!(
        "{checks} failed {times} and became green{half} within {green}: {}; work, and no part of the waste",
        part(account, &account.development)
    )
}

/// What it came to, and its share of all that was spent: of the money, where prices are known, else of the tokens, else of the
/// time.
fn part(account: &FailureAccount, part: &AccountPart) -> String {
    let (all, own) = (account.all, part.cost);
    let time = duration(own.wall_ms);
    if all.tokens.total() == 0 {
        // A share of what is shown as nothing says nothing.
        if all.wall_ms < 1000 {
            return time;
        }
        return format!("{time}, {} of {} spent", share(own.wall_ms, all.wall_ms), duration(all.wall_ms));
    }
    let spent = format!("{} tokens, {}, {time}", short(own.tokens.total()), many(own.turns, "turn", "turns"));
    if all.money == Money::default() {
        let (part, whole) = (own.tokens.total(), all.tokens.total());
        return format!("{spent}, {} of {} tokens spent", share(part, whole), short(whole));
    }
    let of_all = share(own.money.nano_dollars(), all.money.nano_dollars());
    format!("{} ({of_all} of {} spent), {spent}", own.money, all.money)
}

fn never_passed(analysis: &Analysis) -> Option<String> {
    let open = unresolved(analysis);
    let newest = open.iter().max_by(|one, other| one.last_ts.cmp(&other.last_ts))?;
    let (checks, newest) = (many(open.len() as u64, "check", "checks"), episode_line(analysis, newest));
    Some(format!("{checks} not seen to pass; the newest: {newest}"))
}

fn loops(analysis: &Analysis) -> Option<String> {
    let totals = &analysis.totals;
    let retries = many(totals.unchanged_retries, "retry", "retries");
    (totals.loops > 0 || totals.unchanged_retries > 0)
        .then(|| format!("{}, and {retries} with nothing changed in between", count(totals.loops)))
}

fn guard(analysis: &Analysis) -> Option<String> {
    let saved = analysis.totals.guard.filter(|guard| guard.refused > 0)?;
    let calls = many(saved.calls_saved, "call", "calls");
    Some(format!("would have saved {calls}, {} tokens, {}", short(saved.tokens_saved), duration(saved.wall_ms_saved)))
}

/// So many kinds of error, the most frequent first.
pub(super) fn kinds_of_error(analysis: &Analysis, most: usize) -> String {
    let mut kinds: Vec<_> = analysis.totals.categories.iter().collect();
    kinds.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let kinds = kinds.iter().take(most).map(|(kind, number)| format!("{} {}", spoken(kind.as_str()), count(**number)));
    kinds.collect::<Vec<_>>().join(", ")
}

/// The failure that was met in most sessions.
fn returning(analysis: &Analysis) -> Option<String> {
    let most = *super::returning(analysis).first()?;
    let words = most.excerpt.as_deref().unwrap_or(&most.operation);
    let times = many(most.failures, "time", "times");
    let id = start(&most.signature, SHOWN_ID);
    Some(format!("{} ({times} in {} sessions) [{id}]", one_line(words, ERROR), count(most.sessions)))
}

fn session_line(session: &crate::replay::SessionSummary) -> String {
    let project = session.project.as_deref().unwrap_or("a project without a name");
    let span: Vec<String> = [&session.started, &session.ended].into_iter().flatten().map(|ts| minute(ts)).collect();
    one_line(&format!("the newest, of {project}, {} {}, {}", span.join(" to "), clock_name(), session.id), 200)
}

fn episode_line(analysis: &Analysis, episode: &EpisodeSummary) -> String {
    let project = session(analysis, &episode.session).and_then(|it| it.project.as_deref()).unwrap_or_default();
    let place = if project.is_empty() { String::new() } else { format!(" in {}", one_line(project, 40)) };
    format!("{}{place}: {} [{}]", one_line(&call_of(episode), CALL), spent(episode), episode.id)
}

/// Attempts, ending and cost of an episode.
pub fn spent(episode: &EpisodeSummary) -> String {
    let attempts = many(u64::from(episode.attempts), "attempt", "attempts");
    format!("{attempts}, {}{}, {}", episode.ending(), price(episode.booked), duration(episode.booked.wall_ms))
}

/// What was paid, behind a comma: money where prices are known, and tokens.
pub fn price(cost: Cost) -> String {
    let money = if cost.money == Money::default() { String::new() } else { format!(", {}", cost.money) };
    match cost.tokens.total() {
        0 => money,
        tokens => format!("{money}, {} tokens", short(tokens)),
    }
}

fn open_line(episode: &EpisodeSummary) -> String {
    let hidden = if episode.masked { " hidden by exit status 0;" } else { "" };
    let error = episode.excerpt.as_deref().map(|error| format!(": {}", one_line(error, ERROR))).unwrap_or_default();
    let attempts = many(u64::from(episode.attempts), "attempt", "attempts");
    let call = one_line(&call_of(episode), CALL);
    format!("{} {call}{hidden} {attempts}{error} [{}]", episode.class.as_str(), episode.id)
}

/// A loop in one line.
pub(super) fn loop_line(it: &Loop) -> String {
    let calls = it.operations.iter().map(|operation| one_line(operation, CALL)).collect::<Vec<_>>().join(", then ");
    format!("{} x {calls}{}, {}", count(u64::from(it.repeats)), price(it.cost), duration(it.cost.wall_ms))
}

/// What a person should do about a check that was not seen to pass.
fn open_step(episode: &EpisodeSummary, call: &str) -> String {
    if episode.masked {
        return format!("run {call} again without the pipe: it failed behind an exit status of 0");
    }
    format!("fix what {call} reports: it was not seen to pass")
}
