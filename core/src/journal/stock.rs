//! What is stored in a history's folder, for the commands that show it, set it aside or remove it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use chrono::NaiveDateTime;

use super::file::named;
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

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(named(path)(error)),
        _ => Ok(()),
    }
}
