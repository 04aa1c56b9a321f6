//! What failed although the call succeeded: the line loses the status of a command, and the text tells of its failure.

use std::borrow::Cow;

use crate::model::{Basis, Category, Outcome, Proof, Reading, RunResult, Status, ToolCall, ToolKind};
use crate::programs::{self, Fact, Trait};
use crate::shell::{At, Command, Fate, Loss, Redirection, Script};
use crate::text::{before, begins_in_any_case, cut, file_name, offset_in};

use super::answers::answers;
use super::check_kind::usual_of;
use super::collect::{Found, collect};
use super::endings::{
    Speaker, TextEnding, behind_value, ending, is_bare_exception, is_uncaught, only_explains, split_speaker,
};
use super::given::{self, denies_option, names_word_of};
use super::involved::{Involved, Nature};
use super::judge::{JudgedCall, Judgement, by_name, checks_by_name, guess, state};
use super::limits::{is_endless, serves};
use super::parts::{PartText, asks_about_itself};
use super::resolve::{RUNS, cause, complete_line, is_inline, passed_since, reading_of};
use super::row::{Ends, Reach, Role, RowScope, ToolTable};
use super::sentences::{self, Runs};
use super::silence::{ShownOutput, cuts_after, is_printed_by, shown_output};
use super::spoken::{is_of_commit, is_warning, names_commit};
use super::subject::named_command;
use super::tables::TOOLS;

/// What is run to see whether something is there, is ready, or can be shown: that it is not is an answer.
const TRIED: &[Trait] = &[Trait::MayMiss, Trait::Answers, Trait::Polls, Trait::Displays, Trait::Prepares];

/// A failure that the line's status hides.
pub(super) struct Hidden<'t> {
    /// The line that tells it, where a recogniser knows one.
    cause: Option<Found<'t>>,
    /// The command that failed, where its last words name it.
    at: Option<At>,
    reading: Reading,
}

