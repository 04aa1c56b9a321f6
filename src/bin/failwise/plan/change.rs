//! The commands that change the plan.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use failwise::error::Error;
use failwise::exit::Exit;
use failwise::model::{Ids, NodeStatus};
use failwise::place::{keep, link_below, new_plan, trusted};
use failwise::plan::PlanTree;
use failwise::plan::edit::{
    self, Change, ChangeError, Editor, HeardClaims, LeftClaim, MergeSide, NewNode, Node, NodeEdit, NodeEnd, PassedOver,
    ReplanRequest, Thaw, Tree, Wait, WaitReason,
};
use failwise::project::own_history;
use failwise::trust::Trusted;
use serde_json::json;

use super::{Site, change_error};
use crate::caller;
use crate::people;
use crate::style::{Format, PrintArgs, Style, print_json, shown};

/// Create a plan in .claude/plans, with a mission
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  failwise plan init --intent \"Books\" --constraint protected_files=LICENSE\n  failwise plan init --intent \"Books\" --plans plans"
)]
pub(crate) struct InitArgs {
    /// The purpose of the whole project
    #[arg(long, value_name = "TEXT")]
    intent: String,
    /// A constraint on every node: `forbidden_paths=legacy/**`, also `forbidden_commands`, `forbidden_dependencies`,
    /// `protected_files`, `required_checks`; may be repeated
    #[arg(long = "constraint", value_name = "NAME=VALUE", value_parser = edit::constraint_of)]
    constraints: Vec<(String, String)>,
}

/// Claim the first task that is ready
///
/// A task is ready if it is planned or blocked, its dependencies are done, and no node above it is frozen or closed.
/// The order is that of the tree. Two agents that run this at once get two tasks. A task that plans a file of a claimed
/// task comes last.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 claimed, 1 nothing is ready.\n\nExamples:\n  failwise plan next --story STORY-0031\n  failwise plan next --dry-run --format json"
)]
pub(crate) struct NextArgs {
    /// Print the task and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Only a task below this story or feature
    #[arg(long, value_name = "ID")]
    story: Option<String>,
    #[command(flatten)]
    who: Claimer,
    #[command(flatten)]
    pub(super) print: PrintArgs,
}

/// Claim a node: later failures belong to it
///
/// If an agent runs this, the hook binds its session or subagent to the node. In a terminal, name the session by
/// --session, or `export FAILWISE_NODE=ID` for the client.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  failwise plan claim TASK-00412\n  failwise plan claim STORY-0031 --json")]
pub(crate) struct ClaimArgs {
    /// Of a page in which a merge left both sides: keep what was here
    #[arg(long)]
    mine: bool,
    /// The same: keep what came
    #[arg(long, conflicts_with = "mine")]
    theirs: bool,
    #[command(flatten)]
    who: Claimer,
    #[command(flatten)]
    node: AskedNode,
}

/// Set a node's number to the next free one, with all that names it
///
/// Two clones may give one number to two nodes: `failwise plan validate` names the pair, and this renumbers the later one.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  failwise plan renumber TASK-00412\n  failwise plan renumber STORY-0003 --format json"
)]
pub(crate) struct RenumberArgs {
    #[command(flatten)]
    node: AskedNode,
}

/// Mark a node as done
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  failwise plan done TASK-00412\n  failwise plan done TASK-00412 --json")]
pub(crate) struct DoneArgs {
    /// Of a story or feature: the reason why what a replan took away is not needed
    #[arg(long, value_name = "REASON")]
    dropped: Option<String>,
    /// The reason why it ends though a required check or its test was not seen to pass; only people
    #[arg(long, value_name = "REASON")]
    without_check: Option<String>,
    #[command(flatten)]
    node: AskedNode,
}

/// What a node plans, each beside what it plans already.
#[derive(Debug, clap::Args)]
struct PlannedArgs {
    /// A file that it plans to create or change; may be repeated
    #[arg(long = "artifact", value_name = "PATH")]
    artifacts: Vec<String>,
    /// A test that proves it; may be repeated. A story needs one
    #[arg(long = "test-ref", value_name = "FILE::NAME")]
    test_refs: Vec<String>,
    /// A constraint on it and the nodes below it, as in `failwise plan init`; may be repeated
    #[arg(long = "constraint", value_name = "NAME=VALUE", value_parser = edit::constraint_of)]
    constraints: Vec<(String, String)>,
    /// The tokens that its work may take, `context_budget`; with `edit`, 0 takes that away
    #[arg(long, value_name = "TOKENS")]
    budget: Option<u32>,
}

