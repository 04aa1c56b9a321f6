//! Output that cannot be read, is too much, or says something else than the status. Most of these modes speak of calls that
//! passed, so each has strict conditions of its own.

#![expect(clippy::items_after_statements, reason = "a list of words stands where it is read")]

use serde::de::IgnoredAny;
use serde_json::Value;

use crate::decide::is_request;
use crate::model::{Category, RunResult, Stream};
use crate::programs::Trait;
use crate::reading::begins_with_name;
use crate::shell::{Loss, Script};

use super::Mode as M;
use super::facts::{CallFacts, TracedEnd, asks_json, has_word};
use super::network::not_a_test;
use super::row::{ModeRow, Seen, When, failed, finds, means, passed};
use crate::model::FindingKind as K;

/// The rows.
pub(super) const ROWS: &[ModeRow] = &[
    finds(M::SilentTruncation, 94, K::ValueCut).when(When::Any),
    finds(M::BinaryEncoding, 95, K::BadEncoding),
    finds(M::BinaryEncoding, 93, K::BinaryFile).when(When::Any),
    finds(M::ErrorQuality, 83, K::BareFault).last(),
    passed(M::ExitCodes, 92, answers_with_error),
    passed(M::PipelineMasking, 92, hides_failure),
    passed(M::ExitCodes, 88, complains_and_passes),
    passed(M::ExitCodes, 90, answers_with_fault),
    passed(M::PipelineMasking, 90, feeds_nothing),
    passed(M::AnsiLeakage, 93, colours_data),
    passed(M::UpdateNotifier, 93, announces_update),
    passed(M::StdoutPollution, 90, mixes_lines_into_data),
    passed(M::ColumnWidth, 92, wraps_data),
    passed(M::JsonlDefault, 86, streams_records),
    passed(M::OutputFormat, 86, answers_in_prose),
    passed(M::Pagination, 87, ends_at_round_number),
    passed(M::Pagination, 87, says_there_is_more),
    passed(M::Pagination, 88, has_next_page),
    passed(M::Verbosity, 88, talks_too_much),
    passed(M::HighEntropy, 90, shows_opaque_text),
    passed(M::HighEntropy, 90, encodes_file),
    passed(M::SilentTruncation, 92, shortens_value),
    passed(M::SilentTruncation, 92, warns_of_cut),
    passed(M::AsyncJob, 90, starts_job),
    passed(M::AsyncRace, 82, says_nothing),
    passed(M::OutputSize, 92, floods).when(When::Any),
    failed(M::StreamDiscipline, 92, usage_on_stdout),
    failed(M::StreamDiscipline, 96, floods_with_usage),
    failed(M::StreamDiscipline, 84, error_on_stdout).last(),
    failed(M::AnsiLeakage, 90, refused_escapes),
    failed(M::AnsiLeakage, 84, forced_colours).last(),
    // Too little to be a match: worth a question.
    means(M::ErrorQuality, 40, &[Category::RuntimeError, Category::ScriptError, Category::Unknown]),
    // Errors that say nothing: only where nothing else speaks.
    failed(M::ErrorQuality, 86, says_little).last(),
    failed(M::ErrorQuality, 84, faults).last(),
];

// ---- calls that passed ----

/// The JSON of standard output, where all of it is one value.
fn parsed_output(facts: &CallFacts<'_>) -> Option<Value> {
    let text = facts.stdout().trim();
    (text.len() <= LARGEST_VALUE && text.starts_with(['{', '['])).then(|| serde_json::from_str(text).ok())?
}

/// The most that is read as one value.
const LARGEST_VALUE: usize = 256 * 1024;

fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text.trim()).is_ok()
}

/// Whether standard output is this command's answer to a question for data: not a file or log that it shows.
fn is_data(facts: &CallFacts<'_>) -> bool {
    facts.prints() && facts.asks_json() && !facts.displays() && facts.call.output.stderr().is_some()
}

/// An envelope that says that it failed.
fn answers_with_error(facts: &CallFacts<'_>) -> Option<Seen> {
    if !facts.prints() || facts.displays() {
        return None;
    }
    let last = facts.stdout().trim().lines().last().unwrap_or_default();
    let value = parsed_output(facts).or_else(|| serde_json::from_str(last).ok())?;
    let fields = value.as_object()?;
    let ok = fields.get("ok").or_else(|| fields.get("success"));
    let error = fields.get("error").is_some_and(|error| {
        error.as_object().is_some_and(|fields| !fields.is_empty()) || error.as_str().is_some_and(|e| !e.is_empty())
    });
    let said = ok.and_then(Value::as_bool) == Some(false)
        || (error && fields.len() <= 4 && ok.is_none() && fields.get("data").is_none());
    said.then(|| {
        let shown = facts
            .lines()
            .find(|(_, line)| line.contains("\"ok\"") || line.contains("\"success\"") || line.contains("\"error\""))
            .or_else(|| facts.last_line());
        Seen { words: None, line: shown.map(|(stream, line)| (stream, line.to_owned())) }
    })
}

