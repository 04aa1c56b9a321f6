//! The client's own phrases in what it shows the model, and what they say of a call's end.

use crate::guard;
use crate::model::Status;
use crate::time::first_span;

use super::frame::{self, Framed};

/// What a text says of a call's end once the client's phrases are taken off.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CallEnd<'a> {
    pub(super) status: Status,
    pub(super) exit_code: Option<i32>,
    pub(super) timed_out_after_ms: Option<u64>,
    pub(super) truncated: bool,
    pub(super) background_task: Option<&'a str>,
    pub(super) text: &'a str,
}

impl<'a> CallEnd<'a> {
    fn new(status: Status, text: &'a str) -> Self {
        Self { status, exit_code: None, timed_out_after_ms: None, truncated: false, background_task: None, text }
    }
}

/// How much of a refusal is kept.
#[derive(Clone, Copy)]
enum Keep {
    /// The client's sentence alone: what follows was typed by a person, and no rule may read it.
    Sentence,
    /// The first line.
    Line,
    /// What follows the first line: output that came before the interruption.
    After,
}

struct Sentence {
    /// How the text begins; empty where `has` must stand in the first line instead.
    start: &'static str,
    /// What the text also holds.
    has: &'static str,
    status: Status,
    keep: Keep,
}

const fn row(start: &'static str, has: &'static str, status: Status, keep: Keep) -> Sentence {
    Sentence { start, has, status, keep }
}

/// Sentences with which the client, a person, a rule or a hook keeps a call from running or running on.
const SENTENCES: &[Sentence] = &[
    row("The user doesn't want to proceed with this tool use", "", Status::Denied, Keep::Sentence),
    row("The user doesn't want to take this action right now", "", Status::Interrupted, Keep::Sentence),
    row("Permission for this tool use was denied", "", Status::Denied, Keep::Sentence),
    row("[Request interrupted by user", "", Status::Interrupted, Keep::After),
    row("Sibling tool call errored", "", Status::Cascade, Keep::Line),
    row("Cancelled: parallel tool call", "", Status::Cascade, Keep::Line),
    row("Claude requested permissions to ", "", Status::Denied, Keep::Line),
    row("Permission for this action ", "denied", Status::Denied, Keep::Line),
    row("Permission to ", "has been denied", Status::Denied, Keep::Line),
    row("Permission to ", "has been auto-denied", Status::Denied, Keep::Line),
    row("PreToolUse:", " hook error", Status::Denied, Keep::Line),
    row(guard::REFUSED, "", Status::Denied, Keep::Line),
    row("Hook PreToolUse:", "denied", Status::Denied, Keep::Line),
    row("Execution stopped by PreToolUse hook", "", Status::Denied, Keep::Line),
    row("BLOCKED by ", "", Status::Denied, Keep::Line),
    row("BLOCKED: ", "", Status::Denied, Keep::Line),
    row("Auto mode is unavailable", "", Status::Denied, Keep::Line),
    row("Cannot ", " while in plan mode", Status::Denied, Keep::Line),
    row("File is in a directory that is denied by your permission settings", "", Status::Denied, Keep::Line),
    row("This command requires approval", "", Status::Denied, Keep::Line),
    row("This Bash command contains multiple operations", " approval: ", Status::Denied, Keep::Line),
    row("Output redirection to ", " needs approval", Status::Denied, Keep::Line),
    row("", " can't be checked before it runs", Status::Denied, Keep::Line),
    row("", " operation blocked by hook", Status::Denied, Keep::Line),
    row("", " was blocked. For security, Claude Code", Status::Denied, Keep::Line),
    // Other agents.
    row("The user rejected permission to use this specific tool call", "", Status::Denied, Keep::Sentence),
    row("The user has specified a rule which prevents you from using", "", Status::Denied, Keep::Line),
    row("The user denied ", "", Status::Denied, Keep::Sentence),
    row("The user rejected ", "", Status::Denied, Keep::Sentence),
    row("The user has declined to run this tool", "", Status::Denied, Keep::Sentence),
    row("The user chose to skip ", "", Status::Denied, Keep::Sentence),
    row("User denied ", "", Status::Denied, Keep::Sentence),
    row("User rejected ", "", Status::Denied, Keep::Sentence),
    row("User chose to skip", "", Status::Denied, Keep::Sentence),
    row("Action rejected: ", "", Status::Denied, Keep::Sentence),
    row("[Operation Cancelled] Reason: User did not allow", "", Status::Denied, Keep::Sentence),
    row("[Operation Cancelled]", "", Status::Interrupted, Keep::Sentence),
    row("exec command rejected by user", "", Status::Denied, Keep::Sentence),
    row("patch rejected by user", "", Status::Denied, Keep::Sentence),
    row("approval policy is ", "reject command", Status::Denied, Keep::Line),
    row("Tool execution denied", "", Status::Denied, Keep::Line),
    row("Tool execution for ", "denied by ", Status::Denied, Keep::Line),
    row("Tool execution blocked", "", Status::Denied, Keep::Line),
    row("This tool cannot be used in PLAN MODE", "", Status::Denied, Keep::Sentence),
    row("Tool '", " is not allowed in ", Status::Denied, Keep::Line),
    row("Access to ", " is blocked by the ", Status::Denied, Keep::Line),
    row("", " rejected: blocked by policy", Status::Denied, Keep::Line),
    row("", " is blocked by configuration", Status::Denied, Keep::Line),
    row("", " blocked by PreToolUse hook", Status::Denied, Keep::Line),
    row("Tool execution aborted", "", Status::Interrupted, Keep::Line),
    row("aborted by user", "", Status::Interrupted, Keep::Line),
    row("Command was cancelled by user before it could complete. Below", "", Status::Interrupted, Keep::After),
    row("Command was cancelled by user", "", Status::Interrupted, Keep::Sentence),
    row("User aborted the command", "", Status::Interrupted, Keep::Sentence),
    row("Command aborted", "", Status::Interrupted, Keep::Line),
    row("Operation aborted", "", Status::Interrupted, Keep::Line),
];

