//! What must hold for every tree, and where it does not.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use memchr::memmem::Finder;

use super::counters::COUNTERS;
use super::dispute::REPLAN_REQUIRED;
use super::node::Node;
use super::replan::NOT_PLANNED_AGAIN;
use super::scan::look_at_each;
use super::tree::Tree;
use super::wait::WaitReason;
use super::{checkpoint, disk, pending};
use crate::conflicts::overlap::PlannedPaths;
use crate::history::{Body, Line, StateChange, is_pattern, parse};
use crate::journal::{HISTORY, read_end};
use crate::model::{NodeStatus, path_matches, pattern_problem, words};
use crate::plan::active::ACTIVE;
use crate::plan::fields::is_usable;
use crate::plan::id::IdPlaces;
use crate::plan::survey::{LEVELS, Level, MISSION, ROOTS};
use crate::plan::{PlanError, files, id};
use crate::text::many;
use crate::tracked::tracked;

/// How far back in the log it is looked for nodes whose pages are gone.
const LOOK_BACK: usize = 1024 * 1024;
/// What begins a line that names tests.
const TEST_REF: &str = "test_ref:";

words! {
    /// Something that must hold for every tree. Checked in this order.
    pub enum Invariant {
        /// A node's file can be read, and its name and fields say the same.
        Readable = "readable",
        /// There is one mission, and no more nodes than are read.
        Whole = "whole",
        /// No two nodes carry one id.
        UniqueId = "unique_id",
        /// Each node but the mission names a parent that is there and of a higher tier.
        Parent = "parent",
        /// Each chain of parents ends at the mission.
        Orphan = "orphan",
        /// What a node lists as its children is there, and names it as its parent.
        Children = "children",
        /// The status is one of the known words.
        Status = "status",
        /// The revision is a count, and never goes back.
        Revision = "revision",
        /// A story that is active or done names the tests that prove it, and their files are there.
        TestRef = "test_ref",
        /// What a node depends on is there, and no chain of dependencies ends where it began.
        DependsOn = "depends_on",
        /// A node is frozen with a reason, by itself or with a frozen node above it; no other node carries what is left of
        /// a freeze.
        Freeze = "freeze",
        /// Nothing is active below a frozen node.
        FrozenBranch = "frozen_branch",
        /// No session or subagent works on two tasks at a time.
        Claims = "claims",
        /// What is left of a budget is no more than the budget.
        Budget = "budget",
        /// An open task can be begun some day: it waits for nothing above it or given up, and its plan fits.
        DeadEnd = "dead_end",
        /// What an open task plans is a path in the project that means something, and no other plans it at the same time.
        Artifacts = "artifacts",
        /// What a replan took away was planned again before its story or feature was done, or somebody said why not.
        Dropped = "dropped",
        /// `active.json` can be read, and names nodes that are there, are not stopped, and of which the deepest is active.
        Active = "active",
        /// `.counters.json` can be read.
        Counters = "counters",
    }
}

/// Something that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// What should hold.
    pub rule: Invariant,
    /// The node.
    pub node: String,
    /// The file to fix.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub what: String,
    /// How to fix it.
    pub fix: String,
}

impl Violation {
    pub(super) fn of(
        rule: Invariant,
        node: &str,
        (file, line): (&Path, usize),
        what: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self { rule, node: node.to_owned(), file: file.to_owned(), line, what: what.into(), fix: fix.into() }
    }
}

impl Tree {
    /// Everything that does not hold, by rule and in the order of the tree.
    pub fn violations(&self) -> Vec<Violation> {
        let mut violations = self.violations_of_files();
        violations.extend(self.checked(|check| {
            check.found.extend(self.violations_of_tests(check.node));
            check.revision();
            let is_open = check.node.status.is_some_and(|status| !status.is_closed());
            if check.node.tier == 4 && is_open {
                check.writable();
                check.dead_ends();
                check.artifacts();
            }
        }));
        self.check_shared(&mut violations);
        violations.sort_by_key(|violation| violation.rule);
        violations
    }