/// How a line begins that tells of an error.
fn begins_as_error(line: &str) -> bool {
    const STARTS: &[&str] = &[
        "error:",
        "error[",
        "fatal:",
        "panic:",
        "traceback (most recent call last)",
        "exception:",
        "fatal error",
        "error -",
        "err!",
        "npm err!",
        "npm error",
        "uncaught exception",
    ];
    let lower = crate::text::start(line, 40).to_ascii_lowercase();
    STARTS.iter().any(|start| lower.starts_with(start))
        || matches!(lower.as_str(), "error" | "exception" | "panic" | "fatal")
}

/// A failure whose status was lost in the line.
fn hides_failure(facts: &CallFacts<'_>) -> Option<Seen> {
    let script = facts.script?;
    if facts.end == TracedEnd::Masked {
        let line = facts.reading.as_ref().and_then(|reading| reading.line.clone());
        let stream = facts
            .lines()
            .find(|(_, own)| line.as_deref().is_some_and(|line| own.contains(line)))
            .map_or(Stream::Either, |(s, _)| s);
        return Some(Seen {
            words: Some("its status was lost in the command line".to_owned()),
            line: line.map(|line| (stream, line)),
        });
    }
    // A stage before the last that complains on standard error, which nothing but the pipe hides.
    facts.call.output.stderr()?;
    if script.pipefail {
        return None;
    }
    let hidden_by_or = |at| {
        matches!(script.status_of(at), crate::shell::Fate::Lost(Loss::Or))
            && facts.call.exit_code == Some(0)
            && script.alternative(at).is_some_and(|c| matches!(c.name(), "true" | ":"))
    };
    // A poll may fail; who takes its answer apart counts on one.
    let reads_data =
        |at| script.readers(at).any(|reader| ["jq", "yq", "python", "python3", "node"].contains(&reader.name()));
    let lost = |program: &str| {
        script.programs().any(|(at, command)| {
            command.program == program
                && (!command.is(Trait::Polls) || reads_data(at))
                && (matches!(script.status_of(at), crate::shell::Fate::Lost(Loss::Pipe)) || hidden_by_or(at))
                && !command.silences_errors()
        })
    };
    const FAULTS: &[&str] = &[
        "no such file",
        "not found",
        "permission denied",
        "error",
        "fatal",
        "cannot",
        "invalid",
        "failed",
        "refused",
        "unknown",
    ];
    let (_, line) = facts.lines().filter(|(stream, _)| *stream == Stream::Stderr).find(|(_, line)| {
        let lower = line.to_ascii_lowercase();
        let named =
            script.programs().any(|(_, command)| begins_with_name(line, &command.program) && lost(&command.program));
        let piped =
            || script.programs().any(|(at, _)| matches!(script.status_of(at), crate::shell::Fate::Lost(Loss::Pipe)));
        named && FAULTS.iter().any(|fault| lower.contains(fault)) || begins_as_error(line) && piped()
    })?;
    Some(Seen {
        words: Some("the line reports the status of something else".to_owned()),
        line: Some((Stream::Stderr, line.to_owned())),
    })
}

/// An error line at the beginning of standard error, and a status of 0.
fn complains_and_passes(facts: &CallFacts<'_>) -> Option<Seen> {
    facts.call.output.stderr()?;
    let script = facts.script?;
    let alone = script.programs().count() == 1 && facts.call.exit_code == Some(0);
    let tests = facts.reading.as_ref().is_some_and(|reading| reading.result == RunResult::Passed);
    // `psql:seed.sql:3: ERROR:  ...`: the program names itself and the place before it.
    let of_program =
        |line: &str| begins_with_name(line, facts.program()) && crate::text::start(line, 80).contains(": ERROR: ");
    let first = facts
        .lines()
        .find(|(stream, _)| *stream == Stream::Stderr)
        .filter(|(_, line)| begins_as_error(line) || of_program(line))?;
    (alone && !tests && !facts.displays()).then(|| Seen::line(first.0, first.1))
}

/// The words by which a server of data structures refuses a command; its client ends with 0 all the same.
const REPLIES: &[&str] = &[
    "ERR",
    "WRONGTYPE",
    "NOPERM",
    "READONLY",
    "OOM",
    "MOVED",
    "LOADING",
    "MISCONF",
    "BUSY",
    "NOGROUP",
    "EXECABORT",
    "CLUSTERDOWN",
    "NOSCRIPT",
    "BUSYGROUP",
];