/// Marks the place in a refusal after which a person's words stand.
const PERSON_SPEAKS: &str = "he user said:";
const STOPPED: &str = "this call was stopped while running";

/// Reads the text of a call that the client reports as failed.
pub(super) fn failure(text: &str, shell: bool) -> CallEnd<'_> {
    let (body, tagged) = untagged(text);
    if shell && let Some((code, rest)) = exit_line(body) {
        return ran(Some(code), rest);
    }
    if shell && let Some(framed) = frame::open(body) {
        return unframed(&framed).unwrap_or_else(|| ran(None, framed.text));
    }
    if let Some(told) = kept_from_running(body) {
        return told;
    }
    match (tagged, shell) {
        (true, _) => CallEnd::new(Status::Refused, body),
        (false, true) => ran(None, body),
        (false, false) => CallEnd::new(Status::Failed, without_schema_hint(body)),
    }
}

/// Reads the text of a call of which the client does not say whether it failed. A text without any sign of failure is
/// a success.
pub(super) fn unmarked(text: &str, shell: bool) -> CallEnd<'_> {
    let failed = untagged(text).1 || (shell && (exit_line(text).is_some() || says_failed(text)));
    if failed {
        return failure(text, shell);
    }
    kept_from_running(text).unwrap_or_else(|| success(text, shell))
}

/// How the client begins where it could not read a file. What a file holds never begins so, because its lines are numbered.
const NOTHING_READ: &[&str] = &["File does not exist.", "File content (", "EISDIR: ", "EACCES: ", "ENOENT: "];

/// Whether a text, of which the client does not say whether the call failed, is no file but why there is none.
pub(super) fn tells_why_nothing_was_read(text: &str) -> bool {
    NOTHING_READ.iter().any(|start| text.starts_with(start))
}

/// Reads the text of a call that the client reports as succeeded.
pub(super) fn success(text: &str, shell: bool) -> CallEnd<'_> {
    if !shell {
        return CallEnd::new(Status::Succeeded, text);
    }
    if let Some(told) = backgrounded(text) {
        return told;
    }
    if let Some(framed) = frame::open(text) {
        return unframed(&framed).unwrap_or_else(|| success(framed.text, shell));
    }
    let shown = if NO_OUTPUT.contains(&text.trim()) { "" } else { text };
    CallEnd { truncated: is_truncated(text), ..CallEnd::new(Status::Succeeded, shown) }
}

const NO_OUTPUT: &[&str] = &["(Bash completed with no output)", "(no output)", "Tool ran without output or errors"];

