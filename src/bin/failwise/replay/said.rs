//! How the messages of a replay are printed.

use std::collections::BTreeMap;
use std::io::{BufWriter, StdoutLock, Write};

use failwise::error::Error;
use failwise::model::Outcome;
use failwise::replay::{EditMoments, Form, Ran, Replayed, Said};
use failwise::text::many;
use serde::Serialize;

use super::Format;
use crate::style::{Style, escaped, shown};

/// The most of a call that a line shows, in characters.
const CALL: usize = 110;

/// The messages of all sessions.
pub(super) struct Listing {
    format: Format,
    style: Style,
    out: BufWriter<StdoutLock<'static>>,
    calls: u64,
    /// Only where they are printed as one object; as text they are printed as they come.
    said: Vec<Said>,
    kinds: BTreeMap<String, u64>,
    looks: u64,
    edits: EditMoments,
}

#[derive(Serialize)]
struct Object<'a> {
    calls: u64,
    /// Edits that did not find their text.
    edits: EditMoments,
    said: &'a [Said],
}

impl Listing {
    pub(super) fn begin(format: Format) -> Result<Self, crate::CommandFailure> {
        if matches!(format, Format::Jsonl | Format::Csv) {
            return Err(Error::usage("--said prints no rows").hint("take --format table or json").into());
        }
        Ok(Self {
            format,
            style: Style::for_stdout(),
            out: BufWriter::new(std::io::stdout().lock()),
            calls: 0,
            said: Vec::new(),
            kinds: BTreeMap::new(),
            looks: 0,
            edits: EditMoments::default(),
        })
    }

    /// The messages of one session.
    pub(super) fn session(&mut self, replayed: Replayed) -> Result<(), crate::CommandFailure> {
        self.calls += replayed.analysis.totals.calls;
        self.edits.add(replayed.edits);
        if self.format == Format::Json {
            self.said.extend(replayed.said);
            return Ok(());
        }
        for said in &replayed.said {
            if said.form == Form::Look {
                self.looks += 1;
            } else {
                *self.kinds.entry(said.kind.clone()).or_default() += 1;
            }
            print_message(&mut self.out, said, self.style)?;
        }
        self.out.flush()?;
        Ok(())
    }

    /// What stands after all messages.
    pub(super) fn end(mut self) -> Result<(), crate::CommandFailure> {
        if self.format == Format::Json {
            let object = Object { calls: self.calls, edits: self.edits, said: &self.said };
            writeln!(self.out, "{}", escaped(&serde_json::to_string(&object)?))?;
        } else {
            let messages: u64 = self.kinds.values().sum();
            let kinds: Vec<String> =
                self.kinds.iter().map(|(kind, count)| format!("{} {count}", shown(kind, 30))).collect();
            let kinds = if kinds.is_empty() { String::new() } else { format!(": {}", kinds.join(", ")) };
            let looks = match self.looks {
                0 => String::new(),
                looks => format!("; {} for a name", many(looks, "look", "looks")),
            };
            let edits = match self.edits {
                EditMoments { failed: 0, .. } => String::new(),
                EditMoments { failed, undecidable, one_place, told, .. } => format!(
                    "; {} that did not find the text: {undecidable} undecidable, {one_place} in one place, {told} told",
                    many(failed, "edit", "edits")
                ),
            };
            let line = format!("{} calls, {messages} messages{kinds}{looks}{edits}", self.calls);
            writeln!(self.out, "{}", self.style.bold(&line))?;
        }
        self.out.flush()?;
        Ok(())
    }
}

fn print_message(out: &mut impl Write, said: &Said, style: Style) -> std::io::Result<()> {
    let head = format!("{} ({} at {})", shown(&said.kind, 30), said.form.as_str(), said.event);
    writeln!(out, "{} {}", style.bold(&head), style.dim(&shown(&said.ts, 24)))?;
    let mut line = |name: &str, text: &str| writeln!(out, "  {} {text}", style.dim(&format!("{name:<6}")));
    line("file", &shown(&said.file, 200))?;
    if let Some(call) = &said.call {
        line("failed", &shown(call, CALL))?;
    }
    line(if said.form == Form::Look { "hook" } else { "said" }, &shown(&said.said, 1000))?;
    for ran in &said.after {
        line("then", &shown(&as_text(ran), 2 * CALL))?;
    }
    writeln!(out)
}

fn as_text(ran: &Ran) -> String {
    let end = match (&ran.result, &ran.line, ran.outcome) {
        (_, Some(line), Outcome::Failed | Outcome::MaskedFailure) => format!("{}: {line}", ran.outcome.as_str()),
        (Some(result), _, Outcome::Succeeded) => result.clone(),
        _ => ran.outcome.as_str().to_owned(),
    };
    format!("{} {} -> {end}", ran.tool, shown(&ran.input, CALL))
}
