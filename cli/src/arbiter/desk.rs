//! Arbitrating a conflict: what the table says of it is carried out and recorded.

use super::fit::fit;
use super::{ConflictLog, ConflictScene, Detected, KnownNodes};
use crate::conflicts::board::{NodePast, Task};
use crate::conflicts::overlap::SharedWork;
use crate::conflicts::policy::{Arbitration, Compatibility, Dispute, NodeStanding, PolicyRow, arbitrate};
use crate::conflicts::{Arbitrated, ArbitrationDecision, Conflict, ConflictKind, Layer, Overlap};
use crate::error::Error;
use crate::history::{Body, PlanEvent};
use crate::model::{NextCommand, NodeStatus};
use crate::plan::edit::{ChangeError, Editor, Node, Thaw, Tree, report};

/// The most actions that a record keeps.
const MOST_ACTIONS: usize = 32;

/// The log of conflicts, held by this process, with the tree beside it.
pub struct ArbiterDesk<'a> {
    pub(super) scene: ConflictScene<'a>,
    pub(super) log: ConflictLog,
    pub(super) tree: Tree,
    pub(super) known: KnownNodes,
}

/// What is to be arbitrated.
#[derive(Debug, Clone)]
pub enum DeskTopic {
    /// The conflict of this id.
    Id(String),
    /// A conflict that the log need not know.
    Record(Box<Conflict>),
    /// The conflict that a verdict's evidence names, else the latest open one that names its node.
    Verdict {
        /// The verdict's evidence.
        evidence: Vec<String>,
        /// The node that failed.
        node: String,
    },
}

/// A change of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TreeChange {
    Freeze(String),
    /// Frozen by a person's word, and by no conflict any more.
    Hold(String),
    Thaw(String),
    Discard(String),
    RequireReplan(String),
    Depend(String, String),
    ProposeReplan(String),
}

impl TreeChange {
    pub(super) fn words(&self) -> String {
        match self {
            Self::Freeze(node) | Self::Hold(node) => format!("freeze {node} and what is below it"),
            Self::Thaw(node) => format!("thaw {node}"),
            Self::Discard(node) => format!("discard {node}"),
            Self::RequireReplan(node) => format!("{node} has to be replanned before it is begun"),
            Self::Depend(node, on) => format!("{node} depends on {on}"),
            Self::ProposeReplan(story) => format!("propose a replan of {story}"),
        }
    }
}

impl<'a> ArbiterDesk<'a> {
    /// Holds the log of conflicts and reads the tree.
    ///
    /// # Errors
    /// When another process holds the log for seconds, or the log or the tree cannot be read.
    pub fn open(scene: ConflictScene<'a>) -> Result<Self, Error> {
        let log = ConflictLog::hold(scene.plans)?;
        let tree = Tree::open(scene.plans, scene.project).map_err(|error| Error::unreadable(error.to_string()))?;
        let known = KnownNodes::of(&scene, &tree, |_| true);
        Ok(Self { scene, log, tree, known })
    }

    /// Holds the log of conflicts after a node was claimed, with the tree as the claim left it. Only that node and those
    /// that are being worked on can be compared: what the others plan is not read.
    ///
    /// # Errors
    /// When another process holds the log for seconds, or it cannot be read.
    pub fn at_claim(scene: ConflictScene<'a>, tree: Tree, node: &str) -> Result<Self, Error> {
        let log = ConflictLog::hold(scene.plans)?;
        let known = KnownNodes::of(&scene, &tree, |one| one.id == node || one.is(NodeStatus::Active));
        Ok(Self { scene, log, tree, known })
    }

    /// The conflicts of the log, and behind them those that failures were found to lie in and nobody arbitrated yet.
    ///
    /// # Errors
    /// As [`ArbiterDesk::open`].
    pub fn known(scene: ConflictScene<'_>) -> Result<Vec<Conflict>, Error> {
        let known = ConflictLog::read(scene.plans)?;
        let is_new = |id: &&str| known.iter().all(|known| known.conflict_id != **id);
        if super::past(scene.history).conflicts_met().find(is_new).is_none() {
            return Ok(known);
        }
        let desk = ArbiterDesk::open(scene)?;
        let met = desk.known.past.conflicts_met().filter(is_new).filter_map(|id| desk.met(id));
        let is_open = |conflict: &Conflict| {
            let mut nodes = conflict.participants.iter().filter_map(|one| desk.tree.node(&one.task));
            nodes.all(|node| !node.status.is_some_and(NodeStatus::is_closed))
        };
        let new: Vec<Conflict> = met.filter(|met| met.is_new).map(|met| met.conflict).filter(is_open).collect();
        Ok(known.into_iter().chain(new).collect())
    }

