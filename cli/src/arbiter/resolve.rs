//! A person's word ends a conflict.

use super::desk::{ArbiterDesk, TreeChange};
use crate::conflicts::policy::Arbitration;
use crate::conflicts::{ArbitrationDecision, Conflict};
use crate::error::Error;
use crate::model::NodeStatus;
use crate::plan::edit::Node;

/// What a person chooses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PersonChoice {
    /// The blocker is given up, and the proposed node goes on.
    AcceptProposed,
    /// The proposed node is given up.
    AcceptBlocker,
    /// This node first, the other one after it.
    Sequential(String),
    /// Both stop.
    FreezeBoth,
    /// Somebody else has to look; the conflict stays open.
    Escalate,
}

impl PersonChoice {
    /// The word of a choice, as the log keeps it.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::AcceptProposed => "accept-proposed",
            Self::AcceptBlocker => "accept-blocker",
            Self::Sequential(_) => "sequential",
            Self::FreezeBoth => "freeze-both",
            Self::Escalate => "escalate",
        }
    }
}

impl ArbiterDesk<'_> {
    /// Ends a conflict by a person's choice, and changes the tree as it says. `by` is who says so, for the record.
    ///
    /// # Errors
    /// When there is no such conflict, it is over already, the choice names another node, or something cannot be written.
    pub fn resolve(&mut self, id: &str, choice: &PersonChoice, by: &str) -> Result<Arbitration, Error> {
        let conflict = self.get(id)?.clone();
        if let Some(resolution) = conflict.resolution.as_deref().filter(|_| conflict.is_resolved()) {
            let by = conflict.resolved_by.as_deref().unwrap_or("somebody");
            let told = Error::usage(format!("{id} is resolved already: {resolution}, by {by}"));
            return Err(told.hint("`failwise plan conflicts show` shows it; a scan finds it if it came back"));
        }
        let steps = self.steps_of(choice, &conflict)?;
        self.carry_out(&steps, &conflict)?;
        let mut answer = Arbitration::about(&conflict, decision_of(choice), false);
        answer.actions = steps.iter().map(TreeChange::words).collect();
        answer.reasons.push(format!("{by} chose {}", choice.as_str()));
        let end = (*choice != PersonChoice::Escalate).then_some((choice.as_str(), by));
        self.record(&conflict, format!("{}: chosen by {by}", choice.as_str()), end, &mut answer)?;
        answer.applied = true;
        Ok(answer)
    }

    fn steps_of(&self, choice: &PersonChoice, conflict: &Conflict) -> Result<Vec<TreeChange>, Error> {
        let (proposed, blocker) = (self.side(conflict, conflict.proposed())?, self.side(conflict, conflict.blocker())?);
        let is_open = |node: &Node| node.status.is_some_and(NodeStatus::is_open) || node.is(NodeStatus::Frozen);
        let discard = |node: &Node| is_open(node).then(|| TreeChange::Discard(node.id.clone()));
        let thaw = |node: &Node| self.thaw_of(node, conflict);
        let steps: Vec<TreeChange> = match choice {
            PersonChoice::AcceptProposed => discard(blocker).into_iter().chain(thaw(proposed)).collect(),
            PersonChoice::AcceptBlocker => discard(proposed).into_iter().chain(thaw(blocker)).collect(),
            PersonChoice::Sequential(first) => {
                let after = match first {
                    first if *first == proposed.id => blocker,
                    first if *first == blocker.id => proposed,
                    _ => return Err(not_a_side(first, proposed, blocker)),
                };
                let is_new = !after.depends_on.contains(first);
                let depend = is_new.then(|| TreeChange::Depend(after.id.clone(), first.clone()));
                thaw(proposed).into_iter().chain(thaw(blocker)).chain(depend).collect()
            }
            PersonChoice::FreezeBoth => {
                let open = [proposed, blocker].into_iter().filter(|node| node.status.is_some_and(NodeStatus::is_open));
                open.map(|node| TreeChange::Hold(node.id.clone())).collect()
            }
            PersonChoice::Escalate => Vec::new(),
        };
        Ok(steps)
    }

    fn side(&self, conflict: &Conflict, id: Option<&str>) -> Result<&Node, Error> {
        let missing = || Error::unreadable(format!("{} names a node that is not in the plan", conflict.conflict_id));
        id.and_then(|id| self.tree.node(id)).ok_or_else(|| missing().hint("failwise plan validate lists what is wrong"))
    }
}

fn decision_of(choice: &PersonChoice) -> ArbitrationDecision {
    match choice {
        PersonChoice::Sequential(_) => ArbitrationDecision::SequentialReorder,
        PersonChoice::Escalate => ArbitrationDecision::Escalate,
        PersonChoice::AcceptProposed | PersonChoice::AcceptBlocker | PersonChoice::FreezeBoth => {
            ArbitrationDecision::UserPriority
        }
    }
}

fn not_a_side(first: &str, proposed: &Node, blocker: &Node) -> Error {
    let told = Error::usage(format!("`{first}` is no side of this conflict"));
    told.hint(format!("sequential {} or sequential {}", blocker.id, proposed.id))
}
