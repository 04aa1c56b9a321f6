//! `failwise plan show`: one node, with everything that bears on it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};

use failwise::conflicts::{CONFLICTS, Conflict, states};
use failwise::exit::Exit;
use failwise::history::{Body, Event, Line, parse};
use failwise::journal::{HISTORY, read_end};
use failwise::model::{NodeStatus, Usage, overrun_of};
use failwise::plan::edit::{HeardClaims, Node, Tree};
use failwise::sessions;
use failwise::text::{count, many};
use serde::Serialize;

use super::Site;
use crate::data::session_file;
use crate::style::{Format, PrintArgs, Style, print_json, shown, write_rows};

/// How far back the history is looked through.
const LOOK_BACK: usize = 1024 * 1024;
/// The most failures that are shown.
const MOST_FAILURES: usize = 5;
/// The most steps of a history that are shown.
const MOST_STEPS: usize = 100;
/// The most bytes of sessions' files that are read.
const LARGEST_SESSIONS: u64 = 64 * 1024 * 1024;
/// What a call is called that a constraint forbids.
const AGAINST: &str = "against a constraint";
/// How much of the log of conflicts is read.
const CONFLICT_LOG: usize = 1024 * 1024;

/// Show one node: its state and why, what it waits for, constraints, claim, failures
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  failwise plan show TASK-00412 --history\n  failwise plan show task-412 --format json"
)]
pub(crate) struct PlanShowArgs {
    /// The node
    #[arg(value_name = "ID")]
    node: String,
    /// Also all that happened to it
    #[arg(long)]
    pub(super) history: bool,
    #[command(flatten)]
    print: PrintArgs,
}

/// A node, with everything that bears on it.
#[derive(Debug, Serialize)]
struct ShownNode<'a> {
    schema_version: u32,
    id: &'a str,
    intent: &'a str,
    /// Relative to the plan's folder.
    file: String,
    status: Option<NodeStatus>,
    /// When it became so, where the history still knows.
    since: Option<String>,
    parent: Option<&'a str>,
    revision: u32,
    /// Why it cannot be begun; None where it can, or where it is no task.
    not_ready: Option<String>,
    depends_on: &'a [String],
    /// Who waits for it.
    needed_by: Vec<&'a str>,
    artifacts: Vec<String>,
    constraints: Vec<ShownConstraint>,
    replans_left: u32,
    replans: u32,
    /// None where no session's file tells.
    spent: Option<SpentTokens>,
    /// How many tokens its work may take.
    budget: Option<u32>,
    /// By what part of its budget more was spent; None where one of the two is not known.
    overrun: Option<f64>,
    claimed_by: Option<&'a str>,
    /// When its holder was heard of last.
    heard: Option<String>,
    /// Why nobody seems to be behind the claim any more.
    left: Option<String>,
    failures: Vec<ShownFailure>,
    /// What was done in it against a constraint, newest first.
    violations: Vec<ShownStep>,
    conflicts: Vec<ShownConflict>,
    /// What was found out below the nodes above it.
    discoveries: Vec<ShownDiscovery>,
    /// How many changes of it can be undone.
    checkpoints: usize,
    /// What happened to it, oldest first; None where it was not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    history: Option<Vec<ShownStep>>,
}

/// What was found out, and the node that tells it.
#[derive(Debug, Serialize)]
struct ShownDiscovery {
    from: String,
    note: String,
}

/// What the sessions and subagents that claimed a node spent while they worked on it.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub(super) struct SpentTokens {
    /// Read anew, written to the cache, and written by the model.
    pub(super) tokens: u64,
    /// Read from the cache, which counts against no budget.
    cache_read: u64,
}

impl SpentTokens {
    fn plus(self, usage: Usage) -> Self {
        let own = usage.total().saturating_sub(usage.cache_read);
        let cache_read = self.cache_read.saturating_add(usage.cache_read);
        Self { tokens: self.tokens.saturating_add(own), cache_read }
    }

