//! What conflicts ask of the tree and change in it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::checkpoint::{self, Checkpoint};
use super::editor::{Change, Editor, ledger};
use super::error::ChangeError;
use super::node::Node;
use super::tree::Tree;
use crate::conflicts::overlap::PlannedPaths;
use crate::digest::hex16;
use crate::front_matter::{FrontMatter, YamlValue};
use crate::history::{Body, Event, PlanEvent};
use crate::model::{Ids, NodeStatus};
use crate::plan::fields::{self, Field, is_usable, words};

/// The most planned files of a node.
const MOST_PLANNED: usize = 256;
/// The field of a node whose plan no longer fits: it is not begun before it is replanned.
pub(super) const REPLAN_REQUIRED: &str = "replan_required";

impl Node {
    /// What the node plans to touch, with the functions where it names them.
    pub fn planned(&self) -> &Arc<[PlannedPaths]> {
        let read = |front| planned(front, "artifacts", MOST_PLANNED).ok().flatten();
        self.planned.get_or_init(|| self.front.as_ref().and_then(read).unwrap_or_default().into())
    }

    /// Whether its plan no longer fits, by [`Editor::require_replan`], so that it is not begun.
    pub fn is_outdated(&self) -> bool {
        self.field(REPLAN_REQUIRED).as_deref() == Some("true")
    }
}

impl Tree {
    /// The commit that was checked out in the project when work on a node began: its newest checkpoint from before it was
    /// active. None where nobody noted it.
    pub fn start_of(&self, id: &str) -> Option<String> {
        let node = self.node(id)?;
        let folder = checkpoint::folder(node, self.dir());
        let mut files: Vec<PathBuf> = checkpoint::list(&folder, ".json");
        files.reverse();
        let start = files.iter().filter_map(|file| Checkpoint::read(file)).find(is_before_the_work)?;
        Some(start.git_sha).filter(|commit| !commit.is_empty())
    }

    /// Whether a node was put away: it is done, and has no file any more.
    pub fn was_archived(&self, id: &str) -> bool {
        self.node(id).is_none() && self.knows(id)
    }
}

fn is_before_the_work(checkpoint: &Checkpoint) -> bool {
    let Ok(Some(bytes)) = checkpoint.before() else { return false };
    let front = FrontMatter::of(&String::from_utf8_lossy(&bytes)).ok();
    let status = front.and_then(|front| fields::status(&front).ok().flatten());
    matches!(status, Some(NodeStatus::Planned | NodeStatus::Blocked))
}

impl Editor {
    /// Marks a node whose plan no longer fits; work on it is given back. It is not begun before it is replanned.
    ///
    /// # Errors
    /// When there is no such node, or a file cannot be written.
    pub fn require_replan(&mut self, id: &str, reason: &str, now: &str) -> Result<(), ChangeError> {
        let mut draft = self.draft("require_replan", id, now);
        let node = self.known(id)?;
        if node.is(NodeStatus::Active) {
            draft.become_(node, NodeStatus::Planned, Some(reason))?;
            draft.edit(node, &[("claimed_by", None)])?;
        }
        draft.edit(node, &[(REPLAN_REQUIRED, Some("true".to_owned()))])?;
        self.make(draft).map(|_| ())
    }

    /// Somebody looked at a node's outdated plan, and it fits now: the node stays what it is, and may be begun.
    pub(super) fn revise(
        &mut self,
        id: &str,
        status: NodeStatus,
        reason: &str,
        now: &str,
    ) -> Result<Change, ChangeError> {
        let mut draft = self.draft("revise", id, now);
        let node = self.known(id)?;
        draft.become_(node, status, Some(reason))?;
        draft.edit(node, &[(REPLAN_REQUIRED, None)])?;
        self.make(draft)
    }

    /// Tells the history that a replan of a node is asked for, by a conflict.
    ///
    /// # Errors
    /// When the history cannot be written.
    pub fn propose_replan(&mut self, id: &str, conflict: &str, reason: &str, now: &str) -> Result<(), ChangeError> {
        let mut draft = self.draft("propose", id, now);
        let [target, conflict_id, reason] = [id, conflict, reason].map(|text| Some(text.to_owned()));
        draft.tell(id, Body::ReplanProposed(PlanEvent { target, conflict_id, reason }));
        self.record(draft)
    }
}

/// The planned files of a list with the functions in them, where it names them: the forms of [`paths`](crate::plan::fields::paths).
fn planned(front: &FrontMatter, key: &str, most: usize) -> Field<Vec<PlannedPaths>> {
    let Some(list) = front.value(key)? else { return Ok(None) };
    let planned = |item: &YamlValue| {
        let path = item.word().or_else(|| item.get("path")?.word())?;
        let path = path.trim_start_matches("./");
        let functions = item.get("functions").map(words).into_iter().flatten();
        is_usable(path).then(|| PlannedPaths {
            path: path.to_owned(),
            functions: functions.take(most).map(str::to_owned).collect(),
        })
    };
    Ok(Some(list.items().iter().filter_map(planned).take(most).collect()))
}

/// Tells the history of something that changes no file of the tree in `dir`, which need not be read for it. Returns the
/// event's id.
///
/// # Errors
/// When the lock cannot be had within some seconds, or the history cannot be written.
pub fn report(dir: &Path, history: &Path, node: &str, now: &str, ids: &Ids, body: Body) -> Result<String, ChangeError> {
    let event = reported(node, now, ids, body);
    let id = event.id.clone();
    ledger(history)?.append(&mut [event]).map_err(|error| ChangeError::unread(dir, &error))?;
    Ok(id)
}

/// Two things about one node at one time differ in what they say.
fn reported(node: &str, now: &str, ids: &Ids, body: Body) -> Event {
    let mut event = Event::new(String::new(), now, node, ids, body);
    let said = serde_json::to_string(&event).unwrap_or_default();
    event.id = hex16(&["plan", "report", &said]);
    event
}
