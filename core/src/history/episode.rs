//! One failure being worked on: what belongs to it, what proves that it is over, and what leaves it unclear.

use serde::{Deserialize, Serialize};

use super::event::Execution;
use super::state::LastDecision;
use crate::model::{
    Category, Check, CheckEnd, Class, Intent, Misfit, Object, ObjectKind, Operation, Outcome, Proof, Reading,
    RunResult, Signature,
};
use crate::programs::{self, Run, Trait, after_name};
use crate::reading::CheckKind;
use crate::shell::{Command, Script};

/// One failure being worked on.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own that an event sets")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Episode {
    /// 8 hexadecimal digits.
    pub id: String,
    /// What kind of error it is.
    pub category: Category,
    /// What exactly fails, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<Object>,
    /// The operation that failed last.
    pub operation: Operation,
    /// That call's command or target as given, redacted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// Whose output it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner: Option<String>,
    /// How often it failed; calls that were made together count once.
    pub attempts: u32,
    /// Fine signatures of the last failures, oldest first, at most two: the two before the next one.
    pub fines: Vec<String>,
    /// The version of those signatures.
    #[serde(default = "version_unstated")]
    pub signed: u32,
    /// How many retries in a row changed nothing.
    pub unchanged: u32,
    /// Whether its last failure was masked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub masked: bool,
    /// The call of that, by its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden_in: Option<String>,
    /// Whether the fallback rule answered it last: nobody knows the cause.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unexplained: bool,
    /// The class of its last verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<Class>,
    /// Whether the person was told of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub person_told: bool,
    /// Where its last failure stands.
    pub last_at: u64,
    /// The session that it failed in last, where the node is not a session's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The check that failed last, where it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<Check>,
    /// The packages and files that its failures named, at most [`Episode::PLACES`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<String>,
    /// Whether something newer than its last failure may have passed it, and nothing tells.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unclear: bool,
    /// Whether all that left it unclear are runs of the same check through a filter that showed no result.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unread: bool,
    /// Why its last failure says nothing of the work, where it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<Intent>,
    /// Where the text of the edit that failed last occurs but for white space, where that was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub misfit: Option<Misfit>,
    /// What was decided last, where anything was since a person's prompt or a thaw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided: Option<LastDecision>,
}

/// A failure as far as an episode asks for it.
#[derive(Debug, Clone, Copy)]
pub struct FailingCall<'a> {
    /// What its output says.
    pub reading: &'a Reading,
    /// What was being done.
    pub operation: &'a Operation,
    /// The check that failed, where it was one.
    pub check: Option<&'a Check>,
    /// Whether it was made together with a call before it that failed in the same operation.
    pub parallel: bool,
    /// Whether the line hid its status.
    pub masked: bool,
}

impl<'a> FailingCall<'a> {
    /// The failure that an event tells of.
    pub fn of(execution: &'a Execution) -> Option<Self> {
        let (reading, operation) = (execution.reading.as_ref()?, execution.operation.as_ref()?);
        let masked = execution.outcome == Some(Outcome::MaskedFailure);
        Some(Self { reading, operation, check: execution.failed_check(), parallel: execution.parallel, masked })
    }
}

impl Episode {
    /// The most places that an episode keeps.
    pub const PLACES: usize = 4;

    pub(super) fn open(failing: &FailingCall<'_>, event_id: &str) -> Self {
        let reading = failing.reading;
        Self {
            id: episode_id(event_id),
            category: reading.category,
            object: reading.primary_object().cloned(),
            operation: failing.operation.clone(),
            input: None,
            runner: reading.runner.clone(),
            attempts: 0,
            fines: Vec::new(),
            signed: Signature::VERSION,
            unchanged: 0,
            masked: false,
            hidden_in: None,
            unexplained: false,
            class: None,
            person_told: false,
            last_at: 0,
            session: None,
            check: None,
            places: Vec::new(),
            unclear: false,
            unread: false,
            intent: None,
            misfit: None,
            decided: None,
        }
    }

