//! A history read while others append to it: bounded reads from its end on, through rotation and truncation.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::HISTORY;
use super::file::{LINE_LIMIT, is_gone, named, open_read, read_range};
use super::lock::file_id;
use super::segments;
use crate::history::{Line, parse};

/// How much is read at once.
const CHUNK: usize = 1024 * 1024;

/// A reader that stays behind a history's last line.
#[derive(Debug)]
pub struct Follower {
    dir: PathBuf,
    /// How much of the history's end is read at the beginning.
    most: u64,
    /// Segments that are read before the history.
    older: VecDeque<PathBuf>,
    part: Option<OpenPart>,
    /// How long the parts before this one are together.
    base: u64,
    /// Whether the history was longer than what is read of it.
    is_cut: bool,
    /// How much of the next part is passed over.
    skip: u64,
    /// The beginning of a line that is not finished yet.
    unfinished: Vec<u8>,
    /// Whether what comes until the next newline is no whole line.
    in_half_line: bool,
}

/// The part that is being read.
#[derive(Debug)]
struct OpenPart {
    file: File,
    is_segment: bool,
    /// How far it is read.
    at: u64,
}

/// What a look at the history gave.
#[derive(Debug, PartialEq)]
pub enum Followed {
    /// Lines, each with its byte offset. There may be more at once.
    Lines(Vec<(u64, Line)>),
    /// The history was cut or replaced: what was folded is void, and reading starts over.
    Restarted,
    /// Nothing new.
    Idle,
}

impl Follower {
    /// Follows the history in a folder, which need not exist yet, from `most` bytes before its end on; a line that would be
    /// cut in half is left out.
    pub fn begin(dir: &Path, most: u64) -> Self {
        let segments = segments::of_history(dir).unwrap_or_default();
        let length = fs::symlink_metadata(dir.join(HISTORY)).map_or(0, |meta| meta.len());
        let whole = segments.iter().map(|segment| segment.length).sum::<u64>() + length;
        let mut follower = Self {
            dir: dir.to_owned(),
            most,
            older: VecDeque::new(),
            part: None,
            base: 0,
            is_cut: whole > most,
            skip: whole.saturating_sub(most),
            unfinished: Vec::new(),
            in_half_line: false,
        };
        for segment in segments {
            if follower.older.is_empty() && follower.skip >= segment.length {
                follower.base += segment.length;
                follower.skip -= segment.length;
            } else {
                follower.older.push_back(segment.path);
            }
        }
        follower
    }

    /// Whether the history was longer than what is read of it.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// What was appended since the last look, at most a mebibyte at once.
    ///
    /// # Errors
    /// When a part of the history cannot be read, or is no regular file.
    pub fn look(&mut self) -> io::Result<Followed> {
        loop {
            let Some(part) = &mut self.part else {
                if self.open_next()? {
                    continue;
                }
                return Ok(Followed::Idle);
            };
            let bytes = read_range(&mut part.file, part.at, CHUNK)?;
            if !bytes.is_empty() {
                let at = self.base + part.at - self.unfinished.len() as u64;
                part.at += bytes.len() as u64;
                return Ok(Followed::Lines(self.lines(&bytes, at)));
            }
            // At the end of what is there: it may grow, or have been cut, set aside or deleted.
            let meta = part.file.metadata()?;
            let is_current = !part.is_segment && is_at_its_place(&self.dir, &meta);
            if meta.len() < part.at || (!part.is_segment && !is_current && is_gone(&meta)) {
                *self = Self::begin(&self.dir, self.most);
                return Ok(Followed::Restarted);
            }
            if is_current {
                return Ok(Followed::Idle);
            }
            // A segment is read to its end, or the history was set aside: another part follows.
            self.base += part.at;
            self.part = None;
            self.unfinished.clear();
        }
    }

    /// Opens the next part; false where there is none yet.
    fn open_next(&mut self) -> io::Result<bool> {
        let segment = self.older.pop_front();
        let is_segment = segment.is_some();
        let path = segment.unwrap_or_else(|| self.dir.join(HISTORY));
        let file = match open_read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(is_segment),
            opened => opened.map_err(named(&path))?,
        };
        let at = std::mem::take(&mut self.skip);
        self.in_half_line = at > 0;
        self.part = Some(OpenPart { file, is_segment, at });
        Ok(true)
    }

    /// The lines that are whole with these bytes; `at` is where the unfinished one before them began.
    fn lines(&mut self, bytes: &[u8], mut at: u64) -> Vec<(u64, Line)> {
        let mut lines = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.unfinished.extend_from_slice(piece);
            if !piece.ends_with(b"\n") {
                break;
            }
            let line = std::mem::take(&mut self.unfinished);
            if !std::mem::take(&mut self.in_half_line) {
                lines.push((at, parse(&line)));
            }
            at += line.len() as u64;
        }
        // A line without an end must not fill the memory; its rest is skipped as the half of a line is.
        if self.unfinished.len() as u64 > LINE_LIMIT {
            self.unfinished.clear();
            self.in_half_line = true;
            lines.push((at, Line::Unreadable));
        }
        lines
    }
}

