//! The states kept beside the history: one small file a node.
//!
//! A file holds one line of JSON, one with its checksum, and blanks. It is written over in its place, in one write, by
//! whoever holds the lock: compared with a second file that replaces the first, that saves a tenth of a hook's time. A
//! write that was cut short shows in the checksum, and a file that was taken away in the marks of the lock's file; the
//! state is then made again from the history. The folder is never listed for that: it may hold thousands of states.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use super::file::{make_private_dir, open_in_place, open_sized, read_start, write_start};
use super::lock::{Covered, Lock};
use crate::digest::{checksum, hex16};
use crate::history::{Event, State, agents_of, session_parent};

/// The most of a state file that is read: sixteen episodes with long names fit.
const STATE_LIMIT: usize = 256 * 1024;
/// The most blanks that a state is filled up with when it became shorter.
const BLANKS_LIMIT: usize = 16 * 1024;
/// How many state files are held open between reading and writing.
const OPEN_FILES: usize = 8;
/// How long to sleep before a state is read again that was seen while it was written.
const READ_STEP: Duration = Duration::from_micros(200);
/// How often that is tried.
const READS: usize = 5;
/// The folder's name beside the history.
pub(crate) const STATE: &str = "state";

/// The folder of states. Loaded states are held until they are saved.
pub(super) struct StateFolder {
    dir: PathBuf,
    /// Boxed: a map makes room for eleven at once.
    loaded: BTreeMap<String, Box<Loaded>>,
    /// Nodes whose state cannot be read, or is gone: the history must be folded again for them.
    damaged: Vec<String>,
    /// Whether states are kept for the next hook: only under the lock, and only where nothing was left unread.
    kept: bool,
    /// They are out of date, or cannot be read, and may not be touched.
    passed_over: bool,
    /// How many files there are.
    pub(super) count: u64,
    /// Up to which place of the history something was left unread: a state that ends before it may lack events.
    unread: u64,
    /// Given back by its drop. None for who only looks.
    lock: Option<Lock>,
}

/// A state, where it came from, and whether its file is out of date.
struct Loaded {
    /// Shared with who decides on it: it is copied only where both hold it while it changes.
    state: Rc<State>,
    changed: bool,
    /// How long its file is.
    length: usize,
    file: Option<File>,
}

impl Loaded {
    fn new(node: &str) -> Self {
        Self { state: Rc::new(State::new(node)), changed: false, length: 0, file: None }
    }
}

impl StateFolder {
    /// The states beside a history, for who only looks.
    pub(super) fn in_dir(dir: &Path) -> Self {
        Self {
            dir: dir.join(STATE),
            loaded: BTreeMap::new(),
            damaged: Vec::new(),
            kept: false,
            passed_over: false,
            count: 0,
            unread: 0,
            lock: None,
        }
    }

    /// The states beside a history, for who decides on them and, if the lock is held, keeps them.
    pub(super) fn with_lock(dir: &Path, lock: Lock) -> Self {
        let folder = Self::in_dir(dir);
        // A link would have files elsewhere written and deleted. Who only looks asks nothing more: `place` uses no history
        // of a project with a link in it.
        let passed_over = lock.is_held() && is_link(&folder.dir);
        Self { kept: lock.is_held() && !passed_over, passed_over, lock: Some(lock), ..folder }
    }

    /// Whether the lock is held.
    pub(super) fn is_locked(&self) -> bool {
        self.lock.as_ref().is_some_and(Lock::is_held)
    }

    /// Why the lock is not held; None where it is.
    pub(super) fn lock_missing(&self) -> Option<io::Error> {
        self.lock.as_ref().filter(|lock| !lock.is_held()).map(Lock::missing)
    }

    /// Whether states are kept for the next hook.
    pub(super) fn are_kept(&self) -> bool {
        self.kept
    }

    /// Keeps nothing from here on: something could not be read, and the next hook may read it.
    pub(super) fn distrust(&mut self) {
        self.kept = false;
    }

    /// How much of the history the states cover. Where that cannot be read now, the next hook may read it: nothing is kept.
    pub(super) fn covered(&mut self) -> Option<Covered> {
        let covered = self.lock.as_ref()?.covered();
        if covered.is_err() {
            self.distrust();
        }
        let covered = covered.ok()??;
        (self.count, self.unread) = (covered.states, covered.unread);
        Some(covered)
    }

