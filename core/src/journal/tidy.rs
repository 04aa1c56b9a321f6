//! States that nobody asks for any more: of sessions and subagents that ended long ago. They can go, because the marks in
//! the lock's file tell of each that it was there: what comes back all the same is folded again from the history.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use super::ledger::Journal;
use super::lock::Lock;
use super::states::{STATE, files};
use super::{LOCK, Stored, StoredKind};

/// So many states are left alone.
const FEW: u64 = 512;
/// The most that are taken away at once, so that a session does not begin late.
const MOST_AT_ONCE: usize = 1024;
/// What was written since is never taken away: a session may still go on.
const IN_USE: Duration = Duration::from_hours(24);
/// What was not written for so long is taken away, however few there are beside it.
const FORGOTTEN: Duration = Duration::from_hours(7 * 24);

impl Journal {
    /// The states that were last written so long before `now`, oldest first; none of the last day.
    pub fn stale_states(&self, age: Duration, now: SystemTime) -> Vec<Stored> {
        let mut states = self.dated_states();
        states.retain(|(written, _)| now.duration_since(*written).is_ok_and(|since| since >= age.max(IN_USE)));
        states.into_iter().map(|(_, stored)| stored).collect()
    }

    /// Where there are many states, takes away those that were not written for a week, and of more than 512 the oldest
    /// but for those of the last day. At most 1,024 at once. Tells how many.
    ///
    /// # Errors
    /// When the lock cannot be had, or a state cannot be taken away.
    pub fn tidy(&self, now: SystemTime) -> io::Result<usize> {
        // Few are not even listed.
        if Lock::look(&self.dir.join(LOCK)).is_none_or(|covered| covered.states <= FEW) {
            return Ok(0);
        }
        let states = self.dated_states();
        let surplus = states.len().saturating_sub(usize::try_from(FEW).unwrap_or(usize::MAX));
        let since = |written: &SystemTime| now.duration_since(*written).unwrap_or_default();
        let is_stale = |(index, (written, _)): &(usize, &(SystemTime, Stored))| {
            let limit = if *index < surplus { IN_USE } else { FORGOTTEN };
            since(written) >= limit
        };
        let stale = states.iter().enumerate().filter(is_stale).take(MOST_AT_ONCE);
        let stale: Vec<PathBuf> = stale.map(|(_, (_, stored))| stored.path.clone()).collect();
        self.begin()?.drop_states(&stale, states.len() as u64)
    }

    /// The states with the times at which they were written, oldest first.
    fn dated_states(&self) -> Vec<(SystemTime, Stored)> {
        let paths = files(&self.dir.join(STATE)).unwrap_or_default().into_iter();
        let dated = paths.filter_map(|path| {
            let meta = fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?;
            Some((meta.modified().ok()?, Stored { path, kind: StoredKind::State, bytes: meta.len() }))
        });
        let mut states: Vec<_> = dated.collect();
        states.sort_by(|(one, first), (other, second)| (one, &first.path).cmp(&(other, &second.path)));
        states
    }
}
