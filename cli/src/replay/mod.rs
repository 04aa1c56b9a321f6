//! Past sessions again: transcripts and histories through the same functions as the hook, with time from the data.

mod against;
mod aim;
mod analysis;
mod batch;
mod episodes;
mod files;
mod merge;
mod meter;
mod models;
mod past;
mod rounds;
mod row;
mod said;
mod selection;
mod session_call;
mod tally;

pub use against::{Baseline, Disagreement, VerdictSide};
pub use analysis::{
    Advice, Analysis, Counters, Day, Ended, EpisodeEnd, EpisodeSummary, Failure, GeneratedFrom, LastRun, Loop,
    ModelSummary, Savings, SessionSummary, SignatureSummary, ToolCounts, WasteKind,
};
pub use files::EditMoments;
pub use merge::Joined;
pub use row::{FailureRow, FieldDifference, RowAnswer};
pub use said::{MessageForm, NextCall, ReplayedMessages};
pub use session_call::SessionCall;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::batch::Batches;
use self::files::{KnownFiles, SeenFiles};
use self::merge::Listed;
use self::said::{About, MessageList, Occasion, event_of, event_of_recorded, event_of_stop, kind_of, look_words};
use self::tally::{LineOrigin, Tally, name_of};
use crate::changes::{ChangeWatch, MetSession, WatchedAt};
use crate::classify::Ruleset;
use crate::edits::FileNews;
use crate::engine::{Engine, News, Observed, States, Step, Surroundings};
use crate::guard::{GuardQuestion, is_armed};
use crate::history::{Body, Classified, Effect, Event, Execution, ToldAdvice, session_node, session_parent};
use crate::knowledge::{Learner, Recollections, Taught};
use crate::model::{
    AskedLines, Category, Ids, Misfit, NearName, Outcome, PlanFacts, Recalled, Sought, Tool, ToolCall, ToolKind, Topic,
    Turn, Usage, Verdict,
};
use crate::names::MissingName;
use crate::own::Readings;
use crate::prices::Prices;
use crate::settings::{RecallFrom, Settings};
use crate::text::{start, tail};

/// A refusal, a call, its verdict, what was decided and who was told stand in places of their own, as they do in a history.
const PLACES: u64 = 8;
/// The most that is looked at of what a call printed, in bytes.
const PRINTED: usize = 16 * 1024;

/// Replays events in the order given. Identical input gives identical rows.
#[derive(Default)]
pub struct Replay {
    ruleset: &'static Ruleset,
    states: States,
    chosen: Arc<Chosen>,
    /// Of each session, whether the chosen settings are its own.
    is_own: BTreeMap<String, bool>,
    /// How often each fine signature was met, by node.
    met: BTreeMap<(String, String), u32>,
    /// A recorded failure that waits for its recorded verdict, which is the next line.
    pending: Option<(Event, u64)>,
    place: u64,
    origin: LineOrigin,
    with_guard: bool,
    /// Every message, where they are asked for.
    messages: Option<MessageList>,
    /// What files hold, and how many edits did not find their text, where messages are asked for.
    files: KnownFiles,
    edits: EditMoments,
    /// Whether the call that is taken in is one that could be told of.
    one_place: bool,
    /// Where the text stands of the edit that is taken in, if it did not find it.
    misfit: Option<Misfit>,
    /// The end of what the call printed, and of a line that is cut the whole, as they came: to be searched, and neither kept nor
    /// shown.
    printed: String,
    typed: String,
    /// The hook event that what comes next would be.
    hears: &'static str,
    /// Nodes whose turn goes on: who works, and the last time they did.
    working: BTreeMap<String, (Ids, String)>,
    /// What the agents of nodes said last, if no call followed it.
    said_last: BTreeMap<String, String>,
    /// What an agent said after the last failure that a status of 0 hid, by its node.
    said_since: BTreeMap<String, String>,
    /// What failed in the answer that goes on.
    batches: Batches,
    /// What is learned, where that is asked for.
    learner: Option<Learner>,
    /// What sessions meet that could be changed, where that is asked for.
    watch: Option<ChangeWatch>,
    /// What earlier sessions taught of these failures, where that is to be told.
    recollections: Option<Arc<Recollections>>,
    /// The sessions of which a call was met.
    begun: BTreeSet<String>,
    /// Where the call ran that is taken in.
    cwd: Option<String>,
    /// Which lines of a file it asked for.
    lines: AskedLines,
    keeps_rows: bool,
    rows: Vec<FailureRow>,
    /// Every call, where they are asked for, and whether with what was printed.
    traced: Option<(Vec<SessionCall>, bool)>,
    tally: Tally,
}

