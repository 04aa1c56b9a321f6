//! What failed, as a plan sees it.

use serde_json::{Map, Value};

use super::asked::{AskedCall, COMMAND_KEYS};
use crate::classify::category_confidence;
use crate::decide::{FailedChain, failed_chain};
use crate::engine::{Scene, failure_of, observe};
use crate::history::Execution;
use crate::model::{
    Basis, Category, FailureEvent, MetMode, ObjectKind, Operation, Outcome, Reading, Signature, Tool, ToolKind,
};
use crate::redact::redact_printed;
use crate::text::start;

/// A failed call, with everything that a plan is made from. Texts are redacted; arguments are as they were given, and no
/// step that would hold a secret is offered.
#[derive(Debug, Clone)]
pub struct Failed {
    /// The tool, as the input names it.
    pub tool: String,
    /// What the tool does.
    pub kind: ToolKind,
    /// Its arguments as they were given; empty where the input does not hold them.
    pub args: Map<String, Value>,
    /// The name of the argument that holds the command line.
    pub command_key: Option<String>,
    /// The command line as it may be shown.
    pub shown: String,
    /// The command line byte for byte: nothing of one that is cut or held a secret.
    pub line: Option<String>,
    /// The target of a file tool.
    pub file: Option<String>,
    /// The exit code, where it is known.
    pub exit_code: Option<i32>,
    /// The system's word for the error, such as `EACCES`.
    pub code: Option<String>,
    /// What was printed.
    pub text: String,
    /// What became of the call.
    pub outcome: Outcome,
    /// What the output says.
    pub reading: Reading,
    /// The category, and how sure it is.
    pub category: Category,
    /// From 0 to 1.
    pub confidence: f64,
    /// The error's fingerprint.
    pub signature: Signature,
    /// What was being done.
    pub operation: Operation,
    /// The limit in milliseconds that ended it, or that it asked for.
    pub limit_ms: Option<u64>,
    /// Which attempt of its episode failed.
    pub attempt: u32,
    /// The folder that the call ran in.
    pub cwd: Option<String>,
    /// A folder that the agent may write to.
    pub sandbox: Option<String>,
    /// The failure mode that it met, where the agent may be told of it.
    pub met: Option<MetMode>,
    /// The wait before it is made again, in milliseconds, where that was decided.
    pub wait_ms: Option<u64>,
}

/// The longest command that is shown, in characters.
const SHOWN: usize = 300;
/// How sure a category is that nothing tells.
const UNSURE: f64 = 0.3;

impl Failed {
    /// What was asked about, judged without a past. None where the input tells of no end of a call.
    pub fn asked(asked: &AskedCall) -> Option<Self> {
        let node = asked.call.ids.session.as_deref().unwrap_or_default();
        let scene = Scene { node, ts: "", worktree: None, red_phase: false, expected_failures: &[] };
        let event = observe(&asked.call, &scene);
        let mut failed = Self::of(asked, &failure_of(&event)?);
        failed.met = event.execution().and_then(|execution| execution.met.clone());
        Some(failed)
    }

    /// What was asked about, as it was judged.
    fn of(asked: &AskedCall, failure: &FailureEvent) -> Self {
        let mut failed = Self::judged(failure);
        failed.tool.clone_from(&asked.tool);
        failed.kind = asked.call.tool.kind;
        failed.args.clone_from(&asked.args);
        failed.code.clone_from(&asked.code);
        failed.limit_ms = asked.call.timed_out_after_ms.or(asked.call.timeout_ms);
        failed.attempt = asked.iteration.unwrap_or(1);
        failed.cwd.clone_from(&asked.call.cwd);
        failed.file = ["file_path", "file", "path", "notebook_path", "dir", "filename"]
            .iter()
            .find_map(|key| asked.args.get(*key)?.as_str())
            .filter(|path| {
                !path.is_empty() && !matches!(failed.kind, ToolKind::Shell | ToolKind::Mcp | ToolKind::Other)
            })
            .map(str::to_owned);
        let command = asked.call.command().filter(|_| asked.call.tool.kind == ToolKind::Shell);
        failed.set_command(command, &asked.call.tool.name);
        if let Some((category, confidence)) = asked.says {
            (failed.category, failed.confidence) = (category, confidence);
        }
        // Who asks by the contract says that it failed: only a refusal or an interruption is more than that.
        if asked.is_contract && !matches!(failed.outcome, Outcome::Denied | Outcome::Interrupted) {
            failed.outcome = Outcome::Failed;
        }
        failed
    }

