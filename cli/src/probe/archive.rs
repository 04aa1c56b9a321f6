//! The names of what an archive holds: a tar archive, packed by gzip or not, and a zip archive.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::Instant;

use flate2::read::MultiGzDecoder;

/// The most names, and the most that is unpacked to find them, in bytes.
const MOST_NAMES: usize = 1_000;
const MOST_UNPACKED: u64 = 64 * 1024 * 1024;
/// The size of a block of a tar archive.
const BLOCK: usize = 512;
/// The most of the end of a zip archive, where its list stands, in bytes.
const MOST_LIST: u64 = 1024 * 1024;

pub(super) fn listed_names(path: &Path, until: Instant) -> Option<Vec<String>> {
    if !path.is_file() {
        return None;
    }
    let mut head = [0; 4];
    let opened = || File::open(path).ok();
    opened()?.read_exact(&mut head).ok()?;
    match head {
        [b'P', b'K', _, _] => opened().and_then(of_zip),
        [0x1f, 0x8b, _, _] => opened().map(|file| of_tar(MultiGzDecoder::new(BufReader::new(file)), until)),
        _ => opened().map(|file| of_tar(BufReader::new(file), until)),
    }
}

fn of_tar(stream: impl Read, until: Instant) -> Vec<String> {
    let mut stream = stream.take(MOST_UNPACKED);
    let mut names = Vec::new();
    let mut block = [0; BLOCK];
    while names.len() < MOST_NAMES && Instant::now() < until && stream.read_exact(&mut block).is_ok() {
        if block.get(257..262) != Some(b"ustar") {
            break;
        }
        let text = |from: usize, to: usize| {
            let bytes = block.get(from..to).unwrap_or_default();
            let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
            std::str::from_utf8(bytes.get(..end).unwrap_or_default()).unwrap_or_default().trim()
        };
        let Ok(size) = u64::from_str_radix(text(124, 136), 8) else { break };
        // Other kinds only say more of the next one.
        if matches!(block.get(156), Some(b'0' | b'5' | 0)) {
            let folder = text(345, 500);
            let is_plain = block.get(263..265) == Some(b"00") && !folder.is_empty();
            names.push(if is_plain { format!("{folder}/{}", text(0, 100)) } else { text(0, 100).to_owned() });
        }
        let rest = size.div_ceil(BLOCK as u64) * BLOCK as u64;
        if std::io::copy(&mut stream.by_ref().take(rest), &mut std::io::sink()).is_err() {
            break;
        }
    }
    names
}

/// By the list at the end of the archive.
fn of_zip(mut file: File) -> Option<Vec<String>> {
    let size = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(size.saturating_sub(MOST_LIST))).ok()?;
    let mut end = Vec::new();
    file.take(MOST_LIST).read_to_end(&mut end).ok()?;
    let mut names = Vec::new();
    let mut at = 0;
    while names.len() < MOST_NAMES {
        let Some(found) = end.get(at..)?.windows(4).position(|mark| mark == b"PK\x01\x02") else { break };
        let entry = end.get(at + found..)?;
        let length = usize::from(u16::from_le_bytes([*entry.get(28)?, *entry.get(29)?]));
        names.extend(entry.get(46..46 + length).and_then(|name| String::from_utf8(name.to_vec()).ok()));
        at += found + 46 + length;
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_that_are_torn_or_none_have_no_names() {
        let folder = tempfile::tempdir().unwrap();
        let until = Instant::now() + std::time::Duration::from_secs(2);
        for bytes in [
            &b"PK\x03\x04"[..],
            b"PK\x01\x02\xff\xff",
            b"\x1f\x8b\x08\x00",
            b"",
            b"plain text of some length",
            &[0; 600],
        ] {
            let path = folder.path().join("a");
            std::fs::write(&path, bytes).unwrap();
            assert!(listed_names(&path, until).unwrap_or_default().is_empty(), "{bytes:?}");
        }
    }
}
