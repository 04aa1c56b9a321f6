//! `failwise workflow`: steps that hand clean texts on, run, resumed and shown.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use failwise::client::{self, ClientRuns, ClientStep, Family, GO_ON, Judge, Limits, Signals, StepEnd, Why};
use failwise::error::Error;
use failwise::exit::Exit;
use failwise::place::Place;
use failwise::stream::{Arguments, Cause, CommandFile, Rendered};
use failwise::time::duration;
use failwise::workflow::{
    OutputKind, RunState, RunStatus, StepDefinition, StepRecord, WORK_ORDER, Workflow, command_of, workflow_of,
};
use serde_json::{Value, json};

use crate::inputs::warn;
use crate::render::{Stdin, dialect_of, read_text, tell_unused};
use crate::result::tell_denied;
use crate::run::{PolicyArgs, RunWatcher, check_flags, exit_of_step, gave_a_text};
use crate::style::{Format, PrintArgs, Style, for_stdout, nothing_yet, print_json, shown, versioned};

const AFTER_HELP: &str = "\
A workflow is a TOML file with `name`, `inputs` and one [[step]] for each step. A step has `name`, `command` (a \
command file in the same folder), `arguments` and `timeout`. Its `output` is text, json, path, branch, url or \
one_of:a,b, and `not_found` the output that says so. In arguments, {key} is an input, {step} the output of an earlier step, and \
{step.json.field} a part of it. Built in: work-order, from an issue to a pull request in seven steps (inputs: issue, \
number, order).

The state of a run is stored next to the project's history, readable by you only. `resume` continues a killed run and \
repeats no finished step. Inputs and outputs are removed when the run completes, unless --keep is given.

Exit codes: 0 all steps are done, else that of the first failed step (1 failed, 4 no text, 69 no client, 75 stopped at \
its retries, time or cost); 1 no such run or workflow, or another process has it; 64 wrong command line or unknown input, 65 bad workflow \
file, 130 and 143 ended by a signal.

Examples:
  failwise workflow run work-order number=42
  failwise workflow run release.toml notes=@NOTES.md -- --model opus
  failwise workflow run work-order number=42 --dry-run
  failwise workflow resume -- --permission-mode acceptEdits
  failwise workflow show --format json";

/// Run steps that pass on their answers, resume them, show results
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct WorkflowArgs {
    #[command(subcommand)]
    task: WorkflowCommand,
}

#[derive(Debug, clap::Subcommand)]
enum WorkflowCommand {
    Run(WorkflowRunArgs),
    Resume(ResumeArgs),
    Show(WorkflowShowArgs),
    List(WorkflowListArgs),
}

/// Run a workflow from its beginning
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "failwise workflow run [OPTIONS] <NAME|FILE> [KEY=VALUE]... [-- FLAGS]",
    after_help = "Examples:\n  failwise workflow run work-order number=42\n  failwise workflow run release.toml version=1.4 --dry-run"
)]
struct WorkflowRunArgs {
    /// A built-in workflow, or a file
    #[arg(value_name = "NAME|FILE.toml")]
    workflow: String,
    /// The inputs; @FILE is read from a file, @- from stdin
    #[arg(value_name = "KEY=VALUE|KEY=@FILE")]
    inputs: Vec<String>,
    /// Print the prompts and start nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    how: HowArgs,
    /// Extra client flags, after --
    #[arg(last = true, value_name = "CLIENT FLAGS")]
    flags: Vec<String>,
}

/// Resume a run where it failed or was ended; print the result of a finished one again
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  failwise workflow resume\n  failwise workflow resume 5d0c --timeout 20m")]
struct ResumeArgs {
    /// The run, or the beginning of its id; by default the newest
    #[arg(value_name = "ID")]
    id: Option<String>,
    #[command(flatten)]
    how: HowArgs,
    /// Client flags, after --, instead of those that the run began with
    #[arg(last = true, value_name = "CLIENT FLAGS")]
    flags: Vec<String>,
}