/// The settings that a replay goes by. They are the caller's own: no file is read that a transcript names.
#[derive(Debug, Default)]
pub struct Chosen {
    /// The settings.
    pub settings: Settings,
    /// The project's own readings that go with them.
    pub readings: Readings,
    /// Whose they are: sessions that began in one of these folders or below it; without any, all sessions.
    pub below: Vec<PathBuf>,
    /// The settings of all other sessions.
    pub defaults: Settings,
}

impl Chosen {
    fn is_below(&self, cwd: &str) -> bool {
        self.below.iter().any(|folder| Path::new(cwd).starts_with(folder))
    }
}

/// What a replay gives.
#[derive(Debug, Default)]
pub struct Replayed {
    /// One row for every result that the client marked as an error, and for masked and later background failures.
    pub rows: Vec<FailureRow>,
    /// What all calls come to.
    pub analysis: Analysis,
    /// Every message, where they were asked for.
    pub said: Vec<ReplayedMessages>,
    /// The edits that did not find their text, where messages were asked for.
    pub edits: EditMoments,
    /// What the sessions taught, where that was asked for.
    pub taught: Taught,
    /// Every call in the order in which they ended, where they were asked for.
    pub calls: Vec<SessionCall>,
    /// What each session met that could be changed, where that was asked for.
    pub met: Vec<MetSession>,
}

impl Replayed {
    /// How many recorded verdicts the rules would not give now.
    pub fn differing(&self) -> u64 {
        self.rows.iter().filter(|row| !row.differs.is_empty()).count() as u64
    }
}

impl Replay {
    /// A replay that decides by a ruleset.
    pub fn new(ruleset: &'static Ruleset) -> Self {
        let mut replay = Self { ruleset, states: States::new(ruleset), keeps_rows: true, ..Self::default() };
        replay.price(true);
        replay
    }

    /// Also finds what the guard would have refused. What was refused ran all the same, so that the rows stay as they are.
    #[must_use]
    pub fn with_guard(mut self) -> Self {
        self.with_guard = true;
        self.tally.with_guard();
        self
    }

    /// Also lists every message: the guard's, too, so that it is asked.
    #[must_use]
    pub fn with_messages(mut self) -> Self {
        self.messages = Some(MessageList::default());
        self.with_guard()
    }

    /// Also gives every call; `printed`: also what those printed that did not fail, for who reads one session.
    #[must_use]
    pub fn with_calls(mut self, printed: bool) -> Self {
        self.traced = Some((Vec::new(), printed));
        self
    }

    /// Also gives what is learned, by this learner.
    #[must_use]
    pub fn with_lessons(mut self, learner: Learner) -> Self {
        self.learner = Some(learner);
        self
    }

    /// Also gives what each session met that could be changed.
    #[must_use]
    pub fn with_changes(mut self) -> Self {
        self.watch = Some(ChangeWatch::default());
        self
    }

    /// Also tells what worked before, as it was found for each failed call.
    #[must_use]
    pub fn with_recollections(mut self, recollections: Arc<Recollections>) -> Self {
        self.recollections = Some(recollections);
        self
    }

    /// Whether it asks what calls tell of files.
    pub fn asks_for_files(&self) -> bool {
        self.watch.is_some() || self.messages.is_some()
    }

    /// Takes what the call that ends next tells of a file.
    pub fn file_news(&mut self, news: &FileNews) {
        self.files.hear(news);
    }

    /// Gives no rows, for who asks what all calls come to only.
    #[must_use]
    pub fn without_rows(mut self) -> Self {
        self.keeps_rows = false;
        self
    }

    /// The rows since they were taken last, in place of the analysis's failures; `keeps` is whether what comes next has any.
    pub fn take_rows(&mut self, keeps: bool) -> Vec<FailureRow> {
        self.keeps_rows = keeps;
        self.tally.failures = Listed::default();
        std::mem::take(&mut self.rows)
    }

    /// Goes by these settings instead of the defaults.
    #[must_use]
    pub fn with_settings(mut self, chosen: Arc<Chosen>) -> Self {
        self.chosen = chosen;
        self.price(self.chosen.below.is_empty());
        self
    }

    /// Whether it asks for the folder that a session began in, before anything of the session.
    pub fn asks_for_folder(&self) -> bool {
        !self.chosen.below.is_empty() && !self.chosen.settings.prices.value.is_empty()
    }

    /// What comes next is of a session that began in this folder: an answer may come before the first call that names one.
    pub fn begins(&mut self, folder: Option<&str>) {
        let is_own = folder.is_some_and(|folder| self.chosen.is_below(folder));
        self.price(self.chosen.below.is_empty() || is_own);
    }

