//! What rows may look at: one call, its command taken apart, its lines, its reading, and what came before it.

use std::borrow::Cow;
use std::cell::OnceCell;

use crate::model::{
    Category, Finding, FindingKind, Outcome, Output, Proof, Reading, Status, Stream, ToolKind, TracedCall,
};
use crate::programs::Trait;
use crate::programs::calls::Call;
use crate::reading::clean::{clean, without_boxed_warnings};
use crate::reading::pattern::captures;
use crate::reading::{
    asks_at_end, begins_with_name, failed_command, findings_of_line, is_warning, judge_script, question_in,
};
use crate::redact::redact_printed;
use crate::shell::{At, Command, Fate, RedirectionKind, Script};
use crate::signature::operation;
use crate::text::{file_name, holds_word};

use super::past::TracePast;
use super::row::{Seen, Sift};

/// The most lines of which findings are made.
const MOST_LINES: usize = 2000;

/// What became of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TracedEnd {
    /// It failed.
    Failed,
    /// It never ended by itself.
    Hung,
    /// Its status is 0, and what it says of itself is that a part failed.
    Masked,
    /// It passed.
    Passed,
    /// It was refused, stopped or cancelled, or its status is an answer.
    Neither,
}

/// The texts of a call as its rows read them: bounded, without control sequences.
pub(super) struct CallTexts<'t> {
    first: (Stream, Cow<'t, str>),
    second: Cow<'t, str>,
}

impl<'t> CallTexts<'t> {
    pub(super) fn of(call: &'t TracedCall<'_>) -> Self {
        match &call.output {
            Output::Apart { stdout, stderr } => {
                Self { first: (Stream::Stderr, without_boxed_warnings(clean(stderr))), second: clean(stdout) }
            }
            Output::Merged(text) => {
                Self { first: (Stream::Either, without_boxed_warnings(clean(text))), second: Cow::Borrowed("") }
            }
        }
    }
}

