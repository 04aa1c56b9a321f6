//! Adds up what a replay sees: the analysis of the sessions that it met.

use std::collections::{BTreeMap, BTreeSet};

use super::analysis::{
    Advice, Analysis, Counters, Day, Ended, EpisodeSummary, Failure, GeneratedFrom, Loop, SessionSummary,
    SignatureSummary, ToolCounts,
};
use super::episodes::{CallAfter, Episodes, NodeRounds};
use super::merge::{FAILURES, Listed};
use super::meter::{Clock, Mark, Meter};
use super::models::{ModelLedger, UNKNOWN_MODEL};
use super::rounds::{FoundRound, RoundStep, Rounds};
use super::said::About;
use crate::history::{Episode, Event, Execution, session_parent};
use crate::model::{Category, Host, Ids, Outcome, Phase, RunResult, Tool, ToolKind, Turn, Usage, Verdict};
use crate::text::project_folder;
use crate::time::{millis, parse, stamp, stamp_of};

/// Where something stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct LineOrigin {
    pub(super) file: String,
    pub(super) line: u64,
}

/// Adds up what a replay sees.
#[derive(Debug, Default)]
pub(super) struct Tally {
    sessions: BTreeMap<String, TalliedSession>,
    episodes: Episodes,
    /// By their numbers, counted from 1970.
    days: BTreeMap<i64, Day>,
    pub(super) models: ModelLedger,
    files: BTreeSet<String>,
    pub(super) failures: Listed<Failure>,
    signatures: BTreeMap<String, SignatureSummary>,
    /// The signatures that each session met.
    met: BTreeSet<(String, String)>,
    loops: Vec<(String, String, FoundRound)>,
    skipped: BTreeMap<String, u64>,
    with_guard: bool,
    /// Stretches of work from one refused call to the next one that followed it.
    saved: Vec<(String, Mark, Mark)>,
}

#[derive(Debug, Default)]
struct TalliedSession {
    project: Option<String>,
    host: Host,
    file: String,
    clock: Clock,
    counters: Counters,
    tools: BTreeMap<String, ToolCounts>,
    models: BTreeMap<String, Usage>,
    desks: BTreeMap<String, Box<TallyDesk>>,
    /// Nodes of subagents that were reported as completed.
    completed: BTreeSet<String>,
}

impl TalliedSession {
    fn desk(&mut self, node: &str) -> (&mut Counters, &mut TallyDesk) {
        (&mut self.counters, self.desks.entry(node.to_owned()).or_default())
    }

    /// Something happened at a node, and by a person or not. Gives the node's desk.
    fn tick(
        &mut self,
        host: Host,
        node: &str,
        (ms, by_person): (Option<i64>, bool),
        origin: &LineOrigin,
    ) -> &mut TallyDesk {
        if self.file.is_empty() {
            self.file.clone_from(&origin.file);
            self.host = host;
        }
        if let Some(ms) = ms {
            self.clock.tick(ms, by_person);
        }
        let desk = self.desk(node).1;
        desk.meter.at(ms);
        desk
    }

    fn tool(&mut self, execution: &Execution) -> &mut ToolCounts {
        self.tools.entry(execution.tool.clone().unwrap_or_default()).or_default()
    }

    /// How many of these ended in an error of the model's API or with a failed check all the same.
    fn dead_subagents(&self) -> u64 {
        let desks = self.completed.iter().filter_map(|node| self.desks.get(node));
        desks.filter(|desk| desk.api_error || desk.check_failed).count() as u64
    }
}

/// What one node does in one session.
#[derive(Debug, Default)]
struct TallyDesk {
    /// The model that answered last.
    model: Option<String>,
    meter: Meter,
    rounds: Rounds,
    /// Whether its last word was an error of the model's API.
    api_error: bool,
    /// Whether its last check (tests, compiler, linter) failed.
    check_failed: bool,
    /// The call that the guard would have refused last, and the point after it.
    refused: Option<(Option<String>, Mark)>,
}