/// Whether the client cut something out of an output.
pub fn is_truncated(text: &str) -> bool {
    text.starts_with("<persisted-output>")
        // The search for one place is much faster than the search for all, and there is hardly ever one.
        || text.contains("... [") && text.split("... [").skip(1).any(|rest| {
            let inside = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ',');
            inside.len() < rest.len() && TRUNCATION_ENDS.iter().any(|end| inside.starts_with(end))
        })
}

const TRUNCATION_ENDS: &[&str] = &[" characters truncated] ...", " lines truncated] ..."];

fn untagged(text: &str) -> (&str, bool) {
    if let Some(rest) = text.trim_start().strip_prefix("<tool_use_error>") {
        return (rest.trim_end().strip_suffix("</tool_use_error>").unwrap_or(rest), true);
    }
    let rest = OTHER_TAGS.iter().find_map(|tag| text.trim_start().strip_prefix(tag));
    (rest.map_or(text, |rest| rest.trim().trim_start_matches("<error>").trim_end_matches("</error>").trim()), false)
}

/// What other agents put before an error.
const OTHER_TAGS: &[&str] = &["The tool execution failed with the following error:", "<error_details>"];

/// Whether another agent put a frame around an output.
pub(super) fn is_framed(text: &str) -> bool {
    frame::open(text).is_some()
}

/// Whether the frame of another agent states that the command failed.
fn says_failed(text: &str) -> bool {
    frame::open(text).and_then(|framed| unframed(&framed)).is_some_and(|told| told.status != Status::Succeeded)
}

/// Reads an output that stood in another agent's frame. None: the frame does not say how the command ended.
fn unframed<'a>(framed: &Framed<'a>) -> Option<CallEnd<'a>> {
    let stopped = framed.stopped || framed.text.trim_start().starts_with("aborted by user");
    let (limit, text) = match frame::limit(first_line(framed.text)) {
        Some(limit) => (Some(limit), split_line(framed.text).1),
        None => (framed.limit_ms, framed.text),
    };
    let status = match (stopped, limit, framed.exit_code) {
        (true, ..) => Status::Interrupted,
        (false, None, Some(0)) => Status::Succeeded,
        (false, None, None) => return None,
        _ => Status::Failed,
    };
    Some(CallEnd {
        exit_code: framed.exit_code,
        timed_out_after_ms: limit,
        truncated: is_truncated(text),
        ..CallEnd::new(status, text)
    })
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// The first line and what follows it.
fn split_line(text: &str) -> (&str, &str) {
    let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
    (line.strip_suffix('\r').unwrap_or(line), rest)
}

fn exit_line(text: &str) -> Option<(i32, &str)> {
    let (line, rest) = split_line(text);
    Some((code(line.strip_prefix("Exit code ")?)?, rest))
}

/// An exit code. Windows codes that only fit 32 bits without sign keep their bits.
pub(super) fn code(word: &str) -> Option<i32> {
    whole(word.parse().ok()?)
}

/// The same from a number.
pub fn whole(value: i64) -> Option<i32> {
    i32::try_from(value).ok().or_else(|| u32::try_from(value).ok().map(u32::cast_signed))
}

/// Reads the output of a command that ran and failed.
fn ran(exit_code: Option<i32>, body: &str) -> CallEnd<'_> {
    let (timed_out_after_ms, body) = without_time_out_line(exit_code, body);
    if let Some(output) = stopped_behind(exit_code, body) {
        return CallEnd { truncated: is_truncated(output), ..CallEnd::new(Status::Interrupted, output) };
    }
    let interrupted = body.starts_with("[Request interrupted by user");
    let (status, body) = if interrupted { (Status::Interrupted, split_line(body).1) } else { (Status::Failed, body) };
    let (exit_code, body) = match exit_code {
        Some(_) => (exit_code, body),
        None => without_last_line_code(body),
    };
    let text = printed_once(body);
    CallEnd { exit_code, timed_out_after_ms, truncated: is_truncated(text), ..CallEnd::new(status, text) }
}

/// The output before the last line, where that says that a person stopped the command.
fn stopped_behind(exit_code: Option<i32>, body: &str) -> Option<&str> {
    let trimmed = body.trim_end();
    let (before, last) = trimmed.rsplit_once('\n')?;
    (exit_code.is_none() && matches!(last, "Command aborted" | "Command aborted by user")).then(|| before.trim_end())
}

/// The codes with which the client ends a command whose time is up.
const KILLED: &[i32] = &[124, 137, 143];

