//! What an agent's last words say of a check: that it fails, that it passes, or nothing.

use crate::history::Episode;
use crate::model::Category;
use crate::programs;
use crate::shell::Script;

/// Words that own up to something that does not work. Whoever uses one is taken to have said it: a reminder of what the
/// agent itself told the person is noise, and a turn of the model is lost over it.
const OWNS_UP: &[&str] = &[
    "fail",
    "error",
    "broke",
    "red",
    "not pass",
    "n't pass",
    "not work",
    "n't work",
    "unable",
    "could not",
    "couldn't",
    "cannot",
    "can't",
    "still",
    "existing",
    "unrelated",
    "skip",
    "block",
    "flaky",
    "remain",
    "not run",
    "n't run",
    "unverified",
    "not verif",
    "without running",
    "hang",
    "hung",
    "stuck",
    "issue",
    "problem",
    "todo",
    "wip",
    "instead",
];
/// Before or after such a word, these say that all is well: "no errors", "0 failures", "fixed the failing test".
const DENIES: &[&str] =
    &["no", "zero", "0", "without", "fixed", "fixes", "fix", "resolved", "resolves", "solved", "handles", "handling"];
/// What says that a check passed.
const PASSES: &[&str] = &[
    "pass",
    "passes",
    "passed",
    "passing",
    "green",
    "clean",
    "cleanly",
    "succeed",
    "succeeds",
    "succeeded",
    "successfully",
];
/// The same as signs and in several words.
const SAYS_PASSED: &[&str] = &["✅", "✓", "all good", "no errors", "0 errors", "0 issues"];
/// What is only wished for, or left to others.
const WISHES: &[&str] =
    &["should", "may", "might", "will", "want", "please", "recommend", "next", "before", "must", "need"];

/// What people call a check that fails so.
fn names_of(category: Category) -> &'static [&'static str] {
    match category {
        Category::TestFailure => &["test", "spec", "suite"],
        Category::LintError => &["lint", "format", "style", "clippy", "eslint", "ruff", "biome", "prettier"],
        _ => &["build", "compile", "type", "tsc", "check"],
    }
}

/// Whether the words name the failure, or own up to any.
pub(super) fn own_up_to(words: &str, episode: &Episode) -> bool {
    let object = episode.object.as_ref().is_some_and(|object| object.name.len() > 3 && words.contains(&object.name));
    object || sentences(words).any(|sentence| owns_up(&sentence))
}

/// Whether the words say that a check passed which such failures are of.
pub(super) fn claim(words: &str, category: Category) -> bool {
    let names = names_of(category);
    sentences(words).any(|sentence| {
        let speaks_of = names.iter().any(|name| sentence.contains(name));
        let words = || sentence.split(|c: char| !c.is_alphanumeric());
        let says = words().any(|word| PASSES.contains(&word)) || SAYS_PASSED.iter().any(|said| sentence.contains(said));
        speaks_of && says && !owns_up(&sentence) && !words().any(|word| WISHES.contains(&word))
    })
}

/// Whether the last paragraph asks something: then the agent is not done. Who says nothing may be anywhere.
pub(super) fn asks(words: &str) -> bool {
    words.trim().rsplit("\n\n").next().is_none_or(|end| end.is_empty() || end.contains('?'))
}

fn owns_up(sentence: &str) -> bool {
    let denied = sentence.split(|c: char| !c.is_alphanumeric()).any(|word| DENIES.contains(&word));
    !denied && OWNS_UP.iter().any(|word| begins_a_word(sentence, word))
}

fn begins_a_word(text: &str, word: &str) -> bool {
    text.match_indices(word)
        .any(|(at, _)| !text.get(..at).is_some_and(|before| before.ends_with(char::is_alphanumeric)))
}

/// In small letters. A full stop ends a sentence only before a blank: `cart.go` holds none.
fn sentences(words: &str) -> impl Iterator<Item = String> {
    words.split(['\n', ';', '!', '?']).flat_map(|line| line.split(". ")).map(str::to_lowercase)
}

/// What a failure of this operation would be called, where it is a check.
pub(super) fn kind_of(operation: &str) -> Option<Category> {
    let script = Script::parse(operation);
    let (_, command) = script.programs().last()?;
    let is_one = |category: Category| {
        let names = names_of(category);
        let words = || std::iter::once(command.name()).chain(command.args.iter().map(String::as_str));
        words().any(|word| !word.starts_with('/') && names.iter().any(|name| word.contains(name)))
    };
    [Category::TestFailure, Category::LintError, Category::CompileError].into_iter().find(|category| is_one(*category))
}

/// The endings of the files that a check of this operation looks at.
pub(super) fn sources_of(operation: &str) -> Vec<&'static str> {
    let script = Script::parse(operation);
    let Some((_, command)) = script.programs().last() else { return Vec::new() };
    let sources = command.facts_like(|fact| matches!(fact, programs::Fact::Sources(_)));
    let sources = sources.filter_map(|fact| match fact {
        programs::Fact::Sources(endings) => Some(*endings),
        _ => None,
    });
    sources.flatten().copied().collect()
}

/// Whether a file's ending is among these.
pub(super) fn is_among(sources: &[&str], file: &str) -> bool {
    let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
    sources.contains(&ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_owns_up_is_not_told() {
        for words in [
            "Done, but two tests still fail.",
            "The lint errors in cart.go are pre-existing.",
            "I couldn't get the build to work.",
            "Implemented. Tests were not run.",
            "3 tests are failing because the database is down.",
        ] {
            assert!(sentences(words).any(|sentence| owns_up(&sentence)), "{words}");
        }
        for words in [
            "All tests pass.",
            "Fixed the failing test. Everything is green.",
            "Lint is clean with 0 errors.",
            "Done: the cart rounds prices, required fields are checked.",
            "No errors remain.",
        ] {
            assert!(!sentences(words).any(|sentence| owns_up(&sentence)), "{words}");
        }
    }

    #[test]
    fn a_claim_is_of_one_kind_of_check() {
        assert!(claim("Done. All 12 tests pass.", Category::TestFailure));
        assert!(claim("The build succeeds and lint is clean", Category::LintError));
        assert!(!claim("The build succeeds.", Category::TestFailure));
        assert!(!claim("I will run the tests.", Category::TestFailure));
        assert!(!claim("Two tests pass, one still fails", Category::TestFailure));
    }

    #[test]
    fn a_check_is_known_by_its_words() {
        assert_eq!(kind_of("go test ./..."), Some(Category::TestFailure));
        assert_eq!(kind_of("npm run lint"), Some(Category::LintError));
        assert_eq!(kind_of("tsc --noEmit"), Some(Category::CompileError));
        assert_eq!(kind_of("git push"), None);
        let looks_at = |operation: &str, file: &str| is_among(&sources_of(operation), file);
        assert!(looks_at("go test ./...", "a/cart.go") && !looks_at("go test ./...", "README.md"));
        assert!(looks_at("npm test", "src/a.ts") && !looks_at("npm test", "a.go"));
    }
}
