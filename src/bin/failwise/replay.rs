//! `failwise replay`: what the rules say of past sessions.

mod print;
mod said;

use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use clap::ValueEnum;
use failwise::classify::{Ruleset, ruleset};
use failwise::error::Error;
use failwise::exit::Exit;
use failwise::journal::read_lines;
use failwise::knowledge::{Learner, Recollections};
use failwise::project::machine_key;
use failwise::replay::{Baseline, Disagreement, Joined, Replay, Replayed};
use failwise::report;
use failwise::sessions::{self, FileRead, FoundFiles, Session, each};

use self::print::ReplayOutput;
use self::said::Listing;
use crate::inputs::{NO_SETTINGS, OfHost, Progress, broken_files};
use crate::style::shown;

/// Replay transcripts and histories: print every failed call with its verdict, and a summary
///
/// Takes session files of Claude Code (~/.claude/projects/*/*.jsonl), Codex, Copilot CLI, Gemini CLI and Qwen Code, and
/// streams of `claude -p --output-format stream-json`. Logs of hook payloads and Failwise's own history.jsonl are read,
/// too, and all of these compressed by gzip. The first lines of a file decide its kind. Every result that the client marked as an error gets a row, as do masked and later background failures.
/// Nothing is written.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "one switch each")]
#[command(after_help = "Examples:
  failwise replay ~/.claude/projects --since 7d
  failwise replay ~/.codex/sessions --since 7d
  failwise replay sessions --against rows.jsonl --check    two runs
  failwise replay sessions --said                          its messages
  failwise replay ~/.claude/projects --said --by-project   of many projects")]
