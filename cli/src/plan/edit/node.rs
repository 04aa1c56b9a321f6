//! One node of the tree, as its file states it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::merged::both_sides;
use super::{checkpoint, disk};
use crate::conflicts::overlap::PlannedPaths;
use crate::decide::tier_budget;
use crate::front_matter::{FrontMatter, Trouble};
use crate::model::{ConstraintKind, NodeStatus, pattern_problem};
use crate::plan::fields::{self, Field};
use crate::plan::id;
use crate::plan::survey::MISSION;

/// The most children of a node that are read.
const MOST_CHILDREN: usize = 2_000;
/// The most nodes that a node depends on that are read.
const MOST_DEPENDENCIES: usize = 256;

/// The field of how many tokens a node's work may take.
pub(super) const BUDGET: &str = "context_budget";

/// One node of the tree.
#[derive(Debug)]
pub struct Node {
    /// Its id.
    pub id: String,
    /// 0 mission, 1 initiative, 2 feature, 3 story, 4 task.
    pub tier: u8,
    /// The node above it, where it names one or is in one's folder.
    pub parent: Option<String>,
    /// What it is. None for the mission, which has no status, and where the word is none.
    pub status: Option<NodeStatus>,
    /// What it is for.
    pub intent: String,
    /// The ids that it lists as its children.
    pub children: Vec<String>,
    /// The nodes that must be done before it.
    pub depends_on: Vec<String>,
    /// How often it was changed.
    pub revision: u32,
    /// How often it may still be replanned.
    pub replans: Replans,
    /// Why it is frozen, where it is.
    pub freeze: Freeze,
    /// The session or subagent that claimed it last.
    pub claimed_by: Option<String>,
    /// Its file.
    pub file: PathBuf,
    /// Whether its file is in a folder of its own.
    pub(super) has_folder: bool,
    pub(super) front: Option<FrontMatter>,
    /// What it plans, once that was asked for.
    pub(super) planned: OnceLock<Arc<[PlannedPaths]>>,
    /// The tests that its page names, each with its line, once that is known.
    pub(super) tests: OnceLock<Vec<(usize, String)>>,
    /// Whether nothing is where its checkpoints would be, once that was asked for.
    unkept: OnceLock<bool>,
    /// What of it cannot be written, once that was asked for.
    unwritable: OnceLock<Option<(PathBuf, std::io::ErrorKind)>>,
    /// What is wrong with its fields.
    pub(super) troubles: Vec<Trouble>,
}

/// How often a node may be replanned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replans {
    /// What is left.
    pub remaining: u32,
    /// What a thaw restores.
    pub total: u32,
}

/// The fields of a frozen node.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Freeze {
    /// Why.
    pub reason: Option<String>,
    /// The node whose freeze took this one with it.
    pub by_ancestor: Option<String>,
    /// The conflict that has to be resolved first.
    pub conflict: Option<String>,
}

impl Node {
    /// The revision after one more change; the highest that there is stays.
    pub(super) fn next_revision(&self) -> u32 {
        self.revision.saturating_add(1)
    }

