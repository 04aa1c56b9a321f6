//! What kind of failure a run of the client was: the verdict that a hook would give, from what the stream states.

use crate::classify::{Answer, DEFAULT};
use crate::engine::{Scene, States, examine, observe};
use crate::history::{Event, session_node};
use crate::model::{
    Action, Basis, Category, Class, Ids, PlanFacts, Status, Tool, ToolCall, ToolInput, Transient, Verdict,
};
use crate::stream::{Cause, CommandExecution};
use crate::text::one_line;

/// The longest word of a client that is kept.
const WORD: usize = 60;

/// Judges the runs of one step, each with those before it in its past.
pub struct Judge {
    states: States,
    node: Option<String>,
    runs: u64,
}

impl Default for Judge {
    fn default() -> Self {
        Self { states: States::new(&DEFAULT), node: None, runs: 0 }
    }
}

impl Judge {
    /// The verdict on a run that failed; None for one that did not, and for one that was ended from outside. `now` is RFC
    /// 3339 UTC.
    pub fn verdict(&mut self, execution: &CommandExecution, now: &str) -> Option<Verdict> {
        self.verdict_on(execution.cause()?, execution.session_id.as_deref(), now)
    }

    /// The verdict on a failure of which the cause is known.
    pub fn verdict_on(&mut self, cause: &Cause, session: Option<&str>, now: &str) -> Option<Verdict> {
        let node = self.node.get_or_insert_with(|| session_node(session, None)).clone();
        let input = ToolInput::Other { summary: one_line(&cause.word, WORD) };
        let mut call = ToolCall::new(Tool::named(Tool::MODEL_API), input, Status::Failed);
        call.text = cause.text.as_str().into();
        call.ids = Ids { session: session.map(str::to_owned), ..Ids::default() };
        let scene = Scene { node: &node, ts: now, worktree: None, red_phase: false, expected_failures: &[] };
        let mut event = observe(&call, &scene);
        state_code(&mut event, cause);
        let plan = PlanFacts { node: node.clone(), ..PlanFacts::default() };
        let answer = examine(&event, &plan, &self.states.get(&node), &[], true, &DEFAULT)?.answer;
        self.runs += 1;
        self.states.step(&event, self.runs);
        let Answer::Verdict(mut verdict) = answer else { return None };
        // Words that are known and of nothing that passes by itself: usage, settings, credit, login.
        let by_words = verdict.class != Class::F1 && verdict.category != Category::Unknown;
        if cause.code.map_or(by_words, |code| code.for_people) {
            verdict.recommended_action = Action::Escalate;
        }
        Some(*verdict)
    }

    /// The state of the step's node: what its runs came to.
    pub fn state(&self) -> crate::history::State {
        self.states.get(self.node.as_deref().unwrap_or_default()).into_owned()
    }
}

/// What the stream states as a code stands over what its words were read as.
fn state_code(event: &mut Event, cause: &Cause) {
    let reading = event.execution_mut().and_then(|execution| execution.reading.as_mut());
    if let (Some(reading), Some(code)) = (reading, cause.code) {
        (reading.category, reading.basis, reading.likely) = (code.category, Some(Basis::Status), None);
        let asked = reading.transient.take().and_then(|transient| transient.retry_after_ms);
        reading.transient = code.transient.map(|hint| Transient { hint: hint.to_owned(), retry_after_ms: asked });
    }
}
