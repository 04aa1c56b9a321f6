//! A call without its secrets, and no longer than what is looked at or kept of it.

use std::borrow::Cow;

use super::neighbour::shown_secrets;
use super::redact_printed;
use crate::model::{Reported, TIMED_OUT, Tool, ToolCall, ToolInput};
use crate::text::{head, tail};

/// The most of an output that is looked at, in bytes: its beginning and its end, where runners put their results.
const HEAD_LIMIT: usize = 16 * 1024;
const TAIL_LIMIT: usize = 64 * 1024;
/// The most of a command that the history keeps for people, in bytes.
pub(crate) const INPUT_LIMIT: usize = 300;

/// The same call with everything redacted that is stored, hashed or shown.
pub(crate) fn without_secrets<'a>(call: &'a ToolCall<'_>) -> ToolCall<'a> {
    let input = match &call.input {
        ToolInput::Command { command, background } => {
            ToolInput::Command { command: redact_printed(command), background: *background }
        }
        ToolInput::File { path, lines } => ToolInput::File { path: Cow::Owned(short(path, PATH_LIMIT)), lines: *lines },
        ToolInput::Other { summary } => ToolInput::Other { summary: redact_printed(summary).into_owned() },
    };
    ToolCall {
        tool: Tool { name: short(&call.tool.name, NAME_LIMIT), kind: call.tool.kind },
        input,
        ids: call.ids.clone(),
        cwd: call.cwd.as_deref().map(|cwd| short(cwd, PATH_LIMIT)),
        phase: call.phase,
        status: call.status,
        exit_code: call.exit_code,
        text: shown_text(call),
        timed_out_after_ms: call.timed_out_after_ms,
        timeout_ms: call.timeout_ms,
        took_ms: call.took_ms,
        truncated: call.truncated,
        took_screen: call.took_screen || call.exit_code == Some(TIMED_OUT) && takes_screen(&call.text),
        background_task: call.background_task.clone(),
        exit_meaning: call.exit_meaning.as_deref().map(|meaning| short(meaning, NAME_LIMIT)),
        description: call.description.as_deref().map(|words| Cow::Borrowed(head(words, INPUT_LIMIT))),
        answer: None,
        ended: None,
        reported: reported(&call.reported),
    }
}

/// Whether a program took the whole screen of a terminal.
fn takes_screen(text: &str) -> bool {
    text.contains("\x1b[?1049h") || text.contains("\x1b[2J")
}

fn reported(reported: &Reported) -> Reported {
    let short = |text: &String| short(text, NAME_LIMIT);
    Reported {
        cause: reported.cause.as_ref().map(short),
        conflict_id: reported.conflict_id.as_ref().map(short),
        node: reported.node.clone(),
        failed_attempts: reported.failed_attempts,
        files_touched: reported
            .files_touched
            .iter()
            .take(FILES_LIMIT)
            .map(|file| self::short(file, PATH_LIMIT))
            .collect(),
    }
}

/// The most of a name and of a path that the history keeps, in bytes, and the most files of a report.
const NAME_LIMIT: usize = 200;
pub(crate) const PATH_LIMIT: usize = 4096;
const FILES_LIMIT: usize = 64;

/// A short text without secrets.
pub(crate) fn short(text: &str, limit: usize) -> String {
    let clean = redact_printed(text);
    clean[..clean.floor_char_boundary(limit)].to_owned()
}

/// How much more than what is kept is looked at: a secret whose beginning was cut off could not be told from other text.
const MARGIN: usize = 4096;

/// The beginning and the end of an output, without secrets. Redaction comes before the cuts.
fn redacted_bounds(text: &str) -> Cow<'_, str> {
    if text.len() <= HEAD_LIMIT + TAIL_LIMIT {
        return redact_printed(text);
    }
    let beginning = redact_printed(&text[..text.floor_char_boundary(HEAD_LIMIT + MARGIN)]);
    let end = redacted_end(text);
    let (head, tail) = (head(&beginning, HEAD_LIMIT), tail(&end, TAIL_LIMIT));
    let left_out = text.len().saturating_sub(head.len() + tail.len());
    Cow::Owned(format!("{head}\n... [{left_out} characters truncated] ...\n{tail}"))
}

