//! From the lines that recognisers know to one reading: which of them is the cause, and what exactly failed.

use std::ops::Range;

use crate::model::{Basis, Category, Object, ObjectKind, Reading, RunResult, Transient};
use crate::programs::{self, Fact, Trait};
use crate::shell::Command;
use crate::text::{cut, offset_in};

use super::collect::Found;
use super::delay::asked_delay;
use super::involved::Involved;
use super::row::{Reach, Role};
use super::sentences::{case_behind, names_place};
use super::status;

/// Categories of the runs that development is made of.
pub(super) const RUNS: &[Category] = &[Category::TestFailure, Category::CompileError, Category::LintError];

/// Makes a line that only announces, counts or shows a place tell more: of `CMake Error at CMakeLists.txt:13 (message):` the
/// next one stands behind it, in the place of `1 failing` the name of what fails, of ` --> src/a.py:1:1` what is said of it.
pub(super) fn complete_line(reading: &mut Reading, text: &str) {
    const LONGEST: usize = 160;
    let Some(line) = reading.line.as_deref().filter(|line| line.len() <= LONGEST) else { return };
    if line.starts_with("--> ") {
        let above = text.lines().map(str::trim).take_while(|above| *above != line);
        if let Some(said) = above.last().filter(|said| !said.is_empty()) {
            reading.line = Some(cut(said, 300));
        }
        return;
    }
    let case =
        Some(line).filter(|_| reading.category == Category::TestFailure).and_then(|line| case_behind(line, text));
    let head = case.unwrap_or(line);
    let mut lines = text.lines().map(str::trim).skip_while(|line| *line != head).skip(1);
    // A row of signs begins something else.
    let is_said = |line: &&str| !line.starts_with(['=', '-', '^', '~', '|', '>', '#', '+']);
    let mut next = || lines.find(|line| !line.is_empty()).filter(is_said);
    let said = if head.ends_with(':') { next() } else { None };
    if case.is_some() || said.is_some() {
        reading.line = Some(cut(&[head, said.unwrap_or_default()].join(" "), 300).trim_end().to_owned());
    }
}

/// The line that is the cause, where there is one.
pub(super) fn cause<'f, 't>(found: &'f [Found<'t>], failed: bool) -> Option<&'f Found<'t>> {
    let result_failed = found.iter().any(|f| f.row.role == Role::Failed);
    let believed = |f: &&Found<'_>| match f.row.role {
        Role::Finding if f.reach == Reach::Loose && f.row.transient.is_some() => failed && !run_failed_after(found, f),
        Role::Finding => failed || !passed_since(found, f),
        Role::Failed => true,
        Role::Weak => result_failed || failed && !only_passed(found, f.tool.name),
        _ => false,
    };
    // What a tool that the line names says comes before what some program may have said.
    let rank = |f: &Found<'_>| match f.reach {
        Reach::Loose => 2,
        Reach::Beside => 1,
        _ => 0,
    };
    let first = found.iter().filter(believed).min_by_key(|f| (rank(f), f.id, f.at))?;
    // Two tools may say the same line: then it is the one's that the call names.
    let is_same = |f: &&Found<'_>| f.line.as_ptr() == first.line.as_ptr() && f.row.category == first.row.category;
    let is_named = |f: &&Found<'_>| f.reach < first.reach && is_same(f);
    let first = found.iter().filter(is_named).find(believed).unwrap_or(first);
    // A missing package explains what stands before it too.
    let may_follow = first.row.category != Category::DependencyMissing && !RUNS.contains(&first.row.category);
    if first.row.role == Role::Finding && may_follow && (first.tool.name == "program" || names_place(first.line)) {
        return Some(first_place(found, first));
    }
    if first.row.role != Role::Failed {
        return Some(first);
    }
    // The runner's result names no cause; the first error line of the same runner does.
    let of_runner =
        |f: &&Found<'_>| f.tool.name == first.tool.name && f.row.role != Role::Failed && f.line != first.line;
    // What only starts others says that one of them failed; they say why.
    let is_started = |f: &&Found<'_>| {
        f.tool.name != first.tool.name && f.reach <= Reach::Task && RUNS.contains(&f.row.category) && f.at < first.at
    };
    let started = || {
        let is_task = programs::are_of(first.tool.name, Trait::Tasks);
        let inner = found.iter().filter(believed).filter(|f| is_task && is_started(f));
        inner.min_by_key(|f| (rank(f), f.row.role == Role::Failed, f.id, f.at))
    };
    Some(found.iter().filter(believed).find(of_runner).or_else(started).unwrap_or(first))
}