    /// Reads a node of this name and file, and whether that has a folder of its own. What cannot be read is kept as a
    /// trouble, and the field is as if it were missing.
    pub(super) fn of(
        name: &str,
        (file, has_folder): (PathBuf, bool),
        tier: u8,
        front: Result<FrontMatter, Trouble>,
        above: Option<&str>,
    ) -> Self {
        let mut troubles = Vec::new();
        let front = front.map_err(|trouble| troubles.push(trouble)).ok();
        if let Some(line) = front.as_ref().and_then(FrontMatter::conflict) {
            let page = front.as_ref().map(FrontMatter::page).unwrap_or_default();
            let sides = both_sides(&page).map(|sides| format!(": {sides}")).unwrap_or_default();
            let what = format!("it has the marks of a merge conflict{sides}");
            troubles.push(Trouble { line, what });
        }
        let mut read = FieldReader { front: front.as_ref(), troubles: &mut troubles };
        let carried = if tier == 0 { Some(MISSION) } else { id::carried_by(name) };
        let id = read.field(fields::id, "id").or_else(|| carried.map(str::to_owned)).unwrap_or_default();
        let stated = read.field(fields::count, "tier");
        let tier = stated.and_then(|tier| u8::try_from(tier).ok()).filter(|tier| *tier <= 4).unwrap_or(tier);
        let parent = read.field(fields::id, "parent").or_else(|| above.map(str::to_owned));
        let status = read.field(fields::word, "status").as_deref().and_then(NodeStatus::from_word);
        // What binds other nodes is reported here, where it is written.
        read.field(sound_constraints, "constraints");
        let node = Self {
            tier,
            parent: parent.filter(|_| tier > 0),
            status: status.filter(|_| tier > 0),
            intent: read.field(fields::word, "intent").unwrap_or_default(),
            children: read.field(|front, key| fields::ids(front, key, MOST_CHILDREN), "children").unwrap_or_default(),
            depends_on: read
                .field(|front, key| fields::ids(front, key, MOST_DEPENDENCIES), "depends_on")
                .unwrap_or_default(),
            revision: read.field(fields::count, "revision").unwrap_or_default(),
            replans: read.replans(tier),
            freeze: Freeze {
                reason: read.field(fields::word, "freeze_reason"),
                by_ancestor: read.field(fields::id, "frozen_by_ancestor"),
                conflict: read.field(fields::id, "conflict_id"),
            },
            claimed_by: read.field(fields::word, "claimed_by"),
            file,
            has_folder,
            id,
            front: None,
            planned: OnceLock::new(),
            tests: OnceLock::new(),
            unkept: OnceLock::new(),
            unwritable: OnceLock::new(),
            troubles: Vec::new(),
        };
        Self { front, troubles, ..node }
    }

    /// The node that a new file would be.
    pub(super) fn at(file: PathBuf, front: FrontMatter) -> Option<Self> {
        let folder = file.parent()?;
        let name = folder.file_name()?.to_str()?.to_owned();
        Some(Self::of(&name, (file, true), 4, Ok(front), None))
    }

    /// The same node with other front matter.
    pub(super) fn again(&self, front: FrontMatter) -> Self {
        let file = (self.file.clone(), self.has_folder);
        Self::of(&self.id, file, self.tier, Ok(front), self.parent.as_deref())
    }

    /// The files that the node is planned to make or change.
    pub fn artifacts(&self) -> Vec<String> {
        self.planned().iter().map(|work| work.path.clone()).collect()
    }

    /// The constraints that it sets: the name of each and its value.
    pub(super) fn constraints(&self) -> Vec<(String, String)> {
        let set = self.front.as_ref().and_then(|front| fields::constraints(front).ok()).flatten().unwrap_or_default();
        let name = |kind| fields::CONSTRAINTS.iter().find(|(_, known)| *known == kind).map_or("", |(name, _)| *name);
        set.into_iter().map(|(kind, value)| (name(kind).to_owned(), value)).collect()
    }

    /// What it was to do: its id, intent and files.
    pub(super) fn described(&self) -> String {
        let files = self.artifacts();
        let files = if files.is_empty() { String::new() } else { format!(" ({})", files.join(", ")) };
        format!("{} {}{files}", self.id, self.intent)
    }

    /// A field that is one word, for those that only some commands ask for.
    pub fn field(&self, key: &str) -> Option<String> {
        self.front.as_ref().and_then(|front| fields::word(front, key).ok()).flatten()
    }

    /// How many tokens its work may take.
    pub fn budget(&self) -> Option<u32> {
        self.front.as_ref().and_then(|front| fields::count(front, BUDGET).ok()).flatten().filter(|tokens| *tokens > 0)
    }

    /// What is wrong with its file, and in which line: it is not begun before that is fixed.
    pub fn fault(&self) -> Option<(usize, String)> {
        let trouble = self.troubles.first().map(|trouble| (trouble.line.max(1), trouble.what.clone()));
        trouble.or_else(|| Some((self.line("status"), self.wrong_status()?)))
    }

    /// The command that settles what a merge left in its file.
    pub(super) fn settling(&self) -> Option<String> {
        let is_merged = self.front.as_ref().and_then(FrontMatter::conflict).is_some();
        is_merged.then(|| format!("failwise plan claim {} --mine or --theirs", self.id))
    }

    /// What is wrong with its status: only the mission has none.
    pub(super) fn wrong_status(&self) -> Option<String> {
        let is_wrong = self.tier > 0 && self.status.is_none();
        let named = || match self.field("status") {
            Some(word) => format!("`{}` is no status", word.escape_debug()),
            None => "has no status".to_owned(),
        };
        is_wrong.then(named)
    }

