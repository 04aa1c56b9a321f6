//! Whether a call really failed.

use std::borrow::Cow;
use std::cell::OnceCell;

use crate::model::{
    Basis, Category, Outcome, Proof, Reading, RunResult, Status, ToolCall, ToolKind, Transient, Unreached,
};
use crate::programs::{Fact, Trait};
use crate::shell::{At, Command, Dialect, Fate, Script};
use crate::text::cut;

use super::answers::{
    answer, compares_with_expected, differs, found_elsewhere, glob_answer, negated_answer, nothing_there, plain_answer,
    quoted_answer, tries_errors,
};
use super::clean::{clean, without_boxed_warnings, without_numbers};
use super::collect::{Found, collect};
use super::delay::asked_delay;
use super::given;
use super::involved::{Involved, Nature};
use super::limits::{ends_endless, hangs_in_test, is_limited, may_pass_with_more_time, question, serves};
use super::parts::{self, By, CallPart, End, PartText};
use super::powershell;
use super::recovery::note_way_on;
use super::resolve::{RUNS, cause, complete_line, is_inline, named_runner, reading_of, success};
use super::row::{Reach, Role, ToolTable};
use super::sentences::{self, Told};
use super::spoken::names_commit;
use super::unreached::unreached;
use super::words::{by_words, innermost};

/// How the lines begin that git prints itself, where a hook may speak as well.
const OF_GIT: &[&str] = &["fatal: ", "error: ", "Aborting ", "ssh: ", "remote: ", "usage: git"];

/// 128 and the number of SIGINT.
const INTERRUPTED: i32 = 130;

/// So many lines tell of work, the last of them of its end.
const AT_WORK: usize = 3;

/// What the words of an interpreter or a database say of the code that stands in the call.
const SAID_BY_CODE: &[Category] =
    &[Category::BadArguments, Category::ConfigOrState, Category::CompileError, Category::RemoteNotFound];

/// What version control says of its own state, in the words that other programs have for files and arguments.
const OF_STATE: &[Category] = &[
    Category::BadArguments,
    Category::ConfigOrState,
    Category::RemoteNotFound,
    Category::PathNotFound,
    Category::CompileError,
];

/// What became of a call, and what its output says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// What became of it.
    pub outcome: Outcome,
    /// What its output says.
    pub reading: Reading,
    /// What the judgement saw, for people.
    pub evidence: Vec<String>,
    /// What became of each command of the line that does work; empty where the call did not end by itself.
    pub parts: Vec<CallPart>,
}

/// Everything that is known of a call when it is judged.
pub(super) struct JudgedCall<'c, 't> {
    pub(super) call: &'c ToolCall<'c>,
    pub(super) involved: Option<Involved<'c>>,
    pub(super) text: &'t str,
    pub(super) found: Vec<Found<'t>>,
    /// What [`JudgedCall::by_command`] says, once it was asked.
    by_command: OnceCell<Option<Category>>,
}

impl<'c, 't> JudgedCall<'c, 't> {
    pub(super) fn of(
        call: &'c ToolCall<'c>,
        involved: Option<Involved<'c>>,
        text: &'t str,
        found: Vec<Found<'t>>,
    ) -> Self {
        Self { call, involved, text, found, by_command: OnceCell::new() }
    }
}

/// Judges a call. `red_phase`: a plan says that tests are meant to fail just now.
pub fn judge(call: &ToolCall<'_>, red_phase: bool) -> Judgement {
    judge_script(call, script_of(call).as_ref(), red_phase)
}

/// The command line that a call ran, where it ran one.
pub fn script_of(call: &ToolCall<'_>) -> Option<Script> {
    call.command().map(|command| Script::parse_as(command, Dialect::of_tool(&call.tool.name)))
}

/// Judges a call whose command line has been taken apart: `script` is that of [`script_of`].
pub fn judge_script(call: &ToolCall<'_>, script: Option<&Script>, red_phase: bool) -> Judgement {
    let involved = involved_in(call, script);
    let text = text_of(call, involved.as_ref());
    let mut found = collect(call, involved.as_ref(), &text);
    if involved.as_ref().is_some_and(Involved::only_shows) {
        found.retain(|found| involved.as_ref().is_some_and(|involved| involved.speaks(found.line)));
    }
    let case = JudgedCall::of(call, involved, text.trim(), found);
    let mut judgement = match call.status {
        Status::Denied => plain(Outcome::Denied, refusal(&call.text)),
        Status::Cascade => plain(Outcome::Cascade, "cancelled with a parallel call"),
        Status::Interrupted => plain(Outcome::Interrupted, "stopped by the person"),
        Status::InBackground => plain(Outcome::Succeeded, "goes on in the background"),
        Status::Succeeded => case.succeeded(),
        Status::Unstated => case.unstated(),
        Status::Failed | Status::Refused => case.failed(),
    };
    // An option is no path, whoever took it for one.
    let line = judgement.reading.line.as_deref().unwrap_or_default();
    let names_option = |part: &str| part.rsplit(' ').next().is_some_and(|word| word.starts_with("--"));
    if judgement.reading.category == Category::PathNotFound && line.split(": ").any(names_option) {
        judgement.reading.category = Category::BadArguments;
    }
    if red_phase { expected_red(judgement) } else { judgement }
}

/// What stands for the line of a call that the client's limit ended, before the limit in milliseconds.
const ENDED_AFTER: &str = "ended by the client after ";

/// The limit in milliseconds of which a line tells that stands for the output of a call which the client ended.
pub fn own_limit(line: &str) -> Option<u64> {
    line.strip_prefix(ENDED_AFTER)?.strip_suffix(" ms")?.parse().ok()
}

/// What a refusal rests on that no permission ends.
pub const BY_HOOK: &str = "blocked by a hook or policy";
/// What a refusal rests on that a permission ends: nobody was asked, or nobody answered.
pub const UNPERMITTED: &str = "not permitted yet";

