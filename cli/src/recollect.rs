//! What a recovery plan knows of the past: the failure as the history has it, the plans before it and what became of them,
//! what worked in earlier sessions. And the record of the plan itself. An edge, which `failwise recover` and the MCP server
//! share.

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::ops::ControlFlow;

use memchr::memmem;
use serde_json::json;

use crate::decide::{Question, flaky_test, offered_again};
use crate::digest::hex16;
use crate::engine::{Scene, Surroundings, failure_of, observe};
use crate::history::{
    Body, Event, Execution, Line, Proposed, RecoveryAttempt, Reflection, State, Whys, absolute, parse, session_node,
};
use crate::host::payload::{self, PayloadKind};
use crate::host::trace::kept as kept_call;
use crate::journal::Journal;
use crate::knowledge::Planned;
use crate::model::{
    Decision, Ids, ObjectKind, Operation, Outcome, PlanFacts, Proof, Recalled, Sought, Tool, ToolKind, Trace, Verdict,
};
use crate::place::{Env, Place, project_name};
use crate::project::{Project, knows_flaky, settings_of};
use crate::recover::look::MachineLooks;
use crate::recover::result::{MAX_ATTEMPTS, PlannedStep, PlannedStrategy, RecoveryPlan};
use crate::recover::{COMMAND_KEYS, Failed, LearnedFix, PlanPast, PlanQuestion, Tools, plan};
use crate::redact::redact;
use crate::settings::RecallFrom;
use crate::signature::operation_of_command;
use crate::store::{self, Base, Memory, PersonWord, Saying, StoreFault};
use crate::text::one_line;
use crate::time::since_1970;

/// A failure as the history has it.
#[derive(Debug, Clone)]
pub struct KeptFailure {
    /// What failed.
    pub failed: Failed,
    /// Its `execution_failed` event.
    pub id: String,
    /// When it failed, RFC 3339 UTC.
    pub at: String,
    /// The node that it belongs to.
    pub node: String,
    /// Who called.
    pub ids: Ids,
    /// Its episode, where it was classified.
    pub episode: Option<String>,
    /// How far before the end of the history it stands, in bytes.
    back: u64,
}

