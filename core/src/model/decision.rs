//! The answer of the planner's step.

use serde::{Deserialize, Serialize};

use super::{Class, Operation, words};

/// What happens now, after a verdict. A pure function of verdict, node, history and time: same input, same bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// What happens now.
    pub action: DecisionAction,
    /// The plan node, session or subagent that the failure belongs to.
    pub node_id: String,
    /// The node that the action is about: an ancestor where a replan is decided, else the node itself.
    pub target_node: String,
    /// The class of the verdict, where one was decided on.
    pub class: Option<Class>,
    /// What was being done.
    pub operation: Operation,
    /// The episode that the decision belongs to.
    pub episode: Option<String>,
    /// Which attempt of its episode failed.
    pub attempt: u32,
    /// How long to wait before a retry, in milliseconds; 0 where nothing is to be waited for.
    pub delay_ms: u64,
    /// The time before which no retry is made, RFC 3339 UTC.
    pub not_before: Option<String>,
    /// What is left after this decision.
    pub budgets: Budgets,
    /// What a replan would change.
    pub mutation: Option<Mutation>,
    /// Why, in words for people and planners; events of the history are named as `history:ID`.
    pub reasons: Vec<String>,
    /// What to run next, in this order: each either an argument array, or a bounded shell form for the background.
    pub next_commands: Vec<NextCommand>,
    /// The `execution_failed` event that was decided on.
    pub history_ref: Option<String>,
    /// The version of this shape.
    pub schema_version: u32,
}

impl Decision {
    /// The version of the decision's shape.
    pub const SCHEMA_VERSION: u32 = 1;
}

words! {
    /// What happens now. The order is that of severity, from nothing to a stopped branch: how much of the work is put in
    /// doubt, and who has to act. While the same failure repeats, a later decision is never less severe than an earlier one.
    pub enum DecisionAction {
        /// The call was no failure of the work.
        None = "none",
        /// Make the same call again, not before [`Decision::not_before`].
        Retry = "retry",
        /// One retry, since the call passed before and nothing changed since.
        SingleRetry = "single_retry",
        /// Look whether the call took effect before anything else: a blind retry might do it twice.
        CheckFirst = "check_first",
        /// The agent fixes the cause.
        SelfHeal = "self_heal",
        /// The agent fixes the cause and runs the same call again.
        FixAndRerun = "fix_and_rerun",
        /// One retry, since nobody knows the cause; when it fails too, a person is asked.
        SingleRetryThenEscalate = "single_retry_then_escalate",
        /// Replan the story.
        ReplanStory = "replan_story",
        /// Replan the feature.
        ReplanFeature = "replan_feature",
        /// Ask a person.
        Escalate = "escalate",
        /// Decide between the two sides of a conflict.
        Arbitrate = "arbitrate",
        /// Stop this branch and ask a person.
        FreezeAndEscalate = "freeze_and_escalate",
    }
}

/// What is left to spend after a decision. None where nothing limits it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Budgets {
    /// Retries of this episode.
    pub retries: Option<u32>,
    /// Retries of the whole project at this moment.
    pub project_retries: Option<u32>,
    /// Replans of the target node.
    pub replans: Option<u32>,
}

/// What a replan changes in the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mutation {
    /// The target's children are replanned (T3, T2).
    ReDecompose,
    /// The task is given up (T4).
    DiscardTask,
    /// The target's children change their order.
    Reprioritize,
    /// The feature becomes an initiative.
    Promote,
    /// The branch stops.
    Freeze,
}

/// A command that the client lets an agent run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NextCommand {
    /// The program and its arguments, where no shell is needed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub argv: Vec<String>,
    /// A command line for the client's shell tool, where a shell is needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shell: Option<String>,
    /// Whether it must run in the background: the client refuses a foreground `sleep`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub background: bool,
    /// The longest it may take, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// What it is for.
    pub why: String,
}

impl NextCommand {
    /// A command for a purpose, with nothing to run yet.
    pub fn to(why: impl Into<String>) -> Self {
        Self { argv: Vec::new(), shell: None, background: false, timeout_ms: None, why: why.into() }
    }
}
