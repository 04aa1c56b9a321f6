//! `failwise plan conflicts`: find, list, show and resolve conflicts between nodes.

use std::io::Write;
use std::mem::ManuallyDrop;
use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};
use failwise::arbiter::{ArbiterDesk, ConflictLog, ConflictScene, Detected, PersonChoice, Scan};
use failwise::conflicts::policy::Arbitration;
use failwise::conflicts::{ArbitrationDecision, Conflict};
use failwise::error::Error;
use failwise::exit::Exit;
use failwise::model::NodeStatus;
use failwise::plan::edit::Tree;

use super::Site;
use crate::arbitrate::{Seat, at_desk, on_scene, print};
use crate::style::{Format, PrintArgs, Style, print_pretty, shown, versioned, write_rows};

/// The most conflicts that are named at a claim.
const MOST_WARNINGS: usize = 8;

/// List, scan for, show and resolve conflicts between nodes on the same files
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 done; for scan, no open conflict; 1 scan: open conflicts found, or there is no such conflict; 64 wrong \
    command line, or the conflict is resolved already; 74 a file could not be \
    read or written.\n\nExamples:\n  failwise plan conflicts scan\n  failwise plan conflicts arbitrate CONFLICT-1f0c2a9b"
)]
pub(crate) struct ConflictsArgs {
    #[command(subcommand)]
    command: ConflictsCommand,
}

#[derive(Debug, Subcommand)]
enum ConflictsCommand {
    /// Compare nodes that may run at the same time, and record new conflicts
    ///
    /// Two nodes that name the same file conflict (L1), as do two that name the same function in it (L2). Changes
    /// already made count as well. The same file with different functions is printed, but not recorded.
    #[command(
        after_help = "Examples:\n  failwise plan conflicts scan\n  failwise plan conflicts scan --node TASK-00002 --dry-run"
    )]
    Scan {
        /// Only the conflicts of this node
        #[arg(long, value_name = "ID")]
        node: Option<String>,
        /// Record nothing
        #[arg(long)]
        dry_run: bool,
        #[command(flatten)]
        print: PrintArgs,
    },
    /// List the open conflicts
    #[command(after_help = "Examples:\n  failwise plan conflicts list\n  failwise plan conflicts list --all --json")]
    List {
        /// Include resolved conflicts
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        print: PrintArgs,
    },
    /// Show one conflict
    #[command(
        after_help = "Examples:\n  failwise plan conflicts show CONFLICT-1f0c2a9b --json\n  failwise plan conflicts show CONFLICT-1f0c2a9b"
    )]
    Show {
        /// The conflict
        id: String,
        #[command(flatten)]
        print: PrintArgs,
    },
    Arbitrate(crate::arbitrate::ArbitrateArgs),
    /// Resolve a conflict by a person's choice, and change the tree accordingly
    #[command(
        after_help = "Examples:\n  failwise plan conflicts resolve CONFLICT-1f0c2a9b freeze-both\n  failwise plan conflicts resolve CONFLICT-1f0c2a9b sequential TASK-00002"
    )]
    Resolve {
        /// The conflict
        id: String,
        /// The choice
        #[arg(value_enum)]
        choice: ConflictWord,
        /// With `sequential`: the node that goes first
        #[arg(required_if_eq("choice", "sequential"))]
        first: Option<String>,
        #[command(flatten)]
        print: PrintArgs,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ConflictWord {
    /// Discard the blocker, continue the waiting node
    AcceptProposed,
    /// Discard the waiting node
    AcceptBlocker,
    /// Run one after the other
    Sequential,
    /// Freeze both
    FreezeBoth,
    /// Leave it open for somebody else
    Escalate,
}

/// Looks whether a node that was just claimed is in the way of one that is being worked on, records it, and says what
/// to do. The claim holds all the same: a conflict that cannot be looked for is reported, and found by the next scan.
pub(super) fn warn(site: &Site, tree: Tree, node: &str) {
    let is_alone = !tree.nodes().any(|other| other.is(NodeStatus::Active) && other.tier == 4 && other.id != node);
    // The process ends here, and its memory with it: to free it would take longer.
    if is_alone {
        std::mem::forget(tree);
        return;
    }
    let look = |scene: ConflictScene<'_>| {
        ManuallyDrop::new(ArbiterDesk::at_claim(scene, tree, node)?).scan(Some(node), true, true)
    };
    let scan = site.own_dir().and_then(|plans| seat(site, plans)).and_then(|seat| on_scene(&seat, look));
    match scan {
        Ok(scan) => {
            for Detected { conflict, .. } in scan.conflicts.iter().take(MOST_WARNINGS) {
                let id = shown(&conflict.conflict_id, 80);
                say!("failwise: {}\n  before the work begins: failwise arbitrate {id}", conflict_line(conflict));
            }
        }
        Err(error) => say!("failwise: conflicts were not looked for: {}", shown(&error.to_string(), 200)),
    }
}