impl<'t> JudgedCall<'_, 't> {
    /// The judgement of a call that succeeded only by its status.
    pub(super) fn masked(&self) -> Option<Judgement> {
        let asked = self.left_unanswered();
        let why = if asked.is_some() { "nobody answered" } else { "its exit status was lost in the command line" };
        let Hidden { cause, at, mut reading } = asked.or_else(|| self.hidden())?;
        complete_line(&mut reading, self.text);
        let (runner, line) = (reading.runner.as_deref().unwrap_or("a run"), reading.line.as_deref().unwrap_or(""));
        let evidence = vec![format!("{runner} failed: {line}"), why.to_owned()];
        let named = || named_command(self.involved.as_ref()?.script, &reading, |at| self.loses(at));
        let parts = self.parts(cause.as_ref(), at.or_else(named));
        Some(Judgement { outcome: Outcome::MaskedFailure, reading, evidence, parts })
    }

    /// A program whose last words are a question of its own, where nothing was handed to it: at the end of its input it does
    /// nothing, and takes that for a success.
    fn left_unanswered(&self) -> Option<Hidden<'t>> {
        let line = self.text.lines().next_back()?.trim();
        let (name, _) = line.strip_suffix('?')?.split_once(": ")?;
        let script = self.involved.as_ref().filter(|_| self.call.tool.kind == ToolKind::Shell)?.script;
        let (at, command) = script.programs().last()?;
        let is_fed = command.redirections.iter().any(Redirection::is_input);
        if at.stage > 0 || is_fed || name != command.program {
            return None;
        }
        let reading = Reading {
            category: Category::ConfigOrState,
            basis: Some(Basis::Line),
            line: Some(cut(line, 300)),
            result: RunResult::Failed,
            ..Reading::unrecognised()
        };
        Some(Hidden { cause: None, at: Some(at), reading })
    }

    /// The failure that the line's status hides, where there is one.
    pub(super) fn hidden(&self) -> Option<Hidden<'t>> {
        let involved = self.involved.as_ref().filter(|_| self.call.tool.kind == ToolKind::Shell)?;
        let run = self.failed_run(involved);
        let said = self.refused(involved, run.as_ref()).or(run);
        let said = said.or_else(|| self.ended(involved)).or_else(|| self.ended_last(involved));
        let said = said.or_else(|| self.spoke_only(involved));
        let said = said.or_else(|| self.marked(involved));
        let is_none = |hidden: &Hidden<'_>| {
            let line = hidden.reading.line.as_deref().unwrap_or_default();
            counts_no_failure(line) || hidden.cause.is_none() && (only_warns(line) || is_warning(line))
        };
        said.filter(|hidden| !is_none(hidden)).or_else(|| self.stated(involved))
    }

    /// A check or piece of work whose status the line itself prints: `npm test > log; echo $?`.
    fn stated(&self, involved: &Involved) -> Option<Hidden<'t>> {
        let works = |at: At, nature: Nature| {
            let is_work =
                |command: &Command| command.is(Trait::Works) || RUNS.contains(&usual_of(involved, at, command));
            // No program ends so that was to fail.
            let is_end = || nature != Nature::Plain && self.ended_by_force(at).is_some();
            matches!(nature, Nature::Task { .. }) || involved.command(at).is_some_and(is_work) || is_end()
        };
        let is_answer = |at: At, status: u32| {
            let status = i32::try_from(status).unwrap_or(i32::MAX);
            involved.command(at).is_some_and(|command| answers(command, status))
        };
        let failed = |at: At| self.printed_status(at).is_some_and(|status| status != 0 && !is_answer(at, status));
        let may_be_tried = |at: At| {
            involved.command(at).is_some_and(|command| {
                // A program outside the project is one that the agent tries, errors and all.
                command.only_looks()
                    || asks_about_itself(command)
                    || command.raw.starts_with('/') && command.known.is_none()
            })
        };
        // Of a chain whose status is printed nobody knows which command it is of.
        let of_line = involved.natures().filter(|(at, _)| failed(*at));
        let of_line: Vec<_> = of_line.map(|(at, nature)| (at, works(at, nature) && !may_be_tried(at))).collect();
        let is_alone = |at: At| self.heard(involved).printed_status(at).is_some_and(|(_, alone)| alone);
        let (at, _) = *of_line.iter().rfind(|(at, is_work)| {
            *is_work
                && (is_alone(*at) || of_line.iter().all(|(other, is_work)| *is_work || is_prepared(involved, *other)))
        })?;
        let is_alone = is_alone(at);
        let likely = involved.command(at).map_or(Category::Unknown, |command| usual_of(involved, at, command));
        let mut reading = match cause(&self.found, true)
            .filter(|line| involved.direct(line.tool).any(|place| place == at))
        {
            Some(line) => self.explained(line),
            None => {
                Reading { line: self.text.lines().last().map(|line| cut(line.trim(), 300)), ..Reading::unrecognised() }
            }
        };
        if reading.category == Category::Unknown
            && let Some(category) = self.ended_by_force(at)
        {
            (reading.category, reading.basis) = (category, Some(Basis::Status));
        } else if reading.category == Category::Unknown && RUNS.contains(&likely) {
            (reading.category, reading.basis) = (likely, Some(Basis::Status));
        } else if reading.category == Category::Unknown {
            guess(&mut reading, likely);
        }
        (reading.result, reading.proof, reading.transient) = (RunResult::Failed, Proof::Parsed, None);
        Some(Hidden { cause: None, at: Some(at).filter(|_| is_alone), reading })
    }

    /// What a printed status says of a program that was not started, or was ended by a limit or a signal. A limit that the
    /// agent sets on what does not end by itself is none.
    fn ended_by_force(&self, at: At) -> Option<Category> {
        let status = i32::try_from(self.printed_status(at)?).ok()?;
        let is_served = || {
            let command = self.involved.as_ref().and_then(|involved| involved.command(at));
            status == 124 && command.is_none_or(|command| is_endless(command) || serves(self.text))
        };
        self.by_code(status).filter(|_| status != 143 && !is_served())
    }

    /// The result of a line that succeeded and proves no pass: it prints the status of a command that failed, whatever that
    /// is for, or lists a job of CI that has not passed.
    pub(super) fn unproven(&self) -> Option<RunResult> {
        let script = self.involved.as_ref().filter(|_| !self.text.is_empty())?.script;
        let is_job = |f: &&Found<'_>| f.row.category == Category::CiCheckFailed && f.reach == Reach::Direct;
        let has_failed = |f: &Found<'_>| f.line.split_whitespace().any(|word| word == "fail");
        if self.found.iter().any(|f| is_job(&f)) {
            let failed = self.found.iter().filter(is_job).any(has_failed);
            return Some(if failed { RunResult::Failed } else { RunResult::Unstated });
        }
        let runs =
            || script.programs().filter(|(_, command)| script.pipelines.len() > 1 && !command.is(Trait::Prepares));
        let ended =
            || runs().filter_map(|(at, command)| Some((command, i32::try_from(self.printed_status(at)?).ok()?)));
        let failed =
            ended().any(|(_, status)| status != 0) && !ended().any(|(command, status)| answers(command, status));
        failed.then_some(RunResult::Failed)
    }

    fn heard<'h>(&'h self, involved: &'h Involved<'h>) -> PartText<'h, 't> {
        PartText { call: self.call, involved, text: self.text, found: &self.found, cause: None, at: None }
    }

    /// A run or a piece of work that says itself that it failed.
    fn failed_run(&self, involved: &Involved) -> Option<Hidden<'t>> {
        let old_log = involved.shows_old_log();
        // Most lines are of one tool: whether the line hides it, and whether its one run does not close with a pass.
        let mut asked: Vec<(&ToolTable, (bool, bool))> = Vec::new();
        let mut of_tool = |tool: &'static ToolTable| {
            let known = asked.iter().find(|(other, _)| std::ptr::eq(*other, tool)).map(|(_, known)| *known);
            known.unwrap_or_else(|| {
                let of_it = (involved.hides(tool), !self.ends_passed(involved, tool));
                asked.push((tool, of_it));
                of_it
            })
        };
        let mut runs = |f: &Found<'_>| {
            if f.reach > Reach::Beside || !RUNS.contains(&f.tool.usual) {
                return false;
            }
            let (hides, is_open) = of_tool(f.tool);
            is_open
                && (hides || self.closes(involved, f))
                && !only_warns(f.line)
                && !tells_all_mended(f.line)
                && !(old_log && self.passed(f.tool))
        };
        let works = |f: &Found<'_>| {
            f.reach == Reach::Direct
                && says_error(f)
                && (involved.loses_work(f.tool) || self.closes(involved, f))
                && !passed_since(&self.found, f)
        };
        let of_runs: Vec<Found<'t>> = self.found.iter().filter(|f| runs(f) || works(f)).copied().collect();
        let cause = match cause(&of_runs, false) {
            Some(line) => *self.missing_package(involved, line).unwrap_or(line),
            None => match self.unstarted(involved).or_else(|| self.stopped_task(involved)) {
                Some(line) => *line,
                None => self.gave_up(involved)?,
            },
        };
        let cwd = self.call.cwd.as_deref();
        let mut reading = reading_of(&cause, &self.found, Some(involved), self.text, cwd);
        if reading.category == Category::Unknown {
            // The runner's own line names the task that failed.
            match by_hidden_task(involved, cause.tool) {
                named if RUNS.contains(&named) => (reading.category, reading.basis) = (named, Some(Basis::Words)),
                other => guess(&mut reading, other),
            }
        }
        reading.transient = None;
        reading.proof = Proof::Parsed;
        Some(Hidden { cause: Some(cause), at: None, reading })
    }

    /// The cause by which a program of the line ended that says itself that it failed: its status is lost, in the line or in
    /// the script that it runs, or is 0 whatever it met.
    fn gave_up(&self, involved: &Involved) -> Option<Found<'t>> {
        let tries = |at: At| {
            let shows = |c: &Command| c.is(Trait::Shows) && !involved.shows_what_it_wrote(c);
            involved.status_of(at) == Fate::Lost(Loss::Or) && involved.script.alternative(at).is_some_and(shows)
        };
        let is_its = |f: &Found<'_>, at: At, command: &Command| {
            if !matches!(f.tool.scope, RowScope::Shell) {
                let is_kept = || f.row.ends == Ends::WithZero && involved.status_of(at) == Fate::Kept;
                return involved.direct(f.tool).any(|own| own == at) && (self.loses(at) || is_kept());
            }
            let script = file_name(f.line.split(':').next().unwrap_or_default());
            let runs = |word: &str| file_name(word) == script;
            if runs(&command.raw) || command.is(Trait::RunsScript) && command.subcommands().next().is_some_and(runs) {
                return self.loses(at);
            }
            let is_inside = involved.is_one_script()
                && involved.natures().any(|(place, nature)| place == at && nature != Nature::Plain);
            is_inside && (involved.status_of(at) == Fate::Kept || self.loses(at))
        };
        let is_lost = |f: &&Found<'_>| {
            let mut programs = involved.script.programs();
            f.reach == Reach::Direct
                && f.row.ends != Ends::Unsaid
                && programs.any(|(at, command)| is_its(f, at, command) && !command.silences_errors() && !tries(at))
        };
        let end = self.found.iter().find(is_lost).filter(|_| !self.is_told_otherwise(involved))?;
        let speaker = split_speaker(end.line).map(|(name, _)| name);
        let is_of_program = |f: &&Found<'_>| {
            f.tool.name == end.tool.name && f.reach == Reach::Direct
                || speaker.is_some() && split_speaker(f.line).map(|(name, _)| name) == speaker
        };
        let of_program: Vec<Found<'t>> = self.found.iter().filter(is_of_program).copied().collect();
        cause(&of_program, true).or(Some(end)).copied()
    }

    /// Whether what the line prints may be of others, or a run in it says that it passed.
    fn is_told_otherwise(&self, involved: &Involved) -> bool {
        self.call.exit_meaning.is_some()
            || self.shows_others(involved)
            || self.found.iter().any(|f| matches!(f.row.role, Role::Passed | Role::Idle))
    }

    /// Whether the line shows what others said, and hands it to nothing that works on it.
    fn shows_others(&self, involved: &Involved) -> bool {
        let mut first = involved.script.programs().filter(|(at, _)| at.stage == 0);
        first.any(|(at, command)| tells_of_others(command, involved) && !self.is_worked_on(involved, at))
    }

    /// Whether the output of a script, of a program that starts another, or of a task whose status is lost ends in the failed
    /// result of a run, behind which a task's runner may say a few words.
    fn closes(&self, involved: &Involved, result: &Found<'_>) -> bool {
        if !matches!(result.row.role, Role::Failed | Role::Wrapper) {
            return false;
        }
        let is_task =
            |(at, nature)| matches!(nature, Nature::Task { .. }) && self.loses(at) && !is_prepared(involved, at);
        let mut first = involved.script.programs().filter(|(at, _)| at.stage == 0);
        let mut is_told = || first.any(|(_, command)| tells_of_others(command, involved));
        let is_lost_task = result.reach == Reach::Task && involved.natures().any(is_task) && !is_told();
        let loses = || match result.reach {
            Reach::Direct => involved.script.programs().any(|(_, command)| !command.wrappers.is_empty()),
            reach => reach == Reach::Task && involved.is_one_script(),
        };
        if !is_lost_task && !loses() {
            return false;
        }
        // What starts it may say where its whole output is.
        let is_note = |line: &&str| line.is_empty() || line.starts_with("[full output: ") && line.ends_with(']');
        let own = if is_lost_task { without_git(without_echoes(self.text, involved), involved) } else { self.text };
        let below = if is_lost_task { BELOW } else { 0 };
        let mut last = own.lines().rev().map(str::trim).filter(|line| !is_note(line)).take(below + 1);
        last.any(|line| line == result.line)
            && !self.found.iter().any(|f| f.row.role == Role::Passed && f.at > result.at)
    }

    /// Whether the one run of a runner that closes with its result closes with a pass: what stands before was printed
    /// by its tests.
    fn ends_passed(&self, involved: &Involved, tool: &ToolTable) -> bool {
        if !programs::are_of(tool.name, Trait::Closes) || !involved.runs_once(tool) {
            return false;
        }
        let results = || {
            self.found.iter().filter(|f| f.tool.name == tool.name && matches!(f.row.role, Role::Failed | Role::Passed))
        };
        let Some(last) = results().max_by_key(|f| f.line.as_ptr() as usize) else { return false };
        results().filter(|f| std::ptr::eq(f.line.as_ptr(), last.line.as_ptr())).all(|f| f.row.role == Role::Passed)
    }

    /// Whether the tool printed a result of its own that passed.
    fn passed(&self, tool: &ToolTable) -> bool {
        self.found.iter().any(|f| f.tool.name == tool.name && f.row.role == Role::Passed)
    }

    /// The package that a run of the line lacked: it explains what the run said after.
    fn missing_package(&self, involved: &Involved, run: &Found<'_>) -> Option<&Found<'t>> {
        self.found.iter().find(|f| {
            f.row.category == Category::DependencyMissing
                && f.row.role == Role::Finding
                && f.reach <= Reach::Beside
                && f.id < run.id
                && involved.hides(f.tool)
        })
    }

    /// What the shell says of a command of the line that it did not start: its program is missing, or a word that is no path
    /// was taken for a pattern.
    fn unstarted(&self, involved: &Involved) -> Option<&Found<'t>> {
        let is_lost = |(at, command): &(At, &Command)| {
            is_followed(involved, *at) && !asks_about_itself(command) && !command.silences_errors()
        };
        let lost = || involved.script.programs().filter(is_lost).map(|(_, command)| command);
        let is_missing =
            |program: &str| is_hidden_runner(involved, program) || lost().any(|command| command.program == program);
        let is_no_path = |word: &str| lost().any(|c| c.args.iter().any(|arg| arg == word) && takes_no_path(c, word));
        self.found.iter().find(|f| {
            f.row.role == Role::Finding
                && match f.row.category {
                    Category::CommandNotFound => f.captures.object.is_some_and(is_missing),
                    Category::ShellSyntax => f.captures.file.is_some_and(is_no_path),
                    _ => false,
                }
        })
    }

    /// What stopped a task whose status the line hides, where the runner itself says that it stopped.
    fn stopped_task(&self, involved: &Involved) -> Option<&Found<'t>> {
        let stopped = |f: &&Found<'_>| {
            // `gh pr checks || true` looks, whatever it finds.
            let is_piped = || involved.direct(f.tool).any(|at| involved.status_of(at) == Fate::Lost(Loss::Pipe));
            let is_asked = || f.row.category == Category::CiCheckFailed && !is_piped();
            let is_lost = f.row.stops && f.reach == Reach::Direct && involved.hides(f.tool) && !is_asked();
            is_lost || f.row.role == Role::Wrapper && self.closes(involved, f)
        };
        let stopped = self.found.iter().find(stopped)?;
        cause(&self.found, true).or(Some(stopped))
    }

    // ---- programs that ended in an error ----

    /// A program whose last words are those of an error that nobody caught.
    fn ended(&self, involved: &Involved) -> Option<Hidden<'t>> {
        let lost: Vec<At> =
            involved.natures().filter(|(at, nature)| self.is_lost(*at, *nature)).map(|(at, _)| at).collect();
        if lost.is_empty() && !is_uncaught(self.text) || self.is_told_otherwise(involved) {
            return None;
        }
        let goes_on_after = |place: &At| involved.script.programs().any(|(at, _)| at.pipeline > place.pipeline);
        let more = lost.last().is_some_and(goes_on_after);
        let spoken = without_echoes(self.text, involved);
        let runs = match lost.as_slice() {
            [only] => runs_by_name(involved, *only),
            _ => Runs::default(),
        };
        // `a > log || tail log` shows the log of what failed.
        let logged = || {
            let is_shown = |at: &&At| {
                let command = involved.command(**at);
                let shows = |c: &Command| c.is(Trait::Shows) && involved.shows_what_it_wrote(c);
                involved.status_of(**at) == Fate::Lost(Loss::Or)
                    && involved.script.alternative(**at).is_some_and(shows)
                    && command.is_some_and(|command| involved.shows_own_output(command))
            };
            let text = Some(spoken).filter(|text| !text.is_empty() && lost.iter().any(|at| is_shown(&at)))?;
            Some(TextEnding { text, speaker: Speaker::Only })
        };
        let bare = || {
            let runs_file = |command: &Command| command.is(Trait::Interpreter) && !is_inline(command);
            let is_of_file = |at: &At| involved.command(*at).is_some_and(runs_file);
            let is_raised = is_bare_exception(spoken) && lost.iter().all(is_of_file);
            is_raised.then_some(TextEnding { text: spoken, speaker: Speaker::Runtime(None) })
        };
        let ending = ending(spoken, more, runs).or_else(logged).or_else(bare)?;
        let at = if lost.is_empty() { own_script(involved, &ending)? } else { self.speaker(involved, &lost, &ending)? };
        let shows = At { stage: 0, ..at };
        let is_fed = at != shows && involved.command(shows).is_some_and(|shown| tells_of_others(shown, involved));
        if is_fed && !has_own_trace(involved.command(at)?, &ending) {
            return None;
        }
        // Of several last words of git the first is the innermost.
        let above = before(ending.text, spoken).lines().rev().take_while(|line| line.starts_with("fatal: ")).last();
        let ending = TextEnding { text: above.unwrap_or(ending.text), ..ending };
        Some(self.hidden_end(involved.command(at)?, at, &ending, runs))
    }

    /// The failure of a commit that was refused, by a hook that ran what failed; None also where what a run said stands above
    /// all that the commit printed.
    fn refused(&self, involved: &Involved, run: Option<&Hidden<'_>>) -> Option<Hidden<'t>> {
        let at = refused_commit(involved.script, self.text)?;
        let most = involved.script.readers(at).filter_map(lets_through).min();
        let own = last_lines(without_git(self.text, involved), most);
        let is_above = |line: &str| offset_in(line, self.text) < offset_in(own, self.text);
        if run.and_then(|run| run.cause.as_ref()).is_some_and(|cause| is_above(cause.line)) {
            return None;
        }
        // A hook's name is its own: `pre-commit: tabs in a.py`.
        let is_hook = |name: &str| name.starts_with("pre-") || name.ends_with("-msg");
        let said = |line: &&str| split_speaker(line).is_some_and(|(name, _)| is_hook(name));
        let text = own.lines().rev().map(str::trim).find(said).unwrap_or(own);
        let ending = TextEnding { text, speaker: Speaker::Only };
        Some(self.hidden_end(involved.command(at)?, at, &ending, Runs::default()))
    }

    /// The last command that printed, where its status is lost and its last words are an error: what others printed stands
    /// above them, or below in lines that can be told.
    fn ended_last(&self, involved: &Involved) -> Option<Hidden<'t>> {
        let programs = || involved.script.programs().filter(|(at, _)| at.stage == 0);
        if programs().any(|(at, _)| self.printed_status(at).is_some()) {
            return None;
        }
        // What a file holds that the line shows may be the trace of another program.
        let is_told = self.shows_others(involved);
        let mut below = 0;
        for (at, command) in programs().collect::<Vec<_>>().into_iter().rev() {
            let said = self.ended_above(involved, at.pipeline, below, is_told);
            if said.is_some() {
                return said;
            }
            below += most_lines(involved.script, at, command).filter(|most| below + most <= BELOW)?;
        }
        None
    }

    /// The same of the commands of one pipe, where at most so many lines of others stand below; `is_told`: of a trace of its
    /// own code alone.
    fn ended_above(&self, involved: &Involved, pipeline: usize, below: usize, is_told: bool) -> Option<Hidden<'t>> {
        let of_pipe = |(at, nature): &(At, Nature)| at.pipeline == pipeline && self.is_lost(*at, *nature);
        let (at, nature) = involved.natures().filter(of_pipe).last()?;
        let command = involved.command(at).filter(|command| !command.only_looks() && !command.is(Trait::HandsOver))?;
        let is_fed = is_told
            || at.stage > 0
                && involved.command(At { stage: 0, ..at }).is_some_and(|first| tells_of_others(first, involved));
        let is_chosen = involved.script.readers(at).any(chooses_lines);
        let own_most = involved.script.readers(at).filter_map(lets_through).min();
        let runs = runs_by_name(involved, at);
        let text = without_echoes(without_git(self.text, involved), involved);
        (0..=below).find_map(|cut| {
            let text = last_lines(without_last_lines(text, cut), own_most);
            let ending = ending(text, false, runs).or_else(|| {
                let is_hint = |line: &&str| {
                    split_speaker(line).is_some_and(|(_, rest)| rest.starts_with("hint: ")) || is_warning(line)
                };
                let line = text.lines().map(str::trim).rev().find(|line| !is_hint(line))?;
                let (name, _) = split_speaker(line).filter(|_| sentences::told(line, false).is_some())?;
                Some(TextEnding { text: line, speaker: Speaker::Program(name) })
            })?;
            let is_own = match ending.speaker {
                Speaker::Runtime(_) => nature != Nature::Plain && (!is_fed || has_own_trace(command, &ending)),
                _ if is_fed => false,
                Speaker::Program("error" | "Error" | "ERROR") | Speaker::Only => {
                    !is_chosen || sentences::failed_case(ending.text, runs).is_some()
                }
                Speaker::Program(name) => [command.program.as_str(), command.name()].contains(&file_name(name)),
                Speaker::Shell(_) => false,
            };
            let start = offset_in(ending.text, self.text)?;
            let passes = |f: &Found<'_>| {
                matches!(f.row.role, Role::Passed | Role::Idle)
                    && offset_in(f.line, self.text).is_none_or(|at| at >= start)
            };
            (is_own && !self.found.iter().any(passes)).then(|| self.hidden_end(command, at, &ending, runs))
        })
    }

    /// What the last words of the command at this place tell.
    fn hidden_end(&self, command: &Command, at: At, ending: &TextEnding<'_>, runs: Runs) -> Hidden<'t> {
        let mut reading = self.reading_of_end(command, ending, runs.checks);
        (reading.transient, reading.proof) = (None, Proof::Parsed);
        if let Some(case) = sentences::failed_case(ending.text, runs).filter(|_| reading.category == Category::Unknown)
        {
            (reading.category, reading.basis) = (Category::TestFailure, Some(Basis::Words));
            reading.line = Some(cut(case, 300));
        }
        Hidden { cause: None, at: Some(at), reading }
    }

    /// Whether what the command shows goes into a program of the pipe, which runs code and may fail at it.
    fn is_worked_on(&self, involved: &Involved, at: At) -> bool {
        let reads = |reader: At, nature| reader.stage > 0 && self.is_lost(reader, nature);
        involved.natures().any(|(reader, nature)| reader.pipeline == at.pipeline && reads(reader, nature))
    }

    /// A program that is asked for something, and whose error is all that came, of it alone or between two marks that the line
    /// prints: `pg_restore --list a.dump | head`, `gh pr list; echo ---; rg -t nix x | head`.
    fn spoke_only(&self, involved: &Involved) -> Option<Hidden<'t>> {
        // Of most lines nothing is lost.
        if involved.natures().all(|(at, _)| !is_followed(involved, at)) {
            return None;
        }
        let is_mark = |line: &str| is_printed_by(involved.script, line.trim());
        let marks = involved.script.programs().any(|(_, command)| command.is(Trait::Prints));
        let whole = self.spoke_in(involved, self.text, marks);
        if whole.is_some() || !marks {
            return whole;
        }
        let pairs = self.text.lines().zip(self.text.lines().skip(1));
        let behind = pairs.filter(|(mark, line)| split_speaker(line).is_some() && is_mark(mark));
        behind
            .filter_map(|(_, line)| self.text.get(offset_in(line, self.text)?..))
            .find_map(|text| self.spoke_in(involved, text, true))
    }

    /// The same of the text up to the next mark: its first words, or a complaint below them about a word of the call.
    fn spoke_in(&self, involved: &Involved, text: &'t str, marks: bool) -> Option<Hidden<'t>> {
        let first = text.lines().map(str::trim).find(|line| !line.is_empty())?;
        // What most lines end in only shows: there nothing below the first words is its own.
        let does_more = |(at, command): (At, &Command)| {
            is_followed(involved, at) && !command.only_looks() && !tells_of_others(command, involved)
        };
        let below = || involved.script.programs().any(does_more).then(|| given::complaints(text)).into_iter().flatten();
        self.complained(involved, text, marks, (first, true)).or_else(|| {
            below().filter(|line| *line != first).find_map(|line| self.complained(involved, text, marks, (line, false)))
        })
    }

    /// What an installed program says whose shown output begins or ends as an error does, where nothing else of the line may
    /// have printed that. Checks have results of their own.
    fn marked(&self, involved: &Involved) -> Option<Hidden<'t>> {
        if involved.natures().all(|(at, _)| !is_followed(involved, at)) || self.is_told_otherwise(involved) {
            return None;
        }
        let programs = || involved.script.programs().filter(|(at, _)| at.stage == 0);
        let speaks = |(at, command): &(At, &Command)| {
            is_followed(involved, *at)
                && self.loses(*at)
                && !command.only_looks()
                && !TRIED.iter().any(|tried| command.is(*tried))
                && command.known.is_some()
                && given::is_installed(involved, *at)
                && command.facts_like(|fact| matches!(fact, Fact::Sources(_))).next().is_none()
                && !RUNS.contains(&usual_of(involved, *at, command))
        };
        let is_mute = |command: &Command| command.is(Trait::Prepares) || command.is(Trait::Enters);
        let is_error = |line: &&str| {
            let is_its = |f: &Found<'_>| f.tells() && f.reach == Reach::Direct && !RUNS.contains(&f.row.category);
            !is_warning(line)
                && (sentences::begins_as_error(line) && line.contains(": ")
                    || self.found.iter().any(|f| f.line == *line && is_its(f)))
        };
        let lines = || self.text.lines().map(str::trim).filter(|line| !line.is_empty());
        let first = || {
            let spoken = programs().find(|(_, command)| !is_mute(command)).filter(speaks)?;
            Some((spoken, lines().next().filter(is_error)?))
        };
        let last = || {
            let spoken = programs().last().filter(speaks)?;
            Some((spoken, lines().next_back().filter(is_error)?))
        };
        let ((at, command), line) = last().or_else(first)?;
        let ending = TextEnding { text: line, speaker: Speaker::Program(&command.program) };
        let mut reading = self.reading_of_end(command, &ending, false);
        (reading.transient, reading.proof) = (None, Proof::Parsed);
        Some(Hidden { cause: None, at: Some(at), reading })
    }

    /// What the line of the text says of a command whose status is lost. Below the first line only a complaint about a word
    /// of the call is believed, and of no program that runs code: that has words of its own.
    fn complained(
        &self,
        involved: &Involved,
        text: &'t str,
        marks: bool,
        (line, is_first): (&'t str, bool),
    ) -> Option<Hidden<'t>> {
        let is_lost = |at: At| is_followed(involved, at) && self.printed_status(at) != Some(0);
        let first = behind_value(line);
        let spoken = split_speaker(first).map_or("", |(spoken, _)| spoken);
        let is_given =
            |command: &Command, name: &str| command.args.iter().any(|arg| arg.trim_start_matches('-') == name);
        let is_own = |command: &Command| file_name(spoken) == command.program;
        // A complaint about what was asked for is the program's own, whatever was printed behind it.
        let names_own_word = |at: At, command: &Command| {
            let is_help = |arg: &String| arg.starts_with("--help");
            // Who prints the status of the project's own code has seen it.
            let is_printed = || self.printed_status(at).is_some() && !given::is_installed(involved, at);
            let is_seen = command.is_by_path() || command.args.iter().any(is_help) || !self.loses(at) || is_printed();
            let quotes = || command.only_looks() || tells_of_others(command, involved);
            let names = || names_word_of(first, command) && (is_own(command) || !quotes());
            !is_seen && !is_warning(first) && (denies_option(first, command) || names())
        };
        let names_option = |arg: &String| arg.len() > 3 && arg.starts_with("--") && first.contains(arg.as_str());
        // Another program may have been put in its place, or be started by it: then it names what it was given.
        let names_it = |command: &Command| {
            is_own(command)
                || spoken.eq_ignore_ascii_case("error")
                || is_given(command, spoken)
                || command.args.iter().any(names_option)
        };
        let may_be_of = |at: At, command: &Command| {
            let names_it = if is_first { names_it(command) } else { is_own(command) };
            !spoken.is_empty() && names_it
                || (is_first || denies_option(first, command) || given::is_installed(involved, at))
                    && names_own_word(at, command)
        };
        // What a program of the line says in its own name is of no other.
        let is_named = involved.script.programs().any(|(_, command)| is_own(command));
        let is_it =
            |(at, command): &(At, &Command)| is_lost(*at) && (!is_named || is_own(command)) && may_be_of(*at, command);
        let (at, command) = involved.script.programs().find(is_it)?;
        let known = self.found.iter().find(|found| found.tells() && found.line.ends_with(first));
        let is_of_word = names_own_word(at, command);
        let may_be_told = |category: Category| match category {
            Category::PermissionDenied => is_of_word,
            category => !is_of_word || !RUNS.contains(&category) || first.contains(": error: "),
        };
        let told = sentences::told(first, false).filter(|told| may_be_told(told.category));
        // Whoever asks whether something is there or ready has an answer; a call that is wrong in itself is none.
        let is_wrong = |category: Category| matches!(category, Category::BadArguments | Category::AuthRequired);
        let is_wrong = known.is_some_and(|found| is_wrong(found.row.category))
            || told.as_ref().is_some_and(|told| is_wrong(told.category));
        let object = known.and_then(|found| found.captures.object);
        let object = object.or_else(|| told.as_ref()?.object.as_ref().map(|object| object.name.as_str()));
        // Of `-name` a program that takes letters one by one names the first.
        let begins = |name: &str| {
            name.len() == 2 && name.starts_with('-') && command.args.iter().any(|arg| arg.starts_with(name))
        };
        let names = |name: &str| is_given(command, name.trim_start_matches('-')) || begins(name);
        let is_its = is_of_word || is_own(command) || is_wrong && object.is_some_and(names);
        if !is_its || !is_wrong && TRIED.iter().any(|tried| command.is(*tried)) {
            return None;
        }
        let of_errors = |line: &str| line.starts_with([' ', '\t']) || line.contains(": ");
        let line = told.map(|told| told.line).or_else(|| known.map(|_| first))?;
        let mark = text.lines().find(|line| marks && is_printed_by(involved.script, line.trim()));
        let text = mark.map_or(text, |mark| before(mark, text));
        let is_all = is_of_word || text.lines().all(of_errors) || only_explains(line, text);
        if command.silences_errors() || !is_all {
            return None;
        }
        let ending = TextEnding { text: line, speaker: Speaker::Program(&command.program) };
        let mut reading = self.reading_of_end(command, &ending, false);
        (reading.transient, reading.proof) = (None, Proof::Parsed);
        Some(Hidden { cause: None, at: Some(at), reading })
    }

    /// Whether the command does something of its own, could say that it failed, and the line cannot tell.
    fn is_lost(&self, at: At, nature: Nature) -> bool {
        let command = self.involved.as_ref().and_then(|involved| involved.command(at));
        let works = |command: &Command| {
            nature != Nature::Plain
                || command.is(Trait::Works)
                || command.program_is(Trait::VersionControl)
                || command.effect().is_some()
        };
        command.is_some_and(works) && self.loses(at)
    }

    /// Whether the line cannot tell that the command failed.
    fn loses(&self, at: At) -> bool {
        let Some(involved) = &self.involved else { return false };
        let Some(command) = involved.command(at) else { return false };
        let lost = match involved.status_of(at) {
            Fate::Lost(Loss::Pipe | Loss::Followed | Loss::Loop) => true,
            // `a && echo yes || echo no` asks.
            Fate::Lost(Loss::Or) => {
                let is_asked = involved.script.programs().any(|(later, _)| involved.script.leads_to(at, later));
                !is_asked && involved.alternative_only_speaks(at)
            }
            Fate::Lost(Loss::Background) => involved.shows_own_output(command) || involved.script.waits_for(at),
            _ => false,
        };
        lost && !involved.is_tried_again(at)
            && !involved.script.is_substituted(at)
            && !asks_about_itself(command)
            && command.subcommands().next() != Some("help")
            && !command.silences_errors()
            && self.printed_status(at) != Some(0)
    }

    fn printed_status(&self, at: At) -> Option<u32> {
        self.heard(self.involved.as_ref()?).printed_status(at).map(|(status, _)| status)
    }

    /// Which of the commands whose status is lost said it.
    fn speaker(&self, involved: &Involved, lost: &[At], ending: &TextEnding<'_>) -> Option<At> {
        let command = |at: &At| involved.command(*at);
        let runs = |at: &At, none: &[Nature]| {
            involved.natures().any(|(place, nature)| place == *at && !none.contains(&nature))
        };
        let named = |name: &str| {
            let name = file_name(name);
            lost.iter().rev().find(|at| command(at).is_some_and(|c| c.program == name || c.name() == name)).copied()
        };
        // A task or a wrapper may have asked for what is missing.
        let asks =
            |at: &&At| command(at).is_some_and(|c| c.is(Trait::Tasks) || c.is(Trait::Hosts) || !c.wrappers.is_empty());
        match ending.speaker {
            // A commit's hook runs code, too.
            Speaker::Runtime(_) => [&[Nature::Plain, Nature::Hooks][..], &[Nature::Plain]]
                .iter()
                .find_map(|none| lost.iter().rev().find(|at| runs(at, none)).copied()),
            Speaker::Shell(program) => named(program).or_else(|| match lost {
                [only] => Some(only).filter(asks).copied(),
                _ => None,
            }),
            Speaker::Program("fatal") => {
                let of_git = |at: &&At| {
                    command(at).is_some_and(|c| {
                        c.program_is(Trait::VersionControl) && (!c.only_looks() || is_piped(involved, **at))
                    })
                };
                lost.iter().rev().find(of_git).copied()
            }
            // Who prints the status has seen it.
            Speaker::Program(_) | Speaker::Only if lost.iter().any(|at| self.printed_status(*at).is_some()) => None,
            Speaker::Program("error" | "Error" | "ERROR") | Speaker::Only => only_speaker(involved, lost),
            Speaker::Program(name) => named(name),
        }
    }

    /// What the last words of the command tell, read as those of a call of nothing else that failed.
    fn reading_of_end(&self, command: &Command, ending: &TextEnding<'_>, checks: bool) -> Reading {
        let call =
            ToolCall { status: Status::Failed, text: Cow::Borrowed(ending.text), exit_code: None, ..self.call.clone() };
        let script = Script::of_command(command);
        let involved = Involved::of(&script);
        let found = collect(&call, Some(&involved), ending.text);
        let case = JudgedCall::of(&call, Some(involved), ending.text.trim(), found);
        let finding = || sentences::told(ending.text, true).filter(|told| told.category == Category::LintError);
        let mut reading = match cause(&case.found, true) {
            None if let Some(told) = finding().filter(|_| checks) => {
                let mut reading = Reading::unrecognised();
                state(&mut reading, told, ending.text);
                reading
            }
            Some(line) => case.explained(line),
            None => case.unexplained(),
        };
        if reading.category == Category::Unknown
            && let Some(told) = sentences::told(ending.text, checks)
        {
            state(&mut reading, told, ending.text);
        }
        let is_vague = reading.category == Category::Unknown
            || (reading.category, reading.basis) == (Category::CompileError, Some(Basis::Words));
        if is_vague && matches!(ending.speaker, Speaker::Runtime(_)) {
            (reading.category, reading.basis) = (Category::RuntimeError, Some(Basis::Words));
        }
        if let Some(involved) = &case.involved {
            given::refine(&mut reading, involved, ending.text);
        }
        reading
    }
}

