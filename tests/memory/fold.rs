//! The fold of a node's past: bounds, attempts, what ends an episode, and what must not matter.

#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use failwise::engine::failure_of;
use failwise::history::{Body, Classified, Effect, Episode, Event, Execution, HistoryFacts, State, StateChange};
use failwise::model::{
    Action, Basis, Category, Check, CheckEnd, Class, Confidence, Ids, Intent, Object, ObjectKind, Operation, Outcome,
    Phase, PlanFacts, Proof, Reading, RunResult, Signature, Verdict,
};
use proptest::prelude::*;

const NODE: &str = "session/s1/agent/a1";
const OTHER: &str = "session/s1/agent/a2";
const TS: &str = "2026-03-01T10:00:00.000Z";

/// What happens in these tests: a small alphabet from which long pasts are made.
#[derive(Debug, Clone)]
enum Step {
    /// A test run fails on an object, or without one.
    Fails { operation: u8, object: Option<u8>, fine: u8, masked: bool, effect: Effect },
    /// A run passes, with a proof of some strength.
    Passes { operation: u8, proof: Proof, named: Option<u8>, result: RunResult },
    /// A check of the line ran, in one of two directories, and failed with an object or ended otherwise.
    Checks { run: u8, dir: u8, end: CheckEnd, object: Option<u8>, intent: Option<Intent> },
    /// Version control puts files back.
    Restores,
    /// A file is written.
    Writes(u8),
    /// Another shell command runs.
    Runs { operation: u8, effect: Effect },
    /// Nothing was changed: a denied call.
    Denied,
    /// A person writes.
    Prompt,
    /// A command goes on in the background, and may end there.
    Launches(u8),
    /// The agent is told of the last failure.
    Told { fine: u8, episode: u8 },
    /// An event that nothing here reads.
    Foreign,
}

/// A past, built event by event. Each event stands 100 bytes after the one before.
struct Past {
    node: String,
    count: u64,
    state: State,
}

impl Past {
    fn new() -> Self {
        Self { node: NODE.to_owned(), count: 0, state: State::new(NODE) }
    }

    fn take(&mut self, step: &Step) -> &mut Self {
        let (event, at) = self.next(step);
        self.state.step(&event, at);
        self
    }

    fn next(&mut self, step: &Step) -> (Event, u64) {
        self.count += 1;
        (event(step, &self.node, self.count), self.count * 100)
    }

    /// The attempt and the unchanged retries that a failure would be, if it came now.
    fn counted(&self, step: &Step) -> (u32, u32) {
        let failure = event(step, &self.node, self.count + 1);
        let facts = gather(&failure, &self.state, &[]);
        (facts.attempt, facts.unchanged_retries)
    }

    fn fail(&mut self, step: &Step) -> (u32, u32) {
        let counted = self.counted(step);
        self.take(step);
        counted
    }
}

fn gather(failure: &Event, state: &State, siblings: &[State]) -> HistoryFacts {
    let failed = failure_of(failure).unwrap();
    HistoryFacts::gather(&failed, &failure.id, &PlanFacts::default(), state, siblings, Some("/srv/app"))
}

fn execution(event: &mut Event) -> &mut Execution {
    event.execution_mut().unwrap()
}

fn object(number: u8) -> Object {
    Object { kind: ObjectKind::Test, name: format!("ledger::case_{number}") }
}

fn operation(number: u8) -> Operation {
    let words = ["cargo test", "cargo test ledger", "cargo test ledger deep", "make check"];
    Operation(words.get(usize::from(number)).map_or_else(|| format!("tool {number}"), |word| (*word).to_owned()))
}

fn fine(number: u8) -> String {
    format!("{number:016x}")
}

