//! Episodes from their first failure to their end, and how they ended.

use std::collections::BTreeMap;

use super::analysis::{Advice, Ended, EpisodeSummary};
use super::meter::{Clock, Mark, Work};
use crate::history::{Effect, Episode, Event, Execution, State};
use crate::knowledge::instead::{self, FailedForm};
use crate::model::{Category, Cost, Outcome, Tool, ToolKind, Verdict};
use crate::time::stamp_of;

/// Episodes by node and id, those that go on and those that ended.
#[derive(Debug, Default)]
pub(super) struct Episodes {
    going: BTreeMap<(String, String), Worked>,
    ended: Vec<Worked>,
}

/// An episode and the work on it.
#[derive(Debug)]
pub(super) struct Worked {
    pub(super) summary: EpisodeSummary,
    /// The work on it.
    pub(super) work: Work,
    /// Its last run.
    last: Mark,
    /// What kind of run it is, likely at least.
    kind: Category,
    /// Whose output it was.
    runner: Option<String>,
    /// The call that failed last, where another form of it may do its work.
    failed: Option<FailedForm>,
    /// Where another form of the call did its work, with no failure since.
    replaced: Option<Mark>,
    /// Whether it is about a call that only looks: nobody works on that in the meantime.
    looks: bool,
    /// Whether a person spoke after its last failure.
    left: bool,
}

impl Worked {
    /// What it cost.
    pub(super) fn cost(&self, clock: &Clock) -> Cost {
        let each = self.work.stretches().map(|(from, to)| from.until(to, clock));
        each.fold(Cost::default(), Cost::plus)
    }

    /// What is told of it.
    pub(super) fn told(mut self, clock: &Clock) -> EpisodeSummary {
        self.summary.cost = self.cost(clock);
        self.summary
    }

    /// It was run again, in this session.
    fn runs(&mut self, session: &str, mark: Mark) {
        // Another session may go on with a plan node's episode; what it spends is its own.
        if self.summary.session != session {
            return;
        }
        if !self.looks || self.last.calls_until(mark) <= RECENT {
            self.work.between.push((self.last, mark));
        }
        self.last = mark;
    }

    /// It failed, by an answer that began at `from`. Calls of one answer share it.
    fn fails(&mut self, session: &str, from: Mark, mark: Mark) {
        if self.summary.session == session {
            let from = self.last.max(from);
            self.runs(session, from);
            self.work.answers.push((from, mark));
            self.last = mark;
        }
    }

    /// Another form of its call did its work there.
    fn replaced_at(mut self, mark: Mark) -> Self {
        self.work.between.push((self.last, mark));
        self.summary.ended = Ended::Replaced;
        self.summary.ended_ts = mark.ms.and_then(stamp_of);
        self
    }

    /// It did not pass. Only a check is missed then: without a path or an option that was wrong the work goes on.
    fn without_pass(mut self, abandoned: bool) -> Self {
        self.summary.ended = match (self.is_check(), abandoned) {
            (false, _) => Ended::MovedOn,
            (true, true) => Ended::Abandoned,
            (true, false) => Ended::Open,
        };
        self
    }

    /// Whether what failed is a check: its own words or its name say so, or a run inside failed behind an exit status of 0
    /// for another reason than how it was called.
    fn is_check(&self) -> bool {
        const CHECKS: &[Category] = &[
            Category::TestFailure,
            Category::CompileError,
            Category::LintError,
            Category::CommitHookFailed,
            Category::CiCheckFailed,
        ];
        CHECKS.contains(&self.kind) || (self.summary.masked && !instead::CATEGORIES.contains(&self.kind))
    }

    /// Whether nobody went back to it although there was time, or a person had other words.
    fn is_abandoned(&self, now: Option<Mark>) -> bool {
        self.left || now.is_some_and(|now| self.last.calls_until(now) > RECENT)
    }
}

/// How many calls back a run is still recent: as many as the rules remember of a node.
const RECENT: u64 = State::RECENT as u64;

