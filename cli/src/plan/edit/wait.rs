//! Why a task cannot be begun now: the one answer that `claim`, `next` and `status` give.

use serde::Serialize;

use super::disk;
use super::node::Node;
use super::tree::Tree;
use crate::conflicts::frozen_by;
use crate::model::{NodeStatus, words};
use crate::plan::active::ACTIVE;
use crate::plan::files;

words! {
    /// Why a node cannot be begun now.
    pub enum WaitReason {
        /// Its file cannot be read for what it should be.
        Broken = "broken",
        /// Somebody works on it.
        Claimed = "claimed",
        /// It is frozen.
        Frozen = "frozen",
        /// It is done, discarded or archived.
        Closed = "closed",
        /// Its plan no longer fits, and nobody said that it does again.
        Outdated = "outdated",
        /// It depends on a node that is not done yet.
        Dependency = "dependency",
        /// It depends on a node that will never be done.
        DeadDependency = "dead_dependency",
        /// A node above it is frozen or closed.
        Above = "above",
    }
}

impl WaitReason {
    /// Whether it lasts until somebody does something about it.
    pub fn is_stuck(self) -> bool {
        matches!(self, Self::Broken | Self::Outdated | Self::DeadDependency)
    }
}

/// What a node waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Wait {
    /// The node that waits.
    pub id: String,
    /// Why, as one word.
    pub reason: WaitReason,
    /// The other node that it is about; None where it is about the node itself.
    pub on: Option<String>,
    /// Why, in words that complete "it cannot start: ...".
    pub why: String,
}

impl Tree {
    /// Why a node may not be begun now; None where it may.
    pub fn wait_of(&self, node: &Node) -> Option<Wait> {
        let id = &node.id;
        let wait = |reason, on: Option<&str>, why: String| {
            Some(Wait { id: id.clone(), reason, on: on.map(str::to_owned), why })
        };
        if let Some((line, what)) = node.fault() {
            let file = node.file.strip_prefix(self.dir()).unwrap_or(&node.file).display();
            let settle = node.settling().map(|settle| format!("; {settle}")).unwrap_or_default();
            return wait(WaitReason::Broken, None, format!("its file is broken ({file}:{line}: {what}){settle}"));
        }
        if !self.is_first(node) {
            return wait(WaitReason::Broken, None, format!("two nodes have its id: failwise plan renumber {id}"));
        }
        let status = node.status?;
        let reason = match status {
            NodeStatus::Planned | NodeStatus::Blocked => None,
            NodeStatus::Active => Some(WaitReason::Claimed),
            NodeStatus::Frozen => Some(WaitReason::Frozen),
            NodeStatus::Done | NodeStatus::Discarded | NodeStatus::Archived => Some(WaitReason::Closed),
        };
        if let Some(reason) = reason {
            let by = node.claimed_by.as_ref().filter(|_| reason == WaitReason::Claimed);
            let by = by.map(|holder| format!(", claimed by {holder}")).unwrap_or_default();
            let frozen = if reason == WaitReason::Frozen { self.frozen_words(node) } else { String::new() };
            return wait(reason, None, format!("it is {status}{by}{frozen}"));
        }
        if node.is_outdated() {
            let why = format!("its plan is outdated; once it fits: failwise plan set {id} {status} --reason TEXT");
            return wait(WaitReason::Outdated, None, why);
        }
        let open = || node.depends_on.iter().filter(|on| !self.is_done(on));
        let is_dead = |on: &&String| self.node(on).is_none_or(|node| node.is(NodeStatus::Discarded));
        if let Some(on) = open().find(is_dead).or_else(|| open().next()) {
            let state = self.node(on).map_or("not there", |node| node.status.map_or("broken", NodeStatus::as_str));
            let why = format!("it depends on {on}, which is {state}");
            return if is_dead(&on) {
                let choice = format!("{why}: failwise plan depend {id} --drop {on} takes it out");
                wait(WaitReason::DeadDependency, Some(on), choice)
            } else {
                wait(WaitReason::Dependency, Some(on), why)
            };
        }
        let stopped =
            |above: &&&Node| above.status.is_some_and(|status| status.is_closed() || status == NodeStatus::Frozen);
        let ancestors = self.ancestors(id);
        if let Some(above) = ancestors.iter().find(stopped) {
            let state = above.status.map_or("", NodeStatus::as_str);
            return wait(WaitReason::Above, Some(&above.id), format!("{} above it is {state}", above.id));
        }
        // Where nobody may write into the plan, each command that changes it says so.
        let is_ours = |_: &_| disk::may_put(&self.dir().join(ACTIVE)).is_ok();
        let (file, problem) = node.unwritable(self.dir()).filter(is_ours)?;
        let file = file.strip_prefix(self.dir()).unwrap_or(file).display();
        wait(WaitReason::Broken, None, format!("{file} cannot be written ({problem}): a person gives the right to"))
    }

    /// With which node a node is frozen, why, and what ends that.
    fn frozen_words(&self, node: &Node) -> String {
        if let Some(conflict) = &node.freeze.conflict
            && let Some(open) = frozen_by(&files::conflict_log(self.dir()), &node.id, conflict)
        {
            let with = open.with.map(|with| format!(": {with} goes first")).unwrap_or_default();
            return format!(" in {conflict}{with}; failwise plan conflicts show {conflict}");
        }
        let above = node.freeze.by_ancestor.as_deref().and_then(|above| self.node(above));
        let with = above.map(|above| format!(" with {}", above.id)).unwrap_or_default();
        let node = above.unwrap_or(node);
        let why = node.freeze.reason.as_deref().map(|why| format!(" ({why})")).unwrap_or_default();
        format!("{with}{why}; failwise plan thaw {}", node.id)
    }

    /// Each node, and why it may not be begun now, where it is a task that may not.
    pub fn waits(&self) -> Vec<(&Node, Option<Wait>)> {
        let waits = self.look_at_nodes(|node| if node.tier == 4 { self.wait_of(node) } else { None });
        self.nodes().zip(waits).collect()
    }

    /// Why each open task that cannot be begun now waits, or each that cannot go on by itself, in the order of the tree.
    pub fn waiting(&self, only_stuck: bool) -> Vec<Wait> {
        let is_asked =
            |wait: &Wait| if only_stuck { wait.reason.is_stuck() } else { wait.reason != WaitReason::Closed };
        self.waits().into_iter().filter_map(|(_, wait)| wait).filter(is_asked).collect()
    }
}