fn event(step: &Step, node: &str, number: u64) -> Event {
    let call = |outcome, reading: Option<Reading>| Execution {
        tool: Some("Bash".to_owned()),
        phase: Some(Phase::Call),
        outcome: Some(outcome),
        reading,
        ..Execution::default()
    };
    let completed = |execution| Body::ExecutionCompleted(Box::new(execution));
    let succeeded = || call(Outcome::Succeeded, Some(Reading::unrecognised()));
    let reading =
        |result, proof| Reading { runner: Some("cargo test".to_owned()), result, proof, ..Reading::unrecognised() };
    let body = match step {
        Step::Fails { operation: run, object: failing, fine: sign, masked, effect } => {
            let outcome = if *masked { Outcome::MaskedFailure } else { Outcome::Failed };
            let objects = failing.iter().map(|number| object(*number)).collect();
            let reading =
                Reading { category: Category::TestFailure, objects, ..reading(RunResult::Failed, Proof::Parsed) };
            Body::ExecutionFailed(Box::new(Execution {
                operation: Some(operation(*run)),
                signature: Some(Signature { fine: fine(*sign), ..Signature::none() }),
                effect: *effect,
                ..call(outcome, Some(reading))
            }))
        }
        Step::Passes { operation: run, proof, named, result } => {
            let passed = named.iter().map(|number| object(*number).name).collect();
            let reading = Reading { passed, ..reading(*result, *proof) };
            let operation = Some(operation(*run));
            completed(Execution { operation, effect: Effect::Shell, ..call(Outcome::Succeeded, Some(reading)) })
        }
        Step::Checks { run, dir, end, object: failing, intent } => {
            let failed = *end == CheckEnd::Failed;
            let words = operation(*run).0.split(' ').map(str::to_owned).collect();
            let dir = Some(format!("/srv/{dir}"));
            let (result, proof) = match end {
                CheckEnd::Passed => (RunResult::Passed, Proof::Status),
                CheckEnd::Failed => (RunResult::Failed, Proof::Parsed),
                CheckEnd::Unknown => (RunResult::Unstated, Proof::None),
            };
            let objects = failing.iter().filter(|_| failed).map(|number| object(*number)).collect();
            let category = if failed { Category::TestFailure } else { Category::Unknown };
            let outcome = if failed { Outcome::Failed } else { Outcome::Succeeded };
            let execution = Execution {
                operation: Some(operation(*run)),
                signature: failed.then(|| Signature { fine: fine(1), ..Signature::none() }),
                effect: Effect::Shell,
                checks: vec![Check { words, dir, end: *end, runners: Vec::new(), fixes: false }],
                intent: *intent,
                ..call(outcome, Some(Reading { category, objects, ..reading(result, proof) }))
            };
            if failed { Body::ExecutionFailed(Box::new(execution)) } else { completed(execution) }
        }
        Step::Restores => completed(Execution {
            operation: Some(Operation("git stash".to_owned())),
            restored: vec![".".to_owned()],
            effect: Effect::Shell,
            ..succeeded()
        }),
        Step::Writes(file) => completed(Execution {
            operation: Some(Operation(format!("Edit /srv/app/src/{file}.rs"))),
            files_touched: vec![format!("/srv/app/src/{file}.rs")],
            effect: Effect::Files,
            ..succeeded()
        }),
        Step::Runs { operation: run, effect } => {
            completed(Execution { operation: Some(operation(*run)), effect: *effect, ..succeeded() })
        }
        Step::Denied => completed(call(Outcome::Denied, None)),
        Step::Prompt => Body::StateChanged { change: Some(StateChange::Prompt), reason: None },
        Step::Launches(run) => {
            let background_task = Some(format!("task-{number}"));
            completed(Execution { operation: Some(operation(*run)), background_task, ..succeeded() })
        }
        Step::Told { fine: sign, episode } => {
            let verdict = Some(verdict(node, fine(*sign), format!("{episode:08x}")));
            Body::FailureClassified(Box::new(Classified { verdict, advised: true, ..Classified::default() }))
        }
        Step::Foreign => Body::Foreign,
    };
    let ids = Ids { session: Some("s1".to_owned()), tool_use: Some(format!("{node} {number}")), ..Ids::default() };
    Event::new(format!("{number:016x}"), TS, node, &ids, body)
}