impl Episodes {
    /// A failure, the point at which the answer began that made the call, and the point after it.
    pub(super) fn failed(
        &mut self,
        session: &str,
        event: &Event,
        execution: &Execution,
        verdict: &Verdict,
        (from, mark): (Mark, Mark),
    ) {
        let key = (event.node.clone(), verdict.episode.clone());
        let worked = self.going.entry(key).or_insert_with(|| Worked {
            summary: opened(session, event, execution, verdict, mark),
            work: Work::default(),
            last: from,
            kind: verdict.kind(),
            runner: execution.reading.as_ref().and_then(|reading| reading.runner.clone()),
            failed: None,
            replaced: None,
            looks: only_looks(execution),
            left: false,
        });
        worked.left = false;
        worked.fails(session, from, mark);
        worked.failed = FailedForm::of(execution);
        worked.replaced = None;
        let summary = &mut worked.summary;
        summary.class = summary.class.max(verdict.class);
        summary.tool = execution.tool.clone().unwrap_or_default();
        verdict.operation.0.clone_into(&mut summary.operation);
        summary.input = execution.input.clone().unwrap_or_default();
        summary.signature.clone_from(&verdict.signature.fine);
        summary.excerpt = execution.reading.as_ref().and_then(|reading| reading.line.clone());
        summary.last_ts = mark.ms.and_then(stamp_of).or(summary.last_ts.take());
        summary.attempts = summary.attempts.max(verdict.attempt);
        summary.unchanged_retries += u32::from(verdict.unchanged_retries > 0);
        summary.masked |= verdict.outcome == Outcome::MaskedFailure;
        if let Some(id) = event.tool_use_id.as_ref().filter(|_| summary.tool_use_ids.len() < EpisodeSummary::MOST_CALLS)
        {
            summary.tool_use_ids.push(id.clone());
        }
    }

    /// An episode that goes on.
    pub(super) fn going(&self, node: &str, episode: &str) -> Option<&EpisodeSummary> {
        self.going.get(&(node.to_owned(), episode.to_owned())).map(|worked| &worked.summary)
    }

    /// A call of this node succeeded: it may have done the work of one that failed just before.
    pub(super) fn succeeded(&mut self, node: &str, execution: &Execution, mark: Mark) {
        for worked in self.going_of(node).filter(|worked| worked.replaced.is_none() && !worked.left) {
            let is_near = worked.last.calls_until(mark) <= instead::WITHIN;
            if is_near && worked.failed.as_ref().is_some_and(|failed| failed.is_replaced_by(execution)) {
                worked.replaced = Some(mark);
            }
        }
    }

    /// What was said of an episode.
    pub(super) fn advised(&mut self, node: &str, episode: &str, advice: Advice) {
        let Some(worked) = self.going.get_mut(&(node.to_owned(), episode.to_owned())) else { return };
        if worked.summary.advice.len() < EpisodeSummary::MOST_ADVICES {
            worked.summary.advice.push(advice);
        }
    }

    /// An episode passed, at this point of the session that it passed in.
    pub(super) fn passed(&mut self, session: &str, node: &str, episode: &str, how: Ended, mark: Mark) {
        let Some(mut worked) = self.going.remove(&(node.to_owned(), episode.to_owned())) else { return };
        if let Some(replaced) = worked.replaced {
            return self.end(worked.replaced_at(replaced));
        }
        worked.runs(session, mark);
        worked.summary.ended = how;
        worked.summary.ended_ts = mark.ms.and_then(stamp_of);
        self.end(worked);
    }

    /// An episode was lost from sight, behind too many others.
    pub(super) fn dropped(&mut self, node: &str, episode: &str) {
        let Some(worked) = self.going.remove(&(node.to_owned(), episode.to_owned())) else { return };
        self.end(match worked.replaced {
            Some(replaced) => worked.replaced_at(replaced),
            None => worked.without_pass(true),
        });
    }

    /// Keeps an episode that is over. A long session has tens of thousands: none keeps room that nothing fills any more.
    fn end(&mut self, mut worked: Worked) {
        worked.failed = None;
        worked.work.answers.shrink_to_fit();
        worked.work.between.shrink_to_fit();
        worked.summary.tool_use_ids.shrink_to_fit();
        self.ended.push(worked);
    }

    /// A person spoke in this node.
    pub(super) fn left(&mut self, node: &str) {
        for worked in self.going_of(node) {
            worked.left = true;
        }
    }

