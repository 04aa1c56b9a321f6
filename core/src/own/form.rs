//! The compiled form of a project's readings or secrets: bytes in a file of the user's own, which may be torn or changed.
//! What does not fit is no form; nothing of it is believed beyond that.

use std::ops::Range;

use super::pattern::{MOST, OwnPattern, Patterns, Word};
use super::readings::Readings;
use super::secrets::Secrets;
use crate::digest::checksum;

/// What a form holds: each is a file of its own, so that a call that passes need not look at readings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormKind {
    /// The readings.
    Readings,
    /// The secrets.
    Secrets,
}

impl FormKind {
    /// Every kind.
    pub const ALL: &'static [Self] = &[Self::Readings, Self::Secrets];

    /// How every form of the kind begins; the digit is the version.
    fn magic(self) -> &'static [u8] {
        match self {
            Self::Readings => b"FWFORM1\nreadings",
            Self::Secrets => b"FWFORM1\nsecrets",
        }
    }
}

/// The largest form that is read, in bytes.
pub const LARGEST_FORM: u64 = 1024 * 1024;
/// Stands for a match that may begin anywhere before its fixed word.
const UNBOUNDED: u16 = u16::MAX;

/// A compiled form.
///
/// Its kind, then the head's length (4 bytes) and checksum (8), the head, the programs. The head holds the identity of the
/// settings file, its text, the same without readings and secrets, and the entries; each with its length (4 bytes) before
/// it. An entry is two words that belong to it and its pattern. Numbers are little-endian.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    file: Vec<u8>,
    fingerprint: Range<usize>,
    text: Range<usize>,
    rest: Range<usize>,
    entries: Range<usize>,
    programs: usize,
}

/// What is said of a pattern: the category and program of a reading, the kind of a secret.
pub(super) type OwnCategory = (String, String);

impl Form {
    /// The form in the bytes of a file; None where they are none of this kind, or not whole.
    pub fn read(file: Vec<u8>, kind: FormKind) -> Option<Self> {
        let mut bytes = FormBytes { file: &file, at: 0 };
        let magic = kind.magic();
        (bytes.take(magic.len())? == magic).then_some(())?;
        let (length, sum) = (bytes.long()?, bytes.sum()?);
        let programs = bytes.at.checked_add(length)?;
        (checksum(file.get(bytes.at..programs)?) == sum).then_some(())?;
        let [fingerprint, text, rest, entries] = [bytes.part()?, bytes.part()?, bytes.part()?, bytes.part()?];
        (bytes.at == programs).then_some(Self { file, fingerprint, text, rest, entries, programs })
    }

    /// The bytes of its file.
    pub fn bytes(&self) -> &[u8] {
        &self.file
    }

    fn part(&self, part: &Range<usize>) -> &[u8] {
        self.file.get(part.clone()).unwrap_or_default()
    }

    /// The identity of the settings file that it was made from.
    pub fn fingerprint(&self) -> &str {
        str::from_utf8(self.part(&self.fingerprint)).unwrap_or_default()
    }

    /// Whether it was made from this very content of the settings file.
    pub fn is_of(&self, content: &str) -> bool {
        self.part(&self.text) == content.as_bytes()
    }

    /// What the settings file says besides readings and secrets, as a settings file.
    pub fn rest(&self) -> &str {
        str::from_utf8(self.part(&self.rest)).unwrap_or_default()
    }

    /// The patterns, in their order, each with what is said of it; those before the first that cannot be read.
    pub(super) fn patterns(self) -> (Patterns, Vec<OwnCategory>) {
        let mut bytes = FormBytes { file: &self.file, at: self.entries.start };
        let count = usize::from(bytes.byte().unwrap_or_default()).min(MOST);
        let (all, words) = (Vec::with_capacity(count), Vec::with_capacity(2 * count));
        let mut patterns = Patterns { file: Vec::new(), all, words };
        let mut said = Vec::with_capacity(count);
        for _ in 0..count {
            let Some(next) = bytes.entry(self.programs, &mut patterns) else { break };
            said.push(next);
        }
        patterns.file = self.file;
        (patterns, said)
    }
}

/// What is written before the entries: which settings file it is.
#[derive(Debug, Clone, Copy)]
pub struct OfSettings<'s> {
    /// Its identity ([`crate::trust::fingerprint`]).
    pub fingerprint: &'s str,
    /// Its text.
    pub text: &'s str,
    /// What of that is neither reading nor secret.
    pub rest: &'s str,
}