fn verdict(node: &str, fine: String, episode: String) -> Verdict {
    Verdict {
        basis: Some(Basis::Line),
        likely: Some(None),
        category_confidence: None,
        announced: None,
        class: Class::F2,
        class_name: Class::F2.name().to_owned(),
        confidence: Confidence::hundredths(85),
        evidence: Vec::new(),
        recommended_action: Action::SelfHeal,
        node_id: node.to_owned(),
        parent_node_id: None,
        routes_to: None,
        schema_version: Verdict::SCHEMA_VERSION,
        outcome: Outcome::Failed,
        rule: "recognised-error".to_owned(),
        ruleset: "default".to_owned(),
        category: Category::TestFailure,
        signature: Signature { fine, ..Signature::none() },
        operation: operation(0),
        episode,
        attempt: 1,
        unchanged_retries: 0,
        retry_after_ms: None,
        tool_use_id: None,
        history_ref: None,
    }
}

const FAILS: Step = Step::Fails { operation: 1, object: Some(1), fine: 1, masked: false, effect: Effect::Shell };

fn passes(operation: u8, proof: Proof) -> Step {
    Step::Passes { operation, proof, named: None, result: RunResult::Unstated }
}

fn open(past: &Past) -> Vec<&Episode> {
    past.state.episodes.iter().collect()
}

fn effects() -> impl Strategy<Value = Effect> {
    prop_oneof![Just(Effect::None), Just(Effect::Files), Just(Effect::Shell)]
}

fn failures() -> impl Strategy<Value = Step> {
    (0..5u8, proptest::option::of(0..3u8), 0..3u8, any::<bool>(), effects())
        .prop_map(|(operation, object, fine, masked, effect)| Step::Fails { operation, object, fine, masked, effect })
}

fn checks() -> impl Strategy<Value = Step> {
    let ends = prop_oneof![Just(CheckEnd::Passed), Just(CheckEnd::Failed), Just(CheckEnd::Unknown)];
    let intents = prop_oneof![4 => Just(None), 1 => Just(Some(Intent::Baseline)), 1 => Just(Some(Intent::Red))];
    (0..4u8, 0..2u8, ends, proptest::option::of(0..3u8), intents)
        .prop_map(|(run, dir, end, object, intent)| Step::Checks { run, dir, end, object, intent })
}

fn steps() -> impl Strategy<Value = Step> {
    let proofs = || prop_oneof![Just(Proof::Status), Just(Proof::Parsed), Just(Proof::None)];
    let results = || prop_oneof![Just(RunResult::Passed), Just(RunResult::Unstated)];
    prop_oneof![
        4 => failures(),
        4 => checks(),
        1 => Just(Step::Restores),
        2 => (0..5u8, proofs(), proptest::option::of(0..3u8), results())
            .prop_map(|(operation, proof, named, result)| Step::Passes { operation, proof, named, result }),
        1 => any::<u8>().prop_map(Step::Writes),
        2 => (0..9u8, effects()).prop_map(|(operation, effect)| Step::Runs { operation, effect }),
        1 => Just(Step::Denied),
        1 => Just(Step::Prompt),
        1 => (0..5u8).prop_map(Step::Launches),
        1 => (0..3u8, 0..40u8).prop_map(|(fine, episode)| Step::Told { fine, episode }),
        1 => Just(Step::Foreign),
    ]
}

fn assert_bounds(state: &State) -> Result<(), TestCaseError> {
    prop_assert!(state.recent.len() <= 10, "recent {}", state.recent.len());
    prop_assert!(state.episodes.len() <= 16, "episodes {}", state.episodes.len());
    prop_assert!(state.passes.len() <= 16, "passes {}", state.passes.len());
    prop_assert!(state.changes.len() <= 64, "changes {}", state.changes.len());
    prop_assert!(state.background.len() <= 16, "background {}", state.background.len());
    prop_assert!(state.seen.len() <= 64, "seen {}", state.seen.len());
    prop_assert!(state.said.len() <= 16, "said {}", state.said.len());
    prop_assert!(state.episodes.iter().all(|episode| episode.fines.len() <= 2));
    prop_assert!(state.episodes.iter().all(|episode| episode.places.len() <= Episode::PLACES));
    Ok(())
}

