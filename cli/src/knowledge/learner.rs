//! What a session teaches, from its events in their order.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::between::Doing;
use super::deed::{LessonDeed, is_of_the_call, session_of};
use super::instead::{FailedForm, GivenCall, WordDifference};
use super::leaving::{why_not_leaving, why_of};
use super::lesson::{Fix, Words};
use super::place::Root;
use super::row::{Learned, Met, Passed, PatternRow, Tried};
use crate::gate::{GateContext, GateReason, KnownNames, shown_line};
use crate::history::{Body, Event, State};
use crate::model::{Category, Check, CheckEnd, Cost, Outcome};
use crate::programs::{self, Run};
use crate::time::since_1970;

/// The most commands that stand between two runs and are a lesson.
const MOST_COMMANDS: usize = 4;
/// The most failures of a session that wait for another run, and the most calls that are looked back over.
const OPEN: usize = 64;
const BACK: usize = 128;

/// Learns from events: of each session in their order, sessions in any. What it gives is rows; nothing of a session is
/// needed for another one.
#[derive(Debug, Default)]
pub struct Learner {
    root: Option<String>,
    /// The folder that each session began in, where no root was given.
    roots: BTreeMap<String, String>,
    states: BTreeMap<String, State>,
    desks: BTreeMap<String, LessonDesk>,
    place: u64,
    learned: Learned,
    passes: BTreeMap<(String, String), u64>,
    deeds: Option<Vec<LessonDeed>>,
    names: KnownNames,
}

/// What a learner gives.
#[derive(Debug, Default)]
pub struct Taught {
    /// The rows.
    pub learned: Learned,
    /// What the calls did, where that was asked for.
    pub deeds: Vec<LessonDeed>,
    /// The folder that each session began in, where no root was given.
    pub roots: BTreeMap<String, String>,
}

/// What is remembered of a session.
#[derive(Debug, Default)]
struct LessonDesk {
    open: VecDeque<UnsolvedFailure>,
    /// What ran lately, with its place.
    ran: VecDeque<(u64, LearnedCall)>,
}

#[derive(Debug)]
struct LearnedCall {
    node: String,
    doing: Doing,
    /// Whether anything at all may have changed by it.
    changes: bool,
    key: String,
}

/// A failure that waits for another run, or for another form of its call.
#[derive(Debug)]
struct UnsolvedFailure {
    deed: LessonDeed,
    at: u64,
    calls: u64,
    prompted: bool,
    replaced: bool,
}

impl Learner {
    /// A learner. Paths are relative to `root`, the project's folder; without it to the folder that each session began in.
    pub fn new(root: Option<String>) -> Self {
        Self { root, ..Self::default() }
    }

    /// Knows the project's own names, so that none of them is taken for a secret.
    #[must_use]
    pub fn with_names(mut self, names: KnownNames) -> Self {
        self.names = names;
        self
    }

    /// Also keeps what the calls did, for [`Recollections`](super::Recollections).
    #[must_use]
    pub fn with_deeds(mut self) -> Self {
        self.deeds = Some(Vec::new());
        self
    }

    /// Takes the next event. `cwd` is where the call ran, where more is known of it than the event says.
    pub fn event(&mut self, event: &Event, cwd: Option<&str>) {
        self.place += 1;
        let ended: Vec<String> = self.fold(event);
        let session = session_of(event).to_owned();
        if let Body::StateChanged { change: Some(change), .. } = &event.body
            && change.is_prompt()
        {
            return self.prompt(&session, &event.node);
        }
        if event.execution().is_none() {
            return;
        }
        let root = self.root_of(&session, cwd.or_else(|| event.execution()?.cwd.as_deref()));
        let context = GateContext { names: Some(&self.names), ..GateContext::default() };
        let Some(deed) = LessonDeed::of(event, cwd, &Root(root.as_deref()), &context) else { return };
        self.passes(event, &deed, ended);
        if deed.ran() {
            self.ran(&deed);
        }
        if let Some(deeds) = &mut self.deeds {
            deeds.push(deed);
        }
    }

