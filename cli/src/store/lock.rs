//! One learner at a time: a lock beside the base that ends with its process.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::journal::{make_private_dir, named, open_lock, regular, wait_for};

/// How long to sleep between two tries for the lock.
const STEP: Duration = Duration::from_millis(20);

/// The right to change the base. Given back by its drop, and by the end of its process.
#[derive(Debug)]
pub struct BaseLock {
    _file: File,
}

impl BaseLock {
    /// Takes the lock of a base; None where another process has it for longer than `patience`.
    ///
    /// # Errors
    /// When its file cannot be made, or its file system has no locks.
    pub fn take(base: &Path, patience: Duration) -> io::Result<Option<Self>> {
        if let Some(dir) = base.parent() {
            make_private_dir(dir)?;
        }
        let path = path_of(base);
        let (file, _) = open_lock(&path).and_then(regular)?;
        let is_had = wait_for(&file, Instant::now() + patience, STEP).map_err(named(&path))?;
        Ok(is_had.then_some(Self { _file: file }))
    }
}

/// Where the lock of a base is.
pub fn path_of(base: &Path) -> PathBuf {
    let mut name = base.as_os_str().to_owned();
    name.push(".lock");
    name.into()
}
