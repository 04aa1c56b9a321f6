//! The steps of a node: it is claimed, given back, done, dropped, archived.

use super::dispatch::{PassedOver, TaskOffer};
use super::document::{yaml, yaml_list};
use super::editor::{Change, Draft, Editor, text};
use super::error::ChangeError;
use super::freeze::refuse_unless;
use super::node::Node;
use super::replan::NOT_PLANNED_AGAIN;
use super::wait::{Wait, WaitReason};
use crate::history::{Body, StateChange};
use crate::model::{NodeStatus, TRANSITIONS};
use crate::plan::PERSON;

/// How a node ends: what it lacks, each with the reason why that is no loss, and what it cost.
#[derive(Debug, Clone, Copy, Default)]
pub struct NodeEnd<'a> {
    /// Work that replans took away.
    pub dropped: Option<&'a str>,
    /// What [`Tree::unproven`](super::Tree::unproven) names.
    pub check: Option<&'a str>,
    /// Tokens, where they were counted.
    pub tokens: Option<u64>,
}

impl Editor {
    /// Claims the task that [`super::Tree::offer`] gives out, and tells which were passed over. None where none is ready.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn claim_next(
        &mut self,
        holder: Option<&str>,
        ignored: &[String],
        within: Option<&str>,
        now: &str,
    ) -> Result<Option<(Change, Vec<PassedOver>)>, ChangeError> {
        let Some(TaskOffer { task, passed_over }) = self.tree().offer(ignored, within, &[]) else { return Ok(None) };
        let id = task.id.clone();
        Ok(Some((self.claim(&id, holder, now)?, passed_over)))
    }

    /// Claims a node for a session or subagent, named as the history names it; for a person without one. What is above
    /// it counts as active from then on, and keeps its page.
    ///
    /// # Errors
    /// When there is no such node, somebody holds it, it is not ready, or a file cannot be written.
    pub fn claim(&mut self, id: &str, holder: Option<&str>, now: &str) -> Result<Change, ChangeError> {
        let mut draft = self.draft("claim", id, now);
        let node = self.known(id)?;
        let holder = holder.unwrap_or(PERSON);
        if node.is(NodeStatus::Active) && node.fault().is_none() {
            if let Some(other) = &node.claimed_by {
                let what = format!("{id} is claimed by {other}");
                return Err(ChangeError::refused(what, give_back(id)));
            }
        } else {
            let wait = self.tree().wait_of(node);
            if wait.as_ref().is_none_or(|wait| wait.reason != WaitReason::Broken) {
                refuse_unless(
                    node,
                    NodeStatus::Active,
                    "only what is planned or blocked is claimed: failwise plan next finds one",
                )?;
            }
            if let Some(Wait { why, .. }) = wait {
                return Err(ChangeError::refused(format!("{id} cannot start: {why}"), "failwise plan next finds one"));
            }
            draft.become_(node, NodeStatus::Active, Some("claimed"))?;
        }
        self.make_claim(draft, id, holder, now)
    }

    /// Claims a task that whoever claimed it before has left, by [`HeardClaims`](super::HeardClaims).
    ///
    /// # Errors
    /// When there is no such node, or a file cannot be written.
    pub fn take_over(&mut self, id: &str, holder: Option<&str>, now: &str) -> Result<Change, ChangeError> {
        let draft = self.draft("claim", id, now);
        self.make_claim(draft, id, holder.unwrap_or(PERSON), now)
    }

    fn make_claim(&mut self, mut draft: Draft<'_>, id: &str, holder: &str, now: &str) -> Result<Change, ChangeError> {
        let node = self.known(id)?;
        let revision = node.next_revision().to_string();
        draft.edit(
            node,
            &[
                ("claimed_by", Some(yaml(holder))),
                ("started_at", Some(yaml(now))),
                ("revision_at_status_active", Some(revision)),
            ],
        )?;
        draft.candidate = Some(id.to_owned());
        self.make(draft)
    }

    /// Sets the status of a node, where the table of allowed changes holds it. A node whose plan was outdated may be set to
    /// what it is: its plan fits now. Freezing, thawing and claiming have commands of their own. What is open below a node that is dropped is dropped with it, and what is done below one that is put
    /// away is put away.
    ///
    /// # Errors
    /// When there is no such node, the change is not allowed, or a file cannot be written.
    pub fn set(&mut self, id: &str, to: NodeStatus, reason: Option<&str>, now: &str) -> Result<Change, ChangeError> {
        self.set_without(id, to, reason, NodeEnd::default(), now)
    }

    /// Ends a node.
    ///
    /// # Errors
    /// As [`Editor::set`].
    pub fn done(&mut self, id: &str, end: NodeEnd<'_>, now: &str) -> Result<Change, ChangeError> {
        self.set_without(id, NodeStatus::Done, end.check, end, now)
    }

    fn set_without(
        &mut self,
        id: &str,
        to: NodeStatus,
        reason: Option<&str>,
        end: NodeEnd<'_>,
        now: &str,
    ) -> Result<Change, ChangeError> {
        let dropped = end.dropped.map(text).filter(|dropped| !dropped.is_empty());
        let mut draft = self.draft(verb(to), id, now);
        let node = self.known(id)?;
        let reason = reason.map(text).filter(|reason| !reason.is_empty());
        let is_revised = node.status == Some(to) && node.is_outdated();
        match (node.status, to) {
            (Some(NodeStatus::Planned | NodeStatus::Blocked), _) if is_revised => {}
            (_, NodeStatus::Frozen) => return Err(own_command(id, "freeze", " --reason TEXT")),
            (_, NodeStatus::Active) => return Err(own_command(id, "claim", "")),
            (Some(NodeStatus::Frozen), _) => return Err(own_command(id, "thaw", "")),
            (Some(NodeStatus::Planned), NodeStatus::Done) if self.tree().shown(node) == Some(NodeStatus::Active) => {
                // Its page never said that work below it began.
                let began = StateChange::status(node.status, Some(NodeStatus::Active));
                draft.tell(
                    id,
                    Body::StateChanged { change: Some(began), reason: Some("work below it began".to_owned()) },
                );
            }
            (Some(NodeStatus::Planned | NodeStatus::Blocked), NodeStatus::Done) if node.tier == 4 => {
                refuse_unless(node, to, &format!("what is claimed can be done: failwise plan claim {id}"))?;
            }
            (None, _) if node.tier == 0 => {
                let hint = "its features are done one by one: failwise plan status shows them";
                return Err(ChangeError::refused(format!("{id} has no status: it cannot become {to}"), hint));
            }
            (from, _) => refuse_unless(node, to, &from.map_or_else(String::new, what_it_may_become))?,
        }
        if reason.is_none() && to != NodeStatus::Done && to != NodeStatus::Archived {
            return Err(ChangeError::refused(format!("{to} needs a reason"), "add --reason TEXT"));
        }
        if let Some(reason) = reason.as_deref().filter(|_| is_revised) {
            return self.revise(id, to, reason, now);
        }
        let below = self.tree().descendants(id);
        let open = below.iter().find(|node| node.status.is_some_and(|status| !status.is_closed()));
        if let Some(open) = open.filter(|_| matches!(to, NodeStatus::Done | NodeStatus::Archived)) {
            let what = format!("{id} is not finished: {} below it is {}", open.id, status_of(open));
            return Err(ChangeError::refused(
                what,
                "finish it, or drop it: failwise plan set ID discarded --reason TEXT",
            ));
        }
        let lost = if to == NodeStatus::Done && node.tier < 4 { self.tree().lost_by_replans(id) } else { Vec::new() };
        if !lost.is_empty() {
            let Some(reason) = &dropped else {
                let lost: Vec<String> = lost.iter().map(|node| node.described()).collect();
                let what = format!("{id} lacks what a replan took away and nobody planned again: {}", lost.join("; "));
                let hint = format!(
                    "failwise plan add task plans it again; failwise plan done {id} --dropped REASON says that it is not needed"
                );
                return Err(ChangeError::refused(what, hint));
            };
            draft.edit(node, &[(NOT_PLANNED_AGAIN, Some(yaml(reason)))])?;
        }
        if to == NodeStatus::Done && end.check.is_none() {
            self.tree().unproven(node, &self.history).first().map_or(Ok(()), |demand| Err(demand.refusal(id)))?;
        }
        let follows = |node: &&&Node| match to {
            NodeStatus::Discarded => node.status.is_some_and(|status| !status.is_closed()),
            NodeStatus::Archived => node.is(NodeStatus::Done),
            _ => false,
        };
        for below in below.iter().rev().filter(follows) {
            draft.become_(below, to, Some(&format!("{id} is {to}")))?;
            draft.edit(below, &LEFT.map(|field| (field, None)))?;
        }
        draft.become_from(self.tree().shown(node), node, to, reason.as_deref())?;
        if let Some(tokens) = end.tokens {
            draft.edit(node, &[("actual_tokens", Some(tokens.to_string()))])?;
        }
        if to != NodeStatus::Done {
            draft.edit(node, &LEFT.map(|field| (field, None)))?;
        }
        self.make(draft)
    }

    /// Adds to what must be done before a node, and takes the `dropped` out of it.
    ///
    /// # Errors
    /// When there is no such node, one of the others is not there, they would wait for each other, a node would wait for
    /// one above or below it, or a file cannot be written.
    pub fn depend(&mut self, id: &str, on: &[String], dropped: &[String], now: &str) -> Result<Change, ChangeError> {
        let mut draft = self.draft("depend", id, now);
        let node = self.known(id)?;
        if let Some(missing) = on.iter().find(|id| !self.tree().knows(id)) {
            return Err(ChangeError::Missing { id: missing.clone() });
        }
        if let Some(strange) = dropped.iter().find(|id| !node.depends_on.contains(id)) {
            let what = format!("{id} does not depend on {strange}");
            return Err(ChangeError::refused(what, format!("failwise plan show {id} lists what it waits for")));
        }
        let (above, below) = (self.tree().ancestors(id), self.tree().descendants(id));
        let words = [(above, "above", "is never done before it"), (below, "below", "is done before it as it is")];
        for (nodes, place, why) in words {
            if let Some(one) = nodes.iter().find(|node| on.contains(&node.id)) {
                let what = format!("{} is {place} {id}, and {why}", one.id);
                return Err(ChangeError::refused(what, "name another node"));
            }
        }
        let mut left: Vec<&str> = node.depends_on.iter().chain(on).map(String::as_str).collect();
        let mut met = std::collections::BTreeSet::new();
        left.retain(|id| met.insert(*id) && !dropped.iter().any(|dropped| dropped == id));
        draft.edit(node, &[("depends_on", Some(yaml_list(left)))])?;
        self.make(draft)
    }
}

