//! What one run of the client came to.

use serde::Serialize;
use serde_json::value::RawValue;
#[cfg(unix)]
use signal_hook::low_level::signal_name;

use super::cause::Cause;
use super::extract::{Extraction, ResultLine};
use super::json::{compact, members, string};
use crate::model::Verdict;
use crate::redact::redact;
use crate::text::one_line;

/// Windows has no names for them.
#[cfg(not(unix))]
fn signal_name(_: i32) -> Option<&'static str> {
    None
}

/// The most of a raw stream that is given inline, in bytes.
pub const INLINE_STDOUT: usize = 1024 * 1024;

/// What one run of the client came to: the clean text of its result, and everything that says whether to believe it.
/// Values of the stream are as they were written there.
#[derive(Debug, Serialize)]
pub struct CommandExecution {
    /// Whether the run did its work. A result may lack a text all the same.
    pub success: bool,
    /// The raw stream; None where it is longer than [`INLINE_STDOUT`], or was not kept.
    pub stdout: Option<String>,
    /// The text of the result: a string as it is, any other value as JSON. None where there is none.
    pub result_text: Option<String>,
    /// The end of what the client wrote to stderr, where that was seen.
    pub stderr: Option<String>,
    /// The client's exit code; None where it is not known, and after a signal.
    pub exit_code: Option<i32>,
    /// The client's session: the first that the stream names.
    pub session_id: Option<String>,
    /// Why the run is no success, or why it has no text.
    pub error_message: Option<String>,
    /// How long the run took, in seconds.
    pub duration_seconds: Option<f64>,
    /// The structured output, else an object or array that is the result.
    pub result_json: Option<Box<RawValue>>,
    /// How the run ended, in the client's words: `success`, `error_max_turns`.
    pub subtype: Option<String>,
    /// Whether the client marked the result as an error.
    pub is_error: Option<bool>,
    /// What ended the run, in the client's words: `completed`, `api_error`, `max_turns`.
    pub terminal_reason: Option<String>,
    /// The HTTP status of the model's API.
    pub api_error_status: Option<Box<RawValue>>,
    /// How many turns the run took.
    pub num_turns: Option<Box<RawValue>>,
    /// What the run cost, in dollars.
    pub cost_usd: Option<Box<RawValue>>,
    /// The tokens, as the client tells them.
    pub usage: Option<Box<RawValue>>,
    /// Calls that were denied, as the client tells them; an empty array where none was.
    pub permission_denials: Vec<Box<RawValue>>,
    /// How many results the stream held. The last one counts.
    pub results: u64,
    /// What kind of failure it was; None where it was none.
    pub verdict: Option<Verdict>,
    /// The version of this shape.
    pub schema_version: u32,
    #[serde(skip)]
    ending: Ending,
    #[serde(skip)]
    cause: Option<Cause>,
    #[serde(skip)]
    repeats: bool,
}

/// How a run ended, for an exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// There is a text.
    Text,
    /// The run failed.
    Failed,
    /// The run did not fail as far as the stream tells, but it holds no text.
    NoText,
    /// What was read is no stream.
    NoStream,
}

/// What is known of a run besides its stream.
#[derive(Debug, Default)]
pub struct OutsideCause {
    /// The raw stream, as far as it is to be given.
    pub stdout: Option<String>,
    /// What stands in for a result where the input is no stream.
    pub text: Option<String>,
    /// The end of what the client wrote to stderr.
    pub stderr: Option<String>,
    /// The client's exit code.
    pub exit_code: Option<i32>,
    /// The signal that ended the client, where it did not end by itself and nobody here ended it.
    pub signal: Option<i32>,
    /// How long the run took; else the stream says it.
    pub duration_seconds: Option<f64>,
    /// Why the client was ended from outside: the run failed then, whatever its stream says.
    pub stopped: Option<Stopped>,
}

/// Why a client was ended from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stopped {
    /// It said nothing for too long.
    Silent(String),
    /// Its time was up.
    Late(String),
    /// Somebody asked for it, by this signal.
    Signal(i32),
}

impl Stopped {
    /// Why, for people.
    fn why(&self) -> String {
        match self {
            Self::Silent(why) | Self::Late(why) => why.clone(),
            Self::Signal(_) => "somebody ended the run".to_owned(),
        }
    }
}