proptest! {
    #[test]
    fn a_state_that_was_written_and_read_goes_on_the_same(steps in prop::collection::vec(steps(), 0..60)) {
        let (mut kept, mut reread) = (Past::new(), State::new(NODE));
        for step in &steps {
            let (event, at) = kept.next(step);
            kept.state.step(&event, at);
            reread = serde_json::from_slice(&serde_json::to_vec(&reread).unwrap()).unwrap();
            reread.step(&event, at);
        }
        prop_assert_eq!(&kept.state, &reread);
    }

    #[test]
    fn what_is_covered_changes_nothing(steps in prop::collection::vec(steps(), 1..40), again in any::<prop::sample::Index>()) {
        let mut past = Past::new();
        let events: Vec<(Event, u64)> = steps.iter().map(|step| past.next(step)).collect();
        for (event, at) in &events {
            past.state.step(event, *at);
        }
        let folded = past.state.clone();
        for (event, at) in &events[again.index(events.len())..] {
            past.state.step(event, *at);
        }
        prop_assert_eq!(folded, past.state);
    }

    #[test]
    fn bounds_always_hold(steps in prop::collection::vec(steps(), 0..200), many in 0..90u8) {
        let mut past = Past::new();
        for step in &steps {
            past.take(step);
            assert_bounds(&past.state)?;
        }
        // More than any bound of each kind.
        for number in 0..many {
            past.take(&Step::Writes(number));
            past.take(&Step::Launches(number));
            past.take(&Step::Told { fine: number, episode: number });
            past.take(&Step::Fails { operation: number, object: Some(number), fine: number, masked: false, effect: Effect::None });
            past.take(&Step::Passes { operation: number, proof: Proof::Parsed, named: None, result: RunResult::Passed });
            past.take(&Step::Fails { operation: number, object: None, fine: number, masked: true, effect: Effect::None });
            assert_bounds(&past.state)?;
        }
    }

    #[test]
    fn the_fold_counts_what_was_decided(steps in prop::collection::vec(steps(), 0..40), last in failures()) {
        let mut past = Past::new();
        for step in &steps {
            past.take(step);
        }
        let (attempt, unchanged) = past.fail(&last);
        let episode = past.state.episodes.last().unwrap();
        prop_assert_eq!((episode.attempts, episode.unchanged), (attempt, unchanged));
    }

    #[test]
    fn equal_failures_are_counted_in_a_row(steps in prop::collection::vec(steps(), 0..30), last in failures(), k in 1..12u32) {
        let mut past = Past::new();
        for step in &steps {
            past.take(step);
        }
        // What came before may have left the same episode open. What the call's own run changes is no change in between.
        past.state.episodes.clear();
        for number in 1..=k {
            let (attempt, unchanged) = past.fail(&last);
            prop_assert_eq!(attempt, number);
            prop_assert_eq!(unchanged, number - 1);
        }
    }

    #[test]
    fn events_of_other_nodes_change_nothing(
        steps in prop::collection::vec((steps(), prop::collection::vec(steps(), 0..3)), 0..30)
    ) {
        let mut past = Past::new();
        let mut disturbed = State::new(NODE);
        let mut foreign = 0;
        for (step, between) in &steps {
            let (own, at) = past.next(step);
            past.state.step(&own, at);
            disturbed.step(&own, at);
            for (offset, step) in between.iter().enumerate() {
                foreign += 1;
                disturbed.step(&event(step, OTHER, foreign), at + 1 + offset as u64);
            }
        }
        prop_assert_eq!(past.state, disturbed);
    }

    #[test]
    fn a_pass_without_proof_ends_only_what_it_names(
        steps in prop::collection::vec(steps(), 0..40), run in 0..5u8, named in 0..3u8
    ) {
        let mut past = Past::new();
        for step in &steps {
            past.take(step);
        }
        let mut before = past.state.episodes.clone();
        past.take(&Step::Passes { operation: run, proof: Proof::None, named: Some(named), result: RunResult::Passed });
        before.retain(|episode| episode.object.as_ref() != Some(&object(named)));
        // Of the operation that ran again nobody knows how it stands, where it is no run of the check that failed before.
        let is_apart = |episode: &Episode| {
            let program = episode.check.as_ref().and_then(|check| check.words.first());
            program.is_none_or(|program| !episode.operation.0.contains(program.as_str()))
        };
        for episode in before.iter_mut().filter(|episode| is_apart(episode) && episode.operation == operation(run)) {
            episode.unclear = true;
        }
        prop_assert_eq!(before, past.state.episodes);
    }

    #[test]
    fn a_check_that_passed_leaves_none_of_itself(
        steps in prop::collection::vec(steps(), 0..40), run in 0..4u8, dir in 0..2u8
    ) {
        let mut past = Past::new();
        for step in &steps {
            past.take(step);
        }
        past.take(&Step::Checks { run, dir, end: CheckEnd::Passed, object: None, intent: None });
        let (words, dir) = (operation(run).0, format!("/srv/{dir}"));
        let same = |check: &Check| check.words.join(" ") == words && check.dir.as_deref() == Some(&dir);
        prop_assert!(!past.state.episodes.iter().any(|episode| episode.check.as_ref().is_some_and(same)));
    }

    #[test]
    fn a_check_that_nobody_could_read_leaves_nothing_failing_of_itself(
        steps in prop::collection::vec(steps(), 0..40), run in 0..4u8, dir in 0..2u8
    ) {
        let mut past = Past::new();
        for step in &steps {
            past.take(step);
        }
        let before: Vec<String> = past.state.episodes.iter().map(|episode| episode.id.clone()).collect();
        past.take(&Step::Checks { run, dir, end: CheckEnd::Unknown, object: None, intent: None });
        let after: Vec<String> = past.state.episodes.iter().map(|episode| episode.id.clone()).collect();
        prop_assert_eq!(before, after);
        let (words, dir) = (operation(run).0, format!("/srv/{dir}"));
        let same = |check: &Check| check.words.join(" ") == words && check.dir.as_deref() == Some(&dir);
        let of_it = |episode: &&Episode| episode.check.as_ref().is_some_and(same);
        prop_assert!(!past.state.episodes.iter().filter(of_it).any(Episode::is_failing));
    }

    #[test]
    fn a_look_without_the_work_tells_only_whose_failure_it_is(
        steps in prop::collection::vec(steps(), 0..20), run in 0..4u8, dir in 0..2u8, passed in any::<bool>()
    ) {
        let mut past = Past::new();
        for step in &steps {
            past.take(step);
        }
        // That the same fails without the work, too, is all that it can tell.
        let told = |state: &State| -> Vec<Episode> {
            state.episodes.iter().map(|episode| Episode { intent: None, ..episode.clone() }).collect()
        };
        let before = told(&past.state);
        let end = if passed { CheckEnd::Passed } else { CheckEnd::Failed };
        past.take(&Step::Checks { run, dir, end, object: Some(1), intent: Some(Intent::Baseline) });
        let after = told(&past.state);
        let kept = before.iter().filter(|episode| after.contains(episode)).count();
        prop_assert!(kept == before.len() || before.len() == State::EPISODES && kept + 1 == before.len());
    }

    #[test]
    fn one_object_has_one_episode(steps in prop::collection::vec(checks(), 0..60)) {
        let mut past = Past::new();
        for step in &steps {
            past.take(step);
        }
        let episodes = &past.state.episodes;
        for (place, one) in episodes.iter().enumerate() {
            let dir = |episode: &Episode| episode.check.as_ref().and_then(|check| check.dir.clone());
            let twin = |other: &&Episode| one.object.is_some() && other.object == one.object && dir(other) == dir(one);
            prop_assert!(!episodes[place + 1..].iter().any(|other| twin(&other)), "{episodes:?}");
        }
    }

    #[test]
    fn a_proven_pass_leaves_no_episode_of_its_operation(
        steps in prop::collection::vec(steps(), 0..40), run in 0..5u8, parsed in any::<bool>()
    ) {
        let mut past = Past::new();
        for step in &steps {
            past.take(step);
        }
        past.take(&passes(run, if parsed { Proof::Parsed } else { Proof::Status }));
        prop_assert!(open(&past).iter().all(|episode| episode.operation != operation(run)));
    }
}

