//! What became of recovery plans: which one an agent was given, whether it was followed, and whether the work passed then.

use serde::{Deserialize, Serialize};

use super::event::{Event, Execution};
use super::state::State;
use crate::model::{Operation, Outcome, Proof, Tool};
use crate::text::file_name;
use crate::time::millis;

/// A diagnosis that a plan was made from. The plan's own event follows it, where there was a strategy.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Reflection {
    /// The plan: its id.
    pub plan: String,
    /// The `execution_failed` event that was asked about, where the history holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// The episode, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub episode: Option<String>,
    /// The fine signature of the failure.
    pub signature: String,
    /// Which attempt of the episode failed.
    pub iteration: u32,
    /// The tool that failed, as the input names it.
    pub failed_tool: String,
    /// The category.
    pub root_cause_category: String,
    /// The same in words, at most 200 characters.
    pub root_cause_description: String,
    /// How sure the category is, from 0 to 1.
    pub confidence: f64,
    /// How many strategies were told.
    pub alternatives_count: u32,
    /// Whether one of them asks nobody.
    pub can_recover: bool,
    /// The first and the last of the five whys.
    pub why_chain: Whys,
    /// The first strategy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery_strategy: Option<String>,
    /// How long it took to make, in milliseconds.
    pub elapsed_ms: u64,
}

/// The first and the last of five whys, each at most 150 characters.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Whys {
    /// What failed.
    pub why1: String,
    /// The check that would have shown it.
    pub why5: String,
}

/// A plan that an agent was given.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RecoveryAttempt {
    /// The plan: its id.
    pub plan: String,
    /// The `execution_failed` event that it is against, where the history holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// The episode, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub episode: Option<String>,
    /// The fine signature of the failure.
    pub signature: String,
    /// The operation that failed.
    pub operation: Operation,
    /// The words of it that the error names, at most four.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub named: Vec<String>,
    /// The category.
    pub error_category: String,
    /// The first strategy.
    pub strategy_name: String,
    /// What it does, at most 200 characters.
    pub strategy_description: String,
    /// How sure it is to help, from 0 to 1.
    pub confidence: f64,
    /// Whether counts of earlier plans raised that.
    pub confidence_boosted: bool,
    /// How many turns it is thought to take.
    pub estimated_iterations: u32,
    /// How many steps it has.
    pub steps_count: u32,
    /// How many strategies stand behind it.
    pub fallback_count: u32,
    /// Whether it is what worked before.
    pub has_learned_patterns: bool,
    /// The share of earlier tries of the strategy that worked; none where it was not tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub historical_success_rate: Option<f64>,
    /// What following each strategy looks like, the first one first.
    pub strategies: Vec<Proposed>,
}

/// What an agent does that follows a strategy.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Proposed {
    /// The strategy.
    pub name: String,
    /// The calls of its steps, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Operation>,
    /// The call that does the work which failed, in its mended form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub performs: Option<Operation>,
    /// Whether it asks a person.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub asks: bool,
}

/// What became of a plan: the work passed, or a strategy of it was followed and the work failed again.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RecoveryComplete {
    /// The plan: its id.
    pub plan: String,
    /// The strategy that was followed; the first one where none was.
    pub strategy_name: String,
    /// Whether it was followed: else the work passed in another way.
    pub followed: bool,
    /// Whether the work passed, and not only the last step.
    pub success: bool,
    /// The fine signature of the failure.
    pub signature: String,
    /// The category.
    pub error_category: String,
    /// How many calls ended since the plan was made, with the one that told.
    pub actual_iterations: u32,
    /// How long that took, in milliseconds.
    pub elapsed_ms: u64,
}

/// A plan of which nobody knows yet what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenPlan {
    /// The plan: its id.
    pub plan: String,
    /// The episode, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub episode: Option<String>,
    /// The fine signature of the failure.
    pub signature: String,
    /// The category.
    pub category: String,
    /// The operation that failed.
    pub operation: Operation,
    /// The words of it that the error names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub named: Vec<String>,
    /// The strategies.
    pub strategies: Vec<Proposed>,
    /// Which of them was followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub followed: Option<usize>,
    /// How many calls ended since.
    #[serde(default)]
    pub calls: u32,
    /// How many of them had ended when it was followed.
    #[serde(default)]
    pub followed_at: u32,
    /// When the plan was made, RFC 3339 UTC.
    pub since: String,
}

