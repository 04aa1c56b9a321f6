//! Whether what a plan demands before a node ends was seen to pass: as far as the end of the history tells.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;

use super::disk;
use super::error::ChangeError;
use super::node::Node;
use super::tree::Tree;
use super::validate::named_tests;
use crate::advice::{is_among, sources_of};
use crate::engine::{Scene, observe};
use crate::history::{Body, Effect, Event, Execution, Line, State, filters_of, is_whole, parse, run_of};
use crate::journal::{HISTORY, read_end};
use crate::model::{Check, CheckEnd, Intent, Outcome, Reading, Status, Tool, ToolCall, ToolInput};
use crate::plan::files;
use crate::programs::words::{RUNNER_CALLS, RunnerCall};
use crate::programs::{LEAVES_OUT, RUNS_NONE, Trait};
use crate::reading::CheckKind;
use crate::shell::{line_of, quoted_word};
use crate::signature::operation_of_command;

/// How far back a pass is looked for.
const LOOK_BACK: usize = 8 * 1024 * 1024;
/// Options that leave out tests.
const FILTERS: &[&str] = &["-t", "-g", "-k", "-m", "-run", "--grep", "--testNamePattern", "--filter", "--skip"];

/// What has to pass before a node ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Demand {
    /// A check that a node above, or the node itself, requires.
    Check {
        /// Who requires it.
        from: String,
        /// Its command.
        command: String,
    },
    /// A test that proves a story.
    Test {
        /// `FILE::NAME`.
        test: String,
        /// The command that runs it, where the project's manifests tell.
        run: Option<String>,
        /// Whether its file has its name, so that a run of the file is one of it.
        written: bool,
    },
}

impl Tree {
    /// What has to pass before a node ends and was not seen to pass, in its worktree, since the last change in it or since
    /// work on it began.
    pub fn unproven(&self, node: &Node, history: &Path) -> Vec<Demand> {
        let mut demands = self.demands(node);
        if demands.is_empty() {
            return demands;
        }
        let text = read_end(&history.join(HISTORY), LOOK_BACK).unwrap_or_default();
        let event = |line: &str| match parse(line.as_bytes()) {
            Line::Event(event) => Some(*event),
            _ => None,
        };
        let events: Vec<Event> = text.lines().filter_map(event).collect();
        let below = self.descendants(&node.id);
        let own: BTreeSet<&str> = below.iter().map(|node| &*node.id).chain([&*node.id]).collect();
        let changed = events.iter().rposition(|event| own.contains(&*event.node) && changes(event));
        let begun = events.iter().rposition(
            |event| matches!(&event.body, Body::NodeBound { target: Some(target) } if own.contains(&**target)),
        );
        let after = events.get(changed.max(begun).map_or(0, |at| at + 1)..).unwrap_or_default();
        let worktree = changed.and_then(|at| events.get(at)).map(|event| event.worktree.as_deref());
        let of_work = |event: &&Event| worktree.is_none_or(|worktree| worktree == event.worktree.as_deref());
        let ran: Vec<&Event> = after.iter().filter(of_work).collect();
        demands.retain(|demand| !demand.is_proven_by(&ran, &self.root));
        demands
    }

    fn demands(&self, node: &Node) -> Vec<Demand> {
        let tests = if node.tier == 3 { named_tests(node) } else { Vec::new() };
        let tests = tests.into_iter().map(|(_, test)| Demand::Test {
            run: call_for_test(&test, &self.root),
            written: is_written(&test, &self.root),
            test,
        });
        let checks = self.binding(node).into_iter().filter(|(_, kind, _)| kind == "required_checks");
        checks.map(|(from, _, command)| Demand::Check { from, command }).chain(tests).collect()
    }
}

impl Demand {
    /// What a node lacks, and the next step.
    pub fn refusal(&self, id: &str) -> ChangeError {
        let (what, run) = match self {
            Self::Check { from, command } => {
                (format!("`{command}` (required_checks of {from})"), format!("`{command}`"))
            }
            Self::Test { test, run, written } => {
                let run = run.as_ref().map_or(format!("all tests, or `{test}` alone"), |run| format!("`{run}`"));
                let lacks = if *written { "" } else { ", which its file does not have," };
                (format!("its test `{test}`{lacks}"), run)
            }
        };
        let hint = format!("run {run}, and end it again; a person may: failwise plan done {id} --without-check REASON");
        ChangeError::refused(format!("{id} cannot end: {what} was not seen to pass since its last change"), hint)
    }

