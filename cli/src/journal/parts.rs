//! A history and its older parts as one text: what is new behind a place, for those who remember how far they have read.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use memchr::{memchr, memmem::Finder};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Journal, open_sized, opening};
use crate::digest::hex16;
use crate::history::{Event, Line, parse};

/// The longest line that is read.
const LONGEST_LINE: u64 = 16 * 1024 * 1024;
/// The most folders of calls that are asked for their project's.
const MOST_ASKED: usize = 64;

/// The parts of a history as one text, as long as it was when it was looked at.
#[derive(Debug)]
pub struct HistoryParts {
    /// The folder.
    pub path: String,
    /// Its files in their order, each with its length in bytes.
    pub files: Vec<(PathBuf, u64)>,
    /// What it begins with, as a fingerprint: another one in its place is another history.
    pub begins: String,
    /// How many bytes it has, all parts together.
    pub length: u64,
}

/// What is new in a history.
#[derive(Debug, Default)]
pub struct NewSessions {
    /// The sessions that went on, and where each was met first.
    pub sessions: BTreeMap<String, u64>,
    /// Where the last whole line ends.
    pub length: u64,
    /// The project's folder, where a call named it.
    pub root: Option<String>,
    /// The sessions that worked in a linked worktree.
    pub in_worktrees: BTreeSet<String>,
}

/// The text of a field of that name, as a line has it: nearly all lines are of what is known, and need not be parsed.
fn text_behind<'l>(name: &Finder<'_>, line: &'l [u8]) -> Option<&'l str> {
    let text = line.get(name.find(line)? + name.needle().len()..)?;
    str::from_utf8(text.split(|byte| *byte == b'"').next()?).ok()
}

impl HistoryParts {
    /// Those of the history in a folder.
    ///
    /// # Errors
    /// When there is none, or it cannot be looked at.
    pub fn of(dir: &Path) -> io::Result<Self> {
        let mut files = Vec::new();
        for path in Journal::in_dir(dir).parts() {
            let length = fs::symlink_metadata(&path)?.len();
            files.push((path, length));
        }
        let first = files.first().ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        // Lines are only ever appended, so the first one tells a history from another.
        let begins = opening(&first.0);
        let line = begins.split(|byte| *byte == b'\n').next().unwrap_or_default();
        Ok(Self {
            path: dir.to_string_lossy().into_owned(),
            begins: hex16(&[&String::from_utf8_lossy(line)]),
            length: files.iter().map(|(_, length)| length).sum(),
            files,
        })
    }

    /// Finds the sessions that have something new in a span of bytes. `root_of` gives the project's folder of a call's one.
    ///
    /// # Errors
    /// When a part cannot be read.
    pub fn look(&self, span: Range<u64>, root_of: impl Fn(&str) -> Option<String>) -> io::Result<NewSessions> {
        #[derive(Deserialize)]
        struct TaughtLine {
            session: Option<String>,
            cwd: Option<String>,
            worktree: Option<IgnoredAny>,
        }
        let mut new = NewSessions { length: span.start, ..NewSessions::default() };
        let mut asked = BTreeSet::new();
        let [session, cwd, worktree] = ["\"session\":\"", "\"cwd\":\"", "\"worktree\":\""].map(Finder::new);
        self.lines(span, |at, line| {
            new.length = at + line.len() as u64;
            let asks = new.root.is_none() && asked.len() < MOST_ASKED;
            let is_known = text_behind(&session, line).is_none_or(|it| {
                new.sessions.contains_key(it) && (new.in_worktrees.contains(it) || worktree.find(line).is_none())
            }) && (!asks || text_behind(&cwd, line).is_none_or(|it| asked.contains(it)));
            if is_known {
                return;
            }
            let Ok(TaughtLine { session, cwd, worktree }) = serde_json::from_slice(line) else { return };
            if let Some(session) = session.filter(|session| !session.is_empty()) {
                if worktree.is_some() {
                    new.in_worktrees.insert(session.clone());
                }
                new.sessions.entry(session).or_insert(at);
            }
            if let Some(cwd) = cwd.filter(|cwd| asks && asked.insert(cwd.clone())) {
                new.root = root_of(&cwd);
            }
        })?;
        Ok(new)
    }

    /// Gives the events of a span, as [`Self::lines`] gives its lines.
    pub fn read(&self, span: Range<u64>, mut each: impl FnMut(u64, Event)) -> io::Result<()> {
        self.lines(span, |at, line| {
            if let Line::Event(event) = parse(line) {
                each(at, *event);
            }
        })
    }

    /// Gives the whole lines that begin in a span, and where each begins in the history.
    ///
    /// # Errors
    /// When a part cannot be read.
    pub fn lines(&self, span: Range<u64>, mut each: impl FnMut(u64, &[u8])) -> io::Result<()> {
        let Range { start: from, end: to } = span;
        let mut base = 0;
        for (path, length) in &self.files {
            let end = base + length;
            if from < end && base < to {
                let mut file: File = open_sized(path)?.0;
                let skipped = from.saturating_sub(base);
                file.seek(SeekFrom::Start(skipped))?;
                let mut reader = BufReader::with_capacity(64 * 1024, file.take(length - skipped));
                let mut at = base + skipped;
                let mut line = Vec::new();
                while at < to {
                    // Nearly all lines are given as the reader holds them.
                    let held = reader.fill_buf()?;
                    if let Some(whole) = memchr(b'\n', held).and_then(|end| held.get(..=end)) {
                        each(at, whole);
                        let read = whole.len();
                        reader.consume(read);
                        at += read as u64;
                        continue;
                    }
                    line.clear();
                    let read = (&mut reader).take(LONGEST_LINE).read_until(b'\n', &mut line)? as u64;
                    // What does not end yet is read when it has.
                    if read == 0 || (line.last() != Some(&b'\n') && read < LONGEST_LINE && end == self.length) {
                        break;
                    }
                    each(at, &line);
                    at += read;
                }
            }
            base = end;
        }
        Ok(())
    }
}
