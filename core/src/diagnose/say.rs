//! What is said of a finding and of a trace.

#![expect(clippy::items_after_statements, reason = "a list of words stands where it is read")]

use crate::forms::{self, WorkingForm};
use crate::model::{Stream, ToolKind, Trace};
use crate::programs::{Program, Trait};
use crate::redact::redact_printed;
use crate::shell::Command;
use crate::text::small;
use crate::text::{capital, many, one_line, quoted_exactly, start};

use super::Mode;
use super::facts::{CallFacts, TracedEnd};
use super::row::Seen;
use super::ways;

/// The most characters of a line that evidence quotes.
const QUOTED: usize = 160;

/// The words of a call that memory, rules and advice name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProgramWords {
    /// The program's name, where it is one that may be written down: letters, digits and `._+-`, at most 40.
    pub program: Option<String>,
    /// Its subcommand, of the same letters, up to two words.
    pub subcommand: Option<String>,
    /// The command line, redacted, where there is one.
    pub command: Option<String>,
    /// The words by which the table of working forms knows the call: those that are no options, the first few.
    operands: Vec<String>,
    /// Whether the call or its output speaks of a proxy.
    is_proxied: bool,
}

impl ProgramWords {
    pub(super) fn of(facts: &CallFacts<'_>) -> Self {
        let command = facts.command();
        let (program, subcommand) = program_of(facts);
        let line = facts.call.command().map(|line| redact_printed(line).into_owned());
        let operands = command.into_iter().flat_map(Command::subcommands).take(3).map(str::to_owned).collect();
        let is_proxied =
            line.as_deref().is_some_and(|line| line.contains("proxy")) || facts.line_with(&["proxy"]).is_some();
        Self { program, subcommand, command: line, operands, is_proxied }
    }

    /// What works for this program in a mode, where the table knows it.
    pub fn form(&self, mode: Mode) -> Option<WorkingForm> {
        let operands: Vec<&str> = self.operands.iter().map(String::as_str).collect();
        let is_of_use = self.is_proxied || mode != Mode::NetworkProxy;
        let is_given = |form: &WorkingForm| self.command.as_deref().is_some_and(|line| form.is_in(line));
        forms::find(self.program.as_deref()?, &operands, mode).filter(|form| is_of_use && !is_given(form))
    }

    /// Program and subcommand.
    pub fn name(&self) -> String {
        let name = self.program.as_deref().map(|program| name(program, self.subcommand.as_deref()));
        name.unwrap_or_else(|| "the command".to_owned())
    }
}

/// The program and the subcommand of a call, as far as they may be written down.
fn program_of(facts: &CallFacts<'_>) -> (Option<String>, Option<String>) {
    let command = facts.command();
    (command.map(|command| command.program.clone()).filter(|name| is_name(name)), command.and_then(subcommand))
}

fn name(program: &str, subcommand: Option<&str>) -> String {
    subcommand.map_or_else(|| program.to_owned(), |subcommand| format!("{program} {subcommand}"))
}

/// Whether a word may be written into a file that a model reads.
pub fn is_name(word: &str) -> bool {
    (1..=40).contains(&word.len())
        && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"._+-".contains(&b))
        && !word.starts_with('-')
}

/// The subcommand of a program that has some: words of letters before any other.
fn subcommand(command: &Command) -> Option<String> {
    let is_word = |word: &&str| {
        word.len() <= 24
            && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')
            && word.starts_with(|c: char| c.is_ascii_lowercase())
    };
    let is_plain = |program: &Program| {
        let traits = [
            Trait::Looks,
            Trait::Apart,
            Trait::Shell,
            Trait::Interpreter,
            Trait::Connects,
            Trait::MayMiss,
            Trait::Elevates,
        ];
        program.subcommands.is_empty() && traits.iter().any(|own| program.has(*own))
    };
    if command.known.is_some_and(is_plain) {
        return None;
    }
    let first = command.subcommands().next().filter(is_word)?;
    const GROUPS: &[&str] = &[
        "pr", "issue", "repo", "auth", "run", "config", "compose", "release", "rollout", "app", "stack", "s3", "ec2",
        "iam", "workflow", "secret",
    ];
    let second = command.subcommands().nth(1).filter(|word| GROUPS.contains(&first) && is_word(word));
    Some(second.map_or(first.to_owned(), |second| format!("{first} {second}")))
}

