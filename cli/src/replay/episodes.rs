//! What failures cost: each from the answer that made it to the first call that shows it to be over, as only a finished
//! session tells. The episodes that rules, guard and attempts count are those of `history`; this is the account of them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::aim::CallAim;
use super::analysis::{Advice, Ended, EpisodeEnd, EpisodeSummary, LastRun, WasteKind};
use super::meter::{Claims, Clock, Mark, Point, Work};
use super::selection::{RunSelection, names_job};
use crate::digest::hex16;
use crate::history::{Effect, Episode, Event, Execution, State};
use crate::knowledge::instead::{self, FailedForm};
use crate::model::{
    Category, Check, CheckEnd, Intent, ObjectKind, Outcome, Phase, Proof, Reading, RunResult, Tool, ToolKind, Verdict,
};
use crate::programs::Trait;
use crate::reading::CheckKind;
use crate::shell::Script;
use crate::text::one_line;
use crate::time::stamp_of;

/// How many calls back a run is still recent: as many as the rules remember of a node.
const RECENT: u64 = State::RECENT as u64;
/// So many answers in a row that are about something else show that the agent went on without it.
const STRANGERS: u8 = 3;
/// The most failures of one session that are watched at once.
const MOST_GOING: usize = 64;
/// The most launches of work in the background whose ends are awaited.
const MOST_LAUNCHES: usize = 1024;
/// The most places that are kept of a job's log.
const MOST_PLACES: usize = 64;
/// The longest call that an end is named by, in characters.
const CALL: usize = 300;

/// Whether a category is of wrong usage: the next call that does the same in another form ends it.
fn is_of_usage(kind: Category) -> bool {
    instead::CATEGORIES.contains(&kind) || OF_FILE_TOOLS.contains(&kind)
}

/// The failures of sessions, those that go on and those that ended.
#[derive(Debug, Default)]
pub(super) struct Episodes {
    /// By session.
    going: BTreeMap<String, Vec<Worked>>,
    ended: Vec<Worked>,
    /// The list of each node.
    lists: BTreeMap<String, ItemList>,
    /// The answers that launched work in the background, by session and call.
    launches: BTreeMap<(String, String), (Mark, Mark)>,
    /// Where the answers began of which the client cancelled calls, by session and node.
    cancelled: BTreeSet<(String, String, (u64, u64))>,
    /// How many parts each episode of the rules had, by node and id.
    parts: BTreeMap<(String, String), u32>,
}

/// The stretches in which nodes went round, by session and node.
pub(super) type NodeRounds<'l> = BTreeMap<(&'l str, &'l str), Vec<(Mark, Mark)>>;

/// A failure and the work on it.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own about the failure")]
#[derive(Debug, Default)]
struct Worked {
    summary: EpisodeSummary,
    /// The work on it.
    work: Work,
    /// The id of the rules' episode.
    episode: String,
    /// The rules' episode as it was after its last failure: it knows what proves a pass.
    proof: Option<Box<Episode>>,
    /// Where the answer began that made its last failing call, and the point after that.
    began: Mark,
    last: Mark,
    /// The point after the last call in a row that was about it, where nothing passes it.
    trail: Mark,
    /// What kind of run it is, likely at least.
    kind: Category,
    /// What its last failing call was about.
    aim: CallAim,
    /// That call, where another form of it may do its work.
    form: Option<FailedForm>,
    /// What it selected, where it was a check.
    selection: RunSelection,
    /// Whether the agent has looked for it since.
    looked: bool,
    /// How many answers in a row were about something else, and where the last of them began.
    strangers: u8,
    stranger: Mark,
    /// The first of them.
    first_stranger: Option<EpisodeEnd>,
    /// Where the agent turned to something else after its last failure.
    aside: Option<TurnAside>,
    /// Whether every failure of it was announced.
    announced: bool,
    /// Whether it was announced to another agent, and so to this one.
    follows: bool,
    /// How many items the agent's list had when it failed.
    items: u64,
    /// Whether it was run again since, and nobody saw the result.
    is_unseen: bool,
    /// The tests that failed with it.
    tests: Vec<String>,
    /// Of a job elsewhere: the places that its log names.
    log: BTreeSet<(String, u64)>,
    /// Whether what failed is a check by its words.
    ran_check: bool,
    /// What changed since its last failure, and by whom.
    changes: ChangesSince,
}

/// Where an agent turned from a failure to something else: to what a person said, to the next item of its list, or away with a
/// commit.
#[derive(Debug)]
struct TurnAside {
    at: Mark,
    /// Whether the failure may be what comes next: not after a commit.
    may_go_on: bool,
    /// The call by which it did, where it was one.
    call: Option<EpisodeEnd>,
}

/// The list of what an agent has to do.
#[derive(Debug, Default)]
struct ItemList {
    /// The item that it works on.
    item: String,
    /// How many there are. With more of them it was made anew: after a failure the items may be of that.
    length: u64,
}

/// What changed since a failure.
#[derive(Debug, Default, Clone, Copy)]
struct ChangesSince {
    own: ChangeKinds,
    others: ChangeKinds,
}