    /// The same without what other files tell than the nodes' own: the checkpoints and the tests of stories.
    pub(super) fn violations_of_files(&self) -> Vec<Violation> {
        let mut found = Vec::new();
        self.check_whole(&mut found);
        found.extend(self.checked(|check| {
            check.readable();
            check.unique();
            check.parent();
            check.children();
            check.status();
            check.depends_on();
            check.freeze();
            check.budget();
            check.dropped();
        }));
        self.check_cycles(&mut found);
        self.check_active(&mut found);
        self.check_lost(&mut found);
        found.sort_by_key(|violation| violation.rule);
        found
    }

    /// What a check finds wrong with the nodes, in the order of the tree.
    fn checked(&self, check: impl Fn(&mut NodeCheck<'_, '_>) + Sync) -> impl Iterator<Item = Violation> {
        let look = |node: &Node| {
            let mut found = Vec::new();
            check(&mut NodeCheck { tree: self, node, found: &mut found });
            found
        };
        self.look_at_nodes(look).into_iter().flatten()
    }

    /// The tests that a node should name and does not, or that are not there.
    pub(super) fn violations_of_tests(&self, node: &Node) -> Vec<Violation> {
        if is_to_be_proven(node) { untested(node, missing_tests(&self.root, node)) } else { Vec::new() }
    }

    /// Nodes whose pages were deleted: as the last commit tells or, where nothing of the plan was
    /// committed, the checkpoints and the log in a folder. What was undone, renumbered or archived has ended otherwise.
    pub fn gone(&self, history: &Path) -> Vec<Violation> {
        let mut is_there: BTreeMap<String, bool> = BTreeMap::new();
        let log = history.join(HISTORY);
        let text = read_end(&log, LOOK_BACK).unwrap_or_default();
        for line in text.lines().filter(|line| line.contains("state_changed")) {
            let Line::Event(event) = parse(line.as_bytes()) else { continue };
            if let Body::StateChanged { change: Some(change @ StateChange::Status { .. }), .. } = event.body {
                is_there.insert(event.node, change.became().is_some());
            }
        }
        let committed = self.committed_pages();
        let mut found = Vec::new();
        let mut tell = |id: Option<&str>, place: &Path, what: &str, fix: &str| {
            let Some(id) = id.filter(|id| !self.knows(id) && is_there.get(*id) != Some(&false)) else { return };
            found.push(Violation::of(Invariant::Readable, id, (place, 1), what, fix));
        };
        for page in &committed {
            let fix = "take it back from the last commit or, where it was to go, commit that";
            tell(page_id(page), page, "has lost its page", fix);
        }
        if committed.is_empty() {
            let fix = "put it back or, where it was to go, delete its folder and note that in archive/ID.md";
            for page in self.lost_pages.iter().filter(|page| checkpoint::is_left_of(page)) {
                tell(page_id(page), page, "has lost its page", fix);
            }
            for id in is_there.keys() {
                tell(Some(id), &log, "is in the log, and has no page", fix);
            }
        }
        found.sort_by(|one, other| id::natural_order(&one.node, &other.node));
        found.dedup_by(|one, other| one.node == other.node);
        found
    }

    /// The pages of the plan that the repository tracks.
    fn committed_pages(&self) -> Vec<PathBuf> {
        let is_below = |rest: &str| {
            let levels = ROOTS.iter().filter_map(|row| LEVELS.get(*row));
            levels.map(|level| level.folder).any(|folder| Path::new(rest).starts_with(folder))
        };
        let read = |root: &Path| {
            let plan = self.dir.strip_prefix(root).ok()?.to_str()?.replace('\\', "/");
            let mut pages = Vec::new();
            tracked(root, |name| {
                if name.strip_prefix(&*plan).is_some_and(|rest| is_below(rest.trim_start_matches('/'))) {
                    pages.push(root.join(name));
                }
            })?;
            Some(pages)
        };
        self.dir.ancestors().find_map(read).unwrap_or_default()
    }

