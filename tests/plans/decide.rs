//! Decisions: every class, budget, attempt, tier and earlier decision; what holds for all sequences; and the path from the
//! real hook to the real command. What the predecessor got wrong has a test that says so in its name.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "starts the executables and reads what they leave")]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use failwise::decide::{DecisionFacts, Question, Settled, decide};
use failwise::history::{Body, Event, LastDecision, PROJECT, PlanEvent, State, StateChange};
use failwise::model::{
    Action, Ancestor, Category, Class, Confidence, Decision, DecisionAction, Ids, Operation, PlanFacts, Signature,
};
use proptest::prelude::*;
use serde_json::{Value, json};

const NOW: &str = "2026-03-01T10:00:00.000Z";
const NODE: &str = "TASK-00101";
const STORY: &str = "STORY-0042";
const FEATURE: &str = "FEAT-007";
const EPISODE: &str = "0123abcd";
const FINE: &str = "5d1c0a7be2f49836";

/// A failure and all that a decision may look at.
#[derive(Debug, Clone)]
struct Case {
    class: Class,
    action: Action,
    attempt: u32,
    operation: &'static str,
    /// None: a plain session.
    tier: Option<u8>,
    story_left: u32,
    feature_left: u32,
    /// Proposals in a row of whatever is replanned.
    proposals: u32,
    last: Option<DecisionAction>,
    /// Replans that were decided on in this episode.
    replans: u32,
}

impl Case {
    fn new(class: Class) -> Self {
        let action = match class {
            Class::F1 => Action::RetryWithBackoff,
            Class::F2 => Action::SelfHeal,
            Class::F3 => Action::ReplanStory,
            Class::F4 => Action::ReplanFeature,
            Class::F5 => Action::FreezeAndEscalate,
            Class::F6 => Action::Arbitrate,
        };
        let (story_left, feature_left, proposals, replans) = (3, 2, 0, 0);
        let (attempt, operation, tier, last) = (1, "npm ci", Some(4), None);
        Self { class, action, attempt, operation, tier, story_left, feature_left, proposals, last, replans }
    }

    fn question(&self) -> Question {
        let json = json!({
            "class": self.class, "node_id": self.node(), "operation": self.operation, "recommended_action": self.action,
            "category": "network", "episode": EPISODE, "attempt": self.attempt, "confidence": 0.9,
            "signature": {"fine": FINE, "coarse": FINE, "version": Signature::VERSION}, "history_ref": "0011223344556677",
        });
        serde_json::from_value(json).unwrap()
    }

    fn node(&self) -> &'static str {
        match self.tier {
            None => "session/s-1",
            Some(3) => STORY,
            Some(2) => FEATURE,
            Some(_) => NODE,
        }
    }

    fn plan(&self) -> PlanFacts {
        let node = |id: &str, tier, replans_left| Ancestor { id: id.to_owned(), tier, status: None, replans_left };
        let above = [node(STORY, 3, self.story_left), node(FEATURE, 2, self.feature_left), node("MISSION", 0, 0)];
        let ancestors = above.into_iter().filter(|above| self.tier.is_some_and(|tier| above.tier <= tier)).collect();
        PlanFacts { node: self.node().to_owned(), tier: self.tier, ancestors, ..PlanFacts::default() }
    }

    fn states(&self) -> (State, Vec<State>) {
        let mut state = State::new(self.node());
        state.episodes.extend(self.last.map(|last| open_episode(last, self.replans)));
        let proposed = |id: &str| State { proposals: self.proposals, ..State::new(id) };
        (state, vec![proposed(STORY), proposed(FEATURE)])
    }

    fn decide(&self) -> Settled {
        let (plan, (state, others)) = (self.plan(), self.states());
        let facts = facts(&plan, &state, &others);
        decide(&self.question(), &facts, NOW)
    }

    fn action(&self) -> DecisionAction {
        self.decide().decision.action
    }
}

/// What `decide` is told of a node beside its question: nothing changed the plan, no test is known to be flaky.
fn facts<'a>(plan: &'a PlanFacts, state: &'a State, others: &'a [State]) -> DecisionFacts<'a> {
    DecisionFacts { plan, state, others, command: Some("npm ci"), deviation: None, flaky: false }
}

fn open_episode(last: DecisionAction, replans: u32) -> failwise::history::Episode {
    let decided =
        LastDecision { action: last, fine: FINE.to_owned(), target: None, failure: None, not_before: None, replans };
    let json = json!({
        "id": EPISODE, "category": "network", "operation": "npm ci", "attempts": 1, "fines": [FINE], "unchanged": 0,
        "last_at": 0, "decided": decided,
    });
    serde_json::from_value(json).unwrap()
}

// --- every class x budget x attempt x tier x earlier decision ---

/// The inherited answers in words: class, recommendation, failure, answer. `3` stands for it and all later ones.
#[rustfmt::skip]
const ANSWERS: &[(Class, Action, [&str; 5])] = &[
    (Class::F1, Action::RetryWithBackoff,        ["retry", "retry", "retry", "escalate", "escalate"]),
    (Class::F2, Action::SelfHeal,                ["self_heal", "fix_and_rerun", "fix_and_rerun", "fix_and_rerun", "fix_and_rerun"]),
    (Class::F2, Action::FixAndRerun,             ["fix_and_rerun", "fix_and_rerun", "fix_and_rerun", "fix_and_rerun", "fix_and_rerun"]),
    (Class::F2, Action::Escalate,                ["escalate", "escalate", "escalate", "escalate", "escalate"]),
    (Class::F2, Action::SingleRetryThenEscalate, ["single_retry_then_escalate", "escalate", "escalate", "escalate", "escalate"]),
    (Class::F3, Action::ReplanStory,             ["story", "story", "story", "story", "story"]),
    (Class::F4, Action::ReplanFeature,           ["feature", "feature", "feature", "feature", "feature"]),
    (Class::F5, Action::FreezeAndEscalate,       ["freeze_and_escalate", "freeze_and_escalate", "freeze_and_escalate", "freeze_and_escalate", "freeze_and_escalate"]),
    (Class::F6, Action::Arbitrate,               ["arbitrate", "arbitrate", "arbitrate", "arbitrate", "arbitrate"]),
];

