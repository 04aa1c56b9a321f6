//! Test runs and their cases in the base.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::base::{Base, BaseWriter};
use super::fault::StoreFault;
use super::imports::MOST_RUNS;
use super::signed;
use crate::test_runs::{
    CaseDid, CaseHealth, CaseLine, CaseStatus, Comparison, ContainerEnd, TestCase, TestRun, Trend, WINDOW, health, sort,
};

/// Which runs of a project are asked for, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunFilter {
    /// Only what came to this.
    pub status: Option<CaseStatus>,
    /// Only what began then or later, in milliseconds since 1970.
    pub since: Option<u64>,
    /// Whether runs that are known in part are left out: those of recorded calls.
    pub complete_only: bool,
    /// How many of the newest are passed over.
    pub offset: u64,
    /// The most that are given.
    pub limit: u64,
}

/// Some runs of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunPage {
    /// The runs, newest first.
    pub runs: Vec<TestRun>,
    /// How many there are of the kind that was asked for.
    pub total: u64,
}

impl RunPage {
    /// Whether there are older ones.
    pub fn has_more(&self, offset: u64) -> bool {
        offset.saturating_add(self.runs.len() as u64) < self.total
    }
}

/// What the beginning of an id names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamedRun {
    /// This run.
    One(Box<TestRun>),
    /// Several begin so.
    Several,
    /// None does.
    Unknown,
}

/// How many runs of a case are looked at for [`WINDOW`] that say something of it.
const LOOKED_AT: u64 = 4 * WINDOW as u64;

const CASE: &str = "n.name, n.suite, c.status, c.duration_ms, c.attempts, c.failed_attempts, c.error, c.container";

impl Base {
    /// Keeps a run that was imported, with its cases, in place of one with its id.
    pub fn put_run(&mut self, project: &str, run: &TestRun, cases: &[TestCase]) -> Result<(), StoreFault> {
        self.whole(|writer| writer.put_run(project, None, run, cases))
    }

    /// A run of a project by its id.
    pub fn test_run(&self, project: &str, id: &str) -> Result<Option<TestRun>, StoreFault> {
        const ASKED: &str = "SELECT body FROM test_run WHERE project = ?1 AND id = ?2";
        self.one(ASKED, [project, id], |row| body(row, 0))
    }

    /// The run that an id names, or its first four characters or more.
    pub fn run_named(&self, project: &str, beginning: &str) -> Result<NamedRun, StoreFault> {
        const ASKED: &str = "SELECT body FROM test_run WHERE project = ?1 AND substr(id, 1, length(?2)) = ?2
            AND length(?2) >= 4 ORDER BY id LIMIT 2";
        if let Some(run) = self.test_run(project, beginning)? {
            return Ok(NamedRun::One(Box::new(run)));
        }
        let found: Vec<TestRun> = self.all(ASKED, [project, beginning], |row| body(row, 0))?;
        let mut found = found.into_iter();
        Ok(match (found.next(), found.next()) {
            (Some(run), None) => NamedRun::One(Box::new(run)),
            (Some(_), Some(_)) => NamedRun::Several,
            (None, _) => NamedRun::Unknown,
        })
    }

    /// The last two runs of a project of which every case is known, the earlier one first. None where there are fewer.
    pub fn last_two_runs(&self, project: &str) -> Result<Option<(TestRun, TestRun)>, StoreFault> {
        let last = RunFilter { complete_only: true, limit: 2, ..RunFilter::default() };
        let mut runs = self.test_runs(project, &last)?.runs.into_iter();
        let (now, before) = (runs.next(), runs.next());
        Ok(before.zip(now))
    }

    /// Compares a run of a project with one before it.
    pub fn compared(&self, project: &str, before: TestRun, now: TestRun) -> Result<Comparison, StoreFault> {
        let (old, new) = (self.test_cases(project, &before.id)?, self.test_cases(project, &now.id)?);
        Ok(Comparison::of((before, old), (now, new)))
    }

    /// The cases of a run, in the order of their suites and names.
    pub fn test_cases(&self, project: &str, id: &str) -> Result<Vec<TestCase>, StoreFault> {
        let asked = format!(
            "SELECT {CASE} FROM test_run r JOIN test_case c ON c.run = r.number JOIN test_name n ON n.number = c.name
            WHERE r.project = ?1 AND r.id = ?2 ORDER BY n.suite, n.name"
        );
        self.all(&asked, [project, id], |row| case(row, 0))
    }

