//! The sentences: words of Failwise's own, around the fields of a lesson.

use super::AGO;
use super::known::{Known, KnownFix};
use super::lesson::{Fix, Words};
use super::place::is_path;
use super::row::PatternRow;
use crate::model::Category;
use crate::text::{many, quoted, spoken};
use crate::time::stamp_at;

/// The longest part of a sentence that is quoted, in characters.
const QUOTED: usize = 200;
/// The longest name of a test, in characters.
const TEST: usize = 80;

/// Whose lesson is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The project's own.
    Project,
    /// The project's own, as far as the team's file knows it.
    Team,
    /// Another project's, about a tool that both have.
    Elsewhere,
}

/// What an agent is told of a failure, to stand behind the name of its call and a colon: `unknown flag. Here `--name-only` in
/// its place worked (2 of 2, last {ago}).` [`fill`](super::fill) puts in what is known only when it is said.
pub fn say(known: &Known, fix: &KnownFix, scope: Scope) -> String {
    let pattern = &known.pattern;
    let here = match scope {
        Scope::Project | Scope::Team => "Here",
        Scope::Elsewhere => "In another project",
    };
    let says = match scope {
        _ if fix.seen_here => "",
        Scope::Team => "the team's file says ",
        Scope::Project | Scope::Elsewhere => "another machine says ",
    };
    let counts = format!("{says}{} of {}, last {AGO}", fix.worked, fix.tried);
    let lesson = match &fix.fix.words {
        Words::Instead { gone, new } => format!("{here} {} ({counts}).", instead(gone, new, pattern)),
        Words::Folder(folder) if folder == "." => format!("{here} it worked in the project's own folder ({counts})."),
        Words::Folder(folder) => format!("{here} it worked in {} ({counts}).", quoted(folder, QUOTED)),
        Words::Command(commands) => {
            format!("{here} it passed after {} ({counts}).", quoted(&commands.join(" && "), QUOTED))
        }
        Words::Flaky => {
            format!("{here} {says}it passed on an unchanged rerun {} of {} times (last {AGO}).", fix.worked, fix.tried)
        }
        Words::Standing => format!(
            "{here} it failed so in {} since {} and never passed: it was there before.",
            many(fix.sessions, "session", "sessions"),
            day(known.first_seen),
        ),
        Words::Note(words) => format!("A person noted: {}.", quoted(words, QUOTED)),
    };
    format!("{}. {lesson}", failure_words(pattern))
}

/// What an agent is told of a test that passes and fails by chance: what shows it, and how many of its last runs failed.
pub fn say_flaky(name: &str, evidence: &str, failed: u64, runs: u64) -> String {
    let of = format!("{failed} of its last {} failed", many(runs, "run", "runs"));
    let test = quoted(name, TEST);
    format!("test failure. Here {test} is flaky: it {evidence} ({of}). Run it once more before looking for a cause.")
}

/// What an agent is told of a test that failed so before and passed once somebody had done this.
pub fn say_case_fix(name: &str, words: &str, worked: u64, tried: u64) -> String {
    let (test, words) = (quoted(name, TEST), quoted(words, QUOTED));
    format!(
        "test failure. Here {test} failed so before, and passed after what an agent reported: {words} ({worked} of {tried}, \
         last {AGO})."
    )
}

/// What an agent is told of a linter's finding of which nothing better is known than that earlier sessions met it, and by
/// which fix that is counted. It stands behind what is said of a finding in a file that nobody edited.
pub fn say_seen_before(known: &Known) -> Option<(Fix, String)> {
    let pattern = &known.pattern;
    let is_finding = pattern.category == Category::LintError && pattern.placed && known.sessions > 0;
    if !is_finding || known.fixes.iter().any(KnownFix::is_for_agents) {
        return None;
    }
    let sessions = many(known.sessions, "earlier session", "earlier sessions");
    let words = format!("The same one came up in {sessions} (last {AGO}).");
    Some((Fix::new(Words::Standing, false, pattern), words))
}

