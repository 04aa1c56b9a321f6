//! What goes on in a project, as values: events in, rows out. Pure: the history is read and the screen drawn by
//! `failwise watch`.

mod entry;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

pub use entry::{EntryMark, WatchEntry};

use crate::history::{Body, Event, HISTORY_NODE, State, session_node};
use crate::model::{Class, Decision, Host};
use crate::stats::{OpenFailure, StatsCounts};
use crate::time::{Time, age_of};

/// The most agents and the most nodes that are kept; the one that was quiet for longest is forgotten first.
const KEPT: usize = 256;
/// After so many seconds without an event an agent or a project counts as ended.
pub const QUIET: u64 = 60 * 60;

/// What goes on: the agents of a project and what each node has open.
#[derive(Debug, Default)]
pub struct Watch {
    /// The beginning of the only session that is looked at, where there is one.
    session: Option<String>,
    /// The only client that is looked at, where there is one.
    host: Option<Host>,
    agents: BTreeMap<String, Agent>,
    nodes: BTreeMap<String, WatchedNode>,
    tally: StatsCounts,
}

/// A session or subagent: who calls.
#[derive(Debug)]
struct Agent {
    /// The byte offset of its last event.
    at: u64,
    node: String,
    tally: StatsCounts,
    last: Option<WatchEntry>,
}

/// What is folded of a node.
#[derive(Debug)]
struct WatchedNode {
    state: State,
    /// Who failed last in it.
    who: String,
    /// A failure whose verdict has not come yet.
    pending: Option<(String, WatchEntry)>,
    /// What is known of open episodes beyond the state.
    known: BTreeMap<String, KnownEpisode>,
}

/// What is known of an open episode beyond the state.
#[derive(Debug)]
struct KnownEpisode {
    class: Class,
    ts: String,
    next: Option<String>,
    line: Option<String>,
}

/// An agent as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentRow {
    /// Its short name.
    pub name: String,
    /// Seconds since its last event.
    pub age: Option<u64>,
    /// Its last event.
    pub last: WatchEntry,
    /// What it did.
    pub tally: StatsCounts,
    /// How much its node has open.
    pub open: usize,
}

/// An open episode as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenRow {
    /// The episode.
    pub open: OpenFailure,
    /// The class of its last verdict.
    pub class: Option<Class>,
    /// Who failed last in its node.
    pub name: String,
    /// Seconds since its last failure.
    pub age: Option<u64>,
    /// What was decided on it.
    pub next: Option<String>,
    /// The line of its last output that matters.
    pub line: Option<String>,
}

impl Watch {
    /// Nothing seen yet. `session` is the beginning of the only session's id that is looked at.
    pub fn new(session: Option<&str>) -> Self {
        Self { session: session.map(str::to_owned), ..Self::default() }
    }

    /// Looks at the sessions of this client only, where one is named.
    #[must_use]
    pub fn of_host(self, host: Option<Host>) -> Self {
        Self { host, ..self }
    }

    /// Forgets everything: the history was replaced.
    pub fn restart(&mut self) {
        *self = Self::new(self.session.as_deref()).of_host(self.host);
    }

    /// What happened in all that was looked at.
    pub fn tally(&self) -> StatsCounts {
        self.tally
    }

    /// Folds an event in, and returns what there is to show of it. A failure waits for its verdict, which is in the
    /// next line; [`Watch::settle`] ends the wait.
    pub fn event(&mut self, event: &Event, at: u64) -> Vec<WatchEntry> {
        let wanted = |session: &String| event.session.as_ref().is_some_and(|id| id.starts_with(session.as_str()));
        let is_of_host = self.host.is_none_or(|host| host == event.host);
        if !self.session.as_ref().is_none_or(wanted) || !is_of_host || event.body == Body::Foreign {
            return Vec::new();
        }
        // Bounded, because a screen stays open for days.
        forget_quietest(&mut self.nodes, event.subject(), |node| node.state.covered);
        let node = self.nodes.entry(event.subject().to_owned()).or_insert_with(|| WatchedNode::new(event.subject()));
        let entries = node.step(event, at);
        self.tally.count(event);
        // What a person did is no agent's.
        if event.session.is_none() && event.node == HISTORY_NODE {
            return entries;
        }
        let who = who(event);
        forget_quietest(&mut self.agents, &who, |agent| agent.at);
        let agent = self.agents.entry(who).or_insert_with(|| Agent::new(&event.node));
        agent.tally.count(event);
        (agent.at, agent.node) = (at, event.node.clone());
        for entry in &entries {
            self.remember(entry);
        }
        entries
    }

    /// Failures whose verdict did not come with them.
    pub fn settle(&mut self) -> Vec<WatchEntry> {
        let entries: Vec<WatchEntry> =
            self.nodes.values_mut().filter_map(|node| Some(node.pending.take()?.1)).collect();
        for entry in &entries {
            self.remember(entry);
        }
        entries
    }

    fn remember(&mut self, entry: &WatchEntry) {
        if let Some(agent) = self.agents.get_mut(&entry.who) {
            agent.last = Some(entry.clone());
        }
    }