    fn check_whole(&self, found: &mut Vec<Violation>) {
        let mut tell = |what: &str, fix: &str| {
            let place = (&*self.dir.join("mission"), 1);
            found.push(Violation::of(Invariant::Whole, MISSION, place, what, fix));
        };
        if !self.nodes().any(|node| node.tier == 0) {
            tell("there is no mission", "write mission/mission.md, as `failwise plan init` does in a new tree");
        }
        if !self.complete {
            tell("there are more nodes than are read", "put finished branches into archive/");
        }
    }

    /// Nodes whose dependencies lead back to them: reported once a cycle, at the node that comes first.
    fn check_cycles(&self, found: &mut Vec<Violation>) {
        let mut done: BTreeSet<&str> = BTreeSet::new();
        // Who depends on nothing is on no such way; of two nodes with one id the first counts.
        let depends = |node: &&Node| !node.depends_on.is_empty();
        for start in self.nodes().filter(|node| depends(node) && self.is_first(node)) {
            // Each entry: a node on the way, and which of its dependencies is next.
            let mut way: Vec<(&Node, usize)> = Vec::from_iter((!done.contains(&*start.id)).then_some((start, 0)));
            while let Some((node, next)) = way.last_mut() {
                let Some(id) = node.depends_on.get(*next) else {
                    done.insert(&node.id);
                    way.pop();
                    continue;
                };
                *next += 1;
                if let Some(at) = way.iter().position(|(node, _)| node.id == *id) {
                    let ids: Vec<&str> = way.iter().skip(at).map(|(node, _)| &*node.id).chain([&**id]).collect();
                    let (first, _) = way.get(at).copied().unwrap_or((start, 0));
                    let what = format!("depends on itself: {}", ids.join(" -> "));
                    let fix = "take one of these out of its depends_on";
                    NodeCheck { tree: self, node: first, found }.tell(Invariant::DependsOn, "depends_on", what, fix);
                } else if !done.contains(&**id) {
                    way.extend(self.node(id).filter(depends).map(|node| (node, 0)));
                }
            }
        }
    }

    /// Open tasks that plan one path, or a file and a folder or pattern that has it, and of which none waits for the other.
    pub(super) fn check_shared(&self, found: &mut Vec<Violation>) {
        let is_open = |node: &&Node| node.tier == 4 && node.status.is_some_and(|status| !status.is_closed());
        let tasks: Vec<(usize, &Node)> = self.nodes().filter(is_open).enumerate().collect();
        let mut planned = IdPlaces::with_room(tasks.len());
        for (at, node) in &tasks {
            for path in whole_paths(node) {
                planned.keep(path.trim_end_matches('/'), *at);
            }
        }
        let by = |path: &str| tasks.get(planned.get(path)?).copied();
        let patterns: Vec<_> =
            planned.ids().filter(|path| is_pattern(path)).filter_map(|path| Some((path, by(path)?))).collect();
        let look = |(at, node): &(usize, &Node)| {
            let (at, node, mut found) = (*at, *node, Vec::new());
            for path in whole_paths(node) {
                let above = path.match_indices('/').filter_map(|(end, _)| path.get(..end));
                let folders = std::iter::once(path.trim_end_matches('/')).chain(above);
                let folders = folders.filter_map(|path| Some((path, by(path)?)));
                let matching = patterns.iter().filter(|(pattern, _)| path_matches(pattern, path)).copied();
                let Some((theirs, (first, other))) = folders.chain(matching).find(|(_, (_, other))| {
                    other.id != node.id && !self.waits_for(node, &other.id) && !self.waits_for(other, &node.id)
                }) else {
                    continue;
                };
                // Told of the one that came second.
                let ((node, own), (other, theirs)) =
                    if first < at { ((node, path), (other, theirs)) } else { ((other, theirs), (node, path)) };
                let same = own.trim_end_matches('/') == theirs.trim_end_matches('/');
                let does = if same { "does".to_owned() } else { format!("plans `{theirs}`") };
                let what = format!("plans `{own}`, as {} {does}, and neither waits for the other", other.id);
                let fix = format!("failwise plan depend {} --on {}, or plan different files", node.id, other.id);
                NodeCheck { tree: self, node, found: &mut found }.tell(Invariant::Artifacts, "artifacts", what, fix);
            }
            found
        };
        found.extend(look_at_each(&tasks, look).into_iter().flatten());
    }

