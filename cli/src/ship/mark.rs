//! How far each history was sent, and what became of it: one file of the state directory, replaced after success only.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::journal::{HistoryParts, put_private, read_small, remove};
use crate::place::{Env, state_root};

/// The most that is read of the file.
const LARGEST: u64 = 4 * 1024 * 1024;
/// The most sessions of a history whose beginnings are kept.
const MOST_SESSIONS: usize = 256;
/// The most refused requests that are named.
const MOST_REFUSED: usize = 10;

/// How far a history was sent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SentMark {
    /// What tells the history from another one in its place.
    pub begins: String,
    /// How many bytes of it were sent, all parts together.
    pub length: u64,
    /// Where its newest sessions begin in it, and how far it was sent when they went on last.
    pub sessions: BTreeMap<String, [u64; 2]>,
}

/// The marks of all histories, and the last sending.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ShipMarks {
    /// By the history's folder.
    pub histories: BTreeMap<String, SentMark>,
    /// When something was sent last.
    pub last: Option<String>,
    /// Requests that the receiver refused for good: when, and its status. The newest ones.
    pub refused: Vec<String>,
    /// Why the last sending did not end; None where it did.
    pub fault: Option<String>,
}

/// Where the marks are.
pub fn marks_file(env: Env<'_>) -> Option<PathBuf> {
    Some(state_root(env)?.join("ship.json"))
}

/// Where the newest refused request is, beside the file of the marks.
fn refused_file(marks: &Path) -> PathBuf {
    marks.with_file_name("ship-refused.json")
}

/// The marks and the refused request, as far as they are there, each with its length in bytes.
pub fn ship_files(env: Env<'_>) -> Vec<(PathBuf, u64)> {
    let files = marks_file(env).into_iter().flat_map(|marks| [refused_file(&marks), marks]);
    let there = |file: PathBuf| std::fs::symlink_metadata(&file).ok().map(|meta| (file, meta.len()));
    files.filter_map(there).collect()
}

impl ShipMarks {
    /// The marks as they were kept; none where they cannot be read, so that all is sent again.
    pub fn read(file: &Path) -> Self {
        read_small(file, LARGEST).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    /// Keeps them.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn keep(&self, file: &Path) -> io::Result<()> {
        put_private(file, serde_json::to_string(self).unwrap_or_default().as_bytes())
    }

    /// Keeps a request aside that the receiver refuses for good, so that it stops nothing behind it: the newest one whole, of the
    /// others when and why. `file` is that of the marks.
    ///
    /// # Errors
    /// When the request cannot be written.
    pub fn put_aside(&mut self, file: &Path, body: &str, status: u16, now: &str) -> io::Result<()> {
        self.refused.push(format!("{now} {status}"));
        let more = self.refused.len().saturating_sub(MOST_REFUSED);
        self.refused.drain(..more);
        put_private(&refused_file(file), body.as_bytes())
    }

    /// Whether the marks are of histories in these folders only.
    pub fn are_of(&self, dirs: &[&Path]) -> bool {
        self.histories.keys().all(|known| dirs.iter().any(|dir| *dir.to_string_lossy() == **known))
    }

    /// Forgets how far the histories in these folders were sent, and what was refused; a file in which nothing else is goes.
    ///
    /// # Errors
    /// When a file cannot be changed.
    pub fn forget(file: &Path, dirs: &[&Path]) -> io::Result<()> {
        let mut marks = Self::read(file);
        remove(&refused_file(file))?;
        if marks.are_of(dirs) {
            return remove(file);
        }
        marks.histories.retain(|known, _| !dirs.iter().any(|dir| *dir.to_string_lossy() == **known));
        marks.refused.clear();
        marks.keep(file)
    }

    /// The mark of a history in a folder; an empty one where another history has taken its place.
    pub fn of(&self, dir: &Path, parts: &HistoryParts) -> SentMark {
        let is_it = |mark: &&SentMark| mark.begins == parts.begins && mark.length <= parts.length;
        let known = self.histories.get(&*dir.to_string_lossy()).filter(is_it).cloned();
        known.unwrap_or_else(|| SentMark { begins: parts.begins.clone(), ..SentMark::default() })
    }

    /// How many verdicts of the history in a folder wait behind its mark.
    pub fn waiting(&self, dir: &Path) -> u64 {
        let Ok(parts) = HistoryParts::of(dir) else { return 0 };
        let mut waiting = 0;
        let is_verdict = |line: &[u8]| memchr::memmem::find(line, b"\"failure_classified\"").is_some();
        // What cannot be read does not wait for anything.
        let _ = parts.lines(self.of(dir, &parts).length..u64::MAX, |_, line| waiting += u64::from(is_verdict(line)));
        waiting
    }
}

impl SentMark {
    /// Leaves out the sessions that went on longest ago. One that goes on all the same is read from there.
    pub(super) fn forget_old(&mut self) {
        let mut last: Vec<u64> = self.sessions.values().map(|[_, last]| *last).collect();
        last.sort_unstable();
        if let Some(oldest) = last.len().checked_sub(MOST_SESSIONS).and_then(|more| last.get(more).copied()) {
            self.sessions.retain(|_, [_, last]| *last >= oldest);
        }
    }
}
