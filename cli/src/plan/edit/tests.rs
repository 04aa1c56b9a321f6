//! The tree as commands change it: whole mutations, faults at every write, and what must hold whatever happens.
#![expect(clippy::disallowed_methods, reason = "a test builds its tree on disk")]

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::OnceLock;
use std::{fs, io};

use proptest::prelude::*;
use tempfile::TempDir;

use super::disk::{Disk, Files};
use super::pending::is_left;
use super::{ChangeError, Editor, NewNode, ReplanRequest, Thaw, Tree, init};
use crate::model::{Ids, NodeStatus};

const NOW: &str = "2031-01-05T10:00:00.000Z";

/// A project with a tree: two features, three stories, five tasks.
struct Project {
    root: TempDir,
}

impl Project {
    /// A copy of the tree that the first call made.
    fn new() -> Self {
        static FIRST: OnceLock<Project> = OnceLock::new();
        FIRST.get_or_init(Self::made).twin()
    }

    fn made() -> Self {
        let project = Self { root: tempfile::tempdir().unwrap() };
        fs::create_dir_all(project.root.path().join("tests")).unwrap();
        fs::write(project.root.path().join("tests/beds.rs"), "").unwrap();
        init(&project.dir(), "Water the greenhouse", &[], NOW).unwrap();
        project.add(2, "MISSION", "Valves");
        project.add(2, "MISSION", "Charts");
        for parent in ["FEAT-1", "FEAT-1", "FEAT-2"] {
            project.add(3, parent, "Beds");
        }
        for parent in ["STORY-0001", "STORY-0001", "STORY-0001", "STORY-0002", "STORY-0003"] {
            project.add(4, parent, "Open: the \"valve\"");
        }
        project
    }

    fn dir(&self) -> PathBuf {
        self.root.path().join(".claude/plans")
    }

    fn editor(&self) -> Editor {
        Editor::begin(&self.dir(), self.root.path(), &self.dir(), Ids::default()).unwrap()
    }

    fn add(&self, tier: u8, parent: &str, intent: &str) {
        let test_refs = if tier == 3 { vec!["tests/beds.rs::dry".to_owned()] } else { Vec::new() };
        let (parent, intent) = (parent.to_owned(), intent.to_owned());
        self.editor().add(&NewNode { tier, parent, intent, test_refs, ..NewNode::default() }, NOW).unwrap();
    }

    fn tree(&self) -> Tree {
        Tree::open(&self.dir(), self.root.path()).unwrap()
    }

    fn status(&self, id: &str) -> NodeStatus {
        self.tree().node(id).unwrap().status.unwrap()
    }

    fn statuses(&self) -> BTreeMap<String, NodeStatus> {
        self.tree().nodes().filter_map(|node| Some((node.id.clone(), node.status?))).collect()
    }

    fn file(&self, id: &str) -> PathBuf {
        self.tree().node(id).unwrap().file.clone()
    }

    fn violations(&self) -> Vec<String> {
        self.tree().violations().into_iter().map(|one| format!("{:?} {} {}", one.rule, one.node, one.what)).collect()
    }

    /// Every node's file.
    fn nodes(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        self.tree().nodes().map(|node| (node.file.clone(), fs::read(&node.file).unwrap())).collect()
    }

    fn history(&self) -> String {
        fs::read_to_string(self.dir().join("history.jsonl")).unwrap_or_default()
    }
}

#[test]
fn a_new_tree_validates() {
    assert_eq!(Project::new().violations(), [""; 0]);
    let nowhere = tempfile::tempdir().unwrap();
    assert!(init(nowhere.path(), " ", &[], NOW).unwrap_err().to_string().contains("needs an intent"));
}

#[test]
fn a_freeze_takes_what_is_below_and_nothing_beside_it() {
    let project = Project::new();
    project.editor().claim("TASK-00001", Some("session/s"), NOW).unwrap();
    project.editor().set("TASK-00001", NodeStatus::Done, None, NOW).unwrap();
    project.editor().freeze("STORY-0001", "the valve is wrong", Some("CONFLICT-00001"), NOW).unwrap();
    let frozen: Vec<String> =
        project.statuses().into_iter().filter(|(_, status)| *status == NodeStatus::Frozen).map(|(id, _)| id).collect();
    assert_eq!(frozen, ["STORY-0001", "TASK-00002", "TASK-00003"]);
    assert_eq!(project.violations(), [""; 0]);
    let active = fs::read_to_string(project.dir().join("active.json")).unwrap();
    assert!(active.contains("\"TASK-00003\"") && active.contains("\"task\": null"), "{active}");
    let refused = project.editor().thaw("STORY-0001", Thaw::default(), NOW).unwrap_err();
    assert!(refused.to_string().contains("conflicts.jsonl knows nothing"), "{refused}");
    project.editor().thaw("STORY-0001", Thaw { force: true, discard: false }, NOW).unwrap();
    assert_eq!(project.status("TASK-00002"), NodeStatus::Planned);
    assert_eq!(project.status("TASK-00001"), NodeStatus::Done);
    assert!(!fs::read_to_string(project.file("STORY-0001")).unwrap().contains("conflict_id"));
    assert_eq!(project.violations(), [""; 0]);
}

