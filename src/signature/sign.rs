//! Fine and coarse signatures of a failure.

use sha2::{Digest, Sha256};

use super::kind::kind_of;
use super::normalise::{Context, fine_in};
use crate::digest::hex;
use crate::model::{Category, Object, ObjectKind, Reading, Signature};

/// What is known of a call beside its output.
#[derive(Debug, Clone, Copy, Default)]
pub struct CallContext<'a> {
    /// The call's operation: stands for a failure that says nothing.
    pub operation: &'a str,
    /// The file that a file tool was given, which its errors do not name.
    pub target: Option<&'a str>,
    /// The working directory.
    pub cwd: Option<&'a str>,
}

/// The fingerprint of a failure, from redacted text.
///
/// Fine: the category, the error line without what varies, the objects and the first file; and whose words they are.
/// Coarse: the category, and what kind of error the line tells of. Where the reading has no line, the last lines of the
/// text that tell of an error stand for it; a client that prints output twice changes neither.
pub fn sign(origin: &CallContext<'_>, reading: &Reading, text: &str) -> Signature {
    let context = Context { cwd: origin.cwd };
    let lines = error_lines(reading, text, &context);
    let objects = names(&reading.objects, &context);
    Signature {
        fine: fine_digest(origin, reading, text, &lines, &objects),
        coarse: coarse_digest(origin, reading, text, &lines, &objects),
        version: Signature::VERSION,
    }
}

fn fine_digest(
    origin: &CallContext<'_>,
    reading: &Reading,
    text: &str,
    lines: &[String],
    objects: &[String],
) -> String {
    let context = Context { cwd: origin.cwd };
    let mut parts = Parts::of(reading.category);
    parts.feed(speaker(origin, reading));
    // "String to replace not found" in one file is no repetition of the same words about another.
    if let Some(target) = origin.target {
        parts.feed(&fine_in(target, &context));
    }
    let address = |line: &String| addressed(line, reading);
    lines.iter().map(address).chain(behind(reading, text, &context)).for_each(|line| parts.feed(&line));
    objects.iter().chain(first_file(reading, text, &context).as_ref()).for_each(|name| parts.feed(name));
    if is_silent(lines) {
        parts.feed(origin.operation);
    }
    parts.digest()
}