    /// Whether a node depends on another, by itself or through what it depends on.
    fn waits_for(&self, node: &Node, on: &str) -> bool {
        let mut met: BTreeSet<&str> = BTreeSet::new();
        let mut open: Vec<&str> = node.depends_on.iter().map(String::as_str).collect();
        while let Some(id) = open.pop() {
            if id == on {
                return true;
            }
            if met.insert(id) {
                open.extend(self.node(id).into_iter().flat_map(|node| node.depends_on.iter().map(String::as_str)));
            }
        }
        false
    }

    fn check_active(&self, found: &mut Vec<Violation>) {
        let file = self.dir.join(ACTIVE);
        let fix = "failwise plan claim names the task that is worked on; without one write null";
        let mut tell = |id: &str, what: String| {
            let line = line_with(&file, &format!("\"{id}\""));
            found.push(Violation::of(Invariant::Active, id, (&file, line), what, fix));
        };
        let deepest = self.working.deepest();
        for id in self.working.ids() {
            let Some(node) = self.node(id) else {
                tell(id, format!("names {id}, which does not exist"));
                continue;
            };
            let status = self.shown(node).unwrap_or(NodeStatus::Active);
            if node.tier > 0 && (status == NodeStatus::Frozen || (deepest == Some(id) && status != NodeStatus::Active))
            {
                tell(id, format!("names {id} as active, which is {status}"));
            }
        }
    }

    /// The files of this machine's own: what they lack is taken from the pages, so that only one that is spoiled is told.
    fn check_lost(&self, found: &mut Vec<Violation>) {
        for error in &self.lost {
            let (file, line, what, fix) = match error {
                PlanError::Active { file, line, what } => (file, *line, what.clone(), "delete it"),
                PlanError::Unreadable { kind: ErrorKind::NotFound, .. } | PlanError::TooLarge { .. } => continue,
                PlanError::Unreadable { file, kind } => (file, 1, kind.to_string(), "make way for a file"),
            };
            let rule = if file.ends_with(COUNTERS) { Invariant::Counters } else { Invariant::Active };
            let fix = format!("{fix}: the next change of the plan writes it again");
            found.push(Violation::of(rule, MISSION, (file, line.max(1)), what, fix));
        }
        if let Some((file, what)) = pending::unreadable(&self.dir) {
            let fix = "no change is made before: move it away, where what was begun is not wanted any more";
            found.push(Violation::of(Invariant::Readable, MISSION, (&file, 1), what, fix));
        }
    }
}

/// The checks of one node.
struct NodeCheck<'a, 'b> {
    tree: &'a Tree,
    node: &'a Node,
    found: &'b mut Vec<Violation>,
}

impl NodeCheck<'_, '_> {
    fn tell(&mut self, rule: Invariant, key: &str, what: impl Into<String>, fix: impl Into<String>) {
        let place = (&*self.node.file, self.node.line(key));
        self.found.push(Violation::of(rule, &self.node.id, place, what, fix));
    }

    fn readable(&mut self) {
        let merged = if self.node.troubles.is_empty() { None } else { self.node.settling() };
        // Between the marks of a merge nothing can be read.
        let most = if merged.is_some() { 1 } else { usize::MAX };
        for trouble in self.node.troubles.iter().take(most) {
            // A revision or a budget that is no count breaks a rule of its own.
            let rule = match &*trouble.what {
                what if what.starts_with("`revision`") => Invariant::Revision,
                what if what.starts_with("`replan_") => Invariant::Budget,
                _ => Invariant::Readable,
            };
            let place = (&*self.node.file, trouble.line.max(1));
            let yaml = "write it as YAML front matter between two lines of `---`";
            let fix = merged.as_deref().unwrap_or(if trouble.line == 0 {
                "make it a file that can be read, up to 1 MiB"
            } else {
                yaml
            });
            self.found.push(Violation::of(rule, &self.node.id, place, trouble.what.clone(), fix));
        }
    }