/// Who refused, as far as the host's own sentence says it: a person's no is no missing permission.
fn refusal(text: &str) -> &'static str {
    const BY: &[(&str, &str)] = &[
        ("Failwise's guard", "refused by the guard"),
        ("PreToolUse", BY_HOOK),
        ("BLOCKED", BY_HOOK),
        ("blocked by hook", BY_HOOK),
        ("haven't granted", UNPERMITTED),
        ("requires approval", UNPERMITTED),
        ("require approval", UNPERMITTED),
        ("needs approval", UNPERMITTED),
        ("auto-denied", UNPERMITTED),
        ("don't ask mode", UNPERMITTED),
    ];
    BY.iter().find(|(sign, _)| text.contains(sign)).map_or("refused by a person, rule or permission", |(_, by)| by)
}

/// What the command line of a call runs, where it holds one.
pub(super) fn involved_in<'s>(call: &ToolCall<'_>, script: Option<&'s Script>) -> Option<Involved<'s>> {
    let is_blank = || call.command().is_none_or(|command| command.trim().is_empty());
    script.filter(|_| !is_blank()).map(Involved::of)
}

/// The part of a call's text that is looked at, as its programs printed it.
pub(super) fn text_of<'t>(call: &'t ToolCall<'_>, involved: Option<&Involved>) -> Cow<'t, str> {
    let text = without_boxed_warnings(clean(&call.text));
    if involved.is_some_and(Involved::numbers_lines) { Cow::Owned(without_numbers(&text)) } else { text }
}

/// What the output of a call says, whatever became of it.
pub fn read(call: &ToolCall<'_>) -> Reading {
    judge(call, false).reading
}

/// In the red phase a failing test is what was wanted.
pub(super) fn expected_red(mut judgement: Judgement) -> Judgement {
    if judgement.outcome.is_failure() && judgement.reading.kind() == Category::TestFailure {
        judgement.outcome = Outcome::BenignNonZero;
        judgement.evidence.push("red phase: the test is meant to fail".to_owned());
    }
    judgement
}

/// Whether every command that does work passed, one of them without a word.
fn is_passed_in_silence(parts: &[CallPart]) -> bool {
    parts.iter().any(|part| part.end == End::Passed(By::Silence))
        && parts.iter().all(|part| matches!(part.end, End::Passed(_)))
}

/// Nothing but a name says what the error may be.
pub(super) fn guess(reading: &mut Reading, likely: Category) {
    reading.basis = Some(Basis::Guess);
    reading.likely = Some(likely).filter(|likely| *likely != Category::Unknown);
}

/// What a sentence tells.
pub(super) fn state(reading: &mut Reading, told: Told<'_>, text: &str) {
    let Told { category, line, object, transient } = told;
    (reading.category, reading.basis) = (category, Some(Basis::Words));
    reading.line = Some(cut(line, 300));
    reading.transient = transient.map(|hint| Transient { hint: hint.to_owned(), retry_after_ms: asked_delay(text) });
    if RUNS.contains(&category) {
        reading.result = RunResult::Failed;
    }
    reading.objects.extend(object);
}

/// The reading of an error record of PowerShell.
fn by_record(category: Category, line: &str) -> Reading {
    Reading { category, basis: Some(Basis::Line), line: Some(cut(line, 300)), ..Reading::unrecognised() }
}

/// A program waited for an answer that nobody gives: it waits again when it is run again.
fn ask(reading: &mut Reading, question: &str) {
    let secret = ["assword", "assphrase", "sername", "token"].iter().any(|word| question.contains(word));
    reading.category = if secret { Category::AuthRequired } else { Category::BadArguments };
    (reading.basis, reading.line, reading.transient) = (Some(Basis::Words), Some(cut(question, 300)), None);
}

/// More time may help.
fn client_limit() -> Transient {
    Transient { hint: "client_time_limit".to_owned(), retry_after_ms: None }
}

/// An outcome that needs no reading.
fn plain(outcome: Outcome, why: &str) -> Judgement {
    Judgement { outcome, reading: Reading::unrecognised(), evidence: vec![why.to_owned()], parts: Vec::new() }
}