#[test]
fn a_write_in_between_is_a_change_and_a_look_is_none() {
    for (between, unchanged) in [
        (Step::Writes(1), 0),
        (Step::Prompt, 0),
        (Step::Runs { operation: 7, effect: Effect::Shell }, 0),
        (Step::Runs { operation: 7, effect: Effect::None }, 2),
        (Step::Denied, 2),
        (Step::Foreign, 2),
    ] {
        let mut past = Past::new();
        past.take(&FAILS).take(&FAILS);
        past.take(&between);
        assert_eq!(past.fail(&FAILS), (3, unchanged), "{between:?}");
        assert_eq!(past.fail(&FAILS), (4, unchanged + 1), "{between:?}");
    }
}

#[test]
fn other_failing_calls_between_two_tries_are_no_change_of_their_own_run() {
    // The same call again after another shell command that failed: that may have changed something.
    let other = Step::Fails { operation: 3, object: Some(2), fine: 9, masked: false, effect: Effect::Shell };
    let mut past = Past::new();
    past.take(&FAILS).take(&other);
    assert_eq!(past.fail(&FAILS), (2, 0));
    // One that only read cannot.
    let look = Step::Fails { operation: 3, object: Some(2), fine: 9, masked: false, effect: Effect::None };
    let mut past = Past::new();
    past.take(&FAILS).take(&look);
    assert_eq!(past.fail(&FAILS), (2, 1));
}

