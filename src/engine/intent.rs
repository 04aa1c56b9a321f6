//! Calls that say nothing of the work, whether they fail or pass: a look at the project without it, and what is meant to
//! fail.

use crate::model::{Intent, ToolCall};
use crate::shell::{Command, Script};

use super::checks::is_check;

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

/// What says it by itself.
const SAYINGS: &[&str] = &[
    "fails as expected",
    "fail as expected",
    "failing as expected",
    "should fail",
    "expected to fail",
    "expect failure",
    "(expected)",
    "red phase",
    "not yet defined",
    "not yet implemented",
    "not implemented yet",
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
    const SAYINGS: &[&str] = &[
        "without my change",
        "without our change",
        "without the change",
        "without these change",
        "before my change",
        "pre-existing",
        "preexisting",
    ];
    SAYINGS.iter().any(|words| may_hold(description, words.as_bytes()))
}

/// Whether the words stand in the text, whatever its capitals.
fn may_hold(text: &str, words: &[u8]) -> bool {
    text.as_bytes().windows(words.len()).any(|at| at.eq_ignore_ascii_case(words))
}

/// What a command does to the files of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deed {
    /// It puts the work away: `git stash`.
    PutsAway,
    /// It brings the work back.
    BringsBack,
    /// It puts files back as they were, or goes elsewhere in the history.
    Restores,
    /// It changes files, or copies them.
    Changes,
    /// It checks.
    Checks,
}

/// What it does by its name.
fn deed(command: &Command) -> Option<Deed> {
    let mut own = command.subcommands();
    let edits = |command: &Command| command.has_letter('i') || command.has_arg("--in-place");
    match (command.name(), own.next()) {
        ("git", Some("stash")) => match own.next() {
            None | Some("push" | "save") => Some(Deed::PutsAway),
            Some("pop" | "apply") => Some(Deed::BringsBack),
            _ => None,
        },
        ("git", Some("checkout" | "restore" | "switch")) => Some(Deed::Restores),
        ("sed" | "perl", _) if edits(command) => Some(Deed::Changes),
        ("cp" | "mv", _) => Some(Deed::Changes),
        _ => None,
    }
}

/// What each command of the line does, where that is known.
fn deeds(script: &Script) -> impl Iterator<Item = (&Command, Deed)> {
    let of = |command| deed(command).or_else(|| is_check(command).then_some(Deed::Checks));
    script.programs().filter_map(move |(_, command)| Some((command, of(command)?)))
}

/// Whether every check of the line looks at something else than the work: while that is put away, or with settings of a
/// file outside the project.
fn is_baseline(script: &Script, cwd: Option<&str>) -> bool {
    let elsewhere = |command: &Command| deed(command) == Some(Deed::PutsAway) || has_settings_elsewhere(command, cwd);
    if !script.programs().any(|(_, command)| elsewhere(command)) {
        return false;
    }
    let mut away = false;
    let mut looked = false;
    for (command, deed) in deeds(script) {
        match deed {
            Deed::PutsAway => away = true,
            Deed::BringsBack => away = false,
            Deed::Checks if away || has_settings_elsewhere(command, cwd) => looked = true,
            Deed::Checks => return false,
            Deed::Restores | Deed::Changes => {}
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
    if !script.programs().any(|(_, command)| deed(command) == Some(Deed::Changes)) {
        return false;
    }
    let mut deeds = deeds(script).map(|(_, deed)| deed);
    deeds.any(|deed| deed == Deed::Changes)
        && deeds.any(|deed| deed == Deed::Checks)
        && deeds.any(|deed| matches!(deed, Deed::Restores | Deed::Changes))
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
            "golangci-lint run -c /etc/strict.yaml ./...",
            "eslint --config=/home/ann/strict.js src",
        ] {
            assert_eq!(intent(line), Some(Intent::Baseline), "{line}");
        }
        for line in [
            "git stash && git pull --rebase && git stash pop && npm test",
            "git stash list; npm test",
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
    fn a_failure_may_be_announced() {
        for words in [
            "Verify the new test fails",
            "Confirm that the tests still fail before the change",
            "Run the spec (should fail)",
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