    fn going_of<'a>(&'a mut self, node: &'a str) -> impl Iterator<Item = &'a mut Worked> {
        let from_node = self.going.range_mut((node.to_owned(), String::new())..);
        from_node.take_while(move |((owner, _), _)| owner == node).map(|(_, worked)| worked)
    }

    /// All of them, now that the data end. `is_over` tells the nodes whose work ended before; `now` where a node of a
    /// session stands.
    pub(super) fn settled(
        self,
        is_over: impl Fn(&str) -> bool,
        now: impl Fn(&str, &str) -> Option<Mark>,
    ) -> Vec<Worked> {
        let mut all = self.ended;
        for worked in self.going.into_values() {
            let summary = &worked.summary;
            let abandoned = is_over(&summary.node) || worked.is_abandoned(now(&summary.session, &summary.node));
            all.push(match worked.replaced {
                Some(replaced) => worked.replaced_at(replaced),
                None => worked.without_pass(abandoned),
            });
        }
        share_work(&mut all);
        all
    }
}

/// Work on several episodes of one runner at once counts in the one that began it: five findings of a linter are mended
/// together.
fn share_work(all: &mut [Worked]) {
    let mut by_runner: BTreeMap<(&str, &str, &str), Vec<&mut Work>> = BTreeMap::new();
    for worked in all {
        let Some(runner) = worked.runner.as_deref() else { continue };
        let key = (worked.summary.session.as_str(), worked.summary.node.as_str(), runner);
        by_runner.entry(key).or_default().push(&mut worked.work);
    }
    for mut all in by_runner.into_values() {
        Work::share(&mut all);
    }
}

/// Whether a call that failed would only have read.
fn only_looks(execution: &Execution) -> bool {
    let kind = Tool::named(execution.tool.as_deref().unwrap_or_default()).kind;
    match kind {
        ToolKind::Read | ToolKind::Search | ToolKind::Web => true,
        ToolKind::Shell => execution.effect == Effect::None,
        _ => false,
    }
}

fn opened(session: &str, event: &Event, execution: &Execution, verdict: &Verdict, mark: Mark) -> EpisodeSummary {
    let object = execution.reading.as_ref().and_then(|reading| reading.primary_object());
    EpisodeSummary {
        id: verdict.episode.clone(),
        session: session.to_owned(),
        node: event.node.clone(),
        class: verdict.class,
        category: verdict.category,
        object: object.map(|object| object.name.clone()),
        tool: String::new(),
        operation: String::new(),
        input: String::new(),
        signature: String::new(),
        first_ts: mark.ms.and_then(stamp_of),
        last_ts: None,
        ended_ts: None,
        attempts: 0,
        unchanged_retries: 0,
        masked: false,
        ended: Ended::Open,
        cost: Cost::default(),
        excerpt: None,
        advice: Vec::new(),
        tool_use_ids: Vec::new(),
    }
}

/// What fixed an episode that a call passed, by the node's state before that call: an edit since the last failure, or
/// the passing call is one; else a shell command that may have changed something; else nothing. Where the node itself
/// changed nothing, what other agents of the session did counts.
pub(super) fn how_it_ended<'a>(
    episode: &Episode,
    passing: &Execution,
    state: &'a State,
    others: &(impl Iterator<Item = &'a State> + Clone),
) -> Ended {
    let since = episode.last_at;
    let edited = |state: &State| state.changes.iter().any(|(_, at)| *at > since);
    if passing.effect == Effect::Files || edited(state) {
        return Ended::FixedByEdit;
    }
    if ran_a_change(state, episode) {
        return Ended::FixedByShell;
    }
    if others.clone().any(edited) {
        return Ended::FixedByEdit;
    }
    if others.clone().any(|other| ran_a_change(other, episode)) { Ended::FixedByShell } else { Ended::ByItself }
}

/// Whether a shell command that may change something ran since the episode's last failure, other than the operation
/// that failed.
fn ran_a_change(state: &State, episode: &Episode) -> bool {
    let after = |at: Option<u64>| at.is_some_and(|at| at > episode.last_at);
    match &state.last_shell {
        Some((last, at)) if *last != episode.operation => after(Some(*at)),
        Some(_) => after(state.other_shell_at),
        None => false,
    }
}
