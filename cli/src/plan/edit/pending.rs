//! A change on its way to the files. It is written down as a whole before the first file is touched, so that a process
//! that is killed in the middle leaves a tree that the next command finishes: all of the change, or nothing of it.

use std::io;
use std::path::{Path, PathBuf};

use base64::prelude::{BASE64_STANDARD, Engine};
use serde::{Deserialize, Serialize};

use super::checkpoint::digest;
use super::disk::{self, Disk, inside, relative};
use super::error::ChangeError;
use crate::history::Event;
use crate::journal::{HISTORY, Journal, read_end};

/// Where it is written down.
const PENDING: &str = ".mutation.json";
/// The version of the record that is written, and the only one that is finished.
const SCHEMA_VERSION: u32 = 1;
/// How far back it is looked whether the events of a change are recorded.
const LOOK_BACK: usize = 1024 * 1024;
/// The largest record that is read: a whole tree with its checkpoints.
const LARGEST: u64 = 512 * 1024 * 1024;

/// A change: what each file holds afterwards, and what the history records.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Pending {
    schema_version: u32,
    files: Vec<Write>,
    events: Vec<Event>,
}

/// A file that changes.
#[derive(Debug, Serialize, Deserialize)]
struct Write {
    /// Relative to the tree.
    file: String,
    /// The digest of what it holds before; None where it is not there.
    before: Option<String>,
    /// What it holds afterwards; None where it is deleted.
    after_b64: Option<String>,
}

impl Pending {
    /// A change of some files of the tree, in the order in which they are written.
    pub(super) fn of(dir: &Path, changes: &[FileChange], events: Vec<Event>) -> Option<Self> {
        let write = |change: &FileChange| {
            Some(Write {
                file: relative(dir, &change.file)?,
                before: change.before.as_deref().map(digest),
                after_b64: change.after.as_deref().map(|bytes| BASE64_STANDARD.encode(bytes)),
            })
        };
        Some(Self { schema_version: SCHEMA_VERSION, files: changes.iter().map(write).collect::<Option<_>>()?, events })
    }

    /// Makes the change: from the first write on, it is made as a whole by whoever comes next. Under the tree's lock.
    pub(super) fn make(mut self, dir: &Path, history: &Path, disk: &mut dyn Disk) -> io::Result<()> {
        let record = dir.join(PENDING);
        disk.put(&record, &serde_json::to_vec(&self)?)?;
        self.apply(dir, disk)?;
        Journal::in_dir(history).begin_locked()?.append(&mut self.events)?;
        disk.remove(&record)
    }

    fn apply(&self, dir: &Path, disk: &mut dyn Disk) -> io::Result<()> {
        for Write { file, before, after_b64 } in &self.files {
            // The record may have been written by anybody: a path in it must not lead out of the tree.
            let path = inside(dir, file).ok_or(io::ErrorKind::InvalidInput)?;
            let after = match after_b64 {
                Some(text) => Some(BASE64_STANDARD.decode(text).map_err(|_| io::ErrorKind::InvalidData)?),
                None => None,
            };
            let now = if disk::exists(&path) { Some(disk::any(&path, LARGEST)?) } else { None };
            // Written already, or by somebody else in between: what they wrote is theirs.
            if now == after || now.as_deref().map(digest) != *before {
                continue;
            }
            match after {
                Some(bytes) => disk.put(&path, &bytes)?,
                None => disk.remove(&path)?,
            }
        }
        Ok(())
    }
}

/// A file and what becomes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileChange {
    pub(super) file: PathBuf,
    pub(super) before: Option<Vec<u8>>,
    pub(super) after: Option<Vec<u8>>,
}

/// Whether a change of the tree in `dir` was begun and not finished: [`super::Editor::begin`] finishes it.
pub fn is_left(dir: &Path) -> bool {
    disk::exists(&dir.join(PENDING))
}

/// Finishes the change of a process that was killed. Under the tree's lock.
pub(super) fn finish(dir: &Path, history: &Path, disk: &mut dyn Disk) -> Result<(), ChangeError> {
    let record = dir.join(PENDING);
    if !disk::exists(&record) {
        return Ok(());
    }
    let failed = |error: io::Error| ChangeError::Io {
        file: record.clone(),
        kind: error.kind(),
        hint: "it has an unfinished change; remove the obstacle and try again, or move the file away",
    };
    let bytes = disk::any(&record, LARGEST).map_err(failed)?;
    let mut pending: Pending = serde_json::from_slice(&bytes).map_err(|error| failed(error.into()))?;
    // What another version meant by its record can only be guessed, and a guess would write into the plan.
    if pending.schema_version != SCHEMA_VERSION {
        return Err(failed(io::ErrorKind::Unsupported.into()));
    }
    pending.apply(dir, disk).map_err(failed)?;
    // It may have been killed behind the append and before the record went: the events must not come twice.
    let mut ledger = Journal::in_dir(history).begin_locked().map_err(failed)?;
    let recorded = read_end(&history.join(HISTORY), LOOK_BACK).map_err(failed)?;
    if pending.events.first().is_some_and(|first| !recorded.contains(&format!("\"id\":\"{}\"", first.id))) {
        ledger.append(&mut pending.events).map_err(failed)?;
    }
    disk.remove(&record).map_err(failed)
}
