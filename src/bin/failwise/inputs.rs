//! What commands that read sessions share: finding them, telling what could not be read, showing how far it is.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::io::{IsTerminal, Read};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use failwise::changes::MetSession;
use failwise::digest::hex16;
use failwise::error::Error;
use failwise::host::payload::MAX_BYTES;
use failwise::journal::{HISTORY, KeptReadings, read_end, read_small};
use failwise::model::Host;
use failwise::own::compile;
use failwise::place::{self, Place, session_folders};
use failwise::project::compiled_of;
use failwise::redact::also_redact;
use failwise::replay::{Analysis, Chosen, Replay, Replayed};
use failwise::sessions::{self, FileRead, FoundFiles, Session};
use failwise::settings::{Settings, SettingsFile};
use indicatif::{ProgressBar, ProgressStyle};
use serde::{Deserialize, Serialize};

use crate::style::{is_quiet, note_line, shown, shown_path};

/// The end of the history in a folder; empty where nothing was recorded.
///
/// # Errors
/// When it is there and cannot be read.
pub(crate) fn end_of_history(folder: &Path, most: usize) -> Result<String, Error> {
    let path = folder.join(HISTORY);
    read_end(&path, most).map_err(|error| Error::of_file(&shown_path(&path), &error))
}

/// Which client's sessions are read, of those that were found.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(crate) struct OfHost {
    /// Only of claude, codex, copilot, gemini or qwen
    #[arg(long, value_name = "CLIENT")]
    pub(crate) host: Option<Host>,
}

impl OfHost {
    /// The sessions below these paths, else the user's own ones since `month` where no other time is asked for.
    ///
    /// # Errors
    /// When nothing can be read, or `since` is no time.
    pub(crate) fn sessions(self, paths: &[PathBuf], since: Option<&str>, month: &str) -> Result<FoundFiles, Error> {
        if paths.is_empty() {
            return self.own_sessions(Some(since_of(since.unwrap_or(month))?));
        }
        Ok(find(paths, since)?.of_host(self.host))
    }

    /// Of the user's own sessions those that are asked for; files that were last written before `from` are passed over.
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub(crate) fn own_sessions(self, from: Option<i64>) -> Result<FoundFiles, Error> {
        if place::state_root(&crate::env).is_none() {
            return Err(Error::usage("no home folder is known").hint("set HOME, or name the sessions as PATH"));
        }
        Ok(sessions::find(&session_folders(&crate::env), from)?.of_host(self.host))
    }
}

/// Finds the sessions below paths. Files that are left out are named on stderr.
///
/// # Errors
/// When a path does not exist, when `since` is no time, and when there is nothing that can be read.
pub(crate) fn find(paths: &[PathBuf], since: Option<&str>) -> Result<FoundFiles, Error> {
    let since = since.map(since_of).transpose()?;
    let found = sessions::find(paths, since)?;
    if found.sessions.is_empty() && found.empty + found.older == 0 {
        return Err(nothing(&found));
    }
    for left_out in &found.left_out {
        warn(&format!("left out {}: {}", left_out.name, left_out.reason));
    }
    Ok(found)
}

fn nothing(found: &FoundFiles) -> Error {
    let message = match found.left_out.as_slice() {
        [] => "there is no transcript or history below what was given".to_owned(),
        [only] => format!("{} cannot be replayed: {}", only.name, only.reason),
        [first, rest @ ..] => {
            format!("nothing can be replayed: {}: {}; and {} more", first.name, first.reason, rest.len())
        }
    };
    Error::unreadable(message).hint(
        "session files lie below ~/.claude/projects, ~/.codex/sessions, ~/.copilot/session-state, ~/.gemini/tmp and \
         ~/.qwen/projects; a folder is looked through for .jsonl files",
    )
}

/// The largest file that is read whole, in bytes.
const LARGEST: u64 = 256 * 1024 * 1024;

/// Opens a file that a person names. One that never ends or waits for a writer is refused, but for what the shell handed
/// over: `<(command)`.
///
/// # Errors
/// When it cannot be opened, and when it is no regular file.
pub(crate) fn open_named(path: &Path) -> Result<fs_err::File, Error> {
    if path.starts_with("/dev/fd") || path.starts_with("/proc/self/fd") {
        return Ok(fs_err::File::open(path)?);
    }
    let mut options = fs_err::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use fs_err::os::unix::fs::OpenOptionsExt;
        options.custom_flags(libc::O_NONBLOCK);
    }
    let file = options.open(path)?;
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    let what = std::io::Error::new(std::io::ErrorKind::InvalidInput, "not a regular file");
    Err(Error::of_file(&shown_path(path), &what))
}