    /// Prices what comes next, by the chosen settings or without.
    fn price(&mut self, by_settings: bool) {
        let known = Prices::known();
        let written = &self.chosen.settings.prices.value;
        let replaced = by_settings && !written.is_empty();
        self.tally.models.price_by(if replaced { Arc::new(Prices::clone(&known).with(written)) } else { known });
    }

    /// Takes the news that this file is read.
    pub fn file(&mut self, file: &str) {
        self.tally.file(file);
    }

    /// What comes next stands in this file, at this line, from 1.
    pub fn from_line(&mut self, file: &str, line: u64) {
        if self.origin.line != line || self.origin.file != file {
            self.batches.next_line();
        }
        if self.origin.file != file {
            file.clone_into(&mut self.origin.file);
        }
        self.origin.line = line;
    }

    /// Takes a call that ended. `marked_error` is whether the client marked its result as an error.
    pub fn call(&mut self, call: &ToolCall<'_>, marked_error: bool, ts: &str) {
        self.place += PLACES;
        let node = call.reported.node.clone().unwrap_or_else(|| node_of(&call.ids));
        self.hears = event_of(call);
        if call.tool.name == Tool::MODEL_API {
            // An error of the model's API ends the turn by itself: no stop follows.
            self.working.remove(&node_of(&call.ids));
        } else {
            self.works(&call.ids, ts);
        }
        self.said_last.remove(&node_of(&call.ids));
        let session = call.ids.session.as_deref();
        (self.cwd, self.lines) = (call.cwd.clone(), call.lines());
        self.begins_in(session, call.cwd.as_deref());
        let chosen = Arc::clone(&self.chosen);
        let seen = self.files.seen();
        self.misfit = if let SeenFiles::Known(misfit) = &seen { misfit.clone() } else { None };
        tail(&call.text, PRINTED).clone_into(&mut self.printed);
        start(call.command().unwrap_or_default(), PRINTED).clone_into(&mut self.typed);
        let said = self.said_since.get(&node).cloned();
        let around = Around { seen, said, ..self.around(&call.ids, &chosen) };
        let engine = self.engine(&node, &call.ids, ts, &around);
        for mut observed in engine.look(std::slice::from_ref(call)) {
            self.batches.note(&mut observed.event);
            if observed.is_known(&self.states.get(&node)) {
                self.skipped("a copy of a result", 1);
                continue;
            }
            self.tally.seen_in(session, call.cwd.as_deref());
            self.count_edit(&observed.event, &around.seen);
            match self.refusal(&engine, call) {
                None => self.observed(observed, &engine, marked_error),
                Some(refused) => self.refused(observed, &engine, marked_error, &refused),
            }
        }
        self.asked(call, ts);
        self.answered(call, ts);
    }

    /// Counts an edit that did not find its text.
    fn count_edit(&mut self, event: &Event, seen: &SeenFiles) {
        let reading = event.execution().and_then(|execution| execution.reading.as_ref());
        if event.is_failure() && reading.is_some_and(|reading| reading.category == Category::EditNoMatch) {
            self.edits.failed += 1;
            self.edits.undecidable += u64::from(*seen == SeenFiles::Unknown);
            self.one_place = matches!(seen, SeenFiles::Known(Some(_)));
            self.edits.one_place += u64::from(self.one_place);
        }
    }

    /// Takes the end of background work that a call asked about.
    fn asked(&mut self, asking: &ToolCall<'_>, ts: &str) {
        if asking.ended.is_none() {
            return;
        }
        self.place += PLACES;
        let node = node_of(&asking.ids);
        let chosen = Arc::clone(&self.chosen);
        let around = self.around(&asking.ids, &chosen);
        let engine = self.engine(&node, &asking.ids, ts, &around);
        for observed in engine.look_at_asked(asking, Some(&self.states.get(&node))) {
            if !observed.is_known(&self.states.get(&node)) {
                self.observed(observed, &engine, false);
            }
        }
    }

    /// What the guard would have done with a call, where it is asked.
    fn refusal(&self, engine: &Engine<'_>, call: &ToolCall<'_>) -> Option<Event> {
        let state = Some(self.states.get(engine.node)).filter(|state| self.with_guard && is_armed(state))?;
        let asked = GuardQuestion::of(call)?;
        let refusal = engine.refuses(&asked, &state, &mut &self.states)?;
        Some(asked.refused_event(&refusal, engine.node, engine.now))
    }

