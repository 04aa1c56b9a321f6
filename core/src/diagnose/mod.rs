//! Failure modes of command-line tools: which property of a tool a failed call has met, and what to do about it.
//!
//! One table in families (`hang`, `arguments`, `credentials`, `network`, `environment`, `output`, `concurrency`, `security`,
//! `history`), read with what is there: the outcome is that of `reading::judge`, what the output says are the findings of
//! `reading`, commands are those of `shell::Script`, repetition is told by `signature`. Text speaks only where a call failed
//! or hung; a mode about calls that passed has strict conditions of its own.

mod arguments;
mod concurrency;
mod credentials;
mod environment;
mod facts;
mod hang;
mod history;
mod network;
mod output;
mod past;
mod row;
pub mod say;
mod security;
mod ways;

pub use crate::model::{MODES, Mode, Severity};
pub use concurrency::signal_of;
pub use say::ProgramWords;

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::forms::{self, WorkingForm};
use crate::model::{
    Basis, Category, MetMode, Outcome, Output, Reading, Status, Stream, TIMED_OUT, ToolCall, Trace, TracedCall,
};
use crate::reading::script_of;
use crate::shell::Script;
use crate::text::tail;

use facts::{CallFacts, CallTexts, TracedEnd};
use past::{EndedCall, TracePast};
use row::{ModeRow, Seen, Sign, When};

/// The families, in the order in which equal signs are told.
const FAMILIES: &[&[ModeRow]] = &[
    hang::ROWS,
    arguments::ROWS,
    credentials::ROWS,
    network::ROWS,
    environment::ROWS,
    concurrency::ROWS,
    security::ROWS,
    output::ROWS,
    history::ROWS,
];

/// From so many per cent on a weak sign is worth a question to a model.
const CANDIDATE: u8 = 15;

/// What a trace tells.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TraceDiagnosis {
    /// The modes, the surest first; of equally sure ones the worst first, then by number.
    pub findings: Vec<ModeFinding>,
    /// Modes of which only a weak sign was seen, in the same order: nothing but a model's confirmation makes them findings.
    pub candidates: Vec<ModeFinding>,
    /// What is missing for an answer, for people; not empty exactly where nothing could be looked at.
    pub missing: Vec<String>,
    /// The trace in one line.
    pub summary: String,
    /// How many calls the trace has.
    pub calls: usize,
}

/// A mode that a call met.
#[derive(Debug, Clone, PartialEq)]
pub struct ModeFinding {
    /// The mode.
    pub mode: Mode,
    /// How sure it is, in per cent.
    pub percent: u8,
    /// The call, by its place in the trace.
    pub call: usize,
    /// What was seen, as one sentence.
    pub evidence: String,
    /// The program and its subcommand, as memory and advice name them.
    pub words: ProgramWords,
}

/// Diagnoses a trace: each failure in it that no later pass of the same operation ended.
pub fn diagnose(trace: &Trace<'_>) -> TraceDiagnosis {
    diagnose_from(trace, 0)
}

/// Diagnoses the last call of a trace alone: those before it tell what came before.
pub fn diagnose_last(trace: &Trace<'_>) -> TraceDiagnosis {
    diagnose_from(trace, trace.calls.len().saturating_sub(1))
}

/// Diagnoses the calls from a place of the trace on.
fn diagnose_from(trace: &Trace<'_>, first: usize) -> TraceDiagnosis {
    let mut past = TracePast::default();
    let mut met = MetModes::default();
    for (at, call) in trace.calls.iter().enumerate() {
        let script = script_of(&call.without_output());
        past.begin(script.as_ref());
        let heard = CallTexts::of(call);
        let facts = CallFacts::of(call, script.as_ref(), &heard, &past);
        if at >= first {
            met.look(at, &facts, facts.operation());
        }
        met.count(&facts);
        // Nothing comes after the last call that could ask what it was.
        if at + 1 < trace.calls.len() {
            let ended = EndedCall::of(&facts);
            past.end(ended);
        }
    }
    met.diagnosis(trace)
}

/// What was met so far.
#[derive(Default)]
struct MetModes {
    /// Of each operation that failed and did not pass since. What is told of no operation is under none, and stays.
    open: BTreeMap<Option<String>, OpenModes>,
    /// The best sign of each mode in calls that passed.
    passed: BTreeMap<Mode, ModeFinding>,
    summary: say::TraceSummary,
    /// Whether some call had anything to look at.
    tells: bool,
}

