//! `failwise classify`: one verdict for one failed call, from outside the hook.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

use failwise::classify::{Answer, Explained, Facts, Ruleset, explain};
use failwise::engine::{Engine, Observed, States};
use failwise::error::Error;
use failwise::exit::Exit;
use failwise::hook::read_task_output;
use failwise::host::payload::{self, PayloadKind};
use failwise::journal::Journal;
use failwise::place::{Place, client_folder, find};
use failwise::plan::PlanTree;
use failwise::project::{Project, past_of, text_env};
use failwise::redact::redact_printed;
use serde::Serialize;

use crate::inputs::from_stdin;
use crate::replay::known_ruleset;
use crate::style::{escaped, print_json};

const AFTER_HELP: &str = "\
The event of scripts and skills: {\"tool\", \"exit_code\", \"stderr_tail\", \"files_touched\", \"cause\", \
\"conflict_id\", \"node_id\", \"failed_attempts\", \"cwd\", \"session_id\"}. Only `tool` is required. `cwd` defaults \
to CLAUDE_PROJECT_DIR, else the working directory; `session_id` defaults to CLAUDE_CODE_SESSION_ID.

Exit codes: 0 classified, 3 not a failure (still a JSON object: `class` is null, `outcome` says why), 64 wrong command \
line, 65 the input is not a payload.

Examples:
  failwise classify <payload.json
  echo '{\"tool\":\"Bash\",\"exit_code\":1,\"stderr_tail\":\"lock exists\"}' | \\
    failwise classify --explain";

/// Classify a failed call: a hook payload or a failure event on stdin, a verdict as JSON on stdout
///
/// Stdin is Claude Code's hook payload after a tool call, or the failure event of scripts and skills. A batch gives an
/// array, as does a call that reports the end of background work. Settings, history and plan tree are read as by the
/// hook, and never written.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ClassifyArgs {
    /// Read one payload a line; print one answer a line in the same order, {"error": ...} for a bad one; exit 0
    #[arg(long)]
    jsonl: bool,
    /// The plan tree to read instead of the project's
    #[arg(long, value_name = "DIR")]
    plans: Option<PathBuf>,
    /// The history.jsonl to read instead of the project's
    #[arg(long, value_name = "FILE")]
    history: Option<PathBuf>,
    /// The plan node that the call belongs to, instead of the active one
    #[arg(long, value_name = "ID")]
    node: Option<String>,
    /// Ruleset: default, or classic (the nine inherited rules, to the letter)
    #[arg(long, default_value = "default", value_name = "NAME")]
    ruleset: String,
    /// Add `explain`: every rule in order, its input, and the reason why it did not fire
    #[arg(long)]
    explain: bool,
}

pub(crate) fn run(args: &ClassifyArgs) -> crate::CommandOutcome {
    let mut classifier = Classifier::new(args)?;
    if args.jsonl {
        return classify_lines(&mut classifier);
    }
    let next = "pipe a hook payload or a failure event in; `failwise why` explains the newest failure of this project";
    let answers = classifier.answers(&from_stdin("there is no payload on stdin", next)?)?;
    print_json(&answers)?;
    Ok(if answers.classified() { Exit::Ok } else { Exit::NotFailure })
}

fn classify_lines(classifier: &mut Classifier<'_>) -> crate::CommandOutcome {
    #[derive(Serialize)]
    struct Bad {
        error: String,
    }
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().split(b'\n') {
        let line = line?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let answer = match classifier.answers(&line) {
            Ok(answers) => serde_json::to_string(&answers)?,
            Err(error) => serde_json::to_string(&Bad { error: error.to_string() })?,
        };
        writeln!(out, "{}", escaped(&answer))?;
    }
    out.flush()?;
    Ok(Exit::Ok)
}

/// Classifies payloads. Each history is read at most once.
struct Classifier<'a> {
    args: &'a ClassifyArgs,
    ruleset: &'static Ruleset,
    pasts: BTreeMap<PathBuf, Option<States>>,
}

/// The answer to one payload: one call's, or an array for a batch.
#[derive(Serialize)]
#[serde(untagged)]
enum Answers {
    One(Box<Explicit>),
    Batch(Vec<Explicit>),
}

/// An answer, with the rules' own words where they were asked for.
#[derive(Serialize)]
struct Explicit {
    #[serde(flatten)]
    answer: Answer,
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<Vec<Explained>>,
}

impl Answers {
    fn classified(&self) -> bool {
        let verdict = |explicit: &Explicit| matches!(explicit.answer, Answer::Verdict(_));
        match self {
            Self::One(explicit) => verdict(explicit),
            Self::Batch(explicits) => explicits.iter().any(verdict),
        }
    }
}

impl<'a> Classifier<'a> {
    fn new(args: &'a ClassifyArgs) -> Result<Self, Error> {
        Ok(Self { args, ruleset: known_ruleset(&args.ruleset)?, pasts: BTreeMap::new() })
    }

