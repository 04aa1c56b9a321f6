//! What a ruleset answers to a call without others before it, reduced to what is scored.

use failwise::classify::{Answer, Ruleset};
use failwise::engine::{Scene, examine, observe};
use failwise::history::State;
use failwise::model::{Basis, Category, Class, Outcome, PlanFacts, ToolCall};

/// What was given for a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GivenAnswer {
    /// What became of the call.
    pub(crate) outcome: Outcome,
    /// The class, where it was called failed.
    pub(crate) class: Option<Class>,
    /// The category, where it was called failed.
    pub(crate) category: Option<Category>,
    /// What the category rests on, where it was called failed.
    pub(crate) basis: Option<Basis>,
    /// What the error may be, for a guess.
    pub(crate) likely: Option<Category>,
    /// The object that the reading names first.
    pub(crate) object: Option<String>,
    /// The rule that decided.
    pub(crate) rule: String,
}

/// Answers a call without a history and without a plan. None for a call that no rule can read.
pub(crate) fn given(call: &ToolCall<'_>, ruleset: &'static Ruleset) -> Option<GivenAnswer> {
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
            rule: ruleset.rules.iter().find(|rule| rule.class.is_none()).map_or("", |rule| rule.id).to_owned(),
        },
    })
}

impl GivenAnswer {
    /// The category or, for a guess, what is likely.
    pub(crate) fn kind(&self) -> Option<Category> {
        self.likely.or(self.category)
    }
}
