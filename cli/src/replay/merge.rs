//! How analyses of different sessions become one. Associative, and blind to the order: sessions may be analysed in
//! parallel and joined as they come.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use super::analysis::{
    Analysis, Counters, Day, Ended, EpisodeSummary, Failure, GeneratedFrom, Loop, ModelSummary, Savings,
    SessionSummary, SignatureSummary,
};
use crate::changes::MetSession;
use crate::knowledge::Learned;
use crate::time::{since_1970, stamp_at};

impl Analysis {
    /// The version of this shape.
    pub const SCHEMA_VERSION: u32 = 2;
    /// The most sessions, episodes, loops and failures that an analysis lists, each.
    pub const MOST: usize = 50_000;

    /// What all of these come to together. They must be of different sessions.
    pub fn join(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut joined = Joined::default();
        for part in parts {
            joined.add(part);
        }
        joined.settled()
    }

    /// The same without its lists: what was read, the totals, the models, and what was skipped.
    #[must_use]
    pub fn totals_only(self) -> Self {
        let Self { generated_from, totals, models, skipped, .. } = self;
        Self { generated_from, totals, models, skipped, ..Self::default() }
    }

    /// Puts on the first failure of each episode that taught anything what the episode cost and how it ended, and on each
    /// failure the model that met it, where the analysis lists them.
    pub fn tell_ends(&self, learned: &mut Learned) {
        let mut episodes = BTreeMap::new();
        for (number, episode) in self.episodes.iter().enumerate() {
            for call in &episode.tool_use_ids {
                episodes.insert((&*episode.session, &**call), (number, episode));
            }
        }
        let called = |it: &'_ Failure| Some((it.session.clone(), it.tool_use_id.clone()?, it.model.clone()?));
        let called = self.failures.iter().filter_map(called);
        let mut models: BTreeMap<_, _> = called.map(|(session, call, model)| ((session, call), model)).collect();
        let mut counted = BTreeSet::new();
        for met in &mut learned.met {
            met.model = models.remove(&(met.session.clone(), met.call.clone()));
            let known = episodes.get(&(&*met.session, &*met.call));
            if let Some((_, episode)) = known.filter(|(number, _)| counted.insert(*number)) {
                (met.cost, met.ended) = (episode.booked, Some(episode.ended.to_string()));
            }
        }
    }
}

impl Analysis {
    /// Tells of checks that their own session did not see pass where a later session of the same project did: the same check
    /// or a wider one, or the same test or job; and of those that a later one missed. `met` is what each session met.
    pub fn tell_later_passes(&mut self, met: &[MetSession]) {
        let mut failed = BTreeMap::new();
        for of in met {
            failed.extend(of.failed_checks.iter().map(|(call, check)| ((&*of.session, &**call), (of, check))));
        }
        let failed_of = |episode: &EpisodeSummary| {
            let last = episode.tool_use_ids.last()?;
            failed.get(&(&*episode.session, &**last)).copied()
        };
        // A test or job that an episode of another session is of has passed where that ended.
        let mended = |episode: &EpisodeSummary| {
            let is_passed = matches!(episode.ended, Ended::FixedByEdit | Ended::FixedByShell | Ended::ByItself);
            let (of, check) = failed_of(episode).filter(|_| is_passed)?;
            Some((of.project.0.as_str(), check.name?, of.session.as_str(), since_1970(episode.ended_ts.as_deref()?)?))
        };
        let mended: Vec<_> = self.episodes.iter().filter_map(mended).collect();
        for episode in self.episodes.iter_mut().filter(|episode| episode.ended.is_unresolved()) {
            let since = episode.last_ts.as_deref().and_then(since_1970);
            let Some(((of, check), since)) = failed_of(episode).zip(since) else { continue };
            let is_other = |it: &&MetSession| it.project.0 == of.project.0 && it.session != of.session;
            let passes = met.iter().filter(is_other).flat_map(|it| {
                let named = check.name.and_then(|name| it.worked.get(&name));
                let held = it.passed_checks.iter().filter(|(other, _)| check.is_held_by(other)).map(|(_, at)| at);
                held.chain(named).copied()
            });
            let is_its = |(project, name, session, _): &&(&str, u64, &str, u64)| {
                *project == of.project.0 && Some(*name) == check.name && *session != of.session
            };
            let mended = mended.iter().filter(is_its).map(|(.., at)| *at);
            let elsewhere = passes.chain(mended).filter(|at| *at > since).min();
            let elsewhere = elsewhere.map(|at| (at, Ended::PassedElsewhere));
            let gone =
                || met.iter().filter(is_other).find_map(|it| Some((it.missed_since(check, since)?, Ended::Gone)));
            let Some((later, ended)) = elsewhere.or_else(gone) else { continue };
            if let Some(number) = self.totals.endings.get_mut(&episode.ended) {
                *number = number.saturating_sub(1);
            }
            self.totals.episodes_open -= u64::from(episode.ended == Ended::Open);
            *self.totals.endings.entry(ended).or_default() += 1;
            let signature = self.signatures.iter_mut().find(|it| it.signature == episode.signature);
            if let Some(signature) = signature {
                signature.unresolved = signature.unresolved.saturating_sub(1);
            }
            (episode.ended, episode.ended_ts) = (ended, stamp_at(later));
            (episode.end, episode.last_run) = (None, None);
        }
        self.totals.endings.retain(|_, number| *number > 0);
    }
}