    /// Decides one conflict by the table. What is automatic is carried out and recorded, unless `dry_run`. A conflict that
    /// is over is reported as such, and nothing is changed.
    ///
    /// # Errors
    /// When there is no such conflict, or something cannot be written.
    pub fn arbitrate(&mut self, about: DeskTopic, dry_run: bool) -> Result<Arbitration, Error> {
        let (conflict, is_known) = self.find(about)?;
        if conflict.is_resolved() {
            return Ok(over(&conflict));
        }
        // What a failure was found to lie in is in the history already.
        if !dry_run && self.known.past.met(&conflict.conflict_id).is_some() && !is_known {
            self.log.append(&conflict)?;
        } else if !is_known && !dry_run {
            self.record_detection(&conflict)?;
        }
        let (dispute, reasons) = self.dispute(&conflict);
        let row = arbitrate(&dispute);
        let mut answer = self.answer(&conflict, row, &dispute, reasons);
        let steps = if row.automatic { self.steps(row.decision, &conflict) } else { Vec::new() };
        answer.actions = steps.iter().map(TreeChange::words).collect();
        // Asking again while the blocker works is no arbitration.
        let waits = row.decision.holds_the_proposed()
            && steps.is_empty()
            && conflict.arbitration.as_ref().is_some_and(|last| last.decision == row.decision);
        if waits {
            answer.reasons.push("it was decided so before, and nothing changed since".to_owned());
            return Ok(answer);
        }
        if !dry_run {
            self.carry_out(&steps, &conflict)?;
            let reason = format!("{}: {}", row.decision, answer.reasons.join("; "));
            let end = row.decision.ends_the_conflict().then_some((row.decision.as_str(), "arbiter"));
            self.record(&conflict, reason, end, &mut answer)?;
            answer.applied = row.automatic;
        }
        Ok(answer)
    }

    /// Arbitrates the conflicts of these ids, of which each holds a node that waits for one that is over, or says what
    /// that would come to.
    ///
    /// # Errors
    /// As [`ArbiterDesk::arbitrate`].
    pub fn release(&mut self, ids: &[String], dry_run: bool) -> Result<Vec<Arbitration>, Error> {
        ids.iter().map(|id| self.arbitrate(DeskTopic::Id(id.clone()), dry_run)).collect()
    }

    /// The conflict, and whether the log knows it.
    fn find(&self, about: DeskTopic) -> Result<(Conflict, bool), Error> {
        match about {
            DeskTopic::Id(id) => match self.met(&id) {
                Some(Detected { is_new, conflict }) => Ok((conflict, !is_new)),
                None => self.get(&id).map(|conflict| (conflict.clone(), true)),
            },
            DeskTopic::Record(record) => match self.log.get(&record.conflict_id) {
                Some(known) => Ok((known.clone(), true)),
                None if record.is_sound() => Ok((*record, false)),
                None => Err(Error::unreadable("the record names no two nodes")
                    .hint("ids are letters, digits, `-`, `_`, `.`, and no node waits for itself")),
            },
            DeskTopic::Verdict { evidence, node } => {
                let is_named = |known: &&Conflict| {
                    let mut words = evidence.iter().flat_map(|line| line.split([' ', '=', ',']));
                    words.any(|word| word == known.conflict_id)
                };
                let names = |known: &&Conflict| known.participants.iter().any(|one| one.task == node);
                let conflicts = || self.log.conflicts().iter().rev();
                let found = conflicts().find(is_named);
                let found = found.or_else(|| conflicts().filter(|known| !known.is_resolved()).find(names));
                let missing = || Error::refused(format!("no open conflict names `{node}`"));
                found.map(|known| (known.clone(), true)).ok_or_else(|| missing().hint(LIST))
            }
        }
    }

