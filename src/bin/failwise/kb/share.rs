//! What is known of a project, for another machine or for the team.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use failwise::error::Error;
use failwise::exit::Exit;
use failwise::journal::read_small;
use failwise::place::{LARGEST_TEAM, TEAM_FILE, TEAM_TESTS, project_name, trust_lines};
use failwise::store::{CaseFile, LARGEST_IMPORT, SharedFile, exported, exported_cases, import as take};
use failwise::trust::said_by;

use crate::inputs;
use crate::people;
use crate::style::{shown, shown_path};

/// Export this project's known failures: one sorted line a fix and machine, with counts by month
///
/// Paths are relative to the project, no session is named, and everything is redacted again. The same database gives
/// the same bytes.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  failwise kb export -o known.jsonl    for another machine\n  \
                        failwise kb export --team            a file to be committed\n  \
                        failwise kb export --team --recurring    with what has no fix")]
pub(crate) struct ExportArgs {
    /// Write to a file
    #[arg(short, long, value_name = "FILE", conflicts_with = "team")]
    output: Option<PathBuf>,
    /// Write the team's file of this project, merged with its present content
    #[arg(long)]
    team: bool,
    /// Include failures that come back without a fix: signature, category, program and counts, no other word
    #[arg(long)]
    recurring: bool,
}