/// Which failure is looked for: of those that fit the newest.
#[derive(Debug, Clone, Copy)]
pub enum WantedFailure<'a> {
    /// Any.
    Newest,
    /// One of this node.
    OfNode(&'a str),
    /// One of this session.
    OfSession(&'a str),
    /// One that is called so by people: the beginning of its event, its signature or its call, or its node.
    Named(&'a str),
    /// A call that hung, by the beginning of the tag that the hook gave it.
    Hung(&'a str),
    /// The one of this event.
    OfEvent(&'a str),
    /// The one of this call, or of one of its session that failed in the same way.
    OfCall(&'a Ids, &'a str),
}

impl<'a> WantedFailure<'a> {
    /// What stands in each line of a failure that fits, and of its verdict.
    fn word(self) -> &'a str {
        match self {
            Self::Newest | Self::Hung(_) => "",
            Self::OfNode(name) | Self::OfSession(name) | Self::Named(name) | Self::OfEvent(name) => name,
            Self::OfCall(ids, _) => ids.session.as_deref().unwrap_or_default(),
        }
    }

    fn fits(&self, event: &Event, execution: &Execution) -> bool {
        match self {
            Self::Newest => true,
            Self::OfNode(node) => event.node == *node,
            Self::OfSession(session) => event.session.as_deref() == Some(*session),
            Self::Named(id) => {
                let signature = execution.signature.as_ref().map(|signature| &signature.fine);
                event.node == *id
                    || [Some(&event.id), signature, event.tool_use_id.as_ref()]
                        .into_iter()
                        .flatten()
                        .any(|own| own.starts_with(*id))
            }
            Self::Hung(tag) => {
                let operation = execution.operation.as_ref().filter(|_| execution.hung());
                operation.is_some_and(|operation| hex16(&[&operation.0]).starts_with(*tag))
            }
            Self::OfEvent(id) => event.id == *id,
            Self::OfCall(ids, fine) => {
                let is_call = ids.tool_use.is_some() && event.tool_use_id == ids.tool_use;
                let is_same = execution.signature.as_ref().is_some_and(|signature| signature.fine == *fine);
                ids.session.is_some() && event.session == ids.session && (is_call || ids.tool_use.is_none() && is_same)
            }
        }
    }
}

/// How far back from its end a history is looked through for what happened lately, in bytes: as far as hooks look for states
/// that are lost.
pub const LATELY: u64 = 8 * 1024 * 1024;
/// How much of a history is read for what belongs to a failure: the calls before it, and what became of earlier plans.
const BESIDE: u64 = 1024 * 1024;

/// The newest failure of a history that is wanted. Only one that is named is looked for further back than [`LATELY`].
///
/// # Errors
/// When the history cannot be read.
pub fn failure_in(place: &Place, wanted: WantedFailure<'_>) -> io::Result<Option<KeptFailure>> {
    match (failure_that_fits(place, wanted)?, wanted) {
        (None, WantedFailure::Named(id)) => failure_that_fits(place, WantedFailure::Hung(id)),
        (found, _) => Ok(found),
    }
}

fn failure_that_fits(place: &Place, wanted: WantedFailure<'_>) -> io::Result<Option<KeptFailure>> {
    let most = match wanted {
        WantedFailure::Newest | WantedFailure::Hung(_) | WantedFailure::OfSession(_) | WantedFailure::OfCall(..) => {
            LATELY
        }
        WantedFailure::OfNode(_) | WantedFailure::Named(_) | WantedFailure::OfEvent(_) => u64::MAX,
    };
    let (mut verdicts, mut found) = (BTreeMap::new(), None);
    events_back(place, most, &["execution_failed", "failure_classified", "\"met\""], wanted.word(), |event, back| {
        if let Some(verdict) = event.verdict() {
            if let Some(failure) = &verdict.history_ref {
                verdicts.entry(failure.clone()).or_insert_with(|| (verdict.attempt, verdict.episode.clone()));
            }
        } else if let Some(execution) = event.execution().filter(|execution| event.is_failure() || execution.hung())
            && (execution.outcome.is_some_and(Outcome::is_failure) || execution.hung())
            && wanted.fits(&event, execution)
        {
            found = Some((event, back));
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    })?;
    Ok(found.and_then(|(event, back)| {
        let known = verdicts.remove(&event.id);
        kept(event, known, back)
    }))
}

/// Calls `each` with the events of a history from the last one on, each with its distance from the end, until it breaks or `most`
/// bytes are read. Only lines with this name and one of these words are parsed: nearly none has them.
///
/// # Errors
/// When the history cannot be read.
pub fn events_back(
    place: &Place,
    most: u64,
    words: &[&str],
    name: &str,
    mut each: impl FnMut(Event, u64) -> ControlFlow<()>,
) -> io::Result<()> {
    let words: Vec<_> = words.iter().map(memmem::Finder::new).collect();
    // Up to a sign that a line has as an escape.
    let name = name.split(|sign: char| matches!(sign, '"' | '\\') || sign.is_control()).next().unwrap_or_default();
    let name = memmem::Finder::new(name);
    let mut back = 0;
    Journal::in_dir(&place.dir).read_back(most, |line| {
        back += line.len() as u64 + 1;
        let is_wanted = name.find(line).is_some() && words.iter().any(|word| word.find(line).is_some());
        match parse(if is_wanted { line } else { b"" }) {
            Line::Event(event) => each(*event, back),
            _ => ControlFlow::Continue(()),
        }
    })
}

/// A verdict of the history, and what belongs to it.
#[derive(Debug)]
pub struct RecordedVerdict {
    /// It.
    pub verdict: Verdict,
    /// What the plan said then.
    pub plan: Option<PlanFacts>,
    /// Who made the call.
    pub ids: Ids,
    /// The failure, where it stands right before.
    pub failed: Option<Execution>,
    /// What was decided on it.
    pub decided: Option<Decision>,
}

impl RecordedVerdict {
    /// A question about it, with the conflict that its failure names where the question names none.
    pub fn completed(&self, question: Question) -> Question {
        let of_failure = || self.failed.as_ref()?.conflict_id.clone();
        Question { conflict_id: question.conflict_id.clone().or_else(of_failure), ..question }
    }

    /// The command that a decision on it may offer again, and whether the one test that failed is known to pass and fail by
    /// chance, where memory is on.
    pub fn of_its_call(&self, env: Env<'_>, place: &Place) -> (Option<String>, bool) {
        let failed = self.failed.as_ref();
        let is_on = || settings_of(env, Some(place)).0.recall.value != RecallFrom::Off;
        let flaky = failed.and_then(flaky_test).is_some_and(|test| is_on() && knows_flaky(env, place, test));
        (failed.and_then(offered_again).map(Cow::into_owned), flaky)
    }
}

/// Which verdict is looked for: of those that fit the last.
#[derive(Debug, Clone, Copy)]
pub enum WantedVerdict<'a> {
    /// The last of all.
    Last,
    /// The last of this plan node or session.
    OfNode(&'a str),
    /// That on the failure of this event.
    OfFailure(&'a str),
}

/// The last verdict that is wanted, looked for from the end of the history on.
///
/// # Errors
/// When the history cannot be read.
pub fn verdict_in(place: &Place, wanted: WantedVerdict<'_>) -> io::Result<Option<RecordedVerdict>> {
    let is_wanted = |verdict: &Verdict| match wanted {
        WantedVerdict::Last => true,
        WantedVerdict::OfNode(node) => verdict.node_id == node,
        WantedVerdict::OfFailure(id) => verdict.history_ref.as_deref() == Some(id),
    };
    let name = match wanted {
        WantedVerdict::Last => "",
        WantedVerdict::OfNode(name) | WantedVerdict::OfFailure(name) => name,
    };
    let mut decisions: BTreeMap<String, Box<Decision>> = BTreeMap::new();
    let mut found: Option<RecordedVerdict> = None;
    events_back(place, u64::MAX, &["failure_classified", "execution_failed", "\"decision\""], name, |event, _| {
        let ids = event.ids();
        let Event { id, body, .. } = event;
        match body {
            Body::Decision { decision: Some(decision) } => {
                if let Some(failure) = &decision.history_ref {
                    decisions.entry(failure.clone()).or_insert(decision);
                }
            }
            Body::FailureClassified(classified) if found.is_none() => {
                let Some(verdict) = classified.verdict.filter(is_wanted) else { return ControlFlow::Continue(()) };
                let decided = verdict.history_ref.as_ref().and_then(|failure| decisions.remove(failure));
                let decided = decided.map(|decision| *decision);
                found = Some(RecordedVerdict { plan: classified.plan, ids, verdict, failed: None, decided });
            }
            // A verdict stands behind its failure.
            Body::ExecutionFailed(execution) => match &mut found {
                Some(found) => {
                    found.failed = (found.verdict.history_ref == Some(id)).then_some(*execution);
                    return ControlFlow::Break(());
                }
                None if matches!(wanted, WantedVerdict::OfFailure(wanted) if wanted == id) => {
                    return ControlFlow::Break(());
                }
                None => {}
            },
            _ => {}
        }
        ControlFlow::Continue(())
    })?;
    Ok(found)
}

/// A failure with the calls of its session.
#[derive(Debug, Clone, Default)]
pub struct SessionTrace {
    /// The last few before it, and the failure as the last.
    pub trace: Trace<'static>,
    /// Whether its operation passed since, provably.
    pub passed_since: bool,
}

/// A failure of a history with the calls of its session.
///
/// # Errors
/// When the history cannot be read.
pub fn trace_to(place: &Place, failure: &KeptFailure) -> io::Result<SessionTrace> {
    const BEFORE: usize = 32;
    let session = failure.ids.session.as_deref();
    let (mut calls, mut passed_since) = (VecDeque::new(), false);
    // Other sessions' lines are not parsed.
    let name = session.unwrap_or(&failure.node);
    events_back(place, failure.back + BESIDE, &[""], name, |event, _| {
        let is_own = event.session.as_deref() == session && (session.is_some() || event.node == failure.node);
        let Some(call) = kept_call(&event).filter(|_| is_own) else { return ControlFlow::Continue(()) };
        if event.id == failure.id || !calls.is_empty() {
            calls.push_front(call);
        } else {
            passed_since |= event.execution().is_some_and(|execution| failure.is_passed_by(execution));
        }
        if calls.len() > BEFORE { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(SessionTrace { trace: Trace { calls: calls.into() }, passed_since })
}

impl KeptFailure {
    fn is_passed_by(&self, execution: &Execution) -> bool {
        execution.outcome == Some(Outcome::Succeeded)
            && execution.operation.as_ref() == Some(&self.failed.operation)
            && execution.reading.as_ref().is_none_or(|reading| reading.proof != Proof::None)
    }
}

fn kept(event: Event, known: Option<(u32, String)>, back: u64) -> Option<KeptFailure> {
    let mut failed = Failed::kept(event.execution()?, &failure_of(&event)?);
    if event.execution()?.hung() {
        failed.outcome = Outcome::Interrupted;
    }
    if let Some((attempt, _)) = &known {
        failed.attempt = *attempt;
    }
    let (ids, episode) = (event.ids(), known.map(|(_, episode)| episode));
    Some(KeptFailure { failed, id: event.id, at: event.ts, node: event.node, ids, episode, back })
}

/// What is known before a plan is made.
#[derive(Debug, Default)]
pub struct Recollected {
    /// What became of plans before it, and what worked.
    pub past: PlanPast,
    /// What could not be read, for people: the plan is made without it.
    pub faults: Vec<String>,
}

/// The failure that a plan is asked for, with what its caller knows of it.
pub struct PlanRequest<'a> {
    /// What failed.
    pub failed: &'a Failed,
    /// Who made the call.
    pub ids: &'a Ids,
    /// Strategies that the caller has tried for it.
    pub tried: &'a [String],
    /// The available tools.
    pub tools: &'a Tools,
    /// What can be seen of the machine.
    pub looks: &'a dyn MachineLooks,
    /// The time, RFC 3339 UTC.
    pub now: &'a str,
    /// The most strategies of the plan.
    pub limit: usize,
}

/// The plan against a failure, and what a project's history and memory knew of it before.
pub fn plan_with_past(env: Env<'_>, place: Option<&Place>, request: &PlanRequest<'_>) -> (RecoveryPlan, Recollected) {
    let &PlanRequest { failed, ids, tried, tools, looks, now, limit } = request;
    let known = place.filter(|_| failed.outcome.is_failure());
    let mut known = known.map(|place| recollect(env, place, failed, ids, now)).unwrap_or_default();
    known.past.failed.extend(tried.iter().cloned());
    let plan = plan(&PlanQuestion { failed, tools, looks, past: &known.past, now, limit });
    (plan, known)
}

/// What the history and the memory of a project know that a plan against this failure should.
fn recollect(env: Env<'_>, place: &Place, failed: &Failed, ids: &Ids, now: &str) -> Recollected {
    let mut known = Recollected::default();
    let fine = &failed.signature.fine;
    let mut planned = Vec::new();
    match of_history(place, fine) {
        Ok(of_history) => {
            known.past.failed = of_history.failed;
            planned.extend(of_history.planned);
        }
        Err(error) => known.faults.push(format!("the history could not be read: {error}")),
    }
    let from = settings_of(env, Some(place)).0.recall.value;
    if from == RecallFrom::Off {
        return known;
    }
    match of_memory(env, place, failed, ids, now, from == RecallFrom::Own) {
        Ok((of_memory, learned)) => {
            planned.extend(of_memory);
            known.past.learned.extend(learned);
        }
        Err(fault) => known.faults.push(fault.to_string()),
    }
    known.past = known.past.counted(&planned, fine, failed.kind_of_error().as_str());
    known
}

/// What a history tells of plans.
#[derive(Default)]
struct OfHistory {
    /// Every strategy that was followed, whatever it was against.
    planned: Vec<Planned>,
    /// What was followed against this failure and failed, and the failure did not pass since.
    failed: Vec<String>,
}

/// The events of the last [`BESIDE`] bytes of a history whose lines have one of these words, in their order.
fn events_beside(place: &Place, words: &[&str]) -> io::Result<VecDeque<Event>> {
    let mut events = VecDeque::new();
    events_back(place, BESIDE, words, "", |event, _| {
        events.push_front(event);
        ControlFlow::Continue(())
    })?;
    Ok(events)
}

fn of_history(place: &Place, fine: &str) -> io::Result<OfHistory> {
    let mut found = OfHistory::default();
    for event in events_beside(place, &["\"recovery_complete\"", "\"pattern_muted\""])? {
        found.planned.extend(Planned::of(&event));
        if let Some(PersonWord { said: Saying::Forgotten, fine, .. }) = PersonWord::of(&event) {
            found.planned.retain(|planned| planned.fine != fine);
        }
    }
    if found.planned.iter().any(|planned| planned.fine == fine && !planned.worked) {
        found.failed = failed_since(&events_beside(place, &[""])?, fine);
    }
    Ok(found)
}

/// The strategies that were followed against a failure and failed, since it passed last.
fn failed_since(events: &VecDeque<Event>, fine: &str) -> Vec<String> {
    let mut states: BTreeMap<&str, State> = BTreeMap::new();
    let mut failed: Vec<String> = Vec::new();
    for (event, place) in events.iter().zip(1..) {
        let state = states.entry(&event.node).or_insert_with(|| State::new(&event.node));
        if state.ended_by(event).any(|episode| episode.fines.iter().any(|own| own == fine)) {
            failed.clear();
        }
        state.step(event, place);
        if PersonWord::of(event).is_some_and(|word| word.said == Saying::Forgotten && word.fine == fine) {
            failed.clear();
        }
        if let Body::RecoveryAttempt { attempt } = &event.body
            && attempt.signature == fine
            && failed.len() >= MAX_ATTEMPTS as usize
            && attempt.strategies.iter().all(|strategy| strategy.asks)
        {
            // Asked once, nothing is left to be asked.
            failed.push(attempt.strategy_name.clone());
        }
        let Body::RecoveryComplete { complete } = &event.body else { continue };
        if complete.signature != fine {
            continue;
        }
        if complete.success {
            failed.clear();
        } else if complete.followed && !failed.contains(&complete.strategy_name) {
            failed.push(complete.strategy_name.clone());
        }
    }
    failed
}

fn of_memory(
    env: Env<'_>,
    place: &Place,
    failed: &Failed,
    ids: &Ids,
    now: &str,
    own_only: bool,
) -> Result<(Vec<Planned>, Option<LearnedFix>), StoreFault> {
    let Some(path) = store::path(env).filter(|path| path.is_file()) else { return Ok(Default::default()) };
    let base = Base::open(&path)?;
    let planned = base.planned(&project_name(&place.project))?;
    // The small file that hooks search says whether anything may be told: only then is all read that the base knows.
    // That a test is flaky is no way past its failure.
    let told = recalled_of(env, place, failed, ids, now, None);
    let learned = told.map_or(Ok(None), |told| learned(&base, place, &told.id, now, own_only))?;
    Ok((planned, learned))
}

/// What an agent would be told of a failure where hooks meet it.
pub fn recalled(env: Env<'_>, place: &Place, failed: &Failed, ids: &Ids, now: &str) -> Option<Recalled> {
    recalled_of(env, place, failed, ids, now, failed.object(ObjectKind::Test))
}

fn recalled_of(
    env: Env<'_>,
    place: &Place,
    failed: &Failed,
    ids: &Ids,
    now: &str,
    test: Option<&str>,
) -> Option<Recalled> {
    let sought = Sought {
        fine: &failed.signature.fine,
        coarse: &failed.signature.coarse,
        category: failed.kind_of_error(),
        session: ids.session.as_deref(),
        object: failed.reading.primary_object().map(|object| object.name.as_str()),
        test,
        input: Some(failed.file.as_deref().unwrap_or(&failed.shown)),
        cwd: failed.cwd.as_deref(),
        text: &failed.text,
        now,
        asked: true,
    };
    let is_told = |sought: &Sought<'_>| Project::new(env, Some(place), None).recall(sought);
    is_told(&sought).filter(|_| !failed.signature.vague)
}

/// A fix of the memory by its id: the project's own, else what another project taught of a tool, which names no path.
fn learned(base: &Base, place: &Place, id: &str, now: &str, own_only: bool) -> Result<Option<LearnedFix>, StoreFault> {
    let now = since_1970(now).unwrap_or_default();
    let fix_of = |memory: &Memory| {
        let fixes = memory.known.iter().flat_map(|known| &known.fixes);
        fixes.filter(|fix| fix.tellable()).find(|fix| fix.fix.id == id).cloned()
    };
    let own = Memory::read(base, Some(&project_name(&place.project)), own_only, now)?;
    if let Some(fix) = fix_of(&own) {
        return Ok(Some(LearnedFix::of(&fix, place.project.to_str().map(str::to_owned))));
    }
    let everywhere = Memory::read(base, None, true, now)?;
    Ok(fix_of(&everywhere).map(|fix| LearnedFix::of(&fix, None)))
}

/// Whose plan is recorded, and what is known of its failure.
#[derive(Debug, Clone, Copy)]
pub struct RecordedPlan<'a> {
    /// The plan.
    pub plan: &'a RecoveryPlan,
    /// What it is against.
    pub failed: &'a Failed,
    /// What was known before it was made.
    pub past: &'a PlanPast,
    /// Who called.
    pub ids: &'a Ids,
    /// The failure as the history has it, where it does.
    pub kept: Option<&'a KeptFailure>,
    /// How long the plan took to make, in milliseconds.
    pub elapsed_ms: u64,
}

/// Appends a plan to the history: the diagnosis and, where there is a strategy, that the agent was given it. What becomes of
/// it is recorded by the hook.
///
/// # Errors
/// When the history cannot be written.
pub fn record(place: &Place, recorded: &RecordedPlan<'_>) -> io::Result<()> {
    let plan = recorded.plan;
    let mut bodies = vec![Body::DiagnosticReflection { reflection: Box::new(reflection(recorded)) }];
    bodies.extend(attempt(recorded).map(|attempt| Body::RecoveryAttempt { attempt: Box::new(attempt) }));
    let ids = recorded.kept.map_or(recorded.ids, |kept| &kept.ids);
    let own = || session_node(ids.session.as_deref(), ids.agent.as_deref());
    let node = recorded.kept.map_or_else(own, |kept| kept.node.clone());
    let worktree = place.worktree.as_ref().map(|worktree| worktree.to_string_lossy().into_owned());
    let event = |body: Body| {
        let kind = serde_json::to_string(&body.kind()).unwrap_or_default();
        let mut event = Event::new(hex16(&[&kind, &plan.id]), &plan.timestamp, &node, ids, body);
        event.worktree.clone_from(&worktree);
        event
    };
    let mut events: Vec<Event> = bodies.into_iter().map(event).collect();
    Journal::in_dir(&place.dir).begin_locked()?.append(&mut events)
}

fn reflection(recorded: &RecordedPlan<'_>) -> Reflection {
    let plan = recorded.plan;
    Reflection {
        plan: plan.id.clone(),
        failure: recorded.kept.map(|kept| kept.id.clone()),
        episode: recorded.kept.and_then(|kept| kept.episode.clone()),
        signature: plan.signature.clone(),
        iteration: plan.iteration,
        failed_tool: short_text(&recorded.failed.tool, 100),
        root_cause_category: plan.root_cause.category.clone(),
        root_cause_description: short_text(&plan.root_cause.description, 200),
        confidence: plan.root_cause.confidence,
        alternatives_count: number(strategies(plan).count()),
        can_recover: plan.error_classification.can_recover,
        why_chain: Whys { why1: short_text(&plan.why_chain.why1, 150), why5: short_text(&plan.why_chain.why5, 150) },
        recovery_strategy: plan.primary_strategy.as_ref().map(|primary| primary.name.clone()),
        elapsed_ms: recorded.elapsed_ms,
    }
}

fn attempt(recorded: &RecordedPlan<'_>) -> Option<RecoveryAttempt> {
    let (plan, past) = (recorded.plan, recorded.past);
    let primary = plan.primary_strategy.as_ref()?;
    Some(RecoveryAttempt {
        plan: plan.id.clone(),
        failure: recorded.kept.map(|kept| kept.id.clone()),
        episode: recorded.kept.and_then(|kept| kept.episode.clone()),
        signature: plan.signature.clone(),
        operation: recorded.failed.operation.clone(),
        named: named_objects(recorded.failed),
        error_category: plan.root_cause.category.clone(),
        strategy_name: primary.name.clone(),
        strategy_description: short_text(&primary.description, 200),
        confidence: primary.confidence,
        confidence_boosted: past.factor(&primary.name) > 1.0,
        estimated_iterations: primary.estimated_iterations,
        steps_count: number(primary.steps.len()),
        fallback_count: number(plan.fallback_strategies.len()),
        has_learned_patterns: !past.learned.is_empty(),
        historical_success_rate: past.of(&primary.name).share(),
        strategies: strategies(plan).map(|strategy| proposed(strategy, recorded.failed)).collect(),
    })
}

fn strategies(plan: &RecoveryPlan) -> impl Iterator<Item = &PlannedStrategy> {
    plan.primary_strategy.iter().chain(&plan.fallback_strategies)
}

/// The words of the failed operation that the error names.
fn named_objects(failed: &Failed) -> Vec<String> {
    let text = redact(&failed.text);
    let is_named = |word: &&str| {
        let name = word.trim_start_matches('-').split('=').next().unwrap_or_default();
        name.len() > 1 && memmem::find(text.as_bytes(), name.as_bytes()).is_some()
    };
    // The program stands in nearly every error.
    failed.operation.0.split(' ').skip(1).filter(is_named).take(4).map(str::to_owned).collect()
}

/// What following a strategy looks like.
fn proposed(strategy: &PlannedStrategy, failed: &Failed) -> Proposed {
    let cwd = failed.cwd.as_deref();
    let performs = strategy.steps.iter().find(|step| step.performs.is_some());
    Proposed {
        name: strategy.name.clone(),
        steps: strategy.steps.iter().filter_map(|step| operation_of(step, cwd)).collect(),
        performs: performs.and_then(|step| operation_of(step, cwd)),
        asks: strategy.steps.iter().all(|step| step.tool.is_none()),
    }
}

/// The identity of a step's call, as the hook will see it. None for a question.
fn operation_of(step: &PlannedStep, cwd: Option<&str>) -> Option<Operation> {
    let name = step.tool.as_deref()?;
    let tool = Tool::named(name);
    let text = |keys: &[&str]| keys.iter().find_map(|key| step.args.get(*key)?.as_str());
    let operation = match tool.kind {
        ToolKind::Shell => return Some(operation_of_command(text(COMMAND_KEYS)?)),
        ToolKind::Read | ToolKind::Edit | ToolKind::Write => {
            format!("{}:{}", tool.name, absolute(text(&["file_path", "file", "path"])?, cwd))
        }
        _ => {
            let payload = json!({
                "hook_event_name": "PostToolUse", "session_id": "", "cwd": cwd, "tool_name": tool.name,
                "tool_input": step.args, "tool_response": "",
            });
            let payload = payload::parse(payload.to_string().as_bytes()).ok()?.into_owned();
            let PayloadKind::Call(call) = &payload.kind else { return None };
            let scene = Scene { node: "", ts: "", worktree: None, red_phase: false, expected_failures: &[] };
            return observe(call, &scene).execution()?.operation.clone();
        }
    };
    Some(Operation(redact(&operation).into_owned()))
}

fn short_text(text: &str, most: usize) -> String {
    one_line(&redact(text), most)
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
