//! The step itself: what is kept and said of what happened.

use std::borrow::Cow;

use super::intent::announces_failure;
use super::observe::{Examined, Scene, examine, observe_by};
use super::past::Past;
use crate::advice::agent;
use crate::advice::person::{self, Notice};
use crate::classify::{Answer, Facts, Ruleset, beside};
use crate::decide;
use crate::digest::hex16;
use crate::guard::{GuardQuestion, Refusal};
use crate::history::{Body, Classified, Episode, Event, Execution, RecoveryComplete, State, StateChange};
use crate::model::{
    Class, Ids, KnownConflict, Misfit, NearName, Operation, Outcome, PlanFacts, Recalled, Sought, Tool, ToolCall,
    Topic, Verdict, overrun_of,
};
use crate::names::MissingName;
use crate::own::Readings;
use crate::reading::names_commit;
use crate::settings::{Advice, Settings, StopCheck};
use crate::shell::Script;
use crate::time::millis;

/// What stands around a call. Settings and plan are asked for only where something failed or is about to be said, so that
/// they may be read as late as that.
pub trait Surroundings {
    /// The settings of the project.
    fn settings(&self) -> &Settings;
    /// What the plan says of a node, as far as failures that implicate these files ask for it.
    fn plan(&self, node: &str, files: &[String]) -> PlanFacts;
    /// The project's own readings, where there are any: asked for where a call failed.
    fn own_readings(&self) -> Option<&Readings> {
        None
    }
    /// What worked before where the same failure was met in an earlier session. Asked for where a call failed and the answer
    /// would be told.
    fn recall(&self, _: &Sought<'_>) -> Option<Recalled> {
        None
    }
    /// The only name that one may have meant which a failed call gives and that is not there. Asked for where the answer would
    /// be told: of a path at the first failure, of another name where the same call failed again with nothing changed in between.
    fn near(&self, _: &MissingName) -> Option<NearName> {
        None
    }
    /// Where the text that an edit did not find stands all the same, by the id of the call. Asked for where one failed so, and
    /// the answer would be told.
    fn misfit(&self, _call: Option<&str>) -> Option<Misfit> {
        None
    }
    /// What the agent said after a call, by its id. Asked for where a commit follows a failure that a status of 0 hid.
    fn words_after(&self, _call: &str) -> Option<String> {
        None
    }
    /// Whether a commit was made since a time in seconds since 1970; None where that is not known. Asked for where a commit that
    /// says nothing of itself would be told.
    fn committed_since(&self, _since: i64) -> Option<bool> {
        None
    }
    /// How many tokens the caller used since a time, as far as the end of its session's file tells. Asked for where a call failed
    /// in a node that has a budget of them.
    fn spent(&self, _since: &str) -> Option<u64> {
        None
    }
    /// Whether a test is known to pass and fail by chance. Asked for where a decision is made on it.
    fn is_flaky(&self, _test: &str) -> bool {
        false
    }
    /// Whether there was a history to read: else nothing can be said of earlier attempts.
    fn has_history(&self) -> bool {
        true
    }
}

/// Who works, where and when, and the rules that decide.
#[derive(Clone, Copy)]
pub struct Engine<'a> {
    /// The plan node, session or subagent.
    pub node: &'a str,
    /// Who calls.
    pub ids: &'a Ids,
    /// The time, RFC 3339 UTC.
    pub now: &'a str,
    /// The linked git worktree, outside the main one.
    pub worktree: Option<&'a str>,
    /// The rules.
    pub ruleset: &'static Ruleset,
    /// What stands around.
    pub around: &'a dyn Surroundings,
}

/// What happened besides calls.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum News<'a> {
    /// A person said something.
    Prompt {
        /// Whether it announces that a test is to fail before it passes.
        red_phase: bool,
    },
    /// The conversation was compacted, and what was told before went with it.
    Compaction,
    /// The agent wants to end its turn.
    Stop {
        /// Whether it has been kept from that already.
        already_held: bool,
        /// What it said last, where that is known.
        last_words: Option<&'a str>,
    },
    /// A subagent answered the agent that started it.
    Answered {
        /// The subagent's own state.
        subagent: &'a State,
        /// Its last words.
        words: &'a str,
    },
}

/// A call that ended, as it was read before its node's past is looked at.
#[derive(Debug, Clone)]
pub struct Observed {
    /// `execution_completed` or `execution_failed`.
    pub event: Event,
    /// What the plan says, and of the settings what the rules ask for; nothing for a call that did not fail.
    pub plan: PlanFacts,
}

