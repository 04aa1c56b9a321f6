//! `failwise plan status`: the plan as a tree.

use std::collections::BTreeMap;
use std::io::Write;

use failwise::error::Error;
use failwise::exit::Exit;
use failwise::history::{Body, Event, Line, State, parse};
use failwise::journal::Journal;
use failwise::model::{Category, Class, NodeStatus};
use failwise::plan::edit::{HeardClaims, Node, Tree, Wait, look_at_each};
use failwise::time;
use serde::Serialize;
use serde_json::value::to_raw_value;

use super::Site;
use crate::style::{Format, PrintArgs, Style, print_json, shown};

/// From how many nodes on only what is open is printed for people.
const MOST_SHOWN: usize = 200;
/// The most lines about what cannot go on by itself.
const MOST_ASIDES: usize = 12;
/// How far back the last verdicts are looked for.
const LOOK_BACK: usize = 1024 * 1024;

/// Show the plan as a tree: states, budgets, claims, and last failures
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  failwise plan status\n  failwise plan status STORY-0031 --open\n  failwise plan status --format json"
)]
pub(crate) struct StatusArgs {
    /// Only this node and the nodes below it
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// The same
    #[arg(long, value_name = "ID", conflicts_with = "id")]
    node: Option<String>,
    /// Leave out done, archived and discarded nodes
    #[arg(long)]
    open: bool,
    #[command(flatten)]
    pub(super) print: PrintArgs,
}

/// A node. The fields are in the order of their names, here and below: so they were always printed.
#[derive(Debug, Serialize)]
struct StatusRow<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    claimed_by: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    conflict_id: Option<&'a str>,
    depends_on: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    freeze_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    frozen_by_ancestor: Option<&'a str>,
    id: &'a str,
    intent: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_verdict: Option<&'a LastFailed>,
    /// Of a task at work that has a budget of tokens: by what part of it more was spent.
    #[serde(skip_serializing_if = "Option::is_none")]
    overrun: Option<f64>,
    parent: Option<&'a str>,
    replans: u32,
    replans_left: u32,
    revision: u32,
    status: Option<NodeStatus>,
    tier: u8,
}

/// How a node last failed.
#[derive(Debug, Clone, Serialize)]
struct LastFailed {
    attempt: u32,
    category: Category,
    class: Class,
    /// Whether the failure was not followed by a proven pass.
    open: bool,
    ts: String,
}

pub(super) fn run(site: &Site, args: &StatusArgs) -> crate::CommandOutcome {
    let tree = site.tree()?;
    let top = args.node.as_ref().or(args.id.as_ref()).map(|id| super::node_meant(tree, id)).transpose()?;
    let last = last_verdicts(site)?;
    let is_text = args.print.format == Format::Text;
    // A large plan is read for what is left of it.
    let only_open = args.open || (is_text && top.is_none() && tree.nodes().count() > MOST_SHOWN);
    let is_shown = |node: &&Node| {
        let folded = is_text && top.is_none() && is_in_done_branch(tree, node);
        !(folded || only_open && node.status.is_some_and(NodeStatus::is_closed))
    };
    let most = if only_open && !args.open { MOST_SHOWN } else { usize::MAX };
    let is_top = |node: &&Node| node.parent.as_deref().is_none_or(|parent| tree.node(parent).is_none());
    // Behind the whole tree stands what hangs on nothing.
    let tops = top.map_or_else(|| tree.nodes().filter(is_top).filter(is_shown).collect(), |top| vec![top]);
    let branch = |top| branch(tree, top, if is_text { most } else { 0 }, is_shown);
    let rows: Vec<_> = tops.into_iter().flat_map(branch).collect();
    if !is_text {
        return as_json(tree, site.warning().is_none(), &rows, &last, &overruns(site, tree)?);
    }
    let style = Style::for_stdout();
    let mut out = std::io::BufWriter::new(crate::style::text_page(Format::Text));
    if let Some(warning) = site.warning() {
        writeln!(out, "{} {}", style.yellow("warning:"), shown(&warning, 400))?;
    }
    let heard = HeardClaims::of(&site.history()?, tree);
    let (now, overruns) = (crate::now(), overruns(site, tree)?);
    for (node, lines) in rows.iter().take(most) {
        let (last, overrun) = (last.get(&node.id), overruns.get(&node.id).copied());
        let line = NodeLine { tree, node, lines, last, overrun, heard: &heard, now: &now };
        writeln!(out, "{}", line.text(style))?;
    }
    if only_open && !args.open {
        let (all, more) = (tree.nodes().count(), rows.len().saturating_sub(most));
        let more = if more > 0 { format!("{more} more open ones; ") } else { String::new() };
        let closed = all.saturating_sub(rows.len());
        let closed = if closed > 0 { format!("{closed} closed ones are left out; ") } else { String::new() };
        writeln!(out, "{more}{closed}`failwise plan status ID` shows a branch, --format json all {all}")?;
    }
    let waits = tree.waits();
    writeln!(out, "{}", summary(tree, &waits))?;
    for line in asides(tree, &waits, &heard, &now) {
        writeln!(out, "  {}", shown(&line, 300))?;
    }
    out.flush()?;
    Ok(Exit::Ok)
}

