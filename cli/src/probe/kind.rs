//! What kind of thing a path names, by its first bytes.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use crate::recover::look::FileKind;

/// Where a tar archive says that it is one.
const TAR_MARK: usize = 257;

pub(super) fn of(path: &Path) -> Option<FileKind> {
    let about = fs::metadata(path).ok()?;
    if about.is_dir() {
        return Some(FileKind::Dir);
    }
    // Reading from a pipe or device might wait for ever.
    if !about.is_file() {
        return Some(FileKind::Other);
    }
    let mut head = Vec::with_capacity(512);
    if File::open(path).and_then(|file| file.take(512).read_to_end(&mut head)).is_err() {
        return Some(FileKind::Other);
    }
    Some(by_head(&head))
}

fn by_head(head: &[u8]) -> FileKind {
    const PACKED: &[(&[u8], &str)] =
        &[(b"\x1f\x8b", "gzip"), (b"BZh", "bzip2"), (b"\xfd7zXZ\0", "xz"), (b"\x28\xb5\x2f\xfd", "zstd")];
    if let Some((_, program)) = PACKED.iter().find(|(mark, _)| head.starts_with(mark)) {
        return FileKind::Packed(program);
    }
    if head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06") {
        return FileKind::Zip;
    }
    if head.get(TAR_MARK..TAR_MARK + 5) == Some(b"ustar") {
        return FileKind::Tar;
    }
    if head.starts_with(b"\x7fELF") || head.starts_with(b"\xcf\xfa\xed\xfe") || head.starts_with(b"\xca\xfe\xba\xbe") {
        return FileKind::Binary;
    }
    if let Some(rest) = head.strip_prefix(b"#!") {
        let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let words = String::from_utf8_lossy(line).split_whitespace().map(str::to_owned).collect();
        return FileKind::Script(words);
    }
    if head.contains(&0) { FileKind::Other } else { FileKind::Text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_told_by_their_first_bytes() {
        let mut tar = vec![b'a'; 512];
        tar[TAR_MARK..TAR_MARK + 5].copy_from_slice(b"ustar");
        for (head, kind) in [
            (&b"\x1f\x8b\x08"[..], FileKind::Packed("gzip")),
            (b"PK\x03\x04", FileKind::Zip),
            (&tar, FileKind::Tar),
            (b"#!/usr/bin/env python3\nx", FileKind::Script(vec!["/usr/bin/env".to_owned(), "python3".to_owned()])),
            (b"plain", FileKind::Text),
            (b"a\0b", FileKind::Other),
        ] {
            assert_eq!(by_head(head), kind);
        }
    }
}
