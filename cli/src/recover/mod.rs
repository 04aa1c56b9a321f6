//! Recovery plans: why a call failed, what can be done, in which order.
//!
//! A table of strategies (`table`), each a function of what failed and of what can be seen (`case`, `look`), gives steps
//! (`step`) that become calls of the tools that are there (`tools`). Before one is offered it passes the gate (`gate`):
//! nothing that destroys unasked, nothing that repeats the failing call, no secret. Rank is arithmetic over counts
//! (`past`); the diagnosis is words about what was seen (`why`). Pure: the edge `probe` looks at the machine.

mod asked;
mod case;
mod effects;
mod failed;
mod gate;
pub mod look;
pub mod pages;
mod past;
pub mod result;
mod say;
mod step;
mod strategies;
mod table;
mod tools;
mod why;

pub use asked::{AskedCall, COMMAND_KEYS};
pub use failed::Failed;
pub use past::{LearnedFix, PlanPast, PlanStanding, Went};
pub use say::{LogScene, call, event, text};
pub use table::{STRATEGIES, Strategy, strategy_named};
pub use tools::{CLIENT, CONTRACT, ToolDialect, Tools};
pub use why::inherited;

use case::{Case, Offer};
use look::MachineLooks;
use result::{Dropped, MAX_ATTEMPTS, MOST_DROPPED, PlannedStep, PlannedStrategy, RecoveryPlan};
use serde_json::{Map, Value, json};
use step::Deed;

use crate::digest::hex16;
use crate::model::{FindingKind, Outcome};
use crate::text::{one_line, rounded, small};

/// What a plan is asked for.
pub struct PlanQuestion<'a> {
    /// What failed.
    pub failed: &'a Failed,
    /// The tools that are there.
    pub tools: &'a Tools,
    /// What can be seen of the machine.
    pub looks: &'a dyn MachineLooks,
    /// What is known of strategies.
    pub past: &'a PlanPast,
    /// The time, RFC 3339 UTC.
    pub now: &'a str,
    /// The most strategies that are told.
    pub limit: usize,
}

/// How many strategies are told where nobody asks for another number: the first and two behind it.
pub const LIMIT: usize = 3;

/// The diagnosis of a failure and the plan against it.
pub fn plan(question: &PlanQuestion<'_>) -> RecoveryPlan {
    let case = Case::new(question.failed, question.tools, question.looks, &question.past.learned);
    let no_failure = refusal(&case);
    let (mut ranked, away) = if no_failure.is_some() { (Vec::new(), Vec::new()) } else { rank(&case, question.past) };
    let mut dropped: Vec<Dropped> = away.into_iter().filter(|away| away.is_close).map(|away| away.dropped).collect();
    let state = ranked.iter().find_map(|ranked| ranked.offer.state.clone());
    let can_recover = ranked.iter().any(|ranked| !ranked.strategy.asks);
    shorten(&mut ranked, question.limit.max(1), &mut dropped);
    dropped.truncate(MOST_DROPPED);
    let failed = question.failed;
    let root_cause = why::root_cause(&case);
    let mut planned = ranked.into_iter().map(|ranked| ranked.planned);
    let primary = planned.next();
    let reason = match (&primary, no_failure) {
        (Some(_), _) => None,
        (None, Some(reason)) => Some(reason.to_owned()),
        (None, None) if !question.past.failed.is_empty() => {
            Some("every known strategy failed: report to the user what was tried".to_owned())
        }
        (None, None) => Some("no strategy fits this failure and the available tools".to_owned()),
    };
    RecoveryPlan {
        id: ulid(question.now, failed),
        timestamp: question.now.to_owned(),
        iteration: failed.attempt,
        why_chain: why::chain(&case, state.as_deref()),
        error_classification: why::classification(&case, can_recover),
        has_recovery_plan: primary.is_some(),
        suggest_user_action: primary.is_none(),
        reason,
        pattern_to_learn: primary.as_ref().and_then(|primary| lesson(failed, &root_cause.description, primary)),
        root_cause,
        primary_strategy: primary,
        fallback_strategies: planned.collect(),
        max_recovery_attempts: MAX_ATTEMPTS,
        dropped,
        signature: failed.signature.fine.clone(),
    }
}

