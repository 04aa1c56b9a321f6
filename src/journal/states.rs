//! The states kept beside the history: one small file a node.
//!
//! A file holds one line of JSON, one with its checksum, and blanks. It is written over in its place, in one write, by
//! whoever holds the lock: compared with a second file that replaces the first, that saves a tenth of a hook's time. A
//! write that was cut short shows in the checksum, and the state is then rebuilt from the history.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::file::{make_private_dir, open_in_place, open_sized, read_start, write_start};
use crate::digest::{checksum, hex16};
use crate::history::{Event, State, session_parent};

/// The most siblings whose state is read.
const SIBLINGS: usize = 16;
/// The most of a state file that is read: sixteen episodes with long names fit.
const STATE_LIMIT: usize = 256 * 1024;
/// The most blanks that a state is filled up with when it became shorter.
const BLANKS_LIMIT: usize = 16 * 1024;
/// How many state files are held open between reading and writing.
const OPEN_FILES: usize = 8;
/// The folder's name beside the history.
pub(crate) const STATE: &str = "state";

/// The folder of states. Loaded states are held until they are saved.
pub(super) struct StateFolder {
    dir: PathBuf,
    /// Boxed: a map makes room for eleven at once.
    loaded: BTreeMap<String, Box<Loaded>>,
    /// A state file was there and could not be read: the history must be folded again.
    pub(super) damaged: bool,
    /// Whether states are kept for the next hook: only under the lock, and only where nothing was left unread.
    kept: bool,
    files: KnownFiles,
    /// How many files there should be.
    pub(super) count: u64,
}

