//! Fine and coarse signatures of a failure.

use sha2::{Digest, Sha256};

use super::normalise::{Context, coarse_of, fine_in};
use crate::digest::hex;
use crate::model::{Reading, Signature};

/// How many of the last lines stand for a failure whose reading names no line.
const LAST_LINES: usize = 5;

/// How many of the last lines are looked at to find them: repeated ones count once.
const LINES_SEEN: usize = 64;

/// Ends each part of what is hashed: normalised text has no control characters.
const SEPARATOR: u8 = 0x1f;

/// The fingerprint of a failure, from redacted text.
///
/// Fine: the runner or program, the category, the error line without what varies, the objects and files. Coarse: the
/// runner or program, the category, and the error line without its objects. Where the reading has no line, the last
/// lines of the text stand for it; a client that prints output twice changes neither.
pub fn sign(operation_program: Option<&str>, reading: &Reading, text: &str, cwd: Option<&str>) -> Signature {
    let runner = reading.runner.as_deref().or(operation_program).unwrap_or_default();
    let context = Context { cwd };
    let lines = error_lines(reading, text, &context);
    let objects = normalised(reading.objects.iter().map(|object| object.name.as_str()), &context);
    let files = normalised(reading.files.iter().map(String::as_str), &context);
    let kind: Vec<String> = lines.iter().map(|line| coarse_of(without(&objects, line))).collect();
    Signature {
        fine: digest(runner, reading, lines.iter().chain(&objects).chain(&files)),
        coarse: digest(runner, reading, kind.iter()),
        version: Signature::VERSION,
    }
}

/// The first 16 hexadecimal digits of SHA-256.
fn digest<'a>(runner: &str, reading: &Reading, parts: impl Iterator<Item = &'a String>) -> String {
    let mut hasher = Sha256::new();
    hasher.update(Signature::VERSION.to_be_bytes());
    feed(&mut hasher, runner);
    feed(&mut hasher, reading.category.as_str());
    parts.for_each(|part| feed(&mut hasher, part));
    hex(&hasher.finalize(), 8)
}

fn feed(hasher: &mut Sha256, part: &str) {
    hasher.update(part.as_bytes());
    hasher.update([SEPARATOR]);
}

/// The lines that stand for the failure, without what varies.
fn error_lines(reading: &Reading, text: &str, context: &Context<'_>) -> Vec<String> {
    match reading.line.as_deref() {
        Some(line) => vec![fine_in(line, context)],
        None => last_lines(text, context),
    }
}

fn last_lines(text: &str, context: &Context<'_>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::with_capacity(LAST_LINES);
    for line in text.rsplit('\n').filter(|line| !line.trim().is_empty()).take(LINES_SEEN) {
        let line = fine_in(line, context);
        if !line.is_empty() && !lines.contains(&line) {
            lines.push(line);
        }
        if lines.len() == LAST_LINES {
            break;
        }
    }
    lines.reverse();
    lines
}

/// Names without what varies, in an order that does not depend on the output's.
fn normalised<'a>(names: impl Iterator<Item = &'a str>, context: &Context<'_>) -> Vec<String> {
    let mut names: Vec<String> = names.map(|name| fine_in(name, context)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Names of fewer letters stand in too many words to be replaced.
const SHORTEST_NAME: usize = 3;

/// The line with each of the names replaced, the longer ones first: one may stand in another.
fn without(names: &[String], line: &str) -> String {
    let mut names: Vec<&String> = names.iter().filter(|name| name.len() >= SHORTEST_NAME).collect();
    names.sort_unstable_by_key(|name| std::cmp::Reverse(name.len()));
    names.iter().fold(line.to_owned(), |line, name| line.replace(name.as_str(), "<object>"))
}

#[cfg(test)]
mod tests {
    use super::sign;
    use crate::model::{Category, Object, ObjectKind, Reading, Signature};

    fn reading(line: Option<&str>, objects: &[&str]) -> Reading {
        let object = |name: &&str| Object { kind: ObjectKind::Test, name: (*name).to_owned() };
        Reading {
            category: Category::TestFailure,
            line: line.map(str::to_owned),
            objects: objects.iter().map(object).collect(),
            ..Reading::unrecognised()
        }
    }

    fn signature(line: &str, objects: &[&str]) -> Signature {
        sign(Some("cargo"), &reading(Some(line), objects), "", None)
    }

    #[test]
    fn two_runs_of_one_failure_are_the_same() {
        let first = signature("test net::reads panicked at src/net.rs:12:5 after 3ms", &["net::reads", "net::writes"]);
        let second =
            signature("test net::reads panicked at src/net.rs:19:1 after 41ms", &["net::writes", "net::reads"]);
        assert_eq!(first, second);
        assert_eq!((first.fine.len(), first.coarse.len(), first.version), (16, 16, Signature::VERSION));
    }

    #[test]
    fn another_object_is_another_failure_of_the_same_kind() {
        let first = signature("undefined: ReadAll", &["ReadAll"]);
        let second = signature("undefined: WriteAll", &["WriteAll"]);
        assert_ne!(first.fine, second.fine);
        assert_eq!(first.coarse, second.coarse);
    }

    #[test]
    fn another_error_program_or_category_is_another_kind() {
        let line = reading(Some("no such thing"), &[]);
        let cargo = sign(Some("cargo"), &line, "", None);
        assert_ne!(cargo.coarse, sign(Some("make"), &line, "", None).coarse);
        assert_ne!(cargo.coarse, signature("no other thing", &[]).coarse);
        let other = Reading { category: Category::CompileError, ..line };
        assert_ne!(cargo.coarse, sign(Some("cargo"), &other, "", None).coarse);
    }

    #[test]
    fn the_runner_stands_before_the_program_and_progress_changes_the_signature() {
        let runner = Reading { runner: Some("vitest".to_owned()), ..reading(Some("1 failed"), &["a works"]) };
        assert_eq!(sign(Some("npm"), &runner, "", None), sign(Some("pnpm"), &runner, "", None));
        assert_ne!(signature("2 failed", &["a", "b"]).fine, signature("2 failed", &["a"]).fine);
    }

    #[test]
    fn output_printed_twice_is_the_same_output() {
        for text in ["oops at 12ms\nbad: x\n", "1\n2\n3\n4\n5\n6\n7\n8\n", "one\n"] {
            let twice = format!("{text}\n{text}");
            let none = reading(None, &[]);
            assert_eq!(sign(None, &none, text, None), sign(None, &none, &twice, None));
        }
    }

    #[test]
    fn without_a_line_the_last_lines_decide() {
        let none = reading(None, &[]);
        let of = |text: &str| sign(None, &none, text, Some("/home/u/p"));
        assert_eq!(of("start 1\na\nb\nc\nd\nin /home/u/p/x.rs:3\n"), of("begin\na\nb\nc\nd\nin x.rs:9"));
        assert_ne!(of("a\nb").fine, of("a\nc").fine);
        assert_eq!(of(""), of("\n \n"));
    }
}