    /// By what part of a node's budget it is more than that; 0 where it is not.
    pub(super) fn overrun(self, node: &Node) -> Option<f64> {
        Some(overrun_of(self.tokens, node.budget()?))
    }
}

/// The time in which somebody worked on a node.
struct ClaimedTime {
    node: String,
    session: String,
    agent: Option<String>,
    from: String,
    /// None while it lasts.
    to: Option<String>,
}

/// Something that happened to a node.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct ShownStep {
    ts: String,
    what: String,
    why: Option<String>,
}

/// What binds a node, and where that comes from.
#[derive(Debug, Serialize)]
struct ShownConstraint {
    from: String,
    kind: String,
    value: String,
}

/// A failure in a node, and what was decided.
#[derive(Debug, Clone, Default, Serialize)]
struct ShownFailure {
    ts: String,
    class: String,
    category: String,
    call: Option<String>,
    line: Option<String>,
    object: Option<String>,
    file: Option<String>,
    decided: Option<String>,
}

/// A conflict that names a node.
#[derive(Debug, Serialize)]
struct ShownConflict {
    id: String,
    with: Option<String>,
    files: Vec<String>,
    waits: bool,
    resolution: Option<String>,
}

pub(super) fn run(site: &Site, args: &PlanShowArgs, history: bool) -> crate::CommandOutcome {
    let tree = site.tree()?;
    let node = super::node_meant(tree, &args.node)?;
    let folder = site.history()?;
    let text = read_end(&folder.join(HISTORY), LOOK_BACK).unwrap_or_default();
    let heard = HeardClaims::of(&folder, tree);
    let (since, failures) = last_failures(&text, &node.id);
    let left = heard.left(node, &crate::now()).map(|left| left.why());
    let constraints = tree.binding(node).into_iter();
    let spent = spent(site, &folder, &[&node.id]).remove(&node.id);
    let answer = ShownNode {
        schema_version: 1,
        id: &node.id,
        intent: &node.intent,
        file: node.file.strip_prefix(tree.dir()).unwrap_or(&node.file).to_string_lossy().into_owned(),
        status: tree.shown(node),
        since,
        parent: node.parent.as_deref(),
        revision: node.revision,
        not_ready: if node.tier == 4 {
            tree.wait_of(node).map(|wait| wait.why)
        } else {
            node.fault().map(|(_, what)| what)
        },
        depends_on: &node.depends_on,
        needed_by: tree.nodes().filter(|other| other.depends_on.contains(&node.id)).map(|other| &*other.id).collect(),
        artifacts: node.artifacts(),
        constraints: constraints.map(|(from, kind, value)| ShownConstraint { from, kind, value }).collect(),
        replans_left: node.replans.remaining,
        replans: node.replans.total,
        spent,
        budget: node.budget(),
        overrun: spent.and_then(|spent| spent.overrun(node)),
        claimed_by: heard.worker(node).filter(|_| node.is(NodeStatus::Active)),
        heard: heard.last(node).filter(|_| node.is(NodeStatus::Active)),
        left,
        failures,
        violations: went_against(&text, &node.id),
        conflicts: conflicts(tree, node, &heard),
        discoveries: tree.discoveries(node).into_iter().map(|(from, note)| ShownDiscovery { from, note }).collect(),
        checkpoints: tree.checkpoints_of(node),
        history: history.then(|| steps(&text, tree, node)),
    };
    if args.print.format == Format::Json {
        return print_json(&answer);
    }
    print(&answer)?;
    Ok(Exit::Ok)
}

