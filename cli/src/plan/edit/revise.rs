//! Changing what a node plans, and telling the nodes above it what was found out.

use super::document::{yaml, yaml_list};
use super::editor::{Change, Editor, text};
use super::error::ChangeError;
use super::grow::{refuse_path, together};
use super::tree::Tree;
use super::validate::{named_tests, tests_in};
use super::{
    checkpoint, disk,
    node::{BUDGET, Node},
};
use crate::conflicts::overlap::PlannedPaths;
use crate::history::{Body, StateChange};

/// The heading of what was found out below a node.
const DISCOVERIES: &str = "## Discoveries";

/// What is to change of a node. What is empty stays as it is.
#[derive(Debug, Clone, Default)]
pub struct NodeEdit {
    /// What it is for.
    pub intent: Option<String>,
    /// Files that it plans as well.
    pub artifacts: Vec<String>,
    /// Tests that prove it as well.
    pub test_refs: Vec<String>,
    /// What binds it as well: names and values.
    pub constraints: Vec<(String, String)>,
    /// How many tokens its work may take; 0 takes the budget away.
    pub budget: Option<u32>,
    /// Files that it no longer plans.
    pub dropped_artifacts: Vec<String>,
    /// Tests that no longer prove it.
    pub dropped_test_refs: Vec<String>,
    /// What no longer binds it.
    pub dropped_constraints: Vec<(String, String)>,
}

impl Editor {
    /// Changes what a node plans.
    ///
    /// # Errors
    /// When there is no such node, it is closed, it lacks what is to be dropped, or a file cannot be written.
    pub fn edit(&mut self, id: &str, edit: &NodeEdit, now: &str) -> Result<Change, ChangeError> {
        let node = self.known(id)?;
        if let Some(status) = node.status.filter(|status| status.is_closed()) {
            let hint = "failwise plan add plans new work";
            return Err(ChangeError::refused(format!("{id} is {status}, and keeps what it was"), hint));
        }
        let mut draft = self.draft("edit", id, now);
        if let Some(intent) = &edit.intent {
            let intent = text(intent);
            if intent.is_empty() {
                return Err(ChangeError::refused("a node needs an intent", "add a few words on its purpose"));
            }
            draft.edit(node, &[("intent", Some(yaml(&intent)))])?;
        }
        if let Some(tokens) = edit.budget {
            if node.tier < 2 {
                return Err(ChangeError::refused(format!("{id} has no budget"), "a feature, story or task has one"));
            }
            draft.edit(node, &[(BUDGET, (tokens > 0).then(|| tokens.to_string()))])?;
        }
        if !edit.artifacts.is_empty() || !edit.dropped_artifacts.is_empty() {
            draft.edit(node, &[("artifacts", edited_artifacts(node, edit)?)])?;
        }
        if !edit.constraints.is_empty() || !edit.dropped_constraints.is_empty() {
            draft.edit(node, &[("constraints", edited_constraints(node, edit)?)])?;
        }
        if !edit.test_refs.is_empty() || !edit.dropped_test_refs.is_empty() {
            let tests = remaining_tests(node, edit)?;
            draft.rewrite(node, |document| {
                document.drop_lines(|line| {
                    let named: Vec<&str> = tests_in(line).collect();
                    matches!(named.as_slice(), [one] if edit.dropped_test_refs.iter().any(|test| test == one))
                });
                for test in edit.test_refs.iter().filter(|test| !tests.contains(test)) {
                    document.append("acceptance:", &format!("- test_ref: {}", text(test)));
                }
            })?;
        }
        draft.tell(id, Body::StateChanged { change: Some(StateChange::Other("edited".to_owned())), reason: None });
        self.make(draft)
    }

    /// Writes what was found out in a node into the feature above it, or into another node above it.
    ///
    /// # Errors
    /// When there is no such node, none to tell above it, or a file cannot be written.
    pub fn promote(&mut self, id: &str, note: &str, to: Option<&str>, now: &str) -> Result<Change, ChangeError> {
        self.known(id)?;
        let note = text(note);
        if note.is_empty() {
            return Err(ChangeError::refused("there is nothing to tell", "add --note TEXT"));
        }
        let above = self.tree().ancestors(id);
        let target = above.iter().find(|above| to.map_or(above.tier == 2, |to| above.id == to));
        let Some(target) = target else {
            let what = to.map_or_else(|| format!("no feature is above {id}"), |to| format!("{to} is not above {id}"));
            let above: Vec<&str> = above.iter().map(|above| &*above.id).collect();
            let hint = match above.as_slice() {
                [] => "name the node below it in which it was found out".to_owned(),
                above => format!("--to names one of {}", above.join(", ")),
            };
            return Err(ChangeError::refused(what, hint));
        };
        let mut draft = self.draft("promote", &target.id, now);
        let day = now.get(..10).unwrap_or(now);
        draft.rewrite(target, |document| document.append(DISCOVERIES, &format!("- {note} ({id}, {day})")))?;
        draft.tell(
            &target.id,
            Body::StateChanged { change: Some(StateChange::Other(format!("{id} found out: {note}"))), reason: None },
        );
        self.make(draft)
    }
}

impl Tree {
    /// What was found out below the nodes above a node, and below itself: each with the node that tells it.
    pub fn discoveries(&self, node: &Node) -> Vec<(String, String)> {
        let chain = std::iter::once(node).chain(self.ancestors(&node.id)).filter(|node| node.tier < 4);
        let mut found = Vec::new();
        for node in chain {
            let Ok(bytes) = disk::whole(&node.file) else { continue };
            let text = String::from_utf8_lossy(&bytes);
            let below = text.lines().skip_while(|line| line.trim_end() != DISCOVERIES).skip(1);
            let notes = below.map_while(|line| line.strip_prefix("- ")).take(MOST_DISCOVERIES);
            found.extend(notes.map(|note| (node.id.clone(), note.to_owned())));
        }
        found
    }