    /// Takes it that the history was left unread up to this place: what is not known of a node before it may be there.
    pub(super) fn leave_unread(&mut self, place: u64) {
        self.unread = self.unread.max(place);
        for loaded in self.loaded.values_mut().filter(|loaded| loaded.state.covered <= place) {
            Rc::make_mut(&mut loaded.state).truncated = true;
        }
    }

    /// Nodes whose state is not to be had, once: their states are empty until they are folded again.
    pub(super) fn take_damaged(&mut self) -> Vec<String> {
        std::mem::take(&mut self.damaged)
    }

    /// Whether a state was met that is not to be had.
    pub(super) fn is_damaged(&self) -> bool {
        !self.damaged.is_empty()
    }

    /// The state of a node; empty for a node without one.
    pub(super) fn of(&mut self, node: &str) -> &Rc<State> {
        &self.load(node).state
    }

    /// Whether a part of a node's past was not read, where its state is loaded.
    pub(super) fn is_truncated(&self, node: &str) -> Option<bool> {
        self.loaded.get(node).map(|loaded| loaded.state.truncated)
    }

    /// The state of a node, for who needs no other.
    pub(super) fn take(&mut self, node: &str) -> State {
        self.load(node);
        self.loaded.remove(node).map_or_else(|| State::new(node), |loaded| Rc::unwrap_or_clone(loaded.state))
    }

    /// Whether a node has no state, or a whole one without such a field, so that there is no need to parse it.
    pub(super) fn lacks(&self, field: &str, node: &str) -> bool {
        match read_bytes(&self.dir.join(file_name(node)), false) {
            Ok((bytes, ..)) => json_of(&bytes).is_some_and(|json| !json.contains(&format!("\"{field}\":"))),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        }
    }

    /// Folds an event into the states that it changes.
    pub(super) fn step(&mut self, event: &Event, at: u64) {
        for node in event.folded_into() {
            self.step_node(node, event, at);
        }
    }

    /// Folds an event into those of these states that it changes.
    pub(super) fn step_only(&mut self, event: &Event, at: u64, nodes: &[String]) {
        for node in event.folded_into() {
            if nodes.iter().any(|only| only == node) {
                self.step_node(node, event, at);
            }
            if let Some(list) = session_parent(node).map(agents_of).filter(|list| nodes.contains(list)) {
                self.change(&list).agent_begins(node, at);
            }
        }
    }

    fn step_node(&mut self, node: &str, event: &Event, at: u64) {
        let state = self.change(node);
        let begins = state.started_at.is_none();
        state.step(event, at);
        if let Some(session) = session_parent(node).filter(|_| begins) {
            self.change(&agents_of(session)).agent_begins(node, at);
        }
    }

    /// The state of a node, to be changed.
    fn change(&mut self, node: &str) -> &mut State {
        let loaded = self.load(node);
        loaded.changed = true;
        Rc::make_mut(&mut loaded.state)
    }

    /// Empties the states of nodes, which are folded again from a place on.
    pub(super) fn begin_again(&mut self, nodes: &[String], from: u64) {
        for node in nodes {
            *self.change(node) = State { truncated: from > 0, ..State::new(node) };
        }
    }

    fn load(&mut self, node: &str) -> &mut Loaded {
        if !self.loaded.contains_key(node) {
            let mut loaded = Box::new(self.read(node));
            // What it knows ends before what was left unread: there may be more of it.
            if self.unread > 0 && loaded.state.covered <= self.unread {
                Rc::make_mut(&mut loaded.state).truncated = true;
            }
            self.loaded.insert(node.to_owned(), loaded);
        }
        self.loaded.entry(node.to_owned()).or_insert_with(|| Box::new(Loaded::new(node)))
    }

    fn read(&mut self, node: &str) -> Loaded {
        if self.passed_over {
            return Loaded::new(node);
        }
        let name = file_name(node);
        match self.read_whole(&self.dir.join(&name)) {
            // The name is a hash: a file of another node's state would be taken for this one's.
            Ok((Some(state), length, file)) if state.node == node => {
                let file = file.filter(|_| self.loaded.len() < OPEN_FILES);
                Loaded { state: Rc::new(state), changed: false, length, file }
            }
            Ok(_) => self.missing(node),
            Err(error) => {
                self.kept &= !may_pass(&error);
                if error.kind() != io::ErrorKind::NotFound || self.was_kept(&name) {
                    return self.missing(node);
                }
                Loaded::new(node)
            }
        }
    }

