//! The bytes of a recall file, all numbers in little-endian order: a header, the entries of fine signatures, those of
//! coarse ones, each sorted, and the texts. What is read of it is checked by its own sums, because nobody reads all of it.

use crate::digest::checksum;
use crate::knowledge::Signs;
use crate::model::Signature;

/// How long the header is.
pub(super) const HEADER: usize = 64;
/// How long an entry is.
pub(super) const ENTRY: usize = 32;
/// How many entries are read at once: 4 KiB.
pub(super) const BLOCK: usize = 128;
/// What every recall file begins with.
const MAGIC: [u8; 8] = *b"failwise";
/// The version of the form that this build writes, and the only one that it reads.
const VERSION: u32 = 3;
/// The longest text, in bytes.
pub(super) const LONGEST_TEXT: usize = 2048;
/// How long the id of a fix is.
const ID: usize = 8;
/// Where the sessions of a text begin: behind id, time, flags, their number and the length of the signs.
const SESSIONS: usize = ID + 8 + 2 + 2;
/// The most sessions that a text names: those that taught it last.
pub(super) const MOST_SESSIONS: usize = 64;
/// What stands between the words of a sign, and between the signs.
const WORD: char = '\0';
const LIST: char = '\u{1}';
/// The flag of a text that rests on the team's word.
const OF_TEAM: u8 = 1;
/// The flag of a text that is told to who asks.
const IF_ASKED: u8 = 2;
/// The flag of a text that only says that the failure was seen before.
const SEEN_BEFORE: u8 = 4;

/// Which signature an entry is sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    /// The same failure.
    Fine,
    /// The same kind of failure.
    Coarse,
}

/// What a recall file says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    /// How many entries of fine signatures there are.
    pub(super) fine: u64,
    /// How many of coarse ones.
    pub(super) coarse: u64,
    /// How long the file is, in bytes.
    pub(super) length: u64,
}

impl Header {
    /// The header of a file of this length, where it is whole, this owner's and of this version.
    pub(super) fn read(bytes: &[u8; HEADER], length: u64, owner: &str) -> Option<Self> {
        let (head, sum) = bytes.split_at(HEADER - 8);
        let word = |at: usize| Some(u64::from_le_bytes(*head.get(at..)?.first_chunk()?));
        let is_whole = checksum(head).to_le_bytes() == sum;
        // What an older build wrote by rules that this one knows is found again.
        let versions = |signed: u32| u64::from(VERSION) | u64::from(signed) << 32;
        let found = word(8)?;
        let is_known = (Signature::OLDEST..=Signature::VERSION).any(|signed| versions(signed) == found);
        let is_ours = head.starts_with(&MAGIC) && is_known && word(40)? == checksum(owner.as_bytes());
        let header = Self { fine: word(16)?, coarse: word(24)?, length: word(32)? };
        (is_whole && is_ours && header.length == length && header.texts()? <= length).then_some(header)
    }

    /// The bytes of a header.
    pub(super) fn bytes(self, owner: &str) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(Signature::VERSION.to_le_bytes());
        for word in [self.fine, self.coarse, self.length, checksum(owner.as_bytes()), 0] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(checksum(&bytes).to_le_bytes());
        bytes
    }

    /// The numbers of the first entry of a section, and of the one behind its last.
    pub(super) fn entries(&self, section: Section) -> (u64, u64) {
        match section {
            Section::Fine => (0, self.fine),
            Section::Coarse => (self.fine, self.fine + self.coarse),
        }
    }

    /// Where an entry stands.
    pub(super) fn place_of(entry: u64) -> u64 {
        HEADER as u64 + entry * ENTRY as u64
    }

    /// Where the texts begin; None where there would be more entries than any file holds.
    fn texts(&self) -> Option<u64> {
        self.fine.checked_add(self.coarse)?.checked_mul(ENTRY as u64)?.checked_add(HEADER as u64)
    }

    /// How long the text of an entry is, where it lies among the texts.
    pub(super) fn length_of(&self, entry: &RecallEntry) -> Option<usize> {
        let length = usize::try_from(entry.length).ok().filter(|length| *length <= LONGEST_TEXT)?;
        let is_inside = entry.offset >= self.texts()? && entry.offset.checked_add(entry.length)? <= self.length;
        is_inside.then_some(length)
    }
}

/// Where the text of a signature lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RecallEntry {
    /// The signature.
    pub(super) key: u64,
    /// Where its text begins.
    pub(super) offset: u64,
    /// How long it is.
    pub(super) length: u64,
    /// The checksum of the text, mixed with the key.
    pub(super) sum: u64,
}

impl RecallEntry {
    /// The entry of these bytes.
    pub(super) fn read(bytes: &[u8; ENTRY]) -> Self {
        let (words, _) = bytes.as_chunks();
        let mut words = words.iter().map(|word| u64::from_le_bytes(*word));
        let mut word = || words.next().unwrap_or_default();
        Self { key: word(), offset: word(), length: word(), sum: word() }
    }

