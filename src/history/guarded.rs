//! What the guard knows of a node's past: the call that fails again and again in the same way.

use serde::{Deserialize, Serialize};

use super::event::{Effect, Event, EventKind};
use crate::model::{Category, Operation, Outcome, Tool, ToolKind};

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

/// A call that failed in the same way, with nothing changed in between.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repeated {
    /// The call: [`Event::call`].
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
}

/// Tools of no known kind that change nothing a call could depend on.
const HARMLESS: &[&str] =
    &["BashOutput", "TaskCreate", "TaskGet", "TaskList", "TaskOutput", "TaskUpdate", "TodoWrite", "ToolSearch"];

impl Guarded {
    /// Whether there is nothing to know.
    pub fn is_empty(&self) -> bool {
        self.repeated.is_none() && self.let_through.is_none()
    }

    /// Folds one event of the node in, which stands at this place.
    pub(super) fn step(&mut self, event: &Event, at: u64) {
        match event.event {
            EventKind::ExecutionFailed => self.failed(event, at),
            EventKind::ExecutionCompleted if may_have_changed(event) || self.passes(event) => self.repeated = None,
            EventKind::StateChanged => self.repeated = None,
            EventKind::CallRefused => {
                if let Some(repeated) = self.of_call(event) {
                    repeated.refused = repeated.refused.saturating_add(1);
                }
            }
            EventKind::GuardOpened => self.let_through = event.call.clone().zip(event.until.clone()),
            _ => {}
        }
    }

    fn failed(&mut self, event: &Event, at: u64) {
        let (Some(call), Some(operation), Some(signature), Some(reading)) =
            (&event.call, &event.operation, &event.signature, &event.reading)
        else {
            if may_have_changed(event) {
                self.repeated = None;
            }
            return;
        };
        let before = self.repeated.take().filter(|before| before.call == *call && before.fine == signature.fine);
        self.repeated = Some(Repeated {
            call: call.clone(),
            operation: operation.clone(),
            category: reading.category,
            fine: signature.fine.clone(),
            times: before.as_ref().map_or(0, |before| before.times).saturating_add(1),
            failed_at: event.ts.clone(),
            at,
            failure: event.id.clone(),
            refused: before.map_or(0, |before| before.refused),
        });
    }

    fn of_call(&mut self, event: &Event) -> Option<&mut Repeated> {
        self.repeated.as_mut().filter(|repeated| event.call.as_ref() == Some(&repeated.call))
    }

    /// Whether the operation that failed has ended well: one that only looks passes without a change.
    fn passes(&self, event: &Event) -> bool {
        let ran = matches!(event.outcome, Some(Outcome::Succeeded | Outcome::BenignNonZero));
        ran && self.repeated.as_ref().is_some_and(|repeated| event.operation.as_ref() == Some(&repeated.operation))
    }
}

/// Whether a call may have changed what another depends on. Of a tool that nobody knows, it may; a person who interrupts
/// a call acts.
fn may_have_changed(event: &Event) -> bool {
    let unknown = || match event.tool.as_deref() {
        Some(name) => {
            let kind = Tool::named(name).kind;
            matches!(kind, ToolKind::Agent | ToolKind::Mcp | ToolKind::Other) && !HARMLESS.contains(&name)
        }
        None => true,
    };
    match event.outcome {
        Some(Outcome::Interrupted) => true,
        Some(Outcome::Denied | Outcome::Cascade) => false,
        _ => event.effect != Effect::None || unknown(),
    }
}