#[test]
fn another_error_of_the_same_object_is_an_attempt_but_no_repetition() {
    let changed = Step::Fails { operation: 1, object: Some(1), fine: 2, masked: false, effect: Effect::Shell };
    let mut past = Past::new();
    past.take(&FAILS);
    assert_eq!(past.fail(&changed), (2, 0));
    assert_eq!(past.fail(&changed), (3, 1));
    assert_eq!(past.state.episodes.len(), 1);
}

/// A failure as the build before wrote it: its signature has another version, and other digits.
fn before_the_update(failure: &Step, node: &str, number: u64) -> Event {
    let mut event = event(failure, node, number);
    let signature = execution(&mut event).signature.as_mut().unwrap();
    signature.fine = format!("{}{}", "ffff", &signature.fine[4..]);
    signature.version = Signature::OLDEST - 1;
    event
}

#[test]
fn an_update_of_the_signatures_is_no_progress_and_loses_no_attempt() {
    let mut past = Past::new();
    for _ in 0..2 {
        past.count += 1;
        let event = before_the_update(&FAILS, NODE, past.count);
        past.state.step(&event, past.count * 100);
    }
    let open = past.state.episodes.first().unwrap();
    assert_eq!((open.attempts, open.signed), (2, Signature::OLDEST - 1));
    // What was written before episodes told their version is read as that of the time.
    let mut json = serde_json::to_value(&past.state).unwrap();
    json["episodes"][0].as_object_mut().unwrap().remove("signed");
    assert_eq!(serde_json::from_value::<State>(json).unwrap().episodes.first().unwrap().signed, 2);

    let facts = gather(&event(&FAILS, NODE, 3), &past.state, &[]);
    assert_eq!((facts.attempt, facts.previous_fines), (3, vec![fine(1), fine(1)]));
    let elsewhere = Step::Fails { operation: 2, object: Some(1), fine: 1, masked: false, effect: Effect::Shell };
    let facts = gather(&event(&elsewhere, NODE, 3), &past.state, &[]);
    assert_eq!((facts.attempt, facts.previous_fines), (3, Vec::new()), "another call may have met another error");

    past.take(&FAILS);
    let open = past.state.episodes.first().unwrap();
    assert_eq!((open.attempts, open.signed), (3, Signature::VERSION));
    // Once only: from here on the signatures are compared.
    let other = Step::Fails { operation: 1, object: Some(1), fine: 2, masked: false, effect: Effect::Shell };
    assert_eq!(gather(&event(&other, NODE, 4), &past.state, &[]).previous_fines, vec![fine(1), fine(1)]);
}