/// Arbitrates conflicts that hold a node for one that is over, or that nobody arbitrated yet, and says what became of each. One that cannot be arbitrated
/// stays as it is, and `failwise arbitrate` says why.
pub(super) fn release(site: &Site, ids: &[String]) {
    match released(site, ids, false) {
        Ok(answers) => {
            for answer in answers {
                let (waits, id) = (answer.proposed.as_deref().unwrap_or("nobody"), &answer.conflict_id);
                let why = answer.reasons.first().map_or("", String::as_str);
                say!(
                    "failwise: {} for {}: {}",
                    shown(id, 80),
                    shown(waits, 64),
                    shown(&format!("{}, {why}", answer.decision), 200)
                );
            }
        }
        Err(error) => say!("failwise: what waits for ended work was not looked at: {}", shown(&error.to_string(), 200)),
    }
}

/// The tasks that would go on again after that.
pub(super) fn would_thaw(site: &Site, ids: &[String]) -> Vec<String> {
    let answers = released(site, ids, true).unwrap_or_default().into_iter();
    answers.filter(|answer| answer.decision == ArbitrationDecision::AutoThaw).filter_map(|one| one.proposed).collect()
}

fn released(site: &Site, ids: &[String], dry_run: bool) -> Result<Vec<Arbitration>, Error> {
    at_desk(&seat(site, site.own_dir()?)?, |desk| desk.release(ids, dry_run))
}

fn seat(site: &Site, plans: PathBuf) -> Result<Seat, Error> {
    Ok(Seat { place: site.place.clone(), plans, history: site.history()? })
}

pub(super) fn run(site: &Site, args: &ConflictsArgs) -> crate::CommandOutcome {
    let only_reads = matches!(args.command, ConflictsCommand::List { .. } | ConflictsCommand::Show { .. });
    let seat = seat(site, if only_reads { site.dir()? } else { site.own_dir()? })?;
    match &args.command {
        ConflictsCommand::Scan { node, dry_run, print } => scan(&seat, node.as_deref(), *dry_run, print.format),
        ConflictsCommand::List { all, print } => list(&known_conflicts(site, &seat)?, *all, print.format),
        ConflictsCommand::Show { id, print } => show(&known_conflicts(site, &seat)?, id, print.format),
        ConflictsCommand::Arbitrate(args) => crate::arbitrate::run_at(&seat, args),
        ConflictsCommand::Resolve { id, choice, first, print } => {
            let choice = chosen(*choice, first.as_deref())?;
            resolve(&seat, id, &choice, print.format)
        }
    }
}

fn scan(seat: &Seat, node: Option<&str>, dry_run: bool, format: Format) -> crate::CommandOutcome {
    let scan = at_desk(seat, |desk| desk.scan(node, false, !dry_run))?;
    match format {
        Format::Json => drop(print_pretty(&scan)?),
        Format::Text => print_scan(&mut crate::style::text_page(Format::Text), &scan)?,
    }
    Ok(if scan.conflicts.is_empty() { Exit::Ok } else { Exit::Differs })
}

fn print_scan(out: &mut impl Write, scan: &Scan) -> std::io::Result<()> {
    let style = Style::for_stdout();
    for found in &scan.conflicts {
        let new = if found.is_new { style.yellow("new   ") } else { "known ".to_owned() };
        writeln!(out, "{new} {}", conflict_line(&found.conflict))?;
    }
    for weaker in &scan.weaker {
        let [one, other] = &weaker.nodes;
        let files = shown(&weaker.files.join(", "), 160);
        writeln!(
            out,
            "{} {} and {} share {files}, in different functions",
            style.dim("noted "),
            shown(one, 80),
            shown(other, 80)
        )?;
    }
    if scan.conflicts.is_empty() && scan.weaker.is_empty() {
        writeln!(out, "no two nodes that may run at the same time share a file")?;
    }
    Ok(())
}

