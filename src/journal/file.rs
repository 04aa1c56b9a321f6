//! Opening and appending: never through a symbolic link, never into a special file, private to the user.

use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Opens a file for append and reading, making it with mode 0600 where it is missing.
pub(super) fn open_append(path: &Path) -> io::Result<(File, Metadata)> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    private(&mut options);
    regular(options.open(path)?, path)
}

/// Opens a file for reading only.
pub(super) fn open_read(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    no_follow(&mut options);
    Ok(regular(options.open(path)?, path)?.0)
}

/// Opens the lock file, making it where it is missing.
pub(super) fn open_lock(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    private(&mut options);
    Ok(regular(options.open(path)?, path)?.0)
}

/// Replaces a file as a whole: readers see the old content or the new one.
pub(super) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("state");
    // One name, which the lock guards: what a killed process left behind is written over, not collected.
    let temporary = path.with_file_name(format!(".{name}.tmp"));
    let written = write_new(&temporary, content).and_then(|()| std::fs::rename(&temporary, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    written
}

fn write_new(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    private(&mut options);
    regular(options.open(path)?, path)?.0.write_all(content)
}

/// Whether an open file was taken away by its last name.
pub(super) fn is_gone(file: &File) -> io::Result<bool> {
    let meta = file.metadata()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Ok(meta.nlink() == 0)
    }
    #[cfg(not(unix))]
    {
        let _ = meta;
        Ok(false)
    }
}

/// Makes a folder and those above it, private to the user.
pub(super) fn make_private_dir(dir: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(dir)
}

/// Reads a range of a file.
pub(super) fn read_range(file: &mut File, from: u64, most: usize) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(most as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Calls `each` with every line of a file and the place where it stands, in constant memory.
///
/// # Errors
/// When the file cannot be read. A line longer than [`LINE_LIMIT`] is given cut, which makes it unreadable as an event.
pub fn read_lines(path: &Path, mut each: impl FnMut(u64, &[u8])) -> io::Result<()> {
    use std::io::BufRead;
    let mut reader = io::BufReader::with_capacity(256 * 1024, open_read(path)?);
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
    let file = open_read(path).ok()?;
    let size = file.metadata().ok()?.len();
    let mut text = String::new();
    (size <= most).then(|| file.take(most).read_to_string(&mut text)).and_then(Result::ok)?;
    Some(text)
}

/// The last bytes of a regular file as text; bytes that are no UTF-8 are replaced.
pub fn read_end(path: &Path, most: usize) -> Option<String> {
    let mut file = open_read(path).ok()?;
    let size = file.metadata().ok()?.len();
    let bytes = read_range(&mut file, size.saturating_sub(most as u64), most).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The longest line that is read as one.
const LINE_LIMIT: u64 = 16 * 1024 * 1024;

fn private(options: &mut OpenOptions) {
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

fn regular(file: File, path: &Path) -> io::Result<(File, Metadata)> {
    let meta = file.metadata()?;
    if meta.is_file() {
        return Ok((file, meta));
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{} is not a regular file", path.display())))
}
