//! The ids of nodes.

/// The longest id.
const LONGEST: usize = 64;

/// Whether a word may be used as the id of a node or of a conflict: it becomes part of comparisons with file names, so its
/// characters are few, and `.` and `..` are not among the ids.
pub fn is_node_id(word: &str) -> bool {
    (1..=LONGEST).contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
        && !word.bytes().all(|byte| byte == b'.')
}

#[cfg(test)]
mod tests {
    use super::is_node_id;

    #[test]
    fn ids_are_of_a_strict_character_class() {
        for id in ["MISSION", "TASK-00007", "ABC-1.2", "a_b", &"x".repeat(64)] {
            assert!(is_node_id(id), "{id}");
        }
        for word in ["", ".", "..", "a/b", "a\\b", "a b", "TASK\n", "t\u{e4}sk", "*", "~", &"x".repeat(65)] {
            assert!(!is_node_id(word), "{word}");
        }
    }
}
