//! `conflicts.jsonl` as commands hold it and write it: each line a conflict in full.
#![expect(clippy::disallowed_methods, reason = "an edge: the log of conflicts is a file")]

use std::collections::{BTreeSet, HashMap};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use fs_err::{self as fs, File};

use crate::conflicts::{CONFLICTS, Conflict, states};
use crate::journal::{named, open_append, wait_for};

/// The longest log that is read.
const LONGEST: u64 = 64 * 1024 * 1024;
/// How long another command may hold the log, and how often it is looked at.
const MOST_WAIT: Duration = Duration::from_secs(5);
const STEP: Duration = Duration::from_millis(20);

/// The log, held by this process: nobody else arbitrates or resolves until it is dropped.
#[derive(Debug)]
pub struct ConflictLog {
    file: File,
    conflicts: Vec<Conflict>,
    /// By id, the place of a conflict.
    by_id: HashMap<String, usize>,
    /// By two nodes, the smaller first, the places of the conflicts between them, and of those that were.
    by_nodes: HashMap<[String; 2], BTreeSet<usize>>,
    /// The places of conflicts that do not name two nodes.
    of_others: BTreeSet<usize>,
}

impl ConflictLog {
    /// Opens and holds the log of the tree in `dir`, making it where it is missing.
    ///
    /// # Errors
    /// When it is no regular file, is too large, or another process holds it for seconds.
    pub fn hold(dir: &Path) -> io::Result<Self> {
        let path = dir.join(CONFLICTS);
        let mut file = File::from_parts(open_append(&path)?.0, path);
        hold(&file)?;
        let conflicts = states(&whole(&mut file)?);
        let (by_id, by_nodes, of_others) = (HashMap::new(), HashMap::new(), BTreeSet::new());
        let mut log = Self { file, conflicts: Vec::new(), by_id, by_nodes, of_others };
        for conflict in conflicts {
            log.keep(conflict);
        }
        Ok(log)
    }

    /// Reads the log of the tree in `dir` without holding it; empty where there is none.
    ///
    /// # Errors
    /// When it is no regular file or too large.
    pub fn read(dir: &Path) -> io::Result<Vec<Conflict>> {
        let path = dir.join(CONFLICTS);
        match fs::symlink_metadata(&path) {
            Ok(meta) if meta.is_file() => Ok(states(&whole(&mut File::open(&path)?)?)),
            Ok(_) => Err(named(&path)(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"))),
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
        self.conflicts.get(*self.by_id.get(id)?)
    }

    /// The conflicts between two nodes, the last one first.
    pub fn of_nodes(&self, one: &str, other: &str) -> impl Iterator<Item = &Conflict> {
        let mut nodes = [one.to_owned(), other.to_owned()];
        nodes.sort_unstable();
        let mut places = self.by_nodes.get(&nodes).cloned().unwrap_or_default();
        places.extend(&self.of_others);
        let found = places.into_iter().rev().filter_map(|place| self.conflicts.get(place));
        found.filter(move |conflict| conflict.is_between(&nodes[0], &nodes[1]))
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
        self.keep(conflict.clone());
        Ok(())
    }

    /// Takes a conflict's state in the place of what was known of it.
    fn keep(&mut self, conflict: Conflict) {
        let place = *self.by_id.entry(conflict.conflict_id.clone()).or_insert(self.conflicts.len());
        let places = match conflict.participants.as_slice() {
            [one, other] => {
                let mut nodes = [one.task.clone(), other.task.clone()];
                nodes.sort_unstable();
                self.by_nodes.entry(nodes).or_default()
            }
            _ => &mut self.of_others,
        };
        places.insert(place);
        match self.conflicts.get_mut(place) {
            Some(known) => *known = conflict,
            None => self.conflicts.push(conflict),
        }
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

fn hold(file: &File) -> io::Result<()> {
    if wait_for(file.file(), Instant::now() + MOST_WAIT, STEP).map_err(named(file.path()))? {
        return Ok(());
    }
    Err(named(file.path())(io::Error::new(
        io::ErrorKind::WouldBlock,
        "another process has locked the log of conflicts",
    )))
}

fn whole(file: &mut File) -> io::Result<String> {
    if file.metadata()?.len() > LONGEST {
        let error = io::Error::new(io::ErrorKind::FileTooLarge, "the log of conflicts is too large to be read");
        return Err(named(file.path())(error));
    }
    let mut bytes = Vec::new();
    file.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conflicts::{ConflictKind, ConflictRole, Layer, Overlap, Participant};

    fn conflict(id: &str, proposed: &str, blocker: &str) -> Conflict {
        let participant = |task: &str, role| Participant { task: task.to_owned(), role };
        Conflict {
            conflict_id: id.to_owned(),
            detected_at: "2031-01-05T10:00:00.000Z".to_owned(),
            detected_by: "plan conflicts scan".to_owned(),
            layer: Layer::L1,
            kind: ConflictKind::FileOverlap,
            participants: vec![
                participant(proposed, ConflictRole::Proposed),
                participant(blocker, ConflictRole::Blocker),
            ],
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
        let folded = states(&kept.join("\n"));
        assert!(folded[0].is_resolved());
        // Even the last line alone tells all.
        let last = states(kept.last().unwrap());
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

    #[test]
    fn the_conflicts_between_two_nodes_are_found_last_first() {
        let dir = tempfile::tempdir().unwrap();
        let crowd = r#"{"conflict_id":"C-0","layer":"L1","participants":["T-1","T-2","T-3"]}"#;
        fs::write(dir.path().join(CONFLICTS), format!("{crowd}\n")).unwrap();
        let mut log = ConflictLog::hold(dir.path()).unwrap();
        log.append(&conflict("C-1", "T-1", "T-2")).unwrap();
        log.append(&conflict("C-2", "T-3", "T-1")).unwrap();
        log.append(&conflict("C-3", "T-2", "T-1")).unwrap();
        // The same id for other nodes: what was there before is gone.
        log.append(&conflict("C-1", "T-4", "T-5")).unwrap();
        let between = |one, other| -> Vec<&str> {
            log.of_nodes(one, other).map(|conflict| conflict.conflict_id.as_str()).collect()
        };
        assert_eq!(between("T-1", "T-2"), ["C-3", "C-0"]);
        assert_eq!(between("T-1", "T-3"), ["C-2", "C-0"]);
        assert_eq!(between("T-5", "T-4"), ["C-1"]);
        assert_eq!(between("T-3", "T-4"), [""; 0]);
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
}