impl Form {
    /// The form of a settings file's readings.
    pub fn of_readings(file: &OfSettings<'_>, readings: &Readings) -> Option<Self> {
        Self::of(FormKind::Readings, file, &readings.patterns, readings.said())
    }

    /// The form of a settings file's secrets.
    pub fn of_secrets(file: &OfSettings<'_>, secrets: &Secrets) -> Option<Self> {
        Self::of(FormKind::Secrets, file, &secrets.patterns, secrets.said())
    }

    fn of(kind: FormKind, of: &OfSettings<'_>, patterns: &Patterns, said: Vec<OwnCategory>) -> Option<Self> {
        let mut entries = vec![u8::try_from(patterns.all.len()).ok()?];
        let mut programs: Vec<u8> = Vec::new();
        for (pattern, (first, second)) in patterns.all.iter().zip(said) {
            put_word(&mut entries, first.as_bytes())?;
            put_word(&mut entries, second.as_bytes())?;
            entries.extend(pattern.before.unwrap_or(UNBOUNDED).to_le_bytes());
            let words = patterns.words.get(pattern.words.clone())?;
            entries.push(u8::try_from(words.len()).ok()?);
            for word in words {
                entries.push(word.rarest);
                put_word(&mut entries, patterns.file.get(word.place.clone())?)?;
            }
            entries.extend(u32::try_from(programs.len()).ok()?.to_le_bytes());
            entries.extend(u32::try_from(pattern.program.len()).ok()?.to_le_bytes());
            entries.extend(pattern.sum.to_le_bytes());
            programs.extend(patterns.file.get(pattern.program.clone())?);
        }
        let mut head = Vec::new();
        for part in [of.fingerprint.as_bytes(), of.text.as_bytes(), of.rest.as_bytes(), &entries] {
            head.extend(u32::try_from(part.len()).ok()?.to_le_bytes());
            head.extend(part);
        }
        let mut file = kind.magic().to_vec();
        file.extend(u32::try_from(head.len()).ok()?.to_le_bytes());
        file.extend(checksum(&head).to_le_bytes());
        file.extend(head);
        file.extend(programs);
        Self::read(file, kind)
    }
}

fn put_word(to: &mut Vec<u8>, word: &[u8]) -> Option<()> {
    to.push(u8::try_from(word.len()).ok()?);
    to.extend(word);
    Some(())
}

/// Bytes of a file that are read from the front.
struct FormBytes<'b> {
    file: &'b [u8],
    at: usize,
}

impl<'b> FormBytes<'b> {
    /// Where the next bytes lie.
    fn place(&mut self, length: usize) -> Option<Range<usize>> {
        let end = self.at.checked_add(length).filter(|end| *end <= self.file.len())?;
        let place = self.at..end;
        self.at = end;
        Some(place)
    }

    fn take(&mut self, length: usize) -> Option<&'b [u8]> {
        let place = self.place(length)?;
        self.file.get(place)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    fn short(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes(self.take(2)?.try_into().ok()?))
    }

    fn long(&mut self) -> Option<usize> {
        usize::try_from(u32::from_le_bytes(self.take(4)?.try_into().ok()?)).ok()
    }

    fn sum(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    fn part(&mut self) -> Option<Range<usize>> {
        let length = self.long()?;
        self.place(length)
    }

    fn text(&mut self) -> Option<String> {
        let length = self.byte()?;
        str::from_utf8(self.take(length.into())?).ok().map(str::to_owned)
    }

    /// An entry, which goes to the patterns. `programs` is where the programs begin.
    fn entry(&mut self, programs: usize, to: &mut Patterns) -> Option<OwnCategory> {
        let said = (self.text()?, self.text()?);
        let before = Some(self.short()?).filter(|before| *before != UNBOUNDED);
        let first = to.words.len();
        for _ in 0..self.byte()? {
            let (rarest, length) = (self.byte()?, self.byte()?);
            to.words.push(Word { place: self.place(length.into())?, rarest });
        }
        let start = programs.checked_add(self.long()?)?;
        let program = start..start.checked_add(self.long()?)?;
        to.all.push(OwnPattern { words: first..to.words.len(), before, program, sum: self.sum()? });
        Some(said)
    }
}
