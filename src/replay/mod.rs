//! Past sessions again: transcripts and histories through the same functions as the hook, with time from the data.

mod row;

pub use row::{Difference, Row, RowAnswer, Summary};

use std::collections::BTreeMap;

use crate::classify::{Answer, Ruleset};
use crate::digest::hex16;
use crate::history::{Event, EventKind, State, seen_key};
use crate::history::{session_node, session_parent};
use crate::model::{Ids, PlanFacts, ToolCall};
use crate::observe::{Scene, classified_event, decide, observe};

/// A call and its verdict stand in two places, as they do in a history.
const PLACES: u64 = 2;

/// Replays events in the order given. Identical input gives identical rows.
pub struct Replay {
    ruleset: &'static Ruleset,
    states: BTreeMap<String, State>,
    /// How often each fine signature was met, by node.
    met: BTreeMap<(String, String), u32>,
    /// A recorded failure that waits for its recorded verdict, which is the next line.
    pending: Option<(Event, u64)>,
    place: u64,
    rows: Vec<Row>,
    summary: Summary,
}

impl Replay {
    /// A replay that decides by a ruleset.
    pub fn new(ruleset: &'static Ruleset) -> Self {
        Self {
            ruleset,
            states: BTreeMap::new(),
            met: BTreeMap::new(),
            pending: None,
            place: 0,
            rows: Vec::new(),
            summary: Summary::default(),
        }
    }

    /// Takes a call that ended. `marked_error` is whether the client marked its result as an error.
    pub fn call(&mut self, call: &ToolCall<'_>, marked_error: bool, ts: &str) {
        self.place += PLACES;
        let node = node_of(&call.ids);
        let event = observe(call, &scene(&node, ts)).event;
        let key = seen_key(event.tool_use_id.as_deref(), event.phase, &event.id);
        if key.is_some_and(|key| self.state(&node).has_seen(key)) {
            return self.skipped("a copy of a result", 1);
        }
        self.observed(&event, marked_error);
    }

    /// Takes the later end of background work.
    pub fn background(&mut self, call: &ToolCall<'_>, ts: &str) {
        self.place += PLACES;
        let node = node_of(&call.ids);
        let launch = self.state(&node).launch_of(&call.ids).cloned();
        let input = launch.as_ref().and_then(|task| task.input.as_deref());
        let mut event = observe(&call.as_background_of(input, None), &scene(&node, ts)).event;
        if let Some(task) = launch {
            event.operation = Some(task.operation);
        }
        self.observed(&event, false);
    }

    /// Takes a person's prompt, which ends "nothing changed" while a failure is open.
    pub fn prompt(&mut self, ids: &Ids, ts: &str) {
        self.place += PLACES;
        let node = node_of(ids);
        if self.state(&node).waits_for_change() {
            let mut event = Event::new(EventKind::StateChanged, hex16(&["prompt", &node, ts]), ts, &node, ids);
            event.message = Some("prompt".to_owned());
            let at = self.place;
            self.step(&event, at);
        }
    }

    /// Takes one event of a history and the place where it stands.
    pub fn event(&mut self, event: Event, at: u64) {
        if let Some((failed, failed_at)) = self.pending.take() {
            let recorded = (event.event == EventKind::FailureClassified && belongs(&event, &failed)).then_some(&event);
            self.recorded_failure(&failed, failed_at, recorded);
        }
        match event.event {
            EventKind::ExecutionFailed if event.reading.is_some() => self.pending = Some((event, at)),
            EventKind::ExecutionCompleted if row::is_marked(&event) => {
                self.count_call();
                self.rows.push(Row::not_failure(&event));
                self.step(&event, at);
            }
            kind => {
                if kind == EventKind::ExecutionCompleted {
                    self.count_call();
                }
                self.step(&event, at);
            }
        }
    }

