//! Which nodes may be in each other's way, which of two gives way, and what the history tells of them.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use super::Conflict;
use super::overlap::{Meeting, NodeWork, Touched};
use crate::history::{Body, Effect, Event, PlanEvent, covers};
use crate::model::{DecisionAction, NodeStatus, is_node_id};

/// The most pairs of nodes that are found at once.
const MOST_PAIRS: usize = 100_000;
/// The most looks at what two nodes touch that are taken for them.
const MOST_STEPS: usize = 20_000_000;
/// The most changed files of a node that are kept.
const MOST_CHANGED: usize = 512;
/// So many planner's entries in a row that are all arbitrations are a circle.
const CIRCLE: usize = 3;

/// A node that may run, or may have run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Task {
    /// Its id.
    pub id: String,
    /// The node above it.
    pub parent: Option<String>,
    /// Its status; None where the plan states none that is known.
    pub status: Option<NodeStatus>,
    /// The nodes that it waits for.
    pub depends_on: Vec<String>,
    /// What it plans and did.
    pub work: NodeWork,
    /// Its place among the nodes by their first event; None before that.
    pub began: Option<usize>,
}

impl Task {
    fn waits_for(&self) -> Vec<&str> {
        self.depends_on.iter().map(String::as_str).collect()
    }

    fn is_active(&self) -> bool {
        self.status == Some(NodeStatus::Active)
    }

    fn may_run(&self) -> bool {
        self.status.is_some_and(NodeStatus::is_open)
    }

    /// Who of two was there first: what is being worked on before what is not, then by when it began, then by id.
    fn rank(&self) -> (bool, usize, &str) {
        (!self.is_active(), self.began.unwrap_or(usize::MAX), &self.id)
    }
}

/// The nodes of a plan.
#[derive(Debug, Clone, Default)]
pub struct Board {
    tasks: BTreeMap<String, Task>,
}

/// Two nodes that may run at the same time.
#[derive(Debug, Clone, Copy)]
pub struct NodePair<'a> {
    /// The one that would start or change later.
    pub proposed: &'a Task,
    /// The one that was there first.
    pub blocker: &'a Task,
}

impl Board {
    /// A board of these nodes.
    pub fn of(tasks: impl IntoIterator<Item = Task>) -> Self {
        Self { tasks: tasks.into_iter().map(|task| (task.id.clone(), task)).collect() }
    }

    /// The node of an id.
    pub fn task(&self, id: &str) -> Option<&Task> {
        self.tasks.get(id)
    }