    /// The cases of a run that have this name, whatever their suite.
    pub fn test_case(&self, project: &str, id: &str, name: &str) -> Result<Vec<TestCase>, StoreFault> {
        let asked = format!(
            "SELECT {CASE} FROM test_name n JOIN test_run r ON r.project = n.project AND r.id = ?2
            JOIN test_case c ON c.run = r.number AND c.name = n.number
            WHERE n.project = ?1 AND n.name = ?3 ORDER BY n.suite"
        );
        self.all(&asked, [project, id, name], |row| case(row, 0))
    }

    /// Runs of a project, newest first.
    pub fn test_runs(&self, project: &str, filter: &RunFilter) -> Result<RunPage, StoreFault> {
        const WANTED: &str = "FROM test_run WHERE project = ?1 AND (?2 IS NULL OR status = ?2) AND at >= ?3
            AND (?4 = 0 OR source IS NULL)";
        let list = format!("SELECT body {WANTED} ORDER BY at DESC, id LIMIT ?5 OFFSET ?6");
        let count = format!("SELECT count(*) {WANTED}");
        let status = filter.status.map(CaseStatus::as_str);
        let since = signed(filter.since.unwrap_or_default());
        self.run(|connection| {
            let mut asked = connection.prepare(&list)?;
            let (limit, offset) = (signed(filter.limit), signed(filter.offset));
            let of = params![project, status, since, filter.complete_only, limit, offset];
            let runs = asked.query_map(of, |row| body(row, 0))?.collect::<rusqlite::Result<_>>()?;
            let mut asked = connection.prepare(&count)?;
            let of = params![project, status, since, filter.complete_only];
            let total: i64 = asked.query_row(of, |row| row.get(0))?;
            Ok(RunPage { runs, total: total.cast_unsigned() })
        })
    }

    /// How those cases of a project did, sorted, that failed in any of its runs and are wanted. The others are not held in
    /// memory: a project may have a hundred thousand that failed once.
    pub fn test_health(
        &self,
        project: &str,
        is_wanted: impl Fn(&CaseHealth) -> bool,
    ) -> Result<Vec<CaseHealth>, StoreFault> {
        self.healths(project, None, is_wanted)
    }

    /// How a case did, in each suite that has one of its name.
    pub fn health_of_case(&self, project: &str, name: &str) -> Result<Vec<CaseHealth>, StoreFault> {
        self.healths(project, Some(name), |_| true)
    }

    fn healths(
        &self,
        project: &str,
        name: Option<&str>,
        is_wanted: impl Fn(&CaseHealth) -> bool,
    ) -> Result<Vec<CaseHealth>, StoreFault> {
        let mut found = Vec::new();
        self.each_case(project, name, true, |name, suite, did| {
            found.extend(health(name, suite, did).filter(&is_wanted));
        })?;
        sort(&mut found);
        Ok(found)
    }

