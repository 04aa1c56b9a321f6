//! What one session met, kept while it is replayed.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::Serialize;

use super::ChangeKind;
use super::rule::rules_of;
use crate::digest::checksum;
use crate::history::{Effect, Event, Execution};
use crate::knowledge::Root;
use crate::knowledge::instead::{FailedForm, GivenCall, is_plain_word};
use crate::model::{Category, Cost, FindingKind, ObjectKind, Outcome, Proof, RunResult, Tool, ToolKind};
use crate::programs::{Trait, base_name};
use crate::reading::findings;
use crate::shell::{Command, Join, Script};
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
/// The most words of a call that a form has.
const FORM_WORDS: usize = 4;

/// A call that met something.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
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
#[derive(Debug, Clone, PartialEq, Default)]
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
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MetSession {
    /// The client's session.
    pub session: String,
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
    pub met: BTreeMap<(ChangeKind, String), MetMatter>,
    /// What worked last when: paths with the folders above them, programs, forms. Fingerprints and milliseconds.
    pub worked: BTreeMap<u64, u64>,
}

impl MetSession {
    /// Adds what an episode cost to each matter that one of its failed calls met, once.
    pub fn add_cost(&mut self, calls: &[String], cost: Cost) {
        for met in self.met.values_mut() {
            let is_of = |call: &MetCall| call.tool_use_id.as_ref().is_some_and(|id| calls.contains(id));
            if met.calls.iter().any(is_of) {
                met.cost = met.cost.plus(cost);
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
}

impl ChangeWatch {
    /// Takes a call that ended, with what became of it.
    pub fn call(&mut self, event: &Event, execution: &Execution, at: WatchedAt<'_>) {
        let now = since_1970(&event.ts).unwrap_or_default();
        let session = event.session.as_deref().unwrap_or("unknown");
        let watched = self.sessions.entry(session.to_owned()).or_default();
        let cwd = execution.cwd.as_deref().or(at.cwd);
        watched.counts(session, execution, cwd, now);
        let root = watched.found.root.clone();
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
            cwd,
            root: Root(root.as_deref()),
            kind: Tool::named(execution.tool.as_deref().unwrap_or_default()).kind,
        };
        match execution.outcome {
            Some(Outcome::Denied) => watched.refused(&call),
            Some(Outcome::Failed | Outcome::MaskedFailure) => watched.failed(&call),
            Some(Outcome::Succeeded) => watched.succeeded(&call),
            _ => {}
        }
        watched.checked(&call);
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

/// A call as it is looked at.
struct WatchedCall<'a> {
    now: u64,
    at: MetCall,
    node: &'a str,
    execution: &'a Execution,
    cwd: Option<&'a str>,
    root: Root<'a>,
    kind: ToolKind,
}

impl WatchedCall<'_> {
    fn input(&self) -> &str {
        self.execution.input.as_deref().unwrap_or_default()
    }

    /// The command line of a shell call, as it was typed.
    fn script(&self) -> Option<Script> {
        (self.kind == ToolKind::Shell).then(|| Script::parse(self.input()))
    }

    /// The call with the folder that it ran in.
    fn located(&self) -> Execution {
        Execution { cwd: self.cwd.map(str::to_owned), ..self.execution.clone() }
    }

    fn given(&self) -> Option<GivenCall> {
        GivenCall::as_given(&self.located(), &self.root)
    }

    /// A path below the folder that the session began in; None for any other, and for what is no plain path.
    fn below_root(&self, path: &str) -> Option<String> {
        let path = self.root.relative(path.trim_end_matches('/'), self.cwd);
        let is_plain = is_plain_word(&path) && !path.contains("..") && !path.starts_with('-') && path != ".";
        is_plain.then(|| path.strip_prefix("./").unwrap_or(&path).to_owned())
    }

    /// The path that a file tool was given.
    fn target(&self) -> Option<String> {
        let path = match self.kind {
            ToolKind::Read | ToolKind::Edit | ToolKind::Write => self.input(),
            ToolKind::Search => self.input().split(' ').find_map(|word| word.strip_prefix("path="))?,
            _ => return None,
        };
        self.below_root(path)
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

    fn meet(&mut self, key: (ChangeKind, String), call: &WatchedCall<'_>) -> Option<&mut MetMatter> {
        if key.1.is_empty() || (self.found.met.len() >= MOST_MATTERS && !self.found.met.contains_key(&key)) {
            return None;
        }
        let met = self.found.met.entry(key).or_default();
        if met.failures == 0 {
            met.first = call.now;
        }
        met.failures += 1;
        met.last = met.last.max(call.now);
        if met.calls.len() < MOST_CALLS {
            met.calls.push(call.at.clone());
        }
        Some(met)
    }

    /// A refused call: of a command line that only looks, each command for which there is a rule.
    fn refused(&mut self, call: &WatchedCall<'_>) {
        // A hook refuses whatever the permissions allow.
        let is_by_hook = call.execution.evidence.iter().any(|why| why.contains("hook"));
        let Some(script) = call.script().filter(|_| !call.execution.input_altered && !is_by_hook) else { return };
        let turn = Cost { calls: 1, turns: 1, ..Cost::default() };
        for rule in rules_of(&script) {
            if let Some(met) = self.meet((ChangeKind::Refusal, rule), call) {
                met.cost = met.cost.plus(turn);
            }
        }
    }

    fn failed(&mut self, call: &WatchedCall<'_>) {
        let untouched = !self.changed;
        for test in tests_of(call.execution) {
            if let Some(met) = self.meet((ChangeKind::Red, test), call) {
                met.untouched |= untouched && met.failures == 1;
            }
        }
        let Some((key, is_folder)) = matter_of(call) else { return };
        let Some(met) = self.meet(key.clone(), call) else { return };
        met.is_folder |= is_folder;
        if let Some(suggested) = suggested(call, &key) {
            *met.works.entry(suggested).or_default() += 1;
        }
        if let Some(form) = FailedForm::as_given(&call.located(), &call.root) {
            let waiting = &mut self.nodes.entry(call.node.to_owned()).or_default().waiting;
            waiting.push_back(WaitingForm { key, form, calls: 0 });
            if waiting.len() > MOST_WAITING {
                waiting.pop_front();
            }
        }
    }

    fn succeeded(&mut self, call: &WatchedCall<'_>) {
        for name in worked_names(call) {
            if self.found.worked.len() < MOST_WORKED {
                self.found.worked.insert(checksum(name.as_bytes()), call.now);
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
        let is_cut = is_cut(&input);
        let before = node.runs.iter().rev().find(|run| run.operation == operation.0);
        let again = before.is_some_and(|run| run.input != input && (run.is_cut || is_cut));
        let is_pass = execution.outcome == Some(Outcome::Succeeded) && execution.intent.is_none();
        let proven = execution.reading.as_ref().is_some_and(|reading| reading.result == RunResult::Passed);
        let flaky: Vec<String> = before.filter(|_| is_pass && proven).map(|run| run.failed.clone()).unwrap_or_default();
        node.runs.push_back(CheckRun { operation: operation.0.clone(), input, failed, is_cut });
        if node.runs.len() > MOST_RUNS {
            node.runs.pop_front();
        }
        for test in flaky {
            if let Some(met) = self.found.met.get_mut(&(ChangeKind::Red, test)) {
                met.passed += 1;
            }
        }
        let form = call.script().and_then(|script| check_form(&script));
        if let Some(form) = form.filter(|_| again && (SLOW_MS..TOO_SLOW_MS).contains(&took))
            && let Some(met) = self.meet((ChangeKind::SlowCheck, form), call)
        {
            met.took_ms = met.took_ms.max(took);
            met.cost = met.cost.plus(Cost { calls: 1, turns: 1, wall_ms: took, ..Cost::default() });
        }
    }
}

/// The tests that a run names as failed, where they are few enough that each is a matter of its own.
fn tests_of(execution: &Execution) -> Vec<String> {
    let Some(reading) = execution.reading.as_ref().filter(|_| execution.intent.is_none()) else { return Vec::new() };
    let is_test = reading.category == Category::TestFailure;
    // A title is somebody's sentence, and a line is for agents: only what is one plain word.
    let is_name = |name: &str| is_test && is_plain_word(name);
    let tests = reading.objects.iter().filter(|object| object.kind == ObjectKind::Test && is_name(&object.name));
    tests.map(|object| object.name.clone()).collect()
}

/// Whether a line shows a part of what it prints only.
fn is_cut(input: &str) -> bool {
    Script::parse(input).programs().any(|(at, command)| at.stage > 0 && command.is(Trait::Displays))
}

/// What identifies the matter of a failed call, and whether a folder was looked for; None where it is none of these.
fn matter_of(call: &WatchedCall<'_>) -> Option<((ChangeKind, String), bool)> {
    let reading = call.execution.reading.as_ref()?;
    let text = call.execution.text.as_deref().or(reading.line.as_deref()).unwrap_or_default();
    let found = findings(text);
    let named = |kind: FindingKind| found.iter().find(|it| it.kind == kind)?.name.filter(|name| is_plain_word(name));
    let script = call.script();
    let key = |kind: ChangeKind, matter: String| Some(((kind, matter), false));
    match reading.category {
        Category::ToolUnavailable => key(ChangeKind::Tool, tool_of(call, named(FindingKind::UnknownTool))?),
        Category::TooLarge if call.kind == ToolKind::Read => key(ChangeKind::Size, call.target()?),
        Category::PathNotFound => missing_path(call, named(FindingKind::MissingFile), script.as_ref()),
        Category::CommandNotFound => {
            let script = script.as_ref()?;
            let program = named(FindingKind::MissingProgram).filter(|name| !name.contains('/'));
            let is_called = |name: &&str| script.programs().any(|(_, command)| command.raw == **name);
            if let Some(program) = program.filter(is_called) {
                return key(ChangeKind::Program, program.to_owned());
            }
            let wrong = named(FindingKind::UnknownScript).or_else(|| named(FindingKind::UnknownSubcommand))?;
            key(ChangeKind::Form, form_with(call, script, wrong)?)
        }
        Category::BadArguments => {
            let wrong = [FindingKind::UnknownSubcommand, FindingKind::UnknownScript, FindingKind::UnknownOption]
                .into_iter()
                .find_map(named)
                .or_else(|| named(FindingKind::IllegalOption))
                .or_else(|| named(FindingKind::SurplusArgument).filter(|name| name.starts_with('-')))?;
            key(ChangeKind::Form, form_with(call, script.as_ref()?, wrong)?)
        }
        Category::AuthRequired | Category::ConfigOrState => {
            let unset = found.iter().find(|it| matches!(it.kind, FindingKind::TokenUnset | FindingKind::UnsetVariable));
            let of_line =
                |line: &str| line.split(|sign: char| !is_of_name(sign)).find(|it| is_variable(it)).map(str::to_owned);
            if let Some(variable) = unset.and_then(|unset| of_line(unset.line)) {
                return key(ChangeKind::Variable, variable);
            }
            // What was typed may be cut before the command that failed.
            let is_login = reading.category == Category::AuthRequired && script.is_some();
            let operation = call.execution.operation.as_ref().filter(|_| is_login)?;
            key(ChangeKind::Login, call_form(main_command(&Script::parse(&operation.0))?, 2))
        }
        _ => None,
    }
}

fn is_of_name(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || sign == '_'
}

/// Whether a word is the name of a variable by its shape: `DATABASE_URL`.
fn is_variable(word: &str) -> bool {
    word.contains('_')
        && word.starts_with(|first: char| first.is_ascii_uppercase())
        && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// The skill, agent or tool that there is none of, with the word for it.
fn tool_of(call: &WatchedCall<'_>, named: Option<&str>) -> Option<String> {
    let tool = call.execution.tool.as_deref()?;
    let given =
        |name: &str| call.input().split(' ').find_map(|word| word.strip_prefix(name)).filter(|it| is_plain_word(it));
    match (call.kind, given("skill=")) {
        (ToolKind::Agent, _) => Some(format!("agent {}", given("subagent_type=").or(named)?)),
        (ToolKind::Other, Some(skill)) => Some(format!("skill {skill}")),
        // A server that did not start is another matter than a name that nobody has.
        _ => Some(format!("tool {}", named.filter(|name| *name == tool)?)),
    }
}

fn missing_path(
    call: &WatchedCall<'_>,
    named: Option<&str>,
    script: Option<&Script>,
) -> Option<((ChangeKind, String), bool)> {
    let objects = call.execution.reading.iter().flat_map(|reading| &reading.objects);
    let object = objects.filter(|object| object.kind == ObjectKind::File).map(|object| object.name.as_str()).next();
    let path = match call.target() {
        Some(path) => path,
        // The shell's own `cd: name`.
        None => call.below_root(object.or(named).filter(|_| script.is_some())?.rsplit(": ").next()?)?,
    };
    // A path that was given from another folder is another path: that the folder was the wrong one is no lesson.
    let is_at_root = call.cwd.is_none() || call.cwd == call.root.0;
    let is_given = |command: &Command| {
        // What version control misses may be a branch.
        if command.is(Trait::VersionControl) {
            return false;
        }
        let is_it =
            |arg: &String| call.below_root(arg).as_deref() == Some(&path) && (is_at_root || arg.starts_with('/'));
        command.args.iter().any(is_it)
    };
    if script.is_some_and(|script| !script.programs().any(|(_, command)| is_given(command)))
        || path.starts_with(".git/")
    {
        return None;
    }
    let is_folder = call.kind == ToolKind::Search && !last_of(&path).contains('.')
        || script.is_some_and(|script| script.programs().any(|(_, it)| it.is(Trait::Prepares) && is_given(it)));
    Some(((ChangeKind::Path, path), is_folder))
}

fn last_of(path: &str) -> &str {
    crate::text::file_name(path)
}

/// What the error itself says is there instead: `Did you mean .golangci.yaml?`
fn suggested(call: &WatchedCall<'_>, key: &(ChangeKind, String)) -> Option<String> {
    let text = call.execution.text.as_deref().or(call.execution.reading.as_ref()?.line.as_deref())?;
    let finding = findings(text).into_iter().find(|it| it.kind == FindingKind::MissingFile)?;
    let name = finding.meant.filter(|name| key.0 == ChangeKind::Path && is_plain_word(name))?;
    let folder = key.1.rsplit_once('/').map(|(folder, _)| format!("{folder}/")).unwrap_or_default();
    Some(format!("{folder}{}", last_of(name)))
}

/// The words of a call up to the one that the error names: `rtk bun`, `gh pr diff --stat`, `pnpm --filter web types`.
fn form_with(call: &WatchedCall<'_>, script: &Script, wrong: &str) -> Option<String> {
    let letter = (wrong.len() == 1).then(|| format!("-{wrong}"));
    let is_it = |word: &String| {
        let name = word.split('=').next().unwrap_or(word);
        name == wrong || letter.as_deref() == Some(name) || name.strip_prefix("--") == Some(wrong)
    };
    let typed = typed_calls(call, script);
    let (words, at) = typed.iter().find_map(|words| Some((words, words.iter().skip(1).position(is_it)? + 1)))?;
    let wrong = words.get(at)?.split('=').next()?.to_owned();
    let before = words.get(..at)?;
    // An option is the program's or its subcommand's, whatever stands between; another word is what all before it makes it.
    let mut form: Vec<String> = if wrong.starts_with('-') {
        let names = before.iter().enumerate().take_while(|(at, word)| *at == 0 || is_name(word));
        names.map(|(_, word)| word.clone()).take(FORM_WORDS - 1).collect()
    } else {
        before.to_vec()
    };
    form.push(wrong);
    let is_short = form.len() <= FORM_WORDS + 1 && form.iter().all(|word| may_be_typed(word));
    is_short.then(|| form.join(" "))
}

/// The commands of a line as they were typed, with what starts their programs; of several only those that nothing starts.
fn typed_calls(call: &WatchedCall<'_>, script: &Script) -> Vec<Vec<String>> {
    if let Some(given) = call.given() {
        return vec![given.words().to_vec()];
    }
    let plain = script.programs().map(|(_, command)| command).filter(|command| command.wrappers.is_empty());
    plain.map(|command| std::iter::once(&command.raw).chain(&command.args).cloned().collect()).collect()
}

/// Whether a word belongs to a form: no path, but perhaps a package of a scope.
fn may_be_typed(word: &str) -> bool {
    is_plain_word(word)
        && (!word.contains('/') || word.starts_with('@') || word.strip_prefix("./").is_some_and(|it| !it.contains('/')))
}

/// Whether a word is a subcommand and no value: letters, a hyphen, a colon.
fn is_name(word: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_lowercase() || matches!(byte, b'-' | b':' | b'_');
    word.starts_with(|first: char| first.is_ascii_lowercase()) && word.bytes().all(is_part)
}

/// The program and its first subcommands.
fn call_form(command: &Command, most: usize) -> String {
    let names = command.args.iter().map(String::as_str).take_while(|word| is_name(word)).take(most - 1);
    let program = base_name(&command.raw);
    std::iter::once(program).chain(names).collect::<Vec<_>>().join(" ")
}

/// The command of a line that does its work.
fn main_command(script: &Script) -> Option<&Command> {
    let does = |command: &&Command| !command.is(Trait::Prepares) && !command.is(Trait::Displays);
    script.programs().map(|(_, command)| command).filter(does).last()
}

/// The check of a line as a person would type it, where it is the only one.
fn check_form(script: &Script) -> Option<String> {
    let mut commands = script.programs().filter(|(at, command)| at.stage == 0 && !command.is(Trait::Prepares));
    let (_, command) = commands.next().filter(|_| commands.next().is_none())?;
    let words: Vec<&str> =
        std::iter::once(command.raw.as_str()).chain(command.args.iter().map(String::as_str)).collect();
    let is_short = words.len() <= FORM_WORDS && words.iter().all(|word| is_plain_word(word));
    is_short.then(|| words.join(" "))
}

/// By what words the matter was got past: what is told of it.
fn working_form(key: &(ChangeKind, String), new: &[String], given: Option<&GivenCall>) -> Option<String> {
    let words = given?.words();
    let plain = |words: &[String]| words.iter().all(|word| is_plain_word(word)).then(|| words.join(" "));
    match key.0 {
        ChangeKind::Path => plain(new).filter(|path| !path.is_empty() && *path != key.1),
        ChangeKind::Form if key.1.contains(" -") => {
            // What is handed on to another program is told with its call.
            if let ([joint], Some(at)) = (new, words.iter().position(|word| word == "--"))
                && joint == "--"
            {
                return plain(words.get(..(at + 2).min(words.len()))?).filter(|form| !form.contains('/'));
            }
            let options: Vec<String> = new.iter().take_while(|word| word.starts_with('-')).cloned().collect();
            plain(&options).filter(|_| options.len() == new.len())
        }
        ChangeKind::Form | ChangeKind::Program => {
            let last_new = words.iter().rposition(|word| new.contains(word)).map_or(0, |at| at + 1);
            let program = words.iter().position(|word| *word == key.1).map_or(0, |at| at + 1);
            let names = words.iter().skip(1).take_while(|word| is_name(word)).count() + 1;
            let until = match key.0 {
                ChangeKind::Program => program.max(last_new),
                _ if new.is_empty() => names,
                _ => last_new,
            };
            let form = words.get(..until.min(words.len()))?;
            let is_short = (1..=FORM_WORDS + 2).contains(&form.len()) && form.iter().all(|word| may_be_typed(word));
            is_short.then(|| form.join(" ")).filter(|form| *form != key.1)
        }
        _ => None,
    }
}

/// What a call that succeeded shows to be there: paths with the folders above them, programs, forms, names of tools.
fn worked_names(call: &WatchedCall<'_>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut add_path = |path: Option<String>| {
        let Some(path) = path else { return };
        names.extend(path.match_indices('/').map(|(at, _)| path[..at].to_owned()));
        names.insert(path);
    };
    // A search by names finds nothing in a folder that is not there, and that is no error.
    add_path(call.target().filter(|_| call.execution.tool.as_deref() != Some("Glob")));
    let Some(script) = call.script() else {
        names.extend(tool_of(call, call.execution.tool.as_deref()));
        return names;
    };
    let joins = |allowed: &[Join]| script.pipelines.iter().all(|it| allowed.contains(&it.join) && !it.negated);
    let stays = joins(&[Join::First, Join::And, Join::Then]) && !changes_folder(&script);
    let looks = script.programs().filter(|(_, it)| stays && would_miss(it));
    for arg in looks.flat_map(|(_, it)| it.args.iter().filter(|arg| !arg.starts_with('-')).take(FORM_WORDS)) {
        add_path(call.below_root(arg));
    }
    let is_proven = call.execution.reading.as_ref().is_none_or(|reading| reading.proof != Proof::None);
    if !is_proven || !joins(&[Join::First, Join::And]) {
        return names;
    }
    for words in typed_calls(call, &script) {
        let Some((program, args)) = words.split_first() else { continue };
        let mut form = program.clone();
        names.insert(form_name(&form));
        for word in args.iter().take_while(|word| *word != "--").take(FORM_WORDS + 1) {
            let name = word.split('=').next().unwrap_or(word);
            let head =
                form.split(' ').take_while(|word| is_name(word)).take(FORM_WORDS - 1).collect::<Vec<_>>().join(" ");
            names.insert(form_name(&format!("{head} {name}")));
            form = format!("{form} {word}");
            names.insert(form_name(&form));
        }
    }
    names
}

/// By what name a program or form that worked is kept: a folder may have the same.
fn form_name(form: &str) -> String {
    format!("$ {form}")
}

/// By what name the matter is kept once it works; None where nothing that works says so.
pub(super) fn name_of(kind: ChangeKind, matter: &str) -> Option<String> {
    match kind {
        ChangeKind::Path | ChangeKind::Tool => Some(matter.to_owned()),
        ChangeKind::Form | ChangeKind::Program => Some(form_name(matter)),
        // What needs a person works whenever one was there, and a part of a large file can be read.
        _ => None,
    }
}

/// Whether a command that succeeded shows that the paths in its words are there.
fn would_miss(command: &Command) -> bool {
    let is_viewer = command.is(Trait::MayMiss) && command.only_looks();
    is_viewer
        && ![Trait::VersionControl, Trait::TakesCode].into_iter().any(|it| command.is(it))
        && !command.silences_errors()
}

/// Whether a line changes the folder that its words are relative to.
fn changes_folder(script: &Script) -> bool {
    script
        .programs()
        .any(|(_, command)| command.is(Trait::Prepares) && command.raw != "echo" && !command.args.is_empty())
}
