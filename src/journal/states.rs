//! The states kept beside the history: one small file a node, and how much of the history they cover together.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::file::{make_private_dir, open_sized, replace};
use crate::digest::hex16;
use crate::history::{State, session_parent};

/// The most siblings whose state is read.
const SIBLINGS: usize = 16;
/// The most of a state file that is read: sixteen episodes with long names fit.
const STATE_LIMIT: u64 = 256 * 1024;
/// The folder's name beside the history.
pub(super) const STATE: &str = "state";
/// The file that tells what the states cover.
const COVERED: &str = "covered";

/// The folder of states. Loaded states are held until they are saved.
pub(super) struct States {
    dir: PathBuf,
    loaded: BTreeMap<String, State>,
    /// A state file was there and could not be read: the history must be folded anew.
    pub(super) damaged: bool,
    /// Whether states are kept for the next hook: only under the lock, and only where nothing was left unread.
    kept: bool,
    /// Whether the files are passed over: they are out of date, or cannot be read, and may not be touched.
    passed_over: bool,
}

/// How much of which history the states cover.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Covered {
    pub(super) length: u64,
    pub(super) file_id: u64,
    /// How long the segments before it were together.
    pub(super) base: u64,
}

impl States {
    /// The states beside a history; `locked` is whether the caller has its lock.
    pub(super) fn in_dir(dir: &Path, locked: bool) -> Self {
        let dir = dir.join(STATE);
        Self { dir, loaded: BTreeMap::new(), damaged: false, kept: locked, passed_over: false }
    }

    /// Whether states are kept for the next hook.
    pub(super) fn are_kept(&self) -> bool {
        self.kept
    }

    /// Keeps nothing from here on: something could not be read, and the next hook may read it.
    pub(super) fn distrust(&mut self) {
        self.kept = false;
    }

    /// The state of a node; empty for a node without one.
    pub(super) fn of(&mut self, node: &str) -> &mut State {
        if !self.loaded.contains_key(node) {
            let state = self.read(&self.dir.join(file_name(node)), node);
            self.loaded.insert(node.to_owned(), state);
        }
        self.loaded.entry(node.to_owned()).or_insert_with(|| State::new(node))
    }

    fn read(&mut self, path: &Path, node: &str) -> State {
        if self.passed_over {
            return State::new(node);
        }
        match read_bounded(path) {
            Ok(bytes) => match serde_json::from_slice::<State>(&bytes) {
                Ok(state) if state.v == State::VERSION && state.node == node => state,
                _ => {
                    self.damaged = true;
                    State::new(node)
                }
            },
            Err(error) => {
                self.damaged |= error.kind() != io::ErrorKind::NotFound;
                self.kept &= !may_pass(&error);
                State::new(node)
            }
        }
    }

    /// States of other subagents of the same session: without a plan tree they are the siblings.
    pub(super) fn of_session_siblings(&self, node: &str) -> Vec<State> {
        let Some(session) = session_parent(node) else { return Vec::new() };
        if self.passed_over {
            let is_sibling = |state: &&State| state.node != node && session_parent(&state.node) == Some(session);
            return self.loaded.values().filter(is_sibling).take(SIBLINGS).cloned().collect();
        }
        let own = file_name(node);
        let Some((group, _)) = own.split_once('-') else { return Vec::new() };
        let Ok(entries) = fs::read_dir(&self.dir) else { return Vec::new() };
        let mut names: Vec<String> = entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| *name != own && name.strip_prefix(group).is_some_and(|rest| rest.starts_with('-')))
            .collect();
        names.sort_unstable();
        names
            .iter()
            .take(SIBLINGS)
            .filter_map(|name| serde_json::from_slice::<State>(&read_bounded(&self.dir.join(name)).ok()?).ok())
            .filter(|state| state.v == State::VERSION && state.node != node && session_parent(&state.node).is_some())
            .collect()
    }

    /// What the states cover; None where nothing says so.
    pub(super) fn covered(&mut self) -> Option<Covered> {
        match read_bounded(&self.dir.join(COVERED)) {
            Ok(bytes) => Covered::parse(&String::from_utf8_lossy(&bytes)),
            Err(error) => {
                self.kept &= !may_pass(&error);
                None
            }
        }
    }

    /// Forgets every state: the history was replaced, and is folded anew. The files go too, where that is ours to do; what
    /// cannot be taken away is passed over, and nothing is kept beside it.
    pub(super) fn clear(&mut self) {
        self.loaded.clear();
        self.damaged = false;
        let cleared = self.kept && self.remove_files().is_ok();
        self.kept = cleared;
        self.passed_over = !cleared;
    }

    fn remove_files(&self) -> io::Result<()> {
        for path in files(&self.dir)? {
            fs::remove_file(path)?;
        }
        Ok(())
    }

    /// Writes every loaded state, then what they cover. A crash in between leaves states that know their own coverage.
    pub(super) fn save(&mut self, covered: Covered) -> io::Result<()> {
        if let Err(error) = self.write_all(covered) {
            if error.kind() != io::ErrorKind::NotFound {
                return Err(error);
            }
            make_private_dir(&self.dir)?;
            self.write_all(covered)?;
        }
        self.loaded.clear();
        Ok(())
    }

    fn write_all(&self, covered: Covered) -> io::Result<()> {
        for (node, state) in &self.loaded {
            let bytes = serde_json::to_vec(state).map_err(io::Error::other)?;
            replace(&self.dir.join(file_name(node)), &bytes)?;
        }
        let Covered { length, file_id, base } = covered;
        replace(&self.dir.join(COVERED), format!("{length} {file_id} {base}\n").as_bytes())
    }
}

impl Covered {
    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_ascii_whitespace().map(|word| word.parse().ok());
        Some(Self { length: words.next()??, file_id: words.next()??, base: words.next().flatten().unwrap_or(0) })
    }
}

/// The files of a folder of states that are Failwise's own: states, what they cover, and what a killed process left.
pub(super) fn files(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let paths = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    let own = |path: &PathBuf| path.file_name().and_then(|name| name.to_str()).is_some_and(is_own);
    Ok(paths.into_iter().filter(own).collect())
}

fn is_own(name: &str) -> bool {
    let hidden = name.strip_prefix('.').and_then(|rest| rest.strip_suffix(".tmp"));
    let name = hidden.unwrap_or(name);
    // A process of an older version put its number into the name.
    let name = name.split_once(".json").map_or(name, |(stem, _)| stem);
    let is_hex = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    name.starts_with(COVERED) || name.split_once('-').is_some_and(|(group, node)| is_hex(group) && is_hex(node))
}

/// Whether an error may be gone at the next try: what is no regular file stays so, and what lacks is no error.
fn may_pass(error: &io::Error) -> bool {
    #[cfg(unix)]
    if error.raw_os_error() == Some(libc::ELOOP) {
        return false;
    }
    !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::InvalidInput)
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

/// `<group>-<node>.json`: subagents of one session share the group, so that siblings are found by name alone.
fn file_name(node: &str) -> String {
    let group = hex16(&[session_parent(node).unwrap_or(node)]);
    format!("{}-{}.json", &group[..8], hex16(&[node]))
}

fn read_bounded(path: &Path) -> io::Result<Vec<u8>> {
    let (file, length) = open_sized(path)?;
    // Room for one more, so that the end is seen without growing.
    let mut bytes = Vec::with_capacity(usize::try_from(length.min(STATE_LIMIT)).unwrap_or_default() + 1);
    file.take(STATE_LIMIT).read_to_end(&mut bytes)?;
    Ok(bytes)
}