    fn is_proven_by(&self, ran: &[&Event], root: &Path) -> bool {
        match self {
            Self::Check { command, .. } => {
                let worktrees: BTreeSet<Option<&str>> = ran.iter().map(|event| event.worktree.as_deref()).collect();
                worktrees.into_iter().any(|worktree| {
                    let failing = failing_check(command, &worktree.map_or(root.to_string_lossy(), Cow::Borrowed));
                    let mut ran = ran.iter().filter(|event| event.worktree.as_deref() == worktree);
                    ran.any(|event| passes_check(event, command, &failing))
                })
            }
            Self::Test { test, written, .. } => {
                let mut ran = ran.iter().filter_map(|event| event.execution());
                ran.any(|execution| passes_test(execution, test, *written))
            }
        }
    }
}

/// What is known after a check failed in a folder.
fn failing_check(command: &str, dir: &str) -> State {
    let input = ToolInput::Command { command: Cow::Borrowed(command), background: false };
    let call = ToolCall::new(Tool::named("Bash"), input, Status::Failed);
    let call = ToolCall { cwd: Some(dir.to_owned()), exit_code: Some(1), ..call };
    let scene = Scene { node: "", ts: "", worktree: None, red_phase: false, expected_failures: &[] };
    let mut failing = State::new("");
    failing.step(&observe(&call, &scene), 0);
    failing
}

/// What ends a failure of a check proves the check.
fn passes_check(event: &Event, command: &str, failing: &State) -> bool {
    let Body::ExecutionCompleted(execution) = &event.body else { return false };
    if execution.outcome != Some(Outcome::Succeeded) || execution.intent == Some(Intent::Baseline) {
        return false;
    }
    if failing.episodes.is_empty() {
        // Its status says nothing by itself, as that of a search does.
        return execution.operation.as_ref() == Some(&operation_of_command(command));
    }
    let own = failing.episodes.iter().find_map(|episode| episode.check.as_ref());
    let mut strict = event.clone();
    if let (Body::ExecutionCompleted(strict), Some(own)) = (&mut strict.body, own) {
        strict.checks.retain(|check| lacks_no_demand(own, check));
        if strict.checks.len() < execution.checks.len().min(1) {
            return false;
        }
    }
    failing.ended_by(&strict).next().is_some()
}

/// Whether a run has each option of the demanded check that makes it stricter, which one that leaves something out does not. What
/// a task runs is not seen.
fn lacks_no_demand(demanded: &Check, run: &Check) -> bool {
    let filters = filters_of(demanded);
    let is_demand = |word: &&String| word.starts_with('-') && !filters.iter().any(|(name, _)| word.starts_with(name));
    let is_task = run_of(run).is_some_and(|run| run.program.has(Trait::Tasks));
    is_task || demanded.words.iter().filter(is_demand).all(|word| run.words.contains(word))
}

/// The command that runs a test `FILE::NAME`, in the folder of the nearest manifest that tells.
fn call_for_test(test: &str, root: &Path) -> Option<String> {
    let (file, name) = test.split_once("::").unwrap_or((test, ""));
    let of_file = || RUNNER_CALLS.iter().filter(|run| is_among(&sources_of(run.all), file));
    let is_told_in = |run: &RunnerCall, folder: &Path| {
        run.manifests.iter().map(|manifest| root.join(folder).join(manifest)).any(|manifest| match run.words {
            [] => files::is_file(&manifest),
            words => files::read(&manifest).is_ok_and(|text| {
                let mut said = text.split(|sign: char| !sign.is_ascii_alphanumeric() && !"-_/@".contains(sign));
                said.any(|word| words.contains(&word))
            }),
        })
    };
    let (folder, run) = Path::new(file)
        .ancestors()
        .skip(1)
        .find_map(|folder| Some((folder, of_file().find(|run| is_told_in(run, folder))?)))?;
    let below = Path::new(file).strip_prefix(folder).ok()?.to_str()?;
    let words = if name.is_empty() { run.all } else { run.one }.split(' ').map(|word| match word {
        "FILE" => below.to_owned(),
        "FOLDER" => below.rsplit_once('/').map_or(".".to_owned(), |(folder, _)| format!("./{folder}")),
        "TEST" => format!("{below}::{name}"),
        "NAME" => leaf_of(name).to_owned(),
        word => word.to_owned(),
    });
    let line = line_of(words);
    let folder = folder.to_str()?;
    Some(if folder.is_empty() { line } else { format!("cd {} && {line}", quoted_word(folder)) })
}

