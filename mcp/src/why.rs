//! `why_failed`: the newest failure, or the one that an ID names, with what `failwise why` knows of it.

use failwise::diagnose::diagnose_last;
use failwise::diagnose::result::{DiagnoseResult, without_secrets};
use failwise::recollect::{
    PlanRequest, SessionTrace, WantedFailure, WantedVerdict, failure_in, plan_with_past, trace_to, verdict_in,
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

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
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
        "decision": recorded.as_ref().and_then(|recorded| recorded.decided.as_ref()),
        "diagnosis": data(&DiagnoseResult::of(&without_secrets(&trace, diagnose_last), &[]))?,
        "plan": data(&plan)?,
    });
    if let Some(plan) = answer["plan"].as_object_mut() {
        plan.retain(|field, _| OF_THE_PLAN.contains(&field.as_str()));
    }
    if let Some(matches) = answer["diagnosis"]["matches"].as_array_mut() {
        matches.truncate(1);
    }
    gate_fields(&mut answer, STEP_TEXTS);
    gate_fields(&mut answer["failure"], &["call", "line"]);
    Ok(answer)
}
