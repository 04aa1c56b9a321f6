//! What nodes were before each change, so that a change can be undone.

use std::path::{Path, PathBuf};

use base64::prelude::{BASE64_STANDARD, Engine};
use serde::{Deserialize, Serialize};

use super::disk;
use super::node::Node;
use crate::digest::checksum;
use crate::plan::files;

/// How many checkpoints of a node are kept, and as many that were used.
pub(super) const KEPT: usize = 5;
/// The folder of checkpoints beside a node's file, and at the root for nodes without a folder.
const FOLDER: &str = "checkpoints";
/// What is put behind the name of a checkpoint that was used.
pub(super) const CONSUMED: &str = ".consumed";
/// The most files of a folder of checkpoints that are looked at.
const MOST: usize = 1_000;

/// What a node was before a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Checkpoint {
    pub(super) schema_version: u32,
    pub(super) node_id: String,
    /// Its file, relative to the tree.
    pub(super) node_file: String,
    pub(super) saved_at: String,
    /// The commit that was checked out; empty where that is not known.
    #[serde(default)]
    pub(super) git_sha: String,
    /// The whole file before; None where there was none.
    pub(super) node_state_before_b64: Option<String>,
    /// The change that it belongs to. Checkpoints that older scripts wrote belong to none.
    #[serde(default)]
    pub(super) mutation: String,
    /// What was done.
    #[serde(default)]
    pub(super) verb: String,
    /// The nodes that the same change touched.
    #[serde(default)]
    pub(super) members: Vec<String>,
    /// The digest of the file after the change; None where the file was taken away, or where nobody noted it.
    #[serde(default)]
    pub(super) after: Option<String>,
}

/// The record does not hold what it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Damaged;

impl Checkpoint {
    /// The file before; None where there was none.
    ///
    /// # Errors
    /// When the record is damaged.
    pub(super) fn before(&self) -> Result<Option<Vec<u8>>, Damaged> {
        let Some(text) = &self.node_state_before_b64 else { return Ok(None) };
        // Older scripts wrote it by a program that breaks its lines.
        let text: String = text.split_ascii_whitespace().collect();
        BASE64_STANDARD.decode(text).map(Some).map_err(|_| Damaged)
    }

    /// Reads a record.
    pub(super) fn read(file: &Path) -> Option<Self> {
        serde_json::from_slice(&disk::whole(file).ok()?).ok()
    }
}

/// A digest of a file's bytes: enough to see that somebody changed it.
pub(super) fn digest(bytes: &[u8]) -> String {
    format!("{:016x}", checksum(bytes))
}

/// The folder of a node's checkpoints.
pub(super) fn folder(node: &Node, dir: &Path) -> PathBuf {
    node.folder().map_or_else(|| dir.join(FOLDER).join(&node.id), |folder| folder.join(FOLDER))
}

/// The name of a checkpoint: when, and the node's revision before. A revision is given once, so that no two changes of one
/// second share a name.
pub(super) fn name(now: &str, revision: u32) -> String {
    format!("{}.r{revision:06}.json", now.replace(':', "-"))
}

/// The checkpoints of a folder that end so, oldest first.
pub(super) fn list(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = files::list(folder, MOST).into_iter();
    let mut names: Vec<String> = entries
        .filter(|entry| !entry.is_folder && entry.name.ends_with(ending) && !entry.name.starts_with('.'))
        .map(|entry| entry.name)
        .collect();
    // A clock may be set back; a revision is not.
    names.sort_by(|a, b| (revision_of(a), a).cmp(&(revision_of(b), b)));
    names.into_iter().map(|name| folder.join(name)).collect()
}

/// The checkpoints of a node that were not used yet, oldest first.
pub(super) fn unused(node: &Node, dir: &Path) -> Vec<PathBuf> {
    list(&folder(node, dir), ".json")
}

/// Whether a page that is gone left checkpoints that were not used.
pub(super) fn is_left_of(page: &Path) -> bool {
    !list(&page.with_file_name(FOLDER), ".json").is_empty()
}

/// The highest revision that a node had before one of its changes that were not undone, by the folder of its checkpoints.
pub(super) fn highest_revision(folder: &Path) -> Option<u32> {
    // One in which nothing was ever put is as old as its last change: to ask that costs a fifth of opening it.
    let at = disk::metadata(folder).ok()?;
    if at.modified().ok().zip(at.created().ok()).is_some_and(|(modified, created)| modified == created) {
        return None;
    }
    let names = files::folder_entries(folder, MOST).into_iter().map(|entry| entry.name);
    names.filter_map(|name| revision_of(name.strip_suffix(".json")?)).max()
}

