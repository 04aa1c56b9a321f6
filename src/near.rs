//! A look for the only name like a missing one: a listing of one folder below the project, or one of its manifests. No link
//! is followed, no process started.

#![expect(clippy::disallowed_methods, reason = "an edge: a folder is listed here")]

use std::fs;
use std::path::{Component, Path};

use crate::journal::read_small;
use crate::names::{Missing, Named, NearName, only_meant};
use crate::place::link_below;
use crate::redact::redact;

/// The most names of a folder: of a larger one nothing is known.
const MOST_NAMES: usize = 1_000;
/// The most of a manifest that is read, in bytes.
const MOST_TEXT: u64 = 256 * 1024;
/// The longest name that is told, in bytes.
const LONGEST: usize = 80;

/// The only name like a missing one, in the project whose folder is `root`. None where the name is there by now, where none
/// or several are like it, and where it lies outside the project or behind a link.
pub fn near_name(root: &Path, missing: &Missing) -> Option<NearName> {
    let near = match missing.what {
        Named::Path { is_folder } => in_folder(root, Path::new(&missing.name), is_folder)?,
        Named::Declared(declared) => {
            let folder = Path::new(&missing.folder);
            folder.strip_prefix(root).ok()?;
            let there = |name: &&&str| fs::symlink_metadata(folder.join(name)).is_ok();
            let file = folder.join(declared.manifests.iter().find(there)?);
            let text = read_small(&file, MOST_TEXT).filter(|_| link_below(root, &file).is_none())?;
            let names = (declared.names)(&text)?;
            let name = only_meant(&missing.name, names.iter().map(String::as_str))?.to_owned();
            let place = shown(root, &file)?;
            NearName { missing: missing.name.clone(), name, place, below: None, word: Some(declared.word) }
        }
    };
    may_be_told(&near.name).then_some(near)
}

/// The only name like the first part of a path that is not there.
fn in_folder(root: &Path, path: &Path, is_folder: bool) -> Option<NearName> {
    let mut folder = root.to_owned();
    let mut parts = path.strip_prefix(root).ok()?.components();
    let missing = loop {
        let Component::Normal(part) = parts.next()? else { return None };
        match fs::symlink_metadata(folder.join(part)) {
            Ok(about) if about.is_dir() => folder.push(part),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => break part.to_str()?,
            // A file or link on the way, or what may not be looked at.
            _ => return None,
        }
    };
    let rest = parts.as_path();
    let names = names_in(&folder)?;
    let name = only_meant(missing, names.iter().map(String::as_str))?.to_owned();
    let below = rest.to_str().filter(|rest| !rest.is_empty()).map(str::to_owned);
    let mut near = folder.join(&name);
    near.extend(rest);
    let wants_folder = is_folder && below.is_none();
    let wants_file = !is_folder && below.is_none() && missing.contains('.');
    let about = fs::symlink_metadata(&near).ok().filter(|_| link_below(root, &near).is_none())?;
    let fits = !(wants_folder && !about.is_dir() || wants_file && about.is_dir());
    let place = shown(root, &folder)?;
    fits.then(|| NearName { missing: missing.to_owned(), name, place, below, word: None })
}

/// The names in a folder; None of one that holds too many.
fn names_in(folder: &Path) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).ok()? {
        let entry = entry.ok().filter(|_| names.len() < MOST_NAMES)?;
        names.push(entry.file_name().to_string_lossy().into_owned());
    }
    Some(names)
}

/// A path relative to the project; None for one that a sentence cannot hold.
fn shown(root: &Path, path: &Path) -> Option<String> {
    path.strip_prefix(root).ok()?.to_str().map(str::to_owned)
}

/// Whether a name that somebody else chose may stand in a sentence: plain signs only, and no secret.
fn may_be_told(name: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "._-+@:".contains(c);
    name.len() <= LONGEST && name.chars().all(is_plain) && redact(name) == name
}
