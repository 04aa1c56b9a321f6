//! The base itself: one SQLite file, opened by commands only.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, Params, TransactionBehavior, params};

use super::cases::CASE_TABLES;
use super::fault::StoreFault;
use super::row::{RowKind, StoredRow, learned_of};
use super::word::heed;
use crate::journal::make_private_dir;
use crate::knowledge::Planned;
use crate::model::words;

/// How long a command waits for another one that writes.
const PATIENCE: Duration = Duration::from_secs(10);

/// What makes each version of the schema of the one before, the first of an empty file. `user_version` is how many of them
/// a base has been through; one with more is a newer Failwise's.
const MIGRATIONS: &[&str] = &["
    -- What was learned from, and how far: `mark` is the source's own kind of cursor.
    CREATE TABLE source (
        id      INTEGER PRIMARY KEY,
        path    TEXT NOT NULL UNIQUE,
        kind    TEXT NOT NULL CHECK (kind IN ('history', 'transcript', 'gone', 'import', 'team')),
        project TEXT NOT NULL,
        mark    TEXT NOT NULL DEFAULT ''
    );
    -- Where the sessions of a history begin in it: one that goes on is read again from there, and no other.
    CREATE TABLE span (
        source  INTEGER NOT NULL REFERENCES source ON DELETE CASCADE,
        session TEXT NOT NULL,
        first   INTEGER NOT NULL,
        PRIMARY KEY (source, session)
    ) WITHOUT ROWID;
    -- What a source taught: one value of `knowledge` a row, as JSON. What two sources tell of the same call counts once,
    -- by `rank`, then by the text.
    CREATE TABLE lesson (
        source  INTEGER NOT NULL REFERENCES source ON DELETE CASCADE,
        project TEXT NOT NULL,
        kind    TEXT NOT NULL,
        session TEXT NOT NULL,
        call    TEXT NOT NULL,
        what    TEXT NOT NULL,
        rank    INTEGER NOT NULL,
        body    TEXT NOT NULL,
        PRIMARY KEY (source, project, kind, session, call, what)
    ) WITHOUT ROWID;
    CREATE INDEX lesson_of_project ON lesson (project, kind, session, call, what, rank DESC, body DESC);
    -- Projects by their names in the state directory, with their folders where these are known.
    CREATE TABLE project (
        name TEXT PRIMARY KEY,
        root TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE meta (
        key   TEXT PRIMARY KEY,
        value TEXT NOT NULL
    ) WITHOUT ROWID;
", "
    -- Runs of tests: of files that were imported, which have no source, and of the calls that a history recorded.
    CREATE TABLE test_run (
        number  INTEGER PRIMARY KEY,
        project TEXT NOT NULL,
        id      TEXT NOT NULL,
        source  INTEGER REFERENCES source ON DELETE CASCADE,
        session TEXT NOT NULL DEFAULT '',
        at      INTEGER NOT NULL,
        status  TEXT NOT NULL CHECK (status IN ('passed', 'failed', 'skipped')),
        body    TEXT NOT NULL,
        UNIQUE (project, id)
    );
    CREATE INDEX test_run_by_time ON test_run (project, at DESC, id);
    CREATE INDEX test_run_of_source ON test_run (source, session);
    -- What cases are called, each once: a run has thousands of them, a project hundreds of runs.
    CREATE TABLE test_name (
        number  INTEGER PRIMARY KEY,
        project TEXT NOT NULL,
        name    TEXT NOT NULL,
        suite   TEXT NOT NULL,
        UNIQUE (project, name, suite)
    );
    CREATE TABLE test_case (
        run             INTEGER NOT NULL REFERENCES test_run ON DELETE CASCADE,
        name            INTEGER NOT NULL REFERENCES test_name,
        status          TEXT NOT NULL CHECK (status IN ('passed', 'failed', 'skipped')),
        duration_ms     INTEGER,
        attempts        INTEGER NOT NULL CHECK (attempts >= 1),
        failed_attempts INTEGER NOT NULL CHECK (failed_attempts BETWEEN 0 AND attempts),
        error           TEXT,
        container       TEXT,
        PRIMARY KEY (run, name)
    ) WITHOUT ROWID;
    CREATE INDEX test_case_by_name ON test_case (name, run);
    CREATE INDEX test_case_that_failed ON test_case (name) WHERE failed_attempts > 0;
", "
    -- Failed test cases as they were diagnosed: what is counted of each pattern. The histories say all of it.
    CREATE TABLE case_pattern (
        project     TEXT NOT NULL,
        signature   TEXT NOT NULL,
        category    TEXT NOT NULL,
        pattern     TEXT NOT NULL,
        occurrences INTEGER NOT NULL CHECK (occurrences >= 0),
        tried       INTEGER NOT NULL CHECK (tried >= 0),
        resolutions INTEGER NOT NULL CHECK (resolutions BETWEEN 0 AND tried),
        first_seen  INTEGER NOT NULL,
        last_seen   INTEGER NOT NULL,
        PRIMARY KEY (project, signature)
    ) WITHOUT ROWID;
    CREATE INDEX case_pattern_by_count ON case_pattern (project, occurrences DESC, last_seen DESC);
    -- What is counted of a category: patterns no fix of which worked yet, and fixes that were reported for its built-in.
    CREATE TABLE case_category (
        project     TEXT NOT NULL,
        category    TEXT NOT NULL,
        occurrences INTEGER NOT NULL DEFAULT 0,
        tried       INTEGER NOT NULL DEFAULT 0,
        resolutions INTEGER NOT NULL DEFAULT 0,
        first_seen  INTEGER NOT NULL,
        last_seen   INTEGER NOT NULL,
        PRIMARY KEY (project, category)
    ) WITHOUT ROWID;
    CREATE TABLE case_fix (
        project     TEXT NOT NULL,
        id          TEXT NOT NULL,
        signature   TEXT NOT NULL,
        category    TEXT NOT NULL,
        -- Whether its category counts it.
        of_category INTEGER NOT NULL CHECK (of_category IN (0, 1)),
        run         TEXT NOT NULL,
        name        TEXT NOT NULL,
        words       TEXT NOT NULL,
        success     INTEGER NOT NULL CHECK (success IN (0, 1)),
        at          INTEGER NOT NULL,
        PRIMARY KEY (project, id)
    ) WITHOUT ROWID;
    CREATE INDEX case_fix_of_pattern ON case_fix (project, signature, at DESC, id DESC);
    CREATE INDEX case_fix_of_category ON case_fix (project, category, at DESC, id DESC) WHERE of_category = 1;
    -- The diagnoses that are counted: a history may be read again.
    CREATE TABLE case_event (
        project TEXT NOT NULL,
        id      TEXT NOT NULL,
        PRIMARY KEY (project, id)
    ) WITHOUT ROWID;
"];

/// The base, open. Whatever is asked of it or put into it fails where the file cannot be read or written.
#[derive(Debug)]
pub struct Base {
    connection: Connection,
    path: PathBuf,
}

/// Something that is learned from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseSource {
    /// Its number in the base.
    pub id: i64,
    /// The file or folder.
    pub path: String,
    /// What it is.
    pub kind: SourceKind,
    /// The project that it tells of, by its name in the state directory; empty where it tells of several.
    pub project: String,
    /// How far it was read.
    pub mark: String,
}

words! {
    /// What a source is.
    pub enum SourceKind {
        /// A history, with its older parts.
        History = "history",
        /// The client's files of a session.
        Transcript = "transcript",
        /// What sources taught that are gone.
        Gone = "gone",
        /// Counts of other machines, as a person imported them.
        Import = "import",
        /// The team's file of a project.
        Team = "team",
    }
}

impl Base {
    /// The version of the schema that this build writes.
    pub const VERSION: i64 = 3;

    /// Opens the base, making it where there is none, and brings it to this version.
    ///
    /// # Errors
    /// When it is no base, is damaged, is a newer Failwise's, or cannot be read or written.
    pub fn open(path: &Path) -> Result<Self, StoreFault> {
        if let Some(dir) = path.parent() {
            make_private_dir(dir).map_err(|error| StoreFault::Io(error.to_string()))?;
        }
        refuse_links(path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = Connection::open_with_flags(path, flags).map_err(|error| StoreFault::of(path, &error))?;
        let mut base = Self { connection: opened, path: path.to_owned() };
        base.prepare()?;
        Ok(base)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn prepare(&mut self) -> Result<(), StoreFault> {
        let fault = |error: rusqlite::Error| StoreFault::of(&self.path, &error);
        self.connection.busy_timeout(PATIENCE).map_err(fault)?;
        // Asked first: nothing of a newer base is touched.
        let version: i64 = self.connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(fault)?;
        if version > Self::VERSION {
            return Err(StoreFault::Newer { path: self.path.clone(), version });
        }
        for (name, value) in [("journal_mode", "WAL"), ("synchronous", "NORMAL"), ("foreign_keys", "ON")] {
            // The answer to `journal_mode` is a row, which others do not give.
            self.connection.pragma_update_and_check(None, name, value, |_| Ok(())).or_else(no_row).map_err(fault)?;
        }
        private(&self.path).map_err(|error| StoreFault::Io(error.to_string()))?;
        if version == Self::VERSION {
            return self.look().map_err(fault);
        }
        let path = self.path.clone();
        migrate(&mut self.connection).map_err(|error| StoreFault::of(&path, &error))
    }

    /// Whether the tables can be read at all.
    fn look(&self) -> rusqlite::Result<()> {
        self.connection.query_row("SELECT count(*) FROM source", [], |_| Ok(()))
    }

    /// SQLite's own check of the whole file: `ok`, or what is wrong.
    pub fn integrity(&self) -> Result<String, StoreFault> {
        self.run(|connection| connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)))
    }

    pub(super) fn run<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreFault> {
        work(&self.connection).map_err(|error| StoreFault::of(&self.path, &error))
    }

    /// Every row of the answer.
    pub(super) fn all<T>(
        &self,
        asked: &str,
        of: impl Params,
        read: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreFault> {
        self.run(|connection| connection.prepare(asked)?.query_map(of, read)?.collect())
    }

    /// The first row of the answer, where there is one.
    pub(super) fn one<T>(
        &self,
        asked: &str,
        of: impl Params,
        read: impl FnOnce(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreFault> {
        self.run(|connection| connection.prepare(asked)?.query_row(of, read).optional())
    }

    /// All of it, or nothing: what a killed process did not finish is not there.
    ///
    /// # Errors
    /// When the base cannot be read or written, or the work says so.
    pub(super) fn whole<T>(
        &mut self,
        work: impl FnOnce(&BaseWriter<'_>) -> Result<T, StoreFault>,
    ) -> Result<T, StoreFault> {
        let path = self.path.clone();
        let fault = |error: rusqlite::Error| StoreFault::of(&path, &error);
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fault)?;
        let done = work(&BaseWriter { connection: &transaction, path: &path })?;
        transaction.commit().map_err(fault)?;
        Ok(done)
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) -> Result<(), StoreFault> {
        let tables = ["source", "project", "meta", "test_run", "test_name"].into_iter().chain(CASE_TABLES);
        self.whole(|writer| {
            writer.run(|connection| {
                for table in tables {
                    connection.execute(&format!("DELETE FROM {table}"), [])?;
                }
                Ok(())
            })
        })
    }

    /// Everything that is learned from, in the order of its paths.
    pub fn sources(&self) -> Result<Vec<BaseSource>, StoreFault> {
        self.all("SELECT id, path, kind, project, mark FROM source ORDER BY path", [], source_of)
    }

    /// A source by its path.
    pub fn source(&self, path: &str) -> Result<Option<BaseSource>, StoreFault> {
        self.one("SELECT id, path, kind, project, mark FROM source WHERE path = ?", [path], source_of)
    }

    /// Where these sessions of a history begin, as far as they were met before.
    pub(super) fn spans<'s>(
        &self,
        source: i64,
        sessions: impl Iterator<Item = &'s String>,
    ) -> Result<BTreeMap<String, u64>, StoreFault> {
        self.run(|connection| {
            let mut asked = connection.prepare("SELECT first FROM span WHERE source = ?1 AND session = ?2")?;
            let first = |session: &String| {
                let first = asked.query_row(params![source, session], |row| row.get::<_, i64>(0)).optional();
                Some((session.clone(), first.transpose()?))
                    .map(|(session, first)| Ok((session, first?.cast_unsigned())))
            };
            sessions.filter_map(first).collect()
        })
    }

    /// The names of all projects that something is known of.
    pub fn projects(&self) -> Result<Vec<String>, StoreFault> {
        self.all("SELECT DISTINCT project FROM lesson ORDER BY project", [], |row| row.get(0))
    }

    /// The folder of a project, where it is known.
    pub fn root(&self, project: &str) -> Result<Option<String>, StoreFault> {
        self.one("SELECT root FROM project WHERE name = ?", [project], |row| row.get(0))
    }

    /// What is known of a project, of all projects without one: of each call what the best source tells, with that source's
    /// kind.
    pub fn rows(&self, project: Option<&str>) -> Result<Vec<(SourceKind, StoredRow)>, StoreFault> {
        let mut rows = Vec::new();
        self.each_row(project, |kind, row| rows.push((kind, row)))?;
        Ok(rows)
    }

    /// The same one by one: they may be more than is to be held.
    pub(super) fn each_row(
        &self,
        project: Option<&str>,
        mut take: impl FnMut(SourceKind, StoredRow),
    ) -> Result<(), StoreFault> {
        const RANKS: &str = "SELECT session, max(rank) FROM lesson
            WHERE (?1 IS NULL OR project = ?1) AND kind IN ('met', 'tried', 'passed') GROUP BY session";
        const ASKED: &str = "SELECT s.kind, l.project, l.kind, l.session, l.call, l.what, l.rank, l.body
            FROM lesson l JOIN source s ON s.id = l.source WHERE ?1 IS NULL OR l.project = ?1
            ORDER BY l.project, l.kind, l.session, l.call, l.what, l.rank DESC, l.body DESC, s.path";
        // Of each session counts what the source tells that knows most of it: two may see the same call in different words.
        let ranks = self.all(RANKS, [project], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let best: BTreeMap<String, i64> = ranks.into_iter().collect();
        let is_best =
            |row: &StoredRow| !row.kind.is_of_session() || best.get(&row.session).is_none_or(|best| row.rank >= *best);
        self.run(|connection| {
            let mut asked = connection.prepare(ASKED)?;
            let mut last: Option<(SourceKind, StoredRow)> = None;
            let mut rows = asked.query([project])?;
            while let Some(row) = rows.next()? {
                let (Some(kind), Some(read)) = (kind_of(&row.get::<_, String>(0)?), row_of(row, 1)?) else { continue };
                if last.as_ref().is_some_and(|(_, last)| last.is_of_same(&read)) {
                    continue;
                }
                if let Some((kind, row)) = last.replace((kind, read)).filter(|(_, row)| is_best(row)) {
                    take(kind, row);
                }
            }
            last.filter(|(_, row)| is_best(row)).into_iter().for_each(|(kind, row)| take(kind, row));
            Ok(())
        })
    }

    /// What agents followed in a project, and what persons said of it.
    pub(super) fn said(&self, project: &str) -> Result<Vec<StoredRow>, StoreFault> {
        const ASKED: &str = "SELECT project, kind, session, call, what, rank, body FROM lesson
            WHERE project = ? AND kind IN ('planned', 'word')";
        Ok(self.all(ASKED, [project], |row| row_of(row, 0))?.into_iter().flatten().collect())
    }

    /// The recovery strategies that agents followed in a project, but for those of failures that a person had forgotten.
    pub fn planned(&self, project: &str) -> Result<Vec<Planned>, StoreFault> {
        let rows = self.said(project)?;
        let mut learned = learned_of(rows.iter());
        heed(rows.iter(), &mut learned);
        Ok(learned.planned)
    }

    /// What one source taught, by its path.
    pub(super) fn rows_of(&self, path: &str) -> Result<Vec<StoredRow>, StoreFault> {
        self.run(|connection| taught_by(connection, path))
    }

    /// A word that the base keeps of itself.
    pub fn meta(&self, key: &str) -> Result<Option<String>, StoreFault> {
        self.one("SELECT value FROM meta WHERE key = ?", [key], |row| row.get(0))
    }
}

/// What may be written, inside a transaction.
pub(super) struct BaseWriter<'a> {
    connection: &'a Connection,
    path: &'a Path,
}

impl BaseWriter<'_> {
    pub(super) fn run<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreFault> {
        work(self.connection).map_err(|error| StoreFault::of(self.path, &error))
    }

    /// Keeps a source and how far it was read, and gives its number.
    pub(super) fn source(&self, path: &str, kind: SourceKind, project: &str, mark: &str) -> Result<i64, StoreFault> {
        const PUT: &str = "INSERT INTO source (path, kind, project, mark) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (path) DO UPDATE SET kind = ?2, project = ?3, mark = ?4 RETURNING id";
        self.run(|connection| {
            connection.prepare(PUT)?.query_row(params![path, kind.as_str(), project, mark], |row| row.get(0))
        })
    }

    /// Forgets a source with all that it taught.
    pub(super) fn forget_source(&self, source: i64) -> Result<(), StoreFault> {
        self.run(|connection| connection.execute("DELETE FROM source WHERE id = ?", [source]).map(drop))
    }

    /// Forgets what a source taught: of one session, or all of it.
    pub(super) fn forget_rows(&self, source: i64, session: Option<&str>) -> Result<(), StoreFault> {
        const FORGET: [&str; 2] = [
            "DELETE FROM lesson WHERE source = ?1 AND (?2 IS NULL OR session = ?2)",
            "DELETE FROM test_run WHERE source = ?1 AND (?2 IS NULL OR session = ?2)",
        ];
        self.run(|connection| {
            FORGET.iter().try_for_each(|forget| connection.prepare(forget)?.execute(params![source, session]).map(drop))
        })
    }

    /// Keeps what a source taught. Of two rows of the same key the better one stays.
    pub(super) fn put(&self, source: i64, rows: &[StoredRow]) -> Result<(), StoreFault> {
        const PUT: &str = "INSERT INTO lesson (source, project, kind, session, call, what, rank, body)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT DO UPDATE SET rank = ?7, body = ?8
            WHERE (?7, ?8) > (rank, body)";
        self.run(|connection| {
            let mut put = connection.prepare(PUT)?;
            for row in rows {
                let StoredRow { project, kind, session, call, what, rank, body } = row;
                put.execute(params![source, project, kind.as_str(), session, call, what, rank, body])?;
            }
            Ok(())
        })
    }

    /// Keeps where the sessions of a history begin.
    pub(super) fn put_spans<'s>(
        &self,
        source: i64,
        spans: impl Iterator<Item = (&'s str, u64)>,
    ) -> Result<(), StoreFault> {
        const PUT: &str = "INSERT INTO span (source, session, first) VALUES (?1, ?2, ?3)
            ON CONFLICT DO UPDATE SET first = min(first, ?3)";
        self.run(|connection| {
            let mut put = connection.prepare(PUT)?;
            for (session, first) in spans {
                put.execute(params![source, session, first.cast_signed()])?;
            }
            Ok(())
        })
    }

    /// Forgets where the sessions of a history begin.
    pub(super) fn forget_spans(&self, source: i64) -> Result<(), StoreFault> {
        self.run(|connection| connection.execute("DELETE FROM span WHERE source = ?", [source]).map(drop))
    }

    /// Keeps the folder of a project.
    pub(super) fn put_root(&self, project: &str, root: &str) -> Result<(), StoreFault> {
        const PUT: &str = "INSERT INTO project (name, root) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET root = ?2";
        self.run(|connection| connection.prepare(PUT)?.execute([project, root]).map(drop))
    }

    /// Keeps a word that the base says of itself.
    pub(super) fn put_meta(&self, key: &str, value: &str) -> Result<(), StoreFault> {
        const PUT: &str = "INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2";
        self.run(|connection| connection.prepare(PUT)?.execute([key, value]).map(drop))
    }

    /// Forgets how far sources were read, so that all of them are read again.
    pub(super) fn forget_cursors(&self) -> Result<(), StoreFault> {
        self.run(|connection| connection.execute("UPDATE source SET mark = ''", []).map(drop))
    }

    /// What a source taught, by its path.
    pub(super) fn rows_of(&self, path: &str) -> Result<Vec<StoredRow>, StoreFault> {
        self.run(|connection| taught_by(connection, path))
    }

    /// Forgets everything that is known of a project, wherever it came from.
    pub(super) fn forget_project(&self, project: &str) -> Result<(), StoreFault> {
        self.run(|connection| {
            for table in ["lesson", "source", "test_run", "test_name"].into_iter().chain(CASE_TABLES) {
                connection.execute(&format!("DELETE FROM {table} WHERE project = ?"), [project])?;
            }
            connection.execute("DELETE FROM project WHERE name = ?", [project]).map(drop)
        })?;
        super::imports::forget_cursor(self, project)
    }
}

/// Whether each version has its migration.
const _: () = assert!(MIGRATIONS.len() == 3 && Base::VERSION == 3);

fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    loop {
        let step = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Asked inside: another process may have been here in between.
        let version: i64 = step.pragma_query_value(None, "user_version", |row| row.get(0))?;
        let Some(migration) = usize::try_from(version).ok().and_then(|version| MIGRATIONS.get(version)) else {
            return Ok(());
        };
        step.execute_batch(migration)?;
        step.pragma_update(None, "user_version", version + 1)?;
        step.commit()?;
    }
}

fn no_row(error: rusqlite::Error) -> rusqlite::Result<()> {
    if matches!(error, rusqlite::Error::QueryReturnedNoRows) { Ok(()) } else { Err(error) }
}

fn source_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<BaseSource> {
    let kind: String = row.get(2)?;
    let kind = kind_of(&kind).unwrap_or(SourceKind::Gone);
    Ok(BaseSource { id: row.get(0)?, path: row.get(1)?, kind, project: row.get(3)?, mark: row.get(4)? })
}

fn kind_of(word: &str) -> Option<SourceKind> {
    SourceKind::ALL.into_iter().find(|kind| kind.as_str() == word)
}

/// The rows of the source of a path.
fn taught_by(connection: &Connection, path: &str) -> rusqlite::Result<Vec<StoredRow>> {
    const ASKED: &str = "SELECT project, kind, session, call, what, rank, body FROM lesson
        WHERE source = (SELECT id FROM source WHERE path = ?) ORDER BY project, kind, session, call, what";
    let mut asked = connection.prepare(ASKED)?;
    let rows: rusqlite::Result<Vec<Option<StoredRow>>> = asked.query_map([path], |row| row_of(row, 0))?.collect();
    Ok(rows?.into_iter().flatten().collect())
}

/// The row whose columns begin there; None of a kind that is not known.
fn row_of(row: &rusqlite::Row<'_>, from: usize) -> rusqlite::Result<Option<StoredRow>> {
    let kind: String = row.get(from + 1)?;
    let Some(kind) = RowKind::from_word(&kind) else { return Ok(None) };
    Ok(Some(StoredRow {
        project: row.get(from)?,
        kind,
        session: row.get(from + 2)?,
        call: row.get(from + 3)?,
        what: row.get(from + 4)?,
        rank: row.get(from + 5)?,
        body: row.get(from + 6)?,
    }))
}

/// A base is a file of this user's own: what is behind a link is somebody else's.
fn refuse_links(path: &Path) -> Result<(), StoreFault> {
    match fs_err::symlink_metadata(path) {
        Ok(meta) if !meta.is_file() => Err(StoreFault::Io(format!("{}: not a regular file", path.display()))),
        _ => Ok(()),
    }
}

/// Makes the file private to the user; SQLite gives its journals the same rights.
fn private(path: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mut rights = fs_err::symlink_metadata(path)?.permissions();
        if rights.mode() & 0o077 != 0 {
            rights.set_mode(0o600);
            fs_err::set_permissions(path, rights)?;
        }
    }
    let _ = path;
    Ok(())
}

