//! What one session met, kept while it is replayed.

use std::cell::OnceCell;
use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::ChangeKind;
use super::line::with_tool;
use super::matter::{
    WatchedCall, blocked_form, check_form, fixer, idle_check, is_cut, is_given_from_root, matter_of, passed_name,
    program_that_ran, ran_name, red_lint, refused_rules, repository_named, selection_that_ran, shell_of_glob,
    stray_folder, suggested, tests_of, tool_that_asks, worked_names, working_form, wrapper_of,
};
use super::rule::rules_of;
use crate::digest::checksum;
use crate::history::{Effect, Event, Execution, below, run_of};
use crate::knowledge::Root;
use crate::knowledge::instead::{self, FailedForm};
use crate::model::{Category, Check, CheckEnd, Cost, Host, Misfit, Outcome, RunResult, Tool, ToolKind};
use crate::programs::looking;
use crate::reading::UNPERMITTED;
use crate::shell::Script;
use crate::time::since_1970;

/// The most matters of a session, calls of a matter, and failures that wait for another form.
const MOST_MATTERS: usize = 256;
const MOST_CALLS: usize = 32;
const MOST_WAITING: usize = 32;
/// The most names that are kept of what worked.
const MOST_WORKED: usize = 8_192;
/// The most checks that are remembered of a node.
const MOST_RUNS: usize = 16;
/// A check that takes this long is slow, in milliseconds.
const SLOW_MS: u64 = 20_000;
/// A check that took longer than this waited for something else.
const TOO_SLOW_MS: u64 = 60 * 60 * 1000;

/// A call that met something.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct MetCall {
    /// When it ended, RFC 3339 UTC.
    pub ts: String,
    /// The client's session.
    pub session: String,
    /// The call.
    pub tool_use_id: Option<String>,
    /// The file that tells of it.
    pub file: String,
    /// The line in it, from 1.
    pub line: u64,
}

/// What a session met of one matter.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MetMatter {
    /// Failed or refused calls.
    pub failures: u64,
    /// When it was met first and last, in milliseconds since 1970.
    pub first: u64,
    /// See `first`.
    pub last: u64,
    /// The calls, the first 32.
    pub calls: Vec<MetCall>,
    /// What they cost.
    pub cost: Cost,
    /// Whether any of that is waste, and no work on a check.
    #[serde(default)]
    pub is_waste: bool,
    /// The forms that worked instead in this session, and how often.
    pub works: BTreeMap<String, u64>,
    /// How often it passed by itself: of a test with nothing changed, of a refused command in another call.
    pub passed: u64,
    /// Whether it was there before anything was changed in the session.
    pub untouched: bool,
    /// Of a path, whether it was looked for as a folder; of a check, how long it takes in milliseconds.
    pub is_folder: bool,
    /// See `is_folder`.
    pub took_ms: u64,
}

/// What one session met, and what worked in it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MetSession {
    /// The client's session.
    pub session: String,
    /// The client.
    #[serde(default, skip_serializing_if = "Host::is_unnamed")]
    pub host: Host,
    /// The folder that it began in, as the data says.
    pub root: Option<String>,
    /// The key of its project, and what people call it: whoever reads sessions fills them in.
    pub project: (String, String),
    /// When its first and its last call ended, in milliseconds since 1970.
    pub first: u64,
    /// See `first`.
    pub last: u64,
    /// Its calls: of shells, of file tools, and all.
    pub shell_calls: u64,
    /// See `shell_calls`.
    pub file_calls: u64,
    /// See `shell_calls`.
    pub calls: u64,
    /// What it met, by kind and by what identifies the matter.
    #[serde(serialize_with = "as_pairs", deserialize_with = "of_pairs")]
    pub met: BTreeMap<(ChangeKind, String), MetMatter>,
    /// What worked last when: paths with the folders above them, programs, forms. Fingerprints and milliseconds.
    #[serde(serialize_with = "as_pairs", deserialize_with = "of_pairs")]
    pub worked: BTreeMap<u64, u64>,
    /// The checks that passed, and when they did last, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed_checks: Vec<(Check, u64)>,
    /// The checks that failed, by the call.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub failed_checks: BTreeMap<String, FailedCheck>,
}

