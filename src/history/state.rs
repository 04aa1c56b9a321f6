//! What the rules need to know of a node's past, and nothing else: a bounded fold over its events.

use serde::{Deserialize, Serialize};

use super::bucket::Bucket;
use super::event::{Body, Classified, Effect, Event, Execution, StateChange};
use super::guarded::Guarded;
use super::node::PROJECT;
use crate::model::{
    Category, Class, Decision, DecisionAction, Ids, Object, Operation, Outcome, Phase, Proof, Reading, RunResult,
};

/// What the rules need to know of one node's past. `step` folds an event in; replay and hook run the same fold.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct State {
    /// The version of this shape; a state of another version is rebuilt from history.
    pub v: u32,
    /// The node.
    pub node: String,
    /// How much of the history this state covers, in bytes: events before it are already folded in.
    pub covered: u64,
    /// Where the node's first event stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<u64>,
    /// Where the last file change of the node stands, or the last prompt of a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed_at: Option<u64>,
    /// The last shell operation that may have changed something, and where it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_shell: Option<(Operation, u64)>,
    /// Where the last such shell call with another operation than `last_shell` stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_shell_at: Option<u64>,
    /// The last calls, oldest first, at most [`State::RECENT`].
    #[serde(skip_serializing_if = "Vec::is_empty", with = "letters")]
    pub recent: Vec<Recent>,
    /// Failures being worked on, oldest first, at most [`State::EPISODES`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub episodes: Vec<Episode>,
    /// The last proven pass of each operation that ended an episode or that a runner's result speaks of, oldest first,
    /// at most [`State::EPISODES`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub passes: Vec<(Operation, u64)>,
    /// Files that this node changed and where, oldest first, at most [`State::CHANGES`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<(String, u64)>,
    /// Commands that go on in the background, at most [`State::EPISODES`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub background: Vec<Background>,
    /// Hashes of the calls already recorded, oldest first, at most [`State::SEEN`].
    #[serde(skip_serializing_if = "Vec::is_empty", with = "digits")]
    pub seen: Vec<u64>,
    /// Fine signatures that the agent was told about, and where, at most [`State::SAID`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<(String, u64)>,
    /// How often the agent was told anything.
    pub advice_count: u32,
    /// How many replans of this node were proposed or applied in a row, with no other change of it in between.
    #[serde(skip_serializing_if = "is_zero")]
    pub proposals: u32,
    /// Whether the last of them was proposed and is not applied yet.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub proposal_open: bool,
    /// The plan node that this session or subagent claimed: its failures belong there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<String>,
    /// The project's retries: only in the state of [`PROJECT`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bucket: Option<Bucket>,
    /// What the guard knows.
    #[serde(skip_serializing_if = "Guarded::is_empty")]
    pub guarded: Guarded,
    /// Whether the hashes of failing texts are kept, which only the ruleset `classic` reads.
    #[serde(skip)]
    pub keeps_text_hashes: bool,
}

/// A call among a node's last ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recent {
    /// Whether it failed.
    pub failed: bool,
    /// SHA-256 of its redacted text, 16 digits: only kept where the ruleset `classic` is evaluated, and never stored.
    pub stderr_hash: Option<String>,
}

/// One failure being worked on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Episode {
    /// 8 hexadecimal digits.
    pub id: String,
    /// What kind of error it is.
    pub category: Category,
    /// What exactly fails, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<Object>,
    /// The operation that failed last.
    pub operation: Operation,
    /// That call's command or target as given, redacted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// Whose output it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner: Option<String>,
    /// How often it failed.
    pub attempts: u32,
    /// Fine signatures of the last failures, oldest first, at most two: the two before the next one.
    pub fines: Vec<String>,
    /// How many retries in a row changed nothing.
    pub unchanged: u32,
    /// Whether its last failure was masked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub masked: bool,
    /// Whether the fallback rule answered it last: nobody knows the cause.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unexplained: bool,
    /// The class of its last verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<Class>,
    /// Whether the person was told of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub person_told: bool,
    /// Where its last failure stands.
    pub last_at: u64,
    /// What was decided last, where anything was since a person's prompt or a thaw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided: Option<LastDecision>,
}