    /// Shows `visit` the pairs that share a part of the project, may run at the same time and do not wait for each other:
    /// siblings, and nodes that are both being worked on. Each node is shown with the last one before it that is in its way,
    /// as that one is in the way of those before it: so many nodes with one file are a line. With `focus` only the pairs with
    /// this node, and with `running` too all nodes that are being worked on, as at its claim. Beside each pair stands where the
    /// two meet; files that `ignored` names do not count.
    pub fn each_pair<'a>(
        &'a self,
        focus: Option<&str>,
        running: bool,
        ignored: &[String],
        mut visit: impl FnMut(NodePair<'a>, &[Meeting<'_>]),
    ) {
        let is_focus = |task: &Task| focus.is_some_and(|focus| task.id == focus);
        let is_claimed = |task: &Task| task.is_active() || is_focus(task);
        let is_claim = running && focus.is_some();
        let is_able = |task: &&Task| task.may_run() && (!is_claim || is_claimed(task));
        let mut able: Vec<&Task> = self.tasks.values().filter(is_able).collect();
        able.sort_unstable_by(|one, other| one.rank().cmp(&other.rank()));
        let touched = Touched::of(able.iter().map(|task| &task.work), ignored);
        let waiting = OnceCell::new();
        let (mut left, mut steps) = (MOST_PAIRS, MOST_STEPS);
        for (at, task) in able.iter().enumerate().filter(|(_, task)| !is_claim || is_focus(task)) {
            let ties = OnceCell::new();
            let stands = |number: usize| {
                let other = able.get(number)?;
                let is_sibling = task.parent.is_some() && task.parent == other.parent;
                let is_beside = is_sibling || is_claimed(task) && is_claimed(other);
                if !is_beside || running && !other.is_active() {
                    return None;
                }
                if task.depends_on.contains(&other.id) {
                    return Some(false);
                }
                let (before, after) = ties.get_or_init(|| {
                    let before = reached(task, |id| self.task(id).map(Task::waits_for).unwrap_or_default());
                    let waiting = waiting.get_or_init(|| self.waiting());
                    (before, reached(task, |id| waiting.get(id).cloned().unwrap_or_default()))
                });
                if after.contains(&*other.id) { None } else { Some(!before.contains(&*other.id)) }
            };
            // At a claim who claims is the one that would start later, whatever it did before.
            let met = if is_claim {
                touched.met_by(at, |number| stands(number) == Some(true))
            } else {
                touched.met_before(at, &mut steps, stands)
            };
            for (number, meetings) in met {
                let Some(other) = able.get(number).filter(|other| focus.is_none() || is_focus(task) || is_focus(other))
                else {
                    continue;
                };
                visit(NodePair { proposed: task, blocker: other }, &meetings);
                left -= 1;
                if left == 0 {
                    return;
                }
            }
        }
    }

    /// Whether `proposed` can be made to wait for `blocker`: it has not begun, and the blocker does not wait for it.
    pub fn can_wait(&self, proposed: &str, blocker: &str) -> bool {
        let (Some(proposed), Some(blocker)) = (self.task(proposed), self.task(blocker)) else { return false };
        matches!(proposed.status, Some(NodeStatus::Planned | NodeStatus::Blocked))
            && !self.waits_for(blocker, &proposed.id)
    }

    /// Whether a node waits for another one, directly or through others.
    fn waits_for(&self, task: &Task, id: &str) -> bool {
        reached(task, |id| self.task(id).map(Task::waits_for).unwrap_or_default()).contains(id)
    }

    /// By node, those that wait for it directly.
    fn waiting(&self) -> BTreeMap<&str, Vec<&str>> {
        let mut waiting: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for task in self.tasks.values() {
            for on in &task.depends_on {
                waiting.entry(on).or_default().push(&task.id);
            }
        }
        waiting
    }
}

/// Everything that a node leads to, step by step; the node itself only where it is in a circle.
fn reached<'a>(task: &'a Task, next: impl Fn(&str) -> Vec<&'a str>) -> BTreeSet<&'a str> {
    let mut open = next(&task.id);
    let mut met: BTreeSet<&str> = BTreeSet::new();
    while let Some(id) = open.pop() {
        if met.insert(id) {
            open.extend(next(id));
        }
    }
    met
}

/// What the history tells of the nodes, for conflicts.
#[derive(Debug, Clone, Default)]
pub struct NodeHistories {
    nodes: BTreeMap<String, NodePast>,
    /// How many nodes have begun.
    began: usize,
    /// The conflicts that failures were found to lie in, by id: the last time of each.
    met: BTreeMap<String, MetConflict>,
}

/// A conflict that a failure was found to lie in: one node fails over a file that another one is at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetConflict {
    /// The node that failed, and the one that is at the file.
    pub nodes: [String; 2],
    /// The file.
    pub file: String,
    /// When, RFC 3339 UTC.
    pub ts: String,
}

/// What the history tells of one node.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NodePast {
    /// Its place among the nodes by their first event of work.
    pub began: Option<usize>,
    /// The linked worktree that it worked in last; None for the project itself.
    pub worktree: Option<String>,
    /// The files that it changed by name, as absolute paths.
    pub changed: BTreeSet<String>,
    /// The planner's last entries about it, oldest first: whether each is an arbitration.
    entries: Vec<bool>,
    /// The last arbitration's event.
    pub arbitrated: Option<String>,
}

