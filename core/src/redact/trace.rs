//! A trace without its secrets: each text is redacted as a whole, before anything is picked from it.

use std::borrow::Cow;

use super::redact_printed;
use crate::model::{Output, ToolInput, Trace, TracedCall};

/// The same calls without secrets; None where there is none in them.
pub fn trace_without_secrets(trace: &Trace<'_>) -> Option<Trace<'static>> {
    let mut changed = false;
    let mut clean = |text: &str| {
        let text = redact_printed(text);
        changed |= matches!(text, Cow::Owned(_));
        Cow::Owned(text.into_owned())
    };
    let calls = trace.calls.iter().map(|call| TracedCall {
        tool: call.tool.clone(),
        input: match &call.input {
            ToolInput::Command { command, background } => {
                ToolInput::Command { command: clean(command), background: *background }
            }
            ToolInput::File { path, lines } => ToolInput::File { path: clean(path), lines: *lines },
            ToolInput::Other { summary } => ToolInput::Other { summary: clean(summary).into_owned() },
        },
        output: match &call.output {
            Output::Apart { stdout, stderr } => Output::Apart { stdout: clean(stdout), stderr: clean(stderr) },
            Output::Merged(text) => Output::Merged(clean(text)),
        },
        status: call.status,
        exit_code: call.exit_code,
        hang: call.hang,
        limit_ms: call.limit_ms,
        printed: call.printed,
        truncated: call.truncated,
        exit_meaning: call.exit_meaning.clone(),
        ran_here: call.ran_here,
    });
    let calls = calls.collect();
    changed.then_some(Trace { calls })
}
