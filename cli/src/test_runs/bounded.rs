//! A document as a parser may see it: UTF-8, no text longer than it is worth, and the line that it has come to.
//!
//! A parser holds a text or a tag as a whole before it gives it out, so that one log of 100 MB inside a report would be
//! 100 MB of memory. What is too long is left out here, before the parser sees it.

use std::collections::VecDeque;
use std::io::{self, BufRead, Read};

/// The most bytes that are kept of a text, of a comment, and of an attribute's value.
pub(super) const LONGEST_TEXT: usize = 16 * 1024;
/// The most bytes that a tag may have, after its values were shortened.
const LONGEST_TAG: usize = 256 * 1024;
/// How much is read at once.
const CHUNK: usize = 16 * 1024;

/// What a reader gives, decoded and shortened.
pub(super) struct Bounded<R> {
    from: R,
    is_at_end: bool,
    /// Whether every byte is a character, as in ISO 8859-1; None before the first bytes were seen.
    is_latin: Option<bool>,
    /// Bytes that are no whole character yet.
    begun: Vec<u8>,
    out: Vec<u8>,
    /// How much of `out` was consumed.
    at: usize,
    /// How many lines were left out in front of a place of `out`.
    skipped: VecDeque<(usize, u64)>,
    line: u64,
    part: XmlPart,
    /// The length of the part, or of the value inside a tag, so far.
    length: usize,
    /// The length of the tag so far.
    tag: usize,
}

/// What kind of thing a byte stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum XmlPart {
    Text,
    /// Behind a `<`.
    Opened,
    /// Behind `<!`: what it is shows soon.
    Bang {
        seen: [u8; 7],
        count: usize,
    },
    /// Inside a tag, an instruction or a declaration.
    Tag,
    /// Inside a value, with its quote.
    Value(u8),
    /// Inside `<!DOCTYPE`, so many brackets deep.
    Type {
        depth: u32,
    },
    /// Inside a section, so many of the last bytes being `]`.
    Section {
        closing: u8,
    },
    /// Inside a comment, so many of the last bytes being `-`.
    Comment {
        closing: u8,
    },
}

impl XmlPart {
    fn is_same(self, other: Self) -> bool {
        std::mem::discriminant(&self) == std::mem::discriminant(&other)
    }
}

impl<R: Read> Bounded<R> {
    pub(super) fn new(from: R) -> Self {
        Self {
            from,
            is_at_end: false,
            is_latin: None,
            begun: Vec::new(),
            out: Vec::new(),
            at: 0,
            skipped: VecDeque::new(),
            line: 1,
            part: XmlPart::Text,
            length: 0,
            tag: 0,
        }
    }