fn without_time_out_line(exit_code: Option<i32>, body: &str) -> (Option<u64>, &str) {
    let (line, rest) = split_line(body);
    let limit = line.strip_prefix("Command timed out after ").and_then(milliseconds);
    match limit {
        Some(_) if exit_code.is_none_or(|code| KILLED.contains(&code)) => (limit, rest),
        None if exit_code.is_none() => without_other_time_out_line(body),
        _ => (None, body),
    }
}

/// Other agents state their limit in a sentence of their own, before the output or behind it.
fn without_other_time_out_line(body: &str) -> (Option<u64>, &str) {
    let (first, rest) = split_line(body);
    if let Some(limit) = frame::limit(first) {
        return (Some(limit), rest);
    }
    let trimmed = body.trim_end();
    let (before, last) = trimmed.rsplit_once('\n').unwrap_or(("", trimmed));
    frame::limit(last).map_or((None, body), |limit| (Some(limit), before.trim_end()))
}

/// A duration as the client writes it: `1m 0.0s`, `2m 0s`, `1s`.
fn milliseconds(words: &str) -> Option<u64> {
    let mut total = 0.0;
    for word in words.split_whitespace().take(4) {
        let (span, rest) = first_span(word, None)?;
        total += Some(span).filter(|span| rest.is_empty() && *span < 1e15)?;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "bounded and not negative by the filter"
    )]
    (total > 0.0).then_some(total.round() as u64)
}

/// Other agents print the exit code as the last line.
fn without_last_line_code(body: &str) -> (Option<i32>, &str) {
    let trimmed = body.trim_end();
    let (before, line) = trimmed.rsplit_once('\n').unwrap_or(("", trimmed));
    let word = line
        .strip_prefix("Command exited with code ")
        .or_else(|| line.strip_prefix("Command exited with non-zero status code "))
        .or_else(|| line.strip_prefix("Exit code ").filter(|_| before.ends_with('\n')));
    match word.and_then(code) {
        Some(code) => (Some(code), if before.trim() == "(no output)" { "" } else { before.trim_end() }),
        None => (None, body),
    }
}

/// Older clients print the whole output twice, with an empty line between.
fn printed_once(body: &str) -> &str {
    let half = body.len().saturating_sub(2) / 2;
    match (body.get(..half), body.get(half..)) {
        (Some(first), Some(rest)) if half > 0 && rest.strip_prefix("\n\n") == Some(first) => first,
        _ => body,
    }
}

/// The client adds a hint for the model to some errors of tool servers; a hook's text lacks it.
fn without_schema_hint(body: &str) -> &str {
    body.split_once("\n\nThis tool's input schema was not in your prompt when you called it.")
        .map_or(body, |(text, _)| text)
}

fn kept_from_running(body: &str) -> Option<CallEnd<'_>> {
    let body = body.trim_start();
    let Some(found) = SENTENCES.iter().find(|sentence| sentence.matches(body)) else { return stopped_by_words(body) };
    let status = if stopped_while_running(body) { Status::Interrupted } else { found.status };
    Some(CallEnd::new(status, found.kept(body)))
}

/// The most lines of a refusal in words that no row above knows: an output that speaks of a refusal is longer.
const REFUSAL_LINES: usize = 8;
const LONGEST_REFUSAL: usize = 160;

/// A refusal or interruption in the words of another agent: its first sentence tells who stopped the call.
fn stopped_by_words(body: &str) -> Option<CallEnd<'_>> {
    const REFUSES: &[&str] = &["rejected", "denied", "declined", "refused", "disallowed", "not approve", "skipped"];
    const STOPS: &[&str] = &["cancelled", "canceled", "aborted", "interrupted", "stopped"];
    const BY_PERSON: &[&str] = &[" by user", " by the user", " by human", " by the human"];
    const BY_RULE: &[&str] = &[
        " by policy",
        " by a policy",
        " by the policy",
        " by security policy",
        " by hook",
        " by a hook",
        " by permission",
    ];
    let sentence = first_sentence(body);
    if body.lines().count() > REFUSAL_LINES || sentence.len() > LONGEST_REFUSAL {
        return None;
    }
    let words = sentence.to_ascii_lowercase();
    let has_any = |all: &[&str]| all.iter().any(|word| words.contains(word));
    let person =
        has_any(BY_PERSON) || ["user ", "the user "].iter().any(|start| tells_what_a_person_did(&words, start));
    let status = match () {
        () if person && has_any(REFUSES) => Status::Denied,
        () if person && has_any(STOPS) => Status::Interrupted,
        () if has_any(BY_RULE) && (has_any(REFUSES) || words.contains("blocked")) => Status::Denied,
        () => return None,
    };
    Some(CallEnd::new(status, sentence))
}