/// All that a named file holds.
///
/// # Errors
/// As [`open_named`], and when it is larger than 256 MiB.
pub(crate) fn read_named(path: &Path) -> Result<Vec<u8>, Error> {
    read_bounded(open_named(path)?, &path.to_string_lossy())
}

/// All that an input holds, of that name.
///
/// # Errors
/// When it cannot be read, or is larger than 256 MiB.
pub(crate) fn read_bounded(input: impl Read, name: &str) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    input.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        let error = Error::unreadable(format!("{} is larger than 256 MiB", shown(name, 200)));
        return Err(error.hint("give a part of it"));
    }
    Ok(bytes)
}

/// What is on stdin, up to a byte more than a payload may have. One that a person would have to type is refused, with the next step.
///
/// # Errors
/// When stdin is a terminal, or cannot be read.
pub(crate) fn from_stdin(missing: &str, next: &str) -> Result<Vec<u8>, Error> {
    let mut input = Vec::new();
    if std::io::stdin().is_terminal() {
        return Err(Error::usage(missing).hint(next));
    }
    std::io::stdin().lock().take(MAX_BYTES as u64 + 1).read_to_end(&mut input)?;
    Ok(input)
}

/// The text of a file in a project; nothing where there is none. None behind a link is read, as none is written there.
///
/// # Errors
/// When a part of its path is a link, and when it is no text of at most so many bytes.
pub(crate) fn own_text(root: &Path, path: &Path, most: u64) -> Result<Option<String>, Error> {
    if let Some(link) = place::link_below(root, path) {
        let error = Error::io(format!("{} is a link, and what is behind it is left alone", shown_path(&link)));
        return Err(error.hint("put a file or folder of its own in its place, or change it by hand"));
    }
    match fs_err::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
        Ok(_) => read_small(path, most).map(Some).ok_or_else(|| {
            let size = if most < 1024 * 1024 { format!("{} KiB", most / 1024) } else { format!("{} MiB", most >> 20) };
            let what = format!("{} is no text file of at most {size}", shown_path(path));
            Error::unreadable(what).hint("change it by hand")
        }),
    }
}

/// What `--settings` takes for no settings at all.
pub(crate) const NO_SETTINGS: &str = "none";

/// The settings that past sessions are read by: those of a file for all of them, the defaults, or where nothing is asked
/// for those of the project that the person is in, for its own sessions. Files that only a transcript names are never
/// read.
///
/// # Errors
/// When the file that is asked for cannot be read or holds something that is no setting.
pub(crate) fn settings(asked: Option<&Path>) -> Result<Arc<Chosen>, Error> {
    match asked {
        None => Ok(Arc::new(own_settings())),
        Some(asked) if asked == Path::new(NO_SETTINGS) => Ok(Arc::default()),
        Some(file) => {
            let text = crate::render::read_text(file)?;
            let (settings, problems) = Settings::of_file(file, &text);
            let compiled = compile(&settings.readings.value, &settings.secrets.value);
            let unusable = compiled.problems.first().map(|(line, why)| format!("{}:{line}: {why}", file.display()));
            if let Some(problem) = problems.first().map(ToString::to_string).or(unusable) {
                return Err(Error::unreadable(problem).hint("docs/settings.md has every setting with its values"));
            }
            also_redact(compiled.secrets);
            Ok(Arc::new(Chosen { settings, readings: compiled.readings, ..Chosen::default() }))
        }
    }
}

fn own_settings() -> Chosen {
    let place = crate::found();
    let file = place.as_ref().and_then(Place::settings_file);
    let Some((place, (path, text))) = place.zip(file) else { return Chosen::default() };
    let is_trusted = place::trusted(&crate::env, &place.project).holds(&text);
    let (settings, problems) =
        Settings::resolve(&|_| None, Some(SettingsFile { path: &path, text: &text, is_trusted }));
    let (compiled, unusable) = compiled_of(&crate::env, &place);
    for problem in problems.iter().chain(&unusable) {
        warn(&problem.to_string());
    }
    let below = std::iter::once(place.project).chain(place.worktree).collect();
    Chosen { settings, readings: compiled.readings, below, ..Chosen::default() }
}