/// Why nothing is to be recovered from: it is no failure of the work, or a person said no.
fn refusal(case: &Case<'_>) -> Option<&'static str> {
    let failed = case.failed;
    if matches!(&*failed.tool, "KillShell" | "KillBash" | "TaskStop") && case.finding(FindingKind::NotRunning).is_some()
    {
        return Some("the process had already ended");
    }
    match failed.outcome {
        Outcome::Failed | Outcome::MaskedFailure => None,
        Outcome::Denied => Some("a person or a rule refused the call: do not bypass it"),
        Outcome::Interrupted => Some("the call was stopped before it ended"),
        Outcome::Cascade => Some("the call was cancelled because a parallel one failed: that one is the failure"),
        Outcome::BenignNonZero => Some("the status is an answer, not a failure"),
        Outcome::Succeeded => Some("the call did not fail"),
    }
}

/// A strategy that is offered here.
struct Ranked {
    strategy: &'static Strategy,
    offer: Offer,
    planned: PlannedStrategy,
    standing: PlanStanding,
}

/// A strategy of the category that is not offered.
struct Away {
    dropped: Dropped,
    /// Whether it is about this failure, and something else speaks against it.
    is_close: bool,
}

/// Why a strategy is not in the plan of a question; None where it is, or is for other failures.
pub fn why_not(question: &PlanQuestion<'_>, name: &str) -> Option<String> {
    let case = Case::new(question.failed, question.tools, question.looks, &question.past.learned);
    rank(&case, question.past).1.into_iter().find(|away| away.dropped.name == name).map(|away| away.dropped.reason)
}

/// What of the table fits, the best first, and why the rest does not.
fn rank(case: &Case<'_>, past: &PlanPast) -> (Vec<Ranked>, Vec<Away>) {
    let category = case.category();
    let mut ranked = Vec::new();
    let mut dropped = Vec::new();
    let attempts =
        past.failed.iter().filter(|name| strategy_named(name).is_some_and(|strategy| !strategy.asks)).count();
    for strategy in STRATEGIES.iter().filter(|strategy| strategy.categories.contains(&category)) {
        let offered = if past.failed.iter().any(|name| name == strategy.name) {
            Err(("it already failed here".to_owned(), true))
        } else if !strategy.asks && attempts >= MAX_ATTEMPTS as usize {
            Err((format!("{MAX_ATTEMPTS} attempts failed: ask a person"), false))
        } else {
            ranked_offer(case, strategy, past)
        };
        match offered {
            Ok(offered) => ranked.push(offered),
            Err((reason, is_close)) => {
                dropped.push(Away { dropped: Dropped { name: strategy.name.to_owned(), reason }, is_close });
            }
        }
    }
    // Stable: of equal ones the first of the table.
    ranked.sort_by(|a: &Ranked, b| b.standing.cmp(&a.standing).then(b.planned.score.total_cmp(&a.planned.score)));
    (ranked, dropped)
}

/// The strategy as it is offered, else why not, and whether it came close.
fn ranked_offer(case: &Case<'_>, strategy: &'static Strategy, past: &PlanPast) -> Result<Ranked, (String, bool)> {
    let offer = (strategy.offer)(case).map_err(|reason| (reason.to_owned(), false))?;
    ranked(case, strategy, past, offer).map_err(|reason| (reason, true))
}

fn ranked(case: &Case<'_>, strategy: &'static Strategy, past: &PlanPast, offer: Offer) -> Result<Ranked, String> {
    let offer = gate::checked(case, offer)?;
    let steps: Vec<PlannedStep> = offer.steps.iter().map(|step| planned_step(case, step)).collect::<Result<_, _>>()?;
    gate::repeats(case, &steps)?;
    let uses_tools = steps.iter().any(|step| step.tool.is_some());
    let before = offer.confidence.unwrap_or(strategy.confidence);
    let confidence = (before * past.factor(strategy.name)).min(1.0);
    let standing = match past.standing(strategy.name) {
        PlanStanding::Open if offer.is_proven => PlanStanding::Learned,
        standing => standing,
    };
    let planned = PlannedStrategy {
        name: strategy.name.to_owned(),
        description: one_line(offer.description.as_deref().unwrap_or(strategy.description), 200),
        confidence: rounded(confidence),
        estimated_iterations: strategy.iterations,
        score: rounded(score(confidence, strategy.iterations, uses_tools)),
        steps,
        why: one_line(&offer.why, 400),
    };
    Ok(Ranked { strategy, offer, planned, standing })
}

/// What strategies are ranked by: confidence, fewer turns, and whether tools do it instead of a person. The numbers are
/// the inherited document's.
pub fn score(confidence: f64, iterations: u32, uses_tools: bool) -> f64 {
    confidence / f64::from(iterations.max(1)).sqrt() * if uses_tools { 2.5 } else { 0.6 }
}

/// Keeps so many strategies. Where one that asks is among them, the last of those that are told is it.
fn shorten(ranked: &mut Vec<Ranked>, limit: usize, dropped: &mut Vec<Dropped>) {
    if ranked.len() <= limit {
        return;
    }
    let asks = ranked.iter().position(|ranked| ranked.strategy.asks).filter(|at| *at >= limit && limit > 1);
    let kept = asks.map(|at| ranked.remove(at));
    let cut = ranked.split_off(limit - usize::from(kept.is_some()));
    dropped.extend(cut.into_iter().map(|cut| Dropped {
        name: cut.planned.name,
        reason: format!("its score {} is below the limit", cut.planned.score),
    }));
    ranked.extend(kept);
}

fn planned_step(case: &Case<'_>, step: &step::PlanStep) -> Result<PlannedStep, String> {
    let (tool, args) = match case.tools.call(&step.deed).map_err(str::to_owned)? {
        Some((tool, args)) => (Some(tool), args),
        None => (None, question_args(case, &step.deed)),
    };
    Ok(PlannedStep {
        action: one_line(&step.action, 200),
        tool,
        args,
        expected_outcome: one_line(&step.expected, 200),
        performs: step.performs.then(|| "operation".to_owned()),
    })
}

fn question_args(case: &Case<'_>, deed: &Deed) -> Map<String, Value> {
    let Deed::Ask(question) = deed else { return Map::new() };
    let error = case.failed.line_that_matters().map(|line| one_line(line, 300));
    let Value::Object(args) = json!({ "question": question, "failedTool": case.failed.tool, "error": error }) else {
        return Map::new();
    };
    args
}

/// What there is to be learned: what was met, and the other form of the call that goes past it. A look, a question and a
/// retry teach nothing.
fn lesson(failed: &Failed, met: &str, primary: &PlannedStrategy) -> Option<String> {
    let does = primary.description.trim_end_matches('.');
    let is_other = |step: &PlannedStep| step.performs.is_some() && step.args != failed.args;
    let is_learned = primary.steps.iter().any(is_other);
    is_learned
        .then(|| one_line(&format!("If this happens again ({}): {}", met.trim_end_matches('.'), small(does)), 300))
}

/// 26 signs of Crockford's alphabet: ten for the time, sixteen for what failed.
fn ulid(now: &str, failed: &Failed) -> String {
    const SIGNS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    let millis = crate::time::millis(now).and_then(|ms| u128::try_from(ms).ok()).unwrap_or_default();
    let parts = [now, &failed.signature.fine, &failed.operation.0, &failed.text, &failed.shown];
    let low = u128::from_str_radix(&hex16(&parts), 16).unwrap_or_default();
    let high = u128::from_str_radix(&hex16(&["id", now, &failed.signature.fine]), 16).unwrap_or_default() & 0xffff;
    let value = (millis & 0xffff_ffff_ffff) << 80 | high << 64 | low;
    (0..26).rev().map(|at| char::from(SIGNS[usize::try_from(value >> (at * 5) & 31).unwrap_or_default()])).collect()
}