/// Signals by which a program is ended for a fault of its own.
const FAULTS: &[&str] =
    &["SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGSEGV", "SIGSYS", "SIGXCPU", "SIGXFSZ"];

/// How many of the last lines of a client are told, and how long each of them may be.
const LAST_LINES: usize = 3;
const LAST_LINE: usize = 200;

impl OutsideCause {
    fn repeats(&self, is_stream: bool) -> bool {
        let is_fault = |signal| signal_name(signal).is_some_and(|name| FAULTS.contains(&name));
        self.signal.map_or(!is_stream, is_fault)
    }

    /// How the client ended, without what, and its last lines, for people.
    fn told(&self, lacks: &str) -> String {
        let how = match (self.signal, self.exit_code) {
            (Some(signal), _) => format!("the client was ended by {}", signal_name(signal).unwrap_or("a signal")),
            (None, code) => ended_with(code),
        };
        let said =
            redact(&self.last_lines()).lines().map(|line| one_line(line, LAST_LINE)).collect::<Vec<_>>().join("; ");
        if said.is_empty() { format!("{how} without {lacks}") } else { format!("{how} without {lacks}: {said}") }
    }

    /// The last lines of what the client wrote to stderr, else of what it printed that is no stream.
    fn last_lines(&self) -> String {
        let texts = [&self.stderr, &self.stdout].into_iter().flatten();
        let is_said = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with(['{', '[']);
        let mut lines = texts.map(|text| text.lines().rev().filter(is_said).take(LAST_LINES).collect::<Vec<_>>());
        let mut last = lines.find(|lines| !lines.is_empty()).unwrap_or_default();
        last.reverse();
        last.join("\n")
    }
}

impl CommandExecution {
    /// The version of the shape.
    pub const SCHEMA_VERSION: u32 = 1;

    /// Puts together what the stream said and what is known besides.
    pub fn new(extraction: Extraction, outside: OutsideCause) -> Self {
        let Extraction { findings, has_text, cut } = extraction;
        let is_stream = findings.is_stream;
        let results = findings.results;
        let session_id = findings.session_id;
        let api_error = findings.api_error;
        let line = findings.last;
        let result_text = match &line {
            Some(line) => line.text(),
            None if is_stream || cut => None,
            None => outside.text.clone(),
        };
        let code_fails = outside.exit_code.is_some_and(|code| code != 0);
        // Its stderr is there of a client that was followed to its end.
        let is_followed = outside.stderr.is_some();
        let broke_off = is_followed && (code_fails || outside.signal.is_some());
        let failed = line.as_ref().is_some_and(ResultLine::has_failed);
        // Without a turn the model was not asked: the client refused what it was given.
        let asks = |line: &ResultLine| line.num_turns.as_ref().is_none_or(|turns| turns.get() != "0");
        let repeats =
            is_followed && line.as_ref().map_or_else(|| outside.repeats(is_stream), |line| failed && !asks(line));
        let (ending, error_message) = match &line {
            _ if outside.stopped.is_some() => (Ending::Failed, outside.stopped.as_ref().map(Stopped::why)),
            Some(line) if failed => (Ending::Failed, Some(line.why_failed())),
            Some(_) if code_fails => (Ending::Failed, Some(ended_with(outside.exit_code))),
            Some(_) if result_text.is_none() => (Ending::NoText, Some("the result has no text".to_owned())),
            Some(_) => (Ending::Text, None),
            None if is_stream || cut => {
                let api_error = api_error.as_ref().map(|error| error.text.clone()).filter(|text| !text.is_empty());
                let cut_off = || "the stream has no result: it was cut off".to_owned();
                let why = api_error.unwrap_or_else(|| if broke_off { outside.told("a result") } else { cut_off() });
                (if broke_off { Ending::Failed } else { Ending::NoText }, Some(why))
            }
            None if result_text.is_some() && code_fails => (Ending::Failed, Some(ended_with(outside.exit_code))),
            None if result_text.is_some() => (Ending::Text, None),
            None if is_followed => (Ending::Failed, Some(outside.told("a stream"))),
            None if has_text => (Ending::NoStream, Some("this is no stream of Claude Code".to_owned())),
            None => (Ending::NoStream, Some("there is no stream: nothing was read".to_owned())),
        };
        let cause = match ending {
            Ending::Text => None,
            Ending::NoText if line.is_some() => None,
            _ if matches!(outside.stopped, Some(Stopped::Signal(_))) => None,
            _ if outside.stopped.is_some() => error_message.clone().map(Cause::hang),
            _ => {
                let is_told = line.is_some() || api_error.is_some() || !is_followed;
                let told = if is_told { error_message.clone().unwrap_or_default() } else { outside.last_lines() };
                Some(Cause::of_stream(line.as_ref(), api_error.as_ref(), &told))
            }
        };
        let success = ending == Ending::Text || (ending == Ending::NoText && line.is_some());
        let result_json = line.as_ref().and_then(ResultLine::json);
        let line = line.unwrap_or_default();
        Self {
            success,
            stdout: outside.stdout,
            result_text,
            stderr: outside.stderr,
            exit_code: outside.exit_code,
            session_id,
            error_message,
            duration_seconds: outside.duration_seconds.or(line.duration_ms.map(|ms| ms / 1000.0)),
            result_json,
            subtype: line.subtype,
            is_error: line.is_error,
            terminal_reason: line.terminal_reason,
            api_error_status: line.api_error_status,
            num_turns: line.num_turns,
            cost_usd: line.cost_usd,
            usage: line.usage,
            permission_denials: line.permission_denials,
            results,
            verdict: None,
            schema_version: Self::SCHEMA_VERSION,
            ending,
            cause,
            repeats,
        }
    }