/// A client that prints what the server refused as any other answer.
fn answers_with_fault(facts: &CallFacts<'_>) -> Option<Seen> {
    let asks = facts.is_program(&["redis-cli", "valkey-cli", "keydb-cli"]) && facts.prints();
    let (stream, line) = facts.lines().next().filter(|_| asks)?;
    let refused =
        line.strip_prefix("(error) ").unwrap_or(line).split_once(' ').is_some_and(|(word, _)| REPLIES.contains(&word));
    refused.then(|| Seen::line(stream, line))
}

/// A parser at the end of a pipe that got nothing, because the program before it complained: both end with 0.
fn feeds_nothing(facts: &CallFacts<'_>) -> Option<Seen> {
    let script = facts.script?;
    let fed = script.programs().any(|(at, command)| {
        at.stage > 0 && command.is(Trait::Filters) && !has_word(command, &["-n", "--null-input", "-e", "--exit-status"])
    });
    let polls = script.programs().any(|(_, command)| command.is(Trait::Polls));
    if !fed || polls || script.pipefail || !facts.stdout().trim().is_empty() || facts.call.exit_code != Some(0) {
        return None;
    }
    let quiet = |line: &str| {
        let lower = line.to_ascii_lowercase();
        ["warn", "info", "note", "debug", "deprecat", "notice"].iter().any(|word| lower.contains(word))
    };
    let (stream, line) = facts.lines().find(|(stream, line)| *stream == Stream::Stderr && !quiet(line))?;
    Some(Seen {
        words: Some("the parser at the end of the pipe was given nothing".to_owned()),
        line: Some((stream, line.to_owned())),
    })
}

/// A warning that a value was stored shorter than it was given.
fn warns_of_cut(facts: &CallFacts<'_>) -> Option<Seen> {
    facts.call.output.stderr()?;
    let (stream, line) = facts.line_with(&["truncat"]).filter(|(stream, _)| *stream == Stream::Stderr)?;
    let warns = line.len() < 300 && line.to_ascii_lowercase().starts_with("warning");
    (warns && !facts.displays()).then(|| Seen::line(stream, line))
}

/// Colours in what was asked for as data.
fn colours_data(facts: &CallFacts<'_>) -> Option<Seen> {
    let text = facts.stdout();
    if !text.contains('\u{1b}') || !facts.prints() || facts.displays() {
        return None;
    }
    let wanted = facts.has_word(&["--color", "--colour"])
        && facts.command().is_some_and(|c| c.args.iter().any(|a| a.ends_with("=always") || a.ends_with("=force")));
    let plain = crate::reading::clean::clean(text);
    let data = facts.asks_json() || plain.trim().starts_with(['{', '[']) && is_json(&plain);
    (data && !wanted && !is_json(text)).then(|| Seen::words("the data on stdout contains escape sequences"))
}

/// Colours that the call itself asked for, in output that nobody sees.
fn forced_colours(facts: &CallFacts<'_>) -> Option<Seen> {
    let asked = facts.script.into_iter().flat_map(Script::programs).any(|(_, command)| {
        command
            .args
            .iter()
            .any(|arg| matches!(arg.as_str(), "--color" | "--colour" | "--color=always" | "--colour=always"))
    });
    let escapes = |text: &str| text.contains('\u{1b}') || text.contains("\\033");
    let printed = escapes(facts.stdout()) || facts.call.output.stderr().is_some_and(escapes);
    (asked && printed).then(|| Seen::words("the call asks for colours, and the output contains their escape sequences"))
}

/// Whether a line tells of a newer version.
fn is_update(facts: &CallFacts<'_>, line: &str) -> bool {
    line.len() < 240 && facts.found(K::UpdateTold).any(|(_, found)| found.line.trim() == line.trim())
}

/// A notice of a newer version among data.
fn announces_update(facts: &CallFacts<'_>) -> Option<Seen> {
    if !is_data(facts) {
        return None;
    }
    let text = facts.stdout().trim();
    let (stream, line) =
        facts.lines().filter(|(stream, _)| *stream == Stream::Stdout).find(|(_, line)| is_update(facts, line))?;
    (!is_json(text)).then(|| Seen::line(stream, line))
}

/// Where a JSON value begins behind lines that are none, and those lines.
fn data_behind(text: &str) -> Option<(&str, &str)> {
    let mut at = 0;
    for line in text.split_inclusive('\n').take(200) {
        if at > 0 && line.trim_start().starts_with(['{', '[']) {
            let (before, rest) = text.split_at(at);
            if is_json(rest) {
                return Some((before, rest));
            }
        }
        at += line.len();
    }
    None
}

