//! What a session tells, in order of time.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::AtomicU64;

use memchr::memmem::Finder;

use super::format::FileFormat;
use super::group::{Session, SourceFile};
use super::input::Bytes;
use super::lines::{LineReader, RawLine};
use super::merge::merge;
use crate::history::{self, Event};
use crate::host::head::{SessionSetting, begun_in, logged, run_with};
use crate::host::payload::PayloadKind;
use crate::host::transcript::{EntryNews, Skip, Transcript, TranscriptEntry};
use crate::model::{Host, Status, ToolCall};
use crate::text::without_mark;
use crate::time::millis;

/// One thing that a session tells, and the number of its file in [`Session::files`].
#[derive(Debug)]
pub enum Item {
    /// An entry of a transcript, or a payload of a log.
    Entry {
        /// The file.
        file: usize,
        /// What it tells.
        entry: TranscriptEntry,
    },
    /// An event of a history.
    Event {
        /// The file.
        file: usize,
        /// Its line, from 1.
        line: usize,
        /// Where it is in the whole history, in bytes.
        at: u64,
        /// The event.
        event: Box<Event>,
    },
}

/// What was read of a file, and what was not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileRead {
    /// All lines.
    pub lines: u64,
    /// Lines and results that were left out, by reason. Lines that tell nothing of calls are no loss, and not counted.
    pub skipped: BTreeMap<&'static str, u64>,
    /// Why the file could not be read to its end.
    pub broken: Option<String>,
}

/// How many lines are looked through for the folder that a session began in.
const LOOKED_THROUGH: usize = 256;

/// Reasons for which something is left out.
const TOO_LONG: &str = "a line that is too long";
const NOT_JSON: &str = "a line that is no JSON object";
const UNKNOWN_TYPE: &str = "a line of an unknown type";
const NO_CALL: &str = "a result without its call";
pub(super) const COPY: &str = "a copy of a result";
const NO_RESULT: &str = "a call without a result";
const NO_PAYLOAD: &str = "a line that is no payload";
const NO_EVENT: &str = "a line that is no event";
const NEWER: &str = "a line of a newer version";
const OLDER: &str = "a record of an older plan tree";
const TRANSCRIBED: &str = "an event of a session whose transcript is read, too";

impl FileRead {
    pub(super) fn skip(&mut self, reason: &'static str) {
        *self.skipped.entry(reason).or_default() += 1;
    }
}

impl Session {
    /// Reads its files and tells what they hold; with what calls tell of files, where that is asked for. `counter` is told of
    /// every byte that was read from the disk, while it goes on. The answer has one element for each file.
    pub(super) fn read_with(&self, with_files: bool, counter: &AtomicU64, mut each: impl FnMut(Item)) -> Vec<FileRead> {
        let mut each = |item: Item| {
            let session = match &item {
                Item::Entry { entry, .. } => &entry.ids.session,
                Item::Event { event, .. } => &event.session,
            };
            if self.chosen.is_none() || self.chosen == *session {
                each(item);
            }
        };
        match self.format {
            FileFormat::Transcript => merge(self, with_files, counter, |file, entry| each(Item::Entry { file, entry })),
            FileFormat::PayloadLog => {
                let files = self.files.iter().enumerate();
                files.map(|(number, file)| self.read_log(number, file, counter, &mut each)).collect()
            }
            FileFormat::History => self.read_history(counter, &mut each),
        }
    }

    /// The folder that the session began in, where one of its first lines says so.
    pub fn begins_in(&self) -> Option<String> {
        if let Some(told) = self.files.first().and_then(|file| file.folder(self.host)) {
            return Some(told);
        }
        self.first_told(|line| begun_in(self.host.unwrap_or_default(), line))
    }

    /// The client's version and the branch that a session began with, where its first lines say so.
    pub fn run_with(&self) -> SessionSetting {
        let mut known = SessionSetting::default();
        self.first_told(|line| {
            let told = run_with(line);
            known.client = known.client.take().or(told.client);
            known.branch = known.branch.take().or(told.branch);
            (known.client.is_some() && known.branch.is_some()).then_some(())
        });
        known
    }

    /// What the first line tells that tells anything.
    fn first_told<T>(&self, mut told: impl FnMut(&[u8]) -> Option<T>) -> Option<T> {
        // Standard input can be read once: it is not for this.
        let mut lines = LineReader::new(self.files.first()?.input.peek().ok()?);
        for _ in 0..LOOKED_THROUGH {
            let line = lines.next().ok()??;
            let known = line.text.and_then(|text| told(without_mark(text)));
            if known.is_some() {
                return known;
            }
        }
        None
    }

