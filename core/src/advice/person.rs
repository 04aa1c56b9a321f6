//! When a person is needed, and what they are told: in the client's own view, and by a program of theirs.

use serde::Serialize;

use super::last_words::{Stand, leave_open, stand};
use super::open::{
    call_name, episode_name, failed_by_result, is_check, is_green_otherwise, is_of_this_turn, is_unresolved, kind_of,
};
use crate::decide::command_of;
use crate::history::{Body, Episode, Event, Execution, Guarded, State};
use crate::model::{Action, Category, Class, DecisionAction, Outcome, Tool, ToolKind, Verdict, words};
use crate::programs::words::PAST_HOOKS;
use crate::reading::CheckKind;
use crate::shell::{Command, Script};
use crate::text::{many, quoted};

/// The version of what the person's program reads.
pub const SCHEMA_VERSION: u32 = 1;
/// For how long the program is not started again for a message of the same kind, in seconds.
pub const QUIET_SECONDS: i64 = 60;
/// From this attempt on a transient failure needs a person: three retries did not help.
const RETRIES_ARE_OVER: u32 = 4;
/// The most of a command that a message shows, in characters.
const SHOWN: usize = 160;

words! {
    /// Why a person is told.
    pub enum NoticeKind {
        /// A failure that may need a person.
        Escalated = "escalated",
        /// A branch of the plan has stopped.
        Frozen = "frozen",
        /// The agent stopped, and a failure is still open.
        StoppedWithFailure = "stopped_with_failure",
        /// A commit or push went past a hook that had failed.
        HookBypassed = "hook_bypassed",
        /// A call that did not fail went against a constraint of the plan.
        ConstraintViolated = "constraint_violated",
    }
}

/// What a person is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Why.
    pub kind: NoticeKind,
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
struct PersonMessage<'a> {
    schema_version: u32,
    kind: NoticeKind,
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
        let message = PersonMessage { schema_version: SCHEMA_VERSION, kind, project, node, class, category, text, ts };
        serde_json::to_string(&message).unwrap_or_default()
    }
}

/// What the person hears of a call that went against a constraint of the plan and did not fail.
pub fn after_violation(node: &str, why: &str) -> Notice {
    let text = format!("Failwise: {} went against the plan: {}.", quoted(node, SHOWN), quoted(why, SHOWN));
    Notice { kind: NoticeKind::ConstraintViolated, text, episodes: Vec::new(), class: None, category: None }
}