/// Whether the status of the command at this place is lost because others come after it.
fn is_followed(involved: &Involved, at: At) -> bool {
    matches!(involved.status_of(at), Fate::Lost(Loss::Pipe | Loss::Followed | Loss::Loop))
}

/// Whether a line counts failures, and each of its counts is 0, in any order of its words: `Tests Passed: 12, Failed: 0`,
/// `0 failed`, `failures=0`, `0 tests failed`.
fn counts_no_failure(line: &str) -> bool {
    let is_sign = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '(' | ')' | '|' | '[' | ']');
    let words: Vec<&str> = line.split(is_sign).filter(|word| !word.is_empty()).collect();
    let number = |at: Option<usize>| words.get(at?)?.parse::<u64>().ok();
    let mut counts = words.iter().enumerate().filter_map(|(at, word)| match word.split_once([':', '=']) {
        Some((name, value)) if fails(name) => {
            value.parse().ok().or_else(|| number(Some(at + 1)).filter(|_| value.is_empty()))
        }
        None if fails(word) => number(at.checked_sub(1)).or_else(|| number(at.checked_sub(2))),
        _ => None,
    });
    let Some(first) = counts.next() else { return false };
    first == 0 && counts.all(|count| count == 0)
}

/// Whether a word counts what did not pass.
fn fails(word: &str) -> bool {
    ["fail", "error"].iter().any(|start| begins_in_any_case(word, start))
        && word.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// Whether a line counts as many mended as found, or names what was mended: `3 offenses detected, 3 offenses corrected`.
fn tells_all_mended(line: &str) -> bool {
    if !line.contains("orrected") && !line.contains("fixed") {
        return false;
    }
    if line.contains(": [Corrected] ") {
        return true;
    }
    let count = |said: &[&str]| {
        line.split(',').find_map(|part| {
            let is_said = part.split_whitespace().any(|word| said.contains(&word));
            part.split_whitespace().find_map(|word| word.parse::<u64>().ok()).filter(|_| is_said)
        })
    };
    let mended = count(&["corrected", "fixed"]);
    mended.is_some() && mended == count(&["detected", "found"])
}

/// Whether a line is a warning of a compiler or linter: `a.ts:3:4: warning: unused`.
fn only_warns(line: &str) -> bool {
    let holds = |word: &str| line.as_bytes().windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes()));
    // Nearly no line does.
    let may_warn = line.contains("arning") || line.contains("ARNING");
    may_warn && (holds(": warning") || holds(" warning ")) && !holds("error") && !holds("fail")
}

