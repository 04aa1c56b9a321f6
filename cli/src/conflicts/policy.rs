//! Which side of a conflict gives way: one table, first match wins. `rules/workflow/conflict-arbitration-policy.md` shows
//! the same rows and says why they are so.

use serde::{Deserialize, Serialize};

use super::{ArbitrationDecision, Conflict, Layer};
use crate::model::{NextCommand, NodeStatus, words};

/// From so many arbitrations of one conflict on, a person decides.
pub const MOST_ARBITRATIONS: u32 = 3;
/// A finding that is less sure than this is never acted on without a person.
pub const SURE: f64 = 0.7;

words! {
    /// A node's state, as far as a conflict asks.
    pub enum NodeStanding {
        /// Not done: planned, active, blocked or frozen.
        Open = "open",
        /// Done, or archived as done.
        Done = "done",
        /// Discarded.
        GivenUp = "given up",
        /// Not in the tree, or its status cannot be read.
        Unknown = "unknown",
    }
}

impl NodeStanding {
    /// The standing of a node with this status.
    pub fn of(status: Option<NodeStatus>) -> Self {
        match status {
            Some(NodeStatus::Planned | NodeStatus::Active | NodeStatus::Blocked | NodeStatus::Frozen) => Self::Open,
            Some(NodeStatus::Done | NodeStatus::Archived) => Self::Done,
            Some(NodeStatus::Discarded) => Self::GivenUp,
            None => Self::Unknown,
        }
    }
}

words! {
    /// Whether the proposed node's plan fits what the blocker did or, while that one is not done, plans to do.
    pub enum Compatibility {
        /// They share nothing.
        Compatible = "compatible",
        /// They share something.
        Overlapping = "overlapping",
        /// Nobody can tell; never taken for compatible.
        Unknown = "unknown",
    }
}

/// Everything that the table looks at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dispute {
    /// How deep the two are in each other's way.
    pub layer: Layer,
    /// How sure the finding is.
    pub confidence: f64,
    /// How often this conflict was arbitrated before.
    pub arbitrations: u32,
    /// Whether the planner's last three entries about the proposed node are all arbitrations.
    pub only_arbitrations: bool,
    /// The state of the node that would start or change later.
    pub proposed: NodeStanding,
    /// The state of the node that was there first.
    pub blocker: NodeStanding,
    /// Whether the two fit.
    pub compatibility: Compatibility,
    /// Whether the proposed node can wait for the blocker by a dependency: it has not begun, and no circle arises.
    pub reorder: bool,
    /// Whether the story may be replanned.
    pub budget: bool,
}

/// A limit that ends all automatic decisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// The conflict was arbitrated [`MOST_ARBITRATIONS`] times.
    Arbitrations,
    /// The planner did nothing but arbitrate about this node.
    OnlyArbitrations,
    /// The finding is less sure than [`SURE`].
    Unsure,
}

impl Limit {
    fn is_met(self, dispute: &Dispute) -> bool {
        match self {
            Self::Arbitrations => dispute.arbitrations >= MOST_ARBITRATIONS,
            Self::OnlyArbitrations => dispute.only_arbitrations,
            // A confidence that is no number is not sure.
            Self::Unsure => dispute.confidence < SURE || dispute.confidence.is_nan(),
        }
    }

    /// The words in the policy's table.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Arbitrations => "arbitrated 3 times",
            Self::OnlyArbitrations => "last 3 entries arbitrations",
            Self::Unsure => "confidence < 0.7",
        }
    }
}

/// A row of the table. An empty list and a None ask nothing.
#[derive(Debug)]
pub struct PolicyRow {
    /// Its name, which the answer tells.
    pub name: &'static str,
    /// The limit that has to be met.
    pub limit: Option<Limit>,
    /// The layers it is for.
    pub layers: &'static [Layer],
    /// The proposed node's state.
    pub proposed: &'static [NodeStanding],
    /// The blocker's state.
    pub blocker: &'static [NodeStanding],
    /// Whether the two fit.
    pub compatibility: &'static [Compatibility],
    /// Whether the proposed node can wait by a dependency.
    pub reorder: Option<bool>,
    /// Whether the story may be replanned.
    pub budget: Option<bool>,
    /// What is decided.
    pub decision: ArbitrationDecision,
    /// Whether it may be carried out without a person.
    pub automatic: bool,
    /// Why, for people.
    pub reason: &'static str,
}

impl PolicyRow {
    const fn new(name: &'static str, decision: ArbitrationDecision, automatic: bool, reason: &'static str) -> Self {
        Self {
            name,
            limit: None,
            layers: &[],
            proposed: &[],
            blocker: &[],
            compatibility: &[],
            reorder: None,
            budget: None,
            decision,
            automatic,
            reason,
        }
    }