    /// Takes a call that the guard would have refused: the guard knows of the refusal, and not of how the call failed.
    fn refused(&mut self, observed: Observed, engine: &Engine<'_>, marked_error: bool, refused: &Event) {
        let event = observed.event.clone();
        let Some(execution) = event.execution() else { return };
        let first_row = self.rows.len();
        let state = self.states.of(engine.node);
        state.step(refused, self.place - 1);
        let guarded = state.guarded.clone();
        let reason = refused.guarded_call().and_then(|call| call.reason.as_deref());
        if let Some(messages) = &mut self.messages {
            messages.ran(&event, execution);
        }
        self.say_refusal(&event, reason);
        // It would not have failed, so nothing would have been said of that.
        let messages = self.messages.take();
        self.observed(observed, engine, marked_error);
        self.messages = messages;
        self.tally.refused(&event, execution);
        if event.is_failure() {
            self.states.of(engine.node).guarded = guarded;
        }
        for row in self.rows.iter_mut().skip(first_row) {
            row.refused = reason.map(str::to_owned);
        }
    }

    /// Takes an answer of the model, or what a line adds to an answer of which this was told before.
    pub fn turn(&mut self, ids: &Ids, turn: &Turn, before: Option<Usage>, ts: &str) {
        if before.is_none() {
            self.batches.begin(&node_of(ids));
        }
        self.works(ids, ts);
        if let Some(watch) = &mut self.watch {
            watch.answered(ids.session.as_deref(), &node_of(ids), ts);
        }
        self.tally.turn(ids, &node_of(ids), (turn, before), ts, &self.origin);
    }

    /// Takes the news that a subagent was reported as completed.
    pub fn agent_completed(&mut self, session: Option<&str>, agent: &str) {
        let node = session_node(session, Some(agent));
        self.turn_ends(&node);
        self.tally.completed(session, &node);
    }

    /// Takes the later end of background work.
    pub fn background(&mut self, call: &ToolCall<'_>, ts: &str) {
        self.place += PLACES;
        self.hears = event_of(call);
        self.cwd.clone_from(&call.cwd);
        let node = node_of(&call.ids);
        let chosen = Arc::clone(&self.chosen);
        let around = self.around(&call.ids, &chosen);
        let engine = self.engine(&node, &call.ids, ts, &around);
        for observed in engine.look_at_background(call, Some(&self.states.get(&node)), None) {
            // A call may have asked for it before the notice came.
            if observed.is_known(&self.states.get(&node)) {
                continue;
            }
            self.observed(observed, &engine, false);
        }
        self.answered(call, ts);
    }

    /// Takes a person's prompt. The agent had stopped before.
    pub fn prompt(&mut self, ids: &Ids, red_phase: bool, ts: &str) {
        let node = node_of(ids);
        self.turn_ends(&node);
        self.tally.prompt(ids, &node, ts, &self.origin);
        if let Some(learner) = &mut self.learner {
            learner.prompt(name_of(ids.session.as_deref()), &node);
        }
        if let Some(watch) = &mut self.watch {
            watch.prompted(ids.session.as_deref(), &node);
        }
        self.news(News::Prompt { red_phase }, ids, ts);
    }

    /// Takes the news that the client waited until now.
    pub fn waited(&mut self, ids: &Ids, ts: &str) {
        self.tally.waited(ids, &node_of(ids), ts, &self.origin);
    }

    /// Somebody works.
    fn works(&mut self, ids: &Ids, ts: &str) {
        let node = node_of(ids);
        match self.working.get_mut(&node) {
            Some((_, last)) => ts.clone_into(last),
            None => drop(self.working.insert(node, (Ids { tool_use: None, ..ids.clone() }, ts.to_owned()))),
        }
    }

    /// The agent of a node stops, if it has worked since it stopped last.
    fn turn_ends(&mut self, node: &str) {
        if let Some((ids, ts)) = self.working.get(node).cloned() {
            let said_last = self.said_last.remove(node);
            // Who is interrupted ends with a call: no hook is asked.
            if said_last.is_none() {
                self.working.remove(node);
                return;
            }
            self.news(News::Stop { already_held: false, last_words: said_last.as_deref() }, &ids, &ts);
        }
    }

    /// Takes what an agent said.
    pub fn words(&mut self, ids: &Ids, words: &str) {
        let node = node_of(ids);
        if let Some(said) = self.said_since.get_mut(&node) {
            said.push_str(words);
            said.push_str("\n\n");
        }
        self.said_last.insert(node, words.to_owned());
    }

