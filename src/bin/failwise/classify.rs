//! `failwise classify`: one verdict for one failed call, from outside the hook.

use std::collections::BTreeMap;
use std::io::{BufRead, Read, Write};
use std::path::{Path, PathBuf};

use failwise::classify::{Answer, Explained, Facts, Ruleset, explain};
use failwise::engine::{Scene, decide, observe};
use failwise::error::Error;
use failwise::exit::Exit;
use failwise::history::{Line, State, parse, session_node, session_parent};
use failwise::host::payload::{self, Kind, MAX_BYTES, Payload};
use failwise::journal::{HISTORY, read_lines};
use failwise::model::{PlanFacts, ToolCall};
use failwise::place::find;
use failwise::plan::PlanTree;
use failwise::redact::redact_printed;
use serde::Serialize;

use crate::replay::known_ruleset;
use crate::style::escaped;

const AFTER_HELP: &str = "\
The event of scripts and skills: {\"tool\", \"exit_code\", \"stderr_tail\", \"files_touched\", \"cause\", \"conflict_id\",
\"node_id\", \"failed_attempts\"}; only `tool` is needed.

Exit codes: 0 classified, 3 not a failure (a JSON object all the same: `class` is null, `outcome` says why),
64 wrong command line, 65 the input is no payload.

Example:
  echo '{\"tool\":\"Bash\",\"exit_code\":101,\"stderr_tail\":\"error[E0425]: cannot find value `x`\"}' |
    failwise classify --explain";

/// Classify a failed call: a hook payload or a failure event on stdin, a verdict as JSON on stdout
///
/// Stdin is what Claude Code gives a hook after a tool call, or the failure event of scripts and skills. A batch gives
/// an array. History and plan tree are read, never written.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// Read one payload a line; one answer a line in the same order, {"error": ...} for a bad one; exit 0
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
    /// Rules that decide: default, or classic (the inherited nine, to the letter)
    #[arg(long, default_value = "default", value_name = "NAME")]
    ruleset: String,
    /// Add `explain`: every rule in order, what it saw, and why it did not fire
    #[arg(long)]
    explain: bool,
}

pub(crate) fn run(args: &Args) -> crate::Outcome {
    let mut classifier = Classifier::new(args)?;
    if args.jsonl {
        return lines(&mut classifier);
    }
    let mut input = Vec::new();
    std::io::stdin().lock().take(MAX_BYTES as u64 + 1).read_to_end(&mut input)?;
    let answers = classifier.answers(&input)?;
    let exit = if answers.classified() { Exit::Ok } else { Exit::NotFailure };
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", escaped(&serde_json::to_string(&answers)?))?;
    Ok(exit)
}

fn lines(classifier: &mut Classifier<'_>) -> crate::Outcome {
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

/// Classifies payloads against one history and plan tree, which it reads at most once each.
pub(crate) struct Classifier<'a> {
    plans: Option<&'a Path>,
    history: Option<&'a Path>,
    node: Option<&'a str>,
    ruleset: &'static Ruleset,
    explain: bool,
    states: BTreeMap<PathBuf, BTreeMap<String, State>>,
}

/// The answer to one payload: one call's, or an array for a batch.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Answers {
    One(Box<Explicit>),
    Batch(Vec<Explicit>),
}

/// An answer, with the rules' own words where they were asked for.
#[derive(Serialize)]
pub(crate) struct Explicit {
    #[serde(flatten)]
    pub(crate) answer: Answer,
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
    fn new(args: &'a Args) -> Result<Self, Error> {
        Ok(Self {
            plans: args.plans.as_deref(),
            history: args.history.as_deref(),
            node: args.node.as_deref(),
            ruleset: known_ruleset(&args.ruleset)?,
            explain: args.explain,
            states: BTreeMap::new(),
        })
    }

    fn answers(&mut self, input: &[u8]) -> Result<Answers, Error> {
        let payload = payload::parse(input).map_err(|error| {
            Error::unreadable(error.to_string())
                .hint("give what Claude Code passes to a hook, or a failure event; see --help")
        })?;
        let past = self.past(&payload)?;
        match &payload.kind {
            Kind::Call(call) | Kind::ApiError(call) | Kind::Report(call) | Kind::Background { call, .. } => {
                Ok(Answers::One(Box::new(self.answer(call, &past)?)))
            }
            Kind::Batch(calls) => {
                calls.iter().map(|call| self.answer(call, &past)).collect::<Result<_, _>>().map(Answers::Batch)
            }
            _ => Err(Error::unreadable(format!(
                "a {} payload holds no tool call",
                crate::style::shown(&redact_printed(&payload.event), 40)
            ))),
        }
    }

