//! What failed, as a plan sees it.

use serde_json::{Map, Value};

use super::asked::{AskedCall, COMMAND_KEYS};
use crate::classify::category_confidence;
use crate::engine::{Scene, failure_of, observe};
use crate::history::Execution;
use crate::model::{
    Basis, Category, FailureEvent, FindingKind, ObjectKind, Operation, Outcome, Reading, Signature, Tool, ToolKind,
};
use crate::programs::Trait;
use crate::reading::findings;
use crate::redact::redact_printed;
use crate::shell::{Command, Join, Nesting, Pipeline, Script, WordRole, placed_words};
use crate::text::cut;

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
}

/// The longest command that is shown, in characters.
const SHOWN: usize = 300;
/// How sure a category is that nothing tells.
const UNSURE: f64 = 0.3;

/// What has run of a chain that failed: `b` failed in `a && b && c`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FailedChain<'f> {
    /// The parts that passed before it, but for what prepares the shell or only looks: `a`. Empty where the output does not
    /// tell which part failed.
    pub ran: Vec<&'f str>,
    /// The line up to the part that failed, where that is known.
    before: Option<&'f str>,
    /// What of it prepares the shell.
    prepares: String,
}

impl FailedChain<'_> {
    /// A form of the line without what has run: `b && c`. None where that is not known.
    pub fn left_of(&self, form: &str) -> Option<String> {
        let rest = form.strip_prefix(self.before?)?;
        Some(format!("{}{rest}", self.prepares))
    }
}

impl Failed {
    /// What was asked about, judged without a past. None where the input tells of no end of a call.
    pub fn asked(asked: &AskedCall) -> Option<Self> {
        let node = asked.call.ids.session.as_deref().unwrap_or_default();
        let scene = Scene { node, ts: "", worktree: None, red_phase: false, expected_failures: &[] };
        let event = observe(&asked.call, &scene);
        Some(Self::of(asked, &failure_of(&event)?))
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
        }
    }

    fn set_command(&mut self, command: Option<&str>, tool: &str) {
        let Some(command) = command.filter(|command| !command.trim().is_empty()) else { return };
        let redacted = redact_printed(command);
        self.shown = cut(&redacted, SHOWN);
        self.command_key = COMMAND_KEYS.iter().find(|key| self.args.contains_key(**key)).map(|key| (*key).to_owned());
        self.command_key.get_or_insert_with(|| "command".to_owned());
        self.line = (redacted == command
            && tool != "PowerShell"
            && self.args.values().any(|value| value.as_str() == Some(command)))
        .then(|| command.to_owned());
    }

    /// The category that is acted on: where only a program's name speaks, what it likely is.
    pub fn kind_of_error(&self) -> Category {
        if self.category == Category::Unknown && self.reading.basis == Some(Basis::Guess) {
            self.reading.likely.unwrap_or(Category::Unknown)
        } else {
            self.category
        }
    }

    /// The first object of a kind.
    pub fn object(&self, kind: ObjectKind) -> Option<&str> {
        self.reading.objects.iter().find(|object| object.kind == kind).map(|object| object.name.as_str())
    }

    /// What of the line's `&&` chain has run by now; None where nothing before the part that failed did anything, and where
    /// the line is no plain chain.
    pub fn chain(&self) -> Option<FailedChain<'_>> {
        let line = self.line.as_deref()?;
        let script = Script::parse(line);
        let parts = &script.pipelines;
        let is_whole = |part: &Pipeline| part.commands.iter().all(|command| !command.program.is_empty());
        let is_plain = |part: &Pipeline| part.nesting == Nesting::Top && is_whole(part);
        if script.incomplete || !parts.iter().all(is_plain) || parts.iter().skip(1).any(|part| part.join != Join::And) {
            return None;
        }
        let words = placed_words(line)?;
        let begins = parts.iter().scan(0, |number, part| {
            let first = words.iter().find(|word| word.command == *number);
            *number += part.commands.len();
            Some(first.filter(|first| first.role != WordRole::Target).map(|first| first.range.start))
        });
        let begins: Vec<usize> = begins.collect::<Option<_>>()?;
        let ends = begins.iter().skip(1).copied().chain([line.len()]);
        let texts = begins.iter().zip(ends).filter_map(|(from, until)| line.get(*from..until));
        let texts = texts.map(|text| text.trim_end().trim_end_matches("&&").trim_end());
        let all_are = |part: &Pipeline, own: Trait| part.commands.iter().all(|command| command.is(own));
        let prepares = |part: &Pipeline| all_are(part, Trait::Prepares) || all_are(part, Trait::Enters);
        let only_shows = |part: &Pipeline| {
            let traits = [Trait::Looks, Trait::Displays, Trait::Harmless, Trait::Prints];
            traits.iter().any(|own| all_are(part, *own))
        };
        let failed = self.failed_part(parts);
        let before = parts.iter().zip(texts).take(failed.unwrap_or(parts.len().saturating_sub(1)));
        let (kept, ran): (Vec<_>, Vec<_>) =
            before.filter(|(part, _)| prepares(part) || !only_shows(part)).partition(|(part, _)| prepares(part));
        if ran.is_empty() {
            return None;
        }
        let Some(failed) = failed else { return Some(FailedChain::default()) };
        Some(FailedChain {
            ran: ran.into_iter().map(|(_, text)| text).collect(),
            before: line.get(..*begins.get(failed)?),
            prepares: kept.into_iter().flat_map(|(_, text)| [text, " && "]).collect(),
        })
    }

    /// Which part of a chain failed: the only one that the output can be of.
    fn failed_part(&self, parts: &[Pipeline]) -> Option<usize> {
        let only = |may_be: &dyn Fn(&Command) -> bool| {
            let mut found = parts.iter().enumerate().filter(|(_, part)| part.commands.iter().any(may_be));
            found.next().filter(|_| found.next().is_none()).map(|(at, _)| at)
        };
        let named = self.object(ObjectKind::Program);
        let runner = self.reading.runner.as_deref();
        let is_ahead = || findings(&self.text).iter().any(|found| found.kind == FindingKind::RemoteAhead);
        // The shell names the script of whose line it speaks.
        let speaks = |command: &Command| {
            let said = self.line_that_matters().and_then(|line| line.strip_prefix(&*command.raw));
            said.is_some_and(|rest| rest.starts_with(':'))
        };
        only(&|command| named.is_some_and(|name| command.raw == name || command.program == name))
            .or_else(|| only(&|command| runner.is_some_and(|own| command.runs(own) || command.name() == own)))
            .or_else(|| only(&speaks))
            .or_else(|| only(&|command| command.is(Trait::Pushes)).filter(|_| is_ahead()))
    }

    /// The line that matters.
    pub fn line_that_matters(&self) -> Option<&str> {
        let first = || self.text.lines().map(str::trim).find(|line| !line.is_empty());
        self.reading.line.as_deref().or_else(first)
    }
}