    /// Takes what a subagent answered to the agent that called it.
    fn answered(&mut self, call: &ToolCall<'_>, ts: &str) {
        let Some(answer) = &call.answer else { return };
        let own = session_node(call.ids.session.as_deref(), Some(&answer.agent));
        self.turn_ends(&own);
        let subagent = self.states.get(&own).into_owned();
        self.news(News::Answered { subagent: &subagent, words: &answer.words }, &call.ids, ts);
    }

    /// Takes the news of something that is no call.
    pub fn news(&mut self, news: News<'_>, ids: &Ids, ts: &str) {
        self.place += PLACES;
        let node = node_of(ids);
        self.hears = match news {
            News::Answered { .. } => self.hears,
            News::Stop { .. } => event_of_stop(ids),
            News::Prompt { .. } => "UserPromptSubmit",
            News::Compaction => "SessionStart",
        };
        if matches!(news, News::Stop { .. }) {
            self.working.remove(&node);
        }
        let chosen = Arc::clone(&self.chosen);
        let around = self.around(ids, &chosen);
        let engine = self.engine(&node, ids, ts, &around);
        let step = engine.hear(news, &self.states.get(&node), &mut &self.states);
        self.keep(&step, &engine);
    }

    /// Takes one event of a history and the place where it stands.
    pub fn event(&mut self, event: Event, at: u64) {
        (self.cwd, self.lines) = (None, AskedLines::default());
        if let Some((failed, failed_at)) = self.pending.take() {
            let recorded = recorded_verdict(&event, &failed);
            self.recorded_failure(failed, failed_at, recorded);
        }
        match &event.body {
            Body::ExecutionFailed(execution) if execution.reading.is_some() => self.pending = Some((event, at)),
            Body::ExecutionCompleted(execution) if !event.is_older() => {
                self.ended(&event, execution);
                if row::is_marked(execution) {
                    self.not_failure(&event, execution);
                }
                self.fold(&event, at);
            }
            Body::StateChanged { change: Some(change), .. } if change.is_prompt() => {
                self.tally.prompt(&event.ids(), &event.node, &event.ts, &self.origin);
                self.fold(&event, at);
            }
            Body::CallRefused(call) => {
                self.say_refusal(&event, call.reason.as_deref());
                self.fold(&event, at);
            }
            _ => self.fold(&event, at),
        }
    }

    /// Counts lines or results that were left out, by their reason.
    pub fn skipped(&mut self, reason: &str, count: u64) {
        self.tally.skipped(reason, count);
    }

    /// What it all comes to: the rows in order, and the analysis.
    pub fn finish(mut self) -> Replayed {
        if let Some((failed, at)) = self.pending.take() {
            self.recorded_failure(failed, at, None);
        }
        let mut working: Vec<(String, String)> =
            self.working.iter().map(|(node, (_, ts))| (ts.clone(), node.clone())).collect();
        working.sort();
        for (_, node) in &working {
            self.turn_ends(node);
        }
        let said = self.messages.map(MessageList::finish).unwrap_or_default();
        // The sums of a long session take as much room again: what is no longer asked makes it.
        drop((self.states, self.met));
        let analysis = self.tally.analysis();
        row::add_ends(&mut self.rows, &analysis);
        let mut taught = self.learner.map(Learner::finish).unwrap_or_default();
        analysis.tell_ends(&mut taught.learned);
        let (calls, _) = self.traced.unwrap_or_default();
        let met = self.watch.map(|watch| met_sessions(watch, &analysis)).unwrap_or_default();
        Replayed { rows: self.rows, analysis, said, edits: self.edits, taught, calls, met }
    }

    fn observed(&mut self, observed: Observed, engine: &Engine<'_>, marked_error: bool) {
        let Some(execution) = observed.event.execution() else { return };
        self.ended(&observed.event, execution);
        if observed.is_failure() {
            let at = self.place;
            return self.failed(observed, engine, at, None);
        }
        if marked_error || row::is_marked(execution) {
            self.not_failure(&observed.event, execution);
        }
        let step = engine.step(observed, &self.states.get(engine.node), &mut &self.states);
        self.keep(&step, engine);
    }

    fn recorded_failure(&mut self, event: Event, at: u64, recorded: Option<&Classified>) {
        if let Some(execution) = event.execution() {
            self.ended(&event, execution);
            self.hears = event_of_recorded(execution);
        }
        // What the settings said then stands in the recorded plan facts, and whether the agent was told beside them.
        let chosen = Arc::clone(&self.chosen);
        let recalled = self.recalled(&event.ids());
        let near = recorded.and_then(|recorded| recorded.near.clone());
        let around =
            Around { settings: &chosen.defaults, readings: None, recalled, near, seen: SeenFiles::Unknown, said: None };
        let plan = recorded.and_then(|recorded| recorded.plan.clone());
        let plan = plan.unwrap_or_else(|| around.plan(&event.node, &[]));
        let (node, ids, ts) = (event.node.clone(), event.ids(), event.ts.clone());
        let engine = self.engine(&node, &ids, &ts, &around);
        self.failed(Observed { event, plan }, &engine, at, recorded);
    }