/// The text of a call without secrets; behind a command that shows a file of secrets it is judged as that file.
fn shown_text<'a>(call: &'a ToolCall<'_>) -> Cow<'a, str> {
    let ToolInput::Command { command, .. } = &call.input else { return redacted_bounds(&call.text) };
    let status =
        call.text.split_inclusive('\n').next().filter(|line| line.starts_with("Exit code ")).unwrap_or_default();
    let output = &call.text[status.len()..];
    let word = output.lines().next().unwrap_or_default();
    let is_word = !word.is_empty() && !word.contains([' ', '\t']);
    let Some(shows) = shown_secrets(command, is_word) else { return redacted_bounds(&call.text) };
    let file = ["$ ", shows, "\n", output].concat();
    let clean = redacted_bounds(&file).into_owned();
    let (_, clean) = clean.split_once('\n').unwrap_or_default();
    Cow::Owned([status, clean].concat())
}

/// The end of a text without secrets, where its beginning may have been cut off within one: about 64 KiB.
pub fn redacted_end(text: &str) -> Cow<'_, str> {
    if text.len() <= TAIL_LIMIT {
        return redact_printed(text);
    }
    let cut = text.len() - text.len().min(TAIL_LIMIT + MARGIN);
    let end = redact_printed(&text[text.ceil_char_boundary(cut)..]);
    Cow::Owned(end[end.ceil_char_boundary(end.len().min(MARGIN))..].to_owned())
}

/// What the history keeps of a redacted call's command or target; None where there is neither.
pub(crate) fn shown_input(call: &ToolCall<'_>) -> Option<String> {
    let input = match &call.input {
        ToolInput::Command { command, .. } => command.as_ref(),
        ToolInput::File { path, .. } => path.as_ref(),
        ToolInput::Other { summary } => summary.as_str(),
    };
    (!input.is_empty()).then(|| input[..input.floor_char_boundary(INPUT_LIMIT)].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Status;
    use crate::reading::judge;

    #[test]
    fn what_a_command_shows_of_a_file_of_secrets_goes() {
        for (command, goes) in
            [("cat /etc/vpn/auth.txt", true), ("ls && cat .secrets/token", true), ("cat notes.txt", false)]
        {
            let input = ToolInput::Command { command: Cow::Borrowed(command), background: false };
            let call = ToolCall {
                text: Cow::Borrowed("Exit code 1\nops\nWalnut-7meadow\ncat: nosuch: No such file"),
                ..ToolCall::new(Tool::named("Bash"), input, Status::Failed)
            };
            let kept = if goes { "[redacted:secret]" } else { "Walnut-7meadow" };
            let wanted = format!("Exit code 1\nops\n{kept}\ncat: nosuch: No such file");
            assert_eq!(without_secrets(&call).text, wanted, "{command}");
        }
    }

    #[test]
    fn what_sequences_tell_of_a_screen_is_noted_before_they_go() {
        use crate::model::Outcome::{BenignNonZero, Failed};
        for (code, text, wanted, outcome) in [
            (124, "\x1b[?1049h\x1b[H tides", true, BenignNonZero),
            (124, " tides", false, Failed),
            (1, "\x1b[2J tides", false, Failed),
        ] {
            let command = Cow::Borrowed("timeout 3 ./tides");
            let input = ToolInput::Command { command, background: false };
            let call = ToolCall {
                exit_code: Some(code),
                text: Cow::Borrowed(text),
                ..ToolCall::new(Tool::named("Bash"), input, Status::Failed)
            };
            let clean = without_secrets(&call);
            assert_eq!(clean.took_screen, wanted, "{code} {text:?}");
            assert!(!clean.text.contains('\x1b'), "{text:?}");
            assert_eq!(judge(&clean, false).outcome, outcome, "{code} {text:?}");
        }
    }
}
