//! A change on its way to the files. It is written down as a whole before the first file is touched, so that a process
//! that is killed in the middle leaves a tree that the next command finishes: all of the change, or nothing of it.

use std::collections::HashSet;
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

/// A file that could not be read or written, and why.
pub(super) type FileError = (PathBuf, io::Error);

/// Files, and what each is to hold; None where it is to go.
pub(super) type Unwritten = Vec<(PathBuf, Option<Vec<u8>>)>;

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

    /// Makes the change: from the first write on, it is made as a whole by whoever comes next. Under the tree's lock. Nothing
    /// is begun that cannot be ended: an error names the file.
    pub(super) fn make(mut self, dir: &Path, history: &Path, disk: &mut dyn Disk) -> Result<(), FileError> {
        let record = dir.join(PENDING);
        let of = |file: &Path| {
            let file = file.to_owned();
            move |error| (file, error)
        };
        let mut folders = HashSet::new();
        let targets = self.files.iter().map(|write| dir.join(&write.file)).chain([history.join(HISTORY)]);
        for target in targets.filter(|target| folders.insert(target.parent().map(Path::to_owned))) {
            disk::may_put(&target).map_err(of(&target))?;
        }
        let bytes = serde_json::to_vec(&self).map_err(|error| (record.clone(), error.into()))?;
        disk.put(&record, &bytes).map_err(of(&record))?;
        self.apply(dir, disk)?;
        let log = Journal::in_dir(history).begin_locked();
        log.and_then(|mut log| log.append(&mut self.events)).map_err(of(history))?;
        disk.remove(&record).map_err(of(&record))
    }

    fn apply(&self, dir: &Path, disk: &mut dyn Disk) -> Result<(), FileError> {
        for (path, after) in self.rest(dir)? {
            let put = match after {
                Some(bytes) => disk.put(&path, &bytes),
                None => disk.remove(&path),
            };
            put.map_err(|error| (path, error))?;
        }
        Ok(())
    }

    /// What is not written yet: each file, and what it holds afterwards.
    fn rest(&self, dir: &Path) -> Result<Unwritten, FileError> {
        let mut rest = Vec::new();
        for Write { file, before, after_b64 } in &self.files {
            // The record may have been written by anybody: a path in it must not lead out of the tree.
            let path = inside(dir, file).ok_or_else(|| (dir.join(file), io::ErrorKind::InvalidInput.into()))?;
            let after = after_b64.as_ref().map(|text| BASE64_STANDARD.decode(text)).transpose();
            let after = after.map_err(|_| (dir.join(PENDING), io::ErrorKind::InvalidData.into()))?;
            let now = disk::exists(&path).then(|| disk::any(&path, LARGEST)).transpose();
            let now = now.map_err(|error| (path.clone(), error))?;
            // Written already, or by somebody else in between: what they wrote is theirs.
            if now != after && now.as_deref().map(digest) == *before {
                rest.push((path, after));
            }
        }
        Ok(rest)
    }

    fn read(dir: &Path) -> io::Result<Self> {
        let pending: Self = serde_json::from_slice(&disk::any(&dir.join(PENDING), LARGEST)?)?;
        // What another version meant by its record can only be guessed, and a guess would write into the plan.
        if pending.schema_version == SCHEMA_VERSION { Ok(pending) } else { Err(io::ErrorKind::Unsupported.into()) }
    }
}

/// A file and what becomes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileChange {
    pub(super) file: PathBuf,
    pub(super) before: Option<Vec<u8>>,
    pub(super) after: Option<Vec<u8>>,
}

/// What a change of the tree in `dir` that was begun and not finished has not written yet: who only looks sees the tree as
/// it will be, and leaves it to the next [`super::Editor`].
pub(super) fn unwritten(dir: &Path) -> Unwritten {
    Pending::read(dir).ok().and_then(|pending| pending.rest(dir).ok()).unwrap_or_default()
}

/// Whether a change of the tree in `dir` was begun and not finished.
pub(super) fn is_left(dir: &Path) -> bool {
    disk::exists(&dir.join(PENDING))
}

/// The record of a change that was begun, where nobody can tell what it was, and why.
pub(super) fn unreadable(dir: &Path) -> Option<(PathBuf, String)> {
    let error = Pending::read(dir).err().filter(|_| is_left(dir))?;
    Some((dir.join(PENDING), error.to_string()))
}

/// Finishes the change of a process that was killed. Under the tree's lock.
pub(super) fn finish(dir: &Path, history: &Path, disk: &mut dyn Disk) -> Result<(), ChangeError> {
    let record = dir.join(PENDING);
    if !is_left(dir) {
        return Ok(());
    }
    let stopped = |(file, error): FileError| ChangeError::Io {
        file,
        kind: error.kind(),
        hint: "a change of the plan was begun and waits for it; remove the obstacle and try again, or move .mutation.json away",
    };
    let failed = |error| stopped((record.clone(), error));
    let mut pending = Pending::read(dir).map_err(failed)?;
    pending.apply(dir, disk).map_err(stopped)?;
    // It may have been killed behind the append and before the record went: the events must not come twice.
    let mut ledger = Journal::in_dir(history).begin_locked().map_err(failed)?;
    let recorded = read_end(&history.join(HISTORY), LOOK_BACK).map_err(failed)?;
    if pending.events.first().is_some_and(|first| !recorded.contains(&format!("\"id\":\"{}\"", first.id))) {
        ledger.append(&mut pending.events).map_err(failed)?;
    }
    disk.remove(&record).map_err(failed)
}
