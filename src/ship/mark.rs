//! How far each history was sent, and what became of it: one file of the state directory, replaced after success only.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::digest::hex16;
use crate::journal::{HISTORY, opening, put_private, read_lines, read_small};
use crate::place::{Env, state_root};

/// The most that is read of the file.
const LARGEST: u64 = 4 * 1024 * 1024;
/// The most refused requests that are named.
const MOST_REFUSED: usize = 10;

/// How far a history was sent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SentMark {
    /// What tells the history's file from another one in its place.
    pub begins: String,
    /// The last line that was sent of it.
    pub line: u64,
    /// The last moment that was sent.
    pub at: String,
}

/// The marks of all histories, and the last sending.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ShipMarks {
    /// By the history's folder.
    pub histories: BTreeMap<String, SentMark>,
    /// When something was sent last.
    pub last: Option<String>,
    /// Requests that the receiver refused for good: when, and its status. The newest ones.
    pub refused: Vec<String>,
    /// Why the last sending did not end; None where it did.
    pub fault: Option<String>,
}

/// Where the marks are.
pub fn marks_file(env: Env<'_>) -> Option<PathBuf> {
    Some(state_root(env)?.join("ship.json"))
}

impl ShipMarks {
    /// The marks as they were kept; none where they cannot be read, so that all is sent again.
    pub fn read(file: &Path) -> Self {
        read_small(file, LARGEST).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    /// Keeps them.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn keep(&self, file: &Path) -> io::Result<()> {
        put_private(file, serde_json::to_string(self).unwrap_or_default().as_bytes())
    }

    /// Keeps a request aside that the receiver refuses for good, so that it stops nothing behind it: the newest one whole, of the
    /// others when and why. `file` is that of the marks.
    ///
    /// # Errors
    /// When the request cannot be written.
    pub fn put_aside(&mut self, file: &Path, body: &str, status: u16, now: &str) -> io::Result<()> {
        self.refused.push(format!("{now} {status}"));
        let more = self.refused.len().saturating_sub(MOST_REFUSED);
        self.refused.drain(..more);
        put_private(&file.with_file_name("ship-refused.json"), body.as_bytes())
    }

    /// The mark of a history; an empty one where another history has taken its place.
    pub fn of(&self, dir: &Path) -> SentMark {
        let begins = SentMark::begins_of(dir);
        let known = self.histories.get(&*dir.to_string_lossy()).filter(|mark| mark.begins == begins).cloned();
        known.unwrap_or(SentMark { begins, ..SentMark::default() })
    }
}

impl SentMark {
    fn begins_of(dir: &Path) -> String {
        let opening = opening(&dir.join(HISTORY));
        let line = opening.split(|byte| *byte == b'\n').next().unwrap_or_default();
        hex16(&[&String::from_utf8_lossy(line)])
    }

    /// How many verdicts of the history's file wait behind the mark, and how many lines it has.
    pub fn waiting(&self, dir: &Path) -> (u64, u64) {
        let (mut waiting, mut lines) = (0, 0);
        let is_verdict = |line: &[u8]| memchr::memmem::find(line, b"\"failure_classified\"").is_some();
        // What does not end yet is sent when it has.
        let _ = read_lines(&dir.join(HISTORY), |_, line| {
            lines += u64::from(line.ends_with(b"\n"));
            waiting += u64::from(lines > self.line && line.ends_with(b"\n") && is_verdict(line));
        });
        (waiting, lines)
    }
}