/// Add a node below another
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  failwise plan add feature --parent MISSION --intent \"Bank CSV import\"\n  failwise plan add story --parent FEAT-1 --intent \"Parse semicolon files\" \\\n    --test-ref tests/csv.rs::semicolon\n  failwise plan add task --parent STORY-0001 --intent \"Sniff\" --artifact a.rs"
)]
pub(crate) struct AddArgs {
    /// What it is
    #[arg(value_enum)]
    tier: Tier,
    /// The node above it
    #[arg(long, value_name = "ID")]
    parent: String,
    /// Its purpose, in a few words
    #[arg(long, value_name = "TEXT")]
    intent: String,
    /// The id of a feature, such as a ticket's; by default the next free number
    #[arg(long, value_name = "ID")]
    id: Option<String>,
    /// A node to finish first; may be repeated
    #[arg(long = "depends-on", value_name = "ID")]
    depends_on: Vec<String>,
    #[command(flatten)]
    planned: PlannedArgs,
    #[command(flatten)]
    print: PrintArgs,
}

/// Set what a node plans: its intent, files, tests, constraints
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "failwise plan edit [OPTIONS] <ID>",
    after_help = "Examples:\n  failwise plan edit TASK-00412 --artifact src/b.rs --drop-artifact src/a.rs\n  failwise plan edit STORY-0031 --intent \"Parse it\" --test-ref csv.rs::fixed"
)]
#[group(required = true, multiple = true, args = ["intent", "artifacts", "test_refs", "constraints", "budget", "dropped_artifacts", "dropped_test_refs", "dropped_constraints"])]
pub(crate) struct EditArgs {
    /// Its purpose, in a few words
    #[arg(long, value_name = "TEXT")]
    intent: Option<String>,
    #[command(flatten)]
    planned: PlannedArgs,
    /// A file that it no longer plans
    #[arg(long = "drop-artifact", value_name = "PATH")]
    dropped_artifacts: Vec<String>,
    /// A test that no longer proves it
    #[arg(long = "drop-test-ref", value_name = "FILE::NAME")]
    dropped_test_refs: Vec<String>,
    /// A constraint that no longer binds
    #[arg(long = "drop-constraint", value_name = "NAME=VALUE", value_parser = edit::constraint_of)]
    dropped_constraints: Vec<(String, String)>,
    #[command(flatten)]
    node: AskedNode,
}

/// Add what was found out in a node to the feature above it
///
/// `failwise plan show` tells it at every node below that feature.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  failwise plan promote TASK-00412 --note \"the bank sends Latin-1\"\n  failwise plan promote TASK-00412 --to MISSION --note \"no network in CI\""
)]
pub(crate) struct PromoteArgs {
    /// What was found out, in a sentence
    #[arg(long, value_name = "TEXT")]
    note: String,
    /// Another node above it
    #[arg(long, value_name = "ID")]
    to: Option<String>,
    #[command(flatten)]
    node: AskedNode,
}

/// Set a node's status, as far as the table of transitions allows
///
/// `planned` releases a claimed node, and confirms the plan of a task with `replan_required`. `blocked`, `discarded`,
/// `done` and `archived` end it for now or for good. A discarded node takes its open nodes with it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  failwise plan set TASK-00412 planned --reason \"its agent stopped\"\n  failwise plan set TASK-00412 discarded --reason \"not needed any more\""
)]
pub(crate) struct SetArgs {
    #[command(flatten)]
    node: AskedNode,
    /// The new status
    #[arg(value_name = "STATUS", value_parser = status)]
    status: NodeStatus,
    /// The reason; optional for `done` and `archived`
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// Add or drop a node's dependencies
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  failwise plan depend TASK-00413 --on TASK-00412\n  failwise plan depend TASK-00413 --drop TASK-00412"
)]
#[group(required = true, multiple = true, args = ["on", "drop"])]
pub(crate) struct DependArgs {
    /// A node to finish first; may be repeated
    #[arg(long, value_name = "ID")]
    on: Vec<String>,
    /// A node that it no longer waits for; may be repeated
    #[arg(long, value_name = "ID")]
    drop: Vec<String>,
    #[command(flatten)]
    node: AskedNode,
}

