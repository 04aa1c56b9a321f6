//! What the base and the files beside it hold of a project, and taking it away.

use std::path::{Path, PathBuf};

use fs_err as fs;

use super::base::Base;
use super::counts;
use super::fault::StoreFault;
use crate::place::{ADOPTED, Env, IMPORTS, state_root};
use crate::recall::{RECALL, files_of};

/// What is held of a project.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HeldData {
    /// The base, which holds all projects, and how long it is; None where there is none.
    pub base: Option<(PathBuf, u64)>,
    /// How many rows of it are of the project; None where it cannot be read.
    pub rows: Option<u64>,
    /// The files that recall, learner and counts keep, with their lengths.
    pub files: Vec<(PathBuf, u64)>,
}

/// What is held of a project; `folder` is its own in the state directory.
pub fn held(env: Env<'_>, path: &Path, folder: Option<&Path>, project: &str) -> HeldData {
    let base = length_of(path).map(|length| (path.to_owned(), length));
    let opened = base.as_ref().and_then(|_| Base::open(path).ok());
    let rows = opened.and_then(|base| {
        let rows = base.rows(Some(project)).ok()?.len() as u64;
        Some(rows + base.count_test_runs(project).ok()?)
    });
    let beside = state_root(env).map(|root| root.join(RECALL)).into_iter().chain([counts::path_of(path)]);
    let files = folder.into_iter().flat_map(kept_in).chain(beside);
    HeldData {
        base,
        rows,
        files: files.filter_map(|file| Some((length_of(&file)?, file))).map(|(length, file)| (file, length)).collect(),
    }
}

/// Takes away all that the base, the counts and the recall file hold of a project, and says how many rows these were. The
/// caller holds the lock.
///
/// # Errors
/// When the base cannot be read or written, or a file cannot be taken away.
pub fn forget_project(base: &mut Base, folder: Option<&Path>, project: &str) -> Result<u64, StoreFault> {
    let rows = base.rows(Some(project))?.len() as u64 + base.count_test_runs(project)?;
    let path = base.path().to_owned();
    base.whole(|writer| {
        writer.forget_project(project)?;
        counts::write(writer, &path)
    })?;
    for file in folder.into_iter().flat_map(kept_in) {
        match fs::remove_file(&file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    Ok(rows)
}

/// The files of a project's folder in the state directory that are of what was learned and imported.
fn kept_in(folder: &Path) -> impl Iterator<Item = PathBuf> {
    files_of(folder).into_iter().chain([folder.join(IMPORTS), folder.join(ADOPTED)])
}

fn length_of(path: &Path) -> Option<u64> {
    fs::symlink_metadata(path).ok().filter(std::fs::Metadata::is_file).map(|meta| meta.len())
}