#[derive(Debug, clap::Args)]
struct HowArgs {
    #[command(flatten)]
    policy: PolicyArgs,
    /// Keep inputs and outputs after the run
    #[arg(long)]
    keep: bool,
    /// Output format: the text of the last step, or the whole run as one JSON object
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// Show the steps of a run and their results
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  failwise workflow show\n  failwise workflow show 5d0c --json")]
struct WorkflowShowArgs {
    /// The run, or the beginning of its id; by default the newest
    #[arg(value_name = "ID")]
    id: Option<String>,
    #[command(flatten)]
    print: PrintArgs,
}

/// List the runs of this project, the newest first
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  failwise workflow list\n  failwise workflow list --json")]
struct WorkflowListArgs {
    #[command(flatten)]
    print: PrintArgs,
}

pub(crate) fn run(args: &WorkflowArgs) -> crate::CommandOutcome {
    let place = crate::place()?;
    let learned = |outcome| {
        crate::kb::learn_at_last(&place);
        outcome
    };
    match &args.task {
        WorkflowCommand::Run(args) if args.dry_run => begin(args, &place),
        WorkflowCommand::Run(args) => learned(begin(args, &place)),
        WorkflowCommand::Resume(args) => learned(resume(args, &place)),
        WorkflowCommand::Show(args) => show(args, &place),
        WorkflowCommand::List(args) => list(args, &place),
    }
}

fn begin(args: &WorkflowRunArgs, place: &Place) -> crate::CommandOutcome {
    check_flags(&args.flags)?;
    let (definition, folder) = definition_of(&args.workflow)?;
    let workflow = parsed(&definition, &args.workflow)?;
    check_commands(&workflow, folder.as_deref())?;
    let id = client::new_run();
    let inputs = inputs(&workflow, &args.inputs, &id, args.dry_run)?;
    let mut state = RunState::new(id, &workflow, &definition, &crate::now());
    state.folder = folder.as_deref().map(|folder| folder.to_string_lossy().into_owned());
    state.inputs = inputs;
    state.flags.clone_from(&args.flags);
    if args.dry_run {
        return dry_run(&workflow, &state, &args.how.policy);
    }
    let program = client::find_client(&crate::env)?;
    let runs = ClientRuns::of(place);
    let lock = runs.lock(&state.id)?;
    runs.save(&state)?;
    let mut work = WorkflowRun::new(place, &runs, workflow, state, program, &args.how)?;
    let outcome = work.all();
    drop(lock);
    outcome
}

fn resume(args: &ResumeArgs, place: &Place) -> crate::CommandOutcome {
    check_flags(&args.flags)?;
    let runs = ClientRuns::of(place);
    let found = runs.find(args.id.as_deref())?;
    let lock = runs.lock(&found.id)?;
    // It may have gone on before it was ours.
    let mut state = runs.find(Some(&found.id))?;
    if !args.flags.is_empty() {
        state.flags.clone_from(&args.flags);
    }
    if state.status == RunStatus::Completed {
        return print_result(&state, state.last_output().unwrap_or_default(), args.how.format);
    }
    let workflow = parsed(&state.definition, &state.workflow)?;
    let program = client::find_client(&crate::env)?;
    for left in client::end(&Family { run: &state.id, adopter: None }) {
        warn(&format!("ended what was left of this run: {} {}", left.pid, left.command));
    }
    let mut work = WorkflowRun::new(place, &runs, workflow, state, program, &args.how)?;
    let outcome = work.all();
    drop(lock);
    outcome
}

/// A run at work.
struct WorkflowRun<'a> {
    place: &'a Place,
    runs: &'a ClientRuns,
    workflow: Workflow,
    state: RunState,
    program: PathBuf,
    how: &'a HowArgs,
    signals: Signals,
    watcher: RunWatcher,
}

/// What a step gave.
struct Given {
    record: StepRecord,
    output: Option<String>,
    exit: Exit,
}

impl<'a> WorkflowRun<'a> {
    fn new(
        place: &'a Place,
        runs: &'a ClientRuns,
        workflow: Workflow,
        state: RunState,
        program: PathBuf,
        how: &'a HowArgs,
    ) -> Result<Self, Error> {
        let (signals, watcher) = (Signals::watch()?, RunWatcher::new(&how.policy.shown)?);
        Ok(Self { place, runs, workflow, state, program, how, signals, watcher })
    }

    fn all(&mut self) -> crate::CommandOutcome {
        let mut last = String::new();
        loop {
            let number = self.state.next(&self.workflow);
            let Some(definition) = self.workflow.steps.get(number).cloned() else { break };
            let steps = self.workflow.steps.len();
            warn(&format!("step {} of {steps}: {}", number + 1, definition.name));
            let Given { record, output, exit } = self.step(&definition)?;
            tell_step(&record);
            self.state.take(&self.workflow, record, output.as_deref());
            last = output.unwrap_or_default();
            if self.state.status == RunStatus::Completed && !self.how.keep {
                self.state.forget_values();
            }
            self.runs.save(&self.state)?;
            if exit != Exit::Ok {
                warn(&format!("`failwise workflow resume {}` continues from here", self.state.id));
                if self.how.format == Format::Json {
                    print_json(&shown_run(&self.state))?;
                }
                return Ok(exit);
            }
        }
        print_result(&self.state, &last, self.how.format)
    }

