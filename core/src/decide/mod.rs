//! The planner's step: what happens now, after a verdict. Pure: the plan, the history and the time are arguments.

mod chain;
mod choice;
mod clients;
mod local;
mod next;
pub mod permit;
mod replan;
mod retry;
mod side_effects;

pub use chain::{FailedChain, failed_chain, offered_again};
pub use clients::{ASKING, REDIS_LOOKS, bucket_programs, database_programs};
pub use local::LOCAL;
pub use next::{LONGEST_RUN_MS, LONGEST_SLEEP_MS};
pub use replan::{CLOSED, PROPOSALS, TIERS, TierBudget, tier_budget};
pub use retry::{RETRY, RetryPolicy};
pub use side_effects::check_before;
pub use side_effects::{
    CHANGING_METHODS, CLOUD_VERBS, FIRST_TASKS, LOOKING, READING, TASKS, TOOL_VERBS, is_looked_into, is_plain_request,
    is_request, may_have_taken_effect,
};

use serde::{Deserialize, Deserializer};

use choice::{DecisionInput, RuleChoice};

use crate::classify::UNSURE;
use crate::conflicts::{Conflict, ConflictKind, Layer, Overlap};
use crate::digest::hex16;
use crate::history::{Body, Bucket, Event, Execution, LastDecision, PROJECT, PlanEvent, State};
use crate::model::{
    Action, Budgets, Category, Class, Confidence, Decision, DecisionAction, Ids, Mutation, NextCommand, Operation,
    PlanFacts, SiblingEdit, Signature, Verdict,
};
use crate::time;

/// A verdict as far as a decision needs it. Read from JSON, only `class` and `node_id` have to be there.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Question {
    /// Who acts next; None where the call was no failure.
    pub class: Option<Class>,
    /// The node that failed.
    #[serde(rename = "node_id")]
    pub node: String,
    /// What was being done; empty where the verdict does not say, as inherited ones.
    #[serde(default)]
    pub operation: Operation,
    /// What the verdict recommends; None for words that are not known here.
    #[serde(default, deserialize_with = "known_or_none")]
    pub recommended_action: Option<Action>,
    /// How sure the verdict is.
    #[serde(default)]
    pub confidence: Option<Confidence>,
    /// What kind of error it is.
    #[serde(default, deserialize_with = "known_or_none")]
    pub category: Option<Category>,
    /// The error's fingerprint.
    #[serde(default)]
    pub signature: Option<Signature>,
    /// The episode that the failure belongs to.
    #[serde(default)]
    pub episode: Option<String>,
    /// How often the episode has failed, this failure included; 0 where the verdict does not say.
    #[serde(default)]
    pub attempt: u32,
    /// How many retries in a row repeated the call and its error with nothing changed.
    #[serde(default)]
    pub unchanged_retries: u32,
    /// The delay in milliseconds that the other side asked for.
    #[serde(default)]
    pub retry_after_ms: Option<u64>,
    /// The conflict, for F6.
    #[serde(default)]
    pub conflict_id: Option<String>,
    /// The call.
    #[serde(default)]
    pub tool_use_id: Option<String>,
    /// The `execution_failed` event.
    #[serde(default)]
    pub history_ref: Option<String>,
    /// What the rule saw, the most telling first.
    #[serde(default)]
    pub evidence: Vec<String>,
}

/// A word of a closed list; None for any other value.
fn known_or_none<'de, D: Deserializer<'de>, T: serde::de::DeserializeOwned>(value: D) -> Result<Option<T>, D::Error> {
    let value = serde_json::Value::deserialize(value)?;
    Ok(serde_json::from_value(value).ok())
}

impl From<&Verdict> for Question {
    fn from(verdict: &Verdict) -> Self {
        Self {
            class: Some(verdict.class),
            node: verdict.node_id.clone(),
            operation: verdict.operation.clone(),
            recommended_action: Some(verdict.recommended_action),
            confidence: Some(verdict.confidence),
            category: Some(verdict.category),
            signature: Some(verdict.signature.clone()),
            episode: Some(verdict.episode.clone()),
            attempt: verdict.attempt,
            unchanged_retries: verdict.unchanged_retries,
            retry_after_ms: verdict.retry_after_ms,
            conflict_id: None,
            tool_use_id: verdict.tool_use_id.clone(),
            history_ref: verdict.history_ref.clone(),
            evidence: verdict.evidence.clone(),
        }
    }
}

