//! An analysis without what names people, machines and projects. What is known to everybody stays: programs, their
//! subcommands, the client's tools, classes and numbers. Every other word becomes a keyed hash, the same for the same word.

use std::collections::BTreeSet;

use crate::digest::hex16;
use crate::model::{Tool, ToolKind};
use crate::programs;
use crate::replay::{Analysis, FailureRow, RowAnswer};

/// The analysis with a keyed hash for each word that nobody but its people knows. Error texts and messages are left out.
pub fn anonymised(analysis: Analysis, key: &str) -> Analysis {
    let hider = NameHider { key, known: known_words() };
    let mut analysis = analysis;
    for session in &mut analysis.sessions {
        session.project = session.project.take().map(|name| hider.hidden("project", &name));
        session.person = session.person.take().map(|name| hider.hidden("person", &name));
        session.file = hider.hidden("file", &session.file);
        hider.id(&mut session.id);
    }
    for episode in &mut analysis.episodes {
        for text in [&mut episode.session, &mut episode.node] {
            hider.id(text);
        }
        episode.object = episode.object.take().map(|name| hider.hidden("object", &name));
        hider.tool(&mut episode.tool);
        for text in [&mut episode.operation, &mut episode.input] {
            hider.call(text);
        }
        if let Some(end) = &mut episode.end {
            hider.id(&mut end.node);
            hider.tool(&mut end.tool);
            hider.call(&mut end.call);
            if let Some(id) = &mut end.tool_use_id {
                hider.id(id);
            }
        }
        episode.excerpt = None;
        episode.advice.clear();
        episode.tool_use_ids.iter_mut().for_each(|id| hider.id(id));
    }
    for repeated in &mut analysis.loops {
        for text in [&mut repeated.session, &mut repeated.node] {
            hider.id(text);
        }
        repeated.operations.iter_mut().for_each(|call| hider.call(call));
    }
    for signature in &mut analysis.signatures {
        hider.call(&mut signature.operation);
        signature.excerpt = None;
    }
    for failure in &mut analysis.failures {
        for text in [&mut failure.session, &mut failure.node] {
            hider.id(text);
        }
        failure.file = hider.hidden("file", &failure.file);
        hider.tool(&mut failure.tool);
        for text in [&mut failure.operation, &mut failure.input] {
            hider.call(text);
        }
        failure.excerpt = None;
        if let Some(id) = &mut failure.tool_use_id {
            hider.id(id);
        }
    }
    let models = analysis.failures.iter_mut().filter_map(|failure| failure.model.as_mut());
    for model in models.chain(analysis.models.iter_mut().map(|it| &mut it.model)) {
        *model = hider.model(std::mem::take(model));
    }
    analysis
}

/// Rows of a replay in the same way.
pub fn anonymised_rows(mut rows: Vec<FailureRow>, key: &str) -> Vec<FailureRow> {
    let hider = NameHider { key, known: known_words() };
    for row in &mut rows {
        row.project = row.project.take().map(|name| hider.hidden("project", &name));
        row.person = row.person.take().map(|name| hider.hidden("person", &name));
        row.model = row.model.take().map(|name| hider.model(name));
        row.file = hider.hidden("file", &row.file);
        hider.tool(&mut row.tool);
        hider.call(&mut row.input);
        (row.excerpt, row.advice, row.refused) = (None, None, None);
        row.differs.clear();
        let (call, node, operation, evidence) = match &mut row.answer {
            RowAnswer::Verdict(it) => {
                it.parent_node_id.iter_mut().for_each(|id| hider.id(id));
                (&mut it.tool_use_id, &mut it.node_id, &mut it.operation.0, &mut it.evidence)
            }
            RowAnswer::NotFailure { tool_use_id, node_id, operation, evidence, .. } => {
                (tool_use_id, node_id, operation, evidence)
            }
        };
        hider.call(operation);
        evidence.clear();
        let ids = [&mut row.session, &mut row.agent, call].into_iter().flatten();
        ids.chain([node]).for_each(|id| hider.id(id));
    }
    rows
}

/// The words of programs and subcommands that Failwise knows.
fn known_words() -> BTreeSet<&'static str> {
    let rows = programs::all();
    let words = rows.iter().flat_map(|row| std::iter::once(row.words).chain(row.subcommands.iter().map(|it| it.words)));
    words.flat_map(|words| words.split(' ')).collect()
}

/// What stands in place of a name of a kind: the same for the same name and key.
pub fn hidden_name(key: &str, kind: &str, name: &str) -> String {
    format!("{kind}-{}", hex16(&[key, kind, name]).get(..8).unwrap_or_default())
}

struct NameHider<'k> {
    key: &'k str,
    known: BTreeSet<&'static str>,
}

impl NameHider<'_> {
    fn hidden(&self, kind: &str, name: &str) -> String {
        hidden_name(self.key, kind, name)
    }

    /// A model of the clients' own stays.
    fn model(&self, name: String) -> String {
        if name.starts_with("claude-") { name } else { self.hidden("model", &name) }
    }

    /// Ids that clients and Failwise draw by lot stay, a plan's own names do not.
    fn id(&self, id: &mut String) {
        let drawn = id.strip_prefix("toolu_").or_else(|| id.strip_prefix("session/")).unwrap_or(id);
        let is_toolu = drawn.len() < id.len() && id.starts_with("toolu_");
        let is_drawn = |part: &str| part.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
        let is_plain = is_toolu && drawn.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !is_plain && !drawn.split('/').all(|part| is_drawn(part.strip_prefix("agent-").unwrap_or(part))) {
            *id = self.hidden("id", id);
        }
    }

    fn tool(&self, tool: &mut String) {
        let own = Tool::named(tool).kind;
        if matches!(own, ToolKind::Other | ToolKind::Mcp) && !tool.is_empty() {
            *tool = self.hidden("tool", tool);
        }
    }

    /// A call: programs, subcommands and the signs between them stay, and options of one letter.
    fn call(&self, call: &mut String) {
        let words = call.split_whitespace().map(|word| {
            let is_sign = !word.chars().any(char::is_alphanumeric);
            let is_letter = word.len() == 2 && word.starts_with('-');
            if is_sign || is_letter || self.known.contains(word) { word.to_owned() } else { self.hidden("w", word) }
        });
        *call = words.collect::<Vec<_>>().join(" ");
    }
}