/// What another form of the call did: the words in the place of others, without them, or with more of them.
fn instead(gone: &[String], new: &[String], pattern: &PatternRow) -> String {
    let words = |words: &[String]| quoted(&words.join(" "), QUOTED);
    match (gone, new) {
        // No word is added at the end that is no option, so that another one stands in front.
        ([], new) if is_front(new) => format!("it worked with {} in front", words(new)),
        ([], new) => format!("it worked with {} added", words(new)),
        (gone, []) if is_front(gone) => format!("it worked without {} in front", words(gone)),
        (gone, []) => format!("it worked without {}", words(gone)),
        ([gone], new) if pattern.category == Category::PathNotFound || names(pattern, gone) => {
            format!("{} in its place worked", words(new))
        }
        (gone, new) => format!("{} in place of {} worked", words(new), words(gone)),
    }
}

fn is_front(words: &[String]) -> bool {
    words.first().is_some_and(|word| !word.starts_with('-') && !is_path(word))
}

/// Whether the error names a word: then everybody knows in whose place another one stands.
pub(super) fn names(pattern: &PatternRow, word: &str) -> bool {
    pattern.line.as_deref().is_some_and(|line| line.contains(word))
}

/// What the failure is, in a few words that are no program's.
pub(super) fn failure_words(pattern: &PatternRow) -> String {
    const ARGUMENTS: &[(&str, &str)] = &[
        ("unknown flag", "unknown flag"),
        ("unknown shorthand flag", "unknown flag"),
        ("flag provided but not defined", "unknown flag"),
        ("unknown json field", "unknown field"),
        ("unknown option", "unknown option"),
        ("unrecognized option", "unknown option"),
        ("illegal option", "unknown option"),
        ("invalid option", "unknown option"),
        ("no such option", "unknown option"),
        ("unexpected argument", "unexpected argument"),
        ("unrecognized argument", "unexpected argument"),
        ("unknown command", "unknown command"),
        ("unknown subcommand", "unknown command"),
        ("unrecognized subcommand", "unknown command"),
        ("missing script", "no such script"),
        ("\" script", "no such script"),
        ("no rule to make target", "no such target"),
    ];
    let line = pattern.line.as_deref().unwrap_or_default().to_ascii_lowercase();
    // What another machine sends says it in these words already.
    let is_it = |(sign, words): &&(&str, &str)| line.contains(sign) || line.starts_with(words);
    let known = ARGUMENTS.iter().find(is_it).map(|(_, words)| *words);
    let words = match pattern.category {
        Category::BadArguments => known.unwrap_or("wrong arguments"),
        Category::CommandNotFound => "no such command",
        Category::PathNotFound => "no such path",
        Category::ShellSyntax => "the shell cannot read it",
        Category::RemoteNotFound => "not found there",
        Category::ToolUnavailable => "not available",
        Category::DependencyMissing => "a dependency is missing",
        Category::CommitHookFailed => "a commit hook failed",
        Category::ConfigOrState => "a setting or state is missing",
        Category::LintError => "a linter's finding",
        other => return spoken(other.as_str()),
    };
    words.to_owned()
}

/// The day of a moment, in milliseconds since 1970: `10 Feb 2026`.
fn day(ms: u64) -> String {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let stamp = stamp_at(ms).unwrap_or_default();
    let part = |from: usize, to: usize| stamp.get(from..to).and_then(|digits| digits.parse::<usize>().ok());
    let month = part(5, 7).and_then(|month| MONTHS.get(month.checked_sub(1)?));
    match (part(8, 10), month, part(0, 4)) {
        (Some(day), Some(month), Some(year)) => format!("{day} {month} {year}"),
        _ => "long ago".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_written_out() {
        assert_eq!(day(1_770_681_600_000), "10 Feb 2026");
        assert_eq!(day(u64::MAX), "long ago");
    }
}
