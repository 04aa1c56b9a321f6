//! What came before a call of a trace, kept small: the same cost a call however long the trace is.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::decide::is_plain_request;
use crate::model::{ToolInput, ToolKind};
use crate::programs::Trait;
use crate::programs::calls::SWITCHES;
use crate::shell::{Command, Script};
use crate::signature::fine;
use crate::text::head;

use super::facts::{CallFacts, TracedEnd};

/// What is remembered of the calls before.
#[derive(Default)]
pub(super) struct TracePast {
    /// How many calls there were.
    pub(super) calls: usize,
    /// Programs that passed before.
    passed: HashSet<String>,
    /// Operations that failed last, and whether they may have taken effect.
    failures: HashMap<String, bool>,
    /// The output of the last pass of each operation that only looks, in a form that can be compared.
    looks: HashMap<String, ShownText>,
    /// Calls for help of each program, and what help was asked for.
    help: HashMap<String, Vec<String>>,
    /// The program and subcommand of the last calls, and how many of them ran in a row.
    row: (String, Vec<String>),
    /// Documents that were read, the last few.
    documents: VecDeque<(String, String)>,
    /// Commands that switched what later ones act on.
    switched: Option<String>,
}

#[derive(Clone, PartialEq)]
struct ShownText {
    text: u64,
    sorted: u64,
}

/// The most documents that are remembered, and how much of each.
const DOCUMENTS: usize = 8;
const DOCUMENT_BYTES: usize = 64 * 1024;
/// The most that is compared of an output.
const COMPARED_BYTES: usize = 32 * 1024;

/// Names of documents that tell an agent how a program is used.
const GUIDES: &[&str] = &["agents.md", "claude.md", "readme", "contributing.md", "docs/", "gemini.md", ".cursorrules"];
/// Names of files that were made for or from a version of a program.
const ARTIFACTS: &[&str] = &[
    "skill.md",
    "skills/",
    "openapi",
    "swagger",
    "spec.json",
    "tools.json",
    "manifest",
    "schema.json",
    ".mcp.json",
    "llms.txt",
];

impl TracePast {
    /// Whether the program passed before.
    pub(super) fn has_passed(&self, program: &str) -> bool {
        self.passed.contains(program)
    }

    /// Whether the same operation failed before in a way that may have taken effect.
    pub(super) fn may_have_taken_effect(&self, facts: &CallFacts<'_>) -> bool {
        !self.failures.is_empty()
            && facts.operation().and_then(|operation| self.failures.get(operation)).is_some_and(|unsure| *unsure)
    }

    /// Whether the same operation failed before.
    pub(super) fn has_failed_before(&self, facts: &CallFacts<'_>) -> bool {
        !self.failures.is_empty() && facts.operation().is_some_and(|operation| self.failures.contains_key(operation))
    }

    /// What help the program was asked for before, this call included.
    pub(super) fn help_of(&self, program: &str) -> &[String] {
        self.help.get(program).map_or(&[], Vec::as_slice)
    }

    /// How many calls of this program and subcommand ran in a row, each with other words, this call included.
    pub(super) fn in_a_row(&self) -> usize {
        self.row.1.len()
    }

    /// Whether a document was read before.
    pub(super) fn has_documents(&self) -> bool {
        !self.documents.is_empty()
    }

    /// The document among the last ones that told of this word, and whether it was made for a version of a program.
    pub(super) fn document_with(&self, word: &str) -> Option<(&str, bool)> {
        let (name, _) = self.documents.iter().rev().find(|(_, text)| text.contains(word))?;
        let lower = name.to_ascii_lowercase();
        Some((name, ARTIFACTS.iter().any(|part| lower.contains(part))))
    }

    /// The command that switched what later ones act on.
    pub(super) fn switched(&self) -> Option<&str> {
        self.switched.as_deref()
    }

    /// Whether the last pass of this operation printed the same in another order or with other numbers.
    pub(super) fn shows_otherwise(&self, facts: &CallFacts<'_>) -> bool {
        if self.looks.is_empty() {
            return false;
        }
        let Some(before) = facts.operation().and_then(|operation| self.looks.get(operation)) else { return false };
        shown(facts).is_some_and(|shown| before.text != shown.text && before.sorted == shown.sorted)
    }

    /// Takes the words of a call in before it is looked at.
    pub(super) fn begin(&mut self, script: Option<&Script>) {
        let Some(script) = script else {
            self.row = (String::new(), Vec::new());
            return;
        };
        let mut programs = script.programs().map(|(_, command)| command);
        let (Some(command), None) = (programs.next(), programs.next()) else {
            self.row = (String::new(), Vec::new());
            return;
        };
        if let Some(of) = help_asked(command) {
            let asked = self.help.entry(command.name().to_owned()).or_default();
            if !asked.contains(&of) && asked.len() < 64 {
                asked.push(of);
            }
        }
        let verbs = command.subcommands().take(if command.is(Trait::NounFirst) { 2 } else { 1 });
        let head = std::iter::once(command.name()).chain(verbs).collect::<Vec<_>>().join(" ");
        let words = command.args.join(" ");
        if self.row.0 != head {
            self.row = (head, vec![words]);
        } else if !self.row.1.contains(&words) && self.row.1.len() < 64 {
            self.row.1.push(words);
        }
    }

