//! How a text shows that a program ended in an error that nobody caught. A status may be lost; these last words are not.

use crate::text::{before, begins_in_any_case, file_name, offset_in};

use super::resolve::RUNS;
use super::sentences::{self, Runs};

/// The last words of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TextEnding<'t> {
    /// What it said of its end: the whole trace, or the line.
    pub(super) text: &'t str,
    /// Who said it.
    pub(super) speaker: Speaker<'t>,
}

/// Whose words they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speaker<'t> {
    /// A language's runtime: it prints a trace when an exception leaves the program. The script of the outermost frame,
    /// where that is known.
    Runtime(Option<&'t str>),
    /// The shell: it could not find this program.
    Shell(&'t str),
    /// A program that begins its errors with its own name, or git with `fatal:`.
    Program(&'t str),
    /// Whoever said all there is to read, which is an error.
    Only,
}

/// How many lines may follow the last words of a runtime: its own notes.
const NOTES: usize = 4;
/// How many lines of a trace are looked at.
const TRACE: usize = 120;
/// A text of so many lines holds nothing beside an error.
const SHORT: usize = 8;

/// The last words of a program, where the text ends in them. `more`: something may have printed after it.
/// `runs`: what the one program that may have said it does by its name.
pub(super) fn ending(text: &str, more: bool, runs: Runs) -> Option<TextEnding<'_>> {
    by_runtime(text, more)
        .or_else(|| by_shell(text))
        .or_else(|| by_program(text))
        .or_else(|| complaint(text, runs))
        .or_else(|| gave_up(text).filter(|_| more))
}

/// Whether a Python program's trace ends the text: worth a look where no status is lost.
pub(super) fn is_uncaught(text: &str) -> bool {
    let last = text.lines().next_back().unwrap_or_default();
    is_exception(last) && python(text, false).is_some()
}

/// Whether the text is the name of an exception and no more: what is left of a trace whose exception has no message.
pub(super) fn is_bare_exception(text: &str) -> bool {
    !text.contains(':') && is_exception(text)
}

// ---- runtimes ----

fn by_runtime(text: &str, more: bool) -> Option<TextEnding<'_>> {
    python(text, more).or_else(|| {
        let last = || text.lines().rev().take(TRACE);
        // The head of a trace may have been cut off.
        let of_tail =
            || text.lines().next_back().filter(|line| is_end_of_trace(line) || is_outermost_frame(line, text));
        let line = last().find(|line| is_last_word(line)).or_else(of_tail).or_else(|| above_lua_trace(text))?;
        let start = offset_in(line, text)?;
        let rest = text.get(start + line.len()..).unwrap_or_default();
        let whole =
            if line.starts_with("Node.js v") { text.get(..start).map_or(text, last_block) } else { text.get(start..)? };
        let is_end =
            more || line.starts_with("Node.js v") && rest.trim().is_empty() || is_of_sanitizer(line) || is_trace(rest);
        is_end.then_some(TextEnding { text: whole, speaker: Speaker::Runtime(None) })
    })
}

/// Whether the runtime of a language says with the line that the program is over.
fn is_last_word(line: &str) -> bool {
    const STARTS: &[&str] = &[
        "Exception in thread \"main\" ",
        "thread 'main' panicked at ",
        "panic: ",
        "Unhandled exception. ",
        "PHP Fatal error:  Uncaught ",
        "terminate called after throwing an instance of ",
        "unhandled condition in --disable-debugger mode",
        "object.Exception@",
        "** (",
    ];
    STARTS.iter().any(|start| line.starts_with(start))
        || line.starts_with("Node.js v") && line.len() < 24
        || line.starts_with("thread 'main' (") && line.contains(") panicked at ")
        || line == "rake aborted!"
        || line.strip_prefix("raised ").is_some_and(|rest| rest.contains(" : "))
        || line.ends_with("' failed.") && line.contains(": Assertion `")
        || is_of_sanitizer(line)
}

/// What a Lua program raised: the line above its trace.
fn above_lua_trace(text: &str) -> Option<&str> {
    text.rsplit_once("\nstack traceback:\n").and_then(|(above, _)| above.lines().next_back())
}

/// Whether a sanitizer ends the program with the line: `==4331==ERROR: AddressSanitizer: heap-use-after-free`.
fn is_of_sanitizer(line: &str) -> bool {
    let rest = line.strip_prefix("==").map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    rest.is_some_and(|rest| rest.starts_with("==ERROR: ") && rest.contains("Sanitizer: "))
}