    /// Whether the client ended in a way that another start would repeat, unless its words say that it may pass: it refused
    /// its flags or settings before it asked the model, or crashed.
    pub fn repeats(&self) -> bool {
        self.repeats
    }

    /// How the run ended.
    pub fn ending(&self) -> Ending {
        self.ending
    }

    /// Why the run failed, where its stream tells; None for a run that did not fail, and for one that was ended from
    /// outside.
    pub fn cause(&self) -> Option<&Cause> {
        self.cause.as_ref()
    }

    /// The tools whose calls were denied, each as often as it was.
    pub fn denied(&self) -> Vec<String> {
        let name = |call: &RawValue| members(call.get(), &["tool_name"])?[0].and_then(string);
        self.permission_denials
            .iter()
            .map(|call| name(call).unwrap_or_else(|| "a tool without a name".to_owned()))
            .collect()
    }

    /// What the run cost, in dollars, where the stream tells it.
    pub fn cost(&self) -> Option<f64> {
        self.cost_usd.as_ref()?.get().parse().ok().filter(|cost: &f64| cost.is_finite() && *cost >= 0.0)
    }
}

fn ended_with(code: Option<i32>) -> String {
    code.map_or_else(|| "the client failed".to_owned(), |code| format!("the client ended with exit code {code}"))
}

impl ResultLine {
    /// The result as text: a string as it is, any other value as JSON.
    fn text(&self) -> Option<String> {
        let result = self.result.as_deref()?;
        Some(string(result).unwrap_or_else(|| compact(result)))
    }

    /// The structured output, else an object or array that is the result.
    fn json(&self) -> Option<Box<RawValue>> {
        let shaped = self.result.as_ref().filter(|result| result.get().starts_with(['{', '[']));
        let value = self.structured_output.as_ref().or(shaped)?;
        RawValue::from_string(compact(value)).ok()
    }

    /// Whether the run failed: the client says so, and it is no clean stop that only carries the mark of an error.
    fn has_failed(&self) -> bool {
        if self.subtype.as_deref().is_some_and(|subtype| subtype.starts_with("error")) {
            return true;
        }
        self.is_error == Some(true) && !self.is_clean_stop()
    }

    /// A stop sequence ended the answer: that is no failure, although the client marks it as one.
    fn is_clean_stop(&self) -> bool {
        self.subtype.as_deref() == Some("success")
            && self.terminal_reason.as_deref() == Some("completed")
            && !self.after_api_error
    }

    fn why_failed(&self) -> String {
        let text = self.text().filter(|text| !text.is_empty());
        let errors = (!self.errors.is_empty()).then(|| self.errors.join("; "));
        let subtype = || self.subtype.as_ref().map(|subtype| format!("the run ended with {subtype}"));
        text.or(errors).or_else(subtype).unwrap_or_else(|| "the run failed and does not say why".to_owned())
    }
}