impl Default for Analysis {
    fn default() -> Self {
        Self::join([])
    }
}

/// Analyses that are being joined. Its lists are in no order and a little longer than they will be.
#[derive(Default)]
pub struct Joined {
    generated_from: GeneratedFrom,
    totals: Counters,
    sessions: Listed<SessionSummary>,
    episodes: Listed<EpisodeSummary>,
    loops: Listed<Loop>,
    failures: Listed<Failure>,
    signatures: BTreeMap<String, SignatureSummary>,
    days: BTreeMap<String, Day>,
    models: BTreeMap<String, ModelSummary>,
    skipped: BTreeMap<String, u64>,
}

impl Joined {
    /// Adds an analysis of other sessions.
    pub fn add(&mut self, part: Analysis) {
        self.generated_from.add(part.generated_from);
        self.totals.add(&part.totals);
        let left_out = |list: &str| part.left_out.get(list).copied().unwrap_or_default();
        self.sessions.add(part.sessions, left_out(SESSIONS));
        self.episodes.add(part.episodes, left_out(EPISODES));
        self.loops.add(part.loops, left_out(LOOPS));
        self.failures.add(part.failures, left_out(FAILURES));
        for signature in part.signatures {
            match self.signatures.entry(signature.signature.clone()) {
                Entry::Occupied(mut known) => known.get_mut().add(signature),
                Entry::Vacant(free) => drop(free.insert(signature)),
            }
        }
        for day in part.days {
            self.days.entry(day.day.clone()).or_insert_with(|| Day::of(&day.day)).add(&day);
        }
        for model in part.models {
            match self.models.entry(model.model.clone()) {
                Entry::Occupied(mut known) => known.get_mut().add(&model),
                Entry::Vacant(free) => drop(free.insert(model)),
            }
        }
        add_counts(&mut self.skipped, &part.skipped);
    }

    /// What they come to.
    pub fn settled(self) -> Analysis {
        let mut left_out = BTreeMap::new();
        let sessions = self.sessions.settled(SESSIONS, &mut left_out);
        let episodes = self.episodes.settled(EPISODES, &mut left_out);
        let loops = self.loops.settled(LOOPS, &mut left_out);
        let failures = self.failures.settled(FAILURES, &mut left_out);
        let mut signatures: Vec<SignatureSummary> = self.signatures.into_values().collect();
        signatures.sort_by(|a, b| b.failures.cmp(&a.failures).then_with(|| a.signature.cmp(&b.signature)));
        let mut models: Vec<ModelSummary> = self.models.into_values().collect();
        models.sort_by_key(|it| std::cmp::Reverse((it.money, it.tokens.total())));
        Analysis {
            schema_version: Analysis::SCHEMA_VERSION,
            generated_from: self.generated_from,
            totals: self.totals,
            sessions,
            episodes,
            loops,
            signatures,
            days: self.days.into_values().collect(),
            failures,
            models,
            skipped: self.skipped,
            left_out,
        }
    }
}