/// A node and those below it, the first `most` each with the lines that lead to it.
fn branch<'t>(
    tree: &'t Tree,
    top: &'t Node,
    most: usize,
    is_shown: impl Fn(&&Node) -> bool + Copy,
) -> Vec<(&'t Node, String)> {
    let mut rows = vec![(top, String::new())];
    let mut met: std::collections::BTreeSet<&str> = std::collections::BTreeSet::from([top.id.as_str()]);
    let below = |id: &str| tree.children(id).filter(is_shown).collect::<Vec<_>>().into_iter();
    let mut open = vec![(String::new(), below(&top.id))];
    while let Some((lead, children)) = open.last_mut() {
        let Some(child) = children.next() else {
            open.pop();
            continue;
        };
        let is_last = children.len() == 0;
        let is_printed = rows.len() < most;
        let below_lead = |sign: &str| if is_printed { [lead, sign].concat() } else { String::new() };
        rows.push((child, below_lead(if is_last { "└─ " } else { "├─ " })));
        let children = below(&child.id);
        // Of two with one id the second is shown alone: what is below them names the id.
        if children.len() > 0 && met.insert(&child.id) {
            let lead = below_lead(if is_last { "   " } else { "│  " });
            open.push((lead, children));
        }
    }
    rows
}

/// Whether a node is below one that is over: of such a branch one line is enough.
fn is_in_done_branch(tree: &Tree, node: &Node) -> bool {
    tree.ancestors(&node.id).iter().any(|above| above.status.is_some_and(NodeStatus::is_closed))
}

/// What cannot go on by itself, each with the next step: claims that were left, plans that no longer fit, dependencies that
/// will never be done.
fn asides(tree: &Tree, waits: &[(&Node, Option<Wait>)], heard: &HeardClaims, now: &str) -> Vec<String> {
    let aside = |(node, wait): &(&Node, Option<Wait>)| {
        if let Some(left) = heard.left(node, now) {
            let state = if left.elsewhere.is_some() { "may be left" } else { "is left" };
            return Some(format!("{} {state}: {}; failwise plan claim {} takes it over", node.id, left.why(), node.id));
        }
        if let Some((_, conflict)) = heard.in_conflict(tree).find(|(id, _)| *id == node.id) {
            let (other, id) = (conflict.with.as_deref().unwrap_or_default(), &conflict.id);
            let files = conflict.files.join(", ");
            return Some(format!("{} waits for {other} in {id} ({files}); failwise arbitrate {id}", node.id));
        }
        let wait = wait.as_ref()?;
        wait.reason.is_stuck().then(|| format!("{} cannot start: {}", wait.id, wait.why))
    };
    waits.iter().filter_map(aside).take(MOST_ASIDES).collect()
}

/// A node as people see it in the tree.
struct NodeLine<'a> {
    tree: &'a Tree,
    node: &'a Node,
    /// The lines that lead to it.
    lines: &'a str,
    last: Option<&'a LastFailed>,
    overrun: Option<f64>,
    heard: &'a HeardClaims,
    now: &'a str,
}

