//! Failed test cases as they were diagnosed: what the base counts of each pattern. Every count comes from an event of a
//! history, once, however often that is read.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::base::{Base, BaseWriter};
use super::fault::StoreFault;
use super::signed;
use crate::argus::{
    BuiltIn, CategoryCounts, FailureCategory, FixRecord, KnownCaseRow, KnownPattern, MOST_FIXES, MOST_WEIGHED, Matched,
};
use crate::history::{Body, CaseNote, Event};
use crate::knowledge::CaseReport;
use crate::time::since_1970;

/// The tables of this file, each of which has a project.
pub(super) const CASE_TABLES: [&str; 4] = ["case_pattern", "case_category", "case_fix", "case_event"];

/// What a pattern counts before and after a fix was reported for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseFixed {
    /// How many fixes had worked, and how many had been tried, before this one; none of a pattern that was not known.
    pub before: Option<(u64, u64)>,
    /// The same with this one.
    pub after: (u64, u64),
    /// How often it was diagnosed.
    pub occurrences: u64,
}

/// Which patterns of a project are asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PatternFilter {
    /// Only those of this category.
    pub category: Option<FailureCategory>,
    /// Only those that hold these words, or have a fix that does, in any case of letters.
    pub words: Option<String>,
    /// In which order.
    pub sort: CaseSort,
    /// The most that are given.
    pub limit: u64,
}

/// An order of patterns; in each the largest comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CaseSort {
    /// How often they were diagnosed.
    #[default]
    Occurrences,
    /// How sure their fixes are.
    Confidence,
    /// When they were met last.
    LastSeen,
}

/// Some patterns of a project.
#[derive(Debug, Clone, PartialEq)]
pub struct CasePage {
    /// The patterns.
    pub patterns: Vec<KnownPattern>,
    /// How many there are of the kind that was asked for.
    pub total: u64,
}

const PATTERN: &str = "category, signature, pattern, occurrences, tried, resolutions, first_seen, last_seen";

impl Base {
    /// Counts the diagnosis of a failed case, and gives all that is known of it.
    pub fn diagnose_case(&mut self, project: &str, event: &Event, note: &CaseNote) -> Result<Matched, StoreFault> {
        self.whole(|writer| {
            let is_new = writer.run(|connection| pattern(connection, project, &note.signature))?.is_none();
            writer.count_diagnosis(project, event, note)?;
            writer.run(|connection| matched(connection, project, note, is_new))
        })
    }