    /// The conflict that a failure was found to lie in, where the log does not know it, or knows that it ended before.
    fn met(&self, id: &str) -> Option<Detected> {
        let met = self.known.past.met(id)?;
        let is_news = self.log.get(id).is_none_or(|known| {
            known.is_resolved() && known.resolved_at.as_deref().is_some_and(|ended| ended < met.ts.as_str())
        });
        let files = vec![met.file.clone()];
        let (layer, kind) = (Layer::L1, ConflictKind::FileOverlap);
        let shared = SharedWork { layer, kind, overlap: Overlap { files, functions: None }, confidence: 1.0 };
        is_news.then(|| self.known_or_new(&met.nodes, shared))
    }

    pub(super) fn get(&self, id: &str) -> Result<&Conflict, Error> {
        self.log.get(id).ok_or_else(|| Error::refused(format!("there is no conflict `{id}`")).hint(LIST))
    }

    /// What the table has to know, and what was learned on the way.
    fn dispute(&self, conflict: &Conflict) -> (Dispute, Vec<String>) {
        let [proposed, blocker] = [conflict.proposed(), conflict.blocker()].map(Option::unwrap_or_default);
        let standing = |id| NodeStanding::of(self.tree.node(id).and_then(|node| node.status));
        let (proposed_is, blocker_is) = (standing(proposed), self.standing_of_blocker(blocker));
        let (compatibility, reasons) = match (self.known.board.task(proposed), blocker_is) {
            (Some(task), NodeStanding::Done) if self.only_failed_over(conflict, task) => {
                (Compatibility::Compatible, vec![format!("{proposed} neither plans nor changed what it failed over")])
            }
            (Some(task), NodeStanding::Done) => fit(&self.scene, &self.known, &self.tree, task, blocker),
            (_, NodeStanding::Open) if conflict.kind == ConflictKind::OtherFunctions => {
                (Compatibility::Compatible, Vec::new())
            }
            (_, NodeStanding::Open) => (Compatibility::Overlapping, vec![shared(conflict)]),
            _ => (Compatibility::Unknown, Vec::new()),
        };
        let dispute = Dispute {
            layer: conflict.layer,
            confidence: conflict.confidence,
            arbitrations: conflict.arbitrations,
            only_arbitrations: self.known.past.of(proposed).is_some_and(NodePast::only_arbitrations),
            proposed: proposed_is,
            blocker: blocker_is,
            compatibility,
            reorder: self.known.board.can_wait(proposed, blocker),
            budget: self.story(proposed).is_some_and(|story| story.replans.remaining > 0),
        };
        (dispute, reasons)
    }

    /// Whether a node met a conflict by a failure alone: it neither plans nor changed the file that it failed over.
    fn only_failed_over(&self, conflict: &Conflict, task: &Task) -> bool {
        self.known.past.met(&conflict.conflict_id).is_some_and(|met| !task.work.names(&met.file))
    }

    /// A node that was put away has no file any more, and was done.
    fn standing_of_blocker(&self, id: &str) -> NodeStanding {
        match self.tree.node(id) {
            Some(node) => NodeStanding::of(node.status),
            None if self.tree.was_archived(id) => NodeStanding::Done,
            None => NodeStanding::Unknown,
        }
    }

    /// The story, else the feature, that a node belongs to: what is replanned on its behalf. Never a task.
    fn story(&self, id: &str) -> Option<&Node> {
        let own = self.tree.node(id).into_iter();
        own.chain(self.tree.ancestors(id)).find(|node| matches!(node.tier, 2 | 3))
    }

    fn answer(&self, conflict: &Conflict, row: &PolicyRow, dispute: &Dispute, reasons: Vec<String>) -> Arbitration {
        let mut answer = Arbitration::about(conflict, row.decision, row.automatic);
        answer.rule = Some(row.name.to_owned());
        answer.compatibility = dispute.compatibility;
        answer.reasons = std::iter::once(row.reason.to_owned()).chain(reasons).collect();
        let story = conflict.proposed().and_then(|node| self.story(node)).map(|story| story.id.clone());
        if row.decision == ArbitrationDecision::Replan {
            answer.target_node.clone_from(&story);
        }
        answer.next_commands = next_commands(conflict, row, story);
        answer
    }