/// What a step comes to.
#[derive(Debug, Default)]
pub struct Step {
    /// What is kept, in this order.
    pub events: Vec<Event>,
    /// What the agent is told.
    pub advice: Option<String>,
    /// What the person is told.
    pub notice: Option<Notice>,
    /// Why the agent should not end its turn yet.
    pub hold: Option<String>,
    /// The name that was looked for because it is missing, whatever the look showed.
    pub looked_for: Option<MissingName>,
}

impl Observed {
    /// Whether the work failed, so that the call is classified.
    pub fn is_failure(&self) -> bool {
        self.event.is_failure()
    }

    /// Whether the same end of the same call is folded in already.
    pub fn is_known(&self, state: &State) -> bool {
        self.event.seen_key().is_some_and(|key| state.has_seen(key))
    }
}

impl Step {
    /// The verdict, where something failed.
    pub fn verdict(&self) -> Option<&Verdict> {
        self.events.iter().find_map(Event::verdict)
    }
}

impl Engine<'_> {
    /// Reads calls that ended. Settings and plan are asked for where one of them failed, and may say that it did not.
    pub fn look(&self, calls: &[ToolCall<'_>]) -> Vec<Observed> {
        let mut events: Vec<Event> = calls.iter().map(|call| self.observe(call, false, &[])).collect();
        if !events.iter().any(Event::is_failure) {
            return events.into_iter().map(|event| Observed { event, plan: PlanFacts::default() }).collect();
        }
        let plan = self.plan_facts(&events);
        let expected = &self.around.settings().expected_failures.value;
        if plan.red_phase || !expected.is_empty() {
            for (event, call) in events.iter_mut().zip(calls).filter(|(event, _)| event.is_failure()) {
                *event = self.observe(call, plan.red_phase, expected);
            }
        }
        note_parallel(&mut events);
        let facts_of = |event: &Event| if event.is_failure() { plan.clone() } else { PlanFacts::default() };
        events.into_iter().map(|event| Observed { plan: facts_of(&event), event }).collect()
    }

    /// Reads the later end of background work. `state` is the node's state: it knows the launch. `output` is what the work
    /// printed, where that could be read.
    pub fn look_at_background(
        &self,
        call: &ToolCall<'_>,
        state: Option<&State>,
        output: Option<String>,
    ) -> Vec<Observed> {
        let launch = state.and_then(|state| state.launch_of(&call.ids));
        let mut call = call.as_background_of(launch.and_then(|task| task.input.as_deref()), output);
        // 128 and the number of SIGKILL or SIGTERM.
        if matches!(call.exit_code, Some(137 | 143)) && launch.is_some_and(|task| task.killed) {
            call.exit_meaning = Some("ended by a command that the agent ran".to_owned());
        }
        let mut observed = self.look(&[call]);
        let execution = observed.first_mut().and_then(|observed| observed.event.execution_mut());
        if let Some((execution, launch)) = execution.zip(launch) {
            execution.operation = Some(launch.operation.clone());
        }
        observed
    }

    /// Reads the end of background work that a call was told of. Nothing where neither `state` nor the answer knows what was
    /// run: the end of what is not known to run was told before.
    pub fn look_at_asked(&self, asking: &ToolCall<'_>, state: Option<&State>) -> Vec<Observed> {
        let Some(ended) = asking.ended.as_deref() else { return Vec::new() };
        let task = ended.background_task.as_deref().unwrap_or_default();
        let launch = state.and_then(|state| state.launch_of_task(task));
        if launch.is_none() && ended.command().is_none() {
            return Vec::new();
        }
        let tool_use = launch.map(|launch| launch.tool_use_id.clone());
        let ended = ToolCall { ids: Ids { tool_use, ..ended.ids.clone() }, ..ended.clone() };
        self.look_at_background(&ended, state, None)
    }

    /// What is kept and said of a call that ended. `state` is the node's state before it, `past` knows the other nodes.
    pub fn step(&self, mut observed: Observed, state: &State, past: &mut dyn Past) -> Step {
        if let Some(execution) = observed.event.execution_mut() {
            execution.intent = state.intent_of(execution);
            // Which host answered is only asked where another did not.
            if !state.hosts.is_empty() && execution.outcome == Some(Outcome::Succeeded) {
                execution.answered = host_of(execution);
            }
        }
        let operation = observed.event.execution().and_then(|execution| execution.operation.as_ref());
        // A subagent's commands name its session alone; what stopped its task is this call, or comes to light at its next.
        let is_own_command = operation.is_some_and(|operation| operation.0.starts_with("failwise "));
        // Nearly always no plan is open, and nothing more is asked.
        let ended = if state.plans.is_empty() { Vec::new() } else { self.plans_ended(&observed.event, state) };
        let mut step = if observed.is_failure() {
            self.failed(observed, state, past)
        } else {
            self.completed(observed.event, state, past)
        };
        step.events.extend(ended);
        // Nobody goes on with what was stopped: that comes before every other word.
        if let Some(said) = self.speaks_of_stop(state, is_own_command).then(|| agent::after_stop(state)).flatten() {
            step.events.push(self.advice_given(self.node, self.ids, Vec::new()));
            step.advice = Some(said);
        }
        step
    }

    /// Whether the caller's node was stopped by somebody else.
    fn speaks_of_stop(&self, state: &State, is_own_command: bool) -> bool {
        let by_itself =
            |by: &str| (self.ids.agent.is_none() || is_own_command) && self.ids.session.as_deref() == Some(by);
        state.stopped.as_ref().is_some_and(|stop| !stop.session.as_deref().is_some_and(by_itself)) && self.speaks()
    }

    /// What is kept and said of what happened besides calls. `past` is asked only where a failure is open.
    pub fn hear(&self, news: News<'_>, state: &State, past: &mut dyn Past) -> Step {
        match news {
            News::Prompt { red_phase } => self.prompt(state, red_phase),
            News::Compaction => self.compaction(&as_others_left_it(state, past)),
            News::Stop { already_held, last_words } => {
                self.stop(&as_others_left_it(state, past), already_held, last_words)
            }
            News::Answered { subagent, words } => self.answered(state, &as_others_left_it(subagent, past), words),
        }
    }

    /// Applies the rules to a call that is not folded into `state` yet. `plan` is completed by what the past knows.
    pub fn examine(&self, event: &Event, plan: &mut PlanFacts, state: &State, past: &mut dyn Past) -> Option<Examined> {
        let elsewhere = plan.elsewhere().map(|foreign| &foreign.task).filter(|task| !task.is_empty());
        let named: Vec<String> = plan.siblings.iter().chain(elsewhere).cloned().collect();
        let siblings = past.siblings(self.node, &named);
        if state.for_classic && !plan.children.is_empty() {
            let mut has_failed =
                |(id, counted): &&(String, bool)| *counted || past.state(id).recent.iter().any(|call| call.failed);
            let failed = plan.children.iter().filter(&mut has_failed).count();
            plan.failed_children = u32::try_from(failed).ok();
        }
        if plan.conflict.is_none() {
            plan.conflict = met_at_work(plan, state, &siblings);
        }
        if named.is_empty() {
            plan.siblings = siblings.iter().map(|sibling| sibling.node.clone()).collect();
        }
        examine(event, plan, state, &siblings, self.around.has_history(), self.ruleset)
    }

    /// Whether and why the guard does not let a call run. What costs most is asked last: it reads the plan.
    pub fn refuses(&self, asked: &GuardQuestion, state: &State, past: &mut dyn Past) -> Option<Refusal> {
        let refusal = asked.refusal(state, &self.around.settings().polling.value, self.now)?;
        let repeated = state.guarded.repeated.as_ref()?;
        let plan = self.around.plan(self.node, &[]);
        // In the red phase failures are wanted.
        if plan.red_phase {
            return None;
        }
        let mut others = past.session(self.node);
        if !plan.siblings.is_empty() {
            others.extend(past.siblings(self.node, &plan.siblings));
        }
        let changed = others.iter().any(|other| other.last_change().is_some_and(|at| at > repeated.at));
        (!changed).then_some(refusal)
    }

    fn observe(&self, call: &ToolCall<'_>, red_phase: bool, expected_failures: &[String]) -> Event {
        let Self { node, now: ts, worktree, .. } = *self;
        let scene = Scene { node, ts, worktree, red_phase, expected_failures };
        observe_by(call, &scene, || self.around.own_readings())
    }

    fn plan_facts(&self, events: &[Event]) -> PlanFacts {
        let readings = events.iter().filter_map(|event| event.execution()?.reading.as_ref());
        let files: Vec<String> = readings.flat_map(|reading| reading.files.iter().cloned()).collect();
        let plan = self.around.plan(self.node, &files);
        // What its page says was measured to the end; of work that goes on only the session's file tells.
        let measured = || plan.budget.as_ref().and_then(|(budget, since)| Some((self.around.spent(since)?, *budget)));
        let token_overrun = plan.token_overrun.or_else(|| measured().map(|(used, budget)| overrun_of(used, budget)));
        PlanFacts { ignored_paths: self.around.settings().ignored(), token_overrun, ..plan }
    }

    fn failed(&self, observed: Observed, state: &State, past: &mut dyn Past) -> Step {
        let Observed { event, mut plan } = observed;
        let examined = self.examine(&event, &mut plan, state, past);
        let Some(Examined { answer: Answer::Verdict(verdict), failure, deviation, history }) = examined else {
            return Step { events: vec![event], ..Step::default() };
        };
        if verdict.class == Class::F4 {
            plan.changed_by = beside(&Facts { event: &failure, history: &history, plan: &plan });
        }
        let is_flaky = |test: &str| self.around.is_flaky(test);
        let settled =
            decide::follow(&verdict, &event, &plan, state, deviation.as_deref(), |node| past.state(node), is_flaky);
        let mut failure = agent::ToldFailure {
            verdict: &verdict,
            decision: settled.as_ref().map(|settled| &settled.decision),
            event: &failure,
            input: event.execution().and_then(|execution| execution.input.as_deref()),
            input_altered: event.execution().is_some_and(|execution| execution.input_altered),
            met: event.execution().and_then(|execution| execution.met.as_ref()),
            cwd: event.execution().and_then(|execution| execution.cwd.as_deref()),
            intent: event.execution().and_then(|execution| execution.intent),
            plan: &plan,
            history: &history,
            recalled: None,
            near: None,
            misfit: None,
            untouched: false,
            now: &event.ts,
        };
        let advice = self.around.settings().advice.value;
        let recalled = agent::sought(&failure, self.ids.session.as_deref(), state, advice)
            .filter(|_| self.ids.host.shares(Tool::named(&failure.event.tool).kind))
            .and_then(|sought| self.around.recall(&sought))
            .filter(|_| !self.was_heard(&verdict, past));
        failure.recalled = recalled.as_ref();
        let looked_for = agent::missing_name(&failure, state, advice);
        let near = looked_for.as_ref().and_then(|missing| self.around.near(missing));
        failure.near = near.as_ref();
        let misfit = if agent::asks_for_text(&failure, state, advice) {
            // A replay of a history says what was seen then.
            let seen = event.execution().and_then(|execution| execution.misfit.clone());
            seen.or_else(|| self.around.misfit(event.tool_use_id.as_deref()).map(Box::new))
        } else {
            None
        };
        failure.misfit = misfit.as_deref();
        failure.untouched = agent::names_its_place(&failure)
            && agent::is_elsewhere(&failure, past.session(self.node).iter().chain([state]));
        // A commit that says it holds a failing test hands that over on purpose.
        let is_meant = || failure.input.is_some_and(announces_failure);
        let is_no_commit = || is_meant() || self.is_refused(&event, &failure.event.text);
        let said =
            agent::after_failure(&failure, state, advice).filter(|said| said.topic != Topic::Hidden || !is_no_commit());
        let ids = event.ids();
        let topic = said.as_ref().map(|said| said.topic);
        let told = recalled.filter(|_| topic == Some(Topic::Known)).map(|recalled| recalled.id);
        let verdict =
            Classified { plan: Some(plan), verdict: Some(*verdict), topic, told, near, ..Classified::default() };
        let classified = classified_event(&event, verdict);
        let mut event = event;
        if let Some(execution) = event.execution_mut().filter(|_| misfit.is_some()) {
            execution.misfit = misfit;
        }
        let mut events = vec![event, classified];
        events.extend(settled.into_iter().flat_map(|settled| settled.events(&ids, self.now)));
        let notice = person::after_failure(&events, state);
        events.extend(notice.as_ref().map(|notice| self.person_told(&ids, notice)));
        Step { events, advice: said.map(|said| said.text), notice, hold: None, looked_for }
    }

    /// Whether the commit of a call was refused by a hook, as the repository knows. Its own words tell where there are any.
    fn is_refused(&self, event: &Event, text: &str) -> bool {
        let Some(execution) = event.execution().filter(|_| !text.lines().any(names_commit)) else { return false };
        // What took less is not kept.
        let took = execution.took_ms.unwrap_or(Execution::LONG_MS);
        let since = || Some(millis(&event.ts)? / 1000 - i64::try_from(took / 1000).ok()? - 1);
        agent::is_commit(execution) && since().and_then(|since| self.around.committed_since(since)) == Some(false)
    }

    /// Whether another agent of the session was told what worked before where the same failure was met.
    fn was_heard(&self, verdict: &Verdict, past: &mut dyn Past) -> bool {
        let heard = |other: &State| other.was_told(Topic::Known, &verdict.episode, &verdict.signature.fine);
        past.session(self.node).iter().any(heard)
    }

    /// A call that did not fail: only one that waits for ever or a commit over a masked failure is worth a word, and to the
    /// person a commit past a hook.
    fn completed(&self, event: Event, state: &State, past: &mut dyn Past) -> Step {
        let notice = event.execution().and_then(|execution| person::after_bypass(execution, state));
        let said = event.execution().and_then(|execution| {
            // A commit that says it holds a failing test hands that over on purpose.
            let is_meant = || execution.input.as_deref().is_some_and(announces_failure);
            let about_waiting = agent::after_hang(execution, state).map(|text| (text, Vec::new()));
            let mut about_hidden = || {
                agent::after_commit(execution, state)?;
                let is_no_commit = || is_meant() || self.is_refused(&event, "");
                let said = agent::after_commit(execution, &as_others_left_it(state, past)).filter(|_| !is_no_commit());
                said.filter(|(_, about)| !agent::is_owned_up(state, about, |call| self.around.words_after(call)))
            };
            about_waiting.or_else(&mut about_hidden).filter(|_| self.speaks())
        });
        let ids = event.ids();
        let met = self.met_in_plan(&event, state, past);
        let mut events = vec![event];
        let mut advice = said.map(|(text, episodes)| {
            events.push(self.advice_given(self.node, &ids, episodes));
            text
        });
        if let Some(met) = met {
            events.extend(met.events);
            // What the plan forbids comes before every other word.
            advice = met.advice.filter(|_| self.speaks()).or(advice);
            let notice = met.notice.or(notice);
            return Step { events, advice, notice, ..Step::default() };
        }
        events.extend(notice.as_ref().map(|notice| self.person_told(&ids, notice)));
        Step { events, advice, notice, ..Step::default() }
    }

    /// A prompt ends "nothing changed" while a failure is open, and begins or ends a red phase.
    fn prompt(&self, state: &State, red_phase: bool) -> Step {
        if !(red_phase || state.waits_for_change()) {
            return Step::default();
        }
        let id = hex16(&["prompt", self.node, self.now]);
        let change = if red_phase { StateChange::RedPrompt } else { StateChange::Prompt };
        let body = Body::StateChanged { change: Some(change), reason: None };
        let event = Event::new(id, self.now, self.node, self.ids, body);
        Step { events: vec![event], ..Step::default() }
    }

    fn compaction(&self, state: &State) -> Step {
        let advice = agent::after_compaction(state).filter(|_| self.speaks());
        Step { advice, ..Step::default() }
    }

    /// What a subagent leaves behind goes to its parent, with its answer, unless a person wants it held.
    fn stop(&self, state: &State, already_held: bool, last_words: Option<&str>) -> Step {
        let stop_check = self.around.settings().stop_check.value;
        let session = self.ids.session.as_deref();
        let mut step = Step::default();
        if stop_check == StopCheck::Off {
            return step;
        }
        let may_speak = !already_held && self.ids.agent.is_none() && self.speaks();
        let said = last_words.filter(|_| may_speak).and_then(|words| agent::at_stop(state, session, words));
        if let Some((text, episodes)) = said {
            step.events.push(self.advice_given(self.node, self.ids, episodes));
            step.advice = Some(text);
        }
        if stop_check == StopCheck::Hold && !already_held {
            step.hold = agent::hold_reason(state, session, last_words);
        }
        // An agent that is held or told goes on: the person hears of what it leaves behind when it stops for good.
        let goes_on = step.hold.is_some() || step.advice.is_some();
        step.notice = person::at_stop(state, last_words).filter(|_| !goes_on);
        step.events.extend(step.notice.as_ref().map(|notice| self.person_told(self.ids, notice)));
        step
    }

    /// Noted with the subagent, whose failure it is: it is told once.
    fn answered(&self, state: &State, subagent: &State, words: &str) -> Step {
        let said = agent::after_answer(state, subagent, words).filter(|_| self.speaks());
        let Some((advice, episodes)) = said else { return Step::default() };
        let events = vec![self.advice_given(&subagent.node, self.ids, episodes)];
        Step { events, advice: Some(advice), ..Step::default() }
    }

    fn speaks(&self) -> bool {
        self.around.settings().advice.value != Advice::Off
    }

    /// What a call makes of the recovery plans that the agent was given.
    fn plans_ended(&self, event: &Event, state: &State) -> Vec<Event> {
        let ended = |complete: RecoveryComplete| {
            let id = hex16(&["recovery_complete", &complete.plan]);
            Event::new(id, self.now, self.node, &event.ids(), Body::RecoveryComplete { complete: Box::new(complete) })
        };
        state.plans_ended_by(event).into_iter().map(ended).collect()
    }

    pub(super) fn person_told(&self, ids: &Ids, notice: &Notice) -> Event {
        let id = hex16(&[&self.advice_id(&notice.episodes), "person", notice.kind.as_str()]);
        let reason = Some(notice.kind.as_str().to_owned());
        let body = Body::PersonTold { episodes: notice.episodes.clone(), reason };
        Event::new(id, self.now, self.node, ids, body)
    }

    fn advice_given(&self, node: &str, ids: &Ids, episodes: Vec<String>) -> Event {
        let id = self.advice_id(&episodes);
        Event::new(id, self.now, node, ids, Body::AdviceGiven { episodes })
    }

    fn advice_id(&self, episodes: &[String]) -> String {
        hex16(&["advice_given", self.node, self.now, &episodes.join(" ")])
    }
}

