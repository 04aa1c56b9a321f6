//! What the end of a call says of each command of its line: that it passed, that it failed, or nothing.
//!
//! A status of 0 passes every command whose status decides: in `A && B` both, and in `A || A --retry` the one check. A
//! status that a pipe or `;` lost is known where the line prints it (`echo "exit: $?"`). Else the output is asked: the
//! runner's own result; a task runner's silence about a failure that it would tell of last; the silence of a check that
//! never fails without a word.

use crate::model::{Proof, RunResult, Status, ToolCall, ToolKind};
use crate::programs::Trait;
use crate::programs::calls::DRY_RUNS;
use crate::shell::{At, Command, Fate, Loss, PrintedStatus, Script};
use crate::text::begins_in_any_case;

use super::collect::{Found, ends_without_tests};
use super::involved::{Involved, Nature};
use super::limits::is_limited;
use super::row::{Reach, Role, ToolTable};
use super::silence::{ShownOutput, says_nothing, shown_output};

/// A command of a line, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallPart {
    /// Which command.
    pub at: At,
    /// What became of it.
    pub end: End,
    /// The runners whose passed result it printed: what a task ran is known by nothing else.
    pub runners: Vec<&'static str>,
}

/// What became of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It passed.
    Passed(By),
    /// It failed.
    Failed,
    /// It had nothing to run, which says nothing of what it is to check.
    Idle,
    /// Nothing tells.
    Unknown,
}

/// How a pass is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// By its exit status, which the line's status or an `echo` tells.
    Status,
    /// By the runner's own result.
    Result,
    /// By what was not said: it would have told of a failure, where it could be read.
    Silence,
}

/// A call with what was read of it.
pub(super) struct PartText<'c, 't> {
    pub(super) call: &'c ToolCall<'c>,
    pub(super) involved: &'c Involved<'c>,
    pub(super) text: &'t str,
    pub(super) found: &'c [Found<'t>],
    /// The line that a failure is known by, where one is.
    pub(super) cause: Option<&'c Found<'t>>,
    /// The command that is known to have failed.
    pub(super) at: Option<At>,
}

impl PartText<'_, '_> {
    /// What became of each command that does work: those that only look, print or prepare are left out.
    pub(super) fn parts(&self) -> Vec<CallPart> {
        let ended = matches!(self.call.status, Status::Succeeded | Status::Failed);
        if self.call.tool.kind != ToolKind::Shell || !ended || self.call.timed_out_after_ms.is_some() {
            return Vec::new();
        }
        let works = |(_, command): &(At, &Command)| {
            !command.is(Trait::Prepares) && !command.is(Trait::Displays) && !command.only_looks()
        };
        let part = |(at, command)| CallPart { at, end: self.end(at, command), runners: self.runners(at) };
        let mut parts: Vec<CallPart> = self.script().programs().filter(works).map(part).collect();
        self.pass_what_led_to_the_failure(&mut parts);
        parts
    }

    fn script(&self) -> &Script {
        self.involved.script
    }

    fn end(&self, at: At, command: &Command) -> End {
        if asks_about_itself(command) {
            return End::Unknown;
        }
        if self.ran_nothing(at) {
            let is_whole = shown_output(self.script(), at, command, self.text) == ShownOutput::Whole;
            return if is_whole { End::Idle } else { End::Unknown };
        }
        if self.is_passed_by_status(at) {
            return End::Passed(By::Status);
        }
        match self.printed_status(at) {
            Some((0, _)) => return End::Passed(By::Status),
            Some((_, true)) => return End::Failed,
            _ => {}
        }
        if self.failed(at) {
            End::Failed
        } else if self.says_passed(at) {
            End::Passed(By::Result)
        } else if self.would_have_told(at, command) {
            End::Passed(By::Silence)
        } else {
            End::Unknown
        }
    }

    fn is_passed_by_status(&self, at: At) -> bool {
        self.call.status == Status::Succeeded
            && (self.involved.status_of(at) == Fate::Kept || self.involved.is_tried_again(at))
            && self.script().surely_ran(at)
    }