/// The command whose own script is the outermost frame of the trace that the text ends with.
fn own_script(involved: &Involved, ending: &TextEnding<'_>) -> Option<At> {
    let Speaker::Runtime(Some(script)) = ending.speaker else { return None };
    let (at, _) = involved.last_kept()?;
    let command = involved.command(at)?;
    let runs = |word: &str| file_name(word) == file_name(script);
    (command.subcommands().next().is_some_and(runs) || runs(&command.raw)).then_some(at)
}

/// Whether the trace goes through the code that the command itself runs: what it reads may hold traces of others.
fn has_own_trace(command: &Command, ending: &TextEnding<'_>) -> bool {
    let own = if command.has_letter('c') || command.has_letter('e') { None } else { command.subcommands().next() };
    let is_own = |sign: &str| ending.text.contains(sign);
    matches!(ending.speaker, Speaker::Runtime(_))
        && own.map_or_else(
            || ["\"<string>\"", "\"<stdin>\"", "[eval]", "-e:"].into_iter().any(is_own),
            |script| is_own(file_name(script)),
        )
}

/// What the command at this place does by its name.
fn runs_by_name(involved: &Involved, at: At) -> Runs {
    let Some(command) = involved.command(at) else { return Runs::default() };
    let is_check = involved.natures().any(|run| run == (at, Nature::Task { checks: true }));
    let asks =
        || command.known.is_none() && command.subcommands().any(|word| ["check", "validate", "verify"].contains(&word));
    // A program that is given nothing to read counts what it did itself.
    let is_own = command.known.is_none() && command.args.is_empty();
    let script = || command.subcommands().next().filter(|_| command.is(Trait::Interpreter)).map(file_name);
    let names = |parts: &[&str]| script().is_some_and(|script| parts.iter().any(|part| script.contains(part)));
    let names_tests = by_name(command) == Category::TestFailure || is_own || names(&["test"]);
    let serves = involved.natures().any(|run| run == (at, Nature::Task { checks: false })) || command.is(Trait::Starts);
    let checks = checks_by_name(command) || asks() || names(&["check", "lint", "valid", "verify"]);
    Runs { tests: is_check || names_tests, checks, ends: !serves }
}

