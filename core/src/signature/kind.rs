//! What kind of error a line tells of, whatever it happened to.
//!
//! The more the line says of its kind itself, the less of its other words is taken: the operating system's own words,
//! a linter's rule or an error's code stand alone; else the whole line does, without the names in it.

use super::normalise::{is_error_code, template_of};
use crate::model::{Category, ObjectKind, Reading};

/// The kind of error that a finely normalised line tells of; `objects` are the reading's, normalised too.
/// A linter's line may be above its rule in the `text`.
pub(super) fn kind_of(reading: &Reading, line: &str, objects: &[String], text: &str) -> String {
    let line = line.split_once(" Did you mean").map_or(line, |(line, _)| line);
    if reading.category == Category::TestFailure && is_expectation(line) {
        return String::new();
    }
    let known = system_error(reading.category, line)
        .map(str::to_owned)
        .or_else(|| rule(reading))
        .or_else(|| code_kind(line).map(str::to_owned))
        .or_else(|| rule_below(reading, text));
    known.unwrap_or_else(|| template_of(without_names(objects, without_checker(line))))
}

/// Whether a line of `go test` only says that a test failed, or is in the words that its author chose: `--- FAIL: TestX`,
/// `FAIL  package`, `x_test.go:7: got 3, want 4`.
fn is_expectation(line: &str) -> bool {
    let own_words = line.split_once("_test.go:").is_some_and(|(file, _)| !file.contains(' '));
    own_words
        || line.starts_with("--- FAIL: ")
        || line == "FAIL"
        || line.starts_with("FAIL ") && line.ends_with("<dur>")
}

/// The line without the linter that passes a compiler's error on: `undefined: x (typecheck)`.
pub(super) fn without_checker(line: &str) -> &str {
    let (error, checker) = line.strip_suffix(')').and_then(|line| line.rsplit_once('(')).unwrap_or((line, ""));
    let is_word = !checker.is_empty() && checker.bytes().all(|byte| byte.is_ascii_lowercase());
    if is_word { error.trim_end_matches([' ', ')']) } else { line }
}

/// Names of fewer letters are in too many words to be replaced.
const SHORTEST_NAME: usize = 3;

/// The line with each of the names replaced, and their last parts; the longer ones first: one may be in another.
fn without_names(names: &[String], line: &str) -> String {
    let last = |name: &'_ String| name.rfind(['.', ':']).map_or(0, |at| at + 1);
    let parts = names.iter().filter_map(|name| name.get(last(name)..));
    let mut names: Vec<&str> = names.iter().map(String::as_str).chain(parts).collect();
    names.retain(|name| name.len() >= SHORTEST_NAME);
    names.sort_unstable_by_key(|name| std::cmp::Reverse(name.len()));
    names.dedup();
    names.iter().fold(line.to_owned(), |line, name| line.replace(name, "<object>"))
}

/// What the operating system says when it refuses, in small letters, and the name that programs print of it.
const SYSTEM_ERRORS: &[(&str, &str)] = &[
    ("no such file or directory", "ENOENT"),
    ("permission denied", "EACCES"),
    ("operation not permitted", "EPERM"),
    ("read-only file system", "EROFS"),
    ("is a directory", "EISDIR"),
    ("not a directory", "ENOTDIR"),
    ("directory not empty", "ENOTEMPTY"),
    ("file exists", "EEXIST"),
    ("no space left on device", "ENOSPC"),
    ("disk quota exceeded", "EDQUOT"),
    ("cannot allocate memory", "ENOMEM"),
    ("too many open files", "EMFILE"),
    ("too many levels of symbolic links", "ELOOP"),
    ("file name too long", "ENAMETOOLONG"),
    ("argument list too long", "E2BIG"),
    ("exec format error", "ENOEXEC"),
    ("text file busy", "ETXTBSY"),
    ("device or resource busy", "EBUSY"),
    ("resource temporarily unavailable", "EAGAIN"),
    ("invalid cross-device link", "EXDEV"),
    ("broken pipe", "EPIPE"),
    ("address already in use", "EADDRINUSE"),
    ("connection refused", "ECONNREFUSED"),
    ("connection reset by peer", "ECONNRESET"),
    ("connection timed out", "ETIMEDOUT"),
    ("no route to host", "EHOSTUNREACH"),
    ("network is unreachable", "ENETUNREACH"),
    ("name or service not known", "ENOTFOUND"),
    ("temporary failure in name resolution", "EAI_AGAIN"),
    ("command not found", "command not found"),
];

/// The operating system's words, whatever program passes them on. What a test, a compiler or an editing tool says is
/// its own.
fn system_error(category: Category, line: &str) -> Option<&'static str> {
    use Category as C;
    let own_words = matches!(
        category,
        C::TestFailure | C::CompileError | C::LintError | C::EditNoMatch | C::CommitHookFailed | C::AuthRequired
    );
    if own_words {
        return None;
    }
    let small = line.to_ascii_lowercase();
    if category == C::PathNotFound && small.contains("does not exist") {
        return Some("ENOENT");
    }
    let said = |row: &&(&str, &str)| small.contains(row.0) || line_has_word(line, row.1);
    SYSTEM_ERRORS.iter().find(said).map(|row| row.1)
}