    /// Keeps a fix that was reported.
    pub fn report_case_fix(&mut self, project: &str, event: &Event, note: &CaseNote) -> Result<CaseFixed, StoreFault> {
        self.whole(|writer| {
            let counts = |writer: &BaseWriter<'_>| -> Result<Option<(u64, u64, u64)>, StoreFault> {
                if let Some(built_in) = BuiltIn::named(&note.signature) {
                    let counts = writer.run(|connection| category(connection, project, built_in.category))?;
                    return Ok(Some((counts.resolutions, counts.tried, counts.occurrences)));
                }
                let row = writer.run(|connection| pattern(connection, project, &note.signature))?;
                Ok(row.map(|row| (row.resolutions, row.tried, row.occurrences)))
            };
            let before = counts(writer)?.map(|(worked, tried, _)| (worked, tried));
            writer.count_report(project, event, note)?;
            let (worked, tried, occurrences) = counts(writer)?.unwrap_or_default();
            Ok(CaseFixed { before, after: (worked, tried), occurrences })
        })
    }

    /// A pattern by its signature, or by the id that answers give it.
    pub fn case_pattern(&self, project: &str, named: &str) -> Result<Option<KnownCaseRow>, StoreFault> {
        let begins = named.strip_prefix("learned-").unwrap_or(named);
        let is_digits = begins.len() >= 16 && begins.bytes().all(|b| b.is_ascii_hexdigit());
        if !is_digits {
            return Ok(None);
        }
        let asked = format!(
            "SELECT {PATTERN} FROM case_pattern WHERE project = ?1 AND signature >= ?2 AND signature < ?3 LIMIT 1"
        );
        let begins = begins.to_ascii_lowercase();
        // The first text behind all that begin so.
        let behind = format!("{begins}g");
        self.one(&asked, [project, &begins, &behind], pattern_of)
    }

    /// Whether anything was diagnosed in a project.
    pub fn has_cases(&self, project: &str) -> Result<bool, StoreFault> {
        const ASKED: &str = "SELECT EXISTS (SELECT 1 FROM case_pattern WHERE project = ?)";
        self.run(|connection| connection.prepare(ASKED)?.query_row([project], |row| row.get(0)))
    }

    /// What a category counts.
    pub fn case_category(&self, project: &str, of: FailureCategory) -> Result<CategoryCounts, StoreFault> {
        self.run(|connection| category(connection, project, of))
    }

    /// Patterns of a project that were met.
    pub fn case_patterns(&self, project: &str, filter: &PatternFilter) -> Result<CasePage, StoreFault> {
        const WANTED: &str = "FROM case_pattern WHERE project = ?1 AND (?2 IS NULL OR category = ?2)
            AND (?3 IS NULL OR instr(lower(pattern), ?3) > 0 OR EXISTS (SELECT 1 FROM case_fix f
                WHERE f.project = ?1 AND f.signature = case_pattern.signature AND instr(lower(f.words), ?3) > 0))";
        let order = match filter.sort {
            CaseSort::Occurrences => "occurrences DESC, last_seen DESC",
            CaseSort::Confidence => "(tried > 0) DESC, (resolutions + 1.0) / (tried + 2) DESC, occurrences DESC",
            CaseSort::LastSeen => "last_seen DESC",
        };
        let list = format!("SELECT {PATTERN} {WANTED} ORDER BY {order}, signature LIMIT ?4");
        let count = format!("SELECT count(*) {WANTED}");
        let of = filter.category.map(FailureCategory::as_str);
        let words = filter.words.as_ref().map(|words| words.to_ascii_lowercase());
        self.run(|connection| {
            let mut asked = connection.prepare(&list)?;
            let rows: rusqlite::Result<Vec<KnownCaseRow>> =
                asked.query_map(params![project, of, words, signed(filter.limit)], pattern_of)?.collect();
            let with_fixes = rows?.into_iter().map(|row| {
                let fixes = fixes_of(connection, project, &row.signature)?;
                Ok(KnownPattern::learned(&row, &fixes))
            });
            let patterns = with_fixes.collect::<rusqlite::Result<_>>()?;
            let total: i64 = connection.prepare(&count)?.query_row(params![project, of, words], |row| row.get(0))?;
            Ok(CasePage { patterns, total: total.cast_unsigned() })
        })
    }
}

impl Base {
    /// The fixes that were reported for cases of a project, in the order of time. A case that passed in a later run than the
    /// one that failed confirms the report; what people say is not read.
    pub fn case_reports(&self, project: &str) -> Result<Vec<CaseReport>, StoreFault> {
        const ASKED: &str = "SELECT f.id, f.name, f.signature, p.pattern, f.words, f.success, f.at, EXISTS (
                SELECT 1 FROM test_run failed JOIN test_name n ON n.project = failed.project AND n.name = f.name
                JOIN test_case c ON c.name = n.number AND c.status = 'passed'
                JOIN test_run passed ON passed.number = c.run AND passed.at > failed.at
                WHERE failed.project = f.project AND failed.id = f.run)
            FROM case_fix f JOIN case_pattern p ON p.project = f.project AND p.signature = f.signature
            WHERE f.project = ?1 ORDER BY f.at, f.id";
        self.all(ASKED, [project], |row| {
            Ok(CaseReport {
                id: row.get(0)?,
                case: row.get(1)?,
                signature: row.get(2)?,
                pattern: row.get(3)?,
                words: row.get(4)?,
                success: row.get(5)?,
                at: number(row, 6)?,
                confirmed: row.get(7)?,
                by_person: false,
            })
        })
    }
}

