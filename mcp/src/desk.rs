//! What a server has at hand between calls: the base, opened when it is first asked for.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::Utc;
use failwise::place::{Place, project_name};
use failwise::project::text_env;
use failwise::store::{Base, BaseLock, Learning, histories, is_installed, tell};

use crate::answer::ToolError;

/// How long a call waits for a learner that is at work, before it answers with what is known.
const PATIENCE: Duration = Duration::from_millis(500);

/// The environment, where a library function asks for it.
pub(crate) fn env(name: &str) -> Option<std::ffi::OsString> {
    std::env::var_os(name)
}

/// The session of Claude Code that the server was started by.
pub(crate) fn client_session() -> Option<String> {
    text_env(&env)("CLAUDE_CODE_SESSION_ID").filter(|session| !session.is_empty())
}

/// What is at hand.
#[derive(Default)]
pub(crate) struct Desk {
    open: Option<(Base, Identity)>,
    /// The projects whose own secrets are hidden since.
    hidden: BTreeSet<String>,
}

/// Which file a path leads to: a base that was taken away and one that was put in its place are others.
#[derive(Debug, PartialEq, Eq)]
struct Identity(u64, u64);

impl Identity {
    #[cfg(unix)]
    fn of(path: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        std::fs::symlink_metadata(path).ok().map(|meta| Self(meta.dev(), meta.ino()))
    }

    #[cfg(not(unix))]
    fn of(path: &Path) -> Option<Self> {
        std::fs::symlink_metadata(path).ok().map(|_| Self(0, 0))
    }
}

impl Desk {
    /// The base.
    ///
    /// # Errors
    /// When it cannot be opened, and once when another one is in its place or none: what was asked of the old one may not
    /// hold. The next call opens what is there then.
    pub(crate) fn base(&mut self) -> Result<&mut Base, ToolError> {
        let path = base_path()?;
        if self.open.as_ref().is_some_and(|(_, known)| Identity::of(&path).as_ref() != Some(known)) {
            self.open = None;
            return Err(ToolError::internal(format!("{} is missing or was replaced", path.display())));
        }
        if self.open.is_some() && !is_base(&path) {
            // SQLite goes on with the pages that it has read, and would write them among what is there now.
            self.open = None;
            return Err(ToolError::internal(format!("{} was overwritten", path.display())));
        }
        if self.open.is_none() {
            let base = Base::open(&path)?;
            let identity = Identity::of(&path).ok_or_else(|| ToolError::internal("the database is missing"))?;
            self.open = Some((base, identity));
        }
        let (base, _) = self.open.as_mut().ok_or_else(|| ToolError::internal("the database is missing"))?;
        Ok(base)
    }

    /// Lets go of the base after an error, so that the next call opens it anew.
    pub(crate) fn let_go(&mut self) {
        self.open = None;
    }

    /// Hides what a project says is secret, the first time that the project is asked about.
    pub(crate) fn hide_once(&mut self, project: &str, hide: impl FnOnce()) {
        if !self.hidden.contains(project) {
            hide();
            self.hidden.insert(project.to_owned());
        }
    }

    /// Learns what is new in a project's history.
    ///
    /// # Errors
    /// When the base cannot be read or written.
    pub(crate) fn catch_up(&mut self, place: &Place) -> Result<(), ToolError> {
        let base = self.base()?;
        let Some(_lock) = BaseLock::take(base.path(), PATIENCE)? else { return Ok(()) };
        let project = project_name(&place.project);
        let mut learning = Learning::begin(base, &env)?;
        for (dir, _) in histories(&env, Some(place)).into_iter().filter(|(_, name)| *name == project) {
            learning.history(&dir, &project)?;
        }
        learning.imports(&project)?;
        let done = learning.finish();
        let path = env("PATH");
        tell(base, &env, &done.projects, now(), |program| is_installed(path.as_deref(), program))?;
        Ok(())
    }
}

/// Whether a file still begins as a base does.
fn is_base(path: &Path) -> bool {
    const BEGINS: &[u8; 16] = b"SQLite format 3\0";
    let mut head = [0; 16];
    File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok() && head == *BEGINS
}

/// The time, in milliseconds since 1970.
pub(crate) fn now() -> u64 {
    u64::try_from(Utc::now().timestamp_millis()).unwrap_or_default()
}

fn base_path() -> Result<PathBuf, ToolError> {
    failwise::store::path(&env).ok_or_else(|| ToolError::internal("no home folder is known: set HOME or FAILWISE_BASE"))
}
