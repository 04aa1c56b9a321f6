//! Who began a history: the first line of its parts, and taking over one that somebody else began.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use super::file::{make_private_dir, named, open_sized, private, read_start};
use super::segments;
use super::states::{STATE, files};
use super::{HISTORY, ledger::Journal};
use crate::history::Event;
use crate::trust::LONGEST_OPENING;
use crate::trust::begun_by;

/// The beginning of a file, far enough for the line that says who began it; empty where there is no regular file.
pub fn opening(path: &Path) -> Vec<u8> {
    let mut buffer = [0; LONGEST_OPENING];
    let read = open_sized(path).and_then(|(file, _)| read_start(&file, &mut buffer)).unwrap_or_default();
    buffer.get(..read).unwrap_or_default().to_vec()
}

/// Puts a small file in its place as a whole, private to the user.
///
/// # Errors
/// When the folder or the file cannot be made.
pub fn put_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(dir) = path.parent() {
        make_private_dir(dir)?;
    }
    replace(path, |file| file.write_all(bytes))
}

/// Replaces a file by a new one. What a killed process left beside it is written over only where the number of this
/// process comes again.
pub fn replace(path: &Path, write: impl FnOnce(&mut fs::File) -> io::Result<()>) -> io::Result<()> {
    // A name that the plan tree's own `.gitignore` covers.
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.tmp", std::process::id()));
    let beside = path.with_file_name(name);
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    private(&mut options);
    let written = options.open(&beside).and_then(|mut file| write(&mut file)).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written.map_err(named(path))
}

impl Journal {
    /// Begins the history in the folder anew where it was deleted, as this user's own.
    pub fn begin_missing(&self, history_id: &str, ts: &str) -> io::Result<()> {
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true);
        private(&mut options);
        let path = self.dir.join(HISTORY);
        match options.open(&path) {
            Ok(mut file) => file.write_all(&begun_line(history_id, ts)?),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(error),
        }
        .map_err(named(&path))
    }
}

fn begun_line(history_id: &str, ts: &str) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(&Event::history_begun(history_id, ts))?;
    line.push(b'\n');
    Ok(line)
}

impl Journal {
    /// Makes the history in the folder this user's own: every part of it begins with a line that carries the id. What was in
    /// it stays behind that line; the states are made again. A part that begins so already stays as it is.
    ///
    /// # Errors
    /// When the lock cannot be had within some seconds, or a file cannot be read or written.
    pub fn begin_as(&self, history_id: &str, ts: &str) -> io::Result<()> {
        make_private_dir(&self.dir)?;
        let lock = self.lock()?;
        let current = self.dir.join(HISTORY);
        let older = segments::list(&self.dir)?.into_iter().map(|segment| segment.path);
        let foreign: Vec<_> =
            older.chain([current]).filter(|part| begun_by(&opening(part)).as_deref() != Some(history_id)).collect();
        if foreign.is_empty() {
            return Ok(());
        }
        let line = begun_line(history_id, ts)?;
        lock.forget()?;
        for state in files(&self.dir.join(STATE))? {
            fs::remove_file(&state).map_err(named(&state))?;
        }
        for part in foreign {
            let before = match open_sized(&part) {
                Ok((file, _)) => Some(file),
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                Err(error) => return Err(named(&part)(error)),
            };
            replace(&part, |file| {
                file.write_all(&line)?;
                before.map_or(Ok(0), |mut before| io::copy(&mut before, file)).map(drop)
            })?;
        }
        Ok(())
    }
}
