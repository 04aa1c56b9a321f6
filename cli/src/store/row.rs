//! Rows of the base, and the values of `knowledge` that they hold.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::gate::KnownNames;
use crate::knowledge::{HeardRow, Learned, Met, OpenSum, Passed, PatternRow, Planned, Sum, Tried, without_hidden};
use crate::model::{Signature, words};

words! {
    /// What a row holds.
    pub enum RowKind {
        /// A failure that was met.
        Met = "met",
        /// A fix that stood between two runs.
        Tried = "tried",
        /// A pass.
        Passed = "passed",
        /// Something that an agent was told.
        Heard = "heard",
        /// A recovery strategy that an agent followed.
        Planned = "planned",
        /// Counts of another machine.
        Sum = "sum",
        /// How often another machine met a failure that has no fix.
        Open = "open",
        /// What other machines say of a test case.
        Case = "case",
        /// What a person said of a pattern.
        Word = "word",
    }
}

impl RowKind {
    /// Whether a session's own run of events says it, so that the best source of the session says all of it.
    pub(super) fn is_of_session(self) -> bool {
        matches!(self, Self::Met | Self::Tried | Self::Passed)
    }
}

/// One value with the key that it counts once by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredRow {
    /// The project, by its name in the state directory.
    pub project: String,
    /// What it holds.
    pub kind: RowKind,
    /// The session; of counts the machine.
    pub session: String,
    /// The call; of counts the month.
    pub call: String,
    /// The fix, or what passed; nothing where the call says it all.
    pub what: String,
    /// How much its source knows: a transcript more than a history.
    pub rank: i64,
    /// The value as JSON.
    pub body: String,
}

impl StoredRow {
    /// Whether both tell of the same, so that one of them counts.
    pub fn is_of_same(&self, other: &Self) -> bool {
        self.kind == other.kind
            && self.call == other.call
            && self.session == other.session
            && self.what == other.what
            && self.project == other.project
    }

    pub(super) fn of<T: Serialize>(project: &str, kind: RowKind, key: [&str; 3], rank: i64, value: &T) -> Self {
        let [session, call, what] = key.map(str::to_owned);
        let body = serde_json::to_string(value).unwrap_or_default();
        Self { project: project.to_owned(), kind, session, call, what, rank, body }
    }
}

/// The rows of what sessions taught.
pub(super) fn rows_of(project: &str, rank: i64, learned: &Learned) -> Vec<StoredRow> {
    let mut rows = Vec::new();
    for met in &learned.met {
        rows.push(StoredRow::of(project, RowKind::Met, [&met.session, &met.call, ""], rank, met));
    }
    for tried in &learned.tried {
        rows.push(StoredRow::of(project, RowKind::Tried, [&tried.session, &tried.call, &tried.fix.id], rank, tried));
    }
    for passed in &learned.passed {
        rows.push(StoredRow::of(project, RowKind::Passed, [&passed.session, "", &passed.what], rank, passed));
    }
    for heard in &learned.heard {
        rows.push(StoredRow::of(project, RowKind::Heard, [&heard.session, &heard.call, ""], rank, heard));
    }
    for planned in &learned.planned {
        rows.push(StoredRow::of(project, RowKind::Planned, [&planned.session, &planned.plan, ""], rank, planned));
    }
    rows
}

/// What rows taught, in the order of time. Of another version of signatures nothing is compared.
pub(super) fn learned_of<'r>(rows: impl Iterator<Item = &'r StoredRow>) -> Learned {
    let (mut learned, mut patterns) = (Learned::default(), KnownPatterns::new());
    rows.for_each(|row| learn(&mut learned, &mut patterns, row));
    ordered(learned)
}

/// The patterns that were read, each once.
pub(super) type KnownPatterns = BTreeSet<Arc<PatternRow>>;

/// Adds the value of a row. Equal patterns are kept once.
pub(super) fn learn(learned: &mut Learned, patterns: &mut KnownPatterns, row: &StoredRow) {
    match row.kind {
        RowKind::Met => {
            let Some(mut met) = value::<Met>(row).filter(|met| is_current(met.pattern.version)) else { return };
            match patterns.get(&met.pattern) {
                Some(known) => met.pattern = Arc::clone(known),
                None => drop(patterns.insert(Arc::clone(&met.pattern))),
            }
            learned.met.push(met);
        }
        RowKind::Tried => learned.tried.extend(value::<Tried>(row)),
        RowKind::Passed => learned.passed.extend(value::<Passed>(row)),
        RowKind::Heard => learned.heard.extend(value::<HeardRow>(row)),
        RowKind::Planned => learned.planned.extend(value::<Planned>(row)),
        RowKind::Sum => {
            let sum = value::<Sum>(row).filter(|sum| is_current(sum.pattern.version));
            learned.sums.extend(sum.map(|sum| Sum { machine: row.session.clone(), ..sum }));
        }
        RowKind::Open => {
            let open = value::<OpenSum>(row).filter(|open| is_current(open.pattern.version));
            learned.open.extend(open.map(|open| OpenSum { machine: row.session.clone(), ..open }));
        }
        RowKind::Case | RowKind::Word => {}
    }
}

fn ordered(mut learned: Learned) -> Learned {
    learned.met.sort_unstable_by(|a, b| (a.at, &a.session, &a.call).cmp(&(b.at, &b.session, &b.call)));
    learned.tried.sort_by(|a, b| (a.at, &a.session, &a.call, &a.fix.id).cmp(&(b.at, &b.session, &b.call, &b.fix.id)));
    learned.passed.sort_by(|a, b| (a.at, &a.session, &a.what).cmp(&(b.at, &b.session, &b.what)));
    learned.heard.sort_by(|a, b| (a.at, &a.session, &a.call).cmp(&(b.at, &b.session, &b.call)));
    learned.planned.sort_by(|a, b| (a.at, &a.session, &a.plan).cmp(&(b.at, &b.session, &b.plan)));
    learned
}

/// The values of rows without what may hold a secret, and without times that no clock has shown. `names` are those of the project,
/// where they are known; `now` is in milliseconds since 1970.
pub(super) fn told_of(learned: Learned, names: Option<&KnownNames>, now: u64) -> Learned {
    let mut learned = ordered(learned);
    let is_past = |at: u64| is_of_a_clock(at, now);
    learned.met.retain(|met| is_past(met.at));
    learned.tried.retain(|tried| is_past(tried.at));
    learned.passed.retain(|passed| is_past(passed.at));
    learned.sums.retain(|sum| is_past(sum.at));
    learned.open.retain(|open| is_past(open.at));
    without_hidden(&mut learned, names);
    learned
}

/// Before 2020 nothing was recorded, in milliseconds since 1970.
const BEGINS: u64 = 1_577_836_800_000;
/// How far the clocks of two machines may be apart, and how far the middle of a month may lie ahead: 16 days.
const AHEAD: u64 = 16 * 24 * 60 * 60 * 1000;

/// Whether a time may have been when something was recorded.
pub(super) fn is_of_a_clock(at: u64, now: u64) -> bool {
    (BEGINS..=now.saturating_add(AHEAD)).contains(&at)
}

/// The value of a row; None where another version wrote it in another shape.
pub(super) fn value<T: for<'de> Deserialize<'de>>(row: &StoredRow) -> Option<T> {
    serde_json::from_str(&row.body).ok()
}

fn is_current(version: u32) -> bool {
    Signature::is_made(version)
}
