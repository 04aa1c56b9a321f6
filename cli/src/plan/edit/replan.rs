//! Replanning a branch, and what becomes of the work that a replan took away.

use super::document::yaml;
use super::editor::{Change, Editor, text};
use super::error::ChangeError;
use super::node::Node;
use super::tree::Tree;
use crate::history::{Body, PlanEvent};
use crate::model::NodeStatus;
use crate::plan::PERSON;

/// The field of a node that a replan took away: the node that was replanned.
pub(super) const DROPPED_BY: &str = "dropped_by";
/// The field of a node that ended without some of the work that replans took away: why that is not needed.
pub(super) const NOT_PLANNED_AGAIN: &str = "dropped_reason";

/// What a replan is asked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReplanRequest<'a> {
    /// Why.
    pub reason: &'a str,
    /// What the planner should not do again.
    pub avoid: Option<&'a str>,
    /// The task whose failure asks for it.
    pub of: Option<&'a str>,
    /// Who asks, as the history names them; None for a person.
    pub holder: Option<&'a str>,
    /// Even though others work on what it takes away.
    pub force: bool,
}

impl Editor {
    /// Drops what is not done below a story or feature, so that it can be replanned, and takes one replan from its
    /// budget: none, where nothing is dropped and no failure asks for it. What others work on is never dropped unasked.
    ///
    /// # Errors
    /// When there is no such node, it may not be replanned, somebody works below it, its budget is used up (the history
    /// records it), or a file cannot be written.
    pub fn replan(&mut self, id: &str, asked: ReplanRequest<'_>, now: &str) -> Result<Change, ChangeError> {
        let reason = text(asked.reason);
        if reason.is_empty() {
            return Err(ChangeError::refused("a replan needs a reason", "add --reason TEXT"));
        }
        if let Some(of) = asked.of.filter(|of| !self.tree().is_within(of, id)) {
            let hint = "name the task below it that failed by --of ID, or leave that out";
            return Err(ChangeError::refused(format!("{of} is not below {id}"), hint));
        }
        let failed = asked.of.map(|of| self.episodes_of(of)).transpose()?.is_some_and(|open| !open.is_empty());
        let mut draft = self.draft("replan", id, now);
        let node = self.known(id)?;
        refuse_fixed(node)?;
        let is_open = |node: &&Node| node.status.is_some_and(|status| !status.is_closed());
        let below: Vec<&Node> = self.tree().descendants(id).into_iter().filter(is_open).collect();
        refuse_taking(&below, &asked)?;
        let costs = failed || !below.is_empty();
        if node.replans.remaining == 0 && costs {
            let total = node.replans.total;
            let refused = PlanEvent { target: Some(id.to_owned()), reason: Some(reason), ..PlanEvent::default() };
            draft.tell(id, Body::ReplanRefusedBudget(refused));
            self.record(draft)?;
            let what = format!("{id} has been replanned {total} times: its budget is used up");
            let hint = format!("failwise plan freeze {id} --reason replan_budget_exhausted, and ask a person");
            return Err(ChangeError::refused(what, hint));
        }
        for node in below.into_iter().rev() {
            draft.become_(node, NodeStatus::Discarded, Some(&format!("{id} is replanned: {reason}")))?;
            let left = ["claimed_by", "freeze_reason", "frozen_at", "frozen_by_ancestor", "conflict_id"];
            draft.edit(node, &left.map(|field| (field, None)))?;
            draft.edit(node, &[(DROPPED_BY, Some(id.to_owned()))])?;
        }
        draft.edit(node, &[("last_replan_at", Some(yaml(now))), ("last_replan_reason", Some(yaml(&reason)))])?;
        if costs {
            let left = (node.replans.remaining - 1).to_string();
            let total = node.replans.total.to_string();
            draft.edit(node, &[("replan_budget_remaining", Some(left)), ("replan_budget_total", Some(total))])?;
        }
        if let Some(avoid) = asked.avoid.map(text).filter(|avoid| !avoid.is_empty()) {
            draft.edit(node, &[("replan_avoid", Some(yaml(&avoid)))])?;
        }
        if costs {
            let proposed = PlanEvent { target: Some(id.to_owned()), reason: Some(reason), ..PlanEvent::default() };
            draft.tell(id, Body::ReplanProposed(proposed));
        }
        self.make(draft)
    }
}

/// Refuses to take away what somebody else works on. The caller's own task may go, and the one whose failure asks for it.
fn refuse_taking(below: &[&Node], asked: &ReplanRequest<'_>) -> Result<(), ChangeError> {
    let holder = asked.holder.unwrap_or(PERSON);
    let held: Vec<&&Node> = below.iter().filter(|node| node.tier == 4 && node.is(NodeStatus::Active)).collect();
    let own = || held.iter().filter(|node| node.claimed_by.as_deref() == Some(holder)).map(|node| node.id.as_str());
    // A session's subagents share its name: which of two tasks is the caller's own is not known here.
    let only = own().next().filter(|_| own().count() == 1);
    let taken = |node: &&&&Node| asked.of.or(only) != Some(&node.id);
    let others: Vec<String> = held
        .iter()
        .filter(taken)
        .map(|node| format!("{} ({})", node.id, node.claimed_by.as_deref().unwrap_or("by nobody that is known")))
        .collect();
    if others.is_empty() || asked.force {
        return Ok(());
    }
    let what = format!("a replan would take away what is being worked on: {}", others.join(", "));
    let of = if asked.of.is_some() { "" } else { ", or name the task that failed by --of ID" };
    Err(ChangeError::refused(what, format!("wait until it is done{of}; a person may add --force")))
}

impl Tree {
    /// The tasks below a node that a replan took away and that nobody planned again: no open or done task plans their
    /// files or, where they name none, no task was added since.
    pub fn lost_by_replans(&self, id: &str) -> Vec<&Node> {
        let below = self.descendants(id);
        let is_lost = |node: &&Node| node.is(NodeStatus::Discarded) && node.field(DROPPED_BY).is_some();
        let mut lost: Vec<&Node> = below.iter().copied().filter(|node| node.tier == 4).filter(is_lost).collect();
        if lost.is_empty() {
            return lost;
        }
        let kept = || self.nodes().filter(|node| node.tier == 4 && !node.is(NodeStatus::Discarded));
        let planned: std::collections::BTreeSet<String> = kept().flat_map(Node::artifacts).collect();
        let newest = below.iter().filter(|node| node.tier == 4 && !node.is(NodeStatus::Discarded));
        let newest = newest.filter_map(|node| node.field("created_at")).max();
        lost.retain(|node| {
            let artifacts = node.artifacts();
            let dropped = || node.field("updated_at");
            let is_added_since = || newest.as_ref().zip(dropped().as_ref()).is_some_and(|(added, at)| added >= at);
            if artifacts.is_empty() { !is_added_since() } else { artifacts.iter().any(|path| !planned.contains(path)) }
        });
        lost
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
