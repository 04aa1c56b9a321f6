//! `active.json` as commands write it: what is being worked on, and what is stopped.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::{Node, tree::Tree};
use crate::model::NodeStatus;
use crate::plan::active::{ACTIVE, Active};
use crate::plan::survey::MISSION;
use crate::plan::{PlanError, files};

/// The keys of what is active, by tier.
const KEYS: [&str; 5] = ["mission", "initiative", "feature", "story", "task"];

/// What is being worked on. Keys that nobody here knows are kept.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Working {
    file: Map<String, Value>,
    ids: Active,
}

impl Working {
    /// Of a tree that is made: nothing but the mission is worked on.
    pub(super) fn new(now: &str) -> Self {
        let mut active: Map<String, Value> = KEYS.iter().map(|key| ((*key).to_owned(), Value::Null)).collect();
        active.insert(KEYS[0].to_owned(), json!(MISSION));
        let mut file = Map::new();
        file.insert("schema_version".to_owned(), json!(1));
        file.insert("updated_at".to_owned(), json!(now));
        file.insert("blocked".to_owned(), json!([]));
        file.insert("frozen".to_owned(), json!([]));
        file.insert("active".to_owned(), Value::Object(active));
        file.insert("context_anchors".to_owned(), json!({}));
        Self { file, ids: Active::default() }
    }

    pub(super) fn read(dir: &Path) -> Result<Self, PlanError> {
        let file = dir.join(ACTIVE);
        let text = files::read(&file)?;
        Self::of(&text).map_err(|error| PlanError::json(file, &error))
    }

    pub(super) fn of(text: &str) -> serde_json::Result<Self> {
        Active::parse(text).and_then(|ids| Ok(Self { file: serde_json::from_str(text)?, ids }))
    }

    /// Out of the nodes, where the file is lost: the one task that is active, where there is only one.
    pub(super) fn rebuilt(tree: &Tree) -> Self {
        let mut active = tree.nodes().filter(|node| node.tier == 4 && node.is(NodeStatus::Active));
        let only = active.next().filter(|_| active.next().is_none());
        Self::new("").settled(tree, only.map(|node| node.id.as_str()), "")
    }

    /// The active task.
    pub(super) fn task(&self) -> Option<&str> {
        self.ids.task()
    }

    /// The deepest active node.
    pub(super) fn deepest(&self) -> Option<&str> {
        self.ids.ids().last()
    }

    /// Everything that is named as active.
    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        self.ids.ids()
    }

    /// What the file says after the nodes have changed. The active task stays the active one as long as it is active;
    /// where there is none, `candidate` becomes it. What is frozen and blocked is listed.
    pub(super) fn settled(&self, tree: &Tree, candidate: Option<&str>, now: &str) -> Self {
        let is_active = |id: &&str| tree.node(id).is_some_and(|node| node.tier == 4 && node.is(NodeStatus::Active));
        let task = self.task().filter(is_active).or_else(|| candidate.filter(is_active));
        let mut settled = self.clone();
        settled.name(tree, task);
        settled.file.insert("updated_at".to_owned(), json!(now));
        for (key, status) in [("blocked", NodeStatus::Blocked), ("frozen", NodeStatus::Frozen)] {
            let ids: Vec<&str> = tree.nodes().filter(|node| node.is(status)).map(|node| &*node.id).collect();
            settled.file.insert(key.to_owned(), json!(ids));
        }
        settled.ids =
            serde_json::to_string(&settled.file).ok().and_then(|text| Active::parse(&text).ok()).unwrap_or_default();
        settled
    }

    /// Names a task and what is above it; without one, what was named stays as far as it may.
    fn name(&mut self, tree: &Tree, task: Option<&str>) {
        let named: Vec<&Node> = if let Some(task) = task {
            tree.node(task).into_iter().chain(tree.ancestors(task)).collect()
        } else {
            let goes_on =
                |node: &&Node| node.tier < 4 && tree.shown(node).is_none_or(|status| status == NodeStatus::Active);
            self.ids.ids().filter_map(|id| tree.node(id)).filter(goes_on).collect()
        };
        let goes_on = task == self.ids.task();
        let Some(Value::Object(active)) = self.file.get_mut("active") else { return };
        for (tier, key) in KEYS.iter().enumerate() {
            // The nearest of a tier: of nested features the inner one.
            let id = named.iter().find(|node| usize::from(node.tier) == tier).map(|node| node.id.as_str());
            active.insert((*key).to_owned(), json!(id));
        }
        if let Some(Value::Object(anchors)) = self.file.get_mut("context_anchors").filter(|_| !goes_on) {
            // It speaks of the task before.
            anchors.remove("current_phase");
        }
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut text = serde_json::to_vec_pretty(&self.file).unwrap_or_default();
        text.push(b'\n');
        text
    }
}