/// Lines of somebody else before the data that was asked for.
fn mixes_lines_into_data(facts: &CallFacts<'_>) -> Option<Seen> {
    if !is_data(facts) {
        return None;
    }
    let text = facts.stdout().trim();
    if text.starts_with(['{', '[']) && !text.starts_with("[[") && is_json(text) {
        return None;
    }
    let (before, _) = data_behind(text)?;
    let first = before.lines().map(str::trim).find(|line| !line.is_empty())?;
    let other = before.lines().any(|line| is_update(facts, line))
        || first.to_ascii_lowercase().starts_with("usage")
        || first.contains('\u{1b}')
        || first.starts_with(['{', '[']) && is_json(first);
    (!other).then(|| Seen::line(Stream::Stdout, first))
}

/// Data that was broken at the width of a terminal.
fn wraps_data(facts: &CallFacts<'_>) -> Option<Seen> {
    let text = facts.stdout().trim();
    if !facts.prints()
        || !text.starts_with(['{', '['])
        || text.len() > LARGEST_VALUE
        || is_json(text)
        || !facts.asks_json()
    {
        return None;
    }
    let width = text.lines().map(|line| line.chars().count()).max()?;
    let joined: String = text.lines().collect();
    (width >= 60 && is_json(&joined)).then(|| Seen::words(format!("a value is broken over lines at column {width}")))
}

/// A record a line, where a value was asked for.
fn streams_records(facts: &CallFacts<'_>) -> Option<Seen> {
    let lines = || facts.stdout().trim().lines();
    let asked = facts
        .command()
        .is_some_and(|command| command.has_arg("--json") || asks_json(command) && !has_word(command, &["--format"]));
    let named = facts.has_word(&["--jsonl", "--ndjson", "--stream", "jsonl", "ndjson", "--follow", "-f"]);
    if !asked || named || !is_data(facts) || facts.is_program(&["cargo", "rg", "go", "docker", "journalctl", "kubectl"])
    {
        return None;
    }
    let records = lines().count();
    let all = records >= 2
        && lines().all(|line| line.starts_with('{') && line.ends_with('}'))
        && lines().take(20).all(is_json);
    all.then(|| Seen::words(format!("stdout has {records} values, one a line")))
}

/// Words for people where data was asked for.
fn answers_in_prose(facts: &CallFacts<'_>) -> Option<Seen> {
    if !is_data(facts) {
        return None;
    }
    let text = facts.stdout().trim();
    let boxed = text
        .lines()
        .take(50)
        .filter(|line| {
            line.contains(['│', '┃', '║', '─', '━', '┌', '└', '╭'])
                || line.starts_with('|') && line.ends_with('|')
                || line.starts_with("+--")
        })
        .count()
        >= 3;
    let sentence = text.lines().next().filter(|line| line.split_whitespace().count() >= 3 && line.len() < 200);
    let any = text.lines().take(200).any(|line| line.trim_start().starts_with(['{', '[', '"']) || is_json(line));
    let asked = facts.command().is_some_and(|command| {
        !command.args.iter().any(|arg| arg.starts_with("--json=") || arg.to_ascii_lowercase().contains(".json"))
    });
    let first = text.lines().next().unwrap_or_default();
    (asked && (boxed || sentence.is_some()) && !text.is_empty() && !any).then(|| Seen::line(Stream::Stdout, first))
}

/// The lengths at which services cut their first page.
const PAGES: &[usize] = &[20, 25, 30, 50, 100, 200, 250, 500, 1000];
/// Fields that tell whether there is more.
const CURSORS: &[&str] = &[
    "cursor",
    "has_more",
    "hasmore",
    "next",
    "total",
    "page",
    "count",
    "nexttoken",
    "next_token",
    "continue",
    "links",
    "_links",
    "pageinfo",
    "remaining",
    "limit",
];

fn ends_at_round_number(facts: &CallFacts<'_>) -> Option<Seen> {
    let service = asks_service(facts);
    if !is_data(facts) && !service
        || facts.has_word(&[
            "--limit",
            "-L",
            "--per-page",
            "--all",
            "--paginate",
            "-n",
            "--max-items",
            "--page-size",
            "--max-results",
            "--first",
            "--top",
        ])
    {
        return None;
    }
    let value = parsed_output(facts)?;
    let tells = |fields: &serde_json::Map<String, Value>| {
        fields.keys().any(|key| CURSORS.iter().any(|word| key.to_ascii_lowercase().contains(word)))
    };
    let list = match &value {
        Value::Array(items) => items,
        Value::Object(fields) if !tells(fields) => {
            fields.values().filter_map(Value::as_array).max_by_key(|list| list.len())?
        }
        _ => return None,
    };
    let records = list.iter().all(Value::is_object);
    let lists = facts.operands().any(|word| {
        matches!(
            word.split('.').next().unwrap_or_default(),
            "list" | "ls" | "search" | "get" | "query" | "find" | "api"
        )
    });
    (PAGES.contains(&list.len()) && records && (lists || service)).then(|| {
        Seen::words(format!(
            "the list ends after exactly {} records and does not say whether there are more",
            list.len()
        ))
    })
}

