//! `failwise kb`: what past sessions taught, for people and scripts.

mod answers;
mod said;
pub(crate) mod share;

use std::collections::BTreeSet;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use chrono::Utc;
use failwise::error::Error;
use failwise::exit::Exit;
use failwise::notify::run_own;
use failwise::place::{self, Place, project_name, session_folders};
use failwise::project::settings_of;
use failwise::sessions::{self, Session};
use failwise::settings::RecallFrom;
use failwise::store::{
    Base, BaseLock, Done, Learning, Memory, StoreFault, histories, imported_projects, is_installed, rebuild, tell,
};

pub(crate) use self::answers::{costs_the_team, fixes};
use crate::inputs::{self, OfHost, Progress};
use crate::people;
use crate::style::{Format, print_json, shown, text_page};

/// How long a command waits for a learner that is at work, before it goes on with what is known.
const PATIENCE: Duration = Duration::from_secs(10);

/// Show what past sessions taught: recurring failures and fixes
///
/// Without a command it lists the recurring failures of this project, the costliest first. Everything is kept on this
/// machine, in a database that `failwise kb rebuild` can rebuild from the histories.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Exit codes: 0 done, 1 refused or nothing found, 64 wrong command line, 65 the database or a file is \
        unreadable, 74 a file could not be read or written.\n\nFAILWISE_BASE=FILE selects another database; \
        FAILWISE_RECALL=off stops learning and advice.\n\nExamples:\n  failwise kb\n  failwise kb show 8146\n  failwise kb mute 8146"
)]
pub(crate) struct KbArgs {
    #[command(subcommand)]
    command: Option<KbCommand>,
    #[command(flatten)]
    list: answers::KbListArgs,
}

#[derive(Debug, clap::Subcommand)]
enum KbCommand {
    List(answers::KbListArgs),
    Show(answers::KbShowArgs),
    Lessons(crate::lessons::LessonsArgs),
    ReportFix(said::ReportFixArgs),
    #[command(after_help = "Examples:\n  failwise kb mute 8146\n  failwise kb mute 8146 --json")]
    Mute(said::PatternArgs),
    /// Mention a muted failure again
    #[command(after_help = "Examples:\n  failwise kb unmute 8146\n  failwise kb unmute 8146 --json")]
    Unmute(said::PatternArgs),
    /// Forget everything known about a failure; later events count again
    #[command(after_help = "Examples:\n  failwise kb forget 8146\n  failwise kb forget 8146 --json")]
    Forget(said::PatternArgs),
    Learn(LearnArgs),
    Rebuild(RebuildArgs),
    Export(share::ExportArgs),
    Import(share::KbImportArgs),
}

/// Learn from new events in your histories, and in given files or folders
///
/// A given file teaches this project only, unless the client keeps it itself. Only people can give files.
/// The hook starts this when a session begins. It exits at once while another learner runs.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  failwise kb learn\n  failwise kb learn --transcripts")]
struct LearnArgs {
    /// Transcripts, histories, or folders of them; by default your own histories
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Include the clients' own sessions: those of Claude Code, Codex, Copilot CLI, Gemini CLI and Qwen Code
    #[arg(long)]
    transcripts: bool,
    #[command(flatten)]
    of: OfHost,
    /// Run at the lowest priority
    #[arg(long)]
    nice: bool,
    /// Stop after this many seconds; the next learner continues from there
    #[arg(long, value_name = "SECONDS")]
    within: Option<u64>,
}

/// Rebuild the database from its sources, and from the stored counts
///
/// An unreadable database is kept as base.sqlite.broken-TIME. A database written by a newer Failwise is left unchanged.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  failwise kb rebuild\n  failwise kb rebuild --transcripts")]
struct RebuildArgs {
    /// Include the clients' own sessions
    #[arg(long)]
    transcripts: bool,
}

pub(crate) fn run(args: &KbArgs) -> crate::CommandOutcome {
    let Some(command) = &args.command else { return answers::list(&args.list) };
    match command {
        KbCommand::List(args) => answers::list(args),
        KbCommand::Show(args) => answers::show(args),
        KbCommand::Lessons(args) => crate::lessons::run(args),
        KbCommand::ReportFix(args) => said::report_fix(args),
        KbCommand::Mute(args) => said::mute(args),
        KbCommand::Unmute(args) => said::unmute(args),
        KbCommand::Forget(args) => said::forget(args),
        KbCommand::Learn(args) => learn(args),
        KbCommand::Rebuild(args) => remake(args),
        KbCommand::Export(args) => share::export(args),
        KbCommand::Import(args) => share::import(args),
    }
}

/// The right to change the base; None where another process has it for longer than this.
fn lock(patience: Duration) -> Result<Option<BaseLock>, Error> {
    let taken = BaseLock::take(&base_path()?, patience);
    taken.map_err(|error| match error.kind() {
        ErrorKind::Unsupported => Error::from(error),
        _ => StoreFault::from(error).into(),
    })
}

