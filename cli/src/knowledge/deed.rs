//! A call that ended, as far as lessons are made of it.

use super::between::{Doing, doing, folder_of};
use super::instead::{FailedForm, GivenCall};
use super::learner::learned_moment;
use super::leaving::shown_pattern;
use super::lesson::Fix;
use super::may_stand_in_a_command;
use super::place::Root;
use super::row::PatternRow;
use crate::gate::GateContext;
use crate::history::{Effect, Event, Execution};
use crate::model::{Category, ObjectKind, Outcome, Proof, Tool, ToolKind};
use crate::programs::Trait;
use crate::programs::words::{COMMITS, STAGES};
use crate::shell::{Command, Script};

/// A call that ended, as far as lessons are made of it.
#[derive(Debug, Clone)]
pub struct LessonDeed {
    /// The client's session.
    pub session: String,
    /// The plan node, session or subagent.
    pub node: String,
    /// The call; of one without an id the event's own.
    pub call: String,
    /// When it ended, in milliseconds since 1970.
    pub at: u64,
    /// The command or target as given, redacted.
    pub input: String,
    /// What became of it.
    pub outcome: Outcome,
    /// What two runs of one operation share: messages of commits and the files to be committed are left out.
    pub(super) key: String,
    pub(super) words: Option<GivenCall>,
    /// Where it ran, as the host says.
    pub(super) cwd: Option<String>,
    /// The same relative to the root, as far as its words say it.
    pub(super) folder: Option<String>,
    pub(super) doing: Doing,
    /// Whether it may have changed anything.
    pub(super) changes: bool,
    /// Whether its success is known and not only supposed.
    pub(super) proven: bool,
    pub(super) failed: Option<FailedDeed>,
}

/// What a failed call tells.
#[derive(Debug, Clone)]
pub(super) struct FailedDeed {
    pub(super) pattern: PatternRow,
    /// The failure's object, where its name may stand in a command.
    pub(super) object: Option<String>,
    pub(super) instead: Option<FailedForm>,
    /// The end of what it printed.
    pub(super) text: String,
}

impl LessonDeed {
    /// The call that an event tells of.
    pub(super) fn of(event: &Event, cwd: Option<&str>, root: &Root<'_>, context: &GateContext<'_>) -> Option<Self> {
        let execution = event.execution()?;
        let located = cwd.filter(|_| execution.cwd.is_none()).map(|cwd| {
            let cwd = Some(cwd.to_owned());
            Execution { cwd, ..execution.clone() }
        });
        let execution = located.as_ref().unwrap_or(execution);
        let outcome = execution.outcome?;
        let operation = execution.operation.as_ref()?;
        let kind = Tool::named(execution.tool.as_deref().unwrap_or_default()).kind;
        let is_shell = kind == ToolKind::Shell;
        let proven = execution.reading.as_ref().is_none_or(|reading| reading.proof != Proof::None);
        Some(Self {
            session: session_of(event).to_owned(),
            node: event.node.clone(),
            call: event.tool_use_id.clone().unwrap_or_else(|| event.id.clone()),
            at: learned_moment(&event.ts),
            input: execution.input.clone().unwrap_or_default(),
            outcome,
            key: if is_shell { key_of(&operation.0) } else { operation.0.clone() },
            words: GivenCall::as_given(execution, root),
            cwd: execution.cwd.clone(),
            folder: if is_shell { folder_of(execution, root) } else { None },
            doing: doing(execution, outcome == Outcome::Succeeded, root),
            changes: execution.effect != Effect::None,
            proven,
            failed: FailedDeed::of(execution, root, context).filter(|_| event.is_failure() && event.host.shares(kind)),
        })
    }

    /// Whether anything ran: not where somebody refused it, or it was cancelled.
    pub(super) fn ran(&self) -> bool {
        !matches!(self.outcome, Outcome::Denied | Outcome::Cascade | Outcome::Interrupted)
    }

    /// Whether it passed or failed; None where nobody knows.
    pub(super) fn passed(&self) -> Option<bool> {
        match self.outcome {
            Outcome::Succeeded => self.proven.then_some(true),
            Outcome::Failed | Outcome::MaskedFailure => Some(false),
            _ => None,
        }
    }

