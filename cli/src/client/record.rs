//! What a step leaves in the project's history.

use super::step::{StepEnd, Why};
use crate::digest::hex16;
use crate::history::{Body, Event, State, StepSummary, session_node};
use crate::journal::Journal;
use crate::model::Ids;
use crate::place::Place;
use crate::redact::redact;
use crate::stream::Ending;
use crate::text::one_line;

/// The longest name that is kept.
const NAME: usize = 100;

/// The state of the project's retries, which the policy looks at.
pub fn project_retries(place: &Place) -> Option<State> {
    Journal::in_dir(&place.dir).peek(crate::history::PROJECT)
}

/// Appends what a step came to, as one event.
///
/// # Errors
/// When the history cannot be written.
pub fn record(place: &Place, run: &str, workflow: Option<&str>, name: &str, end: &StepEnd) -> std::io::Result<()> {
    let execution = &end.execution;
    let verdict = execution.verdict.as_ref().or(end.retried.as_ref());
    let kept = |text: &str| one_line(&redact(text), NAME);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "seconds of a run, cut to their range")]
    let duration_ms = (execution.duration_seconds.unwrap_or_default() * 1000.0).clamp(0.0, 1e15) as u64;
    let step = StepSummary {
        run: run.to_owned(),
        workflow: workflow.map(kept),
        name: kept(name),
        success: execution.success && end.why == Why::Ended,
        has_result: execution.ending() == Ending::Text,
        attempts: end.attempts,
        duration_ms,
        cost_usd: end.cost_usd,
        class: verdict.map(|verdict| verdict.class),
        category: verdict.map(|verdict| verdict.category),
        reason: execution.terminal_reason.as_deref().or(execution.subtype.as_deref()).map(kept),
    };
    let now = super::stamp();
    // An id from a stream is anybody's words.
    let session = execution.session_id.as_deref().filter(|id| is_id(id)).map(str::to_owned);
    let node = session_node(session.as_deref(), None);
    let ids = Ids { session, ..Ids::default() };
    let event = Event::new(
        hex16(&["step_ended", run, name, &now]),
        &now,
        &node,
        &ids,
        Body::StepEnded { step: Box::new(step) },
    );
    Journal::in_dir(&place.dir).begin_locked()?.append(&mut [event])
}

fn is_id(text: &str) -> bool {
    text.len() <= NAME && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}
