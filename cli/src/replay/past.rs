//! What a replay gives for looking back: each session with what it taught and did.

use std::collections::BTreeMap;

use super::Replayed;
use crate::knowledge::{BacktestPast, Learned};
use crate::time::since_1970;

impl Replayed {
    /// The sessions that were replayed, with what they taught: a history may hold many. Nothing where no learner was given.
    pub fn past(self) -> Vec<BacktestPast> {
        let Self { analysis, taught, .. } = self;
        let mut all: BTreeMap<String, BacktestPast> = BTreeMap::new();
        for session in &analysis.sessions {
            let moment = |ts: &Option<String>| since_1970(ts.as_ref()?);
            let span = (moment(&session.started).unwrap_or_default(), moment(&session.ended).unwrap_or(u64::MAX));
            let root = taught.roots.get(&session.id).cloned().unwrap_or_default();
            all.insert(session.id.clone(), BacktestPast { root, span, ..BacktestPast::default() });
        }
        for deed in taught.deeds {
            if let Some(past) = all.get_mut(&deed.session) {
                past.deeds.push(deed);
            }
        }
        let Learned { met, tried, passed, .. } = taught.learned;
        for row in met {
            if let Some(past) = all.get_mut(&row.session) {
                past.learned.met.push(row);
            }
        }
        for row in tried {
            if let Some(past) = all.get_mut(&row.session) {
                past.learned.tried.push(row);
            }
        }
        for row in passed {
            if let Some(past) = all.get_mut(&row.session) {
                past.learned.passed.push(row);
            }
        }
        all.into_values().collect()
    }
}
