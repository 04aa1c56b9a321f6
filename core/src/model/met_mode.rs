//! A failure mode that a call met, as the history keeps it.

use serde::{Deserialize, Serialize};

/// A failure mode of its tool that a call met: the surest one, where the agent may be told of it. Program and subcommand
/// are those of the row of the table of working forms that speaks of the call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetMode {
    /// The mode's number: §10 is 10.
    pub id: u8,
    /// The program's name, as the table has it.
    pub program: String,
    /// The subcommand's words, as the table has them; empty where the row is about every call of the program.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub subcommand: String,
    /// Whether what was seen proves that the form in that row changes how the call ends: else the agent has to ask for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub decided: bool,
}

impl MetMode {
    /// Whether it waits for input: a prompt, an editor, the questions of an installation, or what it reads from stdin.
    pub fn waits(&self) -> bool {
        matches!(self.id, 10 | 37 | 50 | 62 | 71)
    }

    /// Program and mode in one word of two: of each the agent is told once a session.
    pub fn tag(&self) -> String {
        format!("{} §{}", self.program, self.id)
    }
}
