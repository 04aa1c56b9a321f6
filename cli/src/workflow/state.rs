//! The state of a run: what is done, and what later steps need of it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::definition::Workflow;
use crate::model::{Class, words};
use crate::redact::redact;
use crate::text::start;

/// The most characters of an output that are kept for people.
const SHOWN: usize = 4_000;

words! {
    /// Where a run stands.
    #[derive(Default)]
    pub enum RunStatus {
        /// Nothing was done yet.
        #[default]
        Pending = "pending",
        /// Steps are left, and none has failed. Who runs them holds the lock.
        Running = "running",
        /// Every step is done.
        Completed = "completed",
        /// A step failed.
        Failed = "failed",
    }
}

/// What a step came to. Its output and its error are without secrets, for people.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct StepRecord {
    /// The step.
    pub step: String,
    /// The command file that it ran, without its ending.
    pub agent_name: String,
    /// Whether it gave what it had to.
    pub success: bool,
    /// Its output.
    pub output: Option<String>,
    /// Why it failed.
    pub error_message: Option<String>,
    /// How long it took, in seconds.
    pub duration_seconds: Option<f64>,
    /// The client's session.
    pub session_id: Option<String>,
    /// When it ended, RFC 3339 UTC.
    pub timestamp: String,
    /// How often the client was started.
    pub attempts: u32,
    /// Who acts next, where it failed and was classified.
    pub class: Option<Class>,
    /// Whether a tool was called in its session, so that the session goes on instead of beginning anew.
    #[serde(default)]
    pub called_a_tool: bool,
    /// The exit code that says how it ended.
    #[serde(default)]
    pub exit: u8,
}

/// The state of a run, as its file holds it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RunState {
    /// The version of this shape.
    pub schema_version: u32,
    /// The run: 16 hexadecimal digits, which its processes carry in `FAILWISE_RUN`.
    pub id: String,
    /// The workflow's name.
    pub workflow: String,
    /// Where it stands.
    pub status: RunStatus,
    /// When it began, RFC 3339 UTC.
    pub started: String,
    /// When the last step ended.
    pub updated: String,
    /// What was done, in order.
    pub steps: Vec<StepRecord>,
    /// What all steps cost, in dollars, as far as they tell.
    pub cost_usd: Option<f64>,
    /// The workflow's file.
    pub definition: String,
    /// The folder that its command files lie in; None for one that comes with Failwise.
    pub folder: Option<String>,
    /// The inputs, as long as a step may need them.
    pub inputs: BTreeMap<String, String>,
    /// Outputs as they are, as long as a later step needs them.
    pub outputs: BTreeMap<String, String>,
    /// What the client is given besides.
    pub flags: Vec<String>,
}

impl RunState {
    /// The version of the shape.
    pub const SCHEMA_VERSION: u32 = 1;

    /// A run that begins.
    pub fn new(id: String, workflow: &Workflow, definition: &str, now: &str) -> Self {
        Self {
            schema_version: Self::SCHEMA_VERSION,
            id,
            workflow: workflow.name.clone(),
            status: RunStatus::Running,
            started: now.to_owned(),
            updated: now.to_owned(),
            definition: definition.to_owned(),
            ..Self::default()
        }
    }

    /// The value of an input or of a finished step's output.
    pub fn value(&self, name: &str) -> Option<String> {
        self.outputs.get(name).or_else(|| self.inputs.get(name)).cloned()
    }

    /// The index of the step that comes next: the first that is not done.
    pub fn next(&self, workflow: &Workflow) -> usize {
        let done: BTreeSet<&str> =
            self.steps.iter().filter(|step| step.success).map(|step| step.step.as_str()).collect();
        workflow.steps.iter().position(|step| !done.contains(step.name.as_str())).unwrap_or(workflow.steps.len())
    }

    /// Takes in what a step came to. `output` is its output as it is; it is kept where a later step needs it.
    pub fn take(&mut self, workflow: &Workflow, mut record: StepRecord, output: Option<&str>) {
        self.updated.clone_from(&record.timestamp);
        record.output = output.map(kept_text);
        record.error_message = record.error_message.as_deref().map(kept_text);
        let (name, success) = (record.step.clone(), record.success);
        self.steps.retain(|known| known.step != name);
        self.steps.push(record);
        if let Some(output) = output.filter(|_| success) {
            self.outputs.insert(name, output.to_owned());
        }
        let next = self.next(workflow);
        let needed = workflow.needed_from(next);
        self.outputs.retain(|name, _| needed.contains(name.as_str()));
        self.status = match success {
            false => RunStatus::Failed,
            true if next == workflow.steps.len() => RunStatus::Completed,
            true => RunStatus::Running,
        };
    }

    /// Takes away what only steps need: the run is over.
    pub fn forget_values(&mut self) {
        self.inputs.clear();
        self.outputs.clear();
    }

    /// The output of the last step, for people.
    pub fn last_output(&self) -> Option<&str> {
        self.steps.last()?.output.as_deref()
    }
}

/// A text of an agent as it may be kept and shown.
fn kept_text(text: &str) -> String {
    start(&redact(text), SHOWN).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workflow() -> Workflow {
        Workflow::parse(
            "name = \"w\"\ninputs = [\"a\"]\n[[step]]\nname = \"one\"\ncommand = \"c\"\n[[step]]\nname = \"two\"\ncommand = \"c\"\narguments = [\"{one}\"]",
        )
        .unwrap()
    }

    fn record(step: &str, success: bool) -> StepRecord {
        StepRecord { step: step.to_owned(), success, ..StepRecord::default() }
    }

    #[test]
    fn outputs_are_kept_as_they_are_only_while_a_step_needs_them() {
        let secret = "token ghp_0123456789abcdefghijABCDEFGHIJ012345";
        let workflow = workflow();
        let mut state = RunState::new("id".to_owned(), &workflow, "", "now");
        state.take(&workflow, record("one", true), Some(secret));
        assert_eq!((state.value("one").as_deref(), state.status), (Some(secret), RunStatus::Running));
        assert!(!state.steps[0].output.as_ref().unwrap().contains("ghp_"));
        state.take(&workflow, record("two", false), None);
        assert_eq!((state.next(&workflow), state.status), (1, RunStatus::Failed));
        assert_eq!(state.value("one").as_deref(), Some(secret));
        state.take(&workflow, record("two", true), Some("x"));
        assert_eq!((state.steps.len(), state.next(&workflow), state.status), (2, 2, RunStatus::Completed));
        assert!(state.outputs.is_empty());
        assert_eq!(state.last_output(), Some("x"));
    }
}