/// Freeze a branch: the node and the open nodes below it
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  failwise plan freeze STORY-0031 --reason \"the file format was misread\"\n  failwise plan freeze TASK-00412 --reason \"waits for a licence\" --json"
)]
pub(crate) struct FreezeArgs {
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: String,
    /// The conflict to resolve before a thaw
    #[arg(long, value_name = "ID")]
    conflict: Option<String>,
    #[command(flatten)]
    node: AskedNode,
}

/// Thaw a frozen branch, with a full budget of replans
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  failwise plan thaw STORY-0031\n  failwise plan thaw TASK-00412")]
pub(crate) struct ThawArgs {
    /// Discard the branch instead
    #[arg(long)]
    discard: bool,
    /// Thaw although its conflict is open
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    node: AskedNode,
}

/// Drop the unfinished nodes below a story or feature, so that it can be replanned
///
/// Prints what it drops: the new plan has to cover that. Takes one replan from the node's budget: 3 for a story, 2 for a
/// feature. A task is never replanned, and what another agent works on is never dropped.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  failwise plan replan STORY-0031 --reason \"fixed width\" --avoid \"splitting\"\n  failwise plan replan STORY-0031 --reason \"the bank changed its format\""
)]
pub(crate) struct ReplanArgs {
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: String,
    /// An approach to avoid
    #[arg(long, value_name = "TEXT")]
    avoid: Option<String>,
    /// The task whose failure requires it
    #[arg(long, value_name = "ID")]
    of: Option<String>,
    /// Also drop what others work on: for people only
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    node: AskedNode,
}

/// Undo the last change of a node, on every node that it touched
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  failwise plan undo STORY-0031\n  failwise plan undo STORY-0031 --force")]
pub(crate) struct UndoArgs {
    /// Also undo later edits by hand
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    node: AskedNode,
}

/// The node that a command is about, and how its answer is printed.
#[derive(Debug, clap::Args)]
struct AskedNode {
    /// The node
    #[arg(value_name = "ID")]
    node: String,
    #[command(flatten)]
    print: PrintArgs,
}

impl AskedNode {
    fn asked(&self) -> (&str, &PrintArgs) {
        (&self.node, &self.print)
    }
}

/// Who claims.
#[derive(Debug, clap::Args)]
struct Claimer {
    /// The client's session to bind; agents can omit it
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// The subagent of that session
    #[arg(long, value_name = "ID", requires = "session")]
    agent: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Tier {
    /// A part of the mission that takes weeks; may be left out
    Initiative = 1,
    /// A result for the user
    Feature,
    /// A step towards it, proven by a test
    Story,
    /// One piece of work for one agent
    Task,
}

/// The most tasks whose reasons to wait are told in text.
const MOST_WAITING: usize = 20;
/// The most tasks that are named as passed over in text.
const MOST_PASSED_OVER: usize = 4;

/// What a command has to tell.
#[derive(Debug, Clone)]
struct ChangeAnswer<'a> {
    verb: &'a str,
    /// None where nothing was ready.
    node: Option<&'a Node>,
    /// None where nothing was changed.
    change: Option<&'a Change>,
    /// The ready tasks that were not taken.
    passed_over: &'a [PassedOver],
    /// Of `next`: the tasks that cannot go on by themselves; where nothing is ready, every open task with its reason.
    waiting: Option<Vec<Wait>>,
    /// Who had left the task that was claimed.
    left: Option<LeftClaim>,
    /// The other tasks that the same session works on.
    beside: Vec<String>,
    /// The tasks that a replan dropped.
    dropped: Vec<&'a Node>,
    /// The plan's folder.
    dir: &'a Path,
}

impl<'a> ChangeAnswer<'a> {
    fn of(verb: &'a str, node: Option<&'a Node>, tree: &'a Tree) -> Self {
        Self {
            verb,
            node,
            change: None,
            passed_over: &[],
            waiting: None,
            left: None,
            beside: Vec::new(),
            dropped: Vec::new(),
            dir: tree.dir(),
        }
    }

