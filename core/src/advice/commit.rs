//! Commands that hand work over to others, as parts of a line.

use std::borrow::Cow;

use crate::history::{absolute, covers, is_scratch};
use crate::programs::Trait;
use crate::programs::words::GOES_TO;
use crate::shell::{Command, Nesting, Script};

/// From this many bytes on a recorded command may be cut: the history keeps 300.
pub(super) const KEPT_WHOLE: usize = 297;

/// The words of the commit, push or pull request that a line makes for the repository of `cwd`; None where there is none,
/// or it is for another repository.
pub(super) fn commits_of(line: &str, cwd: Option<&str>) -> Option<String> {
    let script = Script::parse(line);
    let mut folder = Some(String::new());
    for pipeline in script.pipelines.iter().filter(|pipeline| pipeline.nesting == Nesting::Top) {
        for command in &pipeline.commands {
            if command.is(Trait::Enters) {
                folder = folder.and_then(|before| entered(&before, command.args.first()?));
            } else if command.is(Trait::BeginsRepository) && folder.as_deref() != Some("") {
                return None;
            } else if command.is(Trait::HandsOver) {
                let place = folder.as_deref().and_then(|before| work_place(command, before));
                return place.filter(|place| is_here(place, cwd)).map(|_| command_words(command));
            }
        }
    }
    None
}

/// The line that a call ran, as far as it is known: as written, or of a longer one its first `cd` and its operation.
pub(super) fn ran_line<'a>(input: &'a str, operation: &'a str) -> Cow<'a, str> {
    if input.len() < KEPT_WHOLE {
        return Cow::Borrowed(input);
    }
    match input.strip_prefix("cd ").and_then(|rest| rest.split_once(" && ")) {
        Some((folder, _)) => Cow::Owned(format!("cd {folder} && {operation}")),
        None => Cow::Borrowed(operation),
    }
}

/// The folder after `cd WORD`; None where the word is known to the shell only.
fn entered(before: &str, word: &str) -> Option<String> {
    if word.contains(['$', '`', '*']) || word.starts_with(['~', '-']) {
        return None;
    }
    Some(if word.starts_with('/') || before.is_empty() { word.to_owned() } else { format!("{before}/{word}") })
}

/// Where a command works: the folder it is in, or the one that an option of it names, as `git -C` does.
fn work_place(command: &Command, before: &str) -> Option<String> {
    let goes = |arg: &String| GOES_TO.contains(&(command.program.as_str(), arg.as_str()));
    let option = command.args.iter().position(goes);
    match option {
        Some(at) => entered(before, command.args.get(at + 1)?),
        None => Some(before.to_owned()),
    }
}

/// Whether a folder belongs to the repository of `cwd`, as far as its spelling tells.
fn is_here(place: &str, cwd: Option<&str>) -> bool {
    let Some(cwd) = cwd else { return !place.starts_with('/') };
    let place = absolute(place, Some(cwd));
    if is_scratch(&place) && !is_scratch(cwd) {
        return false;
    }
    let (inner, outer) = if covers(cwd, &place) { (&*place, cwd) } else { (cwd, &*place) };
    let is_checkout =
        |between: &str| between.split('/').any(|part| part.trim_start_matches('.').ends_with("worktrees"));
    covers(outer, inner) && inner.strip_prefix(outer).is_none_or(|between| !is_checkout(between))
}

/// `git push` for `git -C api push origin`.
fn command_words(command: &Command) -> String {
    let subcommand = command.subcommands().next().unwrap_or_default();
    [command.program.as_str(), subcommand].join(" ").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: Option<&str> = Some("/srv/shop");

    #[test]
    fn a_commit_is_found_in_any_part_of_a_line() {
        for line in [
            "git commit -m done",
            "git add -A && git commit -m done",
            "git -C /srv/shop commit -m done",
            "git -C api commit -m done",
            "cd /srv/shop && git add . && git commit -m done",
            "cd /srv/shop/api && git commit -qm done | tail -1",
            "cd .. && git commit -m done",
            "git init -q && git add -A && git commit -m done",
        ] {
            assert_eq!(commits_of(line, HERE).as_deref(), Some("git commit"), "{line}");
        }
        assert_eq!(commits_of("git push origin main", HERE).as_deref(), Some("git push"));
        assert_eq!(commits_of("git commit -m x", None).as_deref(), Some("git commit"));
    }

    #[test]
    fn a_long_line_is_known_by_its_operation() {
        let files = "src/cart.go ".repeat(30);
        let input = format!("git add {files}");
        assert_eq!(ran_line(&input, "git add #1 && git commit -m #2"), "git add #1 && git commit -m #2");
        let input = format!("cd /tmp/x && git add {files}");
        assert_eq!(ran_line(&input, "git add #1 && git commit -m #2"), "cd /tmp/x && git add #1 && git commit -m #2");
        assert_eq!(ran_line("git push", "git push origin"), "git push");
    }

    #[test]
    fn another_repository_is_not_meant() {
        for line in [
            "cd /tmp/x && git init -q && git commit -m x",
            "cd /tmp/x && git commit -m x",
            "cd \"$WORK\" && git commit -m x",
            "cd ~/notes && git commit -m x",
            "git -C /srv/blog commit -m x",
            "git -C .worktrees/fix commit -m x",
            "cd /srv/shop/.worktrees/fix && git commit -m x",
            "echo git commit",
            "git commit-tree x",
            "git status",
        ] {
            assert_eq!(commits_of(line, HERE), None, "{line}");
        }
        assert_eq!(commits_of("cd /srv/blog && git commit -m x", None), None);
    }
}
