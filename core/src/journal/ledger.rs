//! The history under its lock: read, decide, append and state belong together, so that parallel hooks of one batch do
//! not both become attempt 2.

use std::fs::{self, File, Metadata};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use chrono::NaiveDateTime;

use super::doubt::DoubtfulLine;
use super::file::{make_private_dir, named, open_append, open_read, read_range, remove};
use super::lock::{Covered, Lock, file_id};
use super::origin::opening;
use super::segments;
use super::states::StateFolder;
use super::{HISTORY, LOCK};
use crate::history::{Event, Line, State, agents_of, parse, session_parent};
use crate::time::stamp;
use crate::trust::begun_by;

/// How long a hook waits for the lock before it appends without it.
const HOOK_WAIT: Duration = Duration::from_millis(50);
/// How long a command waits for the lock before it fails.
const COMMAND_WAIT: Duration = Duration::from_secs(5);
/// The most of what other hands appended that is folded in in one call. What stands before it is left unread, and the
/// nodes that it may concern say so.
const GAP_LIMIT: u64 = 1024 * 1024;
/// The most of a history that is folded again in one call for states that are lost. The same holds.
const LOOK_BACK: u64 = 8 * GAP_LIMIT;
/// The room that a line takes without its text.
const LINE_ROOM: usize = 1024;
/// How often doubts are looked for that came up while others were told.
const DOUBTS: usize = 3;
/// How often a write that a signal interrupted is tried again.
const WRITE_TRIES: usize = 8;

/// A folder that holds a history.
#[derive(Debug, Clone)]
pub struct Journal {
    pub(super) dir: PathBuf,
}

/// The history under its lock, or without it where the lock could not be had in time.
pub struct Ledger {
    dir: PathBuf,
    file: File,
    file_id: u64,
    length: u64,
    /// How long the segments before this file are together: places in states count from the beginning of the first.
    base: u64,
    /// How much of the file is folded in: all but a last line that is not finished yet.
    folded: u64,
    ends_whole: bool,
    states: StateFolder,
    /// Whether something could not be read.
    lacking: bool,
    /// How much of the history was read before anything was decided.
    read_to: u64,
    /// Verdicts that were made without knowing of what stands before them.
    doubts: Vec<Event>,
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
        self.begin_within(HOOK_WAIT)
    }

    /// As [`Journal::begin`], for a command: it has time to wait, and does nothing without the lock.
    ///
    /// # Errors
    /// As [`Journal::begin`], and when the lock cannot be had within some seconds.
    pub fn begin_locked(&self) -> io::Result<Ledger> {
        let ledger = self.begin_within(COMMAND_WAIT)?;
        match ledger.states.lock_missing() {
            None => Ok(ledger),
            Some(why) => Err(self.locked_out(why)),
        }
    }

    /// The lock alone, for a command.
    ///
    /// # Errors
    /// When it cannot be had within some seconds.
    pub fn lock(&self) -> io::Result<Lock> {
        self.lock_by(LOCK)
    }

    /// A lock of another name in the same folder, for a command.
    ///
    /// # Errors
    /// As [`Journal::lock`].
    pub fn lock_by(&self, name: &str) -> io::Result<Lock> {
        let path = self.dir.join(name);
        let lock = Lock::take(&path, COMMAND_WAIT)?;
        if lock.is_held() { Ok(lock) } else { Err(named(&path)(lock.missing())) }
    }

    fn locked_out(&self, why: io::Error) -> io::Error {
        named(&self.dir.join(LOCK))(why)
    }

    fn begin_within(&self, wait: Duration) -> io::Result<Ledger> {
        let (lock, (file, meta)) = match self.open(wait) {
            // Made only when it is missed: nearly always it is there, and looking would cost a system call.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                make_private_dir(&self.dir)?;
                self.open(wait)?
            }
            opened => opened?,
        };
        let mut ledger = Ledger {
            dir: self.dir.clone(),
            file_id: file_id(&meta),
            length: meta.len(),
            base: 0,
            folded: 0,
            file,
            ends_whole: true,
            states: StateFolder::with_lock(&self.dir, lock),
            lacking: false,
            read_to: 0,
            doubts: Vec::new(),
        };
        ledger.catch_up();
        ledger.read_to = ledger.base + ledger.length;
        Ok(ledger)
    }

    /// A node's state as the last hook left it, without the lock where it is whole: enough to know whether there is
    /// anything to do.
    pub fn peek(&self, node: &str) -> Option<State> {
        let mut states = StateFolder::in_dir(&self.dir);
        let state = states.take(node);
        if !states.is_damaged() {
            return state.started_at.map(|_| state);
        }
        // A process that was killed left it torn: only the history can restore it, and that needs the lock.
        let state = Rc::unwrap_or_clone(self.begin().ok()?.state(node));
        state.started_at.map(|_| state)
    }

    /// As [`Journal::peek`], for who asks for one field of the state only: a whole file without its name is not parsed.
    pub fn peek_for(&self, field: &str, node: &str) -> Option<State> {
        if StateFolder::in_dir(&self.dir).lacks(field, node) { None } else { self.peek(node) }
    }

    /// The states of a session's node and of its subagents, as the last hooks left them; what is torn is left out.
    pub fn peek_session(&self, node: &str) -> Vec<State> {
        let mut states = StateFolder::in_dir(&self.dir);
        let all = std::iter::once(node.to_owned()).chain(states.agents_beside(node));
        all.map(|node| states.take(&node)).filter(|state| state.started_at.is_some()).collect()
    }

    fn open(&self, wait: Duration) -> io::Result<(Lock, (File, Metadata))> {
        let lock = Lock::take(&self.dir.join(LOCK), wait)?;
        Ok((lock, open_append(&self.dir.join(HISTORY))?))
    }
}

