//! Reading the plan tree's files without the hook's bounds, and writing them: whole or not at all, and never through a
//! symbolic link.
#![expect(clippy::disallowed_methods, reason = "the plan tree is an edge; these functions read and write its files")]

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use fs_err::{self as fs, OpenOptions};
#[cfg(unix)]
use rustix::fs::{AtFlags, Dir, DirEntry, FileType, Mode, OFlags};

use crate::journal::open_sized;
use crate::plan::files::{self, FolderEntry};

/// The largest file of a node that a command reads.
pub(super) const LARGEST_NODE: u64 = 1024 * 1024;
/// How much of a page is read at first: most front matter ends there.
#[cfg(unix)]
const HEAD: usize = 4096;

/// What writes. Tests stop it in the middle.
pub(super) trait Disk {
    /// Puts a file in its place as a whole. Who looks at it sees what was there before, or all of it.
    fn put(&mut self, file: &Path, bytes: &[u8]) -> io::Result<()>;

    /// Deletes a file; one that is gone already is no error.
    fn remove(&mut self, file: &Path) -> io::Result<()>;
}

/// The real one.
#[derive(Debug, Default)]
pub(super) struct Files;

impl Disk for Files {
    fn put(&mut self, file: &Path, bytes: &[u8]) -> io::Result<()> {
        let folder = file.parent().ok_or(io::ErrorKind::InvalidInput)?;
        fs::create_dir_all(folder)?;
        let before = match fs::symlink_metadata(file) {
            Ok(meta) if meta.is_file() => Some(meta.permissions()),
            Ok(_) => return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")),
            Err(_) => None,
        };
        let beside = temporary(file).ok_or(io::ErrorKind::InvalidInput)?;
        let mut open = plain_file().write(true).create(true).truncate(true).open(&beside)?;
        open.write_all(bytes)?;
        // The rename would else give a file that its owner made private the usual permissions.
        if let Some(permissions) = before {
            open.set_permissions(permissions)?;
        }
        fs::rename(&beside, file)
    }

    fn remove(&mut self, file: &Path) -> io::Result<()> {
        match fs::remove_file(file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// The name under which a file is written before it takes its place. Always the same, so that what a killed process
/// left is written over: only the holder of the lock writes.
fn temporary(file: &Path) -> Option<PathBuf> {
    let mut name = OsString::from(".");
    name.push(file.file_name()?);
    name.push(".tmp");
    Some(file.with_file_name(name))
}

/// Options that follow no link and wait at no pipe.
fn plain_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(options.options_mut(), libc::O_NOFOLLOW | libc::O_NONBLOCK);
    options
}

/// Opens what is at the end of a path, through no link.
#[cfg(unix)]
fn open_plain(path: &Path, how: OFlags) -> Option<rustix::fd::OwnedFd> {
    rustix::fs::open(path, how | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty()).ok()
}

/// The lines at the head of a page, as far as they are text, and whether these are all: of nearly every page they are, so
/// that one read of it tells all. None where that does not help.
#[cfg(unix)]
pub(super) fn at_head<T>(file: &Path, tell: impl FnOnce(&str, bool) -> Option<T>) -> Option<T> {
    let page = open_plain(file, OFlags::NONBLOCK)?;
    let mut head = [std::mem::MaybeUninit::uninit(); HEAD];
    let (read, rest) = rustix::io::read(&page, &mut head).ok()?;
    let is_text = str::from_utf8(read);
    let text = is_text.or_else(|error| str::from_utf8(read.get(..error.valid_up_to()).unwrap_or_default())).ok()?;
    if !rest.is_empty() && text.len() == read.len() {
        return tell(text, true);
    }
    let length = u64::try_from(rustix::fs::fstat(&page).ok()?.st_size).ok()?;
    if length <= LARGEST_NODE { tell(text.get(..=text.rfind('\n')?)?, false) } else { None }
}

#[cfg(not(unix))]
pub(super) fn at_head<T>(_: &Path, _: impl FnOnce(&str, bool) -> Option<T>) -> Option<T> {
    None
}

/// What a folder of nodes holds, at most `most` entries; nothing where there is none.
#[cfg(unix)]
pub(super) fn entries_in(folder: &Path, most: usize) -> Vec<FolderEntry> {
    let open = open_plain(folder, OFlags::DIRECTORY).and_then(|open| Dir::new(open).ok());
    let Some(mut open) = open else { return Vec::new() };
    let all = open.by_ref().flatten().filter(|entry| !matches!(entry.file_name().to_bytes(), b"." | b".."));
    let all: Vec<_> = all.take(most).collect();
    let is_folder = |entry: &DirEntry| {
        let kind = match entry.file_type() {
            FileType::Unknown => {
                let meta = rustix::fs::statat(open.fd().ok()?, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW);
                FileType::from_raw_mode(meta.ok()?.st_mode)
            }
            kind => kind,
        };
        matches!(kind, FileType::Directory | FileType::RegularFile).then_some(kind == FileType::Directory)
    };
    let entry = |entry: &DirEntry| {
        let name = entry.file_name().to_str().ok()?.to_owned();
        Some(FolderEntry { name, is_folder: is_folder(entry)? })
    };
    all.iter().filter_map(entry).collect()
}

#[cfg(not(unix))]
pub(super) fn entries_in(folder: &Path, most: usize) -> Vec<FolderEntry> {
    files::list(folder, most)
}

/// A node's file as it is.
pub(super) fn whole(file: &Path) -> io::Result<Vec<u8>> {
    any(file, LARGEST_NODE)
}

/// A file of the tree as it is, at most `most` bytes.
pub(super) fn any(file: &Path, most: u64) -> io::Result<Vec<u8>> {
    let (open, length) = open_sized(file)?;
    if length > most {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("larger than {most} bytes")));
    }
    files::bytes_of(open, length)
}