impl<'t> JudgedCall<'_, 't> {
    // ---- calls that succeeded ----

    fn succeeded(&self) -> Judgement {
        if let Some(judgement) = self.masked() {
            return judgement;
        }
        let parts = self.parts(None, None);
        let mut reading = success(&self.found, self.involved.as_ref());
        if is_passed_in_silence(&parts) {
            reading.result = RunResult::Passed;
        }
        reading.proof = self.proof(&parts, reading.result);
        if let Some(result) = self.unproven() {
            (reading.result, reading.proof) = (result, Proof::None);
        }
        match &self.call.exit_meaning {
            Some(meaning) => {
                let evidence = vec![format!("the client takes the status for an answer: {meaning}")];
                Judgement { outcome: Outcome::BenignNonZero, reading, evidence, parts }
            }
            None => Judgement { outcome: Outcome::Succeeded, reading, evidence: Vec::new(), parts },
        }
    }

    /// Nobody says how it ended: a failure in a runner's own words is one, and nothing is a pass.
    fn unstated(&self) -> Judgement {
        match self.masked() {
            Some(judgement) => Judgement { outcome: Outcome::Failed, evidence: Vec::new(), ..judgement },
            None if self.found.iter().any(|found| found.row.role == Role::Failed) => self.failed(),
            None => plain(Outcome::Succeeded, "how it ended is not stated"),
        }
    }

    /// What became of each command. `cause`: the line that a failure is known by; `at`: the command that is known to have failed.
    pub(super) fn parts(&self, cause: Option<&Found<'t>>, at: Option<At>) -> Vec<CallPart> {
        let Some(involved) = &self.involved else { return Vec::new() };
        PartText { call: self.call, involved, text: self.text, found: &self.found, cause, at }.parts()
    }

    fn proof(&self, parts: &[CallPart], result: RunResult) -> Proof {
        self.involved.as_ref().map_or(Proof::Status, |involved| parts::proof(involved, parts, result))
    }

    // ---- calls that failed ----

    fn failed(&self) -> Judgement {
        if let Some(why) = self.denial() {
            return plain(Outcome::Denied, why);
        }
        // A shell that was interrupted ends with this status, whatever was printed before.
        if self.call.exit_code == Some(INTERRUPTED) && self.call.tool.kind == ToolKind::Shell {
            return plain(Outcome::Interrupted, "ended by an interrupt");
        }
        let last = self.of_last_round(cause(&self.found, true));
        let cause = last.as_ref();
        if let Some(why) = self.benign(cause) {
            let mut judgement = plain(Outcome::BenignNonZero, &why);
            judgement.reading.proof = Proof::Status;
            return judgement;
        }
        let mut reading = match (self.error_record(), cause) {
            (Some((category, line)), _) => by_record(category, line),
            (_, Some(cause)) => self.explained(cause),
            (_, None) => self.unexplained(),
        };
        if let Some(involved) = self.involved.as_ref().filter(|_| self.call.timed_out_after_ms.is_none()) {
            given::refine(&mut reading, involved, self.text);
        }
        complete_line(&mut reading, self.text);
        // A tool's operation that ran into its own limit did not wait for the agent's work.
        if reading.category == Category::Timeout && self.call.tool.kind == ToolKind::Mcp {
            let limit = || Transient { hint: "server_timeout".to_owned(), retry_after_ms: None };
            reading.transient.get_or_insert_with(limit);
        }
        if cause.is_some_and(|cause| cause.tool.name == "client") && reading.category == Category::Timeout {
            reading.transient = self.slow().then(client_limit);
        }
        if self.call.timed_out_after_ms.is_some()
            && reading.category == Category::Timeout
            && let Some(question) = question(self.text)
        {
            ask(&mut reading, question);
        }
        if self
            .involved
            .as_ref()
            .is_some_and(|involved| involved.script.programs().any(|(_, c)| c.program_is(Trait::VersionControl)))
        {
            note_way_on(&mut reading, self.text);
        }
        if self.knows_no_alias(&reading) {
            reading.transient = None;
        }
        reading.unreached = unreached(reading.category, self.text).or_else(|| self.unnamed_host(&reading));
        let parts = self.parts(cause, None);
        reading.proof = self.proof(&[], reading.result);
        let evidence = reading.line.iter().cloned().chain(reading.transient.iter().map(|t| t.hint.clone())).collect();
        Judgement { outcome: Outcome::Failed, reading, evidence, parts }
    }

    /// The cause of the status: in a loop the last round has it, so that a round which its runner did not start is passed over
    /// where a later one failed.
    fn of_last_round(&self, first: Option<&Found<'t>>) -> Option<Found<'t>> {
        let first = first?;
        let repeats = |involved: &Involved| involved.natures().any(|(at, _)| involved.script.repeats(at));
        let later = || self.found.iter().filter(|found| found.at > first.at);
        let goes_on = first.row.stops && later().any(|found| found.row.role == Role::Wrapper && found.row.stops);
        if goes_on && self.involved.as_ref().is_some_and(repeats) {
            let later: Vec<Found<'t>> = later().copied().collect();
            return cause(&later, true).or(Some(first)).copied();
        }
        Some(*first)
    }

    /// The host that the words of the call name, where the output says that there was no connection and not to what.
    fn unnamed_host(&self, reading: &Reading) -> Option<Unreached> {
        let hint = reading.transient.as_ref()?.hint.as_str();
        let text = self.text.to_ascii_lowercase();
        let refused = text.contains("refused");
        let is_apart = matches!(hint, "dns" | "connect") || text.contains("connection timed out");
        let host = self.involved.as_ref().filter(|_| is_apart)?.script.host()?;
        Some(Unreached { host, refused })
    }

    /// Whether the name that leads nowhere is one that the call gives without a dot: an alias or a machine of one's own
    /// network, which another moment does not bring. A name server that does not answer says so.
    fn knows_no_alias(&self, reading: &Reading) -> bool {
        let is_unknown = reading.transient.as_ref().is_some_and(|transient| transient.hint == "dns");
        let line = reading.line.as_deref().filter(|line| is_unknown && !line.contains("Temporary failure"));
        let (Some(line), Some(involved)) = (line, self.involved.as_ref()) else { return false };
        let connects = involved.script.programs().filter(|(_, command)| command.is(Trait::Connects));
        connects.flat_map(|(_, command)| command.own_args()).any(|word| {
            let host = word.rsplit_once('@').map_or(word.as_str(), |(_, host)| host);
            let host = host.split_once(':').map_or(host, |(host, _)| host);
            !host.is_empty() && !host.contains(['.', '/']) && line.split([' ', ':', '"', '\'']).any(|said| said == host)
        })
    }

    /// A refusal that only the text tells: a hook or guard that blocks.
    fn denial(&self) -> Option<&'static str> {
        let first = self.text.lines().next().unwrap_or("");
        (self.call.exit_code.is_none() && is_refusal(first, self.text)).then_some(BY_HOOK)
    }

    fn benign(&self, cause: Option<&Found<'_>>) -> Option<String> {
        if let Some(meaning) = &self.call.exit_meaning {
            return Some(cut(meaning, 120));
        }
        let involved = self.involved.as_ref().filter(|_| self.call.timed_out_after_ms.is_none())?;
        let script = involved.script;
        if tries_errors(script, self.text) {
            return Some("the agent tries how its own program answers".to_owned());
        }
        let exit = self.call.exit_code;
        let by_last = quoted_answer(script, exit).or_else(|| plain_answer(script, exit));
        if let Some(answer) = by_last.or_else(|| negated_answer(script, exit)) {
            return Some(answer);
        }
        if exit == Some(124) && cause.is_none() && ends_endless(script, &self.call.text, self.call.took_screen) {
            return Some("the agent's own limit ended what does not end by itself".to_owned());
        }
        if nothing_there(self.text) {
            return Some("there was nothing to show or to end".to_owned());
        }
        if found_elsewhere(script, exit, self.text) {
            return Some("found, and one of the places is not there".to_owned());
        }
        if exit == Some(1) && compares_with_expected(script) {
            return None;
        }
        match cause {
            None => answer(script, exit, self.is_blank()).or_else(|| differs(script, exit, self.text)),
            Some(cause) if cause.row.pattern.contains("no matches found") && glob_answer(script) => {
                Some("no file matches the pattern".to_owned())
            }
            Some(cause) if !is_blamed(cause, involved) => answer(script, exit, false),
            Some(_) => None,
        }
    }

    /// What PowerShell's own record of the error says, where PowerShell ran.
    fn error_record(&self) -> Option<(Category, &'t str)> {
        let is_its = |(_, command): (At, &Command)| matches!(command.name(), "pwsh" | "powershell");
        let ran = self.call.tool.name == "PowerShell"
            || self.involved.as_ref().is_some_and(|involved| involved.script.programs().any(is_its));
        let ends_in_record = || {
            let last = self.text.lines().next_back().unwrap_or_default().trim_start();
            last.starts_with("+ FullyQualifiedErrorId") || last.starts_with("+ CategoryInfo ")
        };
        (ran || ends_in_record()).then(|| powershell::error_record(self.text)).flatten()
    }

    /// Whether the text says nothing: some clients put a lone `Error` where there was no output.
    fn is_blank(&self) -> bool {
        matches!(self.text, "" | "Error" | "(no output)" | "(No output)")
    }

    /// The reading of a failure that a line explains. Of an exception the message says more than the type.
    pub(super) fn explained(&self, cause: &Found<'t>) -> Reading {
        let mut reading = reading_of(cause, &self.found, self.involved.as_ref(), self.text, self.call.cwd.as_deref());
        let told = match reading.category {
            Category::RuntimeError | Category::ScriptError => {
                let told = sentences::told_by_exception(cause.line).map(|told| Told { line: cause.line, ..told });
                told.or_else(|| self.by_sentence().filter(|told| self.is_plain(cause, told)))
            }
            // The source speaks at its place, and of itself.
            Category::CompileError | Category::PathNotFound | Category::ConfigOrState
                if !sentences::names_place(cause.line) =>
            {
                let is_compiler = reading.category == Category::CompileError;
                let listed = || sentences::listed_reason(self.text).filter(|_| is_compiler);
                sentences::innermost_reason(cause.line).or_else(listed)
            }
            // A cross may stand before anything.
            Category::TestFailure if cause.row.role == Role::Weak && cause.reach == Reach::Loose => self.by_sentence(),
            _ => None,
        };
        if let Some(told) = told {
            reading.objects.clear();
            state(&mut reading, told, self.text);
            if reading.category == Category::Timeout && reading.transient.is_none() && self.was_at_work() {
                reading.transient = Some(client_limit());
            }
        }
        reading
    }

    /// Whether a line that any program may print says no more than that it failed, so that a sentence says more.
    fn is_plain(&self, cause: &Found<'_>, told: &Told<'_>) -> bool {
        const TRACES: &[&str] = &[
            "Traceback (most recent call last)",
            "Stack trace",
            "stack trace",
            "\n    at ",
            "\n   at ",
            "\n  at ",
            "\n\tat ",
        ];
        let is_plain = cause.row.pattern.contains("{msg}") && !cause.row.pattern.contains("{file}");
        let is_of_call = || cause.line.starts_with("Error: ") && sentences::is_about_the_call(told.line);
        is_plain
            && (cause.tool.name == "program"
                || told.category == Category::BadArguments && is_of_call()
                || told.category == Category::CompileError && cause.row.category == Category::RuntimeError
                || sentences::OUTSIDE.contains(&told.category))
            && !cause.line.starts_with("** (")
            && !TRACES.iter().any(|sign| self.text.contains(sign))
    }

    /// The reading of a failure that no line explains: by time limit, exit code and command.
    pub(super) fn unexplained(&self) -> Reading {
        let mut reading = self.by_what_is_general();
        if reading.line.is_none() {
            reading.line = self.telling_line();
        }
        reading
    }

    fn by_what_is_general(&self) -> Reading {
        let mut reading = Reading::unrecognised();
        reading.runner = self.involved.as_ref().and_then(named_runner).map(str::to_owned);
        if let Some(limit) = self.call.timed_out_after_ms {
            (reading.category, reading.basis) = (Category::Timeout, Some(Basis::Status));
            reading.line = Some(format!("{ENDED_AFTER}{limit} ms"));
            reading.transient = self.slow().then(client_limit);
            if let Some(line) = self.waits_for_lock() {
                (reading.category, reading.basis) = (Category::ResourceBusy, Some(Basis::Words));
                reading.line = Some(cut(line, 300));
                reading.transient = Some(Transient { hint: "lock_wait".to_owned(), retry_after_ms: None });
            }
            return reading;
        }
        if let Some(line) = self.asked_variable() {
            return by_record(Category::ConfigOrState, line);
        }
        if self.call.tool.kind == ToolKind::Mcp
            && let said = innermost(self.text)
            && let Some(told) = sentences::told(&said, false).filter(|told| !RUNS.contains(&told.category))
        {
            state(&mut reading, told, self.text);
            return reading;
        }
        if let Some((category, hint)) = by_words(&self.call.tool, self.text) {
            (reading.category, reading.basis) = (category, Some(Basis::Words));
            reading.line = self.first_line();
            reading.transient =
                hint.map(|hint| Transient { hint: hint.to_owned(), retry_after_ms: asked_delay(self.text) });
            return reading;
        }
        if self.call.exit_code == Some(1)
            && self.involved.as_ref().is_some_and(|involved| compares_with_expected(involved.script))
        {
            (reading.category, reading.basis) = (Category::TestFailure, Some(Basis::Status));
            (reading.line, reading.result) = (self.first_line(), RunResult::Failed);
            return reading;
        }
        // The shell's own word stands over what is said around it.
        let by_shell = self.by_exit_code().filter(|_| matches!(self.call.exit_code, Some(126 | 127)));
        if let Some(told) = self.by_sentence().filter(|_| by_shell.is_none()) {
            state(&mut reading, told, self.text);
            if reading.category == Category::Timeout && reading.transient.is_none() && self.was_at_work() {
                reading.transient = Some(client_limit());
            }
            return reading;
        }
        let by_status = || self.by_exit_code().or_else(|| self.by_program_code()).or_else(|| self.by_own_code());
        match by_status().or_else(|| self.by_own_program()) {
            Some(category) => (reading.category, reading.basis) = (category, Some(Basis::Status)),
            None if let Some(known) = self.by_command().filter(|known| self.counts_what_failed(*known)) => {
                (reading.category, reading.basis) = (known, Some(Basis::Words));
            }
            None => guess(&mut reading, self.by_command().unwrap_or_else(|| self.by_tool())),
        }
        if RUNS.contains(&reading.kind()) {
            reading.result = RunResult::Failed;
        }
        if matches!(reading.category, Category::Network | Category::Timeout) && self.by_program_code().is_some() {
            reading.transient = Some(Transient { hint: "transfer".to_owned(), retry_after_ms: None });
        }
        // Some clients end a command at their limit without a word: the signal's status is all that is left.
        if self.call.exit_code == Some(143) && reading.category == Category::Timeout && self.slow() {
            reading.transient = Some(client_limit());
        }
        reading
    }

    /// What a program says in plain words. What a hook of git says is the hook's affair, whatever its words.
    fn by_sentence(&self) -> Option<Told<'t>> {
        if !matches!(self.call.tool.kind, ToolKind::Shell | ToolKind::Mcp | ToolKind::Other) {
            return None;
        }
        let told = sentences::told_among(self.text, self.checks_by_name(), &|name| self.ran(name))?;
        if self.involved.as_ref().is_some_and(|involved| involved.only_shows() && !involved.speaks(told.line)) {
            return None;
        }
        let is_of_call = told.category == Category::BadArguments && sentences::is_about_the_call(told.line);
        if OF_STATE.contains(&told.category) && self.is_of_version_control() && !is_of_call {
            return Some(Told { category: Category::VcsState, ..told });
        }
        let is_code = || self.by_own_code().is_some() || self.by_command() == Some(Category::ScriptError);
        if SAID_BY_CODE.contains(&told.category) && is_code() && !self.quotes_option(told.line) {
            return Some(Told { category: Category::ScriptError, object: None, ..told });
        }
        let of_program = match told.category {
            Category::CompileError | Category::RemoteNotFound | Category::LintError => true,
            Category::BadArguments => !sentences::is_about_the_call(told.line),
            _ => false,
        };
        if of_program && self.by_own_program() == Some(Category::RuntimeError) {
            return Some(Told { category: Category::RuntimeError, object: None, ..told });
        }
        let of_hook = self.involved.as_ref().is_some_and(Involved::ends_in_hooks)
            && !self.text.lines().any(names_commit)
            && !OF_GIT.iter().any(|start| told.line.starts_with(start));
        Some(if of_hook { Told { category: Category::CommitHookFailed, object: None, ..told } } else { told })
    }

    /// Whether the words name an option of the command that was run last: it speaks of the call.
    fn quotes_option(&self, line: &str) -> bool {
        let last = self.involved.as_ref().and_then(|involved| involved.command(involved.last_kept()?.0));
        last.is_some_and(|last| last.args.iter().any(|arg| arg.starts_with("--") && line.contains(arg.as_str())))
    }

    /// Whether a program of this name ran: one of the line, the subcommand of one (`go vet`), or what git connects by.
    fn ran(&self, name: &str) -> bool {
        let is_it = |command: &Command| {
            command.program == name
                || command.name() == name
                || command.subcommands().next() == Some(name)
                || name == "ssh" && command.program_is(Trait::VersionControl)
        };
        self.involved.as_ref().is_some_and(|involved| involved.script.programs().any(|(_, command)| is_it(command)))
    }

    /// Whether more time may help.
    fn slow(&self) -> bool {
        self.involved.as_ref().is_some_and(|involved| may_pass_with_more_time(involved.script))
            && !serves(self.text)
            && !hangs_in_test(self.text)
    }

    /// Whether a program that is known for such runs closes with a count of what failed or was found.
    fn counts_what_failed(&self, known: Category) -> bool {
        RUNS.contains(&known) && self.call.exit_code == Some(1) && sentences::closes_with_count(self.text)
    }

    /// The last line, where it says that the program waits for a lock.
    fn waits_for_lock(&self) -> Option<&'t str> {
        let last = self.text.lines().next_back()?.trim();
        let waits = last.contains("aiting for") && last.contains("lock");
        sentences::told(last, false).filter(|told| waits && told.category == Category::ResourceBusy).map(|_| last)
    }

    /// What the shell says of a variable that the line asks for: `: "${DATABASE_URL:?must be set}"`.
    fn asked_variable(&self) -> Option<&'t str> {
        let command = self.call.command()?;
        self.text.lines().next_back().filter(|line| {
            line.split(": ").any(|name| {
                let asks = |sign: &str| command.contains(&format!("${{{name}{sign}"));
                name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_') && (asks(":?") || asks("?"))
            })
        })
    }

    /// Whether the program told of its work until its own limit ended it.
    fn was_at_work(&self) -> bool {
        self.text.lines().filter(|line| !line.trim().is_empty()).count() >= AT_WORK && self.slow()
    }

    fn first_line(&self) -> Option<String> {
        self.text.lines().map(str::trim).find(|line| !line.is_empty()).map(|line| cut(line, 300))
    }

    /// The line that stands for an output of which nothing is known.
    fn telling_line(&self) -> Option<String> {
        // That a part failed says a wrapper of whatever failed.
        let wraps = |line: &str| self.found.iter().any(|f| f.row.role == Role::Wrapper && f.line == line);
        // The last line of what was cut may be half of one.
        let is_cut = self.call.truncated || self.text.contains(" characters truncated] ...");
        let whole = self.text.rsplit_once('\n').filter(|_| is_cut).map_or(self.text, |(whole, _)| whole);
        sentences::telling_line(whole, &|line| !wraps(line)).map(|line| cut(line, 300))
    }

    fn by_exit_code(&self) -> Option<Category> {
        self.by_code(self.call.exit_code?)
    }

    /// What an exit status says that shells and systems give one meaning.
    pub(super) fn by_code(&self, code: i32) -> Option<Category> {
        let limited = || self.involved.as_ref().is_some_and(|i| i.script.programs().any(|(_, c)| is_limited(c)));
        Some(match code {
            127 => Category::CommandNotFound,
            126 => Category::PermissionDenied,
            124 if limited() => Category::Timeout,
            137 => Category::ResourceExhausted,
            132 | 134 | 136 | 139 => Category::RuntimeError,
            143 if !self.kills() => Category::Timeout,
            _ => return None,
        })
    }

    /// Whether the line itself ends programs.
    fn kills(&self) -> bool {
        self.involved.as_ref().is_some_and(|i| i.script.programs().any(|(_, c)| c.is(Trait::Kills) || is_limited(c)))
    }

    /// By a status that the last program gives one meaning, where it was told to say nothing.
    fn by_program_code(&self) -> Option<Category> {
        let script = &self.involved.as_ref()?.script;
        let code = self.call.exit_code?;
        let meaning = |(at, command): (At, &Command)| {
            let category = command.facts_like(|fact| matches!(fact, Fact::Code(..))).find_map(|fact| match fact {
                Fact::Code(status, category) if *status == code => Some(*category),
                _ => None,
            })?;
            let own = |arg: &String| arg.contains("localhost") || arg.contains("127.0.0.1");
            let category = if command.args.iter().any(own) { Category::ServiceError } else { category };
            (script.status_of(at) == Fate::Kept).then_some(category)
        };
        script.programs().filter_map(meaning).last()
    }

    /// By the status of an interpreter whose code stands in the call.
    fn by_own_code(&self) -> Option<Category> {
        let (at, _) = self.involved.as_ref()?.last_kept()?;
        let command = self.involved.as_ref()?.command(at)?;
        (command.is(Trait::TakesCode) && is_inline(command)).then_some(Category::ScriptError)
    }

    /// Whether version control was run last, and no hook with it.
    fn is_of_version_control(&self) -> bool {
        let Some(involved) = &self.involved else { return false };
        let last = involved.last_kept().filter(|(_, nature)| *nature == Nature::Plain);
        let usage = self.call.exit_code == Some(129);
        !usage
            && last
                .and_then(|(at, _)| involved.command(at))
                .is_some_and(|command| command.program_is(Trait::VersionControl))
    }

    /// By the status of a program or script of the project, in words that nobody else knows; of git, by who speaks.
    fn by_own_program(&self) -> Option<Category> {
        let involved = self.involved.as_ref()?;
        let (at, nature) = involved.last_kept()?;
        let command = involved.command(at)?;
        let is_script = command.is_by_path() || command.is(Trait::RunsScript) || command.is(Trait::Interpreter);
        match nature {
            // A checker that ended as checkers do, and said nothing of its own use or state, told what it found.
            _ if self.call.exit_code == Some(1) && !self.is_blank() && self.checks_by_name() => {
                Some(Category::LintError)
            }
            Nature::Program | Nature::Task { checks: false } if is_script || nature == Nature::Program => {
                self.by_command().filter(|likely| *likely == Category::RuntimeError)
            }
            // Git speaks when it refuses, and in a way of its own: what it does not say, a hook does.
            Nature::Hooks if self.by_git() == Category::CommitHookFailed => Some(Category::CommitHookFailed),
            _ if command.tells_of_hooks() && self.by_git() == Category::VcsState => Some(Category::VcsState),
            _ => None,
        }
    }

    /// Whether the name of the program that was run last says that it checks files.
    fn checks_by_name(&self) -> bool {
        let Some(involved) = &self.involved else { return false };
        involved.last_kept().and_then(|(at, _)| involved.command(at)).is_some_and(checks_by_name)
    }

    /// By what was run last with its status kept.
    fn by_command(&self) -> Option<Category> {
        *self.by_command.get_or_init(|| self.usual_of_command())
    }

    fn usual_of_command(&self) -> Option<Category> {
        let involved = self.involved.as_ref()?;
        let (at, nature) = involved.last_kept()?;
        let command = involved.command(at)?;
        let own = |tool: &&ToolTable| tool.usual != Category::Unknown && involved.direct(tool).any(|a| a == at);
        let exact = involved.tools().filter(own).max_by_key(|tool| involved.exactness(tool, at));
        match (exact, nature) {
            (Some(tool), _) => Some(tool.usual),
            (None, Nature::Task { .. }) => Some(by_name(command)),
            (None, Nature::Program) => {
                Some(if command.is_by_path() { Category::RuntimeError } else { Category::Unknown })
            }
            (None, Nature::Hooks) => Some(self.by_git()),
            (None, Nature::Plain) => None,
        }
    }

    /// What stopped a command of git that may run hooks: git names itself by how its errors begin.
    fn by_git(&self) -> Category {
        let own = self.text.lines().any(names_commit)
            || self.text.lines().next_back().is_some_and(|l| l.starts_with("fatal: ") || l.starts_with("error: "));
        if own { Category::VcsState } else { Category::CommitHookFailed }
    }

    fn by_tool(&self) -> Category {
        match self.call.tool.kind {
            ToolKind::Mcp => Category::ServiceError,
            _ if self.text.contains("Internal error") => Category::ServiceError,
            _ => Category::Unknown,
        }
    }
}

