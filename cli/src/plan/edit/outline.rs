//! A tree as one outline in Markdown: a heading for each node, a list below it for what the node has. The outline is read
//! whole and checked whole; what it adds is made at once or not at all.
//!
//! TOML is read as the same lines. What is printed is Markdown: there the depth of a heading says which node is below which,
//! so that a story of six tasks is eight short lines.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write;

use toml::de::{DeTable, DeValue};

use super::counters::{FAMILIES, IdCounters, number_of};
use super::editor::{Change, Editor, text};
use super::error::ChangeError;
use super::grow::{NewNode, NewPage, constraint_of, tier_name, together};
use super::node::Node;
use super::tree::Tree;
use super::validate::{Violation, named_tests, path_problem, tests_in};
use crate::front_matter::FrontMatter;
use crate::model::{NodeStatus, is_node_id};
use crate::plan::survey::MISSION;

/// The longest outline that is read, in bytes.
const LONGEST_OUTLINE: u64 = 1024 * 1024;
/// The most nodes that one outline adds. Each of them keeps a checkpoint that names all.
const MOST_NEW: usize = 500;
/// The most values that one node has of a kind.
const MOST_VALUES: usize = 256;
/// The node that everything is below.
pub const ROOT: &str = MISSION;
/// What an outline in TOML has.
const TOML: &str =
    "write `mission = TEXT`, `[[feature]]`, `[[feature.story]]`, `[[feature.story.task]]`, each with `intent = TEXT`";
/// What stands in the list below a heading.
const FIELDS: &str = "`file`, `test`, `after`, `constraint`, `budget`";

/// An outline as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    entries: Vec<OutlineEntry>,
}

/// A heading with its list.
#[derive(Debug, Clone, PartialEq, Eq)]
struct OutlineEntry {
    /// From 1.
    line: usize,
    /// How many `#` it has.
    depth: usize,
    /// The entry above it.
    parent: Option<usize>,
    tier: u8,
    id: Option<String>,
    intent: String,
    files: Vec<String>,
    tests: Vec<String>,
    /// Ids or intents, each with its line.
    after: Vec<(usize, String)>,
    constraints: Vec<(String, String)>,
    budget: Option<u32>,
}

/// What an outline adds to a tree.
#[derive(Debug, Clone)]
pub struct Growth {
    /// The node below which the outline begins.
    pub base: String,
    /// The new nodes with their ids, each behind the one above it.
    pub nodes: Vec<(String, NewNode)>,
    /// How many nodes of the outline are there already, the mission not counted.
    pub known: usize,
    counters: IdCounters,
}

impl Outline {
    /// Reads an outline.
    ///
    /// # Errors
    /// With the first line that is neither a heading of a node nor an item of its list.
    pub fn parse(outline: &str) -> Result<Self, ChangeError> {
        if outline.len() as u64 > LONGEST_OUTLINE {
            return Err(ChangeError::refused("the outline is larger than 1 MiB", "give it in parts, a feature each"));
        }
        let mut entries: Vec<OutlineEntry> = Vec::new();
        let outline = outline.trim_start_matches('\u{feff}');
        let lines = if is_toml(outline) {
            lines_of_toml(outline)?
        } else {
            (1..).zip(outline.lines().map(Cow::Borrowed)).collect()
        };
        for (line, words) in &lines {
            let (line, words) = (*line, words.trim());
            if words.is_empty() {
                continue;
            }
            if words.starts_with('#') {
                let mut entry = OutlineEntry::of(line, words)?;
                entry.parent = entries.iter().rposition(|above| above.depth < entry.depth);
                entries.push(entry);
                continue;
            }
            if ["<<<<<<<", "=======", ">>>>>>>"].iter().any(|mark| words.starts_with(mark)) {
                return Err(at(line, "the marks of a merge conflict".to_owned(), "keep one side of it, and try again"));
            }
            let item = words.strip_prefix(['-', '*']).and_then(|item| item.trim_start().split_once(':'));
            let Some(((name, value), entry)) = item.zip(entries.last_mut()) else {
                let hint = "an outline has headings, `### Story: TEXT`, and lists below them, `- file: PATH`";
                return Err(at(line, format!("`{}` is neither a heading nor an item of a list", text(words)), hint));
            };
            let value = value.trim();
            let quoted = value.strip_prefix('`').and_then(|value| value.strip_suffix('`'));
            entry.take(line, name.trim(), quoted.filter(|quoted| !quoted.contains('`')).unwrap_or(value).trim())?;
        }
        if entries.is_empty() {
            return Err(ChangeError::refused(
                "the outline has no heading",
                "write `# Mission: TEXT`, `## Feature: TEXT`",
            ));
        }
        Ok(Self { entries })
    }

