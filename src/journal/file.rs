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
    Ok(open_sized(path)?.0)
}

/// Opens a file for reading only, and tells how long it is.
pub(super) fn open_sized(path: &Path) -> io::Result<(File, u64)> {
    let mut options = OpenOptions::new();
    options.read(true);
    no_follow(&mut options);
    let (file, meta) = regular(options.open(path)?, path)?;
    Ok((file, meta.len()))
}

/// Opens the lock file, making it where it is missing.
pub(super) fn open_lock(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    private(&mut options);
    Ok(regular(options.open(path)?, path)?.0)
}

/// Replaces a file as a whole: readers see the old content or the new one. What is there may be followed by blanks.
///
/// The new content goes into a second file, which then changes places with the first: on common file systems that is
/// forty times faster than to make a file and to take another away. The caller has the lock, so one name will do, and
/// what a killed process left behind is written over.
pub(super) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("state");
    let second = path.with_file_name(format!(".{name}.tmp"));
    let replaced = write_over(&second, content).and_then(|()| change_places(&second, path));
    if replaced.as_ref().is_err_and(|error| error.kind() != io::ErrorKind::NotFound) {
        let _ = std::fs::remove_file(&second);
    }
    replaced
}

/// Writes a file without making it shorter, which would cost more than the blanks do.
fn write_over(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    private(&mut options);
    let (mut file, meta) = regular(options.open(path)?, path)?;
    let before = usize::try_from(meta.len()).unwrap_or(usize::MAX);
    if before > content.len() + BLANKS_LIMIT {
        file.set_len(0)?;
        return file.write_all(content);
    }
    let mut bytes = content.to_vec();
    bytes.resize(content.len().max(before), b' ');
    file.write_all(&bytes)
}

/// The most blanks that a replaced file is filled up with.
const BLANKS_LIMIT: usize = 16 * 1024;

#[cfg(target_os = "linux")]
fn change_places(new: &Path, old: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    // Where there is no old one yet, or the file system cannot do it.
    renameat_with(CWD, new, CWD, old, RenameFlags::EXCHANGE).or_else(|_| std::fs::rename(new, old))
}

#[cfg(not(target_os = "linux"))]
fn change_places(new: &Path, old: &Path) -> io::Result<()> {
    std::fs::rename(new, old)
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
    let (file, size) = open_sized(path).ok()?;
    let mut text = String::new();
    (size <= most).then(|| file.take(most).read_to_string(&mut text)).and_then(Result::ok)?;
    Some(text)
}

/// The last bytes of a regular file as text; bytes that are no UTF-8 are replaced.
pub fn read_end(path: &Path, most: usize) -> Option<String> {
    let (mut file, size) = open_sized(path).ok()?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replaced_file_holds_the_new_content_and_blanks_only() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        let long = "x".repeat(3 * BLANKS_LIMIT);
        for content in ["first", "2nd", "", "the fourth", long.as_str(), "6", "7", "8"] {
            replace(&path, content.as_bytes()).unwrap();
            let text = std::fs::read_to_string(&path).unwrap();
            assert_eq!(text.trim_end_matches(' '), content);
            assert!(text.len() <= content.len() + BLANKS_LIMIT, "{} bytes", text.len());
        }
        let names = std::fs::read_dir(dir.path()).unwrap().count();
        assert!(names <= 2, "{names} files");
    }
}
