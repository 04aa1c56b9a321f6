//! `failwise data init`: keep this project's history inside the project.

use std::io::Write;

use failwise::exit::Exit;
use failwise::journal::HISTORY;
use failwise::place::{find, keep, own_folder, trusted};
use failwise::project::own_history;

use crate::people;
use crate::style::shown_path;
use crate::trust::tracked_records;

/// Keep this project's history in its own .claude/failwise/ instead of your state directory
///
/// The folder ignores itself in git by a .gitignore of `*`. Histories elsewhere stay in place, and a history already in the
/// folder becomes yours, so agents may not run this.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  failwise data init\n  failwise data init && failwise data show")]
pub(crate) struct InitProjectArgs {}

pub(crate) fn keep_inside() -> crate::CommandOutcome {
    let here = crate::here()?;
    let place = find(&crate::env, Some(&here));
    let project = place.as_ref().map_or(here, |place| place.project.clone());
    let dir = own_folder(&project);
    people::not_for_agents("data init")?;
    // What says whose the folder is lies elsewhere: where that cannot be written, nothing is made.
    keep(&crate::env, &trusted(&crate::env, &dir))?;
    let before = place.map(|place| place.dir).filter(|before| *before != dir && before.join(HISTORY).is_file());
    let dir = failwise::place::init(&project)?;
    own_history(&crate::env, &dir, &crate::now())?;
    let mut out = std::io::stdout().lock();
    let place = find(&crate::env, Some(&project)).filter(|_| trusted(&crate::env, &dir).tracked);
    match place {
        Some(place) => writeln!(out, "{}", tracked_records(&dir.to_string_lossy(), &place.dir))?,
        None => writeln!(out, "history of this project: {}", dir.join(HISTORY).display())?,
    }
    if let Some(before) = before {
        let before = shown_path(&before);
        writeln!(out, "`failwise why` and `failwise watch` no longer read what was recorded before: {before}")?;
    }
    Ok(Exit::Ok)
}
