//! What an output says of the way on, where that is another one than the call that failed.

/// Operations of git that stop half-way and are gone on with.
const HALF_WAY: &[&str] = &[
    "git rebase --continue",
    "git merge --continue",
    "git cherry-pick --continue",
    "git revert --continue",
    "git am --continue",
];

/// The command that goes on with what stopped half-way, where the output offers it.
pub(crate) fn way_on(text: &str) -> Option<&'static str> {
    HALF_WAY.iter().copied().find(|command| text.contains(command))
}

/// The files that stand in the way of a stash which git kept because it could not take it back; None where no stash was
/// kept, or git merged it and left a conflict to solve.
pub(crate) fn kept_stash(text: &str) -> Option<Vec<&str>> {
    if !text.contains("The stash entry is kept in case you need it again") {
        return None;
    }
    let (_, rest) = text.split_once("to the following files would be overwritten by merge:")?;
    let mut files: Vec<&str> = rest.lines().skip(1).map_while(|line| line.strip_prefix('\t')).map(str::trim).collect();
    files.dedup();
    Some(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    const REFUSED: &str = "error: Your local changes to the following files would be overwritten by merge:\n\tsrc/a.go\n\tb.go\nPlease commit your changes or stash them before you merge.\nAborting\nThe stash entry is kept in case you need it again.";

    #[test]
    fn a_refused_stash_names_what_is_in_its_way() {
        assert_eq!(kept_stash(REFUSED), Some(vec!["src/a.go", "b.go"]));
        let conflict = "Auto-merging a.go\nCONFLICT (content): Merge conflict in a.go\nThe stash entry is kept in case you need it again.";
        assert_eq!(kept_stash(conflict), None);
        assert_eq!(kept_stash(&REFUSED.replace("The stash entry is kept", "x")), None);
    }

    #[test]
    fn the_way_on_is_what_git_offers() {
        assert_eq!(way_on("hint:     git rebase --continue"), Some("git rebase --continue"));
        assert_eq!(way_on("fatal: Unable to create 'index.lock': File exists."), None);
    }
}