    fn steps(&self, decision: ArbitrationDecision, conflict: &Conflict) -> Vec<TreeChange> {
        let (Some(proposed), Some(blocker)) = (conflict.proposed(), conflict.blocker()) else { return Vec::new() };
        let Some(node) = self.tree.node(proposed) else { return Vec::new() };
        let freeze = || TreeChange::Freeze(proposed.to_owned());
        let is_stopped = node.is(NodeStatus::Frozen);
        let mut steps = Vec::new();
        match decision {
            ArbitrationDecision::Freeze => steps.extend((!is_stopped).then(freeze)),
            ArbitrationDecision::AutoThaw => steps.extend(self.thaw_of(node, conflict)),
            ArbitrationDecision::AutoDiscard => {
                steps.extend(self.thaw_of(node, conflict));
                steps.push(TreeChange::RequireReplan(proposed.to_owned()));
            }
            ArbitrationDecision::SequentialReorder => {
                let is_new = !node.depends_on.iter().any(|id| id == blocker);
                steps.extend(is_new.then(|| TreeChange::Depend(proposed.to_owned(), blocker.to_owned())));
            }
            ArbitrationDecision::Replan => {
                steps.extend((!is_stopped).then(freeze));
                let is_first = conflict.arbitration.as_ref().is_none_or(|last| last.decision != decision);
                let story = self.story(proposed).filter(|_| is_first);
                steps.extend(story.map(|story| TreeChange::ProposeReplan(story.id.clone())));
            }
            ArbitrationDecision::UserPriority | ArbitrationDecision::Escalate => {}
        }
        steps
    }

    /// The thaw of a node that a conflict froze, unless another open conflict holds it as well.
    pub(super) fn thaw_of(&self, node: &Node, conflict: &Conflict) -> Option<TreeChange> {
        let holds = |other: &&Conflict| {
            other.conflict_id != conflict.conflict_id
                && !other.is_resolved()
                && other.proposed() == Some(&node.id)
                && other.arbitration.as_ref().is_some_and(|last| last.decision.holds_the_proposed())
        };
        let is_held = self.log.conflicts().iter().any(|other| holds(&other));
        let by_conflict = node.is(NodeStatus::Frozen) && node.freeze.conflict.is_some();
        (by_conflict && !is_held).then(|| TreeChange::Thaw(node.id.clone()))
    }

    /// Changes the tree. The log follows after it: where a process is ended in between, the next arbitration finds the
    /// tree as it should be and only records it.
    pub(super) fn carry_out(&mut self, steps: &[TreeChange], conflict: &Conflict) -> Result<(), Error> {
        if steps.is_empty() {
            return Ok(());
        }
        let (id, now) = (conflict.conflict_id.as_str(), self.scene.now);
        let mut editor = self.editor()?;
        for step in steps {
            let made = match step {
                TreeChange::Freeze(node) => {
                    editor.freeze(node, &format!("in conflict {id}"), Some(id), now).map(|_| ())
                }
                TreeChange::Hold(node) => {
                    editor.freeze(node, &format!("user_resolved_conflict_{id}"), None, now).map(|_| ())
                }
                TreeChange::Thaw(node) => editor.thaw(node, Thaw { discard: false, force: true }, now).map(|_| ()),
                TreeChange::Discard(node) => discard(&mut editor, node, id, now),
                TreeChange::RequireReplan(node) => {
                    editor.require_replan(node, &format!("outdated by conflict {id}"), now)
                }
                TreeChange::Depend(node, on) => editor.depend(node, std::slice::from_ref(on), &[], now).map(|_| ()),
                TreeChange::ProposeReplan(story) => propose(&mut editor, story, id, now),
            };
            made.map_err(|error| refused(&error))?;
        }
        Ok(())
    }

