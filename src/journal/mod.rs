//! `history.jsonl`: where it lives, one locked append, and the state kept beside it. The only module that writes files.

#![expect(clippy::disallowed_methods, reason = "an edge: the history is a file")]

mod file;
mod ledger;
mod place;
mod states;

pub use file::read_lines;
pub use ledger::{Journal, Ledger};
pub use place::{Env, Place, find, init};

/// The history's file name inside its folder.
pub const HISTORY: &str = "history.jsonl";

/// The node that a call belongs to where no plan tree names one: the session, or the subagent in it.
pub fn session_node(session: Option<&str>, agent: Option<&str>) -> String {
    let session = session.unwrap_or("unknown");
    match agent {
        Some(agent) => format!("session/{session}{AGENT}{agent}"),
        None => format!("session/{session}"),
    }
}

/// The node above a session's node: the session, for a subagent.
pub fn session_parent(node: &str) -> Option<&str> {
    node.split_once(AGENT).map(|(session, _)| session)
}

const AGENT: &str = "/agent/";
