//! `argus_diagnose`, the inherited contract: a failed case of a recorded run, classified, signed and matched.

use std::sync::atomic::{AtomicU64, Ordering};

use chrono::Utc;
use failwise::argus::{CaseFailure, answer, sign};
use failwise::digest::hex16;
use failwise::history::{Body, CaseNote, Event, HISTORY_NODE};
use failwise::journal::Journal;
use failwise::model::Ids;
use failwise::redact::redact_printed;
use failwise::test_runs::{CaseStatus, ContainerEnd, TestCase};
use failwise::text::one_line;
use failwise::time::stamp;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::answer::{Code, ToolAnswer, ToolError, data};
use crate::arguments::read;
use crate::desk::Desk;
use crate::project::Project;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Asked {
    project_path: String,
    run_id: String,
    case_name: String,
}

pub(crate) fn diagnose(desk: &mut Desk, arguments: Map<String, Value>) -> ToolAnswer {
    let asked: Asked = read(arguments)?;
    let project = Project::open(desk, &asked.project_path)?;
    let case = failed_case(desk, &project, &asked.run_id, &asked.case_name)?;
    let note = note_of(&asked.run_id, &case);
    let event = recorded(&project, Body::CaseDiagnosed { case: Box::new(note.clone()) })?;
    let matched = desk.base()?.diagnose_case(&project.name, &event, &note)?;
    data(&answer(&matched, project.tells_fixes()))
}

/// The case of a run that failed.
///
/// # Errors
/// When the run or the case is not known, or the case did not fail.
pub(crate) fn failed_case(desk: &mut Desk, project: &Project, run: &str, name: &str) -> Result<TestCase, ToolError> {
    let cases = cases_of(desk, project, run, name)?;
    // One name may stand in several suites: what failed is meant.
    let failed = cases.iter().find(|case| case.status == CaseStatus::Failed);
    failed.cloned().ok_or_else(|| {
        let passed = cases.iter().any(|case| case.status == CaseStatus::Passed);
        let status = if passed { "passed" } else { "was skipped" };
        ToolError::new(Code::CaseNotFailed, &format!("Test case '{name}' in run '{run}' did not fail: it {status}"))
    })
}

/// The cases of a run that have this name. A run that is not known may have been recorded since the base last learned.
///
/// # Errors
/// When the run or the case is not known.
fn cases_of(desk: &mut Desk, project: &Project, run: &str, name: &str) -> Result<Vec<TestCase>, ToolError> {
    if desk.base()?.test_run(&project.name, run)?.is_none() {
        desk.catch_up(&project.place)?;
        if desk.base()?.test_run(&project.name, run)?.is_none() {
            return Err(ToolError::new(Code::RunNotFound, &format!("Test run '{run}' not found in history")));
        }
    }
    let base = desk.base()?;
    let mut cases = base.test_case(&project.name, run, name)?;
    if cases.is_empty() {
        // Names are kept redacted and on one line.
        let kept = one_line(&redact_printed(name), TestCase::LONGEST_NAME);
        cases = base.test_case(&project.name, run, &kept)?;
    }
    if cases.is_empty() {
        let why = format!("Test case '{name}' not found in run '{run}'");
        return Err(ToolError::new(Code::CaseNotFound, &why));
    }
    Ok(cases)
}

/// What is recorded of a case.
pub(crate) fn note_of(run: &str, case: &TestCase) -> CaseNote {
    let failure = CaseFailure {
        error: case.error.as_deref().unwrap_or_default(),
        status: None,
        container_status: match case.container {
            Some(ContainerEnd::Exited) => Some("exited"),
            Some(ContainerEnd::Dead) => Some("dead"),
            Some(ContainerEnd::OomKilled) | None => None,
        },
        oom_killed: case.container == Some(ContainerEnd::OomKilled),
    };
    let signed = sign(&case.name, &failure);
    CaseNote {
        run: run.to_owned(),
        name: case.name.clone(),
        category: signed.category.to_string(),
        signature: signed.signature,
        pattern: signed.pattern,
        ..CaseNote::default()
    }
}

/// Appends an event to the project's history: it is recorded before it is counted, so that a base that is made anew counts
/// it too, and one that a killed process left behind counts it when it learns.
///
/// # Errors
/// When the history cannot be written.
pub(crate) fn recorded(project: &Project, body: Body) -> Result<Event, ToolError> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let now = Utc::now();
    let ts = stamp(now);
    // Two that ask the same at the same moment are two.
    let number = NUMBER.fetch_add(1, Ordering::Relaxed).to_string();
    let process = std::process::id().to_string();
    let nanos = now.timestamp_nanos_opt().unwrap_or_default().to_string();
    let id = hex16(&["mcp", &project.name, &process, &number, &nanos]);
    let event = Event::new(id, &ts, HISTORY_NODE, &Ids::default(), body);
    let mut events = [event];
    Journal::in_dir(&project.place.dir).begin()?.append(&mut events)?;
    let [event] = events;
    Ok(event)
}
