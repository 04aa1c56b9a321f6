//! Which task is given out next, so that agents which work at the same time stay out of each other's way.

use std::sync::Arc;

use serde::Serialize;

use super::node::Node;
use super::tree::Tree;
use crate::conflicts::overlap::{NodeWork, compare};
use crate::conflicts::{Conflict, ConflictKind, states, unresolved};
use crate::model::NodeStatus;
use crate::plan::files;

/// The most ready tasks that are compared with what is running; where each of them is in the way, the first is given out.
const MOST_COMPARED: usize = 512;

/// The task that is given out next.
#[derive(Debug, Clone)]
pub struct TaskOffer<'a> {
    /// The task.
    pub task: &'a Node,
    /// Ready tasks that come before it and would meet a task that is being worked on.
    pub passed_over: Vec<PassedOver>,
}

/// A ready task that is not given out yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PassedOver {
    /// The task.
    pub id: String,
    /// The task that is being worked on, and that it would meet.
    pub running: String,
    /// Where they would meet; empty where only the log of conflicts knows it.
    pub files: Vec<String>,
}

/// A task that is being worked on, with what it plans.
struct Running<'a> {
    id: &'a str,
    work: NodeWork,
}

impl Tree {
    /// The first ready task that stays out of the way of those that are being worked on: they plan no file together, or
    /// different functions of it, and no open conflict is between them. Where each ready task would meet one, the first
    /// of them: its claim warns. Files that `ignored` names do not count; tasks that are not below `within` do not, either.
    /// None where no task is ready. `thawed` are those that count as ready though they are frozen.
    pub fn offer(&self, ignored: &[String], within: Option<&str>, thawed: &[String]) -> Option<TaskOffer<'_>> {
        let is_ready = |task: &&Node| task.tier == 4 && (thawed.contains(&task.id) || self.wait_of(task).is_none());
        let is_asked = |task: &&Node| within.is_none_or(|id| self.is_within(&task.id, id));
        let ready = || self.nodes().filter(is_ready).filter(is_asked);
        let is_running = |node: &&Node| node.tier == 4 && node.is(NodeStatus::Active);
        let running: Vec<Running<'_>> =
            self.nodes().filter(is_running).map(|node| Running { id: &node.id, work: work(node) }).collect();
        let log = if running.is_empty() { String::new() } else { files::conflict_log(self.dir()) };
        let mut passed_over = Vec::new();
        for task in ready().take(MOST_COMPARED) {
            match met(task, &running, &log, ignored) {
                Some(meets) => passed_over.push(meets),
                None => return Some(TaskOffer { task, passed_over }),
            }
        }
        ready().next().map(|task| TaskOffer { task, passed_over: Vec::new() })
    }
}

impl Tree {
    /// Whether a node is another one, or below it.
    pub fn is_within(&self, id: &str, other: &str) -> bool {
        id == other || self.ancestors(id).iter().any(|above| above.id == other)
    }

    /// The open conflicts that hold a node for another one which is over: they are arbitrated again, and it goes on.
    pub fn held_no_longer(&self) -> Vec<String> {
        let is_over = |id: &str| match self.node(id) {
            Some(node) => node.status.is_some_and(NodeStatus::is_closed),
            None => self.is_done(id),
        };
        let holds = |conflict: &Conflict| {
            let holds = conflict.arbitration.as_ref().is_some_and(|last| last.decision.holds_the_proposed());
            holds && !conflict.is_resolved() && conflict.blocker().is_some_and(is_over)
        };
        states(&files::conflict_log(self.dir())).into_iter().filter(holds).map(|one| one.conflict_id).collect()
    }
}

/// The first of the running tasks that a task would meet.
fn met(task: &Node, running: &[Running<'_>], log: &str, ignored: &[String]) -> Option<PassedOver> {
    let meets =
        |running: &str, files: Vec<String>| PassedOver { id: task.id.clone(), running: running.to_owned(), files };
    let own = work(task);
    let planned = running.iter().find_map(|other| {
        let found = compare(&own, &other.work, ignored, |_| None)?;
        (found.kind != ConflictKind::OtherFunctions).then(|| meets(other.id, found.overlap.files))
    });
    let known = || {
        // Most logs name few tasks: the lines are read only where this one is named.
        let conflict = if log.contains(&task.id) { unresolved(log, &task.id)? } else { return None };
        let other = running.iter().find(|other| Some(other.id) == conflict.with.as_deref())?;
        Some(meets(other.id, Vec::new()))
    };
    planned.or_else(known)
}

fn work(node: &Node) -> NodeWork {
    NodeWork { planned: Arc::clone(node.planned()), changed: Vec::new() }
}