/// The last decision of an episode, as far as the next one and the guard ask for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastDecision {
    /// What was decided.
    pub action: DecisionAction,
    /// The fine signature of the failure that it was decided on; empty where that is not known.
    pub fine: String,
    /// The node that it was about, where that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The `execution_failed` event that it was decided on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// The time before which no retry is made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_before: Option<String>,
    /// How many replans were decided on in this episode.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub replans: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// A command that goes on in the background.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Background {
    /// The call that started it.
    pub tool_use_id: String,
    /// What it does.
    pub operation: Operation,
    /// The command as given, redacted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
}

impl State {
    /// The version of this shape.
    pub const VERSION: u32 = 2;
    /// The most calls kept as recent: the inherited classifier reads a node's last ten events.
    pub const RECENT: usize = 10;
    /// The most open episodes kept.
    pub const EPISODES: usize = 16;
    /// The most changed files kept.
    pub const CHANGES: usize = 64;
    /// The most call hashes kept: several batches of the largest size seen in practice.
    pub const SEEN: usize = 64;
    /// The most remembered advices.
    pub const SAID: usize = 16;

    /// The state of a node without events.
    pub fn new(node: &str) -> Self {
        Self { v: Self::VERSION, node: node.to_owned(), ..Self::default() }
    }

    /// Whether this end of this call is already recorded.
    pub fn has_seen(&self, key: u64) -> bool {
        self.seen.contains(&key)
    }

    /// The open episode that a failure belongs to: same category, and the object it is about, or the same operation
    /// where neither names an object.
    pub fn episode_of(&self, reading: &Reading, operation: &Operation) -> Option<&Episode> {
        self.episodes.iter().rev().find(|episode| episode.takes(reading, operation))
    }

    /// Whether anything changed since a place in the history, other than by the operation itself.
    pub fn changed_since(&self, at: u64, operation: &Operation) -> bool {
        let after = |place: Option<u64>| place.is_some_and(|place| place > at);
        let shell = match &self.last_shell {
            Some((last, place)) if last != operation => after(Some(*place)),
            Some(_) => after(self.other_shell_at),
            None => false,
        };
        shell || after(self.changed_at)
    }

    /// Where the node's last call stands that may have changed something, or the last prompt of a person.
    pub fn last_change(&self) -> Option<u64> {
        self.changed_at.max(self.last_shell.as_ref().map(|(_, at)| *at))
    }

    /// Whether a person's prompt matters here: it ends "nothing changed" while a failure is open.
    pub fn waits_for_change(&self) -> bool {
        !self.episodes.is_empty() || self.guarded.repeated.is_some()
    }

    /// Whether the agent was told about this fine signature and nothing changed since.
    pub fn was_told(&self, fine: &str, operation: &Operation) -> bool {
        self.said.iter().any(|(said, at)| said == fine && !self.changed_since(*at, operation))
    }

    /// The launch of background work whose later end carries these ids.
    pub fn launch_of(&self, ids: &Ids) -> Option<&Background> {
        self.background.iter().find(|task| Some(&task.tool_use_id) == ids.tool_use.as_ref())
    }

