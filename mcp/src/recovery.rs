//! `plan_recovery`: why a call failed, and a plan to get past it, as `failwise recover --probe` makes it.

use std::path::{Path, PathBuf};
use std::time::Instant;

use failwise::host::recovery::{self, Asked};
use failwise::model::Ids;
use failwise::place::Place;
use failwise::probe::Probe;
use failwise::recollect::{
    KeptFailure, PlanRequest, Recollected, RecordedPlan, WantedFailure, failure_in, plan_with_past, record,
};
use failwise::recover::look::{Blind, MachineLooks};
use failwise::recover::{Failed, LIMIT, Tools};
use failwise::redact::redact_printed;
use failwise::text::one_line;
use failwise::time::stamp;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::answer::{Code, ToolAnswer, ToolError, data, gate_fields};
use crate::arguments::read;
use crate::desk::{Desk, client_session, env};
use crate::project::{Ground, ground_of};

/// Fields of a step that quote the failed call.
pub(crate) const STEP_TEXTS: &[&str] = &["command", "new_string", "old_string", "pattern", "query", "script"];
/// The longest note, in characters.
const LONGEST_NOTE: usize = 300;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "switches of one call, each given by itself")]
struct Given {
    project_path: Option<String>,
    tool_call: Option<Value>,
    error: Option<Value>,
    command: Option<String>,
    #[serde(default)]
    output: String,
    exit_code: Option<i32>,
    cwd: Option<String>,
    #[serde(default)]
    last: bool,
    tools: Option<Vec<String>>,
    #[serde(default)]
    tried: Vec<String>,
    #[serde(default = "yes")]
    probe: bool,
    #[serde(default)]
    record: bool,
    /// Whether what is not offered is named, too.
    #[serde(default)]
    dropped: bool,
}

fn yes() -> bool {
    true
}

/// What failed.
struct Found {
    failed: Failed,
    ids: Ids,
    is_contract: bool,
    kept: Option<KeptFailure>,
}

pub(crate) fn plan_recovery(desk: &mut Desk, arguments: Map<String, Value>) -> ToolAnswer {
    let begun = Instant::now();
    let given: Given = read(arguments)?;
    let Ground { folder, place, is_project } = ground_of(desk, given.project_path.as_deref())?;
    let Some(found) = found(&given, &folder, place.as_ref())? else {
        let reason = "the history of this project has no failure";
        return Ok(
            json!({ "schema_version": 1, "hasRecoveryPlan": false, "reason": reason, "suggestUserAction": true }),
        );
    };
    let Found { failed, ids, is_contract, kept } = &found;
    let now = stamp(chrono::Utc::now());
    let tools = Tools::of(&failed.tool, given.tools.as_deref(), *is_contract);
    let root = match (&given.project_path, &place) {
        (None, Some(place)) => place.root().to_owned(),
        _ => folder.clone(),
    };
    let looks = if given.probe && is_project { looks(failed, folder, root) } else { Box::new(Blind) };
    let (tried, looks) = (&*given.tried, &*looks);
    let request = PlanRequest { failed, ids, tried, tools: &tools, looks, now: &now, limit: LIMIT };
    let (plan, Recollected { past, faults: mut notes }) = plan_with_past(&env, place.as_ref(), &request);
    let mut answer = data(&plan)?;
    if !given.dropped
        && let Some(fields) = answer.as_object_mut()
    {
        fields.remove("dropped");
    }
    if given.last {
        // The steps quote what the history holds, and not what the agent has just written.
        gate_fields(&mut answer, STEP_TEXTS);
    }
    if given.probe && !is_project {
        notes.push("nothing was looked at: the server was started in no project; give projectPath".to_owned());
    }
    if given.record && failed.outcome.is_failure() {
        let elapsed_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let recorded = RecordedPlan { plan: &plan, failed, past: &past, ids, kept: kept.as_ref(), elapsed_ms };
        let done = place.as_ref().map(|place| record(place, &recorded));
        notes.extend(match done {
            Some(Ok(())) => None,
            Some(Err(error)) => Some(format!("the plan is not recorded: {error}")),
            None => Some("the plan is not recorded: no project is known".to_owned()),
        });
    }
    if !notes.is_empty() {
        answer["notes"] = notes.iter().map(|note| one_line(&redact_printed(note), LONGEST_NOTE)).collect();
    }
    Ok(answer)
}

/// The failure that is asked about; None where it is the history's newest, and that holds none.
fn found(given: &Given, folder: &Path, place: Option<&Place>) -> Result<Option<Found>, ToolError> {
    let invalid = |why: &str| ToolError::new(Code::InvalidArguments, why);
    if given.cwd.as_deref().is_some_and(|cwd| !Path::new(cwd).is_absolute()) {
        return Err(invalid("cwd is no absolute path"));
    }
    let cwd = given.cwd.as_deref().or_else(|| folder.to_str());
    let session = client_session();
    let asked = match (&given.tool_call, &given.command, given.last) {
        (Some(call), None, false) => {
            json!({ "toolCall": call, "error": given.error, "cwd": cwd, "sessionId": session })
        }
        (None, Some(command), false) => json!({
            "tool": "Bash", "command": command, "stderr_tail": given.output,
            "exit_code": given.exit_code, "cwd": cwd, "session_id": session,
        }),
        (None, None, true) => {
            let kept = place.map_or(Ok(None), |place| failure_in(place, WantedFailure::Newest))?;
            return Ok(kept.map(|kept| Found {
                failed: kept.failed.clone(),
                ids: kept.ids.clone(),
                is_contract: false,
                kept: Some(kept),
            }));
        }
        _ => return Err(invalid("give toolCall and error, or command and output, or last")),
    };
    let Asked::Calls(calls) =
        recovery::read(asked.to_string().as_bytes()).map_err(|error| invalid(&error.to_string()))?
    else {
        return Err(invalid("no call"));
    };
    let call = calls.into_iter().next().ok_or_else(|| invalid("no call"))?;
    let mut failed = Failed::asked(&call).ok_or_else(|| invalid("no call"))?;
    let (ids, is_contract) = (call.call.ids.clone(), call.is_contract);
    let wanted = WantedFailure::OfCall(&ids, &failed.signature.fine);
    // Only a plan that is recorded asks for its failure; where the history cannot be read, the record says so.
    let kept = place.filter(|_| given.record && ids.session.is_some());
    let kept = kept.and_then(|place| failure_in(place, wanted).ok().flatten());
    failed.attempt = kept.as_ref().map_or(failed.attempt, |kept| kept.failed.attempt);
    Ok(Some(Found { failed, ids, is_contract, kept }))
}

/// What looks at the machine from where the call ran, else from `folder`: at nothing outside `root`.
pub(crate) fn looks(failed: &Failed, folder: PathBuf, root: PathBuf) -> Box<dyn MachineLooks> {
    let from = failed.cwd.as_deref().map(PathBuf::from).filter(|cwd| cwd.is_absolute()).unwrap_or(folder);
    Box::new(Probe::new(from, root, env("PATH").as_deref()).inside_only())
}