    /// The intent of the mission, where the outline names one.
    pub fn mission(&self) -> Option<&str> {
        let mission = self.entries.iter().find(|entry| entry.tier == 0)?;
        Some(&mission.intent).filter(|intent| !intent.is_empty()).map(String::as_str)
    }

    /// The constraints of the mission.
    pub fn mission_constraints(&self) -> Vec<(String, String)> {
        self.entries.iter().filter(|entry| entry.tier == 0).flat_map(|entry| entry.constraints.clone()).collect()
    }

    /// Whether it sets what binds nodes.
    pub fn binds(&self) -> bool {
        self.entries.iter().any(|entry| !entry.constraints.is_empty())
    }
}

impl OutlineEntry {
    fn of(line: usize, heading: &str) -> Result<Self, ChangeError> {
        let words = heading.trim_start_matches('#');
        let depth = heading.len() - words.len();
        let (name, intent) = words.split_once(':').unwrap_or((words, ""));
        let mut name = name.split_whitespace();
        let kind = name.next().unwrap_or_default();
        let tier = (0..=4).find(|tier| tier_name(*tier).eq_ignore_ascii_case(kind));
        let id = name.next().map(str::to_owned);
        let (Some(tier), None, true) = (tier, name.next(), id.as_deref().is_none_or(is_node_id)) else {
            let hint = "write `# Mission: TEXT`, `## Feature: TEXT`, `### Story: TEXT`, `#### Task: TEXT`; an id may stand \
                        before the colon";
            return Err(at(line, format!("`{}` is no heading of a node", text(heading)), hint));
        };
        Ok(Self {
            line,
            depth,
            parent: None,
            tier,
            id: id.or_else(|| (tier == 0).then(|| MISSION.to_owned())),
            intent: text(intent),
            files: Vec::new(),
            tests: Vec::new(),
            after: Vec::new(),
            constraints: Vec::new(),
            budget: None,
        })
    }

    /// Takes an item of its list.
    fn take(&mut self, line: usize, name: &str, value: &str) -> Result<(), ChangeError> {
        if value.is_empty() {
            return Err(at(line, format!("`{name}` has no value"), "write it behind the colon"));
        }
        match name {
            "file" | "artifact" => {
                let path = value.trim_start_matches("./");
                if let Some(problem) = path_problem(path) {
                    let hint = "write a path, or a sound pattern, that starts at the project's root";
                    return Err(at(line, format!("`{}` {problem}", text(path)), hint));
                }
                self.files.push(path.to_owned());
            }
            "test" => self.tests.extend(tests_in(&format!("test_ref: {value}")).map(str::to_owned)),
            "after" => self.after.push((line, value.to_owned())),
            "constraint" => {
                let constraint =
                    constraint_of(value).map_err(|what| at(line, what, "write `constraint: NAME=VALUE`"))?;
                self.constraints.push(constraint);
            }
            "budget" => {
                let count = value.parse().ok().filter(|tokens| *tokens > 0 && self.tier > 1);
                let hint = "a feature, story or task has one: write it as a number of tokens, `- budget: 2000`";
                let what = || at(line, format!("`{}` cannot be the budget", text(value)), hint);
                self.budget = Some(count.ok_or_else(what)?);
            }
            _ => {
                let hint = format!("the list below a heading has {FIELDS}");
                return Err(at(line, format!("`{}` is nothing that a node has", text(name)), hint));
            }
        }
        let most = [self.files.len(), self.tests.len(), self.after.len(), self.constraints.len()].into_iter().max();
        if most > Some(MOST_VALUES) {
            return Err(at(line, format!("more than {MOST_VALUES} of one kind"), "spread them over several nodes"));
        }
        Ok(())
    }

    /// What the list has that a node that is there lacks: an outline adds nodes, and changes none.
    fn lacking(&self, node: &Node) -> Option<String> {
        let (files, constraints) = (node.artifacts(), node.constraints());
        let tests = if self.tests.is_empty() { Vec::new() } else { named_tests(node) };
        let has = |test: &&String| tests.iter().any(|(_, known)| known == *test);
        let file = self.files.iter().find(|file| !files.contains(file)).map(|file| format!("--artifact {file}"));
        let test = || self.tests.iter().find(|test| !has(test)).map(|test| format!("--test-ref {test}"));
        let bound = || {
            let new = self.constraints.iter().find(|one| !constraints.contains(one));
            new.map(|(name, value)| format!("--constraint {name}={value}"))
        };
        let budget = || self.budget.filter(|_| self.budget != node.budget()).map(|tokens| format!("--budget {tokens}"));
        file.or_else(test).or_else(bound).or_else(budget)
    }
}