    /// Takes a call in after it was looked at.
    pub(super) fn end(&mut self, ended: EndedCall) {
        self.calls += 1;
        if let Some(document) = ended.document {
            if self.documents.len() == DOCUMENTS {
                self.documents.pop_front();
            }
            self.documents.push_back(document);
        }
        match ended.end {
            TracedEnd::Passed => {
                if let Some(operation) = ended.operation {
                    self.failures.remove(&operation);
                    if let Some(shown) = ended.shown.filter(|_| self.looks.len() < 256) {
                        self.looks.insert(operation, shown);
                    }
                }
                self.switched = ended.switch.or_else(|| self.switched.take());
                self.passed.extend(ended.programs);
            }
            TracedEnd::Failed | TracedEnd::Hung | TracedEnd::Masked => {
                let Some(operation) = ended.operation.filter(|_| self.failures.len() < 4096) else { return };
                *self.failures.entry(operation).or_default() |= ended.unsure;
            }
            TracedEnd::Neither => {}
        }
    }
}

/// What is kept of a call that was looked at.
pub(super) struct EndedCall {
    end: TracedEnd,
    programs: Vec<String>,
    operation: Option<String>,
    unsure: bool,
    shown: Option<ShownText>,
    switch: Option<String>,
    document: Option<(String, String)>,
}

impl EndedCall {
    pub(super) fn of(facts: &CallFacts<'_>) -> Self {
        let scripts = || facts.script.into_iter().flat_map(Script::programs);
        let passed = facts.end == TracedEnd::Passed;
        Self {
            end: facts.end,
            programs: scripts().map(|(_, command)| command.name().to_owned()).filter(|_| passed).collect(),
            operation: facts.operation().map(str::to_owned),
            unsure: facts.end == TracedEnd::Hung || facts.reading.as_ref().is_some_and(|r| r.transient.is_some()),
            shown: passed.then(|| shown(facts)).flatten(),
            switch: facts.call.command().filter(|_| passed && facts.runs_one_of(SWITCHES)).map(str::to_owned),
            document: document(facts),
        }
    }
}

/// The document that the same call shows and that tells of a word, and whether it was made for a version of a program.
pub(super) fn shown_document<'f>(facts: &'f CallFacts<'_>, word: &str) -> Option<(&'f str, bool)> {
    let shown = facts.script?.programs().filter(|(_, command)| command.is(Trait::Shows));
    let is_named = |arg: &&String| GUIDES.iter().chain(ARTIFACTS).any(|part| arg.to_ascii_lowercase().contains(part));
    let name = shown.flat_map(|(_, command)| &command.args).find(is_named)?;
    let made = ARTIFACTS.iter().any(|part| name.to_ascii_lowercase().contains(part));
    facts.stdout().contains(word).then_some((name.as_str(), made))
}

/// The document that a call read, where its name tells that it is about how programs are used.
fn document(facts: &CallFacts<'_>) -> Option<(String, String)> {
    if facts.end != TracedEnd::Passed {
        return None;
    }
    let named = |name: &str| {
        let lower = name.to_ascii_lowercase();
        GUIDES.iter().chain(ARTIFACTS).any(|part| lower.contains(part))
    };
    let name = match (facts.call.tool.kind, &facts.call.input) {
        (ToolKind::Shell, _) if facts.displays() => facts
            .script
            .into_iter()
            .flat_map(Script::programs)
            .flat_map(|(_, c)| &c.args)
            .find(|arg| named(arg))
            .cloned(),
        (ToolKind::Read, ToolInput::File { path, .. }) => Some(path.to_string()).filter(|path| named(path)),
        (ToolKind::Read, ToolInput::Other { summary }) => Some(summary.clone()).filter(|summary| named(summary)),
        _ => None,
    }?;
    Some((name, head(facts.call.output.stdout(), DOCUMENT_BYTES).to_owned()))
}

/// What help a command asks for, where it asks for any: the words before the flag.
fn help_asked(command: &Command) -> Option<String> {
    let asks = command.has_arg("--help") || command.subcommands().next() == Some("help");
    // A short `-h` means help only where it is alone with subcommands.
    let short = command.args.last().is_some_and(|arg| arg == "-h")
        && command.args.iter().rev().skip(1).all(|arg| !arg.starts_with('-') && !arg.contains('/'))
        && command.args.len() > 1
        && command.known.is_none();
    (asks || short).then(|| command.subcommands().filter(|word| *word != "help").collect::<Vec<_>>().join(" "))
}

/// What a call that only looks printed: as it is, and with its lines in order and without numbers.
fn shown(facts: &CallFacts<'_>) -> Option<ShownText> {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let script = facts.script?;
    let (_, command) = script.programs().next()?;
    let verbs = ["get", "list", "ls", "show", "status", "describe", "view", "query", "search"];
    let looks = script.is_read_only()
        || is_plain_request(command)
        || command.subcommands().take(2).any(|word| verbs.contains(&word));
    let text = facts.call.output.stdout();
    if text.trim().is_empty() || text.len() > COMPARED_BYTES || script.programs().count() != 1 {
        return None;
    }
    let hash = |value: &str| {
        let mut hasher = DefaultHasher::new();
        value.hash(&mut hasher);
        hasher.finish()
    };
    // Of what may do more than look only the order may differ.
    let piece = |piece: &str| if looks { masked(piece) } else { piece.trim().to_owned() };
    let pieces = text.lines().flat_map(|line| line.split([',', ':', '[', ']', '{', '}']));
    let mut lines: Vec<String> = pieces.map(piece).filter(|piece| !piece.is_empty()).collect();
    lines.sort();
    Some(ShownText { text: hash(text), sorted: hash(&lines.join("\n")) })
}

/// A piece of output without brackets, blanks and numbers: what is left may stand anywhere.
fn masked(piece: &str) -> String {
    fine(piece.trim().trim_matches(|c: char| "[]{} ,".contains(c)))
}