    /// Whether the last thing known of it is a failure of the work: no later run may have passed, and it was not meant to
    /// fail.
    pub const fn is_failing(&self) -> bool {
        !self.unclear && self.intent.is_none()
    }

    /// The fine signatures before a failure, to compare its own with. Those of another version say nothing: where the
    /// operation failed again, its last failure counts once as the same, so that an update of Failwise is no progress.
    pub(super) fn fines_before(&self, operation: &Operation, signature: &Signature) -> Vec<String> {
        if self.signed == signature.version || Signature::is_made(self.signed) {
            return self.fines.clone();
        }
        let Some(last) = self.fines.last().filter(|_| self.operation == *operation && !signature.vague) else {
            return Vec::new();
        };
        let renewed = |fine: &String| if fine == last { signature.fine.clone() } else { fine.clone() };
        self.fines.iter().map(renewed).collect()
    }

    /// Notes the last failure.
    pub(super) fn failed(&mut self, failing: &FailingCall<'_>, intent: Option<Intent>, misfit: Option<&Misfit>) {
        self.operation = failing.operation.clone();
        self.check = failing.check.cloned().or(self.check.take());
        if self.object.is_none() {
            self.object = failing.reading.primary_object().cloned();
        }
        for place in places(failing.reading) {
            if !self.places.contains(place) && self.places.len() < Self::PLACES {
                self.places.push(place.clone());
            }
        }
        (self.unclear, self.unread) = (false, false);
        self.misfit = misfit.cloned();
        self.intent = intent;
    }

    /// Whether a failure is one more of this: of the same kind and, as far as that is known, of the same object. One that
    /// names none is told by its check.
    pub(super) fn takes(&self, failing: &FailingCall<'_>) -> bool {
        let (objects, own) = (&failing.reading.objects, self.object.as_ref());
        if self.category != failing.reading.category || !self.is_near(failing.check) {
            return false;
        }
        match own {
            Some(object) if !objects.is_empty() => objects.contains(object),
            None if objects.is_empty() => self.operation == *failing.operation || self.is_same_check(failing.check),
            _ => self.is_same_check(failing.check),
        }
    }

    /// Whether a check ran in the directory of this one's, below it or above it: not in another package or worktree.
    fn is_near(&self, check: Option<&Check>) -> bool {
        let (Some(own), Some(other)) = (&self.check, check) else { return true };
        below(own, other).or_else(|| below(other, own)).is_some()
    }

    fn is_same_check(&self, check: Option<&Check>) -> bool {
        self.check.as_ref().zip(check).is_some_and(|(own, other)| own.words == other.words && own.dir == other.dir)
    }

    /// Whether a call ends it: by a proven pass, or by a failure that proves this one to be over.
    pub fn is_ended_by(&self, execution: &Execution) -> bool {
        let Some(failing) = FailingCall::of(execution) else { return false };
        if execution.intent == Some(Intent::Baseline) {
            return false;
        }
        let succeeded = execution.outcome == Some(Outcome::Succeeded);
        self.is_named_as_passed(&failing, execution)
            || self.is_found_by(&failing)
            || execution.checks.iter().any(|check| self.is_proven_by(check))
            || if succeeded { self.is_passed_by(&failing, execution) } else { self.is_outlived_by(&failing) }
    }

    /// Whether a failure of the same operation proves that this one is over: tests that ran were compiled.
    fn is_outlived_by(&self, failing: &FailingCall<'_>) -> bool {
        self.category == Category::CompileError
            && failing.reading.category == Category::TestFailure
            && self.operation == *failing.operation
            && self.is_near(failing.check)
    }

    /// Whether the program that was missing has run since, by whatever way it was found.
    fn is_found_by(&self, run: &FailingCall<'_>) -> bool {
        let Some(program) = self.object.as_ref().filter(|_| self.category == Category::CommandNotFound) else {
            return false;
        };
        let reading = run.reading;
        reading.result != RunResult::Unstated
            && reading.runner.as_deref().is_some_and(|runner| after_name(runner, &program.name).is_some())
    }

