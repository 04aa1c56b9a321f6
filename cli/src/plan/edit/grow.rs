//! Making a tree, and adding nodes to it.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::counters::{COUNTERS, FAMILIES, IdCounters, number_of};
use super::disk::{self, Disk, Files};
use super::document::{yaml, yaml_list};
use super::editor::{Change, Editor, text};
use super::error::ChangeError;
use super::node::BUDGET;
use super::tree::Tree;
use super::validate::path_problem;
use super::working::Working;
use crate::decide::{TIERS, tier_budget};
use crate::front_matter::FrontMatter;
use crate::model::{NodeStatus, is_node_id, pattern_problem};
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
    /// How many tokens its work may take.
    pub budget: Option<u32>,
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
    if text(intent).is_empty() {
        return Err(ChangeError::refused("a plan needs an intent", "add a few words on its purpose"));
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

/// The node above a new one, which may be new itself.
#[derive(Clone)]
struct Above {
    id: String,
    tier: u8,
    folder: Option<PathBuf>,
    /// Whether it is inside a feature.
    in_feature: bool,
}

/// A new node's file.
pub(super) struct NewPage {
    pub(super) id: String,
    pub(super) file: PathBuf,
    pub(super) text: String,
}

impl Editor {
    /// Adds a node, in a folder of its own below its parent's. The parent's page stays as it is: two clones that add below
    /// one node meet in no file.
    ///
    /// # Errors
    /// When its parent is not there or of the wrong tier, its id is taken, or a file cannot be written.
    pub fn add(&mut self, new: &NewNode, now: &str) -> Result<Change, ChangeError> {
        let mut counters = self.tree().counters.clone();
        let id = match &new.id {
            Some(id) => own_id(self.tree(), new, id)?,
            None => self.next_id(new.tier, &mut counters, now),
        };
        self.plant("add", &id, &[(id.clone(), new.clone())], counters, now)
    }

    /// Makes the pages of new nodes, all or none.
    pub(super) fn plant(
        &mut self,
        verb: &'static str,
        node: &str,
        news: &[(String, NewNode)],
        counters: IdCounters,
        now: &str,
    ) -> Result<Change, ChangeError> {
        let mut draft = self.draft(verb, node, now);
        for page in self.tree().pages(news, now).map_err(|(_, error)| error)? {
            draft.create(&page.id, page.file, page.text.into_bytes());
        }
        draft.counters = Some(counters);
        self.make(draft)
    }

    pub(super) fn next_id(&self, tier: u8, counters: &mut IdCounters, now: &str) -> String {
        let (family, digits) = FAMILIES.get(usize::from(tier)).copied().unwrap_or_default();
        let number = counters.next(family, self.tree().highest(family), now);
        format!("{family}-{number:0digits$}")
    }
}

impl Tree {
    /// The tree that [`init`] would make in `dir`, which nothing is written into.
    ///
    /// # Errors
    /// When its page would be none.
    pub fn to_be(
        dir: &Path,
        root: &Path,
        intent: &str,
        constraints: &[(String, Vec<String>)],
        now: &str,
    ) -> Result<Self, ChangeError> {
        let mission = NewNode { intent: intent.to_owned(), constraints: constraints.to_vec(), ..NewNode::default() };
        let front = FrontMatter::of(&node_page(MISSION, &mission, now));
        let front = front.map_err(|trouble| ChangeError::refused(trouble.what, "write other words"))?;
        let file = dir.join("mission").join(MISSION_FILE);
        Ok(Self::empty(dir, root).with(vec![(file, Some(front))], Working::new(now), IdCounters::default()))
    }

    /// The highest number of a family that is in use.
    pub(super) fn highest(&self, family: &str) -> u64 {
        let used = self.ids().filter_map(number_of).filter(|(name, _)| *name == family).map(|(_, number)| number);
        used.max().unwrap_or_default()
    }

    /// The pages of new nodes, each behind the one above it.
    ///
    /// # Errors
    /// When one does not fit where it is to be; with its id.
    pub(super) fn pages(&self, news: &[(String, NewNode)], now: &str) -> Result<Vec<NewPage>, (String, ChangeError)> {
        let mut made: HashMap<&str, Above> = HashMap::new();
        let mut pages = Vec::with_capacity(news.len());
        let ids: HashSet<&str> = news.iter().map(|(id, _)| id.as_str()).collect();
        for (id, new) in news {
            let known = made.get(&*new.parent).cloned();
            let page = known.map_or_else(|| self.above(&new.parent), Ok).and_then(|above| {
                if let Some(missing) = new.depends_on.iter().find(|on| !self.knows(on) && !ids.contains(on.as_str())) {
                    return Err(ChangeError::Missing { id: missing.clone() });
                }
                if let Some(on) = new.depends_on.iter().find(|on| self.would_be_within(news, &new.parent, on)) {
                    let what = format!("{on} is above it, and is never done before it");
                    return Err(ChangeError::refused(what, "leave this dependency out"));
                }
                self.page(id, new, &above, now)
            });
            let (page, own) = page.map_err(|error| (id.clone(), error))?;
            made.insert(id, own);
            pages.push(page);
        }
        Ok(pages)
    }

    /// Whether a node that may be new is another one, or below it.
    fn would_be_within(&self, news: &[(String, NewNode)], id: &str, other: &str) -> bool {
        let mut at = id;
        while let Some((_, new)) = news.iter().find(|(new, _)| new == at).filter(|_| at != other) {
            at = &new.parent;
        }
        self.is_within(at, other)
    }

    fn page(&self, id: &str, new: &NewNode, above: &Above, now: &str) -> Result<(NewPage, Above), ChangeError> {
        refuse_unfit(new)?;
        let spec = LEVELS.iter().find(|level| level.tier == new.tier).map_or("task.md", |level| level.spec);
        let folder = self.folder_for(new, above)?.join(format!("{id}_{}", slug(&new.intent)));
        let file = folder.join(spec);
        if disk::exists(&file) {
            return Err(ChangeError::refused(format!("{} exists already", file.display()), "move it away"));
        }
        let in_feature = above.in_feature || above.tier == 2;
        let own = Above { id: id.to_owned(), tier: new.tier, folder: Some(folder), in_feature };
        Ok((NewPage { id: id.to_owned(), file, text: node_page(id, new, now) }, own))
    }

    /// A node that is to have others below it.
    fn above(&self, id: &str) -> Result<Above, ChangeError> {
        let node = self.node(id).ok_or_else(|| ChangeError::Missing { id: id.to_owned() })?;
        let ancestors = self.ancestors(id);
        let stopped = std::iter::once(&node).chain(&ancestors).filter_map(|node| Some((node, node.status?)));
        if let Some((node, status)) = stopped.into_iter().find(|(_, status)| !status.is_open()) {
            return Err(ChangeError::refused(format!("{} is {status}", node.id), "add it below a node that is open"));
        }
        Ok(Above {
            id: node.id.clone(),
            tier: node.tier,
            folder: node.folder().map(Path::to_owned),
            in_feature: ancestors.iter().any(|above| above.tier == 2),
        })
    }

    /// Where a node is below its parent.
    fn folder_for(&self, new: &NewNode, above: &Above) -> Result<PathBuf, ChangeError> {
        let own = above.folder.as_deref();
        let fits = match (new.tier, above.tier) {
            (1, 0) => Some(self.dir().join("initiatives")),
            (2, 0 | 1) => Some(self.dir().join("features")),
            // A feature inside a feature; a third one inside would lie deeper than trees are read.
            (2, 2) if !above.in_feature => own.map(|own| own.join("subfeatures")),
            (3, 2) => own.map(|own| own.join("stories")),
            (4, 3) => own.map(|own| own.join("tasks")),
            _ => None,
        };
        fits.ok_or_else(|| {
            let what = format!("no {} belongs below {} ({})", tier_name(new.tier), above.id, tier_name(above.tier));
            let hint = "the order is mission, initiative (may be left out), feature (may hold another), story, task";
            ChangeError::refused(what, hint)
        })
    }
}

/// What a tier is called.
pub(super) fn tier_name(tier: u8) -> &'static str {
    TIERS.iter().find(|row| row.tier == tier).map_or("node", |row| row.name)
}

