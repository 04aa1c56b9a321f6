//! A look at the file of an edit that failed: as it is now, and only where it lies in the project and no link leads there.

use std::path::{Component, Path};

use crate::edits::{MOST_TEXT, misfit_in};
use crate::host::edited::asked_edits;
use crate::journal::read_small;
use crate::model::Misfit;
use crate::place::link_below;

/// Where the text of a failed edit stands all the same in its file, in the project whose folder is `root`. `payload` is what
/// the hook was given, `call` the id of the edit. None where the file is too large, no text, or not the project's own.
pub fn misfit_of(root: &Path, payload: &[u8], call: Option<&str>) -> Option<Misfit> {
    let asked = asked_edits(payload, call)?;
    let path = Path::new(asked.cwd.as_deref().unwrap_or_default()).join(&asked.path);
    let is_plain = path.strip_prefix(root).ok()?.components().all(|part| matches!(part, Component::Normal(_)));
    if !is_plain || link_below(root, &path).is_some() {
        return None;
    }
    let text = read_small(&path, MOST_TEXT as u64).filter(|text| !text.contains('\0'))?;
    misfit_in(&text, &asked.edits)
}
