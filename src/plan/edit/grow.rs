//! Making a tree, and adding nodes to it.

use std::path::{Path, PathBuf};

use super::counters::{COUNTERS, FAMILIES, IdCounters, number_of};
use super::disk::{self, Disk, Files};
use super::document::{yaml, yaml_list};
use super::editor::{Change, Editor, text};
use super::error::ChangeError;
use super::node::Node;
use super::working::Working;
use crate::decide::{TIERS, tier_budget};
use crate::model::{ConstraintKind, NodeStatus, is_node_id};
use crate::plan::PlanTree;
use crate::plan::active::ACTIVE;
use crate::plan::fields::CONSTRAINTS;
use crate::plan::survey::{LEVELS, MISSION, MISSION_FILE, ROOTS};

/// The longest slug.
const LONGEST_SLUG: usize = 50;
/// What the tree keeps for itself and nobody commits.
pub(super) const IGNORED: &str =
    "history*.jsonl\n*.lock\nstate/\ncheckpoints/\nactive.json\n.counters.json\n.mutation.json\n.*.tmp\n";
/// The file's name.
pub(super) const GITIGNORE: &str = ".gitignore";
/// The log of conflicts grows at its end in every clone: a merge keeps the lines of both.
const MERGED: &str = "conflicts.jsonl merge=union\n";

/// A node to be added.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewNode {
    /// 1 initiative, 2 feature, 3 story, 4 task.
    pub tier: u8,
    /// The node above it.
    pub parent: String,
    /// Its id, for a feature that is named by a ticket; else the next free number.
    pub id: Option<String>,
    /// What it is for.
    pub intent: String,
    /// The nodes that must be done before it.
    pub depends_on: Vec<String>,
    /// The files that it is planned to make or change.
    pub artifacts: Vec<String>,
    /// The tests that prove it: `FILE::NAME`.
    pub test_refs: Vec<String>,
    /// What binds it and what is below it: a name and its values.
    pub constraints: Vec<(String, Vec<String>)>,
}

/// Makes a tree in `dir`, with a mission. Files that are there already are kept.
///
/// # Errors
/// When there is a tree already, or a file cannot be written.
pub fn init(dir: &Path, intent: &str, constraints: &[(String, Vec<String>)], now: &str) -> Result<(), ChangeError> {
    init_on(&mut Files, dir, intent, constraints, now)
}

pub(super) fn init_on(
    disk: &mut dyn Disk,
    dir: &Path,
    intent: &str,
    constraints: &[(String, Vec<String>)],
    now: &str,
) -> Result<(), ChangeError> {
    if PlanTree::has_mission(dir) {
        let what = format!("{} has a plan already", dir.display());
        return Err(ChangeError::refused(what, "`failwise plan status` shows it"));
    }
    // Nobody's new plan begins with nodes that somebody else wrote.
    let mut levels = ROOTS.iter().filter_map(|row| LEVELS.get(*row));
    if let Some(level) = levels.find(|level| disk::exists(&dir.join(level.folder))) {
        let what = format!("{} has {} of a plan without a mission", dir.display(), level.folder);
        return Err(ChangeError::refused(
            what,
            "write mission/mission.md there, and `failwise trust` shows it; or move it away",
        ));
    }
    let mission = NewNode { intent: intent.to_owned(), constraints: constraints.to_vec(), ..NewNode::default() };
    let mission = node_page(MISSION, &mission, now);
    let counters = IdCounters::default().to_bytes();
    let working = Working::new(now).to_bytes();
    // The tree is there as soon as the last one is.
    let parts = [
        (dir.join(GITIGNORE), IGNORED.as_bytes().to_vec()),
        (dir.join(".gitattributes"), MERGED.as_bytes().to_vec()),
        (dir.join(COUNTERS), counters),
        (dir.join(ACTIVE), working),
        (dir.join("mission").join(MISSION_FILE), mission.into_bytes()),
    ];
    for (file, bytes) in parts {
        if !disk::exists(&file) {
            if disk::relative(dir, &file).and_then(|file| disk::inside(dir, &file)).is_none() {
                let what = format!("a symbolic link is in the path of {}", file.display());
                return Err(ChangeError::refused(what, "remove it"));
            }
            disk.put(&file, &bytes).map_err(|error| ChangeError::unread(&file, &error))?;
        }
    }
    Ok(())
}