    /// Classifies one call against what is known of its node.
    pub(crate) fn answer(&self, call: &ToolCall<'_>, past: &Past) -> Result<Explicit, Error> {
        let node = call.reported.node.as_deref().filter(|_| self.node.is_none()).unwrap_or(&past.plan.node);
        let red_phase = past.plan.red_phase;
        // No time: the answer depends on input and history alone.
        let scene = Scene { node, ts: "", worktree: None, red_phase, expected_failures: &[] };
        let event = observe(call, &scene).event;
        let state = past.states.get(node).cloned().unwrap_or_else(|| State::new(node));
        let siblings: Vec<State> =
            past.plan.siblings.iter().filter_map(|node| past.states.get(node).cloned()).collect();
        let decided = decide(&event, &past.plan, &with_hashes(state, self.ruleset), &siblings, self.ruleset)
            .ok_or_else(|| Error::unreadable("the payload holds no tool call"))?;
        let facts = Facts { event: &decided.failure, history: &decided.history, plan: &past.plan };
        let explain = self.explain.then(|| explain(&facts, self.ruleset));
        Ok(Explicit { answer: decided.answer, explain })
    }

    fn past(&mut self, payload: &Payload<'_>) -> Result<Past, Error> {
        let place = find(&crate::env, payload.cwd.as_deref().map(Path::new));
        let plans = self.plans.map(Path::to_path_buf).or_else(|| place.as_ref().and_then(|place| place.plans.clone()));
        let tree = match (plans, self.plans) {
            (Some(dir), Some(_)) => Some(PlanTree::open(&dir).map_err(|error| Error::unreadable(error.to_string()))?),
            (Some(dir), None) => PlanTree::open(&dir).ok(),
            (None, _) => None,
        };
        let root = place.as_ref().and_then(|place| place.root().to_str()).map(str::to_owned);
        let history = self.history.map(Path::to_path_buf).or_else(|| place.map(|place| place.dir.join(HISTORY)));
        let states = history.map(|path| self.fold(&path)).transpose()?.unwrap_or_default();
        let active = tree.as_ref().and_then(|tree| tree.active().map(str::to_owned));
        let ids = &payload.ids;
        let node = self.node.map(str::to_owned).or(active);
        let plan = match (node, &tree) {
            (Some(node), Some(tree)) => tree.facts(&node),
            (node, _) => {
                let node = node.unwrap_or_else(|| session_node(ids.session.as_deref(), ids.agent.as_deref()));
                session_facts(node, &states)
            }
        };
        Ok(Past { plan: PlanFacts { root, ..plan }, states })
    }

    fn fold(&mut self, path: &Path) -> Result<BTreeMap<String, State>, Error> {
        if let Some(states) = self.states.get(path) {
            return Ok(states.clone());
        }
        let mut states: BTreeMap<String, State> = BTreeMap::new();
        let read = read_lines(path, |at, line| {
            if let Line::Event(event) = parse(line) {
                for node in event.folded_into() {
                    let state = states.entry(node.to_owned()).or_insert_with(|| State::new(node));
                    state.keeps_text_hashes = self.ruleset.name == "classic";
                    state.step(&event, at);
                }
            }
        });
        match read {
            Err(error) if self.history.is_some() || error.kind() != std::io::ErrorKind::NotFound => {
                return Err(error.into());
            }
            _ => {}
        }
        self.states.insert(path.to_owned(), states.clone());
        Ok(states)
    }
}

/// What is known of a node before the call.
#[derive(Default)]
pub(crate) struct Past {
    plan: PlanFacts,
    states: BTreeMap<String, State>,
}

fn with_hashes(mut state: State, ruleset: &Ruleset) -> State {
    state.keeps_text_hashes = ruleset.name == "classic";
    state
}

fn session_facts(node: String, states: &BTreeMap<String, State>) -> PlanFacts {
    let parent = session_parent(&node).map(str::to_owned);
    let is_sibling =
        |other: &&String| parent.is_some() && **other != node && session_parent(other) == parent.as_deref();
    let siblings = states.keys().filter(is_sibling).cloned().collect();
    PlanFacts { parent, siblings, node, ..PlanFacts::default() }
}
