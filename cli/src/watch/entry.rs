//! An event as it is shown: one line.

use serde::Serialize;

use super::who;
use crate::advice::person::NoticeKind;
use crate::history::{Body, Classified, Event, EventKind, StateChange, is_session};
use crate::model::{Category, Class, Decision, DecisionAction, Operation, Outcome};
use crate::stats::inert;
use crate::text::{many, spoken, start};

/// As much of a signature as lists print.
const SHOWN_ID: usize = 8;
/// The longest text of an entry.
const TEXT: usize = 200;
/// How much of an id is shown.
const SHORT: usize = 6;

/// An event as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WatchEntry {
    /// The version of this shape.
    pub schema_version: u32,
    /// When, as the history says: RFC 3339 UTC.
    pub ts: String,
    /// The event's word; `failure_classified` for a failure with its verdict, `execution_failed` for one without.
    pub event: EventKind,
    /// The short name of who called: session and subagent, else the plan node.
    pub name: String,
    /// The plan node, session or subagent.
    pub node: String,
    /// The session.
    pub session: Option<String>,
    /// The subagent, inside one.
    pub agent: Option<String>,
    /// What became of the call.
    pub outcome: Option<Outcome>,
    /// Who acts next, after a failure.
    pub class: Option<Class>,
    /// What kind of error it is.
    pub category: Option<Category>,
    /// The call as given, or what the event is about.
    pub text: String,
    /// The call's id, as the client names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    /// The line of the output that matters; only of failures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    /// The episode.
    pub episode: Option<String>,
    /// How often the episode failed; 0 where there is none.
    pub attempt: u32,
    /// How many retries in a row changed nothing.
    pub unchanged: u32,
    /// How many failures this pass ended.
    pub ended: u32,
    /// Whether the agent was advised.
    pub advised: bool,
    /// Who called, whole.
    #[serde(skip)]
    pub(super) who: String,
}

/// What an entry is, for a sign and a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryMark {
    /// A failure of a class.
    Failure(Class),
    /// A failure without a verdict.
    Unclassified,
    /// A call that did not fail.
    Quiet,
    /// A pass that ended failures.
    Ended,
    /// A call that the guard refused.
    Refused,
    /// A decision, or a change of the plan.
    Planned,
    /// Anything else: a prompt, an advice, an error of Failwise itself.
    Note,
}

impl WatchEntry {
    /// The version of the shape.
    pub const SCHEMA_VERSION: u32 = 1;

    /// An event as it is shown, without a verdict.
    pub(super) fn of(event: &Event) -> Self {
        Self {
            schema_version: Self::SCHEMA_VERSION,
            ts: inert(&event.ts, TEXT),
            event: event.kind(),
            name: name(event),
            node: inert(&event.node, TEXT),
            session: event.session.as_deref().map(|id| inert(id, TEXT)),
            agent: event.agent.as_deref().map(|id| inert(id, TEXT)),
            outcome: event.execution().and_then(|execution| execution.outcome),
            class: None,
            category: None,
            text: inert(&text(event), TEXT),
            tool_use_id: event.tool_use_id.as_deref().map(|id| inert(id, TEXT)),
            line: line(event),
            episode: None,
            attempt: 0,
            unchanged: 0,
            ended: 0,
            advised: matches!(event.body, Body::AdviceGiven { .. }),
            who: who(event),
        }
    }

    /// A failure with its verdict; `failure` is what was known of the call.
    pub(super) fn of_verdict(event: &Event, classified: &Classified, failure: Option<Self>) -> Self {
        let advised = classified.advised;
        let failure = failure.unwrap_or_else(|| Self { advised, ..Self::of(event) });
        let Some(verdict) = &classified.verdict else { return failure };
        let text = if failure.text.is_empty() { inert(&verdict.operation.0, TEXT) } else { failure.text };
        Self {
            event: event.kind(),
            outcome: Some(verdict.outcome),
            class: Some(verdict.class),
            category: Some(verdict.category),
            text,
            episode: Some(inert(&verdict.episode, TEXT)),
            attempt: verdict.attempt,
            unchanged: verdict.unchanged_retries,
            advised,
            ..failure
        }
    }

