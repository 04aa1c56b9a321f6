//! Where the nodes of a plan tree lie. Folders are walked as far as a question needs, files are read when a fact asks
//! for them.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    rc::Rc,
};

use super::{
    active::Active,
    fields,
    files::{self, FolderEntry},
    id,
};
use crate::front_matter::{FrontMatter, Trouble};

/// The most entries of folders that are looked at.
const MOST_ENTRIES: usize = 2_000;
/// The most entries of one folder, so that none uses up what the others need.
const MOST_IN_FOLDER: usize = 1_000;
/// The most files that are read.
const MOST_READ: usize = 256;
/// The most text that is read, all files together.
const MOST_BYTES: usize = 1024 * 1024;
/// How many folders below the plan's own a node's folder may lie.
pub const DEEPEST: u8 = 8;
/// The id of the mission, which there is one of and which has no slug.
pub const MISSION: &str = "MISSION";
/// The mission's file in the folder of the plan.
pub const MISSION_FILE: &str = "mission.md";

/// A folder that holds nodes of one tier.
pub struct Level {
    /// The folder with the nodes of this level in the flat layout.
    pub folder: &'static str,
    /// The file of a node that is a folder.
    pub spec: &'static str,
    /// The tier of its nodes: 1 an initiative, 4 a task.
    pub tier: u8,
    /// The levels inside a node's folder, as rows of [`LEVELS`].
    pub below: &'static [usize],
}

/// Every level, a row each.
#[rustfmt::skip]
pub const LEVELS: &[Level] = &[
    Level { folder: "features",    spec: "feature.md",    tier: 2, below: &[1, 2] },
    Level { folder: "subfeatures", spec: "feature.md",    tier: 2, below: &[1, 2] },
    Level { folder: "stories",     spec: "story.md",      tier: 3, below: &[3] },
    Level { folder: "tasks",       spec: "task.md",       tier: 4, below: &[] },
    Level { folder: "initiatives", spec: "initiative.md", tier: 1, below: &[] },
];
/// The levels at the root of the tree: the few initiatives first, or a crowd of stories would hide them.
pub const ROOTS: &[usize] = &[4, 0];

/// Where a node is. Its name is its folder's or, in the flat layout, its file's: `ID` or `ID_slug`.
pub struct NodePlace {
    name: String,
    /// The folder that holds the node's folder or file.
    folder: Rc<Path>,
    /// The file inside the node's folder; none in the flat layout.
    spec: Option<&'static str>,
    /// Its tier; 0 is the mission's.
    pub tier: u8,
    /// The node whose folder it is in.
    within: Option<usize>,
    /// The topmost feature that it belongs to.
    pub feature: Option<usize>,
}

impl NodePlace {
    fn carries(&self, id: &str) -> bool {
        if self.tier == 0 { id == MISSION } else { id::carries(&self.name, id) }
    }

    /// The id that the name carries, for a file that states none.
    fn carried_id(&self) -> Option<&str> {
        if self.tier == 0 { Some(MISSION) } else { id::carried_by(&self.name) }
    }

    fn file(&self) -> PathBuf {
        match self.spec {
            Some(spec) => self.folder.join(&self.name).join(spec),
            None => self.folder.join(format!("{}.md", self.name)),
        }
    }
}

/// A folder still to be walked.
struct OpenFolder {
    folder: PathBuf,
    level: usize,
    depth: u8,
    within: Option<usize>,
    feature: Option<usize>,
}

/// The places of a tree as far as it was walked, and what was read of them.
pub struct Survey<'a> {
    active: &'a Active,
    places: Vec<NodePlace>,
    /// The next one last.
    steps: Vec<OpenFolder>,
    entries_left: usize,
    /// None where the file has no front matter that can be read.
    read: BTreeMap<usize, Option<Rc<FrontMatter>>>,
    files_left: usize,
    bytes_left: usize,
}

