//! Failed calls as a table for spreadsheets.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::{ReportLead, TEXT};
use crate::model::{Cost, Host};
use crate::replay::{Analysis, EpisodeSummary, Failure};
use crate::text::one_line;

/// A column: its name, and its cell in the row of a failure.
type Column<'a> = (&'static str, fn(&Failure, &CsvLookup<'a>) -> String);

/// What other lists say of a failure.
struct CsvLookup<'a> {
    /// By session.
    projects: BTreeMap<&'a str, &'a str>,
    hosts: BTreeMap<&'a str, Host>,
    people: BTreeMap<&'a str, &'a str>,
    /// By session and episode: an episode's id is its own in its session only.
    episodes: BTreeMap<(&'a str, &'a str), &'a EpisodeSummary>,
    /// By signature: the place among what costs the team, and how often that was met.
    team: BTreeMap<&'a str, (usize, u64)>,
    /// The first failure of each episode.
    firsts: BTreeMap<(&'a str, &'a str), &'a Failure>,
}

impl CsvLookup<'_> {
    fn ended(&self, it: &Failure) -> String {
        self.episodes.get(&(&*it.session, &*it.episode)).map(|episode| episode.ended.to_string()).unwrap_or_default()
    }

    /// What the work on an episode cost, for its first failure only: a sum counts it once.
    fn cost<T: ToString>(&self, it: &Failure, cost: impl Fn(&Cost) -> T) -> String {
        let key = (&*it.session, &*it.episode);
        let is_first = self.firsts.get(&key).is_some_and(|first| std::ptr::eq(*first, it));
        let episode = self.episodes.get(&key).filter(|_| is_first);
        episode.map(|episode| cost(&episode.booked).to_string()).unwrap_or_default()
    }
}

/// The columns, in their order. New ones come last.
const fn columns<'a>() -> [Column<'a>; 25] {
    [
        ("ts", |it, _| it.ts.clone().unwrap_or_default()),
        ("session", |it, _| it.session.clone()),
        ("project", |it, of| of.projects.get(&*it.session).copied().unwrap_or_default().to_owned()),
        ("node", |it, _| it.node.clone()),
        ("outcome", |it, _| it.outcome.to_string()),
        ("class", |it, _| it.class.to_string()),
        ("category", |it, _| it.category.to_string()),
        ("rule", |it, _| it.rule.clone()),
        ("tool", |it, _| it.tool.clone()),
        ("input", |it, _| it.input.clone()),
        ("error", |it, _| it.excerpt.clone().unwrap_or_default()),
        ("attempt", |it, _| it.attempt.to_string()),
        ("unchanged_retries", |it, _| it.unchanged_retries.to_string()),
        ("episode", |it, _| it.episode.clone()),
        ("ended", |it, of| of.ended(it)),
        ("signature", |it, _| it.signature.fine.clone()),
        ("file", |it, _| it.file.clone()),
        ("line", |it, _| it.line.to_string()),
        ("host", |it, of| of.hosts.get(&*it.session).copied().unwrap_or_default().to_string()),
        ("tokens", |it, of| of.cost(it, |cost| cost.tokens.total())),
        ("seconds", |it, of| of.cost(it, |cost| (cost.wall_ms + 500) / 1000)),
        ("model", |it, _| it.model.clone().unwrap_or_default()),
        ("person", |it, of| of.people.get(&*it.session).copied().unwrap_or_default().to_owned()),
        ("usd", |it, of| of.cost(it, |cost| cost.money.usd())),
        ("team_failures", |it, of| {
            of.team.get(&*it.signature.fine).map(|(_, number)| number.to_string()).unwrap_or_default()
        }),
    ]
}

/// Writes one row a failed call, with a heading, what costs the team first. No cell is taken for a formula.
///
/// # Errors
/// When a row cannot be written.
pub fn csv(analysis: &Analysis, lead: &ReportLead, out: impl Write) -> io::Result<()> {
    let projects = analysis.sessions.iter().filter_map(|it| Some((&*it.id, it.project.as_deref()?)));
    let people = analysis.sessions.iter().filter_map(|it| Some((&*it.id, it.person.as_deref()?))).collect();
    let episodes = analysis.episodes.iter().map(|it| ((&*it.session, &*it.id), it)).collect();
    let mut firsts = BTreeMap::new();
    for it in &analysis.failures {
        firsts.entry((&*it.session, &*it.episode)).or_insert(it);
    }
    let hosts = analysis.sessions.iter().filter_map(|it| Some((&*it.id, it.host?))).collect();
    let team = lead.team.iter().enumerate().map(|(place, it)| (&*it.signature, (place, it.failures))).collect();
    let of = CsvLookup { projects: projects.collect(), hosts, people, episodes, team, firsts };
    let mut out = ::csv::Writer::from_writer(out);
    // A reader that went away is told apart from other trouble by the kind of the error.
    let io_error = |error: ::csv::Error| match error.into_kind() {
        ::csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    };
    out.write_record(columns().map(|(name, _)| name)).map_err(io_error)?;
    let mut failures: Vec<&Failure> = analysis.failures.iter().collect();
    failures.sort_by_key(|it| of.team.get(&*it.signature.fine).map_or(usize::MAX, |(place, _)| *place));
    for failure in failures {
        out.write_record(columns().map(|(_, value)| cell(&value(failure, &of)))).map_err(io_error)?;
    }
    out.flush()
}

/// A text that a spreadsheet shows and does not compute.
fn cell(text: &str) -> String {
    let text = one_line(text, TEXT);
    if text.starts_with(['=', '+', '-', '@']) { format!("'{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn no_cell_is_a_formula() {
        for text in ["=cmd|calc!A1", "+1", "-1", "@SUM(A1)", "\t=1", "\r\n=1", "\u{200b}=1"] {
            assert!(cell(text).starts_with('\''), "{text:?} became {:?}", cell(text));
        }
        assert_eq!(cell("a=b"), "a=b");
    }
}