    /// A failure of a history, of which only a part of the arguments is kept.
    pub fn kept(execution: &Execution, failure: &FailureEvent) -> Self {
        let mut failed = Self::judged(failure);
        let tool = Tool::named(&failure.tool);
        failed.kind = tool.kind;
        failed.cwd.clone_from(&execution.cwd);
        failed.met.clone_from(&execution.met);
        let given = execution.input.as_deref().unwrap_or_default();
        match tool.kind {
            ToolKind::Shell => {
                let whole = crate::decide::offered(execution).filter(|line| line.len() < 297);
                if let Some(line) = whole {
                    failed.args.insert("command".to_owned(), Value::String(line.to_owned()));
                }
                failed.set_command(Some(given), &tool.name);
                failed.line = whole.map(str::to_owned);
            }
            ToolKind::Read | ToolKind::Edit | ToolKind::Write if !given.is_empty() => {
                failed.file = Some(given.to_owned());
                // Of an edit the texts are not kept.
                if tool.kind == ToolKind::Read {
                    failed.args.insert("file_path".to_owned(), Value::String(given.to_owned()));
                }
            }
            _ => {}
        }
        failed
    }

    fn judged(failure: &FailureEvent) -> Self {
        let reading = failure.reading.clone();
        Self {
            tool: failure.tool.clone(),
            kind: Tool::named(&failure.tool).kind,
            args: Map::new(),
            command_key: None,
            shown: String::new(),
            line: None,
            file: None,
            exit_code: failure.exit_code,
            code: None,
            text: failure.text.clone(),
            outcome: failure.outcome,
            category: reading.category,
            confidence: reading.basis.map_or(UNSURE, |basis| category_confidence(basis).value()),
            reading,
            signature: failure.signature.clone(),
            operation: failure.operation.clone(),
            limit_ms: None,
            attempt: failure.failed_attempts.unwrap_or(1),
            cwd: None,
            sandbox: None,
            met: None,
            wait_ms: None,
        }
    }

    fn set_command(&mut self, command: Option<&str>, tool: &str) {
        let Some(command) = command.filter(|command| !command.trim().is_empty()) else { return };
        let redacted = redact_printed(command);
        start(&redacted, SHOWN).clone_into(&mut self.shown);
        self.command_key = COMMAND_KEYS.iter().find(|key| self.args.contains_key(**key)).map(|key| (*key).to_owned());
        self.command_key.get_or_insert_with(|| "command".to_owned());
        self.line = (redacted == command
            && tool != "PowerShell"
            && self.args.values().any(|value| value.as_str() == Some(command)))
        .then(|| command.to_owned());
    }

    /// The category that is acted on: where only a program's name speaks, the check that it is.
    pub fn kind_of_error(&self) -> Category {
        let is_guess = self.category == Category::Unknown && self.reading.basis == Some(Basis::Guess);
        self.reading.likely.filter(|likely| is_guess && likely.is_of_check()).unwrap_or(self.category)
    }

    /// The first object of a kind.
    pub fn object(&self, kind: ObjectKind) -> Option<&str> {
        self.reading.objects.iter().find(|object| object.kind == kind).map(|object| object.name.as_str())
    }

    /// What of the line's `&&` chain has run by now, as [`failed_chain`] says.
    pub fn chain(&self) -> Option<FailedChain<'_>> {
        failed_chain(self.line.as_deref()?, &self.reading, &self.text)
    }

    /// The line that matters.
    pub fn line_that_matters(&self) -> Option<&str> {
        let first = || self.text.lines().map(str::trim).find(|line| !line.is_empty());
        self.reading.line.as_deref().or_else(first)
    }
}
