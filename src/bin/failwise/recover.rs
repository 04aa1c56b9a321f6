//! `failwise recover`: why a call failed, and a plan to get past it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use failwise::error::Error;
use failwise::exit::Exit;
use failwise::history::Execution;
use failwise::host::recovery::{self, Asked};
use failwise::model::{Decision, DecisionAction, FailureEvent, Ids, Phase, Reading, Tool, ToolKind, Verdict};
use failwise::place::{Place, find};
use failwise::probe::Probe;
use failwise::project::text_env;
use failwise::recollect::{
    KeptFailure, PlanRequest, Recollected, RecordedPlan, WantedFailure, failure_in, plan_with_past, record,
};
use failwise::recover::look::{Blind, MachineLooks};
use failwise::recover::result::RecoveryPlan;
use failwise::recover::{AskedCall, Failed, LIMIT, PlanPast, Tools, event, text};
use failwise::settings::Settings;
use serde_json::json;

use crate::inputs::{from_stdin, warn};
use crate::style::{Format, escaped, shown};

const AFTER_HELP: &str = "\
Stdin is a hook payload, the failure event of scripts and skills, a verdict, or {\"toolCall\": {\"function\": \
{\"name\", \"arguments\"}}, \"error\": {\"message\", \"code\", \"stderr\", \"command\"}, \"iteration\", \
\"availableTools\", \"tried\"}. Arguments are an object or JSON text.

Exit codes: 0 a plan, or nothing has failed yet, 1 no failure of that node, 3 no plan (still a JSON object: \
`hasRecoveryPlan` is false, `reason` says why), 64 wrong command \
line, 65 the input cannot be read or is larger than 1 MiB, 74 the history with the failure could not be read. If \
earlier plans or fixes cannot be read, or the plan cannot be recorded, the plan is printed anyway; the reason goes to \
stderr.

Examples:
  failwise recover --last --probe --record --format text
  echo '{\"tool\":\"Bash\",\"command\":\"rm\",\"stderr_tail\":\"missing operand\"}' | \\
    failwise recover --probe";

/// Plan the recovery from a failed call: its cause, and ranked strategies
///
/// Strategies come from a fixed table, need their tools to be available, and are ranked by their earlier results.
/// Nothing is changed; --probe examines the machine, read-only, for at most two seconds.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct RecoverArgs {
    /// The newest failure in this project's history, instead of stdin
    #[arg(long)]
    last: bool,
    /// The newest failure of this node in the history
    #[arg(long, value_name = "ID")]
    node: Option<String>,
    /// Available tools, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    tools: Option<Vec<String>>,
    /// A writable folder
    #[arg(long, value_name = "DIR")]
    sandbox: Option<String>,
    /// Examine the machine for facts that the plan needs
    #[arg(long)]
    probe: bool,
    /// Record the plan in the project's history, so that its outcome counts
    #[arg(long)]
    record: bool,
    /// Maximum number of strategies
    #[arg(long, value_name = "N", default_value_t = LIMIT, value_parser = at_least_one)]
    limit: usize,
    /// Output format; by default text on a terminal, JSON in a pipe
    #[arg(long, value_enum)]
    format: Option<PlanFormat>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum PlanFormat {
    /// The plan as one object
    Json,
    /// For the agent's next turn
    Text,
    /// The log's event
    Event,
}

impl PlanFormat {
    fn of(asked: Option<Self>) -> Self {
        asked.unwrap_or_else(|| match Format::for_scripts(None) {
            Format::Text => Self::Text,
            Format::Json => Self::Json,
        })
    }
}

fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|number| *number > 0).ok_or_else(|| "a number from 1 on".to_owned())
}

/// What failed, and what is known beside it.
struct AskedFailure {
    failed: Failed,
    tools: Option<Vec<String>>,
    tried: Vec<String>,
    is_contract: bool,
    ids: Ids,
    episode: Option<String>,
    /// The failure as the history has it, where it was looked for there.
    kept: Option<Box<KeptFailure>>,
}

pub(crate) fn run(args: &RecoverArgs) -> crate::CommandOutcome {
    let found = match (args.last, &args.node) {
        (_, Some(node)) => match from_history(WantedFailure::OfNode(node))? {
            None if from_history(WantedFailure::Newest)?.is_some() => {
                let error = Error::refused(format!("no failure of this project is of {}", shown(node, 60)));
                return Err(error.hint("`failwise watch --once` shows who failed").into());
            }
            found => found,
        },
        (true, None) => from_history(WantedFailure::Newest)?,
        (false, None) => Some(on_stdin()?),
    };
    let Some(mut found) = found else { return nothing(PlanFormat::of(args.format)) };
    found.failed.sandbox.clone_from(&args.sandbox);
    let place = asked_place(&found);
    if let Some((kept, place)) = found.kept.as_ref().zip(place.as_ref()) {
        let decided = crate::decide::of_failure(place, &kept.id).ok().flatten();
        found.failed.wait_ms = decided.and_then(|(_, decision)| decided_wait(&decision));
    }
    if args.record && found.kept.is_none() {
        find_in_history(place.as_ref(), &mut found);
    }
    let given = args.tools.clone().or(found.tools.clone());
    let made = MadePlan::of(found, place, given.as_deref(), args.probe, args.limit)?;
    print(PlanFormat::of(args.format), &made)?;
    if args.record {
        made.record();
    }
    Ok(if made.plan.has_recovery_plan { Exit::Ok } else { Exit::NotFailure })
}