/// What was spent on these nodes, as far as the end of the history tells who claimed them and the files of those sessions tell
/// the rest. Nothing where they tell nothing or are too large.
pub(super) fn spent(site: &Site, history: &Path, ids: &[&str]) -> BTreeMap<String, SpentTokens> {
    let mut spent = BTreeMap::new();
    if ids.is_empty() {
        return spent;
    }
    let times = claimed_times(&read_end(&history.join(HISTORY), LOOK_BACK).unwrap_or_default(), ids);
    let sessions: BTreeSet<&str> = times.iter().map(|time| &*time.session).collect();
    let project = site.place.project.to_string_lossy();
    let files = sessions.into_iter().filter_map(|session| session_file(&project, session));
    // The files of subagents lie in a folder of the session's name.
    let files: Vec<PathBuf> =
        files.flat_map(|file| [file.with_extension(""), file]).filter(|path| path.exists()).collect();
    let found = sessions::find(&files, None).ok().filter(|found| found.bytes() <= LARGEST_SESSIONS);
    for session in found.iter().flat_map(|found| &found.sessions) {
        session.answers(|ids, ts, usage| {
            let is_in = |time: &&ClaimedTime| {
                ids.session.as_deref() == Some(&*time.session)
                    && ids.agent == time.agent
                    && *time.from <= *ts
                    && time.to.as_deref().is_none_or(|to| ts <= to)
            };
            let nodes: BTreeSet<&str> = times.iter().filter(is_in).map(|time| &*time.node).collect();
            for node in nodes {
                let spent: &mut SpentTokens = spent.entry(node.to_owned()).or_default();
                *spent = spent.plus(usage);
            }
        });
    }
    spent
}

/// Who worked on nodes, and when: from a claim to the next one of the same agent, the agent's end, or the node's.
fn claimed_times(text: &str, ids: &[&str]) -> Vec<ClaimedTime> {
    let mut times: Vec<ClaimedTime> = Vec::new();
    let is_asked = |line: &&str| line.contains("node_bound") || ids.iter().any(|id| line.contains(id));
    for line in text.lines().filter(is_asked) {
        let Line::Event(event) = parse(line.as_bytes()) else { continue };
        let Event { ts, node, session, agent, body, .. } = *event;
        let ends: &dyn Fn(&ClaimedTime) -> bool = match &body {
            Body::NodeBound { .. } | Body::AgentEnded { .. } => {
                &|time| Some(&time.session) == session.as_ref() && time.agent == agent
            }
            Body::StateChanged { change: Some(change), .. } => {
                &|time| time.node == node && change.became().is_some_and(|status| status != NodeStatus::Active)
            }
            _ => continue,
        };
        times.iter_mut().filter(|time| time.to.is_none() && ends(time)).for_each(|time| time.to = Some(ts.clone()));
        if let (Body::NodeBound { target: Some(target) }, Some(session)) = (&body, &session)
            && ids.contains(&&**target)
        {
            let (node, session) = (target.clone(), session.clone());
            times.push(ClaimedTime { node, session, agent: agent.clone(), from: ts, to: None });
        }
    }
    times
}

/// When a node became what it is, and its last failures, newest first.
fn last_failures(text: &str, id: &str) -> (Option<String>, Vec<ShownFailure>) {
    let (mut since, mut failures): (_, Vec<ShownFailure>) = (None, Vec::new());
    for line in text.lines().filter(|line| line.contains(id)) {
        let Line::Event(event) = parse(line.as_bytes()) else { continue };
        let Event { ts, node, body, .. } = *event;
        if node != id {
            continue;
        }
        match body {
            Body::StateChanged { change: Some(change), .. } if change.became().is_some() => since = Some(ts),
            Body::ExecutionFailed(execution) => {
                let reading = execution.reading.as_ref();
                let call = execution.input.clone().or_else(|| Some(execution.operation.as_ref()?.0.clone()));
                failures.push(ShownFailure {
                    ts,
                    call,
                    line: reading.and_then(|reading| reading.line.clone()),
                    object: reading.and_then(|reading| Some(reading.objects.first()?.name.clone())),
                    file: reading.and_then(|reading| reading.files.first().cloned()),
                    ..ShownFailure::default()
                });
            }
            Body::FailureClassified(classified) => {
                if let Some((failure, verdict)) = failures.last_mut().zip(classified.verdict) {
                    failure.class = verdict.class.to_string();
                    failure.category = verdict.category.to_string();
                }
            }
            Body::Decision { decision: Some(decision) } => {
                if let Some(failure) = failures.last_mut() {
                    failure.decided = Some(decision.action.to_string());
                }
            }
            _ => {}
        }
    }
    failures.reverse();
    failures.truncate(MOST_FAILURES);
    (since, failures)
}