/// A check that failed, as it is known in other sessions of its project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FailedCheck {
    /// Its words, and its folder below that of the session.
    pub check: Option<Check>,
    /// By what it failed.
    pub category: Category,
    /// The name by which it is known that the test or the job passed: see `worked`.
    pub name: Option<u64>,
}

impl FailedCheck {
    /// Whether a pass of another check is one of it: of the same, or of one that looks at more.
    pub fn is_held_by(&self, other: &Check) -> bool {
        let Some(own) = &self.check else { return false };
        // What fixes what it finds is over where nothing is found.
        let looking = own.fixes.then(|| Check { words: looking(&own.words), ..own.clone() });
        let own = looking.as_ref().unwrap_or(own);
        let is_part = |folder| {
            run_of(own)
                .zip(run_of(other))
                .is_some_and(|(own, all)| own.is_part_of(&all, self.category, &other.runners, folder))
        };
        own.words == other.words && own.dir == other.dir || below(own, other).is_some_and(is_part)
    }
}

/// A map whose keys are no texts, as JSON holds it: a list of pairs.
fn as_pairs<S: Serializer, K: Serialize, V: Serialize>(map: &BTreeMap<K, V>, to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(map)
}

fn of_pairs<'de, D: Deserializer<'de>, K: Deserialize<'de> + Ord, V: Deserialize<'de>>(
    from: D,
) -> Result<BTreeMap<K, V>, D::Error> {
    Ok(Vec::<(K, V)>::deserialize(from)?.into_iter().collect())
}

impl MetSession {
    /// When it was last met after a moment that a check does not exist: its task or script is gone.
    pub fn missed_since(&self, check: &FailedCheck, since: u64) -> Option<u64> {
        let words = check.check.as_ref()?.words.join(" ");
        let is_it = |form: &str| words.strip_prefix(form).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
        let missed = self.met.iter().filter(|((kind, form), _)| *kind == ChangeKind::Form && is_it(form));
        missed.map(|(_, met)| met.last).filter(|last| *last > since).max()
    }

    /// Adds what an episode cost to each matter that one of its failed calls met, once, and whether any of it was waste.
    pub fn add_cost(&mut self, calls: &[String], cost: Cost, is_waste: bool) {
        for met in self.met.values_mut() {
            let is_of = |call: &MetCall| call.tool_use_id.as_ref().is_some_and(|id| calls.contains(id));
            if met.calls.iter().any(is_of) {
                met.cost = met.cost.plus(cost);
                met.is_waste |= is_waste;
            }
        }
    }
}

/// Keeps what sessions meet while they are replayed.
#[derive(Debug, Default)]
pub struct ChangeWatch {
    sessions: BTreeMap<String, WatchedSession>,
}

#[derive(Debug, Default)]
struct WatchedSession {
    found: MetSession,
    nodes: BTreeMap<String, WatchedDesk>,
    changed: bool,
}

/// What is remembered of one node.
#[derive(Debug, Default)]
struct WatchedDesk {
    waiting: VecDeque<WaitingForm>,
    runs: VecDeque<CheckRun>,
    /// When the last answer began, or the last call ended.
    since: u64,
}

/// A failure that waits for another form of its call.
#[derive(Debug)]
struct WaitingForm {
    key: (ChangeKind, String),
    form: FailedForm,
    /// Of what something put before it refuses: its program and option.
    refused: Option<String>,
    calls: u64,
}

/// A check that ran, with nothing changed since.
#[derive(Debug)]
struct CheckRun {
    operation: String,
    input: String,
    /// The tests that failed in it.
    failed: Vec<String>,
    is_cut: bool,
    /// The linter that failed in it, and where that is told.
    red_lint: Option<(String, MetCall)>,
}

/// Where a call is told.
#[derive(Debug, Clone, Copy)]
pub struct WatchedAt<'a> {
    /// The folder that it ran in, as the data says.
    pub cwd: Option<&'a str>,
    /// The file that tells of it.
    pub file: &'a str,
    /// The line in it, from 1.
    pub line: u64,
    /// Of an edit that did not find its text, where that stands all the same, and by what it differs.
    pub misfit: Option<&'a Misfit>,
    /// The end of what it printed.
    pub printed: &'a str,
}

