//! What is open: failures that an agent leaves behind, and how a call is named when one speaks of it.

use super::agent::EXCERPT;
use crate::history::{Episode, State};
use crate::model::{Category, Class};
use crate::text::quoted;

/// Whether an episode is a check that failed: tests, compiler, linter, or a run behind a pipe.
pub(super) fn is_check(episode: &Episode) -> bool {
    let check = match episode.category {
        Category::TestFailure | Category::CompileError | Category::LintError => true,
        // Its status says that it failed, though no word says at what.
        Category::Unknown => episode.check.is_some(),
        _ => false,
    };
    check || episode.masked
}

/// Whether an episode is one that an agent should not stop over: a check, or a failure of class F3 to F6.
pub(super) fn is_unresolved(episode: &Episode) -> bool {
    let is_wider = matches!(episode.class, Some(Class::F3 | Class::F4 | Class::F5 | Class::F6));
    is_check(episode) || is_wider
}

/// Whether it failed since a person spoke last: an answer to another question owes no account of it.
pub(super) fn is_of_this_turn(episode: &Episode, state: &State) -> bool {
    state.prompted_at.is_none_or(|prompted| prompted < episode.last_at)
}

/// Whether a failure is one of work that is tried: edited, run, and edited again.
pub(super) fn is_tried(category: Category) -> bool {
    matches!(
        category,
        Category::TestFailure
            | Category::CompileError
            | Category::LintError
            | Category::RuntimeError
            | Category::ScriptError
    )
}

/// A call by the words that the agent gave. Of a long command the part that failed is shown, as far as it is known by its
/// runner; the operation, which hashes long words, only where nothing else is known.
pub(super) fn named(input: Option<&str>, operation: &str, runner: Option<&str>) -> String {
    let Some(input) = input.map(without_comments).filter(|input| !input.is_empty()) else {
        return quoted(operation, EXCERPT);
    };
    if input.chars().count() <= EXCERPT {
        return quoted(input, EXCERPT);
    }
    let is_it = |part: &&str| runner.is_some_and(|runner| part.contains(runner));
    let part = input.split(" && ").flat_map(|part| part.split("; ")).filter(is_it).last();
    quoted(part.unwrap_or(input), EXCERPT)
}

/// A command without the lines of comment that stand before it.
fn without_comments(input: &str) -> &str {
    let mut rest = input.trim_start();
    while let Some((_, after)) = rest.strip_prefix('#').and_then(|comment| comment.split_once('\n')) {
        rest = after.trim_start();
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_named_as_it_was_written() {
        assert_eq!(named(Some("mise run lint 2>&1 | tail -5"), "x", None), "`mise run lint 2>&1 | tail -5`");
        assert_eq!(named(Some("# all of it\n# again\nmake all"), "x", None), "`make all`");
        assert_eq!(named(None, "git commit -m #08c5ccbe", None), "`git commit -m #08c5ccbe`");
        let long = format!("echo {} && cargo test --lib 2>&1; ls", "word ".repeat(40));
        assert_eq!(named(Some(&long), "#0", Some("cargo test")), "`cargo test --lib 2>&1`");
        let long = format!("git add {} && git commit -m done", "file ".repeat(40));
        assert_eq!(named(Some(&long), "#0", Some("git")), "`git commit -m done`");
        assert!(named(Some(&long), "#0", None).starts_with("`git add file file"));
    }
}