    /// A state's file. Who does not hold the lock may see it while it is written, and looks again.
    fn read_whole(&self, path: &Path) -> io::Result<(Option<State>, usize, Option<File>)> {
        let mut read = read_state(path, self.kept)?;
        for _ in 1..READS {
            if self.is_locked() || read.0.is_some() {
                break;
            }
            std::thread::sleep(READ_STEP);
            read = read_state(path, self.kept)?;
        }
        Ok(read)
    }

    fn missing(&mut self, node: &str) -> Loaded {
        self.damaged.push(node.to_owned());
        Loaded::new(node)
    }

    /// Whether there was a state in this file.
    fn was_kept(&mut self, name: &str) -> bool {
        let marked = self.lock.as_ref().map_or(Ok(false), |lock| lock.is_marked(mark_of(name)));
        self.kept &= marked.is_ok();
        marked.unwrap_or(true)
    }

    /// The subagents of a node's session that began last, the node left out.
    pub(super) fn agents_beside(&mut self, node: &str) -> Vec<String> {
        let session = session_parent(node).unwrap_or(node);
        let agents = &self.of(&agents_of(session)).agents;
        agents.iter().filter(|agent| *agent != node).cloned().collect()
    }

    /// Forgets every state: the history was replaced, and is folded again. The files go too, where that is ours to do;
    /// what cannot be deleted is passed over, and nothing is kept beside it.
    pub(super) fn clear(&mut self) {
        self.loaded.clear();
        self.damaged.clear();
        (self.count, self.unread) = (0, 0);
        // The record goes first: killed half-way, old numbers would vouch for states of which only some are new.
        let forgotten = self.kept && self.lock.as_ref().is_some_and(|lock| lock.forget().is_ok());
        self.kept = forgotten && self.remove_files().is_ok();
        self.passed_over = !self.kept;
    }

    fn remove_files(&self) -> io::Result<()> {
        // Only files of our own names: the folder is the user's, and they may keep something there.
        for path in files(&self.dir)? {
            fs::remove_file(path)?;
        }
        Ok(())
    }

    /// Writes every state that changed, and how much they cover. A crash in between leaves states that know their own
    /// coverage. Where that fails, the next hook folds the history itself: slower, and as right.
    pub(super) fn save(&mut self, covered: Covered) {
        if !self.kept || self.write_all_made().is_err() {
            return;
        }
        self.loaded.clear();
        let covered = Covered { states: self.count, unread: self.unread, ..covered };
        let _ = self.lock.as_ref().map(|lock| lock.record(covered));
    }

    fn write_all_made(&mut self) -> io::Result<()> {
        match self.write_all() {
            // As with the history, the folder is made when it is missed.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                make_private_dir(&self.dir)?;
                self.write_all()
            }
            written => written,
        }
    }

    fn write_all(&mut self) -> io::Result<()> {
        for (node, loaded) in self.loaded.iter_mut().filter(|(_, loaded)| loaded.changed) {
            if let Some(file) = &loaded.file {
                write_state(file, &loaded.state, loaded.length)?;
            } else {
                let name = file_name(node);
                let (file, meta) = open_in_place(&self.dir.join(&name), true)?;
                if meta.len() == 0 {
                    self.count += 1;
                    self.lock.as_ref().map_or(Ok(()), |lock| lock.mark(mark_of(&name)))?;
                }
                write_state(&file, &loaded.state, usize::try_from(meta.len()).unwrap_or(usize::MAX))?;
            }
            loaded.changed = false;
        }
        Ok(())
    }
}

/// A state file's content, how long it is, and the file, if it may be written. None for a state that is torn, or of another
/// version.
fn read_state(path: &Path, to_write: bool) -> io::Result<(Option<State>, usize, Option<File>)> {
    let (bytes, length, file) = read_bytes(path, to_write)?;
    Ok((parse(&bytes), length, to_write.then_some(file)))
}

fn read_bytes(path: &Path, to_write: bool) -> io::Result<(Vec<u8>, usize, File)> {
    let (file, length) = if to_write { open_sized_in_place(path)? } else { open_sized(path)? };
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let mut bytes = vec![0; length.min(STATE_LIMIT)];
    let read = read_start(&file, &mut bytes)?;
    bytes.truncate(read);
    Ok((bytes, length, file))
}

/// Where a folder is read-only, its states are read all the same.
fn open_sized_in_place(path: &Path) -> io::Result<(File, u64)> {
    match open_in_place(path, false) {
        Ok((file, meta)) => Ok((file, meta.len())),
        Err(error) if matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem) => {
            open_sized(path)
        }
        Err(error) => Err(error),
    }
}

