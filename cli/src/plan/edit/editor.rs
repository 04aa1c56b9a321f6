//! Changing the tree: one change at a time, under the lock, tried out before it is made, with a checkpoint of every node
//! that it touches.

use std::path::{Path, PathBuf};

use base64::prelude::{BASE64_STANDARD, Engine};

use super::checkpoint::{self, Checkpoint};
use super::counters;
use super::disk::{self, Disk, Files, relative};
use super::document::{Document, yaml};
use super::error::{ChangeError, NOTHING_CHANGED};
use super::grow;
use super::node::Node;
use super::pending::{self, FileChange, Pending};
use super::tree::Tree;
use crate::digest::hex16;
use crate::front_matter::FrontMatter;
use crate::history::{Body, Event, StateChange, session_node};
use crate::journal::{Journal, Ledger, Lock};
use crate::model::{Ids, NodeStatus};
use crate::plan::active::ACTIVE;
use crate::redact::redact;
use crate::text::one_line;

/// The longest reason or intent that is kept, in characters.
const LONGEST_TEXT: usize = 300;

/// The lock of a tree. Who changes it holds that all the time, and the history's only while it writes there: hooks wait
/// for that one.
const PLAN_LOCK: &str = "plan.lock";

/// The tree under its lock.
pub struct Editor {
    tree: Tree,
    /// The folder of the project's history.
    pub(super) history: PathBuf,
    disk: Box<dyn Disk>,
    ids: Ids,
    _lock: Lock,
}

/// What was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// 16 hexadecimal digits; every checkpoint of the change carries them.
    pub mutation: String,
    /// What was done: `freeze`, `thaw`, `claim` ...
    pub verb: &'static str,
    /// The node that it was asked for.
    pub node: String,
    /// Every node that was touched.
    pub changed: Vec<Changed>,
}

/// A node that was touched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// The node.
    pub id: String,
    /// What it was; None for the mission, and for a node that was not there.
    pub from: Option<NodeStatus>,
    /// What it is now; None for the mission, and for a node that is gone.
    pub to: Option<NodeStatus>,
    /// Its revision now.
    pub revision: u32,
}

/// A change while it is put together.
pub(super) struct Draft<'a> {
    verb: &'static str,
    node: String,
    now: &'a str,
    ids: Ids,
    /// Every node's file that changes, in the order in which it is written.
    touched: Vec<TouchedNode>,
    /// Files beside the nodes' own.
    pub(super) others: Vec<FileChange>,
    events: Vec<Event>,
    /// The task that becomes the active one where there is none.
    pub(super) candidate: Option<String>,
    pub(super) counters: Option<counters::IdCounters>,
    /// Whether checkpoints are made.
    pub(super) keeps: bool,
}

struct TouchedNode {
    id: String,
    change: FileChange,
}

impl Editor {
    /// Takes the lock, finishes a change that was left half made, and reads the tree in `dir`. `history` is the folder of
    /// the project's history, `root` the project's own; `ids` tell the history who changes it.
    ///
    /// # Errors
    /// When the lock cannot be had within some seconds, or the tree cannot be read.
    pub fn begin(dir: &Path, root: &Path, history: &Path, ids: Ids) -> Result<Self, ChangeError> {
        Self::begin_on(Box::new(Files), dir, root, history, ids)
    }

    pub(super) fn begin_on(
        mut disk: Box<dyn Disk>,
        dir: &Path,
        root: &Path,
        history: &Path,
        ids: Ids,
    ) -> Result<Self, ChangeError> {
        let lock = Journal::in_dir(dir).lock_by(PLAN_LOCK).map_err(|error| ChangeError::unread(dir, &error))?;
        pending::finish(dir, history, &mut *disk)?;
        let tree = Tree::open(dir, root)?;
        Ok(Self { tree, history: history.to_owned(), disk, ids, _lock: lock })
    }

    /// The tree as it is now.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Ends the work: the lock is given up, the tree stays as it was then.
    pub fn into_tree(self) -> Tree {
        self.tree
    }

    /// The node of an id.
    pub(super) fn known(&self, id: &str) -> Result<&Node, ChangeError> {
        self.tree.node(id).ok_or_else(|| ChangeError::Missing { id: id.to_owned() })
    }

