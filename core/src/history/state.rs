//! What the rules need to know of a node's past, and nothing else: a bounded fold over its events.

use serde::{Deserialize, Serialize};

use super::bucket::Bucket;
use super::episode::{Episode, FailingCall};
use super::event::{Body, Classified, Effect, Event, Execution, StateChange};
use super::guarded::Guarded;
use super::hosts::KnownHost;
use super::node::{PROJECT, is_session};
use super::recovery::OpenPlan;
use crate::model::{
    Category, Class, Decision, DecisionAction, Ids, Intent, KnownConflict, MetMode, NodeStatus, Operation, Outcome,
    Phase, Proof, Reading, RunResult, Signature, Stash, Topic,
};
use crate::programs::Trait;
use crate::shell::Script;

/// What the rules need to know of one node's past. `step` folds an event in; replay and hook run the same fold.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own that an event sets")]
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
    /// Where the last file change of the node stands, or another change that is no call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed_at: Option<u64>,
    /// Where the last prompt of a person stands: it changes no file, and all the same an agent may try again after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompted_at: Option<u64>,
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
    /// Files that command lines changed by their words, as given, and where, oldest first, at most [`State::ALTERED`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub altered: Vec<(String, u64)>,
    /// What command lines of a node of the plan changed, as [`Execution::files_touched`] has it, at most
    /// [`State::CHANGES`]: a change of what it names, but no sign that the node drifts, as a line names much besides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub wrote: Vec<(String, u64)>,
    /// The conflict that this node waits in, found by its own edit or failure and not arbitrated yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conflict: Option<KnownConflict>,
    /// Whether the last prompt announced that a test is to fail before it passes.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub red_phase: bool,
    /// Whether the work is put away (`git stash`), so that no check says anything of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub put_away: bool,
    /// Commands that go on in the background, at most [`State::EPISODES`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub background: Vec<Background>,
    /// Hashes of the calls already recorded, oldest first, at most [`State::SEEN`].
    #[serde(skip_serializing_if = "Vec::is_empty", with = "digits")]
    pub seen: Vec<u64>,
    /// What the agent was told, oldest first, at most [`State::SAID`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<ToldAdvice>,
    /// The failure modes that were met, as [`MetMode::tag`] has them, oldest first, at most [`State::SAID`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub met: Vec<String>,
    /// How often the agent was told anything, but for what a plan has to hear.
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
    /// Why nobody is to work on this plan node any more, until somebody who works on it was told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<StoppedNode>,
    /// The project's retries: only in the state of [`PROJECT`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bucket: Option<Bucket>,
    /// Hosts that did not answer, and those that did since, the last one last, at most [`State::HOSTS`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<KnownHost>,
    /// What the guard knows.
    #[serde(skip_serializing_if = "Guarded::is_empty")]
    pub guarded: Guarded,
    /// The subagents of a session that began last, oldest first, at most [`State::AGENTS`]: only in the state of
    /// [`agents_of`](super::agents_of) that session.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
    /// The recovery plans that the agent was given, oldest first, as long as nobody knows what became of them: at most
    /// [`State::PLANS`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub plans: Vec<OpenPlan>,
    /// Whether a part of the node's past was not read, so that an episode may be open, or older, that is not known here:
    /// until the last known one has ended.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// Whether what only the ruleset `classic` reads is kept: the hashes of failing texts.
    #[serde(skip)]
    pub for_classic: bool,
}

/// A call among a node's last ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recent {
    /// Whether it failed.
    pub failed: bool,
    /// SHA-256 of its redacted text, 16 digits: only kept where the ruleset `classic` is evaluated, and never stored.
    pub stderr_hash: Option<String>,
}

/// A node of the plan that was frozen, discarded or given back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoppedNode {
    /// What it is now.
    pub status: NodeStatus,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The session that did it, where one is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
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

/// Something that the agent was told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToldAdvice {
    /// The kind of sentence.
    pub topic: Topic,
    /// The episode that it was about.
    pub episode: String,
    /// The fine signature of the failure that it was about.
    pub fine: String,
}

