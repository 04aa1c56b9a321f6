//! A look for the only name that a missing one may have meant: among the names that git tracks, or in a manifest of the
//! project. No link is followed, no process started.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use crate::journal::read_small;
use crate::model::NearName;
use crate::names::{Fitting, MissingKind, MissingName, only_meant};
use crate::place::link_below;
use crate::redact::redact;
use crate::tracked::tracked;

/// The most of a manifest that is read, in bytes.
const MOST_TEXT: u64 = 256 * 1024;
/// The longest name that is told, in bytes.
const LONGEST: usize = NearName::SHOWN;

/// The only name like a missing one, in the project whose folder is `root`. None where the name is there by now, where none
/// or several are like it, and where it lies outside the project or behind a link.
pub fn near_name(root: &Path, missing: &MissingName) -> Option<NearName> {
    let near = match missing.what {
        MissingKind::Path { is_folder } => in_index(root, Path::new(&missing.name), is_folder)?,
        MissingKind::Declared(declared) => {
            let folder = Path::new(&missing.folder);
            folder.strip_prefix(root).ok()?;
            let there = |name: &&&str| fs::symlink_metadata(folder.join(name)).is_ok();
            let file = folder.join(declared.manifests.iter().find(there)?);
            let text = read_small(&file, MOST_TEXT).filter(|_| link_below(root, &file).is_none())?;
            let names = (declared.names)(&text)?;
            let name = only_meant(&missing.name, names.iter().map(String::as_str))?.to_owned();
            let place = shown_path(root, &file)?;
            NearName { missing: missing.name.clone(), name, word: declared.word.to_owned(), place: Some(place) }
        }
    };
    (may_be_told(&near.name) && may_be_told(&near.missing)).then_some(near)
}

/// The only tracked file or folder that fits a path that is not there, and that is there itself.
fn in_index(root: &Path, path: &Path, is_folder: bool) -> Option<NearName> {
    let gone = fs::symlink_metadata(path).err()?;
    // A file on the way is none; what may not be looked at may be there.
    matches!(gone.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory).then_some(())?;
    link_below(root, path).is_none().then_some(())?;
    let wanted = shown_path(root, path)?;
    let mut fitting = Fitting::new(&wanted, is_folder);
    tracked(root, |name| fitting.see(name))?;
    let near = fitting.only()?;
    let path = root.join(&near.name);
    let about = fs::symlink_metadata(&path).ok().filter(|_| link_below(root, &path).is_none())?;
    (about.is_dir() == (near.word == "folder")).then_some(near)
}

/// A path relative to the project; None for one that a sentence cannot hold.
fn shown_path(root: &Path, path: &Path) -> Option<String> {
    path.strip_prefix(root).ok()?.to_str().map(str::to_owned)
}

/// Whether a name that somebody else chose may stand in a sentence: plain signs only, and no secret.
fn may_be_told(name: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "._-+@:/()[]".contains(c);
    name.len() <= LONGEST && name.chars().all(is_plain) && redact(name) == name
}
