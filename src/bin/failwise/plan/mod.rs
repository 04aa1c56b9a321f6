//! `failwise plan`: the tree of nodes that agents work through.

mod change;
mod conflicts;
mod outline;
mod show;
mod status;
mod validate;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use failwise::error::Error;
use failwise::journal::HISTORY;
use failwise::place::{Place, trusted, trusted_before, trusts_plan};
use failwise::plan::PlanError;
use failwise::plan::edit::{ChangeError, Editor, Node, Tree};
use failwise::project::look_after;

use crate::style::{Format, nothing_yet, shown, shown_path};

const AFTER_HELP: &str = "\
A plan is a folder of Markdown files, .claude/plans: a mission, its features, their stories, their tasks. An agent \
takes a task with `next`, works, and marks it done with `done`; docs/planning.md explains the rest.

Exit codes: 0 done, 1 refused (the message says why and what to do), or nothing is ready, or `validate` found \
something, 64 wrong command line, 65 a file of the plan cannot be read, 74 a file could not be read or written.

Examples:
  failwise plan init --intent \"Household books that balance\"
  failwise plan add feature --parent MISSION --intent \"Bank CSV import\"
  failwise plan next
  failwise plan status";

/// Show the plan, take the next task, or change it safely
///
/// Every change is checked first, made as a whole, kept in a checkpoint for `undo`, and recorded in the history.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct PlanArgs {
    #[command(subcommand)]
    task: PlanCommand,
    /// The plan's folder instead of the project's
    #[arg(long, value_name = "DIR", global = true)]
    plans: Option<PathBuf>,
}

#[derive(Debug, clap::Subcommand)]
enum PlanCommand {
    Init(change::InitArgs),
    Tree(outline::TreeArgs),
    #[command(alias = "list")]
    Status(status::StatusArgs),
    Show(show::PlanShowArgs),
    #[command(hide = true)]
    Trace(show::PlanShowArgs),
    Next(change::NextArgs),
    Claim(change::ClaimArgs),
    Done(change::DoneArgs),
    Add(change::AddArgs),
    Expand(outline::ExpandArgs),
    Edit(change::EditArgs),
    Promote(change::PromoteArgs),
    Set(change::SetArgs),
    Depend(change::DependArgs),
    Freeze(change::FreezeArgs),
    Thaw(change::ThawArgs),
    Replan(change::ReplanArgs),
    Renumber(change::RenumberArgs),
    Undo(change::UndoArgs),
    Validate(validate::ValidateArgs),
    Conflicts(conflicts::ConflictsArgs),
}

pub(crate) fn run(args: &PlanArgs) -> crate::CommandOutcome {
    let mut place = crate::place()?;
    if matches!(args.task, PlanCommand::Next(_) | PlanCommand::Claim(_)) {
        // Work begins here: whether git has come to track the records is known from now on.
        for dir in place.own_histories(&crate::env) {
            look_after(&crate::env, &dir, &crate::now())?;
        }
        place = crate::place()?;
    }
    let given = args.plans.as_ref().map(|plans| Ok::<_, Error>(crate::here()?.join(plans))).transpose()?;
    let site = Site { given, place };
    if let Some(format) = args.task.looks().filter(|_| site.dir().is_err()) {
        return nothing_yet(format, &format!("{NO_PLAN}; `failwise plan init --intent TEXT` makes one"));
    }
    match &args.task {
        PlanCommand::Init(args) => change::init(&site, args),
        PlanCommand::Tree(args) => outline::tree(&site, args),
        PlanCommand::Status(args) => status::run(&site, args),
        PlanCommand::Show(args) => show::run(&site, args, args.history),
        PlanCommand::Trace(args) => show::run(&site, args, true),
        PlanCommand::Next(args) => change::next(&site, args),
        PlanCommand::Claim(args) => change::claim(&site, args),
        PlanCommand::Done(args) => change::done(&site, args),
        PlanCommand::Add(args) => change::add(&site, args),
        PlanCommand::Expand(args) => outline::expand(&site, args),
        PlanCommand::Edit(args) => change::edit(&site, args),
        PlanCommand::Promote(args) => change::promote(&site, args),
        PlanCommand::Set(args) => change::set(&site, args),
        PlanCommand::Depend(args) => change::depend(&site, args),
        PlanCommand::Freeze(args) => change::freeze(&site, args),
        PlanCommand::Thaw(args) => change::thaw(&site, args),
        PlanCommand::Replan(args) => change::replan(&site, args),
        PlanCommand::Renumber(args) => change::renumber(&site, args),
        PlanCommand::Undo(args) => change::undo(&site, args),
        PlanCommand::Validate(args) => validate::run(&site, args),
        PlanCommand::Conflicts(args) => conflicts::run(&site, args),
    }
}

const NO_PLAN: &str = "this project has no plan";

impl PlanCommand {
    /// How a command that only looks prints its answer; None for one that changes the plan.
    fn looks(&self) -> Option<Format> {
        match self {
            Self::Status(args) => Some(args.print.format),
            Self::Validate(args) => Some(args.print.format),
            _ => None,
        }
    }
}

