//! Learning: what is new in histories and sessions becomes rows of the base, one transaction a source, one learner at a
//! time. A source that did not change is not read, and of a history that grew only the sessions that went on.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

use fs_err as fs;
use memchr::memmem;
use serde::{Deserialize, Serialize};

use super::base::{Base, BaseSource, BaseWriter, SourceKind};
use super::case_lines::{CaseFile, case_rows};
use super::counts;
use super::fault::StoreFault;
use super::imports;
use super::row::{StoredRow, rows_of};
use super::shared::{self, SharedFile};
use super::team::{TeamTrust, heard};
use super::word::PersonWord;
use crate::classify::DEFAULT;
use crate::digest::hex16;
use crate::history::{Body, Event, Line, parse};
use crate::journal::{HISTORY, HistoryParts, Journal, NewSessions};
use crate::knowledge::{HeardRow, Learner, Planned, Tried};
use crate::model::Signature;
use crate::place::{Env, Place, TEAM_FILES, TEAM_TESTS, find, project_name, session_folders, state_root};
use crate::project::known_names;
use crate::project::settings_of;
use crate::recall::note_learned;
use crate::replay::Replay;
use crate::sessions::{FileFormat, Session};
use crate::settings::RecallFrom;
use crate::test_runs::{Recorded, Recorder};
use crate::time::since_1970;
use crate::trust::fingerprint;

/// How much a history and a transcript know: of a session that both tell, the transcript's rows count.
const RANK_OF_HISTORY: i64 = 1;
const RANK_OF_TRANSCRIPT: i64 = 2;
/// The version of what is learned. With another one, or other signatures, everything is learned anew.
const LEARNED: u32 = 4;
/// The word of the base that says by which version it was learned.
const LEARNED_BY: &str = "learned_by";
/// How much of a history is learned in one transaction, in bytes: what is held grows with this, and not with the history. Where
/// a long session goes on, all of it is read again, so that steps grow with it.
const STEP: u64 = 4 * 1024 * 1024;

/// What a learner did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Done {
    /// Sources that were looked at.
    pub sources: u64,
    /// Those that had anything new.
    pub read: u64,
    /// Those that are gone: what they taught is kept.
    pub gone: u64,
    /// Sources that could not be read, with the reason.
    pub unreadable: Vec<String>,
    /// The projects of which something else is known now.
    pub projects: BTreeSet<String>,
}

/// How far a history was read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
struct HistoryMark {
    /// What the history begins with, as a fingerprint: another one in its place is another history.
    begins: String,
    /// How many bytes of it were read, all parts together, up to the end of a line.
    length: u64,
    /// The project's folder, once an event has told it.
    root: Option<String>,
}

/// From where a history is to be read.
#[derive(Debug, Default)]
struct HistoryStart {
    /// The first byte that is new.
    from: u64,
    /// The project's folder, where it is known.
    root: Option<String>,
    /// Whether its beginning was taken away.
    is_cut: bool,
}

/// One learner, with the base open.
pub struct Learning<'a> {
    base: &'a mut Base,
    env: Env<'a>,
    done: Done,
    /// The only project that files teach which the client does not keep itself; None where any does.
    about: Option<String>,
}

impl<'a> Learning<'a> {
    /// A file that a person names teaches this project, whatever it says of itself; without a project none.
    #[must_use]
    pub fn of_files_about(self, project: Option<String>) -> Self {
        Self { about: Some(project.unwrap_or_default()), ..self }
    }

    /// Whether a file may teach a project: the client's own files any, and one that a person named theirs.
    fn may_teach(&mut self, path: &Path, project: &str) -> bool {
        let is_own = |folder: &PathBuf| path.starts_with(folder);
        let may = self.about.as_ref().is_none_or(|about| about == project)
            || session_folders(self.env).iter().any(is_own)
            || state_root(self.env).is_some_and(|root| path.starts_with(root));
        if !may {
            self.done.unreadable.push(format!("{}: it is of another project; learn it there", path.display()));
        }
        may
    }

