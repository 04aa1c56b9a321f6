//! A row of a ruleset, and what its condition answers.

use std::borrow::Cow;

use super::Facts;
use crate::model::{Action, Class, Confidence};

/// A row of a ruleset. Rows are read top-down; the first whose condition holds decides, and nothing else does.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Kebab-case id; its page is `rules/classes/<id>.md`.
    pub id: &'static str,
    /// The class it gives; None for the row that says "not a failure".
    pub class: Option<Class>,
    /// How sure it is. Row by row, so that one class may be surer in one row than in another.
    pub confidence: Confidence,
    /// What it recommends; rows that answer [`Action::SelfHeal`] are refined by category and attempt.
    pub action: Action,
    /// The question it asks, for people.
    pub asks: &'static str,
    /// The condition.
    pub when: fn(&Facts<'_>) -> RuleFinding,
}

/// A row, its confidence in hundredths.
pub(super) const fn rule(
    id: &'static str,
    class: Option<Class>,
    sure: u8,
    action: Action,
    asks: &'static str,
    when: fn(&Facts<'_>) -> RuleFinding,
) -> Rule {
    Rule { id, class, confidence: Confidence::hundredths(sure), action, asks, when }
}

/// A named table of rules.
#[derive(Debug, Clone, Copy)]
pub struct Ruleset {
    /// The name used on the wire.
    pub name: &'static str,
    /// The rows, top-down; the last always fires.
    pub rules: &'static [Rule],
    /// Whether a verdict says what its row says, whatever the reading rests on and whoever can help.
    pub is_literal: bool,
    /// How far a node is off its plan, and that in words: what lowers the confidence of F2.
    pub deviation: fn(&Facts<'_>) -> (f64, Vec<String>),
}

/// What a condition answers: the evidence that it saw, or why it stays silent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleFinding {
    /// The condition holds; at least one line of evidence.
    Fires(Vec<String>),
    /// It does not hold, and why.
    Silent(Cow<'static, str>),
}

impl RuleFinding {
    /// A condition that holds, with its evidence.
    pub fn fires(evidence: impl Into<String>) -> Self {
        Self::Fires(vec![evidence.into()])
    }

    /// A condition that does not hold.
    pub fn silent(why: impl Into<Cow<'static, str>>) -> Self {
        Self::Silent(why.into())
    }
}