    /// Takes the news that a person spoke to a node: what the agent does then need not be the same work.
    pub fn prompt(&mut self, session: &str, node: &str) {
        let open = self.desks.entry(session.to_owned()).or_default().open.iter_mut();
        open.filter(|open| open.deed.node == node).for_each(|open| open.prompted = true);
    }

    /// What was learned.
    pub fn finish(mut self) -> Taught {
        let passed = self.passes.into_iter().map(|((session, what), at)| Passed { what, session, at });
        self.learned.passed = passed.collect();
        Taught { learned: self.learned, deeds: self.deeds.unwrap_or_default(), roots: self.roots }
    }

    fn root_of(&mut self, session: &str, cwd: Option<&str>) -> Option<String> {
        if self.root.is_some() {
            return self.root.clone();
        }
        if let Some(cwd) = cwd
            && !self.roots.contains_key(session)
        {
            self.roots.insert(session.to_owned(), cwd.trim_end_matches('/').to_owned());
        }
        self.roots.get(session).cloned()
    }

    /// Folds an event in and gives the signatures of what it ended.
    fn fold(&mut self, event: &Event) -> Vec<String> {
        let state = self.states.entry(event.node.clone()).or_insert_with(|| State::new(&event.node));
        let ended = state.ended_by(event).flat_map(|episode| episode.fines.iter().cloned()).collect();
        state.step(event, self.place);
        ended
    }

    /// Notes what passed: failures that a pass ended, and whole checks.
    fn passes(&mut self, event: &Event, deed: &LessonDeed, ended: Vec<String>) {
        let Some(execution) = event.execution().filter(|execution| execution.intent.is_none()) else { return };
        let passed_check = execution.checks.iter().any(|check| check.end == CheckEnd::Passed);
        let is_whole = deed.outcome == Outcome::Succeeded && deed.proven && passed_check;
        let context = GateContext { names: Some(&self.names), ..GateContext::default() };
        let operation = execution.operation.iter().filter(|_| is_whole);
        let operation = operation.map(|operation| shown_line(&operation.0, &context).into_owned());
        let whole = execution.checks.iter().filter(|check| check.end == CheckEnd::Passed && is_of_everything(check));
        let own = execution.reading.as_ref().and_then(|reading| reading.runner.as_ref());
        let runners = whole.flat_map(|check| check.runners.iter().chain(own)).map(|it| [Passed::WHOLE, it].concat());
        for what in ended.into_iter().chain(operation).chain(runners) {
            let last = self.passes.entry((deed.session.clone(), what)).or_default();
            *last = (*last).max(deed.at);
        }
    }