    /// Whether the failing test is among those that passed, in a run of the same runner.
    fn is_named_as_passed(&self, passing: &FailingCall<'_>, execution: &Execution) -> bool {
        let Some(object) = self.object.as_ref().filter(|_| self.runner.is_some()) else { return false };
        let fails_too = passing.reading.category == self.category && passing.reading.objects.contains(object);
        let is_same = |check: &Check| {
            let has_all = |own: &Check| adds(own).into_iter().all(|word| adds(check).contains(&word));
            self.is_near(Some(check)) && self.check.as_ref().is_none_or(has_all)
        };
        let is_near = execution.checks.is_empty() || execution.checks.iter().any(is_same);
        self.runner == passing.reading.runner && passing.reading.passed.contains(&object.name) && is_near && !fails_too
    }

    /// A proven pass of what is no check is that of the same operation, of one of the same runner that was broader, or
    /// that was the end of the chain which failed (`git commit` after `git add . && git commit`).
    fn is_passed_by(&self, passing: &FailingCall<'_>, execution: &Execution) -> bool {
        let (reading, operation) = (passing.reading, &passing.operation.0);
        if reading.proof == Proof::None || self.check.is_some() && !execution.checks.is_empty() {
            return false;
        }
        if self.operation.0 == *operation {
            return true;
        }
        if self.runner.is_none() || self.runner != reading.runner {
            return false;
        }
        let broader = reading.result == RunResult::Passed
            && self.operation.0.strip_prefix(operation).is_some_and(|rest| rest.starts_with(' '));
        let end = self.operation.0.strip_suffix(operation).is_some_and(|rest| rest.ends_with("&& "));
        broader || end
    }

    /// Whether a check that passed proves that this one passes: the same, a wider one, or one of the failing test alone.
    fn is_proven_by(&self, check: &Check) -> bool {
        let Some(own) = self.check.as_ref().filter(|_| check.end == CheckEnd::Passed) else { return false };
        if own.words == check.words && own.dir == check.dir {
            return true;
        }
        if self.is_skipped_in(own, check) {
            return false;
        }
        self.is_part_of(own, check)
            || is_task_with_less(own, check)
            || self.is_run_by_task(own, check)
            || self.is_whole_run_of_task(own, check)
            || self.is_run_of_object(own, check)
    }

    fn is_part_of(&self, own: &Check, wide: &Check) -> bool {
        let (Some(narrow), Some(run), Some(folder)) = (run_of(own), run_of(wide), below(own, wide)) else {
            return false;
        };
        narrow.is_part_of(&run, self.category, &wide.runners, folder)
    }

    /// `make lint` after `golangci-lint run`: a task without words of its own, whose output is of the runner that failed.
    fn is_run_by_task(&self, own: &Check, wide: &Check) -> bool {
        let Some(task) = run_of(wide).filter(|run| run.program.has(Trait::Tasks) && run.is_whole_task()) else {
            return false;
        };
        let is_task = run_of(own).is_some_and(|run| run.program.has(Trait::Tasks));
        !is_task
            && below(own, wide).is_some()
            && adds(own).is_empty()
            && task.program.has(Trait::Tasks)
            && self.runner.as_ref().is_some_and(|runner| wide.runners.contains(runner))
    }

    /// `golangci-lint run` after `make lint`, `phpunit` after `composer test`: all of what the task's failure was of. Tests of
    /// another task may have settings of their own.
    fn is_whole_run_of_task(&self, own: &Check, check: &Check) -> bool {
        let finds_all = matches!(self.category, Category::LintError | Category::CompileError)
            || self.category == Category::TestFailure && own.words.get(1..).is_some_and(|words| words == ["test"]);
        finds_all
            && own.dir == check.dir
            && run_of(own).is_some_and(|run| run.program.has(Trait::Tasks))
            && self.is_of_runner(check)
            && is_whole(check)
    }

