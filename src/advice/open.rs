//! What is open: failures that an agent leaves behind, and how a call is named when one speaks of it.

use super::agent::EXCERPT;
use crate::history::Episode;
use crate::model::{Category, Class};
use crate::text::quoted;

/// Whether an episode is a check that failed: tests, compiler, linter, or a run behind a pipe.
pub(super) fn is_check(episode: &Episode) -> bool {
    let check = matches!(episode.category, Category::TestFailure | Category::CompileError | Category::LintError);
    check || episode.masked
}

/// Whether an episode is one that an agent should not stop over: a check, or a failure of class F3 to F6.
pub(super) fn is_unresolved(episode: &Episode) -> bool {
    let is_wider = matches!(episode.class, Some(Class::F3 | Class::F4 | Class::F5 | Class::F6));
    is_check(episode) || is_wider
}

/// A call by the words that the agent gave, where they are short enough to be shown whole; else by its operation.
pub(super) fn named(input: Option<&str>, operation: &str) -> String {
    let short = input.filter(|input| input.chars().count() <= EXCERPT);
    quoted(short.unwrap_or(operation), EXCERPT)
}
