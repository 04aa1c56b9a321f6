//! Settling what a merge of two clones left: one page with both sides, two nodes of one id.

use std::path::{Path, PathBuf};

use super::disk;
use super::document::{Document, yaml_list};
use super::editor::{Change, Draft, Editor};
use super::error::ChangeError;
use super::node::Node;
use super::pending::FileChange;
use crate::front_matter::FrontMatter;
use crate::history::{Body, StateChange};
use crate::model::NodeStatus;
use crate::plan::{fields, files};

/// The most files of a node's folder that are moved with it.
const MOST_MOVED: usize = 2_000;

/// A side of a merge that could not be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MergeSide {
    /// What was here.
    Mine,
    /// What came.
    Theirs,
}

impl MergeSide {
    /// A text with this side alone; None where a merge left no marks in it.
    pub(super) fn of(self, text: &str) -> Option<String> {
        let mut kept = String::with_capacity(text.len());
        // What is listed behind the front matter grows at its end: of the other side its items stay.
        let (mut inside, mut found, mut others) = (None, false, String::new());
        let (mut fences, mut before) = (0, 0);
        for line in text.split_inclusive('\n') {
            inside = match (inside, line.get(..7)) {
                (None, Some("<<<<<<<")) => {
                    before = fences;
                    Some(Some(Self::Mine))
                }
                // What both began from.
                (Some(_), Some("|||||||")) => Some(None),
                (Some(_), Some("=======")) => {
                    fences = before;
                    Some(Some(Self::Theirs))
                }
                (Some(_), Some(">>>>>>>")) => {
                    kept.push_str(&std::mem::take(&mut others));
                    None
                }
                _ => {
                    fences += usize::from(line.trim_end() == "---");
                    match inside {
                        None => kept.push_str(line),
                        Some(Some(side)) if side == self => kept.push_str(line),
                        Some(Some(_)) if fences > 1 && line.starts_with("- ") => others.push_str(line),
                        Some(_) => {}
                    }
                    continue;
                }
            };
            found = true;
        }
        (found && inside.is_none()).then_some(kept)
    }
}

/// What both sides of a page say of its node, for people; None where a merge left no marks in it.
pub(super) fn both_sides(page: &str) -> Option<String> {
    let described = |side: MergeSide| {
        let front = FrontMatter::of(&side.of(page)?).ok()?;
        let status = fields::status(&front).ok().flatten().map_or("without a status", NodeStatus::as_str);
        let holder = fields::word(&front, "claimed_by").ok().flatten();
        Some(format!("{status}{}", holder.map(|holder| format!(" by {holder}")).unwrap_or_default()))
    };
    Some(format!("mine is {}, theirs is {}", described(MergeSide::Mine)?, described(MergeSide::Theirs)?))
}

impl Editor {
    /// Takes one side of a page in which a merge left both.
    ///
    /// # Errors
    /// When there is no such node, its page is not in conflict, or a file cannot be written.
    pub fn settle(&mut self, id: &str, side: MergeSide, now: &str) -> Result<Change, ChangeError> {
        let mut draft = self.draft("settle", id, now);
        let node = self.known(id)?;
        let before = disk::whole(&node.file).map_err(|error| ChangeError::unread(&node.file, &error))?;
        let text = String::from_utf8_lossy(&before);
        let Some(after) = side.of(&text) else {
            let what = format!("the page of {id} has no marks of a merge conflict");
            return Err(ChangeError::refused(what, format!("failwise plan show {id} tells what it is")));
        };
        // What was done on the other side was done: no revision goes back.
        let revision = |side: MergeSide| {
            let front = FrontMatter::of(&side.of(&text)?).ok()?;
            fields::count(&front, "revision").ok().flatten()
        };
        let highest = revision(MergeSide::Mine).max(revision(MergeSide::Theirs));
        let mut after = after.into_bytes();
        if let Some(highest) = highest.filter(|highest| revision(side) < Some(*highest))
            && let Some(mut document) = Document::of(after.clone())
        {
            document.set("revision", &highest.to_string());
            after = document.into_bytes();
        }
        let after = Some(after);
        draft.restore(id, FileChange { file: node.file.clone(), before: Some(before), after });
        self.make(draft)
    }

