//! The ids of plan nodes, and the file names that carry them.

/// The longest id.
const LONGEST: usize = 64;

/// Whether a word may be used as an id: it becomes part of comparisons with file names, so its characters are few, and
/// `.` and `..` are not among the ids.
pub(super) fn is_id(word: &str) -> bool {
    (1..=LONGEST).contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
        && !word.bytes().all(|byte| byte == b'.')
}

/// Whether a folder or file name, without its ending, carries this id: `ID`, or `ID_slug`.
pub(super) fn carries(name: &str, id: &str) -> bool {
    name.strip_prefix(id).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
}

/// The id that a name carries when its file does not state one: what stands before the slug, which has no `_`.
pub(super) fn carried_by(name: &str) -> Option<&str> {
    let id = name.rsplit_once('_').map_or(name, |(id, _)| id);
    is_id(id).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::{carried_by, carries, is_id};

    #[test]
    fn ids_are_of_a_strict_character_class() {
        for id in ["MISSION", "TASK-00007", "ABC-1.2", "a_b", &"x".repeat(64)] {
            assert!(is_id(id), "{id}");
        }
        for word in ["", ".", "..", "a/b", "a\\b", "a b", "TASK\n", "t\u{e4}sk", "*", "~", &"x".repeat(65)] {
            assert!(!is_id(word), "{word}");
        }
    }

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
