//! Every node of a tree, found, and read as far as its front matter goes. For commands: a hook reads a tree by
//! [`crate::plan::survey`], which stops as soon as it knows enough.

use std::io;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use super::disk;
use super::node::Node;
use super::validate::tests_of;
use crate::front_matter::{FrontMatter, Trouble};
use crate::plan::files::FolderEntry;
use crate::plan::survey::{DEEPEST, LEVELS, Level, MISSION_FILE, ROOTS, node_name};
use crate::plan::{files, id};

/// The most nodes of a tree.
const MOST_NODES: usize = 50_000;
/// The most entries of one folder.
const MOST_IN_FOLDER: usize = 50_000;
/// From how many nodes on they are looked at by more than one thread.
const WORTH_A_THREAD: usize = 256;
/// From how many branches on more than one thread walks through them.
const WORTH_A_WALK: usize = 16;
/// The most threads that look.
const MOST_THREADS: usize = 8;
/// Into how many shares the part of a thread is cut, so that all of them end at nearly the same time.
const SHARES: usize = 64;
/// Glibc gives a thread its memory page by page, each by a system call, unless it had as much as this at once before.
const SHARE_BYTES: usize = 120 * 1024;

/// A node's file, and where in the tree it was found.
struct NodeFile {
    /// The name of its folder or, in the flat layout, of its file, without the ending.
    name: String,
    /// The folder that holds that folder or file.
    folder: Arc<Path>,
    /// The file inside its own folder; None in the flat layout.
    spec: Option<&'static str>,
    /// The tier that its folder means.
    tier: u8,
    /// The node in whose folder it is, as an index.
    within: Option<usize>,
}

impl NodeFile {
    /// Reads it as a node.
    fn read(&self) -> Arc<Node> {
        let file = self.folder.join(match self.spec {
            Some(spec) => [&*self.name, "/", spec].concat(),
            None => [&*self.name, ".md"].concat(),
        });
        let tell = |page: &str, is_all| {
            let tests = if self.tier == 3 && is_all { OnceLock::from(tests_of(page)) } else { OnceLock::new() };
            Some((Ok(FrontMatter::of(page).ok()?), tests))
        };
        let (front, tests) = disk::at_head(&file, tell).unwrap_or_else(|| (front(&file), OnceLock::new()));
        let mut node = Node::of(&self.name, (file, self.spec.is_some()), self.tier, front, None);
        node.tests = tests;
        Arc::new(node)
    }
}

/// Reads the nodes of a tree in a stable order: by name, each before those in its folder. One whose file is not there is
/// among them. The second value tells whether there are more than are read.
pub(super) fn nodes(dir: &Path) -> (Vec<Arc<Node>>, bool) {
    let (found, complete) = find(dir);
    let read = look_at_each(&found, NodeFile::read);
    let mut nodes: Vec<Arc<Node>> = Vec::with_capacity(found.len());
    for (found, mut node) in found.iter().zip(read) {
        // A folder that lacks its file is no node yet; the index of each is that of its place, so it keeps one.
        if node.parent.is_none()
            && node.tier > 0
            && let Some(node) = Arc::get_mut(&mut node)
        {
            node.parent = found.within.and_then(|within| nodes.get(within)).map(|node| node.id.clone());
        }
        nodes.push(node);
    }
    (nodes, complete)
}

fn find(dir: &Path) -> (Vec<NodeFile>, bool) {
    let mut found: Vec<NodeFile> = mission(dir).into_iter().collect();
    let mut complete = true;
    for level in ROOTS.iter().filter_map(|row| LEVELS.get(*row)) {
        let folder: Arc<Path> = dir.join(level.folder).into();
        let (entries, is_all) = entries_by_name(&folder);
        complete &= is_all;
        let branches = look_by(threads(entries.len(), WORTH_A_WALK), &entries, |entry| {
            let mut own = Vec::new();
            let is_all = branch(entry.clone(), &folder, level, None, 1, &mut own);
            (own, is_all)
        });
        for (own, is_all) in branches {
            let before = found.len();
            found.extend(own.into_iter().map(|one| NodeFile { within: one.within.map(|at| at + before), ..one }));
            complete &= is_all;
        }
    }
    complete &= found.len() <= MOST_NODES;
    found.truncate(MOST_NODES);
    (found, complete)
}

