//! The calls of one answer of the model: they were made together, so that none of them is a retry of another.

use std::collections::BTreeMap;

use crate::history::Event;
use crate::model::Operation;

/// The operations that failed since the last answer of each node began. A node of which no answer is known has none.
#[derive(Debug, Default)]
pub(super) struct Batches {
    failed: BTreeMap<String, Vec<Operation>>,
}

impl Batches {
    /// An answer of the model begins: what is called now was made after what failed before was seen.
    pub(super) fn begin(&mut self, node: &str) {
        match self.failed.get_mut(node) {
            Some(failed) => failed.clear(),
            None => drop(self.failed.insert(node.to_owned(), Vec::new())),
        }
    }

    /// Notes on a failure whether its operation failed in the same answer before.
    pub(super) fn note(&mut self, event: &mut Event) {
        let Some(failed) = self.failed.get_mut(&event.node).filter(|_| event.is_failure()) else { return };
        let Some(execution) = event.execution_mut() else { return };
        let Some(operation) = execution.operation.clone() else { return };
        execution.parallel = failed.contains(&operation);
        failed.push(operation);
    }
}