    fn step(&mut self, definition: &StepDefinition) -> Result<Given, crate::CommandFailure> {
        let state = &self.state;
        let mut record = StepRecord { step: definition.name.clone(), timestamp: crate::now(), ..StepRecord::default() };
        let Some(file) = definition.command_file(|step| state.value(step)) else {
            let word = definition.deciding_step().and_then(|step| state.value(step)).unwrap_or_default();
            return Ok(failed(record, format!("no command of `{}` belongs to `{word}`", definition.name)));
        };
        record.agent_name = agent_name(&file);
        let arguments = match definition.filled(|name| state.value(name)) {
            Ok(arguments) => arguments,
            Err(error) => return Ok(failed(record, error.to_string())),
        };
        let text = command_text(&file, state.folder.as_deref().map(Path::new))?;
        let rendered = rendered(&text, arguments)?;
        tell_unused(&rendered);
        let prompt = self.how.policy.prompt(&rendered);
        // A failed try that called tools goes on in its session; one that did not begins anew.
        let before = state.steps.iter().find(|last| last.step == definition.name).filter(|last| last.called_a_tool);
        let session = before.and_then(|record| record.session_id.clone());
        let prompt = if session.is_some() { GO_ON.to_owned() } else { prompt };
        self.answer(definition, record, &prompt, session.as_deref())
    }

    /// Runs the client until its answer can be used: once, and once more in the same session with what is wrong.
    fn answer(
        &mut self,
        definition: &StepDefinition,
        mut record: StepRecord,
        prompt: &str,
        session: Option<&str>,
    ) -> Result<Given, crate::CommandFailure> {
        let mut end = self.start(definition, prompt, session, None)?;
        let mut repeated = false;
        loop {
            fill_record(&mut record, &end);
            let exit = exit_of_step(&end, &self.how.policy);
            let may_be_empty = definition.output == OutputKind::Any && matches!(exit, Exit::Ok | Exit::NoText);
            let is_usable = gave_a_text(&end, exit) || may_be_empty && end.execution.success;
            if !is_usable {
                record.exit = exit.code();
                self.keep(definition, &end);
                return Ok(Given { record, output: end.execution.result_text, exit });
            }
            let text = end.execution.result_text.clone().unwrap_or_default();
            if definition.not_found.as_deref() == Some(text.trim()) {
                self.keep(definition, &end);
                let said = definition.if_not_found.clone();
                return Ok(failed(record, said.unwrap_or_else(|| format!("{} found nothing", definition.name))));
            }
            let why = match definition.output.check(&text) {
                Ok(output) => {
                    record.success = true;
                    self.keep(definition, &end);
                    return Ok(Given { record, output: Some(output), exit });
                }
                Err(why) => why.0,
            };
            let session = end.execution.session_id.clone().filter(|_| !repeated);
            let Some(session) = session else {
                let cause = Cause::of_text(format!("the answer {why}"));
                let verdict = Judge::default().verdict_on(&cause, end.execution.session_id.as_deref(), &crate::now());
                record.class = verdict.as_ref().map(|verdict| verdict.class);
                end.execution.verdict = verdict;
                end.execution.success = false;
                self.keep(definition, &end);
                let said = definition.if_rejected.as_ref().map(|said| said.replace("{output}", text.trim()));
                let said = said.unwrap_or_else(|| format!("the answer of `{}` {why}", definition.name));
                return Ok(Given { output: Some(text), ..failed(record, said) });
            };
            repeated = true;
            warn(&format!("the answer of `{}` {why}: asked once more", definition.name));
            let prompt =
                format!("Your last answer cannot be used: it {why}. Answer with {}.", definition.output.asks());
            let earlier = (end.attempts, end.cost_usd, end.execution.duration_seconds);
            end = self.start(definition, &prompt, Some(&session), earlier.1)?;
            end.attempts += earlier.0;
            end.cost_usd = sum(end.cost_usd, earlier.1);
            end.execution.duration_seconds = sum(end.execution.duration_seconds, earlier.2);
        }
    }

