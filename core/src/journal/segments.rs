//! Older parts of a history: `history-<UTC stamp>.jsonl`, set aside by command. In the order of their names they go
//! before `history.jsonl`, and together they are one history.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use chrono::{NaiveDateTime, TimeDelta};

use super::HISTORY;
use super::file::named;
use super::origin::opening;
use crate::trust::begun_by;

/// How the stamp in a segment's name is written.
const STAMP: &str = "%Y%m%dT%H%M%SZ";
/// How long a stamp is: `20260301T100000Z`.
const STAMP_LENGTH: usize = 16;

/// A part of a history that was set aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) path: PathBuf,
    pub(super) length: u64,
    /// When it was set aside: everything in it is older.
    pub(super) stamp: NaiveDateTime,
}

/// The segments in a folder, oldest first. Only regular files of that very name count.
///
/// # Errors
/// When the folder or one of them cannot be looked at: a history that lacks a part is another history.
pub(super) fn list(dir: &Path) -> io::Result<Vec<Segment>> {
    let mut segments = Vec::new();
    for entry in fs::read_dir(dir).map_err(named(dir))? {
        segments.extend(segment(entry?.path())?);
    }
    segments.sort_unstable_by_key(|segment| segment.stamp);
    Ok(segments)
}

/// The segments that belong to the history in a folder. Where the history says who began it, those that say the same:
/// another one was slipped in, or is not taken over yet.
///
/// # Errors
/// As [`list`].
pub(super) fn of_history(dir: &Path) -> io::Result<Vec<Segment>> {
    let mut segments = list(dir)?;
    if let Some(begun) = segments.first().and_then(|_| begun_by(&opening(&dir.join(HISTORY)))) {
        segments.retain(|segment| begun_by(&opening(&segment.path)).as_ref() == Some(&begun));
    }
    Ok(segments)
}

fn segment(path: PathBuf) -> io::Result<Option<Segment>> {
    let Some(stamp) = path.file_name().and_then(|name| stamp_of(name.to_str()?)) else { return Ok(None) };
    let meta = fs::symlink_metadata(&path).map_err(named(&path))?;
    Ok(meta.is_file().then_some(Segment { path, length: meta.len(), stamp }))
}

fn stamp_of(name: &str) -> Option<NaiveDateTime> {
    let stamp = name.strip_prefix("history-")?.strip_suffix(".jsonl")?;
    if stamp.len() != STAMP_LENGTH {
        return None;
    }
    NaiveDateTime::parse_from_str(stamp, STAMP).ok()
}

/// The name of the next segment. A clock that went backwards, or stood still, must not put it before the last one.
pub(super) fn next_name(last: Option<&Segment>, now: NaiveDateTime) -> String {
    let after_last = last.and_then(|last| last.stamp.checked_add_signed(TimeDelta::seconds(1)));
    let stamp = after_last.map_or(now, |earliest| earliest.max(now));
    format!("history-{}.jsonl", stamp.format(STAMP))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> NaiveDateTime {
        NaiveDateTime::parse_from_str(text, STAMP).unwrap()
    }

    #[test]
    fn segments_are_told_from_files_that_look_alike() {
        let dir = tempfile::tempdir().unwrap();
        let names = ["history-20260302T000000Z.jsonl", "history-20260301T235959Z.jsonl"];
        let others = [
            "history.jsonl",
            "history-old.jsonl",
            "history-20260301T235959Z.jsonl.bak",
            "history-20261301T000000Z.jsonl",
            "history-20260301T1Z.jsonl",
            "history-020260301T000000Z.jsonl",
        ];
        for name in names.iter().chain(&others) {
            fs::write(dir.path().join(name), "x").unwrap();
        }
        fs::create_dir(dir.path().join("history-20250101T000000Z.jsonl")).unwrap();
        let found = list(dir.path()).unwrap();
        let found: Vec<_> = found.iter().map(|segment| segment.path.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(found, ["history-20260301T235959Z.jsonl", "history-20260302T000000Z.jsonl"]);
    }

    #[test]
    fn names_follow_one_another_whatever_the_clock_says() {
        let last = Segment { path: PathBuf::new(), length: 0, stamp: at("20260301T100000Z") };
        let cases = [
            (None, "20260301T100000Z", "history-20260301T100000Z.jsonl"),
            (Some(&last), "20260301T120000Z", "history-20260301T120000Z.jsonl"),
            (Some(&last), "20260301T100000Z", "history-20260301T100001Z.jsonl"),
            (Some(&last), "20190101T000000Z", "history-20260301T100001Z.jsonl"),
        ];
        for (last, now, name) in cases {
            assert_eq!(next_name(last, at(now)), name);
        }
    }
}