impl BaseWriter<'_> {
    /// Counts what an event says of a failed case, if it says anything.
    pub(super) fn count_case(&self, project: &str, event: &Event) -> Result<(), StoreFault> {
        match &event.body {
            Body::CaseDiagnosed { case: note } => self.count_diagnosis(project, event, note),
            Body::CaseFixReported { case: note } => self.count_report(project, event, note),
            _ => Ok(()),
        }
    }

    fn count_diagnosis(&self, project: &str, event: &Event, note: &CaseNote) -> Result<(), StoreFault> {
        const ONCE: &str = "INSERT INTO case_event (project, id) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
        const COUNT: &str = "INSERT INTO case_pattern VALUES (?1, ?2, ?3, ?4, 1, 0, 0, ?5, ?5)
            ON CONFLICT DO UPDATE SET occurrences = occurrences + 1, first_seen = min(first_seen, ?5),
            last_seen = max(last_seen, ?5) RETURNING resolutions";
        let at = at_of(event);
        self.run(|connection| {
            if connection.prepare(ONCE)?.execute([project, &event.id])? == 0 {
                return Ok(());
            }
            let of = params![project, note.signature, note.category, note.pattern, at];
            let resolutions: i64 = connection.prepare(COUNT)?.query_row(of, |row| row.get(0))?;
            add(connection, project, &note.category, at, [i64::from(resolutions == 0), 0, 0])
        })
    }

    fn count_report(&self, project: &str, event: &Event, note: &CaseNote) -> Result<(), StoreFault> {
        const OWN: &str = "UPDATE case_fix SET of_category = 0 WHERE project = ?1 AND signature = ?2";
        let known = self.run(|connection| pattern(connection, project, &note.signature))?;
        let success = note.success.unwrap_or(true);
        let is_built_in = BuiltIn::named(&note.signature).is_some();
        let worked_before = known.as_ref().is_some_and(|row| row.resolutions > 0);
        let of_category = is_built_in || (!worked_before && !success);
        let at = at_of(event);
        self.run(|connection| {
            if !keep_fix(connection, project, event, note, of_category)? {
                return Ok(());
            }
            if is_built_in {
                return add(connection, project, &note.category, at, [0, 1, i64::from(success)]);
            }
            count_fix(connection, project, note, at, success)?;
            let row = known.as_ref();
            match (worked_before, success) {
                (true, _) => Ok(()),
                (false, false) => add(connection, project, &note.category, at, [0, 1, 0]),
                (false, true) => {
                    // From now on the pattern answers for itself.
                    let left = |count: Option<u64>| -count.unwrap_or_default().cast_signed();
                    let taken = [left(row.map(|row| row.occurrences)), left(row.map(|row| row.tried)), 0];
                    add(connection, project, &note.category, at, taken)?;
                    connection.prepare(OWN)?.execute([project, &note.signature]).map(drop)
                }
            }
        })
    }
}

/// Keeps a fix, and says whether it counts: who says the same of a case, its run and words again adds nothing, and a case that
/// failed in a run can have been fixed once, in whatever words.
fn keep_fix(
    connection: &Connection,
    project: &str,
    event: &Event,
    note: &CaseNote,
    of_category: bool,
) -> rusqlite::Result<bool> {
    const PUT: &str = "INSERT INTO case_fix SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10 WHERE NOT EXISTS (
        SELECT 1 FROM case_fix WHERE project = ?1 AND signature = ?3 AND run = ?6 AND name = ?7
        AND lower(words) = lower(?8) AND success = ?9) ON CONFLICT DO NOTHING";
    const SAME: &str = "SELECT count(*) FROM case_fix WHERE project = ?1 AND signature = ?2 AND run = ?3 AND name = ?4
        AND run <> '' AND success = ?5";
    let CaseNote { run, name, category, signature, fix, success, .. } = note;
    let (words, success) = (fix.as_deref().unwrap_or_default(), success.unwrap_or(true));
    let of = params![project, event.id, signature, category, of_category, run, name, words, success, at_of(event)];
    let is_kept = connection.prepare(PUT)?.execute(of)? > 0;
    let same: i64 = connection.query_row(SAME, params![project, signature, run, name, success], |row| row.get(0))?;
    Ok(is_kept && same < 2)
}

