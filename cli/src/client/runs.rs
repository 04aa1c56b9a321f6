//! The states of workflows' runs, as files beside the history: one a run, replaced by rename, private to the user.

use std::fs::{File as PlainFile, Metadata, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use fs_err as fs;

use crate::error::Error;
use crate::journal::{make_private_dir, open_append, open_sized};
use crate::place::Place;
use crate::workflow::RunState;

/// The folder beside the history.
const FOLDER: &str = "workflows";
/// The most of a state that is read, in bytes.
const LONGEST: u64 = 64 * 1024 * 1024;

/// The runs of a project.
#[derive(Debug, Clone)]
pub struct ClientRuns {
    dir: PathBuf,
}

/// A file of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFile {
    /// Where it is.
    pub path: PathBuf,
    /// How long it is, in bytes.
    pub bytes: u64,
    /// When it was written last.
    pub written: Option<SystemTime>,
}

/// Holds a run: nobody else runs its steps meanwhile.
#[derive(Debug)]
pub struct RunLock {
    _file: PlainFile,
}

impl ClientRuns {
    /// The runs whose states lie beside the history of a place.
    pub fn of(place: &Place) -> Self {
        Self::in_dir(&place.dir)
    }

    /// The runs whose states lie beside the history in a folder.
    pub fn in_dir(dir: &Path) -> Self {
        Self { dir: dir.join(FOLDER) }
    }

    /// Every file of a run, the oldest names first; nothing else that is in the folder.
    pub fn files(&self) -> Vec<RunFile> {
        let entries = fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let own = |path: &Path| {
            let is_known = path.extension().is_some_and(|end| end == "json" || end == "lock" || end == "new");
            is_known && path.file_stem().is_some_and(|stem| is_id(stem.to_string_lossy().trim_end_matches(".json")))
        };
        let mut files: Vec<RunFile> = entries
            .filter_map(|entry| {
                let meta = fs::symlink_metadata(entry.path()).ok().filter(Metadata::is_file)?;
                Some(RunFile { path: entry.path(), bytes: meta.len(), written: meta.modified().ok() })
            })
            .filter(|file| own(&file.path))
            .collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files
    }

    /// Takes files of runs away, and the folder where it is empty then.
    ///
    /// # Errors
    /// When one cannot be taken away.
    pub fn remove(&self, files: &[RunFile]) -> io::Result<()> {
        for file in files {
            match fs::remove_file(&file.path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        let _ = fs::remove_dir(&self.dir);
        Ok(())
    }

    /// Every run whose state can be read, the newest first.
    pub fn all(&self) -> Vec<RunState> {
        let files = self.files();
        let states = files.iter().filter(|file| file.path.extension().is_some_and(|end| end == "json"));
        let mut runs: Vec<RunState> = states.filter_map(|file| read(&file.path).ok()).collect();
        runs.sort_by(|a, b| (&b.started, &b.id).cmp(&(&a.started, &a.id)));
        runs
    }

    /// The run of an id or of its beginning; the newest where none is asked for.
    ///
    /// # Errors
    /// When there is none, or several begin so.
    pub fn find(&self, id: Option<&str>) -> Result<RunState, Error> {
        let hint = "`failwise workflow list` shows the runs of this project";
        let mut found = self.all().into_iter().filter(|run| id.is_none_or(|id| run.id.starts_with(id)));
        let none = || {
            Error::refused(id.map_or("no workflow has run here".to_owned(), |id| {
                format!("no run is called `{}`", crate::text::one_line(id, 40))
            }))
        };
        let first = found.next().ok_or_else(|| none().hint(hint))?;
        match (id, found.next()) {
            (Some(id), Some(_)) if id != first.id => Err(Error::refused("several runs begin so").hint(hint)),
            _ => Ok(first),
        }
    }

    /// Writes a state: one rename, so that it is there as a whole or not at all.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&self, state: &RunState) -> io::Result<()> {
        make_private_dir(&self.dir)?;
        let path = self.path(&state.id, "json");
        let new = self.path(&state.id, "json.new");
        let _ = fs::remove_file(&new);
        let (mut file, _) = open_append(&new)?;
        file.write_all(&serde_json::to_vec_pretty(state)?)?;
        file.sync_all()?;
        fs::rename(&new, &path)
    }

    /// Takes a run for this process.
    ///
    /// # Errors
    /// When another process has it; its number is named.
    pub fn lock(&self, id: &str) -> Result<RunLock, Error> {
        make_private_dir(&self.dir)?;
        let path = self.path(id, "lock");
        let (mut file, _) = open_append(&path)?;
        match file.try_lock() {
            Ok(()) => {
                file.set_len(0)?;
                file.write_all(std::process::id().to_string().as_bytes())?;
                Ok(RunLock { _file: file })
            }
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                let _ = file.rewind().and_then(|()| file.take(20).read_to_string(&mut holder));
                let holder = crate::text::one_line(&holder, 20);
                Err(Error::refused(format!("the run {id} is active in process {holder}"))
                    .hint("wait for it, or end it; its finished steps are kept"))
            }
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
    }

    fn path(&self, id: &str, ending: &str) -> PathBuf {
        self.dir.join(format!("{id}.{ending}"))
    }
}

fn read(path: &Path) -> io::Result<RunState> {
    let (file, size) = open_sized(path)?;
    if size > LONGEST {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "too large"));
    }
    let state: RunState = serde_json::from_reader(io::BufReader::new(file))?;
    // What names files and processes is looked at before it does.
    if is_id(&state.id) { Ok(state) } else { Err(io::Error::new(io::ErrorKind::InvalidData, "no id of a run")) }
}

fn is_id(id: &str) -> bool {
    id.len() == 16 && id.bytes().all(|byte| byte.is_ascii_hexdigit())
}
