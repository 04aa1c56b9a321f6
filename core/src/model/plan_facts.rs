//! What a plan tree says of the node that failed.

use serde::{Deserialize, Serialize};

use super::NodeStatus;

/// What a plan tree says of the node that failed, as far as a rule may read it. Stored with each verdict, so that the
/// verdict can be made again from history alone. Without a plan tree the node is the session or the subagent in it, and
/// only [`PlanFacts::node`], [`PlanFacts::parent`] and [`PlanFacts::siblings`] say anything.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PlanFacts {
    /// The node.
    pub node: String,
    /// The node above it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Its tier: 0 mission to 4 task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<u8>,
    /// Its status as the front matter states it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// The nodes above, nearest first, at most 8. Where the node itself is no task, it comes first: it can be
    /// replanned as well.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ancestors: Vec<Ancestor>,
    /// Nodes with the same parent, at most 32.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub siblings: Vec<String>,
    /// Those of them that are being worked on. Not stored: [`SiblingEdit::active`] keeps what a decision asks.
    #[serde(skip)]
    pub active_siblings: Vec<String>,
    /// The other node that changed last what fails, or plans it and is being worked on, where the failure is answered as one beside the node's own work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed_by: Option<SiblingEdit>,
    /// The files that the node is planned to make or change, at most 32; empty when the plan names none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<String>,
    /// Whether the plan is in the red phase of test-first work, where a failing test is meant to fail.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub red_phase: bool,
    /// Constraints of the node's ancestors, nearest first, at most 32.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<Constraint>,
    /// The nodes that this one depends on, at most 16.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<Dependency>,
    /// Files that tasks of other stories and features plan, or tasks at work of the same story, at most 64.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub foreign_artifacts: Vec<ForeignArtifact>,
    /// A conflict that is not resolved and names this node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conflict: Option<KnownConflict>,
    /// Path patterns that the project's settings take out of the comparison with siblings, at most 32.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignored_paths: Vec<String>,
    /// The folder that patterns of paths start at: the project, or the linked worktree that the call worked in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// `failed_attempts` of the front matter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_attempts: Option<u32>,
    /// How many of a story's tasks have failed: only where the ruleset `classic` is evaluated, and never stored.
    #[serde(skip_serializing)]
    pub failed_children: Option<u32>,
    /// A story's tasks, at most 32, each with whether its front matter counts a failure. Not stored.
    #[serde(skip)]
    pub children: Vec<(String, bool)>,
    /// Revisions since the node became active; None when the plan does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revisions: Option<u32>,
    /// How far the node is over its token budget, as a share of it (0.5 is half over); None when not measurable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_overrun: Option<f64>,
    /// How many tokens a node at work may take, and since when it is worked on. Not stored.
    #[serde(skip)]
    pub budget: Option<(u32, String)>,
}

/// By what part of a budget of tokens more was used; 0 where it was not.
pub fn overrun_of(used: u64, budget: u32) -> f64 {
    let over = u32::try_from(used.saturating_sub(budget.into())).unwrap_or(u32::MAX);
    f64::from(over) / f64::from(budget)
}

impl PlanFacts {
    /// The nearest node, from this one upwards, that has not ended: what can be stopped is there.
    pub fn open_above(&self) -> Option<&str> {
        let has_ended = |status: Option<&str>| {
            let status = status.and_then(NodeStatus::from_word);
            matches!(status, Some(NodeStatus::Done | NodeStatus::Discarded | NodeStatus::Archived))
        };
        let own = (self.node.as_str(), self.status.as_deref());
        let above = self.ancestors.iter().map(|above| (above.id.as_str(), above.status.as_deref()));
        std::iter::once(own).chain(above).find(|(_, status)| !has_ended(*status)).map(|(id, _)| id)
    }

    /// What is to be known of another node beside this one, which changed a file or plans it.
    pub fn edit_by(&self, node: &str, file: &str) -> SiblingEdit {
        let elsewhere = self.elsewhere().find(|foreign| foreign.task == node);
        SiblingEdit {
            node: node.to_owned(),
            file: self.in_project(file).to_owned(),
            active: self.is_at_work(node),
            feature: elsewhere.map(|foreign| foreign.feature.clone()),
        }
    }

    /// The planned files of other stories and features.
    pub fn elsewhere(&self) -> impl Iterator<Item = &ForeignArtifact> {
        self.foreign_artifacts.iter().filter(|foreign| !self.siblings.contains(&foreign.task))
    }

    /// Whether another node is being worked on.
    pub fn is_at_work(&self, node: &str) -> bool {
        let mut elsewhere = self.foreign_artifacts.iter().filter(|foreign| foreign.active);
        self.active_siblings.iter().any(|sibling| sibling == node) || elsewhere.any(|foreign| foreign.task == node)
    }

    /// Whether a feature is the node's own, or one around that.
    pub fn is_below(&self, feature: &str) -> bool {
        self.ancestors.iter().any(|above| above.id == feature)
    }

    /// A path as patterns name it: relative to the project where it is in there, else as it is.
    pub fn in_project<'a>(&self, path: &'a str) -> &'a str {
        let rest = self.root.as_deref().and_then(|root| path.strip_prefix(root.trim_end_matches('/')));
        rest.and_then(|rest| rest.strip_prefix('/')).unwrap_or(path)
    }
}

/// A file that another node changed last, or plans, and that a failure lies in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiblingEdit {
    /// The other node.
    pub node: String,
    /// The file, relative to the project where it is in there.
    pub file: String,
    /// Whether the other node was still being worked on.
    #[serde(default)]
    pub active: bool,
    /// The other node's feature, where that is no sibling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature: Option<String>,
}

/// A node above the one that failed, as far as a replan asks for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ancestor {
    /// Its id.
    pub id: String,
    /// Its tier: 0 mission to 4 task.
    pub tier: u8,
    /// Its status as the front matter states it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// How often it may still be replanned.
    pub replans_left: u32,
}

/// A machine-readable constraint that an ancestor sets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Constraint {
    /// The ancestor's id.
    pub from: String,
    /// What it forbids or asks for.
    pub kind: ConstraintKind,
    /// A path pattern, a command's beginning, a package name, or a check's command.
    pub value: String,
}

/// What a constraint forbids or asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConstraintKind {
    /// Files below this path are not touched.
    ForbiddenPath,
    /// Commands that begin so are not run.
    ForbiddenCommand,
    /// This package is not used.
    ForbiddenDependency,
    /// This file keeps its content.
    ProtectedFile,
    /// This check must pass.
    RequiredCheck,
}

impl ConstraintKind {
    /// Whether its values are patterns of paths.
    pub fn takes_a_pattern(self) -> bool {
        matches!(self, Self::ForbiddenPath | Self::ProtectedFile)
    }
}

/// A node that another one depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependency {
    /// Its id.
    pub id: String,
    /// Its status as the front matter states it.
    pub status: String,
    /// Its planned files, at most 16.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<String>,
}

/// A file that another task plans.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForeignArtifact {
    /// The task's feature.
    pub feature: String,
    /// The file.
    pub path: String,
    /// The task; empty in records that do not name it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub task: String,
    /// Whether the task is being worked on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub active: bool,
}

/// A conflict that names a node and is not resolved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownConflict {
    /// Its id.
    pub id: String,
    /// The other node, where the record names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
    /// Whether the other node waits for this one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub blocks: bool,
    /// The files that it is about, at most 8.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}
