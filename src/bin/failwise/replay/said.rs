//! How the messages of a replay are printed.

use std::collections::BTreeMap;
use std::io::{BufWriter, StdoutLock, Write};

use failwise::error::Error;
use failwise::model::Outcome;
use failwise::replay::{EditMoments, MessageForm, NextCall, Replayed, ReplayedMessages};
use failwise::text::many;
use serde::Serialize;

use super::ReplayFormat;
use crate::style::{Style, escaped, shown};

/// The most of a call that a line shows, in characters.
const CALL: usize = 110;

/// The messages of all sessions.
pub(super) struct Listing {
    format: ReplayFormat,
    style: Style,
    out: BufWriter<StdoutLock<'static>>,
    calls: u64,
    /// Only where they are printed as one object; as text they are printed as they come.
    said: Vec<ReplayedMessages>,
    counts: BTreeMap<(String, MessageForm), u64>,
    edits: EditMoments,
}

#[derive(Serialize)]
struct SaidObject<'a> {
    calls: u64,
    /// How often each kind was said, the most frequent first.
    kinds: Vec<CountedKind<'a>>,
    /// Edits that did not find their text.
    edits: EditMoments,
    said: &'a [ReplayedMessages],
}

/// How often one kind of message was said.
#[derive(Serialize)]
struct CountedKind<'a> {
    kind: &'a str,
    form: MessageForm,
    messages: u64,
    /// Of all calls that ended.
    per_100_calls: f64,
}

impl Listing {
    pub(super) fn begin(format: ReplayFormat) -> Result<Self, crate::CommandFailure> {
        if matches!(format, ReplayFormat::Jsonl | ReplayFormat::Csv) {
            return Err(Error::usage("--said prints no rows").hint("take --format table or json").into());
        }
        Ok(Self {
            format,
            style: Style::for_stdout(),
            out: BufWriter::new(std::io::stdout().lock()),
            calls: 0,
            said: Vec::new(),
            counts: BTreeMap::new(),
            edits: EditMoments::default(),
        })
    }

    /// The messages of one session.
    pub(super) fn session(&mut self, replayed: Replayed) -> Result<(), crate::CommandFailure> {
        self.calls += replayed.analysis.totals.calls;
        self.edits.add(replayed.edits);
        for said in &replayed.said {
            *self.counts.entry((said.kind.clone(), said.form)).or_default() += 1;
        }
        if self.format == ReplayFormat::Json {
            self.said.extend(replayed.said);
            return Ok(());
        }
        for said in &replayed.said {
            print_message(&mut self.out, said, self.style)?;
        }
        self.out.flush()?;
        Ok(())
    }

    /// What stands after all messages.
    pub(super) fn end(mut self) -> Result<(), crate::CommandFailure> {
        if self.format == ReplayFormat::Json {
            let object = SaidObject { calls: self.calls, kinds: self.kinds(), edits: self.edits, said: &self.said };
            let text = serde_json::to_string(&object)?;
            writeln!(self.out, "{}", escaped(&text))?;
            return Ok(self.out.flush()?);
        }
        let is_said = |kind: &&CountedKind<'_>| kind.form != MessageForm::Look;
        let kinds = self.kinds();
        let messages: u64 = kinds.iter().filter(is_said).map(|kind| kind.messages).sum();
        let rate = per_100(messages, self.calls);
        let total = format!("{} calls, {messages} messages: {rate:.2} per 100 calls", self.calls);
        let rows: Vec<String> = kinds.iter().map(row).collect();
        writeln!(self.out, "{}", self.style.bold(&total))?;
        for row in rows {
            writeln!(self.out, "{row}")?;
        }
        if let EditMoments { failed: 1.., undecidable, one_place, told, .. } = self.edits {
            let edits = many(self.edits.failed, "edit", "edits");
            writeln!(
                self.out,
                "{edits} that did not find the text: {undecidable} undecidable, {one_place} in one place, {told} \
                 announced"
            )?;
        }
        Ok(self.out.flush()?)
    }

    fn kinds(&self) -> Vec<CountedKind<'_>> {
        let counts = self.counts.iter();
        let kind = counts.map(|((kind, form), messages)| {
            let per_100_calls = per_100(*messages, self.calls);
            CountedKind { kind, form: *form, messages: *messages, per_100_calls }
        });
        let mut kinds: Vec<CountedKind<'_>> = kind.collect();
        kinds.sort_by_key(|kind| std::cmp::Reverse(kind.messages));
        kinds
    }
}

/// How often something was said in 100 calls, to three digits.
#[expect(clippy::cast_precision_loss, reason = "counts of calls")]
fn per_100(messages: u64, calls: u64) -> f64 {
    (messages as f64 * 100_000.0 / calls.max(1) as f64).round() / 1000.0
}

fn row(kind: &CountedKind<'_>) -> String {
    let CountedKind { kind, form, messages, per_100_calls } = kind;
    format!("  {:<22} {:<8} {messages:>6}  {per_100_calls:>6.2} per 100 calls", shown(kind, 22), form.as_str())
}

fn print_message(out: &mut impl Write, said: &ReplayedMessages, style: Style) -> std::io::Result<()> {
    let head = format!("{} ({} at {})", shown(&said.kind, 30), said.form.as_str(), said.event);
    writeln!(out, "{} {}", style.bold(&head), style.dim(&shown(&said.ts, 24)))?;
    let mut line = |name: &str, text: &str| writeln!(out, "  {} {text}", style.dim(&format!("{name:<6}")));
    line("file", &shown(&said.file, 200))?;
    if let Some(call) = &said.call {
        line("failed", &shown(call, CALL))?;
    }
    line(if said.form == MessageForm::Look { "hook" } else { "said" }, &shown(&said.said, 1000))?;
    for ran in &said.after {
        line("then", &shown(&as_text(ran), 2 * CALL))?;
    }
    writeln!(out)
}

fn as_text(ran: &NextCall) -> String {
    let end = match (&ran.result, &ran.line, ran.outcome) {
        (_, Some(line), Outcome::Failed | Outcome::MaskedFailure) => format!("{}: {line}", ran.outcome.as_str()),
        (Some(result), _, Outcome::Succeeded) => result.clone(),
        _ => ran.outcome.as_str().to_owned(),
    };
    format!("{} {} -> {end}", ran.tool, shown(&ran.input, CALL))
}