impl Question {
    /// The nodes whose states the decision needs besides that of the node itself.
    pub fn needs<'a>(&self, plan: &'a PlanFacts, state: &State) -> Vec<&'a str> {
        let last = self.episode.as_deref().and_then(|episode| state.last_decision(episode));
        let replans = matches!(self.class, Some(Class::F3 | Class::F4)) || last.is_some_and(|last| last.replans > 0);
        let above = plan.ancestors.iter().filter(|_| replans).map(|above| above.id.as_str());
        above.chain((self.class == Some(Class::F1)).then_some(PROJECT)).collect()
    }

    /// The same question with what the history knows and the verdict did not say: which episode, and which attempt. Without an
    /// operation the node's newest open episode is meant.
    #[must_use]
    pub fn completed(mut self, state: &State) -> Self {
        let is_unsaid = self.operation.0.is_empty();
        let same = |open: &&crate::history::Episode| is_unsaid || open.operation == self.operation;
        let open = state.episodes.iter().rev().find(same);
        if let Some(open) = open.filter(|_| is_unsaid) {
            self.operation.clone_from(&open.operation);
        }
        if self.attempt == 0 {
            self.attempt = open.map_or(1, |open| open.attempts.max(1));
            self.unchanged_retries = open.map_or(0, |open| open.unchanged);
        }
        if self.episode.is_none() {
            self.episode = open.map(|open| open.id.clone());
        }
        self
    }
}

/// Everything that a decision may look at besides the verdict.
#[derive(Debug, Clone, Copy)]
pub struct DecisionFacts<'a> {
    /// What the plan says of the node.
    pub plan: &'a PlanFacts,
    /// The node's state, before or after the failure was folded in.
    pub state: &'a State,
    /// The states of the nodes that [`Question::needs`] named.
    pub others: &'a [State],
    /// The command line as given, redacted, where a shell tool failed.
    pub command: Option<&'a str>,
    /// How far the node is off its plan, in words, where that is worth noting.
    pub deviation: Option<&'a str>,
    /// Whether the one test that failed is known to pass and fail by chance.
    pub flaky: bool,
}

/// A decision, and how it came about.
#[derive(Debug, Clone, PartialEq)]
pub struct Settled {
    /// The decision.
    pub decision: Decision,
    /// Nodes whose replan budget was found used up.
    pub refused: Vec<String>,
    /// A conflict that was found by the failure itself.
    pub met: Option<PlanEvent>,
}

/// Decides what happens now. `now` is RFC 3339 UTC.
pub fn decide(question: &Question, facts: &DecisionFacts<'_>, now: &str) -> Settled {
    let desk = DecisionInput { question, facts, now };
    let choice = never_less_severe(&desk, choose(&desk));
    settle(&desk, choice)
}

/// Decides on a failure when it happens, at its own time. In a plan tree a decision follows every verdict. In a plain
/// session the agent itself fixes its own failures, and nothing is decided on them; of the others the guard, the next
/// decision and other agents have to know. `state_of` gives the state of another node, `is_flaky`
/// says whether a test is known to pass and fail by chance.
pub fn follow(
    verdict: &Verdict,
    failed: &Event,
    plan: &PlanFacts,
    state: &State,
    deviation: Option<&str>,
    state_of: impl FnMut(&str) -> State,
    is_flaky: impl FnOnce(&str) -> bool,
) -> Option<Settled> {
    if plan.tier.is_none() && verdict.class == Class::F2 {
        return None;
    }
    let execution = failed.execution()?;
    let question =
        Question { conflict_id: execution.conflict_id.clone().filter(|id| !id.is_empty()), ..Question::from(verdict) };
    let others: Vec<State> = question.needs(plan, state).into_iter().map(state_of).collect();
    let flaky = flaky_test(execution).is_some_and(is_flaky);
    let command = offered_again(execution);
    let facts = DecisionFacts { plan, state, others: &others, command: command.as_deref(), deviation, flaky };
    Some(decide(&question, &facts, &failed.ts))
}

/// The one test that failed in a call, of which may be asked whether it fails by chance.
pub fn flaky_test(failed: &Execution) -> Option<&str> {
    failed.reading.as_ref()?.only_failed_test()
}

/// The command line of a failed call that a shell for POSIX command lines ran, as far as the history keeps it.
pub fn command_of(failed: &Execution) -> Option<&str> {
    failed.input.as_deref().filter(|_| failed.tool.as_deref() == Some("Bash"))
}

/// The same where the history keeps it byte for byte: of what is taken out for people to read, a secret or a sign that a
/// terminal would act on, another command may be left.
pub fn offered(failed: &Execution) -> Option<&str> {
    command_of(failed).filter(|_| !failed.input_altered)
}

