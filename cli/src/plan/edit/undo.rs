//! Undoing the last change of a node.

use super::checkpoint::{self, CONSUMED, Checkpoint, KEPT};
use super::disk;
use super::editor::{Change, Draft, Editor};
use super::error::ChangeError;
use super::node::Node;
use super::pending::FileChange;
use crate::front_matter::FrontMatter;
use crate::history::{Body, StateChange};
use crate::model::NodeStatus;

impl Editor {
    /// Undoes the last change of a node, byte for byte, with everything that the same change touched. `force` also
    /// undoes edits made to the files by hand since.
    ///
    /// # Errors
    /// When there is no such node, nothing to undo, a node of the same change was changed again, or a file cannot be
    /// read or written.
    pub fn undo(&mut self, id: &str, force: bool, now: &str) -> Result<Change, ChangeError> {
        let mut draft = self.draft("undo", id, now);
        draft.keeps = false;
        let newest = self
            .newest(id)?
            .ok_or_else(|| ChangeError::refused(format!("nothing to undo for {id}"), "it has no checkpoint left"))?;
        let members = if newest.members.is_empty() { vec![id.to_owned()] } else { newest.members.clone() };
        for member in &members {
            // A member with a newer change cannot go back alone: that change was made on top of this one.
            let checkpoint = self.newest(member)?.filter(|one| one.mutation == newest.mutation);
            let Some(checkpoint) = checkpoint else {
                let what = format!("{member} was changed again since: the {} of {id} cannot be undone", newest.verb);
                let hint = format!("undo that first: failwise plan undo {member}");
                return Err(ChangeError::refused(what, hint));
            };
            self.restore(&mut draft, member, &checkpoint, &newest.verb, force)?;
        }
        draft.candidate = Some(id.to_owned());
        self.make(draft)
    }

    fn restore(
        &self,
        draft: &mut Draft<'_>,
        id: &str,
        checkpoint: &Checkpoint,
        verb: &str,
        force: bool,
    ) -> Result<(), ChangeError> {
        let node = self.known(id)?;
        let now = disk::whole(&node.file).map_err(|error| ChangeError::unread(&node.file, &error))?;
        let by_hand = checkpoint.after.as_ref().is_some_and(|after| *after != checkpoint::digest(&now));
        if by_hand && !force {
            let what = format!("{} was edited by hand since its {verb}", node.file.display());
            return Err(ChangeError::refused(what, "--force undoes that as well"));
        }
        let damaged = || ChangeError::refused(format!("the checkpoint of {id} is damaged"), "fix the file by hand");
        let before = checkpoint.before().map_err(|_| damaged())?;
        let was = before.as_deref().and_then(status_in);
        if was != node.status {
            let change = Some(StateChange::status(node.status, was));
            draft.tell(id, Body::StateChanged { change, reason: Some(format!("the {verb} was undone")) });
        }
        draft.restore(id, FileChange { file: node.file.clone(), before: Some(now), after: before });
        self.consume(draft, node)
    }

    /// The newest checkpoint of a node that was not used yet.
    fn newest(&self, id: &str) -> Result<Option<Checkpoint>, ChangeError> {
        let node = self.known(id)?;
        let Some(file) = checkpoint::unused(node, self.tree().dir()).pop() else { return Ok(None) };
        let damaged = || ChangeError::refused(format!("{} is damaged", file.display()), "delete it to continue");
        Checkpoint::read(&file).ok_or_else(damaged).map(Some)
    }

    /// Puts the newest checkpoint aside as used, and the oldest of those away.
    fn consume(&self, draft: &mut Draft<'_>, node: &Node) -> Result<(), ChangeError> {
        let folder = checkpoint::folder(node, self.tree().dir());
        let Some(file) = checkpoint::unused(node, self.tree().dir()).pop() else { return Ok(()) };
        let read = |file: &std::path::Path| disk::whole(file).map_err(|error| ChangeError::unread(file, &error));
        let mut name = file.clone().into_os_string();
        name.push(CONSUMED);
        let used = std::path::PathBuf::from(name);
        let bytes = read(&file)?;
        draft.others.push(FileChange { file, before: Some(bytes.clone()), after: None });
        let kept = checkpoint::list(&folder, CONSUMED);
        let before = if disk::exists(&used) { Some(read(&used)?) } else { None };
        draft.others.push(FileChange { file: used, before, after: Some(bytes) });
        let too_many = (kept.len() + 1).saturating_sub(KEPT);
        for file in kept.into_iter().take(too_many) {
            draft.others.push(FileChange { before: Some(read(&file)?), file, after: None });
        }
        Ok(())
    }
}

fn status_in(file: &[u8]) -> Option<NodeStatus> {
    let front = FrontMatter::of(&String::from_utf8_lossy(file)).ok()?;
    crate::plan::fields::status(&front).ok().flatten()
}
