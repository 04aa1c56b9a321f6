//! What would have been told on past sessions, and what the agent then did.

use std::collections::BTreeSet;

use serde::Serialize;

use super::deed::Deed;
use super::instead::Difference;
use super::known::{Index, Known, KnownFix};
use super::lesson::{Kind, Words};
use super::row::Learned;
use super::say::{Scope, code, fill, say};
use crate::model::{Category, Outcome, Tool, ToolKind};
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
    pub kind: Kind,
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

/// What an agent did within ten calls, without having been told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Then {
    /// What the lesson says, and it passed.
    Same,
    /// What the lesson says, and it failed.
    Failed,
    /// Something else.
    Other,
    /// The session ended before that could be told, or the lesson asks for nothing that can be seen.
    Unknown,
}

impl Then {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Failed => "failed",
            Self::Other => "other",
            Self::Unknown => "unknown",
        }
    }
}

/// Goes through sessions in the order of their first lines. Of each it tells what had been learned in those that had ended
/// before it began, and learns it then.
#[derive(Debug, Default)]
pub struct Backtest {
    /// Sessions that are not over for those to come, with when they ended.
    waiting: Vec<(u64, Learned)>,
    known: Learned,
}

impl Backtest {
    /// The tells of a session that began and ended at these moments, in milliseconds since 1970, and did this.
    pub fn session(&mut self, span: (u64, u64), learned: Learned, deeds: &[Deed]) -> Vec<Tell> {
        let (began, ended) = span;
        let (over, waiting) = std::mem::take(&mut self.waiting).into_iter().partition(|(end, _)| *end < began);
        self.waiting = waiting;
        let over: Vec<(u64, Learned)> = over;
        for (_, learned) in over {
            self.known.add(learned);
        }
        let tells = tells(&Index::of(&self.known), deeds);
        self.waiting.push((ended, learned));
        tells
    }
}

fn tells(index: &Index<'_>, deeds: &[Deed]) -> Vec<Tell> {
    let mut told: BTreeSet<&str> = BTreeSet::new();
    let mut tells = Vec::new();
    for (at, deed) in deeds.iter().enumerate() {
        let Some(failed) = deed.failed.as_ref().filter(|failed| !failed.is_meant) else { continue };
        if told.contains(failed.pattern.fine.as_str()) {
            continue;
        }
        let Some(known) = index.recall(&failed.pattern, deed.at) else { continue };
        let Some((fix, text)) = sentence(&known, deed) else { continue };
        told.insert(&failed.pattern.fine);
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
            then: then(deed, fix, deeds.get(at + 1..).unwrap_or_default()),
        });
    }
    tells
}

/// The best lesson that is about this very call, and how it is told.
fn sentence<'k>(known: &'k Known, deed: &Deed) -> Option<(&'k KnownFix, String)> {
    let failed = deed.failed.as_ref()?;
    let fits = |fix: &&KnownFix| fix.signs().fit(&deed.input, deed.cwd.as_deref(), &failed.text);
    let fix = known.fixes.iter().filter(|fix| fix.tellable()).find(fits)?;
    let object = failed.object.as_deref();
    let words = fill(&say(known, fix, Scope::Project), object, fix.last_worked, deed.at)?;
    let text = format!("{words} [{}]", code(&known.pattern));
    let is_shown =
        matches!(Tool::named(&deed.tool).kind, ToolKind::Shell | ToolKind::Read | ToolKind::Edit | ToolKind::Write);
    let name = quoted(if is_shown { &deed.input } else { &deed.tool }, NAME);
    Some((fix, format!("{name}: {text}")))
}

fn then(deed: &Deed, fix: &KnownFix, after: &[Deed]) -> Then {
    let own: Vec<&Deed> = after.iter().filter(|next| next.node == deed.node && next.ran()).take(AFTER).collect();
    let done = own.iter().enumerate().find_map(|(at, next)| {
        let before = own.get(..at).unwrap_or_default();
        did(deed, fix, before, next).then_some(next.outcome)
    });
    match done {
        Some(outcome) if outcome.is_failure() => Then::Failed,
        Some(Outcome::Succeeded | Outcome::BenignNonZero) => Then::Same,
        _ if own.len() < AFTER || fix.fix.kind() == Kind::Standing || fix.fix.kind() == Kind::Note => Then::Unknown,
        _ => Then::Other,
    }
}

/// Whether a call did what the lesson says.
fn did(deed: &Deed, fix: &KnownFix, before: &[&Deed], next: &Deed) -> bool {
    let is_again = next.key == deed.key;
    match &fix.fix.words {
        Words::Instead { gone, new } => {
            let difference = Difference { gone: gone.clone(), new: new.clone() };
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
