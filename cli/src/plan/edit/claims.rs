//! Whether who claimed a task is still at it: as far as the end of the history tells.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Serialize;

use super::node::Node;
use super::tree::Tree;
use super::validate::{Invariant, Violation};
use crate::history::{Body, Event, Line, parse, session_node, session_parent};
use crate::journal::{HISTORY, Journal, read_end};
use crate::model::{KnownConflict, NodeStatus};
use crate::plan::PERSON;
use crate::text::one_line;
use crate::time;

/// How far back it is looked for what was done in a task.
const LOOK_BACK: usize = 1024 * 1024;
/// How long nobody has to be heard of in a task before it counts as left, in minutes.
const SILENCE_MINUTES: u64 = 30;
/// The longest call that is told.
const LONGEST_CALL: usize = 120;

/// What the history tells of the tasks that are claimed.
#[derive(Debug, Default)]
pub struct HeardClaims {
    nodes: BTreeMap<String, HeardNode>,
    /// The conflict that the last failure or edit of a task was found to lie in and that nobody arbitrated yet.
    met: BTreeMap<String, KnownConflict>,
    /// The sessions that did something here.
    sessions: BTreeSet<String>,
    journal: Option<Journal>,
    /// When the oldest event was that was looked at, where older ones were not.
    begins: Option<String>,
}

#[derive(Debug, Default)]
struct HeardNode {
    last: String,
    /// Its last call, and whether it failed.
    call: Option<(String, bool)>,
    /// The session or subagent that is bound to it.
    by: Option<String>,
    /// Whether the subagent that was bound to it ended, and nobody was heard of since.
    ended: bool,
}

/// A task whose claim nobody is behind any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftClaim {
    /// Who had claimed it.
    pub holder: String,
    /// For how many minutes nobody was heard of in it.
    pub minutes: u64,
    /// Whether its agent is known to have ended.
    pub ended: bool,
    /// When it was claimed on another machine, which cannot be heard from here, and when its page changed last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elsewhere: Option<[String; 2]>,
    /// The last call in it.
    pub last: Option<String>,
}

impl HeardClaims {
    /// Looks at the end of the history in a folder, where an agent has a claim in the tree.
    pub fn of(history: &Path, tree: &Tree) -> Self {
        let is_claim =
            |node: &Node| node.is(NodeStatus::Active) && node.claimed_by.as_deref().is_some_and(|by| by != PERSON);
        if !tree.nodes().any(is_claim) {
            return Self::default();
        }
        let text = read_end(&history.join(HISTORY), LOOK_BACK).unwrap_or_default();
        let mut heard = Self { journal: Some(Journal::in_dir(history)), ..Self::default() };
        for line in text.lines() {
            let Line::Event(event) = parse(line.as_bytes()) else { continue };
            if heard.begins.is_none() && text.len() >= LOOK_BACK {
                heard.begins = Some(event.ts.clone());
            }
            heard.step(&event);
        }
        heard
    }

    fn step(&mut self, event: &Event) {
        if let Some(session) = event.session.as_ref().filter(|session| !self.sessions.contains(*session)) {
            self.sessions.insert(session.clone());
        }
        match &event.body {
            Body::NodeBound { target: Some(target) } => {
                let node = self.nodes.entry(target.clone()).or_default();
                (node.last, node.ended, node.by) = (event.ts.clone(), false, Some(event.node.clone()));
            }
            Body::ConflictDetected(met) => {
                self.met.extend(met.conflict().map(|conflict| (event.node.clone(), conflict)));
            }
            Body::ConflictArbitrated(_) => {
                self.met.remove(&event.node);
            }
            Body::AgentEnded { target: Some(target) } => self.nodes.entry(target.clone()).or_default().ended = true,
            Body::ExecutionCompleted(execution) | Body::ExecutionFailed(execution) => {
                let node = self.nodes.entry(event.node.clone()).or_default();
                // What others do without a claim of their own is counted to the active task, and is no sign of its agent.
                let caller = session_node(event.session.as_deref(), event.agent.as_deref());
                if node.by.as_ref().is_some_and(|by| *by != caller) {
                    return;
                }
                (node.last, node.ended) = (event.ts.clone(), false);
                let call = execution.input.clone().or_else(|| Some(execution.operation.as_ref()?.0.clone()));
                if call.as_deref().is_some_and(|call| call.starts_with("failwise ")) {
                    return;
                }
                let failed = matches!(event.body, Body::ExecutionFailed(_));
                node.call = call.map(|call| (one_line(&call, LONGEST_CALL), failed));
            }
            _ => {}
        }
    }

    /// The session or subagent that works on a task, where it is known: a claim names the session alone.
    pub fn worker<'a>(&'a self, node: &'a Node) -> Option<&'a str> {
        let holder = node.claimed_by.as_deref()?;
        let by = self.nodes.get(&node.id).and_then(|heard| heard.by.as_deref());
        Some(by.filter(|by| session_parent(by) == Some(holder)).unwrap_or(holder))
    }

