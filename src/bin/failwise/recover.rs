//! `failwise recover`: why a call failed, and a plan to get past it.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use failwise::engine::failure_of;
use failwise::error::Error;
use failwise::exit::Exit;
use failwise::history::{Event, Execution, Line, parse};
use failwise::host::recovery::{self, Asked, MAX_BYTES};
use failwise::journal::{Journal, read_lines};
use failwise::model::{FailureEvent, Outcome};
use failwise::place::{Place, find};
use failwise::probe::Probe;
use failwise::recover::look::{Blind, Looks};
use failwise::recover::result::RecoveryPlan;
use failwise::recover::{AskedCall, Failed, LIMIT, Past, Question, Tools, event, plan, text};
use serde_json::json;

use crate::style::escaped;

const AFTER_HELP: &str = "\
Stdin is a hook payload, the failure event of scripts and skills, a verdict, or
{\"toolCall\": {\"function\": {\"name\", \"arguments\"}}, \"error\": {\"message\", \"code\", \"stderr\", \"command\"},
\"iteration\", \"availableTools\", \"tried\"}; arguments as an object or as JSON text.

Exit codes: 0 a plan, 3 none (a JSON object all the same: `hasRecoveryPlan` is false, `reason` says why),
64 wrong command line, 65 the input cannot be read or has more than 1 MiB, 74 a file could not be read.

Examples:
  failwise recover --last --probe --format text
  echo '{\"tool\":\"Bash\",\"command\":\"npm run tets\",\"exit_code\":1,\"stderr_tail\":\"npm error Missing script: \\\"tets\\\"\"}' |
    failwise recover --probe";

/// Plan how to get past a failed call: why it failed, what can be done, in which order
///
/// Strategies come from a fixed table, are dropped where what they need is not there, and are ranked. Nothing is changed;
/// with --probe the machine is looked at, read-only, for at most two seconds.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct RecoverArgs {
    /// The newest failure in this project's history, instead of stdin
    #[arg(long)]
    last: bool,
    /// The newest failure of this node in the history
    #[arg(long, value_name = "ID")]
    node: Option<String>,
    /// The tools that are there, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    tools: Option<Vec<String>>,
    /// A folder that may be written to
    #[arg(long, value_name = "DIR")]
    sandbox: Option<String>,
    /// Look at the machine for what the plan needs to know
    #[arg(long)]
    probe: bool,
    /// The most strategies that are told
    #[arg(long, value_name = "N", default_value_t = LIMIT, value_parser = at_least_one)]
    limit: usize,
    /// How the plan is printed
    #[arg(long, value_enum, default_value = "json")]
    format: Format,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// The plan as one object
    #[default]
    Json,
    /// For the agent's next turn
    Text,
    /// The log's event
    Event,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|number| *number > 0).ok_or_else(|| "a number from 1 on".to_owned())
}

/// What failed, and what is known beside it.
struct Found {
    failed: Failed,
    tools: Option<Vec<String>>,
    tried: Vec<String>,
    is_contract: bool,
    session: Option<String>,
    episode: Option<String>,
}

pub(crate) fn run(args: &RecoverArgs) -> crate::CommandOutcome {
    let begun = Instant::now();
    let found =
        if args.last || args.node.is_some() { from_history(args.node.as_deref(), None)? } else { from_stdin()? };
    let Some(mut found) = found else { return nothing(args.format) };
    found.failed.sandbox.clone_from(&args.sandbox);
    let given = args.tools.as_ref().or(found.tools.as_ref());
    let tools = Tools::of(&found.failed.tool, given.map(Vec::as_slice), found.is_contract);
    let past = Past { failed: found.tried.clone(), ..Past::default() };
    let now = crate::now();
    let looks = looks(args.probe, &found.failed)?;
    let question =
        Question { failed: &found.failed, tools: &tools, looks: &*looks, past: &past, now: &now, limit: args.limit };
    let plan = plan(&question);
    print(args.format, &plan, &found, begun)?;
    Ok(if plan.has_recovery_plan { Exit::Ok } else { Exit::NotFailure })
}

/// What looks at the machine, from the folder that the call ran in.
fn looks(is_asked: bool, failed: &Failed) -> Result<Box<dyn Looks>, Error> {
    if !is_asked {
        return Ok(Box::new(Blind));
    }
    let folder = match &failed.cwd {
        Some(cwd) if Path::new(cwd).is_absolute() => PathBuf::from(cwd),
        _ => crate::here()?,
    };
    let project = find(&crate::env, Some(&folder)).map_or_else(|| folder.clone(), |place| place.root().to_owned());
    Ok(Box::new(Probe::new(folder, project, crate::env("PATH").as_deref())))
}

fn print(format: Format, plan: &RecoveryPlan, found: &Found, begun: Instant) -> crate::CommandOutcome {
    let mut out = std::io::stdout().lock();
    match format {
        Format::Json => writeln!(out, "{}", escaped(&serde_json::to_string(plan)?))?,
        Format::Text => write!(out, "{}", text(plan))?,
        Format::Event => {
            let elapsed_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
            let asked = failwise::recover::LogScene {
                session: found.session.as_deref(),
                episode: found.episode.as_deref(),
                tool: &found.failed.tool,
                elapsed_ms,
            };
            writeln!(out, "{}", escaped(&event(plan, &asked).to_string()))?;
        }
    }
    Ok(Exit::Ok)
}