/// The one command of the line that could have said it, where all others only prepare, or show all that it said last or
/// first.
fn only_speaker(involved: &Involved, lost: &[At]) -> Option<At> {
    const MUTE: &[Trait] = &[Trait::Prepares, Trait::Quiet, Trait::ListsNames];
    // What rewrites lines or chooses among them has options for its words.
    let shows = |command: &Command| {
        let rewrites = command.is(Trait::OwnLetters) && command.is(Trait::Shows);
        command.is(Trait::Displays) && !command.is(Trait::Answers) && !rewrites
    };
    let [only] = lost else { return None };
    let is_mute =
        |(at, command): (At, &Command)| at == *only || shows(command) || MUTE.iter().any(|mute| command.is(*mute));
    let works = involved.command(*only).is_some_and(|command| !command.only_looks());
    (works && involved.script.programs().all(is_mute)).then_some(*only)
}

/// The commit of a line that succeeded which would have told that it was made, and did not: a hook refused it.
pub fn refused_commit(script: &Script, text: &str) -> Option<At> {
    let is_lost = |at: At| matches!(script.status_of(at), Fate::Lost(Loss::Pipe | Loss::Followed));
    let (at, _) = script.programs().find(|(at, command)| {
        // What stands before it may print in its place.
        commits(command)
            && command.wrappers.is_empty()
            && is_lost(*at)
            && !is_hushed(command)
            && !command.has_option("--dry-run")
            && script.surely_ran(*at)
            && shown_output(script, *at, command, text) != ShownOutput::Less
    })?;
    let tells = |line: &str| names_commit(line) || is_of_changes(line) || line.contains(" to commit");
    (!text.is_empty() && !text.lines().any(tells)).then_some(at)
}

