//! The hook: one payload in, one answer out, everything recorded in between. An edge: it joins host, journal and plan.

use std::path::{Path, PathBuf};

use chrono::DateTime;

use crate::advice::agent::{self, Voice};
use crate::advice::person::{self, Notice};
use crate::classify::{Answer, DEFAULT};
use crate::decide::{self, permit};
use crate::digest::hex16;
use crate::engine::{Observation, Scene, classified_event, decide, observe};
use crate::guard::{self, Asked};
use crate::history::{Body, Event, Line, State, StateChange, parse, session_node, session_parent};
use crate::host::answer::Answer as HostAnswer;
use crate::host::payload::{self, Kind, Payload};
use crate::host::task_output;
use crate::journal::{HISTORY, Journal, Ledger, read_end};
use crate::model::{Ids, PlanFacts, Status, ToolCall, ToolKind, is_node_id};
use crate::notify;
use crate::place::{Env, Place, find};
use crate::plan::{Binding, PlanTree};
use crate::redact::call::redacted_end;
use crate::redact::redact;
use crate::settings::{Advice, Guard, Power, Settings, StopCheck};

/// How much of the history's end is searched for what the person was told, in bytes.
const NOTICES_LOOKED_AT: usize = 64 * 1024;

/// What the hook takes from outside.
#[derive(Clone, Copy)]
pub struct Outside<'a> {
    /// The environment.
    pub env: Env<'a>,
    /// The time, RFC 3339 UTC with milliseconds.
    pub now: &'a str,
}

/// What the hook prints. Its exit code is always 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reply {
    /// One JSON object, or nothing.
    pub stdout: Option<String>,
    /// One line for the person who debugs hooks, or nothing.
    pub stderr: Option<String>,
}

/// Answers one hook payload: records what happened, classifies it if it failed, and tells the agent where that helps.
pub fn answer(input: &[u8], outside: &Outside<'_>) -> Reply {
    if Settings::resolve(&text_env(outside.env), None).0.power.value == Power::Off {
        return Reply::default();
    }
    match payload::parse(input) {
        Ok(payload) if matches!(payload.kind, Kind::Other) => Reply::default(),
        Ok(payload) => respond(&payload, outside),
        Err(error) => {
            report(outside, &error.to_string());
            Reply { stdout: None, stderr: Some(error.to_string()) }
        }
    }
}

fn respond(payload: &Payload<'_>, outside: &Outside<'_>) -> Reply {
    let Some(run) = Run::begin(payload, outside) else {
        let message = "neither a project nor a home folder is known, so nothing is recorded: set FAILWISE_DIR";
        return Reply { stdout: None, stderr: Some(message.to_owned()) };
    };
    match run.answer(payload) {
        Ok(answer) => Reply { stdout: answer.to_json(&payload.event), stderr: None },
        Err(error) => Reply { stdout: None, stderr: Some(error.to_string()) },
    }
}

/// Records that a payload could not be read. Best effort: where even that fails, the line on stderr remains.
fn report(outside: &Outside<'_>, message: &str) {
    let Some(place) = find(outside.env, None) else { return };
    let id = hex16(&["hook_error", outside.now, message]);
    let body = Body::HookError { message: Some(message.to_owned()) };
    let event = Event::new(id, outside.now, "hook", &Ids::default(), body);
    if let Ok(mut ledger) = Journal::in_dir(&place.dir).begin() {
        let _ = ledger.append(&mut [event]);
    }
}

/// One hook call: where it stands, and whose node it is.
struct Run<'a> {
    outside: &'a Outside<'a>,
    place: Place,
    node: String,
    tree: Option<PlanTree>,
    worktree: Option<String>,
}

impl<'a> Run<'a> {
    fn begin(payload: &Payload<'_>, outside: &'a Outside<'a>) -> Option<Self> {
        let cwd = payload.cwd.as_deref().map(Path::new);
        let place = find(outside.env, cwd)?;
        let tree = place.plans.as_deref().and_then(|dir| PlanTree::open(dir).ok());
        let ids = &payload.ids;
        let node = tree.as_ref().and_then(|tree| plan_node(tree, &place, ids, outside.env));
        let node = node.unwrap_or_else(|| session_node(ids.session.as_deref(), ids.agent.as_deref()));
        let worktree = place.worktree.as_ref().map(|root| root.to_string_lossy().into_owned());
        Some(Self { outside, place, node, tree, worktree })
    }