/// Whether it is the last line of PHP's trace: `  thrown in /srv/a.php on line 3`.
fn is_end_of_trace(line: &str) -> bool {
    line.strip_prefix("  thrown in ").is_some_and(|place| place.contains(" on line "))
}

/// Whether it is the outermost frame of a Rust program's trace, behind that of the C library: `  13: <unknown>`.
fn is_outermost_frame(line: &str, text: &str) -> bool {
    let frame = line.strip_prefix("  ").and_then(|frame| frame.trim_start().split_once(": "));
    let is_frame = |(number, name): (&str, &str)| {
        number.bytes().all(|byte| byte.is_ascii_digit()) && matches!(name, "<unknown>" | "_start")
    };
    frame.is_some_and(is_frame) && text.contains(": __libc_start_")
}

/// Whether only a trace and the runtime's own notes follow.
fn is_trace(rest: &str) -> bool {
    let plain = |line: &&str| !line.is_empty() && !line.starts_with([' ', '\t', '#']) && !is_trace_note(line);
    // Go names each function at the line's beginning.
    let of_go = rest.contains("goroutine ");
    of_go || rest.lines().filter(plain).count() <= NOTES
}

/// Whether a line is a runtime's note on a trace.
fn is_trace_note(line: &str) -> bool {
    const NOTES_OF: &[&str] = &[
        "note: ",
        "Tasks: TOP ",
        "(See full trace",
        "stack backtrace",
        "goroutine ",
        "exit status ",
        "Caused by: ",
        "created by ",
        "[signal ",
        "  thrown in ",
    ];
    NOTES_OF.iter().any(|note| line.starts_with(note))
}

/// The last paragraphs of a text that belong together: no line of them stands far from the next.
fn last_block(text: &str) -> &str {
    let mut block = text;
    for line in text.lines().rev().take(TRACE) {
        block = offset_in(line, text).and_then(|start| text.get(start..)).unwrap_or(text);
        if line.starts_with("node:")
            || line.starts_with("file:///")
            || line.contains(".js:") && !line.starts_with([' ', '\t'])
        {
            break;
        }
    }
    block
}

/// An exception that left a Python program: the trace, then its name at the line's beginning, and nothing after its message.
/// The trace's head may have been cut off.
fn python(text: &str, more: bool) -> Option<TextEnding<'_>> {
    const HEAD: &str = "Traceback (most recent call last):";
    let begins = |at: &usize| *at == 0 || text.as_bytes().get(*at - 1) == Some(&b'\n');
    let start = text.rmatch_indices(HEAD).map(|(at, _)| at).find(begins);
    // A trace that a log holds was caught; one that another follows from stands before it.
    let above = text.get(..start.unwrap_or(0)).unwrap_or_default().lines().next_back().unwrap_or_default();
    if is_logged(above) {
        return None;
    }
    let trace = text.get(start.unwrap_or(0)..)?;
    let is_frame = |line: &str| line.starts_with([' ', '\t']);
    let mut lines = trace.lines().skip(1).skip_while(|line| is_frame(line));
    let raised = lines.next().filter(|line| is_exception(line))?;
    let mut frames = before(raised, trace).lines().filter_map(|line| line.trim_start().strip_prefix("File \""));
    let script = frames.next().and_then(|frame| frame.split('"').next());
    let after = lines.filter(|line| !line.trim().is_empty()).count();
    // A notebook's runner quotes the trace of the cell in its own.
    let quotes = || trace.contains(&HEAD[..HEAD.len() - 1]) && text.lines().next_back().is_some_and(is_exception);
    (script.is_some() && (more || after <= NOTES || quotes()))
        .then_some(TextEnding { text: trace, speaker: Speaker::Runtime(script) })
}

/// Whether the line that stands over a trace is a log's.
fn is_logged(line: &str) -> bool {
    ["ERROR", "CRITICAL", "WARNING", "Exception ignored", "During task", "[error]", "| E"]
        .iter()
        .any(|mark| line.contains(mark))
}

/// Whether a line begins with the name of an exception: `pkg.mod.ThingError: text`, `KeyError`.
fn is_exception(line: &str) -> bool {
    let name = line.split(':').next().unwrap_or(line).trim_end();
    let ends = ["Error", "Exception", "Interrupt", "Exit", "Warning", "NotFound", "Missing", "Failed", "Timeout"];
    !name.is_empty()
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.')
        && (ends.iter().any(|end| name.ends_with(end))
            || line.contains(": ")
                && name.rsplit_once('.').is_some_and(|(_, class)| class.starts_with(|c: char| c.is_ascii_uppercase())))
}

