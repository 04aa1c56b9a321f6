//! `imports.jsonl` in a project's folder of the state directory: the runs of tests that were imported, one a line. They stand
//! there before they stand in the base, so that `failwise kb rebuild` finds them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use fs_err as fs;
use serde::{Deserialize, Serialize};

use super::base::{Base, BaseWriter};
use super::fault::StoreFault;
use super::root;
use crate::digest::hex16;
use crate::journal::{make_private_dir, open_append, open_sized, replace};
use crate::place::{Env, IMPORTS, state_root};
use crate::test_runs::{TestCase, TestRun};

/// The most imported runs that are kept of a project: the newest.
pub const MOST_RUNS: u64 = 1000;
/// How many more lines the file may have before it is written anew.
const SLACK: u64 = 100;
/// The longest line that is read.
const LONGEST_LINE: u64 = 64 * 1024 * 1024;
/// The version of the lines.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct ImportLine<'a> {
    v: u32,
    run: &'a TestRun,
    cases: &'a [TestCase],
}

#[derive(Deserialize)]
struct KeptImport {
    v: u32,
    run: TestRun,
    cases: Vec<TestCase>,
}

/// What a line is told from others by.
#[derive(Deserialize)]
struct ImportHead {
    v: u32,
    run: TestRun,
}

/// How far the file was read into the base.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct ImportCursor {
    bytes: u64,
    lines: u64,
}

/// Where the imported runs of a project are kept.
///
/// # Errors
/// When nothing names a home.
pub fn imports_of(env: Env<'_>, project: &str) -> Result<PathBuf, StoreFault> {
    Ok(root(env)?.join("projects").join(project).join(IMPORTS))
}

/// The projects that runs were imported of, by their names in the state directory.
pub fn imported_projects(env: Env<'_>) -> Vec<String> {
    let folders = state_root(env).and_then(|root| fs::read_dir(root.join("projects")).ok());
    let folders = folders.into_iter().flatten().flatten().filter(|folder| folder.path().join(IMPORTS).is_file());
    let mut projects: Vec<String> = folders.filter_map(|folder| folder.file_name().into_string().ok()).collect();
    projects.sort();
    projects
}

/// Keeps a run that was imported: in the file, then in the base. The same content is one run, whatever it is called; a run of
/// which the commit is told later is that run still, and of a second commit it is another one. Gives the run as it is kept, and
/// whether anything is new. The caller holds the lock.
///
/// # Errors
/// When the base or the file cannot be read or written.
pub fn take_in(
    base: &mut Base,
    env: Env<'_>,
    project: &str,
    run: TestRun,
    cases: &[TestCase],
) -> Result<(TestRun, bool), StoreFault> {
    let path = imports_of(env, project)?;
    catch_up(base, &path, project)?;
    let (run, is_new) = joined(base, project, run)?;
    if !is_new {
        return Ok((run, false));
    }
    let cursor = append(&path, &run, cases, cursor(base, project)?)?;
    base.whole(|writer| {
        writer.put_run(project, None, &run, cases)?;
        keep(writer, project, cursor)
    })?;
    prune(base, &path, project)?;
    Ok((run, true))
}

/// The run as it is to be kept beside what is known, and whether that changes anything.
fn joined(base: &Base, project: &str, mut run: TestRun) -> Result<(TestRun, bool), StoreFault> {
    let Some(known) = base.test_run(project, &run.id)? else { return Ok((run, true)) };
    let is_other = known.commit.is_some() && run.commit.is_some() && known.commit != run.commit;
    if is_other {
        run.id = hex16(&[&run.id, run.commit.as_deref().unwrap_or_default()]);
        let known = base.test_run(project, &run.id)?;
        return Ok(known.map_or((run, true), |known| (known, false)));
    }
    let told = |now: &Option<String>, before: &Option<String>| now.clone().or_else(|| before.clone());
    let merged = TestRun {
        commit: told(&run.commit, &known.commit),
        branch: told(&run.branch, &known.branch),
        // A file that says nothing of its time has that of its copy.
        at: known.at,
        title: known.title.clone(),
        ..run
    };
    let is_new = merged != known;
    Ok((merged, is_new))
}