    /// The line that was consumed up to, from 1.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    fn refill(&mut self) -> io::Result<()> {
        self.out.clear();
        self.at = 0;
        while self.out.is_empty() && !self.is_at_end {
            let mut chunk = std::mem::take(&mut self.begun);
            let had = chunk.len();
            // At the first time as much as an encoding needs to be known, whatever a pipe gives at once.
            let wanted = if self.is_latin.is_none() { CHUNK } else { 1 };
            while chunk.len() - had < wanted {
                let before = chunk.len();
                chunk.resize(before + CHUNK, 0);
                let read = read_some(&mut self.from, &mut chunk[before..])?;
                chunk.truncate(before + read);
                if read == 0 {
                    self.is_at_end = true;
                    break;
                }
            }
            if self.is_latin.is_none() {
                self.is_latin = Some(is_latin(&chunk)?);
            }
            self.take(&chunk)?;
        }
        Ok(())
    }

    fn take(&mut self, chunk: &[u8]) -> io::Result<()> {
        if self.is_latin == Some(true) {
            return chunk.iter().try_for_each(|byte| self.put(char::from(*byte)));
        }
        for piece in chunk.utf8_chunks() {
            for c in piece.valid().chars() {
                self.put(c)?;
            }
            let invalid = piece.invalid();
            let is_last = std::ptr::eq(invalid.as_ptr_range().end, chunk.as_ptr_range().end);
            if is_last && !self.is_at_end && is_beginning(invalid) {
                self.begun = invalid.to_vec();
            } else if !invalid.is_empty() {
                self.put(char::REPLACEMENT_CHARACTER)?;
            }
        }
        Ok(())
    }

    /// Gives a character to the parser, unless there was too much of its kind.
    fn put(&mut self, c: char) -> io::Result<()> {
        let (part, is_over) = (self.part, self.length >= LONGEST_TEXT);
        // What is looked at here is of ASCII.
        self.follow(u8::try_from(c).unwrap_or(b'x'))?;
        let has_ended = !part.is_same(self.part);
        match part {
            XmlPart::Text | XmlPart::Value(_) | XmlPart::Section { .. } | XmlPart::Comment { .. }
                if is_over && !has_ended =>
            {
                if c == '\n' {
                    self.skip_line();
                }
            }
            // The first bytes of its end may have been left out.
            XmlPart::Section { .. } if is_over => self.out.extend_from_slice(b"]]>"),
            XmlPart::Comment { .. } if is_over => self.out.extend_from_slice(b"-->"),
            _ => self.out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
        Ok(())
    }

    fn skip_line(&mut self) {
        match self.skipped.back_mut() {
            Some((at, lines)) if *at == self.out.len() => *lines += 1,
            _ => self.skipped.push_back((self.out.len(), 1)),
        }
    }

    /// Follows the document by a byte.
    fn follow(&mut self, byte: u8) -> io::Result<()> {
        self.length += 1;
        self.tag += 1;
        let next = match (self.part, byte) {
            (
                XmlPart::Opened
                | XmlPart::Tag
                | XmlPart::Type { depth: 0 }
                | XmlPart::Section { closing: 2 }
                | XmlPart::Comment { closing: 2 },
                b'>',
            ) => XmlPart::Text,
            (XmlPart::Text, b'<') => {
                self.tag = 1;
                XmlPart::Opened
            }
            (XmlPart::Opened, b'!') => XmlPart::Bang { seen: [0; 7], count: 0 },
            (XmlPart::Opened, _) => XmlPart::Tag,
            (XmlPart::Bang { seen, count }, _) => bang(seen, count, byte),
            (XmlPart::Tag, b'"' | b'\'') => XmlPart::Value(byte),
            (XmlPart::Value(quote), _) if byte == quote => XmlPart::Tag,
            (XmlPart::Type { depth }, b'<' | b'[') => XmlPart::Type { depth: depth + 1 },
            (XmlPart::Type { depth }, b'>' | b']') => XmlPart::Type { depth: depth.saturating_sub(1) },
            (XmlPart::Section { closing }, b']') => XmlPart::Section { closing: (closing + 1).min(2) },
            (XmlPart::Section { .. }, _) => XmlPart::Section { closing: 0 },
            (XmlPart::Comment { closing }, b'-') => XmlPart::Comment { closing: (closing + 1).min(2) },
            (XmlPart::Comment { .. }, _) => XmlPart::Comment { closing: 0 },
            (part, _) => part,
        };
        if !next.is_same(self.part) {
            self.length = 0;
        }
        // What is left out of a value is none of the tag's length.
        if matches!(next, XmlPart::Value(_)) && self.length > LONGEST_TEXT {
            self.tag -= 1;
        }
        let is_tag = matches!(
            next,
            XmlPart::Opened | XmlPart::Bang { .. } | XmlPart::Tag | XmlPart::Value(_) | XmlPart::Type { .. }
        );
        self.part = next;
        if is_tag && self.tag > LONGEST_TAG {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("a tag is longer than {LONGEST_TAG} bytes"),
            ));
        }
        Ok(())
    }
}

/// What a `<!` turns out to be.
fn bang(mut seen: [u8; 7], count: usize, byte: u8) -> XmlPart {
    if let Some(place) = seen.get_mut(count) {
        *place = byte;
    }
    let so_far = seen.get(..=count).unwrap_or(&seen);
    match so_far {
        b"--" => XmlPart::Comment { closing: 0 },
        b"[CDATA[" => XmlPart::Section { closing: 0 },
        _ if b"[CDATA[".starts_with(so_far) || so_far == b"-" => XmlPart::Bang { seen, count: count + 1 },
        _ if byte == b'>' => XmlPart::Text,
        _ => XmlPart::Type { depth: 0 },
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let read = available.len().min(to.len());
        to[..read].copy_from_slice(&available[..read]);
        self.consume(read);
        Ok(read)
    }
}

impl<R: Read> BufRead for Bounded<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at == self.out.len() {
            self.line += self.skipped.drain(..).map(|(_, lines)| lines).sum::<u64>();
            self.refill()?;
        }
        Ok(&self.out[self.at..])
    }

    fn consume(&mut self, count: usize) {
        let end = (self.at + count).min(self.out.len());
        self.line += memchr::memchr_iter(b'\n', &self.out[self.at..end]).count() as u64;
        self.at = end;
        while let Some((_, lines)) = self.skipped.pop_front_if(|(at, _)| *at < end) {
            self.line += lines;
        }
    }
}

/// Whether a document says that it is in an encoding of one byte a character.
///
/// # Errors
/// When it is in one of two.
fn is_latin(begins: &[u8]) -> io::Result<bool> {
    let is_wide = matches!(begins, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] | [b'<', 0, ..] | [0, b'<', ..]);
    if is_wide {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "it is in UTF-16; write it in UTF-8"));
    }
    let head = begins.get(..200).unwrap_or(begins);
    let declared = head.starts_with(b"<?xml").then(|| head.split(|byte| *byte == b'>').next()).flatten();
    let words = String::from_utf8_lossy(declared.unwrap_or_default()).to_ascii_lowercase();
    Ok(["iso-8859-1", "latin1", "latin-1", "windows-1252", "cp1252"].iter().any(|name| words.contains(name)))
}

/// Whether bytes may be the beginning of a character.
fn is_beginning(bytes: &[u8]) -> bool {
    !bytes.is_empty() && std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

fn read_some(from: &mut impl Read, to: &mut [u8]) -> io::Result<usize> {
    loop {
        match from.read(to) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}
