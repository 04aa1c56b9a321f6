//! What the agent itself does about a failure of its own work. `rules/workflow/replan-thresholds.md` shows the table.

use super::choice::{DecisionInput, RuleChoice};
use crate::model::{Action, Category, DecisionAction};

/// What a verdict of F2 recommends, and what is decided on the first attempt and on later ones.
pub const LOCAL: &[(Action, DecisionAction, DecisionAction)] = &[
    (Action::SelfHeal, DecisionAction::SelfHeal, DecisionAction::FixAndRerun),
    (Action::FixAndRerun, DecisionAction::FixAndRerun, DecisionAction::FixAndRerun),
    (Action::Escalate, DecisionAction::Escalate, DecisionAction::Escalate),
    (Action::SingleRetryThenEscalate, DecisionAction::SingleRetryThenEscalate, DecisionAction::Escalate),
];

/// What to do about a failure of the agent's own work.
pub(super) fn local(desk: &DecisionInput<'_>) -> RuleChoice {
    let question = desk.question;
    let recommended = question.recommended_action.unwrap_or(Action::SelfHeal);
    if is_first_test_failure(desk, recommended) {
        if desk.facts.state.passed_unchanged(&question.operation) {
            return RuleChoice::new(DecisionAction::SingleRetry)
                .because("the same run passed before and nothing changed since: it may be flaky".to_owned());
        }
        if desk.facts.flaky {
            return RuleChoice::new(DecisionAction::SingleRetry)
                .because("the one test that failed is known to pass and fail by chance".to_owned());
        }
    }
    let row = LOCAL.iter().find(|(action, ..)| *action == recommended);
    let (_, first, later) =
        row.copied().unwrap_or((recommended, DecisionAction::SelfHeal, DecisionAction::FixAndRerun));
    decided(if question.attempt > 1 { later } else { first }, recommended)
}

/// A verdict that is not sure enough to act on.
pub(super) fn unsure(desk: &DecisionInput<'_>) -> RuleChoice {
    let again = desk.question.attempt > 1;
    let action = if again { DecisionAction::Escalate } else { DecisionAction::SingleRetryThenEscalate };
    decided(action, Action::SingleRetryThenEscalate)
}

fn decided(action: DecisionAction, recommended: Action) -> RuleChoice {
    let why = match action {
        DecisionAction::SelfHeal => "the cause is in the work: fix it",
        DecisionAction::FixAndRerun => "fix the cause, then run the same call again to see that it passes",
        DecisionAction::SingleRetryThenEscalate => "the cause is not known: one retry, then a person",
        _ if recommended == Action::SingleRetryThenEscalate => {
            "the cause is not known and one retry did not help: a person has to look"
        }
        _ => "only a person can help here",
    };
    RuleChoice::new(action).because(why.to_owned())
}

/// Tests that failed for the first time, which may be chance. Not a second time: then they really fail.
fn is_first_test_failure(desk: &DecisionInput<'_>, recommended: Action) -> bool {
    let question = desk.question;
    question.attempt <= 1 && recommended == Action::SelfHeal && question.category == Some(Category::TestFailure)
}