/// The first place that the same compiler complains about: what it says of later ones may follow from it.
fn first_place<'f, 't>(found: &'f [Found<'t>], first: &'f Found<'t>) -> &'f Found<'t> {
    let is_earlier = |f: &&Found<'_>| {
        f.tool.name == first.tool.name
            && (f.row.role, f.row.category) == (Role::Finding, Category::CompileError)
            && f.at < first.at
            && f.line != first.line
            && names_place(f.line)
    };
    found.iter().filter(is_earlier).min_by_key(|f| (f.at, f.id)).unwrap_or(first)
}

/// Whether a run gave its failed result after this line: it went on, so the line is what its tests printed.
fn run_failed_after(found: &[Found<'_>], line: &Found<'_>) -> bool {
    found.iter().any(|f| f.row.role == Role::Failed && f.row.category == Category::TestFailure && f.at > line.at)
}

/// Whether the runner says after this line that it passed, and never that it failed.
pub(super) fn passed_since(found: &[Found<'_>], finding: &Found<'_>) -> bool {
    let after = |f: &Found<'_>| f.row.role == Role::Passed && f.at > finding.at && f.tool.name == finding.tool.name;
    found.iter().any(after) && only_passed(found, finding.tool.name)
}

/// Whether the runner says that it passed and never that it failed.
fn only_passed(found: &[Found<'_>], runner: &str) -> bool {
    let of = |role: Role| found.iter().any(|f| f.tool.name == runner && f.row.role == role);
    of(Role::Passed) && !of(Role::Failed)
}

/// The reading of a call that failed, from its cause.
/// `cwd`: where the call worked.
pub(super) fn reading_of(
    cause: &Found<'_>,
    found: &[Found<'_>],
    involved: Option<&Involved>,
    text: &str,
    cwd: Option<&str>,
) -> Reading {
    let category = if lacks_own_header(cause, text) { Category::CompileError } else { category_of(cause, involved) };
    let mut reading = Reading {
        runner: runner_of(cause),
        result: RunResult::Failed,
        category,
        basis: Some(Basis::Line),
        line: Some(cut(error_line(cause, found, text), 300)),
        ..Reading::unrecognised()
    };
    reading.transient = transient_of(cause, text).filter(|_| !is_untrusted(text));
    fill_objects(&mut reading, cause, found, text, cwd);
    reading.passed = tests_named(found, Role::TestPassed);
    reading
}

/// Whether the other side was reached and not trusted: waiting mends no certificate.
fn is_untrusted(text: &str) -> bool {
    ["peer certificate", "certificate verify failed", "certificate has expired", "self-signed certificate"]
        .iter()
        .any(|words| text.contains(words))
}

/// The runner, where the line names it or a task runs it. Words that some program may have printed name none.
fn runner_of(cause: &Found<'_>) -> Option<String> {
    (cause.reach != Reach::Loose && cause.tool.name != "program").then(|| cause.tool.name.to_owned())
}

fn category_of(cause: &Found<'_>, involved: Option<&Involved>) -> Category {
    let category = if lacks_own_module(cause) { Category::CompileError } else { cause.row.category };
    let Some(involved) = involved else { return category };
    if cause.reach == Reach::Hook
        && involved.only_hooks()
        && !matches!(category, Category::AuthRequired | Category::Network)
    {
        return Category::CommitHookFailed;
    }
    if category == Category::RuntimeError && runs_inline_code(involved, cause.tool.name) {
        return Category::ScriptError;
    }
    category
}

/// Whether a module is missing whose parent was found: Python names the whole path only then. That parent is the project's
/// own, so that nothing is to be installed, save below the names that several distributions share.
fn lacks_own_module(cause: &Found<'_>) -> bool {
    const SHARED: &[&str] = &["google", "azure", "ruamel", "sphinxcontrib", "jaraco", "zope"];
    let parent = || cause.captures.object.and_then(|module| module.split_once('.')).map(|(parent, _)| parent);
    cause.row.category == Category::DependencyMissing
        && cause.line.contains("No module named")
        && parent().is_some_and(|parent| !parent.is_empty() && !SHARED.contains(&parent))
}

/// Whether a header is missing that the source includes as its own: `#include "proto.h"`.
fn lacks_own_header(cause: &Found<'_>, text: &str) -> bool {
    cause.row.category == Category::DependencyMissing
        && cause.line.split(": ").any(|name| text.contains(&format!("#include \"{name}\"")))
}

/// Whether the code of this language stands in the command itself, or in a file of a temporary directory.
fn runs_inline_code(involved: &Involved, language: &str) -> bool {
    involved.natures().filter_map(|(at, _)| involved.command(at)).any(|command| {
        speaks(command, language) && (is_inline(command) || command.args.iter().any(|a| a.starts_with("/tmp/")))
    })
}

fn speaks(command: &Command, language: &str) -> bool {
    let mut languages = command.facts_like(|fact| matches!(fact, Fact::Language(_)));
    languages.any(|fact| matches!(fact, Fact::Language(own) if *own == language))
}

/// Whether an interpreter gets its code from the command line.
pub(crate) fn is_inline(command: &Command) -> bool {
    let names_script =
        command.args.iter().any(|a| !a.starts_with('-') && a.contains('.') && !a.contains([' ', '\n', '(']));
    command
        .own_args()
        .iter()
        .any(|a| matches!(a.as_str(), "-c" | "-e" | "-p" | "-pe" | "-r" | "--eval" | "--print" | "eval"))
        || command.reads_here_document() && !names_script
}

fn transient_of(cause: &Found<'_>, text: &str) -> Option<Transient> {
    let passes = |hint: &&str| *hint != "http_5xx" || !status::never_passes(cause.line);
    let hint = cause.row.transient.filter(|_| cause.reach != Reach::Hook).filter(passes)?;
    Some(Transient { hint: hint.to_owned(), retry_after_ms: asked_delay(text) })
}

/// The line to show: for a failed Go test the assertion of its own block, for a hook what it says beside the manager's
/// own words, else the cause's own.
fn error_line<'t>(cause: &Found<'t>, found: &[Found<'t>], text: &'t str) -> &'t str {
    if cause.row.category == Category::CommitHookFailed {
        return said_by_hook(cause.line, text).unwrap_or(cause.line);
    }
    if cause.row.role != Role::Finding || cause.row.category != Category::TestFailure {
        return cause.line;
    }
    let details = || {
        found.iter().filter(|f| {
            f.row.role == Role::Location && f.row.pattern.ends_with("{msg}") && f.tool.name == cause.tool.name
        })
    };
    let in_block = |block: &Range<usize>| chosen(details().filter(|f| block.contains(&f.at)).map(|f| f.line));
    let failed = innermost(cause, found);
    // Only Go says which test prints.
    let named = failed.captures.object.filter(|_| cause.tool.name == "go test");
    let own = || blocks_of(named?, text).iter().find_map(in_block);
    let below = || {
        let first = details().find(|f| f.at > failed.at && f.at - failed.at < 600)?;
        let end = block_end(text, failed.at)?;
        (first.at < end).then(|| in_block(&(failed.at..end))).flatten()
    };
    let above = || {
        let last = details().take_while(|f| f.at < failed.at).last()?;
        in_block(&(block_start(text, last.at)..failed.at))
    };
    own().or_else(below).or_else(above).unwrap_or(cause.line)
}

/// What the hook itself said: below the header with its name (`✖ eslint --fix:`), or above the manager's last word (`husky -
/// pre-commit script failed`). None where the line is neither.
fn said_by_hook<'t>(wrapper: &str, text: &'t str) -> Option<&'t str> {
    const MARKS: &[&str] = &["FAIL", "✖", "⚠", "❌", "×", "[warn] ", "[error]"];
    const WORDS: &[&str] = &["error", "fail", "invalid", "not ", "must", "missing"];
    let at = text.find(wrapper)?;
    let (above, below) = (text.get(..at)?, text.get(at + wrapper.len()..)?);
    let is_own = |line: &&str| !line.is_empty() && !line.starts_with(['[', '>', '-']) && !is_of_manager(line);
    if wrapper.starts_with('✖') && wrapper.ends_with(':') {
        return below.lines().map(str::trim).find(|line| !line.is_empty()).filter(|line| !is_of_manager(line));
    }
    if !is_of_manager(wrapper) {
        return None;
    }
    let lines = || above.lines().map(str::trim);
    let marked = |line: &&str| MARKS.iter().any(|mark| line.starts_with(mark));
    let worded = |line: &&str| is_own(line) && WORDS.iter().any(|word| line.to_ascii_lowercase().contains(word));
    lines().find(marked).or_else(|| lines().find(worded)).or_else(|| lines().rfind(is_own))
}

/// Whether it is the manager of hooks that says it, of whichever hook.
fn is_of_manager(line: &str) -> bool {
    line.starts_with("husky - ") || line.starts_with("lefthook: ")
}

/// Of a test that holds others, the first of them that failed: it stands below, and says why.
fn innermost<'f, 't>(cause: &'f Found<'t>, found: &'f [Found<'t>]) -> &'f Found<'t> {
    let below = |f: &&Found<'t>| {
        let holds =
            |name: &str| name.strip_prefix(cause.captures.object.unwrap_or("")).is_some_and(|r| r.starts_with('/'));
        f.row.role == Role::Finding && f.at > cause.at && f.captures.object.is_some_and(holds)
    };
    found.iter().find(below).unwrap_or(cause)
}

