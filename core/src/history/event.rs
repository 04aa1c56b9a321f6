//! What happened: the events of a history.

use serde::{Deserialize, Serialize, Serializer};

use super::node::{HISTORY_NODE, PROJECT};
use super::recovery::Reflection;
use super::recovery::{RecoveryAttempt, RecoveryComplete};
use super::state::seen_key;
use crate::conflicts::Conflict;
use crate::digest::hex16;
use crate::model::{Category, Class};
use crate::model::{
    Check, Decision, DecisionAction, Host, Ids, Intent, KnownConflict, MetMode, Misfit, NearName, NodeStatus,
    Operation, Outcome, Phase, PlanFacts, Reading, Signature, Stash, Topic, Verdict,
};

/// One event of `history.jsonl`: the truth that state, reports and counters are made from. Its head is what every event
/// has; the body is by kind. The line that it is written as is known to [`super::line`] only.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The version of the line's shape: [`Event::VERSION`].
    pub v: u32,
    /// 16 hexadecimal digits, made from what happened: the same happening has the same id.
    pub id: String,
    /// When it was written, RFC 3339 UTC with milliseconds. Information only: the order in the file is the order.
    pub ts: String,
    /// The plan node, session or subagent that it belongs to.
    pub node: String,
    /// The client's session.
    pub session: Option<String>,
    /// The subagent, inside one.
    pub agent: Option<String>,
    /// The client.
    pub host: Host,
    /// The linked git worktree, outside the main one.
    pub worktree: Option<String>,
    /// The call.
    pub tool_use_id: Option<String>,
    /// Written without the lock, which could not be had in time.
    pub unlocked: bool,
    /// How much of the history its writer had read, in bytes, where it wrote without the lock: what stands between that
    /// and the event it could not know.
    pub read_to: Option<u64>,
    /// Decided on the end of the history only: the rest was too far behind. So are the later ones of the node, until the
    /// episodes that were open then have ended.
    pub history_truncated: bool,
    /// What happened.
    pub body: Body,
}

impl Event {
    /// The version that this build writes and the highest that it reads.
    pub const VERSION: u32 = 1;

    /// An event in the main worktree.
    pub fn new(id: String, ts: &str, node: &str, ids: &Ids, body: Body) -> Self {
        Self {
            v: Self::VERSION,
            id,
            ts: ts.to_owned(),
            node: node.to_owned(),
            session: ids.session.clone(),
            agent: ids.agent.clone(),
            host: ids.host,
            worktree: None,
            tool_use_id: ids.tool_use.clone(),
            unlocked: false,
            read_to: None,
            history_truncated: false,
            body,
        }
    }

    /// Whether an older plan tree wrote it: its lines have no id, and say nothing of what was run and printed.
    pub fn is_older(&self) -> bool {
        self.id.is_empty()
    }

    /// What kind of event it is.
    pub fn kind(&self) -> EventKind {
        self.body.kind()
    }

    /// The call that ended, failed or not.
    pub fn execution(&self) -> Option<&Execution> {
        match &self.body {
            Body::ExecutionCompleted(execution) | Body::ExecutionFailed(execution) => Some(execution),
            _ => None,
        }
    }

    /// The call that ended, to be corrected before it is recorded.
    pub fn execution_mut(&mut self) -> Option<&mut Execution> {
        match &mut self.body {
            Body::ExecutionCompleted(execution) | Body::ExecutionFailed(execution) => Some(execution),
            _ => None,
        }
    }

    /// The call that the guard refused, or lets through.
    pub fn guarded_call(&self) -> Option<&GuardedCall> {
        match &self.body {
            Body::CallRefused(call) | Body::GuardOpened(call) => Some(call),
            _ => None,
        }
    }

    /// The tool's canonical name, where it is about a call.
    pub fn tool(&self) -> Option<&str> {
        let tool = self.execution().map(|execution| &execution.tool);
        tool.or_else(|| self.guarded_call().map(|call| &call.tool))?.as_deref()
    }

