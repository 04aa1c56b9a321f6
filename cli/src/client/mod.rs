//! The client as a program: starting it, following it, ending it and what it left behind, and judging how it ended.

#![expect(clippy::disallowed_methods, reason = "an edge: it starts and ends processes, in time")]

mod attempt;
mod find;
mod judge;
mod keeper;
mod record;
mod runs;
mod signals;
mod step;
mod tree;

pub use attempt::Watcher;
pub use find::{find_client, in_path};
pub use judge::Judge;
pub use keeper::keep;
pub use record::{project_retries, record};
pub use runs::{ClientRuns, RunFile, RunLock};
pub use signals::Signals;
pub use step::{ClientStep, GO_ON, Limits, StepEnd, Why, run};
pub use tree::{Family, Process, RUN, end, left};

/// The id of a new run: 16 hexadecimal digits.
pub fn new_run() -> String {
    let time = chrono::Utc::now().timestamp_nanos_opt().unwrap_or_default();
    crate::digest::hex16(&["run", &time.to_string(), &std::process::id().to_string()])
}

/// The time, RFC 3339 UTC.
fn stamp() -> String {
    crate::time::stamp(chrono::Utc::now())
}
