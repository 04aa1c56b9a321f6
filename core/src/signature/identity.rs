//! What a failure is known by: the parts that two runs of one failure share and no other failure has.

use super::kind::without_checker;
use super::normalise::{Context, fine_in};
use super::sign::{CallContext, is_telling};
use crate::model::{Category, Object, ObjectKind, Reading};

/// What a failed call says, and what is known of the call.
pub(super) struct IdentityWords<'a> {
    pub(super) origin: &'a CallContext<'a>,
    pub(super) reading: &'a Reading,
    pub(super) text: &'a str,
    /// The lines that stand for the failure, without what varies.
    pub(super) lines: &'a [String],
    pub(super) names: Names,
    pub(super) context: Context<'a>,
    /// The program, where the words are nobody's that is known.
    pub(super) program: Option<&'a str>,
}

impl<'a> IdentityWords<'a> {
    /// The parts of the fine signature beside the category. `first_error` is that of a compiler.
    pub(super) fn identity(&self, first_error: Option<&str>) -> Vec<String> {
        if let Some(name) = self.missing() {
            return vec![name];
        }
        if let Some(line) = first_error {
            return vec![line.to_owned()];
        }
        let mut parts = Vec::with_capacity(8);
        self.add_origin(&mut parts);
        let address = |line: &String| addressed(line, self.reading);
        parts.extend(self.lines.iter().map(address));
        parts.extend(self.behind());
        self.add_names(&mut parts);
        parts
    }

    /// The name of what is missing: nobody else's words, and no file that asked for it, make it another failure.
    fn missing(&self) -> Option<String> {
        let wanted = match self.reading.category {
            Category::DependencyMissing => ObjectKind::Module,
            Category::CommandNotFound => ObjectKind::Program,
            Category::PathNotFound => ObjectKind::File,
            _ => return None,
        };
        if let Some(target) = self.origin.target.filter(|_| wanted == ObjectKind::File) {
            return Some(file_in_project(target, &self.context));
        }
        let is_wanted = self.reading.objects.first().is_some_and(|object| object.kind == wanted);
        self.names.first.clone().filter(|_| is_wanted)
    }

    /// The first of a compiler's errors that are told with their places. The line of the reading may be a later one, that
    /// names more.
    pub(super) fn first_error(&self) -> Option<String> {
        let line = self.reading.line.as_deref().filter(|_| self.reading.category == Category::CompileError)?;
        let told = place_and_error(line)?;
        let is_told_so = |line: &&str| place_and_error(line).as_ref() == Some(&told);
        let first = self.text.lines().map(str::trim).find(is_told_so).unwrap_or(line);
        Some(fine_in(without_checker(first), &self.context))
    }

    /// Whose words they are, and what was asked for, where the words alone do not say it.
    fn add_origin(&self, parts: &mut Vec<String>) {
        let Self { origin, reading, .. } = self;
        let asks = match reading.category {
            Category::CiCheckFailed => true,
            Category::RemoteNotFound => reading.runner.as_deref() != Some("git"),
            _ => false,
        };
        if asks {
            parts.push(origin.operation.to_owned());
        }
        // "String to replace not found" in one file is no repetition of the same words about another.
        if let Some(target) = origin.target {
            parts.push(fine_in(target, &self.context));
        }
        if reading.objects.is_empty() && (self.program.is_some() || self.is_short()) {
            parts.push(self.program.unwrap_or_else(|| speaker(origin, reading)).to_owned());
        }
    }