    /// Whether it tells of a call that failed.
    pub fn is_failure(&self) -> bool {
        matches!(self.body, Body::ExecutionFailed(_))
    }

    /// The key under which this end of a call is remembered; None for what is no end of a call.
    pub fn seen_key(&self) -> Option<u64> {
        seen_key(self.tool_use_id.as_deref(), self.execution()?.phase, &self.id)
    }

    /// The verdict on a failed call.
    pub fn verdict(&self) -> Option<&Verdict> {
        match &self.body {
            Body::FailureClassified(classified) => classified.verdict.as_ref(),
            _ => None,
        }
    }

    /// The planner's decision.
    pub fn decision(&self) -> Option<&Decision> {
        match &self.body {
            Body::Decision { decision } => decision.as_deref(),
            _ => None,
        }
    }

    /// The node in whose state the event is folded: the one that a planner's event is about, else the one that it belongs
    /// to.
    pub fn subject(&self) -> &str {
        match &self.body {
            Body::ReplanProposed(plan)
            | Body::ReplanRefusedBudget(plan)
            | Body::FreezeApplied(plan)
            | Body::ThawApplied(plan) => plan.target.as_deref().unwrap_or(&self.node),
            _ => &self.node,
        }
    }

    /// Whether it is a decision to retry, which takes a token of the project's bucket.
    pub fn takes_a_token(&self) -> bool {
        self.decision().is_some_and(|decision| decision.action == DecisionAction::Retry)
    }

    /// Every node in whose state the event is folded.
    pub fn folded_into(&self) -> impl Iterator<Item = &str> {
        // What people say of patterns is no node's.
        let is_of_a_node = !matches!(
            self.body,
            Body::HistoryBegun { .. }
                | Body::VerdictInDoubt { .. }
                | Body::PatternMuted(_)
                | Body::PatternUnmuted(_)
                | Body::FixReported(_)
        );
        let is_of_a_node =
            is_of_a_node && !matches!(self.body, Body::CaseDiagnosed { .. } | Body::CaseFixReported { .. });
        let subject = is_of_a_node.then(|| self.subject());
        subject.into_iter().chain(self.takes_a_token().then_some(PROJECT))
    }

    /// The event that follows a verdict which was made without knowing of an event that was there before it. It has the
    /// verdict's time.
    pub fn in_doubt(verdict: &Self, reason: &str) -> Self {
        let id = hex16(&["verdict_in_doubt", &verdict.id]);
        let body = Body::VerdictInDoubt { verdict_id: Some(verdict.id.clone()), reason: Some(reason.to_owned()) };
        let mut event = Self::new(id, &verdict.ts, &verdict.node, &verdict.ids(), body);
        event.worktree.clone_from(&verdict.worktree);
        event
    }

    /// The event that a history's parts begin with.
    pub fn history_begun(history_id: &str, ts: &str) -> Self {
        let id = hex16(&["history_begun", history_id, ts]);
        let body = Body::HistoryBegun { history_id: Some(history_id.to_owned()) };
        Self::new(id, ts, HISTORY_NODE, &Ids::default(), body)
    }

    /// Who called.
    pub fn ids(&self) -> Ids {
        Ids {
            host: self.host,
            session: self.session.clone(),
            agent: self.agent.clone(),
            tool_use: self.tool_use_id.clone(),
        }
    }
}

