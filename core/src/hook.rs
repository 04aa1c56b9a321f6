//! The hook: one payload in, one answer out, everything recorded in between. An edge: it joins host, journal and plan.

use std::path::{Path, PathBuf};

use crate::advice::person::{self, Notice};
use crate::classify::{DEFAULT, violated};
use crate::decide::permit;
use crate::digest::hex16;
use crate::engine::{Engine, News, Observed, Past, Step, Surroundings, written_files};
use crate::guard::{self, GuardQuestion};
use crate::history::{Body, Event, Line, State, absolute, is_session, parse, seen_key, session_node};
use crate::host::answer::AnswerJson as HostAnswer;
use crate::host::codex;
use crate::host::payload::{self, Payload, PayloadError, PayloadKind};
use crate::host::task_output;
use crate::journal::{HISTORY, Journal, Ledger, read_end};
use crate::model::{Ids, Phase, Status, SubagentAnswer, ToolCall, ToolInput, ToolKind};
use crate::notify;
use crate::place::{Env, Place, find, own_command};
use crate::plan::{Binding, PlanTree};
use crate::project::{self, Project, text_env};
use crate::reading::script_of;
use crate::redact::call::redacted_end;
use crate::redact::redact;
use crate::settings::{Guard, PlanGuard, Settings};
use crate::signature;
use crate::text::is_plain_path;
use crate::time;

/// How much of the history's end is searched for what the person was told, in bytes.
const NOTICES_LOOKED_AT: usize = 64 * 1024;
/// How much of it is searched for a client that is not known, in bytes.
const STRANGERS_LOOKED_AT: usize = 16 * 1024;

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
    if Settings::is_off(&text_env(outside.env)) {
        return Reply::default();
    }
    match payload::parse(input) {
        Ok(payload) if matches!(payload.kind, PayloadKind::Other) && payload.rollout.is_none() => Reply::default(),
        Ok(payload) => respond(payload, input, outside),
        Err(error) => {
            report(outside, &error);
            Reply { stdout: None, stderr: Some(error.to_string()) }
        }
    }
}

fn respond<'p>(mut payload: Payload<'p>, input: &'p [u8], outside: &Outside<'_>) -> Reply {
    let Some(place) = find(outside.env, payload.cwd.as_deref().map(Path::new)) else {
        let message = "neither a project nor a home folder is known, so nothing is recorded: set FAILWISE_DIR";
        return Reply { stdout: None, stderr: Some(message.to_owned()) };
    };
    let tree = place.plans.as_deref().and_then(|dir| PlanTree::open(dir).ok());
    let mut project = Project::new(outside.env, Some(&place), tree);
    project.payload = Some(input);
    if is_kept(&payload.kind)
        && project.hides_own()
        && is_cut(&payload.kind)
        // What is cut while a payload is read is hidden before: the project that it speaks of is known only now.
        && let Ok(again) = payload::parse(input)
    {
        payload = again;
    }
    let rollout = payload.rollout.take().map(PathBuf::from).filter(|path| codex::is_rollout(path));
    if let (Some(path), PayloadKind::Call(call)) = (&rollout, &mut payload.kind) {
        codex::complete(call, |most| read_end(path, most).ok());
    }
    let run = HookRun::begin(&payload, &place, project, outside);
    let answer = match rollout {
        Some(path) => run.catch_up(&payload, &path).and_then(|caught| Ok(run.answer(&payload)?.or(caught))),
        None => run.answer(&payload),
    };
    match answer {
        Ok(answer) => Reply { stdout: answer.to_json(payload.ids.host, &payload.event), stderr: None },
        Err(error) => Reply { stdout: None, stderr: Some(error.to_string()) },
    }
}

/// Whether a payload holds what a call was given or printed, which is kept.
fn is_kept(kind: &PayloadKind<'_>) -> bool {
    matches!(
        kind,
        PayloadKind::Call(_)
            | PayloadKind::ApiError(_)
            | PayloadKind::Report(_)
            | PayloadKind::Batch(_)
            | PayloadKind::Background { .. }
    )
}

/// Whether what a call was given may have been cut: a shell's command is taken as it is.
fn is_cut(kind: &PayloadKind<'_>) -> bool {
    !matches!(kind, PayloadKind::Call(call) if matches!(call.input, ToolInput::Command { .. }))
}

