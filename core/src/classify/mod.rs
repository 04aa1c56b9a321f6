//! Facts in, verdict out: two rulesets over the same facts, first match wins.

mod classic;
mod conditions;
mod constraints;
mod default;
mod facts;
mod rule;

pub use classic::CLASSIC;
pub use constraints::violated;
pub use default::{DEFAULT, beside};
pub use facts::Facts;
pub use rule::{Rule, RuleFinding, Ruleset};

pub use conditions::DEVIATION;

use conditions::{DOUBTED, NOTED, REPLANNED, deviation};

use crate::model::{Action, Basis, Category, Class, Confidence, NotFailure, Verdict};

/// Every ruleset, by the name used on the wire.
pub const RULESETS: &[Ruleset] = &[DEFAULT, CLASSIC];

/// Below this a verdict is not sure enough to act on its class: the inherited threshold.
pub const UNSURE: Confidence = Confidence::hundredths(60);
/// The band of deviation that lowers the confidence of F2, and by how much.
const DOUBT: std::ops::Range<f64> = DOUBTED..REPLANNED;
const DOUBT_HUNDREDTHS: u8 = 10;

/// So many retries with nothing changed in between are a person's where nobody knows what the failure means.
const UNCHANGED: u32 = 2;

/// What evidence says where nothing is known of earlier attempts.
const NO_HISTORY: &str = "no history read";

/// What a ruleset answers.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// The call failed, and this is the verdict.
    Verdict(Box<Verdict>),
    /// The call is no failure of the work.
    NotFailure(NotFailure),
}

/// What one rule saw, for `--explain`.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Explained {
    /// The rule's id.
    pub rule: &'static str,
    /// The class it would give.
    pub class: Option<Class>,
    /// The question it asks.
    pub asks: &'static str,
    /// Whether its condition holds. Only the first that holds decides.
    pub holds: bool,
    /// What it saw, or why it stays silent.
    pub saw: String,
}

/// The ruleset of a name.
pub fn ruleset(name: &str) -> Option<&'static Ruleset> {
    RULESETS.iter().find(|ruleset| ruleset.name == name)
}

/// Decides one call. `event_id` is the id of its `execution_failed` event.
pub fn classify(facts: &Facts<'_>, ruleset: &Ruleset, event_id: Option<&str>) -> Answer {
    let decided = ruleset.rules.iter().find_map(|rule| match (rule.when)(facts) {
        RuleFinding::Fires(evidence) => Some((rule, evidence)),
        RuleFinding::Silent(_) => None,
    });
    match decided {
        Some((rule, evidence)) => match rule.class {
            Some(class) => Answer::Verdict(Box::new(verdict(facts, ruleset, rule, class, evidence, event_id))),
            None => Answer::NotFailure(not_failure(facts, evidence)),
        },
        None => Answer::NotFailure(not_failure(facts, vec!["no rule fired".to_owned()])),
    }
}

/// What every rule of a ruleset saw, in order.
pub fn explain(facts: &Facts<'_>, ruleset: &Ruleset) -> Vec<Explained> {
    ruleset
        .rules
        .iter()
        .map(|rule| {
            let (holds, saw) = match (rule.when)(facts) {
                RuleFinding::Fires(evidence) => (true, evidence.join("; ")),
                RuleFinding::Silent(why) => (false, why.into_owned()),
            };
            Explained { rule: rule.id, class: rule.class, asks: rule.asks, holds, saw }
        })
        .collect()
}

/// How far the node of a failure is off its plan, in words, where that is worth noting.
pub fn noted_deviation(facts: &Facts<'_>) -> Option<String> {
    let deviation = deviation(facts);
    (deviation.score >= NOTED).then(|| deviation.evidence().join(", "))
}

fn not_failure(facts: &Facts<'_>, evidence: Vec<String>) -> NotFailure {
    NotFailure {
        class: None,
        outcome: facts.event.outcome,
        evidence,
        schema_version: Verdict::SCHEMA_VERSION,
        tool_use_id: facts.event.ids.tool_use.clone(),
    }
}