    /// Whether something happened in the time that is asked for. What has no time is not left out.
    pub(super) fn is_wanted(&self, ts: Option<&str>) -> bool {
        let time = self.since.and_then(|since| Some((millis(ts?)?, since)));
        time.is_none_or(|(time, since)| time >= since)
    }

    /// Whether it is of the client that is asked for.
    fn is_of(&self, host: Host) -> bool {
        self.only.is_none_or(|only| only == host)
    }

    fn is_transcribed(&self, session: Option<&str>) -> bool {
        session.is_some_and(|session| self.transcribed.contains(session))
    }

    fn read_log(&self, number: usize, file: &SourceFile, counter: &AtomicU64, each: &mut impl FnMut(Item)) -> FileRead {
        let mut read = FileRead::default();
        let mut log = Log::default();
        every_line(file, counter, &mut read, |read, line| {
            let Ok(entries) = log.entries(line.text, usize::try_from(read.lines).unwrap_or(usize::MAX)) else {
                return read.skip(NO_PAYLOAD);
            };
            for entry in entries.into_iter().filter(|it| self.is_wanted(it.ts.as_deref()) && self.is_of(it.ids.host)) {
                if self.is_transcribed(entry.ids.session.as_deref()) {
                    read.skip(TRANSCRIBED);
                } else {
                    each(Item::Entry { file: number, entry });
                }
            }
        });
        read
    }

    /// The parts of a history are one history: places go on from part to part.
    fn read_history(&self, counter: &AtomicU64, each: &mut impl FnMut(Item)) -> Vec<FileRead> {
        let mut base = 0;
        let mut reads = Vec::new();
        let named: Vec<Finder<'_>> = self.named.iter().map(Finder::new).collect();
        let parse = |line: &[u8]| {
            let is_told = named.is_empty() || named.iter().any(|id| id.find(line).is_some());
            if is_told { history::parse(line) } else { history::Line::Blank }
        };
        for (file, source) in self.files.iter().enumerate() {
            let mut read = FileRead::default();
            let length = every_line(source, counter, &mut read, |read, line| match parse(line.text) {
                history::Line::Event(event) if self.is_transcribed(event.session.as_deref()) => read.skip(TRANSCRIBED),
                history::Line::Event(event) if self.is_wanted(Some(&event.ts)) && self.is_of(event.host) => {
                    // What it says of its node counts; a row would lack what was run and printed.
                    if event.is_older() {
                        read.skip(OLDER);
                    }
                    let number = usize::try_from(read.lines).unwrap_or(usize::MAX);
                    each(Item::Event { file, line: number, at: base + line.at, event });
                }
                history::Line::Event(_) | history::Line::Blank => {}
                history::Line::Newer => read.skip(NEWER),
                history::Line::Unreadable => read.skip(NO_EVENT),
            });
            base += length;
            reads.push(read);
        }
        reads
    }
}

/// A line that can be read.
struct Text<'b> {
    at: u64,
    text: &'b [u8],
}

/// Gives each line that can be read, and counts the others. Tells how long the file is.
fn every_line(
    file: &SourceFile,
    counter: &AtomicU64,
    read: &mut FileRead,
    mut each: impl FnMut(&mut FileRead, Text<'_>),
) -> u64 {
    let Some(mut lines) = lines_of_source(file, counter, read) else { return 0 };
    let mut length = 0;
    while let Some(line) = next(&mut lines, read) {
        match line.text {
            Some(text) => {
                length = line.at + text.len() as u64 + 1;
                each(read, Text { at: line.at, text });
            }
            None => read.skip(TOO_LONG),
        }
    }
    length
}

/// The lines of a file, where it can be opened.
fn lines_of_source<'s>(
    file: &'s SourceFile,
    counter: &'s AtomicU64,
    read: &mut FileRead,
) -> Option<LineReader<Bytes<'s>>> {
    let bytes = file.input.open(counter);
    read.broken = bytes.as_ref().err().map(ToString::to_string);
    bytes.ok().map(LineReader::new)
}

/// The next line, counted; None at the end of what can be read.
fn next<'b>(lines: &'b mut LineReader<Bytes<'_>>, read: &mut FileRead) -> Option<RawLine<'b>> {
    match lines.next() {
        Ok(Some(line)) => {
            read.lines += 1;
            let text = if read.lines == 1 { line.text.map(without_mark) } else { line.text };
            Some(RawLine { text, ..line })
        }
        Ok(None) => None,
        Err(error) => {
            read.broken = Some(error.to_string());
            None
        }
    }
}

/// Hook payloads, one a line. A batch repeats the calls whose own payloads came before it.
#[derive(Default)]
struct Log {
    told: HashSet<String>,
}