    /// Folds one event in. `at` is where the event stands in the history; events before `covered` change nothing.
    pub fn step(&mut self, event: &Event, at: u64) {
        if at < self.covered {
            return;
        }
        if self.node == PROJECT && event.takes_a_token() {
            return self.take_token(event, at);
        }
        if event.subject() != self.node {
            return;
        }
        self.covered = at + 1;
        self.started_at.get_or_insert(at);
        self.guarded.step(event, at);
        match &event.body {
            Body::ExecutionCompleted(execution) => self.completed(event, execution, at),
            Body::ExecutionFailed(execution) => self.failed(event, execution, at),
            Body::FailureClassified(classified) => self.classified(classified, at),
            Body::AdviceGiven { episodes } => self.advised(episodes, at),
            Body::PersonTold { episodes, .. } => self.told_person(episodes),
            Body::StateChanged { change, .. } if change.as_ref().is_none_or(StateChange::begins_anew) => {
                self.changed_at = Some(at);
                self.start_over();
            }
            Body::NodeBound { target } => self.bound.clone_from(target),
            Body::ThawApplied(_) | Body::ConflictArbitrated(_) => self.start_over(),
            Body::Decision(Some(decision)) => self.decided(decision),
            Body::ReplanProposed(_) => self.proposed(event),
            _ => {}
        }
    }

    /// A person spoke, or the plan went on: what was decided before no longer binds.
    fn start_over(&mut self) {
        self.proposals = 0;
        self.proposal_open = false;
        for episode in &mut self.episodes {
            episode.decided = None;
        }
    }

    fn decided(&mut self, decision: &Decision) {
        let Some(episode) = self.episodes.iter_mut().find(|open| Some(&open.id) == decision.episode.as_ref()) else {
            return;
        };
        let is_replan = matches!(decision.action, DecisionAction::ReplanStory | DecisionAction::ReplanFeature);
        let before = episode.decided.as_ref().map_or(0, |decided| decided.replans);
        episode.decided = Some(LastDecision {
            action: decision.action,
            fine: episode.fines.last().cloned().unwrap_or_default(),
            target: Some(decision.target_node.clone()).filter(|target| *target != decision.node_id),
            failure: decision.history_ref.clone(),
            not_before: decision.not_before.clone(),
            replans: before.saturating_add(u32::from(is_replan)),
        });
    }

    /// A replan is proposed by another node's decision, and then applied by an event of this node: both are one.
    fn proposed(&mut self, event: &Event) {
        let is_applied = event.node == self.node;
        if !(is_applied && self.proposal_open) {
            self.proposals = self.proposals.saturating_add(1);
        }
        self.proposal_open = !is_applied;
    }

    fn take_token(&mut self, event: &Event, at: u64) {
        self.covered = at + 1;
        self.started_at.get_or_insert(at);
        if let Some(now) = Bucket::clock(&event.ts) {
            self.bucket = Some(self.bucket.unwrap_or_default().take(now));
        }
    }

    /// The last decision on an episode that is open.
    pub fn last_decision(&self, episode: &str) -> Option<&LastDecision> {
        self.episodes.iter().find(|open| open.id == episode)?.decided.as_ref()
    }

    /// Whether an operation passed before, and nothing changed since.
    pub fn passed_unchanged(&self, operation: &Operation) -> bool {
        let pass = self.passes.iter().rev().find(|(passed, _)| passed == operation);
        pass.is_some_and(|(_, at)| !self.changed_since(*at, operation))
    }

    fn completed(&mut self, event: &Event, execution: &Execution, at: u64) {
        self.remember_call(event, execution, at, false);
        if execution.outcome == Some(Outcome::Succeeded) {
            self.close_passed(execution, at);
        }
        self.note_background(event, execution);
    }

    fn failed(&mut self, event: &Event, execution: &Execution, at: u64) {
        let fine = execution.signature.as_ref().map(|signature| signature.fine.clone()).unwrap_or_default();
        let (Some(reading), Some(operation)) = (&execution.reading, &execution.operation) else {
            return self.remember_call(event, execution, at, true);
        };
        // Counted before the call's own changes are noted, as it was when the verdict was made.
        let attempt = self.attempt(reading, operation, &fine);
        self.remember_call(event, execution, at, true);
        self.episodes.retain(|episode| !episode.is_outlived_by(reading, operation));
        let mut episode = match self.episodes.iter().rposition(|episode| episode.takes(reading, operation)) {
            Some(index) => self.episodes.remove(index),
            None => Episode::open(reading, operation, &event.id),
        };
        episode.attempts = attempt.number;
        episode.unchanged = attempt.unchanged_retries;
        episode.fines.push(fine);
        keep_last(&mut episode.fines, 2);
        episode.operation = operation.clone();
        episode.input.clone_from(&execution.input);
        episode.masked = execution.outcome == Some(Outcome::MaskedFailure);
        episode.last_at = at;
        self.episodes.push(episode);
        keep_last(&mut self.episodes, Self::EPISODES);
        self.background.retain(|task| execution.phase != Some(Phase::Background) || !task.is_of(event));
    }