impl NodeLine<'_> {
    fn text(&self, style: Style) -> String {
        let node = self.node;
        let mut line = format!("{}{}", style.dim(self.lines), style.bold(&shown(&node.id, 64)));
        if let Some(status) = self.tree.shown(node) {
            line.push_str("  ");
            line.push_str(&coloured(status, style));
        }
        let intent = shown(&node.intent, 60);
        if !intent.is_empty() {
            line.push_str("  ");
            line.push_str(&intent);
        }
        let notes = self.notes();
        if !notes.is_empty() {
            line.push_str("  ");
            line.push_str(&style.dim(&format!("[{}]", notes.join("; "))));
        }
        line
    }

    fn notes(&self) -> Vec<String> {
        let (node, mut notes) = (self.node, Vec::new());
        if let Some((at, what)) = node.fault() {
            notes.push(format!("broken, line {at}: {}", shown(&what, 80)));
        }
        let is_closed = node.status.is_some_and(NodeStatus::is_closed);
        if node.replans.total > 0 && !is_closed {
            notes.push(format!("replans {} of {} left", node.replans.remaining, node.replans.total));
        }
        if let Some(holder) = self.heard.worker(node).filter(|_| node.is(NodeStatus::Active)) {
            notes.push(shown(holder, 80));
            if let Some(left) = self.heard.left(node, self.now) {
                let state = if left.elsewhere.is_some() { "" } else { "left: " };
                notes.push(format!("{state}{}", left.why()));
            } else if let Some(age) = self.heard.age(node, self.now).filter(|seconds| *seconds >= 60) {
                notes.push(format!("heard of {} ago", time::short_age(age)));
            }
        }
        if let Some(part) = self.overrun.filter(|part| *part > 0.0) {
            notes.push(format!("{:.0} % over its budget of tokens", (part * 100.0).ceil()));
        }
        let waits: Vec<String> =
            node.depends_on.iter().filter(|on| !self.tree.is_done(on)).map(|on| shown(on, 64)).collect();
        if !waits.is_empty() && !is_closed {
            notes.push(format!("after {}", waits.join(", ")));
        }
        if node.is_outdated() && !is_closed {
            notes.push("its plan is outdated".to_owned());
        }
        match (&node.freeze.by_ancestor, &node.freeze.reason) {
            (Some(above), _) if node.is(NodeStatus::Frozen) => notes.push(format!("with {}", shown(above, 64))),
            (None, Some(reason)) if node.is(NodeStatus::Frozen) => notes.push(shown(reason, 60)),
            _ => {}
        }
        if let Some(last) = self.last {
            let open = if last.open { "" } else { ", passed since" };
            notes.push(format!("{} {}, attempt {}{open}", last.class, last.category, last.attempt));
        }
        notes
    }
}

fn coloured(status: NodeStatus, style: Style) -> String {
    match status {
        NodeStatus::Active => style.yellow(status.as_str()),
        NodeStatus::Done | NodeStatus::Archived => style.green(status.as_str()),
        NodeStatus::Frozen | NodeStatus::Blocked => style.red(status.as_str()),
        NodeStatus::Planned | NodeStatus::Discarded => style.dim(status.as_str()),
    }
}

fn summary(tree: &Tree, waits: &[(&Node, Option<Wait>)]) -> String {
    let ready: Vec<_> = ready(waits).collect();
    let counts = task_counts(tree);
    let counts: Vec<String> = counts.iter().map(|(word, count)| format!("{count} {word}")).collect();
    let next = match ready.first() {
        Some(node) => format!("{} ready, the first is {}", ready.len(), shown(&node.id, 64)),
        None => "nothing is ready".to_owned(),
    };
    format!("tasks: {}; {next}", if counts.is_empty() { "none".to_owned() } else { counts.join(", ") })
}

/// The tasks that may be begun now.
fn ready<'t>(waits: &[(&'t Node, Option<Wait>)]) -> impl Iterator<Item = &'t Node> {
    waits.iter().filter(|(node, wait)| node.tier == 4 && wait.is_none()).map(|(node, _)| *node)
}