impl Tally {
    /// Whether the guard was asked, so that nothing refused is 0 and not unknown.
    pub(super) fn with_guard(&mut self) {
        self.with_guard = true;
    }

    /// The guard would have refused a call that was just counted. A refused call that failed would have been saved, and
    /// from the second of the same call on the work that led to it.
    pub(super) fn refused(&mut self, event: &Event, execution: &Execution) {
        let failed = event.is_failure();
        let (counters, desk) = self.desk(event.session.as_deref(), &event.node);
        let savings = counters.guard.get_or_insert_default();
        savings.refused += 1;
        savings.calls_saved += u64::from(failed);
        let call = (execution.input.clone(), desk.meter.now());
        let before = desk.refused.replace(call.clone()).filter(|(input, _)| *input == call.0 && failed);
        if let Some((_, mark)) = before {
            self.saved.push((name_of(event.session.as_deref()).to_owned(), mark, call.1));
        }
    }

    /// A file is being read.
    pub(super) fn file(&mut self, file: &str) {
        self.files.insert(file.to_owned());
    }

    /// Lines or results were left out.
    pub(super) fn skipped(&mut self, reason: &str, count: u64) {
        if count > 0 {
            *self.skipped.entry(reason.to_owned()).or_default() += count;
        }
    }

    /// The last part of the working directory that a session was first seen in.
    pub(super) fn project(&self, session: Option<&str>) -> Option<&str> {
        self.sessions.get(name_of(session))?.project.as_deref()
    }

    /// Somebody worked in this directory.
    pub(super) fn seen_in(&mut self, session: Option<&str>, cwd: Option<&str>) {
        let known = self.session(session);
        if known.project.is_none() {
            known.project = cwd.and_then(project_of);
        }
    }

    /// The model answered, or an answer of which this was told before cost more.
    pub(super) fn turn(
        &mut self,
        ids: &Ids,
        node: &str,
        (turn, before): (&Turn, Option<Usage>),
        ts: &str,
        origin: &LineOrigin,
    ) {
        let since = self.desk(ids.session.as_deref(), node).1.meter.now().ms;
        let ms = millis(ts);
        self.session(ids.session.as_deref()).tick(ids.host, node, (ms, false), origin);
        let (begins, more) = (before.is_none(), turn.usage);
        let price = self.models.turn(turn, before, ms);
        let money = price.unwrap_or_default();
        let name = turn.model.as_deref().unwrap_or(UNKNOWN_MODEL);
        let models = &mut self.session(ids.session.as_deref()).models;
        match models.get_mut(name) {
            Some(known) => *known = known.plus(more),
            None => drop(models.insert(name.to_owned(), more)),
        }
        let (session, desk) = self.desk(ids.session.as_deref(), node);
        desk.meter.turn(begins, (more, money), since);
        desk.api_error = false;
        if desk.model != turn.model {
            desk.model.clone_from(&turn.model);
        }
        session.turns += u64::from(begins);
        session.tokens = session.tokens.plus(more);
        session.money = session.money.plus(money);
        if price.is_none() {
            session.unpriced_tokens = session.unpriced_tokens.saturating_add(more.total());
        }
        if let Some(day) = self.day(ms) {
            day.turns += u64::from(begins);
            day.tokens = day.tokens.plus(more);
            day.money = day.money.plus(money);
        }
    }

    /// A subagent was reported as completed.
    pub(super) fn completed(&mut self, session: Option<&str>, agent: &str) {
        self.session(session).completed.insert(agent.to_owned());
    }

    /// A person spoke.
    pub(super) fn prompt(&mut self, ids: &Ids, node: &str, ts: &str, origin: &LineOrigin) {
        self.session(ids.session.as_deref()).tick(ids.host, node, (millis(ts), true), origin);
        let found = self.desk(ids.session.as_deref(), node).1.rounds.end();
        self.found(ids.session.as_deref(), node, found);
        let mark = self.desk(ids.session.as_deref(), node).1.meter.now();
        self.episodes.prompted(name_of(ids.session.as_deref()), node, mark);
    }

