//! A run of tests, and a case in it: as they are kept and as they are printed.

use serde::{Deserialize, Serialize};

use super::flaky::is_mixed;
use super::junit::Report;
use crate::digest::hex16;
use crate::model::words;
use crate::text::one_line;

/// A run of tests. Its JSON is what lists show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestRun {
    /// Of a file 16 hexadecimal digits of its content, of a recorded call the id of its event.
    pub id: String,
    /// Where it is known from.
    pub source: RunSource,
    /// When it began, in milliseconds since 1970; RFC 3339 UTC in JSON.
    #[serde(with = "stamped")]
    pub at: u64,
    /// The commit that was tested.
    #[serde(default)]
    pub commit: Option<String>,
    /// The branch that was tested.
    #[serde(default)]
    pub branch: Option<String>,
    /// What it was about: a file's name, or the operation of a call. One line, redacted.
    #[serde(default)]
    pub title: Option<String>,
    /// Whether every case of it is known. A recorded call names a few of its cases only, and so counts in no pass rate and no
    /// comparison.
    pub complete: bool,
    /// How long it took, in milliseconds.
    #[serde(default)]
    pub duration_ms: Option<u64>,
    /// What it came to.
    pub status: CaseStatus,
    /// How many cases are known.
    pub cases: u64,
    /// How many of them passed, at the latest in their last attempt.
    pub passed: u64,
    /// How many of them failed.
    pub failed: u64,
    /// How many of them were skipped.
    pub skipped: u64,
    /// How many of them passed in one attempt and failed in another.
    #[serde(default)]
    pub flaky: u64,
    /// The run that this one repeated with nothing changed in between, by its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rerun_of: Option<String>,
}

/// What is known of a file beside its content.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Origin {
    /// What tells its content from that of others.
    pub content: String,
    /// What it is called.
    pub title: Option<String>,
    /// When its run began as a person says, in milliseconds since 1970.
    pub at: Option<u64>,
    /// When the file was written last, for one that says nothing of its time.
    pub written: u64,
    /// The commit that was tested.
    pub commit: Option<String>,
    /// The branch that was tested.
    pub branch: Option<String>,
}

impl TestRun {
    /// A run that came to what its cases came to. Of a file every case is known, of a recorded call only some.
    pub(crate) fn new(id: String, source: RunSource, at: u64, cases: &[TestCase]) -> Self {
        let mut run = Self {
            id,
            source,
            at,
            commit: None,
            branch: None,
            title: None,
            complete: source == RunSource::Junit,
            duration_ms: None,
            status: CaseStatus::Passed,
            cases: 0,
            passed: 0,
            failed: 0,
            skipped: 0,
            flaky: 0,
            rerun_of: None,
        };
        run.count(cases);
        run
    }

    /// The run that a file tells of. A file that a person gives another time is of another run.
    pub fn imported(origin: &Origin, report: &Report) -> Self {
        let said = origin.at.map(|at| at.to_string()).unwrap_or_default();
        let mut run = Self {
            commit: origin.commit.clone(),
            branch: origin.branch.clone(),
            title: origin.title.clone(),
            duration_ms: report.duration_ms,
            ..Self::new(
                hex16(&[&origin.content, &said]),
                RunSource::Junit,
                origin.at.or(report.at).unwrap_or(origin.written),
                &report.cases,
            )
        };
        if report.failed_elsewhere {
            run.status = CaseStatus::Failed;
        }
        run
    }

    /// Counts what its cases came to.
    pub(super) fn count(&mut self, cases: &[TestCase]) {
        let of = |status| cases.iter().filter(|case| case.status == status).count() as u64;
        self.cases = cases.len() as u64;
        self.passed = of(CaseStatus::Passed);
        self.failed = of(CaseStatus::Failed);
        self.skipped = of(CaseStatus::Skipped);
        self.flaky = cases.iter().filter(|case| case.is_flaky()).count() as u64;
        self.status = match (self.failed, self.passed) {
            (0, 0) if self.skipped > 0 => CaseStatus::Skipped,
            (0, _) => CaseStatus::Passed,
            _ => CaseStatus::Failed,
        };
    }
}

words! {
    /// Where a run is known from.
    pub enum RunSource {
        /// A JUnit file that was imported.
        Junit = "junit",
        /// A recorded call.
        History = "history",
    }
}

words! {
    /// What a case, or a run, came to.
    pub enum CaseStatus {
        /// It passed, at the latest in its last attempt.
        Passed = "passed",
        /// It failed, or ended in an error.
        Failed = "failed",
        /// It did not run.
        Skipped = "skipped",
    }
}

/// A case of a run. Name and suite together tell it from the others of its run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestCase {
    /// Its name as the runner wrote it, redacted, one line.
    pub name: String,
    /// What it belongs to: a class, a file or a package; empty where nothing says so. Redacted, one line.
    #[serde(default)]
    pub suite: String,
    /// What it came to.
    pub status: CaseStatus,
    /// How long it took with all its attempts, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// How often it was run in this run; 1 unless the runner tried it again.
    #[serde(default = "once")]
    pub attempts: u32,
    /// How many of these failed.
    #[serde(default)]
    pub failed_attempts: u32,
    /// Why it failed, or why its last failed attempt did: redacted, at most [`TestCase::LONGEST_ERROR`] characters, of
    /// several lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// How the container that it ran against ended, where the report says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container: Option<ContainerEnd>,
}

impl TestCase {
    /// The most characters that are kept of an error.
    pub const LONGEST_ERROR: usize = 2000;
    /// The most characters that are kept of a name or a suite.
    pub const LONGEST_NAME: usize = 500;

    /// A case that was run once, of which nothing else is known.
    pub fn once(name: &str, suite: &str, status: CaseStatus) -> Self {
        Self {
            name: name.to_owned(),
            suite: suite.to_owned(),
            status,
            duration_ms: None,
            attempts: 1,
            failed_attempts: u32::from(status == CaseStatus::Failed),
            error: None,
            container: None,
        }
    }

    /// The first line of its error, at most 300 characters.
    pub fn error_line(&self) -> Option<String> {
        let line = self.error.as_deref()?.lines().find(|line| !line.trim().is_empty())?;
        Some(one_line(line, 300))
    }

    /// Whether it passed in one attempt of this run and failed in another.
    pub fn is_flaky(&self) -> bool {
        is_mixed(self.status, self.attempts, self.failed_attempts)
    }
}

words! {
    /// How a container ended.
    pub enum ContainerEnd {
        /// For want of memory: `OOMKilled`, exit status 137.
        OomKilled = "oom_killed",
        /// Its program ended: status `exited`.
        Exited = "exited",
        /// It could not be started or stopped: status `dead`.
        Dead = "dead",
    }
}

fn once() -> u32 {
    1
}

/// Milliseconds since 1970 as RFC 3339 UTC.
mod stamped {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use crate::time::{since_1970, stamp_at};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
    pub(super) fn serialize<S: Serializer>(at: &u64, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&stamp_at(*at).unwrap_or_default())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
        let text = String::deserialize(from)?;
        since_1970(&text).ok_or_else(|| Error::custom("no time of RFC 3339"))
    }
}