    fn answer(&self, payload: &Payload<'_>) -> std::io::Result<HostAnswer> {
        match &payload.kind {
            Kind::Before(call) => self.before(call, payload.agent_type.as_deref().unwrap_or_default()),
            Kind::Call(call) | Kind::ApiError(call) | Kind::Report(call) => self.record(std::slice::from_ref(call)),
            Kind::Batch(calls) => self.record(&only_in_batch(calls)),
            Kind::Background { call, output_file } => self.background(call, output_file.as_deref()),
            Kind::Prompt => self.prompt(&payload.ids),
            Kind::SessionStart { source } => Ok(self.session_start(source)),
            Kind::Stop { subagent: _, already_held } => self.stop(&payload.ids, *already_held),
            Kind::Other => Ok(HostAnswer::default()),
        }
    }

    /// A command that is about to run. The guard comes first: what it refuses is never permitted.
    fn before(&self, call: &ToolCall<'_>, agent_type: &str) -> std::io::Result<HostAnswer> {
        let mut answer = self.guard(call)?;
        if answer.refusal.is_none() && permit::needs_no_permission(agent_type, call) {
            answer.permission = Some(permit::REASON);
        }
        Ok(answer)
    }

    /// Whether the guard lets the command run. Nearly always there is nothing to say, and one small file tells that.
    fn guard(&self, call: &ToolCall<'_>) -> std::io::Result<HostAnswer> {
        let armed = self.journal().peek(&self.node).filter(guard::is_armed);
        if armed.is_none() && !guard::may_open_the_guard(call) {
            return Ok(HostAnswer::default());
        }
        let settings = self.settings(true);
        let (Some(asked), true) = (Asked::of(call), settings.guard.value != Guard::Off) else {
            return Ok(HostAnswer::default());
        };
        if asked.opens_the_guard() {
            return Ok(HostAnswer { refusal: Some(guard::ONLY_FOR_PEOPLE.to_owned()), ..HostAnswer::default() });
        }
        let refuses = |state: &State| asked.refusal(state, &settings.polling.value, self.outside.now);
        // Whether the plan wants failures just now is asked last: it reads the tree.
        if armed.as_ref().and_then(refuses).is_none() || self.plan_facts(&[]).red_phase {
            return Ok(HostAnswer::default());
        }
        let mut ledger = self.journal().begin()?;
        let state = ledger.state(&self.node);
        let Some(refusal) = refuses(&state).filter(|_| !self.others_changed(&state, &mut ledger)) else {
            return Ok(HostAnswer::default());
        };
        if settings.guard.value == Guard::Warn {
            return Ok(HostAnswer { context: Some(refusal.warning()), ..HostAnswer::default() });
        }
        ledger.append(&mut [asked.refused_event(&refusal, &self.node, self.outside.now)])?;
        Ok(HostAnswer { refusal: Some(refusal.reason()), ..HostAnswer::default() })
    }

    /// Whether another agent of the session, or a sibling of the plan, changed something since the last failure.
    fn others_changed(&self, state: &State, ledger: &mut Ledger) -> bool {
        let Some(repeated) = &state.guarded.repeated else { return true };
        let mut others = ledger.session(&self.node);
        let siblings = self.plan_facts(&[]).siblings;
        if !siblings.is_empty() {
            others.extend(ledger.siblings(&self.node, &siblings));
        }
        others.iter().any(|other| other.last_change().is_some_and(|at| at > repeated.at))
    }

    fn journal(&self) -> Journal {
        Journal::in_dir(&self.place.dir)
    }

