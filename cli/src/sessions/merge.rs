//! The files of one session as one: in order of time, and each thing once.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::AtomicU64;

use super::group::Session;
use super::read::{COPY, FileRead, TimedLines};
use crate::host::payload::PayloadKind;
use crate::host::transcript::{EntryNews, TranscriptEntry};
use crate::time::millis;

/// Reads the transcripts of a session. The answer has one element for each file.
pub(super) fn merge(
    session: &Session,
    with_files: bool,
    counter: &AtomicU64,
    mut each: impl FnMut(usize, TranscriptEntry),
) -> Vec<FileRead> {
    let mut wanted = |file: usize, entry: TranscriptEntry| {
        if session.is_wanted(entry.ts.as_deref()) {
            each(file, entry);
        }
    };
    // Most sessions have one file, in which nothing can be a copy of another's: no table of ids is kept for it.
    if let [only] = session.files.as_slice() {
        let mut source = TimedLines::open(0, session, only, with_files, counter);
        while let Some(entries) = source.pull() {
            for entry in entries {
                wanted(0, entry);
            }
        }
        return vec![source.finish()];
    }
    let mut copies = Copies::default();
    let mut merged = Merged::of(session, with_files, counter);
    while let Some(mut timed) = merged.take_earliest() {
        let file = timed.source.file;
        let Some(entry) = timed.ready.pop_front() else { break };
        if !copies.is_copy(file, &entry) {
            wanted(file, entry);
        } else if matches!(entry.told.event(), Some(PayloadKind::Call(_) | PayloadKind::Background { .. })) {
            timed.source.read.skip(COPY);
        }
        merged.put(timed);
    }
    merged.reads
}

/// Several transcripts that are read side by side. One is opened when the others have come to its first line, so that
/// few are open at a time.
struct Merged<'s> {
    session: &'s Session,
    with_files: bool,
    counter: &'s AtomicU64,
    /// How many files, in the order of their first lines, were opened.
    opened: usize,
    /// By [`Timed::order`], so that thousands of subagents are not looked through for each line.
    open: BTreeMap<(i64, usize), Timed<'s>>,
    reads: Vec<FileRead>,
}

impl<'s> Merged<'s> {
    fn of(session: &'s Session, with_files: bool, counter: &'s AtomicU64) -> Self {
        let reads = vec![FileRead::default(); session.files.len()];
        Self { session, with_files, counter, opened: 0, open: BTreeMap::new(), reads }
    }

    /// The transcript with the earliest entry, to be put back; None at the end of all.
    fn take_earliest(&mut self) -> Option<Timed<'s>> {
        loop {
            let first = self.open.first_key_value().map(|((now, _), _)| *now);
            let unopened = self.session.files.get(self.opened);
            let Some(next) = unopened.filter(|next| first.is_none_or(|now| next.begin() <= now)) else {
                return self.open.pop_first().map(|(_, timed)| timed);
            };
            let source = TimedLines::open(self.opened, self.session, next, self.with_files, self.counter);
            self.opened += 1;
            self.put(Timed { source, now: next.begin(), ready: VecDeque::new() });
        }
    }

    /// Puts a transcript to the others, or closes it where it ended.
    fn put(&mut self, mut timed: Timed<'s>) {
        if timed.fill() {
            self.open.insert(timed.order(), timed);
        } else if let Some(read) = self.reads.get_mut(timed.source.file) {
            *read = timed.source.finish();
        }
    }
}

/// A transcript with its next entries.
struct Timed<'s> {
    source: TimedLines<'s>,
    ready: VecDeque<TranscriptEntry>,
    /// The latest time of its lines so far: within a file, the order of lines is the order.
    now: i64,
}

impl Timed<'_> {
    fn order(&self) -> (i64, usize) {
        (self.now, self.source.file)
    }

    /// Whether any entry is left.
    fn fill(&mut self) -> bool {
        if !self.ready.is_empty() {
            return true;
        }
        self.ready.extend(self.source.pull().unwrap_or_default());
        let Some(entry) = self.ready.front() else { return false };
        // A file whose first times cannot be read goes last until one can.
        let before = if self.now == i64::MAX { i64::MIN } else { self.now };
        // A clock that goes back does not reorder a file: its entries stay at the latest time so far.
        self.now = entry.ts.as_deref().and_then(millis).map_or(self.now, |time| time.max(before));
        true
    }
}

/// What another file held already. A session that went on in another file begins with a copy of the first, and a
/// subagent's calls may be in its own file and in the session's.
#[derive(Default)]
struct Copies {
    seen: HashMap<u64, usize>,
}

impl Copies {
    fn is_copy(&mut self, file: usize, entry: &TranscriptEntry) -> bool {
        identity(entry).is_some_and(|identity| *self.seen.entry(identity).or_insert(file) != file)
    }
}

/// What two copies of an entry have in common and no other entry has; None where nothing identifies it.
fn identity(entry: &TranscriptEntry) -> Option<u64> {
    let call = entry.ids.tool_use.as_deref();
    let key = match &entry.told {
        EntryNews::Turn { turn, .. } => ("turn", turn.message.as_str()),
        EntryNews::AgentCompleted { .. } => ("agent", call?),
        EntryNews::File(_) => ("file", call?),
        EntryNews::Words(_) | EntryNews::Waited => return None,
        EntryNews::Event(kind) => match &**kind {
            PayloadKind::Background { call: ended, .. } => ("background", call.or(ended.background_task.as_deref())?),
            PayloadKind::Call(_) => ("call", call?),
            PayloadKind::Prompt { .. } => ("prompt", entry.ts.as_deref()?),
            PayloadKind::ApiError(_) => ("api error", entry.ts.as_deref()?),
            _ => return None,
        },
    };
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    Some(hasher.finish())
}