/// A plan, and what it was made of.
pub(crate) struct MadePlan {
    plan: RecoveryPlan,
    found: AskedFailure,
    place: Option<Place>,
    past: PlanPast,
    elapsed_ms: u64,
}

impl MadePlan {
    fn of(
        found: AskedFailure,
        place: Option<Place>,
        tools: Option<&[String]>,
        probe: bool,
        limit: usize,
    ) -> Result<Self, Error> {
        let begun = Instant::now();
        // Every client has a shell; the other tools are Claude Code's.
        let shell = found.ids.host.named().map(|_| vec!["Bash".to_owned()]);
        let tools = Tools::of(&found.failed.tool, tools.or(shell.as_deref()), found.is_contract);
        let now = crate::now();
        let looks = looks(probe, &found.failed)?;
        let (failed, tried) = (&found.failed, &*found.tried);
        let request = PlanRequest { failed, ids: &found.ids, tried, tools: &tools, looks: &*looks, now: &now, limit };
        let (plan, Recollected { past, faults }) = plan_with_past(&crate::env, place.as_ref(), &request);
        for fault in faults {
            warn(&shown(&fault, 300));
        }
        let elapsed_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(Self { plan, found, place, past, elapsed_ms })
    }

    /// Against a failure of the history.
    pub(crate) fn of_kept(place: Place, kept: KeptFailure, probe: bool) -> Result<Self, Error> {
        Self::of(AskedFailure::kept(kept), Some(place), None, probe, LIMIT)
    }

    pub(crate) fn plan(&self) -> &RecoveryPlan {
        &self.plan
    }

    /// Records it. It has been told by now, so that what cannot be recorded is only said.
    pub(crate) fn record(&self) {
        keep(self.place.as_ref(), &self.found, &self.plan, &self.past, self.elapsed_ms);
    }
}

/// How long a failed call is not made again, where a decision is that it is.
pub(crate) fn decided_wait(decision: &Decision) -> Option<u64> {
    let waits = matches!(decision.action, DecisionAction::Retry | DecisionAction::SingleRetry);
    waits.then_some(decision.delay_ms).filter(|wait| *wait > 0)
}

/// The project whose history and memory are asked: where the call ran; of the history's own failures the one here.
fn asked_place(found: &AskedFailure) -> Option<Place> {
    let cwd = found.failed.cwd.as_ref().filter(|_| found.kept.is_none()).map(PathBuf::from);
    let cwd = cwd.filter(|cwd| cwd.is_absolute()).or_else(|| crate::here().ok());
    find(&crate::env, cwd.as_deref())
}

/// Joins a call from outside to its failure in the history, so that what becomes of the plan is told by its node.
fn find_in_history(place: Option<&Place>, found: &mut AskedFailure) {
    let Some(place) = place.filter(|_| found.ids.session.is_some()) else { return };
    match failure_in(place, WantedFailure::OfCall(&found.ids, &found.failed.signature.fine)) {
        Ok(kept) => {
            found.failed.attempt = kept.as_ref().map_or(found.failed.attempt, |kept| kept.failed.attempt);
            found.episode = kept.as_ref().and_then(|kept| kept.episode.clone());
            found.kept = kept.map(Box::new);
        }
        Err(error) => warn(&format!("the history could not be read: {error}")),
    }
}

fn keep(place: Option<&Place>, found: &AskedFailure, plan: &RecoveryPlan, past: &PlanPast, elapsed_ms: u64) {
    if !found.failed.outcome.is_failure() {
        return;
    }
    let is_off = Settings::is_off(&text_env(&crate::env));
    let Some(place) = place.filter(|_| !is_off) else {
        let why = if is_off { "Failwise is switched off" } else { "neither a project nor a home folder is known" };
        return warn(&format!("the plan is not recorded: {why}"));
    };
    let recorded =
        RecordedPlan { plan, failed: &found.failed, past, ids: &found.ids, kept: found.kept.as_deref(), elapsed_ms };
    if let Err(error) = record(place, &recorded) {
        warn(&format!("the plan is not recorded: {}", shown(&error.to_string(), 300)));
    }
}

