//! Totals of sessions that a report has read, kept because the client deletes its transcripts after some weeks.

#![expect(clippy::disallowed_methods, reason = "an edge: the sums are a file")]

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use fs_err::{self as fs, File, OpenOptions};

use crate::journal::{make_private_dir, open_sized, private};
use crate::replay::SessionSummary;

/// The most sessions that are kept: the newest.
const MOST: usize = 5_000;
/// The most that is read of the file.
const READ_LIMIT: u64 = 32 * 1024 * 1024;
const FILE: &str = "rows.jsonl";

/// The file `rows.jsonl` in the user's state directory: one session's sums a line, with no command and no error in it.
#[derive(Debug, Clone)]
pub struct KeptSessions {
    path: PathBuf,
}

impl KeptSessions {
    /// The file in Failwise's folder of the user's state directory.
    pub fn in_dir(dir: &Path) -> Self {
        Self { path: dir.join(FILE) }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How long the file is; None where there is none.
    pub fn bytes(&self) -> Option<u64> {
        fs::symlink_metadata(&self.path).ok().filter(Metadata::is_file).map(|meta| meta.len())
    }

    /// The sessions in it, oldest first. What cannot be read is left out.
    pub fn read(&self) -> Vec<SessionSummary> {
        let Ok((file, _)) = open_sized(&self.path) else { return Vec::new() };
        let mut text = Vec::new();
        if file.take(READ_LIMIT).read_to_end(&mut text).is_err() {
            return Vec::new();
        }
        text.split(|byte| *byte == b'\n').filter_map(kept_session).collect()
    }

    /// Keeps these sessions too, instead of what was kept of the same session with fewer calls.
    pub fn add(&self, sessions: &[SessionSummary]) -> io::Result<()> {
        if sessions.is_empty() {
            return Ok(());
        }
        let mut known: BTreeMap<String, SessionSummary> =
            self.read().into_iter().map(|session| (session.id.clone(), session)).collect();
        for session in sessions {
            let kept = known.entry(session.id.clone()).or_insert_with(|| session.clone());
            // Of a session of which parts are gone, the fuller sums are the true ones.
            if session.counters.calls >= kept.counters.calls {
                *kept = session.clone();
            }
        }
        self.replace(known.into_values().collect())
    }

    /// Deletes what is kept of the sessions that a condition names, and returns how many they were.
    ///
    /// # Errors
    /// When the file cannot be written or removed.
    pub fn forget(&self, condition: impl Fn(&SessionSummary) -> bool) -> io::Result<usize> {
        let (gone, rest): (Vec<_>, Vec<_>) = self.read().into_iter().partition(condition);
        if !rest.is_empty() {
            self.replace(rest)?;
        } else if self.bytes().is_some() {
            fs::remove_file(&self.path)?;
        }
        Ok(gone.len())
    }

    fn replace(&self, mut sessions: Vec<SessionSummary>) -> io::Result<()> {
        sessions.sort_by(|a, b| (&a.started, &a.id).cmp(&(&b.started, &b.id)));
        sessions.drain(..sessions.len().saturating_sub(MOST));
        let mut text = Vec::new();
        for session in &sessions {
            serde_json::to_writer(&mut text, session)?;
            text.push(b'\n');
        }
        if let Some(dir) = self.path.parent() {
            make_private_dir(dir)?;
        }
        // By a rename, so that a reader sees the old file or the new one; the process's number keeps two writers apart.
        let new = self.path.with_extension(format!("new.{}", std::process::id()));
        let written =
            new_file(&new).and_then(|mut file| file.write_all(&text)).and_then(|()| fs::rename(&new, &self.path));
        if written.is_err() {
            let _ = fs::remove_file(&new);
        }
        written
    }
}

/// The session of a line. What was kept before prices were known says nothing of money: its tokens have no price. Older lines
/// leave what was hidden out of `failed`; every failure has a class.
fn kept_session(line: &[u8]) -> Option<SessionSummary> {
    let mut session: SessionSummary = serde_json::from_slice(line).ok()?;
    if !String::from_utf8_lossy(line).contains("\"money\":") {
        session.counters.unpriced_tokens = session.counters.tokens.total();
    }
    session.counters.failed = session.counters.classes.values().sum();
    Some(session)
}

/// A file that was not there before, private to the user.
fn new_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    private(options.options_mut());
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(id: &str, started: &str) -> SessionSummary {
        SessionSummary { id: id.to_owned(), started: Some(started.to_owned()), ..SessionSummary::default() }
    }

    fn ids(kept: &KeptSessions) -> Vec<String> {
        kept.read().into_iter().map(|session| session.id).collect()
    }

    #[test]
    fn a_session_is_kept_once_and_in_order() {
        let dir = tempfile::tempdir().unwrap();
        let kept = KeptSessions::in_dir(&dir.path().join("state"));
        assert!(kept.read().is_empty() && kept.bytes().is_none());
        kept.add(&[session("b", "2026-03-02"), session("a", "2026-03-03")]).unwrap();
        kept.add(&[session("a", "2026-03-01")]).unwrap();
        assert_eq!(ids(&kept), ["a", "b"]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(kept.path()).unwrap().permissions().mode() & 0o777, 0o600);
        }
        assert_eq!(kept.forget(|session| session.id == "a").unwrap(), 1);
        assert_eq!(ids(&kept), ["b"]);
        assert_eq!(kept.forget(|_| true).unwrap(), 1);
        assert!(kept.bytes().is_none());
    }

    #[test]
    fn the_newest_are_kept_and_torn_lines_are_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let kept = KeptSessions::in_dir(dir.path());
        let many: Vec<_> =
            (0..MOST + 7).map(|number| session(&format!("s{number:05}"), &format!("{number:05}"))).collect();
        kept.add(&many).unwrap();
        assert_eq!((ids(&kept).len(), ids(&kept)[0].as_str()), (MOST, "s00007"));
        let mut text = fs::read(kept.path()).unwrap();
        text.truncate(text.len() - 10);
        text.extend(b"\nnot json\n{\"id\":1}\n");
        fs::write(kept.path(), text).unwrap();
        assert_eq!(ids(&kept).len(), MOST - 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_its_place_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("precious");
        fs::write(&target, "keep me\n").unwrap();
        let kept = KeptSessions::in_dir(dir.path());
        std::os::unix::fs::symlink(&target, kept.path()).unwrap();
        assert!(kept.read().is_empty());
        kept.add(&[session("a", "1")]).unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "keep me\n");
        assert_eq!(ids(&kept), ["a"]);
    }

    #[test]
    fn what_was_kept_before_prices_were_known_has_no_price() {
        let dir = tempfile::tempdir().unwrap();
        let kept = KeptSessions::in_dir(dir.path());
        let mut session = SessionSummary { id: "a".to_owned(), ..SessionSummary::default() };
        session.counters.tokens.input = 7;
        kept.add(std::slice::from_ref(&session)).unwrap();
        assert_eq!(kept.read()[0].counters.unpriced_tokens, 0, "priced at nothing");
        let mut old = serde_json::to_value(&session).unwrap();
        old.as_object_mut().unwrap().retain(|field, _| !field.starts_with("money") && field != "unpriced_tokens");
        fs::write(kept.path(), old.to_string()).unwrap();
        assert_eq!(kept.read()[0].counters.unpriced_tokens, 7);
    }
}