/// The longest list of strategies, and of steps of one, that a node's state keeps.
const STRATEGIES: usize = 5;
const STEPS: usize = 6;
/// The most words that are kept as named by the error.
const NAMED: usize = 4;
/// How many calls after a look the work may be done in another form.
const WITHIN: u32 = 5;
/// The most words of a call that its other form lacks, and the most that it adds.
const MOST_GONE: usize = 2;
const MOST_NEW: usize = 3;

impl Proposed {
    /// Whether a call is a step of it that is more than the failed call again.
    fn is_begun_by(&self, execution: &Execution, failed: &Operation) -> bool {
        if self.asks {
            return execution.tool.as_deref() == Some(Tool::QUESTION);
        }
        // What only makes the call once more, with another limit, cannot be told from it.
        let only_again = self.steps.iter().all(|step| step == failed);
        let Some(operation) = &execution.operation else { return false };
        self.steps.iter().any(|step| (only_again || step != failed) && is_run_of(step, operation))
    }

    fn is_performed_by(&self, operation: &Operation) -> bool {
        self.performs.as_ref().is_some_and(|performs| is_run_of(performs, operation))
    }
}

/// Whether a call is the planned one: the same, with words behind it, or as the end of a line.
fn is_run_of(planned: &Operation, ran: &Operation) -> bool {
    let (planned, ran) = (planned.0.as_str(), ran.0.as_str());
    !planned.is_empty()
        && (ran.strip_prefix(planned).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
            || ran.strip_suffix(planned).is_some_and(|rest| rest.ends_with("&& ")))
}

impl OpenPlan {
    fn of(attempt: &RecoveryAttempt, ts: &str) -> Self {
        let bounded = |proposed: &Proposed| {
            let steps = proposed.steps.iter().take(STEPS).cloned().collect();
            Proposed { steps, ..proposed.clone() }
        };
        Self {
            plan: attempt.plan.clone(),
            episode: attempt.episode.clone(),
            signature: attempt.signature.clone(),
            category: attempt.error_category.clone(),
            operation: attempt.operation.clone(),
            named: attempt.named.iter().take(NAMED).cloned().collect(),
            strategies: attempt.strategies.iter().take(STRATEGIES).map(bounded).collect(),
            followed: None,
            calls: 0,
            followed_at: 0,
            since: ts.to_owned(),
        }
    }

    /// Which strategy is followed once a call has ended. One whose work is done counts before one that was only begun.
    fn followed_with(&self, execution: &Execution) -> Option<usize> {
        let of = |condition: &dyn Fn(&Proposed) -> bool| self.strategies.iter().position(condition);
        let performed = execution.operation.as_ref().filter(|operation| **operation != self.operation);
        let performed = performed.and_then(|operation| of(&|proposed| proposed.is_performed_by(operation)));
        performed.or(self.followed).or_else(|| of(&|proposed| proposed.is_begun_by(execution, &self.operation)))
    }

    /// Whether a call does the work that failed in another form, soon after a strategy that only looks or asks.
    fn is_done_after(&self, chosen: &Proposed, execution: &Execution, operation: &Operation) -> bool {
        let is_soon = self.followed.is_some() && self.calls.saturating_sub(self.followed_at) <= WITHIN;
        let is_step = || self.strategies.iter().any(|one| one.is_begun_by(execution, &self.operation));
        chosen.performs.is_none() && is_soon && self.is_another_form(operation) && !is_step()
    }