fn choose(desk: &DecisionInput<'_>) -> RuleChoice {
    let question = desk.question;
    let Some(class) = question.class else {
        return RuleChoice::new(DecisionAction::None).because("the call was no failure of the work".to_owned());
    };
    if question.confidence.is_some_and(|confidence| confidence < UNSURE) {
        return local::unsure(desk);
    }
    match class {
        Class::F1 => retry::transient(desk),
        Class::F2 => local::local(desk),
        Class::F3 if question.recommended_action == Some(Action::Escalate) => local::local(desk),
        Class::F3 | Class::F4 => replan::replan(desk, class),
        Class::F5 => {
            let choice = RuleChoice::new(DecisionAction::FreezeAndEscalate)
                .because("it contradicts a constraint of the plan: only a person may change that".to_owned());
            let open = desk.facts.plan.open_above().filter(|open| *open != question.node);
            RuleChoice { target: open.map(str::to_owned), ..choice }
        }
        Class::F6 => RuleChoice::new(DecisionAction::Arbitrate)
            .because("it conflicts with another node: the arbiter decides, a retry would fail again".to_owned()),
    }
}

/// While the same failure repeats, severity never falls.
fn never_less_severe(desk: &DecisionInput<'_>, choice: RuleChoice) -> RuleChoice {
    let fine = desk.question.signature.as_ref().map(|signature| signature.fine.as_str());
    let Some(last) = desk.last().filter(|last| fine.is_none_or(|fine| last.fine == fine)) else { return choice };
    if choice.action == DecisionAction::None || last.action <= choice.action {
        return choice;
    }
    let kept = match last.action {
        DecisionAction::ReplanStory => replan::replan(desk, Class::F3),
        DecisionAction::ReplanFeature => replan::replan(desk, Class::F4),
        action => RuleChoice { target: last.target.clone(), ..RuleChoice::new(action) },
    };
    kept.because(format!("the same failure was answered with {} before: severity never falls", last.action))
}

fn settle(desk: &DecisionInput<'_>, mut choice: RuleChoice) -> Settled {
    let (question, facts) = (desk.question, desk.facts);
    offer(desk, &mut choice);
    let now = Bucket::clock(desk.now);
    let project_retries = (question.class == Some(Class::F1)).then_some(now).flatten().map(|now| {
        let bucket = retry::bucket(facts.others);
        if choice.action == DecisionAction::Retry { bucket.take(now).tokens(now) } else { bucket.tokens(now) }
    });
    let retries = (question.class == Some(Class::F1)).then(|| RETRY.retries.saturating_sub(question.attempt));
    let mut reasons = choice.reasons;
    reasons.extend(facts.deviation.map(str::to_owned));
    reasons.extend(question.history_ref.as_ref().map(|id| format!("history:{id}")));
    let decision = Decision {
        action: choice.action,
        node_id: question.node.clone(),
        target_node: choice.target.unwrap_or_else(|| question.node.clone()),
        class: question.class,
        operation: question.operation.clone(),
        episode: question.episode.clone(),
        attempt: question.attempt,
        delay_ms: choice.delay_ms,
        not_before: not_before(desk.now, choice.delay_ms),
        budgets: Budgets { retries, project_retries, replans: choice.replans },
        mutation: choice.mutation,
        reasons,
        next_commands: choice.next,
        history_ref: question.history_ref.clone(),
        schema_version: Decision::SCHEMA_VERSION,
    };
    let met = met_at_work(desk).filter(|_| choice.action == DecisionAction::Arbitrate);
    let met = met.map(|(edit, conflict_id)| PlanEvent {
        target: Some(edit.node.clone()),
        conflict_id: Some(conflict_id),
        reason: Some(Conflict::found_in(Layer::L1, ConflictKind::FileOverlap, &[&edit.file])),
    });
    Settled { decision, refused: choice.refused, met }
}

/// What to run next: where the work is stuck, what looks for a way past the failure; then what the action asks for.
fn offer(desk: &DecisionInput<'_>, choice: &mut RuleChoice) {
    let in_tree = desk.facts.plan.tier.is_some();
    let recovery = || next::recovery(in_tree.then_some(&*desk.question.node));
    let recovery = is_stuck(desk.question, choice.action).then(recovery);
    for offered in [recovery, offered_for(desk, choice)].into_iter().flatten() {
        match offered {
            Ok(command) => choice.next.push(command),
            Err(why) => choice.reasons.push(why.to_owned()),
        }
    }
}

