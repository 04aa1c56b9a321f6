//! Calls that could not reach the other side, were told to slow down, or met a program that looks for a newer version.

use crate::model::Category;
use crate::programs::Fact;

use super::Mode as M;
use super::facts::CallFacts;
use super::row::{ModeRow, Seen, failed, finds, means};
use crate::model::FindingKind as K;

/// The rows.
pub(super) const ROWS: &[ModeRow] = &[
    finds(M::RetryHints, 95, K::RateLimited).only(not_a_test),
    finds(M::RetryHints, 90, K::Unavailable).only(not_a_test),
    finds(M::SelfUpdate, 98, K::UpdateCheck),
    finds(M::NetworkProxy, 94, K::Unreachable).only(|facts| !is_of_the_work(facts)),
    means(M::RetryHints, 90, &[Category::RateLimit]),
    means(M::RetryHints, 50, &[Category::ServiceError, Category::Timeout]),
    means(M::RetryHints, 86, &[Category::ServiceError]).only(may_pass).last(),
    // The network itself.
    means(M::NetworkProxy, 90, &[Category::Network]),
    failed(M::NetworkProxy, 88, refused_by_status).last(),
];

/// A status by which a program that transfers says that it did not reach the other side.
fn refused_by_status(facts: &CallFacts<'_>) -> Option<Seen> {
    let (code, command) = (facts.call.exit_code?, facts.command()?);
    let mut codes = command.facts_like(|fact| matches!(fact, Fact::Code(_, Category::Network | Category::Timeout)));
    let reason = if command.distrusts_by(code) {
        "the server's certificate is not trusted"
    } else {
        codes.any(|fact| matches!(fact, Fact::Code(own, _) if *own == code)).then_some("the server was not reached")?
    };
    Some(Seen::words(format!("status {code} of `{}` means that {reason}", facts.program())))
}

/// Whether no test or compiler speaks: their words are those of the project.
pub(super) fn not_a_test(facts: &CallFacts<'_>) -> bool {
    !is_of_the_work(facts) && !facts.displays()
}

/// Whether a test, a compiler or a linter speaks.
pub(super) fn is_of_the_work(facts: &CallFacts<'_>) -> bool {
    facts.is_of(&[Category::TestFailure, Category::CompileError, Category::LintError])
}

/// Whether the same call may pass a moment later.
fn may_pass(facts: &CallFacts<'_>) -> bool {
    facts.reading.as_ref().is_some_and(|reading| reading.transient.is_some())
}