const SESSIONS: &str = "sessions";
const EPISODES: &str = "episodes";
const LOOPS: &str = "loops";
pub(super) const FAILURES: &str = "failures";

/// A list of which the latest items are kept.
#[derive(Debug)]
pub(super) struct Listed<T> {
    items: Vec<T>,
    left_out: u64,
}

impl<T> Default for Listed<T> {
    fn default() -> Self {
        Self { items: Vec::new(), left_out: 0 }
    }
}

/// An item that has its place among others wherever it came from. Items that compare as equal are equal.
pub(super) trait Placed {
    fn place(&self) -> impl Ord;
}

impl<T: Placed> Listed<T> {
    /// Adds items, and how many were left out before.
    pub(super) fn add(&mut self, items: Vec<T>, left_out: u64) {
        if self.items.is_empty() {
            self.items = items;
        } else {
            self.items.extend(items);
        }
        self.left_out += left_out;
        // Now and then, so that joining many is not sorting each time.
        if self.items.len() > Analysis::MOST + Analysis::MOST / 8 {
            self.cut();
        }
    }

    fn cut(&mut self) {
        self.items.sort_unstable_by(|a, b| a.place().cmp(&b.place()));
        let surplus = self.items.len().saturating_sub(Analysis::MOST);
        self.items.drain(..surplus);
        self.left_out += surplus as u64;
    }

    /// The items in order; `left_out` is told how many are missing.
    pub(super) fn settled(mut self, name: &str, left_out: &mut BTreeMap<String, u64>) -> Vec<T> {
        self.cut();
        if self.left_out > 0 {
            left_out.insert(name.to_owned(), self.left_out);
        }
        self.items
    }
}

impl Placed for SessionSummary {
    fn place(&self) -> impl Ord {
        (self.started.as_deref(), self.id.as_str(), self.file.as_str(), self.ended.as_deref())
    }
}

impl Placed for EpisodeSummary {
    fn place(&self) -> impl Ord {
        let calls = (self.tool_use_ids.as_slice(), self.last_ts.as_deref());
        (self.first_ts.as_deref(), self.session.as_str(), self.node.as_str(), self.id.as_str(), calls)
    }
}

impl Placed for Loop {
    fn place(&self) -> impl Ord {
        let round = (self.period, self.operations.as_slice(), self.repeats);
        (self.first_ts.as_deref(), self.session.as_str(), self.node.as_str(), self.last_ts.as_deref(), round)
    }
}

impl Placed for Failure {
    fn place(&self) -> impl Ord {
        let call = (self.tool_use_id.as_deref(), self.phase as u8, self.episode.as_str());
        (self.ts.as_deref(), self.session.as_str(), self.node.as_str(), self.file.as_str(), self.line, call)
    }
}

impl GeneratedFrom {
    fn add(&mut self, other: Self) {
        self.files += other.files;
        self.sessions += other.sessions;
        widen(&mut self.first_ts, &mut self.last_ts, other.first_ts, other.last_ts);
    }
}