impl Tree {
    /// What an outline adds to the tree, below `base` where its first headings have none above them.
    ///
    /// # Errors
    /// With the line that does not fit the tree, or names something that is not there.
    pub fn growth(&self, outline: &Outline, base: &str, now: &str) -> Result<Growth, ChangeError> {
        if self.node(base).is_none() {
            return Err(ChangeError::Missing { id: base.to_owned() });
        }
        let mut counters = self.counters.clone();
        for (family, _) in FAMILIES.iter().skip(1) {
            let given = outline.entries.iter().filter_map(|entry| number_of(entry.id.as_deref()?));
            let given = given.filter(|(name, _)| name == family).map(|(_, number)| number).max().unwrap_or_default();
            counters.at_least(family, given.max(self.highest(family)));
        }
        let mut resolver = Resolver { tree: self, outline, ids: Vec::new(), base, met: HashMap::new() };
        let mut is_new = Vec::new();
        for entry in &outline.entries {
            let known = resolver.known(entry)?;
            is_new.push(known.is_none());
            let id = known.or_else(|| entry.id.clone()).unwrap_or_else(|| {
                let (family, digits) = FAMILIES.get(usize::from(entry.tier)).copied().unwrap_or_default();
                let number = counters.next(family, 0, now);
                format!("{family}-{number:0digits$}")
            });
            resolver.ids.push(id);
        }
        let mut nodes = Vec::new();
        for ((entry, id), is_new) in outline.entries.iter().zip(&resolver.ids).zip(&is_new) {
            if *is_new {
                nodes.push((id.clone(), resolver.new_node(entry)?));
            }
        }
        if nodes.len() > MOST_NEW {
            let what = format!("the outline adds {} nodes, and {MOST_NEW} are added at once", nodes.len());
            return Err(ChangeError::refused(what, "give it in parts, a feature each"));
        }
        let placed = |id: &str, what: &dyn std::fmt::Display, hint: &str| {
            let mut entries = outline.entries.iter().zip(&resolver.ids);
            let line = entries.find(|(_, known)| *known == id).map_or(0, |(entry, _)| entry.line);
            at(line, what, hint)
        };
        let pages = self.pages(&nodes, now).map_err(|(id, error)| placed(&id, &error, error.hint()))?;
        let front = |page: NewPage| Some((page.file, Some(FrontMatter::of(&page.text).ok()?)));
        let fronts = pages.into_iter().filter_map(front).collect();
        let after = self.with(fronts, self.working.clone(), counters.clone());
        let mut found = after.violations_of_files();
        after.check_shared(&mut found);
        let is_new = |one: &&Violation| nodes.iter().any(|(id, _)| *id == one.node);
        if let Some(one) = found.iter().find(is_new) {
            return Err(placed(&one.node, &format!("{} {}", one.node, one.what), &one.fix));
        }
        Ok(Growth {
            base: base.to_owned(),
            known: outline.entries.iter().filter(|entry| entry.tier > 0).count() - nodes.len(),
            nodes,
            counters,
        })
    }

    /// The tree as an outline that makes it: what was discarded or put away is left out.
    pub fn outline(&self) -> String {
        let mut outline = String::new();
        if let Some(mission) = self.nodes().find(|node| node.tier == 0) {
            self.write_outline(mission, 1, &mut outline);
        }
        outline
    }

    fn write_outline(&self, node: &Node, depth: usize, outline: &mut String) {
        let id = if node.tier == 0 { String::new() } else { format!(" {}", node.id) };
        let kind = tier_name(node.tier);
        let kind = kind.get(..1).unwrap_or_default().to_uppercase() + kind.get(1..).unwrap_or_default();
        let gap = if outline.is_empty() { "" } else { "\n" };
        let mut item = |name: &str, value: &str| {
            let _ = writeln!(outline, "{name}{value}");
        };
        item(&format!("{gap}{} {kind}{id}: ", "#".repeat(depth)), &text(&node.intent));
        for (name, value) in node.constraints() {
            item("- constraint: ", &format!("{name}={value}"));
        }
        for (_, test) in named_tests(node) {
            item("- test: ", &test);
        }
        for path in node.artifacts() {
            item("- file: ", &path);
        }
        if let Some(tokens) = node.budget() {
            item("- budget: ", &tokens.to_string());
        }
        for on in node.depends_on.iter().filter(|on| node.tier == 4 && self.node(on).is_some_and(is_shown)) {
            item("- after: ", on);
        }
        // A heading has at most six `#`, which the tiers with a feature inside a feature need.
        for child in self.children(&node.id).filter(|child| is_shown(child) && depth < 6) {
            self.write_outline(child, depth + 1, outline);
        }
    }
}

