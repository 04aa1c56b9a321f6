//! Which files are one session.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use super::format::FileFormat;
use super::input::Input;
use crate::host::head::folder_file;
use crate::journal::{HISTORY, read_small};
use crate::model::Host;

/// A file that holds something known, before it is grouped.
pub(super) struct Candidate {
    pub(super) input: Input,
    pub(super) name: String,
    pub(super) bytes: u64,
    pub(super) format: FileFormat,
    pub(super) host: Option<Host>,
    pub(super) session: Option<String>,
    pub(super) message: Option<String>,
    pub(super) first: Option<i64>,
}

/// Files that are read together: those of one session, the parts of one history, or one log of payloads.
#[derive(Debug)]
pub struct Session {
    /// The client's id of the session; nothing for histories and logs, which may hold many sessions.
    pub id: Option<String>,
    /// What its files are.
    pub format: FileFormat,
    /// The client that wrote them; nothing for histories and logs, which may hold many sessions of many clients.
    pub host: Option<Host>,
    /// In the order in which they begin.
    pub files: Vec<SourceFile>,
    /// How many bytes they have on the disk.
    pub bytes: u64,
    /// What is told of the time before is left out: milliseconds since 1970.
    pub(super) since: Option<i64>,
    /// Of what holds sessions of many clients those of this one are told, where one is asked for.
    pub(super) only: Option<Host>,
    /// Of what holds many sessions this one is told, where one is asked for.
    pub(super) chosen: Option<String>,
    /// Of a history the lines are told that name one of these, where any is asked for.
    pub(super) named: Vec<String>,
    /// Sessions that have a transcript of their own, which tells more.
    pub(super) transcribed: Arc<BTreeSet<String>>,
}

impl Session {
    /// Of all that it holds only this session of the client.
    #[must_use]
    pub fn of_session(self, id: &str) -> Self {
        Self { chosen: Some(id.to_owned()), ..self }
    }

    /// Of all that a history holds only lines that name one of these ids: the others are not even parsed.
    #[must_use]
    pub fn naming(self, ids: &[&str]) -> Self {
        // What may stand in a line by other signs than its own would not be found.
        let is_plain = |id: &&str| id.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\'));
        let named = if ids.iter().all(is_plain) { ids.iter().map(|id| (*id).to_owned()).collect() } else { Vec::new() };
        Self { named, ..self }
    }

    /// Whether nothing that it tells is left out, and it can be read again: a file each, all of it after the time that is
    /// asked for.
    pub fn is_whole(&self) -> bool {
        let since = self.since.unwrap_or(i64::MIN);
        self.id.is_some()
            && self.files.iter().all(|file| file.path().is_some() && file.first.is_some_and(|it| it >= since))
    }
}

/// A file of a session.
pub struct SourceFile {
    /// Its path as it was given or found, for people.
    pub name: String,
    /// How many bytes it has on the disk; 0 for standard input.
    pub bytes: u64,
    pub(super) input: Input,
    /// When its first line was written.
    pub(super) first: Option<i64>,
}

impl SourceFile {
    /// Where it lies; None for standard input.
    pub fn path(&self) -> Option<&Path> {
        self.input.path()
    }

    /// The folder that its session began in, where a file beside it tells that for its client.
    pub(super) fn folder(&self, host: Option<Host>) -> Option<String> {
        const LONGEST: u64 = 4096;
        let told = read_small(&folder_file(host?, self.path()?)?, LONGEST)?;
        Some(told.trim().to_owned()).filter(|folder| folder.starts_with('/') && !folder.contains('\n'))
    }

    /// Files without times go last: another file that tells the same knows more.
    pub(super) fn begin(&self) -> i64 {
        self.first.unwrap_or(i64::MAX)
    }
}

impl fmt::Debug for SourceFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SourceFile").field("name", &self.name).field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

