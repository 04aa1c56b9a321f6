//! Fine and coarse signatures of a failure.

use sha2::{Digest, Sha256};

use super::identity::{IdentityWords, Names};
use super::kind::kind_of;
use super::normalise::{Context, fine_in};
use crate::digest::hex;
use crate::model::{Category, Reading, Signature};

/// What is known of a call beside its output.
#[derive(Debug, Clone, Copy, Default)]
pub struct CallContext<'a> {
    /// The call's operation: stands for a failure that says nothing.
    pub operation: &'a str,
    /// The program or script that failed, by its name alone, where that is known: no wrapper and no path changes it.
    pub program: Option<&'a str>,
    /// The file that a file tool was given, which its errors do not name.
    pub target: Option<&'a str>,
    /// The working directory.
    pub cwd: Option<&'a str>,
}

/// The fingerprint of a failure, from redacted text.
///
/// Fine: the category, and what the failure is known by. Coarse: the category, and what kind of error the line tells of.
/// Where the reading has no line, the last lines of the text that tell of an error stand for it; a client that prints
/// output twice changes neither. Failed tests without a name are [`Signature::vague`]: their fine signature is of the
/// whole text with its durations, so that it is equal only for the very same output.
pub fn sign(origin: &CallContext<'_>, reading: &Reading, text: &str) -> Signature {
    let context = Context { cwd: origin.cwd };
    let lines = error_lines(reading, text, &context);
    let names = Names::of(&reading.objects, &context);
    let mut said = IdentityWords { origin, reading, text, lines: &lines, names, context, program: None };
    let silent = is_silent(&lines);
    let vague = !silent && said.is_vague();
    let first_error = said.first_error();
    said.program = said.unknown_program().filter(|_| !silent && !vague && first_error.is_none());
    let version = if said.program.is_some() { Signature::VERSION } else { Signature::OLDEST };
    Signature {
        fine: fine_digest(&said, first_error.as_deref(), vague, version),
        coarse: coarse_digest(&said, first_error.as_deref()),
        version,
        vague,
    }
}

fn fine_digest(said: &IdentityWords<'_>, first_error: Option<&str>, vague: bool, version: u32) -> String {
    let mut parts = Parts::of(said.reading.category, version);
    if vague {
        parts.feed(said.origin.operation);
        parts.feed(said.text);
        return parts.digest();
    }
    said.identity(first_error).iter().for_each(|part| parts.feed(part));
    if is_silent(said.lines) {
        parts.feed(said.origin.operation);
    }
    parts.digest()
}

fn coarse_digest(said: &IdentityWords<'_>, first_error: Option<&str>) -> String {
    let IdentityWords { origin, reading, text, lines, names, .. } = said;
    let mut parts = Parts::of(reading.category, Signature::OLDEST);
    // The result of a run says little beside whose result it is; other errors are known by their words.
    if reading.category == Category::TestFailure {
        parts.feed(reading.runner.as_deref().unwrap_or_default());
    }
    if let Some(line) = first_error.or(lines.last().map(String::as_str)) {
        parts.feed(&kind_of(reading, line, &names.all, text));
    }
    if is_silent(lines) {
        parts.feed(origin.operation);
    }
    parts.digest()
}

/// Ends each part of what is hashed: normalised text has no control characters.
const SEPARATOR: u8 = 0x1f;

/// What is hashed, part by part.
struct Parts(Sha256);

impl Parts {
    fn of(category: Category, version: u32) -> Self {
        let mut parts = Self(Sha256::new());
        // Fingerprints of two versions never equal each other by chance.
        parts.0.update(version.to_be_bytes());
        parts.feed(category.as_str());
        parts
    }

    fn feed(&mut self, part: &str) {
        self.0.update(part.as_bytes());
        self.0.update([SEPARATOR]);
    }

    /// The first 16 hexadecimal digits of SHA-256.
    fn digest(self) -> String {
        hex(&self.0.finalize(), 8)
    }
}

/// How many of the last lines stand for a failure whose reading names no line.
const LAST_LINES: usize = 5;

/// How many of the last lines are looked at to find them: repeated ones count once.
const LINES_SEEN: usize = 64;

/// The lines that stand for the failure, without what varies.
fn error_lines(reading: &Reading, text: &str, context: &Context<'_>) -> Vec<String> {
    match reading.line.as_deref() {
        Some(line) => vec![fine_in(line, context)],
        None => Some(last_lines(text, context, is_telling)).filter(|lines| !lines.is_empty()).unwrap_or_else(|| {
            // The status line alone says nothing, and nothing less.
            last_lines(text, context, |_| true)
        }),
    }
}