/// Whether a page of a service is asked for, and the request says nothing of pages.
fn asks_service(facts: &CallFacts<'_>) -> bool {
    let Some(command) = facts.command() else { return false };
    let sends = has_word(
        command,
        &[
            "-d",
            "--data",
            "--data-raw",
            "--data-binary",
            "--json",
            "-F",
            "--form",
            "-T",
            "-X",
            "--request",
            "POST",
            "PUT",
        ],
    );
    let paged = |arg: &String| {
        let query = arg.split_once('?').map_or("", |(_, query)| query).to_ascii_lowercase();
        ["limit", "page", "size", "count", "cursor", "offset", "per_", "first", "top"].iter().any(|w| query.contains(w))
    };
    is_request(command)
        && !sends
        && !command.args.iter().any(paged)
        && facts.prints()
        && facts.call.output.stderr().is_some()
}

/// An answer that says in a field of its own that there is a next page.
fn has_next_page(facts: &CallFacts<'_>) -> Option<Seen> {
    if !is_data(facts) && !asks_service(facts) {
        return None;
    }
    const MORE: &[&str] = &["has_more", "hasmore", "has_next", "hasnextpage", "has_next_page"];
    const NEXT: &[&str] = &[
        "next",
        "next_page",
        "next_cursor",
        "nextcursor",
        "next_token",
        "nexttoken",
        "nextpagetoken",
        "next_page_token",
    ];
    const INSIDE: &[&str] =
        &["meta", "metadata", "pagination", "paging", "page", "pageinfo", "page_info", "links", "_links"];
    let value = parsed_output(facts)?;
    let fields = value.as_object()?;
    let inside = fields.iter().filter(|(name, _)| INSIDE.contains(&name.to_ascii_lowercase().as_str()));
    let all = std::iter::once(fields).chain(inside.filter_map(|(_, value)| value.as_object()));
    let tells = |(name, value): (&String, &Value)| {
        let name = name.to_ascii_lowercase();
        let filled = value.as_str().is_some_and(|text| !text.is_empty()) || value.is_number() || value.is_object();
        MORE.contains(&name.as_str()) && value == &Value::Bool(true) || NEXT.contains(&name.as_str()) && filled
    };
    // A field beside a list is about the list.
    let lists = fields.values().any(Value::is_array);
    let name = all.flatten().find(|field| tells(*field)).filter(|_| lists)?.0;
    Some(Seen::words(format!("the field `{}` says that this is not all", crate::text::start(name, 40))))
}

/// A listing that says that it shows a part.
fn says_there_is_more(facts: &CallFacts<'_>) -> Option<Seen> {
    let shows = facts.command().is_some_and(|command| command.is(Trait::Shows) || command.is(Trait::Displays));
    if shows || !facts.prints() {
        return None;
    }
    let (stream, found) = facts.found(K::MoreToList).find(|(_, found)| found.line.len() < 160)?;
    let line = found.line;
    // `Showing 30 of 30` is all there is.
    let number = |text: &str, last: bool| {
        let mut numbers = text.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse::<u64>().ok());
        if last { numbers.next_back() } else { numbers.next() }
    };
    let partial = line.split_once(" of ").is_none_or(|(shown, all)| number(shown, true) < number(all, false));
    partial.then(|| Seen::line(stream, line))
}

