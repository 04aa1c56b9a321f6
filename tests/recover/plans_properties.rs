//! What must hold of plans and their outcomes whatever happened before.

#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::collections::BTreeSet;

use failwise::history::{Body, Event, Execution, Proposed, RecoveryAttempt, State};
use failwise::host::recovery::read_call;
use failwise::knowledge::Planned;
use failwise::model::{Ids, Operation, Outcome, Phase, Proof, Reading, Signature};
use failwise::recover::look::Blind;
use failwise::recover::result::RecoveryPlan;
use failwise::recover::{Failed, PlanPast, PlanQuestion, STRATEGIES, Tools, plan};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::json;

// --- ranking ---

/// Calls of different categories, of which each has several strategies without a look at the machine.
const CALLS: &[(&str, &str)] = &[
    ("npm run tset", "Exit code 1\nnpm error Missing script: \"tset\""),
    ("git clone https://github.com/a/b", "Exit code 127\nbash: git: command not found"),
    ("cat config.yaml", "Exit code 1\ncat: config.yaml: No such file or directory"),
    ("cargo fetch", "Exit code 101\nerror: failed to download\nCaused by: [429] Too Many Requests"),
    ("npm test", "Exit code 1\n1 failed, 3 passed\nFAIL src/sum.test.js\n  ● adds"),
];

fn failed(number: usize) -> Failed {
    let (command, error) = CALLS[number];
    let payload = json!({
        "hook_event_name": "PostToolUseFailure", "session_id": "s", "cwd": "/srv/app", "tool_name": "Bash",
        "tool_input": { "command": command }, "error": error,
    });
    Failed::asked(&read_call(payload.to_string().as_bytes()).unwrap()).unwrap()
}

fn planned(failed: &Failed, past: &PlanPast) -> RecoveryPlan {
    let tools = Tools::of("Bash", None, false);
    plan(&PlanQuestion { failed, tools: &tools, looks: &Blind, past, now: "2026-03-01T09:00:00.000Z", limit: 99 })
}

/// An outcome of a plan: by which strategy, whether on this signature, and whether it worked.
fn outcome() -> impl Strategy<Value = (Index, bool, bool)> {
    (any::<Index>(), prop::bool::weighted(0.8), any::<bool>())
}

fn rows(failed: &Failed, names: &[String], outcomes: &[(Index, bool, bool)]) -> Vec<Planned> {
    let row = |(number, (which, is_here, worked)): (usize, &(Index, bool, bool))| Planned {
        plan: number.to_string(),
        strategy: which.get(names).clone(),
        fine: if *is_here { failed.signature.fine.clone() } else { "another".to_owned() },
        category: failed.kind_of_error().as_str().to_owned(),
        session: "s".to_owned(),
        at: number as u64,
        worked: *worked,
    };
    outcomes.iter().enumerate().map(row).collect()
}