/// The lines that a Go test printed while it ran, the last first: from where the runner says so to its next word.
fn blocks_of(name: &str, text: &str) -> Vec<Range<usize>> {
    let header = |at: usize| {
        let rest = text.get(at..)?.strip_prefix("=== ")?;
        let (word, of) = rest.lines().next()?.split_once(char::is_whitespace)?;
        let is_own = matches!(word, "RUN" | "CONT" | "NAME") && of.trim() == name;
        is_own.then(|| Some(at..block_end(text, at)?)).flatten()
    };
    // One sign is found much faster than four.
    let mut blocks: Vec<Range<usize>> = text.match_indices('=').filter_map(|(at, _)| header(at)).collect();
    blocks.reverse();
    blocks
}

/// Where the lines below one of the runner's end: at its next word, or at the text's end.
fn block_end(text: &str, at: usize) -> Option<usize> {
    let below = at + text.get(at..)?.find('\n')? + 1;
    let next = text.get(below..)?.lines().find(|line| is_word_of_go(line));
    Some(next.and_then(|line| offset_in(line, text)).unwrap_or(text.len()))
}

/// Where the lines begin among which this place is: below the runner's last word, or with the text.
fn block_start(text: &str, at: usize) -> usize {
    let last = text.get(..at).and_then(|above| above.lines().rev().find(|line| is_word_of_go(line)));
    last.and_then(|line| offset_in(line, text)).unwrap_or(0)
}

