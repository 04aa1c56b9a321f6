//! The plan tree: a folder of Markdown files with front matter, one a node, and an `active.json` that says
//! which node is being worked on. Both layouts are read, the flat one and the one in which every node is a folder.
//!
//! A hook reads it through [`PlanTree`], a command through [`edit::Tree`], and [`edit::Editor`] changes it.
//!
//! Whatever the tree holds, a hook's reading is bounded: 2,000 folder entries, 256 files of 64 KiB at most and 1 MiB in all,
//! no symbolic link followed, no id used that is not of a strict character class.

pub mod active;
mod binding;
mod error;
mod facts;
pub mod fields;
pub mod files;
pub mod id;
pub mod survey;

use std::path::{Path, PathBuf};

use crate::model::{NodeStatus, PlanFacts, is_node_id};
use active::{ACTIVE, Active};
pub use binding::Binding;
pub use error::PlanError;
use facts::Among;
use survey::Survey;

/// Who holds a node that was claimed outside of any session.
pub const PERSON: &str = "person";

/// An opened plan tree.
#[derive(Debug)]
pub struct PlanTree {
    dir: PathBuf,
    active: Active,
}

impl PlanTree {
    /// Whether a folder holds a plan tree: its mission's file, or what is left of a tree that lost it.
    pub fn is_in(dir: &Path) -> bool {
        files::is_folder(dir) && (Self::has_mission(dir) || files::is_file(&dir.join(ACTIVE)))
    }

    /// Whether a folder holds a plan's mission, which is written last when a plan is made.
    pub fn has_mission(dir: &Path) -> bool {
        survey::mission(dir).is_some()
    }

    /// Opens the tree in `dir`. Where `active.json` is missing or cannot be read, nothing is known as active.
    ///
    /// # Errors
    /// Where there is no tree.
    pub fn open(dir: &Path) -> Result<Self, PlanError> {
        if !Self::is_in(dir) {
            return Err(PlanError::none_in(dir));
        }
        Ok(Self { dir: dir.to_owned(), active: read_active(dir).unwrap_or_default() })
    }

    /// The id of the active task.
    pub fn active(&self) -> Option<&str> {
        self.active.task()
    }

    /// Whether a node is there and active, claimed by this session, or by somebody who did not say who.
    pub fn is_claimed_by(&self, node_id: &str, session: &str) -> bool {
        let mut survey = Survey::of(&self.dir, &self.active);
        let Some(place) = Some(node_id).filter(|id| is_node_id(id)).and_then(|id| survey.locate(id)) else {
            return false;
        };
        let holder = survey.field(place, |front| fields::word(front, "claimed_by"));
        survey.field(place, fields::status) == Some(NodeStatus::Active)
            && holder.is_none_or(|holder| holder == session || holder == PERSON)
    }

    /// What the tree says of a node. A node that is not in the tree has no facts but its id and its conflict.
    pub fn facts(&self, node_id: &str) -> PlanFacts {
        self.gather(node_id, Among::All)
    }

    /// The same for a failure that implicates `files`: of the files that other stories and features plan only those that have the
    /// name of one of these, so that most of the tree need not be parsed. This is what a hook asks for.
    pub fn facts_about(&self, node_id: &str, files: &[String]) -> PlanFacts {
        self.gather(node_id, Among::Files(files))
    }

    /// The first node above one that binds it and whose page cannot be read, so that nobody knows what it forbids.
    pub fn unread_above(&self, node_id: &str) -> Option<String> {
        let mut survey = Survey::of(&self.dir, &self.active);
        let place = survey.locate(node_id)?;
        let above = survey.ancestors(place).into_iter().find(|above| {
            survey.place(*above).is_some_and(|place| place.tier <= facts::CONSTRAINING_TIER) && !survey.is_node(*above)
        });
        survey.id(above?)
    }

    /// The folder of the tree.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    fn gather(&self, node_id: &str, among: Among<'_>) -> PlanFacts {
        if !is_node_id(node_id) {
            return PlanFacts { node: node_id.to_owned(), ..PlanFacts::default() };
        }
        let mut survey = Survey::of(&self.dir, &self.active);
        let log = files::conflict_log(&self.dir);
        facts::gather(&mut survey, &self.active, &log, node_id, among)
    }
}

fn read_active(dir: &Path) -> Result<Active, PlanError> {
    let file = dir.join(ACTIVE);
    let text = files::read(&file)?;
    Active::parse(&text).map_err(|error| PlanError::json(file, &error))
}
