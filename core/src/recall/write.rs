//! Writing a recall file, which only the commands do.

use std::io;
use std::path::Path;

use super::form::{ENTRY, HEADER, Header, RecallEntry, RecallLesson, Section, key_of};
use crate::digest::checksum;
use crate::journal::{put_private, remove};

/// Puts the recall file of an owner in its place, as a whole. Of one signature the lessons stay in their order. Without a
/// lesson there is no file.
///
/// # Errors
/// When it cannot be written or taken away.
#[expect(clippy::disallowed_methods, reason = "an edge: lessons are kept in files")]
pub fn put(path: &Path, owner: &str, lessons: &[RecallLesson]) -> io::Result<()> {
    let bytes = bytes(owner, lessons);
    if bytes.len() == HEADER {
        return remove(path);
    }
    // What is there already need not be written again, so that hooks continue with their present files at hand.
    if std::fs::read(path).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    put_private(path, &bytes)
}

fn bytes(owner: &str, lessons: &[RecallLesson]) -> Vec<u8> {
    let mut rows: Vec<(Section, u64, Vec<u8>)> = lessons.iter().filter_map(row).collect();
    rows.sort_by_key(|(section, key, _)| (*section == Section::Coarse, *key));
    let fine = rows.iter().filter(|(section, ..)| *section == Section::Fine).count();
    let mut offset = HEADER + rows.len() * ENTRY;
    let mut entries = Vec::with_capacity(rows.len() * ENTRY);
    for (_, key, text) in &rows {
        let entry =
            RecallEntry { key: *key, offset: offset as u64, length: text.len() as u64, sum: checksum(text) ^ key };
        entries.extend(entry.bytes());
        offset += text.len();
    }
    let header = Header { fine: fine as u64, coarse: (rows.len() - fine) as u64, length: offset as u64 };
    let mut bytes = header.bytes(owner);
    bytes.extend(entries);
    for (.., text) in &rows {
        bytes.extend(text);
    }
    bytes
}

fn row(lesson: &RecallLesson) -> Option<(Section, u64, Vec<u8>)> {
    let section = if lesson.is_coarse { Section::Coarse } else { Section::Fine };
    Some((section, key_of(&lesson.signature)?, lesson.bytes()?))
}
