//! Patches whose paths or ends of lines are not those of the files.

use super::once;
use crate::model::FindingKind as K;
use crate::programs::words::PATCHERS;
use crate::recover::case::{Case, Offer};
use crate::recover::strategies::lines::{Own, behind};
use crate::shell::line_of;

/// The most folders in front of a path that are tried.
const MOST_FOLDERS: usize = 4;

/// A patch with as many folders taken off its paths as lead to files that are there, or with the ends of lines of its file
/// left out of the comparison.
pub(super) fn as_patched(case: &Case<'_>) -> Option<Offer> {
    let is_missing = case.finding(K::MissingFile).is_some();
    case.finding(if is_missing { K::MissingFile } else { K::PatchFails })?;
    let is_call = |own: &Own<'_>, (program, subcommand): &(&str, Option<&str>)| {
        own.is(program) && subcommand.is_none_or(|name| own.word(name).is_some())
    };
    let own = Own::all(case).find(|own| PATCHERS.iter().any(|call| is_call(own, call)))?;
    let is_patch = |text: &str| text.ends_with(".patch") || text.ends_with(".diff");
    let file = case.words.iter().find(|word| word.is_literal && is_patch(&word.text))?;
    let difference = case.looks.text(&case.at(&file.text))?;
    let named = patched_file(&difference)?;
    if !is_missing {
        let text = named.split_once('/').and_then(|(_, path)| case.looks.text(&case.at(path)))?;
        let is_other = text.contains("\r\n") && !difference.contains('\r');
        let after = own.word("apply").filter(|_| is_other)?;
        let deed = case.again_edited(vec![behind(after.range.end, "--ignore-whitespace")])?;
        return Some(once(deed, "the file has the ends of lines of Windows, and the patch has not"));
    }
    let without = |level: usize| named.splitn(level + 1, '/').nth(level);
    let mut levels = (0..=MOST_FOLDERS)
        .filter(|level| without(*level).is_some_and(|path| !path.is_empty() && case.kind(path).is_some()));
    let level = levels.next().filter(|_| levels.next().is_none());
    let Some(level) = level else { return patched_below(case, &own, named) };
    let wanted = format!("-p{level}");
    let given = own.args.iter().find(|word| {
        word.text
            .strip_prefix("-p")
            .or_else(|| word.text.strip_prefix("--strip="))
            .is_some_and(|n| n.parse::<u8>().is_ok())
    });
    let edit = match given {
        Some(word) if word.text == wanted => return None,
        Some(word) => (word.range.clone(), wanted.clone()),
        None => behind(own.word("apply").unwrap_or(own.program).range.end, &wanted),
    };
    let deed = case.again_edited(vec![edit])?;
    Some(once(deed, "the patch names its files from another folder"))
}

/// The only folder below in which the file of a patch lies, for git, which takes it by an option.
fn patched_below(case: &Case<'_>, own: &Own<'_>, named: &str) -> Option<Offer> {
    let apply = own.word("apply").filter(|_| !own.args.iter().any(|word| word.text.starts_with("--directory")))?;
    let plain = named.strip_prefix("a/").filter(|_| named.starts_with("a/"));
    let (level, path) = plain.map_or(("-p0", named), |path| ("-p1", path));
    let found = case.looks.find(&|name| name == crate::text::file_name(path));
    let mut folders = found.iter().filter_map(|found| found.strip_suffix(path)?.strip_suffix('/'));
    let folder = folders.next().filter(|_| folders.next().is_none())?;
    let words = line_of([level, &format!("--directory={folder}")]);
    let deed = case.again_edited(vec![behind(apply.range.end, &words)])?;
    Some(once(deed, "the patch names its files from a folder below this one"))
}

/// The file that a patch changes first, as it writes it.
fn patched_file(difference: &str) -> Option<&str> {
    let old = difference.lines().filter_map(|line| line.strip_prefix("--- "));
    let named = old.map(|rest| rest.split('\t').next().unwrap_or(rest).trim()).find(|named| *named != "/dev/null")?;
    (!named.starts_with('/') && !named.contains("..")).then_some(named)
}