/// How many tasks there are of each status.
fn task_counts(tree: &Tree) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for status in tree.nodes().filter(|node| node.tier == 4).filter_map(|node| node.status) {
        *counts.entry(status.as_str()).or_default() += 1;
    }
    counts
}

fn as_json(
    tree: &Tree,
    trusted: bool,
    rows: &[(&Node, String)],
    last: &BTreeMap<String, LastFailed>,
    overruns: &BTreeMap<String, f64>,
) -> crate::CommandOutcome {
    let row = |(node, _): &(&Node, String)| {
        to_raw_value(&StatusRow {
            claimed_by: node.claimed_by.as_deref(),
            conflict_id: node.freeze.conflict.as_deref(),
            depends_on: &node.depends_on,
            fault: node.fault().map(|(line, what)| format!("line {line}: {what}")),
            freeze_reason: node.freeze.reason.as_deref(),
            frozen_by_ancestor: node.freeze.by_ancestor.as_deref(),
            id: &node.id,
            intent: &node.intent,
            last_verdict: last.get(&node.id),
            overrun: overruns.get(&node.id).copied(),
            parent: node.parent.as_deref(),
            replans: node.replans.total,
            replans_left: node.replans.remaining,
            revision: node.revision,
            status: tree.shown(node),
            tier: node.tier,
        })
    };
    let nodes: Vec<_> = look_at_each(rows, row).into_iter().collect::<Result<_, _>>()?;
    let waits = tree.waits();
    print_json(&BTreeMap::from([
        ("active", to_raw_value(&tree.active_task())?),
        ("counts", to_raw_value(&task_counts(tree))?),
        ("dir", to_raw_value(&tree.dir().to_string_lossy())?),
        ("nodes", to_raw_value(&nodes)?),
        ("ready", to_raw_value(&ready(&waits).map(|node| &*node.id).collect::<Vec<_>>())?),
        ("schema_version", to_raw_value(&1)?),
        ("trusted", to_raw_value(&trusted)?),
    ]))
}

/// By what part of its budget of tokens each task at work spent more, where it has one and the sessions' files tell.
fn overruns(site: &Site, tree: &Tree) -> Result<BTreeMap<String, f64>, Error> {
    let is_asked = |node: &&Node| node.tier == 4 && node.is(NodeStatus::Active) && node.budget().is_some();
    let asked: Vec<&str> = tree.nodes().filter(is_asked).map(|node| node.id.as_str()).collect();
    let spent = super::show::spent(site, &site.history()?, &asked).into_iter();
    Ok(spent.filter_map(|(id, spent)| spent.overrun(tree.node(&id)?).map(|part| (id, part))).collect())
}

/// How each node last failed, as far as the end of the history says.
fn last_verdicts(site: &Site) -> Result<BTreeMap<String, LastFailed>, Error> {
    let folder = site.history()?;
    let text = crate::inputs::end_of_history(&folder, LOOK_BACK)?;
    let mut last = BTreeMap::new();
    for line in text.lines().filter(|line| line.contains("\"failure_classified\"")) {
        let Line::Event(event) = parse(line.as_bytes()) else { continue };
        let Event { ts, node, body: Body::FailureClassified(classified), .. } = *event else { continue };
        let Some(verdict) = classified.verdict else { continue };
        let told =
            LastFailed { ts, class: verdict.class, category: verdict.category, attempt: verdict.attempt, open: false };
        last.insert(node, (told, verdict.episode));
    }
    let journal = Journal::in_dir(&folder);
    // Where nobody has asked for it since the states were deleted, only the history tells.
    let mut ledger = None;
    let mut is_open = |node: &str, episode: &str| {
        let mut restored =
            || Some(State::clone(&ledger.get_or_insert_with(|| journal.begin().ok()).as_mut()?.state(node)));
        let state = journal.peek(node).or_else(&mut restored);
        state.is_some_and(|state| state.episodes.iter().any(|open| open.id == episode))
    };
    let told = last.into_iter().map(|(node, (told, episode))| {
        let open = is_open(&node, &episode);
        (node, LastFailed { open, ..told })
    });
    Ok(told.collect())
}