/// Whether a file tool changed something, or a shell command may have.
#[derive(Debug, Default, Clone, Copy)]
struct ChangeKinds {
    edited: bool,
    ran: bool,
}

impl ChangesSince {
    /// How a failure of a kind ended, by a pass of the same operation or of another one.
    fn ended(self, kind: Category, same: bool) -> Ended {
        if OF_FILE_TOOLS.contains(&kind) {
            return Ended::Replaced;
        }
        if self.own.edited || self.others.edited {
            return Ended::FixedByEdit;
        }
        if self.own.ran || self.others.ran {
            return Ended::FixedByShell;
        }
        // What was called wrongly never passes as it was: some of the call is not part of the operation.
        if same && !is_of_usage(kind) { Ended::ByItself } else { Ended::Replaced }
    }
}

/// What a file tool refuses because of how it was called.
const OF_FILE_TOOLS: &[Category] = &[Category::EditNoMatch, Category::ReadBeforeEdit, Category::TooLarge];

/// What is missing nowhere: a search after such a failure is for something else.
const NOT_LOOKED_FOR: &[Category] = &[Category::BadArguments, Category::ScriptError, Category::ShellSyntax];

/// A call that ended, as the failures before it see it.
pub(super) struct CallAfter<'a> {
    pub(super) session: &'a str,
    pub(super) event: &'a Event,
    pub(super) execution: &'a Execution,
    /// The line that was typed, where what is kept of it is cut.
    pub(super) typed: &'a str,
    /// The end of what it printed.
    pub(super) printed: &'a str,
    /// Where the answer began that made it.
    pub(super) began: Mark,
    /// The point after it.
    pub(super) mark: Mark,
}

impl CallAfter<'_> {
    fn succeeded(&self) -> bool {
        // The line itself may print that it failed.
        let failed = || self.execution.reading.as_ref().is_some_and(|reading| reading.result == RunResult::Failed);
        matches!(self.execution.outcome, Some(Outcome::Succeeded | Outcome::BenignNonZero)) && !failed()
    }

    /// Whether it failed by what it found, and not by how it was called.
    fn ran_and_failed(&self) -> bool {
        let kind = self.execution.reading.as_ref().map(Reading::kind);
        self.event.is_failure() && kind.is_some_and(Category::is_of_check)
    }

    /// Whether it was a check of which nothing tells how it ended.
    fn is_blind_check(&self) -> bool {
        let checks = &self.execution.checks;
        !checks.is_empty() && checks.iter().all(|check| check.end == CheckEnd::Unknown)
    }

    /// Whether it was a check that mends what it finds.
    fn fixes(&self) -> bool {
        self.execution.checks.iter().any(|check| check.fixes)
    }

    /// Whether a command line may have changed something: no check that mends nothing, and no single command that failed.
    fn may_have_run(&self) -> bool {
        let is_check = !self.execution.checks.is_empty() && !self.fixes();
        let is_single = || {
            let input = self.execution.input.as_deref().unwrap_or_default();
            Script::parse(input).programs().filter(|(_, command)| !command.is(Trait::Prepares)).count() <= 1
        };
        !is_check && (self.succeeded() || !is_single())
    }

    /// Notes what the agent does with its list. Whether it begins another item.
    fn begins_item(&self, lists: &mut BTreeMap<String, ItemList>) -> bool {
        let tool = Tool::named(self.execution.tool.as_deref().unwrap_or_default());
        if tool.kind != ToolKind::Other {
            return false;
        }
        let input = self.execution.input.as_deref().unwrap_or_default();
        let list = lists.entry(self.event.node.clone()).or_default();
        list.length += u64::from(tool.name == Tool::NEW_ITEM);
        if !input.contains("in_progress") {
            return false;
        }
        if let Some((_, length)) = input.split_once('/') {
            list.length = length.parse().unwrap_or_default();
        }
        let begins = list.item != input;
        input.clone_into(&mut list.item);
        begins
    }

    fn end(&self) -> EpisodeEnd {
        let input = self.execution.input.as_deref().unwrap_or_default();
        EpisodeEnd {
            tool_use_id: self.event.tool_use_id.clone(),
            tool: self.execution.tool.clone().unwrap_or_default(),
            call: one_line(input, CALL),
            node: self.event.node.clone(),
        }
    }
}

impl Worked {
    /// Whether what failed is a check: its own words or its name say so, or a run inside failed behind an exit status of 0
    /// for another reason than how it was called.
    fn is_check(&self) -> bool {
        let is_called_wrongly = || is_of_usage(self.kind) || self.kind == Category::ConfigOrState;
        self.kind.is_of_check() || self.summary.masked && self.ran_check && !is_called_wrongly()
    }

    /// Whether how it was called was wrong, and no work on code: by what was not there or not allowed, and by what another call
    /// did with nothing changed.
    fn is_called_wrongly(&self) -> bool {
        let is_done_otherwise = self.summary.ended == Ended::Replaced && !self.aim.asks();
        let is_it = match self.kind {
            Category::ConfigOrState => true,
            Category::DependencyMissing | Category::PermissionDenied => !self.ran_check,
            Category::Unknown | Category::VcsState => is_done_otherwise,
            _ => false,
        };
        is_of_usage(self.kind) || is_it && !self.is_check()
    }

