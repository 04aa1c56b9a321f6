//! `failwise replay`: what the rules say of past sessions.

mod print;

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use failwise::classify::{Ruleset, ruleset};
use failwise::error::Error;
use failwise::exit::Exit;
use failwise::history::{Line, parse};
use failwise::host::payload::Kind;
use failwise::host::transcript::{Entry, Skip, Told, Transcript};
use failwise::journal::read_lines;
use failwise::replay::Replay;

use crate::style::shown;

/// Replay transcripts and histories: every failed call with its verdict, and a summary
///
/// Takes Claude Code transcripts (~/.claude/projects/*/*.jsonl), streams of `claude -p --output-format stream-json` and
/// Failwise's own history.jsonl. There is one row for every result that the client marked as an error, and for masked
/// and later background failures. Nothing is written.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Files to replay, in the order given; of a folder every .jsonl below it
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// How rows are printed
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// Rules that decide: default, or classic (the inherited nine, to the letter)
    #[arg(long, default_value = "default", value_name = "NAME")]
    ruleset: String,
    /// End with 1 where a recorded verdict differs from the one that the rules give now
    #[arg(long)]
    check: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Table,
    /// One JSON object: the analysis of all sessions
    Json,
    /// One JSON object a row; the totals go to stderr
    Jsonl,
    /// One line of values a row, under a line of names; the totals go to stderr
    Csv,
}

pub(crate) fn run(args: &Args) -> crate::Outcome {
    let ruleset = known_ruleset(&args.ruleset)?;
    let mut replay = Replay::new(ruleset);
    let mut base = 0;
    let files: Vec<PathBuf> = args.paths.iter().flat_map(|path| files_of(path)).collect();
    if files.is_empty() {
        return Err(Error::unreadable("no .jsonl file lies below what was given")
            .hint("transcripts lie below ~/.claude/projects")
            .into());
    }
    for file in files {
        base += feed(&mut replay, &file, base)?;
    }
    let replayed = replay.finish();
    let differing = replayed.differing();
    print::replayed(&replayed, args.format)?;
    Ok(if args.check && differing > 0 { Exit::Differs } else { Exit::Ok })
}

/// A file itself, or every transcript and history below a folder, by name.
pub(crate) fn files_of(path: &Path) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.to_owned()];
    }
    let below = walkdir::WalkDir::new(path).sort_by_file_name().into_iter().filter_map(Result::ok);
    below
        .map(walkdir::DirEntry::into_path)
        .filter(|path| path.extension().is_some_and(|ending| ending == "jsonl") && path.is_file())
        .collect()
}

/// The ruleset that a person names.
pub(crate) fn known_ruleset(name: &str) -> Result<&'static Ruleset, Error> {
    ruleset(name).ok_or_else(|| {
        Error::usage(format!("there is no ruleset `{}`", shown(name, 40))).hint("take `default` or `classic`")
    })
}

/// Replays one file and tells how far its places reach: files are one history, in the order given.
pub(crate) fn feed(replay: &mut Replay, path: &Path, base: u64) -> Result<u64, Error> {
    let name = path.display();
    let failed = |error: std::io::Error| Error::from(std::io::Error::new(error.kind(), format!("{name}: {error}")));
    let mut transcript: Option<Transcript> = None;
    let mut kind = None;
    let mut understood = 0_u64;
    let mut lines = 0_u64;
    let mut length = 0_u64;
    read_lines(path, |at, line| {
        length = at + line.len() as u64;
        let text = String::from_utf8_lossy(line);
        if text.trim().is_empty() {
            return;
        }
        lines += 1;
        replay.from_line(&name.to_string(), lines);
        match *kind.get_or_insert_with(|| Source::of(&text)) {
            Source::History => understood += u64::from(feed_event(replay, base + at, line)),
            Source::Transcript => {
                let transcript = transcript.get_or_insert_with(Transcript::new);
                for entry in transcript.line(&text) {
                    understood += 1;
                    feed_entry(replay, &entry);
                }
            }
        }
    })
    .map_err(failed)?;
    if let Some(transcript) = transcript {
        let told = transcript.finish();
        let unread = told.skipped.iter().filter_map(|(skip, count)| Some((reason_of(*skip)?, *count)));
        for (reason, count) in unread.chain([("a call without a result", told.without_result)]) {
            replay.skipped(reason, count as u64);
        }
    }
    if lines > 0 && understood == 0 && kind == Some(Source::History) {
        return Err(Error::unreadable(format!("{name} holds nothing that can be replayed"))
            .hint("give a Claude Code transcript, a stream-json capture or a history.jsonl"));
    }
    Ok(length)
}

/// Why a line was left out, where that says anything: blank lines and lines about other things are no loss.
fn reason_of(skip: Skip) -> Option<&'static str> {
    match skip {
        Skip::Blank | Skip::NothingInIt => None,
        Skip::TooLong => Some("a line that is too long"),
        Skip::NotJson => Some("a line that is no JSON object"),
        Skip::UnknownType => Some("a line of an unknown type"),
        Skip::ResultWithoutCall => Some("a result without its call"),
        Skip::Duplicate => Some("a copy of a result"),
    }
}

fn feed_entry(replay: &mut Replay, entry: &Entry) {
    let ts = entry.ts.as_deref().unwrap_or_default();
    let kind = match &entry.told {
        Told::Event(kind) => kind.as_ref(),
        Told::Turn { turn, begins } => return replay.turn(&entry.ids, *begins, turn.usage, ts),
        Told::AgentCompleted { agent: Some(agent) } => {
            return replay.agent_completed(entry.ids.session.as_deref(), agent);
        }
        Told::AgentCompleted { agent: None } => return,
    };
    match kind {
        Kind::Call(call) | Kind::ApiError(call) | Kind::Report(call) => replay.call(call, entry.marked_error, ts),
        Kind::Batch(calls) => calls.iter().for_each(|call| replay.call(call, entry.marked_error, ts)),
        Kind::Background { call, .. } => replay.background(call, ts),
        Kind::Prompt => replay.prompt(&entry.ids, ts),
        Kind::SessionStart { .. } | Kind::Stop { .. } | Kind::Other => {}
    }
}

fn feed_event(replay: &mut Replay, at: u64, line: &[u8]) -> bool {
    match parse(line) {
        Line::Event(event) => {
            replay.event(*event, at);
            true
        }
        Line::Blank => true,
        Line::Newer => {
            replay.skipped("a line of a newer version", 1);
            false
        }
        Line::Unreadable => {
            replay.skipped("a line that is no event", 1);
            false
        }
    }
}

/// What kind of file it is, told by its first line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    History,
    Transcript,
}

impl Source {
    fn of(line: &str) -> Self {
        let keys: Option<serde_json::Map<String, serde_json::Value>> = serde_json::from_str(line).ok();
        let has = |key: &str| keys.as_ref().is_some_and(|keys| keys.contains_key(key));
        if has("type") { Self::Transcript } else { Self::History }
    }
}
