//! The frame that other agents put around a command's output: its exit code, its time limit, who stopped it.

use super::phrases::code;
use crate::time::first_span;

/// A command's output without its frame.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Framed<'a> {
    pub(super) exit_code: Option<i32>,
    /// The agent's time limit, where that ended the command.
    pub(super) limit_ms: Option<u64>,
    /// Whether a person stopped the command.
    pub(super) stopped: bool,
    pub(super) text: &'a str,
}

/// What a line of a frame says.
enum Says {
    Code(i32),
    Limit(u64),
    Stopped,
    /// Nothing that is kept: a duration, a directory, an identifier.
    Detail,
}

/// The most lines of a frame on either side.
const MOST_LINES: usize = 12;

/// Takes the frame off. None: the text has no frame.
pub(super) fn open(text: &str) -> Option<Framed<'_>> {
    let mut framed = Framed { exit_code: None, limit_ms: None, stopped: false, text };
    let tagged = framed.take_tags();
    let behind = framed.take_behind();
    let before = framed.take_before(behind);
    (tagged || behind || before).then_some(framed)
}

/// The words that stand before the limit in a sentence about it, and the beginning of that sentence.
const LIMITS: &[(&str, &str)] = &[
    ("command timed out after ", "timed out after "),
    ("Command timed out after ", "timed out after "),
    ("Command was automatically cancelled because it exceeded the timeout of ", "timeout of "),
    ("[The command has no new output after ", "no new output after "),
    ("[The command timed out after ", "timed out after "),
    ("bash tool terminated command after exceeding timeout ", "timeout "),
    ("shell tool terminated command after exceeding timeout ", "timeout "),
    ("Command timed out and was killed after ", "killed after "),
    ("The command '", " was cancelled because it took more than "),
];

/// The limit that a sentence of an agent states.
pub(super) fn limit(line: &str) -> Option<u64> {
    let (_, mark) = LIMITS.iter().find(|(start, _)| line.starts_with(start))?;
    frame_duration(line.rsplit_once(mark)?.1)
}

/// `10000 milliseconds`, `30 seconds.`, `5.0 minutes`, `120000ms`.
fn frame_duration(words: &str) -> Option<u64> {
    let (span, _) = first_span(words, None)?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded and positive by the filter")]
    Some(span).filter(|ms| (1.0..1e12).contains(ms)).map(|ms| ms as u64)
}

impl Framed<'_> {
    fn hear(&mut self, says: &Says) {
        match *says {
            Says::Code(code) if self.limit_ms.is_none() => self.exit_code = self.exit_code.or(Some(code)),
            Says::Code(_) | Says::Detail => {}
            Says::Limit(ms) => (self.limit_ms, self.exit_code) = (Some(ms), None),
            Says::Stopped => self.stopped = true,
        }
    }

    fn hear_all(&mut self, heard: &[Says]) {
        for says in heard {
            self.hear(says);
        }
    }

    /// `<returncode>1</returncode><output>...</output>`, `<bash_metadata>...</bash_metadata>`.
    fn take_tags(&mut self) -> bool {
        self.take_context()
            || self.take_return_code()
            || self.take_metadata("bash_metadata")
            || self.take_metadata("shell_metadata")
    }

    /// `<untrusted_context>...</untrusted_context>`, with another frame inside.
    fn take_context(&mut self) -> bool {
        let inside = self.text.trim().strip_prefix("<untrusted_context>");
        let Some(inside) = inside.and_then(|rest| rest.strip_suffix("</untrusted_context>")) else { return false };
        self.text = inside.trim_matches('\n');
        true
    }

    fn take_return_code(&mut self) -> bool {
        let body =
            self.text.trim_start().strip_prefix("<returncode>").and_then(|rest| rest.split_once("</returncode>"));
        let Some((number, rest)) = body.and_then(|(number, rest)| Some((code(number)?, rest))) else { return false };
        let inside = rest.trim_start().strip_prefix("<output>").unwrap_or(rest);
        self.text = inside.trim_end().strip_suffix("</output>").unwrap_or(inside).trim_matches('\n');
        self.hear(&Says::Code(number));
        true
    }

    fn take_metadata(&mut self, tag: &str) -> bool {
        let body = self.text.trim_end().strip_suffix('>').and_then(|rest| rest.strip_suffix(tag));
        let Some(body) = body.and_then(|rest| rest.strip_suffix("</")) else { return false };
        let Some((at, _)) = body.rmatch_indices(tag).next() else { return false };
        let (before, inside) = (body.get(..at).unwrap_or_default(), body.get(at..).unwrap_or_default());
        for line in inside.lines().map(str::trim).take(MOST_LINES) {
            if line.starts_with("User aborted") {
                self.hear(&Says::Stopped);
            } else if let Some(ms) = limit(line) {
                self.hear(&Says::Limit(ms));
            }
        }
        self.text = before.trim_end_matches('<').trim_end();
        true
    }

    /// The lines behind the output, from the last one upwards.
    fn take_behind(&mut self) -> bool {
        let mut taken = false;
        for _ in 0..MOST_LINES {
            let trimmed = self.text.trim_end();
            let (before, line) = trimmed.rsplit_once('\n').unwrap_or(("", trimmed));
            let Some(says) = behind(line.trim(), taken) else { break };
            self.hear(&says);
            self.text = before;
            taken = true;
        }
        if taken {
            self.text = self.text.trim_end();
        }
        taken
    }

    /// The lines before the output, down to the one that announces it.
    fn take_before(&mut self, framed: bool) -> bool {
        let mut rest = self.text;
        if let Some(at) = rest.strip_prefix("Command: ").and_then(|_| rest.find("\nDirectory: ")) {
            rest = rest.get(at + 1..).unwrap_or_default();
        }
        let mut known = framed || rest.len() < self.text.len();
        let mut heard = Vec::new();
        for _ in 0..MOST_LINES {
            let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
            if known && let Some(output) = announced(line, rest, after) {
                self.hear_all(&heard);
                self.text = output;
                return true;
            }
            let Some(says) = said_before(line) else { break };
            known = true;
            heard.push(says);
            rest = after;
        }
        let told = self.text.len() > rest.len() && heard.iter().any(|says| !matches!(says, Says::Detail));
        let aborted = rest.trim_start().starts_with("aborted by user");
        if told || aborted {
            self.hear_all(&heard);
            self.text = rest;
        }
        told || aborted && known
    }
}