/// What is known of a call.
pub(super) struct CallFacts<'t> {
    /// The call.
    pub(super) call: &'t TracedCall<'t>,
    /// What came before it.
    pub(super) past: &'t TracePast,
    /// The command line.
    pub(super) script: Option<&'t Script>,
    /// What became of it.
    pub(super) end: TracedEnd,
    /// What its output says, where it failed.
    pub(super) reading: Option<Reading>,
    heard: &'t CallTexts<'t>,
    at: OnceCell<Option<At>>,
    operation: OnceCell<Option<String>>,
    displays: OnceCell<bool>,
    all_lines: OnceCell<Vec<(Stream, &'t str)>>,
    /// Those that rows read, where that are not all.
    lines: OnceCell<Option<Vec<(Stream, &'t str)>>>,
    findings: OnceCell<Vec<(Stream, Finding<'t>)>>,
    sift: OnceCell<Sift>,
    secret: OnceCell<Option<(Stream, &'t str)>>,
}

impl<'t> CallFacts<'t> {
    /// Judges a call.
    pub(super) fn of(
        call: &'t TracedCall<'t>,
        script: Option<&'t Script>,
        heard: &'t CallTexts<'t>,
        past: &'t TracePast,
    ) -> Self {
        let tool_call = call.as_tool_call();
        let (end, reading) = match call.status {
            _ if call.hang => (TracedEnd::Hung, Some(judge_script(&tool_call, script, false).reading)),
            // Only programs and what wraps them have properties of command-line tools.
            _ if !matches!(call.tool.kind, ToolKind::Shell | ToolKind::Mcp | ToolKind::Other) => {
                (if call.status == Status::Succeeded { TracedEnd::Passed } else { TracedEnd::Neither }, None)
            }
            // The reading of a success is paid for only where a part of the line can have failed.
            Status::Succeeded if call.tool.kind != ToolKind::Shell => (TracedEnd::Passed, None),
            Status::Succeeded | Status::Failed | Status::Refused => {
                let judgement = judge_script(&tool_call, script, false);
                let end = match judgement.outcome {
                    Outcome::Failed => TracedEnd::Failed,
                    Outcome::MaskedFailure => TracedEnd::Masked,
                    Outcome::Succeeded => TracedEnd::Passed,
                    _ => TracedEnd::Neither,
                };
                (end, Some(judgement.reading))
            }
            _ => (TracedEnd::Neither, None),
        };
        drop(tool_call);
        Self::judged(call, script, heard, past, (end, reading))
    }

    /// A call that is judged already.
    pub(super) fn judged(
        call: &'t TracedCall<'t>,
        script: Option<&'t Script>,
        heard: &'t CallTexts<'t>,
        past: &'t TracePast,
        (end, reading): (TracedEnd, Option<Reading>),
    ) -> Self {
        Self {
            call,
            past,
            script,
            end,
            reading,
            heard,
            at: OnceCell::new(),
            operation: OnceCell::new(),
            displays: OnceCell::new(),
            all_lines: OnceCell::new(),
            lines: OnceCell::new(),
            findings: OnceCell::new(),
            sift: OnceCell::new(),
            secret: OnceCell::new(),
        }
    }

    /// What the call does, without how it was started; None where that is not known.
    pub(super) fn operation(&self) -> Option<&str> {
        let operation = self.operation.get_or_init(|| {
            let unknown = self.call.tool.kind == ToolKind::Shell && self.call.command().is_none();
            (!unknown).then(|| operation(&self.call.without_output(), self.script).0)
        });
        operation.as_deref()
    }

    /// Whether it passed, as its status or what it says proves.
    pub(super) fn is_proven(&self) -> bool {
        self.end == TracedEnd::Passed && self.reading.as_ref().is_none_or(|reading| reading.proof != Proof::None)
    }

    // ---- the command ----

    /// The place of the command that failed, as [`failed_command`] tells it.
    pub(super) fn at(&self) -> Option<At> {
        *self.at.get_or_init(|| {
            let script = self.script?;
            let could = |at: At| match self.end {
                TracedEnd::Hung => true,
                TracedEnd::Masked => script.status_of(at) != Fate::Kept,
                _ => script.status_of(at) == Fate::Kept,
            };
            let texts = [&*self.heard.first.1, &*self.heard.second];
            failed_command(script, self.reading.as_ref(), &texts, could)
        })
    }

    /// That command.
    pub(super) fn command(&self) -> Option<&Command> {
        self.script?.get(self.at()?).filter(|command| !command.program.is_empty())
    }

    /// The name of its program, without a version; empty where no command is known.
    pub(super) fn program(&self) -> &str {
        self.command().map_or("", Command::name)
    }

    /// Whether some command of the line is one of these: `git commit`.
    pub(super) fn runs(&self, words: &[&str]) -> bool {
        let runs = |command: &Command| {
            let first = command.name().as_bytes().first();
            words.iter().any(|words| words.as_bytes().first() == first && command.runs(words))
        };
        self.script.is_some_and(|script| script.programs().any(|(_, command)| runs(command)))
    }

    /// Whether some command of the line is one of these calls.
    pub(super) fn runs_one_of(&self, calls: &[Call]) -> bool {
        self.script.is_some_and(|script| script.programs().any(|(_, command)| command.is_one_of(calls)))
    }

    /// Whether the command is one of these programs.
    pub(super) fn is_program(&self, names: &[&str]) -> bool {
        self.command()
            .is_some_and(|command| names.contains(&command.name()) || names.contains(&command.program.as_str()))
    }

    /// Whether a word that is said to the program, as given or up to a `=`, is one of these.
    pub(super) fn has_word(&self, words: &[&str]) -> bool {
        self.command().is_some_and(|command| has_word(command, words))
    }

    /// Whether the command line holds a word somewhere, also inside of a longer text. Of a call without one nothing is known.
    pub(super) fn holds_word(&self, word: &str) -> bool {
        let word = plain_word(word);
        word.len() > 1 && self.call.command().is_none_or(|line| holds_word(line, word))
    }

    /// Whether the call holds a word, alone or behind an equals sign. A program may name a file of the call with its folder.
    pub(super) fn names_in_call(&self, name: &str) -> bool {
        let name = plain_word(name).trim_start_matches("./");
        let is_it = |word: &str| {
            let word = plain_word(word).trim_start_matches("./");
            word == name || word.contains('.') && name.contains('/') && file_name(word) == file_name(name)
        };
        let holds =
            |arg: &str| is_it(arg) || arg.split_once('=').is_some_and(|(option, value)| is_it(option) || is_it(value));
        !name.is_empty()
            && self.script.into_iter().flat_map(Script::programs).any(|(_, command)| {
                let targets = command.redirections.iter().map(|redirection| redirection.target.as_str());
                is_it(&command.raw) || command.args.iter().map(String::as_str).chain(targets).any(holds)
            })
    }

    /// Whether the command's input comes from somewhere: a pipe, a file, the line itself.
    pub(super) fn is_fed(&self) -> bool {
        let Some(at) = self.at() else { return false };
        at.stage > 0 || self.command().is_some_and(reads_elsewhere)
    }

    /// Whether what the command prints is what the call printed: nothing takes it over or away.
    pub(super) fn prints(&self) -> bool {
        let (Some(script), Some(at), Some(command)) = (self.script, self.at(), self.command()) else { return false };
        !command.writes_a_file() && !script.is_substituted(at) && script.readers(at).next().is_none()
    }

    /// Whether it only shows what others wrote: files, logs, searches.
    pub(super) fn displays(&self) -> bool {
        *self.displays.get_or_init(|| {
            let Some(script) = self.script else { return false };
            let shows = |command: &Command| {
                [Trait::Shows, Trait::Displays, Trait::Quotes, Trait::Looks].into_iter().any(|what| command.is(what))
            };
            self.command().is_some_and(shows) || script.programs().any(|(at, c)| at.stage == 0 && c.is(Trait::Shows))
        })
    }

    /// Whether the command asks for JSON.
    pub(super) fn asks_json(&self) -> bool {
        self.command().is_some_and(asks_json)
    }

    /// The words of the command that are neither options nor subcommand words of its program.
    pub(super) fn operands(&self) -> impl Iterator<Item = &str> {
        self.command().into_iter().flat_map(Command::subcommands)
    }

    /// The first word behind the program that is no option: what is asked of it.
    pub(super) fn subcommand(&self) -> Option<&str> {
        self.operands().next()
    }

    // ---- the texts ----

    /// The lines that rows read, those of standard error first. What is said of a place in a source file is the project's
    /// affair.
    ///
    /// What a command only shows is not read either, but for what it says of itself; nor is the output of a call of which
    /// nobody says that it failed, nor a warning of one that failed with an error.
    pub(super) fn lines(&self) -> impl DoubleEndedIterator<Item = (Stream, &'t str)> {
        let chosen = || if self.reads_all_lines() { None } else { Some(self.read_lines()) };
        self.lines.get_or_init(chosen).as_deref().unwrap_or_else(|| self.all_lines()).iter().copied()
    }

    /// What the lines tell, by kind.
    pub(super) fn findings(&self) -> &[(Stream, Finding<'t>)] {
        self.findings.get_or_init(|| {
            let of_line = |(stream, line)| findings_of_line(line).into_iter().map(move |finding| (stream, finding));
            self.lines().take(MOST_LINES).flat_map(of_line).collect()
        })
    }

    /// What the lines tell of this kind.
    pub(super) fn found(&self, kind: FindingKind) -> impl Iterator<Item = (Stream, Finding<'t>)> {
        self.findings().iter().copied().filter(move |(_, finding)| finding.kind == kind)
    }

    /// The same, without the lines that tell a thing of the other kind too.
    pub(super) fn found_without(
        &self,
        kind: FindingKind,
        other: FindingKind,
    ) -> impl Iterator<Item = (Stream, Finding<'t>)> {
        let is_other = move |line: &str| self.found(other).any(|(_, found)| found.line == line);
        self.found(kind).filter(move |(_, found)| !is_other(found.line))
    }

    /// The first line that tells a thing of this kind.
    pub(super) fn finding(&self, kind: FindingKind) -> Option<Seen> {
        self.found(kind).next().map(|(stream, finding)| Seen::line(stream, finding.line))
    }

    /// Whether the reading has one of these categories.
    pub(super) fn is_of(&self, categories: &[Category]) -> bool {
        self.reading.as_ref().is_some_and(|reading| categories.contains(&reading.category))
    }

    /// Whether nothing is left out.
    fn reads_all_lines(&self) -> bool {
        !self.is_filtered()
            && !self.is_unstated()
            && !self.warns()
            && !self.all_lines().iter().any(|(_, line)| self.is_repeated(line))
    }

    /// Whether it failed and says more than warnings, of which some are there.
    fn warns(&self) -> bool {
        self.end == TracedEnd::Failed && self.sift().may_hold_word("warn") && {
            // Where the streams are apart, what is not on standard error is no error.
            let is_apart = self.all_lines().first().is_some_and(|(stream, _)| *stream == Stream::Stderr);
            let lines = self.all_lines().iter().filter(|(stream, _)| !is_apart || *stream == Stream::Stderr);
            let mut lines = lines.map(|(_, line)| is_warning(line));
            lines.next().is_some_and(|first| lines.any(|next| next != first))
        }
    }

    /// Whether a command that failed only shows what others wrote.
    fn is_filtered(&self) -> bool {
        matches!(self.end, TracedEnd::Failed | TracedEnd::Masked) && self.displays()
    }

    /// Whether nobody says that the call failed: it has two streams and no status.
    fn is_unstated(&self) -> bool {
        let apart = self.call.output.stderr().is_some();
        self.call.exit_code.is_none() && apart && self.end == TracedEnd::Failed && !self.call.hang
    }

    /// Whether a line is the program's usage of an option, or has a text that the call itself gave: neither says what happened.
    fn is_repeated(&self, line: &str) -> bool {
        let is_given = |arg: &String| {
            arg.contains(' ')
                && line.contains(&**arg)
                && (!findings_of_line(arg).is_empty() || asks_at_end(arg) || question_in(arg).is_some())
        };
        let is_option = line.starts_with('-') && line.contains("  ");
        is_option || self.script.into_iter().flat_map(Script::programs).any(|(_, own)| own.args.iter().any(is_given))
    }

    /// Whether a line of the output is none of those that rows read.
    pub(super) fn is_left_out(&self, line: &str) -> bool {
        let holds = |(_, own): (Stream, &str)| own.contains(line.trim());
        !self.reads_all_lines() && self.all_lines().iter().copied().any(holds) && !self.lines().any(holds)
    }

    fn read_lines(&self) -> Vec<(Stream, &'t str)> {
        let (filtered, unstated, warns) = (self.is_filtered(), self.is_unstated(), self.warns());
        let shows = self.command().is_some_and(|own| own.is(Trait::Shows));
        let lacks = |line: &str, own: &Command| {
            line.split_once(&*own.program).is_some_and(|(_, behind)| behind.starts_with(": command not found"))
        };
        // What a file that is shown says of errors is its own affair.
        let speaks = |line: &str| {
            !shows && ["fatal: ", "error: "].iter().any(|start| line.starts_with(start))
                || self.script.is_some_and(|script| {
                    script.programs().any(|(_, own)| begins_with_name(line, &own.program) || lacks(line, own))
                })
                || !shows && line.contains(": command not found")
        };
        // A program that looks for itself, and shows no file, says last why it could not.
        let looks =
            self.command().is_some_and(|own| own.is(Trait::Looks) && !own.is(Trait::Shows) && !own.is(Trait::Quotes));
        let own_end = self.last_line().filter(|_| looks);
        let is_read = |(stream, line): &(Stream, &'t str)| match stream {
            _ if warns && is_warning(line) || self.is_repeated(line) => false,
            Stream::Stderr => true,
            _ if unstated => false,
            _ => !filtered || speaks(line) || own_end.is_some_and(|(_, end)| end == *line),
        };
        self.all_lines().iter().copied().filter(is_read).collect()
    }

    pub(super) fn all_lines(&self) -> &[(Stream, &'t str)] {
        self.all_lines.get_or_init(|| {
            let heard = self.heard;
            let lines_of = |stream: Stream, text: &'t str| {
                let numbered = has_number_behind_colon(text);
                let is_of_tool = move |line: &&str| !line.is_empty() && (!numbered || is_of_tool(line));
                text.lines().map(str::trim).filter(is_of_tool).map(move |line| (stream, line))
            };
            lines_of(heard.first.0, &heard.first.1).chain(lines_of(Stream::Stdout, &heard.second)).collect()
        })
    }

    /// What tells of most patterns and words that they are in none of those lines.
    pub(super) fn sift(&self) -> &Sift {
        self.sift.get_or_init(|| Sift::of([&*self.heard.first.1, &*self.heard.second]))
    }

    /// Those of the words, in small letters, that may stand in one of the lines.
    pub(super) fn possible_words<'w>(&self, words: &[&'w str]) -> Vec<&'w str> {
        words.iter().copied().filter(|word| self.sift().may_hold_word(word)).collect()
    }

    /// The last line of what was printed, whichever stream it is of.
    pub(super) fn last_line(&self) -> Option<(Stream, &'t str)> {
        self.ends().next()
    }

    /// The last line of each stream.
    pub(super) fn ends(&self) -> impl Iterator<Item = (Stream, &'t str)> {
        let last =
            |stream, text: &'t str| text.lines().rev().map(str::trim).find(|l| !l.is_empty()).map(|l| (stream, l));
        [last(self.heard.first.0, &self.heard.first.1), last(Stream::Stdout, &self.heard.second)].into_iter().flatten()
    }

    /// The first line that holds one of these, small and capital letters alike.
    pub(super) fn line_with(&self, words: &[&str]) -> Option<(Stream, &'t str)> {
        let words = self.possible_words(words);
        if words.is_empty() {
            return None;
        }
        self.lines().find(|(_, line)| {
            let line = line.to_ascii_lowercase();
            words.iter().any(|word| line.contains(word))
        })
    }

    /// The first line that holds a secret.
    pub(super) fn secret_line(&self) -> Option<(Stream, &'t str)> {
        *self.secret.get_or_init(|| {
            let is_plain = |text: &Cow<'_, str>| matches!(redact_printed(text), Cow::Borrowed(_));
            if is_plain(&self.heard.first.1) && is_plain(&self.heard.second) {
                return None;
            }
            self.lines().take(400).filter(|(_, line)| line.len() < 4096).find(|(_, line)| redact_printed(line) != *line)
        })
    }

    /// Whether nothing was printed.
    pub(super) fn is_silent(&self) -> bool {
        self.call.output.is_blank()
    }

    /// Standard output as it came.
    pub(super) fn stdout(&self) -> &str {
        self.call.output.stdout()
    }
}

/// Whether a line is not about a place in a source file.
fn is_of_tool(line: &str) -> bool {
    // A place in a build file that asks for a version is not the project's fault.
    !has_number_behind_colon(line) || captures("{file}:#:#: ", line).is_none() || line.contains("ersion")
}

/// No early exit: the compiler makes vectors of that.
fn has_number_behind_colon(text: &str) -> bool {
    let seconds = text.as_bytes().get(1..).unwrap_or_default();
    text.bytes().zip(seconds).fold(false, |found, (first, second)| found | ((first == b':') & second.is_ascii_digit()))
}

/// A word without the signs that stand around it in a sentence.
fn plain_word(word: &str) -> &str {
    word.trim_matches(|c: char| "'\"`\\:;,.!?()[]".contains(c))
}

/// Whether a word that is said to the program, as given or up to a `=`, is one of these.
pub(super) fn has_word(command: &Command, words: &[&str]) -> bool {
    command.own_args().iter().any(|arg| {
        let name = arg.split_once('=').map_or(arg.as_str(), |(name, _)| name);
        words.contains(&name)
    })
}

/// Whether the command's input is redirected.
pub(super) fn reads_elsewhere(command: &Command) -> bool {
    command.reads_here_document() || command.redirections.iter().any(|r| r.kind == RedirectionKind::Read)
}

/// Whether a command asks for JSON: `--json`, `-o json`, `--format=json`.
pub(super) fn asks_json(command: &Command) -> bool {
    let value_of = |option: &str| {
        matches!(
            option,
            "-o" | "--output" | "--format" | "-f" | "--reporter" | "--output-format" | "-F" | "--message-format"
        )
    };
    command.args.windows(2).any(|pair| matches!(pair, [option, value] if value_of(option) && value == "json"))
        || command.args.iter().any(|arg| match arg.split_once('=') {
            Some((option, value)) => (value_of(option) && value == "json") || (option == "--json" && value != "false"),
            None => matches!(arg.as_str(), "--json" | "-json" | "-ojson"),
        })
}
