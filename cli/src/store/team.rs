//! What of the team's files is heard: the lines that the person trusts, and under their standing trust those of the default
//! branch as it was fetched last. The person is told of new ones, once a day.

use std::collections::BTreeSet;
use std::path::Path;

use super::base::{Base, SourceKind};
use super::fault::StoreFault;
use super::row::{RowKind, StoredRow};
use super::tell::recall_of;
use crate::digest::hex16;
use crate::git::{FetchedBranch, origin_of};
use crate::knowledge::RecurringLine;
use crate::place::{Env, LARGEST_TEAM, Place, TEAM_FILES, TrustedLines, trusted};
use crate::recall::{put_told, told_lines};
use crate::redact::redact;
use crate::text::{many, one_line};
use crate::time::stamp_at;
use crate::trust::fingerprint;

/// How the team's files of a project are trusted.
#[derive(Debug, Clone)]
pub enum TeamTrust {
    /// Each new line waits until the person was asked.
    Asked,
    /// The default branch says what they hold.
    Standing(FetchedBranch),
    /// It would, but nothing of it was fetched.
    Unfetched,
    /// It would, but `origin` is another repository than the one that the person trusted.
    OtherOrigin,
    /// It would, but git does not answer.
    NoAnswer,
}

impl TeamTrust {
    /// How those of the project in a folder are trusted. Starts git only where the default branch says what they hold.
    pub fn of(env: Env<'_>, project: &Path) -> Self {
        let Some(known) = trusted(env, project).team_origin else { return Self::Asked };
        let Some(found) = FetchedBranch::of(project) else { return Self::NoAnswer };
        if origin_of(project).map(|origin| fingerprint(&origin)) != Some(known) {
            return Self::OtherOrigin;
        }
        found.map_or(Self::Unfetched, Self::Standing)
    }

    /// The state in words for people, and the next step where nothing of the team's is heard.
    pub fn words(&self) -> (String, Option<&'static str>) {
        match self {
            Self::Asked => ("each new line waits for `failwise trust`".to_owned(), None),
            Self::Standing(FetchedBranch { name, commit, .. }) => {
                let commit = commit.get(..8).unwrap_or_default();
                (format!("trusted as it is in {}, fetched at {commit}", one_line(name, 100)), None)
            }
            Self::Unfetched => {
                let next = "run git fetch origin; git remote set-head origin --auto";
                ("trusted as it is in the default branch of origin, and none was fetched".to_owned(), Some(next))
            }
            Self::OtherOrigin => {
                let next = "failwise trust --team trusts this one";
                ("not read: origin is another repository than the one you trusted".to_owned(), Some(next))
            }
            Self::NoAnswer => ("left as it was: git does not answer".to_owned(), Some("look at git status")),
        }
    }
}

/// What a file of the team's says that is heard; None where it is nothing.
pub(super) fn heard(env: Env<'_>, place: &Place, file: &str, trust: &TeamTrust) -> Option<String> {
    let known = TrustedLines::of(env, &place.project);
    let mut text = known.of_file(&place.team_file(file).unwrap_or_default(), true);
    if let TeamTrust::Standing(branch) = trust {
        text += &branch.file(file, LARGEST_TEAM).unwrap_or_default();
    }
    Some(text).filter(|text| !text.is_empty())
}

/// What the name of a note of the day on which, and the commit up to which, the person was told begins with.
const UNTIL: &str = "team ";
/// The most authors that are named.
const MOST_AUTHORS: usize = 3;