fn is_shown(node: &Node) -> bool {
    !node.is(NodeStatus::Discarded) && !node.is(NodeStatus::Archived)
}

impl Editor {
    /// Makes what an outline adds: all of it, or nothing.
    ///
    /// # Errors
    /// When it does not fit the tree, or a file cannot be written.
    pub fn grow(&mut self, outline: &Outline, base: &str, now: &str) -> Result<(Growth, Option<Change>), ChangeError> {
        let growth = self.tree().growth(outline, base, now)?;
        if growth.nodes.is_empty() {
            return Ok((growth, None));
        }
        let change = self.plant("tree", base, &growth.nodes, growth.counters.clone(), now)?;
        Ok((growth, Some(change)))
    }
}

/// Finds what an outline names.
struct Resolver<'a> {
    tree: &'a Tree,
    outline: &'a Outline,
    /// The id of each entry so far.
    ids: Vec<String>,
    base: &'a str,
    /// The line of each new node, by its parent, tier and intent.
    met: HashMap<(String, u8, String), usize>,
}

impl Resolver<'_> {
    fn parent_of(&self, entry: &OutlineEntry) -> String {
        entry.parent.and_then(|at| self.ids.get(at)).map_or(self.base, |id| id.as_str()).to_owned()
    }

    /// The node of the tree that an entry means: by its id, else by its words below the same node.
    fn known(&mut self, entry: &OutlineEntry) -> Result<Option<String>, ChangeError> {
        let (line, parent) = (entry.line, self.parent_of(entry));
        let named = entry.id.as_deref();
        let is_it = |node: &&Node| node.tier == entry.tier && is_shown(node) && node.intent == entry.intent;
        let found = match named {
            Some(id) => self.tree.node(id),
            None => self.tree.children(&parent).find(is_it),
        };
        let Some(node) = found else {
            if let Some(id) = named.filter(|id| self.ids.iter().any(|known| known == id) || self.tree.knows(id)) {
                return Err(at(line, format!("{id} is taken"), "leave the id out, and the next free one is given"));
            }
            let (family, _) = FAMILIES.get(usize::from(entry.tier)).copied().unwrap_or_default();
            let is_own = |id: &str| {
                let number = number_of(id).map(|(name, _)| name);
                !id.contains('_') && (number == Some(family) || (entry.tier == 2 && number.is_none()))
            };
            if let Some(id) = named.filter(|id| !is_own(id)) {
                let what = format!("{id} cannot be the id of a {}", tier_name(entry.tier));
                return Err(at(line, what, "leave it out, and the next free one is given"));
            }
            let key = (parent, entry.tier, named.unwrap_or(&entry.intent).to_owned());
            if let Some(other) = self.met.insert(key, line) {
                let what = format!("this is the {} of line {other} once more", tier_name(entry.tier));
                return Err(at(line, what, "give it other words, or leave one of them out"));
            }
            return Ok(None);
        };
        let id = &node.id;
        if node.tier != entry.tier {
            let what = format!("{id} is no {} but a {}", tier_name(entry.tier), tier_name(node.tier));
            return Err(at(line, what, "`failwise plan tree --print` shows the plan as an outline"));
        }
        if !is_shown(node) {
            return Err(at(
                line,
                format!("{id} is {}", node.status.map_or("gone", NodeStatus::as_str)),
                "leave its id out",
            ));
        }
        if entry.parent.is_some() && node.tier > 0 && node.parent.as_deref() != Some(&*parent) {
            let above = node.parent.as_deref().unwrap_or("nothing");
            return Err(at(line, format!("{id} is below {above}, not below {parent}"), "a node stays where it is"));
        }
        if !entry.intent.is_empty() && entry.intent != node.intent {
            let what = format!("{id} has other words: {}", text(&node.intent));
            let hint = if node.tier == 0 {
                "an outline only adds: leave the mission out".to_owned()
            } else {
                format!("an outline changes no node: failwise plan edit {id} --intent TEXT does")
            };
            return Err(at(line, what, hint));
        }
        if let Some(lacks) = entry.lacking(node) {
            let what = format!("{id} lacks this: {lacks}");
            return Err(at(line, what, format!("an outline changes no node: failwise plan edit {id} {lacks}")));
        }
        Ok(Some(id.clone()))
    }

    fn new_node(&self, entry: &OutlineEntry) -> Result<NewNode, ChangeError> {
        if entry.tier == 0 {
            return Err(at(entry.line, "a plan has one mission", "leave this heading out"));
        }
        let after = entry.after.iter().map(|(line, words)| self.meant(*line, words)).collect::<Result<_, _>>()?;
        Ok(NewNode {
            tier: entry.tier,
            parent: self.parent_of(entry),
            id: None,
            intent: entry.intent.clone(),
            depends_on: after,
            artifacts: entry.files.clone(),
            test_refs: entry.tests.clone(),
            constraints: together(&entry.constraints),
            budget: entry.budget,
        })
    }

    /// The node that `after` means: an id, or the words of one node of the outline or, where it has none, of the tree.
    fn meant(&self, line: usize, words: &str) -> Result<String, ChangeError> {
        if self.ids.iter().any(|id| id == words) {
            return Ok(words.to_owned());
        }
        let words = text(words);
        let is_it = |intent: &str| intent.to_lowercase() == words.to_lowercase();
        let entries = self.outline.entries.iter().zip(&self.ids);
        let mut found: Vec<&str> = entries.filter(|(entry, _)| is_it(&entry.intent)).map(|(_, id)| &**id).collect();
        if found.is_empty() {
            found = match self.tree.meant(&words) {
                Some(node) => vec![&node.id],
                None => self
                    .tree
                    .nodes()
                    .filter(|node| is_shown(node) && is_it(&node.intent))
                    .map(|node| &*node.id)
                    .collect(),
            };
        }
        match found.as_slice() {
            [one] => Ok((*one).to_owned()),
            [] => {
                let hint = "name it by its id or by the words of its heading, one node a line";
                Err(at(line, format!("`{words}` is no node of the outline or the plan"), hint))
            }
            several => {
                Err(at(line, format!("`{words}` may be {}", several.join(" or ")), "give the nodes different words"))
            }
        }
    }
}