/// From nothing to a stopped branch.
const SEVERITY: [&str; 12] = [
    "none",
    "retry",
    "single_retry",
    "check_first",
    "self_heal",
    "fix_and_rerun",
    "single_retry_then_escalate",
    "replan_story",
    "replan_feature",
    "escalate",
    "arbitrate",
    "freeze_and_escalate",
];

fn severity(word: &str) -> usize {
    SEVERITY.iter().position(|known| *known == word).unwrap_or_else(|| panic!("{word}"))
}

/// The ladder of replans: what is written on each step, from the one that was asked for upwards.
fn ladder(case: &Case, asked: &str) -> &'static str {
    if case.tier.is_none() {
        return if case.replans >= 2 { "escalate" } else { "replan_story" };
    }
    let story = ("replan_story", case.story_left, case.tier != Some(2) && asked == "story");
    let feature = ("replan_feature", case.feature_left, true);
    let open = [story, feature].into_iter().find(|(_, left, is_there)| *is_there && *left > 0);
    match open {
        Some((word, ..)) if case.proposals < 3 => word,
        _ => "freeze_and_escalate",
    }
}

fn expected(case: &Case) -> &'static str {
    let row = ANSWERS.iter().find(|(class, action, _)| *class == case.class && *action == case.action).unwrap();
    let word = row.2[(case.attempt as usize - 1).min(4)];
    let pushes = case.operation == "git push";
    let now = match word {
        "retry" if pushes => "check_first",
        "story" | "feature" => ladder(case, word),
        word => word,
    };
    let Some(last) = case.last.map(DecisionAction::as_str).filter(|last| severity(last) > severity(now)) else {
        return now;
    };
    match last {
        "replan_story" => ladder(case, "story"),
        "replan_feature" => ladder(case, "feature"),
        last => SEVERITY[severity(last)],
    }
}

#[test]
fn every_class_budget_attempt_tier_and_earlier_decision() {
    let mut walked = 0;
    let earlier: Vec<Option<DecisionAction>> = std::iter::once(None).chain(DecisionAction::ALL.map(Some)).collect();
    for (class, action, _) in ANSWERS {
        for attempt in 1..=6 {
            for tier in [None, Some(2), Some(3), Some(4)] {
                for (story_left, feature_left) in [(3, 2), (0, 2), (1, 0), (0, 0)] {
                    for (proposals, replans) in [(0, 0), (2, 1), (3, 2), (7, 5)] {
                        for (last, operation) in
                            earlier.iter().flat_map(|last| [(*last, "npm ci"), (*last, "git push")])
                        {
                            let (class, action) = (*class, *action);
                            let case = Case {
                                class,
                                action,
                                attempt,
                                operation,
                                tier,
                                story_left,
                                feature_left,
                                proposals,
                                last,
                                replans,
                            };
                            // Without an earlier decision nothing was replanned in this episode.
                            let replans = if case.last.is_some() { replans } else { 0 };
                            let case = Case { replans, ..case };
                            let decision = case.decide().decision;
                            assert_eq!(decision.action.as_str(), expected(&case), "{case:?}");
                            let reasons = || decision.reasons.iter().filter(|reason| !reason.starts_with("history:"));
                            assert!(reasons().count() > 0, "it says why: {case:?}");
                            walked += 1;
                        }
                    }
                }
            }
        }
    }
    assert!(walked > 80_000, "{walked}");
}

#[test]
fn a_verdict_that_is_not_sure_is_retried_once() {
    for class in [Class::F1, Class::F3, Class::F4, Class::F5, Class::F6] {
        let mut question = Case::new(class).question();
        question.confidence = Some(Confidence::hundredths(59));
        let (plan, state) = (PlanFacts::default(), State::new(NODE));
        let facts =
            DecisionFacts { plan: &plan, state: &state, others: &[], command: None, deviation: None, flaky: false };
        assert_eq!(decide(&question, &facts, NOW).decision.action, DecisionAction::SingleRetryThenEscalate);
        question.attempt = 2;
        assert_eq!(decide(&question, &facts, NOW).decision.action, DecisionAction::Escalate);
    }
}

// --- what holds for all sequences ---

fn any_step() -> impl Strategy<Value = (usize, bool, u32, u32)> {
    (0..ANSWERS.len(), any::<bool>(), 0_u32..4, 0_u32..3)
}

