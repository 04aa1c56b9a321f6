//! Commands whose non-zero status is an answer, and lines that are meant to fail.

use crate::programs::{Fact, Trait};
use crate::shell::{At, Command, Fate, Loss, Nesting, Script};
use crate::text::begins_in_any_case;

use super::sentences;

/// Why a non-zero status is an answer: the command whose answer it is.
pub(super) fn answer(script: &Script, exit: Option<i32>, text_is_blank: bool) -> Option<String> {
    // Some clients state no code; then nothing but a plain failure is known, and no line told a cause.
    let exit = exit.unwrap_or(1);
    let harmless = |c: &&Command| {
        // Where nothing was said at all, not even a later program said why it failed.
        text_is_blank || answers(c, exit) || asks_quietly(c, exit) || c.is(Trait::Harmless) || hands_on(c)
    };
    // From the last command whose status counts backwards, as long as none could have failed without a word.
    let kept: Vec<&Command> = deciding(script).map(|(_, c)| c).collect();
    let is_asked = |c: &Command| ends_by_itself(c) || exit == 1 && asks_by_words(c);
    let is_answer = |c: &&Command| answers(c, exit) || asks_quietly(c, exit) || text_is_blank && is_asked(c);
    let who = kept.iter().rev().copied().take_while(harmless).find(is_answer)?;
    Some(format!("status {exit} of {} is an answer", who.program))
}

/// The same, whatever was printed: the line's status is that of a program which only tells of other failures.
pub(super) fn quoted_answer(script: &Script, exit: Option<i32>) -> Option<String> {
    let (_, last) = deciding(script).last()?;
    let exit = exit.filter(|exit| last.is(Trait::Quotes) && answers(last, *exit))?;
    Some(format!("status {exit} of {} is an answer", last.program))
}

/// The same, whatever was printed: a status that its program has for this answer alone.
pub(super) fn plain_answer(script: &Script, exit: Option<i32>) -> Option<String> {
    let (_, last) = deciding(script).last()?;
    // 1 and 2 are what a program ends with when it fails.
    let exit = exit.filter(|exit| *exit > 2 && has_status(last, *exit))?;
    Some(format!("status {exit} of {} is an answer", last.program))
}

/// The same, where the line ends in `! X`: X passed, and that was asked.
pub(super) fn negated_answer(script: &Script, exit: Option<i32>) -> Option<String> {
    let last = script.last_at().filter(|at| script.status_of(*at) == Fate::Lost(Loss::Negated))?;
    let command = script.get(last).filter(|_| exit == Some(1))?;
    Some(format!("{} passed, and its status is negated", command.program))
}

/// Whether code in the words of the command ends with a status of its own, and said nothing: `awk '$1 > 3 {exit 1}'`.
fn ends_by_itself(command: &Command) -> bool {
    command.is(Trait::TakesCode) && command.only_looks() && command.args.iter().any(|arg| arg.contains("exit"))
}

/// Whether it ends the line with the status of another command: `exit ${PIPESTATUS[0]}`, `exit $?`.
fn hands_on(command: &Command) -> bool {
    command.program == "exit" && command.args.first().is_some_and(|status| status.starts_with('$'))
}

/// Whether the words of a program that nobody knows ask for something that may not be there: `stashctl list --name pier`.
fn asks_by_words(command: &Command) -> bool {
    const VERBS: &[&str] = &[
        "contains", "exists", "find", "get", "grep", "has", "list", "lookup", "ls", "query", "search", "show", "which",
    ];
    const OPTIONS: &[&str] = &["--check-exists", "--contains", "--exists", "--installed", "--query", "--search"];
    let is_apart = command.is_by_path() || command.known.is_some() || !command.wrappers.is_empty();
    let asks = |known: &[&str], word: &str| known.contains(&word);
    !is_apart
        && (command.subcommands().next().is_some_and(|word| asks(VERBS, word))
            || command.args.iter().any(|arg| asks(OPTIONS, arg)))
}