/// Whether the history in a folder is still this file.
fn is_at_its_place(dir: &Path, meta: &fs::Metadata) -> bool {
    fs::symlink_metadata(dir.join(HISTORY)).is_ok_and(|here| file_id(&here) == file_id(meta))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::history::{Body, Event};
    use crate::model::Ids;

    fn event(id: &str) -> String {
        let event = Event::new(id.to_owned(), "t", "session/s", &Ids::default(), Body::Foreign);
        serde_json::to_string(&event).unwrap() + "\n"
    }

    fn append(dir: &Path, text: &str) {
        let mut file = fs::OpenOptions::new().create(true).append(true).open(dir.join(HISTORY)).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    /// What is there now: the ids of events, `-` for a line that is none, `!` where it starts over.
    fn seen(follower: &mut Follower) -> Vec<String> {
        let mut seen = Vec::new();
        loop {
            match follower.look().unwrap() {
                Followed::Lines(lines) => seen.extend(lines.into_iter().map(|(_, line)| match line {
                    Line::Event(event) => event.id,
                    _ => "-".to_owned(),
                })),
                Followed::Restarted => seen.push("!".to_owned()),
                Followed::Idle => return seen,
            }
        }
    }

    #[test]
    fn lines_come_once_they_are_whole() {
        let dir = tempfile::tempdir().unwrap();
        let mut follower = Follower::begin(dir.path(), u64::MAX);
        assert_eq!(seen(&mut follower), [""; 0]);
        append(dir.path(), &event("a"));
        assert_eq!(seen(&mut follower), ["a"]);
        let line = event("b");
        append(dir.path(), &line[..20]);
        assert_eq!(seen(&mut follower), [""; 0]);
        append(dir.path(), &format!("{}x\n{}", &line[20..], event("c")));
        assert_eq!(seen(&mut follower), ["b", "-", "c"]);
    }

    #[test]
    fn places_go_on_counting_over_segments() {
        let dir = tempfile::tempdir().unwrap();
        append(dir.path(), &event("a"));
        let mut follower = Follower::begin(dir.path(), u64::MAX);
        assert_eq!(seen(&mut follower), ["a"]);
        append(dir.path(), &event("b"));
        fs::rename(dir.path().join(HISTORY), dir.path().join("history-20260301T100000Z.jsonl")).unwrap();
        append(dir.path(), &event("c"));
        assert_eq!(seen(&mut follower), ["b", "c"]);
        let mut anew = Follower::begin(dir.path(), u64::MAX);
        let Followed::Lines(first) = anew.look().unwrap() else { panic!() };
        let Followed::Lines(second) = anew.look().unwrap() else { panic!() };
        let places: Vec<u64> = first.iter().chain(&second).map(|(at, _)| *at).collect();
        let length = event("a").len() as u64;
        assert_eq!(places, [0, length, 2 * length]);
    }

    #[test]
    fn only_the_end_is_read_and_no_half_line() {
        let dir = tempfile::tempdir().unwrap();
        append(dir.path(), &(event("a") + &event("b")));
        fs::rename(dir.path().join(HISTORY), dir.path().join("history-20260301T100000Z.jsonl")).unwrap();
        append(dir.path(), &(event("c") + &event("d")));
        let line = event("a").len() as u64;
        for (most, expected) in [
            (0, &[][..]),
            (line, &[]),
            (line + 1, &["d"]),
            (3 * line - 1, &["c", "d"]),
            (4 * line, &["a", "b", "c", "d"]),
        ] {
            assert_eq!(seen(&mut Follower::begin(dir.path(), most)), expected, "the last {most} bytes");
        }
    }

    #[test]
    fn a_history_that_was_cut_or_replaced_is_read_anew() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(HISTORY);
        append(dir.path(), &(event("a") + &event("b")));
        let mut follower = Follower::begin(dir.path(), u64::MAX);
        assert_eq!(seen(&mut follower), ["a", "b"]);
        fs::write(&path, event("c")).unwrap();
        assert_eq!(seen(&mut follower), ["!", "c"]);
        fs::remove_file(&path).unwrap();
        append(dir.path(), &(event("d") + &event("e")));
        assert_eq!(seen(&mut follower), ["!", "d", "e"]);
        fs::remove_file(&path).unwrap();
        assert_eq!(seen(&mut follower), ["!"]);
        append(dir.path(), &event("f"));
        assert_eq!(seen(&mut follower), ["f"]);
    }

    #[test]
    fn an_endless_line_is_dropped_and_the_next_one_read() {
        let dir = tempfile::tempdir().unwrap();
        append(dir.path(), &"x".repeat(usize::try_from(LINE_LIMIT).unwrap() + 2 * CHUNK));
        let mut follower = Follower::begin(dir.path(), u64::MAX);
        assert_eq!(seen(&mut follower), ["-"]);
        assert!(follower.unfinished.len() <= CHUNK);
        append(dir.path(), &format!("x\n{}", event("a")));
        assert_eq!(seen(&mut follower), ["a"]);
    }
}