    /// A failure, and the verdict on it that a history has recorded. What follows a recorded verdict is recorded, too.
    fn failed(&mut self, observed: Observed, engine: &Engine<'_>, at: u64, recorded: Option<&Classified>) {
        let step = engine.step(observed, &self.states.get(engine.node), &mut &self.states);
        let Some((event, others)) = step.events.split_first() else { return };
        let Some(execution) = event.execution() else { return };
        if execution.outcome == Some(Outcome::MaskedFailure) {
            self.said_since.insert(event.node.clone(), String::new());
        }
        let repeats = self.met(event, execution);
        self.fold(event, at);
        let Some(verdict) = step.verdict() else { return self.not_failure(event, execution) };
        // Where it was recorded whether the agent was told, that is what happened.
        let advice = step.advice.as_deref().filter(|_| recorded.is_none_or(|recorded| recorded.advised));
        let topic = step.events.iter().find_map(|event| match &event.body {
            Body::FailureClassified(classified) => classified.topic,
            _ => None,
        });
        let one_place = std::mem::take(&mut self.one_place);
        if topic == Some(Topic::EditText) && advice.is_some() {
            self.edits.told += 1;
        } else if one_place {
            let is_it = |told: &ToldAdvice| told.topic == Topic::EditText && told.episode == verdict.episode;
            self.edits.told_before += u64::from(self.states.get(engine.node).said.iter().any(is_it));
        }
        self.judged(event, execution, verdict, repeats, advice, recorded);
        self.say(advice, &step, std::slice::from_ref(&verdict.episode), engine);
        if advice.is_none() && recorded.is_none() {
            self.say_look(&step, std::slice::from_ref(&verdict.episode), engine);
        }
        if recorded.is_none() {
            for (at, event) in (at + 1..).zip(others) {
                self.fold(event, at);
            }
        }
    }

    /// How often the same failure was met before; never, where it does not say what failed.
    fn met(&mut self, event: &Event, execution: &Execution) -> u32 {
        if execution.signature.as_ref().is_some_and(|signature| signature.vague) {
            return 0;
        }
        let fine = execution.signature.as_ref().map(|signature| signature.fine.clone()).unwrap_or_default();
        let met = self.met.entry((event.node.clone(), fine)).or_default();
        *met += 1;
        *met - 1
    }

    fn judged(
        &mut self,
        event: &Event,
        execution: &Execution,
        verdict: &Verdict,
        repeats: u32,
        advice: Option<&str>,
        recorded: Option<&Classified>,
    ) {
        let state = self.states.get(&event.node);
        let episode = state.episodes.iter().find(|episode| episode.id == verdict.episode);
        let (account, model) = self.tally.verdict(event, execution, (verdict, episode), &self.origin);
        if let Some(text) = advice {
            self.tally.advised(event, std::slice::from_ref(&verdict.episode), text);
            if let Some(call) = self.traced.as_mut().and_then(|(traced, _)| traced.last_mut()) {
                call.said = Some(text.to_owned());
            }
        }
        let recorded = recorded.and_then(|recorded| recorded.verdict.as_ref());
        let row = |project: Option<&str>, origin: &LineOrigin| FailureRow {
            advice: advice.map(str::to_owned),
            account,
            model,
            ..FailureRow::verdict(event, execution, verdict, repeats, recorded, project, origin)
        };
        self.push(row, event.session.as_deref());
    }

    fn not_failure(&mut self, event: &Event, execution: &Execution) {
        self.tally.not_failure(event, execution);
        self.push(
            |project, origin| FailureRow::not_failure(event, execution, project, origin),
            event.session.as_deref(),
        );
    }

    fn push(&mut self, row: impl FnOnce(Option<&str>, &LineOrigin) -> FailureRow, session: Option<&str>) {
        if self.keeps_rows {
            let row = row(self.tally.project(session), &self.origin);
            self.rows.push(row);
        }
    }