/// There is no failure to plan for.
fn nothing(format: Format) -> crate::CommandOutcome {
    const REASON: &str = "the history of this project holds no failure";
    let mut out = std::io::stdout().lock();
    match format {
        Format::Text => writeln!(out, "No recovery: {REASON}.")?,
        _ => writeln!(out, "{}", json!({ "hasRecoveryPlan": false, "reason": REASON, "suggestUserAction": true }))?,
    }
    Ok(Exit::NotFailure)
}

fn from_stdin() -> Result<Option<Found>, crate::CommandFailure> {
    let mut input = Vec::new();
    std::io::stdin().lock().take(MAX_BYTES as u64 + 1).read_to_end(&mut input)?;
    let asked = recovery::read(&input).map_err(|error| {
        Error::unreadable(error.to_string())
            .hint("give a hook payload, a failure event, a verdict, or {toolCall, error}; see --help")
    })?;
    match asked {
        Asked::Calls(calls) => {
            let mut read: Vec<Found> = calls.iter().filter_map(judged).collect();
            // Of a batch the first that failed is the one that is asked about.
            let at = read.iter().position(|found| found.failed.outcome.is_failure()).unwrap_or(0);
            if read.is_empty() {
                return Err(Error::unreadable("the input holds no tool call").into());
            }
            Ok(Some(read.swap_remove(at)))
        }
        Asked::Verdict(verdict) => {
            let reference = verdict.history_ref.clone().unwrap_or_default();
            match from_history(None, Some(&reference))? {
                Some(found) => Ok(Some(found)),
                None => Ok(Some(of_verdict(&verdict))),
            }
        }
    }
}

/// A call as it is judged without a past.
fn judged(asked: &AskedCall) -> Option<Found> {
    let mut asked = asked.clone();
    if asked.call.cwd.is_none() {
        asked.call.cwd = crate::here().ok().and_then(|here| here.to_str().map(str::to_owned));
    }
    Some(Found {
        failed: Failed::asked(&asked)?,
        tools: asked.tools.clone(),
        tried: asked.tried.clone(),
        is_contract: asked.is_contract,
        session: asked.call.ids.session.clone(),
        episode: None,
    })
}

/// A verdict whose call is in no history: what it says itself.
fn of_verdict(verdict: &failwise::model::Verdict) -> Found {
    let reading = failwise::model::Reading {
        category: verdict.category,
        basis: verdict.basis,
        likely: verdict.likely.flatten(),
        ..failwise::model::Reading::unrecognised()
    };
    let operation = verdict.operation.clone();
    let tool = operation
        .0
        .split_once(':')
        .map(|(tool, _)| tool)
        .filter(|tool| failwise::model::Tool::named(tool).kind != failwise::model::ToolKind::Other);
    let tool = tool.unwrap_or("Bash").to_owned();
    let input = operation
        .0
        .split_once(':')
        .filter(|_| tool != "Bash")
        .map_or(operation.0.clone(), |(_, input)| input.to_owned());
    let failure = FailureEvent {
        tool: tool.clone(),
        phase: failwise::model::Phase::Call,
        outcome: verdict.outcome,
        operation,
        exit_code: None,
        text: String::new(),
        reading,
        signature: verdict.signature.clone(),
        files_touched: Vec::new(),
        cause: None,
        conflict_id: None,
        failed_attempts: Some(verdict.attempt),
        check: None,
        parallel: false,
        ids: failwise::model::Ids::default(),
        node: verdict.node_id.clone(),
    };
    // The operation is the call's normalised form: enough to look, and not to run again.
    let execution = Execution {
        tool: Some(tool),
        outcome: Some(verdict.outcome),
        input: Some(input),
        input_altered: true,
        ..Execution::default()
    };
    Found {
        failed: Failed::kept(&execution, &failure),
        tools: None,
        tried: Vec::new(),
        is_contract: false,
        session: None,
        episode: Some(verdict.episode.clone()),
    }
}

/// The newest failure of the project's history, or the one of an event's id, with its attempt.
fn from_history(node: Option<&str>, id: Option<&str>) -> Result<Option<Found>, Error> {
    let here = crate::here().ok();
    let Some(place) = find(&crate::env, here.as_deref()) else { return Ok(None) };
    let mut last: Option<Event> = None;
    let mut known: Option<(u32, String)> = None;
    for part in parts(&place) {
        read_lines(&part, |_, line| {
            let Line::Event(event) = parse(line) else { return };
            let is_wanted = node.is_none_or(|node| event.node == node);
            if event.is_failure() && is_wanted && id.is_none_or(|id| event.id == id) {
                last = Some(*event);
                known = None;
            } else if let (Some(verdict), Some(failed)) = (event.verdict(), &last)
                && verdict.history_ref.as_deref() == Some(&failed.id)
            {
                known = Some((verdict.attempt, verdict.episode.clone()));
            }
        })?;
    }
    let Some(event) = last
        .filter(|event| event.execution().is_some_and(|execution| execution.outcome.is_some_and(Outcome::is_failure)))
    else {
        return Ok(None);
    };
    let (Some(execution), Some(failure)) = (event.execution(), failure_of(&event)) else { return Ok(None) };
    let mut failed = Failed::kept(execution, &failure);
    if let Some((attempt, _)) = &known {
        failed.attempt = *attempt;
    }
    Ok(Some(Found {
        failed,
        tools: None,
        tried: Vec::new(),
        is_contract: false,
        session: event.session.clone(),
        episode: known.map(|(_, episode)| episode),
    }))
}

fn parts(place: &Place) -> Vec<PathBuf> {
    Journal::in_dir(Path::new(&place.dir)).parts()
}