    /// The client waited until now: that is nobody's work.
    pub(super) fn waited(&mut self, ids: &Ids, node: &str, ts: &str, origin: &LineOrigin) {
        self.session(ids.session.as_deref()).tick(ids.host, node, (millis(ts), true), origin);
    }

    /// A call ended: of a cut line the whole, and the end of what it printed.
    pub(super) fn call(&mut self, event: &Event, execution: &Execution, told: ([&str; 2], &LineOrigin)) {
        let ([typed, printed], origin) = told;
        let session = name_of(event.session.as_deref());
        let known = self.sessions.entry(session.to_owned()).or_default();
        let since = known.desks.get(&event.node).and_then(|desk| desk.meter.now().ms);
        let is_error_of_model = execution.tool.as_deref() == Some(Tool::MODEL_API);
        let ms = millis(&event.ts);
        let waited = is_error_of_model || waits_for_others(execution, since, ms);
        known.tool(execution).calls += 1;
        known.counters.calls += 1;
        let desk = known.tick(event.host, &event.node, (ms, waited), origin);
        desk.meter.call(since);
        desk.api_error = is_error_of_model;
        if execution.outcome == Some(Outcome::Succeeded)
            && execution.reading.as_ref().is_some_and(|reading| reading.result == RunResult::Passed)
        {
            desk.check_failed = false;
        }
        let (began, mark) = (desk.meter.began(execution.phase == Some(Phase::Background)), desk.meter.now());
        let found = RoundStep::of(event, execution, mark).and_then(|step| desk.rounds.step(step));
        let now = |node: &str| known.desks.get(node).map_or_else(Mark::default, |desk| desk.meter.now());
        self.episodes.next_call(&CallAfter { session, event, execution, typed, printed, began, mark }, now);
        if let Some(day) = self.day(ms) {
            day.calls += 1;
        }
        self.found(event.session.as_deref(), &event.node, found);
    }

    /// A call that was just counted did not simply succeed, and is no failure.
    pub(super) fn not_failure(&mut self, event: &Event, execution: &Execution) {
        let session = self.session(event.session.as_deref());
        session.tool(execution).denied += u64::from(execution.outcome == Some(Outcome::Denied));
        let (counters, desk) = session.desk(&event.node);
        match execution.outcome {
            Some(Outcome::Denied) => counters.denied += 1,
            Some(Outcome::Cascade) => {
                counters.cascade += 1;
                let began = desk.meter.began(false);
                self.episodes.cancelled(name_of(event.session.as_deref()), &event.node, began);
            }
            Some(Outcome::Interrupted) => counters.interrupted += 1,
            Some(Outcome::BenignNonZero) => counters.benign += 1,
            _ => {}
        }
    }

    /// What the rules said of a call that was just counted. Gives the id of the episode that its cost is booked on, and the model
    /// that made it.
    pub(super) fn verdict(
        &mut self,
        event: &Event,
        execution: &Execution,
        (verdict, episode): (&Verdict, Option<&Episode>),
        origin: &LineOrigin,
    ) -> (String, Option<String>) {
        let masked = verdict.outcome == Outcome::MaskedFailure;
        let tool = self.session(event.session.as_deref()).tool(execution);
        *(if masked { &mut tool.masked } else { &mut tool.failed }) += 1;
        let (counters, desk) = self.desk(event.session.as_deref(), &event.node);
        counters.failed += 1;
        counters.masked += u64::from(masked);
        *counters.classes.entry(verdict.class).or_default() += 1;
        *counters.categories.entry(verdict.category).or_default() += 1;
        counters.unchanged_retries += u64::from(verdict.unchanged_retries > 0);
        desk.check_failed |= is_check(verdict.kind()) || masked;
        let span = (desk.meter.began(execution.phase == Some(Phase::Background)), desk.meter.now());
        if let Some(day) = self.day(millis(&event.ts)) {
            day.failed += 1;
            day.masked += u64::from(masked);
            *day.classes.entry(verdict.class).or_default() += 1;
        }
        let id = self.episodes.failed(name_of(event.session.as_deref()), event, execution, (verdict, episode), span);
        let model = self.desk(event.session.as_deref(), &event.node).1.model.clone();
        let failure =
            Failure { episode: id.clone(), model: model.clone(), ..failure(event, execution, verdict, origin) };
        self.signed(&failure);
        self.failures.add(vec![failure], 0);
        (id, model)
    }