// ---- shells and programs ----

/// What the shell says of a program that it cannot find: the first line, or the last.
fn by_shell(text: &str) -> Option<TextEnding<'_>> {
    let last = text.lines().rev().find(|line| !line.trim().is_empty())?;
    let first = text.lines().find(|line| !line.trim().is_empty())?;
    [first, last]
        .into_iter()
        .find_map(|line| Some(TextEnding { text: line, speaker: Speaker::Shell(missing_program(line)?) }))
}

/// The program that the line says is missing: `sh: 1: vite: not found`, `bash: line 3: tidectl: command not found`,
/// `(eval):1: command not found: tidectl`, `timeout: failed to run command ‘x’: No such file or directory`.
fn missing_program(line: &str) -> Option<&str> {
    if let Some(rest) = line.strip_prefix("timeout: failed to run command ") {
        return rest.strip_suffix(": No such file or directory").map(|name| name.trim_matches(['‘', '’', '\'']));
    }
    let (speaker, rest) = line.split_once(": ")?;
    let speaker = speaker.split(':').next().unwrap_or(speaker);
    if !(speaker.ends_with("sh") || speaker == "(eval)" || speaker == "env") || speaker.contains(' ') {
        return None;
    }
    let name = if let Some((_, name)) = rest.split_once("command not found: ") {
        name
    } else {
        let name = rest.strip_suffix(": command not found").or_else(|| rest.strip_suffix(": not found"))?;
        name.rsplit(": ").next().unwrap_or(name)
    };
    Some(name).filter(|name| !name.is_empty() && !name.contains([' ', '=']))
}

/// An error that a program begins with its own name, of a text that holds little else.
fn by_program(text: &str) -> Option<TextEnding<'_>> {
    let mut lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
    let first = lines.next()?;
    let short = lines.count() < SHORT;
    let last = text.lines().rev().map(str::trim_end).find(|line| !line.is_empty())?;
    let said = |line| {
        let line = behind_value(line);
        let (name, rest) = split_speaker(line)?;
        // Of an error without a name that stands first, what follows may tell of its end.
        let unnamed = matches!(name, "error" | "Error" | "ERROR");
        let is_error = name == "fatal" || unnamed && line == last || !unnamed && sentences::begins_as_error(rest);
        (is_error && (name == "fatal" || sentences::told(line, false).is_some()))
            .then_some(TextEnding { text: line, speaker: Speaker::Program(name) })
    };
    said(last).or_else(|| said(first).filter(|_| short))
}

/// What a program said right behind the JSON that it printed without an end of line: `{"data":null}gh: Could not resolve`.
pub(super) fn behind_value(line: &str) -> &str {
    let value = line.starts_with(['{', '[']).then(|| line.rfind(['}', ']'])).flatten();
    value.and_then(|at| line.get(at + 1..)).filter(|rest| split_speaker(rest).is_some()).unwrap_or(line)
}

/// A short text that tells nothing but an error, or one whose last line does.
fn complaint(text: &str, runs: Runs) -> Option<TextEnding<'_>> {
    let whole = TextEnding { text, speaker: Speaker::Only };
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let is_note = |line: &&str| is_trace_note(line) || line.starts_with(['(', '[']) && line.ends_with([')', ']']);
    let last = lines().rev().find(|line| !is_note(line)).or_else(|| lines().next_back())?;
    let stated = |line: &str| {
        exited(line)
            || only_failed(line)
            || is_of_error(line)
            || is_of_database(line)
            || counts_failed(line)
            || line.ends_with(" (core dumped)")
    };
    let closes_with_errors = || {
        sentences::closes_with_count(text) && last.contains("rror") && !is_of_source(last) && lines().any(is_of_source)
    };
    let is_compiled = || runs.ends && is_of_source(last) || closes_with_errors();
    if stated(last)
        || is_compiled()
        || sentences::counts_failures(text, runs)
        || runs.checks && lines().any(denies)
        || sentences::failed_case(text, runs).is_some()
    {
        return Some(whole);
    }
    if let Some(text) = headed(text) {
        return Some(TextEnding { text, ..whole });
    }
    let told = sentences::told(text, false)?;
    let is_of = |line: &str| line.contains(told.line) || told.line.contains(line);
    // A cross may stand before any list: of findings it tells where the program is known to look for them.
    let is_run = RUNS.contains(&told.category) && !runs.tests && !runs.checks;
    let is_error = is_marked(told.line, is_run) || is_exception(told.line);
    let alone = || sentences::OUTSIDE.contains(&told.category) && lines().all(is_of);
    let short = lines().nth(SHORT).is_none();
    let closes = || is_of(last) || only_explains(told.line, text) || sentences::ends_in_usage_below(text, told.line);
    (is_error && closes() || short && alone()).then_some(whole)
}