/// Reads into the base what stands in the file and not yet there, and says whether that was anything.
///
/// # Errors
/// When the base or the file cannot be read or written.
pub(super) fn catch_up(base: &mut Base, path: &Path, project: &str) -> Result<bool, StoreFault> {
    let (file, length) = match open_sized(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        opened => opened?,
    };
    let known = cursor(base, project)?;
    if known.bytes == length {
        return Ok(false);
    }
    let mut cursor = if known.bytes < length { known } else { ImportCursor::default() };
    each_line(file, cursor.bytes, |line, bytes| {
        cursor.bytes += bytes;
        cursor.lines += 1;
        let kept = serde_json::from_slice::<KeptImport>(line).ok().filter(|kept| kept.v == VERSION);
        base.whole(|writer| {
            if let Some(KeptImport { run, cases, .. }) = &kept {
                writer.put_run(project, None, run, cases)?;
            }
            keep(writer, project, cursor)
        })
    })?;
    prune(base, path, project)?;
    Ok(true)
}

/// Gives the whole lines of a file from a place on, and how long each is with its end.
fn each_line(
    mut file: File,
    from: u64,
    mut each: impl FnMut(&[u8], u64) -> Result<(), StoreFault>,
) -> Result<(), StoreFault> {
    file.seek(SeekFrom::Start(from))?;
    let mut reader = BufReader::with_capacity(64 * 1024, file);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = (&mut reader).take(LONGEST_LINE).read_until(b'\n', &mut line)? as u64;
        let is_whole = line.last() == Some(&b'\n') || read == LONGEST_LINE;
        if read == 0 || !is_whole {
            return Ok(());
        }
        each(&line, read)?;
    }
}

fn append(path: &Path, run: &TestRun, cases: &[TestCase], before: ImportCursor) -> Result<ImportCursor, StoreFault> {
    if let Some(dir) = path.parent() {
        make_private_dir(dir)?;
    }
    let (file, meta) = open_append(path)?;
    // What a killed process left is ended by a line's end, and skipped with it.
    let is_torn = meta.len() > before.bytes;
    let mut to = BufWriter::with_capacity(64 * 1024, &file);
    if is_torn {
        to.write_all(b"\n")?;
    }
    serde_json::to_writer(&mut to, &ImportLine { v: VERSION, run, cases }).map_err(io::Error::from)?;
    to.write_all(b"\n")?;
    to.flush()?;
    drop(to);
    Ok(ImportCursor { bytes: file.metadata()?.len(), lines: before.lines + 1 + u64::from(is_torn) })
}

/// Forgets the oldest runs where there are too many, in the base and, now and then, in the file.
fn prune(base: &mut Base, path: &Path, project: &str) -> Result<(), StoreFault> {
    base.whole(|writer| writer.forget_oldest_imports(project, MOST_RUNS))?;
    if cursor(base, project)?.lines <= MOST_RUNS + SLACK {
        return Ok(());
    }
    let mut last: BTreeMap<String, u64> = BTreeMap::new();
    let mut number = 0;
    each_line(open_sized(path)?.0, 0, |line, _| {
        if let Some(head) = head_of(line)
            && base.test_run(project, &head.run.id)?.is_some()
        {
            last.insert(head.run.id, number);
        }
        number += 1;
        Ok(())
    })?;
    let wanted: std::collections::BTreeSet<u64> = last.into_values().collect();
    let mut cursor = ImportCursor::default();
    let mut number = 0;
    let from = open_sized(path)?.0;
    replace(path, |file| {
        let mut to = BufWriter::with_capacity(64 * 1024, file);
        let written = each_line(from, 0, |line, bytes| {
            if wanted.contains(&number) {
                to.write_all(line)?;
                cursor = ImportCursor { bytes: cursor.bytes + bytes, lines: cursor.lines + 1 };
            }
            number += 1;
            Ok(())
        });
        written.map_err(|fault| io::Error::other(fault.to_string()))?;
        to.flush()
    })?;
    base.whole(|writer| keep(writer, project, cursor))
}

