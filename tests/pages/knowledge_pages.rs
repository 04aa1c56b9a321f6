//! The pages under `rules/knowledge/`: the sessions of each case are learned one after the other, and the agents of the later
//! ones hear what the page says, word for word. `<id>` stands for the beginning of a signature, which is the build's.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::AtomicU64;

use crate::learning::{Step, root, write};
use crate::rule_page::{check, pages};
use failwise::classify::ruleset;
use failwise::knowledge::{
    BacktestPast, Fix, Learned, Learner, LessonIndex, LessonKind, Recollections, Taught, Tried, Words,
};
use failwise::replay::Replay;
use failwise::sessions::find;
use failwise::text::quoted;
use serde::{Deserialize, Serialize};

/// Sessions on days that follow one another, each of another person, and what is told in all of them.
#[derive(Deserialize, Serialize, Clone)]
#[serde(deny_unknown_fields)]
struct Case {
    sessions: Vec<Vec<Step>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    says: Vec<String>,
    /// What is known of the last failure then, each with why it is not told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    knows: Vec<String>,
}

fn heard(case: &Case) -> (Vec<(LessonKind, String)>, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let (tells, knows) = told(folder.path(), &case.sessions);
    let plain = |text: &str| {
        let number = (0..case.sessions.len()).rev();
        number.fold(text.to_owned(), |text, number| text.replace(&root(number), "{root}"))
    };
    (tells.into_iter().map(|(kind, text)| (kind, plain(&text))).collect(), knows)
}

/// What a session taught, with what a person said of it.
fn taught(file: &Path, steps: &[Step]) -> Taught {
    let found = find(&[file.to_owned()], None).unwrap();
    let learner = Learner::new(None).with_deeds();
    let mut replays = vec![Replay::new(ruleset("default").unwrap()).with_lessons(learner)];
    found.sessions[0].play(&mut replays, &AtomicU64::new(0));
    let mut taught = replays.pop().unwrap().finish().taught;
    for step in steps {
        if let (Some(note), Some(met)) = (&step.note, taught.learned.met.last()) {
            taught.learned.tried.push(Tried {
                fix: Fix::new(Words::Note(note.clone()), false, &met.pattern),
                fine: met.pattern.fine.clone(),
                coarse: met.pattern.coarse.clone(),
                session: met.session.clone(),
                call: "note".to_owned(),
                at: met.at,
                worked: true,
                calls: 0,
                beside: false,
                by_person: true,
            });
        }
        if step.confirms {
            taught.learned.tried.iter_mut().for_each(|tried| tried.by_person = true);
        }
    }
    taught
}

/// Everything that would have been told in these sessions, one after the other, and what is known of the last failure of the
/// last one by those before it: each fix with the reason for which it is not told.
fn told(folder: &Path, sessions: &[Vec<Step>]) -> (Vec<(LessonKind, String)>, Vec<String>) {
    let (mut past, mut knows, mut before) = (Vec::new(), Vec::new(), Learned::default());
    for (number, steps) in sessions.iter().enumerate() {
        let file = folder.join(format!("session-{number:02}.jsonl"));
        write(&file, number, steps);
        let Taught { learned, deeds, .. } = taught(&file, steps);
        if let Some(met) = learned.met.last() {
            let recalled = LessonIndex::of(&before).recall(&met.pattern, met.at);
            let fixes = recalled.iter().flat_map(|known| &known.fixes);
            knows = fixes.map(|fix| format!("{}: {}", fix.fix.words.line(), fix.why_not.unwrap_or("told"))).collect();
        }
        before.add(learned.clone());
        let day = 24 * 60 * 60 * 1000;
        let began = deeds.first().map_or(0, |deed| deed.at / day * day);
        let ended = deeds.last().map_or(0, |deed| deed.at);
        past.push(BacktestPast { span: (began, ended), learned, deeds, ..BacktestPast::default() });
    }
    (told_of(past), knows)
}

/// What the agents of these sessions would have been told by those that had ended before: of each failure once a session.
fn told_of(past: Vec<BacktestPast>) -> Vec<(LessonKind, String)> {
    let taught: Vec<_> = past.iter().map(|session| (session.learned.clone(), session.deeds.clone())).collect();
    let told = Recollections::of(past, false);
    let mut all = Learned::default();
    for (learned, _) in &taught {
        all.add(learned.clone());
    }
    let index = LessonIndex::of(&all);
    let mut tells = Vec::new();
    for (learned, deeds) in &taught {
        let mut heard = BTreeSet::new();
        for met in &learned.met {
            let recalled = told.get(&met.session, &met.call).filter(|recalled| !recalled.seen_before);
            let Some(recalled) = recalled.filter(|_| heard.insert(&met.pattern.fine)) else { continue };
            let call = &deeds.iter().find(|deed| deed.call == met.call).unwrap().input;
            // A search is named by its tool.
            let call = if met.pattern.operation.starts_with("Grep:") { "Grep" } else { call };
            let (call, category) = (quoted(call, 160), met.pattern.category.as_str());
            let known = index.recall(&met.pattern, met.at).unwrap();
            let kind = known.fixes.iter().find(|known| known.fix.id == recalled.id).unwrap().fix.kind();
            tells.push((kind, format!("{call}: {} [known {category} <id>]", recalled.words)));
        }
    }
    tells
}

/// `UPDATE=1` writes what is told now into the pages.
#[test]
fn every_case_is_told_as_its_page_says() {
    check("knowledge", |case: &Case| {
        let (said, knows) = heard(case);
        Case { says: said.into_iter().map(|(_, text)| text).collect(), knows, ..case.clone() }
    });
}

#[test]
fn every_kind_has_a_page_whose_cases_tell_it_and_near_misses_that_do_not() {
    let mut named: Vec<String> = Vec::new();
    for page in pages("knowledge") {
        let (name, [fires, silent]) = (page.name(), page.cases());
        let told = |fence: &str| heard(&serde_json::from_str(fence).unwrap()).0;
        let tells_it = |fence: &str| told(fence).iter().any(|(kind, _)| kind.as_str() == name);
        assert!(fires.len() >= 2, "{name}: two cases that fire");
        assert!(silent.len() >= 2, "{name}: two near misses");
        for fence in fires {
            assert!(tells_it(fence), "{name}: a case that fires does not tell it: {fence}");
        }
        for fence in silent {
            assert!(!tells_it(fence), "{name}: a near miss tells it: {fence}");
        }
        named.push(name.to_owned());
    }
    let mut kinds: Vec<&str> = LessonKind::ALL.iter().map(|kind| kind.as_str()).collect();
    kinds.sort_unstable();
    assert_eq!(named, kinds);
}