    /// Gives the cases of this name, else those that ever failed, each with its suite and what it did, newest first: in the runs
    /// that are known here, and as other machines say; as the team's file says, if asked. Each run is read once, however many
    /// cases it has.
    pub fn each_case(
        &self,
        project: &str,
        name: Option<&str>,
        with_team: bool,
        mut each: impl FnMut(&str, &str, &[CaseDid<'_>]),
    ) -> Result<(), StoreFault> {
        const FAILED: &str = "SELECT n.number, n.name, n.suite FROM test_name n WHERE n.project = ?1 AND ?2 IS NULL
            AND EXISTS (SELECT 1 FROM test_case c WHERE c.name = n.number AND c.failed_attempts > 0)";
        const NAMED: &str = "SELECT number, name, suite FROM test_name WHERE project = ?1 AND name = ?2";
        const ELSEWHERE: &str = "SELECT number FROM test_name WHERE project = ?1 AND name = ?2 AND suite = ?3";
        const RUNS: &str = "SELECT number, body FROM test_run WHERE project = ?1";
        const CASES: &str = "SELECT c.run, c.status, c.attempts, c.failed_attempts FROM test_case c
            JOIN test_run r ON r.number = c.run WHERE c.name = ?1 ORDER BY r.at DESC, r.id LIMIT ?2";
        let mut shared = self.shared_cases(project, name, with_team)?;
        self.run(|connection| {
            let mut asked = connection.prepare(RUNS)?;
            let runs: HashMap<i64, TestRun> =
                asked.query_map([project], |row| Ok((row.get(0)?, body(row, 1)?)))?.collect::<rusqlite::Result<_>>()?;
            let mut cases = connection.prepare(CASES)?;
            let mut own = |number: i64, name: &str, suite: &str, shared: Option<&CaseLine>| -> rusqlite::Result<()> {
                let mut did = Vec::new();
                let mut rows = cases.query(params![number, signed(LOOKED_AT)])?;
                while let Some(row) = rows.next()? {
                    let Some(run) = runs.get(&row.get(0)?) else { continue };
                    did.push(CaseDid {
                        run,
                        status: status_of(&row.get::<_, String>(1)?),
                        attempts: row.get(2)?,
                        failed_attempts: row.get(3)?,
                    });
                }
                let others = shared.map(|line| others_did(line, &did)).unwrap_or_default();
                let others = others.iter().flat_map(|(run, did)| did.iter().map(move |did| (run, did)));
                did.extend(others.map(|(run, &(status, attempts, failed_attempts))| CaseDid {
                    run,
                    status,
                    attempts,
                    failed_attempts,
                }));
                did.sort_by_key(|did| std::cmp::Reverse(did.run.at));
                each(name, suite, &did);
                Ok(())
            };
            let mut wanted = connection.prepare(if name.is_some() { NAMED } else { FAILED })?;
            let mut wanted = wanted.query(params![project, name])?;
            while let Some(row) = wanted.next()? {
                let (number, name, suite): (i64, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
                let key = (suite, name);
                let line = shared.remove(&key);
                own(number, &key.1, &key.0, line.as_ref())?;
            }
            // What never failed here, or is not known here at all.
            let mut elsewhere = connection.prepare(ELSEWHERE)?;
            for ((suite, name), line) in &shared {
                let number: Option<i64> =
                    elsewhere.query_row(params![project, name, suite], |row| row.get(0)).optional()?;
                own(number.unwrap_or(-1), name, suite, Some(line))?;
            }
            Ok(())
        })
    }

    /// The sessions whose recorded calls ran a case, the last one last.
    pub(super) fn sessions_of_case(&self, project: &str, name: &str, suite: &str) -> Result<Vec<String>, StoreFault> {
        const ASKED: &str = "SELECT r.session FROM test_name n JOIN test_case c ON c.name = n.number
            JOIN test_run r ON r.number = c.run WHERE n.project = ?1 AND n.name = ?2 AND n.suite = ?3 AND r.session <> ''
            GROUP BY r.session ORDER BY max(r.at)";
        self.all(ASKED, [project, name, suite], |row| row.get(0))
    }

    /// The trend of a project's runs since then, in milliseconds since 1970.
    pub fn test_trend(&self, project: &str, since: u64) -> Result<Trend, StoreFault> {
        let all = RunFilter { since: Some(since), complete_only: true, limit: MOST_RUNS, ..RunFilter::default() };
        Ok(Trend::of(self.test_runs(project, &all)?.runs.iter()))
    }

    /// How many runs of a project are known.
    pub(super) fn count_test_runs(&self, project: &str) -> Result<u64, StoreFault> {
        const ASKED: &str = "SELECT count(*) FROM test_run WHERE project = ?";
        let count: i64 = self.run(|connection| connection.prepare(ASKED)?.query_row([project], |row| row.get(0)))?;
        Ok(count.cast_unsigned())
    }

    /// Whether any run of a project is known.
    pub fn has_test_runs(&self, project: &str) -> Result<bool, StoreFault> {
        const ASKED: &str = "SELECT EXISTS (SELECT 1 FROM test_run WHERE project = ?)";
        self.run(|connection| connection.prepare(ASKED)?.query_row([project], |row| row.get(0)))
    }
}

/// The history that a run was recorded in: the source's number, and the session.
pub(super) type RecordedIn<'a> = (i64, &'a str);

impl BaseWriter<'_> {
    pub(super) fn put_run(
        &self,
        project: &str,
        recorded: Option<RecordedIn<'_>>,
        run: &TestRun,
        cases: &[TestCase],
    ) -> Result<(), StoreFault> {
        self.run(|connection| {
            let number = put_run(connection, project, recorded, run)?;
            put_cases(connection, project, number, cases)
        })
    }

    /// Forgets the oldest imported runs of a project where there are more than these, and the names that nothing has then.
    pub(super) fn forget_oldest_imports(&self, project: &str, most: u64) -> Result<(), StoreFault> {
        const FORGET: &str = "DELETE FROM test_run WHERE number IN (SELECT number FROM test_run
            WHERE project = ?1 AND source IS NULL ORDER BY at DESC, id LIMIT -1 OFFSET ?2)";
        const NAMES: &str = "DELETE FROM test_name WHERE project = ?1
            AND NOT EXISTS (SELECT 1 FROM test_case c WHERE c.name = test_name.number)";
        self.run(|connection| {
            if connection.prepare(FORGET)?.execute(params![project, signed(most)])? > 0 {
                connection.execute(NAMES, [project])?;
            }
            Ok(())
        })
    }
}