impl<'a> Survey<'a> {
    /// Begins at the tree's root. The active branch is walked first, so that a bound cuts off what is far away.
    pub fn of(root: &Path, active: &'a Active) -> Self {
        Self {
            active,
            places: Vec::from_iter(mission(root)),
            steps: ROOTS.iter().rev().map(|level| OpenFolder::at_root(root, *level)).collect(),
            entries_left: MOST_ENTRIES,
            read: BTreeMap::new(),
            files_left: MOST_READ,
            bytes_left: MOST_BYTES,
        }
    }

    /// The place of the node with this id. A file that states another id is not it.
    pub fn locate(&mut self, id: &str) -> Option<usize> {
        let mut next = 0;
        loop {
            if let Some(place) = (next..self.places.len()).find(|place| self.is_at(*place, id)) {
                return Some(place);
            }
            next = self.places.len();
            if !self.advance() {
                return None;
            }
        }
    }

    /// A place that was found.
    pub fn place(&self, place: usize) -> Option<&NodePlace> {
        self.places.get(place)
    }

    /// All places of the tree that are so.
    pub fn all(&mut self, is: impl Fn(&NodePlace) -> bool) -> Vec<usize> {
        while self.advance() {}
        (0..self.places.len()).filter(|index| self.places.get(*index).is_some_and(&is)).collect()
    }

    /// The node's id: as its file states it, else as its name does.
    pub fn id(&mut self, place: usize) -> Option<String> {
        let stated = self.field(place, |front| fields::id(front, "id"));
        stated.or_else(|| self.places.get(place)?.carried_id().map(str::to_owned))
    }

    /// Whether there is a node: a folder without its file, or a file without front matter, is none.
    pub fn is_node(&mut self, place: usize) -> bool {
        self.front(place).is_some()
    }

    /// Whether the node's front matter holds any of these words at all.
    pub fn mentions(&mut self, place: usize, words: &[&str]) -> bool {
        self.front(place).is_some_and(|front| front.mentions(words))
    }

    /// The id of the node above: as the file states it, else the node in whose folder this one is.
    pub fn parent_id(&mut self, place: usize) -> Option<String> {
        match self.field(place, |front| fields::id(front, "parent")) {
            None => self.places.get(place)?.within.and_then(|within| self.id(within)),
            stated => stated,
        }
    }

    /// The nodes above, nearest first. The mission is above everything, whether or not the chain names it.
    pub fn ancestors(&mut self, place: usize) -> Vec<usize> {
        let mut chain = vec![place];
        while chain.len() <= usize::from(DEEPEST) {
            let Some(above) = self.above(chain.last().copied().unwrap_or(place)) else { break };
            if chain.contains(&above) {
                break;
            }
            chain.push(above);
        }
        chain.remove(0);
        let mission = self.places.iter().position(|place| place.tier == 0);
        chain.extend(mission.filter(|mission| *mission != place && !chain.contains(mission)));
        chain
    }

    /// The places beside this one: the same folder, which was walked as a whole when the place was found.
    pub fn beside(&self, place: usize) -> Vec<usize> {
        let Some(own) = self.places.get(place) else { return Vec::new() };
        let beside = |(index, other): (usize, &NodePlace)| {
            (index != place && other.within == own.within && other.tier == own.tier).then_some(index)
        };
        self.places.iter().enumerate().filter_map(beside).collect()
    }

    /// A field of the node's file; what cannot be read is as if it were missing.
    pub fn field<T>(
        &mut self,
        place: usize,
        read: impl FnOnce(&FrontMatter) -> Result<Option<T>, Trouble>,
    ) -> Option<T> {
        let front = self.front(place)?;
        read(&front).unwrap_or_default()
    }

    /// Walks one more folder. False when there is none.
    fn advance(&mut self) -> bool {
        let Some(step) = self.steps.pop() else { return false };
        let mut entries = files::list(&step.folder, self.entries_left.min(MOST_IN_FOLDER));
        self.entries_left -= entries.len().min(self.entries_left);
        entries.sort_unstable_by(|a, b| id::natural_order(&a.name, &b.name));
        entries.sort_by_cached_key(|entry| !is_active(&entry.name, self.active));
        let folder: Rc<Path> = Rc::from(step.folder.as_path());
        let mut below = Vec::new();
        for entry in entries {
            below.extend(step.visit(entry, &folder, &mut self.places));
        }
        self.steps.extend(below.into_iter().rev());
        true
    }

