//! Loops: the same calls again and again, with failures in them and nothing gained.

use std::collections::VecDeque;

use super::meter::Mark;
use crate::history::{Effect, Event, Execution};
use crate::model::Outcome;

/// The longest round that is looked for, in calls.
const LONGEST: usize = 5;
/// From this many rounds it is a loop.
const ROUNDS: usize = 3;

/// One call, as far as loops are concerned. Calls that only read and succeed are no part of any: looking is not doing,
/// and whoever polls waits.
#[derive(Debug, Clone)]
pub(super) struct RoundStep {
    /// What was being done.
    pub(super) operation: String,
    /// The fine signature where it failed: another one is progress.
    pub(super) failure: Option<String>,
    /// The point after it.
    pub(super) mark: Mark,
}

impl RoundStep {
    /// A call that just ended at a point, where it is part of any loop.
    pub(super) fn of(event: &Event, execution: &Execution, mark: Mark) -> Option<Self> {
        let failed = event.is_failure();
        let counts = matches!(execution.outcome, Some(Outcome::Succeeded | Outcome::BenignNonZero));
        let is_part = failed || counts && execution.effect != Effect::None;
        let operation = execution.operation.as_ref().filter(|_| is_part)?.0.clone();
        // Two vague ones are never the same failure.
        let fine = execution.signature.as_ref().map_or("", |it| if it.vague { &event.id } else { &it.fine });
        Some(Self { operation, failure: failed.then(|| fine.to_owned()), mark })
    }

    fn repeats(&self, other: &Self) -> bool {
        self.operation == other.operation && self.failure == other.failure
    }
}

/// A loop that was found: the steps of its first round and the points after its first and last step.
#[derive(Debug, Clone)]
pub(super) struct FoundRound {
    pub(super) round: Vec<RoundStep>,
    pub(super) steps: usize,
    pub(super) last: Mark,
}

impl FoundRound {
    /// How many whole rounds were made.
    pub(super) fn repeats(&self) -> usize {
        self.steps.checked_div(self.round.len()).unwrap_or_default()
    }
}

/// Watches the steps of one node.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    /// The last steps that are in no loop, at most [`LONGEST`] times [`ROUNDS`].
    steps: VecDeque<RoundStep>,
    going: Option<FoundRound>,
}

impl Rounds {
    /// Takes the next step; gives the loop that it ends.
    pub(super) fn step(&mut self, step: RoundStep) -> Option<FoundRound> {
        if let Some(found) = &mut self.going {
            let expected = found.steps.checked_rem(found.round.len()).and_then(|index| found.round.get(index));
            if expected.is_some_and(|expected| expected.repeats(&step)) {
                found.steps += 1;
                found.last = step.mark;
                return None;
            }
        }
        let ended = self.going.take();
        self.steps.push_back(step);
        if self.steps.len() > LONGEST * ROUNDS {
            self.steps.pop_front();
        }
        self.going = (1..=LONGEST).find_map(|period| self.found(period));
        if self.going.is_some() {
            self.steps.clear();
        }
        ended
    }

    /// A person spoke, or the data end: gives the loop that was going on.
    pub(super) fn end(&mut self) -> Option<FoundRound> {
        self.steps.clear();
        self.going.take()
    }

    /// The loop of this period that the last steps make.
    fn found(&self, period: usize) -> Option<FoundRound> {
        let start = self.steps.len().checked_sub(period * ROUNDS)?;
        let last = self.steps.range(start..);
        let mut both = last.clone().zip(last.clone().skip(period));
        let round = last.clone().take(period);
        let is_it = round.clone().any(|step| step.failure.is_some()) && both.all(|(step, later)| step.repeats(later));
        let last = last.last()?.mark;
        is_it.then(|| FoundRound { round: round.cloned().collect(), steps: period * ROUNDS, last })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Letters are operations; an upper-case one fails, and a digit after it tells how.
    fn loops(steps: &str) -> Vec<(String, usize)> {
        let mut rounds = Rounds::default();
        let mut found = Vec::new();
        for word in steps.split(' ') {
            if word == "|" {
                found.extend(rounds.end());
                continue;
            }
            let fails = word.starts_with(|c: char| c.is_ascii_uppercase());
            let operation = word.chars().take(1).collect::<String>().to_lowercase();
            let failure = fails.then(|| word.to_owned());
            found.extend(rounds.step(RoundStep { operation, failure, mark: Mark::default() }));
        }
        found.extend(rounds.end());
        let name = |found: &FoundRound| found.round.iter().map(|step| step.operation.clone()).collect::<String>();
        found.iter().map(|found| (name(found), found.repeats())).collect()
    }

    #[test]
    fn three_equal_failures_are_a_loop() {
        assert_eq!(loops("A1 A1"), []);
        assert_eq!(loops("A1 A1 A1"), [("a".to_owned(), 3)]);
        assert_eq!(loops("x A1 A1 A1 A1 y"), [("a".to_owned(), 4)]);
        assert_eq!(loops("A1 A1 A2"), [], "another error is progress");
        assert_eq!(loops("A1 A1 | A1"), [], "a person spoke in between");
        assert_eq!(loops("a a a a"), [], "nothing fails");
    }

    #[test]
    fn rounds_of_up_to_five_calls_are_found() {
        assert_eq!(loops("e T1 e T1 e T1"), [("et".to_owned(), 3)]);
        assert_eq!(loops("e T1 e T2 e T3"), [], "each error is another");
        assert_eq!(loops("e T1 e T1 e T1 e T1 e t"), [("et".to_owned(), 4)], "the last one passed");
        assert_eq!(loops("a b c d E1 a b c d E1 a b c d E1"), [("abcde".to_owned(), 3)]);
        assert_eq!(loops("a b c d f E1 a b c d f E1 a b c d f E1"), [], "six are not looked for");
        assert_eq!(loops("A1 A1 A1 b A1 A1 A1"), [("a".to_owned(), 3), ("a".to_owned(), 3)]);
    }
}
