//! A file that cannot be written to since it is a program that runs.

use super::super::case::{Case, Offer, Offered, name_of};
use super::super::step::{Deed, Step};
use super::lines::{Own, behind};
use crate::text::quoted;

pub(in super::super) fn replace_what_runs(case: &Case<'_>) -> Offered {
    if !case.says(&["Text file busy", "ETXTBSY"]) {
        return Err("no program that runs was to be written over");
    }
    let (deed, path) = by_copy(case).ok_or("no plain copy was made")?;
    let state = format!("{} is a program that runs: it cannot be written to, and can be replaced", quoted(&path, 100));
    let step = Step::work("Put the new file in its place", deed, "The next start takes the new one");
    Ok(Offer::new(state.clone(), vec![step]).doing("Replace the file, which leaves what runs as it is").seen(state))
}

/// `cp` takes the old name away first where it is told to (POSIX), and only where it cannot write into the file.
fn by_copy(case: &Case<'_>) -> Option<(Deed, String)> {
    let own = Own::of(case, &["cp"])?;
    let is_forced = own.args.iter().any(|word| word.text.starts_with('-') && word.text.contains('f'));
    let target = own.args.last().filter(|word| !word.text.starts_with('-'))?;
    // Into a folder it goes under its own name.
    let is_named = own.args.iter().any(|word| case.text().contains(name_of(&word.text)));
    let deed = (!is_forced && is_named).then(|| case.again_edited(vec![behind(own.program.range.end, "-f")]))??;
    Some((deed, target.text.clone()))
}
