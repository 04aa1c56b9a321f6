//! When it is time to learn: the history has grown since a learner read it, and none was started just now.

use std::path::Path;

use super::RECALL;
use super::line::{DUE, TOLD};
use crate::digest::hex16;
use crate::journal::{HISTORY, open_sized, put_private, read_small};
use crate::place::{Env, Place, project_folder, state_root};
use crate::time::millis;

/// The file in a project's folder of the state directory that says how much of its histories was learned.
const LEARNED: &str = "learned";
/// The file in the state directory that says when a hook started a learner last, in milliseconds since 1970.
const STARTED: &str = "learner";
/// How long after a start the next one comes at the earliest, in milliseconds.
const PAUSE: i64 = 10 * 60 * 1000;
/// The most of both files that is read.
const LARGEST: u64 = 64 * 1024;
/// Variables that say that somebody else sees to it, or that nothing is to be kept: a run learns at its end, and a machine
/// for builds learns nothing.
const NOT_WITH: [&str; 2] = ["FAILWISE_RUN", "CI"];

/// Whether a learner is to be started for a project at a time, RFC 3339 UTC; then that it was is noted.
pub fn is_due(env: Env<'_>, place: &Place, now: &str) -> bool {
    let is_set = |name: &str| env(name).is_some_and(|value| !value.is_empty());
    if NOT_WITH.into_iter().any(is_set) || !has_grown(env, place) {
        return false;
    }
    let Some((file, now)) = state_root(env).map(|root| root.join(STARTED)).zip(millis(now)) else { return false };
    let last: Option<i64> = read_small(&file, LARGEST).and_then(|text| text.trim().parse().ok());
    // Of a time to come nothing is known: clocks jump.
    let is_soon = last.is_some_and(|last| (0..PAUSE).contains(&(now - last)));
    !is_soon && put_private(&file, format!("{now}\n").as_bytes()).is_ok()
}

/// Whether the history is not as long as it was when it was learned.
fn has_grown(env: Env<'_>, place: &Place) -> bool {
    let Ok((_, length)) = open_sized(&place.dir.join(HISTORY)) else { return false };
    let Some(file) = project_folder(env, place).map(|folder| folder.join(LEARNED)) else { return false };
    read_small(&file, LARGEST).and_then(|text| length_in(&text, &place.dir)) != Some(length)
}

/// How long the history in a folder was when it was learned: a line for each folder.
fn length_in(text: &str, dir: &Path) -> Option<u64> {
    let name = hex16(&[&dir.to_string_lossy()]);
    text.lines().find_map(|line| line.strip_prefix(name.as_str())?.trim().parse().ok())
}

/// Notes how long the history in a folder was, in bytes, when it was learned. `folder` is the project's in the state directory.
pub fn note_learned(folder: &Path, dir: &Path, length: u64) -> std::io::Result<()> {
    let file = folder.join(LEARNED);
    let text = read_small(&file, LARGEST).unwrap_or_default();
    if length_in(&text, dir) == Some(length) {
        return Ok(());
    }
    let name = hex16(&[&dir.to_string_lossy()]);
    let others = text.lines().filter(|line| !line.starts_with(name.as_str()));
    let lines: Vec<String> = others.map(str::to_owned).chain([format!("{name} {length}")]).collect();
    put_private(&file, (lines.join("\n") + "\n").as_bytes())
}

/// The files that recall and learner keep in a project's folder of the state directory.
pub fn files_of(folder: &Path) -> [std::path::PathBuf; 4] {
    [RECALL, LEARNED, DUE, TOLD].map(|name| folder.join(name))
}
