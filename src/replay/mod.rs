//! Past sessions again: transcripts and histories through the same functions as the hook, with time from the data.

mod against;
mod analysis;
mod episodes;
mod merge;
mod meter;
mod rounds;
mod row;
mod tally;

pub use against::{Baseline, Disagreement, Side};
pub use analysis::{
    Advice, Analysis, Cost, Counters, Day, Ended, EpisodeSummary, Failure, GeneratedFrom, Loop, Savings,
    SessionSummary, SignatureSummary,
};
pub use merge::Joined;
pub use row::{Difference, Row, RowAnswer};

use std::collections::BTreeMap;
use std::ops::Bound;

use self::tally::{Origin, Tally};
use crate::advice::agent::{self, Voice};
use crate::classify::{Answer, Ruleset};
use crate::decide;
use crate::digest::hex16;
use crate::engine::{self, Decided, Scene, classified_event, observe};
use crate::guard::would_refuse;
use crate::history::{Body, Classified, Event, Execution, State, StateChange};
use crate::history::{session_node, session_parent};
use crate::model::{Ids, PlanFacts, ToolCall, Usage, Verdict};

/// A refusal, a call, its verdict and what was decided stand in places of their own, as they do in a history.
const PLACES: u64 = 4;

/// Replays events in the order given. Identical input gives identical rows.
pub struct Replay {
    ruleset: &'static Ruleset,
    states: BTreeMap<String, State>,
    /// How often each fine signature was met, by node.
    met: BTreeMap<(String, String), u32>,
    /// A recorded failure that waits for its recorded verdict, which is the next line.
    pending: Option<(Event, u64)>,
    place: u64,
    origin: Origin,
    with_guard: bool,
    rows: Vec<Row>,
    tally: Tally,
}

/// What a replay gives.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Replayed {
    /// One row for every result that the client marked as an error, and for masked and later background failures.
    pub rows: Vec<Row>,
    /// What all calls come to.
    pub analysis: Analysis,
}

