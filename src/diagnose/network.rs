//! Calls that could not reach the other side, were told to slow down, or met a program that looks for a newer version.

use crate::model::Category;

use super::Mode as M;
use super::facts::Facts;
use super::row::{Row, Seen, failed, means, says};

/// The rows.
pub(super) const ROWS: &[Row] = &[
    says(M::RetryHints, 95, "*{status:429}"),
    says(M::RetryHints, 95, "*returned error: 429"),
    says(M::RetryHints, 95, "*^(too many requests)"),
    says(M::RetryHints, 95, "*^(rate limit)").only(not_a_test),
    says(M::RetryHints, 95, "*^(ratelimit)").only(|facts| {
        not_a_test(facts) && facts.line_with(&["ratelimit"]).is_none_or(|(_, line)| !line.contains("[--"))
    }),
    says(M::RetryHints, 94, "*ThrottlingException"),
    says(M::RetryHints, 94, "*SlowDown"),
    says(M::RetryHints, 92, "*^(retry after) #").only(not_a_test),
    says(M::RetryHints, 90, "*^(try again later)").only(not_a_test),
    says(M::RetryHints, 90, "*^(temporarily unavailable)")
        .only(|facts| not_a_test(facts) && facts.line_with(&["resource temporarily"]).is_none()),
    says(M::RetryHints, 90, "*{status:503}").only(not_a_test),
    says(M::RetryHints, 89, "*returned error: 50"),
    means(M::RetryHints, 90, &[Category::RateLimit]),
    means(M::RetryHints, 50, &[Category::ServiceError, Category::Timeout]),
    means(M::RetryHints, 86, &[Category::ServiceError]).only(may_pass).last(),
    failed(M::RetryHints, 86, repeats_unchanged),
    // A look for a newer version stood in the way.
    says(M::SelfUpdate, 96, "*^(failed to check for update)"),
    says(M::SelfUpdate, 95, "*Text file busy"),
    says(M::SelfUpdate, 98, "*^(auto-updating) "),
    says(M::SelfUpdate, 95, "*^(auto-updat)"),
    // The network itself.
    says(M::NetworkProxy, 94, "*^(connection refused)").only(not_a_test),
    says(M::NetworkProxy, 94, "*ECONNREFUSED"),
    says(M::NetworkProxy, 94, "*^(couldn't connect to server)"),
    says(M::NetworkProxy, 94, "*^(failed to connect to) "),
    says(M::NetworkProxy, 94, "*^(could not resolve host)"),
    says(M::NetworkProxy, 94, "*^(could not resolve) '{name}'")
        .only(|facts| facts.runs(&["apt", "apt-get", "apk", "dnf", "yum"])),
    says(M::NetworkProxy, 94, "*ENOTFOUND"),
    says(M::NetworkProxy, 94, "*EAI_AGAIN"),
    says(M::NetworkProxy, 94, "*^(temporary failure in name resolution)"),
    says(M::NetworkProxy, 94, "*^(name or service not known)"),
    says(M::NetworkProxy, 94, "*^(no such host)"),
    says(M::NetworkProxy, 95, "*returned error: 407"),
    says(M::NetworkProxy, 94, "*^(the connection to the server) *^(was refused)"),
    says(M::NetworkProxy, 94, "*^(proxy authentication)"),
    says(M::NetworkProxy, 94, "*^(self-signed certificate)"),
    says(M::NetworkProxy, 94, "*^(certificate has expired)"),
    says(M::NetworkProxy, 94, "*^(network is unreachable)"),
    says(M::NetworkProxy, 93, "*ECONNRESET"),
    says(M::NetworkProxy, 93, "*^(connection reset by peer)"),
    says(M::NetworkProxy, 92, "*^(could not connect to) ").only(not_a_display),
    says(M::NetworkProxy, 92, "*^(unable to connect to) ").only(not_a_display),
    means(M::NetworkProxy, 90, &[Category::Network]),
    failed(M::NetworkProxy, 88, refused_by_status).last(),
];

/// A status by which a program that transfers says that it did not reach the other side.
fn refused_by_status(facts: &Facts<'_>) -> Option<Seen> {
    let code = facts.call.exit_code?;
    let transfer = match facts.program() {
        "curl" => matches!(code, 5 | 6 | 7 | 28 | 35 | 56 | 60),
        "wget" => matches!(code, 4 | 5),
        "ssh" | "scp" | "sftp" => code == 255,
        _ => false,
    };
    transfer
        .then(|| Seen::words(format!("status {code} of `{}` means that the server was not reached", facts.program())))
}

/// Whether no test or compiler speaks: their words are those of the project.
pub(super) fn not_a_test(facts: &Facts<'_>) -> bool {
    let kind = facts.reading.as_ref().map(|reading| reading.category);
    !matches!(kind, Some(Category::TestFailure | Category::CompileError | Category::LintError)) && !facts.displays()
}

/// Whether no window was asked for either.
fn not_a_display(facts: &Facts<'_>) -> bool {
    not_a_test(facts) && facts.line_with(&["display", "x server", "docker daemon"]).is_none()
}

/// Whether the same call may pass a moment later.
fn may_pass(facts: &Facts<'_>) -> bool {
    facts.reading.as_ref().is_some_and(|reading| reading.transient.is_some())
}

/// The same call failed before in the same way, and nothing told when to try it again.
fn repeats_unchanged(facts: &Facts<'_>) -> Option<Seen> {
    let times = facts.past.repeats(facts);
    (times >= 1).then(|| Seen::words(format!("it is the same failure for the {} time in a row", nth(times + 1))))
}

fn nth(number: u32) -> String {
    match number {
        2 => "second".to_owned(),
        3 => "third".to_owned(),
        4 => "fourth".to_owned(),
        5 => "fifth".to_owned(),
        more => format!("{more}th"),
    }
}
