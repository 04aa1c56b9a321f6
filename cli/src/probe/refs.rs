//! The branches, tags and remotes of a git repository, as its files name them: git is not started.

use std::fs;
use std::path::{Path, PathBuf};

use crate::journal::read_small;
use crate::recover::look::Refs;

/// The most names of one kind.
const MOST: usize = 2_000;
/// The most of a file of git that is read, in bytes. What is no regular file is not opened: a pipe would wait for ever.
const MOST_BYTES: u64 = 8 * 1024 * 1024;

pub(super) fn of(folder: &Path) -> Option<Refs> {
    let own = folder.ancestors().take(32).map(|above| above.join(".git")).find(|git| git.exists())?;
    let git = if own.is_dir() { own } else { linked(&own)? };
    // A linked worktree keeps its branches with the main one.
    let common = text_of(&git.join("commondir")).map_or_else(|| git.clone(), |path| git.join(path.trim()));
    let mut refs = Refs {
        branches: Vec::new(),
        head: text_of(&git.join("HEAD"))
            .and_then(|text| Some(text.trim().strip_prefix("ref: refs/heads/")?.to_owned())),
        ..Refs::default()
    };
    let mut names = Vec::new();
    collect(&common.join("refs"), "refs", 0, &mut names);
    let packed = text_of(&common.join("packed-refs")).unwrap_or_default();
    names.extend(
        packed
            .lines()
            .filter(|line| !line.starts_with(['#', '^']))
            .filter_map(|line| Some(line.split_once(' ')?.1.to_owned()))
            .take(MOST),
    );
    for name in names {
        if let Some(branch) = name.strip_prefix("refs/heads/") {
            refs.branches.push(branch.to_owned());
        } else if let Some((_, branch)) = name.strip_prefix("refs/remotes/").and_then(|rest| rest.split_once('/')) {
            if branch != "HEAD" {
                refs.remote_branches.push(branch.to_owned());
            }
        } else if let Some(tag) = name.strip_prefix("refs/tags/") {
            refs.tags.push(tag.to_owned());
        }
    }
    let heads = names_in(&common.join("refs/remotes"));
    refs.remote_head = heads.iter().find_map(|remote| {
        let text = text_of(&common.join("refs/remotes").join(remote).join("HEAD"))?;
        Some(text.trim().strip_prefix(&format!("ref: refs/remotes/{remote}/"))?.to_owned())
    });
    let config = text_of(&common.join("config")).unwrap_or_default();
    let remotes = config.lines().filter_map(|line| line.trim().strip_prefix("[remote \"")?.strip_suffix("\"]"));
    refs.remotes = remotes.map(str::to_owned).take(MOST).collect();
    for list in [&mut refs.branches, &mut refs.remote_branches, &mut refs.tags] {
        list.sort();
        list.dedup();
    }
    Some(refs)
}

/// The names in a folder, sorted.
fn names_in(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.flatten().take(MOST).filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

fn text_of(file: &Path) -> Option<String> {
    read_small(file, MOST_BYTES)
}

/// The folder that the `.git` file of a linked worktree or submodule names.
fn linked(file: &Path) -> Option<PathBuf> {
    let text = text_of(file)?;
    Some(file.parent()?.join(text.trim().strip_prefix("gitdir: ")?))
}

fn collect(folder: &Path, name: &str, depth: usize, names: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let (Ok(own), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else { continue };
        let full = format!("{name}/{own}");
        if kind.is_dir() && depth < 8 {
            collect(&entry.path(), &full, depth + 1, names);
        } else if kind.is_file() {
            names.push(full);
        }
        if names.len() >= MOST {
            return;
        }
    }
}
