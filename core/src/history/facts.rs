//! What the history says about one failure, gathered before the rules look at it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::episode::{FailingCall, episode_id};
use super::state::{Attempt, State};
use crate::model::{FailureEvent, Outcome, PlanFacts, path_matches};

/// What the history says about one failure.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct HistoryFacts {
    /// The episode that the failure belongs to or opens.
    pub episode: String,
    /// How often the episode failed, this failure included.
    pub attempt: u32,
    /// How many retries in a row repeated the call and its error with nothing changed.
    pub unchanged_retries: u32,
    /// Fine signatures of the failures before in this episode, oldest first, at most two.
    pub previous_fines: Vec<String>,
    /// How often the node failed among its last ten calls, this failure included.
    pub node_failures: u32,
    /// The redacted texts' hashes of the node's last two failures, newest first: only where `classic` is evaluated.
    pub last_stderr_hashes: Vec<String>,
    /// The hash of this failure's redacted text: only where `classic` is evaluated.
    pub stderr_hash: Option<String>,
    /// A file that the failure implicates and a sibling changed last.
    pub sibling_change: Option<SiblingChange>,
    /// A file that the failure touched and a sibling touched at any time: only where `classic` is evaluated.
    pub sibling_touch: Option<SiblingChange>,
    /// How many of the files that this node changed lie outside its planned artifacts.
    pub changed_outside: usize,
    /// How many files this node changed.
    pub changed: usize,
    /// Whether this node itself changed a file that the failure implicates since the episode's last proven pass.
    pub own_change: bool,
    /// The files that this node changed and that the failure names in any way: asked where the plan forbids paths.
    pub own_named: Vec<String>,
    /// The files of failing tests that this node edited.
    pub edited_tests: Vec<String>,
    /// Whether there was no history to read: then nothing is known of earlier attempts.
    pub is_unread: bool,
}

/// A file that another node changed last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiblingChange {
    /// The sibling.
    pub node: String,
    /// The file as the sibling's call named it.
    pub file: String,
}

impl HistoryFacts {
    /// Gathers the facts of a failure that is not folded in yet. `event_id` names the episode that it would open.
    pub fn gather(
        event: &FailureEvent,
        event_id: &str,
        plan: &PlanFacts,
        state: &State,
        siblings: &[State],
        cwd: Option<&str>,
    ) -> Self {
        let failing = FailingCall {
            reading: &event.reading,
            operation: &event.operation,
            check: event.check.as_ref(),
            parallel: event.parallel,
            masked: event.outcome == Outcome::MaskedFailure,
        };
        let Attempt { number, unchanged_retries, episode, previous_fines } = state.attempt(&failing, &event.signature);
        let files = changed_paths(event, plan, cwd, state, siblings);
        let pass = last_pass(event, state);
        let since = pass.or(state.started_at).unwrap_or(0);
        let own_change = files.iter().any(|file| last_change(state, file, plan).is_some_and(|at| at >= since));
        let earlier = state.recent.iter().rev().take(State::RECENT - 1).filter(|call| call.failed).count();
        Self {
            episode: episode.unwrap_or_else(|| episode_id(event_id)),
            attempt: number,
            unchanged_retries,
            previous_fines,
            node_failures: u32::try_from(earlier + 1).unwrap_or(u32::MAX),
            last_stderr_hashes: last_hashes(state),
            stderr_hash: state.for_classic.then(|| crate::digest::hex16(&[&event.text])),
            sibling_change: sibling_change(&files, pass, plan, state, siblings),
            sibling_touch: if state.for_classic { sibling_touch(event, plan, cwd, siblings) } else { None },
            changed_outside: changed_outside(state, plan, cwd),
            changed: state.changes.len(),
            own_change,
            own_named: own_named(event, plan, state),
            edited_tests: edited_tests(event, state),
            is_unread: false,
        }
    }
}

fn last_hashes(state: &State) -> Vec<String> {
    state.recent.iter().rev().filter(|call| call.failed).filter_map(|call| call.stderr_hash.clone()).take(2).collect()
}