impl Replayed {
    /// How many recorded verdicts the rules would not give now.
    pub fn differing(&self) -> u64 {
        self.rows.iter().filter(|row| !row.differs.is_empty()).count() as u64
    }
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
            origin: Origin::default(),
            with_guard: false,
            rows: Vec::new(),
            tally: Tally::default(),
        }
    }

    /// Also finds what the guard would have refused. What was refused ran all the same, so that the rows stay as they are.
    #[must_use]
    pub fn with_guard(mut self) -> Self {
        self.with_guard = true;
        self.tally.with_guard();
        self
    }

    /// Takes the news that this file is read.
    pub fn file(&mut self, file: &str) {
        self.tally.file(file);
    }

    /// What comes next stands in this file, at this line, from 1.
    pub fn from_line(&mut self, file: &str, line: u64) {
        if self.origin.file != file {
            file.clone_into(&mut self.origin.file);
        }
        self.origin.line = line;
    }

    /// Takes a call that ended. `marked_error` is whether the client marked its result as an error.
    pub fn call(&mut self, call: &ToolCall<'_>, marked_error: bool, ts: &str) {
        self.place += PLACES;
        let node = node_of(&call.ids);
        let event = observe(call, &scene(&node, ts)).event;
        let key = event.seen_key();
        if key.is_some_and(|key| self.state(&node).has_seen(key)) {
            return self.skipped("a copy of a result", 1);
        }
        self.tally.seen_in(call.ids.session.as_deref(), call.cwd.as_deref());
        let refused = if self.with_guard { would_refuse(self.state(&node), call, &[], ts) } else { None };
        match refused {
            None => self.observed(&event, marked_error),
            Some(refused) => self.refused(&event, marked_error, &refused),
        }
    }

    /// Takes a call that the guard would have refused: the guard knows of the refusal, and not of how the call failed.
    fn refused(&mut self, event: &Event, marked_error: bool, refused: &Event) {
        let Some(execution) = event.execution() else { return };
        let at = self.place;
        let first_row = self.rows.len();
        self.state(&event.node).step(refused, at - 1);
        let guarded = self.state(&event.node).guarded.clone();
        self.observed(event, marked_error);
        self.tally.refused(event, execution);
        if event.is_failure() {
            self.state(&event.node).guarded = guarded;
        }
        let reason = refused.guarded_call().and_then(|call| call.reason.as_ref());
        for row in self.rows.iter_mut().skip(first_row) {
            row.refused = reason.cloned();
        }
    }

    /// Takes an answer of the model, or what an answer that was begun cost more.
    pub fn turn(&mut self, ids: &Ids, begins: bool, more: Usage, ts: &str) {
        self.tally.turn(ids, &node_of(ids), (begins, more), ts, &self.origin);
    }

    /// Takes the news that a subagent was reported as completed.
    pub fn agent_completed(&mut self, session: Option<&str>, agent: &str) {
        self.tally.completed(session, &session_node(session, Some(agent)));
    }

    /// Takes the later end of background work.
    pub fn background(&mut self, call: &ToolCall<'_>, ts: &str) {
        self.place += PLACES;
        let node = node_of(&call.ids);
        let launch = self.state(&node).launch_of(&call.ids).cloned();
        let input = launch.as_ref().and_then(|task| task.input.as_deref());
        let mut event = observe(&call.as_background_of(input, None), &scene(&node, ts)).event;
        if let Some((execution, task)) = event.execution_mut().zip(launch) {
            execution.operation = Some(task.operation);
        }
        self.observed(&event, false);
    }

    /// Takes a person's prompt, which ends "nothing changed" while a failure is open. The agent had stopped before.
    pub fn prompt(&mut self, ids: &Ids, ts: &str) {
        self.place += PLACES;
        let node = node_of(ids);
        self.stopped(&node, ids, ts);
        self.tally.prompt(ids, &node, ts, &self.origin);
        if self.state(&node).waits_for_change() {
            let body = Body::StateChanged { change: Some(StateChange::Prompt), reason: None };
            let event = Event::new(hex16(&["prompt", &node, ts]), ts, &node, ids, body);
            let at = self.place + 1;
            self.step(&event, at);
        }
    }

    /// Takes one event of a history and the place where it stands.
    pub fn event(&mut self, event: Event, at: u64) {
        if let Some((failed, failed_at)) = self.pending.take() {
            let recorded = recorded_verdict(&event, &failed);
            self.recorded_failure(&failed, failed_at, recorded);
        }
        match &event.body {
            Body::ExecutionFailed(execution) if execution.reading.is_some() => self.pending = Some((event, at)),
            Body::ExecutionCompleted(execution) => {
                self.tally.call(&event, execution, &self.origin);
                if row::is_marked(execution) {
                    self.not_failure(&event, execution);
                }
                self.step(&event, at);
            }
            Body::StateChanged { change: Some(StateChange::Prompt), .. } => {
                self.tally.prompt(&event.ids(), &event.node, &event.ts, &self.origin);
                self.step(&event, at);
            }
            _ => self.step(&event, at),
        }
    }

    /// Counts lines or results that were left out, by their reason.
    pub fn skipped(&mut self, reason: &str, count: u64) {
        self.tally.skipped(reason, count);
    }

    /// What it all comes to: the rows in order, and the analysis.
    pub fn finish(mut self) -> Replayed {
        if let Some((failed, at)) = self.pending.take() {
            self.recorded_failure(&failed, at, None);
        }
        Replayed { rows: self.rows, analysis: self.tally.analysis() }
    }

    fn observed(&mut self, event: &Event, marked_error: bool) {
        let at = self.place;
        let Some(execution) = event.execution() else { return };
        self.tally.call(event, execution, &self.origin);
        if event.is_failure() {
            let plan = self.session_facts(&event.node);
            self.decide(event, at, plan, None);
            return;
        }
        if marked_error || row::is_marked(execution) {
            self.not_failure(event, execution);
        }
        let operation = execution.operation.as_ref().map(|operation| operation.0.clone()).unwrap_or_default();
        let told = agent::after_commit(&operation, self.state(&event.node), Voice::Normal);
        self.step(event, at);
        self.told(event, at + 1, told);
    }

    fn recorded_failure(&mut self, failed: &Event, at: u64, recorded: Option<&Classified>) {
        if let Some(execution) = failed.execution() {
            self.tally.call(failed, execution, &self.origin);
        }
        let plan =
            recorded.and_then(|recorded| recorded.plan.clone()).unwrap_or_else(|| self.session_facts(&failed.node));
        self.decide(failed, at, plan, recorded);
    }

    fn decide(&mut self, event: &Event, at: u64, plan: PlanFacts, recorded: Option<&Classified>) {
        let Some(execution) = event.execution() else { return };
        let siblings: Vec<State> = plan.siblings.iter().filter_map(|node| self.states.get(node).cloned()).collect();
        let state = self.state(&event.node).clone();
        let decided = engine::decide(event, &plan, &state, &siblings, self.ruleset);
        let fine = execution.signature.as_ref().map(|signature| signature.fine.clone()).unwrap_or_default();
        let met = self.met.entry((event.node.clone(), fine)).or_default();
        let repeats = *met;
        *met += 1;
        self.step(event, at);
        let Some(Decided { answer: Answer::Verdict(verdict), failure, deviation, .. }) = decided else {
            return self.not_failure(event, execution);
        };
        let state_of = |node: &str| self.state(node).clone();
        let settled = decide::follow(&verdict, event, &plan, &state, deviation.as_deref(), state_of);
        let told = agent::Failure {
            verdict: &verdict,
            decision: settled.as_ref().map(|settled| &settled.decision),
            event: &failure,
            input: execution.input.as_deref(),
            plan: &plan,
        };
        let advice = agent::after_failure(&told, &state, Voice::Normal);
        // Where it was recorded whether the agent was told, that is what happened.
        let advice = advice.filter(|_| recorded.is_none_or(|recorded| recorded.advised));
        self.judged(event, execution, &verdict, repeats, advice.as_deref(), recorded);
        if recorded.is_none() {
            let classified = classified_event(event, *verdict, plan, advice.is_some());
            self.step(&classified, at + 1);
            for event in settled.into_iter().flat_map(|settled| settled.events(&event.ids(), &event.ts)) {
                self.step(&event, at + 2);
            }
        }
    }

    fn judged(
        &mut self,
        event: &Event,
        execution: &Execution,
        verdict: &Verdict,
        repeats: u32,
        advice: Option<&str>,
        recorded: Option<&Classified>,
    ) {
        self.tally.verdict(event, execution, verdict, &self.origin);
        if let Some(text) = advice {
            self.tally.advised(event, std::slice::from_ref(&verdict.episode), text);
        }
        let recorded = recorded.and_then(|recorded| recorded.verdict.as_ref());
        let row = |project: Option<&str>, origin: &Origin| Row {
            advice: advice.map(str::to_owned),
            ..Row::verdict(event, execution, verdict, repeats, recorded, project, origin)
        };
        self.push(row, event.session.as_deref());
    }

    fn not_failure(&mut self, event: &Event, execution: &Execution) {
        self.tally.not_failure(event, execution);
        self.push(|project, origin| Row::not_failure(event, execution, project, origin), event.session.as_deref());
    }

    fn push(&mut self, row: impl FnOnce(Option<&str>, &Origin) -> Row, session: Option<&str>) {
        let row = row(self.tally.project(session), &self.origin);
        self.rows.push(row);
    }

    /// The agent stopped: what it would have been told then.
    fn stopped(&mut self, node: &str, ids: &Ids, ts: &str) {
        let at = self.place;
        let told = agent::at_stop(self.state(node), Voice::Normal);
        let event = Event::new(String::new(), ts, node, ids, Body::AdviceGiven { episodes: Vec::new() });
        self.told(&event, at, told);
    }

    /// The agent was told of these episodes, after this event.
    fn told(&mut self, event: &Event, at: u64, told: Option<(String, Vec<String>)>) {
        let Some((text, episodes)) = told else { return };
        self.tally.advised(event, &episodes, &text);
        let id = hex16(&["advice_given", &event.node, &event.ts, &episodes.join(" ")]);
        let given = Event::new(id, &event.ts, &event.node, &event.ids(), Body::AdviceGiven { episodes });
        self.step(&given, at);
    }

    fn session_facts(&self, node: &str) -> PlanFacts {
        let parent = session_parent(node).map(str::to_owned);
        let is_sibling =
            |other: &&String| parent.is_some() && other.as_str() != node && session_parent(other) == parent.as_deref();
        let siblings = self.states.keys().filter(is_sibling).cloned().collect();
        PlanFacts { node: node.to_owned(), parent, siblings, ..PlanFacts::default() }
    }

    fn step(&mut self, event: &Event, at: u64) {
        let state = self.state(&event.node);
        let may_end_any = match event.body {
            Body::ExecutionCompleted(_) => state.ended_by(event).next().is_some(),
            Body::ExecutionFailed(_) => !state.episodes.is_empty(),
            _ => false,
        };
        let before = may_end_any.then(|| state.clone());
        for node in event.folded_into() {
            self.state(node).step(event, at);
        }
        let (states, tally) = (&self.states, &mut self.tally);
        let Some((before, after)) = before.zip(states.get(&event.node)) else { return };
        let others = agents_of(states, session_of(&event.node));
        let others = others.filter(|(node, _)| **node != event.node).map(|(_, state)| state);
        tally.stepped(event, &before, after, &others);
    }

    fn state(&mut self, node: &str) -> &mut State {
        let keeps_text_hashes = self.ruleset.name == "classic";
        let state = self.states.entry(node.to_owned()).or_insert_with(|| State::new(node));
        state.keeps_text_hashes = keeps_text_hashes;
        state
    }
}