impl Ledger {
    /// The state of a node as of the end of the history.
    pub fn state(&mut self, node: &str) -> Rc<State> {
        self.states.of(node);
        self.restore_damaged();
        Rc::clone(self.states.of(node))
    }

    /// The states of a node's siblings: those that the plan names, else the other subagents of its session that began
    /// last.
    pub fn siblings(&mut self, node: &str, named: &[String]) -> Vec<State> {
        match session_parent(node) {
            Some(session) if named.is_empty() => {
                let agents = self.agents_beside(node, session);
                self.begun(&agents)
            }
            _ => self.begun(named),
        }
    }

    /// The subagents of a session that began last, the node left out.
    fn agents_beside(&mut self, node: &str, session: &str) -> Vec<String> {
        // Restored where it is lost.
        self.state(&agents_of(session));
        self.states.agents_beside(node)
    }

    /// The states of those of these nodes that have begun.
    fn begun(&mut self, nodes: &[String]) -> Vec<State> {
        for node in nodes {
            self.states.of(node);
        }
        self.restore_damaged();
        let states = nodes.iter().map(|node| State::clone(self.states.of(node)));
        states.filter(|state| state.started_at.is_some()).collect()
    }

    /// The states of the other agents of a node's session: its main thread, and the subagents that began last.
    pub fn session(&mut self, node: &str) -> Vec<State> {
        let session = session_parent(node).unwrap_or(node);
        let mut others = self.agents_beside(node, session);
        others.extend((session != node).then(|| session.to_owned()));
        self.begun(&others)
    }

    /// Whether a part of the node's past was not read: until the episodes that are open now have ended.
    pub fn is_truncated(&mut self, node: &str) -> bool {
        // Nearly always it is loaded by now: what an event of it was decided on.
        let known = self.states.is_truncated(node).filter(|_| !self.states.is_damaged());
        self.lacking || known.unwrap_or_else(|| self.state(node).truncated)
    }