/// The last proven pass of the operation.
fn last_pass(event: &FailureEvent, state: &State) -> Option<u64> {
    state.passes.iter().rev().find(|(operation, _)| *operation == event.operation).map(|(_, at)| *at)
}

/// The files that a failure implicates and that this node or a sibling changed, as absolute paths where the working
/// directory is known.
fn changed_paths(
    event: &FailureEvent,
    plan: &PlanFacts,
    cwd: Option<&str>,
    state: &State,
    siblings: &[State],
) -> Vec<String> {
    // Only of what somebody changed it matters what a failure implicates.
    let changed = || std::iter::once(state).chain(siblings).filter(|state| state.changed_files().next().is_some());
    if changed().next().is_none() {
        return Vec::new();
    }
    let is_changed = |file: &String| changed().any(|state| last_change(state, file, plan).is_some());
    let files = implicated(event, plan);
    let files = files.iter().map(|file| &**file).chain(event.files_touched.iter().map(String::as_str));
    let files = files.map(|file| absolute(file, cwd));
    // Most files were changed by nobody; only of the others it matters whether they are ignored.
    files.filter(|file| is_changed(file) && !is_ignored(below_project(file, plan, cwd), &plan.ignored_paths)).collect()
}

/// The files that a failure implicates. What a check printed counts from the folder that the line took it to, unless it
/// names that folder itself, as what counts from the root of a workspace.
pub fn implicated<'e>(event: &'e FailureEvent, plan: &PlanFacts) -> Vec<Cow<'e, str>> {
    let dir = event.check.as_ref().and_then(|check| check.dir.as_deref()).filter(|dir| !dir.starts_with(['~', '$']));
    let place = |file: &'e String| match dir {
        Some(dir) if !plan.in_project(dir).split('/').any(|part| Some(part) == file.split('/').next()) => {
            Cow::Owned(absolute(file, Some(dir)))
        }
        _ => Cow::Borrowed(file.as_str()),
    };
    event.reading.files.iter().map(place).collect()
}

/// Only the path below the project counts: the project itself may lie in a folder called `dist`.
fn below_project<'a>(file: &'a str, plan: &PlanFacts, cwd: Option<&str>) -> &'a str {
    match (&plan.root, cwd) {
        (None, Some(cwd)) => file.strip_prefix(cwd).and_then(|rest| rest.strip_prefix('/')).unwrap_or(file),
        _ => plan.in_project(file),
    }
}

/// A path joined to the working directory, with `.` and `..` taken out by their spelling.
pub fn absolute(path: &str, cwd: Option<&str>) -> String {
    let base = cwd.filter(|_| !path.starts_with('/'));
    let mut joined = String::with_capacity(base.map_or(0, str::len) + 1 + path.len());
    let is_rooted = base.unwrap_or(path).starts_with('/') || base == Some("");
    for part in base.into_iter().chain([path]).flat_map(|path| path.split('/')) {
        match part {
            "" | "." => {}
            ".." => joined.truncate(joined.rfind('/').unwrap_or(0)),
            part => {
                if is_rooted || !joined.is_empty() {
                    joined.push('/');
                }
                joined.push_str(part);
            }
        }
    }
    if is_rooted && joined.is_empty() {
        joined.push('/');
    }
    joined
}

/// Lock files, and what tools write in bulk: many nodes change them for reasons of their own, so that they say nothing
/// about a sibling.
#[rustfmt::skip]
pub const ALWAYS_IGNORED: &[&str] = &[
    "*.lock", "*.lockb", "*.lockfile", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "go.sum",
    "Package.resolved", "target", "node_modules", "dist", "__pycache__", ".venv", ".tox", ".next", ".nuxt", ".gradle",
    ".terraform", "*.min.js", "*.pb.go", "*_pb2.py", "*.g.dart",
];

/// Whether a file says nothing about a sibling's work: always, or by a setting. The path is relative to the project.
pub fn is_ignored(path: &str, set: &[String]) -> bool {
    let patterns = ALWAYS_IGNORED.iter().copied().chain(set.iter().map(String::as_str));
    patterns.into_iter().any(|pattern| path_matches(pattern, path))
}