/// The most lines below the last words of a command that are taken for those of others.
const BELOW: usize = 4;

/// How many lines at most the command at this place printed, where that is known. Those of an `echo`, and git's of a commit,
/// of changed files and of its log, are told by their form.
fn most_lines(script: &Script, at: At, command: &Command) -> Option<usize> {
    let is_told = || {
        let is_short = || command.has_letter('s') || ["--short", "--oneline"].iter().any(|form| command.has_arg(form));
        is_hushed(command) || commits(command) || command.only_looks() && is_short()
    };
    let is_silent = command.is(Trait::Quiet) && !command.has_letter('v')
        || command.is(Trait::Prints)
        || command.redirects_output() && script.readers(at).next().is_none()
        || command.program_is(Trait::VersionControl) && is_told()
        || command.is(Trait::Displays) && !command.only_looks();
    if is_silent { Some(0) } else { script.readers(at).filter_map(lets_through).min() }
}

/// Whether it is asked to say nothing of what it does.
fn is_hushed(command: &Command) -> bool {
    command.has_letter('q') || command.has_option("--quiet")
}

/// Whether it makes a commit.
fn commits(command: &Command) -> bool {
    command.program_is(Trait::VersionControl) && command.is(Trait::HandsOver) && !command.is(Trait::Pushes)
}

/// How many lines a reader of a pipe lets through at most.
fn lets_through(reader: &Command) -> Option<usize> {
    if reader.is(Trait::Answers) {
        return reader.has_letter('c').then_some(1);
    }
    cuts_after(reader).filter(|_| reader.is(Trait::Displays))
}

/// The text without its last lines.
fn without_last_lines(text: &str, count: usize) -> &str {
    match count.checked_sub(1) {
        None => text,
        Some(nth) => text.rmatch_indices('\n').nth(nth).and_then(|(at, _)| text.get(..at)).unwrap_or_default(),
    }
}

/// So many of its last lines, or all.
fn last_lines(text: &str, most: Option<usize>) -> &str {
    let start = most.and_then(|most| text.rmatch_indices('\n').nth(most.checked_sub(1)?));
    start.and_then(|(at, _)| text.get(at + 1..)).unwrap_or(text)
}