/// What was done in a node against a constraint, newest first.
fn went_against(text: &str, id: &str) -> Vec<ShownStep> {
    let lines = text.lines().rev().filter(|line| line.contains("constraint_violated") && line.contains(id));
    let found = lines.filter_map(|line| match parse(line.as_bytes()) {
        Line::Event(event) => Some(*event),
        _ => None,
    });
    let own = found.filter(|event| event.node == id).filter_map(|Event { ts, body, .. }| match body {
        Body::ConstraintViolated(event) => Some(ShownStep { ts, what: AGAINST.to_owned(), why: event.reason }),
        _ => None,
    });
    own.take(MOST_FAILURES).collect()
}

/// What happened to a node, oldest first: its events, and the changes that have none.
fn steps(text: &str, tree: &Tree, node: &Node) -> Vec<ShownStep> {
    let mut steps = Vec::new();
    for line in text.lines().filter(|line| line.contains(&node.id)) {
        let Line::Event(event) = parse(line.as_bytes()) else { continue };
        let Event { ts, node: of, body, .. } = *event;
        let is_own = of == node.id;
        let (what, why) = match body {
            Body::StateChanged { change: Some(change), reason } if is_own => (change.words().to_owned(), reason),
            Body::NodeBound { target } if target.as_deref() == Some(&*node.id) => (format!("bound {of}"), None),
            Body::ExecutionFailed(call) if is_own => {
                let said = call.reading.as_ref().and_then(|reading| reading.line.clone());
                ("a call failed".to_owned(), call.input.clone().or(said))
            }
            Body::FailureClassified(classified) if is_own => {
                let Some(verdict) = classified.verdict else { continue };
                (format!("{} {}", verdict.class, verdict.category), None)
            }
            Body::Decision { decision: Some(decision) } if is_own => (format!("decided: {}", decision.action), None),
            Body::ReplanProposed(event) if is_own => ("replanned".to_owned(), event.reason),
            Body::ConstraintViolated(event) if is_own => (AGAINST.to_owned(), event.reason),
            Body::ReplanRefusedBudget(event) if is_own => ("no replan left".to_owned(), event.reason),
            _ => continue,
        };
        steps.push(ShownStep { ts, what, why });
    }
    let changes = tree.changes_of(node).into_iter();
    let untold: Vec<_> = changes.filter(|(ts, _)| !steps.iter().any(|step| step.ts == *ts)).collect();
    steps.extend(untold.into_iter().map(|(ts, what)| ShownStep { ts, what, why: None }));
    steps.sort();
    let more = steps.len().saturating_sub(MOST_STEPS);
    steps.drain(..more);
    steps
}

fn conflicts(tree: &Tree, node: &Node, heard: &HeardClaims) -> Vec<ShownConflict> {
    let log = read_end(&tree.dir().join(CONFLICTS), CONFLICT_LOG).unwrap_or_default();
    let names = |conflict: &Conflict| conflict.participants.iter().any(|one| one.task == node.id);
    let shown = |conflict: Conflict| ShownConflict {
        with: conflict.participants.iter().map(|one| one.task.clone()).find(|task| *task != node.id),
        waits: conflict.proposed() == Some(&node.id) && !conflict.is_resolved(),
        files: conflict.overlap.files.clone(),
        id: conflict.conflict_id,
        resolution: conflict.resolution,
    };
    let mut all: Vec<ShownConflict> = states(&log).into_iter().filter(names).map(shown).collect();
    let met = heard.in_conflict(tree).filter_map(|(task, conflict)| {
        let (waits, other) = (task == node.id, conflict.with.as_deref()?);
        (waits || other == node.id).then(|| ShownConflict {
            with: Some(if waits { other } else { task }.to_owned()),
            waits,
            files: conflict.files.clone(),
            id: conflict.id.clone(),
            resolution: None,
        })
    });
    let met: Vec<ShownConflict> = met.filter(|met| all.iter().all(|known| known.id != met.id)).collect();
    all.extend(met);
    all
}

