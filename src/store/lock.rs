//! One learner at a time: a lock beside the base that ends with its process.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::journal::{make_private_dir, private, regular};

/// How long to sleep between two tries for the lock.
const STEP: Duration = Duration::from_millis(20);

/// The right to change the base. Given back by its drop, and by the end of its process.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of a base; None where another process has it for longer than `patience`.
    ///
    /// # Errors
    /// When its file cannot be made.
    pub fn take(base: &Path, patience: Duration) -> io::Result<Option<Self>> {
        if let Some(dir) = base.parent() {
            make_private_dir(dir)?;
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        private(&mut options);
        let (file, _) = options.open(path_of(base)).and_then(regular)?;
        let until = Instant::now() + patience;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(Self { _file: file })),
                Err(TryLockError::WouldBlock) if Instant::now() < until => std::thread::sleep(STEP),
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }
}

/// Where the lock of a base is.
pub fn path_of(base: &Path) -> PathBuf {
    let mut name = base.as_os_str().to_owned();
    name.push(".lock");
    name.into()
}