    /// Begins to learn into a base; the caller holds the lock.
    pub fn begin(base: &'a mut Base, env: Env<'a>) -> Result<Self, StoreFault> {
        let version = format!("{LEARNED}.{}", Signature::VERSION);
        let known = base.meta(LEARNED_BY)?;
        if known.as_deref() != Some(&version) {
            let kept = counts::read(base.path())?;
            base.whole(|writer| {
                if known.is_some() {
                    writer.forget_cursors()?;
                }
                counts::restore(writer, &kept)?;
                writer.put_meta(LEARNED_BY, &version)
            })?;
        }
        Ok(Self { base, env, done: Done::default(), about: None })
    }

    /// What was done.
    pub fn finish(self) -> Done {
        self.done
    }

    /// Learns from a history.
    ///
    /// # Errors
    /// When the base cannot be read or written. A history that cannot be read is told in [`Done`].
    pub fn history(&mut self, dir: &Path, project: &str) -> Result<(), StoreFault> {
        self.done.sources += 1;
        let Ok(parts) = HistoryParts::of(dir) else { return Ok(()) };
        let path = dir.to_string_lossy();
        let current = parts.files.last().filter(|(path, _)| path.ends_with(HISTORY)).map_or(0, |(_, length)| *length);
        let mut is_read = false;
        loop {
            let known = self.base.source(&path)?;
            let mark: HistoryMark =
                known.as_ref().and_then(|source| serde_json::from_str(&source.mark).ok()).unwrap_or_default();
            let goes_on = known.is_some() && mark.begins == parts.begins && mark.length <= parts.length;
            if goes_on && mark.length == parts.length {
                break;
            }
            let start = if goes_on {
                HistoryStart { from: mark.length, root: mark.root, is_cut: false }
            } else {
                HistoryStart { from: 0, root: None, is_cut: !mark.begins.is_empty() }
            };
            let from = start.from;
            match self.grown(&parts, known.as_ref(), start, STEP, project) {
                Err(LearnProblem::Read(why)) => {
                    self.done.unreadable.push(why.to_string());
                    return Ok(());
                }
                Err(LearnProblem::Base(fault)) => return Err(fault),
                Ok(None) => break,
                Ok(Some(reached)) => {
                    self.done.read += u64::from(!std::mem::replace(&mut is_read, true));
                    // What does not end yet is read when it has.
                    if reached == from {
                        break;
                    }
                }
            }
        }
        self.note(dir, project, current);
        Ok(())
    }

    /// Notes for hooks how far the history was learned. One that cannot be noted is looked at again the next time.
    fn note(&self, dir: &Path, project: &str, length: u64) {
        if let Some(root) = state_root(self.env) {
            let _ = note_learned(&root.join("projects").join(project), dir, length);
        }
    }

