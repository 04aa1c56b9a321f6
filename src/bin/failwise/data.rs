//! `failwise data`: what is stored for this project, and how to set it aside or remove it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::{NaiveDateTime, TimeDelta, Utc};
use failwise::client::{ClientRuns, RunFile};
use failwise::error::Error;
use failwise::exit::Exit;
use failwise::history::{Event, Line, parse};
use failwise::journal::{Journal, KeptReadings, Stored, StoredKind, read_lines};
use failwise::place::{self, IMPORTS, Place, elsewhere, project_folder, project_name, session_folders};
use failwise::project::key_file;
use failwise::ship::{ShipMarks, marks_file, ship_files};
use failwise::store::{self, BaseLock, HeldData, held};
use failwise::text::{many, spoken};
use failwise::time::typed;
use serde::Serialize;
use serde_json::{Value, json};

use crate::people::{agrees, not_for_agents};
use crate::style::{Format, PrintArgs, Style, print_json, shown, shown_path};

/// Show this project's stored data; move, rotate or delete it
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  failwise data show\n  failwise data purge --older-than 30d --dry-run")]
pub(crate) struct DataArgs {
    #[command(subcommand)]
    task: DataCommand,
}

#[derive(Debug, clap::Subcommand)]
enum DataCommand {
    Show(DataShowArgs),
    Init(crate::init::InitProjectArgs),
    Rotate(RotateArgs),
    Purge(PurgeArgs),
}

/// Show this project's history: its place, size and content
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  failwise data show\n  failwise data show --json")]
struct DataShowArgs {
    #[command(flatten)]
    print: PrintArgs,
}

/// Rename the history to history-<UTC time>.jsonl and begin a new one
///
/// Open episodes stay open. `failwise replay` reads the parts in the order of their names. If there are many states,
/// long unused ones are deleted.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  failwise data rotate\n  failwise data rotate --json")]
struct RotateArgs {
    #[command(flatten)]
    print: PrintArgs,
}

/// Delete old parts of the history, or all data of this project
///
/// Asks first on a terminal. Only Failwise's own files are deleted, including the states of workflow runs. `--all` also
/// removes what is kept of this project's sessions: those filed by Claude Code under the project's folder, and those of
/// the history.
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("what").required(true))]
#[expect(clippy::struct_excessive_bools, reason = "switches of a command line")]
#[command(after_help = "Examples:\n  failwise data purge --older-than 30d --dry-run\n  failwise data purge --all")]
struct PurgeArgs {
    /// Rotated parts, states and ended workflow runs older than this: 30d, 12h or 4w. 0d deletes every part but the
    /// current one, and keeps the states of the last day
    #[arg(long, value_name = "AGE", group = "what", value_parser = age)]
    older_than: Option<TimeDelta>,
    /// The history and its parts, the state, workflow runs, lessons, this project's data in other places, and the key of
    /// anonymous reports
    #[arg(long, group = "what")]
    all: bool,
    /// What is kept of sessions that were read, of all projects
    #[arg(long, group = "what")]
    sums: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    /// List the files to delete, and delete nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    print: PrintArgs,
}

pub(crate) fn run(args: &DataArgs) -> crate::CommandOutcome {
    let place = crate::place()?;
    match &args.task {
        DataCommand::Init(_) => crate::init::keep_inside(),
        DataCommand::Show(args) => show(&place, args.print.format),
        DataCommand::Rotate(args) => rotate(&place, args.print.format),
        DataCommand::Purge(args) => purge(&place, args),
    }
}

/// What is stored, and what it holds.
#[derive(Debug, Serialize)]
struct StoredSummary<'a> {
    schema_version: u32,
    project: &'a Path,
    folder: &'a Path,
    reason: &'a str,
    /// The parts of the history in order, the current one last.
    history: Vec<StoredPart>,
    /// Everything together.
    total: LineCounts,
    state_files: usize,
    state_bytes: u64,
    /// The states of workflows' runs, with inputs and outputs as long as steps need them.
    workflow_files: usize,
    workflow_bytes: u64,
    /// Other folders that hold something of this project.
    elsewhere: Vec<PathBuf>,
    /// What was read of sessions, kept so that they are not read again, of all projects; null where nothing is.
    readings: Option<StoredReadings>,
    /// The key of `report --anonymise`; null before its first use.
    key: Option<StoredFile>,
    /// How far verdicts were sent, of all projects, and the request that was refused last.
    ship: Vec<StoredFile>,
    /// What was learned: the base of all projects, and the files beside it.
    memory: MemoryFiles,
}