/// The best sign of each mode in calls that failed.
#[derive(Default)]
struct OpenModes {
    sure: BTreeMap<Mode, ModeFinding>,
    weak: BTreeMap<Mode, ModeFinding>,
}

/// Of so many operations a pass is looked for.
const MOST_OPEN: usize = 4096;

impl MetModes {
    fn look(&mut self, at: usize, facts: &CallFacts<'_>, operation: Option<&str>) {
        if facts.end == TracedEnd::Neither {
            return;
        }
        if let Some(operation) = operation.filter(|_| facts.is_proven()) {
            self.open.remove(&Some(operation.to_owned()));
        }
        let mut found: Vec<(&'static ModeRow, Seen)> = Vec::new();
        for last in [false, true] {
            if last && found.iter().any(|(row, _)| row.percent >= ModeRow::SURE && row.when != When::Any) {
                break;
            }
            for row in FAMILIES.iter().copied().flatten().filter(|row| row.last == last) {
                if let Some(seen) = sees(row, facts) {
                    found.push((row, seen));
                }
            }
        }
        let operation = operation.filter(|_| facts.end != TracedEnd::Passed && self.open.len() < MOST_OPEN);
        for (row, seen) in found {
            self.keep(at, facts, operation, (row, &seen));
        }
    }

    fn keep(&mut self, at: usize, facts: &CallFacts<'_>, operation: Option<&str>, (row, seen): (&ModeRow, &Seen)) {
        // What stands on standard output may be said of something else.
        let less = u8::from(facts.call.output.stderr().is_some_and(|e| !e.trim().is_empty()))
            * u8::from(seen.line.as_ref().is_some_and(|(stream, _)| *stream == Stream::Stdout));
        let percent = if row.percent >= ModeRow::SURE {
            row.percent.saturating_sub(3 * less).max(ModeRow::SURE)
        } else {
            row.percent
        };
        let kind = match (percent, facts.end) {
            (..CANDIDATE, _) => return,
            (ModeRow::SURE.., TracedEnd::Passed) if !row.of_trace => &mut self.passed,
            (percent, _) => {
                let open = self.open.entry(operation.map(str::to_owned)).or_default();
                if percent < ModeRow::SURE { &mut open.weak } else { &mut open.sure }
            }
        };
        if kind.get(&row.mode).is_none_or(|before| before.is_less_than(percent, at)) {
            let evidence = say::evidence(facts, seen);
            kind.insert(
                row.mode,
                ModeFinding { mode: row.mode, percent, call: at, evidence, words: ProgramWords::of(facts) },
            );
        }
    }

    fn count(&mut self, facts: &CallFacts<'_>) {
        self.tells |= say::tells(facts);
        self.summary.count(facts, facts.past.has_failed_before(facts));
    }

    /// The best signs of all operations.
    fn best(open: BTreeMap<Option<String>, OpenModes>) -> OpenModes {
        let mut best = OpenModes::default();
        for modes in open.into_values() {
            for (best, found) in [(&mut best.sure, modes.sure), (&mut best.weak, modes.weak)] {
                for (mode, finding) in found {
                    if best.get(&mode).is_none_or(|before| before.is_less_than(finding.percent, finding.call)) {
                        best.insert(mode, finding);
                    }
                }
            }
        }
        best
    }

    fn diagnosis(self, trace: &Trace<'_>) -> TraceDiagnosis {
        let OpenModes { sure, weak } = Self::best(self.open);
        // Where something failed, what passed only says how.
        let found = if sure.is_empty() && self.summary.failures == 0 { self.passed } else { sure };
        let findings = sorted(found);
        let known: Vec<Mode> = findings.iter().map(|finding| finding.mode).collect();
        let candidates = sorted(weak).into_iter().filter(|weak| !known.contains(&weak.mode)).collect();
        let missing = if findings.is_empty() && !self.tells { say::missing(trace) } else { Vec::new() };
        let summary = self.summary.line(!findings.is_empty());
        TraceDiagnosis { findings, candidates, missing, summary, calls: trace.calls.len() }
    }
}

impl ModeFinding {
    /// Whether a sign of another call counts instead: it is surer, or as sure and later, which the agent has before its eyes.
    fn is_less_than(&self, percent: u8, call: usize) -> bool {
        (self.percent, self.call) < (percent, call)
    }
}

fn sorted(found: BTreeMap<Mode, ModeFinding>) -> Vec<ModeFinding> {
    let mut findings: Vec<ModeFinding> = found.into_values().collect();
    findings.sort_by_key(|finding| (u8::MAX - finding.percent, finding.mode.severity(), finding.mode));
    findings
}

/// What a row sees in a call.
fn sees(row: &ModeRow, facts: &CallFacts<'_>) -> Option<Seen> {
    if !row.fits(facts.end) {
        return None;
    }
    let seen = match row.sign {
        Sign::Finds(kind) => facts.finding(kind)?,
        Sign::Means(categories) => {
            let reading = facts.reading.as_ref().filter(|reading| categories.contains(&reading.category))?;
            match reading.line.as_deref() {
                Some(line) => Seen::line(arguments::stream_of(facts, line), line),
                None => Seen { words: None, line: None },
            }
        }
        Sign::Shape(sees) => sees(facts)?,
    };
    let is_read =
        || seen.line.as_ref().is_none_or(|(_, line)| facts.end != TracedEnd::Failed || !facts.is_left_out(line));
    (row.only.is_none_or(|only| only(facts)) && is_read()).then_some(seen)
}

/// The mode of a command line that waits for a person, where its shape alone proves that it does: it is one command, and
/// that opens an editor, a pager or a prompt of its own. Never a login, a network or anything else that a person may have
/// answered.
pub fn waits_for_a_person(script: &Script) -> Option<Mode> {
    let mut programs = script.programs();
    let (Some((_, only)), None) = (programs.next(), programs.next()) else { return None };
    hang::proves_waiting(only)
}

/// The end of a text in which the hook looks for the signs of a mode, in bytes: what the history keeps of it.
const LOOKED_AT: usize = 4096;

/// The failure mode that a call met, where that is one of which the agent may be told, or one that the call's shape proves:
/// the surest of all, as [`diagnose`] finds it. `outcome` and `reading` are what the call was judged to be.
///
/// It is asked of each call in a hook. Nearly always the answer is none by the first few looks: the call passed, its work
/// failed and not its tool, the table of working forms has nothing for its programs, or no sign is there of the modes for
/// which it has something. Only then is everything looked for, as a surer sign may be of another mode.
pub fn met(call: &ToolCall<'_>, script: Option<&Script>, outcome: Outcome, reading: &Reading) -> Option<MetMode> {
    let hung = call.timed_out_after_ms.is_some();
    let end = match outcome {
        Outcome::Failed if hung || call.exit_code == Some(TIMED_OUT) => TracedEnd::Hung,
        Outcome::Succeeded if hung && call.status == Status::InBackground => TracedEnd::Hung,
        Outcome::Failed if !is_of_the_work(reading) => TracedEnd::Failed,
        _ => return None,
    };
    let script = script?;
    let wanted = Wanted::of(script, end);
    if wanted.0.is_empty() {
        return None;
    }
    let traced = TracedCall {
        tool: call.tool.clone(),
        input: call.input.borrowed(),
        output: Output::Merged(Cow::Borrowed(tail(&call.text, LOOKED_AT))),
        status: call.status,
        exit_code: call.exit_code,
        hang: end == TracedEnd::Hung,
        limit_ms: call.timed_out_after_ms,
        ..TracedCall::new()
    };
    let (past, heard) = (TracePast::default(), CallTexts::of(&traced));
    let facts = CallFacts::judged(&traced, Some(script), &heard, &past, (end, Some(reading.clone())));
    let mut rows = FAMILIES.iter().copied().flatten();
    if !rows.any(|row| wanted.0.contains(&row.mode) && sees(row, &facts).is_some()) {
        return None;
    }
    let mut met = MetModes::default();
    met.look(0, &facts, None);
    let finding =
        sorted(MetModes::best(met.open).sure).into_iter().next().filter(|finding| wanted.0.contains(&finding.mode))?;
    let mode = finding.mode;
    let line = finding.words.command.as_deref().unwrap_or_default();
    // A form that the call has already does not help, and one that only ends the wait is none for what ended.
    let helps = |form: &WorkingForm| !form.is_in(line) && (end == TracedEnd::Hung || !form.row.only_ends);
    if let Some(form) = finding.words.form(mode).filter(helps) {
        let decided = hang::is_decided_by(mode, form.row, &facts);
        return Some(MetMode {
            id: mode.id(),
            program: form.row.program.to_owned(),
            subcommand: form.subcommand.to_owned(),
            decided,
        });
    }
    let decided = hang::shows_waiting(mode, &facts);
    let program = finding.words.program.filter(|_| decided || waits_for_a_person(script) == Some(mode))?;
    Some(MetMode { id: mode.id(), program, subcommand: String::new(), decided })
}

/// Whether what failed was the agent's work, which says nothing of a tool. That a hook stopped a commit has to be said in a
/// line of its own: else an editor that could not be opened looks the same.
fn is_of_the_work(reading: &Reading) -> bool {
    match reading.category {
        Category::TestFailure | Category::CompileError | Category::LintError => true,
        Category::CommitHookFailed => reading.basis == Some(Basis::Line),
        _ => false,
    }
}

/// The modes of which the agent is told: those that wait, and the critical ones whose forms make the same call work (2, 12,
/// 13). What the table has for the others is a preview or another precaution.
const TOLD: &[Mode] = &[
    Mode::OutputFormat,
    Mode::Interactivity,
    Mode::Timeouts,
    Mode::Idempotency,
    Mode::PartialFailure,
    Mode::SelfUpdate,
    Mode::Repl,
    Mode::HeadlessAuth,
    Mode::AsyncJob,
    Mode::StdinDeadlock,
    Mode::OutputBuffer,
    Mode::PipePayload,
    Mode::EditorTrap,
    Mode::HeadlessGui,
    Mode::SymlinkLoop,
    Mode::NoninteractiveInstall,
];

/// Whether an agent is told of a mode.
pub fn is_told(mode: Mode) -> bool {
    TOLD.contains(&mode)
}

/// Modes that there may be something to tell of.
struct Wanted(Vec<Mode>);

impl Wanted {
    /// Of the commands of a line that ended so: a look at two tables. The first operand may be the program, as in `python
    /// manage.py migrate`.
    fn of(script: &Script, end: TracedEnd) -> Self {
        let mut modes = Vec::new();
        for (_, command) in script.programs() {
            let forms = std::iter::once(command.program.as_str()).chain(command.subcommands().take(1));
            let rows = forms.flat_map(forms::rows_for).filter(|row| end == TracedEnd::Hung || !row.only_ends);
            let told = rows.flat_map(|row| row.modes).copied().filter(|mode| TOLD.contains(mode));
            modes.extend(told.chain(hang::proves_waiting(command)));
        }
        // What waits may show so, whatever it is.
        if end == TracedEnd::Hung {
            modes.extend([Mode::EditorTrap, Mode::Interactivity]);
        }
        Self(modes)
    }
}

/// The row of the table of working forms that speaks of a call which met a mode.
pub fn form_against(met: &MetMode) -> Option<WorkingForm> {
    let subcommands: Vec<&str> = met.subcommand.split_ascii_whitespace().collect();
    forms::find(&met.program, &subcommands, Mode::of(met.id)?)
}

/// The form of a command line's only command that works in a mode, where the table of forms has one.
pub fn working_form(script: &Script, line: &str, mode: Mode) -> Option<String> {
    let (_, command) = script.programs().next()?;
    let operands: Vec<&str> = command.subcommands().take(3).collect();
    let form = forms::find(&command.program, &operands, mode)?;
    (!form.is_in(line)).then(|| form.working(line).unwrap_or_else(|| form.typed()))
}

/// The call of a finding.
pub fn call_of<'t>(trace: &'t Trace<'_>, finding: &ModeFinding) -> Option<&'t TracedCall<'t>> {
    trace.calls.get(finding.call)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;
    use crate::forms::FormRow;
    use crate::model::{Tool, ToolInput};
    use crate::programs::{Trait, rows};