fn told(plan: &RecoveryPlan) -> Vec<String> {
    plan.primary_strategy.iter().chain(&plan.fallback_strategies).map(|strategy| strategy.name.clone()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn outcomes_put_strategies_where_they_belong(
        call in 0..CALLS.len(),
        outcomes in prop::collection::vec(outcome(), 0..24),
    ) {
        let failed = failed(call);
        let fresh = planned(&failed, &PlanPast::default());
        let names = told(&fresh);
        prop_assert!(names.len() >= 2, "{names:?}");
        let rows = rows(&failed, &names, &outcomes);
        let category = failed.kind_of_error().as_str();
        let past = PlanPast::default().counted(&rows, &failed.signature.fine, category);
        let made = planned(&failed, &past);
        let went = |name: &str, worked: bool| {
            let own = rows.iter().filter(|row| row.strategy == name && row.fine == failed.signature.fine);
            own.filter(|row| row.worked == worked).count()
        };
        let has_won = |name: &str| went(name, true) >= 3 && went(name, true) > went(name, false);
        let has_lost = |name: &str| went(name, false) >= 2 && !has_won(name);
        let first = &made.primary_strategy.as_ref().unwrap().name;
        // Nothing is lost or made up by what went before.
        prop_assert_eq!(told(&made).into_iter().collect::<BTreeSet<_>>(), names.iter().cloned().collect::<BTreeSet<_>>());
        if names.iter().any(|name| has_won(name)) {
            prop_assert!(has_won(first), "{first} is first, and another worked three times");
        }
        if names.iter().any(|name| !has_lost(name)) {
            prop_assert!(!has_lost(first), "{first} failed twice, and is first");
        }
        // The past moves strategies, never what failed and how bad that is.
        prop_assert_eq!(&made.error_classification, &fresh.error_classification);
        prop_assert_eq!(&made.root_cause, &fresh.root_cause);
        for strategy in made.primary_strategy.iter().chain(&made.fallback_strategies) {
            let most = 2.5 / f64::from(strategy.estimated_iterations).sqrt() + 1e-3;
            prop_assert!((0.0..=1.0).contains(&strategy.confidence) && strategy.score <= most, "{strategy:?}");
        }
        // Each plan counts once, in whatever order and however often it is read.
        let twice: Vec<Planned> = rows.iter().rev().chain(&rows).cloned().collect();
        prop_assert_eq!(&PlanPast::default().counted(&twice, &failed.signature.fine, category), &past);
    }

    #[test]
    fn two_failed_attempts_are_the_most(call in 0..CALLS.len(), tried in prop::collection::vec(any::<Index>(), 0..6)) {
        let failed = failed(call);
        let names = told(&planned(&failed, &PlanPast::default()));
        let tried: BTreeSet<String> = tried.iter().map(|which| which.get(&names).clone()).collect();
        let made = planned(&failed, &PlanPast { failed: tried.iter().cloned().collect(), ..PlanPast::default() });
        let asks = |name: &String| STRATEGIES.iter().any(|strategy| strategy.asks && strategy.name == name);
        let attempts = tried.iter().filter(|name| !asks(name)).count();
        for name in told(&made) {
            prop_assert!(!tried.contains(&name), "{name} was tried");
            prop_assert!(attempts < 2 || asks(&name), "{name} after {attempts} attempts");
        }
        prop_assert_eq!(made.has_recovery_plan, made.primary_strategy.is_some());
        let asked_too = names.iter().filter(|name| asks(name)).all(|name| tried.contains(name));
        if attempts >= 2 && asked_too {
            prop_assert!(!made.has_recovery_plan && made.suggest_user_action);
        }
    }
}

// --- what becomes of a plan ---

const NODE: &str = "session/s";

/// What happens while plans are open: a small alphabet from which long pasts are made.
#[derive(Debug, Clone, Copy)]
enum Happens {
    /// A plan against one of three failures is given.
    Plan(u8),
    /// The failed operation of one is run, and ends so.
    Operation(u8, End),
    /// The first step of its first strategy is run.
    Look(u8, End),
    /// The step that does the work in its mended form is run.
    Work(u8, End),
    /// Something else is run.
    Other(End),
    /// A person writes.
    Prompt,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    Passes,
    /// Behind a pipe: nobody knows.
    Unproven,
    Fails,
    Denied,
}

fn happens() -> impl Strategy<Value = Happens> {
    let end = || prop_oneof![Just(End::Passes), Just(End::Unproven), Just(End::Fails), Just(End::Denied)];
    prop_oneof![
        2 => (0..3u8).prop_map(Happens::Plan),
        2 => (0..3u8, end()).prop_map(|(which, end)| Happens::Operation(which, end)),
        2 => (0..3u8, end()).prop_map(|(which, end)| Happens::Look(which, end)),
        2 => (0..3u8, end()).prop_map(|(which, end)| Happens::Work(which, end)),
        1 => end().prop_map(Happens::Other),
        1 => Just(Happens::Prompt),
    ]
}

fn operation(words: &str, which: u8) -> Operation {
    Operation(format!("{words} {which}"))
}

fn call(operation: Operation, end: End, which: u8) -> Body {
    let proof = if end == End::Unproven { Proof::None } else { Proof::Status };
    let reading = Some(Reading { proof, ..Reading::unrecognised() });
    let outcome = match end {
        End::Passes | End::Unproven => Outcome::Succeeded,
        End::Fails => Outcome::Failed,
        End::Denied => Outcome::Denied,
    };
    let signature = (end == End::Fails).then(|| Signature { fine: format!("{which:016x}"), ..Signature::none() });
    let execution = Box::new(Execution {
        tool: Some("Bash".to_owned()),
        phase: Some(Phase::Call),
        outcome: Some(outcome),
        operation: Some(operation),
        reading,
        signature,
        ..Execution::default()
    });
    if end == End::Fails { Body::ExecutionFailed(execution) } else { Body::ExecutionCompleted(execution) }
}

fn body(happens: Happens, number: usize) -> Body {
    match happens {
        Happens::Plan(which) => Body::RecoveryAttempt {
            attempt: Box::new(RecoveryAttempt {
                plan: number.to_string(),
                signature: format!("{which:016x}"),
                operation: operation("make", which),
                strategy_name: "acts".to_owned(),
                strategies: vec![
                    Proposed {
                        name: "acts".to_owned(),
                        steps: vec![operation("ls", which), operation("make all", which)],
                        performs: Some(operation("make all", which)),
                        asks: false,
                    },
                    Proposed { name: "asks".to_owned(), asks: true, ..Proposed::default() },
                ],
                ..RecoveryAttempt::default()
            }),
        },
        Happens::Operation(which, end) => call(operation("make", which), end, which),
        Happens::Look(which, end) => call(operation("ls", which), end, 9),
        Happens::Work(which, end) => call(operation("make all", which), end, 9),
        Happens::Other(end) => call(operation("date", 0), end, 8),
        Happens::Prompt => Body::StateChanged { change: Some(failwise::history::StateChange::Prompt), reason: None },
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn a_plan_ends_once_and_by_the_work_alone(all in prop::collection::vec(happens(), 0..60)) {
        let mut state = State::new(NODE);
        let mut ended: BTreeSet<String> = BTreeSet::new();
        let mut at = 0;
        for (number, happens) in all.into_iter().enumerate() {
            let ts = format!("2026-03-01T10:{:02}:{:02}.000Z", number / 60, number % 60);
            let event = |body| Event::new(format!("{number:016x}"), &ts, NODE, &Ids::default(), body);
            let happened = event(body(happens, number));
            let known: BTreeSet<String> = state.plans.iter().map(|plan| plan.plan.clone()).collect();
            let followed: BTreeSet<String> =
                state.plans.iter().filter(|plan| plan.followed.is_some()).map(|plan| plan.plan.clone()).collect();
            let completed = state.plans_ended_by(&happened);
            at += 100;
            state.step(&happened, at);
            for complete in completed {
                prop_assert!(known.contains(&complete.plan) && ended.insert(complete.plan.clone()), "it ends once");
                let passes = matches!(happens, Happens::Operation(_, End::Passes) | Happens::Work(_, End::Passes));
                let fails = matches!(happens, Happens::Operation(_, End::Fails) | Happens::Work(_, End::Fails));
                prop_assert!(if complete.success { passes } else { fails }, "{happens:?} {complete:?}");
                let is_work = matches!(happens, Happens::Work(..));
                prop_assert_eq!(complete.followed, is_work || followed.contains(&complete.plan));
                prop_assert!(complete.success || complete.followed, "what was not followed did not fail");
                at += 100;
                state.step(&event(Body::RecoveryComplete { complete: Box::new(complete) }), at);
            }
            prop_assert!(state.plans.len() <= State::PLANS);
            prop_assert!(state.plans.iter().all(|plan| !ended.contains(&plan.plan)));
            // The hook keeps it between two calls.
            let kept: State = serde_json::from_str(&serde_json::to_string(&state).unwrap()).unwrap();
            prop_assert_eq!(&kept.plans, &state.plans);
        }
    }
}