    fn ran(&mut self, deed: &LessonDeed) {
        let place = self.place;
        let desk = self.desks.entry(deed.session.clone()).or_default();
        for open in desk.open.iter_mut().filter(|open| open.deed.node == deed.node) {
            open.calls += 1;
        }
        let mut tried = Vec::new();
        for open in desk.open.iter_mut().filter(|open| open.deed.node == deed.node) {
            if let Some((fix, worked)) = open.in_another_form(deed) {
                open.replaced |= worked;
                let hidden =
                    open.hides(&fix.words, deed, &GateContext { names: Some(&self.names), ..GateContext::default() });
                tried.extend((!hidden).then(|| row(open, deed, fix, worked)));
            }
        }
        let is_rerun = |open: &UnsolvedFailure| open.deed.node == deed.node && open.deed.key == deed.key;
        while let Some(index) = desk.open.iter().position(is_rerun) {
            let Some(open) = desk.open.remove(index) else { break };
            let passed = deed.passed();
            if let Some(worked) = passed.filter(|_| !open.replaced) {
                let between = desk.work_between(&open, place);
                let fixes = open.again(deed, &between).into_iter();
                tried.extend(fixes.map(|(fix, beside)| {
                    let (tried, pattern) = row(&open, deed, fix, worked);
                    (Tried { beside, ..tried }, pattern)
                }));
            }
        }
        if let Some(failed) = &deed.failed {
            self.learned.met.push(Met {
                pattern: failed.pattern.clone().into(),
                session: deed.session.clone(),
                call: deed.call.clone(),
                at: deed.at,
                cost: Cost::default(),
                ended: None,
                model: None,
                masked: deed.outcome == Outcome::MaskedFailure,
            });
            desk.open.push_back(UnsolvedFailure {
                deed: deed.clone(),
                at: place,
                calls: 0,
                prompted: false,
                replaced: false,
            });
            if desk.open.len() > OPEN {
                desk.open.pop_front();
            }
        }
        desk.ran.push_back((
            place,
            LearnedCall {
                node: deed.node.clone(),
                doing: deed.doing.clone(),
                changes: deed.changes,
                key: deed.key.clone(),
            },
        ));
        if desk.ran.len() > BACK {
            desk.ran.pop_front();
        }
        let context = GateContext { names: Some(&self.names), ..GateContext::default() };
        let mut known = BTreeSet::new();
        tried.retain(|(tried, pattern): &(Tried, PatternRow)| {
            let why = why_not_leaving(&tried.fix.words, pattern, &context);
            !why.is_some_and(GateReason::hides) && known.insert(tried.fix.id.clone())
        });
        let tried = tried.into_iter().map(|(tried, _)| tried);
        self.learned.tried.extend(tried);
    }
}

/// What happened between two runs.
struct Between {
    /// The commands that may have helped, in their order; None where files were changed, or what cannot be told.
    commands: Option<Vec<String>>,
    /// Whether nothing changed at all.
    unchanged: bool,
}

impl LessonDesk {
    fn work_between(&self, open: &UnsolvedFailure, now: u64) -> Between {
        let is_complete = self.ran.front().is_none_or(|(place, _)| *place <= open.at);
        let mut between = Between { commands: Some(Vec::new()), unchanged: is_complete };
        if !is_complete {
            between.commands = None;
        }
        for (_, ran) in self.ran.iter().filter(|(place, _)| (open.at + 1..now).contains(place)) {
            between.unchanged &= !ran.changes || ran.key == open.deed.key;
            match (&ran.doing, &mut between.commands) {
                (Doing::Ran(lines), Some(commands)) if ran.node == open.deed.node => {
                    // What only runs the same program in another way is another try, and no fix.
                    commands.extend(lines.iter().filter(|line| !open.deed.is_like(line)).cloned());
                }
                (Doing::Nothing, _) => {}
                // Others work beside this node: that their command helped is a guess.
                (Doing::Changed | Doing::Ran(_), commands) => *commands = None,
            }
        }
        between
    }
}

impl UnsolvedFailure {
    /// What the call tells where it is another form of the one that failed: the fix, and whether it worked.
    fn in_another_form(&self, deed: &LessonDeed) -> Option<(Fix, bool)> {
        let failed = self.deed.failed.as_ref()?;
        let instead = failed.instead.as_ref().filter(|_| !self.prompted && !self.replaced)?;
        let difference = instead.difference(deed.words.as_ref()?)?;
        if self.calls > difference.within() || !difference.is_tellable() {
            return None;
        }
        let worked = match (&deed.failed, deed.outcome) {
            (None, Outcome::Succeeded) => true,
            // It failed for what it did, not for how it was called: that says nothing of the form.
            (Some(other), _) if !is_of_the_call(other.pattern.category) => return None,
            (Some(_), _) => false,
            _ => return None,
        };
        let WordDifference { gone, new } = difference;
        Some((Fix::new(Words::Instead { gone, new }, false, &failed.pattern), worked))
    }

    /// Whether a word by which the two calls differ may hold a secret, as it stood in its call.
    fn hides(&self, words: &Words, deed: &LessonDeed, context: &GateContext<'_>) -> bool {
        let Words::Instead { gone, new } = words else { return false };
        let of = |call: Option<&GivenCall>, words: &[String]| why_of(call?.words(), words, context);
        let failed = self.deed.failed.as_ref().and_then(|failed| failed.instead.as_ref());
        let went = of(failed.map(FailedForm::call), gone).or_else(|| of(deed.words.as_ref(), new));
        went.is_some_and(GateReason::hides)
    }