/// `user rejected ...`: the verb stands behind the person, at most one word between.
fn tells_what_a_person_did(words: &str, start: &str) -> bool {
    let verbs = words.strip_prefix(start).into_iter().flat_map(|rest| rest.split(' ').take(2));
    verbs.into_iter().any(|verb| {
        [
            "rejected",
            "denied",
            "declined",
            "refused",
            "disallowed",
            "skipped",
            "cancelled",
            "canceled",
            "aborted",
            "interrupted",
            "stopped",
            "not",
        ]
        .contains(&verb)
    })
}

/// The first sentence, without what announces an error.
fn first_sentence(body: &str) -> &str {
    let line = first_line(body).trim();
    let line = ["Error: ", "ERROR: ", "error: ", "[Error] ", "Failed: "]
        .iter()
        .find_map(|s| line.strip_prefix(s))
        .unwrap_or(line);
    let end = line.find(". ").or_else(|| line.find(": ")).or_else(|| line.find("; ")).unwrap_or(line.len());
    line.get(..end).unwrap_or(line)
}

impl Sentence {
    fn matches(&self, body: &str) -> bool {
        match self.start {
            "" => first_line(body).contains(self.has),
            start => body.starts_with(start) && body.contains(self.has),
        }
    }

    fn kept<'a>(&self, body: &'a str) -> &'a str {
        match self.keep {
            Keep::Sentence => body.get(..self.start.len()).unwrap_or_default(),
            Keep::Line => first_line(body),
            Keep::After => split_line(body).1,
        }
    }
}

/// The refusal text of a call that was running is corrected further on; a person's words come last and do not count.
fn stopped_while_running(body: &str) -> bool {
    let client = body.split_once(PERSON_SPEAKS).map_or(body, |(client, _)| client);
    client.starts_with("The user doesn't want") && client.contains(STOPPED)
}

/// What precedes a background task's id in the sentence about it.
const TASK_ID_AFTER: &[&str] =
    &["running in background with ID: ", "moved to the background (ID: ", "backgrounded by user with ID: "];

/// The sentence stands last, after the output so far.
fn backgrounded(text: &str) -> Option<CallEnd<'_>> {
    let trimmed = text.trim_end();
    let (before, line) = trimmed.rsplit_once('\n').unwrap_or(("", trimmed));
    let about = line.strip_prefix("Command ")?;
    let task = TASK_ID_AFTER.iter().find_map(|words| Some(word(about.split_once(words)?.1)))?;
    let limit =
        about.strip_prefix("did not complete within its ").and_then(|rest| milliseconds(rest.split(' ').next()?));
    Some(CallEnd {
        timed_out_after_ms: limit,
        background_task: Some(task),
        ..CallEnd::new(Status::InBackground, before)
    })
}

