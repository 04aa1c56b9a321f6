//! Making the base anew, and keeping aside one that cannot be read.

use std::path::{Path, PathBuf};

use fs_err as fs;

use super::base::{Base, SourceKind};
use super::fault::StoreFault;

/// What SQLite keeps beside a base.
const BESIDE: [&str; 2] = ["-wal", "-shm"];

/// An empty base in the place of what was there, the files that the old one was learned from, and where the old one is kept
/// where it could not be read. `now` is RFC 3339 UTC. The caller holds the lock.
///
/// # Errors
/// When a newer Failwise wrote the base, or it cannot be written.
pub fn rebuild(path: &Path, now: &str) -> Result<(Base, Vec<PathBuf>, Option<PathBuf>), StoreFault> {
    match whole(path) {
        Ok(mut base) => {
            let is_file = |kind: SourceKind| matches!(kind, SourceKind::History | SourceKind::Transcript);
            let sources = base.sources()?.into_iter().filter(|source| is_file(source.kind));
            let sources = sources.map(|source| PathBuf::from(source.path)).collect();
            base.clear()?;
            Ok((base, sources, None))
        }
        Err(StoreFault::Broken { .. }) => {
            let aside = keep_aside(path, now)?;
            Ok((Base::open(path)?, Vec::new(), Some(aside)))
        }
        Err(fault) => Err(fault),
    }
}

/// A base of which every page can be read.
fn whole(path: &Path) -> Result<Base, StoreFault> {
    let base = Base::open(path)?;
    match base.integrity()?.as_str() {
        "ok" => Ok(base),
        why => {
            Err(StoreFault::Broken { path: path.to_owned(), why: why.lines().next().unwrap_or_default().to_owned() })
        }
    }
}

fn keep_aside(path: &Path, now: &str) -> Result<PathBuf, StoreFault> {
    let stamp: String = now.chars().filter(char::is_ascii_digit).take(14).collect();
    let named = |ending: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    let aside = named(&format!(".broken-{stamp}"));
    fs::rename(path, &aside)?;
    for beside in BESIDE {
        let _ = fs::rename(named(beside), named(&format!(".broken-{stamp}{beside}")));
    }
    Ok(aside)
}
