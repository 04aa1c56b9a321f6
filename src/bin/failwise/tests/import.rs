//! `failwise tests import`: JUnit files become runs.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use failwise::digest::hex;
use failwise::error::Error;
use failwise::exit::Exit;
use failwise::place::project_name;
use failwise::redact::redact;
use failwise::store::{Base, CaseFile, exported_cases, import_cases, take_in};
use failwise::test_runs::{MOST_CASES, Origin, Report, TestRun, read};
use failwise::text::{file_name, many, one_line};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::style::{Format, PrintArgs, shown_path};
use crate::{inputs, kb, people};

use super::OfProject;
use super::news::FailedNews;

/// What stands for standard input.
const STDIN: &str = "-";

/// Import JUnit XML files, each as a run, or what `failwise tests export` wrote
///
/// Files that end in .jsonl are exports: counts are never added twice, and only people import them. The same JUnit file again is the same run. Files called TEST-*.xml in one folder, as Surefire and Gradle write them for
/// each class, form one run. Contents are stored redacted; files named in them are not read.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  failwise tests import junit.xml --commit $(git rev-parse HEAD)
  failwise tests import target/surefire-reports/TEST-*.xml
  curl -s https://ci.example/junit.xml | failwise tests import -")]
pub(crate) struct TestsImportArgs {
    /// JUnit files, or `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The tested commit: a case that passed and failed on one commit is flaky
    #[arg(long, value_name = "COMMIT")]
    commit: Option<String>,
    /// The tested branch
    #[arg(long, value_name = "BRANCH")]
    branch: Option<String>,
    /// Start time of the run, instead of the file's: RFC 3339, a date, or a duration back such as 2h
    #[arg(long, value_name = "TIME")]
    at: Option<String>,
    /// Exit with 1 only if a case failed that is neither known to fail by chance nor red on the base branch
    #[arg(long, value_name = "WHAT", value_parser = ["new"])]
    fail_on: Option<String>,
    /// The base branch for --fail-on; by default what the CI names, else main or master
    #[arg(long, value_name = "BRANCH", requires = "fail_on")]
    against: Option<String>,
    #[command(flatten)]
    of: OfProject,
    #[command(flatten)]
    print: PrintArgs,
}

/// Export the cases of this project that ever failed: one sorted line a case, with its attempts by commit
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  failwise tests export -o tests.jsonl    for another machine
  failwise kb export --team               the team's files, with those cases")]
pub(crate) struct TestsExportArgs {
    /// Write to a file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(crate) fn export(args: &TestsExportArgs) -> crate::CommandOutcome {
    let place = crate::place()?;
    let base = kb::caught_up(&place)?;
    let text = exported_cases(&base, &project_name(&place.project), "", false)?;
    kb::share::give(args.output.as_deref(), &text)
}

/// One run: its files, and what they say.
struct FoundReport {
    origin: Origin,
    report: Report,
}

pub(crate) fn run(args: &TestsImportArgs) -> crate::CommandOutcome {
    let place = args.of.place()?;
    let at = args.at.as_deref().map(parsed_moment).transpose()?;
    let word = |word: &Option<String>| word.as_ref().map(|word| redact(&one_line(word, 200)).into_owned());
    let (commit, branch) = (word(&args.commit), word(&args.branch));
    let project = project_name(&place.project);
    let path = kb::base_path()?;
    let _lock = kb::locked()?;
    let mut base = Base::open(&path)?;
    let is_export = |file: &&PathBuf| file.extension().is_some_and(|ending| ending == "jsonl");
    let (exports, reports): (Vec<&PathBuf>, Vec<&PathBuf>) = args.files.iter().partition(is_export);
    for file in &exports {
        people::not_for_agents("kb import")?;
        let CaseFile { lines, skipped, .. } = CaseFile::read(&kb::share::text_of(file, "failwise tests export")?);
        if lines.is_empty() && skipped > 0 {
            return Err(Error::unreadable(format!("{} has no line of an export", shown_path(file)))
                .hint("give what `failwise tests export` wrote")
                .into());
        }
        let taken = import_cases(&mut base, &project, lines)?;
        inputs::warn(&format!("{taken} cases taken in, {skipped} lines left out"));
    }
    let reports: Vec<PathBuf> = reports.into_iter().cloned().collect();
    let mut news = args.fail_on.as_ref().map(|_| FailedNews::against(args.against.as_deref()));
    let mut runs: Vec<(TestRun, bool)> = Vec::new();
    let mut refused: Option<Error> = None;
    for files in grouped(&reports) {
        match found(&files) {
            Ok(FoundReport { origin, report }) => {
                let origin = Origin { at, commit: commit.clone(), branch: branch.clone(), ..origin };
                let run = TestRun::imported(&origin, &report);
                if let Some(news) = &mut news {
                    news.look(&base, &project, &run, &report.cases)?;
                }
                runs.push(take_in(&mut base, &crate::env, &project, run, &report.cases)?);
            }
            // The others are taken in all the same.
            Err(error) => {
                if let Some(first) = refused.replace(error) {
                    inputs::warn(&first.to_string());
                }
            }
        }
    }
    if !exports.is_empty() || runs.iter().any(|(_, is_new)| *is_new) {
        kb::told(&base, &[project].into())?;
    }
    if !runs.is_empty() || news.is_some() || args.print.format == Format::Json {
        print(args.print.format, &runs, news.as_ref())?;
    }
    if let Some(error) = refused {
        return Err(error.into());
    }
    Ok(if news.is_some_and(|news| news.is_any()) { Exit::Differs } else { Exit::Ok })
}