fn line_has_word(line: &str, word: &str) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    line.match_indices(word).any(|(at, _)| {
        let before = line.as_bytes().get(at.wrapping_sub(1));
        let after = line.as_bytes().get(at + word.len());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// The rule that a linter names first.
fn rule(reading: &Reading) -> Option<String> {
    let first = reading.objects.first().filter(|_| reading.category == Category::LintError)?;
    (first.kind == ObjectKind::Symbol).then(|| first.name.clone())
}

/// How many lines of a linter's output are looked at for the code of its rule.
const LINES_BELOW: usize = 32;

fn rule_below(reading: &Reading, text: &str) -> Option<String> {
    let mut lines = text.lines().take(if reading.category == Category::LintError { LINES_BELOW } else { 0 });
    lines.find_map(code_kind).map(str::to_owned)
}

/// The first code of an error: `TS2345`, `[E0308]`, `ORA-00942`, `[ERR_NO_LIGHT]`, a rule in brackets at the end.
fn code_kind(line: &str) -> Option<&str> {
    let bytes = line.as_bytes();
    let mut at = 0;
    while let Some(start) = bytes.get(at..)?.iter().position(u8::is_ascii_uppercase).map(|skip| at + skip) {
        let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let end = start + bytes.get(start..)?.iter().take_while(is_part).count();
        let (before, word, after) = (line.get(..start)?, line.get(start..end)?, line.get(end..)?);
        if is_placed_code(before, word, after) {
            return Some(word);
        }
        at = end;
    }
    rule_at_end(line)
}

/// Whether a word is a code: by its own form, and because it is where codes are.
fn is_placed_code(before: &str, word: &str, after: &str) -> bool {
    let bracketed = before.ends_with('[') && after.starts_with(']');
    if !is_error_code(word.as_bytes()) {
        return bracketed && word.starts_with("ERR_");
    }
    let labelled = after.starts_with(':') && !before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '.');
    let signs = ["error ", "warning ", ": ", "-- ", "^ "];
    let leads = before.trim().is_empty() || signs.iter().any(|sign| before.ends_with(sign));
    bracketed || labelled || (leads && after.starts_with([' ', ':']))
}

/// `... [attr-defined]`, `... [line-too-long]`.
fn rule_at_end(line: &str) -> Option<&str> {
    let (_, rule) = line.strip_suffix(']')?.rsplit_once(" [")?;
    let fits = rule.contains('-') && rule.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    fits.then_some(rule)
}

#[cfg(test)]
mod tests {
    use super::kind_of;
    use crate::model::{Category, Object, ObjectKind, Reading};

    fn kind(category: Category, line: &str) -> String {
        kind_of(&Reading { category, ..Reading::unrecognised() }, line, &[], "")
    }

    #[test]
    fn the_systems_words_are_a_kind_of_their_own() {
        let missing = |line| kind(Category::PathNotFound, line);
        for line in [
            "cat: notes/a.txt: No such file or directory",
            "ls: cannot access 'b': No such file or directory",
            "Error: ENOENT: no such file or directory, open './menu.json'",
            "FileNotFoundError: [Errno 2] No such file or directory: 'x.csv'",
            "spawn ./rig ENOENT",
        ] {
            assert_eq!(missing(line), "ENOENT", "{line}");
        }
        assert_eq!(missing("cat: a: Is a directory"), "EISDIR");
        assert_ne!(missing("tests of XENOENT ran"), "ENOENT");
        assert_ne!(kind(Category::TestFailure, "expected \"permission denied\""), "EACCES");
    }

    #[test]
    fn codes_stand_alone() {
        let cases = [
            ("src/a.ts(<n>,<n>): error TS2345: Argument of type", "TS2345"),
            ("error[E0308]: mismatched types", "E0308"),
            ("sea/tide.py:<n>:<n>: E501 Line too long (104 > 88)", "E501"),
            ("ORA-00942: table or view does not exist", "ORA-00942"),
            ("Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'x'", "ERR_MODULE_NOT_FOUND"),
            ("sea/tide.py:<n>: error: \"Tide\" has no attribute \"ebbs\" [attr-defined]", "attr-defined"),
        ];
        for (line, wanted) in cases {
            assert_eq!(kind(Category::CompileError, line), wanted, "{line}");
        }
    }

    #[test]
    fn names_and_their_last_parts_are_taken_off() {
        let of = |object: &str, line: &str| kind_of(&Reading::unrecognised(), line, &[object.to_owned()], "");
        let first = of("crew.Size", "crew.Size undefined (type Crew has no field or method Size)");
        assert_eq!(first, "<object> undefined (type Crew has no field or method <object>)");
        let checked = of("", "dock/rope.go:<n>:<n>: undefined: knot (typecheck)");
        assert_eq!(checked, of("", "dock/deck.go:<n>:<n>: undefined: plank"));
        assert_ne!(of("", "rope is long (too long)"), of("", "rope is long"));
    }

    #[test]
    fn near_codes_are_words() {
        for line in ["file is no UTF-8 text", "digest SHA256 differs", "[INFO] done", "see PR-203 for more", "b [a c]"]
        {
            assert!(super::code_kind(line).is_none(), "{line}");
        }
    }

    #[test]
    fn a_rule_of_a_linter_is_the_kind() {
        let symbol = |name: &str| Object { kind: ObjectKind::Symbol, name: name.to_owned() };
        let reading = Reading {
            category: Category::LintError,
            objects: vec![symbol("no-undef"), symbol("no-unused-vars")],
            ..Reading::unrecognised()
        };
        assert_eq!(kind_of(&reading, "<n>:<n> error 'x' is not defined no-undef", &[], ""), "no-undef");
    }
}