/// Records that a payload could not be read. Best effort: where even that fails, the line on stderr remains.
fn report(outside: &Outside<'_>, error: &PayloadError) {
    let cwd = if let PayloadError::Stranger { cwd, .. } = error { cwd.as_deref().map(Path::new) } else { None };
    let Some(place) = find(outside.env, cwd) else { return };
    let message = &*error.to_string();
    // A stranger comes with every event of its own: it is named once in a while.
    let is_told = |path: &Path| read_end(path, STRANGERS_LOOKED_AT).is_ok_and(|end| end.contains(message));
    if matches!(error, PayloadError::Stranger { .. }) && is_told(&place.dir.join(HISTORY)) {
        return;
    }
    let id = hex16(&["hook_error", outside.now, message]);
    let body = Body::HookError { message: Some(message.to_owned()) };
    let event = Event::new(id, outside.now, "hook", &Ids::default(), body);
    if let Ok(mut ledger) = Journal::in_dir(&place.dir).begin() {
        let _ = ledger.append(&mut [event]);
    }
}

/// One hook call: where it stands, and whose node it is.
struct HookRun<'a> {
    outside: &'a Outside<'a>,
    place: &'a Place,
    project: Project<'a>,
    node: String,
    ids: &'a Ids,
}

impl<'a> HookRun<'a> {
    fn begin(payload: &'a Payload<'_>, place: &'a Place, project: Project<'a>, outside: &'a Outside<'a>) -> Self {
        let journal = Journal::in_dir(&place.dir);
        let node = project.node_of(payload, |node| journal.peek(node)?.bound);
        Self { outside, place, project, node, ids: &payload.ids }
    }

    fn answer(&self, payload: &Payload<'_>) -> std::io::Result<HostAnswer> {
        match &payload.kind {
            PayloadKind::Before(call) => self.before(call, payload.agent_type.as_deref().unwrap_or_default()),
            PayloadKind::Call(call) | PayloadKind::ApiError(call) | PayloadKind::Report(call) => {
                self.record(std::slice::from_ref(call))
            }
            PayloadKind::Batch(calls) => self.record(&only_in_batch(calls)),
            PayloadKind::Background { call, output_file } => self.background(call, output_file.as_deref()),
            PayloadKind::Prompt { red_phase } => self.news(News::Prompt { red_phase: *red_phase }),
            // What was told before a compaction is gone with it: what is still open is told again.
            PayloadKind::SessionStart { source } if source == "compact" => self.news(News::Compaction),
            PayloadKind::Stop { subagent, already_held, last_words } => {
                let answer =
                    self.news(News::Stop { already_held: *already_held, last_words: last_words.as_deref() })?;
                if *subagent && self.project.tree.is_some() && answer.block_reason.is_none() {
                    self.agent_ended()?;
                }
                Ok(answer)
            }
            PayloadKind::SessionStart { .. } => {
                // States that nobody asks for cost nothing but room: what cannot be taken away now can be later.
                let _ = time::parse(self.outside.now).map(|now| self.journal().tidy(now.into()));
                let line = project::welcome(self.outside.env, self.place, self.outside.now);
                let system_message = line.map(|line| self.ids.host.fitted(line));
                Ok(HostAnswer { system_message, ..HostAnswer::default() })
            }
            PayloadKind::Other => Ok(HostAnswer::default()),
        }
    }

    /// Records the calls that ended without an event, by the session's file. Where a call begins the agent may hear of them;
    /// where it stops, that would hold it.
    fn catch_up(&self, payload: &Payload<'_>, rollout: &Path) -> std::io::Result<HostAnswer> {
        let stops = matches!(payload.kind, PayloadKind::Stop { .. });
        if !stops && payload.event != "PreToolUse" {
            return Ok(HostAnswer::default());
        }
        let state = self.journal().peek(&self.node);
        let knows = |id: &str| {
            let key = seen_key(Some(id), Some(Phase::Call), "");
            state.as_ref().zip(key).is_some_and(|(state, key)| state.has_seen(key))
        };
        let look = || codex::unended(|most| read_end(rollout, most).ok(), self.ids, payload.cwd.as_deref(), knows);
        let mut calls = look();
        if calls.is_empty() {
            return Ok(HostAnswer::default());
        }
        if self.project.hides_own() {
            calls = look();
        }
        let answer = self.keep(self.engine(|engine| engine.look(&calls)))?;
        Ok(HostAnswer { context: answer.context.filter(|_| !stops), ..answer })
    }

