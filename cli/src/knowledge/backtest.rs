//! What would have been told on past sessions.

use std::collections::{BTreeMap, BTreeSet};

use super::deed::LessonDeed;
use super::fill;
use super::known::{KnownFix, LessonIndex, judge};
use super::recurring::line_about;
use super::row::Learned;
use super::say::{Scope, say, say_seen_before};
use crate::model::Recalled;

/// A session of the past.
#[derive(Debug, Default)]
pub struct BacktestPast {
    /// The folder that it began in.
    pub root: String,
    /// When it began and ended, in milliseconds since 1970.
    pub span: (u64, u64),
    /// What it taught.
    pub learned: Learned,
    /// What its calls did, in their order.
    pub deeds: Vec<LessonDeed>,
}

/// What worked before each failed call of the past, by session and call.
#[derive(Debug, Default)]
pub struct Recollections {
    calls: BTreeMap<(String, String), Recalled>,
    /// What the person was told when a session began.
    lines: BTreeMap<String, String>,
}

impl Recollections {
    /// Of every failed call of these sessions, whether or not a hook would have told it.
    pub fn of(sessions: Vec<BacktestPast>, by_project: bool) -> Self {
        let mut all = Self::default();
        in_order(sessions, by_project, |project, began, deeds| {
            let session = deeds.first().map(|deed| deed.session.as_str());
            all.lines.extend(session.and_then(|session| Some((session.to_owned(), project.line(began)?))));
            let index = LessonIndex::of(&project.known);
            for deed in deeds {
                if let Some(recalled) = best(&index, deed).or_else(|| seen_before(&index, deed)) {
                    all.calls.insert((deed.session.clone(), deed.call.clone()), recalled);
                }
            }
        });
        all
    }

    /// What worked before a failed call of a session.
    pub fn get(&self, session: &str, call: &str) -> Option<&Recalled> {
        self.calls.get(&(session.to_owned(), call.to_owned()))
    }

    /// What the person was told when a session began, of failures that come back.
    pub fn line(&self, session: &str) -> Option<&str> {
        self.lines.get(session).map(String::as_str)
    }
}

/// Goes through sessions in the order of their first lines, each with what had been learned in those that had ended before
/// it began.
fn in_order(
    mut sessions: Vec<BacktestPast>,
    by_project: bool,
    mut each: impl FnMut(&mut PastProject, u64, &[LessonDeed]),
) {
    sessions.sort_by_key(|session| session.span.0);
    let mut projects: BTreeMap<String, PastProject> = BTreeMap::new();
    for BacktestPast { root, span: (began, ended), learned, deeds } in sessions {
        let project = projects.entry(if by_project { root } else { String::new() }).or_default();
        project.learn_until(began);
        each(project, began, &deeds);
        project.waiting.push((ended, learned));
    }
}

#[derive(Debug, Default)]
struct PastProject {
    /// Sessions that are not over for those to come, with when they ended.
    waiting: Vec<(u64, Learned)>,
    known: Learned,
    /// The lessons of which the person was told.
    told: BTreeSet<String>,
}

impl PastProject {
    /// What the person is told when a session begins.
    fn line(&mut self, began: u64) -> Option<String> {
        let line = line_about(judge(&self.known, began).iter(), &self.told, began)?;
        self.told.extend(line.lessons);
        Some(line.text)
    }

    fn learn_until(&mut self, began: u64) {
        for (ended, learned) in std::mem::take(&mut self.waiting) {
            if ended < began { self.known.add(learned) } else { self.waiting.push((ended, learned)) }
        }
    }
}

/// The best lesson that is about this very call, and how it is told.
fn best(index: &LessonIndex<'_>, deed: &LessonDeed) -> Option<Recalled> {
    let failed = deed.failed.as_ref()?;
    let known = index.recall(&failed.pattern, deed.at)?;
    let fits = |fix: &&KnownFix| fix.signs().fit(&deed.input, deed.cwd.as_deref(), &failed.text);
    let fix = known.fixes.iter().filter(|fix| fix.is_for_agents()).find(fits)?;
    let words = fill(&say(&known, fix, Scope::Project), failed.object.as_deref(), fix.last_worked, deed.at)?;
    Some(Recalled { id: fix.fix.id.clone(), words, seen_before: false })
}

/// That earlier sessions met the failure of this call, where nothing better is known.
fn seen_before(index: &LessonIndex<'_>, deed: &LessonDeed) -> Option<Recalled> {
    let known = index.recall(&deed.failed.as_ref()?.pattern, deed.at)?;
    let (fix, words) = say_seen_before(&known)?;
    Some(Recalled { id: fix.id, words: fill(&words, None, Some(known.last_seen), deed.at)?, seen_before: true })
}