    fn classified(&mut self, classified: &Classified, at: u64) {
        let Some(verdict) = &classified.verdict else { return };
        if let Some(episode) = self.episodes.iter_mut().find(|episode| episode.id == verdict.episode) {
            episode.unexplained = verdict.category == Category::Unknown;
            episode.class = Some(verdict.class);
        }
        if classified.advised {
            self.say(verdict.signature.fine.clone(), at);
        }
    }

    fn told_person(&mut self, episodes: &[String]) {
        for episode in self.episodes.iter_mut().filter(|episode| episodes.contains(&episode.id)) {
            episode.person_told = true;
        }
    }

    fn advised(&mut self, episodes: &[String], at: u64) {
        let told: Vec<String> = self
            .episodes
            .iter()
            .filter(|episode| episodes.contains(&episode.id))
            .filter_map(|episode| episode.fines.last().cloned())
            .collect();
        for fine in told {
            self.said.push((fine, at));
        }
        keep_last(&mut self.said, Self::SAID);
        self.advice_count += 1;
    }

    fn say(&mut self, fine: String, at: u64) {
        self.said.push((fine, at));
        keep_last(&mut self.said, Self::SAID);
        self.advice_count += 1;
    }

    fn remember_call(&mut self, event: &Event, execution: &Execution, at: u64, failed: bool) {
        let text = execution.text.as_deref().filter(|_| failed && self.keeps_text_hashes);
        self.recent.push(Recent { failed, stderr_hash: text.map(|text| crate::digest::hex16(&[text])) });
        keep_last(&mut self.recent, Self::RECENT);
        if let Some(key) = event.seen_key() {
            self.seen.push(key);
            keep_last(&mut self.seen, Self::SEEN);
        }
        match execution.effect {
            Effect::None => {}
            Effect::Files => self.changed_at = Some(at),
            Effect::Shell => self.note_shell(execution, at),
        }
        if execution.effect == Effect::Files {
            for file in &execution.files_touched {
                self.changes.retain(|(path, _)| path != file);
                self.changes.push((file.clone(), at));
            }
            keep_last(&mut self.changes, Self::CHANGES);
        }
    }

    fn note_shell(&mut self, execution: &Execution, at: u64) {
        let Some(operation) = &execution.operation else { return };
        if let Some((last, place)) = &self.last_shell
            && last != operation
        {
            self.other_shell_at = Some(*place);
        }
        self.last_shell = Some((operation.clone(), at));
    }

    /// The open episodes that a call ends by a proven pass.
    pub fn ended_by<'a>(&'a self, event: &'a Event) -> impl Iterator<Item = &'a Episode> {
        let proven = match &event.body {
            Body::ExecutionCompleted(execution) if execution.outcome == Some(Outcome::Succeeded) => {
                let read = execution.reading.as_ref().zip(execution.operation.as_ref());
                read.filter(|(reading, _)| reading.proof != Proof::None)
            }
            _ => None,
        };
        self.episodes
            .iter()
            .filter(move |episode| proven.is_some_and(|(reading, operation)| episode.is_passed_by(reading, operation)))
    }