/// A duration or a moment that is past, as a person types it or a command prints it, in milliseconds since 1970.
///
/// # Errors
/// When it is neither.
pub(crate) fn since_of(text: &str) -> Result<i64, Error> {
    let now = chrono::Utc::now();
    let wrong = |what: &str| {
        let error = Error::usage(format!("`{}` {what}", shown(text, 40)));
        error.hint("write 30d, 12h, 2w, yesterday, 2026-03, 2026-03-01 or \"2026-03-01 09:30\"")
    };
    match failwise::time::since(text, now.timestamp_millis(), *chrono::Local::now().offset()) {
        at if at.is_none() || text.starts_with('-') => {
            let is_span = text.ends_with(['h', 'd', 'w']) && text.contains(|sign: char| sign.is_ascii_digit());
            Err(wrong(if is_span { "is no time that sessions can be from" } else { "is no duration or date" }))
        }
        Some(at) if at > now.timestamp_millis() => Err(wrong("is in the future")),
        at => Ok(at.unwrap_or_default()),
    }
}

/// The fewest characters that an id is asked for by.
const SHORTEST_ID: usize = 4;

/// The beginning of an id as a person types it, or copies it with what stands around it: `7A37C25B`, `[stale 60ae]`.
///
/// # Errors
/// When it names nothing: it is too short, or several words.
pub(crate) fn id_of(text: &str) -> Result<String, Error> {
    let mut id = text.trim_matches(|sign: char| "]`.,".contains(sign) || sign.is_whitespace());
    if let Some((_, inside)) = id.rsplit_once('[') {
        id = inside.rsplit(' ').next().unwrap_or(inside);
    }
    let why = if id.chars().count() < SHORTEST_ID {
        "is too short to name one thing"
    } else if id.contains(char::is_whitespace) {
        "is no ID"
    } else {
        return Ok(if id.chars().all(is_of_id) { id.to_ascii_lowercase() } else { id.to_owned() });
    };
    let error = Error::refused(format!("`{}` {why}", shown(id, 40)));
    Err(error.hint(format!("give at least {SHORTEST_ID} characters of the ID, as `failwise report` prints it")))
}

/// The error where several begin as an id does.
pub(crate) fn ambiguous_id(id: &str, all: &BTreeSet<String>) -> Error {
    let error = Error::refused(format!("{} IDs begin with `{}`", all.len(), shown(id, 40)));
    error.hint(format!("give more of one: {}", some_of(all)))
}

/// Whether a sign is one of those that most ids are made of.
pub(crate) fn is_of_id(sign: char) -> bool {
    sign.is_ascii_hexdigit() || sign == '-'
}

/// The one project that is asked about, by its name or its folder.
pub(crate) struct OneProject {
    word: String,
    /// The key of the folder, where the word is one.
    key: Option<String>,
    /// Names of projects that it is not.
    others: RefCell<BTreeSet<String>>,
}

impl OneProject {
    pub(crate) fn of(word: &str) -> Self {
        let folder = place::real_path(Path::new(word)).ok().filter(|folder| folder.is_dir());
        let key = folder.map(|folder| place::session_project(&crate::env, &folder.to_string_lossy()).0);
        Self { word: word.to_owned(), key, others: RefCell::default() }
    }

    /// Whether people call it so.
    fn is_called(&self, name: &str) -> bool {
        let of_key = self.key.as_deref().and_then(|key| Path::new(key).file_name());
        name.rsplit('/').next() == Some(&*self.word)
            || name == self.word
            || of_key.is_some_and(|folder| *folder == *name)
    }

    /// Whether sessions that were read are of it, by what they came to and what they met.
    pub(crate) fn is_of(&self, analysis: &Analysis, met: &[MetSession]) -> bool {
        let names = || analysis.sessions.iter().filter_map(|session| session.project.as_deref());
        let is_it = match &self.key {
            // Two folders may have one name.
            Some(key) if met.iter().any(|met| met.root.is_some()) => met.iter().any(|met| met.project.0 == *key),
            _ => names().any(|name| self.is_called(name)),
        };
        if !is_it {
            self.others.borrow_mut().extend(names().map(|name| shown(name, 40)));
        }
        is_it
    }

    /// # Errors
    /// When nothing was found of it, although there are other projects.
    pub(crate) fn is_known(&self, analysis: &Analysis) -> Result<(), Error> {
        let others = self.others.borrow();
        if analysis.totals.calls > 0 || others.is_empty() { Ok(()) } else { Err(unknown_project(&self.word, &others)) }
    }
}

