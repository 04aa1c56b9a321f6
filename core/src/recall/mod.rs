//! What worked before, kept so that a hook finds it with a few reads: a flat file for each project and one for the user,
//! sorted by signature, its texts ready made. The learner writes it anew as a whole; the hook opens it after a failure,
//! and whatever is not as it should be is silence. An edge.

mod due;
mod form;
mod line;
mod write;

use std::fs::File;
use std::path::Path;

use crate::digest::checksum;
use crate::journal::{open_sized, read_all_at};
use crate::knowledge::{case_fix_key, case_key, fill};
use crate::model::{Category, Recalled, Sought};
use crate::time::since_1970;
pub use due::is_due;
pub use due::{files_of, note_learned};
pub use form::RecallLesson;
use form::{BLOCK, ENTRY, HEADER, Header, RecallEntry, RecallText, Section, key_of};
pub use line::take_line;
pub use line::{put_line, put_told, told_lines};
pub use write::put;

/// The name of a recall file in a project's folder of the state directory, and in the state directory itself.
pub const RECALL: &str = "recall.bin";
/// The owner of the user's own recall file: no project has such a name.
pub const OF_USER: &str = ".";

/// The most lessons of one signature that are looked at.
const MOST_OF_ONE: usize = 8;

/// What a recall file knows of a failure: the first lesson of its signature that may be told. `owner` names whose file it
/// has to be, and `own_only` leaves out what rests on the team's word.
///
/// Nothing where the file is not there, is no regular one, was torn, is somebody else's or of another version.
pub fn look_up(path: &Path, owner: &str, sought: &Sought<'_>, own_only: bool) -> Option<Recalled> {
    let (file, header) = opened(path, owner)?;
    let told = |section, key| tellable(&file, &header, section, key, sought, own_only);
    let of_case = || {
        let test = sought.test?;
        told(Section::Coarse, case_fix_key(test)).or_else(|| told(Section::Coarse, case_key(test)))
    };
    let of_signature = |section, signature| told(section, key_of(signature)?);
    let of_kind = || of_signature(Section::Coarse, sought.coarse);
    of_signature(Section::Fine, sought.fine).or_else(of_kind).or_else(of_case)
}

/// Whether a recall file knows a test as one that passes and fails by chance. `owner` names whose file it has to be.
pub fn is_flaky(path: &Path, owner: &str, test: &str) -> bool {
    let sought = Sought {
        fine: "",
        coarse: "",
        category: Category::TestFailure,
        session: None,
        object: None,
        test: Some(test),
        input: None,
        cwd: None,
        text: "",
        // The sentence is not said, so that any time will do.
        now: "1970-01-01T00:00:00Z",
        asked: false,
    };
    opened(path, owner)
        .and_then(|(file, header)| tellable(&file, &header, Section::Coarse, case_key(test), &sought, false))
        .is_some()
}

/// A recall file that is whole, and this owner's.
fn opened(path: &Path, owner: &str) -> Option<(File, Header)> {
    let (file, length) = open_sized(path).ok()?;
    let mut bytes = [0; HEADER];
    read_whole(&file, &mut bytes, 0)?;
    let header = Header::read(&bytes, length, owner)?;
    Some((file, header))
}

fn tellable(
    file: &File,
    header: &Header,
    section: Section,
    key: u64,
    sought: &Sought<'_>,
    own_only: bool,
) -> Option<Recalled> {
    let (from, until) = header.entries(section);
    if from == until {
        return None;
    }
    let mut low = from;
    let mut high = until;
    // What is left is read in one piece.
    while high - low > BLOCK as u64 / 2 {
        let middle = low + (high - low) / 2;
        let mut bytes = [0; 8];
        read_whole(file, &mut bytes, Header::place_of(middle))?;
        if u64::from_le_bytes(bytes) < key { low = middle + 1 } else { high = middle }
    }
    let mut block = [0; BLOCK * ENTRY];
    let count = usize::try_from(until - low).unwrap_or(BLOCK).min(BLOCK);
    let block = block.get_mut(..count * ENTRY)?;
    read_whole(file, block, Header::place_of(low))?;
    let entries = block.as_chunks::<ENTRY>().0.iter().map(RecallEntry::read);
    let same = entries.skip_while(|entry| entry.key < key).take_while(|entry| entry.key == key).take(MOST_OF_ONE);
    same.filter_map(|entry| text_of(file, header, &entry)).find_map(|bytes| recalled_from(&bytes, sought, own_only))
}

/// The bytes of a lesson, where they are the ones that were written for this signature.
fn text_of(file: &File, header: &Header, entry: &RecallEntry) -> Option<Vec<u8>> {
    let mut bytes = vec![0; header.length_of(entry)?];
    read_whole(file, &mut bytes, entry.offset)?;
    (checksum(&bytes) ^ entry.key == entry.sum).then_some(bytes)
}

/// The sentence of a lesson, where this session may hear it.
fn recalled_from(bytes: &[u8], sought: &Sought<'_>, own_only: bool) -> Option<Recalled> {
    let text = RecallText::read(bytes)?;
    let own = sought.session.and_then(session_key);
    let is_own = own.is_some_and(|own| text.sessions().any(|session| session == own));
    let is_out_of_place = if sought.asked { text.seen_before } else { text.if_asked };
    if is_own || is_out_of_place || (own_only && text.is_of_team) {
        return None;
    }
    if !text.signs().fit(sought.input.unwrap_or_default(), sought.cwd, sought.text) {
        return None;
    }
    let now = since_1970(sought.now)?;
    let last_worked = Some(text.last_worked).filter(|last| *last > 0);
    let words = fill(text.words, sought.object, last_worked, now)?;
    Some(Recalled { id: text.id.to_owned(), words, seen_before: text.seen_before })
}

/// Reads a whole buffer from a place. A file that ends before that says nothing.
fn read_whole(file: &File, buffer: &mut [u8], at: u64) -> Option<()> {
    let read = read_all_at(file, buffer, at).ok()?;
    (read == buffer.len()).then_some(())
}

/// By what a session is known in a recall file.
fn session_key(session: &str) -> Option<u64> {
    (!session.is_empty()).then(|| checksum(session.as_bytes()))
}

#[cfg(test)]
mod tests;