/// Whether the name of a program or task says that it checks files.
pub(super) fn checks_by_name(command: &Command) -> bool {
    const PARTS: &[&str] =
        &["lint", "hint", "check", "chk", "fmt", "format", "style", "critic", "yapf", "valid", "spell"];
    by_name(command) == Category::LintError
        || PARTS.iter().any(|part| command.program.contains(part))
        || command.has_arg("--check")
}

/// What a task is for, by the words that name it.
pub(super) fn by_name(command: &Command) -> Category {
    const TESTS: &[&str] = &["test", "tests", "spec", "specs", "e2e", "unit", "coverage", "pytest", "jest", "vitest"];
    const LINTS: &[&str] = &["lint", "fmt", "format", "style", "clippy", "eslint", "prettier", "ruff"];
    const BUILDS: &[&str] = &["build", "compile", "typecheck", "types", "type", "tsc"];
    let words = || std::iter::once(command.program.as_str()).chain(command.subcommands());
    let names = |known: &[&str]| words().flat_map(parts).any(|part| known.contains(&part));
    if names(TESTS) {
        Category::TestFailure
    } else if names(LINTS) {
        Category::LintError
    } else if names(BUILDS) {
        Category::CompileError
    } else {
        Category::RuntimeError
    }
}

/// The parts of a name: `test:unit` is `test` and `unit`, while `latest` is one.
fn parts(word: &str) -> impl Iterator<Item = &str> {
    word.split(|c: char| !c.is_ascii_alphanumeric())
}