/// What makes two files one group.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum GroupKey {
    /// Files of the client's session.
    Session(String),
    /// A session that went on in another file begins with a copy of the first, under the same answers of the model.
    Message(String),
    /// Parts of a history lie in one folder.
    Folder(String),
}

pub(super) fn group(mut candidates: Vec<Candidate>, since: Option<i64>) -> Vec<Session> {
    candidates.sort_by(|a, b| a.order().cmp(&b.order()));
    let transcribed: BTreeSet<String> = candidates
        .iter()
        .filter(|file| file.format == FileFormat::Transcript)
        .filter_map(|file| file.session.clone())
        .collect();
    let transcribed = Arc::new(transcribed);
    let roots = roots(&candidates);
    let mut groups: BTreeMap<usize, Vec<Candidate>> = BTreeMap::new();
    for (root, file) in roots.into_iter().zip(candidates) {
        groups.entry(root).or_default().push(file);
    }
    // A group's number is that of its first file, so the groups come in the order of their first lines.
    groups.into_values().filter_map(|files| session(files, since, &transcribed)).collect()
}

fn session(files: Vec<Candidate>, since: Option<i64>, transcribed: &Arc<BTreeSet<String>>) -> Option<Session> {
    let (format, host) = files.first().map(|file| (file.format, file.host))?;
    let id = if format == FileFormat::Transcript { files.iter().find_map(|file| file.session.clone()) } else { None };
    let bytes = files.iter().map(|file| file.bytes).sum();
    let file =
        |file: Candidate| SourceFile { name: file.name, bytes: file.bytes, input: file.input, first: file.first };
    let files = files.into_iter().map(file).collect();
    let transcribed = Arc::clone(transcribed);
    Some(Session { id, format, host, files, bytes, since, only: None, chosen: None, named: Vec::new(), transcribed })
}

/// Of each file the number of the first file in its group.
fn roots(files: &[Candidate]) -> Vec<usize> {
    let mut parents: Vec<usize> = (0..files.len()).collect();
    let mut known: BTreeMap<(FileFormat, Option<Host>, GroupKey), usize> = BTreeMap::new();
    for (number, file) in files.iter().enumerate() {
        for key in file.keys() {
            let first = *known.entry((file.format, file.host, key)).or_insert(number);
            join_sets(&mut parents, first, number);
        }
    }
    (0..files.len()).map(|number| root(&parents, number)).collect()
}

fn root(parents: &[usize], mut number: usize) -> usize {
    while let Some(parent) = parents.get(number).copied().filter(|parent| *parent != number) {
        number = parent;
    }
    number
}

fn join_sets(parents: &mut [usize], one: usize, other: usize) {
    let (one, other) = (root(parents, one), root(parents, other));
    if let Some(parent) = parents.get_mut(one.max(other)) {
        *parent = one.min(other);
    }
}

impl Candidate {
    fn keys(&self) -> Vec<GroupKey> {
        match self.format {
            FileFormat::Transcript => {
                let session = self.session.clone().map(GroupKey::Session);
                session.into_iter().chain(self.message.clone().map(GroupKey::Message)).collect()
            }
            FileFormat::History => self.history_folder().map(GroupKey::Folder).into_iter().collect(),
            FileFormat::PayloadLog => Vec::new(),
        }
    }

    fn file_name(&self) -> Option<&str> {
        self.input.path()?.file_name()?.to_str()
    }

    /// The folder of a history, whose parts have names of their own.
    fn history_folder(&self) -> Option<String> {
        let name = self.file_name()?;
        let is_part = name == HISTORY || name.starts_with("history-");
        let folder = self.input.path()?.parent()?;
        is_part.then(|| folder.to_string_lossy().into_owned())
    }

    /// By their first lines; the parts of a history by their names, the newest last.
    fn order(&self) -> (i64, bool, &str) {
        (self.first.unwrap_or(i64::MAX), self.file_name() == Some(HISTORY), &self.name)
    }
}