    fn record(&self, calls: &[ToolCall<'_>]) -> std::io::Result<HostAnswer> {
        if calls.is_empty() {
            return Ok(HostAnswer::default());
        }
        let mut observed: Vec<Observation> = calls.iter().map(|call| self.observe(call, false, &[])).collect();
        let failed = observed.iter().any(Observation::is_failure);
        let settings = self.settings(failed);
        let plan = if failed { self.plan_facts(&observed) } else { PlanFacts::default() };
        let expected = &settings.expected_failures.value;
        if failed && (plan.red_phase || !expected.is_empty()) {
            observed = calls.iter().map(|call| self.observe(call, plan.red_phase, expected)).collect();
        }
        let answer = self.keep(observed, &plan, &settings)?;
        calls.iter().try_for_each(|call| self.bind(call))?;
        Ok(answer)
    }

    /// Binds the session or subagent that claimed a node of the plan to it, or lets it go from a node that it ended.
    fn bind(&self, call: &ToolCall<'_>) -> std::io::Result<()> {
        let command = call.command().filter(|_| call.status == Status::Succeeded);
        let (Some(tree), Some(command)) = (&self.tree, command) else { return Ok(()) };
        let session = call.ids.session.as_deref();
        let target = match Binding::of(command, &call.text) {
            Some(Binding::Claimed(id)) if tree.is_claimed_by(&id, &session_node(session, None)) => Some(id),
            Some(Binding::Left(id)) if id == self.node => None,
            _ => return Ok(()),
        };
        let own = session_node(session, call.ids.agent.as_deref());
        let id = hex16(&["node_bound", &own, self.outside.now, target.as_deref().unwrap_or_default()]);
        let event = Event::new(id, self.outside.now, &own, &call.ids, Body::NodeBound { target });
        self.journal().begin()?.append(&mut [event])
    }

    fn observe(&self, call: &ToolCall<'_>, red_phase: bool, expected_failures: &[String]) -> Observation {
        let worktree = self.worktree.as_deref();
        observe(call, &Scene { node: &self.node, ts: self.outside.now, worktree, red_phase, expected_failures })
    }

    /// Decides and appends, under the lock.
    fn keep(&self, observed: Vec<Observation>, plan: &PlanFacts, settings: &Settings) -> std::io::Result<HostAnswer> {
        let mut ledger = self.journal().begin()?;
        let (mut advice, mut notice, mut alarm) = (None, None, None);
        for Observation { event } in observed {
            let state = ledger.state(&self.node);
            let key = event.seen_key();
            if key.is_some_and(|key| state.has_seen(key)) {
                continue;
            }
            let mut events = vec![event];
            let told = if events[0].is_failure() {
                self.classify(&mut events, plan.clone(), &state, &mut ledger, settings)
            } else {
                self.notice(&mut events, &state, settings)
            };
            if let Some(needed) = person::after_failure(&events, &state) {
                events.push(self.told_event(&events[0].ids(), &needed));
                alarm = alarm.or_else(|| self.alarm(&needed, settings));
                notice = notice.or(Some(needed));
            }
            ledger.append(&mut events)?;
            advice = advice.or(told);
        }
        drop(ledger);
        self.sound(alarm);
        Ok(HostAnswer { context: advice, system_message: notice.map(|notice| notice.text), ..HostAnswer::default() })
    }

    fn classify(
        &self,
        events: &mut Vec<Event>,
        mut plan: PlanFacts,
        state: &State,
        ledger: &mut Ledger,
        settings: &Settings,
    ) -> Option<String> {
        let siblings = ledger.siblings(&self.node, &plan.siblings);
        if self.tree.is_none() {
            plan.siblings = siblings.iter().map(|sibling| sibling.node.clone()).collect();
        }
        plan.ignored_paths = settings.ignored();
        plan.root = self.place.root().to_str().map(|root| redact(root).into_owned());
        let decided = decide(&events[0], &plan, state, &siblings, &DEFAULT)?;
        let Answer::Verdict(verdict) = decided.answer else { return None };
        let deviation = decided.deviation.as_deref();
        let settled = decide::follow(&verdict, &events[0], &plan, state, deviation, |node| ledger.state(node));
        let failure = agent::Failure {
            verdict: &verdict,
            decision: settled.as_ref().map(|settled| &settled.decision),
            event: &decided.failure,
            input: events[0].execution().and_then(|execution| execution.input.as_deref()),
            plan: &plan,
        };
        let advice = agent::after_failure(&failure, state, voice(settings));
        let classified = classified_event(&events[0], *verdict, plan, advice.is_some());
        events.push(classified);
        let ids = events[0].ids();
        events.extend(settled.into_iter().flat_map(|settled| settled.events(&ids, self.outside.now)));
        advice
    }

    /// A call that did not fail: only a commit over a masked failure is worth a word.
    fn notice(&self, events: &mut Vec<Event>, state: &State, settings: &Settings) -> Option<String> {
        let operation = events[0].execution().and_then(|execution| execution.operation.as_ref());
        let operation = operation.map(|operation| operation.0.as_str()).unwrap_or_default();
        let (text, episodes) = agent::after_commit(operation, state, voice(settings))?;
        // The project's file is read only where there is something to say.
        if self.settings(true).advice.value == Advice::Off {
            return None;
        }
        let told = self.advice_event(&events[0].ids(), episodes);
        events.push(told);
        Some(text)
    }

    fn background(&self, call: &ToolCall<'_>, output_file: Option<&str>) -> std::io::Result<HostAnswer> {
        let launch = self.journal().peek(&self.node).and_then(|state| state.launch_of(&call.ids).cloned());
        let text = output_file.and_then(read_task_output);
        let call = call.as_background_of(launch.as_ref().and_then(|task| task.input.as_deref()), text);
        let mut observed = self.observe(&call, false, &[]);
        if let Some((execution, task)) = observed.event.execution_mut().zip(launch) {
            execution.operation = Some(task.operation);
        }
        let failed = observed.is_failure();
        let observed = vec![observed];
        let plan = if failed { self.plan_facts(&observed) } else { PlanFacts::default() };
        self.keep(observed, &plan, &self.settings(failed))
    }

    fn prompt(&self, ids: &Ids) -> std::io::Result<HostAnswer> {
        let open = self.journal().peek(&self.node).is_some_and(|state| state.waits_for_change());
        if open {
            let id = hex16(&["prompt", &self.node, self.outside.now]);
            let body = Body::StateChanged { change: Some(StateChange::Prompt), reason: None };
            let event = Event::new(id, self.outside.now, &self.node, ids, body);
            self.journal().begin()?.append(&mut [event])?;
        }
        Ok(HostAnswer::default())
    }

    /// What was told before a compaction is gone with it: what is still open is told again.
    fn session_start(&self, source: &str) -> HostAnswer {
        let state = if source == "compact" { self.journal().peek(&self.node) } else { None };
        let context = state.and_then(|state| agent::after_compaction(&state, voice(&self.settings(true))));
        HostAnswer { context, ..HostAnswer::default() }
    }

    fn stop(&self, ids: &Ids, already_held: bool) -> std::io::Result<HostAnswer> {
        let Some(state) = self.journal().peek(&self.node) else { return Ok(HostAnswer::default()) };
        let settings = self.settings(true);
        if settings.stop_check.value == StopCheck::Off {
            return Ok(HostAnswer::default());
        }
        let mut answer = HostAnswer::default();
        let mut told: Vec<String> = Vec::new();
        if let Some((text, episodes)) = agent::at_stop(&state, voice(&settings)).filter(|_| !already_held) {
            answer.context = Some(text);
            told = episodes;
        }
        let (mut events, mut alarm) = (Vec::new(), None);
        if !told.is_empty() {
            events.push(self.advice_event(ids, told));
        }
        if settings.stop_check.value == StopCheck::Hold && !already_held {
            answer.block_reason = agent::hold_reason(&state);
        }
        // An agent that is held or told goes on: the person hears of what it leaves behind when it stops for good.
        let goes_on = answer.block_reason.is_some() || answer.context.is_some();
        if let Some(notice) = person::at_stop(&state).filter(|_| !goes_on) {
            events.push(self.told_event(ids, &notice));
            alarm = self.alarm(&notice, &settings);
            answer.system_message = Some(notice.text);
        }
        if !events.is_empty() {
            self.journal().begin()?.append(&mut events)?;
        }
        self.sound(alarm);
        Ok(answer)
    }

    /// What the person's program is told, where they have one and did not hear of the same kind just now.
    fn alarm(&self, notice: &Notice, settings: &Settings) -> Option<(PathBuf, String)> {
        let program = settings.notify_command.value.clone().filter(|_| !self.was_told(notice.kind))?;
        let project = redact(&self.place.project.to_string_lossy()).into_owned();
        Some((program, notice.to_json(&project, &self.node, self.outside.now)))
    }

    fn sound(&self, alarm: Option<(PathBuf, String)>) {
        if let Some((program, message)) = alarm {
            notify::start(&program, &message, self.outside.env);
        }
    }

    /// Whether the history's end tells that the person heard of this kind within the last minute.
    fn was_told(&self, kind: person::Kind) -> bool {
        let end = read_end(&self.place.dir.join(HISTORY), NOTICES_LOOKED_AT).unwrap_or_default();
        let lines = end.lines().filter(|line| line.contains("\"person_told\""));
        lines.filter_map(told_of).any(|(of, ts)| of == kind.as_str() && is_recent(&ts, self.outside.now))
    }

    fn told_event(&self, ids: &Ids, notice: &Notice) -> Event {
        let id = hex16(&[&self.advice_id(&notice.episodes), "person", notice.kind.as_str()]);
        let reason = Some(notice.kind.as_str().to_owned());
        let body = Body::PersonTold { episodes: notice.episodes.clone(), reason };
        Event::new(id, self.outside.now, &self.node, ids, body)
    }

    fn advice_event(&self, ids: &Ids, episodes: Vec<String>) -> Event {
        let id = self.advice_id(&episodes);
        Event::new(id, self.outside.now, &self.node, ids, Body::AdviceGiven { episodes })
    }

    fn advice_id(&self, episodes: &[String]) -> String {
        hex16(&["advice_given", &self.node, self.outside.now, &episodes.join(" ")])
    }

    /// What the plan says of this node, as far as the files that the failures implicate ask for it.
    fn plan_facts(&self, observed: &[Observation]) -> PlanFacts {
        match &self.tree {
            Some(tree) if session_parent(&self.node).is_none() && !self.node.starts_with("session/") => {
                let readings = observed.iter().filter_map(|observed| observed.event.execution()?.reading.as_ref());
                let files: Vec<String> = readings.flat_map(|reading| reading.files.iter().cloned()).collect();
                tree.facts_about(&self.node, &files)
            }
            _ => PlanFacts {
                node: self.node.clone(),
                parent: session_parent(&self.node).map(str::to_owned),
                ..PlanFacts::default()
            },
        }
    }

    /// The settings; the project's file is read only where a failure may need it.
    fn settings(&self, with_project_file: bool) -> Settings {
        let file = if with_project_file { self.place.settings_file() } else { None };
        Settings::resolve(
            &text_env(self.outside.env),
            file.as_ref().map(|(path, text)| (path.as_path(), text.as_str())),
        )
        .0
    }
}

/// What kind of message a line of the history says that the person got, and when.
fn told_of(line: &str) -> Option<(String, String)> {
    let Line::Event(event) = parse(line.as_bytes()) else { return None };
    let Event { body: Body::PersonTold { reason: Some(kind), .. }, ts, .. } = *event else { return None };
    Some((kind, ts))
}

fn is_recent(ts: &str, now: &str) -> bool {
    let at = |ts: &str| DateTime::parse_from_rfc3339(ts).ok();
    let since = at(now).zip(at(ts)).map(|(now, then)| (now - then).num_seconds());
    since.is_some_and(|since| (0..person::QUIET_SECONDS).contains(&since))
}

/// Calls of a batch that only the batch shows: refused before they ran, denied, cancelled, and files that were read.
/// Failures are here too, in case their own event was lost; those already recorded are left out later, by their id.
fn only_in_batch<'a>(calls: &[ToolCall<'a>]) -> Vec<ToolCall<'a>> {
    calls.iter().filter(|call| !has_own_event(call)).cloned().collect()
}