/// The fields that mean nothing once nobody works on a node.
const LEFT: [&str; 4] = ["claimed_by", "freeze_reason", "frozen_at", "frozen_by_ancestor"];

fn verb(to: NodeStatus) -> &'static str {
    match to {
        NodeStatus::Done => "done",
        NodeStatus::Planned => "release",
        NodeStatus::Blocked => "block",
        NodeStatus::Discarded => "discard",
        NodeStatus::Archived => "archive",
        NodeStatus::Active | NodeStatus::Frozen => "set",
    }
}

fn what_it_may_become(from: NodeStatus) -> String {
    let may: Vec<&str> = TRANSITIONS.iter().filter(|row| row.from == from).map(|row| row.to.as_str()).collect();
    if may.is_empty() { format!("{from} is final") } else { format!("{from} may become {}", may.join(", ")) }
}

fn own_command(id: &str, command: &str, options: &str) -> ChangeError {
    let hint = format!("failwise plan {command} {id}{options}");
    ChangeError::refused(format!("the status of {id} is not set by hand"), hint)
}

fn give_back(id: &str) -> String {
    format!("failwise plan next takes another; failwise plan set {id} planned --reason TEXT gives it back")
}

fn status_of(node: &Node) -> &'static str {
    node.status.map_or("without a status", NodeStatus::as_str)
}