/// Whether an error says that the file is no base, or is damaged.
pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::Error as E;
    match error {
        E::SqliteFailure(failure, message) => {
            matches!(failure.code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
                // A file of the right version without the tables is no base of ours either.
                || message.as_deref().is_some_and(|message| message.starts_with("no such "))
        }
        E::SqlInputError { msg, .. } => msg.starts_with("no such "),
        E::InvalidColumnType(..)
        | E::FromSqlConversionFailure(..)
        | E::Utf8Error(..)
        | E::IntegralValueOutOfRange(..) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::argus::FailureCategory;
    use crate::store::RunFilter;
    use crate::test_runs::{CaseStatus, RunSource, TestCase, TestRun};

    /// A base as the build of an older version left it, with a row of each kind that it knew.
    fn left_by(version: usize, path: &Path) {
        const ROWS: [&str; 3] = [
            r#"INSERT INTO source VALUES (1, '/home/u/p', 'history', 'p', '{"begins":"a","length":7,"root":"/home/u/p"}');
            INSERT INTO span VALUES (1, 's1', 0);
            INSERT INTO lesson VALUES (1, 'p', 'passed', 's1', '', 'pytest', 1, '{"session":"s1","what":"pytest","at":5}');
            INSERT INTO project VALUES ('p', '/home/u/p');
            INSERT INTO meta VALUES ('learned_by', '2.1');"#,
            r#"INSERT INTO test_run VALUES (1, 'p', 'aaaa1111', NULL, '', 1000, 'failed',
                '{"id":"aaaa1111","source":"junit","at":"1970-01-01T00:00:01.000Z","complete":true,"status":"failed",
                "cases":1,"passed":0,"failed":1,"skipped":0}');
            INSERT INTO test_name VALUES (1, 'p', 'pays', 'cart');
            INSERT INTO test_case VALUES (1, 1, 'failed', 3, 1, 1, 'expected 1, got 2', NULL);"#,
            r"INSERT INTO case_pattern VALUES ('p', 'f00d', 'TIMEOUT', 'TIMEOUT::pays::timed out', 2, 1, 1, 5, 6);
            INSERT INTO case_category VALUES ('p', 'TIMEOUT', 2, 1, 1, 5, 6);",
        ];
        let connection = Connection::open(path).expect("a file");
        for (migration, rows) in MIGRATIONS.iter().zip(ROWS).take(version) {
            connection.execute_batch(migration).expect("the older schema");
            connection.execute_batch(rows).expect("its rows");
        }
        let version = i64::try_from(version).expect("a small number");
        connection.pragma_update(None, "user_version", version).expect("its version");
    }

    #[test]
    fn a_base_of_an_older_version_keeps_what_it_knows() {
        for version in 0..=MIGRATIONS.len() {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("base.sqlite");
            left_by(version, &path);
            let mut base = Base::open(&path).expect("brought to this version");
            let now: i64 = base
                .run(|connection| connection.pragma_query_value(None, "user_version", |row| row.get(0)))
                .expect("read");
            assert_eq!(now, Base::VERSION, "from {version}");
            assert_eq!(base.integrity().expect("read"), "ok");

            let sources = base.sources().expect("read");
            assert_eq!(sources.len(), usize::from(version >= 1), "from {version}");
            assert_eq!(base.rows(Some("p")).expect("read").len(), usize::from(version >= 1));
            assert_eq!(base.root("p").expect("read").is_some(), version >= 1);
            let all = RunFilter { limit: 10, ..RunFilter::default() };
            let runs = base.test_runs("p", &all).expect("read").runs;
            assert_eq!(runs.len(), usize::from(version >= 2), "from {version}");
            for run in runs {
                assert_eq!((run.at, run.flaky, run.commit), (1000, 0, None), "fields that it did not write");
                let cases = base.test_cases("p", &run.id).expect("read");
                assert_eq!(cases[0].error.as_deref(), Some("expected 1, got 2"));
            }
            let counts = base.case_category("p", FailureCategory::Timeout).expect("read");
            assert_eq!(counts.occurrences, if version >= 3 { 2 } else { 0 }, "from {version}");

            let pays = TestCase::once("pays", "cart", CaseStatus::Passed);
            let run = TestRun::new("bbbb2222".to_owned(), RunSource::Junit, 2000, std::slice::from_ref(&pays));
            base.put_run("p", &run, &[pays]).expect("written");
            let runs = base.test_runs("p", &all).expect("read").runs;
            assert_eq!(runs.len(), 1 + usize::from(version >= 2), "beside what was there");
            drop(base);
            Base::open(&path).expect("opened again");
        }
    }
}
