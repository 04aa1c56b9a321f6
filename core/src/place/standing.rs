//! How folders of a project stand: whether this user trusts what is in them. Read from the user's state directory, where
//! no repository writes.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::{Env, state_root};
use crate::digest::hex16;
use crate::journal::{HISTORY, STATE, opening, put_private, read_small};
use crate::trust::{Trusted, said_by};

/// Where in the state directory it is kept what a person trusts, one file for each folder.
const TRUST: &str = "trust";
/// The most of these files that are looked through for a tree that was moved.
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
    let file = file_of(env, Path::new(&trusted.folder)).ok_or_else(no_home)?;
    put_private(&file, trusted.to_text().as_bytes())
}

fn no_home() -> std::io::Error {
    std::io::Error::new(std::io::ErrorKind::NotFound, "no home folder is known: set HOME")
}

fn file_of(env: Env<'_>, folder: &Path) -> Option<PathBuf> {
    // The file itself says which folder it is about: a name that people recognise would cost each hook more than all else.
    Some(state_root(env)?.join(TRUST).join(hex16(&[&folder.to_string_lossy()]) + ".json"))
}

/// The most lines of a team's files that stay trusted, and that are looked at of one: some times what such a file holds.
const MOST_LINES: usize = 20_000;
/// The most of their file that is read.
const LINES_LIMIT: u64 = 2 * 1024 * 1024;

/// The lines of the team's files in a folder that this user trusts, by what each says.
#[derive(Debug, Default)]
pub struct TrustedLines(BTreeSet<String>);

impl TrustedLines {
    /// Those of a folder.
    pub fn of(env: Env<'_>, folder: &Path) -> Self {
        let folder = physical(folder);
        let text = file_of(env, &folder).and_then(|file| read_small(&lines_file(&file), LINES_LIMIT));
        let text = text.as_deref().unwrap_or_default();
        // As with all trust, the file says of which folder it is.
        let lines = text.split_once('\n').filter(|(of, _)| *of == folder.to_string_lossy());
        Self(lines.map_or("", |(_, lines)| lines).lines().map(str::to_owned).collect())
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The lines of a file that are among them, or those that are not.
    pub fn of_file(&self, text: &str, are_among: bool) -> String {
        let is_known = |line: &str| !self.0.is_empty() && said_by(line).is_some_and(|said| self.0.contains(&said));
        let lines = text.lines().take(MOST_LINES).filter(|line| is_known(line) == are_among);
        lines.flat_map(|line| [line, "\n"]).collect()
    }
}

/// Trusts lines of the team's files in a folder as well; those that were trusted first make room.
///
/// # Errors
/// When they cannot be written, or nothing names a home.
pub fn trust_lines<'l>(env: Env<'_>, folder: &Path, new: impl Iterator<Item = &'l str>) -> std::io::Result<()> {
    let folder = physical(folder);
    let file = lines_file(&file_of(env, &folder).ok_or_else(no_home)?);
    let head = folder.to_string_lossy();
    let text = read_small(&file, LINES_LIMIT).unwrap_or_default();
    let mut lines: Vec<String> = match text.split_once('\n') {
        Some((of, lines)) if of == head => lines.lines().map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    let new: BTreeSet<String> = new.filter_map(said_by).collect();
    lines.retain(|line| !new.contains(line));
    lines.extend(new);
    lines.drain(..lines.len().saturating_sub(MOST_LINES));
    put_private(&file, format!("{head}\n{}\n", lines.join("\n")).as_bytes())
}

/// Takes back the trust in all lines of the team's files in a folder, and says whether there was any.
///
/// # Errors
/// When their file is there and cannot be taken away.
pub fn forget_lines(env: Env<'_>, folder: &Path) -> std::io::Result<bool> {
    let Some(file) = file_of(env, &physical(folder)) else { return Ok(false) };
    match fs::remove_file(lines_file(&file)) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        removed => removed.map(|()| true),
    }
}

/// Where the trusted lines are, beside the record of their folder: no hook reads them but where a session begins.
fn lines_file(file: &Path) -> PathBuf {
    file.with_extension("lines")
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