fn last_lines(text: &str, context: &Context<'_>, is_wanted: fn(&str) -> bool) -> Vec<String> {
    let mut lines: Vec<String> = Vec::with_capacity(LAST_LINES);
    let seen = text.rsplit('\n').filter(|line| !line.trim().is_empty()).take(LINES_SEEN);
    for line in seen.filter(|line| is_wanted(line)) {
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

/// Beginnings of words in lines that tell of an error.
const TELLING: &[&str] = &[
    "error",
    "fail",
    "fatal",
    "panic",
    "exception",
    "cannot",
    "can't",
    "could not",
    "couldn't",
    "unable",
    "not ",
    "no such",
    "denied",
    "refused",
    "invalid",
    "unknown",
    "missing",
    "unexpected",
    "abort",
    "killed",
    "timed out",
];

/// Whether a line tells of an error.
pub(super) fn is_telling(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    !is_status_line(&line) && TELLING.iter().any(|word| line.contains(word))
}

/// `Exit code 1`: the client's own line before the output.
fn is_status_line(line: &str) -> bool {
    let line = line.trim();
    let line = line
        .get(.."error: ".len())
        .filter(|start| start.eq_ignore_ascii_case("error: "))
        .map_or(line, |_| line.get("error: ".len()..).unwrap_or_default());
    let code = line.get(.."exit code ".len()).filter(|start| start.eq_ignore_ascii_case("exit code "));
    code.is_some() && line.bytes().skip("exit code ".len()).all(|byte| byte.is_ascii_digit())
}

/// Whether nothing was printed beside the status.
fn is_silent(lines: &[String]) -> bool {
    lines.iter().all(|line| is_status_line(line))
}

#[cfg(test)]
mod tests {
    use super::{CallContext, sign};
    use crate::model::{Category, Object, ObjectKind, Reading, Signature};

    const CARGO: CallContext<'_> = CallContext { operation: "cargo test -q", program: None, target: None, cwd: None };
    const NOBODY: CallContext<'_> = CallContext { operation: "", program: None, target: None, cwd: None };

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
        sign(&CARGO, &reading(Some(line), objects), "")
    }

    #[test]
    fn two_runs_of_one_failure_are_the_same() {
        let first = signature("test net::reads panicked at src/net.rs:12:5 after 3ms", &["net::reads", "net::writes"]);
        let second =
            signature("test net::reads panicked at src/net.rs:19:1 after 41ms", &["net::writes", "net::reads"]);
        assert_eq!(first, second);
        assert_eq!((first.fine.len(), first.coarse.len(), first.version), (16, 16, Signature::OLDEST));
    }

    #[test]
    fn another_error_or_category_is_another_kind() {
        let line = reading(Some("no such thing"), &[]);
        let cargo = sign(&CARGO, &line, "");
        assert_ne!(cargo.coarse, signature("no other thing", &[]).coarse);
        let other = Reading { category: Category::CompileError, ..line };
        assert_ne!(cargo.coarse, sign(&CARGO, &other, "").coarse);
    }

    #[test]
    fn another_program_is_another_failure_unless_the_error_names_its_object() {
        let make = CallContext { operation: "make -j4 test", ..CARGO };
        let (bare, named) = (reading(Some("no such thing"), &[]), reading(Some("no such thing: a"), &["a"]));
        assert_ne!(sign(&CARGO, &bare, "").fine, sign(&make, &bare, "").fine);
        assert_eq!(sign(&CARGO, &named, ""), sign(&make, &named, ""));
    }

    #[test]
    fn another_unknown_program_is_another_failure_of_the_same_kind() {
        let line = "cannot read the harbour table: the keeper gave no answer";
        let of = |category, program, objects: &[&str]| {
            let reading = Reading { category, ..reading(Some(line), objects) };
            sign(&CallContext { program, ..NOBODY }, &reading, "")
        };
        let [tide, moon] = [Some("tide"), Some("moon")].map(|program| of(Category::RuntimeError, program, &[]));
        assert_ne!(tide.fine, moon.fine);
        assert_eq!((&tide.coarse, tide.version), (&moon.coarse, Signature::VERSION));
        // What was kept before the program counted is met again where it does not.
        for category in [Category::CompileError, Category::TestFailure, Category::LintError] {
            let of = |program| of(category, program, &["harbour"]);
            assert_eq!(of(Some("tide")), of(None), "{category:?}");
            assert_eq!(of(None).version, Signature::OLDEST);
        }
        assert_eq!(
            of(Category::ServiceError, Some("tide"), &["harbour"]),
            of(Category::ServiceError, None, &["harbour"])
        );
    }

    proptest::proptest! {
        #[test]
        fn programs_are_told_apart_by_their_names_alone(
            first in "[a-z]{2,8}", second in "[a-z]{2,8}", line in "[a-z]{3,9}( [a-z]{3,9}){0,9}",
        ) {
            let reading = Reading { category: Category::RuntimeError, ..reading(Some(&line), &[]) };
            let of = |program| sign(&CallContext { operation: program, program: Some(program), ..NOBODY }, &reading, "");
            proptest::prop_assert_eq!(of(&first).fine == of(&second).fine, first == second);
            proptest::prop_assert_eq!(of(&first).coarse, of(&second).coarse);
        }
    }

    #[test]
    fn the_runner_stands_before_the_program_and_progress_changes_the_signature() {
        let runner = Reading { runner: Some("vitest".to_owned()), ..reading(Some("1 failed"), &["a works"]) };
        let (npm, pnpm) =
            (CallContext { operation: "npm test", ..CARGO }, CallContext { operation: "pnpm test", ..CARGO });
        assert_eq!(sign(&npm, &runner, ""), sign(&pnpm, &runner, ""));
        assert_ne!(signature("2 failed", &["a", "b"]).fine, signature("2 failed", &["a"]).fine);
    }

    #[test]
    fn output_printed_twice_is_the_same_output() {
        for text in ["oops at 12ms\nbad: x\n", "1\n2\n3\n4\n5\n6\n7\n8\n", "one\n", "error: a\nerror: b\n"] {
            let twice = format!("{text}\n{text}");
            let none = Reading::unrecognised();
            assert_eq!(sign(&NOBODY, &none, text), sign(&NOBODY, &none, &twice));
        }
    }

    #[test]
    fn without_a_line_the_last_lines_decide() {
        let none = Reading::unrecognised();
        let origin = CallContext { cwd: Some("/home/u/p"), ..NOBODY };
        let of = |text: &str| sign(&origin, &none, text);
        assert_eq!(of("start 1\na\nb\nc\nd\nin /home/u/p/x.rs:3\n"), of("begin\na\nb\nc\nd\nin x.rs:9"));
        assert_ne!(of("a\nb").fine, of("a\nc").fine);
        assert_eq!(of("tick\nerror: no oil\ntack\nbye"), of("tack\nerror: no oil\nbye"));
        assert_eq!(of(""), of("\n \n"));
    }

    #[test]
    fn a_failure_that_says_nothing_is_known_by_its_operation() {
        let none = Reading::unrecognised();
        let of = |operation, text| sign(&CallContext { operation, ..NOBODY }, &none, text);
        assert_ne!(of("./a", "Exit code 1").fine, of("./b", "Exit code 1").fine);
        assert_ne!(of("./a", "Exit code 1"), of("./a", "Exit code 2"));
        assert_eq!(of("./a", "Exit code 1"), of("./a", "\nExit code 1\n"));
        assert_eq!(of("./a -v", "Exit code 1\nno oil").fine, of("./a -q", "Exit code 1\nno oil").fine);
    }

    #[test]
    fn what_is_missing_is_known_by_its_name_whoever_asked_for_it() {
        let missing = |category, kind, name: &str, line: &str, file: &str| {
            let object = Object { kind, name: name.to_owned() };
            let files = vec![file.to_owned()];
            let line = Some(line.to_owned());
            let reading = Reading { category, line, files, objects: vec![object], ..Reading::unrecognised() };
            sign(&CallContext { cwd: Some("/home/u/p"), ..CARGO }, &reading, "").fine
        };
        let module = |name, line, file| missing(Category::DependencyMissing, ObjectKind::Module, name, line, file);
        let axios = module("axios", "Cannot find module 'axios'", "src/a.ts");
        assert_eq!(axios, module("axios", "src/b.ts(3,8): error TS2307: Cannot find module 'axios'", "src/b.ts"));
        assert_ne!(axios, module("got", "Cannot find module 'got'", "src/a.ts"));
        let path = |name, line| missing(Category::PathNotFound, ObjectKind::File, name, line, name);
        assert_eq!(path("/home/u/p/x/a", "cat: /home/u/p/x/a: No such file"), path("x/a", "ls: x/a: No such file"));
        assert_ne!(path("x/a", "cat: x/a: No such file"), path("x/b", "cat: x/b: No such file"));
    }

    #[test]
    fn a_query_is_known_by_what_it_asked_for() {
        let checks = |operation, line: &str| {
            let target = Object { kind: ObjectKind::Target, name: "lint".to_owned() };
            let category = Category::CiCheckFailed;
            let line = Some(line.to_owned());
            let reading = Reading { category, line, objects: vec![target], ..Reading::unrecognised() };
            sign(&CallContext { operation, ..NOBODY }, &reading, "")
        };
        let first = checks("gh pr checks 7", "lint\tfail\t24s");
        assert_eq!(first, checks("gh pr checks 7", "lint\tfail\t31s"));
        assert_ne!(first.fine, checks("gh pr checks 8", "lint\tfail\t24s").fine);
        assert_eq!(first.coarse, checks("gh pr checks 8", "lint\tfail\t24s").coarse);
    }

    #[test]
    fn a_compiler_s_first_error_is_the_failure() {
        let of = |line: &str, text: &str| {
            let category = Category::CompileError;
            sign(&NOBODY, &Reading { category, line: Some(line.to_owned()), ..Reading::unrecognised() }, text).fine
        };
        let [first, second] = ["a.ts(3,9): error TS2322: no string", "a.ts(9,4): error TS2304: no name 'x'"];
        let note = "b.ts(1,1): warning: old";
        let alone = of(first, first);
        assert_eq!(of(second, &format!("{note}\n{first}\n{second}")), alone);
        assert_eq!(of("a.ts(30,9): error TS2322: no string", "a.ts(30,9): error TS2322: no string"), alone);
        assert_ne!(of(second, second), alone);
        assert_eq!(of("d/a.go:3:7: undefined: x", ""), of("d/a.go:4:7: undefined: x (typecheck)", ""));
    }

    #[test]
    fn failed_tests_without_a_name_are_never_the_same() {
        let of = |line: &str, text: &str| sign(&CARGO, &reading(Some(line), &[]), text);
        let vague = [
            ("FAIL\tshop/basket\t1.7s", "FAIL\tshop/basket\t1.7s\nok  \tshop/till\t(cached)\nFAIL"),
            ("FAIL basket 1.7s", "FAIL basket 1.7s"),
            (
                "Tests:       3 failed, 386 passed, 389 total",
                "Tests:       3 failed, 386 passed, 389 total\nTime:  4.4 s",
            ),
            ("make: *** [Makefile:3: test] Error 1", "make: *** [Makefile:3: test] Error 1"),
        ];
        for (line, text) in vague {
            let (first, second) = (of(line, text), of(line, &format!("0.2s\n{text}")));
            assert!(first.vague && first.fine != second.fine && first.coarse == second.coarse, "{line}");
        }
        let told = [
            ("1 failing", "1 failing\n\n  1) Hull floats:\n"),
            ("FAIL src/a.spec.ts", "FAIL src/a.spec.ts\n  ● Test suite failed to run\n    ReferenceError: x"),
            ("hull_test.go:7: got 3, want 4", "hull_test.go:7: got 3, want 4\nFAIL"),
        ];
        for (line, text) in told {
            assert!(!of(line, text).vague, "{line}");
        }
        assert!(!sign(&CARGO, &reading(Some("1 failed"), &["hull::floats"]), "1 failed").vague);
        let lint = |line: &str, files: &[&str]| {
            let files = files.iter().map(|file| (*file).to_owned()).collect();
            let category = Category::LintError;
            sign(&NOBODY, &Reading { category, files, ..reading(Some(line), &[]) }, line).vague
        };
        assert!(lint("1 issues:", &[]));
        assert!(!lint("[warn] src/hull.ts", &[]) && !lint("1 issues:", &["src/hull.ts"]));
    }

    #[test]
    fn errors_of_file_tools_are_known_by_the_file_and_what_was_sought() {
        let line = "String to replace not found in file.";
        let edit = Reading { category: Category::EditNoMatch, ..reading(Some(line), &[]) };
        let of = |target, sought: &str| {
            sign(&CallContext { target: Some(target), ..NOBODY }, &edit, &format!("{line}\nString: {sought}"))
        };
        assert_eq!(of("/w/a.rs", "fn a() {\n  1"), of("/w/a.rs", "fn a() {\n  2"));
        assert_ne!(of("/w/a.rs", "fn a() {").fine, of("/w/b.rs", "fn a() {").fine);
        assert_ne!(of("/w/a.rs", "fn a() {").fine, of("/w/a.rs", "fn b() {").fine);
        assert_eq!(of("/w/a.rs", "fn a() {").coarse, of("/w/b.rs", "fn b() {").coarse);
    }

    #[test]
    fn a_file_of_another_checkout_is_the_same_file() {
        let of = |file: &str| {
            let reading = Reading { files: vec![file.to_owned()], ..reading(Some("KeyError: 'x'"), &[]) };
            sign(&CallContext { cwd: Some("/home/u/p"), ..NOBODY }, &reading, "").fine
        };
        assert_eq!(of("/home/u/p/sea/run.py"), of("/srv/w/9/sea/run.py"));
        assert_ne!(of("/home/u/p/sea/run.py"), of("/srv/w/9/air/run.py"));
    }
}
