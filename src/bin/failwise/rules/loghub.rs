//! `failwise rules score --loghub`: log lines grouped by the tree of their normal forms.

use std::io::Write;
use std::path::{Path, PathBuf};

use failwise::error::Error;
use failwise::exit::Exit;
use failwise::score::{Grouping, grouping};
use failwise::signature::{KindTree, coarse};
use serde::Serialize;

use super::{RulesFormat, percent};
use crate::style::{Style, escaped, shown};

/// How the files of a set end.
const ENDING: &str = "_2k.log_structured.csv";
/// The column of a line's text, and that of its true group.
const COLUMNS: [&str; 2] = ["Content", "EventId"];

#[derive(Serialize)]
struct Set {
    set: String,
    #[serde(flatten)]
    grouping: Grouping,
}

pub(super) fn run(folder: &Path, format: RulesFormat) -> crate::CommandOutcome {
    let files = set_files(folder)?;
    let sets = files.iter().map(|file| set(file)).collect::<Result<Vec<Set>, Error>>()?;
    let average = average(&sets);
    match format {
        RulesFormat::Json => {
            let all = serde_json::json!({"schema_version": 1, "average": (average * 10_000.0).round() / 10_000.0, "sets": sets});
            writeln!(std::io::stdout().lock(), "{}", escaped(&serde_json::to_string_pretty(&all)?))?;
        }
        RulesFormat::Table => print_sets(&sets, average)?,
    }
    Ok(Exit::Ok)
}

/// The sets of a folder and of the folders in it, by name.
fn set_files(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    for entry in walkdir::WalkDir::new(folder).max_depth(2) {
        let path = entry.map_err(std::io::Error::from)?.into_path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(ENDING)) {
            files.push(path);
        }
    }
    files.sort_by_key(|file| name(file));
    if files.is_empty() {
        let error = Error::unreadable(format!("{} has no *{ENDING} file", folder.display()));
        return Err(error.hint("the structured files of the loghub 2k sets, in one folder or one for each system"));
    }
    Ok(files)
}

fn name(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.trim_end_matches(ENDING).to_owned()
}

fn set(file: &Path) -> Result<Set, Error> {
    let broken = |error: csv::Error| {
        Error::unreadable(format!("{}: {error}", file.display())).hint("give a folder of *_structured.csv files")
    };
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_path(file).map_err(broken)?;
    let head = reader.byte_headers().map_err(broken)?;
    let [content, event] = COLUMNS.map(|column| head.iter().position(|name| name == column.as_bytes()));
    let (Some(content), Some(event)) = (content, event) else {
        return Err(Error::unreadable(format!("{} has no columns Content and EventId", file.display()))
            .hint("its first line names the columns"));
    };
    let mut lines = Vec::new();
    let mut tree = KindTree::default();
    for record in reader.byte_records() {
        let record = record.map_err(broken)?;
        let text = |column| String::from_utf8_lossy(record.get(column).unwrap_or_default());
        lines.push((tree.group_of(&coarse(&text(content))).to_string(), text(event).into_owned()));
    }
    Ok(Set { set: name(file), grouping: grouping(&lines) })
}

/// Each set weighs the same.
fn average(sets: &[Set]) -> f64 {
    let sum: f64 = sets.iter().filter_map(|set| set.grouping.lines.value()).sum();
    sum / f64::from(u32::try_from(sets.len().max(1)).unwrap_or(u32::MAX))
}

fn print_sets(sets: &[Set], average: f64) -> Result<(), crate::CommandFailure> {
    let mut out = std::io::stdout().lock();
    let style = Style::for_stdout();
    let head = format!("{:<14} {:>7} {:>7} {:>7} {:>9}", "set", "lines", "events", "groups", "accuracy");
    writeln!(out, "{}", style.bold(&head))?;
    for Set { set, grouping: Grouping { lines, events, groups } } in sets {
        let set = shown(set, 14);
        writeln!(out, "{set:<14} {:>7} {events:>7} {groups:>7} {:>9}", lines.all, percent(lines.value()))?;
    }
    let last = format!("{:<14} {:>7} {:>7} {:>7} {:>9}", "average", "", "", "", percent(Some(average)));
    writeln!(out, "{}", style.bold(&last))?;
    Ok(())
}