    /// Whether it is, or was last, what the rules count under this id.
    fn is_episode(&self, id: &str) -> bool {
        self.episode == id || self.proof.as_ref().is_some_and(|proof| proof.id == id)
    }

    /// Whether a call does again what failed last.
    fn is_operation_of(&self, execution: &Execution) -> bool {
        self.proof.as_ref().is_some_and(|proof| execution.operation.as_ref() == Some(&proof.operation))
    }

    /// Whether a call shows that it is over, as the rules see it: by a proven pass; by a run of the same check that was not
    /// seen to fail; of what is no check, by the same operation that fails for another reason.
    fn is_over_after(&self, next: &CallAfter<'_>, own: bool) -> bool {
        let Some(proof) = &self.proof else { return false };
        // A run that leaves out what failed proves nothing of it, unless it names the test that passed.
        let names =
            |name: &String| next.execution.reading.as_ref().is_some_and(|reading| reading.passed.contains(name));
        let is_named = self.summary.object.as_ref().is_some_and(names);
        let held = if self.is_check() && !is_named {
            self.selection.held_of(next.execution)
        } else {
            Some(Cow::Borrowed(next.execution))
        };
        let Some(execution) = held.as_deref() else { return false };
        if proof.is_ended_by(execution) {
            return true;
        }
        if execution.outcome == Some(Outcome::Succeeded) {
            return own && self.is_run_unseen_by(proof, execution)
                || (own || self.kind == Category::CommitHookFailed) && self.is_settled_by(execution);
        }
        if self.is_passed_over_by(execution) || self.is_log_passed_over_by(execution) || self.is_compiled_by(execution)
        {
            return true;
        }
        let fails_otherwise = next.event.is_failure()
            && execution.reading.as_ref().is_some_and(|reading| reading.kind() != self.kind)
            && self.is_operation_of(execution);
        own && fails_otherwise && (self.kind == Category::CommitHookFailed || !self.is_check())
    }

    /// Whether a search that found nothing came after a call for a path that is not there: neither shows that it is.
    fn is_sought_in_vain_by(&self, next: &CallAfter<'_>) -> bool {
        let searches = |tool: &str| Tool::named(tool).kind == ToolKind::Search;
        let is_of_path = self.kind == Category::PathNotFound && !searches(&self.summary.tool);
        let is_search = is_of_path && searches(next.execution.tool.as_deref().unwrap_or_default());
        let says_none = |line: &str| line.starts_with("No ") && line.ends_with(" found");
        is_search && next.printed.lines().map(str::trim).all(|line| line.is_empty() || says_none(line))
    }

    /// The test that failed, where it is one.
    fn test(&self) -> Option<&str> {
        let object = self.proof.as_ref()?.object.as_ref()?;
        (self.kind == Category::TestFailure && object.kind == ObjectKind::Test).then_some(object.name.as_str())
    }

    /// Whether the same run failed by other tests alone, and by one that stands later in the same file: it came past this one.
    fn is_passed_over_by(&self, execution: &Execution) -> bool {
        let Some((reading, own)) = execution.reading.as_ref().zip(self.test()) else { return false };
        let others = failed_tests(reading);
        let [before, now] = [&self.summary.excerpt, &reading.line].map(|line| line.as_deref().and_then(line_place));
        let stands_later = before.zip(now).is_some_and(|(before, now)| before.0 == now.0 && before.1 < now.1);
        let is_other = reading.category == Category::TestFailure && !others.is_empty() && !others.contains(&own);
        is_other && stands_later && self.selection.is_same_as(execution)
    }

    /// Whether tests failed here, after a change, further down a file that the job's log names and by none of the places in it.
    fn is_log_passed_over_by(&self, execution: &Execution) -> bool {
        let Some(reading) = execution.reading.as_ref().filter(|it| it.category == Category::TestFailure) else {
            return false;
        };
        let Some((file, line)) = reading.line.as_deref().and_then(line_place) else { return false };
        let is_file = |logged: &&(String, u64)| logged.0.ends_with(&format!("/{file}")) || logged.0 == file;
        let mut places = self.log.iter().filter(is_file).map(|(_, place)| *place).peekable();
        self.changes.own.edited && places.peek().is_some() && places.all(|place| place < line)
    }

    /// Keeps what the log of a job tells.
    fn note_log(&mut self, next: &CallAfter<'_>) {
        let is_look = self.kind == Category::CiCheckFailed && !next.event.is_failure() && next.succeeded();
        if is_look && CallAim::of(next.execution, next.typed, false).asks() {
            let room = MOST_PLACES.saturating_sub(self.log.len());
            self.log.extend(next.printed.lines().filter_map(line_place).take(room));
        }
    }

    /// Whether the same run fails by what only code that compiles can fail by.
    fn is_compiled_by(&self, execution: &Execution) -> bool {
        let finds = |reading: &Reading| matches!(reading.category, Category::LintError | Category::TestFailure);
        self.kind == Category::CompileError
            && execution.reading.as_ref().is_some_and(finds)
            && self.selection.is_same_as(execution)
    }