    /// A run that selects the failing test, or the place that it is in.
    fn is_run_of_object(&self, own: &Check, check: &Check) -> bool {
        let Some(object) = self.object.as_ref().filter(|object| object.kind == ObjectKind::Test) else { return false };
        if !self.is_of_program(own, check) || !self.is_near(Some(check)) || adds(own) != adds(check) {
            return false;
        }
        let mut words = check.words.iter().skip(1).peekable();
        while let Some(word) = words.next() {
            let (option, given) = word.split_once('=').unwrap_or((word, ""));
            let value = if given.is_empty() { words.peek().map_or("", |next| next) } else { given };
            if option == "-run" && value.split('|').any(|name| selects(name, &object.name)) || *word == object.name {
                return true;
            }
        }
        // A compiler that looks at the same place runs no test.
        run_of(own).zip(run_of(check)).is_none_or(|(own, check)| own.is_like(&check)) && self.is_only_place(check)
    }

    /// Whether the tests that a run of go selects are others than the one that failed.
    fn is_selected_away_by(&self, check: &Check) -> bool {
        let Some(object) = self.object.as_ref().filter(|object| object.kind == ObjectKind::Test) else { return false };
        let words = || check.words.iter();
        let value = words().skip_while(|word| *word != "-run").nth(1).map(String::as_str);
        let value = value.or_else(|| words().find_map(|word| word.strip_prefix("-run=")));
        let is_plain = |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'^' | b'$'));
        value.is_some_and(|names| names.split('|').all(|name| is_plain(name) && !selects(name, &object.name)))
    }

    /// Whether a check without filters looks at the one place that failed.
    fn is_only_place(&self, check: &Check) -> bool {
        let mut words = check.words.iter().skip(1);
        let filtered = check.words.iter().any(|word| word.starts_with('-'));
        !filtered && self.places.len() == 1 && words.any(|word| self.is_at(word))
    }

    /// Whether a place that failed is this target, or lies below it.
    fn is_at(&self, target: &str) -> bool {
        self.places.iter().any(|place| is_below(target, place))
    }

    /// Whether a call that did not prove it passed may have run it with another end than a failure, so that nobody knows
    /// how it stands.
    pub fn is_left_unclear_by(&self, execution: &Execution) -> bool {
        let printed_failure = execution.reading.as_ref().is_some_and(|reading| reading.result == RunResult::Failed)
            && execution.outcome == Some(Outcome::Succeeded);
        if execution.intent == Some(Intent::Baseline) || printed_failure {
            return false;
        }
        let Some(own) = self.check.as_ref() else { return self.is_run_again_by(execution) };
        execution.checks.iter().any(|check| self.may_be_run_by(own, check))
            || execution.checks.is_empty()
                && own.words.first().is_some_and(|program| !self.operation.0.contains(program.as_str()))
                && self.is_run_again_by(execution)
            || execution.restored.iter().any(|file| file == "." || self.is_at(file))
    }

    /// Whether a call that left it unclear ran the same check and nothing wider, and showed only lines that a filter chose by
    /// words which are no words of a result: `bun test | grep "^src/"`.
    pub fn is_left_unread_by(&self, execution: &Execution) -> bool {
        let (Some(own), Some(line)) = (&self.check, &execution.input) else { return false };
        let is_same = |check: &Check| check.words == own.words && check.dir == own.dir;
        let script = Script::parse(line);
        let runs =
            || script.programs().filter(|(_, command)| Some(command.name()) == own.words.first().map(String::as_str));
        !script.incomplete
            && execution.restored.is_empty()
            && execution.checks.iter().all(is_same)
            && runs().next().is_some()
            && runs().all(|(at, _)| script.readers(at).any(shows_no_result))
    }

    /// Whether every check of a call leaves out what failed, by words that the failing one did not have.
    pub fn is_left_out_by(&self, execution: &Execution) -> bool {
        let Some(own) = &self.check else { return false };
        let leaves_out = |check: &Check| self.is_skipped_in(own, check) || self.is_of_other_package(own, check);
        !execution.checks.is_empty() && execution.checks.iter().all(leaves_out)
    }

    /// Whether an option or a variable of a check names what failed as what is to be skipped, or skips all tests.
    fn is_skipped_in(&self, own: &Check, check: &Check) -> bool {
        const LEAVES_OUT: &[&str] = &["skip", "exclude", "ignore", "deselect"];
        let object = self.object.as_ref().map_or("", |object| object.name.as_str());
        let names = |value: &str| {
            let name = value.trim_matches(|sign| matches!(sign, '*' | '!' | '^' | '$'));
            let is_object = !object.is_empty() && (object.contains(name) || name.contains(object));
            name.len() > 2 && (is_object || self.places.iter().any(|place| place.contains(name)))
        };
        check.words.iter().enumerate().any(|(at, word)| {
            let (option, given) = word.split_once('=').unwrap_or((word, ""));
            let lower = option.to_ascii_lowercase();
            let is_variable = !given.is_empty() && option.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
            let leaves = (option.starts_with('-') || is_variable) && LEAVES_OUT.iter().any(|it| lower.contains(it));
            let next = check.words.get(at + 1).map_or("", String::as_str);
            let value = if given.is_empty() && !next.starts_with('-') { next } else { given };
            let is_new = !own.words.contains(word) || !own.words.iter().any(|own| own.ends_with(value));
            leaves
                && is_new
                && (names(value) || lower.contains("test") && matches!(given, "" | "true") && value == given)
        })
    }

    /// Whether a task runs in a package that nothing of what failed names, after it failed in all of them.
    fn is_of_other_package(&self, own: &Check, check: &Check) -> bool {
        let is_task = run_of(check).is_some_and(|run| run.program.has(Trait::Tasks));
        let Some(package) = scope(check).filter(|_| is_task && scope(own).is_none()) else { return false };
        let name = package.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let is_in = |path: &String| path.split('/').any(|part| part == name);
        package.starts_with('!') || !self.places.iter().chain(&own.dir).any(is_in)
    }

    /// Whether a call ran a command again of the line that failed, where nothing tells which command of it did. Whatever it
    /// printed then, nobody has seen it fail since.
    fn is_run_again_by(&self, execution: &Execution) -> bool {
        let Some(other) = &execution.operation else { return false };
        let does = |command: &str| Script::parse(command).programs().any(|(_, command)| !command.only_looks());
        let own = &self.operation;
        // Hardly any call is a command of the line at all.
        let again = |run: &str| own.0.len() >= run.len() && own.commands().any(|own| own == run) && does(run);
        own == other || other.commands().any(again)
    }

    /// Whether it failed after a change of a file that a call put back as it was: what breaks a file on purpose restores it.
    pub(super) fn is_of_what_was_put_back<'c>(
        &self,
        mut changed: impl Iterator<Item = &'c (String, u64)>,
        execution: &Execution,
    ) -> bool {
        let put_back = |file: &str| execution.restored.iter().any(|restored| is_same_file(file, restored));
        self.check.is_some()
            && execution.intent != Some(Intent::Baseline)
            && !execution.restored.is_empty()
            && changed.any(|(file, at)| *at <= self.last_at && put_back(file))
    }

    fn may_be_run_by(&self, own: &Check, check: &Check) -> bool {
        if !self.is_near(Some(check)) {
            return false;
        }
        if own.words == check.words || self.is_fixed_by(own, check) {
            return true;
        }
        if self.is_selected_away_by(check) {
            return false;
        }
        if is_narrower(check, own, self.category) {
            return self.covers_what_failed(own, check);
        }
        let (narrow, run) = (run_of(own), run_of(check));
        let met = narrow
            .zip(run)
            .and_then(|(narrow, run)| narrow.may_meet(&run, self.category, below(own, check).unwrap_or_default()));
        if let Some(meets) = met {
            // Of a run that passed and is not wider, only what it was told to look at may be this.
            let may_hold = self.places.is_empty() && run.is_none_or(|run| run.filters().is_empty());
            return meets && (check.end != CheckEnd::Passed || may_hold);
        }
        if run.is_some_and(|run| run.program.has(Trait::Tasks)) {
            let is_apart = scope(own).zip(scope(check)).is_some_and(|(own, other)| !is_same_package(own, other));
            // The names of tasks do not tell which of them runs more; a place in one does.
            let is_elsewhere =
                |word: &String| !own.words.contains(word) && (word.starts_with(':') || word.contains('/'));
            let says_nothing = check.end != CheckEnd::Passed || check.runners.is_empty();
            let is_apart = is_apart || !says_nothing && check.words.iter().any(is_elsewhere);
            let apart_from_tests = narrow.is_some_and(|narrow| !narrow.program.tests_compile());
            return !is_apart && may_check(&check.words, &own.words, self.category, apart_from_tests);
        }
        if !self.is_of_program(own, check) {
            return false;
        }
        // What could not be loaded is asked for in another form next: with another path, or by another name.
        if self.category == Category::DependencyMissing {
            return own.words.first() == check.words.first() && check.end != CheckEnd::Failed;
        }
        // A script that runs tests by one word may do anything by another: `manage.py test`, `manage.py runserver`.
        let is_other_task = task_of_script(own).zip(task_of_script(check)).is_some_and(|(own_task, task)| {
            own_task != task && !may_check(&check.words[1..], &own.words, self.category, false)
        });
        check.end != CheckEnd::Passed && own.words.get(1) == check.words.get(1) && !is_other_task
    }

    /// Whether what a linter or formatter found was put right by a run that writes: nobody ran the check itself since.
    fn is_fixed_by(&self, own: &Check, check: &Check) -> bool {
        let is_of_style = self.category == Category::LintError || programs::is_of_style(&own.words);
        let writes = || own.words.first() == check.words.first() && programs::only_looks_at_style(&own.words);
        is_of_style && (check.fixes || writes() && !programs::only_looks_at_style(&check.words))
    }

    /// Whether a run of a part looks at everything that failed, as far as the failure named it.
    fn covers_what_failed(&self, own: &Check, check: &Check) -> bool {
        let words = || check.words.iter().filter(|word| !own.words.contains(word));
        let is_looked_at = |place: &String| words().any(|word| is_below(word, place));
        let all_places =
            !self.places.is_empty() && self.places.len() < Self::PLACES && self.places.iter().all(is_looked_at);
        let object = self.object.as_ref().map_or("", |object| object.name.as_str());
        let value = |word: &str| word.split_once('=').map_or(word, |(_, value)| value).to_owned();
        let names = |word: &String| {
            let value = value(word);
            value.len() > 2 && !object.is_empty() && (object.contains(&value) || value.contains(object))
        };
        all_places || words().any(names)
    }

    /// Whether a check begins with the program that failed, or with the one that the failure's runner is of.
    fn is_of_program(&self, own: &Check, check: &Check) -> bool {
        own.words.first() == check.words.first() || self.is_of_runner(check)
    }

    fn is_of_runner(&self, check: &Check) -> bool {
        self.runner.as_deref().is_some_and(|runner| runs(check, runner))
    }
}