    /// Adds a failure to those of its signature. One that names no test is of none.
    fn signed(&mut self, failure: &Failure) {
        if failure.signature.vague {
            return;
        }
        let fine = &failure.signature.fine;
        let summary = self.signatures.entry(fine.clone()).or_insert_with(|| summary_of(failure));
        summary.failures += 1;
        summary.sessions += u64::from(self.met.insert((fine.clone(), failure.session.clone())));
        summary.class = summary.class.max(failure.class);
        summary.first_ts = [summary.first_ts.take(), failure.ts.clone()].into_iter().flatten().min();
        summary.last_ts = summary.last_ts.take().max(failure.ts.clone());
    }

    /// What the agent was told of these episodes, or would have been.
    pub(super) fn advised(&mut self, event: &Event, episodes: &[String], text: &str) {
        self.desk(event.session.as_deref(), &event.node).0.advices += 1;
        let ts = parse(&event.ts).map(stamp);
        for episode in episodes {
            self.episodes.advised(
                name_of(event.session.as_deref()),
                &event.node,
                episode,
                Advice { ts: ts.clone(), text: text.to_owned() },
            );
        }
    }

    /// The failed calls of these episodes of a node.
    pub(super) fn about(&self, session: Option<&str>, node: &str, episodes: &[String]) -> About {
        let mut about = About::default();
        let session = name_of(session);
        for summary in episodes.iter().filter_map(|episode| self.episodes.going(session, node, episode)) {
            about.tool_use_ids.extend_from_slice(&summary.tool_use_ids);
            about.call = Some(summary.input.clone());
        }
        about
    }

    /// What it all comes to.
    pub(super) fn analysis(mut self) -> Analysis {
        let mut running = Vec::new();
        for (session, known) in &mut self.sessions {
            known.clock.set();
            let nodes = known.desks.iter_mut();
            running.extend(nodes.filter_map(|(node, desk)| Some((session.clone(), node.clone(), desk.rounds.end()?))));
        }
        self.loops.extend(running);
        self.add_savings();
        let sessions = &self.sessions;
        let over = |node: &str| session_parent(node).is_some_and(|parent| goes_on_after(sessions, parent, node));
        let clock = |session: &str| sessions.get(session).map(|session| &session.clock);
        let mut rounds = NodeRounds::new();
        for (session, node, found) in &self.loops {
            let stretch = found.round.first().map(|first| (first.mark, found.last));
            rounds.entry((session, node)).or_default().extend(stretch);
        }
        let episodes = self.episodes.settled(over, clock, &rounds);
        let loops = loops(&self.sessions, self.loops);
        let mut left_out = BTreeMap::new();
        let failures = self.failures.settled(FAILURES, &mut left_out);
        add_costs(&mut self.signatures, &episodes);
        add_episodes(&mut self.sessions, &episodes, &loops);
        let summaries: Vec<SessionSummary> = self.sessions.into_iter().map(|(id, session)| session.told(id)).collect();
        let mut totals = Counters::default();
        for session in &summaries {
            totals.add(&session.counters);
        }
        let generated_from = GeneratedFrom {
            files: self.files.len() as u64,
            sessions: summaries.len() as u64,
            first_ts: summaries.iter().filter_map(|session| session.started.clone()).min(),
            last_ts: summaries.iter().filter_map(|session| session.ended.clone()).max(),
        };
        Analysis::join([Analysis {
            schema_version: Analysis::SCHEMA_VERSION,
            generated_from,
            totals,
            sessions: summaries,
            episodes,
            loops,
            signatures: self.signatures.into_values().collect(),
            days: self.days.into_values().collect(),
            failures,
            models: self.models.settled(),
            skipped: self.skipped,
            left_out,
        }])
    }

