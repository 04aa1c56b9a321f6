//! `failwise plan tree` and `plan expand`: many nodes at once, from one outline.

use std::io::Write;
use std::path::{Path, PathBuf};

use failwise::error::Error;
use failwise::exit::Exit;
use failwise::plan::PlanTree;
use failwise::plan::edit::{self, Change, Growth, Outline, Tree};
use failwise::text::many;
use serde_json::json;

use super::{Site, change_error};
use crate::people;
use crate::style::{Format, PrintArgs, print_json, shown};

/// Create or extend the whole plan from one outline
///
/// An outline is Markdown: a heading for each node, deeper below the node that it belongs to, and a list below it. A list
/// has `file`, `test`, `after` (words or id of a node; only tasks wait), `constraint` (NAME=VALUE) and `budget` (tokens), one a line. An id may
/// precede the colon: `## Feature FEAT-1:`. TOML is read too: `mission = TEXT`, and tables `[[feature.story]]` with `intent`,
/// `id` and the same fields. A node that the plan has already stays as it is. The outline is checked as a
/// whole, and all of it is made at once, or nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  # Mission: Household books that balance\n  ## Feature: Bank CSV import\n  \
        ### Story: Parse semicolon files\n  - test: tests/csv.rs::semicolon\n  #### Task: Sniff the dialect\n  - file: \
        src/dialect.rs\n  #### Task: Import a month\n  - file: src/import.rs\n  - after: Sniff the dialect\n\n\
        Examples:\n  failwise plan tree plan.md --dry-run\n  failwise plan tree plan.md\n  failwise plan tree --print > plan.md")]
pub(crate) struct TreeArgs {
    /// The outline; `-` for stdin
    #[arg(value_name = "FILE", required_unless_present = "as_outline")]
    outline: Option<PathBuf>,
    /// Print the plan as an outline, and change nothing
    #[arg(long = "print", conflicts_with_all = ["outline", "dry_run", "new"])]
    as_outline: bool,
    /// Print what would be added, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Also take constraints, and make a plan where there is none: an agent needs a person's permission for it
    #[arg(long)]
    new: bool,
    #[command(flatten)]
    print: PrintArgs,
}

/// Add what belongs below one node, from an outline
///
/// The outline begins with the node's children: see `failwise plan tree --help`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  failwise plan expand STORY-0001 tasks.md\n  failwise plan expand FEAT-1 - --dry-run < stories.md"
)]
pub(crate) struct ExpandArgs {
    /// The node
    #[arg(value_name = "ID")]
    node: String,
    /// The outline; `-` for stdin
    #[arg(value_name = "FILE")]
    outline: PathBuf,
    /// Print what would be added, and change nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    print: PrintArgs,
}

pub(super) fn tree(site: &Site, args: &TreeArgs) -> crate::CommandOutcome {
    let Some(file) = &args.outline else {
        write!(std::io::stdout(), "{}", site.tree()?.outline())?;
        return Ok(Exit::Ok);
    };
    let outline = read(file)?;
    let by_agent = people::agent().filter(|_| !args.new);
    if let Some(name) = by_agent.filter(|_| outline.binds()) {
        let what = format!("constraints are a person's choice, and {name} shows an agent is asking");
        return Err(Error::refused(what).hint("leave them out, or add --new, which asks the person").into());
    }
    let dir = super::change::new_dir(site);
    if site.dir().is_ok() || PlanTree::has_mission(&dir) {
        return extend(site, &outline, edit::ROOT, args.dry_run, args.print.format);
    }
    let Some(intent) = outline.mission() else {
        let hint = "begin the outline with `# Mission: TEXT`";
        return Err(Error::refused("there is no plan, and the outline has no mission").hint(hint).into());
    };
    let (constraints, now) = (edit::together(&outline.mission_constraints()), crate::now());
    let empty =
        Tree::to_be(&dir, site.place.root(), intent, &constraints, &now).map_err(|error| change_error(&error))?;
    let growth = empty.growth(&outline, edit::ROOT, &now).map_err(|error| change_error(&error))?;
    if args.dry_run {
        return print(&growth, None, args.print.format);
    }
    if let Some(name) = by_agent {
        let what = format!("there is no plan, and {name} shows an agent is asking for one");
        return Err(Error::refused(what)
            .hint("a person makes it by `failwise plan init`, or add --new, which asks them")
            .into());
    }
    super::change::make(site, &dir, intent, &constraints)?;
    let site = Site { given: Some(dir), place: crate::place()? };
    extend(&site, &outline, edit::ROOT, false, args.print.format)
}

pub(super) fn expand(site: &Site, args: &ExpandArgs) -> crate::CommandOutcome {
    let outline = read(&args.outline)?;
    if let Some(name) = people::agent().filter(|_| outline.binds()) {
        let what = format!("constraints are a person's choice, and {name} shows an agent is asking");
        return Err(Error::refused(what).hint("leave them out").into());
    }
    extend(site, &outline, &args.node, args.dry_run, args.print.format)
}

fn extend(site: &Site, outline: &Outline, base: &str, dry_run: bool, format: Format) -> crate::CommandOutcome {
    let now = crate::now();
    if dry_run {
        let tree = site.tree()?;
        let base = super::meant_id(tree, base);
        return print(&tree.growth(outline, &base, &now).map_err(|error| change_error(&error))?, None, format);
    }
    let mut editor = site.editor(crate::caller())?;
    let base = super::meant_id(editor.tree(), base);
    let (growth, change) = editor.grow(outline, &base, &now).map_err(|error| change_error(&error))?;
    print(&growth, change.as_ref(), format)
}

fn read(file: &Path) -> Result<Outline, Error> {
    let text = if file == Path::new("-") { crate::render::read_stdin()? } else { crate::render::read_text(file)? };
    Outline::parse(&text).map_err(|error| change_error(&error))
}

/// Prints what was added or, without a change, would be.
fn print(growth: &Growth, change: Option<&Change>, format: Format) -> crate::CommandOutcome {
    let is_made = change.is_some();
    if format == Format::Json {
        let planned = failwise::model::NodeStatus::Planned;
        let rows = growth.nodes.iter();
        let rows = rows.map(|(id, _)| json!({ "id": id, "from": null, "to": planned, "revision": 1 }));
        return print_json(&json!({
            "schema_version": 1, "verb": "tree", "node": growth.base, "mutation": change.map(|change| &change.mutation),
            "changed": rows.collect::<Vec<_>>(), "known": growth.known,
        }));
    }
    let mut out = std::io::stdout().lock();
    for (id, node) in &growth.nodes {
        let indent = 2 * usize::from(node.tier.saturating_sub(1));
        writeln!(out, "{:indent$}{}  {}", "", shown(id, 64), shown(&node.intent, 100))?;
    }
    let known = if growth.known == 0 { String::new() } else { format!("; {} there already", growth.known) };
    let added = many(growth.nodes.len() as u64, "node", "nodes");
    match is_made {
        _ if growth.nodes.is_empty() => writeln!(out, "nothing to add{known}")?,
        true => writeln!(out, "{added} added{known}; next: failwise plan next")?,
        false => writeln!(out, "{added} would be added{known}; nothing was changed")?,
    }
    Ok(Exit::Ok)
}