/// Whether these events, which belong to one failure and are not folded into `state` yet, need a person who was not told of
/// their episode before.
pub fn after_failure(events: &[Event], state: &State) -> Option<Notice> {
    let failed = events.iter().find(|event| event.is_failure())?.execution()?;
    let verdict = events.iter().find_map(Event::verdict)?;
    let decided = events.iter().find_map(Event::decision).map(|decision| decision.action);
    let frozen = events.iter().find(|event| matches!(event.body, Body::FreezeApplied(_)));
    // Another page tells the same, and nobody's login is needed for it.
    let is_of_web = failed.tool.as_deref().is_some_and(|tool| Tool::named(tool).kind == ToolKind::Web);
    let is_told = state.episodes.iter().any(|episode| episode.id == verdict.episode && episode.person_told);
    if is_told || is_of_web || !(frozen.is_some() || needs_person(verdict, decided)) {
        return None;
    }
    let runner = failed.reading.as_ref().and_then(|reading| reading.runner.as_deref());
    // Where the client's own tool does not start, the calls may be different ones.
    let broken = failed.tool.as_deref().filter(|tool| {
        let is_start = matches!(verdict.category, Category::CommandNotFound | Category::ToolUnavailable);
        is_start && Tool::named(tool).kind != ToolKind::Shell
    });
    let of_call = || match failed.tool.as_deref() {
        Some(Tool::MODEL_API) if verdict.category == Category::AuthRequired => {
            "the client could not ask the model: log in again (`/login`), or set a key that is valid".to_owned()
        }
        Some(Tool::MODEL_API) => format!("the client could not ask the model ({})", verdict.category.as_str()),
        _ => {
            let is_masked = verdict.outcome == Outcome::MaskedFailure;
            let check = failed_by_result(verdict.category, is_masked, failed.failed_check());
            let name = call_name(failed.input.as_deref(), &verdict.operation.0, check, runner);
            format!("{name} {}", what_came(verdict))
        }
    };
    let what = broken.map_or_else(of_call, |tool| match Tool::named(tool).kind {
        ToolKind::Search => {
            format!("the tool {} cannot start, as after an update of the client: restart it", quoted(tool, SHOWN))
        }
        _ => format!("the tool {} cannot run", quoted(tool, SHOWN)),
    });
    let text = match frozen {
        Some(event) => format!("Failwise: the branch {} has stopped: {what}.", quoted(event.subject(), SHOWN)),
        None => format!("Failwise: {what}."),
    };
    Some(Notice {
        kind: if frozen.is_some() { NoticeKind::Frozen } else { NoticeKind::Escalated },
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

/// What was counted: whether the agent gets past it nobody knows.
fn what_came(verdict: &Verdict) -> String {
    let category = verdict.category.as_str();
    match (verdict.class, verdict.attempt) {
        (Class::F5, _) => "goes against a constraint of the plan".to_owned(),
        (_, ..=1) if verdict.category == Category::AuthRequired => {
            "failed and may need you: a login, a key or its unlocking".to_owned()
        }
        (_, ..=1) => format!("failed and may need you ({category})"),
        (Class::F1, times) => format!("has failed {times} times for a reason outside the work ({category})"),
        (_, times) => format!("has failed {times} times ({category})"),
    }
}

/// What the person hears of a commit or push that went past a hook which had failed (`--no-verify`): the agent knows it, and
/// the person would not.
pub fn after_bypass(call: &Execution, state: &State) -> Option<Notice> {
    // What was refused went past nothing.
    let ran = matches!(call.outcome, Some(Outcome::Succeeded | Outcome::BenignNonZero | Outcome::MaskedFailure));
    ran.then_some(())?;
    let is_hook = |episode: &&Episode| episode.category == Category::CommitHookFailed && !episode.person_told;
    let failed = state.episodes.iter().rev().find(is_hook)?;
    let command = command_of(call)?;
    // Who let it through knows of it.
    let (tool, cwd) = (call.tool.as_deref().unwrap_or_default(), call.cwd.as_deref().unwrap_or_default());
    let is_own = |let_through: &(String, String)| let_through.0 == Guarded::identity(tool, cwd, command);
    if state.guarded.let_through.as_ref().is_some_and(is_own) {
        return None;
    }
    let script = Script::parse(command);
    let (_, command) = script.programs().find(|(_, command)| goes_past_hooks(command))?;
    let words = [command.program.as_str(), command.subcommands().next()?].join(" ");
    Some(Notice {
        kind: NoticeKind::HookBypassed,
        text: format!(
            "Failwise: `{words} --no-verify` went past a hook that had failed: {}.",
            quoted(failed.input.as_deref().unwrap_or(&failed.operation.0), SHOWN)
        ),
        episodes: vec![failed.id.clone()],
        class: failed.class,
        category: Some(failed.category),
    })
}

fn goes_past_hooks(command: &Command) -> bool {
    PAST_HOOKS.iter().any(|(words, option)| command.runs(words) && command.has_arg(option))
}

/// What the person hears when the agent stops: failures that are still open and that nobody told them of, the agent's last
/// words included. A check whose last run failed, what the agent should have planned anew, and what no rule knows, if the
/// agent did nothing else after it.
pub fn at_stop(state: &State, last_words: Option<&str>) -> Option<Notice> {
    let newest = state.episodes.iter().map(|episode| episode.last_at).max();
    let is_last =
        |episode: &Episode| state.recent.last().is_some_and(|call| call.failed) && newest == Some(episode.last_at);
    let owned_up = |episode: &Episode| {
        let stand = |words| stand(words, episode, kind_of(episode).unwrap_or(CheckKind::Any));
        last_words.is_some_and(|words| match stand(words) {
            Stand::Claims => false,
            Stand::OwnsUp => true,
            Stand::Silent => leave_open(words),
        })
    };
    let is_open = |episode: &&Episode| {
        let is_unknown_check = episode.unexplained && episode.check.is_some() && is_last(episode);
        let matters = is_unknown_check || is_unresolved(episode, state);
        // What a remote says of the state before a push is known to be old.
        let is_old =
            kind_of(episode) == Some(CheckKind::Ci) && state.changed_since(episode.last_at, &episode.operation);
        matters
            && !is_old
            && !episode.person_told
            && state.is_failing(episode)
            && is_of_this_turn(episode, state)
            && !is_green_otherwise(episode, state)
            && !owned_up(episode)
    };
    let open: Vec<&Episode> = state.episodes.iter().filter(is_open).collect();
    let last = open.last()?;
    let more = if open.len() > 1 { format!("; {} more failed too", open.len() - 1) } else { String::new() };
    let what = match (last.unexplained, is_check(last)) {
        (true, _) => "failed for a reason that no rule knows".to_owned(),
        (false, true) => "failed in its last run".to_owned(),
        (false, false) => format!("failed {}", many(last.attempts.into(), "time", "times")),
    };
    Some(Notice {
        kind: NoticeKind::StoppedWithFailure,
        text: format!("Failwise: {} {what}, and has not passed since{more}.", episode_name(last)),
        episodes: open.iter().map(|episode| episode.id.clone()).collect(),
        class: last.class,
        category: Some(last.category),
    })
}
