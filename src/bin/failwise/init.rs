//! `failwise init`: keep this project's history inside the project.

use std::io::Write;

use failwise::exit::Exit;

/// Keep this project's history in its own .claude/failwise/ instead of your state directory
///
/// The folder ignores itself in git by a .gitignore of `*`. Histories that exist elsewhere stay where they are.
#[derive(Debug, clap::Args)]
pub(crate) struct InitProjectArgs {}

pub(crate) fn run(_args: &InitProjectArgs) -> crate::CommandOutcome {
    let here = crate::here()?;
    let project = failwise::place::find(&crate::env, Some(&here)).map_or(here, |place| place.project);
    let dir = failwise::place::init(&project)?;
    writeln!(std::io::stdout(), "history of this project: {}", dir.join(failwise::journal::HISTORY).display())?;
    Ok(Exit::Ok)
}