/// What looks at the machine, from the folder that the call ran in.
fn looks(is_asked: bool, failed: &Failed) -> Result<Box<dyn MachineLooks>, Error> {
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

fn print(format: PlanFormat, MadePlan { plan, found, elapsed_ms, .. }: &MadePlan) -> Result<(), crate::CommandFailure> {
    let mut out = std::io::stdout().lock();
    match format {
        PlanFormat::Json => writeln!(out, "{}", escaped(&serde_json::to_string(&crate::style::versioned(plan)?)?))?,
        PlanFormat::Text => write!(crate::style::text_page(Format::Text), "{}", text(plan))?,
        PlanFormat::Event => {
            let asked = failwise::recover::LogScene {
                session: found.ids.session.as_deref(),
                episode: found.episode.as_deref(),
                tool: &found.failed.tool,
                elapsed_ms: *elapsed_ms,
            };
            writeln!(out, "{}", escaped(&event(plan, &asked).to_string()))?;
        }
    }
    Ok(out.flush()?)
}

/// There is no failure to plan for.
fn nothing(format: PlanFormat) -> crate::CommandOutcome {
    const REASON: &str = "the history of this project has no failure";
    let mut out = std::io::stdout().lock();
    match format {
        PlanFormat::Text => writeln!(out, "No recovery: {REASON}.")?,
        _ => writeln!(
            out,
            "{}",
            json!({ "schema_version": 1, "hasRecoveryPlan": false, "reason": REASON, "suggestUserAction": true })
        )?,
    }
    Ok(Exit::Ok)
}

fn on_stdin() -> Result<AskedFailure, crate::CommandFailure> {
    const SHAPES: &str = "give a hook payload, a failure event, a verdict, or {toolCall, error}; see --help";
    let input =
        from_stdin("there is no failure on stdin", "take the newest one with --last, or pipe one in; see --help")?;
    let asked = recovery::read(&input).map_err(|error| Error::unreadable(error.to_string()).hint(SHAPES))?;
    match asked {
        Asked::Calls(calls) => {
            let mut read: Vec<AskedFailure> = calls.iter().filter_map(judged).collect();
            // Of a batch the first that failed is the one that is asked about.
            let at = read.iter().position(|found| found.failed.outcome.is_failure()).unwrap_or(0);
            if read.is_empty() {
                return Err(Error::unreadable("the input has no tool call")
                    .hint("`failwise recover --help` shows one")
                    .into());
            }
            Ok(read.swap_remove(at))
        }
        Asked::Verdict(verdict) => {
            let reference = verdict.history_ref.clone().unwrap_or_default();
            Ok(from_history(WantedFailure::OfEvent(&reference))?.unwrap_or_else(|| of_verdict(&verdict)))
        }
    }
}

/// A call as it is judged without a past.
fn judged(asked: &AskedCall) -> Option<AskedFailure> {
    let mut asked = asked.clone();
    if asked.call.cwd.is_none() {
        asked.call.cwd = crate::here().ok().and_then(|here| here.to_str().map(str::to_owned));
    }
    Some(AskedFailure {
        failed: Failed::asked(&asked)?,
        tools: asked.tools.clone(),
        tried: asked.tried.clone(),
        is_contract: asked.is_contract,
        ids: asked.call.ids.clone(),
        episode: None,
        kept: None,
    })
}

/// A verdict whose call is in no history: what it says itself.
fn of_verdict(verdict: &Verdict) -> AskedFailure {
    let reading = Reading {
        category: verdict.category,
        basis: verdict.basis,
        likely: verdict.likely.flatten(),
        ..Reading::unrecognised()
    };
    let operation = verdict.operation.clone();
    let is_named = |tool: &str| tool != "Bash" && Tool::named(tool).kind != ToolKind::Other;
    let named = operation.0.split_once(':').filter(|(tool, _)| is_named(tool));
    let (tool, input) = named.unwrap_or(("Bash", &operation.0));
    let (tool, input) = (tool.to_owned(), input.to_owned());
    let failure = FailureEvent {
        took_ms: None,
        tool: tool.clone(),
        phase: Phase::Call,
        outcome: verdict.outcome,
        operation,
        exit_code: None,
        text: String::new(),
        reading,
        signature: verdict.signature.clone(),
        files_touched: Vec::new(),
        wrote: Vec::new(),
        cause: None,
        conflict_id: None,
        failed_attempts: Some(verdict.attempt),
        check: None,
        parallel: false,
        ids: Ids::default(),
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
    AskedFailure {
        failed: Failed::kept(&execution, &failure),
        tools: None,
        tried: Vec::new(),
        is_contract: false,
        ids: Ids { tool_use: verdict.tool_use_id.clone(), ..Ids::default() },
        episode: Some(verdict.episode.clone()),
        kept: None,
    }
}

/// A failure of this project's history.
fn from_history(wanted: WantedFailure<'_>) -> Result<Option<AskedFailure>, Error> {
    let Some(place) = crate::found() else { return Ok(None) };
    Ok(failure_in(&place, wanted)?.map(AskedFailure::kept))
}

impl AskedFailure {
    /// One of a history.
    fn kept(kept: KeptFailure) -> Self {
        Self {
            failed: kept.failed.clone(),
            tools: None,
            tried: Vec::new(),
            is_contract: false,
            ids: kept.ids.clone(),
            episode: kept.episode.clone(),
            kept: Some(Box::new(kept)),
        }
    }
}