    fn add_savings(&mut self) {
        if !self.with_guard {
            return;
        }
        for session in self.sessions.values_mut() {
            session.counters.guard.get_or_insert_default();
        }
        for (id, from, to) in std::mem::take(&mut self.saved) {
            let Some(session) = self.sessions.get_mut(&id) else { continue };
            let cost = from.until(to, &session.clock);
            let savings = session.counters.guard.get_or_insert_default();
            savings.tokens_saved = savings.tokens_saved.saturating_add(cost.tokens.total());
            savings.wall_ms_saved += cost.wall_ms;
        }
    }

    fn session(&mut self, session: Option<&str>) -> &mut TalliedSession {
        self.sessions.entry(name_of(session).to_owned()).or_default()
    }

    fn desk(&mut self, session: Option<&str>, node: &str) -> (&mut Counters, &mut TallyDesk) {
        self.session(session).desk(node)
    }

    fn day(&mut self, ms: Option<i64>) -> Option<&mut Day> {
        let ms = ms?;
        Some(self.days.entry(ms.div_euclid(DAY_MS)).or_insert_with(|| {
            let text = stamp_of(ms).unwrap_or_default();
            Day::of(text.get(..10).unwrap_or_default())
        }))
    }

    fn found(&mut self, session: Option<&str>, node: &str, found: Option<FoundRound>) {
        self.loops.extend(found.map(|found| (name_of(session).to_owned(), node.to_owned(), found)));
    }
}

impl TalliedSession {
    fn told(self, id: String) -> SessionSummary {
        let (started, ended) = self.clock.span();
        SessionSummary {
            id,
            project: self.project,
            person: None,
            host: self.host.named(),
            file: self.file,
            started: started.and_then(stamp_of),
            ended: ended.and_then(stamp_of),
            agents: self.desks.len() as u64,
            sums_only: false,
            counters: Counters { wall_ms: self.clock.total(), ..self.counters },
            tools: self.tools,
            models: self.models,
        }
    }
}

/// Whether the time before the end of a call is nobody's work: a person answered, allowed or refused it, or it waited for
/// work in the background.
fn waits_for_others(execution: &Execution, since: Option<i64>, ended: Option<i64>) -> bool {
    let tool = Tool::named(execution.tool.as_deref().unwrap_or_default());
    let is_quick = matches!(tool.kind, ToolKind::Read | ToolKind::Edit | ToolKind::Write | ToolKind::Search);
    let is_long = since.zip(ended).is_some_and(|(since, ended)| ended.saturating_sub(since) > LONGEST_QUICK_MS);
    execution.outcome == Some(Outcome::Denied) || Tool::WAITING.contains(&tool.name.as_str()) || is_quick && is_long
}

/// The longest that a file tool takes by itself, in milliseconds: what is longer waited for a permission.
const LONGEST_QUICK_MS: i64 = 10_000;

/// A day in milliseconds.
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// A session by its id.
pub(super) fn name_of(session: Option<&str>) -> &str {
    session.unwrap_or("unknown")
}

/// The last part of a path to a project, without secrets. The whole path is redacted: a secret may hold the characters that it is cut at.
fn project_of(cwd: &str) -> Option<String> {
    let clean = crate::redact::redact_printed(cwd);
    let last = project_folder(&clean)
        .trim_end_matches(['/', '\\'])
        .rsplit(['/', '\\'])
        .next()
        .filter(|last| !last.is_empty())?;
    Some(last.chars().take(100).collect())
}

fn is_check(category: Category) -> bool {
    matches!(category, Category::TestFailure | Category::CompileError | Category::LintError)
}