/// What a line behind an output says. `framed`: a line below it was one.
fn behind(line: &str, framed: bool) -> Option<Says> {
    const DETAILS: &[&str] = &["[Current working directory: ", "[Python interpreter: ", "Process Group PGID: "];
    if DETAILS.iter().any(|start| line.starts_with(start)) {
        return Some(Says::Detail);
    }
    if line.starts_with("[The command ") || line.starts_with("[Command finished") {
        return bracketed(line);
    }
    if let Some(rest) = line.strip_prefix("<shellId: ") {
        let number = rest.split_once(" completed with exit code ")?.1.strip_suffix('>')?;
        return code(number).map(Says::Code);
    }
    if let Some(signal) = line.strip_prefix("Signal: ").filter(|_| framed) {
        return Some(signal.parse().ok().filter(|signal| (1..=64).contains(signal)).map_or(
            Says::Detail,
            |signal: i32| {
                // As a shell tells its caller.
                Says::Code(128 + signal)
            },
        ));
    }
    if framed && ["Background PIDs: ", "Error: (none)"].iter().any(|start| line.starts_with(start)) {
        return Some(Says::Detail);
    }
    line.strip_prefix("Exit Code: ").filter(|_| framed).map(|word| code(word).map_or(Says::Detail, Says::Code))
}

/// `[The command completed with exit code 1.]`
fn bracketed(line: &str) -> Option<Says> {
    if let Some(ms) = limit(line) {
        return Some(Says::Limit(ms));
    }
    let number = line.split_once("exit code ")?.1.trim_end_matches(['.', ']']);
    let number = number.split(['.', ' ']).next().and_then(code)?;
    // Minus one stands for a command that still runs.
    Some(if number == -1 { Says::Detail } else { Says::Code(number) })
}

/// What a line before an output says.
fn said_before(line: &str) -> Option<Says> {
    const DETAILS: &[&str] =
        &["Wall time: ", "Total output lines: ", "Original token count: ", "Chunk ID: ", "Directory: "];
    if DETAILS.iter().any(|start| line.starts_with(start)) {
        return Some(Says::Detail);
    }
    let number = line.strip_prefix("Exit code: ").or_else(|| line.strip_prefix("Process exited with code "));
    if let Some(number) = number {
        return code(number.trim_end()).map(Says::Code);
    }
    let quoted = line.strip_prefix("Command \"").and_then(|rest| rest.rsplit_once("\" failed with exit code "));
    if let Some((_, number)) = quoted {
        return code(number.trim_end_matches('.')).map(Says::Code);
    }
    let (_, told) = line
        .strip_prefix("Command executed in terminal")
        .map(|rest| rest.split_once("Exit code: ").unwrap_or((rest, "")))?;
    Some(code(told.trim_end()).map_or(Says::Detail, Says::Code))
}

/// The output, where this line announces it.
fn announced<'t>(line: &'t str, rest: &'t str, after: &'t str) -> Option<&'t str> {
    if matches!(line.trim_end(), "Output:" | "Command output:") {
        return Some(unfenced(after));
    }
    if line.trim().is_empty() && after.starts_with("Command output:") {
        return announced("Output:", after, after.split_once('\n')?.1);
    }
    let output = rest.strip_prefix("Output: ").or_else(|| rest.strip_prefix("Stdout: "))?;
    let output = output.strip_prefix("(empty)").map_or(output, |rest| rest.trim_start());
    Some(output.strip_prefix("Stderr: ").map_or(output, |rest| rest.strip_prefix("(empty)").unwrap_or(rest)))
}

