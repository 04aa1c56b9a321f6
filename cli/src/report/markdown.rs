//! The report as Markdown: for a pull request, a chat, or the step summary of GitHub Actions.

use std::fmt::{self, Write};

use super::brief::{development, failures, kinds_of_error, loop_line, waste};
use super::hosts::clients;
use super::{
    FailureAccount, Lesson, ReportLead, SHOWN_ID, TeamFailure, TimeComparison, call_of, dearest, dearness, returning,
    session, unresolved,
};
use crate::gate::{self, GateContext};
use crate::model::Money;
use crate::replay::{Analysis, EpisodeSummary};
use crate::text::{count, many, one_line, share, short, spoken, start};
use crate::time::{clock_name, duration, minute};

/// The most rows of a table.
const ROWS: usize = 10;
/// The width of a call or an error.
const TEXT: usize = 120;
/// The width of a lesson.
const LESSON: usize = 600;

/// The report as Markdown.
pub fn markdown(analysis: &Analysis, lead: &ReportLead) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_all(&mut out, analysis, lead);
    out
}

fn write_all(out: &mut String, analysis: &Analysis, lead: &ReportLead) -> fmt::Result {
    let totals = &analysis.totals;
    writeln!(out, "## What the failures cost\n")?;
    let team = lead.team.iter().take(TeamFailure::MOST).map(TeamFailure::said);
    bullets(out, "What costs the team (`failwise kb`):\n\n", team)?;
    bullets(out, "Changes to make (`failwise lessons`):\n\n", lead.lessons.iter().map(Lesson::said))?;
    let compared = lead.comparison.iter().flat_map(TimeComparison::lines);
    bullets(out, "", compared.map(|(name, said)| format!("{name}: {said}")))?;
    if totals.failed == 0 {
        return writeln!(out, "Nothing failed in {}.", many(totals.calls, "call", "calls"));
    }
    let account = FailureAccount::of(analysis);
    writeln!(out, "Failed: {}.\n", failures(analysis))?;
    writeln!(out, "- Waste: {}\n- Development loops: {}\n", waste(&account), development(&account))?;
    if let Some((_, clients)) = clients(analysis) {
        writeln!(out, "By client, {clients}.\n")?;
    }
    let open = unresolved(analysis);
    numbers(out, analysis, open.len() as u64)?;
    episodes(out, analysis, "Checks not seen to pass", &open)?;
    episodes(out, analysis, "Costliest episodes", &dearest(analysis))?;
    signatures(out, analysis)?;
    loop_lines(out, analysis)?;
    let left_out: u64 = analysis.skipped.values().sum();
    writeln!(
        out,
        "Commands and errors are data from the sessions, with secrets taken out. Times are {}. Lines left out: {}.",
        clock_name(),
        count(left_out)
    )
}

fn bullets(out: &mut String, title: &str, items: impl Iterator<Item = String>) -> fmt::Result {
    let items = items.fold(String::new(), |all, it| all + "- " + &prose(&it) + "\n");
    if items.is_empty() { Ok(()) } else { writeln!(out, "{title}{items}") }
}

fn numbers(out: &mut String, analysis: &Analysis, open: u64) -> fmt::Result {
    let totals = &analysis.totals;
    let rows = [
        ("sessions", count(analysis.generated_from.sessions)),
        (
            "failed calls",
            format!("{} of {} ({})", count(totals.failed), count(totals.calls), share(totals.failed, totals.calls)),
        ),
        ("hidden by an exit status of 0", count(totals.masked)),
        ("checks not seen to pass", count(open)),
        ("loops", count(totals.loops)),
        ("retries with nothing changed", count(totals.unchanged_retries)),
        ("categories", kinds_of_error(analysis, usize::MAX)),
    ];
    writeln!(out, "| | |\n| --- | --- |")?;
    for (name, text) in rows {
        writeln!(out, "| {name} | {text} |")?;
    }
    writeln!(out)
}

