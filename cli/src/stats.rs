//! The few numbers of a project's history: what was called, what failed, what is open, for a person or a status line.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::history::{Body, Episode, Event, State, session_node};
use crate::model::{Category, Class, Outcome, Phase};
use crate::redact::redact;
use crate::text::one_line;
use crate::time::{Time, age_of, parse};

/// The longest name of a call in a status line.
const LINE_NAME: usize = 28;
/// The longest name of a call elsewhere.
const NAME: usize = 200;
/// The most nodes whose state is kept.
const NODES: usize = 256;

/// What was counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct StatsCounts {
    /// Calls that ended, one that went on in the background once.
    pub calls: u64,
    /// Failures, masked ones and those of background work included.
    pub failures: u64,
    /// Failures behind a status of 0.
    pub masked: u64,
    /// Calls that the guard refused.
    pub refused: u64,
    /// Steps of `failwise run` and of workflows that ended. What failed inside is counted above, once.
    pub steps: u64,
    /// Steps in whose streams a result was found.
    pub results: u64,
}

impl StatsCounts {
    /// Counts an event.
    pub fn count(&mut self, event: &Event) {
        if let Some(execution) = event.execution() {
            self.calls += u64::from(execution.phase != Some(Phase::Background));
            self.masked += u64::from(execution.outcome == Some(Outcome::MaskedFailure));
        }
        self.failures += u64::from(event.is_failure());
        self.refused += u64::from(matches!(event.body, Body::CallRefused(_)));
        if let Body::StepEnded { step } = &event.body {
            self.steps += 1;
            self.results += u64::from(step.has_result);
        }
    }
}

/// A failure that is still being worked on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OpenFailure {
    /// The episode: 8 hexadecimal digits.
    pub episode: String,
    /// The plan node, session or subagent.
    pub node: String,
    /// What kind of error it is.
    pub category: Category,
    /// The call as given, in one line.
    pub call: String,
    /// How often it failed.
    pub attempts: u32,
    /// How many retries in a row changed nothing.
    pub unchanged: u32,
    /// Whether its last failure was masked.
    pub masked: bool,
}

impl OpenFailure {
    /// An open episode of a node.
    pub fn of(node: &str, episode: &Episode) -> Self {
        let call = episode.input.as_deref().unwrap_or(&episode.operation.0);
        Self {
            episode: inert(&episode.id, NAME),
            node: inert(node, NAME),
            category: episode.category,
            call: inert(call, NAME),
            attempts: episode.attempts,
            unchanged: episode.unchanged,
            masked: episode.masked,
        }
    }

    /// The most pressing ones first: repeats with nothing changed, then many attempts.
    pub fn pressing_first(open: &mut [Self]) {
        open.sort_by(|a, b| (b.unchanged, b.attempts, &a.episode).cmp(&(a.unchanged, a.attempts, &b.episode)));
    }
}

/// The last verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LastFailure {
    /// When, RFC 3339 UTC.
    pub ts: String,
    /// How long ago, in seconds; None where the time cannot be read.
    pub age_s: Option<u64>,
    /// Who acts next.
    pub class: Class,
    /// What kind of error it was.
    pub category: Category,
    /// What was being done, in one line.
    pub operation: String,
}

/// The numbers of one day or one session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Numbers {
    /// What was counted.
    #[serde(flatten)]
    pub tally: StatsCounts,
    /// What is open, the most pressing first.
    pub open: Vec<OpenFailure>,
    /// How many of these repeat with nothing changed.
    pub repeating: usize,
    /// The last verdict.
    pub last_failure: Option<LastFailure>,
}

/// The numbers of today and of a session, gathered event by event.
#[derive(Debug)]
pub struct Stats {
    now: Time,
    today: Gathered,
    session: Option<(String, Gathered)>,
}

impl Stats {
    /// Begins to gather: today is the day of `now` in UTC; `session` is the beginning of a session's id.
    pub fn new(now: Time, session: Option<&str>) -> Self {
        let session = session.map(|session| (session.to_owned(), Gathered::default()));
        Self { now, today: Gathered::default(), session }
    }

    /// Takes in the next event, whose byte offset is `at`.
    pub fn event(&mut self, event: &Event, at: u64) {
        let of_today = parse(&event.ts).is_some_and(|time| time.date_naive() == self.now.date_naive());
        self.today.event(event, at, of_today);
        if let Some((id, numbers)) = &mut self.session
            && event.session.as_ref().is_some_and(|session| session.starts_with(id.as_str()))
        {
            numbers.event(event, at, true);
        }
    }

    /// Forgets everything: the history was replaced.
    pub fn restart(&mut self) {
        *self = Self::new(self.now, self.session.as_ref().map(|(id, _)| id.as_str()));
    }

    /// The numbers of today, and those of the session where one was asked for.
    pub fn finish(self) -> (Numbers, Option<Numbers>) {
        let now = self.now;
        (self.today.finish(now), self.session.map(|(_, gathered)| gathered.finish(now)))
    }
}

#[derive(Debug, Default)]
struct Gathered {
    tally: StatsCounts,
    /// A node's state, and whether anything that counts happened in it.
    nodes: BTreeMap<String, (State, bool)>,
    last: Option<LastFailure>,
}