    /// Folds in what came of a step, and counts what the agent is told of open episodes.
    fn keep(&mut self, step: &Step, engine: &Engine<'_>) {
        let about = step.events.iter().find_map(|event| match &event.body {
            Body::AdviceGiven { episodes } => Some(episodes.as_slice()),
            _ => None,
        });
        self.say(step.advice.as_deref(), step, about.unwrap_or_default(), engine);
        for (at, event) in (self.place..).zip(&step.events) {
            if let (Body::AdviceGiven { episodes }, Some(text)) = (&event.body, &step.advice) {
                self.tally.advised(event, episodes, text);
            }
            self.fold(event, at);
        }
    }

    /// A call ended.
    fn ended(&mut self, event: &Event, execution: &Execution) {
        let (printed, typed) = (std::mem::take(&mut self.printed), std::mem::take(&mut self.typed));
        let typed = if execution.input_altered { &*typed } else { "" };
        self.tally.call(event, execution, ([typed, &printed], &self.origin));
        if let Some((traced, keeps_printed)) = &mut self.traced {
            let kept = if *keeps_printed { &*printed } else { "" };
            traced.push(SessionCall::of(event, execution, self.lines, kept));
        }
        if let Some(watch) = &mut self.watch {
            let LineOrigin { file, line } = &self.origin;
            let (cwd, misfit) = (self.cwd.as_deref(), self.misfit.as_ref());
            watch.call(event, execution, WatchedAt { cwd, file, line: *line, misfit, printed: &printed });
        }
        self.say_line(event);
        if let Some(messages) = &mut self.messages {
            messages.ran(event, execution);
        }
        let kind = || Tool::named(execution.tool.as_deref().unwrap_or_default()).kind;
        if execution.effect == Effect::Shell || matches!(kind(), ToolKind::Agent | ToolKind::Mcp) {
            self.files.forget();
        }
    }

    /// Lists what a step says to the agent and to the person. `episodes` are those that the advice is about.
    fn say(&mut self, advice: Option<&str>, step: &Step, episodes: &[String], engine: &Engine<'_>) {
        let Some(messages) = &mut self.messages else { return };
        let about = |episodes: &[String]| self.tally.about(engine.ids.session.as_deref(), engine.node, episodes);
        let Engine { node, ids, now: ts, .. } = *engine;
        let at = Occasion { file: &self.origin.file, node, ids, ts, event: self.hears };
        if let Some(text) = advice {
            messages.add(&at, MessageForm::Advice, kind_of(text, step, at.event), text, about(episodes));
        }
        if let Some(text) = &step.hold {
            messages.add(&at, MessageForm::Refusal, "stop".to_owned(), text, about(episodes));
        }
        if let Some(notice) = &step.notice {
            messages.add(
                &at,
                MessageForm::Notice,
                notice.kind.as_str().to_owned(),
                &notice.text,
                about(&notice.episodes),
            );
        }
    }

    /// Lists that the hook looks for a name.
    fn say_look(&mut self, step: &Step, episodes: &[String], engine: &Engine<'_>) {
        let (Some(messages), Some(missing)) = (&mut self.messages, &step.looked_for) else { return };
        let Engine { node, ids, now: ts, .. } = *engine;
        let at = Occasion { file: &self.origin.file, node, ids, ts, event: self.hears };
        let about = self.tally.about(ids.session.as_deref(), node, episodes);
        messages.add(&at, MessageForm::Look, "near_name".to_owned(), &look_words(missing), about);
    }

    /// Lists what the person is told when a session begins.
    fn say_line(&mut self, first: &Event) {
        let (Some(messages), Some(all)) = (&mut self.messages, &self.recollections) else { return };
        let session = name_of(first.session.as_deref());
        if !self.begun.insert(session.to_owned()) {
            return;
        }
        let Some(line) = all.line(session) else { return };
        let (ids, ts, node) = (Ids { tool_use: None, ..first.ids() }, first.ts.as_str(), first.node.as_str());
        let at = Occasion { file: &self.origin.file, node, ids: &ids, ts, event: "SessionStart" };
        messages.add(&at, MessageForm::Notice, "recurring".to_owned(), line, About::default());
    }

    /// Lists a refusal of the guard.
    fn say_refusal(&mut self, refused: &Event, reason: Option<&str>) {
        let (Some(messages), Some(reason)) = (&mut self.messages, reason) else { return };
        let call = refused.execution().and_then(|execution| execution.input.clone());
        let call = call.or_else(|| refused.guarded_call()?.input.clone());
        let (ids, ts, node) = (refused.ids(), refused.ts.as_str(), refused.node.as_str());
        let at = Occasion { file: &self.origin.file, node, ids: &ids, ts, event: "PreToolUse" };
        messages.add(&at, MessageForm::Refusal, "guard".to_owned(), reason, About { call, ..About::default() });
    }

