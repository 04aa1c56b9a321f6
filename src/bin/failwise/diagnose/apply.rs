//! `failwise diagnose --apply`: what was found, as rules that the client loads.

use std::path::PathBuf;

use failwise::diagnose::result::DiagnoseResult;
use failwise::diagnose::rules_file::{RuleLine, applied};
use failwise::diagnose::{TraceDiagnosis, call_of};
use failwise::error::Error;
use failwise::git;
use failwise::host::trace::ReadTrace as Given;
use failwise::place::{find, home_of};

use crate::inputs::own_text;
use crate::outputs::put;
use crate::people::{agrees, only_people};
use crate::style::shown;

/// The file below the folder of rules.
const FILE: &str = "failwise.md";
/// The most of it that is read: more than we ever write.
const MOST_BYTES: u64 = 256 * 1024;

/// What was asked for.
pub(super) struct WantedRules {
    /// The user's folder of rules instead of the project's.
    pub(super) user: bool,
    /// Without asking, also of calls that were not seen to run here.
    pub(super) yes: bool,
}

pub(super) fn run(
    wanted: &WantedRules,
    given: &Given,
    diagnosis: &TraceDiagnosis,
    result: &DiagnoseResult,
) -> Result<(), Error> {
    only_people("diagnose", wanted.yes)?;
    let lines = lines(wanted, given, diagnosis, result);
    if lines.is_empty() {
        say!("failwise: nothing to write: no failure mode of a program that ran here (--yes takes a trace's word)");
        return Ok(());
    }
    let base = base(wanted)?;
    let path = base.join(".claude").join("rules").join(FILE);
    let before = own_text(&base, &path, MOST_BYTES)?.unwrap_or_default();
    let after = applied(&before, &lines);
    if before == after {
        say!("failwise: {} has it already", path.display());
        return Ok(());
    }
    for line in &lines {
        say!("  {}", shown(&line.shown(), 600));
    }
    if !wanted.yes && !agrees(&format!("write this into {}?", path.display()))? {
        say!("failwise: nothing was written");
        return Ok(());
    }
    let folder = path.parent().unwrap_or(&base);
    put(&path, &after)?;
    let tracked = if git::tracks(folder, &[FILE]) { "git tracks it" } else { "git does not track it" };
    say!("failwise: wrote {} of {} to {}; {tracked}", lines.len(), FILE, path.display());
    Ok(())
}

/// The lines of the matches whose call ran here, or of all where a person says so.
fn lines(wanted: &WantedRules, given: &Given, diagnosis: &TraceDiagnosis, result: &DiagnoseResult) -> Vec<RuleLine> {
    let ran_here = |finding| call_of(&given.trace, finding).is_some_and(|call| call.ran_here);
    let findings = diagnosis.findings.iter().filter(|finding| wanted.yes || ran_here(finding));
    findings
        .filter_map(|finding| {
            let told = result.matches.iter().find(|told| told.failure_mode_id == finding.mode.id())?;
            RuleLine::of(finding, told)
        })
        .collect()
}

fn base(wanted: &WantedRules) -> Result<PathBuf, Error> {
    if wanted.user {
        return home_of(&crate::env)
            .ok_or_else(|| Error::usage("HOME names no folder").hint("set HOME to your home folder"));
    }
    let here = crate::here()?;
    Ok(find(&crate::env, Some(&here)).map_or(here, |place| place.root().to_owned()))
}