/// Whether a line begins as an error does, behind its signs and tags: `[PM2][ERROR] no such process`, `❌ failed`.
/// `by_words`: a sign is not enough.
fn is_marked(line: &str, by_words: bool) -> bool {
    const CROSSES: &[&str] = &["✖", "✗", "✘", "×", "❌", "x "];
    let line = line.trim_start();
    if let Some((tag, rest)) = line.strip_prefix('[').and_then(|line| line.split_once(']')) {
        return ["error", "fatal", "critical"].iter().any(|mark| tag.eq_ignore_ascii_case(mark))
            || is_marked(rest, by_words);
    }
    let begins = |mark: &&str| begins_in_any_case(line, mark);
    !by_words && CROSSES.iter().any(|cross| line.starts_with(cross)) || ["error", "fatal", "failed"].iter().any(begins)
}

/// Whether what follows a line explains it or says what to do, and no more.
pub(super) fn only_explains(line: &str, text: &str) -> bool {
    const HINTS: &[&str] = &["run ", "hint", "try ", "see ", "for more", "use ", "note", "help", "please ", "usage"];
    let Some((_, rest)) = text.split_once(line) else { return false };
    let explains = |line: &str| {
        line.starts_with([' ', '\t', '`', '│', '╰', '|']) || HINTS.iter().any(|hint| begins_in_any_case(line, hint))
    };
    rest.lines().filter(|line| !line.trim().is_empty()).all(explains)
}

/// Whether a line says that what was run failed, and nothing of why: `ERROR task failed`, `✖ build failed`.
fn only_failed(line: &str) -> bool {
    let words = line.trim_start_matches(|c: char| !c.is_alphanumeric());
    let is_marked = line.len() > words.len() || begins_in_any_case(words, "error");
    let is_short = |most: usize| words.split_whitespace().take(most + 1).count() <= most;
    // `--- RESULT: FAILED (minimum: 90.0%) ---`
    let verdict = words.split_once(": ").map_or(words, |(of, rest)| if of.contains(' ') { words } else { rest });
    let is_verdict = || ["FAILED", "FAILURE"].iter().any(|word| verdict.starts_with(word)) && line.len() > words.len();
    let failed = words.trim_end_matches(['.', '!']).strip_suffix(" failed").map(str::to_ascii_lowercase);
    let is_named = |work: &String| ["ation", "ment", "build", "tests", "checks"].iter().any(|end| work.ends_with(end));
    failed.is_some_and(|work| is_marked && is_short(4) || is_short(2) && is_named(&work)) || is_verdict() && is_short(8)
}

/// Whether a line has the form of an error that a program ends with: `gnatmake: "a.adb" compilation error`,
/// `rsync error: error in file IO (code 11)`, `a.adb:7:18: error: ...`.
fn is_of_error(line: &str) -> bool {
    let Some((name, rest)) = line.split_once(": ") else { return false };
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b"-_+.".contains(&b));
    let is_marked = || name.eq_ignore_ascii_case("error") || name.strip_suffix(" error").is_some_and(is_word);
    is_word(name) && [" error", " errors", " failed"].iter().any(|end| rest.ends_with(end))
        || is_marked() && is_sentence(rest)
        || line.contains("*** [") && line.contains("] Error ")
}

/// Whether a compiler tells of an error in a file with the line: `a.adb:7:18: error: ...`, `a.cs(3,9): error CS0103: ...`.
fn is_of_source(line: &str) -> bool {
    sentences::names_place(line) && [": error: ", ": fatal error: ", "): error "].iter().any(|mark| line.contains(mark))
}

