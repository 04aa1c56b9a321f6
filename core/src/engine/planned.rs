//! What a call that did not fail means for the plan: it went against a constraint, or changed what another task changes.

use super::past::Past;
use super::step::{Engine, Step};
use crate::advice::{agent, person};
use crate::classify::violated;
use crate::conflicts::{Conflict, ConflictKind, Layer, Overlap};
use crate::digest::hex16;
use crate::history::{Body, Effect, Event, Execution, PlanEvent, State, is_ignored, is_session};
use crate::model::{PlanFacts, Topic};

impl Engine<'_> {
    /// What of the plan a call meets that did something and did not fail, each once. Where nobody is bound to a node of a
    /// plan, nothing is asked.
    pub(super) fn met_in_plan(&self, event: &Event, state: &State, past: &mut dyn Past) -> Option<Step> {
        let execution = event.execution().filter(|execution| execution.effect != Effect::None)?;
        if is_session(self.node) {
            return None;
        }
        let plan = self.around.plan(self.node, &execution.files_touched);
        plan.tier?;
        self.violation(event, execution, &plan, state).or_else(|| self.overlap(event, execution, &plan, state, past))
    }

    fn violation(&self, event: &Event, execution: &Execution, plan: &PlanFacts, state: &State) -> Option<Step> {
        let operation = execution.operation.as_ref()?;
        let (constraint, why) = violated(plan, operation, &execution.files_touched)?;
        let target = Some(constraint.from.clone());
        let met = PlanEvent { target, reason: Some(why.clone()), ..PlanEvent::default() };
        let key = met.constraint()?;
        let is_told = state.was_told(Topic::Constraint, &key, &key);
        // Told once a constraint, recorded once a file.
        let is_known = |path: &str| why.contains(&format!("`{}`", plan.in_project(path)));
        if is_told && state.changed_files().any(|(path, _)| is_known(path)) {
            return None;
        }
        let id = hex16(&["constraint_violated", self.node, &event.id]);
        let violation = Event::new(id, self.now, self.node, &event.ids(), Body::ConstraintViolated(met));
        if is_told {
            return Some(Step { events: vec![violation], ..Step::default() });
        }
        let notice = person::after_violation(self.node, &why);
        let events = vec![violation, self.person_told(&event.ids(), &notice)];
        Some(Step { events, advice: Some(agent::after_violation(&why)), notice: Some(notice), ..Step::default() })
    }

    fn overlap(
        &self,
        event: &Event,
        execution: &Execution,
        plan: &PlanFacts,
        state: &State,
        past: &mut dyn Past,
    ) -> Option<Step> {
        let elsewhere = plan.elsewhere().filter(|foreign| foreign.active).map(|foreign| &foreign.task);
        let at_work: Vec<String> = plan.active_siblings.iter().chain(elsewhere).cloned().collect();
        if at_work.is_empty() || execution.files_touched.is_empty() {
            return None;
        }
        let others = past.siblings(self.node, &at_work);
        let changed = |other: &State, file: &String| {
            !file.ends_with('/') && other.changed_files().any(|(changed, _)| changed == file)
        };
        let ignored = self.around.settings().ignored();
        let files = execution.files_touched.iter().filter(|file| !is_ignored(plan.in_project(file), &ignored));
        let mut met = files.filter_map(|file| Some((file, others.iter().find(|other| changed(other, file))?)));
        met.find_map(|(file, other)| {
            let file = plan.in_project(file);
            let overlap = Overlap { files: vec![file.to_owned()], functions: None };
            let id = Conflict::id_of([self.node, &other.node], Layer::L1, ConflictKind::FileOverlap, &overlap);
            if [state, other].iter().any(|state| state.was_told(Topic::Conflict, &id, &id)) {
                return None;
            }
            let met = PlanEvent {
                target: Some(other.node.clone()),
                conflict_id: Some(id.clone()),
                reason: Some(Conflict::found_in(Layer::L1, ConflictKind::FileOverlap, &[file])),
            };
            let event_id = hex16(&["conflict_detected", self.node, &event.id]);
            let detected = Event::new(event_id, self.now, self.node, &event.ids(), Body::ConflictDetected(met));
            let advice = Some(agent::after_overlap(file, &other.node, &id));
            Some(Step { events: vec![detected], advice, ..Step::default() })
        })
    }
}