    fn unique(&mut self) {
        if self.tree.is_first(self.node) {
            return;
        }
        let first = self.tree.node(&self.node.id).map_or(&*self.tree.dir, |node| &*node.file);
        let first = first.strip_prefix(&self.tree.dir).unwrap_or(first);
        let what = format!("has the id of {}", first.display());
        let fix = format!("failwise plan renumber {} gives this one the next free number", self.node.id);
        self.tell(Invariant::UniqueId, "id", what, fix);
    }

    fn parent(&mut self) {
        if self.node.tier == 0 {
            return;
        }
        let Some(parent) = &self.node.parent else {
            return self.tell(Invariant::Parent, "parent", "names no parent", "add `parent: ID`");
        };
        let Some(above) = self.tree.node(parent) else {
            let what = format!("names {parent} as its parent, which does not exist");
            return self.tell(Invariant::Parent, "parent", what, "name the node that it belongs to");
        };
        let nested = self.node.tier == 2 && above.tier == 2;
        if above.tier >= self.node.tier && !nested {
            let what = format!("is of tier {}, below {parent} of tier {}", self.node.tier, above.tier);
            return self.tell(Invariant::Parent, "parent", what, "name a node of a higher tier");
        }
        let chain = self.tree.ancestors(&self.node.id);
        let top = chain.last().copied().unwrap_or(self.node);
        // A chain that is broken off is reported at the node that breaks it; one that ends although it goes on is round.
        if top.parent.as_deref().is_some_and(|above| self.tree.node(above).is_some()) {
            self.tell(Invariant::Orphan, "parent", "its parents lead round to itself", "name the right parent");
        }
    }

    fn children(&mut self) {
        for child in &self.node.children {
            let what = match self.tree.node(child) {
                None if !self.tree.knows(child) => format!("lists {child}, which does not exist"),
                Some(node) if node.parent.as_deref() != Some(&self.node.id) => {
                    format!("lists {child}, whose parent is {}", node.parent.as_deref().unwrap_or("none"))
                }
                _ => continue,
            };
            self.tell(Invariant::Children, "children", what, format!("take {child} out of `children`"));
        }
    }

    fn status(&mut self) {
        let node = self.node;
        if node.tier == 0 || node.status.is_some() || node.front.is_none() || node.settling().is_some() {
            return;
        }
        let words: Vec<&str> = NodeStatus::ALL.iter().map(|status| status.as_str()).collect();
        let what = node.wrong_status().unwrap_or_default();
        self.tell(Invariant::Status, "status", what, format!("write one of {}", words.join(", ")));
    }

    fn depends_on(&mut self) {
        for id in self.node.depends_on.iter().filter(|id| !self.tree.knows(id)) {
            let what = format!("depends on {id}, which does not exist");
            self.tell(Invariant::DependsOn, "depends_on", what, format!("take {id} out of `depends_on`"));
        }
    }

    fn freeze(&mut self) {
        let freeze = &self.node.freeze;
        if !self.node.is(NodeStatus::Frozen) {
            let left = [("freeze_reason", &freeze.reason), ("frozen_by_ancestor", &freeze.by_ancestor)];
            for (key, _) in left.into_iter().filter(|(_, value)| value.as_ref().is_some_and(|value| !value.is_empty()))
            {
                let status = self.node.status.map_or("not frozen", NodeStatus::as_str);
                let what = format!("is {status}, and has `{key}`");
                let fix = format!("take `{key}` out, or thaw it by `failwise plan thaw`");
                self.tell(Invariant::Freeze, key, what, fix);
            }
        } else if freeze.reason.as_deref().is_none_or(|reason| reason.trim().is_empty()) {
            let fix = "add `freeze_reason`: why it was frozen";
            self.tell(Invariant::Freeze, "status", "is frozen without a reason", fix);
        }
        let frozen_above =
            || self.tree.ancestors(&self.node.id).into_iter().filter(|above| above.is(NodeStatus::Frozen));
        if self.node.is(NodeStatus::Frozen)
            && let Some(ancestor) = &freeze.by_ancestor
            && !frozen_above().any(|above| above.id == *ancestor)
        {
            let what = format!("was frozen with {ancestor}, which is no frozen node above it");
            let fix = format!("thaw it: failwise plan thaw {}", self.node.id);
            self.tell(Invariant::Freeze, "frozen_by_ancestor", what, fix);
        }
        if self.node.is(NodeStatus::Active)
            && let Some(frozen) = frozen_above().next()
        {
            let what = format!("is active below {}, which is frozen", frozen.id);
            let fix = format!("failwise plan freeze {} --reason ..., or thaw {}", self.node.id, frozen.id);
            self.tell(Invariant::FrozenBranch, "status", what, fix);
        }
    }