impl ChangeWatch {
    /// Takes a call that ended, with what became of it.
    pub fn call(&mut self, event: &Event, execution: &Execution, at: WatchedAt<'_>) {
        let now = since_1970(&event.ts).unwrap_or_default();
        let session = event.session.as_deref().unwrap_or("unknown");
        let watched = self.sessions.entry(session.to_owned()).or_default();
        watched.found.host = event.host;
        let cwd = execution.cwd.as_deref().or(at.cwd);
        watched.counts(session, execution, cwd, now);
        let root = watched.found.root.clone();
        let kind = Tool::named(execution.tool.as_deref().unwrap_or_default()).kind;
        let call = WatchedCall {
            now,
            at: MetCall {
                ts: event.ts.clone(),
                session: session.to_owned(),
                tool_use_id: event.tool_use_id.clone(),
                file: at.file.to_owned(),
                line: at.line,
            },
            node: &event.node,
            execution,
            misfit: at.misfit,
            printed: at.printed,
            cwd,
            root: Root(root.as_deref()),
            kind,
            found: OnceCell::new(),
            script: (kind == ToolKind::Shell).then(|| Script::parse(execution.input.as_deref().unwrap_or_default())),
        };
        match execution.outcome {
            // Rules of permission are Claude Code's.
            Some(Outcome::Denied) if event.host == Host::Claude => watched.refused(&call),
            Some(Outcome::Failed | Outcome::MaskedFailure) => watched.failed(&call),
            Some(Outcome::Succeeded) => watched.succeeded(&call),
            _ => {}
        }
        // What a later command hides is no failure, and stopped all the same.
        if let Some(shell) = shell_of_glob(&call) {
            watched.meet((ChangeKind::Glob, shell.to_owned()), now, &call.at);
        }
        if let Some(program) = program_that_ran(&call) {
            watched.works(&ran_name(&program), now);
        }
        watched.checked(&call);
        watched.tells_checks(&call);
        let node = watched.nodes.entry(event.node.clone()).or_default();
        node.since = now;
        if execution.effect != Effect::None {
            // A check that fixes nothing changes nothing, although nobody can tell that from its words.
            let only_checks = execution.effect == Effect::Shell && !execution.checks.is_empty();
            if !only_checks || execution.checks.iter().any(|check| check.fixes) {
                watched.changed |= execution.outcome == Some(Outcome::Succeeded);
                watched.nodes.values_mut().for_each(|node| node.runs.clear());
            }
        }
    }

    /// Takes the news that the model answers in a node.
    pub fn answered(&mut self, session: Option<&str>, node: &str, ts: &str) {
        if let Some(watched) = self.sessions.get_mut(session.unwrap_or("unknown")) {
            watched.nodes.entry(node.to_owned()).or_default().since = since_1970(ts).unwrap_or_default();
        }
    }

    /// Takes the news that a person spoke to a node: what the agent does then need not be the same work.
    pub fn prompted(&mut self, session: Option<&str>, node: &str) {
        if let Some(node) = self.sessions.get_mut(session.unwrap_or("unknown")).and_then(|it| it.nodes.get_mut(node)) {
            node.waiting.clear();
        }
    }

    /// What each session met.
    pub fn finish(self) -> Vec<MetSession> {
        self.sessions.into_values().map(|watched| watched.found).collect()
    }
}

impl WatchedSession {
    fn counts(&mut self, session: &str, execution: &Execution, cwd: Option<&str>, now: u64) {
        let found = &mut self.found;
        if found.calls == 0 {
            session.clone_into(&mut found.session);
            found.first = now;
        }
        if found.root.is_none() {
            found.root = cwd.map(|cwd| cwd.trim_end_matches('/').to_owned());
        }
        found.last = found.last.max(now);
        found.calls += 1;
        match Tool::named(execution.tool.as_deref().unwrap_or_default()).kind {
            ToolKind::Shell => found.shell_calls += 1,
            ToolKind::Read | ToolKind::Edit | ToolKind::Write | ToolKind::Search => found.file_calls += 1,
            _ => {}
        }
    }

    fn meet(&mut self, key: (ChangeKind, String), now: u64, call: &MetCall) -> Option<&mut MetMatter> {
        if key.1.is_empty() || (self.found.met.len() >= MOST_MATTERS && !self.found.met.contains_key(&key)) {
            return None;
        }
        let met = self.found.met.entry(key).or_default();
        if met.failures == 0 {
            met.first = now;
        }
        met.failures += 1;
        met.last = met.last.max(now);
        if met.calls.len() < MOST_CALLS {
            met.calls.push(call.clone());
        }
        Some(met)
    }

