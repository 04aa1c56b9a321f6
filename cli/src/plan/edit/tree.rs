//! The whole tree, as commands read it: every node, which is above which, and what is active.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::counters::IdCounters;
use super::node::Node;
use super::pending;
use super::scan::{self, look_at_each};
use super::working::Working;
use super::{checkpoint, disk};
use crate::front_matter::FrontMatter;
use crate::model::NodeStatus;
use crate::plan::active::ACTIVE;
use crate::plan::id::{IdPlaces, natural_order};
use crate::plan::{PlanError, PlanTree, files};

/// The whole tree as its files say it.
#[derive(Debug, Default)]
pub struct Tree {
    pub(super) dir: PathBuf,
    pub(super) root: PathBuf,
    nodes: Vec<Arc<Node>>,
    index: IdPlaces,
    /// Those below each node, in the order of the walk.
    below: Vec<Vec<usize>>,
    /// The parent of each node, where it is there.
    above: Vec<Option<usize>>,
    /// Nodes below which work has begun.
    begun: HashSet<String>,
    /// Nodes that were archived, and have no file of their own any more.
    archived: BTreeSet<String>,
    pub(super) working: Working,
    pub(super) counters: IdCounters,
    /// What could not be read of the files that are one machine's own; what they said is taken from the pages.
    pub(super) lost: Vec<PlanError>,
    /// Whether there are more nodes than are read.
    pub(super) complete: bool,
    /// Pages whose folders are there, and that are no files.
    pub(super) lost_pages: Vec<PathBuf>,
}

impl Tree {
    /// Reads the tree in `dir`. `root` is the project's folder: tests that nodes name lie below it.
    ///
    /// # Errors
    /// Where there is no tree. What is wrong with a node is reported by [`Tree::violations`], and a file of this machine
    /// that is lost by [`Tree::lost`].
    pub fn open(dir: &Path, root: &Path) -> Result<Self, PlanError> {
        if !PlanTree::is_in(dir) {
            return Err(PlanError::none_in(dir));
        }
        // Before the pages: what is written meanwhile is known from here.
        let left = pending::unwritten(dir);
        let mut lost = Vec::new();
        let working = Working::read(dir).map_err(|error| lost.push(error)).ok();
        let counters = IdCounters::read(dir).map_err(|error| lost.push(error)).unwrap_or_default();
        let (nodes, complete) = scan::nodes(dir);
        let (nodes, gone): (Vec<_>, Vec<_>) =
            nodes.into_iter().partition(|node| node.front.is_some() || disk::exists(&node.file));
        let lost_pages = gone.into_iter().map(|node| node.file.clone()).collect();
        let archived = scan::archived(dir).into_iter().collect();
        let mut tree = Self { nodes, archived, counters, lost, complete, lost_pages, ..Self::empty(dir, root) };
        tree.join();
        tree.working = match working {
            // A merge brought what ended elsewhere: nobody works on it here any more.
            Some(working) if working.ids().any(|id| tree.is_closed(id)) => working.settled(&tree, None, ""),
            Some(working) => working,
            None => Working::rebuilt(&tree),
        };
        Ok(if left.is_empty() { tree } else { tree.finished(left) })
    }

    /// The tree as it is once a change that was begun is made.
    fn finished(self, left: pending::Unwritten) -> Self {
        let (mut fronts, mut working) = (Vec::new(), self.working.clone());
        for (file, after) in left {
            let text = after.map(files::text_of);
            if file == self.dir.join(ACTIVE) {
                working = text.and_then(|text| Working::of(&text).ok()).unwrap_or(working);
            } else if file.extension().is_some_and(|ending| ending == "md")
                && let Ok(front) = text.map(|text| FrontMatter::of(&text)).transpose()
            {
                fronts.push((file, front));
            }
        }
        let (counters, lost, lost_pages) = (self.counters.clone(), self.lost.clone(), self.lost_pages.clone());
        Self { lost, lost_pages, ..self.with(fronts, working, counters) }
    }

    fn is_closed(&self, id: &str) -> bool {
        self.node(id).and_then(|node| node.status).is_some_and(NodeStatus::is_closed)
    }

    /// A tree without a node.
    pub(super) fn empty(dir: &Path, root: &Path) -> Self {
        let (dir, root) = (dir.to_owned(), root.to_owned());
        Self { dir, root, working: Working::new(""), complete: true, ..Self::default() }
    }

    /// The folder of the tree.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Files of this machine's own that could not be read; the next change writes them again.
    pub fn lost(&self) -> &[PlanError] {
        &self.lost
    }

