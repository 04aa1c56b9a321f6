//! What a person is told of failures that come back: once a lesson, where it has a line for the project's own page.

use std::collections::BTreeSet;

use super::RecurringLine;
use super::known::{Known, KnownFix};
use super::lesson::{LessonKind, Words};
use crate::digest::hex16;
use crate::text::{many, quoted};

/// From this many sessions on a failure is one that comes back.
const SESSIONS: u64 = 3;
/// What was not met for so long does not come back now, in milliseconds: 30 days.
const RECENT: u64 = 30 * 24 * 60 * 60 * 1000;
/// The longest name of a call in the line, in characters.
const CALL: usize = 160;

/// The fixes that have a line for a project's own page, in the order of their failures: of each failure the best, each
/// once.
pub fn with_a_line<'k>(known: impl Iterator<Item = &'k Known>) -> impl Iterator<Item = (&'k Known, &'k KnownFix)> {
    let mut met = BTreeSet::new();
    // That something is red is no rule to work by.
    let best = known.filter_map(|known| Some((known, known.best()?)));
    best.filter(move |(_, fix)| fix.fix.kind() != LessonKind::Standing && met.insert(&fix.fix.id))
}

/// What a person is told at a moment, in milliseconds since 1970, of failures that come back: nothing of the lessons in
/// `told`.
pub fn line_about<'k>(
    known: impl Iterator<Item = &'k Known>,
    told: &BTreeSet<String>,
    now: u64,
) -> Option<RecurringLine> {
    let comes_back = |known: &Known| known.sessions >= SESSIONS && now.saturating_sub(known.last_seen) < RECENT;
    let mut lessons = Vec::new();
    let mut first = None;
    for (known, fix) in with_a_line(known).filter(|(known, _)| comes_back(known)) {
        let lesson = name_of(fix);
        if !told.contains(&lesson) && !lessons.contains(&lesson) {
            lessons.push(lesson);
            first.get_or_insert((known, fix));
        }
    }
    let (known, fix) = first?;
    let call = match &fix.fix.words {
        // The words alone where the call that they fail in does not hold them.
        Words::Instead { gone, .. } if !gone.is_empty() && !known.pattern.operation.contains(&gone.join(" ")) => {
            format!("calls with {}", quoted(&gone.join(" "), CALL))
        }
        _ => quoted(&known.pattern.operation, CALL),
    };
    let sessions = many(known.sessions, "session", "sessions");
    let (more, lines) = match lessons.len() - 1 {
        0 => (String::new(), "a line"),
        1 => (", and so did one more call".to_owned(), "lines"),
        others => (format!(", and so did {others} more calls"), "lines"),
    };
    let text = format!(
        "Failwise: {call} failed in the same way in {sessions}{more}: `failwise lessons` has {lines} for CLAUDE.md."
    );
    Some(RecurringLine { text, lessons })
}

/// The same words against another failure are the same lesson.
fn name_of(fix: &KnownFix) -> String {
    let words = match &fix.fix.words {
        Words::Flaky | Words::Standing => fix.fix.id.clone(),
        words => words.line(),
    };
    hex16(&[fix.fix.kind().as_str(), &words])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::{Fix, Learned, Met, PatternRow, Tried, judge};
    use crate::model::{Category, Cost, Signature};

    const NOW: u64 = 1_770_000_000_000;
    const DAY: u64 = 24 * 60 * 60 * 1000;

    /// A failure that was met in so many sessions, the last one so many days ago, with words that worked.
    fn learned(fine: &str, sessions: u64, days: u64, new: &str) -> Learned {
        let pattern = PatternRow {
            fine: fine.to_owned(),
            coarse: "kind".to_owned(),
            version: Signature::VERSION,
            category: Category::BadArguments,
            runner: None,
            operation: "gh pr diff --stat".to_owned(),
            line: None,
            placed: false,
        };
        let words = Words::Instead { gone: vec!["--stat".to_owned()], new: vec![new.to_owned()] };
        let met = (0..sessions).map(|number| Met {
            pattern: pattern.clone().into(),
            session: format!("s{number}"),
            call: format!("{fine}-{number}"),
            at: NOW - days * DAY,
            cost: Cost::default(),
            ended: None,
            model: None,
            masked: false,
        });
        let tried = Tried {
            fix: Fix::new(words, false, &pattern),
            fine: pattern.fine.clone(),
            coarse: pattern.coarse.clone(),
            session: "s0".to_owned(),
            call: fine.to_owned(),
            at: NOW - days * DAY,
            worked: true,
            calls: 1,
            beside: false,
            by_person: false,
        };
        Learned { met: met.collect(), tried: vec![tried], ..Learned::default() }
    }

    fn line(learned: &Learned, told: &BTreeSet<String>) -> Option<RecurringLine> {
        line_about(judge(learned, NOW).iter(), told, NOW)
    }

    #[test]
    fn a_lesson_is_told_once_from_the_third_session_on_where_it_has_a_line() {
        let none = BTreeSet::new();
        assert_eq!(line(&learned("a", 2, 1, "--name-only"), &none), None);
        assert_eq!(line(&learned("a", 5, 31, "--name-only"), &none), None, "it does not come back any more");
        assert_eq!(line(&learned("a", 5, 1, "--force"), &none), None, "nothing that may destroy work has a line");
        let first = line(&learned("a", 3, 1, "--name-only"), &none).unwrap();
        assert_eq!(
            first.text,
            "Failwise: `gh pr diff --stat` failed in the same way in 3 sessions: `failwise lessons` has a line for CLAUDE.md."
        );
        let told: BTreeSet<String> = first.lessons.into_iter().collect();
        assert_eq!(line(&learned("a", 9, 1, "--name-only"), &told), None);
        assert_eq!(line(&learned("b", 9, 1, "--name-only"), &told), None, "the same words against another failure");
        assert!(line(&learned("a", 9, 1, "--patch"), &told).is_some());
    }

    #[test]
    fn several_lessons_are_one_line() {
        let mut all = learned("a", 3, 1, "--name-only");
        all.add(learned("b", 3, 1, "--patch"));
        let line = line(&all, &BTreeSet::new()).unwrap();
        assert_eq!(line.lessons.len(), 2);
        assert!(line.text.ends_with("and so did one more call: `failwise lessons` has lines for CLAUDE.md."));
    }
}
