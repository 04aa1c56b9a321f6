//! `counts.jsonl` beside the base: what sources taught that are gone, and the counts of other machines. Everything else of
//! the base can be made again from its sources, and this from here.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::base::{BaseWriter, SourceKind};
use super::fault::StoreFault;
use super::row::StoredRow;
use crate::journal::{put_private, remove};

/// The name of the file, beside the base.
const COUNTS: &str = "counts.jsonl";

/// A line of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct KeptLine {
    /// Whether it came from another machine.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    import: bool,
    #[serde(flatten)]
    row: StoredRow,
}

/// The rows that the file keeps.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct KeptCounts {
    gone: Vec<StoredRow>,
    import: Vec<StoredRow>,
}

/// Where the file of a base is.
pub fn path_of(base: &Path) -> PathBuf {
    base.with_file_name(COUNTS)
}

/// The path under which a kind of row stands in the base: it is no file.
pub(super) fn name_of(kind: SourceKind) -> &'static str {
    kind.as_str()
}

/// What the file keeps. A line that cannot be read is left out.
///
/// # Errors
/// When the file is there and cannot be read.
pub(super) fn read(base: &Path) -> Result<KeptCounts, StoreFault> {
    let text = match fs_err::read_to_string(path_of(base)) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(KeptCounts::default()),
        text => text?,
    };
    let mut kept = KeptCounts::default();
    for line in text.lines().filter_map(|line| serde_json::from_str::<KeptLine>(line).ok()) {
        if line.import { kept.import.push(line.row) } else { kept.gone.push(line.row) }
    }
    Ok(kept)
}

/// Takes what the file keeps into a base that is new.
pub(super) fn restore(writer: &BaseWriter<'_>, kept: &KeptCounts) -> Result<(), StoreFault> {
    for (kind, rows) in [(SourceKind::Gone, &kept.gone), (SourceKind::Import, &kept.import)] {
        if !rows.is_empty() {
            let source = writer.source(name_of(kind), kind, "", "")?;
            writer.put(source, rows)?;
        }
    }
    Ok(())
}

/// Keeps more rows of sources that are gone: in the base, and in the file before the base says so. A process that is killed in
/// between leaves them in both, and they count once.
pub(super) fn put_gone(writer: &BaseWriter<'_>, base: &Path, rows: &[StoredRow]) -> Result<(), StoreFault> {
    let source = writer.source(name_of(SourceKind::Gone), SourceKind::Gone, "", "")?;
    writer.put(source, rows)?;
    write(writer, base)
}

/// Writes the file as the base has it.
pub(super) fn write(writer: &BaseWriter<'_>, base: &Path) -> Result<(), StoreFault> {
    let mut text = Vec::new();
    for kind in [SourceKind::Gone, SourceKind::Import] {
        for row in writer.rows_of(name_of(kind))? {
            serde_json::to_writer(&mut text, &KeptLine { import: kind == SourceKind::Import, row })
                .map_err(|error| StoreFault::Io(error.to_string()))?;
            text.push(b'\n');
        }
    }
    let path = path_of(base);
    if text.is_empty() { Ok(remove(&path)?) } else { Ok(put_private(&path, &text)?) }
}
