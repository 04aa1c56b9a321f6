//! `conflicts.jsonl` as commands read and write it: each conflict in full, the last line of an id is its state.
#![expect(clippy::disallowed_methods, reason = "the plan tree is an edge; this is its log of conflicts")]

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Duration;

use serde::Deserialize;

use super::id::is_id;
use crate::journal::open_append;
use crate::model::Conflict;

/// The file's name.
pub const CONFLICTS: &str = "conflicts.jsonl";
/// The longest log that is read.
const LONGEST: u64 = 64 * 1024 * 1024;
/// How long another command may hold the log, in steps of [`STEP`].
const MOST_STEPS: u32 = 250;
const STEP: Duration = Duration::from_millis(20);

/// The log, held by this process: nobody else arbitrates or resolves until it is dropped.
#[derive(Debug)]
pub struct ConflictLog {
    file: File,
    conflicts: Vec<Conflict>,
}

impl ConflictLog {
    /// Opens and holds the log of the tree in `dir`, making it where it is missing.
    ///
    /// # Errors
    /// When it is no regular file, is too large, or another process holds it for seconds.
    pub fn hold(dir: &Path) -> io::Result<Self> {
        let (mut file, _) = open_append(&dir.join(CONFLICTS))?;
        hold(&file)?;
        let conflicts = fold(&whole(&mut file)?);
        Ok(Self { file, conflicts })
    }

