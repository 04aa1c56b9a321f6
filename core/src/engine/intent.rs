//! Calls that say nothing of the work, whether they fail or pass: a look at the project without it, and what is meant to
//! fail.

use crate::model::{Intent, ToolCall};
use crate::shell::{Command, Script};

use super::checks::is_check;
use super::deeds::{EngineDeed, deed};

/// Why a call says nothing of the work, where it does not.
pub(super) fn intent_of(call: &ToolCall<'_>, script: Option<&Script>) -> Option<Intent> {
    let script = script?;
    let description = call.description.as_deref().unwrap_or_default();
    if is_baseline(script, call.cwd.as_deref()) || looks_without_changes(description) {
        return Some(Intent::Baseline);
    }
    (breaks_and_restores(script) || announces_failure(description)).then_some(Intent::Red)
}

/// Whether the words with which a call is announced say that it is meant to fail: "Verify the new test fails". That
/// failures are looked for, found or mended says no such thing.
pub fn announces_failure(description: &str) -> bool {
    if !may_hold(description, b"fail") && !may_hold(description, b"expect") && !may_hold(description, b"yet") {
        return may_hold(description, b"red phase");
    }
    let said = description.to_ascii_lowercase();
    let denied = ["no longer fail", "not fail", "n't fail", "nothing should", "none should"];
    if denied.iter().any(|words| said.contains(words)) {
        return false;
    }
    SAYINGS.iter().any(|words| said.contains(words)) || is_verified_to_fail(&said) || is_written_to_fail(&said)
}

/// How much of a prompt is looked at, in bytes: what is pasted below says nothing of what is wanted.
const PROMPT_LOOKED_AT: usize = 8 * 1024;

/// Whether a person's words ask for a test that fails before it passes: "write a failing test first". Most prompts that
/// speak of failures want them mended, so that it has to be said in so many words.
pub fn announces_red_phase(prompt: &str) -> bool {
    let prompt = &prompt[..prompt.floor_char_boundary(PROMPT_LOOKED_AT)];
    if !may_hold(prompt, b"fail") && !may_hold(prompt, b"red") {
        return false;
    }
    prompt.to_ascii_lowercase().split(['.', ';', '!', '?', '\n']).any(asks_for_red)
}

/// Whether one sentence asks for it.
fn asks_for_red(sentence: &str) -> bool {
    const SAYINGS: &[&str] = &[
        "red phase",
        "red-green",
        "red/green",
        "watch it fail",
        "see it fail",
        "make it fail first",
        "should fail first",
        "must fail first",
        "has to fail first",
        "start with a failing test",
    ];
    const DENIALS: &[&str] = &["don't", "do not", "never", "without", "avoid", "instead of", "no red phase"];
    if DENIALS.iter().any(|words| sentence.contains(words)) {
        return false;
    }
    let mut words = sentence.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    let is_test_first = words.any(|word| matches!(word, "tdd" | "test-driven" | "test-first"));
    SAYINGS.iter().any(|words| sentence.contains(words))
        || is_written_to_fail(sentence)
        || is_test_first && sentence.contains("fail")
}

/// What says it by itself.
const SAYINGS: &[&str] = &[
    "fails as expected",
    "fail as expected",
    "failing as expected",
    "should fail",
    "expected to fail",
    "expect failure",
    "expecting fail",
    "(expected)",
    "red phase",
    "not yet defined",
    "not yet implemented",
    "doesn't exist yet",
    "does not exist yet",
];

/// "verify it fails", "confirm that the tests still fail"
fn is_verified_to_fail(said: &str) -> bool {
    const DOUBTS: &[&str] = &["if", "whether", "why", "which", "no", "without", "any", "what", "fix", "not"];
    const SUBJECTS: &[&str] = &["it", "they", "test", "tests", "this", "build", "spec", "specs"];
    let mut words = said.split(|c: char| !c.is_ascii_alphanumeric() && c != '\'');
    if !words.any(|word| matches!(word, "verify" | "confirm" | "ensure")) {
        return false;
    }
    let mut subject = false;
    for word in words {
        if DOUBTS.contains(&word) {
            return false;
        }
        if word == "fail" || word == "fails" {
            return subject;
        }
        subject |= SUBJECTS.contains(&word);
    }
    false
}

