//! What is stored in a history's folder, for the commands that show it, set it aside or remove it.

use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use chrono::NaiveDateTime;

use super::file::{LINE_LIMIT, named, open_sized, read_all_at, remove};
use super::ledger::Journal;
use super::states::{STATE, files};
use super::{HISTORY, LOCK, segments};

/// A file of Failwise's own in a history's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// Where it is.
    pub path: PathBuf,
    /// What it is.
    pub kind: StoredKind,
    /// How long it is, in bytes.
    pub bytes: u64,
}

/// What a stored file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoredKind {
    /// A part of the history that was set aside at that time: every event in it is older.
    Segment(NaiveDateTime),
    /// The history that hooks append to.
    History,
    /// Something that is made again from the history.
    State,
    /// The lock, which tells how much of the history the states cover.
    Lock,
}

impl Journal {
    /// The files of this history, in the order in which they are read; nothing else that is in the folder.
    pub fn stored(&self) -> Vec<Stored> {
        let segments = segments::list(&self.dir).unwrap_or_default();
        let mut stored: Vec<Stored> = segments
            .into_iter()
            .map(|segment| {
                let kind = StoredKind::Segment(segment.stamp);
                Stored { path: segment.path, kind, bytes: segment.length }
            })
            .collect();
        stored.extend(Stored::at(self.dir.join(HISTORY), StoredKind::History));
        let states = files(&self.dir.join(STATE)).unwrap_or_default().into_iter();
        stored.extend(states.filter_map(|path| Stored::at(path, StoredKind::State)));
        stored.extend(Stored::at(self.dir.join(LOCK), StoredKind::Lock));
        stored
    }

    /// The parts of this history in the order in which they are read, the current one last; none that was slipped in.
    pub fn parts(&self) -> Vec<PathBuf> {
        let segments = segments::of_history(&self.dir).unwrap_or_default();
        let current = Stored::at(self.dir.join(HISTORY), StoredKind::History);
        segments.into_iter().map(|segment| segment.path).chain(current.map(|current| current.path)).collect()
    }

