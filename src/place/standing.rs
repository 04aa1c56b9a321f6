//! How folders of a project stand: whether this user trusts what is in them. Read from the user's state directory, where
//! no repository writes.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::{Env, state_root};
use crate::digest::hex16;
use crate::journal::{HISTORY, STATE, opening, put_private, read_small};
use crate::trust::Trusted;

/// Where in the state directory it is kept what a person trusts, one file for each folder.
const TRUST: &str = "trust";
/// The most of these files that are looked through for a tree that was moved.
#[cfg(feature = "cli")]
const MOST_RECORDS: usize = 2_000;
/// The most of such a file that is read.
const TRUST_LIMIT: u64 = 64 * 1024;

/// What this user trusts of a folder; nothing where they never said so.
pub fn trusted(env: Env<'_>, folder: &Path) -> Trusted {
    let folder = physical(folder);
    let text = file_of(env, &folder).and_then(|file| read_small(&file, TRUST_LIMIT)).unwrap_or_default();
    Trusted::parse(&text, &folder.to_string_lossy())
}

/// Keeps what this user trusts of a folder.
///
/// # Errors
/// When it cannot be written, or nothing names a home.
pub fn keep(env: Env<'_>, trusted: &Trusted) -> std::io::Result<()> {
    let Some(file) = file_of(env, Path::new(&trusted.folder)) else {
        return Err(std::io::Error::new(std::io::ErrorKind::NotFound, "no home folder is known: set HOME"));
    };
    put_private(&file, trusted.to_text().as_bytes())
}

fn file_of(env: Env<'_>, folder: &Path) -> Option<PathBuf> {
    // The file itself says which folder it is about: a name that people recognise would cost each hook more than all else.
    Some(state_root(env)?.join(TRUST).join(hex16(&[&folder.to_string_lossy()]) + ".json"))
}

/// A folder's path without links, so that trust is of the folder and not of a way to it.
fn physical(folder: &Path) -> PathBuf {
    fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned())
}

/// The first part of a path below the project that is a link: what is behind it is somebody else's.
pub fn link_below(project: &Path, path: &Path) -> Option<PathBuf> {
    let below = path.strip_prefix(project).ok()?;
    let mut part = project.to_owned();
    below.components().filter(|part| matches!(part, Component::Normal(_))).find_map(|name| {
        part.push(name);
        fs::symlink_metadata(&part).is_ok_and(|meta| meta.is_symlink()).then(|| part.clone())
    })
}

/// How a folder of the project stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Standing {
    /// Whether its plan tree binds agents: the person trusts it, and it is the tree that they trusted. Where git tracks the
    /// history, a tree is told by its place alone.
    pub(super) binds: bool,
    /// Whether its history is this user's own, leads nowhere else and may be appended to.
    pub(super) holds_own_history: bool,
}

/// How a folder stands.
pub(super) fn standing(env: Env<'_>, dir: &Path) -> Standing {
    let trusted = trusted(env, dir);
    if !trusted.is_any() {
        return Standing { binds: false, holds_own_history: false };
    }
    let is_begun = trusted.began(&opening(&dir.join(HISTORY)));
    Standing {
        binds: trusted.plan && (is_begun || trusted.tracked),
        holds_own_history: is_begun && !trusted.tracked && link_below(dir, &dir.join(STATE)).is_none(),
    }
}

/// The folder in which this user trusted the plan tree that now lies in another one: it was moved, or copied.
#[cfg(feature = "cli")]
#[expect(clippy::disallowed_methods, reason = "an edge: the user's own records are looked through")]
pub fn trusted_before(env: Env<'_>, dir: &Path) -> Option<PathBuf> {
    let opening = opening(&dir.join(HISTORY));
    let begun = crate::trust::begun_by(&opening)?;
    let records = fs::read_dir(state_root(env)?.join(TRUST)).ok()?.take(MOST_RECORDS).flatten();
    let texts = records.filter_map(|record| read_small(&record.path(), TRUST_LIMIT));
    let mut known = texts.filter_map(|text| serde_json::from_str::<Trusted>(&text).ok());
    let before = known.find(|known| known.plan && known.history.as_deref() == Some(&*begun))?;
    Some(PathBuf::from(before.folder)).filter(|before| *before != physical(dir))
}

/// Whether this user trusts the plan tree in a folder.
pub fn trusts_plan(env: Env<'_>, dir: &Path) -> bool {
    standing(env, dir).binds
}