    /// Appends events in one write, folds them in and saves the states. Without the lock the states are left to the
    /// next hook that has it. States that cannot be saved are made again from the history, so that is no error.
    ///
    /// # Errors
    /// When the write fails or is cut short: then the line is torn, and the next append starts on a new line.
    pub fn append(&mut self, events: &mut [Event]) -> io::Result<()> {
        let lines = self.lines(events)?;
        let (at, expected) = (self.base + self.length, self.length + lines.bytes.len() as u64);
        let on_new_line = self.write_lines(&lines).map_err(|error| named(&self.dir.join(HISTORY))(error))?;
        // The events are recorded: what cannot be read from here on, the next hook makes good.
        self.measure(expected);
        if self.length == expected {
            self.read_to = self.base + expected;
        }
        if self.length != expected && !on_new_line && self.is_welded(lines.bytes.len()) {
            self.write_again(lines.first()).map_err(|error| named(&self.dir.join(HISTORY))(error))?;
            self.measure(expected);
        }
        self.ends_whole = true;
        if self.length == expected || !self.states.are_kept() {
            for (event, start) in events.iter().zip(&lines.starts) {
                self.states.step(event, at + *start as u64);
            }
            self.folded = self.length;
        } else {
            // Another process appended in between: only the file knows which line is where.
            self.look_at_the_end();
            self.fold_from(self.folded);
            self.tell_doubts();
        }
        self.restore_damaged();
        self.save();
        Ok(())
    }

    /// Appends which verdicts are in doubt.
    fn tell_doubts(&mut self) {
        // What another process appends at that very moment may make doubts of its own.
        for _ in 0..DOUBTS {
            if self.doubts.is_empty() || !self.states.are_kept() {
                return;
            }
            let mut doubts = self.doubts.clone();
            let Ok(lines) = self.lines(&mut doubts) else { return };
            let expected = self.length + lines.bytes.len() as u64;
            if self.write_lines(&lines).is_err() {
                // Who folds the same lines in again finds them again.
                return self.states.distrust();
            }
            self.doubts.clear();
            self.measure(expected);
            self.ends_whole = true;
            if self.length == expected {
                self.folded = expected;
                return;
            }
            self.look_at_the_end();
            self.fold_from(self.folded);
        }
    }

    fn lines(&mut self, events: &mut [Event]) -> io::Result<WrittenLines> {
        let texts: usize = events.iter().filter_map(|event| event.execution()?.text.as_ref()).map(String::len).sum();
        // Text grows by its escapes, and a verdict follows.
        let bytes = Vec::with_capacity(texts + texts / 8 + LINE_ROOM * events.len());
        let mut lines = WrittenLines { bytes, starts: Vec::with_capacity(events.len()) };
        if !self.ends_whole {
            lines.bytes.push(b'\n');
        }
        for event in events {
            event.unlocked = !self.states.is_locked();
            event.read_to = event.unlocked.then_some(self.read_to);
            event.history_truncated = self.is_truncated(event.subject());
            lines.starts.push(lines.bytes.len());
            serde_json::to_writer(&mut lines.bytes, event).map_err(io::Error::other)?;
            lines.bytes.push(b'\n');
        }
        Ok(lines)
    }

    /// Puts the older part of the history aside as a segment, which begins a new file. Open episodes stay open: places
    /// go on counting from the first segment. None where there is nothing to put aside.
    pub(super) fn rotate(&mut self, now: NaiveDateTime) -> io::Result<Option<PathBuf>> {
        if self.length == 0 {
            return Ok(None);
        }
        if !self.ends_whole {
            self.file.write_all(b"\n")?;
        }
        let name = segments::next_name(segments::list(&self.dir)?.last(), now);
        let (path, target) = (self.dir.join(HISTORY), self.dir.join(name));
        let begun = begun_by(&opening(&path)).map(|id| Event::history_begun(&id, &stamp(now.and_utc())));
        fs::rename(&path, &target).map_err(named(&path))?;
        // Asked again: the newline above is new, and a hook that went on without the lock may have appended too.
        let base = self.base + self.file.metadata()?.len();
        let (file, meta) = open_append(&path)?;
        self.file = file;
        (self.file_id, self.length, self.base, self.folded, self.ends_whole) = (file_id(&meta), 0, base, 0, true);
        match begun {
            Some(begun) => self.append(&mut [begun])?,
            None => self.save(),
        }
        Ok(Some(target))
    }

