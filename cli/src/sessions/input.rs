//! Opening what a person points at: a file, one that gzip wrote, or standard input.

use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::read::MultiGzDecoder;

use crate::journal::open_sized;

/// The most of standard input that is held to tell what it is.
const HEAD_BYTES: u64 = 1024 * 1024;
/// The first bytes of what gzip wrote.
const GZIP: &[u8] = b"\x1f\x8b";

/// Any stream of bytes.
pub(super) type Bytes<'a> = Box<dyn Read + Send + 'a>;

/// Where bytes come from.
pub(super) enum Input {
    File(PathBuf),
    /// A stream that can be read once, and its beginning.
    Stream {
        head: Vec<u8>,
        rest: Mutex<Option<Bytes<'static>>>,
    },
}

impl Input {
    /// Standard input, or whatever else can be read once.
    ///
    /// # Errors
    /// When its beginning cannot be read.
    pub(super) fn stream(mut stream: Bytes<'static>) -> io::Result<Self> {
        let mut head = Vec::new();
        (&mut stream).take(HEAD_BYTES).read_to_end(&mut head)?;
        Ok(Self::Stream { head, rest: Mutex::new(Some(stream)) })
    }

    /// The path; None for a stream.
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Stream { .. } => None,
        }
    }

    /// All its bytes, decompressed. `counter` is told how many were read from the disk.
    ///
    /// # Errors
    /// When it is no regular file, or must not be read; for a stream that was read before.
    pub(super) fn open<'a>(&'a self, counter: &'a AtomicU64) -> io::Result<Bytes<'a>> {
        let bytes: Bytes<'a> = match self {
            Self::File(path) => Box::new(open_sized(path)?.0),
            Self::Stream { head, rest } => {
                let rest = rest.lock().ok().and_then(|mut rest| rest.take());
                let rest = rest.ok_or_else(|| io::Error::other("standard input can be read only once"))?;
                Box::new(head.as_slice().chain(rest))
            }
        };
        decompressed(Box::new(CountedBytes { inner: bytes, counter }))
    }

    /// Its beginning, decompressed: a file from its start, of a stream what is held.
    pub(super) fn peek(&self) -> io::Result<Bytes<'_>> {
        match self {
            Self::File(path) => decompressed(Box::new(open_sized(path)?.0)),
            Self::Stream { head, .. } => decompressed(Box::new(head.as_slice())),
        }
    }
}

/// What gzip wrote, in one or several members, is read through.
fn decompressed(mut bytes: Bytes<'_>) -> io::Result<Bytes<'_>> {
    let mut start = Vec::new();
    (&mut bytes).take(GZIP.len() as u64).read_to_end(&mut start)?;
    let is_gzip = start == GZIP;
    let whole = Cursor::new(start).chain(bytes);
    Ok(if is_gzip { Box::new(MultiGzDecoder::new(BufReader::new(whole))) } else { Box::new(whole) })
}

struct CountedBytes<'a> {
    inner: Bytes<'a>,
    counter: &'a AtomicU64,
}

impl Read for CountedBytes<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.counter.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}
