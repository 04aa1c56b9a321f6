//! `failwise tests`: runs of tests, for people and scripts.

mod answers;
mod compare;
mod import;
mod news;

use std::path::PathBuf;

use failwise::error::Error;
use failwise::place::{Place, project_name};
use failwise::store::{Base, NamedRun};
use failwise::test_runs::TestRun;

use crate::style::shown;

/// Show test runs: passed and failed cases, and their changes
///
/// Without a command it lists this project's runs, the newest first.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Exit codes: 0 done, 1 nothing of that name, or a new failure with --fail-on new, 64 wrong command line, 65 not a JUnit report, 74 a file \
        could not be read or written.\n\nExamples:\n  failwise tests\n  failwise tests import junit.xml\n  failwise tests flaky"
)]
pub(crate) struct TestsArgs {
    #[command(subcommand)]
    command: Option<TestsCommand>,
    #[command(flatten)]
    list: answers::TestsListArgs,
}

#[derive(Debug, clap::Subcommand)]
enum TestsCommand {
    Import(import::TestsImportArgs),
    Export(import::TestsExportArgs),
    List(answers::TestsListArgs),
    Show(answers::TestsShowArgs),
    Flaky(compare::FlakyArgs),
    Compare(compare::CompareArgs),
}

pub(crate) fn run(args: &TestsArgs) -> crate::CommandOutcome {
    let Some(command) = &args.command else { return answers::list(&args.list) };
    match command {
        TestsCommand::Import(args) => import::run(args),
        TestsCommand::Export(args) => import::export(args),
        TestsCommand::List(args) => answers::list(args),
        TestsCommand::Show(args) => answers::show(args),
        TestsCommand::Flaky(args) => compare::flaky(args),
        TestsCommand::Compare(args) => compare::compare(args),
    }
}

/// The project whose tests are asked about.
#[derive(Debug, Clone, clap::Args)]
struct OfProject {
    /// The project's folder; by default the current one
    #[arg(long, value_name = "FOLDER")]
    project: Option<PathBuf>,
}

impl OfProject {
    fn place(&self) -> Result<Place, Error> {
        crate::place_of(self.project.as_deref())
    }

    /// What is known of it, after what is new was learned, and its name there.
    fn known(&self) -> Result<(Base, String), Error> {
        let place = self.place()?;
        Ok((crate::kb::caught_up(&place)?, project_name(&place.project)))
    }
}

/// The run that the beginning of an id names.
fn run_of(base: &Base, project: &str, id: &str) -> Result<TestRun, Error> {
    let name = shown(id, 60);
    match base.run_named(project, id)? {
        NamedRun::One(run) => Ok(*run),
        NamedRun::Unknown => Err(Error::refused(format!("no run of this project has the id {name}"))
            .hint("failwise tests list shows them; at least four digits are needed")),
        NamedRun::Several => {
            Err(Error::refused(format!("several runs begin with {name}")).hint("give more digits of it"))
        }
    }
}

/// What a run is called where it is listed.
fn title(run: &TestRun) -> String {
    shown(run.title.as_deref().unwrap_or_else(|| run.source.as_str()), 80)
}

/// A case as it is listed.
fn case_name(suite: &str, name: &str) -> String {
    if suite.is_empty() { shown(name, 160) } else { format!("{} > {}", shown(suite, 80), shown(name, 160)) }
}