/// Whether a program that compares by its name ended as `diff` does where it found a difference, and tells of no error.
pub(super) fn differs(script: &Script, exit: Option<i32>, text: &str) -> Option<String> {
    const NAMES: &[&str] = &["diff", "cmp", "compare"];
    let (_, last) = deciding(script).last()?;
    let mut parts = last.program.split(|c: char| !c.is_ascii_alphabetic());
    let compares = last.known.is_none()
        && !last.is_by_path()
        && parts.any(|part| NAMES.iter().any(|name| part.starts_with(name) || part.ends_with(name)));
    let is_told = || sentences::told(text, false).is_some() || text.contains("rror") || text.contains("Traceback");
    (exit == Some(1) && compares && !text.trim().is_empty() && !is_told())
        .then(|| format!("status 1 of {} is an answer", last.program))
}

/// Whether there was nothing that the command could have shown, ended or copied.
pub(super) fn nothing_there(text: &str) -> bool {
    const BEGINNINGS: &[&str] = &["no crontab for ", "nothing to stop", "nothing to kill", "no matching processes"];
    const ENDINGS: &[&str] = &[" are identical (not copied).", " are the same file"];
    let first = text.lines().next().unwrap_or_default();
    let begins = |word: &&str| begins_in_any_case(first, word);
    let ends = |word: &&str| first.ends_with(word) && text.lines().nth(1).is_none();
    text.lines().nth(2).is_none() && (BEGINNINGS.iter().any(begins) || ENDINGS.iter().any(ends))
}

/// Whether a search found something, and one of the places that it was to look at is not there.
pub(super) fn found_elsewhere(script: &Script, exit: Option<i32>, text: &str) -> bool {
    let Some((_, last)) = deciding(script).last() else { return false };
    let searches = exit == Some(2) && last.is(Trait::Answers) && last.is(Trait::Shows);
    let names_itself = |line: &str| line.strip_prefix(last.program.as_str()).is_some_and(|rest| rest.starts_with(": "));
    let complaint = |line: &&str| names_itself(line) || line.ends_with(": No such file or directory (os error 2)");
    searches
        && text.lines().any(|line| !complaint(&line) && !line.trim().is_empty())
        && text.lines().any(|line| complaint(&line))
        && text.lines().filter(complaint).all(|line| line.contains("No such file or directory"))
}

/// Whether the line compares what came out with what was expected: a test.
pub(super) fn compares_with_expected(script: &Script) -> bool {
    const WORDS: &[&str] = &["expected", "expect", "golden", "snapshot", "reference"];
    let names_expected = |word: &String| {
        !word.starts_with('-') && word.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| WORDS.contains(&part))
    };
    let Some((at, last)) = deciding(script).last() else { return false };
    let compares = |command: &Command| matches!(command.program.as_str(), "diff" | "cmp");
    let says_ok = last.is(Trait::Prints);
    let before = || script.programs().find(|(earlier, command)| compares(command) && script.leads_to(*earlier, at));
    compares(last) && last.args.iter().any(names_expected) || says_ok && before().is_some()
}

/// The commands whose status can be that of the line. A substitution's can be too, but its program would say why.
fn deciding(script: &Script) -> impl Iterator<Item = (At, &Command)> {
    let nested = |at: &At| script.pipelines.get(at.pipeline).is_some_and(|p| p.nesting == Nesting::Substitution);
    script.programs().filter(move |(at, _)| !nested(at) && script.may_decide(*at))
}

/// Whether the command asks about something that may not exist, with its complaint thrown away.
fn asks_quietly(command: &Command, exit: i32) -> bool {
    let quiet = command.silences_errors() && command.is(Trait::MayMiss);
    (exit == 1 || exit == 2) && (quiet || command.args.iter().any(|arg| arg.contains("SilentlyContinue")))
}

/// Whether a setting is asked for, which may not be set: `git config user.name`, `npm config get registry`.
fn asks_setting(command: &Command) -> bool {
    let mut words = command.subcommands().skip_while(|word| *word != "config").skip(1);
    match words.next() {
        Some("get") => true,
        Some(_) => command.program_is(Trait::VersionControl) && words.next().is_none() || command.has_arg("--get"),
        None => false,
    }
}

fn has_status(command: &Command, exit: i32) -> bool {
    command.facts_like(|fact| matches!(fact, Fact::Status(..))).any(|fact| match fact {
        Fact::Status(status, words) => {
            *status == exit && (words.is_empty() || words.iter().any(|word| command.has_arg(word)))
        }
        _ => false,
    })
}