/// A conflict on one line.
fn conflict_line(conflict: &Conflict) -> String {
    let side = |side: Option<&str>| shown(side.unwrap_or("unknown"), 80);
    let functions = conflict.overlap.functions.iter().flatten().cloned().collect::<Vec<_>>().join(", ");
    let functions = if functions.is_empty() { String::new() } else { format!(" ({})", shown(&functions, 80)) };
    format!(
        "{}  {}  {} waits for {}: {}{functions}",
        shown(&conflict.conflict_id, 80),
        conflict.layer,
        side(conflict.proposed()),
        side(conflict.blocker()),
        shown(&conflict.overlap.files.join(", "), 160),
    )
}

/// The conflicts of the log, and those that only the history of a plan of this user's knows.
fn known_conflicts(site: &Site, seat: &Seat) -> Result<Vec<Conflict>, Error> {
    if site.own_dir().is_ok() { on_scene(seat, ArbiterDesk::known) } else { Ok(ConflictLog::read(&seat.plans)?) }
}

fn list(known: &[Conflict], all: bool, format: Format) -> crate::CommandOutcome {
    let conflicts: Vec<&Conflict> = known.iter().filter(|conflict| all || !conflict.is_resolved()).collect();
    if format == Format::Json {
        return print_pretty(&versioned(&conflicts)?);
    }
    let mut out = crate::style::text_page(Format::Text);
    for conflict in &conflicts {
        let end = conflict.resolution.as_deref().map_or_else(String::new, |end| format!("  [{}]", shown(end, 40)));
        writeln!(out, "{}{end}", conflict_line(conflict))?;
    }
    if conflicts.is_empty() {
        writeln!(out, "no conflicts{}", if all { "" } else { " are open" })?;
    }
    Ok(Exit::Ok)
}

fn show(conflicts: &[Conflict], id: &str, format: Format) -> crate::CommandOutcome {
    let found = conflicts.iter().find(|conflict| conflict.conflict_id == id);
    let missing = || {
        Error::refused(format!("there is no conflict `{}`", shown(id, 80)))
            .hint("`failwise plan conflicts list` shows them")
    };
    let conflict = found.ok_or_else(missing)?;
    if format == Format::Json {
        return print_pretty(&versioned(conflict)?);
    }
    let mut out = crate::style::text_page(Format::Text);
    writeln!(out, "{}", conflict_line(conflict))?;
    let last = conflict.arbitration.as_ref().map(|last| format!("{}  {}", last.decision, shown(&last.at, 40)));
    let rows = [
        ("found", format!("{}  by {}", shown(&conflict.detected_at, 40), shown(&conflict.detected_by, 80))),
        ("arbitrated", format!("{} times", conflict.arbitrations)),
        ("last", last.unwrap_or_default()),
    ];
    let changed = conflict.actions_taken.iter().map(|action| ("changed", shown(action, 200)));
    let by = shown(conflict.resolved_by.as_deref().unwrap_or("somebody"), 40);
    let end = match &conflict.resolution {
        Some(end) => ("over", format!("{}  by {by}", shown(end, 40))),
        None => ("choices", "accept-proposed, accept-blocker, sequential ID, freeze-both, escalate".to_owned()),
    };
    write_rows(&mut out, 12, rows.into_iter().chain(changed).chain([end]))?;
    Ok(Exit::Ok)
}

fn chosen(choice: ConflictWord, first: Option<&str>) -> Result<PersonChoice, Error> {
    match (choice, first) {
        (ConflictWord::AcceptProposed, None) => Ok(PersonChoice::AcceptProposed),
        (ConflictWord::AcceptBlocker, None) => Ok(PersonChoice::AcceptBlocker),
        (ConflictWord::Sequential, Some(first)) => Ok(PersonChoice::Sequential(first.to_owned())),
        (ConflictWord::FreezeBoth, None) => Ok(PersonChoice::FreezeBoth),
        (ConflictWord::Escalate, None) => Ok(PersonChoice::Escalate),
        _ => Err(Error::usage("only `sequential` names a node").hint("... resolve ID sequential FIRST")),
    }
}

fn resolve(seat: &Seat, id: &str, choice: &PersonChoice, format: Format) -> crate::CommandOutcome {
    // Said so in the record: an agent that resolves for a person is no person.
    let by = if crate::env("CLAUDECODE").is_some() { "agent" } else { "user" };
    let answer = at_desk(seat, |desk| desk.resolve(id, choice, by))?;
    print(&answer, format)?;
    Ok(Exit::Ok)
}
