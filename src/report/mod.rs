//! What an [`Analysis`] says, for people: a page, Markdown, a table, or a few lines of text. Values in, text out.
//!
//! Every text that came out of a session passes [`one_line`] before it is written, so
//! that no control, escape or invisible character of it reaches a reader.

mod alike;
mod brief;
mod csv;
mod html;
mod markdown;

pub use alike::{Alike, alike};
pub use brief::{Said, brief, digest};
pub use csv::csv;
pub use html::html;
pub use markdown::markdown;

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::Value;

use crate::model::{Tool, ToolKind};
use crate::replay::{Analysis, EpisodeSummary, GeneratedFrom, SessionSummary};
use crate::text::one_line;

/// The longest text of a session that a report shows, in characters.
const TEXT: usize = 600;

/// An analysis as JSON whose texts can be shown anywhere.
///
/// # Errors
/// When it cannot be written as JSON.
pub fn json(analysis: &Analysis) -> serde_json::Result<Value> {
    Ok(inert(serde_json::to_value(analysis)?))
}

/// The same value with every text, names of fields included, on one line and without what hides or reorders text.
fn inert(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(one_line(&text, TEXT)),
        Value::Array(items) => Value::Array(items.into_iter().map(inert).collect()),
        Value::Object(fields) => {
            Value::Object(fields.into_iter().map(|(name, value)| (one_line(&name, TEXT), inert(value))).collect())
        }
        plain => plain,
    }
}

/// Failures of the work, those that hid behind an exit status of 0 included.
fn failed(analysis: &Analysis) -> u64 {
    analysis.totals.failed + analysis.totals.masked
}

/// Episodes that never passed, those that matter most first: a hidden one looks as if it had passed; then the higher
/// class, then the dearer.
fn unresolved(analysis: &Analysis) -> Vec<&EpisodeSummary> {
    let mut open: Vec<&EpisodeSummary> = analysis.episodes.iter().filter(|it| it.ended.is_unresolved()).collect();
    open.sort_by_key(|it| std::cmp::Reverse((it.masked, it.class, it.cost.tokens.total(), it.cost.wall_ms)));
    open
}

/// Episodes, the dearest first.
fn dearest(analysis: &Analysis) -> Vec<&EpisodeSummary> {
    let mut episodes: Vec<&EpisodeSummary> = analysis.episodes.iter().collect();
    episodes.sort_by_key(|it| std::cmp::Reverse((it.cost.tokens.total(), it.cost.wall_ms, it.cost.calls)));
    episodes
}

fn session<'a>(analysis: &'a Analysis, id: &str) -> Option<&'a SessionSummary> {
    analysis.sessions.iter().find(|session| session.id == id)
}

/// The call of an episode as it was given, with its tool where that is no shell. Where nothing was given, the tool alone
/// or what the call comes down to.
fn call_of(episode: &EpisodeSummary) -> Cow<'_, str> {
    let (tool, input) = (episode.tool.as_str(), episode.input.trim());
    match (tool.is_empty() || Tool::named(tool).kind == ToolKind::Shell, input.is_empty()) {
        (true, false) => Cow::Borrowed(input),
        (true, true) => Cow::Borrowed(&episode.operation),
        (false, true) => Cow::Borrowed(tool),
        (false, false) => Cow::Owned(format!("{tool} {input}")),
    }
}

/// An analysis with the sums of sessions that it does not hold.
///
/// Their episodes and failures are counted as left out; how many they were is [`remembered`].
pub fn with_remembered(analysis: Analysis, kept: Vec<SessionSummary>) -> Analysis {
    let known: BTreeSet<String> = analysis.sessions.iter().map(|session| session.id.clone()).collect();
    let gone: Vec<SessionSummary> = kept.into_iter().filter(|session| !known.contains(&session.id)).collect();
    let number = gone.len() as u64;
    let mut joined = Analysis::join(std::iter::once(analysis).chain(gone.into_iter().map(of_sums)));
    if number > 0 {
        joined.left_out.insert(REMEMBERED.to_owned(), number);
    }
    joined
}

fn of_sums(session: SessionSummary) -> Analysis {
    let totals = session.counters.clone();
    let left_out =
        [("episodes", totals.episodes), ("loops", totals.loops), ("failures", totals.failed + totals.masked)];
    Analysis {
        generated_from: GeneratedFrom {
            files: 0,
            sessions: 1,
            first_ts: session.started.clone(),
            last_ts: session.ended.clone(),
        },
        totals,
        sessions: vec![session],
        left_out: left_out.into_iter().map(|(list, number)| (list.to_owned(), number)).collect(),
        ..Analysis::default()
    }
}

/// How many sessions there are of which only the sums are known, because their files are gone.
fn remembered(analysis: &Analysis) -> u64 {
    analysis.left_out.get(REMEMBERED).copied().unwrap_or_default()
}

/// The entry of `left_out` that counts them.
const REMEMBERED: &str = "sessions_without_files";
