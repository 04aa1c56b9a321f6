//! Whether who claimed a task is still at it: as far as the end of the history tells.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use super::node::Node;
use crate::history::{Body, Event, Line, parse, session_node};
use crate::journal::{HISTORY, read_end};
use crate::model::NodeStatus;
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
    /// The last call in it.
    pub last: Option<String>,
}

impl HeardClaims {
    /// Looks at the end of the history in a folder.
    pub fn of(history: &Path) -> Self {
        let text = read_end(&history.join(HISTORY), LOOK_BACK).unwrap_or_default();
        let mut heard = Self::default();
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
        match &event.body {
            Body::NodeBound { target: Some(target) } => {
                let node = self.nodes.entry(target.clone()).or_default();
                (node.last, node.ended, node.by) = (event.ts.clone(), false, Some(event.node.clone()));
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

    /// Whether nobody is behind a claim any more: its agent ended, or was not heard of for half an hour. A person's never is.
    pub fn left(&self, node: &Node, now: &str) -> Option<LeftClaim> {
        let holder = node.claimed_by.clone().filter(|holder| holder != PERSON)?;
        if node.tier != 4 || !node.is(NodeStatus::Active) {
            return None;
        }
        let heard = self.nodes.get(&node.id);
        let last = self.last(node);
        // What is older than what was looked at is not known to be silent.
        let since = last.into_iter().chain(self.begins.clone()).max()?;
        let minutes = time::age_of(&since, time::parse(now)?)? / 60;
        let ended = heard.is_some_and(|heard| heard.ended);
        let call = heard.and_then(|heard| heard.call.as_ref());
        let last = call.map(|(call, failed)| format!("`{call}`, which {}", if *failed { "failed" } else { "passed" }));
        (ended || minutes >= SILENCE_MINUTES).then_some(LeftClaim { holder, minutes, ended, last })
    }
}

impl LeftClaim {
    /// Why nobody seems to be behind the claim.
    pub fn why(&self) -> String {
        let holder = &self.holder;
        if self.ended {
            format!("the subagent of {holder} that worked on it ended")
        } else {
            format!("{holder} was not heard of for {} minutes", self.minutes)
        }
    }
}
