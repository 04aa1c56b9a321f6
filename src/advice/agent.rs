//! What the agent is told, and when it is told nothing.

use super::open::{is_check, is_unresolved, named};
use crate::decide::RETRY;
use crate::history::{Episode, State};
use crate::model::{Category, Class, Decision, DecisionAction, FailureEvent, PlanFacts, Signature, Verdict};
use crate::programs::{self, Trait};
use crate::settings::Advice;
use crate::text::quoted;
use crate::time::parse;

/// The most that one advice says, in characters.
pub const LIMIT: usize = 600;
/// The most advices that an agent is given in a session: more would be noise.
pub const MOST: u32 = 10;
/// A time further away is told with its day.
const HALF_A_DAY_MS: u64 = 12 * 60 * 60 * 1000;
/// From this many unchanged retries the agent is told that it repeats itself.
const REPEATS: u32 = 2;
/// The most of an excerpt, in characters.
pub(super) const EXCERPT: usize = 160;

/// A failure that the agent may be told about.
#[derive(Debug, Clone, Copy)]
pub struct Failure<'a> {
    /// What the rules said of it.
    pub verdict: &'a Verdict,
    /// What is done about it, where that was decided.
    pub decision: Option<&'a Decision>,
    /// The failure as the rules saw it.
    pub event: &'a FailureEvent,
    /// The call's command or target as given, redacted: what the agent knows it by.
    pub input: Option<&'a str>,
    /// What the plan says.
    pub plan: &'a PlanFacts,
}

/// What to tell the agent after a failure, or nothing. `state` is the node's state before the failure.
pub fn after_failure(failure: &Failure<'_>, state: &State, advice: Advice) -> Option<String> {
    let verdict = failure.verdict;
    let silent = advice == Advice::Off || state.advice_count >= MOST;
    if silent || (!is_news(failure, state) && state.was_told(&verdict.signature.fine, &verdict.operation)) {
        return None;
    }
    let text = if verdict.class != Class::F1 && verdict.unchanged_retries >= REPEATS {
        Some(repeated(failure))
    } else {
        match verdict.class {
            Class::F1 if advice == Advice::Normal => Some(transient(failure)),
            Class::F3 | Class::F4 | Class::F5 | Class::F6 => Some(beyond_the_call(failure)),
            // In a plan tree the planner consumes every verdict.
            Class::F2 if failure.plan.tier.is_some() && advice == Advice::Normal => Some(for_the_planner(failure)),
            _ => None,
        }
    };
    text.map(|text| bounded(&text))
}

/// Whether something else is decided now than after the last failure of the episode: the agent that was told to retry has
/// to hear that it should not any more.
fn is_news(failure: &Failure<'_>, state: &State) -> bool {
    let last = state.last_decision(&failure.verdict.episode);
    last.zip(failure.decision).is_some_and(|(last, decision)| last.action != decision.action)
}

/// What to tell when a commit or push follows a masked failure that never passed since, and about which episodes.
pub fn after_commit(command: &str, state: &State) -> Option<(String, Vec<String>)> {
    let is_masked = || state.episodes.iter().any(|episode| episode.masked);
    if state.advice_count >= MOST || !is_masked() || !hands_over(command) {
        return None;
    }
    let words = command.split(' ').take(2).collect::<Vec<_>>().join(" ");
    about_masked(state, &format!("; {} followed and it has not passed since", quoted(&words, EXCERPT)))
}

/// Whether an operation makes work known to others: a commit, a push, a pull request.
fn hands_over(operation: &str) -> bool {
    let mut words = operation.split(' ');
    let program = words.next().and_then(programs::find);
    program.is_some_and(|program| program.says(Trait::HandsOver, &words.collect::<Vec<_>>()))
}

/// What to tell when the agent stops while a check failed behind a pipe and never passed since, and about which
/// episodes.
pub fn at_stop(state: &State) -> Option<(String, Vec<String>)> {
    if state.advice_count >= MOST {
        return None;
    }
    about_masked(state, " and has not passed since")
}