    /// Whether a run of the same was not seen to fail. Tests print a result: of a run whose result nobody saw nothing is known.
    fn is_run_unseen_by(&self, proof: &Episode, execution: &Execution) -> bool {
        let ran = !execution.checks.is_empty() || proof.check.is_none();
        let may_be_unseen = !self.summary.masked && self.kind != Category::CiCheckFailed;
        ran && (self.is_seen_in(execution) || may_be_unseen)
            && proof.is_left_unclear_by(execution)
            && !proof.is_left_out_by(execution)
    }

    /// Whether it is to be seen how a run of the same ended.
    fn is_seen_in(&self, execution: &Execution) -> bool {
        let is_silent_when_good = matches!(self.kind, Category::CompileError | Category::LintError);
        let is_read = |it: &Reading| it.proof != Proof::None || it.result == RunResult::Passed;
        is_silent_when_good || execution.reading.as_ref().is_some_and(is_read)
    }

    /// Whether what version control was at is recorded now, or what a service found is green here after a change.
    fn is_settled_by(&self, execution: &Execution) -> bool {
        match self.kind {
            Category::CommitHookFailed | Category::MergeConflict => CallAim::of(execution, "", false).commits(),
            Category::CiCheckFailed => {
                let job = self.summary.object.as_deref().unwrap_or_default();
                let is_it = |check: &Check| check.end == CheckEnd::Passed && names_job(check, job);
                (self.changes.own.edited || self.changes.own.ran) && execution.checks.iter().any(is_it)
            }
            _ => false,
        }
    }

    /// Whether a failure is of the same compiler, linter or hook as this one, which is red for as long as it finds anything.
    fn is_same_check(&self, kind: Category, failure: Option<&Episode>) -> bool {
        const WHOLE: &[Category] = &[Category::CompileError, Category::LintError, Category::CommitHookFailed];
        let (own, other) = (self.proof.as_deref(), failure);
        WHOLE.contains(&kind)
            && self.kind == kind
            && own.zip(other).is_some_and(|(own, other)| match (&own.check, &other.check) {
                (Some(own), Some(other)) => own.words == other.words && own.dir == other.dir,
                (None, None) => kind == Category::CommitHookFailed || own.operation == other.operation,
                _ => false,
            })
    }

    /// Whether a failure is this one, met in another form: of the same test, or of the same run where one of them names no test.
    fn is_met_by(&self, execution: &Execution, failure: Option<&Episode>) -> bool {
        let test = failure.and_then(|it| it.object.as_ref()).filter(|object| object.kind == ObjectKind::Test);
        if let (Some(test), Some(_)) = (test, self.test()) {
            return self.tests.contains(&test.name) && self.selection.is_near(execution);
        }
        let is_of_tests = |kind: Category| kind == Category::TestFailure || !kind.is_of_check();
        let kind = execution.reading.as_ref().map(Reading::kind);
        is_of_tests(self.kind)
            && kind.is_some_and(is_of_tests)
            && self.is_check()
            && self.selection.is_same_as(execution)
    }

    /// Whether the work on it lasts until it passes, whatever is done in between.
    fn lasts(&self) -> bool {
        self.is_check() || self.kind == Category::MergeConflict
    }

    /// Whether the agent turns from it with a commit. A merge, a hook and CI need one.
    fn is_left_by_commit(&self) -> bool {
        const NEED_ONE: &[Category] = &[Category::CommitHookFailed, Category::MergeConflict, Category::CiCheckFailed];
        !NEED_ONE.contains(&self.kind)
    }

    /// Whether another form of the call did its work, or ran at last, whatever it found then.
    fn is_replaced_by(&self, next: &CallAfter<'_>, aim: &CallAim) -> bool {
        let near = self.last.calls_until(next.mark) <= instead::WITHIN;
        let is_form = || self.form.as_ref().is_some_and(|form| form.is_replaced_by(next.execution));
        let is_other_form = || near && is_form() && !self.aim.is_elsewhere(aim);
        if self.lasts() || !next.succeeded() {
            return !self.lasts() && next.ran_and_failed() && is_other_form();
        }
        let is_hidden = || self.aim.concerns(aim) && !self.aim.concerns(&CallAim::of(next.execution, next.typed, true));
        let is_done = || self.aim.is_done_by(aim, self.kind, self.looked);
        let is_it = is_other_form() || is_done() || self.selection.is_of_program_in(next.execution);
        is_it && !is_hidden() && !self.is_sought_in_vain_by(next)
    }

    /// Whether the agent went on without it before a call of its own node: an answer is judged as a whole.
    fn is_left_before(&self, next: &CallAfter<'_>) -> bool {
        self.strangers >= STRANGERS && !self.lasts() && next.began.is_after(self.stranger)
    }