/// A command that goes on in the background.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Background {
    /// The call that started it.
    pub tool_use_id: String,
    /// The client's name for it, by which an agent asks for its output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// What it does.
    pub operation: Operation,
    /// The command as given, redacted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// The identity of the call that left it behind, where the guard counts that: [`Execution::call`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// Whether a later command ended programs: that this one ends by a signal then is no failure.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub killed: bool,
}

impl State {
    /// The version of this shape.
    pub const VERSION: u32 = 3;
    /// The most calls kept as recent: the inherited classifier reads a node's last ten events.
    pub const RECENT: usize = 10;
    /// The most open episodes kept.
    pub const EPISODES: usize = 16;
    /// The most changed files kept.
    pub const CHANGES: usize = 64;
    /// The most files kept that command lines changed.
    pub const ALTERED: usize = 8;
    /// The most call hashes kept: several batches of the largest size seen in practice.
    pub const SEEN: usize = 64;
    /// The most remembered advices.
    pub const SAID: usize = 16;

    /// The most subagents of a session that are looked at for what one of them does not do itself.
    pub const AGENTS: usize = 16;

    /// The state of a node without events.
    pub fn new(node: &str) -> Self {
        Self { v: Self::VERSION, node: node.to_owned(), ..Self::default() }
    }

    /// Whether this end of this call is already recorded.
    pub fn has_seen(&self, key: u64) -> bool {
        self.seen.contains(&key)
    }

    /// The open episode that a failure belongs to: of the same category, and of the object it is about, or of the same
    /// check where one of them names no object.
    pub fn episode_of(&self, failing: &FailingCall<'_>) -> Option<&Episode> {
        self.episodes.get(self.place_of(failing)?)
    }

    /// One that names the object comes before one that only the check tells.
    fn place_of(&self, failing: &FailingCall<'_>) -> Option<usize> {
        let named =
            |episode: &Episode| episode.object.as_ref().is_some_and(|object| failing.reading.objects.contains(object));
        let by_name = self.episodes.iter().rposition(|episode| named(episode) && episode.takes(failing));
        by_name.or_else(|| self.episodes.iter().rposition(|episode| episode.takes(failing)))
    }

    /// Whether the last thing known of an episode is a failure of the work, and the work is there.
    pub fn is_failing(&self, episode: &Episode) -> bool {
        episode.is_failing() && !self.put_away
    }

    /// Whether anything is failing.
    pub fn is_any_failing(&self) -> bool {
        self.episodes.iter().any(|episode| self.is_failing(episode) || self.is_unread(episode))
    }

    /// Whether an episode's check was seen to fail in the last run whose result was shown.
    pub fn is_unread(&self, episode: &Episode) -> bool {
        episode.unread && episode.intent.is_none() && !self.put_away
    }

    /// Whether this node ran the operation of another node's episode after its last failure, as far as that is kept: as its
    /// last shell call, or with a proven pass.
    pub fn ran_since(&self, episode: &Episode) -> bool {
        let last = self.last_shell.iter();
        last.chain(&self.passes).any(|(operation, at)| *at > episode.last_at && *operation == episode.operation)
    }

    /// Why a call says nothing of the work, by itself or by what came before it.
    pub fn intent_of(&self, execution: &Execution) -> Option<Intent> {
        if execution.intent.is_some() || execution.checks.is_empty() {
            return execution.intent;
        }
        if self.put_away && execution.stash.is_none() {
            return Some(Intent::Baseline);
        }
        let category = execution.reading.as_ref().map(Reading::kind);
        let failed = execution.outcome.is_some_and(Outcome::is_failure);
        // What a new test calls is often not written yet.
        let may_be_red = failed && matches!(category, Some(Category::TestFailure | Category::CompileError));
        (self.red_phase && may_be_red).then_some(Intent::Red)
    }

    /// The files that this node changed, by edits and by command lines.
    pub fn changed_files(&self) -> impl Iterator<Item = &(String, u64)> {
        self.changes.iter().chain(&self.wrote)
    }