/// One sentence that quotes the line, redacted, with stream and status.
pub(super) fn evidence(facts: &CallFacts<'_>, seen: &Seen) -> String {
    let status = status(facts);
    let words = seen.words.as_deref();
    match &seen.line {
        Some((stream, line)) => {
            let where_ = if *stream == Stream::Either {
                "the output says"
            } else if *stream == Stream::Stderr {
                "stderr says"
            } else {
                "stdout says"
            };
            let line = one_line(&redact_printed(line), QUOTED).replace('`', "'");
            let more = words.map(|words| format!(", {words}")).unwrap_or_default();
            format!("{where_} `{line}`{more}, and {status}.")
        }
        None => match words {
            Some(words) => format!("{}, and {status}.", capital(words)),
            None => format!("{}.", capital(&status)),
        },
    }
}

/// How a call ended, in words.
fn status(facts: &CallFacts<'_>) -> String {
    match (facts.end, facts.call.exit_code) {
        (TracedEnd::Hung, Some(code)) => format!("the call was ended by a limit with status {code}"),
        (TracedEnd::Hung, None) => "the call did not end by itself".to_owned(),
        (_, Some(code)) => format!("the status is {code}"),
        (TracedEnd::Failed, None) => "the call is reported as failed, without a status".to_owned(),
        (_, None) => "the call is reported as passed".to_owned(),
    }
}

/// Whether there is anything to look at: a text of a call that is known, or a status that explains itself.
pub(super) fn tells(facts: &CallFacts<'_>) -> bool {
    const PLAIN: &[i32] = &[124, 126, 127, 130, 137, 139, 143];
    !facts.is_silent() && is_of_a_call(facts)
        || facts.call.exit_code.is_some_and(|code| PLAIN.contains(&code))
        || facts.call.hang
}

/// Whether a call is known to have been made: a text of which neither the command nor the status is there may be anything.
fn is_of_a_call(facts: &CallFacts<'_>) -> bool {
    facts.call.tool.kind != ToolKind::Shell || facts.call.command().is_some() || facts.call.exit_code.is_some()
}

/// What would have to be added to this trace.
pub(super) fn missing(trace: &Trace<'_>) -> Vec<String> {
    let mut hints = Vec::new();
    let Some(last) = trace.calls.last() else {
        hints.push("Include at least one tool call with its command, output and exit code".to_owned());
        return hints;
    };
    if last.output.is_blank() {
        hints.push(match last.exit_code {
            Some(code) => {
                format!("Include the full stderr and stdout: the trace has only the exit code {code} and no output")
            }
            None => "Include the full stderr and stdout: the trace has no output".to_owned(),
        });
    }
    if last.command().is_none() {
        hints.push("Include the command line, so that its program and its arguments can be checked".to_owned());
    }
    if last.exit_code.is_none() {
        hints.push("Include the exit code of the call".to_owned());
    }
    if trace.calls.len() == 1 {
        hints.push("Include the calls before this one: some failure modes show only in a history".to_owned());
    }
    hints
}

/// The trace in a line.
#[derive(Default)]
pub(super) struct TraceSummary {
    calls: u64,
    pub(super) failures: u64,
    retries: u64,
    /// Whether any of them is known to have been made.
    known: bool,
    /// The last call that failed, and how.
    last_failure: Option<String>,
    last: Option<String>,
}

