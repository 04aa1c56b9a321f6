//! What a ruleset answers to a call without others before it, reduced to what is scored.

use super::Label;
use crate::classify::{Answer, Ruleset};
use crate::engine::{Scene, examine, observe};
use crate::history::State;
use crate::model::{Basis, Category, Class, Outcome, PlanFacts, ToolCall};

/// What was given for a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenAnswer {
    /// What became of the call.
    pub outcome: Outcome,
    /// The class, where it was called failed.
    pub class: Option<Class>,
    /// The category, where it was called failed.
    pub category: Option<Category>,
    /// What the category rests on, where it was called failed.
    pub basis: Option<Basis>,
    /// What the error may be, for a guess.
    pub likely: Option<Category>,
    /// The object that the reading names first.
    pub object: Option<String>,
    /// The rule that decided.
    pub rule: String,
}

/// Answers a call without a history and without a plan. None for a call that no rule can read.
pub fn given(call: &ToolCall<'_>, ruleset: &'static Ruleset) -> Option<GivenAnswer> {
    let scene = Scene { node: "", ts: "", worktree: None, red_phase: false, expected_failures: &[] };
    let event = observe(call, &scene);
    let examined = examine(&event, &PlanFacts::default(), &State::new(""), &[], true, ruleset)?;
    let object = examined.failure.reading.primary_object().map(|object| object.name.clone());
    Some(match examined.answer {
        Answer::Verdict(verdict) => GivenAnswer {
            outcome: verdict.outcome,
            class: Some(verdict.class),
            category: Some(verdict.category),
            basis: verdict.basis,
            likely: verdict.likely.flatten(),
            object,
            rule: verdict.rule,
        },
        Answer::NotFailure(not) => GivenAnswer {
            outcome: not.outcome,
            class: None,
            category: None,
            basis: None,
            likely: None,
            object,
            rule: silent_rule(ruleset),
        },
    })
}

/// The row of a ruleset that answers "not a failure".
fn silent_rule(ruleset: &Ruleset) -> String {
    ruleset.rules.iter().find(|rule| rule.class.is_none()).map(|rule| rule.id.to_owned()).unwrap_or_default()
}

impl GivenAnswer {
    /// The category or, for a guess, what is likely.
    pub fn kind(&self) -> Option<Category> {
        self.likely.or(self.category)
    }

    /// The answer in the words of the labels.
    pub fn label(&self) -> Label {
        match (self.class, self.outcome) {
            (Some(Class::F1), _) => Label::F1,
            (Some(Class::F2), _) => Label::F2,
            (Some(Class::F3), _) => Label::F3,
            (Some(Class::F4), _) => Label::F4,
            (Some(Class::F5), _) => Label::F5,
            (Some(Class::F6), _) => Label::F6,
            (None, Outcome::Denied) => Label::Policy,
            (None, Outcome::BenignNonZero) => Label::NotFail,
            (None, Outcome::Cascade | Outcome::Interrupted) => Label::Interrupt,
            (None, Outcome::Succeeded | Outcome::Failed | Outcome::MaskedFailure) => Label::Ok,
        }
    }
}