    /// The status that the line prints after the command, and whether it is that of this command alone.
    pub(super) fn printed_status(&self, at: At) -> Option<(u32, bool)> {
        let PrintedStatus { by, name, alone } = self.script().status_printed_by(at)?;
        let mut words = by.args.iter().filter(|word| !matches!(word.as_str(), "-e" | "-n")).map(String::as_str);
        let template = if by.program == "printf" {
            let form = words.next()?.replace("%d", "%s");
            words.fold(form, |form, word| form.replacen("%s", word, 1))
        } else {
            words.collect::<Vec<_>>().join(" ")
        };
        let start = template.find(&name)?;
        let before = template.get(..start)?.rsplit(['\n']).next()?;
        let before = before.rsplit("\\n").next()?.trim_start();
        let number = |line: &str| {
            let rest = line.trim().strip_prefix(before)?;
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            rest.get(..digits).filter(|_| !before.is_empty() || digits == rest.len())?.parse().ok()
        };
        // Where several commands print their status in the same words, they are told apart only by being the same.
        let mut printed = self.text.lines().filter_map(number);
        let status = printed.next()?;
        printed.all(|other| other == status).then_some((status, alone))
    }

    /// Whether the failure that is known of the line is that of this command, and of no other one.
    fn failed(&self, at: At) -> bool {
        if let Some(failed) = self.at {
            return failed == at;
        }
        let hidden = |at: &At| self.call.status == Status::Failed || !self.is_passed_by_status(*at);
        let named = |f: &&Found<'_>| self.involved.direct(f.tool).next().is_some();
        let stopped = || self.found.iter().find(|f| f.row.stops && f.reach == Reach::Direct);
        let told = self.cause.filter(named).or_else(|| self.cause.and_then(|cause| stopped().or(Some(cause))));
        let mut suspects: Vec<At> = match told {
            Some(cause) if self.involved.direct(cause.tool).next().is_some() => {
                self.involved.direct(cause.tool).collect()
            }
            Some(cause) if cause.reach < Reach::Loose => {
                let hook = cause.reach == Reach::Hook;
                let may = move |nature: Nature| match nature {
                    Nature::Task { .. } => !hook,
                    Nature::Hooks => hook,
                    _ => false,
                };
                self.involved.natures().filter(|(_, nature)| may(*nature)).map(|(place, _)| place).collect()
            }
            None if self.call.status == Status::Failed => {
                let runs = self.involved.natures().filter(|(_, nature)| *nature != Nature::Plain);
                runs.map(|(place, _)| place).filter(|place| self.involved.status_of(*place) == Fate::Kept).collect()
            }
            _ => Vec::new(),
        };
        suspects.retain(hidden);
        suspects == [at]
    }

    /// Of a chain that failed, what stands before the command that did has passed.
    fn pass_what_led_to_the_failure(&self, parts: &mut [CallPart]) {
        let direct = self.cause.is_some_and(|cause| cause.reach == Reach::Direct);
        if self.call.status != Status::Failed || !direct {
            return;
        }
        let Some(failed) = parts.iter().find(|part| part.end == End::Failed).map(|part| part.at) else { return };
        for part in parts.iter_mut().filter(|part| part.end == End::Unknown) {
            if self.script().leads_to(part.at, failed) {
                part.end = End::Passed(By::Status);
            }
        }
    }