    /// Tasks of whose agents each is known to work on another one as well, claimed before.
    pub fn doubled(&self, tree: &Tree) -> Vec<Violation> {
        let mut first: BTreeMap<&str, &Node> = BTreeMap::new();
        let mut found = Vec::new();
        let active = tree.nodes().filter(|node| node.tier == 4 && node.is(NodeStatus::Active));
        let mut active: Vec<&Node> = active.filter(|node| self.nodes.contains_key(&node.id)).collect();
        active.sort_by_key(|node| node.field("started_at"));
        for node in active {
            let Some(worker) = self.worker(node).filter(|worker| *worker != PERSON) else { continue };
            let Some(other) = first.get(worker) else {
                first.insert(worker, node);
                continue;
            };
            let what = format!("is claimed by {worker}, which works on {} too", other.id);
            let fix = format!(
                "end one: failwise plan done {}, or failwise plan set {} planned --reason TEXT",
                other.id, node.id
            );
            let place = (&*node.file, node.line("claimed_by"));
            found.push(Violation::of(Invariant::Claims, &node.id, place, what, fix));
        }
        found
    }

    /// When somebody was heard of last in a task, RFC 3339 UTC: since its claim.
    pub fn last(&self, node: &Node) -> Option<String> {
        let claimed = node.field("started_at");
        let heard = self.nodes.get(&node.id).map(|heard| heard.last.clone()).filter(|last| !last.is_empty());
        claimed.into_iter().chain(heard).max()
    }

    /// How many seconds ago somebody was heard of in a task.
    pub fn age(&self, node: &Node, now: &str) -> Option<u64> {
        time::age_of(&self.last(node)?, time::parse(now)?)
    }

    /// Whether a session or subagent of a claim did something on this machine.
    fn is_of_here(&self, holder: &str) -> bool {
        let Some(session) = session_parent(holder).unwrap_or(holder).strip_prefix("session/") else { return true };
        let has_state = |journal: &Journal| journal.peek(&session_node(Some(session), None)).is_some();
        self.sessions.contains(session) || self.journal.as_ref().is_some_and(has_state)
    }

    /// The conflicts that still failing tasks wait in, where whoever held the task asks for another one or has left it.
    pub fn gone_from(&self, tree: &Tree, holder: Option<&str>, now: &str) -> Vec<String> {
        let fails = |id: &str| {
            self.journal.as_ref().and_then(|journal| journal.peek(id)).is_some_and(|state| !state.episodes.is_empty())
        };
        let is_gone =
            |node: &Node| holder.is_some() && node.claimed_by.as_deref() == holder || self.left(node, now).is_some();
        let is_gone_from = |id: &str| tree.node(id).is_some_and(is_gone) && fails(id);
        self.in_conflict(tree).filter(|(id, _)| is_gone_from(id)).map(|(_, conflict)| conflict.id.clone()).collect()
    }

    /// The tasks at work that wait for another one at work, each in a conflict that nobody arbitrated yet.
    pub fn in_conflict<'a>(&'a self, tree: &'a Tree) -> impl Iterator<Item = (&'a str, &'a KnownConflict)> {
        let is_active = |id: &str| tree.node(id).is_some_and(|node| node.is(NodeStatus::Active));
        let met = self.met.iter().map(|(id, conflict)| (id.as_str(), conflict));
        met.filter(move |(id, conflict)| is_active(id) && conflict.with.as_deref().is_some_and(is_active))
    }

    /// Whether nobody is behind a claim any more: its agent ended, or was not heard of for half an hour. A person's never is.
    /// Who claimed it on another machine cannot be heard here: that is told of, and the claim is a person's to end.
    pub fn left(&self, node: &Node, now: &str) -> Option<LeftClaim> {
        let holder = node.claimed_by.clone().filter(|holder| holder != PERSON)?;
        if node.tier != 4 || !node.is(NodeStatus::Active) {
            return None;
        }
        let heard = self.nodes.get(&node.id);
        let last = self.last(node);
        if !self.is_of_here(&holder) {
            let claimed = node.field("started_at")?;
            let changed = node.field("updated_at").into_iter().chain([claimed.clone()]).max()?;
            let minutes = time::age_of(&changed, time::parse(now)?)? / 60;
            let elsewhere = Some([claimed, changed]);
            let left = LeftClaim { holder, minutes, ended: false, elsewhere, last: None };
            return (minutes >= SILENCE_MINUTES).then_some(left);
        }
        // What is older than what was looked at is not known to be silent.
        let since = last.into_iter().chain(self.begins.clone()).max()?;
        let minutes = time::age_of(&since, time::parse(now)?)? / 60;
        let ended = heard.is_some_and(|heard| heard.ended);
        let call = heard.and_then(|heard| heard.call.as_ref());
        let last = call.map(|(call, failed)| format!("`{call}`, which {}", if *failed { "failed" } else { "passed" }));
        (ended || minutes >= SILENCE_MINUTES).then_some(LeftClaim { holder, minutes, ended, elsewhere: None, last })
    }
}

impl LeftClaim {
    /// Why nobody seems to be behind the claim.
    pub fn why(&self) -> String {
        let holder = &self.holder;
        if let Some([claimed, changed]) = &self.elsewhere {
            format!("claimed on another machine by {holder} since {claimed}, last change of its page {changed}")
        } else if self.ended {
            format!("the subagent of {holder} that worked on it ended")
        } else {
            format!("{holder} was not heard of for {} minutes", self.minutes)
        }
    }
}
