//! Every node's file of a tree, found and read as far as its front matter goes. For commands: a hook reads a tree by
//! [`crate::plan::survey`], which stops as soon as it knows enough.

use std::io::ErrorKind;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use super::disk;
use crate::front_matter::{FrontMatter, Trouble};
use crate::plan::files::FolderEntry;
use crate::plan::survey::{DEEPEST, LEVELS, Level, MISSION_FILE, ROOTS, node_name};
use crate::plan::{files, id};

/// The most nodes of a tree.
pub(super) const MOST_NODES: usize = 50_000;
/// The most entries of one folder.
const MOST_IN_FOLDER: usize = 50_000;
/// From how many files on they are looked at by more than one thread.
const WORTH_A_THREAD: usize = 256;
/// From how many branches on more than one thread walks through them.
const WORTH_A_WALK: usize = 16;
/// The most threads that look.
const MOST_THREADS: usize = 8;

/// A node's file, and where in the tree it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NodeFile {
    /// The name of its folder or, in the flat layout, of its file, without the ending.
    pub(super) name: String,
    /// The file.
    pub(super) file: PathBuf,
    /// The tier that its folder means.
    pub(super) tier: u8,
    /// The node in whose folder it is, as an index.
    pub(super) within: Option<usize>,
    /// Whether it has a folder of its own.
    pub(super) has_folder: bool,
}

/// Finds the nodes of a tree in a stable order: by name, each before those in its folder. The second value tells whether
/// there are more than are read.
pub(super) fn find(dir: &Path) -> (Vec<NodeFile>, bool) {
    let mut found: Vec<NodeFile> = mission(dir).into_iter().collect();
    let mut complete = true;
    for row in ROOTS {
        let Some(level) = LEVELS.get(*row) else { continue };
        let folder = dir.join(level.folder);
        let (entries, is_all) = entries_by_name(&folder);
        complete &= is_all;
        let branches = look_from(WORTH_A_WALK, &entries, |entry| {
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
    look_from(WORTH_A_THREAD, all, look)
}

fn look_from<T: Sync, R: Send>(many: usize, all: &[T], look: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = if all.len() < many {
        1
    } else {
        std::thread::available_parallelism().map_or(1, NonZeroUsize::get).min(MOST_THREADS)
    };
    let look = |part: &[T]| part.iter().map(&look).collect::<Vec<_>>();
    let (own, others) = all.split_at(all.len().div_ceil(threads));
    std::thread::scope(|scope| {
        let running: Vec<_> = others.chunks(own.len().max(1)).map(|part| scope.spawn(|| look(part))).collect();
        let mut seen = look(own);
        seen.extend(running.into_iter().flat_map(|thread| thread.join().unwrap_or_default()));
        seen
    })
}

/// The front matter of a node's file, or what is wrong with it.
pub(super) fn front(file: &Path) -> Result<FrontMatter, Trouble> {
    let what = |kind: ErrorKind| {
        if disk::exists(file) && !files::is_file(file) { "it is no file".to_owned() } else { kind.to_string() }
    };
    let text = disk::head(file).map_err(|kind| Trouble { line: 0, what: what(kind) })?;
    FrontMatter::of(&text)
}

fn mission(dir: &Path) -> Option<NodeFile> {
    let name = "mission".to_owned();
    let (folder, flat) = (dir.join("mission"), dir.join(MISSION_FILE));
    let in_folder = files::is_folder(&folder) && files::is_file(&folder.join(MISSION_FILE));
    let file = if in_folder { folder.join(MISSION_FILE) } else { Some(flat).filter(|flat| files::is_file(flat))? };
    Some(NodeFile { name, file, tier: 0, within: None, has_folder: in_folder })
}

/// What a folder of nodes holds, by name. The second value is false where that is not all.
fn entries_by_name(folder: &Path) -> (Vec<FolderEntry>, bool) {
    let mut entries = files::list(folder, MOST_IN_FOLDER);
    entries.sort_unstable_by(|a, b| id::natural_order(&a.name, &b.name));
    let is_all = entries.len() < MOST_IN_FOLDER;
    (entries, is_all)
}

/// Takes the node that an entry of a folder is, and those in its folder. False when not all were taken.
fn branch(
    entry: FolderEntry,
    folder: &Path,
    level: &Level,
    within: Option<usize>,
    depth: u8,
    found: &mut Vec<NodeFile>,
) -> bool {
    if found.len() >= MOST_NODES {
        return false;
    }
    let has_folder = entry.is_folder;
    let Some(name) = node_name(entry) else { return true };
    let own = folder.join(&name);
    let file = if has_folder { own.join(level.spec) } else { folder.join(format!("{name}.md")) };
    let node = found.len();
    found.push(NodeFile { name, file, tier: level.tier, within, has_folder });
    if !has_folder || depth + 2 >= DEEPEST {
        return true;
    }
    let mut complete = true;
    for level in level.below.iter().filter_map(|row| LEVELS.get(*row)) {
        let folder = own.join(level.folder);
        let (entries, is_all) = entries_by_name(&folder);
        complete &= is_all;
        for entry in entries {
            complete &= branch(entry, &folder, level, Some(node), depth + 2, found);
        }
    }
    complete
}
