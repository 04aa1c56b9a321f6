//! From paths to sessions: walks folders, looks at each file, groups what belongs together.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use fs_err as fs;
use walkdir::WalkDir;

use super::format::{Looks, look};
use super::group::{Candidate, Session, group};
use super::input::Input;
use crate::error::Error;
use crate::journal::named;
use crate::model::Host;
use crate::place::IMPORTS;

/// How deep folders are walked.
const MAX_DEPTH: usize = 16;
/// The most files that one call looks at.
const MAX_FILES: usize = 100_000;
/// Endings of the names that are looked at in a folder. A file that is named itself may have any name.
const ENDINGS: &[&str] = &[".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz"];
/// The path that means standard input.
const STDIN: &str = "-";

/// What is below the paths that a person gave.
#[derive(Debug, Default)]
pub struct FoundFiles {
    /// The sessions, by the time of their first line.
    pub sessions: Vec<Session>,
    /// Files and folders that are not read, by name.
    pub left_out: Vec<LeftOut>,
    /// How many files hold nothing at all.
    pub empty: usize,
    /// How many files were last written before the time that is asked for.
    pub older: usize,
}

impl FoundFiles {
    /// How many bytes the sessions have on the disk. A stream has none.
    pub fn bytes(&self) -> u64 {
        self.sessions.iter().map(|session| session.bytes).sum()
    }

    /// Only sessions of this client, where one is asked for. Histories and logs hold those of many.
    #[must_use]
    pub fn of_host(mut self, host: Option<Host>) -> Self {
        self.sessions.retain(|session| host.is_none() || session.host.is_none() || session.host == host);
        for session in &mut self.sessions {
            session.only = host;
        }
        self
    }

    /// How many files will be read.
    pub fn files(&self) -> usize {
        self.sessions.iter().map(|session| session.files.len()).sum()
    }
}

/// Something that is not read, and why.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeftOut {
    /// Its path, as it was given or found.
    pub name: String,
    /// Why, as the end of a sentence.
    pub reason: String,
}

/// Finds the sessions below paths: files, folders, and `-` for standard input. With `since`, in milliseconds since 1970,
/// files that were last written before it are passed over, and so is what sessions tell of the time before it.
///
/// # Errors
/// When a path does not exist or is no file or folder that can be opened.
pub fn find(paths: &[PathBuf], since: Option<i64>) -> Result<FoundFiles, Error> {
    let mut search = FileSearch { since, ..FileSearch::default() };
    for path in paths {
        search.path(path)?;
    }
    search.left_out.sort();
    let sessions = group(search.candidates, since);
    Ok(FoundFiles { sessions, left_out: search.left_out, empty: search.empty, older: search.older })
}

#[derive(Default)]
struct FileSearch {
    since: Option<i64>,
    /// Real paths that were met, so that nothing is read twice.
    met: BTreeSet<PathBuf>,
    candidates: Vec<Candidate>,
    left_out: Vec<LeftOut>,
    empty: usize,
    older: usize,
}

impl FileSearch {
    fn path(&mut self, path: &Path) -> Result<(), Error> {
        if path.as_os_str() == STDIN {
            return self.stdin();
        }
        if path.is_dir() {
            self.folder(path);
            return Ok(());
        }
        // A path that a person named must be readable; what a folder holds may be left out with a reason.
        Input::File(path.to_owned()).peek().map_err(named(path))?;
        self.file(path);
        Ok(())
    }

    fn stdin(&mut self) -> Result<(), Error> {
        if self.candidates.iter().any(|known| known.input.path().is_none()) {
            return Err(Error::usage("`-` is given twice").hint("standard input can be read only once"));
        }
        let input = Input::stream(Box::new(std::io::stdin()))?;
        self.looked(input, "standard input".to_owned(), 0);
        Ok(())
    }

    fn folder(&mut self, root: &Path) {
        // The root may be a link that the person named; links inside are not followed.
        for entry in WalkDir::new(root).max_depth(MAX_DEPTH).sort_by_file_name() {
            match entry {
                Ok(entry) if entry.file_type().is_file() && is_named_so(entry.path()) => self.file(entry.path()),
                Ok(_) => {}
                Err(error) => {
                    let name = error.path().unwrap_or(root).display().to_string();
                    let reason = error.io_error().map_or_else(|| error.to_string(), ToString::to_string);
                    self.leave_out(name, reason);
                }
            }
        }
    }

    fn file(&mut self, path: &Path) {
        let name = path.display().to_string();
        if !fs::canonicalize(path).is_ok_and(|real| self.met.insert(real)) {
            return;
        }
        if self.met.len() > MAX_FILES {
            return self.leave_out(name, format!("more than {MAX_FILES} files were found"));
        }
        let Ok(meta) = fs::symlink_metadata(path) else { return self.leave_out(name, "it was deleted".to_owned()) };
        let changed = meta.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let changed = changed.and_then(|since| i64::try_from(since.as_millis()).ok());
        if changed.zip(self.since).is_some_and(|(changed, since)| changed < since) {
            self.older += 1;
            return;
        }
        self.looked(Input::File(path.to_owned()), name, meta.len());
    }

    fn looked(&mut self, input: Input, name: String, bytes: u64) {
        let looks = match input.peek().map(look) {
            Ok(looks) => looks,
            Err(error) => return self.leave_out(name, error.to_string()),
        };
        match looks {
            Looks { has_text: false, .. } => self.empty += 1,
            Looks { format: None, .. } => self.leave_out(name, foreign()),
            Looks { format: Some(format), host, session, message, first, .. } => {
                self.candidates.push(Candidate { input, name, bytes, format, host, session, message, first });
            }
        }
    }

    fn leave_out(&mut self, name: String, reason: String) {
        self.left_out.push(LeftOut { name, reason });
    }
}

/// Why a file is not read whose first lines are of no known kind.
fn foreign() -> String {
    let clients = Host::ALL.map(Host::title).join(", ");
    format!("its first lines are no session file ({clients}), stream capture, payload log or history")
}

fn is_named_so(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    ENDINGS.iter().any(|ending| name.ends_with(ending)) && name != IMPORTS
}