/// Whether a non-zero status of the command is an answer, by what is known of its program.
pub(super) fn answers(command: &Command, exit: i32) -> bool {
    // Of several files or names that were asked for, each missing one may count.
    let behind_xargs = command.wrappers.iter().any(|w| w == "xargs");
    command.is(Trait::Answers) && (exit == 1 || behind_xargs && exit == 123)
        || exit == 1 && asks_setting(command)
        || has_status(command, exit)
}

/// Whether a pattern that matched no file is an answer: the line only looks, and asks quietly or for names.
pub(super) fn glob_answer(script: &Script) -> bool {
    script
        .programs()
        .filter(|(_, c)| c.globs)
        .any(|(_, c)| c.is(Trait::ListsNames) || c.silences_errors() && c.is(Trait::MayMiss))
}

/// Whether the agent tries how its own program answers nonsense: the program was just built, or lies in a temporary
/// directory, and said how it is used.
pub(super) fn tries_errors(script: &Script, text: &str) -> bool {
    let Some(last) = script.last() else { return false };
    let own = last.is_by_path() && (last.raw.starts_with("/tmp/") || built_here(script, &last.raw));
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    own && says(&["Usage:", "usage:", "USAGE:"])
        && says(&["nknown command", "nrecognized subcommand", "nknown subcommand", "nvalid command"])
}

fn built_here(script: &Script, program: &str) -> bool {
    script.programs().any(|(_, c)| {
        let after = c.args.iter().skip_while(|a| *a != "-o").nth(1);
        after.is_some_and(|out| out.trim_start_matches("./") == program.trim_start_matches("./"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_answer(text: &str, exit: i32) -> bool {
        answer(&Script::parse(text), Some(exit), true).is_some()
    }

    #[test]
    fn answers_are_known() {
        for (text, exit) in [
            ("grep -q x f", 1),
            ("cat f | grep -v x", 1),
            ("cd a && git diff --quiet", 1),
            ("ps aux | grep nginx | grep -v grep", 1),
            ("[ -f x ] && echo yes", 1),
            ("test -d x && ls x", 1),
            ("which foo", 1),
            ("ls a b 2>/dev/null", 2),
            ("ls x 2>/dev/null && cat x", 1),
            ("a; sysctl kern.x 2>/dev/null", 1),
            ("bash -c 'cd a && grep x y'", 1),
            ("find . -name x | xargs grep -l y", 123),
            ("git merge-base --is-ancestor a b", 1),
            ("npm ls left-pad", 1),
            ("pg_isready -h localhost", 2),
            ("git config user.signingkey", 1),
            ("pwsh -c 'Get-Item x -ErrorAction SilentlyContinue'", 1),
        ] {
            assert!(is_answer(text, exit), "{text}");
        }
    }

    #[test]
    fn failures_are_no_answers() {
        for (text, exit) in [
            ("grep -q x f", 2),
            ("make", 1),
            ("git diff", 1),
            ("diff a b", 2),
            ("grep x f && make", 2),
            ("ls a", 1),
            ("make 2>/dev/null", 1),
            ("grep x f | python3 p.py", 1),
            ("git config user.name Dev", 1),
        ] {
            assert!(!is_answer(text, exit), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn silence_is_an_answer_to_a_question_and_to_no_order(program in "q[a-z]{3,8}z", name in "[a-z]{1,8}") {
            let answers = |start: &str, verb: &str, exit| is_answer(&format!("{start}{program} {verb} {name}"), exit);
            for verb in ["list", "get", "search", "show", "find"] {
                let said = [answers("", verb, 1), answers("", verb, 2), answers("./", verb, 1)];
                proptest::prop_assert_eq!(said, [true, false, false]);
            }
            for verb in ["build", "push", "sync", "run", "install"] {
                proptest::prop_assert!(!answers("", verb, 1));
            }
        }
    }

    #[test]
    fn own_errors_are_tried() {
        let text = "Error: unknown command \"statsu\" for \"tool\"\nUsage:\n  tool [command]\n";
        assert!(tries_errors(&Script::parse("go build -o ./tool . && ./tool statsu"), text));
        assert!(tries_errors(&Script::parse("/tmp/tool statsu 2>&1"), text));
        assert!(!tries_errors(&Script::parse("./tool statsu"), text));
        assert!(!tries_errors(&Script::parse("/tmp/tool statsu"), "panic: nil"));
    }
}