fn episodes(out: &mut String, analysis: &Analysis, title: &str, episodes: &[&EpisodeSummary]) -> fmt::Result {
    if episodes.is_empty() {
        return Ok(());
    }
    writeln!(out, "### {title}\n\n| call | error | attempts | ended | cost | tokens | time | project, since | id |")?;
    writeln!(out, "| --- | --- | --: | --- | --: | --: | --: | --- | --- |")?;
    for episode in episodes.iter().take(ROWS) {
        let project = session(analysis, &episode.session).and_then(|it| it.project.as_deref()).unwrap_or_default();
        let since = episode.first_ts.as_deref().map(minute).unwrap_or_default();
        let hidden = if episode.masked { ", hidden" } else { "" };
        let cells = [
            code(&gate::shown_line(&call_of(episode), &GateContext::default())),
            code(&gate::prose(episode.excerpt.as_deref().unwrap_or_default(), &GateContext::default())),
            episode.attempts.to_string(),
            format!("{}{hidden}", episode.ending()),
            Some(episode.booked.money)
                .filter(|it| *it > Money::default())
                .map_or_else(String::new, |it| it.to_string()),
            short(episode.booked.tokens.total()),
            duration(episode.booked.wall_ms),
            code(&format!("{project} {since}")),
            code(&episode.id),
        ];
        writeln!(out, "| {} |", cells.join(" | "))?;
    }
    rest(out, episodes.len())
}

fn signatures(out: &mut String, analysis: &Analysis) -> fmt::Result {
    let returning = returning(analysis);
    if returning.is_empty() {
        return Ok(());
    }
    writeln!(out, "### Failures that return\n\n| error | category | failures | sessions | not seen to pass | id |")?;
    writeln!(out, "| --- | --- | --: | --: | --: | --- |")?;
    for it in returning.iter().take(ROWS) {
        let error = code(&gate::prose(it.excerpt.as_deref().unwrap_or(&it.operation), &GateContext::default()));
        let numbers = [it.failures, it.sessions, it.unresolved].map(count).join(" | ");
        let id = code(start(&it.signature, SHOWN_ID));
        writeln!(out, "| {error} | {} | {numbers} | {id} |", spoken(it.category.as_str()))?;
    }
    rest(out, returning.len())
}

fn loop_lines(out: &mut String, analysis: &Analysis) -> fmt::Result {
    if analysis.loops.is_empty() {
        return Ok(());
    }
    let mut loops: Vec<_> = analysis.loops.iter().collect();
    loops.sort_by_key(|it| std::cmp::Reverse(dearness(it.cost)));
    writeln!(out, "### Costliest loops\n")?;
    for it in loops.iter().take(ROWS) {
        writeln!(out, "- {}", code(&gate::prose(&loop_line(it), &GateContext::default())))?;
    }
    rest(out, loops.len())
}

fn rest(out: &mut String, all: usize) -> fmt::Result {
    if all > ROWS {
        writeln!(out, "\nand {} more", all - ROWS)?;
    }
    writeln!(out)
}

/// A text from a session as code: nothing in it is read as Markdown, HTML or a mention, and it does not end its cell.
fn code(text: &str) -> String {
    let text = one_line(text, TEXT);
    if text.is_empty() {
        return text;
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    // A backslash of its own would take the one that holds the bar in its cell.
    let text = text.replace("\\|", "\\ |").replace('|', "\\|");
    if longest > 0 { format!("{fence} {text} {fence}") } else { format!("{fence}{text}{fence}") }
}

/// A sentence as it is, with what it quotes as code; outside of that nothing of it is Markdown or a tag.
pub(super) fn prose(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (number, part) in one_line(text, LESSON).split('`').enumerate() {
        if number > 0 {
            out.push('`');
        }
        for sign in part.chars() {
            if number % 2 == 0 && "\\*_[]<>!#|~&".contains(sign) {
                out.push('\\');
            }
            out.push(sign);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{code, prose};

    #[test]
    fn a_sentence_is_neither_markdown_nor_a_tag() {
        assert_eq!(prose("`a*b <x>` fails: use `c`; 2 of 2"), "`a*b <x>` fails: use `c`; 2 of 2");
        assert_eq!(prose("see [x](y) <img> **z**\n# a"), r"see \[x\](y) \<img\> \*\*z\*\* \# a");
    }

    #[test]
    fn code_stays_in_its_cell() {
        assert_eq!(code("a | b"), "`a \\| b`");
        assert_eq!(code("x `y` ``z"), "``` x `y` ``z ```");
        assert_eq!(code("a\n| b\u{1b}[31m\u{202e}"), "`a \\| b [31m`");
        assert_eq!(code(r"a\|b"), r"`a\ \|b`");
        assert_eq!(code(""), "");
    }
}
