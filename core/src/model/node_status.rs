//! What a node of the plan tree may be, and what it may become.

use super::words;

words! {
    /// Whether a node is worked on, and why not.
    pub enum NodeStatus {
        /// Nobody has begun.
        Planned = "planned",
        /// An agent works on it.
        Active = "active",
        /// It is finished.
        Done = "done",
        /// It waits for another node.
        Blocked = "blocked",
        /// It was dropped.
        Discarded = "discarded",
        /// Its branch was stopped.
        Frozen = "frozen",
        /// It is finished and archived.
        Archived = "archived",
    }
}

/// A change of status that is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transition {
    /// Before.
    pub from: NodeStatus,
    /// After.
    pub to: NodeStatus,
    /// When it happens.
    pub when: &'static str,
}

/// Every change of status that is allowed. `rules/workflow/node-states.md` shows the same table.
#[rustfmt::skip]
pub const TRANSITIONS: &[Transition] = &[
    row(NodeStatus::Planned, NodeStatus::Active,    "an agent claims it"),
    row(NodeStatus::Planned, NodeStatus::Frozen,    "its branch is frozen"),
    row(NodeStatus::Planned, NodeStatus::Discarded, "it is dropped, or a node above it is replanned"),
    row(NodeStatus::Active,  NodeStatus::Done,      "its acceptance passes"),
    row(NodeStatus::Active,  NodeStatus::Planned,   "it is given back: its agent stopped"),
    row(NodeStatus::Active,  NodeStatus::Blocked,   "a node that it depends on is no longer done"),
    row(NodeStatus::Active,  NodeStatus::Discarded, "it is dropped, or a node above it is replanned"),
    row(NodeStatus::Active,  NodeStatus::Frozen,    "its branch is frozen"),
    row(NodeStatus::Blocked, NodeStatus::Active,    "what it depends on is done, and an agent claims it"),
    row(NodeStatus::Blocked, NodeStatus::Discarded, "it is dropped, or a node above it is replanned"),
    row(NodeStatus::Blocked, NodeStatus::Frozen,    "its branch is frozen"),
    row(NodeStatus::Frozen,  NodeStatus::Planned,   "its branch is thawed"),
    row(NodeStatus::Frozen,  NodeStatus::Discarded, "its branch is thawed with discard, or a node above it is replanned"),
    row(NodeStatus::Done,    NodeStatus::Archived,  "it is archived"),
];

const fn row(from: NodeStatus, to: NodeStatus, when: &'static str) -> Transition {
    Transition { from, to, when }
}

impl NodeStatus {
    /// Whether a node may become this.
    pub fn may_become(self, to: Self) -> bool {
        TRANSITIONS.iter().any(|row| row.from == self && row.to == to)
    }

    /// Whether nothing of the node is left to do: it is done, archived or discarded.
    pub fn is_closed(self) -> bool {
        matches!(self, Self::Done | Self::Archived | Self::Discarded)
    }

    /// Whether the node's work may go on, now or later.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Planned | Self::Active | Self::Blocked)
    }
}

#[cfg(test)]
mod tests {
    use super::{NodeStatus, TRANSITIONS};

    #[test]
    fn what_the_predecessor_forbade_stays_forbidden() {
        assert!(!NodeStatus::Done.may_become(NodeStatus::Active));
        assert!(!NodeStatus::Discarded.may_become(NodeStatus::Active));
        assert!(!NodeStatus::Planned.may_become(NodeStatus::Done), "no acceptance was tried");
        assert!(NodeStatus::ALL.iter().all(|to| !NodeStatus::Archived.may_become(*to)));
        assert!(NodeStatus::ALL.iter().all(|to| !NodeStatus::Discarded.may_become(*to)));
        assert!(NodeStatus::ALL.iter().all(|status| !status.may_become(*status)));
    }

    #[test]
    fn no_row_stands_twice() {
        for (index, row) in TRANSITIONS.iter().enumerate() {
            let same = |other: &&super::Transition| (other.from, other.to) == (row.from, row.to);
            assert!(!TRANSITIONS[index + 1..].iter().any(|other| same(&other)), "{} -> {}", row.from, row.to);
        }
    }
}