    fn close_passed(&mut self, execution: &Execution, at: u64) {
        let (Some(reading), Some(operation)) = (&execution.reading, &execution.operation) else { return };
        if reading.proof == Proof::None {
            return;
        }
        let passes = |episode: &Episode| episode.is_passed_by(reading, operation);
        let closed: Vec<Operation> = self.episodes.iter().filter(|e| passes(e)).map(|e| e.operation.clone()).collect();
        self.episodes.retain(|episode| !passes(episode));
        for passed in closed.into_iter().chain((reading.result == RunResult::Passed).then(|| operation.clone())) {
            self.passes.retain(|(earlier, _)| *earlier != passed);
            self.passes.push((passed, at));
        }
        keep_last(&mut self.passes, Self::EPISODES);
    }

    fn note_background(&mut self, event: &Event, execution: &Execution) {
        self.background.retain(|task| execution.phase != Some(Phase::Background) || !task.is_of(event));
        if let (Some(_), Some(id), Some(operation)) =
            (&execution.background_task, &event.tool_use_id, &execution.operation)
        {
            self.background.push(Background {
                tool_use_id: id.clone(),
                operation: operation.clone(),
                input: execution.input.clone(),
            });
            keep_last(&mut self.background, Self::EPISODES);
        }
    }

    /// Which attempt a failure is, counted with itself, before it is folded in.
    pub fn attempt(&self, reading: &Reading, operation: &Operation, fine: &str) -> Attempt {
        let Some(episode) = self.episode_of(reading, operation) else { return Attempt::first() };
        let same_call = episode.operation == *operation && episode.fines.last().is_some_and(|last| last == fine);
        let unchanged = same_call && !self.changed_since(episode.last_at, operation);
        Attempt {
            number: episode.attempts + 1,
            unchanged_retries: if unchanged { episode.unchanged + 1 } else { 0 },
            episode: Some(episode.id.clone()),
            previous_fines: episode.fines.clone(),
        }
    }
}

/// Which attempt of its episode a failure is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// How often the episode failed, this failure included.
    pub number: u32,
    /// How many retries in a row repeated the call and its error with nothing changed.
    pub unchanged_retries: u32,
    /// The open episode, where there is one.
    pub episode: Option<String>,
    /// Fine signatures of the failures before, oldest first, at most two.
    pub previous_fines: Vec<String>,
}

impl Attempt {
    fn first() -> Self {
        Self { number: 1, unchanged_retries: 0, episode: None, previous_fines: Vec::new() }
    }
}

impl Episode {
    fn open(reading: &Reading, operation: &Operation, event_id: &str) -> Self {
        Self {
            id: episode_id(event_id),
            category: reading.category,
            object: reading.primary_object().cloned(),
            operation: operation.clone(),
            input: None,
            runner: reading.runner.clone(),
            attempts: 0,
            fines: Vec::new(),
            unchanged: 0,
            masked: false,
            unexplained: false,
            class: None,
            person_told: false,
            last_at: 0,
            decided: None,
        }
    }

    fn takes(&self, reading: &Reading, operation: &Operation) -> bool {
        self.category == reading.category
            && match &self.object {
                Some(object) => reading.objects.contains(object),
                None => reading.objects.is_empty() && self.operation == *operation,
            }
    }

    /// Whether a failure of the same operation proves that this one is over: tests that ran were compiled.
    pub fn is_outlived_by(&self, reading: &Reading, operation: &Operation) -> bool {
        self.category == Category::CompileError
            && reading.category == Category::TestFailure
            && self.operation == *operation
    }

    /// A proven pass is that of the same operation, or one of the same runner that names the object as passed, that was
    /// broader (`cargo test` after `cargo test parser`), or that was the end of the chain which failed (`go build` after
    /// `git stash && go build`).
    fn is_passed_by(&self, reading: &Reading, operation: &Operation) -> bool {
        if self.operation == *operation {
            return true;
        }
        if self.runner.is_none() || self.runner != reading.runner {
            return false;
        }
        let named = self.object.as_ref().is_some_and(|object| reading.passed.contains(&object.name));
        let broader = reading.result == RunResult::Passed
            && self.operation.0.strip_prefix(&operation.0).is_some_and(|rest| rest.starts_with(' '));
        let end = self.operation.0.strip_suffix(&operation.0).is_some_and(|rest| rest.ends_with("&& "));
        named || broader || end
    }
}