/// How what was spent compares with a budget, which comes next.
fn budget_words(overrun: Option<f64>) -> String {
    match overrun {
        Some(part) if part > 0.0 => format!("{:.0} % over its budget of", (part * 100.0).ceil()),
        _ => "its budget is".to_owned(),
    }
}

fn print(node: &ShownNode<'_>) -> std::io::Result<()> {
    let style = Style::for_stdout();
    let mut out = crate::style::text_page(Format::Text);
    let status = node.status.map_or("", NodeStatus::as_str);
    writeln!(out, "{}  {status}  {}", style.bold(&shown(node.id, 64)), shown(node.intent, 100))?;
    let mut rows = vec![
        ("page", node.file.clone()),
        ("since", node.since.clone().unwrap_or_default()),
        ("below", node.parent.unwrap_or_default().to_owned()),
        ("not ready", node.not_ready.clone().unwrap_or_default()),
        ("waits for", node.depends_on.join(", ")),
        ("needed by", node.needed_by.join(", ")),
        ("files", node.artifacts.join(", ")),
    ];
    let bound = |it: &ShownConstraint| ("bound by", format!("{} {} ({})", it.kind, it.value, it.from));
    rows.extend(node.constraints.iter().map(bound));
    let replans = format!("{} of {} left", node.replans_left, node.replans);
    rows.extend((node.replans > 0).then_some(("replans", replans)));
    let budget = node.budget.map(|budget| format!("; {} {}", budget_words(node.overrun), count(budget.into())));
    let budget = budget.unwrap_or_default();
    rows.extend(node.spent.map(|SpentTokens { tokens, cache_read }| {
        let tokens = many(tokens, "token", "tokens");
        ("spent", format!("{tokens}, and {} from the cache{budget}", count(cache_read)))
    }));
    let heard = node.heard.as_deref().map(|heard| format!(", heard of at {heard}")).unwrap_or_default();
    rows.extend(node.claimed_by.map(|holder| ("claimed by", format!("{holder}{heard}"))));
    rows.push(("left", node.left.clone().unwrap_or_default()));
    rows.extend(node.failures.iter().map(|failure| {
        let ShownFailure { ts, class, category, call, line, decided, .. } = failure;
        let said = [call, line].into_iter().flatten().cloned().collect::<Vec<_>>().join(": ");
        let decided = decided.as_deref().map(|action| format!("; decided: {action}")).unwrap_or_default();
        ("failed", format!("{ts}  {class} {category}  {said}{decided}"))
    }));
    let against = |it: &ShownStep| ("against", format!("{}  {}", it.ts, it.why.as_deref().unwrap_or_default()));
    rows.extend(node.violations.iter().map(against));
    rows.extend(node.conflicts.iter().map(|ShownConflict { id, with, files, waits, resolution }| {
        let end = resolution.as_deref().map_or(if *waits { "it waits" } else { "open" }, |end| end);
        ("conflict", format!("{id} with {}: {} [{end}]", with.as_deref().unwrap_or("nobody"), files.join(", ")))
    }));
    rows.extend(node.discoveries.iter().map(|it| ("found out", format!("{} [{}]", it.note, it.from))));
    let undo = format!("{} changes: failwise plan undo {}", node.checkpoints, node.id);
    rows.extend((node.checkpoints > 0).then_some(("undo", undo)));
    rows.extend(node.history.iter().flatten().map(|ShownStep { ts, what, why }| {
        ("happened", format!("{ts}  {what}{}", why.as_deref().map(|why| format!(": {why}")).unwrap_or_default()))
    }));
    write_rows(&mut out, 12, rows.into_iter().map(|(name, text)| (name, shown(&text, 300))))
}