/// What is known of the files before they are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KnownFiles {
    /// Nothing.
    Unknown,
    /// The lock's file says how many there are: where there are fewer, some were deleted.
    Expected,
    /// They are out of date, or cannot be read, and may not be touched.
    PassedOver,
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
    /// The states beside a history; `locked` is whether the caller has its lock.
    pub(super) fn in_dir(dir: &Path, locked: bool) -> Self {
        let dir = dir.join(STATE);
        // A link would have files elsewhere written and deleted. Who only looks asks nothing more: `place` uses no history
        // of a project with a link in it.
        let is_link = locked && is_link(&dir);
        let files = if is_link { KnownFiles::PassedOver } else { KnownFiles::Unknown };
        Self { dir, loaded: BTreeMap::new(), damaged: false, kept: locked && !is_link, files, count: 0 }
    }

    /// Whether states are kept for the next hook.
    pub(super) fn are_kept(&self) -> bool {
        self.kept
    }

    /// Keeps nothing from here on: something could not be read, and the next hook may read it.
    pub(super) fn distrust(&mut self) {
        self.kept = false;
    }

    /// Takes it that there are so many states: where there are fewer, a node's state that lacks may be one of those that
    /// were taken away.
    pub(super) fn expect(&mut self, count: u64) {
        if self.files != KnownFiles::PassedOver {
            (self.files, self.count) = (KnownFiles::Expected, count);
        }
    }

    /// The state of a node; empty for a node without one.
    pub(super) fn of(&mut self, node: &str) -> &Rc<State> {
        &self.load(node).state
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
            let loaded = self.load(node);
            Rc::make_mut(&mut loaded.state).step(event, at);
            loaded.changed = true;
        }
    }

    fn load(&mut self, node: &str) -> &mut Loaded {
        if !self.loaded.contains_key(node) {
            let loaded = Box::new(self.read(node));
            self.loaded.insert(node.to_owned(), loaded);
        }
        self.loaded.entry(node.to_owned()).or_insert_with(|| Box::new(Loaded::new(node)))
    }

    fn read(&mut self, node: &str) -> Loaded {
        if self.files == KnownFiles::PassedOver {
            return Loaded::new(node);
        }
        match read_state(&self.dir.join(file_name(node)), self.kept) {
            // The name is a hash: a file of another node's state would be taken for this one's.
            Ok((Some(state), length, file)) if state.node == node => {
                let file = file.filter(|_| self.loaded.len() < OPEN_FILES);
                Loaded { state: Rc::new(state), changed: false, length, file }
            }
            Ok(_) => {
                self.damaged = true;
                Loaded::new(node)
            }
            Err(error) => {
                self.damaged |= error.kind() != io::ErrorKind::NotFound || self.some_are_gone();
                self.kept &= !may_pass(&error);
                Loaded::new(node)
            }
        }
    }

    /// Whether there should be more states than there are.
    fn some_are_gone(&self) -> bool {
        self.files == KnownFiles::Expected && files(&self.dir).is_ok_and(|files| (files.len() as u64) < self.count)
    }

    /// States of other subagents of the same session: without a plan tree they are the siblings.
    pub(super) fn of_session_siblings(&mut self, node: &str) -> Vec<State> {
        let Some(session) = session_parent(node) else { return Vec::new() };
        let is_sibling = |state: &State| {
            state.node != node && state.started_at.is_some() && session_parent(&state.node) == Some(session)
        };
        let loaded = self.loaded.values().map(|loaded| &*loaded.state).filter(|state| is_sibling(state));
        // What was folded in and not saved is newer than the files.
        let mut siblings: Vec<State> = loaded.take(SIBLINGS).cloned().collect();
        for state in self.kept_in_group(node) {
            let is_new = siblings.iter().all(|sibling| sibling.node != state.node);
            if siblings.len() < SIBLINGS && is_new && is_sibling(&state) {
                siblings.push(state);
            }
        }
        siblings
    }

    /// The states of the other agents of a node's session as they were saved, its main thread among them.
    pub(super) fn of_session(&mut self, node: &str) -> Vec<State> {
        let session = session_parent(node).unwrap_or(node);
        let is_of = |state: &State| state.node == session || session_parent(&state.node) == Some(session);
        self.kept_in_group(node).into_iter().filter(is_of).collect()
    }

    /// The states in the files of a node's session, the node's own left out.
    fn kept_in_group(&mut self, node: &str) -> Vec<State> {
        if self.files == KnownFiles::PassedOver {
            return Vec::new();
        }
        let own = file_name(node);
        let Some((group, _)) = own.split_once('-') else { return Vec::new() };
        let Ok(entries) = fs::read_dir(&self.dir) else { return Vec::new() };
        let mut names: Vec<String> = entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| *name != own && name.strip_prefix(group).is_some_and(|rest| rest.starts_with('-')))
            .collect();
        // Folders list their files in any order, and only the first are read: the same ones each time.
        names.sort_unstable();
        let read = names.iter().take(SIBLINGS).filter_map(|name| read_state(&self.dir.join(name), false).ok());
        let states: Vec<Option<State>> = read.map(|(state, ..)| state).collect();
        self.damaged |= states.iter().any(Option::is_none);
        states.into_iter().flatten().collect()
    }

    /// Forgets every state: the history was replaced, and is folded again. The files go too, where that is ours to do;
    /// what cannot be deleted is passed over, and nothing is kept beside it.
    pub(super) fn clear(&mut self) {
        self.loaded.clear();
        self.damaged = false;
        self.count = 0;
        let cleared = self.kept && self.remove_files().is_ok();
        self.kept = cleared;
        self.files = if cleared { KnownFiles::Unknown } else { KnownFiles::PassedOver };
    }

    fn remove_files(&self) -> io::Result<()> {
        // Only files of our own names: the folder is the user's, and they may keep something there.
        for path in files(&self.dir)? {
            fs::remove_file(path)?;
        }
        Ok(())
    }

    /// Writes every state that changed. A crash in between leaves states that know their own coverage.
    pub(super) fn save(&mut self) -> io::Result<()> {
        if let Err(error) = self.write_all() {
            // As with the history, the folder is made when it is missed.
            if error.kind() != io::ErrorKind::NotFound {
                return Err(error);
            }
            make_private_dir(&self.dir)?;
            self.write_all()?;
        }
        self.loaded.clear();
        Ok(())
    }

    fn write_all(&mut self) -> io::Result<()> {
        for (node, loaded) in self.loaded.iter_mut().filter(|(_, loaded)| loaded.changed) {
            if let Some(file) = &loaded.file {
                write_state(file, &loaded.state, loaded.length)?;
            } else {
                let (file, meta) = open_in_place(&self.dir.join(file_name(node)), true)?;
                self.count += u64::from(meta.len() == 0);
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

/// `<group>-<node>.json`: subagents of one session share the group, so that siblings are found by name alone.
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