/// Who changed an implicated file last, after the last proven pass. Without one, who ended before this node began is no
/// sibling of its work; who is still at work is, whichever of the two began first.
fn sibling_change(
    files: &[String],
    pass: Option<u64>,
    plan: &PlanFacts,
    state: &State,
    siblings: &[State],
) -> Option<SiblingChange> {
    files.iter().find_map(|file| {
        let own = last_change(state, file, plan);
        siblings
            .iter()
            .filter_map(|sibling| last_change(sibling, file, plan).map(|at| (sibling, at)))
            .filter(|(sibling, at)| {
                let begins = || state.started_at.filter(|_| !plan.is_at_work(&sibling.node));
                pass.or_else(begins).is_none_or(|since| *at >= since)
            })
            .filter(|(_, at)| own.is_none_or(|own| own < *at))
            .max_by_key(|(_, at)| *at)
            .map(|(sibling, _)| SiblingChange { node: sibling.node.clone(), file: file.clone() })
    })
}

/// The files are what the sender says was touched; a client says nothing of a command's, so that there what the failure
/// names stands for it. Who changed it last, and whether it is a file of many, is not asked.
fn sibling_touch(
    event: &FailureEvent,
    plan: &PlanFacts,
    cwd: Option<&str>,
    siblings: &[State],
) -> Option<SiblingChange> {
    if siblings.is_empty() {
        return None;
    }
    let named = if event.files_touched.is_empty() { implicated(event, plan) } else { Vec::new() };
    let touched = event.files_touched.iter().map(String::as_str).chain(named.iter().map(|file| &**file));
    let mut files = touched.map(|file| absolute(file, cwd));
    files.find_map(|file| {
        let has_touched =
            |other: &&State| plan.siblings.contains(&other.node) && last_change(other, &file, plan).is_some();
        let node = siblings.iter().find(has_touched)?.node.clone();
        Some(SiblingChange { node, file })
    })
}

/// Older histories name files as they lie in the project.
fn last_change(state: &State, file: &str, plan: &PlanFacts) -> Option<u64> {
    let below = plan.in_project(file);
    state.changed_files().filter(|(path, _)| path == file || path == below).map(|(_, at)| *at).max()
}

fn changed_outside(state: &State, plan: &PlanFacts, cwd: Option<&str>) -> usize {
    if plan.artifacts.is_empty() {
        return 0;
    }
    // The plan counts from the project's root, wherever the agent went.
    let root = plan.root.as_deref().or(cwd);
    let planned: Vec<String> = plan.artifacts.iter().map(|artifact| absolute(artifact, root)).collect();
    let is_planned = |path: &str| {
        let of_project = plan.in_project(path);
        let in_project = |artifact: &String| {
            covers(artifact, of_project) || is_pattern(artifact) && path_matches(artifact, of_project)
        };
        planned.iter().any(|artifact| covers(artifact, path)) || plan.artifacts.iter().any(in_project)
    };
    state.changes.iter().filter(|(path, _)| !is_planned(path)).count()
}

/// Whether a planned path stands for others than the one that is spelt like it: then it means what a pattern of the
/// settings means.
pub fn is_pattern(planned: &str) -> bool {
    planned.bytes().any(|byte| matches!(byte, b'*' | b'?' | b'[' | b'{'))
}

/// Whether a path lies in a folder of what nobody keeps.
pub fn is_scratch(path: &str) -> bool {
    const SCRATCH: &[&str] = &["/tmp/", "/private/tmp/", "/var/folders/", "/private/var/folders/", "/var/tmp/", "$TMP"];
    SCRATCH.iter().any(|folder| path.starts_with(folder))
}

/// Whether a planned path is the file or a folder above it.
pub fn covers(planned: &str, path: &str) -> bool {
    path.strip_prefix(planned).is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || planned.ends_with('/'))
}