/// A decision as the history keeps it.
fn folded(state: &mut State, settled: &Settled, at: u64) {
    for event in settled.events(&Ids::default(), NOW) {
        state.step(&event, at);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    /// The same failure comes again and again, and is classified differently each time.
    #[test]
    fn severity_never_falls_and_nothing_is_retried_for_ever(
        steps in prop::collection::vec(any_step(), 1..30), in_tree in any::<bool>(),
    ) {
        let tier = in_tree.then_some(4);
        let mut state = Case { tier, ..Case::new(Class::F1) }.states().0;
        state.episodes.push(open_episode(DecisionAction::None, 0));
        let mut last = 0;
        let mut retries = 0;
        let mut proposals = 0;
        for (attempt, (row, pushes, story_left, feature_left)) in (1..).zip(steps) {
            let (class, action, _) = ANSWERS[row];
            let operation = if pushes { "git push" } else { "npm ci" };
            let case = Case { class, action, attempt, operation, tier, story_left, feature_left, ..Case::new(class) };
            let plan = case.plan();
            let facts = DecisionFacts { plan: &plan, state: &state, others: &[], command: None, deviation: None, flaky: false };
            let settled = decide(&case.question(), &facts, NOW);
            prop_assert_eq!(&settled, &decide(&case.question(), &facts, NOW), "the same input, the same decision");
            let decision = &settled.decision;
            prop_assert!(severity(decision.action.as_str()) >= last, "{} after {}", decision.action, SEVERITY[last]);
            last = severity(decision.action.as_str());
            retries += u32::from(matches!(decision.action, DecisionAction::Retry | DecisionAction::CheckFirst));
            proposals += u32::from(!in_tree && decision.action == DecisionAction::ReplanStory);
            let replans = matches!(decision.action, DecisionAction::ReplanStory | DecisionAction::ReplanFeature);
            prop_assert!(!(replans && in_tree) || decision.budgets.replans >= Some(1), "a replan without a budget");
            prop_assert!(decision.budgets.retries.is_none_or(|left| left < 3));
            folded(&mut state, &settled, u64::from(attempt));
        }
        prop_assert!(retries <= 3, "{retries} retries of one failure");
        prop_assert!(proposals <= 2, "{proposals} proposals in a session");
    }

    /// Nobody applies what is proposed: sooner or later a person is asked.
    #[test]
    fn proposals_that_nobody_applies_come_to_an_end(f4 in prop::collection::vec(any::<bool>(), 12)) {
        let mut target = [State::new(STORY), State::new(FEATURE)];
        let mut ended = false;
        for (at, f4) in (1_u64..).zip(f4) {
            let case = Case::new(if f4 { Class::F4 } else { Class::F3 });
            let (plan, state) = (case.plan(), State::new(NODE));
            let facts = DecisionFacts { plan: &plan, state: &state, others: &target, command: None, deviation: None, flaky: false };
            let settled = decide(&case.question(), &facts, NOW);
            ended |= settled.decision.action == DecisionAction::FreezeAndEscalate;
            for state in &mut target {
                folded(state, &settled, at);
            }
        }
        prop_assert!(ended);
        prop_assert!(target.iter().all(|state| state.proposals <= 3));
    }
}

#[test]
fn a_persons_word_ends_the_severity_that_was() {
    let mut case = Case { last: Some(DecisionAction::FreezeAndEscalate), ..Case::new(Class::F2) };
    assert_eq!(case.action(), DecisionAction::FreezeAndEscalate);
    let (mut state, _) = case.states();
    let prompt = Body::StateChanged { change: Some(StateChange::Prompt), reason: None };
    let event = Event::new("e".to_owned(), NOW, NODE, &Ids::default(), prompt);
    state.step(&event, 1);
    assert_eq!(state.last_decision(EPISODE), None);
    case.last = None;
    assert_eq!(case.action(), DecisionAction::SelfHeal);
}

#[test]
fn another_failure_of_the_episode_is_progress_and_starts_again() {
    let case = Case { last: Some(DecisionAction::Escalate), attempt: 2, ..Case::new(Class::F2) };
    let (plan, (state, _)) = (case.plan(), case.states());
    let mut question = case.question();
    question.signature.as_mut().unwrap().fine = "ffffffffffffffff".to_owned();
    let facts = DecisionFacts { plan: &plan, state: &state, others: &[], command: None, deviation: None, flaky: false };
    assert_eq!(decide(&question, &facts, NOW).decision.action, DecisionAction::FixAndRerun);
}

// --- replans ---

#[test]
fn a_used_up_budget_goes_to_the_next_tier_and_says_so() {
    let settled = Case { story_left: 0, ..Case::new(Class::F3) }.decide();
    assert_eq!((settled.decision.action, &*settled.decision.target_node), (DecisionAction::ReplanFeature, FEATURE));
    let events = settled.events(&Ids::default(), NOW);
    let about = |target: &str| PlanEvent { target: Some(target.to_owned()), ..PlanEvent::default() };
    let reason = Some("replan_budget_exhausted".to_owned());
    let bodies: Vec<Body> = events.into_iter().map(|event| event.body).collect();
    assert_eq!(
        bodies,
        [
            Body::ReplanRefusedBudget(PlanEvent { reason, ..about(STORY) }),
            Body::Decision { decision: Some(Box::new(settled.decision)) },
            Body::ReplanProposed(about(FEATURE)),
        ]
    );
    let settled = Case { story_left: 0, feature_left: 0, ..Case::new(Class::F3) }.decide();
    assert_eq!((settled.decision.action, &*settled.decision.target_node), (DecisionAction::FreezeAndEscalate, STORY));
    assert_eq!(settled.refused, [STORY, FEATURE]);
    let next = &settled.decision.next_commands[0].argv;
    assert_eq!(next.join(" "), format!("failwise plan freeze {STORY} --reason F3 of {NODE}"));
}

#[test]
fn what_is_closed_or_frozen_is_not_planned_anew() {
    let case = Case::new(Class::F3);
    for status in ["done", "frozen", "archived", "discarded"] {
        let mut plan = case.plan();
        plan.ancestors[0].status = Some(status.to_owned());
        let (state, others) = case.states();
        let facts =
            DecisionFacts { plan: &plan, state: &state, others: &others, command: None, deviation: None, flaky: false };
        let settled = decide(&case.question(), &facts, NOW);
        assert_eq!(settled.decision.target_node, FEATURE, "{status}");
        assert!(settled.refused.is_empty(), "a budget that was not asked for is not refused");
    }
}

#[test]
fn a_feature_within_a_feature_is_asked_before_the_one_around_it() {
    let case = Case { feature_left: 0, ..Case::new(Class::F4) };
    let mut plan = case.plan();
    plan.ancestors.insert(2, Ancestor { id: "FEAT-001".to_owned(), tier: 2, status: None, replans_left: 1 });
    let (state, others) = case.states();
    let facts =
        DecisionFacts { plan: &plan, state: &state, others: &others, command: None, deviation: None, flaky: false };
    let settled = decide(&case.question(), &facts, NOW);
    assert_eq!((settled.decision.action, &*settled.decision.target_node), (DecisionAction::ReplanFeature, "FEAT-001"));
    assert_eq!(settled.refused, [FEATURE]);
}

#[test]
fn a_replan_that_was_applied_counts_once() {
    let mut story = State::new(STORY);
    let proposed = |node: &str| {
        let proposed = PlanEvent { target: Some(STORY.to_owned()), ..PlanEvent::default() };
        Event::new(String::new(), NOW, node, &Ids::default(), Body::ReplanProposed(proposed))
    };
    for (at, node) in (1..).zip([NODE, STORY, NODE, STORY]) {
        story.step(&proposed(node), at);
    }
    assert_eq!(story.proposals, 2, "two proposals, each applied");
    story.step(&proposed(STORY), 5);
    assert_eq!(story.proposals, 3, "a person's own replan");
}

#[test]
fn a_plain_session_is_planned_anew_in_words_and_a_subagents_neighbours_by_the_session() {
    let mut case = Case { tier: None, ..Case::new(Class::F4) };
    let settled = case.decide();
    assert_eq!((settled.decision.action, settled.decision.mutation), (DecisionAction::ReplanStory, None));
    assert_eq!(settled.decision.target_node, "session/s-1");
    assert_eq!(settled.events(&Ids::default(), NOW).len(), 1, "no plan tree, no proposal");
    let mut question = case.question();
    question.node = "session/s-1/agent/a-2".to_owned();
    let (plan, state) = (PlanFacts::default(), State::new("session/s-1/agent/a-2"));
    let facts = DecisionFacts { plan: &plan, state: &state, others: &[], command: None, deviation: None, flaky: false };
    assert_eq!(decide(&question, &facts, NOW).decision.target_node, "session/s-1");
    case.class = Class::F3;
    case.last = Some(DecisionAction::ReplanStory);
    case.replans = 2;
    case.action = Action::ReplanStory;
    assert_eq!(case.action(), DecisionAction::Escalate, "the third in a row");
}

#[test]
fn a_conflict_goes_to_the_arbiter_with_its_id() {
    let case = Case::new(Class::F6);
    let (plan, (state, _)) = (case.plan(), case.states());
    let facts = DecisionFacts { plan: &plan, state: &state, others: &[], command: None, deviation: None, flaky: false };
    let mut question = case.question();
    question.conflict_id = Some("CONFLICT-00012".to_owned());
    let decision = decide(&question, &facts, NOW).decision;
    assert_eq!(decision.next_commands[0].argv, ["failwise", "arbitrate", "CONFLICT-00012"]);
    question.conflict_id = Some("x; rm -rf /".to_owned());
    assert!(decide(&question, &facts, NOW).decision.next_commands.is_empty());
}

// --- where the work is stuck ---

/// The commands that are named, as lines.
fn named(case: &Case, unchanged_retries: u32) -> Vec<String> {
    let (plan, (state, others)) = (case.plan(), case.states());
    let facts = facts(&plan, &state, &others);
    let question = Question { unchanged_retries, ..case.question() };
    decide(&question, &facts, NOW).decision.next_commands.iter().map(|next| next.argv.join(" ")).collect()
}

#[test]
fn where_the_work_is_stuck_another_way_is_looked_for_first() {
    const IN_A_SESSION: &str = "failwise recover --last --probe --format text";
    const IN_A_TREE: &str = "failwise recover --node TASK-00101 --probe --format text";
    for (tier, recovery) in [(None, IN_A_SESSION), (Some(4), IN_A_TREE)] {
        let case = |class| Case { tier, attempt: 2, ..Case::new(class) };
        assert_eq!(named(&case(Class::F2), 1), [recovery]);
        assert_eq!(named(&case(Class::F2), 4), [recovery]);
        assert_eq!(named(&Case { action: Action::Escalate, ..case(Class::F2) }, 1), [recovery]);
        assert_eq!(named(&case(Class::F2), 0), [""; 0], "the signature or something else changed: that is progress");
        assert_eq!(named(&case(Class::F3), 0)[0], recovery);
        for class in [Class::F1, Class::F4, Class::F5, Class::F6] {
            assert!(!named(&case(class), 1).contains(&recovery.to_owned()), "{class:?}");
        }
    }
    let replan = format!("failwise plan replan {STORY} --reason F3 of {NODE} --of {NODE}");
    assert_eq!(named(&Case::new(Class::F3), 2), [IN_A_TREE, &replan], "a look costs no replan, so it comes first");
    let frozen = Case { last: Some(DecisionAction::FreezeAndEscalate), ..Case::new(Class::F2) };
    let freeze = format!("failwise plan freeze {NODE} --reason F2 of {NODE}");
    assert_eq!(named(&frozen, 1), [freeze], "where a branch stops, nobody looks for another way");
}

// --- retries ---

fn retry(retry_after_ms: Option<u64>, project: Option<&State>) -> Decision {
    let case = Case { tier: None, ..Case::new(Class::F1) };
    let (plan, (state, _)) = (case.plan(), case.states());
    let others: Vec<State> = project.cloned().into_iter().collect();
    let facts = facts(&plan, &state, &others);
    decide(&Question { retry_after_ms, ..case.question() }, &facts, NOW).decision
}

#[test]
fn a_servers_own_delay_wins_up_to_an_hour() {
    let decision = retry(Some(40_000), None);
    assert_eq!((decision.delay_ms, decision.not_before.as_deref()), (40_000, Some("2026-03-01T10:00:40.000Z")));
    assert_eq!(decision.next_commands[0].shell.as_deref(), Some("sleep 40 && npm ci"));
    let decision = retry(Some(3_600_000), None);
    assert_eq!((decision.action, decision.delay_ms), (DecisionAction::Retry, 3_600_000));
    assert!(decision.next_commands.is_empty(), "longer than a command may take");
    for absurd in [3_600_001, u64::MAX] {
        assert_eq!(retry(Some(absurd), None).action, DecisionAction::Escalate, "{absurd}");
    }
    assert_eq!(retry(Some(7_200_000), None).not_before.as_deref(), Some("2026-03-01T12:00:00.000Z"));
}

/// Ten agents fail together: the project's bucket spreads them.
#[test]
fn a_dead_registry_is_not_hammered_by_ten_agents() {
    let mut project = State::new(PROJECT);
    let mut delays = Vec::new();
    for at in 1..=30 {
        let decision = retry(None, Some(&project));
        assert_eq!(decision.action, DecisionAction::Retry, "put off, not refused");
        delays.push(decision.delay_ms);
        let settled = Settled { decision, refused: Vec::new(), met: None };
        folded(&mut project, &settled, at);
    }
    assert!(delays[..10].iter().all(|delay| *delay <= 5_000), "{delays:?}");
    assert!(delays[29] >= 200_000, "the thirtieth waits for its token: {delays:?}");
    assert!(delays[10..].is_sorted());
}

#[test]
fn a_run_that_passed_before_with_nothing_changed_is_tried_once_more() {
    let mut question = Case::new(Class::F2).question();
    question.category = Some(Category::TestFailure);
    question.operation = Operation("cargo test parser".to_owned());
    let mut state = State::new(NODE);
    state.passes.push((question.operation.clone(), 10));
    let plan = PlanFacts::default();
    let decided = |state: &State, question: &Question| {
        let facts = DecisionFacts { plan: &plan, state, others: &[], command: None, deviation: None, flaky: false };
        decide(question, &facts, NOW).decision.action
    };
    assert_eq!(decided(&state, &question), DecisionAction::SingleRetry);
    assert_eq!(decided(&state, &Question { attempt: 2, ..question.clone() }), DecisionAction::FixAndRerun);
    state.changed_at = Some(20);
    assert_eq!(decided(&state, &question), DecisionAction::SelfHeal);
}

// --- what the predecessor got wrong ---

#[test]
fn predecessor_a_transient_failure_hid_a_hopeless_one_for_ever() {
    let actions: Vec<&str> =
        (1..=9).map(|attempt| Case { attempt, ..Case::new(Class::F1) }.action().as_str()).collect();
    assert_eq!(actions[..3], ["retry"; 3]);
    assert_eq!(actions[3..], ["escalate"; 6]);
}

#[test]
fn predecessor_severity_went_from_f2_to_f4_and_back_to_f3() {
    let mut last = None;
    let mut words = Vec::new();
    for (attempt, class) in (1..).zip([Class::F2, Class::F4, Class::F3]) {
        let action = Case { attempt, last, ..Case::new(class) }.action();
        words.push(action.as_str());
        last = Some(action);
    }
    assert_eq!(words, ["self_heal", "replan_feature", "replan_feature"]);
}

#[test]
fn predecessor_every_second_failure_replanned_the_feature() {
    let stage = Stage::with_plan("");
    stage.fails("cargo test", TEST_FAILED);
    stage.fails("cargo test", TEST_FAILED);
    let actions: Vec<String> = stage.decisions().into_iter().map(|decision| decision.action.to_string()).collect();
    assert_eq!(actions, ["self_heal", "fix_and_rerun"]);
}

/// `verb` and `target` instead of `event` and `node`: its cycle guard saw one shape, its scripts wrote the other.
#[test]
fn predecessor_the_cycle_guard_did_not_see_the_replans_of_its_own_scripts() {
    let shapes = [
        r#"{"ts":"2026-02-01T08:00:00Z","verb":"replan","target":"STORY-0042","reason":"r","revision":2}"#,
        r#"{"ts":"2026-02-01T08:00:00.123Z","event":"replan_proposed","node":"STORY-0042","actor":"replanner"}"#,
        r#"{"ts":1769932800,"verb":"replan","node":"STORY-0042","agent":"replanner"}"#,
        r#"{"ts":1769932800123,"verb":"replan","target":"STORY-0042"}"#,
    ];
    for (left_out, _) in shapes.iter().enumerate() {
        let stage = Stage::with_plan("");
        let lines: Vec<&str> =
            shapes.iter().enumerate().filter(|(at, _)| *at != left_out).map(|(_, line)| *line).collect();
        stage.older_history(&(lines.join("\n") + "\n"));
        let decision = stage.third_failure();
        assert_eq!(
            (decision.action, &*decision.target_node),
            (DecisionAction::FreezeAndEscalate, STORY),
            "without {left_out}"
        );
        assert!(decision.reasons.iter().any(|reason| reason.contains("replan_cycle_detected")), "{decision:?}");
    }
}

/// A transition of the story between the replans, in the third shape, is progress.
#[test]
fn predecessor_state_transitions_were_read_by_nobody() {
    let stage = Stage::with_plan("");
    let replan = r#"{"ts":"2026-02-01T08:00:00Z","verb":"replan","target":"STORY-0042"}"#;
    let moved = r#"{"ts":"2026-02-01T08:00:00Z","node":"STORY-0042","from":"frozen","to":"planned","trigger":"thaw"}"#;
    stage.older_history(&([replan, replan, moved, replan].join("\n") + "\n"));
    let decision = stage.third_failure();
    assert_eq!(decision.action, DecisionAction::ReplanStory);
}

/// Two pairs of fields, and four defaults.
#[test]
fn predecessor_budgets_had_two_pairs_of_fields_and_many_defaults() {
    for (fields, left) in [
        ("", Some(3)),
        ("replan_budget_remaining: 1\nreplan_budget_total: 3", Some(1)),
        ("replan_budget: 3\nreplan_count: 1", Some(2)),
        ("replan_count: 2", Some(1)),
        ("replan_budget_remaining: 2\nreplan_budget_total: 3\nreplan_budget: 9\nreplan_count: 9", Some(2)),
        ("replan_budget: 2\nreplan_count: 2", None),
        ("replan_budget: 1\nreplan_count: 7", None),
        ("replan_budget_remaining: 0", None),
    ] {
        let decision = Stage::with_plan(fields).third_failure();
        match left {
            Some(_) => {
                assert_eq!(
                    (decision.action, decision.budgets.replans),
                    (DecisionAction::ReplanStory, left),
                    "{fields}"
                );
            }
            None => {
                assert_eq!((&*decision.target_node, decision.budgets.replans), (FEATURE, Some(2)), "{fields}");
            }
        }
    }
}

/// Seconds in the scripts' lines, milliseconds in the hooks': neither may stop a retry for good.
#[test]
fn predecessor_times_were_written_in_seconds_and_in_milliseconds() {
    let mut project = State::new(PROJECT);
    for (at, ts) in (1..).zip(["2026-03-01T10:00:00Z", "2026-03-01T10:00:00.000Z", "1772359200", ""]) {
        let decision = Body::Decision { decision: Some(Box::new(retry(None, None))) };
        let event = Event::new(String::new(), ts, NODE, &Ids::default(), decision);
        project.step(&event, at);
    }
    assert_eq!(
        retry(None, Some(&project)).budgets.project_retries,
        Some(7),
        "two were read, and this one is the third"
    );
}

/// F4 was a story's replan here and a feature's there, F5 a feature's replan here and a freeze there.
#[test]
fn predecessor_f4_and_f5_meant_two_things_each() {
    let answered = |class| {
        let decision = Case::new(class).decide().decision;
        (decision.action, decision.target_node)
    };
    assert_eq!(answered(Class::F4), (DecisionAction::ReplanFeature, FEATURE.to_owned()));
    assert_eq!(answered(Class::F5), (DecisionAction::FreezeAndEscalate, NODE.to_owned()));
}

/// A done task cannot be frozen: a forbidden command after it stops what goes on above it.
#[test]
fn what_has_ended_is_not_frozen() {
    let mut plan = Case::new(Class::F5).plan();
    plan.status = Some("done".to_owned());
    let target = |plan: &PlanFacts| {
        let (state, others) = Case::new(Class::F5).states();
        decide(&Case::new(Class::F5).question(), &facts(plan, &state, &others), NOW).decision.target_node
    };
    assert_eq!(target(&plan), STORY);
    plan.ancestors[0].status = Some("done".to_owned());
    assert_eq!(target(&plan), FEATURE);
    plan.status = Some("active".to_owned());
    assert_eq!(target(&plan), NODE);
}

/// The score was written down by nobody; from 0.3 on it stands among the reasons.
#[test]
fn predecessor_the_deviation_was_never_computed() {
    let stage = Stage::with_plan("");
    stage.fails("cargo test", TEST_FAILED);
    stage.fails("cargo test", TEST_FAILED);
    let noted = |decision: &Decision| decision.reasons.iter().any(|reason| reason.starts_with("deviation 0.32"));
    let decisions = stage.decisions();
    assert!(!noted(&decisions[0]), "0.16 is not worth a word");
    assert!(noted(&decisions[1]), "{:?}", decisions[1].reasons);
}

// --- the real executables ---

const TEST_FAILED: &str = "Exit code 101\nrunning 1 test\ntest parser::tests::reads ... FAILED\n\nfailures:\n    parser::tests::reads\n\n\
    test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
const NO_SCRIPT: &str = "Exit code 1\nnpm error Missing script: \"tets\"\nnpm error\nnpm error To see a list of scripts, run:\nnpm error   npm run";
const RESET: &str = "Exit code 1\nnpm error code ECONNRESET\nnpm error syscall read\nnpm error network read ECONNRESET";

struct Stage {
    home: tempfile::TempDir,
}

impl Stage {
    fn new() -> Self {
        let stage = Self { home: tempfile::tempdir().unwrap() };
        fs::create_dir_all(stage.project().join(".git")).unwrap();
        stage
    }

    /// A plan with one task below a story, whose front matter also holds these fields, and a feature.
    fn with_plan(story: &str) -> Self {
        let stage = Self::new();
        stage.write("active.json", &json!({"active": {"task": NODE, "story": STORY, "feature": FEATURE}}).to_string());
        let node = |text: String| format!("---\n{text}\n---\n");
        let feature = format!("features/{FEATURE}");
        stage.write(&format!("{feature}/feature.md"), &node(format!("id: {FEATURE}\ntier: 2\nstatus: active")));
        let story_file = format!("{feature}/stories/{STORY}/story.md");
        stage.write(&story_file, &node(format!("id: {STORY}\ntier: 3\nparent: {FEATURE}\nstatus: active\n{story}")));
        let task = format!("{feature}/stories/{STORY}/tasks/{NODE}.md");
        stage.write(&task, &node(format!("id: {NODE}\ntier: 4\nparent: {STORY}\nstatus: active")));
        crate::trusting::trust(stage.home.path(), &stage.project());
        stage
    }

    /// A history that somebody else's program began, and that a person took over.
    fn older_history(&self, text: &str) {
        self.write("history.jsonl", text);
        crate::trusting::trust(self.home.path(), &self.project());
    }

    fn project(&self) -> PathBuf {
        self.home.path().join("project")
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.project().join(".claude/plans").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn run(&self, program: &str, arguments: &[&str], input: &str) -> (i32, String) {
        let mut command = Command::new(program);
        command.args(arguments).env_clear().env("HOME", self.home.path()).current_dir(self.project());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
    }

    /// What the hook tells the agent after a failed call.
    fn fails(&self, command: &str, error: &str) -> String {
        let id = format!("t{}", self.lines().len());
        let payload = json!({
            "session_id": "s-1", "cwd": self.project(), "hook_event_name": "PostToolUseFailure", "tool_name": "Bash",
            "tool_input": {"command": command}, "tool_use_id": id, "error": error, "is_interrupt": false,
        });
        let (code, told) = self.run(env!("CARGO_BIN_EXE_failwise-hook"), &[], &payload.to_string());
        assert_eq!(code, 0);
        told
    }

    fn decide(&self, arguments: &[&str], input: &str) -> (i32, Value) {
        let arguments: Vec<&str> = std::iter::once("decide").chain(arguments.iter().copied()).collect();
        let (code, out) = self.run(env!("CARGO_BIN_EXE_failwise"), &arguments, input);
        (code, serde_json::from_str(&out).unwrap_or(Value::Null))
    }

    fn lines(&self) -> Vec<Value> {
        let mut open = vec![self.home.path().to_path_buf()];
        while let Some(dir) = open.pop() {
            for path in fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()) {
                if path.file_name().is_some_and(|name| name == "history.jsonl") {
                    return read(&path);
                }
                open.extend(Some(path).filter(|path| path.is_dir()));
            }
        }
        Vec::new()
    }

    fn decisions(&self) -> Vec<Decision> {
        let decided = self.lines().into_iter().filter(|line| line["event"] == "decision");
        decided.map(|mut line| serde_json::from_value(line["decision"].take()).unwrap()).collect()
    }

    /// The decision on the third equal failure, which is F3.
    fn third_failure(&self) -> Decision {
        (0..3).for_each(|_| drop(self.fails("cargo test", TEST_FAILED)));
        let decision = self.decisions().pop().unwrap();
        assert_eq!(decision.class, Some(Class::F3));
        decision
    }
}

fn read(path: &Path) -> Vec<Value> {
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn five_equal_resets_of_npm_ci() {
    let stage = Stage::new();
    let mut actions = Vec::new();
    for count in 1..=5 {
        stage.fails("npm ci", RESET);
        let (code, decision) = stage.decide(&["--last"], "");
        assert_eq!((code, &decision["attempt"]), (0, &json!(count)));
        actions.push(decision["action"].as_str().unwrap().to_owned());
    }
    assert_eq!(actions, ["retry", "retry", "retry", "escalate", "escalate"]);
    assert_eq!(stage.decisions().len(), 5, "the command repeats what the hook decided, and takes no second retry");
}

#[test]
fn the_agent_hears_the_time_that_was_decided() {
    let stage = Stage::new();
    let told = stage.fails("npm ci", RESET);
    let wait = stage.decisions().pop().unwrap().delay_ms.div_ceil(1000);
    assert!(told.contains(&format!("A retry may pass in {wait} s: `sleep {wait} && npm ci`")), "{told}");
    let told: Vec<String> = (0..3).map(|_| stage.fails("npm ci", RESET)).collect();
    assert!(told[0].contains("was run again too early"), "{told:?}");
    assert_eq!(told[1], "", "said once");
    assert!(told[2].contains("Waiting has not helped"), "another decision is news: {told:?}");
}

#[test]
fn a_push_that_may_have_arrived_is_checked_first() {
    let stage = Stage::new();
    let told = stage.fails(
        "git push origin main",
        "Exit code 128\nfatal: unable to access 'https://git.example/x.git/': Recv failure: Connection reset by peer",
    );
    let decision = stage.decisions().pop().unwrap();
    assert_eq!((decision.class, decision.action), (Some(Class::F1), DecisionAction::CheckFirst));
    assert_eq!(decision.next_commands[0].argv, ["git", "ls-remote", "origin"]);
    assert!(told.contains("check before you repeat it (`git ls-remote origin`)"), "{told}");
}

#[test]
fn a_plan_tree_is_told_what_was_decided() {
    let stage = Stage::with_plan("");
    assert_eq!(stage.fails("cargo test", TEST_FAILED), "", "what the agent fixes by itself is not announced");
    let decision = stage.third_failure();
    assert_eq!((decision.action, &*decision.target_node), (DecisionAction::ReplanStory, STORY));
    let last = stage.lines().pop().unwrap();
    assert_eq!((last["event"].as_str(), last["target"].as_str()), (Some("replan_proposed"), Some(STORY)));
}

#[test]
fn a_plain_session_that_fixes_itself_costs_no_event_more() {
    let stage = Stage::new();
    stage.fails("cargo test", TEST_FAILED);
    assert_eq!(stage.lines().len(), 2);
    let (code, decision) = stage.decide(&["--node", "session/s-1"], "");
    assert_eq!((code, decision["action"].as_str()), (0, Some("self_heal")));
    assert_eq!(stage.lines().len(), 3);
    stage.decide(&["--last"], "");
    assert_eq!(stage.lines().len(), 3, "decided on once");
}

#[test]
fn a_verdict_of_the_history_keeps_its_decision_however_it_is_asked_for() {
    let stage = Stage::new();
    stage.fails("cd web && npm ci", RESET);
    let verdict = stage.lines().into_iter().find(|line| !line["verdict"].is_null()).unwrap()["verdict"].take();
    let (_, asked) = stage.decide(&[], &verdict.to_string());
    let (_, last) = stage.decide(&["--last"], "");
    assert_eq!((asked == last, stage.decisions().len()), (true, 1));
    let shell = asked["next_commands"][0]["shell"].as_str().unwrap();
    assert!(shell.starts_with("sleep ") && shell.ends_with(" && cd web && npm ci"), "{shell}");
}

#[test]
fn what_is_named_where_the_work_is_stuck_can_be_run() {
    for (stage, place) in [(Stage::new(), ["--last"].as_slice()), (Stage::with_plan(""), &["--node", NODE])] {
        stage.fails("npm run tets", NO_SCRIPT);
        let (_, first) = stage.decide(&["--last"], "");
        assert_eq!(first["next_commands"], json!([]), "{first}");
        stage.fails("npm run tets", NO_SCRIPT);
        let (_, again) = stage.decide(&["--last"], "");
        let argv: Vec<&str> =
            again["next_commands"][0]["argv"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert_eq!(argv, [&["failwise", "recover"], place, &["--probe", "--format", "text"]].concat());
        fs::write(stage.project().join("package.json"), r#"{"scripts": {"test": "true", "lint": "true"}}"#).unwrap();
        let (code, plan) = stage.run(env!("CARGO_BIN_EXE_failwise"), &argv[1..], "");
        assert_eq!(code, 0, "{plan}");
        assert!(plan.contains("npm run test"), "{plan}");
    }
}

#[test]
fn a_history_with_decisions_is_replayed_to_the_same_verdicts() {
    let stage = Stage::with_plan("");
    for (command, error) in [("npm ci", RESET), ("cargo test", TEST_FAILED), ("npm ci", RESET)] {
        stage.fails(command, error);
    }
    stage.third_failure();
    assert!(stage.decisions().len() >= 6);
    let history = stage.project().join(".claude/plans/history.jsonl");
    let (code, out) = stage.run(env!("CARGO_BIN_EXE_failwise"), &["replay", "--check", history.to_str().unwrap()], "");
    assert_eq!(code, 0, "{out}");
}

#[test]
fn a_verdict_on_stdin_needs_two_fields() {
    let stage = Stage::new();
    let verdict =
        r#"{"class":"F1","node_id":"TASK-1","operation":"npm ci","colour":"green","recommended_action":"wait a bit"}"#;
    let (code, decision) = stage.decide(&["--dry-run"], verdict);
    assert_eq!((code, decision["action"].as_str(), stage.lines().len()), (0, Some("retry"), 0));
    let (code, _) = stage.decide(&[], verdict);
    assert_eq!((code, stage.lines().len()), (0, 1));
    for (input, code) in [
        ("", 65),
        ("[]", 65),
        ("[\"F1\",\"TASK-1\",\"npm ci\",null,null,null,null,null,0,null,null,null,null]", 65),
        ("{\"class\":\"F1\"}", 65),
        ("{\"class\":\"F9\",\"node_id\":\"x\",\"operation\":\"y\"}", 65),
    ] {
        assert_eq!(stage.decide(&[], input).0, code, "{input}");
    }
    // The sample of the inherited text, as it stands.
    let sample = r#"{"class":"F3","confidence":0.78,"evidence":["failed_attempts=3","stderr_hash matches last 2 attempts",
        "test_ref tests/auth/jwt.test.ts has been edited 4 times in revision history"],
        "recommended_action":"replan_story","node_id":"TASK-00101","parent_node_id":"STORY-0042"}"#;
    let (code, decision) = stage.decide(&["--dry-run"], sample);
    assert_eq!((code, decision["class"].as_str(), decision["node_id"].as_str()), (0, Some("F3"), Some("TASK-00101")));
    let (code, decision) = stage.decide(&[], r#"{"class":null,"outcome":"denied","evidence":[]}"#);
    assert_eq!((code, decision["action"].as_str()), (3, Some("none")));
    assert_eq!(stage.decide(&["--node", "session/nobody"], "").0, 1);
    assert_eq!(stage.lines().len(), 1);
}

#[test]
fn what_stands_on_stdin_is_kept_without_secrets() {
    let stage = Stage::new();
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    let verdict = json!({"class": "F1", "node_id": "TASK-1", "operation": format!("curl -H 'Authorization: token {secret}' https://x.example")});
    stage.decide(&[], &verdict.to_string());
    let kept = serde_json::to_string(&stage.lines()).unwrap();
    assert!(kept.contains("TASK-1") && !kept.contains(&secret), "{kept}");
}
