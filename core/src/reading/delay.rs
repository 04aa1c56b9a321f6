//! The delay that the other side asks for: `Retry-After: 40`, `try again in 20s`, `resets 3pm (UTC)`.

use crate::time::{first_span, moment, parse};

/// Words before which the delay stands, in lower case.
const MARKS: &[&str] = &[
    "retry-after:",
    "retry after",
    "retry_after",
    "try again in",
    "retry in",
    "resets in",
    "reset in",
    "reset after",
    "available in",
    "please wait",
    "retrydelay",
    "retry_delay",
];

/// Words before which the moment stands, in lower case.
const MOMENT_MARKS: &[&str] = &[
    "retry-after:",
    "resets at",
    "resets",
    "reset at",
    "try again at",
    "available at",
    "x-ratelimit-reset:",
    "ratelimit-reset:",
];

/// Longest delay that is believed: a day.
const LONGEST_MS: u64 = 24 * 60 * 60 * 1000;

/// The delay in milliseconds, where the text states one.
pub(super) fn asked_delay(text: &str) -> Option<u64> {
    text.lines().filter(|line| line.len() < 2000).find_map(in_line)
}

/// The delay in milliseconds from now (a time in RFC 3339) to the moment that the text names in UTC. A clock without a
/// zone is of nobody knows where, and names none.
pub(crate) fn delay_until(text: &str, now: &str) -> Option<u64> {
    let now = parse(now)?;
    let mut lines = text.lines().filter(|line| line.len() < 2000);
    let at = lines.find_map(|line| {
        let lower = line.to_ascii_lowercase();
        MOMENT_MARKS.iter().find_map(|mark| lower.split_once(mark).and_then(|(_, rest)| moment(rest.trim(), now)))
    })?;
    let wait = u64::try_from((at - now).num_milliseconds()).ok()?;
    (wait > 0).then_some(wait.min(LONGEST_MS))
}

fn in_line(line: &str) -> Option<u64> {
    // The marks are rare; the two letters that all of them hold are not worth a table.
    let lower = line.to_ascii_lowercase();
    MARKS.iter().find_map(|mark| lower.split_once(mark).and_then(|(_, rest)| delay(rest)))
}

/// `40`, ` 1.5s`, ` 20 seconds`, ` 3m 20s`. A bare number is seconds.
fn delay(text: &str) -> Option<u64> {
    let mut rest = text.trim_start_matches([' ', ':', '"', '\'', '=']);
    let mut total = 0_u64;
    for _ in 0..4 {
        let Some((span, behind)) = first_span(rest, Some(1_000.0)) else { break };
        total = total.saturating_add(whole(span));
        rest = behind.trim_start_matches([' ', ',']);
    }
    (total > 0).then_some(total.min(LONGEST_MS))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the range first")]
fn whole(span: f64) -> u64 {
    span.clamp(0.0, 86_400_000.0) as u64
}

#[cfg(test)]
mod tests {
    use super::{asked_delay, delay_until};

    #[test]
    fn moments_are_read() {
        for (text, minutes) in [
            ("You've hit your session limit · resets 3pm (UTC)", Some(180)),
            ("limit resets at 12:30 UTC", Some(30)),
            ("resets at 11:30 am (UTC)", Some(23 * 60 + 30)),
            ("Retry-After: Wed, 21 Oct 2026 12:05:00 GMT", Some(5)),
            ("rate limit resets at 2026-10-21T13:00:00Z.", Some(60)),
            ("Please try again at 2026-10-21 12:10 UTC", Some(10)),
            ("x-ratelimit-reset: 1792584600", Some(10)),
            ("Try again at 5:30 PM.", None),
            ("Retry-After: Wed, 21 Oct 2020 12:05:00 GMT", None),
            ("resets tomorrow (UTC)", None),
            ("x-ratelimit-reset: 59", None),
        ] {
            let wanted: Option<u64> = minutes.map(|m: u64| m * 60_000);
            assert_eq!(delay_until(text, "2026-10-21T12:00:00Z"), wanted, "{text}");
        }
        assert_eq!(delay_until("resets 3pm (UTC)", "yesterday"), None);
    }

    #[test]
    fn delays_are_read() {
        for (text, delay) in [
            ("x\nRetry-After: 40\n", Some(40_000)),
            ("Please try again in 20s.", Some(20_000)),
            ("try again in 1m30.5s", Some(90_500)),
            ("limit resets in 2 minutes", Some(120_000)),
            ("retry after 3 hours, please", Some(10_800_000)),
            ("{\"retry_after\": 5}", Some(5_000)),
            ("{\"retryDelay\": \"34s\"}", Some(34_000)),
            ("Please wait 45 seconds", Some(45_000)),
            ("Retry-After: Wed, 21 Oct", None),
            ("try again in a while", None),
            ("try again later", None),
            ("Retry-After: 0", None),
            ("try again in 99999999999999999999 hours", Some(86_400_000)),
        ] {
            assert_eq!(asked_delay(text), delay, "{text}");
        }
    }
}