    fn holds(&self, dispute: &Dispute) -> bool {
        fn is_asked<T: PartialEq>(asked: &[T], is: &T) -> bool {
            asked.is_empty() || asked.contains(is)
        }
        self.limit.is_none_or(|limit| limit.is_met(dispute))
            && is_asked(self.layers, &dispute.layer)
            && is_asked(self.proposed, &dispute.proposed)
            && is_asked(self.blocker, &dispute.blocker)
            && is_asked(self.compatibility, &dispute.compatibility)
            && self.reorder.is_none_or(|reorder| reorder == dispute.reorder)
            && self.budget.is_none_or(|budget| budget == dispute.budget)
    }
}

use ArbitrationDecision::{AutoDiscard, AutoThaw, Escalate, Freeze, Replan, SequentialReorder, UserPriority};
use Compatibility::{Compatible, Overlapping};
use Layer::{L1, L2, L3, L4};
use NodeStanding::{Done, GivenUp};

/// The table. The last row asks nothing, so that there is always an answer.
#[rustfmt::skip]
pub const ROWS: &[PolicyRow] = &[
    PolicyRow { limit: Some(Limit::Arbitrations),
        ..PolicyRow::new("circling", Escalate, false, "it was arbitrated three times and came back") },
    PolicyRow { proposed: &[Done, GivenUp],
        ..PolicyRow::new("nothing_waits", AutoThaw, true, "the node that would wait is done or given up") },
    PolicyRow { limit: Some(Limit::Unsure),
        ..PolicyRow::new("unsure", UserPriority, false, "the finding is too unsure to act on without a person") },
    PolicyRow { layers: &[L3, L4],
        ..PolicyRow::new("intention", UserPriority, false, "conflicts of intention or architecture are a person's to decide") },
    PolicyRow { proposed: &[NodeStanding::Unknown],
        ..PolicyRow::new("proposed_unknown", UserPriority, false, "the plan does not know the waiting node's state") },
    PolicyRow { blocker: &[NodeStanding::Unknown],
        ..PolicyRow::new("blocker_unknown", UserPriority, false, "the plan does not know the blocker's state") },
    PolicyRow { blocker: &[GivenUp],
        ..PolicyRow::new("blocker_given_up", AutoThaw, true, "the blocker was given up") },
    PolicyRow { blocker: &[Done], compatibility: &[Compatible],
        ..PolicyRow::new("room_left", AutoThaw, true, "the blocker is done and changed nothing that the other plans to touch") },
    PolicyRow { blocker: &[Done], compatibility: &[Overlapping], budget: Some(true),
        ..PolicyRow::new("plan_outdated", AutoDiscard, true, "the blocker is done and changed what the other plans to touch") },
    PolicyRow { blocker: &[Done], compatibility: &[Overlapping],
        ..PolicyRow::new("plan_outdated_no_budget", Escalate, false, "the plan is outdated and the story has no replan left") },
    PolicyRow { blocker: &[Done],
        ..PolicyRow::new("cannot_tell", UserPriority, false, "git cannot show the blocker's changes") },
    PolicyRow { limit: Some(Limit::OnlyArbitrations),
        ..PolicyRow::new("only_arbitrations", Escalate, false, "the planner only arbitrates about this node") },
    PolicyRow { compatibility: &[Compatible],
        ..PolicyRow::new("other_functions", AutoThaw, true, "both plan the same file, and different functions of it") },
    PolicyRow { layers: &[L1],
        ..PolicyRow::new("same_file", Freeze, true, "the blocker is at the same file") },
    PolicyRow { layers: &[L2], reorder: Some(true),
        ..PolicyRow::new("in_turn", SequentialReorder, true, "one after the other keeps both plans") },
    PolicyRow { layers: &[L2], budget: Some(true),
        ..PolicyRow::new("replan", Replan, true, "neither can wait for the other, so the story is replanned") },
    PolicyRow::new("no_replan_left", Escalate, false, "neither can wait for the other, and the story has no replan left"),
];

/// The row that decides: exactly one.
pub fn arbitrate(dispute: &Dispute) -> &'static PolicyRow {
    const LAST: &PolicyRow = &ROWS[ROWS.len() - 1];
    ROWS.iter().find(|row| row.holds(dispute)).unwrap_or(LAST)
}