/// The right to change the base, for what cannot be done without it.
///
/// # Errors
/// When a learner is at work for long.
pub(crate) fn locked() -> Result<BaseLock, Error> {
    lock(PATIENCE)?.ok_or_else(|| Error::refused("a learner is at work").hint("run it again when that has ended"))
}

pub(crate) fn base_path() -> Result<PathBuf, Error> {
    failwise::store::path(&crate::env).ok_or_else(|| {
        Error::usage("no home folder found, so there is no database").hint("set HOME, or FAILWISE_BASE to a file")
    })
}

/// The time, in milliseconds since 1970.
pub(crate) fn now() -> u64 {
    u64::try_from(Utc::now().timestamp_millis()).unwrap_or_default()
}

/// What is known of a project, after what is new was learned.
fn memory(place: &Place) -> Result<(Base, Memory), Error> {
    let base = caught_up(place)?;
    let own_only = recall_of(place) == RecallFrom::Own;
    let memory = Memory::read(&base, Some(&project_name(&place.project)), own_only, now())?;
    Ok((base, memory))
}

/// The base, after what is new was learned; as it is, where a learner is at work for long.
pub(crate) fn caught_up(place: &Place) -> Result<Base, Error> {
    let path = base_path()?;
    let Some(_lock) = lock(PATIENCE)? else { return Ok(Base::open(&path)?) };
    let mut base = Base::open(&path)?;
    if recall_of(place) != RecallFrom::Off {
        let mut learning = Learning::begin(&mut base, &crate::env)?;
        of_histories(&mut learning, Some(place), None)?;
        let done = learning.finish();
        told(&base, &done.projects)?;
    }
    Ok(base)
}

/// Writes what hooks are to find of these projects.
pub(crate) fn told(base: &Base, projects: &BTreeSet<String>) -> Result<(), StoreFault> {
    let path = crate::env("PATH");
    tell(base, &crate::env, projects, now(), |program| is_installed(path.as_deref(), program))
}

/// Lets a learner work for a moment, where a run or workflow has ended: its hooks left the learning to it, and nothing may be
/// left running. What it does not come to, the next one does.
pub(crate) fn learn_at_last(place: &Place) {
    const MOMENT: Duration = Duration::from_secs(5);
    let is_off = crate::env("CI").is_some_and(|value| !value.is_empty()) || recall_of(place) == RecallFrom::Off;
    if let Some(program) = place::own_program().filter(|_| !is_off) {
        run_own(&program, &["kb", "learn", "--nice", "--within", "5"], &place.project, &crate::env, MOMENT);
    }
}

/// What the base knows as it is, of a project or of all; None where there is none that can be read. For what is shown beside
/// other things, so that nothing is learned first and nothing is said of it.
pub(crate) fn known_now(project: Option<&str>) -> Option<Memory> {
    let path = base_path().ok().filter(|path| path.is_file())?;
    Memory::read(&Base::open(&path).ok()?, project, false, now()).ok()
}

/// The folder of the only project that people call so, where one was learned from.
pub(crate) fn root_called(name: &str) -> Option<PathBuf> {
    let base = Base::open(&base_path().ok().filter(|path| path.is_file())?).ok()?;
    let called = inputs::project_folders().into_iter().filter(|(called, _)| called == name);
    let mut roots = called.filter_map(|(_, folder)| base.root(&folder.file_name()?.to_string_lossy()).ok()?);
    roots.next().filter(|_| roots.next().is_none()).map(PathBuf::from)
}

/// Takes away what is known of a project, and says how many rows these were.
pub(crate) fn forget_project(place: &Place) -> Result<(), Error> {
    let _lock = locked()?;
    let mut base = Base::open(&base_path()?)?;
    let project = project_name(&place.project);
    let folder = place::project_folder(&crate::env, place);
    failwise::store::forget_project(&mut base, folder.as_deref(), &project)?;
    Ok(told(&base, &BTreeSet::from([project]))?)
}

fn recall_of(place: &Place) -> RecallFrom {
    settings_of(&crate::env, Some(place)).0.recall.value
}

/// Learns from this user's histories and from the team's file. `until` is when there is no more time.
fn of_histories(learning: &mut Learning<'_>, place: Option<&Place>, until: Option<Instant>) -> Result<(), StoreFault> {
    for (dir, project) in histories(&crate::env, place) {
        if is_over(until) {
            return Ok(());
        }
        learning.history(&dir, &project)?;
    }
    for project in imported_projects(&crate::env) {
        learning.imports(&project)?;
    }
    if let Some(place) = place {
        learning.team(place)?;
    }
    learning.gone()
}

fn is_over(until: Option<Instant>) -> bool {
    until.is_some_and(|until| Instant::now() >= until)
}