/// Whether the first line that is no heading or comment begins a table or a value of TOML.
fn is_toml(outline: &str) -> bool {
    let first = outline.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
    first.is_some_and(|line| {
        line.starts_with('[') || line.split_once('=').is_some_and(|(name, _)| is_toml_key(name.trim()))
    })
}

fn is_toml_key(name: &str) -> bool {
    ["id", "intent"].contains(&name) || is_tier(name) || FIELDS.contains(&format!("`{name}`"))
}

fn is_tier(name: &str) -> bool {
    (0..=4).any(|tier| tier_name(tier) == name)
}

/// The lines of an outline in TOML as one in Markdown has them: a table is a heading with its list.
fn lines_of_toml(outline: &str) -> Result<Vec<(usize, Cow<'static, str>)>, ChangeError> {
    let line_of = |at: usize| outline.get(..at).map_or(1, |before| before.matches('\n').count() + 1);
    let table = DeTable::parse(outline).map_err(|error| {
        let line = line_of(error.span().map_or(0, |span| span.start));
        at(line, error.message().lines().next().unwrap_or_default(), TOML)
    })?;
    let mut lines = Vec::new();
    lines_of_table(table.get_ref(), 1, &line_of, &mut lines)?;
    Ok(lines)
}

fn lines_of_table(
    table: &DeTable<'_>,
    depth: usize,
    line_of: &impl Fn(usize) -> usize,
    lines: &mut Vec<(usize, Cow<'static, str>)>,
) -> Result<(), ChangeError> {
    let flat = |words: &str| words.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut parts: Vec<_> = table.iter().filter(|(key, _)| !["id", "intent"].contains(&&**key.get_ref())).collect();
    // What a node has goes before the nodes below it, and behind a mission that is a text.
    parts.sort_by_key(|(key, _)| {
        let tier = (0..=4).position(|tier| tier_name(tier) == key.get_ref().as_ref());
        tier.map_or(1, |tier| tier * 2)
    });
    for (key, value) in parts {
        let name: &str = key.get_ref();
        let all = value.get_ref().as_array().map_or_else(|| vec![value], |values| values.iter().collect());
        for one in all {
            let line = line_of(one.span().start);
            // Features need not be within the mission to be below it.
            let depth = depth + usize::from(depth == 1 && name != tier_name(0));
            let marks = "#".repeat(depth);
            match one.get_ref() {
                DeValue::String(words) if is_tier(name) => {
                    lines.push((line, format!("{marks} {name}: {}", flat(words)).into()));
                }
                DeValue::String(words) => lines.push((line, format!("- {name}: {}", flat(words)).into())),
                DeValue::Table(node) if is_tier(name) => {
                    let word =
                        |key| node.get(key).and_then(|value| value.get_ref().as_str()).map(flat).unwrap_or_default();
                    lines.push((line, format!("{marks} {name} {}: {}", word("id"), word("intent")).into()));
                    lines_of_table(node, depth + 1, line_of, lines)?;
                }
                _ => return Err(at(line, format!("`{}` is no text", text(name)), TOML)),
            }
        }
    }
    Ok(())
}

fn at(line: usize, what: impl std::fmt::Display, hint: impl Into<String>) -> ChangeError {
    ChangeError::refused(format!("line {line}: {what}"), hint)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Outline;
    use crate::model::Ids;
    use crate::plan::edit::{ChangeError, Editor, ROOT, Tree, init};

    const NOW: &str = "2031-01-05T10:00:00.000Z";
    const MADE: &str = "\
# Mission: Books: that balance
- constraint: forbidden_paths=legacy/**

## Feature CSV-7: Bank CSV import
### Feature: One bank
#### Story: Parse files
- test: tests/csv.rs::semicolon
- test: tests/csv.rs::comma

##### Task: Sniff the dialect
* file: `./src/dialect.rs`
##### Task: Import a month
- file: src/import/
- file: src/*.sql
- after: sniff the dialect
## Feature: Reports
";

    fn error(outline: &str) -> String {
        let dir = tempfile::tempdir().unwrap();
        let tree = Tree::to_be(dir.path(), dir.path(), "Books", &[], NOW).unwrap();
        let growth = Outline::parse(outline).and_then(|outline| tree.growth(&outline, ROOT, NOW));
        match growth.unwrap_err() {
            ChangeError::Refused { what, hint } => format!("{what} | {hint}"),
            other => other.to_string(),
        }
    }

    /// Makes a tree of an outline on disk; what it then is as an outline.
    fn made(outline: &str) -> (tempfile::TempDir, Tree) {
        let dir = tempfile::tempdir().unwrap();
        let outline = Outline::parse(outline).unwrap();
        let constraints = crate::plan::edit::together(&outline.mission_constraints());
        init(dir.path(), outline.mission().unwrap(), &constraints, NOW).unwrap();
        let mut editor = Editor::begin(dir.path(), dir.path(), dir.path(), Ids::default()).unwrap();
        editor.grow(&outline, ROOT, NOW).unwrap();
        drop(editor);
        let tree = Tree::open(dir.path(), dir.path()).unwrap();
        (dir, tree)
    }

    #[test]
    fn a_tree_is_made_of_an_outline() {
        let (_dir, tree) = made(MADE);
        let ids: Vec<&str> = tree.nodes().map(|node| &*node.id).collect();
        assert_eq!(ids, ["MISSION", "CSV-7", "FEAT-1", "STORY-0001", "TASK-00001", "TASK-00002", "FEAT-2"]);
        assert_eq!(tree.node("TASK-00002").unwrap().depends_on, ["TASK-00001"]);
        assert_eq!(tree.violations(), []);
        let expected = MADE
            .replace("#### Story:", "#### Story STORY-0001:")
            .replace("### Feature: One", "### Feature FEAT-1: One")
            .replace("## Feature: Rep", "\n## Feature FEAT-2: Rep")
            .replace("comma\n\n", "comma\n")
            .replace("##### Task: S", "\n##### Task TASK-00001: S")
            .replace("##### Task: I", "\n##### Task TASK-00002: I")
            .replace("* file: `./src/dialect.rs`", "- file: src/dialect.rs")
            .replace("\n### Feature", "\n\n### Feature")
            .replace("\n#### Story", "\n\n#### Story")
            .replace("after: sniff the dialect", "after: TASK-00001");
        assert_eq!(tree.outline(), expected);
    }

    #[test]
    fn words_in_backticks_are_found_as_they_are_written() {
        for intent in ["Read `rows`", "`rows` read", "`rows`, `sums`", "Read `rows` now"] {
            let outline = format!(
                "# Feature: F\n## Story: S\n- test: t\n### Task: {intent}\n- file: `a b`\n- budget: 9\n### Task: B\n- after: {intent}\n"
            );
            let outline = Outline::parse(&outline).unwrap();
            let [.., task, after] = outline.entries.as_slice() else { panic!("{intent}") };
            assert_eq!((&*task.intent, &*after.after[0].1), (intent, intent));
            assert_eq!((task.files.as_slice(), task.budget), (["a b".to_owned()].as_slice(), Some(9)));
        }
        for wrong in ["# Feature: F\n- budget: x\n", "# Mission: M\n- budget: 9\n", "# Feature: F\n- budget: 0\n"] {
            assert!(Outline::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_outline_in_toml_is_the_same_tree() {
        let (_dir, tree) = made(MADE);
        for mission in [
            "mission = 'Books: that balance'\nconstraint = 'forbidden_paths=legacy/**'",
            "[mission]\nintent = 'Books: that balance'\nconstraint = ['forbidden_paths=legacy/**']",
        ] {
            let toml = format!(
                "# the books\n{mission}\n\n[[feature]]\nid = 'CSV-7'\nintent = 'Bank CSV import'\n[[feature.feature]]\n\
                 intent = \"One\\nbank\"\n[[feature.feature.story]]\nintent = 'Parse files'\n\
                 test = ['tests/csv.rs::semicolon', 'tests/csv.rs::comma']\n\
                 task = [{{intent = 'Sniff the dialect', file = './src/dialect.rs'}},\n {{intent = 'Import a month', file = \
                 ['src/import/', 'src/*.sql'], after = 'sniff the dialect'}}]\n[[feature]]\nintent = 'Reports'\n"
            );
            assert_eq!(made(&toml).1.outline(), tree.outline(), "{toml}");
        }
        for (outline, expected) in [
            ("[[feature]]\nintent = 3\n", "line 1: a node needs an intent"),
            (
                "# A\n[[feature]]\nintent = 'A'\ncolor = 'red'\n",
                "line 4: `color` is nothing that a node has | the list",
            ),
            ("[[feature]]\nintent = 'A'\nfile = [3]\n", "line 3: `file` is no text | write `mission = TEXT`"),
            ("[[feature]\n", "line 1: "),
            ("[[epic]]\n", "line 1: `epic` is no text"),
        ] {
            assert!(error(outline).contains(expected), "{outline:?}: {}", error(outline));
        }
    }

    #[test]
    fn an_outline_extends_what_is_there_and_changes_nothing_of_it() {
        let (dir, tree) = made(MADE);
        let growth = |outline: &str| Outline::parse(outline).and_then(|outline| tree.growth(&outline, ROOT, NOW));
        let again = growth(MADE).unwrap();
        assert_eq!((again.nodes.len(), again.known), (0, 6), "the same outline once more adds nothing");
        let more = growth("# Story STORY-0001\n## Task: Undo\n- after: Import a month\n").unwrap();
        assert_eq!(more.nodes[0].0, "TASK-00003");
        assert_eq!(
            (&*more.nodes[0].1.parent, &more.nodes[0].1.depends_on[..]),
            ("STORY-0001", &["TASK-00002".to_owned()][..])
        );
        for (outline, expected) in [
            ("# Mission: Other books\n", "leave the mission out"),
            ("# Task TASK-00001: Sniff it\n", "failwise plan edit TASK-00001 --intent TEXT"),
            ("# Task TASK-00001\n- file: src/x.rs\n", "failwise plan edit TASK-00001 --artifact src/x.rs"),
            ("# Story TASK-00001\n", "TASK-00001 is no story but a task"),
            ("# Feature FEAT-2\n## Story STORY-0001\n", "STORY-0001 is below FEAT-1, not below FEAT-2"),
            ("# Story STORY-0001\n## Task: X\n- file: src/dialect.rs\n", "plans `src/dialect.rs`, as TASK-00001 does"),
        ] {
            let ChangeError::Refused { what, hint } = growth(outline).unwrap_err() else { panic!("{outline}") };
            assert!(format!("{what} | {hint}").contains(expected), "{outline}: {what} | {hint}");
        }
        drop(dir);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let feature = "# Feature: A\n## Story: B\n- test: t.rs\n";
        for (outline, expected) in [
            ("", "no heading"),
            ("\n- file: a\n", "line 2: `- file: a` is neither"),
            ("# Feature: A\nSome words\n", "line 2: `Some words` is neither"),
            ("# Epic: A\n", "line 1: `# Epic: A` is no heading"),
            ("# Feature A B C\n", "write `# Mission: TEXT`"),
            ("# Feature:\n", "line 1: a node needs an intent"),
            ("# Feature: A\n- color: red\n", "line 2: `color` is nothing that a node has | the list"),
            ("# Feature: A\n- file:\n", "line 2: `file` has no value"),
            ("# Feature: A\n- file: /etc/passwd\n", "line 2: `/etc/passwd` is absolute"),
            ("# Feature: A\n- file: ../x\n", "line 2: `../x` is outside"),
            ("# Feature: A\n- constraint: colour=red\n", "line 2: the names are forbidden_paths"),
            ("# Feature: A\n## Story: B\n", "line 2: a story needs a test"),
            ("# Story: B\n- test: t.rs\n", "line 1: no story belongs below MISSION"),
            ("# Feature: A\n# Feature: A\n", "line 2: this is the feature of line 1 once more"),
            ("# Feature TASK-00009: A\n", "line 1: TASK-00009 cannot be the id of a feature"),
            ("# Feature A-1: A\n# Feature A-1: B\n", "line 2: A-1 is taken"),
            ("# Mission: Books\n# Mission: Books\n## Mission: Other\n", "line 3: MISSION has other words"),
        ] {
            assert!(error(outline).contains(expected), "{outline:?}: {}", error(outline));
        }
        for (tasks, expected) in [
            ("### Task: C\n- after: D\n", "line 5: `D` is no node"),
            ("### Task: C\n- after: C\n", "line 4: TASK-00001 depends on itself"),
            ("### Task: C\n- after: b\n", "line 4: STORY-0001 is above it, and is never done before it"),
            (
                "### Task: C\n- after: D\n### Task: D\n- after: C\n",
                "depends on itself: TASK-00001 -> TASK-00002 -> TASK-00001",
            ),
            ("### Task: C\n- file: x\n### Task: D\n- file: x\n", "line 6: TASK-00002 plans `x`, as TASK-00001 does"),
            ("### Task: C\n#### Task: D\n", "line 5: no task belongs below TASK-00001"),
        ] {
            let outline = format!("{feature}{tasks}");
            assert!(error(&outline).contains(expected), "{outline:?}: {}", error(&outline));
        }
        let chain =
            format!("{feature}### Task: C\n- file: x\n### Task: D\n- after: C\n### Task: E\n- after: D\n- file: x\n");
        let tree = Tree::to_be("/nowhere".as_ref(), "/nowhere".as_ref(), "Books", &[], NOW).unwrap();
        let growth = Outline::parse(&chain).and_then(|outline| tree.growth(&outline, ROOT, NOW)).unwrap();
        assert_eq!(growth.nodes.len(), 5, "one that waits by way of another may plan the same file");
        assert!(error(&format!("# Feature: {}\n", "A".repeat(1 << 21))).contains("larger than 1 MiB"));
        let many: Vec<String> = (0..501).map(|number| format!("# Feature: {number}\n")).collect();
        assert!(error(&many.concat()).contains("adds 501 nodes"));
    }

    /// The heading and the list of a node with any words.
    fn node(kind: &'static str, depth: usize) -> impl Strategy<Value = String> {
        let words = "[a-zA-Z0-9:#`'\"\\\\{}\\[\\]&*!|>%@, é字-]{1,30}";
        let items = prop::collection::vec(("[a-z]{1,8}/[a-z .'\"-]{0,8}[a-z]", any::<bool>()), 0..3);
        (words, any::<u64>(), items).prop_map(move |(words, number, items)| {
            let mut text = format!("{} {kind}: {number} {words}\n", "#".repeat(depth));
            for (item, is_file) in items {
                // A path of its own: two open tasks may not plan the same one.
                let value = format!("{item}{number}");
                text.extend([if is_file { "- file: " } else { "- test: " }, &value, "\n"]);
            }
            if kind == "Story" { text + "- test: tests/a.rs\n" } else { text }
        })
    }

    fn branch() -> impl Strategy<Value = String> {
        let story = || {
            (node("Story", 3), prop::collection::vec(node("Task", 4), 0..4))
                .prop_map(|(story, tasks)| story + &tasks.concat())
        };
        (node("Feature", 2), prop::collection::vec(story(), 0..3))
            .prop_map(|(feature, stories)| feature + &stories.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// What is printed makes the same tree in an empty folder, and adds nothing to the one that it was printed of.
        #[test]
        fn an_outline_comes_out_as_it_went_in(branches in prop::collection::vec(branch(), 1..3)) {
            let (_dir, tree) = made(&format!("# Mission: Books\n{}", branches.concat()));
            let printed = tree.outline();
            prop_assert_eq!(printed.matches("\n#").count(), branches.concat().lines().filter(|line| line.starts_with('#')).count());
            let outline = Outline::parse(&printed).unwrap();
            prop_assert!(tree.growth(&outline, ROOT, NOW).unwrap().nodes.is_empty(), "{}", printed);
            let (_other, twin) = made(&printed);
            prop_assert_eq!(twin.outline(), printed);
        }

        #[test]
        fn no_text_stops_the_reader(text in "[#a-zF :\n-]{0,80}") {
            let tree = Tree::to_be("/nowhere".as_ref(), "/nowhere".as_ref(), "Books", &[], NOW).unwrap();
            let _ = Outline::parse(&text).and_then(|outline| tree.growth(&outline, ROOT, NOW));
        }
    }
}
