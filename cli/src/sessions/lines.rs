//! Lines of a stream of bytes, in bounded memory.

use std::io::{ErrorKind, Read, Result};

use memchr::{memchr, memrchr};

/// The longest line that is read, in bytes. A longer one is passed over without being held.
pub const MAX_LINE_BYTES: usize = 32 * 1024 * 1024;

/// How much is read at once.
const CHUNK: usize = 256 * 1024;
/// How much is read at once where only the first lines matter.
const SMALL_CHUNK: usize = 16 * 1024;

/// A line without its end, and its byte offset.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RawLine<'b> {
    /// Where it begins, in bytes from the start.
    pub(super) at: u64,
    /// What it holds; nothing for a line of more than [`MAX_LINE_BYTES`].
    pub(super) text: Option<&'b [u8]>,
}

/// Reads lines one by one, or as many as stand in its buffer.
pub struct LineReader<R> {
    input: R,
    buffer: Vec<u8>,
    /// What of the buffer is filled and not given out yet.
    start: usize,
    end: usize,
    /// The byte offset of `start` in the whole.
    at: u64,
    most: usize,
    chunk: usize,
}

/// Where the next line was found.
enum NextLine {
    RawLine { length: usize, with_end: usize },
    TooLong,
    Nothing,
}

impl<R: Read> LineReader<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, buffer: Vec::new(), start: 0, end: 0, at: 0, most: MAX_LINE_BYTES, chunk: CHUNK }
    }

    /// Holds lines of up to `most` bytes, instead of [`MAX_LINE_BYTES`].
    pub fn of_lines_up_to(input: R, most: usize) -> Self {
        Self { most, ..Self::new(input) }
    }

    /// As many whole lines as have been read, one at least; the last of all may lack its end. None at the end. A line that
    /// is too long is passed over, and gives an empty block.
    ///
    /// # Errors
    /// When the input cannot be read further. What was read before it stays good.
    pub fn block(&mut self) -> Result<Option<&[u8]>> {
        let mut searched = 0;
        let length = loop {
            let filled = self.buffer.get(self.start..self.end).unwrap_or_default();
            if let Some(end) = filled.get(searched..).and_then(|rest| memrchr(b'\n', rest)) {
                break searched + end + 1;
            }
            searched = filled.len();
            if searched > self.most {
                self.pass_over()?;
                return Ok(Some(&[]));
            }
            if self.fill()? == 0 {
                break searched;
            }
        };
        let start = self.start;
        self.taken(length);
        Ok(self.buffer.get(start..start + length).filter(|block| !block.is_empty()))
    }

    /// Reads no more at once than the first lines need.
    pub(super) fn of_the_beginning(input: R) -> Self {
        Self { chunk: SMALL_CHUNK, ..Self::new(input) }
    }

    /// The next line; None at the end.
    ///
    /// # Errors
    /// When the input cannot be read further. What was read before it stays good.
    pub(super) fn next(&mut self) -> Result<Option<RawLine<'_>>> {
        let at = self.at;
        match self.find()? {
            NextLine::Nothing => Ok(None),
            NextLine::TooLong => {
                self.pass_over()?;
                Ok(Some(RawLine { at, text: None }))
            }
            NextLine::RawLine { length, with_end } => {
                let start = self.start;
                self.taken(with_end);
                Ok(Some(RawLine { at, text: Some(self.buffer.get(start..start + length).unwrap_or_default()) }))
            }
        }
    }

    /// Reads until a whole line is in the buffer.
    fn find(&mut self) -> Result<NextLine> {
        // Kept across reads: else a long line would be searched from its start at every one, in quadratic time.
        let mut searched = 0;
        loop {
            let filled = self.buffer.get(self.start..self.end).unwrap_or_default();
            if let Some(found) = filled.get(searched..).and_then(|rest| memchr(b'\n', rest)) {
                let length = searched + found;
                return Ok(if length > self.most {
                    NextLine::TooLong
                } else {
                    NextLine::RawLine { length, with_end: length + 1 }
                });
            }
            searched = filled.len();
            if searched > self.most {
                return Ok(NextLine::TooLong);
            }
            if self.fill()? == 0 {
                let whole = NextLine::RawLine { length: searched, with_end: searched };
                return Ok(if searched == 0 { NextLine::Nothing } else { whole });
            }
        }
    }

    /// Leaves out everything up to the end of the line.
    fn pass_over(&mut self) -> Result<()> {
        loop {
            let filled = self.buffer.get(self.start..self.end).unwrap_or_default();
            if let Some(found) = memchr(b'\n', filled) {
                self.taken(found + 1);
                return Ok(());
            }
            self.taken(filled.len());
            if self.fill()? == 0 {
                return Ok(());
            }
        }
    }

    fn taken(&mut self, bytes: usize) {
        self.start += bytes;
        self.at += bytes as u64;
    }

    /// Reads more behind what is there, and returns how much.
    fn fill(&mut self) -> Result<usize> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            self.buffer.resize((self.buffer.len() * 2).max(self.chunk), 0);
        }
        loop {
            match self.input.read(self.buffer.get_mut(self.end..).unwrap_or_default()) {
                Ok(read) => {
                    self.end += read;
                    return Ok(read);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Gives a few bytes at a time.
    struct Drops<'b>(&'b [u8], usize);

    impl Read for Drops<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
            let size = self.1.min(buffer.len());
            self.0.read(&mut buffer[..size])
        }
    }

    fn all(text: &[u8], drop: usize, most: usize) -> Vec<(u64, Option<Vec<u8>>)> {
        let mut lines = LineReader { most, ..LineReader::new(Drops(text, drop)) };
        let mut all = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            all.push((line.at, line.text.map(<[u8]>::to_vec)));
        }
        all
    }

    #[test]
    fn a_long_line_is_passed_over_and_the_next_one_is_read() {
        let text = [b"one\n".as_slice(), &[b'x'; 1000], b"\ntwo"].concat();
        let expected = [(0, Some(b"one".to_vec())), (4, None), (1005, Some(b"two".to_vec()))];
        for drop in [1, 7, 5000] {
            assert_eq!(all(&text, drop, 100), expected);
        }
    }

    #[test]
    fn a_block_leaves_out_a_line_that_is_too_long() {
        let text = [b"one\n".as_slice(), &[b'x'; 1000], b"\ntwo"].concat();
        let mut lines = LineReader::of_lines_up_to(Drops(&text, 7), 100);
        let mut read = Vec::new();
        while let Some(block) = lines.block().unwrap() {
            read.extend_from_slice(block);
        }
        assert_eq!(read, b"one\ntwo");
    }

    #[test]
    fn an_error_keeps_what_was_read_before() {
        struct Broken(bool);
        impl Read for Broken {
            fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
                if std::mem::replace(&mut self.0, true) {
                    return Err(ErrorKind::UnexpectedEof.into());
                }
                buffer[..4].copy_from_slice(b"a\nbc");
                Ok(4)
            }
        }
        let mut lines = LineReader::new(Broken(false));
        assert_eq!(lines.next().unwrap().unwrap().text, Some(b"a".as_slice()));
        assert_eq!(lines.next().unwrap_err().kind(), ErrorKind::UnexpectedEof);
    }

    proptest! {
        #[test]
        fn blocks_are_whole_lines_and_lose_nothing(text in proptest::collection::vec(prop_oneof![Just(b'\n'), any::<u8>()], 0..200), drop in 1_usize..9) {
            let mut lines = LineReader::of_lines_up_to(Drops(&text, drop), 1000);
            let mut read = Vec::new();
            while let Some(block) = lines.block().unwrap() {
                prop_assert!(read.is_empty() || read.ends_with(b"\n"));
                read.extend_from_slice(block);
            }
            prop_assert_eq!(read, text);
        }

        #[test]
        fn lines_are_those_of_a_split(text in proptest::collection::vec(prop_oneof![Just(b'\n'), any::<u8>()], 0..200), drop in 1_usize..9) {
            let mut expected: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
            if expected.last().is_some_and(|last| last.is_empty()) {
                expected.pop();
            }
            let lines = all(&text, drop, 1000);
            let seen: Vec<&[u8]> = lines.iter().map(|(_, line)| line.as_deref().unwrap()).collect();
            prop_assert_eq!(seen, expected);
            for (at, line) in lines {
                let at = usize::try_from(at).unwrap();
                prop_assert!(text[at..].starts_with(&line.unwrap()));
            }
        }
    }
}