    pub(super) fn draft<'a>(&self, verb: &'static str, node: &str, now: &'a str) -> Draft<'a> {
        Draft {
            verb,
            node: node.to_owned(),
            now,
            ids: self.ids.clone(),
            touched: Vec::new(),
            others: Vec::new(),
            events: Vec::new(),
            candidate: None,
            counters: None,
            keeps: true,
        }
    }

    /// Binds the session or subagent that calls to a node: its failures belong to the node from now on.
    ///
    /// # Errors
    /// When there is no such node, or the history cannot be written.
    pub fn bind(&mut self, id: &str, now: &str) -> Result<(), ChangeError> {
        self.known(id)?;
        let mut draft = self.draft("bind", id, now);
        let node = session_node(self.ids.session.as_deref(), self.ids.agent.as_deref());
        draft.tell(&node, Body::NodeBound { target: Some(id.to_owned()) });
        self.record(draft)
    }

    /// The failures of a node that are still worked on, by their ids.
    pub(super) fn episodes_of(&self, id: &str) -> Result<Vec<String>, ChangeError> {
        let state = ledger(&self.history)?.state(id);
        Ok(state.episodes.iter().map(|episode| episode.id.clone()).collect())
    }

    /// Records what happened where no file changes.
    pub(super) fn record(&mut self, draft: Draft<'_>) -> Result<(), ChangeError> {
        let mut events = draft.events;
        ledger(&self.history)?.append(&mut events).map_err(|error| ChangeError::unread(&self.tree.dir, &error))
    }

    /// Makes a change. It is refused where it would break what holds for every tree.
    pub(super) fn make(&mut self, draft: Draft<'_>) -> Result<Change, ChangeError> {
        let after = self.tried(&draft)?;
        let revision = self.tree.node(&draft.node).map_or(0, |node| node.revision);
        let mutation = hex16(&["mutation", draft.verb, &draft.node, draft.now, &revision.to_string()]);
        let mut changes = if draft.keeps { self.checkpoints(&draft, &mutation)? } else { Vec::new() };
        changes.extend(draft.touched.iter().map(|touched| touched.change.clone()));
        changes.extend(draft.others.iter().cloned());
        let lost = Some(&after.counters).filter(|_| !self.tree.lost.is_empty());
        changes.extend(self.ignoring()?);
        if let Some(counters) = draft.counters.as_ref().or(lost) {
            changes.extend(self.replaced(counters::COUNTERS, counters.to_bytes())?);
        }
        changes.extend(self.replaced(ACTIVE, after.working.to_bytes())?);
        let dir = self.tree.dir.clone();
        let pending = Pending::of(&dir, &changes, draft.events)
            .ok_or_else(|| ChangeError::refused("a file of the tree has a name that is no text", "rename it"))?;
        let stopped = |(file, error): pending::FileError| ChangeError::Io {
            file,
            kind: error.kind(),
            hint: if pending::is_left(&dir) {
                "the next `failwise plan` command that changes the plan ends this one"
            } else {
                NOTHING_CHANGED
            },
        };
        pending.make(&dir, &self.history, &mut *self.disk).map_err(stopped)?;
        let became = draft.touched.iter().map(|touched| became(&touched.id, &self.tree, &after)).collect();
        self.tree = after;
        Ok(Change { mutation, verb: draft.verb, node: draft.node, changed: became })
    }