    fn engine<R>(&self, work: impl FnOnce(&Engine<'_>) -> R) -> R {
        let worktree = self.project.worktree();
        work(&Engine {
            node: &self.node,
            ids: self.ids,
            now: self.outside.now,
            worktree: worktree.as_deref(),
            ruleset: &DEFAULT,
            around: &self.project,
        })
    }

    fn journal(&self) -> Journal {
        Journal::in_dir(&self.place.dir)
    }

    /// A command that is about to run, or an edit, which only the plan may forbid. The guard comes first: what it refuses is
    /// never permitted.
    fn before(&self, call: &ToolCall<'_>, agent_type: &str) -> std::io::Result<HostAnswer> {
        if call.command().is_none() {
            return Ok(HostAnswer { refusal: self.forbidden(call), ..HostAnswer::default() });
        }
        let mut answer = self.guard(call)?;
        if answer.refusal.is_none() {
            answer.refusal = self.forbidden(call);
        }
        if answer.refusal.is_none() && permit::needs_no_permission(agent_type, call) {
            answer.permission = Some(permit::REASON);
        }
        Ok(answer)
    }

    /// Why the plan does not let the call run, where its person wants that refused.
    fn forbidden(&self, call: &ToolCall<'_>) -> Option<String> {
        let is_in_plan = self.project.tree.is_some() && !is_session(&self.node);
        if !is_in_plan || self.project.settings().plan_guard.value != PlanGuard::Block {
            return None;
        }
        let operation = call.command().map(signature::operation_of_command).unwrap_or_default();
        let cwd = call.cwd.as_deref();
        let mut files: Vec<String> = call.file().map(|file| absolute(file, cwd)).into_iter().collect();
        files.extend(script_of(call).into_iter().flat_map(|script| written_files(&script, cwd, |_| true)));
        let plan = self.project.plan(&self.node, &files);
        let Some((constraint, why)) = violated(&plan, &operation, &files) else {
            // Nobody knows what a page forbids that cannot be read: until it can, only the plan's own pages are written.
            let tree = self.project.tree.as_ref().filter(|_| !files.is_empty())?;
            let is_outside = files.iter().any(|file| !Path::new(file).starts_with(tree.dir()));
            return tree.unread_above(&self.node).filter(|_| is_outside).map(|from| guard::unread_words(&from));
        };
        let from = &constraint.from;
        Some(guard::forbidden_words(from, why.split_once(": ").map_or(&*why, |(forbids, _)| forbids)))
    }

    /// Whether the guard lets the command run. Nearly always there is nothing to say, and one small file tells that.
    fn guard(&self, call: &ToolCall<'_>) -> std::io::Result<HostAnswer> {
        let armed = self.journal().peek_for(guard::FIELD, &self.node).filter(guard::is_armed);
        let is_for_people = guard::may_be_for_people(call);
        if armed.is_none() && !is_for_people {
            return Ok(HostAnswer::default());
        }
        // What failed was compared without its secrets.
        self.project.hides_own();
        let settings = self.project.settings();
        if settings.guard.value == Guard::Off {
            return Ok(HostAnswer::default());
        }
        if let Some(command) = guard::is_for_people(call).filter(|_| is_for_people) {
            let refusal = Some(guard::only_for_people_words(command));
            return Ok(HostAnswer { refusal, ..HostAnswer::default() });
        }
        let Some(asked) = GuardQuestion::of(call) else { return Ok(HostAnswer::default()) };
        let seems_refused = |state: &State| asked.refusal(state, &settings.polling.value, self.outside.now).is_some();
        if !armed.as_ref().is_some_and(seems_refused) {
            return Ok(HostAnswer::default());
        }
        let mut ledger = self.journal().begin()?;
        let state = ledger.state(&self.node);
        let Some(refusal) = self.engine(|engine| engine.refuses(&asked, &state, &mut ledger)) else {
            return Ok(HostAnswer::default());
        };
        if settings.guard.value == Guard::Warn {
            return Ok(HostAnswer { context: Some(refusal.warning()), ..HostAnswer::default() });
        }
        let refusal = match own_command() {
            Some(program) => refusal.by(program),
            None => refusal,
        };
        ledger.append(&mut [asked.refused_event(&refusal, &self.node, self.outside.now)])?;
        Ok(HostAnswer { refusal: Some(refusal.reason()), ..HostAnswer::default() })
    }

    fn record(&self, calls: &[ToolCall<'_>]) -> std::io::Result<HostAnswer> {
        if calls.is_empty() {
            return Ok(HostAnswer::default());
        }
        let mut answer = self.keep(self.engine(|engine| engine.look(calls)))?;
        calls.iter().try_for_each(|call| self.bind(call))?;
        for asking in calls.iter().filter(|call| call.ended.is_some()) {
            let state = self.journal().peek(&self.node);
            let observed = self.engine(|engine| engine.look_at_asked(asking, state.as_ref()));
            answer = answer.or(self.keep(observed)?);
        }
        for subagent in calls.iter().filter_map(|call| call.answer.as_ref()) {
            answer = answer.or(self.answered(subagent)?);
        }
        Ok(answer)
    }

    fn background(&self, call: &ToolCall<'_>, output_file: Option<&str>) -> std::io::Result<HostAnswer> {
        let state = self.journal().peek(&self.node);
        let output = output_file.and_then(read_task_output);
        let answer = self.keep(self.engine(|engine| engine.look_at_background(call, state.as_ref(), output)))?;
        match &call.answer {
            Some(subagent) => Ok(answer.or(self.answered(subagent)?)),
            None => Ok(answer),
        }
    }

    /// A subagent ended. Nearly always its checks pass or it says that they do not, and one small file tells that.
    fn answered(&self, answer: &SubagentAnswer<'_>) -> std::io::Result<HostAnswer> {
        let own = session_node(self.ids.session.as_deref(), Some(&answer.agent));
        let journal = self.journal();
        let state = journal.peek(&own).and_then(|state| match &state.bound {
            Some(node) => journal.peek(node),
            None => Some(state),
        });
        match &state {
            Some(subagent) => self.news(News::Answered { subagent, words: &answer.words }),
            None => Ok(HostAnswer::default()),
        }
    }

    /// Decides and appends, under the lock.
    fn keep(&self, observed: Vec<Observed>) -> std::io::Result<HostAnswer> {
        let mut ledger = self.journal().begin()?;
        let mut said = HookMessages::default();
        for observed in observed {
            let state = ledger.state(&self.node);
            if observed.is_known(&state) {
                continue;
            }
            let mut step = self.engine(|engine| engine.step(observed, &state, &mut ledger));
            // The ledger holds it too, and changes it in place if nobody else does.
            drop(state);
            self.hear(&mut said, &mut step);
            ledger.append(&mut step.events)?;
        }
        drop(ledger);
        Ok(self.say(said))
    }

    /// What is no call. Nearly always there is nothing to keep, and one small file tells that.
    fn news(&self, news: News<'_>) -> std::io::Result<HostAnswer> {
        let begins = news == News::Prompt { red_phase: true };
        let known = self.journal().peek(&self.node).or_else(|| begins.then(|| State::new(&self.node)));
        let Some(state) = known else { return Ok(HostAnswer::default()) };
        let mut past = Lazy { journal: self.journal(), ledger: None };
        let mut step = self.engine(|engine| engine.hear(news, &state, &mut past));
        let mut said = HookMessages::default();
        self.hear(&mut said, &mut step);
        if !step.events.is_empty() {
            match past.ledger {
                Some(mut ledger) => ledger.append(&mut step.events)?,
                None => self.journal().begin()?.append(&mut step.events)?,
            }
        }
        Ok(self.say(said))
    }

    /// Notes that a subagent ended which was bound to a node of the plan: from then on nobody works on that.
    fn agent_ended(&self) -> std::io::Result<()> {
        let own = session_node(self.ids.session.as_deref(), self.ids.agent.as_deref());
        let Some(target) = self.journal().peek(&own).and_then(|state| state.bound) else { return Ok(()) };
        let id = hex16(&["agent_ended", &own, self.outside.now, &target]);
        let event = Event::new(id, self.outside.now, &own, self.ids, Body::AgentEnded { target: Some(target) });
        self.journal().begin()?.append(&mut [event])
    }

    /// Binds the session or subagent that claimed a node of the plan to it, or lets it go from a node that it ended.
    fn bind(&self, call: &ToolCall<'_>) -> std::io::Result<()> {
        let command = call.command().filter(|_| call.status == Status::Succeeded);
        let (Some(tree), Some(command)) = (&self.project.tree, command) else { return Ok(()) };
        let session = call.ids.session.as_deref();
        let target = match Binding::of(command, &call.text) {
            Some(Binding::Claimed(id)) if tree.is_claimed_by(&id, &session_node(session, None)) => Some(id),
            Some(Binding::Left(id)) if id == self.node => None,
            Some(Binding::Stopped) if self.is_stopped_by(session) => None,
            _ => return Ok(()),
        };
        let own = session_node(session, call.ids.agent.as_deref());
        let id = hex16(&["node_bound", &own, self.outside.now, target.as_deref().unwrap_or_default()]);
        let event = Event::new(id, self.outside.now, &own, &call.ids, Body::NodeBound { target });
        self.journal().begin()?.append(&mut [event])
    }

    /// Whether the caller's node was stopped by a command of its session.
    fn is_stopped_by(&self, session: Option<&str>) -> bool {
        let stop = self.journal().peek(&self.node).and_then(|state| state.stopped);
        stop.is_some_and(|stop| stop.session.is_some() && stop.session.as_deref() == session)
    }

    /// Of several steps the first word to each listener counts.
    fn hear(&self, said: &mut HookMessages, step: &mut Step) {
        let answer = &mut said.answer;
        answer.context = answer.context.take().or_else(|| step.advice.take());
        answer.block_reason = answer.block_reason.take().or_else(|| step.hold.take());
        if let Some(notice) = step.notice.take() {
            said.alarm = said.alarm.take().or_else(|| self.alarm(&notice));
            answer.system_message.get_or_insert(notice.text);
        }
    }

    fn say(&self, said: HookMessages) -> HostAnswer {
        if let Some((program, message)) = said.alarm {
            notify::start_program(&program, &message, self.outside.env);
        }
        said.answer
    }

    /// What the person's program is told, where they have one and did not hear of the same kind just now.
    fn alarm(&self, notice: &Notice) -> Option<(PathBuf, String)> {
        let program = self.project.settings().notify_command.value.clone();
        let program = program.filter(|_| !self.was_told(notice.kind))?;
        let project = redact(&self.place.project.to_string_lossy()).into_owned();
        Some((program, notice.to_json(&project, &self.node, self.outside.now)))
    }

    /// Whether the history's end tells that the person heard of this kind within the last minute.
    fn was_told(&self, kind: person::NoticeKind) -> bool {
        let end = read_end(&self.place.dir.join(HISTORY), NOTICES_LOOKED_AT).unwrap_or_default();
        let lines = end.lines().filter(|line| line.contains("\"person_told\""));
        lines.filter_map(told_of).any(|(of, ts)| of == kind && is_recent(&ts, self.outside.now))
    }
}

/// What the agent, the person and the person's program hear of one payload.
#[derive(Default)]
struct HookMessages {
    answer: HostAnswer,
    alarm: Option<(PathBuf, String)>,
}

impl Past for Ledger {
    fn state(&mut self, node: &str) -> State {
        State::clone(&Self::state(self, node))
    }

    fn siblings(&mut self, node: &str, named: &[String]) -> Vec<State> {
        Self::siblings(self, node, named)
    }

    fn session(&mut self, node: &str) -> Vec<State> {
        Self::session(self, node)
    }
}

/// The ledger, opened where it is asked: most news ask for nothing of other nodes.
struct Lazy {
    journal: Journal,
    ledger: Option<Ledger>,
}

impl Lazy {
    /// None where it cannot be opened: then nothing is known of other nodes.
    fn ledger(&mut self) -> Option<&mut Ledger> {
        if self.ledger.is_none() {
            self.ledger = self.journal.begin().ok();
        }
        self.ledger.as_mut()
    }
}

impl Past for Lazy {
    fn state(&mut self, node: &str) -> State {
        self.ledger().map_or_else(|| State::new(node), |ledger| Past::state(ledger, node))
    }

    fn siblings(&mut self, node: &str, named: &[String]) -> Vec<State> {
        self.ledger().map(|ledger| ledger.siblings(node, named)).unwrap_or_default()
    }

    fn session(&mut self, node: &str) -> Vec<State> {
        self.ledger().map(|ledger| ledger.session(node)).unwrap_or_default()
    }
}

/// What kind of message a line of the history says that the person got, and when.
fn told_of(line: &str) -> Option<(person::NoticeKind, String)> {
    let Line::Event(event) = parse(line.as_bytes()) else { return None };
    let Event { body: Body::PersonTold { reason: Some(word), .. }, ts, .. } = *event else { return None };
    Some((person::NoticeKind::from_word(&word)?, ts))
}

fn is_recent(ts: &str, now: &str) -> bool {
    let since = time::parse(now).zip(time::parse(ts)).map(|(now, then)| (now - then).num_seconds());
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

/// The end of a background task's output. The path comes from outside: only the client's own kind of file is read.
pub fn read_task_output(path: &str) -> Option<String> {
    let path = Path::new(path);
    let in_tasks = path.parent()?.file_name()? == "tasks" && path.extension()? == "output";
    // More than is kept: the beginning of what is read may be the end of a secret.
    let text = (in_tasks && is_plain_path(path) && path.is_file()).then(|| read_end(path, 80 * 1024).ok()).flatten()?;
    Some(redacted_end(task_output(&text)).into_owned())
}
