//! The base: what sessions taught, in one SQLite file of the user's. A projection: it can be deleted and made again from
//! the histories, the sessions and the counts beside it. Only commands open it; hooks search the files that are written from
//! it (`recall`). An edge.

#![expect(clippy::disallowed_methods, reason = "an edge: the base, its counts and its sources are files")]

mod adopted;
mod base;
mod case_lines;
mod cases;
mod counts;
mod fault;
mod forget;
mod imports;
mod learn;
mod lock;
mod remake;
mod row;
mod runs;
mod shared;
mod status;
mod team;
mod tell;
mod word;

use std::path::PathBuf;

pub use adopted::{adopt, adopted};
pub use base::{Base, BaseSource, SourceKind};
pub use case_lines::{CaseFile, CaseLines, exported_cases, import_cases};
pub use cases::{CaseFixed, CasePage, CaseSort, PatternFilter};
pub use counts::path_of as counts_of;
pub use fault::StoreFault;
pub use forget::{HeldData, forget_project, held};
pub use imports::{MOST_RUNS, imported_projects, imports_of, take_in};
pub use learn::{Done, Learning, histories, place_of};
pub use lock::{BaseLock, path_of as lock_of};
pub use remake::rebuild;
pub use row::{RowKind, StoredRow};
pub use runs::{NamedRun, RunFilter, RunPage};
pub use shared::{LARGEST_IMPORT, OpenLine, SharedFile, SharedLine, exported, import, machine};
pub use status::FailureStatus;
pub use team::{TeamTrust, note_team_known};
pub use tell::{Memory, PageLine, ToldCounts, is_installed, recall_of, tell};
pub use word::{CONFIRMS, FORGETS, PersonWord, Saying};

use crate::place::{Env, state_root};

/// The base's file name in the state directory.
const BASE: &str = "base.sqlite";

/// Where the base is: `FAILWISE_BASE`, else in the user's state directory. None where nothing names a home.
pub fn path(env: Env<'_>) -> Option<PathBuf> {
    let named = env("FAILWISE_BASE").map(PathBuf::from).filter(|path| path.is_absolute());
    named.or_else(|| Some(state_root(env)?.join(BASE)))
}

/// The user's state directory.
///
/// # Errors
/// When nothing names a home.
fn root(env: Env<'_>) -> Result<PathBuf, StoreFault> {
    state_root(env).ok_or_else(|| StoreFault::Io("no home folder is known: set HOME".to_owned()))
}

/// What SQLite keeps of a number: more than it can count to is its largest.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