    /// Calls `each` with the lines of this history from the last one on, back through all of its parts, until it breaks or
    /// `most` bytes are read. Blank lines, and those longer than any event, are passed over.
    ///
    /// # Errors
    /// When a part cannot be read.
    pub fn read_back(&self, most: u64, mut each: impl FnMut(&[u8]) -> ControlFlow<()>) -> io::Result<()> {
        let mut left = most;
        for part in self.parts().iter().rev() {
            if left == 0 || lines_back(part, &mut left, &mut each).map_err(named(part))?.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Sets the history aside as a segment, under the lock, and returns where it is now. Open episodes stay open. None
    /// where there is nothing to set aside.
    ///
    /// # Errors
    /// When the lock cannot be had within some seconds, or a file cannot be made or renamed.
    pub fn rotate(&self, now: NaiveDateTime) -> io::Result<Option<PathBuf>> {
        if fs::symlink_metadata(self.dir.join(HISTORY)).is_err() {
            return Ok(None);
        }
        self.begin_locked()?.rotate(now)
    }

    /// Takes stored files away, under the lock, and the lock too where no history is left. Files that are gone already
    /// are no error, and neither are folders that hold anything else: those stay.
    ///
    /// # Errors
    /// When the lock cannot be had within some seconds, or a file cannot be taken away.
    pub fn remove(&self, unwanted: &[Stored]) -> io::Result<()> {
        if unwanted.is_empty() {
            return Ok(());
        }
        let _lock = self.lock()?;
        // States first: without a history they would speak of nothing.
        for kind in [is_state, is_record] {
            for stored in unwanted.iter().filter(|stored| kind(stored.kind)) {
                remove(&stored.path)?;
            }
        }
        // The lock last, because it guards all of this; with a history it stays.
        if fs::symlink_metadata(self.dir.join(HISTORY)).is_err() {
            remove(&self.dir.join(LOCK))?;
        }
        // No link is a folder, so none is taken away.
        let _ = fs::remove_dir(self.dir.join(STATE));
        let _ = fs::remove_dir(&self.dir);
        Ok(())
    }
}

impl Stored {
    /// A regular file at a place, where there is one.
    fn at(path: PathBuf, kind: StoredKind) -> Option<Self> {
        let meta = fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?;
        Some(Self { path, kind, bytes: meta.len() })
    }
}

fn is_state(kind: StoredKind) -> bool {
    kind == StoredKind::State
}

fn is_record(kind: StoredKind) -> bool {
    matches!(kind, StoredKind::History | StoredKind::Segment(_))
}

/// How much of a file is read at once from its end on, in bytes.
const BLOCK: u64 = 64 * 1024;

/// The lines of a file from the last one on, as far as `left` reaches; what is read is taken off it.
fn lines_back(
    path: &Path,
    left: &mut u64,
    each: &mut impl FnMut(&[u8]) -> ControlFlow<()>,
) -> io::Result<ControlFlow<()>> {
    let (file, mut from) = open_sized(path)?;
    // The end of a line whose beginning is not read yet, and whether more of it was read than an event has.
    let (mut held, mut is_too_long) = (Vec::new(), false);
    while from > 0 && *left > 0 {
        // As much as is held, so that a long line is not copied for each block of it.
        let size = BLOCK.max(held.len() as u64).min(from).min(*left);
        from -= size;
        *left -= size;
        let mut bytes = vec![0; usize::try_from(size).unwrap_or_default()];
        let read = read_all_at(&file, &mut bytes, from)?;
        bytes.truncate(read);
        bytes.append(&mut held);
        let mut end = bytes.len();
        while let Some(at) = bytes[..end].iter().rposition(|byte| *byte == b'\n') {
            let line = &bytes[at + 1..end];
            end = at;
            let is_event = !line.is_empty() && line.len() as u64 <= LINE_LIMIT;
            if !std::mem::take(&mut is_too_long) && is_event && each(line).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        bytes.truncate(end);
        is_too_long |= bytes.len() as u64 > LINE_LIMIT;
        held = if is_too_long { Vec::new() } else { bytes };
    }
    let is_whole = from == 0 && !is_too_long && !held.is_empty();
    Ok(if is_whole { each(&held) } else { ControlFlow::Continue(()) })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn back(dir: &Path, most: u64) -> io::Result<Vec<String>> {
        let mut lines = Vec::new();
        Journal::in_dir(dir).read_back(most, |line| {
            lines.push(String::from_utf8_lossy(line).into_owned());
            ControlFlow::Continue(())
        })?;
        Ok(lines)
    }

    fn part() -> impl Strategy<Value = Vec<String>> {
        let line = (prop_oneof![0..9_usize, 65_000..66_000_usize], "[a-z]").prop_map(|(many, sign)| sign.repeat(many));
        prop::collection::vec(line, 0..6)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn what_is_read_back_is_what_stands_there(older in part(), newer in part(), is_torn in any::<bool>()) {
            let dir = tempfile::tempdir().unwrap();
            let end = if is_torn { "" } else { "\n" };
            fs::write(dir.path().join("history-20260301T100000Z.jsonl"), older.join("\n") + "\n").unwrap();
            fs::write(dir.path().join(HISTORY), newer.join("\n") + end).unwrap();
            let lines = older.iter().chain(&newer).rev().filter(|line| !line.is_empty());
            let lines: Vec<String> = lines.cloned().collect();
            prop_assert_eq!(&back(dir.path(), u64::MAX).unwrap(), &lines);
            let some = back(dir.path(), BLOCK + 100).unwrap();
            prop_assert!(some.iter().map(String::len).sum::<usize>() as u64 <= BLOCK + 100);
            prop_assert_eq!(&some[..], &lines[..some.len()]);
        }
    }

    #[test]
    fn a_line_longer_than_any_event_is_passed_over() {
        let dir = tempfile::tempdir().unwrap();
        let long = "x".repeat(usize::try_from(LINE_LIMIT).unwrap() + 9);
        fs::write(dir.path().join(HISTORY), format!("first\n{long}\nlast\n")).unwrap();
        assert_eq!(back(dir.path(), u64::MAX).unwrap(), ["last", "first"]);
    }
}