impl NodePast {
    /// Whether the planner's last entries are all arbitrations.
    pub fn only_arbitrations(&self) -> bool {
        self.entries.len() == CIRCLE && self.entries.iter().all(|is_arbitration| *is_arbitration)
    }
}

impl NodeHistories {
    /// Folds an event of the history in.
    pub fn step(&mut self, event: &Event) {
        match &event.body {
            Body::ExecutionCompleted(execution) | Body::ExecutionFailed(execution) => {
                let node = self.nodes.entry(event.node.clone()).or_default();
                if node.began.is_none() {
                    node.began = Some(self.began);
                    self.began += 1;
                }
                node.worktree.clone_from(&event.worktree);
                if execution.effect != Effect::None {
                    let room = MOST_CHANGED.saturating_sub(node.changed.len());
                    let files = execution.files_touched.iter().filter(|file| !file.ends_with('/'));
                    node.changed.extend(files.take(room).cloned());
                }
            }
            Body::ConflictArbitrated(_) => {
                self.entry(event, true);
                self.nodes.entry(event.node.clone()).or_default().arbitrated = Some(event.id.clone());
            }
            Body::ReplanProposed(_) | Body::ReplanRefusedBudget(_) => self.entry(event, false),
            Body::ConflictDetected(PlanEvent {
                target: Some(blocker),
                conflict_id: Some(id),
                reason: Some(reason),
            }) => {
                let nodes = [event.node.clone(), blocker.clone()];
                if let Some(file) = Conflict::file_in(reason).filter(|_| nodes.iter().all(|node| is_node_id(node))) {
                    let met = MetConflict { nodes, file: file.to_owned(), ts: event.ts.clone() };
                    self.met.insert(id.clone(), met);
                }
            }
            // That a conflict has to be arbitrated is no answer of its own.
            Body::Decision { decision } if decision.as_ref().is_none_or(|d| d.action != DecisionAction::Arbitrate) => {
                self.entry(event, false);
            }
            _ => {}
        }
    }

    /// What is known of a node.
    pub fn of(&self, node: &str) -> Option<&NodePast> {
        self.nodes.get(node)
    }

    /// The conflict of this id that a failure was found to lie in last.
    pub fn met(&self, conflict_id: &str) -> Option<&MetConflict> {
        self.met.get(conflict_id)
    }

    /// The ids of the conflicts that failures were found to lie in.
    pub fn conflicts_met(&self) -> impl Iterator<Item = &str> {
        self.met.keys().map(String::as_str)
    }

    /// Whether another node than these changed a file by its name.
    pub fn is_changed_by_another(&self, path: &str, than: &str) -> bool {
        self.nodes.iter().any(|(id, node)| id != than && node.changed.contains(path))
    }

    /// The worktrees that nodes worked in.
    pub fn worktrees(&self) -> impl Iterator<Item = &str> {
        self.nodes.values().filter_map(|node| node.worktree.as_deref())
    }

    fn entry(&mut self, event: &Event, is_arbitration: bool) {
        let entries = &mut self.nodes.entry(event.node.clone()).or_default().entries;
        entries.push(is_arbitration);
        let over = entries.len().saturating_sub(CIRCLE);
        entries.drain(..over);
    }
}