    /// A refused call: what a hook refuses, or of a command line that only looks each command for which there is a rule.
    fn refused(&mut self, call: &WatchedCall<'_>) {
        let Some(script) = call.script.as_ref().filter(|_| !call.execution.input_altered) else { return };
        let mut met: Vec<_> = blocked_form(call).map(|form| (ChangeKind::Blocked, form)).into_iter().collect();
        // What a shell puts in place of words, the client asks for whatever the rules say.
        let is_plain = !call.input().contains(['$', '`']);
        if is_plain && call.execution.evidence.iter().any(|why| why == UNPERMITTED) {
            met.extend(rules_of(script).into_iter().map(|rule| (ChangeKind::Refusal, rule)));
        }
        for key in met {
            self.spend_turn(key, call);
        }
    }

    /// Meets a matter that no episode of failure is of, at the cost of a turn.
    fn spend_turn(&mut self, key: (ChangeKind, String), call: &WatchedCall<'_>) {
        if let Some(met) = self.meet(key, call.now, &call.at) {
            met.cost = met.cost.plus(Cost { calls: 1, turns: 1, ..Cost::default() });
            met.is_waste = true;
        }
    }

    fn failed(&mut self, call: &WatchedCall<'_>) {
        let untouched = !self.changed;
        for test in tests_of(call.execution) {
            if let Some(met) = self.meet((ChangeKind::Red, test), call.now, &call.at) {
                met.untouched |= untouched && met.failures == 1;
            }
        }
        if let Some((key, rules)) = refused_rules(call.execution)
            && let Some(met) = self.meet(key, call.now, &call.at)
        {
            // Once a session.
            met.works.extend(rules.into_iter().map(|rule| (rule, 1)));
        }
        if is_given_from_root(call) {
            self.meet((ChangeKind::Folder, "cd".to_owned()), call.now, &call.at);
        }
        if let Some(stray) = stray_folder(call) {
            self.meet((ChangeKind::Stray, stray), call.now, &call.at);
        }
        let Some((mut key, is_folder)) = matter_of(call) else { return };
        let wrapper = wrapper_of(call, &key);
        let refused = wrapper.map(|wrapper| std::mem::replace(&mut key, (ChangeKind::Wrapper, wrapper)).1);
        let Some(met) = self.meet(key.clone(), call.now, &call.at) else { return };
        met.works.extend(refused.clone().map(|form| (form, 1)));
        met.is_folder |= is_folder;
        if let Some(suggested) = suggested(call, &key) {
            *met.works.entry(suggested).or_default() += 1;
        }
        if let Some(form) = FailedForm::as_given(&call.located(), &call.root) {
            let waiting = &mut self.nodes.entry(call.node.to_owned()).or_default().waiting;
            waiting.push_back(WaitingForm { key, form, refused, calls: 0 });
            if waiting.len() > MOST_WAITING {
                waiting.pop_front();
            }
        }
    }

    /// Which checks and tests passed or failed in a call, for other sessions.
    fn tells_checks(&mut self, call: &WatchedCall<'_>) {
        let (execution, reading) = (call.execution, call.execution.reading.as_ref());
        for check in execution.checks.iter().filter(|check| check.end == CheckEnd::Passed && !check.fixes) {
            let check = call.in_project(check);
            let passed = &mut self.found.passed_checks;
            passed.retain(|(known, _)| !(known.words == check.words && known.dir == check.dir));
            if passed.len() < MOST_MATTERS {
                passed.push((check, call.now));
            }
        }
        if let Some(reading) = reading {
            reading.passed.iter().for_each(|test| self.works(&passed_name(reading, test), call.now));
        }
        let is_failure = matches!(execution.outcome, Some(Outcome::Failed | Outcome::MaskedFailure));
        let Some((id, reading)) = call.at.tool_use_id.as_ref().zip(reading).filter(|_| is_failure) else { return };
        let check = execution.failed_check().map(|check| call.in_project(check));
        let name = call.failed_name().map(|name| checksum(name.as_bytes()));
        if (check.is_some() || name.is_some()) && self.found.failed_checks.len() < MOST_MATTERS {
            self.found.failed_checks.insert(id.clone(), FailedCheck { check, category: reading.kind(), name });
        }
    }

    fn works(&mut self, name: &str, now: u64) {
        if self.found.worked.len() < MOST_WORKED {
            self.found.worked.insert(checksum(name.as_bytes()), now);
        }
    }