#[derive(Debug, Serialize)]
struct MemoryFiles {
    /// The base; null where there is none.
    base: Option<StoredFile>,
    /// How many rows of it are of this project; null where it cannot be read.
    rows: Option<u64>,
    /// What hooks search, the counts beside the base, and what the learner notes for hooks.
    files: Vec<StoredFile>,
}

#[derive(Debug, Serialize)]
struct StoredFile {
    path: PathBuf,
    bytes: u64,
}

impl From<(PathBuf, u64)> for StoredFile {
    fn from((path, bytes): (PathBuf, u64)) -> Self {
        Self { path, bytes }
    }
}

/// What is kept of what this project's sessions taught.
fn memory_of(place: &Place) -> HeldData {
    let Some(base) = store::path(&crate::env) else { return HeldData::default() };
    let folder = project_folder(&crate::env, place);
    held(&crate::env, &base, folder.as_deref(), &project_name(&place.project))
}

#[derive(Debug, Serialize)]
struct StoredReadings {
    path: PathBuf,
    bytes: u64,
    sessions: usize,
}

#[derive(Debug, Serialize)]
struct StoredPart {
    path: PathBuf,
    #[serde(flatten)]
    tally: LineCounts,
}

/// What lines of a history hold.
#[derive(Debug, Default, Serialize)]
struct LineCounts {
    bytes: u64,
    events: u64,
    oldest: Option<String>,
    newest: Option<String>,
    kinds: BTreeMap<String, u64>,
    /// How many secrets were taken out, by kind.
    redactions: BTreeMap<String, u64>,
    /// Written without the lock, which could not be had in time.
    unlocked: u64,
    /// Lines of a newer version.
    newer: u64,
    /// Lines that are no event: fragments of a process that was ended while it wrote.
    unreadable: u64,
    sessions: usize,
    #[serde(skip)]
    session_ids: BTreeSet<String>,
}

fn show(place: &Place, format: Format) -> crate::CommandOutcome {
    let stored = Journal::in_dir(&place.dir).stored();
    let mut total = LineCounts::default();
    let mut history = Vec::new();
    for part in stored.iter().filter(|stored| is_history(stored)) {
        let mut tally = LineCounts { bytes: part.bytes, ..LineCounts::default() };
        total.bytes += part.bytes;
        read_lines(&part.path, |_, line| {
            tally.line(line);
            total.line(line);
        })?;
        history.push(StoredPart { path: part.path.clone(), tally });
    }
    let states: Vec<&Stored> = stored.iter().filter(|stored| stored.kind == StoredKind::State).collect();
    let runs = ClientRuns::of(place).files();
    let shown = StoredSummary {
        schema_version: 1,
        project: &place.project,
        folder: &place.dir,
        reason: place.reason,
        history,
        total,
        state_files: states.len(),
        state_bytes: states.iter().map(|stored| stored.bytes).sum(),
        workflow_files: runs.len(),
        workflow_bytes: runs.iter().map(|file| file.bytes).sum(),
        elsewhere: elsewhere(&crate::env, place),
        readings: readings_of(kept_readings().as_ref()),
        key: stored_key(),
        ship: ship_files(&crate::env).into_iter().map(StoredFile::from).collect(),
        memory: {
            let HeldData { base, rows, files } = memory_of(place);
            let files = files.into_iter().map(StoredFile::from).collect();
            MemoryFiles { base: base.map(StoredFile::from), rows, files }
        },
    };
    print_shown(&shown, format)?;
    Ok(Exit::Ok)
}

impl LineCounts {
    fn line(&mut self, line: &[u8]) {
        match parse(line) {
            Line::Event(event) => self.event(&event),
            Line::Newer => self.newer += 1,
            Line::Unreadable => self.unreadable += 1,
            Line::Blank => {}
        }
        for kind in redactions(&String::from_utf8_lossy(line)) {
            *self.redactions.entry(kind.to_owned()).or_default() += 1;
        }
    }

    fn event(&mut self, event: &Event) {
        self.events += 1;
        self.unlocked += u64::from(event.unlocked);
        *self.kinds.entry(event.kind().as_str().to_owned()).or_default() += 1;
        let ts = Some(&event.ts).filter(|ts| !ts.is_empty()).cloned();
        self.oldest = self.oldest.take().into_iter().chain(ts.clone()).min();
        self.newest = self.newest.take().max(ts);
        self.session_ids.extend(event.session.clone());
        self.sessions = self.session_ids.len();
    }
}