    /// Reads the log of the tree in `dir` without holding it; empty where there is none.
    ///
    /// # Errors
    /// When it is no regular file or too large.
    pub fn read(dir: &Path) -> io::Result<Vec<Conflict>> {
        let path = dir.join(CONFLICTS);
        match fs::symlink_metadata(&path) {
            Ok(meta) if meta.is_file() => fold_file(&path),
            Ok(_) => {
                Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{} is not a regular file", path.display())))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// The conflicts, in the order in which each was found first.
    pub fn conflicts(&self) -> &[Conflict] {
        &self.conflicts
    }

    /// The conflict of an id.
    pub fn get(&self, id: &str) -> Option<&Conflict> {
        self.conflicts.iter().find(|conflict| conflict.conflict_id == id)
    }

    /// Whether a record names ids only, which may be looked up in the tree, and no node that would wait for itself.
    pub fn takes(conflict: &Conflict) -> bool {
        let waits_for_itself = conflict.proposed().is_some_and(|id| conflict.blocker() == Some(id));
        let are_ids = is_id(&conflict.conflict_id) && conflict.participants.iter().all(|one| is_id(&one.task));
        are_ids && !waits_for_itself
    }

    /// Writes a conflict's state as one line in one write.
    ///
    /// # Errors
    /// When the write fails or is cut short.
    pub fn append(&mut self, conflict: &Conflict) -> io::Result<()> {
        let mut line = Vec::with_capacity(1024);
        if !self.ends_whole()? {
            line.push(b'\n');
        }
        serde_json::to_writer(&mut line, conflict).map_err(io::Error::other)?;
        line.push(b'\n');
        self.file.write_all(&line)?;
        match self.conflicts.iter_mut().find(|known| known.conflict_id == conflict.conflict_id) {
            Some(known) => *known = conflict.clone(),
            None => self.conflicts.push(conflict.clone()),
        }
        Ok(())
    }

    /// Whether the file ends with a whole line: a process may have been ended in the middle of one.
    fn ends_whole(&mut self) -> io::Result<bool> {
        if self.file.seek(SeekFrom::End(0))? == 0 {
            return Ok(true);
        }
        self.file.seek(SeekFrom::End(-1))?;
        let mut last = [0];
        self.file.read_exact(&mut last)?;
        Ok(last == *b"\n")
    }
}

fn fold_file(path: &Path) -> io::Result<Vec<Conflict>> {
    Ok(fold(&whole(&mut File::open(path)?)?))
}

fn hold(file: &File) -> io::Result<()> {
    for _ in 0..MOST_STEPS {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(fs::TryLockError::WouldBlock) => std::thread::sleep(STEP),
            Err(fs::TryLockError::Error(error)) => return Err(error),
        }
    }
    Err(io::Error::new(io::ErrorKind::WouldBlock, "another process holds the log of conflicts"))
}

fn whole(file: &mut File) -> io::Result<String> {
    if file.metadata()?.len() > LONGEST {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "the log of conflicts is too large to be read"));
    }
    let mut bytes = Vec::new();
    file.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// The line that older scripts write when a conflict ends: it repeats nothing else.
#[derive(Deserialize)]
struct Ended {
    conflict_id: String,
    resolution: String,
    #[serde(default)]
    resolved_by: Option<String>,
    #[serde(default, alias = "ts")]
    resolved_at: Option<String>,
}

/// The state of each conflict. The last line of an id is its state; an end keeps what the lines before it told. Lines that
/// are neither, and ends of conflicts whose other lines are gone, are stepped over.
pub(super) fn fold(log: &str) -> Vec<Conflict> {
    let mut conflicts: Vec<Conflict> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for line in log.lines() {
        if let Ok(conflict) = serde_json::from_str::<Conflict>(line) {
            if !ConflictLog::takes(&conflict) {
                continue;
            }
            let place = *places.entry(conflict.conflict_id.clone()).or_insert(conflicts.len());
            match conflicts.get_mut(place) {
                Some(known) => *known = conflict,
                None => conflicts.push(conflict),
            }
        } else if let Ok(ended) = serde_json::from_str::<Ended>(line)
            && let Some(known) = places.get(&ended.conflict_id).and_then(|place| conflicts.get_mut(*place))
        {
            known.resolution = Some(ended.resolution);
            known.resolved_by = ended.resolved_by;
            known.resolved_at = ended.resolved_at;
        }
    }
    conflicts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::{ConflictKind, Layer, Overlap, Participant, Role};

    fn conflict(id: &str, proposed: &str, blocker: &str) -> Conflict {
        let participant = |task: &str, role| Participant { task: task.to_owned(), role };
        Conflict {
            conflict_id: id.to_owned(),
            detected_at: "2031-01-05T10:00:00.000Z".to_owned(),
            detected_by: "plan conflicts scan".to_owned(),
            layer: Layer::L1,
            kind: ConflictKind::FileOverlap,
            participants: vec![participant(proposed, Role::Proposed), participant(blocker, Role::Blocker)],
            overlap: Overlap { files: vec!["src/a.rs".to_owned()], functions: None },
            confidence: 1.0,
            arbitrations: 0,
            arbitration: None,
            actions_taken: Vec::new(),
            resolution: None,
            resolved_by: None,
            resolved_at: None,
            prior: None,
        }
    }

    const DETECTED: &str = r#"{"conflict_id":"CONFLICT-00004","detected_at":"2031-01-05T10:00:00Z","layer":"L1","type":"file_overlap","participants":[{"task":"TASK-1","role":"proposed"},{"task":"TASK-2","role":"pending-confirm"}],"overlap":{"files":["a.rs"],"functions":null,"schema_elements":null},"confidence":1.0,"arbitration":null,"actions_taken":[],"resolution":null,"resolved_at":null}"#;
    const ENDED: &str = r#"{"ts":"2031-01-05T11:00:00Z","conflict_id":"CONFLICT-00004","resolution":"sequential","resolved_by":"user"}"#;

    /// The predecessor's resolution line held four fields, and took the place of the whole record.
    #[test]
    fn a_resolution_loses_no_participants() {
        let folded = fold(&format!("{DETECTED}\n{ENDED}\n"));
        assert_eq!(folded.len(), 1);
        assert_eq!((folded[0].proposed(), folded[0].blocker()), (Some("TASK-1"), Some("TASK-2")));
        assert_eq!(folded[0].resolution.as_deref(), Some("sequential"));
        assert_eq!(fold(ENDED), [], "an end without a beginning");
    }

    /// The predecessor's retention drops old lines that have a `ts`, and so dropped the end of a conflict and kept its
    /// beginning, which opened it again.
    #[test]
    fn a_retention_by_time_opens_nothing_again() {
        let dir = tempfile::tempdir().unwrap();
        let mut log = ConflictLog::hold(dir.path()).unwrap();
        let mut one = conflict("CONFLICT-0000abcd", "TASK-1", "TASK-2");
        log.append(&one).unwrap();
        one.resolution = Some("accept-blocker".to_owned());
        one.resolved_at = Some("2031-01-05T11:00:00.000Z".to_owned());
        log.append(&one).unwrap();
        drop(log);
        let path = dir.path().join(CONFLICTS);
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 2);
        let kept: Vec<&str> = text.lines().filter(|line| !line.contains("\"ts\"")).collect();
        let folded = fold(&kept.join("\n"));
        assert!(folded[0].is_resolved());
        // Even the last line alone tells all.
        let last = fold(kept.last().unwrap());
        assert_eq!(last[0], one);
    }

