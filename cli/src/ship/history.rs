//! What is new of a history behind a mark: the records of its verdicts, and those of the sessions that went on.

use std::io;

use super::mark::SentMark;
use super::record::{RecordMaker, ShipRecord};
use crate::journal::{HistoryParts, NewSessions};
use crate::replay::Replay;

/// How much of a history is read at once, in bytes: what is held grows with this, and not with the history.
const STEP: u64 = 2 * 1024 * 1024;
/// The most of it. Where a long session goes on, all of it is read again for each step, so that steps grow with it.
const LONGEST_STEP: u64 = 8 * STEP;

/// A step of a history: what is new in it behind a mark.
#[derive(Debug)]
pub struct HistoryStep<'m> {
    before: &'m SentMark,
    /// The sessions that went on, each with where it begins, and what else was seen of them.
    pub new: NewSessions,
}

impl<'m> HistoryStep<'m> {
    /// The one behind a mark; None where nothing is. `root_of` gives the project's folder of a call's one.
    pub fn behind(
        before: &'m SentMark,
        parts: &HistoryParts,
        root_of: impl Fn(&str) -> Option<String>,
    ) -> io::Result<Option<Self>> {
        let from = before.length;
        let look = |step: u64| -> io::Result<Self> {
            let mut new = parts.look(from..from.saturating_add(step), &root_of)?;
            for (session, first) in &mut new.sessions {
                *first = before.sessions.get(session).map_or(*first, |[first, _]| *first);
            }
            Ok(Self { before, new })
        };
        let mut step = look(STEP)?;
        let again = from - step.start();
        if again > STEP {
            step = look(again.min(LONGEST_STEP))?;
        }
        Ok((step.new.length > from).then_some(step))
    }

    /// Where the first of its sessions begins, which are read again from there.
    fn start(&self) -> u64 {
        self.new.sessions.values().copied().fold(self.before.length, u64::min)
    }

    /// The mark behind it.
    pub fn mark(&self) -> SentMark {
        let mut mark = SentMark { length: self.new.length, ..self.before.clone() };
        let sessions = self.new.sessions.iter();
        mark.sessions.extend(sessions.map(|(session, first)| (session.clone(), [*first, self.new.length])));
        mark.forget_old();
        mark
    }

    /// Gives the records of its verdicts as they are met, then those of the sessions that went on.
    pub fn records(
        &self,
        parts: &HistoryParts,
        maker: &RecordMaker,
        mut replay: Replay,
        mut each: impl FnMut(&ShipRecord),
    ) -> io::Result<()> {
        let from = self.before.length;
        let mut since: Option<String> = None;
        parts.read(self.start()..self.new.length, |at, event| {
            if !event.session.as_ref().is_some_and(|session| self.new.sessions.contains_key(session)) {
                return;
            }
            if at >= from && since.as_ref().is_none_or(|since| event.ts < *since) {
                since = Some(event.ts.clone());
            }
            replay.take_rows(at >= from).iter().filter_map(|row| maker.verdict(row)).for_each(|it| each(&it));
            replay.event(event, at);
        })?;
        let (replayed, since) = (replay.finish(), since.unwrap_or_default());
        let verdicts = replayed.rows.iter().filter_map(|row| maker.verdict(row));
        verdicts.chain(maker.sums(&replayed.analysis, &since)).for_each(|it| each(&it));
        Ok(())
    }
}
