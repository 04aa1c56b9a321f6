//! What people say of patterns: events of a history, and rows of the base.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::row::{RowKind, StoredRow, value};
use crate::history::{Body, Event};
use crate::knowledge::{Fix, Learned, PatternRow, Tried, Words};
use crate::time::since_1970;

/// What a person said of a pattern.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonWord {
    /// What was said.
    pub said: Saying,
    /// The pattern, by its fine signature.
    pub fine: String,
    /// When, in milliseconds since 1970.
    pub at: u64,
}

/// What may be said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Saying {
    /// These words help.
    Note(String),
    /// A fix that was learned helps, by its id.
    Confirmed(String),
    /// Nothing of it is to be told.
    Muted,
    /// What is known of it is mentioned again.
    Unmuted,
    /// What is known of it until then counts no more.
    Forgotten,
}

impl PersonWord {
    /// What an event says, where it is a person's word.
    pub fn of(event: &Event) -> Option<Self> {
        let (said, target) = match &event.body {
            Body::FixReported(plan) => {
                let words = plan.reason.clone()?;
                let said = words.strip_prefix(CONFIRMS).map(|id| Saying::Confirmed(id.to_owned()));
                (said.unwrap_or(Saying::Note(words)), plan.target.clone()?)
            }
            Body::PatternMuted(plan) if plan.reason.as_deref() == Some(FORGETS) => {
                (Saying::Forgotten, plan.target.clone()?)
            }
            Body::PatternMuted(plan) => (Saying::Muted, plan.target.clone()?),
            Body::PatternUnmuted(plan) => (Saying::Unmuted, plan.target.clone()?),
            _ => return None,
        };
        let at = since_1970(&event.ts)?;
        Some(Self { said, fine: target, at })
    }

    pub(super) fn row(&self, project: &str, event: &str) -> StoredRow {
        StoredRow::of(project, RowKind::Word, ["", event, ""], 1, self)
    }
}

/// How a report begins that names a fix which was learned.
pub const CONFIRMS: &str = "fix ";
/// The reason of a pattern that is not only muted.
pub const FORGETS: &str = "forget";

/// What people said, applied to what was learned; the patterns of which nothing is told.
pub(super) fn heed<'r>(rows: impl Iterator<Item = &'r StoredRow>, learned: &mut Learned) -> BTreeSet<String> {
    let words = rows.filter(|row| row.kind == RowKind::Word).filter_map(|row| Some((row, value::<PersonWord>(row)?)));
    let mut words: Vec<(&StoredRow, PersonWord)> = words.collect();
    words.sort_by(|(a, one), (b, other)| (one.at, &a.call).cmp(&(other.at, &b.call)));
    let mut muted = BTreeSet::new();
    let mut forgotten: BTreeMap<String, u64> = BTreeMap::new();
    for (_, word) in &words {
        match word.said {
            Saying::Muted => drop(muted.insert(word.fine.clone())),
            Saying::Unmuted => drop(muted.remove(&word.fine)),
            Saying::Forgotten => drop(forgotten.insert(word.fine.clone(), word.at)),
            Saying::Note(_) | Saying::Confirmed(_) => {}
        }
    }
    let patterns: BTreeMap<String, Arc<PatternRow>> =
        learned.met.iter().map(|met| (met.pattern.fine.clone(), met.pattern.clone())).collect();
    for (row, word) in &words {
        let Some(pattern) = patterns.get(&word.fine) else { continue };
        let fix = match &word.said {
            Saying::Note(words) => Some(Fix::new(Words::Note(words.clone()), false, pattern)),
            Saying::Confirmed(id) => known(learned, id),
            _ => None,
        };
        learned.tried.extend(fix.map(|fix| Tried {
            fix,
            fine: pattern.fine.clone(),
            coarse: pattern.coarse.clone(),
            session: BY_PERSON.to_owned(),
            call: row.call.clone(),
            at: word.at,
            worked: true,
            calls: 0,
            beside: false,
            by_person: true,
        }));
    }
    let is_over = |fine: &String, at: u64| forgotten.get(fine).is_some_and(|until| at <= *until);
    learned.met.retain(|met| !is_over(&met.pattern.fine, met.at));
    learned.tried.retain(|tried| !is_over(&tried.fine, tried.at));
    learned.planned.retain(|planned| !is_over(&planned.fine, planned.at));
    learned.sums.retain(|sum| !is_over(&sum.pattern.fine, sum.at));
    muted
}

/// The session that a person's word stands for: nobody is told less for it.
pub(super) const BY_PERSON: &str = "person";

fn known(learned: &Learned, id: &str) -> Option<Fix> {
    let tried = learned.tried.iter().map(|tried| &tried.fix);
    tried.chain(learned.sums.iter().map(|sum| &sum.fix)).find(|fix| fix.id == id).cloned()
}