    /// Takes states away and counts the others, of which there were so many. Only who keeps states may do that.
    pub(super) fn drop_states(&mut self, paths: &[PathBuf], count: u64) -> io::Result<usize> {
        if !self.states.are_kept() {
            return Ok(0);
        }
        for path in paths {
            remove(path)?;
        }
        self.states.count = count.saturating_sub(paths.len() as u64);
        self.save();
        Ok(paths.len())
    }

    /// Keeps the states for the next hook, under the lock only. What is not kept, the next hook folds again.
    fn save(&mut self) {
        let Self { folded: length, file_id, base, ends_whole, .. } = *self;
        self.states.save(Covered { length, file_id, base, ends_whole, ..Covered::default() });
    }

    /// An end that cannot be read may be torn; an empty line too many costs nothing.
    fn look_at_the_end(&mut self) {
        if self.length > 0 {
            self.ends_whole = read_range(&mut self.file, self.length - 1, 1).is_ok_and(|last| last == b"\n");
        }
    }

    /// Folds in what other processes appended. A history that was cut or replaced is folded from the start.
    fn catch_up(&mut self) {
        match self.states.covered() {
            Some(covered) if self.continues(covered) => {
                (self.base, self.folded, self.ends_whole) = (covered.base, covered.length, covered.ends_whole);
                if covered.length == self.length {
                    return;
                }
                self.look_at_the_end();
                self.fold_from(covered.length);
                self.restore_damaged();
                self.tell_doubts();
            }
            _ => {
                self.look_at_the_end();
                self.refold();
            }
        }
        if self.length > 0 {
            self.save();
        }
    }

    /// Whether the file is the one that the states cover, with nothing or more behind that. A file that was written over
    /// by a longer one betrays itself by its lines; one that cannot be read does not.
    fn continues(&mut self, covered: Covered) -> bool {
        if covered.file_id != self.file_id || covered.length >= self.length || !covered.ends_whole {
            return covered.file_id == self.file_id && covered.length <= self.length;
        }
        // States that covered whole lines ended behind a newline. Where none is there now, the file was written over.
        let before = covered.length.checked_sub(1).map(|at| read_range(&mut self.file, at, 1).unwrap_or_default());
        before.is_none_or(|last| last.is_empty() || last == b"\n")
    }

    /// Makes states again from the history that were met and are not to be had. The others stay: they are whole, and know
    /// how far they go.
    fn restore_damaged(&mut self) {
        if !self.states.is_damaged() {
            return;
        }
        let end = self.base + self.folded;
        // On the way to an agent its session's list may be met, which may be lost too.
        while self.states.is_damaged() {
            let nodes = self.states.take_damaged();
            self.states.begin_again(&nodes, end.saturating_sub(LOOK_BACK));
            let mut step = |ledger: &mut Self, event: Event, at: u64| ledger.states.step_only(&event, at, &nodes);
            if self.look_back(end, &mut |ledger, part| _ = ledger.each_event(part, &mut step)).is_err() {
                self.lack();
            }
        }
        // Doubts come first: a record that goes beyond their verdicts would end the search for them.
        if self.doubts.is_empty() {
            self.save();
        }
    }

    /// Makes the states again from the end of the whole history, older segments included.
    fn refold(&mut self) {
        self.states.clear();
        let segments = segments::of_history(&self.dir).map_err(|_| self.lack()).unwrap_or_default();
        self.base = segments.iter().map(|segment| segment.length).sum();
        let end = self.base + self.length;
        self.states.leave_unread(end.saturating_sub(LOOK_BACK));
        let mut folded = self.base;
        let mut step = |ledger: &mut Self, event: Event, at: u64| ledger.states.step(&event, at);
        let read = self.look_back(end, &mut |ledger, part| folded = ledger.each_event(part, &mut step));
        if read.is_err() {
            self.lack();
        }
        self.folded = folded.saturating_sub(self.base);
    }

