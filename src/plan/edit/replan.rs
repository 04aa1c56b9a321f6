//! Replanning a branch.

use super::document::yaml;
use super::editor::{Change, Editor, text};
use super::error::ChangeError;
use super::node::Node;
use crate::history::{Body, PlanEvent};
use crate::model::NodeStatus;

impl Editor {
    /// Drops what is not done below a story or feature, so that it can be replanned, and takes one replan from its
    /// budget. `avoid` tells the planner what not to do again.
    ///
    /// # Errors
    /// When there is no such node, it may not be replanned, its budget is used up (the history records it), or a file
    /// cannot be written.
    pub fn replan(&mut self, id: &str, reason: &str, avoid: Option<&str>, now: &str) -> Result<Change, ChangeError> {
        let reason = text(reason);
        if reason.is_empty() {
            return Err(ChangeError::refused("a replan needs a reason", "add --reason TEXT"));
        }
        let mut draft = self.draft("replan", id, now);
        let node = self.known(id)?;
        refuse_fixed(node)?;
        if node.replans.remaining == 0 {
            let total = node.replans.total;
            let refused = PlanEvent { target: Some(id.to_owned()), reason: Some(reason), ..PlanEvent::default() };
            draft.tell(id, Body::ReplanRefusedBudget(refused));
            self.record(draft)?;
            let what = format!("{id} has been replanned {total} times: its budget is used up");
            let hint = format!("failwise plan freeze {id} --reason replan_budget_exhausted, and ask a person");
            return Err(ChangeError::refused(what, hint));
        }
        let is_open = |node: &&Node| node.status.is_some_and(|status| !status.is_closed());
        let below: Vec<&Node> = self.tree().descendants(id).into_iter().filter(is_open).collect();
        for node in below.into_iter().rev() {
            draft.become_(node, NodeStatus::Discarded, Some(&format!("{id} is replanned")))?;
            let left = ["claimed_by", "freeze_reason", "frozen_at", "frozen_by_ancestor", "conflict_id"];
            draft.edit(node, &left.map(|field| (field, None)))?;
        }
        draft.edit(
            node,
            &[
                ("replan_budget_remaining", Some((node.replans.remaining - 1).to_string())),
                ("replan_budget_total", Some(node.replans.total.to_string())),
                ("last_replan_at", Some(yaml(now))),
                ("last_replan_reason", Some(yaml(&reason))),
            ],
        )?;
        if let Some(avoid) = avoid.map(text).filter(|avoid| !avoid.is_empty()) {
            draft.edit(node, &[("replan_avoid", Some(yaml(&avoid)))])?;
        }
        let proposed = PlanEvent { target: Some(id.to_owned()), reason: Some(reason), ..PlanEvent::default() };
        draft.tell(id, Body::ReplanProposed(proposed));
        self.make(draft)
    }
}

/// Refuses what is never replanned.
fn refuse_fixed(node: &Node) -> Result<(), ChangeError> {
    let id = &node.id;
    match (node.tier, node.status) {
        (4, _) => Err(ChangeError::refused(
            format!("{id} is a task, and a task is not replanned"),
            "replan its story, or drop it: failwise plan set ID discarded --reason TEXT",
        )),
        (0 | 1, _) => Err(ChangeError::refused(format!("{id} is planned by a person"), "ask one")),
        (_, Some(status)) if status.is_closed() || status == NodeStatus::Frozen => Err(ChangeError::refused(
            format!("{id} is {status}"),
            "only what is planned, active or blocked is replanned",
        )),
        _ => Ok(()),
    }
}
