//! What would have been told on past sessions, and what the agent then did.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::deed::LessonDeed;
use super::fill;
use super::instead::WordDifference;
use super::known::{KnownFix, LessonIndex, judge};
use super::lesson::{LessonKind, Words};
use super::recurring::line_about;
use super::row::Learned;
use super::say::{Scope, code, say, say_seen_before};
use crate::model::{Category, Outcome, Recalled, Tool, ToolKind, words};
use crate::text::quoted;

/// How many calls after a tell are looked at.
const AFTER: usize = 10;
/// The longest name of a call in a sentence, in characters.
const NAME: usize = 160;

/// A lesson that would have been told.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tell {
    /// When the call failed, as the data says.
    pub ts: String,
    /// The client's session.
    pub session: String,
    /// The failed call.
    pub tool_use_id: String,
    /// What kind of error it was.
    pub category: Category,
    /// The kind of lesson.
    pub kind: LessonKind,
    /// What the lesson says, on one line.
    pub words: String,
    /// What the agent would have heard.
    pub text: String,
    /// How often it had been tried by then.
    pub tried: u64,
    /// How often it had worked.
    pub worked: u64,
    /// What the agent did.
    pub then: Then,
}

words! {
    /// What an agent did within ten calls, without having been told.
    pub enum Then {
        /// What the lesson says, and it passed.
        Same = "same",
        /// What the lesson says, and it failed.
        Failed = "failed",
        /// Something else.
        Other = "other",
        /// The session ended before that could be told, or the lesson asks for nothing that can be seen.
        Unknown = "unknown",
    }
}

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

/// What the agents of these sessions would have been told, in the order of time: each by what had been learned from those
/// that had ended before its own began. All sessions are of one project, if they are not to be kept apart `by_project`.
pub fn tells_of(sessions: Vec<BacktestPast>, by_project: bool) -> Vec<Tell> {
    let mut tells = Vec::new();
    in_order(sessions, by_project, |project, _, deeds| tells.extend(tells_in(&LessonIndex::of(&project.known), deeds)));
    tells.sort_by(|one, other| one.ts.cmp(&other.ts));
    tells
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
                let recalled = best(&index, deed).map(|(_, recalled)| recalled);
                if let Some(recalled) = recalled.or_else(|| seen_before(&index, deed)) {
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

fn tells_in(index: &LessonIndex<'_>, deeds: &[LessonDeed]) -> Vec<Tell> {
    let mut told: BTreeSet<&str> = BTreeSet::new();
    let mut tells = Vec::new();
    for (at, deed) in deeds.iter().enumerate() {
        let Some(failed) = deed.failed.as_ref().filter(|failed| !failed.is_meant) else { continue };
        if told.contains(failed.pattern.fine.as_str()) {
            continue;
        }
        let Some((fix, recalled)) = best(index, deed) else { continue };
        told.insert(&failed.pattern.fine);
        let text = format!("{}: {} [{}]", name_of(deed), recalled.words, code(&failed.pattern));
        tells.push(Tell {
            ts: deed.ts.clone(),
            session: deed.session.clone(),
            tool_use_id: deed.call.clone(),
            category: failed.pattern.category,
            kind: fix.fix.kind(),
            words: fix.fix.words.line(),
            text,
            tried: fix.tried,
            worked: fix.worked,
            then: then(deed, &fix, deeds.get(at + 1..).unwrap_or_default()),
        });
    }
    tells
}

/// The best lesson that is about this very call, and how it is told.
fn best(index: &LessonIndex<'_>, deed: &LessonDeed) -> Option<(KnownFix, Recalled)> {
    let failed = deed.failed.as_ref()?;
    let known = index.recall(&failed.pattern, deed.at)?;
    let fits = |fix: &&KnownFix| fix.signs().fit(&deed.input, deed.cwd.as_deref(), &failed.text);
    let fix = known.fixes.iter().filter(|fix| fix.is_for_agents()).find(fits)?;
    let words = fill(&say(&known, fix, Scope::Project), failed.object.as_deref(), fix.last_worked, deed.at)?;
    Some((fix.clone(), Recalled { id: fix.fix.id.clone(), words, seen_before: false }))
}

/// That earlier sessions met the failure of this call, where nothing better is known.
fn seen_before(index: &LessonIndex<'_>, deed: &LessonDeed) -> Option<Recalled> {
    let known = index.recall(&deed.failed.as_ref()?.pattern, deed.at)?;
    let (fix, words) = say_seen_before(&known)?;
    Some(Recalled { id: fix.id, words: fill(&words, None, Some(known.last_seen), deed.at)?, seen_before: true })
}

/// The call as a sentence names it.
fn name_of(deed: &LessonDeed) -> String {
    let is_shown =
        matches!(Tool::named(&deed.tool).kind, ToolKind::Shell | ToolKind::Read | ToolKind::Edit | ToolKind::Write);
    quoted(if is_shown { &deed.input } else { &deed.tool }, NAME)
}

fn then(deed: &LessonDeed, fix: &KnownFix, after: &[LessonDeed]) -> Then {
    let own: Vec<&LessonDeed> = after.iter().filter(|next| next.node == deed.node && next.ran()).take(AFTER).collect();
    let done = own.iter().enumerate().find_map(|(at, next)| {
        let before = own.get(..at).unwrap_or_default();
        did(deed, fix, before, next).then_some(next.outcome)
    });
    match done {
        Some(outcome) if outcome.is_failure() => Then::Failed,
        Some(Outcome::Succeeded | Outcome::BenignNonZero) => Then::Same,
        _ if own.len() < AFTER || fix.fix.kind() == LessonKind::Standing || fix.fix.kind() == LessonKind::Note => {
            Then::Unknown
        }
        _ => Then::Other,
    }
}

/// Whether a call did what the lesson says.
fn did(deed: &LessonDeed, fix: &KnownFix, before: &[&LessonDeed], next: &LessonDeed) -> bool {
    let is_again = next.key == deed.key;
    match &fix.fix.words {
        Words::Instead { gone, new } => {
            let difference = WordDifference { gone: gone.clone(), new: new.clone() };
            let is_other_form = || {
                let failed = deed.failed.as_ref().and_then(|failed| failed.instead.as_ref());
                failed.zip(next.words.as_ref()).is_some_and(|(failed, call)| failed.difference(call).is_some())
            };
            next.words.as_ref().is_some_and(|call| difference.is_in(call)) && is_other_form()
        }
        Words::Folder(folder) => is_again && next.folder.as_ref() == Some(folder),
        Words::Command(commands) => {
            let ran = |line: &String| {
                let object = deed.failed.as_ref().and_then(|failed| failed.object.as_deref()).unwrap_or_default();
                let line = line.replace(super::lesson::Fix::OBJECT, object);
                before.iter().any(|deed| deed.input.contains(line.rsplit(" && ").next().unwrap_or(&line)))
            };
            is_again && commands.iter().all(ran)
        }
        Words::Flaky => is_again && next.input == deed.input && before.iter().all(|deed| !deed.changes),
        Words::Standing | Words::Note(_) => false,
    }
}