/// A path relative to the deepest of these folders that holds it; None where none does.
pub fn relative<'a>(path: &'a str, folders: &[String]) -> Option<&'a str> {
    let inside = |folder: &String| covers(folder, path).then(|| path.get(folder.len()..)).flatten();
    let rest = folders.iter().filter_map(inside).min_by_key(|rest| rest.len())?;
    Some(rest.trim_start_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conflicts::overlap::PlannedPaths;
    use crate::history::{Execution, PlanEvent};
    use crate::model::Ids;

    fn task(id: &str, parent: &str, status: &str, depends_on: &[&str]) -> Task {
        Task {
            id: id.to_owned(),
            parent: Some(parent.to_owned()),
            status: NodeStatus::from_word(status),
            depends_on: depends_on.iter().map(|id| (*id).to_owned()).collect(),
            work: NodeWork { planned: [].into(), changed: vec!["shared.rs".to_owned()] },
            ..Task::default()
        }
    }

    /// The pairs as "proposed<blocker".
    fn pairs(board: &Board, focus: Option<&str>, running: bool) -> Vec<String> {
        let mut pairs = Vec::new();
        board.each_pair(focus, running, &[], |pair, _| {
            pairs.push(format!("{}<{}", pair.proposed.id, pair.blocker.id));
        });
        pairs
    }

    /// The predecessor asked planned and blocked siblings only, though the race is with the active one.
    #[test]
    fn an_active_sibling_is_the_race() {
        let board = Board::of([task("A", "S", "planned", &[]), task("B", "S", "active", &[])]);
        assert_eq!(pairs(&board, None, false), ["A<B"]);
        assert_eq!(pairs(&board, Some("A"), true), ["A<B"]);
        assert_eq!(pairs(&board, Some("B"), false), ["A<B"], "what is being worked on was there first");
    }

    #[test]
    fn only_what_may_run_at_the_same_time_is_compared() {
        let board = Board::of([
            task("A", "S", "active", &[]),
            task("B", "S", "planned", &["C"]),
            task("C", "S", "planned", &["A"]),
            task("D", "S", "done", &[]),
            task("E", "S", "frozen", &[]),
            task("F", "T", "active", &[]),
            task("G", "T", "planned", &[]),
        ]);
        assert_eq!(pairs(&board, None, false), ["F<A", "G<F"], "B waits for C, which waits for A");
        assert_eq!(pairs(&board, Some("G"), true), ["G<A", "G<F"], "at a claim, everything that runs");
        assert_eq!(pairs(&board, Some("D"), false), [""; 0]);
        assert_eq!(pairs(&board, Some("missing"), false), [""; 0]);
    }

    #[test]
    fn nodes_that_wait_for_each_other_through_others_are_no_pair() {
        let chain = |first: usize| {
            Board::of((0..300).map(|at| {
                let on = format!("T-{}", if at == 0 { first } else { at - 1 });
                task(&format!("T-{at}"), "S-1", "planned", &[&on])
            }))
        };
        assert_eq!(pairs(&chain(299), None, false), [""; 0], "a circle");
        assert_eq!(pairs(&chain(999), None, false), [""; 0], "a line");
        assert_eq!(pairs(&chain(999), Some("T-150"), false), [""; 0], "from the middle of a line");
    }

    #[test]
    fn who_began_first_is_the_blocker() {
        let board = Board::of([
            Task { began: Some(4), ..task("A", "S", "active", &[]) },
            Task { began: Some(1), ..task("B", "S", "active", &[]) },
        ]);
        assert_eq!(pairs(&board, None, false), ["A<B"]);
    }

    #[test]
    fn many_nodes_with_one_file_are_a_line() {
        let planning = |at: usize, path: &str| {
            let planned = vec![PlannedPaths { path: path.to_owned(), functions: Vec::new() }];
            Task {
                work: NodeWork { planned: planned.into(), changed: Vec::new() },
                ..task(&format!("T-{at:04}"), "S", "planned", &[])
            }
        };
        let board = Board::of((0..2000).map(|at| planning(at, "shared.rs")));
        let line = pairs(&board, None, false);
        assert_eq!((line.len(), line[0].as_str(), line[1998].as_str()), (1999, "T-0001<T-0000", "T-1999<T-1998"));
        assert_eq!(pairs(&board, Some("T-0007"), false), ["T-0007<T-0006", "T-0008<T-0007"]);
        // Whoever is in between names something else, and stands in nobody's way.
        let tasks = (0..4).map(|at| planning(at, if at == 2 { "other.rs" } else { "shared.rs" }));
        assert_eq!(pairs(&Board::of(tasks), None, false), ["T-0001<T-0000", "T-0003<T-0001"]);
    }

    #[test]
    fn who_names_a_function_is_in_nobodys_way_but_its_own() {
        let with = |id: &str, functions: &[&str]| {
            let functions = functions.iter().map(|name| (*name).to_owned()).collect();
            let planned = vec![PlannedPaths { path: "shared.rs".to_owned(), functions }];
            Task { work: NodeWork { planned: planned.into(), changed: Vec::new() }, ..task(id, "S", "planned", &[]) }
        };
        let board = Board::of([
            with("A", &["f"]),
            with("B", &["g"]),
            with("C", &["f", "g"]),
            with("D", &[]),
            with("E", &["f"]),
            with("F", &["f"]),
        ]);
        let line = pairs(&board, None, false);
        assert_eq!(line, ["B<A", "C<A", "C<B", "D<A", "D<B", "D<C", "E<D", "F<E"], "B<A only mentions");
    }

    #[test]
    fn a_node_can_wait_where_it_has_not_begun_and_no_circle_arises() {
        let board = Board::of([
            task("A", "S", "planned", &[]),
            task("B", "S", "active", &["C"]),
            task("C", "S", "planned", &["A", "C"]),
            task("D", "S", "planned", &[]),
        ]);
        assert!(board.can_wait("D", "B"));
        assert!(!board.can_wait("A", "B"), "B waits for C, which waits for A");
        assert!(!board.can_wait("B", "D"), "it has begun");
        assert!(!board.can_wait("D", "missing"));
    }

    fn event(body: Body, node: &str) -> Event {
        Event::new(format!("{node}-{:?}", body.kind()), "", node, &Ids::default(), body)
    }

    fn plan() -> PlanEvent {
        PlanEvent::default()
    }

    #[test]
    fn the_history_tells_who_began_where_and_what_was_changed() {
        let mut past = NodeHistories::default();
        past.step(&event(Body::ConflictDetected(plan()), "B"));
        past.step(&event(Body::ExecutionCompleted(Box::default()), "A"));
        let files_touched = vec!["/w/a.rs".to_owned()];
        let wrote = Execution { effect: Effect::Files, files_touched, ..Execution::default() };
        let mut change = event(Body::ExecutionCompleted(Box::new(wrote)), "B");
        change.worktree = Some("/w".to_owned());
        past.step(&change);
        let b = past.of("B").unwrap();
        assert_eq!((b.began, b.worktree.as_deref(), b.changed.len()), (Some(1), Some("/w"), 1));
        assert!(past.is_changed_by_another("/w/a.rs", "A") && !past.is_changed_by_another("/w/a.rs", "B"));
    }

    #[test]
    fn three_arbitrations_in_a_row_are_a_circle() {
        let mut past = NodeHistories::default();
        let circle = |past: &NodeHistories| past.of("A").is_some_and(NodePast::only_arbitrations);
        for _ in 0..3 {
            assert!(!circle(&past));
            past.step(&event(Body::ConflictArbitrated(plan()), "A"));
            past.step(&event(Body::FreezeApplied(plan()), "A"));
        }
        assert!(circle(&past));
        past.step(&event(Body::ReplanProposed(plan()), "A"));
        assert!(!circle(&past));
    }

    #[test]
    fn a_path_is_told_from_the_deepest_folder() {
        let folders = ["/p".to_owned(), "/p/w".to_owned()];
        assert_eq!(relative("/p/w/src/a", &folders), Some("src/a"));
        assert_eq!(relative("/p/x", &folders), Some("x"));
        assert_eq!(relative("/pw/x", &folders), None);
    }
}