fn count_fix(connection: &Connection, project: &str, note: &CaseNote, at: i64, success: bool) -> rusqlite::Result<()> {
    const COUNT: &str = "INSERT INTO case_pattern VALUES (?1, ?2, ?3, ?4, 0, 1, ?6, ?5, ?5)
        ON CONFLICT DO UPDATE SET tried = tried + 1, resolutions = resolutions + ?6";
    let of = params![project, note.signature, note.category, note.pattern, at, success];
    connection.prepare(COUNT)?.execute(of).map(drop)
}

/// Adds to what a category counts: occurrences, fixes tried, fixes that worked.
fn add(connection: &Connection, project: &str, category: &str, at: i64, counts: [i64; 3]) -> rusqlite::Result<()> {
    const ADD: &str = "INSERT INTO case_category VALUES (?1, ?2, ?4, ?5, ?6, ?3, ?3) ON CONFLICT DO UPDATE SET
        occurrences = max(0, occurrences + ?4), tried = max(0, tried + ?5), resolutions = max(0, resolutions + ?6),
        first_seen = min(first_seen, ?3), last_seen = max(last_seen, ?3)";
    let [occurrences, tried, resolutions] = counts;
    connection.prepare(ADD)?.execute(params![project, category, at, occurrences, tried, resolutions]).map(drop)
}

fn pattern(connection: &Connection, project: &str, signature: &str) -> rusqlite::Result<Option<KnownCaseRow>> {
    let asked = format!("SELECT {PATTERN} FROM case_pattern WHERE project = ?1 AND signature = ?2");
    connection.prepare(&asked)?.query_row([project, signature], pattern_of).optional()
}

fn matched(connection: &Connection, project: &str, note: &CaseNote, is_new: bool) -> rusqlite::Result<Matched> {
    let row = pattern(connection, project, &note.signature)?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    let fixes = if row.tried == 0 { Vec::new() } else { fixes_of(connection, project, &row.signature)? };
    let category = category(connection, project, row.category)?;
    let category_fixes = if row.resolutions > 0 || category.tried == 0 {
        Vec::new()
    } else {
        fixes_of_category(connection, project, row.category)?
    };
    Ok(Matched { row, is_new, fixes, category, category_fixes })
}

fn category(connection: &Connection, project: &str, of: FailureCategory) -> rusqlite::Result<CategoryCounts> {
    const ASKED: &str = "SELECT occurrences, tried, resolutions, first_seen, last_seen FROM case_category
        WHERE project = ?1 AND category = ?2";
    let counts = connection.prepare(ASKED)?.query_row([project, of.as_str()], |row| {
        Ok(CategoryCounts {
            occurrences: number(row, 0)?,
            tried: number(row, 1)?,
            resolutions: number(row, 2)?,
            first_seen: number(row, 3)?,
            last_seen: number(row, 4)?,
        })
    });
    Ok(counts.optional()?.unwrap_or_default())
}

const FIX: &str = "id, run, name, words, success, at";

fn fixes_of(connection: &Connection, project: &str, signature: &str) -> rusqlite::Result<Vec<FixRecord>> {
    let asked = format!(
        "SELECT {FIX} FROM case_fix WHERE project = ?1 AND signature = ?2 ORDER BY at DESC, id DESC LIMIT {MOST_WEIGHED}"
    );
    connection.prepare(&asked)?.query_map([project, signature], fix_of)?.collect()
}