/// The identifier at the start of a text.
pub(super) fn word(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-')).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

/// The output of a background task without the line that the client ends its file with: `[exited with code 7]`.
pub fn task_output(text: &str) -> &str {
    let trimmed = text.trim_end();
    let (before, last) = trimmed.rsplit_once('\n').unwrap_or(("", trimmed));
    let code = last.strip_prefix("[exited with code ").and_then(|rest| rest.strip_suffix(']'));
    match code.map(str::parse::<i32>) {
        Some(Ok(_)) => before.trim_end(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shell(text: &str) -> CallEnd<'_> {
        failure(text, true)
    }

    #[test]
    fn the_end_of_a_task_is_no_output() {
        assert_eq!(task_output("serve: no port\n\n[exited with code 7]\n"), "serve: no port");
        assert_eq!(task_output("[exited with code 7]"), "");
        assert_eq!(task_output("array[exited with code x]\n"), "array[exited with code x]\n");
    }

    /// What golden cases of payloads show of exit codes, limits and refusals is not repeated here.
    #[test]
    fn the_ends_of_commands_are_told_from_what_they_print() {
        let (failed, stopped) = (Status::Failed, Status::Interrupted);
        for (text, status, exit_code, limit_ms, kept) in [
            ("Exit code 3\nout\nerr", failed, Some(3), None, "out\nerr"),
            ("Exit code 1", failed, Some(1), None, ""),
            ("exit code 3\nx", failed, None, None, "exit code 3\nx"),
            ("Exit code three", failed, None, None, "Exit code three"),
            ("Exit code 3 was returned\nx", failed, None, None, "Exit code 3 was returned\nx"),
            ("make: x\nExit code 3", failed, None, None, "make: x\nExit code 3"),
            ("Exit code 143\nCommand timed out after 1m 0.0s\na\nb", failed, Some(143), Some(60_000), "a\nb"),
            ("Exit code 143\nCommand timed out after 2m 0s", failed, Some(143), Some(120_000), ""),
            ("Command timed out after 1s\nbegin", failed, None, Some(1_000), "begin"),
            ("Exit code 1\nCommand timed out after 30s", failed, Some(1), None, "Command timed out after 30s"),
            ("Command timed out after a while", failed, None, None, "Command timed out after a while"),
            ("begin\n\nCommand timed out after 30 seconds", failed, None, Some(30_000), "begin"),
            ("Exit code 3\no\ne\n\no\ne", failed, Some(3), None, "o\ne"),
            ("Exit code 3\no\ne\n\no\nf", failed, Some(3), None, "o\ne\n\no\nf"),
            ("Exit code 3\n\n\n", failed, Some(3), None, "\n\n"),
            ("begin\n\nCommand aborted", stopped, None, None, "begin"),
            ("Exit code 1\nbegin\nCommand aborted", failed, Some(1), None, "begin\nCommand aborted"),
            ("src/a.ts(1,2): error\n\n\nCommand exited with code 2", failed, Some(2), None, "src/a.ts(1,2): error"),
            ("(no output)\n\nCommand exited with code 1", failed, Some(1), None, ""),
            ("Command exited with non-zero status code 4", failed, Some(4), None, ""),
            ("Command exited with code 2\nmore", failed, None, None, "Command exited with code 2\nmore"),
            ("[Request interrupted by user for tool use]\nok a", stopped, None, None, "ok a"),
            ("Exit code 137\n[Request interrupted by user for tool use]\nok a", stopped, Some(137), None, "ok a"),
        ] {
            let told = shell(text);
            let seen = (told.status, told.exit_code, told.timed_out_after_ms, told.text);
            assert_eq!(seen, (status, exit_code, limit_ms, kept), "{text:?}");
        }
        assert_eq!(failure("Exit code 3\nout", false).exit_code, None, "of another tool");
        assert_eq!([code("3221225786"), code("-1"), code("99999999999")], [Some(-1_073_741_510), Some(-1), None]);
    }

    #[test]
    fn tags_are_stripped_and_refuse() {
        let told = failure("<tool_use_error>String to replace not found in file.\nString: x</tool_use_error>", false);
        assert_eq!((told.status, told.text), (Status::Refused, "String to replace not found in file.\nString: x"));
        assert_eq!(failure("<tool_use_error>cut", false).text, "cut");
        assert_eq!(failure("said <tool_use_error>x</tool_use_error>", false).status, Status::Failed);
    }

    #[test]
    fn denials_are_recognised() {
        for text in [
            "Claude requested permissions to use Bash, but you haven't granted it yet.",
            "Permission to use Bash with command rm -rf build\nls has been denied.",
            "Permission to use Write has been denied because Claude Code is running in don't ask mode. IMPORTANT: x",
            "<tool_use_error>File is in a directory that is denied by your permission settings.</tool_use_error>",
            "PreToolUse:Edit hook error: [guard]: not here",
            "Read operation blocked by hook:\n- secret files",
            "BLOCKED by a guard\n\nReason: no",
            "Auto mode is unavailable: its safety check does not run.",
            "Cannot write to /p/x while in plan mode.",
            "Quoted text in this command can't be checked before it runs",
            "This Bash command contains multiple operations. The following part requires approval: gh pr merge 7",
            "Output redirection to '/srv/tide/made' needs approval. The path is inside the working directories",
            "Permission for this action has been denied. Reason: no",
        ] {
            assert_eq!(shell(text).status, Status::Denied, "{text}");
        }
    }

    #[test]
    fn refusals_in_other_words() {
        for (text, status) in [
            ("The user declined to run this command", Status::Denied),
            ("User did not approve the edit: use tabs", Status::Denied),
            ("Tool call rejected by the user.", Status::Denied),
            ("Error: Execution was denied by policy: rm is not for you", Status::Denied),
            ("Call blocked by a hook: keep out", Status::Denied),
            ("Request cancelled by user", Status::Interrupted),
            ("User interrupted the command", Status::Interrupted),
        ] {
            assert_eq!(failure(text, false).status, status, "{text}");
        }
        assert_eq!(failure("User rejected the call: why was it cancelled by the user", false).text, "User rejected ");
    }

    #[test]
    fn output_that_speaks_of_people_or_quotes_a_denial_is_a_failure() {
        for text in [
            "permission denied for user dev",
            "Access denied for user 'dev'@'localhost' (using password: NO)",
            "User \"dev\" was not found, access denied",
            "test_denied_by_policy failed",
            "fetch blocked by CORS policy",
            "error: 3 orders were cancelled",
            "Exit code 1\nPermission to use x has been denied.",
            "error: Permission to push denied",
            "Permission to shop/stock.git denied to bob.",
            "Permission to speak",
            "test BLOCKED by y failed",
            "Cannot write to /p/x: disk full",
            "fatal: x\nRead operation blocked by hook",
        ] {
            assert_eq!(shell(text).status, Status::Failed, "{text}");
        }
    }

    #[test]
    fn a_persons_words_are_cut_off() {
        let text = "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to \
                    proceed, the user said:\nwhy was this call was stopped while running?";
        let told = failure(text, false);
        assert_eq!((told.status, told.text), (Status::Denied, "The user doesn't want to proceed with this tool use"));
        let told = shell("Permission for this tool use was denied. The user said:\nExit code 4");
        assert_eq!((told.status, told.text), (Status::Denied, "Permission for this tool use was denied"));
    }

    #[test]
    fn a_refusal_that_is_corrected_is_an_interruption() {
        let text = "The user doesn't want to proceed with this tool use. STOP. Correction to the text above: this call was \
                    stopped while running, not refused before it ran.";
        assert_eq!(shell(text).status, Status::Interrupted);
    }

    #[test]
    fn unmarked_texts_are_successes_without_a_sign() {
        assert_eq!(unmarked("Exit code 3\nx", true).status, Status::Failed);
        assert_eq!(unmarked("Exit code 3\nx", false).status, Status::Succeeded);
        assert_eq!(unmarked("<tool_use_error>Unknown skill: x</tool_use_error>", false).status, Status::Refused);
        assert_eq!(unmarked("File does not exist.", false).status, Status::Succeeded);
        assert!(tells_why_nothing_was_read("File does not exist. Note: your current working directory is /srv."));
        assert!(!tells_why_nothing_was_read("1\tFile does not exist."));
        assert_eq!(unmarked("(Bash completed with no output)", true).text, "");
        assert_eq!(unmarked("Claude requested permissions to write to /p, but", false).status, Status::Denied);
    }

    #[test]
    fn work_that_goes_on_is_in_the_background() {
        let told =
            success("Command running in background with ID: b12. Output is being written to: /t/b12.output", true);
        assert_eq!((told.status, told.background_task, told.text), (Status::InBackground, Some("b12"), ""));
        let told = success(
            "begin\nCommand did not complete within its 120s timeout and was moved to the background (ID: b3). x",
            true,
        );
        assert_eq!((told.background_task, told.timed_out_after_ms, told.text), (Some("b3"), Some(120_000), "begin"));
        assert_eq!(success("Command running in background", true).status, Status::Succeeded);
    }

    #[test]
    fn the_truncation_mark_counts_with_its_number_only() {
        assert!(shell("Exit code 9\na\n\n... [3912 characters truncated] ...\n\nb").truncated);
        assert!(is_truncated("a\n... [12 lines truncated] ...\n"));
        assert!(!is_truncated("a ... [some characters truncated] ..."));
        assert!(!is_truncated("warning: 12 characters truncated"));
    }

    #[test]
    fn the_hint_for_the_model_is_taken_off() {
        let text = "no such thing\n\nThis tool's input schema was not in your prompt when you called it. The input schema is: {}";
        assert_eq!(failure(text, false).text, "no such thing");
    }

    proptest! {
        #[test]
        fn the_text_is_always_a_part_of_the_input(text in "(Exit code 1\n|<tool_use_error>|\n\n|é|Permission to |denied|ab){0,12}", shell: bool) {
            for told in [failure(&text, shell), unmarked(&text, shell), success(&text, shell)] {
                prop_assert!(text.contains(told.text));
            }
        }
    }
}