/// "Write the failing test", "commit failing tests"
fn is_written_to_fail(said: &str) -> bool {
    let makes = ["write", "add", "create", "commit"];
    said.find("failing test").is_some_and(|at| {
        let before = said.get(..at).unwrap_or_default().split_ascii_whitespace();
        before
            .rev()
            .find(|word| !matches!(*word, "the" | "a" | "new" | "some"))
            .is_some_and(|word| makes.contains(&word))
    })
}

/// Whether the words with which a call is announced say that it looks at the project as it was.
fn looks_without_changes(description: &str) -> bool {
    const SAYINGS: &[&str] = &["without my change", "without the change", "pre-existing", "preexisting"];
    SAYINGS.iter().any(|words| may_hold(description, words.as_bytes()))
}

/// Whether the words stand in the text, whatever its capitals.
fn may_hold(text: &str, words: &[u8]) -> bool {
    text.as_bytes().windows(words.len()).any(|at| at.eq_ignore_ascii_case(words))
}

/// What a command of the line does, as far as that says something of its checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Does {
    /// It checks.
    Check,
    /// It does something to the files of the work.
    Deed(EngineDeed),
}

/// What each command of the line does, where that is known.
fn steps(script: &Script) -> impl Iterator<Item = (&Command, Does)> {
    let of = |command| deed(command).map(Does::Deed).or_else(|| is_check(command).then_some(Does::Check));
    script.programs().filter_map(move |(_, command)| Some((command, of(command)?)))
}

/// Whether every check of the line looks at something else than the work: while that is put away, or with settings of a
/// file outside the project. What stands before the work is brought back was put away by an earlier call.
fn is_baseline(script: &Script, cwd: Option<&str>) -> bool {
    let stashes = |command: &Command| matches!(deed(command), Some(EngineDeed::PutsAway | EngineDeed::BringsBack));
    let mut first = script.programs().map(|(_, command)| command);
    let Some(first) = first.find(|command| stashes(command) || has_settings_elsewhere(command, cwd)) else {
        return false;
    };
    let mut away = deed(first) == Some(EngineDeed::BringsBack);
    let mut looked = false;
    for (command, does) in steps(script) {
        match does {
            Does::Deed(EngineDeed::PutsAway) => away = true,
            Does::Deed(EngineDeed::BringsBack) => away = false,
            Does::Check if away || has_settings_elsewhere(command, cwd) => looked = true,
            Does::Check => return false,
            Does::Deed(_) => {}
        }
    }
    looked
}

/// `-c /tmp/strict.yaml`
fn has_settings_elsewhere(command: &Command, cwd: Option<&str>) -> bool {
    let named = |word: &str| matches!(word, "-c" | "--config" | "--rcfile" | "--config-file");
    let mut words = command.args.iter().map(String::as_str);
    let mut file = None;
    while let Some(word) = words.next() {
        match word.split_once('=') {
            Some((name, value)) if named(name) => file = Some(value),
            None if named(word) => file = words.next(),
            _ => {}
        }
    }
    let is_outside = |file: &str| file.starts_with('/') && !cwd.is_some_and(|cwd| file.starts_with(cwd));
    file.is_some_and(is_outside)
}

