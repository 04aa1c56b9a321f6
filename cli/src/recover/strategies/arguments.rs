//! Arguments of a tool that do not fit its schema, and files that are of another kind than the call takes them for.

use serde_json::{Map, Value};

use super::super::case::{Case, Offer, Offered};
use super::super::step::{Deed, PlanStep};
use crate::model::{FindingKind as Kind, ToolKind};
use crate::shell::{line_of, quoted_word};
use crate::text::quoted;

/// Names under which callers give one argument, where the tool has another.
const SAME: &[&[&str]] = &[
    &["file_path", "path", "file", "filename", "filepath", "target_file"],
    &["command", "script", "cmd"],
    &["dir", "path", "directory", "folder"],
    &["content", "contents", "text", "file_text", "body"],
    &["old_string", "old_str", "old_text", "search"],
    &["new_string", "new_str", "new_text", "replace"],
    &["pattern", "query", "regex", "search"],
];

pub(in super::super) fn fix_parameter_types(case: &Case<'_>) -> Offered {
    if case.failed.args.is_empty() {
        return Err("its arguments are not known");
    }
    let mut args = case.failed.args.clone();
    let mut done = Vec::new();
    for finding in case.findings() {
        done.extend(match finding.kind {
            Kind::MissingOption => renamed(case, &mut args, finding.name),
            Kind::WrongType => {
                finding.name.zip(finding.meant).and_then(|(name, wanted)| retyped(&mut args, name, wanted))
            }
            _ => None,
        });
    }
    if done.is_empty() || args == case.failed.args {
        return Err("the output does not say which argument has which type");
    }
    let step = PlanStep::work(
        "Give the arguments in the tool's form",
        Deed::Again { tool: case.failed.tool.clone(), args },
        "The tool accepts the call",
    );
    Ok(Offer::new(done.join("; "), vec![step])
        .seen(format!("the tool's schema differs from the call: {}", done.join("; "))))
}

/// A parameter that is missing, under the name that the tool has.
fn renamed(case: &Case<'_>, args: &mut Map<String, Value>, missing: Option<&str>) -> Option<String> {
    let missing = missing.filter(|missing| !args.contains_key(*missing))?;
    let surplus = case.named(Kind::UnknownOption).filter(|name| args.contains_key(*name));
    let known = || {
        let group = SAME.iter().find(|group| group.contains(&missing))?;
        group.iter().copied().find(|name| args.contains_key(*name))
    };
    let from = surplus.or_else(known)?.to_owned();
    let value = args.remove(&from)?;
    args.insert(missing.to_owned(), value);
    Some(format!(
        "`{missing}` in the place of `{from}`",
        missing = crate::text::cut(missing, 60),
        from = crate::text::cut(&from, 60)
    ))
}

/// A parameter of another type, where its value says the same in it.
fn retyped(args: &mut Map<String, Value>, name: &str, wanted: &str) -> Option<String> {
    let value = args.get(name)?;
    let made = match (wanted, value) {
        ("number" | "integer" | "int", Value::String(text)) => {
            let text = text.trim();
            text.parse::<i64>().ok().map(Value::from).or_else(|| text.parse::<f64>().ok().map(Value::from))?
        }
        ("boolean" | "bool", Value::String(text)) => Value::Bool(text.trim().parse().ok()?),
        ("boolean" | "bool", Value::Number(number)) => Value::Bool(number.as_i64()? != 0),
        ("string" | "str", Value::Number(number)) => Value::String(number.to_string()),
        ("string" | "str", Value::Bool(flag)) => Value::String(flag.to_string()),
        ("array" | "list", Value::String(text)) if text.trim_start().starts_with('[') => {
            serde_json::from_str(text).ok().filter(Value::is_array)?
        }
        ("array" | "list", Value::String(text)) => Value::Array(vec![Value::String(text.clone())]),
        ("object" | "dict", Value::String(text)) => serde_json::from_str(text).ok().filter(Value::is_object)?,
        _ => return None,
    };
    args.insert(name.to_owned(), made);
    Some(format!("`{}` as {}", crate::text::cut(name, 60), crate::text::cut(wanted, 20)))
}

/// Lines of a part: far below the client's limit of 25,000 tokens for usual lines.
const PART: u64 = 400;

/// The longest line of a file that is read line by line, in bytes.
const LONGEST_LINE: usize = 20_000;