impl Execution {
    /// The check that failed, where the call ran one: what else failed is told by nothing but the operation.
    pub fn failed_check(&self) -> Option<&Check> {
        let known = self.checks.iter().find(|check| check.end == CheckEnd::Failed);
        let runner = self.reading.as_ref().and_then(|reading| reading.runner.as_deref());
        let mut open = self.checks.iter().filter(|check| check.end == CheckEnd::Unknown);
        known
            .or_else(|| open.clone().find(|check| runner.is_some_and(|runner| runs(check, runner))))
            .or_else(|| open.next_back())
    }
}

/// Whether a command lets through only lines that hold words which no result has. What counts or turns its choice round may
/// tell how it ended.
fn shows_no_result(filter: &Command) -> bool {
    const RESULTS: &[&str] = &[
        "fail", "err", "pass", "ok", "test", "spec", "total", "sum", "result", "exit", "panic", "warn", "not", "found",
        "issue", "problem", "success", "done", "green", "red", "ran",
    ];
    let pattern = filter.args.iter().find(|arg| !arg.starts_with('-')).map(|arg| arg.to_lowercase());
    let is_plain = |pattern: &String| {
        pattern.bytes().any(|byte| byte.is_ascii_alphabetic())
            && pattern.is_ascii()
            && !RESULTS.iter().any(|word| pattern.contains(word))
            && !["\\d", "[0-9", "\\w", ".*", ".+"].iter().any(|any| pattern.contains(any))
    };
    let turns = ['v', 'c', 'L', 'q'].iter().any(|letter| filter.has_letter(*letter));
    filter.is(Trait::Answers) && filter.is(Trait::Displays) && !turns && pattern.as_ref().is_some_and(is_plain)
}