    /// The tools that said they passed, each once for every time that they did.
    fn passed_tools(&self) -> impl Iterator<Item = &'static ToolTable> {
        self.found.iter().filter(|f| f.row.role == Role::Passed).map(|f| f.tool)
    }

    /// Whether what the tool prints can be of the command at this place.
    fn can_be_of(&self, tool: &ToolTable, at: At) -> bool {
        let mut direct = self.involved.direct(tool).peekable();
        if direct.peek().is_some() {
            return direct.any(|place| place == at);
        }
        let mut tasks = self.involved.natures().filter(|(_, nature)| matches!(nature, Nature::Task { .. }));
        let is_task = tasks.any(|(place, _)| place == at);
        // Of several tasks the name has to say what it runs.
        is_task && (self.tasks() == 1 || self.script().get(at).is_some_and(|c| super::judge::by_name(c) == tool.usual))
    }

    fn tasks(&self) -> usize {
        self.involved.natures().filter(|(_, nature)| matches!(nature, Nature::Task { .. })).count()
    }

    fn runners(&self, at: At) -> Vec<&'static str> {
        let mut runners = Vec::new();
        for tool in self.passed_tools() {
            if !runners.contains(&tool.name) && self.can_be_of(tool, at) {
                runners.push(tool.name);
            }
        }
        runners
    }

    /// Whether a runner of this command said that it passed, and nothing of the line failed by it. Of several runs of one
    /// runner each has to say so.
    fn says_passed(&self, at: At) -> bool {
        let is_task = self.involved.natures().any(|(place, n)| place == at && matches!(n, Nature::Task { .. }));
        if is_task && self.cause.is_some() {
            return false;
        }
        let fails = |tool: &ToolTable| {
            self.cause.is_some_and(|cause| cause.tool.name == tool.name)
                || self.found.iter().any(|f| f.tool.name == tool.name && f.row.role == Role::Failed)
        };
        let runs = |tool: &ToolTable| self.involved.natures().filter(|(place, _)| self.can_be_of(tool, *place)).count();
        let said = |tool: &ToolTable| self.passed_tools().filter(|other| other.name == tool.name).count();
        self.passed_tools().any(|tool| self.can_be_of(tool, at) && !fails(tool) && said(tool) >= runs(tool))
    }

    /// Whether a runner of this command said that it had nothing to run, and none that something passed.
    fn ran_nothing(&self, at: At) -> bool {
        let says =
            |roles: &[Role]| self.found.iter().any(|f| roles.contains(&f.row.role) && self.can_be_of(f.tool, at));
        let passed = |f: &Found<'_>| matches!(f.row.role, Role::Passed | Role::TestPassed);
        says(&[Role::Idle]) && !says(&[Role::Passed, Role::TestPassed])
            || self.call.status == Status::Succeeded
                && self.cause.is_none()
                && self.at.is_none()
                && !self.found.iter().any(passed)
                && ends_without_tests(self.text)
    }

    /// Whether it would have told of a failure where it could be read, and did not.
    fn would_have_told(&self, at: At, command: &Command) -> bool {
        let asked = command.is(Trait::TellsLast) || command.is(Trait::Tasks) || command.is(Trait::Silent);
        let ended = match self.involved.status_of(at) {
            Fate::Lost(Loss::Background | Loss::Negated) => false,
            _ => !is_limited(command) && self.script().surely_ran(at),
        };
        // `xargs` may have had nothing to start it with.
        let given = command.wrappers.iter().all(|wrapper| wrapper != "xargs");
        if !asked || !ended || !given || self.call.status != Status::Succeeded {
            return false;
        }
        let shown = shown_output(self.script(), at, command, self.text);
        if shown == ShownOutput::Less {
            return false;
        }
        if command.is(Trait::TellsLast)
            && (shown == ShownOutput::Whole || !self.text.is_empty())
            && !self.tells_of_failure()
        {
            return true;
        }
        !self.tells_of_failure() && says_nothing(command, self.script(), self.text)
    }

    /// Whether anything in the output may be a failure of what the line runs.
    fn tells_of_failure(&self) -> bool {
        let last = self.text.lines().next_back().unwrap_or("").trim();
        ["error", "err_", "fatal", "undefined"].iter().any(|word| begins_in_any_case(last, word))
            || self.found.iter().any(|f| f.reach < Reach::Hook && (f.tells() || f.row.role == Role::Wrapper))
    }
}

/// Whether the program is only asked for its help, its version or what it would run.
pub fn asks_about_itself(command: &Command) -> bool {
    const QUESTIONS: &[&str] = &[
        "--help",
        "--version",
        "--listTests",
        "--list",
        "--list-tests",
        "--collect-only",
        "--co",
        "--showConfig",
        "--dry-run",
    ];
    command.is_one_of(DRY_RUNS)
        || command.args.iter().take_while(|arg| *arg != "--").any(|arg| QUESTIONS.contains(&arg.as_str()))
}

fn is_no_op(command: &Command) -> bool {
    matches!(command.program.as_str(), "true" | ":")
}

