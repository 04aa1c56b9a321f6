//! Conditions and measures that both rulesets use.

use super::Facts;
use super::rule::RuleFinding;
use crate::history::{covers, is_pattern};
use crate::model::path_matches;

/// The event says that another node is the other side, by the conflict's id or by its cause.
pub(super) fn conflict_reported(facts: &Facts<'_>, id: Option<&str>) -> RuleFinding {
    if let Some(id) = id {
        return RuleFinding::fires(format!("conflict_id={id}"));
    }
    if facts.event.cause.as_deref() == Some("conflict") {
        return RuleFinding::fires("cause=conflict");
    }
    RuleFinding::silent("no conflict is reported")
}

/// How far a node is off its plan. Terms are kept apart, so that evidence can say which could not be measured.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Deviation {
    /// 0.4 at 2.5 attempts and more.
    pub(super) attempts: f64,
    /// 0.3 at 3.3 revisions and more; None when the plan does not count them.
    pub(super) revisions: Option<f64>,
    /// 0.3 at twice the token budget and more; None when there is no budget.
    pub(super) tokens: Option<f64>,
    /// The sum of what could be measured.
    pub(super) score: f64,
}

/// Weights and saturation points of the inherited formula. Each term saturates at its own weight, so that a second
/// failure alone never triggers a replan of the feature.
const ATTEMPTS: (f64, f64) = (0.4, 2.5);
const REVISIONS: (f64, f64) = (0.3, 3.3);
const TOKENS: f64 = 0.3;

/// From which deviation on what happens: the inherited thresholds. Each value belongs to the row that it begins.
pub const DEVIATION: [(f64, &str); 3] = [
    (NOTED, "noted among the reasons of the decision"),
    (DOUBTED, "confidence of F2 lowered by 0.10"),
    (REPLANNED, "the feature is replanned (F4)"),
];
pub(super) const NOTED: f64 = 0.3;
pub(super) const DOUBTED: f64 = 0.5;
pub(super) const REPLANNED: f64 = 0.7;

/// How far the node of a failure is off its plan.
pub(super) fn deviation(facts: &Facts<'_>) -> Deviation {
    let attempts = ATTEMPTS.0 * (f64::from(facts.history.attempt) / ATTEMPTS.1).min(1.0);
    let revisions = facts.plan.revisions.map(|count| REVISIONS.0 * (f64::from(count) / REVISIONS.1).min(1.0));
    let tokens = facts.plan.token_overrun.map(|overrun| TOKENS * overrun.clamp(0.0, 1.0));
    let score = attempts + revisions.unwrap_or(0.0) + tokens.unwrap_or(0.0);
    Deviation { attempts, revisions, tokens, score }
}

impl Deviation {
    /// The score and its terms in words.
    pub(super) fn evidence(&self) -> Vec<String> {
        let term = |name: &str, value: Option<f64>| match value {
            Some(value) => format!("{name} {value:.2}"),
            None => format!("{name} null (not measured)"),
        };
        vec![
            format!("deviation {:.2}", self.score),
            term("attempts", Some(self.attempts)),
            term("revisions", self.revisions),
            term("token overrun", self.tokens),
        ]
    }
}

/// Whether a file as printed is one of the planned files: equal, below it, or the same file printed with more path.
pub(super) fn is_planned(file: &str, artifacts: &[String]) -> bool {
    let file = file.strip_prefix("./").unwrap_or(file);
    artifacts.iter().any(|artifact| {
        covers(artifact, file)
            || file.strip_suffix(artifact.as_str()).is_some_and(|head| head.ends_with('/'))
            || is_pattern(artifact) && path_matches(artifact, file)
    })
}