fn head_of(line: &[u8]) -> Option<ImportHead> {
    serde_json::from_slice::<ImportHead>(line).ok().filter(|head| head.v == VERSION)
}

fn key(project: &str) -> String {
    format!("imports of {project}")
}

fn cursor(base: &Base, project: &str) -> Result<ImportCursor, StoreFault> {
    let kept = base.meta(&key(project))?;
    Ok(kept.and_then(|kept| serde_json::from_str(&kept).ok()).unwrap_or_default())
}

fn keep(writer: &BaseWriter<'_>, project: &str, cursor: ImportCursor) -> Result<(), StoreFault> {
    writer.put_meta(&key(project), &serde_json::to_string(&cursor).unwrap_or_default())
}

/// Forgets how far the file of a project was read.
pub(super) fn forget_cursor(writer: &BaseWriter<'_>, project: &str) -> Result<(), StoreFault> {
    keep(writer, project, ImportCursor::default())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::ffi::OsString;

    use super::*;
    use crate::store::{RunFilter, rebuild};
    use crate::test_runs::{CaseStatus, RunSource};

    const MINUTE: u64 = 60 * 1000;

    /// The runs of a project, newest first, each with its cases.
    fn kept(base: &Base) -> Vec<(TestRun, Vec<TestCase>)> {
        let all = RunFilter { limit: 2 * MOST_RUNS, ..RunFilter::default() };
        let page = base.test_runs("p", &all).expect("a base");
        assert_eq!(page.total, page.runs.len() as u64);
        page.runs.into_iter().map(|run| (run.clone(), base.test_cases("p", &run.id).expect("a base"))).collect()
    }

    fn names(base: &Base) -> i64 {
        base.run(|connection| connection.query_row("SELECT count(*) FROM test_name", [], |row| row.get(0)))
            .expect("a base")
    }

    #[test]
    fn of_many_runs_the_newest_are_kept_in_the_base_and_in_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let env = |name: &str| (name == "XDG_STATE_HOME").then(|| OsString::from(folder.path()));
        let path = folder.path().join("base.sqlite");
        let mut base = Base::open(&path).expect("a base");
        let many = MOST_RUNS + 2 * SLACK + 50;
        // 997 and the number of runs have no common factor: no two are of the same time, and none comes in its order.
        let times: Vec<u64> = (0..many).map(|number| number * 997 % many * MINUTE).collect();
        for (number, at) in times.iter().enumerate() {
            let names = ["each time", &format!("only in {number}")];
            let cases = names.map(|name| TestCase::once(name, "", CaseStatus::Passed));
            let run = TestRun::new(format!("{number:016x}"), RunSource::Junit, *at, &cases);
            take_in(&mut base, &env, "p", run, &cases).expect("taken in");
        }

        let newest = kept(&base);
        let oldest_kept = (many - MOST_RUNS) * MINUTE;
        let expected: Vec<u64> = (oldest_kept / MINUTE..many).rev().map(|minute| minute * MINUTE).collect();
        assert_eq!(newest.iter().map(|(run, _)| run.at).collect::<Vec<_>>(), expected);
        assert!(newest.iter().all(|(_, cases)| cases.len() == 2));
        assert_eq!(names(&base), 1 + MOST_RUNS.cast_signed(), "a name without a run is forgotten");

        let file = imports_of(&env, "p").expect("a home");
        let mut in_file = BTreeSet::new();
        each_line(open_sized(&file).expect("the file").0, 0, |line, _| {
            in_file.insert(head_of(line).expect("a whole line").run.id);
            Ok(())
        })
        .expect("read");
        assert!(in_file.len() as u64 <= MOST_RUNS + SLACK, "{} lines", in_file.len());
        assert!(newest.iter().all(|(run, _)| in_file.contains(&run.id)), "what is kept stands in the file");

        let (mut base, ..) = rebuild(&path, "2026-03-14T09:00:00.000Z").expect("a base");
        assert!(catch_up(&mut base, &file, "p").expect("read"));
        assert_eq!(kept(&base), newest);
        assert_eq!(names(&base), 1 + MOST_RUNS.cast_signed());
        assert!(!catch_up(&mut base, &file, "p").expect("read"), "nothing new");
    }
}