    /// Takes a call of its own node that did not end it.
    fn follow(&mut self, next: &CallAfter<'_>, aim: &CallAim) {
        if let Some(aside) = &self.aside {
            // The agent comes back to it: what was done on something else until then is left out.
            if aside.at.calls_until(next.mark) <= RECENT && self.aim.is_about(aim) && !aim.commits() {
                self.work.between.push((self.last, self.trail));
                (self.last, self.trail, self.strangers) = (aside.at, next.mark, 0);
                self.aside = None;
            }
            return;
        }
        let is_next_answer = next.began.is_after(self.stranger);
        if self.strangers >= STRANGERS && is_next_answer && !self.is_operation_of(next.execution) {
            return;
        }
        if self.is_touched_by(next, aim) {
            self.looked |= aim.finds() && next.succeeded();
            self.strangers = 0;
            self.trail = next.mark;
            return;
        }
        // What else one answer asks for says nothing of where the agent goes.
        if is_next_answer && next.began.is_after(self.last) {
            if self.strangers == 0 && self.lasts() {
                self.first_stranger = Some(next.end());
            }
            self.stranger = next.began;
            self.strangers = self.strangers.saturating_add(1);
        }
    }

    /// Whether a call goes on with it. After a check that failed, files are looked at and changed that it does not name.
    fn is_touched_by(&self, next: &CallAfter<'_>, aim: &CallAim) -> bool {
        if self.lasts() {
            let goes_on = || self.strangers == 0 && aim.is_at_files() && !self.selection.is_apart_from(aim);
            let is_again = || self.is_operation_of(next.execution) || self.selection.is_run_again_by(next.execution);
            let runs_again = || self.selection.is_near(next.execution) && is_again();
            return self.aim.is_about(aim) || self.aim.asks_again(aim) || runs_again() || goes_on();
        }
        let looks_for_it = aim.finds() && self.strangers == 0 && !self.looked && !NOT_LOOKED_FOR.contains(&self.kind);
        self.aim.concerns(aim) || looks_for_it
    }

    /// The agent turns to something else: what comes next is about this only where it says so. What a person says may bring it
    /// back whenever that is.
    fn turns_aside(&mut self, at: Mark, may_go_on: bool, call: Option<EpisodeEnd>) {
        let by_person = call.is_none();
        let aside = self.aside.get_or_insert(TurnAside { at, may_go_on, call });
        if by_person {
            (aside.at, aside.may_go_on) = (at, may_go_on);
        }
    }

    fn note_change(&mut self, next: &CallAfter<'_>, own: bool, may_have_run: bool) {
        let is_again = self.is_operation_of(next.execution);
        let kinds = if own { &mut self.changes.own } else { &mut self.changes.others };
        match next.execution.effect {
            Effect::None => {}
            Effect::Files => kinds.edited = true,
            Effect::Shell => kinds.ran |= !is_again && may_have_run,
        }
    }

    /// Books the work since the last call about it, up to a point. What came after the agent had turned to something else is
    /// work on it only where it came back to it soon.
    fn books(&mut self, to: Mark) {
        let went_on = |aside: TurnAside| aside.may_go_on && aside.at.calls_until(to) <= RECENT;
        let to = if self.aside.take().is_none_or(went_on) { to } else { self.trail };
        // What was announced is nobody's cost.
        if !self.announced {
            self.work.between.push((self.last, to));
        }
    }

    /// It failed, by an answer that began at `from`. Calls of one answer share it.
    fn fails(&mut self, from: Mark, mark: Mark, (unchanged, announced): (bool, bool)) {
        self.books(self.last.max(from));
        self.announced &= announced;
        if !self.announced {
            self.work.answers.push((self.last.max(from), mark, unchanged));
        }
        self.began = from;
        self.last = mark;
        self.trail = mark;
        self.strangers = 0;
        self.first_stranger = None;
        self.is_unseen = false;
        self.looked = false;
        self.changes = ChangesSince::default();
    }

    fn ends(mut self, how: Ended, next: &CallAfter<'_>, to: Mark) -> Self {
        self.books(to);
        self.summary.ended = if self.announced { Ended::Announced } else { how };
        self.summary.ended_ts = next.mark.ms.and_then(stamp_of);
        self.summary.end = Some(next.end());
        self
    }

    /// It did not pass. Only a check is missed then: without a path or an option that was wrong the work goes on. `is_left` is
    /// whether nothing more can come of it.
    fn without_pass(mut self, is_left: bool) -> Self {
        let call = match &mut self.aside {
            Some(aside) => aside.call.take(),
            None => self.first_stranger.take().filter(|_| self.strangers >= STRANGERS),
        };
        let is_aside = self.aside.is_some() || call.is_some() || is_left;
        self.books(self.trail);
        self.summary.ended = match (self.announced, self.is_check() && !self.selection.is_baseline, is_aside) {
            (true, ..) => Ended::Announced,
            (_, false, _) => Ended::MovedOn,
            (_, true, true) => Ended::PutAside,
            (_, true, false) => Ended::Open,
        };
        self.summary.end = call.filter(|_| self.summary.ended == Ended::PutAside);
        self.summary.last_run = self.summary.ended.is_unresolved().then_some(match self.summary.attempts {
            _ if self.is_unseen => LastRun::NotSeen,
            0 | 1 => LastRun::NotRunAgain,
            _ => LastRun::FailedAgain,
        });
        self
    }
}