/// The conflict that nobody arbitrated yet and whose other side is at work: this node waits in it, or blocks one that does.
fn met_at_work(plan: &PlanFacts, state: &State, siblings: &[State]) -> Option<KnownConflict> {
    let waits = state.conflict.iter().cloned();
    let blocks = siblings.iter().filter_map(|other| {
        let conflict = other.conflict.clone().filter(|conflict| conflict.with.as_ref() == Some(&plan.node))?;
        Some(KnownConflict { with: Some(other.node.clone()), blocks: true, ..conflict })
    });
    waits.chain(blocks).find(|conflict| conflict.with.as_ref().is_some_and(|other| plan.is_at_work(other)))
}

/// A node's state with what other agents of its session ran since: of a failure whose command one of them ran again, or
/// passed, nobody knows here how it stands.
fn as_others_left_it<'s>(state: &'s State, past: &mut dyn Past) -> Cow<'s, State> {
    if !state.is_any_failing() {
        return Cow::Borrowed(state);
    }
    let others = past.session(&state.node);
    let is_left = |episode: &Episode| others.iter().any(|other| other.ran_since(episode));
    let mut seen = state.clone();
    for episode in &mut seen.episodes {
        if is_left(episode) {
            (episode.unclear, episode.unread) = (true, false);
        }
    }
    Cow::Owned(seen)
}