/// Whether the runner of Go's tests says the line, and no test.
fn is_word_of_go(line: &str) -> bool {
    let line = line.trim_ascii_start();
    // Every line below a test is asked.
    matches!(line.as_bytes().first(), Some(b'=' | b'-' | b'F' | b'P' | b'o'))
        && ["=== ", "--- ", "FAIL", "PASS", "ok  "].iter().any(|word| line.starts_with(word))
}

/// Of the lines of a test that failed, the last that compares something, else the last: what it logged stands above. None
/// says why where all say that something went well.
fn chosen<'t>(lines: impl Iterator<Item = &'t str>) -> Option<&'t str> {
    const COMPARES: &[&str] = &["want", "expected", "Expected", "got", "should", "failed", "Failed", "Error"];
    let complains = |line: &&&str| COMPARES.iter().any(|word| line.contains(word));
    let says_why = |line: &&&str| !says_success(line);
    let lines: Vec<&str> = lines.collect();
    let from_the_end = || lines.iter().rev();
    let chosen = from_the_end().filter(complains).find(says_why).or_else(|| from_the_end().find(says_why));
    chosen.copied()
}

/// Whether a test says with a line that something went well: `a_test.go:39: Sync completed successfully`.
fn says_success(line: &str) -> bool {
    const PLEASED: &[&str] =
        &["got expected", "Got expected", "eceived expected", "as expected", ": ✓", ": ✅", ": PASS"];
    const DENIES: &[&str] =
        &["not ", "n't ", "unsuccess", "without success", "fail", "rror", "want", "should", "xpect"];
    let holds = |words: &[&str]| words.iter().any(|word| line.contains(word));
    holds(PLEASED) && !holds(&DENIES[..2]) || line.contains("success") && !holds(DENIES)
}