    /// What it is.
    pub fn mark(&self) -> EntryMark {
        match self.event {
            EventKind::FailureClassified => self.class.map_or(EntryMark::Unclassified, EntryMark::Failure),
            EventKind::ExecutionFailed => EntryMark::Unclassified,
            EventKind::ExecutionCompleted if self.ended > 0 => EntryMark::Ended,
            EventKind::ExecutionCompleted => EntryMark::Quiet,
            EventKind::CallRefused => EntryMark::Refused,
            EventKind::Decision
            | EventKind::NodeBound
            | EventKind::AgentEnded
            | EventKind::ConstraintViolated
            | EventKind::ConflictDetected
            | EventKind::ConflictArbitrated
            | EventKind::ReplanProposed
            | EventKind::ReplanRefusedBudget
            | EventKind::FreezeApplied
            | EventKind::ThawApplied => EntryMark::Planned,
            _ => EntryMark::Note,
        }
    }

    /// The words that say what it is, as people call it: the category of a failure, what became of another call, else what
    /// happened.
    pub fn word(&self) -> String {
        match self.event {
            EventKind::FailureClassified => spoken(self.category.map_or("failed", Category::as_str)),
            EventKind::ExecutionFailed => "failed".to_owned(),
            EventKind::ExecutionCompleted if self.ended > 0 => "passes again".to_owned(),
            EventKind::ExecutionCompleted => spoken(self.outcome.map_or("passed", in_one_word)),
            kind => HAPPENED
                .iter()
                .find(|(of, _)| *of == kind)
                .map_or_else(|| spoken(kind.as_str()), |(_, word)| (*word).to_owned()),
        }
    }

    /// What is worth saying of it beside its word and its text; empty where nothing is.
    pub fn detail(&self) -> String {
        let mut parts = Vec::new();
        if self.outcome == Some(Outcome::MaskedFailure) {
            parts.push("hidden".to_owned());
        }
        if self.unchanged > 0 {
            parts.push(format!("x{} unchanged", self.unchanged + 1));
        } else if self.attempt > 1 {
            parts.push(format!("attempt {}", self.attempt));
        }
        match self.ended {
            0 => {}
            1 => parts.push("after 1 failure".to_owned()),
            failures => parts.push(format!("after {failures} failures")),
        }
        if self.advised && self.event == EventKind::FailureClassified {
            parts.push("advised".to_owned());
        }
        parts.join(", ")
    }
}

/// What happened, where people have better words for it than the event has.
const HAPPENED: &[(EventKind, &str)] = &[
    (EventKind::AdviceGiven, "advice"),
    (EventKind::PersonTold, "message to you"),
    (EventKind::CallRefused, "stopped"),
    (EventKind::GuardOpened, "let through"),
    (EventKind::Decision, "next step"),
    (EventKind::StateChanged, "changed"),
    (EventKind::NodeBound, "task taken"),
    (EventKind::StepEnded, "step ended"),
    (EventKind::VerdictInDoubt, "verdict in doubt"),
    (EventKind::ConstraintViolated, "against the plan"),
    (EventKind::ConflictDetected, "conflict"),
    (EventKind::ConflictArbitrated, "conflict decided"),
    (EventKind::ReplanProposed, "replan"),
    (EventKind::ReplanRefusedBudget, "no replan left"),
    (EventKind::FreezeApplied, "frozen"),
    (EventKind::ThawApplied, "thawed"),
    (EventKind::HookError, "hook failed"),
    (EventKind::Foreign, "other"),
];

fn in_one_word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Succeeded => "passed",
        Outcome::BenignNonZero => "answered",
        Outcome::MaskedFailure => "hidden failure",
        other => other.as_str(),
    }
}

/// Why a person was told something.
fn noticed(kind: NoticeKind) -> &'static str {
    match kind {
        NoticeKind::Escalated => "a failure may need you",
        NoticeKind::Frozen => "a branch of the plan has stopped",
        NoticeKind::StoppedWithFailure => "the agent stopped, and a failure is still open",
        NoticeKind::HookBypassed => "a hook that had failed was bypassed",
        NoticeKind::ConstraintViolated => "a call went against a constraint of the plan",
    }
}

/// What was decided, in a few words: those of plans only in a plan.
pub(super) fn decision_words(decision: &Decision, node: &str) -> String {
    let action = match decision.action {
        _ if !is_session(node) => spoken(decision.action.as_str()),
        DecisionAction::ReplanStory | DecisionAction::ReplanFeature => "try another way".to_owned(),
        DecisionAction::FreezeAndEscalate => "ask a person".to_owned(),
        action => spoken(action.as_str()),
    };
    let mut words = match decision.delay_ms {
        0 => vec![action],
        delay => vec![format!("{action} in {} s", delay.div_ceil(1000))],
    };
    let left = |number: u32, one: &str, more: &str| format!("{} left", many(u64::from(number), one, more));
    words.extend(decision.budgets.retries.map(|number| left(number, "retry", "retries")));
    words.extend(decision.budgets.replans.map(|number| left(number, "replan", "replans")));
    words.join(", ")
}