/// The session that a node is, or that it is a subagent of.
fn session_of(node: &str) -> &str {
    session_parent(node).unwrap_or(node)
}

/// The nodes of a session. A subagent's name begins with its session's, so that the others need not be looked at.
fn agents_of<'a>(
    states: &'a BTreeMap<String, State>,
    session: &'a str,
) -> impl Iterator<Item = (&'a String, &'a State)> + Clone {
    let from = (Bound::Included(session), Bound::Unbounded);
    let named_so = states.range::<str, _>(from).take_while(move |(node, _)| node.starts_with(session));
    named_so.filter(move |(node, _)| session_of(node) == session)
}

fn node_of(ids: &Ids) -> String {
    session_node(ids.session.as_deref(), ids.agent.as_deref())
}

fn scene<'a>(node: &'a str, ts: &'a str) -> Scene<'a> {
    Scene { node, ts, worktree: None, red_phase: false, expected_failures: &[] }
}

/// The verdict that a history holds of a failure, where this is the event that tells it.
fn recorded_verdict<'a>(event: &'a Event, failed: &Event) -> Option<&'a Classified> {
    let Body::FailureClassified(classified) = &event.body else { return None };
    let of_this = event.node == failed.node && event.tool_use_id == failed.tool_use_id;
    let verdict = classified.verdict.as_ref().filter(|_| of_this)?;
    (verdict.history_ref.as_ref() == Some(&failed.id)).then_some(classified)
}
