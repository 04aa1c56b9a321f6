//! The calls of one answer of the model: they were made together, so that none of them is a retry of another.

use std::collections::BTreeMap;

use crate::history::Event;
use crate::model::Operation;

/// The operations that failed in the answer that goes on. Where no answer is known, calls that one line tells of were made
/// together.
#[derive(Debug, Default)]
pub(super) struct Batches {
    /// Of each node of which an answer is known.
    of_answer: BTreeMap<String, Vec<Operation>>,
    /// Of the nodes of which none is known.
    of_line: Vec<(String, Operation)>,
}

impl Batches {
    /// An answer of the model begins: what is called now was made after what failed before was seen.
    pub(super) fn begin(&mut self, node: &str) {
        match self.of_answer.get_mut(node) {
            Some(failed) => failed.clear(),
            None => drop(self.of_answer.insert(node.to_owned(), Vec::new())),
        }
    }

    /// What comes next stands in another line.
    pub(super) fn next_line(&mut self) {
        self.of_line.clear();
    }

    /// Notes on a failure whether its operation failed in the same answer before.
    pub(super) fn note(&mut self, event: &mut Event) {
        if !event.is_failure() {
            return;
        }
        let node = event.node.clone();
        let Some(execution) = event.execution_mut() else { return };
        let Some(operation) = execution.operation.clone() else { return };
        if let Some(failed) = self.of_answer.get_mut(&node) {
            execution.parallel = failed.contains(&operation);
            failed.push(operation);
        } else {
            let failure = (node, operation);
            execution.parallel = self.of_line.contains(&failure);
            self.of_line.push(failure);
        }
    }
}
