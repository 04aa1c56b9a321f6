//! How a replay is printed: for people, and for programs.

use std::collections::BTreeMap;
use std::io::{BufWriter, StdoutLock, Write};

use failwise::error::Error;
use failwise::model::{Category, Class, Money, Outcome};
use failwise::replay::{Analysis, Counters, Disagreement, Ended, FailureRow, RowAnswer, VerdictSide};
use failwise::text::many;
use serde::Serialize;

use super::ReplayFormat;
use crate::style::{Style, escaped, shown, write_rows};

/// What stands on stderr after rows for programs.
#[derive(Serialize)]
struct ReplaySummary<'a> {
    #[serde(flatten)]
    totals: &'a Counters,
    differing: u64,
    skipped: &'a BTreeMap<String, u64>,
}

/// Where a replay is printed, session by session.
pub(super) struct ReplayOutput {
    format: ReplayFormat,
    style: Style,
    out: BufWriter<StdoutLock<'static>>,
}

impl ReplayOutput {
    pub(super) fn new(format: ReplayFormat) -> Self {
        Self { format, style: Style::for_stdout(), out: BufWriter::new(std::io::stdout().lock()) }
    }

    /// What stands before all rows. Comparisons have no flat form.
    pub(super) fn begin(&mut self, compares: bool) -> Result<(), crate::CommandFailure> {
        match self.format {
            ReplayFormat::Csv if compares => {
                Err(Error::usage("--against prints no csv").hint("take --format table or jsonl").into())
            }
            ReplayFormat::Json if compares => {
                Err(Error::usage("--against prints no single object").hint("take --format table or jsonl").into())
            }
            ReplayFormat::Csv => self.record(FailureRow::COLUMNS.iter().map(|name| (*name).to_owned())),
            _ => Ok(()),
        }
    }

    /// The rows of one session.
    pub(super) fn rows(&mut self, rows: &[FailureRow]) -> Result<(), crate::CommandFailure> {
        for row in rows {
            match self.format {
                ReplayFormat::Table => print_row(&mut self.out, row, self.style)?,
                ReplayFormat::Json => {}
                ReplayFormat::Jsonl => writeln!(self.out, "{}", escaped(&serde_json::to_string(row)?))?,
                ReplayFormat::Csv => self.record(row.values().iter().map(|value| cell_text(value)))?,
            }
        }
        self.out.flush()?;
        Ok(())
    }

    fn record(&mut self, values: impl Iterator<Item = String>) -> Result<(), crate::CommandFailure> {
        let mut csv = csv::Writer::from_writer(&mut self.out);
        csv.write_record(values.collect::<Vec<_>>()).map_err(std::io::Error::from)?;
        csv.flush()?;
        Ok(())
    }

    /// What stands after all rows.
    pub(super) fn analysis(&mut self, analysis: &Analysis, differing: u64) -> Result<(), crate::CommandFailure> {
        match self.format {
            ReplayFormat::Table => print_analysis(&mut self.out, analysis, differing, self.style)?,
            ReplayFormat::Json => writeln!(self.out, "{}", escaped(&serde_json::to_string(analysis)?))?,
            ReplayFormat::Jsonl | ReplayFormat::Csv => {
                let summary = ReplaySummary { totals: &analysis.totals, differing, skipped: &analysis.skipped };
                writeln!(std::io::stderr(), "{}", serde_json::to_string(&summary)?)?;
            }
        }
        self.out.flush()?;
        Ok(())
    }

    /// Calls on which two sides do not agree.
    pub(super) fn disagreements(&mut self, disagreements: &[Disagreement]) -> Result<(), crate::CommandFailure> {
        for disagreement in disagreements {
            match self.format {
                ReplayFormat::Table => print_disagreement(&mut self.out, disagreement, self.style)?,
                _ => writeln!(self.out, "{}", escaped(&serde_json::to_string(disagreement)?))?,
            }
        }
        self.out.flush()?;
        Ok(())
    }

    /// What stands after all disagreements.
    pub(super) fn compared(&mut self, compared: u64, differing: u64) -> Result<(), crate::CommandFailure> {
        let line = format!("{compared} rows compared, {differing} differ");
        match self.format {
            ReplayFormat::Table => writeln!(self.out, "\n{}", self.style.bold(&line))?,
            _ => writeln!(std::io::stderr(), "{line}")?,
        }
        self.out.flush()?;
        Ok(())
    }
}

