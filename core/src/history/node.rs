//! Names of nodes where no plan tree names them.

/// The node that a call belongs to where no plan tree names one: the session, or the subagent in it.
pub fn session_node(session: Option<&str>, agent: Option<&str>) -> String {
    let session = session.unwrap_or("unknown");
    match agent {
        Some(agent) => format!("session/{session}{AGENT}{agent}"),
        None => format!("session/{session}"),
    }
}

/// Whether a node is a session or a subagent in one, which no plan knows.
pub fn is_session(node: &str) -> bool {
    node.starts_with("session/")
}

/// The node above a session's node: the session, for a subagent.
pub fn session_parent(node: &str) -> Option<&str> {
    node.split_once(AGENT).map(|(session, _)| session)
}

/// The node whose state holds what is counted over all nodes. No plan node and no session can have this name.
pub const PROJECT: &str = "project/retries";

/// What events of a history as a whole belong to. No state is kept of it.
pub const HISTORY_NODE: &str = "history";

/// The node whose state lists the subagents of a session. No plan node and no session can have this name.
pub fn agents_of(session: &str) -> String {
    [AGENTS, session].concat()
}

const AGENT: &str = "/agent/";
const AGENTS: &str = "project/agents/";
