//! Runs out of recorded calls: what an agent ran, as far as its output names the cases.

use std::collections::{BTreeMap, VecDeque};

use super::run::{CaseStatus, RunSource, TestCase, TestRun};
use crate::history::{Body, Event, Execution};
use crate::model::{Category, ObjectKind, Outcome, Proof, Reading, RunResult};
use crate::redact::redact;
use crate::text::one_line;
use crate::time::since_1970;

/// The most operations of a session that are remembered, and the most cases of each.
const MOST_OPERATIONS: usize = 32;
const MOST_CASES: usize = 64;

/// Takes the events of a history, of each session in their order, and gives the runs in them.
#[derive(Debug, Default)]
pub struct Recorder {
    desks: BTreeMap<String, SessionDesk>,
    runs: Vec<Recorded>,
}

/// A run that a call was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// The client's session.
    pub session: String,
    /// The run; its id is the event's.
    pub run: TestRun,
    /// Its cases, as far as they are known.
    pub cases: Vec<TestCase>,
}

/// What is remembered of a session.
#[derive(Debug, Default)]
struct SessionDesk {
    /// How many calls may have changed something.
    changes: u64,
    /// The operations that were run last, the latest last.
    last: VecDeque<Last>,
}

/// The last run of an operation.
#[derive(Debug)]
struct Last {
    operation: String,
    input: Option<String>,
    /// Its place among the runs.
    place: usize,
    passed: bool,
    /// What failed in it, or before, and did not pass since.
    failed: Vec<String>,
    /// How many changes there were once it had run.
    changes: u64,
}

impl Recorder {
    /// Takes the next event.
    pub fn event(&mut self, event: &Event) {
        let Some(session) = event.session.clone().filter(|session| !session.is_empty()) else { return };
        let desk = self.desks.entry(session.clone()).or_default();
        if let Body::StateChanged { change: Some(change), .. } = &event.body
            && change.is_prompt()
        {
            // A person who speaks may have worked on the files, too.
            desk.changes += 1;
        }
        let Some(execution) = event.execution() else { return };
        if matches!(execution.outcome, Some(Outcome::Denied | Outcome::Cascade) | None) {
            return;
        }
        let recorded = RecordedRun::of(event, execution).and_then(|ran| self.recorded(&session, event, &ran));
        let desk = self.desks.entry(session).or_default();
        desk.changes += u64::from(may_change(execution));
        if let Some(mut last) = recorded {
            last.changes = desk.changes;
            desk.last.push_back(last);
            if desk.last.len() > MOST_OPERATIONS {
                desk.last.pop_front();
            }
        }
    }

    /// The runs, in the order of their events.
    pub fn finish(self) -> Vec<Recorded> {
        self.runs
    }

    /// Notes a run, and what is to be remembered of it.
    fn recorded(&mut self, session: &str, event: &Event, ran: &RecordedRun<'_>) -> Option<Last> {
        let desk = self.desks.get_mut(session)?;
        let at = desk.last.iter().position(|last| last.operation == ran.operation);
        let last = at.and_then(|at| desk.last.remove(at));
        let cases = ran.cases(last.as_ref());
        // Nothing says that it ran tests.
        if ran.passed && cases.is_empty() && last.is_none() {
            return None;
        }
        let repeats = last.as_ref().filter(|last| last.changes == desk.changes && last.input.as_deref() == ran.input);
        let repeated = repeats.and_then(|last| self.runs.get(last.place)).map(|before| before.run.id.clone());
        if let Some(before) = repeats.filter(|last| last.passed && !ran.passed).map(|last| last.place) {
            self.passed_before(before, &cases);
        }
        let run = ran.run(event, repeated, &cases);
        let place = self.runs.len();
        self.runs.push(Recorded { session: session.to_owned(), run, cases });
        let failed = if ran.passed { Vec::new() } else { self.still_failing(place, last) };
        let input = ran.input.map(str::to_owned);
        Some(Last { operation: ran.operation.to_owned(), input, place, passed: ran.passed, failed, changes: 0 })
    }