/// The shortest number that names a file by itself: the time that a migration begins with.
const SHORTEST_NUMBER: usize = 8;

/// Programs name what they run by its path, and a migration by what its name begins with: a number.
fn own_named(event: &FailureEvent, plan: &PlanFacts, state: &State) -> Vec<String> {
    if !plan.constraints.iter().any(|constraint| constraint.kind.takes_a_pattern()) {
        return Vec::new();
    }
    let holds = |word: &str, part: &[u8]| {
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || part.contains(byte);
        event.text.match_indices(word).any(|(at, _)| {
            let bytes = event.text.as_bytes();
            let before = at.checked_sub(1).and_then(|at| bytes.get(at));
            !before.is_some_and(is_part) && !bytes.get(at + word.len()).is_some_and(|b| is_part(b) && *b != b'.')
        })
    };
    let is_named = |path: &str| {
        let below = plan.in_project(path);
        let name = below.rsplit('/').next().unwrap_or(below);
        let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
        let digits = stem.find(|c: char| !c.is_ascii_digit()).unwrap_or(stem.len());
        let number = stem.get(..digits).filter(|_| digits >= SHORTEST_NUMBER);
        let by_path =
            [below, path].into_iter().any(|path| holds(path, b"_-./") || holds(&format!("./{path}"), b"_-./"));
        let by_number = [Some(name), Some(stem).filter(|_| digits < stem.len()), number].into_iter().flatten();
        by_path || digits > 0 && by_number.into_iter().any(|word| holds(word, b"_"))
    };
    let own = state.changed_files().map(|(path, _)| path).chain(&event.wrote);
    own.filter(|path| is_named(path)).cloned().collect()
}

fn edited_tests(event: &FailureEvent, state: &State) -> Vec<String> {
    let is_test = |path: &str| path.contains("test") || path.contains("spec");
    event
        .reading
        .files
        .iter()
        .filter(|file| is_test(file) && state.changes.iter().any(|(path, _)| path.ends_with(file.as_str())))
        .cloned()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_compared_by_place() {
        assert_eq!(absolute("src/../a.rs", Some("/p/x")), "/p/x/a.rs");
        assert_eq!(absolute("/a/./b", Some("/p")), "/a/b");
        assert_eq!(absolute("../../x//y/", Some("/p")), "/x/y");
        assert_eq!(absolute("..", Some("/p")), "/");
        assert_eq!(absolute("a/../../b/c", None), "b/c");
        assert_eq!(absolute("a/b", Some("p/q")), "p/q/a/b");
        assert_eq!(absolute("", None), "");
        assert!(covers("/p/src", "/p/src/a.rs"));
        assert!(!covers("/p/src", "/p/src2/a.rs"));
    }

    #[test]
    fn generated_and_configured_files_are_ignored_below_the_project_only() {
        let plan = PlanFacts { ignored_paths: vec!["docs/api".to_owned()], ..PlanFacts::default() };
        let ignored = |file: &str, cwd: &str| is_ignored(below_project(file, &plan, Some(cwd)), &plan.ignored_paths);
        assert!(ignored("/home/me/p/dist/app.js", "/home/me/p"), "at the top of the project");
        assert!(ignored("/home/me/p/web/dist/app.js", "/home/me/p"));
        assert!(ignored("/home/me/p/Cargo.lock", "/home/me/p"));
        assert!(ignored("/home/me/p/docs/api/index.md", "/home/me/p"), "a pattern that starts at the project's root");
        assert!(!ignored("/home/me/p/src/docs/api/index.md", "/home/me/p"));
        assert!(!ignored("/build/p/src/app.js", "/build/p"), "the project lies in a folder of that name");
        assert!(!ignored("/home/me/p/src/distance.js", "/home/me/p"));
        // The agent went into a folder; the project's root is known all the same.
        let plan = PlanFacts { root: Some("/home/me/p".to_owned()), ..plan };
        assert!(is_ignored(
            below_project("/home/me/p/docs/api/index.md", &plan, Some("/home/me/p/web")),
            &plan.ignored_paths
        ));
    }
}
