//! What is open: failures that an agent leaves behind, and how a call is named when one speaks of it.

use std::path::Path;

use super::agent::EXCERPT;
use super::commit::KEPT_WHOLE;
use crate::history::{Episode, Execution, State};
use crate::model::{Category, Check, CheckEnd, Class, Operation};
use crate::programs::Trait;
use crate::reading::CheckKind;
use crate::shell::{Command, Script};
use crate::text::quoted;

/// Whether an episode is a check that failed: tests, compiler, linter or a task of them, by what ran. Hooks and CI are
/// spoken of only where words claim that they pass: a later commit or run goes by another name, and is not known for one.
pub(super) fn is_check(episode: &Episode) -> bool {
    has_run(episode) && kind_of(episode).is_some_and(|kind| !matches!(kind, CheckKind::Hook | CheckKind::Ci))
}

/// Whether what failed came to run at all: a check that was called wrongly is called in another form next, which goes by
/// another name and is not known for it.
pub(super) const fn has_run(episode: &Episode) -> bool {
    !matches!(
        episode.category,
        Category::BadArguments
            | Category::CommandNotFound
            | Category::PathNotFound
            | Category::PermissionDenied
            | Category::ConfigOrState
            | Category::ShellSyntax
            | Category::ToolUnavailable
    )
}

/// Whether a check of its kind passed by another name after it failed, as `npx jest` after `npm test`: what it would say now
/// is not known. Of a check that could not load what it needs, whether the same program passed as one of its kind and nothing
/// changed since: then it was called wrongly.
pub(super) fn is_green_otherwise(episode: &Episode, state: &State) -> bool {
    let by_another = |operation: &Operation| operation.commands().any(|command| is_other_of_kind(episode, command));
    let program = episode.check.as_ref().and_then(|check| check.words.first());
    let by_itself = |operation: &Operation| {
        operation.0.split(' ').any(|word| Some(word) == program.map(String::as_str))
            && CheckKind::of_words(&operation.0) == kind_of(episode)
    };
    let is_unloaded = episode.category == Category::DependencyMissing;
    state.passes.iter().any(|(operation, at)| {
        *at > episode.last_at && by_another(operation)
            || is_unloaded && Some(*at) > state.changed_at && by_itself(operation)
    })
}

/// Whether a command is a check of the same kind by another program. Of the same one its words tell more, unless the shell
/// put something in their place.
fn is_other_of_kind(episode: &Episode, command: &str) -> bool {
    let Some(check) = &episode.check else { return false };
    let is_told = !command.contains('$') && check.words.iter().all(|word| !word.contains('$'));
    let is_own = is_told && Script::parse(command).last().map(Command::name) == check.words.first().map(String::as_str);
    !is_own && kind_of(episode).is_some_and(|kind| CheckKind::of_words(command) == Some(kind))
}

/// Whether a call itself leaves nothing to say of a check that failed before: it passed in it, was run, or another of its
/// kind passed, or the same program checked some of it again and did not tell how that ended.
pub(super) fn is_settled_in(episode: &Episode, call: &Execution) -> bool {
    let program = episode.check.as_ref().and_then(|check| check.words.first());
    let settles = |check: &Check| {
        let words = check.words.join(" ");
        let is_again = || check.words.first() == program && CheckKind::of_words(&words) == kind_of(episode);
        match check.end {
            CheckEnd::Passed => is_other_of_kind(episode, &words),
            CheckEnd::Unknown => is_again(),
            CheckEnd::Failed => false,
        }
    };
    episode.is_ended_by(call) || episode.is_left_unclear_by(call) || call.checks.iter().any(settles)
}

/// The kind of check that an episode is a failure of, by what ran, and by the category of the cause only where a task's name
/// leaves it open; None where it is of none.
pub(super) fn kind_of(episode: &Episode) -> Option<CheckKind> {
    if episode.category == Category::CiCheckFailed {
        return Some(CheckKind::Ci);
    }
    let script = Script::parse(&episode.operation.0);
    let runs_hooks = script.programs().last().is_some_and(|(_, command)| command.is(Trait::Hooks));
    if episode.category == Category::CommitHookFailed || episode.check.is_none() && runs_hooks {
        return is_result(episode.category).then_some(CheckKind::Hook);
    }
    let kind = match &episode.check {
        Some(check) => CheckKind::of_words(&check.words.join(" ")).or_else(|| CheckKind::of_result(episode.category)),
        None => CheckKind::of_words(&episode.operation.0).filter(|_| is_result(episode.category)),
    }?;
    Some(if kind == CheckKind::Any { CheckKind::of_result(episode.category).unwrap_or(kind) } else { kind })
}

/// Whether what failed is a result of a check, and not how it was called.
const fn is_result(category: Category) -> bool {
    matches!(
        category,
        Category::TestFailure | Category::LintError | Category::CompileError | Category::CommitHookFailed
    )
}

/// The check that a failure is of: where it failed by its result, and behind a lost status where it is known to have failed
/// whatever the cause, or only its runner says so. What git says of itself is of no check.
pub(super) fn failed_by_result(category: Category, is_masked: bool, check: Option<&Check>) -> Option<&Check> {
    check.filter(|check| match category {
        Category::CommitHookFailed | Category::VcsState => false,
        Category::Unknown => is_masked,
        category => is_result(category) || is_masked && check.end == CheckEnd::Failed,
    })
}