    /// The line in which a field is, from 1.
    pub(super) fn line(&self, key: &str) -> usize {
        self.front.as_ref().map_or(1, |front| front.line(key))
    }

    /// Whether it is this.
    pub fn is(&self, status: NodeStatus) -> bool {
        self.status == Some(status)
    }

    /// Whether it has no checkpoints, not even a folder for them.
    pub(super) fn is_unkept(&self, dir: &Path) -> bool {
        let is_gone = |error: std::io::Error| error.kind() == std::io::ErrorKind::NotFound;
        *self.unkept.get_or_init(|| disk::metadata(&checkpoint::folder(self, dir)).is_err_and(is_gone))
    }

    /// Of its page and its checkpoints the file that this user could not write, and why.
    pub(super) fn unwritable(&self, dir: &Path) -> Option<&(PathBuf, std::io::ErrorKind)> {
        let look = || {
            if self.is_unkept(dir) && self.folder().is_some_and(|own| disk::may_write(own).is_ok()) {
                // Before the first checkpoint both are put into one folder.
                return None;
            }
            let next = checkpoint::folder(self, dir).join("next.json");
            let asked = next.parent().filter(|_| self.is_unkept(dir)).unwrap_or(&next);
            match disk::may_put(asked) {
                Ok(()) => disk::may_put(&self.file).err().map(|error| (self.file.clone(), error.kind())),
                Err(error) => Some((next.clone(), error.kind())),
            }
        };
        self.unwritable.get_or_init(look).as_ref()
    }

    /// The folder that belongs to it alone, where it has one.
    pub(super) fn folder(&self) -> Option<&Path> {
        self.file.parent().filter(|_| self.has_folder)
    }
}

/// Reads fields, and notes what is wrong.
struct FieldReader<'a> {
    front: Option<&'a FrontMatter>,
    troubles: &'a mut Vec<Trouble>,
}

impl FieldReader<'_> {
    fn field<T>(&mut self, read: impl Fn(&FrontMatter, &str) -> Result<Option<T>, Trouble>, key: &str) -> Option<T> {
        read(self.front?, key).unwrap_or_else(|trouble| {
            self.troubles.push(trouble);
            None
        })
    }

    /// The budget of replans: the pair of fields that is written today, else the one that older scripts wrote.
    fn replans(&mut self, tier: u8) -> Replans {
        let total = self.field(fields::count, "replan_budget_total");
        let older = self.field(fields::count, "replan_budget");
        let total = total.or(older).unwrap_or(tier_budget(tier));
        let spent = self.field(fields::count, "replan_count").unwrap_or_default();
        let remaining = self.field(fields::count, "replan_budget_remaining");
        Replans { remaining: remaining.unwrap_or(total.saturating_sub(spent)), total }
    }
}

/// What binds other nodes, checked further than a hook does: a pattern of paths that cannot be used would protect nothing.
fn sound_constraints(front: &FrontMatter, key: &str) -> Field<Vec<(ConstraintKind, String)>> {
    let Some(found) = fields::constraints(front)? else { return Ok(None) };
    let mut patterns = found.iter().filter(|(kind, _)| kind.takes_a_pattern());
    match patterns.find_map(|(_, pattern)| Some((pattern, pattern_problem(pattern)?))) {
        Some((pattern, problem)) => {
            Err(fields::wrong(front, key, &format!("has `{}`, which {problem}", pattern.escape_debug())))
        }
        None => Ok(Some(found)),
    }
}

#[cfg(test)]
mod tests {
    use super::sound_constraints;
    use crate::front_matter::FrontMatter;
    use crate::plan::fields::constraints;

    #[test]
    fn a_pattern_that_protects_nothing_is_told_to_commands_and_takes_no_other_with_it() {
        let front = |block: &str| FrontMatter::of(&format!("---\n{block}\n---\n")).unwrap();
        let front = front("id: A\nconstraints:\n  protected_files: [LICENSE, '!x']\n  forbidden_commands: ['! make']");
        let trouble = sound_constraints(&front, "constraints").unwrap_err();
        assert_eq!(trouble.line, 3);
        assert!(trouble.what.starts_with("`constraints` has `!x`, which begins with `!`"), "{}", trouble.what);
        assert_eq!(constraints(&front).unwrap().unwrap().len(), 3, "hooks go on with the others");
    }
}
