//! Which changes a person adopted, and when: a small file in the project's folder of the state directory.

use std::path::Path;

use super::fault::StoreFault;
use crate::changes::AdoptedChange;
use crate::journal::{put_private, read_small};
use crate::place::ADOPTED;

/// The largest such file that is read, in bytes, and the most changes that are kept: the newest.
const LARGEST: u64 = 1024 * 1024;
const MOST: usize = 500;

/// What was adopted, oldest first; `folder` is the project's in the state directory. Lines that cannot be read are left out.
pub fn adopted(folder: &Path) -> Vec<AdoptedChange> {
    let text = read_small(&folder.join(ADOPTED), LARGEST).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Remembers that these were adopted. Of one that was adopted before, the first time counts: from then on it held.
///
/// # Errors
/// When the file cannot be written.
pub fn adopt(folder: &Path, new: Vec<AdoptedChange>) -> Result<(), StoreFault> {
    let mut all = adopted(folder);
    for change in new {
        if !all.iter().any(|known| known.id == change.id) {
            all.push(change);
        }
    }
    all.drain(..all.len().saturating_sub(MOST));
    let lines = all.iter().filter_map(|change| serde_json::to_string(change).ok());
    let text: String = lines.flat_map(|line| [line, "\n".to_owned()]).collect();
    Ok(put_private(&folder.join(ADOPTED), text.as_bytes())?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::changes::ChangeKind;

    #[test]
    fn the_first_time_counts_and_torn_lines_are_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let change = |id: &str, ts: &str| AdoptedChange {
            id: id.to_owned(),
            project_key: "/srv/a".to_owned(),
            project: "a".to_owned(),
            kind: ChangeKind::Tool,
            matter: "skill x".to_owned(),
            text: "There is no skill `x`.".to_owned(),
            ts: ts.to_owned(),
        };
        adopt(dir.path(), vec![change("1", "2026-01-01"), change("2", "2026-01-02")]).unwrap();
        adopt(dir.path(), vec![change("1", "2026-02-01")]).unwrap();
        assert_eq!(adopted(dir.path()), [change("1", "2026-01-01"), change("2", "2026-01-02")]);
        let path = dir.path().join(ADOPTED);
        let text = fs_err::read_to_string(&path).unwrap();
        fs_err::write(&path, format!("{}\nnot json\n", &text[..text.len() - 9])).unwrap();
        assert_eq!(adopted(dir.path()), [change("1", "2026-01-01")]);
    }
}