    #[test]
    fn a_torn_line_costs_only_itself() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(CONFLICTS);
        fs::write(&path, format!("{DETECTED}\n{{\"conflict_id\":\"CONF")).unwrap();
        let mut log = ConflictLog::hold(dir.path()).unwrap();
        log.append(&conflict("CONFLICT-0000abcd", "TASK-1", "TASK-3")).unwrap();
        let again = ConflictLog::read(dir.path()).unwrap();
        assert_eq!(again, log.conflicts());
        assert_eq!(again.len(), 2);
        assert!(log.get("CONFLICT-0000abcd").is_some() && log.get("CONFLICT-9").is_none());
    }

    #[cfg(unix)]
    #[test]
    fn the_log_is_private_and_no_link_is_followed() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        ConflictLog::hold(dir.path()).unwrap();
        let path = dir.path().join(CONFLICTS);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        fs::remove_file(&path).unwrap();
        let outside = dir.path().join("outside");
        fs::write(&outside, "").unwrap();
        std::os::unix::fs::symlink(&outside, &path).unwrap();
        assert!(ConflictLog::hold(dir.path()).is_err());
        assert!(ConflictLog::read(dir.path()).is_err());
    }

    #[test]
    fn hostile_lines_are_stepped_over() {
        for line in [
            "",
            "null",
            "[]",
            "{}",
            r#"{"conflict_id":"../x","layer":"L1","participants":[]}"#,
            r#"{"conflict_id":"C-1","layer":"L9","participants":[]}"#,
            r#"{"conflict_id":"C-1","layer":"L1","participants":["../../etc"]}"#,
            &DETECTED.replace("TASK-2", "TASK-1"),
        ] {
            assert_eq!(fold(line), [], "{line}");
        }
    }

    proptest! {
        #[test]
        fn any_interleaving_gives_one_state_an_id(lines in prop::collection::vec((0_usize..4, 0_usize..3), 0..40)) {
            let line = |(id, what): &(usize, usize)| match what {
                0 => DETECTED.replace("CONFLICT-00004", &format!("C-{id}")),
                1 => ENDED.replace("CONFLICT-00004", &format!("C-{id}")),
                _ => serde_json::to_string(&conflict(&format!("C-{id}"), "TASK-8", "TASK-9")).unwrap(),
            };
            let text: Vec<String> = lines.iter().map(line).collect();
            let folded = fold(&text.join("\n"));
            for id in 0..4 {
                let own: Vec<usize> = lines.iter().filter(|(of, _)| *of == id).map(|(_, what)| *what).collect();
                let named = own.iter().position(|what| *what != 1);
                let states: Vec<&Conflict> = folded.iter().filter(|one| one.conflict_id == format!("C-{id}")).collect();
                prop_assert_eq!(states.len(), usize::from(named.is_some()));
                if let (Some(state), Some(named)) = (states.first(), named) {
                    prop_assert_eq!(state.is_resolved(), own[named..].last() == Some(&1));
                    prop_assert_eq!(state.participants.len(), 2);
                }
            }
        }
    }
}