/// Whether a tool's error is the refusal of a guard: only shapes in which the first line says so.
fn is_refusal(first: &str, text: &str) -> bool {
    let words = first.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
    let starts =
        ["BLOCKED by ", "BLOCKED: ", "BLOCKED -", "Blocked by hook", "Blocked: "].iter().any(|s| words.starts_with(s));
    let says = [
        " operation blocked by hook",
        "blocked by PreToolUse hook",
        "is denied by your permission settings",
        " was blocked. For security",
    ];
    let both = [
        ("Permission to use ", " denied"),
        ("requested permissions to ", "haven't granted it"),
        ("PreToolUse:", " hook error"),
        ("ommand", " requires approval"),
    ];
    starts
        || says.iter().any(|s| first.contains(s))
        || both.iter().any(|(a, b)| first.contains(a) && first.contains(b))
        || first.contains("hook error: ") && text.contains("BLOCKED")
}

/// Whether a message that any program may print was really printed by one of the line, not shown by it.
fn is_blamed(cause: &Found<'_>, involved: &Involved) -> bool {
    let speaker = cause.line.split([':', ' ']).next().unwrap_or("");
    let speaker = crate::text::file_name(speaker);
    // `dpkg` speaks as `dpkg-query` too.
    let is_asked = |(_, c): (At, &Command)| {
        c.is(Trait::Quotes)
            && speaker.strip_prefix(c.program.as_str()).is_some_and(|r| r.is_empty() || r.starts_with('-'))
    };
    if involved.script.programs().any(is_asked) {
        return false;
    }
    if !matches!(cause.tool.name, "program" | "shell") {
        return true;
    }
    let shell = speaker.ends_with("sh") || speaker == "(eval)" || speaker == "env";
    shell
        || involved.script.programs().any(|(_, c)| c.program == speaker)
        || involved.natures().any(|(_, n)| n != Nature::Plain)
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use proptest::prelude::*;

    use super::*;
    use crate::model::{Tool, ToolInput};
    use crate::reading::tables::TOOLS;

    fn call<'a>(command: &'a str, status: Status, exit_code: Option<i32>, text: &'a str) -> ToolCall<'a> {
        ToolCall {
            exit_code,
            text: Cow::Borrowed(text),
            ..ToolCall::new(
                Tool::named("Bash"),
                ToolInput::Command { command: Cow::Borrowed(command), background: false },
                status,
            )
        }
    }

    const FAILED_TEST: &str = "FAILED tests/test_a.py::test_x - assert 1 == 2\n1 failed in 0.10s\n";

    #[test]
    fn the_red_phase_wants_failing_tests_and_nothing_else() {
        let test = call("pytest", Status::Failed, Some(1), FAILED_TEST);
        assert_eq!(judge(&test, true).outcome, Outcome::BenignNonZero);
        assert_eq!(judge(&test, false).outcome, Outcome::Failed);
        let masked = call("pytest | tail", Status::Succeeded, None, FAILED_TEST);
        assert_eq!(judge(&masked, true).outcome, Outcome::BenignNonZero);
        let broken = call("cargo test", Status::Failed, Some(101), "error[E0425]: cannot find value `x`\n");
        assert_eq!(judge(&broken, true).outcome, Outcome::Failed);
    }

    const LINT: &str =
        "src/a.js\n  3:7  error  'x' is never used  no-unused-vars\n\n✖ 1 problem (1 error, 0 warnings)\n";

    /// The same output means the same whatever runs the project's linter.
    #[test]
    fn a_lint_error_is_hidden_behind_any_task_runner() {
        for runner in [
            "make check",
            "gmake check",
            "rake check",
            "mvn verify",
            "mvn -B clean verify",
            "./mvnw -q verify",
            "gradle check",
            "./gradlew check",
            "gradlew.bat check",
            "ant check",
            "sbt check",
            "fab check",
            "just check",
            "task check",
            "npm run check",
            "npm test",
            "pnpm lint",
            "yarn run check",
            "bun run check",
            "deno task check",
            "composer check",
            "mise run check",
            "tox",
            "nox -s lint",
            "invoke check",
            "inv check",
            "poe check",
            "hatch run check",
            "pdm run check",
            "turbo check",
            "nx run-many -t check",
            "moon run :check",
            "bazel test //...",
            "lein check",
            "mill __.checkFormat",
            "gulp lint",
            "grunt lint",
            "cargo xtask check",
            "cargo make check",
        ] {
            let line = format!("{runner} 2>&1 | tail");
            let judgement = judge(&call(&line, Status::Succeeded, Some(0), LINT), false);
            let said = (judgement.outcome, judgement.reading.category);
            assert_eq!(said, (Outcome::MaskedFailure, Category::LintError), "{line}");
            let judgement = judge(&call(runner, Status::Failed, Some(1), LINT), false);
            let said = (judgement.outcome, judgement.reading.category);
            assert_eq!(said, (Outcome::Failed, Category::LintError), "{runner}");
        }
    }

    #[test]
    fn a_lint_error_is_hidden_behind_any_shells_script() {
        for shell in
            ["sh", "bash", "dash", "ksh", "zsh", "fish", "ash", "mksh", "tcsh", "/bin/ksh", "bash -x", "sh -eu"]
        {
            for line in [
                format!("{shell} ci/check.sh | tail"),
                format!("{shell} ci/check | tail"),
                format!("{} -c 'cd web && npm run check' | tail", shell.split(' ').next().unwrap()),
            ] {
                let judgement = judge(&call(&line, Status::Succeeded, Some(0), LINT), false);
                let said = (judgement.outcome, judgement.reading.category);
                assert_eq!(said, (Outcome::MaskedFailure, Category::LintError), "{line}");
            }
        }
    }

    #[test]
    fn a_task_runner_that_names_its_language_is_read_in_it() {
        let text = "Error: Could not find or load main class org.gradle.wrapper.GradleWrapperMain\n";
        for line in ["./gradlew test", "gradle run", "mvn test"] {
            let judgement = judge(&call(line, Status::Failed, Some(1), text), false);
            let said = (judgement.reading.runner.as_deref(), judgement.reading.category);
            assert_eq!(said, (Some("java"), Category::PathNotFound), "{line}");
        }
    }

    #[test]
    fn what_runs_no_check_hides_no_lint_error() {
        for line in ["gradle tasks | tail", "mvn help:effective-pom | tail", "cat report.txt | tail", "ant -p | tail"] {
            let judgement = judge(&call(line, Status::Succeeded, Some(0), LINT), false);
            assert_eq!(judgement.outcome, Outcome::Succeeded, "{line}");
        }
    }

    #[test]
    fn code_in_the_command_itself_is_a_script_whatever_runs_it() {
        for line in ["python3.11 -c 'boom()'", "node22 -e 'boom()'", "ts-node -e 'boom()'", "julia -e 'boom()'"] {
            let judgement = judge(&call(line, Status::Failed, Some(1), "boom"), false);
            assert_eq!(judgement.reading.category, Category::ScriptError, "{line}");
        }
    }

    #[test]
    fn the_client_knows_its_own_answers() {
        let mut known = call("mytool", Status::Failed, Some(1), "");
        assert_eq!(judge(&known, false).outcome, Outcome::Failed);
        known.exit_meaning = Some("No matches found".to_owned());
        let judgement = judge(&known, false);
        assert_eq!(
            (judgement.outcome, judgement.evidence),
            (Outcome::BenignNonZero, vec!["No matches found".to_owned()])
        );
    }

    #[test]
    fn a_huge_output_is_read_at_both_ends() {
        let text = format!("{}{FAILED_TEST}", "all is well here\n".repeat(400_000));
        let judgement = judge(&call("pytest | cat", Status::Succeeded, None, &text), false);
        assert_eq!(judgement.outcome, Outcome::MaskedFailure);
    }

    #[test]
    fn statuses_of_the_host_are_final() {
        for (status, outcome) in [
            (Status::Denied, Outcome::Denied),
            (Status::Cascade, Outcome::Cascade),
            (Status::Interrupted, Outcome::Interrupted),
            (Status::InBackground, Outcome::Succeeded),
        ] {
            assert_eq!(judge(&call("pytest", status, None, FAILED_TEST), false).outcome, outcome);
        }
    }

    fn lines() -> impl Strategy<Value = String> {
        let rows: Vec<&str> = TOOLS.iter().flat_map(|tool| tool.rows).map(|row| row.pattern).collect();
        let line = prop_oneof![prop::sample::select(rows).prop_map(str::to_owned), "\\PC{0,40}"];
        prop::collection::vec(line, 0..30).prop_map(|lines| lines.join("\n"))
    }

    proptest! {
        #[test]
        fn any_call_is_judged(command in "(cargo test|npm run build|git commit|grep x|[a-z |;&'\"$()]{0,30})( 2>&1)?( \\| tail)?", text in lines(), failed: bool, exit in prop::option::of(-1..256_i32)) {
            let status = if failed { Status::Failed } else { Status::Succeeded };
            let judgement = judge(&call(&command, status, exit, &text), false);
            let reading = &judgement.reading;
            prop_assert!(reading.objects.len() <= Reading::MAX_OBJECTS && reading.files.len() <= Reading::MAX_OBJECTS);
            prop_assert!(reading.passed.len() <= Reading::MAX_PASSED);
            prop_assert!(reading.line.as_ref().is_none_or(|line| line.chars().count() <= 300));
            prop_assert!(failed || matches!(judgement.outcome, Outcome::Succeeded | Outcome::MaskedFailure));
            prop_assert!(failed || reading.transient.is_none());
            prop_assert_eq!(judge(&call(&command, status, exit, &text), false), judgement);
        }

        #[test]
        fn a_runner_is_known_behind_any_program_that_starts_it(shim in "q[a-z]{4,9}z", runner in "pytest( -q| -x)?") {
            let judgement = judge(&call(&format!("{shim} {runner} | tail -2"), Status::Succeeded, Some(0), FAILED_TEST), false);
            prop_assert_eq!((judgement.outcome, judgement.reading.category), (Outcome::MaskedFailure, Category::TestFailure));
        }

        #[test]
        fn the_innermost_reason_is_the_cause(
            program in "q[a-z]{4,9}z",
            outer in prop::collection::vec("(failed to|could not|cannot) (read|open|load|parse) [a-z]{3,8}", 1..4),
            inner in prop::sample::select(vec![
                ("permission denied", Category::PermissionDenied),
                ("no space left on device", Category::ResourceExhausted),
                ("authentication required", Category::AuthRequired),
                ("too many requests", Category::RateLimit),
                ("another process holds the exclusive lock", Category::ResourceBusy),
            ]),
        ) {
            let text = format!("{program}: {}: {}", outer.join(": "), inner.0);
            let judgement = judge(&call(&format!("{program} run"), Status::Failed, Some(1), &text), false);
            prop_assert_eq!(judgement.reading.category, inner.1, "{}", text);
        }

        #[test]
        fn a_program_is_heard_wherever_it_speaks(program in "q[a-z]{4,9}z", before in 0..30_usize, after in 0..30_usize) {
            let (above, below) = ("step went fine\n".repeat(before), "unit counted\n".repeat(after));
            let text = format!("{above}{program}: cannot open 'pier.txt': No such file or directory\n{below}");
            let judgement = judge(&call(&format!("make; {program} run"), Status::Failed, Some(1), &text), false);
            prop_assert_eq!(judgement.reading.category, Category::PathNotFound, "{}", text);
        }

        #[test]
        fn what_is_only_shown_says_nothing(text in lines(), command in "(cat|head -5|tail -n 20|sed -n 1,9p) [a-z]{3}\\.log (&& exit 1|; false)") {
            let names = |line: &str| line.split(':').next().is_some_and(|name| {
                let name = crate::text::file_name(name);
                ["cat", "head", "tail", "sed", "exit", "false", "(eval)"].contains(&name) || name.ends_with("sh")
            });
            let text = text.lines().filter(|line| !names(line.trim_start())).collect::<Vec<_>>().join("\nshown ");
            let judgement = judge(&call(&command, Status::Failed, Some(1), &text), false);
            let said = judgement.reading.category;
            prop_assert!(!judgement.outcome.is_failure() || said == Category::Unknown, "{:?}: {}", said, text);
        }

        #[test]
        fn a_line_that_only_looks_is_never_masked(text in lines()) {
            let looks = ["cat build.log | tail", "grep -rn FAIL . | head", "git log -p | grep -i fail | head", "gh run view 1 --log"];
            // git's own last words are its failure: a pipe hides no more than the status.
            let is_own = |line: &str| line.starts_with("fatal: ") || line.starts_with("git: ");
            let log = Some("git log -p | head").filter(|_| !text.lines().any(is_own));
            for command in looks.into_iter().chain(log) {
                prop_assert_eq!(judge(&call(command, Status::Succeeded, None, &text), false).outcome, Outcome::Succeeded);
            }
        }
    }
}
