//! What work cost: calls, answers of the model, tokens and time, counted once however many episodes share them.

use crate::model::{Cost, Money, Usage};

/// The longest pause that counts as work, in milliseconds: the longest that the client lets a command run in the
/// foreground. What is longer is a machine asleep or a person away.
const LONGEST_PAUSE_MS: i64 = 10 * 60 * 1000;

/// A point in a node's work: what was spent until then.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Mark {
    calls: u64,
    turns: u64,
    tokens: Usage,
    money: Money,
    /// When, where the data says.
    pub(super) ms: Option<i64>,
}

impl Mark {
    /// What was spent from here to a later point.
    pub(super) fn until(self, later: Self, clock: &Clock) -> Cost {
        Cost {
            calls: later.calls.saturating_sub(self.calls),
            turns: later.turns.saturating_sub(self.turns),
            tokens: later.tokens.since(self.tokens),
            money: later.money.since(self.money),
            wall_ms: clock.worked(self, later),
        }
    }

    /// How many calls ended from here to a later point.
    pub(super) fn calls_until(self, later: Self) -> u64 {
        later.calls.saturating_sub(self.calls)
    }

    /// The later of two points of one node.
    pub(super) fn max(self, other: Self) -> Self {
        if self.order() < other.order() { other } else { self }
    }

    /// Points of one node follow one another: neither count ever falls.
    fn order(self) -> (u64, u64) {
        (self.calls, self.turns)
    }
}

/// Counts what one node spends.
#[derive(Debug, Default)]
pub(super) struct Meter {
    now: Mark,
    /// Where the last answer began, that is where what came before it ended.
    answer: Option<Mark>,
    /// The point before the call that ended last.
    before: Mark,
}

impl Meter {
    /// The point that was reached.
    pub(super) fn now(&self) -> Mark {
        self.now
    }

    /// Where the answer began that made the call which ended last; the point before that call where the data tell of no
    /// answers. Work in the background was launched long before: only its end counts.
    pub(super) fn began(&self, in_background: bool) -> Mark {
        if in_background {
            return Mark { ms: self.now.ms, ..self.before };
        }
        self.answer.unwrap_or(self.before)
    }

    /// Something happened at this time.
    pub(super) fn at(&mut self, ms: Option<i64>) {
        self.now.ms = ms.or(self.now.ms);
    }

    /// A call ended. `since` is the time of what came before it.
    pub(super) fn call(&mut self, since: Option<i64>) {
        self.before = Mark { ms: since.or(self.now.ms), ..self.now };
        self.now.calls += 1;
    }

    /// The model answered, or an answer that was begun cost more. `since` is the time of what came before it.
    pub(super) fn turn(&mut self, begins: bool, (tokens, money): (Usage, Money), since: Option<i64>) {
        if begins {
            self.answer = Some(Mark { ms: since.or(self.now.ms), ..self.now });
        }
        self.now.turns += u64::from(begins);
        self.now.tokens = self.now.tokens.plus(tokens);
        self.now.money = self.now.money.plus(money);
    }
}

/// The work on one thing: the answers that made its failed calls, and what was done between its runs.
#[derive(Debug, Default)]
pub(super) struct Work {
    pub(super) answers: Vec<(Mark, Mark)>,
    pub(super) between: Vec<(Mark, Mark)>,
}

impl Work {
    /// All of its stretches.
    pub(super) fn stretches(&self) -> impl Iterator<Item = (Mark, Mark)> {
        self.answers.iter().chain(&self.between).copied()
    }

    /// Cuts what was done on several things of one node at once, so that it stands in one of them: a failed call's answer
    /// in its own, the rest in the one that it began with.
    pub(super) fn share(all: &mut [&mut Self]) {
        let mut answers: Vec<(Mark, Mark)> = all.iter().flat_map(|work| work.answers.iter().copied()).collect();
        answers.sort_by_key(|(_, to)| to.order());
        let owned = all.iter_mut().enumerate();
        let mut between: Vec<(usize, (Mark, Mark))> = owned
            .flat_map(|(owner, work)| std::mem::take(&mut work.between).into_iter().map(move |it| (owner, it)))
            .collect();
        between.sort_by_key(|(owner, (from, to))| (from.order(), to.order(), *owner));
        let mut reached = Mark::default();
        for (owner, (from, to)) in between {
            let from = reached.max(from);
            let Some(work) = all.get_mut(owner).filter(|_| to.order() > from.order()) else { continue };
            let first = answers.partition_point(|(_, end)| end.order() <= from.order());
            let mut done = from;
            for (begin, end) in answers.iter().skip(first).take_while(|(begin, _)| begin.order() < to.order()) {
                if begin.order() > done.order() {
                    work.between.push((done, *begin));
                }
                done = done.max(*end);
            }
            if to.order() > done.order() {
                work.between.push((done, to));
            }
            reached = to;
        }
    }
}

/// What stretches of one node's work cost together, each part counted once; without the time, which nodes share.
pub(super) fn union(mut stretches: Vec<(Mark, Mark)>) -> Cost {
    stretches.sort_by_key(|(from, to)| (from.order(), to.order()));
    let mut sum = Cost::default();
    let mut reached = Mark::default();
    for (from, to) in stretches {
        let from = if from.order() < reached.order() { reached } else { from };
        if to.order() > from.order() {
            sum = sum.plus(from.until(to, &Clock::default()));
            reached = to;
        }
    }
    sum
}