    /// Learns what a history tells behind a place, a step of it, and gives how far that reached. None where nothing is to be
    /// learned.
    fn grown(
        &mut self,
        parts: &HistoryParts,
        known: Option<&BaseSource>,
        begin: HistoryStart,
        step: u64,
        project: &str,
    ) -> Result<Option<u64>, LearnProblem> {
        let HistoryStart { from, root, is_cut } = begin;
        // What another history taught in its place is compared with all that this one tells.
        let to = if from == 0 && known.is_some() { u64::MAX } else { from.saturating_add(step) };
        let new = parts.look(from..to, |cwd| self.root_of(cwd, project))?;
        if root.is_none() && new.root.is_some() && from > 0 {
            // What was learned without the folder has other paths.
            return self.grown(parts, known, HistoryStart::default(), step, project);
        }
        let root = root.or_else(|| new.root.clone());
        if root.as_deref().is_some_and(|root| self.is_off(root)) {
            self.count_cases(parts, known, from, project)?;
            return Ok(None);
        }
        let spans: BTreeMap<String, u64> = match known.filter(|_| from > 0) {
            Some(source) => self.base.spans(source.id, new.sessions.keys())?,
            None => BTreeMap::new(),
        };
        let first_of = |session: &String, first: u64| spans.get(session).copied().unwrap_or(first);
        let start = new.sessions.iter().map(|(session, first)| first_of(session, *first)).min().unwrap_or(from);
        if from.saturating_sub(start) > step && new.length > from.saturating_add(step) {
            return self.grown(parts, known, HistoryStart { from, root, is_cut }, from - start, project);
        }
        let names = root.as_deref().map(|root| known_names(Path::new(root))).unwrap_or_default();
        let mut learner = Learner::new(root.clone()).with_names(names);
        let (mut words, mut cases, mut planned) = (Vec::new(), Vec::new(), Vec::new());
        let (mut hearing, mut recorder) = (Hearing::default(), Recorder::default());
        let mut replay = Replay::new(&DEFAULT).without_rows();
        parts.read(start.min(from)..new.length, |at, event| {
            let session = event.session.as_deref().unwrap_or_default();
            if let Some(word) = PersonWord::of(&event).filter(|_| at >= from) {
                words.push(word.row(project, &event.id));
            } else if is_of_case(&event) {
                cases.extend((at >= from).then_some(event));
            } else if !session.is_empty() && new.sessions.contains_key(session) {
                hearing.event(&event);
                planned.extend(Planned::of(&event));
                learner.event(&event, None);
                recorder.event(&event);
                replay.event(event, at);
            }
        })?;
        let runs = recorder.finish();
        let mut taught = learner.finish().learned;
        replay.finish().analysis.tell_ends(&mut taught);
        taught.heard = hearing.heard(&taught.tried);
        taught.planned = planned;
        let mut rows = rows_of(project, RANK_OF_HISTORY, &taught);
        rows.extend(words);
        let mark = HistoryMark { begins: parts.begins.clone(), length: new.length, root };
        let mark_text = serde_json::to_string(&mark).unwrap_or_default();
        let kept = match known.filter(|_| from == 0) {
            Some(source) => self.left_of(source, &new, &rows, is_cut)?,
            None => Vec::new(),
        };
        let base = self.base.path().to_owned();
        self.write(&parts.path, SourceKind::History, project, &mark_text, |writer, source| {
            if let Some(root) = &mark.root {
                writer.put_root(project, root)?;
            }
            if !kept.is_empty() {
                counts::put_gone(writer, &base, &kept)?;
            }
            if from == 0 {
                writer.forget_rows(source, None)?;
                writer.forget_spans(source)?;
            }
            // A session that is met first has no rows, and to look for them takes the longer, the more there are.
            for session in new.sessions.keys().filter(|session| spans.contains_key(*session)) {
                writer.forget_rows(source, Some(session))?;
            }
            cases.iter().try_for_each(|event| writer.count_case(project, event))?;
            writer.put_spans(source, new.sessions.iter().map(|(session, first)| (session.as_str(), *first)))?;
            for Recorded { session, run, cases } in &runs {
                writer.put_run(project, Some((source, session)), run, cases)?;
            }
            writer.put(source, &rows)
        })?;
        Ok(Some(new.length))
    }

    /// Counts the failed cases that were asked about, which is all that a project teaches where nothing is to be learned: they
    /// were counted when they were asked about, and a base that is made anew has to say the same. How far the history was
    /// read stays as it is, for the day on which all of it is learned.
    fn count_cases(
        &mut self,
        parts: &HistoryParts,
        known: Option<&BaseSource>,
        from: u64,
        project: &str,
    ) -> Result<(), LearnProblem> {
        let mut cases = Vec::new();
        parts.lines(from..u64::MAX, |_, line| {
            // Few lines are of cases, and the others need not be understood.
            let may_be =
                [&b"case_diagnosed"[..], b"fix_reported"].iter().any(|word| memmem::find(line, word).is_some());
            if may_be
                && let Line::Event(event) = parse(line)
                && is_of_case(&event)
            {
                cases.push(event);
            }
        })?;
        if cases.is_empty() {
            return Ok(());
        }
        let mark = known.map(|source| source.mark.clone()).unwrap_or_default();
        self.base.whole(|writer| {
            // Named as a source, so that it is found again wherever it lies.
            writer.source(&parts.path, SourceKind::History, project, &mark)?;
            cases.iter().try_for_each(|event| writer.count_case(project, event))
        })?;
        Ok(())
    }