fn fill_objects<'t>(reading: &mut Reading, cause: &Found<'_>, found: &[Found<'t>], text: &str, cwd: Option<&str>) {
    push_from(reading, cause, text);
    let same = |f: &&Found<'_>| f.tool.name == cause.tool.name && f.row.category == cause.row.category && f.tells();
    let mut last = cause.line;
    for other in found.iter().filter(same).filter(|f| !same_place(f.line, cause.line)) {
        if !same_place(last, other.line) {
            push_from(reading, other, text);
        }
        last = other.line;
    }
    let of_place = |f: &Found<'t>| f.captures.file.map(|file| with_ending(file, f));
    let places = || found.iter().filter(|f| f.row.role == Role::Location).filter_map(of_place);
    let is_below = |file: &str| !file.starts_with('/') || cwd.is_some_and(|cwd| file.starts_with(cwd));
    // What failed in a library was asked of it by the project: its own frames tell where, or the line alone.
    for is_near in [true, false] {
        for file in places() {
            // Warnings may name hundreds of files: those that find no room are not asked where they lie.
            if reading.files.len() >= Reading::MAX_OBJECTS {
                break;
            }
            if is_below(file) == is_near && is_of_project(file) {
                push_file(reading, Some(file));
            }
        }
        if is_near && !reading.files.is_empty() {
            break;
        }
    }
    parents_last(&mut reading.objects);
    // A test, symbol or module says more than the file that holds it; a file says more than nothing.
    if reading.objects.is_empty()
        && let Some(file) = reading.files.first().cloned()
    {
        reading.objects.push(Object { kind: ObjectKind::File, name: cut(&file, 200) });
    }
}

/// Whether a frame lies in the project, not in a package, a library or the interpreter.
fn is_of_project(file: &str) -> bool {
    let foreign = ["/site-packages/", "/dist-packages/", "/lib/python", "/usr/lib/", "node_modules/", "/rustc/"];
    !file.starts_with("node:") && !file.starts_with('<') && !foreign.iter().any(|part| file.contains(part))
}

fn push_from(reading: &mut Reading, found: &Found<'_>, text: &str) {
    push_file(
        reading,
        found.captures.file.map(|file| with_ending(file, found)).or_else(|| file_above(found.line, text)),
    );
    // A conflict is about the file that holds it, whatever commit met it.
    let conflict = found.captures.file.filter(|_| found.row.category == Category::MergeConflict);
    let named = found.captures.object.or(conflict).map(clean_name);
    let kind = found.row.object_kind();
    let Some(name) = named.filter(|name| !(name.is_empty() || names_one_word(kind) && is_prose(name))) else { return };
    let object = Object { kind, name: cut(name, 200) };
    if reading.objects.len() < Reading::MAX_OBJECTS && !reading.objects.contains(&object) {
        reading.objects.push(object);
    }
}

/// Whether what is of this kind has a name without blanks.
const fn names_one_word(kind: ObjectKind) -> bool {
    matches!(kind, ObjectKind::Symbol | ObjectKind::Module | ObjectKind::Flag | ObjectKind::Program)
}

/// Whether it is several plain words of a sentence and no name: `input variable`.
fn is_prose(name: &str) -> bool {
    name.contains(' ') && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b' ')
}