    fn is_at(&mut self, place: usize, id: &str) -> bool {
        self.places.get(place).is_some_and(|place| place.carries(id))
            && self.field(place, |front| fields::id(front, "id")).is_none_or(|stated| stated == id)
    }

    fn above(&mut self, place: usize) -> Option<usize> {
        match self.field(place, |front| fields::id(front, "parent")) {
            Some(parent) => self.locate(&parent),
            None => self.places.get(place)?.within,
        }
    }

    fn front(&mut self, place: usize) -> Option<Rc<FrontMatter>> {
        if let Some(known) = self.read.get(&place) {
            return known.clone();
        }
        let front = self.load(place).map(Rc::new);
        self.read.insert(place, front.clone());
        front
    }

    fn load(&mut self, place: usize) -> Option<FrontMatter> {
        if self.files_left == 0 || self.bytes_left == 0 {
            return None;
        }
        self.files_left -= 1;
        let text = files::front_text(&self.places.get(place)?.file()).ok()?;
        self.bytes_left = self.bytes_left.saturating_sub(text.len());
        FrontMatter::of(&text).ok()
    }
}

impl OpenFolder {
    fn at_root(root: &Path, level: usize) -> Self {
        let folder = LEVELS.get(level).map_or_else(PathBuf::new, |level| root.join(level.folder));
        Self { folder, level, depth: 1, within: None, feature: None }
    }

    /// Notes the node that an entry is, and returns the folders inside it.
    fn visit(&self, entry: FolderEntry, folder: &Rc<Path>, places: &mut Vec<NodePlace>) -> Vec<Self> {
        let Some(level) = LEVELS.get(self.level) else { return Vec::new() };
        let spec = entry.is_folder.then_some(level.spec);
        let Some(name) = node_name(entry) else { return Vec::new() };
        let index = places.len();
        let feature = self.feature.or((level.tier == 2).then_some(index));
        let below = if spec.is_some() { self.inside(&name, level, index, feature) } else { Vec::new() };
        places.push(NodePlace {
            name,
            folder: Rc::clone(folder),
            spec,
            tier: level.tier,
            within: self.within,
            feature,
        });
        below
    }

    fn inside(&self, name: &str, level: &Level, node: usize, feature: Option<usize>) -> Vec<Self> {
        if self.depth + 2 >= DEEPEST {
            return Vec::new();
        }
        let step = |level: &usize| {
            let folder = self.folder.join(name).join(LEVELS.get(*level)?.folder);
            Some(Self { folder, level: *level, depth: self.depth + 2, within: Some(node), feature })
        };
        level.below.iter().filter_map(step).collect()
    }
}

/// The name of the node that an entry is, if it is one.
pub fn node_name(mut entry: FolderEntry) -> Option<String> {
    if !entry.is_folder {
        entry.name.truncate(entry.name.strip_suffix(".md")?.len());
    }
    id::carried_by(&entry.name)?;
    Some(entry.name)
}

/// The place of the mission: a folder of its own, or a file in the flat layout.
pub fn mission(root: &Path) -> Option<NodePlace> {
    let folder = root.join("mission");
    let spec = if files::is_folder(&folder) && files::is_file(&folder.join(MISSION_FILE)) {
        Some(MISSION_FILE)
    } else {
        files::is_file(&root.join(MISSION_FILE)).then_some(None)?
    };
    let name = "mission".to_owned();
    Some(NodePlace { name, folder: Rc::from(root), spec, tier: 0, within: None, feature: None })
}

fn is_active(name: &str, active: &Active) -> bool {
    let name = name.strip_suffix(".md").unwrap_or(name);
    active.ids().any(|id| id::carries(name, id))
}