    /// The nodes, each before those below it in the folders.
    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().map(Arc::as_ref)
    }

    /// The node of an id; the first where two carry it.
    pub fn node(&self, id: &str) -> Option<&Node> {
        self.nodes.get(self.index.get(id)?).map(Arc::as_ref)
    }

    /// The node that somebody means: by its id, in letters of either case, with or without the zeros before its number.
    pub fn meant(&self, word: &str) -> Option<&Node> {
        let plain = |id: &str| {
            let id = id.to_ascii_uppercase();
            match id.split_once('-') {
                Some((family, digits)) if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                    format!("{family}-{}", digits.trim_start_matches('0'))
                }
                _ => id,
            }
        };
        let like = || {
            let word = plain(word);
            self.nodes().find(|node| plain(&node.id) == word)
        };
        self.node(word).or_else(like)
    }

    /// What binds a node: where it comes from, its kind and its value; that of the nearest node first.
    pub fn binding(&self, node: &Node) -> Vec<(String, String, String)> {
        let chain = std::iter::once(node).chain(self.ancestors(&node.id)).filter(|node| node.tier <= 2);
        let each =
            chain.flat_map(|node| node.constraints().into_iter().map(|(kind, value)| (node.id.clone(), kind, value)));
        each.collect()
    }

    /// How many changes of a node can be undone.
    pub fn checkpoints_of(&self, node: &Node) -> usize {
        checkpoint::unused(node, &self.dir).len()
    }

    /// The active task.
    pub fn active_task(&self) -> Option<&str> {
        self.working.task()
    }

    /// What a node is: a planned one below which work has begun is active, whatever its page says, so that a claim changes
    /// no page but its own.
    pub fn shown(&self, node: &Node) -> Option<NodeStatus> {
        let is_begun = node.is(NodeStatus::Planned) && self.begun.contains(&node.id);
        if is_begun { Some(NodeStatus::Active) } else { node.status }
    }

    /// The nodes that name this one as their parent.
    pub fn children(&self, id: &str) -> impl Iterator<Item = &Node> {
        let below = self.index.get(id).and_then(|index| self.below.get(index));
        below.into_iter().flatten().filter_map(|index| self.nodes.get(*index).map(Arc::as_ref))
    }

    /// Everything below a node, each before those below it.
    pub fn descendants(&self, id: &str) -> Vec<&Node> {
        let mut found: Vec<&Node> = Vec::new();
        let mut met = BTreeSet::from([id]);
        let mut open: Vec<&Node> = self.children(id).collect();
        open.reverse();
        while let Some(node) = open.pop() {
            if !met.insert(&node.id) {
                continue;
            }
            found.push(node);
            let at = open.len();
            open.extend(self.children(&node.id));
            open.get_mut(at..).unwrap_or_default().reverse();
        }
        found
    }

    /// The nodes above one, nearest first.
    pub fn ancestors(&self, id: &str) -> Vec<&Node> {
        let own = self.index.get(id);
        let parent = |index: usize| self.above.get(index).copied().flatten();
        let mut chain: Vec<usize> = Vec::new();
        let mut above = own.and_then(parent);
        while let Some(index) = above.filter(|index| own != Some(*index) && !chain.contains(index)) {
            chain.push(index);
            above = parent(index);
        }
        chain.into_iter().filter_map(|index| self.nodes.get(index).map(Arc::as_ref)).collect()
    }

    /// What a look at each node gives, in the order of the tree.
    pub(super) fn look_at_nodes<R: Send>(&self, look: impl Fn(&Node) -> R + Sync) -> Vec<R> {
        look_at_each(&self.nodes, |node| look(node))
    }

    /// Whether a node is done, or was archived.
    pub fn is_done(&self, id: &str) -> bool {
        match self.node(id) {
            Some(node) => node.is(NodeStatus::Done) || node.is(NodeStatus::Archived),
            None => self.archived.contains(id),
        }
    }

    /// Whether there is a node of this id, or was one.
    pub(super) fn knows(&self, id: &str) -> bool {
        self.index.get(id).is_some() || self.archived.contains(id)
    }

    /// Every id that is in use.
    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        self.index.ids().chain(self.archived.iter().map(String::as_str))
    }

    /// Whether this is the node that counts among those with its id.
    pub(super) fn is_first(&self, node: &Node) -> bool {
        // Nearly always no two carry one id.
        let is_only = self.index.ids().size_hint().0 == self.nodes.len();
        is_only || self.node(&node.id).is_some_and(|first| std::ptr::eq(first, node))
    }

    /// The tree as it would be with other files: those that are there already, and new ones at the end.
    pub(super) fn with(
        &self,
        changed: Vec<(PathBuf, Option<FrontMatter>)>,
        working: Working,
        counters: IdCounters,
    ) -> Self {
        // No hash map: to hash a path takes longer than to compare it with the few that change.
        let mut changed: BTreeMap<PathBuf, Option<FrontMatter>> = changed.into_iter().collect();
        let mut nodes = Vec::with_capacity(self.nodes.len() + changed.len());
        for node in &self.nodes {
            match changed.remove(&node.file) {
                None => nodes.push(Arc::clone(node)),
                Some(Some(front)) => nodes.push(Arc::new(node.again(front))),
                Some(None) => {}
            }
        }
        // In the order in which they came, as a walk of the folders would find them.
        let mut new: Vec<(PathBuf, Option<FrontMatter>)> = changed.into_iter().collect();
        new.sort_by(|(one, _), (other, _)| natural_order(&one.to_string_lossy(), &other.to_string_lossy()));
        nodes.extend(new.into_iter().filter_map(|(file, front)| Node::at(file, front?).map(Arc::new)));
        let (archived, complete) = (self.archived.clone(), self.complete);
        let mut tree = Self { nodes, archived, working, counters, complete, ..Self::empty(&self.dir, &self.root) };
        tree.join();
        tree
    }

    fn join(&mut self) {
        self.index = IdPlaces::with_room(self.nodes.len());
        for (index, node) in self.nodes.iter().enumerate() {
            self.index.keep(&node.id, index);
        }
        self.above = self.nodes.iter().map(|node| self.index.get(node.parent.as_ref()?)).collect();
        self.below = vec![Vec::new(); self.nodes.len()];
        for (index, above) in self.above.iter().enumerate() {
            if let Some(beside) = above.and_then(|above| self.below.get_mut(above)) {
                beside.push(index);
            }
        }
        let is_begun = |node: &&Arc<Node>| node.is(NodeStatus::Active) || node.is(NodeStatus::Done);
        let mut begun = HashSet::new();
        for node in self.nodes.iter().filter(is_begun) {
            let mut above = node.parent.as_ref();
            // What is above one that is known is known as well.
            while let Some(id) = above.filter(|id| begun.insert((*id).clone())) {
                above = self.node(id).and_then(|node| node.parent.as_ref());
            }
        }
        self.begun = begun;
    }
}