    /// What failed when a run that had passed was repeated, passed in that one.
    fn passed_before(&mut self, place: usize, cases: &[TestCase]) {
        let Some(before) = self.runs.get_mut(place) else { return };
        for case in cases.iter().filter(|case| case.status == CaseStatus::Failed) {
            add(&mut before.cases, &case.name, CaseStatus::Passed, None);
        }
        let status = before.run.status;
        before.run.count(&before.cases);
        before.run.status = status;
    }

    /// What failed in a run, and what failed before it and did not pass in it.
    fn still_failing(&self, place: usize, last: Option<Last>) -> Vec<String> {
        let Some(Recorded { cases, .. }) = self.runs.get(place) else { return Vec::new() };
        let failed = cases.iter().filter(|case| case.status == CaseStatus::Failed).map(|case| case.name.clone());
        let mut failing: Vec<String> = failed.collect();
        let earlier = last.into_iter().flat_map(|last| last.failed);
        failing.extend(earlier.filter(|name| !cases.iter().any(|case| case.name == *name)));
        failing.truncate(MOST_CASES);
        failing
    }
}

/// A call that ran tests.
struct RecordedRun<'e> {
    operation: &'e str,
    input: Option<&'e str>,
    reading: &'e Reading,
    passed: bool,
}

impl<'e> RecordedRun<'e> {
    /// The call, where its output says what became of it. One that was meant to fail, or looked at the project without the
    /// work, says nothing of a case.
    fn of(event: &Event, execution: &'e Execution) -> Option<Self> {
        let reading = execution.reading.as_ref().filter(|_| execution.intent.is_none())?;
        let failed = event.is_failure() && reading.category == Category::TestFailure;
        let passed = execution.outcome == Some(Outcome::Succeeded)
            && reading.proof != Proof::None
            && reading.result == RunResult::Passed;
        let operation = &execution.operation.as_ref()?.0;
        (failed || passed).then_some(Self { operation, input: execution.input.as_deref(), reading, passed })
    }

    /// The cases that are known by it. A proven pass is one of what had failed in the same operation, too.
    fn cases(&self, last: Option<&Last>) -> Vec<TestCase> {
        let mut cases = Vec::new();
        let failed = self.reading.objects.iter().filter(|object| object.kind == ObjectKind::Test && !self.passed);
        for test in failed {
            let is_first = self.reading.primary_object() == Some(test);
            let line = self.reading.line.as_deref().filter(|_| is_first);
            add(&mut cases, &test.name, CaseStatus::Failed, line);
        }
        let earlier = last.into_iter().flat_map(|last| &last.failed).filter(|_| self.passed);
        for name in self.reading.passed.iter().chain(earlier) {
            add(&mut cases, name, CaseStatus::Passed, None);
        }
        cases
    }

    fn run(&self, event: &Event, repeated: Option<String>, cases: &[TestCase]) -> TestRun {
        let at = since_1970(&event.ts).unwrap_or_default();
        TestRun {
            title: Some(redact(&one_line(self.operation, 200)).into_owned()),
            // Where no case is named, the run itself says it.
            status: if self.passed { CaseStatus::Passed } else { CaseStatus::Failed },
            rerun_of: repeated,
            ..TestRun::new(event.id.clone(), RunSource::History, at, cases)
        }
    }
}

fn add(cases: &mut Vec<TestCase>, name: &str, status: CaseStatus, error: Option<&str>) {
    let line = one_line(name, TestCase::LONGEST_NAME);
    let name = redact(&line);
    if name.is_empty() || cases.len() >= MOST_CASES || cases.iter().any(|case| case.name == name) {
        return;
    }
    cases.push(TestCase { error: error.map(str::to_owned), ..TestCase::once(&name, "", status) });
}

/// Whether something may be another after a call: a file, or the folder that the next one runs in.
fn may_change(execution: &Execution) -> bool {
    let moves = execution.input.as_deref().is_some_and(|input| input.starts_with("cd "));
    moves || !execution.effect.is_none()
}