/// Where the first check stands below the directory of the second: nowhere in a worktree of its own.
pub fn below<'c>(check: &'c Check, wide: &Check) -> Option<&'c str> {
    match (&check.dir, &wide.dir) {
        (Some(own), Some(all)) if own != all => {
            let rest = own.strip_prefix(all.as_str())?.strip_prefix('/')?;
            (!rest.split('/').any(|folder| folder.ends_with("worktrees"))).then_some(rest)
        }
        _ => Some(""),
    }
}

/// Whether a place that failed is this target, or lies below it.
fn is_below(target: &str, place: &str) -> bool {
    let whole_below = target.ends_with("/...");
    let target = target.trim_end_matches("/...").trim_start_matches("./").trim_end_matches('/');
    let is_path = target.contains(['/', '.']) || place.ends_with(target);
    let end = || place.strip_suffix(target).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
    let inside = || place.contains(&format!("{target}/")) && !place.contains("://");
    !target.is_empty() && is_path && (end() || (whole_below || target.contains('/')) && inside())
}

/// Whether a check looks at less than the other: at a part that its words name.
fn is_narrower(check: &Check, other: &Check, of: Category) -> bool {
    let is_part = |one: &Check, all: &Check| {
        let (Some(part), Some(whole), Some(folder)) = (run_of(one), run_of(all), below(one, all)) else { return false };
        part.is_part_of(&whole, of, &[], folder)
    };
    is_task_with_less(check, other) || is_part(check, other) && !is_part(other, check)
}