/// The error where no session is of a project that was named.
pub(crate) fn unknown_project(name: &str, known: &BTreeSet<String>) -> Error {
    let hint = match some_of(known) {
        known if known.is_empty() => "no session was found".to_owned(),
        known => format!("known: {known}"),
    };
    Error::refused(format!("no session is of a project {}", shown(name, 60))).hint(hint)
}

/// The folders of all projects of this user that something was stored of, with what people call them.
pub(crate) fn project_folders() -> Vec<(String, PathBuf)> {
    let root = place::state_root(&crate::env).map(|root| root.join("projects"));
    let folders = root.and_then(|root| fs_err::read_dir(root).ok()).into_iter().flatten().flatten();
    let named = folders.map(|folder| {
        let name = shown(&folder.file_name().to_string_lossy(), 40);
        // The hash behind the name tells folders apart, not people.
        (name.rsplit_once('-').map_or(name.clone(), |(name, _)| name.to_owned()), folder.path())
    });
    named.collect()
}

/// The first of these names, and how many more there are.
pub(crate) fn some_of(names: &BTreeSet<String>) -> String {
    const MOST: usize = 8;
    let more = (names.len() > MOST).then(|| format!("{} more", names.len() - MOST));
    names.iter().take(MOST).cloned().chain(more).collect::<Vec<_>>().join(", ")
}

/// How many sessions are read at once.
pub(crate) fn threads(asked: Option<NonZeroUsize>) -> usize {
    asked.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
}

/// The files of a session that could not be read to their ends, each with the reason.
pub(crate) fn broken_files(session: &Session, reads: &[FileRead]) -> Vec<String> {
    let reads = session.files.iter().zip(reads);
    reads.filter_map(|(file, read)| Some(format!("{}: {}", file.name, read.broken.as_ref()?))).collect()
}

/// Tells on stderr which files could not be read to their ends.
///
/// # Errors
/// When that is all of them.
pub(crate) fn tell_broken(broken: &[String], files: usize) -> Result<(), Error> {
    if let [first, ..] = broken
        && broken.len() == files
    {
        return Err(Error::unreadable(first.clone()).hint("nothing else was given that could be read to its end"));
    }
    for reason in broken {
        warn(&format!("not read to its end: {reason}"));
    }
    Ok(())
}

/// A note on stderr. Names of files may be anybody's words.
pub(crate) fn warn(text: &str) {
    note_line(format_args!("failwise: {}", shown(text, 1000)));
}

/// How long nothing is shown: most replays are done by then.
const QUIET: Duration = Duration::from_secs(1);
const REDRAWN: Duration = Duration::from_millis(100);

/// What is kept of sessions that were read before: the place, and what all of it depends on beside the sessions' files.
pub(crate) struct RecalledReadings {
    kept: KeptReadings,
    by: String,
}

/// What is kept of a session.
#[derive(Serialize, Deserialize)]
struct KeptReading<A, M> {
    analysis: A,
    met: M,
}

/// Changes with the form of what is kept.
const READING_VERSION: u32 = 1;

impl RecalledReadings {
    /// Those of this user, where a home is known: read by this very executable and under these settings.
    pub(crate) fn own() -> Option<Self> {
        let program = std::env::current_exe().and_then(fs_err::metadata).ok()?;
        let settings = crate::found().and_then(|place| {
            let (path, text) = place.settings_file()?;
            let is_trusted = place::trusted(&crate::env, &place.project).holds(&text);
            Some(format!("{} {is_trusted} {text}", path.display()))
        });
        let by = [program.len().to_string(), write_time(&program).to_string(), settings.unwrap_or_default()];
        let by = hex16(&by.iter().map(String::as_str).collect::<Vec<_>>());
        Some(Self { kept: crate::data::kept_readings()?, by })
    }

    /// The name and the mark of a session; None where it cannot be recalled. The mark changes with any of its files.
    fn key(&self, session: &Session) -> Option<(String, String)> {
        let mut mark = format!("{READING_VERSION} {} {}", env!("CARGO_PKG_VERSION"), self.by);
        let mut paths = Vec::new();
        for file in session.files.iter().filter(|_| session.is_whole()) {
            let meta = fs_err::metadata(file.path()?).ok()?;
            let _ = write!(mark, " {}:{}", meta.len(), write_time(&meta));
            paths.push(file.name.as_str());
        }
        (!paths.is_empty()).then(|| (hex16(&paths), mark))
    }