    fn budget(&mut self) {
        let replans = self.node.replans;
        if replans.remaining > replans.total {
            let left = many(replans.remaining.into(), "replan", "replans");
            let what = format!("has {left} left of {}", replans.total);
            let fix = format!("set `replan_budget_remaining` to {} at most", replans.total);
            self.tell(Invariant::Budget, "replan_budget_remaining", what, fix);
        }
    }

    /// Whether its revision is below that of a state that it was in before.
    fn revision(&mut self) {
        let dir = &self.tree.dir;
        let kept = || checkpoint::highest_revision(&checkpoint::folder(self.node, dir));
        let before = if self.node.is_unkept(dir) { None } else { kept() };
        if let Some(before) = before.filter(|before| self.node.revision < *before) {
            let what = format!("is at revision {}, and was at {before} before", self.node.revision);
            let fix = format!("set `revision` to {} or more", before + 1);
            self.tell(Invariant::Revision, "revision", what, fix);
        }
    }

    fn writable(&mut self) {
        let wait = self.tree.wait_of(self.node).filter(|wait| wait.reason == WaitReason::Broken);
        if let Some(wait) = wait.filter(|_| self.node.fault().is_none() && self.tree.is_first(self.node)) {
            let fix = "`ls -ld` shows whose the folder is";
            self.tell(Invariant::Readable, "id", wait.why, fix);
        }
    }

    fn dead_ends(&mut self) {
        let Node { id, depends_on, .. } = self.node;
        for on in depends_on {
            let why = match self.tree.node(on) {
                Some(other) if other.is(NodeStatus::Discarded) => "is discarded",
                _ if self.tree.ancestors(id).iter().any(|above| above.id == *on) => "is above it",
                _ => continue,
            };
            let fix =
                format!("failwise plan depend {id} --drop {on}, or failwise plan set {id} discarded --reason TEXT");
            self.tell(Invariant::DeadEnd, "depends_on", format!("depends on {on}, which {why}"), fix);
        }
        if self.node.is_outdated() {
            let fix = format!("replan its story or, once it fits: failwise plan set {id} planned --reason TEXT");
            self.tell(Invariant::DeadEnd, REPLAN_REQUIRED, "has a plan that no longer fits", fix);
        }
    }

    fn artifacts(&mut self) {
        for PlannedPaths { path, .. } in self.node.planned().iter() {
            if let Some(problem) = path_problem(path) {
                let fix = "write a path, or a sound pattern, that starts at the project's root";
                self.tell(Invariant::Artifacts, "artifacts", format!("plans `{path}`, which {problem}"), fix);
            }
        }
    }

    fn dropped(&mut self) {
        if !matches!(self.node.tier, 2 | 3)
            || !self.node.is(NodeStatus::Done)
            || self.node.field(NOT_PLANNED_AGAIN).is_some()
        {
            return;
        }
        let lost: Vec<String> = self.tree.lost_by_replans(&self.node.id).iter().map(|node| node.described()).collect();
        if !lost.is_empty() {
            let what = format!("is done without what a replan took away: {}", lost.join("; "));
            let fix = format!("plan it again, or say why it is not needed in `{NOT_PLANNED_AGAIN}`");
            self.tell(Invariant::Dropped, "status", what, fix);
        }
    }
}

/// The paths that a node plans and names no function of.
fn whole_paths(node: &Node) -> impl Iterator<Item = &str> {
    node.planned().iter().filter(|work| work.functions.is_empty()).map(|work| &*work.path)
}

/// Whether a node is a story that tests have to prove.
fn is_to_be_proven(node: &Node) -> bool {
    node.tier == 3 && matches!(node.status, Some(NodeStatus::Active | NodeStatus::Done))
}

