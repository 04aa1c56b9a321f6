//! Files that the output names for what it does not say itself: a report, a log, a file that should equal another.

use super::super::case::{Case, Offer, Offered};
use super::super::look::FileKind;
use super::super::step::{Deed, Step};
use crate::shell::{line_of, quoted_word};
use crate::text::quoted;

/// Words of a line that sends its reader to a file.
const SENDS: &[&str] = &[
    "see ",
    "log",
    "report",
    "details",
    "written to",
    "saved",
    "found in",
    "output in",
    "results in",
    "for more",
    "artifact",
    "dumped",
    "trace",
    "inspect ",
    "refer to",
    "consult",
];

/// Endings of files that tell what happened.
const TELLING: &[&str] =
    &["log", "txt", "xml", "json", "html", "out", "err", "md", "tap", "trace", "dump", "csv", "report", "lst", "jsonl"];

/// What readers of data say of a place in it.
const UNREADABLE: &[&str] = &[
    "parse error",
    "JSONDecodeError",
    "Expecting value",
    "Expecting property name",
    "Expecting ',' delimiter",
    "Expecting ':' delimiter",
    "Extra data",
    "Unterminated string",
    "Invalid control character",
    "yaml.scanner",
    "yaml.parser",
    "YAMLException",
    "TOMLDecodeError",
    "TOML parse error",
    "XML_ERROR",
    "not well-formed",
    "parser error",
    "Unexpected token",
    "in JSON at position",
    "Error tokenizing data",
    "Illegal quoting",
];

/// Words of a line that says of two files that they are not the same.
const DIFFERS: &[&str] =
    &["differ", "does not match", "doesn't match", "not equal", "mismatch", "!=", "out of date with"];

/// A text of this many bytes is read at once.
const SHORT: usize = 40_000;

/// The words of a line that may be paths.
fn paths(line: &str) -> impl Iterator<Item = &str> {
    line.split([' ', '\t', ',', '"', '\'', '`', '(', ')', '=', '‘', '’', '<', '>'])
        .map(|word| word.strip_prefix("file://").unwrap_or(word))
        .map(|word| word.trim_end_matches(['.', ':', ';', '!', '?']).trim_start_matches(['[', '*']))
        .filter(|word| word.len() > 2 && word.len() < 1024 && word.contains(['.', '/']) && !word.contains("://"))
}

pub(in super::super) fn read_what_is_named(case: &Case<'_>) -> Offered {
    if !case.looks.is_looking() {
        return Err("nothing was looked at: --probe finds the file");
    }
    let is_text =
        |path: &&str| matches!(case.kind(path), Some(FileKind::Text | FileKind::Script(_))) && !path.starts_with('-');
    for line in case.text().lines().rev().take(60) {
        let lower = line.to_ascii_lowercase();
        let named: Vec<&str> = paths(line).filter(is_text).take(4).collect();
        if let [one, other] = named.as_slice()
            && one != other
            && DIFFERS.iter().any(|words| lower.contains(words))
        {
            let line = format!("{} || true", line_of(["diff", "-u", "--", other, one]));
            let step =
                Step::new("Show the difference", Deed::Run(case.in_folder(&line)), "The lines that are not the same");
            let why = format!("{} and {} are not the same", quoted(one, 80), quoted(other, 80));
            return Ok(Offer::new(why.clone(), vec![step]).doing("Show how the two files differ").seen(why));
        }
        let is_place = |path: &str| {
            let after = line.find(path).and_then(|at| line.get(at + path.len()..)).unwrap_or_default();
            after.strip_prefix([':', '(']).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        };
        if !SENDS.iter().any(|words| lower.contains(words))
            || lower.contains("  file \"")
            || line.starts_with("    at ")
        {
            continue;
        }
        let is_source = |path: &str| case.failed.line.as_deref().is_some_and(|line| line.contains(path));
        let tells = |path: &str| {
            let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
            TELLING.contains(&ending) || path.contains("log") || path.contains("report")
        };
        let is_near = |path: &str| {
            let cwd = case.failed.cwd.as_deref().unwrap_or("/");
            !path.starts_with('/') || path.starts_with("/tmp/") || path.starts_with(cwd)
        };
        let says_more = |path: &&&str| tells(path) && is_near(path) && !is_place(path) && !is_source(path);
        if let Some(path) = named.iter().find(says_more) {
            return Ok(reading(case, path));
        }
    }
    unreadable(case).ok_or("the output names no file that says more")
}

/// The file of data that could not be read, at the place that is told: the only one that the call or the failed lines name.
fn unreadable(case: &Case<'_>) -> Option<Offer> {
    if !case.says(UNREADABLE) {
        return None;
    }
    let text = case.text();
    let told = text.lines().find(|line| UNREADABLE.iter().any(|words| line.contains(words)))?;
    let number = |line: &str| {
        let rest = line.split_once("line ")?.1;
        rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u64>().ok()
    };
    let line = number(told).or_else(|| text.lines().rev().find_map(number));
    let is_data = |path: &str| {
        let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
        matches!(ending, "json" | "yaml" | "yml" | "toml" | "xml" | "csv" | "jsonl" | "ini" | "tsv")
            && case.looks.text(&case.at(path)).is_some()
    };
    let call = case.failed.line.as_deref().unwrap_or_default();
    let mut files: Vec<&str> = call.lines().chain(text.lines()).flat_map(paths).filter(|path| is_data(path)).collect();
    files.sort_unstable();
    files.dedup();
    let [file] = files.as_slice() else { return None };
    let from = line.map(|line| line.saturating_sub(15).max(1));
    let why = format!("{} cannot be read at the place that is told", quoted(file, 100));
    let deed = Deed::Read { path: case.at(file), from };
    let step = Step::new(format!("Read {}", quoted(file, 100)), deed, "The sign that does not belong there");
    Some(
        Offer::new(why.clone(), vec![step])
            .doing(format!("Read {} where it cannot be read", quoted(file, 100)))
            .seen(why),
    )
}

fn reading(case: &Case<'_>, path: &str) -> Offer {
    let at = case.at(path);
    let is_short = case.looks.text(&at).is_some_and(|text| text.len() <= SHORT);
    let why = format!("the output sends to {} for the reason", quoted(path, 100));
    let step = if is_short {
        Step::new(format!("Read {}", quoted(path, 100)), Deed::Read { path: at, from: None }, "What failed, and why")
    } else {
        let file = quoted_word(path);
        let found =
            format!("grep -nEi -A 4 'error|fail|fatal|exception|panic' -- {file} | head -n 120; tail -n 80 -- {file}");
        Step::new(
            format!("Show the lines of {} that tell", quoted(path, 100)),
            Deed::Run(case.in_folder(&found)),
            "What failed, and why",
        )
    };
    Offer::new(why.clone(), vec![step])
        .doing(format!("Read {}, to which the output sends", quoted(path, 100)))
        .seen(why)
}
