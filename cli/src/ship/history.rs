//! What is new of a history behind a mark: the records of its verdicts, and those of the sessions that went on.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use super::mark::SentMark;
use super::record::{RecordMaker, ShipRecord};
use crate::journal::HistoryParts;
use crate::replay::Replay;

/// How much of a history is read at once, in bytes: what is held grows with this, and not with the history.
const STEP: u64 = 2 * 1024 * 1024;
/// The most of it. Where a long session goes on, all of it is read again for each step, so that steps grow with it.
const LONGEST_STEP: u64 = 8 * STEP;

/// What a step of a history gave.
#[derive(Debug)]
pub struct NewRecords {
    /// The records.
    pub records: Vec<ShipRecord>,
    /// How far it was read.
    pub mark: SentMark,
    /// The project's folder, where a call named it.
    pub root: Option<String>,
    /// Sessions that worked in a linked worktree.
    pub elsewhere: BTreeSet<String>,
}

/// What is new behind a mark, at most a step of it; None where nothing is. `root_of` gives the project's folder of a call's one.
///
/// # Errors
/// When a part of the history cannot be read.
pub fn new_records(
    parts: &HistoryParts,
    mark: &SentMark,
    maker: &RecordMaker,
    replay: impl FnOnce() -> Replay,
    root_of: impl Fn(&str) -> Option<String>,
) -> io::Result<Option<NewRecords>> {
    let from = mark.length;
    let going =
        mark.sessions.values().filter(|[_, last]| *last == from).map(|[first, _]| from - first.min(&from)).max();
    let step = going.unwrap_or_default().clamp(STEP, LONGEST_STEP);
    let new = parts.look(from..from.saturating_add(step), root_of)?;
    if new.length <= from {
        return Ok(None);
    }
    let first_of = |session: &String, first: u64| mark.sessions.get(session).map_or(first, |[first, _]| *first);
    let firsts: BTreeMap<&String, u64> =
        new.sessions.iter().map(|(session, first)| (session, first_of(session, *first))).collect();
    let start = firsts.values().copied().min().unwrap_or(from).min(from);
    let mut replay = replay();
    let (mut records, mut elsewhere, mut since) = (Vec::new(), BTreeSet::new(), None);
    parts.read(start..new.length, |at, event| {
        let Some(session) = event.session.as_ref().filter(|session| new.sessions.contains_key(*session)) else {
            return;
        };
        if event.worktree.is_some() && !elsewhere.contains(session) {
            elsewhere.insert(session.clone());
        }
        if at >= from && since.as_ref().is_none_or(|since| event.ts < *since) {
            since = Some(event.ts.clone());
        }
        records.extend(replay.take_rows(at >= from).iter().filter_map(|row| maker.verdict(row)));
        replay.event(event, at);
    })?;
    let replayed = replay.finish();
    records.extend(replayed.rows.iter().filter_map(|row| maker.verdict(row)));
    records.extend(maker.sums(&replayed.analysis, &since.unwrap_or_default()));
    let mut mark = SentMark { length: new.length, ..mark.clone() };
    for (session, first) in firsts {
        mark.sessions.insert(session.clone(), [first, new.length]);
    }
    mark.forget_old();
    Ok(Some(NewRecords { records, mark, root: new.root, elsewhere }))
}