#[test]
fn a_vague_failure_is_an_attempt_and_never_a_repetition() {
    let mut past = Past::new();
    past.take(&Step::Fails { operation: 1, object: None, fine: 1, masked: false, effect: Effect::None });
    let again = Step::Fails { operation: 1, object: None, fine: 1, masked: false, effect: Effect::None };
    assert_eq!(past.counted(&again), (2, 1));
    let mut vague = event(&again, NODE, 2);
    execution(&mut vague).signature.as_mut().unwrap().vague = true;
    let facts = gather(&vague, &past.state, &[]);
    assert_eq!((facts.attempt, facts.unchanged_retries), (2, 0));
}

#[test]
fn another_object_is_another_episode() {
    let elsewhere = Step::Fails { operation: 1, object: Some(2), fine: 1, masked: false, effect: Effect::Shell };
    let mut past = Past::new();
    past.take(&FAILS);
    assert_eq!(past.fail(&elsewhere), (1, 0));
    assert_eq!(past.state.episodes.len(), 2);
}

#[test]
fn what_ends_an_episode() {
    let proven = |proof| move |operation, named, result| Step::Passes { operation, proof, named, result };
    let (parsed, status) = (proven(Proof::Parsed), proven(Proof::Status));
    for (pass, ends, why) in [
        (passes(1, Proof::Status), true, "the same operation, by its status"),
        (passes(1, Proof::Parsed), true, "the same operation, by its result"),
        (passes(1, Proof::None), false, "its status was hidden and it printed no result"),
        (passes(2, Proof::Parsed), false, "a narrower run"),
        (parsed(2, Some(1), RunResult::Unstated), true, "a narrower run that names the object as passed"),
        (parsed(2, Some(2), RunResult::Passed), false, "a narrower run of another object"),
        (parsed(0, None, RunResult::Passed), true, "a broader run of the same runner that passed"),
        (parsed(0, None, RunResult::Unstated), false, "a broader run that says nothing of itself"),
        (passes(0, Proof::Status), false, "a broader run whose result was not read"),
        (status(0, None, RunResult::Passed), true, "a broader run that passed, by its result and its status"),
        (status(2, Some(1), RunResult::Passed), true, "a run that names the object as passed, by its status too"),
        (parsed(3, None, RunResult::Passed), false, "another program"),
        (Step::Runs { operation: 1, effect: Effect::Shell }, false, "the same operation without any proof"),
        (Step::Denied, false, "a refusal"),
    ] {
        let mut past = Past::new();
        past.take(&FAILS).take(&FAILS).take(&pass);
        assert_eq!(open(&past).is_empty(), ends, "{why}");
        assert_eq!(past.counted(&FAILS).0, if ends { 1 } else { 3 }, "{why}");
    }
}

#[test]
fn the_end_of_a_chain_that_failed_ends_its_episode() {
    let ends = |chain: &str, pass: &str, runner: &str| {
        let mut past = Past::new();
        let (mut failed, at) = past.next(&FAILS);
        execution(&mut failed).operation = Some(Operation(chain.to_owned()));
        past.state.step(&failed, at);
        let (mut passed, at) = past.next(&passes(1, Proof::Status));
        execution(&mut passed).operation = Some(Operation(pass.to_owned()));
        execution(&mut passed).reading.as_mut().unwrap().runner = Some(runner.to_owned());
        past.state.step(&passed, at);
        open(&past).is_empty()
    };
    assert!(ends("git stash && cargo test ledger", "cargo test ledger", "cargo test"));
    assert!(!ends("git stash && cargo test ledger", "cargo test", "cargo test"), "not the run that failed");
    assert!(!ends("cargo test ledger && git stash", "git stash", "git"), "not the program that failed");
}

#[test]
fn tests_that_ran_were_compiled() {
    let open_after = |failing: Category, run: &str| {
        let mut past = Past::new();
        let (mut first, at) = past.next(&FAILS);
        execution(&mut first).reading.as_mut().unwrap().category = Category::CompileError;
        past.state.step(&first, at);
        let (mut second, at) = past.next(&FAILS);
        execution(&mut second).reading.as_mut().unwrap().category = failing;
        execution(&mut second).reading.as_mut().unwrap().objects = vec![object(2)];
        execution(&mut second).operation = Some(Operation(run.to_owned()));
        past.state.step(&second, at);
        open(&past).iter().map(|episode| episode.category).collect::<Vec<_>>()
    };
    let same = "cargo test ledger";
    assert_eq!(open_after(Category::TestFailure, same), [Category::TestFailure]);
    assert_eq!(open_after(Category::LintError, same), [Category::CompileError, Category::LintError]);
    assert_eq!(open_after(Category::TestFailure, "make check"), [Category::CompileError, Category::TestFailure]);
}