/// What the parts of a line prove of it as a whole. `result` is what the output says.
pub(super) fn proof(involved: &Involved<'_>, parts: &[CallPart], result: RunResult) -> Proof {
    let runs = involved.natures().filter(|(_, nature)| matches!(nature, Nature::Task { .. } | Nature::Program));
    let mut runs = runs.map(|(at, _)| at).peekable();
    let by_status = |at: At| involved.status_of(at) == Fate::Kept;
    if runs.peek().is_none() {
        return match involved.script.last_at() {
            // What ends in `true` passes whatever came before.
            Some(last) if by_status(last) && !involved.script.get(last).is_some_and(is_no_op) => Proof::Status,
            _ if result == RunResult::Unstated => Proof::None,
            _ => Proof::Parsed,
        };
    }
    let mut proof = Proof::Status;
    for at in runs {
        proof = match parts.iter().find(|part| part.at == at).map(|part| part.end) {
            Some(End::Passed(By::Status)) => proof,
            Some(End::Passed(_)) => Proof::Parsed,
            None if by_status(at) && involved.script.get(at).is_some_and(|c| !asks_about_itself(c)) => proof,
            _ if result == RunResult::Unstated => return Proof::None,
            _ => Proof::Parsed,
        };
    }
    proof
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Tool, ToolInput};
    use crate::reading::{judge, script_of};

    const PASSED: End = End::Passed(By::Status);
    const SAID: End = End::Passed(By::Result);
    const SILENT: End = End::Passed(By::Silence);
    const FAILED: End = End::Failed;
    const UNKNOWN: End = End::Unknown;

    /// What became of each command of a line, in their order.
    fn ends(line: &str, status: Status, text: &str) -> Vec<(String, End)> {
        let input = ToolInput::Command { command: line.into(), background: false };
        let call = ToolCall { text: text.into(), ..ToolCall::new(Tool::named("Bash"), input, status) };
        let script = script_of(&call).unwrap();
        let name = |part: &CallPart| script.get(part.at).unwrap().program.clone();
        judge(&call, false).parts.iter().map(|part| (name(part), part.end)).collect()
    }

    /// A line, how the call ended, what it printed, and what became of each of its commands.
    type Case<'c> = (&'c str, Status, &'c str, &'c [(&'c str, End)]);

    fn assert_ends(cases: &[Case<'_>]) {
        for (line, status, text, wanted) in cases {
            let wanted: Vec<_> = wanted.iter().map(|(program, end)| ((*program).to_owned(), *end)).collect();
            assert_eq!(ends(line, *status, text), wanted, "{line}: {text}");
        }
    }

    #[test]
    fn a_status_of_zero_passes_what_it_is_the_status_of() {
        assert_ends(&[
            ("tsc && eslint .", Status::Succeeded, "", &[("tsc", PASSED), ("eslint", PASSED)]),
            ("cd web && tsc", Status::Succeeded, "", &[("tsc", PASSED)]),
            ("set -o pipefail; mypy . | tail -3", Status::Succeeded, "", &[("mypy", PASSED)]),
            ("mypy .; ruff check .", Status::Succeeded, "", &[("mypy", UNKNOWN), ("ruff", PASSED)]),
            ("if mypy .; then ruff check .; fi", Status::Succeeded, "", &[("mypy", UNKNOWN), ("ruff", UNKNOWN)]),
            ("mypy . & ruff check .", Status::Succeeded, "", &[("mypy", UNKNOWN), ("ruff", PASSED)]),
            ("tsc --version", Status::Succeeded, "Version 5.4.5", &[]),
            ("make -n test", Status::Succeeded, "go test ./...", &[("make", UNKNOWN)]),
        ]);
    }

    #[test]
    fn of_a_chain_that_failed_what_stands_before_has_passed() {
        let lint = "src/a.js\n  3:7  error  'x' is never used  no-unused-vars\n\n✖ 1 problem (1 error, 0 warnings)";
        assert_ends(&[
            ("tsc && eslint .", Status::Failed, lint, &[("tsc", PASSED), ("eslint", FAILED)]),
            ("eslint . && tsc", Status::Failed, lint, &[("eslint", FAILED), ("tsc", UNKNOWN)]),
            ("tsc; eslint .", Status::Failed, lint, &[("tsc", UNKNOWN), ("eslint", FAILED)]),
        ]);
    }

    #[test]
    fn a_printed_status_is_the_status() {
        assert_ends(&[
            ("./check; echo \"exit: $?\"", Status::Succeeded, "exit: 0", &[("check", PASSED)]),
            ("./check; echo \"exit: $?\"", Status::Succeeded, "exit: 3", &[("check", FAILED)]),
            ("./check; echo $?", Status::Succeeded, "looked at 3 files\n0", &[("check", PASSED)]),
            ("./check | tail -3; echo $?", Status::Succeeded, "0", &[("check", UNKNOWN)]),
            ("./check | tail -3; echo ${PIPESTATUS[0]}", Status::Succeeded, "0", &[("check", PASSED)]),
            ("./a && ./b; echo \"rc=$?\"", Status::Succeeded, "rc=0", &[("a", PASSED), ("b", PASSED)]),
            ("./a && ./b; echo \"rc=$?\"", Status::Succeeded, "rc=1", &[("a", UNKNOWN), ("b", UNKNOWN)]),
            (
                "./a; echo \"rc=$?\"; ./b; echo \"rc=$?\"",
                Status::Succeeded,
                "rc=0\nrc=1",
                &[("a", UNKNOWN), ("b", UNKNOWN)],
            ),
        ]);
    }

    #[test]
    fn the_same_check_may_be_tried_again() {
        assert_ends(&[
            ("npm test || npm test -- --retry", Status::Succeeded, "", &[("npm", PASSED), ("npm", UNKNOWN)]),
            ("go test ./a || go test ./...", Status::Succeeded, "", &[("go", PASSED), ("go", UNKNOWN)]),
            ("go test ./... || go test ./a", Status::Succeeded, "", &[("go", UNKNOWN), ("go", UNKNOWN)]),
            ("npm run lint || npm test", Status::Succeeded, "", &[("npm", UNKNOWN), ("npm", UNKNOWN)]),
            ("npm test || npm test | tail", Status::Succeeded, "", &[("npm", UNKNOWN), ("npm", UNKNOWN)]),
            ("npm test || true", Status::Succeeded, "", &[("npm", UNKNOWN)]),
        ]);
    }

    #[test]
    fn what_a_runner_says_is_its_result() {
        assert_ends(&[
            ("mypy . | tail -1", Status::Succeeded, "Success: no issues found in 3 source files", &[("mypy", SAID)]),
            (
                "ruff check . --fix | tail -1",
                Status::Succeeded,
                "Found 2 errors (2 fixed, 0 remaining).",
                &[("ruff", SAID)],
            ),
            (
                "go test -run Nothing ./... | tail",
                Status::Succeeded,
                "ok  \ta\t0.1s [no tests to run]",
                &[("go", End::Idle)],
            ),
            // Of two runs each has to say so.
            (
                "jest a | tail; jest b | tail",
                Status::Succeeded,
                "Tests:       3 passed, 3 total",
                &[("jest", UNKNOWN), ("jest", UNKNOWN)],
            ),
        ]);
    }

    #[test]
    fn silence_is_a_pass_of_what_never_fails_silently() {
        assert_ends(&[
            ("tsc | head -20", Status::Succeeded, "", &[("tsc", SILENT)]),
            ("eslint . --fix 2>&1 | tail -5", Status::Succeeded, "", &[("eslint", SILENT)]),
            ("tsc | grep src", Status::Succeeded, "", &[("tsc", UNKNOWN)]),
            ("tsc > types.log; tail types.log", Status::Succeeded, "", &[("tsc", UNKNOWN)]),
            ("timeout 20 tsc | tail -3", Status::Succeeded, "", &[("tsc", UNKNOWN)]),
            ("git diff --name-only | xargs eslint | head", Status::Succeeded, "", &[("eslint", UNKNOWN)]),
            ("mypy . | tail -3", Status::Succeeded, "", &[("mypy", UNKNOWN)]),
        ]);
    }

    #[test]
    fn a_call_that_did_not_end_by_itself_says_nothing() {
        for status in [Status::Interrupted, Status::Denied, Status::Cascade, Status::InBackground] {
            assert_eq!(ends("tsc && eslint .", status, ""), [], "{status:?}");
        }
    }
}