/// What matters of a large file by what it is: the errors and the end of a log, the beginning of one long line.
fn of_its_kind(case: &Case<'_>, file: &str) -> Option<Offer> {
    // Where a part was asked for, it is a part of that.
    if case.failed.args.contains_key("offset") || case.failed.args.contains_key("limit") {
        return None;
    }
    let word = quoted_word(file);
    let beginning = case.looks.beginning(file).unwrap_or_default();
    let name = super::super::case::name_of(file).to_ascii_lowercase();
    let is_log = [".log", ".out", ".err", ".trace"].iter().any(|end| name.ends_with(end))
        || name.contains(".log.")
        || has_levels(&beginning);
    let (line, action, shows) = if is_log {
        (
            format!(
                "grep -nE \"ERROR|FATAL|CRITICAL|PANIC|panic|Traceback|Exception|FAILED|[Ee]rror:\" -- {word} | tail -n 60 | cut -c 1-300; echo \"-- its end:\"; tail -n 30 -- {word} | cut -c 1-300"
            ),
            "Read the errors and the end of the log",
            "What went wrong, with its line numbers",
        )
    } else if beginning.split('\n').next().is_some_and(|line| line.len() > LONGEST_LINE) {
        (
            format!("wc -c -- {word}; head -c 4000 -- {word}; echo; echo \"-- its end:\"; tail -c 2000 -- {word}"),
            "Read the beginning and the end of its long lines",
            "Its contents",
        )
    } else {
        return None;
    };
    let state = format!("{} is larger than the tool reads in one call", quoted(file, 100));
    Some(Offer::explained(state, vec![PlanStep::work(action, Deed::Run(line), shows)]))
}

/// Whether most of a text's first lines name a level, as those of a log do.
fn has_levels(beginning: &str) -> bool {
    const LEVELS: &[&str] =
        &["INFO", "DEBUG", "WARN", "ERROR", "TRACE", "[info]", "[debug]", "[warn]", "[error]", "level="];
    let lines: Vec<&str> = beginning.lines().take(40).collect();
    lines.len() >= 10
        && lines.iter().filter(|line| LEVELS.iter().any(|level| line.contains(level))).count() * 2 > lines.len()
}

/// Arguments that say how many things a tool lists at once.
const AT_ONCE: &[&str] = &[
    "perPage",
    "per_page",
    "limit",
    "pageSize",
    "page_size",
    "first",
    "maxResults",
    "max_results",
    "count",
    "size",
    "top",
];

/// Fewer things at once, by the tool's own argument, where its answer was larger than the client takes.
fn fewer_at_once(case: &Case<'_>) -> Option<Offer> {
    let lists = ["list", "search", "get", "find", "query", "read", "fetch"];
    let name = case.failed.tool.to_ascii_lowercase();
    if !lists.iter().any(|word| name.contains(word)) || !case.is_whole() {
        return None;
    }
    let finding = case.finding(Kind::TooLarge)?;
    let (is, most) = (finding.name?.parse::<u64>().ok()?, finding.meant?.parse::<u64>().ok()?);
    let (key, now) = AT_ONCE.iter().find_map(|key| Some((*key, case.failed.args.get(*key)?.as_u64()?)))?;
    // A part is left free: things are not of one size.
    let fewer = (now.saturating_mul(most) / is.max(1)).saturating_mul(4) / 5;
    if now < 2 || is <= most {
        return None;
    }
    let fewer = fewer.clamp(1, now - 1);
    let state = format!("{now} at once are larger than the client takes");
    let deed = case.again_changing(&[(key, Value::from(fewer))]);
    let step = PlanStep::work(format!("Ask for {fewer} at once"), deed, "A part that is small enough");
    Some(Offer::explained(state, vec![step]))
}

pub(in super::super) fn read_in_parts(case: &Case<'_>) -> Offered {
    if let Some(offer) = fewer_at_once(case).filter(|_| matches!(case.failed.kind, ToolKind::Mcp | ToolKind::Other)) {
        return Ok(offer);
    }
    let file = case.failed.file.as_deref().ok_or("no file was read")?;
    if case.failed.kind != ToolKind::Read {
        return Err("no file was read");
    }
    if !case.is_contract()
        && let Some(offer) = of_its_kind(case, file)
    {
        return Ok(offer);
    }
    let step = if case.is_contract() {
        Deed::Run(line_of(["head", "-n", &PART.to_string(), "--", file]))
    } else if std::path::Path::new(file).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("pdf")) {
        case.again_changing(&[("pages", Value::from("1-5"))])
    } else {
        let from = case.failed.args.get("offset").and_then(Value::as_u64).unwrap_or(1).max(1);
        case.again_changing(&[("offset", Value::from(from)), ("limit", Value::from(PART))])
    };
    let state = format!("{} is larger than the tool reads in one call", quoted(file, 100));
    Ok(Offer::explained(state, vec![PlanStep::work("Read the first part", step, "A part that is small enough")]))
}