    /// The program that failed, where nobody knows whose words its error is in, and these alone tell no two apart: what a
    /// check, the system or a name tells is the same failure through every program that passes it on.
    pub(super) fn unknown_program(&self) -> Option<&'a str> {
        let Self { origin, reading, .. } = self;
        let is_unknown = reading.runner.is_none() && reading.objects.is_empty() && !reading.category.is_of_check();
        let counts = |program: &&str| !self.is_short() || speaker(origin, reading) != *program;
        origin.program.filter(|_| is_unknown && self.missing().is_none()).filter(counts)
    }

    fn is_short(&self) -> bool {
        self.lines.iter().map(String::len).sum::<usize>() < SHORT
    }

    /// What the words are about: of tests and checks all that failed, so that one mended is progress; of other errors what
    /// the first one names.
    fn add_names(&self, parts: &mut Vec<String>) {
        let all = matches!(self.reading.category, Category::TestFailure | Category::CiCheckFailed);
        if all {
            parts.extend(self.names.all.iter().cloned());
        } else {
            parts.extend(self.names.first.clone());
        }
        parts.extend(self.first_file());
    }

    /// The lines behind the error line that belong to it: what an edit looked for, what a line with a colon at its end
    /// announces, the names behind the mere count of tests that failed.
    fn behind(&self) -> impl Iterator<Item = String> {
        let line = self.reading.line.as_deref().unwrap_or_default();
        let is_count = self.reading.category == Category::TestFailure && !self.names_a_test();
        let count = match self.reading.category {
            _ if line.is_empty() => 0,
            Category::EditNoMatch => 1,
            _ if is_count => 2,
            _ => usize::from(line.ends_with(':')),
        };
        let rest = if count == 0 { None } else { self.text.find(line).and_then(|at| self.text.get(at + line.len()..)) };
        let lines = rest.unwrap_or_default().lines().skip(1).filter(|line| !line.trim().is_empty()).take(count);
        lines.map(|line| fine_in(line, &self.context))
    }

    /// The file that the reading names first, or the one whose name stands alone above the finding.
    fn first_file(&self) -> Option<String> {
        let file = self.reading.files.first().map(String::as_str).or_else(|| self.heading())?;
        // A test is known by its name and package; whether its file is shown depends on what part of the output is.
        let is_source = crate::text::file_name(file).contains('.');
        (!is_source || !self.names_a_test()).then(|| file_in_project(file, &self.context))
    }

    /// `3:7  error ...` is below the name of its file.
    fn heading(&self) -> Option<&str> {
        let line = self.reading.line.as_deref().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()))?;
        let above = self.text.get(..self.text.find(line)?)?;
        let is_file = |line: &&str| line.contains(['/', '.']) && !line.contains([' ', ':']);
        above.rsplit('\n').map(str::trim).take(LINES_ABOVE).find(is_file)
    }

    fn names_a_test(&self) -> bool {
        let is_test = |object: &Object| object.kind == ObjectKind::Test;
        self.reading.category == Category::TestFailure && self.reading.objects.iter().any(is_test)
    }

    /// Whether nothing is told but that something failed: `FAIL  shop/basket  1.7s`, `3 failed, 20 passed`, `1 issues:`.
    pub(super) fn is_vague(&self) -> bool {
        let Reading { category, objects, files, .. } = self.reading;
        match category {
            Category::TestFailure => {
                !self.names_a_test() && !self.lines.iter().any(|line| self.says_more(line)) && {
                    !self.behind().any(|line| (is_telling(&line) || is_listed(&line)) && self.says_more(&line))
                }
            }
            Category::LintError => {
                objects.is_empty()
                    && files.is_empty()
                    && !self.lines.iter().any(|line| line.contains('/') || self.says_more(line))
            }
            _ => false,
        }
    }

    fn says_more(&self, line: &str) -> bool {
        let Reading { objects, files, .. } = self.reading;
        let is_named = |word: &str| files.iter().chain(objects.iter().map(|object| &object.name)).any(|it| it == word);
        // A package without a slash has no other mark than its place.
        let skipped = if line.starts_with("FAIL ") { 2 } else { 0 };
        line.split_whitespace().skip(skipped).any(|word| !is_named(word) && !is_of_result(word))
    }
}

/// Whether a line is of a list, as runners print what failed: `1) Hull floats`, `● hull › floats`.
fn is_listed(line: &str) -> bool {
    let line = line.trim_start();
    let unnumbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with(['●', '✗', '✕', '✖', '×']) || unnumbered.len() < line.len() && unnumbered.starts_with(')')
}

/// Lines of fewer bytes may be anybody's words.
const SHORT: usize = 32;

/// Whose words the error lines are: the runner's, or the program's.
fn speaker<'a>(origin: &CallContext<'a>, reading: &'a Reading) -> &'a str {
    reading.runner.as_deref().unwrap_or_else(|| origin.operation.split(' ').next().unwrap_or_default())
}