impl Episodes {
    /// A call ended: it may show that failures before it are over. `now` is where a node of the session stands.
    pub(super) fn next_call(&mut self, next: &CallAfter<'_>, now: impl Fn(&str) -> Mark) {
        let begins_item = next.begins_item(&mut self.lists);
        if let Some(id) = next.event.tool_use_id.as_ref().filter(|_| next.execution.background_task.is_some()) {
            if self.launches.len() >= MOST_LAUNCHES {
                self.launches.pop_first();
            }
            self.launches.insert((next.session.to_owned(), id.clone()), (next.began, next.mark));
        }
        let Some(going) = self.going.get_mut(next.session).filter(|going| !going.is_empty()) else { return };
        let length = self.lists.get(&next.event.node).map_or(0, |list| list.length);
        let mut aim = None;
        let may_have_run = next.execution.effect == Effect::Shell && next.may_have_run();
        let mut at = 0;
        while let Some(worked) = going.get_mut(at) {
            let own = worked.summary.node == next.event.node;
            let to = if own { worked.last.max(next.began) } else { worked.last.max(now(&worked.summary.node)) };
            // What else the same answer asked for was asked before anybody knew.
            let is_answer = !own || next.began.is_after(worked.began);
            if own && worked.is_left_before(next) {
                self.ended.push(going.remove(at).without_pass(true));
                continue;
            }
            if is_answer && worked.is_over_after(next, own) {
                let same = worked.is_operation_of(next.execution);
                worked.changes.own.edited |= next.execution.effect == Effect::Files;
                worked.changes.own.ran |= next.fixes();
                let how = worked.changes.ended(worked.kind, same);
                let mut over = going.remove(at);
                // What fails for another reason with nothing changed has not passed, nor has what nobody saw.
                let is_seen = over.is_seen_in(next.execution);
                let passed = match how {
                    Ended::ByItself => over.test().is_some() || !next.event.is_failure() && is_seen,
                    Ended::Replaced => is_seen || !next.is_blind_check(),
                    _ => true,
                };
                over.is_unseen |= !is_seen;
                self.ended.push(if passed { over.ends(how, next, to) } else { over.without_pass(true) });
                continue;
            }
            if own && is_answer && !next.is_failing_again(worked) {
                let aim = aim.get_or_insert_with(|| CallAim::of(next.execution, next.typed, false));
                if worked.is_replaced_by(next, aim) {
                    self.ended.push(going.remove(at).ends(Ended::Replaced, next, to));
                    continue;
                }
                let is_next_item = begins_item && worked.items == length;
                if worked.lasts() && (is_next_item || worked.is_left_by_commit() && aim.commits() && next.succeeded()) {
                    worked.turns_aside(worked.last.max(next.began), is_next_item, Some(next.end()));
                }
                let given_up = worked.kind == Category::MergeConflict && aim.gives_up() && next.succeeded();
                if given_up {
                    worked.trail = next.mark;
                    self.ended.push(going.remove(at).without_pass(true));
                    continue;
                }
                worked.follow(next, aim);
            }
            worked.is_unseen |= !next.event.is_failure() && worked.selection.is_same_as(next.execution);
            worked.note_log(next);
            worked.note_change(next, own, may_have_run);
            at += 1;
        }
    }

    /// A failure, as the rules' episode is after it; gives the id of its episode here. Told are the point at which the answer began that made the call, and the
    /// point after it.
    pub(super) fn failed(
        &mut self,
        session: &str,
        event: &Event,
        execution: &Execution,
        (verdict, proof): (&Verdict, Option<&Episode>),
        (from, mark): (Mark, Mark),
    ) -> String {
        let going = self.going.entry(session.to_owned()).or_default();
        let is_own = |worked: &&Worked| worked.summary.node == event.node;
        let is_same =
            |worked: &Worked| worked.is_same_check(verdict.kind(), proof) || worked.is_met_by(execution, proof);
        let is_it = |worked: &Worked| is_own(&worked) && (worked.is_episode(&verdict.episode) || is_same(worked));
        let at = going.iter().position(is_it).unwrap_or_else(|| {
            let part = self.parts.entry((event.node.clone(), verdict.episode.clone())).or_default();
            *part += 1;
            let mut opened = opened_episode(session, event, execution, verdict, (from, mark), *part);
            // Another agent of the session met it before: it is one failure, and each does its own work on it.
            if let Some(before) = going.iter().find(|worked| !is_own(worked) && is_same(worked)) {
                opened.summary.id.clone_from(&before.summary.id);
                opened.follows = before.announced && before.test().is_some();
            }
            going.push(opened);
            going.len() - 1
        });
        let Some(worked) = going.get_mut(at) else { return verdict.episode.clone() };
        let announced = execution.intent == Some(Intent::Red) || worked.follows;
        let launch = event.tool_use_id.as_ref().filter(|_| execution.phase == Some(Phase::Background));
        let launch = launch.and_then(|id| self.launches.remove(&(session.to_owned(), id.clone())));
        // Who waits for it has launched it for that. A server that falls over later was no failure when it began.
        let launch = launch.filter(|(_, to)| to.calls_until(mark) <= RECENT);
        worked.work.answers.extend(launch.filter(|_| !announced).map(|(from, to)| (from, to, false)));
        worked.fails(from, mark, (verdict.unchanged_retries > 0, announced));
        let check = proof.and_then(|proof| proof.check.as_ref());
        worked.ran_check = check.is_some_and(|check| CheckKind::of_words(&check.words.join(" ")).is_some());
        worked.proof = proof.cloned().map(Box::new);
        worked.form = FailedForm::of(execution);
        worked.selection = RunSelection::of(execution);
        worked.items = self.lists.get(&event.node).map_or(0, |list| list.length);
        worked.tests = execution.reading.iter().flat_map(failed_tests).map(str::to_owned).collect();
        let summary = &mut worked.summary;
        summary.class = summary.class.max(verdict.class);
        summary.tool = execution.tool.clone().unwrap_or_default();
        verdict.operation.0.clone_into(&mut summary.operation);
        summary.input = execution.input.clone().unwrap_or_default();
        summary.signature.clone_from(&verdict.signature.fine);
        summary.excerpt = execution.reading.as_ref().and_then(|reading| reading.line.clone());
        summary.last_ts = mark.ms.and_then(stamp_of).or(summary.last_ts.take());
        summary.attempts += u32::from(summary.attempts == 0 || !execution.parallel);
        summary.unchanged_retries += u32::from(verdict.unchanged_retries > 0);
        summary.masked |= verdict.outcome == Outcome::MaskedFailure;
        if let Some(id) = event.tool_use_id.as_ref().filter(|_| summary.tool_use_ids.len() < EpisodeSummary::MOST_CALLS)
        {
            summary.tool_use_ids.push(id.clone());
        }
        let id = summary.id.clone();
        worked.aim =
            if worked.is_check() { CallAim::of_failed_check(execution) } else { CallAim::of_failed(execution) };
        if going.len() > MOST_GOING {
            let oldest = going.remove(0);
            self.ended.push(oldest.without_pass(true));
        }
        id
    }