fn revision_of(name: &str) -> Option<u32> {
    let (_, rest) = name.split_once(".r")?;
    rest.get(..6)?.parse().ok()
}

/// The commit that is checked out in a project, read from its `.git`; empty where that is not known.
pub(super) fn git_head(root: &Path) -> String {
    let (own, shared) = git_folders(root);
    let read = |folder: &Path, name: &str| files::read(&folder.join(name)).unwrap_or_default();
    let head = read(&own, "HEAD");
    let Some(branch) = head.strip_prefix("ref: ").map(str::trim) else { return commit(head.trim()) };
    if branch.split('/').any(|part| part == "..") {
        return String::new();
    }
    let loose = commit(read(&shared, branch).trim());
    if !loose.is_empty() {
        return loose;
    }
    let packed = read(&shared, "packed-refs");
    let line = packed.lines().find_map(|line| line.strip_suffix(branch)?.strip_suffix(' '));
    line.map(commit).unwrap_or_default()
}

/// The folder that holds a worktree's `HEAD`, and the one that holds the branches: in a linked worktree they are two.
fn git_folders(root: &Path) -> (PathBuf, PathBuf) {
    let git = root.join(".git");
    let text = files::read(&git).unwrap_or_default();
    let Some(linked) = text.strip_prefix("gitdir:") else { return (git.clone(), git) };
    let own = root.join(linked.trim());
    let shared = files::read(&own.join("commondir")).map_or_else(|_| own.clone(), |common| own.join(common.trim()));
    (own, shared)
}

fn commit(word: &str) -> String {
    let is_commit = (40..=64).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_commit { word.to_owned() } else { String::new() }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test writes files for the edge to read")]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::{Checkpoint, Damaged, git_head, list, name, revision_of};

    #[test]
    fn the_newest_checkpoint_is_told_by_revision_whatever_the_clock_says() {
        let dir = tempfile::tempdir().unwrap();
        let names = [name("2031-01-05T10:00:00.000Z", 2), name("2030-01-05T10:00:00.000Z", 3)];
        for name in names.iter().map(String::as_str).chain(["2019-01-05T10-00-00Z.json", "x.json.consumed", ".y.json"])
        {
            fs::write(dir.path().join(name), "{}").unwrap();
        }
        let found = list(dir.path(), ".json");
        let found: Vec<&str> = found.iter().map(|file| file.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(found, ["2019-01-05T10-00-00Z.json", &names[0], &names[1]]);
        assert_eq!(revision_of(&names[1]), Some(3));
    }

    #[test]
    fn what_a_node_was_is_read_from_broken_lines_too_and_damage_is_told() {
        let read = |text: &str| {
            let record = json!({ "schema_version": 1, "node_id": "A", "node_file": "a.md", "saved_at": "", "node_state_before_b64": text });
            serde_json::from_value::<Checkpoint>(record).unwrap().before()
        };
        assert_eq!(read("Zm9vYg=="), Ok(Some(b"foob".to_vec())));
        assert_eq!(read("Zm9v\nYg==\n"), Ok(Some(b"foob".to_vec())));
        for damaged in ["Z", "Zg", "====", "Zm9v!g==", "=Zg="] {
            assert_eq!(read(damaged), Err(Damaged), "{damaged}");
        }
    }

    #[test]
    fn two_changes_of_one_moment_have_two_names() {
        let now = "2031-01-05T10:00:00.000Z";
        assert_ne!(name(now, 2), name(now, 3));
    }

    #[test]
    fn the_commit_is_read_without_git() {
        let dir = tempfile::tempdir().unwrap();
        let git = dir.path().join(".git");
        assert_eq!(git_head(dir.path()), "");
        fs::create_dir_all(git.join("refs/heads")).unwrap();
        let (loose, packed) = ("1".repeat(40), "2".repeat(40));
        fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(git.join("packed-refs"), format!("# pack\n{packed} refs/heads/main\n")).unwrap();
        assert_eq!(git_head(dir.path()), packed);
        fs::write(git.join("refs/heads/main"), format!("{loose}\n")).unwrap();
        assert_eq!(git_head(dir.path()), loose);
        fs::write(git.join("HEAD"), "ref: ../../etc/passwd\n").unwrap();
        assert_eq!(git_head(dir.path()), "");
    }
}