    /// Reads the history's end up to a place, segments included, a part at a time.
    fn look_back(&mut self, end: u64, each: &mut dyn FnMut(&mut Self, LedgerPart<'_>)) -> io::Result<()> {
        let unread = end.saturating_sub(LOOK_BACK);
        // Segments that are not needed are not asked for: nearly always all is in the one file.
        let older = if unread < self.base { self.look_at_segments(unread, each) } else { Ok(()) };
        let start = unread.saturating_sub(self.base);
        let bytes = read_whole(&mut self.file, start, end.saturating_sub(self.base))?;
        each(self, LedgerPart { bytes: &bytes, start: self.base + start, is_cut: start > 0 });
        older
    }

    fn look_at_segments(&mut self, unread: u64, each: &mut dyn FnMut(&mut Self, LedgerPart<'_>)) -> io::Result<()> {
        let segments = segments::of_history(&self.dir)?;
        // Older ones may have been deleted since; places go on counting.
        let mut at = self.base.saturating_sub(segments.iter().map(|segment| segment.length).sum());
        for segment in segments {
            if at + segment.length > unread {
                let from = unread.saturating_sub(at);
                let bytes = read_whole(&mut open_read(&segment.path)?, from, segment.length)?;
                each(self, LedgerPart { bytes: &bytes, start: at + from, is_cut: from > 0 });
            }
            at += segment.length;
        }
        Ok(())
    }

    /// A part of the history could not be read: the verdict is made without it, and states that lack it are not kept.
    fn lack(&mut self) {
        self.lacking = true;
        self.states.distrust();
    }

    /// Folds in the events of the file from a place on.
    fn fold_from(&mut self, from: u64) {
        let start = from.max(self.length.saturating_sub(GAP_LIMIT));
        if start > from {
            self.states.leave_unread(self.base + start);
        }
        if let Ok(bytes) = read_whole(&mut self.file, start, self.length) {
            let part = LedgerPart { bytes: &bytes, start: self.base + start, is_cut: start > from };
            let mut heard = DoubtfulLine::default();
            let folded = self.each_event(part, &mut |ledger, event, at| {
                ledger.states.step(&event, at);
                heard.hear(event, at);
            });
            self.folded = folded.saturating_sub(self.base);
            self.doubts = heard.doubts(|before| self.events_between(before, self.base + start));
        } else {
            self.lack();
        }
    }

    /// Takes the events of a part one after the other, with their places, and tells where the last whole line ends. A
    /// last line without its newline is left for later, unless it is an event.
    fn each_event(&mut self, part: LedgerPart<'_>, take: &mut dyn FnMut(&mut Self, Event, u64)) -> u64 {
        let mut at = part.start;
        for (index, line) in part.bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
            match parse(line) {
                Line::Event(event) if index > 0 || !part.is_cut => take(self, *event, at),
                // Whoever writes it may not be done: counted now, its rest would be lost.
                _ if !line.ends_with(b"\n") => break,
                _ => {}
            }
            at += line.len() as u64;
        }
        at
    }

    /// The events of the file between two places.
    fn events_between(&mut self, from: u64, to: u64) -> Vec<Event> {
        let from = from.max(to.saturating_sub(GAP_LIMIT)).max(self.base);
        let bytes = read_whole(&mut self.file, from - self.base, to.saturating_sub(self.base)).unwrap_or_default();
        let mut events = Vec::new();
        let part = LedgerPart { bytes: &bytes, start: from, is_cut: false };
        self.each_event(part, &mut |_, event, _| events.push(event));
        events
    }

    /// One write of whole lines. Where it was cut short, what did not come through is written once more. Tells whether
    /// what it wrote last surely begins on a new line.
    fn write_lines(&mut self, lines: &WrittenLines) -> io::Result<bool> {
        let written = write_once(&mut self.file, &lines.bytes)?;
        if written < lines.bytes.len() {
            self.write_again(lines.torn_by(written))?;
            return Ok(true);
        }
        Ok(!self.ends_whole)
    }

    /// Writes lines again, on a new line: what is there of them is a fragment that readers skip.
    fn write_again(&mut self, lines: &[u8]) -> io::Result<()> {
        let bytes = [b"\n", lines].concat();
        if write_once(&mut self.file, &bytes)? < bytes.len() {
            return Err(io::Error::new(io::ErrorKind::WriteZero, "the line was cut short: is the disk full?"));
        }
        Ok(())
    }

    /// Whether our last write continues the line of a process that was killed in the middle of its own, after we had
    /// looked at the end.
    fn is_welded(&mut self, written: usize) -> bool {
        // An append leaves the position behind its own last byte, whatever others wrote since.
        let Ok(end) = self.file.stream_position() else { return false };
        match end.checked_sub(written as u64).filter(|start| *start > 0) {
            Some(start) => read_range(&mut self.file, start - 1, 1).is_ok_and(|before| before != b"\n"),
            None => false,
        }
    }

    /// Looks where the last write ended. What others append behind it is for the next hook.
    fn measure(&mut self, expected: u64) {
        let length = self.file.stream_position();
        if length.is_err() {
            self.states.distrust();
        }
        self.length = length.unwrap_or(expected);
    }
}

/// A part of the history as it was read.
#[derive(Clone, Copy)]
struct LedgerPart<'a> {
    bytes: &'a [u8],
    /// Where it begins.
    start: u64,
    /// Whether its first line may be cut in half.
    is_cut: bool,
}

