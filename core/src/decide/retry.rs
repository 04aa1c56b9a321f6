//! When a call that failed for a passing reason is made again. `rules/workflow/retry-policy.md` shows the table.

use super::choice::{DecisionInput, RuleChoice};
use super::side_effects;
use crate::digest::hex16;
use crate::history::{Bucket, State};
use crate::model::{Category, DecisionAction};

/// How often, how late and how long.
#[derive(Debug, Clone, Copy)]
pub struct RetryPolicy {
    /// How many failures of an episode are answered with a retry: the inherited limit.
    pub retries: u32,
    /// The longest wait before the first retry, by category.
    pub first_ms: &'static [(Category, u64)],
    /// The same for every other category.
    pub other_first_ms: u64,
    /// How much longer the wait may be at each further attempt.
    pub factor: u64,
    /// The shortest wait: jitter makes none shorter.
    pub least_ms: u64,
    /// The longest wait of our own.
    pub longest_ms: u64,
    /// The longest wait that another side may ask for. Beyond it a person decides.
    pub longest_asked_ms: u64,
}

/// The one table of retries.
pub const RETRY: RetryPolicy = RetryPolicy {
    retries: 3,
    first_ms: &[(Category::ResourceBusy, 2_000), (Category::ServiceError, 10_000), (Category::RateLimit, 30_000)],
    other_first_ms: 5_000,
    factor: 3,
    least_ms: 1_000,
    longest_ms: 300_000,
    longest_asked_ms: 3_600_000,
};

impl RetryPolicy {
    /// The longest that the wait after this attempt may be, in milliseconds.
    pub fn ceiling_ms(&self, category: Category, attempt: u32) -> u64 {
        let first = self.first_ms.iter().find(|(of, _)| *of == category).map_or(self.other_first_ms, |(_, ms)| *ms);
        let grown = first.saturating_mul(self.factor.saturating_pow(attempt.saturating_sub(1)));
        grown.clamp(self.least_ms, self.longest_ms)
    }

    /// The wait after this attempt, in milliseconds: anywhere between the shortest and the ceiling, by the seed, so that
    /// agents which failed together do not come back together. The same seed gives the same wait.
    pub fn wait_ms(&self, category: Category, attempt: u32, seed: &[&str]) -> u64 {
        let room = self.ceiling_ms(category, attempt) - self.least_ms;
        let attempt = attempt.to_string();
        let parts: Vec<&str> = seed.iter().copied().chain([attempt.as_str()]).collect();
        let random = u64::from_str_radix(&hex16(&parts), 16).unwrap_or_default();
        self.least_ms + random % (room + 1)
    }
}

/// What to do after a failure that may pass by itself.
pub(super) fn transient(desk: &DecisionInput<'_>) -> RuleChoice {
    let question = desk.question;
    let attempt = question.attempt;
    if attempt > RETRY.retries {
        return RuleChoice::new(DecisionAction::Escalate)
            .because(format!("it failed {attempt} times for a transient reason: waiting has not helped"));
    }
    // What is unavailable did not run.
    let ran = question.category != Some(Category::ToolUnavailable);
    if let Some(effect) = side_effects::before_a_retry(&question.operation.0).filter(|_| ran) {
        return RuleChoice::new(DecisionAction::CheckFirst)
            .because(format!("it may have taken effect although it failed ({}): {}", effect.kind, effect.look))
            .then_run(effect.check);
    }
    wait(desk)
}

fn wait(desk: &DecisionInput<'_>) -> RuleChoice {
    let question = desk.question;
    let category = question.category.unwrap_or(Category::Unknown);
    let episode = question.episode.as_deref().unwrap_or(&question.operation.0);
    let own = RETRY.wait_ms(category, question.attempt, &[&question.node, episode]);
    let bucket = bucket(desk.facts.others);
    let put_off = Bucket::clock(desk.now).map_or(0, |now| bucket.wait_ms(now));
    let delay = question.retry_after_ms.unwrap_or(own).max(put_off);
    if delay > RETRY.longest_asked_ms {
        return RuleChoice::new(DecisionAction::Escalate).after(delay).because(format!(
            "a retry has to wait {} s: continue with other work; a person decides whether to wait so long",
            delay.div_ceil(1000)
        ));
    }
    let choice = RuleChoice::new(DecisionAction::Retry).after(delay).because(format!(
        "the cause is outside the work ({}), failure {} of {} that are retried",
        category.as_str(),
        question.attempt,
        RETRY.retries
    ));
    match question.retry_after_ms {
        _ if put_off >= delay && put_off > 0 => {
            choice.because("the project's retries are used up for now, so this one is put off".to_owned())
        }
        Some(asked) => choice.because(format!("the server asked to wait {} s", asked.div_ceil(1000))),
        None => choice,
    }
}

/// The project's bucket, as the states that were given tell it.
pub(super) fn bucket(states: &[State]) -> Bucket {
    states.iter().find_map(|state| state.bucket).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn waits_grow_to_a_ceiling() {
        let ceilings = |category| [1, 2, 3, 4, 40].map(|attempt| RETRY.ceiling_ms(category, attempt) / 1000);
        assert_eq!(ceilings(Category::Network), [5, 15, 45, 135, 300]);
        assert_eq!(ceilings(Category::RateLimit), [30, 90, 270, 300, 300]);
        assert_eq!(ceilings(Category::ResourceBusy), [2, 6, 18, 54, 300]);
    }

    proptest! {
        #[test]
        fn a_wait_is_the_seeds_and_within_its_bounds(node in ".{0,20}", episode in "[0-9a-f]{8}", attempt in 0_u32..9) {
            let wait = |episode: &str| RETRY.wait_ms(Category::Network, attempt, &[&node, episode]);
            prop_assert_eq!(wait(&episode), wait(&episode));
            prop_assert!(wait(&episode) >= RETRY.least_ms);
            prop_assert!(wait(&episode) <= RETRY.ceiling_ms(Category::Network, attempt));
        }
    }

    #[test]
    fn jitter_spreads() {
        let waits: std::collections::BTreeSet<u64> =
            (0..100).map(|node: u32| RETRY.wait_ms(Category::Network, 3, &[&node.to_string(), "e"]) / 5000).collect();
        assert!(waits.len() >= 8, "a hundred nodes come back in {} of 9 spans", waits.len());
    }
}