/// What happened, with the fields of its kind. Where a field is optional, lines of other writers may lack it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Body {
    /// A call ended and the work did not fail: it succeeded, or its outcome says why it does not count.
    ExecutionCompleted(Box<Execution>),
    /// A call failed.
    ExecutionFailed(Box<Execution>),
    /// The verdict on a failed call.
    FailureClassified(Box<Classified>),
    /// A verdict was made without knowing of an event that was there before it.
    VerdictInDoubt {
        /// The `failure_classified` event that holds the verdict.
        #[serde(skip_serializing_if = "Option::is_none")]
        verdict_id: Option<String>,
        /// What it did not know of, for people.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// The agent was told of open episodes, or of a call that waits, outside a failure.
    AdviceGiven {
        /// The episodes; none of a call that waits.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        episodes: Vec<String>,
    },
    /// The person was told: a failure needs them, or is still open.
    PersonTold {
        /// The episodes.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        episodes: Vec<String>,
        /// The kind of message.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// A decision of the planner's step.
    Decision {
        /// The decision; None where the line lacks it.
        #[serde(skip_serializing_if = "Option::is_none")]
        decision: Option<Box<Decision>>,
    },
    /// A session or subagent was bound to a plan node, or let go from the one that it was bound to.
    NodeBound {
        /// The plan node.
        #[serde(skip_serializing_if = "Option::is_none")]
        target: Option<String>,
    },
    /// A subagent that was bound to a plan node ended: nobody works on the node unless somebody claims it.
    AgentEnded {
        /// The plan node.
        #[serde(skip_serializing_if = "Option::is_none")]
        target: Option<String>,
    },
    /// Somebody reported what fixed a failure.
    FixReported(PlanEvent),
    /// A failed test case was diagnosed.
    CaseDiagnosed {
        /// The case.
        case: Box<CaseNote>,
    },
    /// Somebody reported what was tried against a failed test case: on the wire a `fix_reported` with the case.
    CaseFixReported {
        /// The case, and what was tried.
        case: Box<CaseNote>,
    },
    /// Nothing of a known failure is to be told; with a reason, it is forgotten as well.
    PatternMuted(PlanEvent),
    /// What is known of a failure is mentioned again.
    PatternUnmuted(PlanEvent),
    /// A call that did not fail went against a constraint of the plan: the node that sets it, and how.
    ConstraintViolated(PlanEvent),
    /// Two nodes were found in each other's way.
    ConflictDetected(PlanEvent),
    /// A conflict was arbitrated.
    ConflictArbitrated(PlanEvent),
    /// A replan was proposed.
    ReplanProposed(PlanEvent),
    /// A replan was refused: its budget is used up.
    ReplanRefusedBudget(PlanEvent),
    /// A branch was frozen.
    FreezeApplied(PlanEvent),
    /// A branch was thawed.
    ThawApplied(PlanEvent),
    /// A person's prompt, or another status of a plan node.
    StateChanged {
        /// What changed; None where the line does not say.
        #[serde(rename = "message", skip_serializing_if = "Option::is_none")]
        change: Option<StateChange>,
        /// Why, for people.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// The guard refused a call before it ran.
    CallRefused(Box<GuardedCall>),
    /// A person opened the guard.
    GuardOpened(Box<GuardedCall>),
    /// A hook could not do its work.
    HookError {
        /// What went wrong inside Failwise.
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    /// A step of `failwise run` or of a workflow ended.
    StepEnded {
        /// What it came to.
        step: Box<StepSummary>,
    },
    /// A diagnosis that a recovery plan was made from.
    DiagnosticReflection {
        /// The diagnosis.
        reflection: Box<Reflection>,
    },
    /// An agent was given a recovery plan.
    RecoveryAttempt {
        /// The plan.
        attempt: Box<RecoveryAttempt>,
    },
    /// What became of a recovery plan.
    RecoveryComplete {
        /// What became of it.
        complete: Box<RecoveryComplete>,
    },
    /// A history, or a part of one, begins: who began it believes it.
    HistoryBegun {
        /// The history's id, which the user's state directory knows.
        #[serde(skip_serializing_if = "Option::is_none")]
        history_id: Option<String>,
    },
    /// An event of an older plan tree or of a newer version: kept in the file, read by nobody here.
    Foreign,
}

/// A failed test case that somebody asked about, or tried something against.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CaseNote {
    /// The run; empty where a pattern was named in its place.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub run: String,
    /// The case's name; empty where a pattern was named in its place.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Its category, in the words of `argus`.
    pub category: String,
    /// Its signature: 64 hexadecimal digits, or that of a built-in.
    pub signature: String,
    /// The readable pattern that the signature is made from.
    pub pattern: String,
    /// What was done: one line, redacted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// Whether that worked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success: Option<bool>,
}

/// What a step of `failwise run` or of a workflow came to. Its failures are those of its session: they are not counted
/// here a second time.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct StepSummary {
    /// The run: what its processes carry in `FAILWISE_RUN`.
    pub run: String,
    /// The workflow, where it was a step of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<String>,
    /// The step's name; of `failwise run` that of its command file.
    pub name: String,
    /// Whether it did its work.
    pub success: bool,
    /// Whether a text was extracted from its stream.
    pub has_result: bool,
    /// How often the client was started.
    pub attempts: u32,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// What it cost, in dollars, where the stream told it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// Who acts next, where it or an attempt before its last failed and was classified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<Class>,
    /// What kind of error that was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    /// What ended it, in the client's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A call that ended: everything that a rule may read of it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Execution {
    /// The tool's canonical name.
    #[serde(skip_serializing)]
    pub tool: Option<String>,
    /// Which end of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
    /// What became of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Why that outcome, where it needs saying.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// What was being done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<Operation>,
    /// The call's command or target as given, redacted, at most 300 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// Whether `input` is not the call's command byte for byte: a secret, a hidden sign or its end was taken out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub input_altered: bool,
    /// The working directory that the host gave: of a failure, and of what hands work over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// What the call may have changed.
    #[serde(skip_serializing_if = "Effect::is_none")]
    pub effect: Effect,
    /// The exit code, where the host states one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The end of the output, redacted, at most 4 KiB; only of failures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What the output says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reading: Option<Reading>,
    /// The error's fingerprint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<Signature>,
    /// The files that the call changed or touched. Of a node of the plan also those that a line which passed wrote, moved or
    /// took away; one that ends in `/` is a folder in which it did.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files_touched: Vec<String>,
    /// The files that a line of a node of the plan wrote, moved or took away before the command of it that failed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub wrote: Vec<String>,
    /// Why it failed, where the sender knows: `conflict`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// The conflict that stopped the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conflict_id: Option<String>,
    /// How often this node failed, where the sender says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_attempts: Option<u32>,
    /// The background task that the call started or left behind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background_task: Option<String>,
    /// The identity of the call: tool, working directory and all of the command, redacted; 16 hexadecimal digits. Only of
    /// calls that the guard counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// The limit in milliseconds that the call itself asked for: only of calls that wait for a person at a terminal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// The failure mode that the call met, where the agent may be told of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub met: Option<MetMode>,
    /// How long it took in milliseconds: only of failures that took [`Execution::LONG_MS`] or more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<u64>,
    /// The host that a network program named and reached: only where the node tried another one in vain before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answered: Option<String>,
    /// The checks that a command line ran, at most [`Execution::CHECKS`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<Check>,
    /// Why the call says nothing of the work, where it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intent: Option<Intent>,
    /// Whether it was made together with a call before it that failed in the same operation: then it is no retry of that.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub parallel: bool,
    /// Whether it put the work away, or brought it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stash: Option<Stash>,
    /// The files that it put back as they were, as given; a `.` is all of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub restored: Vec<String>,
    /// The files that a command line changed by its words, as given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
    /// Where the text of a failed edit stands all the same, as its file was seen then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub misfit: Option<Box<Misfit>>,
}

impl Execution {
    /// Whether the call waited, by a known property of its tool, until the client moved it to the background.
    pub fn hung(&self) -> bool {
        self.met.is_some() && self.background_task.is_some()
    }

    /// The most checks kept of a command line, and the most files that it put back or changed.
    pub const CHECKS: usize = 8;
    /// The most of a failing output that the history keeps, in bytes, from its end.
    pub const TEXT_LIMIT: usize = 4096;
    /// From so many milliseconds on it is kept how long a failure took.
    pub const LONG_MS: u64 = 30_000;
}

/// The verdict on a failed call, and what the agent heard of it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Classified {
    /// Which end of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
    /// The plan facts that the verdict used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanFacts>,
    /// The verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Whether the agent was told, so that it is not told twice.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub advised: bool,
    /// What kind of sentence that was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<Topic>,
    /// The number of the failure mode that the call met, where the agent may be told of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<u8>,
    /// The fix that it told, by its id, where it was what worked before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub told: Option<String>,
    /// The only name that a missing one may have meant, where it was looked for and found, told or not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub near: Option<NearName>,
}