    /// The rows of a history that it does not tell any more. Of one that `is_cut` a session may have lost its beginning.
    fn left_of(
        &self,
        source: &BaseSource,
        new: &NewSessions,
        rows: &[StoredRow],
        is_cut: bool,
    ) -> Result<Vec<StoredRow>, StoreFault> {
        let is_told = |row: &StoredRow| {
            let is_there = new.sessions.contains_key(&row.session);
            if is_cut || row.session.is_empty() { rows.iter().any(|new| new.is_of_same(row)) } else { is_there }
        };
        Ok(self.base.rows_of(&source.path)?.into_iter().filter(|row| !is_told(row)).collect())
    }

    /// Keeps what a source taught and how far it was read, in one transaction.
    fn write(
        &mut self,
        path: &str,
        kind: SourceKind,
        project: &str,
        mark: &str,
        work: impl FnOnce(&BaseWriter<'_>, i64) -> Result<(), StoreFault>,
    ) -> Result<(), StoreFault> {
        self.base.whole(|writer| {
            let source = writer.source(path, kind, project, mark)?;
            work(writer, source)
        })?;
        self.done.projects.insert(project.to_owned());
        Ok(())
    }

    /// Whether nothing is to be learned of the project in a folder.
    fn is_off(&self, root: &str) -> bool {
        let place = place_of(self.env, Path::new(root));
        place.is_some_and(|place| settings_of(self.env, Some(&place)).0.recall.value == RecallFrom::Off)
    }

    /// The project's folder, where a call ran in it.
    fn root_of(&self, cwd: &str, project: &str) -> Option<String> {
        let place = place_of(self.env, Path::new(cwd))?;
        (project_name(&place.project) == project).then(|| place.project.to_string_lossy().into_owned())
    }

    /// Learns from a session of the client's, or from a log of payloads.
    pub fn session(&mut self, session: &Session, counter: &AtomicU64) -> Result<(), StoreFault> {
        if session.format == FileFormat::History {
            return self.foreign_history(session);
        }
        self.done.sources += 1;
        let Some(path) = session.files.first().and_then(|file| file.path()) else { return Ok(()) };
        let path = absolute_path(path).to_string_lossy().into_owned();
        let mark = mark_of(session);
        let known = self.base.source(&path)?;
        if known.as_ref().is_some_and(|known| known.mark == mark) {
            counter.fetch_add(session.bytes, std::sync::atomic::Ordering::Relaxed);
            return Ok(());
        }
        let place = session.begins_in().and_then(|cwd| place_of(self.env, Path::new(&cwd)));
        let Some(place) = place else {
            self.done.unreadable.push(format!("{path}: nothing in it names the project's folder"));
            return Ok(());
        };
        let (project, root) = (project_name(&place.project), place.project.to_string_lossy().into_owned());
        if !self.may_teach(Path::new(&path), &project) {
            return Ok(());
        }
        if self.is_off(&root) {
            return Ok(());
        }
        let names = known_names(&place.project);
        let mut replay =
            [Replay::new(&DEFAULT).without_rows().with_lessons(Learner::new(Some(root.clone())).with_names(names))];
        let reads = session.play(&mut replay, counter);
        if let Some(why) = reads.iter().find_map(|read| read.broken.as_ref()) {
            self.done.unreadable.push(format!("{path}: {why}"));
        }
        let [replay] = replay;
        let learned = replay.finish().taught.learned;
        let rows = rows_of(&project, RANK_OF_TRANSCRIPT, &learned);
        self.write(&path, SourceKind::Transcript, &project, &mark, |writer, source| {
            writer.forget_rows(source, None)?;
            writer.put_root(&project, &root)?;
            writer.put(source, &rows)
        })?;
        self.done.read += 1;
        Ok(())
    }

    /// A history that a person named: of the project that its events name.
    fn foreign_history(&mut self, session: &Session) -> Result<(), StoreFault> {
        let folder = session.files.first().and_then(|file| file.path()?.parent().map(absolute_path));
        let Some(folder) = folder else { return Ok(()) };
        let own = state_root(self.env).map(|root| root.join("projects"));
        let named = folder.file_name().and_then(|name| name.to_str()).map(str::to_owned);
        let project = match named.filter(|_| own.as_deref() == folder.parent()) {
            Some(name) => Some(name),
            None => session
                .begins_in()
                .and_then(|cwd| place_of(self.env, Path::new(&cwd)))
                .map(|place| project_name(&place.project)),
        };
        if let Some(project) = project {
            return if self.may_teach(&folder, &project) { self.history(&folder, &project) } else { Ok(()) };
        }
        self.done.unreadable.push(format!("{}: nothing in it names the project's folder", folder.display()));
        Ok(())
    }

    /// Reads the runs of tests that were imported of a project, as far as the base does not have them.
    ///
    /// # Errors
    /// When the base or their file cannot be read or written.
    pub fn imports(&mut self, project: &str) -> Result<(), StoreFault> {
        let path = imports::imports_of(self.env, project)?;
        if imports::catch_up(self.base, &path, project)? {
            self.done.projects.insert(project.to_owned());
        }
        Ok(())
    }

    /// Learns what the team's files of a project say, of each the lines that the person trusts; forgets the others.
    pub fn team(&mut self, place: &Place) -> Result<(), StoreFault> {
        let trust = TeamTrust::of(self.env, &place.project);
        if !matches!(trust, TeamTrust::Asked) {
            // A fetch tells nobody, so that each session that begins has it looked at: nothing counts as learned to the end.
            self.note(&place.dir, &project_name(&place.project), 0);
        }
        if let TeamTrust::Standing(_) = trust {
            let (project, root) = (project_name(&place.project), place.project.to_string_lossy());
            self.base.whole(|writer| writer.put_root(&project, &root))?;
            // What was not to be said yesterday may be said today.
            self.done.projects.insert(project);
        }
        if let TeamTrust::NoAnswer = trust {
            return Ok(());
        }
        TEAM_FILES.into_iter().try_for_each(|name| self.team_file(place, name, &trust))
    }

    fn team_file(&mut self, place: &Place, file: &str, trust: &TeamTrust) -> Result<(), StoreFault> {
        let path = place.project.join(file);
        let name = path.to_string_lossy().into_owned();
        let known = self.base.source(&name)?;
        let own_only = settings_of(self.env, Some(place)).0.recall.value == RecallFrom::Own;
        let text = if own_only { None } else { heard(self.env, place, file, trust) };
        let mark = text.as_deref().map(fingerprint);
        if known.as_ref().map(|known| &known.mark) == mark.as_ref() {
            return Ok(());
        }
        let project = project_name(&place.project);
        if let Some((text, mark)) = text.zip(mark) {
            let rows = if file == TEAM_TESTS {
                case_rows(&CaseFile::read(&text).lines, &project)
            } else {
                shared::rows_of(&SharedFile::read(&text, now_ms()), &project, &shared::machine(self.env)?)
            };
            return self.write(&name, SourceKind::Team, &project, &mark, |writer, source| {
                writer.forget_rows(source, None)?;
                writer.put(source, &rows)
            });
        }
        if let Some(known) = known {
            self.base.whole(|writer| writer.forget_source(known.id))?;
        }
        self.done.projects.insert(project);
        Ok(())
    }

    /// Keeps what sources taught that are gone.
    ///
    /// # Errors
    /// When the base or the file of counts cannot be read or written.
    pub fn gone(&mut self) -> Result<(), StoreFault> {
        let is_file = |source: &BaseSource| matches!(source.kind, SourceKind::History | SourceKind::Transcript);
        let is_gone = |source: &BaseSource| is_file(source) && !is_there(source);
        let gone: Vec<BaseSource> = self.base.sources()?.into_iter().filter(is_gone).collect();
        if gone.is_empty() {
            return Ok(());
        }
        let mut rows = Vec::new();
        for source in &gone {
            rows.extend(self.base.rows_of(&source.path)?);
        }
        let path = self.base.path().to_owned();
        self.base.whole(|writer| {
            counts::put_gone(writer, &path, &rows)?;
            gone.iter().try_for_each(|source| writer.forget_source(source.id))
        })?;
        self.done.gone += gone.len() as u64;
        Ok(())
    }
}

/// What agents were told, and whether they did it.
#[derive(Default)]
struct Hearing {
    /// How many calls of each session there were.
    calls: BTreeMap<String, u64>,
    /// The number of each call in its session.
    numbers: BTreeMap<(String, String), u64>,
    told: Vec<(u64, HeardRow)>,
}

/// How many calls after a message an agent follows it.
const FOLLOWED_WITHIN: u64 = 10;

impl Hearing {
    fn event(&mut self, event: &Event) {
        let Some(session) = event.session.clone() else { return };
        let call = event.tool_use_id.clone().unwrap_or_else(|| event.id.clone());
        if event.execution().is_some() {
            let calls = self.calls.entry(session.clone()).or_default();
            *calls += 1;
            self.numbers.insert((session, call), *calls);
            return;
        }
        let Body::FailureClassified(classified) = &event.body else { return };
        if let Some((fix, at)) = classified.told.clone().zip(since_1970(&event.ts)) {
            let number = self.calls.get(&session).copied().unwrap_or_default();
            self.told.push((number, HeardRow { fix, session, call, at, followed: false }));
        }
    }

