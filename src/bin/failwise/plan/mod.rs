//! `failwise plan`: the tree of nodes that agents work through.

mod change;
mod conflicts;
mod status;
mod validate;

use std::path::PathBuf;

use failwise::error::Error;
use failwise::place::{Place, find};
use failwise::plan::edit::{ChangeError, Editor, Tree, is_left};

const AFTER_HELP: &str = "\
A plan is a folder of Markdown files, .claude/plans: a mission, its features, their stories, their
tasks. An agent takes a task with `next`, works, and marks it done with `done`; docs/planning.md
explains the rest.

Exit codes: 0 done, 1 refused (the message says why and what to do), or nothing is ready, or
`validate` found something, 64 wrong command line, 65 a file of the plan cannot be read,
74 a file could not be read or written.

Examples:
  failwise plan init --intent \"Household books that balance\"
  failwise plan add feature --parent MISSION --intent \"Bank CSV import\"
  failwise plan next
  failwise plan status";

/// The plan: see it, take the next task, change it safely
///
/// Every change is tried out first, made as a whole, kept in a checkpoint for `undo`, and recorded in the history.
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
    Status(status::StatusArgs),
    Next(change::NextArgs),
    Claim(change::ClaimArgs),
    Done(change::DoneArgs),
    Add(change::AddArgs),
    Set(change::SetArgs),
    Depend(change::DependArgs),
    Freeze(change::FreezeArgs),
    Thaw(change::ThawArgs),
    Replan(change::ReplanArgs),
    Undo(change::UndoArgs),
    Validate(validate::ValidateArgs),
    Conflicts(conflicts::ConflictsArgs),
}

pub(crate) fn run(args: &PlanArgs) -> crate::CommandOutcome {
    let here = crate::here()?;
    let place = find(&crate::env, Some(&here)).ok_or_else(|| {
        Error::usage("neither a project nor a home folder is known").hint("go to the project's folder")
    })?;
    let given = args.plans.as_ref().map(|plans| here.join(plans));
    let site = Site { given, place };
    match &args.task {
        PlanCommand::Init(args) => change::init(&site, args),
        PlanCommand::Status(args) => status::run(&site, args),
        PlanCommand::Next(args) => change::next(&site, args),
        PlanCommand::Claim(args) => change::claim(&site, args),
        PlanCommand::Done(args) => change::done(&site, args),
        PlanCommand::Add(args) => change::add(&site, args),
        PlanCommand::Set(args) => change::set(&site, args),
        PlanCommand::Depend(args) => change::depend(&site, args),
        PlanCommand::Freeze(args) => change::freeze(&site, args),
        PlanCommand::Thaw(args) => change::thaw(&site, args),
        PlanCommand::Replan(args) => change::replan(&site, args),
        PlanCommand::Undo(args) => change::undo(&site, args),
        PlanCommand::Validate(args) => validate::run(&site, args),
        PlanCommand::Conflicts(args) => conflicts::run(&site, args),
    }
}

/// Where the command works.
struct Site {
    /// The plan's folder that was given.
    given: Option<PathBuf>,
    place: Place,
}

impl Site {
    /// The folder of the plan.
    fn dir(&self) -> Result<PathBuf, Error> {
        self.given.clone().or_else(|| self.place.plans.clone()).ok_or_else(|| {
            Error::unreadable("this project has no plan").hint("failwise plan init --intent \"what it is for\"")
        })
    }

    /// The folder of the history that changes are recorded in: a plan that was given has its own.
    fn history(&self) -> Result<PathBuf, Error> {
        let dir = self.dir()?;
        Ok(if self.given.is_some() { dir } else { self.place.dir.clone() })
    }

    /// The tree, to be looked at.
    fn tree(&self) -> Result<Tree, Error> {
        let dir = self.dir()?;
        if is_left(&dir) {
            // It takes the lock, and with it what another process left half made is finished.
            self.editor(failwise::model::Ids::default())?;
        }
        Tree::open(&dir, self.place.root()).map_err(|error| told(&error.into()))
    }

    /// The tree, to be changed.
    fn editor(&self, ids: failwise::model::Ids) -> Result<Editor, Error> {
        Editor::begin(&self.dir()?, self.place.root(), &self.history()?, ids).map_err(|error| told(&error))
    }
}

/// A change that was not made, with its exit.
fn told(error: &ChangeError) -> Error {
    let message = error.to_string();
    let told = match error {
        ChangeError::Missing { .. } => Error::usage(message),
        ChangeError::Refused { .. } => Error::refused(message),
        ChangeError::Plan(_) => Error::unreadable(message),
        ChangeError::Io { .. } => Error::io(message),
    };
    told.hint(error.hint())
}