/// More lines about the work than data.
fn talks_too_much(facts: &CallFacts<'_>) -> Option<Seen> {
    if facts.displays() || !facts.prints() {
        return None;
    }
    let is_log = |line: &str| {
        if [
            "npm silly ",
            "npm verbose ",
            "npm http ",
            "npm info ",
            "Get:",
            "Hit:",
            "Unpacking ",
            "Setting up ",
            "Selecting previously",
            "Preparing to unpack",
            "Downloading ",
            "Fetched ",
        ]
        .iter()
        .any(|mark| line.starts_with(mark))
        {
            return true;
        }
        // Behind the time stands the level.
        let level = |word: &str| matches!(word.trim_end_matches(':'), "DEBUG" | "TRACE" | "INFO" | "VERBOSE");
        if line.starts_with(|c: char| c.is_ascii_digit()) && line.split_whitespace().skip(1).take(3).any(level) {
            return true;
        }
        let line = line.trim_start().to_ascii_uppercase();
        ["[DEBUG]", "[TRACE]", "[INFO]", "DEBUG:", "TRACE:", "DEBUG ", "TRACE "].iter().any(|mark| {
            line.starts_with(mark)
                || line.get(..60.min(line.len())).is_some_and(|head| head.contains(mark) && mark.starts_with('['))
        })
    };
    let (mut all, mut logs) = (0_u32, 0_u32);
    for (_, line) in facts.lines() {
        all += 1;
        logs += u32::from(is_log(line));
    }
    (all > 40 && logs * 2 > all).then(|| Seen::words(format!("{logs} of {all} lines are log lines")))
}

/// The shortest run of an alphabet that says nothing to anybody.
const OPAQUE: usize = 200;

/// Tokens and blobs among the output.
fn shows_opaque_text(facts: &CallFacts<'_>) -> Option<Seen> {
    if facts.displays() || !facts.prints() || facts.is_program(&["base64", "gpg", "ssh-keygen", "xxd", "git"]) {
        return None;
    }
    let text = facts.stdout();
    if text.len() > LARGEST_VALUE {
        return None;
    }
    let is_token = |word: &str| {
        let mut parts = word.split('.');
        matches!((parts.next(), parts.next(), parts.next()), (Some(head), Some(body), Some(_)) if head.starts_with("eyJ") && head.len() >= 20 && body.len() >= 20)
    };
    let words = || text.split(|c: char| c.is_whitespace() || "\"',:;<>()[]{}".contains(c));
    let blob = |word: &str| {
        word.len() >= OPAQUE
            && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"+/=_-".contains(&b))
            && word.bytes().any(|b| b.is_ascii_digit())
            && word.bytes().any(|b| b.is_ascii_uppercase())
            && word.bytes().any(|b| b.is_ascii_lowercase())
    };
    let hex = |word: &str| {
        word.len() >= 128
            && word.bytes().all(|b| b.is_ascii_hexdigit())
            && word.bytes().any(|b| b.is_ascii_digit())
            && word.bytes().any(|b| b.is_ascii_alphabetic())
    };
    words()
        .any(|word| is_token(word) || blob(word) || hex(word))
        .then(|| Seen::words("stdout contains a long opaque string"))
}

/// From so many characters on an encoded file is not looked at by anybody.
const ENCODED: usize = 1000;

/// A file that was printed in an encoding for machines.
fn encodes_file(facts: &CallFacts<'_>) -> Option<Seen> {
    let decodes = facts.has_word(&["-d", "-D", "--decode"]);
    let length = facts.stdout().trim().len();
    (facts.is_program(&["base64", "base32", "basenc"]) && facts.prints() && !decodes && length >= ENCODED)
        .then(|| Seen::words(format!("stdout contains {length} characters of an encoded file")))
}

/// A value of the call that comes back shorter.
fn shortens_value(facts: &CallFacts<'_>) -> Option<Seen> {
    const VERBS: &[&str] = &["create", "update", "set", "add", "edit", "put", "post", "new", "rename", "patch"];
    let command = facts.command()?;
    let posts = has_word(command, &["-d", "--data", "--data-raw", "--json", "POST", "PUT"]) && is_request(command);
    if !facts.prints() || !posts && !command.subcommands().take(3).any(|word| VERBS.contains(&word)) {
        return None;
    }
    let value = parsed_output(facts)?;
    let mut texts = Vec::new();
    collect_texts(&value, &mut texts);
    let shortened = |arg: &str| {
        texts.iter().find(|text| {
            text.len() >= 8
                && text.len() < arg.len()
                && arg.starts_with(text.trim_end_matches('…').trim_end_matches("..."))
        })
    };
    let mut given = given_texts(command).into_iter().filter(|arg| arg.len() >= 16 && !texts.contains(&arg.as_str()));
    let found = given.find_map(|arg| shortened(&arg))?;
    Some(Seen::words(format!("the stored value ends after {} characters", found.chars().count())))
}

/// The texts that a command sends: its words, and those in the JSON among them.
fn given_texts(command: &crate::shell::Command) -> Vec<String> {
    let mut given = command.args.clone();
    for arg in &command.args {
        if let Ok(value) = serde_json::from_str::<Value>(arg) {
            let mut texts = Vec::new();
            collect_texts(&value, &mut texts);
            given.extend(texts.into_iter().map(str::to_owned));
        }
        given.extend(arg.split_once('=').map(|(_, value)| value.to_owned()));
    }
    given
}