/// Without the fence of a code block.
fn unfenced(text: &str) -> &str {
    let inside = text.trim().strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    inside.and_then(|inside| inside.split_once('\n')).map_or(text, |(_, body)| body.trim_end())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn opened(text: &str) -> (Option<i32>, Option<u64>, bool, &str) {
        let framed = open(text).unwrap();
        (framed.exit_code, framed.limit_ms, framed.stopped, framed.text.trim())
    }

    #[test]
    fn codes_and_outputs() {
        for text in [
            "Exit code: 3\nWall time: 0.6 seconds\nOutput:\no\ne\n",
            "Chunk ID: 4f\nWall time: 2.1 seconds\nProcess exited with code 3\nOriginal token count: 31\nOutput:\no\ne",
            "Exit code: 3\n\nCommand output:\n\n```\no\ne\n```",
            "Command: make\nall\nDirectory: (root)\nOutput: o\ne\nError: (none)\nExit Code: 3\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 47",
            "Output: o\ne\nExit Code: 3\nProcess Group PGID: 47",
            "o\ne\n[The command completed with exit code 3.]\n[Current working directory: /w]\n[Python interpreter: /p]\n[Command finished with exit code 3]",
            "<returncode>3</returncode>\n<output>\no\ne\n</output>",
            "Command executed in terminal within working directory '/w'. Exit code: 3\nOutput:\no\ne",
            "Command \"make\" failed with exit code 3.\n\no\ne",
            "Command executed in terminal within working directory '/w'. Not successful.\nExit code: 3\nOutput:\no\ne",
        ] {
            assert_eq!(opened(text), (Some(3), None, false, "o\ne"), "{text}");
        }
        let text = "<untrusted_context>\nOutput: o\ne\nExit Code: 3\nProcess Group PGID: 47\n</untrusted_context>";
        assert_eq!(opened(text), (Some(3), None, false, "o\ne"));
        assert_eq!(opened("o\ne\n<shellId: 0 completed with exit code 3>"), (Some(3), None, false, "o\ne"));
        assert_eq!(opened("Output: (empty)\nSignal: 9\nProcess Group PGID: 47"), (Some(137), None, false, ""));
        let text = "Command: a\nDirectory: (root)\nStdout: (empty)\nStderr: o\nError: (none)\nExit Code: 3\nProcess Group PGID: 47";
        assert_eq!(opened(text), (Some(3), None, false, "o"));
    }

    #[test]
    fn limits_and_persons() {
        let text = "o\n\n<bash_metadata>\nbash tool terminated command after exceeding timeout 120000 ms. Retry with more.\n</bash_metadata>";
        assert_eq!(opened(text), (None, Some(120_000), false, "o"));
        assert!(opened("o\n\n<bash_metadata>\nUser aborted the command\n</bash_metadata>").2);
        let text = "[The command has no new output after 30 seconds. You may wait longer.]\n[Command finished with exit code -1]";
        assert_eq!(opened(text), (None, Some(30_000), false, ""));
    }

    #[test]
    fn near_misses_have_no_frame() {
        for text in [
            "Output: x",
            "Exit Code: 1",
            "error: Exit code: 1",
            "Command: make\nerror",
            "[Command failed]",
            "o\nSignal: 9",
            "o\n<shellId: 0 is running>",
            "<untrusted_context>o",
            "<returncode>x</returncode>",
            "Wall time: 3 s\nbuild failed",
            "<bash_metadata>",
            "",
        ] {
            assert_eq!(open(text), None, "{text}");
        }
    }

    #[test]
    fn sentences_state_limits() {
        assert_eq!(limit("command timed out after 10000 milliseconds"), Some(10_000));
        assert_eq!(limit("Command timed out after 30 seconds"), Some(30_000));
        assert_eq!(
            limit("Command was automatically cancelled because it exceeded the timeout of 5.0 minutes without output."),
            Some(300_000)
        );
        assert_eq!(
            limit("The command 'sleep 99' was cancelled because it took more than 25 seconds. Try"),
            Some(25_000)
        );
        assert_eq!(limit("command timed out after a while"), None);
        assert_eq!(limit("test: command timed out after 3 seconds"), None);
    }

    proptest! {
        #[test]
        fn the_output_is_a_part_of_the_text(text in "(Exit code: 1\n|Output:\n|Output: |Wall time: 1\n|Command: |\nDirectory: |<bash_metadata>|</bash_metadata>|\n|[The command |exit code 1.]|Process Group PGID: 1|```|<returncode>1</returncode>|<output>|é){0,12}") {
            if let Some(framed) = open(&text) {
                prop_assert!(text.contains(framed.text));
            }
        }
    }
}