/// The file under whose name a linter lists its findings: they begin with line and column, and stand deeper.
fn file_above<'t>(finding: &str, text: &'t str) -> Option<&'t str> {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let mut place = finding.trim_start().split([':', ' ']);
    if !place.next().is_some_and(is_number) || !place.next().is_some_and(is_number) {
        return None;
    }
    let above = text.get(..offset_in(finding, text)?)?;
    let head = above.lines().rev().find(|line| !line.starts_with([' ', '\t']) && !line.is_empty())?;
    let is_file = head.contains('.') && !head.contains([' ', ':', '\t']);
    is_file.then_some(head)
}

/// The file with the ending that the pattern states behind the capture: `{file}.go:`, `{file}_test.go:`.
fn with_ending<'t>(file: &'t str, found: &Found<'t>) -> &'t str {
    const CAPTURE: &[u8] = b"{file}";
    let pattern = found.row.pattern.as_bytes();
    let capture = pattern.windows(CAPTURE.len()).position(|part| part == CAPTURE);
    let (Some(capture), Some(start)) = (capture, offset_in(file, found.line)) else { return file };
    let is_part = |b: &&u8| b.is_ascii_alphanumeric() || b"._-".contains(b);
    let rest = pattern.get(capture + CAPTURE.len()..).unwrap_or_default();
    let end = start + file.len();
    let behind = if rest.starts_with(b".{type}") { found.line.as_bytes().get(end..).unwrap_or_default() } else { rest };
    found.line.get(start..end + behind.iter().take_while(is_part).count()).unwrap_or(file)
}

fn push_file(reading: &mut Reading, file: Option<&str>) {
    let Some(file) = file
        .map(|f| {
            let bare = in_curly_quotes(f).trim_start_matches("file://").trim_start_matches("./");
            bare.trim_end_matches([':', ',', '.'])
        })
        .filter(|f| !f.is_empty())
    else {
        return;
    };
    // A sentence ends behind it.
    let file = file.strip_suffix('.').filter(|name| name.ends_with(char::is_alphanumeric)).unwrap_or(file);
    let file = cut(file, 300);
    if reading.files.len() < Reading::MAX_OBJECTS && !reading.files.contains(&file) {
        reading.files.push(file);
    }
}

/// A name without what was done to it, which may stand before its quotes: `cannot create directory ‘tides’`.
fn in_curly_quotes(name: &str) -> &str {
    name.rsplit_once('‘').and_then(|(_, quoted)| quoted.strip_suffix('’')).unwrap_or(name)
}

/// A name without the punctuation that surrounds it in a sentence.
fn clean_name(name: &str) -> &str {
    let name = in_curly_quotes(name);
    // Behind the closing quote the sentence goes on.
    let quote = name.chars().next().filter(|sign| matches!(sign, '"' | '\'' | '`'));
    let quoted = quote.and_then(|quote| name.get(1..)?.split_once(quote));
    let quoted = quoted.filter(|(quoted, rest)| !quoted.is_empty() && rest.starts_with(['.', ',', ';', ':', '?']));
    quoted
        .map_or(name, |(quoted, _)| quoted)
        .trim_matches(|c: char| c.is_ascii_whitespace() || matches!(c, '"' | '\'' | '`' | ',' | ';' | '‘' | '’'))
        .trim_end_matches(['.', ':'])
}

/// A test that holds others stands after them: the inner one is what failed.
fn parents_last(objects: &mut [Object]) {
    let names: Vec<String> = objects.iter().map(|o| o.name.clone()).collect();
    let is_parent =
        |name: &str| names.iter().any(|other| other.strip_prefix(name).is_some_and(|rest| rest.starts_with('/')));
    objects.sort_by_key(|object| is_parent(&object.name));
}