impl Log {
    fn entries(&mut self, line: &[u8], number: usize) -> Result<Vec<TranscriptEntry>, ()> {
        if line.trim_ascii().is_empty() {
            return Ok(Vec::new());
        }
        let (payload, ts) = logged(line).map_err(drop)?;
        let marked_error = matches!(payload.event.as_str(), "PostToolUseFailure" | "StopFailure");
        let entry = |kind: PayloadKind<'static>, ids, marked_error| TranscriptEntry {
            ts: ts.clone(),
            told: EntryNews::Event(Box::new(kind)),
            ids,
            marked_error,
            line: number,
        };
        Ok(match payload.kind {
            PayloadKind::Batch(calls) => calls
                .into_iter()
                .filter(|call| self.is_new(call))
                .map(|call| {
                    let marked = !matches!(call.status, Status::Succeeded | Status::Unstated | Status::InBackground);
                    let ids = call.ids.clone();
                    entry(PayloadKind::Call(call), ids, marked)
                })
                .collect(),
            PayloadKind::Call(call) => {
                let ids = call.ids.clone();
                if self.is_new(&call) { vec![entry(PayloadKind::Call(call), ids, marked_error)] } else { Vec::new() }
            }
            PayloadKind::Before(_) | PayloadKind::SessionStart { .. } | PayloadKind::Other => Vec::new(),
            kind => vec![entry(kind, payload.ids.clone(), marked_error)],
        })
    }

    fn is_new(&mut self, call: &ToolCall<'_>) -> bool {
        call.ids.tool_use.as_ref().is_none_or(|id| self.told.insert(id.clone()))
    }
}

/// A transcript that is read line by line, with the time of what it told last.
pub(super) struct TimedLines<'s> {
    pub(super) file: usize,
    pub(super) read: FileRead,
    lines: Option<LineReader<Bytes<'s>>>,
    transcript: Transcript,
}

impl<'s> TimedLines<'s> {
    pub(super) fn open(
        file: usize,
        session: &'s Session,
        source: &'s SourceFile,
        with_files: bool,
        counter: &'s AtomicU64,
    ) -> Self {
        let mut read = FileRead::default();
        let lines = lines_of_source(source, counter, &mut read);
        let transcript = Transcript::of(session.host.unwrap_or_default()).in_folder(source.folder(session.host));
        let transcript = if with_files { transcript.with_files() } else { transcript };
        Self { file, read, lines, transcript }
    }

    /// What the next line tells that tells anything; None at the end.
    pub(super) fn pull(&mut self) -> Option<Vec<TranscriptEntry>> {
        loop {
            let line = next(self.lines.as_mut()?, &mut self.read)?;
            let Some(text) = line.text else {
                self.transcript.too_long();
                continue;
            };
            let entries = match std::str::from_utf8(text) {
                Ok(text) => self.transcript.line(text),
                Err(_) => self.transcript.line(&String::from_utf8_lossy(text)),
            };
            if !entries.is_empty() {
                return Some(entries);
            }
        }
    }

    /// What was read, once nothing more is wanted.
    pub(super) fn finish(self) -> FileRead {
        let mut read = self.read;
        let told = self.transcript.finish();
        let unread = told.skipped.iter().filter_map(|(skip, count)| Some((reason_of(*skip)?, *count)));
        for (reason, count) in unread.chain([(NO_RESULT, told.without_result)]).filter(|(_, count)| *count > 0) {
            *read.skipped.entry(reason).or_default() += count as u64;
        }
        read
    }
}

/// Why a line was left out, where that says anything: blank lines and lines about other things are no loss.
fn reason_of(skip: Skip) -> Option<&'static str> {
    match skip {
        Skip::Blank | Skip::NothingInIt => None,
        Skip::TooLong => Some(TOO_LONG),
        Skip::NotJson => Some(NOT_JSON),
        Skip::UnknownType => Some(UNKNOWN_TYPE),
        Skip::ResultWithoutCall => Some(NO_CALL),
        Skip::Duplicate => Some(COPY),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_explains_every_reason() {
        let page = include_str!("../../../docs/sessions.md");
        let reasons = [
            TOO_LONG,
            NOT_JSON,
            UNKNOWN_TYPE,
            NO_CALL,
            COPY,
            NO_RESULT,
            NO_PAYLOAD,
            NO_EVENT,
            NEWER,
            OLDER,
            TRANSCRIBED,
        ];
        let table = page.split("| reason | meaning |").nth(1).unwrap().split("\n\n").next().unwrap();
        let rows: Vec<&str> = table.lines().skip(2).map(|row| row.split('|').nth(1).unwrap().trim()).collect();
        assert_eq!(rows.len(), reasons.len());
        assert!(reasons.iter().all(|reason| rows.contains(reason)), "{rows:?}");
    }
}