/// The kinds of the marks that replace secrets.
fn redactions(text: &str) -> impl Iterator<Item = &str> {
    text.split("[redacted:").skip(1).filter_map(|rest| {
        let kind = rest.split(']').next()?;
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        (kind.len() < rest.len() && kind.len() <= 40 && kind.bytes().all(plain)).then_some(kind)
    })
}

fn print_shown(shown: &StoredSummary<'_>, format: Format) -> Result<(), crate::CommandFailure> {
    let mut out = crate::style::text_page(format);
    if format == Format::Json {
        writeln!(out, "{}", serde_json::to_string_pretty(shown)?)?;
        return Ok(());
    }
    let style = Style::for_stdout();
    let mut row = |name: &str, text: String| writeln!(out, "{:<10} {text}", style.bold(name));
    let path = shown_path;
    row("project", path(shown.project))?;
    row("folder", format!("{}, {}", path(shown.folder), style.dim(shown.reason)))?;
    for part in &shown.history {
        let name = part.path.file_name().unwrap_or_default().to_string_lossy();
        row("history", format!("{} {}", self::shown(&name, 60), span_of_lines(&part.tally)))?;
    }
    match shown.history.len() {
        0 => row("history", "nothing is stored yet".to_owned())?,
        1 => {}
        _ => row("together", span_of_lines(&shown.total))?,
    }
    let counts = [
        ("events", &shown.total.kinds),
        ("redacted", &shown.total.redactions),
        (
            "lines",
            &BTreeMap::from([
                ("unreadable".to_owned(), shown.total.unreadable),
                ("newer".to_owned(), shown.total.newer),
            ]),
        ),
    ];
    for (name, counts) in counts {
        let list: Vec<String> = counts
            .iter()
            .filter(|(_, count)| **count > 0)
            .map(|(word, count)| format!("{} {count}", spoken(word)))
            .collect();
        if !list.is_empty() {
            row(name, list.join(", "))?;
        }
    }
    row("state", format!("{} files, {}, made from the history", shown.state_files, size(shown.state_bytes)))?;
    if shown.workflow_files > 0 {
        let held = "inputs and outputs while a step needs them";
        row("workflows", format!("{} files, {}, {held}", shown.workflow_files, size(shown.workflow_bytes)))?;
    }
    let file = |it: &StoredFile| format!("{}, {}", path(&it.path), size(it.bytes));
    let rows = shown.memory.rows.map_or_else(|| "not readable".to_owned(), |rows| format!("{rows} rows of it"));
    let read = |it: &StoredReadings| format!("{}, {}, of {} sessions", path(&it.path), size(it.bytes), it.sessions);
    let more = shown.elsewhere.iter().map(|other| ("elsewhere", path(other)));
    let more = more.chain(shown.readings.iter().map(|it| ("readings", read(it))));
    let more =
        more.chain(shown.key.iter().map(|it| ("key", format!("{}, of `failwise report --anonymise`", file(it)))));
    let more =
        more.chain(shown.ship.iter().map(|it| ("ship", format!("{}, of `failwise ship`, of all projects", file(it)))));
    let more =
        more.chain(shown.memory.base.iter().map(|it| ("memory", format!("{} of all projects, {rows}", file(it)))));
    let mut more = more.chain(shown.memory.files.iter().map(|it| ("", file(it))));
    Ok(more.try_for_each(|(name, text)| row(name, text))?)
}

fn span_of_lines(tally: &LineCounts) -> String {
    let ends = tally.oldest.as_deref().zip(tally.newest.as_deref());
    let ends = ends.map(|(oldest, newest)| format!(", {} to {}", shown(oldest, 30), shown(newest, 30)));
    let sessions = if tally.sessions == 1 { "session" } else { "sessions" };
    let (size, ends) = (size(tally.bytes), ends.unwrap_or_default());
    format!("{size}, {} events of {} {sessions}{ends}", tally.events, tally.sessions)
}

fn size(bytes: u64) -> String {
    let tenths = |unit: u64| format!("{}.{}", bytes / unit, bytes % unit * 10 / unit);
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} KB", tenths(1_000)),
        _ => format!("{} MB", tenths(1_000_000)),
    }
}