    fn of_change(change: &'a Change, tree: &'a Tree) -> Self {
        let dropped = if change.verb == "replan" { change.changed.as_slice() } else { &[] };
        let dropped = dropped.iter().filter(|one| one.to == Some(NodeStatus::Discarded));
        let dropped = dropped.filter_map(|one| tree.node(&one.id)).filter(|node| node.tier > 2).collect();
        Self { change: Some(change), dropped, ..Self::of(change.verb, tree.node(&change.node), tree) }
    }

    /// With the other tasks that the same session claimed and did not end.
    fn beside(self, holder: Option<&str>, tree: &Tree, heard: &HeardClaims) -> Self {
        // What a subagent of the session works on is not its own.
        let own = |node: &&Node| node.tier == 4 && node.is(NodeStatus::Active) && heard.worker(node) == holder;
        let others = tree.nodes().filter(own).filter(|node| self.node.is_none_or(|claimed| claimed.id != node.id));
        let beside = if holder.is_some() { others.map(|node| node.id.clone()).collect() } else { Vec::new() };
        Self { beside, ..self }
    }

    /// With what cannot be begun: each open task where there was nothing to give out, else those that cannot go on by themselves.
    fn waiting(self, tree: &Tree, within: Option<&str>) -> Self {
        let is_asked = |wait: &Wait| within.is_none_or(|id| tree.is_within(&wait.id, id));
        let waiting = tree.waiting(self.node.is_some()).into_iter();
        Self { waiting: Some(waiting.filter(is_asked).collect()), ..self }
    }
}

pub(super) fn init(site: &Site, args: &InitArgs) -> crate::CommandOutcome {
    let dir = new_dir(site);
    make(site, &dir, &args.intent, &edit::together(&args.constraints))?;
    let short = dir.strip_prefix(&site.place.project).unwrap_or(&dir);
    writeln!(std::io::stdout(), "a plan: {}", shown(&short.to_string_lossy(), 300))?;
    writeln!(
        std::io::stdout(),
        "next: failwise plan tree FILE, or failwise plan add feature --parent MISSION --intent TEXT"
    )?;
    Ok(Exit::Ok)
}

/// The folder of a plan that is to be made.
pub(super) fn new_dir(site: &Site) -> PathBuf {
    site.given.clone().unwrap_or_else(|| new_plan(&crate::env, &site.place.project))
}

/// Makes a plan of one's own in a folder.
pub(super) fn make(site: &Site, dir: &Path, intent: &str, constraints: &[(String, Vec<String>)]) -> Result<(), Error> {
    may_be_made(site, dir)?;
    if PlanTree::has_mission(dir) && !site.is_trusted(dir) {
        return Err(super::untrusted(dir));
    }
    edit::init(dir, intent, constraints, &crate::now()).map_err(|error| change_error(&error))?;
    let record = Trusted { plan: true, ..trusted(&crate::env, dir) };
    keep(&crate::env, &record)?;
    own_history(&crate::env, dir, &crate::now())?;
    Ok(())
}

/// Whether a plan may be made in a folder. What lies there already becomes part of it, so that an agent makes none in a
/// folder that came with files.
fn may_be_made(site: &Site, dir: &Path) -> Result<(), Error> {
    if let Some(link) = link_below(&site.place.project, dir) {
        return Err(Error::refused(format!("{} is a link, and no plan is made behind one", link.display()))
            .hint("remove it, or name another folder by --plans"));
    }
    let holds_files = fs_err::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some());
    match people::agent() {
        Some(name) if holds_files && !site.is_trusted(dir) => {
            let what = format!("{} has untrusted files, and {name} shows an agent is asking", dir.display());
            Err(Error::refused(what).hint("a person runs this in a terminal of their own"))
        }
        _ => Ok(()),
    }
}

impl NextArgs {
    /// The node that the task is to be below.
    fn within<'t>(&self, tree: &'t Tree) -> Result<Option<&'t str>, Error> {
        let node = self.story.as_deref().map(|word| super::node_meant(tree, word)).transpose()?;
        Ok(node.map(|node| node.id.as_str()))
    }
}