/// The only host that a shell call names.
fn host_of(execution: &Execution) -> Option<String> {
    let command = execution.input.as_deref().filter(|_| execution.tool.as_deref() == Some("Bash"))?;
    Script::parse(command).host()
}

/// Notes which failures of one batch are of an operation that failed in it before.
fn note_parallel(events: &mut [Event]) {
    let mut failed: Vec<Operation> = Vec::new();
    for event in events.iter_mut().filter(|event| event.is_failure()) {
        let Some(execution) = event.execution_mut() else { continue };
        let Some(operation) = &execution.operation else { continue };
        execution.parallel = failed.contains(operation);
        failed.push(operation.clone());
    }
}

/// The `failure_classified` event that belongs to an `execution_failed` event.
fn classified_event(failed: &Event, verdict: Classified) -> Event {
    let id = hex16(&[&failed.id, "failure_classified"]);
    let phase = failed.execution().and_then(|execution| execution.phase);
    let mode = failed.execution().and_then(|execution| execution.met.as_ref()).map(|met| met.id);
    let classified = Classified { phase, mode, advised: verdict.topic.is_some(), ..verdict };
    let body = Body::FailureClassified(Box::new(classified));
    let mut event = Event::new(id, &failed.ts, &failed.node, &failed.ids(), body);
    event.worktree.clone_from(&failed.worktree);
    event
}
