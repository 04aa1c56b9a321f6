//! Who wins when two rules hold: every pair of rows of a ruleset, decided on facts for which both conditions hold.

#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use failwise::classify::{Facts, RULESETS, Ruleset, explain};
use failwise::history::{HistoryFacts, SiblingChange};
use failwise::model::{
    Category, Constraint, ConstraintKind, FailureEvent, Ids, Operation, Outcome, Phase, PlanFacts, Reading, RunResult,
    Signature, Transient,
};

/// The order that is pinned here, so that moving a row in the code shows.
const DEFAULT: &[&str] = &[
    "not-a-failure",
    "conflict-reported",
    "transient-failure",
    "constraint-violated",
    "repeated-failure",
    "sibling-change",
    "recognised-error",
    "plan-deviation",
    "recognised-error-unchanged",
    "unknown-local",
    "unrecognised",
];
const CLASSIC: &[&str] = &[
    "classic-exit-zero",
    "classic-conflict",
    "classic-transient-text",
    "classic-same-hash",
    "classic-sibling-files",
    "classic-first-keyword",
    "classic-deviation",
    "classic-intent",
    "classic-otherwise",
];

/// Pairs of which no facts can make both hold, and why.
const CANNOT: &[(&str, &str, &str)] = &[
    ("classic-same-hash", "classic-first-keyword", "one asks for three attempts, the other for the first"),
    ("classic-exit-zero", "classic-intent", NO_ALGORITHM),
    ("classic-conflict", "classic-intent", NO_ALGORITHM),
    ("classic-transient-text", "classic-intent", NO_ALGORITHM),
    ("classic-same-hash", "classic-intent", NO_ALGORITHM),
    ("classic-sibling-files", "classic-intent", NO_ALGORITHM),
    ("classic-first-keyword", "classic-intent", NO_ALGORITHM),
    ("classic-deviation", "classic-intent", NO_ALGORITHM),
    ("classic-intent", "classic-otherwise", NO_ALGORITHM),
];
const NO_ALGORITHM: &str = "the inherited text gives no way to tell, so the row never holds";

#[test]
fn the_earlier_row_decides_in_default() {
    assert_precedence("default", DEFAULT);
}

#[test]
fn the_earlier_row_decides_in_classic() {
    assert_precedence("classic", CLASSIC);
}

#[test]
fn pairs_that_cannot_hold_are_pairs_of_a_ruleset() {
    for (earlier, later, _) in CANNOT {
        let known = [DEFAULT, CLASSIC].iter().any(|order| {
            let place = |id: &str| order.iter().position(|other| *other == id);
            place(earlier).zip(place(later)).is_some_and(|(earlier, later)| earlier < later)
        });
        assert!(known, "{earlier} and {later}");
    }
}

fn assert_precedence(name: &str, order: &[&str]) {
    let set = RULESETS.iter().find(|set| set.name == name).unwrap();
    let rows: Vec<&str> = set.rules.iter().map(|rule| rule.id).collect();
    assert_eq!(rows, order, "each row has its place and its facts here");
    for (place, earlier) in order.iter().enumerate() {
        for later in &order[place + 1..] {
            let decided = both_held(set, earlier, later);
            if let Some((_, _, why)) = CANNOT.iter().find(|(one, other, _)| (one, other) == (earlier, later)) {
                assert!(decided.is_none(), "{earlier} and {later} can both hold, though {why}");
            } else {
                assert!(decided.is_some(), "{earlier} and {later} do not both hold");
                assert_eq!(decided, Some(*earlier), "{earlier} and {later} both hold");
            }
        }
    }
}

/// The rule that decides facts for which both rules hold; None where they do not both hold.
fn both_held(set: &Ruleset, one: &str, other: &str) -> Option<&'static str> {
    [(one, other), (other, one)].into_iter().find_map(|(first, second)| {
        let mut case = Case::new();
        case.make_hold(first);
        case.make_hold(second);
        let explained = explain(&Facts { event: &case.event, history: &case.history, plan: &case.plan }, set);
        let holds = |id: &str| explained.iter().any(|explained| explained.rule == id && explained.holds);
        (holds(one) && holds(other)).then(|| explained.iter().find(|explained| explained.holds).unwrap().rule)
    })
}

/// Facts about a call that only the last row of each ruleset answers.
struct Case {
    event: FailureEvent,
    history: HistoryFacts,
    plan: PlanFacts,
}