fn rotate(place: &Place, format: Format) -> crate::CommandOutcome {
    let journal = Journal::in_dir(&place.dir);
    let segment = journal.rotate(Utc::now().naive_utc())?;
    journal.tidy(Utc::now().into())?;
    let mut out = std::io::stdout().lock();
    match (format, &segment) {
        (Format::Json, _) => writeln!(out, "{}", json!({"schema_version": 1, "segment": segment}))?,
        (Format::Text, Some(path)) => writeln!(out, "set aside: {}", shown_path(path))?,
        (Format::Text, None) => writeln!(out, "nothing is stored yet")?,
    }
    Ok(Exit::Ok)
}

/// A file that is deleted: what it is, and how long.
type DeletedFile<'a> = (&'static str, &'a Path, u64);

/// What a purge deletes.
struct Deleted<'a> {
    files: Vec<DeletedFile<'a>>,
    /// So many rows of what was learned.
    memory: u64,
}

impl Deleted<'_> {
    /// What is deleted besides files.
    fn besides(&self) -> impl Iterator<Item = String> {
        (self.memory > 0).then(|| format!("{} rows of what was learned", self.memory)).into_iter()
    }

    fn json(&self, dry_run: bool) -> Value {
        let row = |(kind, path, bytes): &DeletedFile<'_>| json!({"path": path, "kind": kind, "bytes": bytes});
        let rows: Vec<_> = self.files.iter().map(row).collect();
        json!({"schema_version": 1, "dry_run": dry_run, "deleted": rows, "memory_rows": self.memory})
    }
}

fn purge(place: &Place, args: &PurgeArgs) -> crate::CommandOutcome {
    if !args.dry_run {
        not_for_agents("data purge")?;
    }
    if args.sums {
        return purge_sums(args);
    }
    let now = Utc::now().naive_utc();
    let chosen = match args.older_than {
        Some(age) => vec![(place.dir.clone(), older_than(&Journal::in_dir(&place.dir), now, age))],
        None => everything(place)?,
    };
    let is_meant = |file: &RunFile| args.older_than.is_none_or(|age| is_older(file, age));
    let runs = chosen.iter().map(|(dir, _)| ClientRuns::in_dir(dir));
    let runs: Vec<(ClientRuns, Vec<RunFile>)> =
        runs.map(|runs| (runs.clone(), runs.files().into_iter().filter(is_meant).collect())).collect();
    let stored = chosen.iter().flat_map(|(_, files)| files);
    let stored = stored.map(|stored| (kind(stored.kind), stored.path.as_path(), stored.bytes));
    let of_runs = runs.iter().flat_map(|(_, files)| files).map(|file| ("workflow", file.path.as_path(), file.bytes));
    let is_own_file = |file: &Path| args.all && is_of(place, &chosen, file);
    let held = if args.all { memory_of(place) } else { HeldData::default() };
    // Of a base that is gone, what was imported is there all the same.
    let has_imports = held.files.iter().any(|(file, _)| file.ends_with(IMPORTS));
    let read = kept_readings().filter(|_| args.all).map(|kept| {
        // Of a reading, whose it is.
        kept.files_of(|reading: &Value| {
            let sessions = reading.pointer("/analysis/sessions").and_then(Value::as_array).into_iter().flatten();
            let mut files = sessions.filter_map(|session| session.get("file")?.as_str());
            files.any(|file| is_own_file(Path::new(file)))
        })
    });
    let read = read.unwrap_or_default();
    let of_readings = read.iter().map(|(file, bytes)| ("readings", &**file, *bytes));
    let dirs: Vec<&Path> = chosen.iter().map(|(dir, _)| dir.as_path()).collect();
    let marks = marks_file(&crate::env).filter(|_| args.all);
    // How far the histories of other projects were sent stays.
    let is_left = |file: &Path| marks.as_deref() == Some(file) && !ShipMarks::read(file).are_of(&dirs);
    let of_ship = if args.all { ship_files(&crate::env) } else { Vec::new() };
    let of_ship = of_ship.iter().filter(|(file, _)| !is_left(file)).map(|(file, bytes)| ("ship", &**file, *bytes));
    let key = stored_key().filter(|_| args.all);
    let of_key = key.iter().map(|it| ("key", it.path.as_path(), it.bytes));
    let deleted = Deleted {
        files: stored.chain(of_runs).chain(of_readings).chain(of_ship).chain(of_key).collect(),
        memory: held.rows.unwrap_or_default().max(u64::from(has_imports)),
    };
    let lines: Vec<String> = deleted.files.iter().map(deleted_line).collect();
    let asks: Vec<String> = lines.iter().cloned().chain(deleted.besides()).collect();
    if !asks.is_empty() && !args.dry_run {
        if !args.yes && !is_agreed(&asks)? {
            return Ok(Exit::Differs);
        }
        if deleted.memory > 0 {
            crate::kb::forget_project(place)?;
        }
        for (runs, files) in &runs {
            runs.remove(files)?;
        }
        for (dir, files) in &chosen {
            Journal::in_dir(dir).remove(files)?;
        }
        if let Some(marks) = marks.as_deref().filter(|marks| marks.parent().is_some_and(Path::exists)) {
            let Some(_lock) = BaseLock::take(marks, Duration::from_secs(10))? else {
                return Err(Error::refused("a sending is at work").hint("run it again when that has ended").into());
            };
            ShipMarks::forget(marks, &dirs)?;
        }
        for (file, _) in &read {
            fs_err::remove_file(file)?;
        }
        if let Some(key) = &key {
            fs_err::remove_file(&key.path)?;
        }
    }
    if args.print.format == Format::Json {
        return print_json(&deleted.json(args.dry_run));
    }
    let mut out = std::io::stdout().lock();
    for line in &lines {
        writeln!(out, "{line}")?;
    }
    let bytes = size(deleted.files.iter().map(|(_, _, bytes)| bytes).sum());
    let besides: Vec<String> = deleted.besides().map(|what| format!(", {what}")).collect();
    let files = many(lines.len() as u64, "file", "files");
    if lines.is_empty() && besides.is_empty() {
        writeln!(out, "nothing is stored to delete")?;
    } else {
        writeln!(out, "{files}, {bytes}{}: {}", besides.concat(), done(args))?;
    }
    Ok(Exit::Ok)
}