/// The text without what git shows at its end by lines of its own form: of a commit that it made, of changed files, of the
/// log.
fn without_git<'t>(text: &'t str, involved: &Involved) -> &'t str {
    if !involved.script.programs().any(|(_, command)| command.program_is(Trait::VersionControl)) {
        return text;
    }
    let is_of_git = |line: &str| names_commit(line) || is_of_changes(line) || is_of_status(line) || is_of_commit(line);
    let own = text.lines().rev().find(|line| !line.trim().is_empty() && !is_of_git(line));
    own.and_then(|line| text.get(..offset_in(line, text)? + line.len())).unwrap_or_default()
}

/// Whether git lists a file with the line as its short status does: ` M src/a.rs`, `?? dist/`, `## main...origin/main`.
fn is_of_status(line: &str) -> bool {
    let is_state = |byte: &u8| b" MTADRCU?!#".contains(byte);
    matches!(line.as_bytes(), [first, second, b' ', _, ..] if is_state(first) && is_state(second))
}

/// Whether git counts with the line what a commit changed, in any language, or names a file that it made or the day of one
/// that it made again: ` 1 file changed, 2 insertions(+)`, ` create mode`, ` Date: Mon`.
fn is_of_changes(line: &str) -> bool {
    const COUNTS: &[&str] = &[" file changed", " files changed", "(+)", "(-)"];
    const STARTS: &[&str] = &["create mode ", "delete mode ", "rename ", "mode change ", "rewrite ", "Date: "];
    let line = line.trim_start();
    COUNTS.iter().any(|count| line.contains(count)) || STARTS.iter().any(|start| line.starts_with(start))
}

/// Whether its status is lost in a pipe that shows what it printed, and chooses no lines of it by their words.
fn is_piped(involved: &Involved, at: At) -> bool {
    involved.status_of(at) == Fate::Lost(Loss::Pipe) && !involved.script.readers(at).any(chooses_lines)
}

/// Whether a reader of a pipe lets lines through by their words.
fn chooses_lines(reader: &Command) -> bool {
    reader.is(Trait::Answers) || !(reader.is(Trait::Displays) || reader.is(Trait::Prepares))
}

/// Whether what the command shows was said by another run, or by another machine.
fn tells_of_others(command: &Command, involved: &Involved) -> bool {
    let logs = |word: &str| word == "logs" || word == "log" && !command.program_is(Trait::VersionControl);
    // `sed -i` edits, and shows nothing.
    let is_shown = || command.only_looks() || !command.is(Trait::Displays);
    command.is(Trait::Shows) && is_shown() && !involved.shows_what_it_wrote(command) && !command.redirects_output()
        || command.is(Trait::Quotes)
        || command.is(Trait::Follows) && !command.is(Trait::Shows) && command.subcommands().next().is_none()
        || command.subcommands().any(logs)
}

/// The text without the lines at its end that an `echo` of the line printed.
fn without_echoes<'t>(text: &'t str, involved: &Involved) -> &'t str {
    let mut text = text.trim_end();
    while let Some(line) = text.lines().next_back().filter(|line| is_printed_by(involved.script, line.trim())) {
        text = text.get(..text.len() - line.len()).unwrap_or_default().trim_end();
    }
    text
}

/// Whether the line begins as the errors of its tool do: a warning, or an attempt that was made again, does not.
fn says_error(found: &Found<'_>) -> bool {
    const STARTS: &[&str] = &[
        "error",
        "ERROR",
        "Error",
        "fatal: ",
        "CONFLICT (",
        "! [",
        "npm error",
        "npm ERR!",
        "ERR_PNPM",
        "E: ",
        "Cannot connect",
    ];
    found.row.role == Role::Failed
        || found.tells() && STARTS.iter().any(|start| found.line.trim_start().starts_with(start))
}

/// What failed in a task of which only the runner speaks: by the task's name.
fn by_hidden_task(involved: &Involved, runner: &ToolTable) -> Category {
    let hidden = |at: &At| involved.status_of(*at) != Fate::Kept;
    let task = involved.direct(runner).find(hidden).or_else(|| involved.direct(runner).next());
    let task = task.and_then(|at| involved.command(at));
    task.map_or(Category::Unknown, by_name)
}

/// Whether a command only prepares for those after it.
fn is_prepared(involved: &Involved, at: At) -> bool {
    involved.command(at).is_some_and(|command| command.is(Trait::Prepares))
}

/// Whether a word that the shell took for a pattern is no path: an option, an address, a query, a test, a filter, an extra
/// of a package.
fn takes_no_path(command: &Command, word: &str) -> bool {
    let asks = word.split_once('?').is_some_and(|(_, query)| query.contains('='));
    let is_extra = word.ends_with(']') && !word.contains(['/', '*']);
    word.starts_with('-')
        || word.contains("::")
        || word.contains("://")
        || asks
        || command.is(Trait::Filters)
        || is_extra && !command.only_looks() && !command.is(Trait::Apart)
}

