//! What a file is, told by its first lines and never by its name.

use std::io::Read;

use super::lines::LineReader;
use crate::history::{Line, parse};
use crate::host::head::{LineWriter, head};
use crate::model::Host;
use crate::text::without_mark;
use crate::time::millis;

/// The most lines that are looked at.
const LINES: usize = 64;

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileFormat {
    /// A session file of a client, a subagent's file, or a capture of its stream.
    Transcript,
    /// Hook payloads, one a line.
    PayloadLog,
    /// A `history.jsonl`.
    History,
}

/// What the first lines of a file tell.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Looks {
    /// None where no line is of a known format.
    pub(super) format: Option<FileFormat>,
    /// The client that wrote it; None where no client did.
    pub(super) host: Option<Host>,
    /// Whether there is any line that is not blank.
    pub(super) has_text: bool,
    pub(super) session: Option<String>,
    /// The first answer of the model that is told of.
    pub(super) message: Option<String>,
    /// The first time, in milliseconds since 1970.
    pub(super) first: Option<i64>,
}

/// What one line tells.
struct LineClue {
    session: Option<String>,
    ts: Option<String>,
    message: Option<String>,
}

/// Looks at the first lines. What cannot be read further ends the look; reading tells why.
pub(super) fn look(input: impl Read) -> Looks {
    let mut lines = LineReader::of_the_beginning(input);
    let mut looks = Looks::default();
    for number in 0..LINES {
        let Ok(Some(line)) = lines.next() else { break };
        let Some(text) = line.text else { continue };
        looks.line(if number == 0 { without_mark(text) } else { text });
        if looks.is_complete() {
            break;
        }
    }
    looks
}

impl Looks {
    fn is_complete(&self) -> bool {
        let known = self.format.is_some() && self.session.is_some() && self.first.is_some();
        // Only copies of Claude Code's sessions have a name of their own.
        known && (self.message.is_some() || self.host != Some(Host::Claude))
    }

    fn line(&mut self, line: &[u8]) {
        if line.trim_ascii().is_empty() {
            return;
        }
        self.has_text = true;
        if let Some(found) = head(&String::from_utf8_lossy(line)) {
            let (format, host) = match found.writer {
                LineWriter::Transcript(host) => (FileFormat::Transcript, Some(host)),
                LineWriter::PayloadLog => (FileFormat::PayloadLog, None),
            };
            self.add((format, host), LineClue { session: found.session, ts: found.ts, message: found.message });
            return;
        }
        match parse(line) {
            Line::Event(event) => self.event(Some(event.ts), event.session),
            Line::Newer => self.event(None, None),
            Line::Blank | Line::Unreadable => {}
        }
    }

    /// The first known line says what the file is.
    fn add(&mut self, (format, host): (FileFormat, Option<Host>), found: LineClue) {
        if self.format.is_none() {
            (self.format, self.host) = (Some(format), host);
        }
        if (self.format, self.host) != (Some(format), host) {
            return;
        }
        self.session = self.session.take().or(found.session);
        self.message = self.message.take().or(found.message);
        self.first = self.first.or_else(|| millis(&found.ts?));
    }

    fn event(&mut self, ts: Option<String>, session: Option<String>) {
        self.add((FileFormat::History, None), LineClue { session, ts, message: None });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(text: &str) -> Option<FileFormat> {
        look(text.as_bytes()).format
    }

    #[test]
    fn a_file_is_told_by_its_first_known_line() {
        let stop = "{\"hook_event_name\":\"Stop\"}\n";
        let event = "{\"v\":1,\"id\":\"e\",\"ts\":\"t\",\"event\":\"state_changed\",\"node\":\"n\"}\n";
        assert_eq!(format("\u{feff}{\"type\":\"summary\"}\r\n"), Some(FileFormat::Transcript));
        assert_eq!(format(&format!("torn\":1}}\n\n{stop}")), Some(FileFormat::PayloadLog));
        assert_eq!(format(&format!("{event}{stop}")), Some(FileFormat::History));
        assert_eq!(format("{\"verb\":\"done\",\"node\":\"TASK-1\"}"), Some(FileFormat::History));
        assert_eq!(format("{\"type\":\"shelf\"}\nno JSON\n"), None);
    }

    #[test]
    fn what_groups_files_is_found_behind_the_first_line() {
        let looks = look(
            concat!(
                "{\"type\":\"summary\"}\n",
                "{\"type\":\"user\",\"sessionId\":\"s\",\"timestamp\":\"1970-01-01T00:00:01Z\"}\n",
                "{\"type\":\"assistant\",\"sessionId\":\"other\",\"message\":{\"id\":\"m\"}}\n"
            )
            .as_bytes(),
        );
        assert_eq!(
            (looks.session.as_deref(), looks.message.as_deref(), looks.first),
            (Some("s"), Some("m"), Some(1000))
        );
    }
}
