//! `failwise tests import --fail-on new`: which failed cases are news, in the forms that a CI shows.

use std::fmt::Write as _;
use std::io::{self, Write};

use failwise::error::Error;
use failwise::store::Base;
use failwise::test_runs::{BASE_BRANCHES, CaseDid, CaseStatus, FailedAs, TestCase, TestRun};
use failwise::text::one_line;
use serde::Serialize;

use super::case_name;
use crate::style::shown;

/// Variables by which a CI names the branch that a change is to be merged into.
const BASE_NAMED_BY: [&str; 2] = ["GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME"];
/// The most cases in a summary.
const MOST: usize = 200;

/// A failed case.
#[derive(Debug, Serialize)]
pub(super) struct JudgedCase {
    run: String,
    suite: String,
    name: String,
    #[serde(flatten)]
    failed_as: FailedAs,
    error: Option<String>,
}

/// What failed, and what of it is new.
#[derive(Debug)]
pub(super) struct FailedNews {
    base: Vec<String>,
    pub(super) failed: Vec<JudgedCase>,
}

impl FailedNews {
    /// Nothing yet, against this base branch.
    pub(super) fn against(base: Option<&str>) -> Self {
        let named =
            || BASE_NAMED_BY.iter().find_map(|name| crate::env(name)?.into_string().ok().filter(|it| !it.is_empty()));
        let base = base.map(str::to_owned).or_else(named);
        Self {
            base: base.map_or_else(|| BASE_BRANCHES.map(str::to_owned).to_vec(), |base| vec![base]),
            failed: Vec::new(),
        }
    }

    /// Looks at the failed cases of a run, by what is known without it.
    pub(super) fn look(&mut self, base: &Base, project: &str, run: &TestRun, cases: &[TestCase]) -> Result<(), Error> {
        for case in cases.iter().filter(|case| case.status == CaseStatus::Failed) {
            let mut failed_as = FailedAs::of(case, run, &self.base, &[]);
            base.each_case(project, Some(&case.name), true, |_, suite, did| {
                if suite == case.suite {
                    // A file that is imported again says nothing of itself.
                    let past: Vec<CaseDid<'_>> = did.iter().filter(|did| did.run.id != run.id).copied().collect();
                    failed_as = FailedAs::of(case, run, &self.base, &past);
                }
            })?;
            self.failed.push(JudgedCase {
                run: run.id.clone(),
                suite: case.suite.clone(),
                name: case.name.clone(),
                failed_as,
                error: case.error_line(),
            });
        }
        if cases.is_empty() && run.status == CaseStatus::Failed {
            let failed_as = FailedAs::New;
            let (run, name) = (run.id.clone(), "the whole run".to_owned());
            self.failed.push(JudgedCase { run, suite: String::new(), name, failed_as, error: None });
        }
        Ok(())
    }

    /// Whether any failure is new.
    pub(super) fn is_any(&self) -> bool {
        self.failed.iter().any(|case| case.failed_as == FailedAs::New)
    }

    /// Each failed case with its reason; on GitHub new ones as annotations, too.
    pub(super) fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        for case in &self.failed {
            writeln!(out, "  {}: {}", case.failed_as.words(), case_name(&case.suite, &case.name))?;
        }
        if crate::env("GITHUB_ACTIONS").is_some_and(|value| value == "true") {
            for case in self.failed.iter().filter(|case| case.failed_as == FailedAs::New).take(MOST) {
                let error = shown(case.error.as_deref().unwrap_or("failed"), 300);
                let name = in_command(&case_name(&case.suite, &case.name)).replace(':', "%3A").replace(',', "%2C");
                writeln!(out, "::error title=new failure {name}::{}", in_command(&error))?;
            }
        }
        Ok(())
    }

    /// Adds a table to the step's summary, where the CI names a file for it.
    pub(super) fn summarize(&self) -> Result<(), Error> {
        let Some(path) = crate::env("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty() && !self.failed.is_empty())
        else {
            return Ok(());
        };
        let mut text = "| failed | as | error |\n| --- | --- | --- |\n".to_owned();
        for case in self.failed.iter().take(MOST) {
            let cell = |text: &str| {
                one_line(text, 300).replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;").replace('`', "'")
            };
            let error = case.error.as_deref().unwrap_or_default();
            let name = cell(&case_name(&case.suite, &case.name));
            let _ = writeln!(text, "| {name} | {} | {} |", cell(&case.failed_as.words()), cell(error));
        }
        let file = fs_err::OpenOptions::new().append(true).create(true).open(std::path::PathBuf::from(path));
        Ok(file.and_then(|mut file| file.write_all(text.as_bytes()))?)
    }
}

/// A text as GitHub reads it in a line of commands.
fn in_command(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}