/// Whether the missing program is a test, build or lint runner whose status the line hides.
fn is_hidden_runner(involved: &Involved, program: &str) -> bool {
    let named = |at| involved.command(at).is_some_and(|c| c.program == program);
    TOOLS
        .iter()
        .filter(|tool| RUNS.contains(&tool.usual))
        .any(|tool| involved.direct(tool).any(named) && involved.hides(tool))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::{Tool, ToolInput};
    use crate::reading::judge;

    fn outcome(line: &str, text: &str) -> Outcome {
        let input = ToolInput::Command { command: line.to_owned().into(), background: false };
        let call =
            ToolCall { text: text.to_owned().into(), ..ToolCall::new(Tool::named("Bash"), input, Status::Succeeded) };
        judge(&call, false).outcome
    }

    #[test]
    fn a_status_that_the_line_prints_is_heard() {
        for (line, text) in [
            ("bun run lint > /tmp/f 2>&1; echo \"Exit: $?\"", "Exit: 1"),
            ("npm test > log 2>&1; echo $?", "1"),
            ("cargo test > /tmp/o 2>&1; echo \"EXIT CODE: $?\"", "EXIT CODE: 101"),
            ("pytest -q > out.txt; echo \"exit=$?\"; wc -l out.txt", "exit=2\n40 out.txt"),
            ("npm test > log 2>&1; rc=$?; tail -1 log; echo \"rc=$rc\"", "3 tides\nrc=1"),
            ("npm test > log || echo \"EXIT: $?\"", "EXIT: 2"),
            ("cd web && npm test > log; echo \"EXIT: $?\"", "EXIT: 2"),
            ("cargo build -q 2> log && cargo test -q > log; echo exit=$?", "exit=101"),
            ("npm test | tail -1; printf 'rc=%s\\n' ${PIPESTATUS[0]}", "3 tides\nrc=1"),
            ("npm test | tail -1; echo EXIT: $PIPESTATUS", "3 tides\nEXIT: 2"),
            ("{ npm test; } > log; echo $?", "1"),
        ] {
            assert_eq!(outcome(line, text), Outcome::MaskedFailure, "{line}");
        }
        for (line, text) in [
            ("bun run lint > /tmp/f 2>&1; echo \"Exit: $?\"", "Exit: 0"),
            ("grep -c sum a.txt; echo $?", "0\n1"),
            ("test -f sums; echo $?", "1"),
            ("diff a b > /dev/null; echo \"diff: $?\"", "diff: 1"),
            ("git diff --quiet; echo $?", "1"),
            ("npm test > log; echo; echo \"rc=$?\"", "\nrc=1"),
            ("npm test > log; rc=$?; rc=0; echo \"rc=0\"", "rc=1"),
            ("gh pr checks 7 || true", "lint\tfail\t16s\thttps://example.org/1\t"),
            ("/tmp/ledger-test enable --agent=x; echo \"EXIT: $?\"", "unknown agent: x\nEXIT: 1"),
            (
                "go build -o /tmp/tide . && cd /tmp && /tmp/tide enable 2>&1; echo \"EXIT: $?\"",
                "unknown agent\nEXIT: 1",
            ),
        ] {
            assert_eq!(outcome(line, text), Outcome::Succeeded, "{line}");
        }
    }

    #[test]
    fn what_prints_a_failure_is_no_pass() {
        let passed = |line: &str, text: &str| {
            let input = ToolInput::Command { command: line.to_owned().into(), background: false };
            let call = ToolCall { text: text.into(), ..ToolCall::new(Tool::named("Bash"), input, Status::Succeeded) };
            let reading = judge(&call, false).reading;
            reading.proof != Proof::None && reading.result != RunResult::Failed
        };
        for line in [
            "gh pr checks 7; echo \"exit=$?\"",
            "tidectl enable 2>&1; echo \"exit=$?\"",
            "kubectl get x || echo exit=$?",
        ] {
            assert!(!passed(line, "exit=1"), "{line}");
            assert!(passed(&line.replace("||", ";"), "exit=0"), "{line}");
        }
        for line in ["gh pr checks 7 | head -20", "gh pr checks 7 2>&1 | grep -E 'Tide|fail'", "gh pr checks 7; true"] {
            for (job, is_pass) in [("pass", true), ("fail", false), ("pending", false)] {
                let text = format!("Tide Tests\t{job}\t3m\thttps://example.org/1\t");
                assert_eq!(passed(line, &text), is_pass && !line.ends_with("true"), "{line}: {text}");
            }
        }
        assert!(passed("git diff --quiet; echo $?", "1"));
    }

    #[test]
    fn warnings_alone_are_no_failure() {
        let text = "/srv/ledger/a.ts:3:4: warning: unused variable";
        assert_eq!(outcome("npm run lint 2>&1 | tail -5", text), Outcome::Succeeded);
    }

    /// Words that count, in any order and with any sign.
    fn counted(failing: u64) -> impl Strategy<Value = String> {
        let passed = (proptest::sample::select(vec!["passed", "Passed", "PASS", "ok", "tests", "Total"]), 1..99u64);
        let failed =
            (proptest::sample::select(vec!["failed", "Failed", "failures", "Failures", "errors"]), Just(failing));
        let words = proptest::collection::vec(prop_oneof![passed.clone(), failed.clone()], 0..4);
        let shape = proptest::sample::select(vec![0, 1, 2]);
        (words, passed, failed, shape, any::<bool>()).prop_map(|(mut words, passed, failed, shape, first)| {
            words.insert(0, passed);
            words.insert(if first { 0 } else { words.len() }, failed);
            let written = |(word, count): &(&str, u64)| match shape {
                0 => format!("{word}: {count}"),
                1 => format!("{count} {word}"),
                _ => format!("{word}={count}"),
            };
            words.iter().map(written).collect::<Vec<_>>().join(", ")
        })
    }

    /// How programs say at their end that they failed.
    const ENDS: &[&str] = &[
        "error: the tide tables can not be merged",
        "Error:\nThe tide tables are out of order.",
        "a.td:7:18: error: unknown moon",
        "=== FAILURE [2. Build] ===",
        "Summary: 1 of 2 tasks failed",
        "Installation failed.",
        "the step ended with exit status 3",
        "Aborted (core dumped)",
    ];

    proptest! {
        #[test]
        fn an_error_at_the_end_is_heard_of_any_program_and_of_no_file(
            program in "q[a-z]{3,6}z",
            end in proptest::sample::select(ENDS),
            before in 0..6_usize,
            loses in proptest::sample::select(vec![" | tail -9", " 2>&1 | tail -20", " || true", "; echo done", " | tee run.log"]),
            shows in proptest::sample::select(vec!["cat tide.log", "git log -3", "grep -n tide a.log", "docker logs web"]),
        ) {
            let text = format!("{}{end}", "step went fine\n".repeat(before));
            prop_assert_eq!(outcome(&format!("{program} run{loses}"), &text), Outcome::MaskedFailure, "{}", text);
            prop_assert_eq!(outcome(&format!("{shows} | tail -9"), &text), Outcome::Succeeded, "{}", text);
        }

        #[test]
        fn the_end_of_one_command_is_heard_among_others(
            program in "q[a-z]{3,6}z",
            end in proptest::sample::select(ENDS),
            first in proptest::sample::select(vec![("make build", "built"), ("git push", "Everything up-to-date"), ("npm i", "up to date")]),
            then in proptest::sample::select(vec![
                ("git add -A; git commit -qm wip", ""),
                ("git commit -am wip", "[main 1a2b3c4] wip\n 1 file changed, 2 insertions(+)\n"),
                ("git status -s", " M src/a.rs\n?? dist/\n"),
                ("git log --oneline | head -2", "1a2b3c4 wip\n2b3c4d5 begin\n"),
                ("mkdir -p out; rm -f x", ""),
                ("ls src | head -2", "a.rs\nb.rs\n"),
            ]),
            is_red in any::<bool>(),
        ) {
            let line = format!("{}; {program} run 2>&1 | tail -20; {}", first.0, then.0);
            let text = format!("{}\n{}\n{}", first.1, if is_red { end } else { "went fine" }, then.1);
            let expected = if is_red { Outcome::MaskedFailure } else { Outcome::Succeeded };
            prop_assert_eq!(outcome(&line, &text), expected, "{}: {}", line, text);
        }

        #[test]
        fn a_commit_that_does_not_tell_of_itself_was_refused(
            said in proptest::sample::select(vec!["pre-commit: tabs in a.py", "hook: 2 objections", "OK\ncommit-msg: no type"]),
            lines in 1..9_usize,
            made in proptest::sample::select(vec![
                "", "\n[main 1a2b3c4] wip\n 1 file changed, 2 insertions(+)", "\n 1 Datei ge\u{e4}ndert, 2 Einf\u{fc}gungen(+)",
                "\n[main 1a2b3c4] wip\n Date: Mon Nov 2 10:00:00 2026 +0100",
            ]),
            before in proptest::sample::select(vec!["", "git add -A; ", "make fmt; "]),
        ) {
            let expected = if made.is_empty() { Outcome::MaskedFailure } else { Outcome::Succeeded };
            let line = format!("{before}git commit -m wip 2>&1 | tail -{lines}");
            prop_assert_eq!(outcome(&line, &format!("{said}{made}")), expected, "{}", line);
        }

        /// Programs that only look as well as those that work.
        #[test]
        fn what_the_shell_did_not_start_is_heard_where_it_was_not_asked(
            program in proptest::sample::select(vec!["psql", "rg", "tree", "gh", "q3tide"]),
            says in proptest::sample::select(vec!["(eval):1: command not found: ", "zsh:1: command not found: "]),
            loses in proptest::sample::select(vec![" | tail -9", " 2>&1 | head -5", " | grep tide", "; ls src"]),
        ) {
            let said = format!("{says}{program}");
            prop_assert_eq!(outcome(&format!("{program} list x{loses}"), &said), Outcome::MaskedFailure);
            prop_assert_eq!(outcome(&format!("{program} --version{loses}"), &said), Outcome::Succeeded);
            prop_assert_eq!(outcome(&format!("cat tide.log{loses}"), &said), Outcome::Succeeded);
        }

        #[test]
        fn a_word_that_is_a_path_may_match_nothing(
            word in proptest::sample::select(vec!["*.ts", "src/a?.md", "lib/[ab].rs", "a*"]),
            no_path in proptest::sample::select(vec!["--include=*.ts", "https://x.org/?a", "tests/a.py::t[1]", "repos/a/b?ref=c"]),
            shows in proptest::sample::select(vec!["ls", "cat", "wc -l", "rm"]),
        ) {
            let said = |word: &str| format!("zsh: no matches found: {word}");
            prop_assert_eq!(outcome(&format!("{shows} {word} 2>&1 | head"), &said(word)), Outcome::Succeeded);
            prop_assert_eq!(outcome(&format!("gh api {no_path} 2>&1 | head"), &said(no_path)), Outcome::MaskedFailure);
        }

        #[test]
        fn no_count_of_zero_is_a_failure(
            text in counted(0), tool in proptest::sample::select(vec!["./check.sh", "npm test", "make check", "./run-tests", "pwsh -c Invoke-Pester"])
        ) {
            prop_assert!(counts_no_failure(&text), "{}", text);
            prop_assert_eq!(outcome(&format!("{tool} | tail -2"), &text), Outcome::Succeeded, "{}", text);
        }

        #[test]
        fn a_count_above_zero_is_counted(text in counted(3)) {
            prop_assert!(!counts_no_failure(&text), "{}", text);
        }
    }
}
