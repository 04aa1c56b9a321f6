//! `failwise init`: keep this project's history inside the project.

use std::io::Write;

use failwise::error::Error;
use failwise::exit::Exit;
use failwise::journal::HISTORY;
use failwise::place::{find, own_folder, trusted};
use failwise::project::own_history;

use crate::people;

/// Keep this project's history in its own .claude/failwise/ instead of your state directory
///
/// The folder ignores itself in git by a .gitignore of `*`. Histories that exist elsewhere stay where they are; one that is
/// in the folder already becomes yours, which an agent is refused.
#[derive(Debug, clap::Args)]
pub(crate) struct InitProjectArgs {}

pub(crate) fn run(_args: &InitProjectArgs) -> crate::CommandOutcome {
    let here = crate::here()?;
    let project = find(&crate::env, Some(&here)).map_or(here, |place| place.project);
    let dir = own_folder(&project);
    let is_foreign = dir.join(HISTORY).exists() && trusted(&crate::env, &dir).history.is_none();
    if let Some(name) = people::agent().filter(|_| is_foreign) {
        let what = format!("{} holds records that nobody trusted, and {name} says that an agent asks", dir.display());
        return Err(Error::refused(what).hint("a person runs `failwise trust` in a terminal of their own").into());
    }
    let dir = failwise::place::init(&project)?;
    own_history(&crate::env, &dir, &crate::now())?;
    writeln!(std::io::stdout(), "history of this project: {}", dir.join(HISTORY).display())?;
    Ok(Exit::Ok)
}