fn fixes_of_category(connection: &Connection, project: &str, of: FailureCategory) -> rusqlite::Result<Vec<FixRecord>> {
    let asked = format!(
        "SELECT {FIX} FROM case_fix WHERE project = ?1 AND category = ?2 AND of_category = 1
        ORDER BY at DESC, id DESC LIMIT {MOST_FIXES}"
    );
    connection.prepare(&asked)?.query_map([project, of.as_str()], fix_of)?.collect()
}

fn pattern_of(row: &Row<'_>) -> rusqlite::Result<KnownCaseRow> {
    let category: String = row.get(0)?;
    Ok(KnownCaseRow {
        category: FailureCategory::from_word(&category).unwrap_or(FailureCategory::Unknown),
        signature: row.get(1)?,
        pattern: row.get(2)?,
        occurrences: number(row, 3)?,
        tried: number(row, 4)?,
        resolutions: number(row, 5)?,
        first_seen: number(row, 6)?,
        last_seen: number(row, 7)?,
    })
}

fn fix_of(row: &Row<'_>) -> rusqlite::Result<FixRecord> {
    Ok(FixRecord {
        id: row.get(0)?,
        run: row.get(1)?,
        case: row.get(2)?,
        words: row.get(3)?,
        success: row.get(4)?,
        at: number(row, 5)?,
    })
}

fn number(row: &Row<'_>, at: usize) -> rusqlite::Result<u64> {
    Ok(u64::try_from(row.get::<_, i64>(at)?).unwrap_or_default())
}