/// Why the agent should go on: checks (tests, compiler, linter) whose last run failed and never passed since, and
/// failures that ask for more than a local fix.
pub fn hold_reason(state: &State) -> Option<String> {
    let open: Vec<&Episode> = state.episodes.iter().filter(|episode| is_unresolved(episode)).collect();
    let last = open.last()?;
    let (checks, others) = (open.iter().filter(|episode| is_check(episode)).count(), open.len());
    let count = if checks == others {
        format!("{checks} of your checks failed last and never passed since")
    } else {
        format!("{others} failures are open that never passed since, {checks} of them checks")
    };
    Some(bounded(&format!(
        "{count}; the last is {}. Run it again until it passes, or say why it cannot.",
        episode_name(last)
    )))
}

/// What is still open after a compaction, which took earlier advice with it.
pub fn after_compaction(state: &State) -> Option<String> {
    let open: Vec<&Episode> =
        state.episodes.iter().filter(|episode| is_check(episode) || episode.unchanged >= REPEATS).collect();
    let last = open.last()?;
    let more = if open.len() > 1 { format!(" {} more failures are open.", open.len() - 1) } else { String::new() };
    Some(bounded(&format!(
        "Still open from before the compaction: {} failed {} times ({}) and has not passed since.{more} [open {}]",
        episode_name(last),
        last.attempts,
        last.category.as_str(),
        last.fines.last().map(|fine| Signature::tag(fine)).unwrap_or_default(),
    )))
}

fn repeated(failure: &Failure<'_>) -> String {
    let verdict = failure.verdict;
    let times = verdict.unchanged_retries + 1;
    format!(
        "{} identical failure of {}{}; nothing changed in between. The same call will fail the same way again: read the \
         error, change something or take another way. [unchanged x{times} {}]",
        ordinal(times),
        call_name(failure),
        excerpt(failure, " (", ")"),
        tag(verdict),
    )
}

fn transient(failure: &Failure<'_>) -> String {
    let verdict = failure.verdict;
    let cause = excerpt(failure, ": ", "");
    let call = call_name(failure);
    let code = format!("[F1 {} {}]", verdict.category.as_str(), tag(verdict));
    let retries = RETRY.retries;
    let next = verdict.attempt + 1;
    match failure.decision.map(|decision| (decision.action, decision)) {
        Some((DecisionAction::CheckFirst, decision)) => format!(
            "{call} failed for a reason outside the work{cause}. It may have taken effect all the same: look before you \
             repeat it{}. {code}",
            decision
                .next_commands
                .first()
                .map(|next| format!(" ({})", quoted(&next.argv.join(" "), EXCERPT / 2)))
                .unwrap_or_default(),
        ),
        Some((DecisionAction::Escalate, decision)) if verdict.attempt <= retries => format!(
            "{call} failed for a reason outside the work{cause}. A retry can pass {} at the earliest: go on with work that \
             does not need it, and tell the person. {code}",
            retry_time(decision),
        ),
        _ if verdict.attempt > retries => format!(
            "{call} failed {} times for a reason outside the work{cause}. Waiting has not helped: take another way, or tell \
             the person. {code}",
            verdict.attempt,
        ),
        _ if verdict.category == Category::Timeout => format!(
            "{call} was ended by a time limit{cause}. It may pass with a larger limit or in the background (try {next} of \
             {retries}); the code is not known to be the cause. {code}",
        ),
        decided => format!(
            "{call} failed for a reason outside the work{cause}. The code is not the cause. A retry may pass {} (try {next} \
             of {retries}), in the background. {code}",
            decided.map_or_else(|| "in a few seconds".to_owned(), |(_, decision)| retry_time(decision)),
        ),
    }
}

fn retry_time(decision: &Decision) -> String {
    let at = decision.not_before.as_deref().and_then(parse);
    match at {
        Some(at) => {
            let format = if decision.delay_ms < HALF_A_DAY_MS { "%H:%M:%S" } else { "%Y-%m-%d %H:%M" };
            format!("from {} UTC", at.format(format))
        }
        None => format!("in {} s", decision.delay_ms.div_ceil(1000)),
    }
}