/// Lines as they are written, and where each event begins among them.
struct WrittenLines {
    bytes: Vec<u8>,
    starts: Vec<usize>,
}

impl WrittenLines {
    /// The first event's line.
    fn first(&self) -> &[u8] {
        let start = self.starts.first().copied().unwrap_or_default();
        let end = self.starts.get(1).copied().unwrap_or(self.bytes.len());
        self.bytes.get(start..end).unwrap_or_default()
    }

    /// The lines that a write of so many bytes did not bring through. A line that lacks only its newline is there.
    fn torn_by(&self, written: usize) -> &[u8] {
        let ends = self.starts.iter().skip(1).copied().chain([self.bytes.len()]);
        let whole = ends.take_while(|end| *end <= written + 1).count();
        let torn = self.starts.get(whole).copied().unwrap_or(self.bytes.len());
        self.bytes.get(torn..).unwrap_or_default()
    }
}

/// One write. A signal that comes before its first byte is no reason to lose an event.
fn write_once(file: &mut File, bytes: &[u8]) -> io::Result<usize> {
    let mut written = file.write(bytes);
    for _ in 1..WRITE_TRIES {
        match written {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => written = file.write(bytes),
            _ => break,
        }
    }
    written
}

/// A file from a place to its end as it was seen; less than that is not taken for all there is.
fn read_whole(file: &mut File, from: u64, end: u64) -> io::Result<Vec<u8>> {
    let length = usize::try_from(end.saturating_sub(from)).unwrap_or(usize::MAX);
    let bytes = read_range(file, from, length)?;
    if bytes.len() < length { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_short_write_left_out_is_told_line_by_line() {
        let lines = WrittenLines { bytes: b"\none\ntwo\n".to_vec(), starts: vec![1, 5] };
        let torn: Vec<&[u8]> = (0..=9).map(|written| lines.torn_by(written)).collect();
        let (both, second): (&[u8], &[u8]) = (b"one\ntwo\n", b"two\n");
        assert_eq!(torn, [both, both, both, both, second, second, second, second, b"", b""]);
        assert_eq!(lines.first(), b"one\n");
    }
}