const FINE: &str = "5d1c0a7be2f49836";
const HASH: &str = "9f00aa17c3d2e845";

impl Case {
    fn new() -> Self {
        let event = FailureEvent {
            took_ms: None,
            check: None,
            tool: "Bash".to_owned(),
            phase: Phase::Call,
            outcome: Outcome::Failed,
            operation: Operation("make check".to_owned()),
            exit_code: Some(2),
            text: "it did not work\n".to_owned(),
            reading: Reading { result: RunResult::Failed, ..Reading::unrecognised() },
            signature: Signature { fine: FINE.to_owned(), ..Signature::none() },
            files_touched: Vec::new(),
            wrote: Vec::new(),
            cause: None,
            conflict_id: None,
            failed_attempts: None,
            parallel: false,
            ids: Ids::default(),
            node: "TASK-00007".to_owned(),
        };
        let history = HistoryFacts { attempt: 1, node_failures: 1, ..HistoryFacts::default() };
        Self { event, history, plan: PlanFacts { node: "TASK-00007".to_owned(), ..PlanFacts::default() } }
    }

    /// Lays the least over the facts that makes a rule hold.
    fn make_hold(&mut self, rule: &str) {
        let Self { event, history, plan } = self;
        match rule {
            "not-a-failure" => event.outcome = Outcome::BenignNonZero,
            "conflict-reported" | "classic-conflict" => event.conflict_id = Some("CONF-0012".to_owned()),
            "transient-failure" => {
                event.reading.transient = Some(Transient { hint: "http_503".to_owned(), retry_after_ms: None });
            }
            "constraint-violated" => {
                event.files_touched = vec!["migrations/0007.sql".to_owned()];
                let (from, value) = ("MISSION".to_owned(), "migrations".to_owned());
                plan.constraints = vec![Constraint { from, kind: ConstraintKind::ForbiddenPath, value }];
            }
            // By drift: the other way asks for a third attempt, which would say something about later rows as well.
            "repeated-failure" => (history.changed, history.changed_outside) = (3, 2),
            "sibling-change" | "classic-sibling-files" => {
                let (node, file) = ("TASK-00009".to_owned(), "/srv/app/a.rs".to_owned());
                history.sibling_touch = Some(SiblingChange { node: node.clone(), file: file.clone() });
                history.sibling_change = Some(SiblingChange { node, file });
            }
            "recognised-error" => {
                event.reading.category = Category::CompileError;
                history.attempt = 1;
            }
            "plan-deviation" => (plan.revisions, plan.token_overrun) = (Some(4), Some(1.0)),
            "recognised-error-unchanged" => {
                event.reading.category = Category::CompileError;
                history.attempt = 2;
                history.previous_fines = vec![FINE.to_owned()];
            }
            "classic-exit-zero" => event.exit_code = Some(0),
            "classic-transient-text" => event.text += "read ECONNRESET\n",
            "classic-same-hash" => {
                event.failed_attempts = Some(3);
                history.stderr_hash = Some(HASH.to_owned());
                history.last_stderr_hashes = vec![HASH.to_owned(), HASH.to_owned()];
            }
            "classic-first-keyword" => {
                event.failed_attempts = Some(1);
                event.text += "TypeError: rows is not iterable\n";
            }
            "classic-deviation" => plan.revisions = Some(1),
            "unknown-local" | "unrecognised" | "classic-intent" | "classic-otherwise" => {}
            other => panic!("nothing here makes {other} hold"),
        }
    }
}

#[test]
fn a_third_equal_attempt_outranks_what_comes_after_it() {
    for later in ["sibling-change", "recognised-error-unchanged", "plan-deviation", "unknown-local", "unrecognised"] {
        let mut case = Case::new();
        case.make_hold(later);
        case.history.attempt = 3;
        case.history.previous_fines = vec![FINE.to_owned(), FINE.to_owned()];
        let set = RULESETS.iter().find(|set| set.name == "default").unwrap();
        let explained = explain(&Facts { event: &case.event, history: &case.history, plan: &case.plan }, set);
        assert!(explained.iter().any(|explained| explained.rule == later && explained.holds), "{later}");
        assert_eq!(explained.iter().find(|explained| explained.holds).unwrap().rule, "repeated-failure", "{later}");
    }
}