impl Editor {
    /// Adds a node, in a folder of its own below its parent's. The parent's page stays as it is: two clones that add below
    /// one node meet in no file.
    ///
    /// # Errors
    /// When its parent is not there or of the wrong tier, its id is taken, or a file cannot be written.
    pub fn add(&mut self, new: &NewNode, now: &str) -> Result<Change, ChangeError> {
        let parent = self.known(&new.parent)?;
        let folder = self.folder_for(new, parent)?;
        self.refuse_unfit(new, parent)?;
        let mut counters = self.tree().counters.clone();
        let id = match &new.id {
            Some(id) => self.own_id(new, id)?,
            None => self.next_id(new.tier, &mut counters, now),
        };
        let mut draft = self.draft("add", &id, now);
        let spec = LEVELS.iter().find(|level| level.tier == new.tier).map_or("task.md", |level| level.spec);
        let file = folder.join(format!("{id}_{}", slug(&new.intent))).join(spec);
        if disk::exists(&file) {
            return Err(ChangeError::refused(format!("{} exists already", file.display()), "move it away"));
        }
        draft.create(&id, file, node_page(&id, new, now).into_bytes());
        draft.counters = Some(counters);
        self.make(draft)
    }

    /// Where a node is below its parent.
    fn folder_for(&self, new: &NewNode, parent: &Node) -> Result<PathBuf, ChangeError> {
        let own = parent.folder().map(Path::to_owned);
        let fits = match (new.tier, parent.tier) {
            (1, 0) => Some(self.tree().dir().join("initiatives")),
            (2, 0 | 1) => Some(self.tree().dir().join("features")),
            // A feature inside a feature; a third one inside would lie deeper than trees are read.
            (2, 2) if !self.tree().ancestors(&parent.id).iter().any(|above| above.tier == 2) => {
                own.map(|own| own.join("subfeatures"))
            }
            (3, 2) => own.map(|own| own.join("stories")),
            (4, 3) => own.map(|own| own.join("tasks")),
            _ => None,
        };
        fits.ok_or_else(|| {
            let name = |tier| TIERS.iter().find(|row| row.tier == tier).map_or("node", |row| row.name);
            let what = format!("no {} belongs below {} ({})", name(new.tier), parent.id, name(parent.tier));
            let hint = "the order is mission, initiative (may be left out), feature (may hold another), story, task";
            ChangeError::refused(what, hint)
        })
    }

    fn refuse_unfit(&self, new: &NewNode, parent: &Node) -> Result<(), ChangeError> {
        let stopped = std::iter::once(parent).chain(self.tree().ancestors(&parent.id));
        let mut stopped = stopped.filter_map(|node| Some((node, node.status?)));
        if let Some((node, status)) = stopped.find(|(_, status)| !status.is_open()) {
            return Err(ChangeError::refused(format!("{} is {status}", node.id), "add it below a node that is open"));
        }
        if text(&new.intent).is_empty() {
            return Err(ChangeError::refused("a node needs an intent", "add a few words on its purpose"));
        }
        if new.tier == 3 && new.test_refs.is_empty() {
            return Err(ChangeError::refused(
                "a story needs a test",
                "add --test-ref FILE::NAME; the file may be written later",
            ));
        }
        match new.depends_on.iter().find(|id| !self.tree().knows(id)) {
            Some(missing) => Err(ChangeError::Missing { id: missing.clone() }),
            None => Ok(()),
        }
    }

