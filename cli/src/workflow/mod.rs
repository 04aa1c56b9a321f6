//! Workflows: steps that hand clean texts on, what their outputs must be, and the state of a run. Pure.

mod builtin;
mod definition;
mod output;
mod state;

pub use builtin::{WORK_ORDER, command_of, workflow_of};
pub use definition::{DefinitionError, StepDefinition, Workflow};
pub use output::{OutputKind, Rejected};
pub use state::{RunState, RunStatus, StepRecord};
