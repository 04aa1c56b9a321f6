//! `why_failed`: the newest failure, or the one that an ID names, with what `failwise why` knows of it.

use failwise::decide::{DecisionFacts, Question, decide};
use failwise::diagnose::diagnose_last;
use failwise::diagnose::result::{DiagnoseResult, without_secrets};
use failwise::history::State;
use failwise::journal::{Journal, Ledger};
use failwise::model::{Decision, PlanFacts};
use failwise::place::Place;
use failwise::recollect::{
    PlanRequest, RecordedVerdict, SessionTrace, WantedFailure, WantedVerdict, failure_in, plan_with_past, trace_to,
    verdict_in,
};
use failwise::recover::look::Blind;
use failwise::recover::{LIMIT, Tools};
use failwise::time::stamp;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::answer::{Code, ToolAnswer, ToolError, data, gate_fields};
use crate::arguments::read;
use crate::desk::{Desk, client_session, env};
use crate::project::{Ground, ground_of};
use crate::recovery::{STEP_TEXTS, looks};

/// The fields of the plan; `plan_recovery` gives all.
const OF_THE_PLAN: &[&str] = &["hasRecoveryPlan", "id", "primaryStrategy", "reason", "rootCause", "suggestUserAction"];

/// What a match says of the mode, whatever the call was; `failwise diagnose` gives it.
const OF_THE_MODES_PAGE: &[&str] = &["limitation", "memory", "skill_patch", "spec_link"];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Given {
    project_path: Option<String>,
    id: Option<String>,
}

pub(crate) fn why_failed(desk: &mut Desk, arguments: Map<String, Value>) -> ToolAnswer {
    let Given { project_path, id } = read(arguments)?;
    let Ground { folder, place, is_project } = ground_of(desk, project_path.as_deref())?;
    let session = client_session();
    let wanted = match (&id, &session) {
        (Some(id), _) => WantedFailure::Named(id),
        (None, Some(session)) => WantedFailure::OfSession(session),
        (None, None) => WantedFailure::Newest,
    };
    let kept = place.as_ref().map_or(Ok(None), |place| failure_in(place, wanted))?;
    let Some((kept, place)) = kept.zip(place) else {
        return match id {
            Some(id) => {
                Err(ToolError::new(Code::InvalidArguments, &format!("no failure of this project is called {id}")))
            }
            None => Ok(json!({ "failure": null, "reason": "no failure is recorded here" })),
        };
    };
    let SessionTrace { trace, passed_since } = trace_to(&place, &kept)?;
    let recorded = verdict_in(&place, WantedVerdict::OfFailure(&kept.id))?;
    let failed = &kept.failed;
    let looks = if is_project { looks(failed, folder, place.root().to_owned()) } else { Box::new(Blind) };
    let (tools, now) = (Tools::of(&failed.tool, None, false), stamp(chrono::Utc::now()));
    let request =
        PlanRequest { failed, ids: &kept.ids, tried: &[], tools: &tools, looks: &*looks, now: &now, limit: LIMIT };
    let (plan, _) = plan_with_past(&env, Some(&place), &request);
    // What is only likely helps nobody who asks once; whoever wants all of it asks `failwise diagnose`.
    let mut diagnosis = DiagnoseResult::of(&without_secrets(&trace, diagnose_last), &[]);
    diagnosis.matches.retain(|found| found.is_told);
    diagnosis.matches.truncate(1);
    diagnosis.no_match = diagnosis.matches.is_empty() && !diagnosis.trace_insufficient;
    let mut answer = json!({
        "failure": {
            "id": kept.id,
            "at": kept.at,
            "tool": failed.tool,
            "call": failed.file.as_deref().unwrap_or(&failed.shown),
            "exitCode": failed.exit_code,
            "line": failed.reading.line,
            "passedSince": passed_since,
        },
        "verdict": recorded.as_ref().map(|recorded| &recorded.verdict),
        "decision": recorded.as_ref().map(|recorded| decision(&place, recorded, &now)).transpose()?,
        "diagnosis": data(&diagnosis)?,
        "plan": data(&plan)?,
    });
    if let Some(plan) = answer["plan"].as_object_mut() {
        plan.retain(|field, _| OF_THE_PLAN.contains(&field.as_str()));
    }
    for found in
        answer["diagnosis"]["matches"].as_array_mut().into_iter().flatten().filter_map(|found| found.as_object_mut())
    {
        found.retain(|field, _| !OF_THE_MODES_PAGE.contains(&field.as_str()));
    }
    gate_fields(&mut answer, STEP_TEXTS);
    gate_fields(&mut answer["failure"], &["call", "line"]);
    Ok(answer)
}

/// What was decided, else what would be now. Nothing is appended.
fn decision(place: &Place, recorded: &RecordedVerdict, now: &str) -> Result<Decision, ToolError> {
    if let Some(decided) = &recorded.decided {
        return Ok(decided.clone());
    }
    let mut ledger: Ledger = Journal::in_dir(&place.dir).begin_locked()?;
    let state = State::clone(&ledger.state(&recorded.verdict.node_id));
    let question = recorded.completed(Question::from(&recorded.verdict)).completed(&state);
    let none = || PlanFacts { node: question.node.clone(), ..PlanFacts::default() };
    let plan = recorded.plan.clone().unwrap_or_else(none);
    let others: Vec<State> =
        question.needs(&plan, &state).into_iter().map(|node| State::clone(&ledger.state(node))).collect();
    let (command, flaky) = recorded.of_its_call(&env, place);
    let facts = DecisionFacts {
        plan: &plan,
        state: &state,
        others: &others,
        command: command.as_deref(),
        deviation: None,
        flaky,
    };
    Ok(decide(&question, &facts, now).decision)
}