/// What the event is about.
fn text(event: &Event) -> String {
    match &event.body {
        Body::ExecutionCompleted(execution) | Body::ExecutionFailed(execution) => {
            let call = call_of(execution.input.as_deref(), execution.operation.as_ref());
            let about = call.or(execution.conflict_id.as_deref()).or(execution.tool.as_deref());
            about.unwrap_or_default().to_owned()
        }
        Body::Decision { decision: Some(decision) } => {
            let operation = &decision.operation.0;
            let subject = if operation.is_empty() { &decision.target_node } else { operation };
            format!("{}: {subject}", decision_words(decision, &event.node))
        }
        Body::PersonTold { reason, .. } => {
            let reason = reason.as_deref().unwrap_or_default();
            let words = NoticeKind::from_word(reason).map(noticed);
            words.map_or_else(|| spoken(reason), str::to_owned)
        }
        Body::VerdictInDoubt { reason, .. } => because(None, reason.as_deref().map(spoken).as_deref()),
        Body::NodeBound { target } | Body::AgentEnded { target } => because(target.as_deref(), None),
        Body::FixReported(plan) | Body::PatternMuted(plan) | Body::PatternUnmuted(plan) => {
            let id = plan.target.as_deref().map(|target| format!("failure {}", start(target, SHOWN_ID)));
            because(id.as_deref(), plan.reason.as_deref())
        }
        Body::ConstraintViolated(plan)
        | Body::ConflictDetected(plan)
        | Body::ConflictArbitrated(plan)
        | Body::ReplanProposed(plan)
        | Body::ReplanRefusedBudget(plan)
        | Body::FreezeApplied(plan)
        | Body::ThawApplied(plan) => {
            because(plan.target.as_deref().or(plan.conflict_id.as_deref()), plan.reason.as_deref())
        }
        Body::StateChanged { change, reason } => {
            because(None, reason.as_deref().or(change.as_ref().map(StateChange::words)))
        }
        Body::CallRefused(call) | Body::GuardOpened(call) => {
            because(call_of(call.input.as_deref(), call.operation.as_ref()), call.reason.as_deref())
        }
        Body::HookError { message } => because(None, message.as_deref()),
        Body::StepEnded { step } => because(Some(&step.name), Some(if step.success { "done" } else { "failed" })),
        Body::CaseDiagnosed { case } => because(Some(&case.name), Some(&case.category)),
        Body::CaseFixReported { case } => because(Some(&case.name), case.fix.as_deref()),
        Body::DiagnosticReflection { reflection } => because(Some(&reflection.root_cause_description), None),
        Body::RecoveryAttempt { attempt } => because(Some(&attempt.strategy_name), Some(&attempt.strategy_description)),
        Body::RecoveryComplete { complete } => {
            because(Some(&complete.strategy_name), Some(if complete.success { "passed" } else { "failed again" }))
        }
        Body::FailureClassified(_)
        | Body::AdviceGiven { .. }
        | Body::Decision { decision: None }
        | Body::HistoryBegun { .. }
        | Body::Foreign => String::new(),
    }
}

/// The line that matters of a failure's output, else its last one.
fn line(event: &Event) -> Option<String> {
    let execution = event.execution().filter(|_| event.is_failure())?;
    let read = execution.reading.as_ref().and_then(|reading| reading.line.as_deref());
    let last = || execution.text.as_deref()?.lines().rev().find(|line| !line.trim().is_empty());
    Some(inert(read.or_else(last)?, TEXT))
}

fn call_of<'a>(input: Option<&'a str>, operation: Option<&'a Operation>) -> Option<&'a str> {
    input.or(operation.map(|operation| operation.0.as_str()))
}

fn because(about: Option<&str>, why: Option<&str>) -> String {
    match (about, why) {
        (Some(about), Some(why)) => format!("{about}: {why}"),
        (about, why) => about.or(why).unwrap_or_default().to_owned(),
    }
}

fn name(event: &Event) -> String {
    let short = |id: &str| inert(id, TEXT).chars().take(SHORT).collect::<String>();
    match (&event.session, &event.agent) {
        (Some(session), None) => short(session),
        (Some(session), Some(agent)) => format!("{}/{}", short(session), short(agent)),
        (None, _) => inert(&event.node, 2 * SHORT),
    }
}
