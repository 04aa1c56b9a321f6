//! Calls that are to be diagnosed, wherever they were written down.

use std::borrow::Cow;

use super::{Status, Tool, ToolCall, ToolInput};

/// Calls in the order in which they were made.
#[derive(Debug, Clone, Default)]
pub struct Trace<'a> {
    /// The calls.
    pub calls: Vec<TracedCall<'a>>,
}

/// One call of a trace. Unlike a [`ToolCall`] it keeps its two streams apart, where its source has them.
#[derive(Debug, Clone)]
pub struct TracedCall<'a> {
    /// The tool.
    pub tool: Tool,
    /// What the tool was asked to do. An empty command line: the source does not tell it.
    pub input: ToolInput<'a>,
    /// What it printed.
    pub output: Output<'a>,
    /// How it ended. A call whose end the source does not tell was handed over as a failure.
    pub status: Status,
    /// The exit code, where the source states one; -15 and 143 are both 143.
    pub exit_code: Option<i32>,
    /// Whether it did not end by itself: a limit ended it, or it went on in the background when its time was up.
    pub hang: bool,
    /// The limit in milliseconds, where the source tells it.
    pub limit_ms: Option<u64>,
    /// How many characters it printed, where the source kept fewer of them than that.
    pub printed: Option<u64>,
    /// Whether the source cut the middle or the end out of the output.
    pub truncated: bool,
    /// The client's own reading of a non-zero status that it takes for an answer.
    pub exit_meaning: Option<String>,
    /// Whether it ran where Failwise keeps the history of.
    pub ran_here: bool,
}

/// What a call printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output<'a> {
    /// The two streams apart.
    Apart {
        /// Standard output.
        stdout: Cow<'a, str>,
        /// Standard error.
        stderr: Cow<'a, str>,
    },
    /// Both in one text, as they came.
    Merged(Cow<'a, str>),
}

/// Where a line was printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
    /// The source does not keep the streams apart.
    Either,
}

impl Output<'_> {
    /// The streams with their texts: standard error first.
    pub fn streams(&self) -> [(Stream, &str); 2] {
        match self {
            Self::Apart { stdout, stderr } => [(Stream::Stderr, stderr), (Stream::Stdout, stdout)],
            Self::Merged(text) => [(Stream::Either, text), (Stream::Stdout, "")],
        }
    }

    /// Standard output, where it is known apart; else everything.
    pub fn stdout(&self) -> &str {
        match self {
            Self::Apart { stdout, .. } => stdout,
            Self::Merged(text) => text,
        }
    }

    /// Standard error, where it is known apart.
    pub fn stderr(&self) -> Option<&str> {
        match self {
            Self::Apart { stderr, .. } => Some(stderr),
            Self::Merged(_) => None,
        }
    }

    /// Whether nothing was printed.
    pub fn is_blank(&self) -> bool {
        self.streams().iter().all(|(_, text)| text.trim().is_empty())
    }

    /// How many characters are there.
    pub fn characters(&self) -> u64 {
        self.streams().iter().map(|(_, text)| text.chars().count() as u64).sum()
    }

    /// Both streams in one text.
    pub fn merged(&self) -> Cow<'_, str> {
        match self {
            Self::Merged(text) => Cow::Borrowed(text),
            Self::Apart { stdout, stderr } if stderr.is_empty() => Cow::Borrowed(stdout),
            Self::Apart { stdout, stderr } if stdout.is_empty() => Cow::Borrowed(stderr),
            Self::Apart { stdout, stderr } => Cow::Owned(format!("{stdout}\n{stderr}")),
        }
    }
}

impl<'a> TracedCall<'a> {
    /// A shell call of which nothing is known but that it was handed over as a failure.
    pub fn new() -> Self {
        Self {
            tool: Tool::named("Bash"),
            input: ToolInput::Command { command: Cow::Borrowed(""), background: false },
            output: Output::Merged(Cow::Borrowed("")),
            status: Status::Failed,
            exit_code: None,
            hang: false,
            limit_ms: None,
            printed: None,
            truncated: false,
            exit_meaning: None,
            ran_here: false,
        }
    }

    /// The trace's form of a call that the client reported.
    pub fn of(call: ToolCall<'a>) -> Self {
        let limited = call.timed_out_after_ms.is_some();
        Self {
            hang: limited || call.exit_code == Some(TIMED_OUT),
            limit_ms: call.timed_out_after_ms,
            truncated: call.truncated,
            exit_meaning: call.exit_meaning,
            status: call.status,
            exit_code: call.exit_code,
            output: Output::Merged(call.text),
            tool: call.tool,
            input: call.input,
            ..Self::new()
        }
    }

    /// The call as the rest of Failwise knows it: the streams in one text. One that hung is a failure, whatever its
    /// end is called.
    pub fn as_tool_call(&self) -> ToolCall<'_> {
        ToolCall { text: self.output.merged(), ..self.without_output() }
    }

    /// The same without what it printed.
    pub fn without_output(&self) -> ToolCall<'_> {
        let status = if self.hang { Status::Failed } else { self.status };
        ToolCall {
            exit_code: self.exit_code,
            timed_out_after_ms: self.limit_ms.or(self.hang.then_some(0)),
            truncated: self.truncated,
            exit_meaning: self.exit_meaning.clone(),
            ..ToolCall::new(self.tool.clone(), self.input.borrowed(), status)
        }
    }

    /// The command line, where one is known.
    pub fn command(&self) -> Option<&str> {
        match &self.input {
            ToolInput::Command { command, .. } if !command.trim().is_empty() => Some(command),
            _ => None,
        }
    }

    /// How many characters it printed.
    pub fn size(&self) -> u64 {
        self.printed.unwrap_or(0).max(self.output.characters())
    }
}

impl Default for TracedCall<'_> {
    fn default() -> Self {
        Self::new()
    }
}

/// The status of `timeout` when it ended its command.
pub const TIMED_OUT: i32 = 124;