/// The ids of the branches that were archived.
pub(super) fn archived(dir: &Path) -> Vec<String> {
    let entries = files::list(&dir.join("archive"), MOST_IN_FOLDER).into_iter();
    let names = entries.map(|entry| entry.name.trim_end_matches(".md").trim_end_matches(".summary").to_owned());
    names.filter_map(|name| id::carried_by(&name).map(str::to_owned)).collect()
}

/// What a look at each of these gives, in their order; where there are many, more than one thread looks.
pub fn look_at_each<T: Sync, R: Send>(all: &[T], look: impl Fn(&T) -> R + Sync) -> Vec<R> {
    look_by(threads(all.len(), WORTH_A_THREAD), all, look)
}

/// How many threads look at this much, where it is worth more than one from `many` on.
fn threads(of: usize, many: usize) -> usize {
    if of < many { 1 } else { std::thread::available_parallelism().map_or(1, NonZeroUsize::get).min(MOST_THREADS) }
}

fn look_by<T: Sync, R: Send>(threads: usize, all: &[T], look: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let shares: Vec<&[T]> = all.chunks(all.len().div_ceil(threads * SHARES).max(1)).collect();
    let next = AtomicUsize::new(0);
    let take = || {
        let at = next.fetch_add(1, Ordering::Relaxed);
        let share = shares.get(at)?;
        drop(std::hint::black_box(Vec::<u8>::with_capacity(SHARE_BYTES)));
        Some((at, share.iter().map(&look).collect::<Vec<_>>()))
    };
    let work = || std::iter::from_fn(take).collect::<Vec<_>>();
    let mut seen = std::thread::scope(|scope| {
        let running: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut seen = work();
        seen.extend(running.into_iter().flat_map(|thread| thread.join().unwrap_or_default()));
        seen
    });
    seen.sort_unstable_by_key(|(at, _)| *at);
    seen.into_iter().flat_map(|(_, seen)| seen).collect()
}

/// The front matter of a node's file, or what is wrong with it.
fn front(file: &Path) -> Result<FrontMatter, Trouble> {
    let what = |error: io::Error| {
        if disk::exists(file) && !files::is_file(file) { "it is no file".to_owned() } else { error.kind().to_string() }
    };
    let page = disk::whole(file).map_err(|error| Trouble { line: 0, what: what(error) })?;
    FrontMatter::of(&files::text_of(page))
}

fn mission(dir: &Path) -> Option<NodeFile> {
    let (folder, flat) = (dir.join("mission"), dir.join(MISSION_FILE));
    let in_folder = files::is_folder(&folder) && files::is_file(&folder.join(MISSION_FILE));
    let is_there = in_folder || files::is_file(&flat);
    let spec = in_folder.then_some(MISSION_FILE);
    is_there.then(|| NodeFile { name: "mission".to_owned(), folder: dir.into(), spec, tier: 0, within: None })
}

/// What a folder of nodes holds, by name. The second value is false where that is not all.
fn entries_by_name(folder: &Path) -> (Vec<FolderEntry>, bool) {
    let mut entries = disk::entries_in(folder, MOST_IN_FOLDER);
    entries.sort_unstable_by(|a, b| id::natural_order(&a.name, &b.name));
    let is_all = entries.len() < MOST_IN_FOLDER;
    (entries, is_all)
}

/// Takes the node that an entry of a folder is, and those in its folder. False when not all were taken.
fn branch(
    entry: FolderEntry,
    folder: &Arc<Path>,
    level: &'static Level,
    within: Option<usize>,
    depth: u8,
    found: &mut Vec<NodeFile>,
) -> bool {
    if found.len() >= MOST_NODES {
        return false;
    }
    let spec = entry.is_folder.then_some(level.spec);
    let Some(name) = node_name(entry) else { return true };
    let below = if spec.is_some() && depth + 2 < DEEPEST { level.below } else { &[] };
    let node = found.len();
    found.push(NodeFile { name: name.clone(), folder: Arc::clone(folder), spec, tier: level.tier, within });
    let mut complete = true;
    for level in below.iter().filter_map(|row| LEVELS.get(*row)) {
        let folder: Arc<Path> = folder.join([&*name, "/", level.folder].concat()).into();
        let (entries, is_all) = entries_by_name(&folder);
        complete &= is_all;
        for entry in entries {
            complete &= branch(entry, &folder, level, Some(node), depth + 2, found);
        }
    }
    complete
}