    /// The tree as it would be.
    fn tried(&self, draft: &Draft<'_>) -> Result<Tree, ChangeError> {
        let mut fronts = Vec::with_capacity(draft.touched.len());
        for TouchedNode { change, .. } in &draft.touched {
            let text = change.after.as_deref().map(String::from_utf8_lossy);
            let front = text.map(|text| FrontMatter::of(&text)).transpose();
            let front = front.map_err(|trouble| ChangeError::refused(trouble.what, "fix the file"))?;
            fronts.push((change.file.clone(), front));
        }
        let counters = draft.counters.clone().unwrap_or_else(|| self.tree.counters.clone());
        let mut after = self.tree.with(fronts, self.tree.working.clone(), counters);
        after.working = self.tree.working.settled(&after, draft.candidate.as_deref(), draft.now);
        let found = after.violations_of_files();
        // What was wrong before stops no change; mostly nothing is wrong.
        let known = if found.is_empty() { Vec::new() } else { self.tree.violations_of_files() };
        let is_new = |one: &super::Violation| {
            !known.iter().any(|known| (known.rule, &known.node, &known.what) == (one.rule, &one.node, &one.what))
        };
        // A story is held to its tests when it changes its state; an old fault of it stops no other change.
        let begins = |id: &str| self.tree.node(id).map(|node| node.status) != after.node(id).map(|node| node.status);
        let ids = draft.touched.iter().map(|touched| touched.id.as_str()).filter(|id| begins(id));
        let tests = ids.filter_map(|id| after.node(id)).flat_map(|node| after.violations_of_tests(node));
        match found.into_iter().filter(is_new).chain(tests).next() {
            None => Ok(after),
            Some(one) => Err(ChangeError::refused(
                format!("{} would break the plan: {} {}", draft.verb, one.node, one.what),
                one.fix,
            )),
        }
    }

    /// The list of what git leaves alone, where it lacks what is one machine's own.
    fn ignoring(&self) -> Result<Option<FileChange>, ChangeError> {
        let before = read(&self.tree.dir.join(grow::GITIGNORE))?.unwrap_or_default();
        let known = String::from_utf8_lossy(&before);
        let lacks = |line: &&str| !known.lines().any(|known| known.trim() == *line);
        let missing: Vec<&str> = grow::IGNORED.lines().filter(lacks).collect();
        if missing.is_empty() {
            return Ok(None);
        }
        let joint = if known.is_empty() || known.ends_with('\n') { "" } else { "\n" };
        self.replaced(grow::GITIGNORE, format!("{known}{joint}{}\n", missing.join("\n")).into_bytes())
    }

    /// A file of the tree with other content; None where it has it already.
    fn replaced(&self, name: &str, after: Vec<u8>) -> Result<Option<FileChange>, ChangeError> {
        let file = self.tree.dir.join(name);
        let before = read(&file)?;
        Ok((before.as_ref() != Some(&after)).then_some(FileChange { file, before, after: Some(after) }))
    }

    /// A checkpoint of every node that is touched, and the oldest ones of each taken away.
    fn checkpoints(&self, draft: &Draft<'_>, mutation: &str) -> Result<Vec<FileChange>, ChangeError> {
        let git_sha = checkpoint::git_head(&self.tree.root);
        let members: Vec<String> = draft.touched.iter().map(|touched| touched.id.clone()).collect();
        let mut changes = Vec::new();
        for TouchedNode { id, change } in &draft.touched {
            let record = Checkpoint {
                schema_version: 1,
                node_id: id.clone(),
                node_file: relative(&self.tree.dir, &change.file).unwrap_or_default(),
                saved_at: draft.now.to_owned(),
                git_sha: git_sha.clone(),
                node_state_before_b64: change.before.as_deref().map(|bytes| BASE64_STANDARD.encode(bytes)),
                mutation: mutation.to_owned(),
                verb: draft.verb.to_owned(),
                members: members.clone(),
                after: change.after.as_deref().map(checkpoint::digest),
            };
            let node = self.tree.node(id);
            let (folder, revision) = match node {
                Some(node) => (checkpoint::folder(node, &self.tree.dir), node.revision),
                None => (change.file.with_file_name("checkpoints"), 0),
            };
            let bytes = serde_json::to_vec(&record).unwrap_or_default();
            let file = folder.join(checkpoint::name(draft.now, revision));
            changes.push(FileChange { before: read(&file)?, file, after: Some(bytes) });
            let kept = checkpoint::list(&folder, ".json");
            let too_many = (kept.len() + 1).saturating_sub(checkpoint::KEPT);
            for file in kept.into_iter().take(too_many) {
                changes.push(FileChange { before: read(&file)?, file, after: None });
            }
        }
        Ok(changes)
    }
}