/// What befell a node of the plan.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PlanEvent {
    /// The node that it is about, where that is another one: whose branch stops or goes on, what is planned anew, who
    /// gives way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The conflict that it came of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conflict_id: Option<String>,
    /// Why, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl PlanEvent {
    /// What names the constraint that a `constraint_violated` is about: the words before what was done.
    pub fn constraint(&self) -> Option<String> {
        let words = self.reason.as_deref()?;
        Some(hex16(&[words.split_once("`: ").map_or(words, |(constraint, _)| constraint)]))
    }

    /// The conflict that a `conflict_detected` is about, as the node sees it that met it.
    pub fn conflict(&self) -> Option<KnownConflict> {
        let file = self.reason.as_deref().and_then(Conflict::file_in)?.to_owned();
        let (id, with) = (self.conflict_id.clone()?, self.target.clone());
        Some(KnownConflict { id, with, blocks: false, files: vec![file] })
    }
}

/// A call that the guard refuses, or lets through.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct GuardedCall {
    /// The tool's canonical name.
    #[serde(skip_serializing)]
    pub tool: Option<String>,
    /// What would be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<Operation>,
    /// The call's command as given, redacted, at most 300 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// Why it was refused, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The identity of the call: [`Execution::call`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// Until when the guard refuses the call unchanged, or lets it through, RFC 3339 UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}