    /// What was told, given what was tried.
    fn heard(self, tried: &[Tried]) -> Vec<HeardRow> {
        let numbers = self.numbers;
        let number = |tried: &Tried| numbers.get(&(tried.session.clone(), tried.call.clone())).copied();
        let told = self.told.into_iter().map(|(told_at, heard)| {
            let is_it = |tried: &&Tried| tried.session == heard.session && tried.fix.id == heard.fix;
            let within = |number: u64| number > told_at && number - told_at <= FOLLOWED_WITHIN;
            let followed = tried.iter().filter(is_it).filter_map(number).any(within);
            HeardRow { followed, ..heard }
        });
        told.collect()
    }
}

/// Whether an event is what somebody asked or reported of a failed test case.
fn is_of_case(event: &Event) -> bool {
    matches!(event.body, Body::CaseDiagnosed { .. } | Body::CaseFixReported { .. })
}

/// Whether there is anything left of a source.
fn is_there(source: &BaseSource) -> bool {
    let path = Path::new(&source.path);
    match source.kind {
        SourceKind::History => !Journal::in_dir(path).parts().is_empty(),
        _ => fs::symlink_metadata(path).is_ok(),
    }
}

/// Why a source was not learned.
enum LearnProblem {
    Read(io::Error),
    Base(StoreFault),
}

impl From<io::Error> for LearnProblem {
    fn from(error: io::Error) -> Self {
        Self::Read(error)
    }
}

impl From<StoreFault> for LearnProblem {
    fn from(fault: StoreFault) -> Self {
        Self::Base(fault)
    }
}

/// The time, in milliseconds since 1970.
fn now_ms() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}