    fn answers(&mut self, input: &[u8]) -> Result<Answers, Error> {
        let payload = payload::parse(input).map_err(|error| {
            Error::unreadable(error.to_string())
                .hint("give what Claude Code passes to a hook, or a failure event; see --help")
        })?;
        let session = text_env(&crate::env)("CLAUDE_CODE_SESSION_ID").filter(|session| !session.is_empty());
        let payload = payload.completed(working_directory(), session);
        let place = find(&crate::env, payload.cwd.as_deref().map(Path::new));
        let tree = self.tree(place.as_ref())?;
        self.load(place.as_ref())?;
        let past = self.history(place.as_ref()).and_then(|history| self.pasts.get(&history)?.as_ref());
        let mut project = Project::new(&crate::env, place.as_ref(), tree);
        project.has_history = past.is_some();
        let mut states = past.map_or_else(|| Cow::Owned(States::new(self.ruleset)), Cow::Borrowed);
        let node = self.args.node.clone();
        let node = node.unwrap_or_else(|| project.node_of(&payload, |node| states.get(node).bound.clone()));
        let worktree = project.worktree();
        let engine = Engine {
            node: &node,
            ids: &payload.ids,
            // No time: the answer depends on input and history alone.
            now: "",
            worktree: worktree.as_deref(),
            ruleset: self.ruleset,
            around: &project,
        };
        match &payload.kind {
            PayloadKind::Call(call) | PayloadKind::ApiError(call) | PayloadKind::Report(call) => {
                let observed = engine.look(std::slice::from_ref(call));
                let ended = engine.look_at_asked(call, Some(&states.get(&node)));
                if ended.is_empty() {
                    return self.one(&engine, observed, &mut states);
                }
                let both = observed.into_iter().chain(ended).collect();
                self.all(&engine, both, &mut states).map(Answers::Batch)
            }
            PayloadKind::Background { call, output_file } => {
                let output = output_file.as_deref().and_then(read_task_output);
                let observed = engine.look_at_background(call, Some(&states.get(&node)), output);
                self.one(&engine, observed, &mut states)
            }
            PayloadKind::Batch(calls) => self.all(&engine, engine.look(calls), &mut states).map(Answers::Batch),
            _ => Err(Error::unreadable(format!(
                "a {} payload has no tool call",
                crate::style::shown(&redact_printed(&payload.event), 40)
            ))
            .hint("give one of PostToolUse, PostToolUseFailure or PostToolBatch")),
        }
    }

    fn one(
        &self,
        engine: &Engine<'_>,
        observed: Vec<Observed>,
        states: &mut Cow<'_, States>,
    ) -> Result<Answers, Error> {
        let answer = self.all(engine, observed, states)?.pop().ok_or_else(no_call)?;
        Ok(Answers::One(Box::new(answer)))
    }

    /// Classifies calls that ended together, each with those before it in its past, as the hook records them.
    fn all(
        &self,
        engine: &Engine<'_>,
        observed: Vec<Observed>,
        states: &mut Cow<'_, States>,
    ) -> Result<Vec<Explicit>, Error> {
        let place = states.get(engine.node).covered;
        let mut answers = Vec::new();
        let mut rest = (0..).zip(observed).peekable();
        while let Some((number, observed)) = rest.next() {
            answers.push(self.answer(engine, &observed, states)?);
            // Only a call behind this one asks what it left.
            if rest.peek().is_none() {
                break;
            }
            let step = engine.step(observed, &states.get(engine.node), &mut &**states);
            for (at, event) in (place + number * MOST_EVENTS..).zip(&step.events) {
                states.to_mut().step(event, at);
            }
        }
        Ok(answers)
    }

    fn answer(&self, engine: &Engine<'_>, observed: &Observed, states: &States) -> Result<Explicit, Error> {
        let Observed { event, plan } = observed;
        // The hook has no use for the plan where nothing failed; `--explain` shows what each rule would have seen.
        let mut plan = if observed.is_failure() { plan.clone() } else { engine.around.plan(engine.node, &[]) };
        let examined = engine.examine(event, &mut plan, &states.get(engine.node), &mut &*states).ok_or_else(no_call)?;
        let facts = Facts { event: &examined.failure, history: &examined.history, plan: &plan };
        let explain = self.args.explain.then(|| explain(&facts, self.ruleset));
        Ok(Explicit { answer: examined.answer, explain })
    }

    fn tree(&self, place: Option<&Place>) -> Result<Option<PlanTree>, Error> {
        match (&self.args.plans, place.and_then(|place| place.plans.as_ref())) {
            (Some(dir), _) => Ok(Some(PlanTree::open(dir).map_err(|error| crate::plan::change_error(&error.into()))?)),
            (None, Some(dir)) => Ok(PlanTree::open(dir).ok()),
            (None, None) => Ok(None),
        }
    }

    /// Reads what the history says of all nodes, where it was not read yet.
    fn load(&mut self, place: Option<&Place>) -> Result<(), Error> {
        let Some(path) = self.history(place).filter(|path| !self.pasts.contains_key(path)) else { return Ok(()) };
        let parts = if self.args.history.is_some() { vec![path.clone()] } else { Journal::in_dir(&path).parts() };
        let past = past_of(&parts, self.ruleset)?;
        self.pasts.insert(path, past);
        Ok(())
    }

    /// The history that is read: a file where one was named, else the place's folder.
    fn history(&self, place: Option<&Place>) -> Option<PathBuf> {
        self.args.history.clone().or_else(|| place.map(|place| place.dir.clone()))
    }
}

/// More events than one call can make: places of events that are not written are kept apart by it.
const MOST_EVENTS: u64 = 64;

fn no_call() -> Error {
    Error::unreadable("the payload has no tool call")
        .hint("give what a hook gets after a call; examples/README.md has one")
}

/// Where a script works that does not say it: in the client's project, else where it was started.
fn working_directory() -> Option<String> {
    let dir = client_folder(&crate::env, crate::here).ok()?;
    dir.to_str().map(str::to_owned)
}
