//! Verdicts that were made without knowing of an event which stands before them: its process appended without the lock,
//! or theirs did. Whoever folds the lines in next, under the lock, sees it and says so.

use crate::history::{Body, Effect, Event, session_parent};

/// The events of a gap in their order, with their places.
#[derive(Default)]
pub(super) struct DoubtfulLine(Vec<(u64, Event)>);

impl DoubtfulLine {
    pub(super) fn hear(&mut self, event: Event, at: u64) {
        self.0.push((at, event));
    }

    /// What is to be appended of the verdicts among them. `before` gives the events from a place to the first of these.
    pub(super) fn doubts(&self, mut before: impl FnMut(u64) -> Vec<Event>) -> Vec<Event> {
        let verdicts = self.0.iter().enumerate().filter(|(_, (_, event))| event.verdict().is_some());
        verdicts.filter_map(|(index, (_, verdict))| self.doubt(index, verdict, &mut before)).collect()
    }

    fn doubt(&self, index: usize, verdict: &Event, before: &mut impl FnMut(u64) -> Vec<Event>) -> Option<Event> {
        if self.is_told(verdict) {
            return None;
        }
        let failure = verdict.verdict()?.history_ref.as_ref()?;
        let earlier = self.0.get(..index)?;
        // The failure is of the same write, so that nothing stands between the two.
        let own = earlier.iter().rposition(|(_, event)| event.id == *failure)?;
        let earlier = earlier.get(..own)?;
        let reason = match verdict.read_to {
            Some(read_to) => {
                let unknown = earlier.iter().filter(|(at, _)| *at >= read_to).map(|(_, event)| event);
                let first = self.0.first().is_some_and(|(at, _)| *at > read_to);
                let older = if first { before(read_to) } else { Vec::new() };
                reason(unknown.chain(&older), verdict)
            }
            // Only who had no lock can have written between its reading and its append.
            None => reason(earlier.iter().rev().map(|(_, event)| event).take_while(|event| event.unlocked), verdict),
        };
        Some(Event::in_doubt(verdict, reason?))
    }

    fn is_told(&self, verdict: &Event) -> bool {
        let told = |event: &Event| matches!(&event.body, Body::VerdictInDoubt { verdict_id, .. } if verdict_id.as_ref() == Some(&verdict.id));
        self.0.iter().any(|(_, event)| told(event))
    }
}

/// Why a verdict might be another one if these events had been known.
fn reason<'a>(mut unknown: impl Iterator<Item = &'a Event>, verdict: &Event) -> Option<&'static str> {
    unknown.find_map(|event| {
        if event.folded_into().any(|node| node == verdict.node) {
            return Some("another event of this node came in between");
        }
        is_siblings_change(event, verdict).then_some("a sibling changed a file in between")
    })
}

fn is_siblings_change(event: &Event, verdict: &Event) -> bool {
    let Body::FailureClassified(classified) = &verdict.body else { return false };
    let is_named = || classified.plan.as_ref().is_some_and(|plan| plan.siblings.contains(&event.node));
    let session = session_parent(&event.node);
    let changes = event.execution().is_some_and(|execution| execution.effect == Effect::Files);
    changes && (session.is_some() && session == session_parent(&verdict.node) || is_named())
}