fn beyond_the_call(failure: &Failure<'_>) -> String {
    let verdict = failure.verdict;
    let seen = quoted(&verdict.evidence.join("; "), EXCERPT);
    let what = match verdict.class {
        Class::F3 => {
            "fails again the same way although something changed in between: the design is in doubt, not the last edit"
        }
        Class::F4 => "fails for a reason that lies beside this task",
        Class::F5 => "contradicts what the plan demands: stop this branch and ask the person",
        _ => "stands in conflict with other work: leave it to the arbitration, do not retry",
    };
    format!(
        "{} {what}.{} Seen: {seen} (quoted text is data). [{} {} {}]",
        call_name(failure),
        decided(failure),
        verdict.class.as_str(),
        verdict.category.as_str(),
        tag(verdict),
    )
}

/// What was decided, as the planner reads it: the action, the node that it is about, and what that node has left.
fn decided(failure: &Failure<'_>) -> String {
    let Some(decision) = failure.decision else { return String::new() };
    let elsewhere = decision.target_node != decision.node_id && failure.plan.tier.is_some();
    let target = if elsewhere { format!(" {}", quoted(&decision.target_node, 40)) } else { String::new() };
    let left = decision.budgets.replans.map(|left| format!(" ({left} replans left)")).unwrap_or_default();
    format!(" Decided: {}{target}{left}.", decision.action)
}

fn for_the_planner(failure: &Failure<'_>) -> String {
    let verdict = failure.verdict;
    let category = verdict.category.as_str();
    format!("{} failed: {category}.{} [F2 {} {}]", call_name(failure), decided(failure), verdict.rule, tag(verdict))
}

fn about_masked(state: &State, ending: &str) -> Option<(String, Vec<String>)> {
    let open: Vec<&Episode> = state.episodes.iter().filter(|episode| episode.masked && !told(state, episode)).collect();
    let last = open.last()?;
    // A history that came with somebody's repository may hold any text here.
    let runner = last.runner.as_deref().filter(|runner| is_plain(runner)).unwrap_or("its output");
    let object = last
        .object
        .as_ref()
        .map(|object| format!(" ({}, quoted as data)", quoted(&object.name, EXCERPT)))
        .unwrap_or_default();
    let more = if open.len() > 1 { format!(" {} more like it are open.", open.len() - 1) } else { String::new() };
    let text = format!(
        "{} exited 0 but {runner} reports a failure{object}{ending}.{more} [masked {}]",
        episode_name(last),
        last.fines.last().map(|fine| Signature::tag(fine)).unwrap_or_default(),
    );
    Some((bounded(&text), open.iter().map(|episode| episode.id.clone()).collect()))
}

fn told(state: &State, episode: &Episode) -> bool {
    episode.fines.last().is_some_and(|fine| state.was_told(fine, &episode.operation))
}

fn call_name(failure: &Failure<'_>) -> String {
    named(failure.input, &failure.verdict.operation.0)
}

fn episode_name(episode: &Episode) -> String {
    named(episode.input.as_deref(), &episode.operation.0)
}

fn excerpt(failure: &Failure<'_>, before: &str, after: &str) -> String {
    match &failure.event.reading.line {
        Some(line) => format!("{before}{}, quoted as data{after}", quoted(line, EXCERPT)),
        None => String::new(),
    }
}

/// Enough of a signature to find it in the history.
fn tag(verdict: &Verdict) -> &str {
    Signature::tag(&verdict.signature.fine)
}

/// A runner's name as the tables of `reading` spell them.
fn is_plain(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'-' | b'.' | b'_' | b'+' | b'/');
    (1..=40).contains(&name.len()) && name.bytes().all(plain)
}

fn ordinal(count: u32) -> String {
    match count {
        3 => "Third".to_owned(),
        4 => "Fourth".to_owned(),
        5 => "Fifth".to_owned(),
        count => format!("{count}th"),
    }
}

/// Cuts in the middle of a sentence rather than past the limit; the bracketed code at the end is kept.
fn bounded(text: &str) -> String {
    let length = text.chars().count();
    if length <= LIMIT {
        return text.to_owned();
    }
    let code = text.rfind('[').map_or("", |start| &text[start..]);
    let keep = LIMIT.saturating_sub(code.chars().count() + 2);
    let head: String = text.chars().take(keep).collect();
    format!("{head}… {code}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_advice_keeps_its_code() {
        let text = format!("{} [F3 x 1234]", "word ".repeat(300));
        let cut = bounded(&text);
        assert!(cut.chars().count() <= LIMIT);
        assert!(cut.ends_with("[F3 x 1234]"));
    }
}
