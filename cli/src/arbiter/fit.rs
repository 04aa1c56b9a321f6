//! Whether a plan fits what another node really changed, and whether two nodes' changes meet.

use std::collections::BTreeSet;
use std::path::Path;

use fs_err as fs;

use super::{ConflictScene, KnownNodes};
use crate::conflicts::board::{Task, relative};
use crate::conflicts::overlap::{ChangedFile, PlannedPaths, compatibility};
use crate::conflicts::policy::Compatibility;
use crate::conflicts::regions::{Hunk, hunks, meet, names};
use crate::git::Worktree;
use crate::journal::read_small;
use crate::plan::edit::Tree;

/// The largest file in which functions are looked for.
const LARGEST_FILE: u64 = 1024 * 1024;

/// Whether a plan fits what the blocker changed, and the words for it.
pub(super) fn fit(
    scene: &ConflictScene<'_>,
    known: &KnownNodes,
    tree: &Tree,
    proposed: &Task,
    blocker: &str,
) -> (Compatibility, Vec<String>) {
    let plan = plan_of(proposed);
    let changes = Changes { scene, known, blocker };
    let own = changes.by_history();
    let git = changes.by_git(tree, &plan, &own);
    let (answer, files) = compatibility(&plan, git.as_deref(), scene.ignored);
    if answer != Compatibility::Unknown {
        return (answer, vec![words(answer, blocker, &files)]);
    }
    // What the history knows for sure is enough to say that they do not fit, never that they do.
    let sure: Vec<ChangedFile> = own.iter().map(|path| ChangedFile::whole(path)).collect();
    match compatibility(&plan, Some(&sure), scene.ignored) {
        (Compatibility::Overlapping, files) => {
            (Compatibility::Overlapping, vec![words(Compatibility::Overlapping, blocker, &files)])
        }
        _ if git.is_none() => (answer, vec![format!("git cannot show the changes of {blocker} since it began")]),
        _ => (answer, vec![words(answer, blocker, &files)]),
    }
}

/// What a node plans to touch; what it changed already, it will touch again.
fn plan_of(task: &Task) -> Vec<PlannedPaths> {
    let changed =
        task.work.changed.iter().filter(|path| !task.work.planned.iter().any(|planned| planned.path == **path));
    let changed = changed.map(|path| PlannedPaths { path: path.clone(), functions: Vec::new() });
    task.work.planned.iter().cloned().chain(changed).collect()
}

fn words(answer: Compatibility, blocker: &str, files: &[String]) -> String {
    let files = files.join(", ");
    match answer {
        Compatibility::Compatible => format!("{blocker} changed nothing that is planned"),
        Compatibility::Overlapping => format!("{blocker} changed {files}"),
        Compatibility::Unknown if files.is_empty() => "the plan names no file".to_owned(),
        Compatibility::Unknown => format!("{files} changed since {blocker} began, but by another node"),
    }
}

/// What a blocker changed.
struct Changes<'a> {
    scene: &'a ConflictScene<'a>,
    known: &'a KnownNodes,
    blocker: &'a str,
}

impl Changes<'_> {
    /// The files that it changed by name, relative to the project.
    fn by_history(&self) -> BTreeSet<String> {
        let past = self.known.past.of(self.blocker);
        let changed = past.into_iter().flat_map(|past| &past.changed);
        changed.filter_map(|path| relative(path, &self.known.folders)).map(str::to_owned).collect()
    }

    /// What git shows since it began, in the worktree that it worked in. None where git cannot tell.
    fn by_git(&self, tree: &Tree, plan: &[PlannedPaths], own: &BTreeSet<String>) -> Option<Vec<ChangedFile>> {
        let folder = self.known.folder_of(self.blocker, self.scene.project);
        // Where a worktree is gone, nobody knows whether its work came anywhere.
        let is_there = fs::symlink_metadata(&folder).is_ok_and(|meta| meta.is_dir());
        let worktree = Worktree::at(&folder).filter(|_| is_there)?;
        let start = worktree.parted_from(&tree.start_of(self.blocker)?)?;
        let mut paths: BTreeSet<String> = worktree.changed_since(&start)?.into_iter().collect();
        paths.extend(own.iter().cloned());
        let change = |path: String| {
            let names = if is_named(plan, &path) { names_in(&worktree, &folder, &start, &path) } else { None };
            let place = folder.join(&path);
            let by_another =
                !own.contains(&path) && self.known.past.is_changed_by_another(&place.to_string_lossy(), self.blocker);
            ChangedFile { path, names, by_another }
        };
        Some(paths.into_iter().map(change).collect())
    }
}

/// Whether the plan names functions of a file, so that it matters which ones were changed.
fn is_named(plan: &[PlannedPaths], path: &str) -> bool {
    plan.iter().any(|planned| planned.path == path && !planned.functions.is_empty())
}

/// The names in what was changed of a file. None for a file that git does not know, is too large, or holds no text.
fn names_in(worktree: &Worktree, folder: &Path, start: &str, path: &str) -> Option<BTreeSet<String>> {
    let hunks = changed_hunks(worktree, start, path)?;
    names(&read_small(&folder.join(path), LARGEST_FILE)?, &hunks)
}

/// A file's hunks; None where there are none, though it changed.
fn changed_hunks(worktree: &Worktree, start: &str, path: &str) -> Option<Vec<Hunk>> {
    hunks(&worktree.difference(start, path)?).filter(|hunks| !hunks.is_empty())
}

/// Whether what two nodes changed of a file meets. None where they work in one worktree, or git cannot tell.
pub(super) fn regions_meet(
    scene: &ConflictScene<'_>,
    known: &KnownNodes,
    one: &str,
    other: &str,
    path: &str,
) -> Option<bool> {
    let [one, other] = [one, other].map(|node| known.folder_of(node, scene.project));
    if one == other {
        return None;
    }
    let (one, other) = (Worktree::at(&one)?, Worktree::at(&other)?);
    let start = one.parted_from(&other.head()?)?;
    Some(meet(&changed_hunks(&one, &start, path)?, &changed_hunks(&other, &start, path)?))
}