pub(crate) struct ReplayArgs {
    /// Files to replay, `-` for standard input, or folders with .jsonl or .jsonl.gz files
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value = "table")]
    format: ReplayFormat,
    /// Ruleset: default, or classic (the nine inherited rules, to the letter)
    #[arg(long, default_value = "default", value_name = "NAME")]
    ruleset: String,
    /// Show only calls with another verdict in another ruleset or a file, and why. A file has the rows of an earlier run
    /// (--format jsonl) or is a history.jsonl
    #[arg(long, value_name = "RULESET|FILE")]
    against: Option<String>,
    /// Exit with 1 if a recorded verdict differs from the present one; with --against, if the two verdicts differ
    #[arg(long)]
    check: bool,
    /// Also print the calls and the time that the guard would have saved
    #[arg(long, value_enum, value_name = "SETTING")]
    what_if: Option<WhatIf>,
    /// List every message to the agent and the person instead, with the failed call and the next calls; --format table
    /// or json. Lessons come from earlier ones of these sessions. Settings are the defaults unless --settings names a
    /// file
    #[arg(long, conflicts_with_all = ["against", "check", "what_if"])]
    said: bool,
    /// With --said: treat each folder as a project of its own, with its own lessons
    #[arg(long, requires = "said")]
    by_project: bool,
    /// Whose sessions these are, for rows of several people
    #[arg(long, value_name = "NAME", conflicts_with_all = ["against", "said"])]
    person: Option<String>,
    /// Replace the words that nobody but you and yours knows by a hash with this machine's key, and leave out error texts
    #[arg(long, conflicts_with_all = ["against", "said"])]
    anonymise: bool,
    /// Leave out older sessions: a duration such as 30d, 12h or 2w, or a date such as 2026-03-01
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    since: Option<String>,
    #[command(flatten)]
    of: OfHost,
    /// Settings file for all sessions, such as .claude/failwise.toml, or `none`. By default the current project's
    /// settings, for sessions that began in it
    #[arg(long, value_name = "FILE|none")]
    settings: Option<PathBuf>,
    /// Number of sessions read at once; by default the number of processors
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ReplayFormat {
    /// For people
    Table,
    /// One JSON object: the analysis of all sessions
    Json,
    /// One JSON object a row; the totals go to stderr
    Jsonl,
    /// One line a row, under a header line; the totals go to stderr
    Csv,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum WhatIf {
    /// The guard refuses
    #[value(name = "guard=block")]
    GuardBlocks,
}

pub(crate) fn run(args: &ReplayArgs) -> crate::CommandOutcome {
    let ruleset = known_ruleset(&args.ruleset)?;
    let against = args.against.as_deref().map(Against::of).transpose()?;
    let no_file = args.said.then_some(Path::new(NO_SETTINGS));
    let settings = crate::inputs::settings(args.settings.as_deref().or(no_file))?;
    let found = crate::inputs::find(&args.paths, args.since.as_deref())?.of_host(args.of.host);
    let other = against.as_ref().and_then(Against::ruleset);
    let by = |ruleset| Replay::new(ruleset).with_settings(Arc::clone(&settings));
    let recollections = if args.said { Some(Arc::new(recollections(args, &found, || by(ruleset))?)) } else { None };
    let replays = || {
        let first = match (&recollections, args.what_if) {
            (Some(all), _) => by(ruleset).with_messages().with_recollections(Arc::clone(all)),
            (None, Some(WhatIf::GuardBlocks)) => by(ruleset).with_guard(),
            (None, None) => by(ruleset),
        };
        (first, other.map(by))
    };
    let mut told = if args.said {
        Telling::Messages(Listing::begin(args.format)?)
    } else {
        let key = if args.anonymise { Some(machine_key(&crate::env)?) } else { None };
        Telling::Rows(Box::new(Rows { person: args.person.clone(), key, ..Rows::begin(args.format, against)? }))
    };
    let mut broken = Vec::new();
    let mut printed = Ok(());
    let progress = Progress::start(found.bytes(), !std::io::stdout().is_terminal());
    let work = |session: &Session| play(session, replays(), progress.counter());
    each(&found.sessions, crate::inputs::threads(args.threads), work, |session, (replayed, other, reads)| {
        broken.extend(broken_files(session, &reads));
        printed = told.session(replayed, other.as_ref());
        if printed.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    drop(progress);
    printed?;
    crate::inputs::tell_broken(&broken, found.files())?;
    let differing = told.end()?;
    Ok(if args.check && differing > 0 { Exit::Differs } else { Exit::Ok })
}

/// What earlier sessions taught of the failures of later ones. Standard input can be read once only, and teaches nothing.
fn recollections(
    args: &ReplayArgs,
    found: &FoundFiles,
    replay: impl Fn() -> Replay + Sync,
) -> Result<Recollections, Error> {
    // What is older than --since is not listed, and taught all the same.
    let files = args.paths.iter().filter(|path| *path != Path::new("-")).cloned().collect::<Vec<PathBuf>>();
    let all = args.since.as_ref().map(|_| sessions::find(&files, None)).transpose()?;
    let all = all.map(|all| all.of_host(args.of.host));
    let all = all.as_ref().unwrap_or(found);
    let progress = Progress::start(all.bytes(), true);
    let work = |session: &Session| {
        let is_file = session.files.iter().all(|file| file.path().is_some());
        if !is_file {
            return Vec::new();
        }
        let mut replays = vec![replay().without_rows().with_lessons(Learner::new(None).with_deeds())];
        session.play(&mut replays, progress.counter());
        replays.pop().map(Replay::finish).unwrap_or_default().past()
    };
    let mut past = Vec::new();
    each(&all.sessions, crate::inputs::threads(args.threads), work, |_, sessions| {
        past.extend(sessions);
        ControlFlow::Continue(())
    });
    Ok(Recollections::of(past, args.by_project))
}

/// What is told of sessions, one after the other.
enum Telling {
    Rows(Box<Rows>),
    Messages(Listing),
}

impl Telling {
    fn session(&mut self, replayed: Replayed, other: Option<&Replayed>) -> Result<(), crate::CommandFailure> {
        match self {
            Self::Rows(rows) => rows.session(replayed, other),
            Self::Messages(listing) => listing.session(replayed),
        }
    }

    /// Tells what stands at the end, and gives the number of differences.
    fn end(self) -> Result<u64, crate::CommandFailure> {
        match self {
            Self::Rows(rows) => rows.end(),
            Self::Messages(listing) => listing.end().map(|()| 0),
        }
    }
}

/// Rows, and what they come to.
struct Rows {
    format: ReplayFormat,
    output: ReplayOutput,
    against: Option<Against>,
    /// Whose they are, and the key of what stands in place of names.
    person: Option<String>,
    key: Option<String>,
    joined: Joined,
    compared: u64,
    differing: u64,
}

impl Rows {
    fn begin(format: ReplayFormat, against: Option<Against>) -> Result<Self, crate::CommandFailure> {
        let mut output = ReplayOutput::new(format);
        output.begin(against.is_some())?;
        let joined = Joined::default();
        Ok(Self { format, output, against, person: None, key: None, joined, compared: 0, differing: 0 })
    }

    fn session(&mut self, mut replayed: Replayed, other: Option<&Replayed>) -> Result<(), crate::CommandFailure> {
        self.compared += replayed.rows.len() as u64;
        if let Some(against) = &mut self.against {
            let disagreements = against.compare(&replayed, other);
            self.differing += disagreements.len() as u64;
            return self.output.disagreements(&disagreements);
        }
        self.differing += replayed.differing();
        if let Some(person) = self.person.as_deref().map(|person| shown(person, 60)) {
            replayed.rows.iter_mut().for_each(|row| row.person = Some(person.clone()));
            replayed.analysis.sessions.iter_mut().for_each(|session| session.person = Some(person.clone()));
        }
        if let Some(key) = &self.key {
            replayed.rows = report::anonymised_rows(replayed.rows, key);
            replayed.analysis = report::anonymised(replayed.analysis, key);
        }
        // Only the analysis itself shows its lists; they need not wait in memory for it.
        let shown = self.format == ReplayFormat::Json;
        self.joined.add(if shown { replayed.analysis } else { replayed.analysis.totals_only() });
        self.output.rows(&replayed.rows)
    }

    /// Tells what stands at the end, and gives the number of differences.
    fn end(mut self) -> Result<u64, crate::CommandFailure> {
        let Some(against) = &self.against else {
            self.output.analysis(&self.joined.settled(), self.differing)?;
            return Ok(self.differing);
        };
        let unmet = against.unmet();
        self.differing += unmet.len() as u64;
        self.output.disagreements(&unmet)?;
        self.output.compared(self.compared, self.differing)?;
        Ok(self.differing)
    }
}

/// Replays one session, by another ruleset too where one is given, and tells how each of its files could be read.
fn play(
    session: &Session,
    (first, other): (Replay, Option<Replay>),
    counter: &AtomicU64,
) -> (Replayed, Option<Replayed>, Vec<FileRead>) {
    let mut replays: Vec<Replay> = std::iter::once(first).chain(other).collect();
    let reads = session.play(&mut replays, counter);
    let other = if replays.len() > 1 { replays.pop() } else { None };
    let first = replays.pop().map(Replay::finish).unwrap_or_default();
    (first, other.map(Replay::finish), reads)
}

/// What verdicts are compared with.
enum Against {
    Ruleset(&'static Ruleset),
    File(Baseline),
}

impl Against {
    fn of(name: &str) -> Result<Self, Error> {
        if let Some(ruleset) = ruleset(name) {
            return Ok(Self::Ruleset(ruleset));
        }
        let mut baseline = Baseline::default();
        let mut understood = false;
        read_lines(Path::new(name), |_, line| understood |= baseline.line(line)).map_err(|error| {
            match error.kind() {
                std::io::ErrorKind::InvalidInput => error.into(),
                _ => Error::from(error).hint("take `default`, `classic`, or a file of rows or of a history"),
            }
        })?;
        if !understood {
            return Err(Error::unreadable(format!("{name} has neither rows of a replay nor a history"))
                .hint("make rows with `failwise replay PATH --format jsonl`"));
        }
        Ok(Self::File(baseline))
    }

    fn ruleset(&self) -> Option<&'static Ruleset> {
        match self {
            Self::Ruleset(ruleset) => Some(ruleset),
            Self::File(_) => None,
        }
    }

    fn compare(&mut self, replayed: &Replayed, other: Option<&Replayed>) -> Vec<Disagreement> {
        let mut of_rules = Baseline::of_rows(other.map_or(&[], |other| &other.rows));
        let (baseline, is_file) = match self {
            Self::Ruleset(_) => (&mut of_rules, false),
            Self::File(baseline) => (baseline, true),
        };
        let mut found: Vec<Disagreement> = replayed.rows.iter().filter_map(|row| baseline.compare(row)).collect();
        if !is_file {
            found.extend(of_rules.unmet());
        }
        found
    }

    /// The verdicts of a file on calls that no session told of.
    fn unmet(&self) -> Vec<Disagreement> {
        match self {
            Self::Ruleset(_) => Vec::new(),
            Self::File(baseline) => baseline.unmet(),
        }
    }
}

/// The ruleset that a person names.
pub(crate) fn known_ruleset(name: &str) -> Result<&'static Ruleset, Error> {
    ruleset(name).ok_or_else(|| {
        Error::usage(format!("there is no ruleset `{}`", shown(name, 40))).hint("take `default` or `classic`")
    })
}
