//! `failwise rules score`: how right the rules are on calls that people labelled.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use failwise::classify::{DEFAULT, Ruleset};
use failwise::error::Error;
use failwise::exit::Exit;
use failwise::host::labelled;
use failwise::journal::read_lines;
use failwise::score::{self, Calibration, CalibrationError, GivenAnswer, Labelled, Measures, Precision, Score, Share};

use super::{RulesFormat, loghub, percent};
use crate::replay::known_ruleset;
use crate::style::{Style, print_pretty, shown, versioned};

/// Score labelled calls (JSONL; the format is in CONTRIBUTING.md)
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 scored, whatever the score is; 65 a row is broken (the error names its line), 74 a \
                        file could not be read.\n\nExamples:\n  failwise rules score calls.jsonl\n  failwise rules score calls.jsonl --errors --json"
)]
pub(super) struct ScoreArgs {
    /// The labelled calls: a file, or a folder of *.jsonl
    #[arg(value_name = "FILE", required_unless_present = "loghub")]
    file: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value = "table")]
    format: RulesFormat,
    /// Ruleset: default or classic
    #[arg(long, default_value = "default", value_name = "NAME")]
    ruleset: String,
    /// Also list the wrongly decided rows
    #[arg(long)]
    errors: bool,
    /// Print rules/confidence.md instead: the share of right decisions of each rule of `default`
    #[arg(long, conflicts_with = "errors")]
    confidence: bool,
    /// Score the grouping of log lines instead: a folder of Loghub's 2k sets
    #[arg(long, value_name = "DIR", conflicts_with_all = ["file", "errors", "confidence"])]
    loghub: Option<PathBuf>,
}

pub(super) fn run(args: &ScoreArgs) -> crate::CommandOutcome {
    match (&args.loghub, &args.file) {
        (Some(folder), _) => loghub::run(folder, args.format),
        (None, Some(file)) if args.confidence => confidence(file, args.format),
        (None, Some(file)) => score(file, args),
        (None, None) => Ok(Exit::Usage),
    }
}

fn score(file: &Path, args: &ScoreArgs) -> crate::CommandOutcome {
    let mut score = Score::of(&args.ruleset);
    let mut calibration = Calibration::default();
    each(file, known_ruleset(&args.ruleset)?, |row, given| {
        score.add(row, given);
        calibration.add(row, given);
    })?;
    score.calibration = calibration.errors();
    if !args.errors {
        score.errors.clear();
    }
    match args.format {
        RulesFormat::Json => drop(print_pretty(&versioned(&score)?)?),
        RulesFormat::Table => table(&score)?,
    }
    Ok(Exit::Ok)
}

fn confidence(file: &Path, format: RulesFormat) -> crate::CommandOutcome {
    let mut precision = Precision::default();
    each(file, &DEFAULT, |row, given| precision.add(row, given))?;
    match format {
        RulesFormat::Json => drop(print_pretty(&versioned(&precision.rows())?)?),
        RulesFormat::Table => write!(std::io::stdout().lock(), "{}", score::page(&precision.rows()))?,
    }
    Ok(Exit::Ok)
}

/// Answers each row of a file, or of the files of a folder in the order of their names.
fn each(path: &Path, ruleset: &'static Ruleset, mut row: impl FnMut(&Labelled, &GivenAnswer)) -> Result<(), Error> {
    for file in labelled_files(path)? {
        let mut fault = None;
        let mut number = 0;
        let read = read_lines(&file, |_, line| {
            number += 1;
            if fault.is_none() && !line.trim_ascii().is_empty() {
                fault = score_line(line, ruleset, &mut row).err().map(|error| (number, error));
            }
        });
        read?;
        if let Some((number, error)) = fault {
            let error = Error::unreadable(format!("{} line {number}: {error}", file.display()));
            return Err(error.hint("each line is a labelled call: schemas/labelled-call.schema.json, CONTRIBUTING.md"));
        }
    }
    Ok(())
}