    fn succeeded(&mut self, call: &WatchedCall<'_>) {
        if let Some(form) = idle_check(call) {
            self.spend_turn((ChangeKind::Idle, form), call);
        }
        for name in worked_names(call) {
            self.works(&name, call.now);
        }
        for ((kind, name), met) in &mut self.found.met {
            let named = match kind {
                ChangeKind::Repository => repository_named(call.input(), name),
                ChangeKind::Idle => selection_that_ran(call, name),
                _ => None,
            };
            if let Some(named) = named {
                *met.works.entry(named).or_default() += 1;
            }
        }
        let waiting = &mut self.nodes.entry(call.node.to_owned()).or_default().waiting;
        if waiting.is_empty() {
            return;
        }
        let given = call.given();
        let mut works = Vec::new();
        waiting.retain_mut(|open| {
            open.calls += 1;
            if let Some(refused) = open.refused.as_ref().filter(|_| open.calls <= instead::WITHIN)
                && let Some(tool) = tool_that_asks(call, open.form.call().words())
            {
                works.push((open.key.clone(), with_tool(refused, tool)));
                return false;
            }
            let difference = given.as_ref().and_then(|given| open.form.difference(given));
            match difference {
                Some(difference) if open.calls <= difference.within() => {
                    works.extend(
                        working_form(&open.key, &difference.new, given.as_ref()).map(|it| (open.key.clone(), it)),
                    );
                    false
                }
                _ => open.calls < 16,
            }
        });
        for (key, form) in works {
            if let Some(met) = self.found.met.get_mut(&key) {
                *met.works.entry(form).or_default() += 1;
            }
        }
    }

    /// A check that ran: whether it is one that just ran with nothing changed since, to see more of it or by chance.
    fn checked(&mut self, call: &WatchedCall<'_>) {
        let execution = call.execution;
        let ran = matches!(execution.outcome, Some(Outcome::Succeeded | Outcome::Failed | Outcome::MaskedFailure));
        let Some(operation) = execution.operation.as_ref().filter(|_| ran && !execution.checks.is_empty()) else {
            return;
        };
        let node = self.nodes.entry(call.node.to_owned()).or_default();
        let took = call.now.saturating_sub(node.since);
        let (input, failed) = (call.input().to_owned(), tests_of(execution));
        let is_cut = call.script.as_ref().is_some_and(is_cut);
        let before = node.runs.iter().rev().find(|run| run.operation == operation.0);
        let again = before.is_some_and(|run| run.input != input && (run.is_cut || is_cut));
        let is_pass = execution.outcome == Some(Outcome::Succeeded) && execution.intent.is_none();
        let proven = execution.reading.as_ref().is_some_and(|reading| reading.result == RunResult::Passed);
        let flaky: Vec<String> = before.filter(|_| is_pass && proven).map(|run| run.failed.clone()).unwrap_or_default();
        let mended = fixer(execution).filter(|_| execution.outcome == Some(Outcome::Succeeded)).and_then(|fixer| {
            let (lint, at) = node.runs.iter().rev().find_map(|run| run.red_lint.clone())?;
            Some((lint, at, fixer))
        });
        let red_lint = red_lint(execution).map(|lint| (lint, call.at.clone()));
        node.runs.push_back(CheckRun { operation: operation.0.clone(), input, failed, is_cut, red_lint });
        if node.runs.len() > MOST_RUNS {
            node.runs.pop_front();
        }
        for test in flaky {
            if let Some(met) = self.found.met.get_mut(&(ChangeKind::Red, test)) {
                met.passed += 1;
            }
        }
        if let Some((lint, at, fixer)) = mended
            && let Some(met) = self.meet((ChangeKind::Fixer, lint), call.now, &at)
        {
            *met.works.entry(fixer).or_default() += 1;
        }
        let form = call.script.as_ref().and_then(check_form);
        if let Some(form) = form.filter(|_| again && (SLOW_MS..TOO_SLOW_MS).contains(&took))
            && let Some(met) = self.meet((ChangeKind::SlowCheck, form), call.now, &call.at)
        {
            met.took_ms = met.took_ms.max(took);
            met.cost = met.cost.plus(Cost { calls: 1, turns: 1, wall_ms: took, ..Cost::default() });
        }
    }
}
