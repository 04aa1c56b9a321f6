//! Stopping a branch, and letting it go on.

use super::document::yaml;
use super::editor::{Change, Editor, text};
use super::error::ChangeError;
use super::node::Node;
use crate::conflicts::is_resolved;
use crate::history::{Body, PlanEvent};
use crate::model::{NodeStatus, is_node_id};
use crate::plan::files;

/// The fields that a freeze leaves.
const FIELDS: [&str; 4] = ["freeze_reason", "frozen_at", "frozen_by_ancestor", "conflict_id"];

/// What becomes of a branch that is thawed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Thaw {
    /// It is discarded instead of planned again.
    pub discard: bool,
    /// Even though its conflict is not resolved.
    pub force: bool,
}

impl Editor {
    /// Freezes a node and what is open below it; never what is beside it. `conflict` is the conflict that has to be
    /// resolved before a thaw.
    ///
    /// # Errors
    /// When there is no such node, it may not be frozen, or a file cannot be written.
    pub fn freeze(&mut self, id: &str, reason: &str, conflict: Option<&str>, now: &str) -> Result<Change, ChangeError> {
        let reason = text(reason);
        if reason.is_empty() {
            return Err(ChangeError::refused("a freeze needs a reason", "add --reason TEXT"));
        }
        if conflict.is_some_and(|conflict| !is_node_id(conflict)) {
            return Err(ChangeError::refused("that is no id of a conflict", "ids are letters, digits, `-`, `_`, `.`"));
        }
        let mut draft = self.draft("freeze", id, now);
        let node = self.known(id)?;
        refuse_unless(node, NodeStatus::Frozen, "only what is planned, active or blocked is frozen")?;
        let fields = [("freeze_reason", Some(yaml(&reason))), ("frozen_at", Some(yaml(now)))];
        draft.become_(node, NodeStatus::Frozen, Some(&reason))?;
        draft.edit(node, &fields)?;
        draft.edit(node, &[("frozen_by_ancestor", None), ("conflict_id", conflict.map(yaml))])?;
        let below: Vec<&Node> = self.tree().descendants(id).into_iter().filter(|node| is_open(node)).collect();
        for node in below {
            draft.become_(node, NodeStatus::Frozen, Some(&reason))?;
            draft.edit(node, &fields)?;
            draft.edit(node, &[("frozen_by_ancestor", Some(yaml(id)))])?;
        }
        let conflict_id = conflict.map(str::to_owned);
        let frozen = PlanEvent { target: Some(id.to_owned()), conflict_id, reason: Some(reason.clone()) };
        draft.tell(id, Body::FreezeApplied(frozen));
        self.make(draft)
    }

    /// Thaws a node that was frozen by itself, and what was frozen with it and by nothing else. Its budget of replans is
    /// restored.
    ///
    /// # Errors
    /// When there is no such node, it is not frozen, its conflict is not resolved, or a file cannot be written.
    pub fn thaw(&mut self, id: &str, how: Thaw, now: &str) -> Result<Change, ChangeError> {
        let mut draft = self.draft("thaw", id, now);
        let node = self.known(id)?;
        let to = if how.discard { NodeStatus::Discarded } else { NodeStatus::Planned };
        if !node.is(NodeStatus::Frozen) {
            refuse_unless(node, to, "only a frozen node is thawed: `failwise plan status` shows them")?;
            return Err(ChangeError::refused(
                format!("{id} is not frozen"),
                "`failwise plan status` lists frozen nodes",
            ));
        }
        if let Some(above) = self.tree().ancestors(id).into_iter().find(|above| above.is(NodeStatus::Frozen)) {
            let what = format!("{id} is below {}, which is frozen", above.id);
            return Err(ChangeError::refused(what, format!("thaw that: failwise plan thaw {}", above.id)));
        }
        if let Some(conflict) = node.freeze.conflict.as_deref().filter(|_| !how.force) {
            self.refuse_unresolved(id, conflict)?;
        }
        let with = |below: &&Node| below.is(NodeStatus::Frozen) && below.freeze.by_ancestor.as_deref() == Some(id);
        // The branch's lowest nodes first: those above them are what their freeze speaks of.
        let below: Vec<&Node> = self.tree().descendants(id).into_iter().filter(with).collect();
        let why = if how.discard { "its branch was discarded" } else { "its branch was thawed" };
        for node in below.into_iter().rev() {
            draft.become_(node, to, Some(why))?;
            draft.edit(node, &FIELDS.map(|field| (field, None)))?;
        }
        draft.become_(node, to, Some(why))?;
        draft.edit(node, &FIELDS.map(|field| (field, None)))?;
        if node.replans.remaining < node.replans.total {
            let total = node.replans.total.to_string();
            let fields = [("replan_budget_remaining", Some(total.clone())), ("replan_budget_total", Some(total))];
            draft.edit(node, &fields)?;
        }
        let conflict = node.freeze.conflict.clone();
        let thawed = PlanEvent { target: Some(id.to_owned()), conflict_id: conflict, reason: Some(why.to_owned()) };
        draft.tell(id, Body::ThawApplied(thawed));
        self.make(draft)
    }

    fn refuse_unresolved(&self, id: &str, conflict: &str) -> Result<(), ChangeError> {
        let log = files::conflict_log(self.tree().dir());
        let what = match is_resolved(&log, conflict) {
            Some(true) => return Ok(()),
            Some(false) => format!("{id} waits for {conflict}, which is not resolved"),
            None => format!("{id} waits for {conflict}, of which conflicts.jsonl knows nothing"),
        };
        Err(ChangeError::refused(what, "resolve it first, or thaw with --force"))
    }
}

fn is_open(node: &Node) -> bool {
    node.status.is_some_and(NodeStatus::is_open)
}

/// Refuses a change of status that the table does not hold.
pub(super) fn refuse_unless(node: &Node, to: NodeStatus, hint: &str) -> Result<(), ChangeError> {
    let Some(from) = node.status else {
        let Some((line, fault)) = node.fault() else {
            return Err(ChangeError::refused(format!("{} has no status: it cannot become {to}", node.id), hint));
        };
        let what = format!("the file of {} is broken: line {line}: {fault}", node.id);
        let hint = node.settling().unwrap_or_else(|| "fix it: failwise plan validate says how".to_owned());
        return Err(ChangeError::refused(what, hint));
    };
    if from.may_become(to) {
        return Ok(());
    }
    Err(ChangeError::refused(format!("{} is {from}, and {from} -> {to} is not allowed", node.id), hint))
}