fn learn(args: &LearnArgs) -> crate::CommandOutcome {
    if !args.paths.is_empty() {
        people::not_for_agents("kb learn")?;
    }
    if args.nice {
        give_way();
    }
    let place = crate::place().ok();
    if place.as_ref().is_some_and(|place| recall_of(place) == RecallFrom::Off) {
        inputs::warn("recall is off for this project, so nothing is learned");
        return Ok(Exit::Ok);
    }
    let found = match (args.paths.as_slice(), args.transcripts) {
        ([], false) => None,
        ([], true) => Some(sessions::find(&transcripts(), None)?),
        (paths, _) => Some(inputs::find(paths, None)?),
    };
    let found = found.map(|found| found.of_host(args.of.host));
    let path = base_path()?;
    let Some(lock) = lock(Duration::ZERO)? else {
        inputs::warn("another learner is at work, so this one leaves it to that one");
        return Ok(Exit::Ok);
    };
    let until = args.within.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut base = Base::open(&path)?;
    let here = place.as_ref().map(|place| project_name(&place.project));
    let mut learning = Learning::begin(&mut base, &crate::env)?.of_files_about(here);
    if args.paths.is_empty() {
        of_histories(&mut learning, place.as_ref(), until)?;
    }
    let mut left = 0;
    if let Some(found) = &found {
        let progress = Progress::start(found.bytes(), true);
        left = of_sessions(&mut learning, &found.sessions, &progress, until)?;
    }
    let done = learning.finish();
    told(&base, &done.projects)?;
    inputs::warn(&done_line(&done, left));
    // The one that a hook started sends as well, where the user's settings name an address.
    if args.nice && args.paths.is_empty() && args.within.is_none() {
        drop((base, lock));
        crate::ship::after_learning();
    }
    Ok(Exit::Ok)
}

/// Learns from sessions, and says how many there was no time for.
fn of_sessions(
    learning: &mut Learning<'_>,
    sessions: &[Session],
    progress: &Progress,
    until: Option<Instant>,
) -> Result<usize, StoreFault> {
    for (number, session) in sessions.iter().enumerate() {
        if is_over(until) {
            return Ok(sessions.len() - number);
        }
        learning.session(session, progress.counter())?;
    }
    Ok(0)
}

/// Where the clients keep their sessions.
fn transcripts() -> Vec<PathBuf> {
    let own = place::state_root(&crate::env);
    let is_own = |folder: &PathBuf| own.as_deref().is_some_and(|own| folder.starts_with(own));
    let named = crate::env("FAILWISE_DIR").map(PathBuf::from);
    session_folders(&crate::env)
        .into_iter()
        .filter(|folder| !is_own(folder) && Some(folder) != named.as_ref())
        .collect()
}

fn done_line(done: &Done, left: usize) -> String {
    let Done { sources, read, gone, unreadable, projects } = done;
    let looked = format!("{sources} sources looked at, {read} with something new, of {} projects", projects.len());
    let gone = (*gone > 0).then(|| format!("{gone} were deleted; their lessons are kept"));
    let unread =
        unreadable.first().map(|first| format!("{} not read, such as {}", unreadable.len(), shown(first, 200)));
    let left = (left > 0).then(|| format!("{left} left for the next time"));
    let parts: Vec<String> = [Some(looked), gone, unread, left].into_iter().flatten().collect();
    parts.join("; ")
}

fn remake(args: &RebuildArgs) -> crate::CommandOutcome {
    let path = base_path()?;
    let place = crate::place().ok();
    let _lock = locked()?;
    let (mut base, known, aside) = rebuild(&path, &crate::now())?;
    if let Some(aside) = aside {
        inputs::warn(&format!("the database could not be read; it is kept as {}", aside.display()));
    }
    let mut paths: Vec<PathBuf> = known.into_iter().filter(|path| path.exists()).collect();
    paths.extend(if args.transcripts { transcripts() } else { Vec::new() });
    let mut learning = Learning::begin(&mut base, &crate::env)?;
    of_histories(&mut learning, place.as_ref(), None)?;
    if !paths.is_empty() {
        let found = sessions::find(&paths, None)?;
        let progress = Progress::start(found.bytes(), true);
        of_sessions(&mut learning, &found.sessions, &progress, None)?;
    }
    let done = learning.finish();
    let projects: BTreeSet<String> = base.projects()?.into_iter().chain(done.projects.clone()).collect();
    told(&base, &projects)?;
    inputs::warn(&done_line(&done, 0));
    Ok(Exit::Ok)
}

/// Lets everything else on the machine go first. Best effort: where it cannot be, the learner is as quick as others.
pub(crate) fn give_way() {
    #[cfg(unix)]
    let _ = rustix::process::nice(19);
}

/// A line of JSON, or the text that `print` writes.
pub(crate) fn answer(
    format: Format,
    value: &serde_json::Value,
    print: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> crate::CommandOutcome {
    if format == Format::Json {
        return print_json(value);
    }
    print(&mut text_page(format))?;
    Ok(Exit::Ok)
}