pub(super) fn next(site: &Site, args: &NextArgs) -> crate::CommandOutcome {
    let ignored = crate::config::settings_of(Some(&site.place)).0.ignored();
    if args.dry_run {
        let tree = site.tree()?;
        let within = args.within(tree)?;
        let held = tree.held_no_longer();
        let mut thawed = Vec::new();
        if !held.is_empty() {
            say!("failwise: without --dry-run, {} is arbitrated first: whom it waits for is over", held.join(", "));
            thawed = super::conflicts::would_thaw(site, &held);
        }
        let (mut task, mut passed_over, mut left) = (None, Vec::new(), None);
        if let Some(offer) = tree.offer(&ignored, within, &thawed) {
            (task, passed_over) = (Some(offer.task), offer.passed_over);
        } else if let Some((id, claim)) = left_task(&HeardClaims::of(&site.history()?, tree), tree, within) {
            (task, left) = (tree.node(&id), Some(claim));
        }
        let answer = ChangeAnswer { left, ..ChangeAnswer::of("claim", task, tree) }.waiting(tree, within);
        return print_next(&ChangeAnswer { passed_over: &passed_over, ..answer }, args.print.format);
    }
    let ids = args.who.ids()?;
    let holder = holder_of(&ids);
    let mut editor = site.editor(ids.clone())?;
    let mut held = editor.tree().held_no_longer();
    let heard = HeardClaims::of(&site.history()?, editor.tree());
    held.extend(heard.gone_from(editor.tree(), holder.as_deref(), &crate::now()));
    if !held.is_empty() {
        // What waited for a node that is over goes on, and what its holder goes away from waits, by the table.
        drop(editor);
        super::conflicts::release(site, &held);
        editor = site.editor(ids)?;
    }
    let now = crate::now();
    let within = args.within(editor.tree())?.map(str::to_owned);
    let within = within.as_deref();
    let claimed = editor.claim_next(holder.as_deref(), &ignored, within, &now).map_err(|error| change_error(&error))?;
    let (change, passed_over, left) = if let Some((change, passed_over)) = claimed {
        (change, passed_over, None)
    } else {
        let Some((id, left)) = left_task(&heard, editor.tree(), within) else {
            let answer = ChangeAnswer::of("claim", None, editor.tree()).waiting(editor.tree(), within);
            return print_next(&answer, args.print.format);
        };
        let change = editor.take_over(&id, holder.as_deref(), &now).map_err(|error| change_error(&error))?;
        (change, Vec::new(), Some(left))
    };
    args.who.bind(&mut editor, &change.node)?;
    let answer = ChangeAnswer::of_change(&change, editor.tree()).waiting(editor.tree(), within);
    let answer =
        ChangeAnswer { passed_over: &passed_over, left, ..answer }.beside(holder.as_deref(), editor.tree(), &heard);
    let exit = print_next(&answer, args.print.format)?;
    super::conflicts::warn(site, editor.into_tree(), &change.node);
    Ok(exit)
}

/// The first task whose claim nobody is behind any more; of a claim on another machine nobody here knows that.
fn left_task(heard: &HeardClaims, tree: &Tree, within: Option<&str>) -> Option<(String, LeftClaim)> {
    let now = crate::now();
    let asked = |node: &&Node| within.is_none_or(|id| tree.is_within(&node.id, id));
    let left = |node: &Node| heard.left(node, &now).filter(|left| left.elsewhere.is_none());
    tree.nodes().filter(asked).find_map(|node| Some((node.id.clone(), left(node)?)))
}

pub(super) fn claim(site: &Site, args: &ClaimArgs) -> crate::CommandOutcome {
    if args.mine || args.theirs {
        let kept = if args.mine { MergeSide::Mine } else { MergeSide::Theirs };
        return change(site, args.node.asked(), |editor, id, now| editor.settle(id, kept, now));
    }
    let ids = args.who.ids()?;
    let (holder, now) = (holder_of(&ids), crate::now());
    let mut editor = site.editor(ids)?;
    let id = super::meant_id(editor.tree(), &args.node.node);
    let heard = HeardClaims::of(&site.history()?, editor.tree());
    let node = editor.tree().node(&id).filter(|node| node.is(NodeStatus::Active));
    let left = node.and_then(|node| heard.left(node, &now));
    let change = match left {
        Some(_) => editor.take_over(&id, holder.as_deref(), &now),
        None => editor.claim(&id, holder.as_deref(), &now),
    };
    let change = change.map_err(|error| change_error(&error))?;
    args.who.bind(&mut editor, &id)?;
    let answer = ChangeAnswer { left, ..ChangeAnswer::of_change(&change, editor.tree()) };
    let exit = print_next(&answer.beside(holder.as_deref(), editor.tree(), &heard), args.node.print.format)?;
    super::conflicts::warn(site, editor.into_tree(), &id);
    Ok(exit)
}