    /// Every interpreter of the table of programs.
    fn interpreters() -> Vec<&'static str> {
        let runs_scripts = |program: &crate::programs::Program| {
            program.has(Trait::Interpreter) || program.has(Trait::TakesCode) && !program.has(Trait::Looks)
        };
        let programs = rows().filter(|(name, program)| !name.contains(' ') && runs_scripts(program));
        programs.map(|(_, program)| program.words).collect()
    }

    fn traced<'t>(line: &'t str, output: &'t str, hang: bool) -> TracedCall<'t> {
        TracedCall {
            tool: Tool::named("Bash"),
            input: ToolInput::Command { command: line.into(), background: false },
            output: Output::Merged(output.into()),
            status: Status::Failed,
            exit_code: (!hang).then_some(1),
            hang,
            limit_ms: hang.then_some(120_000),
            ..TracedCall::new()
        }
    }

    /// What is read of a call that hung or failed: its modes, the one that is told, and whether it waits for a person.
    fn read(line: &str, output: &str, hang: bool) -> (Vec<u8>, Option<MetMode>, Option<u8>) {
        let call = traced(line, output, hang);
        let script = Script::parse(line);
        let trace = Trace { calls: vec![call.clone()] };
        let modes = diagnose(&trace).findings.iter().map(|finding| finding.mode.id()).collect();
        let mut tool_call = call.as_tool_call();
        tool_call.timed_out_after_ms = hang.then_some(120_000);
        let told = met(&tool_call, Some(&script), Outcome::Failed, &Reading::unrecognised());
        (modes, told, waits_for_a_person(&script).map(Mode::id))
    }

    const WRAPPERS: &[&str] = &["", "uv run ", "poetry run ", "npx ", "sudo ", "timeout 5 ", "env A=1 ", "cd a && "];
    const SCRIPTS: &[&str] = &["tools/convert.x", "-c 'a.run()'", "-e 'a.run()'", "--trace tools/convert.x"];
    const BEHIND: &[&str] = &[
        "-i",
        "--interactive",
        "-a",
        "-",
        "/dev/stdin",
        "--stdin",
        "--edit",
        "edit",
        "commit",
        "--wait",
        "--watch",
        "-f",
        "--follow",
        "--version",
        "-v",
        "-c",
        "-e",
        "-n",
        "-p",
        "-m",
        "-u",
        "-it",
        "repl",
        "shell",
        "a.mp4",
        "-b",
        "--no-pager",
        "--batch",
        "-b",
        "--",
        "-ie",
    ];
    const OUTPUTS: &[&str] = &["", "the input device is not a tty", "frame 12", "no such option"];

    proptest! {
        /// The options of an interpreter end at its script or code: words behind change nothing of what is read of it.
        #[test]
        fn words_behind_a_script_are_not_the_interpreters(
            program in select(interpreters()),
            wrapper in select(WRAPPERS),
            script in select(SCRIPTS),
            behind in prop::collection::vec(select(BEHIND), 1..4),
            output in select(OUTPUTS),
            hang: bool,
        ) {
            let line = format!("{wrapper}{program} {script}");
            let longer = format!("{line} {}", behind.join(" "));
            prop_assert_eq!(read(&line, output, hang), read(&longer, output, hang), "{}", longer);
            for form in forms::rows_for(program).flat_map(FormRow::forms).filter(|form| form.subcommand.is_empty()) {
                let made = form.working(&line).map(|made| format!("{made} {}", behind.join(" ")));
                prop_assert_eq!(form.working(&longer), made, "{}", longer);
            }
        }
    }

    #[test]
    fn the_input_of_a_script_is_no_prompt() {
        for program in ["python3", "node", "ruby", "uv run python", "bash", "perl", "php", "ts-node", "sudo python3.12"]
        {
            let line = format!("{program} tools/convert.py -i a.mp4 -o b.mp4");
            assert_eq!(read(&line, "", true).2, None, "{line}");
            assert!(!read(&line, "", true).0.contains(&37), "{line}");
        }
        for line in ["python3 -i", "python3 -i tools/a.py", "node -i", "python3 -W ignore -i", "sudo bash -i"] {
            assert_eq!(read(line, "", true).2, Some(37), "{line}");
        }
        assert_eq!(read("python3 -m tools.convert -i a.mp4", "", true).2, None);
    }
}
