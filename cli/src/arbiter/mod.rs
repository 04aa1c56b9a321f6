//! Finds, arbitrates and resolves conflicts in a project, as `conflicts` decides. An edge: it joins the plan tree, the log
//! of conflicts, the history and git.

mod desk;
mod fit;
mod log;
mod resolve;
mod scan;

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use desk::{ArbiterDesk, DeskTopic};
pub use log::ConflictLog;
pub use resolve::PersonChoice;
pub use scan::{Detected, Scan};

use crate::conflicts::board::{Board, NodeHistories, Task, relative};
use crate::conflicts::overlap::NodeWork;
use crate::git::Worktree;
use crate::history::{Line, parse};
use crate::journal::{HISTORY, read_lines};
use crate::model::Ids;
use crate::plan::edit::{Node, Tree};

/// Where conflicts are looked for, and who asks.
#[derive(Debug, Clone)]
pub struct ConflictScene<'a> {
    /// The project's folder.
    pub project: &'a Path,
    /// The plan tree.
    pub plans: &'a Path,
    /// The folder of the project's history.
    pub history: &'a Path,
    /// Path patterns that conflicts do not count, by the project's settings.
    pub ignored: &'a [String],
    /// The time, RFC 3339 UTC.
    pub now: &'a str,
    /// Who asks.
    pub ids: Ids,
}

/// What is known of the nodes at one moment.
struct KnownNodes {
    board: Board,
    past: NodeHistories,
    /// The folder below each worktree's root that the project is.
    prefix: PathBuf,
    /// The folders that a path may be relative to.
    folders: Vec<String>,
}

impl KnownNodes {
    /// Of the nodes that are not `compared` what they plan is left out.
    fn of(scene: &ConflictScene<'_>, tree: &Tree, compared: impl Fn(&Node) -> bool) -> Self {
        let past = past(scene.history);
        let prefix = Worktree::at(scene.project).and_then(|worktree| worktree.prefix()).unwrap_or_default();
        let mut folders: Vec<String> = past
            .worktrees()
            .map(|root| Path::new(root).join(&prefix).to_string_lossy().trim_end_matches('/').to_owned())
            .collect();
        folders.push(scene.project.to_string_lossy().into_owned());
        folders.sort_unstable();
        folders.dedup();
        let board = Board::of(tree.nodes().map(|node| task(node, &past, &folders, compared(node))));
        Self { board, past, prefix, folders }
    }

    /// The folder that a node worked in: its own worktree, else the project.
    fn folder_of(&self, node: &str, project: &Path) -> PathBuf {
        match self.past.of(node).and_then(|past| past.worktree.as_deref()) {
            Some(root) => Path::new(root).join(&self.prefix),
            None => project.to_owned(),
        }
    }
}

fn task(node: &Node, past: &NodeHistories, folders: &[String], is_compared: bool) -> Task {
    let past = past.of(&node.id);
    let planned = if is_compared { Arc::clone(node.planned()) } else { Arc::default() };
    let changed = past.into_iter().flat_map(|past| &past.changed).filter_map(|path| relative(path, folders));
    Task {
        id: node.id.clone(),
        parent: node.parent.clone(),
        status: node.status,
        depends_on: node.depends_on.clone(),
        work: NodeWork { planned, changed: changed.map(str::to_owned).collect() },
        began: past.and_then(|past| past.began),
    }
}

/// What the history tells; nothing where there is none yet.
fn past(history: &Path) -> NodeHistories {
    let mut past = NodeHistories::default();
    // A history that cannot be read tells nothing: then less is automatic.
    let _ = read_lines(&history.join(HISTORY), |_, line| {
        if let Line::Event(event) = parse(line) {
            past.step(&event);
        }
    });
    past
}