/// The project that a folder belongs to, whatever the client says of its own.
pub fn place_of(env: Env<'_>, folder: &Path) -> Option<Place> {
    let own = |name: &str| if matches!(name, "CLAUDE_PROJECT_DIR" | "FAILWISE_DIR") { None } else { env(name) };
    find(&own, Some(folder))
}

fn absolute_path(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// What tells a session's files from the same ones after they changed.
fn mark_of(session: &Session) -> String {
    let file = |path: &Path| {
        let meta = fs::symlink_metadata(path).ok()?;
        let written = meta.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
        Some(format!("{} {} {}", path.display(), meta.len(), written.as_nanos()))
    };
    let files = session.files.iter().filter_map(|source| file(source.path()?));
    hex16(&[&files.collect::<Vec<_>>().join("\n")])
}

/// The histories of this user, each with the name of its project: those in the state directory, and those that the project
/// of a place keeps elsewhere.
pub fn histories(env: Env<'_>, place: Option<&Place>) -> Vec<(PathBuf, String)> {
    let mut found = BTreeMap::new();
    if let Some(projects) = state_root(env).map(|root| root.join("projects")) {
        let folders = fs::read_dir(projects).into_iter().flatten().flatten();
        for folder in folders.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
            let Some(name) = folder.file_name().to_str().map(str::to_owned) else { continue };
            found.insert(folder.path(), name);
        }
    }
    if let Some(place) = place {
        let name = project_name(&place.project);
        let own = place.own_histories(env).into_iter().chain([place.dir.clone()]);
        for dir in own {
            found.entry(dir).or_insert_with(|| name.clone());
        }
    }
    found.retain(|dir, _| fs::symlink_metadata(dir.join(HISTORY)).is_ok_and(|meta| meta.is_file()));
    found.into_iter().collect()
}
