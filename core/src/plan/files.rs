//! Reading the plan tree's files: bounded, and never through a symbolic link.
#![expect(
    clippy::disallowed_methods,
    reason = "the plan tree is an edge; these functions are its only access to files"
)]

use std::{
    fs,
    io::{self, Read, Seek, SeekFrom},
    path::Path,
};

use super::PlanError;
use crate::conflicts::CONFLICTS;
use crate::journal::open_sized;

/// The largest file that is read whole.
pub const LARGEST_FILE: usize = 64 * 1024;
/// How much of the end of a log is read.
pub const TAIL: usize = 256 * 1024;

/// What a folder holds: a name, and whether it is a folder. Everything else than files and folders is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderEntry {
    /// Its name in the folder.
    pub name: String,
    /// Whether it is a folder, and no link to one.
    pub is_folder: bool,
}

/// A small file's text. Bytes that are no UTF-8 become replacement characters.
pub fn read(file: &Path) -> Result<String, PlanError> {
    let unreadable = |error: io::Error| PlanError::Unreadable { file: file.to_owned(), kind: error.kind() };
    let (open, length) = open_sized(file).map_err(unreadable)?;
    if length > LARGEST_FILE as u64 {
        return Err(PlanError::TooLarge { file: file.to_owned(), limit: LARGEST_FILE });
    }
    bytes_of(open, length).map(text_of).map_err(unreadable)
}

/// The beginning of a text: of a page that grew large its front matter all the same.
pub fn front_text(file: &Path) -> Result<String, PlanError> {
    let read = open_sized(file).and_then(|(open, length)| bytes_of(open, length.min(LARGEST_FILE as u64)));
    read.map(text_of).map_err(|error| PlanError::Unreadable { file: file.to_owned(), kind: error.kind() })
}

/// The last lines of a log, whole lines only; nothing when there is no log.
pub fn tail(file: &Path) -> String {
    let Ok((mut open, length)) = open_sized(file) else { return String::new() };
    let start = length.saturating_sub(TAIL as u64);
    let bytes = open.seek(SeekFrom::Start(start)).and_then(|start| bytes_of(open, length - start));
    let text = bytes.map(text_of).unwrap_or_default();
    if start == 0 { text } else { text.split_once('\n').map_or_else(String::new, |(_, whole)| whole.to_owned()) }
}

/// The end of the tree's log of conflicts.
pub fn conflict_log(dir: &Path) -> String {
    tail(&dir.join(CONFLICTS))
}

/// What a folder holds, at most `most` entries; nothing when it is not a folder of the tree.
pub fn list(folder: &Path, most: usize) -> Vec<FolderEntry> {
    if is_folder(folder) { folder_entries(folder, most) } else { Vec::new() }
}

/// The same of a folder of which nothing but names is wanted, so that it may be a link.
pub fn folder_entries(folder: &Path, most: usize) -> Vec<FolderEntry> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.take(most).filter_map(|entry| entry_of(&entry.ok()?)).collect()
}

/// Whether a file is there and is neither a folder nor a link.
pub fn is_file(file: &Path) -> bool {
    fs::symlink_metadata(file).is_ok_and(|metadata| metadata.is_file())
}

/// Whether a folder is there and is no link.
pub fn is_folder(folder: &Path) -> bool {
    fs::symlink_metadata(folder).is_ok_and(|metadata| metadata.is_dir())
}

fn entry_of(entry: &fs::DirEntry) -> Option<FolderEntry> {
    let kind = entry.file_type().ok()?;
    let name = entry.file_name().into_string().ok()?;
    (kind.is_dir() || kind.is_file()).then_some(FolderEntry { name, is_folder: kind.is_dir() })
}

/// At most `length` bytes of an open file; what it grew by since its length was taken is left.
pub fn bytes_of(open: impl Read, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
    open.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Text, whatever the bytes are: what is no UTF-8 becomes replacement characters.
pub fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::{LARGEST_FILE, TAIL, is_file, list, read, tail};
    use crate::plan::PlanError;

    #[test]
    fn a_log_is_read_from_its_last_whole_lines() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log.jsonl");
        assert_eq!(tail(&log), "");
        std::fs::write(&log, "one\ntwo\n").unwrap();
        assert_eq!(tail(&log), "one\ntwo\n");
        let text = "\u{e9}".repeat(TAIL) + "\nlast\n";
        std::fs::write(&log, text).unwrap();
        assert_eq!(tail(&log), "last\n");
    }

    #[test]
    fn large_files_are_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("task.md");
        std::fs::write(&file, "x".repeat(LARGEST_FILE)).unwrap();
        assert_eq!(read(&file).unwrap().len(), LARGEST_FILE);
        std::fs::write(&file, "x".repeat(LARGEST_FILE + 1)).unwrap();
        assert!(matches!(read(&file), Err(PlanError::TooLarge { .. })));
        std::fs::write(&file, b"a\xffb").unwrap();
        assert_eq!(read(&file).unwrap(), "a\u{fffd}b");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (inside, outside) = (folder.path().join("in"), folder.path().join("out"));
        std::fs::create_dir(&inside).unwrap();
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(outside.join("a.md"), "secret").unwrap();
        std::os::unix::fs::symlink(outside.join("a.md"), inside.join("a.md")).unwrap();
        std::os::unix::fs::symlink(&outside, inside.join("more")).unwrap();
        assert!(read(&inside.join("a.md")).is_err());
        assert!(!is_file(&inside.join("a.md")));
        assert_eq!(list(&inside, 10), []);
        assert_eq!(list(&inside.join("more"), 10), []);
        assert_eq!(tail(&inside.join("a.md")), "");
    }
}
