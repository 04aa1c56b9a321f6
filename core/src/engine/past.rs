//! What the history says of nodes.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::classify::Ruleset;
use crate::history::{Event, State, agents_of, session_parent};

/// What the history says of the nodes, as far as a step asks for it.
pub trait Past {
    /// The state of a node.
    fn state(&mut self, node: &str) -> State;
    /// The states of a node's siblings: those that the plan names, else the other subagents of its session that began last.
    fn siblings(&mut self, node: &str, named: &[String]) -> Vec<State>;
    /// The states of the other agents of a node's session: its main thread, and the subagents that began last.
    fn session(&mut self, node: &str) -> Vec<State>;
}

/// The states of all nodes, for who reads a history from its beginning.
#[derive(Clone, Default)]
pub struct States {
    by_node: BTreeMap<String, State>,
    for_classic: bool,
}

impl States {
    /// No node has a past yet. What the states keep depends on the rules that will read them.
    pub fn new(ruleset: &Ruleset) -> Self {
        Self { by_node: BTreeMap::new(), for_classic: ruleset.name == "classic" }
    }

    /// The state of a node, to change.
    pub fn of(&mut self, node: &str) -> &mut State {
        let for_classic = self.for_classic;
        let new = || State { for_classic, ..State::new(node) };
        self.by_node.entry(node.to_owned()).or_insert_with(new)
    }

    /// The state of a node, to look at.
    pub fn get(&self, node: &str) -> Cow<'_, State> {
        let new = || Cow::Owned(State { for_classic: self.for_classic, ..State::new(node) });
        self.by_node.get(node).map_or_else(new, Cow::Borrowed)
    }

    /// Folds an event in that stands at `at`.
    pub fn step(&mut self, event: &Event, at: u64) {
        for node in event.folded_into() {
            let state = self.of(node);
            let begins = state.started_at.is_none();
            state.step(event, at);
            if let Some(session) = session_parent(node).filter(|_| begins) {
                self.of(&agents_of(session)).agent_begins(node, at);
            }
        }
    }

    /// The other agents of a node's session: its main thread, and the subagents that began last.
    pub fn others_of<'a>(&'a self, node: &'a str) -> impl Iterator<Item = &'a State> + Clone {
        let session = session_of(node);
        let list = self.by_node.get(&agents_of(session));
        let agents = list.into_iter().flat_map(|list| &list.agents).map(String::as_str);
        let others = std::iter::once(session).chain(agents).filter(move |other| *other != node);
        others.filter_map(|other| self.by_node.get(other))
    }
}

/// The session that a node is, or that it is a subagent of.
fn session_of(node: &str) -> &str {
    session_parent(node).unwrap_or(node)
}

impl Past for &States {
    fn state(&mut self, node: &str) -> State {
        self.get(node).into_owned()
    }

    fn siblings(&mut self, node: &str, named: &[String]) -> Vec<State> {
        let has_begun = |state: &&State| state.started_at.is_some();
        if !named.is_empty() {
            return named.iter().filter_map(|name| self.by_node.get(name)).filter(has_begun).cloned().collect();
        }
        let Some(parent) = session_parent(node) else { return Vec::new() };
        let subagents = self.others_of(node).filter(|other| other.node != parent);
        subagents.filter(has_begun).cloned().collect()
    }

    fn session(&mut self, node: &str) -> Vec<State> {
        self.others_of(node).cloned().collect()
    }
}