/// The tests that the output names in this role: as passed, or as skipped.
pub(super) fn tests_named(found: &[Found<'_>], role: Role) -> Vec<String> {
    // A tick may stand in any output; it is a test's only where that runner's own result stands too.
    let is_result = |f: &Found<'_>| matches!(f.row.role, Role::Passed | Role::Failed) || f.reach == Reach::Direct;
    let runners = distinct(found.iter().filter(|f| is_result(f)).map(|f| f.tool.name));
    let tests = found.iter().filter(|f| f.row.role == role && runners.contains(&f.tool.name));
    let mut names: Vec<String> = Vec::new();
    let mut line = "";
    for test in tests {
        if names.len() >= Reading::MAX_PASSED {
            break;
        }
        // Two rows may know the same line; the first to match tells its name.
        let name = cut(clean_name(test.captures.object.or(test.captures.file).unwrap_or("")), 200);
        if names.len() < Reading::MAX_PASSED
            && !same_place(line, test.line)
            && !name.is_empty()
            && !names.contains(&name)
        {
            names.push(name);
        }
        line = test.line;
    }
    names
}

pub(super) fn distinct<'n>(names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let mut all: Vec<&str> = Vec::new();
    for name in names {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

pub(super) fn same_place(a: &str, b: &str) -> bool {
    std::ptr::eq(a.as_ptr(), b.as_ptr())
}

/// The reading of a call that did not fail.
pub(super) fn success(found: &[Found<'_>], involved: Option<&Involved>) -> Reading {
    let result = found.iter().rfind(|f| f.row.role == Role::Passed);
    let runner = result.or_else(|| found.iter().find(|f| f.row.role == Role::TestPassed)).map(|f| f.tool.name);
    let named = || involved.and_then(named_runner);
    Reading {
        runner: runner.or_else(named).map(str::to_owned),
        result: if result.is_some() { RunResult::Passed } else { RunResult::Unstated },
        passed: tests_named(found, Role::TestPassed),
        skipped: tests_named(found, Role::TestSkipped),
        ..Reading::unrecognised()
    }
}

/// The runner that a command names, when no line of its own was recognised.
pub(super) fn named_runner(involved: &Involved) -> Option<&'static str> {
    let runners = involved.tools().filter(|tool| RUNS.contains(&tool.usual));
    // The most exact beginning wins: `cargo test` before `cargo`. Of equal ones the later: tables of packages stand first.
    let mut best: Option<(&'static str, usize)> = None;
    for tool in runners {
        let words = involved.direct(tool).next().map(|_| longest_beginning(tool, involved));
        if let Some(words) = words.filter(|w| best.is_none_or(|(_, b)| *w >= b)) {
            best = Some((tool.name, words));
        }
    }
    best.map(|(name, _)| name)
}

fn longest_beginning(tool: &super::row::ToolTable, involved: &Involved) -> usize {
    let super::row::RowScope::Runs(programs, _) = tool.scope else { return 0 };
    let direct = |words: &&&str| involved.direct_words(words);
    programs.iter().filter(direct).map(|words| words.split(' ').count()).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::model::{Status, Tool, ToolCall, ToolInput};
    use crate::reading::judge;

    fn line_of(command: &str, text: &str) -> String {
        let input = ToolInput::Command { command: command.to_owned().into(), background: false };
        let call = ToolCall { text: text.into(), ..ToolCall::new(Tool::named("Bash"), input, Status::Succeeded) };
        judge(&call, false).reading.line.unwrap_or_default()
    }

    /// What tests print that went well.
    const WELL: &[&str] = &[
        "A test completed successfully",
        "✓ Session has its agent",
        "Got expected error: x",
        "Received expected answer",
    ];

    proptest! {
        #[test]
        fn no_line_of_success_is_the_cause_of_a_failed_test(
            well in proptest::collection::vec(proptest::sample::select(WELL), 1..4),
            says in any::<bool>(),
            header in any::<bool>(),
            below in any::<bool>(),
        ) {
            let logged: Vec<String> = well.iter().map(|line| format!("    a_test.go:39: {line}\n")).collect();
            let cause = if says { "    a_test.go:22: count should be 0, got 1\n" } else { "" };
            let fail = if header { "--- FAIL: TestA (0.95s)\n" } else { "" };
            let block = format!("{cause}{}", logged.concat());
            let text = if below && header {
                format!("{fail}{block}FAIL\nFAIL\texample.org/x\t1.6s\nFAIL\n")
            } else {
                format!("{block}{fail}FAIL\nFAIL\texample.org/x\t1.6s\nFAIL\n")
            };
            let line = line_of("go test ./x -v 2>&1 | tail -9", &text);
            prop_assert!(well.iter().all(|well| !line.contains(well)), "{}: {}", line, text);
            prop_assert!(!says || line.contains("got 1"), "{}: {}", line, text);
        }
    }
}