    /// Counts lines or results that were left out, by their reason.
    pub fn skipped(&mut self, reason: &str, count: u64) {
        if count > 0 {
            *self.summary.skipped.entry(reason.to_owned()).or_default() += count;
        }
    }

    /// The rows in order, and what they sum up to.
    pub fn finish(mut self) -> (Vec<Row>, Summary) {
        if let Some((failed, at)) = self.pending.take() {
            self.recorded_failure(&failed, at, None);
        }
        for row in &self.rows {
            self.summary.add(row);
        }
        (self.rows, self.summary)
    }

    fn observed(&mut self, event: &Event, marked_error: bool) {
        self.count_call();
        let at = self.place;
        if event.event == EventKind::ExecutionFailed {
            let plan = self.session_facts(&event.node);
            self.decide(event, at, plan, None);
            return;
        }
        if marked_error || row::is_marked(event) {
            self.rows.push(Row::not_failure(event));
        }
        self.step(event, at);
    }

    fn recorded_failure(&mut self, failed: &Event, at: u64, recorded: Option<&Event>) {
        self.count_call();
        let plan = recorded.and_then(|event| event.plan.clone()).unwrap_or_else(|| self.session_facts(&failed.node));
        self.decide(failed, at, plan, recorded);
    }

    fn decide(&mut self, event: &Event, at: u64, plan: PlanFacts, recorded: Option<&Event>) {
        let siblings: Vec<State> = plan.siblings.iter().filter_map(|node| self.states.get(node).cloned()).collect();
        let state = self.state(&event.node).clone();
        let decided = decide(event, &plan, &state, &siblings, self.ruleset);
        let answer = decided.map(|decided| decided.answer);
        let fine = event.signature.as_ref().map(|signature| signature.fine.clone()).unwrap_or_default();
        let met = self.met.entry((event.node.clone(), fine)).or_default();
        let repeats = *met;
        *met += 1;
        let recorded_verdict = recorded.and_then(|event| event.verdict.as_ref());
        self.step(event, at);
        match answer {
            Some(Answer::Verdict(verdict)) => {
                self.rows.push(Row::verdict(event, &verdict, repeats, recorded_verdict));
                if recorded.is_none() {
                    let classified = classified_event(event, *verdict, plan, false);
                    self.step(&classified, at + 1);
                }
            }
            Some(Answer::NotFailure(_)) | None => self.rows.push(Row::not_failure(event)),
        }
    }

    fn session_facts(&self, node: &str) -> PlanFacts {
        let parent = session_parent(node).map(str::to_owned);
        let is_sibling =
            |other: &&String| parent.is_some() && other.as_str() != node && session_parent(other) == parent.as_deref();
        let siblings = self.states.keys().filter(is_sibling).cloned().collect();
        PlanFacts { node: node.to_owned(), parent, siblings, ..PlanFacts::default() }
    }

    fn count_call(&mut self) {
        self.summary.calls += 1;
    }

    fn step(&mut self, event: &Event, at: u64) {
        for node in event.folded_into() {
            self.state(node).step(event, at);
        }
    }

    fn state(&mut self, node: &str) -> &mut State {
        let keeps_text_hashes = self.ruleset.name == "classic";
        let state = self.states.entry(node.to_owned()).or_insert_with(|| State::new(node));
        state.keeps_text_hashes = keeps_text_hashes;
        state
    }
}

fn node_of(ids: &Ids) -> String {
    session_node(ids.session.as_deref(), ids.agent.as_deref())
}

fn scene<'a>(node: &'a str, ts: &'a str) -> Scene<'a> {
    Scene { node, ts, worktree: None, red_phase: false, expected_failures: &[] }
}

fn belongs(classified: &Event, failed: &Event) -> bool {
    classified.node == failed.node
        && classified.tool_use_id == failed.tool_use_id
        && classified.verdict.as_ref().is_some_and(|verdict| verdict.history_ref.as_deref() == Some(failed.id.as_str()))
}