fn collect_texts<'v>(value: &'v Value, texts: &mut Vec<&'v str>) {
    match value {
        Value::String(text) if texts.len() < 256 => texts.push(text),
        Value::Array(items) => items.iter().take(64).for_each(|item| collect_texts(item, texts)),
        Value::Object(fields) => fields.values().take(64).for_each(|item| collect_texts(item, texts)),
        _ => {}
    }
}

/// Work that was only begun.
fn starts_job(facts: &CallFacts<'_>) -> Option<Seen> {
    if facts.displays() || !facts.prints() || facts.is_silent() {
        return None;
    }
    const BEGUN: &[&str] =
        &["queued", "pending", "running", "accepted", "in_progress", "processing", "submitted", "scheduled"];
    let command = facts.command()?;
    let begins = has_word(command, &["--async", "--no-wait", "-d", "--data", "--data-raw", "POST", "-XPOST"])
        || command.subcommands().take(4).any(|word| {
            matches!(word, "start" | "create" | "submit" | "restart" | "run" | "deploy" | "export" | "import")
        });
    if begins
        && let Some(fields) = parsed_output(facts).as_ref().and_then(Value::as_object)
        && (fields.contains_key("id") || fields.contains_key("name") || fields.contains_key("job_id"))
        && let Some(status) = fields
            .get("status")
            .or_else(|| fields.get("state"))
            .and_then(Value::as_str)
            .filter(|s| BEGUN.contains(&s.to_ascii_lowercase().as_str()))
    {
        return Some(Seen::words(format!("the answer is an id and the status `{}`", status.to_ascii_lowercase())));
    }
    // Where work is handed over and nothing but a number of it comes back.
    let hands_over =
        command.subcommands().take(4).any(|word| matches!(word, "call" | "submit" | "enqueue" | "dispatch"));
    if hands_over && is_number_of_job(facts.stdout().trim()) {
        return Some(Seen::words("the answer is the number of a job and nothing else"));
    }
    let few = facts.lines().count() <= 12;
    let (stream, found) = facts.found(K::JobBegun).find(|(_, found)| found.line.len() < 160)?;
    (few && !facts.has_word(&["--wait", "--watch"])).then(|| Seen::line(stream, found.line))
}

/// Whether a text is nothing but a number of the form `8-4-4-4-12`.
fn is_number_of_job(text: &str) -> bool {
    let lengths = text.split('-').map(str::len);
    lengths.eq([8, 4, 4, 4, 12]) && text.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
}

/// Nothing, where data was asked for.
fn says_nothing(facts: &CallFacts<'_>) -> Option<Seen> {
    let command = facts.command()?;
    let script = facts.script?;
    let asked = facts.asks_json()
        && command.known.is_none_or(|program| program.has(Trait::Interpreter))
        && script.programs().count() == 1
        && facts.call.exit_code == Some(0);
    let own =
        !command.is_by_path() && !has_word(command, &["--out", "--output-file", "-o", "--quiet", "-q", "--watch"]);
    (asked && own && facts.prints() && facts.is_silent())
        .then(|| Seen::words("JSON was asked for, and nothing was printed"))
}

/// The length from which on an output floods a context by itself; and the one at which the client cuts.
const FLOOD: u64 = 50_000;
const CLIENT_CUT: u64 = 30_000;

/// More output than a context should hold.
fn floods(facts: &CallFacts<'_>) -> Option<Seen> {
    let stdout = facts.stdout();
    let size = match facts.call.printed {
        Some(printed) if printed > CLIENT_CUT => printed,
        _ if cut_out(stdout).is_some() => cut_out(stdout).unwrap_or_default() + stdout.chars().count() as u64,
        _ if facts.call.truncated => facts.call.size().max(CLIENT_CUT + 1),
        _ if stdout.len() as u64 <= FLOOD => return None,
        _ => stdout.chars().count() as u64,
    };
    let least = if size == CLIENT_CUT + 1 { "more than " } else { "" };
    let size = size - u64::from(!least.is_empty());
    Some(Seen::words(format!("the call printed {least}{} characters", crate::text::count(size))))
}

/// How many characters the client says that it cut out.
fn cut_out(text: &str) -> Option<u64> {
    let (before, _) = text.split_once(" characters truncated] ...")?;
    before.rsplit_once("... [")?.1.replace(',', "").parse().ok()
}

// ---- calls that failed ----

/// The usage on standard output, and nothing on standard error.
fn usage_on_stdout(facts: &CallFacts<'_>) -> Option<Seen> {
    if facts.call.output.stderr().is_none_or(|stderr| !stderr.trim().is_empty()) {
        return None;
    }
    let (stream, line) = facts.lines().next()?;
    let lower = line.to_ascii_lowercase();
    let asked = facts.has_word(&["--help", "-h", "help"]);
    (!asked && (lower.starts_with("usage:") || lower.starts_with("usage ") || lower == "usage"))
        .then(|| Seen::line(stream, line))
}