    /// The files that this node changed after a place in the history, oldest first.
    pub fn changed_after(&self, at: u64) -> impl Iterator<Item = &str> {
        self.changes.iter().filter(move |(_, place)| *place > at).map(|(file, _)| file.as_str())
    }

    /// Whether anything changed since a place in the history, other than by the operation itself. That a person spoke is
    /// no change.
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
        self.changed_at.max(self.prompted_at).max(self.last_shell.as_ref().map(|(_, at)| *at))
    }

    /// Whether a person's prompt matters here: it ends "nothing changed" while a failure is open, and a red phase.
    pub fn waits_for_change(&self) -> bool {
        !self.episodes.is_empty() || self.guarded.repeated.is_some() || self.red_phase
    }

    /// Whether the agent was told this kind of sentence about the episode, or about the same failure in an earlier one.
    pub fn was_told(&self, topic: Topic, episode: &str, fine: &str) -> bool {
        let same = |told: &ToldAdvice| told.topic == topic && (told.episode == episode || told.fine == fine);
        self.said.iter().any(same)
    }

    /// Whether the same program met the same failure mode before.
    pub fn has_met(&self, met: &MetMode) -> bool {
        !self.met.is_empty() && self.met.contains(&met.tag())
    }

    /// The launch of background work whose later end carries these ids.
    pub fn launch_of(&self, ids: &Ids) -> Option<&Background> {
        self.background.iter().find(|task| Some(&task.tool_use_id) == ids.tool_use.as_ref())
    }

    /// The launch of background work that the client calls so.
    pub fn launch_of_task(&self, task: &str) -> Option<&Background> {
        self.background.iter().find(|known| known.task.as_deref() == Some(task))
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
        let worked = !self.episodes.is_empty();
        if let Some(execution) = event.execution().filter(|_| !self.plans.is_empty()) {
            self.plans_go_on(execution);
        }
        match &event.body {
            Body::ExecutionCompleted(execution) => self.completed(event, execution, at),
            Body::ExecutionFailed(execution) => {
                self.note_host(execution);
                self.failed(event, execution, at);
            }
            Body::FailureClassified(classified) => self.classified(classified),
            Body::AdviceGiven { episodes } => self.advised(episodes),
            Body::PersonTold { episodes, .. } => self.told_person(episodes),
            Body::StateChanged { change, .. } if change.as_ref().is_none_or(StateChange::begins_anew) => {
                let is_prompt = change.as_ref().is_some_and(StateChange::is_prompt);
                let place = if is_prompt { &mut self.prompted_at } else { &mut self.changed_at };
                *place = Some(at);
                if is_prompt {
                    self.plans_are_answered();
                }
                self.red_phase = change == &Some(StateChange::RedPrompt) || self.red_phase && !is_prompt;
                self.start_over();
            }
            Body::NodeBound { target } => self.bound.clone_from(target),
            Body::ThawApplied(_) | Body::ConflictArbitrated(_) => {
                self.conflict = None;
                self.start_over();
            }
            Body::Decision { decision: Some(decision) } => self.decided(decision),
            Body::ReplanProposed(_) => self.proposed(event),
            Body::ConstraintViolated(plan) => self.met_in_plan(Topic::Constraint, plan.constraint()),
            Body::ConflictDetected(plan) => {
                self.conflict = plan.conflict();
                self.met_in_plan(Topic::Conflict, plan.conflict_id.clone());
            }
            Body::RecoveryAttempt { attempt } => self.plan_begins(attempt, &event.ts),
            Body::RecoveryComplete { complete } => self.plans.retain(|plan| plan.plan != complete.plan),
            _ => {}
        }
        self.note_stop(event);
        self.truncated &= !(worked && self.episodes.is_empty());
    }

    /// Somebody who works on a node that is stopped has to hear of it; one that goes on is stopped no more.
    fn note_stop(&mut self, event: &Event) {
        let Body::StateChanged { change: Some(change), reason } = &event.body else { return };
        let Some(status) = change.became() else { return };
        let was_active = matches!(change, StateChange::Status { from: Some(NodeStatus::Active), .. });
        let is_given_back = was_active && status == NodeStatus::Planned;
        let is_stop = is_given_back || matches!(status, NodeStatus::Frozen | NodeStatus::Discarded);
        let (reason, session) = (reason.clone(), event.session.clone());
        self.stopped = is_stop.then_some(StoppedNode { status, reason, session });
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

    /// Notes that a subagent begins, in the state of [`agents_of`](super::agents_of) its session.
    pub fn agent_begins(&mut self, agent: &str, at: u64) {
        if self.agents.iter().all(|known| known != agent) {
            self.covered = self.covered.max(at + 1);
            self.started_at.get_or_insert(at);
            self.agents.push(agent.to_owned());
            keep_last(&mut self.agents, Self::AGENTS);
        }
    }

    /// Remembers what is told once whatever else fails.
    fn met_in_plan(&mut self, topic: Topic, key: Option<String>) {
        let Some(key) = key else { return };
        self.said.push(ToldAdvice { topic, episode: key.clone(), fine: key });
        keep_last(&mut self.said, Self::SAID);
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
        self.note_stash(execution);
        if execution.outcome == Some(Outcome::Succeeded) {
            self.close_passed(execution, at);
        }
        if execution.answered.is_some() {
            self.note_host(execution);
        }
        self.note_background(event, execution);
    }

    fn failed(&mut self, event: &Event, execution: &Execution, at: u64) {
        let signature = execution.signature.clone().unwrap_or_else(Signature::none);
        let Some(failing) = FailingCall::of(execution) else { return self.remember_call(event, execution, at, true) };
        // Counted before the call's own changes are noted, as it was when the verdict was made.
        let attempt = self.attempt(&failing, &signature);
        self.remember_call(event, execution, at, true);
        self.note_stash(execution);
        self.episodes.retain(|episode| episode.takes(&failing) || !episode.is_ended_by(execution));
        let known = self.place_of(&failing);
        // What fails without the work, too, is no failure of the work.
        if execution.intent == Some(Intent::Baseline)
            && let Some(episode) = known.and_then(|index| self.episodes.get_mut(index))
        {
            episode.intent = Some(Intent::Baseline);
            return;
        }
        let mut episode = match known {
            Some(index) => self.episodes.remove(index),
            None => Episode::open(&failing, &event.id),
        };
        self.leave_unclear(execution);
        episode.attempts = attempt.number;
        episode.unchanged = attempt.unchanged_retries;
        episode.fines = attempt.previous_fines;
        episode.fines.push(signature.fine);
        keep_last(&mut episode.fines, 2);
        episode.signed = signature.version;
        episode.failed(&failing, execution.intent, execution.misfit.as_deref());
        episode.input.clone_from(&execution.input);
        episode.masked = failing.masked;
        episode.hidden_in = event.tool_use_id.clone().filter(|_| episode.masked);
        episode.last_at = at;
        episode.session = event.session.clone().filter(|_| !is_session(&event.node));
        self.episodes.push(episode);
        keep_last(&mut self.episodes, Self::EPISODES);
        self.background.retain(|task| execution.phase != Some(Phase::Background) || !task.is_of(event));
    }

    fn classified(&mut self, classified: &Classified) {
        let Some(verdict) = &classified.verdict else { return };
        if let Some(episode) = self.episodes.iter_mut().find(|episode| episode.id == verdict.episode) {
            episode.unexplained = verdict.category == Category::Unknown;
            episode.class = Some(verdict.class);
        }
        if classified.advised {
            let (topic, fine) = (classified.topic.unwrap_or_default(), verdict.signature.fine.clone());
            self.said.push(ToldAdvice { topic, episode: verdict.episode.clone(), fine });
            keep_last(&mut self.said, Self::SAID);
            let for_the_plan = classified.plan.as_ref().is_some_and(|plan| plan.tier.is_some())
                && matches!(verdict.class, Class::F3 | Class::F4 | Class::F5 | Class::F6);
            self.advice_count += u32::from(!for_the_plan);
        }
    }

    fn told_person(&mut self, episodes: &[String]) {
        for episode in self.episodes.iter_mut().filter(|episode| episodes.contains(&episode.id)) {
            episode.person_told = true;
        }
    }

    fn advised(&mut self, episodes: &[String]) {
        if episodes.is_empty() {
            self.stopped = None;
        }
        let told = self.episodes.iter().filter(|episode| episodes.contains(&episode.id));
        self.said.extend(told.map(|episode| ToldAdvice {
            topic: Topic::Hidden,
            episode: episode.id.clone(),
            fine: episode.fines.last().cloned().unwrap_or_default(),
        }));
        keep_last(&mut self.said, Self::SAID);
        self.advice_count += 1;
    }

    fn remember_call(&mut self, event: &Event, execution: &Execution, at: u64, failed: bool) {
        let text = execution.text.as_deref().filter(|_| failed && self.for_classic);
        self.recent.push(Recent { failed, stderr_hash: text.map(|text| crate::digest::hex16(&[text])) });
        keep_last(&mut self.recent, Self::RECENT);
        if let Some(met) = execution.met.as_ref().filter(|met| !self.has_met(met)) {
            self.met.push(met.tag());
            keep_last(&mut self.met, Self::SAID);
        }
        // What runs nothing in the background, as nearly every session, is not asked.
        if !self.background.is_empty() && execution.operation.as_ref().is_some_and(kills) {
            self.background.iter_mut().for_each(|task| task.killed = true);
        }
        if let Some(key) = event.seen_key() {
            self.seen.push(key);
            keep_last(&mut self.seen, Self::SEEN);
        }
        match execution.effect {
            Effect::None => {}
            Effect::Files => self.changed_at = Some(at),
            Effect::Shell => self.note_shell(execution, at),
        }
        let changed = match execution.effect {
            Effect::Files => Some(&mut self.changes),
            Effect::Shell => Some(&mut self.wrote),
            Effect::None => None,
        };
        if let Some(changed) = changed {
            // What a failed line was told to touch it need not have touched.
            let is_told = execution.effect == Effect::Files || !failed;
            let touched = execution.files_touched.iter().filter(|_| is_told);
            for file in touched.chain(&execution.wrote) {
                changed.retain(|(path, _)| path != file);
                changed.push((file.clone(), at));
            }
            keep_last(changed, Self::CHANGES);
        }
        self.altered.extend(execution.changed.iter().map(|file| (file.clone(), at)));
        keep_last(&mut self.altered, Self::ALTERED);
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
        let passing = match &event.body {
            Body::ExecutionCompleted(execution) if execution.outcome == Some(Outcome::Succeeded) => Some(execution),
            _ => None,
        };
        self.episodes.iter().filter(move |episode| passing.is_some_and(|execution| episode.is_ended_by(execution)))
    }

    fn close_passed(&mut self, execution: &Execution, at: u64) {
        let Some(failing) = FailingCall::of(execution).filter(|_| execution.intent != Some(Intent::Baseline)) else {
            return;
        };
        let mut passed: Vec<Operation> = Vec::new();
        self.episodes.retain(|episode| {
            let ended = episode.is_ended_by(execution);
            if ended {
                passed.push(episode.operation.clone());
            }
            !ended
        });
        self.leave_unclear(execution);
        if failing.reading.result == RunResult::Passed && failing.reading.proof != Proof::None {
            passed.push(failing.operation.clone());
        }
        for passed in passed {
            self.passes.retain(|(earlier, _)| *earlier != passed);
            self.passes.push((passed, at));
        }
        keep_last(&mut self.passes, Self::EPISODES);
    }

    /// Notes of which episodes nobody knows how they stand after a call.
    fn leave_unclear(&mut self, execution: &Execution) {
        let Self { episodes, changes, altered, .. } = self;
        let changed = || changes.iter().chain(altered.iter());
        // The hooks of a commit that was made may have run it.
        let passes_hooks = || {
            let script = Script::parse(execution.operation.as_ref().map_or("", |operation| &operation.0));
            execution.outcome == Some(Outcome::Succeeded) && script.programs().any(|(_, c)| c.is(Trait::Hooks))
        };
        if episodes.iter().any(|episode| episode.unread) && passes_hooks() {
            for episode in episodes.iter_mut() {
                episode.unread = false;
            }
        }
        for episode in episodes.iter_mut().filter(|episode| !episode.unclear || episode.unread) {
            if episode.is_left_unclear_by(execution) || episode.is_of_what_was_put_back(changed(), execution) {
                episode.unread = episode.is_left_unread_by(execution);
                episode.unclear = true;
            }
        }
    }

    /// Notes whether the work is put away. As it is brought back it is as it was, unless it did not fit any more.
    fn note_stash(&mut self, execution: &Execution) {
        let was_away = self.put_away;
        let (put_away, changed) = match execution.stash {
            Some(Stash::Away) => (true, false),
            Some(Stash::Back) => (false, !was_away || execution.outcome != Some(Outcome::Succeeded)),
            Some(Stash::Dropped) => (false, was_away),
            // Who edits works on without it.
            None => (was_away && execution.effect != Effect::Files, was_away && execution.effect == Effect::Files),
        };
        self.put_away = put_away;
        for episode in self.episodes.iter_mut().filter(|episode| changed && episode.check.is_some()) {
            (episode.unclear, episode.unread) = (true, false);
        }
    }

    fn note_background(&mut self, event: &Event, execution: &Execution) {
        self.background.retain(|task| execution.phase != Some(Phase::Background) || !task.is_of(event));
        if let (Some(task), Some(id), Some(operation)) =
            (&execution.background_task, &event.tool_use_id, &execution.operation)
        {
            self.background.push(Background {
                tool_use_id: id.clone(),
                task: Some(task.clone()),
                operation: operation.clone(),
                input: execution.input.clone(),
                call: execution.call.clone(),
                killed: false,
            });
            keep_last(&mut self.background, Self::EPISODES);
        }
    }

    /// Which attempt a failure is, counted with itself, before it is folded in.
    pub fn attempt(&self, failing: &FailingCall<'_>, signature: &Signature) -> Attempt {
        let operation = failing.operation;
        let Some(episode) = self.episode_of(failing) else { return Attempt::first() };
        let previous_fines = episode.fines_before(operation, signature);
        let same_error = !signature.vague && previous_fines.last() == Some(&signature.fine);
        // Of one operation, `make` and `make | tail` are two calls.
        let same_call = episode.operation == *operation && episode.masked == failing.masked && same_error;
        let prompted = self.prompted_at.is_some_and(|at| at > episode.last_at);
        let unchanged = same_call && !prompted && !self.changed_since(episode.last_at, operation);
        // A call that was made before the failure was seen is no other attempt.
        let again = u32::from(!failing.parallel);
        Attempt {
            number: episode.attempts + again,
            unchanged_retries: if unchanged { episode.unchanged + again } else { 0 },
            episode: Some(episode.id.clone()),
            previous_fines,
        }
    }
}

/// Which attempt of its episode a failure is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// How often the episode failed, this failure included; calls that were made together count once.
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

/// Whether a command line ends other programs; a time limit ends only its own.
fn kills(operation: &Operation) -> bool {
    let script = Script::parse(&operation.0);
    script.programs().any(|(_, command)| command.is(Trait::Kills) && !command.is(Trait::Limits))
}

impl Background {
    fn is_of(&self, event: &Event) -> bool {
        event.tool_use_id.as_deref() == Some(self.tool_use_id.as_str())
    }
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
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Some(u64::from(byte - b'0')),
            b'a'..=b'f' => Some(u64::from(byte - b'a' + 10)),
            _ => None,
        };
        let number = |digits: &[u8]| digits.iter().try_fold(0, |number, byte| Some(number << 4 | digit(*byte)?));
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