    /// What the next run of the same operation tells. Of several commands each is a fix of its own, too: one that stands
    /// beside the others by chance is told from them by its counts. With each goes whether others stood beside it.
    fn again(&self, deed: &LessonDeed, between: &Between) -> Vec<(Fix, bool)> {
        let (Some(failed), Some(commands)) = (&self.deed.failed, &between.commands) else { return Vec::new() };
        let moved = self.deed.folder.as_ref().zip(deed.folder.as_ref()).filter(|(one, other)| one != other);
        let fix = |words, object| Fix::new(words, object, &failed.pattern);
        match (moved, commands.as_slice()) {
            (Some((_, folder)), []) if !folder.starts_with(['/', '~']) && is_of_the_place(failed.pattern.category) => {
                // A run that got as far as to fail for what it does says nothing of where it stands.
                let is_about_it = deed.failed.as_ref().is_none_or(|other| is_of_the_place(other.pattern.category));
                let folder = fix(Words::Folder(folder.clone()), false);
                if is_about_it { vec![(folder, false)] } else { Vec::new() }
            }
            (None, []) if between.unchanged && self.is_flaky(deed) => vec![(fix(Words::Flaky, false), false)],
            (None, [_, ..]) => {
                let mut lines: Vec<String> = Vec::new();
                for line in commands.iter().map(|line| failed.with_object(line)) {
                    if !lines.contains(&line) {
                        lines.push(line);
                    }
                }
                if lines.len() > MOST_COMMANDS {
                    return Vec::new();
                }
                let has_object = |lines: &[String]| lines.iter().any(|line| line.contains(Fix::OBJECT));
                let command = |lines: Vec<String>| fix(Words::Command(lines.clone()), has_object(&lines));
                let each = lines.iter().filter(|_| lines.len() > 1).map(|line| (command(vec![line.clone()]), true));
                each.chain([(command(lines.clone()), false)]).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether this is the very call again, of a test.
    fn is_flaky(&self, deed: &LessonDeed) -> bool {
        let category = self.deed.failed.as_ref().map(|failed| failed.pattern.category);
        category == Some(Category::TestFailure) && self.deed.input == deed.input && self.deed.folder == deed.folder
    }
}

/// A try, and what it was tried against.
fn row(open: &UnsolvedFailure, deed: &LessonDeed, fix: Fix, worked: bool) -> (Tried, PatternRow) {
    let pattern = open.deed.failed.as_ref().map_or_else(PatternRow::nothing, |failed| failed.pattern.clone());
    let tried = Tried {
        fix,
        fine: pattern.fine.clone(),
        coarse: pattern.coarse.clone(),
        session: deed.session.clone(),
        call: deed.call.clone(),
        at: deed.at,
        worked,
        calls: open.calls,
        beside: false,
        by_person: false,
    };
    (tried, pattern)
}

/// Whether a failure may lie in where the call ran: a test that fails in one package and passes in another says nothing.
fn is_of_the_place(category: Category) -> bool {
    matches!(
        category,
        Category::PathNotFound
            | Category::BadArguments
            | Category::CommandNotFound
            | Category::ConfigOrState
            | Category::DependencyMissing
            | Category::ToolUnavailable
            | Category::VcsState
    )
}

/// Whether a check looks at everything that its program, or its task, looks at by itself.
fn is_of_everything(check: &Check) -> bool {
    let Some((program, args)) = check.words.split_first() else { return false };
    programs::find(program).is_some_and(|program| {
        let run = Run { program, args };
        run.is_whole() || run.is_whole_task()
    })
}

/// A moment of an event, in milliseconds since 1970; 0 where it has none.
pub(super) fn learned_moment(ts: &str) -> u64 {
    since_1970(ts).unwrap_or_default()
}