/// The whole usage on standard output beside a line on standard error that says what is wrong.
fn floods_with_usage(facts: &CallFacts<'_>) -> Option<Seen> {
    let said = facts.call.output.stderr()?.lines().filter(|line| !line.trim().is_empty()).count();
    let text = facts.stdout().trim();
    let begins = |line: &str| line.trim_start().to_ascii_lowercase().starts_with("usage");
    let line = text.lines().take(5).find(|line| begins(line))?;
    let asked = facts.has_word(&["--help", "-h", "help"]);
    (!asked && (1..=3).contains(&said) && text.lines().count() >= LONG_USAGE)
        .then(|| Seen::line(Stream::Stdout, line.trim()))
}

/// From so many lines on a usage hides the line that says what is wrong.
const LONG_USAGE: usize = 20;

/// An error on standard output, and nothing on standard error.
fn error_on_stdout(facts: &CallFacts<'_>) -> Option<Seen> {
    let silent = facts.call.output.stderr().is_some_and(|stderr| stderr.trim().is_empty());
    let command = facts.command()?;
    if !silent
        || !not_a_test(facts)
        || [Trait::Tasks, Trait::Compiles, Trait::Checks].into_iter().any(|w| command.is(w))
    {
        return None;
    }
    let (stream, line) = facts.lines().next()?;
    let named =
        line.strip_prefix(&command.program).is_some_and(|rest| rest.to_ascii_lowercase().starts_with(" error:"));
    (named && facts.lines().count() <= 5).then(|| Seen::line(stream, line))
}

/// An escape sequence that a parser met.
fn refused_escapes(facts: &CallFacts<'_>) -> Option<Seen> {
    const SAYS: &[&str] = &["\\u001b", "\\x1b", "0x1b", "\\033"];
    let says = facts.possible_words(SAYS);
    let (stream, line) = facts.lines().filter(|_| !says.is_empty()).find(|(_, line)| {
        let lower = line.to_ascii_lowercase();
        says.iter().any(|sign| lower.contains(sign))
            && ["unexpected", "invalid", "parse", "control character", "decode"].iter().any(|word| lower.contains(word))
    })?;
    Some(Seen::line(stream, line))
}

/// How a fault begins that prints where it happened and not what to do.
const TRACES: &[&str] = &[
    "Traceback (most recent call last)",
    "panic: ",
    "Exception in thread ",
    "Unhandled exception",
    "UnhandledPromiseRejection",
    "Uncaught Exception",
    "goroutine 1 [running]",
    "Fatal error: Uncaught",
    "fatal error: unexpected signal",
    "Execution halted",
    "Operand stack:",
    "stack backtrace:",
];

fn faults(facts: &CallFacts<'_>) -> Option<Seen> {
    if !not_a_test(facts) || facts.displays() {
        return None;
    }
    let begins = |line: &str| {
        TRACES.iter().any(|start| line.starts_with(start))
            || line.starts_with("thread '") && line.contains("panicked at")
            || line.starts_with("node:internal/")
    };
    let stack = || {
        facts.lines().filter(|(_, line)| line.starts_with("at ") && line.ends_with(')') && line.contains(':')).nth(1)
    };
    let found = facts.lines().find(|(_, line)| begins(line)).or_else(stack)?;
    // The last line of a trace says what happened.
    let told = facts.reading.as_ref().and_then(|reading| reading.line.as_deref());
    match told {
        Some(line) => Some(Seen::line(super::arguments::stream_of(facts, line), line)),
        None => Some(Seen::line(found.0, found.1)),
    }
}

/// An error of a word or two.
fn says_little(facts: &CallFacts<'_>) -> Option<Seen> {
    if !not_a_test(facts) || facts.displays() {
        return None;
    }
    let mut lines = facts.lines();
    let (Some((stream, line)), None) = (lines.next(), lines.next()) else { return None };
    /// Words of a line that says that something failed, and not what.
    const SAY_NOTHING: &[&str] = &["an", "error", "failed", "failure", "fail", "occurred", "oops", "unknown", "null"];
    const OF_THE_CALL: &[&str] = &["operation", "command", "undefined"];
    let says_nothing = |word: &str| SAY_NOTHING.contains(&word) || OF_THE_CALL.contains(&word);
    let lower = line.to_ascii_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).peekable();
    (words.peek().is_some() && words.all(says_nothing)).then(|| Seen::line(stream, line))
}