    fn own_id(&self, new: &NewNode, id: &str) -> Result<String, ChangeError> {
        // What is before `_` is the id in a folder's name.
        if new.tier != 2 || !is_node_id(id) || id.contains('_') {
            let hint = "letters, digits, `-` and `.`, and only a feature has an id of its own choice";
            return Err(ChangeError::refused(format!("`{}` cannot be the id", text(id)), hint));
        }
        if self.tree().knows(id) {
            return Err(ChangeError::refused(format!("{id} exists already"), "take another id"));
        }
        Ok(id.to_owned())
    }

    pub(super) fn next_id(&self, tier: u8, counters: &mut IdCounters, now: &str) -> String {
        let (family, digits) = FAMILIES.get(usize::from(tier)).copied().unwrap_or_default();
        let ids = self.tree().ids();
        let used = ids.filter_map(number_of).filter(|(name, _)| *name == family).map(|(_, number)| number).max();
        let number = counters.next(family, used.unwrap_or_default(), now);
        format!("{family}-{number:0digits$}")
    }
}

/// A node's file when it is new.
fn node_page(id: &str, new: &NewNode, now: &str) -> String {
    let mut lines = vec![format!("id: {id}"), format!("tier: {}", new.tier)];
    if new.tier > 0 {
        lines.push(format!("parent: {}", new.parent));
        lines.push(format!("status: {}", NodeStatus::Planned));
    }
    lines.push(format!("intent: {}", yaml(&text(&new.intent))));
    if new.tier > 2 {
        lines.push(format!("depends_on: {}", yaml_list(new.depends_on.iter().map(String::as_str))));
    }
    if !new.artifacts.is_empty() {
        lines.push("artifacts:".to_owned());
        lines.extend(new.artifacts.iter().map(|path| format!("  - path: {}", yaml(path))));
    }
    if !new.constraints.is_empty() {
        lines.push("constraints:".to_owned());
        let values = |values: &[String]| yaml_list(values.iter().map(String::as_str));
        lines.extend(new.constraints.iter().map(|(name, words)| format!("  {name}: {}", values(words))));
    }
    let replans = tier_budget(new.tier);
    if replans > 0 {
        lines.push(format!("replan_budget_remaining: {replans}"));
        lines.push(format!("replan_budget_total: {replans}"));
    }
    lines.push("revision: 1".to_owned());
    lines.push(format!("created_at: {}", yaml(now)));
    let mut page = format!("---\n{}\n---\n", lines.join("\n"));
    if !new.test_refs.is_empty() {
        page.push_str("acceptance:\n");
        page.extend(new.test_refs.iter().map(|test| format!("- test_ref: {}\n", text(test))));
    }
    page
}

/// An intent as a part of a folder's name: small letters and digits, the rest as single `-`.
fn slug(intent: &str) -> String {
    let mut slug = String::new();
    for c in intent.chars().flat_map(char::to_lowercase) {
        match c {
            'a'..='z' | '0'..='9' => slug.push(c),
            _ if !slug.is_empty() && !slug.ends_with('-') => slug.push('-'),
            _ => {}
        }
        if slug.len() == LONGEST_SLUG {
            break;
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "unnamed".to_owned() } else { slug.to_owned() }
}

/// The names of constraints.
pub fn constraint_names() -> impl Iterator<Item = &'static str> {
    CONSTRAINTS.iter().map(|(name, _)| *name)
}

/// The kind of constraint that a name means.
pub fn constraint_kind(name: &str) -> Option<ConstraintKind> {
    CONSTRAINTS.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
}

#[cfg(test)]
mod tests {
    use super::slug;

    #[test]
    fn slugs_are_safe_in_a_path() {
        assert_eq!(slug("Bank CSV import"), "bank-csv-import");
        assert_eq!(slug("  --Ä/../x_y  "), "x-y");
        assert_eq!(slug("\u{202e}"), "unnamed");
        assert_eq!(slug(&"ab ".repeat(40)).len(), 50);
    }
}