/// Refuses a path that no task plans.
pub(super) fn refuse_path(path: &str) -> Result<(), ChangeError> {
    let hint = "write a path, or a sound pattern, that starts at the project's root";
    path_problem(path).map_or(Ok(()), |why| Err(ChangeError::refused(format!("`{}` {why}", text(path)), hint)))
}

fn refuse_unfit(new: &NewNode) -> Result<(), ChangeError> {
    if text(&new.intent).is_empty() {
        return Err(ChangeError::refused("a node needs an intent", "add a few words on its purpose"));
    }
    new.artifacts.iter().try_for_each(|path| refuse_path(path))?;
    if new.tier == 3 && new.test_refs.is_empty() {
        return Err(ChangeError::refused(
            "a story needs a test",
            "add --test-ref FILE::NAME (in an outline: `- test: FILE::NAME`); the file may be written later",
        ));
    }
    if new.tier < 4 && !new.depends_on.is_empty() {
        let what = format!("a {} waits for nothing by itself", tier_name(new.tier));
        return Err(ChangeError::refused(what, "let its tasks depend on what must be done first"));
    }
    Ok(())
}

fn own_id(tree: &Tree, new: &NewNode, id: &str) -> Result<String, ChangeError> {
    // What is before `_` is the id in a folder's name.
    if new.tier != 2 || !is_node_id(id) || id.contains('_') {
        let hint = "letters, digits, `-` and `.`, and only a feature has an id of its own choice";
        return Err(ChangeError::refused(format!("`{}` cannot be the id", text(id)), hint));
    }
    if tree.knows(id) {
        return Err(ChangeError::refused(format!("{id} exists already"), "take another id"));
    }
    Ok(id.to_owned())
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
    lines.extend(new.budget.map(|tokens| format!("{BUDGET}: {tokens}")));
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

/// A constraint as it is written, `NAME=VALUE`.
///
/// # Errors
/// With what is wrong with it.
pub fn constraint_of(written: &str) -> Result<(String, String), String> {
    let (name, value) = written.split_once('=').ok_or("write NAME=VALUE")?;
    let Some((_, kind)) = CONSTRAINTS.iter().find(|(known, _)| *known == name) else {
        let known: Vec<&str> = CONSTRAINTS.iter().map(|(name, _)| *name).collect();
        return Err(format!("the names are {}", known.join(", ")));
    };
    if let Some(problem) = pattern_problem(value).filter(|_| kind.takes_a_pattern()) {
        return Err(format!("the pattern {problem}"));
    }
    Ok((name.to_owned(), value.to_owned()))
}

/// Values by their name, in the order in which the names came.
pub fn together(constraints: &[(String, String)]) -> Vec<(String, Vec<String>)> {
    let mut sets: Vec<(String, Vec<String>)> = Vec::new();
    for (name, value) in constraints {
        match sets.iter_mut().find(|(known, _)| known == name) {
            Some((_, values)) => values.push(value.clone()),
            None => sets.push((name.clone(), vec![value.clone()])),
        }
    }
    sets
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
