//! What the guard knows of a node's past: the call that fails again and again in the same way.

use serde::{Deserialize, Serialize};

use super::event::{Body, Effect, Event, Execution, GuardedCall};
use crate::digest::hex16;
use crate::model::{Category, NearName, Operation, Outcome, Tool, ToolKind};

/// What the guard knows of a node's past.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Guarded {
    /// The last call that failed for a reason of its own, where nothing changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeated: Option<Repeated>,
    /// The call that a person lets through, and until when (RFC 3339 UTC).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub let_through: Option<(String, String)>,
}

/// A call that failed in the same way, or waited for a person, with nothing changed in between.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repeated {
    /// The call: [`Execution::call`].
    pub call: String,
    /// What it does.
    pub operation: Operation,
    /// Why it fails.
    pub category: Category,
    /// The fine signature of its failure.
    pub fine: String,
    /// How often in a row it failed.
    pub times: u32,
    /// When it failed last, RFC 3339 UTC.
    pub failed_at: String,
    /// Where that failure stands in the history.
    pub at: u64,
    /// The event of that failure.
    pub failure: String,
    /// How often the guard refused it since its first failure.
    #[serde(default)]
    pub refused: u32,
    /// The number of the failure mode that it met, where there is one: a call whose shape proves the same mode waits for a
    /// person at a terminal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<u8>,
    /// The limit in milliseconds that such a call asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// The only name that a missing one of the call may have meant, where one of its failures showed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near: Option<NearName>,
}

/// Tools of no known kind that change nothing a call could depend on.
const HARMLESS: &[&str] =
    &["BashOutput", "TaskCreate", "TaskGet", "TaskList", "TaskOutput", "TaskUpdate", "TodoWrite", "ToolSearch"];

impl Guarded {
    /// What a call of a shell tool in this folder is known by.
    pub fn identity(tool: &str, cwd: &str, command: &str) -> String {
        hex16(&[tool, cwd, command])
    }

    /// Whether there is nothing to know.
    pub fn is_empty(&self) -> bool {
        self.repeated.is_none() && self.let_through.is_none()
    }

    /// Folds one event of the node in, which stands at this place.
    pub(super) fn step(&mut self, event: &Event, at: u64) {
        match &event.body {
            Body::ExecutionFailed(execution) => self.failed(event, execution, at),
            // It waited until it was moved to the background, and waits there.
            Body::ExecutionCompleted(execution) if execution.met.is_some() && execution.call.is_some() => {
                self.failed(event, execution, at);
            }
            Body::ExecutionCompleted(execution) if may_have_changed(execution) || self.passes(execution) => {
                self.repeated = None;
            }
            Body::FailureClassified(classified) if classified.near.is_some() => {
                let failure = classified.verdict.as_ref().and_then(|verdict| verdict.history_ref.as_ref());
                if let Some(repeated) = self.repeated.as_mut().filter(|repeated| Some(&repeated.failure) == failure) {
                    repeated.near.clone_from(&classified.near);
                }
            }
            Body::StateChanged { .. } => self.repeated = None,
            Body::CallRefused(refused) => {
                if let Some(repeated) = self.of_call(refused) {
                    repeated.refused = repeated.refused.saturating_add(1);
                }
            }
            Body::GuardOpened(opened) => self.let_through = opened.call.clone().zip(opened.until.clone()),
            _ => {}
        }
    }

    fn failed(&mut self, event: &Event, execution: &Execution, at: u64) {
        let (Some(call), Some(operation), Some(reading)) = (&execution.call, &execution.operation, &execution.reading)
        else {
            if may_have_changed(execution) {
                self.repeated = None;
            }
            return;
        };
        // What goes on in the background has no error to sign.
        let fine = execution.signature.as_ref().map_or(call, |signature| &signature.fine);
        let before = self.repeated.take().filter(|before| before.call == *call && before.fine == *fine);
        self.repeated = Some(Repeated {
            call: call.clone(),
            operation: operation.clone(),
            category: reading.category,
            fine: fine.clone(),
            times: before.as_ref().map_or(0, |before| before.times).saturating_add(1),
            failed_at: event.ts.clone(),
            at,
            failure: event.id.clone(),
            refused: before.as_ref().map_or(0, |before| before.refused),
            mode: execution.met.as_ref().map(|met| met.id),
            timeout_ms: execution.timeout_ms,
            near: before.and_then(|before| before.near),
        });
    }

    fn of_call(&mut self, refused: &GuardedCall) -> Option<&mut Repeated> {
        self.repeated.as_mut().filter(|repeated| refused.call.as_ref() == Some(&repeated.call))
    }

    /// Whether the operation that failed has ended well: one that only looks passes without a change.
    fn passes(&self, execution: &Execution) -> bool {
        let ran = matches!(execution.outcome, Some(Outcome::Succeeded | Outcome::BenignNonZero));
        ran && self.repeated.as_ref().is_some_and(|repeated| execution.operation.as_ref() == Some(&repeated.operation))
    }
}

/// Whether a call may have changed what another depends on. Of a tool that nobody knows, it may; a person who interrupts
/// a call acts.
fn may_have_changed(execution: &Execution) -> bool {
    let unknown = || match execution.tool.as_deref() {
        Some(name) => {
            let kind = Tool::named(name).kind;
            matches!(kind, ToolKind::Agent | ToolKind::Mcp | ToolKind::Other) && !HARMLESS.contains(&name)
        }
        None => true,
    };
    match execution.outcome {
        Some(Outcome::Interrupted) => true,
        Some(Outcome::Denied | Outcome::Cascade) => false,
        _ => execution.effect != Effect::None || unknown(),
    }
}