#[test]
fn a_masked_failure_keeps_its_episode_open() {
    let masked = Step::Fails { operation: 1, object: Some(1), fine: 1, masked: true, effect: Effect::Shell };
    let mut past = Past::new();
    past.take(&FAILS).take(&masked);
    assert_eq!((open(&past).len(), open(&past)[0].attempts, open(&past)[0].masked), (1, 2, true));
    past.take(&FAILS);
    assert!(!open(&past)[0].masked, "its last failure shows");
}

#[test]
fn parallel_agents_are_counted_apart() {
    let mut one = Past::new();
    let mut two = Past { node: OTHER.to_owned(), count: 0, state: State::new(OTHER) };
    for attempt in 1..=3 {
        assert_eq!(one.fail(&FAILS), (attempt, attempt - 1));
        assert_eq!(two.fail(&FAILS), (attempt, attempt - 1));
    }
    two.take(&passes(1, Proof::Status));
    assert_eq!((open(&one).len(), open(&two).len()), (1, 0));
}

/// A sibling's change of a file, and this node's failure in it.
fn sibling_after(own: &[Step], sibling_at: u64) -> bool {
    let mut sibling = State::new(OTHER);
    sibling.step(&event(&Step::Writes(1), OTHER, 1), sibling_at);
    let mut past = Past::new();
    for step in own {
        past.take(step);
    }
    let mut failure = event(&FAILS, NODE, past.count + 1);
    execution(&mut failure).reading.as_mut().unwrap().files = vec!["src/1.rs".to_owned()];
    gather(&failure, &past.state, &[sibling]).sibling_change.is_some()
}

#[test]
fn a_siblings_change_matters_only_after_the_last_proven_pass() {
    let first = Step::Denied;
    let passed = Step::Passes { operation: 1, proof: Proof::Parsed, named: None, result: RunResult::Passed };
    let hidden = Step::Passes { operation: 1, proof: Proof::None, named: None, result: RunResult::Unstated };
    assert!(sibling_after(std::slice::from_ref(&first), 150), "after the node's start");
    assert!(!sibling_after(std::slice::from_ref(&first), 50), "before the node's start");
    assert!(!sibling_after(&[first.clone(), passed.clone()], 150), "the same run has passed with that change");
    assert!(sibling_after(&[first.clone(), passed.clone()], 250), "changed since that pass");
    assert!(sibling_after(&[first.clone(), hidden], 150), "a hidden status proves nothing");
    assert!(!sibling_after(&[first.clone(), Step::Writes(1)], 150), "changed here again after the sibling");
    assert!(sibling_after(&[first.clone(), Step::Writes(1)], 250), "changed by the sibling after the change here");
    assert!(!sibling_after(&[first, FAILS, passed], 250), "the pass that ended the episode came later");
}

#[test]
fn the_last_ten_calls_are_counted_with_this_one() {
    let mut past = Past::new();
    for _ in 0..30 {
        past.take(&FAILS);
    }
    assert_eq!(gather(&event(&FAILS, NODE, 31), &past.state, &[]).node_failures, 10);
}

#[test]
fn a_plan_counts_its_files_from_the_projects_root() {
    let mut past = Past::new();
    past.take(&Step::Writes(1)).take(&Step::Writes(2)).take(&Step::Writes(3));
    let failure = event(&FAILS, NODE, 4);
    let failed = failure_of(&failure).unwrap();
    let artifacts = vec!["src/1.rs".to_owned(), "src/2.rs".to_owned()];
    let plan = PlanFacts { artifacts, root: Some("/srv/app".to_owned()), ..PlanFacts::default() };
    // The agent went into a folder.
    let facts = HistoryFacts::gather(&failed, "e", &plan, &past.state, &[], Some("/srv/app/web"));
    assert_eq!((facts.changed, facts.changed_outside), (3, 1));
}