/// What a case did on other machines: a run, and the status, the attempts and the failed attempts of each time.
type OthersDid = Vec<(TestRun, Vec<(CaseStatus, u32, u32)>)>;

/// What other machines know of a case beyond the runs that are known here.
fn others_did(line: &CaseLine, own: &[CaseDid<'_>]) -> OthersDid {
    let is_more = |key: &str, passed: u32, failed: u32| {
        let here = own.iter().filter(|did| did.ran() && CaseLine::key_of(did.run) == key);
        let (all, lost) = here.fold((0, 0), |(all, lost), did| (all + did.attempts, lost + did.failed_attempts));
        passed > all - lost || failed > lost
    };
    let more = line.commits.iter().filter(|(key, counts)| is_more(key, counts.passed, counts.failed));
    more.map(|(key, counts)| counts.as_run(key)).collect()
}

fn put_run(
    connection: &Connection,
    project: &str,
    recorded: Option<RecordedIn<'_>>,
    run: &TestRun,
) -> rusqlite::Result<i64> {
    const PUT: &str = "INSERT INTO test_run (project, id, source, session, at, status, body)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING number";
    connection.prepare("DELETE FROM test_run WHERE project = ?1 AND id = ?2")?.execute([project, &run.id])?;
    let (source, session) = recorded.unzip();
    let body = serde_json::to_string(run).unwrap_or_default();
    let session = session.unwrap_or_default();
    let of = params![project, run.id, source, session, signed(run.at), run.status.as_str(), body];
    connection.prepare(PUT)?.query_row(of, |row| row.get(0))
}

fn put_cases(connection: &Connection, project: &str, run: i64, cases: &[TestCase]) -> rusqlite::Result<()> {
    const NAME: &str = "INSERT INTO test_name (project, name, suite) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
    const NUMBER: &str = "SELECT number FROM test_name WHERE project = ?1 AND name = ?2 AND suite = ?3";
    const PUT: &str = "INSERT OR REPLACE INTO test_case VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let mut name = connection.prepare(NAME)?;
    let mut number = connection.prepare(NUMBER)?;
    let mut put = connection.prepare(PUT)?;
    for case in cases {
        let named = [project, &case.name, &case.suite];
        name.execute(named)?;
        let named: i64 = number.query_row(named, |row| row.get(0))?;
        let container = case.container.map(ContainerEnd::as_str);
        let took = case.duration_ms.map(signed);
        let TestCase { attempts, failed_attempts, error, .. } = case;
        put.execute(params![run, named, case.status.as_str(), took, attempts, failed_attempts, error, container])?;
    }
    Ok(())
}

fn body(row: &Row<'_>, at: usize) -> rusqlite::Result<TestRun> {
    let text: String = row.get(at)?;
    serde_json::from_str(&text)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(at, rusqlite::types::Type::Text, Box::new(error)))
}

fn case(row: &Row<'_>, from: usize) -> rusqlite::Result<TestCase> {
    let status: String = row.get(from + 2)?;
    let took: Option<i64> = row.get(from + 3)?;
    let container: Option<String> = row.get(from + 7)?;
    Ok(TestCase {
        name: row.get(from)?,
        suite: row.get(from + 1)?,
        status: status_of(&status),
        duration_ms: took.map(i64::cast_unsigned),
        attempts: row.get(from + 4)?,
        failed_attempts: row.get(from + 5)?,
        error: row.get(from + 6)?,
        container: container.as_deref().and_then(ContainerEnd::from_word),
    })
}

