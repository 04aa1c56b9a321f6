//! One line of `history.jsonl`.

use serde::{Deserialize, Serialize};

use super::node::PROJECT;
use crate::model::{Decision, DecisionAction, Ids, Operation, Outcome, Phase, PlanFacts, Reading, Signature, Verdict};

/// One line of `history.jsonl`: the truth that state, reports and counters are made from.
///
/// Unknown fields are ignored; a line of a higher `v` is skipped and counted by the reader.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// The version of this shape: [`Event::VERSION`].
    pub v: u32,
    /// 16 hexadecimal digits, made from what happened: the same happening has the same id.
    pub id: String,
    /// When it was written, RFC 3339 UTC with milliseconds. Information only: the order in the file is the order.
    pub ts: String,
    /// What happened.
    pub event: EventKind,
    /// The plan node, session or subagent that it belongs to.
    pub node: String,
    /// The client's session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The subagent, inside one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The linked git worktree, outside the main one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// The tool's canonical name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    /// Which end of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
    /// What became of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Why that outcome, where it needs saying.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// What was being done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<Operation>,
    /// The call's command or target as given, redacted, at most 300 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// The working directory that the host gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// What the call may have changed.
    #[serde(default, skip_serializing_if = "Effect::is_none")]
    pub effect: Effect,
    /// The exit code, where the host states one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The end of the output, redacted, at most 4 KiB; only of failures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What the output says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<Reading>,
    /// The error's fingerprint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<Signature>,
    /// The files that the call changed or touched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files_touched: Vec<String>,
    /// Why it failed, where the sender knows: `conflict`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// The conflict that stopped the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conflict_id: Option<String>,
    /// How often this node failed, where the sender says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_attempts: Option<u32>,
    /// The background task that the call started or left behind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background_task: Option<String>,
    /// The plan facts that the verdict used (`failure_classified`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanFacts>,
    /// The verdict (`failure_classified`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Whether the agent was told (`failure_classified`), so that it is not told twice.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub advised: bool,
    /// The episodes that the agent (`advice_given`) or the person (`person_told`) was told of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub episodes: Vec<String>,
    /// The planner's decision (`decision`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Box<Decision>>,
    /// The other node that it is about: whom a session is bound to (`node_bound`), whose branch stops or goes on
    /// (`freeze_applied`, `thaw_applied`), what is planned anew (`replan_proposed`, `replan_refused_budget`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Why (`call_refused`, `person_told`: the kind of message, `freeze_applied`, `replan_refused_budget`, `conflict_arbitrated`), for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The identity of the call: tool, working directory and all of the command, redacted; 16 hexadecimal digits. Only of
    /// calls that the guard counts (`execution_failed`), refuses (`call_refused`) or lets through (`guard_opened`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// Until when the guard refuses the call unchanged (`call_refused`) or lets it through (`guard_opened`), RFC 3339 UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// What went wrong inside Failwise (`hook_error`), or what changed (`state_changed`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Written without the lock, which could not be had in time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unlocked: bool,
    /// Decided on the end of the history only: the rest was too far behind.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub history_truncated: bool,
}

impl Event {
    /// The version that this build writes and the highest that it reads.
    pub const VERSION: u32 = 1;

    /// An event with nothing but what every event has.
    pub fn new(event: EventKind, id: String, ts: &str, node: &str, ids: &Ids) -> Self {
        Self {
            v: Self::VERSION,
            id,
            ts: ts.to_owned(),
            event,
            node: node.to_owned(),
            session: ids.session.clone(),
            agent: ids.agent.clone(),
            worktree: None,
            tool: None,
            tool_use_id: ids.tool_use.clone(),
            phase: None,
            outcome: None,
            evidence: Vec::new(),
            operation: None,
            input: None,
            cwd: None,
            effect: Effect::None,
            exit_code: None,
            text: None,
            reading: None,
            signature: None,
            files_touched: Vec::new(),
            cause: None,
            conflict_id: None,
            failed_attempts: None,
            background_task: None,
            plan: None,
            verdict: None,
            advised: false,
            episodes: Vec::new(),
            decision: None,
            target: None,
            reason: None,
            call: None,
            until: None,
            message: None,
            unlocked: false,
            history_truncated: false,
        }
    }

    /// The node in whose state the event is folded: the one that a planner's event is about, else the one that it belongs
    /// to.
    pub fn subject(&self) -> &str {
        let is_planners = matches!(
            self.event,
            EventKind::ReplanProposed
                | EventKind::ReplanRefusedBudget
                | EventKind::FreezeApplied
                | EventKind::ThawApplied
        );
        self.target.as_deref().filter(|_| is_planners).unwrap_or(&self.node)
    }

    /// Whether a change of state lets a call pass that failed before: a person spoke, or what had stopped the node is out
    /// of its way. That a node was claimed, ended or stopped says nothing of it.
    pub fn begins_anew(&self) -> bool {
        let from = self.message.as_deref().and_then(|message| message.split_once(" -> "));
        from.is_none_or(|(from, _)| matches!(from, "frozen" | "blocked"))
    }

    /// Whether it is a decision to retry, which takes a token of the project's bucket.
    pub fn takes_a_token(&self) -> bool {
        self.decision.as_ref().is_some_and(|decision| decision.action == DecisionAction::Retry)
    }

    /// Every node in whose state the event is folded.
    pub fn folded_into(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.subject()).chain(self.takes_a_token().then_some(PROJECT))
    }

    /// Who called.
    pub fn ids(&self) -> Ids {
        Ids { session: self.session.clone(), agent: self.agent.clone(), tool_use: self.tool_use_id.clone() }
    }
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// A call ended and the work did not fail: it succeeded, or its outcome says why it does not count.
    ExecutionCompleted,
    /// A call failed.
    ExecutionFailed,
    /// The verdict on a failed call.
    FailureClassified,
    /// The agent was told of open episodes, outside a failure.
    AdviceGiven,
    /// The person was told: a failure needs them, or is still open.
    PersonTold,
    /// A decision of the planner's step.
    Decision,
    /// A session or subagent was bound to a plan node.
    NodeBound,
    /// Somebody reported what fixed a failure.
    FixReported,
    /// Two nodes were found in each other's way.
    ConflictDetected,
    /// A conflict was arbitrated.
    ConflictArbitrated,
    /// A replan was proposed.
    ReplanProposed,
    /// A replan was refused: its budget is used up.
    ReplanRefusedBudget,
    /// A branch was frozen.
    FreezeApplied,
    /// A branch was thawed.
    ThawApplied,
    /// A person's prompt, or another status of a plan node.
    StateChanged,
    /// The guard refused a call before it ran.
    CallRefused,
    /// A person opened the guard.
    GuardOpened,
    /// A hook could not do its work.
    HookError,
    /// An event of an older plan tree or of a newer version: kept in the file, read by nobody here.
    #[serde(other)]
    Foreign,
}

/// What a call may have changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Nothing: it only read.
    #[default]
    None,
    /// The files it names.
    Files,
    /// Whatever a shell command can change.
    Shell,
}

impl Effect {
    /// Whether nothing changed.
    pub fn is_none(&self) -> bool {
        *self == Self::None
    }
}
