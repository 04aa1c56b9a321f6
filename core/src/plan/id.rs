//! The file names that carry the ids of plan nodes.

use crate::model::is_node_id;

/// Whether a folder or file name, without its ending, carries this id: `ID`, or `ID_slug`.
pub fn carries(name: &str, id: &str) -> bool {
    name.strip_prefix(id).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
}

/// The id that a name carries when its file does not state one: what is before the slug, which has no `_`.
pub fn carried_by(name: &str) -> Option<&str> {
    let id = name.rsplit_once('_').map_or(name, |(id, _)| id);
    is_node_id(id).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::{carried_by, carries};

    #[test]
    fn names_carry_ids() {
        assert!(carries("FEAT-7_paper-feed", "FEAT-7"));
        assert!(carries("FEAT-7", "FEAT-7"));
        assert!(!carries("FEAT-70_paper-feed", "FEAT-7"));
        assert!(!carries("FEAT-7", "FEAT-7_paper"));
        assert_eq!(carried_by("FEAT-7_paper-feed"), Some("FEAT-7"));
        assert_eq!(carried_by("TASK-00007"), Some("TASK-00007"));
        assert_eq!(carried_by("_slug"), None);
    }
}