/// Whether a session's own node went on after a subagent's last word: the subagent's work is over.
fn goes_on_after(sessions: &BTreeMap<String, TalliedSession>, parent: &str, node: &str) -> bool {
    sessions.values().any(|session| {
        let last = |node: &str| session.desks.get(node).map(|desk| desk.meter.now().ms);
        last(node).is_some_and(|ended| last(parent).is_some_and(|parent| parent > ended))
    })
}

fn loops(sessions: &BTreeMap<String, TalliedSession>, found: Vec<(String, String, FoundRound)>) -> Vec<Loop> {
    let told = |(session, node, found): (String, String, FoundRound)| {
        let first = found.round.first()?.mark;
        let clock = &sessions.get(&session)?.clock;
        Some(Loop {
            period: u32::try_from(found.round.len()).ok()?,
            repeats: u32::try_from(found.repeats()).unwrap_or(u32::MAX),
            first_ts: first.ms.and_then(stamp_of),
            last_ts: found.last.ms.and_then(stamp_of),
            cost: first.until(found.last, clock),
            operations: found.round.into_iter().map(|step| step.operation).collect(),
            session,
            node,
        })
    };
    found.into_iter().filter_map(told).collect()
}

/// Puts into each session's counters what its episodes and loops come to.
fn add_episodes(sessions: &mut BTreeMap<String, TalliedSession>, episodes: &[EpisodeSummary], loops: &[Loop]) {
    for episode in episodes {
        let Some(session) = sessions.get_mut(&episode.session) else { continue };
        let counters = &mut session.counters;
        counters.episodes += 1;
        counters.episodes_open += u64::from(episode.ended == Ended::Open);
        *counters.endings.entry(episode.ended).or_default() += 1;
        counters.turns_in_failure += episode.booked.turns;
        counters.tokens_in_failure = counters.tokens_in_failure.plus(episode.booked.tokens);
        counters.money_in_failure = counters.money_in_failure.plus(episode.booked.money);
        counters.wall_ms_in_failure += episode.booked.wall_ms;
    }
    for found in loops {
        if let Some(session) = sessions.get_mut(&found.session) {
            session.counters.loops += 1;
        }
    }
    for session in sessions.values_mut() {
        session.counters.dead_subagents = session.dead_subagents();
    }
}

/// Puts into each signature what its episodes come to.
fn add_costs(signatures: &mut BTreeMap<String, SignatureSummary>, episodes: &[EpisodeSummary]) {
    for episode in episodes {
        let Some(summary) = signatures.get_mut(episode.signature.as_str()) else { continue };
        summary.episodes += 1;
        summary.unresolved += u64::from(episode.ended.is_unresolved());
        summary.cost = summary.cost.plus(episode.booked);
    }
}

fn summary_of(failure: &Failure) -> SignatureSummary {
    SignatureSummary {
        signature: failure.signature.fine.clone(),
        coarse: failure.signature.coarse.clone(),
        class: failure.class,
        category: failure.category,
        operation: failure.operation.clone(),
        excerpt: failure.excerpt.clone(),
        ..SignatureSummary::default()
    }
}

fn failure(event: &Event, execution: &Execution, verdict: &Verdict, origin: &LineOrigin) -> Failure {
    Failure {
        session: name_of(event.session.as_deref()).to_owned(),
        node: event.node.clone(),
        file: origin.file.clone(),
        line: origin.line,
        ts: parse(&event.ts).map(stamp),
        phase: execution.phase.unwrap_or_default(),
        outcome: verdict.outcome,
        class: verdict.class,
        category: verdict.category,
        rule: verdict.rule.clone(),
        tool: execution.tool.clone().unwrap_or_default(),
        operation: verdict.operation.0.clone(),
        input: execution.input.clone().unwrap_or_default(),
        excerpt: execution.reading.as_ref().and_then(|reading| reading.line.clone()),
        episode: verdict.episode.clone(),
        attempt: verdict.attempt,
        unchanged_retries: verdict.unchanged_retries,
        signature: verdict.signature.clone(),
        tool_use_id: event.tool_use_id.clone(),
        model: None,
    }
}
