//! What was read of sessions, kept so that a session which nobody wrote to is not read again.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs;

use super::{put_private, read_small_bytes};

/// The folder in Failwise's folder of the user's state directory.
const FOLDER: &str = "readings";
/// How the names of its files end.
const ENDING: &str = "json";
/// The most files, and the most bytes of one; what takes more is read again.
const MOST: usize = 5_000;
const LARGEST: u64 = 4 * 1024 * 1024;
/// The most bytes of all.
const MOST_BYTES: u64 = 256 * 1024 * 1024;

/// The folder `readings` in the user's state directory: a file for each session, of a mark and of what was read while that
/// held. A file that is torn, or has another mark, counts as none.
#[derive(Debug, Clone)]
pub struct KeptReadings {
    folder: PathBuf,
}

impl KeptReadings {
    /// The folder in Failwise's folder of the user's state directory.
    pub fn in_dir(dir: &Path) -> Self {
        Self { folder: dir.join(FOLDER) }
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What is kept under a name of hexadecimal digits, where it was kept under this mark, which is one line.
    pub fn get<T: DeserializeOwned>(&self, name: &str, mark: &str) -> Option<T> {
        let bytes = read_small_bytes(&self.path(name)?, LARGEST)?;
        let body = bytes.strip_prefix(mark.as_bytes())?.strip_prefix(b"\n")?;
        serde_json::from_slice(body).ok()
    }

    /// Keeps a value. What cannot be kept is read again the next time, and nothing is wrong.
    pub fn put(&self, name: &str, mark: &str, value: &impl Serialize) {
        let Some(path) = self.path(name).filter(|_| !mark.contains('\n')) else { return };
        let Ok(body) = serde_json::to_vec(value) else { return };
        let text = [mark.as_bytes(), b"\n", &body].concat();
        if text.len() as u64 <= LARGEST {
            let _ = put_private(&path, &text);
        }
    }

    /// Its files with their lengths, the one that was written last first.
    pub fn files(&self) -> Vec<(PathBuf, u64)> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let own = entries.filter(|entry| self.path_of(&entry.path()).is_some());
        let with_time = own.filter_map(|entry| {
            let meta = entry.metadata().ok().filter(fs::Metadata::is_file)?;
            Some((meta.modified().unwrap_or(SystemTime::UNIX_EPOCH), entry.path(), meta.len()))
        });
        let mut files: Vec<_> = with_time.collect();
        files.sort();
        files.into_iter().rev().map(|(_, path, bytes)| (path, bytes)).collect()
    }

    /// Those whose kept value is one of these.
    pub fn files_of<T: DeserializeOwned>(&self, is_meant: impl Fn(&T) -> bool) -> Vec<(PathBuf, u64)> {
        let mut files = self.files();
        files.retain(|(path, _)| {
            let bytes = read_small_bytes(path, LARGEST).unwrap_or_default();
            let body = bytes.splitn(2, |byte| *byte == b'\n').nth(1);
            body.and_then(|body| serde_json::from_slice(body).ok()).is_some_and(|value| is_meant(&value))
        });
        files
    }

    /// Deletes the oldest files beyond what may be kept.
    pub fn tidy(&self) {
        let mut all = 0;
        for (number, (path, bytes)) in self.files().into_iter().enumerate() {
            all += bytes;
            if number >= MOST || all > MOST_BYTES {
                let _ = fs::remove_file(path);
            }
        }
    }

    /// Deletes all of it.
    ///
    /// # Errors
    /// When a file cannot be removed.
    pub fn forget(&self) -> std::io::Result<()> {
        for (path, _) in self.files() {
            fs::remove_file(path)?;
        }
        match fs::remove_dir(&self.folder) {
            // What is left in it is somebody else's.
            Err(error) if self.folder.exists() && !self.files().is_empty() => Err(error),
            _ => Ok(()),
        }
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        let is_name = (8..=64).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_name.then(|| self.folder.join(name).with_extension(ENDING))
    }

    /// The path of a file of this folder, by its own name.
    fn path_of(&self, file: &Path) -> Option<PathBuf> {
        self.path(file.file_stem()?.to_str()?).filter(|path| path == file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_torn_or_of_another_mark_counts_as_none() {
        let dir = tempfile::tempdir().unwrap();
        let kept = KeptReadings::in_dir(dir.path());
        kept.put("0123456789abcdef", "one", &vec![1, 2, 3]);
        assert_eq!(kept.get::<Vec<u32>>("0123456789abcdef", "one"), Some(vec![1, 2, 3]));
        assert_eq!(kept.get::<Vec<u32>>("0123456789abcdef", "two"), None);
        assert_eq!(kept.get::<Vec<u32>>("../0123456789", "one"), None);
        let (path, bytes) = kept.files().pop().unwrap();
        fs::write(&path, "one\n[1, 2").unwrap();
        assert_eq!((kept.get::<Vec<u32>>("0123456789abcdef", "one"), bytes), (None, 11));
        fs::write(kept.folder().join("notes.txt"), "mine").unwrap();
        kept.forget().unwrap();
        assert!(kept.files().is_empty() && kept.folder().join("notes.txt").exists(), "only its own files go");
    }
}