fn score_line(
    line: &[u8],
    ruleset: &'static Ruleset,
    row: &mut impl FnMut(&Labelled, &GivenAnswer),
) -> Result<(), String> {
    let labelled = Labelled::parse(line)?;
    row(&labelled, &labelled::answer(&labelled, ruleset)?);
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "a person names the folder")]
fn labelled_files(path: &Path) -> Result<Vec<PathBuf>, Error> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let entries = fs_err::read_dir(path)?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "jsonl"));
    files.sort();
    if files.is_empty() {
        return Err(Error::unreadable(format!("{} has no *.jsonl file", path.display()))
            .hint("CONTRIBUTING.md says what a labelled call looks like"));
    }
    Ok(files)
}

fn table(score: &Score) -> Result<(), crate::CommandFailure> {
    let mut out = std::io::stdout().lock();
    let style = Style::for_stdout();
    writeln!(out, "{}", style.bold(&format!("ruleset {}, {} rows", score.ruleset, score.rows)))?;
    for (name, share) in [
        ("outcome", score.outcome),
        ("class", score.class),
        ("category", score.category),
        ("masked found", score.masked),
        ("masked category", score.masked_category),
        ("false alarms", score.false_alarms),
    ] {
        writeln!(out, "  {name:<16} {}", share_line(share))?;
    }
    writeln!(out, "  {:<16} {} right, {} false, {} missed", "F1", score.f1_true, score.f1_false, score.f1_missed)?;
    writeln!(out, "\n{}", style.bold("category by what it rests on (of a guess: the likely one)"))?;
    for (basis, share) in &score.bases {
        writeln!(out, "  {basis:<16} {}", share_line(*share))?;
    }
    if let Some(error) = score.calibration {
        let CalibrationError { class, category, sources } = error;
        writeln!(
            out,
            "  calibration error, one of {sources} sources left out: class {class:.3}, category {category:.3}"
        )?;
    }
    for (name, measures) in [("class", &score.classes), ("category", &score.categories)] {
        measured(&mut out, style, name, measures)?;
    }
    confusion(&mut out, style, score)?;
    for wrong in &score.errors {
        let line = format!("{} wanted {}, given {}", wrong.id, wrong.wanted, wrong.given);
        writeln!(out, "  {}", shown(&line, 160))?;
    }
    Ok(())
}

/// `99.6 %  98.8 to 99.9  (731 of 734)`, the interval at 95 %.
fn share_line(share: Share) -> String {
    let Some((low, high)) = share.interval() else { return "-".to_owned() };
    let interval = format!("{:.1} to {:.1}", 100.0 * low, 100.0 * high);
    format!("{:>7}  {interval:<14} ({} of {})", percent(share.value()), share.right, share.all)
}

fn measured(out: &mut impl Write, style: Style, name: &str, measures: &Measures) -> std::io::Result<()> {
    let head = format!("{name:<20} {:>9} {:>8} {:>8} {:>8}", "precision", "recall", "F1", "support");
    writeln!(out, "\n{}", style.bold(&head))?;
    for (word, measure) in &measures.0 {
        let [precision, recall, f1] = [measure.precision(), measure.recall(), Some(measure.f1())].map(percent);
        writeln!(out, "  {word:<18} {precision:>9} {recall:>8} {f1:>8} {:>8}", measure.support)?;
    }
    writeln!(out, "  {:<18} {:>9} {:>8} {:>8}", "macro", "", "", percent(measures.macro_f1()))
}

/// Labels down, answers across.
fn confusion(out: &mut impl Write, style: Style, score: &Score) -> std::io::Result<()> {
    let answers: BTreeSet<&str> = score.confusion.values().flat_map(|given| given.keys().copied()).collect();
    let cells = |cell: &dyn Fn(&str) -> String| -> String {
        let cells: Vec<String> =
            answers.iter().map(|word| format!("{:>w$}", cell(word), w = word.len().max(5))).collect();
        cells.join(" ")
    };
    writeln!(out, "\n{}", style.bold(&format!("{:<12} {}", "wanted", cells(&str::to_owned))))?;
    for (label, given) in &score.confusion {
        let row = cells(&|word| given.get(word).map_or("-".to_owned(), u32::to_string));
        writeln!(out, "  {label:<10} {row}")?;
    }
    Ok(())
}