/// What the person is to be told of lines that are new in the default branch: nothing on a day on which they were told
/// already. `told` are the names of what they were told before.
pub(super) fn team_news(
    base: &Base,
    env: Env<'_>,
    project: &str,
    told: &mut BTreeSet<String>,
    now: u64,
) -> Result<Option<RecurringLine>, StoreFault> {
    let Some(root) = base.root(project)? else { return Ok(None) };
    let TeamTrust::Standing(branch) = TeamTrust::of(env, Path::new(&root)) else { return Ok(None) };
    let today: String = stamp_at(now).unwrap_or_default().chars().take(10).collect();
    let until: Option<String> = told.iter().find(|name| name.starts_with(UNTIL)).cloned();
    let (last, since) =
        until.as_deref().and_then(|until| until.get(UNTIL.len()..)?.split_once(' ')).unwrap_or_default();
    let rows = team_rows(base, project)?;
    let new: Vec<&StoredRow> = rows.iter().filter(|row| !told.contains(&told_name(row))).collect();
    if new.is_empty() || last == today {
        return Ok(None);
    }
    let names =
        |kind: RowKind| new.iter().filter(|row| row.kind == kind).map(|row| told_name(row)).collect::<BTreeSet<_>>();
    let (fixes, cases) = (names(RowKind::Sum), names(RowKind::Case));
    let machines: BTreeSet<&str> =
        new.iter().filter(|row| row.kind == RowKind::Sum).map(|row| row.session.as_str()).collect();
    let count = |count: usize, one: &str, more: &str| (count > 0).then(|| many(count as u64, one, more));
    let counted = [count(fixes.len(), "new fix", "new fixes"), count(cases.len(), "new test case", "new test cases")];
    let of = count(machines.len(), "machine", "machines").map(|of| format!(" of {of}")).unwrap_or_default();
    let authors = branch.authors(since, &TEAM_FILES).map(|names| by_authors(&names)).unwrap_or_default();
    let text = format!(
        "Failwise: {}{of} came with {}{authors}; `failwise kb` lists what is known.",
        counted.into_iter().flatten().collect::<Vec<_>>().join(" and "),
        one_line(&branch.name, 60),
    );
    let lessons = fixes.into_iter().chain(cases).chain([format!("{UNTIL}{today} {}", branch.commit)]).collect();
    told.retain(|name| Some(name) != until.as_ref());
    Ok(Some(RecurringLine { text, lessons }))
}

/// Notes that the person knows what the default branch holds now, so that they are told of later lines only.
///
/// # Errors
/// When the base cannot be read, or the note cannot be written.
pub fn note_team_known(base: &Base, env: Env<'_>, project: &str, branch: &FetchedBranch) -> Result<(), StoreFault> {
    let file = recall_of(env, project)?;
    let mut told = told_lines(&file);
    told.retain(|name| !name.starts_with(UNTIL));
    told.extend(team_rows(base, project)?.iter().map(told_name));
    told.insert(format!("{UNTIL}- {}", branch.commit));
    Ok(put_told(&file, &told)?)
}

/// The rows of the team's files, whoever counted them.
fn team_rows(base: &Base, project: &str) -> Result<Vec<StoredRow>, StoreFault> {
    let rows = base.rows(Some(project))?.into_iter();
    let is_line = |row: &StoredRow| matches!(row.kind, RowKind::Sum | RowKind::Case);
    Ok(rows.filter(|(kind, row)| *kind == SourceKind::Team && is_line(row)).map(|(_, row)| row).collect())
}

/// The name of what a row is about, the same for all machines and months.
fn told_name(row: &StoredRow) -> String {
    hex16(&["team", row.kind.as_str(), &row.what])
}

/// Who wrote them, as git says: plain letters only, as these are anybody's words.
fn by_authors(names: &[String]) -> String {
    let plain = |name: &String| {
        let kept = |c: char| if c.is_alphanumeric() || "-'".contains(c) { c } else { ' ' };
        let name: String = redact(name).chars().map(kept).collect();
        one_line(&name.split_whitespace().collect::<Vec<_>>().join(" "), 40)
    };
    let names: Vec<String> = names.iter().map(plain).filter(|name| !name.is_empty()).collect();
    let shown = names.iter().take(MOST_AUTHORS).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MOST_AUTHORS) {
        _ if names.is_empty() => String::new(),
        0 => format!(" (commits of {shown})"),
        more => format!(" (commits of {shown} and {more} more)"),
    }
}