    /// Whether a call has the program and most words of the one that failed, and lacks a word that the error names; of a tool
    /// that has one file, whether it is of the same name or stem.
    fn is_another_form(&self, ran: &Operation) -> bool {
        let (failed, ran) = (self.operation.0.as_str(), ran.0.as_str());
        let path =
            |operation: &'_ str| operation.split_once(":/").map(|(tool, path)| (tool.to_owned(), path.to_owned()));
        if let (Some((tool, path)), Some((other_tool, other))) = (path(failed), path(ran)) {
            let stem = |path: &str| file_name(path).split('.').find(|part| !part.is_empty()).map(str::to_owned);
            return tool == other_tool && path != other && stem(&path).is_some() && stem(&path) == stem(&other);
        }
        let [own, others] = [failed, ran].map(|line| line.split(' ').collect::<Vec<_>>());
        let gone: Vec<&str> = own.iter().filter(|word| !others.contains(word)).copied().collect();
        let new = others.iter().filter(|word| !own.contains(word)).count();
        own.first() == others.first()
            && 2 * (own.len() - gone.len()) >= own.len()
            && gone.len() <= MOST_GONE
            && new <= MOST_NEW
            && gone.iter().any(|word| self.named.iter().any(|named| named == word))
    }

    /// What became of it by a call that ended; None while that is open.
    fn ended_by(&self, event: &Event, state: &State) -> Option<RecoveryComplete> {
        let execution = event.execution().filter(|execution| execution.intent.is_none())?;
        let operation = execution.operation.as_ref()?;
        let followed = self.followed_with(execution);
        let chosen = followed.and_then(|at| self.strategies.get(at));
        let is_work = *operation == self.operation || chosen.is_some_and(|chosen| chosen.is_performed_by(operation));
        let is_work_in_another_form = chosen.is_some_and(|chosen| self.is_done_after(chosen, execution, operation));
        let proven = execution.reading.as_ref().is_none_or(|reading| reading.proof != Proof::None);
        let ended = || state.ended_by(event).any(|episode| Some(&episode.id) == self.episode.as_ref());
        let is_same = || execution.signature.as_ref().is_some_and(|signature| signature.fine == self.signature);
        let success = match execution.outcome? {
            // What goes on in the background has not passed yet.
            Outcome::Succeeded if execution.background_task.is_some() => return None,
            Outcome::Succeeded if (is_work || is_work_in_another_form) && proven || ended() => true,
            Outcome::Failed | Outcome::MaskedFailure if followed.is_some() && (is_work || is_same()) => false,
            _ => return None,
        };
        let elapsed = millis(&event.ts).zip(millis(&self.since)).map(|(now, then)| now - then);
        Some(RecoveryComplete {
            plan: self.plan.clone(),
            strategy_name: chosen.or_else(|| self.strategies.first()).map_or(String::new(), |one| one.name.clone()),
            followed: followed.is_some(),
            success,
            signature: self.signature.clone(),
            error_category: self.category.clone(),
            actual_iterations: self.calls.saturating_add(1),
            elapsed_ms: elapsed.and_then(|elapsed| u64::try_from(elapsed).ok()).unwrap_or_default(),
        })
    }
}

impl State {
    /// The most plans whose end is waited for.
    pub const PLANS: usize = 4;

    /// What a call that is not folded in yet makes of the plans that are open.
    pub fn plans_ended_by(&self, event: &Event) -> Vec<RecoveryComplete> {
        self.plans.iter().filter_map(|plan| plan.ended_by(event, self)).collect()
    }

    /// A plan against the same failure takes the place of the one before.
    pub(super) fn plan_begins(&mut self, attempt: &RecoveryAttempt, ts: &str) {
        self.plans.retain(|plan| plan.signature != attempt.signature);
        self.plans.push(OpenPlan::of(attempt, ts));
        if self.plans.len() > Self::PLANS {
            self.plans.remove(0);
        }
    }

    /// Notes a call that ended.
    pub(super) fn plans_go_on(&mut self, execution: &Execution) {
        for plan in &mut self.plans {
            plan.calls = plan.calls.saturating_add(1);
            let followed = plan.followed_with(execution);
            if followed != plan.followed {
                (plan.followed, plan.followed_at) = (followed, plan.calls);
            }
        }
    }

    /// A person spoke: whoever was told to ask has an answer.
    pub(super) fn plans_are_answered(&mut self) {
        for plan in self.plans.iter_mut().filter(|plan| plan.followed.is_none()) {
            // Where something could be done without a person, the prompt need not be an answer.
            plan.followed = plan.strategies.first().filter(|first| first.asks).map(|_| 0);
            plan.followed_at = plan.calls;
        }
    }
}
