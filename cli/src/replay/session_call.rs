//! What one session did, call by call: what a person reads to see how a failure came about and what ended it.

use serde::Serialize;

use crate::history::{Event, Execution};
use crate::model::{AskedLines, Outcome};
use crate::redact::redact_printed;
use crate::text::{one_line, tail};

/// A call of a session, in the order in which calls ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SessionCall {
    /// When it ended, as the data says.
    pub ts: String,
    /// The plan node, session or subagent that made it.
    pub node: String,
    /// The call.
    pub tool_use_id: Option<String>,
    /// The tool's canonical name.
    pub tool: String,
    /// The call as given, redacted, at most 300 characters; of a part of a file with its lines.
    pub call: String,
    /// What became of it.
    pub outcome: Outcome,
    /// The exit code, where the host states one.
    pub exit_code: Option<i32>,
    /// The end of its output, redacted, at most 4 KiB; of what did not fail only where [`Self::tell_output`] was asked.
    pub output: Option<String>,
    /// The end of what it printed, as it came.
    #[serde(skip)]
    printed: String,
    /// What Failwise told the agent then, or would have told it.
    pub said: Option<String>,
}

/// The longest call that is kept, in characters.
const CALL: usize = 300;
/// The longest output that is told, in bytes.
const OUTPUT: usize = 4096;

impl SessionCall {
    pub(super) fn of(event: &Event, execution: &Execution, lines: AskedLines, printed: &str) -> Self {
        let input = execution.input.as_deref().unwrap_or_default();
        Self {
            ts: event.ts.clone(),
            node: event.node.clone(),
            tool_use_id: event.tool_use_id.clone(),
            tool: execution.tool.clone().unwrap_or_default(),
            call: one_line(&format!("{input}{lines}"), CALL),
            outcome: execution.outcome.unwrap_or(Outcome::Succeeded),
            exit_code: execution.exit_code,
            output: execution.text.clone().filter(|text| !text.is_empty()),
            printed: printed.to_owned(),
            said: None,
        }
    }

    /// Tells what a call printed that did not fail. All that is kept of it is redacted, and then cut: a secret may stand where
    /// it is cut.
    pub fn tell_output(&mut self) {
        let printed = std::mem::take(&mut self.printed);
        if self.output.is_none() && !printed.trim().is_empty() {
            self.output = Some(tail(&redact_printed(&printed), OUTPUT).to_owned());
        }
    }
}