/// Import another machine's export; counts are never added twice
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  failwise kb import known.jsonl\n  ssh office failwise kb export | failwise kb import -"
)]
pub(crate) struct KbImportArgs {
    /// The file, or - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

pub(crate) fn export(args: &ExportArgs) -> crate::CommandOutcome {
    let place = crate::place()?;
    let base = super::caught_up(&place)?;
    let project = project_name(&place.project);
    if args.team {
        let before = team_text(&place.project, TEAM_FILE)?;
        let SharedFile { skipped, has_conflict, .. } = SharedFile::read(&before, super::now());
        let text = exported(&base, &crate::env, &project, &before, args.recurring, super::now())?;
        put_team(&place.project, TEAM_FILE, &before, &text, skipped, has_conflict)?;
        let before = team_text(&place.project, TEAM_TESTS)?;
        let CaseFile { skipped, has_conflict, .. } = CaseFile::read(&before);
        let text = exported_cases(&base, &project, &before, true)?;
        if !text.is_empty() || !before.is_empty() {
            put_team(&place.project, TEAM_TESTS, &before, &text, skipped, has_conflict)?;
        }
        return Ok(Exit::Ok);
    }
    let text = exported(&base, &crate::env, &project, "", args.recurring, super::now())?;
    give(args.output.as_deref(), &text)
}

/// Writes an export where it was asked for: into a file, said, or to standard output.
pub(crate) fn give(file: Option<&Path>, text: &str) -> crate::CommandOutcome {
    match file {
        Some(path) => {
            crate::outputs::replace(path, text)?;
            inputs::warn(&format!("{} lines in {}", text.lines().count(), shown_path(path)));
        }
        None if text.is_empty() => inputs::warn("there is nothing to export yet"),
        None => std::io::stdout().lock().write_all(text.as_bytes())?,
    }
    Ok(Exit::Ok)
}

/// Writes a file of the team's in place of what it held `before`, and says what of that is no line any more.
fn put_team(
    project: &Path,
    name: &str,
    before: &str,
    text: &str,
    skipped: u64,
    has_conflict: bool,
) -> Result<(), Error> {
    let path = project.join(name);
    put_own(project, &path, text)?;
    trust_own(project, before, text)?;
    if has_conflict {
        inputs::warn("the file had a merge conflict: its lines of both sides are kept, and its marks are gone");
    }
    if skipped > 0 {
        inputs::warn(&format!("{skipped} lines of the file could not be read, and are gone"));
    }
    merge_by_itself(project, &path)?;
    inputs::warn(&format!("{} lines in {}", text.lines().count(), shown_path(&path)));
    Ok(())
}

/// What the team's file holds: it is merged, whether it is trusted or not, because a person looks at it before they commit.
fn team_text(project: &Path, name: &str) -> Result<String, Error> {
    Ok(inputs::own_text(project, &project.join(name), LARGEST_TEAM)?.unwrap_or_default())
}

/// Lets git merge the team's file by itself: each machine has lines of its own, so both sides are right. What the attributes
/// of the folder say of the file already is left as it is.
fn merge_by_itself(project: &Path, team: &Path) -> Result<(), Error> {
    let path = team.with_file_name(".gitattributes");
    let name = team.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let known = match read_small(&path, LARGEST_TEAM) {
        None if fs_err::symlink_metadata(&path).is_ok() => {
            let what = shown_path(&path);
            inputs::warn(&format!("{what} is no file that can be read, so git may not merge {name}"));
            return Ok(());
        }
        known => known.unwrap_or_default(),
    };
    if known.lines().any(|line| line.split_whitespace().next() == Some(name)) {
        return Ok(());
    }
    let gap = if known.is_empty() || known.ends_with('\n') { "" } else { "\n" };
    put_own(project, &path, &format!("{known}{gap}{name} merge=union\n"))?;
    inputs::warn(&format!("{}: git merges {name} by itself; commit both", shown_path(&path)));
    Ok(())
}

/// What this user wrote beside what lay there, they trust.
fn trust_own(project: &Path, before: &str, text: &str) -> Result<(), Error> {
    let known: BTreeSet<String> = before.lines().filter_map(said_by).collect();
    let own = text.lines().filter(|line| said_by(line).is_some_and(|said| !known.contains(&said)));
    Ok(trust_lines(&crate::env, project, own)?)
}

fn put_own(project: &Path, path: &Path, text: &str) -> Result<(), Error> {
    if let Some(link) = failwise::place::link_below(project, path) {
        return Err(Error::refused(format!(
            "{} is a link, and nothing is written behind a link of a project",
            link.display()
        ))
        .hint("make it a file of its own"));
    }
    Ok(crate::outputs::put(path, text)?)
}

pub(crate) fn import(args: &KbImportArgs) -> crate::CommandOutcome {
    people::not_for_agents("kb import")?;
    let text = text_of(&args.file, "failwise kb export")?;
    let file = SharedFile::read(&text, super::now());
    let skipped = file.skipped;
    if file.lines.is_empty() && file.open.is_empty() && skipped > 0 {
        let name = shown(&args.file.to_string_lossy(), 200);
        return Err(Error::unreadable(format!("{name} has no line of an export"))
            .hint("give what `failwise kb export` wrote")
            .into());
    }
    let place = crate::place()?;
    drop(super::caught_up(&place)?);
    let path = super::base_path()?;
    let _lock = super::locked()?;
    let mut base = failwise::store::Base::open(&path)?;
    let project = project_name(&place.project);
    let taken = take(&mut base, &crate::env, &project, &file)?;
    super::told(&base, &[project].into())?;
    inputs::warn(&format!("{taken} counts taken in, {skipped} lines left out"));
    Ok(Exit::Ok)
}

/// What a file holds that another machine exported.
pub(crate) fn text_of(file: &Path, command: &str) -> Result<String, Error> {
    let next = || format!("give a file that `{command}` wrote");
    let mut bytes = Vec::new();
    if file == Path::new("-") {
        std::io::stdin().lock().take(LARGEST_IMPORT + 1).read_to_end(&mut bytes)?;
    } else {
        inputs::open_named(file)?.take(LARGEST_IMPORT + 1).read_to_end(&mut bytes)?;
    }
    if bytes.len() as u64 > LARGEST_IMPORT {
        let what = format!("more than {LARGEST_IMPORT} bytes, so nothing was taken in");
        return Err(Error::unreadable(what).hint(next()));
    }
    String::from_utf8(bytes).map_err(|_| Error::unreadable("it is no text").hint(next()))
}
