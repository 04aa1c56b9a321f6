//! The history under its lock: read, decide, append and state belong together, so that parallel hooks of one batch do
//! not both become attempt 2.

use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::HISTORY;
use super::file::{make_private_dir, open_append, open_lock, read_range};
use super::states::{Covered, States, file_id};
use crate::history::{Event, Line, State, parse};

/// How long a hook waits for the lock before it appends without it.
const LOCK_WAIT: Duration = Duration::from_millis(50);
/// How long to sleep between two tries for the lock.
const LOCK_STEP: Duration = Duration::from_millis(1);
/// The most of a history that is folded anew in one call; the rest is told as `history_truncated`.
const GAP_LIMIT: u64 = 1024 * 1024;

/// A folder that holds a history.
#[derive(Debug, Clone)]
pub struct Journal {
    dir: PathBuf,
}

/// The history under its lock, or without it where the lock could not be had in time.
pub struct Ledger {
    file: File,
    length: u64,
    /// How much of it is folded in: all but a last line that is not finished yet.
    folded: u64,
    ends_whole: bool,
    states: States,
    truncated: bool,
    /// Held for its drop.
    lock: Option<File>,
}

impl Journal {
    /// The history in a folder, which need not exist yet.
    pub fn in_dir(dir: &Path) -> Self {
        Self { dir: dir.to_owned() }
    }

    /// Takes the lock and brings the states up to date with the file.
    ///
    /// # Errors
    /// When the folder or the history cannot be made or opened, or is no regular file.
    pub fn begin(&self) -> io::Result<Ledger> {
        let (lock, file) = match self.open() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                make_private_dir(&self.dir)?;
                self.open()?
            }
            opened => opened?,
        };
        let mut ledger = Ledger {
            length: file.metadata()?.len(),
            folded: 0,
            file,
            ends_whole: true,
            states: States::in_dir(&self.dir),
            truncated: false,
            lock,
        };
        ledger.look_at_the_end()?;
        ledger.catch_up()?;
        Ok(ledger)
    }

    /// A node's state as the last hook left it, without the lock: enough to know whether there is anything to do.
    pub fn peek(&self, node: &str) -> Option<State> {
        let mut states = States::in_dir(&self.dir);
        let state = states.of(node).clone();
        state.started_at.map(|_| state)
    }

    fn open(&self) -> io::Result<(Option<File>, File)> {
        let lock = open_lock(&self.dir.join("history.lock"))?;
        let lock = wait_for(&lock).then_some(lock);
        Ok((lock, open_append(&self.dir.join(HISTORY))?))
    }
}

impl Ledger {
    /// The state of a node as of the end of the history.
    pub fn state(&mut self, node: &str) -> State {
        self.states.of(node);
        self.mend();
        self.states.of(node).clone()
    }

    /// The states of a node's siblings: those that the plan names, else the other subagents of its session.
    pub fn siblings(&mut self, node: &str, named: &[String]) -> Vec<State> {
        if named.is_empty() {
            return self.states.of_session_siblings(node);
        }
        for sibling in named {
            self.states.of(sibling);
        }
        self.mend();
        named.iter().map(|sibling| self.states.of(sibling).clone()).filter(|state| state.started_at.is_some()).collect()
    }

    /// Whether the state was made from the end of the history only.
    pub fn is_truncated(&self) -> bool {
        self.truncated
    }

    /// Appends events in one write, folds them in and saves the states. Without the lock the states are left to the
    /// next hook that has it. States that cannot be saved are made again from the history, so that is no error.
    ///
    /// # Errors
    /// When the write fails or is cut short: then the line is torn, and the next append starts on a new line.
    pub fn append(&mut self, events: &mut [Event]) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(1024);
        if !self.ends_whole {
            bytes.push(b'\n');
        }
        let mut places = Vec::with_capacity(events.len());
        for event in events.iter_mut() {
            event.unlocked = self.lock.is_none();
            event.history_truncated = self.truncated;
            places.push(self.length + bytes.len() as u64);
            serde_json::to_writer(&mut bytes, event).map_err(io::Error::other)?;
            bytes.push(b'\n');
        }
        let written = self.file.write(&bytes)?;
        if written < bytes.len() {
            return Err(io::Error::new(io::ErrorKind::WriteZero, "the line was cut short: is the disk full?"));
        }
        let expected = self.length + bytes.len() as u64;
        self.length = self.file.metadata()?.len();
        self.ends_whole = true;
        if self.length == expected || self.lock.is_none() {
            for (event, at) in events.iter().zip(places) {
                self.states.of(&event.node).step(event, at);
            }
            self.folded = self.length;
        } else {
            // A hook without the lock appended in between: only the file knows which line stands where.
            self.fold_from(self.folded)?;
        }
        self.mend();
        self.save();
        Ok(())
    }

    /// Keeps the states for the next hook, under the lock only. What is not kept, the next hook folds again.
    fn save(&mut self) {
        if self.lock.is_none() {
            return;
        }
        if let Ok(file_id) = file_id(&self.file) {
            let _ = self.states.save(Covered { length: self.folded, file_id });
        }
    }

    fn look_at_the_end(&mut self) -> io::Result<()> {
        if self.length > 0 {
            let last = read_range(&mut self.file, self.length - 1, 1)?;
            self.ends_whole = last == b"\n";
        }
        Ok(())
    }

    /// Folds in what other hands appended. A history that became shorter or another file is folded anew.
    fn catch_up(&mut self) -> io::Result<()> {
        let covered = self.states.covered();
        let id = file_id(&self.file)?;
        if covered == (Covered { length: self.length, file_id: id }) {
            return Ok(());
        }
        let same_file = covered.file_id == id && covered.length <= self.length;
        if !same_file && self.lock.is_some() {
            self.states.clear();
        }
        self.fold_from(if same_file { covered.length } else { 0 })?;
        self.mend();
        if self.length > 0 {
            self.save();
        }
        Ok(())
    }

    /// Makes the states again from the history, where one was met that could not be read.
    fn mend(&mut self) {
        if !self.states.damaged {
            return;
        }
        if self.lock.is_some() {
            self.states.clear();
        } else {
            self.states.forget();
        }
        // What cannot be read anew stays unknown: the verdict is then made without it.
        let _ = self.fold_from(0);
        self.states.damaged = false;
        self.save();
    }

    /// Folds in the events from a place on. A last line without its newline is left for later, unless it is an event.
    fn fold_from(&mut self, from: u64) -> io::Result<()> {
        let start = from.max(self.length.saturating_sub(GAP_LIMIT));
        let truncated = start > from;
        self.truncated |= truncated;
        let most = usize::try_from(self.length.saturating_sub(start)).unwrap_or(usize::MAX);
        let bytes = read_range(&mut self.file, start, most)?;
        let mut at = start;
        for (index, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
            let cut_in_half = index == 0 && truncated;
            match parse(line) {
                Line::Event(event) if !cut_in_half => self.states.of(&event.node).step(&event, at),
                _ if !line.ends_with(b"\n") => break,
                _ => {}
            }
            at += line.len() as u64;
        }
        self.folded = at;
        Ok(())
    }
}

/// Waits a bounded time: a stopped process that holds the lock must not stop the agent.
fn wait_for(lock: &File) -> bool {
    let until = Instant::now() + LOCK_WAIT;
    loop {
        match lock.try_lock() {
            Ok(()) => return true,
            Err(TryLockError::WouldBlock) if Instant::now() < until => std::thread::sleep(LOCK_STEP),
            Err(_) => return false,
        }
    }
}