    /// The client cancelled a call of the answer that began here, because another one of it failed.
    pub(super) fn cancelled(&mut self, session: &str, node: &str, began: Mark) {
        self.cancelled.insert((session.to_owned(), node.to_owned(), began.order()));
    }

    /// An episode that goes on.
    pub(super) fn going(&self, session: &str, node: &str, episode: &str) -> Option<&EpisodeSummary> {
        let going = self.going.get(session)?;
        let is_it = |worked: &&Worked| worked.summary.node == node && worked.is_episode(episode);
        going.iter().find(is_it).map(|worked| &worked.summary)
    }

    /// What was said of an episode.
    pub(super) fn advised(&mut self, session: &str, node: &str, episode: &str, advice: Advice) {
        let is_it = |worked: &&mut Worked| worked.summary.node == node && worked.is_episode(episode);
        let Some(worked) = self.going.get_mut(session).and_then(|going| going.iter_mut().find(is_it)) else { return };
        if worked.summary.advice.len() < EpisodeSummary::MOST_ADVICES {
            worked.summary.advice.push(advice);
        }
    }

    /// A person spoke in this node: what was no check is over, and the work on a check stops until it goes on.
    pub(super) fn prompted(&mut self, session: &str, node: &str, mark: Mark) {
        let Some(going) = self.going.get_mut(session) else { return };
        let (mut over, mut left) = (Vec::new(), Vec::new());
        for mut worked in std::mem::take(going) {
            if worked.summary.node != node {
                left.push(worked);
            } else if worked.lasts() {
                worked.turns_aside(mark, true, None);
                left.push(worked);
            } else {
                over.push(worked.without_pass(true));
            }
        }
        *going = left;
        self.ended.extend(over);
    }

    /// All of them with their costs, now that the data end; each part of the work stands in one. `is_over` tells the nodes
    /// whose work ended before; `clock` the time of a session; `loops` the stretches
    /// in which a node of a session went round.
    pub(super) fn settled<'c>(
        self,
        is_over: impl Fn(&str) -> bool,
        clock: impl Fn(&str) -> Option<&'c Clock>,
        loops: &NodeRounds<'_>,
    ) -> Vec<EpisodeSummary> {
        let mut all = self.ended;
        for worked in self.going.into_values().flatten() {
            let summary = &worked.summary;
            let is_left = is_over(&summary.node);
            all.push(worked.without_pass(is_left));
        }
        all.sort_by_cached_key(|worked| {
            let summary = &worked.summary;
            (summary.session.clone(), summary.first_ts.clone(), summary.node.clone(), summary.id.clone())
        });
        book(&mut all, clock, loops, &self.cancelled);
        one_each(all)
    }
}

/// One episode of each failure, whoever of the session met it.
fn one_each(all: Vec<Worked>) -> Vec<EpisodeSummary> {
    let mut places: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut summaries: Vec<EpisodeSummary> = Vec::new();
    for Worked { summary, .. } in all {
        let key = (summary.session.clone(), summary.id.clone());
        if let Some(first) = places.get(&key).and_then(|at| summaries.get_mut(*at)) {
            first.join(summary);
        } else {
            places.insert(key, summaries.len());
            summaries.push(summary);
        }
    }
    summaries
}

impl CallAfter<'_> {
    /// Whether it is one more failure of the same: what that costs is booked as such.
    fn is_failing_again(&self, worked: &Worked) -> bool {
        self.event.is_failure() && worked.is_operation_of(self.execution)
    }
}