fn print_disagreement(out: &mut impl Write, found: &Disagreement, style: Style) -> std::io::Result<()> {
    let clock = format!("{:<8}", shown(found.ts.get(11..19).unwrap_or_default(), 8));
    let call = if found.input.is_empty() { found.tool_use_id.as_deref().unwrap_or_default() } else { &found.input };
    writeln!(out, "{} {} {}", style.dim(&clock), style.bold(&shown(call, 70)), style.dim(&found.fields.join(", ")))?;
    for (name, side) in [("here", &found.here), ("there", &found.there)] {
        writeln!(out, "         {name:<6} {}", shown(&side_as_text(side.as_ref()), 160))?;
    }
    Ok(())
}

fn side_as_text(side: Option<&VerdictSide>) -> String {
    let Some(side) = side else { return "no verdict".to_owned() };
    let word = |word: &Option<String>| word.clone().unwrap_or_default();
    let class = side.class.as_deref().unwrap_or("--");
    let answer = [class.to_owned(), side.outcome.clone(), word(&side.category), word(&side.recommended_action)];
    let answer: Vec<String> = answer.into_iter().filter(|word| !word.is_empty()).collect();
    let rule = [word(&side.ruleset), word(&side.rule)];
    let rule: Vec<String> = rule.into_iter().filter(|word| !word.is_empty()).collect();
    let by = if rule.is_empty() { String::new() } else { format!(" by {}", rule.join("/")) };
    format!("{}{by}: {}", answer.join(" "), side.evidence.join("; "))
}

/// A value that no spreadsheet takes for a formula, and no terminal for an order.
fn cell_text(value: &str) -> String {
    let line: String = value.chars().filter(|c| !failwise::text::is_invisible(*c)).collect();
    let line = failwise::text::blanked(&line);
    if line.starts_with(['=', '+', '-', '@']) { format!("'{line}") } else { line }
}

fn print_row(out: &mut impl Write, row: &FailureRow, style: Style) -> std::io::Result<()> {
    let clock = format!("{:<8}", shown(row.ts.get(11..19).unwrap_or_default(), 8));
    match &row.answer {
        RowAnswer::Verdict(verdict) => {
            let class = style.class(verdict.class, verdict.class.as_str());
            let what = format!("{:<20}", verdict.category.as_str());
            let masked = if verdict.outcome == Outcome::MaskedFailure { "masked " } else { "" };
            let attempt = if verdict.attempt > 1 { format!(" (attempt {})", verdict.attempt) } else { String::new() };
            let command = name_of(row, &verdict.operation.0);
            writeln!(out, "{} {class}  {what} {masked}{}{attempt}", style.dim(&clock), style.bold(&command))?;
            // The category stands in the row above.
            let saw: Vec<&str> =
                verdict.evidence.iter().map(String::as_str).filter(|saw| !saw.starts_with("category=")).collect();
            let saw = shown(&saw.join("; "), 100);
            writeln!(out, "             {} {}", style.dim(&verdict.rule), style.dim(&saw))?;
        }
        RowAnswer::NotFailure { outcome, evidence, operation, .. } => {
            let command = name_of(row, operation);
            writeln!(out, "{} {}  {:<20} {command}", style.dim(&clock), style.green("--"), outcome.as_str())?;
            if !evidence.is_empty() {
                writeln!(out, "             {}", style.dim(&shown(&evidence.join("; "), 100)))?;
            }
        }
    }
    if let Some(reason) = &row.refused {
        writeln!(out, "             {} {}", style.yellow("guard"), shown(reason, 100))?;
    }
    for difference in &row.differs {
        let line = format!("recorded {} = {}, now {}", difference.field, difference.recorded, difference.now);
        writeln!(out, "             {}", style.red(&shown(&line, 160)))?;
    }
    Ok(())
}

/// A call as it was typed, or what it comes down to where that is long.
fn name_of(row: &FailureRow, operation: &str) -> String {
    const WIDTH: usize = 70;
    let fits = !row.input.is_empty() && row.input.chars().count() <= WIDTH && !row.input.contains('\n');
    let target = if row.tool == "Bash" { row.input.clone() } else { format!("{} {}", row.tool, row.input) };
    shown(if fits { &target } else { operation }, WIDTH)
}