/// What changed without a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StateChange {
    /// A person wrote to the agent.
    Prompt,
    /// The same, and said that a test is to fail before it passes.
    RedPrompt,
    /// A node of the plan became something else.
    Status {
        /// What it was; None where it was nothing, or something that is not known here.
        from: Option<NodeStatus>,
        /// What it was and what it is, in the words of who wrote it.
        words: String,
    },
    /// Something else, in the words of who wrote it.
    Other(String),
}

impl Serialize for StateChange {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.words())
    }
}

impl StateChange {
    const PROMPT: &str = "prompt";
    const RED_PROMPT: &str = "prompt (red phase)";
    const TO: &str = " -> ";

    /// A node became something else; None is for a node that was not there, or is gone.
    pub fn status(from: Option<NodeStatus>, to: Option<NodeStatus>) -> Self {
        let word = |status: Option<NodeStatus>| status.map_or("none", NodeStatus::as_str);
        Self::Status { from, words: [word(from), Self::TO, word(to)].concat() }
    }

    /// What a node became, where that is what changed.
    pub fn became(&self) -> Option<NodeStatus> {
        match self {
            Self::Status { words, .. } => NodeStatus::from_word(words.split_once(Self::TO)?.1),
            _ => None,
        }
    }

    /// The change that a line's message tells of.
    pub fn parse(message: String) -> Self {
        match message.split_once(Self::TO) {
            _ if message == Self::PROMPT => Self::Prompt,
            _ if message == Self::RED_PROMPT => Self::RedPrompt,
            Some((from, _)) => Self::Status { from: NodeStatus::from_word(from), words: message },
            None => Self::Other(message),
        }
    }

    /// The message of its line.
    pub fn words(&self) -> &str {
        match self {
            Self::Prompt => Self::PROMPT,
            Self::RedPrompt => Self::RED_PROMPT,
            Self::Status { words, .. } | Self::Other(words) => words,
        }
    }

    /// Whether a person wrote to the agent.
    pub const fn is_prompt(&self) -> bool {
        matches!(self, Self::Prompt | Self::RedPrompt)
    }