fn parse(bytes: &[u8]) -> Option<State> {
    serde_json::from_str(json_of(bytes)?).ok().filter(|state: &State| state.v == State::VERSION)
}

/// The first line of a state file, where it is what the second has the checksum of.
fn json_of(bytes: &[u8]) -> Option<&str> {
    let end = bytes.iter().rposition(|byte| *byte == b'}')? + 1;
    let (json, rest) = bytes.split_at_checked(end)?;
    let sum = str::from_utf8(rest).ok()?.split_ascii_whitespace().next()?;
    if u64::from_str_radix(sum, 16) != Ok(checksum(json)) {
        return None;
    }
    str::from_utf8(json).ok()
}

/// Writes a state over the one before, which was `before` bytes long.
fn write_state(file: &File, state: &State, before: usize) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(before.min(BLANKS_LIMIT) + 1024);
    serde_json::to_writer(&mut bytes, state).map_err(io::Error::other)?;
    let sum = checksum(&bytes);
    bytes.extend_from_slice(format!("\n{sum:016x}\n").as_bytes());
    let length = bytes.len();
    if before > length + BLANKS_LIMIT {
        write_start(file, &bytes)?;
        return file.set_len(length as u64);
    }
    // Blanks over what was longer: a second call to shorten the file would not be one write with the first.
    bytes.resize(length.max(before), b' ');
    write_start(file, &bytes)
}

/// Whether something else stands in the place of a folder and leads elsewhere.
pub(super) fn is_link(dir: &Path) -> bool {
    fs::symlink_metadata(dir).is_ok_and(|meta| meta.is_symlink())
}

/// The files of a folder of states that are Failwise's own.
pub(super) fn files(dir: &Path) -> io::Result<Vec<PathBuf>> {
    if is_link(dir) {
        return Ok(Vec::new());
    }
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let paths = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    let own = |path: &PathBuf| path.file_name().and_then(|name| name.to_str()).is_some_and(is_own);
    Ok(paths.into_iter().filter(own).collect())
}

fn is_own(name: &str) -> bool {
    let is_hex = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let node = name.strip_suffix(".json").and_then(|stem| stem.split_once('-'));
    node.is_some_and(|(group, node)| is_hex(group) && is_hex(node))
}

/// Whether an error may be gone at the next try: what is no regular file stays so, and what lacks is no error.
fn may_pass(error: &io::Error) -> bool {
    #[cfg(unix)]
    if error.raw_os_error() == Some(libc::ELOOP) {
        return false;
    }
    !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::InvalidInput)
}

/// What a state's file is marked by.
fn mark_of(name: &str) -> u64 {
    checksum(name.as_bytes())
}

/// `<group>-<node>.json`: subagents of one session share the group.
fn file_name(node: &str) -> String {
    let own = hex16(&[node]);
    let group = session_parent(node).map(|parent| hex16(&[parent]));
    format!("{}-{own}.json", &group.as_ref().unwrap_or(&own)[..8])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state_of(node: &str, size: usize) -> State {
        State { covered: size as u64, changes: vec![("f".repeat(size), 1)], ..State::new(node) }
    }

    #[test]
    fn a_state_is_read_as_it_was_written_over_longer_and_shorter_ones() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        for size in [10, 500, 3, 3 * BLANKS_LIMIT, 7, 8] {
            let state = state_of("session/s", size);
            let (file, meta) = open_in_place(&path, true).unwrap();
            write_state(&file, &state, usize::try_from(meta.len()).unwrap()).unwrap();
            let (read, length, _) = read_state(&path, true).unwrap();
            assert_eq!(read, Some(state));
            assert!(length <= size + BLANKS_LIMIT + 1024, "{length} bytes");
        }
    }

    /// Wherever a write was cut, what is left of the state before it does not make it a state.
    #[test]
    fn a_torn_state_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let content = |state: &State| {
            let (file, _) = open_in_place(&dir.path().join(state.covered.to_string()), true).unwrap();
            write_state(&file, state, 0).unwrap();
            fs::read(dir.path().join(state.covered.to_string())).unwrap()
        };
        let (old, new) = (content(&state_of("session/s", 300)), content(&state_of("session/s", 301)));
        for cut in 0..=new.len() {
            let torn = [&new[..cut], old.get(cut..).unwrap_or_default()].concat();
            let whole = parse(&torn).map(|state| state.covered);
            let expected = if torn.starts_with(&old) { Some(300) } else { (cut + 1 >= new.len()).then_some(301) };
            assert_eq!(whole, expected, "cut at {cut}");
        }
    }
}