pub(super) fn done(site: &Site, args: &DoneArgs) -> crate::CommandOutcome {
    let (dropped, check) = (args.dropped.as_deref(), args.without_check.as_deref());
    if check.is_some() {
        people::not_for_agents("plan done")?;
    }
    let history = site.history()?;
    change(site, args.node.asked(), |editor, id, now| {
        let tokens = super::show::spent(site, &history, &[id]).get(id).map(|spent| spent.tokens);
        editor.done(id, NodeEnd { dropped, check, tokens }, now)
    })
}

pub(super) fn add(site: &Site, args: &AddArgs) -> crate::CommandOutcome {
    change(site, (&args.parent, &args.print), |editor, parent, now| {
        let new = NewNode {
            tier: args.tier as u8,
            parent: parent.to_owned(),
            id: args.id.clone(),
            intent: args.intent.clone(),
            depends_on: all_meant(editor, &args.depends_on),
            artifacts: args.planned.artifacts.clone(),
            test_refs: args.planned.test_refs.clone(),
            constraints: edit::together(&args.planned.constraints),
            budget: args.planned.budget.filter(|tokens| *tokens > 0),
        };
        editor.add(&new, now)
    })
}

pub(super) fn edit(site: &Site, args: &EditArgs) -> crate::CommandOutcome {
    let edit = NodeEdit {
        intent: args.intent.clone(),
        artifacts: args.planned.artifacts.clone(),
        test_refs: args.planned.test_refs.clone(),
        constraints: args.planned.constraints.clone(),
        budget: args.planned.budget,
        dropped_artifacts: args.dropped_artifacts.clone(),
        dropped_test_refs: args.dropped_test_refs.clone(),
        dropped_constraints: args.dropped_constraints.clone(),
    };
    change(site, args.node.asked(), |editor, id, now| editor.edit(id, &edit, now))
}

pub(super) fn promote(site: &Site, args: &PromoteArgs) -> crate::CommandOutcome {
    change(site, args.node.asked(), |editor, id, now| {
        let to = args.to.as_ref().map(|to| super::meant_id(editor.tree(), to));
        editor.promote(id, &args.note, to.as_deref(), now)
    })
}

pub(super) fn set(site: &Site, args: &SetArgs) -> crate::CommandOutcome {
    change(site, args.node.asked(), |editor, id, now| editor.set(id, args.status, args.reason.as_deref(), now))
}

pub(super) fn depend(site: &Site, args: &DependArgs) -> crate::CommandOutcome {
    change(site, args.node.asked(), |editor, id, now| {
        let (on, dropped) = (all_meant(editor, &args.on), all_meant(editor, &args.drop));
        editor.depend(id, &on, &dropped, now)
    })
}

pub(super) fn freeze(site: &Site, args: &FreezeArgs) -> crate::CommandOutcome {
    let conflict = args.conflict.as_deref();
    change(site, args.node.asked(), |editor, id, now| editor.freeze(id, &args.reason, conflict, now))
}

pub(super) fn thaw(site: &Site, args: &ThawArgs) -> crate::CommandOutcome {
    let how = Thaw { discard: args.discard, force: args.force };
    change(site, args.node.asked(), |editor, id, now| editor.thaw(id, how, now))
}

pub(super) fn replan(site: &Site, args: &ReplanArgs) -> crate::CommandOutcome {
    if args.force {
        people::only_people("plan replan --force", true)?;
    }
    let holder = holder_of(&caller());
    change(site, args.node.asked(), |editor, id, now| {
        let of = args.of.as_ref().map(|of| super::meant_id(editor.tree(), of));
        let asked = ReplanRequest {
            reason: &args.reason,
            avoid: args.avoid.as_deref(),
            of: of.as_deref(),
            holder: holder.as_deref(),
            force: args.force,
        };
        editor.replan(id, asked, now)
    })
}

pub(super) fn renumber(site: &Site, args: &RenumberArgs) -> crate::CommandOutcome {
    change(site, args.node.asked(), Editor::renumber)
}