    /// Both logs record an arbitration, the history first. `end` is how the conflict is over then, and by whom.
    pub(super) fn record(
        &mut self,
        conflict: &Conflict,
        reason: String,
        end: Option<(&str, &str)>,
        answer: &mut Arbitration,
    ) -> Result<(), Error> {
        let node = conflict.proposed().unwrap_or(&conflict.conflict_id);
        let (target, conflict_id) = (answer.target_node.clone(), Some(conflict.conflict_id.clone()));
        let event =
            self.tell(node, Body::ConflictArbitrated(PlanEvent { target, conflict_id, reason: Some(reason) }))?;
        let mut record = conflict.clone();
        record.actions_taken.extend(answer.actions.iter().cloned());
        let over = record.actions_taken.len().saturating_sub(MOST_ACTIONS);
        record.actions_taken.drain(..over);
        record.arbitrations = record.arbitrations.saturating_add(1);
        record.arbitration = Some(Arbitrated {
            decision: answer.decision,
            automatic: answer.automatic,
            at: self.scene.now.to_owned(),
            event: Some(event),
            prior: conflict.arbitration.as_ref().and_then(|last| last.event.clone()),
        });
        if let Some((resolution, by)) = end {
            record.resolution = Some(resolution.to_owned());
            record.resolved_by = Some(by.to_owned());
            record.resolved_at = Some(self.scene.now.to_owned());
        }
        self.log.append(&record)?;
        answer.arbitrations = record.arbitrations;
        answer.resolution = record.resolution;
        Ok(())
    }

    /// Tells the history of something about a node; the event's id.
    pub(super) fn tell(&self, node: &str, body: Body) -> Result<String, Error> {
        let ConflictScene { plans, history, now, ids, .. } = &self.scene;
        report(plans, history, node, now, ids, body).map_err(|error| refused(&error))
    }

    fn editor(&self) -> Result<Editor, Error> {
        let ConflictScene { plans, project, history, ids, .. } = &self.scene;
        Editor::begin(plans, project, history, ids.clone()).map_err(|error| refused(&error))
    }
}

const LIST: &str = "`failwise plan conflicts list` shows them";

/// The answer about a conflict that ended before.
fn over(conflict: &Conflict) -> Arbitration {
    let last = conflict.arbitration.as_ref();
    let decision = last.map_or(ArbitrationDecision::UserPriority, |last| last.decision);
    let mut answer = Arbitration::about(conflict, decision, last.is_some_and(|last| last.automatic));
    let how = conflict.resolution.as_deref().unwrap_or("no word is given");
    answer.reasons.push(format!("it is resolved already: {how}"));
    answer
}

fn discard(editor: &mut Editor, node: &str, conflict: &str, now: &str) -> Result<(), ChangeError> {
    if editor.tree().node(node).is_some_and(|node| node.is(NodeStatus::Frozen)) {
        return editor.thaw(node, Thaw { discard: true, force: true }, now).map(|_| ());
    }
    editor.set(node, NodeStatus::Discarded, Some(&format!("given up in conflict {conflict}")), now).map(|_| ())
}

fn propose(editor: &mut Editor, story: &str, conflict: &str, now: &str) -> Result<(), ChangeError> {
    editor.propose_replan(story, conflict, &format!("conflict {conflict}: neither node can wait for the other"), now)
}

fn shared(conflict: &Conflict) -> String {
    let functions = conflict.overlap.functions.iter().flatten().cloned().collect::<Vec<_>>().join(", ");
    let files = conflict.overlap.files.join(", ");
    if functions.is_empty() { format!("both are about {files}") } else { format!("both plan {functions} in {files}") }
}

fn next_commands(conflict: &Conflict, row: &PolicyRow, story: Option<String>) -> Vec<NextCommand> {
    let id = conflict.conflict_id.as_str();
    let command = |argv: &[&str], why: String| NextCommand {
        argv: argv.iter().map(|word| (*word).to_owned()).collect(),
        shell: None,
        background: false,
        timeout_ms: None,
        why,
    };
    match (row.decision, story) {
        (ArbitrationDecision::Freeze, _) => {
            let blocker = conflict.blocker().unwrap_or("the blocker");
            vec![command(&["failwise", "arbitrate", id], format!("when {blocker} is done: its changes decide"))]
        }
        (ArbitrationDecision::Replan, Some(story)) => {
            let reason = format!("conflict {id}");
            let argv = ["failwise", "plan", "replan", &story, "--reason", &reason];
            vec![command(&argv, "to replan the story".to_owned())]
        }
        (ArbitrationDecision::UserPriority | ArbitrationDecision::Escalate, _) => {
            let why = "a person decides, by `failwise plan conflicts resolve`".to_owned();
            vec![command(&["failwise", "plan", "conflicts", "show", id], why)]
        }
        _ => Vec::new(),
    }
}

fn refused(error: &ChangeError) -> Error {
    Error::unreadable(error.to_string()).hint(error.hint())
}
