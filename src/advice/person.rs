//! When a person is needed, and what they are told: in the client's own view, and by a program of theirs.

use serde::Serialize;

use super::open::{is_check, is_unresolved, named};
use crate::history::{Body, Episode, Event, State};
use crate::model::{Action, Category, Class, DecisionAction, Verdict};
use crate::text::quoted;

/// The version of what the person's program reads.
pub const SCHEMA_VERSION: u32 = 1;
/// For how long the program is not started again for a message of the same kind, in seconds.
pub const QUIET_SECONDS: i64 = 60;
/// From this attempt on a transient failure needs a person: three retries did not help.
const RETRIES_ARE_OVER: u32 = 4;
/// The most of a command that a message shows, in characters.
const SHOWN: usize = 160;

/// Why a person is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A failure that the agent cannot get past by itself.
    Escalated,
    /// A branch of the plan has stopped.
    Frozen,
    /// The agent stopped, and a failure is still open.
    StoppedWithFailure,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Escalated, Self::Frozen, Self::StoppedWithFailure];

    /// The kind that a word names.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Escalated => "escalated",
            Self::Frozen => "frozen",
            Self::StoppedWithFailure => "stopped_with_failure",
        }
    }
}

/// What a person is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Why.
    pub kind: Kind,
    /// One line, redacted and safe to show.
    pub text: String,
    /// The episodes that it is about.
    pub episodes: Vec<String>,
    /// The class of the failure, where there is one.
    pub class: Option<Class>,
    /// What kind of error it is, where there is one.
    pub category: Option<Category>,
}

/// What the person's program reads on standard input.
#[derive(Serialize)]
struct Message<'a> {
    schema_version: u32,
    kind: Kind,
    project: &'a str,
    node: &'a str,
    class: Option<Class>,
    category: Option<Category>,
    text: &'a str,
    ts: &'a str,
}

impl Notice {
    /// One line of JSON for the person's program.
    pub fn to_json(&self, project: &str, node: &str, ts: &str) -> String {
        let Self { kind, text, class, category, .. } = self;
        let (kind, class, category) = (*kind, *class, *category);
        let message = Message { schema_version: SCHEMA_VERSION, kind, project, node, class, category, text, ts };
        serde_json::to_string(&message).unwrap_or_default()
    }
}

/// Whether these events, which belong to one failure and are not folded into `state` yet, need a person who was not told of
/// their episode before.
pub fn after_failure(events: &[Event], state: &State) -> Option<Notice> {
    let failed = events.iter().find(|event| event.is_failure())?.execution()?;
    let verdict = events.iter().find_map(Event::verdict)?;
    let decided = events.iter().find_map(Event::decision).map(|decision| decision.action);
    let frozen = events.iter().find(|event| matches!(event.body, Body::FreezeApplied(_)));
    let is_told = state.episodes.iter().any(|episode| episode.id == verdict.episode && episode.person_told);
    if is_told || !(frozen.is_some() || needs_person(verdict, decided)) {
        return None;
    }
    let runner = failed.reading.as_ref().and_then(|reading| reading.runner.as_deref());
    let call = named(failed.input.as_deref(), &verdict.operation.0, runner);
    let text = match frozen {
        Some(event) => {
            let branch = quoted(event.subject(), SHOWN);
            format!("Failwise: the branch {branch} has stopped after {call} failed: {}.", why(verdict))
        }
        None => format!("Failwise: {call} needs you: {}.", why(verdict)),
    };
    Some(Notice {
        kind: if frozen.is_some() { Kind::Frozen } else { Kind::Escalated },
        text,
        episodes: vec![verdict.episode.clone()],
        class: Some(verdict.class),
        category: Some(verdict.category),
    })
}

/// A decision says it itself; without one the verdict does.
fn needs_person(verdict: &Verdict, decided: Option<DecisionAction>) -> bool {
    if let Some(action) = decided {
        return matches!(action, DecisionAction::Escalate | DecisionAction::FreezeAndEscalate);
    }
    let is_over = verdict.class == Class::F1 && verdict.attempt >= RETRIES_ARE_OVER;
    is_over || matches!(verdict.recommended_action, Action::Escalate | Action::FreezeAndEscalate)
}

fn why(verdict: &Verdict) -> String {
    let category = verdict.category.as_str();
    match verdict.class {
        Class::F1 => format!("it failed {} times for a reason outside the work ({category})", verdict.attempt),
        Class::F5 => "it goes against a constraint of the plan".to_owned(),
        _ if verdict.attempt > 1 => {
            format!("it failed {} times and the agent cannot get past it ({category})", verdict.attempt)
        }
        _ => format!("the agent cannot get past it ({category})"),
    }
}

/// What the person hears when the agent stops: failures that are still open and that nobody told them of. A check whose
/// last run failed, what the agent should have planned anew, and what no rule knows.
pub fn at_stop(state: &State) -> Option<Notice> {
    let is_open = |episode: &&Episode| {
        !episode.person_told && state.is_failing(episode) && (episode.unexplained || is_unresolved(episode))
    };
    let open: Vec<&Episode> = state.episodes.iter().filter(is_open).collect();
    let last = open.last()?;
    let more = if open.len() > 1 { format!(" and {} more", open.len() - 1) } else { String::new() };
    let what = match (last.unexplained, is_check(last)) {
        (true, _) => "failed for a reason that no rule knows",
        (false, true) => "failed in its last run",
        (false, false) => "failed again and again in the same way",
    };
    Some(Notice {
        kind: Kind::StoppedWithFailure,
        text: format!(
            "Failwise: {}{more} {what}, and has not passed since.",
            named(last.input.as_deref(), &last.operation.0, last.runner.as_deref())
        ),
        episodes: open.iter().map(|episode| episode.id.clone()).collect(),
        class: last.class,
        category: Some(last.category),
    })
}