fn done(args: &PurgeArgs) -> &'static str {
    if args.dry_run { "would be deleted" } else { "deleted" }
}

/// The name of the folder in which Claude Code keeps the sessions of a project's folder.
pub(crate) fn session_folder(project: &str) -> String {
    project.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

/// Claude Code's own file of a session of a project, where that is there.
pub(crate) fn session_file(project: &str, session: &str) -> Option<PathBuf> {
    let is_plain = session.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let file = Path::new(&session_folder(project)).join(format!("{session}.jsonl"));
    let files = session_folders(&crate::env).into_iter().filter(|_| is_plain).map(|dir| dir.join(&file));
    files.into_iter().find(|file| file.is_file())
}

/// Whether a session's file is one of this project: Claude Code puts it into a folder named by the project's path, and
/// a history is in one of the folders that are purged.
fn is_of(place: &Place, chosen: &[(PathBuf, Vec<Stored>)], file: &Path) -> bool {
    let folder = session_folder(&place.project.to_string_lossy());
    let below = file.parent().unwrap_or(file);
    below.iter().any(|part| part == folder.as_str()) || chosen.iter().any(|(dir, _)| below == dir)
}

/// Deletes what is kept of sessions that were read.
fn purge_sums(args: &PurgeArgs) -> crate::CommandOutcome {
    let readings = kept_readings();
    let of_readings = readings_of(readings.as_ref());
    let files = of_readings.iter().map(|it| ("readings", it.path.as_path(), it.bytes)).collect();
    let deleted = Deleted { files, memory: 0 };
    if !deleted.files.is_empty() && !args.dry_run {
        let lines: Vec<String> = deleted.files.iter().map(deleted_line).collect();
        if !args.yes && !is_agreed(&lines)? {
            return Ok(Exit::Differs);
        }
        readings.as_ref().map(KeptReadings::forget).transpose()?;
    }
    if args.print.format == Format::Json {
        return print_json(&deleted.json(args.dry_run));
    }
    let mut out = std::io::stdout().lock();
    for (_, path, bytes) in &deleted.files {
        writeln!(out, "{}, {}: {}", shown_path(path), size(*bytes), done(args))?;
    }
    if deleted.files.is_empty() {
        writeln!(out, "nothing is kept of sessions")?;
    }
    Ok(Exit::Ok)
}

/// The key of anonymous reports, once it was used.
fn stored_key() -> Option<StoredFile> {
    key_file(&crate::env).and_then(|path| Some(StoredFile { bytes: fs_err::metadata(&path).ok()?.len(), path }))
}

/// The parts that were set aside before a time, and the states that were last written before it.
fn older_than(journal: &Journal, now: NaiveDateTime, age: TimeDelta) -> Vec<Stored> {
    let Some(before) = now.checked_sub_signed(age) else { return Vec::new() };
    let is_old = |stored: &Stored| matches!(stored.kind, StoredKind::Segment(stamp) if stamp <= before);
    let parts = journal.stored().into_iter().filter(is_old);
    parts.chain(journal.stale_states(age.to_std().unwrap_or_default(), now.and_utc().into())).collect()
}

/// What is kept of sessions that were read. None when nothing names a home.
pub(crate) fn kept_readings() -> Option<KeptReadings> {
    place::state_root(&crate::env).map(|dir| KeptReadings::in_dir(&dir))
}

fn readings_of(kept: Option<&KeptReadings>) -> Option<StoredReadings> {
    let kept = kept?;
    let files = kept.files();
    let bytes = files.iter().map(|(_, bytes)| bytes).sum();
    (!files.is_empty()).then(|| StoredReadings { path: kept.folder().to_owned(), bytes, sessions: files.len() })
}

/// All that is stored for the project, by folder. A plan tree's history is more than Failwise's own.
fn everything(place: &Place) -> Result<Vec<(PathBuf, Vec<Stored>)>, Error> {
    if place.plans.as_ref() == Some(&place.dir) {
        return Err(Error::usage("this history belongs to the plan tree, which keeps its own events in it")
            .hint("to delete it all the same: failwise data rotate, then failwise data purge --older-than 0d"));
    }
    let others = elsewhere(&crate::env, place).into_iter().filter(|dir| place.plans.as_ref() != Some(dir));
    let folders = std::iter::once(place.dir.clone()).chain(others);
    Ok(folders.map(|dir| (dir.clone(), Journal::in_dir(&dir).stored())).collect())
}

/// Whether the person agrees. Without a person, nothing is deleted.
fn is_agreed(lines: &[String]) -> Result<bool, crate::CommandFailure> {
    if !(std::io::stdin().is_terminal() && std::io::stderr().is_terminal()) {
        return Err(Error::usage("nobody can be asked here, so nothing was deleted")
            .hint("add --yes to delete without asking, or --dry-run to see what would be deleted")
            .into());
    }
    for line in lines {
        writeln!(std::io::stderr(), "{line}")?;
    }
    Ok(agrees("Delete this?")?)
}

/// Whether a file of a run was last written before a time.
fn is_older(file: &RunFile, age: TimeDelta) -> bool {
    let since = file.written.and_then(|written| written.elapsed().ok()).unwrap_or_default();
    TimeDelta::from_std(since).is_ok_and(|since| since >= age)
}

fn deleted_line((kind, path, bytes): &DeletedFile<'_>) -> String {
    format!("{kind:<8} {:>10}  {}", size(*bytes), shown_path(path))
}

fn kind(kind: StoredKind) -> &'static str {
    match kind {
        StoredKind::Segment(_) => "segment",
        StoredKind::History => "history",
        StoredKind::State => "state",
        StoredKind::Lock => "lock",
    }
}

fn is_history(stored: &Stored) -> bool {
    matches!(stored.kind, StoredKind::History | StoredKind::Segment(_))
}

/// An age as a person types it.
fn age(text: &str) -> Result<TimeDelta, String> {
    let age = typed(text, "hdw").and_then(|age| TimeDelta::try_milliseconds(i64::try_from(age).ok()?));
    age.ok_or_else(|| format!("`{}` is no age: write 30d, 12h or 4w", shown(text, 20)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_counted_by_kind_and_nothing_else_is() {
        let line =
            r#"{"a":"[redacted:password] x [redacted:github_token][redacted:password]","b":"[redacted: no] [redacted:"#;
        assert_eq!(redactions(line).collect::<Vec<_>>(), ["password", "github_token", "password"]);
    }

    #[test]
    fn sizes_are_short() {
        let sizes = [0, 999, 1_000, 1_949, 999_999, 1_000_000, 12_345_678].map(size);
        assert_eq!(sizes, ["0 bytes", "999 bytes", "1.0 KB", "1.9 KB", "999.9 KB", "1.0 MB", "12.3 MB"]);
    }
}