impl Gathered {
    /// Events that do not count are folded all the same: an episode may be older than the day.
    fn event(&mut self, event: &Event, at: u64, counts: bool) {
        let node = event.subject();
        if !self.nodes.contains_key(node) && self.nodes.len() >= NODES {
            let oldest = self.nodes.iter().min_by_key(|(_, (state, _))| state.covered).map(|(node, _)| node.clone());
            oldest.and_then(|node| self.nodes.remove(&node));
        }
        let (state, is_meant) = self.nodes.entry(node.to_owned()).or_insert_with(|| (State::new(node), false));
        state.step(event, at);
        if !counts {
            return;
        }
        *is_meant = true;
        self.tally.count(event);
        if let Some(verdict) = event.verdict() {
            self.last = Some(LastFailure {
                ts: inert(&event.ts, NAME),
                age_s: None,
                class: verdict.class,
                category: verdict.category,
                operation: inert(&verdict.operation.0, NAME),
            });
        }
    }

    fn finish(self, now: Time) -> Numbers {
        let meant = self.nodes.values().filter(|(_, is_meant)| *is_meant).map(|(state, _)| state);
        let open = open_in(meant);
        let repeating = open.iter().filter(|open| open.unchanged > 0).count();
        let last_failure = self.last.map(|last| LastFailure { age_s: age_of(&last.ts, now), ..last });
        Numbers { tally: self.tally, open, repeating, last_failure }
    }
}

/// What is open in some states, the most pressing first.
fn open_in<'a>(states: impl Iterator<Item = &'a State>) -> Vec<OpenFailure> {
    let mut open: Vec<OpenFailure> =
        states.flat_map(|state| state.episodes.iter().map(|episode| OpenFailure::of(&state.node, episode))).collect();
    OpenFailure::pressing_first(&mut open);
    open
}

/// One short line about what is open in some states; None where nothing is.
pub fn status_line(states: &[State]) -> Option<String> {
    let open = open_in(states.iter());
    let worst = open.first()?;
    let mut parts = vec![format!("failwise: {} open", open.len())];
    if worst.unchanged > 0 {
        parts.push(format!("{} x{} unchanged", one_line(&worst.call, LINE_NAME), worst.unchanged + 1));
    }
    let masked = open.iter().filter(|open| open.masked).count();
    if masked > 0 {
        parts.push(format!("{masked} hidden"));
    }
    Some(parts.join(" · "))
}

/// What the client tells a status line that matters here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusInput {
    /// The session's node in a history without a plan tree.
    pub node: String,
    /// The session.
    pub session: String,
    /// The folder that the session works in.
    pub folder: Option<String>,
}

/// Reads what the client gives a status line; None where it names no session.
pub fn status_input(json: &[u8]) -> Option<StatusInput> {
    let value: serde_json::Value = serde_json::from_slice(json).ok()?;
    let text = |pointer: &str| value.pointer(pointer).and_then(serde_json::Value::as_str).map(str::to_owned);
    let session = text("/session_id").filter(|session| !session.is_empty())?;
    let folder = ["/workspace/project_dir", "/workspace/current_dir", "/cwd"].into_iter().find_map(text);
    Some(StatusInput { node: session_node(Some(&session), None), session, folder })
}

/// Text of a history in one line that does nothing to a terminal. Hands other than ours may have written secrets.
pub(crate) fn inert(text: &str, limit: usize) -> String {
    one_line(&redact(text), limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events() -> Vec<Event> {
        let lines = include_str!("../../tests/screens/history.jsonl").lines();
        lines.map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn numbers(now: &str, session: Option<&str>) -> (Numbers, Option<Numbers>) {
        let mut stats = Stats::new(parse(now).unwrap(), session);
        for (at, event) in events().iter().enumerate() {
            stats.event(event, at as u64);
        }
        stats.finish()
    }

    #[test]
    fn a_day_and_a_session_are_counted_apart() {
        let (today, session) = numbers("2026-03-14T23:00:00Z", Some("a7e2"));
        assert_eq!(
            today.tally,
            StatsCounts { calls: 11, failures: 7, masked: 1, refused: 1, ..StatsCounts::default() }
        );
        assert_eq!((today.open.len(), today.repeating), (4, 1));
        let session = session.unwrap();
        assert_eq!(
            session.tally,
            StatsCounts { calls: 2, failures: 2, masked: 1, refused: 0, ..StatsCounts::default() }
        );
        assert_eq!((session.open.len(), session.repeating), (2, 0));
        let last = session.last_failure.unwrap();
        assert_eq!(
            (last.class, last.category, last.age_s),
            (Class::F1, Category::RateLimit, Some(13 * 3600 + 58 * 60 + 30))
        );
    }

    #[test]
    fn another_day_has_nothing_to_tell() {
        let (today, session) = numbers("2026-03-15T00:00:00Z", None);
        assert_eq!((today.tally, today.open, today.last_failure), (StatsCounts::default(), Vec::new(), None));
        assert_eq!(session, None);
    }

    #[test]
    fn a_status_line_names_the_worst_repeat_and_what_is_masked() {
        let mut states: BTreeMap<String, State> = BTreeMap::new();
        for (at, event) in events().iter().enumerate() {
            let state = states.entry(event.node.clone()).or_insert_with(|| State::new(&event.node));
            state.step(event, at as u64);
        }
        let states: Vec<State> = states.into_values().collect();
        assert_eq!(status_line(&states).unwrap(), "failwise: 4 open · make chart x3 unchanged · 1 hidden");
        assert_eq!(status_line(&[]), None);
    }
}
