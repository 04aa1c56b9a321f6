//! How far each history was sent, and what became of it: one file of the state directory, replaced after success only.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::record::ShipContent;
use crate::journal::{HistoryParts, put_private, read_small, remove};
use crate::place::{Env, state_root};

/// The most that is read of the file.
const LARGEST: u64 = 4 * 1024 * 1024;
/// The most sessions of a history whose beginnings are kept.
const MOST_SESSIONS: usize = 256;
/// The most refused requests that are kept, and the most bytes of them: the newest ones.
const MOST_REFUSED: usize = 64;
const MOST_REFUSED_BYTES: u64 = 16 * 1024 * 1024;

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
    /// How many refused requests were let go, as there were more than are kept.
    pub let_go: u64,
    /// How many records the receiver refused of requests that it took, and what it said of the last ones. Nobody has them.
    pub partly: (u64, String),
    /// Why the last sending did not end; None where it did.
    pub fault: Option<String>,
}

/// Where the marks are.
pub fn marks_file(env: Env<'_>) -> Option<PathBuf> {
    Some(state_root(env)?.join("ship.json"))
}

/// A request that the receiver refused for good. Its file's name says all but its size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedRequest {
    /// Its file: the body as it was posted.
    pub file: PathBuf,
    /// How many were refused before it.
    number: u64,
    /// What the receiver answered.
    pub status: u16,
    /// How much of anybody's words it holds.
    pub content: ShipContent,
    /// Its size.
    pub bytes: u64,
}

impl RefusedRequest {
    /// The requests that are kept aside, oldest first. `marks` is the file of the marks.
    pub fn all(marks: &Path) -> Vec<Self> {
        let entries = std::fs::read_dir(refused_folder(marks)).into_iter().flatten().flatten();
        let mut found: Vec<Self> =
            entries.filter_map(|entry| Self::at(entry.path(), entry.metadata().ok()?.len())).collect();
        found.sort_by_key(|request| request.number);
        found
    }

    fn at(file: PathBuf, bytes: u64) -> Option<Self> {
        let name = file.file_name()?.to_str()?.strip_suffix(".json")?;
        let mut words = name.split('-');
        let (number, status) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let content = serde_json::from_value(words.next()?.into()).ok()?;
        Some(Self { file, number, status, content, bytes })
    }
}

/// Where the refused requests are, beside the file of the marks.
fn refused_folder(marks: &Path) -> PathBuf {
    marks.with_file_name("ship-refused")
}

/// The marks and the refused requests, as far as they are there, each with its length in bytes.
pub fn ship_files(env: Env<'_>) -> Vec<(PathBuf, u64)> {
    let Some(marks) = marks_file(env) else { return Vec::new() };
    let refused = RefusedRequest::all(&marks).into_iter().map(|request| (request.file, request.bytes));
    let marks = std::fs::symlink_metadata(&marks).ok().map(|meta| (marks, meta.len()));
    refused.chain(marks).collect()
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

    /// Keeps a request aside that the receiver refuses for good, so that it stops nothing behind it. Where there are too many, the
    /// oldest are let go. `file` is that of the marks.
    ///
    /// # Errors
    /// When the request cannot be written.
    pub fn put_aside(&mut self, file: &Path, body: &str, status: u16, content: ShipContent) -> io::Result<()> {
        let kept = RefusedRequest::all(file);
        let number = kept.last().map_or(1, |last| last.number.saturating_add(1));
        let content = serde_json::to_value(content).unwrap_or_default();
        let name = format!("{number:06}-{status}-{}.json", content.as_str().unwrap_or_default());
        put_private(&refused_folder(file).join(name), body.as_bytes())?;
        let mut left = (MOST_REFUSED - 1, MOST_REFUSED_BYTES.saturating_sub(body.len() as u64));
        for old in kept.iter().rev() {
            if left.0 > 0 && old.bytes <= left.1 {
                left = (left.0 - 1, left.1 - old.bytes);
                continue;
            }
            left.0 = 0;
            remove(&old.file)?;
            self.let_go += 1;
        }
        Ok(())
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
        Self::drop_refused(file)?;
        if marks.are_of(dirs) {
            return remove(file);
        }
        marks.histories.retain(|known, _| !dirs.iter().any(|dir| *dir.to_string_lossy() == **known));
        (marks.let_go, marks.partly) = Default::default();
        marks.keep(file)
    }

    /// Deletes what was refused, and forgets what was refused in part; how many requests that were.
    ///
    /// # Errors
    /// When a file cannot be deleted.
    pub fn drop_refused(file: &Path) -> io::Result<usize> {
        let mut marks = Self::read(file);
        if std::mem::take(&mut marks.partly).0 > 0 {
            marks.keep(file)?;
        }
        let kept = RefusedRequest::all(file);
        kept.iter().try_for_each(|request| remove(&request.file))?;
        // A folder with anything else in it stays.
        let _ = std::fs::remove_dir(refused_folder(file));
        Ok(kept.len())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_refused_requests_are_kept_within_both_bounds() {
        let dir = tempfile::tempdir().unwrap();
        let (file, mut marks) = (dir.path().join("ship.json"), ShipMarks::default());
        for number in 0..MOST_REFUSED + 3 {
            marks.put_aside(&file, &number.to_string(), 400, ShipContent::Lines).unwrap();
        }
        let kept = RefusedRequest::all(&file);
        assert_eq!((kept.len(), marks.let_go), (MOST_REFUSED, 3));
        assert_eq!((kept[0].number, kept[0].status, kept[0].content), (4, 400, ShipContent::Lines));
        let half = "x".repeat(usize::try_from(MOST_REFUSED_BYTES / 2).unwrap());
        for _ in 0..2 {
            marks.put_aside(&file, &half, 413, ShipContent::Ids).unwrap();
        }
        let kept = RefusedRequest::all(&file);
        assert_eq!(kept.iter().map(|request| request.bytes).sum::<u64>(), MOST_REFUSED_BYTES);
        assert_eq!((kept.len(), ShipMarks::drop_refused(&file).unwrap()), (2, 2));
        assert!(RefusedRequest::all(&file).is_empty());
    }
}