impl Counters {
    /// Adds the counters of another session.
    pub fn add(&mut self, other: &Self) {
        let sums = [
            (&mut self.calls, other.calls),
            (&mut self.failed, other.failed),
            (&mut self.masked, other.masked),
            (&mut self.benign, other.benign),
            (&mut self.denied, other.denied),
            (&mut self.cascade, other.cascade),
            (&mut self.interrupted, other.interrupted),
            (&mut self.episodes, other.episodes),
            (&mut self.episodes_open, other.episodes_open),
            (&mut self.loops, other.loops),
            (&mut self.unchanged_retries, other.unchanged_retries),
            (&mut self.turns, other.turns),
            (&mut self.turns_in_failure, other.turns_in_failure),
            (&mut self.wall_ms, other.wall_ms),
            (&mut self.wall_ms_in_failure, other.wall_ms_in_failure),
            (&mut self.dead_subagents, other.dead_subagents),
            (&mut self.advices, other.advices),
            (&mut self.unpriced_tokens, other.unpriced_tokens),
        ];
        for (sum, more) in sums {
            *sum += more;
        }
        add_counts(&mut self.classes, &other.classes);
        add_counts(&mut self.categories, &other.categories);
        add_counts(&mut self.endings, &other.endings);
        self.tokens = self.tokens.plus(other.tokens);
        self.tokens_in_failure = self.tokens_in_failure.plus(other.tokens_in_failure);
        self.money = self.money.plus(other.money);
        self.money_in_failure = self.money_in_failure.plus(other.money_in_failure);
        self.guard = match (self.guard, other.guard) {
            (Some(ours), Some(theirs)) => Some(ours.plus(theirs)),
            (ours, theirs) => ours.or(theirs),
        };
    }
}

impl Savings {
    fn plus(self, other: Self) -> Self {
        Self {
            refused: self.refused + other.refused,
            calls_saved: self.calls_saved + other.calls_saved,
            tokens_saved: self.tokens_saved.saturating_add(other.tokens_saved),
            wall_ms_saved: self.wall_ms_saved + other.wall_ms_saved,
        }
    }
}

impl SignatureSummary {
    fn add(&mut self, other: Self) {
        // What was met first gives the words.
        let words = |it: &Self| (it.first_ts.is_none(), it.first_ts.clone(), it.operation.clone(), it.excerpt.clone());
        if words(&other) < words(self) {
            self.operation = other.operation;
            self.excerpt = other.excerpt;
        }
        self.coarse = std::mem::take(&mut self.coarse).min(other.coarse);
        self.category = self.category.min(other.category);
        self.class = self.class.max(other.class);
        self.failures += other.failures;
        self.episodes += other.episodes;
        self.unresolved += other.unresolved;
        self.sessions += other.sessions;
        self.cost = self.cost.plus(other.cost);
        widen(&mut self.first_ts, &mut self.last_ts, other.first_ts, other.last_ts);
    }
}

impl Day {
    /// A day on which nothing was counted yet.
    pub(super) fn of(day: &str) -> Self {
        Self { day: day.to_owned(), ..Self::default() }
    }

    fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.failed += other.failed;
        self.masked += other.masked;
        self.turns += other.turns;
        self.tokens = self.tokens.plus(other.tokens);
        self.money = self.money.plus(other.money);
        add_counts(&mut self.classes, &other.classes);
    }
}

impl ModelSummary {
    fn add(&mut self, other: &Self) {
        self.turns += other.turns;
        self.tokens = self.tokens.plus(other.tokens);
        self.money = self.money.plus(other.money);
        self.priced &= other.priced;
        self.checked &= other.checked;
        self.unpriced_tokens = self.unpriced_tokens.saturating_add(other.unpriced_tokens);
    }
}

fn add_counts<K: Ord + Clone>(sums: &mut BTreeMap<K, u64>, more: &BTreeMap<K, u64>) {
    for (key, count) in more {
        *sums.entry(key.clone()).or_default() += count;
    }
}

/// Widens a span of time, in the normal form in which the order of texts is the order of times.
fn widen(first: &mut Option<String>, last: &mut Option<String>, from: Option<String>, to: Option<String>) {
    *first = match (first.take(), from) {
        (Some(ours), Some(theirs)) => Some(ours.min(theirs)),
        (ours, theirs) => ours.or(theirs),
    };
    *last = last.take().max(to);
}