/// Whether a file could be put in its place: the nearest folder on its way that is there can be written to.
///
/// # Errors
/// When it cannot.
pub(super) fn may_put(file: &Path) -> io::Result<()> {
    let is_there = |may: &io::Result<()>| !may.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
    file.ancestors().skip(1).map(may_write).find(is_there).unwrap_or_else(|| Err(io::ErrorKind::NotFound.into()))
}

/// Whether a folder can be written to.
pub(super) fn may_write(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    return rustix::fs::access(folder.join("."), rustix::fs::Access::WRITE_OK).map_err(io::Error::from);
    #[cfg(not(unix))]
    return fs::read_dir(folder).map(drop);
}

/// Whether anything is there, a link that leads nowhere included.
pub(super) fn exists(path: &Path) -> bool {
    metadata(path).is_ok()
}

/// What is known of what is there, of a link itself. An error does not name the path: at most nodes nothing is there.
pub(super) fn metadata(path: &Path) -> io::Result<std::fs::Metadata> {
    std::fs::symlink_metadata(path)
}

/// A file's path relative to the tree.
pub(super) fn relative(dir: &Path, file: &Path) -> Option<String> {
    file.strip_prefix(dir).ok()?.to_str().map(str::to_owned)
}

/// The file that a relative path names. None where it would leave the tree, by its spelling or through a link.
pub(super) fn inside(dir: &Path, relative: &str) -> Option<PathBuf> {
    let path = Path::new(relative);
    if relative.is_empty() || !path.components().all(|part| matches!(part, Component::Normal(_))) {
        return None;
    }
    let mut folder = dir.to_owned();
    for part in path.parent()?.components() {
        folder.push(part);
        if exists(&folder) && !files::is_folder(&folder) {
            return None;
        }
    }
    Some(dir.join(path))
}

#[cfg(test)]
mod tests {
    use super::{Disk, Files, inside, relative};

    #[test]
    fn a_file_is_put_as_a_whole_and_keeps_its_mode() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a/task.md");
        Files.put(&file, b"one").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
            Files.put(&file, b"two").unwrap();
            assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        }
        assert_eq!(std::fs::read(&file).unwrap(), b"two");
        assert_eq!(std::fs::read_dir(dir.path().join("a")).unwrap().count(), 1, "nothing is left beside it");
        Files.remove(&file).unwrap();
        Files.remove(&file).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_not_written_through() {
        let dir = tempfile::tempdir().unwrap();
        let (tree, outside) = (dir.path().join("tree"), dir.path().join("outside"));
        std::fs::create_dir_all(&tree).unwrap();
        std::fs::create_dir_all(&outside).unwrap();
        std::fs::write(outside.join("task.md"), "theirs").unwrap();
        for name in ["task.md", ".other.md.tmp"] {
            std::os::unix::fs::symlink(outside.join("task.md"), tree.join(name)).unwrap();
        }
        assert!(Files.put(&tree.join("task.md"), b"ours").is_err());
        assert!(Files.put(&tree.join("other.md"), b"ours").is_err());
        std::os::unix::fs::symlink(&outside, tree.join("folder")).unwrap();
        assert_eq!(inside(&tree, "folder/task.md"), None);
        assert_eq!(std::fs::read(outside.join("task.md")).unwrap(), b"theirs");
    }

    #[test]
    fn no_path_leaves_the_tree() {
        let dir = tempfile::tempdir().unwrap();
        for path in ["", "/etc/passwd", "../x", "a/../../x", "a/./../x", ".."] {
            assert_eq!(inside(dir.path(), path), None, "{path}");
        }
        let file = inside(dir.path(), "features/F/feature.md").unwrap();
        assert_eq!(relative(dir.path(), &file).as_deref(), Some("features/F/feature.md"));
    }
}