/// A disk that is taken away at its n-th write: nothing goes through any more, as if the process were ended there.
struct Taken {
    left: Rc<Cell<usize>>,
    /// Whether the last write leaves a part of itself beside the file.
    torn: bool,
}

impl Taken {
    fn take(&self) -> io::Result<()> {
        let left = self.left.get().checked_sub(1).ok_or(io::ErrorKind::Interrupted)?;
        self.left.set(left);
        Ok(())
    }
}

impl Disk for Taken {
    fn put(&mut self, file: &Path, bytes: &[u8]) -> io::Result<()> {
        let went = self.take();
        if went.is_err() && self.torn && file.parent().is_some_and(Path::is_dir) {
            let name = file.file_name().unwrap().to_str().unwrap();
            fs::write(file.with_file_name(format!(".{name}.tmp")), &bytes[..bytes.len() / 2])?;
        }
        went?;
        Files.put(file, bytes)
    }

    fn remove(&mut self, file: &Path) -> io::Result<()> {
        self.take()?;
        Files.remove(file)
    }
}

/// One of each change, and what has to be there before it.
type Step = fn(&mut Editor) -> Result<(), ChangeError>;

fn changes() -> Vec<(&'static str, Vec<Step>)> {
    let claim: Step = |editor| editor.claim("TASK-00001", Some("session/s"), NOW).map(drop);
    let freeze: Step = |editor| editor.freeze("FEAT-1", "stop: \"all\"", None, NOW).map(drop);
    let thaw: Step = |editor| editor.thaw("FEAT-1", Thaw::default(), NOW).map(drop);
    let give_up: Step = |editor| editor.thaw("FEAT-1", Thaw { discard: true, force: false }, NOW).map(drop);
    let replan: Step = |editor| {
        let (avoid, holder) = (Some("one file a task"), Some("session/s"));
        let asked = ReplanRequest { reason: "wrong cut", avoid, holder, ..ReplanRequest::default() };
        editor.replan("STORY-0001", asked, NOW).map(drop)
    };
    let finish: Step = |editor| editor.set("TASK-00001", NodeStatus::Done, None, NOW).map(drop);
    let depend: Step = |editor| editor.depend("TASK-00002", &["TASK-00001".to_owned()], &[], NOW).map(drop);
    let add: Step = |editor| {
        let new = NewNode { tier: 4, parent: "STORY-0002".into(), intent: "Close".into(), ..NewNode::default() };
        editor.add(&new, NOW).map(drop)
    };
    let undo: Step = |editor| editor.undo("FEAT-1", false, NOW).map(drop);
    vec![
        ("claim", vec![claim]),
        ("freeze", vec![claim, freeze]),
        ("thaw", vec![freeze, thaw]),
        ("thaw with discard", vec![freeze, give_up]),
        ("replan", vec![claim, replan]),
        ("done", vec![claim, finish]),
        ("depend", vec![depend]),
        ("add", vec![add]),
        ("undo", vec![claim, freeze, undo]),
    ]
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

impl Project {
    fn twin(&self) -> Self {
        let root = tempfile::tempdir().unwrap();
        copy(self.root.path(), root.path());
        Self { root }
    }

    /// Every node's file by its place in the tree, and what is active.
    fn content(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let dir = self.dir();
        let nodes = self.nodes().into_iter().map(|(file, bytes)| (file.strip_prefix(&dir).unwrap().to_owned(), bytes));
        let more = ["active.json", ".counters.json"].map(|name| (name.into(), fs::read(dir.join(name)).unwrap()));
        nodes.chain(more).collect()
    }
}

/// Wherever a change is ended, the next command finds it made as a whole or not at all, and the tree validates.
#[test]
fn a_change_that_is_ended_at_any_write_is_made_as_a_whole_or_not_at_all() {
    let start = Project::new();
    for (name, steps) in changes() {
        let (last, before) = steps.split_last().unwrap();
        let ready = start.twin();
        for step in before {
            step(&mut ready.editor()).unwrap();
        }
        let done = ready.twin();
        last(&mut done.editor()).unwrap();
        let events = done.history().lines().count();
        assert_ne!(ready.content(), done.content(), "{name} changes something");
        for torn in [false, true] {
            let mut made = 0;
            for writes in 0.. {
                let project = ready.twin();
                let left = Rc::new(Cell::new(writes));
                let disk = Box::new(Taken { left: Rc::clone(&left), torn });
                let dir = project.dir();
                let mut editor = Editor::begin_on(disk, &dir, project.root.path(), &dir, Ids::default()).unwrap();
                let ended = last(&mut editor).is_err();
                drop(editor);
                // Who only looks sees one or the other as well, and ends nothing.
                let (seen, was_left) = (project.statuses(), is_left(&dir));
                assert_eq!(project.violations(), [""; 0], "{name} looked at behind write {writes}");
                assert_eq!(is_left(&dir), was_left, "{name} looked at behind write {writes}");
                drop(project.editor());
                assert_eq!(project.statuses(), seen, "{name} looked at behind write {writes}");
                assert_eq!(project.violations(), [""; 0], "{name} ended at write {writes}");
                assert!(!is_left(&dir), "{name} ended at write {writes}");
                let content = project.content();
                assert!(content == ready.content() || content == done.content(), "{name} ended at write {writes}");
                if content == done.content() {
                    made += 1;
                    assert_eq!(project.history().lines().count(), events, "{name} ended at write {writes}");
                } else {
                    assert_eq!(made, 0, "{name} ended at write {writes}: less than a write before");
                }
                if !ended {
                    break;
                }
            }
            assert!(made > 2, "{name}: the first write of several makes it");
        }
    }
}

/// What a person wrote between the end of one process and the start of the next is theirs.
#[test]
fn a_change_that_is_finished_later_writes_over_nobody() {
    let project = Project::new();
    let dir = project.dir();
    let disk = Box::new(Taken { left: Rc::new(Cell::new(2)), torn: false });
    let mut editor = Editor::begin_on(disk, &dir, project.root.path(), &dir, Ids::default()).unwrap();
    editor.freeze("FEAT-1", "stop", None, NOW).unwrap_err();
    drop(editor);
    let file = project.file("TASK-00002");
    let mut text = fs::read_to_string(&file).unwrap();
    text.push_str("what I found\n");
    fs::write(&file, &text).unwrap();
    drop(project.editor());
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    assert_eq!(project.status("TASK-00001"), NodeStatus::Frozen);
}

/// A page that cannot be written stops no other task, and nothing is begun.
#[test]
fn a_change_that_cannot_be_ended_is_not_begun() {
    let project = Project::new();
    let dir = project.dir();
    let blocked = project.file("TASK-00001").with_file_name("checkpoints");
    fs::remove_dir_all(&blocked).ok();
    fs::write(&blocked, "").unwrap();
    let before = project.content();
    let error = project.editor().freeze("STORY-0001", "stop", None, NOW).unwrap_err();
    assert!(error.to_string().contains("TASK-00001_open-the-valve") && error.hint().contains("nothing"), "{error}");
    assert!(!is_left(&dir) && project.content() == before);
    let error = project.editor().claim("TASK-00001", None, NOW).unwrap_err();
    assert!(error.to_string().contains("checkpoints/next.json cannot be written (not a directory)"), "{error}");
    let (change, _) = project.editor().claim_next(None, &[], None, NOW).unwrap().unwrap();
    assert_eq!(change.node, "TASK-00002");
    assert_eq!(project.violations().len(), 1, "{:?}", project.violations());
    assert_eq!(project.tree().waiting(true).first().unwrap().id, "TASK-00001");
}

/// A page grows: by a log that somebody appends to it.
#[test]
fn a_page_that_is_too_large_is_broken_and_stops_no_other() {
    let project = Project::new();
    let file = project.file("TASK-00001");
    let mut text = fs::read_to_string(&file).unwrap();
    text.push_str(&"line\n".repeat(220_000));
    fs::write(&file, text).unwrap();
    assert_eq!(project.violations(), ["Readable TASK-00001 file too large"]);
    let (change, _) = project.editor().claim_next(None, &[], None, NOW).unwrap().unwrap();
    assert_eq!(change.node, "TASK-00002");
}

/// A newer release may mean something else by it.
#[test]
fn a_change_of_a_version_that_is_not_known_is_left_alone() {
    let project = Project::made();
    let (dir, record) = (project.dir(), project.dir().join(".mutation.json"));
    fs::write(&record, r#"{"schema_version":2,"files":[],"events":[]}"#).unwrap();
    let refused = Editor::begin(&dir, project.root.path(), &dir, Ids::default());
    assert!(matches!(refused, Err(ChangeError::Io { .. })) && record.exists());
}

#[derive(Debug, Clone)]
enum Command {
    Claim(String),
    Next,
    Set(String, NodeStatus),
    Freeze(String),
    Thaw(String, bool),
    Replan(String),
    Undo(String),
    Depend(String, String),
    Add(String),
}

impl Command {
    fn run(&self, editor: &mut Editor) -> Result<(), ChangeError> {
        match self {
            Self::Claim(id) => editor.claim(id, None, NOW).map(drop),
            Self::Next => editor.claim_next(Some("session/s"), &[], None, NOW).map(drop),
            Self::Set(id, status) => editor.set(id, *status, Some("because"), NOW).map(drop),
            Self::Freeze(id) => editor.freeze(id, "stop", None, NOW).map(drop),
            Self::Thaw(id, discard) => editor.thaw(id, Thaw { discard: *discard, force: false }, NOW).map(drop),
            Self::Replan(id) => {
                editor.replan(id, ReplanRequest { reason: "again", ..ReplanRequest::default() }, NOW).map(drop)
            }
            Self::Undo(id) => editor.undo(id, false, NOW).map(drop),
            Self::Depend(id, on) => editor.depend(id, std::slice::from_ref(on), &[], NOW).map(drop),
            Self::Add(parent) => {
                let (tier, test_refs) = if parent.starts_with("STORY") {
                    (4, Vec::new())
                } else {
                    (3, vec!["tests/beds.rs::a".to_owned()])
                };
                let new =
                    NewNode { tier, parent: parent.clone(), intent: "more".into(), test_refs, ..NewNode::default() };
                editor.add(&new, NOW).map(drop)
            }
        }
    }
}

fn any_command() -> impl Strategy<Value = Command> {
    let ids = ["FEAT-1", "FEAT-2", "STORY-0001", "STORY-0002", "STORY-0003", "TASK-00001", "TASK-00002", "TASK-00004"];
    let id = || prop::sample::select(ids.to_vec()).prop_map(str::to_owned);
    prop_oneof![
        id().prop_map(Command::Claim),
        Just(Command::Next),
        (id(), prop::sample::select(NodeStatus::ALL.to_vec())).prop_map(|(id, status)| Command::Set(id, status)),
        id().prop_map(Command::Freeze),
        (id(), any::<bool>()).prop_map(|(id, discard)| Command::Thaw(id, discard)),
        id().prop_map(Command::Replan),
        id().prop_map(Command::Undo),
        (id(), id()).prop_map(|(id, on)| Command::Depend(id, on)),
        id().prop_map(Command::Add),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn any_commands_leave_a_tree_that_validates(commands in prop::collection::vec(any_command(), 1..14)) {
        let project = Project::new();
        let mut editor = project.editor();
        for command in &commands {
            let (before, statuses) = (project.nodes(), project.statuses());
            let done = command.run(&mut editor);
            // What waits for something discarded is a choice that a person has yet to make.
            let is_choice = |found: &String| found.starts_with("DeadEnd ") && found.ends_with(", which is discarded");
            let violations: Vec<String> = project.violations().into_iter().filter(|found| !is_choice(found)).collect();
            prop_assert_eq!(violations, [""; 0], "{:?}", command);
            if done.is_err() {
                prop_assert_eq!(project.nodes(), before, "a refused {:?} changes nothing", command);
                continue;
            }
            let tree = project.tree();
            for (id, now) in project.statuses() {
                let Some(before) = statuses.get(&id) else { continue };
                prop_assert!(*before == now || before.may_become(now) || matches!(command, Command::Undo(_)));
                if let (Command::Freeze(target), true) = (command, *before != now) {
                    let below = id == *target || tree.ancestors(&id).iter().any(|above| above.id == *target);
                    prop_assert!(below, "{} stands beside {}", id, target);
                }
            }
        }
    }

    #[test]
    fn a_change_that_is_taken_back_leaves_the_bytes_of_before(
        earlier in prop::collection::vec(any_command(), 0..8), command in any_command(),
    ) {
        let project = Project::new();
        let mut editor = project.editor();
        for command in &earlier {
            let _ = command.run(&mut editor);
        }
        let before = project.nodes();
        let node = match &command {
            Command::Claim(id) | Command::Set(id, _) | Command::Freeze(id) | Command::Thaw(id, _) | Command::Replan(id)
            | Command::Depend(id, _) | Command::Add(id) => id.clone(),
            Command::Next | Command::Undo(_) => return Ok(()),
        };
        let known = project.statuses();
        if command.run(&mut editor).is_ok() {
            // A node that was added is undone by its own name.
            let added = project.statuses().into_keys().find(|id| !known.contains_key(id));
            editor.undo(&added.unwrap_or(node), false, NOW).unwrap();
            prop_assert_eq!(project.nodes(), before, "{:?}", command);
        }
    }
}