    /// The agents, the one with the newest event first; those that are quiet for an hour only where `all` is asked for.
    pub fn agents(&self, now: Time, all: bool) -> Vec<AgentRow> {
        let mut agents: Vec<&Agent> = self.agents.values().collect();
        agents.sort_by_key(|agent| std::cmp::Reverse(agent.at));
        let rows = agents.into_iter().filter_map(|agent| {
            let last = agent.last.clone()?;
            let age = age_of(&last.ts, now);
            let open = self.nodes.get(&agent.node).map_or(0, |node| node.state.episodes.len());
            Some(AgentRow { name: last.name.clone(), age, last, tally: agent.tally, open })
        });
        rows.filter(|row| all || row.age.is_none_or(|age| age < QUIET)).collect()
    }

    /// What is open, the most pressing first; of nodes that are quiet for an hour only where `all` is asked for.
    pub fn open(&self, now: Time, all: bool) -> Vec<OpenRow> {
        let mut rows: Vec<OpenRow> = self.nodes.values().flat_map(|node| node.open(now)).collect();
        rows.retain(|row| all || row.age.is_none_or(|age| age < QUIET));
        rows.sort_by(|a, b| {
            let rank = |row: &OpenRow| (row.open.unchanged, row.open.attempts, std::cmp::Reverse(row.age));
            rank(b).cmp(&rank(a)).then_with(|| a.open.episode.cmp(&b.open.episode))
        });
        rows
    }
}

impl Agent {
    fn new(node: &str) -> Self {
        Self { at: 0, node: node.to_owned(), tally: StatsCounts::default(), last: None }
    }
}

impl WatchedNode {
    fn new(node: &str) -> Self {
        Self { state: State::new(node), who: String::new(), pending: None, known: BTreeMap::new() }
    }

    fn step(&mut self, event: &Event, at: u64) -> Vec<WatchEntry> {
        let before: u32 = self.state.episodes.iter().map(|episode| episode.attempts).sum();
        self.state.step(event, at);
        let after: u32 = self.state.episodes.iter().map(|episode| episode.attempts).sum();
        let episodes = &self.state.episodes;
        self.known.retain(|id, _| episodes.iter().any(|episode| episode.id == *id));
        let pending = self.pending.take();
        let mut entries = Vec::new();
        match &event.body {
            Body::ExecutionFailed(_) => {
                entries.extend(pending.map(|(_, entry)| entry));
                let entry = WatchEntry::of(event);
                self.who.clone_from(&entry.name);
                self.pending = Some((event.id.clone(), entry));
            }
            Body::FailureClassified(classified) => {
                let failure = pending.and_then(|(id, entry)| {
                    let verdict = classified.verdict.as_ref();
                    let is_same = verdict.is_some_and(|verdict| verdict.history_ref.as_ref() == Some(&id));
                    if is_same {
                        return Some(entry);
                    }
                    entries.push(entry);
                    None
                });
                self.note_verdict(event, failure.as_ref().and_then(|failure| failure.line.clone()));
                entries.push(WatchEntry::of_verdict(event, classified, failure));
            }
            Body::Decision { decision } => {
                entries.extend(pending.map(|(_, entry)| entry));
                self.note_decision(decision.as_deref());
                entries.push(WatchEntry::of(event));
            }
            _ => {
                entries.extend(pending.map(|(_, entry)| entry));
                let passed = matches!(event.body, Body::ExecutionCompleted(_));
                let ended = if passed { before.saturating_sub(after) } else { 0 };
                entries.push(WatchEntry { ended, ..WatchEntry::of(event) });
            }
        }
        entries
    }

    fn note_verdict(&mut self, event: &Event, line: Option<String>) {
        let Some(verdict) = event.verdict() else { return };
        if self.state.episodes.iter().any(|episode| episode.id == verdict.episode) {
            let known = KnownEpisode { class: verdict.class, ts: event.ts.clone(), next: None, line };
            self.known.insert(verdict.episode.clone(), known);
        }
    }

    fn note_decision(&mut self, decision: Option<&Decision>) {
        let Some(decision) = decision else { return };
        let known = decision.episode.as_ref().and_then(|episode| self.known.get_mut(episode));
        if let Some(known) = known {
            known.next = Some(entry::decision_words(decision, &self.state.node));
        }
    }

    fn open(&self, now: Time) -> impl Iterator<Item = OpenRow> {
        self.state.episodes.iter().map(move |episode| {
            let known = self.known.get(&episode.id);
            OpenRow {
                open: OpenFailure::of(&self.state.node, episode),
                class: known.map(|known| known.class),
                name: self.who.clone(),
                line: known.and_then(|known| known.line.clone()),
                age: known.and_then(|known| age_of(&known.ts, now)),
                // A prompt or a thaw ends what was decided.
                next: known.and_then(|known| known.next.clone()).filter(|_| episode.decided.is_some()),
            }
        })
    }
}

/// Who called: the session or subagent, else the node.
fn who(event: &Event) -> String {
    match &event.session {
        Some(session) => session_node(Some(session), event.agent.as_deref()),
        None => event.node.clone(),
    }
}

/// Makes room for a key that is not there yet.
fn forget_quietest<V>(map: &mut BTreeMap<String, V>, key: &str, at: impl Fn(&V) -> u64) {
    if map.len() < KEPT || map.contains_key(key) {
        return;
    }
    let quietest = map.iter().min_by_key(|(_, value)| at(value)).map(|(key, _)| key.clone());
    quietest.and_then(|key| map.remove(&key));
}
