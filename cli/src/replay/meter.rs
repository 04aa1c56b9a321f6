//! What work cost: calls, answers of the model, tokens and time, counted once however many episodes share them.

use std::collections::BTreeMap;
use std::ops::Bound;

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

    /// Whether it comes after another point of its node.
    pub(super) fn is_after(self, other: Self) -> bool {
        self.order() > other.order()
    }

    /// Whether it lies between two points of its node.
    pub(super) fn is_within(self, from: Self, to: Self) -> bool {
        (from.order()..=to.order()).contains(&self.order())
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
    /// answers. Work in the background was launched long before: only its end counts, and the answer that asked for it.
    pub(super) fn began(&self, in_background: bool) -> Mark {
        if in_background && self.before.ms != self.now.ms {
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

/// The work on one thing: the answers that made its failed calls, each with whether it repeated the one before with nothing
/// changed, and what was done between its runs.
#[derive(Debug, Default)]
pub(super) struct Work {
    pub(super) answers: Vec<(Mark, Mark, bool)>,
    pub(super) between: Vec<(Mark, Mark)>,
}

/// What stretches begin and end with.
pub(super) trait Point: Copy {
    /// By which points follow one another.
    type Order: Ord + Copy;

    fn order(self) -> Self::Order;
}

impl Point for Mark {
    type Order = (u64, u64);

    /// Points of one node follow one another: neither count ever falls.
    fn order(self) -> (u64, u64) {
        (self.calls, self.turns)
    }
}

/// A moment, in milliseconds.
impl Point for i64 {
    type Order = Self;

    fn order(self) -> Self {
        self
    }
}

/// The stretches of one node's work, or of the time of one session, that are booked somewhere, so that none is booked twice.
#[derive(Debug)]
pub(super) struct Claims<P: Point> {
    /// By the point where they begin; none meets another: what is asked about again is one stretch by then.
    taken: BTreeMap<P::Order, (P, P)>,
}

impl<P: Point> Default for Claims<P> {
    fn default() -> Self {
        Self { taken: BTreeMap::new() }
    }
}

impl<P: Point> Claims<P> {
    /// Takes what is still free of a stretch.
    pub(super) fn take(&mut self, from: P, to: P) -> Vec<(P, P)> {
        let mut free = Vec::new();
        let (mut first, mut reached) = (from, from);
        let before = self.taken.range(..=from.order()).next_back().map(|(_, taken)| *taken);
        let before = before.filter(|(_, end)| end.order() >= from.order());
        let after = self.taken.range((Bound::Excluded(from.order()), Bound::Unbounded)).map(|(_, taken)| *taken);
        // Tokens of one answer rise while neither count does: where two points are level, the later mark counts.
        let after = after.take_while(|(begin, _)| begin.order() <= to.order());
        let met: Vec<(P, P)> = before.into_iter().chain(after).collect();
        for (begin, end) in &met {
            if begin.order() > reached.order() {
                free.push((reached, *begin));
            }
            first = if begin.order() < first.order() { *begin } else { first };
            reached = if end.order() < reached.order() { reached } else { *end };
            self.taken.remove(&begin.order());
        }
        if to.order() > reached.order() {
            free.push((reached, to));
            reached = to;
        }
        if reached.order() > first.order() {
            self.taken.insert(first.order(), (first, reached));
        }
        free
    }
}

impl Claims<i64> {
    /// Takes what is still free of the time between two points; gives how much of it was worked. A session's nodes work at
    /// once, and no minute is booked twice.
    pub(super) fn take_worked(&mut self, clock: &Clock, from: Mark, to: Mark) -> u64 {
        let (Some(from), Some(to)) = (from.ms, to.ms) else { return 0 };
        self.take(from, to).iter().map(|(from, to)| clock.until(*to).saturating_sub(clock.until(*from))).sum()
    }
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
        let mut claims = Claims::default();
        let parts = [(at(0), at(63 * minute)), (at(minute), at(63 * minute)), (at(63 * minute), at(93 * minute))];
        assert_eq!(
            parts.map(|(from, to)| claims.take_worked(&clock, from, to)),
            [3 * 60_000, 0, 10 * 60_000],
            "each part once"
        );
    }

    fn mark(calls: u64) -> Mark {
        Mark { calls, turns: calls, ..Mark::default() }
    }

    #[test]
    fn work_on_two_things_at_once_stands_in_one_of_them() {
        let mut claims = Claims::default();
        let mut take = |from, to| {
            let free = claims.take(mark(from), mark(to));
            free.iter().map(|(from, to)| (from.calls, to.calls)).collect::<Vec<_>>()
        };
        assert_eq!(take(4, 5), [(4, 5)]);
        assert_eq!(take(1, 9), [(1, 4), (5, 9)]);
        assert_eq!(take(5, 12), [(9, 12)]);
        assert_eq!(take(2, 8), []);
        assert_eq!(take(0, 20), [(0, 1), (12, 20)]);
        for from in (30..3_000).step_by(2) {
            take(from, from + 1);
        }
        assert_eq!(take(25, 4_000).len(), 1_486);
        assert_eq!(claims.taken.len(), 2, "what meets is one stretch");
    }
}
