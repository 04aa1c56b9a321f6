//! Opening and appending: never through a symbolic link, never into a special file, private to the user.

use std::fs::{DirBuilder, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::{Duration, Instant};

/// An error that names the file or folder it is about. Commands show it as it is; what is opened for a hook to go on
/// without is not named, because only the kind of such an error is looked at.
pub fn named(path: &Path) -> impl FnOnce(io::Error) -> io::Error {
    move |error| io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// Removes a file, where it is there.
pub fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(named(path)(error)),
        _ => Ok(()),
    }
}

/// Opens a file for append and reading, making it with mode 0600 where it is missing.
pub fn open_append(path: &Path) -> io::Result<(File, Metadata)> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    private(&mut options);
    options.open(path).and_then(regular).map_err(named(path))
}

/// Opens a file for reading only.
pub(super) fn open_read(path: &Path) -> io::Result<File> {
    Ok(open_sized(path)?.0)
}

/// Opens a file for reading only, and tells how long it is.
pub fn open_sized(path: &Path) -> io::Result<(File, u64)> {
    let mut options = OpenOptions::new();
    options.read(true);
    no_follow(&mut options);
    let (file, meta) = regular(options.open(path)?)?;
    Ok((file, meta.len()))
}

/// Opens a file to be read and written over, making it where it is missing and `make` is set.
pub(super) fn open_in_place(path: &Path, make: bool) -> io::Result<(File, Metadata)> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(make);
    private(&mut options);
    options.open(path).and_then(regular)
}

/// Opens the lock file, making it where it is missing. Whether it is a regular file is for the caller to ask, once it has
/// waited for the lock.
pub fn open_lock(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    private(&mut options);
    options.open(path).map_err(named(path))
}

/// Waits for the lock of an open file until a moment, trying again each time a `step` has passed, and says whether it was had.
///
/// # Errors
/// When the file cannot be locked at all.
pub fn wait_for(lock: &File, until: Instant, step: Duration) -> io::Result<bool> {
    // Polled, because a lock that blocks cannot be waited for with a limit of time.
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) if Instant::now() < until => std::thread::sleep(step),
            Err(TryLockError::WouldBlock) => return Ok(false),
            Err(TryLockError::Error(error)) => {
                let why = format!("the file system gives no lock: {error}");
                return Err(io::Error::new(io::ErrorKind::Unsupported, why));
            }
        }
    }
}

/// Reads a file from its start until the buffer is full or the file ends.
pub(super) fn read_start(file: &File, buffer: &mut [u8]) -> io::Result<usize> {
    read_all_at(file, buffer, 0)
}

/// Reads a file from a place until the buffer is full or the file ends, and says how much that was.
pub fn read_all_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    let mut read = 0;
    while let Some(rest) = buffer.get_mut(read..).filter(|rest| !rest.is_empty()) {
        match read_at(file, rest, at + read as u64) {
            Ok(0) => break,
            Ok(more) => read += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}

/// Reads what stands at a place; nothing behind the end.
#[cfg(unix)]
pub(super) fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, at)
}

/// Reads what stands at a place; nothing behind the end.
#[cfg(not(unix))]
pub(super) fn read_at(mut file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    file.seek(SeekFrom::Start(at))?;
    file.read(buffer)
}

/// Writes a file over from its start. What was longer keeps its end.
pub(super) fn write_start(file: &File, bytes: &[u8]) -> io::Result<()> {
    write_at(file, bytes, 0)
}

/// Writes over what stands at a place.
#[cfg(unix)]
pub(super) fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

/// Writes over what stands at a place.
#[cfg(not(unix))]
pub(super) fn write_at(mut file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    use std::io::Write;
    file.seek(SeekFrom::Start(at))?;
    file.write_all(bytes)
}

/// Whether an open file was taken away by its last name.
pub(super) fn is_gone(meta: &Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        meta.nlink() == 0
    }
    #[cfg(not(unix))]
    {
        let _ = meta;
        false
    }
}

/// Makes a folder and those above it, private to the user.
pub fn make_private_dir(dir: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(dir).map_err(named(dir))
}

/// Reads a range of a file.
pub(super) fn read_range(file: &mut File, from: u64, most: usize) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(most as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Calls `each` with every line of a file and its byte offset, in constant memory.
///
/// # Errors
/// When the file cannot be read. A line longer than [`LINE_LIMIT`] is given cut, which makes it unreadable as an event.
pub fn read_lines(path: &Path, each: impl FnMut(u64, &[u8])) -> io::Result<()> {
    open_read(path).and_then(|file| lines_of(file, each)).map_err(named(path))
}

fn lines_of(file: File, mut each: impl FnMut(u64, &[u8])) -> io::Result<()> {
    use std::io::BufRead;
    let mut reader = io::BufReader::with_capacity(256 * 1024, file);
    let mut line = Vec::new();
    let mut at = 0;
    loop {
        line.clear();
        let read = (&mut reader).take(LINE_LIMIT).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(());
        }
        each(at, &line);
        at += read as u64;
    }
}

/// A text file as a whole, where it is a regular file of at most `most` bytes.
pub fn read_small(path: &Path, most: u64) -> Option<String> {
    String::from_utf8(read_small_bytes(path, most)?).ok()
}

/// A file as a whole, where it is a regular file of at most `most` bytes.
pub fn read_small_bytes(path: &Path, most: u64) -> Option<Vec<u8>> {
    let (file, size) = open_sized(path).ok()?;
    (size <= most).then_some(())?;
    let mut bytes = Vec::with_capacity(usize::try_from(size).ok()? + 1);
    // Limited although its size was asked: a file may grow while it is read.
    file.take(most).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The last bytes of a regular file as text, bytes that are no UTF-8 replaced; empty where there is no file.
///
/// # Errors
/// When the file is there and cannot be read.
pub fn read_end(path: &Path, most: usize) -> io::Result<String> {
    let (mut file, size) = match open_sized(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(String::new()),
        opened => opened?,
    };
    let bytes = read_range(&mut file, size.saturating_sub(most as u64), most)?;
    // Text that is whole is told much sooner than text that has to be mended.
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// The longest line that is read as one.
pub(super) const LINE_LIMIT: u64 = 16 * 1024 * 1024;

/// Makes a file private to the user, and one that is no symbolic link.
pub fn private(options: &mut OpenOptions) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    no_follow(options);
}

#[cfg(unix)]
fn no_follow(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;
    // A FIFO without a reader would block an open for writing; with O_NONBLOCK it fails, and the check below sees the rest.
    options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
}

#[cfg(not(unix))]
fn no_follow(_options: &mut OpenOptions) {}

/// An open file, where it is a regular one.
pub fn regular(file: File) -> io::Result<(File, Metadata)> {
    let meta = file.metadata()?;
    if meta.is_file() {
        return Ok((file, meta));
    }
    // Asked of the open file and not of its path, which could name another one by now.
    Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_written_over_from_its_start() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        assert!(open_in_place(&path, false).is_err());
        let (file, meta) = open_in_place(&path, true).unwrap();
        assert_eq!(meta.len(), 0);
        for (written, whole) in [("first", "first"), ("2nd", "2ndst"), ("", "2ndst")] {
            write_start(&file, written.as_bytes()).unwrap();
            let mut buffer = [0; 8];
            let read = read_start(&file, &mut buffer).unwrap();
            assert_eq!(&buffer[..read], whole.as_bytes());
        }
        let mut short = [0; 2];
        assert_eq!((read_start(&file, &mut short).unwrap(), &short), (2, b"2n"));
    }
}