/// A point in time as a person types it, in milliseconds since 1970.
pub(super) fn parsed_moment(text: &str) -> Result<u64, Error> {
    inputs::since_of(text).map(|at| u64::try_from(at).unwrap_or_default())
}

/// The files of each run: one, or all of a folder that are called as those which stand for a class each.
fn grouped(files: &[PathBuf]) -> Vec<Vec<PathBuf>> {
    let mut groups: Vec<Vec<PathBuf>> = Vec::new();
    let mut folders: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for file in files {
        let name = file_name(&file.to_string_lossy()).to_owned();
        let is_of_class = name.strip_prefix("TEST-").and_then(|rest| rest.strip_suffix(".xml")).is_some();
        let place = is_of_class.then(|| file.parent().map(Path::to_owned)).flatten();
        let known = place.as_ref().and_then(|folder| folders.get(folder)).and_then(|at| groups.get_mut(*at));
        match (known, place) {
            (Some(group), _) => group.push(file.clone()),
            (None, place) => {
                folders.extend(place.map(|folder| (folder, groups.len())));
                groups.push(vec![file.clone()]);
            }
        }
    }
    groups
}

/// What the files of a run say.
fn found(files: &[PathBuf]) -> Result<FoundReport, Error> {
    let mut origin = Origin::default();
    let mut whole: Option<Report> = None;
    let mut contents = Vec::new();
    for file in files {
        let (report, content, written) = one(file)?;
        contents.push(content);
        origin.written = origin.written.max(written);
        match &mut whole {
            Some(whole) => whole.join(report),
            None => whole = Some(report),
        }
        if whole.as_ref().is_some_and(|whole| whole.cases.len() > MOST_CASES) {
            return Err(Error::unreadable(format!("{}: more than {MOST_CASES} cases together", shown_path(file)))
                .hint("give fewer files at once"));
        }
    }
    contents.sort();
    contents.dedup();
    origin.content = contents.concat();
    origin.title = files.first().map(|file| title(file, files.len()));
    let report = whole.unwrap_or_default();
    Ok(FoundReport { origin, report: if files.len() > 1 { report.joined() } else { report } })
}

fn title(first: &Path, files: usize) -> String {
    let name = first.to_string_lossy();
    let name = redact(&one_line(if name == STDIN { "standard input" } else { file_name(&name) }, 200)).into_owned();
    if files > 1 { format!("{name} and {} more", files - 1) } else { name }
}

/// What a file says, what tells its content from others, and when it was written.
fn one(file: &Path) -> Result<(Report, String, u64), Error> {
    let refused = |why: String| {
        Error::unreadable(format!("{}: {why}", shown_path(file)))
            .hint("JUnit XML is taken in, such as pytest --junitxml and most runners' `junit` reporters write")
    };
    let mut written = kb::now();
    let mut hashing = if file == Path::new(STDIN) {
        Hashing::of(Box::new(io::stdin()))
    } else {
        let named = |error: io::Error| Error::of_file(&shown_path(file), &error);
        if file.is_dir() {
            return Err(Error::usage(format!("{} is a folder", shown_path(file))).hint("give the files in it"));
        }
        let opened = inputs::open_named(file)?;
        let meta = opened.metadata().map_err(named)?;
        let since = meta.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        written = since.and_then(|since| u64::try_from(since.as_millis()).ok()).unwrap_or(written);
        Hashing::of(Box::new(opened))
    };
    let report = read(&mut hashing).map_err(|refusal| refused(refusal.to_string()))?;
    Ok((report, hex(&hashing.sum.finalize(), 16), written))
}

/// A file that is hashed as it is read.
struct Hashing {
    from: Box<dyn Read>,
    sum: Sha256,
}

impl Hashing {
    fn of(from: Box<dyn Read>) -> Self {
        Self { from, sum: Sha256::new() }
    }
}

impl Read for Hashing {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(to)?;
        self.sum.update(&to[..read]);
        Ok(read)
    }
}

fn print(format: Format, runs: &[(TestRun, bool)], news: Option<&FailedNews>) -> Result<(), crate::CommandFailure> {
    let rows: Vec<Value> = runs.iter().map(|(run, _)| json!(run)).collect();
    let mut value = json!({ "schema_version": 1, "runs": rows });
    if let Some(news) = news {
        value["failed"] = json!(news.failed);
        news.summarize()?;
    }
    kb::answer(format, &value, |out| {
        for (run, is_new) in runs {
            let again = if *is_new { "" } else { " (known)" };
            writeln!(out, "{}  {}: {}{again}", run.id, super::title(run), counts(run))?;
        }
        news.map_or(Ok(()), |news| news.print(out))
    })
    .map(drop)
}

pub(super) fn counts(run: &TestRun) -> String {
    let TestRun { passed, failed, skipped, .. } = run;
    format!("{}, {passed} passed, {failed} failed, {skipped} skipped", many(run.cases, "case", "cases"))
}
