//! Every node's file of a tree, found and read as far as its front matter goes. For commands: a hook reads a tree by
//! [`crate::plan::survey`], which stops as soon as it knows enough.

use std::io::ErrorKind;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use super::disk;
use crate::front_matter::{FrontMatter, Trouble};
use crate::plan::survey::{DEEPEST, LEVELS, MISSION_FILE, ROOTS, node_name};
use crate::plan::{files, id, survey};

/// The most nodes of a tree.
pub(super) const MOST_NODES: usize = 50_000;
/// The most entries of one folder.
const MOST_IN_FOLDER: usize = 50_000;
/// From how many files on they are looked at by more than one thread.
const WORTH_A_THREAD: usize = 256;
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
    for level in ROOTS {
        let folder = LEVELS.get(*level).map_or_else(PathBuf::new, |level| dir.join(level.folder));
        complete &= walk(&folder, *level, None, 1, &mut found);
    }
    (found, complete)
}

/// The ids of the branches that were archived.
pub(super) fn archived(dir: &Path) -> Vec<String> {
    let entries = files::list(&dir.join("archive"), MOST_IN_FOLDER).into_iter();
    let names = entries.map(|entry| entry.name.trim_end_matches(".md").trim_end_matches(".summary").to_owned());
    names.filter_map(|name| id::carried_by(&name).map(str::to_owned)).collect()
}

/// The front matter of each file, or what is wrong with it.
pub(super) fn read(found: &[NodeFile]) -> Vec<Result<FrontMatter, Trouble>> {
    look_at_each(found, |one| front(&one.file))
}

/// What a look at each of these gives, in their order; where there are many, more than one thread looks.
pub(super) fn look_at_each<T: Sync, R: Send>(all: &[T], look: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = if all.len() < WORTH_A_THREAD {
        1
    } else {
        std::thread::available_parallelism().map_or(1, NonZeroUsize::get).min(MOST_THREADS)
    };
    if threads == 1 {
        return all.iter().map(look).collect();
    }
    let part = all.len().div_ceil(threads);
    std::thread::scope(|scope| {
        let look = |part: &[T]| part.iter().map(&look).collect::<Vec<_>>();
        let running: Vec<_> = all.chunks(part).map(|part| scope.spawn(move || look(part))).collect();
        running.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
    })
}

fn front(file: &Path) -> Result<FrontMatter, Trouble> {
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

/// Walks a folder of nodes. False when not all were taken.
fn walk(folder: &Path, row: usize, within: Option<usize>, depth: u8, found: &mut Vec<NodeFile>) -> bool {
    let Some(level) = LEVELS.get(row) else { return true };
    let mut entries = files::list(folder, MOST_IN_FOLDER);
    let mut complete = entries.len() < MOST_IN_FOLDER;
    entries.sort_unstable_by(|a, b| id::natural_order(&a.name, &b.name));
    for entry in entries {
        if found.len() >= MOST_NODES {
            return false;
        }
        let has_folder = entry.is_folder;
        let Some(name) = node_name(entry) else { continue };
        let file = if has_folder { folder.join(&name).join(level.spec) } else { folder.join(format!("{name}.md")) };
        let own = folder.join(&name);
        found.push(NodeFile { name, file, tier: level.tier, within, has_folder });
        if has_folder && depth + 2 < DEEPEST {
            complete &= inside(&own, level, found.len() - 1, depth, found);
        }
    }
    complete
}

fn inside(own: &Path, level: &survey::Level, node: usize, depth: u8, found: &mut Vec<NodeFile>) -> bool {
    let mut complete = true;
    for row in level.below {
        if let Some(level) = LEVELS.get(*row) {
            complete &= walk(&own.join(level.folder), *row, Some(node), depth + 2, found);
        }
    }
    complete
}
