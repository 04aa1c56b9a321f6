//! `classify_failure`: what became of a command, what kind of failure it is, what happens next, and what worked before.

use std::path::Path;

use failwise::classify::{Answer, DEFAULT};
use failwise::decide::{DecisionFacts, Question, decide, flaky_test, offered_again};
use failwise::engine::{Engine, Observed, States, Surroundings};
use failwise::history::State;
use failwise::host::payload::{self, PayloadKind};
use failwise::journal::Journal;
use failwise::model::{Recalled, Sought};
use failwise::place::{Place, client_folder, find};
use failwise::plan::PlanTree;
use failwise::project;
use failwise::time::stamp;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::answer::{Code, ToolAnswer, ToolError};
use crate::arguments::read;
use crate::desk::{Desk, client_session, env};
use crate::project::switched_off;

/// The largest history whose attempts are counted, in bytes: a larger one would take longer than an answer may.
const LARGEST_HISTORY: u64 = 64 * 1024 * 1024;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Asked {
    command: String,
    #[serde(default)]
    output: String,
    exit_code: Option<i32>,
    cwd: Option<String>,
}

pub(crate) fn classify_failure(desk: &mut Desk, arguments: Map<String, Value>) -> ToolAnswer {
    let Asked { command, output, exit_code, cwd } = read(arguments)?;
    let invalid = |why: &str| ToolError::new(Code::InvalidArguments, why);
    if cwd.as_deref().is_some_and(|cwd| !Path::new(cwd).is_absolute()) {
        return Err(invalid("cwd is no absolute path"));
    }
    let own = || client_folder(&env, std::env::current_dir).ok()?.to_str().map(str::to_owned);
    let cwd = cwd.or_else(own);
    let place = find(&env, cwd.as_deref().map(Path::new));
    switched_off(place.as_ref())?;
    // What was reported a moment ago is recalled; without the base there is what was written before.
    if let Some(place) = place.as_ref().filter(|place| !Journal::in_dir(&place.dir).parts().is_empty()) {
        let _ = desk.catch_up(place);
    }
    let event = json!({ "tool": "Bash", "command": command, "stderr_tail": output, "exit_code": exit_code });
    let session = client_session();
    let text = event.to_string();
    let payload = payload::parse(text.as_bytes()).map_err(|error| invalid(&error.to_string()))?;
    let payload = payload.completed(cwd, session);
    let PayloadKind::Report(call) = &payload.kind else { return Err(invalid("no command")) };

    let tree = place.as_ref().and_then(|place| PlanTree::open(place.plans.as_ref()?).ok());
    let mut states = place.as_ref().map_or_else(|| Ok(None), past_of)?;
    let mut project = project::Project::new(&env, place.as_ref(), tree);
    project.has_history = states.is_some();
    let states = states.get_or_insert_with(|| States::new(&DEFAULT));
    let node = project.node_of(&payload, |node| states.get(node).bound.clone());
    let worktree = project.worktree();
    let now = stamp(chrono::Utc::now());
    let engine = Engine {
        node: &node,
        ids: &payload.ids,
        now: &now,
        worktree: worktree.as_deref(),
        ruleset: &DEFAULT,
        around: &project,
    };
    let observed = engine.look(std::slice::from_ref(call)).pop().ok_or_else(|| invalid("no command"))?;
    answered(&engine, &observed, states, &project)
}

fn answered(engine: &Engine<'_>, observed: &Observed, states: &States, project: &project::Project<'_>) -> ToolAnswer {
    let mut plan = observed.plan.clone();
    let state = State::clone(&states.get(engine.node));
    let examined = engine.examine(&observed.event, &mut plan, &state, &mut &*states);
    let examined = examined.ok_or_else(|| ToolError::new(Code::InvalidArguments, "no command"))?;
    let Answer::Verdict(verdict) = &examined.answer else {
        return Ok(json!({ "verdict": examined.answer, "decision": null, "recall": null }));
    };
    let question = Question::from(verdict.as_ref()).completed(&state);
    let others: Vec<State> =
        question.needs(&plan, &state).into_iter().map(|node| State::clone(&states.get(node))).collect();
    let execution = observed.event.execution();
    let command = execution.and_then(offered_again);
    let input = execution.and_then(|execution| execution.input.as_deref());
    let flaky = execution.and_then(flaky_test).is_some_and(|test| project.is_flaky(test));
    let facts = DecisionFacts {
        plan: &plan,
        state: &state,
        others: &others,
        command: command.as_deref(),
        deviation: None,
        flaky,
    };
    let decision = decide(&question, &facts, engine.now).decision;
    let sought = Sought {
        fine: &verdict.signature.fine,
        coarse: &verdict.signature.coarse,
        category: verdict.category,
        // Whoever asks wants to hear it, whatever its session taught.
        session: None,
        object: examined.failure.reading.primary_object().map(|object| object.name.as_str()),
        test: examined.failure.reading.only_failed_test(),
        input,
        cwd: execution.and_then(|execution| execution.cwd.as_deref()),
        text: &examined.failure.text,
        now: engine.now,
        asked: true,
    };
    let recall = if verdict.signature.vague { None } else { project.recall(&sought) };
    let recall = recall.map(|Recalled { id, words, .. }| json!({ "id": id, "words": words }));
    Ok(json!({ "verdict": examined.answer, "decision": decision, "recall": recall }))
}

/// What the history says of all nodes; none where there is none, or so long a one that reading it would take too long.
fn past_of(place: &Place) -> Result<Option<States>, ToolError> {
    let parts = Journal::in_dir(&place.dir).parts();
    let length: u64 = parts.iter().filter_map(|part| std::fs::symlink_metadata(part).ok()).map(|meta| meta.len()).sum();
    if length > LARGEST_HISTORY {
        return Ok(None);
    }
    Ok(project::past_of(&parts, &DEFAULT)?)
}