    fn start(
        &mut self,
        definition: &StepDefinition,
        prompt: &str,
        session: Option<&str>,
        spent: Option<f64>,
    ) -> Result<StepEnd, crate::CommandFailure> {
        let policy = &self.how.policy;
        let limits = policy.limits();
        let own = definition.timeout_ms.map(Duration::from_millis);
        let spent = sum(self.state.cost_usd, spent).unwrap_or_default();
        let limits = Limits {
            timeout: limits.timeout.into_iter().chain(own).min(),
            // What is left may be nothing; the client takes no such limit, and stops at its first answer.
            max_cost_usd: limits.max_cost_usd.map(|most| (most - spent).max(0.0001)),
            ..limits
        };
        let step = ClientStep {
            program: &self.program,
            flags: &self.state.flags,
            prompt,
            session,
            run: &self.state.id,
            limits: &limits,
        };
        Ok(client::run(&step, client::project_retries(self.place), &self.signals, &mut self.watcher)?)
    }

    /// Counts what a step cost, and leaves its event in the history.
    fn keep(&mut self, definition: &StepDefinition, end: &StepEnd) {
        self.state.cost_usd = sum(self.state.cost_usd, end.cost_usd);
        tell_denied(&end.execution);
        if let Why::Exhausted(why) = &end.why {
            warn(&format!("stopped: {why}"));
        }
        let (id, workflow) = (&self.state.id, &self.state.workflow);
        if let Err(error) = client::record(self.place, id, Some(workflow), &definition.name, end) {
            warn(&format!("the step is not in the history: {error}"));
        }
    }
}

fn sum(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    a.zip(b).map(|(a, b)| a + b).or(a).or(b)
}

fn fill_record(record: &mut StepRecord, end: &StepEnd) {
    let execution = &end.execution;
    record.error_message = execution.error_message.clone().filter(|_| !execution.success || end.why != Why::Ended);
    if record.error_message.is_none() && execution.result_text.is_none() {
        record.error_message.clone_from(&execution.error_message);
    }
    record.duration_seconds = execution.duration_seconds;
    record.session_id.clone_from(&execution.session_id);
    record.timestamp = crate::now();
    record.attempts = end.attempts;
    record.class = execution.verdict.as_ref().map(|verdict| verdict.class);
    record.called_a_tool = end.called_a_tool;
}

fn failed(record: StepRecord, why: String) -> Given {
    let exit = Exit::Differs;
    let record = StepRecord { success: false, error_message: Some(why), exit: exit.code(), ..record };
    Given { record, output: None, exit }
}

fn tell_step(record: &StepRecord) {
    let took = record.duration_seconds.map(|seconds| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "seconds, cut to their range")]
        let ms = (seconds * 1000.0).clamp(0.0, 1e15) as u64;
        format!(" in {}", duration(ms))
    });
    let took = took.unwrap_or_default();
    match &record.error_message {
        Some(why) if !record.success => warn(&format!("  failed{took}: {}", failwise::redact::redact(why))),
        _ => warn(&format!("  done{took}")),
    }
}

/// The text of a workflow, and the folder of its command files; None for one that is built in.
fn definition_of(name: &str) -> Result<(String, Option<PathBuf>), Error> {
    if let Some(text) = workflow_of(name) {
        return Ok((text.to_owned(), None));
    }
    let path = Path::new(name);
    let is_file = path.extension().is_some_and(|end| end == "toml") || path.components().count() > 1;
    if !is_file {
        return Err(Error::refused(format!("no workflow is called `{}`", shown(name, 60)))
            .hint(format!("built in is {WORK_ORDER}; name a file with the ending .toml for one of yours")));
    }
    let text = read_text(path)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = folder.canonicalize().map_err(|error| Error::of_file(&folder.display().to_string(), &error))?;
    Ok((text, Some(folder)))
}

fn parsed(text: &str, name: &str) -> Result<Workflow, Error> {
    Workflow::parse(text).map_err(|error| {
        let lines: Vec<String> = error.to_string().lines().map(|line| shown(line, 300)).collect();
        Error::unreadable(format!("the workflow {} cannot run: {}", shown(name, 200), lines.join(" ")))
            .hint("`failwise workflow --help` describes the format")
    })
}

/// Whether every command file is there, before the first step costs anything.
fn check_commands(workflow: &Workflow, folder: Option<&Path>) -> Result<(), Error> {
    for file in workflow.steps.iter().flat_map(StepDefinition::command_files) {
        let text = command_text(file, folder).map_err(|error| Error::unreadable(error.to_string()))?;
        dialect_of(&CommandFile::parse(&text))?;
    }
    Ok(())
}