/// The last part of a test's name, which runners take alone.
fn leaf_of(name: &str) -> &str {
    let leaf = name.rsplit("::").next().unwrap_or(name);
    leaf.rsplit(" > ").next().unwrap_or(leaf).trim_end_matches("()")
}

/// Whether the file of a test has its name: what is behind a `[` or `/` a run adds to it.
fn is_written(test: &str, root: &Path) -> bool {
    let (file, name) = test.split_once("::").unwrap_or((test, ""));
    let name = leaf_of(name).split(['[', '/']).next().unwrap_or_default();
    let Ok(page) = disk::whole(&root.join(file)) else { return true };
    let is_part = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let is_whole = |at: usize| !is_part(page.get(..at).and_then(<[u8]>::last)) && !is_part(page.get(at + name.len()));
    name.is_empty() || memchr::memmem::find_iter(&page, name).any(is_whole)
}

/// A run of tests that passed, and is one of all, of the test's file, or of the test. One that names each test that passed
/// is of no other, and one of a file that lacks the test is not of it.
fn passes_test(execution: &Execution, test: &str, written: bool) -> bool {
    if execution.outcome != Some(Outcome::Succeeded) || execution.intent == Some(Intent::Baseline) {
        return false;
    }
    let (file, name) = test.split_once("::").unwrap_or((test, ""));
    let leaf = leaf_of(name);
    let is_named = |word: &str| !leaf.is_empty() && leaf_of(word) == leaf;
    let reading = execution.reading.as_ref();
    if reading.is_some_and(|reading| reading.passed.iter().any(|passed| is_named(passed))) {
        return true;
    }
    if reading.is_some_and(|reading| reading.skipped.iter().any(|skipped| is_named(skipped))) {
        return false;
    }
    let is_test_run = |check: &&Check| CheckKind::of_words(&check.words.join(" ")) == Some(CheckKind::Tests);
    let is_alone = execution.checks.iter().filter(is_test_run).nth(1).is_none();
    // A package or a file that passed is no name of a test, and in Go such a name begins with a capital letter.
    let is_go = Path::new(file).extension().is_some_and(|ending| ending == "go");
    let is_test = |word: &String| !word.contains('/') && (!is_go || word.starts_with(char::is_uppercase));
    let names_all =
        |reading: &Reading| reading.passed.len() < Reading::MAX_PASSED && reading.passed.iter().any(is_test);
    if !written || !leaf.is_empty() && is_alone && reading.is_some_and(names_all) {
        return false;
    }
    let stem = Path::new(file).file_stem().and_then(|stem| stem.to_str());
    execution.checks.iter().filter(|check| check.end == CheckEnd::Passed).any(|check| {
        let options = filters_of(check);
        let is_left_out = |word: &str| options.iter().any(|(name, value)| LEAVES_OUT.contains(name) && *value == word);
        let words = || check.words.iter().skip(1).map(String::as_str).filter(|word| !is_left_out(word));
        let is_file = |word: &str| {
            let word = word.strip_prefix("./").unwrap_or(word);
            let ran_in = |above: &str| check.dir.as_deref().is_some_and(|dir| Path::new(dir).ends_with(above));
            Some(word) == stem
                || word == file
                || word.strip_suffix(file).is_some_and(|head| head.ends_with('/'))
                || file.strip_suffix(word).and_then(|head| head.strip_suffix('/')).is_some_and(ran_in)
        };
        // What is left out by a plain name is not the test, where that has another name.
        let may_hide = |value: &str| {
            let is_plain = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./:".contains(&byte));
            !is_plain || file.contains(value) || leaf.contains(leaf_of(value))
        };
        let hides = |(name, value): &(&str, &str)| LEAVES_OUT.contains(name) && may_hide(value);
        let filters =
            options.iter().any(hides) || words().any(|word| FILTERS.contains(&word.split('=').next().unwrap_or(word)));
        let runs = !options.iter().any(|(name, _)| RUNS_NONE.contains(name));
        let sources = sources_of(&check.words.join(" "));
        let may_hold = |sources: &[&str]| sources.is_empty() || is_among(sources, file);
        // What a task ran is known by what it printed.
        let was_run = || check.runners.is_empty() || check.runners.iter().any(|runner| may_hold(&sources_of(runner)));
        let is_of_all = || is_whole(check) && may_hold(&sources) && was_run();
        is_test_run(&check) && runs && (words().any(is_named) || !filters && (words().any(is_file) || is_of_all()))
    })
}

fn changes(event: &Event) -> bool {
    event.execution().is_some_and(|execution| execution.effect == Effect::Files || !execution.changed.is_empty())
}