fn untested(story: &Node, missing: Option<Vec<(usize, String)>>) -> Vec<Violation> {
    let fix = "add a line `test_ref: FILE::NAME` with an existing test";
    let none = || vec![(story.line("status"), "names no test that proves it".to_owned())];
    let violation = |(line, what)| Violation::of(Invariant::TestRef, &story.id, (&story.file, line), what, fix);
    missing.unwrap_or_else(none).into_iter().map(violation).collect()
}

/// The tests that a story's page names and that are not there, each with the line that names it; None where it names none.
fn missing_tests(root: &Path, node: &Node) -> Option<Vec<(usize, String)>> {
    let named = named_tests(node);
    let is_missing = |(_, test): &(usize, String)| {
        let file = test.split("::").next().unwrap_or(test);
        !is_below(file) || !disk::exists(&root.join(file))
    };
    (!named.is_empty()).then(|| {
        let missing = named.into_iter().filter(is_missing);
        missing.map(|(line, test)| (line, format!("the test `{test}` does not exist"))).collect()
    })
}

/// The tests that a node names, in its page or in `acceptance.md` beside it, each with its line.
pub(super) fn named_tests(node: &Node) -> Vec<(usize, String)> {
    let of = |file: &Path| disk::whole(file).map(|text| tests_of(&String::from_utf8_lossy(&text))).unwrap_or_default();
    let own = node.tests.get_or_init(|| of(&node.file));
    [&**own, &of(&node.file.with_file_name("acceptance.md"))].concat()
}

/// The tests that a page names, each with its line.
pub(super) fn tests_of(page: &str) -> Vec<(usize, String)> {
    let key = Finder::new(TEST_REF);
    let lines = page.lines().enumerate().filter(|(_, line)| key.find(line.as_bytes()).is_some());
    lines.flat_map(|(at, line)| tests_in(line).map(move |test| (at + 1, test.to_owned()))).collect()
}

/// What is wrong with a path that a task plans.
pub(super) fn path_problem(path: &str) -> Option<String> {
    if Path::new(path).is_absolute() {
        Some("is absolute".to_owned())
    } else if !is_below(path) {
        Some("is outside of the project".to_owned())
    } else if !is_usable(path) {
        Some("is empty, too long or has control characters".to_owned())
    } else if is_pattern(path) {
        pattern_problem(path)
    } else {
        None
    }
}

/// The tests that a line names: `test_ref: FILE::NAME`, `- test_ref: "FILE"`, `test_ref: [A, B]`.
pub(super) fn tests_in(line: &str) -> impl Iterator<Item = &str> {
    let rest = line.trim_start().trim_start_matches("- ").trim_start().strip_prefix(TEST_REF).unwrap_or_default();
    let quotes = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '[' | ']');
    rest.split(',').map(move |word| word.trim_matches(quotes)).filter(|word| !word.is_empty())
}

fn is_below(path: &str) -> bool {
    Path::new(path)
        .components()
        .all(|part| matches!(part, std::path::Component::Normal(_) | std::path::Component::CurDir))
}

/// The id of the node whose page has this path: in a folder of nodes by itself, or as the page of one.
fn page_id(page: &Path) -> Option<&str> {
    let (file, own) = (page.file_name()?.to_str()?, page.parent()?);
    let is_level = |folder: &Path, spec: Option<&str>| {
        let is_of = |level: &Level| folder.ends_with(level.folder) && spec.is_none_or(|spec| level.spec == spec);
        LEVELS.iter().any(is_of)
    };
    let carrier = if is_level(own.parent()?, Some(file)) {
        own.file_name()?.to_str()?
    } else {
        file.strip_suffix(".md").filter(|_| is_level(own, None))?
    };
    id::carried_by(carrier)
}

/// The first line of a file that holds a word, from 1; 1 where none does.
fn line_with(file: &Path, word: &str) -> usize {
    let text = files::read(file).unwrap_or_default();
    text.lines().position(|line| line.contains(word)).map_or(1, |at| at + 1)
}