fn command_text(file: &str, folder: Option<&Path>) -> Result<String, Error> {
    match folder {
        Some(folder) => read_text(&folder.join(file)),
        None => command_of(file).map(str::to_owned).ok_or_else(|| {
            Error::unreadable(format!("`{}` does not come with failwise", shown(file, 60)))
                .hint("name a file of your own, or run `failwise workflow` without one")
        }),
    }
}

fn rendered(text: &str, arguments: Vec<String>) -> Result<Rendered, Error> {
    let file = CommandFile::parse(text);
    let dialect = dialect_of(&file)?;
    Ok(file.render(&Arguments::of_words(arguments), dialect))
}

fn agent_name(file: &str) -> String {
    Path::new(file).file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The inputs that were given, with what stands in for the others.
fn inputs(workflow: &Workflow, given: &[String], id: &str, is_dry: bool) -> Result<BTreeMap<String, String>, Error> {
    let mut stdin = Stdin::default();
    let mut inputs = BTreeMap::new();
    let known = workflow.inputs.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
    for input in given {
        let Some((key, value)) = input.split_once('=') else {
            return Err(Error::usage(format!("`{}` is no KEY=VALUE", shown(input, 60))).hint("write --input issue=42"));
        };
        // `KEY:=TEXT` is the text itself: one that somebody else wrote may begin with the sign of a file.
        let (key, is_text) = key.strip_suffix(':').map_or((key, false), |key| (key, true));
        if !workflow.inputs.iter().any(|(name, _)| name == key) {
            let error = Error::usage(format!("`{}` is no input of {}", shown(key, 60), workflow.name));
            return Err(error.hint(format!("its inputs are {known}")));
        }
        let value = match value.strip_prefix('@').filter(|_| !is_text) {
            Some("-") => stdin.argument()?,
            Some(file) => read_text(Path::new(file))?.trim_end_matches(['\r', '\n']).to_owned(),
            None => value.to_owned(),
        };
        inputs.insert(key.to_owned(), value);
    }
    if workflow.name == WORK_ORDER {
        work_order_defaults(&mut inputs, id, is_dry)?;
    }
    for (name, default) in &workflow.inputs {
        if let Some(default) = default {
            inputs.entry(name.clone()).or_insert_with(|| default.clone());
        }
    }
    match workflow.inputs.iter().find(|(name, _)| !inputs.contains_key(name)) {
        Some((name, _)) => Err(Error::usage(format!("the input `{name}` is missing"))
            .hint(format!("give {name}=VALUE, {name}=@FILE, or {name}:=TEXT for a text as it is"))),
        None => Ok(inputs),
    }
}

/// What `gh` knows of an issue, and a name for the order.
fn work_order_defaults(inputs: &mut BTreeMap<String, String>, id: &str, is_dry: bool) -> Result<(), Error> {
    if !inputs.contains_key("issue")
        && let Some(number) = inputs.get("number")
    {
        let issue = if is_dry { "{issue}".to_owned() } else { issue_of(number)? };
        inputs.insert("issue".to_owned(), issue);
    }
    if !inputs.contains_key("number") {
        let issue = inputs.get("issue").and_then(|issue| serde_json::from_str::<Value>(issue).ok());
        let number = issue.and_then(|issue| issue.get("number").map(ToString::to_string));
        inputs.extend(number.map(|number| ("number".to_owned(), number)));
    }
    let short: String = id.chars().take(8).collect();
    inputs.entry("order".to_owned()).or_insert_with(|| format!("wo-{short}"));
    Ok(())
}

fn issue_of(number: &str) -> Result<String, Error> {
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Error::usage(format!("`{}` is no number of an issue", shown(number, 40))).hint("give it as 42"));
    }
    let output = Command::new("gh")
        .args(["issue", "view", number, "--json", "number,title,body,labels,url"])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| {
            Error::unavailable(format!("`gh` cannot be started: {error}"))
                .hint("install GitHub's command line, or give issue=@FILE")
        })?;
    if !output.status.success() {
        let why = shown(&failwise::redact::redact(&String::from_utf8_lossy(&output.stderr)), 300);
        return Err(Error::refused(format!("`gh issue view {number}` failed: {why}")).hint("give issue=@FILE instead"));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The prompts of all steps. What earlier steps would give stands as `{step}`.
fn dry_run(workflow: &Workflow, state: &RunState, policy: &PolicyArgs) -> crate::CommandOutcome {
    let mut out = std::io::stdout().lock();
    let value = |name: &str| state.value(name).or_else(|| Some(format!("{{{name}}}")));
    for (number, step) in workflow.steps.iter().enumerate() {
        for file in step.command_files() {
            writeln!(out, "--- step {} of {}: {} ({file})", number + 1, workflow.steps.len(), step.name)?;
            let text = command_text(file, state.folder.as_deref().map(Path::new))?;
            let arguments = step.filled(value).unwrap_or_else(|_| step.arguments.clone());
            writeln!(out, "{}", policy.prompt(&rendered(&text, arguments)?).trim_end())?;
        }
    }
    Ok(Exit::Ok)
}

fn print_result(state: &RunState, text: &str, format: Format) -> crate::CommandOutcome {
    if format == Format::Json {
        return print_json(&shown_run(state));
    }
    writeln!(std::io::stdout().lock(), "{}", for_stdout(text))?;
    Ok(Exit::Ok)
}

/// A run as it is shown: without inputs, outputs and what only `resume` needs.
fn shown_run(state: &RunState) -> Value {
    let RunState { schema_version, id, workflow, status, started, updated, cost_usd, .. } = state;
    let steps = state.steps.iter().map(|record| {
        json!({
            "step": record.step, "agent_name": record.agent_name, "success": record.success, "output": record.output,
            "error_message": record.error_message, "duration_seconds": record.duration_seconds,
            "session_id": record.session_id, "timestamp": record.timestamp, "attempts": record.attempts,
            "class": record.class,
        })
    });
    json!({
        "schema_version": schema_version, "id": id, "workflow": workflow, "status": status, "started": started,
        "updated": updated, "cost_usd": cost_usd, "skips_permissions": runs_unasked(state),
        "steps": steps.collect::<Value>(),
    })
}

const NO_RUN: &str = "no workflow has run here";

fn show(args: &WorkflowShowArgs, place: &Place) -> crate::CommandOutcome {
    if args.id.is_none() && ClientRuns::of(place).all().is_empty() {
        return nothing_yet(args.print.format, NO_RUN);
    }
    let state = ClientRuns::of(place).find(args.id.as_deref())?;
    if args.print.format == Format::Json {
        return print_json(&shown_run(&state));
    }
    let style = Style::for_stdout();
    let mut out = crate::style::text_page(Format::Text);
    print_run(&mut out, &state, style)?;
    for step in &state.steps {
        let word = if step.success { style.green("done  ") } else { style.red("failed") };
        let said = if step.success { step.output.as_deref() } else { step.error_message.as_deref() };
        let said = shown(said.unwrap_or_default(), if step.success { 100 } else { 400 });
        writeln!(out, "  {word} {:<16} {}", shown(&step.step, 40), style.dim(&said))?;
    }
    Ok(Exit::Ok)
}

fn list(args: &WorkflowListArgs, place: &Place) -> crate::CommandOutcome {
    let runs = ClientRuns::of(place).all();
    let mut out = std::io::stdout().lock();
    if args.print.format == Format::Json {
        return print_json(&versioned(&runs.iter().map(shown_run).collect::<Value>())?);
    }
    let style = Style::for_stdout();
    for state in &runs {
        print_run(&mut out, state, style)?;
    }
    if runs.is_empty() {
        writeln!(out, "{NO_RUN}; built in is {WORK_ORDER}")?;
    }
    Ok(Exit::Ok)
}

fn print_run(out: &mut impl Write, state: &RunState, style: Style) -> std::io::Result<()> {
    let status = match state.status {
        RunStatus::Completed => style.green(state.status.as_str()),
        RunStatus::Failed => style.red(state.status.as_str()),
        RunStatus::Pending | RunStatus::Running => style.yellow(state.status.as_str()),
    };
    let done = state.steps.iter().filter(|step| step.success).count();
    let name = shown(&state.workflow, 40);
    let unasked = if runs_unasked(state) { format!("  {}", style.yellow(UNASKED)) } else { String::new() };
    let started = shown(&state.started, 30);
    writeln!(out, "{}  {name}  {status}  {done} steps done  {started}{unasked}", style.bold(&state.id))
}

/// The client's option by which nobody is asked about any call.
const UNASKED: &str = "--dangerously-skip-permissions";

fn runs_unasked(state: &RunState) -> bool {
    state.flags.iter().any(|flag| flag == UNASKED)
}