/// Where the command works.
struct Site {
    /// The plan's folder that was given.
    given: Option<PathBuf>,
    place: Place,
}

impl Site {
    /// The folder of the plan, trusted or not.
    fn dir(&self) -> Result<PathBuf, Error> {
        let place = &self.place;
        let found = self.given.clone().or_else(|| place.plans.clone()).or_else(|| place.foreign_plans.clone());
        found.ok_or_else(|| Error::refused(NO_PLAN).hint("failwise plan init --intent \"what it is for\""))
    }

    /// The folder of the plan, to be changed.
    fn own_dir(&self) -> Result<PathBuf, Error> {
        let dir = self.dir()?;
        if self.is_trusted(&dir) { Ok(dir) } else { Err(untrusted(&dir)) }
    }

    fn is_trusted(&self, dir: &Path) -> bool {
        self.place.plans.as_deref() == Some(dir) || trusts_plan(&crate::env, dir)
    }

    /// What is to be said of a tree that nobody trusts.
    fn warning(&self) -> Option<String> {
        let dir = self.dir().ok().filter(|dir| !self.is_trusted(dir))?;
        let why = no_longer_trusted(&dir).map_or_else(|| dir.display().to_string(), |why| why + ", and");
        Some(format!("{why} is not trusted, so it binds no agent: `failwise trust` shows it and asks"))
    }

    /// The folder of the history that changes are recorded in: the plan's own, where this user's Failwise began it.
    fn history(&self) -> Result<PathBuf, Error> {
        Ok(self.place.history_of(&crate::env, &self.dir()?))
    }

    /// The tree, to be looked at. It stays until the process ends, which gives its memory back sooner than who frees it.
    fn tree(&self) -> Result<&'static Tree, Error> {
        let dir = self.dir()?;
        let tree = Tree::open(&dir, self.place.root()).map_err(|error| change_error(&error.into()))?;
        tell_lost(&tree, false);
        Ok(Box::leak(Box::new(tree)))
    }

    /// The tree, to be changed.
    fn editor(&self, ids: failwise::model::Ids) -> Result<Editor, Error> {
        let editor = Editor::begin(&self.own_dir()?, self.place.root(), &self.history()?, ids);
        let editor = editor.map_err(|error| change_error(&error))?;
        tell_lost(editor.tree(), true);
        Ok(editor)
    }
}

/// Says which files of this machine are lost: what they said is taken from the pages. One that is not there, as in a fresh
/// clone, is news for who changes the plan alone.
fn tell_lost(tree: &Tree, is_changed: bool) {
    for error in tree.lost() {
        match error {
            PlanError::Unreadable { file, kind: ErrorKind::NotFound } if is_changed => {
                say!("failwise: {} is not there; it is made from the plan's pages", shown_path(file));
            }
            PlanError::Unreadable { kind: ErrorKind::NotFound, .. } => {}
            PlanError::Unreadable { .. } => {
                let what = shown(&error.to_string(), 300);
                say!("failwise: {what}; move it away, and the next change makes it again from the plan's pages");
            }
            _ => {
                let what = shown(&error.to_string(), 300);
                say!("failwise: {what}; it is made again from the plan's pages by the next change");
            }
        }
    }
}

/// The node that a word means.
fn node_meant<'t>(tree: &'t Tree, word: &str) -> Result<&'t Node, Error> {
    tree.meant(word).ok_or_else(|| {
        Error::refused(format!("there is no node `{}` in the plan", shown(word, 64)))
            .hint("`failwise plan status` shows the nodes")
    })
}

/// The id that a word means; the word itself where there is no such node.
fn meant_id(tree: &Tree, word: &str) -> String {
    tree.meant(word).map_or_else(|| word.to_owned(), |node| node.id.clone())
}

/// Why a tree that was trusted is not trusted any more: it was moved, or its history is gone.
fn no_longer_trusted(dir: &Path) -> Option<String> {
    let here = dir.display();
    match trusted_before(&crate::env, dir) {
        Some(before) => {
            Some(format!("the plan in {here} was moved or copied from {}, where it was trusted", before.display()))
        }
        None if trusted(&crate::env, dir).plan => {
            Some(format!("the plan in {here} has lost the {HISTORY} that it was trusted with: deleted or replaced"))
        }
        None => None,
    }
}

/// Why a tree is not changed.
pub(crate) fn untrusted(dir: &Path) -> Error {
    let came = || format!("the plan in {} came with the project, and nobody trusted it", dir.display());
    Error::refused(no_longer_trusted(dir).unwrap_or_else(came))
        .hint("failwise trust shows it and asks; with --plans DIR for another folder than the project's")
}

/// A change that was not made, with its exit.
pub(crate) fn change_error(error: &ChangeError) -> Error {
    let message = error.to_string();
    let told = match error {
        ChangeError::Missing { .. } | ChangeError::Refused { .. } => Error::refused(message),
        ChangeError::Plan(_) => Error::unreadable(message),
        ChangeError::Io { .. } => Error::io(message),
    };
    told.hint(error.hint())
}