fn coarse_digest(
    origin: &CallContext<'_>,
    reading: &Reading,
    text: &str,
    lines: &[String],
    objects: &[String],
) -> String {
    let mut parts = Parts::of(reading.category);
    // The result of a run says little beside whose result it is; other errors are known by their words.
    if reading.category == Category::TestFailure {
        parts.feed(reading.runner.as_deref().unwrap_or_default());
    }
    if let Some(line) = lines.last() {
        parts.feed(&kind_of(reading, line, objects, text));
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
    fn of(category: Category) -> Self {
        let mut parts = Self(Sha256::new());
        // Fingerprints of two versions never equal each other by chance.
        parts.0.update(Signature::VERSION.to_be_bytes());
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

/// Whose words the error line is: the runner, or the program where the line names no object.
fn speaker<'a>(origin: &CallContext<'a>, reading: &'a Reading) -> &'a str {
    match reading.runner.as_deref() {
        Some(runner) => runner,
        None if reading.objects.is_empty() => origin.operation.split(' ').next().unwrap_or_default(),
        None => "",
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
        None => Some(last_lines(text, context, tells)).filter(|lines| !lines.is_empty()).unwrap_or_else(|| {
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

fn tells(line: &str) -> bool {
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

/// The lines behind the error line that belong to it: what an edit looked for, what a line with a colon at its end
/// announces, the names behind the mere count of tests that failed.
fn behind(reading: &Reading, text: &str, context: &Context<'_>) -> impl Iterator<Item = String> {
    let line = reading.line.as_deref().unwrap_or_default();
    let is_count = reading.category == Category::TestFailure && !names_a_test(reading);
    let count = match reading.category {
        _ if line.is_empty() => 0,
        Category::EditNoMatch => 1,
        _ if is_count => 2,
        _ => usize::from(line.ends_with(':')),
    };
    let rest = if count == 0 { None } else { text.find(line).and_then(|at| text.get(at + line.len()..)) };
    let lines = rest.unwrap_or_default().lines().skip(1).filter(|line| !line.trim().is_empty()).take(count);
    lines.map(|line| fine_in(line, context))
}

/// The line without the address of a page about its own object, which names the tool's version.
fn addressed(line: &str, reading: &Reading) -> String {
    let page = line.find("https://").filter(|_| !reading.objects.is_empty());
    let Some((before, page)) = page.and_then(|at| line.split_at_checked(at)) else { return line.to_owned() };
    let end = page.find(' ').unwrap_or(page.len());
    let (address, after) = page.split_at_checked(end).unwrap_or((page, ""));
    let is_about = |object: &Object| object.kind == ObjectKind::Symbol && address.ends_with(object.name.as_str());
    if reading.objects.iter().any(is_about) { format!("{before}<url>{after}") } else { line.to_owned() }
}

/// The objects without what varies, in an order that does not depend on the output's.
fn names(objects: &[Object], context: &Context<'_>) -> Vec<String> {
    let all: Vec<String> = objects.iter().map(|object| name(object, context)).collect();
    let mut names: Vec<String> =
        all.iter().filter(|name| !all.iter().any(|other| ends_in(other, name))).cloned().collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Whether a name stands at the end of a longer one: runners print a test with and without its suite.
fn ends_in(long: &str, name: &str) -> bool {
    let suite = long.strip_suffix(name).unwrap_or_default();
    suite.ends_with([' ', ':', '.', '/', '#'])
}

fn name(object: &Object, context: &Context<'_>) -> String {
    match object.kind {
        ObjectKind::File => file_name(&object.name, context),
        ObjectKind::Test => without_duration(fine_in(&object.name, context)),
        _ => fine_in(&object.name, context),
    }
}

/// Some runners print how long a test took behind its name.
fn without_duration(mut name: String) -> String {
    for duration in [" (<dur>)", " <dur>"] {
        name.truncate(name.strip_suffix(duration).unwrap_or(&name).len());
    }
    name
}

/// The file that the reading names first, or the one whose name stands alone above the finding.
fn first_file(reading: &Reading, text: &str, context: &Context<'_>) -> Option<String> {
    let file = reading.files.first().map(String::as_str).or_else(|| heading(reading, text))?;
    let file = file_name(file, context);
    // A test is known by its name and package; whether its file is shown depends on what part of the output is.
    let is_source = crate::text::file_name(&file).contains('.');
    (!is_source || !names_a_test(reading)).then_some(file)
}

fn names_a_test(reading: &Reading) -> bool {
    reading.category == Category::TestFailure && reading.objects.iter().any(|o| o.kind == ObjectKind::Test)
}

/// How many lines above a finding are looked at for the name of its file.
const LINES_ABOVE: usize = 256;

/// `3:7  error ...` is below the name of its file.
fn heading<'t>(reading: &Reading, text: &'t str) -> Option<&'t str> {
    let line = reading.line.as_deref().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()))?;
    let above = text.get(..text.find(line)?)?;
    let is_file = |line: &&str| line.contains(['/', '.']) && !line.contains([' ', ':']);
    above.rsplit('\n').map(str::trim).take(LINES_ABOVE).find(is_file)
}

/// How many names of a path outside the working directory tell its file.
const LAST_NAMES: usize = 2;

/// A file by its path in the project. Of another checkout only the last names are sure to be equal.
fn file_name(file: &str, context: &Context<'_>) -> String {
    let mut path = fine_in(file, context);
    if path.starts_with(['/', '~']) {
        let last = path.rmatch_indices('/').nth(LAST_NAMES - 1).map_or(0, |(slash, _)| slash + 1);
        path.drain(..last);
    }
    path
}

#[cfg(test)]
mod tests {
    use super::{CallContext, sign};
    use crate::model::{Category, Object, ObjectKind, Reading, Signature};

    const CARGO: CallContext<'_> = CallContext { operation: "cargo test -q", target: None, cwd: None };
    const NOBODY: CallContext<'_> = CallContext { operation: "", target: None, cwd: None };

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
            let none = reading(None, &[]);
            assert_eq!(sign(&NOBODY, &none, text), sign(&NOBODY, &none, &twice));
        }
    }

    #[test]
    fn without_a_line_the_last_lines_decide() {
        let none = reading(None, &[]);
        let origin = CallContext { cwd: Some("/home/u/p"), ..NOBODY };
        let of = |text: &str| sign(&origin, &none, text);
        assert_eq!(of("start 1\na\nb\nc\nd\nin /home/u/p/x.rs:3\n"), of("begin\na\nb\nc\nd\nin x.rs:9"));
        assert_ne!(of("a\nb").fine, of("a\nc").fine);
        assert_eq!(of("tick\nerror: no oil\ntack\nbye"), of("tack\nerror: no oil\nbye"));
        assert_eq!(of(""), of("\n \n"));
    }

    #[test]
    fn a_failure_that_says_nothing_is_known_by_its_operation() {
        let none = reading(None, &[]);
        let of = |operation, text| sign(&CallContext { operation, ..NOBODY }, &none, text);
        assert_ne!(of("./a", "Exit code 1").fine, of("./b", "Exit code 1").fine);
        assert_ne!(of("./a", "Exit code 1"), of("./a", "Exit code 2"));
        assert_eq!(of("./a", "Exit code 1"), of("./a", "\nExit code 1\n"));
        assert_eq!(of("./a -v", "Exit code 1\nno oil").fine, of("./a -q", "Exit code 1\nno oil").fine);
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