fn verdict(
    facts: &Facts<'_>,
    ruleset: &Ruleset,
    rule: &Rule,
    class: Class,
    mut evidence: Vec<String>,
    event_id: Option<&str>,
) -> Verdict {
    let event = facts.event;
    let mut confidence = rule.confidence;
    if class == Class::F2 && confidence > UNSURE {
        let (score, words) = (ruleset.deviation)(facts);
        if DOUBT.contains(&score) {
            confidence = confidence.lowered_by(DOUBT_HUNDREDTHS);
            evidence.extend(words);
        }
    }
    if !ruleset.is_literal {
        confidence = confidence.min(event.reading.basis.map_or(confidence, most_sure));
    }
    if facts.history.is_unread && !evidence.iter().any(|seen| seen == NO_HISTORY) {
        evidence.push(NO_HISTORY.to_owned());
    }
    let unsure = confidence < UNSURE;
    let class = if unsure { Class::F2 } else { class };
    let action = match () {
        () if unsure => Action::SingleRetryThenEscalate,
        () if ruleset.is_literal => rule.action,
        () => refine(rule, facts),
    };
    Verdict {
        class,
        class_name: class.name().to_owned(),
        confidence,
        evidence,
        recommended_action: action,
        node_id: event.node.clone(),
        parent_node_id: facts.plan.parent.clone(),
        routes_to: (class == Class::F6).then(|| "conflict-arbiter".to_owned()),
        schema_version: Verdict::SCHEMA_VERSION,
        outcome: event.outcome,
        rule: rule.id.to_owned(),
        ruleset: ruleset.name.to_owned(),
        category: event.reading.category,
        basis: event.reading.basis,
        likely: Some(event.reading.likely),
        category_confidence: event.reading.basis.map(category_confidence),
        announced: None,
        signature: event.signature.clone(),
        operation: event.operation.clone(),
        episode: facts.history.episode.clone(),
        attempt: facts.history.attempt,
        unchanged_retries: facts.history.unchanged_retries,
        retry_after_ms: event.reading.transient.as_ref().and_then(|transient| transient.retry_after_ms),
        tool_use_id: event.ids.tool_use.clone(),
        history_ref: event_id.map(str::to_owned),
    }
}

/// How often a category was right that rests on this, for a guess the likely one: `rules/confidence.md` has the
/// measurement.
pub const fn category_confidence(basis: Basis) -> Confidence {
    Confidence::hundredths(match basis {
        Basis::Line => 95,
        Basis::Words => 55,
        Basis::Status => 60,
        Basis::Guess => 28,
    })
}

/// The most that a class may claim which rests on this: a rule that is right about what recognisers know knows less of
/// what plain words, a status or a name say. The bounds are rounded from calls that were not read when the rules were made;
/// none lies below [`UNSURE`], since what to do about the failure is the rule's own answer.
const fn most_sure(basis: Basis) -> Confidence {
    Confidence::hundredths(match basis {
        Basis::Line => 100,
        Basis::Words => 75,
        Basis::Status => 65,
        Basis::Guess => 60,
    })
}

/// Self-healing goes to a person where only one can help, and is a fix and a rerun from the second attempt. What nobody
/// understands and nothing changed is no question of design: a person has to look.
fn refine(rule: &Rule, facts: &Facts<'_>) -> Action {
    let unknown = facts.event.reading.category == Category::Unknown;
    match rule.action {
        _ if rule.id == "repeated-failure" && unknown && facts.history.unchanged_retries >= UNCHANGED => {
            Action::Escalate
        }
        Action::SelfHeal if facts.event.reading.category == Category::AuthRequired => Action::Escalate,
        Action::SelfHeal if facts.history.attempt > 1 => Action::FixAndRerun,
        action => action,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_named_once_and_only_the_fallback_is_unsure() {
        let mut ids: Vec<&str> = RULESETS.iter().flat_map(|set| set.rules.iter().map(|rule| rule.id)).collect();
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count, "ids are unique");
        for id in ids {
            assert!(id.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{id} is kebab-case");
        }
        for set in RULESETS {
            let (last, others) = set.rules.split_last().unwrap();
            assert!(others.iter().all(|rule| rule.confidence >= UNSURE), "{}", set.name);
            assert!(last.class.is_some());
        }
        assert!(DEFAULT.rules.last().unwrap().confidence < UNSURE);
    }
}