/// Whether the line changes a file, checks, and puts the file back: what it breaks is broken on purpose.
fn breaks_and_restores(script: &Script) -> bool {
    if !script.programs().any(|(_, command)| deed(command) == Some(EngineDeed::Changes)) {
        return false;
    }
    let mut steps = steps(script).map(|(_, does)| does);
    steps.any(|does| does == Does::Deed(EngineDeed::Changes))
        && steps.any(|does| does == Does::Check)
        && steps.any(|does| matches!(does, Does::Deed(EngineDeed::Restores | EngineDeed::Changes)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Status, Tool, ToolInput};

    fn intent(line: &str) -> Option<Intent> {
        let input = ToolInput::Command { command: line.into(), background: false };
        let call =
            ToolCall { cwd: Some("/srv/app".to_owned()), ..ToolCall::new(Tool::named("Bash"), input, Status::Failed) };
        intent_of(&call, Some(&Script::parse(line)))
    }

    #[test]
    fn a_look_at_the_old_state_says_nothing_of_the_work() {
        for line in [
            "git stash && npm test; git stash pop",
            "git stash -q; go test ./... 2>&1 | tail -5",
            "git stash push -m wip && make check && git stash pop",
            "npm test; git stash pop",
            "golangci-lint run -c /etc/strict.yaml ./...",
            "eslint --config=/home/ann/strict.js src",
        ] {
            assert_eq!(intent(line), Some(Intent::Baseline), "{line}");
        }
        for line in [
            "git stash && git pull --rebase && git stash pop && npm test",
            "git stash list; npm test",
            "git stash pop && npm test",
            "git stash drop; npm test",
            "npm test",
            "golangci-lint run -c .golangci.yaml ./...",
            "eslint --config /srv/app/strict.js src",
        ] {
            assert_eq!(intent(line), None, "{line}");
        }
    }

    #[test]
    fn what_is_broken_on_purpose_is_meant_to_fail() {
        for line in [
            "sed -i 's/a/b/' sum.go && go test ./...; git checkout sum.go",
            "cp sum.py sum.bak && sed -i 's/+/-/' sum.py; pytest -q; mv sum.bak sum.py",
        ] {
            assert_eq!(intent(line), Some(Intent::Red), "{line}");
        }
        for line in
            ["sed -i 's/a/b/' sum.go && go test ./...", "git checkout sum.go && go test ./...", "cp a b; go test ."]
        {
            assert_eq!(intent(line), None, "{line}");
        }
    }

    #[test]
    fn a_prompt_may_ask_for_a_red_phase() {
        for prompt in [
            "Write a failing test first, then make it pass.",
            "Rounding is wrong. Add a failing test for it and fix it",
            "Use TDD: the test has to fail before you write the code",
            "We are in the red phase of the story; only tests now",
            "red/green/refactor, please",
            "Write the test, watch it fail, then implement `sum`",
            "Please start with a failing test",
        ] {
            assert!(announces_red_phase(prompt), "{prompt}");
        }
        for prompt in [
            "Fix the failing test first",
            "The build fails since this morning, find out why",
            "We use TDD here. Mend what fails in CI",
            "Never commit failing tests",
            "Write the code without a failing test",
            "npm test fails with ECONNREFUSED",
            "Don't write a failing test, only the code",
            "The required field is missing",
            "Make the failing tests pass",
            "",
        ] {
            assert!(!announces_red_phase(prompt), "{prompt}");
        }
    }

    #[test]
    fn a_failure_may_be_announced() {
        for words in [
            "Verify the new test fails",
            "Confirm that the tests still fail before the change",
            "Run the spec (should fail)",
            "Run the new test (expecting failure)",
            "Run ledger tests, red phase of TDD",
            "Check that it fails as expected",
            "Build: the function does not exist yet",
            "Commit the failing tests",
            "verify it fails for the right reason",
        ] {
            assert!(announces_failure(words), "{words}");
        }
        for words in [
            "Run tests to see failures",
            "Find failing tests",
            "Run the failing test locally",
            "Run single failing ledger test",
            "Check for test failures",
            "Show failing test names",
            "Verify the test no longer fails",
            "Verify that no test fails",
            "Check whether the tests fail on main",
            "Confirm the fix for failing tests",
            "Verify which tests fail",
            "",
        ] {
            assert!(!announces_failure(words), "{words}");
        }
    }
}