/// The program of a check with its words, where it is known.
pub fn run_of(check: &Check) -> Option<Run<'_>> {
    let (program, args) = check.words.split_first()?;
    Some(Run { program: programs::find(program)?, args })
}

/// Whether a check begins with the program that a runner is of: `go test` is of `go`.
fn runs(check: &Check, runner: &str) -> bool {
    check.words.first().is_some_and(|program| after_name(runner, program).is_some())
}

/// Whether a pattern of `-run` selects a test.
fn selects(pattern: &str, test: &str) -> bool {
    let exact = pattern.ends_with('$');
    let name = pattern.trim_start_matches('^').trim_end_matches('$');
    !name.is_empty() && if exact { test == name } else { test.starts_with(name) }
}

/// The words by which more is looked at, with what they are given.
fn adds(check: &Check) -> Vec<&String> {
    let is_option = |word: &str| word.starts_with("-tags") || word.starts_with("--features");
    let takes =
        |at: usize| at > 0 && check.words.get(at - 1).is_some_and(|word| is_option(word) && !word.contains('='));
    let words = check.words.iter().enumerate();
    words.filter(|(at, word)| is_option(word) || takes(*at)).map(|(_, word)| word).collect()
}

/// `npm test -- src/sum.test.js` in `npm test`: the same script with words that only name a part.
fn is_task_with_less(own: &Check, wide: &Check) -> bool {
    const FILTERS: &[&str] = &["-t", "-g", "-k", "--grep", "--testNamePattern", "--testPathPattern", "--filter"];
    let is_script = wide.words.len() > 1 && run_of(wide).is_some_and(|run| run.program.has(Trait::Tasks));
    let Some(rest) = own.words.strip_prefix(wide.words.as_slice()).filter(|_| is_script && own.dir == wide.dir) else {
        return false;
    };
    let names = |word: &String| {
        let option = word.split_once('=').map_or(word.as_str(), |(option, _)| option);
        !word.starts_with('-') || word == "--" || FILTERS.contains(&option)
    };
    !rest.is_empty() && rest.iter().all(names)
}

