//! The hosts that did not answer in a session, and those that did since.

use serde::{Deserialize, Serialize};

use super::event::Execution;
use super::state::State;

/// A host that a node tried to reach.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownHost {
    /// Its name or address.
    pub name: String,
    /// The program of the last call that tried it.
    pub program: String,
    /// How many calls in a row did not reach it; 0 of one that answered.
    #[serde(default)]
    pub failed: u32,
}

impl State {
    /// The most hosts kept.
    pub const HOSTS: usize = 16;

    /// How many calls in a row did not reach the host.
    pub fn unreached(&self, host: &str) -> u32 {
        self.hosts.iter().find(|known| known.name == host).map_or(0, |known| known.failed)
    }

    /// The host that answered a program last, since another did not.
    pub fn answered(&self, program: &str) -> Option<&str> {
        let answered = |known: &&KnownHost| known.failed == 0 && known.program == program;
        self.hosts.iter().rev().find(answered).map(|known| known.name.as_str())
    }

    /// Counts a call that did not reach a host, or one that did.
    pub(super) fn note_host(&mut self, execution: &Execution) {
        let unreached = execution.reading.as_ref().and_then(|reading| reading.unreached.as_ref());
        let silent = unreached.filter(|unreached| unreached.is_silent()).map(|unreached| &unreached.host);
        let Some(name) = silent.or(execution.answered.as_ref()) else { return };
        let failed = if silent.is_some() { self.unreached(name).saturating_add(1) } else { 0 };
        self.hosts.retain(|known| known.name != *name);
        let program = program_of(execution).to_owned();
        self.hosts.push(KnownHost { name: name.clone(), program, failed });
        let more = self.hosts.len().saturating_sub(Self::HOSTS);
        self.hosts.drain(..more);
    }
}

/// The program that a call runs: the first word of its operation.
fn program_of(execution: &Execution) -> &str {
    let operation = execution.operation.as_ref().map_or("", |operation| operation.0.as_str());
    operation.split(' ').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::{Operation, Reading, Unreached};

    fn call(host: &str, reached: bool, refused: bool) -> Execution {
        let unreached = (!reached).then(|| Unreached { host: host.to_owned(), refused });
        Execution {
            operation: Some(Operation(format!("ssh {host} uptime"))),
            answered: reached.then(|| host.to_owned()),
            reading: Some(Reading { unreached, ..Reading::unrecognised() }),
            ..Execution::default()
        }
    }

    proptest! {
        /// A host's failures in a row are counted by its name alone, a refusal and this machine never, and few are kept.
        #[test]
        fn failures_in_a_row_are_counted_by_host(
            calls in prop::collection::vec((0_usize..4, any::<bool>(), any::<bool>()), 0..40),
            others in 0_usize..40,
        ) {
            let names = ["10.1.2.3", "10.1.2.9", "till.example", "localhost"];
            let mut state = State::new("n");
            let mut counts = [0_u32; 4];
            for (host, reached, refused) in calls {
                state.note_host(&call(names[host], reached, refused));
                counts[host] = match (reached, refused || names[host] == "localhost") {
                    (true, _) => 0,
                    (false, true) => counts[host],
                    (false, false) => counts[host] + 1,
                };
                for (name, count) in names.iter().zip(counts) {
                    prop_assert_eq!(state.unreached(name), count);
                }
            }
            (0..others).for_each(|number| state.note_host(&call(&format!("10.9.9.{number}"), false, false)));
            prop_assert!(state.hosts.len() <= State::HOSTS);
        }
    }
}
