//! The states kept beside the history: one small file a node, and how much of the history they cover together.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::file::{make_private_dir, open_read, replace};
use crate::digest::hex16;
use crate::history::{State, session_parent};

/// The most siblings whose state is read.
const SIBLINGS: usize = 16;
/// The most of a state file that is read: sixteen episodes with long names fit.
const STATE_LIMIT: u64 = 256 * 1024;

/// The folder of states. Loaded states are kept until they are saved.
pub(super) struct States {
    dir: PathBuf,
    loaded: BTreeMap<String, State>,
    /// A state file was there and could not be read: the history must be folded anew.
    pub(super) damaged: bool,
}

/// How much of which history the states cover.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Covered {
    pub(super) length: u64,
    pub(super) file_id: u64,
}

impl States {
    pub(super) fn in_dir(dir: &Path) -> Self {
        Self { dir: dir.join("state"), loaded: BTreeMap::new(), damaged: false }
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
                State::new(node)
            }
        }
    }

    /// States of other subagents of the same session: without a plan tree they are the siblings.
    pub(super) fn of_session_siblings(&self, node: &str) -> Vec<State> {
        if session_parent(node).is_none() {
            return Vec::new();
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

    pub(super) fn covered(&self) -> Covered {
        let Ok(bytes) = read_bounded(&self.dir.join("covered")) else { return Covered::default() };
        let text = String::from_utf8_lossy(&bytes);
        let mut words = text.split_ascii_whitespace().map(str::parse::<u64>);
        match (words.next(), words.next()) {
            (Some(Ok(length)), Some(Ok(file_id))) => Covered { length, file_id },
            _ => Covered::default(),
        }
    }

    /// Forgets what was loaded.
    pub(super) fn forget(&mut self) {
        self.loaded.clear();
        self.damaged = false;
    }

    /// Forgets every state and takes it away: the history was replaced, and is folded anew.
    pub(super) fn clear(&mut self) {
        self.forget();
        let Ok(entries) = fs::read_dir(&self.dir) else { return };
        for entry in entries.filter_map(Result::ok) {
            let _ = fs::remove_file(entry.path());
        }
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
        replace(&self.dir.join("covered"), format!("{} {}\n", covered.length, covered.file_id).as_bytes())
    }
}

/// What tells a history file from another one at the same place.
pub(super) fn file_id(file: &File) -> io::Result<u64> {
    let meta = file.metadata()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Ok(meta.ino())
    }
    #[cfg(not(unix))]
    {
        let _ = meta;
        Ok(0)
    }
}

/// `<group>-<node>.json`: subagents of one session share the group, so that siblings are found by name alone.
fn file_name(node: &str) -> String {
    let group = hex16(&[session_parent(node).unwrap_or(node)]);
    format!("{}-{}.json", &group[..8], hex16(&[node]))
}

fn read_bounded(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_read(path)?.take(STATE_LIMIT).read_to_end(&mut bytes)?;
    Ok(bytes)
}