pub(super) fn undo(site: &Site, args: &UndoArgs) -> crate::CommandOutcome {
    change(site, args.node.asked(), |editor, id, now| editor.undo(id, args.force, now))
}

/// The ids that words mean.
fn all_meant(editor: &Editor, words: &[String]) -> Vec<String> {
    words.iter().map(|word| super::meant_id(editor.tree(), word)).collect()
}

/// Makes a change about the node that a word means, and prints it.
fn change(
    site: &Site,
    (node, print): (&str, &PrintArgs),
    make: impl FnOnce(&mut Editor, &str, &str) -> Result<Change, ChangeError>,
) -> crate::CommandOutcome {
    let mut editor = site.editor(caller())?;
    let id = super::meant_id(editor.tree(), node);
    let change = make(&mut editor, &id, &crate::now()).map_err(|error| change_error(&error))?;
    let tree = editor.tree();
    print_change(&ChangeAnswer::of_change(&change, tree), print.format)?;
    let gone: Vec<&str> =
        change.changed.iter().filter(|one| one.to == Some(NodeStatus::Discarded)).map(|one| &*one.id).collect();
    for wait in tree.waiting(false).iter().filter(|wait| wait.on.as_deref().is_some_and(|on| gone.contains(&on))) {
        if wait.reason == WaitReason::DeadDependency {
            let id = shown(&wait.id, 64);
            let why = shown(&wait.why, 200);
            say!(
                "failwise: {id} cannot start any more: {why}; failwise plan set {id} discarded --reason TEXT gives it up too"
            );
        }
    }
    Ok(Exit::Ok)
}

fn print_next(answer: &ChangeAnswer<'_>, format: Format) -> crate::CommandOutcome {
    print_change(answer, format)?;
    let mut out = std::io::stdout().lock();
    match (answer.node, answer.change, format) {
        (Some(node), Some(_), Format::Text) if caller().session.is_none() => {
            writeln!(out, "in a terminal, for the client: export FAILWISE_NODE={}", shown(&node.id, 64))?;
        }
        _ => {}
    }
    Ok(if answer.node.is_some() { Exit::Ok } else { Exit::Differs })
}