impl TraceSummary {
    pub(super) fn count(&mut self, facts: &CallFacts<'_>, again: bool) {
        self.calls += 1;
        self.retries += u64::from(again);
        self.known |= is_of_a_call(facts);
        let name = match program_of(facts) {
            (Some(program), subcommand) => name(&program, subcommand.as_deref()),
            _ => facts.call.tool.name.clone(),
        };
        let name = start(&one_line(&name, 60), 60).to_owned();
        let silent = if facts.is_silent() { " with no output" } else { "" };
        let told = match (facts.end, facts.call.exit_code) {
            (TracedEnd::Hung, _) => format!("{name} did not end by itself"),
            (_, Some(code)) => format!("{name} exited {code}{silent}"),
            (TracedEnd::Failed, None) => format!("{name} failed, status unknown{silent}"),
            (TracedEnd::Neither, None) => format!("{name} was not run to its end"),
            (_, None) => format!("{name} passed{silent}"),
        };
        if matches!(facts.end, TracedEnd::Failed | TracedEnd::Hung | TracedEnd::Masked) {
            self.failures += 1;
            self.last_failure = Some(told);
        } else {
            self.last = Some(told);
        }
    }

    /// The line. Without a finding nobody knows that a text without its call is of a call at all.
    pub(super) fn line(self, found: bool) -> String {
        let this = if found || self.known { self } else { Self::default() };
        this.told()
    }

    fn told(self) -> String {
        let counts = format!(
            "{}, {}, {}",
            many(self.calls, "command", "commands"),
            many(self.failures, "failure", "failures"),
            many(self.retries, "retry", "retries")
        );
        match self.last_failure.or(self.last) {
            Some(told) => format!("{counts} — {told}"),
            None => format!("{counts} — no call could be read"),
        }
    }
}

/// What stands between a call and a form of it: that it works is said of what was run, and another form fails at once instead
/// of asking, or is what the program's help names.
pub const WITH: [&str; 3] = [" works with `", " fails at once instead of asking with `", " takes `"];

fn with(form: WorkingForm) -> &'static str {
    let [works, ends, takes] = WITH;
    if form.row.only_ends {
        ends
    } else if form.row.ran.is_empty() {
        takes
    } else {
        works
    }
}

/// One line about this program and subcommand, with the form that works; at most 200 characters. `form` is that of the words
/// in the mode, here and below.
pub fn memory(mode: Mode, words: &ProgramWords, form: Option<WorkingForm>) -> String {
    let name = words.name();
    let line = match form {
        Some(form) => format!("`{name}`{}{}`: {}", with(form), form.row.text, small(form.row.note)),
        None => format!("`{name}`: {}.", ways::of(mode)),
    };
    start(&line, 200).to_owned()
}

/// One rule for this program, wider than this call; at most 200 characters.
pub fn rule(mode: Mode, words: &ProgramWords, form: Option<WorkingForm>) -> String {
    let program = words.program.as_deref().map_or_else(|| "any command".to_owned(), |program| format!("`{program}`"));
    // Of calls that are right today nothing is said: only of those that would meet the mode again.
    let line = match form {
        Some(form) if !form.subcommand.is_empty() => {
            format!("Where {program} {} would meet this again: `{}`.", form.subcommand, form.row.text)
        }
        Some(form) => format!("Where {program} would meet this again: `{}`.", form.row.text),
        None => format!("Where {program} would meet this again: {}.", ways::of(mode)),
    };
    start(&line, 200).to_owned()
}

/// The working form of this command on the first line, then the page's section.
pub fn workaround(mode: Mode, words: &ProgramWords, form: Option<WorkingForm>, section: &str) -> String {
    let first = match form {
        Some(form) => {
            // Where it cannot be made from the call alone, the form is as a person would type it.
            let working = words.command.as_deref().and_then(|line| form.working(line));
            let shown =
                working.and_then(|made| quoted_exactly(&made, 300)).unwrap_or_else(|| format!("`{}`", form.typed()));
            format!("{shown}: {}", small(form.row.note))
        }
        None => format!("`{}`: {}.", words.name(), ways::of(mode)),
    };
    if section.is_empty() { first } else { format!("{first}\n\n{section}") }
}