/// The time that was worked in a session. A pause before a person's prompt is the person's; any other counts, up to
/// [`LONGEST_PAUSE_MS`].
#[derive(Debug, Default)]
pub(super) struct Clock {
    /// Moments in milliseconds, each with the time worked until then once the clock is set.
    moments: Vec<(i64, bool, u64)>,
}

impl Clock {
    /// Something happened; `by_person` is whether it was a person's prompt.
    pub(super) fn tick(&mut self, ms: i64, by_person: bool) {
        // Several lines of one moment are one.
        if self.moments.last().is_none_or(|(last, person, _)| (*last, *person) != (ms, by_person)) {
            self.moments.push((ms, by_person, 0));
        }
    }

    /// Orders the moments and adds up the time. Subagents' lines may have come after the session's own.
    pub(super) fn set(&mut self) {
        self.moments.sort_unstable();
        let mut before: Option<i64> = None;
        let mut worked = 0;
        for (ms, by_person, sum) in &mut self.moments {
            let pause = before.map_or(0, |before| ms.saturating_sub(before));
            if !*by_person {
                worked += u64::try_from(pause.min(LONGEST_PAUSE_MS)).unwrap_or_default();
            }
            *sum = worked;
            before = Some(*ms);
        }
    }

    /// All of the time worked, in milliseconds.
    pub(super) fn total(&self) -> u64 {
        self.moments.last().map_or(0, |(_, _, worked)| *worked)
    }

    /// When the first and the last thing happened.
    pub(super) fn span(&self) -> (Option<i64>, Option<i64>) {
        (self.moments.first().map(|moment| moment.0), self.moments.last().map(|moment| moment.0))
    }

    /// The time worked between two points; 0 where their times are unknown.
    pub(super) fn worked(&self, from: Mark, to: Mark) -> u64 {
        let (Some(from), Some(to)) = (from.ms, to.ms) else { return 0 };
        self.until(to).saturating_sub(self.until(from))
    }

    /// The time worked within any of these stretches.
    pub(super) fn worked_in(&self, stretches: &[(Mark, Mark)]) -> u64 {
        let mut spans: Vec<(i64, i64)> =
            stretches.iter().filter_map(|(from, to)| from.ms.zip(to.ms)).filter(|(from, to)| from < to).collect();
        spans.sort_unstable();
        let mut sum = 0;
        let mut reached = i64::MIN;
        for (from, to) in spans {
            let from = from.max(reached);
            sum += self.until(to).saturating_sub(self.until(from));
            reached = reached.max(to);
        }
        sum
    }

    fn until(&self, ms: i64) -> u64 {
        let after = self.moments.partition_point(|(moment, _, _)| *moment <= ms);
        after.checked_sub(1).and_then(|index| self.moments.get(index)).map_or(0, |(_, _, worked)| *worked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_before_a_prompt_is_the_persons_and_a_long_one_counts_ten_minutes() {
        let mut clock = Clock::default();
        let minute = 60_000;
        for (ms, by_person) in [(0, true), (minute, false), (61 * minute, true), (63 * minute, false)] {
            clock.tick(ms, by_person);
        }
        clock.tick(93 * minute, false);
        clock.set();
        assert_eq!(clock.total(), 13 * 60_000, "1 + 0 + 2 + 10 minutes");
        let at = |ms| Mark { ms: Some(ms), ..Mark::default() };
        assert_eq!(clock.worked(at(minute), at(63 * minute)), 2 * 60_000);
        let stretches = [(at(0), at(63 * minute)), (at(minute), at(63 * minute)), (at(63 * minute), at(93 * minute))];
        assert_eq!(clock.worked_in(&stretches), clock.total(), "each part once");
    }

    fn mark(calls: u64) -> Mark {
        Mark { calls, turns: calls, ..Mark::default() }
    }

    #[test]
    fn work_on_two_things_at_once_stands_in_one_of_them() {
        let work = |answers: &[(u64, u64)], between: &[(u64, u64)]| {
            let marks = |all: &[(u64, u64)]| all.iter().map(|(from, to)| (mark(*from), mark(*to))).collect();
            Work { answers: marks(answers), between: marks(between) }
        };
        let mut first = work(&[(0, 1)], &[(1, 9)]);
        let mut second = work(&[(4, 5)], &[(5, 12)]);
        let mut inside = work(&[(6, 7)], &[(7, 8)]);
        Work::share(&mut [&mut first, &mut second, &mut inside]);
        let calls = |work: &Work| work.stretches().map(|(from, to)| to.calls - from.calls).collect::<Vec<_>>();
        assert_eq!(calls(&first), [1, 3, 1, 2], "0..1, then 1..4, 5..6 and 7..9");
        assert_eq!(calls(&second), [1, 3], "4..5, then 9..12");
        assert_eq!(calls(&inside), [1], "its own answer");
    }

    #[test]
    fn stretches_that_overlap_count_once() {
        let cost = union(vec![(mark(4), mark(9)), (mark(2), mark(6)), (mark(3), mark(5)), (mark(12), mark(13))]);
        assert_eq!((cost.calls, cost.turns), (8, 8), "2..9 and 12..13");
    }
}