/// Puts each part of the work in one failure: the answer that failed in its own, then the work on what was only called
/// wrongly, which stands inside longer work; the rest in the failure that began first.
fn book<'c>(
    all: &mut [Worked],
    clock: impl Fn(&str) -> Option<&'c Clock>,
    loops: &NodeRounds<'_>,
    cancelled: &BTreeSet<(String, String, (u64, u64))>,
) {
    let mut nodes: BTreeMap<(String, String), Claims<Mark>> = BTreeMap::new();
    let mut claim = |worked: &Worked, from: Mark, to: Mark| {
        let key = (worked.summary.session.clone(), worked.summary.node.clone());
        nodes.entry(key).or_default().take(from, to)
    };
    let mut booked: Vec<Vec<(Mark, Mark, Option<WasteKind>)>> = vec![Vec::new(); all.len()];
    for (worked, booked) in all.iter().zip(&mut booked) {
        let EpisodeSummary { session, node, .. } = &worked.summary;
        for (from, to, unchanged) in &worked.work.answers {
            let cancels = !worked.is_check() && cancelled.contains(&(session.clone(), node.clone(), from.order()));
            let unchanged = unchanged.then_some(WasteKind::UnchangedRetry);
            let kind = if cancels { Some(WasteKind::CancelledSibling) } else { unchanged };
            booked.extend(claim(worked, *from, *to).into_iter().map(|(from, to)| (from, to, kind)));
        }
    }
    for checks in [false, true] {
        for (worked, booked) in all.iter().zip(&mut booked).filter(|(worked, _)| worked.is_check() == checks) {
            for (from, to) in &worked.work.between {
                booked.extend(claim(worked, *from, *to).into_iter().map(|(from, to)| (from, to, None)));
            }
        }
    }
    let mut times: BTreeMap<String, Claims<i64>> = BTreeMap::new();
    for (worked, booked) in all.iter_mut().zip(booked) {
        let Some(clock) = clock(&worked.summary.session) else { continue };
        let times = times.entry(worked.summary.session.clone()).or_default();
        let key = (worked.summary.session.as_str(), worked.summary.node.as_str());
        let rounds = loops.get(&key).map_or(&[][..], Vec::as_slice);
        let usage = worked.is_called_wrongly().then_some(WasteKind::Usage);
        let host = (worked.kind == Category::Network).then_some(WasteKind::DeadHost);
        let mut own = Claims::default();
        let answers = worked.work.answers.iter().map(|(from, to, _)| (*from, *to));
        for (from, to) in answers.chain(worked.work.between.iter().copied()) {
            for (from, to) in own.take(from, to) {
                worked.summary.cost = worked.summary.cost.plus(from.until(to, clock));
            }
        }
        for (from, to, own) in booked {
            let mut cost = from.until(to, &Clock::default());
            cost.wall_ms = times.take_worked(clock, from, to);
            worked.summary.booked = worked.summary.booked.plus(cost);
            let round = || rounds.iter().any(|(begin, end)| from.is_within(*begin, *end) && to.is_within(*begin, *end));
            let kind = own.filter(|own| *own == WasteKind::CancelledSibling).or(usage).or(host).or(own);
            if let Some(kind) = kind.or_else(|| round().then_some(WasteKind::Loop)) {
                let waste = worked.summary.waste.entry(kind).or_default();
                *waste = waste.plus(cost);
            }
        }
        worked.work = Work::default();
    }
}

/// The tests that failed.
fn failed_tests(reading: &Reading) -> Vec<&str> {
    let tests = reading.objects.iter().filter(|object| object.kind == ObjectKind::Test);
    tests.map(|object| object.name.as_str()).collect()
}

/// The first file of a line that has a line number, with that.
fn line_place(line: &str) -> Option<(String, u64)> {
    line.split_whitespace().find_map(|word| {
        let mut parts = word.split(':');
        let (file, number) = (parts.next()?, parts.next()?.parse().ok()?);
        file.contains('.').then(|| (file.to_owned(), number))
    })
}

fn opened_episode(
    session: &str,
    event: &Event,
    execution: &Execution,
    verdict: &Verdict,
    (from, mark): (Mark, Mark),
    part: u32,
) -> Worked {
    let object = execution.reading.as_ref().and_then(|reading| reading.primary_object());
    // Later parts of what the rules count as one have ids of their own.
    let id = match part {
        1 => verdict.episode.clone(),
        part => hex16(&[&event.node, &verdict.episode, &part.to_string()]).chars().take(8).collect(),
    };
    let summary = EpisodeSummary {
        id,
        session: session.to_owned(),
        node: event.node.clone(),
        class: verdict.class,
        category: verdict.category,
        object: object.map(|object| object.name.clone()),
        first_ts: mark.ms.and_then(stamp_of),
        ..EpisodeSummary::default()
    };
    Worked {
        summary,
        episode: verdict.episode.clone(),
        last: from,
        trail: from,
        kind: verdict.kind(),
        selection: RunSelection::of(execution),
        stranger: from,
        announced: true,
        ..Worked::default()
    }
}
