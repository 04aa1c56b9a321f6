//! `test_runs`, `flaky_tests` and `compare_runs`: what `failwise tests` says, in the same words.

use failwise::store::{NamedRun, RunFilter};
use failwise::test_runs::{CaseStatus, ComparedCase, Comparison, HealthFilter, HealthPage, TREND_MS, TestRun};
use failwise::time::since;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::answer::{Code, ToolAnswer, ToolError, data, in_camel_case};
use crate::arguments::read;
use crate::desk::{Desk, now};
use crate::project::Project;

/// How many runs and cases are given where nobody says, and the most that are.
const LIMIT: u64 = 20;
const MOST: u64 = 100;
/// The most cases of a kind that a comparison lists.
const MOST_CASES: usize = 100;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct AskedRuns {
    project_path: Option<String>,
    status: Option<CaseStatus>,
    since: Option<String>,
    #[serde(default)]
    complete: bool,
    #[serde(default)]
    offset: u64,
    limit: Option<u64>,
    run_id: Option<String>,
}

pub(crate) fn test_runs(desk: &mut Desk, arguments: Map<String, Value>) -> ToolAnswer {
    let asked: AskedRuns = read(arguments)?;
    let project = Project::named_or_own(desk, asked.project_path.as_deref())?;
    desk.catch_up(&project.place)?;
    let limit = asked.limit.unwrap_or(LIMIT).clamp(1, MOST);
    if let Some(id) = &asked.run_id {
        return one_run(desk, &project, id, limit);
    }
    let since = asked.since.as_deref().map(start).transpose()?;
    let filter = RunFilter { status: asked.status, since, complete_only: asked.complete, offset: asked.offset, limit };
    let base = desk.base()?;
    let page = base.test_runs(&project.name, &filter)?;
    let trend = base.test_trend(&project.name, now().saturating_sub(TREND_MS))?;
    let has_more = page.has_more(asked.offset);
    Ok(in_camel_case(json!({ "runs": page.runs, "total": page.total, "has_more": has_more, "trend": trend })))
}

/// One run with the cases that failed in it, at most so many.
fn one_run(desk: &mut Desk, project: &Project, id: &str, limit: u64) -> ToolAnswer {
    let run = run_of(desk, project, id)?;
    let cases = desk.base()?.test_cases(&project.name, &run.id)?;
    let failed = cases.iter().filter(|case| case.failed_attempts > 0);
    let cases = failed.take(usize::try_from(limit).unwrap_or(usize::MAX)).map(|case| {
        json!({
            "name": case.name, "suite": case.suite, "status": case.status, "attempts": case.attempts,
            "failed_attempts": case.failed_attempts, "error": case.error_line(),
        })
    });
    data(&json!({ "runs": [run], "total": 1, "has_more": false, "cases": cases.collect::<Vec<_>>() }))
        .map(in_camel_case)
}

fn start(text: &str) -> Result<u64, ToolError> {
    let utc = chrono::Offset::fix(&chrono::Utc);
    let at = since(text, i64::try_from(now()).unwrap_or_default(), utc).and_then(|at| u64::try_from(at).ok());
    at.ok_or_else(|| {
        ToolError::new(Code::InvalidArguments, &format!("'{text}' is no time; write 7d, 12h or 2026-03-01"))
    })
}

/// A run by its id or the beginning of it.
///
/// # Errors
/// When there is none, or several begin so.
fn run_of(desk: &mut Desk, project: &Project, id: &str) -> Result<TestRun, ToolError> {
    match desk.base()?.run_named(&project.name, id)? {
        NamedRun::One(run) => Ok(*run),
        NamedRun::Several => Err(ToolError::new(Code::RunNotFound, &format!("Several test runs begin with '{id}'"))),
        NamedRun::Unknown => Err(ToolError::new(Code::RunNotFound, &format!("Test run '{id}' not found in history"))),
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct AskedFlaky {
    project_path: Option<String>,
    suite: Option<String>,
    case_name: Option<String>,
    #[serde(default)]
    all: bool,
    limit: Option<u64>,
}

pub(crate) fn flaky_tests(desk: &mut Desk, arguments: Map<String, Value>) -> ToolAnswer {
    let asked: AskedFlaky = read(arguments)?;
    let project = Project::named_or_own(desk, asked.project_path.as_deref())?;
    desk.catch_up(&project.place)?;
    let base = desk.base()?;
    let limit = asked.limit.unwrap_or(LIMIT).clamp(1, MOST);
    let filter = HealthFilter {
        suite: asked.suite.as_deref(),
        // Who asks for one case by its name hears of it whatever it is.
        all: asked.all || asked.case_name.is_some(),
        limit: usize::try_from(limit).unwrap_or(usize::MAX),
    };
    let cases = match &asked.case_name {
        Some(name) => base.health_of_case(&project.name, name)?,
        None => base.test_health(&project.name, |case| filter.keeps(case))?,
    };
    data(&HealthPage::of(cases, &filter)).map(in_camel_case)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct AskedComparison {
    project_path: Option<String>,
    base_run_id: Option<String>,
    /// The name that it had before the contract's.
    #[serde(alias = "runId")]
    compare_run_id: Option<String>,
}

pub(crate) fn compare_runs(desk: &mut Desk, arguments: Map<String, Value>) -> ToolAnswer {
    let asked: AskedComparison = read(arguments)?;
    let project = Project::named_or_own(desk, asked.project_path.as_deref())?;
    desk.catch_up(&project.place)?;
    let (before, now) = match (&asked.base_run_id, &asked.compare_run_id) {
        (Some(before), Some(now)) => (run_of(desk, &project, before)?, run_of(desk, &project, now)?),
        (None, None) => desk
            .base()?
            .last_two_runs(&project.name)?
            .ok_or_else(|| ToolError::new(Code::RunNotFound, "There are no two complete test runs to compare"))?,
        _ => {
            let why = "give baseRunId and compareRunId, or neither: then the last two complete runs are compared";
            return Err(ToolError::new(Code::InvalidArguments, why));
        }
    };
    for run in [&before, &now] {
        if !run.complete {
            let why =
                format!("'{}' is a recorded call, of which only some cases are known: compare imported runs", run.id);
            return Err(ToolError::new(Code::InvalidArguments, &why));
        }
    }
    Ok(in_camel_case(listed(desk.base()?.compared(&project.name, before, now)?)))
}

/// A comparison whose lists are cut to what an agent can read, with how many cases were left out of each.
fn listed(mut compared: Comparison) -> Value {
    let mut left_out = Map::new();
    for (name, cases) in [
        ("new_failures", &mut compared.new_failures),
        ("fixed", &mut compared.fixed),
        ("still_failing", &mut compared.still_failing),
        ("new_cases", &mut compared.new_cases),
        ("removed_cases", &mut compared.removed_cases),
    ] {
        let cases: &mut Vec<ComparedCase> = cases;
        let more = cases.len().saturating_sub(MOST_CASES);
        if more > 0 {
            cases.truncate(MOST_CASES);
            left_out.insert(name.to_owned(), more.into());
        }
    }
    let mut value = json!(compared);
    if !left_out.is_empty() {
        value["left_out"] = Value::Object(left_out);
    }
    value
}