fn at_of(event: &Event) -> i64 {
    since_1970(&event.ts).map_or(0, signed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::argus::{CaseFailure, answer, sign};
    use crate::history::HISTORY_NODE;
    use crate::model::Ids;

    const REFUSED: &str = "connect ECONNREFUSED 127.0.0.1:3000";

    fn base() -> (tempfile::TempDir, Base) {
        let folder = tempfile::tempdir().expect("a folder");
        let base = Base::open(&folder.path().join("base.sqlite")).expect("a base");
        (folder, base)
    }

    fn note(case: &str, error: &str) -> CaseNote {
        let signed = sign(case, &CaseFailure { error, ..CaseFailure::default() });
        CaseNote {
            run: "r1".to_owned(),
            name: case.to_owned(),
            category: signed.category.to_string(),
            signature: signed.signature,
            pattern: signed.pattern,
            ..CaseNote::default()
        }
    }

    fn fix(case: &str, error: &str, words: &str, success: bool) -> CaseNote {
        CaseNote { fix: Some(words.to_owned()), success: Some(success), ..note(case, error) }
    }

    fn event(id: u32, note: &CaseNote) -> Event {
        let note = Box::new(note.clone());
        let body =
            if note.fix.is_some() { Body::CaseFixReported { case: note } } else { Body::CaseDiagnosed { case: note } };
        let ts = format!("2026-09-02T08:{:02}:{:02}.000Z", id / 60, id % 60);
        Event::new(format!("{id:016x}"), &ts, HISTORY_NODE, &Ids::default(), body)
    }

    fn diagnosed(base: &mut Base, id: u32, case: &str, error: &str) -> Matched {
        let note = note(case, error);
        base.diagnose_case("p", &event(id, &note), &note).expect("a base")
    }

    #[test]
    fn a_reported_fix_becomes_the_suggestion() {
        let (_folder, mut base) = base();
        let first = answer(&diagnosed(&mut base, 1, "a", "odd thing 7"), true);
        assert!(first.is_new_pattern && first.pattern.is_none());
        let note = fix("a", "odd thing 7", "turn it off and on", true);
        let fixed = base.report_case_fix("p", &event(2, &note), &note).expect("a base");
        assert_eq!((fixed.before, fixed.after, fixed.occurrences), (Some((0, 0)), (1, 1), 1));
        let second = answer(&diagnosed(&mut base, 3, "a", "odd thing 7"), true);
        assert_eq!(second.suggested_fix.as_deref(), Some("an agent reported: turn it off and on"));
        assert_eq!(second.pattern.map(|pattern| pattern.occurrences), Some(2));
        assert_eq!(second.fix_history.len(), 1);
    }

    #[test]
    fn a_built_in_counts_what_no_own_fix_solved() {
        let (_folder, mut base) = base();
        diagnosed(&mut base, 1, "a", REFUSED);
        diagnosed(&mut base, 2, "b", REFUSED);
        let failed = fix("a", REFUSED, "wait", false);
        base.report_case_fix("p", &event(3, &failed), &failed).expect("a base");
        let built_in = answer(&diagnosed(&mut base, 4, "b", REFUSED), true);
        let pattern = built_in.pattern.expect("the built-in");
        assert_eq!((pattern.id.as_str(), pattern.occurrences), ("builtin-conn-refused", 3));
        assert_eq!(built_in.confidence, Some(1.0 / 3.0));
        assert_eq!(built_in.fix_history[0].case_name, "a");
        // Its own fix takes a pattern away from the built-in, with all that was counted of it.
        let worked = fix("a", REFUSED, "start it first", true);
        base.report_case_fix("p", &event(5, &worked), &worked).expect("a base");
        let own = answer(&diagnosed(&mut base, 6, "a", REFUSED), true);
        assert_eq!(
            (own.suggested_fix.as_deref(), own.confidence),
            (Some("an agent reported: start it first"), Some(0.5))
        );
        assert_eq!(own.fix_history.len(), 2);
        let pattern = own.pattern.expect("its own");
        assert!(own.fix_history.iter().all(|fix| fix.pattern_id == pattern.id));
        let other = answer(&diagnosed(&mut base, 7, "b", REFUSED), true);
        let pattern = other.pattern.expect("the built-in");
        assert_eq!((pattern.occurrences, other.confidence, other.fix_history.len()), (3, Some(0.5), 0));
    }

    #[test]
    fn a_fix_of_the_built_in_itself_counts_there() {
        let (_folder, mut base) = base();
        diagnosed(&mut base, 1, "a", REFUSED);
        let note = CaseNote {
            category: "CONNECTION_REFUSED".to_owned(),
            signature: "builtin::CONNECTION_REFUSED".to_owned(),
            pattern: "ECONNREFUSED *:*".to_owned(),
            fix: Some("raised startPeriod".to_owned()),
            success: Some(true),
            ..CaseNote::default()
        };
        let fixed = base.report_case_fix("p", &event(2, &note), &note).expect("a base");
        assert_eq!((fixed.before, fixed.after), (Some((0, 0)), (1, 1)));
        let told = answer(&diagnosed(&mut base, 3, "a", REFUSED), true);
        let pattern = told.pattern.expect("the built-in");
        assert_eq!((pattern.resolutions, told.confidence), (1, Some(2.0 / 3.0)));
        assert_eq!(told.fix_history[0].pattern_id, "builtin-conn-refused");
    }

    #[test]
    fn the_same_report_of_a_case_and_its_run_counts_once() {
        let (_folder, mut base) = base();
        let same = fix("a", "odd thing 7", "turn it off and on", true);
        let others = [
            CaseNote { run: "r2".to_owned(), ..same.clone() },
            CaseNote { fix: Some("wait".to_owned()), ..same.clone() },
            CaseNote { fix: Some("Turn it OFF and on".to_owned()), ..same.clone() },
            CaseNote { success: Some(false), ..same.clone() },
        ];
        let mut last = (0, 0);
        for (id, note) in (1..).zip(std::iter::repeat_n(&same, 30).chain(&others)) {
            last = base.report_case_fix("p", &event(id, note), note).expect("a base").after;
            assert!(id > 30 || last == (1, 1), "{id}: {last:?}");
        }
        assert_eq!(last, (2, 3), "a case that failed in a run was fixed once");
    }

    #[test]
    fn an_event_counts_once_and_projects_apart() {
        let (_folder, mut base) = base();
        let (asked, tried) = (note("a", REFUSED), fix("a", REFUSED, "wait", false));
        let events = [event(1, &asked), event(2, &tried)];
        for project in ["p", "p", "q"] {
            base.whole(|writer| events.iter().try_for_each(|event| writer.count_case(project, event))).expect("a base");
        }
        for project in ["p", "q"] {
            let row = base.case_pattern(project, &asked.signature).expect("a base").expect("a row");
            assert_eq!((row.occurrences, row.tried), (1, 1), "{project}");
            let counts = base.case_category(project, FailureCategory::ConnectionRefused).expect("a base");
            assert_eq!((counts.occurrences, counts.tried), (1, 1), "{project}");
        }
        assert!(base.has_cases("p").expect("a base") && !base.has_cases("r").expect("a base"));
        base.whole(|writer| writer.forget_project("p")).expect("a base");
        assert!(!base.has_cases("p").expect("a base") && base.has_cases("q").expect("a base"));
    }

    #[test]
    fn two_at_once_make_one_row() {
        let (folder, _base) = base();
        let path = folder.path().join("base.sqlite");
        let note = note("a", "odd thing");
        let threads: Vec<_> = (0..2)
            .map(|number| {
                let (path, note) = (path.clone(), note.clone());
                std::thread::spawn(move || {
                    let mut base = Base::open(&path).expect("a base");
                    base.diagnose_case("p", &event(number, &note), &note).expect("a base").is_new
                })
            })
            .collect();
        let new = threads.into_iter().map(|thread| thread.join().expect("a thread"));
        assert_eq!(new.filter(|new| *new).count(), 1);
        let base = Base::open(&path).expect("a base");
        let row = base.case_pattern("p", &note.signature).expect("a base").expect("a row");
        assert_eq!(row.occurrences, 2);
    }

    #[test]
    fn patterns_are_found_by_words_and_category_in_order() {
        let (_folder, mut base) = base();
        for (id, case, error) in
            [(1, "a", REFUSED), (2, "b", "request timeout"), (3, "b", "request timeout"), (4, "c", "odd")]
        {
            diagnosed(&mut base, id, case, error);
        }
        let tried = fix("c", "odd", "patched it", true);
        base.report_case_fix("p", &event(5, &tried), &tried).expect("a base");
        let found = |filter: PatternFilter| -> Vec<String> {
            let page = base.case_patterns("p", &PatternFilter { limit: 10, ..filter }).expect("a base");
            assert_eq!(page.total, page.patterns.len() as u64);
            page.patterns.into_iter().map(|pattern| pattern.description).collect()
        };
        assert_eq!(found(PatternFilter::default())[0], "b: request timeout");
        let by = |sort| PatternFilter { sort, ..PatternFilter::default() };
        assert_eq!(found(by(CaseSort::Confidence))[0], "c: odd");
        assert_eq!(found(by(CaseSort::LastSeen))[0], "c: odd");
        let of = |category, words: Option<&str>| PatternFilter {
            category,
            words: words.map(str::to_owned),
            ..PatternFilter::default()
        };
        assert_eq!(found(of(Some(FailureCategory::Timeout), None)), ["b: request timeout"]);
        assert_eq!(found(of(None, Some("econn"))), ["a: connect ECONNREFUSED <IP>:<PORT>"]);
        let short = base.case_pattern("p", &format!("learned-{}", &note("c", "odd").signature[..16]));
        assert_eq!(short.expect("a base").expect("a row").resolutions, 1);
    }
}