    /// Whether a command runs the program of this call with the same first word.
    pub(super) fn is_like(&self, line: &str) -> bool {
        let head = |text: &str| {
            let script = Script::parse(text);
            let command = script.programs().map(|(_, command)| command).find(|command| !command.is(Trait::Enters));
            command.map(|command| (command.name().to_owned(), command.subcommands().next().map(str::to_owned)))
        };
        head(line).is_some_and(|head_of_line| Some(head_of_line) == head(&self.key))
    }
}

impl FailedDeed {
    fn of(execution: &Execution, root: &Root<'_>, context: &GateContext<'_>) -> Option<Self> {
        let reading = execution.reading.as_ref()?;
        let signature = execution.signature.as_ref().filter(|signature| !signature.vague)?;
        let object = reading.primary_object();
        let is_placed = !reading.files.is_empty()
            || object.is_some_and(|object| {
                matches!(object.kind, ObjectKind::Test | ObjectKind::Symbol | ObjectKind::File | ObjectKind::Module)
            });
        let cwd = execution.cwd.as_deref();
        let pattern = PatternRow {
            fine: signature.fine.clone(),
            coarse: signature.coarse.clone(),
            version: signature.version,
            category: reading.category,
            runner: reading.runner.clone(),
            operation: relative_operation(execution, root, cwd),
            line: reading.line.clone(),
            placed: is_placed,
        };
        let pattern = shown_pattern(&pattern, context);
        let object = object.map(|object| object.name.clone());
        Some(Self {
            instead: FailedForm::as_given(execution, root),
            object: object.filter(|name| name.len() >= SHORTEST_OBJECT && may_stand_in_a_command(name)),
            text: execution.text.clone().unwrap_or_default(),
            pattern,
        })
    }

    /// The command with a mark where the failure's object stands in it.
    pub(super) fn with_object(&self, line: &str) -> String {
        let Some(object) = &self.object else { return line.to_owned() };
        let words = line.split(' ').map(|word| if word == object { Fix::OBJECT } else { word });
        words.collect::<Vec<_>>().join(" ")
    }
}

/// The session of an event; `unknown` where it names none.
pub(super) fn session_of(event: &Event) -> &str {
    event.session.as_deref().unwrap_or("unknown")
}

/// Names of fewer letters are in too many words.
const SHORTEST_OBJECT: usize = 3;

/// The operation of a file tool with its path relative: five people have five paths.
fn relative_operation(execution: &Execution, root: &Root<'_>, cwd: Option<&str>) -> String {
    let operation = execution.operation.as_ref().map_or("", |operation| operation.0.as_str());
    match operation.split_once(':').filter(|(tool, _)| execution.tool.as_deref() == Some(*tool)) {
        Some((tool, target)) if target.starts_with('/') => format!("{tool}:{}", root.relative(target, cwd)),
        _ => operation.to_owned(),
    }
}

/// An operation without what differs each time although it is the same: messages of commits, and the files to be committed.
fn key_of(operation: &str) -> String {
    if !operation.contains("git ") {
        return operation.to_owned();
    }
    let script = Script::parse(operation);
    let parts = script.programs().map(|(_, command)| match () {
        () if command.runs(STAGES) => STAGES.to_owned(),
        () if command.runs(COMMITS) => COMMITS.to_owned(),
        () => words_of(command),
    });
    let mut parts: Vec<String> = parts.collect();
    // Staging belongs to the commit that follows.
    if parts.len() > 1 && parts.iter().any(|part| part == COMMITS) {
        parts.retain(|part| part != STAGES);
    }
    parts.join(" && ")
}

fn words_of(command: &Command) -> String {
    std::iter::once(&command.program).chain(&command.args).cloned().collect::<Vec<_>>().join(" ")
}

/// Whether a category says by which call it is mended.
pub(super) fn is_of_the_call(category: Category) -> bool {
    super::instead::CATEGORIES.contains(&category)
}