impl Draft<'_> {
    /// Changes fields of a node: each a key and its value in YAML, or None to remove it. A node's revision counts its
    /// changes.
    pub(super) fn edit(&mut self, node: &Node, fields: &[(&str, Option<String>)]) -> Result<(), ChangeError> {
        self.rewrite(node, |document| {
            for (key, value) in fields {
                match value {
                    Some(value) => document.set(key, value),
                    None => document.remove(key),
                }
            }
        })
    }

    /// Changes a node's page. Its revision counts its changes.
    pub(super) fn rewrite(&mut self, node: &Node, change_it: impl FnOnce(&mut Document)) -> Result<(), ChangeError> {
        let at = match self.touched.iter().position(|touched| touched.id == node.id) {
            Some(at) => at,
            None => self.touch(node)?,
        };
        let Some(TouchedNode { change, .. }) = self.touched.get_mut(at) else {
            return Err(ChangeError::Missing { id: node.id.clone() });
        };
        let bytes = change.after.take().unwrap_or_default();
        let mut document = document(&change.file, bytes)?;
        change_it(&mut document);
        change.after = Some(document.into_bytes());
        Ok(())
    }

    /// The node becomes something else, and the history records why.
    pub(super) fn become_(&mut self, node: &Node, to: NodeStatus, why: Option<&str>) -> Result<(), ChangeError> {
        self.become_from(node.status, node, to, why)
    }

    /// The same for a node that is something else than its page says.
    pub(super) fn become_from(
        &mut self,
        from: Option<NodeStatus>,
        node: &Node,
        to: NodeStatus,
        why: Option<&str>,
    ) -> Result<(), ChangeError> {
        let change = Some(StateChange::status(from, Some(to)));
        self.tell(&node.id, Body::StateChanged { change, reason: why.map(text) });
        self.edit(node, &[("status", Some(to.as_str().to_owned()))])
    }

    /// A new node's file.
    pub(super) fn create(&mut self, id: &str, file: PathBuf, bytes: Vec<u8>) {
        let change = FileChange { file, before: None, after: Some(bytes) };
        self.touched.push(TouchedNode { id: id.to_owned(), change });
    }

    /// A node's file gets the content that it had before.
    pub(super) fn restore(&mut self, id: &str, change: FileChange) {
        self.touched.push(TouchedNode { id: id.to_owned(), change });
    }

    /// Tells the history of something about a node.
    pub(super) fn tell(&mut self, node: &str, body: Body) {
        let number = self.events.len().to_string();
        let id = hex16(&["plan", self.verb, &self.node, self.now, node, &number]);
        self.events.push(Event::new(id, self.now, node, &self.ids, body));
    }

    fn touch(&mut self, node: &Node) -> Result<usize, ChangeError> {
        let bytes = disk::whole(&node.file).map_err(|error| ChangeError::unread(&node.file, &error))?;
        let mut document = document(&node.file, bytes.clone())?;
        document.set("revision", &node.next_revision().to_string());
        document.set("updated_at", &yaml(self.now));
        let change = FileChange { file: node.file.clone(), before: Some(bytes), after: Some(document.into_bytes()) };
        self.touched.push(TouchedNode { id: node.id.clone(), change });
        Ok(self.touched.len() - 1)
    }
}

/// The history in `dir`, locked.
pub(super) fn ledger(dir: &Path) -> Result<Ledger, ChangeError> {
    Journal::in_dir(dir).begin_locked().map_err(|error| ChangeError::unread(dir, &error))
}

fn document(file: &Path, bytes: Vec<u8>) -> Result<Document, ChangeError> {
    let what = || format!("{} has no front matter that can be changed", file.display());
    Document::of(bytes).ok_or_else(|| ChangeError::refused(what(), "write it in UTF-8 between two lines of `---`"))
}

/// A file's content; None where there is none.
fn read(file: &Path) -> Result<Option<Vec<u8>>, ChangeError> {
    if !disk::exists(file) {
        return Ok(None);
    }
    disk::any(file, u64::from(u32::MAX)).map(Some).map_err(|error| ChangeError::unread(file, &error))
}

fn became(id: &str, before: &Tree, after: &Tree) -> Changed {
    let status = |tree: &Tree| tree.node(id).and_then(|node| tree.shown(node));
    let revision = after.node(id).map_or(0, |node| node.revision);
    Changed { id: id.to_owned(), from: status(before), to: status(after), revision }
}

/// Words of a person or an agent as they are kept: without secrets, on one line, bounded.
pub(super) fn text(words: &str) -> String {
    one_line(&redact(words), LONGEST_TEXT)
}