    /// Gives a node the next free id, and changes every page that names it. Where two nodes carry the id, the later one in
    /// the tree gets the new one: what is in its folder follows, and of the others what is nearer to it in the tree or came
    /// into the plan with it.
    ///
    /// # Errors
    /// When there is no such node, its id is of no family of numbers, or a file cannot be written.
    pub fn renumber(&mut self, id: &str, now: &str) -> Result<Change, ChangeError> {
        let twins: Vec<&Node> = self.tree().nodes().filter(|node| node.id == id).collect();
        let Some(node) = twins.last().copied() else { return Err(ChangeError::Missing { id: id.to_owned() }) };
        if node.tier == 0 {
            return Err(ChangeError::refused(format!("{id} is the only one of its kind"), "it keeps its id"));
        }
        let mut counters = self.tree().counters.clone();
        let new = self.next_id(node.tier, &mut counters, now);
        let mut draft = self.draft("renumber", &new, now);
        // A folder that moves takes its checkpoints out of reach.
        draft.keeps = false;
        let is_only = twins.len() == 1;
        let folder = node.folder().map_or_else(|| node.file.clone(), Path::to_owned);
        let target = renamed(&folder, id, &new)?;
        let mut pages: Vec<&Node> = Vec::new();
        for other in self.tree().nodes() {
            let is_inside = other.file.starts_with(&folder);
            let names_it = other.parent.as_deref() == Some(id)
                || other.depends_on.iter().chain(&other.children).any(|named| named == id)
                || other.freeze.by_ancestor.as_deref() == Some(id);
            if std::ptr::eq(other, node) || is_inside || (names_it && (is_only || means_twin(other, node, &twins))) {
                pages.push(other);
            }
        }
        for page in pages {
            rewrite(&mut draft, page, (id, &new), (&folder, &target), std::ptr::eq(page, node))?;
        }
        for file in others_in(&folder) {
            if self.tree().nodes().all(|node| node.file != file) {
                let bytes = disk::whole(&file).map_err(|error| ChangeError::unread(&file, &error))?;
                let moved = target.join(file.strip_prefix(&folder).unwrap_or(&file));
                draft.others.push(FileChange { file: moved, before: None, after: Some(bytes.clone()) });
                draft.others.push(FileChange { file, before: Some(bytes), after: None });
            }
        }
        let change = Some(StateChange::status(None, node.status));
        draft.tell(&new, Body::StateChanged { change, reason: Some(format!("renumbered, was {id}")) });
        if is_only {
            let change = Some(StateChange::status(node.status, None));
            draft.tell(id, Body::StateChanged { change, reason: Some(format!("renumbered, is {new}")) });
        }
        draft.counters = Some(counters);
        self.make(draft)
    }
}

/// Whether a page that names the id of several nodes means this one: no other is as near to it in the tree and, of those
/// that are, no other came into the plan in the same change.
fn means_twin(page: &Node, node: &Node, twins: &[&Node]) -> bool {
    let near = |twin: &Node| page.file.components().zip(twin.file.components()).take_while(|(a, b)| a == b).count();
    let made = page.field("created_at");
    let fit = |twin: &Node| (near(twin), made.is_some() && twin.field("created_at") == made);
    twins.iter().all(|twin| std::ptr::eq(*twin, node) || fit(twin) < fit(node))
}

/// A page with the new id in the place of the old one, moved where its folder moves.
fn rewrite(
    draft: &mut Draft<'_>,
    page: &Node,
    (id, new): (&str, &str),
    (folder, target): (&Path, &Path),
    is_it: bool,
) -> Result<(), ChangeError> {
    let before = disk::whole(&page.file).map_err(|error| ChangeError::unread(&page.file, &error))?;
    let after = renamed_page(page, before.clone(), (id, new), is_it)?;
    match page.file.strip_prefix(folder) {
        Ok(rest) => {
            let moved = if rest.as_os_str().is_empty() { target.to_owned() } else { target.join(rest) };
            draft.restore(&page.id, FileChange { file: page.file.clone(), before: Some(before), after: None });
            let now_called = if is_it { new } else { &page.id };
            draft.create(now_called, moved, after);
        }
        Err(_) => {
            draft.restore(&page.id, FileChange { file: page.file.clone(), before: Some(before), after: Some(after) });
        }
    }
    Ok(())
}

/// A page with the new id wherever its front matter names the old one.
fn renamed_page(page: &Node, before: Vec<u8>, (id, new): (&str, &str), is_it: bool) -> Result<Vec<u8>, ChangeError> {
    let what = || format!("{} has no front matter that can be changed", page.file.display());
    let document = Document::of(before);
    let mut document = document.ok_or_else(|| ChangeError::refused(what(), "fix the file"))?;
    if is_it {
        document.set("id", new);
    }
    for (key, value) in [("parent", page.parent.as_deref()), ("frozen_by_ancestor", page.freeze.by_ancestor.as_deref())]
    {
        if value == Some(id) && !is_it {
            document.set(key, new);
        }
    }
    for (key, ids) in [("depends_on", &page.depends_on), ("children", &page.children)] {
        if ids.iter().any(|named| named == id) {
            let ids = ids.iter().map(|named| if named == id { new } else { named });
            document.set(key, &yaml_list(ids));
        }
    }
    document.set("revision", &page.next_revision().to_string());
    Ok(document.into_bytes())
}

/// The folder or file of a node under its new id.
fn renamed(path: &Path, id: &str, new: &str) -> Result<PathBuf, ChangeError> {
    let name = path.file_name().and_then(|name| name.to_str());
    let rest = name.and_then(|name| name.strip_prefix(id));
    let Some(rest) = rest else {
        let what = format!("{} is not named after {id}", path.display());
        return Err(ChangeError::refused(what, "change the id in its page by hand"));
    };
    let target = path.with_file_name(format!("{new}{rest}"));
    if disk::exists(&target) {
        return Err(ChangeError::refused(format!("{} exists already", target.display()), "move it away"));
    }
    Ok(target)
}

/// The files of a node's folder that a clone shares: no checkpoints, and nothing behind a link.
fn others_in(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in files::list(&folder, MOST_MOVED) {
            let path = folder.join(&entry.name);
            match entry.is_folder {
                true if entry.name != "checkpoints" => open.push(path),
                false if found.len() < MOST_MOVED => found.push(path),
                _ => {}
            }
        }
    }
    found
}