impl Background {
    fn is_of(&self, event: &Event) -> bool {
        event.tool_use_id.as_deref() == Some(self.tool_use_id.as_str())
    }
}

/// The id of the episode that an event opens.
pub(super) fn episode_id(event_id: &str) -> String {
    event_id.chars().take(8).collect()
}

/// The key under which an end of a call is remembered: its call id and phase, or its own id where it has none.
pub fn seen_key(tool_use_id: Option<&str>, phase: Option<Phase>, event_id: &str) -> Option<u64> {
    let phase = phase?;
    let name = tool_use_id.unwrap_or(event_id);
    Some(fnv1a(name.as_bytes(), u64::from(phase == Phase::Background)))
}

/// FNV-1a, 64 bit: a spread of call ids over a short list, not a defence against forgers.
fn fnv1a(bytes: &[u8], salt: u64) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    bytes.iter().fold(OFFSET ^ salt, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(PRIME))
}

/// Calls as one text of a letter each. The hashes of their texts are of one run only, and not stored.
mod letters {
    use std::borrow::Cow;

    use serde::{Deserialize, Deserializer, Serializer};

    use super::Recent;

    pub(super) fn serialize<S: Serializer>(calls: &[Recent], serializer: S) -> Result<S::Ok, S::Error> {
        let letters: String = calls.iter().map(|call| if call.failed { FAILED } else { '.' }).collect();
        serializer.serialize_str(&letters)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Recent>, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        Ok(text.chars().map(|letter| Recent { failed: letter == FAILED, stderr_hash: None }).collect())
    }

    const FAILED: char = 'F';
}

/// Numbers as one text of 16 hexadecimal digits each: read in a fraction of the time that a list of numbers takes.
mod digits {
    use std::borrow::Cow;

    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::digest::hex;

    const EACH: usize = 16;

    pub(super) fn serialize<S: Serializer>(numbers: &[u64], serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_be_bytes()).collect();
        serializer.serialize_str(&hex(&bytes, bytes.len()))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u64>, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        let digit = |byte: &u8| char::from(*byte).to_digit(16).map(u64::from);
        let number = |digits: &[u8]| digits.iter().try_fold(0, |number, byte| Some(number << 4 | digit(byte)?));
        let numbers: Option<Vec<u64>> = text.as_bytes().chunks(EACH).map(number).collect();
        numbers.ok_or_else(|| D::Error::custom("the hashes of the calls are no hexadecimal digits"))
    }
}

fn keep_last<T>(items: &mut Vec<T>, most: usize) {
    if items.len() > most {
        items.drain(..items.len() - most);
    }
}

#[cfg(test)]
mod tests {
    use super::{Recent, State};

    #[test]
    fn the_last_calls_come_back_in_their_order() {
        let recent = [true, false, false, true].map(|failed| Recent { failed, stderr_hash: None }).to_vec();
        let state = State { recent, ..State::new("n") };
        let json = serde_json::to_string(&state).unwrap();
        assert!(json.contains(r#""recent":"F..F""#), "{json}");
        assert_eq!(serde_json::from_str::<State>(&json).unwrap(), state);
    }

    #[test]
    fn hashes_of_calls_come_back_as_they_were() {
        let state = State { seen: vec![0, 1, u64::MAX, 0x0123_4567_89ab_cdef], ..State::new("n") };
        let json = serde_json::to_string(&state).unwrap();
        assert!(
            json.contains(r#""seen":"00000000000000000000000000000001ffffffffffffffff0123456789abcdef""#),
            "{json}"
        );
        assert_eq!(serde_json::from_str::<State>(&json).unwrap(), state);
        for broken in ["12g4", "é2345678"] {
            let json = json.replace("ffffffffffffffff", broken);
            assert!(serde_json::from_str::<State>(&json).is_err(), "{json}");
        }
    }
}
