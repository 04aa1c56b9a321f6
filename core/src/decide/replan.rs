//! Which node is replanned, and when none is. `rules/workflow/replan-thresholds.md` shows the tables.

use super::choice::{DecisionInput, RuleChoice};
use crate::history::session_parent;
use crate::model::{Ancestor, Class, DecisionAction, Mutation, NodeStatus, SiblingEdit};
use crate::text::many;

/// A tier of the plan, and how often a node of it may be replanned.
#[derive(Debug, Clone, Copy)]
pub struct TierBudget {
    /// 0 mission to 4 task.
    pub tier: u8,
    /// What the plan calls it.
    pub name: &'static str,
    /// How often, where the node's file does not say.
    pub replans: u32,
    /// What a replan of it is called.
    pub action: Option<DecisionAction>,
}

/// The tiers from the task upwards. Above the feature only a person replans.
#[rustfmt::skip]
pub const TIERS: &[TierBudget] = &[
    TierBudget { tier: 4, name: "task",       replans: 0, action: None },
    TierBudget { tier: 3, name: "story",      replans: 3, action: Some(DecisionAction::ReplanStory) },
    TierBudget { tier: 2, name: "feature",    replans: 2, action: Some(DecisionAction::ReplanFeature) },
    TierBudget { tier: 1, name: "initiative", replans: 0, action: None },
    TierBudget { tier: 0, name: "mission",    replans: 0, action: None },
];

/// How many proposals in a row, with nothing else in between, stop the next one: in a plan tree those of the target, in a
/// plain session those of the episode, the next one counted.
pub const PROPOSALS: u32 = 3;

/// States of a node in which no replan of it is applied.
pub const CLOSED: &[NodeStatus] = &[NodeStatus::Done, NodeStatus::Archived, NodeStatus::Discarded, NodeStatus::Frozen];

/// How often a node of a tier may be replanned, where its file does not say.
pub fn tier_budget(tier: u8) -> u32 {
    TIERS.iter().find(|row| row.tier == tier).map_or(0, |row| row.replans)
}

/// F3 asks for a story; F4 for the smallest branch that has both sides: a story where a task beside this one is done and
/// broke it, else a feature. No such branch has a task of another feature: that is a person's, and stops nothing. Who is
/// still at work is waited for, by a conflict. Where the tier that is asked for cannot be replanned, the next one is; where
/// none can, the lowest branch that is still open stops.
pub(super) fn replan(desk: &DecisionInput<'_>, class: Class) -> RuleChoice {
    if desk.facts.plan.tier.is_none() {
        return in_a_session(desk);
    }
    let beside = desk.facts.plan.changed_by.as_ref().filter(|_| class == Class::F4);
    if let Some(edit) = beside.filter(|edit| edit.active) {
        return RuleChoice::new(DecisionAction::Arbitrate)
            .because(format!("{}: go on with another task", in_hands(edit)));
    }
    let apart = |edit: &&SiblingEdit| edit.feature.as_deref().is_some_and(|one| !desk.facts.plan.is_below(one));
    if let Some(edit) = beside.filter(apart) {
        let feature = edit.feature.as_deref().unwrap_or_default();
        return RuleChoice::new(DecisionAction::Escalate)
            .because(format!("{} of {feature} changed `{}`: no story or feature has both", edit.node, edit.file));
    }
    // Siblings are in one branch: the one right above them, which is a story where they are tasks.
    let is_in_one_story = beside.is_some_and(|edit| edit.feature.is_none()) && desk.facts.plan.tier == Some(4);
    let wanted = if class == Class::F3 || is_in_one_story { 3 } else { 2 };
    let mut choice = RuleChoice::new(DecisionAction::FreezeAndEscalate);
    let mut first = None;
    // A feature within a feature is asked before the one around it.
    for target in desk.facts.plan.ancestors.iter().filter(|above| above.tier <= wanted) {
        let Some(action) = tier(target.tier) else { continue };
        let proposals = proposals(desk, &target.id);
        let left = many(target.replans_left.into(), "replan", "replans");
        match refusal(target, proposals) {
            ReplanRefusal::Closed(status) => {
                choice = choice.because(format!("{} is {status}", target.id));
            }
            ReplanRefusal::NoBudget => {
                first.get_or_insert(&target.id);
                choice.refused.push(target.id.clone());
                choice = choice.because(format!("{} has no replan left: replan_budget_exhausted", target.id));
            }
            ReplanRefusal::Cycle => {
                return choice.about(&target.id).because(format!(
                    "{} was proposed for a replan {proposals} times in a row: replan_cycle_detected",
                    target.id
                ));
            }
            ReplanRefusal::No => {
                choice.action = action;
                choice.mutation = Some(Mutation::ReDecompose);
                choice.replans = Some(target.replans_left);
                let why = match beside {
                    Some(edit) => format!("{} changed `{}`, which it fails over", edit.node, edit.file),
                    // Drift is seen at the first failure.
                    None if class == Class::F3 && desk.question.attempt == 1 => {
                        "it changed other files than it plans".to_owned()
                    }
                    None if class == Class::F3 => "fixing it did not help".to_owned(),
                    None => "its story cannot fix it".to_owned(),
                };
                return choice.about(&target.id).because(format!("{why}: {} has {left} left", target.id));
            }
        }
    }
    choice.replans = first.map(|_| 0);
    let branch = first.unwrap_or(&desk.question.node);
    choice.because("no tier above may replan this: a person has to".to_owned()).about(branch)
}

/// Who has a file in hand that something fails over.
fn in_hands(edit: &SiblingEdit) -> String {
    match &edit.feature {
        None => format!("`{}` is being changed by {}", edit.file, edit.node),
        Some(feature) => format!("`{}` is in the work of {} ({feature}), which is not done", edit.file, edit.node),
    }
}

/// How a tier is replanned; None where only a person replans it.
fn tier(tier: u8) -> Option<DecisionAction> {
    TIERS.iter().find(|row| row.tier == tier)?.action
}

enum ReplanRefusal {
    No,
    Closed(NodeStatus),
    NoBudget,
    Cycle,
}

fn refusal(target: &Ancestor, proposals: u32) -> ReplanRefusal {
    let status = target.status.as_deref().and_then(NodeStatus::from_word);
    match status.filter(|status| CLOSED.contains(status)) {
        Some(status) => ReplanRefusal::Closed(status),
        None if target.replans_left == 0 => ReplanRefusal::NoBudget,
        None if proposals >= PROPOSALS => ReplanRefusal::Cycle,
        None => ReplanRefusal::No,
    }
}

fn proposals(desk: &DecisionInput<'_>, target: &str) -> u32 {
    let states = std::iter::once(desk.facts.state).chain(desk.facts.others);
    states.filter(|state| state.node == target).map(|state| state.proposals).max().unwrap_or(0)
}

/// A plain session has no story. Its plan is what the agent means to do: that is replanned, in words, and no file is
/// changed. A failure beside a subagent's work is its session's to plan.
fn in_a_session(desk: &DecisionInput<'_>) -> RuleChoice {
    let question = desk.question;
    let before = desk.last().map_or(0, |last| last.replans);
    if before + 1 >= PROPOSALS {
        return RuleChoice::new(DecisionAction::Escalate)
            .because("replanning did not help twice: a person has to look".to_owned());
    }
    let beside = question.class == Some(Class::F4);
    let target = session_parent(&question.node).filter(|_| beside).unwrap_or(&question.node);
    RuleChoice::new(DecisionAction::ReplanStory)
        .about(target)
        .because("no plan tree has this node: replan the work of this session before the next try".to_owned())
}
