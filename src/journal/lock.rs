//! The lock of a history, and what its file tells: how much of the history the states cover.

use std::fs::{File, Metadata, TryLockError};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use super::file::{is_gone, open_lock, read_start, regular, write_start};

/// How long to sleep between two tries for the lock.
const STEP: Duration = Duration::from_micros(200);
/// How long the record in the file can be.
const RECORD: usize = 64;

/// The lock's file, held or not.
pub(super) struct Lock {
    file: File,
    held: bool,
}

/// How much of which history the states cover.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Covered {
    pub(super) length: u64,
    pub(super) file_id: u64,
    /// How long the segments before it were together.
    pub(super) base: u64,
    /// Whether what they cover ends with a newline.
    pub(super) ends_whole: bool,
}

impl Lock {
    /// Takes the lock, or goes on without it where it cannot be had in time: a stopped process that holds it must not
    /// stop the agent.
    ///
    /// # Errors
    /// When its file cannot be made or opened, or is no regular file.
    pub(super) fn take(path: &Path, wait: Duration) -> io::Result<Self> {
        let until = Instant::now() + wait;
        loop {
            let file = open_lock(path)?;
            let held = wait_for(&file, until);
            let (file, meta) = regular(file, path)?;
            // All may have been purged while we waited: the lock that others take now is another file.
            let gone = is_gone(&meta);
            if !gone || Instant::now() >= until {
                return Ok(Self { file, held: held && !gone });
            }
        }
    }

    /// Whether the lock was had.
    pub(super) fn is_held(&self) -> bool {
        self.held
    }

    /// What the states cover; None where nothing says so.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(super) fn covered(&self) -> io::Result<Option<Covered>> {
        let mut record = [0; RECORD];
        let read = read_start(&self.file, &mut record)?;
        let text = record.get(..read).and_then(|record| str::from_utf8(record).ok());
        Ok(text.and_then(Covered::parse))
    }

    /// Records what the states cover, in one write of always the same length.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(super) fn record(&self, covered: Covered) -> io::Result<()> {
        let Covered { length, file_id, base, ends_whole } = covered;
        let text = format!("{length:<16} {file_id:<20} {base:<16} {}", u8::from(ends_whole));
        write_start(&self.file, format!("{text:<63}\n").as_bytes())
    }
}

impl Covered {
    fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.strip_suffix('\n')?.split_ascii_whitespace().map(str::parse);
        let mut next = || numbers.next()?.ok();
        Some(Self { length: next()?, file_id: next()?, base: next()?, ends_whole: next()? == 1 })
    }
}

/// What tells a history file from another one at the same place.
pub(super) fn file_id(meta: &Metadata) -> u64 {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        meta.ino()
    }
    #[cfg(not(unix))]
    {
        let _ = meta;
        0
    }
}

fn wait_for(lock: &File, until: Instant) -> bool {
    loop {
        match lock.try_lock() {
            Ok(()) => return true,
            Err(TryLockError::WouldBlock) if Instant::now() < until => std::thread::sleep(STEP),
            Err(_) => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_as_it_was_written_however_long_its_numbers_are() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let lock = Lock::take(&path, Duration::ZERO).unwrap();
        assert!(lock.is_held());
        assert_eq!(lock.covered().unwrap(), None);
        let records = [
            Covered { length: 12_345, file_id: u64::MAX, base: 1 << 50, ends_whole: true },
            Covered { length: 1, file_id: 2, base: 0, ends_whole: false },
        ];
        for covered in records {
            lock.record(covered).unwrap();
            assert_eq!(lock.covered().unwrap(), Some(covered));
            assert_eq!(std::fs::metadata(&path).unwrap().len(), RECORD as u64);
        }
    }

    #[test]
    fn a_record_that_is_cut_or_foreign_says_nothing() {
        for text in ["", "\n", "1 2 3", "1 2 3 1", "1 2\n", "-1 2 3 1\n", "x 2 3 1\n", "99999999999999999999 2 3 1\n"] {
            assert_eq!(Covered::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_lock_that_another_holds_is_not_waited_for_longer_than_told() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let first = Lock::take(&path, Duration::ZERO).unwrap();
        assert!(!Lock::take(&path, Duration::from_millis(1)).unwrap().is_held());
        drop(first);
        assert!(Lock::take(&path, Duration::ZERO).unwrap().is_held());
    }
}