/// Whether a success has started the hook by itself. What a file holds cannot pass for another end of the call, because
/// the client numbers its lines, so the hook is not started for each file that is read (`hooks/hooks.json`).
fn has_own_event(call: &ToolCall<'_>) -> bool {
    match call.status {
        Status::Succeeded => call.tool.kind != ToolKind::Read,
        Status::InBackground => true,
        _ => false,
    }
}

/// The node of the plan that a call belongs to: the one that its session or subagent claimed, else the one that the
/// environment names, else the active task. A subagent that claimed nothing works for who started it.
fn plan_node(tree: &PlanTree, place: &Place, ids: &Ids, env: Env<'_>) -> Option<String> {
    let journal = Journal::in_dir(&place.dir);
    let bound = |agent: Option<&str>| journal.peek(&session_node(ids.session.as_deref(), agent))?.bound;
    let named = || env("FAILWISE_NODE")?.into_string().ok().filter(|id| is_node_id(id));
    let bound_above = || ids.agent.as_ref().and_then(|_| bound(None));
    let claimed = bound(ids.agent.as_deref()).or_else(bound_above);
    claimed.or_else(named).or_else(|| tree.active().map(str::to_owned))
}

fn text_env(env: Env<'_>) -> impl Fn(&str) -> Option<String> {
    move |name| env(name).and_then(|value| value.into_string().ok())
}

fn voice(settings: &Settings) -> Voice {
    match settings.advice.value {
        Advice::Off => Voice::Off,
        Advice::Quiet => Voice::Quiet,
        Advice::Normal => Voice::Normal,
    }
}

/// The end of a background task's output. The path comes from outside: only the client's own kind of file is read.
fn read_task_output(path: &str) -> Option<String> {
    let path = Path::new(path);
    let in_tasks = path.parent()?.file_name()? == "tasks" && path.extension()? == "output";
    let plain = path.is_absolute() && !path.components().any(|part| matches!(part, std::path::Component::ParentDir));
    // More than is kept: the beginning of what is read may be the end of a secret.
    let text = if in_tasks && plain { read_end(path, 80 * 1024) } else { None };
    text.map(|text| redacted_end(task_output(&text)).into_owned())
}