/// Whether an episode is one that an agent should not stop over: a check, or a failure of class F3 to F6, but none of an edit
/// whose file was changed in another way since.
pub(super) fn is_unresolved(episode: &Episode, state: &State) -> bool {
    let is_wider = matches!(episode.class, Some(Class::F3 | Class::F4 | Class::F5 | Class::F6));
    let is_changed = || state.changed_after(episode.last_at).any(|file| episode.input.as_deref() == Some(file));
    is_check(episode) || is_wider && !is_changed()
}

/// Whether a file that the check names was edited since it failed, and another check passed after that: what it would say
/// now is not known.
pub(super) fn is_overtaken(episode: &Episode, state: &State) -> bool {
    let words = episode.operation.0.split(' ').skip(1).filter(|word| word.contains('.'));
    let names = |file: &str| words.clone().any(|word| Path::new(file).ends_with(word));
    let edits = state.changes.iter().filter(|(file, at)| *at > episode.last_at && names(file));
    edits.map(|(_, at)| *at).max().is_some_and(|edited| state.passes.iter().any(|(_, at)| *at > edited))
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

/// The call of an episode's last failure.
pub(super) fn episode_name(episode: &Episode) -> String {
    let check = failed_by_result(episode.category, episode.masked, episode.check.as_ref());
    call_name(episode.input.as_deref(), &episode.operation.0, check, episode.runner.as_deref())
}

/// A call by the words that the agent gave. Of one that is long or does more, the part that failed is shown: the check, where
/// one is known to have failed, or what its runner tells. The operation hashes long words: only where nothing else is known.
pub(super) fn call_name<'a>(
    input: Option<&'a str>,
    operation: &'a str,
    check: Option<&Check>,
    runner: Option<&str>,
) -> String {
    let Some(input) = input.map(without_comments).filter(|input| !input.is_empty()) else {
        return quoted(&without_hashes(operation), EXCERPT);
    };
    let parts = |line: &'a str| line.split(" && ").flat_map(|part| part.split("; "));
    // The operation has neither what only goes to a folder nor what only prints.
    let is_one = check.is_none() || parts(operation).nth(1).is_none();
    if is_one && input.chars().count() <= EXCERPT {
        return quoted(input, EXCERPT);
    }
    if let Some(check) = check {
        return quoted(&check.words.join(" "), EXCERPT);
    }
    // Of a line that was cut the operation knows the end.
    let is_cut = input.len() >= KEPT_WHOLE
        && Script::parse(input).programs().count() < Script::parse(operation).programs().count();
    let line = if is_cut { operation } else { input };
    let is_it = |part: &&str| runner.is_some_and(|runner| part.contains(runner));
    let part = parts(line).filter(is_it).last().or_else(|| parts(line).last().filter(|_| is_cut));
    let part = part.unwrap_or(input);
    // What a here-document holds is a message or a script, and no name of the call.
    if let Some((head, _)) = part.split_once("<<") {
        let head = head.trim_end().trim_end_matches("\"$(cat").trim_end();
        return quoted(&format!("{head} …"), EXCERPT);
    }
    quoted(&without_hashes(part), EXCERPT)
}

/// An operation for people to read: a word that it keeps as a hash only (`#c388102d`) says nothing to them.
pub(super) fn without_hashes(operation: &str) -> String {
    let is_hash = |word: &&str| {
        word.strip_prefix('#').is_some_and(|hash| !hash.is_empty() && hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
    };
    let words = operation.split(' ').map(|word| if is_hash(&word) { "…" } else { word });
    words.collect::<Vec<_>>().join(" ")
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
        assert_eq!(call_name(Some("mise run lint 2>&1 | tail -5"), "x", None, None), "`mise run lint 2>&1 | tail -5`");
        assert_eq!(call_name(Some("# all of it\n# again\nmake all"), "x", None, None), "`make all`");
        assert_eq!(call_name(None, "git commit -m #08c5ccbe", None, None), "`git commit -m …`");
        let told = format!("git commit -m \"$(cat <<'EOF'\n{}\nEOF\n)\"", "words ".repeat(40));
        assert_eq!(call_name(Some(&told), "git commit -m #08c5ccbe", None, None), "`git commit -m …`");
        let script = format!("python3 - <<'EOF'\n{}\nEOF", "print(1)\n".repeat(40));
        assert_eq!(call_name(Some(&script), "python3 - #0", None, Some("python3")), "`python3 - …`");
        let long = format!("echo {} && cargo test --lib 2>&1; ls", "word ".repeat(40));
        assert_eq!(call_name(Some(&long), "#0", None, Some("cargo test")), "`cargo test --lib 2>&1`");
        let long = format!("git add {} && git commit -m done", "file ".repeat(40));
        assert_eq!(call_name(Some(&long), "#0", None, Some("git")), "`git commit -m done`");
        assert!(call_name(Some(&long), "#0", None, None).starts_with("`git add file file"));
        let cut = format!("git add {}", "file.md ".repeat(37));
        for runner in [Some("git"), None] {
            assert_eq!(call_name(Some(&cut), "git add file.md && git commit -m #2", None, runner), "`git commit -m …`");
            assert!(call_name(Some(&cut), "git add #1", None, runner).starts_with("`git add file.md"));
        }
    }
}