fn print_analysis(out: &mut impl Write, analysis: &Analysis, differing: u64, style: Style) -> std::io::Result<()> {
    let totals = &analysis.totals;
    let not_succeeded = totals.failed + totals.benign + totals.denied + totals.cascade + totals.interrupted;
    writeln!(out, "\n{}", style.bold(&format!("{} calls, {not_succeeded} that did not simply succeed", totals.calls)))?;
    let outcomes = [
        (Outcome::Failed, totals.failed.saturating_sub(totals.masked)),
        (Outcome::MaskedFailure, totals.masked),
        (Outcome::BenignNonZero, totals.benign),
        (Outcome::Denied, totals.denied),
        (Outcome::Cascade, totals.cascade),
        (Outcome::Interrupted, totals.interrupted),
    ];
    let lines = [
        ("outcomes", list(outcomes.iter().map(|(outcome, count)| (outcome.as_str(), *count)))),
        ("classes", list(counts(&totals.classes, Class::as_str))),
        ("categories", list(counts(&totals.categories, Category::as_str))),
        ("episodes", episodes(totals)),
        ("loops", if totals.loops > 0 { totals.loops.to_string() } else { String::new() }),
        ("repeats", repeats(totals)),
        ("cost", cost(totals)),
        ("money", money(totals)),
        ("unpriced", analysis.unpriced().unwrap_or_default()),
        ("unchecked", analysis.unchecked().unwrap_or_default()),
        ("subagents", dead(totals)),
        ("advice", said_counts(totals)),
        ("guard", saved(totals)),
        ("left out", list(analysis.skipped.iter().map(|(reason, count)| (reason.as_str(), *count)))),
        ("differing", if differing > 0 { format!("{differing} recorded verdicts") } else { String::new() }),
    ];
    write_rows(out, 11, lines)
}

fn counts<K: Copy>(
    counts: &BTreeMap<K, u64>,
    word: fn(K) -> &'static str,
) -> impl Iterator<Item = (&'static str, u64)> {
    counts.iter().map(move |(key, count)| (word(*key), *count))
}

/// Words with their counts, the largest first.
fn list<'a>(counts: impl Iterator<Item = (&'a str, u64)>) -> String {
    let mut pairs: Vec<(&str, u64)> = counts.filter(|(_, count)| *count > 0).collect();
    pairs.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    pairs.iter().map(|(word, count)| format!("{word} {count}")).collect::<Vec<_>>().join(", ")
}

fn episodes(totals: &Counters) -> String {
    if totals.episodes == 0 {
        return String::new();
    }
    let mut endings: Vec<(Ended, u64)> = totals.endings.iter().map(|(ended, count)| (*ended, *count)).collect();
    endings.sort_by_key(|(ended, count)| (std::cmp::Reverse(*count), *ended));
    let endings: Vec<String> = endings.iter().map(|(ended, count)| format!("{count} {}", ended.words())).collect();
    format!("{} ({})", totals.episodes, endings.join(", "))
}

fn repeats(totals: &Counters) -> String {
    if totals.unchanged_retries == 0 {
        return String::new();
    }
    format!("{} retries with nothing changed in between", totals.unchanged_retries)
}

/// The share of the work that episodes took, where the data tell of turns or times.
fn cost(totals: &Counters) -> String {
    let parts = [
        ("turns", totals.turns_in_failure, totals.turns),
        ("tokens", totals.tokens_in_failure.total(), totals.tokens.total()),
        ("time", totals.wall_ms_in_failure, totals.wall_ms),
    ];
    let known = parts.iter().filter(|(_, _, all)| *all > 0 && totals.episodes > 0);
    let shares = known.map(|(what, part, all)| format!("{} of the {what}", percent(*part, *all)));
    let shares = shares.collect::<Vec<_>>().join(", ");
    if shares.is_empty() { shares } else { format!("{shares} went into episodes of failure") }
}

/// What the tokens cost, where any price is known.
fn money(totals: &Counters) -> String {
    match totals.money {
        none if none == Money::default() => String::new(),
        all => format!("{all} at list prices, {} of it in episodes of failure", totals.money_in_failure),
    }
}

fn percent(part: u64, all: u64) -> String {
    let thousandths = u128::from(part) * 1000 / u128::from(all.max(1));
    format!("{}.{} %", thousandths / 10, thousandths % 10)
}

fn dead(totals: &Counters) -> String {
    match totals.dead_subagents {
        0 => String::new(),
        count => format!("{count} reported as completed ended in an error or with a failed check"),
    }
}

fn said_counts(totals: &Counters) -> String {
    match totals.advices {
        0 => String::new(),
        count => format!("{} (--said also has those on edits and known fixes)", many(count, "message", "messages")),
    }
}

fn saved(totals: &Counters) -> String {
    let Some(guard) = &totals.guard else { return String::new() };
    format!(
        "{} calls refused; {} failing calls, {} tokens and {} s saved",
        guard.refused,
        guard.calls_saved,
        guard.tokens_saved,
        guard.wall_ms_saved / 1000
    )
}
