//! The lock of a history, and what its file tells: how much of the history the states cover.

use std::fmt::Write as _;
use std::fs::{File, Metadata};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant, UNIX_EPOCH};

use super::file::{
    is_gone, named, open_lock, open_sized, read_at, read_start, regular, wait_for, write_at, write_start,
};
use crate::digest::checksum;

/// How long to sleep between two tries for the lock.
const STEP: Duration = Duration::from_micros(200);
/// How long the record in the file is.
const RECORD: usize = 128;
/// How much of it the checksum takes, and a newline; the rest are the numbers.
const SUM: usize = 17;
/// Where the marks of the states begin, behind the record.
const MARKS: u64 = 4096;
/// How many marks there are. With two for each of 20,000 states, one new node in 700 seems to have had a state.
const MARK_BITS: u64 = 1 << 20;
/// How many of them stand in a byte, and what makes a letter of it: the file stays text.
const IN_BYTE: u64 = 6;
const LETTER: u8 = 0x40;

/// The lock's file, held or not. Given back by its drop.
pub struct Lock {
    file: File,
    held: bool,
    /// Why the file system gives no lock at all.
    refused: Option<io::Error>,
}

/// How much of which history the states cover.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Covered {
    pub(super) length: u64,
    pub(super) file_id: u64,
    /// How long the segments before it were together.
    pub(super) base: u64,
    /// How many states there are.
    pub(super) states: u64,
    /// Up to which place something of the history was left unread, counted from its beginning; 0 for nothing.
    pub(super) unread: u64,
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
            let had = wait_for(&file, until, STEP);
            let (file, meta) = regular(file).map_err(named(path))?;
            // All may have been purged while we waited: the lock that others take now is another file.
            let gone = is_gone(&meta);
            if !gone || Instant::now() >= until {
                let held = had.as_ref().is_ok_and(|held| *held && !gone);
                return Ok(Self { file, held, refused: had.err() });
            }
        }
    }

    /// What the states cover, for who does not want the lock; None where nothing says so.
    pub(super) fn look(path: &Path) -> Option<Covered> {
        let (file, _) = open_sized(path).ok()?;
        Self { file, held: false, refused: None }.covered().ok()?
    }

    /// Whether the lock was had.
    pub(super) fn is_held(&self) -> bool {
        self.held
    }

    /// Why it was not had: another process has it, or the file system gives none.
    pub(super) fn missing(&self) -> io::Error {
        let other = || io::Error::new(io::ErrorKind::WouldBlock, "another process has locked the history");
        self.refused.as_ref().map_or_else(other, |why| io::Error::new(why.kind(), why.to_string()))
    }

    /// What the states cover; None where nothing says so.
    pub(super) fn covered(&self) -> io::Result<Option<Covered>> {
        let mut record = [0; RECORD];
        let read = read_start(&self.file, &mut record)?;
        let text = record.get(..read).and_then(|record| str::from_utf8(record).ok());
        Ok(text.and_then(Covered::parse))
    }

    /// Whether a state of this name was ever kept since the marks were cleared; now and then one that was not seems so.
    pub(super) fn is_marked(&self, name: u64) -> io::Result<bool> {
        for bit in marks_of(name) {
            let mut byte = [0];
            read_at(&self.file, &mut byte, MARKS + bit / IN_BYTE)?;
            if byte[0] & (1 << (bit % IN_BYTE)) == 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Notes that a state of this name is kept, so that it is missed when it was deleted.
    pub(super) fn mark(&self, name: u64) -> io::Result<()> {
        for bit in marks_of(name) {
            let mut byte = [0];
            read_at(&self.file, &mut byte, MARKS + bit / IN_BYTE)?;
            write_at(&self.file, &[byte[0] | LETTER | 1 << (bit % IN_BYTE)], MARKS + bit / IN_BYTE)?;
        }
        Ok(())
    }

    /// Records what the states cover, in one write of always the same length.
    pub(super) fn record(&self, covered: Covered) -> io::Result<()> {
        write_start(&self.file, covered.to_text().as_bytes())
    }

    /// Withdraws what was recorded, and the marks with it, before the states are rebuilt: a process that is killed in
    /// the middle of that leaves a part of them.
    pub(super) fn forget(&self) -> io::Result<()> {
        write_start(&self.file, &[b' '; RECORD])?;
        self.file.set_len(RECORD as u64)
    }
}

impl Covered {
    fn to_text(self) -> String {
        let Self { length, file_id, base, states, ends_whole, unread } = self;
        let mut text = String::with_capacity(RECORD);
        for number in [length, file_id, base, states, u64::from(ends_whole), unread] {
            text.push_str(&number.to_string());
            text.push(' ');
        }
        // Padded, so that a shorter record leaves nothing of a longer one behind it.
        text.extend(std::iter::repeat_n(' ', (RECORD - SUM).saturating_sub(text.len())));
        let sum = checksum(text.as_bytes());
        let _ = writeln!(text, "{sum:016x}");
        text
    }

    fn parse(text: &str) -> Option<Self> {
        // A shorter one was written before there were marks: then the states are made again.
        let (numbers, sum) = text.strip_suffix('\n')?.split_at_checked(RECORD - SUM)?;
        if u64::from_str_radix(sum, 16) != Ok(checksum(numbers.as_bytes())) {
            return None;
        }
        let mut numbers = numbers.split_ascii_whitespace().map(str::parse);
        let mut next = || numbers.next()?.ok();
        let (length, file_id, base, states) = (next()?, next()?, next()?, next()?);
        Some(Self { length, file_id, base, states, ends_whole: next()? == 1, unread: next()? })
    }
}

/// What tells a history file from another one at the same place: its number, and when it was made, where that is known,
/// because the number of a file that was deleted is given to the next one.
pub(super) fn file_id(meta: &Metadata) -> u64 {
    let made = meta.created().ok().and_then(|made| made.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    let parts = [number(meta), made.as_secs(), u64::from(made.subsec_nanos())];
    checksum(parts.map(u64::to_le_bytes).as_flattened())
}

#[cfg(unix)]
fn number(meta: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(meta)
}

#[cfg(not(unix))]
fn number(_meta: &Metadata) -> u64 {
    0
}

/// The two marks of a name.
fn marks_of(name: u64) -> [u64; 2] {
    [name % MARK_BITS, (name >> 32) % MARK_BITS]
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
            Covered {
                length: 1 << 50,
                file_id: u64::MAX,
                base: 1 << 50,
                states: 1 << 30,
                ends_whole: true,
                unread: u64::MAX,
            },
            Covered { length: 1, file_id: 2, base: 0, states: 3, ends_whole: false, unread: 0 },
        ];
        for covered in records {
            lock.record(covered).unwrap();
            assert_eq!(lock.covered().unwrap(), Some(covered));
            assert_eq!(std::fs::metadata(&path).unwrap().len(), RECORD as u64);
        }
        lock.forget().unwrap();
        assert_eq!(lock.covered().unwrap(), None);
    }

    #[test]
    fn a_record_that_is_cut_or_foreign_says_nothing() {
        let summed = |numbers: &str| {
            let numbers = format!("{numbers:<0$}", RECORD - SUM);
            format!("{numbers}{:016x}\n", checksum(numbers.as_bytes()))
        };
        assert!(Covered::parse(&summed("1 2 3 4 1 5")).is_some());
        for numbers in ["", "1 2 3 4 1", "-1 2 3 4 1 5", "x 2 3 4 1 5", "99999999999999999999 2 3 4 1 5"] {
            assert_eq!(Covered::parse(&summed(numbers)), None, "{numbers:?}");
        }
        for text in ["", "\n", "1 2 3 4 1\n", summed("1 2 3 4 1").trim_end()] {
            assert_eq!(Covered::parse(text), None, "{text:?}");
        }
    }

    /// Wherever a write was cut, old digits and new ones make no number together.
    #[test]
    fn a_torn_record_says_nothing() {
        let old = Covered { length: 1200, file_id: 77, states: 2, ends_whole: true, ..Covered::default() };
        let (old, new) = (old.to_text(), Covered { length: 1399, ..old }.to_text());
        for cut in 0..=RECORD {
            let torn = format!("{}{}", &new[..cut], &old[cut..]);
            let is_whole = torn == old || torn == new;
            assert_eq!(Covered::parse(&torn).is_some(), is_whole, "cut at {cut}");
        }
    }

    #[test]
    fn what_was_kept_is_marked_until_all_is_forgotten() {
        let dir = tempfile::tempdir().unwrap();
        let lock = Lock::take(&dir.path().join("lock"), Duration::ZERO).unwrap();
        lock.record(Covered::default()).unwrap();
        let names: Vec<u64> = (0..1000_u64).map(|number| checksum(&number.to_le_bytes())).collect();
        let (kept, others) = names.split_at(500);
        for name in kept {
            lock.mark(*name).unwrap();
        }
        assert!(kept.iter().all(|name| lock.is_marked(*name).unwrap()));
        let seeming = others.iter().filter(|name| lock.is_marked(**name).unwrap()).count();
        assert!(seeming <= 1, "{seeming} that were not kept seem to have been");
        assert_eq!(lock.covered().unwrap(), Some(Covered::default()), "the record stays as it was");
        assert!(std::fs::read_to_string(dir.path().join("lock")).is_ok(), "all of it is text");
        lock.forget().unwrap();
        assert!(!kept.iter().any(|name| lock.is_marked(*name).unwrap()));
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