    /// Its bytes.
    pub(super) fn bytes(self) -> impl Iterator<Item = u8> {
        [self.key, self.offset, self.length, self.sum].into_iter().flat_map(u64::to_le_bytes)
    }
}

/// What is written of a lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RecallText<'a> {
    /// The fix.
    pub(super) id: &'a str,
    /// When it worked last, in milliseconds since 1970.
    pub(super) last_worked: u64,
    /// Whether it is told on the team's word only.
    pub(super) is_of_team: bool,
    /// Whether it is told only to who asks.
    pub(super) if_asked: bool,
    /// Whether it only says that the failure was seen before.
    pub(super) seen_before: bool,
    /// The sentence, with its marks.
    pub(super) words: &'a str,
    signs: &'a str,
    sessions: &'a [[u8; 8]],
}

impl<'a> RecallText<'a> {
    /// The text of these bytes.
    pub(super) fn read(bytes: &'a [u8]) -> Option<Self> {
        let (head, rest) = bytes.split_at_checked(SESSIONS)?;
        let (id, behind) = head.split_at_checked(ID)?;
        let (time, behind) = behind.split_at_checked(8)?;
        let (flags, length) = behind.split_at_checked(2)?;
        let (sessions, rest) = rest.split_at_checked(8 * usize::from(*flags.get(1)?))?;
        let (signs, words) = rest.split_at_checked(usize::from(u16::from_le_bytes(length.try_into().ok()?)))?;
        Some(Self {
            id: str::from_utf8(id).ok()?,
            last_worked: u64::from_le_bytes(time.try_into().ok()?),
            is_of_team: flags.first()? & OF_TEAM != 0,
            if_asked: flags.first()? & IF_ASKED != 0,
            seen_before: flags.first()? & SEEN_BEFORE != 0,
            words: str::from_utf8(words).ok()?,
            signs: str::from_utf8(signs).ok()?,
            sessions: sessions.as_chunks().0,
        })
    }

    /// What of a call tells whether it is about it.
    pub(super) fn signs(&self) -> Signs {
        let mut lists = self.signs.split(LIST).map(words_of);
        let mut list = || lists.next().unwrap_or_default();
        Signs { needed: list(), done: list(), offered: list(), printed: list() }
    }

    /// The sessions that taught it.
    pub(super) fn sessions(&self) -> impl Iterator<Item = u64> + use<'a> {
        self.sessions.iter().map(|session| u64::from_le_bytes(*session))
    }
}

/// A lesson as the hook tells it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "the flags of a record, each said by itself")]
pub struct RecallLesson {
    /// The fix: 8 hexadecimal digits.
    pub id: String,
    /// The signature that it is told for, 16 hexadecimal digits.
    pub signature: String,
    /// Whether that is the coarse one: then it holds for any object.
    pub is_coarse: bool,
    /// The sentence behind the call's own name and a colon, as [`crate::knowledge::say`] makes it.
    pub words: String,
    /// What of a failed call tells whether the sentence is about it.
    pub signs: Signs,
    /// When it worked last, in milliseconds since 1970.
    pub last_worked: u64,
    /// Whether it is told on the team's word only.
    pub is_of_team: bool,
    /// Whether it is told only to an agent that asks.
    pub if_asked: bool,
    /// Whether it only says that earlier sessions met the failure.
    pub seen_before: bool,
    /// The sessions that taught it, the last one last: they do not hear it.
    pub sessions: Vec<String>,
}

impl RecallLesson {
    /// Its bytes; None where it is none that could be read again.
    pub(super) fn bytes(&self) -> Option<Vec<u8>> {
        let mut bytes = self.id.as_bytes().to_vec();
        let skipped = self.sessions.len().saturating_sub(MOST_SESSIONS);
        let sessions: Vec<u64> = self.sessions.iter().skip(skipped).filter_map(|id| super::session_key(id)).collect();
        bytes.extend(self.last_worked.to_le_bytes());
        let Signs { needed, done, offered, printed } = &self.signs;
        let signs = [needed, done, offered, printed].map(|words| words.join(&WORD.to_string())).join(&LIST.to_string());
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        let flags =
            flag(self.is_of_team, OF_TEAM) | flag(self.if_asked, IF_ASKED) | flag(self.seen_before, SEEN_BEFORE);
        bytes.extend([flags, u8::try_from(sessions.len()).ok()?]);
        bytes.extend(u16::try_from(signs.len()).ok()?.to_le_bytes());
        for session in sessions {
            bytes.extend(session.to_le_bytes());
        }
        bytes.extend(signs.as_bytes());
        bytes.extend(self.words.as_bytes());
        (self.id.len() == ID && bytes.len() <= LONGEST_TEXT).then_some(bytes)
    }
}

fn words_of(list: &str) -> Vec<String> {
    list.split(WORD).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The number that a signature is; None for what is none.
pub(super) fn key_of(signature: &str) -> Option<u64> {
    if signature.len() != 16 || !signature.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    u64::from_str_radix(signature, 16).ok()
}