    fn get(&self, (name, mark): &(String, String)) -> Option<Replayed> {
        let KeptReading { analysis, met } = self.kept.get::<KeptReading<_, _>>(name, mark)?;
        Some(Replayed { analysis, met, ..Replayed::default() })
    }

    fn put(&self, (name, mark): &(String, String), replayed: &Replayed) {
        self.kept.put(name, mark, &KeptReading { analysis: &replayed.analysis, met: &replayed.met });
    }
}

/// When a file was written last, in nanoseconds since 1970.
fn write_time(meta: &std::fs::Metadata) -> u128 {
    let since = meta.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    since.map_or(0, |since| since.as_nanos())
}

/// Replays the sessions that were found, each by a replay of its own, with progress, and hands what they come to over in their
/// order, with the place of each. Files that could not be read whole are named. Of a session that was read before, what is
/// `kept` of it is handed over: only the analysis and what was met are, and of the analysis no single failures.
pub(crate) fn replay_each(
    found: &FoundFiles,
    kept: Option<&RecalledReadings>,
    replay: impl Fn() -> Replay + Sync,
    mut take: impl FnMut(usize, Replayed),
) -> Result<(), crate::CommandFailure> {
    let (mut number, mut broken) = (0, Vec::new());
    let progress = Progress::start(found.bytes(), true);
    let read_anew = AtomicBool::new(false);
    let work = |session: &Session| {
        let known = kept.and_then(|kept| Some((kept, kept.key(session)?)));
        if let Some(replayed) = known.as_ref().and_then(|(kept, key)| kept.get(key)) {
            return (replayed, Vec::new());
        }
        let mut replays = [replay()];
        let reads = session.play(&mut replays, progress.counter());
        let [replay] = replays;
        let mut replayed = replay.finish();
        if kept.is_some() {
            replayed.analysis.failures.clear();
        }
        if let Some((kept, key)) = known.filter(|_| reads.iter().all(|read| read.broken.is_none())) {
            kept.put(&key, &replayed);
            read_anew.store(true, Ordering::Relaxed);
        }
        (replayed, reads)
    };
    sessions::each(&found.sessions, threads(None), work, |session, (replayed, reads)| {
        broken.extend(broken_files(session, &reads));
        take(number, replayed);
        number += 1;
        ControlFlow::Continue(())
    });
    drop(progress);
    if let Some(kept) = kept.filter(|_| read_anew.load(Ordering::Relaxed)) {
        kept.kept.tidy();
    }
    Ok(tell_broken(&broken, found.files())?)
}

/// How far the reading is, as a bar on a terminal's stderr once it takes longer than a second.
pub(crate) struct Progress {
    counter: Arc<AtomicU64>,
    ended: Arc<AtomicBool>,
    drawer: Option<JoinHandle<()>>,
}

impl Progress {
    /// Begins to watch the reading of so many bytes. `alone`: whether nothing else is written to the terminal meanwhile.
    pub(crate) fn start(total: u64, alone: bool) -> Self {
        let counter = Arc::new(AtomicU64::new(0));
        let ended = Arc::new(AtomicBool::new(false));
        let drawer = (alone && !is_quiet() && std::io::stderr().is_terminal()).then(|| {
            let (counter, ended) = (Arc::clone(&counter), Arc::clone(&ended));
            thread::spawn(move || draw(total, &counter, &ended))
        });
        Self { counter, ended, drawer }
    }

    /// What the reading counts its bytes in.
    pub(crate) fn counter(&self) -> &AtomicU64 {
        &self.counter
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        if let Some(drawer) = self.drawer.take() {
            drawer.thread().unpark();
            let _ = drawer.join();
        }
    }
}

fn draw(total: u64, counter: &AtomicU64, ended: &AtomicBool) {
    let begun = Instant::now();
    let mut bar = None;
    while !ended.load(Ordering::Relaxed) {
        thread::park_timeout(REDRAWN);
        if begun.elapsed() >= QUIET {
            bar.get_or_insert_with(|| bar_of(total)).set_position(counter.load(Ordering::Relaxed));
        }
    }
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
}

fn bar_of(total: u64) -> ProgressBar {
    let form = "{bar:30} {binary_bytes} of {binary_total_bytes}, {eta} left";
    let style = ProgressStyle::with_template(form).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(total).with_style(style)
}