    /// Whether it lets a call pass that failed before: a person spoke, or what had stopped the node is out of its way. That
    /// a node was claimed, ended or stopped says nothing of it.
    pub fn begins_anew(&self) -> bool {
        match self {
            Self::Status { from, .. } => matches!(from, Some(NodeStatus::Frozen | NodeStatus::Blocked)),
            Self::Prompt | Self::RedPrompt | Self::Other(_) => true,
        }
    }
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $word:literal,)*) => {
        /// The kinds of events, by the words of the wire.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum EventKind {
            $($(#[$doc])* $kind,)*
            /// An event of an older plan tree or of a newer version: kept in the file, read by nobody here.
            #[default]
            #[serde(other)]
            Foreign,
        }

        impl EventKind {
            /// Every kind that is written.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)*];

            /// The word on the wire.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$kind => $word,)*
                    Self::Foreign => "foreign",
                }
            }
        }

        impl Body {
            /// What kind of event it makes.
            pub fn kind(&self) -> EventKind {
                match self {
                    $(Self::$kind { .. } => EventKind::$kind,)*
                    Self::CaseFixReported { .. } => EventKind::FixReported,
                    Self::Foreign => EventKind::Foreign,
                }
            }
        }
    };
}

kinds! {
    /// A call ended and the work did not fail: it succeeded, or its outcome says why it does not count.
    ExecutionCompleted = "execution_completed",
    /// A call failed.
    ExecutionFailed = "execution_failed",
    /// The verdict on a failed call.
    FailureClassified = "failure_classified",
    /// A verdict was made without knowing of an event that was there before it.
    VerdictInDoubt = "verdict_in_doubt",
    /// The agent was told of open episodes, outside a failure.
    AdviceGiven = "advice_given",
    /// The person was told: a failure needs them, or is still open.
    PersonTold = "person_told",
    /// A decision of the planner's step.
    Decision = "decision",
    /// A session or subagent was bound to a plan node.
    NodeBound = "node_bound",
    /// A subagent that was bound to a plan node ended.
    AgentEnded = "agent_ended",
    /// Somebody reported what fixed a failure.
    FixReported = "fix_reported",
    /// Nothing of a known failure is to be told.
    PatternMuted = "pattern_muted",
    /// What is known of a failure is mentioned again.
    PatternUnmuted = "pattern_unmuted",
    /// A call that did not fail went against a constraint of the plan.
    ConstraintViolated = "constraint_violated",
    /// Two nodes were found in each other's way.
    ConflictDetected = "conflict_detected",
    /// A conflict was arbitrated.
    ConflictArbitrated = "conflict_arbitrated",
    /// A replan was proposed.
    ReplanProposed = "replan_proposed",
    /// A replan was refused: its budget is used up.
    ReplanRefusedBudget = "replan_refused_budget",
    /// A branch was frozen.
    FreezeApplied = "freeze_applied",
    /// A branch was thawed.
    ThawApplied = "thaw_applied",
    /// A person's prompt, or another status of a plan node.
    StateChanged = "state_changed",
    /// The guard refused a call before it ran.
    CallRefused = "call_refused",
    /// A person opened the guard.
    GuardOpened = "guard_opened",
    /// A hook could not do its work.
    HookError = "hook_error",
    /// An agent was given a recovery plan.
    RecoveryAttempt = "recovery_attempt",
    /// What became of a recovery plan.
    RecoveryComplete = "recovery_complete",
    /// A history, or a part of one, begins.
    HistoryBegun = "history_begun",
    /// A step of `failwise run` or of a workflow ended. The hook has no use for it, and does not know it.
    StepEnded = "step_ended",
    /// A failed test case was diagnosed. The hook has no use for it, and does not know it.
    CaseDiagnosed = "case_diagnosed",
    /// A diagnosis that a recovery plan was made from. The hook has no use for it, and does not know it.
    DiagnosticReflection = "diagnostic_reflection",
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