    fn engine<'a>(&self, node: &'a str, ids: &'a Ids, now: &'a str, around: &'a Around<'a>) -> Engine<'a> {
        Engine { node, ids, now, worktree: None, ruleset: self.ruleset, around }
    }

    /// A session began in this folder.
    fn begins_in(&mut self, session: Option<&str>, cwd: Option<&str>) {
        let Some(cwd) = cwd.filter(|_| !self.chosen.below.is_empty()) else { return };
        let session = session.unwrap_or_default();
        if !self.is_own.contains_key(session) {
            let is_own = self.chosen.is_below(cwd);
            self.is_own.insert(session.to_owned(), is_own);
        }
    }

    /// What stands around a call: the chosen settings where they are about its session, and what worked before.
    fn around<'a>(&self, ids: &Ids, chosen: &'a Chosen) -> Around<'a> {
        let session = ids.session.as_deref().unwrap_or_default();
        let is_own = || self.is_own.get(session).copied().unwrap_or_default();
        let recalled = self.recalled(ids);
        let is_chosen = chosen.below.is_empty() || is_own();
        let settings = if is_chosen { &chosen.settings } else { &chosen.defaults };
        let readings = Some(&chosen.readings).filter(|own| is_chosen && !own.is_empty());
        Around { settings, readings, recalled, near: None, seen: SeenFiles::Unknown, said: None }
    }

    fn recalled(&self, ids: &Ids) -> Option<Recalled> {
        let all = self.recollections.as_ref()?;
        all.get(name_of(ids.session.as_deref()), ids.tool_use.as_deref()?).cloned()
    }

    fn fold(&mut self, event: &Event, at: u64) {
        if let Some(learner) = &mut self.learner {
            learner.event(event, self.cwd.as_deref());
        }
        self.states.step(event, at);
    }
}

/// What each session met, with what its episodes cost.
fn met_sessions(watch: ChangeWatch, analysis: &Analysis) -> Vec<MetSession> {
    let mut met: BTreeMap<String, MetSession> =
        watch.finish().into_iter().map(|session| (session.session.clone(), session)).collect();
    for episode in &analysis.episodes {
        if let Some(session) = met.get_mut(&episode.session) {
            // What is no check and recurs is waste as a whole, and of a check what nobody made green.
            let is_red = episode.category == Category::TestFailure && episode.ended.is_unresolved();
            let is_waste = !episode.category.is_of_check() || is_red || !episode.waste.is_empty();
            session.add_cost(&episode.tool_use_ids, episode.cost, is_waste);
        }
    }
    met.into_values().collect()
}

/// What stands around a call of the past: settings that were chosen, what earlier sessions taught, and no plan.
struct Around<'a> {
    settings: &'a Settings,
    readings: Option<&'a Readings>,
    recalled: Option<Recalled>,
    near: Option<NearName>,
    seen: SeenFiles,
    said: Option<String>,
}

impl Surroundings for Around<'_> {
    fn settings(&self) -> &Settings {
        self.settings
    }

    fn own_readings(&self) -> Option<&Readings> {
        self.readings
    }

    fn recall(&self, _: &Sought<'_>) -> Option<Recalled> {
        self.recalled.clone().filter(|_| self.settings.recall.value != RecallFrom::Off)
    }

    fn near(&self, _: &MissingName) -> Option<NearName> {
        self.near.clone()
    }

    fn misfit(&self, _: Option<&str>) -> Option<Misfit> {
        match &self.seen {
            SeenFiles::Known(misfit) => misfit.clone(),
            SeenFiles::Unknown => None,
        }
    }

    fn words_after(&self, _: &str) -> Option<String> {
        self.said.clone()
    }

    fn plan(&self, node: &str, _: &[String]) -> PlanFacts {
        let parent = session_parent(node).map(str::to_owned);
        PlanFacts { node: node.to_owned(), parent, ..PlanFacts::default() }
    }
}

fn node_of(ids: &Ids) -> String {
    session_node(ids.session.as_deref(), ids.agent.as_deref())
}

/// The verdict that a history holds of a failure, where this is the event that tells it.
fn recorded_verdict<'a>(event: &'a Event, failed: &Event) -> Option<&'a Classified> {
    let Body::FailureClassified(classified) = &event.body else { return None };
    let of_this = event.node == failed.node && event.tool_use_id == failed.tool_use_id;
    let verdict = classified.verdict.as_ref().filter(|_| of_this)?;
    (verdict.history_ref.as_ref() == Some(&failed.id)).then_some(classified)
}