    /// The last changes of a node that can be or were undone: when, and what was done.
    pub fn changes_of(&self, node: &Node) -> Vec<(String, String)> {
        let folder = checkpoint::folder(node, &self.dir);
        let files = [".json", checkpoint::CONSUMED].into_iter().flat_map(|ending| checkpoint::list(&folder, ending));
        let read = files.filter_map(|file| checkpoint::Checkpoint::read(&file)).filter(|one| one.node_id == node.id);
        read.map(|one| (one.saved_at, one.verb)).collect()
    }
}

/// The most notes of one node that are told.
const MOST_DISCOVERIES: usize = 20;

fn lacks(node: &Node, what: &str) -> ChangeError {
    let id = &node.id;
    ChangeError::refused(format!("{id} has no `{}`", text(what)), format!("failwise plan show {id} lists what it has"))
}

/// The field `artifacts` as it is to be; functions that are named stay.
fn edited_artifacts(node: &Node, edit: &NodeEdit) -> Result<Option<String>, ChangeError> {
    let mut planned = node.planned().to_vec();
    for path in &edit.dropped_artifacts {
        let path = path.trim_start_matches("./");
        let at = planned.iter().position(|work| work.path == path).ok_or_else(|| lacks(node, path))?;
        planned.remove(at);
    }
    for path in &edit.artifacts {
        let path = path.trim_start_matches("./");
        refuse_path(path)?;
        if !planned.iter().any(|work| work.path == path) {
            planned.push(PlannedPaths { path: path.to_owned(), functions: Vec::new() });
        }
    }
    let mut block = String::new();
    for PlannedPaths { path, functions } in &planned {
        block.extend(["\n  - path: ", &yaml(path)]);
        if !functions.is_empty() {
            block.extend(["\n    functions: ", &yaml_list(functions.iter().map(String::as_str))]);
        }
    }
    Ok((!block.is_empty()).then_some(block))
}

/// The field `constraints` as it is to be.
fn edited_constraints(node: &Node, edit: &NodeEdit) -> Result<Option<String>, ChangeError> {
    if node.tier > 2 {
        let hint = "set it there; only a mission, an initiative and a feature bind";
        return Err(ChangeError::refused(format!("{} is bound by its feature", node.id), hint));
    }
    let mut set = node.constraints();
    for (name, value) in &edit.dropped_constraints {
        let at = set.iter().position(|(own, known)| own == name && known == value);
        set.remove(at.ok_or_else(|| lacks(node, &format!("{name}={value}")))?);
    }
    let new = edit.constraints.iter().filter(|new| !set.contains(new)).cloned().collect::<Vec<_>>();
    set.extend(new);
    let mut block = String::new();
    for (name, values) in together(&set) {
        block.extend(["\n  ", &name, ": ", &yaml_list(values.iter().map(String::as_str))]);
    }
    Ok((!block.is_empty()).then_some(block))
}

/// The tests that a node names, without those to be dropped.
fn remaining_tests(node: &Node, edit: &NodeEdit) -> Result<Vec<String>, ChangeError> {
    let mut tests: Vec<String> = named_tests(node).into_iter().map(|(_, test)| test).collect();
    let page = disk::whole(&node.file).map_err(|error| ChangeError::unread(&node.file, &error))?;
    let page = String::from_utf8_lossy(&page).into_owned();
    for test in &edit.dropped_test_refs {
        let at = tests.iter().position(|known| known == test).ok_or_else(|| lacks(node, test))?;
        let is_alone = page.lines().any(|line| {
            let mut named = tests_in(line);
            named.next() == Some(test) && named.next().is_none()
        });
        if !is_alone {
            let what = format!("`{}` is not alone in a line of {}", text(test), node.file.display());
            return Err(ChangeError::refused(what, "take it out by hand"));
        }
        tests.remove(at);
    }
    if node.tier == 3 && tests.is_empty() && edit.test_refs.is_empty() {
        return Err(ChangeError::refused("a story needs a test", "add --test-ref FILE::NAME"));
    }
    Ok(tests)
}

#[cfg(test)]
mod tests {
    use super::super::document::Document;

    #[test]
    fn lines_join_their_list_and_the_rest_stays() {
        let put = |page: &str, heading: &str, line: &str| {
            let mut document = Document::of(page.as_bytes().to_vec()).unwrap();
            document.append(heading, line);
            String::from_utf8(document.into_bytes()).unwrap()
        };
        let front = "---\nid: A\n---\n";
        let list = format!("{front}acceptance:\n- test_ref: a\n  more\nEnd\n");
        assert_eq!(put(&list, "acceptance:", "- b"), format!("{front}acceptance:\n- test_ref: a\n  more\n- b\nEnd\n"));
        assert_eq!(put(front, "## D", "- b"), format!("{front}\n## D\n- b\n"));
        assert_eq!(put(&format!("{front}Text"), "## D", "- b"), format!("{front}Text\n\n## D\n- b\n"));
        assert_eq!(put(&format!("{front}## D"), "## D", "- b"), format!("{front}## D\n- b\n"));
        let windows = "---\r\nid: A\r\n---\r\n## D\r\n- a\r\n";
        assert_eq!(put(windows, "## D", "- b"), format!("{windows}- b\r\n"));
        let mut document = Document::of(format!("{front}x\ny\nx\n").into_bytes()).unwrap();
        assert_eq!(document.drop_lines(|line| line.trim_end() == "x"), 2);
        document.set("artifacts", "\n  - path: a");
        assert_eq!(document.into_bytes(), b"---\nid: A\nartifacts:\n  - path: a\n---\ny\n");
    }
}