/// What `failwise arbitrate` answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Arbitration {
    /// The conflict.
    pub conflict_id: String,
    /// What was decided.
    pub decision: ArbitrationDecision,
    /// Whether it may be carried out without a person.
    pub automatic: bool,
    /// Whether something was changed by this call: never in a dry run, and not where it was so already.
    pub applied: bool,
    /// The row of the table that decided; None for a conflict that was over before.
    pub rule: Option<String>,
    /// How deep the two are in each other's way.
    pub layer: Layer,
    /// The node that would start or change later.
    pub proposed: Option<String>,
    /// The node that was there first.
    pub blocker: Option<String>,
    /// The node that the decision is about: the proposed one, or the story where that is replanned.
    pub target_node: Option<String>,
    /// Whether the two fit, where that was asked.
    pub compatibility: Compatibility,
    /// How often the conflict was arbitrated, this time included.
    pub arbitrations: u32,
    /// How the conflict ended; None while it is open.
    pub resolution: Option<String>,
    /// Why, for people and planners.
    pub reasons: Vec<String>,
    /// What was changed, or in a dry run what would be.
    pub actions: Vec<String>,
    /// What to run next.
    pub next_commands: Vec<NextCommand>,
    /// The version of this shape.
    pub schema_version: u32,
}

impl Arbitration {
    /// The version of the arbitration's shape.
    pub const SCHEMA_VERSION: u32 = 1;

    /// An answer about a conflict, in which nothing was changed yet.
    pub fn about(conflict: &Conflict, decision: ArbitrationDecision, automatic: bool) -> Self {
        Self {
            conflict_id: conflict.conflict_id.clone(),
            decision,
            automatic,
            applied: false,
            rule: None,
            layer: conflict.layer,
            proposed: conflict.proposed().map(str::to_owned),
            blocker: conflict.blocker().map(str::to_owned),
            target_node: conflict.proposed().map(str::to_owned),
            compatibility: Compatibility::Unknown,
            arbitrations: conflict.arbitrations,
            resolution: conflict.resolution.clone(),
            reasons: Vec::new(),
            actions: Vec::new(),
            next_commands: Vec::new(),
            schema_version: Self::SCHEMA_VERSION,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::NodeStanding::Open;
    use super::*;

    fn every_dispute() -> Vec<Dispute> {
        let flags = [false, true];
        let mut all = Vec::new();
        for layer in Layer::ALL {
            for proposed in NodeStanding::ALL {
                for blocker in NodeStanding::ALL {
                    for compatibility in Compatibility::ALL {
                        for (reorder, budget, only_arbitrations) in
                            flags.iter().flat_map(|a| flags.iter().flat_map(move |b| flags.map(|c| (*a, *b, c))))
                        {
                            for arbitrations in [0, 1, 2, 3, 4, u32::MAX] {
                                for confidence in [0.0, 0.69, 0.7, 0.85, 1.0, f64::NAN] {
                                    all.push(Dispute {
                                        layer,
                                        confidence,
                                        arbitrations,
                                        only_arbitrations,
                                        proposed,
                                        blocker,
                                        compatibility,
                                        reorder,
                                        budget,
                                    });
                                }
                            }
                        }
                    }
                }
            }
        }
        all
    }

    /// The policy in other words: what each decision needs, each on its own.
    fn expected(d: &Dispute) -> (ArbitrationDecision, bool) {
        if d.arbitrations > 2 {
            return (Escalate, false);
        }
        if d.proposed == Done || d.proposed == GivenUp {
            return (AutoThaw, true);
        }
        let deep = matches!(d.layer, L3 | L4);
        let sure = d.confidence >= 0.7;
        if deep || !sure || d.proposed != Open || d.blocker == NodeStanding::Unknown {
            return (UserPriority, false);
        }
        match (d.blocker, d.compatibility) {
            (GivenUp, _) | (Done, Compatible) => (AutoThaw, true),
            (Done, Overlapping) => {
                if d.budget {
                    (AutoDiscard, true)
                } else {
                    (Escalate, false)
                }
            }
            (Done, Compatibility::Unknown) => (UserPriority, false),
            _ if d.only_arbitrations => (Escalate, false),
            (_, Compatible) => (AutoThaw, true),
            _ if d.layer == L1 => (Freeze, true),
            _ if d.reorder => (SequentialReorder, true),
            _ if d.budget => (Replan, true),
            _ => (Escalate, false),
        }
    }

    #[test]
    fn every_combination_is_decided_as_the_policy_says() {
        let mut met = std::collections::BTreeSet::new();
        for dispute in every_dispute() {
            let row = arbitrate(&dispute);
            met.insert(row.name);
            assert_eq!((row.decision, row.automatic), expected(&dispute), "{dispute:?} by {}", row.name);
        }
        assert_eq!(met.len(), ROWS.len(), "a row that decides nothing: {met:?}");
    }

    #[test]
    fn statuses_have_a_standing() {
        for (status, standing) in [
            ("planned", Open),
            ("active", Open),
            ("blocked", Open),
            ("frozen", Open),
            ("done", Done),
            ("archived", Done),
            ("discarded", GivenUp),
            ("Done", NodeStanding::Unknown),
        ] {
            assert_eq!(NodeStanding::of(NodeStatus::from_word(status)), standing, "{status}");
        }
    }
}