/// The command of an action, for those for which one is known.
fn offered_for(desk: &DecisionInput<'_>, choice: &RuleChoice) -> Option<Result<NextCommand, &'static str>> {
    let target = choice.target.as_deref().unwrap_or(&desk.question.node);
    let in_tree = desk.facts.plan.tier.is_some();
    let again = |why| Some(next::again(desk.facts.command, choice.delay_ms, why));
    let change = |word, why| Some(next::change(word, target, desk.question, why));
    match choice.action {
        DecisionAction::Retry => again("the same call again, after the wait"),
        DecisionAction::SingleRetry => again("the same call once more: it passed before, and nothing changed"),
        DecisionAction::SingleRetryThenEscalate => again("the same call once more; if it fails again, tell the person"),
        DecisionAction::ReplanStory | DecisionAction::ReplanFeature if in_tree => {
            change("replan", "replan it; this uses one of its replans")
        }
        DecisionAction::FreezeAndEscalate if in_tree => change("freeze", "stop this branch until a person has decided"),
        DecisionAction::Arbitrate => Some(match conflict(desk) {
            Some(id) => next::own(&["arbitrate"], &id, "let the arbiter decide between the two sides"),
            None => Err("no conflict id is known: `failwise plan conflicts` lists the open ones"),
        }),
        _ => None,
    }
}

/// Whether fixing it did not help, and somebody is to think of another way.
fn is_stuck(question: &Question, action: DecisionAction) -> bool {
    use DecisionAction::{Escalate, FixAndRerun, ReplanFeature, ReplanStory, SelfHeal};
    let again = match question.class {
        Some(Class::F3) => true,
        Some(Class::F2) => question.unchanged_retries > 0,
        _ => false,
    };
    again && matches!(action, SelfHeal | FixAndRerun | ReplanStory | ReplanFeature | Escalate)
}

fn conflict(desk: &DecisionInput<'_>) -> Option<String> {
    let known = desk.facts.plan.conflict.as_ref().map(|conflict| conflict.id.as_str());
    let known = desk.question.conflict_id.as_deref().or(known).map(str::to_owned);
    known.or_else(|| met_at_work(desk).map(|(_, conflict)| conflict))
}

/// The edit of a sibling that is still at work, and the conflict that the two are in by it.
fn met_at_work<'a>(desk: &DecisionInput<'a>) -> Option<(&'a SiblingEdit, String)> {
    let is_beside = desk.question.class == Some(Class::F4);
    let edit = desk.facts.plan.changed_by.as_ref().filter(|edit| is_beside && edit.active)?;
    let overlap = Overlap { files: vec![edit.file.clone()], functions: None };
    let sides = [desk.question.node.as_str(), edit.node.as_str()];
    Some((edit, Conflict::id_of(sides, Layer::L1, ConflictKind::FileOverlap, &overlap)))
}

fn not_before(now: &str, delay_ms: u64) -> Option<String> {
    if delay_ms == 0 {
        return None;
    }
    time::after(time::parse(now)?, delay_ms).map(time::stamp)
}

impl<'a> DecisionInput<'a> {
    /// The last decision of the episode.
    fn last(&self) -> Option<&'a LastDecision> {
        self.facts.state.last_decision(self.question.episode.as_deref()?)
    }
}

impl Settled {
    /// The events that the decision implies, in the order in which they are appended: refusals of replans, a conflict that was found,
    /// the decision, and the proposal of a replan. The plan tree itself is changed by who applies them.
    pub fn events(&self, ids: &Ids, now: &str) -> Vec<Event> {
        let decision = &self.decision;
        let attempt = decision.attempt.to_string();
        let of = decision.history_ref.as_deref().unwrap_or(now);
        let seed = [&*decision.node_id, of, &*decision.operation.0, &*attempt];
        let event = |word: &str, about: &str, body: Body| {
            let id = hex16(&[&seed[..], &[word, about]].concat());
            Event::new(id, now, &decision.node_id, ids, body)
        };
        let about = |node: &str| PlanEvent { target: Some(node.to_owned()), ..PlanEvent::default() };
        let refused = self.refused.iter().map(|node| {
            let reason = Some("replan_budget_exhausted".to_owned());
            let body = Body::ReplanRefusedBudget(PlanEvent { reason, ..about(node) });
            event("replan_refused_budget", node, body)
        });
        let mut events: Vec<Event> = refused.collect();
        if let Some(met) = &self.met {
            let id = met.conflict_id.as_deref().unwrap_or_default();
            events.push(event("conflict_detected", id, Body::ConflictDetected(met.clone())));
        }
        events.push(event("decision", "", Body::Decision { decision: Some(Box::new(decision.clone())) }));
        if decision.mutation == Some(Mutation::ReDecompose) {
            let target = &decision.target_node;
            events.push(event("replan_proposed", target, Body::ReplanProposed(about(target))));
        }
        events
    }
}