fn status_of(word: &str) -> CaseStatus {
    CaseStatus::from_word(word).unwrap_or(CaseStatus::Skipped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_runs::RunSource;

    fn run(id: &str, at: u64, status: CaseStatus) -> TestRun {
        TestRun {
            commit: Some("c0ffee".to_owned()),
            title: Some("junit.xml".to_owned()),
            duration_ms: Some(1200),
            status,
            cases: 2,
            passed: 1,
            failed: 1,
            ..TestRun::new(id.to_owned(), RunSource::Junit, at, &[])
        }
    }

    fn case(name: &str, suite: &str, status: CaseStatus) -> TestCase {
        let error = (status == CaseStatus::Failed).then(|| "expected 1, got 2".to_owned());
        TestCase { duration_ms: Some(3), error, ..TestCase::once(name, suite, status) }
    }

    #[test]
    fn runs_are_found_by_id_by_time_and_by_case() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut base = Base::open(&folder.path().join("base.sqlite")).expect("a base");
        let (good, bad) = (case("adds", "sums", CaseStatus::Passed), case("adds", "sums", CaseStatus::Failed));
        let other = case("adds", "products", CaseStatus::Passed);
        let old = run("1", 1_000, CaseStatus::Passed);
        let new = run("2", 2_000, CaseStatus::Failed);
        assert!(!base.has_test_runs("p").expect("read"));
        base.put_run("p", &old, &[good.clone(), other.clone()]).expect("written");
        base.put_run("p", &new, std::slice::from_ref(&bad)).expect("written");
        base.put_run("q", &new, &[]).expect("written");
        // The same again changes nothing.
        base.put_run("p", &old, &[good.clone(), other.clone()]).expect("written");

        assert_eq!(base.test_run("p", "1").expect("read"), Some(old.clone()));
        assert_eq!(base.test_run("q", "1").expect("read"), None);
        assert_eq!(base.test_cases("p", "1").expect("read"), [other.clone(), good.clone()]);
        assert_eq!(base.test_case("p", "1", "adds").expect("read"), [other, good]);
        let all = RunFilter { limit: 10, ..RunFilter::default() };
        let page = base.test_runs("p", &all).expect("read");
        assert_eq!(page, RunPage { runs: vec![new.clone(), old], total: 2 });
        let failed = RunFilter { status: Some(CaseStatus::Failed), ..all.clone() };
        assert_eq!(base.test_runs("p", &failed).expect("read").runs, std::slice::from_ref(&new));
        let first = RunFilter { limit: 1, ..all.clone() };
        assert!(base.test_runs("p", &first).expect("read").has_more(0));
        let lately = RunFilter { since: Some(1_500), ..all };
        assert_eq!(base.test_runs("p", &lately).expect("read").runs, std::slice::from_ref(&new));
        assert_eq!(base.test_cases("p", &new.id).expect("read"), [bad]);
        assert!(base.has_test_runs("q").expect("read"));
    }

    #[test]
    fn a_run_is_named_by_the_beginning_of_its_id() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut base = Base::open(&folder.path().join("base.sqlite")).expect("a base");
        for id in ["abcd1111", "abcd2222", "abcde", "1"] {
            base.put_run("p", &run(id, 1_000, CaseStatus::Passed), &[]).expect("written");
        }
        let named = |beginning: &str| match base.run_named("p", beginning).expect("read") {
            NamedRun::One(run) => run.id,
            NamedRun::Several => "several".to_owned(),
            NamedRun::Unknown => "none".to_owned(),
        };
        let beginnings = ["abcd1", "abcd", "abcde", "abc", "1", "", "abcd%", "ABCD1", "abcd11111"];
        let found = ["abcd1111", "several", "abcde", "none", "1", "none", "none", "none", "none"];
        assert_eq!(beginnings.map(named), found);
        assert_eq!(base.run_named("q", "abcd1").expect("read"), NamedRun::Unknown, "of another project");
    }

    #[test]
    fn the_last_two_runs_are_those_of_which_every_case_is_known() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut base = Base::open(&folder.path().join("base.sqlite")).expect("a base");
        base.put_run("p", &run("1", 1_000, CaseStatus::Passed), &[case("adds", "", CaseStatus::Passed)])
            .expect("written");
        assert_eq!(base.last_two_runs("p").expect("read"), None);
        base.put_run("p", &run("2", 3_000, CaseStatus::Failed), &[case("adds", "", CaseStatus::Failed)])
            .expect("written");
        let recorded = TestRun::new("3".to_owned(), RunSource::History, 4_000, &[]);
        let history = |writer: &BaseWriter<'_>| {
            let source = writer.source("/h", crate::store::SourceKind::History, "p", "")?;
            writer.put_run("p", Some((source, "s")), &recorded, &[])
        };
        base.whole(history).expect("written");
        let (before, now) = base.last_two_runs("p").expect("read").expect("two");
        assert_eq!([before.id.as_str(), now.id.as_str()], ["1", "2"]);
        let compared = base.compared("p", before, now).expect("read");
        assert_eq!(compared.new_failures.len(), 1, "{compared:?}");
    }
}