/// Whether a database tells of an error in a script with the line: `psql:a.sql:1: ERROR: ...`, `Runtime error near line 9: ...`.
fn is_of_database(line: &str) -> bool {
    let behind = |mark: &str| line.split_once(mark).map(|(_, rest)| rest);
    let begins = |rest: &str| rest.starts_with(|sign: char| sign.is_ascii_digit());
    let is_line =
        |place: &str| place.rsplit_once(':').is_some_and(|(_, line)| line.bytes().all(|b| b.is_ascii_digit()));
    let is_placed = || line.split_once(": ERROR: ").is_some_and(|(place, _)| place.contains('.') && is_line(place));
    behind(" error near line ").is_some_and(begins) || is_placed()
}

/// Whether it is no value or title: some words of letters, and no number at its end.
fn is_sentence(words: &str) -> bool {
    let is_word = |word: &&str| word.bytes().all(|b| b.is_ascii_alphabetic() || b"-'.,".contains(&b));
    words.starts_with(char::is_alphabetic)
        && !words.ends_with(|c: char| c.is_ascii_digit() || matches!(c, '%' | ':'))
        && words.split_whitespace().filter(is_word).count() >= 4
}

/// Whether a line counts what failed, by its last words: `Summary: 1 of 2 tasks failed`, `10 passed, 2 failed`.
fn counts_failed(line: &str) -> bool {
    const NOUNS: &[&str] =
        &["tests", "tasks", "jobs", "targets", "steps", "checks", "test", "task", "job", "target", "step"];
    let lower = line.trim_end_matches(['.', '!', ')']).to_ascii_lowercase();
    let Some(counted) = lower.strip_suffix(" failed") else { return false };
    let mut words = counted.split([' ', '/']).rev().map(|word| word.trim_start_matches('(')).peekable();
    let is_work = words.next_if(|word| NOUNS.contains(word)).is_some() || lower.contains(" passed");
    let count = words.next().unwrap_or_default();
    let first = if words.next_if_eq(&"of").is_some() { words.next() } else { None };
    is_work && first.unwrap_or(count).parse::<u32>().is_ok_and(|count| count > 0)
}

/// The error by which a program gave up, where what stands after it in the line printed a few lines more: one that is marked
/// and tells a status, or only that the work failed.
fn gave_up(text: &str) -> Option<TextEnding<'_>> {
    let is_end = |line: &&str| is_marked(line, true) && exited(line) || only_failed(line);
    let line = text.lines().rev().take(SHORT).find(is_end)?;
    let end = offset_in(line, text)? + line.len();
    Some(TextEnding { text: text.get(..end)?, speaker: Speaker::Only })
}

/// Whether a line denies what was checked: `the project is not compliant`.
fn denies(line: &str) -> bool {
    [" is not compliant", " are not compliant"].iter().any(|words| line.contains(words))
        || line.to_ascii_lowercase().starts_with("would reformat ")
}

/// What stands below the last heading of an error, where it ends the text: `Error:` with what went wrong below it, or an
/// error with its reason set in.
fn headed(text: &str) -> Option<&str> {
    let head = text.lines().rev().take(SHORT + 1).find(|line| is_marked(line, true))?;
    let text = text.get(offset_in(head, text)?..)?;
    let alone = head.trim_end().trim_end_matches(':');
    let below = || text.lines().skip(1).filter(|line| !line.trim().is_empty());
    let is_said = || below().next().is_some_and(|line| !line.starts_with([' ', '\t']) && is_sentence(line));
    let is_bare = || head.trim_end().ends_with(':') && alone.eq_ignore_ascii_case("error") && is_said();
    let is_set_in = || below().all(|line| line.starts_with([' ', '\t'])) && sentences::told(text, false).is_some();
    (below().next().is_some() && (is_bare() || is_set_in())).then_some(text)
}

/// Whether a line says that a program ended with a status other than 0: `Program exited with code 1`.
fn exited(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    [
        "exited with code ",
        "exited with status ",
        "exit status ",
        "exit code: ",
        "exited with exit code ",
        "failed with exit code ",
        "failed with status (",
        "non-zero code: ",
        "non-zero exit status ",
    ]
    .iter()
    .filter_map(|words| lower.split_once(words))
    .any(|(_, rest)| rest.starts_with(|c: char| matches!(c, '1'..='9')))
}

/// The name before the first colon, and what follows it.
pub(super) fn split_speaker(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.split_once(": ")?;
    let is_name = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'+' | b'/');
    (!name.is_empty() && file_name(name).len() <= 40 && name.len() <= 200 && name.bytes().all(is_name))
        .then_some((name, rest))
}
