//! Paths as they stand in commands and outputs: text that need not name a file here.

use std::path::{Component, Path};

/// What stands behind the last slash of a path: nothing where it ends in one, all of it where it holds none. A name of a
/// program is read by [`base_name`](crate::programs::base_name).
pub fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// The folder that people know a project by: of a worktree below it the part before that.
pub fn project_folder(path: &str) -> &str {
    const WORKTREES: &[&str] = &["/.worktrees/", "/.claude/worktrees/"];
    WORKTREES.iter().find_map(|part| path.split_once(part)).map_or(path, |(main, _)| main)
}

/// Whether a path that came from outside leads where it says: from the root, and never up.
pub fn is_plain_path(path: &Path) -> bool {
    path.is_absolute() && path.components().all(|part| part != Component::ParentDir)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worktree_is_of_its_project() {
        for path in ["/srv/mill", "/srv/mill/.worktrees/a/b", "/srv/mill/.claude/worktrees/x"] {
            assert_eq!(project_folder(path), "/srv/mill", "{path}");
        }
    }

    #[test]
    fn the_name_stands_behind_the_last_slash() {
        for (path, wanted) in [("a/b/cart.go", "cart.go"), ("cart.go", "cart.go"), ("/srv/", ""), ("", ""), ("/a", "a")]
        {
            assert_eq!(file_name(path), wanted, "{path}");
        }
    }
}