/// What a compiler says of a place, behind it: `dir/a.go:3:7: undefined: x`, `a.ts(3,7): error TS2304: ...`.
fn place_and_error(line: &str) -> Option<ToldOutput<'_>> {
    let path = line.find([':', '(']).filter(|end| *end > 0)?;
    let (path, place) = line.split_at_checked(path)?;
    if path.contains(' ') || !path.contains('.') {
        return None;
    }
    let end = place.find(|c: char| !(c.is_ascii_digit() || matches!(c, ':' | '(' | ')' | ',')))?;
    let (place, error) = place.split_at_checked(end)?;
    let numbers = place.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty()).count();
    let error = error.trim_start_matches([' ', '-']);
    let level = if error.starts_with("fatal error") {
        "error"
    } else {
        ["error", "warning", "note"].into_iter().find(|level| error.starts_with(level)).unwrap_or_default()
    };
    (numbers > 0 && !error.is_empty()).then_some(ToldOutput { numbers, level })
}

/// How a compiler tells of an error.
#[derive(PartialEq, Eq)]
struct ToldOutput<'a> {
    /// How many numbers name the place.
    numbers: usize,
    level: &'a str,
}

/// Words that tell of a result and not of what failed.
const OF_RESULT: &[&str] = &[
    "assertion",
    "assertions",
    "code",
    "command",
    "done",
    "error",
    "errors",
    "example",
    "examples",
    "exit",
    "exited",
    "fail",
    "failed",
    "failing",
    "failure",
    "failures",
    "file",
    "files",
    "finished",
    "found",
    "in",
    "issue",
    "issues",
    "make",
    "makefile",
    "not",
    "of",
    "ok",
    "pass",
    "passed",
    "passing",
    "pending",
    "problem",
    "problems",
    "ran",
    "result",
    "run",
    "skipped",
    "spec",
    "specs",
    "status",
    "suite",
    "suites",
    "task",
    "test",
    "tests",
    "time",
    "took",
    "total",
    "warning",
    "warnings",
    "with",
];

/// Whether a word says nothing of what failed: a word of results, a number or mask, a package's or file's path.
fn is_of_result(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !(c.is_alphanumeric() || matches!(c, '<' | '>' | '/')));
    let is_mask = word.starts_with('<') && word.ends_with('>');
    let is_named = word.bytes().any(|byte| byte.is_ascii_alphabetic() || byte >= 0x80);
    let word = if word.contains('/') { "" } else { word.split(':').next().unwrap_or(word) };
    is_mask || !is_named || word.is_empty() || OF_RESULT.iter().any(|known| word.eq_ignore_ascii_case(known))
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

/// The names of the objects without what varies.
pub(super) struct Names {
    /// The primary object's.
    first: Option<String>,
    /// All of them, in an order that does not depend on the output's.
    pub(super) all: Vec<String>,
}

impl Names {
    pub(super) fn of(objects: &[Object], context: &Context<'_>) -> Self {
        let named: Vec<String> = objects.iter().map(|object| name(object, context)).collect();
        let mut all: Vec<String> =
            named.iter().filter(|name| !named.iter().any(|other| ends_in(other, name))).cloned().collect();
        all.sort_unstable();
        all.dedup();
        Self { first: named.into_iter().next(), all }
    }
}

/// Whether a name stands at the end of a longer one: runners print a test with and without its suite.
fn ends_in(long: &str, name: &str) -> bool {
    let suite = long.strip_suffix(name).unwrap_or_default();
    suite.ends_with([' ', ':', '.', '/', '#'])
}

fn name(object: &Object, context: &Context<'_>) -> String {
    match object.kind {
        ObjectKind::File => file_in_project(&object.name, context),
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

/// How many lines above a finding are looked at for the name of its file.
const LINES_ABOVE: usize = 256;

/// How many names of a path outside the working directory tell its file.
const LAST_NAMES: usize = 2;

/// A file by its path in the project. Of another checkout only the last names are sure to be equal.
fn file_in_project(file: &str, context: &Context<'_>) -> String {
    let mut path = fine_in(file, context);
    if path.starts_with(['/', '~']) {
        let last = path.rmatch_indices('/').nth(LAST_NAMES - 1).map_or(0, |(slash, _)| slash + 1);
        path.drain(..last);
    }
    path
}