/// Whether a check looks at everything that its program looks at by itself.
pub fn is_whole(check: &Check) -> bool {
    const ALL: &[&str] = &["run", "check", "lint", ".", "./..."];
    match run_of(check) {
        Some(run) => run.is_whole(),
        None => check.words.iter().skip(1).all(|word| ALL.contains(&word.as_str())),
    }
}

/// The options by which a check leaves something out, with what they are given.
pub fn filters_of(check: &Check) -> Vec<(&str, &str)> {
    run_of(check).map(|run| run.filters()).unwrap_or_default()
}

/// The package of a repository that a task is run in, by its option.
fn scope(check: &Check) -> Option<&str> {
    const OPTIONS: &[&str] = &["--filter", "-F", "-w", "--workspace", "workspace"];
    let mut words = check.words.iter().map(String::as_str);
    words
        .find_map(|word| match word.split_once('=') {
            Some((option, value)) => OPTIONS.contains(&option).then_some(Some(value)),
            None => OPTIONS.contains(&word).then_some(None),
        })
        .and_then(|value| value.or_else(|| words.next()))
}

/// What a script behind an interpreter is asked to do: `test` of `python manage.py test`.
fn task_of_script(check: &Check) -> Option<&str> {
    let word = check.words.get(2)?;
    word.bytes().all(|byte| byte.is_ascii_lowercase()).then_some(word.as_str())
}

/// Whether two names are of one package: `@ledger/web` is also called `web`.
fn is_same_package(one: &str, other: &str) -> bool {
    let ends = |long: &str, short: &str| long.strip_suffix(short).is_some_and(|rest| rest.ends_with('/'));
    one == other || ends(one, other) || ends(other, one)
}

/// Whether a task may run the check that failed, by the words that name both: what kind of check it is tells what ran, and the
/// cause only where its words leave it open. `apart_from_tests`: the failed check is one that tests do not run, as a type
/// checker of a language whose tests run without it.
fn may_check(words: &[String], failed: &[String], category: Category, apart_from_tests: bool) -> bool {
    const ANY: &[&str] = &["check", "ci", "all", "verify", "validate", "precommit", "pre-commit"];
    let category = match CheckKind::of_words(&failed.join(" ")) {
        Some(CheckKind::Tests) => Category::TestFailure,
        Some(CheckKind::Lint) => Category::LintError,
        Some(CheckKind::Types | CheckKind::Build) => Category::CompileError,
        _ => category,
    };
    let own: &[&str] = match category {
        Category::TestFailure => &["test", "spec", "e2e", "unit", "coverage"],
        Category::LintError => &["lint", "fmt", "format", "style", "fix", "clippy"],
        _ if apart_from_tests => &["build", "compile", "type", "types", "typecheck", "tsc", "lint"],
        _ => &["build", "compile", "type", "types", "typecheck", "tsc", "test", "lint"],
    };
    let bare = words.len() < 2;
    bare || words
        .iter()
        .skip(1)
        .flat_map(|word| word.split([':', '-', '_', '/']))
        .any(|part| own.contains(&part) || ANY.contains(&part))
}

/// Whether two paths may name one file, or the second a folder that holds the first: where each was given from is not known.
fn is_same_file(file: &str, other: &str) -> bool {
    let [file, other] = [file, other].map(|path| path.trim_start_matches("./").trim_end_matches('/'));
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/')) && !short.is_empty()
    };
    let holds = || file.split_once(other).is_some_and(|(_, below)| below.starts_with('/'));
    ends(file, other) || ends(other, file) || other.contains('/') && holds()
}

/// The packages and files that a failure names with a path.
fn places(reading: &Reading) -> impl Iterator<Item = &String> {
    let named = reading.objects.iter().filter(|object| matches!(object.kind, ObjectKind::Module | ObjectKind::File));
    named.map(|object| &object.name).chain(&reading.files).filter(|place| place.contains('/'))
}

/// The version of signatures before episodes told theirs.
const fn version_unstated() -> u32 {
    2
}

/// The id of the episode that an event opens.
pub(super) fn episode_id(event_id: &str) -> String {
    event_id.chars().take(8).collect()
}