fn print_change(answer: &ChangeAnswer<'_>, format: Format) -> Result<(), crate::CommandFailure> {
    let ChangeAnswer { verb, node, change, passed_over, ref waiting, ref left, ref beside, ref dropped, dir } = *answer;
    let changed = change.map(|change| change.changed.as_slice()).unwrap_or_default();
    let id = change.map(|change| &change.node).or(node.map(|node| &node.id));
    if format == Format::Json {
        let changed =
            changed.iter().map(|one| json!({ "id": one.id, "from": one.from, "to": one.to, "revision": one.revision }));
        let file = node.map(|node| node.file.strip_prefix(dir).unwrap_or(&node.file).to_string_lossy());
        let mut answer = json!({
            "schema_version": 1, "verb": verb, "node": id, "mutation": change.map(|change| &change.mutation),
            "intent": node.map(|node| &node.intent), "file": file,
            "artifacts": node.map(Node::artifacts).unwrap_or_default(), "changed": changed.collect::<Vec<_>>(),
            "passed_over": passed_over,
        });
        let of_dropped = |node: &&Node| json!({ "id": node.id, "intent": node.intent, "artifacts": node.artifacts() });
        let more = [
            ("dropped", (verb == "replan").then(|| dropped.iter().map(of_dropped).collect())),
            ("taken_over", left.as_ref().map(|left| json!(left))),
            ("also_claimed", (!beside.is_empty()).then(|| json!(beside))),
            ("waiting", waiting.as_ref().map(|waiting| json!(waiting))),
        ];
        for (name, value) in more.into_iter().filter_map(|(name, value)| Some((name, value?))) {
            answer[name] = value;
        }
        return print_json(&answer).map(drop);
    }
    let mut out = std::io::stdout().lock();
    let style = Style::for_stdout();
    if let Some(id) = id {
        let intent = node.map(|node| shown(&node.intent, 100)).unwrap_or_default();
        let done = if change.is_some() { past(verb) } else { "ready" };
        writeln!(out, "{done} {}  {intent}", style.bold(&shown(id, 64)))?;
    } else {
        let is_all_closed = waiting.as_ref().is_some_and(Vec::is_empty);
        let next =
            if is_all_closed { "no task is open; failwise plan add task adds one" } else { "each open task waits" };
        writeln!(out, "nothing is ready: {next}")?;
    }
    for one in changed {
        let states = match (one.from, one.to) {
            (Some(from), Some(to)) if from != to => format!("{from} -> {to}"),
            (None, Some(to)) => to.to_string(),
            (Some(_), None) => "gone".to_owned(),
            _ => "changed".to_owned(),
        };
        writeln!(out, "  {:<14} {states}", shown(&one.id, 64))?;
    }
    if let Some(left) = left {
        let last = left.last.as_deref().map(|last| format!("; the last call was {last}")).unwrap_or_default();
        let verb = if change.is_some() { "taken over" } else { "to be taken over" };
        writeln!(out, "  {verb}: {}", shown(&format!("{}{last}", left.why()), 300))?;
    }
    if !beside.is_empty() {
        writeln!(out, "  also claimed by this session, and not ended: {}", shown(&beside.join(", "), 200))?;
    }
    for node in dropped {
        let files = node.artifacts();
        let files = if files.is_empty() { String::new() } else { format!(" ({})", files.join(", ")) };
        writeln!(out, "  to plan again: {}", shown(&format!("{}{files}", node.intent), 300))?;
    }
    for PassedOver { id, running, files } in passed_over.iter().take(MOST_PASSED_OVER) {
        let place = if files.is_empty() { "a conflict".to_owned() } else { shown(&files.join(", "), 160) };
        writeln!(out, "  {:<14} passed over: would meet {} in {place}", shown(id, 64), shown(running, 64))?;
    }
    let more = passed_over.len().saturating_sub(MOST_PASSED_OVER);
    if more > 0 {
        writeln!(out, "  {more} more passed over for the same reason")?;
    }
    let waiting = waiting.as_deref().unwrap_or_default();
    for Wait { id, why, .. } in waiting.iter().take(MOST_WAITING) {
        let verb = if answer.node.is_some() { "passed over" } else { "waits" };
        writeln!(out, "  {:<14} {verb}: {}", shown(id, 64), shown(why, 300))?;
    }
    let more = waiting.len().saturating_sub(MOST_WAITING);
    if more > 0 {
        writeln!(out, "  {more} more that wait: --format json has all")?;
    }
    Ok(())
}

fn past(verb: &str) -> &'static str {
    match verb {
        "claim" => "claimed",
        "done" => "done",
        "release" => "given back",
        "block" => "blocked",
        "discard" => "discarded",
        "archive" => "archived",
        "revise" => "its plan fits again:",
        "freeze" => "frozen",
        "thaw" => "thawed",
        "replan" => "to be replanned",
        "undo" => "undone",
        "add" => "added",
        "edit" => "edited",
        "promote" => "told to",
        "settle" => "settled",
        "renumber" => "renumbered",
        _ => "changed",
    }
}

/// The name under which the history knows a caller.
fn holder_of(ids: &Ids) -> Option<String> {
    Some(failwise::history::session_node(Some(ids.session.as_deref()?), ids.agent.as_deref()))
}

impl Claimer {
    fn ids(&self) -> Result<Ids, Error> {
        for id in [&self.session, &self.agent].into_iter().flatten() {
            if !failwise::host::is_known_id(id) {
                return Err(Error::usage(format!("`{}` is no id of a session", shown(id, 40)))
                    .hint("the client's ids are letters, digits, `-`, `_`, `.` and `:`"));
            }
        }
        match &self.session {
            Some(_) => Ok(Ids { session: self.session.clone(), agent: self.agent.clone(), ..Ids::default() }),
            None => Ok(caller()),
        }
    }

    /// Binds the session that was named by hand. An agent's own is bound by the hook, which knows its subagent too.
    fn bind(&self, editor: &mut Editor, node: &str) -> Result<(), Error> {
        if self.session.is_none() {
            return Ok(());
        }
        editor.bind(node, &crate::now()).map_err(|error| change_error(&error))
    }
}

fn status(word: &str) -> Result<NodeStatus, String> {
    NodeStatus::from_word(word).ok_or_else(|| {
        let words: Vec<&str> = NodeStatus::ALL.iter().map(|status| status.as_str()).collect();
        format!("it is one of {}", words.join(", "))
    })
}
